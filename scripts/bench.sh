#!/bin/bash
# Runs every benchmark of bench/.
#
#   scripts/bench.sh BUILD-FOLDER [NAME]...
#
# A program NAME_bench is run as it is, unless scripts bench/NAME_*.py compare it with other tools: then they are run,
# with the program as --bench. With names only those programs or scripts are run. The language server is measured through the
# program treaty itself.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?the build folder}
shift

wanted() {
    local name=$1 one
    shift
    [ $# -eq 0 ] && return 0
    for one in "$@"; do [ "$one" = "$name" ] && return 0; done
    return 1
}

ran=0
run() {
    echo "== $1"
    shift
    "$@" || { echo "bench: '$*' failed" >&2; exit 1; }
    ran=$((ran + 1))
}

for source in bench/*_bench.cpp; do
    name=$(basename "$source" .cpp)
    program=$build/bench/$name
    [ -x "$program" ] || { echo "bench: $program has not been built" >&2; exit 1; }
    scripts=()
    for script in bench/"${name%%_*}"_*.py; do [ -e "$script" ] && scripts+=("$script"); done
    if [ ${#scripts[@]} -eq 0 ]; then
        wanted "$name" "$@" && run "$name" "$program"
    fi
    for script in "${scripts[@]}"; do
        wanted "$(basename "$script" .py)" "$@" && run "$(basename "$script" .py)" python3 "$script" --bench "$program"
    done
done
wanted editor_keystrokes "$@" && run editor_keystrokes python3 bench/editor_keystrokes.py --treaty "$build/treaty"
if wanted workbench_page "$@"; then
    echo "== workbench_page"
    code=0
    python3 bench/workbench_page.py --treaty "$build/treaty" || code=$?
    [ "$code" -eq 0 ] || [ "$code" -eq 77 ] || exit 1
    ran=$((ran + 1))
fi
[ "$ran" -gt 0 ] || { echo "bench: there is no benchmark of that name" >&2; exit 1; }
