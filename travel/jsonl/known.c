/*
 * Handles lines of entries that the session has already, and notes displaced lines: entries that the file has in
 * another order than the lsns.
 *
 * An export goes through the imported entries by ascending lsn, and gives each entry the next free line number: a
 * number that no displaced and no quarantined line has. Entries of lines in this order need no note. The line of every
 * other entry is noted (displaced):
 *
 *     line    2    3    4    5      line 5 is the parent of line 4, and was placed before its turn
 *     lsn    11   12   14   13      noted: lsn 13 stands in line 5
 *
 * Also noted: an entry appended by the host and found in the file later, and an entry without a line (NO_LINE).
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/numbers.h"
#include "travel/jsonl/import.h"
#include "travel/jsonl/render.h"

int xylem_jsonl__same_as_stored(struct xylem_entry *entry, struct xylem_jsonl__placing *placing,
                                struct xylem_position stored, struct xylem_position parent, struct xylem_view text,
                                struct xylem_error *err)
{
    int code = xylem_entry_read(entry, placing->batch.txn, stored, err);
    if (code < 0) {
        return code;
    }
    if (!xylem_format__position_equal(entry->parent, parent)) {
        return 0;
    }
    if (entry->flags & XYLEM_ENTRY_REDACTED) {
        return 1; /* a difference would put the redacted bytes into quarantine */
    }
    struct xylem_entry above = {.id = {NULL, 0}};
    bool is_root = xylem_format__position_none(parent);
    if (!is_root && (code = xylem_entry_read(&above, placing->batch.txn, parent, err)) < 0) {
        return code;
    }
    xylem_base__buffer_clear(&placing->stored);
    if (xylem_jsonl__reserve(&placing->stored, text.bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    code = xylem_jsonl__entry_line(&placing->stored, &placing->reader->parser.data, entry, is_root ? NULL : &above.id,
                                   err);
    return code < 0 ? code : xylem_base__view_equal(xylem_base__buffer_view(&placing->stored), text);
}

int xylem_jsonl__note_lsn(struct xylem_jsonl__placing *placing, uint64_t lsn, uint64_t line, bool displaced,
                          struct xylem_error *err)
{
    if (!placing->gives_order) {
        return XYLEM_OK;
    }
    if (!displaced && lsn > placing->progress.lsn_max) {
        placing->progress.lsn_max = lsn;
        return XYLEM_OK;
    }
    size_t count = placing->displaced.count;
    struct xylem_store__displaced *items =
        xylem_base__with_room(placing->displaced.items, &placing->displaced.capacity, count, sizeof *items);
    if (!items) {
        return xylem_base__fail_memory(err);
    }
    placing->displaced.items = items;
    placing->displaced.unsorted = placing->displaced.unsorted || (count > 0 && lsn <= items[count - 1].lsn);
    items[placing->displaced.count++] = (struct xylem_store__displaced){.lsn = lsn, .line = line};
    return XYLEM_OK;
}

static int compare_displaced(const void *left, const void *right)
{
    const struct xylem_store__displaced *a = left;
    const struct xylem_store__displaced *b = right;
    int order = xylem_base__compare_numbers(&a->lsn, &b->lsn);
    return order != 0 ? order : xylem_base__compare_numbers(&a->line, &b->line);
}

void xylem_jsonl__sort_lsns(struct xylem_jsonl__displaced *displaced)
{
    if (!displaced->unsorted) {
        return; /* the usual case: the lsns of new entries ascend */
    }
    struct xylem_store__displaced *items = displaced->items;
    qsort(items, displaced->count, sizeof *items, compare_displaced);
    size_t kept = 0;
    for (size_t i = 0; i < displaced->count; i++) {
        /* An entry that lost its line and got a line again has two notes. The line sorts before NO_LINE, and stays. */
        if (kept == 0 || items[kept - 1].lsn != items[i].lsn) {
            items[kept++] = items[i];
        }
    }
    displaced->count = kept;
    displaced->unsorted = false;
}

bool xylem_jsonl__is_dealt_with(const struct xylem_jsonl__placing *placing, uint32_t row)
{
    return row < placing->progress.cursor ||
           (xylem_jsonl__index_row(&placing->reader->index, row)->state & XYLEM_JSONL__AHEAD) != 0;
}

void xylem_jsonl__forget_lsns(struct xylem_jsonl__placing *placing)
{
    struct xylem_store__displaced *items = placing->displaced.items;
    size_t kept = 0;
    for (size_t i = 0; i < placing->displaced.count; i++) {
        uint64_t row = items[i].line - placing->reader->index.first_line; /* wraps for a consumed line */
        if (items[i].line == XYLEM_STORE__NO_LINE && placing->mode == XYLEM_JSONL__MODE_CHANGED) {
            continue; /* find_lineless() notes the entry again with the last batch */
        }
        if (row >= placing->reader->index.row_count || xylem_jsonl__is_dealt_with(placing, (uint32_t)row)) {
            items[kept++] = items[i];
        }
    }
    placing->displaced.count = kept;
}
