#!/bin/sh
# Fuzzes all targets, or one, for so many seconds each: with libFuzzer where clang has it, else with the driver of the
# project. Fails at the first target that finds something; what it found is in a file that is named.
set -eu
build=$1 wanted=$2 seconds=$3 sanitizers=$4
[ -z "$wanted" ] || [ -e "tests/fuzz/fuzz_$wanted.c" ] || {
    echo "fuzz: no target tests/fuzz/fuzz_$wanted.c" >&2
    exit 2
}
targets=$wanted
[ -n "$wanted" ] || targets=$(for source in tests/fuzz/fuzz_*.c; do basename "$source" .c; done | sed 's/^fuzz_//')
clang=$(command -v clang || command -v clang-14 || true)
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
trap 'exit 130' INT TERM
echo 'int LLVMFuzzerTestOneInput(const char *d, long s); int LLVMFuzzerTestOneInput(const char *d, long s)
    { return d == 0 && s > 0; }' >"$probe/probe.c"
instrumented=$build/libfuzzer

with_libfuzzer() {
    $MAKE BUILD="$instrumented" CC="$clang" CFLAGS='-O1 -g' SANITIZE="$sanitizers -fsanitize=fuzzer-no-link" \
        "$instrumented/libxylem.a" "$instrumented/libxylem-judge.a" "$instrumented/tests/fuzz/libcli.a" \
        "$instrumented/obj/tests/fuzz/fuzz_$1.o"
    "$clang" $sanitizers -fsanitize=fuzzer -o "$instrumented/$1" "$instrumented/obj/tests/fuzz/fuzz_$1.o" \
        "$instrumented/tests/fuzz/libcli.a" "$instrumented/libxylem.a" "$instrumented/libxylem-judge.a" \
        -llmdb -lpcre2-8 -lyajl -lzstd -lcmark-gfm-extensions -lcmark-gfm -lpthread -lm
    # New inputs go into the build directory; those worth keeping are copied to the corpus by hand.
    mkdir -p "$instrumented/found-$1" "tests/fuzz/corpus/$1"
    "$instrumented/$1" -max_total_time="$seconds" -artifact_prefix="$instrumented/$1-" \
        "$instrumented/found-$1" "tests/fuzz/corpus/$1"
}

with_driver() {
    $MAKE BUILD="$build/san" CFLAGS='-O1 -g' SANITIZE="$sanitizers" "$build/san/tests/fuzz/fuzz_$1"
    ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1} \
        "$build/san/tests/fuzz/fuzz_$1" -seconds "$seconds" -save "$build/san/tests/fuzz/$1.crash" \
        "tests/fuzz/corpus/$1"
}

if [ -n "$clang" ] && "$clang" -fsanitize=fuzzer,address -o "$probe/probe" "$probe/probe.c" 2>/dev/null; then
    run=with_libfuzzer
else
    run=with_driver
fi
for target in $targets; do
    echo "== $target, $seconds s"
    $run "$target"
done
