xylem hook: what a host's hook says, where its configuration lies, its log, how it ends.

  $ . "$TESTDIR/setup.sh"
  $ home() {
  >     empty
  >     unset XYLEM_STORE TZ LC_ALL
  >     export HOME=$PWD/home
  > }
  $ ask() {
  >     command=$1
  >     shift
  >     echo '{"cwd":"/","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"'"$command"'"}}' |
  >         xylem hook "$@"
  > }

A command that only reads is approved.

  $ home
  $ ask 'ls -la' permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ ask ls pre-tool-use
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ ask ls permission-request --protocol documented
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ ask ls permission-request --protocol seed
  {"decision":"approve","reason":"nothing in it is refused"}
  $ echo '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}' |
  >     xylem hook permission-request
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"nothing in it is refused"}}

To all else the hook says nothing.

  $ ask 'rm x' permission-request
  $ ask 'rm x' permission-request --protocol seed
  $ ask 'touch x' permission-request
  $ ask 'touch x' permission-request --protocol seed
  $ silent() {
  >     printf %s "$1" | xylem hook permission-request
  >     printf %s "$1" | xylem hook permission-request --protocol seed
  > }
  $ silent ''
  $ silent '{'
  $ silent null
  $ silent '{"hook_event_name":"Stop","tool_name":"Bash","tool_input":{"command":"ls"}}'
  $ silent '{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"command":"ls"}}'
  $ silent '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":["ls"]}}'

Input that is too long is read, and not answered.

  $ { echo '{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"}}'
  >     head -c 3145728 /dev/zero | tr '\0' ' '
  > } | xylem hook permission-request

The configuration is found where the user keeps it.

  $ ask mytool permission-request
  $ mkdir -p home/.config/xylem xdg/xylem
  $ echo '{"allowed_commands":["mytool"]}' >home/.config/xylem/policy.json
  $ ask mytool permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ ask ls permission-request
  $ export XDG_CONFIG_HOME=relative
  $ ask mytool permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ XDG_CONFIG_HOME=$PWD/xdg
  $ ask mytool permission-request
  $ ask ls permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ echo '{"allowed_commands":["other"]}' >xdg/xylem/policy.json
  $ ask other permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ echo '{"allowed_commands":["named"]}' >named.json
  $ ask named permission-request --config named.json
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ unset XDG_CONFIG_HOME
  $ HOME=
  $ ask ls permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}

A broken configuration approves nothing.

  $ home
  $ mkdir -p home/.config/xylem
  $ broken() {
  >     printf %s "$1" >home/.config/xylem/policy.json
  >     ask ls permission-request
  > }
  $ broken ''
  xylem: hook: */2/home/.config/xylem/policy.json: expected an object of options, found an empty file (glob)
  $ broken '{'
  xylem: hook: */2/home/.config/xylem/policy.json: JSON is not well-formed at byte 1: parse error: premature EOF (glob)
  $ broken '[]'
  xylem: hook: */2/home/.config/xylem/policy.json: expected an object of options, found an array (glob)
  $ broken '{"allowed_command":[]}'
  xylem: hook: */2/home/.config/xylem/policy.json: expected allowed_commands, git_readonly_subcommands, wrapper_commands, command_directories, allow_output_redirections, feature_flags, temp_writes, log, allow, ask or deny, found the key "allowed_command" (glob)
  $ broken '{"allowed_commands":"ls"}'
  xylem: hook: */2/home/.config/xylem/policy.json: allowed_commands: expected an array of strings, found a string (glob)
  $ broken '{"feature_flags":{"network_reads":true}}'
  xylem: hook: */2/home/.config/xylem/policy.json: feature_flags.network_reads: expected false, found true: the flag is reserved (glob)
  $ broken '{"temp_writes":"/tmp"}'
  xylem: hook: */2/home/.config/xylem/policy.json: the policy 'strict' takes no temp_writes (glob)
  $ ask ls permission-request --config nowhere
  xylem: hook: nowhere cannot be read: No such file or directory
  $ ask ls permission-request --config .
  xylem: hook: . cannot be read: Is a directory
  $ mkdir loop
  $ touch loop/x
  $ export XDG_CONFIG_HOME=$PWD/loop/x
  $ ask ls permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ ln -s xylem loop/xylem
  $ XDG_CONFIG_HOME=$PWD/loop
  $ ask ls permission-request
  xylem: hook: */2/loop/xylem/policy.json cannot be read: Too many levels of symbolic links (glob)
  $ unset XDG_CONFIG_HOME

A configuration that leads nowhere or is no file approves nothing. A link may lead into a directory that is not mounted:
the defaults may allow more than what it would have said. Nobody ever writes into a fifo, so the hook must not wait for
one.

  $ home
  $ mkdir -p home/.config/xylem
  $ ln -s nowhere home/.config/xylem/policy.json
  $ ask ls permission-request
  xylem: hook: */3/home/.config/xylem/policy.json is a symbolic link that cannot be followed: No such file or directory (glob)
  $ echo '{}' >home/.config/xylem/nowhere
  $ ask ls permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ rm home/.config/xylem/policy.json
  $ mkfifo home/.config/xylem/policy.json
  $ ask ls permission-request
  xylem: hook: */3/home/.config/xylem/policy.json is not a regular file (glob)

No configuration is no error: a host may be unable to leave an option out.

  $ home
  $ ask ls permission-request --config ''
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ ask ls permission-request --config=/dev/null
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ ask 'rm x' pre-tool-use --enforce readonly --config ''
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"rm removes files: rm x"}}}
  $ mkdir -p home/.config/xylem
  $ echo '{"allowed_commands":["mytool"]}' >home/.config/xylem/policy.json
  $ ask mytool permission-request --config /dev/null
  $ xylem judge --policy strict --config '' -- ls
  allow: nothing in it is refused
  $ xylem judge --policy strict --config /dev/null -- ls
  allow: nothing in it is refused

A command line that is wrong before the verb does not forbid either.

  $ home
  $ xylem --no-such-option hook permission-request
  xylem: there is no option --no-such-option (see `xylem help`)
  [1]
  $ xylem --color=other hook pre-tool-use
  xylem: --color takes auto, always or never, not 'other' (see `xylem help`)
  [1]
  $ xylem hok pre-tool-use
  xylem: there is no command 'hok'; did you mean 'hook'? (see `xylem help`)
  [1]
  $ xylem --no-such-option judge permission-request ls
  xylem: there is no option --no-such-option (see `xylem help`)
  [1]
  $ xylem --no-such-option judge ls
  xylem: there is no option --no-such-option (see `xylem help`)
  [2]
  $ xylem judge permission-request ls
  xylem: judge: unexpected argument 'ls': a text of several words stands in quotes (see `xylem judge --help`)
  [2]

The hook never ends with the code that forbids.

  $ ask ls
  xylem: hook: an argument is missing: xylem hook permission-request|pre-tool-use (see `xylem hook --help`)
  [1]
  $ ask ls nothing
  xylem: hook: there is no hook 'nothing': expected permission-request or pre-tool-use (see `xylem hook --help`)
  [1]
  $ ask ls permission-request more
  xylem: hook: unexpected argument 'more' (see `xylem hook --help`)
  [1]
  $ ask ls permission-request --no-such-option
  xylem: hook: there is no option --no-such-option (see `xylem hook --help`)
  [1]
  $ ask ls permission-request --protocol other
  xylem: hook: --protocol takes documented or seed, not 'other' (see `xylem hook --help`)
  [1]
  $ ask ls permission-request --config
  xylem: hook: --config needs a value: FILE (see `xylem hook --help`)
  [1]
  $ ask ls --store
  xylem: hook: --store needs a value: DIR (see `xylem hook --help`)
  [1]
  $ export XYLEM_NOW=yesterday
  $ ask ls permission-request
  xylem: hook: XYLEM_NOW is 'yesterday': expected a time like 2026-11-20T17:18:05Z (see `xylem hook --help`)
  [1]
  $ unset XYLEM_NOW
  $ ask ls --help >/dev/null

A policy that is enforced forbids where it cannot judge. Nobody judged the command, so the command does not run; and the
model, or the user, reads why.

  $ ask 'rm x' permission-request --enforce readonly
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"rm removes files: rm x"}}}
  $ ask 'touch x' permission-request --enforce=confirm
  $ ask ls permission-request --enforce readonly
  $ mkdir -p home/.config/xylem home/.claude/hooks
  $ echo '{"allowed_commands":["mytool"]}' >home/.config/xylem/policy.json
  $ ask 'rm x' permission-request --enforce readonly
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"rm removes files: rm x"}}}
  $ echo '{"temp_writes":"/tmp/x"}' >config.json
  $ ask 'ls >/tmp/x/y' pre-tool-use --enforce readonly --config config.json
  $ printf '{' | xylem hook pre-tool-use --enforce readonly
  xylem: hook: the input cannot be judged: it is not JSON: JSON is not well-formed at byte 1: parse error: premature EOF
  [2]
  $ ask ls pre-tool-use --enforce readonly --config nowhere
  xylem: hook: nowhere cannot be read: No such file or directory
  [2]
  $ ask ls --enforce readonly --config nowhere pre-tool-use
  xylem: hook: nowhere cannot be read: No such file or directory
  [2]
  $ ask ls pre-tool-use --enforce
  xylem: hook: --enforce needs a value: POLICY (see `xylem hook --help`)
  [2]
  $ ask ls pre-tool-use --enforce=strict
  xylem: hook: --enforce takes readonly or confirm, not 'strict' (see `xylem hook --help`)
  [2]
  $ ask ls --enforce readonly
  xylem: hook: an argument is missing: xylem hook permission-request|pre-tool-use (see `xylem hook --help`)
  [2]
  $ export READONLY_HOOK_DEBUG=1
  $ ask 'rm x' pre-tool-use --enforce readonly
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"rm removes files: rm x"}}}
  $ cat home/.claude/hooks/readonly_bash.log
  * refused: file-mutation: rm removes files: {"cwd":"/","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"rm x"}} (glob)

A policy that is enforced refuses tools by what the tools do.

  $ home
  $ use() {
  >     tool=$1
  >     input=$2
  >     shift 2
  >     echo '{"cwd":"/","hook_event_name":"PreToolUse","tool_name":"'"$tool"'","tool_input":'"$input"'}' |
  >         xylem hook pre-tool-use "$@"
  > }
  $ use Write '{"file_path":"/a","content":"b"}' --enforce readonly
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"the policy is readonly, and the tool Write writes"}}
  $ use NotebookEdit '{}' --enforce confirm
  $ use PowerShell '{"command":"ls"}' --enforce confirm
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"the policy is confirm, and the tool PowerShell runs a shell other than bash"}}
  $ use Monitor '{"command":"tail -f x; sudo y"}' --enforce confirm
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sudo runs with another user's rights: sudo y"}}
  $ use Monitor '{"ws":{"url":"ws://localhost"}}' --enforce confirm
  xylem: hook: the input cannot be judged: command: expected a string
  [2]
  $ use mcp__github__create_issue '{}' --enforce readonly
  $ use mcp__github__create_issue '{}' --enforce readonly --tool 'mcp__*=write'
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"the policy is readonly, and the tool mcp__github__create_issue writes"}}
  $ use mcp__github__get_issue '{}' --enforce readonly --tool 'mcp__*=write' --tool 'mcp__github__get_*=read'
  $ use mcp__ssh__run '{"command":"rm x"}' --enforce readonly --tool 'mcp__*=write' --tool=mcp__ssh__run=shell
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm removes files: rm x"}}
  $ use mcp__ssh__run '{"cmd":"rm x"}' --enforce readonly --tool mcp__ssh__run=shell
  xylem: hook: the input cannot be judged: command: expected a string
  [2]
  $ use Write '{}' --enforce readonly --tool Write=read
  $ use 'a=b' '{}' --enforce readonly --tool a=b=write
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"the policy is readonly, and the tool a=b writes"}}
  $ for wrong in mcp__x =write mcp__x= mcp__x=execute 'mcp__*x=write' '*x*=write' =; do
  >     use mcp__x '{}' --enforce readonly --tool "$wrong"
  > done
  xylem: hook: --tool takes NAME=write, NAME=shell or NAME=read, not 'mcp__x'; a * may end the NAME (see `xylem hook --help`)
  xylem: hook: --tool takes NAME=write, NAME=shell or NAME=read, not '=write'; a * may end the NAME (see `xylem hook --help`)
  xylem: hook: --tool takes NAME=write, NAME=shell or NAME=read, not 'mcp__x='; a * may end the NAME (see `xylem hook --help`)
  xylem: hook: --tool takes NAME=write, NAME=shell or NAME=read, not 'mcp__x=execute'; a * may end the NAME (see `xylem hook --help`)
  xylem: hook: --tool takes NAME=write, NAME=shell or NAME=read, not 'mcp__*x=write'; a * may end the NAME (see `xylem hook --help`)
  xylem: hook: --tool takes NAME=write, NAME=shell or NAME=read, not '*x*=write'; a * may end the NAME (see `xylem hook --help`)
  xylem: hook: --tool takes NAME=write, NAME=shell or NAME=read, not '='; a * may end the NAME (see `xylem hook --help`)
  [2]
  $ use Write '{}' --tool mcp__x=write
  xylem: hook: --tool goes with --enforce: without --enforce only Bash is approved (see `xylem hook --help`)
  [1]
  $ use Write '{}' --enforce readonly --tool
  xylem: hook: --tool needs a value: NAME=EFFECT (see `xylem hook --help`)
  [2]
  $ for i in $(seq 16); do set -- "$@" --tool "mcp__$i=write"; done
  $ use mcp__16 '{}' --enforce readonly "$@"
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"the policy is readonly, and the tool mcp__16 writes"}}
  $ use mcp__17 '{}' --enforce readonly "$@" --tool mcp__17=write
  xylem: hook: --tool may be given at most 16 times (see `xylem hook --help`)
  [2]

The configuration can name a log for what is not approved, and for what is denied.

  $ home
  $ mkdir -p home/.config/xylem
  $ echo '{"log":"~/asked.jsonl"}' >home/.config/xylem/policy.json
  $ export XYLEM_NOW=2026-11-20T19:30:00Z
  $ umask 0
  $ ask ls permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ ls home
  $ ask 'ls; touch x' permission-request
  $ ask 'git \u001b status' permission-request
  $ use Write '{}'
  $ stat -c '%a %F' home/asked.jsonl
  600 regular file
  $ cat home/asked.jsonl
  {"time":"2026-11-20T19:30:00.000Z","policy":"strict","command":"ls; touch x","cwd":"/","decision":"ask","rule":"program","reason":"touch is not among the commands that strict allows: a rule of yours can allow it"}
  {"time":"2026-11-20T19:30:00.000Z","policy":"strict","command":"git \u001b status","cwd":"/","decision":"ask","rule":"not-understood","reason":"the command contains a control character"}
  $ umask 022
  $ ask 'rm x' pre-tool-use --enforce readonly
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"rm removes files: rm x"}}}
  $ echo "{\"log\":\"$PWD/denied.jsonl\"}" >log.json
  $ use Bash '{"command":"rm x"}' --enforce readonly --config log.json
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm removes files: rm x"}}
  $ use Write '{}' --enforce readonly --config log.json
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"the policy is readonly, and the tool Write writes"}}
  $ use Read '{}' --enforce readonly --config log.json
  $ use PowerShell '{"command":"ls"}' --enforce confirm --config log.json
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"the policy is confirm, and the tool PowerShell runs a shell other than bash"}}
  $ cat denied.jsonl
  {"time":"2026-11-20T19:30:00.000Z","policy":"readonly","command":"rm x","cwd":"/","decision":"deny","rule":"file-mutation","reason":"rm removes files"}
  {"time":"2026-11-20T19:30:00.000Z","policy":"readonly","command":null,"cwd":"/","decision":"deny","rule":"tool","reason":"the policy is readonly, and the tool Write writes"}
  {"time":"2026-11-20T19:30:00.000Z","policy":"confirm","command":"ls","cwd":"/","decision":"ask","rule":"tool","reason":"the policy is confirm, and the tool PowerShell runs a shell other than bash"}
  $ wc -l <home/asked.jsonl
  2

The answer does not depend on the log. Nothing is written through a link, into a pipe or a directory; an error names the
log.

  $ ln -s target link
  $ mkfifo pipe
  $ logs() {
  >     echo "{\"log\":\"$1\"}" >log.json
  >     use Bash '{"command":"rm x"}' --enforce readonly --config log.json
  > }
  $ logs $PWD/link
  xylem: hook: the log */7/link cannot be written: Too many levels of symbolic links (glob)
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm removes files: rm x"}}
  $ ls target
  ls: cannot access 'target': No such file or directory
  [2]
  $ logs $PWD/pipe
  xylem: hook: the log */7/pipe cannot be written: No such device or address (glob)
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm removes files: rm x"}}
  $ exec 8<>pipe
  $ logs $PWD/pipe
  xylem: hook: the log */7/pipe cannot be written: Operation not permitted (glob)
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm removes files: rm x"}}
  $ exec 8<&-
  $ touch foreign
  $ chown 65534 foreign 2>&- || ln -sf target foreign
  $ logs $PWD/foreign 2>&1 | grep -c 'cannot be written'
  1
  $ [ -s foreign ]
  [1]
  $ logs $PWD/nowhere/log
  xylem: hook: the log */7/nowhere/log cannot be written: No such file or directory (glob)
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm removes files: rm x"}}
  $ logs $PWD
  xylem: hook: the log */7 cannot be written: Is a directory (glob)
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm removes files: rm x"}}
  $ logs log
  xylem: hook: log of the configuration: expected an absolute path, or ~/ and a HOME, found 'log'
  [2]
  $ logs '~'
  xylem: hook: log of the configuration: expected an absolute path, or ~/ and a HOME, found '~'
  [2]
  $ HOME=relative
  $ logs '~/log'
  xylem: hook: log of the configuration: expected an absolute path, or ~/ and a HOME, found '~/log'
  [2]
  $ unset HOME
  $ logs '~/log'
  xylem: hook: log of the configuration: expected an absolute path, or ~/ and a HOME, found '~/log'
  [2]
  $ export HOME=$PWD/home
  $ logs ''
  xylem: hook: log.json: log: expected a name, found an empty string
  [2]
  $ echo '{"log":7}' >log.json
  $ use Bash '{"command":"ls"}' --config log.json
  xylem: hook: log.json: log: expected a string, found a number

A log of 10 MiB becomes LOG.1, and a new log begins. The older LOG.1 goes.

  $ head -c 10485600 /dev/zero | tr '\0' x >denied.jsonl
  $ logs $PWD/denied.jsonl
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm removes files: rm x"}}
  $ stat -c '%n %s' denied.jsonl*
  denied.jsonl 10485752
  $ logs $PWD/denied.jsonl
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm removes files: rm x"}}
  $ stat -c '%n %s %a' denied.jsonl*
  denied.jsonl 152 600
  denied.jsonl.1 10485752 600
  $ truncate -s 10485760 denied.jsonl
  $ ln -sf ../target denied.jsonl.1
  $ logs $PWD/denied.jsonl
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm removes files: rm x"}}
  $ stat -c '%n %s %F' denied.jsonl*
  denied.jsonl 152 regular file
  denied.jsonl.1 10485760 regular file
  $ ls ../target
  ls: cannot access '../target': No such file or directory
  [2]
  $ truncate -s 10485760 denied.jsonl
  $ rm denied.jsonl.1
  $ mkdir denied.jsonl.1
  $ logs $PWD/denied.jsonl
  xylem: hook: the log */7/denied.jsonl cannot be written: Is a directory (glob)
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm removes files: rm x"}}
  $ stat -c '%n %s' denied.jsonl
  denied.jsonl 10485760
  $ rmdir denied.jsonl.1

While another hook renames the log, a hook writes into the log that is open. Of many hooks one renames.

  $ exec 8<denied.jsonl
  $ flock 8
  $ logs $PWD/denied.jsonl
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm removes files: rm x"}}
  $ stat -c '%n %s' denied.jsonl*
  denied.jsonl 10485912
  $ exec 8<&-
  $ truncate -s 10485700 denied.jsonl
  $ for i in $(seq 40); do use Bash '{"command":"rm x"}' --enforce readonly --config log.json >/dev/null & done; wait
  $ [ $(stat -c %s denied.jsonl.1) -gt 10485000 ] && cat denied.jsonl* | tr -d '\0' | grep -c '"rm x"'
  41
  $ unset XYLEM_NOW

The plugin for Claude Code: the files are JSON, and the command of each hook answers what Claude Code sends.

  $ home
  $ plugin=$root/hosts/claude
  $ asked() {
  >     echo '{"session_id":"9d4b552f-fbad-4a38-ae48-cf353d1c7d04","transcript_path":"/home/dev/.claude/projects/-src/9d4b552f.jsonl","cwd":"/src","prompt_id":"0c548705-9f4e-4929-bfe7-c403f3e7a32d","permission_mode":"default","hook_event_name":"'$1'","tool_name":"'$2'","tool_input":'"$3"',"permission_suggestions":[]}'
  > }
  $ jq -r .name $plugin/.claude-plugin/plugin.json
  xylem
  $ [ "$(jq -r .version $plugin/.claude-plugin/plugin.json)" = "$(xylem --version | cut -d' ' -f2)" ]
  $ jq -r '.name, .plugins[0].name, .plugins[0].source' $plugin/.claude-plugin/marketplace.json
  xylem
  xylem
  ./
  $ jq -r '.hooks | keys[], .PermissionRequest[].matcher' $plugin/hooks/hooks.json
  PermissionRequest
  Bash
  $ approve=$(jq -r '.hooks.PermissionRequest[].hooks[].command' $plugin/hooks/hooks.json)
  $ asked PermissionRequest Bash '{"command":"ls | wc -l","description":"Count"}' | sh -c "$approve"
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ asked PermissionRequest Bash '{"command":"touch x","description":"Make"}' | sh -c "$approve"
  $ mkdir -p home/.config/xylem
  $ cp $plugin/policy.json home/.config/xylem/
  $ asked PermissionRequest Bash '{"command":"touch x","description":"Make"}' | sh -c "$approve"
  $ jq -r .command home/.config/xylem/asked.jsonl
  touch x
  $ jq -r '.hooks | keys[], .PreToolUse[].matcher' $plugin/enforce/settings.json
  PreToolUse
  *
  $ deny=$(jq -r '.hooks.PreToolUse[].hooks[].command' $plugin/enforce/settings.json)
  $ asked PreToolUse Write '{"file_path":"/a","content":"b"}' | sh -c "$deny"
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"the policy is readonly, and the tool Write writes"}}
  $ asked PreToolUse Monitor '{"description":"Watch","timeout_ms":2000,"command":"rm x"}' | sh -c "$deny"
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm removes files: rm x"}}
  $ asked PreToolUse EnterWorktree '{"name":"w"}' | sh -c "$deny"
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"the policy is readonly, and the tool EnterWorktree writes"}}
  $ asked PreToolUse Bash '{"command":"ls"}' | sh -c "$deny"

The log is the owner's alone.

  $ home
  $ mkdir home
  $ unset READONLY_HOOK_DEBUG
  $ umask 0
  $ ask ls permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ export READONLY_HOOK_DEBUG=0
  $ ask ls permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ ls -A home
  $ READONLY_HOOK_DEBUG=1
  $ ask ls permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ ask 'rm \u001b[31m' permission-request
  $ log=home/.claude/hooks/readonly_bash.log
  $ stat -c '%a %F' $log
  600 regular file
  $ cat $log
  * approved: allowed: nothing in it is refused: {"cwd":"/","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"}} (glob)
  * nothing said: not-understood: the command contains a control character: {"cwd":"/","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"rm \\u001b[31m"}} (glob)
  $ chmod 644 $log
  $ ask ls permission-request --config nowhere
  xylem: hook: nowhere cannot be read: No such file or directory
  $ stat -c '%a %F' $log
  600 regular file
  $ tail -n 1 $log
  * nothing said: nowhere cannot be read: No such file or directory: {"cwd":"/","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"}} (glob)
  $ printf '\n\033[31m{' | xylem hook permission-request
  $ tail -n 1 $log
  * nothing said: the input is not answered: it is not JSON: JSON is not well-formed at byte 2: lexical error: invalid char in json text.: \\x1b[31m{ (glob)
  $ umask 022

A log that leads elsewhere is not written.

  $ home
  $ mkdir -p home/.claude/hooks
  $ ln -s "$PWD/target" home/.claude/hooks/readonly_bash.log
  $ ask ls permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ rm home/.claude/hooks/readonly_bash.log
  $ mkfifo home/.claude/hooks/readonly_bash.log
  $ ask ls permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ HOME=/dev/null
  $ ask ls permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ HOME=
  $ ask ls permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ ls target
  ls: cannot access 'target': No such file or directory
  [2]
  $ unset READONLY_HOOK_DEBUG

Git is looked after.

  $ home
  $ mkdir -p home repo/.git/objects repo/.git/refs
  $ touch repo/.git/objects/x repo/.git/refs/x
  $ echo 'ref: refs/heads/main' >repo/.git/HEAD
  $ printf '[core]\n\tbare = false\n' >repo/.git/config
  $ git() {
  >     echo '{"cwd":"'$PWD/repo'","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"git '$1'"}}' |
  >         xylem hook permission-request
  > }
  $ git status
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ export GIT_DIR=/elsewhere
  $ git status
  $ ask ls permission-request
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ unset GIT_DIR
  $ export CDPATH=/elsewhere
  $ git status
  $ CDPATH=
  $ git status
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ unset CDPATH
  $ printf '[core]\n\tfsmonitor = x\n' >repo/.git/config
  $ git status

The user's configuration of git is found where git finds it. Which files git would read of the user's, the environment
says.

  $ rm repo/.git/config
  $ mkdir -p home/.config/git xdg/git
  $ in_place() {
  >     printf '[user]\n\tname = x\n' >$1
  >     git show
  >     printf '[diff]\n\tsubmodule = diff\n' >$1
  >     git show
  >     rm $1
  > }
  $ in_place home/.gitconfig
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ in_place home/.config/git/config
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ (export XDG_CONFIG_HOME=$PWD/xdg && in_place xdg/git/config)
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ (export GIT_CONFIG_GLOBAL=$PWD/global && in_place global)
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ (export GIT_CONFIG_SYSTEM=$PWD/system && in_place system)
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ printf '[diff]\n\tsubmodule = diff\n' >home/more
  $ printf '[include]\n\tpath = ~/more\n' >home/.gitconfig
  $ git show
  $ printf '' >home/more
  $ git show
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ (export GIT_CONFIG_PARAMETERS="'diff.submodule=log'" && git show)
  $ (export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=diff.submodule GIT_CONFIG_VALUE_0=log && git show)
  $ (export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_KEY_1=diff.submodule && git show)
  $ (export GIT_CONFIG_COUNT=1 && git show)
  $ (export GIT_CONFIG_COUNT=x && git show)
  $ (export GIT_CONFIG_COUNT=100000000 && git show)
  $ (export GIT_CONFIG_GLOBAL=relative && git show)
  $ (export XDG_CONFIG_HOME=relative && git show)
  $ (export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=x && git show)
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
  $ (export GIT_CONFIG_COUNT=0 && git show)
  {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
