/*
 * The golden store: what full_store.h has, and the rest of what the format has: forks of forks, so that branches skip; a
 * ledger of a run; notes; a noted file; namespaces; a session that follows another
 * store; lsns that a repair left out; the row of a second life.
 */
#ifndef XYLEM_TESTS_LIB_GOLDEN_H
#define XYLEM_TESTS_LIB_GOLDEN_H

/* Makes the golden store in a directory that does not exist. */
void golden_make(const char *path);

#endif
