/*
 * Compares a session of one store with the session of the same id in another, by all that travels. What belongs to a
 * store may differ: lsns, branches, positions, numbers, owner and epoch, what an import knows of the growth of a file.
 */
#ifndef XYLEM_TESTS_LIB_SAME_SESSION_H
#define XYLEM_TESTS_LIB_SAME_SESSION_H

struct xylem_txn;

/*
 * Fails the test with the first difference of both sessions: row, base, leaves, history, entries in their order with
 * payloads, lines and checks, navigations, session files, quarantine, labels and name, and the state at each entry.
 */
void assert_same_session(struct xylem_txn *expected, struct xylem_txn *found, const char *id);

/*
 * The same for each session of the first store, in the empty namespace, that is live or deleted. The second store may
 * have others.
 */
void assert_same_sessions(struct xylem_txn *expected, struct xylem_txn *found);

#endif
