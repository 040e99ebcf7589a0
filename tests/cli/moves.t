xylem moves: the recorded navigations.

  $ . "$TESTDIR/setup.sh"

The leaf of a session of three notes goes back, to nothing, and on to where the leaf was.

  $ move_about() {
  >     fresh
  >     add s first note '"one"'
  >     add s second note '"two"'
  >     add s third note '"three"'
  >     xylem navigate s:first --reason 'the other way' >/dev/null
  >     xylem navigate s:none >/dev/null
  >     add s root note
  >     xylem navigate s:third >/dev/null
  > }

Navigations are listed newest first.

  $ move_about
  $ xylem moves s
  NAME                 TIME  FROM            TO              REASON
  @{1}  *  root            third  "three" (glob)
  @{2}  *  first  "one"    none (glob)
  @{3}  *  third  "three"  first  "one"    the other way (glob)
  $ xylem moves s -n 1
  NAME                 TIME  FROM  TO
  @{1}  *  root  third  "three" (glob)

Each has the name of where the leaf was: what stands in the first column leads to what stands under FROM.

  $ xylem moves s --jsonl
  {"schema":1,"number":3,"name":"@{1}","time":"*","from":"root","to":"third","reason":""} (glob)
  {"schema":1,"number":2,"name":"@{2}","time":"*","from":"first","to":null,"reason":""} (glob)
  {"schema":1,"number":1,"name":"@{3}","time":"*","from":"third","to":"first","reason":"the other way"} (glob)
  $ for name in '@{1}' '@{2}' '@{3}'; do xylem show s:$name --json | grep -o '"entry":"[^"]*"'; done
  "entry":"root"
  "entry":"first"
  "entry":"third"

Documents have the members of a move.

  $ xylem moves s --json -n 2
  {"schema":1,"moves":[{"number":3,"name":"@{1}","time":"*","from":"root","to":"third","reason":""},{"number":2,"name":"@{2}","time":"*","from":"first","to":null,"reason":""}]} (glob)
  $ verify

A session that never moved says so: navigations are not shared.

  $ move_about
  $ xylem fork s:third --id f
  f
  $ xylem moves f
  xylem: moves: the leaf of the session was never moved
  $ xylem moves f >/dev/null
  xylem: moves: the leaf of the session was never moved
  $ xylem moves f --jsonl
  $ xylem moves nobody
  xylem: moves: there is no session 'nobody'; `xylem -s store sessions` lists the sessions
  [3]
  $ verify

On a terminal texts share what room there is. Where there is little room, what the entries say is cut, and left out at
last; reasons stay longest. The time is before all of it: no age.

  $ move_about
  $ export XYLEM_NOW=2020-01-01T00:00:00Z
  $ add s long note '"what is said here is longer than any line of a terminal that people would have"'
  $ xylem navigate s:third --reason 'a reason of more words than there are cells left for it'
  leaf: long -> third
  $ COLUMNS=60 xylem moves s -n 1
  NAME  AGE  FROM                TO              REASON
  @{1}   0s  long  "what is sa…  third  "three"  a reason of…
  $ COLUMNS=36 xylem moves s -n 1
  NAME  AGE  FROM  TO     REASON
  @{1}   0s  long  third  a reason of…
  $ COLUMNS=30 xylem moves s -n 1
  NAME  AGE  FROM  TO
  @{1}   0s  long  third
  $ verify

What a terminal would act on is escaped.

  $ move_about
  $ xylem navigate s:first --reason "$(printf 'evil\033[2J\nline')"
  leaf: third -> first
  $ xylem moves s -n 1
  NAME                 TIME  FROM            TO            REASON
  @{1}  *  third  "three"  first  "one"  evil\\x1b[2J line (glob)
  $ verify

Long ids are cut to what names them.

  $ move_about
  $ add s 01a204a1-6a1f-7c11-a3b0-5f0a5c1f3e9d note
  $ xylem navigate s:first
  leaf: 01a204a1-6a1f-7c11-a3b0-5f0a5c1f3e9d -> first
  $ COLUMNS=80 xylem moves s -n 1
  NAME  AGE  FROM           TO
  @{1}   *  01a204a1-6a1f  first  "one" (glob)
  $ xylem moves s -n 1
  NAME                 TIME  FROM                                  TO
  @{1}  *  01a204a1-6a1f-7c11-a3b0-5f0a5c1f3e9d  first  "one" (glob)
  $ verify
