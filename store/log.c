#include "store/log.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "store/keys.h"
#include "store/record.h"
#include "store/tables.h"

struct xylem_store__log {
    struct xylem_txn *txn;
    struct xylem_store__rows *rows;
    uint64_t branch; /* of the entry that it stands at */
};

int xylem_store__log_new(struct xylem_store__log **log, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_store__log *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->txn = txn;
    int code = xylem_store__rows_new(&made->rows, txn, XYLEM_STORE__LOG, err);
    if (code < 0) {
        free(made);
        return code;
    }
    *log = made;
    return XYLEM_OK;
}

void xylem_store__log_free(struct xylem_store__log *log)
{
    if (log) {
        xylem_store__rows_free(log->rows);
        free(log);
    }
}

int xylem_store__log_seek(struct xylem_entry *entry, struct xylem_store__log *log, struct xylem_position position,
                          struct xylem_error *err)
{
    struct xylem_store__key key;
    struct xylem_view record = {NULL, 0};
    xylem_store__key_pair(&key, position.branch, position.depth);
    struct xylem_view found_key = key.view;
    int found = xylem_store__rows_step(&found_key, &record, log->rows, XYLEM_STORE__AT, err);
    if (found <= 0) {
        return found < 0 ? found
                         : xylem_base__fail(err, XYLEM_E_CORRUPT,
                                            "the record at " XYLEM_STORE__AT_FORMAT " should exist and does not",
                                            XYLEM_STORE__AT_ARGUMENTS(position));
    }
    log->branch = position.branch;
    return xylem_store__entry_decode(entry, log->txn, position, record, err);
}

static int step(struct xylem_entry *entry, struct xylem_store__log *log, enum xylem_store__step direction,
                struct xylem_error *err)
{
    struct xylem_view key = {NULL, 0};
    struct xylem_view record = {NULL, 0};
    int found = xylem_store__rows_step(&key, &record, log->rows, direction, err);
    if (found <= 0) {
        return found;
    }
    struct xylem_position position;
    if (!xylem_store__key_read_pair(&position.branch, &position.depth, key)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a key of the table log has %zu bytes",
                                xylem_store__path(log->txn), key.bytes);
    }
    if (position.branch != log->branch) {
        return 0;
    }
    int code = xylem_store__entry_decode(entry, log->txn, position, record, err);
    return code < 0 ? code : 1;
}

int xylem_store__log_previous(struct xylem_entry *entry, struct xylem_store__log *log, struct xylem_error *err)
{
    return step(entry, log, XYLEM_STORE__PREVIOUS, err);
}

int xylem_store__log_next(struct xylem_entry *entry, struct xylem_store__log *log, struct xylem_error *err)
{
    return step(entry, log, XYLEM_STORE__NEXT, err);
}

/* Where a row lies: its record proves that the key is its own. */
static int read_place(struct xylem_position *position, struct xylem_txn *txn, struct xylem_view key,
                      struct xylem_view record, struct xylem_error *err)
{
    struct xylem_entry entry;
    if (!xylem_store__key_read_pair(&position->branch, &position->depth, key)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a key of the table log has %zu bytes",
                                xylem_store__path(txn), key.bytes);
    }
    return xylem_store__record_decode(&entry, *position, record, err);
}

int xylem_store__log_before(struct xylem_position *before, struct xylem_view *record, struct xylem_txn *txn,
                            struct xylem_position position, struct xylem_error *err)
{
    struct xylem_store__rows *rows;
    struct xylem_store__key key;
    int code = xylem_store__rows_new(&rows, txn, XYLEM_STORE__LOG, err);
    if (code < 0) {
        return code;
    }
    xylem_store__key_pair(&key, position.branch, position.depth);
    struct xylem_view at = key.view;
    struct xylem_position behind = {0, 0};
    int found = xylem_store__rows_step(&at, record, rows, XYLEM_STORE__AT_OR_AFTER, err);
    code = found > 0 ? read_place(&behind, txn, at, *record, err) : found;
    if (code == XYLEM_OK) {
        found = xylem_store__rows_step(&at, record, rows, found ? XYLEM_STORE__PREVIOUS : XYLEM_STORE__LAST, err);
        code = found > 0 ? read_place(before, txn, at, *record, err) : found;
    }
    xylem_store__rows_free(rows);
    /* Found from here and not from elsewhere, or lost from the middle of a branch: both should not be. */
    bool between = found > 0 && before->branch == position.branch && behind.branch == position.branch;
    if (code == XYLEM_OK && (between || xylem_store__position_equal(behind, position))) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "the record at " XYLEM_STORE__AT_FORMAT " should exist and does not",
                                XYLEM_STORE__AT_ARGUMENTS(position));
    }
    return code < 0 ? code : found;
}
