/* Operations that show runs to a person, or to a session of the host. */
#include "hosts/node/addon/addon.h"
#include "xylem/sequence.h"

#include <stdio.h>
#include <string.h>

#include "base/value.h"
#include "hosts/node/addon/strings.h"

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

/* --- The newest open run ------------------------------------------------------------------------------------------ */

#define RUNS_LOOKED_MAX 100 /* a start must not take longer with each run of the past */

struct open_run_call {
    struct call call;
    struct xylem_view cwd;
    struct xylem_view session; /* data NULL: any */
    char run_id[XYLEM_UUID_TEXT_BYTES];
    struct xylem_view found;
};

static const struct field open_run_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"cwd", FIELD_STRING, AT(open_run_call, cwd)},
    {"the session", FIELD_STRING, MAYBE_AT(open_run_call, session)},
    {.name = NULL},
};
static const struct field open_run_answer[] = {{"the run's id", FIELD_STRING, AT(open_run_call, found)}};

/* 1 if a run without a living owner waits in the directory, and in the session if one is given, else 0. */
static int waits_there(const struct xylem_run_state *state, struct open_run_call *asked, struct xylem_txn *txn)
{
    struct xylem_session ledger;
    char id[sizeof "seq." + XYLEM_UUID_TEXT_BYTES];
    if ((state->phase != XYLEM_RUN_PAUSED && state->phase != XYLEM_RUN_INTERRUPTED) ||
        (asked->session.data && !xylem_base__view_equal(state->host_session, asked->session))) {
        return 0;
    }
    snprintf(id, sizeof id, "seq.%s", state->run_id);
    int code = xylem_session_find(&ledger, txn, xylem_view_of(id), &asked->call.err);
    return code < 0 ? code : xylem_base__view_equal(ledger.cwd, asked->cwd);
}

static int read_open_run(struct call *call, struct xylem_txn *txn)
{
    struct open_run_call *asked = (struct open_run_call *)call;
    struct xylem_run_state state;
    struct xylem_runs *runs;
    int code = xylem_runs_new(&runs, txn, &call->err);
    if (code < 0) {
        return code;
    }
    for (int looked = 0; looked < RUNS_LOOKED_MAX && (code = xylem_runs_next(&state, runs, &call->err)) == 1;
         looked++) {
        if ((code = waits_there(&state, asked, txn)) == 1) {
            memcpy(asked->run_id, state.run_id, sizeof asked->run_id);
            asked->found = xylem_view_of(asked->run_id);
        }
        xylem_run_state_release(&state);
        if (code != 0) {
            break;
        }
    }
    xylem_runs_free(runs);
    return code < 0 ? code : 0;
}

/* ----------------------------------------------------------------------------------------------------------------- */

#define TEXT .call_bytes = sizeof(struct text_call), .answer = text_answer, .is_value = true, .release = release_text

const struct operation show_operations[] = {
    {"runState", TEXT, .arguments = state_arguments, .read = read_state},
    {"runMark", TEXT, .arguments = mark_arguments, .read = read_mark},
    {"openRun", .call_bytes = sizeof(struct open_run_call), .arguments = open_run_arguments, .answer = open_run_answer,
     .is_value = true, .read = read_open_run},
    {.name = NULL},
};
