#include "care/repair/salvage_pages.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"

int xylem_repair__salvage_pages_init(struct xylem_repair__salvage_pages *pages,
                                     const struct xylem_pages__page_file *file, struct xylem_error *err)
{
    *pages = (struct xylem_repair__salvage_pages){.file = file, .free_list_damaged = !file->newest_known};
    pages->notes = calloc((size_t)file->data_pages + 1, 1);
    return pages->notes ? XYLEM_OK : xylem_base__fail_memory(err);
}

void xylem_repair__salvage_pages_release(struct xylem_repair__salvage_pages *pages)
{
    free(pages->notes);
    pages->notes = NULL;
}

bool xylem_repair__salvage_page_is(const struct xylem_repair__salvage_pages *pages, uint64_t number, unsigned note)
{
    uint64_t index = xylem_pages__page_file_index(pages->file, number);
    return index != XYLEM_PAGES__NO_PAGE && (pages->notes[index] & note) != 0;
}

void xylem_repair__salvage_page_note(struct xylem_repair__salvage_pages *pages, uint64_t number, unsigned note)
{
    uint64_t index = xylem_pages__page_file_index(pages->file, number);
    if (index != XYLEM_PAGES__NO_PAGE) {
        pages->notes[index] |= (unsigned char)note;
    }
}

/* --- The free list ---------------------------------------------------------------------------------------------- */

/*
 * A row of the free list, with numbers of 8 bytes:
 *
 *   key     | transaction |
 *   value   | count | page | page | ... | unused |        `count` pages, strictly descending
 */
void xylem_repair__salvage_pages_free(struct xylem_repair__salvage_pages *pages, struct xylem_view key,
                                      struct xylem_view value, uint64_t value_bytes)
{
    const struct xylem_pages__page_file *file = pages->file;
    struct xylem_base__cursor names = xylem_base__cursor_of(key.data, key.bytes);
    struct xylem_base__cursor cursor = xylem_base__cursor_of(value.data, value.bytes);
    uint64_t txn = xylem_base__read_u64(&names);
    uint64_t count = xylem_base__read_u64(&cursor);
    uint64_t before = file->metas[file->newest].last_page + 1;
    bool whole = xylem_base__cursor_ended(&names) && !cursor.failed && value.bytes == value_bytes &&
                 count <= cursor.left / 8 && txn <= file->metas[file->newest].txn_id;
    for (uint64_t i = 0; whole && i < count; i++) {
        uint64_t number = xylem_base__read_u64(&cursor);
        whole = number >= XYLEM_PAGES__META_PAGES && number < before &&
                !xylem_repair__salvage_page_is(pages, number, XYLEM_REPAIR__PAGE_FREE);
        /* LMDB does not reuse the pages that a commit freed in the next commit. */
        unsigned not_lost = txn == file->metas[file->newest].txn_id ? XYLEM_REPAIR__PAGE_NOT_LOST : 0u;
        xylem_repair__salvage_page_note(pages, number, XYLEM_REPAIR__PAGE_FREE | not_lost);
        before = number;
    }
    pages->free_list_damaged = pages->free_list_damaged || !whole;
    pages->free_count += whole ? count : 0;
    pages->free_rows++;
}

void xylem_repair__salvage_pages_judge(struct xylem_repair__salvage_pages *pages, uint64_t used_count)
{
    const struct xylem_pages__page_file *file = pages->file;
    if (pages->free_list_damaged) {
        return;
    }
    for (uint64_t i = 0; i < file->data_pages; i++) {
        const unsigned both = XYLEM_REPAIR__PAGE_FREE | XYLEM_REPAIR__PAGE_SEEN;
        pages->free_list_damaged = pages->free_list_damaged || (pages->notes[i] & both) == both;
    }
    uint64_t all = file->metas[file->newest].last_page + 1 - XYLEM_PAGES__META_PAGES;
    bool counted = used_count != UINT64_MAX;
    bool possible = used_count <= all && pages->free_count <= all - used_count;
    pages->free_list_damaged = pages->free_list_damaged ||
                               pages->free_rows != file->metas[file->newest].free_list.rows || (counted && !possible);
    pages->leaked = counted && possible && pages->free_count < all - used_count;
}

/* ---------------------------------------------------------------------------------------------------------------- */

static bool is_in_use(const struct xylem_repair__salvage_pages *pages, uint64_t number)
{
    const unsigned led_to = XYLEM_REPAIR__PAGE_CHILD | XYLEM_REPAIR__PAGE_SEEN;
    return !xylem_repair__salvage_page_is(pages, number, XYLEM_REPAIR__PAGE_FREE) &&
           (!pages->leaked || xylem_repair__salvage_page_is(pages, number, led_to));
}

bool xylem_repair__salvage_page_in_use(const struct xylem_repair__salvage_pages *pages, uint64_t number,
                                       uint64_t stated)
{
    return !pages->free_list_damaged && is_in_use(pages, number) &&
           (stated > pages->file->metas[pages->file->newest].last_page || is_in_use(pages, stated));
}

bool xylem_repair__salvage_pages_hide(const struct xylem_repair__salvage_pages *pages)
{
    const struct xylem_pages__page_file *file = pages->file;
    bool hidden = file->data_pages < file->page_count || file->file_bytes % file->page_bytes != 0;
    for (uint64_t i = 0; !hidden && i < file->data_pages; i++) {
        /* The file has no holes here, so the index is the page number. */
        const unsigned known = XYLEM_REPAIR__PAGE_SEEN | XYLEM_REPAIR__PAGE_NOT_LOST | XYLEM_REPAIR__PAGE_CHILD;
        hidden = i >= XYLEM_PAGES__META_PAGES && (pages->notes[i] & known) == 0;
    }
    return hidden;
}
