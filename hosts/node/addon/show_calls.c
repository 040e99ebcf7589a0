/* Operations that show runs to a person, or to a session of the host. */
#include "hosts/node/addon/addon.h"
#include "xylem/sequence.h"

/* --- Texts ------------------------------------------------------------------------------------------------------- */

struct text_call {
    struct call call;
    struct xylem_view run_id;
    enum xylem_mark_event event;
    struct xylem_run_state state;
    struct xylem_buffer text;
};

static const char *const mark_events[] = {
    [XYLEM_MARK_BEGIN] = "begin", [XYLEM_MARK_END] = "end", [XYLEM_MARK_STOP] = "stop", NULL};

#define RUN                                                 \
    {"the store", FIELD_STORE, AT(call, store)},            \
    {                                                       \
        "the run's id", FIELD_STRING, AT(text_call, run_id) \
    }
static const struct field state_arguments[] = {RUN, {.name = NULL}};
static const struct field mark_arguments[] = {
    RUN, {"the event", FIELD_WORD, AT(text_call, event), .words = mark_events}, {.name = NULL}};
static const struct field text_answer[] = {{"text", FIELD_BUFFER, AT(text_call, text)}};

/* A run that does not exist, or was deleted, is null. */
static int read_state(struct call *call, struct xylem_txn *txn)
{
    struct text_call *asked = (struct text_call *)call;
    int code = xylem_run_read(&asked->state, txn, asked->run_id, &call->err);
    call->none = code == XYLEM_E_NOT_FOUND || code == XYLEM_E_DELETED;
    return call->none ? 0 : code < 0 ? code : xylem_run_state_json(&asked->text, &asked->state);
}

static int read_mark(struct call *call, struct xylem_txn *txn)
{
    struct text_call *asked = (struct text_call *)call;
    int code = xylem_run_read(&asked->state, txn, asked->run_id, &call->err);
    return code < 0 ? code : xylem_run_mark_json(&asked->text, &asked->state, asked->event);
}

static void release_text(struct call *call)
{
    struct text_call *asked = (struct text_call *)call;
    xylem_run_state_release(&asked->state);
    xylem_buffer_release(&asked->text);
}

/* --- The run that waits ------------------------------------------------------------------------------------------- */

struct open_run_call {
    struct call call;
    struct xylem_view cwd;
    struct xylem_view session; /* data NULL: any */
    struct xylem_run_state state;
    const char *run_id;
};

static const struct field open_run_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"cwd", FIELD_STRING, AT(open_run_call, cwd)},
    {"the session", FIELD_STRING, MAYBE_AT(open_run_call, session)},
    {.name = NULL},
};
static const struct field open_run_answer[] = {{"the run's id", FIELD_NAME, AT(open_run_call, run_id)}};

static int read_open_run(struct call *call, struct xylem_txn *txn)
{
    struct open_run_call *asked = (struct open_run_call *)call;
    int found = xylem_run_waiting(&asked->state, txn, asked->cwd, asked->session, &call->err);
    asked->run_id = asked->state.run_id;
    call->none = found == 0;
    return found < 0 ? found : 0;
}

static void release_open_run(struct call *call)
{
    xylem_run_state_release(&((struct open_run_call *)call)->state);
}

/* ----------------------------------------------------------------------------------------------------------------- */

#define TEXT .call_bytes = sizeof(struct text_call), .answer = text_answer, .is_value = true, .release = release_text

const struct operation show_operations[] = {
    {"runState", TEXT, .arguments = state_arguments, .read = read_state},
    {"runMark", TEXT, .arguments = mark_arguments, .read = read_mark},
    {"openRun", .call_bytes = sizeof(struct open_run_call), .arguments = open_run_arguments, .answer = open_run_answer,
     .is_value = true, .read = read_open_run, .release = release_open_run},
    {.name = NULL},
};
