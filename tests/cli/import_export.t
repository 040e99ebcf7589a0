xylem import DIRECTORY: what `xylem export --all` wrote, whole: the way into another store.

  $ . "$TESTDIR/setup.sh"
  $ kept() {
  >     empty 12:00
  >     mkdir -m 700 store
  >     cp fixtures/store-3/data.mdb store
  >     chmod 600 store/data.mdb
  > }

What goes out of a store and into another goes out of that store again, byte for byte. The states are the same.

  $ kept
  $ xylem export --all out >/dev/null 2>&1
  $ xylem -s new import out 2>&1 | tail -3
  new              0 added                 out/deleted-clone.changes
  new              5 added                 out/seq.01a2290f-6e30-754d-b72c-6e87ffe64ca1.changes
  42 files: 42 new; 141 entries added, 0 lines put into quarantine, 0 problems
  $ xylem -s new verify
  no problems: 40 sessions, 42 branches, 141 entries, 683 rows checked
  $ xylem -s new export --all out-again >/dev/null 2>&1
  $ diff -r out out-again
  $ for session in notes fork-of-notes heir clone 01a1f9f7-22cb; do
  >     xylem state "$session" >before; xylem -s new state "$session" | diff before - || echo "$session"
  > done

An import that was killed is run again, and ends the same.

  $ xylem -s new import out --json | jq -c '[.file_count, .unchanged_count, .added, .problem_count], .files[0].session'
  [42,42,0,0]
  "source"
  $ jq -c '.session_count = 4 | .files |= .[:5]' out/store.json >store.json; cp -r out half; cp store.json half
  $ xylem -s half.store import half
  xylem: import: half/store.json does not list every file that ends in .changes: 37 left alone
  xylem: import: half.store is a new xylem store
  new             12 added                 half/source.changes
  new              3 added                 half/~freed-1.changes
  new              2 added                 half/heir.changes
  new              3 added                 half/fork.changes
  new              1 added                 half/clone.changes
  5 files: 5 new; 21 entries added, 0 lines put into quarantine, 0 problems
  $ xylem -s half.store import out 2>&1 | tail -1
  42 files: 37 new, 5 unchanged; 120 entries added, 0 lines put into quarantine, 0 problems
  $ xylem -s half.store export --all out-of-half >/dev/null 2>&1; diff -r out out-of-half

A session that the store has with another history is left alone.

  $ fresh
  $ add s a note
  $ add fork b note
  $ xylem export --all out
  2 sessions, 0 lines in quarantine: out
  $ xylem -s new import out >/dev/null 2>&1
  $ add s mine note
  $ xylem -s new append s --id theirs --kind note >/dev/null
  $ xylem export --all later >/dev/null
  $ xylem -s new import later
  xylem: import: later/s.changes:1-5: the store has another history of the session s: change 3 differs
  unchanged        0 added                 later/fork.changes
  xylem: import: sessions that differ stay as this store has them: the same command with `-s NEW` takes those of the export into a new store
  2 files: 1 unchanged, 1 failed; 0 entries added, 0 lines put into quarantine, 1 problem
  [4]
  $ xylem -s new log s --json | jq -c '[.entries[].entry]'
  ["theirs","a"]

The directory may be a stranger's. Files that are damaged, cut or missing are named, and the others come in.

  $ copy() { rm -rf bad bad.store; cp -r out bad; }
  $ copy; sed -i 's/"entry":"a"/"entry":"z"/' bad/s.changes; xylem -s bad.store import bad 2>&1 | sed 's/[0-9a-f]\{16\}/HASH/g'
  xylem: import: bad.store is a new xylem store
  xylem: import: bad/s.changes:4: the chain of the rows: expected HASH, found HASH
  new              1 added                 bad/fork.changes
  2 files: 1 new, 1 failed; 1 entry added, 0 lines put into quarantine, 1 problem
  $ copy; sed -i '$d' bad/s.changes; xylem -s bad.store import bad -q
  xylem: import: bad.store is a new xylem store
  xylem: import: bad/s.changes:4: expected a line with a row, and a row `end` last; found the end of the file: the file is not whole
  2 files: 1 new, 1 failed; 1 entry added, 0 lines put into quarantine, 1 problem
  [2]
  $ copy; rm bad/s.changes; xylem -s bad.store import bad -q
  xylem: import: bad.store is a new xylem store
  xylem: import: opening bad/s.changes: No such file or directory
  2 files: 1 new, 1 failed; 1 entry added, 0 lines put into quarantine, 1 problem
  [6]
  $ copy; cp bad/s.changes bad/more.changes; xylem -s bad.store import bad -q
  xylem: import: bad/store.json does not list every file that ends in .changes: 1 left alone
  xylem: import: bad.store is a new xylem store
  2 files: 2 new; 2 entries added, 0 lines put into quarantine, 0 problems
  $ copy; jq -c '.files[0] = "../out/s.changes"' out/store.json >bad/store.json; xylem -s bad.store import bad -q
  xylem: import: bad/store.json: expected names in `files` that end in .changes, without a slash, as an export of a whole store has
  [2]
  $ copy; jq -c '.files[0] = "s.jsonl"' out/store.json >bad/store.json; xylem -s bad.store import bad -q
  xylem: import: bad/store.json: expected names in `files` that end in .changes, without a slash, as an export of a whole store has
  [2]
  $ copy; jq -c '.files = "s.changes"' out/store.json >bad/store.json; xylem -s bad.store import bad -q
  xylem: import: bad/store.json: expected a member `session_count`, and a list `files`, as an export of a whole store has
  [2]
  $ copy; jq -c '.files |= .[:1]' out/store.json >bad/store.json; xylem -s bad.store import bad -q
  xylem: import: bad/store.json does not list every file that ends in .changes: 1 left alone
  xylem: import: bad: expected the files of 2 sessions, found 1; nothing was imported: copy the export again
  [2]
  $ copy; mv bad/s.changes s; ln -s ../s bad/s.changes; xylem -s bad.store import bad -q
  xylem: import: bad/s.changes: expected a regular file of the export
  [2]
  $ copy; echo '{' >bad/store.json; xylem -s bad.store import bad -q
  xylem: import: bad/store.json: JSON is not well-formed at byte 2: parse error: premature EOF
  [2]
  $ copy; echo '[]' >bad/store.json; xylem -s bad.store import bad -q
  xylem: import: bad/store.json: expected a member `session_count`, and a list `files`, as an export of a whole store has
  [2]
  $ copy; rm bad/store.json; mkdir bad/store.json; xylem -s bad.store import bad -q
  xylem: import: bad/store.json cannot be read: Is a directory
  [6]

Without store.json the export is not whole: the session files alone are taken.

  $ copy; rm bad/store.json; xylem -s bad.store import bad
  xylem: import: bad.store is a new xylem store
  new              1 added                 bad/fork.jsonl
  new              1 added                 bad/s.jsonl
  2 files: 2 new; 2 entries added, 0 lines put into quarantine, 0 problems

An export does not grow, so nothing can follow it.

  $ xylem import --follow out
  xylem: import: out is the export of a whole store, which does not grow: --follow needs session files (see `xylem import --help`)
  [2]

A session that follows another store goes on to follow; the report says that the session grew.

  $ fresh
  $ add s a note
  $ xylem bundle s 2>/dev/null | xylem -s follower unbundle >/dev/null 2>&1
  $ xylem -s follower export --all out >/dev/null; xylem -s new import out -q >/dev/null 2>&1
  $ add s b note
  $ xylem bundle s 2>/dev/null | xylem -s follower unbundle >/dev/null
  $ xylem -s follower export --all later >/dev/null; xylem -s new import later
  grew             1 added                 later/s.changes
  1 file: 1 grew; 1 entry added, 0 lines put into quarantine, 0 problems

What its owner redacted goes out of the store, and out of the bytes of the file.

  $ add s c note '{"text":"a secret"}'
  $ follow() { xylem bundle s 2>/dev/null | xylem -s follower unbundle >/dev/null; xylem -s follower export --all $1 >/dev/null; }
  $ follow secret; xylem -s new import secret -q; grep -ac 'a secret' new/data.mdb
  1 file: 1 grew; 1 entry added, 0 lines put into quarantine, 0 problems
  1
  $ xylem redact s:c --reason key --yes >/dev/null; follow redacted; xylem -s new import redacted | grep -v ^file
  grew             0 added                 redacted/s.changes
  1 file: 1 grew; 0 entries added, 0 lines put into quarantine, 0 problems
  $ grep -ac 'a secret' new/data.mdb; xylem -s new verify; xylem -s new import redacted -q
  0
  no problems: 1 session, 1 branch, 3 entries, 21 rows checked
  1 file: 1 unchanged; 0 entries added, 0 lines put into quarantine, 0 problems

Two freed sessions that had one id stay two, and their forks find their own.

  $ fresh
  $ for data in 1 2; do
  >     add s a note "{\"x\":$data}"; xylem clone s --id fork-$data >/dev/null
  >     xylem delete s --yes >/dev/null; xylem gc --yes >/dev/null 2>&1
  > done
  $ add s a note '{"x":3}'
  $ xylem clone fork-1 --id clone >/dev/null
  $ xylem export --all out >/dev/null; xylem -s new import out
  xylem: import: new is a new xylem store
  new              1 added                 out/~freed-1.changes
  new              0 added                 out/fork-1.changes
  new              1 added                 out/~freed-2.changes
  new              0 added                 out/fork-2.changes
  new              1 added                 out/s.changes
  new              0 added                 out/clone.changes
  6 files: 6 new; 3 entries added, 0 lines put into quarantine, 0 problems
  $ xylem -s new export --all again >/dev/null; diff -r out again

An export of format 2 has documents instead of changes: moves, leaf, deletion, names of files and quarantine come in.

  $ empty 12:00
  $ xylem import fixtures/store-2/export
  xylem: import: fixtures/store-2/export was written in format 2: moves come behind all entries, redacted entries with their reason as content
  xylem: import: store is a new xylem store
  new             31 added                 fixtures/store-2/export/01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl
  new              2 added      18 shared  fixtures/store-2/export/01a1f9f7-23f3-72e7-96e0-968898789fa5.jsonl
  xylem: import: fixtures/store-2/export/01a1fa04-8967-7035-be02-03c30a7d5352.jsonl:4: byte 502: entry 0rphan00: no line has the id of the entry's parent: placed as a root
  new             16 added                 fixtures/store-2/export/01a1fa04-8967-7035-be02-03c30a7d5352.jsonl
  new              8 added                 fixtures/store-2/export/01a1fa04-89a2-7035-be02-03c84fb011b3.jsonl
  new              1 added                 fixtures/store-2/export/an%20id%20%2F%20with%20%25%2C%20%C3%BC%20and%20...jsonl
  new              0 added      20 shared  fixtures/store-2/export/deleted-clone.jsonl
  new              7 added                 fixtures/store-2/export/notes.jsonl
  new              1 added       1 shared  fixtures/store-2/export/fork-of-notes.jsonl
  new              1 added                 fixtures/store-2/export/keeps-the-shared.jsonl, a tree of its own: source source is not in the store
  new              1 added                 fixtures/store-2/export/secret.jsonl
  new              5 added                 fixtures/store-2/export/seq.01a22776-eda9-7fee-9730-2a9bd26be22b.jsonl, shares nothing with its source notes
  11 files: 11 new; 73 entries added, 39 shared (48.9 KiB saved), 0 lines put into quarantine, 1 problem
  [1]
  $ xylem verify
  no problems: 11 sessions, 13 branches, 73 entries, 308 rows checked
  $ xylem moves notes
  NAME                 TIME  FROM                     TO                                                              REASON
  @{1}  2026-11-29 13:20:35  none                     todo  {"items":[{"id":1,"text":"one","done":true}],"nextId":2}
  @{2}  2026-11-29 13:20:35  on     {"enabled":true}  none                                                            before all
  @{3}  2026-11-29 13:20:35  empty                    on    {"enabled":true}                                          back to the toggle
  $ xylem quarantine 01a1fa04-8967
  LINE  OFFSET  BYTES  REASON     FILE                                 BEGINS WITH
     3     319    438  duplicate  /tmp/kept-store/files/damaged.jsonl  {"type":"message","id":"e1e86b6b","parentId":"b7f2eeaa","tim
    19   3,856      8  not-json   /tmp/kept-store/files/damaged.jsonl  torn: \xff
  $ xylem sessions --deleted
  SESSION        AGE  ENTRIES  STATE    DIRECTORY       NAME          LAST
  deleted-clone   0s       20  deleted  /home/dev/proj  scenario one  echo: after resume
  $ xylem export --all out >/dev/null
  $ for file in fixtures/store-2/export/*.jsonl; do cmp "$file" "out/${file##*/}"; done
  $ for file in fixtures/store-2/export/[!s]*.json; do
  >     grep -h '"row":"end"' "out/$(basename "$file" .json).changes" | jq -r '.leaf' >leaf
  >     jq -r .leaf "$file" | diff leaf -
  >     jq -c '.moves[] | del(.number) | [.time, .from, .to, .reason]' "$file" >moves
  >     grep -h '"row":"moved"' "out/$(basename "$file" .json).changes" | jq -c '[.time, .from, .to, .reason // ""]' | diff moves -
  > done
  $ for file in fixtures/store-2/export/[!s]*.json; do
  >     jq -c '.lines[] | [.line, .offset, .hash, .type, .file, .bytes]' "$file" >lines
  >     grep -h '"row":"quarantined"' "out/$(basename "$file" .json).changes" |
  >     jq -c '[.line, .offset, .hash, .type, .file, .bytes]' | diff lines -
  > done

The states at every entry are those that the last program of format 2 found in its store.

  $ for file in fixtures/store-2/export/*.json; do
  >     session=$(jq -r '.session // empty' "$file")
  >     xylem state "$session" --every --jsonl 2>/dev/null |
  >     jq -cS '[.session, .at.entry, .readonly, .nudge.due, .todo, .sequence, .mark]'
  > done | diff fixtures/store-2/states.jsonl -

A second import changes nothing, and a document that is missing is found before anything is imported.

  $ xylem import fixtures/store-2/export -q
  xylem: import: fixtures/store-2/export was written in format 2: moves come behind all entries, redacted entries with their reason as content
  11 files: 10 unchanged, 1 skipped; 0 entries added, 0 lines put into quarantine, 0 problems
  $ cp -r fixtures/store-2/export two; rm two/notes.json; xylem import two -q
  xylem: import: two: expected the documents of 11 sessions, found 10; nothing was imported: copy the export again
  [2]
