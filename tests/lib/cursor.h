/* Places of the feed by an lsn alone, for tests that count lsns. */
#ifndef XYLEM_TESTS_CURSOR_H
#define XYLEM_TESTS_CURSOR_H

#include "xylem/base.h"

struct xylem_feed;
struct xylem_txn;

/* xylem_feed_new() behind an lsn, and xylem_feed_last(). */
int feed_after(struct xylem_feed **feed, struct xylem_txn *txn, uint64_t lsn, struct xylem_error *err);
int last_lsn_of(uint64_t *lsn, struct xylem_txn *txn, struct xylem_error *err);

#endif
