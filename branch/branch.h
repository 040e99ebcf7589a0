/*
 * branch/ is the tree of a session's entries: walks towards the root, forks, navigation, tips, labels, outlines.
 * It does not know what is in a payload, but for labels and names.
 * Begin reading at walk.c, then fork.c (a fork is one row) and navigate.c.
 * Other rooms may include: arena.h
 */
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

/* What was met of the branches that a session owns. Starts as zero. */
struct xylem_branch__met {
    uint64_t newest_lsn; /* the greatest among their last entries */
    uint64_t entry_count;
};

/* Adds a branch and its last entry. */
void xylem_branch__meet(struct xylem_branch__met *met, const struct xylem_store__branch *branch,
                        const struct xylem_entry *tip);

/*
 * CORRUPT if all of them together do not end in the entry that was appended to the session last, or do not have as many
 * entries as were: a branch's row does not say where it ends, so else a lost end would be no end.
 */
int xylem_branch__met_all(const struct xylem_branch__met *met, const struct xylem_session *session,
                          struct xylem_error *err);

/* CORRUPT if the branch begins below that depth. */
int xylem_branch__holds(const struct xylem_store__branch *branch, uint64_t depth, struct xylem_error *err);

#endif
