/*
 * An incarnation is one life of a store. A backup is marked: its first change begins another life, since the store goes
 * on without it, with other changes under the same lsns:
 *
 *     the store   1 -- 2 -- 3 -- 4 -- 5
 *                           |
 *     a backup              +--- 4'-- 5'     another incarnation, from lsn 3 on
 */
#include "store/incarnation.h"

#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/format/format.h"
#include "store/meta.h"
#include "store/lmdb/tables.h"
#include "xylem/feed.h"
#include "xylem/inspect.h"

#define UUID_BYTES 16u

int xylem_incarnation_read(struct xylem_incarnation *incarnation, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    struct xylem_incarnation read = {.lsn = 0};
    int found =
        xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_INCARNATION), err);
    if (found <= 0) {
        int code = found < 0 ? found : xylem_store_uuid(read.uuid, txn, err);
        *incarnation = code < 0 ? *incarnation : read;
        return code;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    struct xylem_view uuid = xylem_base__read_bytes(&cursor, UUID_BYTES);
    read.lsn = xylem_base__read_u64(&cursor);
    read.chain = xylem_base__read_u64(&cursor);
    struct xylem_view before = xylem_base__read_bytes(&cursor, UUID_BYTES);
    if (!xylem_base__cursor_ended(&cursor)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s: the row " XYLEM_FORMAT__META_INCARNATION " of the table meta has %zu bytes",
                                xylem_lmdb__path(txn), row.bytes);
    }
    memcpy(read.uuid, uuid.data, UUID_BYTES);
    memcpy(read.before, before.data, UUID_BYTES);
    *incarnation = read;
    return XYLEM_OK;
}

int xylem_store__incarnation_draw(struct xylem_txn *txn, uint64_t lsn, uint64_t chain, struct xylem_error *err)
{
    struct xylem_incarnation last;
    struct xylem_buffer row = {NULL, 0, 0};
    const uint64_t begins[] = {lsn, chain};
    unsigned char uuid[UUID_BYTES];
    int code;
    if ((code = xylem_incarnation_read(&last, txn, err)) < 0 ||
        (code = xylem_base__random(uuid, sizeof uuid, err)) < 0) {
        return code;
    }
    bool made = xylem_buffer_add(&row, uuid, sizeof uuid) == XYLEM_OK &&
                xylem_base__add_u64s(&row, begins, 2) == XYLEM_OK &&
                xylem_buffer_add(&row, last.uuid, sizeof last.uuid) == XYLEM_OK;
    code = xylem_lmdb__put_summed(txn, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_INCARNATION), &row, made,
                                  true, err);
    code = code < 0 ? code : xylem_store__feature_remove(txn, XYLEM_FORMAT__FEATURE_COPY, err);
    if (code < 0) {
        xylem_lmdb__write_failed(txn, code);
    }
    return code;
}
