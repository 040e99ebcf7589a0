/*
 * A table of the files that a session has read: for its object of JavaScript, and for the calls with the table that run
 * in other threads. A call waits for a file without the lock.
 */
#ifndef XYLEM_NODE_READS_H
#define XYLEM_NODE_READS_H

#include "xylem/reads.h"

struct shared_reads;

/* An empty table; the caller gets a reference. */
int reads_make(struct shared_reads **made, struct xylem_error *err);
/* One more reference, of a call. */
void reads_hold(struct shared_reads *shared);
/* Gives a reference back. The last one frees the table. */
void reads_drop(struct shared_reads *shared);

/* The table, for this thread alone until reads_unlock(). */
struct xylem_reads *reads_lock(struct shared_reads *shared);
void reads_unlock(struct shared_reads *shared);

#endif
