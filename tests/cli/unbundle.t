xylem unbundle: a store takes the sessions of a bundle, and follows the store that made it.

  $ . "$TESTDIR/setup.sh"
  $ there() { xylem -s there "$@"; }
  $ stores() { sed -E 's/(store |owner":"|from_store":")[0-9a-f-]{36}/\1STORE/g'; }
  $ sums() { sed -E 's/[0-9a-f]{16}/SUM/g; s/[0-9]+ bytes/N bytes/; s/after [0-9]+/after N/'; }

A family comes, works and comes again: nothing happens twice. The store is made if there is none.

  $ scenario
  $ xylem import -q $SESSIONS/rpc-scenario >/dev/null
  $ xylem bundle --family 01a1f9f7-23f3 -q >family.bundle
  $ there unbundle family.bundle
  xylem: unbundle: there is a new xylem store
  OUTCOME  SESSION        CHANGES  ENTRIES  DIRECTORY
  new      01a1f9f7-22cb       32       31  /home/dev/proj
  new      01a1f9f7-23f3        3        2  /home/dev/proj
  new      01a1f9f7-2412        3        2  /home/dev/proj
  new      01a1f9f7-242a        3        2  /home/dev/proj
  new      01a1f9f7-247a        7        6  /home/dev/proj
  new      01a1f9f7-248c        7        6  /home/dev/proj
  6 sessions: 6 new; 55 changes with 49 entries
  $ there unbundle family.bundle
  6 sessions: 6 equal; 0 changes with 0 entries
  $ there sessions
  SESSION                               AGE  ENTRIES  STATE    DIRECTORY       NAME                LAST
  01a1f9f7-248c-72e7-96e0-9697eaa3c8dd   2h        6  follows  /home/dev/proj  "loop iteration 1"  echo: loop iteration 1
  01a1f9f7-247a-72e7-96e0-96936d1868b0   2h        6  follows  /home/dev/proj  "loop iteration 2"  echo: loop iteration 2
  01a1f9f7-22cb-72e7-96e0-96825857127f   2h       31  follows  /home/dev/proj  scenario one        echo: after resume
  01a1f9f7-242a-72e7-96e0-968cc1522d24   2h        6  follows  /home/dev/proj  scenario one        echo: in the root fork
  01a1f9f7-2412-72e7-96e0-968afbd4f58a   2h        8  follows  /home/dev/proj  scenario one        echo: in the fork
  01a1f9f7-23f3-72e7-96e0-968898789fa5   2h       20  follows  /home/dev/proj  scenario one        echo: in the clone
  $ xylem sessions --json | grep -c '"owner"'
  0
  [1]
  $ there sessions --json | grep -o '"owner":"[^"]*"' | sort -u | stores
  "owner":"STORE"
  $ for id in $(xylem sessions --json | grep -o '"session":"[^"]*' | cut -d '"' -f 4); do
  >     xylem export $id >here
  >     there export $id 2>/dev/null >there.jsonl && cmp here there.jsonl
  > done
  $ there verify
  no problems: 6 sessions, 7 branches, 49 entries, 185 rows checked

A session that follows is not changed here: it is forked, or taken over with --own.

  $ there append 01a1f9f7-22cb --kind note 2>&1 | stores
  xylem: append: the session 01a1f9f7-22cb-72e7-96e0-96825857127f is a copy: the store STORE owns the session, and alone changes it (`xylem -s there fork 01a1f9f7-22cb-72e7-96e0-96825857127f:@` makes a session to go on with, `xylem -s there unbundle --own FILE` with the bundle takes the session over)
  $ there rename 01a1f9f7-22cb mine 2>&1 | stores
  xylem: rename: the session 01a1f9f7-22cb-72e7-96e0-96825857127f is a copy: the store STORE owns the session, and alone changes it (`xylem -s there fork 01a1f9f7-22cb-72e7-96e0-96825857127f:@` makes a session to go on with, `xylem -s there unbundle --own FILE` with the bundle takes the session over)
  $ there open 01a1f9f7-22cb 2>&1 | stores
  xylem: open: no pi keeps the session 01a1f9f7-22cb-72e7-96e0-96825857127f, which has no file: `xylem -s there export 01a1f9f7-22cb-72e7-96e0-96825857127f` prints a file that pi can open (-o FILE writes it)
  $ there navigate 01a1f9f7-22cb:8d16e680 2>&1 | stores | cut -d ' ' -f 2-8
  navigate: the session 01a1f9f7-22cb-72e7-96e0-96825857127f is a copy:
  $ (cat "$SCENARIO"; echo '{"type":"message","id":"ffff0001","parentId":"32512cc7","timestamp":"2026-11-20T18:00:00.000Z","message":{}}') >more.jsonl
  $ there import more.jsonl 2>&1 | stores
  left                                      more.jsonl: the session 01a1f9f7-22cb-72e7-96e0-96825857127f is a copy: the store STORE owns the session, and alone changes it
  1 file: 1 left to the owner; 0 entries added, 0 lines put into quarantine, 0 problems
  $ there delete --file-gone --yes
  nothing to delete: no session's file is gone
  $ there fork 01a1f9f7-22cb:@ --id mine
  mine
  $ there append mine --kind note --id x
  x
  $ there state mine | head -n 3
  session    mine
  at         x, depth 21
  event      resume

The next bundle brings what came since. The older one comes again without harm.

  $ fresh 19:30
  $ add s a note
  $ xylem fork s:a --id f >/dev/null
  $ xylem bundle s f -q >b1
  $ there unbundle b1
  xylem: unbundle: there is a new xylem store
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  new      s              2        1  -
  new      f              1        0  -
  2 sessions: 2 new; 3 changes with 1 entry
  $ add s b note
  $ add f c note
  $ xylem rename f 'the fork' >/dev/null
  $ xylem bundle --since-bundle b1 -q >b2
  $ there unbundle b2
  OUTCOME   SESSION  CHANGES  ENTRIES  DIRECTORY
  extended  s              1        1  -
  extended  f              2        2  -
  2 sessions: 2 extended; 3 changes with 3 entries
  $ there unbundle b1
  2 sessions: 2 equal; 0 changes with 0 entries
  $ there log f | cut -c 1-4
  3  0
  2  c
  1  a

Without the first bundle the second cannot come.

  $ xylem -s empty unbundle --dry-run b2
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  refused  s              1        1  -
  refused  f              2        2  -
  refused: s: what it builds on is missing here: take the bundle before, or one without --since-bundle
  refused: f: what it builds on is missing here: take the bundle before, or one without --since-bundle
  would take 2 sessions: 2 refused; 3 changes with 3 entries
  [4]
  $ xylem -s empty unbundle b2
  xylem: unbundle: empty is a new xylem store
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  refused  s              0        0  -
  refused  f              0        0  -
  refused: s: what it builds on is missing here: take the bundle before, or one without --since-bundle
  refused: f: what it builds on is missing here: take the bundle before, or one without --since-bundle
  2 sessions: 2 refused; 0 changes with 0 entries
  [4]
  $ xylem -s empty unbundle b1 >/dev/null
  $ xylem -s empty unbundle b2 | tail -n 1
  2 sessions: 2 extended; 3 changes with 3 entries

With --own the sessions belong to the store, and are not extended any more. The others are.

  $ xylem -s own unbundle --own b1
  xylem: unbundle: own is a new xylem store
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  new      s              2        1  -
  new      f              1        0  -
  2 sessions: 2 new; 3 changes with 1 entry; they belong to this store
  $ xylem -s own append s --kind note --id mine
  mine
  $ xylem -s own unbundle --dry-run b2
  OUTCOME   SESSION  CHANGES  ENTRIES  DIRECTORY
  diverged  s              1        1  -
  diverged  f              2        2  -
  diverged: s: the store has another history
  diverged: f: this store owns the session
  would take 2 sessions: 2 diverged; 3 changes with 3 entries
  [4]
  $ xylem -s own unbundle b2
  OUTCOME   SESSION  CHANGES  ENTRIES  DIRECTORY
  diverged  s              0        0  -
  diverged  f              0        0  -
  diverged: s: the store has another history of the session s: change 3 differs
  diverged: f: the session f ends at change 1 in this store, and is not extended: this store owns the session
  2 sessions: 2 diverged; 0 changes with 0 entries
  [4]
  $ xylem -s own unbundle b2 --json | stores | without_figures
  {"schema":1,"from_store":"STORE","made":"2026-11-20T19:30:00.000Z","by_patterns":false,"dry_run":false,"sessions":[{"session":"s","outcome":"diverged","asked":true,"freed":false,"from_change":3,"change_count":0,"entry_count":0,"redacted_count":0,"redacted_line_count":0,"differs_at":3,"reason":"the store has another history of the session s: change 3 differs","cwd":null,"mapped_cwd":null},{"session":"f","outcome":"diverged","asked":true,"freed":false,"from_change":2,"change_count":0,"entry_count":0,"redacted_count":0,"redacted_line_count":0,"differs_at":0,"reason":"the session f ends at change 1 in this store, and is not extended: this store owns the session","cwd":null,"mapped_cwd":null}],"part_count":2,"plain_bytes":N,"change_count":0,"entry_count":0,"finished":false,"bytes_before":0,"bytes_after":0,"overwritten_bytes":N}
  $ xylem -s late unbundle b1 >/dev/null 2>&1
  $ xylem -s late append s --kind note --id mine 2>&1 | stores
  xylem: append: the session s is a copy: the store STORE owns the session, and alone changes it (`xylem -s late fork s:@` makes a session to go on with, `xylem -s late unbundle --own FILE` with the bundle takes the session over)
  $ xylem -s late unbundle --own b1 | tail -n 1
  2 sessions: 2 equal; 0 changes with 0 entries; they belong to this store
  $ xylem -s late append s --kind note --id mine
  mine

A deletion travels, and so does the end of a session. A session that belongs to this store stays.

  $ add t a note
  $ xylem bundle t -q >b3
  $ there unbundle b3 >/dev/null
  $ xylem -s own unbundle b3 --own >/dev/null
  $ xylem delete t --yes >/dev/null
  $ xylem gc --yes >/dev/null 2>&1
  $ xylem bundle --since-bundle b3 -q >b4
  $ there unbundle --dry-run b4
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  gone     t              0        0  -
  would take 1 session: 1 gone; 0 changes with 0 entries
  $ there unbundle b4
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  gone     t              0        0  -
  gone: t: deleted here, since its owner freed the session; it can be undeleted, and its text stays until gc frees it
  1 session: 1 gone; 0 changes with 0 entries
  $ there unbundle b4
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  gone     t              0        0  -
  1 session: 1 gone; 0 changes with 0 entries
  $ there sessions --deleted | cut -d ' ' -f 1
  SESSION
  t
  $ xylem -s own unbundle b4
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  gone     t              0        0  -
  gone: t: stays here: this store owns the session
  1 session: 1 gone; 0 changes with 0 entries

What is left of a freed session comes for its fork.

  $ add u a note
  $ add u b note
  $ xylem fork u:a --id v >/dev/null
  $ xylem delete u --yes >/dev/null
  $ xylem gc --yes >/dev/null 2>&1
  $ xylem bundle v -q >b5
  $ there unbundle --dry-run b5
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  new      u              0        1  (shared)
  new      v              1        0  -
  would take 2 sessions: 2 new; 1 change with 1 entry
  $ there unbundle b5
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  new      u              1        1  (shared)
  new      v              1        0  -
  2 sessions: 2 new; 2 changes with 1 entry
  $ there unbundle --dry-run b5
  would take 2 sessions: 2 equal; 1 change with 1 entry
  $ there unbundle b5 | tail -n 1
  2 sessions: 2 equal; 0 changes with 0 entries
  $ there log v | cut -c 1-4
  1  a

A redaction travels, and the text is gone from the file. An older bundle does not bring the text back.

  $ add s key message '{"role":"user","content":"hunter2 hunter2"}'
  $ xylem bundle s --since-bundle b2 -q >b6
  $ there unbundle b6 >/dev/null
  $ grep -q hunter2 there/data.mdb
  $ xylem redact s:key --reason 'a key' --yes >/dev/null
  $ xylem bundle --since-bundle b6 -q >b7
  $ there unbundle b7 | without_figures
  OUTCOME   SESSION  CHANGES  ENTRIES  DIRECTORY
  extended  s              1        0  -
  redacted: s: 1 entry lost the payload here, because the owner redacted
  1 session: 1 extended; 1 change with 0 entries
  file     SIZE became SIZE, and the old file was overwritten
  $ there unbundle b6
  1 session: 1 equal; 0 changes with 0 entries
  $ grep -q hunter2 there/data.mdb
  [1]
  $ there show s:key | tail -n 1
      (redacted: a key)

The owner of a freed session redacts an entry that a fork has: the text goes from the copy too, deleted or collected.

  $ add w shared message '{"role":"user","content":"letmein letmein"}'
  $ xylem fork w:shared --id x >/dev/null
  $ xylem bundle w x -q >b9
  $ for store in deleted collected; do xylem -s $store unbundle b9 >/dev/null 2>&1; done
  $ xylem delete w --yes >/dev/null
  $ xylem gc --yes >/dev/null 2>&1
  $ xylem bundle --since-bundle b9 -q >b10
  $ for store in deleted collected; do xylem -s $store unbundle b10 | grep gone:; done
  gone: w: deleted here, since its owner freed the session; it can be undeleted, and its text stays until gc frees it
  gone: w: deleted here, since its owner freed the session; it can be undeleted, and its text stays until gc frees it
  $ xylem -s collected gc --yes >/dev/null 2>&1
  $ xylem redact x:shared --reason 'a password' --yes >/dev/null
  $ xylem bundle --since-bundle b10 -q >b11
  $ for store in deleted collected; do xylem -s $store unbundle b11 | grep redacted:; done
  redacted: w: 1 entry lost the payload here, because the owner redacted
  redacted: w: 1 entry lost the payload here, because the owner redacted
  $ grep -l letmein deleted/data.mdb collected/data.mdb
  [1]

Redacted lines of session files go too, and out of the file.

  $ cat >lines.jsonl <<'END'
  > {"type":"session","version":3,"id":"lines","timestamp":"2026-11-20T17:00:00.000Z","cwd":"/home"}
  > {"type":"message","id":"l1","parentId":null,"timestamp":"2026-11-20T17:00:01.000Z","message":{"role":"user","content":"x"}}
  > this is no JSON opensesame
  > END
  $ printf '{"type":"message","id":"l2","parentId":"l1","text":"opensesame' >>lines.jsonl
  $ xylem import -q lines.jsonl 2>/dev/null
  1 file: 1 new; 1 entry added, 1 line put into quarantine, 1 problem
  [1]
  $ xylem bundle -q lines >b12
  $ xylem -s lined unbundle b12 >/dev/null 2>&1
  $ grep -c opensesame lined/data.mdb >/dev/null
  $ xylem redact lines --pattern opensesame --reason 'a word' --yes >/dev/null
  $ xylem bundle -q --since-bundle b12 >b13
  $ xylem -s lined unbundle b13 | without_figures | sed 's/SIZE became SIZE/BYTES/'
  OUTCOME   SESSION  CHANGES  ENTRIES  DIRECTORY
  extended  lines          1        0  -
  redacted: lines: 2 lines lost the text here, because the owner redacted
  1 session: 1 extended; 1 change with 0 entries
  file     BYTES, and the old file was overwritten
  $ grep -c opensesame lined/data.mdb
  0
  [1]
  $ xylem -s lined unbundle b13
  1 session: 1 equal; 0 changes with 0 entries

A base that was deleted and collected here: redactions reach what forks share, and the base comes again.

  $ add base b1 message '{"role":"user","content":"swordfish swordfish"}'
  $ add base b2 note
  $ xylem fork base:b2 --id lean >/dev/null
  $ xylem bundle -q lean >b14
  $ for store in again never; do
  >     xylem -s $store unbundle b14 >/dev/null 2>&1
  >     xylem -s $store delete base --yes >/dev/null; xylem -s $store gc --yes >/dev/null 2>&1
  > done
  $ xylem redact base:b1 --reason fish --yes >/dev/null
  $ add lean later note
  $ xylem bundle -q --since-bundle b14 >b15
  $ xylem -s again unbundle b15 | without_figures
  OUTCOME   SESSION  CHANGES  ENTRIES  DIRECTORY
  new       base           3        2  (shared)
  extended  lean           1        1  -
  redacted: base: 1 entry lost the payload here, because the owner redacted
  2 sessions: 1 new, 1 extended; 4 changes with 3 entries
  file     SIZE became SIZE, and the old file was overwritten
  $ xylem bundle -q base >b16
  $ xylem bundle -q --since-bundle b16 base >b17
  $ xylem redact base:b2 --reason fish --yes >/dev/null
  $ xylem bundle -q --since-bundle b16 base >b17
  $ xylem -s never unbundle b17 | without_figures
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  refused  base           0        0  -
  refused: base: what it builds on is missing here: take the bundle before, or one without --since-bundle
  redacted: base: 1 entry lost the payload here, because the owner redacted
  1 session: 1 refused; 0 changes with 0 entries
  file     SIZE became SIZE, and the old file was overwritten
  $ xylem -s never unbundle b16 | tail -n 1
  file     * became *, and the old file was overwritten (glob)
  $ grep -c swordfish again/data.mdb never/data.mdb
  again/data.mdb:0
  never/data.mdb:0
  [1]

A fork needs more of a freed session than came before.

  $ for id in p1 p2 p3; do add parts $id note; done
  $ xylem fork parts:p1 --id short >/dev/null; xylem fork parts:p3 --id long >/dev/null
  $ xylem bundle -q short >b18
  $ xylem -s part unbundle b18 >/dev/null 2>&1
  $ xylem delete parts --yes >/dev/null; xylem gc --yes >/dev/null 2>&1
  $ xylem bundle -q long >b19
  $ xylem -s part unbundle b19
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  new      parts          3        3  (shared)
  new      long           1        0  -
  2 sessions: 2 new; 4 changes with 3 entries
  $ xylem -s part log long | cut -c 1-5
  3  p3
  2  p2
  1  p1

--dry-run says of a fork and of a deleted session what the run does.

  $ xylem -s dry unbundle b18 >/dev/null 2>&1
  $ add grown g1 note; xylem bundle -q grown >b20
  $ add grown g2 note; xylem fork grown:g2 --id of-grown >/dev/null
  $ xylem bundle -q --since-bundle b20 grown of-grown >b21
  $ for how in --dry-run ''; do xylem -s dry unbundle $how b21 | tail -n 1; done
  would take 2 sessions: 2 refused; 2 changes with 1 entry
  2 sessions: 2 refused; 0 changes with 0 entries
  $ xylem -s dry unbundle b20 >/dev/null
  $ xylem -s dry delete grown --yes >/dev/null
  $ for how in --dry-run ''; do xylem -s dry unbundle $how b21 | grep refused:; done
  refused: grown: the session is deleted in this store: undelete the session to keep it as this store's own, or free it (gc) and take a bundle without --since-bundle
  refused: of-grown: what it builds on is missing here: take the bundle before, or one without --since-bundle
  refused: grown: the session is deleted in this store: undelete the session to keep it as this store's own, or free it (gc) and take a bundle without --since-bundle
  refused: of-grown: what it builds on is missing here: take the bundle before, or one without --since-bundle

The same of a copy whose owner made several changes since, and of a fork whose entry is there.

  $ add grown g3 note; xylem bundle -q --since-bundle b20 grown >b22
  $ for how in --dry-run ''; do xylem -s dry unbundle $how b22 | tail -n 1; done
  would take 1 session: 1 refused; 2 changes with 2 entries
  1 session: 1 refused; 0 changes with 0 entries
  $ xylem -s apart unbundle --own b20 >/dev/null 2>&1; xylem -s apart append grown --kind note >/dev/null
  $ xylem fork grown:g1 --id early >/dev/null; xylem bundle -q grown early >b23
  $ for how in --dry-run ''; do xylem -s apart unbundle $how b23 | tail -n 1; done
  would take 2 sessions: 1 new, 1 diverged; 5 changes with 3 entries
  2 sessions: 1 new, 1 diverged; 1 change with 0 entries

A session that its owner freed is taken over like all others, and stays.

  $ add last z1 note; xylem fork last:z1 --id of-last >/dev/null; xylem bundle -q last of-last >b24
  $ xylem -s keeps unbundle b24 >/dev/null 2>&1
  $ xylem delete last --yes >/dev/null; xylem gc --yes >/dev/null 2>&1; xylem bundle -q --since-bundle b24 >b25
  $ for how in --own ''; do xylem -s keeps unbundle $how b25 | tail -n 2; done
  gone: last: stays here: this store owns the session
  2 sessions: 1 equal, 1 gone; 0 changes with 0 entries; they belong to this store
  gone: last: stays here: this store owns the session
  2 sessions: 1 equal, 1 gone; 0 changes with 0 entries
  $ xylem -s keeps append last --kind note --id mine
  mine

Bundles of one store have the same patterns, or none.

  $ xylem bundle s --redact-pattern hunter -q >b8
  $ there unbundle b8
  xylem: unbundle: the store has a bundle of the same store that was made with other patterns, or with none: the redacted entries differ
  [4]

--check reads a bundle without a store, and from a pipe, too.

  $ xylem -s nowhere unbundle --check b1 | stores | without_figures
  SESSION  CHANGES  ENTRIES  DIRECTORY
  s              2        1  -
  f              1        0  -
  2 sessions; 3 changes with 1 entry
  from store STORE, made 2026-11-20 19:30:00; 2 parts, SIZE before compression
  $ xylem bundle s -q | xylem -s nowhere unbundle --check - --json | stores | without_figures
  {"schema":1,"from_store":"STORE","made":"2026-11-20T19:30:00.000Z","by_patterns":false,"dry_run":true,"sessions":[{"session":"s","outcome":null,"asked":true,"freed":false,"from_change":1,"change_count":5,"entry_count":3,"redacted_count":0,"redacted_line_count":0,"differs_at":0,"reason":null,"cwd":null,"mapped_cwd":null}],"part_count":2,"plain_bytes":N,"change_count":5,"entry_count":3,"finished":false,"bytes_before":0,"bytes_after":0,"overwritten_bytes":N}

Directories are mapped by whole names. --dry-run shows both.

  $ scenario
  $ xylem bundle $SCENARIO_ID -q >b
  $ there unbundle --dry-run b --map /home/de=/x --map /home/dev/=/home/ann --map /home=/y
  OUTCOME  SESSION        CHANGES  ENTRIES  DIRECTORY
  new      01a1f9f7-22cb       32       31  /home/ann/proj (from /home/dev/proj)
  would take 1 session: 1 new; 32 changes with 31 entries
  $ there unbundle b --map /home/dev=/home/ann --map /home=/y
  xylem: unbundle: there is a new xylem store
  OUTCOME  SESSION        CHANGES  ENTRIES  DIRECTORY
  new      01a1f9f7-22cb       32       31  /home/ann/proj (from /home/dev/proj)
  1 session: 1 new; 32 changes with 31 entries
  $ there sessions | cut -c 1-80
  SESSION                               AGE  ENTRIES  STATE    DIRECTORY       NAM
  01a1f9f7-22cb-72e7-96e0-96825857127f   2h       31  follows  /home/ann/proj  sce
  $ there unbundle b --json --map /home/dev=/home/ann | grep -o '"cwd[^}]*'
  "cwd":"/home/dev/proj","mapped_cwd":null
  $ xylem -s own unbundle b --json --map /home/dev=/home/ann 2>/dev/null | grep -o '"cwd[^}]*'
  "cwd":"/home/dev/proj","mapped_cwd":"/home/ann/proj"

A bundle that was cut is taken as far as it goes; so is a bundle with another byte. The whole bundle goes on.

  $ fresh
  $ add s a note
  $ xylem bundle s -q >b
  $ bytes=$(wc -c <b)
  $ head -c $((bytes - 30)) b >cut
  $ there unbundle cut 2>&1 | sums
  xylem: unbundle: there is a new xylem store
  xylem: unbundle: cut: part 2: expected at least N bytes, found the end after N: the bundle was cut, or the part is damaged; the 1 before holds; nothing was taken
  $ head -c $((bytes - 10)) b >cut
  $ there unbundle cut 2>&1 | sums
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  new      s              2        1  -
  1 session: 1 new; 2 changes with 1 entry
  xylem: unbundle: cut: part 3: expected at least N bytes, found the end after N: the bundle was cut, or the part is damaged; the 2 before hold; what stands before was taken: the same command with a whole bundle goes on
  $ there unbundle b
  1 session: 1 equal; 0 changes with 0 entries
  $ perl -pe 'BEGIN { $/ = undef } substr($_, -60, 1) ^= "\1"' b >flipped
  $ there unbundle flipped 2>&1 | sums
  xylem: unbundle: flipped: part 2: expected the sum SUM, found SUM: the part is damaged, or parts are exchanged or missing; the 1 before holds; nothing was taken
  $ there unbundle --check flipped 2>&1 | sums
  xylem: unbundle: flipped: part 2: expected the sum SUM, found SUM: the part is damaged, or parts are exchanged or missing; the 1 before holds
  $ there unbundle --dry-run flipped >/dev/null 2>&1
  [5]
  $ (cat b; echo more) | there unbundle 2>&1 | sums
  1 session: 1 equal; 0 changes with 0 entries
  xylem: unbundle: standard input: part 3: expected nothing behind the end, found more bytes; the 2 before hold; what stands before was taken: the same command with a whole bundle goes on
  $ there verify
  no problems: 1 session, 1 branch, 1 entry, 16 rows checked

From one machine to another, without a file.

  $ mkdir bin machine
  $ cat >bin/ssh <<'END'
  > #!/bin/sh
  > # ssh HOST COMMAND...: the other machine is a directory
  > cd "$1" && shift && HOME=$PWD XYLEM_STORE= exec sh -c "$*"
  > END
  $ chmod +x bin/ssh
  $ PATH=$PWD/bin:$PATH
  $ xylem bundle s -q | ssh machine xylem unbundle 2>&1 | sed "s|$PWD|PWD|"
  xylem: unbundle: PWD/machine/.local/share/xylem is a new xylem store
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  new      s              2        1  -
  1 session: 1 new; 2 changes with 1 entry
  $ ssh machine xylem sessions | cut -d ' ' -f 1
  SESSION
  s
  $ ssh machine xylem bundle s -q | xylem -s third unbundle >/dev/null 2>&1
  $ xylem -s third log s | cut -c 1-4
  1  a

The words that people try lead there.

  $ xylem send s
  xylem: there is no command 'send': `xylem bundle SESSION | ssh HOST xylem unbundle` brings a session to another machine (see `xylem help`)
  [2]
  $ xylem share s
  xylem: there is no command 'share': `xylem bundle SESSION > FILE` writes a session for another store, `xylem unbundle FILE` takes it (see `xylem help`)
  [2]

What is no bundle is refused.

  $ xylem unbundle nowhere
  xylem: unbundle: nowhere cannot be read: No such file or directory
  [3]
  $ xylem unbundle "$SCENARIO"
  xylem: unbundle: fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl is not a bundle: expected the first line "xylem bundle 1", found "{"type":"sessio"
  [2]
  $ xylem unbundle </dev/null
  xylem: unbundle: standard input is empty: expected the first line "xylem bundle 1", found ""
  [2]
  $ xylem unbundle b b
  xylem: unbundle: unexpected argument 'b': one bundle at a time (see `xylem unbundle --help`)
  [2]
  $ xylem unbundle b --map /home
  xylem: unbundle: --map: expected two directories from / on, OLD=NEW, found '/home' (see `xylem unbundle --help`)
  [2]
  $ xylem unbundle b --map =/home
  xylem: unbundle: --map: expected two directories from / on, OLD=NEW, found '=/home' (see `xylem unbundle --help`)
  [2]
  $ xylem unbundle b --check --own
  xylem: unbundle: --check looks at the bundle alone, and takes no option but --json (see `xylem unbundle --help`)
  [2]
  $ verify

A session of several segments is taken over as a whole. To undelete what its owner deleted takes the session over, too.

  $ export XYLEM_STORE=large
  $ xylem init
  large is a new xylem store
  $ text=$(head -c 90000 /dev/zero | tr '\0' x)
  $ for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
  >     xylem append large --create --kind note --data "\"$text\"" >id || exit
  > done
  $ xylem bundle -q large >large.bundle
  $ xylem -s taken unbundle --own large.bundle
  xylem: unbundle: taken is a new xylem store
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  new      large         26       25  * (glob)
  1 session: 1 new; 26 changes with 25 entries; they belong to this store
  $ xylem -s copy unbundle large.bundle >said
  xylem: unbundle: copy is a new xylem store
  $ xylem delete large --yes >said
  $ xylem bundle -q --since-bundle large.bundle >deleted.bundle
  $ xylem -s copy unbundle deleted.bundle
  OUTCOME   SESSION  CHANGES  ENTRIES  DIRECTORY
  extended  large          1        0  -
  extended: large: its owner deleted the session
  1 session: 1 extended; 1 change with 0 entries
  $ xylem -s copy undelete large
  undeleted * (glob)
  $ xylem -s copy append large --kind note >id

A pattern is given once: of two, one would be left out.

  $ xylem bundle large --redact-pattern a --redact-pattern b >none
  xylem: bundle: --redact-pattern is given twice (see `xylem bundle --help`)
  [2]

What the owner redacts in the shared part of a fork goes, although its source was not asked for.

  $ add() { xylem -s "$1" append "$2" --create --kind message --id "$3" --data "{\"role\":\"user\",\"content\":\"$4\"}" >said; }
  $ xylem -s ann init
  ann is a new xylem store
  $ add ann source e1 'a SECRET word'
  $ add ann source e2 x
  $ xylem -s ann fork source:e2 --id shares
  shares
  $ add ann source e3 'not for others'
  $ add ann shares f1 y
  $ xylem -s ann bundle -q shares >first.bundle
  $ xylem -s ben unbundle first.bundle 2>said | tail -n 1
  2 sessions: 2 new; 5 changes with 3 entries
  $ xylem -s ann redact source:e1 --reason 'a key' --drop-hash --yes >said
  $ add ann shares f2 z
  $ xylem -s ann bundle --since-bundle first.bundle >second.bundle 2>said
  $ sed 's/;.*//' said
  xylem: bundle: shared: the first 3 changes of source, for its fork shares
  xylem: bundle: 1 session, 4 changes with 3 entries
  $ xylem -s ben unbundle second.bundle | head -n 5
  OUTCOME   SESSION  CHANGES  ENTRIES  DIRECTORY
  extended  shares         1        1  -
  redacted: source: 1 entry lost the payload here, because the owner redacted
  2 sessions: 1 extended, 1 equal; 1 change with 1 entry
  file     * became *, and the old file was overwritten (glob)
  $ grep -c SECRET ben/data.mdb
  0
  [1]
  $ xylem -s ben verify | sed 's/:.*//'
  no problems

A bundle that comes home belongs to its store. A base that came in part is not taken over.

  $ add ann home h1 w
  $ xylem -s ann bundle -q home >home.bundle; xylem -s ann delete home --yes >said; xylem -s ann gc --yes >said 2>&1
  $ xylem -s ann unbundle home.bundle | tail -n 1
  1 session: 1 new; 2 changes with 1 entry; they belong to this store
  $ add ann home h2 v
  $ xylem -s cem unbundle --own first.bundle >said 2>&1
  $ xylem -s cem sessions --json | jq -c '.sessions[]|[.session,.owner != null]'
  ["shares",false]
  ["source",true]

One id cannot stand for two sessions.

  $ add ann twice t1 a
  $ xylem -s ann fork twice:t1 --id of-freed >said; xylem -s ann delete twice --yes >said; xylem -s ann gc --yes >said 2>&1
  $ add ann twice t2 b
  $ xylem -s ann bundle -q twice of-freed >none
  xylem: bundle: two sessions have the id twice, one of them was freed: one bundle cannot hold both
  [2]

A killed run may leave redacted text in the file. The next run ends the work.

  $ add ann late l1 'another SECRET'
  $ xylem -s ann bundle -q late >late.bundle; xylem -s ben unbundle late.bundle >said
  $ xylem -s ann redact late:l1 --reason 'a key' --yes >said
  $ xylem -s ann bundle -q --since-bundle late.bundle >later.bundle
  $ sh -c '(head -c $(($(wc -c <later.bundle) - 20)) later.bundle; sleep 3) | timeout -s KILL 2 xylem -s ben unbundle' >said 2>&1 || true
  $ grep -q 'another SECRET' ben/data.mdb
  $ xylem -s ben unbundle later.bundle | tail -n 1
  file     * became *, and the old file was overwritten (glob)
  $ grep -c 'another SECRET' ben/data.mdb
  0
  [1]
