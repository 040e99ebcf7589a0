/* What a ship sends: segments packed from the store, and what lists show of a session. Private to shipper.c and rewrite.c. */
#ifndef FLEET_CARGO_H
#define FLEET_CARGO_H

#include "fleet/shipper.h"

/*
 * 1 and a segment of the changes from an ordinal on, or 0: there is none. `to` 0: up to the end of the session. `whole`: all
 * of them in one segment. LIMIT: they are too many for that.
 */
int fleet_cargo_pack(struct xylem_buffer *bytes, struct xylem_segment *segment, struct xylem_txn *txn, uint64_t session,
                     uint64_t from, uint64_t to, bool whole, struct xylem_error *err);
/* What lists show of a session: shipper.h has the members. The buffer is emptied first. */
int fleet_cargo_about(struct xylem_buffer *about, struct xylem_txn *txn, const struct xylem_session *session,
                      struct xylem_error *err);

#endif
