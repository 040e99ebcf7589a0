xylem undelete: what was deleted is there again, until gc.

  $ . "$TESTDIR/setup.sh"

An undeleted session is there again. Of a deleted session nobody is asked whether they meant another.

  $ family
  $ xylem log source >before
  $ xylem delete source --yes
  deleted session source (its leaf has depth 4)
  $ xylem log source
  xylem: log: the session source is deleted (`xylem -s store undelete source` brings it back)
  [3]
  $ xylem log sour
  xylem: log: the session source is deleted (`xylem -s store undelete source` brings it back)
  [3]
  $ xylem undelete sour
  undeleted session source (its leaf has depth 4)
  $ xylem log source | cmp - before
  $ verify

What is not deleted cannot be undeleted: a beginning is only looked for among deleted sessions.

  $ family
  $ xylem undelete source
  xylem: undelete: the session source is not deleted
  [4]
  $ xylem undelete sour
  xylem: undelete: there is no deleted session 'sour' (`xylem -s store sessions --deleted` lists deleted sessions)
  [3]
  $ xylem delete source --yes
  deleted session source (its leaf has depth 4)
  $ xylem undelete sou
  xylem: undelete: there is no deleted session 'sou' (`xylem -s store sessions --deleted` lists deleted sessions)
  [3]
  $ xylem undelete
  xylem: undelete: an argument is missing: xylem undelete SESSION (see `xylem undelete --help`)
  [2]
  $ verify

An ambiguous beginning is refused, and a whole id is not.

  $ family
  $ add fork a note
  $ add fork-2 a note
  $ for session in fork fork-1 fork-2; do xylem delete $session --yes 2>/dev/null; done
  deleted session fork (its leaf has depth 1)
  deleted session fork-1 (its leaf has depth 2)
  deleted session fork-2 (its leaf has depth 1)
  $ xylem undelete fork-
  xylem: undelete: 'fork-' is ambiguous: 2 sessions: fork-2 (*), fork-1 (*) (glob)
  [4]
  $ xylem undelete fork
  undeleted session fork (its leaf has depth 1)
  $ verify

A deleted session is named by its name, and by the end of its id. Only a part of the id is known of a deleted session.

  $ family
  $ xylem rename source 'fix the login'
  name: none -> fix the login
  $ xylem delete login --yes
  xylem: delete: there is no session 'login'; did you mean source (fix the login, 0s)?
  [3]
  $ xylem delete 'fix the login' --yes
  deleted session source (fix the login, its leaf has depth 5)
  $ xylem log login
  xylem: log: there is no session and no entry 'login'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem undelete login
  undeleted session source (fix the login, its leaf has depth 5)
  $ xylem delete source --yes 2>/dev/null
  deleted session source (fix the login, its leaf has depth 5)
  $ xylem undelete urce
  undeleted session source (fix the login, its leaf has depth 5)
  $ xylem log source | wc -l
  5
  $ verify
