#include "store/feed.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/format/hash.h"
#include "store/format/keys.h"
#include "store/incarnation.h"
#include "store/meta.h"
#include "store/lmdb/tables.h"
#include "xylem/feed.h"

/* tag, type, session, a sized id with a namespace, the session's chain, ordinal, distance, the store's chain, sum */
#define ROW_BYTES_MAX                                                                                         \
    (1u + 1u + 10u + 2u + XYLEM_SESSION_ID_BYTES_MAX + 1u + XYLEM_NAMESPACE_BYTES_MAX + 8u + 10u + 10u + 8u + \
     XYLEM_FORMAT__SUM_BYTES)

const char *xylem_change_word(enum xylem_change_type type)
{
    static const char *const words[XYLEM_CHANGE_TYPE_COUNT] = {"entry", "created",  "forked", "deleted",  "undeleted",
                                                               "moved", "redacted", "freed",  "document", "side"};
    return (unsigned)type < XYLEM_CHANGE_TYPE_COUNT ? words[type] : NULL;
}

/* Takes the namespace off the id. False if the tag is there without a namespace. */
static bool split_freed(struct xylem_store__feed *feed)
{
    struct xylem_view *id = &feed->freed_id;
    const char *tag = id->bytes > 0 ? memchr(id->data, (int)XYLEM_FORMAT__NAMESPACE_TAG, id->bytes) : NULL;
    if (tag) {
        feed->freed_name_space = (struct xylem_view){tag + 1, (size_t)(id->data + id->bytes - tag) - 1};
        id->bytes = (size_t)(tag - id->data);
    }
    return !tag || (feed->freed_name_space.bytes > 0 && feed->freed_name_space.bytes <= XYLEM_NAMESPACE_BYTES_MAX);
}

static bool decode_change(struct xylem_store__feed *feed, struct xylem_base__cursor *cursor)
{
    feed->type = xylem_base__read_u8(cursor);
    feed->session = xylem_base__read_varint(cursor);
    switch (feed->type) {
    case XYLEM_CHANGE_MOVED:
        feed->move_number = xylem_base__read_varint(cursor);
        break;
    case XYLEM_CHANGE_REDACTED:
        feed->position = xylem_base__read_varint_position(cursor);
        break;
    case XYLEM_CHANGE_FREED:
        feed->freed_id = xylem_base__read_varsized(cursor);
        cursor->failed |= !split_freed(feed);
        break;
    case XYLEM_CHANGE_SIDE: {
        uint64_t distance = xylem_base__read_varint(cursor);
        feed->side_lsn = distance < feed->first_lsn ? feed->first_lsn - distance : 0;
        break;
    }
    default:
        break;
    }
    bool has_id = feed->freed_id.bytes > 0 && feed->freed_id.bytes <= XYLEM_SESSION_ID_BYTES_MAX;
    return feed->type != XYLEM_CHANGE_ENTRY && feed->type < XYLEM_CHANGE_TYPE_COUNT && feed->session > 0 &&
           has_id == (feed->type == XYLEM_CHANGE_FREED) && (feed->side_lsn > 0) == (feed->type == XYLEM_CHANGE_SIDE);
}

static bool has_history(const struct xylem_store__feed *feed)
{
    return feed->tag == XYLEM_FORMAT__FEED_APPENDED ||
           (feed->tag == XYLEM_FORMAT__FEED_CHANGE && feed->type != XYLEM_CHANGE_FREED);
}

int xylem_store__feed_decode(struct xylem_store__feed *feed, struct xylem_view key, struct xylem_view row)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    uint64_t count;
    *feed = (struct xylem_store__feed){.tag = xylem_base__read_u8(&cursor)};
    bool right = xylem_format__key_read_u64(&feed->first_lsn, key) && feed->first_lsn > 0;
    switch (feed->tag) {
    case XYLEM_FORMAT__FEED_APPENDED:
        feed->position = xylem_base__read_varint_position(&cursor);
        count = xylem_base__read_varint(&cursor);
        right = right && count > 0 && count <= XYLEM_APPEND_ENTRIES_MAX && feed->first_lsn <= UINT64_MAX - count;
        feed->last_lsn = feed->first_lsn + count - 1;
        break;
    case XYLEM_FORMAT__FEED_CHANGE:
        right = decode_change(feed, &cursor) && right;
        feed->last_lsn = feed->first_lsn;
        break;
    case XYLEM_FORMAT__FEED_FREED:
    case XYLEM_FORMAT__FEED_SKIPPED:
        feed->last_lsn = xylem_base__read_varint(&cursor);
        break;
    default:
        right = false;
    }
    if (has_history(feed)) {
        feed->history_chain = xylem_base__read_u64(&cursor);
        feed->ordinal = xylem_base__read_varint(&cursor);
        uint64_t distance = xylem_base__read_varint(&cursor);
        feed->previous = distance > 0 && distance < feed->first_lsn ? feed->first_lsn - distance : 0;
        right = right && feed->ordinal > 0 && distance < feed->first_lsn && (distance == 0) == (feed->ordinal == 1) &&
                feed->ordinal <= UINT64_MAX - (feed->last_lsn - feed->first_lsn);
    }
    feed->chain = xylem_base__read_u64(&cursor);
    right =
        right && xylem_base__cursor_ended(&cursor) && feed->last_lsn >= feed->first_lsn && feed->last_lsn < UINT64_MAX;
    return right ? XYLEM_OK : XYLEM_E_MALFORMED;
}

int xylem_store__feed_step(struct xylem_store__feed *feed, struct xylem_txn *txn, struct xylem_lmdb__rows *rows,
                           enum xylem_lmdb__step step, struct xylem_error *err)
{
    struct xylem_view key = {NULL, 0};
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__rows_step_summed(&key, &row, rows, step, err);
    return found > 0 && xylem_store__feed_decode(feed, key, row) < 0
               ? xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a row of the table feed has invalid fields",
                                  xylem_lmdb__path(txn))
               : found;
}

int xylem_store__feed_seek(struct xylem_store__feed *feed, struct xylem_txn *txn, struct xylem_lmdb__rows *rows,
                           uint64_t lsn, struct xylem_error *err)
{
    struct xylem_format__key behind;
    struct xylem_view row = {NULL, 0};
    int found = 0;
    if (lsn < UINT64_MAX) {
        xylem_format__key_u64(&behind, lsn + 1);
        struct xylem_view key = behind.view;
        found = xylem_lmdb__rows_step(&key, &row, rows, XYLEM_LMDB__AT_OR_AFTER, err);
    }
    return found < 0
               ? found
               : xylem_store__feed_step(feed, txn, rows, found > 0 ? XYLEM_LMDB__PREVIOUS : XYLEM_LMDB__LAST, err);
}

/* Each gives the place behind. */
static unsigned char *put(unsigned char *at, uint64_t number)
{
    return at + xylem_base__put_varint(at, number);
}

static unsigned char *put_fields(unsigned char *at, const struct xylem_store__feed *feed)
{
    *at++ = (unsigned char)feed->tag;
    if (feed->tag == XYLEM_FORMAT__FEED_APPENDED) {
        assert(feed->last_lsn - feed->first_lsn < XYLEM_APPEND_ENTRIES_MAX);
        at = put(put(at, feed->position.branch), feed->position.depth);
        return put(at, feed->last_lsn - feed->first_lsn + 1);
    }
    if (feed->tag != XYLEM_FORMAT__FEED_CHANGE) {
        return put(at, feed->last_lsn);
    }
    struct xylem_view id = feed->freed_id;
    struct xylem_view space = feed->freed_name_space;
    *at++ = (unsigned char)feed->type;
    at = put(at, feed->session);
    switch (feed->type) {
    case XYLEM_CHANGE_MOVED:
        return put(at, feed->move_number);
    case XYLEM_CHANGE_REDACTED:
        return put(put(at, feed->position.branch), feed->position.depth);
    case XYLEM_CHANGE_FREED:
        assert(id.bytes > 0 && id.bytes <= XYLEM_SESSION_ID_BYTES_MAX && space.bytes <= XYLEM_NAMESPACE_BYTES_MAX);
        at = put(at, id.bytes + (space.bytes > 0 ? 1 + space.bytes : 0));
        memcpy(at, id.data, id.bytes);
        at += id.bytes;
        if (space.bytes > 0) {
            *at++ = XYLEM_FORMAT__NAMESPACE_TAG;
            memcpy(at, space.data, space.bytes);
        }
        return at + space.bytes;
    case XYLEM_CHANGE_SIDE:
        assert(feed->side_lsn > 0 && feed->side_lsn <= feed->first_lsn);
        return put(at, feed->first_lsn - feed->side_lsn);
    default:
        return at;
    }
}

int xylem_store__feed_write(struct xylem_txn *txn, const struct xylem_store__feed *feed, bool replace,
                            struct xylem_error *err)
{
    struct xylem_format__key key;
    unsigned char bytes[ROW_BYTES_MAX];
    unsigned char *at = put_fields(bytes, feed);
    xylem_format__key_u64(&key, feed->first_lsn);
    if (has_history(feed)) {
        assert(feed->ordinal > 0 && feed->previous < feed->first_lsn && (feed->previous == 0) == (feed->ordinal == 1));
        xylem_base__put_u64(at, feed->history_chain);
        at = put(put(at + 8, feed->ordinal), feed->previous ? feed->first_lsn - feed->previous : 0);
    }
    xylem_base__put_u64(at, feed->chain);
    struct xylem_view row = {(const char *)bytes, (size_t)(at + 8 - bytes)};
    row.bytes += xylem_format__row_put_sum(bytes + row.bytes, XYLEM_FORMAT__FEED, key.view, row);
    return xylem_lmdb__put(txn, XYLEM_FORMAT__FEED, key.view, row, replace, err);
}

/*
 * Proves the last row: the last entry of its branch must have the last lsn of the row. If `tip` has this lsn, nothing is
 * read: no entry is newer, as check_count() counts them.
 */
static int check_last(const struct xylem_store__feed *last, struct xylem_txn *txn, const struct xylem_entry *tip,
                      struct xylem_error *err)
{
    struct xylem_entry entry;
    if (!tip || last->tag != XYLEM_FORMAT__FEED_APPENDED) {
        return XYLEM_OK;
    }
    if (tip->position.branch != last->position.branch || tip->lsn != last->last_lsn) {
        int code = xylem_store__branch_last(&entry, txn, last->position.branch, err);
        if (code < 0) {
            return code;
        }
        tip = &entry;
    }
    return tip->lsn == last->last_lsn
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_CORRUPT,
                                  "%s: the table feed ends in lsn %" PRIu64 ", but the last entry of branch %" PRIu64
                                  " has lsn %" PRIu64,
                                  xylem_lmdb__path(txn), last->last_lsn, last->position.branch, tip->lsn);
}

static int check_count(struct xylem_txn *txn, uint64_t last_lsn, struct xylem_error *err)
{
    uint64_t given;
    int code = xylem_store__lsns_given(&given, txn, last_lsn, err);
    return code < 0 || given == last_lsn
               ? code
               : xylem_base__fail(err, XYLEM_E_CORRUPT,
                                  "%s: the table feed ends in lsn %" PRIu64 "; expected lsn %" PRIu64
                                  ", the number of all changes so far",
                                  xylem_lmdb__path(txn), last_lsn, given);
}

int xylem_store__feed_end(struct xylem_store__feed_end *end, struct xylem_txn *txn, const struct xylem_entry *tip,
                          struct xylem_error *err)
{
    struct xylem_lmdb__floors floors;
    struct xylem_lmdb__rows *rows;
    int code;
    if ((code = xylem_store__floors_read(&floors, txn, err)) < 0 ||
        (code = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__FEED, err)) < 0) {
        return code;
    }
    struct xylem_store__feed last = {.last_lsn = 0};
    int found = xylem_store__feed_step(&last, txn, rows, XYLEM_LMDB__LAST, err);
    xylem_lmdb__rows_free(rows);
    if (found > 0) {
        found = check_last(&last, txn, tip, err);
    }
    if (found < 0) {
        return found;
    }
    uint64_t last_lsn = last.last_lsn > floors.lsn ? last.last_lsn : floors.lsn;
    *end = (struct xylem_store__feed_end){last_lsn + 1, last.chain, last};
    found = check_count(txn, last_lsn, err);
    int copied = found < 0 ? found : xylem_store__feature_used(txn, XYLEM_FORMAT__FEATURE_COPY, err);
    return copied <= 0 ? copied : xylem_store__incarnation_draw(txn, last_lsn, last.chain, err);
}

int xylem_store__feed_write_change(struct xylem_txn *txn, const struct xylem_store__feed *row, struct xylem_error *err)
{
    int code = xylem_store__feed_write(txn, row, false, err);
    code = code < 0 ? code : xylem_store__changes_add(txn, row->last_lsn - row->first_lsn + 1, err);
    if (code < 0) {
        xylem_lmdb__write_failed(txn, code);
    }
    return code;
}

int xylem_store__feed_skip(struct xylem_txn *txn, uint64_t lsn, struct xylem_error *err)
{
    struct xylem_store__feed_end end = {.next_lsn = 0};
    int code = xylem_store__feed_end(&end, txn, NULL, err);
    const struct xylem_store__feed row = {
        .tag = XYLEM_FORMAT__FEED_SKIPPED, .first_lsn = end.next_lsn, .last_lsn = lsn, .chain = end.chain};
    return code < 0 || row.first_lsn > lsn ? code : xylem_store__feed_write_change(txn, &row, err);
}

/* The last row that begins at or before an lsn, and its neighbours. A missing row is all 0. */
struct place {
    struct xylem_store__feed before; /* read only if `row` is a run without entries */
    struct xylem_store__feed row;
    bool is_behind;      /* a row follows `row` */
    uint64_t behind_lsn; /* the first lsn of the following row */
};

/* Steps back, or to the last row, and reads the row: 1, or 0 without such a row. */
static int step_back(struct xylem_store__feed *feed, struct xylem_txn *txn, struct xylem_lmdb__rows *rows, bool last,
                     struct xylem_error *err)
{
    struct xylem_view key = {NULL, 0};
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__rows_step(&key, &row, rows, last ? XYLEM_LMDB__LAST : XYLEM_LMDB__PREVIOUS, err);
    if (found <= 0) {
        return found;
    }
    int code = xylem_lmdb__check_summed(&row, txn, XYLEM_FORMAT__FEED, key, err);
    if (code < 0) {
        return code;
    }
    if (xylem_store__feed_decode(feed, key, row) < 0) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a row of the table feed has invalid fields",
                                xylem_lmdb__path(txn));
    }
    return 1;
}

static bool is_run(const struct xylem_store__feed *row)
{
    return row->tag == XYLEM_FORMAT__FEED_FREED || row->tag == XYLEM_FORMAT__FEED_SKIPPED;
}

/* Searches for lsn + 1 and steps back once: 1, or 0 if no row begins at or before the lsn. */
static int find_place(struct place *place, struct xylem_txn *txn, uint64_t lsn, struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_format__key key;
    memset(place, 0, sizeof *place);
    int code = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__FEED, err);
    if (code < 0) {
        return code;
    }
    assert(lsn < UINT64_MAX);
    xylem_format__key_u64(&key, lsn + 1);
    struct xylem_view row = {NULL, 0};
    struct xylem_view found_key = key.view;
    int found = xylem_lmdb__rows_step(&found_key, &row, rows, XYLEM_LMDB__AT_OR_AFTER, err);
    if (found < 0) {
        goto out;
    }
    place->is_behind = found > 0;
    if (place->is_behind && !xylem_format__key_read_u64(&place->behind_lsn, found_key)) {
        place->behind_lsn = 0; /* follows no lsn */
    }
    found = step_back(&place->row, txn, rows, !place->is_behind, err);
    if (found > 0 && is_run(&place->row) && (code = step_back(&place->before, txn, rows, false, err)) < 0) {
        found = code;
    }
out:
    xylem_lmdb__rows_free(rows);
    return found;
}

/*
 * Proves a row of freed or skipped lsns, which leads to no record. Each lsn is in one row, so the neighbours of the row
 * prove the row:
 *   the row begins   right behind the row before, or, as the first row, at most one above the floor
 *   the row ends     right before the next row, or, as the last row, at the number of given lsns
 */
static int check_run(const struct place *place, struct xylem_txn *txn, struct xylem_error *err)
{
    const struct xylem_store__feed *row = &place->row;
    struct xylem_lmdb__floors floors;
    int code = xylem_store__floors_read(&floors, txn, err);
    if (code < 0) {
        return code;
    }
    bool first = place->before.last_lsn == 0 && row->first_lsn - 1 <= floors.lsn;
    if ((first || place->before.last_lsn + 1 == row->first_lsn) &&
        (!place->is_behind || place->behind_lsn == row->last_lsn + 1)) {
        uint64_t end = row->last_lsn > floors.lsn ? row->last_lsn : floors.lsn;
        return place->is_behind ? XYLEM_OK : check_count(txn, end, err);
    }
    return xylem_base__fail(err, XYLEM_E_CORRUPT,
                            "%s: the row of the lsns %" PRIu64 " to %" PRIu64
                            " without entries in the table feed overlaps another row, or leaves a gap",
                            xylem_lmdb__path(txn), row->first_lsn, row->last_lsn);
}

int xylem_store__feed_find(struct xylem_position *position, struct xylem_txn *txn, uint64_t lsn, uint64_t given,
                           struct xylem_error *err)
{
    struct place place;
    struct xylem_lmdb__floors floors;
    uint64_t count = 0;
    int found = find_place(&place, txn, lsn, err);
    if (found < 0) {
        return found;
    }
    if (lsn < place.row.first_lsn) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s: the rows of the table feed are out of order: the search for lsn %" PRIu64
                                " led to the row of lsn %" PRIu64,
                                xylem_lmdb__path(txn), lsn, place.row.first_lsn);
    }
    if (lsn > place.row.last_lsn) {
        /*
         * No row covers the lsn: 0 if the lsn was never given, or lies at or below the floor. The lsn was given, and
         * its row is lost, in three cases:
         *   a row follows
         *   the lsn is at most `given`
         *   the lsn is at most the number of given lsns
         */
        bool known = place.is_behind || lsn <= given;
        int code = known ? XYLEM_OK : xylem_store__lsns_given(&count, txn, given, err);
        if (code < 0 || (!known && lsn > count) || (code = xylem_store__floors_read(&floors, txn, err)) < 0 ||
            lsn <= floors.lsn) {
            return code;
        }
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the table feed has no row for lsn %" PRIu64,
                                xylem_lmdb__path(txn), lsn);
    }
    if (place.row.tag != XYLEM_FORMAT__FEED_APPENDED) {
        return is_run(&place.row) ? check_run(&place, txn, err) : 0; /* a change has its own sum, and one lsn */
    }
    *position = place.row.position;
    position->depth += lsn - place.row.first_lsn;
    return 1;
}
