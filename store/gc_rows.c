/* Frees rows. Each row is read and verified before its removal, so a damaged row is an error. */
#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/numbers.h"
#include "store/feed.h"
#include "store/gc.h"
#include "store/format/keys.h"
#include "store/log.h"
#include "store/lmdb/tables.h"

/* Entries are freed in chunks, the last entries of a branch first: a piece may end behind each chunk. */
#define CHUNK_ENTRIES 4096u

static void count_row(struct xylem_store__gc *gc, size_t bytes)
{
    gc->freed.row_count++;
    gc->freed.bytes += bytes;
    gc->piece->written += bytes;
}

int xylem_store__gc_row(struct xylem_store__gc *gc, enum xylem_format__table table, struct xylem_view key)
{
    struct xylem_view value = {NULL, 0};
    int found = xylem_lmdb__get(&value, gc->txn, table, key, gc->err);
    if (found <= 0) {
        return found < 0
                   ? found
                   : xylem_base__fail(gc->err, XYLEM_E_CORRUPT, "%s: the table %s lacks a row of session %" PRIu64,
                                      xylem_lmdb__path(gc->txn), xylem_format__table_name(table), gc->freed.session);
    }
    count_row(gc, key.bytes + value.bytes);
    return gc->dry_run ? XYLEM_OK : xylem_lmdb__remove(gc->txn, table, key, gc->err);
}

/* Finds the first row of the session: 1 and its key, or 0. `count`: counts all rows of the session. */
static int visit_rows(struct xylem_format__key *first, struct xylem_store__gc *gc, enum xylem_format__table table,
                      bool count)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_format__key session;
    int code = xylem_lmdb__rows_new(&rows, gc->txn, table, gc->err);
    if (code < 0) {
        return code;
    }
    struct xylem_view value = {NULL, 0};
    xylem_format__key_u64(&session, gc->freed.session);
    struct xylem_view key = session.view;
    int found = xylem_lmdb__rows_step(&key, &value, rows, XYLEM_LMDB__AT_OR_AFTER, gc->err);
    int any = found > 0 && xylem_base__view_begins(key, session.view);
    if (any) {
        memcpy(first->bytes, key.data, key.bytes);
        first->view = (struct xylem_view){(const char *)first->bytes, key.bytes};
    }
    while (count && found > 0 && xylem_base__view_begins(key, session.view)) {
        count_row(gc, key.bytes + value.bytes);
        /* A damaged key may make a row of another session look like a row of this session. */
        code = xylem_lmdb__check_summed(&value, gc->txn, table, key, gc->err);
        found = code < 0 ? code : xylem_lmdb__rows_step(&key, &value, rows, XYLEM_LMDB__NEXT, gc->err);
        code = found < 0 ? found : xylem_lmdb__rows_prove(rows, gc->err);
        found = code < 0 ? code : found;
    }
    xylem_lmdb__rows_free(rows);
    if (found < 0 || any) {
        return found < 0 ? found : 1;
    }
    return xylem_lmdb__check_absence(gc->txn, table, session.view, gc->err);
}

int xylem_store__gc_rows_of(struct xylem_store__gc *gc, enum xylem_format__table table)
{
    struct xylem_format__key key;
    int found = visit_rows(&key, gc, table, true);
    while (found > 0 && !gc->dry_run) {
        int code = xylem_lmdb__remove(gc->txn, table, key.view, gc->err);
        found = code < 0 ? code : visit_rows(&key, gc, table, false);
    }
    return found < 0 ? found : XYLEM_OK;
}

/* --- Entries ---------------------------------------------------------------------------------------------------- */

static void key_of_id(struct xylem_format__key *key, const struct xylem_store__gc *gc, uint64_t tree,
                      const struct xylem_store__freed_entry *entry, uint64_t branch)
{
    xylem_format__key_id(key, &(struct xylem_format__id_place){
                                  tree, (uint32_t)(entry->id_hash >> 32), gc->freed.session, {branch, entry->depth}});
}

static int read_entry(struct xylem_store__freed_entry *noted, struct xylem_store__gc *gc, uint64_t tree,
                      struct xylem_position position, struct xylem_view record)
{
    struct xylem_format__key key;
    struct xylem_entry entry;
    int code = xylem_store__entry_decode(&entry, gc->txn, position, record, gc->err);
    if (code < 0) {
        return code;
    }
    bool minted = (entry.flags & XYLEM_ENTRY_MINTED) != 0;
    *noted = (struct xylem_store__freed_entry){xylem_format__hash(entry.id), position.depth, entry.lsn, minted};
    xylem_format__key_pair(&key, position.branch, position.depth);
    count_row(gc, key.view.bytes + record.bytes);
    if (!minted) {
        key_of_id(&key, gc, tree, noted, position.branch);
        count_row(gc, key.view.bytes + XYLEM_FORMAT__SUM_BYTES);
    }
    gc->freed.entry_count++;
    gc->freed.payload_bytes += entry.payload_bytes;
    return XYLEM_OK;
}

/* Reads `count` entries of consecutive depths. */
static int read_chunk(struct xylem_store__gc *gc, uint64_t tree, uint64_t branch, uint64_t first_depth, size_t count)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_format__key first;
    int code = xylem_lmdb__rows_new(&rows, gc->txn, XYLEM_FORMAT__LOG, gc->err);
    if (code < 0) {
        return code;
    }
    struct xylem_view record = {NULL, 0};
    xylem_format__key_pair(&first, branch, first_depth);
    struct xylem_view key = first.view;
    int found = xylem_lmdb__rows_step(&key, &record, rows, XYLEM_LMDB__AT, gc->err);
    for (size_t i = 0; found >= 0 && i < count; i++) {
        struct xylem_position at = {0, 0};
        struct xylem_position expected = {branch, first_depth + i};
        if (found == 0 || !xylem_format__key_read_pair(&at.branch, &at.depth, key) ||
            !xylem_format__position_equal(at, expected)) {
            found = xylem_base__fail(gc->err, XYLEM_E_CORRUPT,
                                     "branch %" PRIu64 " has no entry of depth %" PRIu64 ", but deeper entries", branch,
                                     expected.depth);
            break;
        }
        code = read_entry(&gc->chunk[i], gc, tree, at, record);
        found = code < 0 ? code : 1;
        if (found > 0 && i + 1 < count) {
            found = xylem_lmdb__rows_step(&key, &record, rows, XYLEM_LMDB__NEXT, gc->err);
        }
    }
    xylem_lmdb__rows_free(rows);
    return found < 0 ? found : XYLEM_OK;
}

static_assert(offsetof(struct xylem_store__freed_entry, id_hash) == 0, "sorted by the leading number");

/* Removes the rows of the ids of the chunk in the order of the table, so that LMDB visits each page once. */
static int free_ids(struct xylem_store__gc *gc, uint64_t tree, uint64_t branch, size_t count)
{
    int code = XYLEM_OK;
    qsort(gc->chunk, count, sizeof *gc->chunk, xylem_base__compare_numbers); /* by hash */
    for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
        struct xylem_format__key key;
        if (gc->chunk[i].minted) {
            continue;
        }
        key_of_id(&key, gc, tree, &gc->chunk[i], branch);
        int removed = xylem_lmdb__remove_there(gc->txn, XYLEM_FORMAT__IDS, key.view, gc->err);
        code = removed != 0
                   ? (removed < 0 ? removed : XYLEM_OK)
                   : xylem_base__fail(gc->err, XYLEM_E_CORRUPT,
                                      "the table ids has no row for the entry at branch %" PRIu64 ", depth %" PRIu64,
                                      branch, gc->chunk[i].depth);
    }
    return code;
}

static int free_chunk(struct xylem_store__gc *gc, uint64_t tree, uint64_t branch, uint64_t first_depth, size_t count)
{
    const struct xylem_store__freed_entry *chunk = gc->chunk;
    int code = read_chunk(gc, tree, branch, first_depth, count);
    if (code < 0 || gc->dry_run) {
        return code;
    }
    for (size_t first = 0; code == XYLEM_OK && first < count;) { /* one call for each run of consecutive lsns */
        size_t last = first;
        while (last + 1 < count && chunk[last + 1].lsn == chunk[last].lsn + 1) {
            last++;
        }
        struct xylem_store__feed run = {
            .first_lsn = chunk[first].lsn, .last_lsn = chunk[last].lsn, .position = {branch, chunk[first].depth}};
        code = xylem_store__feed_free(gc->txn, &run, gc->err);
        first = last + 1;
    }
    code = code < 0 ? code : free_ids(gc, tree, branch, count);
    for (size_t i = count; code == XYLEM_OK && i > 0; i--) {
        struct xylem_format__key key;
        xylem_format__key_pair(&key, branch, first_depth + i - 1);
        code = xylem_lmdb__remove(gc->txn, XYLEM_FORMAT__LOG, key.view, gc->err);
    }
    return code;
}

int xylem_store__gc_entries(struct xylem_store__gc *gc, uint64_t tree, uint64_t branch, uint64_t first_depth,
                            uint64_t *last_depth)
{
    assert(first_depth > 0 && first_depth <= *last_depth);
    if (!gc->chunk && !(gc->chunk = calloc(CHUNK_ENTRIES, sizeof *gc->chunk))) {
        return xylem_base__fail_memory(gc->err);
    }
    int code = XYLEM_OK;
    while (code == XYLEM_OK && *last_depth >= first_depth && !xylem_store__piece_full(gc->piece)) {
        uint64_t left = *last_depth - first_depth + 1;
        uint64_t count = left < CHUNK_ENTRIES ? left : CHUNK_ENTRIES;
        *last_depth -= count;
        code = free_chunk(gc, tree, branch, *last_depth + 1, (size_t)count);
    }
    return code;
}
