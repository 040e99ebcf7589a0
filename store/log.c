#include "store/log.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "store/format/keys.h"
#include "store/kind.h"
#include "store/format/record.h"
#include "store/lmdb/tables.h"

struct xylem_store__log {
    struct xylem_txn *txn;
    struct xylem_lmdb__rows *rows;
    uint64_t branch; /* of the current entry */
};

int xylem_store__entry_decode(struct xylem_entry *entry, struct xylem_txn *txn, struct xylem_position position,
                              struct xylem_view record, struct xylem_error *err)
{
    int code = xylem_format__record_decode(entry, position, record, err);
    if (code < 0) {
        return code;
    }
    xylem_lmdb__count_record(txn, (uint64_t)((const char *)entry->unverified.payload - record.data));
    return xylem_store__kind_read(&entry->kind, txn, entry->unverified.kind_number, err);
}

int xylem_store__log_new(struct xylem_store__log **log, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_store__log *made = calloc(1, sizeof *made);
    int code = made ? xylem_lmdb__rows_new(&made->rows, txn, XYLEM_FORMAT__LOG, err) : xylem_base__fail_memory(err);
    if (code < 0) {
        free(made);
        return code;
    }
    made->txn = txn;
    *log = made;
    return XYLEM_OK;
}

void xylem_store__log_free(struct xylem_store__log *log)
{
    if (log) {
        xylem_lmdb__rows_free(log->rows);
        free(log);
    }
}

int xylem_store__log_seek(struct xylem_entry *entry, struct xylem_store__log *log, struct xylem_position position,
                          struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view record = {NULL, 0};
    xylem_format__key_pair(&key, position.branch, position.depth);
    struct xylem_view found_key = key.view;
    int found = xylem_lmdb__rows_step(&found_key, &record, log->rows, XYLEM_LMDB__AT, err);
    if (found <= 0) {
        return found < 0
                   ? found
                   : xylem_base__fail(err, XYLEM_E_CORRUPT, "the record at " XYLEM_FORMAT__AT_FORMAT " is missing",
                                      XYLEM_FORMAT__AT_ARGUMENTS(position));
    }
    log->branch = position.branch;
    return xylem_store__entry_decode(entry, log->txn, position, record, err);
}

/* Steps to the neighbour in the table: 1, or 0 if the neighbour is on another branch. */
static int step(struct xylem_entry *entry, struct xylem_store__log *log, enum xylem_lmdb__step direction,
                struct xylem_error *err)
{
    struct xylem_view key = {NULL, 0};
    struct xylem_view record = {NULL, 0};
    int found = xylem_lmdb__rows_step(&key, &record, log->rows, direction, err);
    if (found <= 0) {
        return found;
    }
    struct xylem_position position;
    if (!xylem_format__key_read_pair(&position.branch, &position.depth, key)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a key of the table log has %zu bytes",
                                xylem_lmdb__path(log->txn), key.bytes);
    }
    if (position.branch != log->branch) {
        return 0;
    }
    int code = xylem_store__entry_decode(entry, log->txn, position, record, err);
    return code < 0 ? code : 1;
}

int xylem_store__log_previous(struct xylem_entry *entry, struct xylem_store__log *log, struct xylem_error *err)
{
    return step(entry, log, XYLEM_LMDB__PREVIOUS, err);
}

int xylem_store__log_next(struct xylem_entry *entry, struct xylem_store__log *log, struct xylem_error *err)
{
    return step(entry, log, XYLEM_LMDB__NEXT, err);
}

int xylem_store__each_entry(struct xylem_txn *txn, int (*visit)(void *context, const struct xylem_entry *entry),
                            void *context, struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    int code = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__LOG, err);
    if (code < 0) {
        return code;
    }
    struct xylem_view key = {NULL, 0};
    struct xylem_view record = {NULL, 0};
    while ((code = xylem_lmdb__rows_step(&key, &record, rows, XYLEM_LMDB__NEXT, err)) > 0) {
        struct xylem_entry entry;
        struct xylem_position position = {0, 0};
        /* A wrong key breaks the sum of the record. */
        xylem_format__key_read_pair(&position.branch, &position.depth, key);
        if ((code = xylem_store__entry_decode(&entry, txn, position, record, err)) < 0 ||
            (code = visit(context, &entry)) < 0) {
            break;
        }
    }
    xylem_lmdb__rows_free(rows);
    return code;
}

/* A row beside the place of a search. */
struct neighbour {
    bool there;
    bool whole; /* the record has its sum, which proves the key, too */
    struct xylem_position position;
    struct xylem_view key;
    struct xylem_view record;
};

static bool is_record_of(struct xylem_view record, struct xylem_position position)
{
    struct xylem_entry entry;
    return xylem_format__record_decode(&entry, position, record, NULL) == XYLEM_OK;
}

static int step_to(struct neighbour *row, struct xylem_lmdb__rows *rows, enum xylem_lmdb__step step,
                   struct xylem_error *err)
{
    int found = xylem_lmdb__rows_step(&row->key, &row->record, rows, step, err);
    row->there = found > 0;
    row->whole = row->there && xylem_format__key_read_pair(&row->position.branch, &row->position.depth, row->key) &&
                 is_record_of(row->record, row->position);
    return found < 0 ? found : XYLEM_OK;
}

static bool in_order(const struct neighbour *first, const struct neighbour *second)
{
    return !first->there || !second->there || xylem_base__view_order(first->key, second->key) < 0;
}

/*
 * Reads the rows beside `position`, and beyond a damaged row its neighbour, too:
 *
 *     previous   before   (position)   behind   next
 *
 * `ordered` is false if damage may have led the search astray:
 *   the rows are not in the order of their keys    a key is damaged
 *   none of the rows is a record                   a damaged root leads to another table
 */
static int read_neighbours(bool *ordered, struct neighbour *before, struct neighbour *behind,
                           struct xylem_lmdb__rows *rows, struct xylem_position position, struct xylem_error *err)
{
    struct xylem_format__key key;
    struct neighbour next = {.there = false};
    struct neighbour previous = {.there = false};
    xylem_format__key_pair(&key, position.branch, position.depth);
    behind->key = key.view;
    int code;
    if ((code = step_to(behind, rows, XYLEM_LMDB__AT_OR_AFTER, err)) < 0 ||
        (code = xylem_lmdb__rows_prove(rows, err)) < 0) {
        return code;
    }
    if (behind->there && !behind->whole) {
        struct neighbour back = {.there = false};
        if ((code = step_to(&next, rows, XYLEM_LMDB__NEXT, err)) < 0 ||
            (next.there && (code = step_to(&back, rows, XYLEM_LMDB__PREVIOUS, err)) < 0)) {
            return code;
        }
    }
    if ((code = step_to(before, rows, behind->there ? XYLEM_LMDB__PREVIOUS : XYLEM_LMDB__LAST, err)) < 0 ||
        (code = xylem_lmdb__rows_prove(rows, err)) < 0 ||
        (before->there && !before->whole && (code = step_to(&previous, rows, XYLEM_LMDB__PREVIOUS, err)) < 0)) {
        return code;
    }
    bool of_log = before->whole || behind->whole || previous.whole || next.whole || (!before->there && !behind->there);
    *ordered = of_log && in_order(&previous, before) && in_order(before, behind) && in_order(behind, &next);
    return XYLEM_OK;
}

/* True if a row under a damaged key is the record of `position`, or of the entry after `before` on its branch. */
static bool hides(const struct neighbour *row, struct xylem_position position, const struct neighbour *before)
{
    struct xylem_position follows = {before->position.branch, before->position.depth + 1};
    return row->there && !row->whole &&
           (is_record_of(row->record, position) || (before->there && is_record_of(row->record, follows)));
}

int xylem_store__log_before(struct xylem_position *before, struct xylem_view *record, struct xylem_txn *txn,
                            struct xylem_position position, struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    struct neighbour first = {.there = false};
    struct neighbour second = {.there = false};
    bool ordered = true;
    int code = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__LOG, err);
    if (code < 0) {
        return code;
    }
    code = read_neighbours(&ordered, &first, &second, rows, position, err);
    xylem_lmdb__rows_free(rows);
    if (code < 0) {
        return code;
    }
    /*
     * Depths have no gap: an entry between two entries of its branch is lost. An entry found only now is damage, too.
     */
    bool between = first.there && second.there && first.position.branch == position.branch &&
                   second.position.branch == position.branch;
    bool found = second.there && xylem_format__position_equal(second.position, position);
    if (!ordered || between || found || hides(&first, position, &first) || hides(&second, position, &first)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "rows of the log beside " XYLEM_FORMAT__AT_FORMAT " are damaged",
                                XYLEM_FORMAT__AT_ARGUMENTS(position));
    }
    *before = first.position;
    *record = first.record;
    return first.there;
}
