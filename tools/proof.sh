#!/bin/sh
# The same faults for every way to keep a session: runs tests/bench/faults for each peer, two at a time, checks the drivers
# by the peers' own tools and by plain scans, and fails if a control found nothing. `make proof` builds and runs this.
# Without npm or its registry the rows of the real pi say so.
#
#     tools/proof.sh BUILD            prints the tables
#     tools/proof.sh BUILD --write    writes them into docs/proof.md, and docs/charts/proof.svg
#
# FAULTS_SEED gives other faults, FAULTS_SCALE the size in thousandths.
set -eu
build=${1:?"usage: $0 BUILD [--write]"}
write=${2:-}
export FAULTS_SEED="${FAULTS_SEED:-1}" FAULTS_SCALE="${FAULTS_SCALE:-1000}"
program=proof
. tools/pi.sh
faults=$build/tests/bench/faults/faults
work=$build/proof
scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$installing"' EXIT
trap 'exit 130' INT TERM
export TMPDIR="$scratch"
rm -rf "$work"
mkdir -p "$work"
begin=$(date +%s)

# In a shell of its own, as what installs pi ends the shell where npm is missing.
why=
if (install_pi) 2>"$scratch/why"; then
    cp tests/bench/faults/pi.mjs "$pi_place/"
    find_node
    FAULTS_PI="$(realpath "$node") $(realpath "$pi_place")/pi.mjs"
    export FAULTS_PI
else
    why=$(tail -n 1 "$scratch/why")
    echo "proof: the real pi is not run: $why" >&2
fi

# Every text of an undamaged store, as a scan finds them without the driver.
text='w[0-9]+ s[0-9]+ n[0-9]+ p[0-9]+ [a-z]+ [0-9a-f]{16}'
scan() {
    case $1 in
    sqlite-*) sqlite3 "$2/sessions.db" .dump ;;
    xylem-*) XYLEM_STORE=$2 "$build/xylem" export --all "$scratch/out" >/dev/null && find "$scratch/out" -name '*.jsonl' -exec cat {} + ;;
    *) cat "$2"/*.jsonl ;;
    esac | grep -oE "$text" | LC_ALL=C sort
}

# shellcheck disable=SC2016 # words of a page, in its backticks
own_check() {
    case $1 in
    sqlite-*) [ "$(sqlite3 "$2/sessions.db" 'PRAGMA integrity_check')" = ok ] && echo 'its `PRAGMA integrity_check` says ok' ;;
    xylem-*) XYLEM_STORE=$2 "$build/xylem" verify >/dev/null && echo '`xylem verify` finds nothing' ;;
    *) if [ -z "$why" ]; then
        "$faults" pi count "$2" | cmp -s - "$scratch/ids" && echo "pi's own loader gives as many, in one order"
    else
        echo "pi's own loader is not run here"
    fi ;;
    esac
}

check_driver() {
    rm -rf "$scratch/store" "$scratch/out"
    "$faults" "$1" store "$scratch/store" | LC_ALL=C sort >"$scratch/read" || fail "$1: no undamaged store"
    scan "$1" "$scratch/store" >"$scratch/scanned"
    cmp -s "$scratch/read" "$scratch/scanned" || fail "$1: the driver and the plain scan of its store differ"
    "$faults" "$1" count "$scratch/store" >"$scratch/ids"
    says=$(own_check "$1" "$scratch/store") || fail "$1: its own check does not agree"
    printf 'check\t%s\t%s\t%s\n' "$1" "$(wc -l <"$scratch/read")" "$says"
}

peers=$(sed -n '/^#/!s/ |.*//p' tests/bench/faults/peers)
[ -z "$why" ] || peers=$(echo "$peers" | grep -vx pi)
for peer in $peers; do
    check_driver "$peer"
done >"$work/checks"

# shellcheck disable=SC2016 # the parameters of the inner shell
echo "$peers" | nice xargs -P 2 -I '{}' sh -c 'begin=$(date +%s) &&
    "$1" "$2" kill power full calls bit tail two size >"$3/$2.rows" && echo "proof: $2: $(($(date +%s) - begin)) s" >&2' \
    - "$faults" '{}' "$work"

pi_version=$(sed -n 's/.*"version": "\(.*\)",*/\1/p' "$pi_place/node_modules/$pi_package/package.json" 2>/dev/null | head -n 1)
cat >"$work/run" <<END
run	seed	$FAULTS_SEED
run	scale	$FAULTS_SCALE
run	why	$why
run	seconds	$(($(date +%s) - begin))
run	versions	xylem $("$build/xylem" version | sed -n '1s/^xylem //p'), commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown); SQLite $(sqlite3 --version | cut -d ' ' -f 1)$(dpkg-query -W -f ' (Debian ${Version})' libsqlite3-0 2>/dev/null || true); LMDB $(sed -n 's/^#define MDB_VERSION_\(MAJOR\|MINOR\|PATCH\)[[:space:]]*//p' /usr/include/lmdb.h | tr '\n' '.' | sed 's/\.$//'); pi ${pi_version:-missing}, $("${node:-node}" --version 2>/dev/null | sed 's/^v/Node /' || true)
run	machine	$(sed -n '/^model name[^:]*: /{s///p;q;}' /proc/cpuinfo), $(nproc) cores; Linux $(uname -r); $(df --output=fstype "$scratch" | tail -n 1)
END
LC_ALL=C sort -t "$(printf '\t')" -k 1,3 -k 11,11n "$work"/*.rows >"$work/trials"
LC_ALL=C awk -v work="$work" -f tools/proof.awk FS=' [|] ' tests/bench/faults/peers FS='\t' "$work/run" "$work/checks" "$work/trials"
[ ! -s "$work/missing" ] || {
    sed 's/^/proof: /' "$work/missing" >&2
    exit 1
}
[ -n "$write" ] || {
    cat "$work"/*.md
    exit 0
}
awk -v work="$work" '
    /^<!-- end -->$/ { inside = 0 }
    !inside { print }
    /^<!-- table: .* -->$/ {
        file = work "/" $3 ".md"
        while ((getline line < file) > 0)
            print line
        inside = 1
    }' docs/proof.md >"$work/page"
cp "$work/page" docs/proof.md
cp "$work/proof.svg" docs/charts/
