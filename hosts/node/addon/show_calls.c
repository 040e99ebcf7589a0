/* Operations that show sequences and runs to a person, or to a session of the host. */
#include "hosts/node/addon/addon.h"

#include <stdio.h>
#include <string.h>

#include "hosts/node/addon/strings.h"

/* --- Texts ------------------------------------------------------------------------------------------------------- */

struct text_call {
    struct call call;
    struct xylem_view *steps;
    size_t step_count;
    struct xylem_recorder *recorder; /* an argument belongs to its handle */
    struct xylem_view run_id;
    enum xylem_mark_event event;
    struct xylem_sequence_text_options options;
    uint64_t cells;
    uint64_t step_lines;
    struct xylem_run_state state;
    bool none; /* there is no such run */
    struct xylem_buffer text;
};

static const char *const mark_events[] = {
    [XYLEM_MARK_BEGIN] = "begin", [XYLEM_MARK_END] = "end", [XYLEM_MARK_STOP] = "stop", NULL};

static const struct field text_options[] = {
    {"ascii", FIELD_BOOL, MAYBE_AT(text_call, options.ascii)},
    {"cells", FIELD_COUNT, MAYBE_AT(text_call, cells)},
    {"stepLines", FIELD_COUNT, MAYBE_AT(text_call, step_lines)},
    {"ownSession", FIELD_STRING, MAYBE_AT(text_call, options.own_session)},
    {.name = NULL},
};
#define OPTIONS                                                               \
    {                                                                         \
        "the options", FIELD_OBJECT, .optional = true, .fields = text_options \
    }
#define RUN                                                 \
    {"the store", FIELD_STORE, AT(call, store)},            \
    {                                                       \
        "the run's id", FIELD_STRING, AT(text_call, run_id) \
    }
static const struct field preview_arguments[] = {
    {"the steps", FIELD_STRINGS, AT(text_call, steps), COUNT_AT(text_call, step_count)}, OPTIONS, {.name = NULL}};
static const struct field recording_arguments[] = {
    {"the recorder", FIELD_RECORDER, AT(text_call, recorder)}, OPTIONS, {.name = NULL}};
static const struct field run_text_arguments[] = {RUN, OPTIONS, {.name = NULL}};
static const struct field state_arguments[] = {RUN, {.name = NULL}};
static const struct field mark_arguments[] = {
    RUN, {"the event", FIELD_WORD, AT(text_call, event), .words = mark_events}, {.name = NULL}};
static const struct field text_answer[] = {{"text", FIELD_BUFFER, AT(text_call, text)}};

static uint32_t at_most_32_bits(uint64_t number)
{
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static const struct xylem_sequence_text_options *options_of(struct text_call *asked)
{
    asked->options.cells = at_most_32_bits(asked->cells);
    asked->options.step_lines = at_most_32_bits(asked->step_lines);
    return &asked->options;
}

static int run_preview(struct call *call)
{
    struct text_call *asked = (struct text_call *)call;
    return xylem_sequence_preview(&asked->text, asked->steps, asked->step_count, options_of(asked));
}

static int run_recording(struct call *call)
{
    struct text_call *asked = (struct text_call *)call;
    return xylem_recorder_status(&asked->text, asked->recorder, options_of(asked));
}

/* Reads the state of a run: 1, or 0 without such a run. A deleted run is none. */
static int read_run(struct xylem_run_state *state, struct call *call, struct xylem_txn *txn, struct xylem_view run_id)
{
    int code = xylem_run_read(state, txn, run_id, &call->err);
    return code == XYLEM_E_NOT_FOUND || code == XYLEM_E_DELETED ? 0 : code < 0 ? code : 1;
}

static int read_text_run(struct call *call, struct xylem_txn *txn)
{
    struct text_call *asked = (struct text_call *)call;
    int code = read_run(&asked->state, call, txn, asked->run_id);
    asked->none = code == 0;
    return code < 0 ? code : 0;
}

static int run_status(struct call *call)
{
    struct text_call *asked = (struct text_call *)call;
    int code = call_read(call, read_text_run);
    return code < 0 || asked->none ? code : xylem_run_status(&asked->text, &asked->state, options_of(asked));
}

static int run_notice(struct call *call)
{
    struct text_call *asked = (struct text_call *)call;
    int code = call_read(call, read_text_run);
    return code < 0 || asked->none ? code : xylem_run_notice(&asked->text, &asked->state, options_of(asked));
}

static int run_state(struct call *call)
{
    struct text_call *asked = (struct text_call *)call;
    int code = call_read(call, read_text_run);
    call->none = asked->none;
    return code < 0 || asked->none ? code : xylem_run_state_json(&asked->text, &asked->state);
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

/* --- Menu -------------------------------------------------------------------------------------------------------- */

struct menu_call {
    struct call call;
    struct xylem_view catalogue;
    struct xylem_view *steps; /* NULL: no snapshot */
    size_t step_count;
    struct xylem_view run_id; /* data NULL: no run */
    struct xylem_view own_session;
    struct xylem_catalogue *commands;
    struct xylem_resolution resolution; /* lives as long as the rows */
    struct xylem_run_state state;
    struct xylem_menu_row list[XYLEM_MENU_ROWS_MAX];
    struct xylem_menu_row *rows;
    size_t row_count;
};

static const struct field menu_fields[] = {
    {"catalogue", FIELD_STRING, AT(menu_call, catalogue)},
    {"steps", FIELD_STRINGS, MAYBE_AT(menu_call, steps), COUNT_AT(menu_call, step_count)},
    {"runId", FIELD_STRING, MAYBE_AT(menu_call, run_id)},
    {"ownSession", FIELD_STRING, MAYBE_AT(menu_call, own_session)},
    {.name = NULL},
};
static const struct field menu_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the menu", FIELD_OBJECT, .fields = menu_fields},
    {.name = NULL},
};
static const struct field row_fields[] = {
    {"word", FIELD_NAME, AT(xylem_menu_row, word)},
    {"label", FIELD_NAME, AT(xylem_menu_row, label)},
    {"enabled", FIELD_BOOL, AT(xylem_menu_row, enabled)},
    {"reason", FIELD_STRING, AT(xylem_menu_row, reason)},
    {.name = NULL},
};
static const struct field menu_answer[] = {{"rows", FIELD_OBJECTS, AT(menu_call, rows), COUNT_AT(menu_call, row_count),
                                            .item_bytes = sizeof(struct xylem_menu_row), .fields = row_fields}};

static int read_menu(struct call *call, struct xylem_txn *txn)
{
    struct menu_call *asked = (struct menu_call *)call;
    int code = asked->run_id.data ? read_run(&asked->state, call, txn, asked->run_id) : 0;
    const struct xylem_run_state *state = code == 1 ? &asked->state : NULL;
    if (code < 0 || (code = xylem_catalogue_new_json(&asked->commands, asked->catalogue, &call->err)) < 0 ||
        (asked->steps && (code = xylem_sequence_resolve(&asked->resolution, asked->commands, asked->steps,
                                                        asked->step_count, NULL, 0, &call->err)) < 0)) {
        return code;
    }
    asked->rows = asked->list;
    asked->row_count =
        xylem_sequence_menu(asked->rows, asked->steps ? &asked->resolution : NULL, state, asked->own_session);
    return 0;
}

static void release_menu(struct call *call)
{
    struct menu_call *asked = (struct menu_call *)call;
    xylem_run_state_release(&asked->state);
    xylem_resolution_release(&asked->resolution);
    xylem_catalogue_free(asked->commands);
}

/* --- The newest open run ------------------------------------------------------------------------------------------ */

#define RUNS_LOOKED_MAX 100 /* a start must not take longer with each run of the past */

struct open_run_call {
    struct call call;
    struct xylem_view cwd;
    char run_id[XYLEM_UUID_TEXT_BYTES];
    struct xylem_view found;
};

static const struct field open_run_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"cwd", FIELD_STRING, AT(open_run_call, cwd)},
    {.name = NULL},
};
static const struct field open_run_answer[] = {{"the run's id", FIELD_STRING, AT(open_run_call, found)}};

/* 1 if a run without a living owner waits in the directory, else 0. */
static int waits_there(const struct xylem_run_state *state, struct open_run_call *asked, struct xylem_txn *txn)
{
    struct xylem_session ledger;
    char id[sizeof "seq." + XYLEM_UUID_TEXT_BYTES];
    if (state->phase != XYLEM_RUN_PAUSED && state->phase != XYLEM_RUN_INTERRUPTED) {
        return 0;
    }
    snprintf(id, sizeof id, "seq.%s", state->run_id);
    int code = xylem_session_find(&ledger, txn, xylem_view_of(id), &asked->call.err);
    return code < 0 ? code
                    : ledger.cwd.bytes == asked->cwd.bytes &&
                          memcmp(ledger.cwd.data, asked->cwd.data, asked->cwd.bytes) == 0;
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
    {"sequencePreview", TEXT, .arguments = preview_arguments, .run = run_preview},
    {"recorderStatus", TEXT, .arguments = recording_arguments, .run = run_recording},
    {"runState", TEXT, .arguments = state_arguments, .run = run_state},
    {"runStatus", TEXT, .arguments = run_text_arguments, .run = run_status},
    {"runNotice", TEXT, .arguments = run_text_arguments, .run = run_notice},
    {"runMark", TEXT, .arguments = mark_arguments, .read = read_mark},
    {"sequenceMenu", .call_bytes = sizeof(struct menu_call), .arguments = menu_arguments, .answer = menu_answer,
     .is_value = true, .read = read_menu, .release = release_menu},
    {"openRun", .call_bytes = sizeof(struct open_run_call), .arguments = open_run_arguments, .answer = open_run_answer,
     .is_value = true, .read = read_open_run},
    {.name = NULL},
};
