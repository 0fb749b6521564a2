#!/bin/bash
# Runs every benchmark: the programs built from bench/*.cpp, then the drivers bench/*.py and bench/*.sh.
#
#   scripts/bench.sh BUILD-FOLDER [NAME]...
#
# With names it runs only those. A driver is given the build folder as its argument.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?the build folder}
shift

wanted() {
    local name=$1
    shift
    [ $# -eq 0 ] && return 0
    for one in "$@"; do [ "$one" = "$name" ] && return 0; done
    return 1
}

ran=0
for source in bench/*.cpp bench/*.py bench/*.sh; do
    [ -e "$source" ] || continue
    name=$(basename "${source%.*}")
    wanted "$name" "$@" || continue
    case $source in
    *.cpp)
        [ -x "$build/bench/$name" ] || continue
        command=("$build/bench/$name")
        ;;
    *)
        [ -x "$source" ] || continue
        command=("$source" "$build")
        ;;
    esac
    echo "== $name"
    "${command[@]}" || { echo "bench: $name failed" >&2; exit 1; }
    ran=$((ran + 1))
done
[ "$ran" -gt 0 ] || { echo "bench: nothing to run" >&2; exit 1; }
