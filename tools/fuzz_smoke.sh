#!/bin/sh
# Runs every fuzz target of a build for a moment: its corpus, then mutations. The seed is printed, so that a failure can
# be had again. FUZZ_SECONDS and FUZZ_RUNS set how long (0: no bound), FUZZ_SEED where chance begins.
set -eu
build=${1:-build/san}
seconds=${FUZZ_SECONDS:-5}
runs=${FUZZ_RUNS:-20000}
count=0
for source in tests/fuzz/fuzz_*.c; do
    [ -e "$source" ] || break
    name=$(basename "$source" .c)
    corpus=tests/fuzz/corpus/${name#fuzz_}
    set -- -seconds "$seconds" -runs "$runs" -save "$build/tests/fuzz/$name.crash"
    [ -z "${FUZZ_SEED:-}" ] || set -- "$@" -seed "$FUZZ_SEED"
    [ ! -d "$corpus" ] || set -- "$@" "$corpus"
    UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=allocator_may_return_null=1 "$build/tests/fuzz/$name" "$@" || {
        echo "fuzz: $name failed" >&2
        exit 1
    }
    count=$((count + 1))
done
echo "fuzz: $count targets, no crash"
