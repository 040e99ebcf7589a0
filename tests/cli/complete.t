xylem complete, and the scripts in cli/completions/ in the shells that they are for.

  $ . "$TESTDIR/setup.sh"
  $ ID=$SCENARIO_ID
  $ offers() { # without fleet and mcp, whose programs need not be there
  >     xylem complete -- "$@" | sed -E '/^(fleet|mcp)\t/d'
  > }
  $ words() {
  >     offers "$@" | cut -f 1 | xargs -d '\n'
  > }

Commands are offered. The last word is the word to complete.

  $ scenario
  $ offers sho
  show\tShow one entry and its payload (esc)
  $ words st
  state stat
  $ words help ver
  verify version
  $ words -s /nowhere --no-pager lo
  log
  $ words -- lo
  log
  $ offers nonsense
  $ offers nonsense ''
  $ offers ''
  import\tImport session files of pi, or the lines added since the last import (esc)
  sessions\tList the sessions, the last active first (esc)
  search\tFind what was said, in all sessions (esc)
  open\tGo on with a session in pi (esc)
  log\tList the entries of a path, newest first (esc)
  show\tShow one entry and its payload (esc)
  tree\tDraw a session's entries as a tree, or the sessions forked from it (esc)
  diff\tCompare two entries: common entries, added entries, states (esc)
  state\tShow the state that comes back at an entry, and why (esc)
  branches\tList the tips of a session's branches, newest first (esc)
  blame\tList the entries at which a piece of state changed (esc)
  files\tList the files that a session read and wrote (esc)
  watch\tPrint the entries of a session, or of the store, as they are committed (esc)
  fork\tFork a session at an entry, or before it; nothing is copied (esc)
  delete\tMark a session as deleted (esc)
  secrets\tList where keys and passwords of known forms are (esc)
  redact\tRemove an entry's text, or all text that matches, from the store (esc)
  label\tSet or remove the label of an entry (esc)
  rename\tGive a session a name (esc)
  navigate\tMove a session's leaf to another entry, or to none (esc)
  clone\tFork a session at its leaf; nothing is copied (esc)
  append\tAppend an entry to a session (esc)
  undelete\tBring a deleted session back (esc)
  gc\tFree deleted sessions for good (esc)
  sequence\tList, check, save and run recorded sequences of steps (esc)
  export\tWrite a session as a session file of pi, or as a page (esc)
  bundle\tWrite sessions as one file for another store (esc)
  unbundle\tTake the sessions of a bundle into the store (esc)
  backup\tCopy the store beside live writers, and verify the copy (esc)
  verify\tCheck the whole store, and report every problem (esc)
  compact\tMake the store's file smaller: give back unused room (esc)
  repair\tSave all that can be read of a damaged store into a new store (esc)
  judge\tSay what a policy answers to a shell command (esc)
  init\tMake an empty store (esc)
  stat\tShow figures of the store, what sessions cost, and who has it open (esc)
  moves\tList the navigations of a session, newest first (esc)
  quarantine\tList the lines that imports could not place, or print a line (esc)
  lease\tShow the owner of a session's lease, or break the lease (esc)
  gate\tSay whether a tool call may go on while readonly is on (esc)
  hook\tAnswer an agent host's hook: approve reading commands, or enforce a policy (esc)
  help\tShow help on the program or on a command (esc)
  version\tShow the version (esc)
  complete\tList completions of a command line, for shells (esc)
  $ xylem complete | head -n 1
  import\tImport session files of pi, or the lines added since the last import (esc)

Options and their choices are offered.

  $ offers log --kind
  --kind\tonly entries of this kind, or messages of this role: compaction, custom:readonly, user (may be repeated) (esc)
  $ words log --json
  --json --jsonl
  $ words state s --event ''
  startup reload new resume fork session_tree toggled
  $ words --no-p
  --no-pager
  $ words log --col
  --color
  $ offers log -- --col
  $ words --color ''
  auto always never
  $ words log --color=al
  --color=always
  $ words sessions --sort e
  entries
  $ offers sessions --name ''
  $ offers log --nonsense=
  $ offers version ''
  --json\tprint one JSON document (esc)
  --jsonl\tthe same (esc)
  --store\tthe store's directory (esc)
  --color\tauto (on a terminal), always or never (esc)
  --no-pager\tdo not start a pager (esc)
  --no-lock\tread without locks, while nobody writes to the store (esc)
  --allow-network-fs\tuse a store on a network file system (esc)
  --wait\twait at most this long for another writer (default: 10) (esc)
  --help\tshow this help (esc)
  --version\tshow the version (esc)

Files and directories are left to the shell.

  $ offers import ''
  files
  $ offers import a b c
  files
  $ offers export $ID -o ''
  files
  $ offers export $ID --output=x
  files
  $ offers -s ''
  directories
  $ offers log --store x
  directories
  $ offers sessions --dir ''
  directories

Entries of the session on the line are offered.

  $ offers show $ID:88
  01a1f9f7-22cb-72e7-96e0-96825857127f:88fe2aff\tcustom:readonly: {"enabled":true} (esc)
  $ words show 01a1:88
  01a1:88fe2aff
  $ offers log $ID:6f75
  01a1f9f7-22cb-72e7-96e0-96825857127f:6f7578e6\t[after-block] message: assistant: done: Readonly mode: write/edit disabled. Use /r\xe2\x80\xa6 (esc)
  $ offers append --parent 88
  $ words append $ID --parent=88
  --parent=88fe2aff
  $ words append --parent=88 $ID --expect 88
  88fe2aff
  $ words append --parent 88fe2aff $ID --expect 88
  88fe2aff
  $ offers navigate nobody:
  $ offers show $ID:
  01a1f9f7-22cb-72e7-96e0-96825857127f:@\tthe leaf (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:after-block\tlabel of 6f7578e6 (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:6f7578e6\t[after-block] message: assistant: done: Readonly mode: write/edit disabled. Use /r\xe2\x80\xa6 (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7\tmessage: assistant: echo: after resume (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:e37e3f3d\tmessage: user: after resume (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:8db136e6\tmessage: assistant: echo: after compaction (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:4f9ef798\tmessage: user: after compaction (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:d8b2463f\tcompaction: ## Goal Faux summary #25 ## Progress - summarised 5851 char\xe2\x80\xa6 (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:63ff5e92\tmessage: assistant: word0 word1 word2 word3 word4 word5 word6 word7 \xe2\x80\xa6 (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:b0bc11ca\tmessage: user: !big 500 (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:7e89d41d\tmessage: assistant: word0 word1 word2 word3 word4 word5 word6 word7 \xe2\x80\xa6 (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:7c1eb7ea\tmessage: user: !big 600 (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:54d08232\tmessage: assistant: echo: branch B second (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:d3fe142d\tmessage: user: branch B second (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:3dc585ab\tcustom:readonly: {"enabled":true} (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:5b8612f6\tmessage: assistant: echo: branch B question (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:d3300e75\tmessage: user: branch B question (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:6fd8ed9e\tmessage: assistant: done: Successfully wrote to ok.txt (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:9516d531\tmessage: toolResult write: Successfully wrote to ok.txt (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:e4ad638d\tmessage: assistant: write(ok.txt) (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:7c15199c\tmessage: user: !tool write {"path":"ok.txt","content":"yes"} (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:d134ab3f\tcustom:readonly: {"enabled":false} (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:c3ce1abe\tlabel: after-block on 6f7578e6 (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:be4cd5e4\tmessage: toolResult write error: Readonly mode: write/edit disabled.\xe2\x80\xa6 (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:fdf4cbd2\tmessage: assistant: write(ro.txt) (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:26de9cb1\tmessage: user: !tool write {"path":"ro.txt","content":"nope"} (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:88fe2aff\tcustom:readonly: {"enabled":true} (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:8d16e680\tmessage: assistant: echo: first question (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:15efa3b4\tmessage: user: first question (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:6bc7b764\tmessage: system: You are an expert coding assistant operating inside\xe2\x80\xa6 (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:d6a8b13d\tthinking_level_change: off (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:ca6c99db\tmodel_change: fauxhost/faux-1 (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:b8ef64c6\tsession_info: scenario one (esc)
  $ words show $ID:after
  01a1f9f7-22cb-72e7-96e0-96825857127f:after-block
  $ words tree $ID --kind custom:r
  custom:readonly

Pieces of state are offered to blame.

  $ words blame s ''
  readonly nudge sequence todo mark
  $ words lease ''
  status break
  $ words lease break 01a1f9f7-22
  01a1f9f7-22cb-72e7-96e0-96825857127f
  $ words -s /no/such/place blame s r
  readonly
  $ words blame 01a1f9f7-22
  01a1f9f7-22cb-72e7-96e0-96825857127f
  $ words blame $ID:88
  01a1f9f7-22cb-72e7-96e0-96825857127f:88fe2aff
  $ words blame $ID:88 readonly
  readonly
  $ words state $ID:88
  01a1f9f7-22cb-72e7-96e0-96825857127f:88fe2aff
  $ words moves 01a1
  01a1f9f7-22cb-72e7-96e0-96825857127f

Both ends of a diff are offered.

  $ words diff 01a1f9f7-22
  01a1f9f7-22cb-72e7-96e0-96825857127f
  $ words diff $ID:88
  01a1f9f7-22cb-72e7-96e0-96825857127f:88fe2aff
  $ words diff $ID:@ :after
  :after-block
  $ words diff $ID :88
  :88fe2aff
  $ offers diff :88

Kinds of the session are offered.

  $ words append $ID --kind cust
  custom:readonly
  $ words append $ID -k mess
  message
  $ offers append --kind cust

Beyond the arguments there are options.

  $ words log $ID --js
  --json --jsonl
  $ words log $ID ''
  --number --kind --since --until --reverse --full --redact-secrets --redact-pattern --redact-pattern-file --json --jsonl --store --color --no-pager --no-lock --allow-network-fs --wait --help --version

Without a store it is silent.

  $ offers -s /no/such/place log ''
  $ offers --store=/no/such/place log ''
  $ offers -s/no/such/place show x:
  $ XYLEM_STORE=none xylem complete -- log ''
  $ XYLEM_STORE=none xylem complete -- lo
  log\tList the entries of a path, newest first (esc)
  $ verify

Sessions are offered, the last active first. A deleted session is not offered, nor one whose id cannot be typed.

  $ scenario
  $ add older e note
  $ add 'has blank' e note
  $ add "$(printf 'evil\033[2J')" e note
  $ xylem delete older --yes 2>/dev/null
  deleted session older (its leaf has depth 1)
  $ add newer e note
  $ offers log $ID
  01a1f9f7-22cb-72e7-96e0-96825857127f\tscenario one, 2h, /home/dev/proj (esc)
  $ offers log 01a1
  01a1f9f7-22cb-72e7-96e0-96825857127f\tscenario one, 2h, /home/dev/proj (esc)
  $ words log n
  newer
  $ offers tree zz
  $ words log ''
  newer 01a1f9f7-22cb-72e7-96e0-96825857127f
  $ verify

Places are offered with the leaf.

  $ scenario
  $ words show $ID:@
  01a1f9f7-22cb-72e7-96e0-96825857127f:@ 01a1f9f7-22cb-72e7-96e0-96825857127f:@~1 01a1f9f7-22cb-72e7-96e0-96825857127f:@^1
  $ xylem navigate $ID:none --only-in-store
  leaf: 32512cc7 -> none
  $ xylem navigate $ID:6f7578e6 --only-in-store
  leaf: none -> 6f7578e6
  $ words log $ID:@{
  01a1f9f7-22cb-72e7-96e0-96825857127f:@{1} 01a1f9f7-22cb-72e7-96e0-96825857127f:@{2}
  $ offers show $ID: | head -n 3
  01a1f9f7-22cb-72e7-96e0-96825857127f:@\tthe leaf (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:@{1}\tthe leaf before it was moved to 6f7578e6, 0s ago (esc)
  01a1f9f7-22cb-72e7-96e0-96825857127f:@{2}\tthe leaf before it was moved to none, 0s ago (esc)
  $ words state $ID:@{2
  01a1f9f7-22cb-72e7-96e0-96825857127f:@{2}
  $ for move in 1 2 3 4 5 6 7 8 9; do xylem navigate $ID:@{1} --only-in-store >/dev/null; done
  $ words show $ID:@{
  01a1f9f7-22cb-72e7-96e0-96825857127f:@{1} 01a1f9f7-22cb-72e7-96e0-96825857127f:@{2} 01a1f9f7-22cb-72e7-96e0-96825857127f:@{3} 01a1f9f7-22cb-72e7-96e0-96825857127f:@{4} 01a1f9f7-22cb-72e7-96e0-96825857127f:@{5} 01a1f9f7-22cb-72e7-96e0-96825857127f:@{6} 01a1f9f7-22cb-72e7-96e0-96825857127f:@{7} 01a1f9f7-22cb-72e7-96e0-96825857127f:@{8}
  $ verify

Names of sessions are offered once a word begins. A name of two sessions is not offered, nor a name with a blank.

  $ scenario
  $ add one e note
  $ add two e note
  $ xylem rename one login
  name: none -> login
  $ offers rename one ''
  $ offers label one:note ''
  $ offers log lo
  login\tname of one (0s) (esc)
  $ xylem rename two login
  name: none -> login
  $ offers log lo
  $ offers log scen
  $ words log @
  @last @last~1
  $ words log fixtures/
  files
  $ words show @last:@~
  @last:@~1
  $ verify

An id with a colon is no session and entry.

  $ scenario
  $ add of:one first note
  $ words diff of
  of:one
  $ words diff of:
  of:one
  $ words diff of:one:
  of:one:@ of:one:first
  $ words diff of:one:f
  of:one:first
  $ words diff of:one:@ :f
  :first
  $ verify

What a terminal would act on is not given back.

  $ fresh
  $ clear=$(printf '\033[2J')
  $ add "${clear}abc" first note
  $ offers diff "${clear}abc:"
  $ offers diff "$clear"
  $ verify

Of very many entries the newest are offered. With nothing typed, only the newest of very many are offered; what begins as
the word does is offered all the same.

  $ fresh
  $ {
  >     echo '{"type":"session","version":3,"id":"many","timestamp":"2026-11-20T00:00:00.000Z","cwd":"/"}'
  >     parent=null
  >     for number in $(seq 1200); do
  >         echo '{"type":"note","id":"n-'$number'","parentId":'$parent',"timestamp":"2026-11-20T00:00:00.000Z"}'
  >         parent='"n-'$number'"'
  >     done
  > } >many.jsonl
  $ xylem import -q many.jsonl
  1 file: 1 new; 1,200 entries added, 0 lines put into quarantine, 0 problems
  $ offers show many '' >offered
  $ wc -l <offered
  15
  $ head -n 2 offered
  --full\tprint long texts whole (esc)
  --json\tprint one JSON document (esc)
  $ tail -n 1 offered
  --version\tshow the version (esc)
  $ words show many n-19
  
  $ verify

It never complains: a damaged session is not offered, and nothing is said of it.

  $ scenario
  $ damage 32512cc7
  $ offers log ''
  01a1f9f7-22cb-72e7-96e0-96825857127f\tscenario one, 2h, /home/dev/proj (esc)
  $ offers show $ID:

Bash completes, from the line, and from its words as bash splits them.

  $ scenario
  $ mkdir include
  $ add 'semi;colon$x' e note
  $ add with:colon e note
  $ in_bash() {
  >     bash --norc -c 'source "$0"/cli/completions/xylem.bash
  >         COMP_LINE=$1 COMP_POINT=${#1}
  >         shift
  >         COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  >         _xylem
  >         printf "%s\n" "${COMPREPLY[@]}"' "$root" "$@"
  > }
  $ in_bash 'xylem sho' xylem sho
  show
  $ in_bash 'xylem show 01a1 88' xylem show 01a1:88
  01a1:88fe2aff
  $ in_bash 'xylem log 01a1' xylem log 01a1
  01a1f9f7-22cb-72e7-96e0-96825857127f
  $ in_bash 'xylem --color=al' xylem --color = al
  always
  $ in_bash 'xylem --color=' xylem --color =
  auto
  always
  never
  $ in_bash 'xylem log with:co' xylem log with : co
  colon
  $ in_bash 'xylem log semi' xylem log semi
  semi\;colon\$x
  $ in_bash 'xylem import inclu' xylem import inclu
  include
  $ in_bash 'xylem -s inclu' xylem -s inclu
  include
  $ in_bash 'xylem nonsense ' xylem nonsense ''
  
  $ in_bash "xylem log '01a1" xylem log "'01a1"
  01a1f9f7-22cb-72e7-96e0-96825857127f
  $ bash --norc -c "source $root/cli/completions/xylem.bash; complete -p xylem"
  complete -F _xylem xylem

Fish completes.

  $ export HOME=$PWD
  $ in_fish() {
  >     fish --no-config -c "source $root/cli/completions/xylem.fish; complete -C '$1'"
  > }
  $ in_fish 'xylem sho'
  show\tShow one entry and its payload (esc)
  $ in_fish 'xylem show 01a1 88'
  $ in_fish 'xylem log 01a1'
  01a1f9f7-22cb-72e7-96e0-96825857127f\tscenario one, 2h, /home/dev/proj (esc)
  $ in_fish 'xylem --color=al'
  --color=always
  $ in_fish 'xylem import inclu'
  include/
  $ in_fish 'xylem --store=inclu'
  --store=include/
  $ in_fish 'xylem nonsense '
  $ verify
