/* What a ship and a pull do in the store when a session has another owner. Private to the ship, the pull and verify.c. */
#ifndef FLEET_SETTLE_H
#define FLEET_SETTLE_H

#include "fleet/traffic.h"
#include "xylem/segment.h"

/*
 * The owner of a session, as the store keeps it and shows it to people: `HOST #EPOCH`, at most XYLEM_OWNER_BYTES_MAX
 * bytes. Two hosts may have one name, and a name may be cut, but each claim of a session has an epoch of its own: so the
 * text is the same for one owner, and another for each owner, without a token or a hash that nobody can read.
 */
struct fleet_owner {
    char text[XYLEM_OWNER_BYTES_MAX + 1];
};
void fleet_owner_write(struct fleet_owner *owner, struct xylem_view host, uint64_t epoch);

/* 1 and the session of the id in the empty namespace, in any state but freed; else 0. */
int fleet_session_find(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view id,
                       struct xylem_error *err);

/* Puts the text into the place of what the buffer has. */
int fleet_keep_text(struct xylem_buffer *buffer, struct xylem_view text, struct xylem_error *err);

/* Ends a write transaction: commits with a code above 0, else aborts. Gives the code, or the commit's error. */
int fleet_end(struct xylem_txn *txn, int code, struct xylem_error *err);

/*
 * Gives the store's session of the id another id and keeps it as the store's own, because the owner's history is another:
 * xylem_session_diverge(). Tells FORKED, and gives 1. NOT_FOUND; CONFLICT: a process holds the session.
 */
int fleet_fork_tail(struct xylem_store *store, struct xylem_view session, uint64_t from, const char *reason,
                    const struct fleet_traffic *traffic, struct xylem_error *err);

#endif
