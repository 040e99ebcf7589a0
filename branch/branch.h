/* What the files of this room share. */
#ifndef XYLEM_BRANCH_BRANCH_H
#define XYLEM_BRANCH_BRANCH_H

#include "store/store.h"
#include "xylem.h"

/* Reads the entry at a position that must belong to the session: else NOT_FOUND, with both in the text. */
int xylem_branch__entry_of(struct xylem_entry *entry, struct xylem_txn *txn, const struct xylem_session *session,
                           struct xylem_position position, struct xylem_error *err);

/* Reads a branch that the session must own, and its last entry. */
int xylem_branch__own(struct xylem_store__branch *branch, struct xylem_entry *tip, struct xylem_txn *txn,
                      const struct xylem_session *session, uint64_t number, struct xylem_error *err);

/*
 * CORRUPT if `newest_lsn`, the greatest among the last entries of the session's own branches, is not that of the entry
 * that was appended to it last: a branch's row does not say where it ends, so else a lost end would be no end.
 */
int xylem_branch__own_complete(const struct xylem_session *session, uint64_t newest_lsn, struct xylem_error *err);

/* CORRUPT if the branch begins below that depth. */
int xylem_branch__holds(const struct xylem_store__branch *branch, uint64_t depth, struct xylem_error *err);

#endif
