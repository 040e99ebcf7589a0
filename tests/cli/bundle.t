xylem bundle: sessions as one file for another store. What `xylem unbundle` makes of a bundle has a page of its own.

  $ . "$TESTDIR/setup.sh"
  $ bundle() {
  >     xylem bundle "$@" 2>said
  >     set -- $?
  >     sed -E 's/[0-9.]+ ([KM]i)?B$/SIZE/' said >&2
  >     return $1
  > }
  $ check() { xylem unbundle --check "$@" >checked; sed -E 's/[0-9a-f-]{36}/STORE/; s/[0-9.]+ ([KM]i)?B /SIZE /' checked; }

A session goes alone, and a family together. Bases stand before their forks.

  $ family 19:30
  $ bundle alone >b
  xylem: bundle: 1 session, 2 changes with 1 entry; SIZE
  $ head -n 1 b
  xylem bundle 1
  $ check b
  SESSION  CHANGES  ENTRIES  DIRECTORY
  alone          2        1  -
  1 session; 2 changes with 1 entry
  from store STORE, made 2026-11-20 19:30:00; 2 parts, SIZE before compression
  $ bundle --family fork-1 >b
  xylem: bundle: 2 sessions, 6 changes with 4 entries; SIZE
  $ bundle --family fork-1 -q >b
  $ check b
  SESSION  CHANGES  ENTRIES  DIRECTORY
  source         5        4  -
  fork-1         1        0  -
  2 sessions; 6 changes with 4 entries
  from store STORE, made 2026-11-20 19:30:00; 2 parts, SIZE before compression

A fork alone brings along what it shares, and no more. Two forks of a session share the longer part.

  $ bundle fork-1 >b
  xylem: bundle: shared: the first 3 changes of source, for its fork fork-1
  xylem: bundle: 1 session, 4 changes with 2 entries; SIZE
  $ xylem fork source:c --id fork-2 >/dev/null
  $ xylem fork fork-2:@ --id fork-3 >/dev/null
  $ bundle fork-1 fork-3 >b
  xylem: bundle: shared: the first 4 changes of source, for 2 forks of it
  xylem: bundle: 2 sessions, 6 changes with 3 entries; SIZE
  $ check b | head -n 4
  SESSION  CHANGES  ENTRIES  DIRECTORY
  source         4        3  (shared)
  fork-1         1        0  -
  fork-3         1        0  -

A deleted session goes along as a base only, also what is left of it behind gc.

  $ xylem delete source --yes >/dev/null
  $ bundle --family fork-1 >b
  xylem: bundle: shared: the first 4 changes of source, for 3 forks of it
  xylem: bundle: 3 sessions, 7 changes with 3 entries; SIZE
  $ xylem gc --yes >/dev/null 2>&1
  $ bundle fork-1 >b
  xylem: bundle: shared: what is left of the freed session source, for its fork fork-1
  xylem: bundle: 1 session, 1 change with 3 entries; SIZE

With a bundle of before, only what came since is in the bundle; without SESSION, of all its sessions. What was freed
since is gone.

  $ family
  $ bundle source fork-1 alone >b1
  xylem: bundle: 3 sessions, 8 changes with 5 entries; SIZE
  $ add source e note
  $ add alone y note
  $ bundle alone --since-bundle b1 >b2
  xylem: bundle: 1 session, 1 change with 1 entry; SIZE
  $ xylem delete alone --yes >/dev/null
  $ bundle --since-bundle b1 >b2
  xylem: bundle: 3 sessions, 3 changes with 2 entries; SIZE
  $ xylem gc --yes >/dev/null 2>&1
  $ bundle --since-bundle b2 >b3
  xylem: bundle: gone: alone was freed here since
  xylem: bundle: 2 sessions, 0 changes with 0 entries; SIZE

With --family a new session of the family comes whole, and its base, which the bundle of before has, is not needed again.

  $ xylem fork source:d --id fork-2 >/dev/null
  $ bundle --since-bundle b1 --family >b3
  xylem: bundle: gone: alone was freed here since
  xylem: bundle: 3 sessions, 2 changes with 1 entry; SIZE
  $ check b3 | head -n 5
  SESSION  CHANGES  ENTRIES  DIRECTORY
  alone          0        0  -
  source         1        1  -
  fork-1         0        0  -
  fork-2         1        0  -

A store that was put back to an older state has another history, and another store has another one anyway.

  $ cp -r store other
  $ add source f note
  $ bundle source --since-bundle b1 >b2
  xylem: bundle: 1 session, 2 changes with 2 entries; SIZE
  $ xylem -s other append source --kind note --id other >/dev/null
  $ xylem -s other bundle source --since-bundle b2 >b3
  xylem: bundle: session source has another history than b2 tells: another store made that bundle, or this store is a restored backup, or the id was freed and used again; name other sessions to bundle these alone
  [4]
  $ xylem -s third init >/dev/null
  $ xylem -s third bundle --since-bundle b2 >b3
  xylem: bundle: b2 is a bundle of another store
  [4]

An entry that matches a pattern travels without its payload. A bundle that goes on has the same patterns.

  $ fresh
  $ add s a message '{"role":"user","content":"the key is hunter2"}'
  $ add s b message '{"role":"user","content":"thank you"}'
  $ bundle s --redact-pattern 'hunter[0-9]' >b1
  xylem: bundle: 1 session, 3 changes with 2 entries, 1 redacted by the patterns; SIZE
  $ xylem -s other unbundle b1 >/dev/null 2>&1
  $ xylem -s other log s --json | grep -o '"payload":[^,]*'
  "payload":{"role":"user"
  "payload":null
  $ xylem -s other show s:a | tail -n 1
      (redacted: matched a pattern)
  $ bundle s --since-bundle b1 >b2
  xylem: bundle: b1 was made with other patterns, or with none: the redacted entries would differ (see `xylem bundle --help`)
  [2]
  $ printf '# the same\n\nhunter[0-9]\n' >patterns
  $ bundle s --since-bundle b1 --redact-pattern-file patterns >b2
  xylem: bundle: 1 session, 0 changes with 0 entries, 0 redacted by the patterns; SIZE
  $ bundle s --since-bundle b1 --redact-pattern key >b2
  xylem: bundle: b1 was made with other patterns, or with none: the redacted entries would differ (see `xylem bundle --help`)
  [2]

What cannot be a bundle is refused.

  $ xylem bundle
  xylem: bundle: an argument is missing: xylem bundle SESSION > FILE (see `xylem bundle --help`)
  [2]
  $ xylem bundle nobody >b
  xylem: bundle: there is no session 'nobody'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem bundle s --since-bundle nowhere >b
  xylem: bundle: nowhere cannot be read: No such file or directory
  [3]
  $ xylem bundle s --since-bundle patterns >b
  xylem: bundle: patterns is not a bundle: expected the first line "xylem bundle 1", found "# the same\x0a\x0ahun"
  [2]
  $ xylem bundle s --redact-pattern a --redact-pattern-file patterns >b
  xylem: bundle: --redact-pattern and --redact-pattern-file cannot be combined (see `xylem bundle --help`)
  [2]
  $ COLUMNS=300 script -qec 'xylem bundle s' /dev/null </dev/null | tr -d '\r'
  xylem: bundle: a bundle is no text for a terminal: xylem bundle SESSION > FILE, or xylem bundle SESSION | ssh HOST xylem unbundle (see `xylem bundle --help`)
  $ head -c 60 b1 >cut
  $ xylem bundle s --since-bundle cut 2>&1 >b | sed -E 's/[0-9]+ bytes/N bytes/; s/after [0-9]+/after N/'
  xylem: bundle: cut: part 1: expected at least N bytes, found the end after N: the bundle was cut, or the part is damaged
  $ verify
