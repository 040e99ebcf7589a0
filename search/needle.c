#include "search/needle.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define LANES 16u /* bytes of a vector: every 64-bit processor has instructions for 16 */
#define ROUND (4 * LANES)

typedef unsigned char vector __attribute__((vector_size(LANES)));

/* How often a byte stands in text and code, roughly: 0 is rare. */
static unsigned commonness(unsigned char byte)
{
    static const char common[] = "zjqxvkbgpywmfucldhrsnioate ";
    const char *at = byte > 0 ? strchr(common, xylem_base__lower((char)byte)) : NULL;
    if (at) {
        return 100 + (unsigned)(at - common) * 4 - (byte >= 'A' && byte <= 'Z' ? 60 : 0);
    }
    return byte >= '0' && byte <= '9' ? 90 : strchr("\"\\/.,:-_()n", byte) ? 120 : byte >= 0x80 ? 60 : 70;
}

void xylem_search__needle_make(struct xylem_search__needle *needle, struct xylem_view text, bool caseless)
{
    *needle = (struct xylem_search__needle){.bytes = text.data, .count = text.bytes, .caseless = caseless};
    for (size_t i = 1; i < text.bytes; i++) {
        unsigned rank = commonness((unsigned char)text.data[i]);
        if (rank < commonness((unsigned char)text.data[needle->first_at])) {
            needle->second_at = needle->first_at;
            needle->first_at = i;
        } else if (needle->second_at == needle->first_at ||
                   rank < commonness((unsigned char)text.data[needle->second_at])) {
            needle->second_at = i;
        }
    }
    needle->first = (unsigned char)text.data[needle->first_at];
    needle->second = (unsigned char)text.data[needle->second_at];
    needle->first_fold = caseless && needle->first >= 'a' && needle->first <= 'z' ? 0x20 : 0;
    needle->second_fold = caseless && needle->second >= 'a' && needle->second <= 'z' ? 0x20 : 0;
}

static bool is_at(const struct xylem_search__needle *needle, const char *place)
{
    if (!needle->caseless) {
        return memcmp(place, needle->bytes, needle->count) == 0;
    }
    size_t i = 0;
    while (i < needle->count && xylem_base__lower(place[i]) == needle->bytes[i]) {
        i++;
    }
    return i == needle->count;
}

static vector load(const char *bytes)
{
    vector loaded;
    memcpy(&loaded, bytes, sizeof loaded);
    return loaded;
}

/* The two bytes to look for, each in all lanes of a vector, and the bits that fold capital letters. */
struct pair {
    vector first, first_fold;
    vector second, second_fold;
};

/* 0xff in each lane of a place with both bytes, else 0. */
static vector both(const struct pair *pair, const char *first, const char *second)
{
    vector is_first = (vector)((load(first) | pair->first_fold) == pair->first);
    vector is_second = (vector)((load(second) | pair->second_fold) == pair->second);
    return is_first & is_second;
}

static bool any(vector lanes)
{
    uint64_t words[LANES / 8];
    memcpy(words, &lanes, sizeof words);
    return (words[0] | words[1]) != 0;
}

/* The first place of the needle from `at` to before `end`; SIZE_MAX: none. */
static size_t look_at_each(const struct xylem_search__needle *needle, const char *haystack, size_t at, size_t end)
{
    for (; at < end; at++) {
        if (((unsigned char)haystack[at + needle->first_at] | needle->first_fold) == needle->first &&
            ((unsigned char)haystack[at + needle->second_at] | needle->second_fold) == needle->second &&
            is_at(needle, haystack + at)) {
            return at;
        }
    }
    return SIZE_MAX;
}

size_t xylem_search__needle_find(const struct xylem_search__needle *needle, struct xylem_view haystack, size_t from)
{
    if (haystack.bytes < needle->count || from > haystack.bytes - needle->count) {
        return SIZE_MAX;
    }
    const vector zero = {0};
    const struct pair pair = {zero + needle->first, zero + needle->first_fold, zero + needle->second,
                              zero + needle->second_fold};
    size_t end = haystack.bytes - needle->count + 1; /* behind the last place */
    size_t at = from;
    for (; end - at >= ROUND; at += ROUND) {
        const char *first = haystack.data + at + needle->first_at;
        const char *second = haystack.data + at + needle->second_at;
        vector found = both(&pair, first, second) | both(&pair, first + LANES, second + LANES) |
                       both(&pair, first + 2 * LANES, second + 2 * LANES) |
                       both(&pair, first + 3 * LANES, second + 3 * LANES);
        if (any(found)) {
            size_t place = look_at_each(needle, haystack.data, at, at + ROUND);
            if (place != SIZE_MAX) {
                return place;
            }
        }
    }
    /* The rest: at most three vectors, and a last vector, which may overlap the vector before. */
    while (at < end && end - from >= LANES) {
        size_t place = end - at >= LANES ? at : end - LANES;
        const char *first = haystack.data + place + needle->first_at;
        if (any(both(&pair, first, haystack.data + place + needle->second_at))) {
            size_t found = look_at_each(needle, haystack.data, at, place + LANES);
            if (found != SIZE_MAX) {
                return found;
            }
        }
        at = place + LANES;
    }
    return look_at_each(needle, haystack.data, at, end);
}
