#include <stdio.h>
#include <string.h>

#include "xylem/gate.h"
#include "tests/lib/test.h"

#define NOT_JUDGED "\"verdict\":null,\"rule\":null,\"why\":null,\"offending\":null}"

/* Asks, and gives whether the call is blocked; the reason must be this one (NULL: any). */
static bool blocks_call(bool readonly, const struct xylem_tool_call *call, const struct xylem_gate_options *options,
                        const char *reason)
{
    struct xylem_gate gate = {0};
    struct xylem_error err = {0};
    assert_int_equal(xylem_gate_ask(&gate, readonly, call, NULL, NULL, options, &err), 0);
    if (reason) {
        assert_string_equal(gate.reason.data, reason);
    }
    bool block = gate.block;
    assert_int_equal(block, gate.reason.bytes > 0);
    xylem_gate_release(&gate);
    return block;
}

static bool blocks(bool readonly, const char *tool, const char *input, const char *reason)
{
    struct xylem_tool_call call = {.name = xylem_view_of(tool), .input = xylem_view_of(input)};
    return blocks_call(readonly, &call, NULL, reason);
}

TEST(write_and_edit_are_blocked_in_the_words_of_the_design)
{
    static const char *const reason = "Readonly mode: write/edit disabled. Use /readonly to disable.";
    (void)state;
    assert_true(blocks(true, "write", "{\"path\":\"a\",\"content\":\"b\"}", reason));
    assert_true(blocks(true, "edit", "{\"path\":\"a\"}", reason));
    assert_true(blocks(true, "Write", "{}", reason));
    assert_true(blocks(true, "Edit", "{}", reason));
    assert_true(blocks(true, "write", "no JSON", reason));
}

TEST(a_destructive_command_is_blocked_and_named)
{
    assert_true(blocks(true, "bash", "{\"command\":\"rm -rf x\"}",
                       "Readonly mode: dangerous command blocked. Use /readonly to disable.\nCommand: rm -rf x\n"
                       "Reason: rm removes files"));
    assert_true(blocks(true, "bash", "{\"command\":\"ls | xargs rm\"}",
                       "Readonly mode: dangerous command blocked. Use /readonly to disable.\nCommand: ls | xargs rm\n"
                       "Reason: rm removes files\nAt: rm"));
    assert_true(blocks(true, "bash", "{\"command\":\"echo 'a\\nb' > f\"}",
                       "Readonly mode: dangerous command blocked. Use /readonly to disable.\nCommand: echo 'a\nb' > f\n"
                       "Reason: > f writes to a file\nAt: > f"));
    assert_true(blocks(true, "Bash", "{\"command\":\"git push\"}", NULL));
}

TEST(a_harmless_command_goes_on)
{
    assert_false(blocks(true, "bash", "{\"command\":\"ls -la | grep rm\"}", NULL));
    assert_false(blocks(true, "bash", "{\"command\":\"\"}", NULL));
    assert_false(blocks(true, "bash", "{\"command\":\"npm test\",\"timeout\":10}", NULL));
}

TEST(other_tools_go_on_whatever_their_input_is)
{
    assert_false(blocks(true, "read", "{\"path\":\"a\"}", NULL));
    assert_false(blocks(true, "ledger_add", "no JSON", NULL));
    assert_false(blocks(true, "bashful", "{\"command\":\"rm x\"}", NULL));
    assert_false(blocks(true, "rewrite", "{}", NULL));
    assert_false(blocks(true, "", "", NULL));
}

TEST(a_bash_call_that_cannot_be_read_is_blocked)
{
    static const char *const inputs[] = {"",
                                         "{",
                                         "[]",
                                         "\"rm\"",
                                         "{}",
                                         "{\"command\":1}",
                                         "{\"command\":null}",
                                         "{\"command\":[\"rm\"]}",
                                         "{\"cmd\":\"ls\"}",
                                         "{\"command\":\"ls\",\"command\":\"ls\"}",
                                         "null"};
    (void)state;
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        assert_true(blocks(true, "bash", inputs[i], NULL));
    }
    assert_true(blocks(true, "bash", "{}",
                       "Readonly mode: the tool call cannot be read, so it is blocked. Use /readonly to disable.\n"
                       "the tool call: 'command' is missing in 'input', or is not a string"));
}

TEST(other_tools_that_write_are_blocked_by_name)
{
    assert_true(blocks(true, "apply_patch", "{}", "Readonly mode: apply_patch disabled. Use /readonly to disable."));
    assert_true(blocks(true, "PowerShell", "{\"command\":\"ls\"}",
                       "Readonly mode: PowerShell disabled. Use /readonly to disable."));
    assert_false(blocks(true, "apply_patches", "{}", NULL));
    assert_false(blocks(true, "apply", "{}", NULL));
    assert_false(blocks(false, "apply_patch", "{}", NULL));
    assert_true(blocks(true, "MultiEdit", "{}", "Readonly mode: MultiEdit disabled. Use /readonly to disable."));
    assert_true(blocks(true, "NotebookEdit", "{}", NULL));
}

TEST(the_command_of_a_monitor_is_judged)
{
    assert_true(blocks(true, "Monitor", "{\"command\":\"rm x\"}",
                       "Readonly mode: dangerous command blocked. Use /readonly to disable.\nCommand: rm x\n"
                       "Reason: rm removes files"));
    assert_false(blocks(true, "Monitor", "{\"command\":\"tail -f log\"}", NULL));
    assert_true(blocks(true, "Monitor", "{\"ws\":\"ws://localhost\"}", NULL));
}

static const bool yes = true;
static const bool no = false;

TEST(a_destructive_annotation_blocks_and_a_name_counts_first)
{
    struct xylem_tool_call call = {.name = xylem_view_of("db_drop"), .input = xylem_view_of("{}"), .destructive = true};
    assert_true(blocks_call(true, &call, NULL, "Readonly mode: db_drop disabled. Use /readonly to disable."));
    assert_false(blocks_call(false, &call, NULL, NULL));
    call.read_only = &yes; /* both: the tool may destroy */
    assert_true(blocks_call(true, &call, NULL, NULL));
    call.name = xylem_view_of("read");
    assert_true(blocks_call(true, &call, NULL, NULL));
    call.name = xylem_view_of("bash"); /* the command is judged */
    call.input = xylem_view_of("{\"command\":\"ls\"}");
    assert_false(blocks_call(true, &call, NULL, NULL));
    call = (struct xylem_tool_call){.name = xylem_view_of("write"), .input = xylem_view_of("{}"), .read_only = &yes};
    assert_true(blocks_call(true, &call, NULL, NULL));
}

TEST(a_tool_that_declares_that_it_does_more_than_read_is_blocked)
{
    struct xylem_tool_call call = {.name = xylem_view_of("db_add"), .input = xylem_view_of("{}"), .read_only = &no};
    assert_true(blocks_call(true, &call, NULL, "Readonly mode: db_add disabled. Use /readonly to disable."));
    assert_false(blocks_call(false, &call, NULL, NULL));
    call.read_only = NULL; /* not declared */
    assert_false(blocks_call(true, &call, NULL, NULL));
    call.read_only = &yes;
    assert_false(blocks_call(true, &call, NULL, NULL));
    call.read_only = &no;
    call.name = xylem_view_of("read");
    assert_true(blocks_call(true, &call, NULL, NULL));
    call.name = xylem_view_of("bash"); /* a name counts first: the command is judged */
    call.input = xylem_view_of("{\"command\":\"ls\"}");
    assert_false(blocks_call(true, &call, NULL, NULL));
}

TEST(a_host_names_further_tools_that_write_and_that_run_commands)
{
    static const char *const writing[] = {"save_note", "Patch", "run", NULL};
    static const char *const shells[] = {"terminal", "run", NULL};
    const struct xylem_gate_options options = {.write_tools = writing, .shell_tools = shells};
    struct xylem_tool_call call = {.name = xylem_view_of("Save_Note"), .read_only = &yes};
    assert_true(blocks_call(true, &call, &options, "Readonly mode: Save_Note disabled. Use /readonly to disable."));
    assert_false(blocks_call(true, &call, NULL, NULL));
    assert_false(blocks_call(false, &call, &options, NULL));
    call.name = xylem_view_of("patch");
    assert_true(blocks_call(true, &call, &options, NULL));
    call.name = xylem_view_of("run"); /* in both lists */
    assert_true(blocks_call(true, &call, &options, "Readonly mode: run disabled. Use /readonly to disable."));
    call = (struct xylem_tool_call){.name = xylem_view_of("Terminal"), .input = xylem_view_of("{\"command\":\"ls\"}")};
    call.destructive = true;
    assert_false(blocks_call(true, &call, &options, NULL));
    call.input = xylem_view_of("{\"command\":\"rm x\"}");
    assert_true(blocks_call(true, &call, &options, NULL));
    call.input = xylem_view_of("{}");
    assert_true(blocks_call(true, &call, &options, NULL));
    call = (struct xylem_tool_call){.name = xylem_view_of("write")};
    assert_true(blocks_call(true, &call, &options, "Readonly mode: write/edit disabled. Use /readonly to disable."));
}

/* A `*` at the end of a name stands for any ending, also none. */
TEST(the_longest_name_that_fits_a_tool_counts)
{
    static const char *const writing[] = {"mcp__*", "mcp__files__read_once", "both*", "same", "a*z", NULL};
    static const char *const shells[] = {"mcp__ssh__*", "read", "both*", NULL};
    static const char *const reading[] = {"mcp__files__read*", "mcp__ssh__", "write", "same", "both_of", NULL};
    const struct xylem_gate_options options = {
        .write_tools = writing, .shell_tools = shells, .read_tools = reading, .block_others = true};
    static const struct {
        const char *name;
        const char *input;
        bool block;
    } cases[] = {
        {"mcp__", "{}", true},
        {"mcp__x", "{}", true},
        {"MCP__X", "{}", true},
        {"mcp_", "{}", true}, /* no name fits: an unknown tool */
        {"mcp__files__write", "{}", true},
        {"mcp__files__read", "{}", false},
        {"mcp__files__read_all", "{}", false},
        {"mcp__files__read_once", "{}", true},
        {"mcp__ssh__run", "{\"command\":\"ls\"}", false},
        {"mcp__ssh__run", "{\"command\":\"rm x\"}", true},
        {"mcp__ssh__", "{\"command\":\"rm x\"}", false}, /* the whole name before the beginning of the same length */
        {"read", "{\"command\":\"rm x\"}", true},        /* the host's name before the same built-in name */
        {"write", "{}", false},
        {"same", "{}", true}, /* in two lists: the severest */
        {"both", "{\"command\":\"ls\"}", true},
        {"both_of", "{}", false},
        {"a*z", "{}", true}, /* a `*` elsewhere is a letter */
        {"abz", "{}", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct xylem_tool_call call = {.name = xylem_view_of(cases[i].name), .input = xylem_view_of(cases[i].input)};
        if (blocks_call(true, &call, &options, NULL) != cases[i].block) {
            fail_msg("%s %s", cases[i].name, cases[i].input);
        }
    }
    static const char *const all[] = {"*", NULL};
    const struct xylem_gate_options everything = {.write_tools = all};
    struct xylem_tool_call call = {.name = xylem_view_of("anything")};
    assert_true(blocks_call(true, &call, &everything, NULL));
    call.name = xylem_view_of("grep"); /* a built-in name is longer */
    assert_false(blocks_call(true, &call, &everything, NULL));
    const struct xylem_gate_options one = {.write_tools = (const char *const[]){"a*z", NULL}};
    call.name = xylem_view_of("abz");
    assert_false(blocks_call(true, &call, &one, NULL));
}

TEST(unknown_tools_are_blocked_on_request_unless_they_only_read)
{
    static const char *const known[] = {"read", "grep", "find", "ls", "Read", "Glob", "look"};
    static const char *const reading[] = {"look", NULL};
    const struct xylem_gate_options options = {.read_tools = reading, .block_others = true};
    struct xylem_tool_call call = {.name = xylem_view_of("ledger_add")};
    assert_true(blocks_call(true, &call, &options, "Readonly mode: ledger_add disabled. Use /readonly to disable."));
    assert_false(blocks_call(true, &call, NULL, NULL));
    assert_false(blocks_call(false, &call, &options, NULL));
    call.read_only = &yes;
    assert_false(blocks_call(true, &call, &options, NULL));
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        call = (struct xylem_tool_call){.name = xylem_view_of(known[i])};
        assert_false(blocks_call(true, &call, &options, NULL));
    }
    call = (struct xylem_tool_call){.name = xylem_view_of("bash"), .input = xylem_view_of("{\"command\":\"ls\"}")};
    assert_false(blocks_call(true, &call, &options, NULL));
}

TEST(nothing_is_blocked_while_readonly_is_off)
{
    assert_false(blocks(false, "write", "{}", NULL));
    assert_false(blocks(false, "edit", "{}", NULL));
    assert_false(blocks(false, "bash", "{\"command\":\"rm -rf /\"}", NULL));
    assert_false(blocks(false, "bash", "no JSON", NULL));
}

TEST(the_policy_that_is_given_judges)
{
    struct xylem_policy_config config = {.type = XYLEM_POLICY_READONLY, .temp_writes = "/tmp/agent"};
    struct xylem_tool_call call = {
        .name = xylem_view_of("bash"), .input = xylem_view_of("{\"command\":\"echo a > /tmp/agent/b\"}"), .cwd = "/"};
    struct xylem_policy *policy = NULL;
    struct xylem_gate gate = {0};
    struct xylem_error err = {0};
    (void)state;
    assert_int_equal(xylem_policy_new(&policy, &config, &err), 0);
    assert_int_equal(xylem_gate_ask(&gate, true, &call, NULL, policy, NULL, &err), 0);
    assert_false(gate.block);
    assert_true(gate.judged);
    assert_int_equal(gate.verdict.decision, XYLEM_ALLOW);
    assert_int_equal(xylem_gate_ask(&gate, true, &call, NULL, NULL, NULL, &err), 0);
    assert_true(gate.block);
    assert_string_equal(gate.verdict.rule, "redirection");
    xylem_gate_release(&gate);
    xylem_policy_free(policy);
}

TEST(a_wrong_call_of_the_function_blocks)
{
    struct xylem_tool_call call = {.name = xylem_view_of("read"), .cwd = "relative"};
    struct xylem_gate gate = {0};
    struct xylem_error err = {0};
    (void)state;
    assert_int_equal(xylem_gate_ask(&gate, true, &call, NULL, NULL, NULL, &err), XYLEM_E_ARGUMENT);
    assert_true(gate.block);
    assert_non_null(strstr(err.text, "cwd: expected an absolute path, found 'relative'"));
    gate.block = false;
    assert_int_equal(xylem_gate_ask(&gate, true, NULL, NULL, NULL, NULL, &err), XYLEM_E_ARGUMENT);
    assert_true(gate.block);
    assert_int_equal(xylem_gate_ask(NULL, true, &call, NULL, NULL, NULL, NULL), XYLEM_E_ARGUMENT);
    xylem_gate_release(&gate);
    xylem_gate_release(NULL);
}

/* The answer to a call in JSON. */
static void answers(bool readonly, const char *call, const char *expected, enum xylem_decision expected_decision)
{
    struct xylem_buffer answer = {0};
    struct xylem_error err = {0};
    enum xylem_decision decision = XYLEM_ASK;
    assert_int_equal(xylem_gate_json(&answer, &decision, readonly, xylem_view_of(call), NULL, NULL, NULL, &err), 0);
    assert_string_equal(answer.data, expected);
    assert_int_equal(decision, expected_decision);
    xylem_buffer_release(&answer);
}

TEST(json_is_answered_by_json)
{
    answers(true, "{\"toolName\":\"write\",\"input\":{}}",
            "{\"schema\":1,\"block\":true,\"reason\":\"Readonly mode: write/edit disabled. Use /readonly to "
            "disable.\",\"readonly\":true,\"tool\":\"write\"," NOT_JUDGED,
            XYLEM_DENY);
    answers(true, "{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"},\"cwd\":\"/tmp\"}",
            "{\"schema\":1,\"block\":false,\"reason\":null,\"readonly\":true,\"tool\":\"Bash\",\"verdict\":\"allow\","
            "\"rule\":\"allowed\",\"why\":\"nothing in it is refused\",\"offending\":null}",
            XYLEM_ALLOW);
    answers(true, "{\"name\":\"bash\",\"input\":{\"command\":\"ls; rm x\"}}",
            "{\"schema\":1,\"block\":true,\"reason\":\"Readonly mode: dangerous command blocked. Use /readonly to "
            "disable.\\nCommand: ls; rm x\\nReason: rm removes files\\nAt: rm x\",\"readonly\":true,\"tool\":\"bash\","
            "\"verdict\":\"deny\",\"rule\":\"file-mutation\",\"why\":\"rm removes files\",\"offending\":\"rm x\"}",
            XYLEM_DENY);
    answers(false, "{\"name\":\"bash\",\"input\":{\"command\":\"rm x\"}}",
            "{\"schema\":1,\"block\":false,\"reason\":null,\"readonly\":false,\"tool\":\"bash\"," NOT_JUDGED,
            XYLEM_ALLOW);
}

TEST(annotations_in_json_count)
{
    static const struct {
        const char *annotations;
        bool blocks;
        bool blocks_others;
    } cases[] = {{"{\"destructiveHint\":true}", true, true},
                 {"{\"destructiveHint\":true,\"readOnlyHint\":true}", true, true},
                 {"{\"destructiveHint\":false}", false, true},
                 {"{\"readOnlyHint\":true,\"title\":\"x\"}", false, false},
                 {"{\"readOnlyHint\":false,\"destructiveHint\":null}", true, true},
                 {"{\"readOnlyHint\":false,\"destructiveHint\":false}", true, true},
                 {"{\"readOnlyHint\":null}", false, true},
                 {"{}", false, true},
                 {"null", false, true}};
    const struct xylem_gate_options others = {.block_others = true};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char call[256];
        struct xylem_buffer answer = {0};
        enum xylem_decision decision = XYLEM_ASK;
        snprintf(call, sizeof call, "{\"toolName\":\"x\",\"input\":{},\"annotations\":%s}", cases[i].annotations);
        assert_int_equal(xylem_gate_json(&answer, &decision, true, xylem_view_of(call), NULL, NULL, NULL, NULL), 0);
        assert_int_equal(decision, cases[i].blocks ? XYLEM_DENY : XYLEM_ALLOW);
        assert_int_equal(xylem_gate_json(&answer, &decision, true, xylem_view_of(call), NULL, NULL, &others, NULL), 0);
        assert_int_equal(decision, cases[i].blocks_others ? XYLEM_DENY : XYLEM_ALLOW);
        xylem_buffer_release(&answer);
    }
    answers(true, "{\"name\":\"x\",\"input\":{},\"annotations\":{\"destructiveHint\":true}}",
            "{\"schema\":1,\"block\":true,\"reason\":\"Readonly mode: x disabled. Use /readonly to "
            "disable.\",\"readonly\":true,\"tool\":\"x\"," NOT_JUDGED,
            XYLEM_DENY);
    answers(true, "{\"name\":\"apply_patch\"}",
            "{\"schema\":1,\"block\":true,\"reason\":\"Readonly mode: apply_patch disabled. Use /readonly to "
            "disable.\",\"readonly\":true,\"tool\":\"apply_patch\"," NOT_JUDGED,
            XYLEM_DENY);
}

TEST(a_bad_annotation_is_named)
{
    answers(
        true, "{\"name\":\"x\",\"input\":{},\"annotations\":{\"readOnlyHint\":1}}",
        "{\"schema\":1,\"block\":true,\"reason\":\"Readonly mode: the tool call cannot be read, so it is blocked. Use "
        "/readonly to disable.\\nthe tool call: 'readOnlyHint' is not a "
        "boolean\",\"readonly\":true,\"tool\":\"x\"," NOT_JUDGED,
        XYLEM_DENY);
    answers(
        true, "{\"name\":\"x\",\"input\":{},\"annotations\":{\"readOnlyHint\":true,\"readOnlyHint\":true}}",
        "{\"schema\":1,\"block\":true,\"reason\":\"Readonly mode: the tool call cannot be read, so it is blocked. Use "
        "/readonly to disable.\\nthe tool call: 'readOnlyHint' occurs twice in "
        "'annotations'\",\"readonly\":true,\"tool\":\"x\"," NOT_JUDGED,
        XYLEM_DENY);
}

TEST(a_policy_that_asks_blocks_until_somebody_has_answered)
{
    struct xylem_policy_config config = {.type = XYLEM_POLICY_CONFIRM};
    struct xylem_policy *policy = NULL;
    struct xylem_buffer answer = {0};
    enum xylem_decision decision = XYLEM_DENY;
    (void)state;
    assert_int_equal(xylem_policy_new(&policy, &config, NULL), 0);
    assert_int_equal(xylem_gate_json(&answer, &decision, true,
                                     xylem_view_of("{\"name\":\"bash\",\"input\":{\"command\":\"ls; sudo x\"}}"), NULL,
                                     policy, NULL, NULL),
                     0);
    assert_int_equal(decision, XYLEM_ASK);
    assert_non_null(strstr(answer.data, "\"block\":true,"));
    assert_non_null(strstr(answer.data, "\"verdict\":\"ask\",\"rule\":\"sudo\","));
    assert_non_null(strstr(answer.data, "\"offending\":\"sudo"));
    xylem_buffer_release(&answer);
    xylem_policy_free(policy);
}

TEST(a_json_call_of_another_shape_is_blocked_while_readonly_is_on)
{
    static const char *const calls[] = {
        "",
        "[]",
        "{\"input\":{}}",
        "{\"toolName\":7,\"input\":{}}",
        "{\"toolName\":\"bash\",\"input\":\"ls\"}",
        "{\"toolName\":\"read\"}",
        "{\"toolName\":\"read\",\"toolName\":\"read\",\"input\":{}}",
        "{\"toolName\":\"read\",\"tool_name\":\"write\",\"input\":{}}",
        "{\"toolName\":\"read\",\"input\":{},\"tool_input\":{}}",
        "{\"toolName\":\"bash\",\"input\":{\"command\":\"ls\"},\"cwd\":\"tmp\"}",
        "{\"toolName\":\"bash\",\"input\":{\"command\":\"ls\"},\"cwd\":3}",
        "{\"toolName\":\"read\",\"input\":{},\"annotations\":[]}",
        "{\"toolName\":\"read\",\"input\":{},\"annotations\":{\"readOnlyHint\":1}}",
        "{\"toolName\":\"read\",\"input\":{},\"annotations\":{\"destructiveHint\":\"no\"}}",
        "{\"toolName\":\"read\",\"input\":{},\"annotations\":{\"readOnlyHint\":true,\"readOnlyHint\":true}}",
        "{\"toolName\":\"read\",\"input\":{},\"annotations\":{},\"annotations\":{}}",
        "{\"toolName\":\"bash\",\"input\":{\"command\":\"ls\"},\"cwd\":\"/\",\"cwd\":\"/\"}"};
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct xylem_buffer answer = {0};
        enum xylem_decision decision = XYLEM_ALLOW;
        assert_int_equal(xylem_gate_json(&answer, &decision, true, xylem_view_of(calls[i]), NULL, NULL, NULL, NULL), 0);
        assert_int_equal(decision, XYLEM_DENY);
        assert_non_null(strstr(answer.data, "cannot be read"));
        assert_int_equal(xylem_gate_json(&answer, &decision, false, xylem_view_of(calls[i]), NULL, NULL, NULL, NULL),
                         0);
        assert_int_equal(decision, XYLEM_ALLOW);
        xylem_buffer_release(&answer);
    }
}

TEST(a_child_gets_no_tool_that_writes)
{
    const char *names[] = {"read", "write", "bash", "edit", "ledger_get"};
    (void)state;
    assert_int_equal(xylem_gate_child_tools(false, names, 5, NULL), 5);
    assert_int_equal(xylem_gate_child_tools(true, names, 5, NULL), 3);
    assert_string_equal(names[0], "read");
    assert_string_equal(names[1], "bash");
    assert_string_equal(names[2], "ledger_get");
    assert_int_equal(xylem_gate_child_tools(true, NULL, 3, NULL), 0);
}

TEST(the_options_of_the_gate_hold_for_a_child_too)
{
    static const char *const writing[] = {"save_note", NULL};
    static const char *const shells[] = {"terminal", NULL};
    const char *names[] = {"apply_patch", "read", "save_note", "terminal", "powershell", "ledger_get"};
    struct xylem_gate_options options = {.write_tools = writing, .shell_tools = shells};
    assert_int_equal(xylem_gate_child_tools(false, names, 6, &options), 6);
    assert_int_equal(xylem_gate_child_tools(true, names, 6, &options), 3);
    assert_string_equal(names[1], "terminal");
    assert_string_equal(names[2], "ledger_get");
    options.block_others = true;
    assert_int_equal(xylem_gate_child_tools(true, names, 3, &options), 2);
    assert_string_equal(names[0], "read");
    assert_string_equal(names[1], "terminal");
}

TEST(the_texts_are_those_of_the_design)
{
    (void)state;
    assert_string_equal(
        xylem_gate_child_notice(true),
        "\n\nReadonly restrictions apply in this child. Do not attempt mutating or destructive bash operations.\n");
    assert_string_equal(xylem_gate_child_notice(false), "");
    assert_string_equal(xylem_gate_badge(true), "🔒 readonly");
    assert_string_equal(xylem_gate_badge(false), "");
    assert_null(xylem_gate_nudge(false, true));
    assert_string_equal(xylem_gate_nudge(true, true),
                        "Readonly mode is active. Do not call write or edit. Destructive bash operations will be "
                        "blocked. Use /readonly to disable.");
    assert_string_equal(xylem_gate_nudge(true, false),
                        "Readonly mode has been turned off. You may now use write, edit, and bash freely.");
}

/* The answer of a host that guards files, to a call in JSON: its end. */
static void assert_file_answer(const struct xylem_gate_file *file, bool readonly, const char *call,
                               const char *expected)
{
    struct xylem_buffer answer = {0};
    enum xylem_decision decision;
    assert_int_equal(xylem_gate_json(&answer, &decision, readonly, xylem_view_of(call), file, NULL, NULL, NULL), 0);
    assert_int_equal(decision, strstr(answer.data, "\"block\":true") ? XYLEM_DENY : XYLEM_ALLOW);
    if (!strstr(answer.data, expected)) {
        fail_msg("%s: expected %s, found %s", call, expected, answer.data);
    }
    xylem_buffer_release(&answer);
}

#define EDITS "{\"toolName\":\"EDIT\",\"input\":{\"path\":\"f\"}}"

TEST(the_verdict_on_the_file_decides_an_edit_and_a_write)
{
    struct xylem_gate_file file = {.reason = xylem_view_of("f changed."), .verdict = "changed"};
    assert_file_answer(&file, false, EDITS,
                       "{\"schema\":1,\"block\":true,\"reason\":\"f changed.\",\"readonly\":false,\"tool\":\"EDIT\","
                       "\"verdict\":null,\"rule\":null,\"why\":null,\"offending\":null,\"reads_verdict\":\"changed\"}");
    assert_file_answer(&file, false, "{\"toolName\":\"write\"}", "\"reason\":\"f changed.\"");
    assert_file_answer(&file, false, "{\"toolName\":\"read\",\"input\":{}}", "\"reads_verdict\":null");
    assert_file_answer(&file, false, "{\"toolName\":\"apply_patch\",\"input\":{}}", "\"block\":false");
    assert_file_answer(&file, false, "{\"toolName\":\"bash\",\"input\":1}", "\"block\":false");
    file = (struct xylem_gate_file){.pass = true, .verdict = "pass"};
    assert_file_answer(&file, false, EDITS, "\"block\":false");
    assert_file_answer(&file, false, EDITS, "\"reads_verdict\":\"pass\"");
}

TEST(readonly_blocks_before_the_verdict_on_the_file)
{
    const struct xylem_gate_file file = {.pass = true, .verdict = "pass"};
    assert_file_answer(&file, true, EDITS, "Readonly mode: write/edit disabled.");
    assert_file_answer(&file, true, EDITS, "\"reads_verdict\":null");
}

TEST(without_a_verdict_on_the_file_an_edit_is_blocked)
{
    const struct xylem_gate_file file = {.pass = false};
    assert_file_answer(&file, false, EDITS, "\"reason\":\"Blocked: nobody looked at the file of the tool call.\"");
    assert_file_answer(&file, false, EDITS, "\"reads_verdict\":null");
    assert_file_answer(&file, false, "no json", "\"reason\":\"Blocked: the tool call cannot be read.\\n");
}

TEST(a_host_reads_the_name_and_the_input_of_a_call)
{
    struct xylem_gate_call call = {.read_only = false};
    static const char json[] = "{\"name\":\"\\u0065dit\",\"input\":{\"path\":\"f\"},\"cwd\":\"/a\","
                               "\"annotations\":{\"readOnlyHint\":true}}";
    assert_int_equal(xylem_gate_call_read(&call, xylem_view_of(json), NULL), 0);
    assert_int_equal(call.tool.name.bytes, 4);
    assert_memory_equal(call.tool.name.data, "edit", 4);
    assert_int_equal(call.tool.input.bytes, strlen("{\"path\":\"f\"}"));
    assert_memory_equal(call.tool.input.data, "{\"path\":\"f\"}", call.tool.input.bytes);
    assert_string_equal(call.tool.cwd, "/a");
    assert_true(call.tool.read_only && *call.tool.read_only && !call.tool.destructive);
    assert_int_equal(xylem_gate_call_read(&call, xylem_view_of("{\"name\":\"write\",\"input\":1}"), NULL),
                     XYLEM_E_MALFORMED);
    assert_memory_equal(call.tool.name.data, "write", 5);
    assert_true(!call.tool.input.data && !call.tool.cwd && !call.tool.read_only);
    assert_int_equal(xylem_gate_call_read(&call, xylem_view_of("{\"name\":1}"), NULL), XYLEM_E_MALFORMED);
    assert_null(call.tool.name.data);
    xylem_gate_call_release(&call);
    xylem_gate_call_release(NULL);
}
