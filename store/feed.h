/*
 * Leads from an lsn to its entry, by the table `feed`. A row covers the lsns of one append, or a run of freed lsns:
 *
 *     first lsn (key)   row
 *      1                appended: 3 entries from branch 1, depth 1
 *      4                freed: up to lsn 9
 *     10                appended: 2 entries from branch 2, depth 4
 *
 * The rows cover all used lsns above the floor of lsns (store/meta.h), without a gap or an overlap.
 */
#ifndef XYLEM_STORE_FEED_H
#define XYLEM_STORE_FEED_H

#include "store/store.h"

/* A row: the lsns of one append, or freed lsns. */
struct xylem_store__feed {
    uint64_t first_lsn;
    uint64_t last_lsn;
    bool freed;
    struct xylem_position position; /* of the first entry; none in a row of freed lsns */
};

/* Decodes a row without its sum. MALFORMED: the fields contradict each other. */
int xylem_store__feed_decode(struct xylem_store__feed *feed, struct xylem_view key, struct xylem_view row);

/* Writes the row of an append, or with `replace` overwrites a row. */
int xylem_store__feed_write(struct xylem_txn *txn, const struct xylem_store__feed *feed, bool replace,
                            struct xylem_error *err);

/*
 * Marks the lsns of a run of entries as freed. The run begins at `position` and ends at the end of the branch. Errors:
 * CORRUPT (the table does not lead to the entries).
 */
int xylem_store__feed_free(struct xylem_txn *txn, const struct xylem_store__feed *run, struct xylem_error *err);

/*
 * 1 and the position of the entry with the lsn, which the caller must verify; 0 if the lsn was never given, or freed.
 * `given`: the greatest lsn that the caller knows to be given, or 0. An lsn up to `given` without a row is corruption.
 */
int xylem_store__feed_find(struct xylem_position *position, struct xylem_txn *txn, uint64_t lsn, uint64_t given,
                           struct xylem_error *err);

/*
 * The lsn of the next entry. `tip` spares a read: the last entry of any branch, already read. NULL or the position
 * none: no such entry.
 */
int xylem_store__feed_next_lsn(uint64_t *lsn, struct xylem_txn *txn, const struct xylem_entry *tip,
                               struct xylem_error *err);

#endif
