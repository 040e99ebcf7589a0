/* Marks sessions as owned by this store or by another. */
#include <inttypes.h>

#include "base/error.h"
#include "store/session.h"
#include "store/lmdb/tables.h"
#include "xylem/segment.h"

int xylem_store__owner_check(struct xylem_view owner, struct xylem_error *err)
{
    return xylem_store__name_check(owner, XYLEM_OWNER_BYTES_MAX, "the owner of a session", err);
}

/* `owner` data NULL: this store. */
static int set_owner(struct xylem_txn *txn, uint64_t session, struct xylem_view owner, uint64_t epoch,
                     struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_buffer copies = {NULL, 0, 0};
    int code;
    if ((code = xylem_lmdb__writable(txn, err)) < 0 || (code = xylem_session_read(&row, txn, session, err)) < 0) {
        return code;
    }
    bool deleted = row.state == XYLEM_SESSION_DELETED; /* a deleted session has an owner, too */
    bool stays = !owner.data && !row.owner.data;       /* the holder of a lease goes on as before */
    if ((!deleted && (code = xylem_store__session_check_live(&row, err)) < 0) ||
        (!stays && (code = xylem_store__lease_holder_check(txn, &row, err)) < 0)) {
        return code;
    }
    if (epoch < row.epoch) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "the session %.*s has an owner of epoch %" PRIu64 ", and epoch %" PRIu64 " is older",
                                XYLEM_BASE__SHOWN(row.id), row.epoch, epoch);
    }
    row.owner = owner;
    row.epoch = epoch;
    code = xylem_store__session_own(&copies, &row) < 0 ? xylem_base__fail_memory(err)
                                                       : xylem_store__session_write(txn, &row, err);
    xylem_buffer_release(&copies);
    return code;
}

int xylem_session_follow(struct xylem_txn *txn, uint64_t session, struct xylem_view owner, uint64_t epoch,
                         struct xylem_error *err)
{
    int code = xylem_store__owner_check(owner, err);
    return code < 0 ? code : set_owner(txn, session, owner, epoch, err);
}

int xylem_session_own(struct xylem_txn *txn, uint64_t session, uint64_t epoch, struct xylem_error *err)
{
    return set_owner(txn, session, (struct xylem_view){NULL, 0}, epoch, err);
}
