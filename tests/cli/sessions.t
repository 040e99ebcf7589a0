xylem sessions: lists sessions, the last active first; filters by name, directory and age.

  $ . "$TESTDIR/setup.sh"

A list is as expected.

  $ scenario
  $ xylem sessions
  SESSION                               AGE  ENTRIES  DIRECTORY       NAME          LAST
  01a1f9f7-22cb-72e7-96e0-96825857127f   2h       31  /home/dev/proj  scenario one  echo: after resume
  $ xylem sessions --jsonl
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","short_id":"01a1f9f7-22cb","state":"live","created":"2026-11-20T17:18:05.515Z","entry_count":31,"leaf":"32512cc7","leaf_time":"2026-11-20T17:18:05.944Z","active":"2026-11-20T17:18:05.944Z","leaf_depth":20,"name":"scenario one","first":{"entry":"15efa3b4","time":"2026-11-20T17:18:05.608Z","role":"user","text":"first question"},"last":{"entry":"32512cc7","time":"2026-11-20T17:18:05.944Z","role":"assistant","text":"echo: after resume"},"cwd":"/home/dev/proj","source":null,"parent_session":null,"move_count":0,"leased":false,"file_gone":false,"files":["*/fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl"]} (glob)
  $ verify

A session file has a name or `-`, the minutes behind 12:00 at which it was created and last active, and so many messages.

  $ session() {
  >     file=$1.jsonl parent=null
  >     echo '{"type":"session","version":3,"id":"'$1'","timestamp":"2026-11-20T12:'$4':00.000Z","cwd":"'$2'"}' >$file
  >     [ "$3" = - ] || {
  >         echo '{"type":"session_info","id":"n0","parentId":null,"timestamp":"2026-11-20T12:'$4':00.000Z","name":"'$3'"}' >>$file
  >         parent='"n0"'
  >     }
  >     for number in $(seq 0 $(($6 - 1))); do
  >         echo '{"type":"message","id":"m'$number'","parentId":'$parent',"timestamp":"2026-11-20T12:'$5':00.000Z","message":{"role":"user","content":"hi"}}' >>$file
  >         parent='"m'$number'"'
  >     done
  >     xylem import -q $file >/dev/null
  > }
  $ four_sessions() {
  >     fresh 13:00
  >     session aaaa1111-alpha /home/dev/proj 'Fix the Login' 00 50 3
  >     session aaaa2222-beta /home/dev/proj/deep/er - 10 20 1
  >     session bbbb3333-gamma /home/dev/proj2 'other login work' 20 40 5
  >     session cccc4444-delta /home/dev/proj/ docs 30 30 2
  > }
  $ listed() {
  >     xylem sessions "$@" | sed '1d; s/^[^-]*-\([a-z]*\).*/\1/' | xargs
  > }

A list is as expected in any width and colour.

  $ four_sessions
  $ xylem sessions
  SESSION         AGE  ENTRIES  DIRECTORY               NAME              LAST
  aaaa1111-alpha  10m        4  /home/dev/proj          Fix the Login     hi
  bbbb3333-gamma  20m        6  /home/dev/proj2         other login work  hi
  cccc4444-delta  30m        3  /home/dev/proj          docs              hi
  aaaa2222-beta   40m        1  /home/dev/proj/deep/er  "hi"              hi
  $ COLUMNS=160 xylem sessions --color always
  \x1b[2mSESSION\x1b[0m        \x1b[2mAGE\x1b[0m  \x1b[2mENTRIES\x1b[0m  \x1b[2mDIRECTORY\x1b[0m               \x1b[2mNAME\x1b[0m              \x1b[2mLAST\x1b[0m (esc)
  \x1b[33maaaa1111-alph\x1b[0m  \x1b[2m10m\x1b[0m        4  /home/dev/proj          \x1b[1mFix the Login\x1b[0m     hi (esc)
  \x1b[33mbbbb3333-gamm\x1b[0m  \x1b[2m20m\x1b[0m        6  /home/dev/proj2         \x1b[1mother login work\x1b[0m  hi (esc)
  \x1b[33mcccc4444-delt\x1b[0m  \x1b[2m30m\x1b[0m        3  /home/dev/proj          \x1b[1mdocs\x1b[0m              hi (esc)
  \x1b[33maaaa2222-beta\x1b[0m  \x1b[2m40m\x1b[0m        1  /home/dev/proj/deep/er  \x1b[1m"hi"\x1b[0m              hi (esc)
  $ COLUMNS=80 xylem sessions --color always
  \x1b[2mSESSION\x1b[0m        \x1b[2mAGE\x1b[0m  \x1b[2mENTRIES\x1b[0m  \x1b[2mDIRECTORY\x1b[0m        \x1b[2mNAME\x1b[0m              \x1b[2mLAST\x1b[0m (esc)
  \x1b[33maaaa1111-alph\x1b[0m  \x1b[2m10m\x1b[0m        4  /home/dev/proj   \x1b[1mFix the Login\x1b[0m     hi (esc)
  \x1b[33mbbbb3333-gamm\x1b[0m  \x1b[2m20m\x1b[0m        6  /home/dev/proj2  \x1b[1mother login work\x1b[0m  hi (esc)
  \x1b[33mcccc4444-delt\x1b[0m  \x1b[2m30m\x1b[0m        3  /home/dev/proj   \x1b[1mdocs\x1b[0m              hi (esc)
  \x1b[33maaaa2222-beta\x1b[0m  \x1b[2m40m\x1b[0m        1  /home/…/deep/er  \x1b[1m"hi"\x1b[0m              hi (esc)
  $ COLUMNS=80 xylem sessions --sort created --all
  SESSION        CREATED           AGE  ENTRIES  DIRECTORY      NAME          LAST
  cccc4444-delt  2026-11-20 12:30  30m        3  /home/dev/pr…  docs          hi
  bbbb3333-gamm  2026-11-20 12:20  20m        6  /home/dev/pr…  other login…  hi
  aaaa2222-beta  2026-11-20 12:10  40m        1  /home/…/deep…  "hi"          hi
  aaaa1111-alph  2026-11-20 12:00  10m        4  /home/dev/pr…  Fix the Log…  hi
  $ COLUMNS=50 xylem sessions
  SESSION        AGE  DIRECTORY      NAME
  aaaa1111-alph  10m  /home/…/proj   Fix the Login
  bbbb3333-gamm  20m  /home/…/proj2  other login wo…
  cccc4444-delt  30m  /home/…/proj   docs
  aaaa2222-beta  40m  /home/…/er     "hi"
  $ xylem help sessions
  usage: xylem sessions [--dir DIR] [--name TEXT] [--since TIME] [--until TIME]
                        [--sort ORDER] [--reverse] [-n N] [--all|--deleted]
                        [--file-gone] [--runs] [--redact-secrets]
                        [--redact-pattern TEXT|--redact-pattern-file FILE]
                        [--pick|--json|--jsonl]
  
  List the sessions, the last active first.
  
  AGE is the age of the leaf, or of a session without entries. NAME is the name,
  or in quotes the first words of the first message; LAST is the last message. On
  a terminal, forks and clones stand below their source, unless --sort gives
  another order. A session without its file is `file gone`, for example deleted in
  the program that wrote the file; `xylem delete --file-gone` deletes such
  sessions. `leased`: a program has the session open. `follows`: another store
  owns the session (`xylem unbundle`). The ledgers of runs (`xylem help sequence`)
  are left out without --runs. --pick asks for a session of the list, and prints
  its id: `xylem open -- ID`.
  
  options:
    -a, --all               also deleted sessions, and sessions whose import has
                            not finished
        --runs              also the ledgers of runs
        --deleted           only deleted sessions
        --file-gone         only sessions whose session file is gone
    -d, --dir DIR           only sessions whose directory is DIR or below DIR
        --name TEXT         only sessions with TEXT in their name, in upper or
                            lower case
        --since TIME        only sessions last active at TIME or later: 2h, 3d,
                            yesterday, 'monday 14:00', 2026-11-20
        --until TIME        only sessions last active at TIME or before
        --sort ORDER        sort by active (default), created, name, entries or
                            directory
    -r, --reverse           reverse the order
        --pick              choose a session, and print its id; with fzf if there
                            is one
    -n, --number N          at most N sessions
        --redact-secrets    show no secret: `[redacted: KIND]` stands in its place
                            (xylem help secrets)
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
        --wait SECONDS      wait at most this long for another writer (default:
                            10)
    -h, --help              show this help
    -V, --version           show the version

Sessions are sorted.

  $ listed
  alpha gamma delta beta
  $ listed --sort active
  alpha gamma delta beta
  $ listed -r
  beta delta gamma alpha
  $ listed --sort created
  delta gamma beta alpha
  $ listed --sort name
  delta alpha gamma beta
  $ listed --sort name --reverse
  beta gamma alpha delta
  $ listed --sort entries
  gamma alpha delta beta
  $ listed --sort directory
  alpha delta beta gamma
  $ listed -n 2
  alpha gamma
  $ listed --sort entries -n 1
  gamma
  $ xylem sessions --sort name -n 0
  $ xylem sessions --sort size
  xylem: sessions: --sort takes active, created, name, entries or directory, not 'size' (see `xylem sessions --help`)
  [2]

Sessions are found by their directory.

  $ listed --dir /home/dev/proj
  alpha delta beta
  $ listed --dir /home/dev/proj/
  alpha delta beta
  $ listed --dir /home//dev/./x/../proj/deep/..
  alpha delta beta
  $ listed --dir /home/dev/proj/deep
  beta
  $ listed --dir /home/dev/pro
  xylem: sessions: no session passes the filters
  
  $ listed --dir /
  alpha gamma delta beta
  $ listed --dir /../..
  alpha gamma delta beta
  $ xylem sessions --dir /home/dev/proj2 --jsonl
  {"schema":1,"session":"bbbb3333-gamma","short_id":"bbbb3333-gamm","state":"live","created":"2026-11-20T12:20:00.000Z","entry_count":6,"leaf":"m4","leaf_time":"2026-11-20T12:40:00.000Z","active":"2026-11-20T12:40:00.000Z","leaf_depth":6,"name":"other login work","first":{"entry":"m0","time":"2026-11-20T12:40:00.000Z","role":"user","text":"hi"},"last":{"entry":"m4","time":"2026-11-20T12:40:00.000Z","role":"user","text":"hi"},"cwd":"/home/dev/proj2","source":null,"parent_session":null,"move_count":0,"leased":false,"file_gone":false,"files":["*/2/bbbb3333-gamma.jsonl"]} (glob)
  $ xylem sessions --dir ''
  xylem: sessions: --dir needs the name of a directory (see `xylem sessions --help`)
  [2]

Sessions are found by a part of their name.

  $ listed --name login
  alpha gamma
  $ listed --name LOGIN -n 1
  alpha
  $ listed --name docs
  delta
  $ xylem sessions --name nothing
  xylem: sessions: no session passes the filters
  $ listed --name 'the login'
  alpha
  $ listed --name login --dir /home/dev/proj2
  gamma

Sessions are found by when they were active.

  $ listed --since 25m
  alpha gamma
  $ listed --since 2026-11-20T12:40
  alpha gamma
  $ listed --until 2026-11-20T12:40
  gamma delta beta
  $ listed --since 35m --until 15m
  gamma delta
  $ listed --since yesterday
  alpha gamma delta beta
  $ xylem sessions --until yesterday
  xylem: sessions: no session passes the filters
  $ xylem sessions --until never
  xylem: sessions: 'never' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  [2]
  $ verify

A directory is found through its links; `.` is where the command runs.

  $ four_sessions
  $ session dddd5555-epsilon $PWD - 01 02 1
  $ mkdir below
  $ listed --dir .
  epsilon
  $ listed --dir ./
  epsilon
  $ listed --dir below
  xylem: sessions: no session passes the filters
  
  $ listed --dir below/..
  epsilon
  $ ln -s "$PWD" link
  $ listed --dir link
  epsilon
  $ verify

A session without entries was active when it was created.

  $ four_sessions
  $ xylem fork aaaa1111-alpha:n0 --before --id eeee6666-zeta
  eeee6666-zeta
  $ xylem sessions --since 2026-11-20T13:00 --jsonl
  {"schema":1,"session":"eeee6666-zeta","short_id":"eeee6666-zeta","state":"live","created":"*","entry_count":0,"leaf":null,"leaf_time":null,"active":"*","leaf_depth":0,"name":null,"first":null,"last":null,"cwd":"/home/dev/proj","source":"aaaa1111-alpha","parent_session":"aaaa1111-alpha","move_count":0,"leased":false,"file_gone":false,"files":[]} (glob)
  $ verify

Deleted sessions are listed only with --all.

  $ four_sessions
  $ xylem delete aaaa1111-alpha --yes 2>/dev/null
  deleted session aaaa1111-alpha (Fix the Login, its leaf has depth 4)
  $ xylem sessions
  SESSION         AGE  ENTRIES  DIRECTORY               NAME              LAST
  bbbb3333-gamma  20m        6  /home/dev/proj2         other login work  hi
  cccc4444-delta  30m        3  /home/dev/proj          docs              hi
  aaaa2222-beta   40m        1  /home/dev/proj/deep/er  "hi"              hi
  $ xylem sessions --all
  SESSION         AGE  ENTRIES  STATE    DIRECTORY               NAME              LAST
  aaaa1111-alpha  10m        4  deleted  /home/dev/proj          Fix the Login     hi
  bbbb3333-gamma  20m        6  live     /home/dev/proj2         other login work  hi
  cccc4444-delta  30m        3  live     /home/dev/proj          docs              hi
  aaaa2222-beta   40m        1  live     /home/dev/proj/deep/er  "hi"              hi
  $ verify

Short ids name their session: what a narrow table shows of an id is enough.

  $ four_sessions
  $ session aaaa1111-alpine /x - 01 02 1
  $ COLUMNS=80 xylem sessions --dir /x
  SESSION        AGE  ENTRIES  DIRECTORY  NAME  LAST
  aaaa1111-alpi  58m        1  /x         "hi"  hi
  $ xylem log aaaa1111-alpi
  1  m0  2026-11-20 12:02:00  user        <leaf> hi
  $ COLUMNS=80 xylem sessions --name docs
  SESSION        AGE  ENTRIES  DIRECTORY       NAME  LAST
  cccc4444-delt  30m        3  /home/dev/proj  docs  hi
  $ verify

Rows end at the edge of the terminal, however much the columns need; an id is whole all the same.

  $ four_sessions
  $ session a-prefix-of-two-ids-1 /home/dev/of/a/long/path 'a name that is long' 01 02 3
  $ session a-prefix-of-two-ids-2 /home/dev/of/a/long/path 'a name that is long' 01 02 3
  $ xylem navigate a-prefix-of-two-ids-1:m0 --reason because --only-in-store
  leaf: m2 -> m0
  $ xylem append a-prefix-of-two-ids-1 --kind note --id n --only-in-store
  n
  $ for line in sessions 'sessions --until 1s' 'sessions --all --sort created' 'branches a-prefix-of-two-ids-1' \
  >     'moves a-prefix-of-two-ids-1' 'tree a-prefix-of-two-ids-1 --family'; do
  >     for columns in 40 50 60 61 62 80 100; do
  >         COLUMNS=$columns xylem $line >rows
  >         grep -c 'a-prefix-of-two-ids-[12]\|m[0-9]' rows
  >         grep ".\{$((columns + 1))\}" rows
  >     done | uniq -c
  > done
        7 2
        7 1
        7 2
        4 1
        3 2
        7 1
        7 1
  $ COLUMNS=40 xylem sessions
  SESSION                AGE  DIRECTORY  …
  a-prefix-of-two-ids-1   0s  /home/…/…  …
  aaaa1111-alph          10m  /home/…/…  …
  bbbb3333-gamm          20m  /home/…/…  …
  cccc4444-delt          30m  /home/…/…  …
  aaaa2222-beta          40m  /home/…/…  …
  a-prefix-of-two-ids-2  58m  /home/…/…  …
  $ COLUMNS=62 xylem sessions --all --sort created
  SESSION                CREATED           AGE  DIRECTORY  NAME
  cccc4444-delt          2026-11-20 12:30  30m  /home/…/…  docs
  bbbb3333-gamm          2026-11-20 12:20  20m  /home/…/…  othe…
  aaaa2222-beta          2026-11-20 12:10  40m  /home/…/…  "hi"
  a-prefix-of-two-ids-1  2026-11-20 12:01   0s  /home/…/…  a na…
  a-prefix-of-two-ids-2  2026-11-20 12:01  58m  /home/…/…  a na…
  aaaa1111-alph          2026-11-20 12:00  10m  /home/…/…  Fix …
  $ COLUMNS=40 xylem branches a-prefix-of-two-ids-1
  TIP  AGE  DEPTH  READONLY
  n     0s      3  off       <leaf>
  m2   58m      4  off
  $ COLUMNS=50 xylem tree a-prefix-of-two-ids-1 --family
  SESSION                  OWN  SHARED  FORKED AT
  ● a-prefix-of-two-ids-1    5       -  -
  $ verify

A session whose file was deleted is shown as gone. No session is gone: no column.

  $ four_sessions
  $ xylem sessions --file-gone
  xylem: sessions: no session passes the filters
  $ xylem sessions
  SESSION         AGE  ENTRIES  DIRECTORY               NAME              LAST
  aaaa1111-alpha  10m        4  /home/dev/proj          Fix the Login     hi
  bbbb3333-gamma  20m        6  /home/dev/proj2         other login work  hi
  cccc4444-delta  30m        3  /home/dev/proj          docs              hi
  aaaa2222-beta   40m        1  /home/dev/proj/deep/er  "hi"              hi
  $ rm bbbb3333-gamma.jsonl cccc4444-delta.jsonl
  $ xylem sessions
  SESSION         AGE  ENTRIES  STATE      DIRECTORY               NAME              LAST
  aaaa1111-alpha  10m        4  live       /home/dev/proj          Fix the Login     hi
  bbbb3333-gamma  20m        6  file gone  /home/dev/proj2         other login work  hi
  cccc4444-delta  30m        3  file gone  /home/dev/proj          docs              hi
  aaaa2222-beta   40m        1  live       /home/dev/proj/deep/er  "hi"              hi
  $ COLUMNS=60 xylem sessions --color always
  \x1b[2mSESSION\x1b[0m        \x1b[2mAGE\x1b[0m  \x1b[2mSTATE\x1b[0m      \x1b[2mDIRECTORY\x1b[0m      \x1b[2mNAME\x1b[0m (esc)
  \x1b[33maaaa1111-alph\x1b[0m  \x1b[2m10m\x1b[0m  live       /home/…/proj   \x1b[1mFix the Login\x1b[0m (esc)
  \x1b[33mbbbb3333-gamm\x1b[0m  \x1b[2m20m\x1b[0m  \x1b[31mfile gone\x1b[0m  /home/…/proj2  \x1b[1mother login w…\x1b[0m (esc)
  \x1b[33mcccc4444-delt\x1b[0m  \x1b[2m30m\x1b[0m  \x1b[31mfile gone\x1b[0m  /home/…/proj   \x1b[1mdocs\x1b[0m (esc)
  \x1b[33maaaa2222-beta\x1b[0m  \x1b[2m40m\x1b[0m  live       /home/…/er     \x1b[1m"hi"\x1b[0m (esc)
  $ listed --file-gone
  gamma delta
  $ listed --file-gone --name docs
  delta
  $ listed --file-gone -n 1 -r
  delta
  $ xylem sessions -n 1
  SESSION         AGE  ENTRIES  DIRECTORY       NAME           LAST
  aaaa1111-alpha  10m        4  /home/dev/proj  Fix the Login  hi
  $ verify

Documents name the files, and say whether the files are gone.

  $ four_sessions
  $ xylem sessions --name docs --jsonl
  {"schema":1,"session":"cccc4444-delta","short_id":"cccc4444-delt","state":"live","created":"2026-11-20T12:30:00.000Z","entry_count":3,"leaf":"m1","leaf_time":"2026-11-20T12:30:00.000Z","active":"2026-11-20T12:30:00.000Z","leaf_depth":3,"name":"docs","first":{"entry":"m0","time":"2026-11-20T12:30:00.000Z","role":"user","text":"hi"},"last":{"entry":"m1","time":"2026-11-20T12:30:00.000Z","role":"user","text":"hi"},"cwd":"/home/dev/proj/","source":null,"parent_session":null,"move_count":0,"leased":false,"file_gone":false,"files":["*/9/cccc4444-delta.jsonl"]} (glob)
  $ rm cccc4444-delta.jsonl
  $ xylem sessions --file-gone --jsonl
  {"schema":1,"session":"cccc4444-delta","short_id":"cccc4444-delt","state":"live","created":"2026-11-20T12:30:00.000Z","entry_count":3,"leaf":"m1","leaf_time":"2026-11-20T12:30:00.000Z","active":"2026-11-20T12:30:00.000Z","leaf_depth":3,"name":"docs","first":{"entry":"m0","time":"2026-11-20T12:30:00.000Z","role":"user","text":"hi"},"last":{"entry":"m1","time":"2026-11-20T12:30:00.000Z","role":"user","text":"hi"},"cwd":"/home/dev/proj/","source":null,"parent_session":null,"move_count":0,"leased":false,"file_gone":true,"files":["*/9/cccc4444-delta.jsonl"]} (glob)
  $ xylem sessions --jsonl -n 4 | grep -o '"file_gone":true.*' | sed "s|$(realpath .)|DIRECTORY|"
  "file_gone":true,"files":["DIRECTORY/cccc4444-delta.jsonl"]}
  $ verify

A session is gone only without all of its files.

  $ four_sessions
  $ cp cccc4444-delta.jsonl copy.jsonl
  $ xylem import -q copy.jsonl
  1 file: 1 changed; 0 entries added, 0 lines put into quarantine, 0 problems
  $ rm cccc4444-delta.jsonl
  $ xylem sessions --file-gone
  xylem: sessions: no session passes the filters
  $ rm copy.jsonl
  $ listed --file-gone
  delta
  $ verify

A file that cannot be looked up is not gone: a volume that is not mounted or a directory that cannot be read says nothing
about the file. Here a link leads to itself; then the directory is no directory any more.

  $ four_sessions
  $ mkdir below
  $ cp cccc4444-delta.jsonl below/file.jsonl
  $ xylem import -q below/file.jsonl
  1 file: 1 changed; 0 entries added, 0 lines put into quarantine, 0 problems
  $ rm cccc4444-delta.jsonl below/file.jsonl
  $ listed --file-gone
  delta
  $ ln -s file.jsonl below/file.jsonl
  $ xylem sessions --file-gone
  xylem: sessions: no session passes the filters
  $ rm -r below
  $ touch below
  $ listed --file-gone
  delta
  $ verify

A family stands where its last active session would. A pipe has no drawing: the first word of a line is an id.

  $ family
  $ drawn() {
  >     COLUMNS=100 xylem sessions "$@" | sed '1d; s/^\( *[^ ]*\).*/\1/'
  > }
  $ drawn
  alone
  source
  └─fork-1
  $ drawn -r
  source
  └─fork-1
  alone
  $ drawn --sort name
  alone
  source
  fork-1
  $ add fork-1 f1 note
  $ drawn
  source
  └─fork-1
  alone
  $ drawn -n 1
  fork-1
  $ xylem fork fork-1:@ --id fork-2
  fork-2
  $ xylem fork source:a --id fork-3
  fork-3
  $ add fork-3 f3 note
  $ drawn
  source
  ├─fork-3
  └─fork-1
    └─fork-2
  alone
  $ xylem sessions | sed 's/ .*//'
  SESSION
  fork-3
  fork-2
  fork-1
  alone
  source

What lies between is left out.

  $ xylem delete fork-1 --yes 2>/dev/null
  deleted session fork-1 (its leaf has depth 3)
  $ drawn
  source
  ├─fork-3
  └─fork-2
  alone
  $ drawn --deleted
  fork-1
  $ xylem sessions --jsonl --name nothing
  $ verify

A long chain of forks fits.

  $ fresh 19:30
  $ add fork-0 a note
  $ for number in 1 2 3 4 5 6 7 8 9 10 11; do
  >     xylem fork fork-$((number - 1)):a --id fork-$number >/dev/null
  > done
  $ COLUMNS=60 xylem sessions
  SESSION            AGE  DIRECTORY  NAME
  fork-0              0s  -          -
  \xe2\x94\x94\xe2\x94\x80fork-1            0s  -          - (esc)
    \xe2\x94\x94\xe2\x94\x80fork-2          0s  -          - (esc)
      \xe2\x94\x94\xe2\x94\x80fork-3        0s  -          - (esc)
  (1)     \xe2\x94\x94\xe2\x94\x80fork-4    0s  -          - (esc)
  (2)     \xe2\x94\x94\xe2\x94\x80fork-5    0s  -          - (esc)
  (3)     \xe2\x94\x94\xe2\x94\x80fork-6    0s  -          - (esc)
  (4)     \xe2\x94\x94\xe2\x94\x80fork-7    0s  -          - (esc)
  (5)     \xe2\x94\x94\xe2\x94\x80fork-8    0s  -          - (esc)
  (6)     \xe2\x94\x94\xe2\x94\x80fork-9    0s  -          - (esc)
  (7)     \xe2\x94\x94\xe2\x94\x80fork-10   0s  -          - (esc)
  (8)     \xe2\x94\x94\xe2\x94\x80fork-11   0s  -          - (esc)
  $ COLUMNS=160 xylem sessions
  SESSION                      AGE  ENTRIES  DIRECTORY  NAME  LAST
  fork-0                        0s        1  -          -     -
  \xe2\x94\x94\xe2\x94\x80fork-1                      0s        1  -          -     - (esc)
    \xe2\x94\x94\xe2\x94\x80fork-2                    0s        1  -          -     - (esc)
      \xe2\x94\x94\xe2\x94\x80fork-3                  0s        1  -          -     - (esc)
        \xe2\x94\x94\xe2\x94\x80fork-4                0s        1  -          -     - (esc)
          \xe2\x94\x94\xe2\x94\x80fork-5              0s        1  -          -     - (esc)
            \xe2\x94\x94\xe2\x94\x80fork-6            0s        1  -          -     - (esc)
              \xe2\x94\x94\xe2\x94\x80fork-7          0s        1  -          -     - (esc)
                \xe2\x94\x94\xe2\x94\x80fork-8        0s        1  -          -     - (esc)
  (1)               \xe2\x94\x94\xe2\x94\x80fork-9    0s        1  -          -     - (esc)
  (2)               \xe2\x94\x94\xe2\x94\x80fork-10   0s        1  -          -     - (esc)
  (3)               \xe2\x94\x94\xe2\x94\x80fork-11   0s        1  -          -     - (esc)
  $ COLUMNS=20 xylem sessions
  SESSION
  fork-0
  \xe2\x94\x94\xe2\x94\x80fork-1 (esc)
    \xe2\x94\x94\xe2\x94\x80fork-2 (esc)
      \xe2\x94\x94\xe2\x94\x80fork-3 (esc)
  (1)     \xe2\x94\x94\xe2\x94\x80fork-4 (esc)
  (2)     \xe2\x94\x94\xe2\x94\x80fork-5 (esc)
  (3)     \xe2\x94\x94\xe2\x94\x80fork-6 (esc)
  (4)     \xe2\x94\x94\xe2\x94\x80fork-7 (esc)
  (5)     \xe2\x94\x94\xe2\x94\x80fork-8 (esc)
  (6)     \xe2\x94\x94\xe2\x94\x80fork-9 (esc)
  (7)     \xe2\x94\x94\xe2\x94\x80fork-10 (esc)
  (8)     \xe2\x94\x94\xe2\x94\x80fork-11 (esc)
  $ verify

The first words of a person stand for a name.

  $ fresh
  $ add talk a message '{"role":"assistant","content":"welcome"}'
  $ xylem sessions
  SESSION  AGE  ENTRIES  DIRECTORY  NAME  LAST
  talk      *        1  -          -     welcome (glob)
  $ add talk b message '{"role":"user","content":"why?\nbecause"}'
  $ add talk c message '{"role":"assistant","content":"done"}'
  $ add talk d note
  $ xylem sessions
  SESSION  AGE  ENTRIES  DIRECTORY  NAME            LAST
  talk      *        4  -          "why\? because"  done (glob)
  $ xylem sessions --jsonl
  {"schema":1,"session":"talk","short_id":"talk","state":"live","created":"*","entry_count":4,"leaf":"d","leaf_time":"*","active":"*","leaf_depth":4,"name":null,"first":{"entry":"b","time":"*","role":"user","text":"why\?\\nbecause"},"last":{"entry":"c","time":"*","role":"assistant","text":"done"},"cwd":null,"source":null,"parent_session":null,"move_count":0,"leased":false,"file_gone":false,"files":[]} (glob)
  $ add talk e session_info '{"name":"named"}'
  $ xylem sessions
  SESSION  AGE  ENTRIES  DIRECTORY  NAME   LAST
  talk      *        5  -          named  done (glob)
  $ xylem navigate talk:none
  leaf: e -> none
  $ xylem sessions
  SESSION  AGE  ENTRIES  DIRECTORY  NAME   LAST
  talk*        5  -          named  - (glob)
  $ xylem sessions --jsonl
  {"schema":1,"session":"talk","short_id":"talk","state":"live","created":"*","entry_count":5,"leaf":null,"leaf_time":null,"active":"*","leaf_depth":0,"name":"named","first":null,"last":null,"cwd":null,"source":null,"parent_session":null,"move_count":1,"leased":false,"file_gone":false,"files":[]} (glob)
  $ verify

A long message is cut to its column. The message is decoded up to a place of its own, wherever its escapes and its
characters lie.

  $ fresh
  $ letters() {
  >     head -c $1 /dev/zero | tr '\0' a
  > }
  $ for part in '\ud83d\ude00' '\\' '\"' é '\u0000'; do
  >     parts=$part$part$part$part$part
  >     parts=$parts$parts$parts$parts
  >     for shift in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
  >         text=$(letters $((200 + shift)))${parts}b$(letters $((2299 - shift - ${#parts})))end
  >         xylem append talk --create --kind message --data '{"role":"assistant","content":"'"$text"'"}' >/dev/null
  >         xylem sessions | sed -n 's/.*  \(a*…\)$/\1/p'
  >         xylem sessions --jsonl | sed 's/.*"text":"\(a*\).*/\1/' | wc -c
  >     done
  > done | sort | uniq -c
        5 201
        5 202
        5 203
        5 204
        5 205
        5 206
        5 207
        5 208
        5 209
        5 210
        5 211
        5 212
        5 213
       65 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…

What is left out leaves an ellipsis.

  $ printf '{"role":"assistant","content":"short%1500s"}' end | xylem append talk --kind message --id short --data -
  short
  $ xylem sessions | sed '1d; s/.*  //'
  short …
  $ image=$(head -c 1948 /dev/zero | tr '\0' A)
  $ add talk image message '{"role":"user","content":[{"type":"image","data": "'$image'"}]}'
  $ xylem sessions | sed '1d; s/.*  //'
  image
  $ verify
