xylem files: the files that the tools of a session read and wrote.

  $ . "$TESTDIR/setup.sh"

A session, in which each answer calls tools: `say ID PARENT CALLS`, `result ID PARENT CALL FAILED`.

  $ call() {
  >     echo '{"type":"toolCall","id":"'$1'","name":"'$2'","arguments":{'$3'}}'
  > }
  $ entry() {
  >     echo '{"type":"message","id":"'$1'","parentId":"'$2'","timestamp":"2026-11-20T10:0'$3':00.000Z","message":'$4'}' \
  >         >>session.jsonl
  > }
  $ say() {
  >     entry $1 $2 $3 '{"role":"assistant","content":['"$4"'],"stopReason":"'${5:-toolUse}'"}'
  > }
  $ result() {
  >     entry $1 $2 $3 '{"role":"toolResult","toolCallId":"'$4'","content":"x","isError":'$5'}'
  > }
  $ session() {
  >     echo '{"type":"session","version":3,"id":"'$1'","timestamp":"2026-11-20T10:00:00.000Z","cwd":"/srv/proj"}' \
  >         >session.jsonl
  >     entry ${1}0 '' 0 '{"role":"user","content":"go"}'
  >     sed -i 's/"parentId":""/"parentId":null/' session.jsonl
  > }

Calls of one tool with one file are one row, the last used first. A relative path begins at the session's directory.

  $ fresh 11:00
  $ session s
  $ say s1 s0 1 "$(call c1 read '"path":"src/a.c"'),$(call c2 read '"path":"/srv/proj/src/b.c"')"
  $ result s2 s1 1 c1 false
  $ result s3 s2 1 c2 false
  $ say s4 s3 2 "$(call c3 edit '"path":"./src/../src/a.c"'),$(call c4 bash '"command":"rm src/b.c"')"
  $ result s5 s4 2 c3 false
  $ result s6 s5 2 c4 false
  $ say s7 s6 3 "$(call c5 read '"path":"src/a.c"'),$(call c6 write '"path":"/etc/motd","content":"x"')"
  $ result s8 s7 3 c5 false
  $ result s9 s8 3 c6 false
  $ xylem import -q session.jsonl
  1 file: 1 new; 10 entries added, 0 lines put into quarantine, 0 problems
  $ xylem files s
  BY     CALLS                 TIME  ENTRY  FILE
  write      1  2026-11-20 10:03:00  s7     /etc/motd
  read       2  2026-11-20 10:03:00  s7     src/a.c
  edit       1  2026-11-20 10:02:00  s4     src/a.c
  read       1  2026-11-20 10:01:00  s1     src/b.c
  $ COLUMNS=60 xylem files s:s4
  BY    CALLS  AGE  ENTRY  FILE
  edit      1  58m  s4     src/a.c
  read      1  59m  s1     src/b.c
  read      1  59m  s1     src/a.c
  $ xylem files s:s2 --jsonl
  {"schema":1,"path":"/srv/proj/src/b.c","by":"read","call_count":1,"entry":"s1","time":"2026-11-20T10:01:00.000Z"}
  {"schema":1,"path":"/srv/proj/src/a.c","by":"read","call_count":1,"entry":"s1","time":"2026-11-20T10:01:00.000Z"}
  $ xylem files s:s0
  xylem: files: no tool read or wrote a file on the path
  $ xylem files s:s0 --json
  {"schema":1,"files":[]}

A call that failed touched no file; a call without a result may have. No host runs the calls of an aborted answer.

  $ session t
  $ say t1 t0 1 "$(call c1 write '"path":"blocked"'),$(call c2 write '"path":"a"'),$(call c3 read '"path":"a"')"
  $ result t2 t1 1 c1 true
  $ result t3 t2 1 c2 false
  $ say t4 t3 2 "$(call c1 write '"path":"aborted"')" aborted
  $ say t5 t4 3 "$(call c1 write '"path":"same id"')"
  $ result t6 t5 3 c1 false
  $ say t7 t6 4 "$(call c1 write '"path":"same id again"')"
  $ result t8 t7 4 c1 true
  $ xylem import -q session.jsonl
  1 file: 1 new; 9 entries added, 0 lines put into quarantine, 0 problems
  $ xylem files t
  BY     CALLS                 TIME  ENTRY  FILE
  write      1  2026-11-20 10:03:00  t5     same id
  read       1  2026-11-20 10:01:00  t1     a
  write      1  2026-11-20 10:01:00  t1     a
  xylem: files: 2 calls that failed are left out

Tools of other hosts are known by their names. A path stays whole, however long, and one that no tool of pi opens stays
as the model gave the path.

  $ LONG=$(printf 'd%.0s/' $(seq 200))end
  $ session u
  $ say u1 u0 1 "$(call c1 Read '"file_path":"'$LONG'"'),$(call c2 MultiEdit '"file_path":"b"')"
  $ say u2 u1 2 "$(call c3 NotebookEdit '"notebook_path":"n.ipynb"'),$(call c4 mcp__fs__write_file '"path":"c"')"
  $ say u3 u2 3 "$(call c5 read '"path":"file://host/x"'),$(call c6 read '"path":7'),$(call c7 reader '"path":"no"')"
  $ say u4 u3 4 "$(call c8 read '"path":"esc\u001b[31mhere"')"
  $ xylem import -q session.jsonl
  1 file: 1 new; 5 entries added, 0 lines put into quarantine, 0 problems
  $ xylem files u --jsonl | sed 's|\(d/\)*d/end|LONG|'
  {"schema":1,"path":"/srv/proj/esc\u001b[31mhere","by":"read","call_count":1,"entry":"u4","time":"2026-11-20T10:04:00.000Z"}
  {"schema":1,"path":"file://host/x","by":"read","call_count":1,"entry":"u3","time":"2026-11-20T10:03:00.000Z"}
  {"schema":1,"path":"/srv/proj/c","by":"write","call_count":1,"entry":"u2","time":"2026-11-20T10:02:00.000Z"}
  {"schema":1,"path":"/srv/proj/n.ipynb","by":"edit","call_count":1,"entry":"u2","time":"2026-11-20T10:02:00.000Z"}
  {"schema":1,"path":"/srv/proj/b","by":"edit","call_count":1,"entry":"u1","time":"2026-11-20T10:01:00.000Z"}
  {"schema":1,"path":"/srv/proj/LONG","by":"read","call_count":1,"entry":"u1","time":"2026-11-20T10:01:00.000Z"}
  $ COLUMNS=44 xylem files u
  BY     CALLS  AGE  ENTRY  FILE
  read       1  56m  u4     esc\x1b[31mhere
  read       1  57m  u3     file://host/x
  write      1  58m  u2     c
  edit       1  58m  u2     n.ipynb
  edit       1  59m  u1     b
  read       1  59m  u1     \xe2\x80\xa6/d/d/d/d/d/d/end (esc)
  $ verify

A relative path of a session without a directory stays as the model gave it, and so does a path below a home. A NUL ends no
path, and a name with `__` is no tool of a server.

  $ session v
  $ sed -i 's/,"cwd":"[^"]*"//' session.jsonl
  $ say v1 v0 1 "$(call c1 read '"path":"src/a.c"'),$(call c2 read '"path":"/abs/../x"'),$(call c3 read '"path":"~/y"')"
  $ say v2 v1 2 "$(call c4 read '"path":"n\u0000a"'),$(call c5 read '"path":"n\u0000b"'),$(call c6 my__read '"path":"z"')"
  $ xylem import -q session.jsonl
  1 file: 1 new; 3 entries added, 0 lines put into quarantine, 0 problems
  $ xylem files v --jsonl | jq -r .path | tr '\0' '%'
  n%b
  n%a
  ~/y
  /x
  src/a.c

Many failed calls take no time of their square.

  $ session w
  $ {
  >     seq 20000 | awk '{ printf "%s{\"type\":\"toolCall\",\"id\":\"c%d\",\"name\":\"read\",\"arguments\":{\"path\":\"f\"}}", (NR > 1 ? "," : ""), $1 }'
  > } >calls
  $ say w1 w0 1 "$(cat calls)"
  $ seq 20000 | awk '{ printf "{\"type\":\"message\",\"id\":\"r%d\",\"parentId\":\"%s\",\"timestamp\":\"2026-11-20T10:02:00.000Z\",\"message\":{\"role\":\"toolResult\",\"toolCallId\":\"c%d\",\"isError\":true}}\n", $1, (NR > 1 ? "r" ($1 - 1) : "w1"), $1 }' >>session.jsonl
  $ xylem import -q session.jsonl
  1 file: 1 new; 20,002 entries added, 0 lines put into quarantine, 0 problems
  $ timeout 20 xylem files w
  xylem: files: no tool read or wrote a file on the path
  xylem: files: 20,000 calls that failed are left out

The views of the notes are other views.

  $ xylem files u --noted --json
  {"schema":1,"files":[]}
  $ xylem files u --noted --check x
  xylem: files: --noted and --check cannot be combined (see `xylem files --help`)
  [2]
  $ xylem files u a b
  xylem: files: unexpected argument 'a': --check PATH asks about a file (see `xylem files --help`)
  [2]
