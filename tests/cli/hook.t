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
  xylem: hook: */2/home/.config/xylem/policy.json: expected allowed_commands, git_readonly_subcommands, wrapper_commands, command_directories, allow_output_redirections, feature_flags or temp_writes, found the key "allowed_command" (glob)
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
  $ ask ls permission-request --config ''
  xylem: hook: the name of the configuration is empty
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
