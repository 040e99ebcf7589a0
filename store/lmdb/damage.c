/* Tells of a damaged page of the snapshot. */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "store/lmdb/environment.h"

int xylem_lmdb__fail_in_tree(struct xylem_txn *txn, const char *tree, const struct xylem_pages__tree_cursor *cursor,
                             int code, struct xylem_error *err)
{
    if (code == XYLEM_E_MEMORY) {
        return xylem_base__fail_memory(err);
    }
    int locks = xylem_lmdb__check_reader(txn, err);
    if (locks < 0) {
        txn->refused = txn->refused ? txn->refused : locks;
        return locks;
    }
    xylem_lmdb__env_damaged(txn);
    txn->refused = txn->refused ? txn->refused : code;
    return xylem_base__fail(err, code, "%s/data.mdb: page %" PRIu64 ", of %s, %s", txn->env->path, cursor->fault_page,
                            tree, cursor->fault);
}

int xylem_lmdb__fail_in_rows(struct xylem_txn *txn, enum xylem_format__table table,
                             const struct xylem_pages__tree_cursor *cursor, int code, struct xylem_error *err)
{
    char name[32];
    snprintf(name, sizeof name, "the table %s", xylem_format__table_name(table));
    return xylem_lmdb__fail_in_tree(txn, name, cursor, code, err);
}
