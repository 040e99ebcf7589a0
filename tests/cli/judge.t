xylem judge: what a policy answers to a command, for people, explained, for programs, and line by line.

  $ . "$TESTDIR/setup.sh"

Each verdict has an exit code.

  $ empty
  $ xylem judge --policy readonly 'ls -la'
  allow: nothing in it is refused (allowed)
  $ xylem judge --policy strict 'ls -la'
  allow: nothing in it is refused (allowed)
  $ xylem judge --policy confirm 'ls -la'
  allow: nothing in it is refused (allowed)
  $ xylem judge -p readonly 'rm -rf x'
  deny: rm removes files (file-mutation)
  [1]
  $ xylem judge -p strict 'rm -rf x'
  ask: rm is not among the commands that are allowed (program)
  [8]
  $ xylem judge -p confirm 'rm -rf x' 2>/dev/null
  ask: rm with -r, -R or --recursive removes whole trees (recursive-rm)
  [8]

The policy is readonly if none is named.

  $ xylem judge 'rm x'
  deny: rm removes files (file-mutation)
  [1]

An empty command is allowed.

  $ xylem judge ''
  allow: nothing in it is refused (allowed)
  $ xylem judge --explain ''
  allow: nothing in it is refused (allowed)

A command may begin like an option, or come from standard input.

  $ xylem judge -- --help
  allow: nothing in it is refused (allowed)
  $ printf 'ls\nrm x\n' | xylem judge -
  deny: rm removes files (file-mutation)
  [1]
  $ printf 'ls\n# rm\n' | xylem judge -
  allow: nothing in it is refused (allowed)

A command that is too long is not understood.

  $ { printf ls; head -c 1200000 /dev/zero | tr '\0' ' '; } | xylem judge -p strict -
  ask: the command is too long (not-understood)
  [8]

A wrong command line ends with two.

  $ xylem judge
  xylem: judge: an argument is missing: xylem judge COMMAND (see `xylem judge --help`)
  [2]
  $ xylem judge ls -la
  xylem: judge: there is no option -l: a text with options stands in quotes (see `xylem judge --help`)
  [2]
  $ xylem judge ls x
  xylem: judge: unexpected argument 'x': a text of several words stands in quotes (see `xylem judge --help`)
  [2]
  $ xylem judge --policy lax ls
  xylem: judge: --policy takes readonly, strict or confirm, not 'lax' (see `xylem judge --help`)
  [2]
  $ xylem judge --cwd src ls
  xylem: judge: --cwd takes an absolute path, not 'src' (see `xylem judge --help`)
  [2]
  $ xylem judge --jsonl ls
  xylem: judge: --jsonl reads commands from standard input: expected no COMMAND (see `xylem judge --help`)
  [2]
  $ xylem judge --jsonl --json
  xylem: judge: --jsonl and --json cannot be combined (see `xylem judge --help`)
  [2]
  $ xylem judge --jsonl --explain
  xylem: judge: --jsonl and --explain cannot be combined (see `xylem judge --help`)
  [2]
  $ xylem judge --json --explain ls
  xylem: judge: --json and --explain cannot be combined: --json has all that --explain shows (see `xylem judge --help`)
  [2]

A configuration is read, and what is wrong with a configuration is said.

  $ echo '{"allowed_commands":["mytool"]}' >policy.json
  $ xylem judge -p strict --config policy.json mytool
  allow: nothing in it is refused (allowed)
  $ xylem judge -p strict --config policy.json ls
  ask: ls is not among the commands that are allowed (program)
  [8]
  $ xylem judge --config policy.json ls
  xylem: judge: policy.json: allowed_commands and similar options belong to the policy 'strict', not to 'readonly'
  [2]
  $ echo '{"allowed_commands":[7]}' >policy.json
  $ xylem judge -p strict --config policy.json ls
  xylem: judge: policy.json: allowed_commands[0]: expected a string, found a number
  [2]
  $ printf '' >policy.json
  $ xylem judge -p strict --config policy.json ls
  xylem: judge: policy.json: expected an object of options, found an empty file
  [2]
  $ xylem judge --config nowhere ls
  xylem: judge: nowhere cannot be read: No such file or directory
  [3]
  $ xylem judge --config . ls
  xylem: judge: . cannot be read: Is a directory
  [6]

One document says all of it.

  $ xylem judge -p strict --cwd /src --json 'ls x; git status'
  {"schema":1,"policy":"strict","verdict":"allow","rule":"allowed","reason":"nothing in it is refused","offset":0,"bytes":0,"judged":[{"name":"ls","verdict":"allow","rule":"allowed","offset":0,"bytes":4,"depth":0},{"name":"git","verdict":"allow","rule":"allowed","offset":6,"bytes":10,"depth":0}],"git_directories":["/src"],"git_directory_unknown":false}
  $ xylem judge --json 'ls; rm x'
  {"schema":1,"policy":"readonly","verdict":"deny","rule":"file-mutation","reason":"rm removes files","offset":4,"bytes":4,"judged":[{"name":"ls","verdict":"allow","rule":"allowed","offset":0,"bytes":2,"depth":0},{"name":"rm","verdict":"deny","rule":"file-mutation","offset":4,"bytes":4,"depth":0}],"git_directories":[],"git_directory_unknown":false}
  [1]

Each line is answered, in order.

  $ xylem judge --policy readonly --jsonl <<'EOF'
  > {"command":"ls"}
  > {"command":"rm x"}
  > broken
  > 
  > {"command":7}
  > {"cwd":"x","command":"ls"}
  > {"command":"ls","cwd":"/"}
  > EOF
  {"schema":1,"verdict":"allow","reason":"nothing in it is refused","rule":"allowed"}
  {"schema":1,"verdict":"deny","reason":"rm removes files","rule":"file-mutation"}
  {"schema":1,"verdict":"deny","reason":"the line is refused: it is not JSON: JSON is not well-formed at byte 1: lexical error: invalid char in json text.","rule":"input"}
  {"schema":1,"verdict":"deny","reason":"the line is refused: it is not JSON: JSON is not well-formed at byte 0: parse error: premature EOF","rule":"input"}
  {"schema":1,"verdict":"deny","reason":"the line is refused: command: expected a string","rule":"input"}
  {"schema":1,"verdict":"deny","reason":"the line is refused: cwd: expected an absolute path","rule":"input"}
  {"schema":1,"verdict":"allow","reason":"nothing in it is refused","rule":"allowed"}
  $ printf '{"command":"ls"}' | xylem judge --jsonl
  {"schema":1,"verdict":"allow","reason":"nothing in it is refused","rule":"allowed"}
  $ printf '' | xylem judge --jsonl

A line that is too long is answered, and the next line too.

  $ { printf '{"command":"ls"}'; head -c 1053576 /dev/zero | tr '\0' ' '; printf '\n{"command":"ls"}\n'; } |
  >     xylem judge -p confirm --jsonl
  {"schema":1,"verdict":"ask","reason":"the line is refused: it is longer than 1 MiB","rule":"input"}
  {"schema":1,"verdict":"allow","reason":"nothing in it is refused","rule":"allowed"}

What decided is underlined.

  $ xylem judge -p strict --explain 'ls && nosuch x && ls'
  ask: nosuch is not among the commands that are allowed (program)
  
    ls && nosuch x && ls
          ^^^^^^
  
    allow  ls                allowed
    ask    nosuch x          program
    allow  ls                allowed
  [8]
  $ xylem judge -p strict --explain ls
  allow: nothing in it is refused (allowed)
  
    ls
  
    allow  ls                allowed
  $ xylem judge -p strict --explain "$(printf 'ls \\\n\tx\nls\tx > y')"
  ask: a redirection writes to y (redirection)
  
    ls \
    \tx
    ls\tx > y
          ^^^
  
    allow  ls \ x            allowed
    ask    ls x > y          redirection
  [8]
  $ xylem judge -p strict --explain "$(printf "ls a > 'x\n  b'\nls")"
  ask: a redirection writes to 'x\x0a  b' (redirection)
  
    ls a > 'x
         ^^^^
      b'
    ^^^^
    ls
  
    ask    ls a > 'x b'      redirection
    allow  ls                allowed
  [8]
  $ xylem judge -p strict --explain 'ls 日本 > 日'
  ask: a redirection writes to 日 (redirection)
  
    ls 日本 > 日
            ^^^^
  
    ask    ls 日本 > 日      redirection
  [8]

A long line is wrapped on a terminal.

  $ COLUMNS=22 xylem judge -p strict --explain 'ls aaaaaaaaaaaaaaaaaaaaaaa; ls >bbbbbbbbbbbbbb'
  ask: a redirection
    writes to
    bbbbbbbbbbbbbb
    (redirection)
  
    ls aaaaaaaaaaaaaaaaa
    aaaaaa; ls >bbbbbbbb
               ^^^^^^^^^
    bbbbbb
    ^^^^^^
  
    allow  ls
           aaaaaaaaaaaa\xe2\x80\xa6 (esc)
           allowed
    ask    ls
           >bbbbbbbbbbb\xe2\x80\xa6 (esc)
           redirection
  [8]

Of a long command only what lies around is shown.

  $ xylem judge -p strict --explain "$(printf 'ls 1\nls 2\nls 3\nls 4\nnosuch\nls 6\nls 7\nls 8\nls 9')"
  ask: nosuch is not among the commands that are allowed (program)
  
    ...
    ls 3
    ls 4
    nosuch
    ^^^^^^
    ls 6
    ls 7
    ...
  
    allow  ls 1              allowed
    allow  ls 2              allowed
    allow  ls 3              allowed
    allow  ls 4              allowed
    ask    nosuch            program
    allow  ls 6              allowed
    allow  ls 7              allowed
    allow  ls 8              allowed
    allow  ls 9              allowed
  [8]

What was found is listed with its rule.

  $ xylem judge -p strict --explain 'ls $(nosuch x)'
  ask: nosuch is not among the commands that are allowed (program)
  
    ls $(nosuch x)
         ^^^^^^
  
    ask      nosuch x        program
    allow  ls $(nosuch x)    allowed
  [8]
  $ xylem judge -p strict --explain --cwd /src 'git log'
  allow: nothing in it is refused (allowed)
  
    git log
  
    allow  git log           allowed
  
  git would run in /src
  $ xylem judge -p strict --explain 'cd "$x" && git log'
  allow: nothing in it is refused (allowed)
  
    cd "$x" && git log
  
    allow  cd "$x"           allowed
    allow  git log           allowed
  
  git would run in a directory that is not known

What decided is listed also where it is no command.

  $ xylem judge -p strict --explain '> file'
  ask: a redirection writes to file (redirection)
  
    > file
    ^^^^^^
  
    ask    > file            redirection
  [8]
  $ xylem judge -p strict --explain 'ls; f() { pwd; }; ls'
  ask: a function can replace any command (function)
  
    ls; f() { pwd; }; ls
        ^^^^^^^^^^^^
  
    allow  ls                allowed
    ask    f() { pwd; }      function
    allow      pwd           allowed
    allow  ls                allowed
  [8]
  $ xylem judge -p strict --explain "$(printf 'ls\nif')"
  ask: a command is missing (not-understood)
  
    ls
    if
    ^^
  
    allow  ls                allowed
    ask    if                not-understood
  [8]
  $ xylem judge -p strict --explain 'ls > file'
  ask: a redirection writes to file (redirection)
  
    ls > file
       ^^^^^^
  
    ask    ls > file         redirection
  [8]
  $ xylem judge -p strict --explain 'PATH=/x ls'
  ask: PATH decides which programs run (environment)
  
    PATH=/x ls
    ^^^^
  
    ask    PATH=/x ls        environment
  [8]

Commands in the code of a word are told apart by name.

  $ xylem judge -p strict --explain "sh -c 'ls; pwd'"
  ask: sh is a shell (interpreter)
  
    sh -c 'ls; pwd'
    ^^
  
    ask    sh -c 'ls; pwd'     interpreter
    allow    ls in 'ls; pwd'   allowed
    allow    pwd in 'ls; pwd'  allowed
  [8]
  $ xylem judge -p strict --explain "sh -c 'pwd'"
  ask: sh is a shell (interpreter)
  
    sh -c 'pwd'
    ^^
  
    ask    sh -c 'pwd'       interpreter
    allow    'pwd'           allowed
  [8]

The list takes the room that the rules leave.

  $ COLUMNS=40 xylem judge -p strict --explain 'ls aaaaaaaaa bbbbbbbbb ccccccccc; ls'
  allow: nothing in it is refused
    (allowed)
  
    ls aaaaaaaaa bbbbbbbbb ccccccccc; ls
  
    allow  ls aaaaaaaaa bbbbbbbb…  allowed
    allow  ls                      allowed
  $ COLUMNS=52 xylem judge -p strict --explain 'ls aaaaaaaaa bbbbbbbbb ccccccccc; ls'
  allow: nothing in it is refused (allowed)
  
    ls aaaaaaaaa bbbbbbbbb ccccccccc; ls
  
    allow  ls aaaaaaaaa bbbbbbbbb ccccccccc  allowed
    allow  ls                                allowed

The tables of the policies are printed.

  $ xylem judge --tables | grep -B 1 -A 2 '^    patch$'
        rule           file-mutation
      patch
        does           changes files
        rule           file-mutation
  $ xylem judge --tables | grep '^[A-Z]' | head -n 4
  RULES
  HOW TO READ THE LISTS
  READONLY: PROGRAMS
  PROGRAMS BY VERB AND BY OPTION
  $ xylem judge --tables >/dev/full
  xylem: judge: cannot write standard output: no space left on device
  [6]
  $ xylem judge --tables ls
  xylem: judge: --tables stands alone (see `xylem judge --help`)
  [2]
  $ xylem judge --tables -p readonly
  xylem: judge: --tables stands alone (see `xylem judge --help`)
  [2]
