#!/bin/sh
# Makes the golden store, fixtures/store-NUMBER: a small store of the present format with everything that a store can
# hold, and what `xylem export --all` writes of it. tests/lib/golden.c makes what no command makes. A later format
# refuses the store, and reads the export. A store that is there is not made again.
# usage: kept_store.sh BUILD
set -eu
build=$(cd "${1:-build}" && pwd)
xylem=$build/xylem
sessions=$PWD/fixtures/sessions/pi-0.87.1
number=$(sed -n 's/^#define XYLEM_FORMAT__FORMAT_VERSION \([0-9]*\)u.*/\1/p' store/format/format.h)
kept=$PWD/fixtures/store-$number
[ ! -e "$kept" ] || {
    echo "kept_store: $kept is there" >&2
    exit 1
}
root=/tmp/kept-store # the store keeps the paths of imported files
mkdir "$root"
XYLEM_GOLDEN=$root/store "$build/tests/public/test_kept" >"$root/tests" 2>&1 || true # the kept store is missing
trap 'rm -rf "$root"' EXIT
mkdir "$root/files"
cd "$root"
cp "$sessions"/rpc-scenario/*22cb*.jsonl files/scenario.jsonl
cp "$sessions"/rpc-scenario/*23f3*.jsonl files/clone.jsonl
cp "$sessions"/specials/damaged-orphan-and-duplicate.jsonl files/damaged.jsonl
cp "$sessions"/specials/fork-with-labels.jsonl files/labels.jsonl
printf 'torn: \377\n' >>files/damaged.jsonl
export XYLEM_STORE="$root/store" TZ=UTC LC_ALL=C.UTF-8

x() {
    "$xylem" "$@" >"$root/said"
}

x import -q files || [ $? -eq 1 ] # the damaged file
a=01a1f9f7-22cb
x append notes --create --kind custom:readonly --id on --data '{"enabled":true}'
x append notes --kind custom:todo --id todo --data '{"items":[{"id":1,"text":"one","done":true}],"nextId":2}'
x append notes --kind note --id other --parent on --data '"text"'
x append notes --kind note --id empty
x navigate notes:on --reason 'back to the toggle'
x navigate notes:none --reason 'before all'
x navigate notes:todo
x rename notes 'the notes'
x label notes:on first
x append 'an id / with %, ü and ..' --create --kind message --id m --data '{"role":"user","content":"hello"}'
x fork notes:on --id fork-of-notes
x append fork-of-notes --kind note --id of-the-fork --data '{"n":1.5}'
x append origin --create --kind note --id shared --data '{"left":"by a freed source"}'
x append origin --kind note --id freed --data '{"gone":true}'
x fork origin:shared --id keeps-the-shared
x delete origin --yes
x gc --yes
x append secret --create --kind note --id secret --data '{"key":"a secret"}'
x redact secret:secret --reason 'a key' --yes || [ $? -eq 4 ]
x clone $a --id deleted-clone
x delete deleted-clone --yes
x sequence save notes --step look --step write --id the-sequence
printf '{"session":"notes","catalogue":{"schema":1,"commands":[]},"sequence_id":"q","steps":["look","write"]}' >start.json
printf '{"next":true}\n{"claim":"0123456789abcdef"}\n{"stop":"enough"}\n' | "$xylem" sequence drive start --file start.json >"$root/said" || true
x verify
x compact --yes
x export --all export
mkdir "$kept"
mv export store/data.mdb "$kept"
chmod 644 "$kept/data.mdb" "$kept"/export/*
echo "kept_store: $kept: $(wc -c <"$kept/data.mdb") bytes, $(find "$kept/export" -type f | wc -l) files"
