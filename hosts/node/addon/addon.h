/*
 * hosts/node/addon: the library for Node and Bun, on Node-API. The room has no rules of its own: a call of JavaScript
 * is at most one transaction, and says what the library says. index.js gives the calls the shape of classes.
 *
 * Begin reading at calls.h, which says how a call runs, then store_calls.c. The room uses the public headers and base/.
 * Other rooms may include: none.
 */
#ifndef XYLEM_NODE_ADDON_H
#define XYLEM_NODE_ADDON_H

#include "hosts/node/addon/calls.h"
#include "xylem/session.h"

/* The operations. Each list ends in a row without a name. */
extern const struct operation store_operations[];
extern const struct operation state_operations[];
extern const struct operation sequence_operations[];
extern const struct operation show_operations[];
extern const struct operation run_operations[];
extern const struct operation reads_operations[];
extern const struct operation search_operations[];
extern const struct operation process_operations[];
extern const struct operation preview_operations[];

/* A live or a deleted session of the id: NOT_FOUND. */
int session_of_id(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view id, struct xylem_error *err);

#endif
