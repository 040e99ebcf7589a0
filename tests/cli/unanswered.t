Tool calls without a result are marked at the tips, and a fork at such an entry is told.

  $ . "$TESTDIR/setup.sh"

  $ said() {
  >     xylem append s --create --parent "$1" --id "$2" --kind message --data "$3" >/dev/null
  > }
  $ asked() {
  >     said "$1" "$2" '{"role":"assistant","stopReason":"'$3'","content":[{"type":"text","text":"yes"},
  >         {"type":"toolCall","id":"x","name":"bash"},{"type":"toolCall","id":"y","name":"bash"}]}'
  > }
  $ result() {
  >     said "$1" "$2" '{"role":"toolResult","toolCallId":"'$3'","content":[]}'
  > }

From one answer: no result, one result, the same result twice, a result of another call, an entry that is no message, all
results, all results in the other order, and a message of the user. Then answers that the host leaves out.

  $ fresh 19:30
  $ said none ask '{"role":"user","content":"please"}'
  $ asked ask calls toolUse
  $ result calls one x
  $ result one twice x
  $ result calls foreign z
  $ xylem append s --parent one --id note --kind note >/dev/null
  $ result one all y
  $ result calls first y
  $ result first other x
  $ said calls user '{"role":"user","content":[{"type":"toolCall","id":"q"}]}'
  $ asked ask aborted aborted
  $ asked ask failed error
  $ asked ask bare toolUse
  $ xylem branches s --jsonl | sed 's/.*"entry":"\([^"]*\)".*"unanswered_count":\([0-9]*\).*/\1 \2/' | sort
  aborted 0
  all 0
  bare 2
  failed 0
  foreign 2
  note 1
  other 0
  twice 1
  user 0
  $ LC_ALL=C xylem tree s --all | grep 'no result'
  | | |-o twice    toolResult  <no result> (empty)
  | | |-o note     note        <no result>
  | |-o foreign  toolResult  <no result> (empty)
  * bare     assistant   <leaf> <no result> yes bash() bash()
  $ xylem tree s --jsonl | grep -c '"unanswered_count":[1-9]'
  4
  $ xylem branches s | sed 's/  .*  //'
  TIPSAYS
  bare<no result> assistant: yes bash() bash()
  failedassistant: yes bash() bash()
  abortedassistant: yes bash() bash() (aborted)
  useruser: {"type":"toolCall","id":"q"}
  othertoolResult: (empty)
  alltoolResult: (empty)
  note<no result> toolResult: (empty)
  foreign<no result> toolResult: (empty)
  twice<no result> toolResult: (empty)

A fork is told, also within a branch.

  $ for entry in calls one all user bare aborted ask; do
  >     xylem fork s:$entry --id fork-$entry
  > done
  fork-calls
  xylem: fork: 2 tool calls have no result at the entry, and the model will be told so; the entry before the calls is ask
  fork-one
  xylem: fork: 1 tool call has no result at the entry, and the model will be told so; the entry before the calls is ask
  fork-all
  fork-user
  fork-bare
  xylem: fork: 2 tool calls have no result at the entry, and the model will be told so; the entry before the calls is ask
  fork-aborted
  fork-ask
  $ asked none root toolUse
  $ xylem fork s:root --id fork-root
  fork-root
  xylem: fork: 2 tool calls have no result at the entry, and the model will be told so

An answer that cannot be read marks nothing.

  $ xylem redact s:bare --reason r --yes >/dev/null
  $ xylem branches s --jsonl | grep '"entry":"bare"' | grep -o '"unanswered_count":[0-9]*'
  "unanswered_count":0
  $ verify

Damage is no mark, and stops no fork and no document, which say nothing of the payload.

  $ fresh 19:30
  $ asked none ask toolUse
  $ said ask victim '{"role":"toolResult","toolCallId":"x","content":"victim words"}'
  $ damage 'victim words'
  $ xylem fork s:victim --id fork
  fork
  $ xylem branches s --jsonl | grep -o '"entry":"[a-z]*"\|"unanswered_count":[0-9]*'
  "entry":"victim"
  "unanswered_count":0
  $ xylem tree s --jsonl | grep -o '"entry":"[a-z]*"\|"unanswered_count":[0-9]*'
  "entry":"ask"
  "unanswered_count":0
  "entry":"victim"
  "unanswered_count":0
