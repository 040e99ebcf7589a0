/* Lists the runs of a store. */
#include <stdlib.h>

#include "base/error.h"
#include "base/numbers.h"
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

int xylem_runs_next(struct xylem_run_state *state, struct xylem_runs *runs, struct xylem_error *err)
{
    while (runs->ledgers.count > 0) {
        struct xylem_session session;
        struct xylem_view run_id;
        struct xylem_sequence__ledger ledger;
        int code = xylem_session_read(&session, runs->txn, runs->ledgers.list[--runs->ledgers.count], err);
        if (code < 0 || !xylem_run_of_session(&run_id, session.id)) {
            return code < 0 ? code : xylem_base__fail(err, XYLEM_E_CORRUPT, "the id of a ledger changed");
        }
        code = xylem_sequence__run_read(state, &ledger, runs->txn, run_id, err);
        if (code != XYLEM_E_NOT_FOUND) { /* of a fork of a ledger, which is no run */
            return code < 0 ? code : 1;
        }
    }
    return 0;
}

void xylem_runs_free(struct xylem_runs *runs)
{
    if (runs) {
        free(runs->ledgers.list);
        free(runs);
    }
}
