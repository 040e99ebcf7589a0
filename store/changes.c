/* Iterates over the changes of the store: the rows of the table `feed`, and the entries of each append. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "store/branch.h"
#include "store/feed.h"
#include "store/format/keys.h"
#include "store/lmdb/tables.h"
#include "store/meta.h"
#include "xylem/feed.h"

struct xylem_feed {
    struct xylem_txn *txn;
    struct xylem_lmdb__rows *rows;
    uint64_t next_lsn;
    bool stands;                  /* the cursor stands at `row` */
    struct xylem_store__feed row; /* all 0 before the first row */
    uint64_t branch;              /* of the last given entry */
    uint64_t session;             /* the owner of `branch` */
    int failed;                   /* the code of the first error, or 0 */
};

int xylem_feed_last(uint64_t *lsn, struct xylem_txn *txn, struct xylem_error *err)
{
    return xylem_store__lsns_given(lsn, txn, UINT64_MAX, err);
}

int xylem_feed_new(struct xylem_feed **feed, struct xylem_txn *txn, uint64_t after, struct xylem_error *err)
{
    struct xylem_lmdb__floors floors;
    uint64_t last;
    int code;
    if ((code = xylem_feed_last(&last, txn, err)) < 0 || (code = xylem_store__floors_read(&floors, txn, err)) < 0) {
        return code;
    }
    if (after > last) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "%s: the last change has lsn %" PRIu64 ", and the changes behind lsn %" PRIu64
                                " are wanted: that lsn is from another store, or an older copy took the store's place",
                                xylem_lmdb__path(txn), last, after);
    }
    struct xylem_feed *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->txn = txn;
    made->next_lsn = (after > floors.lsn ? after : floors.lsn) + 1;
    if ((code = xylem_lmdb__rows_new(&made->rows, txn, XYLEM_FORMAT__FEED, err)) < 0) {
        free(made);
        return code;
    }
    *feed = made;
    return XYLEM_OK;
}

/* Steps to the row of the next lsn: 1, or 0 behind the last row. */
static int step(struct xylem_feed *feed, struct xylem_error *err)
{
    struct xylem_format__key wanted;
    struct xylem_view row = {NULL, 0};
    xylem_format__key_u64(&wanted, feed->next_lsn);
    struct xylem_view key = wanted.view;
    int found;
    if (feed->stands) {
        found = xylem_lmdb__rows_step_summed(&key, &row, feed->rows, XYLEM_LMDB__NEXT, err);
    } else {
        found = xylem_lmdb__rows_step_summed(&key, &row, feed->rows, XYLEM_LMDB__AT_OR_AFTER, err);
        if (found == 0 || (found > 0 && !xylem_base__view_equal(key, wanted.view))) { /* in the middle of a row */
            found = xylem_lmdb__rows_step_summed(&key, &row, feed->rows,
                                                 found == 0 ? XYLEM_LMDB__LAST : XYLEM_LMDB__PREVIOUS, err);
        }
        feed->stands = true;
    }
    if (found > 0 && xylem_store__feed_decode(&feed->row, key, row) < 0) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a row of the table feed has invalid fields",
                                xylem_lmdb__path(feed->txn));
    }
    return found;
}

/* Goes to the row of the next lsn: 1, or 0 at the end. A lost row is an error. */
static int seek(struct xylem_feed *feed, struct xylem_error *err)
{
    uint64_t last = 0;
    bool began = feed->stands;
    int found = step(feed, err);
    if (found > 0 && !began && feed->row.last_lsn < feed->next_lsn) { /* the reader has seen this row */
        found = step(feed, err);
    }
    bool right = found > 0 && (began ? feed->row.first_lsn == feed->next_lsn
                                     : feed->row.first_lsn <= feed->next_lsn && feed->next_lsn <= feed->row.last_lsn);
    if (found == 0) {
        int code = xylem_feed_last(&last, feed->txn, err);
        right = last + 1 == feed->next_lsn;
        found = code < 0 ? code : 0;
    }
    return found < 0 || right ? found
                              : xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the table feed has no row for lsn %" PRIu64,
                                                 xylem_lmdb__path(feed->txn), feed->next_lsn);
}

static int give_entry(struct xylem_change *change, struct xylem_feed *feed, struct xylem_error *err)
{
    const struct xylem_store__feed *row = &feed->row;
    if (row->position.branch != feed->branch) {
        struct xylem_store__branch branch;
        int code = xylem_store__branch_read(&branch, feed->txn, row->position.branch, err);
        if (code < 0) {
            return code;
        }
        feed->branch = row->position.branch;
        feed->session = branch.session;
    }
    *change =
        (struct xylem_change){.type = XYLEM_CHANGE_ENTRY,
                              .session = feed->session,
                              .ordinal = row->ordinal + (feed->next_lsn - row->first_lsn),
                              .position = {feed->branch, row->position.depth + (feed->next_lsn - row->first_lsn)}};
    return XYLEM_OK;
}

static int give_next(struct xylem_change *change, struct xylem_feed *feed, struct xylem_error *err)
{
    const struct xylem_store__feed *row = &feed->row;
    int found = 1;
    while (found > 0 && (feed->next_lsn > row->last_lsn || row->tag == XYLEM_FORMAT__FEED_FREED ||
                         row->tag == XYLEM_FORMAT__FEED_SKIPPED)) {
        feed->next_lsn = feed->next_lsn <= row->last_lsn ? row->last_lsn + 1 : feed->next_lsn;
        found = seek(feed, err);
    }
    if (found <= 0) {
        return found;
    }
    int code = XYLEM_OK;
    if (row->tag == XYLEM_FORMAT__FEED_CHANGE) {
        *change = (struct xylem_change){.type = (enum xylem_change_type)row->type,
                                        .session = row->session,
                                        .ordinal = row->ordinal,
                                        .position = row->position,
                                        .move_number = row->move_number,
                                        .freed_id = row->freed_id};
    } else if ((code = give_entry(change, feed, err)) < 0) {
        return code;
    }
    change->lsn = feed->next_lsn++;
    return 1;
}

int xylem_feed_next(struct xylem_change *change, struct xylem_feed *feed, struct xylem_error *err)
{
    if (feed->failed < 0) { /* the row of the failure is not the row of the next lsn */
        return xylem_base__fail(err, feed->failed, "%s: the changes behind lsn %" PRIu64 " could not be read",
                                xylem_lmdb__path(feed->txn), feed->next_lsn - 1);
    }
    int found = give_next(change, feed, err);
    feed->failed = found < 0 ? found : 0;
    return found;
}

void xylem_feed_free(struct xylem_feed *feed)
{
    if (feed) {
        xylem_lmdb__rows_free(feed->rows);
        free(feed);
    }
}
