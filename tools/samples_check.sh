#!/bin/sh
# Types the samples of docs/commands.md: each line `    $ ...` is run, in order, in one home directory with the session
# files of pi. A sample must end with the exit code that the table below gives, else with 0, and its output must begin
# with the word that the page shows. Figures and ids in the output are examples. What a sample needs from other
# programs (a lease, a run, damage) is made before the sample.
# usage: samples_check.sh BUILD
set -eu
build=$(cd "${1:-build}" && pwd)
page=docs/commands.md
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 1' INT TERM
HOME=$root/home
proj=$HOME/.pi/agent/sessions/proj
store=$HOME/.local/share/xylem
mkdir -p "$proj" "$root/here" "$root/bin"
printf '#!/bin/sh\necho "pi $*"\n' >"$root/bin/pi" && chmod +x "$root/bin/pi"
find fixtures/sessions/pi-0.87.1 -name '*.jsonl' ! -name 'damaged-*' ! -name 'legacy-*' -exec cp {} "$proj" \;
cp "$proj"/*_01a1f9f7-22cb-*.jsonl "$root/here/2026-11-20T17-18-05-515Z_01a1f9f7.jsonl"
cp fixtures/sessions/pi-0.87.1/specials/damaged-middle-line.jsonl "$proj"

# Runs a text in a shell, as a person at a terminal of 86 columns would.
run() {
    (cd "$root/here" && env -i HOME="$HOME" PATH="$build:$root/bin:/usr/bin:/bin" FZF_DEFAULT_OPTS="--filter=$picked" TZ=UTC LC_ALL=C.UTF-8 COLUMNS=86 \
        XYLEM_NOW=2026-11-20T19:30:00Z sh -c "$1")
}

fail() {
    echo "samples: $page: $1" >&2
    exit 1
}

# What must be there before a sample.
prepare() {
    case $1 in
    'xylem moves '*)
        run "xylem navigate 01a1f9f7-22cb:8d16e680 --only-in-store"
        run "xylem navigate '01a1f9f7-22cb:@{1}' --only-in-store"
        ;;
    'xylem files 01a1f9f7-22cb --noted')
        run "xylem append 01a1f9f7-22cb --only-in-store --kind custom:file-reads --data '$notes'"
        ;;
    'xylem append talk '*) run "xylem clone 01a1f9f7-22cb --id talk" ;;
    'xylem sequence list'*)
        run "xylem sequence save 01a1f9f7-22cb --only-in-store --step '/readonly on' --step 'look' --step 'write'"
        echo '{"schema":1,"commands":[{"name":"readonly","source":"own"}]}' >"$root/here/commands.json"
        echo '{"session":"01a1f9f7-22cb","catalogue":{"schema":1,"commands":[]},"sequence_id":"q","steps":["look","write"]}' \
            >"$root/here/start.json"
        printf '{"next":true}\n{"claim":"0123456789abcdef"}\n' | run "xylem sequence drive start --file start.json" >"$root/said" || true
        run_id=$(sed -n 's/.*"run_id":"\([^"]*\)".*/\1/p' "$root/said" | head -n 1)
        ;;
    'xylem delete --file-gone'*) rm "$proj"/*_01a1f9f7-23f3-*.jsonl ;;
    'xylem delete --older-than'*)
        printf '{"type":"session","version":3,"id":"old","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/p"}\n%s\n' \
            '{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{}}' \
            >"$root/here/old.jsonl"
        run "xylem import old.jsonl"
        ;;
    'xylem secrets'*)
        run "xylem append keys --create --kind note --data '{\"url\":\"redis://:correct-horse9@cache\"}'"
        ;;
    'xylem redact --pattern-file'*) echo 'after comp[a-z]*' >"$root/here/keys.txt" ;;
    'xylem judge --learn'*)
        printf '{"policy":"strict","command":"make test -j%s","decision":"ask","answer":"allow"}\n' 1 2 >"$root/here/asks.log"
        ;;
    'xylem verify'*) [ "$verified" = no ] || damage ;;
    'xylem stat --holders'*) hold ;;
    'xylem compact'* | 'xylem backup'*) restore ;;
    'xylem sessions --deleted |'*) run 'xylem delete 01a1fa03-3e55 --yes' ;;
    esac >/dev/null
}

# Garbles a payload; the store from before is kept.
damage() {
    cp -r "$store" "$root/sound"
    LC_ALL=C sed -i 's/branch B question/branch B questiom/' "$store/data.mdb"
}

# A program that plays a run: the program has the store open, and has the lease of the ledger.
hold() {
    mkfifo "$root/lines"
    run "exec xylem sequence drive start --file start.json" <"$root/lines" >"$root/said" 2>&1 &
    exec 3>"$root/lines"
    printf '{"next":true}\n{"claim":"0123456789abcdef"}\n' >&3
    until run_id=$(sed -n 's/.*"run_id":"\([^"]*\)".*/\1/p' "$root/said" | head -n 1) && [ -n "$run_id" ]; do
        sleep 0.1
    done
}

restore() {
    [ ! -d "$root/sound" ] || { rm -r "$store" && mv "$root/sound" "$store"; }
}

# What a person would pick in fzf.
picked() {
    case $1 in
    *'sessions --pick'*) echo 01a1f9f7-22cb ;;
    *'sessions --deleted'*) echo 01a1fa03-3e55 ;;
    *'xylem show 01a1f9f7-22cb:ENTRY') echo 3dc585ab ;;
    esac
}

# The exit code of a sample.
expected() {
    case $1 in
    *'import ~/.pi/agent/sessions') echo 1 ;; # a damaged line
    'xylem verify') [ "$verified" = no ] && echo 0 || echo 1 ;; # the second time in a damaged store
    'xylem repair '*) echo 1 ;; # a payload is lost
    'xylem secrets') echo 1 ;;  # a secret is found
    'xylem diff '* | 'xylem judge --explain'*) echo 1 ;; # a difference; no
    'xylem judge --policy strict --why'*) echo 8 ;; # asked
    'xylem files '*README.md | *'| xylem gate '*) echo 1 ;; # blocked
    'xylem watch'*) echo 130 ;; # a watch goes on until Ctrl-C
    *) echo 0 ;;
    esac
}

# try <command> <first line of the sample's output>
try() {
    prepare "$1"
    command=$(printf '%s' "$1" | sed "s|0198c0de-90f1|${run_id:-0198c0de-90f1}|;s|/backups/||
        s|^xylem lease break [^ ]*|xylem lease break seq.$run_id|")
    code=0
    picked=$(picked "$1")
    case $1 in
    'xylem watch'*) command="exec timeout --preserve-status -s INT 1 $1" ;;
    *--pick*) echo "$1" >"$root/pick" && command="script -qefc 'sh $root/pick' /dev/null" ;; # asks on a terminal
    esac
    run "$command" </dev/null >"$root/out" 2>"$root/err" || code=$?
    [ "$code" -eq "$(expected "$1")" ] || fail "\`$command\` ends with $code: $(cat "$root/out" "$root/err")"
    word=$(printf '%s' "${2%%[ :]*}" | sed "s|^/home/dev|$HOME|;s|^/backups|$root/here|")
    case $word in ????????-????-????-????-????????????) word= ;; esac # an id that was made
    case $1 in 'xylem watch'*) word= ;; esac # nobody changes the store meanwhile
    [ -z "$word" ] || grep -qF -e "$word" "$root/out" "$root/err" || fail "\`$command\` does not print '$word': $(cat "$root/out")"
    case $1 in *'| jq '* | *fzf* | *--pick*) [ -s "$root/out" ] || fail "\`$1\` prints nothing" ;; esac
    count=$((count + 1))
    case $command in 'xylem verify'*) verified=yes ;; esac
}

# A file that was read, and was removed since.
notes='{"version":1,"whole":true,"files":[{"path":"/home/dev/proj/README.md",
    "hash":"xxh3-128:06b05ab6733a618578af5f94892f3950","bytes":3,"at":1795173000000,"by":"edit"}],"gone":[]}'
count=0
verified=no
run_id=
command=
picked=
awk '/^    \$ / { if (c) print c "\t" f; c = substr($0, 7); f = ""; more = /\|$/; next }
     more { sub(/^ */, " "); c = c $0; more = /\|$/; next }
     /^    / { if (c && !f) f = substr($0, 5); next }
     { if (c) print c "\t" f; c = ""; f = "" }
     END { if (c) print c "\t" f }' "$page" >"$root/samples"
while IFS="$(printf '\t')" read -r line first; do
    try "$line" "$first"
done <"$root/samples"
[ "$count" -gt 40 ] || fail "only $count samples"
echo "samples: $count commands of $page end as the page says"
