/* Rows of the table `feed`. */
#ifndef XYLEM_STORE_FEED_H
#define XYLEM_STORE_FEED_H

#include "store/store.h"

/* What was appended, or freed, under consecutive lsns. */
struct xylem_store__feed {
    uint64_t first_lsn;
    uint64_t last_lsn;
    bool freed;
    struct xylem_position position; /* of the first entry; none if they were freed */
};

/* Decodes a row; MALFORMED if it cannot be one. */
int xylem_store__feed_decode(struct xylem_store__feed *feed, struct xylem_view key, struct xylem_view row);

/* Writes the row of an append. */
int xylem_store__feed_add(struct xylem_txn *txn, const struct xylem_store__feed *feed, struct xylem_error *err);

/* The lsn that the next entry gets. */
int xylem_store__feed_next_lsn(uint64_t *lsn, struct xylem_txn *txn, struct xylem_error *err);
/* The same; `tip`, unless it is NULL or at no position, is an entry that was read, and is the last one of its branch. */
int xylem_store__feed_next_lsn_with(uint64_t *lsn, struct xylem_txn *txn, const struct xylem_entry *tip,
                                    struct xylem_error *err);

#endif
