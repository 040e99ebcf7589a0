/* Operations on a state, the questions of the gate, and what a process shares. */
#include "hosts/node/addon/addon.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/node/addon/held.h"
#include "hosts/node/addon/strings.h"
#include "xylem/gate.h"

/* --- Rehydration ------------------------------------------------------------------------------------------------- */

struct rehydrate_call {
    struct call call;
    struct xylem_view id; /* of the session, where a store is asked */
    struct held held;
    struct xylem_event event;
    const char **pieces; /* names of the wanted pieces; NULL: all */
    struct xylem_reduce_options options;
    struct xylem_state *state;
};

static const char *const event_types[] = {"session_start", "session_tree", "toggled", NULL};
static const char *const event_reasons[] = {"startup", "reload", "new", "resume", "fork", NULL};

static const struct field event_fields[] = {
    {"type", FIELD_WORD, AT(rehydrate_call, event.type), .words = event_types},
    {"reason", FIELD_WORD, MAYBE_AT(rehydrate_call, event.reason), .words = event_reasons},
    {"flagReadonly", FIELD_BOOL, MAYBE_AT(rehydrate_call, event.flag_readonly)},
    {"flagIsFallback", FIELD_BOOL, MAYBE_AT(rehydrate_call, event.flag_is_fallback)},
    {"previousReadonly", FIELD_BOOL_MAYBE, MAYBE_AT(rehydrate_call, event.previous_readonly)},
    {.name = NULL},
};
#define PIECES                                                      \
    {                                                               \
        "the pieces", FIELD_NAMES, MAYBE_AT(rehydrate_call, pieces) \
    }
static const struct field rehydrate_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the session's id", FIELD_STRING, AT(rehydrate_call, id)},
    {"the event", FIELD_OBJECT, .optional = true, .fields = event_fields},
    PIECES,
    {.name = NULL},
};
static const struct field from_arguments[] = {
    HELD_ARGUMENT(rehydrate_call),
    {"the event", FIELD_OBJECT, .optional = true, .fields = event_fields},
    PIECES,
    {.name = NULL},
};
static const struct field state_answer[] = {
    {"the state", FIELD_STATE, AT(rehydrate_call, state)},
};

/* Selects the named pieces, and readonly in any case: the gate asks every state whether readonly is on. */
static int select_pieces(struct rehydrate_call *asked)
{
    const char *const *all = xylem_piece_names();
    asked->options.pieces = asked->pieces ? XYLEM_PIECE_READONLY : 0;
    for (const char **name = asked->pieces; name && *name; name++) {
        unsigned at = 0;
        while (all[at] && strcmp(all[at], *name) != 0) {
            at++;
        }
        if (!all[at]) {
            return fail(&asked->call.err, XYLEM_E_ARGUMENT, "the pieces: expected names of pieces of the state");
        }
        asked->options.pieces |= 1u << at;
    }
    return 0;
}

static int read_state(struct call *call, struct xylem_txn *txn)
{
    struct rehydrate_call *asked = (struct rehydrate_call *)call;
    struct xylem_session session;
    int code = select_pieces(asked);
    if (code < 0 || (code = xylem_session_find(&session, txn, asked->id, &call->err)) < 0) {
        return code;
    }
    asked->state = calloc(1, sizeof *asked->state);
    return asked->state ? xylem_rehydrate(asked->state, txn, session.leaf, &asked->event, &asked->options, &call->err)
                        : XYLEM_E_MEMORY;
}

static int run_rehydrate_from(struct call *call)
{
    struct rehydrate_call *asked = (struct rehydrate_call *)call;
    int code = select_pieces(asked);
    if (code < 0) {
        return code;
    }
    asked->held.err = &call->err;
    asked->state = calloc(1, sizeof *asked->state);
    return asked->state
               ? xylem_rehydrate_from(asked->state, held_next, &asked->held, &asked->event, &asked->options, &call->err)
               : XYLEM_E_MEMORY;
}

static void release_rehydrate(struct call *call)
{
    struct rehydrate_call *asked = (struct rehydrate_call *)call;
    xylem_buffer_release(&asked->held.kind);
    if (asked->state) { /* no handle has it */
        xylem_state_release(asked->state);
        free(asked->state);
    }
}

/* --- State ------------------------------------------------------------------------------------------------------- */

struct look_call {
    struct call call;
    bool readonly;
    const char *nudge;
    const char *badge;
    const char *child_notice;
    struct xylem_buffer json;
};

static const struct field look_arguments[] = {{"the state", FIELD_STATE, AT(call, state)}, {.name = NULL}};
static const struct field look_answer[] = {
    {"readonly", FIELD_BOOL, AT(look_call, readonly)},
    {"nudge", FIELD_NAME, AT(look_call, nudge)},
    {"badge", FIELD_NAME, AT(look_call, badge)},
    {"childNotice", FIELD_NAME, AT(look_call, child_notice)},
    {.name = NULL},
};
static const struct field json_answer[] = {{"json", FIELD_BUFFER, AT(look_call, json)}};

static int run_look(struct call *call)
{
    struct look_call *look = (struct look_call *)call;
    look->readonly = call->state->readonly.enabled;
    look->nudge = xylem_gate_nudge(call->state->nudge.due, call->state->nudge.direction_on);
    look->badge = xylem_gate_badge(look->readonly);
    look->child_notice = xylem_gate_child_notice(look->readonly);
    return 0;
}

static int run_json(struct call *call)
{
    return xylem_state_json(&((struct look_call *)call)->json, call->state, (struct xylem_view){NULL, 0});
}

static void release_look(struct call *call)
{
    xylem_buffer_release(&((struct look_call *)call)->json);
}

/* --- Gate -------------------------------------------------------------------------------------------------------- */

struct gate_call {
    struct call call;
    struct xylem_tool_call tool;
    struct xylem_gate_options options;
    struct xylem_gate gate;
    const char **names; /* of tools of a child */
    size_t name_count;
};

static const struct field tool_fields[] = {
    {"name", FIELD_STRING, AT(gate_call, tool.name)},
    {"input", FIELD_STRING, AT(gate_call, tool.input)},
    {"cwd", FIELD_NAME, MAYBE_AT(gate_call, tool.cwd)},
    {"readOnly", FIELD_BOOL_MAYBE, MAYBE_AT(gate_call, tool.read_only)},
    {"destructive", FIELD_BOOL, MAYBE_AT(gate_call, tool.destructive)},
    {.name = NULL},
};
static const struct field gate_options[] = {
    {"writeTools", FIELD_NAMES, MAYBE_AT(gate_call, options.write_tools)},
    {"shellTools", FIELD_NAMES, MAYBE_AT(gate_call, options.shell_tools)},
    {"blockOthers", FIELD_BOOL, MAYBE_AT(gate_call, options.block_others)},
    {.name = NULL},
};
static const struct field ask_arguments[] = {
    {"the state", FIELD_STATE, AT(call, state)},
    {"the call", FIELD_OBJECT, .fields = tool_fields},
    {"the options", FIELD_OBJECT, .optional = true, .fields = gate_options},
    {.name = NULL},
};
static const struct field ask_answer[] = {
    {"block", FIELD_BOOL, AT(gate_call, gate.block)},
    {"reason", FIELD_BUFFER, AT(gate_call, gate.reason)},
    {"rule", FIELD_NAME, AT(gate_call, gate.verdict.rule)},
    {.name = NULL},
};
static const struct field tools_arguments[] = {
    {"the state", FIELD_STATE, AT(call, state)},
    {"the names", FIELD_NAMES, AT(gate_call, names), COUNT_AT(gate_call, name_count)},
    {"the options", FIELD_OBJECT, .optional = true, .fields = gate_options},
    {.name = NULL}};
static const struct field tools_answer[] = {
    {"the names", FIELD_NAMES, AT(gate_call, names), COUNT_AT(gate_call, name_count)}};

static int run_ask(struct call *call)
{
    struct gate_call *ask = (struct gate_call *)call;
    return xylem_gate_ask(&ask->gate, call->state->readonly.enabled, &ask->tool, NULL, NULL, &ask->options, &call->err);
}

static int run_tools(struct call *call)
{
    struct gate_call *asked = (struct gate_call *)call;
    asked->name_count =
        xylem_gate_child_tools(call->state->readonly.enabled, asked->names, asked->name_count, &asked->options);
    return 0;
}

static void release_gate(struct call *call)
{
    xylem_gate_release(&((struct gate_call *)call)->gate);
}

/* --- Judge ------------------------------------------------------------------------------------------------------- */

/* The built-in policies: made once, and used by every thread. A policy with a configuration is made for each call. */
static struct xylem_policy *policies[XYLEM_POLICY_CONFIRM + 1];
static pthread_mutex_t policies_lock = PTHREAD_MUTEX_INITIALIZER;

struct judge_call {
    struct call call;
    enum xylem_policy_type policy;
    struct xylem_view command;
    const char *cwd;
    struct xylem_view config; /* JSON; empty: built in */
    struct xylem_verdict verdict;
    uint64_t offset; /* of the deciding part, in units of JavaScript */
    uint64_t units;
};

static const char *const policy_words[] = {
    [XYLEM_POLICY_READONLY] = "readonly", [XYLEM_POLICY_STRICT] = "strict", [XYLEM_POLICY_CONFIRM] = "confirm", NULL};
static const char *const decision_words[] = {[XYLEM_DENY] = "deny", [XYLEM_ASK] = "ask", [XYLEM_ALLOW] = "allow"};
static const struct field judge_arguments[] = {
    {"the policy", FIELD_WORD, AT(judge_call, policy), .words = policy_words},
    {"the command", FIELD_STRING, AT(judge_call, command)},
    {"cwd", FIELD_NAME, MAYBE_AT(judge_call, cwd)},
    {"the configuration", FIELD_STRING, MAYBE_AT(judge_call, config)},
    {.name = NULL},
};
static const struct field judged_fields[] = {
    {"decision", FIELD_WORD, AT(xylem_judged, decision), .words = decision_words},
    {"rule", FIELD_NAME, AT(xylem_judged, rule)},
    {"program", FIELD_BUFFER, AT(xylem_judged, name)},
    {.name = NULL},
};
static const struct field judge_answer[] = {
    {"decision", FIELD_WORD, AT(judge_call, verdict.decision), .words = decision_words},
    {"rule", FIELD_NAME, AT(judge_call, verdict.rule)},
    {"reason", FIELD_BUFFER, AT(judge_call, verdict.reason)},
    {"offset", FIELD_COUNT, AT(judge_call, offset)},
    {"length", FIELD_COUNT, AT(judge_call, units)},
    {"judged", FIELD_OBJECTS, AT(judge_call, verdict.judged), COUNT_AT(judge_call, verdict.judged_count),
     .item_bytes = sizeof(struct xylem_judged), .fields = judged_fields},
    {"grants", FIELD_BUFFERS, AT(judge_call, verdict.grants), COUNT_AT(judge_call, verdict.grant_count)},
    {"unlisted", FIELD_BOOL, AT(judge_call, verdict.unlisted)},
    {.name = NULL},
};

static int policy_of(struct xylem_policy **policy, struct judge_call *judge)
{
    if (judge->config.bytes > 0) {
        return xylem_policy_new_json(policy, judge->policy, judge->config, &judge->call.err);
    }
    pthread_mutex_lock(&policies_lock);
    int code = policies[judge->policy]
                   ? 0
                   : xylem_policy_new(&policies[judge->policy], &(struct xylem_policy_config){.type = judge->policy},
                                      &judge->call.err);
    *policy = policies[judge->policy];
    pthread_mutex_unlock(&policies_lock);
    return code;
}

static int run_judge(struct call *call)
{
    struct judge_call *judge = (struct judge_call *)call;
    struct xylem_policy *policy = NULL;
    int code = policy_of(&policy, judge);
    code = code < 0 ? code : xylem_policy_judge(&judge->verdict, policy, judge->command, judge->cwd, &call->err);
    if (judge->config.bytes > 0) {
        xylem_policy_free(policy);
    }
    if (code < 0) {
        return code;
    }
    judge->offset = utf16_units((struct xylem_view){judge->command.data, judge->verdict.offset});
    judge->units = utf16_units((struct xylem_view){judge->command.data + judge->verdict.offset, judge->verdict.bytes});
    return 0;
}

static void release_judge(struct call *call)
{
    xylem_verdict_release(&((struct judge_call *)call)->verdict);
}

/* --- The process ------------------------------------------------------------------------------------------------- */

struct note_call {
    struct call call;
    struct xylem_view key;
    struct xylem_view value; /* data NULL: takes the note away */
    struct xylem_buffer found;
};

static const struct field note_arguments[] = {
    {"the key", FIELD_STRING, AT(note_call, key)},
    {"the value", FIELD_STRING, MAYBE_AT(note_call, value)},
    {.name = NULL},
};
static const struct field noted_arguments[] = {
    {"the key", FIELD_STRING, AT(note_call, key)},
    {.name = NULL},
};
static const struct field noted_answer[] = {{"noted", FIELD_BUFFER, AT(note_call, found)}};

static int run_note(struct call *call)
{
    struct note_call *note = (struct note_call *)call;
    return note_write(note->key, note->value, &call->err);
}

static int run_noted(struct call *call)
{
    struct note_call *note = (struct note_call *)call;
    int code = note_read(&note->found, note->key, &call->err);
    call->none = code == 0;
    return code;
}

static void release_note(struct call *call)
{
    xylem_buffer_release(&((struct note_call *)call)->found);
}

struct facts_call {
    struct call call;
    const char *version;
    const char **kinds;
    size_t kind_count;
};

static const struct field version_answer[] = {{"version", FIELD_NAME, AT(facts_call, version)}};
static const struct field kinds_answer[] = {
    {"kinds", FIELD_NAMES, AT(facts_call, kinds), COUNT_AT(facts_call, kind_count)},
};

static int run_version(struct call *call)
{
    ((struct facts_call *)call)->version = xylem_version();
    return 0;
}

/* The kinds of every piece, as one list. */
static int run_kinds(struct call *call)
{
    struct facts_call *facts = (struct facts_call *)call;
    for (unsigned piece = 1; xylem_state_kinds(piece); piece <<= 1) {
        for (const char *const *kind = xylem_state_kinds(piece); *kind; kind++) {
            facts->kind_count++;
        }
    }
    facts->kinds = arena_take(&call->arena, (facts->kind_count + 1) * sizeof *facts->kinds);
    if (!facts->kinds) {
        return XYLEM_E_MEMORY;
    }
    const char **at = facts->kinds;
    for (unsigned piece = 1; xylem_state_kinds(piece); piece <<= 1) {
        for (const char *const *kind = xylem_state_kinds(piece); *kind; kind++) {
            *at++ = *kind;
        }
    }
    return 0;
}

/* ----------------------------------------------------------------------------------------------------------------- */

#define CALL(type) .call_bytes = sizeof(struct type##_call)
#define REHYDRATE CALL(rehydrate), .answer = state_answer, .is_value = true, .release = release_rehydrate
#define LOOK CALL(look), .arguments = look_arguments, .release = release_look
#define NOTE CALL(note), .release = release_note

const struct operation state_operations[] = {
    {"rehydrate", REHYDRATE, .arguments = rehydrate_arguments, .read = read_state},
    {"rehydrateFrom", REHYDRATE, .arguments = from_arguments, .run = run_rehydrate_from},
    {"look", LOOK, .answer = look_answer, .run = run_look},
    {"stateJson", LOOK, .answer = json_answer, .is_value = true, .run = run_json},
    {"ask", CALL(gate), .arguments = ask_arguments, .answer = ask_answer, .run = run_ask, .release = release_gate},
    {"childTools", CALL(gate), .arguments = tools_arguments, .answer = tools_answer, .is_value = true,
     .run = run_tools},
    {.name = NULL},
};

const struct operation process_operations[] = {
    {"judge", CALL(judge), .arguments = judge_arguments, .answer = judge_answer, .run = run_judge,
     .release = release_judge},
    {"note", NOTE, .arguments = note_arguments, .run = run_note},
    {"noted", NOTE, .arguments = noted_arguments, .answer = noted_answer, .is_value = true, .run = run_noted},
    {"stateKinds", CALL(facts), .answer = kinds_answer, .is_value = true, .run = run_kinds},
    {"version", CALL(facts), .answer = version_answer, .is_value = true, .run = run_version},
    {.name = NULL},
};
