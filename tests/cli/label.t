xylem label: sets, changes and removes the label of an entry.

  $ . "$TESTDIR/setup.sh"

A label is set, changed and removed.

  $ fresh
  $ add talk first note
  $ add talk second note
  $ xylem label talk:first 'the "good" one'
  label of first: none -> the "good" one
  $ xylem show talk --json
  {"schema":1,"session":"talk","entry":"*","parent":"second","kind":"label","time":"*","depth":3,"branch":1,"lsn":4,"check":"*","imported":false,"line_bytes":0,"format":"json","payload_bytes":47,"label":null,"payload":{"targetId":"first","label":"the \"good\" one"}} (glob)
  $ xylem label 'talk:the "good" one' better
  label of first: the "good" one -> better
  $ xylem show talk:better --json
  {"schema":1,"session":"talk","entry":"first","parent":null,"kind":"note","time":"*","depth":1,"branch":1,"lsn":2,"check":"*","imported":false,"line_bytes":0,"format":"none","payload_bytes":0,"label":"better","payload":null} (glob)
  $ xylem label talk:better
  label of first: better -> none
  $ xylem show talk --json
  {"schema":1,"session":"talk","entry":"*","parent":"*","kind":"label","time":"*","depth":5,"branch":1,"lsn":6,"check":"*","imported":false,"line_bytes":0,"format":"json","payload_bytes":20,"label":null,"payload":{"targetId":"first"}} (glob)
  $ xylem label talk:first
  xylem: label: the entry first has no label
  [3]
  $ xylem label talk:first ''
  xylem: label: the TEXT is empty: leave TEXT out to remove the label (see `xylem label --help`)
  [2]
  $ for label in none @ @{1} @~1 @x^2; do xylem label talk:first $label; done
  xylem: label: the label 'none' would not name the entry: 'none' means another place (see `xylem label --help`)
  xylem: label: the label '@' would not name the entry: '@' means another place (see `xylem label --help`)
  xylem: label: the label '@{1}' would not name the entry: '@{1}' means another place (see `xylem label --help`)
  xylem: label: the label '@~1' would not name the entry: '@~1' means another place (see `xylem label --help`)
  xylem: label: the label '@x^2' would not name the entry: '@x^2' means another place (see `xylem label --help`)
  [2]
  $ verify

A label needs an entry in the same word.

  $ fresh
  $ add talk first note
  $ add talk second note
  $ xylem label talk good
  xylem: label: 'talk' is a session, expected SESSION:ENTRY; 'talk:@' is its current entry (see `xylem label --help`)
  [2]
  $ xylem label talk:none good
  xylem: label: there is no entry 'none'; `xylem -s store tree --all talk` shows the ids
  [3]
  $ xylem label nobody:@ good
  xylem: label: there is no session 'nobody:@'
  [3]
  $ xylem log talk
  2  second  *  note        <leaf> (glob)
  1  first   *  note (glob)
  $ verify

A label in a session of a host is refused. No host knows a clone.

  $ scenario
  $ xylem label 01a1f9f7-22cb:@^6 good
  xylem: label: a file keeps the session, and would lack the change: in pi, press shift+l on the entry in /tree (--only-in-store changes the store alone; the file is */fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl) (glob)
  [4]
  $ xylem label 01a1f9f7-22cb:@^6 good --only-in-store
  label of 8d16e680: none -> good
  $ xylem clone 01a1f9f7-22cb --id copy
  copy
  $ xylem label copy:good better
  label of 8d16e680: good -> better
  $ verify

A session whose file is gone takes labels: nobody keeps the session any more, so nobody would miss the label.

  $ fresh
  $ cp $SCENARIO talk.jsonl
  $ xylem import -q talk.jsonl
  1 file: 1 new; 31 entries added, 0 lines put into quarantine, 0 problems
  $ xylem label 01a1f9f7-22cb:@^6 good
  xylem: label: a file keeps the session, and would lack the change: in pi, press shift+l on the entry in /tree (--only-in-store changes the store alone; the file is */4/talk.jsonl) (glob)
  [4]
  $ rm talk.jsonl
  $ xylem label 01a1f9f7-22cb:@^6 good
  label of 8d16e680: none -> good
  $ xylem rename 01a1f9f7-22cb name
  name: scenario one -> name
  $ xylem navigate 01a1f9f7-22cb:@~1
  leaf: * -> * (glob)
  $ add $SCENARIO_ID e1 note
  $ verify
