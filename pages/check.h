/* The complete look at the pages of an LMDB file, read with pread() and never through the map. */
#ifndef XYLEM_PAGES_CHECK_H
#define XYLEM_PAGES_CHECK_H

#include "format/format.h"
#include "pages/reach.h"

/* Who hears of it. Anything but 0 from one of them ends the check with STOPPED. */
struct xylem_pages__pages_listener {
    /* A problem: its page (0 if it is one of the meta pages, or none), its table (NULL: none, or not known), and what. */
    int (*problem)(void *context, uint64_t page, const char *table, const char *text);
    int (*progress)(void *context, uint64_t page_count); /* after every few pages; may be NULL */
    void *context;
};

struct xylem_pages__pages_found {
    uint64_t used_count;   /* pages that something leads to */
    uint64_t free_count;   /* pages that the free list has */
    uint64_t leaked_count; /* pages that neither has: no damage, only room that nobody uses */
    uint64_t problem_count;
    uint32_t unsound_tables; /* 1 << enum xylem_format__table: LMDB must not be let near it, or cannot reach it */
    bool snapshot_gone;      /* no meta page is of that transaction any more; nothing else was looked at */
};

/*
 * Looks at each page that the free list and the tables of the snapshot `pages->txn_id` lead to. Of a page: its number,
 * its kind for its level, its bounds, its nodes (place, size, order, and that they neither overlap nor leave a gap), its
 * keys against those of the pages above it. Of a tree: its depth, its counts of pages and rows, and that no page is
 * reached twice. Of a value on pages of its own: that they lie in the file. Of the free list: its transactions and pages
 * in order and in range, none of them twice, none in use. Reports every problem and goes on with what can still be read.
 * Keys that are out of order and counts that are wrong do not make LMDB fault: a table with nothing worse is sound.
 * A page that was given back within the transaction that took it may be in no list (LMDB forgets it where there is no
 * room to note it): such pages are counted, and are no damage.
 * Memory: two bits for each page of the file, and as many pages as its trees are deep. Errors: STOPPED, MEMORY, CORRUPT (`fd` or
 * `page_bytes` cannot be).
 */
int xylem_pages__pages_check_all(struct xylem_pages__pages_found *found, const struct xylem_pages__pages *pages,
                                 const struct xylem_pages__pages_listener *listener, struct xylem_error *err);

/* The free list alone, against itself: what a writer takes its pages from. 0, or the first problem as CORRUPT. */
int xylem_pages__pages_check_free(const struct xylem_pages__pages *pages, const char *path, struct xylem_error *err);

/*
 * The pages of the list of tables, which LMDB reads when a store is opened: where their nodes lie, and their keys. What
 * the nodes say is left alone, as the environment may be somebody else's. 0, or the first problem as CORRUPT.
 */
int xylem_pages__pages_check_list(const struct xylem_pages__pages *pages, const char *path, struct xylem_error *err);

#endif
