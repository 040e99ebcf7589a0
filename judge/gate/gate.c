/* Decides whether a tool call may go on. */
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "base/value.h"
#include "judge/gate/gate.h"
#include "judge/policy/policy.h"

#define OFF_BY " Use /readonly to disable."

static const char blocked_write[] = "Readonly mode: write/edit disabled." OFF_BY;
static const char blocked_command[] = "Readonly mode: dangerous command blocked." OFF_BY;
static const char blocked_input[] = "Readonly mode: the tool call cannot be read, so it is blocked." OFF_BY;
static const char blocked_call[] = "Blocked: the tool call cannot be read.";
static const char blocked_file[] = "Blocked: nobody looked at the file of the tool call.";
static const char child_notice[] =
    "\n\nReadonly restrictions apply in this child. Do not attempt mutating or destructive bash operations.\n";
static const char nudge_on[] = "Readonly mode is active. Do not call write or edit. "
                               "Destructive bash operations will be blocked." OFF_BY;
static const char nudge_off[] = "Readonly mode has been turned off. You may now use write, edit, and bash freely.";
static const char badge[] = "\xf0\x9f\x94\x92 readonly";

/* --- Tools -------------------------------------------------------------------------------------------------------- */

/* The tools that are known by name, by effect: the tools of pi and of Claude Code, and usual names of other hosts. */
static const char *const writing[] = {"write", "edit", "multiedit", "notebookedit", "apply_patch", NULL};
static const char *const shells[] = {"bash", "monitor", NULL};
static const char *const foreign_shells[] = {"powershell", NULL};
static const char *const reading[] = {"read", "grep", "glob", "find", "ls", NULL};

/* How much of the tool a name covers; 0: the name does not fit. The whole name is more than a beginning with a `*`. */
static size_t fit(struct xylem_view tool, const char *name)
{
    size_t at = 0;
    while (at < tool.bytes && name[at] != '\0' && xylem_base__lower(tool.data[at]) == xylem_base__lower(name[at])) {
        at++;
    }
    if (name[at] == '*' && name[at + 1] == '\0') {
        return 2 * at + 1;
    }
    return at == tool.bytes && name[at] == '\0' ? 2 * at + 2 : 0;
}

/* The longest name that fits decides; of equal names the host's, and of the host's the severest. */
enum xylem_gate__effect xylem_gate__effect(const struct xylem_tool_call *call, const struct xylem_gate_options *options)
{
    static const struct xylem_gate_options none = {.block_others = false};
    options = options ? options : &none;
    const struct {
        const char *const *names;
        enum xylem_gate__effect effect;
    } lists[] = {{options->write_tools, XYLEM_GATE__WRITES},
                 {options->shell_tools, XYLEM_GATE__SHELL},
                 {options->read_tools, XYLEM_GATE__READS},
                 {writing, XYLEM_GATE__WRITES},
                 {shells, XYLEM_GATE__SHELL},
                 {foreign_shells, XYLEM_GATE__FOREIGN_SHELL},
                 {reading, XYLEM_GATE__READS}};
    enum xylem_gate__effect effect = XYLEM_GATE__READS;
    size_t best = 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        for (const char *const *name = lists[i].names; name && *name; name++) {
            size_t length = fit(call->name, *name);
            effect = length > best ? lists[i].effect : effect;
            best = length > best ? length : best;
        }
    }
    if (effect != XYLEM_GATE__READS) {
        return effect; /* the name counts first: an annotation comes from the maker of the tool */
    }
    bool changes = call->destructive || (call->read_only && !*call->read_only);
    bool known = call->read_only || best > 0;
    return changes || (options->block_others && !known) ? XYLEM_GATE__WRITES : XYLEM_GATE__READS;
}

/* --- Reasons ------------------------------------------------------------------------------------------------------ */

/* Adds a line for the model. */
static int add_line(struct xylem_gate *gate, const char *label, struct xylem_view text)
{
    int code;
    if ((code = xylem_base__buffer_add_text(&gate->reason, "\n")) < 0 ||
        (code = xylem_base__buffer_add_text(&gate->reason, label)) < 0) {
        return code;
    }
    return text.bytes == 0 ? 0 : xylem_buffer_add(&gate->reason, text.data, text.bytes);
}

static int block(struct xylem_gate *gate, const char *reason, const char *why)
{
    gate->block = true;
    int code = xylem_base__buffer_add_text(&gate->reason, reason);
    return code < 0 || !why ? code : add_line(gate, "", xylem_view_of(why));
}

static int block_tool(struct xylem_gate *gate, struct xylem_view name)
{
    int code;
    if (xylem_base__view_is_name(name, "write") || xylem_base__view_is_name(name, "edit")) {
        return block(gate, blocked_write, NULL);
    }
    if ((code = block(gate, "Readonly mode: ", NULL)) < 0 ||
        (code = xylem_buffer_add(&gate->reason, name.data, name.bytes)) < 0) {
        return code;
    }
    return xylem_base__buffer_add_text(&gate->reason, " disabled." OFF_BY);
}

/* After a refusal: the fixed text of readonly mode, then the reason of the policy, which tells what to change. */
static int judge(struct xylem_gate *gate, struct xylem_view command, const char *cwd, const struct xylem_policy *policy,
                 struct xylem_error *err)
{
    const struct xylem_verdict *verdict = &gate->verdict;
    struct xylem_policy *built_in = NULL;
    int code = policy ? 0 : xylem_policy_new(&built_in, NULL, err);
    if (code == 0) {
        code = xylem_policy_judge(&gate->verdict, policy ? policy : built_in, command, cwd, err);
    }
    xylem_policy_free(built_in);
    gate->judged = code == 0;
    if (code < 0 || verdict->decision == XYLEM_ALLOW) {
        return code;
    }
    struct xylem_view part = {command.data ? command.data + verdict->offset : "", verdict->bytes};
    if ((code = block(gate, blocked_command, NULL)) < 0 || (code = add_line(gate, "Command: ", command)) < 0 ||
        (code = add_line(gate, "Reason: ", xylem_base__buffer_view(&verdict->reason))) < 0 ||
        (part.bytes > 0 && (code = xylem_buffer_add(&gate->offending, part.data, part.bytes)) < 0)) {
        return code;
    }
    return part.bytes == 0 || part.bytes == command.bytes ? 0 : add_line(gate, "At: ", part);
}

/* Judges the `command` of the call, or blocks a call without a sound command. */
static int judge_input(struct xylem_gate *gate, const struct xylem_tool_call *call, const struct xylem_policy *policy,
                       struct xylem_error *err)
{
    static const char *const keys[] = {"command", NULL};
    struct xylem_base__tree tree = {0};
    struct xylem_error why = {0};
    const struct xylem_value *command = NULL;
    bool twice = false;
    xylem_base__tree_init(&tree);
    int code = xylem_base__json_parse(&tree, call->input, &why);
    if (code == 0 && tree.nodes[0].type != XYLEM_VALUE_MAP) {
        code = xylem_base__fail(&why, XYLEM_E_MALFORMED, "the tool call: 'input' is not an object");
    }
    if (code == 0) {
        command = xylem_base__value_member(&tree.nodes[0], keys, &twice);
        if (xylem_value_type(command) != XYLEM_VALUE_STRING) {
            code = xylem_base__fail(&why, XYLEM_E_MALFORMED,
                                    "the tool call: 'command' is missing in 'input', or is not a string");
        } else if (twice) {
            code = xylem_base__fail(&why, XYLEM_E_MALFORMED, "the tool call: 'command' occurs twice in 'input'");
        }
    }
    if (code == 0) {
        code = judge(gate, xylem_value_string(command), call->cwd, policy, err);
    } else if (code != XYLEM_E_MEMORY) {
        code = block(gate, blocked_input, why.text);
    }
    xylem_base__tree_release(&tree);
    return code;
}

/* --- The answer --------------------------------------------------------------------------------------------------- */

void xylem_gate_release(struct xylem_gate *gate)
{
    if (!gate) {
        return;
    }
    xylem_buffer_release(&gate->reason);
    xylem_buffer_release(&gate->offending);
    xylem_verdict_release(&gate->verdict);
    *gate = (struct xylem_gate){0};
}

int xylem_gate_ask(struct xylem_gate *gate, bool readonly, const struct xylem_tool_call *call,
                   const struct xylem_gate_file *file, const struct xylem_policy *policy,
                   const struct xylem_gate_options *options, struct xylem_error *err)
{
    int code = 0;
    if (!gate) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a place for the answer is missing");
    }
    xylem_base__buffer_clear(&gate->reason);
    xylem_base__buffer_clear(&gate->offending);
    gate->judged = false;
    gate->file_verdict = NULL;
    gate->block = true;
    if (!call || (file && xylem_base__view_lacks_bytes(file->reason))) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a tool call, and a reason with its bytes, are needed");
    }
    if (call->cwd && call->cwd[0] != '/') {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "cwd: expected an absolute path, found '%s'", call->cwd);
    }
    bool writes = xylem_base__view_is_name(call->name, "edit") || xylem_base__view_is_name(call->name, "write");
    gate->block = false;
    switch (readonly ? xylem_gate__effect(call, options) : XYLEM_GATE__READS) {
    case XYLEM_GATE__WRITES:
    case XYLEM_GATE__FOREIGN_SHELL:
        code = block_tool(gate, call->name);
        break;
    case XYLEM_GATE__SHELL:
        code = judge_input(gate, call, policy, err);
        break;
    case XYLEM_GATE__READS:
        if (file && writes) {
            gate->file_verdict = file->verdict;
            if (!file->pass && (code = block(gate, file->reason.bytes > 0 ? "" : blocked_file, NULL)) == 0) {
                code = xylem_buffer_add(&gate->reason, file->reason.data, file->reason.bytes);
            }
        }
        break;
    }
    gate->block |= code < 0;
    return code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err) : code;
}

/* --- As JSON ------------------------------------------------------------------------------------------------------ */

/* Reads a hint among the annotations of MCP: 1, or 0 and false if the hint is not declared. MALFORMED. */
static int read_hint(bool *hint, const struct xylem_value *annotations, const char *key, struct xylem_error *err)
{
    const char *const keys[] = {key, NULL};
    bool twice = false;
    const struct xylem_value *value = xylem_base__value_member(annotations, keys, &twice);
    enum xylem_value_type type = xylem_value_type(value);
    *hint = xylem_value_bool(value);
    if (twice) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "the tool call: '%s' occurs twice in 'annotations'", key);
    }
    if (type != XYLEM_VALUE_BOOL && type != XYLEM_VALUE_NIL) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "the tool call: '%s' is not a boolean", key);
    }
    return type == XYLEM_VALUE_BOOL;
}

static int read_call(struct xylem_gate_call *call, const struct xylem_value *object, struct xylem_error *err)
{
    struct xylem_tool_call *tool = &call->tool;
    static const char *const names[] = {"toolName", "tool_name", "name", NULL};
    static const char *const inputs[] = {"input", "tool_input", NULL};
    static const char *const notes[] = {"annotations", NULL};
    static const char *const directories[] = {"cwd", NULL};
    if (xylem_value_type(object) != XYLEM_VALUE_MAP) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "the tool call: expected a JSON object");
    }
    bool twice = false;
    const struct xylem_value *name = xylem_base__value_member(object, names, &twice);
    const struct xylem_value *input = xylem_base__value_member(object, inputs, &twice);
    const struct xylem_value *annotations = xylem_base__value_member(object, notes, &twice);
    const struct xylem_value *directory = xylem_base__value_member(object, directories, &twice);
    if (twice) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED,
                                "the tool call: the name, the input, annotations or cwd occurs twice");
    }
    if (xylem_value_type(name) != XYLEM_VALUE_STRING) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "the tool call: 'toolName' is missing or is not a string");
    }
    if (xylem_buffer_add(&call->name, xylem_value_string(name).data, xylem_value_string(name).bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    tool->name = xylem_base__buffer_view(&call->name);
    if (xylem_value_type(annotations) != XYLEM_VALUE_NIL && xylem_value_type(annotations) != XYLEM_VALUE_MAP) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "the tool call: 'annotations' is not an object");
    }
    int code;
    if ((code = read_hint(&tool->destructive, annotations, "destructiveHint", err)) < 0 ||
        (code = read_hint(&call->read_only, annotations, "readOnlyHint", err)) < 0) {
        return code;
    }
    tool->read_only = code == 1 ? &call->read_only : NULL;
    if (xylem_value_type(input) != XYLEM_VALUE_MAP) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "the tool call: 'input' is missing or is not an object");
    }
    tool->input = input->raw;
    if (xylem_value_type(directory) == XYLEM_VALUE_NIL) {
        return 0;
    }
    struct xylem_view path = xylem_value_string(directory);
    if (path.bytes == 0 || path.data[0] != '/' || memchr(path.data, '\0', path.bytes)) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "the tool call: 'cwd' is not an absolute path");
    }
    if (xylem_buffer_add(&call->cwd, path.data, path.bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    tool->cwd = call->cwd.data;
    return 0;
}

int xylem_gate_call_read(struct xylem_gate_call *call, struct xylem_view json, struct xylem_error *err)
{
    struct xylem_base__tree tree = {0};
    if (!call) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a place for the tool call is missing");
    }
    xylem_gate_call_release(call);
    xylem_base__tree_init(&tree);
    int code = xylem_base__json_parse(&tree, json, err);
    code = code < 0 ? code : read_call(call, &tree.nodes[0], err);
    xylem_base__tree_release(&tree);
    return code;
}

void xylem_gate_call_release(struct xylem_gate_call *call)
{
    if (call) {
        xylem_buffer_release(&call->name);
        xylem_buffer_release(&call->cwd);
        *call = (struct xylem_gate_call){.read_only = false};
    }
}

static int write_answer(struct xylem_buffer *answer, const struct xylem_gate *gate, bool readonly,
                        struct xylem_view tool, bool with_file)
{
    const struct xylem_view none = {NULL, 0};
    const struct xylem_verdict *verdict = &gate->verdict;
    struct xylem_base__writer writer = {answer, 0};
    struct xylem_view decision = xylem_view_of(xylem_policy__decision_word(verdict->decision));
    xylem_base__write_flag(&writer, "{\"schema\":1,\"block\":", gate->block);
    xylem_base__write_member(&writer, ",\"reason\":", gate->block ? xylem_base__buffer_view(&gate->reason) : none);
    xylem_base__write_flag(&writer, ",\"readonly\":", readonly);
    xylem_base__write_member(&writer, ",\"tool\":", tool);
    xylem_base__write_member(&writer, ",\"verdict\":", gate->judged ? decision : none);
    xylem_base__write_member(&writer, ",\"rule\":", gate->judged ? xylem_view_of(verdict->rule) : none);
    xylem_base__write_member(&writer, ",\"why\":", gate->judged ? xylem_base__buffer_view(&verdict->reason) : none);
    xylem_base__write_member(&writer, ",\"offending\":", xylem_base__buffer_view(&gate->offending));
    if (with_file) {
        xylem_base__write_member(&writer, ",\"reads_verdict\":", xylem_view_of(gate->file_verdict));
    }
    xylem_base__write(&writer, "}");
    return writer.code;
}

int xylem_gate_json(struct xylem_buffer *answer, enum xylem_decision *decision, bool readonly, struct xylem_view json,
                    const struct xylem_gate_file *file, const struct xylem_policy *policy,
                    const struct xylem_gate_options *options, struct xylem_error *err)
{
    struct xylem_gate gate = {0};
    struct xylem_gate_call call = {.read_only = false};
    const struct xylem_tool_call *tool = &call.tool;
    struct xylem_error why = {0};
    if (!answer || !decision) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "an answer and a place for the decision are needed");
    }
    *decision = XYLEM_DENY;
    size_t before = answer->bytes;
    int code = xylem_gate_call_read(&call, json, &why);
    if (code == 0 || (tool->name.data && xylem_gate__effect(tool, options) >= XYLEM_GATE__WRITES)) {
        code = xylem_gate_ask(&gate, readonly, tool, file, policy, options, err);
    } else if (code != XYLEM_E_MEMORY) {
        bool maybe_write = file && !tool->name.data;
        code = readonly      ? block(&gate, blocked_input, why.text)
               : maybe_write ? block(&gate, blocked_call, why.text)
                             : 0;
    }
    if (code == 0) {
        code = write_answer(answer, &gate, readonly, tool->name, file);
    }
    if (code == XYLEM_E_MEMORY) {
        xylem_base__buffer_cut(answer, before);
        xylem_base__fail_memory(err);
    } else if (code == 0) {
        *decision = !gate.block ? XYLEM_ALLOW : gate.judged ? gate.verdict.decision : XYLEM_DENY;
    }
    xylem_gate_release(&gate);
    xylem_gate_call_release(&call);
    return code;
}

/* --- Texts -------------------------------------------------------------------------------------------------------- */

size_t xylem_gate_child_tools(bool readonly, const char **names, size_t count, const struct xylem_gate_options *options)
{
    size_t kept = 0;
    for (size_t i = 0; names && i < count; i++) {
        const struct xylem_tool_call call = {.name = xylem_view_of(names[i])};
        if (!readonly || xylem_gate__effect(&call, options) < XYLEM_GATE__WRITES) {
            names[kept++] = names[i];
        }
    }
    return kept;
}

const char *xylem_gate_child_notice(bool readonly)
{
    return readonly ? child_notice : "";
}

const char *xylem_gate_nudge(bool due, bool direction_on)
{
    return !due ? NULL : direction_on ? nudge_on : nudge_off;
}

const char *xylem_gate_badge(bool readonly)
{
    return readonly ? badge : "";
}
