/* Operations that make runs, and lead them. */
#include "hosts/node/addon/addon.h"

#include <string.h>

#include "hosts/node/addon/runs.h"
#include "hosts/node/addon/steps.h"
#include "hosts/node/addon/strings.h"

/* --- Begin ------------------------------------------------------------------------------------------------------- */

struct start_call {
    struct call call;
    struct xylem_view catalogue;
    struct xylem_run_options options;
    struct xylem_view *steps;
    struct xylem_view *args; /* NULL: none were given */
    uint64_t total_runs;
    char id[XYLEM_UUID_TEXT_BYTES];
    const char *run_id;
};

static const struct field start_options[] = {
    {"sequenceId", FIELD_STRING, AT(start_call, options.sequence_id)},
    {"steps", FIELD_STRINGS, AT(start_call, steps), COUNT_AT(start_call, options.step_count)},
    {"args", FIELD_STRINGS, MAYBE_AT(start_call, args), COUNT_AT(start_call, options.arg_count)},
    {"iterationCount", FIELD_COUNT, MAYBE_AT(start_call, total_runs)},
    {"fresh", FIELD_BOOL, MAYBE_AT(start_call, options.fresh)},
    {"session", FIELD_STRING, AT(start_call, options.session)},
    {"entry", FIELD_STRING, MAYBE_AT(start_call, options.entry)},
    {"cwd", FIELD_STRING, MAYBE_AT(start_call, options.cwd)},
    {.name = NULL},
};
static const struct field start_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the catalogue", FIELD_STRING, AT(start_call, catalogue)},
    {"the options", FIELD_OBJECT, .fields = start_options},
    {.name = NULL},
};
static const struct field start_answer[] = {{"the run's id", FIELD_NAME, AT(start_call, run_id)}};

static int run_start(struct call *call)
{
    struct start_call *start = (struct start_call *)call;
    struct xylem_catalogue *catalogue;
    int code = xylem_catalogue_new_json(&catalogue, start->catalogue, &call->err);
    if (code < 0) {
        return code;
    }
    start->options.steps = start->steps;
    start->options.args = start->args;
    start->options.substitute = start->args != NULL;
    start->options.total_runs = start->total_runs < UINT32_MAX ? (uint32_t)start->total_runs : UINT32_MAX;
    start->run_id = start->id;
    code = runs_start(start->id, call->store, catalogue, &start->options, &call->err);
    xylem_catalogue_free(catalogue);
    return code;
}

struct resume_call {
    struct call call;
    struct xylem_view run_id;
    enum xylem_run_decision decision;
    struct xylem_view session;
    struct xylem_view message;
};

static const char *const decisions[] = {
    [XYLEM_RUN_CONTINUE] = "continue", [XYLEM_RUN_RETRY] = "retry", [XYLEM_RUN_SKIP] = "skip", NULL};

static const struct field open_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the run's id", FIELD_STRING, AT(resume_call, run_id)},
    {"the decision", FIELD_WORD, AT(resume_call, decision), .words = decisions},
    {"the session", FIELD_STRING, AT(resume_call, session)},
    {.name = NULL},
};
static const struct field end_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the run's id", FIELD_STRING, AT(resume_call, run_id)},
    {"the message", FIELD_STRING, AT(resume_call, message)},
    {.name = NULL},
};

static int run_open(struct call *call)
{
    struct resume_call *resume = (struct resume_call *)call;
    return runs_open(call->store, resume->run_id, resume->decision, resume->session, &call->err);
}

static int run_end(struct call *call)
{
    struct resume_call *resume = (struct resume_call *)call;
    return xylem_run_end(store_handle(call->store), resume->run_id, resume->message, &call->err);
}

/* --- Actions ----------------------------------------------------------------------------------------------------- */

struct next_call {
    struct call call;
    struct xylem_view run_id;
    struct xylem_view catalogue;
    enum xylem_action_type type;
    uint64_t run_index;
    uint64_t step_index;
    uint64_t attempt;
    struct step_value value;
    struct step_value *step; /* NULL: the action has none */
    struct xylem_view *args; /* of the run */
    size_t arg_count;
    bool has_args; /* false: steps are executed as authored */
    struct xylem_buffer state;
};

static const char *const action_types[] = {[XYLEM_ACTION_EXECUTE] = "execute",
                                           [XYLEM_ACTION_NEW_SESSION] = "new-session",
                                           [XYLEM_ACTION_FINISHED] = "finished"};

static const struct field next_arguments[] = {
    {"the run's id", FIELD_STRING, AT(next_call, run_id)},
    {"the catalogue", FIELD_STRING, AT(next_call, catalogue)},
    {.name = NULL},
};
static const struct field next_answer[] = {
    {"type", FIELD_WORD, AT(next_call, type), .words = action_types},
    {"iteration", FIELD_COUNT, AT(next_call, run_index)},
    {"stepIndex", FIELD_COUNT, AT(next_call, step_index)},
    {"attempt", FIELD_COUNT, AT(next_call, attempt)},
    {"step", FIELD_OBJECT_MAYBE, AT(next_call, step), .fields = step_fields},
    {"args", FIELD_STRINGS, AT(next_call, args), COUNT_AT(next_call, arg_count)},
    {"hasArgs", FIELD_BOOL, AT(next_call, has_args)},
    {"state", FIELD_BUFFER, AT(next_call, state)},
    {.name = NULL},
};

/* Copies the action, which ends with the next call of any thread. */
static int keep_action(struct next_call *next, const struct xylem_action *action)
{
    next->type = action->type;
    next->run_index = action->run_index;
    next->step_index = action->step_index;
    next->attempt = action->attempt;
    int code = 0;
    if (action->step) {
        next->step = &next->value;
        code = step_keep(next->step, &next->call, action->step);
    }
    next->has_args = action->state->args != NULL;
    next->args = arena_take(&next->call.arena, (action->state->arg_count + 1) * sizeof *next->args);
    code = code < 0 ? code : next->args ? 0 : XYLEM_E_MEMORY;
    for (size_t i = 0; code == 0 && i < action->state->arg_count; i++) {
        code = call_keep(&next->args[next->arg_count++], &next->call, action->state->args[i]);
    }
    if (code < 0) {
        return code;
    }
    return xylem_run_state_json(&next->state, action->state);
}

static int run_next(struct call *call)
{
    struct next_call *next = (struct next_call *)call;
    struct xylem_catalogue *catalogue;
    struct xylem_action action;
    int code = xylem_catalogue_new_json(&catalogue, next->catalogue, &call->err);
    if (code < 0) {
        return code;
    }
    struct open_run *open = runs_enter(next->run_id, &call->err);
    if (!open) {
        xylem_catalogue_free(catalogue);
        return XYLEM_E_NOT_FOUND;
    }
    if ((code = runs_next(&action, open, catalogue, &call->err)) == 0) {
        code = keep_action(next, &action);
    }
    runs_leave(open);
    return code;
}

static void release_next(struct call *call)
{
    xylem_buffer_release(&((struct next_call *)call)->state);
}

/* --- Ends of actions --------------------------------------------------------------------------------------------- */

struct report_call {
    struct call call;
    struct xylem_view run_id;
    struct xylem_view text; /* a hash, an entry, a session, or a message */
    enum xylem_run_code code;
    bool is_open;
};

#define WORD(name, word) [name] = word,
static const char *const run_codes[] = {XYLEM_RUN_CODE_LIST(WORD) NULL};
#undef WORD

static const struct field run_arguments[] = {
    {"the run's id", FIELD_STRING, AT(report_call, run_id)},
    {.name = NULL},
};
static const struct field done_arguments[] = {
    {"the run's id", FIELD_STRING, AT(report_call, run_id)},
    {"the entry's id", FIELD_STRING, MAYBE_AT(report_call, text)},
    {.name = NULL},
};
static const struct field session_arguments[] = {
    {"the run's id", FIELD_STRING, AT(report_call, run_id)},
    {"the session", FIELD_STRING, AT(report_call, text)},
    {.name = NULL},
};
static const struct field claim_arguments[] = {
    {"the run's id", FIELD_STRING, AT(report_call, run_id)},
    {"the hash of the text", FIELD_STRING, AT(report_call, text)},
    {.name = NULL},
};
static const struct field stop_arguments[] = {
    {"the run's id", FIELD_STRING, AT(report_call, run_id)},
    {"the message", FIELD_STRING, AT(report_call, text)},
    {.name = NULL},
};
static const struct field code_arguments[] = {
    {"the run's id", FIELD_STRING, AT(report_call, run_id)},
    {"the code", FIELD_WORD, AT(report_call, code), .words = run_codes},
    {"the message", FIELD_STRING, AT(report_call, text)},
    {.name = NULL},
};
static const struct field is_open_answer[] = {{"is open", FIELD_BOOL, AT(report_call, is_open)}};

static int report(struct call *call, int (*tell)(struct xylem_run *run, struct report_call *asked))
{
    struct report_call *asked = (struct report_call *)call;
    struct open_run *open = runs_enter(asked->run_id, &call->err);
    if (!open) {
        return XYLEM_E_NOT_FOUND;
    }
    int code = tell(runs_handle(open), asked);
    runs_leave(open);
    return code;
}

static int tell_claim(struct xylem_run *run, struct report_call *asked)
{
    return xylem_run_claim(run, asked->text, &asked->call.err);
}

static int tell_done(struct xylem_run *run, struct report_call *asked)
{
    return xylem_run_done(run, asked->text, &asked->call.err);
}

static int tell_session(struct xylem_run *run, struct report_call *asked)
{
    return xylem_run_in_session(run, asked->text, &asked->call.err);
}

static int tell_failed(struct xylem_run *run, struct report_call *asked)
{
    return xylem_run_failed(run, asked->code, asked->text, &asked->call.err);
}

static int tell_stop(struct xylem_run *run, struct report_call *asked)
{
    return xylem_run_stop(run, asked->text, &asked->call.err);
}

static int tell_pause(struct xylem_run *run, struct report_call *asked)
{
    return xylem_run_pause(run, asked->code, asked->text, &asked->call.err);
}

static int run_claim(struct call *call)
{
    return report(call, tell_claim);
}

static int run_done(struct call *call)
{
    return report(call, tell_done);
}

static int run_in_session(struct call *call)
{
    return report(call, tell_session);
}

static int run_failed(struct call *call)
{
    return report(call, tell_failed);
}

static int run_stop(struct call *call)
{
    return report(call, tell_stop);
}

static int run_pause(struct call *call)
{
    return report(call, tell_pause);
}

static int run_close(struct call *call)
{
    return runs_close(((struct report_call *)call)->run_id, &call->err);
}

static int run_is_open(struct call *call)
{
    struct report_call *asked = (struct report_call *)call;
    asked->is_open = runs_is_open(asked->run_id);
    return 0;
}

/* ----------------------------------------------------------------------------------------------------------------- */

#define CALL(type) .call_bytes = sizeof(struct type##_call), .waits = true

const struct operation run_operations[] = {
    {"runStart", CALL(start), .arguments = start_arguments, .answer = start_answer, .is_value = true, .run = run_start},
    {"runOpen", CALL(resume), .arguments = open_arguments, .run = run_open},
    {"runEnd", CALL(resume), .arguments = end_arguments, .run = run_end},
    {"runNext", CALL(next), .arguments = next_arguments, .answer = next_answer, .run = run_next,
     .release = release_next},
    {"runClaim", CALL(report), .arguments = claim_arguments, .run = run_claim},
    {"runDone", CALL(report), .arguments = done_arguments, .run = run_done},
    {"runInSession", CALL(report), .arguments = session_arguments, .run = run_in_session},
    {"runFailed", CALL(report), .arguments = code_arguments, .run = run_failed},
    {"runStop", CALL(report), .arguments = stop_arguments, .run = run_stop},
    {"runPause", CALL(report), .arguments = code_arguments, .run = run_pause},
    {"runClose", CALL(report), .arguments = run_arguments, .run = run_close},
    {"runIsOpen", .call_bytes = sizeof(struct report_call), .arguments = run_arguments, .answer = is_open_answer,
     .is_value = true, .run = run_is_open},
    {.name = NULL},
};
