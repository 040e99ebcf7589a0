xylem secrets: where keys and passwords of known forms are. --redact-secrets: output without them.

  $ . "$TESTDIR/setup.sh"

The secrets of the transcript are keys of nobody, and are put together so that no scanner of a forge finds them here.

  $ TOKEN=ghp; TOKEN=${TOKEN}_NotARealKey0123456789NotARealKey0123
  $ AWS=AK; AWS=${AWS}IAFAKE234567MNPQRS
  $ line() { # TYPE ID PARENT MEMBERS
  >     echo "{\"type\":\"$1\",\"id\":\"$2\",\"parentId\":$3,\"timestamp\":\"2026-11-20T18:00:00.000Z\",$4}"
  > }
  $ planted() {
  >     fresh 19:30
  >     { echo '{"type":"session","version":3,"id":"s","timestamp":"2026-11-20T18:00:00.000Z","cwd":"/p"}'
  >     line message a null "\"message\":{\"role\":\"user\",\"content\":\"deploy with $TOKEN please\"}"
  >     line message b '"a"' "\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"name\":\"bash\",\"arguments\":{\"command\":\"psql postgres:\\/\\/app:correct-horse9@db\\/x; echo \\u0067${TOKEN#g}\"}}]}"
  >     line custom c '"b"' "\"customType\":\"env\",\"data\":{\"key\":\"$AWS\",\"n\":5}"
  >     line label d '"c"' "\"targetId\":\"a\",\"label\":\"label $TOKEN\""
  >     line session_info e '"d"' "\"name\":\"name $TOKEN\""; } >s.jsonl
  >     xylem import -q s.jsonl >/dev/null 2>&1
  >     add other a note '{"text":"nothing"}'
  > }
  $ shown() { # no output has a part of a secret
  >     "$@" >out 2>err; code=$?
  >     cat out; cat err
  >     grep -l -e NotARealKey -e correct-horse -e FAKE234567 out err
  >     return $code
  > }

Nothing found.

  $ fresh
  $ add s a note '{"text":"use $TOKEN, or postgres://user:password@localhost/db"}'
  $ xylem secrets
  0 secrets of known forms in 0 places
  $ xylem secrets --json
  {"schema":1,"secrets":[]}

Each kind of a place has a row; no output has the secret.

  $ planted
  $ shown xylem secrets
  KIND               SECRETS  SESSION  PLACE
  github-token             1  s        a
  github-token             1  s        b
  url-password             1  s        b
  aws-access-key-id        1  s        c
  github-token             1  s        d
  github-token             1  s        e
  
  6 secrets of known forms in 5 places: change them at their providers; `xylem -s store redact --secrets --reason secret --dry-run` shows what would go
  [1]
  $ shown xylem secrets s --jsonl
  {"schema":1,"kind":"github-token","count":1,"place":"entry","taken":true,"session":"s","session_number":1,"entry":"a","branch":1,"depth":1,"number":0}
  {"schema":1,"kind":"github-token","count":1,"place":"entry","taken":true,"session":"s","session_number":1,"entry":"b","branch":1,"depth":2,"number":0}
  {"schema":1,"kind":"url-password","count":1,"place":"entry","taken":true,"session":"s","session_number":1,"entry":"b","branch":1,"depth":2,"number":0}
  {"schema":1,"kind":"aws-access-key-id","count":1,"place":"entry","taken":true,"session":"s","session_number":1,"entry":"c","branch":1,"depth":3,"number":0}
  {"schema":1,"kind":"github-token","count":1,"place":"entry","taken":true,"session":"s","session_number":1,"entry":"d","branch":1,"depth":4,"number":0}
  {"schema":1,"kind":"github-token","count":1,"place":"entry","taken":true,"session":"s","session_number":1,"entry":"e","branch":1,"depth":5,"number":0}
  [1]
  $ xylem secrets other
  0 secrets of known forms in 0 places
  $ xylem secrets nobody
  xylem: secrets: there is no session 'nobody'; `xylem -s store sessions` lists the sessions
  [3]
  $ COLUMNS=60 xylem secrets
  KIND               SECRETS  SESSION  PLACE
  github-token             1  s        a
  github-token             1  s        b
  url-password             1  s        b
  aws-access-key-id        1  s        c
  github-token             1  s        d
  github-token             1  s        e
  
  6 secrets of known forms in 5 places: change them at their
    providers;
    `xylem -s store redact --secrets --reason secret --dry-run`
    shows what would go
  [1]

A deleted session, a line in quarantine, a directory, a label and the name of a session are searched too. A directory
cannot be redacted.

  $ xylem delete other --yes >/dev/null
  $ xylem secrets --json | tr '{' '\n' | grep -c github
  4
  $ fresh
  $ printf '{"type":"session","version":3,"id":"q","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/x/%s"}\n{torn %s\\n%s\n' "$TOKEN" "$TOKEN" "$TOKEN" >q.jsonl
  $ xylem import -q q.jsonl >/dev/null 2>&1
  [1]
  $ shown xylem secrets
  KIND          SECRETS  SESSION  PLACE
  github-token        2  q        a line in quarantine, 2
  github-token        1  q        the working directory of a session
  
  3 secrets of known forms in 2 places: change them at their providers; `xylem -s store redact --secrets --reason secret --dry-run` shows what would go
  [1]
  $ shown xylem secrets --json
  {"schema":1,"secrets":[{"kind":"github-token","count":2,"place":"quarantine","taken":true,"session":"q","session_number":1,"entry":null,"branch":0,"depth":0,"number":2},{"kind":"github-token","count":1,"place":"cwd","taken":false,"session":"q","session_number":1,"entry":null,"branch":0,"depth":0,"number":0}]}
  [1]

Of a session, copies of its entries in other sessions are listed too: a redaction takes them along.

  $ planted
  $ sed 's/"id":"s"/"id":"t"/' s.jsonl >t.jsonl
  $ xylem import -q t.jsonl >/dev/null 2>&1
  $ xylem secrets t
  KIND               SECRETS  SESSION  PLACE
  github-token             1  t        a
  github-token             1  t        b
  url-password             1  t        b
  aws-access-key-id        1  t        c
  github-token             1  t        d
  github-token             1  t        e
  github-token             1  s        a
  github-token             1  s        b
  url-password             1  s        b
  aws-access-key-id        1  s        c
  github-token             1  s        d
  github-token             1  s        e
  
  12 secrets of known forms in 10 places: change them at their providers; `xylem -s store redact --secrets --reason secret --dry-run t` shows what would go
  [1]

A line that is no JSON and has a secret, in any spelling, is left out whole; of a line that is JSON the secret alone.

  $ fresh
  $ { echo '{"type":"session","version":3,"id":"q","timestamp":"2026-11-20T18:00:00.000Z","cwd":"/p"}'
  >   echo "{torn \"\\u0067${TOKEN#g}\""
  >   echo "{\"whole\":\"$TOKEN\"}"
  >   echo '{torn too'; } >q.jsonl
  $ xylem import -q q.jsonl >/dev/null 2>&1
  [1]
  $ xylem secrets q | grep token
  github-token        1  q        a line in quarantine, 2
  github-token        1  q        a line in quarantine, 3
  $ shown xylem search torn --quarantine --redact-secrets
  xylem quarantine q --raw 4  line 4 in quarantine
      {torn too
  
  1 match in 1 session
  xylem: search: 0 strings redacted
  $ shown xylem search redacted --quarantine --redact-secrets --json
  {"schema":1,"hits":[{"session":"q","name":null,"entry":null,"line":3,"part":"quarantine","role":null,"tool":null,"failed":false,"match_count":1,"before":"[","match":"redacted","after":": github-token]","cut_before":false,"cut_after":false,"sessions":["q"]}]}
  xylem: search: 1 string redacted
  $ shown xylem export q --quarantine --redact-secrets
  {"type":"session","version":3,"id":"q","timestamp":"2026-11-20T18:00:00.000Z","cwd":"/p"}
  {"whole":"[redacted: github-token]"}
  {torn too
  xylem: export: 1 string in 1 line redacted
  xylem: export: 1 line was left out: not JSON, and a pattern matches

log, show and search leave secrets out, also of labels and names, before a line is cut.

  $ planted
  $ shown xylem log s --redact-secrets
  5  e  2026-11-20 18:00:00  session_info  <leaf> name [redacted: github-token]
  4  d  2026-11-20 18:00:00  label         label [redacted: github-token] on a
  3  c  2026-11-20 18:00:00  custom:env    {"key":"[redacted: aws-access-key-id]","n":5}
  2  b  2026-11-20 18:00:00  assistant     bash(psql postgres://app:[redacted: url-password]@db/x; echo [redacted:\xe2\x80\xa6 (esc)
  1  a  2026-11-20 18:00:00  user          [label [redacted: github\xe2\x80\xa6] deploy with [redacted: github-token] please (esc)
  xylem: log: 6 strings redacted
  $ shown xylem log s --redact-secrets -n 3 --full
  e  session_info  <leaf>
  2026-11-20 18:00:00 (1h ago), depth 5, 56 B
  
      name [redacted: github-token]
  
  d  label
  2026-11-20 18:00:00 (1h ago), depth 4, 73 B
  
      label [redacted: github-token] on a
  
  c  custom:env
  2026-11-20 18:00:00 (1h ago), depth 3, 29 B
  
      {"key":"[redacted: aws-access-key-id]","n":5}
  xylem: log: 3 strings redacted
  $ shown xylem log s --redact-secrets --json
  {"schema":1,"entries":[{"entry":"e","parent":"d","kind":"session_info","time":"2026-11-20T18:00:00.000Z","depth":5,"label":null,"payload":{"name":"name [redacted: github-token]"}},{"entry":"d","parent":"c","kind":"label","time":"2026-11-20T18:00:00.000Z","depth":4,"label":null,"payload":{"targetId":"a","label":"label [redacted: github-token]"}},{"entry":"c","parent":"b","kind":"custom:env","time":"2026-11-20T18:00:00.000Z","depth":3,"label":null,"payload":{"key":"[redacted: aws-access-key-id]","n":5}},{"entry":"b","parent":"a","kind":"message","time":"2026-11-20T18:00:00.000Z","depth":2,"label":null,"payload":{"message":{"role":"assistant","content":[{"type":"toolCall","name":"bash","arguments":{"command":"psql postgres://app:[redacted: url-password]@db/x; echo [redacted: github-token]"}}]}}},{"entry":"a","parent":null,"kind":"message","time":"2026-11-20T18:00:00.000Z","depth":1,"label":"label [redacted: github-token]","payload":{"message":{"role":"user","content":"deploy with [redacted: github-token] please"}}}]}
  xylem: log: 6 strings redacted
  $ shown env COLUMNS=60 xylem log s --redact-secrets
  5  e  1h  session_info  <leaf> name [redacted: github-token]
  4  d  1h  label         label [redacted: github-token] on a
  3  c  1h  custom:env    {"key":"[redacted: aws-access-key-i\xe2\x80\xa6 (esc)
  2  b  1h  assistant     bash(psql postgres://app:[redacted:\xe2\x80\xa6 (esc)
  1  a  1h  user          [label [reda\xe2\x80\xa6] deploy with [redacte\xe2\x80\xa6 (esc)
  xylem: log: 6 strings redacted
  $ shown xylem show s:b --redact-secrets
  entry     b
  parent    a
  children  c
  kind      message assistant
  time      2026-11-20 18:00:00.000 (1h ago)
  place     depth 2, branch 1, lsn 3
  check     ce43f57fbda0af32
  payload   199 B of json, imported
  
      calls bash
        command: psql postgres://app:[redacted: url-password]@db/x; echo [redacted: github-token]
  xylem: show: 1 string redacted
  $ shown xylem show s:c --redact-secrets --json
  {"schema":1,"session":"s","entry":"c","parent":"b","kind":"custom:env","time":"2026-11-20T18:00:00.000Z","depth":3,"branch":1,"lsn":4,"check":"b768ef9d1d50b7fe","imported":true,"line_bytes":46,"format":"msgpack","payload_bytes":29,"label":null,"payload":{"key":"[redacted: aws-access-key-id]","n":5}}
  xylem: show: 1 string redacted
  $ xylem show s:c --redact-secrets --raw
  xylem: show: --raw prints the stored bytes, and leaves nothing out: give --json (see `xylem show --help`)
  [2]
  $ shown xylem search deploy --redact-secrets
  xylem show s:a  2026-11-20 18:00 (1h ago)  user  name [redacted: github-token]
      deploy with [redacted: github-token] please
  
  1 match in 1 session
  xylem: search: 2 strings redacted
  $ shown xylem search deploy --redact-secrets --json -C 2
  {"schema":1,"hits":[{"session":"s","name":"name [redacted: github-token]","entry":"a","kind":"message","time":"2026-11-20T18:00:00.000Z","depth":1,"part":"text","role":"user","tool":null,"failed":false,"match_count":1,"before":"","match":"deploy","after":" with [redacted: github-token] please","cut_before":false,"cut_after":false,"sessions":["s"],"entries_before":[],"entries_after":[{"entry":"b","parent":"a","kind":"message","time":"2026-11-20T18:00:00.000Z","depth":2,"payload":{"message":{"role":"assistant","content":[{"type":"toolCall","name":"bash","arguments":{"command":"psql postgres://app:[redacted: url-password]@db/x; echo [redacted: github-token]"}}]}}},{"entry":"c","parent":"b","kind":"custom:env","time":"2026-11-20T18:00:00.000Z","depth":3,"payload":{"key":"[redacted: aws-access-key-id]","n":5}}]}]}
  xylem: search: 4 strings redacted
  $ shown xylem log s -n 2 --redact-secrets --redact-pattern 'dep[a-z]+'
  5  e  2026-11-20 18:00:00  session_info  <leaf> name [redacted: github-token]
  4  d  2026-11-20 18:00:00  label         label [redacted: github-token] on a
  xylem: log: 2 strings redacted
  $ xylem log s:a --redact-pattern 'dep[a-z]+ with [a-zA-Z0-9_]+'
  1  a  2026-11-20 18:00:00  user        [label ghp_NotARealKey01\xe2\x80\xa6] [redacted] please (esc)
  xylem: log: 1 string redacted
  $ xylem log s --redact-pattern 'a(b'
  xylem: log: --redact-pattern: line 1: the pattern cannot be compiled: byte 3: missing closing parenthesis
  [2]

A search tells nothing about what is left out: a guess in a pattern, a count, a list or an expression has no answer.

  $ for text in "$TOKEN" NotAReal correct-horse9 app:correct ghp_; do
  >     xylem search "$text" -c --redact-secrets; xylem search "$text" -l --redact-secrets; xylem search "$text" --json --redact-secrets
  > done 2>/dev/null | sort | uniq -c
        5 {"schema":1,"hits":[]}
  $ xylem search -e 'echo (?=ghp_Not)|with ghp|.{40}Key' --redact-secrets
  xylem: search: no match in 6 entries
  xylem: search: 0 strings redacted
  [1]
  $ xylem search "$TOKEN" -c | tail -n 1
  4 matches in 1 session
  $ xylem search deploy NotAReal -c --redact-secrets
  xylem: search: no match in 6 entries
  xylem: search: 0 strings redacted
  [1]
  $ xylem search -e 'app:.redacted: url-password.@db' -c --redact-secrets
        1  s  name [redacted: github-token]
  1 match in 1 session
  xylem: search: 1 string redacted

An export and a bundle.

  $ shown xylem export s --redact-secrets
  {"type":"session","version":3,"id":"s","timestamp":"2026-11-20T18:00:00.000Z","cwd":"/p"}
  {"type":"message","id":"a","parentId":null,"timestamp":"2026-11-20T18:00:00.000Z","message":{"role":"user","content":"deploy with [redacted: github-token] please"}}
  {"type":"message","id":"b","parentId":"a","timestamp":"2026-11-20T18:00:00.000Z","message":{"role":"assistant","content":[{"type":"toolCall","name":"bash","arguments":{"command":"psql postgres://app:[redacted: url-password]@db/x; echo [redacted: github-token]"}}]}}
  {"type":"custom","id":"c","parentId":"b","timestamp":"2026-11-20T18:00:00.000Z","customType":"env","data":{"key":"[redacted: aws-access-key-id]","n":5}}
  {"type":"label","id":"d","parentId":"c","timestamp":"2026-11-20T18:00:00.000Z","targetId":"a","label":"label [redacted: github-token]"}
  {"type":"session_info","id":"e","parentId":"d","timestamp":"2026-11-20T18:00:00.000Z","name":"name [redacted: github-token]"}
  xylem: export: 5 strings in 5 lines redacted
  $ shown xylem export s --redact-secrets --redact-pattern please | tail -n 2
  {"type":"session_info","id":"e","parentId":"d","timestamp":"2026-11-20T18:00:00.000Z","name":"name [redacted: github-token]"}
  xylem: export: 5 strings in 5 lines redacted
  $ xylem export --all all --redact-secrets
  xylem: export: --all takes a directory, and no other option: xylem export --all DIRECTORY (see `xylem export --help`)
  [2]
  $ xylem bundle s --redact-secrets 2>&1 >b | sed "s/; .*/; SIZE/"
  xylem: bundle: 1 session, 6 changes with 5 entries, 5 redacted by the patterns; SIZE
  $ xylem -s second unbundle b 2>&1 | head -n 2
  xylem: unbundle: second is a new xylem store
  OUTCOME  SESSION  CHANGES  ENTRIES  DIRECTORY
  $ xylem -s second secrets
  0 secrets of known forms in 0 places
  $ xylem -s second log s -n 1
  5  e  2026-11-20 18:00:00  session_info  <leaf> (redacted: matched a pattern)
  $ xylem bundle --since-bundle b >/dev/null
  xylem: bundle: b was made with other patterns, or with none: the redacted entries would differ (see `xylem bundle --help`)
  [2]
  $ xylem bundle --since-bundle b --redact-secrets 2>&1 >c | sed "s/; .*/; SIZE/"
  xylem: bundle: 1 session, 0 changes with 0 entries, 0 redacted by the patterns; SIZE

redact --secrets takes what secrets lists.

  $ shown xylem redact --secrets --reason keys --dry-run | head -n 7
  would redact every match that can be redacted
    would be taken: session s, entry a
    would be taken: session s, entry b
    would be taken: session s, entry c
    would be taken: session s, entry d
    would be taken: session s, entry e
  to take  502 B of 5 entries; in 1 session
  $ xylem redact --secrets
  xylem: redact: a redaction needs a reason: give --reason (see `xylem redact --help`)
  [2]
  $ xylem redact s --secrets --pattern please --reason keys --yes | head -n 2
  redacted every match that can be redacted
  taken    502 B of 5 entries; in 1 session
  $ xylem secrets
  0 secrets of known forms in 0 places
  $ xylem log s -n 1
  5  e  2026-11-20 18:00:00  session_info  <leaf> (redacted: keys)
  $ verify

On a narrow terminal the entries of one session have short ids.

  $ fresh
  $ xylem append long --create --kind message --id 01a22a6c-f37f-7000-8000-002fbb766a22 --data "{\"a\":\"$TOKEN\"}" >/dev/null
  $ COLUMNS=60 xylem secrets long | head -n 2
  KIND          SECRETS  SESSION  PLACE
  github-token        1  long     01a22a6c-f37f
  $ xylem secrets long | sed -n 2p
  github-token        1  long     01a22a6c-f37f-7000-8000-002fbb766a22

An id that is a secret is never shortened: a part of a secret would be shown.

  $ fresh 19:30
  $ { echo "{\"type\":\"session\",\"version\":3,\"id\":\"$TOKEN\",\"timestamp\":\"2026-11-20T18:00:00.000Z\",\"cwd\":\"/p\"}"
  >   line message "$TOKEN" null '"message":{"role":"user","content":"deploy"}'; } >i.jsonl
  $ xylem import -q i.jsonl >/dev/null 2>&1
  $ shown env COLUMNS=60 xylem log "$TOKEN" --redact-secrets
  1  [redacted: github-token]  1h  user        <leaf> deploy
  xylem: log: 1 string redacted
  $ shown xylem search deploy --redact-secrets
  xylem show [redacted: github-token]:[redacted: github-token]  2026-11-20 18:00 (1h ago)  user
      deploy
  
  1 match in 1 session
  xylem: search: 2 strings redacted
  $ shown xylem search deploy -c --redact-secrets
        1  [redacted: github-token]
  1 match in 1 session
  xylem: search: 1 string redacted

A pattern that matches the name of a member of a document leaves the document as it is; names of a payload are
replaced. A payload may nest as deep as JSON can.

  $ fresh 19:30
  $ timeless() { sed -E 's/"(time|check)":"[^"]*"/"\1":"..."/g'; }
  $ add s a note '{"schema":{"payload":["a schema"]},"text":"x"}'
  $ xylem log s --json --redact-pattern 'schema|text|payload|e' 2>/dev/null | timeless
  {"schema":1,"entries":[{"entry":"a","parent":null,"kind":"not[redacted]","time":"...","depth":1,"label":null,"payload":{"[redacted]":{"[redacted]":["a [redacted]"]},"[redacted]":"x"}}]}
  $ xylem show s --json --redact-pattern 'schema|text|payload|entry' 2>/dev/null | timeless
  {"schema":1,"session":"s","entry":"a","parent":null,"kind":"note","time":"...","depth":1,"branch":1,"lsn":2,"check":"...","imported":false,"line_bytes":0,"format":"json","payload_bytes":46,"label":null,"payload":{"[redacted]":{"[redacted]":["a [redacted]"]},"[redacted]":"x"}}
  $ xylem search x --json -C 1 --redact-pattern 'schema|text|payload|before|label' 2>/dev/null | timeless
  {"schema":1,"hits":[{"session":"s","name":null,"entry":"a","kind":"note","time":"...","depth":1,"part":"data","role":null,"tool":null,"failed":false,"match_count":1,"before":"","match":"x","after":"","cut_before":false,"cut_after":false,"sessions":["s"],"entries_before":[],"entries_after":[]}]}
  $ { echo '{"type":"session","version":3,"id":"deep","timestamp":"2026-11-20T18:00:00.000Z","cwd":"/p"}'
  >   line message a null "\"message\":{\"role\":\"user\",\"content\":\"deploy\",\"x\":$(printf '[%.0s' $(seq 510))\"$TOKEN\"$(printf ']%.0s' $(seq 510))}"; } >deep.jsonl
  $ xylem import -q deep.jsonl >/dev/null 2>&1
  $ xylem log deep --json --redact-secrets | grep -c '\[\[\["\[redacted: github-token\]"\]\]\]'
  xylem: log: 1 string redacted
  1

A text that is made to be slow stops no command: from the place on where the search would end, the text is left out.

  $ planted
  $ { echo '{"type":"session","version":3,"id":"slow","timestamp":"2026-11-20T18:00:00.000Z","cwd":"/p"}'
  >   line message z null "\"message\":{\"role\":\"user\",\"content\":\"SLOW $TOKEN\"}"; } >slow
  $ yes eyJabcdefghijkl. | head -n 60000 | tr -d '\n' >filler
  $ sed -e '/SLOW/{s/SLOW.*//;r filler' -e 'a\' -e "$TOKEN\"}}" -e '}' slow | tr -d '\n' | sed 's/"cwd":"\/p"}/&\n/' >slow.jsonl
  $ xylem import -q slow.jsonl >/dev/null 2>&1
  $ xylem secrets | grep -e jwt -e 'github-token.*a$'
  github-token             1  s        a
  jwt                      1  slow     z
  $ shown xylem search deploy -c --redact-secrets
        1  s  name [redacted: github-token]
  1 match in 1 session
  xylem: search: 1 string redacted
  $ xylem export slow --redact-secrets | tail -c 40
  xylem: export: 1 string in 1 line redacted
  hijkl.eyJabcdefghijkl.[redacted: jwt]"}} (no-eol)

The reason of a redaction is left out before it is cut into rows.

  $ planted
  $ xylem redact s:a --yes --reason "a reason that fills a row, aws_secret_access_key = NotARealKey0123456789NotARealKey0123456/" >/dev/null
  $ shown env COLUMNS=60 xylem show s:a --redact-secrets | tail -n 3
      (redacted: a reason that fills a row,
      aws_secret_access_key = [redacted: aws-secret-key])
  xylem: show: 2 strings redacted

The patterns do not change the count of what was left out.

  $ xylem log s -n 1 --redact-pattern 'str|red' 2>&1 | tail -n 1
  xylem: log: 0 strings redacted
