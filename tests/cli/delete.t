xylem delete: marks a session, and says what brings the session back.

  $ . "$TESTDIR/setup.sh"

A deleted session is told apart.

  $ fresh
  $ add gone a note
  $ xylem delete gone --yes
  deleted session gone (its leaf has depth 1)
  $ xylem log gone
  xylem: log: the session gone is deleted (`xylem -s store undelete gone` brings it back)
  [3]
  $ xylem append gone --kind note --create
  xylem: append: the session gone is deleted
  [3]
  $ xylem sessions
  xylem: sessions: there are no sessions
  $ xylem sessions --all
  SESSION  AGE  ENTRIES  STATE    DIRECTORY  NAME  LAST
  gone*        1  deleted  -          -     - (glob)
  $ verify
