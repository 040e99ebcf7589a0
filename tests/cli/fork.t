xylem fork: what a fork shares, where it begins, and the labels that it lacks.

  $ . "$TESTDIR/setup.sh"

A fork begins before an entry, and before a root.

  $ fresh
  $ xylem append s --create --kind note --id e1
  e1
  $ xylem append s --kind note --id e2
  e2
  $ xylem fork s:e2 --before --id f --json
  {"schema":1,"session":"f","source":"s","forked_at":"e1","forked_depth":1,"labels_appended":0,"labels_missing":0}
  $ xylem fork s:e1 --before --id g --json
  {"schema":1,"session":"g","source":"s","forked_at":null,"forked_depth":0,"labels_appended":0,"labels_missing":0}
  $ xylem log g
  xylem: log: the path has no entry
  $ xylem clone g --id h --json
  {"schema":1,"session":"h","source":"g","forked_at":null,"forked_depth":0,"labels_appended":0,"labels_missing":0}
  $ xylem clone s --id i --json
  {"schema":1,"session":"i","source":"s","forked_at":"e2","forked_depth":2,"labels_appended":0,"labels_missing":0}
  $ verify

Labels that a fork lacks are counted, and appended on request.

  $ fresh
  $ xylem append s --create --kind note --id e1
  e1
  $ xylem append s --kind note --id e2
  e2
  $ xylem append s --kind label --id l --data '{"targetId":"e1","label":"here"}'
  l
  $ xylem fork s:e2 --id f
  f
  xylem: fork: 1 label of the source lies outside of the shared path and was left behind (--labels appends such labels)
  $ xylem fork s e2 --json --id f2 2>/dev/null
  [2]
  $ xylem fork s:e2 --labels --json --id g
  {"schema":1,"session":"g","source":"s","forked_at":"e2","forked_depth":2,"labels_appended":1,"labels_missing":0}
  $ xylem show g:e1
  entry     e1
  parent    none (a root)
  children  e2
  kind      note
  label     here
  time      * (* ago) (glob)
  place     depth 1, branch 1, lsn 2
  check     * (glob)
  payload   none
  $ xylem clone s --id h
  h
  $ xylem show h:e1 --json
  {"schema":1,"session":"h","entry":"e1","parent":null,"kind":"note","time":"*","depth":1,"branch":1,"lsn":2,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":"here","payload":null} (glob)
  $ verify

A label that changed or went off the path counts as lacking.

  $ fresh
  $ xylem append s --create --kind note --id e1
  e1
  $ xylem append s --kind note --id e2
  e2
  $ xylem append s --kind label --id l1 --data '{"targetId":"e1","label":"old"}'
  l1
  $ xylem append s --kind label --id base --data '{"targetId":"e2","label":"gone"}'
  base
  $ xylem append s --kind label --id l3 --data '{"targetId":"e1","label":"new"}'
  l3
  $ xylem append s --kind label --id l4 --data '{"targetId":"e2"}'
  l4
  $ xylem fork s:base --json --id f
  {"schema":1,"session":"f","source":"s","forked_at":"base","forked_depth":4,"labels_appended":0,"labels_missing":2}
  $ xylem show f:e1
  entry     e1
  parent    none (a root)
  children  e2
  kind      note
  label     old
  time      * (* ago) (glob)
  place     depth 1, branch 1, lsn 2
  check     * (glob)
  payload   none
  $ xylem fork s:base --labels --json --id g
  {"schema":1,"session":"g","source":"s","forked_at":"base","forked_depth":4,"labels_appended":2,"labels_missing":0}
  $ xylem show g:e1
  entry     e1
  parent    none (a root)
  children  e2
  kind      note
  label     new
  time      * (* ago) (glob)
  place     depth 1, branch 1, lsn 2
  check     * (glob)
  payload   none
  $ xylem show g:e2 --json
  {"schema":1,"session":"g","entry":"e2","parent":"e1","kind":"note","time":"*","depth":2,"branch":1,"lsn":3,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":null,"payload":null} (glob)
  $ verify
