/* What the store says of itself: format version, features, uuid. */
#ifndef XYLEM_STORE_META_H
#define XYLEM_STORE_META_H

#include "xylem.h"

/*
 * Writes down that the store uses a feature, which a library that does not know it must then leave alone. For what a
 * store has only once it was asked for; those that an environment goes by (xylem_store__features()) it has from the
 * beginning.
 */
int xylem_store__feature_add(struct xylem_txn *txn, uint64_t feature, struct xylem_error *err);

/*
 * 1 if the store uses the feature, else 0: then there are no rows that only it has, and none has to be looked for. Read
 * once in a transaction, as other processes may set it.
 */
int xylem_store__feature_used(struct xylem_txn *txn, uint64_t feature, struct xylem_error *err);

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
