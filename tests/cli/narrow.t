On a terminal of 60 columns no line of any command is wider: tables cut texts, and other lines break between words. What
a shell reads stays whole, and so does a word that has no room, such as a path.

  $ . "$TESTDIR/setup.sh"

A store with names, labels, reasons, paths and ids that are longer than there is room for.

  $ LONG='words that are longer, taken together, than there is room for on a narrow terminal'
  $ A=$SCENARIO_ID
  $ scenario
  $ xylem import -q "$root"/fixtures/sessions/pi-0.87.1/random-22/*.jsonl >/dev/null
  $ B=01a1fa03-38bb
  $ {
  >     xylem rename $A "$LONG" --only-in-store
  >     xylem label $A:3dc585ab "$LONG" --only-in-store
  >     xylem navigate $A:8d16e680 --reason "$LONG" --only-in-store
  >     xylem append $A --kind custom:note --data "{\"text\":\"$LONG\"}" --only-in-store
  >     xylem sequence save $A --step "$LONG" --step second --only-in-store
  >     xylem append $A --kind custom:file-reads --only-in-store --data '{"version":1,"whole":true,"files":[{"path":"/home/dev/proj/a/path/with/many/directories/and/no/room/README.md","hash":"xxh3-128:06b05ab6733a618578af5f94892f3950","bytes":3,"at":1795173000000,"by":"edit"}],"gone":[]}'
  >     xylem append bad --kind message --create --data "{\"role\":\"user\",\"content\":\"$LONG\"}"
  >     echo '{"type":"session","version":3,"id":"quarantined","timestamp":"2026-11-20T10:00:00.000Z"}' >q.jsonl
  >     echo "no JSON: $LONG" >>q.jsonl
  >     xylem import -q q.jsonl
  > } >/dev/null 2>&1
  [1]

`try COMMAND...` prints the lines that are too wide, and says if there is no line at all.

  $ tried=
  $ try() {
  >     tried="$tried $1"
  >     COLUMNS=60 xylem "$@" >shown 2>/dev/null
  >     [ -s shown ] || echo "no lines: $*"
  >     grep -E '^.{61,}' shown | grep -vE '^ *(.{1,2} )?[^ ]+$|^  (xylem|cp|mv) |^pi --session |^xylem show [^ ]+$' | sed "s/^/$1: /"
  > }

What finds and looks.

  $ try import q.jsonl; try sessions; try sessions --sort created --all
  $ try search echo; try search -e . --session $A -C 2; try search -l echo; try search -c echo; try search words --quarantine
  $ try open $A --here --dry-run
  $ for place in $A $B; do
  >     for look in log 'log --full' 'log --reverse' show 'show --full' tree 'tree --all' 'tree --family' state \
  >         'state --explain' branches blame 'blame --all'; do
  >         try $look $place
  >     done
  > done
  $ try show $A:3dc585ab; try diff $A $B; try diff $A:3dc585ab $A
  $ try files $B; try files $A --noted; try files $A --check x; try watch $A --last 5 -n 0
  $ try moves $A; try quarantine; try quarantine quarantined; try quarantine quarantined --line 2
  $ try stat; try stat --usage; for by in day directory session tool; do try stat --bytes --by $by; done
  $ try stat --usage --by model; try stat --bytes $A; try version
  $ try complete -- sho; try sequence list; try sequence list $A; try sequence show $A
  $ try judge "echo $LONG && rm -rf /a/path && echo $LONG"; try judge --explain "echo $LONG && rm -rf /a/path"

What changes.

  $ try fork $A:3dc585ab; try clone $A; try append $A --kind note --only-in-store
  $ try label $A:3dc585ab 'other words that are longer than there is room for' --only-in-store
  $ try rename $A 'other words that are longer than there is room for' --only-in-store
  $ try navigate $A:8d16e680 --reason "$LONG" --only-in-store
  $ for options in '--dry-run' '--file-gone --dry-run' '--older-than 1d --dry-run' '--older-than 1d --keep-labelled --dry-run'; do
  >     case $options in --dry-run) try delete $A $options ;; *) try delete $options ;; esac
  > done
  $ try redact $A:3dc585ab --reason "$LONG" --dry-run; try redact --pattern echo --reason "$LONG" --dry-run
  $ try delete $B --yes; try gc --dry-run; try undelete $B; try delete $B --yes; try gc --yes
  $ try backup copy; try verify; try compact --dry-run; try compact --yes; try repair mended
  $ try init -s new; try lease status
  no lines: lease status
  $ damage 'branch B question'; try verify; try repair mended-2

A number is whole, or its column is not there.

  $ scenario
  $ for columns in 20 30 40 50; do COLUMNS=$columns xylem stat | grep '[0-9]…'; done
  [1]

And help.

  $ try help; try; try export $A -o out.jsonl
  no lines: export 01a1f9f7-22cb-72e7-96e0-96825857127f -o out.jsonl
  $ for command in $(xylem help --json | jq -r '.commands[].command'); do
  >     try $command --help
  >     case " $tried " in *" $command "*) ;; *) echo "not tried: $command" ;; esac
  > done
