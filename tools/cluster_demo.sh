#!/bin/bash
# Sessions that outlive their machine: three nodes of PostgreSQL under a temporary directory, two stores as two hosts. A host
# dies, another goes on; a primary dies, a standby steps in; a text is redacted everywhere. `make cluster-demo` calls it.
set -eu
cd "$(dirname "$0")/.."
began=$(date +%s)
. tests/fleet/servers/nodes.sh
. tests/fleet/servers/hosts.sh

bold='' plain=''
[ ! -t 1 ] || bold=$'\033[1m' plain=$'\033[0m'

heading() {
    printf '\n%s== %s%s\n' "$bold" "$1" "$plain"
}

note() {
    printf '   %s\n' "$1"
}

# Shows a command as a person on that host types it, then what it prints; fails unless it ends with the code before.
shown() {
    local wanted=$1 host=$2 status=0 word
    shift 2
    printf '\n%s$' "$host"
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_.,:/=@~-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    echo
    if [ "$host" = operator ]; then
        operator "${@:3}" >"$nodes/out" 2>&1 || status=$?
    elif [ "$2" = fleet ]; then
        on "$host" xylem-fleet "${@:3}" >"$nodes/out" 2>&1 || status=$?
    else
        on "$host" "$@" >"$nodes/out" 2>&1 || status=$?
    fi
    sed "s|$nodes/hosts/\([ab]\)/store|~\1|g; s|^|  |" "$nodes/out"
    [ "$status" = "$wanted" ] || say_and_die "$host: $*: ended with $status, expected $wanted"
}

append() {
    shown 0 "$1" xylem append parser --kind "$2" --id "$3" --data "$4"
}

message() {
    append "$1" message "$2" "{\"role\":\"$3\",\"content\":\"$4\"}"
}

# The files of a stopped node outside of pg_wal that hold a text, also inside of compressed segments.
search() {
    find "$nodes/$1" -type f ! -path '*/pg_wal/*' -print0 | xargs -0 "$build/tests/fleet/servers/expand" "$2" || true
}

secret=sk-live-3f9a27c1d8e64b05

heading 'Three nodes of PostgreSQL, two hosts'
nodes_begin
nodes_up
for host in a b; do host_add $host; done
note "nodes n1 (primary), n2, n3 on the loopback, TLS by a CA of their own, $nodes_list"
shown 0 operator xylem fleet init

heading 'Host a works, and ships'
shown 0 a xylem append parser --create --kind message --id m1 --data '{"role":"user","content":"port the parser"}'
append a custom:todo t1 '{"lastId":2,"items":[{"id":1,"text":"read the old one","done":true},{"id":2,"text":"port the lexer","done":false}]}'
append a custom:readonly r1 '{"enabled":true}'
message a m2 user "mind the comments"
shown 0 a xylem fleet ship --all
shown 0 a xylem fleet status

heading 'Host a dies: its last entry is on its disk alone'
on_exec=exec on a xylem-fleet ship --all --follow >"$nodes/follow.log" 2>&1 &
shipper=$!
message a m3 assistant 'the lexer is ported'
for _ in $(seq 100); do
    ! grep -q acknowledged "$nodes/follow.log" || break
    sleep 0.05
done
kill -KILL $shipper
wait $shipper 2>/dev/null || true
note 'kill -KILL of its shipper; then a writes once more, and loses its power'
message a m4 assistant 'and the last thing that a did'

heading 'Host b sees it, and goes on'
shown 0 b xylem fleet sessions
shown 4 b xylem fleet resume parser
note 'a was heard from a moment ago, so b must say that it means it'
shown 0 b xylem fleet resume parser --force
shown 0 b xylem state parser
message b m5 assistant 'b goes on with the parser'
shown 0 b xylem fleet ship --all

heading 'Host a comes back, and is told'
shown 0 a xylem fleet ship --all
shown 0 a xylem fleet pull parser
shown 0 a xylem sessions
note 'a follows b now; what only a had is a session of its own'
shown 4 a xylem append parser --kind message --data '{"role":"user","content":"a writes where b owns"}'

heading 'The primary and a standby are lost: nobody is promoted'
node_kill n1
node_stop n3
note 'kill -KILL of every process of n1; n3 is stopped'
shown 4 operator xylem fleet promote
note 'n3 may have what n2 lacks, so the command waits for n3'

heading 'n3 is back: the farther standby is promoted'
node_start n3
shown 0 operator xylem fleet promote
message b m6 user "the key is $secret"
shown 0 b xylem fleet ship --all
node_start n1
note 'the old primary starts again: it takes writes, and can acknowledge none; the fleet knows it by its timeline'
shown 0 b xylem fleet status
primary=$([ "$(sql n2 'SELECT pg_is_in_recovery()')" = f ] && echo n2 || echo n3)
node_backup n1 $primary
note "n1 returns by a new base backup of $primary"

heading 'Both hosts have the same session'
shown 0 a xylem fleet pull parser
for host in a b; do on $host xylem export parser -o "$nodes/$host.jsonl"; done
cmp "$nodes/a.jsonl" "$nodes/b.jsonl" && note "the exports are equal: $(wc -l <"$nodes/a.jsonl") lines, $(md5sum <"$nodes/a.jsonl" | cut -c 1-12)"

heading 'A redaction reaches every node'
node_stop n1
note "before, in the files of the stopped n1: $(search n1 "$secret" | wc -l) file(s) hold the text of m6"
[ "$(search n1 "$secret" | wc -l)" -gt 0 ] || say_and_die 'the control did not find the text'
node_start n1
shown 0 b xylem redact parser:m6 --reason 'a key' --yes
shown 0 b xylem fleet ship --all
shown 0 operator xylem fleet redact --finish
shown 0 a xylem fleet pull parser
shown 0 a xylem show parser:m6
for n in n1 n2 n3; do node_stop $n; done
for n in n1 n2 n3; do
    [ "$(search $n "$secret" | wc -l)" = 0 ] || say_and_die "$n still holds the text: $(search $n "$secret")"
    note "$n is stopped; outside of pg_wal no file holds the text, compressed or not"
done
nodes_end
trap - EXIT
printf '\nEverything is stopped and removed; %s seconds.\n' $(($(date +%s) - began))
