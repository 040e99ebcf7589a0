xylem blame: at which entries a piece of state changed.

  $ . "$TESTDIR/setup.sh"

A path turns readonly on twice, breaks it once, tells of it, and turns it off under the other name of the kind.

  $ story() {
  >     fresh
  >     add s m1 message '{"role":"user","content":"look at the tests"}'
  >     add s t1 custom:readonly '{"enabled":true}'
  >     add s n1 custom:readonly-nudge '{"direction":"on"}'
  >     add s t2 custom:readonly '{"enabled":true}'
  >     add s bad custom:readonly '{"enabled":1}'
  >     add s d1 custom:readonly-nudge '{"direction":"on","delivered":true}'
  >     add s q1 custom:sequence '{"version":1,"sequenceId":"q","steps":["a","b"],"updatedAt":1795000002041.5}'
  >     add s q2 custom:sequence '{"version":2}'
  >     add s t3 custom:agenticoding-readonly '{"enabled":false}'
  > }

Toggles that changed readonly are listed newest first.

  $ story
  $ xylem blame s readonly
  off  9  t3  *  custom:agenticoding-rea*  <leaf> {"enabled":false}* (glob)
  on   2  t1  *  custom:readonly           {"enabled":true} (glob)
  xylem: blame: 1 entry repeats the state before, 1 entry is skipped as invalid (--all shows them)

All shows what repeats, and what is skipped and why.

  $ xylem blame s readonly --all
  off      9  t3   *  custom:agenticoding-rea*  <leaf> {"enabled":false}* (glob)
  skipped  5  bad  *  custom:readonly           enabled is not a boolean: {"enabled":1} (glob)
  on       4  t2   *  custom:readonly           {"enabled":true} (glob)
  on       2  t1   *  custom:readonly           {"enabled":true} (glob)

A nudge changes with toggles, and with what was delivered.

  $ xylem blame s nudge
  due: off  9  t3  *  custom:agenticoding-rea*  <leaf> {"enabled":false}* (glob)
  not due   6  d1  *  custom:readonly-nudge     {"direction":"on","delivered":true} (glob)
  due: on   2  t1  *  custom:readonly           {"enabled":true} (glob)
  xylem: blame: 2 entries repeat the state before, 1 entry is skipped as invalid (--all shows them)

The path may be that of any entry.

  $ xylem blame s:n1 readonly
  on  2  t1  *  custom:readonly  {"enabled":true} (glob)
  $ xylem blame s:n1 readonly
  on  2  t1  *  custom:readonly  {"enabled":true} (glob)
  $ xylem blame s:@^3 readonly
  on  2  t1  *  custom:readonly  {"enabled":true} (glob)
  $ xylem blame s:@~1 readonly -n 1
  on  2  t1  *  custom:readonly  {"enabled":true} (glob)
  xylem: blame: 1 entry repeats the state before, 1 entry is skipped as invalid (--all shows them)
  $ xylem blame s readonly -n 0
  [1]
  $ xylem blame s:m1 readonly
  xylem: blame: no entry of the path changes readonly
  [1]
  $ xylem blame s:none nudge
  xylem: blame: no entry of the path changes nudge
  [1]
  $ xylem blame s:nowhere readonly
  xylem: blame: there is no entry 'nowhere'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem blame nobody readonly
  xylem: blame: there is no session and no entry 'nobody'; `xylem -s store sessions` lists the sessions
  [3]

Documents say what each entry did.

  $ xylem blame s readonly --all --jsonl
  {"schema":1,"entry":"t3","parent":"q2","kind":"custom:agenticoding-readonly","time":"*","depth":9,"label":null,"piece":"readonly","readonly":false,"changed":true,"skipped_reason":null} (glob)
  {"schema":1,"entry":"bad","parent":"t2","kind":"custom:readonly","time":"*","depth":5,"label":null,"piece":"readonly","readonly":true,"changed":false,"skipped_reason":"enabled is not a boolean"} (glob)
  {"schema":1,"entry":"t2","parent":"n1","kind":"custom:readonly","time":"*","depth":4,"label":null,"piece":"readonly","readonly":true,"changed":false,"skipped_reason":null} (glob)
  {"schema":1,"entry":"t1","parent":"m1","kind":"custom:readonly","time":"*","depth":2,"label":null,"piece":"readonly","readonly":true,"changed":true,"skipped_reason":null} (glob)
  $ xylem blame s nudge -n 1 --jsonl
  {"schema":1,"entry":"t3","parent":"q2","kind":"custom:agenticoding-readonly","time":"*","depth":9,"label":null,"piece":"nudge","nudge":{"due":true,"direction":"off"},"changed":true,"skipped_reason":null} (glob)

Without a piece the changes of all pieces are listed.

  $ xylem blame s --all -n 0
  $ xylem blame s
  readonly  off       9  t3  *  custom:agenticoding-rea*  <leaf> {"enabled":false}* (glob)
  nudge     due: off  9  t3  *  custom:agenticoding-rea*  <leaf> {"enabled":false}* (glob)
  sequence  q (2)     7  q1  *  custom:sequence           {"version":1,"sequenceId":"q","steps":["a","b"],"updatedAt":17950000020* (glob)
  nudge     not due   6  d1  *  custom:readonly-nudge     {"direction":"on","delivered":true} (glob)
  readonly  on        2  t1  *  custom:readonly           {"enabled":true} (glob)
  nudge     due: on   2  t1  *  custom:readonly           {"enabled":true} (glob)
  xylem: blame: 3 entries repeat the state before, 3 entries are skipped as invalid (--all shows them)
  $ xylem blame s:d1 -n 2
  nudge     not due  6  d1  *  custom:readonly-nudge  {"direction":"on","delivered":true} (glob)
  readonly  on       2  t1  *  custom:readonly        {"enabled":true} (glob)
  xylem: blame: 3 entries repeat the state before, 2 entries are skipped as invalid (--all shows them)
  $ xylem blame s --jsonl -n 1
  {"schema":1,"entry":"t3","parent":"q2","kind":"custom:agenticoding-readonly","time":"*","depth":9,"label":null,"piece":"readonly","readonly":false,"changed":true,"skipped_reason":null} (glob)
  $ xylem blame s:m1
  xylem: blame: no entry of the path changes the state
  $ xylem blame s -n 0
  $ verify

On a terminal lines are cut to its width.

  $ export XYLEM_NOW=2020-11-20T19:30:00Z
  $ COLUMNS=60 xylem blame s sequence --all
  skipped  8  q2  0s  custom:sequence  version is not 1
  q (2)    7  q1  0s  custom:sequence  {"version":1,"sequence…
  $ COLUMNS=80 xylem blame s sequence --all
  skipped  8  q2  0s  custom:sequence  version is not 1: {"version":2}
  q (2)    7  q1  0s  custom:sequence  {"version":1,"sequenceId":"q","steps":["a"…

A sequence changes with each snapshot that differs.

  $ story
  $ xylem blame s:q2 sequence
  q (2)  7  q1  *  custom:sequence  {"version":1,"sequenceId":"q","steps":["a","b"],"updatedAt":17950000020* (glob)
  xylem: blame: 1 entry is skipped as invalid (--all shows them)
  $ add s q3 custom:sequence '{"version":1,"sequenceId":"q","steps":["a","b"],"updatedAt":1795000002041.5}'
  $ add s q4 custom:sequence '{"version":1,"sequenceId":"q","steps":["a","b"],"updatedAt":1795000002042}'
  $ add s q5 custom:sequence '{"version":1,"sequenceId":"q","steps":["a","c"],"updatedAt":1795000002042}'
  $ xylem blame s sequence --jsonl
  {"schema":1,"entry":"q5","parent":"q4","kind":"custom:sequence","time":"*","depth":12,"label":null,"piece":"sequence","sequence":{"sequence_id":"q","steps":["a","c"],"updated_ms":1795000002042},"changed":true,"skipped_reason":null} (glob)
  {"schema":1,"entry":"q4","parent":"q3","kind":"custom:sequence","time":"*","depth":11,"label":null,"piece":"sequence","sequence":{"sequence_id":"q","steps":["a","b"],"updated_ms":1795000002042},"changed":true,"skipped_reason":null} (glob)
  {"schema":1,"entry":"q1","parent":"d1","kind":"custom:sequence","time":"*","depth":7,"label":null,"piece":"sequence","sequence":{"sequence_id":"q","steps":["a","b"],"updated_ms":1795000002041.5},"changed":true,"skipped_reason":null} (glob)
  $ verify

A number is written in digits, as state writes it.

  $ add s q6 custom:sequence '{"version":1,"sequenceId":"q","steps":[],"updatedAt":1e15}'
  $ xylem blame s sequence -n 1 --jsonl
  {"schema":1,"entry":"q6","parent":"q5","kind":"custom:sequence","time":"*","depth":13,"label":null,"piece":"sequence","sequence":{"sequence_id":"q","steps":[],"updated_ms":1000000000000000},"changed":true,"skipped_reason":null} (glob)
  $ xylem state s --json
  {"schema":1,"session":"s","at":{"entry":"q6","depth":13},"readonly":false,"readonly_from":"path","readonly_entry":"t3","nudge":{"due":true,"direction":"off","why":"told-other","told":{"direction":"on","entry":"d1"}},"sequence":{"sequence_id":"q","steps":[],"updated_ms":1000000000000000,"entry":"q6"},"todo":null,"mark":null,"skipped":[],"looked_at":3,"decoded_count":3,"decoded_bytes":84}
  $ verify

A fork is blamed on entries of its source. A fork has no toggles of its own before its first one: those of its source lie
on its path, as far as the path is shared. The source goes on without the fork.

  $ story
  $ xylem fork s:q2 --id f
  f
  $ add f own custom:readonly '{"enabled":false}'
  $ xylem fork f:own --id g
  g
  $ add g last custom:readonly '{"enabled":true}'
  $ add s later custom:readonly '{"enabled":true}'
  $ xylem blame g readonly
  on   10  last  *  custom:readonly  <leaf> {"enabled":true} (glob)
  off   9  own   *  custom:readonly  {"enabled":false} (glob)
  on    2  t1    *  custom:readonly  {"enabled":true} (glob)
  xylem: blame: 1 entry repeats the state before, 1 entry is skipped as invalid (--all shows them)
  $ verify

Other roots and branches do not count.

  $ story
  $ xylem navigate s:none
  leaf: t3 -> none
  $ add s r1 custom:readonly '{"enabled":false}'
  $ xylem blame s readonly
  xylem: blame: 1 entry repeats the state before (--all shows them)
  [1]
  $ add s r2 custom:readonly '{"enabled":true}'
  $ xylem navigate s:n1
  leaf: r2 -> n1
  $ add s side custom:readonly '{"enabled":false}'
  $ xylem blame s readonly
  off  4  side  *  custom:readonly  <leaf> {"enabled":false} (glob)
  on   2  t1    *  custom:readonly  {"enabled":true} (glob)
  $ xylem blame s:@{1} readonly
  on  2  r2  *  custom:readonly  {"enabled":true} (glob)
  xylem: blame: 1 entry repeats the state before (--all shows them)
  $ verify

Of many toggles those that change something are found: on, on, off, off, on, on ...

  $ fresh
  $ {
  >     echo '{"type":"session","version":3,"id":"many","timestamp":"2026-11-20T10:00:00.000Z","cwd":"/"}'
  >     parent=null
  >     for number in $(seq 0 299); do
  >         [ $((number % 4)) -lt 2 ] && enabled=true || enabled=false
  >         echo '{"type":"custom","customType":"readonly","id":"t'$number'","parentId":'$parent',"data":{"enabled":'$enabled'}}'
  >         echo '{"type":"message","id":"m'$number'","parentId":"t'$number'","message":{"role":"user","content":"x"}}'
  >         parent='"m'$number'"'
  >     done
  > } >many.jsonl
  $ xylem import -q many.jsonl
  1 file: 1 new; 600 entries added, 0 lines put into quarantine, 0 problems
  $ xylem blame many readonly --jsonl >all
  $ wc -l <all
  150
  $ xylem blame many readonly --jsonl -n 7 2>/dev/null >seven
  $ head -n 7 all | cmp - seven
  $ grep -o '"entry":"[^"]*"' seven
  "entry":"t298"
  "entry":"t296"
  "entry":"t294"
  "entry":"t292"
  "entry":"t290"
  "entry":"t288"
  "entry":"t286"
  $ verify

A redacted toggle turns readonly on: nobody knows what the toggle said, so it means on.

  $ fresh
  $ add s off custom:readonly '{"enabled":false}'
  $ add s gone custom:readonly '{"enabled":false}'
  $ add s on custom:readonly '{"enabled":true}'
  $ xylem redact s:gone --reason secret --yes >/dev/null
  $ xylem blame s readonly --all
  on   3  on    *  custom:readonly  <leaf> {"enabled":true} (glob)
  on   2  gone  *  custom:readonly  (redacted: secret) (glob)
  off  1  off   *  custom:readonly  {"enabled":false} (glob)
  $ xylem blame s readonly -n 1 --jsonl
  {"schema":1,"entry":"gone","parent":"off","kind":"custom:readonly","time":"*","depth":2,"label":null,"piece":"readonly","readonly":true,"changed":true,"skipped_reason":null} (glob)
  $ verify
