/* The command that a host runs as its hook: what it says, where its configuration lies, its log, how it ends. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define APPROVED                                                                                            \
    "{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":{\"behavior\":\"allow\"" \
    "}}}\n"
#define QUESTION(command)                                                                                        \
    "{\"cwd\":\"/"                                                                                               \
    "\",\"hook_event_name\":\"PermissionRequest\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"" command \
    "\"}}"

/* Runs `xylem hook` with these variables (words of a shell, after HOME) and arguments; gives its exit code. */
static int hook(struct command *command, const char *variables, const char *arguments, const char *input)
{
    char path[256];
    char line[2048];

    command_path(path, command, "input");
    command_write_file(path, input, strlen(input));
    snprintf(line, sizeof(line),
             "D=%s; X=\"$PWD/%s\"; case %s in /*) X=%s;; esac; A=$ASAN_OPTIONS; umask 0; "
             "env -i ASAN_OPTIONS=\"$A\" HOME=\"$D/home\" %s \"$X\" hook %s <\"$D/input\" >\"$D/out\" 2>\"$D/err\"",
             command->directory, command_program(), command_program(), command_program(), variables, arguments);
    int status = system(line);
    assert_true(WIFEXITED(status));
    command->code = WEXITSTATUS(status);
    free(command->out);
    free(command->err);
    command_path(path, command, "out");
    command->out = command_read_file(path, NULL);
    command_path(path, command, "err");
    command->err = command_read_file(path, NULL);
    return command->code;
}

static void assert_says(struct command *command, const char *variables, const char *arguments, const char *input,
                        const char *expected)
{
    hook(command, variables, arguments, input);
    assert_exit(command, 0);
    assert_string_equal(command->out, expected);
}

static void make(const struct command *command, const char *name, const char *text)
{
    char path[256];
    char directory[256];

    command_path(path, command, name);
    snprintf(directory, sizeof(directory), "%s", path);
    for (char *slash = strchr(directory + strlen(command->directory) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(directory, 0700);
        *slash = '/';
    }
    command_write_file(path, text, strlen(text));
}

#define WITH_EMPTY(test) TEST_WITH(test, command_set_up_empty, command_tear_down)

WITH_EMPTY(a_command_that_only_reads_is_approved)
{
    struct command *command = *state;

    assert_says(command, "", "permission-request", QUESTION("ls -la"), APPROVED);
    assert_string_equal(command->err, "");
    assert_says(command, "", "pre-tool-use", QUESTION("ls"), APPROVED);
    assert_says(command, "", "permission-request --protocol documented", QUESTION("ls"), APPROVED);
    assert_says(command, "", "permission-request --protocol seed", QUESTION("ls"),
                "{\"decision\":\"approve\",\"reason\":\"nothing in it is refused\"}\n");
    assert_says(command, "", "permission-request",
                "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}",
                "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\","
                "\"permissionDecisionReason\":\"nothing in it is refused\"}}\n");
}

WITH_EMPTY(to_all_else_it_says_nothing)
{
    static const char *const inputs[] = {
        QUESTION("rm x"),
        QUESTION("touch x"),
        "",
        "{",
        "null",
        "{\"hook_event_name\":\"Stop\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}",
        "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Write\",\"tool_input\":{\"command\":\"ls\"}}",
        "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":[\"ls\"]}}"};
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
        assert_says(command, "", "permission-request", inputs[i], "");
        assert_string_equal(command->err, "");
        assert_says(command, "", "permission-request --protocol seed", inputs[i], "");
    }
}

WITH_EMPTY(input_that_is_too_long_is_read_and_not_answered)
{
    struct command *command = *state;
    size_t bytes = 3u << 20;
    char *input = malloc(bytes + 1);

    assert_non_null(input);
    memset(input, ' ', bytes);
    input[bytes] = '\0';
    memcpy(input, QUESTION("ls"), strlen(QUESTION("ls")));
    assert_says(command, "", "permission-request", input, "");
    free(input);
}

WITH_EMPTY(the_configuration_is_found_where_the_user_keeps_it)
{
    struct command *command = *state;

    assert_says(command, "", "permission-request", QUESTION("mytool"), "");
    make(command, "home/.config/xylem/policy.json", "{\"allowed_commands\":[\"mytool\"]}");
    assert_says(command, "", "permission-request", QUESTION("mytool"), APPROVED);
    assert_says(command, "", "permission-request", QUESTION("ls"), "");
    assert_says(command, "XDG_CONFIG_HOME=relative", "permission-request", QUESTION("mytool"), APPROVED);
    assert_says(command, "XDG_CONFIG_HOME=\"$D/xdg\"", "permission-request", QUESTION("mytool"), "");
    assert_says(command, "XDG_CONFIG_HOME=\"$D/xdg\"", "permission-request", QUESTION("ls"), APPROVED);
    make(command, "xdg/xylem/policy.json", "{\"allowed_commands\":[\"other\"]}");
    assert_says(command, "XDG_CONFIG_HOME=\"$D/xdg\"", "permission-request", QUESTION("other"), APPROVED);
    make(command, "named.json", "{\"allowed_commands\":[\"named\"]}");
    assert_says(command, "XDG_CONFIG_HOME=\"$D/xdg\"", "permission-request --config \"$D/named.json\"",
                QUESTION("named"), APPROVED);
    assert_says(command, "HOME=", "permission-request", QUESTION("ls"), APPROVED);
}

WITH_EMPTY(a_broken_configuration_approves_nothing)
{
    static const char *const texts[] = {"",
                                        "{",
                                        "[]",
                                        "{\"allowed_command\":[]}",
                                        "{\"allowed_commands\":\"ls\"}",
                                        "{\"feature_flags\":{\"network_reads\":true}}",
                                        "{\"temp_writes\":\"/tmp\"}"};
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        make(command, "home/.config/xylem/policy.json", texts[i]);
        assert_says(command, "", "permission-request", QUESTION("ls"), "");
        assert_contains(command->err, "home/.config/xylem/policy.json: ");
    }
    assert_says(command, "", "permission-request --config \"$D/nowhere\"", QUESTION("ls"), "");
    assert_contains(command->err, "nowhere cannot be read");
    assert_says(command, "", "permission-request --config \"$D\"", QUESTION("ls"), "");
    assert_says(command, "", "permission-request --config ''", QUESTION("ls"), "");
    assert_contains(command->err, "the name of the configuration is empty");
    make(command, "loop/x", "");
    assert_says(command, "XDG_CONFIG_HOME=\"$D/loop/x\"", "permission-request", QUESTION("ls"), APPROVED);
    char path[256];
    command_path(path, command, "loop/xylem");
    assert_int_equal(symlink("xylem", path), 0);
    assert_says(command, "XDG_CONFIG_HOME=\"$D/loop\"", "permission-request", QUESTION("ls"), "");
}

/* As a link into a directory that is not mounted: the defaults may allow more than what it would have said. */
WITH_EMPTY(a_configuration_that_leads_nowhere_or_is_no_file_approves_nothing)
{
    struct command *command = *state;
    char path[256];

    make(command, "home/.config/xylem/x", "");
    command_path(path, command, "home/.config/xylem/policy.json");
    assert_int_equal(symlink("nowhere", path), 0);
    assert_says(command, "", "permission-request", QUESTION("ls"), "");
    assert_contains(command->err, "is a symbolic link that cannot be followed: No such file or directory");
    make(command, "home/.config/xylem/nowhere", "{}");
    assert_says(command, "", "permission-request", QUESTION("ls"), APPROVED);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); /* nobody ever writes into it: it must not be waited for */
    assert_says(command, "", "permission-request", QUESTION("ls"), "");
    assert_contains(command->err, "policy.json is not a regular file");
}

WITH_EMPTY(a_command_line_that_is_wrong_before_the_verb_does_not_forbid_either)
{
    struct command *command = *state;

    command_run(command, "--no-such-option", "hook", "permission-request", NULL);
    assert_error(command, 1, "there is no option --no-such-option");
    command_run(command, "--color=other", "hook", "pre-tool-use", NULL);
    assert_error(command, 1, "--color takes");
    command_run(command, "hok", "pre-tool-use", NULL);
    assert_error(command, 1, "there is no command 'hok'");
    command_run(command, "--no-such-option", "judge", "permission-request", "ls", NULL);
    assert_error(command, 1, "there is no option");
    command_run(command, "--no-such-option", "judge", "ls", NULL);
    assert_error(command, 2, "there is no option");
    command_run(command, "judge", "permission-request", "ls", NULL);
    assert_error(command, 2, "unexpected argument");
}

WITH_EMPTY(it_never_ends_with_the_code_that_forbids)
{
    static const char *const lines[] = {"",
                                        "nothing",
                                        "permission-request more",
                                        "permission-request --no-such-option",
                                        "permission-request --protocol other",
                                        "permission-request --config",
                                        "--store"};
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        hook(command, "", lines[i], QUESTION("ls"));
        assert_error(command, 1, "xylem: hook: ");
    }
    hook(command, "XYLEM_NOW=yesterday", "permission-request", QUESTION("ls"));
    assert_error(command, 1, "XYLEM_NOW");
    hook(command, "", "--help", "");
    assert_exit(command, 0);
}

static void assert_log(const struct command *command, const char *first, const char *second)
{
    struct stat status;
    char path[256];

    command_path(path, command, "home/.claude/hooks/readonly_bash.log");
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(status.st_mode & 07777, 0600);
    char *text = command_read_file(path, NULL);
    assert_contains(text, first);
    assert_contains(text, second);
    free(text);
}

/* Nobody judged it, so it does not run; and the model, or the user, reads why. */
WITH_EMPTY(a_policy_that_is_enforced_forbids_where_it_cannot_judge)
{
    static const char refused[] = "{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":{"
                                  "\"behavior\":\"deny\",\"message\":\"rm removes files: rm x\"}}}\n";
    struct command *command = *state;

    assert_says(command, "", "permission-request --enforce readonly", QUESTION("rm x"), refused);
    assert_says(command, "", "permission-request --enforce=confirm", QUESTION("touch x"), "");
    assert_says(command, "", "permission-request --enforce readonly", QUESTION("ls"), "");
    make(command, "home/.config/xylem/policy.json", "{\"allowed_commands\":[\"mytool\"]}"); /* of strict alone */
    assert_says(command, "", "permission-request --enforce readonly", QUESTION("rm x"), refused);
    make(command, "config.json", "{\"temp_writes\":\"/tmp/x\"}");
    assert_says(command, "", "pre-tool-use --enforce readonly --config \"$D/config.json\"", QUESTION("ls >/tmp/x/y"),
                "");
    hook(command, "", "pre-tool-use --enforce readonly", "{");
    assert_error(command, 2, "the input cannot be judged");
    hook(command, "", "pre-tool-use --enforce readonly --config nowhere", QUESTION("ls"));
    assert_error(command, 2, "nowhere cannot be read");
    hook(command, "", "--enforce readonly --config nowhere pre-tool-use", QUESTION("ls"));
    assert_error(command, 2, "nowhere cannot be read");
    hook(command, "", "pre-tool-use --enforce", QUESTION("ls"));
    assert_error(command, 2, "--enforce");
    hook(command, "", "pre-tool-use --enforce=strict", QUESTION("ls"));
    assert_error(command, 2, "--enforce takes readonly or confirm");
    hook(command, "", "--enforce readonly", QUESTION("ls"));
    assert_error(command, 2, "missing");
    hook(command, "READONLY_HOOK_DEBUG=1", "pre-tool-use --enforce readonly", QUESTION("rm x"));
    assert_log(command, "Z refused: ", "rm removes files");
}

WITH_EMPTY(the_log_is_the_owners_alone)
{
    struct command *command = *state;
    char path[256];

    command_path(path, command, "home");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_says(command, "", "permission-request", QUESTION("ls"), APPROVED);
    assert_says(command, "READONLY_HOOK_DEBUG=0", "permission-request", QUESTION("ls"), APPROVED);
    command_path(path, command, "home/.claude");
    assert_int_not_equal(access(path, F_OK), 0);
    assert_says(command, "READONLY_HOOK_DEBUG=1", "permission-request", QUESTION("ls"), APPROVED);
    assert_says(command, "READONLY_HOOK_DEBUG=1", "permission-request", QUESTION("rm \\u001b[31m"), "");
    assert_log(command, "Z approved: ", "Z nothing said: ");
    command_path(path, command, "home/.claude/hooks/readonly_bash.log");
    assert_int_equal(chmod(path, 0644), 0);
    assert_says(command, "READONLY_HOOK_DEBUG=1", "permission-request --config nowhere", QUESTION("ls"), "");
    assert_log(command, "nowhere cannot be read", "\"command\":\"ls\"");
    assert_says(command, "READONLY_HOOK_DEBUG=1", "permission-request", "\n\x1b[31m{", "");
    assert_log(command, "not JSON", "\\x1b[31m{\n");
}

WITH_EMPTY(a_log_that_leads_elsewhere_is_not_written)
{
    struct command *command = *state;
    char path[256];
    char target[256];

    make(command, "home/.claude/hooks/x", "");
    command_path(path, command, "home/.claude/hooks/readonly_bash.log");
    command_path(target, command, "target");
    assert_int_equal(symlink(target, path), 0);
    assert_says(command, "READONLY_HOOK_DEBUG=1", "permission-request", QUESTION("ls"), APPROVED);
    assert_int_not_equal(access(target, F_OK), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_says(command, "READONLY_HOOK_DEBUG=1", "permission-request", QUESTION("ls"), APPROVED);
    assert_says(command, "READONLY_HOOK_DEBUG=1 HOME=/dev/null", "permission-request", QUESTION("ls"), APPROVED);
    assert_says(command, "READONLY_HOOK_DEBUG=1 HOME=", "permission-request", QUESTION("ls"), APPROVED);
}

WITH_EMPTY(git_is_looked_after)
{
    struct command *command = *state;
    char question[1024];

    make(command, "repo/.git/HEAD", "ref: refs/heads/main\n");
    make(command, "repo/.git/objects/x", "");
    make(command, "repo/.git/refs/x", "");
    make(command, "repo/.git/config", "[core]\n\tbare = false\n");
    snprintf(question, sizeof(question),
             "{\"cwd\":\"%s/repo\",\"hook_event_name\":\"PermissionRequest\",\"tool_name\":\"Bash\","
             "\"tool_input\":{\"command\":\"git status\"}}",
             command->directory);
    assert_says(command, "", "permission-request", question, APPROVED);
    assert_says(command, "GIT_DIR=/elsewhere", "permission-request", question, "");
    assert_says(command, "GIT_DIR=/elsewhere", "permission-request", QUESTION("ls"), APPROVED);
    assert_says(command, "CDPATH=/elsewhere", "permission-request", question, "");
    assert_says(command, "CDPATH=", "permission-request", question, APPROVED);
    make(command, "repo/.git/config", "[core]\n\tfsmonitor = x\n");
    assert_says(command, "", "permission-request", question, "");
}

/* Which files git would read of the user's, the environment says. */
WITH_EMPTY(the_users_configuration_of_git_is_found_where_git_finds_it)
{
    static const char *const places[][2] = {
        {"home/.gitconfig", ""},
        {"home/.config/git/config", ""},
        {"xdg/git/config", "XDG_CONFIG_HOME=\"$D/xdg\""},
        {"global", "GIT_CONFIG_GLOBAL=\"$D/global\""},
        {"system", "GIT_CONFIG_SYSTEM=\"$D/system\""},
    };
    static const char *const variables[] = {
        "GIT_CONFIG_PARAMETERS=\"'diff.submodule=log'\"",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=diff.submodule GIT_CONFIG_VALUE_0=log",
        "GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_KEY_1=diff.submodule",
        "GIT_CONFIG_COUNT=1",
        "GIT_CONFIG_COUNT=x",
        "GIT_CONFIG_COUNT=100000000",
        "GIT_CONFIG_GLOBAL=relative",
        "XDG_CONFIG_HOME=relative",
    };
    struct command *command = *state;
    char question[1024];
    char path[256];

    make(command, "repo/.git/HEAD", "ref: refs/heads/main\n");
    make(command, "repo/.git/objects/x", "");
    make(command, "repo/.git/refs/x", "");
    snprintf(question, sizeof(question),
             "{\"cwd\":\"%s/repo\",\"hook_event_name\":\"PermissionRequest\",\"tool_name\":\"Bash\","
             "\"tool_input\":{\"command\":\"git show\"}}",
             command->directory);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        make(command, places[i][0], "[user]\n\tname = x\n");
        assert_says(command, places[i][1], "permission-request", question, APPROVED);
        make(command, places[i][0], "[diff]\n\tsubmodule = diff\n");
        assert_says(command, places[i][1], "permission-request", question, "");
        command_path(path, command, places[i][0]);
        assert_int_equal(unlink(path), 0);
    }
    make(command, "home/more", "[diff]\n\tsubmodule = diff\n");
    make(command, "home/.gitconfig", "[include]\n\tpath = ~/more\n");
    assert_says(command, "", "permission-request", question, "");
    make(command, "home/more", "");
    assert_says(command, "", "permission-request", question, APPROVED);
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        assert_says(command, variables[i], "permission-request", question, "");
    }
    assert_says(command, "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=x",
                "permission-request", question, APPROVED);
    assert_says(command, "GIT_CONFIG_COUNT=0", "permission-request", question, APPROVED);
}
