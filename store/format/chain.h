/*
 * Chains over changes: each link is the XXH3-64 of one change, with the link before as seed; the first seed is 0. Equal
 * links mean equal histories. A link holds nothing that a redaction or a freeing changes.
 */
#ifndef XYLEM_FORMAT_CHAIN_H
#define XYLEM_FORMAT_CHAIN_H

#include "store/format/format.h"

/* What the chains cover of a change. */
struct xylem_format__link {
    uint64_t lsn;
    uint64_t session; /* its number */
    uint64_t ordinal;
    unsigned type;        /* enum xylem_change_type */
    int64_t time_ms;      /* of an entry or a navigation, else 0 */
    struct xylem_view id; /* of the entry that the change is about; empty: of none */
};

/*
 * The next link of the store's chain. Covers the lsn and the number of the session: copies of a store have equal ones.
 */
uint64_t xylem_format__store_chain(uint64_t before, const struct xylem_format__link *link);
/* The next link of the session's chain. Covers the ordinal, and nothing of the store: any store can compare it. */
uint64_t xylem_format__session_chain(uint64_t before, const struct xylem_format__link *link);

#endif
