#!/bin/sh
# The gate of instructions: counts the instructions of the operations of tests/bench/count/count.c with callgrind, and
# compares the counts with the line of this toolchain in tests/bench/count/counts. An operation that takes over 3 % more
# is refused, and so is a page docs/performance.md with other counts than the first line. Without a line the gate is
# skipped by name; on Debian 12 for amd64 a missing line fails.
#
#     tools/count.sh BUILD            compares, and shows with a control that 5 % more would be refused
#     tools/count.sh BUILD --write    writes the line of this toolchain, for a commit that says why
set -eu

build=$1
counts=tests/bench/count/counts
cc=${CC:-cc}
allowed=3 # percent
flags='-O3 -g -flto=auto -ffat-lto-objects' # of the command: CFLAGS and LTO of the Makefile
[ "${CFLAGS:-$flags}" = "$flags" ] || {
    echo "count: skipped: the counts are those of '$flags', not of '$CFLAGS'"
    exit 0
}
[ "${2:-}" = --write ] || tools/bench_page.sh --check
command -v valgrind >/dev/null 2>&1 || {
    echo 'count: valgrind is missing, and counts the instructions: make deps' >&2
    exit 1
}
lmdb=$(printf '#include <lmdb.h>\nMDB_VERSION_MAJOR MDB_VERSION_MINOR MDB_VERSION_PATCH\n' | $cc -E -P - | tr '\n' ' ' |
    awk '{ print $(NF - 2) "." $(NF - 1) "." $NF }')
compiler=$(echo __clang__ __GNUC__ | $cc -E -P - | awk '{ print $1 == "__clang__" ? "gcc" : "clang" }')
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null || echo another C library)
toolchain="$compiler-$($cc -dumpfullversion -dumpversion) $(echo "$libc" | tr ' ' -) lmdb-$lmdb $(uname -m)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# count [DEARER]: prints `operation instructions` for each operation, of one round. The C library chooses functions by
# the processor; the tunables leave what every processor has.
count() {
    cp -r "$work/sound" "$work/store"
    GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-AVX512F,-AVX512VL,-ERMS,-FSRM,-BMI2,-MOVBE,-SSE4_2 \
        valgrind --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect='count_*' \
        "$build/tests/bench/count/count" run "$work/store" "$@" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        return 1
    }
    rm -rf "$work/store"
    callgrind_annotate --inclusive=yes --threshold=100 --auto=no --show-percs=no "$work/out" | tr -d ',' |
        sed -n 's/^ *\([0-9]*\) .*:count_\([a-z0-9_]*\) .*/\2 \1/p' | awk '{ print $1, int($2 / 20) }' | sort
}

# compare OLD NEW: prints what differs by more than is allowed; false if an operation is dearer, or missing.
compare() {
    awk -v allowed="$allowed" '
        NR == FNR { old[$1] = $2; next }
        { new[$1] = $2 }
        END {
            for (name in old) {
                change = name in new ? 100 * new[name] / old[name] - 100 : 0
                if (!(name in new) || change > allowed) {
                    printf "count: %s takes %d instructions, %.1f %% more than %d\n", name, new[name], change, old[name]
                    bad = 1
                } else if (change < -allowed) {
                    printf "count: %s takes %d instructions, %.1f %% less than %d: write the counts anew\n",
                        name, new[name], -change, old[name]
                }
            }
            exit bad
        }' "$1" "$2"
}

"$build/tests/bench/count/count" prepare "$(mkdir "$work/sound" && echo "$work/sound")"
count >"$work/new"
[ "$(wc -l <"$work/new")" -eq 16 ] || {
    echo 'count: callgrind did not tell sixteen operations apart:' >&2
    cat "$work/new" >&2
    exit 1
}
if [ "${2:-}" = --write ]; then
    { grep -v "^$toolchain:" "$counts" 2>/dev/null || true; } >"$work/counts"
    echo "$toolchain:$(awk '{ printf " %s=%d", $1, $2 }' "$work/new")" >>"$work/counts"
    cp "$work/counts" "$counts"
    tools/bench_page.sh --write
    echo "count: wrote the line of $toolchain"
    exit 0
fi
count append_made >"$work/dearer"
if compare "$work/new" "$work/dearer" >"$work/refused" || ! grep -q 'append_made' "$work/refused" ||
    [ "$(grep -c ' more than ' "$work/refused")" -ne 1 ]; then
    echo 'count: the control failed: append_made with 5 % more is not all that is refused' >&2
    cat "$work/refused" >&2
    exit 1
fi
sed -n "s/^$toolchain://p" "$counts" 2>/dev/null | tr ' ' '\n' | sed -n 's/=/ /p' >"$work/old"
if [ ! -s "$work/old" ]; then
    echo "count: skipped: $counts has no line of $toolchain"
    if [ "$(uname -m)" = x86_64 ] && grep -q '^ID=debian' /etc/os-release && grep -q '^VERSION_ID="12"' /etc/os-release; then
        echo 'count: this is Debian 12 for amd64, whose line must be there: make counts-write' >&2
        exit 1
    fi
    exit 0
fi
compare "$work/old" "$work/new" || {
    echo "count: if that is meant, write the counts anew (make counts-write), and say why in the commit" >&2
    exit 1
}
echo "count: 16 operations within $allowed % of $counts, and the control was refused"
