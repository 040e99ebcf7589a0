/*
 * Frees lsns in the table `feed`. The rows of the freed entries are cut or removed, and one row covers the freed lsns.
 * The new row merges with rows of freed lsns on both sides. Freeing 4 to 9:
 *
 *     before   1-5 appended   6-7 appended   8-9 appended   10-12 freed   13 appended
 *     after    1-3 appended   4-12 freed                                  13 appended
 */
#include <assert.h>
#include <inttypes.h>

#include "base/error.h"
#include "store/feed.h"
#include "store/format/keys.h"
#include "store/lmdb/tables.h"

static int does_not_lead(const struct xylem_txn *txn, uint64_t lsn, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the table feed does not lead from lsn %" PRIu64 " to its entry",
                            xylem_lmdb__path(txn), lsn);
}

/* 1 and the row that begins with the lsn, or 0. */
static int row_from(struct xylem_store__feed *feed, struct xylem_txn *txn, uint64_t lsn, struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view row = {NULL, 0};
    xylem_format__key_u64(&key, lsn);
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__FEED, key.view, err);
    return found > 0 && xylem_store__feed_decode(feed, key.view, row) < 0 ? does_not_lead(txn, lsn, err) : found;
}

/* 1 and the last row that begins before the lsn, or 0. */
static int row_before(struct xylem_store__feed *feed, struct xylem_txn *txn, uint64_t lsn, struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_format__key key;
    struct xylem_view row = {NULL, 0};
    int code = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__FEED, err);
    if (code < 0) {
        return code;
    }
    xylem_format__key_u64(&key, lsn);
    struct xylem_view at = key.view;
    int found = xylem_lmdb__rows_step(&at, &row, rows, XYLEM_LMDB__AT_OR_AFTER, err);
    if (found >= 0) {
        found = xylem_lmdb__rows_step_summed(&at, &row, rows, found ? XYLEM_LMDB__PREVIOUS : XYLEM_LMDB__LAST, err);
    }
    if (found > 0 && xylem_store__feed_decode(feed, at, row) < 0) {
        found = does_not_lead(txn, lsn, err);
    }
    xylem_lmdb__rows_free(rows);
    return found;
}

static int remove_row(struct xylem_txn *txn, uint64_t first_lsn, struct xylem_error *err)
{
    struct xylem_format__key key;
    xylem_format__key_u64(&key, first_lsn);
    return xylem_lmdb__remove(txn, XYLEM_FORMAT__FEED, key.view, err);
}

/* True if the row of an append leads from the lsn to the entry of the run, and does not go beyond the run. */
static bool leads_into(const struct xylem_store__feed *row, const struct xylem_store__feed *run, uint64_t lsn)
{
    return row->tag == XYLEM_FORMAT__FEED_APPENDED && row->first_lsn <= lsn && lsn <= row->last_lsn &&
           row->last_lsn <= run->last_lsn && row->position.branch == run->position.branch &&
           row->position.depth + (lsn - row->first_lsn) == run->position.depth + (lsn - run->first_lsn);
}

/*
 * Cuts the row of the first lsn of the run before that lsn; a row that begins there goes. The end of the row, with the
 * store's chain there, becomes the end of `freed`.
 */
static int cut_first(struct xylem_store__feed *freed, struct xylem_txn *txn, const struct xylem_store__feed *run,
                     struct xylem_error *err)
{
    struct xylem_store__feed row;
    int found = row_from(&row, txn, run->first_lsn, err);
    bool whole = found > 0;
    found = found == 0 ? row_before(&row, txn, run->first_lsn, err) : found;
    if (found < 0) {
        return found;
    }
    if (found == 0 || !leads_into(&row, run, run->first_lsn)) {
        return does_not_lead(txn, run->first_lsn, err);
    }
    freed->last_lsn = row.last_lsn;
    freed->chain = row.chain;
    if (whole) {
        return remove_row(txn, row.first_lsn, err);
    }
    row.last_lsn = run->first_lsn - 1;
    row.chain = 0;
    return xylem_store__feed_write(txn, &row, true, err);
}

int xylem_store__feed_free(struct xylem_txn *txn, const struct xylem_store__feed *run, struct xylem_error *err)
{
    struct xylem_store__feed freed = {.tag = XYLEM_FORMAT__FEED_FREED, .first_lsn = run->first_lsn};
    struct xylem_store__feed row;
    assert(run->first_lsn <= run->last_lsn);
    int code = cut_first(&freed, txn, run, err);
    while (code == XYLEM_OK && freed.last_lsn < run->last_lsn) {
        uint64_t lsn = freed.last_lsn + 1;
        int found = row_from(&row, txn, lsn, err);
        if (found <= 0 || !leads_into(&row, run, lsn)) {
            return found < 0 ? found : does_not_lead(txn, lsn, err);
        }
        freed.last_lsn = row.last_lsn;
        freed.chain = row.chain;
        code = remove_row(txn, lsn, err);
    }
    /* Take over the rows of freed lsns right before and right behind. */
    int found = code < 0 ? code : row_before(&row, txn, freed.first_lsn, err);
    if (found > 0 && row.tag == XYLEM_FORMAT__FEED_FREED && row.last_lsn == freed.first_lsn - 1) {
        freed.first_lsn = row.first_lsn; /* the write below replaces this row */
    }
    found = found < 0 ? found : row_from(&row, txn, freed.last_lsn + 1, err);
    if (found > 0 && row.tag == XYLEM_FORMAT__FEED_FREED) {
        freed.last_lsn = row.last_lsn;
        freed.chain = row.chain;
        found = remove_row(txn, row.first_lsn, err);
    }
    return found < 0 ? found : xylem_store__feed_write(txn, &freed, true, err);
}
