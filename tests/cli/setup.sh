# What every transcript reads first: `xylem` is the command under test, and nothing of the tester's surroundings reaches
# the command. Each section of a transcript begins in a directory of its own.
root=$(cd "$TESTDIR/../.." && pwd)
program=$(realpath "${XYLEM_BIN:-$root/build/xylem}")
[ -x "$program" ] && [ "${program##*/}" = xylem ] || { echo "no command to test: $program" && exit 1; }
base=$PWD # a directory for each transcript
for name in $(env -0 | sed -z 's/=.*/\n/' | tr -d '\0'); do
    case $name in
    ASAN_OPTIONS | UBSAN_OPTIONS | CRAMTMP | PWD | TEST*) ;;
    *) unset "$name" ;;
    esac
done
export PATH="${program%/*}:/usr/bin:/bin" XYLEM_STORE=store
SESSIONS=fixtures/sessions/pi-0.87.1
SCENARIO=$SESSIONS/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl
SCENARIO_ID=01a1f9f7-22cb-72e7-96e0-96825857127f
directories=0

# The shell reads the transcript from its standard input: that is not for the command.
exec 9<&0
xylem() {
    if [ /dev/stdin -ef /proc/$$/fd/9 ]; then
        command xylem "$@" </dev/null 9<&-
    else
        command xylem "$@" 9<&-
    fi
}

# A new directory, in which `fixtures` are those of the project. With a time, that is the time on 20 November 2026.
empty() {
    directories=$((directories + 1))
    mkdir "$base/$directories" && cd "$base/$directories" && ln -s "$root/fixtures" fixtures || exit 1
    export TZ=UTC LC_ALL=C.UTF-8
    unset COLUMNS XYLEM_NOW
    [ $# -eq 0 ] || export XYLEM_NOW="2026-11-20T$1:00Z"
}

# The same with a store.
fresh() {
    empty "$@"
    xylem init >/dev/null
}

# The same with the scenario in the store.
scenario() {
    empty 19:30
    xylem import -q "$SCENARIO" >/dev/null 2>&1
}

# Appends an entry: add SESSION ID KIND [DATA]. The session is made if need be.
add() {
    xylem append "$1" --create --id "$2" --kind "$3" ${4+--data "$4"} >/dev/null
}

# A session of four entries, a fork that shares two of them, and a session that shares nothing.
family() {
    fresh "$@"
    add source a note
    add source b note
    xylem fork source:b --id fork-1 >/dev/null
    add source c note
    add source d note
    add alone x note
}

# Says nothing if the store is sound.
verify() {
    said=$(xylem verify) || echo "$said"
}

# Runs a command whose output may begin with `>`, which cram would take for a part of a command.
indent() {
    "$@" >output
    set -- $?
    sed 's/^/  /' output
    return $1
}

# Cuts the directories off the names of session files, and the room that the directories took in a column.
without_directories() {
    sed 's|[^ ]*/\([^ ]*\.jsonl\)|\1|; s/   */  /g'
}

# Cuts off what depends on the machine, and on how the store came to be.
without_figures() {
    sed -E 's/[0-9.]+ ([KMT]i)?B +[0-9]+ +([0-9,]+|-)$/FIGURES/; s/[0-9.]+ ([KMT]i)?B/SIZE/g
        s/"([a-z_]*bytes|readers)":[0-9]+/"\1":N/g'
}

# Changes a bit in the middle of each place where the store has the text.
damage() {
    perl -0777 -i -pe 'BEGIN { $text = shift }
        $found += s/\Q$text/my $new = $text; substr($new, length($text) >> 1, 1) ^= "\1"; $new/ge;
        END { exit !$found }' "$1" store/data.mdb
}
