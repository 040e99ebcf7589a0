xylem verify: a sound store.

  $ . "$TESTDIR/setup.sh"

A sound store is said to be sound.

  $ scenario
  $ xylem verify
  no problems: 1 session, 2 branches, 31 entries, 92 rows checked
  $ xylem verify --json
  {"schema":1,"store":"store","complete":true,"pages":22,"leaked_pages":0,"session_count":1,"branch_count":2,"entry_count":31,"row_count":92,"damaged_sessions":[],"problem_count":0,"problems":[]}
