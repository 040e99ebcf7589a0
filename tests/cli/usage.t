The command line: options, and what is no command or option.

  $ . "$TESTDIR/setup.sh"

What time it is can be set.

  $ fresh
  $ XYLEM_NOW=yesterday xylem version
  xylem: version: XYLEM_NOW is 'yesterday': expected a time like 2026-11-20T17:18:05Z (see `xylem version --help`)
  [2]
  $ XYLEM_NOW=2026-11-20T19:30:00Z xylem version
  xylem 0.1.0

Wrong command lines exit with 2.

  $ xylem
  usage: xylem COMMAND [OPTION...] [ARGUMENT...]
  
  Keeps the sessions of coding agents, branch by branch, and brings their state
  back.
  
  find, and go on:
    import      Import session files of pi, or the lines added since the last
                import
    sessions    List the sessions, the last active first
    search      Find what was said, in all sessions
    open        Go on with a session in pi
  
  look into a session:
    log         List the entries of a path, newest first
    show        Show one entry and its payload
    tree        Draw a session's entries as a tree, or the sessions forked from it
    diff        Compare two entries: common entries, added entries, states
    state       Show the state that comes back at an entry, and why
  
  change:
    fork        Fork a session at an entry, or before it; nothing is copied
    delete      Mark a session as deleted
    redact      Remove an entry's text, or all text that matches, from the store
  
  keep:
    export      Write a session as a session file of pi, or as a page
    backup      Copy the store beside live writers, and verify the copy
    verify      Check the whole store, and report every problem
  
  PLACE is SESSION (its leaf), SESSION:ENTRY, :ENTRY of the default session, or
    the whole id of an entry.
  SESSION is an id or its beginning (8 characters), a name, a file, @last,
    @last~2, . (of this directory), or, to look, the end of an id or a part of a
    name (4 characters).
  ENTRY is an id or its beginning, a label, @ (the leaf), @{2} (the leaf before
    its last two moves) or none; @~3 is three entries before the leaf, @^17 the
    entry of depth 17, and ~3 and ^17 also stand behind an id.
  The default is the session of this directory that was last active.
  
  `xylem help` lists all commands, `xylem COMMAND --help` the options of a
  command.
  [2]
  $ xylem grow
  xylem: there is no command 'grow' (see `xylem help`)
  [2]
  $ xylem help grow
  xylem: help: there is no command 'grow' (see `xylem help`)
  [2]
  $ xylem --grow
  xylem: there is no option --grow (see `xylem help`)
  [2]
  $ xylem log s --grow
  xylem: log: there is no option --grow (see `xylem log --help`)
  [2]
  $ xylem log s -z
  xylem: log: there is no option -z (see `xylem log --help`)
  [2]
  $ xylem log
  xylem: log: no session of */usage.t/1; the store has no session: `xylem -s store import` reads pi's sessions (glob)
  [3]
  $ xylem log a b
  xylem: log: unexpected argument 'b': a name of several words stands in quotes: 'a b' (see `xylem log --help`)
  [2]
  $ xylem init x
  xylem: init: unexpected argument 'x': -s DIR names the store (see `xylem init --help`)
  [2]
  $ xylem import
  xylem: import: no FILE is given, and neither PI_CODING_AGENT_DIR nor HOME names pi's directory (see `xylem import --help`)
  [2]
  $ xylem export
  xylem: export: no session of */usage.t/1; the store has no session: `xylem -s store import` reads pi's sessions (glob)
  [3]
  $ xylem tree
  xylem: tree: no session of */usage.t/1; the store has no session: `xylem -s store import` reads pi's sessions (glob)
  [3]
  $ xylem show
  xylem: show: no session of */usage.t/1; the store has no session: `xylem -s store import` reads pi's sessions (glob)
  [3]
  $ xylem show s:e --json --raw
  xylem: show: --raw cannot be combined with --json or --jsonl (see `xylem show --help`)
  [2]
  $ xylem state
  xylem: state: no session of */usage.t/1; the store has no session: `xylem -s store import` reads pi's sessions (glob)
  [3]
  $ xylem state s --event start
  xylem: state: --event takes startup, reload, new, resume, fork, session_tree or toggled, not 'start' (see `xylem state --help`)
  [2]
  $ xylem state s --reason why
  xylem: state: there is no option --reason: it is an option of redact, navigate (see `xylem state --help`)
  [2]
  $ xylem state s --previous-readonly yes
  xylem: state: --previous-readonly takes on or off, not 'yes' (see `xylem state --help`)
  [2]
  $ xylem state s --every
  xylem: state: --every needs --jsonl or --json (see `xylem state --help`)
  [2]
  $ xylem state s:@ --every --jsonl
  xylem: state: there is no session and no entry 's:@' (the end of an id and a part of a name need 4 characters)
  [3]
  $ xylem blame
  xylem: blame: no session of */usage.t/1; the store has no session: `xylem -s store import` reads pi's sessions (glob)
  [3]
  $ xylem blame s redonly
  xylem: blame: WHAT is readonly, nudge, sequence, todo or mark, not 'redonly'; did you mean 'readonly'? (see `xylem blame --help`)
  [2]
  $ xylem blame readonly s
  xylem: blame: WHAT is readonly, nudge, sequence, todo or mark, not 's' (see `xylem blame --help`)
  [2]
  $ xylem moves
  xylem: moves: an argument is missing: xylem moves SESSION (see `xylem moves --help`)
  [2]
  $ xylem moves s -n x
  xylem: moves: --number takes a number, not 'x' (see `xylem moves --help`)
  [2]
  $ xylem append
  xylem: append: an argument is missing: xylem append SESSION --kind KIND (see `xylem append --help`)
  [2]
  $ xylem append s
  xylem: append: --kind is missing: a kind of the host such as message, or custom:NAME (see `xylem append --help`)
  [2]
  $ xylem append s --kind
  xylem: append: --kind needs a value: KIND (see `xylem append --help`)
  [2]
  $ xylem append s --kind k --id=
  xylem: append: an id has 1 to 64 bytes (see `xylem append --help`)
  [2]
  $ xylem navigate s
  xylem: navigate: there is no session 's'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem branches
  xylem: branches: no session of */usage.t/1; the store has no session: `xylem -s store import` reads pi's sessions (glob)
  [3]
  $ xylem fork s
  xylem: fork: there is no session 's'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem fork s:e --id=
  xylem: fork: a session id has 1 to 200 bytes (see `xylem fork --help`)
  [2]
  $ xylem clone
  xylem: clone: an argument is missing: xylem clone SESSION (see `xylem clone --help`)
  [2]
  $ xylem delete
  xylem: delete: an argument is missing: xylem delete SESSION (see `xylem delete --help`)
  [2]
  $ xylem delete s
  xylem: delete: there is no session 's'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem repair
  xylem: repair: an argument is missing: xylem repair NEW-DIRECTORY (see `xylem repair --help`)
  [2]
  $ xylem repair a b
  xylem: repair: unexpected argument 'b' (see `xylem repair --help`)
  [2]
  $ xylem verify s
  xylem: verify: unexpected argument 's': the whole store is verified, and -s DIR names another store (see `xylem verify --help`)
  [2]
  $ xylem stat s
  xylem: stat: SESSION, --by, --since and --until go with --usage or --bytes (see `xylem stat --help`)
  [2]
  $ xylem backup
  xylem: backup: an argument is missing: xylem backup DIRECTORY (see `xylem backup --help`)
  [2]
  $ xylem backup a b
  xylem: backup: unexpected argument 'b' (see `xylem backup --help`)
  [2]
  $ xylem compact s --yes
  xylem: compact: unexpected argument 's': -s DIR names the store (see `xylem compact --help`)
  [2]
  $ xylem compact
  xylem: compact: standard input is not a terminal: give --yes (nothing was done) (see `xylem compact --help`)
  [2]
  $ xylem sessions s
  xylem: sessions: unexpected argument 's': `xylem log SESSION` looks into a session, --name TEXT and --dir DIR choose from the list (see `xylem sessions --help`)
  [2]
  $ xylem quarantine --line 1 --raw
  xylem: quarantine: expected a session and a line: xylem quarantine SESSION --line N --raw (see `xylem quarantine --help`)
  [2]
  $ xylem lease
  usage: xylem lease status|break [SESSION] [--json|--jsonl] [--yes] [--dry-run]
  
  Show the owner of a session's lease, or break the lease.
  
  A program can take the lease of a session. Then only that program may change the
  session, until the program gives the lease back or ends. `status` shows the
  owner of SESSION, or every owner. `break` ends the lease of SESSION, even if the
  owner hangs; that owner can then change nothing more. `break` asks first on a
  terminal; elsewhere --yes is needed.
  
  options:
        --json              print one JSON document
        --jsonl             print one JSON document a line
    -y, --yes               break: do not ask
        --dry-run           break: only say what would be broken
  
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
  
  SESSION is an id or its beginning (8 characters), a name, a file, @last,
    @last~2, . (of this directory), or, to look, the end of an id or a part of a
    name (4 characters).
  [2]
  $ xylem lease end
  xylem: lease: 'end': expected `status` or `break` (see `xylem lease --help`)
  [2]
  $ xylem lease break
  xylem: lease: an argument is missing: xylem lease break SESSION (see `xylem lease --help`)
  [2]
  $ xylem lease break s
  xylem: lease: there is no session 's' (the end of an id and a part of a name need 4 characters)
  [3]
  $ xylem lease break s --json
  xylem: lease: there is no session 's' (the end of an id and a part of a name need 4 characters)
  [3]
  $ xylem lease status --yes
  xylem: lease: --yes and --dry-run are for `lease break` (see `xylem lease --help`)
  [2]
  $ xylem lease status --dry-run
  xylem: lease: --yes and --dry-run are for `lease break` (see `xylem lease --help`)
  [2]
  $ xylem quarantine s --jsonl --line 1 --raw
  xylem: quarantine: --raw cannot be combined with --json or --jsonl (see `xylem quarantine --help`)
  [2]
  $ xylem quarantine s --json --line 1 --raw
  xylem: quarantine: --raw cannot be combined with --json or --jsonl (see `xylem quarantine --help`)
  [2]
  $ xylem quarantine s --line x --raw
  xylem: quarantine: --line takes a number, not 'x' (see `xylem quarantine --help`)
  [2]
  $ xylem version x
  xylem: version: unexpected argument 'x' (see `xylem version --help`)
  [2]
  $ xylem log s -n -1
  xylem: log: --number takes a number, not '-1' (see `xylem log --help`)
  [2]
  $ xylem log s -n 18446744073709551616
  xylem: log: --number takes a number below 2^64, not '18446744073709551616' (see `xylem log --help`)
  [2]
  $ xylem log s --jsonl=yes
  xylem: log: --jsonl takes no value (see `xylem log --help`)
  [2]
  $ xylem log s --color=pink
  xylem: log: --color takes auto, always or never, not 'pink' (see `xylem log --help`)
  [2]
  $ xylem --store
  xylem: --store needs a value: DIR (see `xylem help`)
  [2]
  $ xylem sessions --store=
  xylem: sessions: --store needs the name of a directory (see `xylem sessions --help`)
  [2]
  $ xylem log s -s
  xylem: log: -s needs a value: DIR (see `xylem log --help`)
  [2]

The error stands on standard error, and nothing on standard output.

  $ xylem log s -z 2>/dev/null
  [2]

The two forms for programs exclude each other.

  $ for line in 'repair d' sessions 'log s' 'tree s' 'branches s' 'quarantine s' 'state s' 'show s:e' stat verify \
  >     version help 'blame s readonly' 'moves s'; do
  >     xylem $line --json --jsonl || echo $?
  > done
  xylem: repair: --json and --jsonl cannot be combined (see `xylem repair --help`)
  2
  xylem: sessions: --json and --jsonl cannot be combined (see `xylem sessions --help`)
  2
  xylem: log: --json and --jsonl cannot be combined (see `xylem log --help`)
  2
  xylem: tree: --json and --jsonl cannot be combined (see `xylem tree --help`)
  2
  xylem: branches: --json and --jsonl cannot be combined (see `xylem branches --help`)
  2
  xylem: quarantine: --json and --jsonl cannot be combined (see `xylem quarantine --help`)
  2
  xylem: state: --json and --jsonl cannot be combined (see `xylem state --help`)
  2
  xylem: show: --json and --jsonl cannot be combined (see `xylem show --help`)
  2
  xylem: stat: --json and --jsonl cannot be combined (see `xylem stat --help`)
  2
  xylem: verify: --json and --jsonl cannot be combined (see `xylem verify --help`)
  2
  xylem: version: --json and --jsonl cannot be combined (see `xylem version --help`)
  2
  xylem: help: --json and --jsonl cannot be combined (see `xylem help`)
  2
  xylem: blame: --json and --jsonl cannot be combined (see `xylem blame --help`)
  2
  xylem: moves: --json and --jsonl cannot be combined (see `xylem moves --help`)
  2

The store is named before or behind the verb.

  $ fresh
  $ xylem -s other init
  other is a new xylem store
  $ xylem init --store other
  other is a xylem store already
  $ xylem -s other append only-here --kind note --create --id e
  e
  $ xylem log only-here -s other | wc -l
  1
  $ xylem log only-here
  xylem: log: there is no session and no entry 'only-here'; `xylem -s store sessions` lists the sessions
  [3]
  $ verify

Options take their values in every form.

  $ fresh
  $ add s a note
  $ add s b note
  $ xylem log s -n 1 >first
  $ cat first
  2  b  *  note        <leaf> (glob)
  $ for line in '-n1 s' '-n 1 s' 's --number 1' 's --number=1' '--color never s -n 1' '-n 3 -n 1 -- s'; do
  >     xylem log $line | cmp - first
  > done
  $ xylem --no-pager log s -n 1 | cmp - first
  $ verify

An argument behind two dashes is no option.

  $ fresh
  $ xylem append --kind note --create --id e -- -dashed
  e
  $ xylem log -- -dashed | wc -l
  1
  $ xylem log -dashed
  xylem: log: there is no option -d (see `xylem log --help`)
  [2]
  $ verify
