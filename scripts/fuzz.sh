#!/bin/bash
# Runs libFuzzer on every target of fuzz/CMakeLists.txt for a bounded time each.
#
#   scripts/fuzz.sh SECONDS [JOBS]
#
# New inputs are kept in build/fuzz/corpus; one that fails is left in build/fuzz and named at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?how many seconds for each target}
jobs=${2:-$(nproc)}

echo "== building the fuzzers with clang"
cmake -S . -B build/fuzz -G Ninja --log-level=WARNING -Wno-dev -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_CXX_FLAGS='-O1 -g1 -w' -DTREATY_FUZZ=ON -DTREATY_SANITIZE=fuzzer-no-link,address,undefined >/dev/null
targets=()
declare -A corpora
for corpus in fuzz/corpus/* src/formats/*/corpus/*; do
    targets+=("$(basename "$corpus")_fuzz")
    corpora[$(basename "$corpus")]=$corpus
done
ninja -C build/fuzz -j"$jobs" --quiet "${targets[@]}"

for target in "${targets[@]}"; do
    name=${target%_fuzz}
    echo "== fuzzing $name for $seconds s"
    mkdir -p "build/fuzz/corpus/$name"
    log=build/fuzz/$name.log
    if ! "build/fuzz/fuzz/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=16384 \
        -artifact_prefix="build/fuzz/$name-" -print_final_stats=1 "build/fuzz/corpus/$name" "${corpora[$name]}" >"$log" 2>&1; then
        tail -n 40 "$log"
        echo "fuzz: $name failed; the whole report is in $log" >&2
        exit 1
    fi
    grep -E 'number_of_executed_units|new_units_added' "$log"
done
