xylem export --all: every session of a store, for a program of another format.

  $ . "$TESTDIR/setup.sh"
  $ kept() {
  >     empty 12:00
  >     mkdir -m 700 store
  >     cp fixtures/store-3/data.mdb store
  >     chmod 600 store/data.mdb
  > }

The kept store has everything that a store can hold. Beside it stands what was written of it.

  $ kept
  $ xylem verify | head -1
  no problems: 41 sessions, 43 branches, 142 entries, 682 rows checked
  $ xylem export --all out
  xylem: export: out/host%20fork.lines: 1 left out: redacted
  41 sessions, 5 lines in quarantine: out
  $ diff -r out fixtures/store-3/export
  $ stat -c '%a %n' out out/store.json out/notes.jsonl
  700 out
  600 out/store.json
  600 out/notes.jsonl
  $ jq -c '[.session, .state, .is_ledger]' out/*.json | sort
  ["01a1f9f7-22cb-72e7-96e0-96825857127f","live",false]
  ["01a1f9f7-23f3-72e7-96e0-968898789fa5","live",false]
  ["01a1fa04-8967-7035-be02-03c30a7d5352","live",false]
  ["01a1fa04-89a2-7035-be02-03c84fb011b3","live",false]
  ["an id / with %, \xc3\xbc and ..","live",false] (esc)
  ["before","live",false]
  ["behind lost lsns","live",false]
  ["clone","live",false]
  ["deep 0","live",false]
  ["deep 1","live",false]
  ["deep 2","live",false]
  ["deep 3","live",false]
  ["deep 4","live",false]
  ["deep 5","live",false]
  ["deep 6","live",false]
  ["deep 7","live",false]
  ["deep 8","live",false]
  ["deep 9","live",false]
  ["deleted-clone","deleted",false]
  ["empty","live",false]
  ["follows","live",false]
  ["fork","live",false]
  ["fork-of-notes","live",false]
  ["heir","live",false]
  ["host fork","live",false]
  ["host","live",false]
  ["imported","live",false]
  ["importing","importing",false]
  ["keeps-the-shared","live",false]
  ["noted","live",false]
  ["notes","live",false]
  ["one id","live",false]
  ["one id","live",false]
  ["owned","live",false]
  ["second life","live",false]
  ["secret","live",false]
  ["seq.01a2290f-6dee-7401-8de8-f8b12adacb98","live",true]
  ["seq.01a2290f-6e30-754d-b72c-6e87ffe64ca1","live",true]
  ["source","live",false]
  ["undeleted","live",false]
  ["written last","live",false]
  [null,null,null]

Every file can be read again, and the sessions have the same entries.

  $ xylem -s again import -q out/*.jsonl 2>/dev/null
  38 files: 37 new, 1 changed; 137 entries added, 139 shared (58.4 KiB saved), 1 line put into quarantine, 3 problems
  [1]
  $ for session in notes fork-of-notes keeps-the-shared 01a1f9f7-22cb 'an id / with %, ü and ..'; do
  >     xylem log "$session" --jsonl >before; xylem -s again log "$session" --jsonl | diff before - >changed || echo "$session"
  > done

The document has what the file cannot hold: moves, the leaf, and quarantined lines byte by byte.

  $ jq -c '.moves[]' out/notes.json
  {"number":1,"time":"2026-11-29T20:46:46.791Z","from":"empty","to":"on","reason":"back to the toggle"}
  {"number":2,"time":"2026-11-29T20:46:46.793Z","from":"on","to":null,"reason":"before all"}
  {"number":3,"time":"2026-11-29T20:46:46.794Z","from":null,"to":"todo","reason":""}
  $ jq -r '.lines[1].base64' out/01a1fa04-8967*.json | base64 -d | od -c
  0000000   t   o   r   n   :     377  \n
  0000010

A deleted session and a long id have their files too.

  $ fresh
  $ LONG=$(printf 'ü%.0s' $(seq 100))
  $ add "$LONG" e note
  $ add ..hidden e note
  $ add gone e note
  $ xylem delete gone --yes >/dev/null
  $ xylem export --all out
  3 sessions, 0 lines in quarantine: out
  $ ls out | sed 's|\(%C3%BC\)\{2,\}|ü..|'
  %2E.hidden.json
  %2E.hidden.jsonl
  \xc3\xbc..%C~1.json (esc)
  \xc3\xbc..%C~1.jsonl (esc)
  gone.json
  gone.jsonl
  store.json

A session with the id `store` leaves the store's file alone.

  $ fresh
  $ add store e note
  $ xylem export --all out
  1 session, 0 lines in quarantine: out
  $ ls out; jq -c .session_count out/store.json; jq -c .leaf out/store~1.json
  store.json
  store~1.json
  store~1.jsonl
  1
  "e"

The directory is new or empty, and damage in one session keeps no other back.

  $ scenario
  $ add sound e note
  $ xylem export --all out >/dev/null
  $ xylem export --all out
  xylem: export: out is not empty: an export needs a directory of its own
  [4]
  $ xylem export --all no/such/directory
  xylem: export: cannot make the directory no/such/directory: No such file or directory
  [3]
  $ touch file; xylem export --all file
  xylem: export: cannot make the directory file: Not a directory
  [6]
  $ mkdir new; damage 'branch B question'
  $ xylem export --all new
  xylem: export: session 01a1f9f7-22cb-72e7-96e0-96825857127f is not written: the payload of entry d3300e75 at branch 2, depth 7 does not match its hash
  1 session, 0 lines in quarantine: new
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ cat new/store.json; ls new
  {"schema":1,"format_version":3,"session_count":1,"line_count":0,"damaged_count":1}
  sound.json
  sound.jsonl
  store.json
  $ xylem export --all
  xylem: export: --all takes a directory, and no other option: xylem export --all DIRECTORY (see `xylem export --help`)
  [2]
  $ xylem export --all 01a1f9f7-22cb
  xylem: export: --all writes every session into a directory, and '01a1f9f7-22cb' is a session (see `xylem export --help`)
  [2]
  $ xylem export --all x -o y
  xylem: export: --all takes a directory, and no other option: xylem export --all DIRECTORY (see `xylem export --help`)
  [2]
  $ xylem export --all x --quarantine
  xylem: export: --all takes a directory, and no other option: xylem export --all DIRECTORY (see `xylem export --help`)
  [2]
