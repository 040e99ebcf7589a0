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
  xylem: export: session importing is left out: its import has not finished; import its file again
  40 sessions, 5 lines in quarantine: out
  $ diff -r out fixtures/store-3/export
  $ stat -c '%a %n' out out/store.json out/notes.jsonl
  700 out
  600 out/store.json
  600 out/notes.jsonl
  $ jq -c 'del(.files)' out/store.json
  {"schema":1,"format_version":3,"session_count":40,"line_count":5,"damaged_count":0}
  $ jq -r '.files[]' out/store.json | head -3
  source.changes
  ~freed-1.changes
  heir.changes

A line of JSON tells each change, in words that any program can read. Other hosts' lines, deletions, navigations, session
files, quarantine and the leaf are there.

  $ cat out/notes.changes
  {"row":"session","schema":1,"session":"notes","created":"2026-11-29T20:46:46.783Z"}
  {"row":"created"}
  {"row":"entry","entry":"on","kind":"custom:readonly","time":"2026-11-29T20:46:46.783Z","format":"json","payload":"{\"enabled\":true}","payload_hash":"0985913e70950591"}
  {"row":"entry","entry":"todo","parent":"on","kind":"custom:todo","time":"2026-11-29T20:46:46.785Z","format":"json","payload":"{\"items\":[{\"id\":1,\"text\":\"one\",\"done\":true}],\"nextId\":2}","payload_hash":"9188140b765bda13"}
  {"row":"entry","entry":"other","parent":"on","kind":"note","time":"2026-11-29T20:46:46.787Z","format":"json","payload":"\"text\"","payload_hash":"e4f3670d9b50fdab"}
  {"row":"entry","entry":"empty","parent":"other","kind":"note","time":"2026-11-29T20:46:46.789Z","format":"none","payload_hash":"2d06800538d394c2"}
  {"row":"moved","time":"2026-11-29T20:46:46.791Z","from":"empty","to":"on","reason":"back to the toggle"}
  {"row":"moved","time":"2026-11-29T20:46:46.793Z","from":"on","reason":"before all"}
  {"row":"moved","time":"2026-11-29T20:46:46.794Z","to":"todo"}
  {"row":"entry","entry":"01a2290f-6e0c-7000-8000-0349f7fc0536","parent":"todo","kind":"session_info","time":"2026-11-29T20:46:46.796Z","format":"json","payload":"{\"name\":\"the notes\"}","payload_hash":"056c514dcd9fe5ab"}
  {"row":"entry","entry":"01a2290f-6e0e-7000-8000-034c161c7438","parent":"01a2290f-6e0c-7000-8000-0349f7fc0536","kind":"label","time":"2026-11-29T20:46:46.798Z","format":"json","payload":"{\"targetId\":\"on\",\"label\":\"first\"}","payload_hash":"1a1a75134ab853aa"}
  {"row":"entry","entry":"01a2290f-6e2e-7000-8000-038e1de0de1f","parent":"01a2290f-6e0e-7000-8000-034c161c7438","kind":"custom:sequence","time":"2026-11-29T20:46:46.830Z","format":"json","payload":"{\"version\":1,\"sequenceId\":\"the-sequence\",\"steps\":[\"look\",\"write\"],\"updatedAt\":1795985206830}","payload_hash":"faa8f8cc4e4070c0"}
  {"row":"end","leaf":"01a2290f-6e2e-7000-8000-038e1de0de1f","chain":"649d37a5a53a8c23"}
  $ for row in session entry moved redacted side deleted undeleted file displaced quarantined end; do
  >     echo "$row" $(cat out/*.changes | jq -c "select(.row == \"$row\")" | wc -l)
  > done
  session 42
  entry 141
  moved 8
  redacted 3
  side 7
  deleted 2
  undeleted 1
  file 6
  displaced 1
  quarantined 5
  end 42
  $ grep quarantined out/01a1fa04-8967*.changes | jq -c '.type, .text' | cut -c1-60
  "duplicate"
  "{\"type\":\"message\",\"id\":\"e1e86b6b\",\"parentId\":\"b7
  "not-json"
  {"base64":"dG9ybjog/wo="}

Every session file can be read by itself, and the sessions have the same entries.

  $ xylem -s again import -q out/*.jsonl 2>/dev/null
  38 files: 37 new, 1 changed; 137 entries added, 139 shared (58.4 KiB saved), 1 line put into quarantine, 3 problems
  [1]
  $ for session in notes fork-of-notes keeps-the-shared 01a1f9f7-22cb 'an id / with %, ü and ..'; do
  >     xylem log "$session" --jsonl >before; xylem -s again log "$session" --jsonl | diff before - >changed || echo "$session"
  > done

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
  %2E.hidden.changes
  %2E.hidden.jsonl
  \xc3\xbc..%C~1.changes (esc)
  \xc3\xbc..%C~1.jsonl (esc)
  gone.changes
  gone.jsonl
  store.json

A session with the id `store` leaves the store's file alone.

  $ fresh
  $ add store e note
  $ xylem export --all out
  1 session, 0 lines in quarantine: out
  $ ls out; jq -c .session_count out/store.json
  store.changes
  store.json
  store.jsonl
  1

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
  {"schema":1,"format_version":3,"session_count":1,"line_count":0,"damaged_count":1,"files":["sound.changes"]}
  sound.changes
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
