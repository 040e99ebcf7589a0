/* Rows of the tables `sources` and `quarantine`. */
#ifndef XYLEM_STORE_SOURCE_H
#define XYLEM_STORE_SOURCE_H

#include "base/bytes.h"
#include "store/store.h"

/* Decodes all but the displaced lines, and leaves the cursor there. False: these are no such fields. */
bool xylem_store__source_fields(struct xylem_store__source *source, struct xylem_base__cursor *cursor);
/* Decodes rows without their sums. The displaced lines are decoded into the transaction's room for them. */
int xylem_store__source_decode(struct xylem_store__source *source, struct xylem_txn *txn, struct xylem_view row,
                               struct xylem_error *err);
int xylem_store__quarantine_decode(struct xylem_quarantined *quarantined, struct xylem_view key, struct xylem_view row,
                                   struct xylem_error *err);

/*
 * Takes the bytes of a quarantined line out. `key` is that of its row; it must not be a view of the transaction. The row
 * stays, under another key: the line keeps its number.
 */
int xylem_store__quarantine_redact(struct xylem_txn *txn, struct xylem_view key, struct xylem_error *err);

#endif
