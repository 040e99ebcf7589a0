/* Whether a tool call may go on, asked from outside: with the state that the session's path gives, in one process. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define REMOVES "{\"toolName\":\"bash\",\"input\":{\"command\":\"rm -rf x\"},\"cwd\":\"/src\"}"
#define LISTS "{\"toolName\":\"bash\",\"input\":{\"command\":\"ls -la | head\"}}"
#define WRITES "{\"toolName\":\"write\",\"input\":{\"path\":\"a\",\"content\":\"b\"}}"
#define READS "{\"toolName\":\"read\",\"input\":{\"path\":\"a\"}}"
#define NOT_JUDGED "\"verdict\":null,\"rule\":null,\"why\":null,\"offending\":null}\n"
#define CANNOT_READ "Readonly mode: the tool call cannot be read, so it is blocked. Use /readonly to disable."

/* Asks about a call in the session `s`, with up to three more words of the command line. */
static void ask(struct command *command, const char *call, const char *first, const char *second, const char *third)
{
    command->input = call;
    command_run(command, "gate", "s", first, second, third, NULL);
}

static void toggle(struct command *command, bool on)
{
    command_run(command, "append", "s", "--kind", "custom:readonly", "--id", on ? "on" : "off", "--data",
                on ? "{\"enabled\":true}" : "{\"enabled\":false}", NULL);
    assert_exit(command, 0);
}

/* A session whose path has a note, and then a toggle to on. */
static int set_up(void **state)
{
    command_set_up(state);
    struct command *command = *state;

    command_line(command, "append --create s --kind note --id note");
    assert_exit(command, 0);
    toggle(command, true);
    return 0;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, command_tear_down)

IN_SCENE(a_call_that_changes_things_is_blocked_while_readonly_is_on)
{
    struct command *command = *state;

    ask(command, REMOVES, NULL, NULL, NULL);
    assert_exit(command, 1);
    assert_string_equal(
        command->out,
        "{\"schema\":1,\"block\":true,\"reason\":\"Readonly mode: dangerous command blocked. Use /readonly "
        "to disable.\\nCommand: rm -rf x\\nReason: rm removes files\",\"readonly\":true,\"tool\":\"bash\","
        "\"verdict\":\"deny\",\"rule\":\"file-mutation\",\"why\":\"rm removes files\",\"offending\":\"rm -rf x\"}\n");
    assert_string_equal(command->err, "");
    ask(command, WRITES, NULL, NULL, NULL);
    assert_exit(command, 1);
    assert_string_equal(command->out,
                        "{\"schema\":1,\"block\":true,\"reason\":\"Readonly mode: write/edit disabled. Use "
                        "/readonly to disable.\",\"readonly\":true,\"tool\":\"write\"," NOT_JUDGED);
}

IN_SCENE(a_call_that_reads_goes_on_while_readonly_is_on)
{
    struct command *command = *state;

    ask(command, LISTS, NULL, NULL, NULL);
    assert_exit(command, 0);
    assert_string_equal(command->out,
                        "{\"schema\":1,\"block\":false,\"reason\":null,\"readonly\":true,\"tool\":\"bash\","
                        "\"verdict\":\"allow\",\"rule\":\"allowed\",\"why\":\"nothing in it is refused\","
                        "\"offending\":null}\n");
    ask(command, READS, NULL, NULL, NULL);
    assert_exit(command, 0);
    assert_string_equal(
        command->out, "{\"schema\":1,\"block\":false,\"reason\":null,\"readonly\":true,\"tool\":\"read\"," NOT_JUDGED);
}

IN_SCENE(any_call_goes_on_while_readonly_is_off)
{
    static const char *const calls[] = {REMOVES, LISTS, WRITES, READS, "no JSON"};
    struct command *command = *state;

    toggle(command, false);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        ask(command, calls[i], NULL, NULL, NULL);
        assert_exit(command, 0);
        assert_contains(command->out, "\"block\":false,\"reason\":null,\"readonly\":false,");
    }
}

IN_SCENE(the_state_is_that_of_the_leaf_or_of_the_entry_that_is_named)
{
    struct command *command = *state;

    toggle(command, false);
    ask(command, REMOVES, "--at", "on", NULL);
    assert_exit(command, 1);
    ask(command, REMOVES, "--at", "note", NULL);
    assert_exit(command, 0);
    ask(command, REMOVES, "--at", "none", NULL);
    assert_exit(command, 0);
    command_line(command, "navigate s on");
    ask(command, REMOVES, NULL, NULL, NULL);
    assert_exit(command, 1);
}

IN_SCENE(the_flag_counts_where_the_path_has_no_toggle)
{
    struct command *command = *state;

    ask(command, REMOVES, "--at", "note", "--flag-readonly");
    assert_exit(command, 1);
    toggle(command, false);
    ask(command, REMOVES, "--flag-readonly", NULL, NULL);
    assert_exit(command, 0);
}

IN_SCENE(other_tools_are_blocked_by_name_and_by_annotation)
{
    struct command *command = *state;

    ask(command, "{\"toolName\":\"apply_patch\",\"input\":{}}", NULL, NULL, NULL);
    assert_exit(command, 1);
    assert_contains(command->out, "Readonly mode: apply_patch disabled. Use /readonly to disable.");
    ask(command, "{\"toolName\":\"x\",\"input\":{},\"annotations\":{\"destructiveHint\":true}}", NULL, NULL, NULL);
    assert_exit(command, 1);
    ask(command, "{\"toolName\":\"x\",\"input\":{},\"annotations\":{\"readOnlyHint\":true}}", NULL, NULL, NULL);
    assert_exit(command, 0);
    ask(command, "{\"toolName\":\"x\",\"input\":{},\"annotations\":{\"readOnlyHint\":false}}", NULL, NULL, NULL);
    assert_exit(command, 1);
    ask(command, "{\"toolName\":\"x\",\"input\":{},\"annotations\":{}}", NULL, NULL, NULL);
    assert_exit(command, 0);
}

IN_SCENE(a_call_that_cannot_be_read_is_blocked_while_readonly_is_on)
{
    static const struct {
        const char *call;
        const char *why;
    } calls[] = {
        {"", CANNOT_READ "\\n"},
        {"no JSON", CANNOT_READ "\\nJSON is not well-formed at byte 1"},
        {"[]", CANNOT_READ "\\nthe tool call: expected a JSON object"},
        {"{\"toolName\":\"bash\",\"input\":{}}",
         CANNOT_READ "\\nthe tool call: 'command' is missing in 'input', or is not a string"},
        {"{\"toolName\":\"bash\",\"input\":{\"command\":\"ls\"},\"cwd\":\"src\"}", "'cwd' is not an absolute path"},
        {"{\"toolName\":\"read\",\"toolName\":\"write\",\"input\":{}}", "twice"},
    };
    struct command *command = *state;

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        ask(command, calls[i].call, NULL, NULL, NULL);
        assert_exit(command, 1);
        assert_contains(command->out, "\"block\":true,");
        assert_contains(command->out, calls[i].why);
    }
}

IN_SCENE(other_spellings_of_a_call_are_known)
{
    struct command *command = *state;

    ask(command, "{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"git push\"}}", NULL, NULL, NULL);
    assert_exit(command, 1);
    assert_contains(command->out, "\"tool\":\"Bash\",\"verdict\":\"deny\",\"rule\":\"git\"");
    ask(command, "{\"name\":\"Edit\",\"input\":{}}", NULL, NULL, NULL);
    assert_exit(command, 1);
}

IN_SCENE(a_configuration_lets_more_pass)
{
    static const char call[] = "{\"toolName\":\"bash\",\"input\":{\"command\":\"ls > /tmp/agent/list\"}}";
    static const char config[] = "{\"temp_writes\":\"/tmp/agent\"}";
    struct command *command = *state;
    char path[256];

    command_path(path, command, "policy.json");
    command_write_file(path, config, strlen(config));
    ask(command, call, NULL, NULL, NULL);
    assert_exit(command, 1);
    ask(command, call, "--config", path, NULL);
    assert_exit(command, 0);
    command_write_file(path, "{\"temp_write\":1}", 16);
    ask(command, LISTS, "--config", path, NULL);
    assert_error(command, 2, "policy.json: expected allowed_commands");
    command_path(path, command, "nowhere");
    ask(command, LISTS, "--config", path, NULL);
    assert_error(command, 3, "nowhere cannot be read: No such file or directory");
}

/* Whoever takes anything but 0 for a no is not misled by an error. */
IN_SCENE(without_an_answer_it_does_not_end_with_zero)
{
    struct command *command = *state;

    command->input = LISTS;
    command_line(command, "gate nobody");
    assert_error(command, 3, "there is no session 'nobody'");
    command->input = LISTS;
    command_line(command, "gate");
    assert_error(command, 2, "an argument is missing: xylem gate SESSION");
    ask(command, LISTS, "--at", "nothing", NULL);
    assert_error(command, 3, "nothing");
    command->input = LISTS;
    command_line(command, "gate s -s /nowhere");
    assert_exit(command, 3);
    assert_string_equal(command->out, "");
    assert_contains(command->err, "there is no store in /nowhere");
}
