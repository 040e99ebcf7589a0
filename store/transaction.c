/* Runs a change in a write transaction of its own. */
#include "store/store.h"

int xylem_store__in_transaction(struct xylem_store *store,
                                int (*change)(struct xylem_txn *txn, void *context, struct xylem_error *err),
                                void *context, struct xylem_error *err)
{
    int code = XYLEM_E_MAP_FULL;
    for (int growths = 0; code == XYLEM_E_MAP_FULL && growths < XYLEM_STORE__MAP_GROWTHS_MAX; growths++) {
        struct xylem_txn *txn;
        code = xylem_begin(&txn, store, XYLEM_WRITE, err);
        if (code < 0) {
            return code;
        }
        code = change(txn, context, err);
        if (code < 0) {
            xylem_abort(txn);
        } else {
            code = xylem_commit(txn, err);
        }
    }
    return code;
}

int xylem_store__reading(struct xylem_store *store,
                         int (*look)(struct xylem_txn *txn, void *context, struct xylem_error *err), void *context,
                         struct xylem_error *err)
{
    struct xylem_txn *txn;
    int code = xylem_begin(&txn, store, XYLEM_READ, err);
    if (code == XYLEM_OK) {
        code = look(txn, context, err);
        xylem_abort(txn);
    }
    return code;
}
