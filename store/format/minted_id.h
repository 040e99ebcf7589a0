/*
 * Makes ids of entries: UUIDs of version 7 (RFC 9562) with the lsn of the entry after the time. The feed leads from the
 * lsn to the entry, so a minted id needs no row in `ids`: random keys in `ids` are the slowest part of an append. The
 * time orders ids for people. No search uses the time, so a clock that steps back does no harm.
 */
#ifndef XYLEM_FORMAT_MINTED_ID_H
#define XYLEM_FORMAT_MINTED_ID_H

#include "base/clock.h"
#include "store/format/format.h"

/*
 * Makes an id for an lsn of XYLEM_FORMAT__MINTED_LSN_MAX at most. `chance`: random bits, of which the low bits count.
 */
void xylem_format__minted_id(char out[XYLEM_BASE__UUID_TEXT_BYTES], int64_t time_ms, uint64_t lsn, uint64_t chance);

/*
 * True and the lsn if the id has the form of a minted id. Only the entry of this lsn tells whether the id is its own.
 */
bool xylem_format__minted_lsn(uint64_t *lsn, struct xylem_view id);

#endif
