xylem redact, and what is left of the bytes in the files of the store.

  $ . "$TESTDIR/setup.sh"
  $ SECRET=sk-4f9a-hush-hush
  $ HEADER='{"type":"session","version":3,"id":"s","timestamp":"2025-01-01T00:00:00.000Z"}'
  $ line() {
  >     printf '{"type":"message","id":"%s","parentId":%s,"timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"user","content":"%s"}}\n' "$@"
  > }

A session has a small payload, a large one, a line that is kept as it is, quarantined ones, and a torn one.

  $ secrets() {
  >     fresh
  >     {
  >         echo "$HEADER"
  >         line aaaa0001 null hello
  >         line aaaa0002 '"aaaa0001"' "$SECRET one"
  >         printf '{"type":"message", "id":"aaaa0003","parentId":"aaaa0002","content":"%s two' $SECRET
  >         yes " and $SECRET" | head -n 3000 | tr -d '\n'
  >         echo '"}'
  >         line aaaa0004 '"aaaa0003"' good
  >         printf '{"id":"aaaa0002","torn in":"%s three\n' $SECRET
  >         line aaaa0005 '"aaaa0004"' bye
  >         printf '{"type":"message","id":"aaaa0003","x":"%s fo' $SECRET
  >     } >secrets.jsonl
  >     xylem import -q secrets.jsonl >/dev/null 2>&1 || true
  > }
  $ files_with() {
  >     grep -lr -e "$1" store
  > }

Nothing of the secret is left in the files: not in the files of the store, nor in the old file, whatever its name is by
now.

  $ secrets
  $ files_with $SECRET
  store/data.mdb
  $ exec 3<store/data.mdb
  $ xylem redact s:aaaa0002 --reason 'a key' --yes
  redacted entry aaaa0002 of session s
  taken    61 B of 1 entry, 1 quarantined line; in 1 session
  file     * became *, and the old file was overwritten (glob)
  Not reached; the text may still be in:
    the session file */1/secrets.jsonl (glob)
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    summaries, labels, names and other entries that repeat the text
  $ grep -c $SECRET <&3
  0
  [1]
  $ exec 3<store/data.mdb 4<store/data.mdb
  $ grep -aq $SECRET <&3
  $ xylem redact s:aaaa0003 --reason 'a key' --drop-hash -y
  redacted entry aaaa0003 of session s
  taken    64.5 KiB of 1 entry, 1 torn line; in 1 session
  hashes   1 dropped, and the checks of 2 entries behind made anew
  file     * became *, and the old file was overwritten (glob)
  Not reached; the text may still be in:
    the session file */1/secrets.jsonl (glob)
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    summaries, labels, names and other entries that repeat the text
  $ files_with $SECRET
  [1]
  $ grep -c $SECRET <&4
  0
  [1]
  $ exec 3<&- 4<&-
  $ files_with hello
  store/data.mdb
  $ verify

What is shown says why.

  $ secrets
  $ xylem redact s:aaaa0002 --reason "$(printf 'a key\033[1m')" -y >/dev/null
  $ xylem show s:aaaa0002
  entry     aaaa0002
  parent    aaaa0001
  children  aaaa0003
  kind      message
  time      2025-01-01 00:00:02.000 (* ago) (glob)
  place     depth 2, branch 1, lsn 3
  check     02fa6cb69b45cdaf
  payload   redacted, imported
  
      (redacted: a key\x1b[1m)
  $ xylem show s:aaaa0002 --json
  {"schema":1,"session":"s","entry":"aaaa0002","parent":"aaaa0001","kind":"message","time":"2025-01-01T00:00:02.000Z","depth":2,"branch":1,"lsn":3,"check":"02fa6cb69b45cdaf","imported":true,"line_bytes":0,"format":"json","payload_bytes":0,"label":null,"payload":null,"payload_error":"the payload of entry aaaa0002 was redacted","redacted":"a key\u001b[1m","hash_dropped":false}
  $ xylem show s:aaaa0002 --raw
  xylem: show: the payload of entry aaaa0002 was redacted
  [1]
  $ for line in 'log s' 'log s --full' 'log s --jsonl' 'tree s' 'state s' 'branches s' sessions 'diff s s' \
  >     'blame s readonly' 'moves s' 'watch s -n 0 --last 9' 'export s' 'quarantine s' stat; do
  >     xylem $line >said 2>&1 || echo "$line: $?"
  >     grep "$SECRET one" said
  > done
  blame s readonly: 1
  [1]
  $ xylem quarantine s | without_directories
  LINE  OFFSET  BYTES  REASON  FILE  BEGINS WITH
    6  66,600  52  redacted  secrets.jsonl
  $ xylem quarantine s --line 6 --raw
  xylem: quarantine: line 6 was redacted: its bytes are not in the store
  [1]
  $ xylem export s --quarantine | sed 's/\( and sk-4f9a-hush-hush\)*"}$/"}/'
  {"type":"session","version":3,"id":"s","timestamp":"2025-01-01T00:00:00.000Z"}
  {"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"user","content":"hello"}}
  {"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2025-01-01T00:00:02.000Z","redacted":"a key\u001b[1m"}
  {"type":"message", "id":"aaaa0003","parentId":"aaaa0002","content":"sk-4f9a-hush-hush two"}
  {"type":"message","id":"aaaa0004","parentId":"aaaa0003","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"user","content":"good"}}
  {"type":"message","id":"aaaa0005","parentId":"aaaa0004","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"user","content":"bye"}}
  {"type":"message","id":"aaaa0003","x":"sk-4f9a-hush-hush fo (no-eol)
  $ verify

A dry run writes nothing.

  $ secrets
  $ xylem redact s:aaaa0002 --reason 'a key' --dry-run
  would redact entry aaaa0002 of session s
  to take  61 B of 1 entry, 1 quarantined line; in 1 session
  Not reached; the text may still be in:
    the session file */3/secrets.jsonl (glob)
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    summaries, labels, names and other entries that repeat the text
  $ files_with "$SECRET one"
  store/data.mdb
  $ xylem redact s:aaaa0002 --reason 'a key' --dry-run --json
  {"schema":1,"session":"s","entry":"aaaa0002","dry_run":true,"was_redacted":false,"redacted_entries":1,"redacted_bytes":61,"dropped_hashes":0,"rechecked_entries":0,"quarantined_lines":1,"torn_lines":0,"side_lines":0,"session_count":1,"finished":false,"bytes_before":0,"bytes_after":0,"overwritten_bytes":0,"files":["*/3/secrets.jsonl"],"unreachable":["other stores, and backups of this one","snapshots of the file system","swap space and core dumps","spare blocks of an SSD","summaries, labels, names and other entries that repeat the text"],"holders":[]} (glob)
  $ xylem show s:aaaa0002 --raw
  {"message":{"role":"user","content":"sk-4f9a-hush-hush one"}} (no-eol)
  $ verify

Redacting again says so.

  $ secrets
  $ xylem redact s:aaaa0002 --reason first -y >/dev/null
  $ xylem redact s:aaaa0002 --reason second -y
  redacted before: entry aaaa0002 of session s
  taken    0 B of 0 entries; in 1 session
  file     * became *, and the old file was overwritten (glob)
  Not reached; the text may still be in:
    the session file */4/secrets.jsonl (glob)
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    summaries, labels, names and other entries that repeat the text
  $ xylem show s:aaaa0002
  entry     aaaa0002
  parent    aaaa0001
  children  aaaa0003
  kind      message
  time      2025-01-01 00:00:02.000 (* ago) (glob)
  place     depth 2, branch 1, lsn 3
  check     02fa6cb69b45cdaf
  payload   redacted, imported
  
      (redacted: first)
  $ verify

With nothing to finish a finish makes the file anew.

  $ xylem redact --finish
  file     * became *, and the old file was overwritten (glob)
  $ xylem redact --finish --json
  {"schema":1,"finished":true,"bytes_before":126976,"bytes_after":126976,"overwritten_bytes":126976}

All that matches goes from the files, also from the names and words that the store keeps for lists.

  $ secrets
  $ xylem clone s --id fork
  fork
  $ add fork own message "{\"a\":\"it was $SECRET\"}"
  $ xylem rename fork "named $SECRET" >/dev/null
  $ xylem gc --yes >/dev/null
  $ xylem sessions | grep -c hush
  1
  $ exec 3<store/data.mdb
  $ xylem redact --pattern 'sk-[0-9a-f]{4}(-hush)+' --reason 'a key' --yes
  redacted every match that can be redacted
  taken    64.6 KiB of 4 entries, 1 quarantined line, 1 torn line; in 2 sessions
  file     * became *, and the old file was overwritten (glob)
  Not reached; the text may still be in:
    the session file */5/secrets.jsonl (glob)
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    text split over two strings, or encoded (base64, compressed)
  $ files_with hush
  [1]
  $ grep -c hush <&3
  0
  [1]
  $ exec 3<&-
  $ for line in 'log s --full' 'log fork --jsonl' 'show s:aaaa0003 --json' 'tree s' 'export s --quarantine' \
  >     'export fork' quarantine 'quarantine --json' sessions stat 'watch s -n 0 --last 9'; do
  >     xylem $line >said 2>&1 || echo "$line: $?"
  >     grep hush said
  > done
  [1]
  $ files_with hello
  store/data.mdb
  $ xylem redact --pattern 'sk-[0-9a-f]{4}(-hush)+' --reason 'a key' --yes
  nothing matches
  $ verify

Where a match stays is listed by its place, and the match never is.

  $ fresh
  $ {
  >     printf '{"type":"session","version":3,"id":"%s","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/home/%s"}\n' $SECRET $SECRET
  >     line aaaa0001 null $SECRET
  >     line $SECRET '"aaaa0001"' x
  > } >$SECRET.jsonl
  $ xylem import -q $SECRET.jsonl
  1 file: 1 new; 2 entries added, 0 lines put into quarantine, 0 problems
  $ printf '# keys\n\nsk-[0-9a-f]{4}\n' >patterns
  $ xylem redact --pattern-file patterns --reason 'a key' --dry-run
  would redact every match that can be redacted
    would be taken: session number 1, entry aaaa0001
    stays: session number 1, the id of an entry, branch 1, depth 2
    stays: session number 1, the id of a session
    stays: session number 1, the working directory of a session
    stays: session number 1, the path of a session file
  to take  57 B of 1 entry; in 1 session
  Not reached; the text may still be in:
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    text split over two strings, or encoded (base64, compressed)
  4 matches stay: the store cannot be read without this text
  [1]
  $ xylem redact --pattern-file patterns --reason 'a key' --yes
  redacted every match that can be redacted
    stays: session number 1, the id of an entry, branch 1, depth 2
    stays: session number 1, the id of a session
    stays: session number 1, the working directory of a session
    stays: session number 1, the path of a session file
  taken    57 B of 1 entry; in 1 session
  file     * became *, and the old file was overwritten (glob)
  Not reached; the text may still be in:
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    text split over two strings, or encoded (base64, compressed)
  4 matches stay: the store cannot be read without this text
  [1]
  $ xylem redact --pattern 'sk-[0-9a-f]{4}' --reason 'a key' --dry-run --json
  {"schema":1,"scope":"store","dry_run":true,"redacted_entries":0,"redacted_bytes":0,"dropped_hashes":0,"rechecked_entries":0,"quarantined_lines":0,"torn_lines":0,"side_lines":0,"session_count":0,"finished":false,"bytes_before":0,"bytes_after":0,"overwritten_bytes":0,"files":[],"unreachable":["other stores, and backups of this one","snapshots of the file system","swap space and core dumps","spare blocks of an SSD","text split over two strings, or encoded (base64, compressed)"],"holders":[],"kept":4,"matches":[{"place":"entry-id","taken":false,"session":null,"session_number":1,"entry":null,"branch":1,"depth":2,"number":0},{"place":"session-id","taken":false,"session":null,"session_number":1,"entry":null,"branch":0,"depth":0,"number":0},{"place":"cwd","taken":false,"session":null,"session_number":1,"entry":null,"branch":0,"depth":0,"number":0},{"place":"source","taken":false,"session":null,"session_number":1,"entry":null,"branch":0,"depth":0,"number":0}],"unlisted":0}
  [1]
  $ verify

A session or its family is searched.

  $ fresh
  $ add a one message "{\"x\":\"$SECRET\"}"
  $ xylem clone a --id b
  b
  $ add b two message "{\"y\":\"$SECRET\"}"
  $ add other three message "{\"z\":\"$SECRET\"}"
  $ xylem redact a --pattern $SECRET --reason 'a key' --dry-run
  would redact every match that can be redacted
    would be taken: session a, entry one
  to take  25 B of 1 entry; in 2 sessions
  Not reached; the text may still be in:
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    text split over two strings, or encoded (base64, compressed)
  $ xylem redact a --pattern $SECRET --reason 'a key' --family -y --drop-hash
  redacted every match that can be redacted
  taken    50 B of 2 entries; in 2 sessions
  hashes   2 dropped, and the checks of 0 entries behind made anew
  file     * became *, and the old file was overwritten (glob)
  Not reached; the text may still be in:
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    text split over two strings, or encoded (base64, compressed)
  $ files_with $SECRET
  store/data.mdb
  $ xylem redact --pattern $SECRET --reason 'a key' -y
  redacted every match that can be redacted
  taken    25 B of 1 entry; in 1 session
  file     * became *, and the old file was overwritten (glob)
  Not reached; the text may still be in:
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    text split over two strings, or encoded (base64, compressed)
  $ files_with $SECRET
  [1]
  $ verify

An entry of a freed session is found by those who share the entry. A session that gc freed in part has no id any more.

  $ fresh
  $ add a one message "{\"x\":\"$SECRET\"}"
  $ xylem clone a --id b
  b
  $ xylem delete a --yes 2>/dev/null
  deleted session a (its leaf has depth 1)
  $ xylem gc --yes 2>/dev/null
  freed session a: 0 entries, 13 B; 1 shared entry stays
  freed 1 session, 0 entries, 0 branches, 1 row, 13 B
  $ xylem redact --pattern $SECRET --reason 'a key' --dry-run
  would redact every match that can be redacted
    would be taken: session number 1, entry one
  to take  25 B of 1 entry; in 1 session
  Not reached; the text may still be in:
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    text split over two strings, or encoded (base64, compressed)
  $ xylem redact b --pattern $SECRET --reason 'a key' -y
  redacted every match that can be redacted
  taken    25 B of 1 entry; in 1 session
  file     * became *, and the old file was overwritten (glob)
  Not reached; the text may still be in:
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    text split over two strings, or encoded (base64, compressed)
  $ files_with $SECRET
  [1]
  $ verify

Files that entries name are named, and stay. Who wrote the entries chose the names: --yes removes no file that nobody has
looked at.

  $ holders() {
  >     fresh
  >     here=$(realpath .)
  >     {
  >         echo "$HEADER"
  >         line aaaa0001 null $SECRET
  >         number=0
  >         for name in holds holds-not link directory gone fifo large 'bad\u001b[1m'; do
  >             printf '{"type":"message","id":"bbbb000%d","parentId":"aaaa0001","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"toolResult","content":"%s","details":{"fullOutputPath":"%s"}}}\n' $number $SECRET "$here/$name"
  >             number=$((number + 1))
  >         done
  >         for number in 0 1; do
  >             printf '{"type":"custom","customType":"git-checkpoint","id":"cccc000%d","parentId":"aaaa0001","timestamp":"2025-01-01T00:00:02.000Z","data":{"repo":"/re/po","commit":"%040d"}}\n' $number $number
  >         done
  >     } >f
  >     xylem import -q f >/dev/null
  >     for name in holds "$(printf 'bad\033[1m')" behind large; do printf 'x %s' $SECRET >"$name"; done
  >     truncate -s 67108865 large
  >     printf x >holds-not
  >     ln -s behind link
  >     mkdir directory
  >     mkfifo fifo
  > }
  $ holders
  $ xylem redact --pattern $SECRET --reason 'a key' --dry-run --yes
  would redact every match that can be redacted
    would be taken: session s, entry aaaa0001
    would be taken: session s, entry bbbb0000
    would be taken: session s, entry bbbb0001
    would be taken: session s, entry bbbb0002
    would be taken: session s, entry bbbb0003
    would be taken: session s, entry bbbb0004
    would be taken: session s, entry bbbb0005
    would be taken: session s, entry bbbb0006
    would be taken: session s, entry bbbb0007
  to take  * KiB of 9 entries; in 1 session (glob)
  Not reached; the text may still be in:
    the session file */9/f (glob)
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    text split over two strings, or encoded (base64, compressed)
  holds the text: */9/holds (glob)
  was not searched: */9/large (glob)
  holds the text: */9/bad\\x1b[1m (glob)
  /re/po: 2 checkpoints under refs/xylem/ may hold the text: see `git -C REPO for-each-ref refs/xylem/`, and /checkpoints prune in pi
  $ xylem redact s --pattern $SECRET --reason 'a key' --yes
  redacted every match that can be redacted
  taken    * KiB of 9 entries; in 1 session (glob)
  file     * became *, and the old file was overwritten (glob)
  Not reached; the text may still be in:
    the session file */9/f (glob)
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    text split over two strings, or encoded (base64, compressed)
  holds the text: */9/holds (glob)
  was not searched: */9/large (glob)
  holds the text: */9/bad\\x1b[1m (glob)
  /re/po: 2 checkpoints under refs/xylem/ may hold the text: see `git -C REPO for-each-ref refs/xylem/`, and /checkpoints prune in pi
  $ ls
  bad\x1b[1m (esc)
  behind
  directory
  f
  fifo
  fixtures
  holds
  holds-not
  large
  link
  store
  $ verify

Without a pattern files are named, and stay.

  $ holders
  $ xylem redact s:bbbb0000 --reason 'a key' --yes
  redacted entry bbbb0000 of session s
  taken    * B of 1 entry; in 1 session (glob)
  file     * became *, and the old file was overwritten (glob)
  Not reached; the text may still be in:
    the session file */10/f (glob)
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    summaries, labels, names and other entries that repeat the text
  may hold the text: */10/holds (glob)
  may hold the text: */10/holds-not (glob)
  may hold the text: */10/large (glob)
  may hold the text: */10/bad\\x1b[1m (glob)
  /re/po: 2 checkpoints under refs/xylem/ may hold the text: see `git -C REPO for-each-ref refs/xylem/`, and /checkpoints prune in pi
  $ ls holds
  holds
  $ verify

A path that is relative or has a NUL names no file.

  $ fresh
  $ here=$(realpath .)
  $ names() {
  >     add $1 $2 message "{\"message\":{\"details\":{\"fullOutputPath\":\"$3\"}}}"
  > }
  $ printf 'x %s' $SECRET >holds
  $ names a one ../../../../../../../../../../../..$here/holds
  $ names a two "$here/holds\\u0000"
  $ xylem redact --pattern $SECRET --reason 'a key' --yes
  nothing matches
  $ names a three $here/holds
  $ xylem redact --pattern $SECRET --reason 'a key' --yes
  nothing matches
  holds the text: */11/holds (glob)
  $ verify

With the family the entries of every fork name files.

  $ fresh
  $ printf 'x %s' $SECRET >holds
  $ add a one message '{}'
  $ xylem clone a --id b
  b
  $ names b two $(realpath .)/holds
  $ xylem redact a --pattern $SECRET --reason 'a key' --yes
  nothing matches
  $ xylem redact a --pattern $SECRET --reason 'a key' --yes --family
  nothing matches
  holds the text: */12/holds (glob)
  $ verify

Wrong patterns are refused unsaid.

  $ fresh
  $ xylem redact --pattern x --reason a
  nothing matches
  $ xylem redact --pattern x -y
  xylem: redact: a redaction needs a reason: give --reason (see `xylem redact --help`)
  [2]
  $ xylem redact --pattern x --pattern-file y -y
  xylem: redact: a redaction needs a reason: give --reason (see `xylem redact --help`)
  [2]
  $ xylem redact s:e --pattern x -y
  xylem: redact: a redaction needs a reason: give --reason (see `xylem redact --help`)
  [2]
  $ xylem redact --pattern x --family -y
  xylem: redact: --family needs a session (see `xylem redact --help`)
  [2]
  $ xylem redact s:e --family -y
  xylem: redact: --family needs --pattern, --pattern-file or --secrets (see `xylem redact --help`)
  [2]
  $ xylem redact --finish --pattern x
  xylem: redact: --finish takes no SESSION:ENTRY, and no option but --json (see `xylem redact --help`)
  [2]
  $ xylem redact --pattern "#$SECRET" --reason a -y
  xylem: redact: --pattern: a line that begins with # is a comment; write [#] to match # (see `xylem redact --help`)
  [2]
  $ xylem redact --pattern "($SECRET" --reason a -y
  xylem: redact: --pattern: line 1: the pattern cannot be compiled: byte 18: missing closing parenthesis
  [2]
  $ xylem redact --pattern '' --reason a -y
  xylem: redact: --pattern: no pattern found: all lines are blank or begin with #
  [2]
  $ xylem redact --pattern $SECRET --reason "for $SECRET" -y
  xylem: redact: a pattern matches the reason, which would stay in the store
  [2]
  $ xylem redact --pattern-file /nowhere --reason a -y
  xylem: redact: /nowhere cannot be read: No such file or directory
  [3]
  $ verify

The entry of a deleted session is named by its whole id.

  $ secrets
  $ xylem delete s -y 2>/dev/null
  deleted session s (its leaf has depth 5)
  $ xylem redact s:aaaa0002 --reason 'a key' -y | head -n 1
  redacted entry aaaa0002 of session s
  $ files_with "$SECRET one"
  [1]
  $ verify

A later import says what it left out.

  $ secrets
  $ xylem redact s:aaaa0002 --reason 'a key' -y >/dev/null
  $ {
  >     echo "$HEADER"
  >     line aaaa0001 null hello
  >     line aaaa0002 '"aaaa0001"' "$SECRET one"
  > } >again.jsonl
  $ xylem import -q again.jsonl
  xylem: import: again.jsonl:3: byte 213: entry aaaa0002: the entry was redacted in the store: the line was not stored
  1 file: 1 changed; 0 entries added, 0 lines put into quarantine, 1 problem
  [1]
  $ files_with "$SECRET one"
  [1]
  $ verify

Wrong command lines are refused.

  $ secrets
  $ xylem redact
  xylem: redact: an argument is missing: xylem redact SESSION:ENTRY --reason TEXT (see `xylem redact --help`)
  [2]
  $ xylem redact s
  xylem: redact: a redaction needs an entry and a reason: SESSION:ENTRY --reason TEXT, or all text that matches: --pattern TEXT --reason TEXT (see `xylem redact --help`)
  [2]
  $ xylem redact s:aaaa0002 -y
  xylem: redact: a redaction needs a reason: give --reason (see `xylem redact --help`)
  [2]
  $ xylem redact s:aaaa0002 --reason key
  xylem: redact: standard input is not a terminal: give --yes (nothing was redacted) (see `xylem redact --help`)
  [2]
  $ xylem redact s:aaaa0002 --finish
  xylem: redact: --finish takes no SESSION:ENTRY, and no option but --json (see `xylem redact --help`)
  [2]
  $ xylem redact --finish --dry-run
  xylem: redact: --finish takes no SESSION:ENTRY, and no option but --json (see `xylem redact --help`)
  [2]
  $ xylem redact s aaaa0002 more --reason key -y
  xylem: redact: a place is one word: 's:aaaa0002' for an entry (see `xylem redact --help`)
  [2]
  $ xylem redact s:aaaa0002 -y --reason $(head -c 257 /dev/zero | tr '\0' r)
  xylem: redact: the reason has 257 bytes; at most 256 are allowed
  [2]
  $ xylem redact s:nothing --reason key -y
  xylem: redact: there is no entry 'nothing'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem redact none:aaaa0002 --reason key -y
  xylem: redact: there is no session 'none:aaaa0002'
  [3]
  $ files_with "$SECRET one"
  store/data.mdb
  $ verify

An export can be without what matches.

  $ secrets
  $ printf '# keys\nsk-[-a-z0-9]+\n\naaaa0005\n' >patterns
  $ xylem export s --quarantine --redact-pattern-file patterns -o - >printed
  xylem: export: 2 strings in 2 lines redacted
  xylem: export: 2 lines were left out: not JSON, and a pattern matches
  xylem: export: 1 match is in a line's type, id, parentId or timestamp: left, as every line needs these
  $ sed 's/\( and \[redacted\]\)*"}$/"}/' printed
  {"type":"session","version":3,"id":"s","timestamp":"2025-01-01T00:00:00.000Z"}
  {"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"user","content":"hello"}}
  {"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"user","content":"[redacted] one"}}
  {"type":"message", "id":"aaaa0003","parentId":"aaaa0002","content":"[redacted] two"}
  {"type":"message","id":"aaaa0004","parentId":"aaaa0003","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"user","content":"good"}}
  {"type":"message","id":"aaaa0005","parentId":"aaaa0004","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"user","content":"bye"}}
  $ xylem export s --quarantine --redact-pattern-file patterns -o out.jsonl 2>/dev/null
  $ cmp out.jsonl printed
  $ echo 'nothing like it' >patterns
  $ xylem export s --quarantine --redact-pattern-file patterns -o - | grep -o '"[^"]* three'
  xylem: export: 0 strings in 0 lines redacted
  "sk-4f9a-hush-hush three
  $ verify

Bad patterns end an export before it begins.

  $ secrets
  $ xylem export s --redact-pattern-file patterns
  xylem: export: patterns cannot be read: No such file or directory
  [3]
  $ printf 'ok\n(b' >patterns
  $ xylem export s --redact-pattern-file patterns
  xylem: export: patterns: line 2: the pattern cannot be compiled: byte 2: missing closing parenthesis
  [2]
  $ echo '# none' >patterns
  $ xylem export s --redact-pattern-file patterns
  xylem: export: patterns: no pattern found: all lines are blank or begin with #
  [2]
  $ xylem export s --redact-pattern-file /dev/zero
  xylem: export: /dev/zero has more than 1048576 bytes
  [2]
  $ xylem export s --redact-pattern-file .
  xylem: export: . cannot be read: Is a directory
  [6]
  $ verify

A pattern that meets a limit is an error that names the entry.

  $ fresh
  $ {
  >     echo "$HEADER"
  >     printf '{"type":"message","id":"a","parentId":null,"timestamp":"2025-01-01T00:00:01.000Z","message":"%s"}\n' \
  >         $(head -c 99000 /dev/zero | tr '\0' 7)
  > } >digits.jsonl
  $ xylem import -q digits.jsonl
  1 file: 1 new; 1 entry added, 0 lines put into quarantine, 0 problems
  $ printf '# digits\n[0-9]+@' >patterns
  $ xylem export s --redact-pattern-file patterns
  xylem: export: the line of entry a cannot be searched: line 2: the pattern takes more than 33554432 steps and 128 for each byte of the text: shorten its repetitions, such as [a-z]{1,64} for [a-z]+
  [1]
  $ xylem redact --pattern '[0-9]+@' --reason r --yes
  xylem: redact: the entry at branch 1, depth 1 cannot be searched: line 1: the pattern takes more than 33554432 steps and 128 for each byte of the text: shorten its repetitions, such as [a-z]{1,64} for [a-z]+
  [2]
  $ verify

A redacted toggle fails closed: the question and the report say so.

  $ scenario
  $ xylem redact $SCENARIO_ID:3dc585ab --reason x --dry-run | head -2
  would redact entry 3dc585ab of session 01a1f9f7-22cb-72e7-96e0-96825857127f
  state    readonly counts as on where the entry decides
  $ xylem redact $SCENARIO_ID:8d16e680 --reason x --dry-run | head -2
  would redact entry 8d16e680 of session 01a1f9f7-22cb-72e7-96e0-96825857127f
  to take  473 B of 1 entry; in 1 session
