xylem version, and the option.

  $ . "$TESTDIR/setup.sh"

The version is told in three ways.

  $ fresh
  $ xylem version
  xylem 0.1.0
  $ xylem --version
  xylem 0.1.0
  $ xylem log --version
  xylem 0.1.0
  $ xylem version --json
  {"schema":1,"version":"0.1.0"}
  $ verify
