xylem help: of the program and of every command, for people and for programs.

  $ . "$TESTDIR/setup.sh"
  $ commands=$(cd "$root/cli" && ls cmd_*.c | sed 's/^cmd_\(.*\)\.c$/\1/')

Help is as expected.

  $ fresh
  $ COLUMNS=100 xylem help | grep -vE '^  (fleet|mcp) '
  usage: xylem COMMAND [OPTION...] [ARGUMENT...]
  
  Keeps the sessions of coding agents, branch by branch, and brings their state back.
  
  find, and go on:
    import      Import session files of pi, or the lines added since the last import
    sessions    List the sessions, the last active first
    search      Find what was said, in all sessions
    open        Go on with a session in pi
  
  look into a session:
    log         List the entries of a path, newest first
    show        Show one entry and its payload
    tree        Draw a session's entries as a tree, or the sessions forked from it
    diff        Compare two entries: common entries, added entries, states
    state       Show the state that comes back at an entry, and why
    branches    List the tips of a session's branches, newest first
    blame       List the entries at which a piece of state changed
    files       List the files that a session read and wrote
    watch       Print the entries of a session, or of the store, as they are committed
  
  change:
    fork        Fork a session at an entry, or before it; nothing is copied
    delete      Mark a session as deleted
    secrets     List where keys and passwords of known forms are
    redact      Remove an entry's text, or all text that matches, from the store
    label       Set or remove the label of an entry
    rename      Give a session a name
    navigate    Move a session's leaf to another entry, or to none
    clone       Fork a session at its leaf; nothing is copied
    append      Append an entry to a session
    undelete    Bring a deleted session back
    gc          Free deleted sessions for good
    sequence    List, check, save and run recorded sequences of steps
  
  keep:
    export      Write a session as a session file of pi, or as a page
    bundle      Write sessions as one file for another store
    unbundle    Take the sessions of a bundle into the store
    backup      Copy the store beside live writers, and verify the copy
    verify      Check the whole store, and report every problem
    compact     Make the store's file smaller: give back unused room
    repair      Save all that can be read of a damaged store into a new store
    judge       Say what a policy answers to a shell command
  
  for hosts and scripts:
    init        Make an empty store
    stat        Show figures of the store, what sessions cost, and who has it open
    moves       List the navigations of a session, newest first
    quarantine  List the lines that imports could not place, or print a line
    lease       Show the owner of a session's lease, or break the lease
    gate        Say whether a tool call may go on while readonly is on
    hook        Answer an agent host's hook: approve reading commands, or enforce a policy
    help        Show help on the program or on a command
    version     Show the version
    complete    List completions of a command line, for shells
  
  options of every command:
    -s, --store DIR         the store's directory
        --color WHEN        auto (on a terminal), always or never
        --no-pager          do not start a pager
        --no-lock           read without locks, while nobody writes to the store
        --allow-network-fs  use a store on a network file system
        --wait SECONDS      wait at most this long for another writer (default: 10)
    -h, --help              show this help
    -V, --version           show the version
  
  PLACE is SESSION (its leaf), SESSION:ENTRY, :ENTRY of the default session, or the whole id of an
    entry.
  SESSION is an id or its beginning (8 characters), a name, a file, @last, @last~2, . (of this
    directory), or, to look, the end of an id or a part of a name (4 characters).
  ENTRY is an id or its beginning, a label, @ (the leaf), @{2} (the leaf before its last two moves) or
    none; @~3 is three entries before the leaf, @^17 the entry of depth 17, and ~3 and ^17 also stand
    behind an id.
  The default is the session of this directory that was last active.
  
  Without --store, the store is $XYLEM_STORE, else $XDG_DATA_HOME/xylem, else ~/.local/share/xylem.
  
  `xylem help COMMAND` shows a command's options; `man xylem-COMMAND` also describes the output.
  
  exit codes:
    0    done
    1    a problem was found, or a difference
    2    the command line is wrong, or data is refused
    3    there is no such store, session, entry or file
    4    conflict: taken, ambiguous, changed by another, or busy
    5    the store is damaged
    6    input or output failed; no permission, space or memory
    7    the store is newer or older than this program
    8    a policy wants a person to be asked
    130  interrupted
  $ xylem help >said
  $ xylem --help | cmp - said
  $ xylem help hook
  usage: xylem hook permission-request|pre-tool-use
                    [--enforce readonly|confirm [--tool NAME=EFFECT]...]
                    [--config FILE] [--protocol documented|seed]
  
  Answer an agent host's hook: approve reading commands, or enforce a policy.
  
  Reads the host's question from standard input, and approves a command that the
  strict policy allows. On any other command prints nothing, and the host asks its
  user. Exit codes: 0, or 1 if the command line is wrong or the answer cannot be
  written; never 2, because 2 would forbid the command.
  
  With --enforce nothing is approved: readonly denies a command, or confirm has
  the host ask its user. The commands of Bash and Monitor are judged, PowerShell
  is refused, and readonly denies Write, Edit, MultiEdit, NotebookEdit and
  apply_patch too. Every other tool goes on unless --tool names the tool; of
  several names the longest counts. The exit code is 2, which forbids the tool, if
  the hook cannot judge, the command line is wrong, or the answer cannot be
  written.
  
  options:
        --config FILE       the policy's options, as JSON (default without
                            --enforce: xylem/policy.json in the configuration
                            directory)
        --protocol PROTOCOL
                            the form of an approval: documented (default), or seed
        --enforce POLICY    deny what readonly denies, or ask about what confirm
                            asks about; approve nothing
    -t, --tool NAME=EFFECT  with --enforce: the tool NAME writes (write), runs its
                            command (shell) or only reads (read); NAME* stands for
                            all tools that begin so (may be repeated)
  
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
  $ xylem state --help
  usage: xylem state [PLACE] [--event EVENT] [--flag-readonly] [--flag-fallback]
                     [--previous-readonly on|off] [--every] [--explain] [--scan]
                     [--tool-results] [--redact-secrets]
                     [--redact-pattern TEXT|--redact-pattern-file FILE]
                     [--json|--jsonl]
  
  Show the state that comes back at an entry, and why.
  
  options:
        --event EVENT       what the host does: start a session (startup, reload,
                            new, resume, fork; default: resume), or session_tree
                            or toggled
        --flag-readonly     the host was started with --readonly
        --flag-fallback     the flag counts only if the path has no toggle
        --previous-readonly STATE
                            readonly before a session_tree or toggled: on or off
        --every             print the state at every entry of the session, oldest
                            first; needs --jsonl or --json
        --explain           also show the entries that decided and why, every step
                            and item, and the cost of reading
        --scan              read every entry of the path: the same answer at a
                            higher cost
        --tool-results      also take todo lists from results of the tool todo;
                            reads every message
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
  
  PLACE is SESSION (its leaf), SESSION:ENTRY, :ENTRY of the default session, or
    the whole id of an entry.
  SESSION is an id or its beginning (8 characters), a name, a file, @last,
    @last~2, . (of this directory), or, to look, the end of an id or a part of a
    name (4 characters).
  ENTRY is an id or its beginning, a label, @ (the leaf), @{2} (the leaf before
    its last two moves) or none; @~3 is three entries before the leaf, @^17 the
    entry of depth 17, and ~3 and ^17 also stand behind an id.
  The default is the session of this directory that was last active.

Every command has help, in three forms that say the same.

  $ for command in $commands; do
  >     xylem $command --help >said
  >     head -n 1 said | grep -q "^usage: xylem $command" && grep -q -e '--store DIR' said || echo "$command has no help"
  >     xylem help $command | cmp - said
  >     xylem $command -h | cmp - said
  > done

Help lists every command.

  $ for command in $commands; do xylem help | grep -q "^  $command " || echo "$command is not listed"; done

Help lines fit a terminal. Lines of more than 100 cells are hard to read, and there are none.

  $ for columns in 40 60 80; do
  >     for command in '' $commands; do
  >         COLUMNS=$columns xylem help $command | grep ".\{$((columns + 1))\}"
  >     done
  > done
  [1]
  $ COLUMNS=120 xylem help sessions | grep '.\{101\}'
  [1]

Help is there for programs.

  $ xylem help delete --json
  {"schema":1,"command":"delete","summary":"Mark a session as deleted","usage":"SESSION|--file-gone|--older-than TIME [--keep-labelled] [--yes] [--dry-run] [--json]","details":"`xylem undelete` brings the session back until `xylem gc` frees deleted sessions. Until then the id stays\ntaken. Entries that other sessions share stay in any case. Asks first on a terminal; elsewhere --yes is\nneeded. A session whose import has not finished must be named by its whole id.\n\n--file-gone deletes every session that `xylem sessions --file-gone` lists. Sessions that another process\nowns stay, and the exit code is 4.\n\n--older-than deletes every session whose last activity was before TIME. The last activity is the newest of\nthe creation, the leaf, the tips and the last navigation. Sessions that another process owns stay and are\ncounted, and the exit code is 0. The ledgers of runs stay.\n","options":[{"name":"yes","letter":"y","argument":null,"choices":null,"help":"do not ask","global":false},{"name":"dry-run","letter":null,"argument":null,"choices":null,"help":"only say what would be deleted","global":false},{"name":"file-gone","letter":null,"argument":null,"choices":null,"help":"delete every session whose session file is gone","global":false},{"name":"older-than","letter":null,"argument":"TIME","choices":null,"help":"delete every session that was last active before TIME: 90d, 1y, 2026-11-20","global":false},{"name":"keep-labelled","letter":null,"argument":null,"choices":null,"help":"with --older-than: leave the sessions that have a label","global":false},{"name":"json","letter":null,"argument":null,"choices":null,"help":"print one JSON document","global":false},{"name":"store","letter":"s","argument":"DIR","choices":null,"help":"the store's directory","global":true},{"name":"color","letter":null,"argument":"WHEN","choices":["auto","always","never"],"help":"auto (on a terminal), always or never","global":true},{"name":"no-pager","letter":null,"argument":null,"choices":null,"help":"do not start a pager","global":true},{"name":"no-lock","letter":null,"argument":null,"choices":null,"help":"read without locks, while nobody writes to the store","global":true},{"name":"allow-network-fs","letter":null,"argument":null,"choices":null,"help":"use a store on a network file system","global":true},{"name":"wait","letter":null,"argument":"SECONDS","choices":null,"help":"wait at most this long for another writer (default: 10)","global":true},{"name":"help","letter":"h","argument":null,"choices":null,"help":"show this help","global":true},{"name":"version","letter":"V","argument":null,"choices":null,"help":"show the version","global":true}]}
  $ xylem help delete --json >one
  $ xylem help delete --jsonl | cmp - one
  $ xylem help --jsonl | grep -cFx -f one
  1
  $ xylem help --jsonl | grep -o '^{"schema":1,"command":"[^"]*"' | sed 's/.*:"//; s/"//' | sort >listed
  $ echo "$commands" | sort | cmp - listed
  $ xylem help --json | head -c 43
  {"schema":1,"commands":[{"command":"import" (no-eol)

A usage for programs is one line. For people the usage is broken into lines for the terminal, between options.

  $ xylem help state --json | grep -o '\[--flag-fallback\] \[--previous-readonly on|off\]'
  [--flag-fallback] [--previous-readonly on|off]
  $ xylem help state
  usage: xylem state [PLACE] [--event EVENT] [--flag-readonly] [--flag-fallback]
                     [--previous-readonly on|off] [--every] [--explain] [--scan]
                     [--tool-results] [--redact-secrets]
                     [--redact-pattern TEXT|--redact-pattern-file FILE]
                     [--json|--jsonl]
  
  Show the state that comes back at an entry, and why.
  
  options:
        --event EVENT       what the host does: start a session (startup, reload,
                            new, resume, fork; default: resume), or session_tree
                            or toggled
        --flag-readonly     the host was started with --readonly
        --flag-fallback     the flag counts only if the path has no toggle
        --previous-readonly STATE
                            readonly before a session_tree or toggled: on or off
        --every             print the state at every entry of the session, oldest
                            first; needs --jsonl or --json
        --explain           also show the entries that decided and why, every step
                            and item, and the cost of reading
        --scan              read every entry of the path: the same answer at a
                            higher cost
        --tool-results      also take todo lists from results of the tool todo;
                            reads every message
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
  
  PLACE is SESSION (its leaf), SESSION:ENTRY, :ENTRY of the default session, or
    the whole id of an entry.
  SESSION is an id or its beginning (8 characters), a name, a file, @last,
    @last~2, . (of this directory), or, to look, the end of an id or a part of a
    name (4 characters).
  ENTRY is an id or its beginning, a label, @ (the leaf), @{2} (the leaf before
    its last two moves) or none; @~3 is three entries before the leaf, @^17 the
    entry of depth 17, and ~3 and ^17 also stand behind an id.
  The default is the session of this directory that was last active.
  $ COLUMNS=100 xylem help state
  usage: xylem state [PLACE] [--event EVENT] [--flag-readonly] [--flag-fallback]
                     [--previous-readonly on|off] [--every] [--explain] [--scan] [--tool-results]
                     [--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file FILE]
                     [--json|--jsonl]
  
  Show the state that comes back at an entry, and why.
  
  options:
        --event EVENT       what the host does: start a session (startup, reload, new, resume, fork;
                            default: resume), or session_tree or toggled
        --flag-readonly     the host was started with --readonly
        --flag-fallback     the flag counts only if the path has no toggle
        --previous-readonly STATE
                            readonly before a session_tree or toggled: on or off
        --every             print the state at every entry of the session, oldest first; needs --jsonl
                            or --json
        --explain           also show the entries that decided and why, every step and item, and the
                            cost of reading
        --scan              read every entry of the path: the same answer at a higher cost
        --tool-results      also take todo lists from results of the tool todo; reads every message
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
  
  PLACE is SESSION (its leaf), SESSION:ENTRY, :ENTRY of the default session, or the whole id of an
    entry.
  SESSION is an id or its beginning (8 characters), a name, a file, @last, @last~2, . (of this
    directory), or, to look, the end of an id or a part of a name (4 characters).
  ENTRY is an id or its beginning, a label, @ (the leaf), @{2} (the leaf before its last two moves) or
    none; @~3 is three entries before the leaf, @^17 the entry of depth 17, and ~3 and ^17 also stand
    behind an id.
  The default is the session of this directory that was last active.
  $ xylem state
  xylem: state: no session of */help.t/1; the store has no session: `xylem -s store import` reads pi's sessions (glob)
  [3]
  $ verify
