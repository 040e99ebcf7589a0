/* What hosts are told: the hook of Claude Code, and one answer a line. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "xylem/gate.h"
#include "tests/lib/test.h"

#define PERMISSION                                                                                           \
    "{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":{\"behavior\":\"allow\"}" \
    "}}"

static struct xylem_policy *policy;

static int set_up(void **state)
{
    (void)state;
    return xylem_policy_new_json(&policy, XYLEM_POLICY_STRICT, (struct xylem_view){NULL, 0}, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    xylem_policy_free(policy);
    return 0;
}

/* Runs the hook; `expected` is all that is said, NULL: nothing is; `why` a part of the reason for the log. */
static void assert_says_as(struct xylem_hook_options options, struct xylem_view input, const char *expected,
                           const char *why)
{
    struct xylem_buffer output = {0};
    struct xylem_buffer reason = {0};
    struct xylem_error err = {0};
    options.why = &reason;
    assert_int_equal(xylem_buffer_add(&output, "before", 6), 0);
    int code = xylem_policy_hook(&output, policy, input, &options, &err);
    if (code != (expected != NULL) || strcmp(output.data + 6, expected ? expected : "") != 0 || !reason.data ||
        !strstr(reason.data, why)) {
        print_message("%.*s: %d, %s (%s)\n", (int)(input.bytes > 200 ? 200 : input.bytes), input.data, code,
                      output.data, reason.data);
    }
    assert_int_equal(code, expected != NULL);
    assert_string_equal(output.data + 6, expected ? expected : "");
    assert_non_null(reason.data);
    assert_non_null(strstr(reason.data, why));
    xylem_buffer_release(&output);
    xylem_buffer_release(&reason);
}

static void assert_says(const char *input, const char *expected)
{
    assert_says_as((struct xylem_hook_options){0}, xylem_view_of(input), expected, "");
}

static void assert_silent(const char *input, const char *why)
{
    assert_says_as((struct xylem_hook_options){0}, xylem_view_of(input), NULL, why);
}

/* The input of an event for a command that is spelt as JSON. */
static const char *request(const char *event, const char *command, const char *cwd)
{
    static char text[4096];
    snprintf(text, sizeof text,
             "{\"session_id\":\"abc\",\"transcript_path\":\"/x.jsonl\",\"cwd\":%s,\"permission_mode\":\"default\","
             "\"hook_event_name\":\"%s\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":%s,"
             "\"description\":\"List\"}}",
             cwd, event, command);
    return text;
}

TEST(a_permission_request_is_approved_in_the_documented_form)
{
    assert_says(request("PermissionRequest", "\"ls -la\"", "\"/\""), PERMISSION);
}

TEST(a_tool_use_is_approved_in_its_own_form)
{
    struct xylem_hook_options seed = {.protocol = XYLEM_HOOK_SEED};
    static const char expected[] = "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":"
                                   "\"allow\",\"permissionDecisionReason\":\"nothing in it is refused\"}}";
    (void)state;
    assert_says(request("PreToolUse", "\"ls\"", "\"/\""), expected);
    assert_says_as(seed, xylem_view_of(request("PreToolUse", "\"ls\"", "\"/\"")), expected, "");
}

TEST(the_other_protocol_has_a_form_of_its_own)
{
    struct xylem_hook_options seed = {.protocol = XYLEM_HOOK_SEED};
    (void)state;
    assert_says_as(seed, xylem_view_of(request("PermissionRequest", "\"ls\"", "\"/\"")),
                   "{\"decision\":\"approve\",\"reason\":\"nothing in it is refused\"}", "allowed");
    assert_says_as(seed, xylem_view_of(request("PermissionRequest", "\"rm x\"", "\"/\"")), NULL, "rm");
}

TEST(what_the_policy_does_not_allow_gets_no_answer)
{
    assert_silent(request("PermissionRequest", "\"rm x\"", "\"/\""), "rm");
    assert_silent(request("PermissionRequest", "\"ls; rm x\"", "\"/\""), "rm");
    assert_silent(request("PermissionRequest", "\"ls\\nrm x\"", "\"/\""), "rm");
    assert_silent(request("PermissionRequest", "\"ls\\u003brm x\"", "\"/\""), "rm");
    assert_silent(request("PreToolUse", "\"rm x\"", "\"/\""), "rm");
}

/* Asks the hook that enforces a policy of this type: its code, and what it says. */
static int enforce(enum xylem_policy_type type, const char *input, struct xylem_hook_options options, char *said)
{
    struct xylem_policy *enforced = NULL;
    struct xylem_buffer output = {0};
    struct xylem_error err = {0};
    options.enforce = true;
    assert_int_equal(xylem_policy_new_json(&enforced, type, (struct xylem_view){NULL, 0}, NULL), 0);
    int code = xylem_policy_hook(&output, enforced, xylem_view_of(input), &options, &err);
    assert_int_equal(code == 1, output.bytes > 0);
    snprintf(said, 1024, "%s", code < 0 ? err.text : output.data == NULL ? "" : output.data);
    xylem_buffer_release(&output);
    xylem_policy_free(enforced);
    return code;
}

#define BEFORE "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":"

TEST(a_policy_that_is_enforced_refuses_in_the_form_of_the_event)
{
    static const struct {
        enum xylem_policy_type type;
        enum xylem_hook_protocol protocol;
        const char *event;
        const char *command;
        const char *expected; /* NULL: nothing is said */
    } cases[] = {
        {XYLEM_POLICY_READONLY, 0, "PreToolUse", "\"ls; rm x\"",
         BEFORE "\"deny\",\"permissionDecisionReason\":\"rm removes files: rm x\"}}"},
        {XYLEM_POLICY_READONLY, XYLEM_HOOK_SEED, "PreToolUse", "\"rm \\\"x\\\"\"",
         BEFORE "\"deny\",\"permissionDecisionReason\":\"rm removes files: rm \\\"x\\\"\"}}"},
        {XYLEM_POLICY_READONLY, 0, "PermissionRequest", "\"rm x\"",
         "{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":{\"behavior\":\"deny\","
         "\"message\":\"rm removes files: rm x\"}}}"},
        {XYLEM_POLICY_READONLY, XYLEM_HOOK_SEED, "PermissionRequest", "\"rm x\"",
         "{\"decision\":\"block\",\"reason\":\"rm removes files: rm x\"}"},
        {XYLEM_POLICY_READONLY, 0, "PreToolUse", "\"make test\"", NULL},
        {XYLEM_POLICY_READONLY, 0, "PermissionRequest", "\"ls\"", NULL},
        {XYLEM_POLICY_CONFIRM, 0, "PreToolUse", "\"ls; sudo x\"",
         BEFORE "\"ask\",\"permissionDecisionReason\":\"sudo runs with another user's rights: sudo x\"}}"},
        {XYLEM_POLICY_CONFIRM, 0, "PermissionRequest", "\"sudo x\"", NULL},
        {XYLEM_POLICY_CONFIRM, 0, "PreToolUse", "\"touch x\"", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char said[1024];
        struct xylem_hook_options options = {.protocol = cases[i].protocol};
        int code = enforce(cases[i].type, request(cases[i].event, cases[i].command, "\"/\""), options, said);
        assert_string_equal(said, !cases[i].expected ? "" : cases[i].expected);
        assert_int_equal(code, cases[i].expected != NULL);
    }
}

/* A question before any tool; the input is spelt as JSON. */
static const char *tool_use(const char *event, const char *tool, const char *tool_input)
{
    static char text[4096];
    snprintf(text, sizeof text, "{\"cwd\":\"/\",\"hook_event_name\":\"%s\",\"tool_name\":\"%s\",\"tool_input\":%s}",
             event, tool, tool_input);
    return text;
}

#define DENY BEFORE "\"deny\",\"permissionDecisionReason\":"
#define ASK BEFORE "\"ask\",\"permissionDecisionReason\":"

TEST(a_tool_is_refused_by_what_it_does)
{
    static const struct {
        const char *tool;
        const char *input;
        const char *readonly; /* NULL: nothing is said */
        const char *confirm;
    } cases[] = {
        {"Write", "{\"file_path\":\"/a\",\"content\":\"b\"}",
         DENY "\"the policy is readonly, and the tool Write writes\"}}", NULL},
        {"Edit", "{}", DENY "\"the policy is readonly, and the tool Edit writes\"}}", NULL},
        {"MultiEdit", "{}", DENY "\"the policy is readonly, and the tool MultiEdit writes\"}}", NULL},
        {"NotebookEdit", "{}", DENY "\"the policy is readonly, and the tool NotebookEdit writes\"}}", NULL},
        {"apply_patch", "[]", DENY "\"the policy is readonly, and the tool apply_patch writes\"}}", NULL},
        {"Monitor", "{\"command\":\"sudo x\"}", DENY "\"sudo runs with another user's rights: sudo x\"}}",
         ASK "\"sudo runs with another user's rights: sudo x\"}}"},
        {"Monitor", "{\"command\":\"tail -f log\"}", NULL, NULL},
        {"PowerShell", "{\"command\":\"ls\"}",
         DENY "\"the policy is readonly, and the tool PowerShell runs a shell other than bash\"}}",
         ASK "\"the policy is confirm, and the tool PowerShell runs a shell other than bash\"}}"},
        {"PowerShell", "{}", DENY "\"the policy is readonly, and the tool PowerShell runs a shell other than bash\"}}",
         ASK "\"the policy is confirm, and the tool PowerShell runs a shell other than bash\"}}"},
        {"Read", "{\"command\":\"sudo x\"}", NULL, NULL},
        {"Agent", "{}", NULL, NULL},
        {"mcp__files__write", "{\"command\":\"sudo x\"}", NULL, NULL},
        {"Bashful", "{\"command\":\"sudo x\"}", NULL, NULL},
    };
    const struct xylem_hook_options none = {.enforce = true};
    char said[1024];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *asked = tool_use("PreToolUse", cases[i].tool, cases[i].input);
        assert_int_equal(enforce(XYLEM_POLICY_READONLY, asked, none, said), cases[i].readonly != NULL);
        assert_string_equal(said, cases[i].readonly ? cases[i].readonly : "");
        assert_int_equal(enforce(XYLEM_POLICY_CONFIRM, asked, none, said), cases[i].confirm != NULL);
        assert_string_equal(said, cases[i].confirm ? cases[i].confirm : "");
        assert_silent(asked, "the tool is not Bash");
    }
    assert_int_equal(enforce(XYLEM_POLICY_READONLY, tool_use("PermissionRequest", "Write", "{}"), none, said), 1);
    assert_string_equal(said,
                        "{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":{\"behavior\":"
                        "\"deny\",\"message\":\"the policy is readonly, and the tool Write writes\"}}}");
    /* the user is asked already */
    assert_int_equal(enforce(XYLEM_POLICY_CONFIRM, tool_use("PermissionRequest", "PowerShell", "{}"), none, said), 0);
    assert_int_equal(enforce(XYLEM_POLICY_STRICT, tool_use("PreToolUse", "Write", "{}"), none, said), 1);
    assert_string_equal(said, ASK "\"the policy is strict, and the tool Write writes\"}}");
}

TEST(a_host_says_what_further_tools_do)
{
    static const char *const writing[] = {"mcp__*", NULL};
    static const char *const shells[] = {"mcp__ssh__*", NULL};
    static const char *const reading[] = {"mcp__github__get*", "Write", NULL};
    const struct xylem_gate_options tools = {.write_tools = writing, .shell_tools = shells, .read_tools = reading};
    const struct xylem_hook_options options = {.tools = &tools};
    char said[1024];
    (void)state;
    assert_int_equal(enforce(XYLEM_POLICY_READONLY, tool_use("PreToolUse", "mcp__github__create", "{}"), options, said),
                     1);
    assert_string_equal(said, DENY "\"the policy is readonly, and the tool mcp__github__create writes\"}}");
    assert_int_equal(
        enforce(XYLEM_POLICY_READONLY, tool_use("PreToolUse", "mcp__github__get_issue", "{}"), options, said), 0);
    assert_int_equal(enforce(XYLEM_POLICY_READONLY, tool_use("PreToolUse", "Write", "{}"), options, said), 0);
    assert_int_equal(enforce(XYLEM_POLICY_CONFIRM, tool_use("PreToolUse", "mcp__ssh__run", "{\"command\":\"sudo x\"}"),
                             options, said),
                     1);
    assert_string_equal(said, ASK "\"sudo runs with another user's rights: sudo x\"}}");
    /* a tool that runs commands, without a command: nobody can judge */
    assert_int_equal(
        enforce(XYLEM_POLICY_CONFIRM, tool_use("PreToolUse", "mcp__ssh__run", "{\"cmd\":\"x\"}"), options, said),
        XYLEM_E_MALFORMED);
    assert_string_equal(said, "the input cannot be judged: command: expected a string");
    assert_int_equal(enforce(XYLEM_POLICY_READONLY, tool_use("PreToolUse", "Monitor", "{\"ws\":\"ws://x\"}"),
                             (struct xylem_hook_options){0}, said),
                     XYLEM_E_MALFORMED);
    /* without a policy to enforce Bash alone is approved */
    assert_says_as(options, xylem_view_of(tool_use("PreToolUse", "mcp__ssh__run", "{\"command\":\"ls\"}")), NULL,
                   "the tool is not Bash");
}

/* What the hook would write into a log, of a policy of this type. */
static void assert_logged(enum xylem_policy_type type, bool enforce, const char *asked, const char *expected)
{
    struct xylem_policy *made = NULL;
    struct xylem_buffer output = {0};
    struct xylem_buffer log = {0};
    struct xylem_hook_options options = {.enforce = enforce, .log = &log, .now_ms = 1795204355003};
    assert_int_equal(xylem_policy_new_json(&made, type, (struct xylem_view){NULL, 0}, NULL), 0);
    assert_true(xylem_policy_hook(&output, made, xylem_view_of(asked), &options, NULL) >= 0);
    assert_string_equal(log.data ? log.data : "", expected);
    xylem_buffer_release(&output);
    xylem_buffer_release(&log);
    xylem_policy_free(made);
}

#define LOGGED "{\"time\":\"2026-11-20T19:52:35.003Z\","

TEST(what_a_policy_asks_about_or_denies_is_for_the_log)
{
    (void)state;
    assert_logged(XYLEM_POLICY_STRICT, false, request("PermissionRequest", "\"ls; touch \\\"a\\\"\"", "\"/src\""),
                  LOGGED
                  "\"policy\":\"strict\",\"command\":\"ls; touch \\\"a\\\"\",\"cwd\":\"/src\",\"decision\":\"ask\","
                  "\"rule\":\"program\",\"reason\":\"touch is not among the commands that strict allows: a rule of "
                  "yours can allow it\"}\n");
    assert_logged(XYLEM_POLICY_READONLY, true, request("PreToolUse", "\"rm x\"", "null"),
                  LOGGED "\"policy\":\"readonly\",\"command\":\"rm x\",\"cwd\":null,\"decision\":\"deny\","
                         "\"rule\":\"file-mutation\",\"reason\":\"rm removes files\"}\n");
    assert_logged(XYLEM_POLICY_CONFIRM, true, request("PermissionRequest", "\"sudo x\"", "\"/\""),
                  LOGGED "\"policy\":\"confirm\",\"command\":\"sudo x\",\"cwd\":\"/\",\"decision\":\"ask\","
                         "\"rule\":\"sudo\",\"reason\":\"sudo runs with another user's rights\"}\n");
    assert_logged(XYLEM_POLICY_READONLY, true, tool_use("PreToolUse", "Write", "{}"),
                  LOGGED
                  "\"policy\":\"readonly\",\"command\":null,\"cwd\":\"/\",\"decision\":\"deny\",\"rule\":\"tool\","
                  "\"reason\":\"the policy is readonly, and the tool Write writes\"}\n");
    /* strict allows the command, and the hook does not: the repository is not known */
    assert_logged(XYLEM_POLICY_STRICT, false, request("PermissionRequest", "\"git status\"", "null"),
                  LOGGED "\"policy\":\"strict\",\"command\":\"git status\",\"cwd\":null,\"decision\":\"ask\","
                         "\"rule\":\"repository\",\"reason\":\"git would run in ., a directory that is not known: "
                         "expected an absolute path\"}\n");
}

TEST(what_goes_on_is_not_for_the_log)
{
    (void)state;
    assert_logged(XYLEM_POLICY_STRICT, false, request("PermissionRequest", "\"ls\"", "\"/\""), "");
    assert_logged(XYLEM_POLICY_STRICT, false, tool_use("PermissionRequest", "Write", "{}"), "");
    assert_logged(XYLEM_POLICY_STRICT, false, "{", "");
    assert_logged(XYLEM_POLICY_READONLY, true, request("PreToolUse", "\"git status\"", "null"), "");
    assert_logged(XYLEM_POLICY_READONLY, true, tool_use("PreToolUse", "Read", "{}"), "");
    assert_logged(XYLEM_POLICY_CONFIRM, true, tool_use("PreToolUse", "Write", "{}"), "");
}

/* A command that is longer than the model wants to read again is not repeated. */
TEST(a_long_offending_text_is_left_out_of_a_refusal)
{
    char command[600];
    char said[1024];
    (void)state;
    snprintf(command, sizeof command, "\"rm %0400d\"", 7);
    assert_int_equal(
        enforce(XYLEM_POLICY_READONLY, request("PreToolUse", command, "\"/\""), (struct xylem_hook_options){0}, said),
        1);
    assert_string_equal(said, BEFORE "\"deny\",\"permissionDecisionReason\":\"rm removes files\"}}");
}

TEST(what_cannot_be_judged_is_an_error_where_a_policy_is_enforced)
{
    static const char *const broken[] = {
        "",
        "{",
        "[]",
        "{}",
        "{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm x\"}}",
        "{\"hook_event_name\":1,\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm x\"}}",
        "{\"hook_event_name\":\"PreToolUse\",\"tool_input\":{\"command\":\"rm x\"}}",
        "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":[\"Bash\"],\"tool_input\":{\"command\":\"rm x\"}}",
        "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{}}",
        "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":[\"ls\"]}}",
        "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_name\":\"Bash\","
        "\"tool_input\":{\"command\":\"ls\"}}",
    };
    static const char *const others[] = {
        "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Read\",\"tool_input\":{}}",
        "{\"hook_event_name\":\"Stop\"}",
    };
    static const char unboxed[] = "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{"
                                  "\"command\":\"rm x\",\"dangerouslyDisableSandbox\":true}}";
    char said[1024];
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        int code = enforce(XYLEM_POLICY_READONLY, broken[i], (struct xylem_hook_options){0}, said);
        assert_int_equal(code, XYLEM_E_MALFORMED);
        assert_non_null(strstr(said, "the input cannot be judged: "));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(enforce(XYLEM_POLICY_READONLY, others[i], (struct xylem_hook_options){0}, said), 0);
    }
    assert_int_equal(enforce(XYLEM_POLICY_READONLY, unboxed, (struct xylem_hook_options){0}, said), 1);
}

TEST(another_event_gets_no_answer)
{
    static const char *const events[] = {"PostToolUse", "permissionrequest", "PermissionRequest ", "",
                                         "Stop",        "PreToolUse\\u0000", "PermissionDenied"};
    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        assert_silent(request(events[i], "\"ls\"", "\"/\""), "event");
    }
    assert_silent("{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}", "event");
    assert_silent("{\"hook_event_name\":[\"PreToolUse\"],\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}",
                  "event");
}

TEST(another_tool_gets_no_answer)
{
    static const char *const tools[] = {"\"Write\"", "\"bash\"", "\"BashOutput\"", "\"\"", "null", "[\"Bash\"]", "1"};
    char input[256];
    (void)state;
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        snprintf(input, sizeof input,
                 "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":%s,\"tool_input\":{\"command\":\"ls\"}}", tools[i]);
        assert_silent(input, "tool");
    }
    assert_silent("{\"hook_event_name\":\"PreToolUse\",\"tool_input\":{\"command\":\"ls\"}}", "tool");
}

TEST(a_command_that_is_no_string_gets_no_answer)
{
    static const char *const commands[] = {"null", "1", "true", "[\"ls\"]", "{\"command\":\"ls\"}"};
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        assert_silent(request("PermissionRequest", commands[i], "\"/\""), "command");
    }
    assert_silent("{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{}}", "command");
    assert_silent("{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":\"ls\"}", "command");
    assert_silent("{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"command\":\"ls\"}", "command");
    assert_silent("{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":[\"command\",\"ls\"]}",
                  "command");
}

TEST(broken_input_gets_no_answer)
{
    static const char nul[] = "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":"
                              "{\"command\":\"ls\"}}\0";
    char *long_text = calloc(1, XYLEM_HOOK_BYTES_MAX + 1);
    const char *whole = request("PermissionRequest", "\"ls\"", "\"/\"");
    (void)state;
    assert_non_null(long_text);
    assert_silent("", "JSON");
    assert_silent("null", "object");
    assert_silent("[]", "object");
    assert_silent("ls", "JSON");
    assert_silent(request("PermissionRequest", "\"l\xffs\"", "\"/\""), "UTF-8");
    assert_says_as((struct xylem_hook_options){0}, (struct xylem_view){nul, sizeof nul}, NULL, "JSON");
    assert_says_as((struct xylem_hook_options){0}, (struct xylem_view){nul, sizeof nul - 3}, NULL, "JSON");
    whole = request("PermissionRequest", "\"ls\"", "\"/\"");
    memset(long_text, ' ', XYLEM_HOOK_BYTES_MAX + 1);
    memcpy(long_text, whole, strlen(whole));
    assert_says_as((struct xylem_hook_options){0}, (struct xylem_view){long_text, XYLEM_HOOK_BYTES_MAX}, PERMISSION,
                   "");
    assert_says_as((struct xylem_hook_options){0}, (struct xylem_view){long_text, XYLEM_HOOK_BYTES_MAX + 1}, NULL,
                   "longer than");
    free(long_text);
}

TEST(a_member_that_stands_there_twice_gets_no_answer)
{
    assert_silent(request("PermissionRequest", "\"ls\",\"command\":\"ls\"", "\"/\""), "twice");
    assert_silent(request("PermissionRequest\",\"hook_event_name\":\"PreToolUse", "\"ls\"", "\"/\""), "twice");
    assert_silent(request("PermissionRequest\",\"tool_name\":\"Write", "\"ls\"", "\"/\""), "twice");
    assert_silent(request("PermissionRequest", "\"ls\"", "\"/\",\"cwd\":\"/\""), "twice");
    assert_silent(request("PermissionRequest", "\"ls\"", "\"/\",\"tool_input\":{\"command\":\"ls\"}"), "twice");
    assert_says(request("PermissionRequest", "\"ls\",\"timeout\":1,\"timeout\":2", "\"/\""), PERMISSION);
}

TEST(a_command_outside_of_the_sandbox_gets_no_answer)
{
    assert_silent(request("PermissionRequest", "\"ls\",\"dangerouslyDisableSandbox\":true", "\"/\""), "sandbox");
    assert_silent(request("PermissionRequest", "\"ls\",\"dangerouslyDisableSandbox\":\"\"", "\"/\""), "sandbox");
    assert_says(request("PermissionRequest", "\"ls\",\"dangerouslyDisableSandbox\":false", "\"/\""), PERMISSION);
    assert_says(request("PermissionRequest", "\"ls\",\"dangerouslyDisableSandbox\":null", "\"/\""), PERMISSION);
}

static void make_repository(char root[128], const char *config)
{
    static const char *const directories[] = {"/.git", "/.git/objects", "/.git/refs", "/src"};
    char path[256];
    test_directory_make(root, 128, "hook");
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++) {
        snprintf(path, sizeof path, "%s%s", root, directories[i]);
        assert_int_equal(mkdir(path, 0755), 0);
    }
    snprintf(path, sizeof path, "%s/.git/HEAD", root);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("ref: refs/heads/main\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    snprintf(path, sizeof path, "%s/.git/config", root);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(config, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

TEST(git_is_approved_where_the_repository_runs_no_programs)
{
    struct xylem_hook_options led = {.git_is_led = true};
    char root[128];
    char cwd[160];
    (void)state;
    make_repository(root, "[core]\n\tbare = false\n");
    snprintf(cwd, sizeof cwd, "\"%s/src\"", root);
    assert_says(request("PermissionRequest", "\"git status\"", cwd), PERMISSION);
    assert_silent(request("PermissionRequest", "\"git status\"", "null"), "not known");
    assert_silent(request("PermissionRequest", "\"git status\"", "\"src\""), "not known");
    assert_silent(request("PermissionRequest", "\"git status\"", "\"/\\u0000\""), "not known");
    assert_silent(request("PermissionRequest", "\"git status\"", "\"/nowhere/at/all\""), "/nowhere/at/all ");
    assert_says_as(led, xylem_view_of(request("PermissionRequest", "\"git status\"", cwd)), NULL, "environment");
    assert_says_as(led, xylem_view_of(request("PermissionRequest", "\"ls\"", cwd)), PERMISSION, "");
    test_directory_remove(root);
}

TEST(git_is_not_approved_where_the_repository_runs_programs)
{
    char root[128];
    char cwd[160];
    (void)state;
    make_repository(root, "[core]\n\tfsmonitor = ./evil\n");
    snprintf(cwd, sizeof cwd, "\"%s/src\"", root);
    assert_silent(request("PermissionRequest", "\"git status\"", cwd), "core.fsmonitor");
    assert_silent(request("PreToolUse", "\"git status\"", cwd), "core.fsmonitor");
    assert_says(request("PermissionRequest", "\"ls\"", cwd), PERMISSION);
    test_directory_remove(root);
}

/* Each runs git in `src`, or may. */
TEST(git_is_not_approved_in_a_directory_that_the_command_goes_to)
{
    static const char *const commands[] = {"cd src && git status",
                                           "cd src; git status",
                                           "git -C src status",
                                           "git -C . -C src log",
                                           "(cd src; git status)",
                                           "x=$(cd src && git status)",
                                           "command cd src; git status",
                                           "command -- cd src; git status",
                                           "command command cd src; git status",
                                           "time cd src; git status",
                                           "\\\\cd src; git status",
                                           "cd 'sr'c && git status",
                                           "cd -P -- src && git status",
                                           "! cd src; git status",
                                           "if cd src; then git status; fi",
                                           "{ cd src; }; git status",
                                           "[[ -d src ]] && cd src; git status",
                                           "cd / || cd src; git status",
                                           "for d in src; do cd $d; git status; done",
                                           "while cd src; do git status; done",
                                           "find . -execdir git status \\\\;",
                                           "ls | xargs -I{} git -C {} status",
                                           "cd; git status",
                                           "cd - && git status"};
    char root[128];
    char path[256];
    char cwd[160];
    char command[256];
    (void)state;
    make_repository(root, "");
    snprintf(path, sizeof path, "%s/src/.git", root);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("gitdir: nowhere\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    snprintf(cwd, sizeof cwd, "\"%s\"", root);
    assert_says(request("PermissionRequest", "\"git status\"", cwd), PERMISSION);
    assert_says(request("PermissionRequest", "\"cd src && cd .. && git status\"", cwd), PERMISSION);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        snprintf(command, sizeof command, "\"%s\"", commands[i]);
        assert_silent(request("PermissionRequest", command, cwd), "");
    }
    test_directory_remove(root);
}

/* --- One answer a line ------------------------------------------------------------------------------------------ */

static void assert_answer(const char *line, const char *cwd, const char *beginning, const char *part)
{
    struct xylem_buffer output = {0};
    struct xylem_error err = {0};
    assert_int_equal(xylem_policy_answer(&output, policy, xylem_view_of(line), cwd, &err), 0);
    if (strncmp(output.data, beginning, strlen(beginning)) != 0 || !strstr(output.data, part)) {
        print_message("%s: %s\n", line, output.data);
    }
    assert_int_equal(strncmp(output.data, beginning, strlen(beginning)), 0);
    assert_non_null(strstr(output.data, part));
    xylem_buffer_release(&output);
}

TEST(a_line_is_answered_by_its_verdict)
{
    static const char allowed[] =
        "{\"schema\":1,\"verdict\":\"allow\",\"reason\":\"nothing in it is refused\",\"rule\":\"allowed\"}";
    (void)state;
    assert_answer("{\"command\":\"ls\"}", NULL, allowed, "");
    assert_answer(" {\"id\":7,\"command\":\"ls\",\"cwd\":\"/tmp\"} ", "/", allowed, "");
    assert_answer("{\"command\":\"ls\",\"cwd\":null}", "/", allowed, "");
    assert_answer("{\"command\":\"rm x\"}", NULL, "{\"schema\":1,\"verdict\":\"ask\",\"reason\":\"", "\"rule\":\"");
    assert_answer("{\"command\":\"\"}", NULL, "{\"schema\":1,\"verdict\":\"allow\"", "");
}

TEST(a_broken_line_is_refused_as_the_policy_refuses)
{
    static const char *const lines[] = {"",
                                        " ",
                                        "{",
                                        "ls",
                                        "[]",
                                        "{}",
                                        "\"ls\"",
                                        "{\"command\":null}",
                                        "{\"command\":[\"ls\"]}",
                                        "{\"command\":\"ls\",\"cwd\":\"src\"}",
                                        "{\"command\":\"ls\",\"cwd\":\"\"}",
                                        "{\"command\":\"ls\",\"cwd\":7}",
                                        "{\"command\":\"ls\",\"cwd\":\"/a\\u0000b\"}",
                                        "{\"command\":\"ls\",\"command\":\"ls\"}",
                                        "{\"command\":\"ls\",\"cwd\":\"/\",\"cwd\":\"/\"}",
                                        "{\"command\":\"\xff\"}",
                                        "{\"command\":\"ls\"}{\"command\":\"ls\"}"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_answer(lines[i], NULL,
                      "{\"schema\":1,\"verdict\":\"ask\",\"reason\":\"the line is refused: ", ",\"rule\":\"input\"}");
    }
    struct xylem_policy *readonly = NULL;
    struct xylem_policy *strict = policy;
    assert_int_equal(xylem_policy_new_json(&readonly, XYLEM_POLICY_READONLY, (struct xylem_view){NULL, 0}, NULL), 0);
    policy = readonly;
    assert_answer("{", NULL, "{\"schema\":1,\"verdict\":\"deny\",", ",\"rule\":\"input\"}");
    policy = strict;
    xylem_policy_free(readonly);
}

TEST(a_wrong_use_is_an_error)
{
    struct xylem_buffer output = {0};
    struct xylem_error err = {0};
    struct xylem_view line = xylem_view_of("{\"command\":\"ls\"}");
    struct xylem_hook_options options = {.protocol = (enum xylem_hook_protocol)2};
    (void)state;
    assert_int_equal(xylem_policy_answer(NULL, policy, line, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_policy_answer(&output, NULL, line, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_policy_answer(&output, policy, line, "src", &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_policy_hook(NULL, policy, line, NULL, &err), XYLEM_E_ARGUMENT);
    const struct xylem_view nothing = {NULL, 7};
    assert_int_equal(xylem_policy_answer(&output, policy, nothing, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_policy_hook(&output, policy, nothing, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_policy_hook(&output, NULL, line, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_policy_hook(&output, policy, line, &options, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_policy_hook(&output, policy, line, NULL, NULL), 0);
    assert_int_equal(output.bytes, 0);
}

TEST_FILE(set_up, tear_down)
