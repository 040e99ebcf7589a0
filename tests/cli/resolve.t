Which entry is meant.

  $ . "$TESTDIR/setup.sh"
  $ four_notes() {
  >     fresh
  >     for id in first second third fourth; do add s $id note; done
  > }
  $ label() {
  >     xylem append s --kind label --data "{\"targetId\":\"$1\",\"label\":\"$2\"}" >/dev/null
  > }
  $ meant() {
  >     xylem show s:"$1" --json | sed 's/.*"entry":"\([^"]*\)","parent.*/\1/'
  > }

A label names its entry, also a label that is shorter than a beginning of an id may be, or longer than any id.

  $ four_notes
  $ label third good
  $ meant good
  third
  $ meant good~2
  first
  $ label second x
  $ meant x
  second
  $ label second 'a label of words, which is longer than any id of an entry may be: 64 bytes'
  $ meant 'a label of words, which is longer than any id of an entry may be: 64 bytes'
  second
  $ xylem show s:x
  xylem: show: there is no entry 'x' (the beginning of an id needs 4 characters); `xylem -s store tree --all s` shows the ids
  [3]
  $ verify

Every command takes labels.

  $ four_notes
  $ label second good
  $ xylem log s:good
  2  second  *  note        [good] (glob)
  1  first   *  note (glob)
  $ xylem state s:good
  session    s
  at         second, depth 2
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due
  sequence   none
  todo       none
  mark       none
  $ xylem fork s:good --id f
  f
  xylem: fork: 1 label of the source lies outside of the shared path and was left behind (--labels appends such labels)
  $ xylem navigate s:good
  leaf: * -> second (glob)
  $ xylem append s --kind note --id e --parent good --expect good
  e
  $ indent xylem diff s:good s:good
    < s:second  depth 2  * ago  [good] (glob)
    > s:second  depth 2  * ago  [good] (glob)
    = second  depth 2  * ago  shared (glob)
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  = none
    todo      = none
    mark      = none
  $ verify

An id wins over a label, and a label over a beginning.

  $ four_notes
  $ label first second
  $ meant second
  second
  $ label first thir
  $ meant thir
  first
  $ label second @
  $ xylem navigate s:fourth >/dev/null
  $ meant @
  fourth
  $ label first @~1
  $ xylem navigate s:fourth >/dev/null
  $ meant @~1
  third
  $ label fourth second~1
  $ meant second~1
  fourth
  $ verify

A label of several entries is ambiguous.

  $ four_notes
  $ label first same
  $ label third same
  $ xylem show s:same
  xylem: show: 'same' is ambiguous: 2 entries have that label: first, third
  [4]
  $ xylem show s:same~1
  xylem: show: 'same' is ambiguous: 2 entries have that label: first, third
  [4]
  $ label third other
  $ meant same
  first
  $ verify

A label of an entry that is not there names nothing.

  $ four_notes
  $ label nowhere lost
  $ xylem show s:lost
  xylem: show: there is no entry 'lost'; `xylem -s store tree --all s` shows the ids
  [3]
  $ label second lost
  $ meant lost
  second
  $ label second ''
  $ xylem show s:lost
  xylem: show: there is no entry 'lost'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem show s:''
  xylem: show: expected an entry behind the ':', found nothing; @ is the leaf
  [3]
  $ verify

An ambiguous beginning lists what begins so.

  $ four_notes
  $ for number in 0 1 2 3 4 5 6; do add s many$number note; done
  $ xylem show s:many
  xylem: show: 'many' is ambiguous: 7 entry ids begin with it: many0, many1, many2, many3, many4, ...
  [4]
  $ verify

A depth names the entry of the path that has it.

  $ four_notes
  $ meant @^1
  first
  $ meant @^3
  third
  $ meant @^4
  fourth
  $ meant third^2
  second
  $ meant four^2
  second
  $ label third good
  $ meant good^1
  first
  $ xylem show s:@^9
  xylem: show: there is no entry '@^9': '@' has depth 5
  [3]
  $ xylem show s:third^4
  xylem: show: there is no entry 'third^4': 'third' has depth 3
  [3]
  $ xylem show s:@^0
  xylem: show: there is no entry '@^0': '@' has depth 5
  [3]
  $ xylem show s:@^
  xylem: show: there is no entry '@^' (the beginning of an id needs 4 characters); `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem show s:@^18446744073709551616
  xylem: show: there is no entry '@^18446744073709551616'; `xylem -s store tree --all s` shows the ids
  [3]
  $ verify

Steps follow each other.

  $ four_notes
  $ xylem navigate s:second
  leaf: fourth -> second
  $ add s fifth note
  $ meant @{1}^3~1
  second
  $ meant @{1}~1^1
  first
  $ meant @{1}~1~1
  second
  $ meant @~0^3
  fifth
  $ meant third~1^2
  second
  $ xylem show s:@{1}~1^4
  xylem: show: there is no entry '@{1}~1^4': '@{1}~1' has depth 3
  [3]
  $ xylem show s:@^1~1^1
  xylem: show: there is no entry '@^1~1': '@^1' has depth 1
  [3]
  $ verify

Steps without a name before them are not guessed.

  $ four_notes
  $ xylem show s:'~1'
  xylem: show: there is no entry '~1': write '@~1' to start from the leaf
  [3]
  $ xylem show s:^9
  xylem: show: there is no entry '^9': write '@^9' to start from the leaf
  [3]
  $ xylem state s:^3~1
  xylem: state: there is no entry '^3~1': write '@^3~1' to start from the leaf
  [3]
  $ add s ^9 note
  $ meant ^9
  ^9
  $ meant ^9~1
  fourth
  $ verify

An id or a label with a step in it wins.

  $ four_notes
  $ add s third^1 note
  $ meant third^1
  third^1
  $ meant third^1~2
  third
  $ meant third^1^2
  second
  $ label fourth third^2
  $ meant third^2
  fourth
  $ meant third^2~1
  third
  $ add s @^1 note
  $ meant @^1
  @^1
  $ label fourth @^2
  $ meant @^2
  second
  $ add s none note
  $ meant none
  none
  $ verify

Every command takes depths.

  $ four_notes
  $ xylem log s:@^2
  2  second  *  note (glob)
  1  first   *  note (glob)
  $ xylem state s:@^2
  session    s
  at         second, depth 2
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due
  sequence   none
  todo       none
  mark       none
  $ xylem state s:@^2
  session    s
  at         second, depth 2
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due
  sequence   none
  todo       none
  mark       none
  $ xylem blame s:@^2 readonly
  xylem: blame: no entry of the path changes readonly
  [1]
  $ indent xylem diff s:@^2 :@^2
    < s:second  depth 2  * ago (glob)
    > s:second  depth 2  * ago (glob)
    = second  depth 2  * ago  shared (glob)
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  = none
    todo      = none
    mark      = none
  $ xylem fork s:@^2 --id f
  f
  $ xylem navigate s:@^2
  leaf: fourth -> second
  $ xylem append s --kind note --id e --parent @^2 --expect @^2
  e
  $ xylem tree s
  s: 5 entries, 2 tips
  ● first   note
  ● second  note
  ├─○ third   note
  │ ○ fourth  note
  ● e       note        <leaf>
  $ verify

Where the leaf was none there is no path. Where an entry must be meant that is an error, where `none` would do it is
none.

  $ four_notes
  $ xylem navigate s:none
  leaf: fourth -> none
  $ xylem state s:@
  session    s
  at         none: the path is empty
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due
  sequence   none
  todo       none
  mark       none
  $ add s other custom:readonly '{"enabled":true}'
  $ xylem navigate s:third
  leaf: other -> third
  $ xylem navigate s:none
  leaf: third -> none
  $ xylem navigate s:first
  leaf: none -> first
  $ xylem state s:@{1}
  session    s
  at         none: the path is empty
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due
  sequence   none
  todo       none
  mark       none
  $ xylem state s:@{1} --json
  {"schema":1,"session":"s","at":{"entry":null,"depth":0},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":0,"decoded_count":0,"decoded_bytes":0}
  $ xylem state s:@{3}
  session    s
  at         other, depth 1
  event      resume
  readonly   on   decided by other
  nudge      due: readonly went on
  sequence   none
  todo       none
  mark       none
  $ xylem log s:@{1}
  xylem: log: the path has no entry; `xylem -s store tree s` shows all entries
  $ xylem show s:@{1}
  xylem: show: '@{1}' names no entry: the leaf was none; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem state s:@{1}~1
  xylem: state: '@{1}' names no entry: the leaf was none; `xylem -s store tree --all s` shows the ids
  [3]
  $ indent xylem diff s:@{1} s
    < s, no current entry
    > s:first  depth 1  *s ago  <leaf> (glob)
    = nothing: not even the first entries are equal
    
    < nothing more
    
    > 1 more entry
    > 1  first  *  note        <leaf> (glob)
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  = none
    todo      = none
    mark      = none
  [1]
  $ xylem navigate s:@{1}
  leaf: first -> none
  $ xylem state s:@^1
  xylem: state: '@' names no entry: the leaf is none; `xylem -s store tree --all s` shows the ids
  [3]
  $ verify

A session and an entry may be one word. The session of that id comes first; a whole id wins over the beginning of one.

  $ four_notes
  $ add s:third inner note
  $ at() {
  >     xylem state "$@" --json | grep -o '"session":"[^"]*","at":{"entry":[^,]*'
  > }
  $ at s:third
  "session":"s:third","at":{"entry":"inner"
  $ at s:second
  "session":"s","at":{"entry":"second"
  $ at s:none
  "session":"s","at":{"entry":null
  $ at s:third:inner
  "session":"s:third","at":{"entry":"inner"
  $ xylem state s:thi
  xylem: state: there is no entry 'thi' (the beginning of an id needs 4 characters); `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem state s:nowhere
  xylem: state: there is no entry 'nowhere'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem state nobody:third
  xylem: state: there is no session and no entry 'nobody:third'
  [3]
  $ xylem state s:second:first
  xylem: state: there is no entry 'second:first'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem state s:second --every --json
  xylem: state: --every takes a session, not an entry (see `xylem state --help`)
  [2]
  $ verify
