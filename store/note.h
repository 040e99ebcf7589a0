/* Notes: rows of the table `meta`, their key the name behind a prefix. The row `notes` counts them. */
#ifndef XYLEM_STORE_NOTE_H
#define XYLEM_STORE_NOTE_H

#include "store/store.h"

/* True, and the name, if the row of `meta` is a note whose name and value are possible. */
bool xylem_store__note_name(struct xylem_view *name, struct xylem_view key, struct xylem_view row);
/* The number of notes by the row `notes`. */
int xylem_store__note_count(uint64_t *count, struct xylem_txn *txn, struct xylem_error *err);

#endif
