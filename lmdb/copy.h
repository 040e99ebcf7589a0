/* Copying a store's file: what a backup and a compaction share. */
#ifndef XYLEM_LMDB_COPY_H
#define XYLEM_LMDB_COPY_H

#include "xylem.h"

/*
 * How many bytes the store's file has, and how many a compacted copy of what the read transaction sees takes.
 */
int xylem_lmdb__copy_sizes(uint64_t *file_bytes, uint64_t *copy_bytes, struct xylem_txn *txn, struct xylem_error *err);

/*
 * How a copy is made. Between its nodes a page of LMDB holds bytes of rows that were there before, or of other pages that
 * had the same memory: a copy by pages keeps these bytes, a copy by rows has none of them.
 */
enum xylem_lmdb__copy_by { XYLEM_LMDB__COPY_PAGES, XYLEM_LMDB__COPY_ROWS };

/*
 * Makes the file `target` (mode 0600, whatever the umask; there must be none), a compacted copy of the store as it is
 * now, and syncs it. The read transaction keeps the store's environment as it is meanwhile; the copy may see more than
 * it. After a failure no such file is left.
 */
int xylem_lmdb__copy(struct xylem_txn *txn, const char *target, enum xylem_lmdb__copy_by by, struct xylem_error *err);

#endif
