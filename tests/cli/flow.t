The command from end to end: what one command writes, the next one reads.

  $ . "$TESTDIR/setup.sh"

A session grows, forks and comes back.

  $ fresh
  $ xylem append s --create --kind message --id e1 --data '{"role":"user"}'
  e1
  $ xylem append s --kind custom:readonly --id e2 --data '{"enabled":true}'
  e2
  $ xylem append s --kind note --id e3
  e3
  $ xylem fork s:e2 --id f
  f
  $ xylem append f --kind custom:readonly --data '{"enabled":false}' --id own
  own
  $ readonly_of() {
  >     xylem state $1 --json | grep -o '"readonly":.*"readonly_entry":[^,]*'
  > }
  $ readonly_of f
  "readonly":false,"readonly_from":"path","readonly_entry":"own"
  $ readonly_of s
  "readonly":true,"readonly_from":"path","readonly_entry":"e2"
  $ xylem log s
  3  e3  *  note             <leaf> (glob)
  2  e2  *  custom:readonly  {"enabled":true} (glob)
  1  e1  *  user             {"role":"user"} (glob)
  $ xylem log f
  3  own  *  custom:readonly  <leaf> {"enabled":false} (glob)
  2  e2   *  custom:readonly  {"enabled":true} (glob)
  1  e1   *  user             {"role":"user"} (glob)

The same new id is on both sides.

  $ xylem append s --kind note --id own
  own
  $ xylem navigate s:e1 --reason back
  leaf: own -> e1
  $ readonly_of s
  "readonly":false,"readonly_from":"default","readonly_entry":null
  $ xylem append s --kind note --id side
  side
  $ xylem branches s --jsonl | grep -o '"entry":"[^"]*"'
  "entry":"side"
  "entry":"own"
  $ xylem delete s --yes
  deleted session s (its leaf has depth 2)
  $ xylem log f -n 9
  3  own  *  custom:readonly  <leaf> {"enabled":false} (glob)
  2  e2   *  custom:readonly  {"enabled":true} (glob)
  1  e1   *  user             {"role":"user"} (glob)
  $ verify

A place where the leaf was has a name. A fork has no navigations of its own.

  $ fresh
  $ add s e1 note
  $ xylem navigate s:none
  leaf: e1 -> none
  $ xylem navigate s:@{1}
  leaf: none -> e1
  $ xylem fork s:e1 --before --id f
  f
  $ xylem show f:@{1}
  xylem: show: there is no entry '@{1}': the session has 0 moves
  [3]
  $ xylem navigate f:none
  leaf: none -> none
  $ add f e1 note
  $ add f e2 note
  $ xylem navigate f:e1
  leaf: e2 -> e1
  $ xylem navigate f:@{0}
  leaf: e1 -> e1
  $ add f e3 note
  $ for entry in @{0} @{1} @{2} @{2}~1 @{1}~0; do
  >     xylem show f:$entry --json | grep -o '"entry":"[^"]*"'
  > done
  "entry":"e3"
  "entry":"e1"
  "entry":"e2"
  "entry":"e1"
  "entry":"e1"
  $ for entry in @{3} @{4} @{x} @{18446744073709551616} @{1}~1; do
  >     xylem show f:$entry || echo $?
  > done
  xylem: show: '@{3}' names no entry: the leaf was none; `xylem -s store tree --all f` shows the ids
  3
  xylem: show: there is no entry '@{4}': the session has 3 moves
  3
  xylem: show: there is no entry '@{x}'; `xylem -s store tree --all f` shows the ids
  3
  xylem: show: there is no entry '@{18446744073709551616}'; `xylem -s store tree --all f` shows the ids
  3
  xylem: show: there is no entry '@{1}~1': '@{1}' has depth 1
  3
  $ verify

Entries are named by id, by its beginning, and from the leaf.

  $ fresh
  $ add s entry-one note
  $ add s a~1 note
  $ xylem append s --kind note --id entry-two --parent entry-one
  entry-two
  $ add s entry-three note
  $ for entry in entry-one entry-tw @ @~0 @~2 entry-three~1 entry-th~2 a~1 a~1~1; do
  >     xylem show s:$entry --json | grep -o '"entry":"[^"]*"'
  > done
  "entry":"entry-one"
  "entry":"entry-two"
  "entry":"entry-three"
  "entry":"entry-three"
  "entry":"entry-one"
  "entry":"entry-two"
  "entry":"entry-one"
  "entry":"a~1"
  "entry":"entry-one"
  $ verify

Append puts entries where it is told.

  $ fresh
  $ xylem append s --create --kind note --id root
  root
  $ xylem append s --kind note --id second --expect root
  second
  $ xylem append s --kind note --id other-root --parent none --expect second
  other-root
  $ xylem show s:other-root --json
  {"schema":1,"session":"s","entry":"other-root","parent":null,"kind":"note","time":"*","depth":1,"branch":2,"lsn":4,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":null,"payload":null} (glob)
  $ xylem append s --kind note --id sibling --parent root
  sibling
  $ xylem show s:sibling --json
  {"schema":1,"session":"s","entry":"sibling","parent":"root","kind":"note","time":"*","depth":2,"branch":3,"lsn":5,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":null,"payload":null} (glob)
  $ xylem append s --kind note | wc -c
  37
  $ printf '{"from": "standard input"}' | xylem append s --kind message --id piped --data -
  piped
  $ xylem show s:piped --raw
  {"from": "standard input"} (no-eol)
  $ xylem show s:piped --json
  {"schema":1,"session":"s","entry":"piped","parent":"*","kind":"message","time":"*","depth":4,"branch":3,"lsn":7,"check":"*","imported":false,"line_bytes":0,"format":"json","payload_bytes":26,"label":null,"payload":{"from":"standard input"}} (glob)
  $ xylem show s:root --json
  {"schema":1,"session":"s","entry":"root","parent":null,"kind":"note","time":"*","depth":1,"branch":1,"lsn":2,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":null,"payload":null} (glob)
  $ verify

Create does not take a beginning for a session.

  $ fresh
  $ add session-one a note
  $ add session a note
  $ xylem sessions --jsonl | grep -o '^{"schema":1,"session":"[^"]*"'
  {"schema":1,"session":"session"
  {"schema":1,"session":"session-one"
  $ verify

Importing again changes nothing.

  $ fresh
  $ xylem import $SCENARIO
  new             31 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl
  1 file: 1 new; 31 entries added, 0 lines put into quarantine, 0 problems
  $ xylem import $SCENARIO
  unchanged        0 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl
  1 file: 1 unchanged; 0 entries added, 0 lines put into quarantine, 0 problems
  $ xylem import --quiet $SCENARIO
  1 file: 1 unchanged; 0 entries added, 0 lines put into quarantine, 0 problems
  $ xylem delete $SCENARIO_ID --yes
  deleted session 01a1f9f7-22cb-72e7-96e0-96825857127f (scenario one, its leaf has depth 20)
  $ xylem import $SCENARIO
  skipped          0 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl, its session is deleted
  1 file: 1 skipped; 0 entries added, 0 lines put into quarantine, 0 problems
  $ verify

Directories are imported whole and sorted. Some of the files are damaged.

  $ fresh
  $ xylem import $SESSIONS
  new              5 added                 fixtures/sessions/pi-0.87.1/print-and-json/2026-11-20T17-14-53-691Z_01a1f9f4-357a-7602-a9bb-4d9519978662.jsonl
  new             13 added                 fixtures/sessions/pi-0.87.1/print-and-json/2026-11-20T17-15-14-309Z_01a1f9f4-8605-7782-ba89-dc402e2075d2.jsonl
  new            164 added                 fixtures/sessions/pi-0.87.1/random-11/2026-11-20T17-31-13-004Z_01a1fa03-26ec-741b-bf8e-80ad27bdc450.jsonl
  new             86 added      57 shared  fixtures/sessions/pi-0.87.1/random-11/2026-11-20T17-31-14-530Z_01a1fa03-2ce2-741b-bf8e-80b160d2aaf7.jsonl
  new             45 added      42 shared  fixtures/sessions/pi-0.87.1/random-11/2026-11-20T17-31-15-855Z_01a1fa03-320f-741b-bf8e-80b424c7b05d.jsonl
  new             20 added      34 shared  fixtures/sessions/pi-0.87.1/random-11/2026-11-20T17-31-16-067Z_01a1fa03-32e3-741b-bf8e-80b66fcac4a0.jsonl
  new             10 added      41 shared  fixtures/sessions/pi-0.87.1/random-11/2026-11-20T17-31-16-275Z_01a1fa03-33b3-741b-bf8e-80bb6b3c3675.jsonl
  new             16 added      23 shared  fixtures/sessions/pi-0.87.1/random-11/2026-11-20T17-31-16-371Z_01a1fa03-3410-741b-bf8e-80bd5965db5f.jsonl
  new             47 added      39 shared  fixtures/sessions/pi-0.87.1/random-11/2026-11-20T17-31-16-487Z_01a1fa03-3487-741b-bf8e-80be5aa4b1af.jsonl
  new             20 added      46 shared  fixtures/sessions/pi-0.87.1/random-11/2026-11-20T17-31-16-787Z_01a1fa03-35b3-741b-bf8e-80c06f1d0b3d.jsonl
  new             35 added      48 shared  fixtures/sessions/pi-0.87.1/random-11/2026-11-20T17-31-16-960Z_01a1fa03-3660-741b-bf8e-80c563ec318e.jsonl
  new            215 added                 fixtures/sessions/pi-0.87.1/random-22/2026-11-20T17-31-17-566Z_01a1fa03-38bb-7454-b77a-7d27f507ef57.jsonl
  new             48 added      30 shared  fixtures/sessions/pi-0.87.1/random-22/2026-11-20T17-31-18-997Z_01a1fa03-3e55-7454-b77a-7d36cf5b1047.jsonl
  new            185 added      28 shared  fixtures/sessions/pi-0.87.1/random-22/2026-11-20T17-31-19-227Z_01a1fa03-3f3b-7454-b77a-7d3b170d79fb.jsonl
  new             31 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl
  new              2 added      18 shared  fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-812Z_01a1f9f7-23f3-72e7-96e0-968898789fa5.jsonl
  new              2 added       6 shared  fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-843Z_01a1f9f7-2412-72e7-96e0-968afbd4f58a.jsonl
  new              2 added       4 shared  fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-866Z_01a1f9f7-242a-72e7-96e0-968cc1522d24.jsonl
  new              6 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-891Z_01a1f9f7-2443-72e7-96e0-968e73b64cca.jsonl
  new              6 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-946Z_01a1f9f7-247a-72e7-96e0-96936d1868b0.jsonl, shares nothing with its source 01a1f9f7-22cb-72e7-96e0-96825857127f
  new              6 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-964Z_01a1f9f7-248c-72e7-96e0-9697eaa3c8dd.jsonl, shares nothing with its source 01a1f9f7-22cb-72e7-96e0-96825857127f
  new             12 added                 fixtures/sessions/pi-0.87.1/specials/branch-summary-chain.jsonl
  new            612 added                 fixtures/sessions/pi-0.87.1/specials/bushy-500.jsonl
  new             23 added                 fixtures/sessions/pi-0.87.1/specials/compaction-twice.jsonl
  new             15 added                 fixtures/sessions/pi-0.87.1/specials/custom-messages.jsonl
  xylem: import: fixtures/sessions/pi-0.87.1/specials/damaged-middle-line.jsonl:4: byte 757: not-json: the line is not a JSON object (quarantined)
  changed          0 added                 fixtures/sessions/pi-0.87.1/specials/damaged-middle-line.jsonl, 1 line put into quarantine
  changed          0 added                 fixtures/sessions/pi-0.87.1/specials/damaged-no-final-newline.jsonl
  xylem: import: fixtures/sessions/pi-0.87.1/specials/damaged-orphan-and-duplicate.jsonl:3: byte 319: entry e1e86b6b: another line has the same id, and is used instead (quarantined)
  xylem: import: fixtures/sessions/pi-0.87.1/specials/damaged-orphan-and-duplicate.jsonl:5: byte 940: entry 0rphan00: no line has the id of the entry's parent: placed as a root
  changed          1 added                 fixtures/sessions/pi-0.87.1/specials/damaged-orphan-and-duplicate.jsonl, 1 line put into quarantine
  changed          0 added                 fixtures/sessions/pi-0.87.1/specials/damaged-torn-tail.jsonl, 38 bytes of a last line that has no end yet
  new          3,000 added                 fixtures/sessions/pi-0.87.1/specials/deep-linear-3000.jsonl
  new              8 added                 fixtures/sessions/pi-0.87.1/specials/fork-with-labels.jsonl
  new              6 added       2 shared  fixtures/sessions/pi-0.87.1/specials/fork-with-labels--fork.jsonl
  new              4 added                 fixtures/sessions/pi-0.87.1/specials/legacy-v1.after.jsonl
  changed          4 added                 fixtures/sessions/pi-0.87.1/specials/legacy-v1.before.jsonl
  new              3 added                 fixtures/sessions/pi-0.87.1/specials/legacy-v2.after.jsonl
  changed          0 added                 fixtures/sessions/pi-0.87.1/specials/legacy-v2.before.jsonl
  new              8 added                 fixtures/sessions/pi-0.87.1/specials/multi-root.jsonl
  new             15 added                 fixtures/sessions/pi-0.87.1/tui-reload-abort/2026-11-20T17-29-40-230Z_01a1fa01-bc85-7665-828e-ff55831435b8.jsonl
  38 files: 32 new, 6 changed; 4,675 entries added, 418 shared (215.4 KiB saved), 2 lines put into quarantine, 3 problems
  [1]
  $ xylem verify
  no problems: 32 sessions, 399 branches, 4,675 entries, 10,649 rows checked

Two writers do not lose entries.

  $ fresh
  $ add s first note
  $ for writer in 1 2 3 4; do
  >     for number in 1 2 3 4 5 6; do xylem append s --kind note --id $writer-$number >/dev/null 2>&1; done &
  > done
  $ wait
  $ xylem sessions --jsonl | grep -o '"leaf_depth":[0-9]*'
  "leaf_depth":25
  $ verify
