The todo list in the commands that go by the table of pieces: state, blame, branches, diff.

  $ . "$TESTDIR/setup.sh"

Two lists, the first in the spelling of pi, and an entry that is none.

  $ READ='{"id":1,"text":"read","done":true}'
  $ HOSTILE='{"id":2,"text":"a\u001bb\nc","done":false}'
  $ lists() {
  >     fresh
  >     add s t1 custom:todo '{"action":"add","todos":[{"id":1,"text":"read","done":false}],"nextId":2}'
  >     add s t2 custom:todo "{\"lastId\":2,\"items\":[$READ,$HOSTILE]}"
  >     add s bad custom:todo "{\"lastId\":0,\"items\":[$READ]}"
  > }

State shows how much is done, and with --explain each item.

  $ lists
  $ xylem state s
  session    s
  at         bad, depth 3
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due
  sequence   none
  todo       1 of 2 done, from t2
  mark       none
  skipped    bad custom:todo: an item's id is not an integer from 1 to the last id
  $ xylem state s --explain
  session    s
  at         bad, depth 3
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due; readonly is off, and the path has no nudge "on"
  sequence   none
  todo       1 of 2 done, from t2 (custom:todo {"lastId":2,"items":[{"id":1,"text":"read","done":true},{"i*, depth 2, *)* (glob)
             1. [x] read
             2. [ ] a\x1bb\nc
  mark       none
  skipped    bad custom:todo: an item's id is not an integer from 1 to the last id
  looked at  2 entries
  decoded    2 payloads, 96 B
  read       2 records of the log, 85 B
             2 gets, 0 seeks, 0 steps
  $ xylem state s --json
  {"schema":1,"session":"s","at":{"entry":"bad","depth":3},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":{"last_id":2,"items":[{"id":1,"text":"read","done":true},{"id":2,"text":"a\u001bb\nc","done":false}],"entry":"t2"},"mark":null,"skipped":[{"entry":"bad","kind":"custom:todo","reason":"an item's id is not an integer from 1 to the last id"}],"looked_at":2,"decoded_count":2,"decoded_bytes":96}

Blame lists the entries that changed the list.

  $ xylem blame s todo
  1 of 2 done  2  t2  *  custom:todo  {"lastId":2,"items":[{"id":1,"text":"read","done":true},{"id":2,"text":* (glob)
  0 of 1 done  1  t1  *  custom:todo  {"action":"add","todos":[{"id":1,"text":"read","done":false}],"nextId":* (glob)
  xylem: blame: 1 entry is skipped as invalid (--all shows them)
  $ xylem blame s todo --jsonl
  {"schema":1,"entry":"t2","parent":"t1","kind":"custom:todo","time":"*","depth":2,"label":null,"piece":"todo","todo":{"last_id":2,"items":[{"id":1,"text":"read","done":true},{"id":2,"text":"a\u001bb\nc","done":false}]},"changed":true,"skipped_reason":null} (glob)
  {"schema":1,"entry":"t1","parent":null,"kind":"custom:todo","time":"*","depth":1,"label":null,"piece":"todo","todo":{"last_id":1,"items":[{"id":1,"text":"read","done":false}]},"changed":true,"skipped_reason":null} (glob)

Branches has a column where a tip has a list.

  $ xylem branches s
  TIP  AGE  DEPTH  OWN  FORKED AT  READONLY  TODO          SAYS
  bad   0s      3    3  -          off       1/2   <leaf> (glob)
  $ xylem branches s --jsonl
  {"schema":1,"entry":"bad","kind":"custom:todo","time":"*","depth":3,"own_count":3,"branch":1,"forked_at":null,"label":null,"is_leaf":true,"unanswered_count":0,"readonly":false,"nudge":{"due":false,"direction":"off"},"sequence_id":null,"todo_done":1,"todo_count":2,"mark":null} (glob)

Diff shows the items that differ.

  $ indent xylem diff s:t1 s:t2
    < s:t1  depth 1  * ago (glob)
    > s:t2  depth 2  * ago (glob)
    = t1  depth 1  * ago  shared (glob)
    
    < nothing more
    
    > 1 more entry
    > 2  t2  *  custom:todo  {"lastId":2,"items":[{"id":1,"text":"read","done":true},{"id":2,"text":* (glob)
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  = none
    todo      < 0 of 1 done, from t1
              > 1 of 2 done, from t2
              < 1. [ ] read
              > 1. [x] read
              > 2. [ ] a\x1bb\nc
    mark      = none
  [1]
  $ xylem diff s:t1 s:t2 --json
  {"schema":1,"same":false,"common":{"entry":"t1","parent":null,"kind":"custom:todo","time":"*","depth":1,"sharing":"shared","shared_depth":1},"a":{"session":"s","entry":"t1","depth":1,"added_count":0,"entries":[]},"b":{"session":"s","entry":"t2","depth":2,"added_count":1,"entries":[{"entry":"t2","parent":"t1","kind":"custom:todo","time":"*","depth":2,"label":null}]},"a_state":{"session":"s","at":{"entry":"t1","depth":1},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":{"last_id":1,"items":[{"id":1,"text":"read","done":false}],"entry":"t1"},"mark":null,"skipped":[],"looked_at":1,"decoded_count":1,"decoded_bytes":48},"b_state":{"session":"s","at":{"entry":"t2","depth":2},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":{"last_id":2,"items":[{"id":1,"text":"read","done":true},{"id":2,"text":"a\u001bb\nc","done":false}],"entry":"t2"},"mark":null,"skipped":[],"looked_at":1,"decoded_count":1,"decoded_bytes":59},"differs":["todo"],"labels":[]} (glob)
  [1]
  $ indent xylem diff s:t2 s:bad
    < s:t2  depth 2  * ago (glob)
    > s:bad  depth 3  * ago  <leaf> (glob)
    = t2  depth 2  * ago  shared (glob)
    
    < nothing more
    
    > 1 more entry
    > 3  bad  *  custom:todo  <leaf> {"lastId":0,"items":[{"id":1,"text":"read","done":true}]} (glob)
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  = none
    todo      = 1 of 2 done, from t2
    mark      = none
  [1]
  $ verify

Diff lists no items where one side has no list.

  $ lists
  $ add other o message '{"role":"user"}'
  $ indent xylem diff s:t2 other
    < s:t2  depth 2  * ago (glob)
    > other:o  depth 1  * ago  <leaf> (glob)
    = nothing: not even the first entries are equal
    
    < 2 more entries
    < 1  t1  *  custom:todo  {"action":"add","todos":[{"id":1,"text":"read","done":false}],"nextId":* (glob)
    < 2  t2  *  custom:todo  {"lastId":2,"items":[{"id":1,"text":"read","done":true},{"id":2,"text":* (glob)
    
    > 1 more entry
    > 1  o   *  user         <leaf> {"role":"user"} (glob)
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  = none
    todo      < 1 of 2 done, from t2
              > none
    mark      = none
  [1]
  $ verify

An item that is known by its id is another under another id.

  $ lists
  $ add s t3 custom:todo "{\"lastId\":3,\"items\":[{\"id\":3,\"text\":\"read\",\"done\":true},$HOSTILE]}"
  $ indent xylem diff s:t2 s:t3
    < s:t2  depth 2  * ago (glob)
    > s:t3  depth 4  * ago  <leaf> (glob)
    = t2  depth 2  * ago  shared (glob)
    
    < nothing more
    
    > 2 more entries
    > 3  bad  *  custom:todo  {"lastId":0,"items":[{"id":1,"text":"read","done":true}]} (glob)
    > 4  t3   *  custom:todo  <leaf> {"lastId":3,"items":[{"id":3,"text":"read","done":true},{"id":2,"text":* (glob)
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  = none
    todo      < 1 of 2 done, from t2
              > 1 of 2 done, from t3
              < 1. [x] read
              > 3. [x] read
    mark      = none
  [1]
  $ verify

A folded tree keeps the entries of a list in sight. A nudge tells of a change, and is none.

  $ lists
  $ messages() {
  >     for number in $(seq $1 $2); do
  >         add s m$number message '{"role":"user"}'
  >     done
  > }
  $ messages 1 20
  $ add s t3 custom:todo '{"lastId":0,"items":[]}'
  $ add s other custom:other '{}'
  $ add s nudge custom:readonly-nudge '{"direction":"on"}'
  $ messages 21 40
  $ xylem tree s
  s: 46 entries, 1 tip
  ● t1   custom:todo  {"action":"add","todos":[{"id":1,"text":"read","done":false}],"nextId":…
  ● t2   custom:todo  {"lastId":2,"items":[{"id":1,"text":"read","done":true},{"id":2,"text":…
  ● bad  custom:todo  {"lastId":0,"items":[{"id":1,"text":"read","done":true}]}
  … 20 entries
  ● t3   custom:todo  {"lastId":0,"items":[]}
  … 19 entries
  ● m38  user         {"role":"user"}
  ● m39  user         {"role":"user"}
  ● m40  user         <leaf> {"role":"user"}
  $ verify

Results of the tool count where they are asked for. A message of nobody's tool is none of the piece.

  $ lists
  $ add s m message '{"role":"user"}'
  $ add s r message "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"todo\",\"details\":{\"todos\":[$READ],\"nextId\":2}}}"
  $ xylem state s
  session    s
  at         r, depth 5
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due
  sequence   none
  todo       1 of 2 done, from t2
  mark       none
  skipped    bad custom:todo: an item's id is not an integer from 1 to the last id
  $ xylem state s --tool-results
  session    s
  at         r, depth 5
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due
  sequence   none
  todo       1 of 1 done, from r
  mark       none
  $ xylem blame s todo
  1 of 2 done  2  t2  *  custom:todo  {"lastId":2,"items":[{"id":1,"text":"read","done":true},{"id":2,"text":* (glob)
  0 of 1 done  1  t1  *  custom:todo  {"action":"add","todos":[{"id":1,"text":"read","done":false}],"nextId":* (glob)
  xylem: blame: 1 entry is skipped as invalid (--all shows them)
  $ xylem blame s todo --tool-results
  1 of 1 done  5  r   *  toolResult   <leaf> todo: {"role":"toolResult","toolName":"todo","details":{"todos":[{"id":* (glob)
  1 of 2 done  2  t2  *  custom:todo  {"lastId":2,"items":[{"id":1,"text":"read","done":true},{"id":2,"text":* (glob)
  0 of 1 done  1  t1  *  custom:todo  {"action":"add","todos":[{"id":1,"text":"read","done":false}],"nextId":* (glob)
  xylem: blame: 1 entry is skipped as invalid (--all shows them)
  $ verify
