#!/bin/sh
# Fuzzes one target: with libFuzzer where clang has it, else with the driver of the project.
set -eu
build=$1 target=$2 seconds=$3 sanitizers=$4
corpus=fuzz/corpus/$target
[ -e "fuzz/fuzz_$target.c" ] || {
    echo "fuzz: no target fuzz/fuzz_$target.c" >&2
    exit 2
}
clang=$(command -v clang || command -v clang-14 || true)
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
trap 'exit 130' INT TERM
echo 'int LLVMFuzzerTestOneInput(const char *d, long s); int LLVMFuzzerTestOneInput(const char *d, long s)
    { return d == 0 && s > 0; }' >"$probe/probe.c"
if [ -n "$clang" ] && "$clang" -fsanitize=fuzzer,address -o "$probe/probe" "$probe/probe.c" 2>/dev/null; then
    instrumented=$build/libfuzzer
    $MAKE BUILD="$instrumented" CC="$clang" CFLAGS='-O1 -g' SANITIZE="$sanitizers -fsanitize=fuzzer-no-link" \
        "$instrumented/libxylem.a" "$instrumented/obj/fuzz/fuzz_$target.o"
    "$clang" $sanitizers -fsanitize=fuzzer -o "$instrumented/$target" "$instrumented/obj/fuzz/fuzz_$target.o" \
        "$instrumented/libxylem.a" -llmdb -lmsgpackc -lxxhash -lyajl -lpthread -lm
    # New inputs go into the build directory; those worth keeping are copied to the corpus by hand.
    mkdir -p "$instrumented/found-$target" "$corpus"
    "$instrumented/$target" -max_total_time="$seconds" -artifact_prefix="$instrumented/" \
        "$instrumented/found-$target" "$corpus"
else
    $MAKE BUILD="$build/san" CFLAGS='-O1 -g' SANITIZE="$sanitizers" fuzzers
    "$build/san/fuzz/fuzz_$target" -seconds "$seconds" -save "$build/san/fuzz/$target.crash" "$corpus"
fi
