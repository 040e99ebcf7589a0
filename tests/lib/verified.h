/* A store that a test leaves behind must be sound. */
#ifndef XYLEM_TESTS_LIB_VERIFIED_H
#define XYLEM_TESTS_LIB_VERIFIED_H

struct xylem_txn;

/* Prints each problem that xylem_verify() finds, and fails the test if there is one. */
void assert_verified(struct xylem_txn *txn);

/* Fails the test if the feed contradicts the rows of a store that was not repaired (tests/lib/changes.h). */
void assert_changes_agree(struct xylem_txn *txn);

#endif
