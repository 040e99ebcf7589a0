/* In a build with UNPROVEN=1 stands in the place of prover.c, and proves nothing. */
#include "store/lmdb/environment.h"

int xylem_lmdb__prover_begin(struct xylem_txn *txn, struct xylem_error *err)
{
    (void)txn;
    (void)err;
    return XYLEM_OK;
}

int xylem_lmdb__prover_pages(struct xylem_txn *txn, size_t value_bytes, struct xylem_error *err)
{
    (void)value_bytes;
    return xylem_lmdb__prover_begin(txn, err);
}

int xylem_lmdb__prover_path(struct xylem_txn *txn, enum xylem_format__table table,
                            struct xylem_pages__tree_cursor *cursor, struct xylem_error *err)
{
    (void)table;
    (void)cursor;
    return xylem_lmdb__prover_begin(txn, err);
}

bool xylem_lmdb__prover_knows(const struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key)
{
    (void)txn;
    (void)table;
    (void)key;
    return false;
}

int xylem_lmdb__prover_change(struct xylem_txn *txn, enum xylem_format__table table,
                              struct xylem_pages__tree_cursor *cursor, struct xylem_view key, size_t value_bytes,
                              bool removes, struct xylem_error *err)
{
    (void)key;
    (void)value_bytes;
    (void)removes;
    return xylem_lmdb__prover_path(txn, table, cursor, err);
}

/* LMDB compares the key with the last key. */
int xylem_lmdb__prover_append(struct xylem_txn *txn, enum xylem_format__table table,
                              struct xylem_pages__tree_cursor *cursor, struct xylem_view key, size_t value_bytes,
                              struct xylem_error *err)
{
    (void)value_bytes;
    (void)txn;
    (void)table;
    (void)cursor;
    (void)key;
    (void)err;
    return 1;
}

int xylem_lmdb__prover_commit(struct xylem_txn *txn, struct xylem_error *err)
{
    return xylem_lmdb__prover_begin(txn, err);
}

void xylem_lmdb__prover_end(struct xylem_txn *txn)
{
    (void)txn;
}
