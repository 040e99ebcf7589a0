/* Iterates over the changes of the store: the rows of the table `feed`, and the entries of each append. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/feed.h"
#include "store/history.h"
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

/* --- Cursors ------------------------------------------------------------------------------------------------------ */

/* The store's chain behind a change; 0: not known, since the change was freed, or 0 for the lsn 0. */
static int chain_at(uint64_t *chain, struct xylem_txn *txn, uint64_t lsn, struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_store__feed row = {.first_lsn = 0};
    struct xylem_store__feed before = {.chain = 0};
    struct xylem_store__branch branch;
    *chain = 0;
    int code = lsn == 0 ? XYLEM_OK : xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__FEED, err);
    if (code < 0 || lsn == 0) {
        return code;
    }
    bool amid = false; /* the lsn lies amid the entries of a row, and the chain before the row is known */
    int found = xylem_store__feed_seek(&row, txn, rows, lsn, err);
    if (found > 0 && lsn == row.last_lsn) {
        *chain = row.chain;
    } else if (found > 0 && lsn > row.first_lsn - 1 && lsn < row.last_lsn) {
        found = xylem_store__feed_step(&before, txn, rows, XYLEM_LMDB__PREVIOUS, err);
        amid = row.tag == XYLEM_FORMAT__FEED_APPENDED && (before.chain != 0 || row.first_lsn == 1);
    }
    xylem_lmdb__rows_free(rows);
    if (found < 0 || !amid) {
        return found < 0 ? found : XYLEM_OK;
    }
    code = xylem_store__branch_read(&branch, txn, row.position.branch, err);
    struct xylem_store__history_run run = {.session = branch.session, .store_chain = before.chain};
    code = code < 0 ? code : xylem_store__history_run(&run, txn, &row, lsn - row.first_lsn + 1, err);
    *chain = code < 0 ? 0 : run.store_chain;
    return code;
}

static int make_cursor(struct xylem_cursor *cursor, struct xylem_txn *txn, uint64_t lsn, uint64_t chain,
                       struct xylem_error *err)
{
    struct xylem_incarnation life;
    int code = xylem_incarnation_read(&life, txn, err);
    if (code == XYLEM_OK) {
        *cursor = (struct xylem_cursor){.lsn = lsn, .chain = chain};
        memcpy(cursor->incarnation, life.uuid, sizeof cursor->incarnation);
    }
    return code;
}

int xylem_feed_last(struct xylem_cursor *cursor, struct xylem_txn *txn, struct xylem_error *err)
{
    uint64_t lsn;
    uint64_t chain;
    int code;
    if ((code = xylem_store__lsns_given(&lsn, txn, UINT64_MAX, err)) < 0 ||
        (code = chain_at(&chain, txn, lsn, err)) < 0) {
        return code;
    }
    return make_cursor(cursor, txn, lsn, chain, err);
}

int xylem_feed_cursor(struct xylem_cursor *cursor, struct xylem_feed *feed, struct xylem_error *err)
{
    uint64_t lsn = feed->next_lsn - 1;
    uint64_t chain = feed->row.chain; /* mostly a reader comes to the end of a row */
    int code = feed->stands && feed->row.last_lsn == lsn ? XYLEM_OK : chain_at(&chain, feed->txn, lsn, err);
    return code < 0 ? code : make_cursor(cursor, feed->txn, lsn, chain, err);
}

/* Refuses a cursor from another history. */
static int check_cursor(const struct xylem_cursor *cursor, struct xylem_txn *txn, uint64_t last,
                        struct xylem_error *err)
{
    struct xylem_incarnation life;
    uint64_t chain;
    int code = xylem_incarnation_read(&life, txn, err);
    if (code < 0) {
        return code;
    }
    bool now = memcmp(cursor->incarnation, life.uuid, sizeof life.uuid) == 0;
    bool before = !now && life.lsn > 0 && memcmp(cursor->incarnation, life.before, sizeof life.before) == 0;
    if (!now && !before) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "%s: the cursor at lsn %" PRIu64 " is from another store, or from another life of this "
                                "store: begin anew",
                                xylem_lmdb__path(txn), cursor->lsn);
    }
    if (before && cursor->lsn > life.lsn) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "%s: the cursor stands at lsn %" PRIu64 ", and the store went its own way behind lsn "
                                "%" PRIu64 ", as a backup that was then written: begin anew",
                                xylem_lmdb__path(txn), cursor->lsn, life.lsn);
    }
    if (cursor->lsn > last) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "%s: the cursor stands at lsn %" PRIu64 ", and the last change has lsn %" PRIu64
                                ": an older copy took the store's place; begin anew",
                                xylem_lmdb__path(txn), cursor->lsn, last);
    }
    code = cursor->chain == 0 ? XYLEM_OK : chain_at(&chain, txn, cursor->lsn, err);
    return code < 0 || cursor->chain == 0 || chain == 0 || chain == cursor->chain
               ? code
               : xylem_base__fail(err, XYLEM_E_CONFLICT,
                                  "%s: the changes up to lsn %" PRIu64 " are not those of the cursor: a copy that went "
                                  "its own way took the store's place; begin anew",
                                  xylem_lmdb__path(txn), cursor->lsn);
}

/* --- The feed ----------------------------------------------------------------------------------------------------- */

int xylem_feed_new(struct xylem_feed **feed, struct xylem_txn *txn, const struct xylem_cursor *after,
                   struct xylem_error *err)
{
    struct xylem_lmdb__floors floors;
    uint64_t last;
    int code;
    if ((code = xylem_store__lsns_given(&last, txn, UINT64_MAX, err)) < 0 ||
        (code = xylem_store__floors_read(&floors, txn, err)) < 0 ||
        (after && after->lsn > 0 && (code = check_cursor(after, txn, last, err)) < 0)) {
        return code;
    }
    uint64_t lsn = after ? after->lsn : 0;
    struct xylem_feed *made = calloc(1, sizeof *made);
    code = made ? xylem_lmdb__rows_new(&made->rows, txn, XYLEM_FORMAT__FEED, err) : xylem_base__fail_memory(err);
    if (code < 0) {
        free(made);
        return code;
    }
    made->txn = txn;
    made->next_lsn = (lsn > floors.lsn ? lsn : floors.lsn) + 1;
    *feed = made;
    return XYLEM_OK;
}

/* Steps to the row of the next lsn: 1, or 0 behind the last row. */
static int step(struct xylem_feed *feed, struct xylem_error *err)
{
    if (feed->stands) {
        return xylem_store__feed_step(&feed->row, feed->txn, feed->rows, XYLEM_LMDB__NEXT, err);
    }
    feed->stands = true;
    return xylem_store__feed_seek(&feed->row, feed->txn, feed->rows, feed->next_lsn, err);
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
        int code = xylem_store__lsns_given(&last, feed->txn, UINT64_MAX, err);
        right = last + 1 == feed->next_lsn;
        found = code < 0 ? code : 0;
    }
    return found < 0 || right ? found
                              : xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the table feed has no row for lsn %" PRIu64,
                                                 xylem_lmdb__path(feed->txn), feed->next_lsn);
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
    bool appended = row->tag == XYLEM_FORMAT__FEED_APPENDED;
    uint64_t index = feed->next_lsn - row->first_lsn; /* of the change in its row */
    if (appended && row->position.branch != feed->branch) {
        struct xylem_store__branch branch;
        int code = xylem_store__branch_read(&branch, feed->txn, row->position.branch, err);
        if (code < 0) {
            return code;
        }
        feed->branch = row->position.branch;
        feed->session = branch.session;
    }
    *change = (struct xylem_change){.type = appended ? XYLEM_CHANGE_ENTRY : (enum xylem_change_type)row->type,
                                    .lsn = feed->next_lsn++,
                                    .session = appended ? feed->session : row->session,
                                    .ordinal = row->ordinal + index,
                                    .position = {row->position.branch, row->position.depth + index},
                                    .move_number = row->move_number,
                                    .side_lsn = row->side_lsn,
                                    .freed_id = row->freed_id,
                                    .freed_name_space = row->freed_name_space};
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
