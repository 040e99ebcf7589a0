xylem show: one entry, and all that is in its payload.

  $ . "$TESTDIR/setup.sh"
  $ TOOLS_ID=01a1f9f4-8605-7782-ba89-dc402e2075d2

Entries are shown.

  $ scenario
  $ xylem import -q $SESSIONS/print-and-json/*_$TOOLS_ID.jsonl
  1 file: 1 new; 13 entries added, 0 lines put into quarantine, 0 problems
  $ xylem show $SCENARIO_ID:6f7578e6
  entry     6f7578e6
  parent    be4cd5e4
  children  c3ce1abe
  kind      message assistant
  label     after-block
  time      2026-11-20 17:18:05.684 (2h ago)
  place     depth 11, branch 1, lsn 12
  check     1a5f17bb25b1c96d
  payload   491 B of json, imported
  
      done: Readonly mode: write/edit disabled. Use /readonly to disable
  
  api               "openai-completions"
  provider          "fauxhost"
  model             "faux-1"
  usage             {"input":1530,"output":17,"cacheRead":0,"cacheWrite":0,"reasoning":0,"totalTokens":1547,"cost":{"in…
  stopReason        "stop"
  timestamp         1795195085671
  responseId        "cc-18"
  rawStopReason     "stop"
  $ xylem show $TOOLS_ID:d2442461
  entry     d2442461
  parent    5e4c8e3e
  children  4527ecfe
  kind      message user
  time      2026-11-20 17:15:14.384 (2h ago)
  place     depth 4, branch 3, lsn 37
  check     43d69f3dda2a611b
  payload   222 B of json, imported
  
      !tools [["write",{"path":"a.txt","content":"x"}],["bash",{"command":"echo hi"}],["read",{"path":"nope.txt"}]]
  
  timestamp         1795194914379
  $ xylem show $TOOLS_ID:4527ecfe
  entry     4527ecfe
  parent    d2442461
  children  30ca9ee7
  kind      message assistant
  time      2026-11-20 17:15:14.444 (2h ago)
  place     depth 5, branch 3, lsn 38
  check     ddf50dcdc9ad5981
  payload   654 B of json, imported
  
      calls write
        path: a.txt
        content: x
  
      calls bash
        command: echo hi
  
      calls read
        path: nope.txt
  
  api               "openai-completions"
  provider          "fauxhost"
  model             "faux-1"
  usage             {"input":1446,"output":1,"cacheRead":0,"cacheWrite":0,"reasoning":0,"totalTokens":1447,"cost":{"inp…
  stopReason        "toolUse"
  timestamp         1795194914394
  responseId        "cc-2"
  rawStopReason     "tool_calls"
  $ xylem show $TOOLS_ID:6381f1b4
  entry     6381f1b4
  parent    950f5478
  children  e24ebb1a
  kind      message toolResult, read, error
  time      2026-11-20 17:15:14.456 (2h ago)
  place     depth 8, branch 3, lsn 41
  check     8ced227a2b76298c
  payload   234 B of json, imported
  
      ENOENT: no such file or directory, access '/home/dev/proj/nope.txt'
  
  toolCallId        "call_2_2"
  details           {}
  timestamp         1795194914456
  $ xylem show $SCENARIO_ID:88fe2aff
  entry     88fe2aff
  parent    8d16e680
  children  26de9cb1
  kind      custom:readonly
  time      2026-11-20 17:18:05.655 (2h ago)
  place     depth 7, branch 1, lsn 8
  check     af6d236705e4a350
  payload   10 B of msgpack, imported
  
      {"enabled":true}
  $ xylem show $SCENARIO_ID:d8b2463f
  entry     d8b2463f
  parent    63ff5e92
  children  4f9ef798
  kind      compaction
  time      2026-11-20 17:18:05.804 (2h ago)
  place     depth 16, branch 2, lsn 28
  check     077459486b3e08e2
  payload   6.1 KiB of json, imported
  
      ## Goal
      Faux summary #25
      ## Progress
      - summarised 5851 chars
  
      ---
  
      **Turn Context (split turn):**
  
      ## Goal
      Faux summary #26
      ## Progress
      - summarised 712 chars
  
  firstKeptEntryId  "63ff5e92"
  tokensBefore      3678
  details           {"readFiles":[],"modifiedFiles":[]}
  usage             {"input":1915,"output":30,"cacheRead":0,"cacheWrite":0,"reasoning":0,"totalTokens":1945,"cost":{"in…
  fromHook          false
  systemMessage     {"role":"system","content":"","sections":{"preamble":"You are an expert coding assistant operating …
  $ xylem show $SCENARIO_ID:6f7578e6 --json
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","entry":"6f7578e6","parent":"be4cd5e4","kind":"message","time":"2026-11-20T17:18:05.684Z","depth":11,"branch":1,"lsn":12,"check":"1a5f17bb25b1c96d","imported":true,"line_bytes":0,"format":"json","payload_bytes":491,"label":"after-block","payload":{"message":{"role":"assistant","content":[{"type":"text","text":"done: Readonly mode: write/edit disabled. Use /readonly to disable"}],"api":"openai-completions","provider":"fauxhost","model":"faux-1","usage":{"input":1530,"output":17,"cacheRead":0,"cacheWrite":0,"reasoning":0,"totalTokens":1547,"cost":{"input":0.00153,"output":0.000034,"cacheRead":0,"cacheWrite":0,"total":0.0015639999999999999}},"stopReason":"stop","timestamp":1795195085671,"responseId":"cc-18","rawStopReason":"stop"}}}
  $ xylem show $SCENARIO_ID:88fe2aff --json
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","entry":"88fe2aff","parent":"8d16e680","kind":"custom:readonly","time":"2026-11-20T17:18:05.655Z","depth":7,"branch":1,"lsn":8,"check":"af6d236705e4a350","imported":true,"line_bytes":0,"format":"msgpack","payload_bytes":10,"label":null,"payload":{"enabled":true}}

A long text is cut unless all is asked for.

  $ export COLUMNS=80
  $ xylem show $TOOLS_ID:5e4c8e3e
  entry     5e4c8e3e
  parent    3cc6c9d2
  children  d2442461
  kind      message system
  time      2026-11-20 17:15:14.384 (2h ago)
  place     depth 3, branch 3, lsn 36
  check     b29adf3ab0979aec
  payload   5.6 KiB of json, imported
  
      preamble:
        You are an expert coding assistant operating inside pi, a coding agent
        harness. You help users by reading files, executing commands, editing
        code, and writing new files.
  
      tools:
        <tools>
        - read: Read file contents
        - bash: Execute bash commands (ls, grep, find, etc.)
        - edit: Make precise file edits with exact text replacement, including
          multiple disjoint edits in one call
        - write: Create or overwrite files
  
        In addition to the tools above, you may have access to other custom tools
        depending on the project.
        </tools>
  
      rules:
        <rules>
        - Use bash for file operations like ls, rg, find
        - Use read to examine files instead of cat or sed.
        - You can inspect PI_* environment variables for current model and session
          details.
        - Use edit for precise changes (edits[].oldText must match exactly)
        - When changing multiple separate locations in one file, use one edit call
          with multiple entries in edits[] instead of multiple edit calls
        - Each edits[].oldText is matched against the original file, not after
          earlier edits are applied. Do not emit overlapping or nested edits.
          Merge nearby changes into one edit.
        - Keep edits[].oldText as small as possible while still being unique in
          the file. Do not pad with large unchanged regions.
        - Use write only for new files or complete rewrites.
        - Be concise in your responses
        - Show file paths clearly when working with files
        </rules>
      … 15 more lines, 1.2 KiB (--full prints all)
  
  timestamp         1795194914382
  toolsAdded        [{"name":"read","description":"Read the contents of a file.…
  $ xylem show $TOOLS_ID:5e4c8e3e --color always
  \x1b[2mentry\x1b[0m     \x1b[33m5e4c8e3e\x1b[0m (esc)
  \x1b[2mparent\x1b[0m    \x1b[33m3cc6c9d2\x1b[0m (esc)
  \x1b[2mchildren\x1b[0m  \x1b[33md2442461\x1b[0m (esc)
  \x1b[2mkind\x1b[0m      message system (esc)
  \x1b[2mtime\x1b[0m      2026-11-20 17:15:14.384 (2h ago) (esc)
  \x1b[2mplace\x1b[0m     depth 3, branch 3, lsn 36 (esc)
  \x1b[2mcheck\x1b[0m     b29adf3ab0979aec (esc)
  \x1b[2mpayload\x1b[0m   5.6 KiB of json, imported (esc)
  
      \x1b[2mpreamble:\x1b[0m (esc)
        You are an expert coding assistant operating inside pi, a coding agent
        harness. You help users by reading files, executing commands, editing
        code, and writing new files.
  
      \x1b[2mtools:\x1b[0m (esc)
        <tools>
        - read: Read file contents
        - bash: Execute bash commands (ls, grep, find, etc.)
        - edit: Make precise file edits with exact text replacement, including
          multiple disjoint edits in one call
        - write: Create or overwrite files
  
        In addition to the tools above, you may have access to other custom tools
        depending on the project.
        </tools>
  
      \x1b[2mrules:\x1b[0m (esc)
        <rules>
        - Use bash for file operations like ls, rg, find
        - Use read to examine files instead of cat or sed.
        - You can inspect PI_* environment variables for current model and session
          details.
        - Use edit for precise changes (edits[].oldText must match exactly)
        - When changing multiple separate locations in one file, use one edit call
          with multiple entries in edits[] instead of multiple edit calls
        - Each edits[].oldText is matched against the original file, not after
          earlier edits are applied. Do not emit overlapping or nested edits.
          Merge nearby changes into one edit.
        - Keep edits[].oldText as small as possible while still being unique in
          the file. Do not pad with large unchanged regions.
        - Use write only for new files or complete rewrites.
        - Be concise in your responses
        - Show file paths clearly when working with files
        </rules>
      \x1b[2m… 15 more lines, 1.2 KiB (--full prints all)\x1b[0m (esc)
  
  \x1b[2mtimestamp\x1b[0m         1795194914382 (esc)
  \x1b[2mtoolsAdded\x1b[0m        [{"name":"read","description":"Read the contents of a file.… (esc)
  $ xylem show $TOOLS_ID:5e4c8e3e --full
  entry     5e4c8e3e
  parent    3cc6c9d2
  children  d2442461
  kind      message system
  time      2026-11-20 17:15:14.384 (2h ago)
  place     depth 3, branch 3, lsn 36
  check     b29adf3ab0979aec
  payload   5.6 KiB of json, imported
  
      preamble:
        You are an expert coding assistant operating inside pi, a coding agent
        harness. You help users by reading files, executing commands, editing
        code, and writing new files.
  
      tools:
        <tools>
        - read: Read file contents
        - bash: Execute bash commands (ls, grep, find, etc.)
        - edit: Make precise file edits with exact text replacement, including
          multiple disjoint edits in one call
        - write: Create or overwrite files
  
        In addition to the tools above, you may have access to other custom tools
        depending on the project.
        </tools>
  
      rules:
        <rules>
        - Use bash for file operations like ls, rg, find
        - Use read to examine files instead of cat or sed.
        - You can inspect PI_* environment variables for current model and session
          details.
        - Use edit for precise changes (edits[].oldText must match exactly)
        - When changing multiple separate locations in one file, use one edit call
          with multiple entries in edits[] instead of multiple edit calls
        - Each edits[].oldText is matched against the original file, not after
          earlier edits are applied. Do not emit overlapping or nested edits.
          Merge nearby changes into one edit.
        - Keep edits[].oldText as small as possible while still being unique in
          the file. Do not pad with large unchanged regions.
        - Use write only for new files or complete rewrites.
        - Be concise in your responses
        - Show file paths clearly when working with files
        </rules>
  
      docs:
        <docs>
        Pi documentation (read only when the user asks about pi itself, its SDK,
        extensions, themes, skills, or TUI):
        - Main documentation:
          /opt/pi/node_modules/@earendil-works/pi-coding-agent/README.md
        - Additional docs:
          /opt/pi/node_modules/@earendil-works/pi-coding-agent/docs
        - Examples: /opt/pi/node_modules/@earendil-works/pi-coding-agent/examples
          (extensions, custom tools, SDK)
        - When reading pi docs or examples, resolve docs/... under Additional docs
          and examples/... under Examples, not the current working directory
        - When asked about: extensions (docs/extensions.md, examples/extensions/),
          themes (docs/themes.md), skills (docs/skills.md), prompt templates
          (docs/prompt-templates.md), TUI components (docs/tui.md), keybindings
          (docs/keybindings.md), SDK integrations (docs/sdk.md), custom providers
          (docs/custom-provider.md), adding models (docs/models.md), pi packages
          (docs/packages.md), environment variables
          (docs/environment-variables.md)
        - When working on pi topics, read the docs and examples, and follow .md
          cross-references before implementing
        - Always read pi .md files completely and follow links to related docs
          (e.g., tui.md for TUI API details)
        </docs>
  
      cwd:
        <cwd>
        /home/dev/proj
        </cwd>
  
  timestamp         1795194914382
  toolsAdded        [{"name":"read","description":"Read the contents of a file.
                    Supports text files and images (jpg, png, gif, webp, bmp).
                    Images are sent as attachments. For text files, output is
                    truncated to 2000 lines or 50KB (whichever is hit first). Use
                    offset/limit for large files. When you need the full file,
                    continue with offset until
                    complete.","parameters":{"type":"object","required":["path"],"properties":{"path":{"type":"string","description":"Path
                    to the file to read (relative or
                    absolute)"},"offset":{"type":"number","description":"Line
                    number to start reading from
                    (1-indexed)"},"limit":{"type":"number","description":"Maximum
                    number of lines to
                    read"}}},"constrainedSampling":{"type":"json_schema","strict":"prefer"}},{"name":"bash","description":"Execute
                    a bash command in the current working directory. Returns
                    stdout and stderr. Output is truncated to last 2000 lines or
                    50KB (whichever is hit first). If truncated, full output is
                    saved to a temp file. Optionally provide a timeout in
                    seconds.","parameters":{"type":"object","required":["command"],"properties":{"command":{"type":"string","description":"Shell
                    command to
                    execute"},"timeout":{"type":"number","description":"Timeout in
                    seconds (optional, no default
                    timeout)"}}},"constrainedSampling":{"type":"json_schema","strict":"prefer"}},{"name":"edit","description":"Edit
                    a single file using exact text replacement. Every
                    edits[].oldText must match a unique, non-overlapping region of
                    the original file. If two changes affect the same block or
                    nearby lines, merge them into one edit instead of emitting
                    overlapping edits. Do not include large unchanged regions just
                    to connect distant
                    changes.","parameters":{"type":"object","required":["path","edits"],"properties":{"path":{"type":"string","description":"Path
                    to the file to edit (relative or
                    absolute)"},"edits":{"type":"array","items":{"type":"object","required":["oldText","newText"],"properties":{"oldText":{"type":"string","description":"Exact
                    text for one targeted replacement. It must be unique in the
                    original file and must not overlap with any other
                    edits[].oldText in the same
                    call."},"newText":{"type":"string","description":"Replacement
                    text for this targeted edit."}}},"description":"One or more
                    targeted replacements. Each edit is matched against the
                    original file, not incrementally. Do not include overlapping
                    or nested edits. If two changes touch the same block or nearby
                    lines, merge them into one edit
                    instead."}}},"constrainedSampling":{"type":"json_schema","strict":"prefer"}},{"name":"write","description":"Write
                    content to a file. Creates the file if it doesn't exist,
                    overwrites if it does. Automatically creates parent
                    directories.","parameters":{"type":"object","required":["path","content"],"properties":{"path":{"type":"string","description":"Path
                    to the file to write (relative or
                    absolute)"},"content":{"type":"string","description":"Content
                    to write to the
                    file"}}},"constrainedSampling":{"type":"json_schema","strict":"prefer"}}]
  $ LC_ALL=C xylem show $TOOLS_ID:5e4c8e3e | tail -n 3
  
  timestamp         1795194914382
  toolsAdded        [{"name":"read","description":"Read the contents of a file.~
  $ xylem show $TOOLS_ID:5e4c8e3e --raw --json
  xylem: show: --raw cannot be combined with --json or --jsonl (see `xylem show --help`)
  [2]
  $ verify

A long line is cut between two characters.

  $ fresh
  $ printf '{"role":"user","content":"a%s\\nsecond"}' "$(yes é | head -n 2000 | tr -d '\n')" |
  >     xylem append s --create --kind message --data - --id long
  long
  $ xylem show s:long
  entry     long
  parent    none (a root)
  children  none (a tip)
  kind      message user
  time      * (* ago) (glob)
  place     depth 1, branch 1, lsn 2
  check     * (glob)
  payload   3.9 KiB of json
  
      aééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé
      … 1 more line, 2.0 KiB (--full prints all)
  $ xylem show s:long --full | tail -n 1
      second
  $ xylem show s:long --full | grep 'more line'
  [1]
  $ verify

Children are listed.

  $ fresh
  $ add s root note
  $ xylem show s:root
  entry     root
  parent    none (a root)
  children  none (a tip)
  kind      note
  time      * (* ago) (glob)
  place     depth 1, branch 1, lsn 2
  check     * (glob)
  payload   none
  $ for number in 1 2 3 4 5 6 7 8 9 10; do
  >     xylem append s --kind note --id c$number --parent root >/dev/null
  > done
  $ xylem show s:root
  entry     root
  parent    none (a root)
  children  c1, c2, c3, c4, c5, c6, c7, c8, and 2 more
  kind      note
  time      * (* ago) (glob)
  place     depth 1, branch 1, lsn 2
  check     * (glob)
  payload   none
  $ verify

No member is left out: what is in a payload and is not said stands below it.

  $ fresh
  $ show() {
  >     xylem append s --create --kind "$1" --data "$2" --id e$((number += 1)) >/dev/null
  >     xylem show s:@
  > }
  $ show message '{"role":"toolResult","toolName":3,"isError":"no","content":"x","a":[1]}'
  entry     e11
  parent    none (a root)
  children  none (a tip)
  kind      message toolResult
  time      * (* ago) (glob)
  place     depth 1, branch 1, lsn 2
  check     * (glob)
  payload   71 B of json
  
      x
  
  toolName          3
  isError           "no"
  a                 [1]
  $ show message '{"message":{"role":"user","content":"x"},"beside":true}'
  entry     e12
  parent    e11
  children  none (a tip)
  kind      message user
  time      * (* ago) (glob)
  place     depth 2, branch 1, lsn 3
  check     * (glob)
  payload   55 B of json
  
      x
  
  beside            true
  $ show message '{"role":"bashExecution","command":"ls","output":"o","exitCode":1}'
  entry     e13
  parent    e12
  children  none (a tip)
  kind      message bashExecution, error
  time      * (* ago) (glob)
  place     depth 3, branch 1, lsn 4
  check     * (glob)
  payload   65 B of json
  
      $ ls
  
      o
  
      exit code 1
  
  exitCode          1
  $ show label '{"targetId":"t","label":"l","more":1}'
  entry     e14
  parent    e13
  children  none (a tip)
  kind      label
  time      * (* ago) (glob)
  place     depth 4, branch 1, lsn 5
  check     * (glob)
  payload   37 B of json
  
      l on t
  
  more              1
  $ show model_change '{"modelId":"m","provider":4}'
  entry     e15
  parent    e14
  children  none (a tip)
  kind      model_change
  time      * (* ago) (glob)
  place     depth 5, branch 1, lsn 6
  check     * (glob)
  payload   28 B of json
  
      m
  
  provider          4
  $ show custom_message '{"customType":"t","content":"c","display":false}'
  entry     e16
  parent    e15
  children  none (a tip)
  kind      custom_message, t
  time      * (* ago) (glob)
  place     depth 6, branch 1, lsn 7
  check     * (glob)
  payload   48 B of json
  
      c
  
  display           false
  $ show message '{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},
  >     {"type":"image","mimeType":"image/png","data":"AAAA"},
  >     {"type":"toolCall","name":"w","arguments":{"text":"a\nb","n":1}},
  >     {"type":"toolCall","name":"v","arguments":[1]}],"stopReason":"error","errorMessage":"why"}'
  entry     e17
  parent    e16
  children  none (a tip)
  kind      message assistant, error
  time      * (* ago) (glob)
  place     depth 7, branch 1, lsn 8
  check     * (glob)
  payload   291 B of json
  
      thinking:
        hm
  
      (image/png, 3 B)
  
      calls w
        text:
            a
            b
        n: 1
  
      calls v
        [1]
  
      why
  
  stopReason        "error"
  $ show custom:x '{"list":["a long string that does not fit","another one that does not fit either"]}'
  entry     e18
  parent    e17
  children  none (a tip)
  kind      custom:x
  time      * (* ago) (glob)
  place     depth 8, branch 1, lsn 9
  check     * (glob)
  payload   77 B of msgpack
  
      {
        "list": [
          "a long string that does not fit",
          "another one that does not fit either"
        ]
      }
  $ verify

The raw payload is exact.

  $ fresh
  $ printf '{ "role":"user","content":"\\u001b"}' | xylem append s --create --kind message --data - --id e
  e
  $ xylem show s:@ --raw
  { "role":"user","content":"\u001b"} (no-eol)
  $ xylem show s:@
  entry     e
  parent    none (a root)
  children  none (a tip)
  kind      message user
  time      * (* ago) (glob)
  place     depth 1, branch 1, lsn 2
  check     * (glob)
  payload   35 B of json
  
      \x1b
  $ verify
