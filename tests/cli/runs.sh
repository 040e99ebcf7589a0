# The host of a sequence, and four runs of it: what the transcripts of `xylem sequence` begin with, behind setup.sh.
STEPS='["/readonly on","Plan it for $@\nand name \u001b the files","/handoff execution"]'
CATALOGUE='{"schema":1,"compact":true,"expands":true,"commands":[
    {"name":"readonly","source":"own","arguments":["","on","off"],"toggles":true},
    {"name":"plan","source":"prompt","path":"/p/plan.md"},
    {"name":"handoff","source":"extension","path":"/home/dev/.pi/agent/extensions/agenticoding.ts"}]}'
AB=',"sequence_id":"q","steps":["A for $1","/readonly on"]'

# Appends a snapshot of a sequence: snapshot SESSION ID STEPS.
snapshot() {
    add "$1" "$2" custom:sequence "{\"version\":1,\"sequenceId\":\"q\",\"steps\":$3,\"updatedAt\":1700000000000}"
}

# A store with a session that has a sequence, and the catalogue of what its host can run.
host() {
    fresh 19:30
    echo "$CATALOGUE" >commands.json
    snapshot host a "$STEPS"
}

# Prints the lines of a host.
say() {
    for word; do
        case $word in
        next) echo '{"next":true}' ;;
        again) echo "{\"next\":true,\"catalogue\":$(echo "$CATALOGUE" | tr -d '\n')}" ;;
        claim) echo '{"claim":"0123456789abcdef"}' ;;
        done) echo '{"done":{"entry":null}}' ;;
        *) echo "$word" ;;
        esac
    done
}

# Starts a run with further members of the request, and the lines of a host on standard input.
start() {
    echo "{\"session\":\"host\",\"catalogue\":$CATALOGUE$1}" >start.json
    xylem sequence drive start --file start.json >said
    code=$?
    cat said
    return $code
}

# The id of the run that was started last.
id() {
    sed -n 's/.*"run_id":"\([^"]*\)".*/\1/p' said | head -n 1
}

# Four runs: R1 is done, R2 is interrupted, R3 is paused, R4 has failed.
runs() {
    host
    echo '["/readonly","/plan the parser, its tests, its documentation and its benches, and nothing else in this repository"]' \
        >steps.json
    snapshot other b '["Summarise what changed since yesterday"]'
    say next claim done next claim done next '{"session":"host-2"}' next claim done next claim done next |
        start "$AB"',"iteration_count":2,"args":["the parser"]' >/dev/null
    R1=$(id)
    say next claim done next claim | start "$AB"',"iteration_count":5' >/dev/null
    R2=$(id)
    say next claim '{"done":{"entry":"a"}}' '{"pause":"gone to lunch"}' | start "$AB" >/dev/null
    R3=$(id)
    say next claim '{"failed":{"code":"turn-error","message":"the key has expired; ask the owner of the account for a new key, and try again"}}' |
        start "$AB" >/dev/null
    R4=$(id)
}
