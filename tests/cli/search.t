xylem search: what was said, in all sessions and on all branches.

  $ . "$TESTDIR/setup.sh"

Matches are listed.

  $ scenario
  $ xylem import -q $SESSIONS/rpc-scenario
  7 files: 6 new, 1 unchanged; 24 entries added, 28 shared (36.5 KiB saved), 0 lines put into quarantine, 0 problems
  $ xylem search compaction
  xylem show 01a1f9f7-22cb:8db136e6  2026-11-20 17:18 (2h ago)  assistant, also in 01a1f9f7-23f3  scenario one
      echo: after compaction
  xylem show 01a1f9f7-22cb:4f9ef798  2026-11-20 17:18 (2h ago)  user, also in 01a1f9f7-23f3  scenario one
      after compaction
  
  2 matches in 1 session
  $ xylem search compaction -C 1 -n 2
    4f9ef798  user  after compaction
  xylem show 01a1f9f7-22cb:8db136e6  2026-11-20 17:18 (2h ago)  assistant, also in 01a1f9f7-23f3  scenario one
      echo: after compaction
    e37e3f3d  user  after resume
  
    d8b2463f  compaction  ## Goal Faux summary #25 ## Progress - summarised 5851 chars --- **Turn Context (split turn):**…
  xylem show 01a1f9f7-22cb:4f9ef798  2026-11-20 17:18 (2h ago)  user, also in 01a1f9f7-23f3  scenario one
      after compaction
    8db136e6  assistant  echo: after compaction
  
  2 matches in 1 session
  $ xylem search compaction -n 3 --jsonl
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","name":"scenario one","entry":"8db136e6","kind":"message","time":"2026-11-20T17:18:05.809Z","depth":18,"part":"text","role":"assistant","tool":null,"failed":false,"match_count":1,"before":"echo: after ","match":"compaction","after":"","cut_before":false,"cut_after":false,"sessions":["01a1f9f7-22cb-72e7-96e0-96825857127f","01a1f9f7-23f3-72e7-96e0-968898789fa5"]}
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","name":"scenario one","entry":"4f9ef798","kind":"message","time":"2026-11-20T17:18:05.806Z","depth":17,"part":"text","role":"user","tool":null,"failed":false,"match_count":1,"before":"after ","match":"compaction","after":"","cut_before":false,"cut_after":false,"sessions":["01a1f9f7-22cb-72e7-96e0-96825857127f","01a1f9f7-23f3-72e7-96e0-968898789fa5"]}
  $ xylem search -c write
        1  01a1f9f7-248c
        1  01a1f9f7-247a
        1  01a1f9f7-2443
        7  01a1f9f7-22cb  scenario one
  10 matches in 4 sessions
  $ xylem search -l write
  01a1f9f7-248c-72e7-96e0-9697eaa3c8dd
  01a1f9f7-247a-72e7-96e0-96936d1868b0
  01a1f9f7-2443-72e7-96e0-968e73b64cca
  01a1f9f7-22cb-72e7-96e0-96825857127f

Matches are laid out for the terminal.

  $ COLUMNS=60 xylem search compaction
  xylem show 01a1f9f7-22cb:8db136e6
      2026-11-20 17:18 (2h ago)  assistant, also in 01a1f9f7-…
      echo: after compaction
  xylem show 01a1f9f7-22cb:4f9ef798
      2026-11-20 17:18 (2h ago)  user, also in 01a1f9f7-23f3 …
      after compaction
  
  2 matches in 1 session
  $ COLUMNS=80 xylem search compaction -C 1
    4f9ef798  user  after compaction
  xylem show 01a1f9f7-22cb:8db136e6
      2026-11-20 17:18 (2h ago)  assistant, also in 01a1f9f7-23f3  scenario one
      echo: after compaction
    e37e3f3d  user  after resume
  
    d8b2463f  compaction  ## Goal Faux summary #25 ## Progress - summarised 5851 …
  xylem show 01a1f9f7-22cb:4f9ef798
      2026-11-20 17:18 (2h ago)  user, also in 01a1f9f7-23f3  scenario one
      after compaction
    8db136e6  assistant  echo: after compaction
  
  2 matches in 1 session
  $ COLUMNS=160 xylem search compaction
  xylem show 01a1f9f7-22cb:8db136e6  2026-11-20 17:18 (2h ago)  assistant, also in 01a1f9f7-23f3  scenario one
      echo: after compaction
  xylem show 01a1f9f7-22cb:4f9ef798  2026-11-20 17:18 (2h ago)  user, also in 01a1f9f7-23f3  scenario one
      after compaction
  
  2 matches in 1 session
  $ COLUMNS=80 xylem search compaction --color always
  xylem show \x1b[33m01a1f9f7-22cb\x1b[0m:\x1b[33m8db136e6\x1b[0m (esc)
      \x1b[2m2026-11-20 17:18 (2h ago)  assistant, also in 01a1f9f7-23f3  scenario one\x1b[0m (esc)
      echo: after \x1b[31mcompaction\x1b[0m (esc)
  xylem show \x1b[33m01a1f9f7-22cb\x1b[0m:\x1b[33m4f9ef798\x1b[0m (esc)
      \x1b[2m2026-11-20 17:18 (2h ago)  user, also in 01a1f9f7-23f3  scenario one\x1b[0m (esc)
      after \x1b[31mcompaction\x1b[0m (esc)
  
  2 matches in 1 session
  $ for columns in 40 60 80 100 120 140 160; do
  >     COLUMNS=$columns xylem search readonly | grep ".\{$((columns + 1))\}"
  > done
  [1]

Filters narrow a search.

  $ xylem search -c nope
        2  01a1f9f7-22cb  scenario one
  2 matches in 1 session
  $ xylem search nope --tool write --jsonl
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","name":"scenario one","entry":"fdf4cbd2","kind":"message","time":"2026-11-20T17:18:05.668Z","depth":9,"part":"call","role":"assistant","tool":"write","failed":false,"match_count":1,"before":"","match":"nope","after":"","cut_before":false,"cut_after":false,"sessions":["01a1f9f7-22cb-72e7-96e0-96825857127f"]}
  $ xylem search disabled --tool write --errors
  xylem show 01a1f9f7-22cb:be4cd5e4  2026-11-20 17:18 (2h ago)  toolResult, write, error  scenario one
      Readonly mode: write/edit disabled. Use /readonly to disable.
  
  1 match in 1 session
  $ xylem search nope --kind toolResult --tool write
  xylem: search: no match in 38 entries
  [1]
  $ xylem search disabled --kind toolResult --tool write
  xylem show 01a1f9f7-22cb:be4cd5e4  2026-11-20 17:18 (2h ago)  toolResult, write, error  scenario one
      Readonly mode: write/edit disabled. Use /readonly to disable.
  
  1 match in 1 session
  $ xylem search after --kind label --kind compaction
  xylem show 01a1f9f7-22cb:c3ce1abe  2026-11-20 17:18 (2h ago)  label  scenario one
      after-block
  
  1 match in 1 session
  $ xylem search question --since 2027-01-01
  xylem: search: no match in 0 entries
  [1]
  $ xylem search question --until 2020-01-01
  xylem: search: no match in 0 entries
  [1]
  $ xylem search -c question --dir /home/dev
        4  01a1f9f7-22cb  scenario one
  4 matches in 1 session
  $ xylem search question --dir /nowhere/at/all
  xylem: search: no match in 0 entries
  [1]
  $ xylem search -c question --dir /home/gone/../dev//
        4  01a1f9f7-22cb  scenario one
  4 matches in 1 session
  $ xylem search question --dir nowhere
  xylem: search: no match in 0 entries
  [1]
  $ xylem search -l question --session $SCENARIO_ID
  01a1f9f7-22cb-72e7-96e0-96825857127f
  $ xylem search question --session nobody
  xylem: search: there is no session 'nobody'; `xylem -s store sessions` lists the sessions
  [3]

Case and expressions.

  $ xylem search -c goal
        1  01a1f9f7-22cb  scenario one
  1 match in 1 session
  $ xylem search --case-sensitive -c GOAL
  xylem: search: no match in 55 entries; in other case there is 1 match: TEXT in small letters, without --case-sensitive, ignores case
  [1]
  $ xylem search -c GOAL
  xylem: search: no match in 55 entries; in other case there is 1 match: TEXT in small letters ignores case
  [1]
  $ xylem search -e 'echo:.*resume$'
  xylem show 01a1f9f7-22cb:32512cc7  2026-11-20 17:18 (2h ago)  assistant  scenario one
      echo: after resume
  
  1 match in 1 session
  $ xylem search -e '('
  xylem: search: the pattern cannot be compiled: byte 1: missing closing parenthesis
  [2]
  $ verify

Wrong words are refused.

  $ fresh
  $ xylem search a --case-sensitive -e
  xylem: search: --case-sensitive and --regex cannot be combined: (?i) in an expression ignores case (see `xylem search --help`)
  [2]
  $ xylem search a -l -c
  xylem: search: -l and -c cannot be combined (see `xylem search --help`)
  [2]
  $ xylem search a --number 0
  xylem: search: --number takes 1 or more; -c counts matches and shows none (see `xylem search --help`)
  [2]
  $ xylem search ''
  xylem: search: a pattern is empty (see `xylem search --help`)
  [2]
  $ xylem search "$(printf '\377')"
  xylem: search: the pattern is not UTF-8
  [2]
  $ xylem search
  xylem: search: give a text to find, or a filter, such as --errors --since yesterday (see `xylem search --help`)
  [2]
  $ xylem search a --json --jsonl
  xylem: search: --json and --jsonl cannot be combined (see `xylem search --help`)
  [2]
  $ verify

An entry of forks names them.

  $ fresh
  $ add source first message '{"role":"user","content":"fox"}'
  $ xylem fork source:first --id one
  one
  $ xylem fork source:first --id two
  two
  $ xylem search fox
  xylem show source:first  * (* ago)  user, also in one, two (glob)
      fox
  
  1 match in 1 session
  $ xylem search fox --session one --session two --jsonl
  {"schema":1,"session":"two","name":null,"entry":"first","kind":"message","time":"*","depth":1,"part":"text","role":"user","tool":null,"failed":false,"match_count":1,"before":"","match":"fox","after":"","cut_before":false,"cut_after":false,"sessions":["source","one","two"]} (glob)
  $ verify

A command to paste is safe in a shell.

  $ fresh
  $ add 'a;b' '$(c)' note '"fox"'
  $ xylem search fox
  xylem show 'a;b:$(c)'  * (* ago)  note (glob)
      fox
  
  1 match in 1 session
  $ verify

Lines in quarantine are searched on request.

  $ fresh
  $ xylem import -q $SESSIONS/specials/damaged-middle-line.jsonl
  xylem: import: fixtures/sessions/pi-0.87.1/specials/damaged-middle-line.jsonl:4: byte 757: not-json: the line is not a JSON object (quarantined)
  1 file: 1 new; 15 entries added, 1 line put into quarantine, 1 problem
  [1]
  $ xylem search broken
  xylem: search: no match in 14 entries
  [1]
  $ xylem search broken --quarantine
  xylem quarantine 01a1fa04-8967 --raw 4  line 4 in quarantine
      {"type":"custom","id":"broken
  
  1 match in 1 session
  $ xylem search broken --quarantine --jsonl -C 1
  {"schema":1,"session":"01a1fa04-8967-7035-be02-03c30a7d5352","name":null,"entry":null,"line":4,"part":"quarantine","role":null,"tool":null,"failed":false,"match_count":1,"before":"{\"type\":\"custom\",\"id\":\"","match":"broken","after":"","cut_before":false,"cut_after":false,"sessions":["01a1fa04-8967-7035-be02-03c30a7d5352"],"entries_before":[],"entries_after":[]}
  $ xylem search broken --quarantine -c --json
  {"schema":1,"sessions":[{"session":"01a1fa04-8967-7035-be02-03c30a7d5352","name":null,"match_count":1,"newest":null}]}
  $ verify

A damaged entry is named, and the search goes on.

  $ fresh
  $ add s a note '"fox"'
  $ add s b note '"fox and badger"'
  $ add s c note '"fox"'
  $ damage 'and badger'
  $ xylem search fox
  xylem: search: damaged: log: session s: entry b: branch 1, depth 2: the payload of entry b at branch 1, depth 2 does not match its hash
  xylem show s:c  * (* ago)  note (glob)
      fox
  xylem show s:a  * (* ago)  note (glob)
      fox
  
  2 matches in 1 session
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem search nothing
  xylem: search: damaged: log: session s: entry b: branch 1, depth 2: the payload of entry b at branch 1, depth 2 does not match its hash
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]

A fast search verifies what may match, and nothing else.

  $ xylem search nothing --fast
  xylem: search: no match in 3 entries
  [1]
  $ xylem search fox --fast
  xylem: search: damaged: log: session s: entry b: branch 1, depth 2: the payload of entry b at branch 1, depth 2 does not match its hash
  xylem show s:c  * (* ago)  note (glob)
      fox
  xylem show s:a  * (* ago)  note (glob)
      fox
  
  2 matches in 1 session
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]

A damaged entry beside a match hides no match.

  $ xylem search fox -C 1
  xylem: search: damaged: log: session s: entry b: branch 1, depth 2: the payload of entry b at branch 1, depth 2 does not match its hash
  xylem: search: damaged: an entry beside a match: the payload of entry b at branch 1, depth 2 does not match its hash
  xylem show s:c  * (* ago)  note (glob)
      fox
  xylem: search: damaged: an entry beside a match: the payload of entry b at branch 1, depth 2 does not match its hash
  
  xylem show s:a  * (* ago)  note (glob)
      fox
  
  2 matches in 1 session
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem search fox -C 1 --jsonl
  xylem: search: damaged: log: session s: entry b: branch 1, depth 2: the payload of entry b at branch 1, depth 2 does not match its hash
  xylem: search: damaged: an entry beside a match: the payload of entry b at branch 1, depth 2 does not match its hash
  {"schema":1,"session":"s","name":null,"entry":"c","kind":"note","time":"*","depth":3,"part":"data","role":null,"tool":null,"failed":false,"match_count":1,"before":"","match":"fox","after":"","cut_before":false,"cut_after":false,"sessions":["s"],"entries_before":[],"entries_after":[]} (glob)
  xylem: search: damaged: an entry beside a match: the payload of entry b at branch 1, depth 2 does not match its hash
  {"schema":1,"session":"s","name":null,"entry":"a","kind":"note","time":"*","depth":1,"part":"data","role":null,"tool":null,"failed":false,"match_count":1,"before":"","match":"fox","after":"","cut_before":false,"cut_after":false,"sessions":["s"],"entries_before":[],"entries_after":[]} (glob)
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]

The order of words changes no hint. An id is told, and is no match. A limit names its pattern. A line begins with text.

  $ fresh
  $ add eeeeeeee-1111 ffffffff note '"\n\nbar foo"'
  $ xylem search foo BAR
  xylem: search: no match in 1 entry; in other case there is 1 match: TEXT in small letters ignores case
  [1]
  $ xylem search BAR foo
  xylem: search: no match in 1 entry; in other case there is 1 match: TEXT in small letters ignores case
  [1]
  $ xylem search --case-sensitive BAR foo
  xylem: search: no match in 1 entry; in other case there is 1 match: TEXT in small letters, without --case-sensitive, ignores case
  [1]
  $ xylem search 'ba[rz]' 'f.o'
  xylem: search: no match in 1 entry; as a regular expression there is 1 match: give -e
  [1]
  $ xylem search --case-sensitive '^bar'
  xylem: search: no match in 1 entry; as a regular expression there is 1 match: give -e instead of --case-sensitive
  [1]
  $ xylem search 'bar('
  xylem: search: no match in 1 entry
  [1]
  $ xylem search eeeeeeee-1111
  xylem: search: 'eeeeeeee-1111' is the id of a session: `xylem -s store log eeeeeeee-1111`
  [1]
  $ xylem search ffffffff
  xylem: search: 'ffffffff' is the id of an entry: `xylem -s store show ffffffff`
  [1]
  $ xylem search --session eeeeeeee
  xylem show eeeeeeee-1111:ffffffff  * (* ago)  note (glob)
      bar foo
  
  1 match in 1 session
  $ printf '"%060000d"' 0 | tr 0 a >long
  $ add eeeeeeee-1111 long note "$(cat long)"
  $ xylem search -e a '(a+)+(b|[0-9])+c?$' 2>&1 | grep -o "'.*': the pattern"
  '(a+)+(b|[0-9])+c?$': the pattern
  $ verify

A kind or a tool that no entry has is named, with the spelling that is meant.

  $ scenario
  $ xylem search -k User question
  xylem: search: no match in 23 entries; no entry is of the kind or role 'User'; did you mean 'user'?
  [1]
  $ xylem search -k user -k note -t Write zzz
  xylem: search: no match in 23 entries; no entry is of the kind or role 'note'; no entry is of the tool 'Write' (upper and lower case differ)
  [1]
  $ xylem search -k user zzz
  xylem: search: no match in 23 entries
  [1]
  $ fresh
  $ add s a message '{"role":"user","content":"hello"}'
  $ xylem search zzz --kind assistant
  xylem: search: no match in 1 entry; no entry is of the kind or role 'assistant'
  [1]
  $ xylem append seq.x --create --kind custom:sequence-run --data '{"event":"start"}' >/dev/null
  $ xylem search zzz --runs --kind custom:sequence-run
  xylem: search: no match in 2 entries
  [1]
