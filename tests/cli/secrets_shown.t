xylem sessions, tree, branches, state, diff, sequence show, sequence status with --redact-secrets: no part of a secret.

  $ . "$TESTDIR/setup.sh"
  $ . "$TESTDIR/runs.sh"

The secrets are keys of nobody. LONG is cut by an outline, AWS has spaces before its secret, PEM has several lines.

  $ TOKEN=ghp; TOKEN=${TOKEN}_NotARealKey0123456789NotARealKey0123
  $ KEY=NotARealKey0123456789NotARealKey0123456789
  $ LONG=sk-ant; LONG=$LONG-api03-$KEY${KEY}NotARealKAA
  $ AWS=aws_secret; AWS="${AWS}_access_key = ${KEY%789}/"
  $ PEM=BEGIN; PEM="-----$PEM PRIVATE KEY-----\u000a$KEY$KEY\u000a$KEY\u000a-----END PRIVATE KEY-----"
  $ line() { # TYPE ID PARENT MEMBERS
  >     echo "{\"type\":\"$1\",\"id\":\"$2\",\"parentId\":$3,\"timestamp\":\"2026-11-20T18:00:00.000Z\",$4}"
  > }
  $ first() { # SESSION
  >     echo "{\"type\":\"session\",\"version\":3,\"id\":\"$1\",\"timestamp\":\"2026-11-20T18:00:00.000Z\",\"cwd\":\"/p/$TOKEN/x\"}"
  >     line message a null "\"message\":{\"role\":\"user\",\"content\":\"$2$LONG\"}"
  > }
  $ planted() {
  >     fresh 19:30
  >     BEFORE='some words before a key, so that an outline cuts the key: '
  >     { first s "$BEFORE"
  >     line message b '"a"' "\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"use $TOKEN\"}]}"
  >     line custom c '"b"' "\"customType\":\"todo\",\"data\":{\"lastId\":2,\"items\":[{\"id\":1,\"text\":\"rotate $TOKEN\",\"done\":false},{\"id\":2,\"text\":\"words before the key: $PEM\",\"done\":true}]}"
  >     line custom d '"c"' "\"customType\":\"sequence\",\"data\":{\"version\":1,\"sequenceId\":\"q $TOKEN\",\"updatedAt\":1700000000000,\"steps\":[\"deploy with $TOKEN\",\"set $AWS\",\"write $PEM\"]}"
  >     line custom e '"d"' "\"customType\":\"todo\",\"data\":{\"text\":\"$TOKEN\"}"
  >     line label f '"e"' "\"targetId\":\"a\",\"label\":\"label $TOKEN\""
  >     line session_info g '"f"' "\"name\":\"name $TOKEN\""
  >     line message h '"g"' "\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"$BEFORE$LONG\"}]}"
  >     line label i '"h"' "\"targetId\":\"h\",\"label\":\"$TOKEN\""; } >s.jsonl
  >     first t '' >t.jsonl
  >     xylem import -q s.jsonl >/dev/null 2>&1; xylem import -q t.jsonl >/dev/null 2>&1
  >     xylem fork s:c --id "$TOKEN" >/dev/null 2>&1
  >     add "$TOKEN" "${TOKEN}x" custom:todo "{\"lastId\":1,\"items\":[{\"id\":1,\"text\":\"other $TOKEN\",\"done\":false}]}"
  >     for text in "$TOKEN" "$LONG" "$KEY"; do
  >         while [ ${#text} -ge 8 ]; do echo "${text%"${text#????????}"}"; text=${text#?}; done
  >     done | sort -u | grep -v '^sk-ant-a' >"$base/parts"
  > }
  $ found() { # a part of 8 characters, also over the end of a line
  >     tr -d '\n ' <out >joined
  >     grep -qFf "$base/parts" out err joined
  > }
  $ hidden() { # at each width, in JSON too; and without the option the secrets are there
  >     for width in 0 20 40 80 200; do
  >         for form in '' --json --jsonl; do
  >             env COLUMNS=$width xylem "$@" $form --redact-secrets >out 2>err </dev/null
  >             [ $? -le 1 ] || cat err
  >             ! found || echo "width $width $form: a part is there"
  >             [ "$width" -lt 80 ] || grep -q '\[redacted' out || echo "width $width $form: nothing is redacted"
  >         done
  >     done
  >     for form in '' --json; do
  >         env COLUMNS=200 xylem "$@" $form >out 2>err </dev/null
  >         found || echo "$form: the secrets are not there"
  >     done
  > }
  $ planted

Names, the first and the last words, ids, directories.

  $ hidden sessions
  $ hidden sessions --sort name --reverse
  $ env COLUMNS=100 xylem sessions --redact-secrets
  SESSION                     AGE  ENTRIES  DIRECTORY  NAME                LAST
  s                            1h        9  /p/\xe2\x80\xa6/x     name [redacted: g\xe2\x80\xa6  some words before a key, s\xe2\x80\xa6 (esc)
  \xe2\x94\x94\xe2\x94\x80[redacted: github-token]   0s        4  /p/\xe2\x80\xa6/x     "some words befo\xe2\x80\xa6"  use [redacted: github-toke\xe2\x80\xa6 (esc)
  t                            1h        1  /p/\xe2\x80\xa6/x     "[redacted: anth\xe2\x80\xa6"  [redacted: anthropic-key] (esc)
  xylem: sessions: 11 strings redacted

No filter of names confirms a guess.

  $ for text in NotAReal ghp_ "$TOKEN"; do xylem sessions --name "$text" --redact-secrets; done
  xylem: sessions: no session passes the filters
  xylem: sessions: 0 strings redacted
  xylem: sessions: no session passes the filters
  xylem: sessions: 0 strings redacted
  xylem: sessions: no session passes the filters
  xylem: sessions: 0 strings redacted
  $ xylem sessions --name NAME --redact-secrets --json 2>/dev/null | cut -c 1-44
  {"schema":1,"sessions":[{"session":"s","shor

Labels, titles and ids, and a family.

  $ hidden tree s
  $ hidden tree s:a --all
  $ hidden tree "$TOKEN"
  $ hidden tree s --family
  $ env COLUMNS=60 xylem tree s --redact-secrets
  s: name [redacted: github-token], 9 entries, 1 tip
  \xe2\x97\x8f a  user             [label [redacted: github-token]] some\xe2\x80\xa6 (esc)
  \xe2\x97\x8f b  assistant        use [redacted: github-token] (esc)
  \xe2\x97\x8f c  custom:todo      {"lastId":2,"items":[{"id":1,"text":"\xe2\x80\xa6 (esc)
  \xe2\x97\x8f d  custom:sequence  {"version":1,"sequenceId":"q [redacte\xe2\x80\xa6 (esc)
  \xe2\x97\x8f e  custom:todo      {"text":"[redacted: github-token]"} (esc)
  \xe2\x97\x8f f  label            label [redacted: github-token] on a (esc)
  \xe2\x97\x8f g  session_info     name [redacted: github-token] (esc)
  \xe2\x97\x8f h  assistant        [[redacted: github-token]] some words\xe2\x80\xa6 (esc)
  \xe2\x97\x8f i  label            <leaf> [redacted: github-token] on h (esc)
  xylem: tree: 17 strings redacted
  $ env COLUMNS=60 xylem tree s --family --redact-secrets
  SESSION                       OWN  SHARED  FORKED AT
  \xe2\x97\x8f s                             9       -  - (esc)
  \xe2\x94\x94\xe2\x94\x80\xe2\x97\x8b [redacted: github-token]    1       3  c (esc)
  xylem: tree: 1 string redacted

The state, with what --explain adds.

  $ hidden branches s
  $ hidden branches "$TOKEN"
  $ env COLUMNS=120 xylem branches s --redact-secrets
  TIP  AGE  DEPTH  OWN  FORKED AT  READONLY  SEQUENCE                    TODO          SAYS
  i     1h      9    9  -          off       q [redacted: github-token]  1/2   <leaf>  assistant: some words before a key\xe2\x80\xa6 (esc)
  xylem: branches: 3 strings redacted
  $ hidden state s --explain
  $ xylem state s --every --jsonl --redact-secrets >out 2>err
  $ found
  [1]
  $ env COLUMNS=80 xylem state s --explain --redact-secrets
  session    s
  at         i, depth 9
  event      resume
  readonly   off  the default: nothing decides
  nudge      none due
             readonly is off, and the path has no nudge "on"
  sequence   q [redacted: github\xe2\x80\xa6, 3 steps, from d (esc)
             custom:sequence {"version":1,"sequence\xe2\x80\xa6, depth 4, 2026-11-20 18:00:00 (esc)
             1. deploy with [redacted: github-token]
             2. set aws_secret_access_key = [redacted: aws-secret-key]
             3. write [redacted: private-key]
  todo       1 of 2 done, from c
             custom:todo {"lastId":2,"items":[{"id"\xe2\x80\xa6, depth 3, 2026-11-20 18:00:00 (esc)
             1. [ ] rotate [redacted: github-token]
             2. [x] words before the key: [redacted: private-key]
  mark       none
  skipped    e custom:todo: expected an array of at most 1024 items
  looked at  4 entries
  decoded    3 payloads, 754 B
  read       4 records of the log, 190 B
             4 gets, 0 seeks, 0 steps
  xylem: state: 12 strings redacted
  $ hidden diff s "$TOKEN"
  $ hidden diff s:g s
  $ indent env COLUMNS=80 xylem diff s:d "$TOKEN" --redact-secrets
  xylem: diff: 14 strings redacted
    < s:d  depth 4  1h ago
    > [redacted: github-token]:[redacted: github-token]  depth 4  0s ago  <leaf>
    = c  depth 3  1h ago  shared
    
    < 1 more entry
    < 4  d  1h  custom:sequence  {"version":1,"sequenceId":"q [redacted: github-tok\xe2\x80\xa6 (esc)
    
    > 1 more entry
    > 4  [redacted: github-token]  0s  custom:todo      <leaf> {"lastId":1,"items":\xe2\x80\xa6 (esc)
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  < q [redacted: github-token], 3 steps, from d
              > none
    todo      < 1 of 2 done, from c
              > 0 of 1 done, from [redacted: github-token]
              < 1. [ ] rotate [redacted: github-token]
              < 2. [x] words before the key: [redacted: private-key]
              > 1. [ ] other [redacted: github-token]
    mark      = none
    label     < a [label [redacted: github-token]]
              > a none
  [1]

Steps are broken between words, and secrets have words and lines.

  $ hidden sequence show s
  $ env COLUMNS=40 xylem sequence show s --redact-secrets
  sequence    q [redacted: github-token]
  session     s
  entry       d, depth 4, 2026-11-20
              18:00:00
  steps       3
   1  deploy with [redacted: github-token]
   2  set aws_secret_access_key =
      [redacted: aws-secret-key]
   3  write [redacted: private-key]
  xylem: sequence show: 4 strings redacted
  $ host
  $ start_run() {
  >     start ",\"sequence_id\":\"q $TOKEN\",\"steps\":[\"deploy with $TOKEN and \$1 $PEM\",\"set $AWS\"],\"args\":[\"the $AWS\"]" >/dev/null
  > }
  $ say next claim | start_run || true
  $ hidden sequence show --run "$(id)"
  $ hidden sequence status "$(id)"
  $ xylem sequence show --run "$(id)" --redact-secrets --json 2>/dev/null | sed 's/"run_id":"[^"]*"/"run_id":"RUN"/'
  {"schema":1,"sequence_id":"q [redacted: github-token]","run_id":"RUN","steps":["deploy with [redacted: github-token] and $1 [redacted: private-key]","set aws_secret_access_key = [redacted: aws-secret-key]"],"args":["the aws_secret_access_key = [redacted: aws-secret-key]"]}
  $ say next claim "{\"failed\":{\"code\":\"turn-error\",\"message\":\"the key $AWS has expired, and $PEM too\"}}" | start_run || true
  $ hidden sequence status "$(id)"
  $ env COLUMNS=60 xylem sequence status "$(id)" --redact-secrets 2>/dev/null | grep -A 2 because
  because     turn-error: the key aws_secret_access_key =
              [redacted: aws-secret-key] has expired, and
              [redacted: private-key] too

A person who picks a session sees no secret in the list, nor in the id, nor in the way back.

  $ planted
  $ mkdir bin "$TOKEN"
  $ printf '#!/bin/sh\ncat >list\nprintf "$PICKED\\tx\\n"\n' >bin/fzf; chmod +x bin/fzf
  $ pick() { # LINE [OPTION]
  >     PATH=$PWD/bin:$PATH PICKED=$1 COLUMNS=100 script -qec "xylem sessions --pick $2" /dev/null </dev/null | tr -d '\r'
  > }
  $ pick 1 --redact-secrets
  [redacted: github-token]
  xylem: sessions: 12 strings redacted
  $ cat list
  0\tSESSION                   AGE  ENTRIES  DIRECTORY  NAME                LAST (esc)
  1\t[redacted: github-token]   0s        4  /p/\xe2\x80\xa6/x     "some words befo\xe2\x80\xa6"  use [redacted: github-to\xe2\x80\xa6 (esc)
  2\tt                          1h        1  /p/\xe2\x80\xa6/x     "[redacted: anth\xe2\x80\xa6"  [redacted: anthropic-key] (esc)
  3\ts                          1h        9  /p/\xe2\x80\xa6/x     name [redacted: g\xe2\x80\xa6  some words before a key,\xe2\x80\xa6 (esc)
  $ pick 1 | head -n 1 | cut -c 1-4
  ghp_
  $ first back '' | sed "s|/p/$TOKEN/x|$PWD/$TOKEN|" >back.jsonl
  $ xylem import -q back.jsonl >/dev/null 2>&1
  $ pick 2 --redact-secrets | head -n 1
  back
  $ pick 2 --redact-secrets | grep -c 'pi --session'
  0
  [1]
  $ pick 2 | grep -c 'pi --session'
  1

Patterns of one's own see a string by itself, from its beginning. No `~` stands for a part of a match.

  $ env COLUMNS=80 xylem sessions --redact-pattern '^ghp_[A-Za-z0-9]+$' 2>&1 | grep -c '─.redacted'
  1
  $ env COLUMNS=80 xylem tree s --family --redact-pattern '^ghp_[A-Za-z0-9]+$' 2>&1 | grep -c '─○ .redacted'
  1
  $ env HOME="/p/$TOKEN" xylem sessions 2>&1 | grep -c '~'
  3
  $ env HOME="/p/$TOKEN" xylem sessions --redact-pattern "^/p/$TOKEN" 2>&1 | grep -c '~'
  0
  [1]
  $ xylem tree s:a --redact-pattern '^a$' 2>&1 | head -n 1
  s: name ghp_NotARealKey0123456789NotARealKey0123, 9 entries, 1 tip from [redacted] on
  $ cd ../2
  $ xylem sequence status "$(id)" --redact-pattern '^the key' 2>&1 | grep -o 'turn-error: .........'
  turn-error: [redacted
  $ for command in sessions 'tree s' 'branches s' 'state s' 'diff s t' 'sequence show s' 'sequence status s'; do
  >     xylem $command --redact-pattern 'a(b' 2>&1 | sed 's/--redact-pattern.*: /.../'
  > done
  xylem: sessions: ...missing closing parenthesis
  xylem: tree: ...missing closing parenthesis
  xylem: branches: ...missing closing parenthesis
  xylem: state: ...missing closing parenthesis
  xylem: diff: ...missing closing parenthesis
  xylem: sequence show: ...missing closing parenthesis
  xylem: sequence status: ...missing closing parenthesis
