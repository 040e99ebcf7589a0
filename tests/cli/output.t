What the command prints: documents, control bytes, wide characters, other locales.

  $ . "$TESTDIR/setup.sh"

Imports and quarantine are reported.

  $ fresh
  $ xylem import $SESSIONS/specials/damaged-orphan-and-duplicate.jsonl $SCENARIO 2>problems
  new             16 added                 fixtures/sessions/pi-0.87.1/specials/damaged-orphan-and-duplicate.jsonl, 1 line put into quarantine
  new             31 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl
  2 files: 2 new; 47 entries added, 1 line put into quarantine, 2 problems
  [1]
  $ cat problems
  xylem: import: fixtures/sessions/pi-0.87.1/specials/damaged-orphan-and-duplicate.jsonl:3: byte 319: entry e1e86b6b: another line has the same id, and is used instead (quarantined)
  xylem: import: fixtures/sessions/pi-0.87.1/specials/damaged-orphan-and-duplicate.jsonl:5: byte 940: entry 0rphan00: no line has the id of the entry's parent: placed as a root
  $ xylem import $SESSIONS/specials/damaged-middle-line.jsonl --json
  xylem: import: fixtures/sessions/pi-0.87.1/specials/damaged-middle-line.jsonl:4: byte 757: not-json: the line is not a JSON object (quarantined)
  {"schema":1,"files":[{"path":"fixtures/sessions/pi-0.87.1/specials/damaged-middle-line.jsonl","error":null,"session":"01a1fa04-8967-7035-be02-03c30a7d5352","outcome":"changed","file_version":3,"line_count":17,"bytes":3305,"added":0,"shared":0,"shared_bytes":0,"source":null,"source_outcome":"none","matched":15,"quarantined_lines":1,"kept_lines":0,"unconsumed_bytes":0,"leaf_stayed":false,"problems":[{"type":"not-json","line":4,"offset":757,"entry":null,"quarantined":true,"text":"the line is not a JSON object"}]}],"file_count":1,"new_count":0,"grew_count":0,"changed_count":1,"unchanged_count":0,"skipped_count":0,"failed_count":0,"left_count":0,"added":0,"shared":0,"shared_bytes":0,"matched":15,"quarantined_lines":1,"problem_count":1}
  [1]
  $ id=$(sed -n '1s/.*"id":"\([^"]*\)".*/\1/p' $SESSIONS/specials/damaged-middle-line.jsonl)
  $ xylem quarantine $id --jsonl
  {"schema":1,"session":"01a1fa04-8967-7035-be02-03c30a7d5352","line":3,"offset":319,"hash":"33e33feca94f0439","type":"duplicate","text":"another line has the same id, and is used instead","file":"*/fixtures/sessions/pi-0.87.1/specials/damaged-orphan-and-duplicate.jsonl","bytes":438,"raw":"{\\"type\\":\\"message\\",\\"id\\":\\"e1e86b6b\\",\\"parentId\\":\\"b7f2eeaa\\",\\"timestamp\\":\\"2026-11-20T17:32:43.751Z\\",\\"message\\":{\\"role\\":\\"assistant\\",\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"ho\\"}],\\"api\\":\\"openai-completions\\",\\"provider\\":\\"fauxhost\\",\\"model\\":\\"faux-1\\",\\"usage\\":{\\"input\\":10,\\"output\\":5,\\"cacheRead\\":0,\\"cacheWrite\\":0,\\"totalTokens\\":15,\\"cost\\":{\\"input\\":0.001,\\"output\\":0.002,\\"cacheRead\\":0,\\"cacheWrite\\":0,\\"total\\":0.003}},\\"stopReason\\":\\"stop\\",\\"timestamp\\":1795000000034}}\\n"} (glob)
  {"schema":1,"session":"01a1fa04-8967-7035-be02-03c30a7d5352","line":4,"offset":757,"hash":"fb61caa3ec348536","type":"not-json","text":"the line is not a JSON object","file":"*/fixtures/sessions/pi-0.87.1/specials/damaged-middle-line.jsonl","bytes":30,"raw":"{\\"type\\":\\"custom\\",\\"id\\":\\"broken\\n"} (glob)
  $ verify

Lists are one document, or one document a line. The document is the list of the lines, but for their schema.

  $ scenario
  $ xylem import -q $SESSIONS/specials/damaged-middle-line.jsonl
  xylem: import: fixtures/sessions/pi-0.87.1/specials/damaged-middle-line.jsonl:4: byte 757: not-json: the line is not a JSON object (quarantined)
  1 file: 1 new; 15 entries added, 1 line put into quarantine, 1 problem
  [1]
  $ add s n note
  $ add moved n note
  $ xylem navigate moved:none
  leaf: n -> none
  $ xylem navigate moved:@{1}
  leaf: none -> n
  $ add other e1 note
  $ xylem fork other:e1 --before --id none
  none
  $ xylem delete other --yes 2>/dev/null
  deleted session other (its leaf has depth 1)
  $ xylem clone none --id empty
  empty
  $ list() {
  >     member=$1
  >     shift
  >     xylem "$@" --jsonl >lines
  >     xylem "$@" --json >document
  >     {
  >         printf '{"schema":1,"%s":[' $member
  >         sed 's/^{"schema":1,/{/' lines | paste -sd, | tr -d '\n'
  >         echo ']}'
  >     } | cmp - document
  >     wc -l <lines
  > }
  $ list sessions sessions
  6
  $ list sessions sessions --all
  7
  $ list entries log $SCENARIO_ID
  20
  $ list entries log s -n 0
  0
  $ list entries tree $SCENARIO_ID
  31
  $ list entries tree $SCENARIO_ID --kind label
  1
  $ list sessions tree $SCENARIO_ID --family
  1
  $ list branches branches $SCENARIO_ID
  2
  $ list lines quarantine s
  0
  $ list lines quarantine $id
  1
  $ list states state $SCENARIO_ID --every
  31
  $ list branches branches empty
  0
  $ list entries blame $SCENARIO_ID readonly
  1
  $ list entries blame empty nudge
  0
  $ list moves moves moved
  2
  $ list moves moves empty
  0
  $ list entries tree empty
  0
  $ list states state empty --every
  0
  $ xylem log no-such-session --json
  xylem: log: there is no session and no entry 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ verify

A single document is the same in both forms.

  $ scenario
  $ for line in "show $SCENARIO_ID:@" "diff $SCENARIO_ID $SCENARIO_ID" "state $SCENARIO_ID" verify version; do
  >     xylem $line --json >document
  >     head -c 12 document && echo
  >     xylem $line --jsonl | cmp - document
  > done
  {"schema":1,
  {"schema":1,
  {"schema":1,
  {"schema":1,
  {"schema":1,
  $ xylem stat --jsonl | head -c 22
  {"schema":1,"store":"s (no-eol)

Options for people leave documents as they are: documents have all there is.

  $ same() {
  >     option=$1
  >     shift
  >     for form in --json --jsonl; do
  >         xylem "$@" $form >document
  >         xylem "$@" $option $form | cmp - document
  >     done
  > }
  $ same --all tree $SCENARIO_ID
  $ same --full log $SCENARIO_ID
  $ same --full show $SCENARIO_ID:@
  $ same --all diff $SCENARIO_ID $SCENARIO_ID
  $ verify

Skipped entries do not flood the terminal. A session may hold thousands of invalid entries: people see the newest,
programs all.

  $ fresh
  $ add s n note
  $ for number in $(seq -w 0 22); do add s bad$number custom:readonly '{"enabled":'${number#0}'}'; done
  $ xylem state s
  session    s
  at         bad22, depth 24
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due
  sequence   none
  todo       none
  mark       none
  skipped    bad22 custom:readonly: enabled is not a boolean
             bad21 custom:readonly: enabled is not a boolean
             bad20 custom:readonly: enabled is not a boolean
             bad19 custom:readonly: enabled is not a boolean
             bad18 custom:readonly: enabled is not a boolean
             … and 18 more (--json lists all)
  $ xylem state s --explain
  session    s
  at         bad22, depth 24
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due; readonly is off, and the path has no nudge "on"
  sequence   none
  todo       none
  mark       none
  skipped    bad22 custom:readonly: enabled is not a boolean
             bad21 custom:readonly: enabled is not a boolean
             bad20 custom:readonly: enabled is not a boolean
             bad19 custom:readonly: enabled is not a boolean
             bad18 custom:readonly: enabled is not a boolean
             bad17 custom:readonly: enabled is not a boolean
             bad16 custom:readonly: enabled is not a boolean
             bad15 custom:readonly: enabled is not a boolean
             bad14 custom:readonly: enabled is not a boolean
             bad13 custom:readonly: enabled is not a boolean
             bad12 custom:readonly: enabled is not a boolean
             bad11 custom:readonly: enabled is not a boolean
             bad10 custom:readonly: enabled is not a boolean
             bad09 custom:readonly: enabled is not a boolean
             bad08 custom:readonly: enabled is not a boolean
             bad07 custom:readonly: enabled is not a boolean
             bad06 custom:readonly: enabled is not a boolean
             bad05 custom:readonly: enabled is not a boolean
             bad04 custom:readonly: enabled is not a boolean
             bad03 custom:readonly: enabled is not a boolean
             … and 3 more (--json lists all)
  looked at  23 entries
  decoded    23 payloads, 230 B
  read       23 records of the log, 1.1 KiB
             23 gets, 0 seeks, 0 steps
  $ LC_ALL=C xylem state s | tail -n 1
             ... and 18 more (--json lists all)
  $ xylem state s --json | grep -o '"entry":"bad[0-9]*"' | wc -l
  24
  $ xylem state s:bad04
  session    s
  at         bad04, depth 6
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due
  sequence   none
  todo       none
  mark       none
  skipped    bad04 custom:readonly: enabled is not a boolean
             bad03 custom:readonly: enabled is not a boolean
             bad02 custom:readonly: enabled is not a boolean
             bad01 custom:readonly: enabled is not a boolean
             bad00 custom:readonly: enabled is not a boolean
  $ verify

Control and bidirectional bytes are escaped for people, and kept for programs.

  $ fresh
  $ printf '{"role":"user","content":"a\\u001b[31mred\\u202e\\u0007\\u0085 \\ud83d z\\nsecond"}' |
  >     xylem append s --create --kind message --data - --id "$(printf 'evil\033[2J')"
  evil\x1b[2J (esc)
  $ add s name session_info '{"name":"n\u009b1m"}'
  $ xylem log s
  2  name         *  session_info  <leaf> n\\u009b1m (glob)
  1  evil\\x1b[2J  *  user          a\\x1b[31mred\\u202e\\x07\\u0085 \\ud83d z second (glob)
  $ xylem tree s
  s: n\u009b1m, 2 entries, 1 tip
  ● evil\x1b[2J  user          a\x1b[31mred\u202e\x07\u0085 \ud83d z second
  ● name         session_info  <leaf> n\u009b1m
  $ xylem show s:@
  entry     name
  parent    evil\x1b[2J
  children  none (a tip)
  kind      session_info
  time      * (* ago) (glob)
  place     depth 2, branch 1, lsn 3
  check     * (glob)
  payload   20 B of json
  
      n\u009b1m
  $ xylem sessions
  SESSION  AGE  ENTRIES  DIRECTORY  NAME       LAST
  s*        2  -          n\\u009b1m  a\\x1b[31mred\\u202e\\x07\\u0085 \\ud83d z second (glob)
  $ xylem branches s
  TIP   AGE  DEPTH  OWN  FORKED AT  READONLY          SAYS
  name   0s      2    2  -          off       <leaf>  user: a\x1b[31mred\u202e\x07\u0085 \ud83d z second (glob)
  $ xylem state s
  session    s
  at         name, depth 2
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due
  sequence   none
  todo       none
  mark       none
  $ xylem log s --jsonl
  {"schema":1,"entry":"name","parent":"evil*u001b[2J","kind":"session_info","time":"*","depth":2,"label":null,"payload":{"name":"n*1m"}}* (glob)
  {"schema":1,"entry":"evil*u001b[2J","parent":null,"kind":"message","time":"*","depth":1,"label":null,"payload":{"role":"user","content":"a*u001b[31mred*u0007* *ud83d z*nsecond"}}* (glob)
  $ xylem log "$(printf 'no\033[2Jsuch')"
  xylem: log: there is no session and no entry 'no\x1b[2Jsuch'; `xylem -s store sessions` lists the sessions
  [3]
  $ verify

Columns are counted in cells.

  $ fresh 19:30
  $ add s 日本語 note
  $ add s abcdef note '"wide"'
  $ add s ab note '"日本語のテキスト"'
  $ COLUMNS=50 xylem log s
  3  ab      0s  note        <leaf> "日本語のテキス…
  2  abcdef  0s  note        "wide"
  1  日本語  0s  note
  $ verify

Outside of UTF-8 nothing but ASCII is printed.

  $ fresh
  $ add s n note '"naïve 🚀"'
  $ LC_ALL=C xylem log s
  1  n  *  note        <leaf> "na\\u00efve \\U0001f680" (glob)
  $ verify
