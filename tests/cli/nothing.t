What was asked for and is not there ends with a code other than 0; an empty list ends with 0. Both say so on standard error,
and neither prints a row or a title.

  $ . "$TESTDIR/setup.sh"

  $ says() {
  >     xylem "$@" >out 2>err
  >     echo "$? $(wc -c <out) $(sed 's/^xylem: //' err)"
  > }

Lists of an empty store, and of a session without anything to list.

  $ fresh
  $ for list in sessions 'sessions --deleted' 'sessions --name x' quarantine 'lease status' 'sequence list' 'sequence runs'; do
  >     says $list
  > done
  0 0 sessions: there are no sessions
  0 0 sessions: no session is deleted
  0 0 sessions: no session passes the filters
  0 0 quarantine: no line is in quarantine
  0 0 lease: no session has an owner
  0 0 sequence list: no session has a sequence at its leaf
  0 0 sequence runs: there are no runs
  $ add s a note
  $ echo '{"type":"session","version":3,"id":"empty"}' >e.jsonl
  $ xylem import -q e.jsonl >/dev/null
  $ for list in 'moves s' 'files s' 'quarantine s' 'lease status s' 'sequence list s' 'sequence runs s' 'blame s' \
  >     'log s --kind x' 'log s --until 1y' 'log s:none' 'branches empty'; do
  >     says $list
  > done
  0 0 moves: the leaf of the session was never moved
  0 0 files: no tool read or wrote a file on the path
  0 0 quarantine: no line of the session is in quarantine
  0 0 lease: the session s has no owner
  0 0 sequence list: no entry of the path is a snapshot of a sequence
  0 0 sequence runs: there are no runs
  0 0 blame: no entry of the path changes the state
  0 0 log: no entry of the path is of the kind or role 'x'
  0 0 log: no entry of the path passes the filters
  0 0 log: the path has no entry; `xylem -s store tree s` shows all entries
  0 0 branches: the session has no entry

The documents are empty lists.

  $ for list in 'moves s' 'files s' 'quarantine s' 'lease status s' 'sequence list s' 'sequence runs s' 'blame s' \
  >     'log s --kind x'; do
  >     xylem $list --json 2>/dev/null
  >     xylem $list --jsonl 2>/dev/null
  > done
  {"schema":1,"moves":[]}
  {"schema":1,"files":[]}
  {"schema":1,"lines":[]}
  {"schema":1,"leases":[]}
  {"schema":1,"sequences":[]}
  {"schema":1,"runs":[]}
  {"schema":1,"entries":[]}
  {"schema":1,"entries":[]}

What was asked for.

  $ for question in 'search nothing' 'search Note' 'search --errors' 'blame s todo' 'show s:nobody' 'log nobody' \
  >     'sequence show s' 'sequence status s' 'quarantine s --line 3' 'undelete s' 'help nothing'; do
  >     says $question
  > done
  1 0 search: no match in 0 entries
  1 0 search: no match in 0 entries
  1 0 search: no match in 0 entries
  1 0 blame: no entry of the path changes todo
  3 0 show: there is no entry 'nobody'; `xylem -s store tree --all s` shows the ids
  3 0 log: there is no session and no entry 'nobody'; `xylem -s store sessions` lists the sessions
  3 0 sequence show: session s has no sequence at its leaf
  3 0 sequence status: session s has no mark of a run at its leaf
  3 0 quarantine: line 3 is not in quarantine
  4 0 undelete: the session s is not deleted
  2 0 help: there is no command 'nothing' (see `xylem help`)
