xylem append: what becomes of standard input, and of kinds that are nearly those which state comes from.

  $ . "$TESTDIR/setup.sh"

Input that nobody reads is refused, and no session is made for it.

  $ fresh
  $ xylem append s --create --kind note --id first </dev/null
  first
  $ echo '{"a":1}' >data
  $ xylem append s --kind note --id second <data
  xylem: append: --data is missing, but standard input has data: give --data - to take the payload from standard input, or </dev/null to append without a payload (see `xylem append --help`)
  [2]
  $ xylem append s --kind note --id third </dev/null
  third
  $ xylem append s --kind note --id fourth --data - <data
  fourth
  $ xylem append s --kind note --id fifth --data 2 <data
  fifth
  $ xylem log s --jsonl
  {"schema":1,"entry":"fifth","parent":"fourth","kind":"note","time":"*","depth":4,"label":null,"payload":2} (glob)
  {"schema":1,"entry":"fourth","parent":"third","kind":"note","time":"*","depth":3,"label":null,"payload":{"a":1}} (glob)
  {"schema":1,"entry":"third","parent":"first","kind":"note","time":"*","depth":2,"label":null,"payload":null} (glob)
  {"schema":1,"entry":"first","parent":null,"kind":"note","time":"*","depth":1,"label":null,"payload":null} (glob)
  $ xylem append new --create --kind note <data
  xylem: append: --data is missing, but standard input has data: give --data - to take the payload from standard input, or </dev/null to append without a payload (see `xylem append --help`)
  [2]
  $ xylem log new
  xylem: log: there is no session and no entry 'new' (the end of an id and a part of a name need 4 characters)
  [3]
  $ verify

A pipe counts where there is data in it. Programs leave a pipe open to which they never write: the command does not wait
for the end of the pipe.

  $ fresh
  $ mkfifo pipe
  $ exec 3<>pipe
  $ xylem append s --kind note --create --id open <&3
  open
  $ printf '{}' >&3
  $ xylem append s --kind note --create --id data <&3
  xylem: append: --data is missing, but standard input has data: give --data - to take the payload from standard input, or </dev/null to append without a payload (see `xylem append --help`)
  [2]
  $ exec 4<pipe 3>&-
  $ xylem append s --kind note --create --id data <&4
  xylem: append: --data is missing, but standard input has data: give --data - to take the payload from standard input, or </dev/null to append without a payload (see `xylem append --help`)
  [2]
  $ true | xylem append s --kind note --create --id closed
  closed
  $ verify

A message has a payload, whenever its data comes: nothing is no message.

  $ fresh
  $ xylem append s --create --kind message </dev/null
  xylem: append: a message has a payload: give --data JSON, or --data - to read standard input (see `xylem append --help`)
  [2]
  $ xylem append s --create --kind custom:message --id m </dev/null
  m
  $ verify

A kind that is nearly one of state is told. A host may have a kind of that name.

  $ fresh
  $ for name in readonly readonly-nudge sequence agenticoding-readonly agenticoding-readonly-nudge \
  >     agenticoding-sequence todo; do
  >     xylem append s --create --kind $name --id 1-$name --data '{}'
  >     xylem append s --create --kind custom:$name --id 2-$name --data '{}'
  > done
  xylem: append: warning: an entry of the kind readonly changes no state: did you mean custom:readonly?
  1-readonly
  2-readonly
  xylem: append: warning: an entry of the kind readonly-nudge changes no state: did you mean custom:readonly-nudge?
  1-readonly-nudge
  2-readonly-nudge
  xylem: append: warning: an entry of the kind sequence changes no state: did you mean custom:sequence?
  1-sequence
  2-sequence
  xylem: append: warning: an entry of the kind agenticoding-readonly changes no state: did you mean custom:agenticoding-readonly?
  1-agenticoding-readonly
  2-agenticoding-readonly
  xylem: append: warning: an entry of the kind agenticoding-readonly-nudge changes no state: did you mean custom:agenticoding-readonly-nudge?
  1-agenticoding-readonly-nudge
  2-agenticoding-readonly-nudge
  xylem: append: warning: an entry of the kind agenticoding-sequence changes no state: did you mean custom:agenticoding-sequence?
  1-agenticoding-sequence
  2-agenticoding-sequence
  xylem: append: warning: an entry of the kind todo changes no state: did you mean custom:todo?
  1-todo
  2-todo
  $ xylem append s --kind readonl --id near --data '{}'
  near
  $ xylem append s --kind toolResult --id role --data '{}'
  xylem: append: warning: toolResult is a role: a message has --kind message, and its role in --data
  role
  $ xylem append s --kind custom:user --id custom --data '{}'
  custom
  $ verify
