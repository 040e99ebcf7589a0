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
/* Writes it anew. */
int xylem_store__feed_write(struct xylem_txn *txn, const struct xylem_store__feed *feed, struct xylem_error *err);

/*
 * Says that a run of entries was freed: those at `position` and behind it on its branch, of which none stays. CORRUPT if
 * the table does not lead to them.
 */
int xylem_store__feed_free(struct xylem_txn *txn, const struct xylem_store__feed *run, struct xylem_error *err);

/*
 * 1 and where the table says that the entry of that lsn lies; 0 if it was never given, or freed. `given`: an lsn that is
 * known to have been given, or 0: that no row tells of it, or of one before it, is corruption.
 */
int xylem_store__feed_find(struct xylem_position *position, struct xylem_txn *txn, uint64_t lsn, uint64_t given,
                           struct xylem_error *err);

/*
 * The lsn that the next entry gets. `tip`: an entry that was read, and is the last one of its branch; or one at no
 * position, or NULL.
 */
int xylem_store__feed_next_lsn(uint64_t *lsn, struct xylem_txn *txn, const struct xylem_entry *tip,
                               struct xylem_error *err);

#endif
