/* Answers hosts: one answer a line (judge --jsonl), and the hook of Claude Code. */
#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/time.h"
#include "base/utf8.h"
#include "judge/gate/gate.h"
#include "judge/policy/git/forms.h"
#include "judge/policy/engine/judge.h"
#include "judge/policy/policy.h"
#include "judge/hook/repository.h"

#include <stdlib.h>

/* --- Reading ---------------------------------------------------------------------------------------------------- */

/* A JSON object from a host. */
struct input {
    struct xylem_base__tree tree;
    const char *why;        /* NULL, or the reason to refuse the object */
    bool other;             /* the object is sound, but asks about another event or tool */
    struct xylem_error err; /* the reason, if the parser gave it */
};

static bool refuse(struct input *input, const char *why)
{
    input->why = why;
    return false;
}

/* Reads the object. 0, also for a refused object, or MEMORY. */
static int input_read(struct input *input, struct xylem_view text)
{
    struct xylem_error err;
    xylem_base__tree_init(&input->tree);
    input->why = NULL;
    input->other = false;
    if (text.bytes > XYLEM_HOOK_BYTES_MAX) {
        refuse(input, "it is longer than 1 MiB");
    } else if (!xylem_base__wtf8_valid(xylem_base__shown(text), text.bytes)) {
        refuse(input, "it is not UTF-8");
    } else {
        int code = xylem_base__json_parse(&input->tree, text, &err);
        if (code == XYLEM_E_MEMORY) {
            return code;
        }
        if (code < 0) {
            xylem_base__fail(&input->err, code, "it is not JSON: %s", err.text);
            refuse(input, input->err.text);
        } else if (xylem_value_type(input->tree.nodes) != XYLEM_VALUE_MAP) {
            refuse(input, "it is not a JSON object");
        }
    }
    return 0;
}

/* Finds the member of a map. Refuses a map with two such members: readers of JSON differ in which one counts. */
static const struct xylem_value *member(struct input *input, const struct xylem_value *map, const char *name)
{
    const char *const names[] = {name, NULL};
    bool twice = false;
    const struct xylem_value *found = xylem_base__value_member(map, names, &twice);
    if (twice) {
        refuse(input, "a member occurs twice");
    }
    return found;
}

/* The member if the member is a string; else a view without data. */
static struct xylem_view string_member(struct input *input, const struct xylem_value *map, const char *name)
{
    const struct xylem_value *value = member(input, map, name);
    struct xylem_view string = xylem_value_string(value);
    if (xylem_value_type(value) != XYLEM_VALUE_STRING) {
        return (struct xylem_view){NULL, 0};
    }
    return (struct xylem_view){xylem_base__shown(string), string.bytes};
}

static bool is_absolute(struct xylem_view path)
{
    return path.bytes > 0 && path.data[0] == '/' && !memchr(path.data, '\0', path.bytes);
}

/* --- One answer a line ------------------------------------------------------------------------------------------ */

static int add_answer(struct xylem_buffer *answer, enum xylem_decision decision, struct xylem_view reason,
                      const char *rule)
{
    struct xylem_base__writer writer = {answer, 0};
    const char *word = xylem_policy__decision_word(decision);
    xylem_base__write_member(&writer, "{\"schema\":1,\"verdict\":", xylem_view_of(word));
    xylem_base__write_member(&writer, ",\"reason\":", reason);
    xylem_base__write_member(&writer, ",\"rule\":", xylem_view_of(rule));
    xylem_base__write(&writer, "}");
    return writer.code;
}

/* Reads the command and the directory of a line; false: the line is refused. */
static bool read_line(struct input *input, struct xylem_view *command, struct xylem_view *cwd)
{
    const struct xylem_value *map = input->tree.nodes;
    if (input->why) {
        return false;
    }
    *command = string_member(input, map, "command");
    *cwd = string_member(input, map, "cwd");
    const struct xylem_value *given = member(input, map, "cwd");
    if (!input->why && !command->data) {
        return refuse(input, "command: expected a string");
    }
    if (!input->why && xylem_value_type(given) != XYLEM_VALUE_NIL && !is_absolute(*cwd)) {
        return refuse(input, "cwd: expected an absolute path");
    }
    return !input->why;
}

/* Judges the command in `cwd`, which may lack data. */
static int judge(struct xylem_verdict *verdict, const struct xylem_policy *policy, struct xylem_view command,
                 struct xylem_view cwd, struct xylem_error *err)
{
    char *path = NULL;
    if (cwd.data && !(path = strndup(cwd.data, cwd.bytes))) {
        return xylem_base__fail_memory(err);
    }
    int code = xylem_policy_judge(verdict, policy, command, path, err);
    free(path);
    return code;
}

int xylem_policy_answer(struct xylem_buffer *output, const struct xylem_policy *policy, struct xylem_view line,
                        const char *cwd, struct xylem_error *err)
{
    struct input input;
    struct xylem_verdict verdict = {0};
    struct xylem_view command = {NULL, 0};
    struct xylem_view own_cwd = {NULL, 0};
    struct xylem_buffer reason = {0};
    struct xylem_buffer answer = {0};
    if (!output || !policy || (!line.data && line.bytes > 0) || (cwd && *cwd != '/')) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "expected an output, a policy, a line, and an absolute cwd or none");
    }
    int code = input_read(&input, line);
    if (code == 0 && read_line(&input, &command, &own_cwd)) {
        code = judge(&verdict, policy, command, own_cwd.data || !cwd ? own_cwd : xylem_view_of(cwd), err);
        if (code == 0) {
            code = add_answer(&answer, verdict.decision, xylem_base__buffer_view(&verdict.reason), verdict.rule);
        }
    } else if (code == 0 &&
               (code = xylem_base__buffer_add_format(&reason, "the line is refused: %s", input.why)) == 0) {
        code = add_answer(&answer, policy->rules->refusal, xylem_base__buffer_view(&reason), "input");
    }
    if (code == 0) {
        code = xylem_buffer_add(output, answer.data, answer.bytes);
    }
    xylem_buffer_release(&answer);
    xylem_buffer_release(&reason);
    xylem_verdict_release(&verdict);
    xylem_base__tree_release(&input.tree);
    return code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err) : code;
}

/* --- The hook --------------------------------------------------------------------------------------------------- */

/* A refusal repeats the refused text up to this length. The model knows its own command. */
#define OFFENDING_BYTES_MAX 400u

enum event { EVENT_OTHER = 0, EVENT_PERMISSION_REQUEST, EVENT_PRE_TOOL_USE };

/* The question of the host. */
struct request {
    enum event event;
    struct xylem_view tool;
    enum xylem_gate__effect effect;
    struct xylem_view command;
    struct xylem_view cwd; /* without data: not known */
};

static bool pass_by(struct input *input, const char *why)
{
    input->other = true;
    return refuse(input, why);
}

/* Reads a question. False: no answer is due; `input` has the reason. */
static bool read_request(struct input *input, struct request *request, const struct xylem_policy *policy,
                         const struct xylem_hook_options *options)
{
    const struct xylem_value *map = input->tree.nodes;
    if (input->why) {
        return false;
    }
    const struct xylem_value *call = member(input, map, "tool_input");
    const struct xylem_value *unboxed = member(input, call, "dangerouslyDisableSandbox");
    struct xylem_view event = string_member(input, map, "hook_event_name");
    request->tool = string_member(input, map, "tool_name");
    request->event = xylem_base__view_is(event, "PermissionRequest") ? EVENT_PERMISSION_REQUEST
                     : xylem_base__view_is(event, "PreToolUse")      ? EVENT_PRE_TOOL_USE
                                                                     : EVENT_OTHER;
    request->command = string_member(input, call, "command");
    request->cwd = string_member(input, map, "cwd");
    if (!is_absolute(request->cwd)) {
        request->cwd = (struct xylem_view){NULL, 0};
    }
    if (input->why) {
        return false;
    }
    if (!event.data) {
        return refuse(input, "hook_event_name: expected a string");
    }
    if (request->event == EVENT_OTHER) {
        return pass_by(input, "the event is neither PermissionRequest nor PreToolUse");
    }
    if (!request->tool.data) {
        return refuse(input, "tool_name: expected a string");
    }
    if (!options->enforce && !xylem_base__view_is(request->tool, "Bash")) {
        return pass_by(input, "the tool is not Bash");
    }
    const struct xylem_tool_call named = {.name = request->tool};
    request->effect = xylem_gate__effect(&named, options->tools);
    if (request->effect == XYLEM_GATE__READS ||
        (request->effect == XYLEM_GATE__WRITES && policy->type == XYLEM_POLICY_CONFIRM)) {
        return pass_by(input, "the policy lets the tool pass");
    }
    if (request->effect == XYLEM_GATE__SHELL && !request->command.data) {
        return refuse(input, "command: expected a string");
    }
    if (!options->enforce && xylem_value_type(unboxed) != XYLEM_VALUE_NIL &&
        (xylem_value_type(unboxed) != XYLEM_VALUE_BOOL || xylem_value_bool(unboxed))) {
        return refuse(input, "the command asks to run outside of the sandbox");
    }
    return true;
}

/* 1, with the reason, if git may run programs in a directory of the verdict; else 0; MEMORY. */
static int git_runs_programs(struct xylem_buffer *why, const struct xylem_verdict *verdict,
                             const struct xylem_policy *policy, const struct xylem_hook_options *options)
{
    const struct xylem_hook__git_use use = {.plain = xylem_policy__git_plain(policy),
                                            .writes = policy->git_local_writes || policy->git_taught,
                                            .user_configs = options->git_user_configs,
                                            .home = options->home};
    int code = 0;
    if (verdict->git_directory_unknown || (options->git_is_led && verdict->git_directory_count > 0)) {
        code = xylem_base__buffer_add_text(why, verdict->git_directory_unknown
                                                    ? "git would run in a directory that is not known"
                                                    : "the environment leads git to another repository");
        return code < 0 ? code : 1;
    }
    for (size_t i = 0; code == 0 && i < verdict->git_directory_count; i++) {
        code = xylem_hook__repository_runs(why, verdict->git_directories[i].data, &use);
    }
    return code;
}

/* Adds an answer in the form of the event. An allowed permission request has no reason in the documented form. */
static int add_reply(struct xylem_buffer *answer, enum xylem_decision decision, enum event event,
                     enum xylem_hook_protocol protocol, struct xylem_view reason)
{
    struct xylem_base__writer writer = {answer, 0};
    const char *word = xylem_policy__decision_word(decision);
    bool allowed = decision == XYLEM_ALLOW;
    if (event == EVENT_PRE_TOOL_USE) {
        xylem_base__write(&writer, "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",");
        xylem_base__write_member(&writer, "\"permissionDecision\":", xylem_view_of(word));
        xylem_base__write_member(&writer, ",\"permissionDecisionReason\":", reason);
        xylem_base__write(&writer, "}}");
    } else if (protocol == XYLEM_HOOK_SEED) {
        xylem_base__write_member(&writer, "{\"decision\":", xylem_view_of(allowed ? "approve" : "block"));
        xylem_base__write_member(&writer, ",\"reason\":", reason);
        xylem_base__write(&writer, "}");
    } else {
        xylem_base__write(&writer, "{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":{");
        xylem_base__write_member(&writer, "\"behavior\":", xylem_view_of(allowed ? "allow" : "deny"));
        if (!allowed) {
            xylem_base__write_member(&writer, ",\"message\":", reason);
        }
        xylem_base__write(&writer, "}}}");
    }
    return writer.code;
}

/* Adds a refusal: the reason of the verdict, and the refused text. */
static int add_refusal(struct xylem_buffer *answer, const struct xylem_verdict *verdict, const struct request *request,
                       enum xylem_hook_protocol protocol)
{
    struct xylem_buffer reason = {0};
    bool shown = verdict->bytes > 0 && verdict->bytes <= OFFENDING_BYTES_MAX;
    int code = xylem_buffer_add(&reason, verdict->reason.data, verdict->reason.bytes);
    if (code == 0 && shown && (code = xylem_base__buffer_add_text(&reason, ": ")) == 0) {
        code = xylem_buffer_add(&reason, request->command.data + verdict->offset, verdict->bytes);
    }
    if (code == 0) {
        code = add_reply(answer, verdict->decision, request->event, protocol, xylem_base__buffer_view(&reason));
    }
    xylem_buffer_release(&reason);
    return code;
}

/* The verdict on a tool without a command that the judge reads. */
static int refuse_tool(struct xylem_verdict *verdict, const struct xylem_policy *policy, const struct request *request)
{
    verdict->decision = policy->rules->refusal;
    verdict->rule = "tool";
    const char *what = request->effect == XYLEM_GATE__WRITES ? "writes" : "runs a shell other than bash";
    return xylem_base__buffer_add_format(&verdict->reason, "the policy is %s, and the tool %.*s %s",
                                         policy->rules->name, XYLEM_BASE__SHOWN(request->tool), what);
}

/*
 * Adds the line of the log about a tool call that the hook did not let pass: for the policy, or, if the policy allows the
 * command, for `why`.
 */
static int add_log(const struct xylem_hook_options *options, const struct xylem_policy *policy,
                   const struct request *request, const struct xylem_verdict *verdict, const struct xylem_buffer *why)
{
    struct xylem_base__writer writer = {options->log, 0};
    size_t before = options->log->bytes;
    char time[XYLEM_BASE__ISO_BYTES];
    bool allowed = verdict->decision == XYLEM_ALLOW;
    const char *word = xylem_policy__decision_word(allowed ? XYLEM_ASK : verdict->decision);
    xylem_base__time_write(time, options->now_ms);
    xylem_base__write_member(&writer, "{\"time\":", xylem_view_of(time));
    xylem_base__write_member(&writer, ",\"policy\":", xylem_view_of(policy->rules->name));
    xylem_base__write_member(&writer, ",\"command\":", request->command);
    xylem_base__write_member(&writer, ",\"cwd\":", request->cwd);
    xylem_base__write_member(&writer, ",\"decision\":", xylem_view_of(word));
    xylem_base__write_member(&writer, ",\"rule\":", xylem_view_of(allowed ? "repository" : verdict->rule));
    xylem_base__write_member(&writer, ",\"reason\":", xylem_base__buffer_view(allowed ? why : &verdict->reason));
    xylem_base__write(&writer, "}\n");
    return xylem_base__write_end(&writer, before);
}

/*
 * 1 and an answer, or 0 and the reason not to answer. A hook that enforces answers with a refusal, another hook with an
 * approval. An `ask` on a permission request needs no refusal: the user is asked already.
 */
static int decide(struct xylem_buffer *answer, struct xylem_buffer *why, const struct xylem_policy *policy,
                  const struct request *request, const struct xylem_hook_options *options, struct xylem_error *err)
{
    struct xylem_verdict verdict = {0};
    bool answered = false;
    int code = request->effect == XYLEM_GATE__SHELL ? judge(&verdict, policy, request->command, request->cwd, err)
                                                    : refuse_tool(&verdict, policy, request);
    struct xylem_view reason = xylem_base__buffer_view(&verdict.reason);
    if (code == 0 && options->enforce) {
        answered =
            verdict.decision == XYLEM_DENY || (verdict.decision == XYLEM_ASK && request->event == EVENT_PRE_TOOL_USE);
        code = answered ? add_refusal(answer, &verdict, request, options->protocol) : 0;
    } else if (code == 0 && verdict.decision == XYLEM_ALLOW) {
        code = git_runs_programs(why, &verdict, policy, options);
        answered = code == 0;
        code = answered ? add_reply(answer, XYLEM_ALLOW, request->event, options->protocol, reason) : code;
    }
    if (code >= 0 && options->log && (verdict.decision != XYLEM_ALLOW || code == 1)) {
        code = add_log(options, policy, request, &verdict, why);
    }
    if (code >= 0 && why->bytes == 0) {
        code =
            xylem_base__buffer_add_format(why, "%s: %.*s", verdict.rule, (int)reason.bytes, xylem_base__shown(reason));
    }
    xylem_verdict_release(&verdict);
    return code < 0 ? code : answered;
}

int xylem_policy_hook(struct xylem_buffer *output, const struct xylem_policy *policy, struct xylem_view input,
                      const struct xylem_hook_options *options, struct xylem_error *err)
{
    static const struct xylem_hook_options defaults;
    struct xylem_buffer approval = {0};
    struct xylem_buffer why = {0};
    struct input read;
    struct request request = {0};
    options = options ? options : &defaults;
    if (!output || !policy || (!input.data && input.bytes > 0) ||
        (options->protocol != XYLEM_HOOK_DOCUMENTED && options->protocol != XYLEM_HOOK_SEED)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "expected an output, a policy, an input, and a protocol that is known");
    }
    int code = input_read(&read, input);
    if (code == 0 && read_request(&read, &request, policy, options)) {
        code = decide(&approval, &why, policy, &request, options, err);
    } else if (code == 0) {
        code = options->enforce && !read.other
                   ? xylem_base__fail(err, XYLEM_E_MALFORMED, "the input cannot be judged: %s", read.why)
                   : xylem_base__buffer_add_format(&why, "the input is not answered: %s", read.why);
    }
    if (code >= 0 && options->why && xylem_buffer_add(options->why, why.data, why.bytes) < 0) {
        code = XYLEM_E_MEMORY;
    }
    if (code == 1 && xylem_buffer_add(output, approval.data, approval.bytes) < 0) {
        code = XYLEM_E_MEMORY;
    }
    xylem_buffer_release(&approval);
    xylem_buffer_release(&why);
    xylem_base__tree_release(&read.tree);
    return code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err) : code;
}
