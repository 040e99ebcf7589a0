/* Makes the bytes of a segment right again, as one does who knows the format. Without cmocka: fuzz targets do, too. */
#ifndef XYLEM_TESTS_TRAVEL_MEND_H
#define XYLEM_TESTS_TRAVEL_MEND_H

#include "base/bytes.h"
#include "store/format/chain.h"
#include "store/format/hash.h"
#include "travel/travel.h"

/* The sum of all bytes before. */
static inline void mend_sum(void *bytes, size_t count)
{
    if (count >= XYLEM_FORMAT__HASH_BYTES) {
        struct xylem_view content = {bytes, count - XYLEM_FORMAT__HASH_BYTES};
        xylem_base__put_u64((unsigned char *)bytes + content.bytes, xylem_format__hash(content));
    }
}

/* The place of the chain in the head: behind version, flags, id, both ends and the chain before. */
static inline size_t mend_chain_at(const struct xylem_segment *segment)
{
    return 2 + 4 + segment->session.bytes + 8 + 8 + 8;
}

/* The chain of the changes, as far as they can be read, and the sum. */
static inline void mend_chain(void *bytes, size_t count)
{
    struct xylem_travel__reader reader;
    struct xylem_travel__change change;
    mend_sum(bytes, count);
    if (xylem_travel__reader_begin(&reader, (struct xylem_view){bytes, count}, NULL) == XYLEM_OK &&
        !reader.segment.freed) {
        uint64_t chain = reader.segment.chain_before;
        uint64_t ordinal = reader.segment.from;
        while (xylem_travel__reader_next(&change, &reader, NULL) > 0) {
            const struct xylem_format__link link = {
                .ordinal = ordinal++, .type = change.type, .time_ms = change.time_ms, .id = change.id};
            chain = xylem_format__session_chain(chain, &link);
        }
        xylem_base__put_u64((unsigned char *)bytes + mend_chain_at(&reader.segment), chain);
    }
    xylem_travel__reader_release(&reader);
    mend_sum(bytes, count);
}

#endif
