#!/bin/sh
# Measures pi's own SessionManager and xylem on the same sessions. `make bench-pi` builds xylem's side and runs this.
# tools/pi.sh installs pi and the Node that runs it.
# A session is a number of entries, or `N-early`: what is rehydrated lies in its first hundredth.
set -eu
usage="usage: $0 BUILD [--json] [--rounds N] [--sessions 'N N-early ...']"
build=${1:?"$usage"}
shift
rounds=11 sessions='1000 10000 100000 100000-early' form=
while [ $# -gt 0 ]; do
    case $1 in
    --json) form=--json ;;
    --rounds) rounds=${2:?"$usage"} && shift ;;
    --sessions) sessions=${2:?"$usage"} && shift ;;
    *) echo "$usage" >&2 && exit 2 ;;
    esac
    shift
done
program=bench-pi
. tools/pi.sh

# The samples of one side, with the session, the side and the round in front.
keep() {
    sed -n "s/^sample /$name $1 $round /p" "$scratch/$1" >>"$scratch/samples"
}

measure_pi() {
    "$node" "$pi_place/pi.mjs" measure "$file" "$scratch/forks" >"$scratch/pi" || fail "pi's side failed"
    keep pi
}

measure_xylem() {
    "$build/tests/bench/pi/pi" measure "$scratch/store-$name" "$id" >"$scratch/xylem" || fail "xylem's side failed"
    keep xylem
}

# The same session on both sides, which have to find the same state in it.
measure_round() {
    if [ $(($1 % 2)) -eq 0 ]; then
        measure_pi
        measure_xylem
    else
        measure_xylem
        measure_pi
    fi
    state=$(grep '^state ' "$scratch/pi")
    other=$(grep '^state ' "$scratch/xylem")
    [ "$state" = "$other" ] || fail "session $name: pi finds '$state', xylem '$other'"
}

# In turns, so that what else the machine does falls on both sides.
measure_session() {
    name=$1
    echo "bench-pi: session $name" >&2
    file=$("$node" "$pi_place/pi.mjs" generate "$scratch/sessions" "$name") || fail 'pi cannot write a session'
    round=0
    "$build/tests/bench/pi/pi" import "$scratch/store-$name" "$file" >"$scratch/xylem" || fail 'the import failed'
    keep xylem
    id=$(sed -n 's/^session //p' "$scratch/xylem")
    grep -qx "entries ${name%-early}" "$scratch/xylem" || fail "session $name: not so many entries imported"
    sync
    for round in $(seq "$rounds"); do
        measure_round "$round"
    done
    echo "$name $(stat -c %s "$file") $state" >>"$scratch/measured"
    rm -rf "$scratch/store-$name" "$file"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$installing"' EXIT
trap 'exit 130' INT TERM
install_pi
cp tests/bench/pi/package.json tests/bench/pi/*.mjs "$pi_place/"
find_node
for session in $sessions; do
    measure_session "$session"
done
file_system=$(df --output=fstype "$scratch" | tail -n 1)
"$node" "$pi_place/report.mjs" "$scratch/samples" "$scratch/measured" "$rounds" "$file_system" $form
