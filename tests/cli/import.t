xylem import of forks and their sources.

  $ . "$TESTDIR/setup.sh"
  $ FORK=$SESSIONS/specials/fork-with-labels--fork.jsonl
  $ SOURCE=$SESSIONS/specials/fork-with-labels.jsonl

Forks share with their sources.

  $ fresh
  $ xylem import $SESSIONS/rpc-scenario
  new             31 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl
  new              2 added      18 shared  fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-812Z_01a1f9f7-23f3-72e7-96e0-968898789fa5.jsonl
  new              2 added       6 shared  fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-843Z_01a1f9f7-2412-72e7-96e0-968afbd4f58a.jsonl
  new              2 added       4 shared  fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-866Z_01a1f9f7-242a-72e7-96e0-968cc1522d24.jsonl
  new              6 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-891Z_01a1f9f7-2443-72e7-96e0-968e73b64cca.jsonl
  new              6 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-946Z_01a1f9f7-247a-72e7-96e0-96936d1868b0.jsonl, shares nothing with its source 01a1f9f7-22cb-72e7-96e0-96825857127f
  new              6 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-964Z_01a1f9f7-248c-72e7-96e0-9697eaa3c8dd.jsonl, shares nothing with its source 01a1f9f7-22cb-72e7-96e0-96825857127f
  7 files: 7 new; 55 entries added, 28 shared (36.5 KiB saved), 0 lines put into quarantine, 0 problems
  $ xylem import $SESSIONS/rpc-scenario
  unchanged        0 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl
  unchanged        0 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-812Z_01a1f9f7-23f3-72e7-96e0-968898789fa5.jsonl
  unchanged        0 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-843Z_01a1f9f7-2412-72e7-96e0-968afbd4f58a.jsonl
  unchanged        0 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-866Z_01a1f9f7-242a-72e7-96e0-968cc1522d24.jsonl
  unchanged        0 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-891Z_01a1f9f7-2443-72e7-96e0-968e73b64cca.jsonl
  unchanged        0 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-946Z_01a1f9f7-247a-72e7-96e0-96936d1868b0.jsonl
  unchanged        0 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-964Z_01a1f9f7-248c-72e7-96e0-9697eaa3c8dd.jsonl
  7 files: 7 unchanged; 0 entries added, 0 lines put into quarantine, 0 problems
  $ verify

A narrow terminal keeps the end of the path.

  $ fresh
  $ COLUMNS=80 xylem import $SESSIONS/rpc-scenario
  new             31 added                 …9f7-22cb-72e7-96e0-96825857127f.jsonl
  new              2 added      18 shared  …9f7-23f3-72e7-96e0-968898789fa5.jsonl
  new              2 added       6 shared  …9f7-2412-72e7-96e0-968afbd4f58a.jsonl
  new              2 added       4 shared  …9f7-242a-72e7-96e0-968cc1522d24.jsonl
  new              6 added                 …9f7-2443-72e7-96e0-968e73b64cca.jsonl
  new              6 added                 …9f7-247a-72e7-96e0-96936d1868b0.jsonl
      shares nothing with its source 01a1f9f7-22cb-72e7-96e0-96825857127f
  new              6 added                 …9f7-248c-72e7-96e0-9697eaa3c8dd.jsonl
      shares nothing with its source 01a1f9f7-22cb-72e7-96e0-96825857127f
  7 files: 7 new; 55 entries added, 28 shared (36.5 KiB saved), 0 lines put into
    quarantine, 0 problems
  $ verify

Sharing is reported as JSON. The source is imported first, whatever the order.

  $ fresh
  $ xylem import --json $FORK $SOURCE
  {"schema":1,"files":[{"path":"fixtures/sessions/pi-0.87.1/specials/fork-with-labels.jsonl","error":null,"session":"01a1fa04-89a2-7035-be02-03c84fb011b3","outcome":"new","file_version":3,"line_count":9,"bytes":1925,"added":8,"shared":0,"shared_bytes":0,"source":null,"source_outcome":"none","matched":0,"quarantined_lines":0,"kept_lines":0,"unconsumed_bytes":0,"leaf_stayed":false,"problems":[]},{"path":"fixtures/sessions/pi-0.87.1/specials/fork-with-labels--fork.jsonl","error":null,"session":"01a1fa04-89a3-7035-be02-03ca9e513425","outcome":"new","file_version":3,"line_count":9,"bytes":2049,"added":6,"shared":2,"shared_bytes":527,"source":"01a1fa04-89a2-7035-be02-03c84fb011b3","source_outcome":"shared","matched":0,"quarantined_lines":0,"kept_lines":0,"unconsumed_bytes":0,"leaf_stayed":false,"problems":[]}],"file_count":2,"new_count":2,"grew_count":0,"changed_count":0,"unchanged_count":0,"skipped_count":0,"failed_count":0,"left_count":0,"added":14,"shared":2,"shared_bytes":527,"matched":0,"quarantined_lines":0,"problem_count":0}
  $ verify

A fork without its source says so.

  $ fresh
  $ xylem import $FORK
  new              8 added                 fixtures/sessions/pi-0.87.1/specials/fork-with-labels--fork.jsonl, a tree of its own: source 01a1fa04-89a2-7035-be02-03c84fb011b3 is not in the store
  1 file: 1 new; 8 entries added, 0 lines put into quarantine, 0 problems
  $ xylem import $SOURCE
  new              8 added                 fixtures/sessions/pi-0.87.1/specials/fork-with-labels.jsonl
  1 file: 1 new; 8 entries added, 0 lines put into quarantine, 0 problems
  $ xylem delete --yes 01a1fa04-89a2
  deleted session 01a1fa04-89a2-7035-be02-03c84fb011b3 (its leaf has depth 8)
  $ xylem delete --yes 01a1fa04-89a3
  deleted session 01a1fa04-89a3-7035-be02-03ca9e513425 (its leaf has depth 8)
  $ cat >f1.jsonl <<'EOF'
  > {"type":"session","version":3,"id":"f1","parentSession":"x_01a1fa04-89a2-7035-be02-03c84fb011b3.jsonl"}
  > EOF
  $ xylem import f1.jsonl
  new              0 added                 f1.jsonl, a tree of its own: source 01a1fa04-89a2-7035-be02-03c84fb011b3 is deleted
  1 file: 1 new; 0 entries added, 0 lines put into quarantine, 0 problems
  $ verify

A source with a hostile id is shown escaped. The path is cut in the middle of its letters.

  $ fresh
  $ name=f$(yes é | head -n 30 | tr -d '\n').jsonl
  $ cat >$name <<'EOF'
  > {"type":"session","version":3,"id":"f1","parentSession":"x_\u001b[2J\u202e"}
  > {"type":"note","id":"a","parentId":null}
  > EOF
  $ COLUMNS=60 xylem import $name
  new              1 added                 \xe2\x80\xa6\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9.jsonl (esc)
      a tree of its own: source \x1b[2J\u202e is not in the
        store
  1 file: 1 new; 1 entry added, 0 lines put into quarantine,
    0 problems
  $ verify

What is shared can be stored again.

  $ fresh
  $ xylem import --no-share $FORK $SOURCE
  new              8 added                 fixtures/sessions/pi-0.87.1/specials/fork-with-labels.jsonl
  new              8 added                 fixtures/sessions/pi-0.87.1/specials/fork-with-labels--fork.jsonl
  2 files: 2 new; 16 entries added, 0 lines put into quarantine, 0 problems
  $ verify

Imports of one directory at once all succeed. Each file is imported by one of them; the others find the file imported,
whoever was first.

  $ fresh
  $ mkdir sessions
  $ for number in $(seq 60); do
  >     cat >sessions/$number.jsonl <<EOF
  > {"type":"session","version":3,"id":"s$number"}
  > {"type":"note","id":"a","parentId":null}
  > {"type":"note","id":"b","parentId":"a"}
  > EOF
  > done
  $ for number in 1 2 3; do xylem import --json sessions >said-$number || echo $? & done
  $ wait
  $ grep -o '"file_count":60,.*"failed_count":[0-9]*,' said-* | sed 's/.*"failed_count"/"failed_count"/'
  "failed_count":0,
  "failed_count":0,
  "failed_count":0,
  $ echo $(($(grep -ho '"file_count":60,.*' said-* | grep -o '"added":[0-9]*' | cut -d: -f2 | paste -sd+)))
  120
  $ verify

The whole file is read on request: a change far before the end of a file that grew is told only by an import of the whole
file.

  $ fresh
  $ echo '{"type":"session","version":3,"id":"s"}' >all
  $ for number in $(seq -w 0 998); do echo '{"type":"note","id":"e'$number'","parentId":null}'; done >>all
  $ head -n 999 all >s.jsonl
  $ xylem import s.jsonl
  new            998 added                 s.jsonl
  1 file: 1 new; 998 entries added, 0 lines put into quarantine, 0 problems
  $ sed '2s/note/Note/' all >s.jsonl
  $ xylem import s.jsonl
  grew             1 added                 s.jsonl
  1 file: 1 grew; 1 entry added, 0 lines put into quarantine, 0 problems
  $ xylem import --whole s.jsonl
  xylem: import: s.jsonl:2: byte 40: entry e000: the session has an entry of this id with other bytes or another parent (quarantined)
  changed          0 added                 s.jsonl, 1 line put into quarantine
  1 file: 1 changed; 0 entries added, 1 line put into quarantine, 1 problem
  [1]
  $ verify

A file that shrank did not grow. The line that is not there any more is a problem.

  $ fresh
  $ cat >all <<'EOF'
  > {"type":"session","version":3,"id":"s"}
  > {"type":"note","id":"a","parentId":null}
  > {"type":"note","id":"b","parentId":"a"}
  > EOF
  $ head -n 2 all >s.jsonl
  $ xylem import s.jsonl
  new              1 added                 s.jsonl
  1 file: 1 new; 1 entry added, 0 lines put into quarantine, 0 problems
  $ cp all s.jsonl
  $ xylem import s.jsonl
  grew             1 added                 s.jsonl
  1 file: 1 grew; 1 entry added, 0 lines put into quarantine, 0 problems
  $ head -n 2 all >s.jsonl
  $ xylem import s.jsonl
  xylem: import: s.jsonl: entry b: the entry was imported earlier, and is missing from the file now: kept
  changed          0 added                 s.jsonl
  1 file: 1 changed; 0 entries added, 0 lines put into quarantine, 1 problem
  [1]
  $ verify

Importing makes the store where there is none.

  $ empty
  $ xylem import /nowhere.jsonl
  xylem: import: /nowhere.jsonl: No such file or directory
  [3]
  $ xylem sessions
  xylem: sessions: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  [3]
  $ xylem import $SOURCE
  xylem: import: store is a new xylem store
  new              8 added                 fixtures/sessions/pi-0.87.1/specials/fork-with-labels.jsonl
  1 file: 1 new; 8 entries added, 0 lines put into quarantine, 0 problems
  $ xylem import $SOURCE
  unchanged        0 added                 fixtures/sessions/pi-0.87.1/specials/fork-with-labels.jsonl
  1 file: 1 unchanged; 0 entries added, 0 lines put into quarantine, 0 problems
  $ verify

A plain import counts no line in the making as a problem.

  $ fresh
  $ echo '{"type":"session","version":3,"id":"a","timestamp":"2026-11-20T12:00:00.000Z","cwd":"/"}' >header
  $ { cat header; printf '{"type":"no'; } >a.jsonl
  $ xylem import a.jsonl
  new              0 added                 a.jsonl, 11 bytes of a last line that has no end yet
  1 file: 1 new; 0 entries added, 0 lines put into quarantine, 0 problems
  $ { cat header; printf 'no entry'; } >a.jsonl
  $ xylem import a.jsonl
  xylem: import: a.jsonl:2: byte 89: torn: the last line has no newline and is not an entry: not consumed
  grew             0 added                 a.jsonl, 8 bytes of a last line that has no end yet
  1 file: 1 grew; 0 entries added, 0 lines put into quarantine, 1 problem
  [1]
  $ verify

Without arguments the sessions of pi are taken.

  $ fresh
  $ mkdir -p agent/sessions/--p-- agent/mine
  $ echo "{\"sessionDir\":\"$PWD/agent/mine\"}" >agent/settings.json
  $ cp $SCENARIO agent/sessions/--p--
  $ echo '{"type":"session","version":3,"id":"mine","timestamp":"2026-11-20T12:00:00.000Z","cwd":"/"}' >agent/mine/m.jsonl
  $ PI_CODING_AGENT_DIR=$PWD/agent xylem import
  xylem: import: no FILE is given: pi's sessions in */12/agent/sessions (glob)
  xylem: import: no FILE is given: pi's sessions in */12/agent/mine (glob)
  new             31 added                 */12/agent/sessions/--p--/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl (glob)
  new              0 added                 */12/agent/mine/m.jsonl (glob)
  2 files: 2 new; 31 entries added, 0 lines put into quarantine, 0 problems
  $ xylem tree mine
  mine: 0 entries, 0 tips, no current entry
  $ xylem tree $SCENARIO_ID | head -n 1
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  $ PI_CODING_AGENT_DIR=/no-such xylem import
  xylem: import: no FILE is given, and pi has no sessions: there is no /no-such/sessions (FILE may be another directory)
  [3]
  $ xylem import
  xylem: import: no FILE is given, and neither PI_CODING_AGENT_DIR nor HOME names pi's directory (see `xylem import --help`)
  [2]
  $ xylem import --follow no-such | true
  xylem: import: no-such: not there yet; --follow waits for it
  $ xylem import --follow --json x
  xylem: import: --json prints one document when all is done, and --follow is never done (see `xylem import --help`)
  [2]
  $ verify
