/* xylem sequence runs: the runs of the store, or of a session. */
#include "cli/sequence.h"

#include <stdlib.h>

#define FINISHED_SHOWN_MS ((int64_t)7 * 24 * 60 * 60 * 1000)
#define NARROW_CELLS 120u

struct runs_options {
    bool all;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option runs_table[] = {
    {"all", 'a', NULL, XYLEM_CLI__FLAG, offsetof(struct runs_options, all), "also runs that ended more than a week ago",
     NULL},
    XYLEM_CLI__FORM_ROWS(struct runs_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static const struct xylem_cli__column columns[] = {
    {"RUN", false, 0, XYLEM_CLI__YELLOW, true},
    {"STARTED", true, 0, XYLEM_CLI__DIM, false},
    {"STATE", false, 0, NULL, false},
    {"ITERATION", true, 0, NULL, false},
    {"STEP", true, 0, NULL, false},
    {"SESSION", false, 0, XYLEM_CLI__YELLOW, false},
    {"OWNER", false, 8, NULL, false},
};

struct listing {
    const struct runs_options *given;
    struct xylem_session session; /* with `one` */
    bool one;                     /* only runs of that session */
    struct xylem_run_state *list;
    size_t count;
    size_t capacity;
    size_t hidden_count; /* runs that ended long ago */
};

static bool is_of_session(const struct listing *listing, const struct xylem_run_state *state)
{
    return !listing->one || xylem_base__view_equal(state->origin, listing->session.id) ||
           xylem_base__view_equal(state->host_session, listing->session.id);
}

static int gather(struct xylem_cli *cli, struct listing *listing)
{
    struct xylem_runs *runs = NULL;
    int code = xylem_runs_new(&runs, cli->txn, &cli->err);
    while (code == 0) {
        struct xylem_run_state state = {.storage = NULL};
        if ((code = xylem_runs_next(&state, runs, &cli->err)) != 1) {
            break;
        }
        bool wanted = is_of_session(listing, &state);
        bool old = wanted && !listing->given->all && xylem_cli__run_ended(&state) &&
                   state.newest_ms < cli->now_ms - FINISHED_SHOWN_MS;
        listing->hidden_count += old;
        code = !wanted || old ? 0
                              : xylem_cli__list_add(cli, &listing->list, &listing->count, &listing->capacity, &state,
                                                    sizeof state);
        if (!wanted || old || code < 0) {
            xylem_run_state_release(&state);
        }
    }
    xylem_runs_free(runs);
    return code;
}

/* `2/5`, or `-` if there is nothing to count. */
static void add_part(struct xylem_cli__table *table, size_t index, size_t count)
{
    if (count == 0) {
        xylem_cli__table_add(table, xylem_view_of("-"));
        return;
    }
    xylem_cli__addf(&table->cell, "%zu/%zu", index < count ? index + 1 : count, count);
    xylem_cli__table_end_cell(table);
}

static void add_row(const struct xylem_cli *cli, struct xylem_cli__table *table, const struct xylem_run_state *state,
                    const struct xylem_cli__short_ids *run_ids, const struct xylem_cli__short_ids *session_ids)
{
    const struct xylem_view session = state->host_session;
    struct xylem_cli__text *cell = &table->cell;
    xylem_cli__table_add(table, xylem_cli__short_id(run_ids, xylem_view_of(state->run_id)));
    if (state->started_ms == 0) { /* the start cannot be read */
        xylem_cli__add(cell, "-");
    } else {
        xylem_cli__add_when(cli, cell, state->started_ms);
    }
    xylem_cli__table_end_cell(table);
    xylem_cli__table_add(table, xylem_view_of(xylem_run_phase_word(state->phase)));
    add_part(table, state->run_index, state->total_runs);
    add_part(table, state->step_index, state->step_count);
    xylem_cli__table_add(table, session.data ? xylem_cli__short_id(session_ids, session) : xylem_view_of("-"));
    if (!state->owned) {
        xylem_cli__add(cell, "-");
    } else if (!state->owner.alive) {
        xylem_cli__add(cell, "gone");
    } else {
        xylem_cli__addf(cell, "%lld on %s", (long long)state->owner.pid, state->owner.host);
    }
    xylem_cli__table_end_cell(table);
}

static int put_table(struct xylem_cli *cli, const struct listing *listing)
{
    struct xylem_cli__table table = {.columns = columns, .column_count = sizeof columns / sizeof columns[0]};
    struct xylem_cli__short_ids run_ids = {0};
    struct xylem_cli__short_ids session_ids = {0};
    bool narrow = cli->width > 0 && cli->width < NARROW_CELLS;
    int code = 0;
    for (size_t i = 0; code == 0 && narrow && i < listing->count; i++) {
        code = xylem_cli__short_ids_add(cli, &run_ids, xylem_view_of(listing->list[i].run_id));
    }
    xylem_cli__short_ids_sort(&run_ids);
    if (code < 0 || (narrow && (code = xylem_cli__short_ids_read(cli, &session_ids)) < 0)) {
        goto out;
    }
    for (size_t i = 0; i < listing->count; i++) {
        add_row(cli, &table, &listing->list[i], &run_ids, &session_ids);
    }
    code = xylem_cli__table_put(cli, &table);
    if (code == 0 && listing->hidden_count > 0) {
        xylem_cli__note(cli, "%zu %s ended more than a week ago (--all shows them)", listing->hidden_count,
                        listing->hidden_count == 1 ? "run" : "runs");
    } else if (code == 0 && listing->count == 0) {
        xylem_cli__note(cli, "there are no runs");
    }
out:
    xylem_cli__short_ids_release(&run_ids);
    xylem_cli__short_ids_release(&session_ids);
    xylem_cli__table_release(&table);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct listing listing = {.given = options, .one = arguments[0] != NULL};
    struct xylem_cli__documents documents;
    struct xylem_cli__text text = {0};
    int code;
    if ((code = xylem_cli__documents_start(cli, &documents, listing.given->form, "runs")) < 0 ||
        (code = xylem_cli__open_paged(cli, !documents.wanted)) < 0 ||
        (listing.one && (code = xylem_cli__session(cli, &listing.session, arguments[0])) < 0) ||
        (code = gather(cli, &listing)) < 0) {
        goto out;
    }
    if (!documents.wanted) {
        code = put_table(cli, &listing);
        goto out;
    }
    for (size_t i = 0; code == 0 && i < listing.count; i++) {
        text.failed = xylem_run_state_json(&text.bytes, &listing.list[i]) < 0;
        code = xylem_cli__documents_put(cli, &documents, &text);
    }
    code = code != 0 ? code : xylem_cli__documents_end(cli, &documents);
out:
    xylem_cli__text_release(&text);
    for (size_t i = 0; i < listing.count; i++) {
        xylem_run_state_release(&listing.list[i]);
    }
    free(listing.list);
    return code;
}

const struct xylem_cli__command xylem_cli__sequence_runs = {
    .name = "sequence runs",
    .summary = "List the runs of sequences, the newest first",
    .usage = "[SESSION] [--all] [--json|--jsonl]",
    .details =
        "With SESSION lists the runs that were started in the session, or go on there. OWNER is the process that\n"
        "plays the run; `gone` is a process that ended without giving the run back.\n",
    .options = runs_table,
    .options_bytes = sizeof(struct runs_options),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
