/* Visits the branches of a session, along their chain from the newest branch to the oldest. */
#include <inttypes.h>

#include "base/error.h"
#include "branch/branch.h"

int xylem_branch__own_row(struct xylem_store__branch *branch, struct xylem_txn *txn,
                          const struct xylem_session *session, uint64_t number, struct xylem_error *err)
{
    int code = xylem_store__branch_read(branch, txn, number, err);
    if (code == XYLEM_OK && branch->session != session->number) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "branch %" PRIu64 " belongs to session %" PRIu64 ", not to session %" PRIu64, number,
                                branch->session, session->number);
    }
    return code;
}

int xylem_branch__own(struct xylem_store__branch *branch, struct xylem_entry *tip, struct xylem_txn *txn,
                      const struct xylem_session *session, uint64_t number, struct xylem_error *err)
{
    int code;
    if ((code = xylem_branch__own_row(branch, txn, session, number, err)) < 0 ||
        (code = xylem_store__branch_last(tip, txn, number, err)) < 0) {
        return code;
    }
    return xylem_branch__holds(branch, tip->position.depth, err);
}

void xylem_branch__meet(struct xylem_branch__met *met, const struct xylem_store__branch *branch,
                        const struct xylem_entry *tip)
{
    met->newest_lsn = tip->lsn > met->newest_lsn ? tip->lsn : met->newest_lsn;
    met->entry_count += tip->position.depth - branch->first_depth + 1;
}

int xylem_branch__met_all(const struct xylem_branch__met *met, const struct xylem_session *session,
                          struct xylem_error *err)
{
    if (met->newest_lsn != session->last_lsn) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "session %" PRIu64 ": expected lsn %" PRIu64 " of the last entry, found %" PRIu64,
                                session->number, session->last_lsn, met->newest_lsn);
    }
    if (met->entry_count != session->own_entry_count) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "session %" PRIu64 ": expected %" PRIu64 " entries in its branches, found %" PRIu64,
                                session->number, session->own_entry_count, met->entry_count);
    }
    return XYLEM_OK;
}

int xylem_branch__holds(const struct xylem_store__branch *branch, uint64_t depth, struct xylem_error *err)
{
    return branch->first_depth <= depth
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_CORRUPT,
                                  "branch %" PRIu64 " begins at depth %" PRIu64 " and cannot hold depth %" PRIu64,
                                  branch->number, branch->first_depth, depth);
}
