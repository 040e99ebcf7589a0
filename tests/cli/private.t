Who can read what the command writes: stores, copies and exports, whatever the umask; and the warning of a store that
others can read.

  $ . "$TESTDIR/setup.sh"

All that is written is the owner's alone, whatever the umask.

  $ empty
  $ for mask in 000 777; do
  >     mkdir $mask
  >     (
  >         umask $mask
  >         export XYLEM_STORE=$mask/a/b/store
  >         xylem import -q $SCENARIO >/dev/null
  >         xylem export $SCENARIO_ID -o $mask/out.jsonl
  >         xylem backup $mask/copy >/dev/null
  >         xylem compact --yes --overwrite >/dev/null
  >     )
  >     stat -c '%a %n' $mask/a $mask/a/b $mask/a/b/store $mask/copy $mask/a/b/store/* $mask/copy/data.mdb $mask/out.jsonl
  > done
  xylem: import: 000/a/b/store is a new xylem store
  700 000/a
  700 000/a/b
  700 000/a/b/store
  700 000/copy
  600 000/a/b/store/data.mdb
  600 000/a/b/store/lock.mdb
  600 000/a/b/store/xylem.lock
  600 000/copy/data.mdb
  600 000/out.jsonl
  xylem: import: 777/a/b/store is a new xylem store
  700 777/a
  700 777/a/b
  700 777/a/b/store
  700 777/copy
  600 777/a/b/store/data.mdb
  600 777/a/b/store/lock.mdb
  600 777/a/b/store/xylem.lock
  600 777/copy/data.mdb
  600 777/out.jsonl

A store that others can read is named once a run.

  $ scenario
  $ xylem sessions
  SESSION                               AGE  ENTRIES  DIRECTORY       NAME          LAST
  01a1f9f7-22cb-72e7-96e0-96825857127f   2h       31  /home/dev/proj  scenario one  echo: after resume
  $ chmod 755 store
  $ xylem sessions
  xylem: warning: */2/store can be read by everyone (mode 0755): chmod 700 */2/store* (glob)
  SESSION                               AGE  ENTRIES  DIRECTORY       NAME          LAST
  01a1f9f7-22cb-72e7-96e0-96825857127f   2h       31  /home/dev/proj  scenario one  echo: after resume
  $ for line in 'sessions --json' "log $SCENARIO_ID --jsonl" 'verify --json' "delete $SCENARIO_ID --dry-run" \
  >     'append other --create --kind note' init 'log no-such-session' stat; do
  >     xylem $line 2>&1 >said | grep warning
  >     grep warning said
  > done
  xylem: warning: */2/store can be read by everyone (mode 0755): chmod 700 */2/store* (glob)
  xylem: warning: */2/store can be read by everyone (mode 0755): chmod 700 */2/store* (glob)
  xylem: warning: */2/store can be read by everyone (mode 0755): chmod 700 */2/store* (glob)
  xylem: warning: */2/store can be read by everyone (mode 0755): chmod 700 */2/store* (glob)
  xylem: warning: */2/store can be read by everyone (mode 0755): chmod 700 */2/store* (glob)
  xylem: warning: */2/store can be read by everyone (mode 0755): chmod 700 */2/store* (glob)
  xylem: warning: */2/store can be read by everyone (mode 0755): chmod 700 */2/store* (glob)
  xylem: warning: */2/store can be read by everyone (mode 0755): chmod 700 */2/store* (glob)
  [1]
  $ xylem complete -- log 01a1
  01a1f9f7-22cb-72e7-96e0-96825857127f\tscenario one, 2h, /home/dev/proj (esc)
  $ chmod 700 store
  $ xylem sessions
  SESSION                               AGE  ENTRIES  DIRECTORY       NAME          LAST
  other                                  0s        1  -               -             -
  01a1f9f7-22cb-72e7-96e0-96825857127f   2h       31  /home/dev/proj  scenario one  echo: after resume
  $ verify

The chmod of a warning can be pasted.

  $ fresh
  $ xylem init -s "it's a store"
  it's a store is a new xylem store
  $ chmod 755 "it's a store"
  $ xylem sessions -s "it's a store" 2>said
  $ sed -n 's/.*\(chmod\)/\1/p' said | sh
  $ stat -c %a "it's a store"
  700

Files of a store that are none are refused by every command. A FIFO would keep a command waiting for ever, a link would
lead a command to somebody else's file. A repair opens no lock.mdb.

  $ scenario
  $ refused() {
  >     for line in sessions verify stat 'repair new' 'compact --yes' init 'gc --yes' 'append s --kind note --create' \
  >         'backup new' "import $SCENARIO"; do
  >         [ "$1 $line" != 'lock.mdb repair new' ] || continue
  >         xylem $line >said 2>&1
  >         echo "$1: $line: $?, $(grep -o 'found a FIFO\|found a symbolic link' said)"
  >     done
  > }
  $ for name in data.mdb lock.mdb xylem.lock; do
  >     mv store/$name aside
  >     mkfifo -m 600 store/$name
  >     refused $name
  >     rm store/$name
  >     ln -s "$PWD/victim" store/$name
  >     refused $name
  >     rm store/$name
  >     ls victim 2>&1 | grep -v 'No such file'
  >     mv aside store/$name
  > done
  data.mdb: sessions: 3, found a FIFO
  data.mdb: verify: 1, found a FIFO
  data.mdb: stat: 3, found a FIFO
  data.mdb: repair new: 3, found a FIFO
  data.mdb: compact --yes: 3, found a FIFO
  data.mdb: init: 3, found a FIFO
  data.mdb: gc --yes: 3, found a FIFO
  data.mdb: append s --kind note --create: 3, found a FIFO
  data.mdb: backup new: 3, found a FIFO
  data.mdb: import fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl: 3, found a FIFO
  data.mdb: sessions: 3, found a symbolic link
  data.mdb: verify: 1, found a symbolic link
  data.mdb: stat: 3, found a symbolic link
  data.mdb: repair new: 3, found a symbolic link
  data.mdb: compact --yes: 3, found a symbolic link
  data.mdb: init: 3, found a symbolic link
  data.mdb: gc --yes: 3, found a symbolic link
  data.mdb: append s --kind note --create: 3, found a symbolic link
  data.mdb: backup new: 3, found a symbolic link
  data.mdb: import fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl: 3, found a symbolic link
  lock.mdb: sessions: 6, found a FIFO
  lock.mdb: verify: 6, found a FIFO
  lock.mdb: stat: 6, found a FIFO
  lock.mdb: compact --yes: 6, found a FIFO
  lock.mdb: init: 6, found a FIFO
  lock.mdb: gc --yes: 6, found a FIFO
  lock.mdb: append s --kind note --create: 6, found a FIFO
  lock.mdb: backup new: 6, found a FIFO
  lock.mdb: import fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl: 6, found a FIFO
  lock.mdb: sessions: 6, found a symbolic link
  lock.mdb: verify: 6, found a symbolic link
  lock.mdb: stat: 6, found a symbolic link
  lock.mdb: compact --yes: 6, found a symbolic link
  lock.mdb: init: 6, found a symbolic link
  lock.mdb: gc --yes: 6, found a symbolic link
  lock.mdb: append s --kind note --create: 6, found a symbolic link
  lock.mdb: backup new: 6, found a symbolic link
  lock.mdb: import fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl: 6, found a symbolic link
  xylem.lock: sessions: 6, found a FIFO
  xylem.lock: verify: 6, found a FIFO
  xylem.lock: stat: 6, found a FIFO
  xylem.lock: repair new: 6, found a FIFO
  xylem.lock: compact --yes: 6, found a FIFO
  xylem.lock: init: 6, found a FIFO
  xylem.lock: gc --yes: 6, found a FIFO
  xylem.lock: append s --kind note --create: 6, found a FIFO
  xylem.lock: backup new: 6, found a FIFO
  xylem.lock: import fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl: 6, found a FIFO
  xylem.lock: sessions: 6, found a symbolic link
  xylem.lock: verify: 6, found a symbolic link
  xylem.lock: stat: 6, found a symbolic link
  xylem.lock: repair new: 6, found a symbolic link
  xylem.lock: compact --yes: 6, found a symbolic link
  xylem.lock: init: 6, found a symbolic link
  xylem.lock: gc --yes: 6, found a symbolic link
  xylem.lock: append s --kind note --create: 6, found a symbolic link
  xylem.lock: backup new: 6, found a symbolic link
  xylem.lock: import fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl: 6, found a symbolic link
  $ verify
