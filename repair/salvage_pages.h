/*
 * Notes on the pages of a damaged file: does a page hold rows of the newest commit, or older rows?
 *
 *   a tree leads to the page                         in use
 *   the free list names the page                     free: its rows are as they were before some commit
 *   neither, and the counts of pages add up          in use: the page above is damaged
 *   neither, and pages are left over                 perhaps a page that LMDB forgot: taken for free
 *   neither, and the free list is damaged            taken for free
 */
#ifndef XYLEM_REPAIR_SALVAGE_PAGES_H
#define XYLEM_REPAIR_SALVAGE_PAGES_H

#include "pages/file.h"

#define XYLEM_REPAIR__PAGE_SEEN 0x01u     /* all its rows were read */
#define XYLEM_REPAIR__PAGE_CHILD 0x02u    /* a page of a tree leads to the page, and the page is damaged */
#define XYLEM_REPAIR__PAGE_FREE 0x04u     /* the free list names the page */
#define XYLEM_REPAIR__PAGE_NOT_LOST 0x08u /* whole, or certainly written by no commit behind the newest known one */

struct xylem_repair__salvage_pages {
    const struct xylem_pages__page_file *file;
    unsigned char *notes;   /* a byte for each page with data */
    uint64_t free_count;    /* pages on the free list */
    uint64_t free_rows;     /* rows of the free list, as far as they were read */
    bool free_list_damaged; /* unread, or in contradiction with itself or the trees */
    bool leaked;            /* LMDB forgot pages: any page without a name may be a forgotten page */
};

/* Errors: MEMORY. Release it in any case. */
int xylem_repair__salvage_pages_init(struct xylem_repair__salvage_pages *pages,
                                     const struct xylem_pages__page_file *file, struct xylem_error *err);
void xylem_repair__salvage_pages_release(struct xylem_repair__salvage_pages *pages);

bool xylem_repair__salvage_page_is(const struct xylem_repair__salvage_pages *pages, uint64_t number, unsigned note);
/* Pages without data get no notes. */
void xylem_repair__salvage_page_note(struct xylem_repair__salvage_pages *pages, uint64_t number, unsigned note);

/* Takes a row of the free list: the transaction that gave pages back, and their numbers. */
void xylem_repair__salvage_pages_free(struct xylem_repair__salvage_pages *pages, struct xylem_view key,
                                      struct xylem_view value, uint64_t value_bytes);
/* After the walk of all trees: holds the free list against them. `used_count`: pages of all trees; UINT64_MAX: unknown. */
void xylem_repair__salvage_pages_judge(struct xylem_repair__salvage_pages *pages, uint64_t used_count);

/*
 * Are the rows of a page current, though no tree leads to them? `stated` is the number in the page's header. A page with
 * another page's number may be a copy of the other page.
 */
bool xylem_repair__salvage_page_in_use(const struct xylem_repair__salvage_pages *pages, uint64_t number,
                                       uint64_t stated);
/*
 * Where a meta page is lost, and after the look at all pages: may a newer commit have written a page that is lost, too? Then
 * nobody knows what the newer commit redacted and deleted.
 */
bool xylem_repair__salvage_pages_hide(const struct xylem_repair__salvage_pages *pages);

#endif
