/*
 * Ids that xylem makes for entries: UUIDs of version 7 (RFC 9562) that hold the entry's lsn behind the time. So the feed
 * leads from such an id to its entry, and it needs no row in `ids`, whose random keys are the dearest part of an append.
 * The time in it orders ids for people; nothing is looked up by it, so a clock that steps back does no harm.
 */
#ifndef XYLEM_FORMAT_MINTED_ID_H
#define XYLEM_FORMAT_MINTED_ID_H

#include "base/clock.h"
#include "format/format.h"

/* Makes the id of the entry of that lsn, at most XYLEM_FORMAT__MINTED_LSN_MAX. `chance`: random bits, the low ones count. */
void xylem_format__minted_id(char out[XYLEM_BASE__UUID_TEXT_BYTES], int64_t time_ms, uint64_t lsn, uint64_t chance);

/* Could the id be one of these? If so, the lsn that it holds. Whose id it is says only the entry of that lsn. */
bool xylem_format__minted_lsn(uint64_t *lsn, struct xylem_view id);

#endif
