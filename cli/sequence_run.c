/* Finds the run that a user names, and says how far a run is. */
#include "cli/sequence.h"

#include <string.h>

#define RUN_BYTES_MIN 4u

struct search {
    struct xylem_view word; /* the beginning of the run's id */
    char *run_id;
    struct xylem_cli__candidates found;
};

/* Counts the live ledgers whose runs begin with the word, and keeps the first. */
static int look(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct search *search = context;
    struct xylem_view id;
    (void)cli;
    if (session->state == XYLEM_SESSION_LIVE && xylem_run_of_session(&id, session->id) &&
        xylem_base__view_begins(id, search->word)) {
        if (search->found.count == 0) {
            memcpy(search->run_id, id.data, XYLEM_UUID_TEXT_BYTES - 1);
            search->run_id[XYLEM_UUID_TEXT_BYTES - 1] = '\0';
        }
        xylem_cli__candidate(&search->found, id);
    }
    return 0;
}

int xylem_cli__run_find(struct xylem_cli *cli, char run_id[XYLEM_UUID_TEXT_BYTES], const char *spec)
{
    struct search search = {.word = xylem_view_of(spec), .run_id = run_id};
    struct xylem_view id;
    if (xylem_run_of_session(&id, search.word)) {
        search.word = id; /* the id of a ledger names its run */
    }
    bool is_short = search.word.bytes < RUN_BYTES_MIN;
    int code = is_short ? 0 : xylem_cli__each_session(cli, look, &search);
    code = xylem_cli__candidates_end(cli, &search.found, code, xylem_view_of(spec), "runs begin with it");
    return code != XYLEM_E_NOT_FOUND ? code
                                     : xylem_cli__fail(cli, code, "there is no run '%s'%s", spec,
                                                       is_short ? " (the beginning of an id needs 4 characters)" : "");
}

int xylem_cli__run_read(struct xylem_cli *cli, struct xylem_run_state *state, const char *spec)
{
    char run_id[XYLEM_UUID_TEXT_BYTES];
    int code = xylem_cli__run_find(cli, run_id, spec);
    return code < 0 ? code : xylem_run_read(state, cli->txn, xylem_view_of(run_id), &cli->err);
}

int xylem_cli__run_damaged(struct xylem_cli *cli, const struct xylem_run_state *state)
{
    struct xylem_cli__text text = {0};
    xylem_cli__addf(&text, "the ledger of run %s is damaged: %.*s; ", state->run_id, (int)state->message.bytes,
                    state->message.data);
    xylem_cli__add_named(cli, &text, "sequence log", state->run_id);
    xylem_cli__add(&text, " shows the ledger");
    return xylem_cli__fail_text(cli, XYLEM_E_MALFORMED, &text);
}

bool xylem_cli__run_ended(const struct xylem_run_state *state)
{
    return state->phase == XYLEM_RUN_DONE || state->phase == XYLEM_RUN_FAILED || state->phase == XYLEM_RUN_STOPPED ||
           state->phase == XYLEM_RUN_REDACTED;
}

void xylem_cli__add_place(struct xylem_cli__text *text, const struct xylem_run_state *state)
{
    size_t step = state->step_index < state->step_count ? state->step_index + 1 : state->step_count;
    xylem_cli__addf(text, "step %zu of %zu in run %u of %u", step, state->step_count, state->run_index + 1,
                    state->total_runs);
}
