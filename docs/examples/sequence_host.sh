#!/bin/bash
# A host in a shell: plays the run of a sequence through `xylem sequence drive`, with a script in place of a model.
#
# usage: sequence_host.sh MODEL start REQUEST       a new run; REQUEST is the file for `drive start`
#        sequence_host.sh MODEL go-on RUN           a paused run goes on
#
# MODEL is called with the kind of the step and its text, and is a program that ends when the model has answered. The
# host makes no sessions of its own: a session is a name, and MODEL writes wherever MODEL writes.
set -u
model=$1

case $2 in
start) set -- start --file "$3" ;;
go-on) set -- "$3" ;;
*) echo "sequence_host.sh: start or go-on, not '$2'" >&2 && exit 2 ;;
esac
# The commands that this host has: a catalogue tells xylem, which decides what a step means.
catalogue='{"schema":1,"compact":false,"expands":false,"commands":[{"name":"note","source":"own"}]}'

# xylem may end at once, and then bash forgets the process: xylem waits for a line until the shell has noted both ends.
coproc XYLEM { read -r && exec xylem sequence drive "$@"; }
trap : PIPE # xylem may end before a request, and tells why
answer=
pid=$XYLEM_PID from=${XYLEM[0]} to=${XYLEM[1]}
echo >&"$to"

# ask LINE: sends a line, and reads the one answer to it.
ask() {
    printf '%s\n' "$1" >&"$to" && IFS= read -r answer <&"$from"
}

# member NAME: a word or a number of the answer, which has no quote in it.
member() {
    printf '%s' "$answer" | sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"
}

# The text of a step is the last member of its answer. What JSON escapes, printf %b knows, but for the quote.
text() {
    printf '%b' "$(printf '%s' "$answer" | sed 's/.*"text":"\(.*\)"}$/\1/; s/\\"/\\0042/g; s/\\\//\//g')"
}

while ask "{\"next\":true,\"catalogue\":$catalogue}"; do
    case $answer in
    *'"action":"execute"'*)
        kind=$(member kind) text=$(text)
        ask "{\"claim\":\"$(printf '%s' "$text" | sha256sum | cut -c 1-16)\"}" || break
        case $answer in *'"error"'*) break ;; esac # nothing is to be executed
        if "$model" "$kind" "$text"; then
            ask '{"done":{"entry":null}}'
        else
            ask '{"failed":{"code":"turn-error","message":"the model gave up"}}'
        fi
        ;;
    *'"action":"new-session"'*) ask "{\"session\":\"shell-$(member iteration)\"}" ;;
    *) break ;; # the end of the run, or an error
    esac
    case $answer in *'"error"'*) break ;; esac
done
case $answer in
*'"error"'*) echo "sequence_host.sh: $answer" >&2 ;;
*'"action":"finished"'*) echo "the run is over: $(member outcome)" ;;
esac
exec {to}>&- # the end of input: what is not over is paused
wait "$pid"
