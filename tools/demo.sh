#!/bin/sh
# The main job on real input: imports the session files of fixtures/, shows a tree, forks and clones a session, and shows
# the state that comes back, and why. `make demo` calls it. The store is temporary.
set -eu
XYLEM_BIN=${XYLEM_BIN:-build/xylem}
case $XYLEM_BIN in /*) ;; *) XYLEM_BIN=$PWD/$XYLEM_BIN ;; esac
[ -x "$XYLEM_BIN" ] || {
    echo "demo: $XYLEM_BIN is missing: run make first" >&2
    exit 1
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
XYLEM_STORE=$scratch/store
export XYLEM_STORE
: "${COLUMNS:=110}" "${LC_ALL:=C.UTF-8}"
export COLUMNS LC_ALL
color=never
[ ! -t 1 ] || [ -n "${NO_COLOR:-}" ] || color=always

# Finds the command by the name that the shown lines use.
xylem() {
    "$XYLEM_BIN" --no-pager --color $color "$@"
}

heading() {
    printf '\n== %s\n' "$1"
}

lines_max=40

# Shows a command, then what it prints, at most $lines_max lines of it.
show() {
    printf '\n$ xylem'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_.,:/=@~-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    echo
    xylem "$@" >"$scratch/out" 2>&1 || status=$?
    lines=$(wc -l <"$scratch/out")
    if [ "$lines" -gt "$lines_max" ]; then
        head -n "$lines_max" "$scratch/out"
        echo "... $((lines - $lines_max)) more lines"
    else
        cat "$scratch/out"
    fi
}

# What must end well.
must() {
    status=0
    show "$@"
    [ "$status" -eq 0 ] || {
        echo "demo: xylem $1 ended with $status" >&2
        exit 1
    }
}

session=01a1f9f7-22cb-72e7-96e0-96825857127f

heading 'A store, and the session files that the pi coding agent wrote'
must init
printf '\n$ xylem import --quiet fixtures/sessions\n'
status=0
xylem import --quiet fixtures/sessions >"$scratch/out" 2>"$scratch/problems" || status=$?
cat "$scratch/out"
[ "$status" -le 1 ] || {
    cat "$scratch/problems" >&2
    exit 1
}
echo '(some of these files are damaged; what is reported of them, among others:)'
grep damaged- "$scratch/problems" | sed 's|fixtures/.*/||'
lines_max=6
must sessions
lines_max=40

heading 'One session as a tree: it branches after its first answer'
must tree 01a1f9f7-22cb

heading 'The state that comes back at its leaf, and why'
must state 01a1f9f7-22cb --explain

heading 'Fork it at the toggle that decided, and clone it: nothing is copied'
must fork 01a1f9f7-22cb:3dc585ab --id demo-fork
must clone 01a1f9f7-22cb --id demo-clone
must append demo-fork --kind custom:readonly --data '{"enabled":false}' --id 0ffd2bc1
must log demo-fork -n 4

heading 'The same question to fork and clone'
for one in demo-fork demo-clone; do
    must state $one
done

heading 'Every byte is checked; and back out it comes'
must verify
printf '\n$ xylem export 01a1f9f7-22cb | cmp - fixtures/sessions/pi-0.87.1/rpc-scenario/*%s.jsonl && echo equal\n' \
    "$session"
xylem export $session >"$scratch/exported"
cmp "$scratch/exported" fixtures/sessions/pi-0.87.1/rpc-scenario/*$session.jsonl && echo equal
must stat
