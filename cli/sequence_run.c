/* Finds the run that a user names, and says how far a run is. */
#include "cli/sequence.h"

#include <string.h>

#define RUN_BYTES_MIN 4u
#define CANDIDATES_SHOWN 5u

/* Counts the live ledgers whose runs begin with the word, and keeps the first. */
static int find(struct xylem_cli *cli, char run_id[XYLEM_UUID_TEXT_BYTES], struct xylem_cli__text *names,
                struct xylem_view word)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    struct xylem_view id;
    int count = 0;
    int code = xylem_sessions_new(&sessions, cli->txn, &cli->err);
    while (code == 0 && (code = xylem_sessions_next(&session, sessions, &cli->err)) == 1) {
        code = 0;
        if (session.state != XYLEM_SESSION_LIVE || !xylem_run_of_session(&id, session.id) ||
            !xylem_cli__begins(id, word)) {
            continue;
        }
        if (count == 0) {
            memcpy(run_id, id.data, XYLEM_UUID_TEXT_BYTES - 1);
            run_id[XYLEM_UUID_TEXT_BYTES - 1] = '\0';
        }
        if (count++ < (int)CANDIDATES_SHOWN) {
            xylem_cli__add(names, count > 1 ? ", " : "");
            xylem_cli__add_bytes(names, id.data, id.bytes);
        }
    }
    xylem_sessions_free(sessions);
    return code < 0 ? code : count;
}

int xylem_cli__run_find(struct xylem_cli *cli, char run_id[XYLEM_UUID_TEXT_BYTES], const char *spec)
{
    struct xylem_cli__text names = {0};
    struct xylem_view word = xylem_view_of(spec);
    struct xylem_view id;
    if (xylem_run_of_session(&id, word)) {
        word = id; /* the id of a ledger names its run */
    }
    int count = word.bytes < RUN_BYTES_MIN ? 0 : find(cli, run_id, &names, word);
    int code = count < 0 ? count : 0;
    if (count == 0) {
        code = xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "there is no run '%s'%s", spec,
                               word.bytes < RUN_BYTES_MIN ? " (the beginning of an id needs 4 characters)" : "");
    } else if (count > 1) {
        code = xylem_cli__fail(cli, XYLEM_E_CONFLICT, "'%s' is ambiguous: %d runs begin with it: %s%s", spec, count,
                               names.failed ? "" : names.bytes.data, count > (int)CANDIDATES_SHOWN ? ", ..." : "");
    }
    xylem_cli__text_release(&names);
    return code;
}

int xylem_cli__run_read(struct xylem_cli *cli, struct xylem_run_state *state, const char *spec)
{
    char run_id[XYLEM_UUID_TEXT_BYTES];
    int code = xylem_cli__run_find(cli, run_id, spec);
    return code < 0 ? code : xylem_run_read(state, cli->txn, xylem_view_of(run_id), &cli->err);
}

int xylem_cli__run_damaged(struct xylem_cli *cli, const struct xylem_run_state *state)
{
    struct xylem_cli__text log = {0};
    xylem_cli__add_named(cli, &log, "sequence log", state->run_id);
    int code = xylem_cli__fail(cli, XYLEM_E_MALFORMED, "the ledger of run %s is damaged: %.*s; %s shows the ledger",
                               state->run_id, (int)state->message.bytes, state->message.data,
                               log.failed ? "" : log.bytes.data);
    xylem_cli__text_release(&log);
    return code;
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

void xylem_cli__add_owner(const struct xylem_cli *cli, struct xylem_cli__text *text,
                          const struct xylem_run_state *state)
{
    xylem_cli__addf(text, "process %lld on ", (long long)state->owner.pid);
    xylem_cli__add_shown(cli, text, xylem_view_of(state->owner.host), XYLEM_CLI__EXACT, SIZE_MAX);
}

const char *xylem_cli__phase_color(enum xylem_run_phase phase)
{
    switch (phase) {
    case XYLEM_RUN_RUNNING:
    case XYLEM_RUN_RESETTING:
    case XYLEM_RUN_DONE:
        return XYLEM_CLI__GREEN;
    case XYLEM_RUN_PAUSED:
    case XYLEM_RUN_STOPPED:
    case XYLEM_RUN_REDACTED:
        return NULL;
    default:
        return XYLEM_CLI__RED;
    }
}
