/*
 * Opens the tables of a new environment:
 *
 *     no table                     with `create` a new store, else no store
 *     no `meta`, or no format      damaged if the number of tables is right, else no store
 *     a newer or older format      refused, before any other table is opened: another format may have other tables
 *     a table is missing           damaged
 */
#include <errno.h>
#include <inttypes.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/lmdb/environment.h"
#include "store/format/hash.h"

/* Opens all tables in a transaction; MDB_NOTFOUND if a table is missing. */
static int tables_open(struct xylem_lmdb__env *env, MDB_txn *txn, bool create)
{
    int result = 0;
    for (unsigned table = 0; result == 0 && table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        result = mdb_dbi_open(txn, xylem_format__table_name(table), create ? MDB_CREATE : 0u, &env->tables[table]);
    }
    return result;
}

/*
 * Reads a row of `meta`, and cuts off the sum: 1, or 0 without such a row. No transaction of the library can begin yet,
 * so tree cursors read the snapshot.
 */
static int read_row(struct xylem_view *value, struct xylem_lmdb__env *env, struct xylem_pages__snapshot *snapshot,
                    const char *name, struct xylem_error *err)
{
    struct xylem_pages__tree_cursor cursor;
    struct xylem_view key = xylem_view_of(name);
    struct xylem_view ignored;
    bool exact = false;
    xylem_pages__tree_cursor_init(&cursor, snapshot, &snapshot->main_table);
    int found = xylem_pages__tree_seek(&exact, &cursor, xylem_view_of(xylem_format__table_name(XYLEM_FORMAT__META)));
    found = found > 0 && exact ? xylem_pages__tree_row(&ignored, value, &cursor) : found < 0 ? found : 0;
    if (found > 0 && value->bytes == XYLEM_PAGES__TREE_BYTES) {
        struct xylem_pages__tree tree = xylem_pages__tree_at((const unsigned char *)value->data);
        xylem_pages__tree_cursor_init(&cursor, snapshot, &tree);
        found = xylem_pages__tree_seek(&exact, &cursor, key);
        found = found > 0 && exact ? xylem_pages__tree_row(&ignored, value, &cursor) : found < 0 ? found : 0;
    }
    if (found < 0) {
        return xylem_base__fail(err, found, "%s/data.mdb: page %" PRIu64 ", on the way to the table meta, %s",
                                env->path, cursor.fault_page, cursor.fault);
    }
    if (found > 0 && !xylem_format__row_unseal(value, XYLEM_FORMAT__META, key)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s/data.mdb: the row %s of the table meta does not match its sum", env->path, name);
    }
    return found;
}

static int write_row(struct xylem_lmdb__env *env, MDB_txn *txn, const char *name, struct xylem_buffer *value)
{
    struct xylem_view key = xylem_view_of(name);
    if (xylem_format__row_add_sum(value, XYLEM_FORMAT__META, key) < 0) {
        return ENOMEM;
    }
    MDB_val mdb_key = {key.bytes, (void *)(uintptr_t)key.data};
    MDB_val data = {value->bytes, value->data};
    return mdb_put(txn, env->tables[XYLEM_FORMAT__META], &mdb_key, &data, MDB_NOOVERWRITE);
}

/* Counts all tables of the environment, also foreign tables. */
static int count_tables(size_t *count, MDB_txn *txn)
{
    MDB_dbi main_table;
    MDB_stat stat;
    int result = mdb_dbi_open(txn, NULL, 0, &main_table);
    result = result == 0 ? mdb_stat(txn, main_table, &stat) : result;
    *count = result == 0 ? stat.ms_entries : 0;
    return result;
}

static int create_store(struct xylem_lmdb__env *env, struct xylem_error *err)
{
    unsigned char uuid[XYLEM_BASE__UUID_BYTES];
    struct xylem_buffer value = {NULL, 0, 0};
    int code = xylem_base__random(uuid, sizeof uuid, err);
    if (code < 0) {
        return code;
    }
    MDB_txn *txn = NULL;
    int result = mdb_txn_begin(env->mdb, NULL, 0, &txn);
    if (result != 0) {
        return xylem_lmdb__mdb_fail(err, result, "cannot write", env);
    }
    size_t count = 0;
    result = count_tables(&count, txn);
    if (result != 0 || count > 0) {
        /* Somebody else made the store since the look. */
        mdb_txn_abort(txn);
        return result == 0 ? XYLEM_OK : xylem_lmdb__mdb_fail(err, result, "cannot read", env);
    }
    result = tables_open(env, txn, true);
    if (result == 0) {
        bool made = xylem_format__format_encode(&value, 0, 0) == XYLEM_OK;
        result = made ? write_row(env, txn, XYLEM_FORMAT__META_FORMAT, &value) : ENOMEM;
    }
    xylem_base__buffer_clear(&value);
    if (result == 0) {
        bool made = xylem_buffer_add(&value, uuid, sizeof uuid) == XYLEM_OK;
        result = made ? write_row(env, txn, XYLEM_FORMAT__META_UUID, &value) : ENOMEM;
    }
    xylem_buffer_release(&value);
    if (result == 0) {
        result = mdb_txn_commit(txn);
    } else {
        mdb_txn_abort(txn);
    }
    return result == 0 ? XYLEM_OK : xylem_lmdb__write_fail(err, result, "cannot create the store in", env);
}

/* The error for an environment without `what`: a damaged store if the number of tables is right, else no store. */
static int no_store(struct xylem_lmdb__env *env, MDB_txn *txn, const char *what, struct xylem_error *err)
{
    size_t count = 0;
    int result = count_tables(&count, txn);
    if (result != 0) {
        return xylem_lmdb__mdb_fail(err, result, "cannot read", env);
    }
    if (count == XYLEM_FORMAT__TABLE_COUNT) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s/data.mdb: %s is missing", env->path, what);
    }
    return xylem_base__fail(err, XYLEM_E_NOT_A_STORE, "%s is an LMDB environment, but not a xylem store", env->path);
}

/* Nobody else knows the environment yet, so the size of a map that another process grew can be taken over. */
static int begin_reading(MDB_txn **txn, void *context, struct xylem_error *err)
{
    struct xylem_lmdb__env *env = context;
    int result = mdb_txn_begin(env->mdb, NULL, MDB_RDONLY, txn);
    if (result == MDB_MAP_RESIZED && (result = xylem_lmdb__map_resize(env, 0)) == 0) {
        result = mdb_txn_begin(env->mdb, NULL, MDB_RDONLY, txn);
    }
    return result == 0 ? XYLEM_OK : xylem_lmdb__mdb_fail(err, result, "cannot read", env);
}

/* Checks the format first: a newer format may have other tables. */
static int open_tables(struct xylem_lmdb__env *env, MDB_txn *txn, struct xylem_pages__snapshot *snapshot,
                       struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    uint64_t features;
    int found = read_row(&row, env, snapshot, XYLEM_FORMAT__META_FORMAT, err);
    if (found <= 0) {
        return found < 0 ? found : no_store(env, txn, "the row " XYLEM_FORMAT__META_FORMAT " of the table meta", err);
    }
    int code = xylem_format__format_check(&features, env->path, row, err);
    if (code < 0) {
        return code;
    }
    int result = tables_open(env, txn, false);
    if (result == 0) {
        return XYLEM_OK;
    }
    return result == MDB_NOTFOUND || result == MDB_INCOMPATIBLE
               ? xylem_base__fail(err, XYLEM_E_CORRUPT, "%s/data.mdb: a table is missing", env->path)
               : xylem_lmdb__mdb_fail(err, result, "cannot read", env);
}

/* Fails if the environment has no table `meta`, which every store has. */
static int check_meta(struct xylem_lmdb__env *env, struct xylem_error *err)
{
    MDB_txn *txn = NULL;
    int code = begin_reading(&txn, env, err);
    if (code < 0) {
        return code;
    }
    int result = mdb_dbi_open(txn, xylem_format__table_name(XYLEM_FORMAT__META), 0, &env->tables[XYLEM_FORMAT__META]);
    if (result == MDB_NOTFOUND || result == MDB_INCOMPATIBLE) {
        code = no_store(env, txn, "a table", err);
    } else if (result != 0) {
        code = xylem_lmdb__mdb_fail(err, result, "cannot read", env);
    }
    mdb_txn_abort(txn);
    return code;
}

int xylem_lmdb__meta_open(struct xylem_lmdb__env *env, bool create, struct xylem_error *err)
{
    MDB_txn *txn = NULL;
    struct xylem_pages__snapshot snapshot;
    size_t count = 0;
    int code = begin_reading(&txn, env, err);
    if (code < 0) {
        return code;
    }
    int result = count_tables(&count, txn);
    mdb_txn_abort(txn);
    if (result != 0) {
        return xylem_lmdb__mdb_fail(err, result, "cannot read", env);
    }
    code = count == 0 && create ? create_store(env, err) : XYLEM_OK;
    if (code < 0 || (code = check_meta(env, err)) < 0 ||
        (code = xylem_lmdb__snapshot_begin(&snapshot, env, &txn, false, begin_reading, env, err)) < 0) {
        return code;
    }
    code = open_tables(env, txn, &snapshot, err);
    if (code < 0) {
        mdb_txn_abort(txn);
        return code;
    }
    result = mdb_txn_commit(txn); /* a commit keeps the handles of the tables */
    return result == 0 ? XYLEM_OK : xylem_lmdb__mdb_fail(err, result, "cannot read", env);
}
