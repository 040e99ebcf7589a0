xylem quarantine: the lines that an import could not place.

  $ . "$TESTDIR/setup.sh"

Quarantined lines are listed and printed.

  $ fresh
  $ xylem import --json $SESSIONS/specials/damaged-middle-line.jsonl
  xylem: import: fixtures/sessions/pi-0.87.1/specials/damaged-middle-line.jsonl:4: byte 757: not-json: the line is not a JSON object (quarantined)
  {"schema":1,"files":[{"path":"fixtures/sessions/pi-0.87.1/specials/damaged-middle-line.jsonl","error":null,"session":"01a1fa04-8967-7035-be02-03c30a7d5352","outcome":"new","file_version":3,"line_count":17,"bytes":3305,"added":15,"shared":0,"shared_bytes":0,"source":null,"source_outcome":"none","matched":0,"quarantined_lines":1,"kept_lines":0,"unconsumed_bytes":0,"leaf_stayed":false,"problems":[{"type":"not-json","line":4,"offset":757,"entry":null,"quarantined":true,"text":"the line is not a JSON object"}]}],"file_count":1,"new_count":1,"grew_count":0,"changed_count":0,"unchanged_count":0,"skipped_count":0,"failed_count":0,"left_count":0,"added":15,"shared":0,"shared_bytes":0,"matched":0,"quarantined_lines":1,"problem_count":1}
  [1]
  $ id=$(xylem sessions --jsonl | sed 's/.*"session":"\([^"]*\)".*/\1/')
  $ xylem quarantine $id | without_directories
  LINE  OFFSET  BYTES  REASON  FILE  BEGINS WITH
    4  757  30  not-json  damaged-middle-line.jsonl  {"type":"custom","id":"broken
  $ xylem quarantine $id --line 4 --raw
  {"type":"custom","id":"broken
  $ xylem quarantine $id --line 5 --raw
  xylem: quarantine: line 5 is not in quarantine
  [3]
  $ add other a note
  $ xylem quarantine --json
  {"schema":1,"lines":[{"session":"01a1fa04-8967-7035-be02-03c30a7d5352","line":4,"offset":757,"hash":"fb61caa3ec348536","type":"not-json","text":"the line is not a JSON object","file":"*/fixtures/sessions/pi-0.87.1/specials/damaged-middle-line.jsonl","bytes":30,"raw":"{\"type\":\"custom\",\"id\":\"broken\n"}]} (glob)

The lines of a deleted session are still there.

  $ xylem delete $id --yes 2>/dev/null
  deleted session 01a1fa04-8967-7035-be02-03c30a7d5352 (its leaf has depth 15)
  $ xylem quarantine | without_directories
  SESSION  LINE  OFFSET  BYTES  REASON  FILE  BEGINS WITH
  01a1fa04-8967-7035-be02-03c30a7d5352  4  757  30  not-json  damaged-middle-line.jsonl  {"type":"custom","id":"broken
  $ xylem quarantine --line 4 --raw
  xylem: quarantine: expected a session and a line: xylem quarantine SESSION --line N --raw (see `xylem quarantine --help`)
  [2]
  $ verify

A narrow list has ids that name their sessions.

  $ fresh
  $ xylem import -q $SESSIONS/specials
  xylem: import: fixtures/sessions/pi-0.87.1/specials/damaged-middle-line.jsonl:4: byte 757: not-json: the line is not a JSON object (quarantined)
  xylem: import: fixtures/sessions/pi-0.87.1/specials/damaged-orphan-and-duplicate.jsonl:3: byte 319: entry e1e86b6b: another line has the same id, and is used instead (quarantined)
  xylem: import: fixtures/sessions/pi-0.87.1/specials/damaged-orphan-and-duplicate.jsonl:5: byte 940: entry 0rphan00: no line has the id of the entry's parent: placed as a root
  16 files: 10 new, 6 changed; 3,696 entries added, 2 shared (529 B saved), 2 lines put into quarantine, 3 problems
  [1]
  $ for columns in 40 60 80 100 120; do
  >     COLUMNS=$columns xylem quarantine >rows
  >     grep ".\{$((columns + 1))\}" rows
  >     sed '1d; s/ .*//' rows | while read -r id; do
  >         xylem quarantine $id >/dev/null && echo $id
  >     done
  > done
  01a1fa04-8967
  01a1fa04-8967
  01a1fa04-8967
  01a1fa04-8967
  01a1fa04-8967
  01a1fa04-8967
  01a1fa04-8967
  01a1fa04-8967
  01a1fa04-8967-7035-be02-03c30a7d5352
  01a1fa04-8967-7035-be02-03c30a7d5352
  $ COLUMNS=60 xylem quarantine
  SESSION        LINE  OFFSET  BYTES  REASON     FILE    BEGI…
  01a1fa04-8967     3     319    438  duplicate  …/dam…  {"ty…
  01a1fa04-8967     4     757     30  not-json   …/dam…  {"ty…
  $ verify
