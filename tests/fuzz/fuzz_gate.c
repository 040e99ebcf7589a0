/*
 * Any bytes as a tool call in JSON; the first byte chooses the options. The answer is one JSON document that agrees with
 * the decision. While readonly is off no call is blocked; while readonly is on a call that is no JSON is blocked, and
 * options only add to the blocked calls. But a further shell tool is judged, even if annotated as destructive, and the
 * host's name of a tool that reads counts before a built-in name.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "xylem/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static const struct xylem_policy *policy(void)
{
    static struct xylem_policy *made;
    check(made || xylem_policy_new(&made, NULL, NULL) == 0);
    return made;
}

/* Asks, and gives whether the call is blocked. */
static bool blocks(bool readonly, struct xylem_view call, const struct xylem_gate_options *options,
                   const struct xylem_gate_file *file)
{
    struct xylem_buffer answer = {0};
    struct xylem_base__tree tree = {0};
    enum xylem_decision decision = XYLEM_ASK;
    check(xylem_gate_json(&answer, &decision, readonly, call, file, policy(), options, NULL) == 0);
    check(xylem_base__json_parse(&tree, (struct xylem_view){answer.data, answer.bytes}, NULL) == 0);
    bool block = xylem_value_bool(xylem_value_get(tree.nodes, "block"));
    check(block == (decision != XYLEM_ALLOW));
    check(block == (xylem_value_string(xylem_value_get(tree.nodes, "reason")).bytes > 0));
    check(xylem_value_bool(xylem_value_get(tree.nodes, "readonly")) == readonly);
    xylem_base__tree_release(&tree);
    xylem_buffer_release(&answer);
    return block;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const writing[] = {"note", "", "mcp__*", NULL};
    static const char *const shells[] = {"terminal", NULL};
    static const char *const reading[] = {"mcp__read*", "write", NULL};
    if (size == 0) {
        return 0;
    }
    struct xylem_view call = {(const char *)data + 1, size - 1};
    const struct xylem_gate_options options = {.write_tools = data[0] & 1 ? writing : NULL,
                                               .shell_tools = data[0] & 2 ? shells : NULL,
                                               .read_tools = data[0] & 8 ? reading : NULL,
                                               .block_others = (data[0] & 4) != 0};
    struct xylem_base__tree tree = {0};
    const struct xylem_gate_file changed = {.pass = false};
    const struct xylem_gate_file known = {.pass = true};
    bool block = blocks(true, call, &options, NULL);
    check(!blocks(false, call, &options, NULL));
    check(block || options.shell_tools || options.read_tools || !blocks(true, call, NULL, NULL));
    check(!block || blocks(true, call, &options, &known));
    check(blocks(false, call, &options, &changed) || !blocks(false, call, &options, &known));
    check(block || xylem_base__json_parse(&tree, call, NULL) == 0);
    xylem_base__tree_release(&tree);
    return 0;
}
