xylem sequence: its verbs, and the ledgers of runs among the sessions.

  $ . "$TESTDIR/setup.sh"
  $ . "$TESTDIR/runs.sh"

The command alone lists its verbs.

  $ fresh 19:30
  $ xylem sequence
  usage: xylem sequence VERB [OPTION...] [ARGUMENT...]
  
  List, check, save and run recorded sequences of steps.
  
  A sequence is a list of steps that a person recorded: prompts, commands,
  templates, skills. A run plays the sequence once or more, each time in a fresh
  session; the store knows at any moment how far a run is. RUN is the id of a run,
  or a unique beginning of it (four characters or more). `xylem help sequence
  VERB` shows the options of a verb.
  
  verbs:
    list        List the sequences of all sessions, or the snapshots of a session
    show        Show the steps of a sequence as authored
    validate    Say which steps the host cannot run, and why
    preview     Show what each step is: a prompt, a command, a template, a skill
    save        Save steps as the sequence of a session
    runs        List the runs of sequences, the newest first
    status      Show how far a run is, and what can be done next
    log         List the events of a run, the oldest first
    retry       Let the interrupted step of a run be attempted again
    skip        Let a run go on behind its interrupted step
    stop        End a run that no process plays
    drive       Play a run for a host that speaks JSON lines
  
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
  [2]
  $ xylem sequence >verbs
  [2]
  $ xylem help sequence | cmp - verbs
  $ xylem sequence --help | cmp - verbs

Each verb has its own help.

  $ xylem sequence show --help
  usage: xylem sequence show SESSION[:ENTRY]|--run RUN [--redact-secrets]
                             [--redact-pattern TEXT|--redact-pattern-file FILE]
                             [--json|--jsonl]
  
  Show the steps of a sequence as authored.
  
  options:
        --run RUN           show the steps of a run
        --redact-secrets    show no secret: `[redacted: KIND]` stands in its place
                            (xylem help secrets)
        --redact-pattern TEXT
                            show no match of the regular expression TEXT
        --redact-pattern-file FILE
                            show no match of the regular expressions in FILE
        --json              print one JSON document
        --jsonl             the same
  
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
  ENTRY is an id or its beginning, a label, @ (the leaf), @{2} (the leaf before
    its last two moves) or none; @~3 is three entries before the leaf, @^17 the
    entry of depth 17, and ~3 and ^17 also stand behind an id.
  $ xylem sequence show --help >verb
  $ xylem help sequence show | cmp - verb
  $ xylem help sequence show --json | head -c 44
  {"schema":1,"command":"sequence show","summa (no-eol)
  $ xylem help sequence --json | grep -o '"verbs":\[{"command":"[^"]*"'
  "verbs":[{"command":"sequence list"

A wrong verb is refused with a suggestion.

  $ xylem sequence lst
  xylem: sequence: 'lst' is not a verb of sequence; did you mean 'list'? (see `xylem sequence --help`)
  [2]
  $ xylem sequence --json list
  xylem: sequence: there is no option --json: it is an option of import, sessions, search and others (see `xylem sequence --help`)
  [2]
  $ xylem sequence show
  xylem: sequence show: an argument is missing: xylem sequence show SESSION[:ENTRY] (see `xylem sequence show --help`)
  [2]
  $ xylem sequence show a b
  xylem: sequence show: unexpected argument 'b': a name of several words stands in quotes: 'a b' (see `xylem sequence show --help`)
  [2]
  $ xylem sequence list --json --jsonl
  xylem: sequence list: --json and --jsonl cannot be combined (see `xylem sequence list --help`)
  [2]
  $ xylem help sequence lst
  xylem: sequence: 'lst' is not a verb of sequence; did you mean 'list'? (see `xylem sequence --help`)
  [2]
  $ xylem help log x
  xylem: help: unexpected argument 'x' (see `xylem help`)
  [2]

Options of every command stand before the verb too.

  $ snapshot s a '["one"]'
  $ xylem --color never sequence --no-pager list --json
  {"schema":1,"sequences":[{"session":"s","sequence_id":"q","step_count":1,"updated_ms":1700000000000,"entry":"a","first_step":"one"}]}

Completion offers verbs and their options.

  $ xylem complete -- sequence li
  list\tList the sequences of all sessions, or the snapshots of a session (esc)
  $ xylem complete -- help sequence sho
  show\tShow the steps of a sequence as authored (esc)
  $ xylem complete -- sequence list --jsonl
  --jsonl\tprint one JSON document a line (esc)
  $ xylem complete -- sequence nothing --js
  $ verify

List has every session with a sequence.

  $ fresh 19:30
  $ xylem sequence list
  xylem: sequence list: no session has a sequence at its leaf
  $ snapshot one a "$STEPS"
  $ snapshot two b '[]'
  $ add three n note
  $ xylem sequence list --jsonl
  {"schema":1,"session":"one","sequence_id":"q","step_count":3,"updated_ms":1700000000000,"entry":"a","first_step":"/readonly on"}
  {"schema":1,"session":"two","sequence_id":"q","step_count":0,"updated_ms":1700000000000,"entry":"b","first_step":null}

List of a session has every snapshot of the path.

  $ add four n note
  $ snapshot four a '["x"]'
  $ snapshot four b '["x",7]'
  $ snapshot four c '["x","y"]'
  $ add four d custom:agenticoding-sequence
  $ xylem sequence list four --json
  {"schema":1,"sequences":[{"entry":"d","depth":5,"time":"*","step_count":null,"state":"skipped","reason":"there is no data"},{"entry":"c","depth":4,"time":"*","step_count":2,"state":"counts","reason":null},{"entry":"b","depth":3,"time":"*","step_count":null,"state":"skipped","reason":"a step is not a string"},{"entry":"a","depth":2,"time":"*","step_count":1,"state":"older","reason":null}]} (glob)
  $ xylem sequence list four:a
  ENTRY                 TIME  STEPS  STATE
  a      *      1  counts (glob)

Show has the steps as authored.

  $ xylem sequence show one --json
  {"schema":1,"sequence_id":"q","session":"one","entry":"a","depth":1,"updated_ms":1700000000000,"steps":["/readonly on","Plan it for $@\nand name \u001b the files","/handoff execution"]}
  $ xylem sequence show one
  sequence    q
  session     one
  entry       a, depth 1, * (glob)
  steps       3
   1  /readonly on
   2  Plan it for $@
      and name \x1b the files
   3  /handoff execution
  $ xylem sequence show three
  xylem: sequence show: session three has no sequence at its leaf
  [3]
  $ add three m note
  $ xylem sequence show three:n
  xylem: sequence show: session three has no sequence at that entry
  [3]
  $ verify

Validate names each step that cannot be run. A catalogue says what the host can run.

  $ host
  $ xylem sequence validate host --commands commands.json --json
  {"schema":1,"ok":false,"steps":[{"raw":"/readonly on","kind":"command","name":"readonly","argument":"on","path":null,"problem":null,"message":null,"warnings":[]},{"raw":"Plan it for $@\nand name \u001b the files","kind":null,"name":null,"argument":null,"path":null,"problem":"control","message":"the step has a control character at byte 24","warnings":[]},{"raw":"/handoff execution","kind":null,"name":"handoff","argument":"execution","path":"/home/dev/.pi/agent/extensions/agenticoding.ts","problem":"extension","message":"/handoff belongs to the extension /home/dev/.pi/agent/extensions/agenticoding.ts, which does not offer the command to sequences","warnings":[]}],"problem":"step"}
  [1]
  $ echo '["/readonly","/plan x"]' >steps.json
  $ xylem sequence preview --file steps.json --commands commands.json --jsonl
  {"schema":1,"ok":true,"steps":[{"raw":"/readonly","kind":"command","name":"readonly","argument":"","path":null,"problem":null,"message":null,"warnings":["toggles"],"text":""},{"raw":"/plan x","kind":"template","name":"plan","argument":"x","path":"/p/plan.md","problem":null,"message":null,"warnings":[],"text":"/plan x"}],"problem":null}

A preview puts arguments into steps, and leaves a template to the host.

  $ echo '["Ask $1","/plan <$1>"]' >steps.json
  $ xylem sequence preview --file steps.json --commands commands.json --args '["the \"parser\"",""]'
   1  prompt    Ask the "parser"
   2  template  /plan <$1>
                argument 1: the "parser"
                argument 2:
  $ xylem sequence preview --file steps.json --commands commands.json --args '["a b"]' --json
  {"schema":1,"ok":true,"steps":[{"raw":"Ask $1","kind":"prompt","name":null,"argument":null,"path":null,"problem":null,"message":null,"warnings":[],"text":"Ask a b"},{"raw":"/plan <$1>","kind":"template","name":"plan","argument":"<$1>","path":"/p/plan.md","problem":null,"message":null,"warnings":[],"text":"/plan <$1>"}],"problem":null}
  $ xylem sequence preview --file steps.json --commands commands.json --args 'a b'
  xylem: sequence preview: --args: JSON is not well-formed at byte 1: lexical error: invalid char in json text.
  [2]
  $ xylem sequence preview --file steps.json --commands commands.json --args '[7]'
  xylem: sequence preview: --args: element 1 is not a string
  [2]

Bad input is named.

  $ printf '{"schema":1' >torn.json
  $ echo '{"schema":1,"commands":[{"name":"x","source":"sky"}]}' >source.json
  $ echo '["a",7]' >numbers.json
  $ xylem sequence validate host
  xylem: sequence validate: --commands is missing: the commands of the host decide what a step means (see `xylem sequence validate --help`)
  [2]
  $ xylem sequence validate --commands commands.json
  xylem: sequence validate: an argument is missing: SESSION[:ENTRY], or --file FILE (see `xylem sequence validate --help`)
  [2]
  $ xylem sequence validate host --file x --commands x
  xylem: sequence validate: SESSION and --file cannot be combined (see `xylem sequence validate --help`)
  [2]
  $ xylem sequence validate host --commands none.json
  xylem: sequence validate: none.json cannot be read: No such file or directory
  [3]
  $ xylem sequence validate host --commands torn.json
  xylem: sequence validate: torn.json: JSON is not well-formed at byte 11: parse error: premature EOF
  [2]
  $ xylem sequence validate host --commands source.json
  xylem: sequence validate: source.json: commands[0].source: expected builtin, own, extension, prompt or skill
  [2]
  $ xylem sequence validate --file numbers.json --commands commands.json
  xylem: sequence validate: numbers.json: element 2 is not a string
  [2]
  $ xylem sequence validate --file commands.json --commands commands.json
  xylem: sequence validate: commands.json: expected an array of strings
  [2]
  $ xylem sequence save host
  xylem: sequence save: the steps are missing: give --step TEXT, or --file FILE (see `xylem sequence save --help`)
  [2]
  $ xylem sequence save host --step a --file b
  xylem: sequence save: --step and --file cannot be combined (see `xylem sequence save --help`)
  [2]
  $ xylem sequence save host --step a --expect none
  xylem: sequence save: the leaf of the session host: expected none (branch 0, depth 0), found a (branch 1, depth 1)
  [4]
  $ xylem sequence save nobody --step a
  xylem: sequence save: there is no session 'nobody'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem sequence show
  xylem: sequence show: an argument is missing: xylem sequence show SESSION[:ENTRY] (see `xylem sequence show --help`)
  [2]
  $ xylem sequence status host
  xylem: sequence status: session host has no mark of a run at its leaf
  [3]
  $ xylem sequence status nothing
  xylem: sequence status: there is no run 'nothing'
  [3]
  $ xylem sequence log host
  xylem: sequence log: there is no run 'host'
  [3]
  $ xylem sequence log 01a
  xylem: sequence log: there is no run '01a' (the beginning of an id needs 4 characters)
  [3]
  $ xylem sequence retry 0198c0de --yes
  xylem: sequence retry: there is no run '0198c0de'
  [3]
  $ xylem sequence stop 0198c0de
  xylem: sequence stop: there is no run '0198c0de'
  [3]
  $ xylem sequence drive start
  xylem: sequence drive: an option is missing: xylem sequence drive start --file FILE (see `xylem sequence drive --help`)
  [2]
  $ xylem sequence drive start --file -
  xylem: sequence drive: --file cannot be -: standard input has the lines of the host (see `xylem sequence drive --help`)
  [2]
  $ xylem sequence drive 0198c0de --file x
  xylem: sequence drive: --file is for `sequence drive start` (see `xylem sequence drive --help`)
  [2]
  $ xylem sequence drive start --file torn.json
  xylem: sequence drive: torn.json: JSON is not well-formed at byte 11: parse error: premature EOF
  [2]
  $ xylem sequence drive start --file numbers.json
  xylem: sequence drive: numbers.json: expected an object
  [2]
  $ xylem sequence drive start --file commands.json
  xylem: sequence drive: commands.json: catalogue is missing
  [2]

Standard input is not read twice.

  $ echo '["one"]' | xylem sequence validate --file - --commands -
  xylem: sequence validate: --file - and --commands - cannot be combined (see `xylem sequence validate --help`)
  [2]
  $ echo '["one"]' | xylem sequence preview --commands - --file -
  xylem: sequence preview: --file - and --commands - cannot be combined (see `xylem sequence preview --help`)
  [2]
  $ echo '["one"]' | xylem sequence save host --file - --commands -
  xylem: sequence save: --file - and --commands - cannot be combined (see `xylem sequence save --help`)
  [2]

Save appends a snapshot, and prints its entry.

  $ xylem sequence save host --step /readonly --step two --commands commands.json --expect a --id q >entry
  $ xylem sequence show host --json | grep -c -f entry
  1
  $ xylem sequence show host --json
  {"schema":1,"sequence_id":"q","session":"host","entry":"*","depth":2,"updated_ms":*,"steps":["/readonly","two"]} (glob)
  $ xylem sequence save host --step /none --step two --commands commands.json
  step 1: unknown: there is no command, prompt or skill /none
  1 of 2 steps cannot be run
  xylem: sequence save: nothing was saved
  [1]
  $ echo '["from a pipe"]' | xylem sequence save host --file - >entry
  $ xylem sequence list host --jsonl
  {"schema":1,"entry":"*","depth":3,"time":"*","step_count":1,"state":"counts","reason":null} (glob)
  {"schema":1,"entry":"*","depth":2,"time":"*","step_count":2,"state":"older","reason":null} (glob)
  {"schema":1,"entry":"a","depth":1,"time":"*","step_count":3,"state":"older","reason":null} (glob)
  $ verify

Drive leads a run to its end. The host says a line, and gets an answer.

  $ phase() {
  >     xylem sequence status $run --json | grep -o '"phase":"[^"]*"'
  > }
  $ host
  $ say next claim done next claim done next '{"session":"host-2"}' next claim done next claim done next |
  >     start "$AB"',"iteration_count":2,"args":["the parser"]'
  {"schema":1,"action":"execute","run_id":"*","iteration":0,"step_index":0,"attempt":1,"kind":"prompt","name":null,"canonical":null,"warnings":[],"raw":"A for $1","args":["the parser"],"text":"A for the parser"} (glob)
  {"schema":1,"ok":true}
  {"schema":1,"ok":true}
  {"schema":1,"action":"execute","run_id":"*","iteration":0,"step_index":1,"attempt":1,"kind":"command","name":"readonly","canonical":"readonly","warnings":[],"raw":"/readonly on","args":["the parser"],"text":"on"} (glob)
  {"schema":1,"ok":true}
  {"schema":1,"ok":true}
  {"schema":1,"action":"new-session","run_id":"*","iteration":1} (glob)
  {"schema":1,"ok":true}
  {"schema":1,"action":"execute","run_id":"*","iteration":1,"step_index":0,"attempt":1,"kind":"prompt","name":null,"canonical":null,"warnings":[],"raw":"A for $1","args":["the parser"],"text":"A for the parser"} (glob)
  {"schema":1,"ok":true}
  {"schema":1,"ok":true}
  {"schema":1,"action":"execute","run_id":"*","iteration":1,"step_index":1,"attempt":1,"kind":"command","name":"readonly","canonical":"readonly","warnings":[],"raw":"/readonly on","args":["the parser"],"text":"on"} (glob)
  {"schema":1,"ok":true}
  {"schema":1,"ok":true}
  {"schema":1,"action":"finished","run_id":"*","outcome":"done","code":null,"message":null} (glob)
  $ xylem sequence status $(id) --json
  {"schema":1,"run_id":"*","sequence_id":"q","phase":"done","iteration":1,"iteration_count":2,"step_index":1,"step_count":2,"attempt":null,"step":null,"session":"host-2","host_session":"host-2","origin":{"session":"host","entry":"a"},"started":"*","newest":"*","outcome":"done","code":null,"message":null,"owner":null,"done_count":4,"skipped_count":0} (glob)
  $ verify

Drive answers each line, and goes on after a refused line. The input ends in a step.

  $ host
  $ start "$AB" <<'EOF'
  > no JSON
  > 
  > []
  > 7
  > {}
  > {"next":true,"stop":"x"}
  > {"next":true,"catalogue":{"schema":2}}
  > {"next":true,"catalogue":[]}
  > {"done":{}}
  > {"session":7}
  > {"session":"elsewhere"}
  > {"failed":{"code":"sky","message":"m"}}
  > {"failed":{"code":"user"}}
  > {"failed":7}
  > {"decide":"retry"}
  > {"decide":"guess"}
  > {"claim":"0123456789abcdef"}
  > {"stop":{}}
  > {"next":true}
  > {"claim":7}
  > {"claim":"0123456789ABCDEF"}
  > {"claim":"0123456789abcdef"}
  > {"next":true}
  > EOF
  {"schema":1,"error":{"exit_code":2,"text":"JSON is not well-formed at byte 1: lexical error: invalid string in json text."}}
  {"schema":1,"error":{"exit_code":2,"text":"JSON is not well-formed at byte 0: parse error: premature EOF"}}
  {"schema":1,"error":{"exit_code":2,"text":"expected an object with one of next, claim, done, session, failed, stop, pause, decide"}}
  {"schema":1,"error":{"exit_code":2,"text":"expected an object with one of next, claim, done, session, failed, stop, pause, decide"}}
  {"schema":1,"error":{"exit_code":2,"text":"expected an object with one of next, claim, done, session, failed, stop, pause, decide"}}
  {"schema":1,"error":{"exit_code":2,"text":"expected an object with one of next, claim, done, session, failed, stop, pause, decide"}}
  {"schema":1,"error":{"exit_code":2,"text":"catalogue: schema: expected 1"}}
  {"schema":1,"error":{"exit_code":2,"text":"catalogue: schema: expected an object with this member"}}
  {"schema":1,"error":{"exit_code":2,"text":"xylem_run_done: no step is open"}}
  {"schema":1,"error":{"exit_code":2,"text":"session is not a string"}}
  {"schema":1,"error":{"exit_code":2,"text":"xylem_run_in_session: no new session was asked for"}}
  {"schema":1,"error":{"exit_code":2,"text":"failed.code is not a reason of a failure"}}
  {"schema":1,"error":{"exit_code":2,"text":"xylem_run_failed: the code is not the code of a failure"}}
  {"schema":1,"error":{"exit_code":2,"text":"failed.code is not a reason of a failure"}}
  {"schema":1,"error":{"exit_code":2,"text":"the run is not interrupted: nothing is to be decided"}}
  {"schema":1,"error":{"exit_code":2,"text":"decide takes \"retry\" or \"skip\""}}
  {"schema":1,"error":{"exit_code":2,"text":"xylem_run_claim: no step was given"}}
  {"schema":1,"error":{"exit_code":2,"text":"stop is not a string"}}
  {"schema":1,"action":"execute","run_id":"*","iteration":0,"step_index":0,"attempt":1,"kind":"prompt","name":null,"canonical":null,"warnings":[],"raw":"A for $1","args":null,"text":"A for $1"} (glob)
  {"schema":1,"error":{"exit_code":2,"text":"claim is not a string"}}
  {"schema":1,"error":{"exit_code":2,"text":"the hash of a text has 16 digits, from 0 to 9 and a to f"}}
  {"schema":1,"ok":true}
  {"schema":1,"error":{"exit_code":2,"text":"the end of the action before was not reported"}}
  [1]
  $ run=$(id)
  $ phase
  "phase":"interrupted"
  $ verify

A refused next keeps the catalogue before. An accepted line brings the new catalogue.

  $ host
  $ none='{"next":true,"catalogue":{"schema":1,"commands":[]}}'
  $ say next claim "$none" done next | start "$AB"
  {"schema":1,"action":"execute","run_id":"*","iteration":0,"step_index":0,"attempt":1,"kind":"prompt","name":null,"canonical":null,"warnings":[],"raw":"A for $1","args":null,"text":"A for $1"} (glob)
  {"schema":1,"ok":true}
  {"schema":1,"error":{"exit_code":2,"text":"the end of the action before was not reported"}}
  {"schema":1,"ok":true}
  {"schema":1,"action":"execute","run_id":"*","iteration":0,"step_index":1,"attempt":1,"kind":"command","name":"readonly","canonical":"readonly","warnings":[],"raw":"/readonly on","args":null,"text":"on"} (glob)
  [1]
  $ say next claim done "$none" | start "$AB"
  {"schema":1,"action":"execute","run_id":"*","iteration":0,"step_index":0,"attempt":1,"kind":"prompt","name":null,"canonical":null,"warnings":[],"raw":"A for $1","args":null,"text":"A for $1"} (glob)
  {"schema":1,"ok":true}
  {"schema":1,"ok":true}
  {"schema":1,"action":"finished","run_id":"*","outcome":"failed","code":"unresolved","message":"step 2 of 2: there is no command, prompt or skill /readonly"} (glob)
  [1]
  $ verify

A line that is too long gets an error, and the next line is heard.

  $ host
  $ { head -c 17825792 /dev/zero | tr '\0' ' '; echo; say next; } | start "$AB"
  {"schema":1,"error":{"exit_code":2,"text":"a line has at most 16777216 bytes"}}
  {"schema":1,"action":"execute","run_id":"*","iteration":0,"step_index":0,"attempt":1,"kind":"prompt","name":null,"canonical":null,"warnings":[],"raw":"A for $1","args":null,"text":"A for $1"} (glob)
  [1]
  $ verify

The end of input between two steps pauses the run.

  $ host
  $ say next claim done | start "$AB"
  {"schema":1,"action":"execute","run_id":"*","iteration":0,"step_index":0,"attempt":1,"kind":"prompt","name":null,"canonical":null,"warnings":[],"raw":"A for $1","args":null,"text":"A for $1"} (glob)
  {"schema":1,"ok":true}
  {"schema":1,"ok":true}
  [1]
  $ run=$(id)
  $ xylem sequence status $run
  run         * (glob)
  sequence    q
  state       paused before step 2 of 2 in run 1 of 1
  because     shutdown: the host closed its end
  step        /readonly on
  steps       1 done, 0 skipped
  session     host
  started in  host
  started     *, newest event * (glob)
  owner       none
  next        `xylem -s store sequence drive *` (glob)
              `xylem -s store sequence stop *` (glob)
  $ say again claim done next | xylem sequence drive $run
  {"schema":1,"action":"execute","run_id":"*","iteration":0,"step_index":1,"attempt":1,"kind":"command","name":"readonly","canonical":"readonly","warnings":[],"raw":"/readonly on","args":null,"text":"on"} (glob)
  {"schema":1,"ok":true}
  {"schema":1,"ok":true}
  {"schema":1,"action":"finished","run_id":"*","outcome":"done","code":null,"message":null} (glob)
  $ say next | xylem sequence drive $run
  xylem: sequence drive: run * has ended: it is done (glob)
  [4]
  $ verify

An interrupted run waits for a decision.

  $ host
  $ say next claim | start "$AB" >/dev/null
  [1]
  $ run=$(id)
  $ say next '{"decide":"skip","stop":"both"}' '{"decide":"retry"}' again claim | xylem sequence drive $run
  {"schema":1,"error":{"exit_code":2,"text":"the run is interrupted: decide \"retry\" or \"skip\" first"}}
  {"schema":1,"error":{"exit_code":2,"text":"expected an object with one of next, claim, done, session, failed, stop, pause, decide"}}
  {"schema":1,"ok":true}
  {"schema":1,"action":"execute","run_id":"*","iteration":0,"step_index":0,"attempt":2,"kind":"prompt","name":null,"canonical":null,"warnings":[],"raw":"A for $1","args":null,"text":"A for $1"} (glob)
  {"schema":1,"ok":true}
  [1]
  $ say '{"decide":"skip","session":"host"}' '{"pause":"lunch"}' next | xylem sequence drive $run
  {"schema":1,"ok":true}
  {"schema":1,"ok":true}
  [1]
  $ xylem sequence status $run
  run         * (glob)
  sequence    q
  state       paused before step 2 of 2 in run 1 of 1
  because     left: lunch
  step        /readonly on
  steps       0 done, 1 skipped
  session     host
  started in  host
  started     *, newest event * (glob)
  owner       none
  next        `xylem -s store sequence drive *` (glob)
              `xylem -s store sequence stop *` (glob)
  $ verify

A failure and a stop end the run with 1.

  $ host
  $ say next claim '{"failed":{"code":"turn-error","message":"no key"}}' next | start "$AB"
  {"schema":1,"action":"execute","run_id":"*","iteration":0,"step_index":0,"attempt":1,"kind":"prompt","name":null,"canonical":null,"warnings":[],"raw":"A for $1","args":null,"text":"A for $1"} (glob)
  {"schema":1,"ok":true}
  {"schema":1,"ok":true}
  {"schema":1,"action":"finished","run_id":"*","outcome":"failed","code":"turn-error","message":"no key"} (glob)
  [1]
  $ run=$(id)
  $ phase
  "phase":"failed"
  $ say '{"stop":"enough"}' | start "$AB"
  {"schema":1,"ok":true}
  [1]
  $ xylem sequence runs --jsonl
  {"schema":1,"run_id":"*","sequence_id":"q","phase":"stopped","iteration":0,"iteration_count":1,"step_index":0,"step_count":2,"attempt":1,"step":"A for $1","session":"host","host_session":"host","origin":{"session":"host","entry":"a"},"started":"*","newest":"*","outcome":"stopped","code":"user","message":"enough","owner":null,"done_count":0,"skipped_count":0} (glob)
  {"schema":1,"run_id":"*","sequence_id":"q","phase":"failed","iteration":0,"iteration_count":1,"step_index":0,"step_count":2,"attempt":1,"step":"A for $1","session":"host","host_session":"host","origin":{"session":"host","entry":"a"},"started":"*","newest":"*","outcome":"failed","code":"turn-error","message":"no key","owner":null,"done_count":0,"skipped_count":0} (glob)
  $ verify

A sequence with a problem is not started. The snapshot of the session has a control character.

  $ host
  $ start ',"sequence_id":"q","steps":["fine","/none"]' </dev/null
  xylem: sequence drive: the sequence cannot be run: step 2 of 2: there is no command, prompt or skill /none
  [1]
  $ xylem sessions --runs
  SESSION  AGE  ENTRIES  DIRECTORY  NAME  LAST
  host      0s        1  -          -     -
  $ start '' </dev/null
  xylem: sequence drive: the sequence cannot be run: step 2 of 3: the step has a control character at byte 24
  [1]
  $ start "$AB"',"iteration_count":1001' </dev/null
  xylem: sequence drive: start.json: iteration_count is not a number from 1 to 1000
  [2]

Steps of a request need the id of their sequence.

  $ start ',"steps":["one"]' </dev/null
  xylem: sequence drive: start.json: sequence_id is missing: steps need the id of their sequence
  [2]
  $ verify

A run takes the steps of the session.

  $ host
  $ xylem sequence save host --step only --id saved >/dev/null
  $ say next | start ',"fresh":true'
  {"schema":1,"action":"new-session","run_id":"*","iteration":0} (glob)
  [1]
  $ xylem sequence show --run $(id) --json
  {"schema":1,"sequence_id":"saved","run_id":"*","steps":["only"],"args":null} (glob)
  $ verify

A request names the session by its whole id.

  $ host
  $ add host-long n note
  $ xylem sequence save host-long --step only --id saved >/dev/null
  $ for id in hos host-lon host-long:saved 'host-long\u0000x'; do
  >     printf '%s' "{\"session\":\"$id\",\"catalogue\":$CATALOGUE}" >start.json
  >     xylem sequence drive start --file start.json </dev/null || echo $?
  > done
  xylem: sequence drive: start.json: there is no session hos
  3
  xylem: sequence drive: start.json: there is no session host-lon
  3
  xylem: sequence drive: start.json: there is no session host-long:saved
  3
  xylem: sequence drive: start.json: there is no session host-long
  3
  $ xylem sessions --runs | grep seq.
  [1]
  $ verify

A decision is recorded, and a host goes on.

  $ host
  $ say next claim | start "$AB" >/dev/null
  [1]
  $ run=$(id)
  $ xylem sequence retry $run --dry-run
  run *: would attempt again step 1 of 2 in run 1 of 1 (glob)
  $ phase
  "phase":"interrupted"
  $ xylem sequence retry $run
  xylem: sequence retry: standard input is not a terminal: give --yes (nothing was recorded) (see `xylem sequence retry --help`)
  [2]
  $ xylem sequence retry $run --yes
  run *: to be attempted again: step 1 of 2 in run 1 of 1 (glob)
  $ xylem sequence status $run --json
  {"schema":1,"run_id":"*","sequence_id":"q","phase":"paused","iteration":0,"iteration_count":1,"step_index":0,"step_count":2,"attempt":2,"step":"A for $1","session":"host","host_session":"host","origin":{"session":"host","entry":"a"},"started":"*","newest":"*","outcome":null,"code":null,"message":null,"owner":null,"done_count":0,"skipped_count":0} (glob)
  $ xylem sequence skip $run --yes
  xylem: sequence skip: run * is paused: only an interrupted step can be retried or skipped (glob)
  [4]
  $ say again claim | xylem sequence drive $run
  {"schema":1,"action":"execute","run_id":"*","iteration":0,"step_index":0,"attempt":2,"kind":"prompt","name":null,"canonical":null,"warnings":[],"raw":"A for $1","args":null,"text":"A for $1"} (glob)
  {"schema":1,"ok":true}
  [1]
  $ xylem sequence skip $run --yes
  run *: skipped step 1 of 2 in run 1 of 1 (glob)
  $ xylem sequence stop $run -y
  run *: stopped at step 2 of 2 in run 1 of 1 (glob)
  $ xylem sequence stop $run -y
  xylem: sequence stop: run * is stopped already (glob)
  [4]
  $ verify

A tampered ledger is damaged.

  $ host
  $ say next claim | start "$AB" >/dev/null
  [1]
  $ run=$(id)
  $ xylem append seq.$run --kind custom:sequence-run --id tampered --data '{"event":"\u001b[2J"}'
  tampered
  $ xylem sequence status $run
  run         * (glob)
  sequence    q
  state       damaged
  because     the entry tampered: version is not 1
  step        A for $1
  steps       0 done, 0 skipped
  started in  host
  started     *, newest event * (glob)
  owner       none
  next        `xylem -s store sequence log *` (glob)
              `xylem -s store delete seq.*` (glob)
  [1]
  $ xylem sequence retry --yes $run
  xylem: sequence retry: the ledger of run * is damaged: the entry tampered: version is not 1; `xylem -s store sequence log *` shows the ledger (glob)
  [2]
  $ xylem sequence stop --yes $run
  xylem: sequence stop: the ledger of run * is damaged: the entry tampered: version is not 1; `xylem -s store sequence log *` shows the ledger (glob)
  [2]
  $ xylem sequence show --run $run
  xylem: sequence show: the ledger of run * is damaged: the entry tampered: version is not 1; `xylem -s store sequence log *` shows the ledger (glob)
  [2]
  $ xylem sequence drive $run </dev/null
  xylem: sequence drive: the ledger of run * is damaged: the entry tampered: version is not 1 (glob)
  [2]
  $ xylem sequence runs
  RUN                                               STARTED  STATE    ITERATION  STEP  SESSION  OWNER
  *  *  damaged        1/1   1/2  host     - (glob)
  $ xylem sequence log $run
                 TIME  EVENT    ITERATION  STEP  WHAT
  *  start            1     -  2 steps, 1 run, started in host (glob)
  *  begin            1     -  host (glob)
  *  claim            1     1  prompt (glob)
  *  \\x1b[2J          -     - (glob)
  $ xylem delete seq.$run --yes 2>/dev/null
  deleted session seq.* (its leaf has depth 4) (glob)
  $ xylem sequence runs --all
  xylem: sequence runs: there are no runs
  $ verify

A redacted run has ended, and says so. The steps stand in the start.

  $ host
  $ say next claim | start "$AB" >/dev/null
  [1]
  $ run=$(id)
  $ xylem redact seq.$run:i0.s0.a1 --reason key --yes >/dev/null
  $ xylem sequence show --run $run
  sequence    q
  run         * (glob)
  steps       2
   1  A for $1
   2  /readonly on
  $ xylem redact seq.$run:start --reason key --yes >/dev/null
  $ xylem sequence status $run
  run         * (glob)
  state       redacted
  because     the entry start: it was redacted
  steps       0 done, 0 skipped
  owner       none
  $ xylem sequence runs
  RUN                                   STARTED  STATE     ITERATION  STEP  SESSION  OWNER
  *        -  redacted          -     -  -        - (glob)
  $ xylem sequence log $run
                 TIME  EVENT  ITERATION  STEP  WHAT
  *  \?              -     -  the payload of entry start was redacted (glob)
  *  begin          1     -  host (glob)
  *  \?              -     -  the payload of entry i0.s0.a1 was redacted (glob)
  $ xylem sequence stop $run --yes
  xylem: sequence stop: run * is redacted already (glob)
  [4]
  $ xylem sequence show --run $run
  xylem: sequence show: the steps of run * were redacted (glob)
  [1]
  $ XYLEM_NOW=2036-11-20T19:30:00Z xylem sequence runs
  xylem: sequence runs: 1 run ended more than a week ago (--all shows them)
  $ verify

Sessions leaves out ledgers. A part of an id never means a ledger; the whole id does.

  $ host
  $ say next claim | start "$AB" >/dev/null
  [1]
  $ run=$(id)
  $ xylem sessions --jsonl | grep -o '"session":"seq[^"]*"'
  [1]
  $ xylem sessions --runs --jsonl | grep -c "\"session\":\"seq.$run\""
  1
  $ xylem tree --family host
  SESSION  OWN  SHARED  FORKED AT    READONLY  LEAF  NAME
  ● host     1       -  -            off         0s  -
  $ xylem complete -- log seq.$(echo $run | cut -c 1-12)
  $ xylem log seq.$(echo $run | cut -c 1-12)x
  xylem: log: there is no session and no entry 'seq.*'; `xylem -s store sessions` lists the sessions (glob)
  [3]
  $ xylem log seq.$(echo $run | cut -c 1-13)
  xylem: log: there is no session and no entry 'seq.*'; `xylem -s store sessions` lists the sessions (glob)
  [3]
  $ xylem log seq.$run | wc -l
  3
  $ xylem show @last --json | grep -o '"session":"[^"]*"'
  "session":"host"
  $ xylem complete -- sequence status 01 | grep -c "^$run"
  1

A session with such a name and without a start is nobody's ledger.

  $ add seq.0198c0de-0000-7000-8000-000000000001 n note
  $ xylem sessions --jsonl | grep -o '"session":"seq[^"]*"'
  "session":"seq.0198c0de-0000-7000-8000-000000000001"
  $ verify
