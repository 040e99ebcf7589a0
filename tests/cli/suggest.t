Did you mean: what is said of words that mean nothing.

  $ . "$TESTDIR/setup.sh"

Commands that are spelt alike are named.

  $ fresh
  $ xylem tre
  xylem: there is no command 'tre'; did you mean 'tree'? (see `xylem help`)
  [2]
  $ xylem verfiy
  xylem: there is no command 'verfiy'; did you mean 'verify'? (see `xylem help`)
  [2]
  $ xylem sess
  xylem: there is no command 'sess'; did you mean 'sessions'? (see `xylem help`)
  [2]
  $ xylem LOG
  xylem: there is no command 'LOG'; did you mean 'log'? (see `xylem help`)
  [2]
  $ xylem stae
  xylem: there is no command 'stae'; did you mean 'state' or 'stat'? (see `xylem help`)
  [2]
  $ xylem ver
  xylem: there is no command 'ver'; did you mean 'verify' or 'version'? (see `xylem help`)
  [2]
  $ xylem help braches
  xylem: help: there is no command 'braches'; did you mean 'branches'? (see `xylem help`)
  [2]

Where nothing is close, nothing is named.

  $ xylem frobnicate
  xylem: there is no command 'frobnicate' (see `xylem help`)
  [2]
  $ xylem x
  xylem: there is no command 'x' (see `xylem help`)
  [2]
  $ xylem foo
  xylem: there is no command 'foo' (see `xylem help`)
  [2]
  $ xylem sessions --zzzz
  xylem: sessions: there is no option --zzzz (see `xylem sessions --help`)
  [2]
  $ long=$(head -c 299 /dev/zero | tr '\0' x)
  $ xylem $long
  xylem: there is no command 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' (see `xylem help`)
  [2]
  $ xylem log nothing-like-it
  xylem: log: there is no session and no entry 'nothing-like-it'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem log $long
  xylem: log: there is no session and no entry 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; `xylem -s store sessions` lists the sessions
  [3]

Options that are spelt alike are named.

  $ xylem log s --jsno
  xylem: log: there is no option --jsno; did you mean --json? (see `xylem log --help`)
  [2]
  $ xylem sessions --sicne=2h
  xylem: sessions: there is no option --sicne; did you mean --since? (see `xylem sessions --help`)
  [2]
  $ xylem log s --colour always
  xylem: log: there is no option --colour; did you mean --color? (see `xylem log --help`)
  [2]
  $ xylem --stor x log
  xylem: there is no option --stor; did you mean --store? (see `xylem help`)
  [2]
  $ verify

Sessions are named by their name. The time is before the entries, so that no age is more than 0.

  $ fresh 19:30
  $ add 01a1f9f7-22cb e session_info '{"name":"scenario one"}'
  $ add 01a1f9f7-99aa e session_info '{"name":"the login"}'
  $ add beef0000-1111 e session_info '{"name":""}'
  $ xylem log LOGIN
  xylem: log: there is no session and no entry 'LOGIN'; did you mean 01a1f9f7-99aa (the login, 0s)?
  [3]
  $ xylem log 'scenraio one'
  xylem: log: there is no session and no entry 'scenraio one'; did you mean 01a1f9f7-22cb (scenario one, 0s)?
  [3]
  $ verify

Sessions are named by ids that are spelt alike.

  $ fresh 19:30
  $ add 01a1f9f7-22cb e session_info '{"name":"scenario one"}'
  $ add beef0000-1111 e session_info '{}'
  $ xylem log 01a1f9f8
  xylem: log: there is no session and no entry '01a1f9f8'; did you mean 01a1f9f7-22cb (scenario one, 0s)?
  [3]
  $ xylem log baef0000-1111
  xylem: log: there is no session and no entry 'baef0000-1111'; did you mean beef0000-1111 (0s)?
  [3]
  $ xylem tree bee
  xylem: tree: there is no session and no entry 'bee' (the end of an id and a part of a name need 4 characters); did you mean beef0000-1111 (0s)?
  [3]
  $ verify

Of many sessions three are named, the closest first.

  $ fresh 19:30
  $ add s-one-1 e session_info '{"name":"login page"}'
  $ add s-two-2 e session_info '{"name":"login form"}'
  $ add s-three-3 e session_info '{"name":"login"}'
  $ add s-four-4 e session_info '{"name":"a login"}'
  $ xylem log Login
  xylem: log: there is no session and no entry 'Login'; did you mean s-three-3 (login, 0s), s-four-4 (a login, 0s) or s-two-2 (login form, 0s)?
  [3]
  $ verify

Only live sessions are named, and safely: a deleted session cannot be meant, and what a name holds does not act on the
terminal.

  $ fresh 19:30
  $ add gone-1234 e session_info '{"name":"secret plan"}'
  $ xylem delete gone-1234 --yes 2>/dev/null
  deleted session gone-1234 (secret plan, its leaf has depth 1)
  $ xylem log plan
  xylem: log: there is no session and no entry 'plan'; `xylem -s store sessions` lists the sessions
  [3]
  $ add evil-1234 e session_info '{"name":"plan \u001b[2J and a name that is far too long to be shown whole"}'
  $ xylem log Plan
  xylem: log: there is no session and no entry 'Plan'; did you mean evil-1234 (plan \\x1b[2J and a name that is\xe2\x80\xa6, 0s)? (esc)
  [3]
  $ verify

Short words name what begins so: of words of one or two characters nothing else is spelt alike.

  $ fresh 19:30
  $ add A e session_info '{}'
  $ add B e session_info '{}'
  $ add beef0000-1111 e session_info '{}'
  $ xylem log L
  xylem: log: there is no session and no entry 'L' (the end of an id and a part of a name need 4 characters)
  [3]
  $ xylem log be
  xylem: log: there is no session and no entry 'be' (the end of an id and a part of a name need 4 characters); did you mean beef0000-1111 (0s)?
  [3]
  $ xylem lo
  xylem: there is no command 'lo'; did you mean 'log'? (see `xylem help`)
  [2]
  $ xylem lg
  xylem: there is no command 'lg' (see `xylem help`)
  [2]
  $ verify

An id that cannot be pasted is not named: an id that is named is whole, and nothing in it is escaped.

  $ fresh 19:30
  $ add "$(printf 'bad\033id-1')" e session_info '{}'
  $ xylem log badid-1
  xylem: log: there is no session and no entry 'badid-1'; `xylem -s store sessions` lists the sessions
  [3]
  $ name=$(head -c 40 /dev/zero | tr '\0' '\177')$(head -c 158 /dev/zero | tr '\0' w)
  $ for number in 1 2 3; do
  >     add $number$(printf %039d 0) e session_info "{\"name\":\"${name}w\"}"
  > done
  $ xylem log "${name}W"
  xylem: log: there is no session and no entry '\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7fwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwW'; did you mean 3000000000000 (\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\xe2\x80\xa6, 0s) or 2000000000000 (\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f\xe2\x80\xa6, 0s)? (esc)
  [3]
  $ verify

Words of other programs lead to the commands that are meant, each of which there is.

  $ fresh
  $ words='find resume continue checkout rm prune history mv cp info usage cost du doctor fsck restore undo holders ps tail follow pick forks archive why'
  $ for word in $words; do xylem $word 2>&1; done | sed 's/^xylem: there is no command //; s/ (see .*//'
  'find': `xylem search TEXT` finds what was said, `xylem sessions --name TEXT` a session
  'resume': `xylem open SESSION` goes on in pi
  'continue': `xylem open SESSION` goes on in pi
  'checkout': `xylem navigate SESSION:ENTRY` moves the leaf, `xylem open SESSION:ENTRY` goes on in a fork
  'rm': `xylem delete SESSION` deletes a session, `xylem redact SESSION:ENTRY` a text
  'prune': `xylem gc` frees deleted sessions, `xylem compact` gives the room back
  'history': `xylem log` lists the entries of a session, `xylem moves` what moved its leaf
  'mv': `xylem rename SESSION NAME` names a session, `xylem open --map OLD=NEW SESSION` follows a project that moved
  'cp': `xylem clone SESSION` copies a session, `xylem backup DIRECTORY` the store
  'info': `xylem stat` shows figures of the store, `xylem show PLACE` an entry, `xylem branches PLACE` a session
  'usage': `xylem stat --usage` sums tokens and cost
  'cost': `xylem stat --usage` sums tokens and cost
  'du': `xylem stat --bytes` shows where the bytes are
  'doctor': `xylem verify` proves the store, `xylem repair NEW` saves what is sound
  'fsck': `xylem verify` proves the store, `xylem repair NEW` saves what is sound
  'restore': `xylem undelete SESSION` brings a deleted session back; of a backup, `cp -rp BACKUP NEW` (`xylem backup --help`); of a damaged store, `xylem repair NEW`
  'undo': `xylem navigate 'SESSION:@{1}'` takes a move back, `xylem undelete SESSION` a deletion
  'holders': `xylem stat --holders` lists the processes that have the store open
  'ps': `xylem stat --holders` lists the processes that have the store open
  'tail': `xylem watch SESSION` prints entries as they are committed
  'follow': `xylem watch SESSION` prints entries as they are committed, `xylem import --follow` imports while pi writes
  'pick': `xylem sessions --pick` lets you choose a session
  'forks': `xylem tree --family SESSION` draws the sessions that are related by forks
  'archive': `xylem delete --older-than TIME` puts old sessions away, `xylem export SESSION` writes a file
  'why': `xylem state --explain PLACE` says which entry decided
  $ for word in $words; do xylem $word 2>&1; done | grep -o '`xylem [a-z]*' | grep -v '`xylem help' | sort -u |
  >     while read -r program command; do xylem help $command >/dev/null || echo "there is no $command"; done
  $ for word in ls list; do xylem $word | cmp - /dev/null; done
  xylem: sessions: there are no sessions
  xylem: sessions: there are no sessions

So do options of other programs, options before the command, and arguments too many.

  $ for line in 'delete x --force' 'delete x -f' 'sessions -f' 'log x --format json' 'log x --verbose' 'tree x --verbose' \
  >     '-v' '--json sessions' '--nonsense sessions' 'sessions x' 'ls x' 'export x out.jsonl' 'verify x' \
  >     'sessions --cwd x' 'search x --directory y' 'log x --role user' 'search x --max 3' 'log x --limit 3' \
  >     'fork x --name y' 'log x --name y' '-n 3 log' '--input x' 'stat --cost' 'judge ls -la' 'judge rm x' 'judge -x' 'rename a b c' \
  >     'label a:b c d' 'delete a b' 'append a b' 'log random walk' 'clone a:one' 'help sequence x' 01a1f9f7-22cb \
  >     'log -help' '-help' 'log x -1' 'tree x -1' 'log --session x' 'sessions --session x' 'show 724ad113 01a1fa03-4f13' \
  >     'show random walk 40' 'show 01a1fa03-4f13 good' 'state x readonly' 'label mine 724ad113 good' 'show mine @~2' \
  >     'gate 01a1fa03-4f13 call.json' 'open 01a1fa03-4f13 -- --here' 'log --tool x' 'log --follow' 'undelete --yes' \
  >     'sessions --expect x' 'verify bk' 'init foo' 'gc mine' 'clone a b'; do
  >     xylem $line
  > done 2>&1 | sed 's/^xylem: //; s/ (see .*//'
  delete: there is no option --force: --yes is meant
  delete: there is no option -f: --yes is meant
  sessions: there is no option -f
  log: there is no option --format: --json is meant
  log: there is no option --verbose: --full is meant
  tree: there is no option --verbose
  there is no option -v: -V shows the version
  --json stands behind the name of a command
  there is no option --nonsense
  sessions: unexpected argument 'x': `xylem log SESSION` looks into a session, --name TEXT and --dir DIR choose from the list
  sessions: unexpected argument 'x': `xylem log SESSION` looks into a session, --name TEXT and --dir DIR choose from the list
  export: unexpected argument 'out.jsonl': one session at a time, -o FILE writes a file, --all DIRECTORY writes every session, --markdown takes two places
  verify: unexpected argument 'x': the whole store is verified, and -s DIR names another store
  sessions: there is no option --cwd: --dir is meant
  search: there is no option --directory: --dir is meant
  log: there is no option --role: --kind is meant
  search: there is no option --max: --number is meant
  log: there is no option --limit: --number is meant
  fork: there is no option --name: `xylem rename SESSION NAME` names a session
  log: there is no option --name: it is an option of sessions
  -n stands behind the name of a command
  there is no option --input
  stat: there is no option --cost: --usage is meant
  judge: there is no option -l: a text with options stands in quotes
  judge: unexpected argument 'x': a text of several words stands in quotes
  judge: there is no option -x
  rename: unexpected argument 'c': a text of several words stands in quotes
  label: unexpected argument 'd': a text of several words stands in quotes
  delete: unexpected argument 'b': one session at a time
  append: unexpected argument 'b': --data JSON gives the payload
  log: unexpected argument 'walk': a name of several words stands in quotes: 'random walk'
  clone: there is no session 'a:one'
  sequence: 'x' is not a verb of sequence
  there is no command '01a1f9f7-22cb': `xylem log 01a1f9f7-22cb` looks into a session, `xylem show 01a1f9f7-22cb` at an entry
  log: there is no option -help: --help is meant
  there is no option -help: --help is meant
  log: there is no option -1: -n N is meant
  tree: there is no option -1
  log: there is no option --session: the session stands without an option, `xylem log SESSION`
  sessions: there is no option --session; did you mean --version?
  show: a place is one word: '01a1fa03-4f13:724ad113' for an entry
  show: unexpected argument 'walk': a name of several words stands in quotes: 'random walk 40'
  show: a place is one word: '01a1fa03-4f13:good' for an entry
  state: unexpected argument 'readonly': blame tells of one piece
  label: a place is one word: 'mine:724ad113' for an entry
  show: a place is one word: 'mine:@~2' for an entry
  gate: unexpected argument 'call.json': the call comes from standard input
  open: unexpected argument '--here'
  log: there is no option --tool: it is an option of search, hook
  log: there is no option --follow: it is an option of import
  undelete: there is no option --yes: it is an option of delete, redact, gc and others
  sessions: there is no option --expect: it is an option of append, sequence
  verify: unexpected argument 'bk': the whole store is verified, and -s DIR names another store
  init: unexpected argument 'foo': -s DIR names the store
  gc: unexpected argument 'mine': `delete` takes a session away before
  clone: unexpected argument 'b': --id ID gives the new session its id

An id that would mean another session is refused, and an empty word means none.

  $ add a one note
  $ for id in . @last @last~2; do xylem fork a:one --id $id; xylem clone a --id $id; done
  xylem: fork: '.' names the session that was last active, and can be no id (see `xylem fork --help`)
  xylem: clone: '.' names the session that was last active, and can be no id (see `xylem clone --help`)
  xylem: fork: '@last' names the session that was last active, and can be no id (see `xylem fork --help`)
  xylem: clone: '@last' names the session that was last active, and can be no id (see `xylem clone --help`)
  xylem: fork: '@last~2' names the session that was last active, and can be no id (see `xylem fork --help`)
  xylem: clone: '@last~2' names the session that was last active, and can be no id (see `xylem clone --help`)
  [2]
  $ xylem fork a:one --id @lastly
  @lastly
  $ add 01a1f9f7-22cb-4444 two note
  $ xylem fork a:one --id 01a1f9f7-22cb
  xylem: fork: '01a1f9f7-22cb' names the session 01a1f9f7-22cb-4444, whose id begins so, and can be no id (see `xylem fork --help`)
  [2]
  $ xylem append 01a1f9f7 --create --kind note
  xylem: append: '01a1f9f7' names the session 01a1f9f7-22cb-4444, whose id begins so, and can be no id (see `xylem append --help`)
  [2]
  $ xylem fork a:one --id 01a1f9f7-22cb-4444
  xylem: fork: there is a session 01a1f9f7-22cb-4444 already
  [4]
  $ xylem fork a:one --id 01a1f9f7-22cb-44445
  01a1f9f7-22cb-44445
  $ xylem show ''
  xylem: show: there is no session and no entry '' (the end of an id and a part of a name need 4 characters)
  [3]

A whole id that no entry has is not taken for the beginning of one, and steps stand behind an id alone too.

  $ scenario
  $ xylem show 9266779c
  xylem: show: there is no session and no entry '9266779c'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem show 926677
  xylem: show: there is no session and no entry '926677'; an entry by less than its whole id stands behind its session: 'SESSION:926677'
  [3]
  $ xylem log @LAST
  xylem: log: there is no session and no entry '@LAST'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem log 3dc585ab~1 -n 1
  8  5b8612f6  2026-11-20 17:18:05  assistant   echo: branch B question
  $ xylem log 3dc585ab^1
  1  b8ef64c6  2026-11-20 17:18:05  session_info  scenario one
  $ xylem log 3dc585ab~100
  xylem: log: there is no entry '3dc585ab~100': '3dc585ab' has depth 9
  [3]
  $ xylem log 9266779c~1
  xylem: log: there is no session and no entry '9266779c~1'; `xylem -s store sessions` lists the sessions
  [3]
  $ for place in 01a1f9f7-22cb@~3 01a1f9f7-22cb/3dc585ab 01a1f9f7-22cb~3 a/b; do xylem show $place; done
  xylem: show: an entry stands behind a ':': '01a1f9f7-22cb:@~3' (see `xylem show --help`)
  xylem: show: an entry stands behind a ':': '01a1f9f7-22cb:3dc585ab' (see `xylem show --help`)
  xylem: show: an entry stands behind a ':': '01a1f9f7-22cb:@~3' (see `xylem show --help`)
  xylem: show: there is no session and no entry 'a/b' (the end of an id and a part of a name need 4 characters)
  [3]
  $ xylem log $SCENARIO_ID -3
  xylem: log: there is no option -3: -n N is meant (see `xylem log --help`)
  [2]
  $ xylem log $SCENARIO_ID -k User -k assistants
  xylem: log: no entry of the path is of the kind or role 'User'; did you mean 'user'?
  xylem: log: no entry of the path is of the kind or role 'assistants'; did you mean 'assistant'?
  $ xylem open 'words that somebody said'
  xylem: open: there is no session 'words that somebody said'; `search` finds what was said
  [3]

A beginning counts only if it is a good part of the word.

  $ xylem log --all
  xylem: log: there is no option --all: it is an option of sessions, tree, diff and others (see `xylem log --help`)
  [2]

The line to paste has all that was typed.

  $ xylem label 3dc585ab 'some words'
  xylem: label: '3dc585ab' is an entry, and label needs the session too: `xylem label 01a1f9f7-22cb-72e7-96e0-96825857127f:3dc585ab 'some words'`
  [2]
  $ xylem open 3dc585ab --here
  xylem: open: '3dc585ab' is an entry, and open needs the session too: `xylem open 01a1f9f7-22cb-72e7-96e0-96825857127f:3dc585ab --here`
  [2]
  $ xylem show 01a1f9f7-22cb@3dc585ab
  xylem: show: an entry stands behind a ':': '01a1f9f7-22cb:3dc585ab' (see `xylem show --help`)
  [2]
