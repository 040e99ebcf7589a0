xylem gc: what it says and frees, and what is left of a freed session.

  $ . "$TESTDIR/setup.sh"

Deleted sessions are listed alone.

  $ family
  $ xylem sessions --deleted
  xylem: sessions: no session is deleted
  $ xylem delete source --yes
  deleted session source (its leaf has depth 4)
  $ xylem sessions --deleted
  SESSION  AGE  ENTRIES  STATE    DIRECTORY  NAME  LAST
  source*        4  deleted  -          -     - (glob)
  $ xylem sessions --deleted --all
  xylem: sessions: --all and --deleted cannot be combined (see `xylem sessions --help`)
  [2]
  $ xylem complete -- undelete sour
  source* (glob)
  $ xylem gc --yes
  freed session source: 2 entries, 126 B; 2 shared entries stay
  freed 1 session, 2 entries, 0 branches, 5 rows, 126 B
  xylem: gc: the file keeps its size, and later writes use the freed room (`xylem -s store compact` makes the file smaller)
  $ xylem sessions --deleted
  xylem: sessions: no session is deleted
  $ xylem sessions --all
  SESSION  AGE  ENTRIES  DIRECTORY  NAME  LAST
  alone*        1  -          -     - (glob)
  fork-1*        2  -          -     - (glob)

Gc says what it frees, and what stays. The dry run said the same.

  $ family
  $ xylem delete source --yes 2>/dev/null
  deleted session source (its leaf has depth 4)
  $ xylem delete alone --yes 2>/dev/null
  deleted session alone (its leaf has depth 1)
  $ xylem gc --dry-run | tee dry
  would free session alone: 1 entry, 127 B
  would free session source: 2 entries, 126 B; 2 shared entries stay
  would free 2 sessions, 3 entries, 1 branch, 10 rows, 253 B
  $ xylem undelete alone
  undeleted session alone (its leaf has depth 1)
  $ xylem delete alone --yes 2>/dev/null
  deleted session alone (its leaf has depth 1)
  $ xylem gc --yes >freed
  xylem: gc: the file keeps its size, and later writes use the freed room (`xylem -s store compact` makes the file smaller)
  $ sed 's/would free/freed/' dry | cmp - freed
  $ xylem undelete source
  xylem: undelete: there is no deleted session 'source' (`xylem -s store sessions --deleted` lists deleted sessions)
  [3]
  $ xylem log fork-1
  2  b  *  note        <leaf> (glob)
  1  a  *  note (glob)
  $ xylem tree --family fork-1
  SESSION   OWN  SHARED  FORKED AT                   READONLY  LEAF  NAME
  * fork-1    0       -  b          source not here  off*  -* (glob)
  $ xylem gc --yes
  nothing to free: no deleted session has data of its own

The id of a freed session is free again. The rest goes with the last fork.

  $ add source e note
  $ xylem delete fork-1 --yes 2>/dev/null
  deleted session fork-1 (its leaf has depth 2)
  $ xylem gc --yes
  freed session fork-1: 0 entries, 150 B
  freed the rest of session number 1: 2 entries, 159 B
  freed 2 sessions, 2 entries, 1 branch, 10 rows, 309 B
  xylem: gc: the file keeps its size, and later writes use the freed room (`xylem -s store compact` makes the file smaller)
  $ xylem stat --json | grep -o '"freed_[a-z]*_count":[0-9]*'
  "freed_session_count":0
  "freed_entry_count":5

Gc speaks JSON.

  $ family
  $ xylem gc --dry-run --json
  {"schema":1,"dry_run":true,"entry_count":0,"branch_count":0,"row_count":0,"bytes":0,"payload_bytes":0,"kept_sessions":0,"kept_entries":0,"sessions":[]}
  $ xylem delete source --yes 2>/dev/null
  deleted session source (its leaf has depth 4)
  $ xylem gc --yes --jsonl
  {"schema":1,"dry_run":false,"entry_count":2,"branch_count":0,"row_count":5,"bytes":126,"payload_bytes":0,"kept_sessions":1,"kept_entries":2,"sessions":[{"session":"source","number":1,"entry_count":2,"branch_count":0,"row_count":5,"bytes":126,"payload_bytes":0,"kept_entries":2}]}
  $ xylem delete fork-1 --yes 2>/dev/null
  deleted session fork-1 (its leaf has depth 2)
  $ xylem gc --yes --json
  {"schema":1,"dry_run":false,"entry_count":2,"branch_count":1,"row_count":10,"bytes":309,"payload_bytes":0,"kept_sessions":0,"kept_entries":0,"sessions":[{"session":"fork-1","number":2,"entry_count":0,"branch_count":0,"row_count":4,"bytes":150,"payload_bytes":0,"kept_entries":0},{"session":null,"number":1,"entry_count":2,"branch_count":1,"row_count":6,"bytes":159,"payload_bytes":0,"kept_entries":0}]}
  $ xylem gc --yes --json --jsonl
  xylem: gc: --json and --jsonl cannot be combined (see `xylem gc --help`)
  [2]

Gc does not free without being told.

  $ family
  $ xylem delete source --yes 2>/dev/null
  deleted session source (its leaf has depth 4)
  $ xylem gc
  xylem: gc: standard input is not a terminal: give --yes (nothing was freed) (see `xylem gc --help`)
  [2]
  $ xylem undelete source
  undeleted session source (its leaf has depth 4)
  $ xylem gc too --yes
  xylem: gc: unexpected argument 'too': `delete` takes a session away before (see `xylem gc --help`)
  [2]

A file can be imported anew once its session was freed.

  $ scenario
  $ xylem delete $SCENARIO_ID --yes 2>/dev/null
  deleted session 01a1f9f7-22cb-72e7-96e0-96825857127f (scenario one, its leaf has depth 20)
  $ xylem import $SCENARIO
  skipped          0 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl, its session is deleted
  1 file: 1 skipped; 0 entries added, 0 lines put into quarantine, 0 problems
  $ xylem gc --yes
  freed session 01a1f9f7-22cb-72e7-96e0-96825857127f: 31 entries, 29.1 KiB
  freed 1 session, 31 entries, 2 branches, 72 rows, 29.1 KiB
  xylem: gc: the file keeps its size, and later writes use the freed room (`xylem -s store compact` makes the file smaller)
  $ xylem import $SCENARIO
  new             31 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl
  1 file: 1 new; 31 entries added, 0 lines put into quarantine, 0 problems
  $ xylem log $SCENARIO_ID | wc -l
  20
  $ verify

What is left of a session has no name: the rest has no id, and the empty id does not name the rest.

  $ family
  $ xylem delete source --yes 2>/dev/null
  deleted session source (its leaf has depth 4)
  $ xylem gc --yes
  freed session source: 2 entries, 126 B; 2 shared entries stay
  freed 1 session, 2 entries, 0 branches, 5 rows, 126 B
  xylem: gc: the file keeps its size, and later writes use the freed room (`xylem -s store compact` makes the file smaller)
  $ xylem redact '':a --reason secret --yes
  xylem: redact: ':a' is an entry, and redact needs the session too: `xylem redact fork-1:a --reason secret --yes`
  [2]
  $ xylem log ''
  xylem: log: there is no session and no entry '' (the end of an id and a part of a name need 4 characters)
  [3]
  $ xylem undelete ''
  xylem: undelete: there is no deleted session '' (`xylem -s store sessions --deleted` lists deleted sessions)
  [3]
