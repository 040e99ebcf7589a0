xylem stat --usage and --bytes: sums over the entries of the store, or of a session.

  $ . "$TESTDIR/setup.sh"

`answer INPUT CACHED COST MODEL` is an answer that says what it cost. The session `a` has three entries that cost, on
two days.

  $ usage() {
  >     echo '"usage":{"input":'$1',"output":1,"cacheRead":'$2',"cacheWrite":0,"cost":{"total":'$3'}}'
  > }
  $ answer() {
  >     echo '"message":{"role":"assistant","content":[],"provider":"p","model":"'$4'",'$(usage $1 $2 $3)'}'
  > }
  $ session() {
  >     echo '{"type":"session","version":3,"id":"'$1'","timestamp":"2026-11-19T10:00:00.000Z","cwd":"/srv/'$1'"}' >$1.jsonl
  > }
  $ line() {
  >     echo '{"type":"'${5:-message}'","id":"'$2'","parentId":'$3',"timestamp":"2026-11-2'$4'T10:00:00.000Z",'"$6"'}' >>$1.jsonl
  > }
  $ scene() {
  >     fresh 12:00
  >     session a
  >     line a a1 null 0 message '"message":{"role":"user","content":"usage of tea"}'
  >     line a a2 '"a1"' 0 message "$(answer 100 2000 0.5 m1)"
  >     line a a3 '"a2"' 1 message '"message":{"role":"toolResult","toolName":"ask","content":[],'"$(usage 1000 0 0.25)"'}'
  >     line a a4 '"a3"' 1 compaction '"summary":"s","firstKeptEntryId":"a3","tokensBefore":1,'"$(usage 10000 0 0.125)"
  >     xylem import -q a.jsonl >/dev/null
  > }
  $ put() {
  >     xylem append $1 --create --id $2 --kind ${4:-message} --data "$3" >/dev/null
  > }

Days, the newest first; models; a tool and a summary name no model. A question about usage costs nothing.

  $ scene
  $ xylem stat --usage
     COST   INPUT  OUTPUT  CACHED  ENTRIES  DAY
  $0.3750  11,000       2       0        2  2026-11-21
  $0.5000     100       1   2,000        1  2026-11-20
  $0.8750  11,100       3   2,000        3  total
  $ COLUMNS=80 xylem stat --usage --by model
     COST  INPUT  OUTPUT  CACHED  ENTRIES  MODEL
  $0.5000    100       1    2.0k        1  p/m1
  $0.3750  11.0k       2       0        2  -
  $0.8750  11.1k       3    2.0k        3  total
  $ COLUMNS=60 xylem stat --usage
     COST  INPUT  OUTPUT  ENTRIES  DAY
  $0.3750  11.0k       2        2  2026-11-21
  $0.5000    100       1        1  2026-11-20
  $0.8750  11.1k       3        3  total
  $ xylem stat --usage --by model --since 2026-11-21
     COST   INPUT  OUTPUT  ENTRIES  MODEL
  $0.3750  11,000       2        2  -
  $ xylem stat --usage --until 2026-11-20 --json
  {"schema":1,"entry_count":1,"cost":0.5,"input_tokens":100,"output_tokens":1,"cache_read_tokens":2000,"cache_write_tokens":0,"parts":[{"day":"2026-11-20","entry_count":1,"cost":0.5,"input_tokens":100,"output_tokens":1,"cache_read_tokens":2000,"cache_write_tokens":0}]}

A fork costs what was said in the fork. An entry that a host copied, with another parent, was paid once.

  $ xylem fork a:a3 --id b >/dev/null
  $ put b b1 "$(answer 5 0 3 m2 | sed 's/"message"://')"
  $ session c
  $ line c a2 null 0 message "$(answer 100 2000 0.5 m1)"
  $ line c c1 '"a2"' 0 message "$(answer 100 2000 0.5 m1)"
  $ xylem import -q c.jsonl
  1 file: 1 new; 2 entries added, 0 lines put into quarantine, 0 problems
  $ rm c.jsonl
  $ xylem delete c --yes
  deleted session c (its leaf has depth 2)
  $ xylem rename b 'the second way'
  name: none -> the second way
  $ xylem stat --usage --by session
     COST   INPUT  OUTPUT  CACHED  ENTRIES  SESSION
    $3.00       5       1       0        1  b  the second way
  $0.8750  11,100       3   2,000        3  a
  $0.5000     100       1   2,000        1  c (deleted)
    $4.38  11,205       5   4,000        5  total
  $ xylem stat --usage b --by session --json
  {"schema":1,"session":"b","entry_count":3,"cost":3.75,"input_tokens":1105,"output_tokens":3,"cache_read_tokens":2000,"cache_write_tokens":0,"parts":[{"session":"b","name":"the second way","state":"live","entry_count":3,"cost":3.75,"input_tokens":1105,"output_tokens":3,"cache_read_tokens":2000,"cache_write_tokens":0}]}

A session of nothing but copies has no row, and what was redacted says no cost.

  $ session d
  $ line d a2 null 0 message "$(answer 100 2000 0.5 m1)"
  $ xylem import -q d.jsonl
  1 file: 1 new; 1 entry added, 0 lines put into quarantine, 0 problems
  $ xylem redact c:c1 --reason x --yes >/dev/null
  $ xylem stat --usage --by session
     COST   INPUT  OUTPUT  CACHED  ENTRIES  SESSION
    $3.00       5       1       0        1  b  the second way
  $0.8750  11,100       3   2,000        3  a
    $3.88  11,105       4   2,000        4  total

What a deleted source leaves to a fork still counts; what is freed is gone.

  $ rm a.jsonl; xylem delete a --yes
  deleted session a (its leaf has depth 4)
  $ xylem gc --yes >/dev/null 2>&1
  $ xylem stat --usage --by session
     COST  INPUT  OUTPUT  CACHED  ENTRIES  SESSION
    $3.00      5       1       0        1  b  the second way
  $0.7500  1,100       2   2,000        2  freed, but for shared entries
    $3.75  1,105       3   2,000        3  total
  $ xylem stat --usage --by session --json | jq -c '.parts[] | [.session, .state]'
  ["b","live"]
  [null,"freed"]
  $ xylem stat --usage --by directory
     COST  INPUT  OUTPUT  CACHED  ENTRIES  DIRECTORY
    $3.00      5       1       0        1  /srv/a
  $0.7500  1,100       2   2,000        2  -
    $3.75  1,105       3   2,000        3  total
  $ verify

Figures that no host writes count as none.

  $ fresh 12:00
  $ put x x1 '{"role":"assistant","usage":{"input":-5,"output":"7","cacheRead":1.5,"cost":{"total":-1}}}'
  $ xylem stat --usage --by session
   COST  INPUT  OUTPUT  ENTRIES  SESSION
  $0.00      0       0        1  x
  $ put x x2 '{"role":"assistant","usage":{"input":9223372036854775807,"cost":7}}'
  $ put x x3 '{"role":"assistant","usage":{"input":9223372036854775807,"cost":{"total":1e308}}}'
  $ put x x4 '{"role":"assistant","usage":{"input":9223372036854775807,"cost":{"total":1e308}}}'
  $ put x x5 '{"role":"assistant","usage":7}'
  $ xylem stat --usage --by session --json
  {"schema":1,"entry_count":4,"cost":1.7976931348623157e+308,"input_tokens":18446744073709551615,"output_tokens":0,"cache_read_tokens":0,"cache_write_tokens":0,"parts":[{"session":"x","name":null,"state":"live","entry_count":4,"cost":1.7976931348623157e+308,"input_tokens":18446744073709551615,"output_tokens":0,"cache_read_tokens":0,"cache_write_tokens":0}]}

Bytes: of payloads, with images apart; a shared entry is there once.

  $ fresh 12:00
  $ put a a1 '{"role":"user","content":[{"type":"image","data":"aGVsbG8gd29ybGQ="},{"type":"text","text":"see"}]}'
  $ put a a2 '{"role":"toolResult","toolName":"read","content":"12345678"}'
  $ put a a3 '{"x":1}' custom:note
  $ xylem fork a:a2 --id b >/dev/null
  $ put b b1 '{"role":"toolResult","toolName":"read","content":"12345678"}'
  $ xylem stat --bytes
  BYTES  IMAGES  ENTRIES  SESSION
  163 B    16 B        3  a
   60 B     0 B        1  b
  223 B    16 B        4  total
  $ xylem stat --bytes --by tool
  BYTES  IMAGES  ENTRIES  KIND
  120 B     0 B        2  toolResult read
   99 B    16 B        1  user
    4 B     0 B        1  custom:note
  223 B    16 B        4  total
  $ xylem stat --bytes --by directory --json
  {"schema":1,"entry_count":4,"bytes":223,"image_bytes":16,"parts":[{"directory":null,"entry_count":4,"bytes":223,"image_bytes":16}]}
  $ xylem stat --bytes --by tool --json
  {"schema":1,"entry_count":4,"bytes":223,"image_bytes":16,"parts":[{"kind":"toolResult","tool":"read","entry_count":2,"bytes":120,"image_bytes":0},{"kind":"user","tool":null,"entry_count":1,"bytes":99,"image_bytes":16},{"kind":"custom:note","tool":null,"entry_count":1,"bytes":4,"image_bytes":0}]}

Of a session by branch, and what its deletion would free: an entry that another session shares stays.

  $ xylem stat --bytes a
  BYTES  IMAGES  ENTRIES  LAST ENTRY
  163 B    16 B        3  a3
  a deletion of the session and `xylem -s store gc` would free 1 entry, 73 B
  $ xylem stat --bytes b --json
  {"schema":1,"session":"b","entry_count":3,"bytes":219,"image_bytes":16,"if_deleted":{"entry_count":1,"bytes":183},"parts":[{"branch":1,"entry":"a2","entry_count":2,"bytes":159,"image_bytes":16},{"branch":2,"entry":"b1","entry_count":1,"bytes":60,"image_bytes":0}]}
  $ xylem delete a --yes && xylem gc --dry-run
  deleted session a (its leaf has depth 3)
  would free session a: 1 entry, 73 B; 2 shared entries stay
  would free 1 session, 1 entry, 0 branches, 3 rows, 73 B
  $ xylem stat --bytes b --by branch --json
  {"schema":1,"session":"b","entry_count":3,"bytes":219,"image_bytes":16,"if_deleted":{"entry_count":3,"bytes":503},"parts":[{"branch":1,"entry":"a2","entry_count":2,"bytes":159,"image_bytes":16},{"branch":2,"entry":"b1","entry_count":1,"bytes":60,"image_bytes":0}]}

Damage hides no other sum.

  $ scene
  $ damage '"model":"m1"'
  $ xylem stat --usage
  xylem: stat: the payload of entry a2 at branch 1, depth 2 does not match its hash
     COST   INPUT  OUTPUT  ENTRIES  DAY
  $0.3750  11,000       2        2  2026-11-21
  xylem: stat: damaged places that the sums lack: 1
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]

A damaged name is left out, a damaged base leaves out its session, and a deletion that cannot be counted is not said.

  $ three() {
  >     fresh 12:00
  >     for id in a b; do for n in 1 2 3; do put $id $id$n '{"role":"user","content":"'$id$n' of many"}'; done; done
  >     xylem fork a:a2 --id c >/dev/null
  >     put c c1 '{"role":"user","content":"c1 of many"}'
  >     xylem rename b 'a name to damage' >/dev/null
  > }
  $ three
  $ damage 'a name to damage'
  $ xylem stat --bytes --by session
  xylem: stat: the payload of entry * at branch 2, depth 4 does not match its hash (glob)
  BYTES  ENTRIES  SESSION
  114 B        3  a
  114 B        3  b
   38 B        1  c
  266 B        7  total
  xylem: stat: damaged places that the sums lack: 2
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem stat --bytes --by session --json 2>/dev/null | jq -c '.parts[] | [.session, .name, .entry_count]'
  ["a",null,3]
  ["b",null,3]
  ["c",null,1]
  $ fresh 12:00
  $ for id in one to-damage three; do put a $id '{"role":"user","content":"of many"}'; done
  $ xylem fork a:to-damage --id c >/dev/null
  $ put c c1 '{"role":"user","content":"c1 of many"}'
  $ damage to-damage
  $ xylem stat --bytes --by session
  xylem: stat: the record at branch 1, depth 2 does not match its sum
  BYTES  ENTRIES  SESSION
   35 B        1  a
  xylem: stat: damaged places that the sums lack: 2
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem stat --bytes a
  xylem: stat: the record at branch 1, depth 2 does not match its sum
  BYTES  ENTRIES  LAST ENTRY
   35 B        1  one
  xylem: stat: damaged places that the sums lack: 2
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]

Words with a NUL are words of their own, and a day is whole, however far away.

  $ fresh 12:00
  $ for model in 'm\u0000a' 'm\u0000a' m 'm\u0000b'; do
  >     put x x$((n += 1)) '{"role":"assistant","model":"'$model'","usage":{"input":'$n',"cost":{"total":'$n'}}}'
  > done
  $ xylem stat --usage --by model
    COST  INPUT  OUTPUT  ENTRIES  MODEL
   $9.00      9       0        2  m\x00a
   $7.00      7       0        1  m\x00b
   $6.00      6       0        1  m
  $22.00     22       0        4  total
  $ session far
  $ line far f1 null 0 message "$(answer 1 0 1 m)"
  $ line far f2 '"f1"' 1 message "$(answer 1 0 1 m)"
  $ sed -i 's/2026-11-20T/+012026-11-20T/; s/2026-11-21T/+012026-11-21T/' far.jsonl
  $ xylem import -q far.jsonl
  1 file: 1 new; 2 entries added, 0 lines put into quarantine, 0 problems
  $ xylem stat --usage far
   COST  INPUT  OUTPUT  ENTRIES  DAY
  $1.00      1       1        1  +012026-11-21
  $1.00      1       1        1  +012026-11-20
  $2.00      2       2        2  total

Without prices, as of a model on one's own machine, the tokens give the order.

  $ fresh 12:00
  $ put few few1 '{"role":"assistant","usage":{"input":2}}'
  $ put many many1 '{"role":"assistant","usage":{"input":30}}'
  $ xylem stat --usage --by session
   COST  INPUT  OUTPUT  ENTRIES  SESSION
  $0.00     30       0        1  many
  $0.00      2       0        1  few
  $0.00     32       0        2  total

What does not go together.

  $ fresh 12:00
  $ xylem stat --usage
  xylem: stat: no entry says what it cost
  $ xylem stat --bytes
  xylem: stat: there are no entries
  $ xylem stat --usage --bytes
  xylem: stat: --usage and --bytes cannot be combined (see `xylem stat --help`)
  [2]
  $ xylem stat --usage --by tool
  xylem: stat: --by tool goes with --bytes (see `xylem stat --help`)
  [2]
  $ xylem stat --bytes --by model
  xylem: stat: --by model goes with --usage (see `xylem stat --help`)
  [2]
  $ xylem stat --bytes --by branch
  xylem: stat: --by branch needs a SESSION (see `xylem stat --help`)
  [2]
  $ xylem stat --by day
  xylem: stat: SESSION, --by, --since and --until go with --usage or --bytes (see `xylem stat --help`)
  [2]
  $ xylem stat a
  xylem: stat: SESSION, --by, --since and --until go with --usage or --bytes (see `xylem stat --help`)
  [2]
  $ xylem stat --usage nobody
  xylem: stat: there is no session 'nobody'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem stat --usage --holders
  xylem: stat: --holders stands alone (see `xylem stat --help`)
  [2]
  $ xylem stat --usage --since 1d --until 2d
  xylem: stat: --since 1d is later than --until 2d (see `xylem stat --help`)
  [2]
