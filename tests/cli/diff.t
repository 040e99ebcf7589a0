xylem diff: the common part of two histories, both additions, and the states.

  $ . "$TESTDIR/setup.sh"
  $ COPY_ID=copy:of:01a1f9f7

The first lines of the scenario can be a session of another id, which shares nothing with the scenario in the store.

  $ copy() {
  >     head -n $1 $SCENARIO | sed "s/$SCENARIO_ID/$COPY_ID/g" >copy.jsonl
  >     xylem import -q copy.jsonl >/dev/null
  > }

Branches of a session are compared.

  $ scenario
  $ indent xylem diff $SCENARIO_ID:after-block :@
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:6f7578e6  depth 11  2h ago  [after-block]
    > 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    = 8d16e680  depth 6  2h ago  shared
    
    < 5 more entries
    <  7  88fe2aff  2026-11-20 17:18:05  custom:readonly  {"enabled":true}
    <  8  26de9cb1  2026-11-20 17:18:05  user             !tool write {"path":"ro.txt","content":"nope"}
    <  9  fdf4cbd2  2026-11-20 17:18:05  assistant        write(ro.txt)
    < 10  be4cd5e4  2026-11-20 17:18:05  toolResult       write error: Readonly mode: write/edit disabled. Use /readonly to disab…
    < 11  6f7578e6  2026-11-20 17:18:05  assistant        [after-block] done: Readonly mode: write/edit disabled. Use /readonly to disable
    
    > 14 more entries
    >  7  d3300e75  2026-11-20 17:18:05  user             branch B question
    >  8  5b8612f6  2026-11-20 17:18:05  assistant        echo: branch B question
    >  9  3dc585ab  2026-11-20 17:18:05  custom:readonly  {"enabled":true}
    > 10  d3fe142d  2026-11-20 17:18:05  user             branch B second
    > … 6 entries
    > 17  4f9ef798  2026-11-20 17:18:05  user             after compaction
    > 18  8db136e6  2026-11-20 17:18:05  assistant        echo: after compaction
    > 19  e37e3f3d  2026-11-20 17:18:05  user             after resume
    > 20  32512cc7  2026-11-20 17:18:05  assistant        <leaf> echo: after resume
    
    readonly  = on   decided by 88fe2aff and by 3dc585ab
    nudge     = due: readonly went on
    sequence  = none
    todo      = none
    mark      = none
  [1]
  $ indent xylem diff $SCENARIO_ID:after-block :@ --all
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:6f7578e6  depth 11  2h ago  [after-block]
    > 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    = 8d16e680  depth 6  2h ago  shared
    
    < 5 more entries
    <  7  88fe2aff  2026-11-20 17:18:05  custom:readonly  {"enabled":true}
    <  8  26de9cb1  2026-11-20 17:18:05  user             !tool write {"path":"ro.txt","content":"nope"}
    <  9  fdf4cbd2  2026-11-20 17:18:05  assistant        write(ro.txt)
    < 10  be4cd5e4  2026-11-20 17:18:05  toolResult       write error: Readonly mode: write/edit disabled. Use /readonly to disab…
    < 11  6f7578e6  2026-11-20 17:18:05  assistant        [after-block] done: Readonly mode: write/edit disabled. Use /readonly to disable
    
    > 14 more entries
    >  7  d3300e75  2026-11-20 17:18:05  user             branch B question
    >  8  5b8612f6  2026-11-20 17:18:05  assistant        echo: branch B question
    >  9  3dc585ab  2026-11-20 17:18:05  custom:readonly  {"enabled":true}
    > 10  d3fe142d  2026-11-20 17:18:05  user             branch B second
    > 11  54d08232  2026-11-20 17:18:05  assistant        echo: branch B second
    > 12  7c1eb7ea  2026-11-20 17:18:05  user             !big 600
    > 13  7e89d41d  2026-11-20 17:18:05  assistant        word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 wo…  5.0 KiB
    > 14  b0bc11ca  2026-11-20 17:18:05  user             !big 500
    > 15  63ff5e92  2026-11-20 17:18:05  assistant        word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 wo…  4.2 KiB
    > 16  d8b2463f  2026-11-20 17:18:05  compaction       ## Goal Faux summary #25 ## Progress - summarised 5851 chars -…  6.1 KiB
    > 17  4f9ef798  2026-11-20 17:18:05  user             after compaction
    > 18  8db136e6  2026-11-20 17:18:05  assistant        echo: after compaction
    > 19  e37e3f3d  2026-11-20 17:18:05  user             after resume
    > 20  32512cc7  2026-11-20 17:18:05  assistant        <leaf> echo: after resume
    
    readonly  = on   decided by 88fe2aff and by 3dc585ab
    nudge     = due: readonly went on
    sequence  = none
    todo      = none
    mark      = none
  [1]
  $ xylem diff $SCENARIO_ID:after-block :@ --json
  {"schema":1,"same":false,"common":{"entry":"8d16e680","parent":"15efa3b4","kind":"message","time":"2026-11-20T17:18:05.650Z","depth":6,"sharing":"shared","shared_depth":6},"a":{"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","entry":"6f7578e6","depth":11,"added_count":5,"entries":[{"entry":"88fe2aff","parent":"8d16e680","kind":"custom:readonly","time":"2026-11-20T17:18:05.655Z","depth":7,"label":null},{"entry":"26de9cb1","parent":"88fe2aff","kind":"message","time":"2026-11-20T17:18:05.658Z","depth":8,"label":null},{"entry":"fdf4cbd2","parent":"26de9cb1","kind":"message","time":"2026-11-20T17:18:05.668Z","depth":9,"label":null},{"entry":"be4cd5e4","parent":"fdf4cbd2","kind":"message","time":"2026-11-20T17:18:05.669Z","depth":10,"label":null},{"entry":"6f7578e6","parent":"be4cd5e4","kind":"message","time":"2026-11-20T17:18:05.684Z","depth":11,"label":"after-block"}]},"b":{"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","entry":"32512cc7","depth":20,"added_count":14,"entries":[{"entry":"d3300e75","parent":"8d16e680","kind":"message","time":"2026-11-20T17:18:05.723Z","depth":7,"label":null},{"entry":"5b8612f6","parent":"d3300e75","kind":"message","time":"2026-11-20T17:18:05.728Z","depth":8,"label":null},{"entry":"3dc585ab","parent":"5b8612f6","kind":"custom:readonly","time":"2026-11-20T17:18:05.729Z","depth":9,"label":null},{"entry":"d3fe142d","parent":"3dc585ab","kind":"message","time":"2026-11-20T17:18:05.733Z","depth":10,"label":null},{"entry":"54d08232","parent":"d3fe142d","kind":"message","time":"2026-11-20T17:18:05.740Z","depth":11,"label":null},{"entry":"7c1eb7ea","parent":"54d08232","kind":"message","time":"2026-11-20T17:18:05.741Z","depth":12,"label":null},{"entry":"7e89d41d","parent":"7c1eb7ea","kind":"message","time":"2026-11-20T17:18:05.757Z","depth":13,"label":null},{"entry":"b0bc11ca","parent":"7e89d41d","kind":"message","time":"2026-11-20T17:18:05.765Z","depth":14,"label":null},{"entry":"63ff5e92","parent":"b0bc11ca","kind":"message","time":"2026-11-20T17:18:05.791Z","depth":15,"label":null},{"entry":"d8b2463f","parent":"63ff5e92","kind":"compaction","time":"2026-11-20T17:18:05.804Z","depth":16,"label":null},{"entry":"4f9ef798","parent":"d8b2463f","kind":"message","time":"2026-11-20T17:18:05.806Z","depth":17,"label":null},{"entry":"8db136e6","parent":"4f9ef798","kind":"message","time":"2026-11-20T17:18:05.809Z","depth":18,"label":null},{"entry":"e37e3f3d","parent":"8db136e6","kind":"message","time":"2026-11-20T17:18:05.942Z","depth":19,"label":null},{"entry":"32512cc7","parent":"e37e3f3d","kind":"message","time":"2026-11-20T17:18:05.944Z","depth":20,"label":null}]},"a_state":{"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"6f7578e6","depth":11},"readonly":true,"readonly_from":"path","readonly_entry":"88fe2aff","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10},"b_state":{"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"32512cc7","depth":20},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":3,"decoded_count":1,"decoded_bytes":10},"differs":[],"labels":[]}
  [1]
  $ indent xylem diff $SCENARIO_ID:after-block :@ --color always
    \x1b[31m<\x1b[0m \x1b[33m01a1f9f7-22cb-72e7-96e0-96825857127f\x1b[0m:\x1b[33m6f7578e6\x1b[0m  depth 11  \x1b[2m2h ago\x1b[0m  \x1b[35m[after-block]\x1b[0m (esc)
    \x1b[32m>\x1b[0m \x1b[33m01a1f9f7-22cb-72e7-96e0-96825857127f\x1b[0m:\x1b[33m32512cc7\x1b[0m  depth 20  \x1b[2m2h ago\x1b[0m  \x1b[32m<leaf>\x1b[0m (esc)
    = \x1b[33m8d16e680\x1b[0m  depth 6  \x1b[2m2h ago\x1b[0m  shared (esc)
    
    \x1b[31m<\x1b[0m \x1b[1m5 more entries\x1b[0m (esc)
    \x1b[31m<\x1b[0m  7  \x1b[33m88fe2aff\x1b[0m  \x1b[2m2026-11-20 17:18:05\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":true} (esc)
    \x1b[31m<\x1b[0m  8  \x1b[33m26de9cb1\x1b[0m  \x1b[2m2026-11-20 17:18:05\x1b[0m  \x1b[32muser\x1b[0m             !tool write {"path":"ro.txt","content":"nope"} (esc)
    \x1b[31m<\x1b[0m  9  \x1b[33mfdf4cbd2\x1b[0m  \x1b[2m2026-11-20 17:18:05\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[36mwrite(ro.txt)\x1b[0m (esc)
    \x1b[31m<\x1b[0m 10  \x1b[33mbe4cd5e4\x1b[0m  \x1b[2m2026-11-20 17:18:05\x1b[0m  \x1b[31mtoolResult\x1b[0m       \x1b[31mwrite error:\x1b[0m Readonly mode: write/edit disabled. Use /readonly to disab… (esc)
    \x1b[31m<\x1b[0m 11  \x1b[33m6f7578e6\x1b[0m  \x1b[2m2026-11-20 17:18:05\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[35m[after-block]\x1b[0m done: Readonly mode: write/edit disabled. Use /readonly to disable (esc)
    
    \x1b[32m>\x1b[0m \x1b[1m14 more entries\x1b[0m (esc)
    \x1b[32m>\x1b[0m  7  \x1b[33md3300e75\x1b[0m  \x1b[2m2026-11-20 17:18:05\x1b[0m  \x1b[32muser\x1b[0m             branch B question (esc)
    \x1b[32m>\x1b[0m  8  \x1b[33m5b8612f6\x1b[0m  \x1b[2m2026-11-20 17:18:05\x1b[0m  \x1b[34massistant\x1b[0m        echo: branch B question (esc)
    \x1b[32m>\x1b[0m  9  \x1b[33m3dc585ab\x1b[0m  \x1b[2m2026-11-20 17:18:05\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":true} (esc)
    \x1b[32m>\x1b[0m 10  \x1b[33md3fe142d\x1b[0m  \x1b[2m2026-11-20 17:18:05\x1b[0m  \x1b[32muser\x1b[0m             branch B second (esc)
    \x1b[32m>\x1b[0m … 6 entries (esc)
    \x1b[32m>\x1b[0m 17  \x1b[33m4f9ef798\x1b[0m  \x1b[2m2026-11-20 17:18:05\x1b[0m  \x1b[32muser\x1b[0m             after compaction (esc)
    \x1b[32m>\x1b[0m 18  \x1b[33m8db136e6\x1b[0m  \x1b[2m2026-11-20 17:18:05\x1b[0m  \x1b[34massistant\x1b[0m        echo: after compaction (esc)
    \x1b[32m>\x1b[0m 19  \x1b[33me37e3f3d\x1b[0m  \x1b[2m2026-11-20 17:18:05\x1b[0m  \x1b[32muser\x1b[0m             after resume (esc)
    \x1b[32m>\x1b[0m 20  \x1b[33m32512cc7\x1b[0m  \x1b[2m2026-11-20 17:18:05\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[32m<leaf>\x1b[0m echo: after resume (esc)
    
    \x1b[2mreadonly\x1b[0m  = \x1b[31mon\x1b[0m   decided by \x1b[33m88fe2aff\x1b[0m and by \x1b[33m3dc585ab\x1b[0m (esc)
    \x1b[2mnudge\x1b[0m     = due: readonly went on (esc)
    \x1b[2msequence\x1b[0m  = none (esc)
    \x1b[2mtodo\x1b[0m      = none (esc)
    \x1b[2mmark\x1b[0m      = none (esc)
  [1]
  $ COLUMNS=60 indent xylem diff $SCENARIO_ID:after-block :@
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:6f7578e6
      depth 11  2h ago  [after-block]
    > 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7
      depth 20  2h ago  <leaf>
    = 8d16e680  depth 6  2h ago  shared
    
    < 5 more entries
    <  7  88fe2aff  2h  custom:readonly  {"enabled":true}
    <  8  26de9cb1  2h  user             !tool write {"path":"r…
    <  9  fdf4cbd2  2h  assistant        write(ro.txt)
    < 10  be4cd5e4  2h  toolResult       write error: Readonly …
    < 11  6f7578e6  2h  assistant        [after-block] done: Re…
    
    > 14 more entries
    >  7  d3300e75  2h  user             branch B question
    >  8  5b8612f6  2h  assistant        echo: branch B question
    >  9  3dc585ab  2h  custom:readonly  {"enabled":true}
    > 10  d3fe142d  2h  user             branch B second
    > … 6 entries
    > 17  4f9ef798  2h  user             after compaction
    > 18  8db136e6  2h  assistant        echo: after compaction
    > 19  e37e3f3d  2h  user             after resume
    > 20  32512cc7  2h  assistant        <leaf> echo: after res…
    
    readonly  = on   decided by 88fe2aff and by 3dc585ab
    nudge     = due: readonly went on
    sequence  = none
    todo      = none
    mark      = none
  [1]
  $ COLUMNS=160 indent xylem diff $SCENARIO_ID:after-block :@
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:6f7578e6  depth 11  2h ago  [after-block]
    > 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    = 8d16e680  depth 6  2h ago  shared
    
    < 5 more entries
    <  7  88fe2aff  2h  custom:readonly  {"enabled":true}
    <  8  26de9cb1  2h  user             !tool write {"path":"ro.txt","content":"nope"}
    <  9  fdf4cbd2  2h  assistant        write(ro.txt)
    < 10  be4cd5e4  2h  toolResult       write error: Readonly mode: write/edit disabled. Use /readonly to disable.
    < 11  6f7578e6  2h  assistant        [after-block] done: Readonly mode: write/edit disabled. Use /readonly to disable
    
    > 14 more entries
    >  7  d3300e75  2h  user             branch B question
    >  8  5b8612f6  2h  assistant        echo: branch B question
    >  9  3dc585ab  2h  custom:readonly  {"enabled":true}
    > 10  d3fe142d  2h  user             branch B second
    > … 6 entries
    > 17  4f9ef798  2h  user             after compaction
    > 18  8db136e6  2h  assistant        echo: after compaction
    > 19  e37e3f3d  2h  user             after resume
    > 20  32512cc7  2h  assistant        <leaf> echo: after resume
    
    readonly  = on   decided by 88fe2aff and by 3dc585ab
    nudge     = due: readonly went on
    sequence  = none
    todo      = none
    mark      = none
  [1]
  $ COLUMNS=80 indent xylem diff $SCENARIO_ID:after-block :@
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:6f7578e6  depth 11  2h ago  [after-block]
    > 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    = 8d16e680  depth 6  2h ago  shared
    
    < 5 more entries
    <  7  88fe2aff  2h  custom:readonly  {"enabled":true}
    <  8  26de9cb1  2h  user             !tool write {"path":"ro.txt","content":"no…
    <  9  fdf4cbd2  2h  assistant        write(ro.txt)
    < 10  be4cd5e4  2h  toolResult       write error: Readonly mode: write/edit dis…
    < 11  6f7578e6  2h  assistant        [after-block] done: Readonly mode: write/e…
    
    > 14 more entries
    >  7  d3300e75  2h  user             branch B question
    >  8  5b8612f6  2h  assistant        echo: branch B question
    >  9  3dc585ab  2h  custom:readonly  {"enabled":true}
    > 10  d3fe142d  2h  user             branch B second
    > … 6 entries
    > 17  4f9ef798  2h  user             after compaction
    > 18  8db136e6  2h  assistant        echo: after compaction
    > 19  e37e3f3d  2h  user             after resume
    > 20  32512cc7  2h  assistant        <leaf> echo: after resume
    
    readonly  = on   decided by 88fe2aff and by 3dc585ab
    nudge     = due: readonly went on
    sequence  = none
    todo      = none
    mark      = none
  [1]
  $ LC_ALL=C COLUMNS=80 indent xylem diff $SCENARIO_ID:after-block :@
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:6f7578e6  depth 11  2h ago  [after-block]
    > 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    = 8d16e680  depth 6  2h ago  shared
    
    < 5 more entries
    <  7  88fe2aff  2h  custom:readonly  {"enabled":true}
    <  8  26de9cb1  2h  user             !tool write {"path":"ro.txt","content":"no~
    <  9  fdf4cbd2  2h  assistant        write(ro.txt)
    < 10  be4cd5e4  2h  toolResult       write error: Readonly mode: write/edit dis~
    < 11  6f7578e6  2h  assistant        [after-block] done: Readonly mode: write/e~
    
    > 14 more entries
    >  7  d3300e75  2h  user             branch B question
    >  8  5b8612f6  2h  assistant        echo: branch B question
    >  9  3dc585ab  2h  custom:readonly  {"enabled":true}
    > 10  d3fe142d  2h  user             branch B second
    > ... 6 entries
    > 17  4f9ef798  2h  user             after compaction
    > 18  8db136e6  2h  assistant        echo: after compaction
    > 19  e37e3f3d  2h  user             after resume
    > 20  32512cc7  2h  assistant        <leaf> echo: after resume
    
    readonly  = on   decided by 88fe2aff and by 3dc585ab
    nudge     = due: readonly went on
    sequence  = none
    todo      = none
    mark      = none
  [1]

Both forms of JSON are one document.

  $ xylem diff $SCENARIO_ID :@~3 --json >document
  [1]
  $ xylem diff $SCENARIO_ID :@~3 --jsonl | cmp - document
  $ xylem diff $SCENARIO_ID :@ --json --jsonl
  xylem: diff: --json and --jsonl cannot be combined (see `xylem diff --help`)
  [2]

The same entry does not differ.

  $ indent xylem diff $SCENARIO_ID 32512cc7
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    > 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    = 32512cc7  depth 20  2h ago  shared
    
    readonly  = on   decided by 3dc585ab
    nudge     = due: readonly went on
    sequence  = none
    todo      = none
    mark      = none
  $ xylem clone $SCENARIO_ID --id twin
  twin
  $ xylem diff $SCENARIO_ID twin --json
  {"schema":1,"same":true,"common":{"entry":"32512cc7","parent":"e37e3f3d","kind":"message","time":"2026-11-20T17:18:05.944Z","depth":20,"sharing":"shared","shared_depth":20},"a":{"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","entry":"32512cc7","depth":20,"added_count":0,"entries":[]},"b":{"session":"twin","entry":"32512cc7","depth":20,"added_count":0,"entries":[]},"a_state":{"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"32512cc7","depth":20},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":3,"decoded_count":1,"decoded_bytes":10},"b_state":{"session":"twin","at":{"entry":"32512cc7","depth":20},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":3,"decoded_count":1,"decoded_bytes":10},"differs":[],"labels":[]}
  $ verify

Labels of common entries are compared. A fork shares: what is labelled anew in one of them is the one thing that differs.

  $ scenario
  $ xylem clone $SCENARIO_ID --id twin
  twin
  $ add twin l1 label '{"targetId":"8d16e680","label":"here"}'
  $ add twin l2 label '{"targetId":"l1","label":"its own"}'
  $ indent xylem diff $SCENARIO_ID twin
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    > twin:l2  depth 22  0s ago  <leaf>
    = 32512cc7  depth 20  2h ago  shared
    
    < nothing more
    
    > 2 more entries
    > 21  l1  *  label       [its own] here on 8d16e680 (glob)
    > 22  l2  *  label       <leaf> its own on l1 (glob)
    
    readonly  = on   decided by 3dc585ab
    nudge     = due: readonly went on
    sequence  = none
    todo      = none
    mark      = none
    label     < 8d16e680 none
              > 8d16e680 [here]
  [1]
  $ xylem diff twin $SCENARIO_ID --json
  {"schema":1,"same":false,"common":{"entry":"32512cc7","parent":"e37e3f3d","kind":"message","time":"2026-11-20T17:18:05.944Z","depth":20,"sharing":"shared","shared_depth":20},"a":{"session":"twin","entry":"l2","depth":22,"added_count":2,"entries":[{"entry":"l1","parent":"32512cc7","kind":"label","time":"*","depth":21,"label":"its own"},{"entry":"l2","parent":"l1","kind":"label","time":"*","depth":22,"label":null}]},"b":{"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","entry":"32512cc7","depth":20,"added_count":0,"entries":[]},"a_state":{"session":"twin","at":{"entry":"l2","depth":22},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10},"b_state":{"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"32512cc7","depth":20},"readonly":true,"readonly_from":"path","readonly_entry":"3dc585ab","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":3,"decoded_count":1,"decoded_bytes":10},"differs":["labels"],"labels":[{"entry":"8d16e680","a_label":"here","b_label":null}]} (glob)
  [1]
  $ xylem label $SCENARIO_ID:8d16e680 there --only-in-store
  label of 8d16e680: none -> there
  $ indent xylem diff $SCENARIO_ID twin
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:*  depth 21  0s ago  <leaf> (glob)
    > twin:l2  depth 22  0s ago  <leaf>
    = 32512cc7  depth 20  2h ago  shared
    
    < 1 more entry
    < 21  *  *  label       <leaf> there on 8d16e680 (glob)
    
    > 2 more entries
    > 21  l1                                    *  label       [its own] here on 8d16e680 (glob)
    > 22  l2                                    *  label       <leaf> its own on l1 (glob)
    
    readonly  = on   decided by 3dc585ab
    nudge     = due: readonly went on
    sequence  = none
    todo      = none
    mark      = none
    label     < 8d16e680 [there]
              > 8d16e680 [here]
  [1]
  $ verify

Equal histories that are stored twice are found. The halving ends at each depth.

  $ scenario
  $ copy 12
  $ indent xylem diff $SCENARIO_ID:6f7578e6 $COPY_ID:6f7578e6
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:6f7578e6  depth 11  2h ago  [after-block]
    > copy:of:01a1f9f7:6f7578e6  depth 11  2h ago  <leaf>
    = 6f7578e6  depth 11  2h ago  equal, but stored twice
    
    readonly  = on   decided by 88fe2aff
    nudge     = due: readonly went on
    sequence  = none
    todo      = none
    mark      = none
    label     < 6f7578e6 [after-block]
              > 6f7578e6 none
  $ xylem append $COPY_ID --kind note --id extra --parent be4cd5e4 --only-in-store
  extra
  $ xylem diff $COPY_ID $SCENARIO_ID:6f7578e6 --json
  {"schema":1,"same":false,"common":{"entry":"be4cd5e4","parent":"fdf4cbd2","kind":"message","time":"2026-11-20T17:18:05.669Z","depth":10,"sharing":"equal","shared_depth":0},"a":{"session":"copy:of:01a1f9f7","entry":"extra","depth":11,"added_count":1,"entries":[{"entry":"extra","parent":"be4cd5e4","kind":"note","time":"*","depth":11,"label":null}]},"b":{"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","entry":"6f7578e6","depth":11,"added_count":1,"entries":[{"entry":"6f7578e6","parent":"be4cd5e4","kind":"message","time":"2026-11-20T17:18:05.684Z","depth":11,"label":"after-block"}]},"a_state":{"session":"copy:of:01a1f9f7","at":{"entry":"extra","depth":11},"readonly":true,"readonly_from":"path","readonly_entry":"88fe2aff","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10},"b_state":{"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","at":{"entry":"6f7578e6","depth":11},"readonly":true,"readonly_from":"path","readonly_entry":"88fe2aff","nudge":{"due":true,"direction":"on","why":"not-told","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":2,"decoded_count":1,"decoded_bytes":10},"differs":[],"labels":[]} (glob)
  [1]
  $ indent xylem diff $COPY_ID:be4cd5e4 $SCENARIO_ID
    < copy:of:01a1f9f7:be4cd5e4  depth 10  2h ago
    > 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    = 8d16e680  depth 6  2h ago  equal, but stored twice
    
    < 4 more entries
    <  7  88fe2aff  2026-11-20 17:18:05  custom:readonly  {"enabled":true}
    <  8  26de9cb1  2026-11-20 17:18:05  user             !tool write {"path":"ro.txt","content":"nope"}
    <  9  fdf4cbd2  2026-11-20 17:18:05  assistant        write(ro.txt)
    < 10  be4cd5e4  2026-11-20 17:18:05  toolResult       write error: Readonly mode: write/edit disabled. Use /readonly to disab…
    
    > 14 more entries
    >  7  d3300e75  2026-11-20 17:18:05  user             branch B question
    >  8  5b8612f6  2026-11-20 17:18:05  assistant        echo: branch B question
    >  9  3dc585ab  2026-11-20 17:18:05  custom:readonly  {"enabled":true}
    > 10  d3fe142d  2026-11-20 17:18:05  user             branch B second
    > … 6 entries
    > 17  4f9ef798  2026-11-20 17:18:05  user             after compaction
    > 18  8db136e6  2026-11-20 17:18:05  assistant        echo: after compaction
    > 19  e37e3f3d  2026-11-20 17:18:05  user             after resume
    > 20  32512cc7  2026-11-20 17:18:05  assistant        <leaf> echo: after resume
    
    readonly  = on   decided by 88fe2aff and by 3dc585ab
    nudge     = due: readonly went on
    sequence  = none
    todo      = none
    mark      = none
  [1]
  $ for back in 10 9 8 7 6 5 4 3 2 1; do
  >     xylem diff $SCENARIO_ID:6f7578e6~$back $COPY_ID:6f7578e6 --json | grep -o '"depth":[0-9]*,"sharing":"equal"'
  > done
  "depth":1,"sharing":"equal"
  "depth":2,"sharing":"equal"
  "depth":3,"sharing":"equal"
  "depth":4,"sharing":"equal"
  "depth":5,"sharing":"equal"
  "depth":6,"sharing":"equal"
  "depth":7,"sharing":"equal"
  "depth":8,"sharing":"equal"
  "depth":9,"sharing":"equal"
  "depth":10,"sharing":"equal"
  $ verify

Entries of one id are not equal for that.

  $ fresh
  $ add a one note
  $ add b one note
  $ indent xylem diff a b
    < a:one  depth 1  * ago  <leaf> (glob)
    > b:one  depth 1  * ago  <leaf> (glob)
    = nothing: not even the first entries are equal
    
    < 1 more entry
    < 1  one  *  note        <leaf> (glob)
    
    > 1 more entry
    > 1  one  *  note        <leaf> (glob)
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  = none
    todo      = none
    mark      = none
  [1]
  $ xylem diff a b --json
  {"schema":1,"same":false,"common":null,"a":{"session":"a","entry":"one","depth":1,"added_count":1,"entries":[{"entry":"one","parent":null,"kind":"note","time":"*","depth":1,"label":null}]},"b":{"session":"b","entry":"one","depth":1,"added_count":1,"entries":[{"entry":"one","parent":null,"kind":"note","time":"*","depth":1,"label":null}]},"a_state":{"session":"a","at":{"entry":"one","depth":1},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":1,"decoded_count":0,"decoded_bytes":0},"b_state":{"session":"b","at":{"entry":"one","depth":1},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":1,"decoded_count":0,"decoded_bytes":0},"differs":[],"labels":[]} (glob)
  [1]
  $ verify

A session without a leaf has nothing.

  $ fresh
  $ add s root note
  $ xylem navigate s:none
  leaf: root -> none
  $ indent xylem diff s :root
    < s, no current entry
    > s:root  depth 1  * ago (glob)
    = nothing: not even the first entries are equal
    
    < nothing more
    
    > 1 more entry
    > 1  root  *  note (glob)
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  = none
    todo      = none
    mark      = none
  [1]
  $ xylem diff s s --json
  {"schema":1,"same":true,"common":null,"a":{"session":"s","entry":null,"depth":0,"added_count":0,"entries":[]},"b":{"session":"s","entry":null,"depth":0,"added_count":0,"entries":[]},"a_state":{"session":"s","at":{"entry":null,"depth":0},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":0,"decoded_count":0,"decoded_bytes":0},"b_state":{"session":"s","at":{"entry":null,"depth":0},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":0,"decoded_count":0,"decoded_bytes":0},"differs":[],"labels":[]}
  $ indent xylem diff s s
    < s, no current entry
    > s, no current entry
    = nothing: not even the first entries are equal
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  = none
    todo      = none
    mark      = none
  $ verify

Steps that differ are listed.

  $ fresh
  $ add s root note
  $ steps() {
  >     xylem append s --kind custom:sequence --id $1 --parent root --data \
  >         '{"version":1,"sequenceId":"q","steps":['"$2"'],"updatedAt":'$3'}'
  > }
  $ steps seq1 '"same","left","end"' 1
  seq1
  $ steps seq2 '"same","right\u001b","more","end"' 1
  seq2
  $ indent xylem diff s:seq1 :seq2
    < s:seq1  depth 2  * ago (glob)
    > s:seq2  depth 2  * ago  <leaf> (glob)
    = root  depth 1  * ago  shared (glob)
    
    < 1 more entry
    < 2  seq1  *  custom:sequence  {"version":1,"sequenceId":"q","steps":["same","left","end"],"updatedAt"* (glob)
    
    > 1 more entry
    > 2  seq2  *  custom:sequence  <leaf> {"version":1,"sequenceId":"q","steps":["same","right*u001b","more","end* (glob)
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  < q, 3 steps, from seq1
              > q, 4 steps, from seq2
              < 2. left
              > 2. right\x1b
              > 3. more
    todo      = none
    mark      = none
  [1]
  $ indent xylem diff s:seq1 :root
    < s:seq1  depth 2  * ago (glob)
    > s:root  depth 1  * ago (glob)
    = root  depth 1  * ago  shared (glob)
    
    < 1 more entry
    < 2  seq1  *  custom:sequence  {"version":1,"sequenceId":"q","steps":["same","left","end"],"updatedAt"* (glob)
    
    > nothing more
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  < q, 3 steps, from seq1
              > none
    todo      = none
    mark      = none
  [1]
  $ steps seq3 '"same","left","end"' 2
  seq3
  $ xylem diff s:seq1 :seq3 --json
  {"schema":1,"same":false,"common":{"entry":"root","parent":null,"kind":"note","time":"*","depth":1,"sharing":"shared","shared_depth":1},"a":{"session":"s","entry":"seq1","depth":2,"added_count":1,"entries":[{"entry":"seq1","parent":"root","kind":"custom:sequence","time":"*","depth":2,"label":null}]},"b":{"session":"s","entry":"seq3","depth":2,"added_count":1,"entries":[{"entry":"seq3","parent":"root","kind":"custom:sequence","time":"*","depth":2,"label":null}]},"a_state":{"session":"s","at":{"entry":"seq1","depth":2},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":{"sequence_id":"q","steps":["same","left","end"],"updated_ms":1,"entry":"seq1"},"todo":null,"mark":null,"skipped":[],"looked_at":1,"decoded_count":1,"decoded_bytes":55},"b_state":{"session":"s","at":{"entry":"seq3","depth":2},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":{"sequence_id":"q","steps":["same","left","end"],"updated_ms":2,"entry":"seq3"},"todo":null,"mark":null,"skipped":[],"looked_at":1,"decoded_count":1,"decoded_bytes":55},"differs":["sequence"],"labels":[]} (glob)
  [1]
  $ steps seq4 '"0"'$(seq -f ',"step %g"' 14 | tr -d '\n') 1
  xylem: append: entry 1 of 1: its payload is refused: JSON is not well-formed at byte 52: lexical error: invalid char in json text.
  [2]
  $ indent xylem diff s:seq1 :seq4
  xylem: diff: there is no entry 'seq4'; `xylem -s store tree --all s` shows the ids
  [3]
  $ verify

Ends are named in many ways.

  $ scenario
  $ ends() {
  >     xylem diff "$@" | sed -n 's/^\([<>] .*  depth \)/  \1/p'
  > }
  $ ends $SCENARIO_ID :@~1
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    > 01a1f9f7-22cb-72e7-96e0-96825857127f:e37e3f3d  depth 19  2h ago
  $ ends 01a1f9f7-22cb 01a1f9f7-22cb:after-block
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    > 01a1f9f7-22cb-72e7-96e0-96825857127f:6f7578e6  depth 11  2h ago  [after-block]
  $ ends after-block e37e3f3d
  xylem: diff: there is no session and no entry 'after-block'; `xylem -s store sessions` lists the sessions
  $ verify

Ids may contain colons. The longer id wins.

  $ scenario
  $ copy 7
  $ add copy of:it note
  $ ends $COPY_ID $COPY_ID:@~1
    < copy:of:01a1f9f7:8d16e680  depth 6  2h ago  <leaf>
    > copy:of:01a1f9f7:15efa3b4  depth 5  2h ago
  $ ends copy copy:of:it
    < copy:of:it  depth 1  0s ago  <leaf>
    > copy:of:it  depth 1  0s ago  <leaf>
  $ ends of:it $COPY_ID:@
    < copy:of:it  depth 1  0s ago  <leaf>
    > copy:of:01a1f9f7:8d16e680  depth 6  2h ago  <leaf>
  $ add copy:of it note
  $ ends copy:of:it copy:of
    < copy:of:it  depth 1  0s ago  <leaf>
    > copy:of:it  depth 1  0s ago  <leaf>
  $ xylem diff copy:of :it --json
  {"schema":1,"same":true,"common":{"entry":"it","parent":null,"kind":"note","time":"*","depth":1,"sharing":"shared","shared_depth":1},"a":{"session":"copy:of","entry":"it","depth":1,"added_count":0,"entries":[]},"b":{"session":"copy:of","entry":"it","depth":1,"added_count":0,"entries":[]},"a_state":{"session":"copy:of","at":{"entry":"it","depth":1},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":1,"decoded_count":0,"decoded_bytes":0},"b_state":{"session":"copy:of","at":{"entry":"it","depth":1},"readonly":false,"readonly_from":"default","readonly_entry":null,"nudge":{"due":false,"direction":"off","why":"never-on","told":null},"sequence":null,"todo":null,"mark":null,"skipped":[],"looked_at":1,"decoded_count":0,"decoded_bytes":0},"differs":[],"labels":[]} (glob)
  $ verify

An entry of its own must be the only one. One entry of two sessions is one.

  $ scenario
  $ copy 12
  $ xylem diff $SCENARIO_ID 8d16e680
  xylem: diff: '8d16e680' is ambiguous: 2 entries have that id: 01a1f9f7-22cb-72e7-96e0-96825857127f:8d16e680, copy:of:01a1f9f7:8d16e680
  [4]
  $ xylem clone $SCENARIO_ID --id twin
  twin
  $ ends 32512cc7 32512cc7
    < 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
    > 01a1f9f7-22cb-72e7-96e0-96825857127f:32512cc7  depth 20  2h ago  <leaf>
  $ xylem delete $SCENARIO_ID --yes
  deleted session 01a1f9f7-22cb-72e7-96e0-96825857127f (scenario one, its leaf has depth 20)
  $ ends 32512cc7 twin:@~1
    < twin:32512cc7  depth 20  2h ago  <leaf>
    > twin:e37e3f3d  depth 19  2h ago
  $ verify

What is nothing is said.

  $ scenario
  $ xylem diff nothing x
  xylem: diff: there is no session and no entry 'nothing'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem diff 01a1f9f7-22cc x
  xylem: diff: there is no session and no entry '01a1f9f7-22cc'; did you mean 01a1f9f7-22cb (scenario one, 2h)?
  [3]
  $ xylem diff @~2 x
  xylem: diff: there is no session and no entry '@~2'; a place stands behind its session: 'SESSION:@~2'
  [3]
  $ xylem diff :@ x
  xylem: diff: no session of */diff.t/10; @last is 01a1f9f7-22cb (scenario one, 2h): name a session (glob)
  [3]
  $ xylem diff $SCENARIO_ID :zzzz
  xylem: diff: there is no entry 'zzzz'; `xylem -s store tree --all 01a1f9f7-22cb-72e7-96e0-96825857127f` shows the ids
  [3]
  $ xylem diff $SCENARIO_ID:zzzz x
  xylem: diff: there is no entry 'zzzz'; `xylem -s store tree --all 01a1f9f7-22cb-72e7-96e0-96825857127f` shows the ids
  [3]
  $ xylem diff 01a1f9f7:zzzz x
  xylem: diff: there is no entry 'zzzz'; `xylem -s store tree --all 01a1f9f7-22cb-72e7-96e0-96825857127f` shows the ids
  [3]
  $ xylem diff '' x
  xylem: diff: there is no session and no entry '' (the end of an id and a part of a name need 4 characters)
  [3]
  $ xylem diff $SCENARIO_ID
  xylem: diff: an argument is missing: xylem diff A B (see `xylem diff --help`)
  [2]
  $ verify

Sessions without labels are not read for them, as their damage shows: what is named may be a label of any session.

  $ scenario
  $ add other root note
  $ add other victim-entry note
  $ add other last-one note
  $ damage victim-entry
  $ xylem diff after-block $SCENARIO_ID >/dev/null
  xylem: diff: there is no session and no entry 'after-block'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem diff no-such-label $SCENARIO_ID
  xylem: diff: there is no session and no entry 'no-such-label'; `xylem -s store sessions` lists the sessions
  [3]
