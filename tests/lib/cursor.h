/* A cursor of the feed from an lsn alone, for tests that count lsns. */
#ifndef XYLEM_TESTS_CURSOR_H
#define XYLEM_TESTS_CURSOR_H

#include <string.h>

#include "xylem/feed.h"

/* Without a chain. */
static inline struct xylem_cursor cursor_at(struct xylem_txn *txn, uint64_t lsn)
{
    struct xylem_incarnation life = {.lsn = 0};
    struct xylem_cursor cursor = {.lsn = lsn};
    xylem_incarnation_read(&life, txn, NULL); /* the test fails at the feed, if this fails */
    memcpy(cursor.incarnation, life.uuid, sizeof life.uuid);
    return cursor;
}

/* xylem_feed_new() and xylem_feed_last() by lsns. */
static inline int feed_after(struct xylem_feed **feed, struct xylem_txn *txn, uint64_t lsn, struct xylem_error *err)
{
    const struct xylem_cursor cursor = cursor_at(txn, lsn);
    return xylem_feed_new(feed, txn, &cursor, err);
}

static inline int last_lsn_of(uint64_t *lsn, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_cursor cursor = {.lsn = 0};
    int code = xylem_feed_last(&cursor, txn, err);
    *lsn = cursor.lsn;
    return code;
}

#endif
