xylem state: what comes back at an entry, and why.

  $ . "$TESTDIR/setup.sh"

States are explained.

  $ scenario
  $ xylem state $SCENARIO_ID
  session    01a1f9f7-22cb-72e7-96e0-96825857127f
  at         32512cc7, depth 20
  event      resume
  readonly   on   decided by 3dc585ab
  nudge      due: readonly went on
  sequence   none
  todo       none
  mark       none
  $ xylem state $SCENARIO_ID --explain
  session    01a1f9f7-22cb-72e7-96e0-96825857127f
  at         32512cc7, depth 20
  event      resume
  readonly   on   decided by 3dc585ab (custom:readonly {"enabled":true}, depth 9, 2026-11-20 17:18:05)
  nudge      due: readonly went on; the path has no delivered nudge
  sequence   none
  todo       none
  mark       none
  looked at  3 entries
  decoded    1 payload, 10 B
  read       3 records of the log, 164 B
             3 gets, 0 seeks, 0 steps
  $ xylem state $SCENARIO_ID --json
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"32512cc7","depth":20},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":3,"decoded_count":1,"decoded_bytes":10}
  $ verify

Every entry has its state.

  $ xylem state $SCENARIO_ID --every --jsonl
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"b8ef64c6","depth":1},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":1,"decoded_count":0,"decoded_bytes":0}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"ca6c99db","depth":2},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":1,"decoded_count":0,"decoded_bytes":0}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"d6a8b13d","depth":3},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":1,"decoded_count":0,"decoded_bytes":0}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"6bc7b764","depth":4},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":0,"decoded_bytes":0}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"15efa3b4","depth":5},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":0,"decoded_bytes":0}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"8d16e680","depth":6},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":0,"decoded_bytes":0}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"88fe2aff","depth":7},"readonly":true,"readonly_from":"path","readonly_entry":"88fe2aff","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":1,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"26de9cb1","depth":8},"readonly":true,"readonly_from":"path","readonly_entry":"88fe2aff","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"fdf4cbd2","depth":9},"readonly":true,"readonly_from":"path","readonly_entry":"88fe2aff","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"be4cd5e4","depth":10},"readonly":true,"readonly_from":"path","readonly_entry":"88fe2aff","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"6f7578e6","depth":11},"readonly":true,"readonly_from":"path","readonly_entry":"88fe2aff","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"c3ce1abe","depth":12},"readonly":true,"readonly_from":"path","readonly_entry":"88fe2aff","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"d134ab3f","depth":13},"readonly":false,"readonly_from":"path","readonly_entry":"d134ab3f","nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":1,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"7c15199c","depth":14},"readonly":false,"readonly_from":"path","readonly_entry":"d134ab3f","nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"e4ad638d","depth":15},"readonly":false,"readonly_from":"path","readonly_entry":"d134ab3f","nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"9516d531","depth":16},"readonly":false,"readonly_from":"path","readonly_entry":"d134ab3f","nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"6fd8ed9e","depth":17},"readonly":false,"readonly_from":"path","readonly_entry":"d134ab3f","nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"d3300e75","depth":7},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":0,"decoded_bytes":0}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"5b8612f6","depth":8},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":0,"decoded_bytes":0}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"3dc585ab","depth":9},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":1,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"d3fe142d","depth":10},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"54d08232","depth":11},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"7c1eb7ea","depth":12},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"7e89d41d","depth":13},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"b0bc11ca","depth":14},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"63ff5e92","depth":15},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"d8b2463f","depth":16},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"4f9ef798","depth":17},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":3,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"8db136e6","depth":18},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":3,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"e37e3f3d","depth":19},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":3,"decoded_count":1,"decoded_bytes":10}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"32512cc7","depth":20},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":3,"decoded_count":1,"decoded_bytes":10}

Why a nudge is due is explained.

  $ fresh
  $ add s m note
  $ add s t custom:readonly '{"enabled":true}'
  $ add s n custom:readonly-nudge '{"direction":"on"}'
  $ add s u custom:readonly '{"enabled":false}'
  $ add s d custom:readonly-nudge '{"direction":"off","delivered":true}'
  $ add s v custom:readonly '{"enabled":true}'
  $ add s e custom:readonly-nudge '{"direction":"on","delivered":true}'
  $ add s w custom:readonly '{"enabled":true}'
  $ nudge() {
  >     xylem state "s$at" --explain "$@" | sed -n '/^nudge/,/^sequence/{/^sequence/!p;}'
  > }
  $ at=:m nudge
  nudge      none due; readonly is off, and the path has no nudge "on"
  $ at=:t nudge
  nudge      due: readonly went on; the path has no delivered nudge
  $ at=:u nudge
  nudge      due: readonly went off; the path has a nudge "on", but no delivered one
  $ at=:d nudge
  nudge      none due; told off by d (custom:readonly-nudge {"direction":"off","delivered":true}, depth 5, *) (glob)
  $ at=:v nudge
  nudge      due: readonly went on; told off by d (custom:readonly-nudge {"direction":"off","delivered":true}, depth 5, *) (glob)
  $ at=:w nudge
  nudge      due: readonly went on; told on by e, before the toggle (custom:readonly-nudge {"direction":"on","delivered":true}, depth 7, *) (glob)
  $ at=:e nudge --event session_tree --previous-readonly off
  nudge      due: readonly went on; told on by e, but readonly was off (custom:readonly-nudge {"direction":"on","delivered":true}, depth 7, *) (glob)
  $ at=:d nudge --event session_tree --previous-readonly on
  nudge      due: readonly went off; told off by d, but readonly was on (custom:readonly-nudge {"direction":"off","delivered":true}, depth 5, *) (glob)
  $ nudge --event new
  nudge      none due; a new session starts from nothing
  $ nudge --event new --flag-readonly
  nudge      due: readonly went on; a new session was told nothing
  $ verify

A scan gives the same state; what the reading took is told apart. Nothing decides the sequence, so a scan looks at all of
the path.

  $ scenario
  $ xylem state $SCENARIO_ID --json | sed 's/"looked_at":[0-9]*/LOOKED_AT/' >linked
  $ xylem state $SCENARIO_ID --scan --json | sed 's/"looked_at":[0-9]*/LOOKED_AT/' | cmp - linked
  $ xylem state $SCENARIO_ID --scan --explain --json
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"32512cc7","depth":20},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":20,"decoded_count":1,"decoded_bytes":10,"read":{"records":22,"record_bytes":1038,"gets":2,"seeks":2,"steps":18}}
  $ xylem state $SCENARIO_ID --explain --every --jsonl | sed -n '1s/.*"looked_at"/"looked_at"/p'
  "looked_at":1,"decoded_count":0,"decoded_bytes":0,"read":{"records":1,"record_bytes":45,"gets":1,"seeks":0,"steps":0}}
  $ xylem state $SCENARIO_ID:@^1 --explain --json | sed 's/.*"looked_at"/"looked_at"/'
  "looked_at":1,"decoded_count":0,"decoded_bytes":0,"read":{"records":1,"record_bytes":45,"gets":1,"seeks":0,"steps":0}}
  $ verify

Events and flags reach the reducers.

  $ fresh
  $ add s on custom:readonly '{"enabled":true}'
  $ add s nudge custom:readonly-nudge '{"direction":"on"}'
  $ add s off custom:readonly '{"enabled":false}'
  $ add s bad custom:readonly '{"enabled":"yes"}'
  $ state() {
  >     xylem state "s$at" --json "$@" | grep -o '"readonly":.*"readonly_entry":[^,]*\|"nudge":{[^}]*}'
  > }
  $ xylem state s --json
  {"schema":1,"session":"s","at":{"entry":"bad","depth":4},"readonly":false,"readonly_from":"path","readonly_entry":"off","nudge":{"due":true,"direction":"off","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[{"entry":"bad","kind":"custom:readonly","reason":"enabled is not a boolean"}],"looked_at":3,"decoded_count":3,"decoded_bytes":37}
  $ state --flag-readonly
  "readonly":true,"readonly_from":"flag","readonly_entry":null
  "nudge":{"due":true,"direction":"on","why":"not-told","told":null}
  $ state --flag-readonly --flag-fallback
  "readonly":false,"readonly_from":"path","readonly_entry":"off"
  "nudge":{"due":true,"direction":"off","why":"not-told","told":null}
  $ state --flag-readonly --event session_tree
  "readonly":false,"readonly_from":"path","readonly_entry":"off"
  "nudge":{"due":true,"direction":"off","why":"not-told","told":null}
  $ state --flag-readonly --event toggled
  "readonly":false,"readonly_from":"path","readonly_entry":"off"
  "nudge":{"due":true,"direction":"off","why":"not-told","told":null}
  $ at=:none state --flag-readonly --event toggled
  "readonly":false,"readonly_from":"default","readonly_entry":null
  "nudge":{"due":false,"direction":"off","why":"never-on","told":null}
  $ at=:none state --flag-readonly --event session_tree
  "readonly":true,"readonly_from":"flag","readonly_entry":null
  "nudge":{"due":true,"direction":"on","why":"not-told","told":null}
  $ state --event new
  "readonly":false,"readonly_from":"default","readonly_entry":null
  "nudge":{"due":false,"direction":"off","why":"never-on","told":null}
  $ at=:on state
  "readonly":true,"readonly_from":"path","readonly_entry":"on"
  "nudge":{"due":true,"direction":"on","why":"not-told","told":null}
  $ xylem state s:none --json
  {"schema":1,"session":"s","at":{"entry":null,"depth":0},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":0,"decoded_count":0,"decoded_bytes":0}
  $ state --event session_tree --previous-readonly on
  "readonly":false,"readonly_from":"path","readonly_entry":"off"
  "nudge":{"due":true,"direction":"off","why":"not-told","told":null}
  $ xylem state s --event toggled --previous-readonly on
  session    s
  at         bad, depth 4
  event      toggled, readonly was on before
  readonly   off  decided by off
  nudge      due: readonly went off
  sequence   none
  todo       none
  mark       none
  skipped    bad custom:readonly: enabled is not a boolean
  $ xylem state s --explain
  session    s
  at         bad, depth 4
  event      resume
  readonly   off  decided by off (custom:readonly {"enabled":false}, depth 3, *) (glob)
  nudge      due: readonly went off; the path has a nudge "on", but no delivered one
  sequence   none
  todo       none
  mark       none
  skipped    bad custom:readonly: enabled is not a boolean
  looked at  3 entries
  decoded    3 payloads, 37 B
  read       3 records of the log, 137 B
             3 gets, 0 seeks, 0 steps
  $ verify
