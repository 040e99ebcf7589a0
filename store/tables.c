#include "store/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/environment.h"
#include "store/hash.h"
#include "store/keys.h"
#include "store/lmdb_check.h"
#include "store/meta.h"

struct xylem_store__rows {
    struct xylem_txn *txn;
    enum xylem_store__table table;
    MDB_cursor *mdb;
};

const char *xylem_store__table_name(enum xylem_store__table table)
{
#define NAME_ROW(constant, name) [constant] = name,
    static const char *const names[] = {XYLEM_STORE__TABLE_LIST(NAME_ROW)};
#undef NAME_ROW
    return names[table];
}

int xylem_store__tables_open(struct xylem_store__env *env, MDB_txn *txn, bool create)
{
    int result = 0;
    for (unsigned table = 0; result == 0 && table < XYLEM_STORE__TABLE_COUNT; table++) {
        unsigned flags = create ? MDB_CREATE : 0u;
        if (table == XYLEM_STORE__IDS) {
            flags |= MDB_DUPSORT | MDB_DUPFIXED;
        }
        result = mdb_dbi_open(txn, xylem_store__table_name(table), flags, &env->tables[table]);
    }
    return result;
}

static int fail_in_table(struct xylem_error *err, int result, const char *what, struct xylem_txn *txn,
                         enum xylem_store__table table)
{
    /* Only these speak of pages; the others of calls that LMDB does not allow. */
    if (result == MDB_PAGE_NOTFOUND || result == MDB_CORRUPTED || result == MDB_CURSOR_FULL ||
        result == MDB_PAGE_FULL) {
        xylem_store__env_damaged(txn);
    }
    int before = txn->failed ? txn->failed : txn->refused;
    if (result == MDB_BAD_TXN && before) { /* LMDB answers so once it met damage, or could not write */
        return xylem_base__fail(err, before,
                                "cannot %s the table %s of %s: the transaction failed before (%s) and can only be "
                                "aborted",
                                what, xylem_store__table_name(table), txn->env->path, xylem_code_text(before));
    }
    txn->refused = txn->refused ? txn->refused : xylem_store__mdb_code(result);
    return xylem_base__fail(err, xylem_store__mdb_code(result), "cannot %s the table %s of %s: %s", what,
                            xylem_store__table_name(table), txn->env->path, xylem_store__mdb_text(result));
}

void xylem_store__tables_shut(struct xylem_txn *txn, uint32_t tables)
{
    txn->shut = tables;
}

bool xylem_store__table_is_shut(const struct xylem_txn *txn, enum xylem_store__table table)
{
    return txn->shut & UINT32_C(1) << table;
}

bool xylem_store__refused_as_shut(struct xylem_txn *txn)
{
    bool refused = txn->refused_as_shut;
    txn->refused_as_shut = false;
    return refused;
}

/* May the table be read here, and now? */
static int readable(struct xylem_txn *txn, enum xylem_store__table table, struct xylem_error *err)
{
    int code = xylem_store__usable(txn, err);
    if (code < 0 || !xylem_store__table_is_shut(txn, table)) {
        return code;
    }
    txn->refused_as_shut = true;
    return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the table %s is not read, as its pages are damaged",
                            txn->env->path, xylem_store__table_name(table));
}

void xylem_store__pages_of(struct xylem_store__pages *pages, struct xylem_txn *txn)
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

struct xylem_store *xylem_store__handle(const struct xylem_txn *txn)
{
    return txn->store;
}

static MDB_val val_of(struct xylem_view view)
{
    MDB_val val = {view.bytes, (void *)(uintptr_t)view.data};
    return val;
}

/*
 * What is read after something else most often lies near it, and a cursor that stands near by finds it without a way
 * down the tree. So a read transaction keeps one cursor of each table between two reads.
 */
static int cursor_take(MDB_cursor **cursor, struct xylem_txn *txn, enum xylem_store__table table)
{
    *cursor = txn->spare[table];
    txn->spare[table] = NULL;
    return *cursor ? 0 : mdb_cursor_open(txn->mdb, txn->env->tables[table], cursor);
}

static void cursor_give(MDB_cursor *cursor, struct xylem_txn *txn, enum xylem_store__table table)
{
    if (txn->write || txn->spare[table]) {
        mdb_cursor_close(cursor);
    } else {
        txn->spare[table] = cursor;
    }
}

void xylem_store__spares_close(struct xylem_txn *txn)
{
    for (unsigned table = 0; table < XYLEM_STORE__TABLE_COUNT; table++) {
        if (txn->spare[table]) {
            mdb_cursor_close(txn->spare[table]);
            txn->spare[table] = NULL;
        }
    }
}

int xylem_store__get(struct xylem_view *value, struct xylem_txn *txn, enum xylem_store__table table,
                     struct xylem_view key, struct xylem_error *err)
{
    int code = readable(txn, table, err);
    if (code < 0) {
        return code;
    }
    MDB_val mdb_key = val_of(key);
    MDB_val data;
    MDB_cursor *cursor = NULL;
    int result = 0;
    txn->counters.tables[table].gets++;
    if (txn->write) {
        result = mdb_get(txn->mdb, txn->env->tables[table], &mdb_key, &data);
    } else if ((result = cursor_take(&cursor, txn, table)) == 0) {
        result = mdb_cursor_get(cursor, &mdb_key, &data, MDB_SET_KEY);
        cursor_give(cursor, txn, table);
    }
    if (result == MDB_NOTFOUND) {
        return 0;
    }
    if (result != 0) {
        return fail_in_table(err, result, "read", txn, table);
    }
    value->data = data.mv_data;
    value->bytes = data.mv_size;
    return 1;
}

/* A write that failed: what it means, and that the transaction cannot be committed any more. */
static int fail_to_write(struct xylem_txn *txn, enum xylem_store__table table, int result, struct xylem_error *err)
{
    int code;
    if (result == MDB_MAP_FULL) {
        pthread_mutex_lock(&txn->env->lock);
        txn->env->grow_wanted = true;
        pthread_mutex_unlock(&txn->env->lock);
    }
    if (result == MDB_KEYEXIST) {
        code = xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the table %s has a row already where the next one belongs",
                                txn->env->path, xylem_store__table_name(table));
    } else if (result > 0) { /* pages of a large transaction are written before its commit */
        code = xylem_store__write_fail(err, result, "cannot write to", txn->env);
    } else {
        code = fail_in_table(err, result, "write to", txn, table);
    }
    txn->failed = code;
    return code;
}

/* So that writing a row fails where there is one. */
static unsigned flags_of_new(enum xylem_store__table table)
{
    return table == XYLEM_STORE__IDS ? MDB_NODUPDATA : MDB_NOOVERWRITE;
}

/*
 * Records and rows of `feed` mostly come behind all others. Told so, LMDB finds the place without a search, and fills
 * its pages, where a split in the middle would leave them half empty.
 */
static int put(struct xylem_txn *txn, enum xylem_store__table table, struct xylem_view key, struct xylem_view value,
               bool replace)
{
    MDB_val mdb_key = val_of(key);
    MDB_val data = val_of(value);
    if (!replace && (table == XYLEM_STORE__LOG || table == XYLEM_STORE__FEED)) {
        int result = mdb_put(txn->mdb, txn->env->tables[table], &mdb_key, &data, MDB_APPEND);
        if (result != MDB_KEYEXIST) {
            return result; /* else another row stands behind its place, or in it */
        }
    }
    return mdb_put(txn->mdb, txn->env->tables[table], &mdb_key, &data, replace ? 0u : flags_of_new(table));
}

int xylem_store__put(struct xylem_txn *txn, enum xylem_store__table table, struct xylem_view key,
                     struct xylem_view value, bool replace, struct xylem_error *err)
{
    int code = xylem_store__writable(txn, err);
    if (code < 0) {
        return code;
    }
    int result = put(txn, table, key, value, replace);
    txn->counters.tables[table].puts += result == 0;
    return result == 0 ? XYLEM_OK : fail_to_write(txn, table, result, err);
}

int xylem_store__remove(struct xylem_txn *txn, enum xylem_store__table table, struct xylem_view key,
                        struct xylem_error *err)
{
    int code = xylem_store__writable(txn, err);
    if (code < 0) {
        return code;
    }
    MDB_val mdb_key = val_of(key);
    int result = mdb_del(txn->mdb, txn->env->tables[table], &mdb_key, NULL);
    txn->counters.tables[table].puts += result == 0;
    return result == 0 || result == MDB_NOTFOUND ? XYLEM_OK : fail_to_write(txn, table, result, err);
}

int xylem_store__remove_value(struct xylem_txn *txn, enum xylem_store__table table, struct xylem_view key,
                              struct xylem_view value, struct xylem_error *err)
{
    int code = xylem_store__writable(txn, err);
    if (code < 0) {
        return code;
    }
    MDB_val mdb_key = val_of(key);
    MDB_val data = val_of(value);
    int result = mdb_del(txn->mdb, txn->env->tables[table], &mdb_key, &data);
    txn->counters.tables[table].puts += result == 0;
    if (result == MDB_NOTFOUND) {
        return 0;
    }
    return result == 0 ? 1 : fail_to_write(txn, table, result, err);
}

void xylem_store__write_failed(struct xylem_txn *txn, int code)
{
    txn->failed = code;
}

int xylem_store__check_summed(struct xylem_view *value, struct xylem_txn *txn, enum xylem_store__table table,
                              struct xylem_view key, struct xylem_error *err)
{
    size_t bytes = value->bytes < XYLEM_STORE__SUM_BYTES ? 0 : value->bytes - XYLEM_STORE__SUM_BYTES;
    struct xylem_view content = {value->data, bytes};
    struct xylem_base__cursor cursor = xylem_base__cursor_of(value->data, value->bytes);
    xylem_base__read_bytes(&cursor, bytes);
    uint64_t sum = xylem_base__read_u64(&cursor);
    if (cursor.failed || sum != xylem_store__hash_pair(key, content)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a row of the table %s does not have its sum", txn->env->path,
                                xylem_store__table_name(table));
    }
    *value = content;
    return XYLEM_OK;
}

int xylem_store__put_summed(struct xylem_txn *txn, enum xylem_store__table table, struct xylem_view key,
                            struct xylem_buffer *value, bool replace, struct xylem_error *err)
{
    struct xylem_view content = {value->data, value->bytes};
    int code = xylem_base__add_u64(value, xylem_store__hash_pair(key, content));
    if (code < 0) {
        return xylem_base__fail_memory(err);
    }
    struct xylem_view row = {value->data, value->bytes};
    return xylem_store__put(txn, table, key, row, replace, err);
}

int xylem_store__rows_new(struct xylem_store__rows **rows, struct xylem_txn *txn, enum xylem_store__table table,
                          struct xylem_error *err)
{
    int code = readable(txn, table, err);
    if (code < 0) {
        return code;
    }
    struct xylem_store__rows *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->txn = txn;
    made->table = table;
    int result = cursor_take(&made->mdb, txn, table);
    if (result != 0) {
        free(made);
        return fail_in_table(err, result, "read", txn, table);
    }
    *rows = made;
    return XYLEM_OK;
}

int xylem_store__rows_step(struct xylem_view *key, struct xylem_view *value, struct xylem_store__rows *rows,
                           enum xylem_store__step step, struct xylem_error *err)
{
    static const MDB_cursor_op operations[] = {
        [XYLEM_STORE__FIRST] = MDB_FIRST,
        [XYLEM_STORE__LAST] = MDB_LAST,
        [XYLEM_STORE__NEXT] = MDB_NEXT,
        [XYLEM_STORE__PREVIOUS] = MDB_PREV,
        [XYLEM_STORE__AT] = MDB_SET_KEY,
        [XYLEM_STORE__AT_OR_AFTER] = MDB_SET_RANGE,
        [XYLEM_STORE__NEXT_OF_KEY] = MDB_NEXT_DUP,
    };
    int code = xylem_store__usable(rows->txn, err);
    if (code < 0) {
        return code;
    }
    MDB_val mdb_key = val_of(*key);
    MDB_val data = {0, NULL};
    bool to_neighbour = step == XYLEM_STORE__NEXT || step == XYLEM_STORE__PREVIOUS || step == XYLEM_STORE__NEXT_OF_KEY;
    *(to_neighbour ? &rows->txn->counters.tables[rows->table].steps : &rows->txn->counters.tables[rows->table].seeks) +=
        1;
    int result = mdb_cursor_get(rows->mdb, &mdb_key, &data, operations[step]);
    if (result == MDB_NOTFOUND) {
        return 0;
    }
    if (result != 0) {
        return fail_in_table(err, result, "read", rows->txn, rows->table);
    }
    key->data = mdb_key.mv_data;
    key->bytes = mdb_key.mv_size;
    value->data = data.mv_data;
    value->bytes = data.mv_size;
    return 1;
}

/* Verifies the row before the one at which the cursor stands (behind all, if `is_behind`), and goes back there. */
static int check_row_before(struct xylem_view *key, struct xylem_view *value, struct xylem_store__rows *rows,
                            bool is_behind, struct xylem_error *err)
{
    enum xylem_store__step back = is_behind ? XYLEM_STORE__LAST : XYLEM_STORE__PREVIOUS;
    struct xylem_view before = *key;
    struct xylem_view row = {NULL, 0};
    int found = xylem_store__rows_step(&before, &row, rows, back, err);
    int code = found > 0 ? xylem_store__check_summed(&row, rows->txn, rows->table, before, err) : found;
    if (code < 0 || is_behind) {
        return code;
    }
    return xylem_store__rows_step(key, value, rows, found ? XYLEM_STORE__NEXT : XYLEM_STORE__FIRST, err);
}

int xylem_store__rows_step_summed(struct xylem_view *key, struct xylem_view *value, struct xylem_store__rows *rows,
                                  enum xylem_store__step step, struct xylem_error *err)
{
    int found = xylem_store__rows_step(key, value, rows, step, err);
    if (step == XYLEM_STORE__AT_OR_AFTER && found >= 0) {
        found = check_row_before(key, value, rows, found == 0, err);
    }
    int code = found > 0 ? xylem_store__check_summed(value, rows->txn, rows->table, *key, err) : XYLEM_OK;
    return code < 0 ? code : found;
}

/* No row of that key was found: is that so? */
static int check_absence(struct xylem_txn *txn, enum xylem_store__table table, struct xylem_view key,
                         struct xylem_error *err)
{
    struct xylem_store__rows *rows;
    int code = xylem_store__rows_new(&rows, txn, table, err);
    if (code < 0) {
        return code;
    }
    struct xylem_view at = key;
    struct xylem_view row = {NULL, 0};
    int found = xylem_store__rows_step_summed(&at, &row, rows, XYLEM_STORE__AT_OR_AFTER, err);
    xylem_store__rows_free(rows);
    if (found > 0 && xylem_base__view_equal(at, key)) {
        /* What LMDB finds from one place and not from another lies on a page that is not in order. */
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: rows of the table %s are not in order", txn->env->path,
                                xylem_store__table_name(table));
    }
    return found < 0 ? found : 0;
}

int xylem_store__get_summed(struct xylem_view *value, struct xylem_txn *txn, enum xylem_store__table table,
                            struct xylem_view key, struct xylem_error *err)
{
    int found = xylem_store__get(value, txn, table, key, err);
    if (found <= 0) {
        return found < 0 ? found : check_absence(txn, table, key, err);
    }
    int code = xylem_store__check_summed(value, txn, table, key, err);
    return code < 0 ? code : 1;
}

/* 1, or 0 if the flags forbid it. */
static int put_at(struct xylem_store__rows *rows, struct xylem_view key, struct xylem_view value, unsigned flags,
                  struct xylem_error *err)
{
    int code = xylem_store__writable(rows->txn, err);
    if (code < 0) {
        return code;
    }
    MDB_val mdb_key = val_of(key);
    MDB_val data = val_of(value);
    int result = mdb_cursor_put(rows->mdb, &mdb_key, &data, flags);
    rows->txn->counters.tables[rows->table].puts += result == 0;
    if (result == MDB_KEYEXIST) {
        return 0;
    }
    return result == 0 ? 1 : fail_to_write(rows->txn, rows->table, result, err);
}

int xylem_store__rows_put(struct xylem_store__rows *rows, struct xylem_view key, struct xylem_view value,
                          struct xylem_error *err)
{
    int written = put_at(rows, key, value, flags_of_new(rows->table), err);
    if (written == 0) {
        return fail_to_write(rows->txn, rows->table, MDB_KEYEXIST, err);
    }
    return written < 0 ? written : XYLEM_OK;
}

int xylem_store__rows_put_key(struct xylem_store__rows *rows, struct xylem_view key, struct xylem_view value,
                              struct xylem_error *err)
{
    return put_at(rows, key, value, MDB_NOOVERWRITE, err);
}

void xylem_store__rows_free(struct xylem_store__rows *rows)
{
    if (!rows) {
        return;
    }
    if (rows->txn->env->fork_count == xylem_store__fork_count) {
        cursor_give(rows->mdb, rows->txn, rows->table);
    }
    free(rows);
}

int xylem_store__next_u64(uint64_t *number, struct xylem_txn *txn, enum xylem_store__table table, uint64_t floor,
                          struct xylem_error *err)
{
    struct xylem_store__rows *rows;
    int code = xylem_store__rows_new(&rows, txn, table, err);
    if (code < 0) {
        return code;
    }
    uint64_t last = 0;
    struct xylem_view key = {NULL, 0};
    struct xylem_view value;
    int found = xylem_store__rows_step(&key, &value, rows, XYLEM_STORE__LAST, err);
    bool readable = found <= 0 || xylem_store__key_read_u64(&last, key);
    xylem_store__rows_free(rows);
    if (found < 0) {
        return found;
    }
    last = last > floor ? last : floor;
    if (!readable || last == UINT64_MAX) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the last key of the table %s cannot be", txn->env->path,
                                xylem_store__table_name(table));
    }
    *number = last + 1;
    return XYLEM_OK;
}

int xylem_store__table_size(struct xylem_store__table_size *size, struct xylem_txn *txn, enum xylem_store__table table,
                            struct xylem_error *err)
{
    MDB_stat stat;
    int code = xylem_store__usable(txn, err);
    if (code < 0) {
        return code;
    }
    int result = mdb_stat(txn->mdb, txn->env->tables[table], &stat);
    if (result != 0) {
        return fail_in_table(err, result, "read", txn, table);
    }
    size->rows = stat.ms_entries;
    size->depth = stat.ms_depth;
    size->bytes = (uint64_t)stat.ms_psize * (stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages);
    return XYLEM_OK;
}

/* A line of mdb_reader_list(): pid, thread in hexadecimal, and a transaction's id, or `-`; or a heading. */
static int see_reader(const char *line, void *context)
{
    struct xylem_store__reader *oldest = context;
    char *end = NULL;
    long long pid = strtoll(line, &end, 10);
    if (end == line) {
        return 0;
    }
    end += strspn(end, " ");
    end += strcspn(end, " ");
    const char *text = end;
    unsigned long long txn_id = strtoull(text, &end, 10);
    if (end != text && txn_id < oldest->txn_id && (oldest->only_pid == 0 || pid == oldest->only_pid)) {
        oldest->txn_id = txn_id;
        oldest->pid = pid;
    }
    return 0;
}

/* A process that was killed keeps nothing back any more, once somebody has looked whether it is there. */
int xylem_store__oldest_reader(struct xylem_store__reader *oldest, MDB_env *mdb)
{
    int dead = 0;
    int result = mdb_reader_check(mdb, &dead);
    return result == 0 && mdb_reader_list(mdb, see_reader, oldest) < 0 ? EIO : result;
}

/* LMDB's own table of free pages: each key is the transaction that freed them, each value begins with their number. */
static int count_free_pages(uint64_t *count, uint64_t *waiting, uint64_t oldest_txn_id, struct xylem_txn *txn)
{
    MDB_cursor *cursor = NULL;
    int result = mdb_cursor_open(txn->mdb, 0, &cursor);
    if (result != 0) {
        return result;
    }
    MDB_val key;
    MDB_val data;
    while ((result = mdb_cursor_get(cursor, &key, &data, MDB_NEXT)) == 0) {
        struct xylem_base__cursor list = xylem_base__cursor_of(data.mv_data, data.mv_size);
        uint64_t pages = xylem_base__read_u64(&list);
        struct xylem_base__cursor freed_by = xylem_base__cursor_of(key.mv_data, key.mv_size);
        uint64_t txn_id = xylem_base__read_u64(&freed_by);
        *count += pages;
        *waiting += txn_id >= oldest_txn_id && txn_id < mdb_txn_id(txn->mdb) ? pages : 0;
    }
    mdb_cursor_close(cursor);
    return result == MDB_NOTFOUND ? 0 : result;
}

/* Looked at before LMDB reads it: a garbled one, which only writers need, would make it fault. */
static int read_free_pages(uint64_t *count, uint64_t *waiting, uint64_t oldest_txn_id, struct xylem_txn *txn,
                           struct xylem_error *err)
{
    struct xylem_store__pages pages;
    xylem_store__pages_of(&pages, txn);
    int code = xylem_store__pages_check_free(&pages, txn->env->path, err);
    if (code == XYLEM_E_CORRUPT) {
        xylem_store__env_damaged(txn);
    }
    if (code < 0) {
        return code;
    }
    int result = count_free_pages(count, waiting, oldest_txn_id, txn);
    if (result != 0) {
        txn->refused = txn->refused ? txn->refused : xylem_store__mdb_code(result);
        return xylem_store__mdb_fail(err, result, "cannot read the free pages of", txn->env);
    }
    return XYLEM_OK;
}

void xylem_store__count_record(struct xylem_txn *txn, uint64_t bytes)
{
    txn->counters.record_count++;
    txn->counters.record_bytes += bytes;
}

void xylem_counters_read(struct xylem_counters *counters, const struct xylem_txn *txn)
{
    *counters = txn->counters;
    for (unsigned table = 0; table < XYLEM_STORE__TABLE_COUNT; table++) {
        counters->tables[table].name = xylem_store__table_name(table);
    }
}

int xylem_store__env_stat(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err)
{
    MDB_envinfo info;
    MDB_stat pages;
    uint64_t free_pages = 0;
    uint64_t waiting_pages = 0;
    int code = xylem_store__usable(txn, err);
    if (code < 0) {
        return code;
    }
    if (txn->write) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "the figures of %s need a read transaction", txn->env->path);
    }
    mdb_env_info(txn->env->mdb, &info);
    mdb_env_stat(txn->env->mdb, &pages);
    uint64_t own_txn_id = mdb_txn_id(txn->mdb);
    struct xylem_store__reader oldest = {.txn_id = own_txn_id};
    int result = xylem_store__oldest_reader(&oldest, txn->env->mdb);
    if (result != 0) {
        return xylem_store__mdb_fail(err, result, "cannot list the readers of", txn->env);
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

int xylem_store__floors_read(struct xylem_store__floors *floors, struct xylem_txn *txn, struct xylem_error *err)
{
    if (!txn->floors_read) {
        struct xylem_view row = {NULL, 0};
        int used = xylem_store__feature_used(txn, XYLEM_STORE__FEATURE_FREED, err);
        int found = used <= 0 ? used
                              : xylem_store__get_summed(&row, txn, XYLEM_STORE__META,
                                                        xylem_view_of(XYLEM_STORE__META_FLOORS), err);
        if (found < 0) {
            return found;
        }
        if (found) {
            struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
            txn->floors.session = xylem_base__read_u64(&cursor);
            txn->floors.branch = xylem_base__read_u64(&cursor);
            txn->floors.lsn = xylem_base__read_u64(&cursor);
            txn->floors.kind = xylem_base__read_u64(&cursor);
            if (!xylem_base__cursor_ended(&cursor)) {
                return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the row %s of the table meta has %zu bytes",
                                        txn->env->path, XYLEM_STORE__META_FLOORS, row.bytes);
            }
        }
        txn->floors_read = true;
    }
    *floors = txn->floors;
    return XYLEM_OK;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

int xylem_store__floors_raise(struct xylem_txn *txn, const struct xylem_store__floors *floors, struct xylem_error *err)
{
    struct xylem_store__floors raised;
    struct xylem_buffer row = {NULL, 0, 0};
    int code = xylem_store__floors_read(&raised, txn, err);
    if (code < 0) {
        return code;
    }
    raised.session = greater(raised.session, floors->session);
    raised.branch = greater(raised.branch, floors->branch);
    raised.lsn = greater(raised.lsn, floors->lsn);
    raised.kind = greater(raised.kind, floors->kind);
    code = xylem_base__add_u64(&row, raised.session);
    code = code < 0 ? code : xylem_base__add_u64(&row, raised.branch);
    code = code < 0 ? code : xylem_base__add_u64(&row, raised.lsn);
    code = code < 0 ? code : xylem_base__add_u64(&row, raised.kind);
    code = code < 0 ? xylem_base__fail_memory(err)
                    : xylem_store__put_summed(txn, XYLEM_STORE__META, xylem_view_of(XYLEM_STORE__META_FLOORS), &row,
                                              true, err);
    xylem_buffer_release(&row);
    if (code == XYLEM_OK) {
        txn->floors = raised;
    }
    return code;
}

int xylem_store__freed_read(struct xylem_store__freed *freed, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    struct xylem_store__freed read = {0, 0};
    int used = xylem_store__feature_used(txn, XYLEM_STORE__FEATURE_FREED, err);
    int found =
        used <= 0 ? used
                  : xylem_store__get_summed(&row, txn, XYLEM_STORE__META, xylem_view_of(XYLEM_STORE__META_FREED), err);
    if (found < 0) {
        return found;
    }
    if (found) {
        struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
        read.entry_count = xylem_base__read_u64(&cursor);
        read.session_count = xylem_base__read_u64(&cursor);
        if (!xylem_base__cursor_ended(&cursor)) {
            return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the row %s of the table meta has %zu bytes",
                                    txn->env->path, XYLEM_STORE__META_FREED, row.bytes);
        }
    }
    *freed = read;
    return XYLEM_OK;
}

int xylem_store__freed_write(struct xylem_txn *txn, const struct xylem_store__freed *freed, struct xylem_error *err)
{
    struct xylem_buffer row = {NULL, 0, 0};
    int code = xylem_base__add_u64(&row, freed->entry_count);
    code = code < 0 ? code : xylem_base__add_u64(&row, freed->session_count);
    code = code < 0 ? xylem_base__fail_memory(err)
                    : xylem_store__put_summed(txn, XYLEM_STORE__META, xylem_view_of(XYLEM_STORE__META_FREED), &row,
                                              true, err);
    xylem_buffer_release(&row);
    return code;
}

struct xylem_store__displaced *xylem_store__displaced_room(struct xylem_txn *txn, size_t count)
{
    struct xylem_store__displaced *room = calloc(count ? count : 1, sizeof *room);
    if (room) {
        free(txn->displaced);
        txn->displaced = room;
    }
    return room;
}
