What each command looks like to a person, on a terminal of 160 columns.

  $ . "$TESTDIR/setup.sh"
  $ DAMAGED=$SESSIONS/specials/damaged-orphan-and-duplicate.jsonl
  $ READS='{"version":1,"whole":true,"files":[
  >     {"path":"/no-such-directory/of-the-project/documents/notes.md","hash":"a:00","bytes":20480,"at":1795200000000,"by":"read"},
  >     {"path":"/no-such-directory/f","hash":"a:00","bytes":7,"at":1795202000000,"by":"write"}]}'
  $ fresh 19:30
  $ xylem import -q $SESSIONS/rpc-scenario $DAMAGED 2>/dev/null
  8 files: 8 new; 71 entries added, 28 shared (36.5 KiB saved), 1 line put into quarantine, 2 problems
  [1]
  $ export COLUMNS=160

Every command, those that change the store last.

  $ xylem sessions
  SESSION              AGE  ENTRIES  DIRECTORY       NAME                LAST
  01a1fa04-8967         1h       16  /home/dev/proj  "hi"                end
  01a1f9f7-22cb         2h       31  /home/dev/proj  scenario one        echo: after resume
  ├─01a1f9f7-248c       2h        6  /home/dev/proj  "loop iteration 1"  echo: loop iteration 1
  ├─01a1f9f7-247a       2h        6  /home/dev/proj  "loop iteration 2"  echo: loop iteration 2
  └─01a1f9f7-23f3       2h       20  /home/dev/proj  scenario one        echo: in the clone
    └─01a1f9f7-2412     2h        8  /home/dev/proj  scenario one        echo: in the fork
      └─01a1f9f7-242a   2h        6  /home/dev/proj  scenario one        echo: in the root fork
  01a1f9f7-2443         2h        6  /home/dev/proj  "in the new one"    echo: in the new one
  $ xylem sessions --all --sort entries
  SESSION        AGE  ENTRIES  DIRECTORY       NAME                LAST
  01a1f9f7-22cb   2h       31  /home/dev/proj  scenario one        echo: after resume
  01a1f9f7-23f3   2h       20  /home/dev/proj  scenario one        echo: in the clone
  01a1fa04-8967   1h       16  /home/dev/proj  "hi"                end
  01a1f9f7-2412   2h        8  /home/dev/proj  scenario one        echo: in the fork
  01a1f9f7-248c   2h        6  /home/dev/proj  "loop iteration 1"  echo: loop iteration 1
  01a1f9f7-247a   2h        6  /home/dev/proj  "loop iteration 2"  echo: loop iteration 2
  01a1f9f7-2443   2h        6  /home/dev/proj  "in the new one"    echo: in the new one
  01a1f9f7-242a   2h        6  /home/dev/proj  scenario one        echo: in the root fork
  $ xylem tree $SCENARIO_ID
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  ● b8ef64c6  session_info     scenario one
  ● ca6c99db  model_change     fauxhost/faux-1
  ● d6a8b13d  thinking_level_change  off
  ● 6bc7b764  system           You are an expert coding assistant operating inside pi, a coding agent harness. You help users by reading files, executing command…
  ● 15efa3b4  user             first question
  ● 8d16e680  assistant        echo: first question
  ├─○ 88fe2aff  custom:readonly  {"enabled":true}
  │ ○ 26de9cb1  user             !tool write {"path":"ro.txt","content":"nope"}
  │ ○ fdf4cbd2  assistant        write(ro.txt)
  │ ○ be4cd5e4  toolResult       write error: Readonly mode: write/edit disabled. Use /readonly to disable.
  │ ○ 6f7578e6  assistant        [after-block] done: Readonly mode: write/edit disabled. Use /readonly to disable
  │ ○ c3ce1abe  label            after-block on 6f7578e6
  │ ○ d134ab3f  custom:readonly  {"enabled":false}
  │ ○ 7c15199c  user             !tool write {"path":"ok.txt","content":"yes"}
  │ ○ e4ad638d  assistant        write(ok.txt)
  │ ○ 9516d531  toolResult       write: Successfully wrote to ok.txt
  │ ○ 6fd8ed9e  assistant        done: Successfully wrote to ok.txt
  ● d3300e75  user             branch B question
  ● 5b8612f6  assistant        echo: branch B question
  ● 3dc585ab  custom:readonly  {"enabled":true}
  … 6 entries
  ● d8b2463f  compaction       ## Goal Faux summary #25 ## Progress - summarised 5851 chars --- **Turn Context (split turn):** ## Goal Faux summary #26 ## Progre…
  ● 4f9ef798  user             after compaction
  ● 8db136e6  assistant        echo: after compaction
  ● e37e3f3d  user             after resume
  ● 32512cc7  assistant        <leaf> echo: after resume
  $ xylem tree $SCENARIO_ID --kind compaction --kind label
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  ● b8ef64c6  session_info  scenario one
  … 4 entries
  ● 8d16e680  assistant     echo: first question
  ├─… 5 entries (1 label, 1 state change)
  │ ○ c3ce1abe  label         after-block on 6f7578e6
  │ … 4 entries (1 state change)
  │ ○ 6fd8ed9e  assistant     done: Successfully wrote to ok.txt
  … 9 entries (1 state change)
  ● d8b2463f  compaction    ## Goal Faux summary #25 ## Progress - summarised 5851 chars --- **Turn Context (split turn):** ## Goal Faux summary #26 ## Progress …
  … 3 entries
  ● 32512cc7  assistant     <leaf> echo: after resume
  $ xylem tree $SCENARIO_ID --family
  SESSION                                       OWN  SHARED  FORKED AT    READONLY  LEAF  NAME
  ● 01a1f9f7-22cb-72e7-96e0-96825857127f         31       -  -            on          2h  scenario one
  ├─○ 01a1f9f7-23f3-72e7-96e0-968898789fa5        2      18  8db136e6     on          2h  scenario one
  │ └─○ 01a1f9f7-2412-72e7-96e0-968afbd4f58a      2       6  8d16e680     off         2h  scenario one
  │   └─○ 01a1f9f7-242a-72e7-96e0-968cc1522d24    2       4  6bc7b764     off         2h  scenario one
  ├─○ 01a1f9f7-247a-72e7-96e0-96936d1868b0        6    none  -            off         2h  -
  └─○ 01a1f9f7-248c-72e7-96e0-9697eaa3c8dd        6    none  -            off         2h  -
  $ xylem log $SCENARIO_ID
  20  32512cc7  2h  assistant              <leaf> echo: after resume
  19  e37e3f3d  2h  user                   after resume
  18  8db136e6  2h  assistant              echo: after compaction
  17  4f9ef798  2h  user                   after compaction
  16  d8b2463f  2h  compaction             ## Goal Faux summary #25 ## Progress - summarised 5851 chars --- **Turn Context (split turn):** ## Goal Faux …  6.1 KiB
  15  63ff5e92  2h  assistant              word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16 …  4.2 KiB
  14  b0bc11ca  2h  user                   !big 500
  13  7e89d41d  2h  assistant              word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16 …  5.0 KiB
  12  7c1eb7ea  2h  user                   !big 600
  11  54d08232  2h  assistant              echo: branch B second
  10  d3fe142d  2h  user                   branch B second
   9  3dc585ab  2h  custom:readonly        {"enabled":true}
   8  5b8612f6  2h  assistant              echo: branch B question
   7  d3300e75  2h  user                   branch B question
   6  8d16e680  2h  assistant              echo: first question
   5  15efa3b4  2h  user                   first question
   4  6bc7b764  2h  system                 You are an expert coding assistant operating inside pi, a coding agent harness. You help users by reading fil…  5.6 KiB
   3  d6a8b13d  2h  thinking_level_change  off
   2  ca6c99db  2h  model_change           fauxhost/faux-1
   1  b8ef64c6  2h  session_info           scenario one
  $ xylem log $SCENARIO_ID --kind custom:readonly --kind compaction
  16  d8b2463f  2h  compaction       ## Goal Faux summary #25 ## Progress - summarised 5851 chars --- **Turn Context (split turn):** ## Goal Faux summar…  6.1 KiB
   9  3dc585ab  2h  custom:readonly  {"enabled":true}
  $ xylem log $SCENARIO_ID --full -n 4
  32512cc7  message assistant  <leaf>
  2026-11-20 17:18:05 (2h ago), depth 20, 445 B
  
      echo: after resume
  
  e37e3f3d  message user
  2026-11-20 17:18:05 (2h ago), depth 19, 103 B
  
      after resume
  
  8db136e6  message assistant
  2026-11-20 17:18:05 (2h ago), depth 18, 447 B
  
      echo: after compaction
  
  4f9ef798  message user
  2026-11-20 17:18:05 (2h ago), depth 17, 107 B
  
      after compaction
  $ xylem show $SCENARIO_ID:6f7578e6
  entry     6f7578e6
  parent    be4cd5e4
  children  c3ce1abe
  kind      message assistant
  label     after-block
  time      2026-11-20 17:18:05.684 (2h ago)
  place     depth 11, branch 1, lsn 12
  check     1a5f17bb25b1c96d
  payload   491 B of json, imported
  
      done: Readonly mode: write/edit disabled. Use /readonly to disable
  
  api               "openai-completions"
  provider          "fauxhost"
  model             "faux-1"
  usage             {"input":1530,"output":17,"cacheRead":0,"cacheWrite":0,"reasoning":0,"totalTokens":1547,"cost":{"input":0.00153,"output":0.000034,"cacheRea…
  stopReason        "stop"
  timestamp         1795195085671
  responseId        "cc-18"
  rawStopReason     "stop"
  $ xylem show $SCENARIO_ID:88fe2aff
  entry     88fe2aff
  parent    8d16e680
  children  26de9cb1
  kind      custom:readonly
  time      2026-11-20 17:18:05.655 (2h ago)
  place     depth 7, branch 1, lsn 8
  check     af6d236705e4a350
  payload   10 B of msgpack, imported
  
      {"enabled":true}
  $ xylem branches $SCENARIO_ID
  TIP       AGE  DEPTH  OWN  FORKED AT  READONLY  NUDGE            SAYS
  32512cc7   2h     20   14  8d16e680   on        due: on  <leaf>  assistant: echo: after resume
  6fd8ed9e   2h     17   17  -          off       -                assistant: done: Successfully wrote to ok.txt
  $ indent xylem diff $SCENARIO_ID:after-block :@
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:6f7578e6  depth 11  2h ago  [after-block]
    > 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    = 8d16e680  depth 6  2h ago  shared
    
    < 5 more entries
    <  7  88fe2aff  2h  custom:readonly  {"enabled":true}
    <  8  26de9cb1  2h  user             !tool write {"path":"ro.txt","content":"nope"}
    <  9  fdf4cbd2  2h  assistant        write(ro.txt)
    < 10  be4cd5e4  2h  toolResult       write error: Readonly mode: write/edit disabled. Use /readonly to disable.
    < 11  6f7578e6  2h  assistant        [after-block] done: Readonly mode: write/edit disabled. Use /readonly to disable
    
    > 14 more entries
    >  7  d3300e75  2h  user             branch B question
    >  8  5b8612f6  2h  assistant        echo: branch B question
    >  9  3dc585ab  2h  custom:readonly  {"enabled":true}
    > 10  d3fe142d  2h  user             branch B second
    > … 6 entries
    > 17  4f9ef798  2h  user             after compaction
    > 18  8db136e6  2h  assistant        echo: after compaction
    > 19  e37e3f3d  2h  user             after resume
    > 20  32512cc7  2h  assistant        <leaf> echo: after resume
    
    readonly  = on   decided by 88fe2aff and by 3dc585ab
    nudge     = due: readonly went on
    sequence  = none
    todo      = none
    mark      = none
  [1]
  $ indent xylem diff $SCENARIO_ID $SCENARIO_ID
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    > 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    = 32512cc7  depth 20  2h ago  shared
    
    readonly  = on   decided by 3dc585ab
    nudge     = due: readonly went on
    sequence  = none
    todo      = none
    mark      = none
  $ xylem state $SCENARIO_ID
  session    01a1f9f7-22cb-72e7-96e0-96825857127f
  at         32512cc7, depth 20
  event      resume
  readonly   on   decided by 3dc585ab
  nudge      due: readonly went on
  sequence   none
  todo       none
  mark       none
  $ xylem state $SCENARIO_ID --explain --event session_tree --previous-readonly off
  session    01a1f9f7-22cb-72e7-96e0-96825857127f
  at         32512cc7, depth 20
  event      session_tree, readonly was off before
  readonly   on   decided by 3dc585ab
             custom:readonly {"enabled":true}, depth 9, 2026-11-20 17:18:05
  nudge      due: readonly went on
             the path has no delivered nudge
  sequence   none
  todo       none
  mark       none
  looked at  3 entries
  decoded    1 payload, 10 B
  read       3 records of the log, 164 B
             3 gets, 0 seeks, 0 steps
  $ xylem state $SCENARIO_ID:none --flag-readonly
  session    01a1f9f7-22cb-72e7-96e0-96825857127f
  at         none: the path is empty
  event      resume, flag --readonly
  readonly   on   decided by the flag
  nudge      due: readonly went on
  sequence   none
  todo       none
  mark       none
  $ xylem state $SCENARIO_ID:@^13 --scan --explain
  session    01a1f9f7-22cb-72e7-96e0-96825857127f
  at         7e89d41d, depth 13
  event      resume
  readonly   on   decided by 3dc585ab
             custom:readonly {"enabled":true}, depth 9, 2026-11-20 17:18:05
  nudge      due: readonly went on
             the path has no delivered nudge
  sequence   none
  todo       none
  mark       none
  looked at  13 entries
  decoded    1 payload, 10 B
  read       15 records of the log, 704 B
             2 gets, 2 seeks, 11 steps
  $ xylem blame $SCENARIO_ID:6fd8ed9e readonly
  off  13  d134ab3f  2h  custom:readonly  {"enabled":false}
  on    7  88fe2aff  2h  custom:readonly  {"enabled":true}
  $ xylem blame $SCENARIO_ID nudge --all
  due: on  9  3dc585ab  2h  custom:readonly  {"enabled":true}
  $ xylem blame $SCENARIO_ID sequence
  xylem: blame: no entry of the path changes sequence
  [1]
  $ xylem blame $SCENARIO_ID
  readonly  on       9  3dc585ab  2h  custom:readonly  {"enabled":true}
  nudge     due: on  9  3dc585ab  2h  custom:readonly  {"enabled":true}
  $ xylem blame $SCENARIO_ID redonly
  xylem: blame: WHAT is readonly, nudge, sequence, todo or mark, not 'redonly'; did you mean 'readonly'? (see `xylem blame --help`)
  [2]
  $ xylem moves $SCENARIO_ID
  xylem: moves: the leaf of the session was never moved
  $ xylem files $SCENARIO_ID
  xylem: files: no tool read or wrote a file on the path
  $ xylem watch $SCENARIO_ID --last 4 -n 0
  4f9ef798  2026-11-20 17:18:05  user        after compaction
  8db136e6  2026-11-20 17:18:05  assistant   echo: after compaction
  e37e3f3d  2026-11-20 17:18:05  user        after resume
  32512cc7  2026-11-20 17:18:05  assistant   echo: after resume
  $ xylem verify
  no problems: 8 sessions, 10 branches, 71 entries, 261 rows checked
  $ xylem backup copy | without_figures | sed -n '/to restore/,$p'
  to restore the store, copy the backup into a new directory, never over a store that is in use:
    cp -rp */1/copy NEW_DIRECTORY (glob)
    xylem -s NEW_DIRECTORY verify
  $ xylem backup copy
  xylem: backup: copy exists already: the backup needs a directory of its own
  [4]
  $ xylem compact
  xylem: compact: standard input is not a terminal: give --yes (nothing was done) (see `xylem compact --help`)
  [2]
  $ COLUMNS= xylem compact --dry-run | without_figures
  store: SIZE, SIZE when compacted: SIZE would be given back
  $ xylem repair /dev/null
  xylem: repair: /dev/null exists already: the new store needs a directory of its own
  [4]
  $ xylem stat | without_figures
  store     store
  format    3, * (glob)
  file      SIZE, of which SIZE free to be used again
  map       SIZE; 1 of 1,022 reader slots taken
  sessions  8
  entries   71 on 10 branches, 13 kinds
  payloads  SIZE, 694.9 bytes an entry
  lines     SIZE kept beside payloads, 0.8 bytes an entry
  heads     SIZE of links and heads, 5.8 bytes an entry
  
  TABLE        ROWS     BYTES  DEPTH  BYTES A ROW
  meta            2   FIGURES
  sessions        8   FIGURES
  session_ids     8   FIGURES
  branches       10   FIGURES
  log            71  FIGURES
  ids            71   FIGURES
  kinds          26   FIGURES
  feed           19   FIGURES
  moves           0       FIGURES
  sources         8   FIGURES
  quarantine      1   FIGURES
  outlines       37   FIGURES
  sides           0       FIGURES
  $ xylem quarantine 01a1fa04-8967 | without_directories | sed 's/{.*//'
  LINE  OFFSET  BYTES  REASON  FILE  BEGINS WITH
    3  319  438  duplicate  damaged-orphan-and-duplicate.jsonl  
  $ xylem secrets
  0 secrets of known forms in 0 places
  $ xylem lease status
  xylem: lease: no session has an owner
  $ xylem judge -p confirm ls
  allow: nothing in it is refused
  $ xylem judge -p confirm --explain 'ls;(cat|sudo);ls'
  ask: sudo runs with another user's rights
  
    ls;(cat|sudo);ls
            ^^^^
  
    allow  ls                allowed
    allow    cat             allowed
    ask      sudo            sudo
    allow  ls                allowed
  [8]
  $ xylem hook nothing
  xylem: hook: there is no hook 'nothing': expected permission-request or pre-tool-use (see `xylem hook --help`)
  [1]
  $ xylem gate $SCENARIO_ID </dev/null
  {"schema":1,"block":true,"reason":"Readonly mode: the tool call cannot be read, so it is blocked. Use /readonly to disable.\nJSON is not well-formed at byte 0: parse error: premature EOF","readonly":true,"tool":null,"verdict":null,"rule":null,"why":null,"offending":null}
  [1]
  $ xylem gate $SCENARIO_ID:none </dev/null
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":null,"verdict":null,"rule":null,"why":null,"offending":null}
  $ xylem help sessions
  usage: xylem sessions [--dir DIR] [--name TEXT] [--since TIME] [--until TIME] [--sort ORDER]
                        [--reverse] [-n N] [--all|--deleted] [--file-gone] [--runs] [--redact-secrets]
                        [--redact-pattern TEXT|--redact-pattern-file FILE] [--pick|--json|--jsonl]
  
  List the sessions, the last active first.
  
  AGE is the age of the leaf, or of a session without entries. NAME is the name, or in quotes the
  first words of the first message; LAST is the last message. On a terminal, forks and clones stand
  below their source, unless --sort gives another order. A session without its file is `file gone`,
  for example deleted in the program that wrote the file; `xylem delete --file-gone` deletes such
  sessions. `leased`: a program has the session open. `follows`: another store owns the session
  (`xylem unbundle`). The ledgers of runs (`xylem help sequence`) are left out without --runs. --pick
  asks for a session of the list, and prints its id: `xylem open -- ID`.
  
  options:
    -a, --all               also deleted sessions, and sessions whose import has not finished
        --runs              also the ledgers of runs
        --deleted           only deleted sessions
        --file-gone         only sessions whose session file is gone
    -d, --dir DIR           only sessions whose directory is DIR or below DIR
        --name TEXT         only sessions with TEXT in their name, in upper or lower case
        --since TIME        only sessions last active at TIME or later: 2h, 3d, yesterday, 'monday
                            14:00', 2026-11-20
        --until TIME        only sessions last active at TIME or before
        --sort ORDER        sort by active (default), created, name, entries or directory
    -r, --reverse           reverse the order
        --pick              choose a session, and print its id; with fzf if there is one
    -n, --number N          at most N sessions
        --redact-secrets    show no secret: `[redacted: KIND]` stands in its place (xylem help
                            secrets)
        --redact-pattern TEXT
                            show no match of the regular expression TEXT
        --redact-pattern-file FILE
                            show no match of the regular expressions in FILE
        --json              print one JSON document
        --jsonl             print one JSON document a line
  
  options of every command:
    -s, --store DIR         the store's directory
        --color WHEN        auto (on a terminal), always or never
        --no-pager          do not start a pager
        --no-lock           read without locks, while nobody writes to the store
        --allow-network-fs  use a store on a network file system
        --wait SECONDS      wait at most this long for another writer (default: 10)
    -h, --help              show this help
    -V, --version           show the version
  $ xylem version
  xylem 0.1.0
  $ xylem complete -- show $SCENARIO_ID 88
  $ xylem log no-such-session
  xylem: log: there is no session and no entry 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem log $SCENARIO_ID no-such-argument
  xylem: log: a place is one word: '01a1f9f7-22cb-72e7-96e0-96825857127f:no-such-argument' for an entry (see `xylem log --help`)
  [2]
  $ xylem tre $SCENARIO_ID
  xylem: there is no command 'tre'; did you mean 'tree'? (see `xylem help`)
  [2]
  $ xylem init
  store is a xylem store already
  $ xylem import $SCENARIO $DAMAGED
  unchanged        0 added                 fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl
  unchanged        0 added                 fixtures/sessions/pi-0.87.1/specials/damaged-orphan-and-duplicate.jsonl
  2 files: 2 unchanged; 0 entries added, 0 lines put into quarantine, 0 problems
  $ xylem append $SCENARIO_ID --kind note --id new-entry
  xylem: append: a file keeps the session, and would lack the change: in pi, an extension calls pi.appendEntry() (--only-in-store changes the store alone; the file is */fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl) (glob)
  [4]
  $ xylem append $SCENARIO_ID --kind note --id new-entry --only-in-store
  new-entry
  $ xylem label $SCENARIO_ID:new-entry here
  xylem: label: a file keeps the session, and would lack the change: in pi, press shift+l on the entry in /tree (--only-in-store changes the store alone; the file is */fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl) (glob)
  [4]
  $ xylem rename $SCENARIO_ID renamed
  xylem: rename: a file keeps the session, and would lack the change: in pi, type /name NAME (--only-in-store changes the store alone; the file is */fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl) (glob)
  [4]
  $ xylem navigate $SCENARIO_ID:8d16e680 --only-in-store
  leaf: new-entry -> 8d16e680
  $ xylem navigate $SCENARIO_ID:none --only-in-store
  leaf: 8d16e680 -> none
  $ xylem navigate $SCENARIO_ID:@{1}~1 --reason because-it-was-better-there --only-in-store
  leaf: none -> 15efa3b4
  $ XYLEM_NOW=2020-01-01T00:00:00Z
  $ xylem moves $SCENARIO_ID
  NAME  AGE  FROM                                        TO                                         REASON
  @{1}   0s  none                                        15efa3b4  user: first question             because-it-was-better-there
  @{2}   0s  8d16e680   assistant: echo: first question  none
  @{3}   0s  new-entry                                   8d16e680  assistant: echo: first question
  $ XYLEM_NOW=2026-11-20T19:30:00Z
  $ xylem append reader --create --kind custom:file-reads --id noted --data "$READS"
  noted
  $ xylem files reader --noted
  BY     AGE      SIZE  FILE
  write  16m       7 B  /no-such-directory/f
  read   50m  20.0 KiB  /no-such-directory/of-the-project/documents/notes.md
  $ xylem files reader --check /no-such-directory/f
  file    /no-such-directory/f
  noted   write, 2026-11-20 19:13:20, 7 B
  edit    deleted
  write   deleted
  Blocked: /no-such-directory/f was deleted after it was read.
  [1]
  $ xylem fork $SCENARIO_ID:6f7578e6 --id fork
  fork
  xylem: fork: 1 label of the source lies outside of the shared path and was left behind (--labels appends such labels)
  $ xylem clone fork --id clone
  clone
  $ xylem label clone:6f7578e6 here
  label of 6f7578e6: none -> here
  $ xylem label clone:here
  label of 6f7578e6: here -> none
  $ xylem rename clone renamed
  name: scenario one -> renamed
  $ xylem delete fork --dry-run
  would delete session fork (scenario one, its leaf has depth 11)
  $ xylem delete fork --yes
  deleted session fork (scenario one, its leaf has depth 11)
  $ xylem redact clone:6f7578e6 --reason a-key --drop-hash --dry-run | grep -v 'fixtures\|the session file$'
  would redact entry 6f7578e6 of session clone
  to take  491 B of 1 entry; in 3 sessions
  hashes   1 to drop, and the checks of 9 entries behind to make anew
  Not reached; the text may still be in:
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    summaries, labels, names and other entries that repeat the text
  $ xylem bundle clone -q >bundle
  $ xylem -s there unbundle --check bundle | sed -E 's/[0-9a-f-]{36}/STORE/' | without_figures
  SESSION        CHANGES  ENTRIES  DIRECTORY
  01a1f9f7-22cb       12       11  /home/dev/proj (shared)
  clone                4        3  /home/dev/proj
  2 sessions; 16 changes with 14 entries
  from store STORE, made 2026-11-20 19:30:00; 2 parts, SIZE before compression
  $ xylem -s there unbundle --map /home/dev=/home/ann bundle
  xylem: unbundle: there is a new xylem store
  OUTCOME  SESSION        CHANGES  ENTRIES  DIRECTORY
  new      01a1f9f7-22cb       12       11  /home/ann/proj (from /home/dev/proj) (shared)
  new      clone                4        3  /home/ann/proj (from /home/dev/proj)
  2 sessions: 2 new; 16 changes with 14 entries
  $ xylem -s there sessions
  SESSION        AGE  ENTRIES  STATE    DIRECTORY       NAME          LAST
  01a1f9f7-22cb   2h       11  follows  /home/ann/proj  scenario one  done: Readonly mode: write/edit disabled. Use /readonly to disable
  \xe2\x94\x94\xe2\x94\x80clone         0s       14  follows  /home/ann/proj  renamed       done: Readonly mode: write/edit disabled. Use /readonly to disable (esc)
  $ xylem -s own unbundle --own bundle >/dev/null 2>&1
  $ add clone more note
  $ xylem bundle clone -q >bundle
  $ xylem -s there unbundle --dry-run bundle
  OUTCOME   SESSION  CHANGES  ENTRIES  DIRECTORY
  extended  clone          5        4  /home/dev/proj
  would take 2 sessions: 1 extended, 1 equal; 17 changes with 15 entries
  $ xylem -s own unbundle bundle
  OUTCOME   SESSION  CHANGES  ENTRIES  DIRECTORY
  diverged  clone          0        0  /home/dev/proj
  diverged: clone: the session clone ends at change 4 in this store, and is not extended: this store owns the session
  2 sessions: 1 equal, 1 diverged; 0 changes with 0 entries
  [4]
  $ xylem log fork
  xylem: log: the session fork is deleted (`xylem -s store undelete fork` brings it back)
  [3]
  $ xylem undelete fork
  undeleted session fork (scenario one, its leaf has depth 11)
  $ xylem undelete fork
  xylem: undelete: the session fork is not deleted
  [4]
  $ xylem undelete nothing
  xylem: undelete: there is no deleted session 'nothing' (`xylem -s store sessions --deleted` lists deleted sessions)
  [3]
  $ xylem delete $SCENARIO_ID --yes
  deleted session 01a1f9f7-22cb-72e7-96e0-96825857127f (scenario one, its leaf has depth 5)
  $ xylem sessions --deleted
  SESSION                               AGE  ENTRIES  STATE    DIRECTORY       NAME          LAST
  01a1f9f7-22cb-72e7-96e0-96825857127f   2h       32  deleted  /home/dev/proj  scenario one  first question
  $ xylem gc --dry-run
  would free session 01a1f9f7-22cb-72e7-96e0-96825857127f: 9 entries, 3.1 KiB; 23 shared entries stay
  would free 1 session, 9 entries, 0 branches, 29 rows, 3.1 KiB
  $ xylem gc --yes
  freed session 01a1f9f7-22cb-72e7-96e0-96825857127f: 9 entries, 3.1 KiB; 23 shared entries stay
  freed 1 session, 9 entries, 0 branches, 29 rows, 3.1 KiB
  xylem: gc: the file keeps its size, and later writes use the freed room (`xylem -s store compact` makes the file smaller)
  $ xylem gc --yes
  nothing to free: no deleted session has data of its own
  $ xylem undelete $SCENARIO_ID
  xylem: undelete: there is no deleted session '01a1f9f7-22cb-72e7-96e0-96825857127f' (`xylem -s store sessions --deleted` lists deleted sessions)
  [3]
  $ xylem verify
  no problems: 10 sessions, 12 branches, 68 entries, 288 rows checked
  $ COLUMNS= xylem compact --yes --overwrite | without_figures
  store: SIZE before, SIZE after, SIZE given back, the old file overwritten
  $ verify
