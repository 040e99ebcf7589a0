xylem files: the files that a session has read, and the verdict on a file as the file is now.

  $ . "$TESTDIR/setup.sh"

A session has read `read` and written `gone`; `read` is there with the text abc.

  $ HASH=xxh3-128:06b05ab6733a618578af5f94892f3950
  $ session() {
  >     cat >session.jsonl <<EOF
  > {"type":"session","version":3,"id":"$1","timestamp":"2026-11-20T10:00:00.000Z","cwd":"$PWD"}
  > EOF
  >     xylem import -q session.jsonl >/dev/null
  > }
  $ file() {
  >     xylem append $1 --kind custom:file-reads --id $2 --only-in-store --data \
  >         '{"version":1,"whole":false,"files":[{"path":"'$PWD/$3'","hash":"'$HASH'","bytes":3,"at":'$5',"by":"'$4'"}],"gone":[]}'
  > }
  $ scene() {
  >     fresh 12:00
  >     session s
  >     file s first read read 1795173000000 >/dev/null
  >     file s second gone write 1795173060000 >/dev/null
  >     printf abc >read
  > }

The files are listed, the last used first.

  $ scene
  $ xylem files s --noted
  BY                    TIME  SIZE  FILE
  write  2026-11-20 11:11:00   3 B  gone
  read   2026-11-20 11:10:00   3 B  read
  $ COLUMNS=60 xylem files s:first --noted
  BY    AGE  SIZE  FILE
  read  50m   3 B  read
  $ xylem files s:first --noted
  BY                   TIME  SIZE  FILE
  read  2026-11-20 11:10:00   3 B  read

The list has a form for programs.

  $ xylem files s:first --json --noted
  {"schema":1,"files":[{"path":"*/1/read","hash":"xxh3-128:06b05ab6733a618578af5f94892f3950","bytes":3,"time":"2026-11-20T11:10:00.000Z","by":"read"}]} (glob)
  $ xylem files s --jsonl --noted
  {"schema":1,"path":"*/1/gone","hash":"xxh3-128:06b05ab6733a618578af5f94892f3950","bytes":3,"time":"2026-11-20T11:11:00.000Z","by":"write"} (glob)
  {"schema":1,"path":"*/1/read","hash":"xxh3-128:06b05ab6733a618578af5f94892f3950","bytes":3,"time":"2026-11-20T11:10:00.000Z","by":"read"} (glob)

A session without reads says so.

  $ xylem files s:none --noted
  xylem: files: no host noted reads on the path
  $ xylem files s:none --json --noted
  {"schema":1,"files":[]}
  $ verify

A session without notes is not said to have read nothing: what pi's own tools read stands in messages.

  $ scenario
  $ xylem files $SCENARIO_ID --noted
  xylem: files: no host noted reads on the path
  $ add own e custom:file-reads '{"version":1,"whole":true,"files":[],"gone":[]}'
  $ xylem files own --noted
  xylem: files: the list of the noted files is empty
  $ verify

A skipped entry is told.

  $ scene
  $ xylem append s --kind custom:file-reads --id bad --data '{"version":2}' --only-in-store
  bad
  $ xylem files s --noted
  xylem: files: 1 entry was skipped: bad: the version is not 1
  BY                    TIME  SIZE  FILE
  write  2026-11-20 11:11:00   3 B  gone
  read   2026-11-20 11:10:00   3 B  read
  $ verify

A path gets the verdict of the file as the file is now.

  $ scene
  $ xylem files s --check @./x/../read
  file    */4/read (glob)
  noted   read, 2026-11-20 11:10:00, 3 B
  edit    pass
  write   pass
  $ xylem files s --check new
  file    */4/new (glob)
  noted   no
  edit    unread
  write   pass
  Blocked: new was not read in this session. Read it, then try again.
  [1]
  $ xylem files s --check gone
  file    */4/gone (glob)
  noted   write, 2026-11-20 11:11:00, 3 B
  edit    deleted
  write   deleted
  Blocked: gone was deleted after it was read.
  [1]
  $ printf abd >read
  $ xylem files s --check $PWD/read
  file    */4/read (glob)
  noted   read, 2026-11-20 11:10:00, 3 B
  edit    changed
  write   changed
  Blocked: */4/read changed on disk after it was read. Read it again, then try again. (glob)
  [1]
  $ verify

The last writer is named.

  $ scene
  $ session other
  $ file other o read edit 1795173120000
  o
  $ printf abd >read
  $ xylem files s --check read
  file    */5/read (glob)
  noted   read, 2026-11-20 11:10:00, 3 B
  edit    changed
  write   changed
  Blocked: read changed on disk after it was read. Read it again, then try again. It was last written by session other, 48 min ago.
  [1]
  $ xylem files s --check read --json
  {"schema":1,"path":"*/5/read","edit":"changed","write":"changed","message":"Blocked: read changed on disk after it was read. Read it again, then try again. It was last written by session other, 48 min ago.","noted":{"hash":"xxh3-128:06b05ab6733a618578af5f94892f3950","bytes":3,"time":"2026-11-20T11:10:00.000Z","by":"read"},"writer":"other"} (glob)
  [1]
  $ verify

A path that is none is refused.

  $ scene
  $ xylem files s --check file://host/x
  xylem: files: path: expected no host in a file URL, found 'host'
  [2]
  $ add plain a note
  $ xylem files plain --check x
  xylem: files: the session has no directory: expected an absolute path (see `xylem files --help`)
  [2]
  $ xylem files plain --check /no-such-file
  file    /no-such-file
  noted   no
  edit    unread
  write   pass
  Blocked: /no-such-file was not read in this session. Read it, then try again.
  [1]
  $ xylem files nobody --noted
  xylem: files: there is no session and no entry 'nobody'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem files s --json --jsonl --noted
  xylem: files: --json and --jsonl cannot be combined (see `xylem files --help`)
  [2]
  $ verify

The gate asks the noted files with the option.

  $ scene
  $ gate() {
  >     echo '{"toolName":"edit","input":{"path":"read"}}' | xylem gate "s$at" "$@"
  > }
  $ gate --reads
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":"edit","verdict":null,"rule":null,"why":null,"offending":null,"reads_verdict":"pass"}
  $ printf abd >read
  $ gate --reads
  {"schema":1,"block":true,"reason":"Blocked: read changed on disk after it was read. Read it again, then try again.","readonly":false,"tool":"edit","verdict":null,"rule":null,"why":null,"offending":null,"reads_verdict":"changed"}
  [1]
  $ gate
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":"edit","verdict":null,"rule":null,"why":null,"offending":null}
  $ at=:none gate --reads
  {"schema":1,"block":true,"reason":"Blocked: read was not read in this session. Read it, then try again.","readonly":false,"tool":"edit","verdict":null,"rule":null,"why":null,"offending":null,"reads_verdict":"unread"}
  [1]

The directory of a call comes before the directory of the session. A call that cannot be read, or without a path, is blocked.

  $ ask() {
  >     echo "$1" | xylem gate s --reads
  > }
  $ ask '{"toolName":"edit","input":{"path":"read"},"cwd":"/"}'
  {"schema":1,"block":true,"reason":"Blocked: read was not read in this session. Read it, then try again.","readonly":false,"tool":"edit","verdict":null,"rule":null,"why":null,"offending":null,"reads_verdict":"unread"}
  [1]
  $ ask '{"toolName":"Write","input":{"path":"new"}}'
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":"Write","verdict":null,"rule":null,"why":null,"offending":null,"reads_verdict":"pass"}
  $ ask '{"toolName":"edit"}'
  {"schema":1,"block":true,"reason":"Blocked: the path of the tool call cannot be used.\nJSON is not well-formed at byte 0: parse error: premature EOF","readonly":false,"tool":"edit","verdict":null,"rule":null,"why":null,"offending":null,"reads_verdict":null}
  [1]
  $ ask '{"toolName":"edit","input":{}}'
  {"schema":1,"block":true,"reason":"Blocked: the path of the tool call cannot be used.\nthe tool call: expected one string 'path' in 'input'","readonly":false,"tool":"edit","verdict":null,"rule":null,"why":null,"offending":null,"reads_verdict":null}
  [1]
  $ ask 'no JSON'
  {"schema":1,"block":true,"reason":"Blocked: the tool call cannot be read.\nJSON is not well-formed at byte 1: lexical error: invalid string in json text.","readonly":false,"tool":null,"verdict":null,"rule":null,"why":null,"offending":null,"reads_verdict":null}
  [1]
  $ ask '{"toolName":"read","input":{"path":"new"}}'
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":"read","verdict":null,"rule":null,"why":null,"offending":null,"reads_verdict":null}

While readonly is on, an edit is blocked before anybody looks at the file.

  $ xylem append s --kind custom:readonly --id on --data '{"enabled":true}' --only-in-store
  on
  $ gate --reads
  {"schema":1,"block":true,"reason":"Readonly mode: write/edit disabled. Use /readonly to disable.","readonly":true,"tool":"edit","verdict":null,"rule":null,"why":null,"offending":null,"reads_verdict":null}
  [1]
  $ verify
