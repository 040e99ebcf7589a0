/* Finds bytes in bytes, much faster than a look at each byte. */
#ifndef XYLEM_SEARCH_NEEDLE_H
#define XYLEM_SEARCH_NEEDLE_H

#include "xylem/base.h"

/*
 * Bytes to find. Two of the bytes are compared first, in many places at once; the whole needle is compared where both
 * stand. Rare bytes are chosen, as most places then need no second look.
 *
 *     haystack  t h e   q u a c k   q u i c k
 *     first                         q         (fold 0)
 *     second                                k (fold 0x20: `k` or `K`)
 */
struct xylem_search__needle {
    const char *bytes; /* of the caller; without case, ASCII letters in lower case */
    size_t count;      /* 1 or more */
    bool caseless;     /* ASCII letters match in either case */
    size_t first_at;   /* offsets of the two bytes */
    size_t second_at;
    unsigned char first, first_fold;
    unsigned char second, second_fold;
};

/* `text` has 1 byte or more, and lives as long as the needle. */
void xylem_search__needle_make(struct xylem_search__needle *needle, struct xylem_view text, bool caseless);
/* The offset of the first place at `from` or behind; SIZE_MAX: none. */
size_t xylem_search__needle_find(const struct xylem_search__needle *needle, struct xylem_view haystack, size_t from);

#endif
