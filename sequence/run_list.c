/* Lists the runs of a store, and finds the run that waits in a directory. */
#include <stdlib.h>

#include "base/error.h"
#include "base/numbers.h"
#include "base/value.h"
#include "sequence/run_state.h"

struct xylem_runs {
    struct xylem_txn *txn;
    struct xylem_base__numbers ledgers; /* ascending; those that were given are taken off */
};

int xylem_runs_new(struct xylem_runs **runs, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    struct xylem_view run_id;
    if (!runs || !txn) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_runs_new: the runs or the transaction is NULL");
    }
    struct xylem_runs *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->txn = txn;
    int code = xylem_sessions_new(&sessions, txn, err);
    while (code >= 0 && (code = xylem_sessions_next(&session, sessions, err)) == 1) {
        if (session.state == XYLEM_SESSION_LIVE && session.name_space.bytes == 0 &&
            xylem_run_of_session(&run_id, session.id)) {
            code = xylem_base__numbers_add(&made->ledgers, session.number, err);
        }
    }
    xylem_sessions_free(sessions);
    if (code < 0) {
        xylem_runs_free(made);
        return code;
    }
    *runs = made;
    return XYLEM_OK;
}

/* The next run with its ledger: 1, or 0 behind the last. */
static int next_run(struct xylem_run_state *state, struct xylem_session *session, struct xylem_runs *runs,
                    struct xylem_error *err)
{
    while (runs->ledgers.count > 0) {
        struct xylem_view run_id;
        struct xylem_sequence__ledger ledger;
        int code = xylem_session_read(session, runs->txn, runs->ledgers.list[--runs->ledgers.count], err);
        if (code < 0 || !xylem_run_of_session(&run_id, session->id)) {
            return code < 0 ? code : xylem_base__fail(err, XYLEM_E_CORRUPT, "the id of a ledger changed");
        }
        code = xylem_sequence__run_read(state, &ledger, runs->txn, run_id, err);
        if (code != XYLEM_E_NOT_FOUND) { /* of a fork of a ledger, which is no run */
            return code < 0 ? code : 1;
        }
    }
    return 0;
}

int xylem_runs_next(struct xylem_run_state *state, struct xylem_runs *runs, struct xylem_error *err)
{
    struct xylem_session ledger;
    return next_run(state, &ledger, runs, err);
}

void xylem_runs_free(struct xylem_runs *runs)
{
    if (runs) {
        free(runs->ledgers.list);
        free(runs);
    }
}

int xylem_run_waiting(struct xylem_run_state *state, struct xylem_txn *txn, struct xylem_view cwd,
                      struct xylem_view session, struct xylem_error *err)
{
    struct xylem_runs *runs;
    struct xylem_session ledger;
    if (!state || !txn) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_waiting: the state or the transaction is NULL");
    }
    int code = xylem_runs_new(&runs, txn, err);
    if (code < 0) {
        return code;
    }
    bool found = false;
    for (unsigned looked = 0;
         looked < XYLEM_RUNS_WAITING_MAX && !found && (code = next_run(state, &ledger, runs, err)) == 1; looked++) {
        found = (state->phase == XYLEM_RUN_PAUSED || state->phase == XYLEM_RUN_INTERRUPTED) &&
                xylem_base__view_equal(ledger.cwd, cwd) &&
                (!session.data || xylem_base__view_equal(state->host_session, session));
        if (!found) {
            xylem_run_state_release(state);
        }
    }
    xylem_runs_free(runs);
    return code < 0 ? code : found;
}
