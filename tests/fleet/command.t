xylem fleet: what needs no server. Skipped where the program was not built.

  $ . "$TESTDIR/../cli/setup.sh"
  $ [ -x "${program%/*}/xylem-fleet" ] || exit 80
  $ unset XYLEM_FLEET XDG_CONFIG_HOME
  $ export HOME=$PWD/home
  $ mkdir -p home/.config/xylem

The program is found beside xylem, and its help is as that of other commands.

  $ fresh
  $ xylem fleet | head -n 3
  usage: xylem fleet VERB [OPTION...] [ARGUMENT...]
  
  Share sessions between machines, on PostgreSQL.
  $ xylem fleet >/dev/null
  [2]
  $ xylem fleet ship --help | sed -n 1,3p
  usage: xylem fleet ship [SESSION...] [--dir DIR]... [--all]
                          [--except SESSION]... [--follow] [--sync] [--dry-run]
                          [--json] [--allow-single]
  $ xylem help | grep -c '^  fleet '
  1
  $ xylem help fleet status | head -n 1
  usage: xylem fleet status [--json]
  $ "${program%/*}/xylem-fleet" status --help | head -n 1
  usage: xylem fleet status [--json]
  $ xylem help fleet release --json | grep -o '"usage":"[^"]*"'
  "usage":"SESSION [--json] [--allow-single]"

Shells complete verbs, options and sessions of the store.

  $ xylem complete -- fleet re | cut -f 1
  resume
  release
  redact
  restore
  $ xylem complete -- fleet ship --f | cut -f 1
  --follow
  $ add one a note
  $ xylem complete -- fleet ship '' | cut -f 1
  one

A wrong command line is refused before anybody is asked.

  $ xylem fleet shipp
  xylem: fleet: 'shipp' is not a verb of fleet; did you mean 'ship'? (see `xylem fleet --help`)
  [2]
  $ xylem fleet resume
  xylem: fleet resume: an argument is missing: xylem fleet resume ID (see `xylem fleet resume --help`)
  [2]
  $ xylem fleet pull
  xylem: fleet pull: nothing says which sessions come: `xylem fleet sessions` lists the ids, --all takes every session (see `xylem fleet pull --help`)
  [2]
  $ xylem fleet pull --all --head-only --follow
  xylem: fleet pull: --head-only and --follow cannot be combined (see `xylem fleet pull --help`)
  [2]
  $ xylem fleet sessions --here --dir .
  xylem: fleet sessions: --here and --dir cannot be combined (see `xylem fleet sessions --help`)
  [2]
  $ xylem fleet redact
  xylem: fleet redact: `xylem redact SESSION:ENTRY` redacts, and `xylem fleet ship` brings the redaction to the fleet; --finish then removes the text from the engine's files (see `xylem fleet redact --help`)
  [2]

Without a fleet the error says how to name one.

  $ xylem fleet status
  xylem: fleet status: no fleet is named: set XYLEM_FLEET, or write the line `url postgresql://n1,n2,n3/xylem` to */home/.config/xylem/fleet (glob)
  [3]
  $ echo 'url postgresql://me:secret@n1/xylem' > $HOME/.config/xylem/fleet
  $ xylem fleet status
  xylem: fleet status: */home/.config/xylem/fleet:1: the URL holds a password; write the password to ~/.pgpass instead, which only you may read (chmod 600) (glob)
  [2]
  $ XYLEM_FLEET='postgresql://n1/xylem?passwor%64=secret' xylem fleet status 2>&1 | grep -c secret
  0
  [1]
  $ echo 'directory work' > $HOME/.config/xylem/fleet
  $ xylem fleet ship --dry-run
  xylem: fleet ship: */home/.config/xylem/fleet:1: directory takes a path that begins with / or ~/ (glob)
  [2]
  $ rm $HOME/.config/xylem/fleet

An archive is verified without a fleet.

  $ xylem fleet verify
  xylem: fleet verify: no fleet is named: * (glob)
  [3]
  $ xylem fleet verify --archive none
  xylem: fleet verify: *none* (glob)
  [3]

An engine that cannot be reached is an error with its reason.

  $ XYLEM_FLEET=postgresql://127.0.0.1:1/xylem xylem fleet sessions >out 2>&1
  [6]
  $ grep -c '127.0.0.1:1' out
  1

Nothing goes without a choice.

  $ family
  $ xylem fleet ship --dry-run
  xylem: fleet ship: nothing says which sessions go: name sessions, or --dir DIR, or --all, or write lines `directory DIR` to */home/.config/xylem/fleet; --dry-run shows what would go (see `xylem fleet ship --help`) (glob)
  [2]
  $ xylem fleet ship --all source --dry-run
  xylem: fleet ship: --all names every session: give neither sessions nor --dir (see `xylem fleet ship --help`)
  [2]
  $ xylem fleet ship --all --dry-run
  SESSION  CHANGES  BEFORE  DIRECTORY  WHAT
  source         5  no      -          goes
  fork-1         1  no      -          goes
  alone          2  no      -          goes
  3 sessions would go; nothing was sent
  $ xylem fleet ship --all --dry-run --json
  {"schema":1,"sessions":[{"session":"source","changes":5,"shipped_before":false,"cwd":null,"goes":true,"reason":null},{"session":"fork-1","changes":1,"shipped_before":false,"cwd":null,"goes":true,"reason":null},{"session":"alone","changes":2,"shipped_before":false,"cwd":null,"goes":true,"reason":null}]}

A fork goes with its source, and a session that is held back holds its forks back.

  $ xylem fleet ship --dry-run fork-1
  SESSION  CHANGES  BEFORE  DIRECTORY  WHAT
  source         5  no      -          goes
  fork-1         1  no      -          goes
  2 sessions would go; nothing was sent
  $ xylem fleet ship --dry-run fork-1 --except source
  SESSION  CHANGES  BEFORE  DIRECTORY  WHAT
  source         5  no      -          held: --except, or `except` of the configuration, holds it back
  fork-1         1  no      -          held: it is a fork of a session that is held back
  0 sessions would go; nothing was sent
  $ xylem fleet ship --dry-run --all --except source
  SESSION  CHANGES  BEFORE  DIRECTORY  WHAT
  source         5  no      -          held: --except, or `except` of the configuration, holds it back
  fork-1         1  no      -          held: it is a fork of a session that is held back
  alone          2  no      -          goes
  1 session would go; nothing was sent
  $ xylem fleet ship --dry-run --all --except fork-1
  SESSION  CHANGES  BEFORE  DIRECTORY  WHAT
  source         5  no      -          goes
  fork-1         1  no      -          held: --except, or `except` of the configuration, holds it back
  alone          2  no      -          goes
  2 sessions would go; nothing was sent

So do lines of the configuration; a directory there chooses its sessions.

  $ printf 'except source\n' > $HOME/.config/xylem/fleet
  $ xylem fleet ship --dry-run --all
  SESSION  CHANGES  BEFORE  DIRECTORY  WHAT
  source         5  no      -          held: --except, or `except` of the configuration, holds it back
  fork-1         1  no      -          held: it is a fork of a session that is held back
  alone          2  no      -          goes
  1 session would go; nothing was sent
  $ printf 'directory /src\n' > $HOME/.config/xylem/fleet
  $ printf '{"type":"session","version":3,"id":"in-src","timestamp":"2026-11-20T17:00:00.000Z","cwd":"/src/a"}\n' > s.jsonl
  $ xylem import -q s.jsonl >/dev/null
  $ xylem fleet ship --dry-run
  SESSION  CHANGES  BEFORE  DIRECTORY  WHAT
  in-src         1  no      /src/a     goes
  1 session would go; nothing was sent
  $ xylem fleet ship --dry-run --dir /elsewhere
  0 sessions would go; nothing was sent
  $ verify
