/* Rows of the table `meta`: format version, features, uuid, floors, and what was freed or removed. */
#ifndef XYLEM_STORE_META_H
#define XYLEM_STORE_META_H

#include "lmdb/tables.h"

/*
 * Writes down that the store uses a feature, which a library that does not know it must then leave alone. For what a
 * store has only once it was asked for; those that an environment goes by (xylem_lmdb__features()) it has from the
 * beginning.
 */
int xylem_store__feature_add(struct xylem_txn *txn, uint64_t feature, struct xylem_error *err);

/*
 * 1 if the store uses the feature, else 0: then there are no rows that only it has, and none has to be looked for. Read
 * once in a transaction, as other processes may set it.
 */
int xylem_store__feature_used(struct xylem_txn *txn, uint64_t feature, struct xylem_error *err);

int xylem_store__floors_read(struct xylem_lmdb__floors *floors, struct xylem_txn *txn, struct xylem_error *err);
/* Raises those that are lower; none is ever lowered. */
int xylem_store__floors_raise(struct xylem_txn *txn, const struct xylem_lmdb__floors *floors, struct xylem_error *err);

/* What a garbage collection leaves that is counted, so that a row that was lost is told from one that was freed. */
struct xylem_store__freed {
    uint64_t entry_count;   /* freed since the store was made: so many lsns of the feed have no record in the log */
    uint64_t session_count; /* rows of `sessions` in the state FREED: so many have no row in `session_ids` */
};
int xylem_store__freed_read(struct xylem_store__freed *freed, struct xylem_txn *txn, struct xylem_error *err);
int xylem_store__freed_write(struct xylem_txn *txn, const struct xylem_store__freed *freed, struct xylem_error *err);

/*
 * Notes a redaction or a deletion of this transaction in the row `removed`, with the next lsn. Free pages keep older copies
 * of rows: from the row a repair knows which copies may hold a redacted payload or a deleted session. The row stays for
 * ever, as undeletion and garbage collection leave the copies where they are.
 */
enum xylem_store__removal { XYLEM_STORE__REDACTION, XYLEM_STORE__DELETION };
int xylem_store__removal_note(struct xylem_txn *txn, enum xylem_store__removal removal, struct xylem_error *err);

/* Reads format version, features and uuid. */
int xylem_store__meta_stat(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err);

#endif
