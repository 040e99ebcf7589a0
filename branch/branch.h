/*
 * branch/ reads the tree of a session's entries and moves in it: walks towards the root, forks, navigation, tips,
 * labels, outlines.
 * branch/ reads no payloads except those of labels and names.
 * Begin reading at walk.c, then fork.c (a fork is one row) and navigate.c.
 * Other rooms may include: arena.h outline.h
 */
#ifndef XYLEM_BRANCH_BRANCH_H
#define XYLEM_BRANCH_BRANCH_H

#include "store/store.h"

/* Reads the entry at a position. NOT_FOUND, with session and position in the text, if the session does not have it. */
int xylem_branch__entry_of(struct xylem_entry *entry, struct xylem_txn *txn, const struct xylem_session *session,
                           struct xylem_position position, struct xylem_error *err);

/* Reads a branch of the session; and its last entry, too. CORRUPT if another session owns the branch. */
int xylem_branch__own_row(struct xylem_store__branch *branch, struct xylem_txn *txn,
                          const struct xylem_session *session, uint64_t number, struct xylem_error *err);
int xylem_branch__own(struct xylem_store__branch *branch, struct xylem_entry *tip, struct xylem_txn *txn,
                      const struct xylem_session *session, uint64_t number, struct xylem_error *err);

/* The sum over the branches of a session. Start with a zeroed struct. */
struct xylem_branch__met {
    uint64_t newest_lsn; /* the greatest lsn of the branches' last entries */
    uint64_t entry_count;
};

/* Adds a branch and its last entry to the sum. */
void xylem_branch__meet(struct xylem_branch__met *met, const struct xylem_store__branch *branch,
                        const struct xylem_entry *tip);

/*
 * Compares the sum over all branches with the session's row: CORRUPT if the last entry or the number of entries
 * differs. A branch's row does not tell where the branch ends. Without this check, a lost end of a branch would go
 * unnoticed.
 */
int xylem_branch__met_all(const struct xylem_branch__met *met, const struct xylem_session *session,
                          struct xylem_error *err);

/* CORRUPT if the branch begins behind that depth. */
int xylem_branch__holds(const struct xylem_store__branch *branch, uint64_t depth, struct xylem_error *err);

#endif
