/* Checks all pages of an LMDB file, read with pread() and never through the map. */
#ifndef XYLEM_PAGES_CHECK_H
#define XYLEM_PAGES_CHECK_H

#include "store/format/format.h"
#include "store/pages/reach.h"

/* Callbacks of the check. A result other than 0 ends the check with STOPPED. */
struct xylem_pages__pages_listener {
    /* A problem: the page (0: a meta page, or no page), the table (NULL: no table, or unknown), and the text. */
    int (*problem)(void *context, uint64_t page, const char *table, const char *text);
    int (*progress)(void *context, uint64_t page_count); /* after every few pages; may be NULL */
    void *context;
};

struct xylem_pages__pages_found {
    uint64_t used_count;   /* pages to which something leads */
    uint64_t free_count;   /* pages in the free list */
    uint64_t leaked_count; /* pages of neither kind: no damage, only space that nobody uses */
    uint64_t problem_count;
    uint32_t unsound_tables; /* 1 << enum xylem_format__table: LMDB must not read the table, or cannot reach it */
    bool snapshot_gone;      /* later commits wrote over the meta page: nothing else was checked */
};

/*
 * Checks each page to which the free list and the tables of the snapshot `pages->txn_id` lead, reports every problem,
 * and goes on with the pages that can still be read. The rules:
 *
 *   page       number, kind for the level, bounds, nodes (place, size, order, no overlap, no gap), and keys between the
 *              keys of the pages above
 *   tree       depth, counts of pages and rows, no page reached twice
 *   value      the overflow pages of a big value lie in the file
 *   free list  transactions and pages in order and in range, no page twice, no page in use
 *
 * Wrong order of keys and wrong counts do not make LMDB fault: a table with no worse problem is sound.
 * A leaked page is in no tree and no list. LMDB leaks a page that one transaction takes and frees when the list has no
 * room. The check counts leaked pages.
 * Memory: two bits for each page of the file, and one page buffer for each level. Errors: STOPPED, MEMORY, CORRUPT
 * (`fd` or `page_bytes` is not usable).
 */
int xylem_pages__pages_check_all(struct xylem_pages__pages_found *found, const struct xylem_pages__pages *pages,
                                 const struct xylem_pages__pages_listener *listener, struct xylem_error *err);

/* Checks the free list alone, without a comparison with the tables. 0, or the first problem as CORRUPT. */
int xylem_pages__pages_check_free(const struct xylem_pages__pages *pages, const char *path, struct xylem_error *err);

/*
 * Checks the pages of the list of tables, which LMDB reads when a store is opened: places of the nodes, and keys. The
 * values are not checked, as the environment may not be a store. 0, or the first problem as CORRUPT.
 */
int xylem_pages__pages_check_list(const struct xylem_pages__pages *pages, const char *path, struct xylem_error *err);

/*
 * Checks all pages, and has each page copied right after its check. Only long records of the free list are read twice.
 * The snapshot is that of `copy`, also after later commits wrote over its meta page. The first problem ends the call as
 * CORRUPT, with the page and the table in the text; `path` is the directory of the store. The caller syncs the file of
 * the copy, and throws the file away after an error. Memory: as for the check. Errors: CORRUPT, IO,
 * NO_SPACE, MEMORY.
 */
struct xylem_pages__copy;
int xylem_pages__pages_copy(struct xylem_pages__pages_found *found, const struct xylem_pages__pages *pages,
                            const struct xylem_pages__copy *copy, const char *path, struct xylem_error *err);

#endif
