#include "store/meta.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

static int read_format(uint32_t *version, uint64_t *features, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_FORMAT), err);
    if (found < 0) {
        return found;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, found ? row.bytes : 0);
    *version = xylem_base__read_u32(&cursor);
    *features = xylem_base__read_u64(&cursor);
    return cursor.failed
               ? xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the row format of the table meta is missing or too short",
                                  xylem_lmdb__path(txn))
               : XYLEM_OK;
}

int xylem_store__meta_stat(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    int code = read_format(&stat->format_version, &stat->features, txn, err);
    int found =
        code < 0 ? code
                 : xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_UUID), err);
    if (found < 0) {
        return found;
    }
    if (!found || row.bytes != sizeof stat->uuid) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s: the row uuid of the table meta is missing or has not 16 bytes",
                                xylem_lmdb__path(txn));
    }
    memcpy(stat->uuid, row.data, sizeof stat->uuid);
    return XYLEM_OK;
}

int xylem_store__feature_used(struct xylem_txn *txn, uint64_t feature, struct xylem_error *err)
{
    uint32_t version;
    struct xylem_lmdb__seen *seen = xylem_lmdb__seen(txn);
    int code = seen->features_read ? XYLEM_OK : read_format(&version, &seen->features, txn, err);
    seen->features_read = code == XYLEM_OK;
    return code < 0 ? code : (seen->features & feature) == feature;
}

int xylem_store__feature_add(struct xylem_txn *txn, uint64_t feature, struct xylem_error *err)
{
    assert((feature & XYLEM_FORMAT__FEATURES_REQUIRED) == 0);
    struct xylem_buffer value = {NULL, 0, 0};
    int used = xylem_store__feature_used(txn, feature, err);
    if (used != 0) {
        return used < 0 ? used : XYLEM_OK;
    }
    struct xylem_lmdb__seen *seen = xylem_lmdb__seen(txn);
    int code = xylem_format__format_encode(&value, seen->features | feature) < 0
                   ? xylem_base__fail_memory(err)
                   : xylem_lmdb__put_summed(txn, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_FORMAT), &value,
                                            true, err);
    xylem_buffer_release(&value);
    seen->features_read = false;
    return code;
}

int xylem_store__floors_read(struct xylem_lmdb__floors *floors, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lmdb__seen *seen = xylem_lmdb__seen(txn);
    if (!seen->floors_read) {
        struct xylem_view row = {NULL, 0};
        int used = xylem_store__feature_used(txn, XYLEM_FORMAT__FEATURE_FREED, err);
        int found = used <= 0 ? used
                              : xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META,
                                                       xylem_view_of(XYLEM_FORMAT__META_FLOORS), err);
        if (found < 0) {
            return found;
        }
        if (found) {
            struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
            seen->floors.session = xylem_base__read_u64(&cursor);
            seen->floors.branch = xylem_base__read_u64(&cursor);
            seen->floors.lsn = xylem_base__read_u64(&cursor);
            seen->floors.kind = xylem_base__read_u64(&cursor);
            if (!xylem_base__cursor_ended(&cursor)) {
                return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the row %s of the table meta has %zu bytes",
                                        xylem_lmdb__path(txn), XYLEM_FORMAT__META_FLOORS, row.bytes);
            }
        }
        seen->floors_read = true;
    }
    *floors = seen->floors;
    return XYLEM_OK;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

int xylem_store__floors_raise(struct xylem_txn *txn, const struct xylem_lmdb__floors *floors, struct xylem_error *err)
{
    struct xylem_lmdb__floors raised;
    struct xylem_buffer row = {NULL, 0, 0};
    int code = xylem_store__floors_read(&raised, txn, err);
    if (code < 0) {
        return code;
    }
    raised.session = greater(raised.session, floors->session);
    raised.branch = greater(raised.branch, floors->branch);
    raised.lsn = greater(raised.lsn, floors->lsn);
    raised.kind = greater(raised.kind, floors->kind);
    if (xylem_base__add_u64(&row, raised.session) < 0 || xylem_base__add_u64(&row, raised.branch) < 0 ||
        xylem_base__add_u64(&row, raised.lsn) < 0 || xylem_base__add_u64(&row, raised.kind) < 0) {
        code = xylem_base__fail_memory(err);
        goto out;
    }
    code = xylem_lmdb__put_summed(txn, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_FLOORS), &row, true, err);
out:
    xylem_buffer_release(&row);
    if (code == XYLEM_OK) {
        xylem_lmdb__seen(txn)->floors = raised;
    }
    return code;
}

int xylem_store__freed_read(struct xylem_store__freed *freed, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    struct xylem_store__freed read = {0, 0};
    int used = xylem_store__feature_used(txn, XYLEM_FORMAT__FEATURE_FREED, err);
    int found =
        used <= 0 ? used
                  : xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_FREED), err);
    if (found < 0) {
        return found;
    }
    if (found) {
        struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
        read.entry_count = xylem_base__read_u64(&cursor);
        read.session_count = xylem_base__read_u64(&cursor);
        if (!xylem_base__cursor_ended(&cursor)) {
            return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the row %s of the table meta has %zu bytes",
                                    xylem_lmdb__path(txn), XYLEM_FORMAT__META_FREED, row.bytes);
        }
    }
    *freed = read;
    return XYLEM_OK;
}

int xylem_store__freed_write(struct xylem_txn *txn, const struct xylem_store__freed *freed, struct xylem_error *err)
{
    struct xylem_buffer row = {NULL, 0, 0};
    int code;
    if (xylem_base__add_u64(&row, freed->entry_count) < 0 || xylem_base__add_u64(&row, freed->session_count) < 0) {
        code = xylem_base__fail_memory(err);
        goto out;
    }
    code = xylem_lmdb__put_summed(txn, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_FREED), &row, true, err);
out:
    xylem_buffer_release(&row);
    return code;
}

/* Lsns have no gaps: the last lsn is the number of entries, freed entries included. */
static int next_lsn(uint64_t *lsn, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lmdb__table_size log;
    struct xylem_store__freed freed;
    int code;
    if ((code = xylem_lmdb__table_size(&log, txn, XYLEM_FORMAT__LOG, err)) < 0 ||
        (code = xylem_store__freed_read(&freed, txn, err)) < 0) {
        return code;
    }
    *lsn = log.rows + freed.entry_count + 1;
    return XYLEM_OK;
}

int xylem_store__removal_note(struct xylem_txn *txn, enum xylem_store__removal removal, struct xylem_error *err)
{
    struct xylem_view name = xylem_view_of(XYLEM_FORMAT__META_REMOVED);
    struct xylem_view row = {NULL, 0};
    uint64_t count = 0;
    uint64_t before[2] = {0, 0};
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, name, err);
    if (found < 0) {
        return found;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    if (found > 0) {
        count = xylem_base__read_u64(&cursor);
        before[XYLEM_STORE__REDACTION] = xylem_base__read_u64(&cursor);
        before[XYLEM_STORE__DELETION] = xylem_base__read_u64(&cursor);
    }
    if (!xylem_base__cursor_ended(&cursor)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the row %s of the table meta has %zu bytes",
                                xylem_lmdb__path(txn), XYLEM_FORMAT__META_REMOVED, row.bytes);
    }
    uint64_t lsn = 0;
    int code;
    if ((code = xylem_store__feature_add(txn, XYLEM_FORMAT__FEATURE_REMOVED, err)) < 0 ||
        (code = next_lsn(&lsn, txn, err)) < 0) {
        return code;
    }
    struct xylem_buffer value = {NULL, 0, 0};
    before[removal] = lsn;
    if (xylem_base__add_u64(&value, count + 1) < 0 || xylem_base__add_u64(&value, before[XYLEM_STORE__REDACTION]) < 0 ||
        xylem_base__add_u64(&value, before[XYLEM_STORE__DELETION]) < 0) {
        code = xylem_base__fail_memory(err);
        goto out;
    }
    code = xylem_lmdb__put_summed(txn, XYLEM_FORMAT__META, name, &value, true, err);
out:
    xylem_buffer_release(&value);
    return code;
}
