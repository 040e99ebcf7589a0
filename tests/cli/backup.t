xylem backup: a copy beside live writers, and how the copy is restored.

  $ . "$TESTDIR/setup.sh"

A backup says how it is restored, and that works.

  $ scenario
  $ copy="$PWD/it's a	copy"
  $ xylem backup "$copy" >said
  $ sed "s|$PWD|DIRECTORY|g" said | without_figures
  DIRECTORY/it's a\tcopy: SIZE, verified: 1 session, 2 branches, 31 entries (the store has SIZE)
  to restore the store, copy the backup into a new directory, never over a store that is in use:
    cp -rp $'DIRECTORY/it\'s a\x09copy' NEW_DIRECTORY
    xylem -s NEW_DIRECTORY verify
  $ bash -c "$(sed -n "s|NEW_DIRECTORY.*|'$PWD/restored'|; s|^ *cp|cp|p" said)"
  $ xylem -s restored verify >/dev/null
  $ stat -c '%a %n' restored restored/data.mdb
  700 restored
  600 restored/data.mdb
  $ xylem log $SCENARIO_ID -s restored | wc -l
  20
  $ verify

A backup for programs is one document.

  $ scenario
  $ xylem backup copy --json | without_figures
  {"schema":1,"store":"store","backup":"*/2/copy","bytes":N,"store_bytes":N,"session_count":1,"branch_count":2,"entry_count":31} (glob)
  $ xylem backup copy
  xylem: backup: copy exists already: the backup needs a directory of its own
  [4]
  $ xylem backup /no/such/directory
  xylem: backup: cannot open /no/such: No such file or directory
  [6]
  $ xylem backup copy -s /no/such/store
  xylem: backup: there is no store in /no/such/store: `xylem -s /no/such/store import` reads pi's sessions into a new store, `xylem -s /no/such/store init` makes an empty store
  [3]
  $ verify
