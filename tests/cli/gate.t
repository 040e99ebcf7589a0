xylem gate: whether a tool call may go on, asked from outside, with the state that the session's path gives.

  $ . "$TESTDIR/setup.sh"
  $ REMOVES='{"toolName":"bash","input":{"command":"rm -rf x"},"cwd":"/src"}'
  $ LISTS='{"toolName":"bash","input":{"command":"ls -la | head"}}'
  $ WRITES='{"toolName":"write","input":{"path":"a","content":"b"}}'
  $ READS='{"toolName":"read","input":{"path":"a"}}'
  $ ask() {
  >     call=$1
  >     shift
  >     printf %s "$call" | xylem gate "s$at" "$@"
  > }

The path of the session has a note, and then a toggle to on.

  $ readonly_session() {
  >     fresh
  >     xylem append s --create --kind note --id note >/dev/null
  >     xylem append s --kind custom:readonly --id on --data '{"enabled":true}' >/dev/null
  > }

A call that changes things is blocked while readonly is on.

  $ readonly_session
  $ ask "$REMOVES"
  {"schema":1,"block":true,"reason":"Readonly mode: dangerous command blocked. Use /readonly to disable.\nCommand: rm -rf x\nReason: rm removes files","readonly":true,"tool":"bash","verdict":"deny","rule":"file-mutation","why":"rm removes files","offending":"rm -rf x"}
  [1]
  $ ask "$WRITES" 2>/dev/null
  {"schema":1,"block":true,"reason":"Readonly mode: write/edit disabled. Use /readonly to disable.","readonly":true,"tool":"write","verdict":null,"rule":null,"why":null,"offending":null}
  [1]

A call that reads goes on while readonly is on.

  $ ask "$LISTS"
  {"schema":1,"block":false,"reason":null,"readonly":true,"tool":"bash","verdict":"allow","rule":"allowed","why":"nothing in it is refused","offending":null}
  $ ask "$READS"
  {"schema":1,"block":false,"reason":null,"readonly":true,"tool":"read","verdict":null,"rule":null,"why":null,"offending":null}

Any call goes on while readonly is off.

  $ readonly_session
  $ xylem append s --kind custom:readonly --id off --data '{"enabled":false}'
  off
  $ ask "$REMOVES"
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":"bash","verdict":null,"rule":null,"why":null,"offending":null}
  $ ask "$LISTS"
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":"bash","verdict":null,"rule":null,"why":null,"offending":null}
  $ ask "$WRITES"
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":"write","verdict":null,"rule":null,"why":null,"offending":null}
  $ ask "$READS"
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":"read","verdict":null,"rule":null,"why":null,"offending":null}
  $ ask 'no JSON'
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":null,"verdict":null,"rule":null,"why":null,"offending":null}

The state is that of the leaf, or of the entry that is named.

  $ readonly_session
  $ xylem append s --kind custom:readonly --id off --data '{"enabled":false}'
  off
  $ at=:on ask "$REMOVES"
  {"schema":1,"block":true,"reason":"Readonly mode: dangerous command blocked. Use /readonly to disable.\nCommand: rm -rf x\nReason: rm removes files","readonly":true,"tool":"bash","verdict":"deny","rule":"file-mutation","why":"rm removes files","offending":"rm -rf x"}
  [1]
  $ at=:note ask "$REMOVES"
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":"bash","verdict":null,"rule":null,"why":null,"offending":null}
  $ at=:none ask "$REMOVES"
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":"bash","verdict":null,"rule":null,"why":null,"offending":null}
  $ xylem navigate s:on
  leaf: off -> on
  $ ask "$REMOVES"
  {"schema":1,"block":true,"reason":"Readonly mode: dangerous command blocked. Use /readonly to disable.\nCommand: rm -rf x\nReason: rm removes files","readonly":true,"tool":"bash","verdict":"deny","rule":"file-mutation","why":"rm removes files","offending":"rm -rf x"}
  [1]

The flag counts where the path has no toggle.

  $ readonly_session
  $ at=:note ask "$REMOVES" --flag-readonly
  {"schema":1,"block":true,"reason":"Readonly mode: dangerous command blocked. Use /readonly to disable.\nCommand: rm -rf x\nReason: rm removes files","readonly":true,"tool":"bash","verdict":"deny","rule":"file-mutation","why":"rm removes files","offending":"rm -rf x"}
  [1]
  $ xylem append s --kind custom:readonly --id off --data '{"enabled":false}'
  off
  $ ask "$REMOVES" --flag-readonly
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":"bash","verdict":null,"rule":null,"why":null,"offending":null}

Other tools are blocked by name and by annotation.

  $ readonly_session
  $ ask '{"toolName":"apply_patch","input":{}}'
  {"schema":1,"block":true,"reason":"Readonly mode: apply_patch disabled. Use /readonly to disable.","readonly":true,"tool":"apply_patch","verdict":null,"rule":null,"why":null,"offending":null}
  [1]
  $ ask '{"toolName":"x","input":{},"annotations":{"destructiveHint":true}}'
  {"schema":1,"block":true,"reason":"Readonly mode: x disabled. Use /readonly to disable.","readonly":true,"tool":"x","verdict":null,"rule":null,"why":null,"offending":null}
  [1]
  $ ask '{"toolName":"x","input":{},"annotations":{"readOnlyHint":true}}'
  {"schema":1,"block":false,"reason":null,"readonly":true,"tool":"x","verdict":null,"rule":null,"why":null,"offending":null}
  $ ask '{"toolName":"x","input":{},"annotations":{"readOnlyHint":false}}'
  {"schema":1,"block":true,"reason":"Readonly mode: x disabled. Use /readonly to disable.","readonly":true,"tool":"x","verdict":null,"rule":null,"why":null,"offending":null}
  [1]
  $ ask '{"toolName":"x","input":{},"annotations":{}}'
  {"schema":1,"block":false,"reason":null,"readonly":true,"tool":"x","verdict":null,"rule":null,"why":null,"offending":null}

A call that cannot be read is blocked while readonly is on.

  $ readonly_session
  $ ask ''
  {"schema":1,"block":true,"reason":"Readonly mode: the tool call cannot be read, so it is blocked. Use /readonly to disable.\nJSON is not well-formed at byte 0: parse error: premature EOF","readonly":true,"tool":null,"verdict":null,"rule":null,"why":null,"offending":null}
  [1]
  $ ask 'no JSON'
  {"schema":1,"block":true,"reason":"Readonly mode: the tool call cannot be read, so it is blocked. Use /readonly to disable.\nJSON is not well-formed at byte 1: lexical error: invalid string in json text.","readonly":true,"tool":null,"verdict":null,"rule":null,"why":null,"offending":null}
  [1]
  $ ask '[]'
  {"schema":1,"block":true,"reason":"Readonly mode: the tool call cannot be read, so it is blocked. Use /readonly to disable.\nthe tool call: expected a JSON object","readonly":true,"tool":null,"verdict":null,"rule":null,"why":null,"offending":null}
  [1]
  $ ask '{"toolName":"bash","input":{}}'
  {"schema":1,"block":true,"reason":"Readonly mode: the tool call cannot be read, so it is blocked. Use /readonly to disable.\nthe tool call: 'command' is missing in 'input', or is not a string","readonly":true,"tool":"bash","verdict":null,"rule":null,"why":null,"offending":null}
  [1]
  $ ask '{"toolName":"bash","input":{"command":"ls"},"cwd":"src"}'
  {"schema":1,"block":true,"reason":"Readonly mode: the tool call cannot be read, so it is blocked. Use /readonly to disable.\nthe tool call: 'cwd' is not an absolute path","readonly":true,"tool":"bash","verdict":null,"rule":null,"why":null,"offending":null}
  [1]
  $ ask '{"toolName":"read","toolName":"write","input":{}}'
  {"schema":1,"block":true,"reason":"Readonly mode: the tool call cannot be read, so it is blocked. Use /readonly to disable.\nthe tool call: the name, the input, annotations or cwd occurs twice","readonly":true,"tool":null,"verdict":null,"rule":null,"why":null,"offending":null}
  [1]

Other spellings of a call are known.

  $ readonly_session
  $ ask '{"tool_name":"Bash","tool_input":{"command":"git push"}}'
  {"schema":1,"block":true,"reason":"Readonly mode: dangerous command blocked. Use /readonly to disable.\nCommand: git push\nReason: git push writes, or runs programs\nAt: push","readonly":true,"tool":"Bash","verdict":"deny","rule":"git","why":"git push writes, or runs programs","offending":"push"}
  [1]
  $ ask '{"name":"Edit","input":{}}'
  {"schema":1,"block":true,"reason":"Readonly mode: write/edit disabled. Use /readonly to disable.","readonly":true,"tool":"Edit","verdict":null,"rule":null,"why":null,"offending":null}
  [1]

A configuration lets more pass.

  $ readonly_session
  $ echo '{"temp_writes":"/tmp/agent"}' >policy.json
  $ ask '{"toolName":"bash","input":{"command":"ls > /tmp/agent/list"}}'
  {"schema":1,"block":true,"reason":"Readonly mode: dangerous command blocked. Use /readonly to disable.\nCommand: ls > /tmp/agent/list\nReason: > /tmp/agent/list writes to a file\nAt: > /tmp/agent/list","readonly":true,"tool":"bash","verdict":"deny","rule":"redirection","why":"> /tmp/agent/list writes to a file","offending":"> /tmp/agent/list"}
  [1]
  $ ask '{"toolName":"bash","input":{"command":"ls > /tmp/agent/list"}}' --config policy.json
  {"schema":1,"block":false,"reason":null,"readonly":true,"tool":"bash","verdict":"allow","rule":"allowed","why":"nothing in it is refused","offending":null}
  $ echo '{"temp_write":1}' >policy.json
  $ ask "$LISTS" --config policy.json
  xylem: gate: policy.json: expected allowed_commands, git_readonly_subcommands, wrapper_commands, command_directories, allow_output_redirections, feature_flags, temp_writes, log, allow, ask or deny, found the key "temp_write"
  [2]
  $ ask "$LISTS" --config nowhere
  xylem: gate: nowhere cannot be read: No such file or directory
  [3]

Without an answer the command does not end with zero: whoever takes anything but 0 for a no is not misled by an error.

  $ readonly_session
  $ printf %s "$LISTS" | xylem gate nobody
  xylem: gate: there is no session 'nobody'; `xylem -s store sessions` lists the sessions
  [3]
  $ printf %s "$LISTS" | xylem gate
  xylem: gate: an argument is missing: xylem gate SESSION[:ENTRY] (see `xylem gate --help`)
  [2]
  $ at=:nothing ask "$LISTS"
  xylem: gate: there is no entry 'nothing'; `xylem -s store tree --all s` shows the ids
  [3]
  $ ask "$LISTS" -s /nowhere
  xylem: gate: there is no store in /nowhere: `xylem -s /nowhere import` reads pi's sessions into a new store, `xylem -s /nowhere init` makes an empty store
  [3]
