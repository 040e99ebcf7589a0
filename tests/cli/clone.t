xylem clone: a fork at the leaf.

  $ . "$TESTDIR/setup.sh"
  $ three_notes() {
  >     fresh
  >     add s e1 note
  >     add s e2 note
  >     add s e3 note
  > }

A clone shares the path of the leaf, and goes its own way.

  $ three_notes
  $ xylem navigate s:e2
  leaf: e3 -> e2
  $ xylem clone s --id c
  c
  $ xylem show c:@ --json
  {"schema":1,"session":"c","entry":"e2","parent":"e1","kind":"note","time":"*","depth":2,"branch":1,"lsn":3,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":null,"payload":null} (glob)
  $ xylem show c:e3
  xylem: show: there is no entry 'e3' (the beginning of an id needs 4 characters); `xylem -s store tree --all c` shows the ids
  [3]
  $ add c own note
  $ xylem show s:own
  xylem: show: there is no entry 'own' (the beginning of an id needs 4 characters); `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem show c:own --json
  {"schema":1,"session":"c","entry":"own","parent":"e2","kind":"note","time":"*","depth":3,"branch":2,"lsn":7,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":null,"payload":null} (glob)
  $ verify

An id is made unless one is given.

  $ three_notes
  $ id=$(xylem clone s)
  $ printf %s "$id" | wc -c
  36
  $ xylem show "$id":@ --json
  {"schema":1,"session":"*","entry":"e3","parent":"e2","kind":"note","time":"*","depth":3,"branch":1,"lsn":4,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":null,"payload":null} (glob)
  $ xylem clone s --id "$id"
  xylem: clone: there is a session * already (glob)
  [4]
  $ verify

A clone for programs is one document.

  $ three_notes
  $ xylem clone s --id c --json
  {"schema":1,"session":"c","source":"s","forked_at":"e3","forked_depth":3,"labels_appended":0,"labels_missing":0}
  $ verify

A session without a leaf has a clone without entries.

  $ three_notes
  $ xylem navigate s:none
  leaf: e3 -> none
  $ xylem clone s --id c --json
  {"schema":1,"session":"c","source":"s","forked_at":null,"forked_depth":0,"labels_appended":0,"labels_missing":0}
  $ xylem log c
  xylem: log: the path has no entry
  $ verify

Labels off the path come along when asked for.

  $ three_notes
  $ add s l label '{"targetId":"e1","label":"here"}'
  $ xylem navigate s:e2
  leaf: l -> e2
  $ xylem clone s --id without --json
  {"schema":1,"session":"without","source":"s","forked_at":"e2","forked_depth":2,"labels_appended":0,"labels_missing":1}
  $ xylem clone s --labels --id with
  with
  xylem: clone: 1 label of the source appended
  $ xylem show with:e1 --json
  {"schema":1,"session":"with","entry":"e1","parent":null,"kind":"note","time":"*","depth":1,"branch":1,"lsn":2,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":"here","payload":null} (glob)
  $ xylem show without:e1 --json
  {"schema":1,"session":"without","entry":"e1","parent":null,"kind":"note","time":"*","depth":1,"branch":1,"lsn":2,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":null,"payload":null} (glob)
  $ verify
