/*
 * What is known of each page of a damaged file: whether its rows can be those of the newest commit, or are older.
 *
 * A page that a tree leads to is in use. Of the others LMDB's free list tells: a page that the list names holds rows as
 * they were before some commit; a page that the list does not name is in use, and what led to it is damaged. LMDB forgets
 * some pages, which are neither: the counts of pages in the file's own tables tell whether there are any.
 */
#ifndef XYLEM_STORE_SALVAGE_PAGES_H
#define XYLEM_STORE_SALVAGE_PAGES_H

#include "store/page_file.h"

#define XYLEM_STORE__PAGE_SEEN 0x01u     /* nothing more is to be had of it */
#define XYLEM_STORE__PAGE_CHILD 0x02u    /* a page of a tree leads to it, and it is not what it should be */
#define XYLEM_STORE__PAGE_FREE 0x04u     /* the free list names it */
#define XYLEM_STORE__PAGE_NOT_LOST 0x08u /* it is whole, or no commit behind the newest known one can have written it */

struct xylem_store__salvage_pages {
    const struct xylem_store__page_file *file;
    unsigned char *notes;   /* a byte for each page that has data */
    uint64_t free_count;    /* pages that the free list names */
    uint64_t free_rows;     /* nodes of the free list that were read */
    bool free_list_damaged; /* it was not read, or contradicts itself, or the trees */
    bool leaked;            /* LMDB forgot pages: a page that nothing names may be one of them */
};

/* Errors: MEMORY. Release it in any case. */
int xylem_store__salvage_pages_init(struct xylem_store__salvage_pages *pages, const struct xylem_store__page_file *file,
                                    struct xylem_error *err);
void xylem_store__salvage_pages_release(struct xylem_store__salvage_pages *pages);

bool xylem_store__salvage_page_is(const struct xylem_store__salvage_pages *pages, uint64_t number, unsigned note);
/* A page without data is not noted: nothing can be had of it. */
void xylem_store__salvage_page_note(struct xylem_store__salvage_pages *pages, uint64_t number, unsigned note);

/* Takes a row of the free list: the transaction that gave pages back, and their numbers. */
void xylem_store__salvage_pages_free(struct xylem_store__salvage_pages *pages, struct xylem_view key,
                                     struct xylem_view value, uint64_t value_bytes);
/*
 * Once all trees were walked: holds the free list against them. `used_count`: pages that the trees say that they have;
 * UINT64_MAX: not known.
 */
void xylem_store__salvage_pages_judge(struct xylem_store__salvage_pages *pages, uint64_t used_count);

/*
 * Are the rows of a page those of the newest commit, if no tree leads to them? `stated` is the number that the page says
 * that it has: where it is another one, the page may be a copy of that other one.
 */
bool xylem_store__salvage_page_in_use(const struct xylem_store__salvage_pages *pages, uint64_t number, uint64_t stated);
/*
 * Where a meta page is lost: may a newer commit have written a page of which nothing can be read? Then what it redacted and
 * deleted is not known. Once all pages were looked at.
 */
bool xylem_store__salvage_pages_hide(const struct xylem_store__salvage_pages *pages);

#endif
