#!/bin/sh
# Tries `make static`: linked without a word, at most 8 MB, no library, and at work in a root that has nothing but the
# command, a session file and a directory to write into. The root needs root or bubblewrap.
# usage: tools/static_check.sh BUILD [PROGRAM]: another program than BUILD/static/xylem, which is then not linked.
set -eu
build=${1:?"usage: $0 BUILD [PROGRAM]"}
program=${2:-}
session=01a1f9f7-22cb-72e7-96e0-96825857127f
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT TERM

fail() {
    echo "static: $*" >&2
    exit 1
}

if [ -z "$program" ]; then
    program=$build/static/xylem
    rm -f "$program"
    env -u MAKEFLAGS -u MAKELEVEL make -s BUILD="$build" ${CC:+CC="$CC"} static >"$root/log" 2>&1 ||
        { cat "$root/log" >&2; fail 'make static failed'; }
    grep -v '^  \(compile\|archive\|link\) ' "$root/log" >"$root/said" && fail "make static says: $(cat "$root/said")"
    rm -f "$root/log" "$root/said"
fi
bytes=$(wc -c <"$program")
[ "$bytes" -le 8000000 ] || fail "$program has $bytes bytes: 8,000,000 are the limit"
! readelf -lW "$program" | grep -q INTERP || fail "$program wants a loader"
! readelf -d "$program" | grep NEEDED || fail "$program loads libraries"

mkdir "$root/home" # the only directory, and the file beside is the only program
cp "$program" "$root/xylem"
cp fixtures/sessions/pi-0.87.1/rpc-scenario/*"$session.jsonl" "$root/session.jsonl"
PATH=$PATH:/usr/sbin:/sbin
if [ "$(id -u)" -eq 0 ]; then
    enter="$(command -v chroot) $root"
elif bwrap --bind "$root" / /xylem version >/dev/null 2>&1; then
    enter="$(command -v bwrap) --bind $root /"
else
    echo "static: $program has $bytes bytes; an empty root needs root or bubblewrap: not tried"
    exit 0
fi
in_root() {
    # shellcheck disable=SC2086 # words, not a string
    env -i HOME=/home $enter /xylem "$@"
}

# expect <exit code> <pattern> <argument...>
expect() {
    wanted=$1 pattern=$2 code=0
    shift 2
    in_root "$@" >"$root/home/out" 2>&1 || code=$?
    if [ "$code" -ne "$wanted" ] || ! grep -q "$pattern" "$root/home/out"; then
        cat "$root/home/out" >&2
        fail "in an empty root 'xylem $*' ends with $code instead of $wanted, or says no '$pattern'"
    fi
}
expect 0 '1 new' import /session.jsonl
expect 0 'scenario' log "$session"
expect 0 'no problems' verify
expect 0 '' export "$session"
cmp -s "$root/home/out" "$root/session.jsonl" || fail 'in an empty root the export is another file'
expect 0 allow judge --policy readonly 'git status'
expect 1 deny judge --policy readonly 'rm x'
echo "static: $program has $bytes bytes, needs no library, and works in an empty root"
