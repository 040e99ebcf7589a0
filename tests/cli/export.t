xylem export: the bytes of a session file, and the file that the bytes go to.

  $ . "$TESTDIR/setup.sh"

A file that is imported is exported byte for byte.

  $ fresh
  $ for file in $SCENARIO $SESSIONS/specials/damaged-middle-line.jsonl $SESSIONS/specials/multi-root.jsonl; do
  >     id=$(xylem import --json $file 2>/dev/null | sed 's/.*"session":"\([^"]*\)".*/\1/')
  >     xylem export $id --quarantine -o exported.jsonl
  >     cmp exported.jsonl $file
  >     xylem export $id --quarantine | cmp - $file
  > done
  $ verify

An exported file replaces another whole, also behind a link.

  $ fresh
  $ printf before >target
  $ chmod 644 target
  $ ln -s target link
  $ add s e1 note
  $ xylem export s -o link
  $ readlink link
  target
  $ stat -c %a target
  600
  $ cat target
  {"type":"session","version":3,"id":"s","timestamp":"*"} (glob)
  {"type":"note","id":"e1","parentId":null,"timestamp":"*"} (glob)
  $ xylem export s -o .
  xylem: export: */2 cannot be written: Is a directory (glob)
  [6]
  $ verify

An export replaces a file whole, and takes the file from others: who has the old file open goes on with that.

  $ scenario
  $ printf old >out.jsonl
  $ chmod 666 out.jsonl
  $ exec 3<out.jsonl
  $ xylem export $SCENARIO_ID -o out.jsonl
  $ cat <&3
  old (no-eol)
  $ exec 3<&-
  $ stat -c %a out.jsonl
  600
  $ cmp out.jsonl $SCENARIO
  $ xylem export no-such-session -o out.jsonl
  xylem: export: there is no session 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ cmp out.jsonl $SCENARIO
  $ verify

An export to a device writes to it.

  $ scenario
  $ xylem export $SCENARIO_ID -o /dev/null
  $ stat -c %F /dev/null
  character special file
  $ xylem export $SCENARIO_ID -o /dev/stdout >exported
  $ cmp exported $SCENARIO
  $ verify

An export takes no place of a file that would be lost: a file of the store, or the file of another session, deleted or not.

  $ fresh
  $ mkdir files; for id in one two; do echo '{"type":"session","version":3,"id":"'$id'","timestamp":"2026-11-20T00:00:00.000Z","cwd":"/"}' >files/$id.jsonl; done
  $ xylem import -q files
  2 files: 2 new; 0 entries added, 0 lines put into quarantine, 0 problems
  $ xylem export one -o store/data.mdb
  xylem: export: */5/store/data.mdb is a file of the store: nothing was written (see `xylem export --help`) (glob)
  [2]
  $ xylem export one -o files/two.jsonl
  xylem: export: */5/files/two.jsonl is the file of another session: nothing was written (glob)
  [4]
  $ xylem export one -o files/one.jsonl
  $ xylem delete two --yes
  deleted session two (its leaf has depth 0)
  $ xylem export one -o files/two.jsonl
  xylem: export: */5/files/two.jsonl is the file of another session: nothing was written (glob)
  [4]
  $ grep -c '"two"' files/two.jsonl
  1
  $ xylem export one -o new.jsonl; xylem export one -o new.jsonl; cmp new.jsonl files/one.jsonl
  $ verify
