#include "tests/lib/cursor.h"

#include <string.h>

#include "xylem/feed.h"

int feed_after(struct xylem_feed **feed, struct xylem_txn *txn, uint64_t lsn, struct xylem_error *err)
{
    struct xylem_incarnation life = {.lsn = 0};
    struct xylem_cursor cursor = {.lsn = lsn}; /* without a chain */
    xylem_incarnation_read(&life, txn, NULL);  /* the feed fails, if this fails */
    memcpy(cursor.incarnation, life.uuid, sizeof life.uuid);
    return xylem_feed_new(feed, txn, &cursor, err);
}

int last_lsn_of(uint64_t *lsn, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_cursor cursor = {.lsn = 0};
    int code = xylem_feed_last(&cursor, txn, err);
    *lsn = cursor.lsn;
    return code;
}
