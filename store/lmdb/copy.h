/* Copies the file of a store, for backup and compaction. */
#ifndef XYLEM_LMDB_COPY_H
#define XYLEM_LMDB_COPY_H

#include "xylem/store.h"

/* The length of the store's file. */
int xylem_lmdb__copy_file_bytes(uint64_t *bytes, const struct xylem_txn *txn, struct xylem_error *err);

/* The length of the store's file, and the length of a compacted copy of the read transaction's state. */
int xylem_lmdb__copy_sizes(uint64_t *file_bytes, uint64_t *copy_bytes, struct xylem_txn *txn, struct xylem_error *err);

/*
 * The kinds of copy. Between its nodes a page of LMDB holds old bytes: of former rows, or of former pages in the same
 * memory. A compacted copy by pages keeps these bytes. A copy by rows does not, and neither does a copy in place, which
 * has each page at its place (store/pages/copy.h) and is already marked.
 */
enum xylem_lmdb__copy_by { XYLEM_LMDB__COPY_PAGES, XYLEM_LMDB__COPY_ROWS, XYLEM_LMDB__COPY_IN_PLACE };

/*
 * Makes the new file `target` (mode 0600, whatever the umask), a copy of the store, and syncs the file. A failure leaves
 * no file. A copy in place has the state of the read transaction; its pages are proven meanwhile, its rows are not.
 * CORRUPT names the page and the table, BUSY: writers could not know of the transaction. For other copies the
 * transaction only keeps the environment open: the copy may have later commits. `hole_bytes`: of the file, without a
 * page; only for a copy in place.
 */
int xylem_lmdb__copy(uint64_t *hole_bytes, struct xylem_txn *txn, const char *target, enum xylem_lmdb__copy_by by,
                     struct xylem_error *err);

/*
 * Marks a copy as one that begins a life of its own with its first change: sets the feature bit
 * XYLEM_FORMAT__FEATURE_COPY, and syncs the copy.
 */
int xylem_lmdb__copy_mark(const char *target, const struct xylem_txn *txn, struct xylem_error *err);

/*
 * Gives a copy the number of the newest commit of its store, and syncs the copy. Programs that use LMDB alone go by the
 * number in lock.mdb, also where the copy takes the store's place. A copy by rows may need more commits than the store
 * had: `raised` is their number, which lock.mdb is to get when the copy takes the place; else 0.
 */
int xylem_lmdb__copy_number(uint64_t *raised, const char *target, const struct xylem_txn *txn, struct xylem_error *err);
/* Writes the number of the newest commit into lock.mdb, which is held exclusively. False: errno says why. */
bool xylem_lmdb__lock_number(uint64_t *before, int lmdb_lock_fd, uint64_t number);

#endif
