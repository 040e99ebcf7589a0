Bad input to every command: one line on standard error, the right exit code, and no harm done.

  $ . "$TESTDIR/setup.sh"

An unknown session is not found.

  $ fresh
  $ xylem export no-such-session
  xylem: export: there is no session 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem log no-such-session
  xylem: log: there is no session and no entry 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem tree no-such-session
  xylem: tree: there is no session and no entry 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem show no-such-session:@
  xylem: show: there is no session and no entry 'no-such-session:@'
  [3]
  $ xylem state no-such-session
  xylem: state: there is no session and no entry 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem blame no-such-session nudge
  xylem: blame: there is no session and no entry 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem moves no-such-session
  xylem: moves: there is no session 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem branches no-such-session
  xylem: branches: there is no session and no entry 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem append no-such-session --kind k
  xylem: append: there is no session 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem navigate no-such-session:@
  xylem: navigate: there is no session 'no-such-session:@'
  [3]
  $ xylem fork no-such-session:@
  xylem: fork: there is no session 'no-such-session:@'
  [3]
  $ xylem clone no-such-session
  xylem: clone: there is no session 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem delete no-such-session --yes
  xylem: delete: there is no session 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem delete no-such-session --dry-run
  xylem: delete: there is no session 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem quarantine no-such-session
  xylem: quarantine: there is no session 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem files no-such-session
  xylem: files: there is no session and no entry 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem log abc
  xylem: log: there is no session and no entry 'abc'; an entry by less than its whole id stands behind its session: 'SESSION:abc'
  [3]

An unknown entry is not found.

  $ add s root note
  $ add s next note
  $ xylem show s:nothing
  xylem: show: there is no entry 'nothing'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem log s:nothing
  xylem: log: there is no entry 'nothing'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem state s:nothing
  xylem: state: there is no entry 'nothing'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem state s:nothing
  xylem: state: there is no entry 'nothing'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem blame s:nothing sequence
  xylem: blame: there is no entry 'nothing'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem navigate s:nothing
  xylem: navigate: there is no entry 'nothing'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem fork s:nothing
  xylem: fork: there is no entry 'nothing'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem append s --kind k --parent nothing
  xylem: append: there is no entry 'nothing'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem append s --kind k --expect nothing
  xylem: append: there is no entry 'nothing'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem show s:@~2
  xylem: show: there is no entry '@~2': '@' has depth 2
  [3]
  $ xylem show s:root~9
  xylem: show: there is no entry 'root~9': 'root' has depth 1
  [3]
  $ xylem show s:abc
  xylem: show: there is no entry 'abc' (the beginning of an id needs 4 characters); `xylem -s store tree --all s` shows the ids
  [3]

The leaf of a session without entries is no entry.

  $ xylem navigate s:none
  leaf: next -> none
  $ xylem show s:@
  xylem: show: '@' names no entry: the leaf is none; `xylem -s store tree --all s` shows the ids
  [3]
  $ verify

An ambiguous beginning names the candidates. The time is before the entries: no age is more than 0.

  $ fresh 19:30
  $ for number in 0 1 2 3 4 5 6; do
  >     add same-$number like-$number note
  >     add all like-$number note
  > done
  $ xylem log same
  xylem: log: 'same' is ambiguous: 7 sessions: same-6 (0s), same-5 (0s), same-4 (0s), same-3 (0s), same-2 (0s), ...
  [4]
  $ xylem show all:like
  xylem: show: 'like' is ambiguous: 7 entry ids begin with it: like-0, like-1, like-2, like-3, like-4, ...
  [4]
  $ xylem append all --kind note --expect like
  xylem: append: 'like' is ambiguous: 7 entry ids begin with it: like-0, like-1, like-2, like-3, like-4, ...
  [4]
  $ xylem log same-3 >/dev/null
  $ xylem show same-3:like >/dev/null
  $ verify

A taken id is a conflict.

  $ fresh
  $ add s root note
  $ xylem append s --kind note --id root
  xylem: append: the session s has an entry root already
  [4]
  $ xylem fork s:root --id s
  xylem: fork: there is a session s already
  [4]
  $ xylem clone s --id s
  xylem: clone: there is a session s already
  [4]
  $ xylem append s --kind note --expect none
  xylem: append: the leaf of the session s: expected none (branch 0, depth 0), found root (branch 1, depth 1)
  [4]
  $ verify

Data that is no JSON is refused.

  $ fresh
  $ xylem append s --kind custom:readonly --data '{"enabled":}' --create
  xylem: append: entry 1 of 1: its payload is refused: JSON is not well-formed at byte 12: parse error: unallowed token at this point in JSON text
  [2]
  $ printf '{"a":1} x' | xylem append s --kind note --data - --create
  xylem: append: entry 1 of 1: its payload is refused: JSON is not well-formed at byte 9: parse error: trailing garbage
  [2]
  $ deep=$(head -c 599 /dev/zero | tr '\0' '[')$(head -c 599 /dev/zero | tr '\0' ']')
  $ xylem append s --kind custom:x --create --data $deep
  xylem: append: entry 1 of 1: its payload is refused: JSON is nested deeper than 512 at byte 512
  [2]
  $ xylem log s
  xylem: log: there is no session and no entry 's' (the end of an id and a part of a name need 4 characters)
  [3]

What exceeds a limit is refused.

  $ name() {
  >     head -c $1 /dev/zero | tr '\0' x
  > }
  $ xylem append s --kind note --create --id $(name 65)
  xylem: append: entry 1 of 1: its id has 65 bytes; it must have 1 to 64
  [2]
  $ xylem append $(name 201) --kind note --create
  xylem: append: a session id has 201 bytes; it must have 1 to 200
  [2]
  $ xylem log $(name 201)
  xylem: log: there is no session and no entry 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem append s --create --kind $(name 5000)
  xylem: append: a kind's name has 5000 bytes; the limit is 4096
  [2]
  $ add s e note
  $ xylem navigate s:@ --reason $(name 257)
  xylem: navigate: the reason of a navigation has 257 bytes; at most 256 are allowed
  [2]
  $ verify

A store that is not there is not found.

  $ empty
  $ xylem sessions
  xylem: sessions: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  [3]
  $ for line in 'export s' 'log s' 'tree s' 'show s:e' 'state s' 'append s -k k' 'navigate s:e' 'branches s' 'fork s:e' \
  >     'clone s' 'delete s -y' verify stat 'quarantine s'; do
  >     xylem $line || echo $?
  > done
  xylem: export: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  xylem: log: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  xylem: tree: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  xylem: show: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  xylem: state: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  xylem: append: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  xylem: navigate: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  xylem: branches: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  xylem: fork: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  xylem: clone: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  xylem: delete: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  xylem: verify: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  xylem: stat: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  xylem: quarantine: there is no store in store: `xylem -s store import` reads pi's sessions into a new store, `xylem -s store init` makes an empty store
  3
  $ ls store
  ls: cannot access 'store': No such file or directory
  [2]

A file is no store.

  $ echo text >store
  $ xylem init
  xylem: init: store is not a store: expected a directory
  [3]
  $ xylem sessions
  xylem: sessions: store is not a store: expected a directory
  [3]
  $ xylem append s --kind k --create
  xylem: append: store is not a store: expected a directory
  [3]
  $ xylem verify
  store: store is not a store: expected a directory
  1 problem: 0 sessions, 0 branches, 0 entries, 0 rows checked
  it is not known which sessions are whole: not all of the store could be read
  [1]
  $ cat store
  text

Damage is 5 for all but verify.

  $ fresh
  $ add s victim-entry note '"the payload of the victim"'
  $ damage victim-entry
  $ xylem log s
  xylem: log: rows of the log beside branch 2, depth 0 are damaged
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem tree s
  xylem: tree: rows of the log beside branch 2, depth 0 are damaged
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem show s:victim-entry
  xylem: show: the record at branch 1, depth 1 does not match its sum
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem sessions
  xylem: sessions: session s: rows of the log beside branch 2, depth 0 are damaged
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem export s
  xylem: export: rows of the log beside branch 2, depth 0 are damaged
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem verify
  log: session s: branch 1, depth 1: the record at branch 1, depth 1 does not match its sum
  sessions: session s: the leaf: the record at branch 1, depth 1 does not match its sum
  sessions: session s: rows of the log beside branch 2, depth 0 are damaged
  branches: session s: branch 1, depth 1: the record at branch 1, depth 1 does not match its sum
  ids: session s: branch 1, depth 1: the record at branch 1, depth 1 does not match its sum
  feed: session s: branch 1, depth 1: the record at branch 1, depth 1 does not match its sum
  6 problems: 1 session, 1 branch, 1 entry, 11 rows checked
  0 of 1 session is whole; damaged:
    s
  
  Nothing was changed. To save all that can be read into a new store:
    xylem -s store repair store-repaired
  [1]
  $ xylem verify --json
  {"schema":1,"store":"store","complete":true,"pages":10,"leaked_pages":0,"session_count":1,"branch_count":1,"entry_count":1,"row_count":11,"damaged_sessions":["s"],"problem_count":6,"problems":[{"table":"log","session":"s","entry":null,"branch":1,"depth":1,"page":0,"text":"the record at branch 1, depth 1 does not match its sum"},{"table":"sessions","session":"s","entry":null,"branch":0,"depth":0,"page":0,"text":"the leaf: the record at branch 1, depth 1 does not match its sum"},{"table":"sessions","session":"s","entry":null,"branch":0,"depth":0,"page":0,"text":"rows of the log beside branch 2, depth 0 are damaged"},{"table":"branches","session":"s","entry":null,"branch":1,"depth":1,"page":0,"text":"the record at branch 1, depth 1 does not match its sum"},{"table":"ids","session":"s","entry":null,"branch":1,"depth":1,"page":0,"text":"the record at branch 1, depth 1 does not match its sum"},{"table":"feed","session":"s","entry":null,"branch":1,"depth":1,"page":0,"text":"the record at branch 1, depth 1 does not match its sum"}]}
  [1]

A damaged payload is found by who reads it. The list of sessions reads no payload.

  $ fresh
  $ add s victim-entry note '"the payload of the victim"'
  $ damage 'payload of the victim'
  $ xylem show s:@
  xylem: show: the payload of entry victim-entry at branch 1, depth 1 does not match its hash
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem show s:@ --raw
  xylem: show: the payload of entry victim-entry at branch 1, depth 1 does not match its hash
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem log s --jsonl
  xylem: log: the payload of entry victim-entry at branch 1, depth 1 does not match its hash
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem sessions
  SESSION  AGE  ENTRIES  DIRECTORY  NAME  LAST
  s*        1  -          -     - (glob)
  $ xylem verify >/dev/null
  [1]

A truncated store is told by verify with 1.

  $ fresh
  $ xylem import -q $SESSIONS/random-22
  3 files: 3 new; 448 entries added, 58 shared (29.8 KiB saved), 0 lines put into quarantine, 0 problems
  $ truncate -s $(($(stat -c %s store/data.mdb) / 2)) store/data.mdb
  $ xylem sessions
  xylem: sessions: */8/store/data.mdb: page 81 is in use, but lies beyond the end of the file: the file was truncated (the file has 41 pages) (glob)
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem verify
  store: */8/store/data.mdb: page 81 is in use, but lies beyond the end of the file: the file was truncated (the file has 41 pages) (glob)
  1 problem: 0 sessions, 0 branches, 0 entries, 0 rows checked
  it is not known which sessions are whole: not all of the store could be read
  
  Nothing was changed. To save all that can be read into a new store:
    xylem -s store repair store-repaired
  [1]
  $ xylem verify --json
  {"schema":1,"store":"store","complete":false,"pages":0,"leaked_pages":0,"session_count":0,"branch_count":0,"entry_count":0,"row_count":0,"damaged_sessions":null,"problem_count":1,"problems":[{"table":null,"session":null,"entry":null,"branch":0,"depth":0,"page":0,"text":"*/8/store/data.mdb: page 81 is in use, but lies beyond the end of the file: the file was truncated (the file has 41 pages)"}]} (glob)
  [1]

An emptied store is told by verify with 1.

  $ fresh
  $ truncate -s 0 store/data.mdb
  $ xylem sessions
  xylem: sessions: */9/store/data.mdb is not a store: the file is empty (glob)
  xylem: if a store should be there, `xylem -s store verify` tells what is wrong, and what to do next
  [3]
  $ xylem verify
  store: */9/store/data.mdb is not a store: the file is empty (glob)
  1 problem: 0 sessions, 0 branches, 0 entries, 0 rows checked
  it is not known which sessions are whole: not all of the store could be read
  
  Nothing was changed. To put a backup in the store's place, if there is a backup:
    mv store store-damaged
    cp -rp BACKUP store
  [1]
  $ xylem verify --json
  {"schema":1,"store":"store","complete":false,"pages":0,"leaked_pages":0,"session_count":0,"branch_count":0,"entry_count":0,"row_count":0,"damaged_sessions":null,"problem_count":1,"problems":[{"table":null,"session":null,"entry":null,"branch":0,"depth":0,"page":0,"text":"*/9/store/data.mdb is not a store: the file is empty"}]} (glob)
  [1]

Reading without locks works, and writing refuses.

  $ fresh 19:30
  $ add s root note
  $ xylem --no-lock log s
  1  root  *  note        <leaf> (glob)
  $ xylem verify --no-lock
  no problems: 1 session, 1 branch, 1 entry, 11 rows checked
  $ for line in 'append s --kind note' 'navigate s:none' 'fork s:@' 'clone s' 'delete s --yes' init 'compact --yes' \
  >     'gc --yes' 'redact --finish'; do
  >     xylem $line --no-lock || echo $?
  > done
  xylem: append: --no-lock is for commands that read; this command writes (see `xylem append --help`)
  2
  xylem: navigate: --no-lock is for commands that read; this command writes (see `xylem navigate --help`)
  2
  xylem: fork: --no-lock is for commands that read; this command writes (see `xylem fork --help`)
  2
  xylem: clone: --no-lock is for commands that read; this command writes (see `xylem clone --help`)
  2
  xylem: delete: --no-lock is for commands that read; this command writes (see `xylem delete --help`)
  2
  xylem: init: --no-lock is for commands that read; this command writes (see `xylem init --help`)
  2
  xylem: compact: --no-lock is for commands that read; this command writes (see `xylem compact --help`)
  2
  xylem: gc: --no-lock is for commands that read; this command writes (see `xylem gc --help`)
  2
  xylem: redact: --no-lock is for commands that read; this command writes (see `xylem redact --help`)
  2
  $ xylem delete s --dry-run --no-lock
  would delete session s (its leaf has depth 1)
  $ verify

A file size limit is 6, and named. The program ignores the signal that would end it.

  $ fresh
  $ add s root note
  $ (ulimit -f 32 && xylem append s --kind note)
  xylem: append: cannot commit to */11/store: the process's file size limit is 16.0 KiB (ulimit -f) (glob)
  [6]
  $ add s next note
  $ verify

Output that cannot be written is 6. What a line changes is changed, whatever becomes of its output. Of the scenario an
export writes more than is buffered, so that the export fails in the middle.

  $ fresh
  $ xylem import -q $SCENARIO
  1 file: 1 new; 31 entries added, 0 lines put into quarantine, 0 problems
  $ add s one note '{"a":1}'
  $ add s two note 1
  $ add doomed-1 e note
  $ add doomed-2 e note
  $ lines() {
  >     sed "s/DOOMED/doomed-$1/; s|SCENARIO_ID|$SCENARIO_ID|; s|SCENARIO|$SCENARIO|" <<'EOF'
  > help
  > help import
  > help import --json
  > log --help
  > version
  > complete -- lo
  > init
  > import SCENARIO
  > import SCENARIO --json
  > export SCENARIO_ID
  > export s
  > export s -o -
  > sessions
  > sessions --json
  > sessions --jsonl
  > log s
  > log SCENARIO_ID --full
  > log s --jsonl
  > tree s
  > tree SCENARIO_ID --all --jsonl
  > tree s --family
  > show s:@
  > show s:@ --raw
  > branches s
  > diff s SCENARIO_ID
  > state s
  > state s --json
  > blame SCENARIO_ID readonly
  > moves s --json
  > files s --json
  > watch s -n 0
  > append s --kind note --data 2
  > navigate s:@~1
  > fork s:@
  > clone s
  > delete DOOMED --yes
  > undelete DOOMED
  > gc --dry-run
  > redact SCENARIO_ID:@ --reason leaked --dry-run
  > verify
  > verify --json
  > backup backup
  > compact --yes
  > stat
  > stat --json
  > quarantine s --json
  > lease status --json
  > judge ls
  > judge --json ls
  > gate SCENARIO_ID
  > EOF
  > }
  $ lines 1 | while read -r line; do
  >     rm -rf backup
  >     xylem $line </dev/null >/dev/full
  >     [ $? -eq 6 ] || echo "$line: no error"
  > done
  xylem: help: cannot write standard output: no space left on device
  xylem: help: cannot write standard output: no space left on device
  xylem: help: cannot write standard output: no space left on device
  xylem: log: cannot write standard output: no space left on device
  xylem: version: cannot write standard output: no space left on device
  xylem: complete: cannot write standard output: no space left on device
  xylem: init: cannot write standard output: no space left on device
  xylem: import: cannot write standard output: no space left on device
  xylem: import: cannot write standard output: no space left on device
  xylem: export: cannot write standard output: no space left on device
  xylem: export: cannot write standard output: no space left on device
  xylem: export: cannot write standard output: no space left on device
  xylem: sessions: cannot write standard output: no space left on device
  xylem: sessions: cannot write standard output: no space left on device
  xylem: sessions: cannot write standard output: no space left on device
  xylem: log: cannot write standard output: no space left on device
  xylem: log: cannot write standard output: no space left on device
  xylem: log: cannot write standard output: no space left on device
  xylem: tree: cannot write standard output: no space left on device
  xylem: tree: cannot write standard output: no space left on device
  xylem: tree: cannot write standard output: no space left on device
  xylem: show: cannot write standard output: no space left on device
  xylem: show: cannot write standard output: no space left on device
  xylem: branches: cannot write standard output: no space left on device
  xylem: diff: cannot write standard output: no space left on device
  xylem: state: cannot write standard output: no space left on device
  xylem: state: cannot write standard output: no space left on device
  xylem: blame: cannot write standard output: no space left on device
  xylem: moves: cannot write standard output: no space left on device
  xylem: files: cannot write standard output: no space left on device
  xylem: watch: cannot write standard output: no space left on device
  xylem: append: cannot write standard output: no space left on device
  xylem: navigate: cannot write standard output: no space left on device
  xylem: fork: cannot write standard output: no space left on device
  xylem: clone: cannot write standard output: no space left on device
  xylem: delete: cannot write standard output: no space left on device
  xylem: undelete: cannot write standard output: no space left on device
  xylem: gc: cannot write standard output: no space left on device
  xylem: redact: cannot write standard output: no space left on device
  xylem: verify: cannot write standard output: no space left on device
  xylem: verify: cannot write standard output: no space left on device
  xylem: backup: cannot write standard output: no space left on device
  xylem: compact: cannot write standard output: no space left on device
  xylem: stat: cannot write standard output: no space left on device
  xylem: stat: cannot write standard output: no space left on device
  xylem: quarantine: cannot write standard output: no space left on device
  xylem: lease: cannot write standard output: no space left on device
  xylem: judge: cannot write standard output: no space left on device
  xylem: judge: cannot write standard output: no space left on device
  xylem: gate: cannot write standard output: no space left on device
  $ lines 2 | while read -r line; do
  >     rm -rf backup
  >     xylem $line </dev/null >&-
  >     [ $? -eq 6 ] || echo "$line: no error"
  > done
  xylem: help: cannot write standard output: bad file descriptor
  xylem: help: cannot write standard output: bad file descriptor
  xylem: help: cannot write standard output: bad file descriptor
  xylem: log: cannot write standard output: bad file descriptor
  xylem: version: cannot write standard output: bad file descriptor
  xylem: complete: cannot write standard output: bad file descriptor
  xylem: init: cannot write standard output: bad file descriptor
  xylem: import: cannot write standard output: bad file descriptor
  xylem: import: cannot write standard output: bad file descriptor
  xylem: export: cannot write standard output: bad file descriptor
  xylem: export: cannot write standard output: bad file descriptor
  xylem: export: cannot write standard output: bad file descriptor
  xylem: sessions: cannot write standard output: bad file descriptor
  xylem: sessions: cannot write standard output: bad file descriptor
  xylem: sessions: cannot write standard output: bad file descriptor
  xylem: log: cannot write standard output: bad file descriptor
  xylem: log: cannot write standard output: bad file descriptor
  xylem: log: cannot write standard output: bad file descriptor
  xylem: tree: cannot write standard output: bad file descriptor
  xylem: tree: cannot write standard output: bad file descriptor
  xylem: tree: cannot write standard output: bad file descriptor
  xylem: show: cannot write standard output: bad file descriptor
  xylem: show: cannot write standard output: bad file descriptor
  xylem: branches: cannot write standard output: bad file descriptor
  xylem: diff: cannot write standard output: bad file descriptor
  xylem: state: cannot write standard output: bad file descriptor
  xylem: state: cannot write standard output: bad file descriptor
  xylem: blame: cannot write standard output: bad file descriptor
  xylem: moves: cannot write standard output: bad file descriptor
  xylem: files: cannot write standard output: bad file descriptor
  xylem: watch: cannot write standard output: bad file descriptor
  xylem: append: cannot write standard output: bad file descriptor
  xylem: navigate: cannot write standard output: bad file descriptor
  xylem: fork: cannot write standard output: bad file descriptor
  xylem: clone: cannot write standard output: bad file descriptor
  xylem: delete: cannot write standard output: bad file descriptor
  xylem: undelete: cannot write standard output: bad file descriptor
  xylem: gc: cannot write standard output: bad file descriptor
  xylem: redact: cannot write standard output: bad file descriptor
  xylem: verify: cannot write standard output: bad file descriptor
  xylem: verify: cannot write standard output: bad file descriptor
  xylem: backup: cannot write standard output: bad file descriptor
  xylem: compact: cannot write standard output: bad file descriptor
  xylem: stat: cannot write standard output: bad file descriptor
  xylem: stat: cannot write standard output: bad file descriptor
  xylem: quarantine: cannot write standard output: bad file descriptor
  xylem: lease: cannot write standard output: bad file descriptor
  xylem: judge: cannot write standard output: bad file descriptor
  xylem: judge: cannot write standard output: bad file descriptor
  xylem: gate: cannot write standard output: bad file descriptor
  $ xylem export s -o /dev/full
  xylem: export: /dev/full cannot be written: No space left on device
  [6]
  $ stat -c %F /dev/full
  character special file
  $ verify

Closed streams leave the store alone. The file that is opened next takes the number of a closed stream: what is printed
must not go into a file of the store.

  $ fresh
  $ add s e note
  $ for line in 'append s --kind note' 'log s' "import $SCENARIO" verify init 'log no-such'; do
  >     xylem $line <&- >&- 2>&-
  >     echo "$line: $?"
  >     grep -r 'xylem: ' store
  > done
  append s --kind note: 6
  log s: 6
  import fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl: 6
  verify: 6
  init: 6
  log no-such: 3
  [1]
  $ verify

Files that cannot be imported do not keep the others from it.

  $ fresh
  $ echo 'no session' >bad.jsonl
  $ mkdir empty
  $ xylem import bad.jsonl $SCENARIO
  xylem: import: */14/bad.jsonl: line 1: expected a session header, found a line that is not JSON (glob)
  new             31 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl
  2 files: 1 new, 1 failed; 31 entries added, 0 lines put into quarantine, 1 problem
  [2]
  $ xylem import no-such-file.jsonl $SCENARIO
  xylem: import: no-such-file.jsonl: No such file or directory
  unchanged        0 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl
  1 file: 1 unchanged; 0 entries added, 0 lines put into quarantine, 1 problem
  [3]
  $ xylem import empty
  xylem: import: empty: the directory has no file that ends in .jsonl
  [1]
  $ xylem import --json bad.jsonl
  xylem: import: */14/bad.jsonl: line 1: expected a session header, found a line that is not JSON (glob)
  {"schema":1,"files":[{"path":"bad.jsonl","error":"*/14/bad.jsonl: line 1: expected a session header, found a line that is not JSON","session":null,"outcome":"failed","file_version":0,"line_count":0,"bytes":0,"added":0,"shared":0,"shared_bytes":0,"source":null,"source_outcome":"none","matched":0,"quarantined_lines":0,"kept_lines":0,"unconsumed_bytes":0,"leaf_stayed":false,"problems":[]}],"file_count":1,"new_count":0,"grew_count":0,"changed_count":0,"unchanged_count":0,"skipped_count":0,"failed_count":1,"left_count":0,"added":0,"shared":0,"shared_bytes":0,"matched":0,"quarantined_lines":0,"problem_count":1} (glob)
  [2]
  $ verify

A wait that is no number is refused.

  $ fresh
  $ add s e note
  $ xylem append s --kind note --wait soon
  xylem: append: --wait takes a number, not 'soon' (see `xylem append --help`)
  [2]
  $ xylem append s --kind note --wait 99999999999999999999
  xylem: append: --wait takes a number below 2^64, not '99999999999999999999' (see `xylem append --help`)
  [2]
  $ xylem append s --kind note --id next --wait 18446744073709551615
  next
  $ verify
