#!/bin/sh
# Measures pi's own SessionManager and xylem on the same sessions. `make bench-pi` builds xylem's side and runs this.
# pi and the Node that runs it come from the npm registry into <build>/bench/pi, as bench/pi/package-lock.json pins them
# and all that they need. A new pi: `npm install --package-lock-only --omit-lockfile-registry-resolved` in bench/pi.
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
place=$build/bench/pi

fail() {
    echo "bench-pi: $1" >&2
    exit 1
}

# Installs aside and renames, so that what is there is whole. The copy of the lock says what it was installed from.
install_pi() {
    ! cmp -s bench/pi/package-lock.json "$place/node_modules/.installed.json" || return 0
    command -v npm >/dev/null || fail 'npm is missing: it installs pi, and needs Node'
    echo 'bench-pi: npm installs pi' >&2
    mkdir -p "$installing"
    cp bench/pi/package.json bench/pi/package-lock.json "$installing/"
    npm ci --prefix "$installing" --ignore-scripts --no-audit --no-fund --loglevel=error \
        >"$scratch/npm" 2>&1 || fail "npm cannot install pi: $(sed -n '/^npm error /{s///p;q;}' "$scratch/npm")"
    cp bench/pi/package-lock.json "$installing/node_modules/.installed.json"
    rm -rf "$place/node_modules"
    mv "$installing/node_modules" "$place/"
}

# The Node that is pinned. Where npm has none for this machine, its own has to do, if pi loads in it.
find_node() {
    new_enough='const [major, minor] = process.versions.node.split(".").map(Number)
        process.exit(major > 22 || (major === 22 && minor >= 19) ? 0 : 1)'
    for node in "$place"/node_modules/node-linux-*/bin/node "$(command -v node || true)"; do
        [ ! -x "$node" ] || ! "$node" -e "$new_enough" || return 0
    done
    fail 'pi needs Node 22.19 or newer'
}

# The samples of one side, with the session, the side and the round in front.
keep() {
    sed -n "s/^sample /$name $1 $round /p" "$scratch/$1" >>"$scratch/samples"
}

measure_pi() {
    "$node" "$place/pi.mjs" measure "$file" "$scratch/forks" >"$scratch/pi" || fail "pi's side failed"
    keep pi
}

measure_xylem() {
    "$place/pi" measure "$scratch/store-$name" "$id" >"$scratch/xylem" || fail "xylem's side failed"
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
    file=$("$node" "$place/pi.mjs" generate "$scratch/sessions" "$name") || fail 'pi cannot write a session'
    round=0
    "$place/pi" import "$scratch/store-$name" "$file" >"$scratch/xylem" || fail 'the import failed'
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
installing=$place/installing
trap 'rm -rf "$scratch" "$installing"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$place"
install_pi
cp bench/pi/package.json bench/pi/*.mjs "$place/"
find_node
for session in $sessions; do
    measure_session "$session"
done
file_system=$(df --output=fstype "$scratch" | tail -n 1)
"$node" "$place/report.mjs" "$scratch/samples" "$scratch/measured" "$rounds" "$file_system" $form
