/*
 * The way out of a store and into another: all sessions as lines of JSON (xylem_export_changes()), taken by an empty
 * store (xylem_import_changes()).
 */
#ifndef XYLEM_TESTS_LIB_WAY_OUT_H
#define XYLEM_TESTS_LIB_WAY_OUT_H

struct xylem_txn;

/*
 * Takes all sessions of a store into an empty one. Fails the test unless the new store is sound, has the same sessions
 * with the same states, gives the same bytes again, and finds nothing new when the files come once more.
 */
void assert_way_out(struct xylem_txn *txn);

#endif
