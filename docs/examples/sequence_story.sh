#!/bin/bash
# The story of a sequence: it is recorded and previewed, runs twice, is killed in the middle of a step of the second
# run, and goes on after a decision. The model is a script that writes what it was asked into a journal.
#
# usage: sequence_story.sh DIRECTORY       an empty directory for the store and the journal
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
export XYLEM_STORE=$PWD/store JOURNAL=$PWD/journal

say() {
    printf '\n# %s\n' "$1"
}

# The model answers by a line of the journal. At the line of which $DIES_AT is the number, the whole host dies.
cat >model <<'END'
#!/bin/sh
echo "$1: $2" >>"$JOURNAL"
[ "$(wc -l <"$JOURNAL")" -ne "${DIES_AT:-0}" ] || kill -9 "$PPID"
END
chmod +x model
cat >commands.json <<'END'
{"schema":1,"compact":false,"expands":false,"commands":[{"name":"note","source":"own"}]}
END
cat >request.json <<END
{"session":"talk","iteration_count":2,"args":["the parser"],"catalogue":$(cat commands.json)}
END

say 'A person records three steps, and looks at them.'
xylem init >/dev/null
xylem append talk --create --kind note >/dev/null
xylem sequence save talk --id story --commands commands.json \
    --step 'Plan work on $1, with "tests"' --step '/note planned' --step 'Do it' >/dev/null
xylem sequence preview talk --commands commands.json

say 'The sequence runs twice. The host is killed while the model works on step 3 of the second run.'
{ DIES_AT=6 "$here/sequence_host.sh" ./model start request.json || true; } 2>/dev/null
run=$(xylem sequence runs --jsonl | sed 's/.*"run_id":"\([^"]*\)".*/\1/')
# The death of the host is seen by the process of xylem, which then ends too.
while xylem lease status "seq.$run" 2>/dev/null | grep -q alive; do sleep 0.1; done
cat journal

say 'The store knows where the run stopped, and that nobody knows whether the step took effect.'
xylem sequence status "$run" --json | sed 's/.*"phase":"\([^"]*\)","iteration":\([0-9]*\),.*"step_index":\([0-9]*\),.*/\1, iteration \2, step_index \3/'

say 'The host refuses to go on by itself.'
"$here/sequence_host.sh" ./model go-on "$run" 2>&1 | sed 's/.*"text":"//; s/\\"/"/g; s/"}}$//' || true

say 'A person looks at the journal, decides, and the run goes on.'
xylem sequence skip "$run" --yes | sed 's/^run [^:]*: //'
"$here/sequence_host.sh" ./model go-on "$run"

say 'What happened, and when (without the times).'
xylem sequence log "$run" | sed 's/^[0-9 :-]\{19\}  //; s/^ *TIME  //'

say 'Each step was asked for once.'
cat journal
