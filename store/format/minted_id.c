#include "store/format/minted_id.h"

/*
 *     tttttttt-tttt-7lll-vlll-lllxrrrrrrrr      t time, 7 version, v variant and lsn, l lsn, x lsn and random, r random
 *
 * The last two groups are 64 bits, from high to low: 2 of the variant, 28 of the lsn, 34 random. So `v` holds two bits
 * of the variant and two of the lsn, and `x` the two lowest bits of the lsn and two random bits.
 */
#define CHANCE_BITS 34u
#define LSN_LOW_BITS 28u
static_assert(2u + LSN_LOW_BITS + CHANCE_BITS == 64u, "variant, lsn and chance fill the second half");
static_assert(XYLEM_FORMAT__MINTED_LSN_MAX == (UINT64_C(1) << (12u + LSN_LOW_BITS)) - 1,
              "12 bits of the lsn are in the first half");

#define VERSION UINT64_C(0x7000)
#define VARIANT (UINT64_C(2) << 62)
#define BITS(count) ((UINT64_C(1) << (count)) - 1)

void xylem_format__minted_id(char out[XYLEM_BASE__UUID_TEXT_BYTES], int64_t time_ms, uint64_t lsn, uint64_t chance)
{
    assert(lsn > 0 && lsn <= XYLEM_FORMAT__MINTED_LSN_MAX);
    uint64_t first = ((uint64_t)time_ms & BITS(48)) << 16 | VERSION | lsn >> LSN_LOW_BITS;
    uint64_t second = VARIANT | (lsn & BITS(LSN_LOW_BITS)) << CHANCE_BITS | (chance & BITS(CHANCE_BITS));
    xylem_base__uuid_write(out, first, second);
}

/* The value of a hexadecimal digit in lower case; 16 for any other byte. */
static uint64_t value_of(char digit)
{
    return digit >= '0' && digit <= '9'   ? (uint64_t)(digit - '0')
           : digit >= 'a' && digit <= 'f' ? (uint64_t)(digit - 'a' + 10)
                                          : 16;
}

bool xylem_format__minted_lsn(uint64_t *lsn, struct xylem_view id)
{
    uint64_t halves[2] = {0, 0};
    unsigned digit = 0;
    if (id.bytes != XYLEM_BASE__UUID_TEXT_BYTES) {
        return false;
    }
    for (size_t i = 0; i < XYLEM_BASE__UUID_TEXT_BYTES; i++) {
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (id.data[i] != '-') {
                return false;
            }
            continue;
        }
        uint64_t value = value_of(id.data[i]);
        if (value > 15) {
            return false;
        }
        halves[digit / 16] = halves[digit / 16] << 4 | value;
        digit++;
    }
    *lsn = (halves[0] & BITS(12)) << LSN_LOW_BITS | (halves[1] >> CHANCE_BITS & BITS(LSN_LOW_BITS));
    return (halves[0] & 0xf000) == VERSION && halves[1] >> 62 == VARIANT >> 62 && *lsn > 0;
}
