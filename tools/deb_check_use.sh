#!/bin/sh
# What the packages must be able to do wherever they are: tools/deb_check.sh runs this, on the unpacked packages or in a
# system that has them installed. In the directory given lie session.jsonl and program.c; the store becomes one in the
# home directory, where a person's lies. Each command is shown.
set -eu
cd "$1"
id=$2

run() {
    echo "\$ $*" >&2
    "$@"
}

run xylem version
run xylem init
run xylem import session.jsonl
run xylem state "$id"
run xylem verify
xylem export "$id" >exported.jsonl
run cmp session.jsonl exported.jsonl
# shellcheck disable=SC2046 # words, not a string
run cc -o shared program.c $(pkg-config --cflags --libs xylem)
# The library itself statically, what it uses as it is installed.
# shellcheck disable=SC2046
run cc -o static program.c $(pkg-config --static --cflags --libs xylem | sed 's/-lxylem/-l:libxylem.a/')
store=${XDG_DATA_HOME:-$HOME/.local/share}/xylem
xylem state "$id" --json >expected.json
for program in ./shared ./static; do
    run "$program" "$store" "$id" >found.json
    run cmp expected.json found.json
done
