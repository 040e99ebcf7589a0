#include "store/format/chain.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "store/format/hash.h"

#define FIXED_BYTES 25u /* of the longer form */

static uint64_t link_of(uint64_t before, unsigned char *bytes, size_t fixed, const struct xylem_format__link *link)
{
    assert(link->id.bytes <= XYLEM_SESSION_ID_BYTES_MAX);
    bytes[fixed - 9] = (unsigned char)link->type;
    xylem_base__put_u64(bytes + fixed - 8, (uint64_t)link->time_ms);
    if (link->id.bytes > 0) {
        memcpy(bytes + fixed, link->id.data, link->id.bytes);
    }
    return xylem_format__hash_seeded((struct xylem_view){(const char *)bytes, fixed + link->id.bytes}, before);
}

/* lsn u64 | session u64 | type u8 | time i64 | id */
uint64_t xylem_format__store_chain(uint64_t before, const struct xylem_format__link *link)
{
    unsigned char bytes[FIXED_BYTES + XYLEM_SESSION_ID_BYTES_MAX];
    xylem_base__put_u64(bytes, link->lsn);
    xylem_base__put_u64(bytes + 8, link->session);
    return link_of(before, bytes, FIXED_BYTES, link);
}

/* ordinal u64 | type u8 | time i64 | id */
uint64_t xylem_format__session_chain(uint64_t before, const struct xylem_format__link *link)
{
    unsigned char bytes[FIXED_BYTES + XYLEM_SESSION_ID_BYTES_MAX];
    xylem_base__put_u64(bytes, link->ordinal);
    return link_of(before, bytes, FIXED_BYTES - 8, link);
}
