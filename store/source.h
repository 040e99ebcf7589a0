/* Reads and writes rows of the tables `sources` and `quarantine`. */
#ifndef XYLEM_STORE_SOURCE_H
#define XYLEM_STORE_SOURCE_H

#include "base/bytes.h"
#include "store/store.h"
#include "xylem/files.h"

/*
 * Decodes all fields before the displaced lines, and leaves the cursor behind them; false if the fields contradict
 * each other.
 */
bool xylem_store__source_fields(struct xylem_store__source *source, struct xylem_base__cursor *cursor);
/* Decode rows without their sums. The displaced lines live in memory of the transaction. */
int xylem_store__source_decode(struct xylem_store__source *source, struct xylem_txn *txn, struct xylem_view row,
                               struct xylem_error *err);
int xylem_store__quarantine_decode(struct xylem_quarantined *quarantined, struct xylem_view key, struct xylem_view row,
                                   struct xylem_error *err);

/* Write rows without a change of the session: for a document that another store told. */
int xylem_store__source_put(struct xylem_txn *txn, uint64_t session, const struct xylem_store__source *source,
                            struct xylem_error *err);
int xylem_store__quarantine_put(struct xylem_txn *txn, uint64_t session, const struct xylem_quarantined *row,
                                struct xylem_error *err);

/*
 * Takes the bytes of a quarantined line out. The row stays under another key: the line keeps its number. `key`: the
 * key of the row, not a view of the transaction.
 */
int xylem_store__quarantine_redact(struct xylem_txn *txn, struct xylem_view key, struct xylem_error *err);

#endif
