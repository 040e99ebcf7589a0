xylem judge: what a policy answers to a command, for people, explained, for programs, and line by line.

  $ . "$TESTDIR/setup.sh"

Each verdict has an exit code.

  $ empty
  $ xylem judge --policy readonly 'ls -la'
  allow: nothing in it is refused
  $ xylem judge --policy strict 'ls -la'
  allow: nothing in it is refused
  $ xylem judge --policy confirm 'ls -la'
  allow: nothing in it is refused
  $ xylem judge -p readonly 'rm -rf x'
  deny: rm removes files
  [1]
  $ xylem judge -p strict 'rm -rf x'
  ask: rm is not among the commands that strict allows: a rule of yours can allow it
  [8]
  $ xylem judge -p confirm 'rm -rf x' 2>/dev/null
  ask: rm with -r, -R or --recursive removes whole trees
  [8]

The policy is readonly if none is named.

  $ xylem judge 'rm x'
  deny: rm removes files
  [1]

An empty command is allowed.

  $ xylem judge ''
  allow: nothing in it is refused
  $ xylem judge --explain ''
  allow: nothing in it is refused

A command may begin like an option, or come from standard input.

  $ xylem judge -- --help
  allow: nothing in it is refused
  $ printf 'ls\nrm x\n' | xylem judge -
  deny: rm removes files
  [1]
  $ printf 'ls\n# rm\n' | xylem judge -
  allow: nothing in it is refused

A command that is too long is not understood.

  $ { printf ls; head -c 1200000 /dev/zero | tr '\0' ' '; } | xylem judge -p strict -
  ask: the command is too long
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
  allow: nothing in it is refused
  $ xylem judge -p strict --config policy.json ls
  ask: ls is not among the commands that strict allows: a rule of yours can allow it
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
  ask: nosuch is not among the commands that strict allows: a rule of yours can allow it
  
    ls && nosuch x && ls
          ^^^^^^
  
    allow  ls                allowed
    ask    nosuch x          program
    allow  ls                allowed
  [8]
  $ xylem judge -p strict --explain ls
  allow: nothing in it is refused
  
    ls
  
    allow  ls                allowed
  $ xylem judge -p strict --explain "$(printf 'ls \\\n\tx\nls\tx > y')"
  ask: a redirection writes to y: only /dev/null may be written
  
    ls \
    \tx
    ls\tx > y
          ^^^
  
    allow  ls \ x            allowed
    ask    ls x > y          redirection
  [8]
  $ xylem judge -p strict --explain "$(printf "ls a > 'x\n  b'\nls")"
  ask: a redirection writes to 'x\x0a  b': only /dev/null may be written
  
    ls a > 'x
         ^^^^
      b'
    ^^^^
    ls
  
    ask    ls a > 'x b'      redirection
    allow  ls                allowed
  [8]
  $ xylem judge -p strict --explain 'ls 日本 > 日'
  ask: a redirection writes to 日: only /dev/null may be written
  
    ls 日本 > 日
            ^^^^
  
    ask    ls 日本 > 日      redirection
  [8]

A long line is wrapped on a terminal.

  $ COLUMNS=22 xylem judge -p strict --explain 'ls aaaaaaaaaaaaaaaaaaaaaaa; ls >bbbbbbbbbbbbbb'
  ask: a redirection
    writes to
    bbbbbbbbbbbbbb: only
    /dev/null may be
    written
  
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
  ask: nosuch is not among the commands that strict allows: a rule of yours can allow it
  
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
  ask: nosuch is not among the commands that strict allows: a rule of yours can allow it
  
    ls $(nosuch x)
         ^^^^^^
  
    ask      nosuch x        program
    allow  ls $(nosuch x)    allowed
  [8]
  $ xylem judge -p strict --explain --cwd /src 'git log'
  allow: nothing in it is refused
  
    git log
  
    allow  git log           allowed
  
  git would run in /src
  $ xylem judge -p strict --explain 'cd "$x" && git log'
  allow: nothing in it is refused
  
    cd "$x" && git log
  
    allow  cd "$x"           allowed
    allow  git log           allowed
  
  git would run in a directory that is not known

What decided is listed also where it is no command.

  $ xylem judge -p strict --explain '> file'
  ask: a redirection writes to file: only /dev/null may be written
  
    > file
    ^^^^^^
  
    ask    > file            redirection
  [8]
  $ xylem judge -p strict --explain 'ls; f() { pwd; }; ls'
  ask: a function can replace any command
  
    ls; f() { pwd; }; ls
        ^^^^^^^^^^^^
  
    allow  ls                allowed
    ask    f() { pwd; }      function
    allow      pwd           allowed
    allow  ls                allowed
  [8]
  $ xylem judge -p strict --explain "$(printf 'ls\nif')"
  ask: a command is missing
  
    ls
    if
    ^^
  
    allow  ls                allowed
    ask    if                not-understood
  [8]
  $ xylem judge -p strict --explain 'ls > file'
  ask: a redirection writes to file: only /dev/null may be written
  
    ls > file
       ^^^^^^
  
    ask    ls > file         redirection
  [8]
  $ xylem judge -p strict --explain 'PATH=/x ls'
  ask: PATH decides which programs run
  
    PATH=/x ls
    ^^^^
  
    ask    PATH=/x ls        environment
  [8]

Commands in the code of a word are told apart by name.

  $ xylem judge -p strict --explain "sh -c 'ls; pwd'"
  ask: sh is a shell
  
    sh -c 'ls; pwd'
    ^^
  
    ask    sh -c 'ls; pwd'     interpreter
    allow    ls in 'ls; pwd'   allowed
    allow    pwd in 'ls; pwd'  allowed
  [8]
  $ xylem judge -p strict --explain "sh -c 'pwd'"
  ask: sh is a shell
  
    sh -c 'pwd'
    ^^
  
    ask    sh -c 'pwd'       interpreter
    allow    'pwd'           allowed
  [8]

The list takes the room that the rules leave.

  $ COLUMNS=40 xylem judge -p strict --explain 'ls aaaaaaaaa bbbbbbbbb ccccccccc; ls'
  allow: nothing in it is refused
  
    ls aaaaaaaaa bbbbbbbbb ccccccccc; ls
  
    allow  ls aaaaaaaaa bbbbbbbb…  allowed
    allow  ls                      allowed
  $ COLUMNS=52 xylem judge -p strict --explain 'ls aaaaaaaaa bbbbbbbbb ccccccccc; ls'
  allow: nothing in it is refused
  
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

A rule of the person allows, asks or denies; the most specific decides.

  $ empty
  $ echo '{"allow":["acme pr view **"],"ask":["ls -R"],"deny":["acme **"]}' >mine.json
  $ xylem judge -p strict --config mine.json 'acme pr view 1 | head'
  allow: your rule allows `acme pr view **`
  $ xylem judge -p strict --config mine.json --explain 'ls -R; acme pr view "$n"'
  deny: your rule denies `acme **`
  
    ls -R; acme pr view "$n"
           ^^^^^^^^^^^^^^^^^
  
    ask    ls -R              taught
    deny   acme pr view "$n"  taught
  [1]
  $ xylem judge --config mine.json 'acme api x'
  deny: your rule denies `acme **`
  [1]
  $ echo '{"allow":["python3 **"]}' >code.json
  $ xylem judge -p strict --config code.json ls
  xylem: judge: code.json: allow[0]: the rule `python3 **` would allow any code: python3 is an interpreter
  [2]
  $ echo '{"deny":["a; b"]}' >two.json
  $ xylem judge -p strict --config two.json ls
  xylem: judge: two.json: deny[0]: the rule `a; b`: expected the words of a command, found that it has more than one simple command
  [2]

--why says which rule decided, and what would change the answer.

  $ xylem judge -p strict --why 'gh pr merge 1'
  ask: gh pr merge is not known to only read
    by        the rule program, built in: see xylem judge --tables
    part      gh pr merge 1
    allows    exactly these words
    to allow  {"allow": ["gh pr merge 1"]}
  [8]
  $ xylem judge -p strict --why 'acme box ls && python3 x.py && echo a > f'
  ask: acme is not among the commands that strict allows: a rule of yours can allow it
    by        the rule program, built in: see xylem judge --tables
    part      acme box ls
    allows    any words behind, but none that a table knows to change or to run something
    part      python3 x.py
    no rule   the rule `python3 x.py` would allow any code: python3 is an interpreter
    part      echo a > f
    no rule   a redirection writes to f: only /dev/null may be written
    in part   {"allow": ["acme box ls **"]}
    left      python3 is an interpreter
  [8]
  $ xylem judge -p strict --why "f() { ls; }; sh -c 'acme x'"
  ask: a function can replace any command
    by        the rule function, built in: see xylem judge --tables
    part      sh -c 'acme x'
    no rule   the rule `sh -c 'acme x'` would allow any code: sh is a shell
    part      'acme x'
    no rule   the command stands in a word of another command
    part      f() { ls; }
    no rule   a function can replace any command
  [8]
  $ xylem judge -p strict --config mine.json --why 'acme pr list'
  deny: your rule denies `acme **`
    by        a rule in mine.json
    part      acme pr list
    allows    any words behind, but none that a table knows to change or to run something
    to allow  {"allow": ["acme pr list **"]}
  [1]
  $ xylem judge -p strict --config mine.json --why 'acme pr view 7'
  allow: your rule allows `acme pr view **`
    by        a rule in mine.json
    to deny   {"deny": ["acme pr view 7"]}
  $ xylem judge -p readonly --why 'rm x'
  deny: rm removes files
    by        the rule file-mutation, built in: see xylem judge --tables
    part      rm x
    no rule   readonly refuses a change, whatever a rule allows
  [1]
  $ xylem judge -p strict --why 'ls -la'
  allow: nothing in it is refused
    by        no rule, built in or yours
    to deny   {"deny": ["ls -la"]}
  $ xylem judge -p strict --why 'ls; cat x'
  allow: nothing in it is refused
    by        no rule, built in or yours
  $ xylem judge -p strict --why --json 'gh pr merge 1'
  xylem: judge: --json and --why cannot be combined (see `xylem judge --help`)
  [2]
  $ COLUMNS=40 xylem judge -p strict --why 'acme box ls'
  ask: acme is not among the commands that
    strict allows: a rule of yours can
    allow it
    by        the rule program, built in:
              see xylem judge --tables
    part      acme box ls
    allows    any words behind, but none
              that a table knows to change
              or to run something
    to allow  {"allow": ["acme box ls **"]}
  [8]
  $ xylem judge --why --jsonl
  xylem: judge: --jsonl and --why cannot be combined (see `xylem judge --help`)
  [2]

--learn proposes rules from a log of asks, and writes nothing.

  $ cat >asks.log <<'END'
  > {"time":"2026-11-20T17:18:05Z","policy":"strict","command":"acme pr view 1","cwd":"/x","decision":"ask","rule":"program","reason":"r","answer":"allow"}
  > {"policy":"strict","command":"acme pr view 2 --json title","decision":"ask","answer":"allow"}
  > {"policy":"strict","command":"gh pr merge 2","decision":"ask","answer":"deny"}
  > {"policy":"confirm","command":"rm -rf build","decision":"ask","answer":"allow"}
  > broken
  > {"policy":"strict","command":7,"decision":"ask"}
  > {"policy":"lax","command":"ls","decision":"ask"}
  > {"policy":"strict","command":"ls","decision":"ask","answer":"perhaps"}
  > {"policy":"strict","command":"ls","decision":"ask","cwd":"x"}
  > {"policy":"strict","command":"ls","command":"rm","decision":"ask"}
  > 
  > {"policy":"strict","command":"python3 x.py","decision":"ask"}
  > {"policy":"strict","command":"acme box ls | wc; acme a","decision":"ask","answer":null}
  > {"policy":"strict","command":"ls","decision":"ask"}
  > {"policy":"strict","command":"rm x","decision":"allow"}
  > {"policy":"strict","command":null,"decision":"ask","rule":"tool"}
  > {"policy":"strict","command":"git log","decision":"ask","rule":"repository"}
  > END
  $ xylem judge --learn asks.log
  xylem: judge: asks.log: line 5 is skipped: JSON is not well-formed at byte 1: lexical error: invalid char in json text.
  xylem: judge: asks.log: line 6 is skipped: expected an object with the strings policy (readonly, strict or confirm), command and decision, and perhaps answer (allow, deny or none)
  xylem: judge: asks.log: line 7 is skipped: expected an object with the strings policy (readonly, strict or confirm), command and decision, and perhaps answer (allow, deny or none)
  xylem: judge: asks.log: line 8 is skipped: expected an object with the strings policy (readonly, strict or confirm), command and decision, and perhaps answer (allow, deny or none)
  xylem: judge: asks.log: line 10 is skipped: expected an object with the strings policy (readonly, strict or confirm), command and decision, and perhaps answer (allow, deny or none)
  8 asks, 2 allowed by now, 5 lines skipped
    allow     acme pr view **
              2 asks, 2 yes, 0 no; any words behind, but none that a table knows to change or to run something
    not       gh pr merge 2
              1 ask, 0 yes, 1 no; exactly these words
    allow     rm -rf build
              1 ask, 1 yes, 0 no; exactly these words
    not       python3 x.py
              1 ask, 0 yes, 0 no; the rule `python3 x.py` would allow any code: python3 is an interpreter
    allow     acme box ls **
              1 ask, 0 yes, 0 no; any words behind, but none that a table knows to change or to run something
    allow     acme a **
              1 ask, 0 yes, 0 no; any words behind, but none that a table knows to change or to run something
  for your file:
    {"allow": ["acme pr view **","rm -rf build","acme box ls **","acme a **"]}
  $ xylem judge --learn asks.log --json 2>/dev/null
  {"schema":1,"asks":8,"allowed":2,"bad_lines":5,"groups":[{"part":"acme pr view 1","rule":"acme pr view **","no_rule":null,"proposed":true,"asked":2,"yes":2,"no":0},{"part":"gh pr merge 2","rule":"gh pr merge 2","no_rule":null,"proposed":false,"asked":1,"yes":0,"no":1},{"part":"rm -rf build","rule":"rm -rf build","no_rule":null,"proposed":true,"asked":1,"yes":1,"no":0},{"part":"python3 x.py","rule":null,"no_rule":"the rule `python3 x.py` would allow any code: python3 is an interpreter","proposed":false,"asked":1,"yes":0,"no":0},{"part":"acme box ls","rule":"acme box ls **","no_rule":null,"proposed":true,"asked":1,"yes":0,"no":0},{"part":"acme a","rule":"acme a **","no_rule":null,"proposed":true,"asked":1,"yes":0,"no":0}],"allow":["acme pr view **","rm -rf build","acme box ls **","acme a **"]}
  $ xylem judge --learn asks.log --config mine.json 2>/dev/null | head -n 1
  8 asks, 4 allowed by now, 5 lines skipped
  $ ls
  asks.log
  code.json
  fixtures
  mine.json
  two.json
  $ printf '' >none.log
  $ xylem judge --learn none.log
  0 asks, 0 allowed by now, 0 lines skipped
  $ xylem judge --learn nowhere
  xylem: judge: nowhere cannot be read: No such file or directory
  [3]
  $ xylem judge --learn .
  xylem: judge: . cannot be read: Is a directory
  [6]
  $ xylem judge --learn asks.log ls
  xylem: judge: --learn takes --config and --json alone: each line of LOG has its policy (see `xylem judge --help`)
  [2]
  $ printf '{"policy":"strict","command":"\033[31m x","decision":"ask"}\n\0\0\n' >raw.log
  $ xylem judge --learn raw.log
  xylem: judge: raw.log: line 1 is skipped: JSON is not well-formed at byte 30: lexical error: invalid character inside string.
  xylem: judge: raw.log: line 2 is skipped: JSON is not well-formed at byte 1: lexical error: invalid char in json text.
  0 asks, 0 allowed by now, 2 lines skipped

An ask that nobody answered is no yes.

  $ cat >none.log <<'END'
  > {"policy":"strict","command":"acme a","decision":"ask","answer":"none"}
  > {"policy":"strict","command":"acme b","decision":"ask","answer":"none"}
  > {"policy":"strict","command":"acme b","decision":"ask","answer":"allow"}
  > END
  $ xylem judge --learn none.log
  3 asks, 0 allowed by now, 0 lines skipped
    not       acme a **
              1 ask, 0 yes, 0 no; any words behind, but none that a table knows to change or to run something
    allow     acme b **
              2 asks, 1 yes, 0 no; any words behind, but none that a table knows to change or to run something
  for your file:
    {"allow": ["acme b **"]}
