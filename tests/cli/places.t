What a word without and with a `:` means, in every command that takes a place.

  $ . "$TESTDIR/setup.sh"

The store has a name that is the beginning of another session's id, an entry whose id is the beginning of a session's id,
and two trees that hold one entry id. The session `aaaaaaaa-1111` is the last active of this directory.

  $ places() {
  >     fresh 19:30
  >     header='{"type":"session","version":3,"timestamp":"2026-11-20T12:00:00.000Z"'
  >     line='"timestamp":"2026-11-20T12:00:01.000Z","message":{"role":"user","content":"x"}}'
  >     { echo "$header,\"id\":\"aaaaaaaa-1111\",\"cwd\":\"$PWD\"}"
  >       echo '{"type":"message","id":"cccccccc","parentId":null,'"$line"
  >       echo '{"type":"message","id":"dddddddd","parentId":"cccccccc",'"$line"
  >       echo '{"type":"message","id":"eeeeeeee","parentId":"dddddddd",'"$line"
  >       echo '{"type":"session_info","id":"ffffffff","parentId":"eeeeeeee","name":"bbbbbbbb",'"$line"; } >a.jsonl
  >     xylem import -q a.jsonl
  >     rm a.jsonl
  >     add bbbbbbbb-2222 eeeeeeee note
  >     add bbbbbbbb-2222 short note
  >     add dddddddd-4444 one note
  >     add deleted two note
  >     xylem delete deleted --yes 2>/dev/null >/dev/null
  > }
  $ places
  1 file: 1 new; 4 entries added, 0 lines put into quarantine, 0 problems

  $ means() {
  >     xylem show "$@" --json 2>said | grep -o '"session":"[^"]*","entry":"[^"]*"' || cat said
  > }

A whole id and the beginning of an id come before names; a name comes before the id of an entry.

  $ means aaaaaaaa-1111
  "session":"aaaaaaaa-1111","entry":"ffffffff"
  $ means bbbbbbbb
  "session":"bbbbbbbb-2222","entry":"short"
  $ means dddddddd
  "session":"dddddddd-4444","entry":"one"
  $ means cccccccc
  "session":"aaaaaaaa-1111","entry":"cccccccc"
  $ means bbbb
  xylem: show: 'bbbb' is ambiguous: 2 sessions: bbbbbbbb-2222 (0s), aaaaaaaa-1111 (bbbbbbbb, 7h)
  $ means short
  "session":"bbbbbbbb-2222","entry":"short"
  $ means
  "session":"aaaaaaaa-1111","entry":"ffffffff"
  $ means :dddddddd
  "session":"aaaaaaaa-1111","entry":"dddddddd"
  $ means aaaaaaaa:dddd
  "session":"aaaaaaaa-1111","entry":"dddddddd"
  $ means bbbbbbbb:eeee
  "session":"bbbbbbbb-2222","entry":"eeeeeeee"
  $ means .:@~1
  "session":"aaaaaaaa-1111","entry":"eeeeeeee"
  $ means @last
  "session":"dddddddd-4444","entry":"one"
  $ means deleted
  xylem: show: the session deleted is deleted (`xylem -s store undelete deleted` brings it back)
  $ means deleted:two
  xylem: show: the session deleted is deleted (`xylem -s store undelete deleted` brings it back)

An entry of two trees: the session of this directory first, else both are named.

  $ means eeeeeeee
  "session":"aaaaaaaa-1111","entry":"eeeeeeee"
  $ (cd / && XYLEM_STORE=$PWD/none xylem -s "$OLDPWD/store" show eeeeeeee)
  xylem: show: 'eeeeeeee' is ambiguous: 2 entries have that id: aaaaaaaa-1111:eeeeeeee, bbbbbbbb-2222:eeeeeeee
  [4]

A session of another directory is no default.

  $ (cd / && xylem -s "$OLDPWD/store" log)
  xylem: log: no session of /; @last is dddddddd-4444 (0s): name a session
  [3]

Every command takes the forms of its kind, and refuses the others. The columns: SESSION, a beginning, a name, `.`,
SESSION:ENTRY, SESSION:none, :ENTRY, the id of an entry, no place.

  $ forms() {
  >     row=
  >     for place in aaaaaaaa-1111 aaaaaaaa-1 bbbbbbbb . aaaaaaaa-1111:cccccccc aaaaaaaa-1111:none :cccccccc cccccccc ''; do
  >         xylem $1 $place $2 </dev/null >/dev/null 2>&1
  >         row="$row $?"
  >     done
  >     echo "$row  $1 $2"
  > }
  $ for command in log show tree branches state blame files export 'diff aaaaaaaa-1111' moves quarantine 'lease status' \
  >     'sequence runs' 'sequence list' 'sequence show' gate 'search x --session'; do
  >     forms "$command"
  > done
   0 0 0 0 0 0 0 0 0  log 
   0 0 0 0 0 3 0 0 0  show 
   0 0 0 0 0 0 0 0 0  tree 
   0 0 0 0 0 0 0 0 0  branches 
   0 0 0 0 0 0 0 0 0  state 
   0 0 0 0 0 0 0 0 0  blame 
   0 0 0 0 0 0 0 0 0  files 
   0 0 0 0 2 2 3 3 0  export 
   0 0 1 0 1 1 1 1 2  diff aaaaaaaa-1111 
   0 0 0 0 2 2 3 3 2  moves 
   0 0 0 0 2 2 3 3 0  quarantine 
   0 0 0 0 2 2 3 3 0  lease status 
   0 0 0 0 2 2 3 3 0  sequence runs 
   0 0 0 0 0 0 2 2 0  sequence list 
   3 3 3 3 3 3 2 2 2  sequence show 
   0 0 0 0 0 0 2 2 2  gate 
   0 0 1 0 2 2 3 3 2  search x --session 
  $ forms label text
   2 2 2 2 0 3 2 2 3  label text
  $ forms fork
   2 2 2 2 0 3 2 2 2  fork 
  $ forms navigate
   2 2 2 2 0 0 2 2 2  navigate 
  $ forms redact '--reason x --dry-run'
   2 2 2 2 0 3 2 2 2  redact --reason x --dry-run
  $ forms append '--kind note'
   0 0 0 0 2 2 3 3 2  append --kind note
  $ forms rename name
   0 0 0 0 2 2 3 3 2  rename name
  $ forms clone
   0 0 0 0 2 2 3 3 2  clone 
  $ forms 'delete --dry-run'
   0 0 0 0 2 2 3 3 2  delete --dry-run 
  $ forms 'lease break --dry-run'
   3 3 3 3 2 2 3 3 2  lease break --dry-run 
  $ forms 'sequence save' '--step x'
   0 0 0 0 2 2 3 3 2  sequence save --step x

Two words are no place.

  $ for command in log show tree state fork navigate redact; do
  >     xylem $command aaaaaaaa-1111 cccccccc 2>&1 | grep -o "'[^']*' for an entry"
  > done
  'aaaaaaaa-1111:cccccccc' for an entry
  'aaaaaaaa-1111:cccccccc' for an entry
  'aaaaaaaa-1111:cccccccc' for an entry
  'aaaaaaaa-1111:cccccccc' for an entry
  'aaaaaaaa-1111:cccccccc' for an entry
  'aaaaaaaa-1111:cccccccc' for an entry
  'aaaaaaaa-1111:cccccccc' for an entry
