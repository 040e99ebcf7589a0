/* Finding out, without reading through the map, whether a file lost pages that are in use. */
#ifndef XYLEM_PAGES_REACH_H
#define XYLEM_PAGES_REACH_H

#include <stdint.h>

#include "xylem.h"

struct xylem_pages__pages {
    int fd; /* of data.mdb */
    uint64_t page_bytes;
    uint64_t last_page; /* what the newest meta page says */
    uint64_t txn_id;    /* of a read transaction that is open, so that its pages stay as they are */
};

/*
 * 0 if every page that can be reached lies in the file. A file that is as long as its meta page says needs no look; a
 * shorter one is normal too, as LMDB leaves pages unwritten that it gave up: then all pages are visited.
 */
int xylem_pages__pages_check(const struct xylem_pages__pages *pages, const char *path, struct xylem_error *err);

#endif
