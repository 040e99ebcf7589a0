xylem branches: the tips of a session, and the state at each of them.

  $ . "$TESTDIR/setup.sh"
  $ RANDOM_ID=01a1fa03-38bb-7454-b77a-7d27f507ef57
  $ tips() {
  >     fresh 19:30
  >     cat >tips.jsonl <<'EOF'
  > {"type":"session","version":3,"id":"s","timestamp":"2026-11-20T00:00:00.000Z","cwd":"/"}
  > {"type":"message","id":"root","parentId":null,"timestamp":"2026-11-20T10:00:00.000Z","message":{"role":"user","content":"from the root"}}
  > {"type":"note","id":"young","parentId":"root","timestamp":"2026-11-20T12:00:00.000Z"}
  > {"type":"note","id":"old","parentId":"root","timestamp":"2026-11-20T11:00:00.000Z"}
  > {"type":"note","id":"same1","parentId":"root","timestamp":"2026-11-20T11:30:00.000Z"}
  > {"type":"note","id":"same2","parentId":"root","timestamp":"2026-11-20T11:30:00.000Z"}
  > {"type":"note","id":"alone","parentId":null,"timestamp":"2026-11-20T09:00:00.000Z"}
  > EOF
  >     xylem import -q tips.jsonl >/dev/null
  > }

Branches are listed.

  $ fresh 19:30
  $ xylem import -q $SCENARIO $SESSIONS/random-22/*_$RANDOM_ID.jsonl
  2 files: 2 new; 246 entries added, 0 lines put into quarantine, 0 problems
  $ xylem branches $SCENARIO_ID
  TIP       AGE  DEPTH  OWN  FORKED AT  READONLY  NUDGE            SAYS
  32512cc7   2h     20   14  8d16e680   on        due: on  <leaf>  assistant: echo: after resume
  6fd8ed9e   2h     17   17  -          off       -                assistant: done: Successfully wrote to ok.txt
  $ xylem branches $SCENARIO_ID --jsonl
  {"schema":1,"entry":"32512cc7","kind":"message","time":"2026-11-20T17:18:05.944Z","depth":20,"own_count":14,"branch":2,"forked_at":"8d16e680","label":null,"is_leaf":true,"unanswered_count":0,"readonly":true,"nudge":{"due":true,"direction":"on"},"sequence_id":null,"todo_done":null,"todo_count":null,"mark":null}
  {"schema":1,"entry":"6fd8ed9e","kind":"message","time":"2026-11-20T17:18:05.715Z","depth":17,"own_count":17,"branch":1,"forked_at":null,"label":null,"is_leaf":false,"unanswered_count":0,"readonly":false,"nudge":{"due":false,"direction":"off"},"sequence_id":null,"todo_done":null,"todo_count":null,"mark":null}
  $ xylem branches $RANDOM_ID
  TIP       AGE  DEPTH  OWN  FORKED AT  READONLY  NUDGE    SEQUENCE          SAYS
  5f36dd1b   1h     38    2  c991d0c9   off       -        seq-196   <leaf>  <no result> assistant: bash(echo 199; seq 1 59)
  3a14e13e   1h     59   34  e246e922   off       -        seq-207           assistant: echo: line1 line2 tab "quotes" \back #215
  53527a86   1h      7    1  e0ed5347   on        due: on  -                 <no result> toolResult bash: par78
  edd4908e   1h     19   16  d011c44b   off       -        -                 assistant: done: 82 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 \xe2\x80\xa6 (esc)
  e0ff65a7   1h     41    4  48de337d   on        due: on  seq-65            assistant: echo: \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88 #68 (esc)
  f4abaf8d   1h     44   24  2b7f2a60   off       -        seq-65            assistant: echo: plain question #72
  ab8d52ee   1h     54   11  8f96968e   off       -        seq-43            assistant: echo: long lorem ipsum lorem ipsum lorem ipsum lorem ipsum l\xe2\x80\xa6 (esc)
  38ff6ce8   1h     55   34  a7fcc1e5   off       -        seq-43            assistant: done: 53 1 2 3 4 5 6 7 8 9 10 11 12 13
  36e1a410   1h     17    4  3ef4fda9   off       -        -                 assistant: echo: plain question #39
  c86a7528   1h     46    5  39827654   on        due: on  -                 assistant: echo: \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88 #37 (esc)
  8aef000b   1h     57   36  9f8b418c   on        due: on  -                 assistant: echo: emoji \xf0\x9f\x9a\x80\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb mix #31 (esc)
  c94cea0e   1h     23   14  d0df6b3f   off       -        -                 assistant: done: 17 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 \xe2\x80\xa6 (esc)
  04bd8c13   1h     11   11  -          off       -        -                 assistant: echo: U+2028 \u2028 sep #11
  29d1532d   1h     26   19  a657a868   on        due: on  -                 assistant: echo: long lorem ipsum lorem ipsum lorem ipsum lorem ipsum l\xe2\x80\xa6 (esc)
  $ COLUMNS=60 xylem branches $RANDOM_ID
  TIP       AGE  DEPTH  READONLY  NUDGE    SEQUENCE
  5f36dd1b   1h     38  off       -        seq-196   <leaf>
  3a14e13e   1h     59  off       -        seq-207
  53527a86   1h      7  on        due: on  -
  edd4908e   1h     19  off       -        -
  e0ff65a7   1h     41  on        due: on  seq-65
  f4abaf8d   1h     44  off       -        seq-65
  ab8d52ee   1h     54  off       -        seq-43
  38ff6ce8   1h     55  off       -        seq-43
  36e1a410   1h     17  off       -        -
  c86a7528   1h     46  on        due: on  -
  8aef000b   1h     57  on        due: on  -
  c94cea0e   1h     23  off       -        -
  04bd8c13   1h     11  off       -        -
  29d1532d   1h     26  on        due: on  -
  $ COLUMNS=80 xylem branches $RANDOM_ID
  TIP       AGE  DEPTH  READONLY  NUDGE    SEQUENCE          SAYS
  5f36dd1b   1h     38  off       -        seq-196   <leaf>  <no result> assistan\xe2\x80\xa6 (esc)
  3a14e13e   1h     59  off       -        seq-207           assistant: echo: lin\xe2\x80\xa6 (esc)
  53527a86   1h      7  on        due: on  -                 <no result> toolResu\xe2\x80\xa6 (esc)
  edd4908e   1h     19  off       -        -                 assistant: done: 82 \xe2\x80\xa6 (esc)
  e0ff65a7   1h     41  on        due: on  seq-65            assistant: echo: \xe6\x97\xa5\xe2\x80\xa6 (esc)
  f4abaf8d   1h     44  off       -        seq-65            assistant: echo: pla\xe2\x80\xa6 (esc)
  ab8d52ee   1h     54  off       -        seq-43            assistant: echo: lon\xe2\x80\xa6 (esc)
  38ff6ce8   1h     55  off       -        seq-43            assistant: done: 53 \xe2\x80\xa6 (esc)
  36e1a410   1h     17  off       -        -                 assistant: echo: pla\xe2\x80\xa6 (esc)
  c86a7528   1h     46  on        due: on  -                 assistant: echo: \xe6\x97\xa5\xe2\x80\xa6 (esc)
  8aef000b   1h     57  on        due: on  -                 assistant: echo: emo\xe2\x80\xa6 (esc)
  c94cea0e   1h     23  off       -        -                 assistant: done: 17 \xe2\x80\xa6 (esc)
  04bd8c13   1h     11  off       -        -                 assistant: echo: U+2\xe2\x80\xa6 (esc)
  29d1532d   1h     26  on        due: on  -                 assistant: echo: lon\xe2\x80\xa6 (esc)
  $ COLUMNS=160 xylem branches $RANDOM_ID
  TIP       AGE  DEPTH  OWN  FORKED AT  READONLY  NUDGE    SEQUENCE          SAYS
  5f36dd1b   1h     38    2  c991d0c9   off       -        seq-196   <leaf>  <no result> assistant: bash(echo 199; seq 1 59)
  3a14e13e   1h     59   34  e246e922   off       -        seq-207           assistant: echo: line1 line2 tab "quotes" \back #215
  53527a86   1h      7    1  e0ed5347   on        due: on  -                 <no result> toolResult bash: par78
  edd4908e   1h     19   16  d011c44b   off       -        -                 assistant: done: 82 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 \xe2\x80\xa6 (esc)
  e0ff65a7   1h     41    4  48de337d   on        due: on  seq-65            assistant: echo: \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88 #68 (esc)
  f4abaf8d   1h     44   24  2b7f2a60   off       -        seq-65            assistant: echo: plain question #72
  ab8d52ee   1h     54   11  8f96968e   off       -        seq-43            assistant: echo: long lorem ipsum lorem ipsum lorem ipsum lorem ipsum l\xe2\x80\xa6 (esc)
  38ff6ce8   1h     55   34  a7fcc1e5   off       -        seq-43            assistant: done: 53 1 2 3 4 5 6 7 8 9 10 11 12 13
  36e1a410   1h     17    4  3ef4fda9   off       -        -                 assistant: echo: plain question #39
  c86a7528   1h     46    5  39827654   on        due: on  -                 assistant: echo: \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88 #37 (esc)
  8aef000b   1h     57   36  9f8b418c   on        due: on  -                 assistant: echo: emoji \xf0\x9f\x9a\x80\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb mix #31 (esc)
  c94cea0e   1h     23   14  d0df6b3f   off       -        -                 assistant: done: 17 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 \xe2\x80\xa6 (esc)
  04bd8c13   1h     11   11  -          off       -        -                 assistant: echo: U+2028 \u2028 sep #11
  29d1532d   1h     26   19  a657a868   on        due: on  -                 assistant: echo: long lorem ipsum lorem ipsum lorem ipsum lorem ipsum l\xe2\x80\xa6 (esc)
  $ COLUMNS=160 xylem branches $RANDOM_ID --color always
  \x1b[2mTIP\x1b[0m       \x1b[2mAGE\x1b[0m  \x1b[2mDEPTH\x1b[0m  \x1b[2mOWN\x1b[0m  \x1b[2mFORKED AT\x1b[0m  \x1b[2mREADONLY\x1b[0m  \x1b[2mNUDGE\x1b[0m    \x1b[2mSEQUENCE\x1b[0m          \x1b[2mSAYS\x1b[0m (esc)
  \x1b[33m5f36dd1b\x1b[0m   \x1b[2m1h\x1b[0m     38    2  \x1b[33mc991d0c9\x1b[0m   off       -        seq-196   \x1b[32m<leaf>\x1b[0m  <no result> assistant: bash(echo 199; seq 1 59) (esc)
  \x1b[33m3a14e13e\x1b[0m   \x1b[2m1h\x1b[0m     59   34  \x1b[33me246e922\x1b[0m   off       -        seq-207           assistant: echo: line1 line2 tab "quotes" \\back #215 (esc)
  \x1b[33m53527a86\x1b[0m   \x1b[2m1h\x1b[0m      7    1  \x1b[33me0ed5347\x1b[0m   \x1b[31mon\x1b[0m        due: on  -                 <no result> toolResult bash: par78 (esc)
  \x1b[33medd4908e\x1b[0m   \x1b[2m1h\x1b[0m     19   16  \x1b[33md011c44b\x1b[0m   off       -        -                 assistant: done: 82 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 \xe2\x80\xa6 (esc)
  \x1b[33me0ff65a7\x1b[0m   \x1b[2m1h\x1b[0m     41    4  \x1b[33m48de337d\x1b[0m   \x1b[31mon\x1b[0m        due: on  seq-65            assistant: echo: \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88 #68 (esc)
  \x1b[33mf4abaf8d\x1b[0m   \x1b[2m1h\x1b[0m     44   24  \x1b[33m2b7f2a60\x1b[0m   off       -        seq-65            assistant: echo: plain question #72 (esc)
  \x1b[33mab8d52ee\x1b[0m   \x1b[2m1h\x1b[0m     54   11  \x1b[33m8f96968e\x1b[0m   off       -        seq-43            assistant: echo: long lorem ipsum lorem ipsum lorem ipsum lorem ipsum l\xe2\x80\xa6 (esc)
  \x1b[33m38ff6ce8\x1b[0m   \x1b[2m1h\x1b[0m     55   34  \x1b[33ma7fcc1e5\x1b[0m   off       -        seq-43            assistant: done: 53 1 2 3 4 5 6 7 8 9 10 11 12 13 (esc)
  \x1b[33m36e1a410\x1b[0m   \x1b[2m1h\x1b[0m     17    4  \x1b[33m3ef4fda9\x1b[0m   off       -        -                 assistant: echo: plain question #39 (esc)
  \x1b[33mc86a7528\x1b[0m   \x1b[2m1h\x1b[0m     46    5  \x1b[33m39827654\x1b[0m   \x1b[31mon\x1b[0m        due: on  -                 assistant: echo: \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88 #37 (esc)
  \x1b[33m8aef000b\x1b[0m   \x1b[2m1h\x1b[0m     57   36  \x1b[33m9f8b418c\x1b[0m   \x1b[31mon\x1b[0m        due: on  -                 assistant: echo: emoji \xf0\x9f\x9a\x80\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb mix #31 (esc)
  \x1b[33mc94cea0e\x1b[0m   \x1b[2m1h\x1b[0m     23   14  \x1b[33md0df6b3f\x1b[0m   off       -        -                 assistant: done: 17 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 \xe2\x80\xa6 (esc)
  \x1b[33m04bd8c13\x1b[0m   \x1b[2m1h\x1b[0m     11   11  -          off       -        -                 assistant: echo: U+2028 \\u2028 sep #11 (esc)
  \x1b[33m29d1532d\x1b[0m   \x1b[2m1h\x1b[0m     26   19  \x1b[33ma657a868\x1b[0m   \x1b[31mon\x1b[0m        due: on  -                 assistant: echo: long lorem ipsum lorem ipsum lorem ipsum lorem ipsum l\xe2\x80\xa6 (esc)
  $ LC_ALL=C COLUMNS=160 xylem branches $RANDOM_ID
  TIP       AGE  DEPTH  OWN  FORKED AT  READONLY  NUDGE    SEQUENCE          SAYS
  5f36dd1b   1h     38    2  c991d0c9   off       -        seq-196   <leaf>  <no result> assistant: bash(echo 199; seq 1 59)
  3a14e13e   1h     59   34  e246e922   off       -        seq-207           assistant: echo: line1 line2 tab "quotes" \back #215
  53527a86   1h      7    1  e0ed5347   on        due: on  -                 <no result> toolResult bash: par78
  edd4908e   1h     19   16  d011c44b   off       -        -                 assistant: done: 82 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 ~
  e0ff65a7   1h     41    4  48de337d   on        due: on  seq-65            assistant: echo: \u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8 #68
  f4abaf8d   1h     44   24  2b7f2a60   off       -        seq-65            assistant: echo: plain question #72
  ab8d52ee   1h     54   11  8f96968e   off       -        seq-43            assistant: echo: long lorem ipsum lorem ipsum lorem ipsum lorem ipsum l~
  38ff6ce8   1h     55   34  a7fcc1e5   off       -        seq-43            assistant: done: 53 1 2 3 4 5 6 7 8 9 10 11 12 13
  36e1a410   1h     17    4  3ef4fda9   off       -        -                 assistant: echo: plain question #39
  c86a7528   1h     46    5  39827654   on        due: on  -                 assistant: echo: \u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8 #37
  8aef000b   1h     57   36  9f8b418c   on        due: on  -                 assistant: echo: emoji \U0001f680\U0001f469\u200d\U0001f4bb mix #31
  c94cea0e   1h     23   14  d0df6b3f   off       -        -                 assistant: done: 17 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 ~
  04bd8c13   1h     11   11  -          off       -        -                 assistant: echo: U+2028 \u2028 sep #11
  29d1532d   1h     26   19  a657a868   on        due: on  -                 assistant: echo: long lorem ipsum lorem ipsum lorem ipsum lorem ipsum l~
  $ verify

Tips stand newest first, and of the same time the last appended. Columns that say nothing are left out.

  $ tips
  $ xylem branches s
  TIP    AGE  DEPTH  OWN  FORKED AT  READONLY          SAYS
  young   7h      2    2  -          off               user: from the root
  same2   8h      2    1  root       off               user: from the root
  same1   8h      2    1  root       off               user: from the root
  old     8h      2    1  root       off               user: from the root
  alone  10h      1    1  -          off       <leaf>
  $ xylem branches s --jsonl
  {"schema":1,"entry":"young","kind":"note","time":"2026-11-20T12:00:00.000Z","depth":2,"own_count":2,"branch":1,"forked_at":null,"label":null,"is_leaf":false,"unanswered_count":0,"readonly":false,"nudge":{"due":false,"direction":"off"},"sequence_id":null,"todo_done":null,"todo_count":null,"mark":null}
  {"schema":1,"entry":"same2","kind":"note","time":"2026-11-20T11:30:00.000Z","depth":2,"own_count":1,"branch":4,"forked_at":"root","label":null,"is_leaf":false,"unanswered_count":0,"readonly":false,"nudge":{"due":false,"direction":"off"},"sequence_id":null,"todo_done":null,"todo_count":null,"mark":null}
  {"schema":1,"entry":"same1","kind":"note","time":"2026-11-20T11:30:00.000Z","depth":2,"own_count":1,"branch":3,"forked_at":"root","label":null,"is_leaf":false,"unanswered_count":0,"readonly":false,"nudge":{"due":false,"direction":"off"},"sequence_id":null,"todo_done":null,"todo_count":null,"mark":null}
  {"schema":1,"entry":"old","kind":"note","time":"2026-11-20T11:00:00.000Z","depth":2,"own_count":1,"branch":2,"forked_at":"root","label":null,"is_leaf":false,"unanswered_count":0,"readonly":false,"nudge":{"due":false,"direction":"off"},"sequence_id":null,"todo_done":null,"todo_count":null,"mark":null}
  {"schema":1,"entry":"alone","kind":"note","time":"2026-11-20T09:00:00.000Z","depth":1,"own_count":1,"branch":5,"forked_at":null,"label":null,"is_leaf":true,"unanswered_count":0,"readonly":false,"nudge":{"due":false,"direction":"off"},"sequence_id":null,"todo_done":null,"todo_count":null,"mark":null}
  $ verify

A leaf that is no tip is not among them. Labels and nudges have columns where a tip has one.

  $ tips
  $ xylem navigate s:root --only-in-store
  leaf: alone -> root
  $ xylem branches s
  TIP    AGE  DEPTH  OWN  FORKED AT  READONLY  SAYS
  young   7h      2    2  -          off       user: from the root
  same2   8h      2    1  root       off       user: from the root
  same1   8h      2    1  root       off       user: from the root
  old     8h      2    1  root       off       user: from the root
  alone  10h      1    1  -          off
  $ xylem append s --kind label --id labelled --only-in-store --data '{"targetId":"old","label":"here"}'
  labelled
  $ xylem append s --kind custom:readonly --parent old --id on --only-in-store --data '{"enabled":true}'
  on
  $ xylem append s --kind label --id there --parent young --only-in-store --data '{"targetId":"on","label":"there"}'
  there
  $ xylem branches s
  TIP       AGE  DEPTH  OWN  FORKED AT  READONLY  NUDGE    LABEL          SAYS
  there      0s      3    3  -          off       -        -      <leaf>  user: from the root
  on         0s      3    2  root       on        due: on  there          user: from the root
  labelled   0s      2    1  root       off       -        -              user: from the root
  same2      8h      2    1  root       off       -        -              user: from the root
  same1      8h      2    1  root       off       -        -              user: from the root
  alone     10h      1    1  -          off       -        -
  $ verify

A message is shown only where there is room.

  $ tips
  $ COLUMNS=68 xylem branches s
  TIP    AGE  DEPTH  FORKED AT  READONLY          SAYS
  young   7h      2  -          off               user: from the root
  same2   8h      2  root       off               user: from the root
  same1   8h      2  root       off               user: from the root
  old     8h      2  root       off               user: from the root
  alone  10h      1  -          off       <leaf>
  $ COLUMNS=72 xylem branches s
  TIP    AGE  DEPTH  OWN  FORKED AT  READONLY          SAYS
  young   7h      2    2  -          off               user: from the root
  same2   8h      2    1  root       off               user: from the root
  same1   8h      2    1  root       off               user: from the root
  old     8h      2    1  root       off               user: from the root
  alone  10h      1    1  -          off       <leaf>
  $ verify

The nudge is part of the document.

  $ fresh 19:30
  $ xylem append s --create --kind custom:readonly --id on --only-in-store --data '{"enabled":true}'
  on
  $ xylem branches s --jsonl
  {"schema":1,"entry":"on","kind":"custom:readonly","time":"*","depth":1,"own_count":1,"branch":1,"forked_at":null,"label":null,"is_leaf":true,"unanswered_count":0,"readonly":true,"nudge":{"due":true,"direction":"on"},"sequence_id":null,"todo_done":null,"todo_count":null,"mark":null} (glob)
  $ xylem append s --kind custom:readonly-nudge --id told --data '{"direction":"on","delivered":true}'
  told
  $ xylem branches s --jsonl
  {"schema":1,"entry":"told","kind":"custom:readonly-nudge","time":"*","depth":2,"own_count":2,"branch":1,"forked_at":null,"label":null,"is_leaf":true,"unanswered_count":0,"readonly":true,"nudge":{"due":false,"direction":"on"},"sequence_id":null,"todo_done":null,"todo_count":null,"mark":null} (glob)
  $ verify

A session without entries has no branches.

  $ fresh
  $ xylem append s --create --kind note --id a
  a
  $ xylem fork s:a --before --id none
  none
  $ xylem branches none
  xylem: branches: the session has no entry
  $ verify
