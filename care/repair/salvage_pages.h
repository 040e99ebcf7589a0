/*
 * Notes facts about the pages of a damaged file. A page in use holds rows of the newest commit, any other page holds
 * older rows:
 *
 *   a tree leads to the page                         in use
 *   the free list names the page                     free: the rows are of an earlier commit
 *   neither, and the counts of pages add up          in use: the page above is damaged
 *   neither, and pages are left over                 maybe leaked by LMDB: taken for free
 *   neither, and the free list is damaged            taken for free
 *
 * A file of 10 pages:
 *
 *   page       0     1     2      3      4       5     6      7      8       9
 *              meta  meta  tree   tree   garbled tree  free   free   tree    tree
 *   notes                  SEEN   SEEN   CHILD   SEEN  FREE   FREE   -       SEEN
 *                                        ╰──────── leads to ────────╯
 *
 * Page 4 is damaged, so no walk reaches page 8. The tables' rows state 6 pages of trees, and the free list names 2
 * pages. The counts add up: 6 + 2 are all pages but the meta pages. So page 8 is in use, and the rows of page 8 are
 * current.
 *
 * The free list contradicts itself, and is ignored, if
 *
 *   a row is cut, or has numbers that are not strictly descending, or numbers beyond the snapshot
 *   two rows name the same page
 *   a row is of a transaction after the newest
 *   the number of rows is not the number that the meta page states
 *   a tree leads to a free page
 *   trees and free list together have more pages than the snapshot
 */
#ifndef XYLEM_REPAIR_SALVAGE_PAGES_H
#define XYLEM_REPAIR_SALVAGE_PAGES_H

#include "store/pages/file.h"

#define XYLEM_REPAIR__PAGE_SEEN 0x01u     /* all rows of the page were read */
#define XYLEM_REPAIR__PAGE_CHILD 0x02u    /* a page of a tree leads to the page, and the page is damaged */
#define XYLEM_REPAIR__PAGE_FREE 0x04u     /* the free list names the page */
#define XYLEM_REPAIR__PAGE_NOT_LOST 0x08u /* whole, or not written since the newest known commit */

struct xylem_repair__salvage_pages {
    const struct xylem_pages__page_file *file;
    unsigned char *notes;   /* a byte for each page with data */
    uint64_t free_count;    /* pages on the free list */
    uint64_t free_rows;     /* rows of the free list, as far as they were read */
    bool free_list_damaged; /* unread, or the list contradicts itself or the trees */
    bool leaked;            /* LMDB leaked pages: a page without a note may be a leaked page */
};

/* Errors: MEMORY. The caller releases `pages` also after an error. */
int xylem_repair__salvage_pages_init(struct xylem_repair__salvage_pages *pages,
                                     const struct xylem_pages__page_file *file, struct xylem_error *err);
void xylem_repair__salvage_pages_release(struct xylem_repair__salvage_pages *pages);

bool xylem_repair__salvage_page_is(const struct xylem_repair__salvage_pages *pages, uint64_t number, unsigned note);
/* Pages without data get no notes. */
void xylem_repair__salvage_page_note(struct xylem_repair__salvage_pages *pages, uint64_t number, unsigned note);

/* Takes a row of the free list: the key is the transaction that freed the pages, the value lists the pages. */
void xylem_repair__salvage_pages_free(struct xylem_repair__salvage_pages *pages, struct xylem_view key,
                                      struct xylem_view value, uint64_t value_bytes);
/*
 * Compares the free list with the trees, after the walk of all trees. `used_count`: pages of all trees; UINT64_MAX:
 * unknown.
 */
void xylem_repair__salvage_pages_judge(struct xylem_repair__salvage_pages *pages, uint64_t used_count);

/*
 * True if the rows of a page are current though no tree leads to the page. `stated` is the number in the page's header:
 * a page with the number of another page may be a copy of the other page, so both must be in use.
 */
bool xylem_repair__salvage_page_in_use(const struct xylem_repair__salvage_pages *pages, uint64_t number,
                                       uint64_t stated);
/*
 * For a file with a lost meta page, after the scan of all pages: true if a lost page may be of a newer commit. The
 * redactions and deletions of the newer commit are then unknown.
 */
bool xylem_repair__salvage_pages_hide(const struct xylem_repair__salvage_pages *pages);

#endif
