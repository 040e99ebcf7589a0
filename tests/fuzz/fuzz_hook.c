/*
 * Any bytes as the input of the hook, and as a line to be answered. The hook says one of its forms or nothing, and
 * never approves what the judge does not allow; a line has exactly one answer, that of the judge or the policy's
 * refusal.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "judge/gate/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static struct xylem_view view_of(const struct xylem_buffer *buffer)
{
    return (struct xylem_view){buffer->data, buffer->bytes};
}

/* Where an object has what `path` names, one member after the other. */
static const struct xylem_value *at(const struct xylem_value *map, const char *first, const char *second)
{
    const struct xylem_value *value = map;
    const char *const names[] = {first, second};
    for (size_t i = 0; i < 2 && names[i]; i++) {
        value = xylem_value_type(value) == XYLEM_VALUE_MAP ? xylem_value_get(value, names[i]) : NULL;
    }
    return value;
}

/* The command that the last of all members of these names says. */
static enum xylem_decision decision_on(const struct xylem_policy *policy, const struct xylem_value *command)
{
    struct xylem_verdict verdict = {0};
    check(xylem_value_type(command) == XYLEM_VALUE_STRING);
    check(xylem_policy_judge(&verdict, policy, xylem_value_string(command), NULL, NULL) == 0);
    enum xylem_decision decision = verdict.decision;
    xylem_verdict_release(&verdict);
    return decision;
}

static void check_approval(const struct xylem_policy *policy, struct xylem_view input, struct xylem_view output,
                           bool seed)
{
    struct xylem_base__tree asked = {0};
    struct xylem_base__tree said = {0};
    check(xylem_base__json_parse(&asked, input, NULL) == 0 && xylem_base__json_parse(&said, output, NULL) == 0);
    struct xylem_view event = xylem_value_string(at(asked.nodes, "hook_event_name", NULL));
    bool permission = xylem_base__view_is(event, "PermissionRequest");
    check(permission || xylem_base__view_is(event, "PreToolUse"));
    check(xylem_base__view_is(xylem_value_string(at(asked.nodes, "tool_name", NULL)), "Bash"));
    check(decision_on(policy, at(asked.nodes, "tool_input", "command")) == XYLEM_ALLOW);
    bool plain = xylem_value_type(at(said.nodes, "decision", NULL)) == XYLEM_VALUE_STRING;
    check(plain == (seed && permission));
    check((at(said.nodes, "hookSpecificOutput", NULL) != NULL) != plain);
    check(plain ||
          xylem_base__view_equal(xylem_value_string(at(said.nodes, "hookSpecificOutput", "hookEventName")), event));
    xylem_base__tree_release(&asked);
    xylem_base__tree_release(&said);
}

static void run_hook(const struct xylem_policy *policy, struct xylem_view input, enum xylem_hook_protocol protocol)
{
    struct xylem_buffer output = {0};
    struct xylem_buffer why = {0};
    struct xylem_hook_options options = {.protocol = protocol, .why = &why};
    int code = xylem_policy_hook(&output, policy, input, &options, NULL);
    check(code == 0 || code == 1);
    check((code == 1) == (output.bytes > 0) && why.bytes > 0);
    if (code == 1) {
        check_approval(policy, input, view_of(&output), protocol == XYLEM_HOOK_SEED);
    }
    xylem_buffer_release(&output);
    xylem_buffer_release(&why);
}

/* It says something of nothing but what the policy refuses, by the command or by the tool, and logs the same. */
static void run_enforced(const struct xylem_policy *policy, struct xylem_view input)
{
    static const char *const writing[] = {"mcp__*", NULL};
    static const char *const shells[] = {"mcp__ssh__*", NULL};
    static const char *const reading[] = {"mcp__read", NULL};
    const struct xylem_gate_options tools = {.write_tools = writing, .shell_tools = shells, .read_tools = reading};
    struct xylem_base__tree logged = {0};
    struct xylem_buffer log = {0};
    struct xylem_base__tree asked = {0};
    struct xylem_base__tree said = {0};
    struct xylem_buffer output = {0};
    struct xylem_hook_options options = {.enforce = true, .tools = &tools, .log = &log};
    int code = xylem_policy_hook(&output, policy, input, &options, NULL);
    check(code == 0 || code == 1 || code == XYLEM_E_MALFORMED);
    check((code == 1) == (output.bytes > 0) && (code == 1) == (log.bytes > 0));
    if (code == 1) {
        check(xylem_base__json_parse(&asked, input, NULL) == 0);
        check(xylem_base__json_parse(&said, view_of(&output), NULL) == 0);
        struct xylem_tool_call call = {.name = xylem_value_string(at(asked.nodes, "tool_name", NULL))};
        enum xylem_gate__effect effect = xylem_gate__effect(&call, &tools);
        check(effect >= XYLEM_GATE__WRITES ||
              (effect == XYLEM_GATE__SHELL &&
               decision_on(policy, at(asked.nodes, "tool_input", "command")) == XYLEM_DENY));
        check(memchr(log.data, '\n', log.bytes) == log.data + log.bytes - 1);
        check(xylem_base__json_parse(&logged, view_of(&log), NULL) == 0 && xylem_value_count(logged.nodes) == 7);
        check(xylem_base__view_is(xylem_value_string(at(logged.nodes, "decision", NULL)), "deny"));
    }
    xylem_base__tree_release(&logged);
    xylem_buffer_release(&log);
    xylem_base__tree_release(&asked);
    xylem_base__tree_release(&said);
    xylem_buffer_release(&output);
}

static void run_answer(const struct xylem_policy *policy, struct xylem_view line)
{
    struct xylem_base__tree asked = {0};
    struct xylem_base__tree said = {0};
    struct xylem_buffer output = {0};
    check(xylem_policy_answer(&output, policy, line, "/", NULL) == 0);
    check(memchr(output.data, '\n', output.bytes) == NULL);
    check(xylem_base__json_parse(&said, view_of(&output), NULL) == 0 && xylem_value_count(said.nodes) == 4);
    struct xylem_view word = xylem_value_string(at(said.nodes, "verdict", NULL));
    if (!xylem_base__view_is(xylem_value_string(at(said.nodes, "rule", NULL)), "input")) {
        check(xylem_base__json_parse(&asked, line, NULL) == 0);
        bool allowed = decision_on(policy, at(asked.nodes, "command", NULL)) == XYLEM_ALLOW;
        check(xylem_base__view_is(word, allowed ? "allow" : "ask"));
    } else {
        check(xylem_base__view_is(word, "ask"));
    }
    xylem_base__tree_release(&asked);
    xylem_base__tree_release(&said);
    xylem_buffer_release(&output);
}

/* The same bytes as a configuration: made or refused, with a reason. */
static void run_config(struct xylem_view json)
{
    for (int type = XYLEM_POLICY_READONLY; type <= XYLEM_POLICY_CONFIRM; type++) {
        struct xylem_policy *policy = NULL;
        struct xylem_error err = {0};
        int code = xylem_policy_new_json(&policy, (enum xylem_policy_type)type, json, &err);
        check(code == 0 ? policy != NULL : policy == NULL && err.code == code && err.text[0] != '\0');
        xylem_policy_free(policy);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct xylem_policy *policy;
    static struct xylem_policy *readonly;
    struct xylem_view input = {(const char *)data, size};
    if (!policy) {
        check(xylem_policy_new_json(&policy, XYLEM_POLICY_STRICT, (struct xylem_view){NULL, 0}, NULL) == 0);
    }
    if (!readonly) {
        check(xylem_policy_new(&readonly, NULL, NULL) == 0);
    }
    run_enforced(readonly, input);
    run_hook(policy, input, XYLEM_HOOK_DOCUMENTED);
    run_hook(policy, input, XYLEM_HOOK_SEED);
    run_answer(policy, input);
    run_config(input);
    return 0;
}
