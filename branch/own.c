/* Visits the branches of a session, along their chain from the newest branch to the oldest. */
#include "base/error.h"
#include "branch/branch.h"

int xylem_branch__own(struct xylem_store__branch *branch, struct xylem_entry *tip, struct xylem_txn *txn,
                      const struct xylem_session *session, uint64_t number, struct xylem_error *err)
{
    int code = xylem_store__branch_read(branch, txn, number, err);
    if (code < 0) {
        return code;
    }
    if (branch->session != session->number) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "branch %llu belongs to session %llu, not to session %llu",
                                (unsigned long long)number, (unsigned long long)branch->session,
                                (unsigned long long)session->number);
    }
    code = xylem_store__branch_last(tip, txn, number, err);
    return code < 0 ? code : xylem_branch__holds(branch, tip->position.depth, err);
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
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "session %llu: expected lsn %llu of the last entry, found %llu",
                                (unsigned long long)session->number, (unsigned long long)session->last_lsn,
                                (unsigned long long)met->newest_lsn);
    }
    if (met->entry_count != session->own_entry_count) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "session %llu: expected %llu entries in its branches, found %llu",
                                (unsigned long long)session->number, (unsigned long long)session->own_entry_count,
                                (unsigned long long)met->entry_count);
    }
    return XYLEM_OK;
}

int xylem_branch__holds(const struct xylem_store__branch *branch, uint64_t depth, struct xylem_error *err)
{
    return branch->first_depth <= depth
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_CORRUPT, "branch %llu begins at depth %llu and cannot hold depth %llu",
                                  (unsigned long long)branch->number, (unsigned long long)branch->first_depth,
                                  (unsigned long long)depth);
}
