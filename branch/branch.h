/* What the files of this room share. */
#ifndef XYLEM_BRANCH_BRANCH_H
#define XYLEM_BRANCH_BRANCH_H

#include "xylem.h"

/* Reads the entry at a position that must belong to the session: else NOT_FOUND, with both in the text. */
int xylem_branch__entry_of(struct xylem_entry *entry, struct xylem_txn *txn, const struct xylem_session *session,
                           struct xylem_position position, struct xylem_error *err);

#endif
