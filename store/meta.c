#include "store/meta.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "xylem/inspect.h"

static int read_format(uint32_t *version, uint64_t *features, uint64_t *change_count, struct xylem_txn *txn,
                       struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_FORMAT), err);
    if (found < 0) {
        return found;
    }
    if (found == 0) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the table meta has no row format", xylem_lmdb__path(txn));
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    *version = xylem_base__read_u32(&cursor);
    *features = xylem_base__read_u64(&cursor);
    *change_count = xylem_base__read_u64(&cursor);
    return cursor.failed
               ? xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the row format of the table meta is too short: %zu bytes",
                                  xylem_lmdb__path(txn), row.bytes)
               : XYLEM_OK;
}

int xylem_store_uuid(unsigned char uuid[16], struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_UUID), err);
    if (found < 0) {
        return found;
    }
    if (!found || row.bytes != 16) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s: the row uuid of the table meta is missing, or does not have 16 bytes",
                                xylem_lmdb__path(txn));
    }
    memcpy(uuid, row.data, 16);
    return XYLEM_OK;
}

int xylem_store__meta_stat(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err)
{
    uint64_t change_count;
    int code = read_format(&stat->format_version, &stat->features, &change_count, txn, err);
    return code < 0 ? code : xylem_store_uuid(stat->uuid, txn, err);
}

/* Reads the row `format` once in a transaction. */
static int see_format(struct xylem_lmdb__seen **seen, struct xylem_txn *txn, struct xylem_error *err)
{
    uint32_t version;
    *seen = xylem_lmdb__seen(txn);
    int code =
        (*seen)->features_read ? XYLEM_OK : read_format(&version, &(*seen)->features, &(*seen)->change_count, txn, err);
    (*seen)->features_read = code == XYLEM_OK;
    return code;
}

int xylem_store__feature_used(struct xylem_txn *txn, uint64_t feature, struct xylem_error *err)
{
    struct xylem_lmdb__seen *seen;
    int code = see_format(&seen, txn, err);
    return code < 0 ? code : (seen->features & feature) == feature;
}

int xylem_store__changes_read(uint64_t *count, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lmdb__seen *seen;
    int code = see_format(&seen, txn, err);
    *count = code < 0 ? 0 : seen->change_count;
    return code;
}

static int write_format(struct xylem_txn *txn, uint64_t features, uint64_t change_count, struct xylem_error *err)
{
    struct xylem_buffer value = {NULL, 0, 0};
    bool made = xylem_format__format_encode(&value, features, change_count) == XYLEM_OK;
    xylem_lmdb__seen(txn)->features_read = false;
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_FORMAT), &value, made, true,
                                  err);
}

int xylem_store__feature_add(struct xylem_txn *txn, uint64_t feature, struct xylem_error *err)
{
    struct xylem_lmdb__seen *seen;
    int code = see_format(&seen, txn, err);
    return code < 0 || (seen->features & feature) == feature
               ? code
               : write_format(txn, seen->features | feature, seen->change_count, err);
}

int xylem_store__feature_remove(struct xylem_txn *txn, uint64_t feature, struct xylem_error *err)
{
    struct xylem_lmdb__seen *seen;
    int code = see_format(&seen, txn, err);
    return code < 0 || (seen->features & feature) == 0
               ? code
               : write_format(txn, seen->features & ~feature, seen->change_count, err);
}

int xylem_store__changes_add(struct xylem_txn *txn, uint64_t count, struct xylem_error *err)
{
    struct xylem_lmdb__seen *seen;
    int code = see_format(&seen, txn, err);
    return code < 0 ? code : write_format(txn, seen->features, seen->change_count + count, err);
}

int xylem_store__meta_numbers_read(uint64_t *numbers, size_t count, struct xylem_txn *txn, const char *name,
                                   struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, xylem_view_of(name), err);
    if (found <= 0) {
        return found;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = xylem_base__read_u64(&cursor);
    }
    return xylem_base__cursor_ended(&cursor)
               ? 1
               : xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the row %s of the table meta has %zu bytes; expected %zu",
                                  xylem_lmdb__path(txn), name, row.bytes, count * sizeof *numbers);
}

int xylem_store__meta_numbers_write(struct xylem_txn *txn, const char *name, const uint64_t *numbers, size_t count,
                                    struct xylem_error *err)
{
    struct xylem_buffer row = {NULL, 0, 0};
    bool made = xylem_base__add_u64s(&row, numbers, count) == XYLEM_OK;
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__META, xylem_view_of(name), &row, made, true, err);
}

int xylem_store__floors_read(struct xylem_lmdb__floors *floors, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lmdb__seen *seen = xylem_lmdb__seen(txn);
    if (!seen->floors_read) {
        uint64_t numbers[4] = {0, 0, 0, 0};
        int code = xylem_store__feature_used(txn, XYLEM_FORMAT__FEATURE_FREED, err);
        if (code < 0 || (code > 0 && (code = xylem_store__meta_numbers_read(numbers, 4, txn, XYLEM_FORMAT__META_FLOORS,
                                                                            err)) < 0)) {
            return code;
        }
        seen->floors = (struct xylem_lmdb__floors){numbers[0], numbers[1], numbers[2], numbers[3]};
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
    struct xylem_lmdb__floors old;
    int code = xylem_store__floors_read(&old, txn, err);
    if (code < 0) {
        return code;
    }
    const uint64_t raised[] = {greater(old.session, floors->session), greater(old.branch, floors->branch),
                               greater(old.lsn, floors->lsn), greater(old.kind, floors->kind)};
    code = xylem_store__meta_numbers_write(txn, XYLEM_FORMAT__META_FLOORS, raised, 4, err);
    if (code == XYLEM_OK) {
        xylem_lmdb__seen(txn)->floors = (struct xylem_lmdb__floors){raised[0], raised[1], raised[2], raised[3]};
    }
    return code;
}

int xylem_store__freed_read(struct xylem_store__freed *freed, struct xylem_txn *txn, struct xylem_error *err)
{
    uint64_t numbers[2] = {0, 0};
    int code = xylem_store__feature_used(txn, XYLEM_FORMAT__FEATURE_FREED, err);
    if (code < 0 ||
        (code > 0 && (code = xylem_store__meta_numbers_read(numbers, 2, txn, XYLEM_FORMAT__META_FREED, err)) < 0)) {
        return code;
    }
    *freed = (struct xylem_store__freed){.entry_count = numbers[0], .session_count = numbers[1]};
    return XYLEM_OK;
}

int xylem_store__freed_write(struct xylem_txn *txn, const struct xylem_store__freed *freed, struct xylem_error *err)
{
    const uint64_t numbers[] = {freed->entry_count, freed->session_count};
    return xylem_store__meta_numbers_write(txn, XYLEM_FORMAT__META_FREED, numbers, 2, err);
}

int xylem_store__lsns_given(uint64_t *given, struct xylem_txn *txn, uint64_t expected, struct xylem_error *err)
{
    struct xylem_lmdb__table_size log;
    struct xylem_store__freed freed = {0, 0};
    uint64_t changes;
    int code;
    if ((code = xylem_lmdb__table_size(&log, txn, XYLEM_FORMAT__LOG, err)) < 0 ||
        (code = xylem_store__changes_read(&changes, txn, err)) < 0 ||
        (log.rows + changes != expected && (code = xylem_store__freed_read(&freed, txn, err)) < 0)) {
        return code;
    }
    *given = log.rows + changes + freed.entry_count;
    return XYLEM_OK;
}

int xylem_store__removal_note(struct xylem_txn *txn, enum xylem_store__removal removal, struct xylem_error *err)
{
    /* The number of all removals, then for each sort of removal the next lsn at the last removal. */
    uint64_t numbers[3] = {0, 0, 0};
    int code;
    if ((code = xylem_store__meta_numbers_read(numbers, 3, txn, XYLEM_FORMAT__META_REMOVED, err)) < 0 ||
        (code = xylem_store__lsns_given(&numbers[1 + removal], txn, UINT64_MAX, err)) < 0) {
        return code;
    }
    numbers[0]++;
    numbers[1 + removal]++; /* the next lsn follows the given lsns */
    if ((code = xylem_store__meta_numbers_write(txn, XYLEM_FORMAT__META_REMOVED, numbers, 3, err)) < 0 ||
        (code = xylem_store__feature_add(txn, XYLEM_FORMAT__FEATURE_REMOVED, err)) < 0) {
        xylem_lmdb__write_failed(txn, code); /* the row and the bit come together */
    }
    return code;
}
