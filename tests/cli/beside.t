Commands that are programs of their own.

  $ . "$TESTDIR/setup.sh"

A word that is no command is the program xylem-WORD, in PATH or beside xylem. The other words go to the program.

  $ mkdir bin
  $ cat > bin/xylem-other << 'END'
  > #!/bin/sh
  > for word; do printf '[%s]' "$word"; done
  > echo
  > END
  $ chmod +x bin/xylem-other
  $ PATH=$PWD/bin:$PATH xylem other one 'two words' --three
  [one][two words][--three]
  $ PATH=$PWD/bin:$PATH xylem --store dir --wait=3 other other
  [--store][dir][--wait=3][other]
  $ PATH=$PWD/bin:$PATH xylem help other verb --json
  [help][other][verb][--json]
  $ PATH=$PWD/bin:$PATH xylem complete -- --store dir other ve
  [complete][--][--store][dir][other][ve]

A program of the working directory is never run, and neither is a program that is named by a path.

  $ cd bin
  $ PATH=:.:$PATH: xylem other
  xylem: there is no command 'other' (see `xylem help`)
  [2]
  $ PATH=$PWD:$PATH xylem x/../other
  xylem: there is no command 'x/../other' (see `xylem help`)
  [2]
  $ PATH=$PWD:$PATH xylem OTHER
  xylem: there is no command 'OTHER' (see `xylem help`)
  [2]
  $ cd ..

A program that cannot be run is an error.

  $ echo '#!/none' > bin/xylem-broken
  $ chmod +x bin/xylem-broken
  $ PATH=$PWD/bin:$PATH xylem broken
  xylem: cannot run */bin/xylem-broken: No such file or directory (glob)
  [6]

A missing program of xylem's is named with its package.

  $ cp "$program" bin/xylem
  $ PATH=/usr/bin:/bin bin/xylem fleet status
  xylem: there is no command 'fleet': `apt install xylem-fleet` installs its program, a package of its own (see `xylem help`)
  [2]
  $ PATH=/usr/bin:/bin bin/xylem mcp
  xylem: there is no command 'mcp': `npm install -g xylem-mcp` installs its program, a package of its own (see `xylem help`)
  [2]

Help and completion name the programs that are there.

  $ PATH=/usr/bin:/bin bin/xylem help | grep -E '^  (fleet|mcp) '
  [1]
  $ printf '#!/bin/sh\necho "agents: $*"\n' | tee bin/xylem-mcp > bin/xylem-fleet
  $ chmod +x bin/xylem-mcp bin/xylem-fleet
  $ bin/xylem help | grep -E '^  (fleet|mcp) '
    fleet       Share sessions between machines, on PostgreSQL
    mcp         Let agents search and read sessions, over MCP
  $ bin/xylem complete -- mc
  mcp\tLet agents search and read sessions, over MCP (esc)
  $ bin/xylem -s DIR mcp --all
  agents: -s DIR --all
