Which session a word means.

  $ . "$TESTDIR/setup.sh"
  $ means() {
  >     xylem show "$1":@ --json | grep -o '"session":"[^"]*"'
  > }

The time is before the entries, so that no age is more than 0.

  $ sessions() {
  >     fresh 19:30
  >     add 01a1f9f7-22cb-tail-one e session_info '{"name":"Fix the Login"}'
  >     add 01a1f9f7-99aa-tail-two e session_info '{"name":"fix the logout: again"}'
  >     add beef0000-1111 e session_info '{"name":"login"}'
  >     add seen e session_info '{"name":"01a1f9f7-22cb"}'
  > }

An id is named by its beginning and by its end, not by its middle.

  $ sessions
  $ means 01a1f9f7-9
  "session":"01a1f9f7-99aa-tail-two"
  $ means tail-one
  "session":"01a1f9f7-22cb-tail-one"
  $ means 1111
  "session":"beef0000-1111"
  $ xylem show 111:@
  xylem: show: there is no session and no entry '111:@'
  [3]
  $ xylem show 0000:@
  xylem: show: there is no session and no entry '0000:@'
  [3]
  $ xylem show 01a1f9f7:@
  xylem: show: '01a1f9f7' is ambiguous: 2 sessions: 01a1f9f7-99aa (fix the logout: again, 0s), 01a1f9f7-22cb (Fix the Login, 0s)
  [4]

A whole name comes before parts. A word without upper case means any case.

  $ means login
  "session":"beef0000-1111"
  $ means 'fix the login'
  "session":"01a1f9f7-22cb-tail-one"
  $ means 'Fix the Login'
  "session":"01a1f9f7-22cb-tail-one"
  $ means 01a1f9f7-22cb
  "session":"01a1f9f7-22cb-tail-one"
  $ means logout
  "session":"01a1f9f7-99aa-tail-two"
  $ means Logi
  "session":"01a1f9f7-22cb-tail-one"
  $ xylem show LOGIN:@
  xylem: show: there is no session and no entry 'LOGIN:@'; did you mean beef0000-1111 (login, 0s)?
  [3]
  $ xylem show 'fix the':@
  xylem: show: 'fix the' is ambiguous: 2 sessions: 01a1f9f7-99aa (fix the logout: again, 0s), 01a1f9f7-22cb (Fix the Login, 0s)
  [4]
  $ add twin e session_info '{"name":"login"}'
  $ xylem show login:@
  xylem: show: 'login' is ambiguous: 2 sessions: twin (login, 0s), beef0000-1111 (login, 0s)
  [4]
  $ verify

A name with a colon is a name, and takes an entry.

  $ sessions
  $ means 'fix the logout: again'
  "session":"01a1f9f7-99aa-tail-two"
  $ means 'logout: ag'
  "session":"01a1f9f7-99aa-tail-two"
  $ xylem show 'fix the logout: again:@^1' --json | grep -o '"session":"[^"]*"'
  "session":"01a1f9f7-99aa-tail-two"
  $ xylem show 'logout:@^1' --json | grep -o '"session":"[^"]*"'
  "session":"01a1f9f7-99aa-tail-two"
  $ xylem show logout:nothing
  xylem: show: there is no entry 'nothing'; `xylem -s store tree --all 01a1f9f7-99aa-tail-two` shows the ids
  [3]
  $ xylem show nothing:@
  xylem: show: there is no session and no entry 'nothing:@'
  [3]
  $ verify

The last active sessions are counted back. No session of the id @last is made.

  $ sessions
  $ means @last
  "session":"seen"
  $ means @last~1
  "session":"beef0000-1111"
  $ add beef0000-1111 e2 note
  $ means @last
  "session":"beef0000-1111"
  $ means @last~3
  "session":"01a1f9f7-22cb-tail-one"
  $ xylem show @last~4:@
  xylem: show: there is no session and no entry '@last~4:@'
  [3]
  $ xylem show @last~18446744073709551615:@
  xylem: show: there is no session and no entry '@last~18446744073709551615:@'
  [3]
  $ xylem show @last~x:@
  xylem: show: there is no session and no entry '@last~x:@'
  [3]
  $ xylem append @last --create --kind note --id new
  new
  $ xylem show beef0000-1111:new --json | grep -o '"session":"[^"]*"'
  "session":"beef0000-1111"
  $ verify

Nothing behind the `:` is no entry.

  $ xylem show beef0000-1111:
  xylem: show: expected an entry behind the ':', found nothing; @ is the leaf
  [3]

A deleted session whose id begins with a `:` is said to be deleted.

  $ add :gone e note
  $ xylem delete :gone --yes >/dev/null 2>&1
  $ xylem show :gone
  xylem: show: the session :gone is deleted (`xylem -s store undelete :gone` brings it back)
  [3]

The name of a deleted session is said to be the name of a deleted session; a part of the name is not.

  $ fresh
  $ add old-one e session_info '{"name":"Retired Work"}'
  $ xylem delete old-one --yes >/dev/null 2>&1
  $ xylem log 'Retired Work'
  xylem: log: the session old-one is deleted (`xylem -s store undelete old-one` brings it back)
  [3]
  $ xylem log 'retired work'
  xylem: log: the session old-one is deleted (`xylem -s store undelete old-one` brings it back)
  [3]
  $ xylem log retired
  xylem: log: there is no session and no entry 'retired'; `xylem -s store sessions` lists the sessions
  [3]
  $ add new-one e session_info '{"name":"Retired Work"}'
  $ means 'Retired Work'
  "session":"new-one"

A dot is the newest session of this directory.

  $ fresh
  $ xylem show .:@
  xylem: show: there is no session and no entry '.:@' (the end of an id and a part of a name need 4 characters) (glob)
  [3]
  $ number=0
  $ for place in '' /below '' /../other; do
  >     time=2026-11-20T12:0$number:00.000Z
  >     cat >file.jsonl <<EOF
  > {"type":"session","version":3,"id":"dir-$number","timestamp":"$time","cwd":"$PWD$place"}
  > {"type":"note","id":"n","parentId":null,"timestamp":"$time"}
  > EOF
  >     xylem import -q file.jsonl >/dev/null
  >     number=$((number + 1))
  > done
  $ means .
  "session":"dir-2"
  $ means @last
  "session":"dir-3"
  $ xylem delete dir-2 --yes 2>/dev/null
  deleted session dir-2 (its leaf has depth 1)
  $ means .
  "session":"dir-0"
  $ verify

A session is named by its file.

  $ scenario
  $ means $SCENARIO
  "session":"01a1f9f7-22cb-72e7-96e0-96825857127f"
  $ means ./$SCENARIO
  "session":"01a1f9f7-22cb-72e7-96e0-96825857127f"
  $ means ${SCENARIO##*/}
  "session":"01a1f9f7-22cb-72e7-96e0-96825857127f"
  $ xylem show ./elsewhere/x.jsonl:@
  xylem: show: there is no session and no entry './elsewhere/x.jsonl:@'
  [3]
  $ xylem show ./elsewhere/${SCENARIO##*/}:@
  xylem: show: there is no session and no entry './elsewhere/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl:@'
  [3]
  $ xylem show ./${SCENARIO##*/}_.jsonl:@
  xylem: show: there is no session and no entry './2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl_.jsonl:@'
  [3]
  $ add odd e note '{}'
  $ xylem show ./x_odd.jsonl:@
  xylem: show: there is no session and no entry './x_odd.jsonl:@'
  [3]
  $ xylem show $SCENARIO:@^1 --json | grep -o '"depth":[0-9]*'
  "depth":1
  $ verify

An entry is named with its session in one word.

  $ scenario
  $ xylem show 01a1f9f7-22cb:@~1 --json | grep -o '"id":"[^"]*"'
  [1]
  $ xylem show 01a1f9f7-22cb --json | grep -o '"id":"[^"]*"'
  [1]
  $ xylem log 01a1f9f7-22cb:@^2 --json | grep -o '"depth":[0-9]*'
  "depth":2
  "depth":1
  $ xylem fork 01a1f9f7-22cb:after-block --id forked
  forked
  xylem: fork: 1 label of the source lies outside of the shared path and was left behind (--labels appends such labels)
  $ means forked
  "session":"forked"
  $ xylem navigate forked:@^1
  leaf: 6f7578e6 -> b8ef64c6
  $ xylem navigate forked:none
  leaf: b8ef64c6 -> none
  $ xylem show forked
  xylem: show: '@' names no entry: the leaf is none; `xylem -s store tree --all forked` shows the ids
  [3]
  $ xylem redact forked:6f7578e6 --reason x --yes --dry-run
  would redact entry 6f7578e6 of session forked
  to take  491 B of 1 entry; in 2 sessions
  Not reached; the text may still be in:
    the session file */fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl (glob)
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    summaries, labels, names and other entries that repeat the text
  $ xylem redact forked --reason x --yes
  xylem: redact: 'forked' is a session, expected SESSION:ENTRY; 'forked:@' is its current entry (see `xylem redact --help`)
  [2]
  $ xylem navigate forked
  xylem: navigate: 'forked' is a session, expected SESSION:ENTRY; 'forked:@' is its current entry (see `xylem navigate --help`)
  [2]
  $ xylem fork forked:nothing
  xylem: fork: there is no entry 'nothing'; `xylem -s store tree --all forked` shows the ids
  [3]
  $ verify
