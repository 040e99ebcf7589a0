xylem watch: what a watch shows of a session at its beginning, and what it refuses.

  $ . "$TESTDIR/setup.sh"

The beginning is as long as is asked for.

  $ fresh
  $ for id in one two three; do add s $id note; done
  $ xylem watch s -n 0 --last 2
  two  *  note (glob)
  three  *  note (glob)
  $ xylem watch s -n 0 --last 0
  $ for number in $(seq 12); do add s e$number note; done
  $ xylem watch s -n 0
  e3  *  note (glob)
  e4  *  note (glob)
  e5  *  note (glob)
  e6  *  note (glob)
  e7  *  note (glob)
  e8  *  note (glob)
  e9  *  note (glob)
  e10  *  note (glob)
  e11  *  note (glob)
  e12  *  note (glob)

What a watch cannot do is refused. The last entries are those of a session.

  $ xylem watch s t
  xylem: watch: unexpected argument 't': a name of several words stands in quotes: 's t' (see `xylem watch --help`)
  [2]
  $ xylem watch nobody
  xylem: watch: there is no session 'nobody'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem watch s --json
  xylem: watch: there is no option --json; did you mean --jsonl? (see `xylem watch --help`)
  [2]
  $ xylem watch --last 3
  xylem: watch: --last needs a session (see `xylem watch --help`)
  [2]
  $ verify
