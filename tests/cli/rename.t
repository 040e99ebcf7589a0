xylem rename; and the commands that refuse to append to a session of a host.

  $ . "$TESTDIR/setup.sh"

A session gets a name, and another.

  $ fresh
  $ add talk first note
  $ xylem rename talk 'fix the "login"'
  name: none -> fix the "login"
  $ xylem show talk --json
  {"schema":1,"session":"talk","entry":"*","parent":"first","kind":"session_info","time":"*","depth":2,"branch":1,"lsn":3,"check":"*","imported":false,"line_bytes":0,"format":"json","payload_bytes":28,"label":null,"payload":{"name":"fix the \"login\""}} (glob)
  $ xylem rename fix done
  xylem: rename: there is no session 'fix'; did you mean talk (fix the "login", 0s)?
  [3]
  $ xylem rename 'fix the "login"' 'done'
  name: fix the "login" -> done
  $ xylem show done:@^1 --json
  {"schema":1,"session":"talk","entry":"first","parent":null,"kind":"note","time":"*","depth":1,"branch":1,"lsn":2,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":null,"payload":null} (glob)
  $ xylem rename 'done' ' 	'
  xylem: rename: a name needs a character other than blanks (see `xylem rename --help`)
  [2]
  $ xylem rename nobody name
  xylem: rename: there is no session 'nobody'; `xylem -s store sessions` lists the sessions
  [3]
  $ verify

Beside a damaged name a session is changed by its id: the damaged session may have the name, too.

  $ fresh
  $ add talk t session_info '{"name":"login"}'
  $ add other unreadable session_info '{"name":"login"}'
  $ add other o note
  $ damage unreadable
  $ xylem rename login 'done'
  xylem: rename: 'login' is not known: a damaged session may have the same name; name the session by its id
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem delete login --yes
  xylem: delete: 'login' is not known: a damaged session may have the same name; name the session by its id
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem show login
  entry     t
  parent    none (a root)
  children  none (a tip)
  kind      session_info
  time      * (* ago) (glob)
  place     depth 1, branch 1, lsn 2
  check     * (glob)
  payload   16 B of json
  
      login
  $ xylem rename talk 'done'
  name: login -> done

A session of a host is changed in the host.

  $ scenario
  $ xylem sessions --json >before
  $ change() {
  >     xylem rename 01a1f9f7-22cb name "$@"
  >     xylem append 01a1f9f7-22cb --kind note --id e1 "$@"
  >     xylem append $SCENARIO_ID --kind note --id e2 --create "$@"
  >     xylem navigate 01a1f9f7-22cb:@~1 "$@"
  >     xylem sequence save 01a1f9f7-22cb --step go "$@"
  > }
  $ change
  xylem: rename: a file keeps the session, and would lack the change: in pi, type /name NAME (--only-in-store changes the store alone; the file is */fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl) (glob)
  xylem: append: a file keeps the session, and would lack the change: in pi, an extension calls pi.appendEntry() (--only-in-store changes the store alone; the file is */fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl) (glob)
  xylem: append: a file keeps the session, and would lack the change: in pi, an extension calls pi.appendEntry() (--only-in-store changes the store alone; the file is */fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl) (glob)
  xylem: navigate: a file keeps the session, and would lack the change: in pi, use /tree (--only-in-store changes the store alone; the file is */fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl) (glob)
  xylem: sequence save: a file keeps the session, and would lack the change: in pi, an extension appends the snapshot with pi.appendEntry() (--only-in-store changes the store alone; the file is */fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl) (glob)
  [4]
  $ xylem sessions --json | cmp - before
  $ change --only-in-store
  name: scenario one -> name
  e1
  e2
  leaf: e2 -> e1
  * (glob)
  $ verify
