#!/bin/sh
# Writes the tables and the charts of docs/performance.md. tests/bench/page has their texts, and names the figures: those
# of one run of the benches, and those of the gate of instructions.
#
#     tools/bench_page.sh DIR            prints the tables, with the figures of `make bench BENCH_JSON=DIR`
#     tools/bench_page.sh DIR --write    writes them into the page, and the charts into docs/charts/
#     tools/bench_page.sh --write        writes the table of instructions alone
#     tools/bench_page.sh --check        compares that table with tests/bench/count/counts
set -eu
page=docs/performance.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
directory=
[ ! -d "${1:-}" ] || { directory=$1 && shift; }
case ${directory:+DIR}:${1:-} in
DIR: | DIR:--write | :--write | :--check) ;;
*)
    echo 'usage: tools/bench_page.sh [DIR] [--write|--check]' >&2
    exit 2
    ;;
esac

# A document after the other, each with a figure a line.
cat /dev/null ${directory:+"$directory"/*.json} >"$work/figures"
LC_ALL=C awk -v work="$work" -v all="${directory:+1}" -f tools/bench_page.awk "$work/figures" tests/bench/count/counts tests/bench/page
if [ -z "${1:-}" ]; then
    cat "$work"/*.md
    exit 0
fi
[ ! -s "$work/missing" ] || {
    sed 's/^/bench_page: not measured: /' "$work/missing" >&2
    exit 1
}
awk -v work="$work" '
    /^<!-- end -->$/ { inside = 0 }
    !inside { print }
    /^<!-- table: .* -->$/ {
        file = work "/" $3 ".md"
        while ((getline line < file) > 0) {
            print line
            inside = 1
        }
    }' "$page" >"$work/page"
if [ "$1" = --check ]; then
    cmp -s "$page" "$work/page" || {
        echo "bench_page: $page and tests/bench/count/counts differ: tools/bench_page.sh --write" >&2
        diff "$page" "$work/page" >&2 || exit 1
    }
    exit 0
fi
cp "$work/page" "$page"
[ -z "$directory" ] || cp "$work"/*.svg docs/charts/
