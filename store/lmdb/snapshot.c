/* Finds the committed snapshot of a transaction in LMDB's map. */
#include <inttypes.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb/environment.h"

/* After this number of attempts the reason is not a fast writer, but a damaged meta page or lock.mdb. */
#define SNAPSHOT_ATTEMPTS_MAX 1000u

int xylem_lmdb__map_resize(struct xylem_lmdb__env *env, uint64_t bytes)
{
    int result = mdb_env_set_mapsize(env->mdb, (size_t)bytes);
    env->map = NULL;
    env->fatal = env->fatal || result != 0;
    return result;
}

/*
 * Finds the page of a row of the list of tables in the map, or NULL: the page has the number, and a node with the value
 * `row`. A page of a store may be several system pages.
 */
static const unsigned char *find_list(const unsigned char *row, size_t page_bytes, uint64_t number)
{
    size_t system_bytes = (size_t)sysconf(_SC_PAGESIZE);
    size_t step = page_bytes < system_bytes ? page_bytes : system_bytes;
    const unsigned char *page = row - (uintptr_t)row % step;
    for (; (size_t)(row - page) < page_bytes; page -= step) {
        bool numbered = xylem_pages__page_number_at(page, 8) == number;
        size_t count = numbered ? xylem_pages__page_node_count(page, page_bytes) : 0;
        for (size_t i = 0; i < count; i++) {
            struct xylem_pages__node node;
            size_t at = xylem_pages__page_node_offset(page, i);
            if (xylem_pages__node_read(&node, page, page_bytes, at, true) && node.data == row) {
                return page;
            }
        }
    }
    return NULL;
}

/*
 * Finds the beginning of LMDB's map, which LMDB does not tell. LMDB hands out a row of the list of tables inside the
 * map. The list is one page, and the meta page has its number: page 0 lies so many pages before the row's page. The
 * list was checked when the store was opened. 1; 0 if two commits came in between; or a negative code.
 */
static int find_map(struct xylem_lmdb__env *env, MDB_txn *mdb, uint64_t txn_id, int fd, struct xylem_error *err)
{
    MDB_dbi main_table;
    MDB_val key = {sizeof "meta" - 1, "meta"};
    MDB_val data;
    struct xylem_pages__meta meta;
    MDB_stat stat;
    mdb_env_stat(env->mdb, &stat);
    size_t page_bytes = stat.ms_psize;
    int result = mdb_dbi_open(mdb, NULL, 0, &main_table);
    result = result == 0 ? mdb_get(mdb, main_table, &key, &data) : result;
    if (result != 0) {
        return xylem_lmdb__mdb_fail(err, result, "cannot read the list of tables of", env);
    }
    if (!xylem_pages__meta_read(&meta, fd, txn_id & 1, page_bytes) || meta.txn_id != txn_id) {
        return 0;
    }
    const unsigned char *page = NULL;
    if (meta.main_table.depth == 1 && meta.main_table.root >= XYLEM_PAGES__META_PAGES &&
        meta.main_table.root <= meta.last_page) {
        page = find_list(data.mv_data, page_bytes, meta.main_table.root);
    }
    if (!page) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s/data.mdb: the list of tables does not lie on one page",
                                env->path);
    }
    env->page_bytes = page_bytes;
    env->map = page - meta.main_table.root * page_bytes;
    return 1;
}

/* No way tells which of the two files is right. A store that is opened alone goes by data.mdb. */
int xylem_lmdb__fail_number(struct xylem_lmdb__env *env, uint64_t number, struct xylem_error *err)
{
    MDB_envinfo info;
    env->overwritten = true;
    mdb_env_info(env->mdb, &info);
    const char *rest = "overwritten or replaced while the store was open; close the store in all programs, and then "
                       "open the store again";
    if (info.me_last_txnid == number) { /* the process, or xylem.lock, knows of a newer commit */
        return xylem_base__fail(err, XYLEM_E_BUSY,
                                "%s: data.mdb and lock.mdb have commit %" PRIu64
                                ", which is not the newest: both were %s",
                                env->path, number, rest);
    }
    return xylem_base__fail(err, XYLEM_E_BUSY,
                            "%s: lock.mdb says that commit %" PRIu64 " is the newest, data.mdb has commit %" PRIu64
                            ": one of the files was %s",
                            env->path, number, (uint64_t)info.me_last_txnid, rest);
}

int xylem_lmdb__fail_lost(struct xylem_lmdb__env *env, struct xylem_error *err)
{
    env->overwritten = true;
    return xylem_base__fail(err, XYLEM_E_BUSY, XYLEM_LMDB__OVERWRITTEN, env->path, XYLEM_PAGES__DATA_NAME);
}

/*
 * True if the number in lock.mdb can be that of the newest commit. No look is taken again: a sound store never differs.
 *
 *     a commit         writes the meta page, and then the number; both under LMDB's lock
 *     a dead writer    between the two: who gets LMDB's lock next writes the number of the newest meta page at once
 *     a writer         has LMDB's lock: both are equal, but for a meta page that LMDB could neither write nor restore
 *     a reader         reads the number before it looks at a meta page; a commit that was `done` when the reader began
 *                      has its number
 */
static bool is_newest(const struct xylem_lmdb__env *env, uint64_t number, uint64_t done, bool write)
{
    MDB_envinfo info;
    if (number < XYLEM_LMDB__CREATING_TXN || number < done) {
        return false;
    }
    mdb_env_info(env->mdb, &info);
    return !write || info.me_last_txnid == number ||
           (info.me_last_txnid == number + 1 && info.me_last_txnid == xylem_lmdb__unknown_commit(&env->writer_lock));
}

void xylem_lmdb__saw_commit(struct xylem_lmdb__env *env, uint64_t txn_id)
{
    if (txn_id > env->seen_commit) {
        env->seen_commit = txn_id;
    }
}

/* Takes the snapshot of a transaction of LMDB: 1 and `sure`, 0 if its meta page is gone, or a negative code. */
static int take(struct xylem_pages__snapshot *snapshot, bool *sure, struct xylem_lmdb__env *env, MDB_txn *mdb,
                uint64_t done, bool write, struct xylem_error *err)
{
    uint64_t txn_id = mdb_txn_id(mdb) - (write ? 1u : 0u);
    if (!env->no_lock && !is_newest(env, txn_id, done, write)) {
        return xylem_lmdb__fail_number(env, txn_id, err);
    }
    mdb_env_get_fd(env->mdb, &snapshot->fd);
    int found = env->map ? 1 : find_map(env, mdb, txn_id, snapshot->fd, err);
    if (found <= 0) {
        return found;
    }
    snapshot->for_writes = write;
    snapshot->map = env->map;
    snapshot->page_bytes = env->page_bytes;
    snapshot->page_count = env->page_count;
    enum xylem_pages__taken taken = xylem_pages__snapshot_take(snapshot, txn_id);
    if (taken != XYLEM_PAGES__GONE) {
        xylem_lmdb__saw_commit(env, txn_id);
    }
    *sure = write || taken == XYLEM_PAGES__TAKEN; /* while this process may write, nobody else writes a meta page */
    return taken != XYLEM_PAGES__GONE;
}

/*
 * A commit writes its meta page first, and then the number of the newest commit in lock.mdb. A writer that dies between
 * the two leaves a newer meta page than lock.mdb tells of; then no snapshot is sure at once. But the next writer mends
 * lock.mdb before it writes. So if the next transaction reads the same snapshot, no writer was at its meta page.
 */
int xylem_lmdb__snapshot_begin(struct xylem_pages__snapshot *snapshot, struct xylem_lmdb__env *env, MDB_txn **mdb,
                               bool write, int (*begin)(MDB_txn **mdb, void *context, struct xylem_error *err),
                               void *context, struct xylem_error *err)
{
    struct xylem_pages__snapshot before = {.txn_id = 0};
    uint64_t number = 0;
    for (unsigned attempt = 0; attempt < SNAPSHOT_ATTEMPTS_MAX; attempt++) {
        bool sure = false;
        uint64_t seen = env->seen_commit;
        uint64_t done = xylem_lmdb__newest_commit(&env->writer_lock);
        done = done > seen ? done : seen;
        int code = begin(mdb, context, err);
        if (code < 0) {
            return code;
        }
        if (!write && before.txn_id > 0 && before.txn_id == mdb_txn_id(*mdb)) {
            *snapshot = before;
            return XYLEM_OK;
        }
        int taken = take(snapshot, &sure, env, *mdb, done, write, err);
        if (taken > 0 && sure) {
            return XYLEM_OK;
        }
        number = mdb_txn_id(*mdb) - (write ? 1u : 0u);
        mdb_txn_abort(*mdb);
        if (taken < 0 || write) {
            return taken < 0 ? taken : xylem_lmdb__fail_number(env, number, err);
        }
        before = *snapshot;
        before.txn_id = taken > 0 ? before.txn_id : 0;
    }
    return xylem_lmdb__fail_number(env, number, err);
}
