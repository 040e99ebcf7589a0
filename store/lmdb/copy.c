#include "store/lmdb/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/os.h"
#include "base/value.h"
#include "store/format/hash.h"
#include "store/lmdb/environment.h"
#include "store/lmdb/tables.h"
#include "store/pages/check.h"
#include "store/pages/copy.h"
#include "xylem/inspect.h"

/* A copy by rows commits each time that so many bytes of keys and values were written. */
#define BATCH_BYTES ((size_t)64 << 20)

int xylem_lmdb__copy_file_bytes(uint64_t *bytes, const struct xylem_txn *txn, struct xylem_error *err)
{
    struct stat file;
    int fd = -1;
    mdb_env_get_fd(txn->env->mdb, &fd);
    if (fstat(fd, &file) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot read the length of the file in", txn->env->path);
    }
    *bytes = (uint64_t)file.st_size;
    return XYLEM_OK;
}

int xylem_lmdb__copy_sizes(uint64_t *file_bytes, uint64_t *copy_bytes, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_stat figures;
    MDB_stat free_table;
    int code;
    if ((code = xylem_lmdb__env_stat(&figures, txn, err)) < 0 ||
        (code = xylem_lmdb__copy_file_bytes(file_bytes, txn, err)) < 0) {
        return code;
    }
    int result = mdb_stat(txn->mdb, 0, &free_table); /* the free list, which a copy does not have */
    if (result != 0) {
        return xylem_lmdb__mdb_fail(err, result, "cannot read the free pages of", txn->env);
    }
    uint64_t pages = free_table.ms_branch_pages + free_table.ms_leaf_pages + free_table.ms_overflow_pages;
    uint64_t unused = figures.free_bytes + pages * figures.page_bytes;
    *copy_bytes = figures.file_bytes > unused ? figures.file_bytes - unused : 0;
    return XYLEM_OK;
}

/* --- Row by row -------------------------------------------------------------------------------------------------- */

/* The new environment of a copy by rows, with transactions of bounded size. */
struct rebuild {
    MDB_env *env;
    MDB_txn *txn;
    size_t bytes; /* written in `txn` */
};

static int open_rebuild(struct rebuild *rebuild, const char *target, uint64_t map_bytes)
{
    int result = mdb_env_create(&rebuild->env);
    if (result != 0) {
        rebuild->env = NULL;
        return result;
    }
    result = mdb_env_set_mapsize(rebuild->env, (size_t)map_bytes);
    result = result == 0 ? mdb_env_set_maxdbs(rebuild->env, XYLEM_FORMAT__TABLE_COUNT) : result;
    /* No locks: nobody else knows the file. No sync here: xylem_lmdb__copy() syncs the file at the end. */
    unsigned flags = MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC | MDB_NORDAHEAD;
    result = result == 0 ? mdb_env_open(rebuild->env, target, flags, 0600) : result;
    return result == 0 ? mdb_txn_begin(rebuild->env, NULL, 0, &rebuild->txn) : result;
}

/* Commits, unless `result` is a failure, and closes the environment. With `sync`, syncs the file before. */
static int close_rebuild(struct rebuild *rebuild, int result, bool sync)
{
    if (result == 0) {
        result = mdb_txn_commit(rebuild->txn);
        rebuild->txn = NULL;
    }
    mdb_txn_abort(rebuild->txn);
    if (rebuild->env) {
        result = result == 0 && sync ? mdb_env_sync(rebuild->env, 1) : result;
        mdb_env_close(rebuild->env);
    }
    return result;
}

static int rebuild_table(struct rebuild *rebuild, struct xylem_txn *txn, enum xylem_format__table table)
{
    unsigned flags = 0;
    MDB_dbi to = 0;
    MDB_cursor *cursor = NULL;
    MDB_val key;
    MDB_val value;
    int result = mdb_dbi_flags(txn->mdb, txn->env->tables[table], &flags);
    result =
        result == 0 ? mdb_dbi_open(rebuild->txn, xylem_format__table_name(table), flags | MDB_CREATE, &to) : result;
    result = result == 0 ? mdb_cursor_open(txn->mdb, txn->env->tables[table], &cursor) : result;
    while (result == 0 && (result = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0) {
        rebuild->bytes += key.mv_size + value.mv_size;
        result = mdb_put(rebuild->txn, to, &key, &value, flags & MDB_DUPSORT ? 0 : MDB_APPEND);
        if (result == 0 && rebuild->bytes >= BATCH_BYTES) {
            result = mdb_txn_commit(rebuild->txn);
            rebuild->txn = NULL;
            rebuild->bytes = 0;
            result = result == 0 ? mdb_txn_begin(rebuild->env, NULL, 0, &rebuild->txn) : result;
        }
    }
    if (cursor) {
        mdb_cursor_close(cursor);
    }
    return result == MDB_NOTFOUND ? 0 : result;
}

/* Copies all rows. This works also for a file with leaked pages, which LMDB refuses to compact. */
static int copy_rows(struct xylem_txn *txn, const char *target)
{
    struct rebuild rebuild = {NULL, NULL, 0};
    MDB_envinfo info;
    mdb_env_info(txn->env->mdb, &info);
    int result = open_rebuild(&rebuild, target, info.me_mapsize);
    for (unsigned table = 0; result == 0 && table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        result = rebuild_table(&rebuild, txn, table);
    }
    return close_rebuild(&rebuild, result, false);
}

/* --- Page by page ------------------------------------------------------------------------------------------------ */

static int copy_by_lmdb(struct xylem_txn *txn, int fd, const char *target, bool by_rows, struct xylem_error *err)
{
    int result = by_rows ? MDB_INCOMPATIBLE : mdb_env_copyfd2(txn->env->mdb, fd, MDB_CP_COMPACT);
    if (result == MDB_INCOMPATIBLE) {
        result = ftruncate(fd, 0) == 0 ? copy_rows(txn, target) : errno;
    }
    return result == 0  ? XYLEM_OK
           : result < 0 ? xylem_lmdb__mdb_fail(err, result, "cannot copy", txn->env)
                        /* the errno of a system call that writes the copy */
                        : xylem_base__fail_errno(err, result, "cannot write the copy", target);
}

/* --- The mark ----------------------------------------------------------------------------------------------------- */

#define MARK_BYTES ((size_t)1 << 20) /* more room than the store had, for the pages of one row */

/* Makes the row `format` anew, with the bit. */
static bool make_marked(struct xylem_buffer *row, struct xylem_view old)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(old.data, old.bytes);
    xylem_base__read_u32(&cursor);
    uint64_t features = xylem_base__read_u64(&cursor) | XYLEM_FORMAT__FEATURE_COPY;
    return xylem_format__format_encode(row, features, xylem_format__format_change_count(old)) == XYLEM_OK &&
           xylem_format__row_add_sum(row, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_FORMAT)) == XYLEM_OK;
}

static int write_mark(MDB_txn *txn)
{
    const struct xylem_view name = xylem_view_of(XYLEM_FORMAT__META_FORMAT);
    struct xylem_buffer row = {NULL, 0, 0};
    MDB_val key = {name.bytes, (void *)(uintptr_t)name.data};
    MDB_val value;
    MDB_dbi meta;
    int result = mdb_dbi_open(txn, xylem_format__table_name(XYLEM_FORMAT__META), 0, &meta);
    result = result == 0 ? mdb_get(txn, meta, &key, &value) : result;
    if (result != 0) {
        return result;
    }
    if (make_marked(&row, (struct xylem_view){value.mv_data, value.mv_size})) {
        value = (MDB_val){row.bytes, row.data};
        result = mdb_put(txn, meta, &key, &value, 0);
    } else {
        result = ENOMEM;
    }
    xylem_buffer_release(&row);
    return result;
}

int xylem_lmdb__copy_mark(const char *target, const struct xylem_txn *txn, struct xylem_error *err)
{
    struct rebuild marking = {.env = NULL};
    struct stat file;
    int result = stat(target, &file) == 0 ? open_rebuild(&marking, target, (uint64_t)file.st_size + MARK_BYTES) : errno;
    result = result == 0 ? write_mark(marking.txn) : result;
    result = close_rebuild(&marking, result, true);
    return result == 0  ? XYLEM_OK
           : result > 0 ? xylem_base__fail_errno(err, result, "cannot write the copy", target)
                        : xylem_lmdb__mdb_fail(err, result, "cannot mark a copy of", txn->env);
}

/* --- Each page at its place -------------------------------------------------------------------------------------- */

/* Marks the row `format`, and notes the code. A row with a wrong sum stays as found: a new sum would hide the damage. */
static void mark_row(void *context, const char *table, struct xylem_view key, unsigned char *value, uint64_t bytes)
{
    int *code = context;
    struct xylem_view old = {(const char *)value, (size_t)bytes};
    struct xylem_buffer row = {NULL, 0, 0};
    if (strcmp(table, xylem_format__table_name(XYLEM_FORMAT__META)) == 0 &&
        xylem_base__view_is(key, XYLEM_FORMAT__META_FORMAT) &&
        xylem_format__row_unseal(&old, XYLEM_FORMAT__META, key)) {
        *code = !make_marked(&row, old) ? XYLEM_E_MEMORY : row.bytes == bytes ? XYLEM_OK : XYLEM_E_CORRUPT;
        if (*code == XYLEM_OK) {
            memcpy(value, row.data, row.bytes);
        }
        xylem_buffer_release(&row);
    }
}

static int copy_in_place(uint64_t *hole_bytes, struct xylem_txn *txn, int fd, const char *target,
                         struct xylem_error *err)
{
    struct xylem_pages__pages_found found;
    struct xylem_pages__pages pages;
    struct xylem_error reason;
    MDB_envinfo info;
    int marked = XYLEM_E_CORRUPT;
    mdb_env_info(txn->env->mdb, &info);
    xylem_lmdb__pages_of(&pages, txn);
    const struct xylem_pages__copy copy = {.fd = fd,
                                           .path = target,
                                           .snapshot = &txn->snapshot,
                                           .map_bytes = info.me_mapsize,
                                           .row = mark_row,
                                           .context = &marked};
    int code = xylem_pages__pages_copy(&found, &pages, &copy, txn->env->path, &reason);
    if (code == XYLEM_OK && marked < 0) {
        code = xylem_base__fail(&reason, marked, "%s/data.mdb: the row format of the table meta %s", txn->env->path,
                                marked == XYLEM_E_MEMORY ? "needs more memory" : "is damaged or missing");
    }
    *hole_bytes = (txn->snapshot.last_page + 1 - XYLEM_PAGES__META_PAGES - found.used_count) * pages.page_bytes;
    int reader = code == XYLEM_OK || code == XYLEM_E_CORRUPT ? xylem_lmdb__check_reader(txn, err) : XYLEM_OK;
    if (reader < 0) {
        return reader; /* writers may have written over the pages: the pages tell nothing */
    }
    if (code == XYLEM_E_CORRUPT) {
        xylem_lmdb__env_damaged(txn);
    }
    return code < 0 ? xylem_base__fail(err, code, "%s", reason.text) : XYLEM_OK;
}

/* --- The copy ---------------------------------------------------------------------------------------------------- */

int xylem_lmdb__copy(uint64_t *hole_bytes, struct xylem_txn *txn, const char *target, enum xylem_lmdb__copy_by by,
                     struct xylem_error *err)
{
    int fd = -1;
    int made = xylem_base__file_make(&fd, target, err);
    if (made <= 0) {
        return made < 0 ? made : xylem_base__fail_errno(err, EEXIST, "cannot make", target);
    }
    int code = by == XYLEM_LMDB__COPY_IN_PLACE ? copy_in_place(hole_bytes, txn, fd, target, err)
                                               : copy_by_lmdb(txn, fd, target, by == XYLEM_LMDB__COPY_ROWS, err);
    if (code == XYLEM_OK && fsync(fd) != 0) {
        code = xylem_base__fail_errno(err, errno, "cannot sync the copy", target);
    }
    if (close(fd) != 0 && code == XYLEM_OK) {
        code = xylem_base__fail_errno(err, errno, "cannot write the copy", target);
    }
    if (code < 0) {
        unlink(target);
    }
    return code;
}

/* --- The number -------------------------------------------------------------------------------------------------- */

#define LOCK_NUMBER_OFFSET ((off_t)(8 + sizeof(pthread_mutex_t))) /* in lock.mdb */

int xylem_lmdb__copy_number(uint64_t *raised, const char *target, const struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_pages__meta metas[XYLEM_PAGES__META_PAGES] = {{.page_bytes = 0}};
    unsigned char meta[XYLEM_PAGES__META_END];
    uint64_t number = txn->snapshot.txn_id;
    int fd = open(target, O_RDWR | O_CLOEXEC);
    bool done = fd >= 0 && xylem_pages__meta_read(&metas[0], fd, 0, 0) &&
                xylem_pages__meta_read(&metas[1], fd, 1, (size_t)metas[0].page_bytes);
    uint64_t newest_page = metas[1].txn_id > metas[0].txn_id;
    *raised = metas[newest_page].txn_id > number ? metas[newest_page].txn_id : 0;
    number = *raised > 0 ? *raised : number;
    size_t page_bytes = (size_t)metas[0].page_bytes;
    done = done && pread(fd, meta, sizeof meta, (off_t)(newest_page * page_bytes)) == (ssize_t)sizeof meta;
    /* Write the newest meta page twice, as commits `number` - 1 and `number`. */
    for (uint64_t txn_id = number - 1; done && txn_id <= number; txn_id++) {
        uint64_t page = txn_id & 1;
        memcpy(meta, &page, sizeof page);
        memcpy(meta + XYLEM_PAGES__META_TXN_OFFSET, &txn_id, sizeof txn_id);
        done = pwrite(fd, meta, sizeof meta, (off_t)(page * page_bytes)) == (ssize_t)sizeof meta;
    }
    done = done && fsync(fd) == 0;
    int code = done ? XYLEM_OK : xylem_base__fail_errno(err, errno, "cannot write the copy", target);
    xylem_base__file_close(&fd);
    return code;
}

bool xylem_lmdb__lock_number(uint64_t *before, int lmdb_lock_fd, uint64_t number)
{
    return pread(lmdb_lock_fd, before, sizeof *before, LOCK_NUMBER_OFFSET) == sizeof *before &&
           pwrite(lmdb_lock_fd, &number, sizeof number, LOCK_NUMBER_OFFSET) == sizeof number;
}
