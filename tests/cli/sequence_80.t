xylem sequence, on a terminal of 80 columns: what each verb looks like.

  $ . "$TESTDIR/setup.sh"
  $ . "$TESTDIR/runs.sh"

The run R1 is done, R2 is interrupted, R3 is paused, R4 has failed. The time is before the runs: every age is none.

  $ runs
  $ export XYLEM_NOW=2020-01-01T00:00:00Z COLUMNS=80

  $ xylem sequence list
  SESSION  STEPS  UPDATED  FIRST STEP
  host         3       0s  /readonly on
  other        1       0s  Summarise what changed since yesterday
  $ xylem sequence list host
  ENTRY  TIME  STEPS  STATE
  a        0s      3  counts
  $ xylem sequence show host
  sequence    q
  session     host
  entry       a, depth 1, * (glob)
  steps       3
   1  /readonly on
   2  Plan it for $@
      and name \x1b the files
   3  /handoff execution
  $ xylem sequence show --run $R1
  sequence    q
  run         * (glob)
  arguments   the parser
  steps       2
   1  A for $1
   2  /readonly on
  $ xylem sequence validate host --commands commands.json
  step 2: control: the step has a control character at byte 24
  step 3: extension: /handoff belongs to the extension
          /home/dev/.pi/agent/extensions/agenticoding.ts, which does not offer the
          command to sequences
  2 of 3 steps cannot be run
  [1]
  $ xylem sequence preview host --commands commands.json
   1  command   /readonly on
   2  -         control: the step has a control character at byte 24
   3  -         extension: /handoff belongs to the extension
                /home/dev/.pi/agent/extensions/agenticoding.ts, which does not
                offer the command to sequences
  2 of 3 steps cannot be run
  [1]
  $ xylem sequence preview --file steps.json --commands commands.json
   1  command   /readonly
   2  template  /plan the parser, its tests, its documentation and its benches,
                and nothing else in this repository
  step 1: warning: toggles: a toggle without an argument: every second run gets
                            the other state
  $ xylem sequence save host --step /none --commands commands.json
  step 1: unknown: there is no command, prompt or skill /none
  1 of 1 step cannot be run
  xylem: sequence save: nothing was saved
  [1]
  $ xylem sequence runs
  RUN            STARTED  STATE        ITERATION  STEP  SESSION  OWNER
  *       0s  failed             1/1   1/2  host     - (glob)
  *       0s  paused             1/1   2/2  host     - (glob)
  *       0s  interrupted        1/5   2/2  host     - (glob)
  *       0s  done               2/2   2/2  host-2   - (glob)
  $ xylem sequence status $R1
  run         * (glob)
  sequence    q
  state       done: 2 runs
  steps       4 done, 0 skipped
  session     host-2
  started in  host
  started     *, newest event * (glob)
  owner       none
  $ xylem sequence status $R2
  run         * (glob)
  sequence    q
  state       interrupted at step 2 of 2 in run 1 of 5
              whether the step took effect is not known
  step        /readonly on
  steps       1 done, 0 skipped
  session     host
  started in  host
  started     *, newest event * (glob)
  owner       none
  next        `xylem -s store sequence retry *` (glob)
              `xylem -s store sequence skip *` (glob)
              `xylem -s store sequence stop *` (glob)
  $ xylem sequence status $R3
  run         * (glob)
  sequence    q
  state       paused before step 2 of 2 in run 1 of 1
  because     left: gone to lunch
  step        /readonly on
  steps       1 done, 0 skipped
  session     host
  started in  host
  started     *, newest event * (glob)
  owner       none
  next        `xylem -s store sequence drive *` (glob)
              `xylem -s store sequence stop *` (glob)
  $ xylem sequence status $R4
  run         * (glob)
  sequence    q
  state       failed at step 1 of 2 in run 1 of 1
  because     turn-error: the key has expired; ask the owner of the account for a
              new key, and try again
  steps       0 done, 0 skipped
  session     host
  started in  host
  started     *, newest event * (glob)
  owner       none
  $ xylem sequence log $R1
  TIME  EVENT   ITERATION  STEP  WHAT
    0s  start           1     -  2 steps, 2 runs, started in host
    0s  begin           1     -  host
    0s  claim           1     1  prompt
    0s  end             1     1  done
    0s  claim           1     2  command readonly
    0s  end             1     2  done
    0s  reset           1     -
    0s  begin           2     -  host-2
    0s  claim           2     1  prompt
    0s  end             2     1  done
    0s  claim           2     2  command readonly
    0s  end             2     2  done
    0s  finish          2     2  done
  $ xylem sequence log $R3
  TIME  EVENT  ITERATION  STEP  WHAT
    0s  start          1     -  2 steps, 1 run, started in host
    0s  begin          1     -  host
    0s  claim          1     1  prompt
    0s  end            1     1  done, entry a
    0s  pause          1     2  left: gone to lunch
  $ xylem sequence retry $R2 --dry-run
  run *: would attempt again step 2 of 2 in run (glob)
    1 of 5
  $ xylem sequence retry $R2 --yes
  run *: to be attempted again: step 2 of 2 in (glob)
    run 1 of 5
  $ xylem sequence stop $R2 --yes
  run *: stopped at step 2 of 2 in run 1 of 5 (glob)
  $ xylem sequence stop $R2 --yes
  xylem: sequence stop: run * is stopped already (glob)
  [4]
  $ xylem sequence status $R2
  run         * (glob)
  sequence    q
  state       stopped at step 2 of 2 in run 1 of 5
  because     user: stopped by hand
  steps       1 done, 0 skipped
  session     host
  started in  host
  started     *, newest event * (glob)
  owner       none
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
  $ xylem help sequence drive
  usage: xylem sequence drive RUN [--session SESSION]|start --file FILE
  
  Play a run for a host that speaks JSON lines.
  
  Reads a line for each request of the host, and answers each with a line: the
  next action, `ok`, or an error. `start` makes a new run of the steps in FILE, or
  of the session's sequence. The end of input pauses the run between two steps; in
  a step the run is interrupted, and goes on after a decision. Exit codes: 0: the
  run is done; 1: the run failed, was stopped, or stays paused or interrupted; 4:
  another process took the run.
  
  options:
        --file FILE         drive start: the new run, as a JSON object; FILE
                            cannot be -
        --session SESSION   drive RUN: the session of the host in which the run
                            goes on (default: the session of the run)
  
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
  $ verify
