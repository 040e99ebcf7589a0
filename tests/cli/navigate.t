xylem navigate: where the leaf goes, and what the leaf does not go to.

  $ . "$TESTDIR/setup.sh"
  $ two_sessions() {
  >     fresh
  >     add s e1 note
  >     add s e2 note
  >     add other x1 note
  > }

The next append goes on from there.

  $ two_sessions
  $ xylem navigate s:e1
  leaf: e2 -> e1
  $ add s e3 note
  $ xylem show s:e3 --json
  {"schema":1,"session":"s","entry":"e3","parent":"e1","kind":"note","time":"*","depth":2,"branch":3,"lsn":7,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":null,"payload":null} (glob)
  $ xylem navigate s:none
  leaf: e3 -> none
  $ add s root note
  $ xylem show s:root --json
  {"schema":1,"session":"s","entry":"root","parent":null,"kind":"note","time":"*","depth":1,"branch":4,"lsn":9,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":null,"payload":null} (glob)
  $ verify

The reason is kept with the move.

  $ two_sessions
  $ xylem navigate s:@~1 --reason 'a better way'
  leaf: e2 -> e1
  $ xylem moves s --jsonl
  {"schema":1,"number":1,"name":"@{1}","time":"*","from":"e2","to":"e1","reason":"a better way"} (glob)
  $ verify

A move to the leaf itself is a move.

  $ two_sessions
  $ xylem navigate s:@
  leaf: e2 -> e2
  $ xylem moves s --jsonl
  {"schema":1,"number":1,"name":"@{1}","time":"*","from":"e2","to":"e2","reason":""} (glob)
  $ verify

An entry of another session is no place to go.

  $ two_sessions
  $ xylem navigate s:x1
  xylem: navigate: there is no entry 'x1' (the beginning of an id needs 4 characters); `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem navigate s:@~2
  xylem: navigate: there is no entry '@~2': '@' has depth 2
  [3]
  $ xylem navigate s
  xylem: navigate: 's' is a session, expected SESSION:ENTRY; 's:@' is its current entry (see `xylem navigate --help`)
  [2]
  $ xylem moves s --jsonl
  $ verify
