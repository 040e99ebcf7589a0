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

A backup whose pages keep their places has holes and no freed text, and is a store like any other.

  $ scenario
  $ add gone secret note '{"text":"a-secret-of-somebody"}'
  $ xylem delete gone --yes >/dev/null && xylem gc --yes >/dev/null 2>&1
  $ grep -aq a-secret-of store/data.mdb
  $ xylem backup copy --keep-pages | without_figures | sed "s|$PWD|DIRECTORY|g"
  DIRECTORY/copy: SIZE (SIZE of holes), verified: 1 session, 2 branches, 31 entries (the store has SIZE)
  to restore the store, copy the backup into a new directory, never over a store that is in use:
    cp -rp DIRECTORY/copy NEW_DIRECTORY
    xylem -s NEW_DIRECTORY verify
  $ grep -ac a-secret-of copy/data.mdb
  0
  [1]
  $ xylem -s copy append new --create --id e --kind note
  e
  $ xylem -s copy verify >/dev/null
  $ xylem backup second --keep-pages --json | grep -o '"hole_bytes":[1-9]' | sed 's/[0-9]/N/'
  "hole_bytes":N
  $ verify

A damaged page is named with its table, and what comes next is said; a damaged row, too.

  $ scenario
  $ place=$(grep -abo "echo: branch B second" store/data.mdb | head -n 1 | sed 's/:.*//')
  $ cp -p store/data.mdb sound
  $ dd if=/dev/zero of=store/data.mdb bs=4096 count=1 seek=$((place / 4096)) conv=notrunc 2>/dev/null
  $ xylem backup copy --keep-pages
  xylem: backup: */3/store/data.mdb: page 14, of the table log: says that it is page 0; no backup was made (glob)
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ cp -p sound store/data.mdb
  $ printf X | dd of=store/data.mdb bs=1 seek=$place conv=notrunc 2>/dev/null
  $ xylem backup copy --keep-pages
  xylem: backup: */3/store is damaged: log: the payload does not match its hash; no backup was made (glob)
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ ls
  fixtures
  sound
  store
  $ xylem verify
  log: session 01a1f9f7-22cb-72e7-96e0-96825857127f: entry 54d08232: branch 2, depth 11: the payload does not match its hash
  1 problem: 1 session, 2 branches, 31 entries, 92 rows checked
  0 of 1 session is whole; damaged:
    01a1f9f7-22cb-72e7-96e0-96825857127f
  
  Nothing was changed. To save all that can be read into a new store:
    xylem -s store repair store-repaired
  [1]

A backup for programs is one document.

  $ scenario
  $ xylem backup copy --json | without_figures
  {"schema":1,"store":"store","backup":"*/4/copy","bytes":N,"hole_bytes":N,"store_bytes":N,"grown_bytes":N,"session_count":1,"branch_count":2,"entry_count":31} (glob)
  $ xylem backup copy
  xylem: backup: copy exists already: the backup needs a directory of its own
  [4]
  $ xylem backup /no/such/directory
  xylem: backup: there is no directory /no/such: make the directory first
  [3]
  $ xylem backup copy -s /no/such/store
  xylem: backup: there is no store in /no/such/store: `xylem -s /no/such/store import` reads pi's sessions into a new store, `xylem -s /no/such/store init` makes an empty store
  [3]
  $ verify
