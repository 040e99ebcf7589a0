#include "store/lmdb/tables.h"

#include "base/bytes.h"
#include "base/error.h"
#include "store/lmdb/environment.h"
#include "store/pages/check.h"
#include "xylem/inspect.h"

void xylem_lmdb__pages_of(struct xylem_pages__pages *pages, struct xylem_txn *txn)
{
    MDB_stat stat;
    MDB_envinfo info;
    mdb_env_stat(txn->env->mdb, &stat);
    mdb_env_info(txn->env->mdb, &info);
    mdb_env_get_fd(txn->env->mdb, &pages->fd);
    pages->page_bytes = stat.ms_psize;
    pages->last_page = info.me_last_pgno;
    pages->txn_id = txn->write ? 0 : mdb_txn_id(txn->mdb);
}

int xylem_lmdb__table_size(struct xylem_lmdb__table_size *size, struct xylem_txn *txn, enum xylem_format__table table,
                           struct xylem_error *err)
{
    const struct xylem_pages__tree *described;
    MDB_stat stat;
    int code;
    if ((code = xylem_lmdb__usable(txn, err)) < 0 || (code = xylem_lmdb__table_tree(&described, txn, table, err)) < 0) {
        return code;
    }
    struct xylem_pages__tree tree = *described;
    if (txn->changed & UINT32_C(1) << table) {
        int result = mdb_stat(txn->mdb, txn->env->tables[table], &stat);
        if (result != 0) {
            txn->refused = txn->refused ? txn->refused : xylem_lmdb__mdb_code(result);
            return xylem_lmdb__mdb_fail(err, result, "cannot read the size of a table of", txn->env);
        }
        tree.rows = stat.ms_entries;
        tree.depth = stat.ms_depth;
        tree.branch_pages = stat.ms_branch_pages;
        tree.leaf_pages = stat.ms_leaf_pages;
        tree.overflow_pages = stat.ms_overflow_pages;
    }
    size->rows = tree.rows;
    size->depth = tree.depth;
    size->bytes = txn->snapshot.page_bytes * (tree.branch_pages + tree.leaf_pages + tree.overflow_pages);
    return XYLEM_OK;
}

/* Checks the free list, since LMDB would fault on a damaged list, and counts its pages. */
static int read_free_pages(uint64_t *count, uint64_t *waiting, uint64_t oldest_txn_id, struct xylem_txn *txn,
                           struct xylem_error *err)
{
    struct xylem_pages__pages pages;
    xylem_lmdb__pages_of(&pages, txn);
    int code = xylem_pages__pages_check_free(&pages, txn->env->path, err);
    if (code == XYLEM_E_CORRUPT) {
        xylem_lmdb__env_damaged(txn);
    }
    if (code < 0) {
        return code;
    }
    MDB_cursor *cursor = NULL;
    MDB_val key;  /* the freeing transaction */
    MDB_val data; /* begins with a count */
    int result = mdb_cursor_open(txn->mdb, 0, &cursor);
    while (result == 0 && (result = mdb_cursor_get(cursor, &key, &data, MDB_NEXT)) == 0) {
        struct xylem_base__cursor list = xylem_base__cursor_of(data.mv_data, data.mv_size);
        uint64_t page_count = xylem_base__read_u64(&list);
        struct xylem_base__cursor freed_by = xylem_base__cursor_of(key.mv_data, key.mv_size);
        uint64_t txn_id = xylem_base__read_u64(&freed_by);
        *count += page_count;
        *waiting += txn_id >= oldest_txn_id && txn_id < mdb_txn_id(txn->mdb) ? page_count : 0;
    }
    if (cursor) {
        mdb_cursor_close(cursor);
    }
    if (result != MDB_NOTFOUND) {
        txn->refused = txn->refused ? txn->refused : xylem_lmdb__mdb_code(result);
        return xylem_lmdb__mdb_fail(err, result, "cannot read the free pages of", txn->env);
    }
    return XYLEM_OK;
}

int xylem_lmdb__env_stat(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err)
{
    MDB_envinfo info;
    MDB_stat pages;
    uint64_t free_pages = 0;
    uint64_t waiting_pages = 0;
    int code = xylem_lmdb__usable(txn, err);
    if (code < 0) {
        return code;
    }
    if (txn->write) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "the figures of %s need a read transaction, not a write transaction", txn->env->path);
    }
    mdb_env_info(txn->env->mdb, &info);
    mdb_env_stat(txn->env->mdb, &pages);
    uint64_t own_txn_id = mdb_txn_id(txn->mdb);
    struct xylem_lmdb__reader oldest = {.txn_id = own_txn_id};
    int result = xylem_lmdb__oldest_reader(&oldest, txn->env->mdb);
    if (result != 0) {
        return xylem_lmdb__mdb_fail(err, result, "cannot list the readers of", txn->env);
    }
    code = read_free_pages(&free_pages, &waiting_pages, oldest.txn_id, txn, err);
    if (code < 0) {
        return code;
    }
    stat->page_bytes = pages.ms_psize;
    stat->file_bytes = (info.me_last_pgno + 1) * (uint64_t)pages.ms_psize;
    stat->map_bytes = info.me_mapsize;
    stat->free_bytes = free_pages * pages.ms_psize;
    stat->oldest_reader_pid = oldest.pid;
    stat->oldest_reader_commit_count = own_txn_id - oldest.txn_id;
    stat->oldest_reader_bytes = waiting_pages * pages.ms_psize;
    stat->readers = info.me_numreaders;
    stat->readers_max = info.me_maxreaders;
    return XYLEM_OK;
}
