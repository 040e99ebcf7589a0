/*
 * The stores that this process has open, for every environment of JavaScript in the process: a host evaluates an
 * extension anew after a reload, and runs workers, and all of them must meet the same handle and the same leases.
 *
 *     table ── shared store (data.mdb) ── struct xylem_store
 *                 │ references: handles of JavaScript, calls under way
 *                 └── leases, by session
 *
 * Every call here may come from any thread.
 */
#ifndef XYLEM_NODE_STORES_H
#define XYLEM_NODE_STORES_H

#include "xylem/store.h"

struct shared_store;

/* Opens a store, or finds the store that is open already, with its options; the caller gets a reference. */
int store_open(struct shared_store **shared, const char *path, const struct xylem_open_options *options,
               struct xylem_error *err);
/* One more reference, of a call. */
void store_hold(struct shared_store *shared);
/*
 * Gives a reference back. The last one releases the leases and closes the store. While another process writes for long,
 * the store stays open with its leases; the next lease that is taken ends them.
 */
void store_drop(struct shared_store *shared);
struct xylem_store *store_handle(const struct shared_store *shared);

/* Takes the lease of a session. A lease that this process holds already is the same lease. */
int store_lease_take(struct shared_store *shared, uint64_t session, struct xylem_error *err);
/* Releases the lease of a session. Without a lease the call does nothing. */
int store_lease_release(struct shared_store *shared, uint64_t session, struct xylem_error *err);

/* Notes of the process: a value under a key, as long as the process lives. A value without data takes the note away. */
int note_write(struct xylem_view key, struct xylem_view value, struct xylem_error *err);
/* Appends the value of a note: 1, or 0 without a note. */
int note_read(struct xylem_buffer *value, struct xylem_view key, struct xylem_error *err);

#endif
