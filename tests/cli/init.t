xylem init: a new store, and what is in its place already.

  $ . "$TESTDIR/setup.sh"

A store is made with the directories above it.

  $ empty
  $ xylem -s a/b/new init
  a/b/new is a new xylem store
  $ stat -c '%a %n' a a/b/new
  700 a
  700 a/b/new
  $ xylem -s a/b/new verify
  no problems: 0 sessions, 0 branches, 0 entries, 2 rows checked

A store that is there stays as it is.

  $ empty
  $ xylem init
  store is a new xylem store
  $ add s one note
  $ xylem init
  store is a xylem store already
  $ xylem show s:one >/dev/null

A file in the place of the store is refused.

  $ empty
  $ printf mine >store
  $ xylem init
  xylem: init: store is not a store: expected a directory
  [3]
  $ cat store
  mine (no-eol)
  $ xylem init here
  xylem: init: unexpected argument 'here': -s DIR names the store (see `xylem init --help`)
  [2]

Foreign data is left alone.

  $ empty
  $ mkdir -m 700 store
  $ head -c 8192 /dev/zero | tr '\0' f >store/data.mdb
  $ cp store/data.mdb before
  $ xylem sessions
  xylem: sessions: */4/store/data.mdb is not a store: expected an LMDB file (glob)
  xylem: if a store should be there, `xylem -s store verify` tells what is wrong, and what to do next
  [3]
  $ xylem init
  xylem: init: */4/store/data.mdb is not a store: expected an LMDB file (glob)
  xylem: if a store should be there, `xylem -s store verify` tells what is wrong, and what to do next
  [3]
  $ cmp store/data.mdb before
