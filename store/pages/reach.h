/* Checks quickly, without the map, whether a file lost used pages at its end. */
#ifndef XYLEM_PAGES_REACH_H
#define XYLEM_PAGES_REACH_H

#include <stdint.h>

#include "xylem/base.h"

struct xylem_pages__pages {
    int fd; /* of data.mdb */
    uint64_t page_bytes;
    uint64_t last_page; /* by the newest meta page */
    uint64_t txn_id;    /* of an open read transaction, so that no writer reuses the pages meanwhile */
};

/*
 * 0 if every page that can be reached lies in the file. There are two cases:
 *
 *     the file has `last_page`    nothing can lie beyond the end, and no page is read
 *     the file is shorter         all pages are visited: the file was truncated, or LMDB freed its last pages before
 *                                 LMDB wrote these pages, which is no damage
 */
int xylem_pages__pages_check(const struct xylem_pages__pages *pages, const char *path, struct xylem_error *err);

#endif
