/*
 * Holds what a redaction found: in memory, and in the row `redacting` between two pieces of the redaction.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "store/format/record.h"
#include "store/meta.h"
#include "store/redact.h"

void xylem_store__redact_release(struct xylem_store__redaction *redaction)
{
    /* Wipe the copies of the payload: freed memory may reach other code of the process. */
    xylem_base__buffer_wipe(&redaction->payload);
    xylem_base__buffer_wipe(&redaction->line);
    xylem_base__tree_wipe(&redaction->tree);
    xylem_buffer_release(&redaction->id);
    xylem_buffer_release(&redaction->record);
    xylem_buffer_release(&redaction->lines);
    xylem_buffer_release(&redaction->sides);
    xylem_buffer_release(&redaction->tails);
    xylem_buffer_release(&redaction->files);
    free(redaction->sessions.list);
    free(redaction->targets);
    free(redaction->behind);
}

void xylem_store__redact_free(struct xylem_store__redaction *redaction)
{
    if (redaction) {
        free((void *)(uintptr_t)redaction->options.reason.data);
        xylem_store__redact_release(redaction);
        free(redaction);
    }
}

struct xylem_store__redaction *xylem_store__redact_keep(struct xylem_store__redaction *redaction)
{
    struct xylem_store__redaction *kept = malloc(sizeof *kept);
    struct xylem_view reason = redaction->options.reason;
    char *copy = malloc(reason.bytes);
    if (!kept || !copy) {
        free(kept);
        free(copy);
        return NULL;
    }
    memcpy(copy, reason.data, reason.bytes);
    *kept = (struct xylem_store__redaction){.options = redaction->options,
                                            .drops = redaction->drops,
                                            .targets = redaction->targets,
                                            .target_count = redaction->target_count,
                                            .lines = redaction->lines,
                                            .sides = redaction->sides,
                                            .tails = redaction->tails,
                                            .files = redaction->files};
    kept->options.reason = (struct xylem_view){copy, reason.bytes};
    redaction->targets = NULL;
    redaction->lines = redaction->sides = redaction->tails = redaction->files = (struct xylem_buffer){NULL, 0, 0};
    return kept;
}

/* --- The row ------------------------------------------------------------------------------------------------------ */

#define ROW xylem_view_of(XYLEM_FORMAT__META_REDACTING)

#define BEHIND_BYTES 24u /* branch, depth, old check above */

int xylem_store__redacting_read(struct xylem_store__redacting *read, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, ROW, err);
    if (found <= 0) {
        return found;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    read->id = xylem_base__read_u64(&cursor);
    read->reason = xylem_base__read_sized(&cursor);
    read->last_branch = xylem_base__read_u64(&cursor);
    read->targets = xylem_base__read_sized(&cursor);
    read->behind = xylem_base__read_sized(&cursor);
    bool whole = xylem_base__cursor_ended(&cursor) && read->targets.bytes % XYLEM_STORE__TARGET_BYTES == 0 &&
                 read->behind.bytes % BEHIND_BYTES == 0;
    return whole ? 1
                 : xylem_base__fail(err, XYLEM_E_CORRUPT,
                                    "%s: the row " XYLEM_FORMAT__META_REDACTING " has a wrong length",
                                    xylem_lmdb__path(txn));
}

int xylem_store__redacting_write(const struct xylem_store__redaction *redaction, uint64_t id, struct xylem_error *err)
{
    struct xylem_buffer row = {NULL, 0, 0};
    struct xylem_buffer targets = {NULL, 0, 0};
    struct xylem_buffer behind = {NULL, 0, 0};
    int code = XYLEM_OK;
    for (size_t i = redaction->target_next; code == XYLEM_OK && i < redaction->target_count; i++) {
        code = xylem_base__add_position(&targets, redaction->targets[i]);
    }
    for (size_t i = redaction->behind_next; code == XYLEM_OK && i < redaction->behind_count; i++) {
        const struct xylem_store__behind *next = &redaction->behind[i];
        const uint64_t place[] = {next->branch, next->first_depth, next->above};
        code = xylem_base__add_u64s(&behind, place, 3);
    }
    bool made = code == XYLEM_OK && xylem_base__add_u64(&row, id) == XYLEM_OK &&
                xylem_base__add_sized(&row, redaction->options.reason) == XYLEM_OK &&
                xylem_base__add_u64(&row, redaction->last_branch) == XYLEM_OK &&
                xylem_base__add_sized(&row, xylem_base__buffer_view(&targets)) == XYLEM_OK &&
                xylem_base__add_sized(&row, xylem_base__buffer_view(&behind)) == XYLEM_OK;
    xylem_buffer_release(&targets);
    xylem_buffer_release(&behind);
    return xylem_lmdb__put_summed(redaction->txn, XYLEM_FORMAT__META, ROW, &row, made, true, err);
}

struct xylem_store__redaction *xylem_store__redacting_redaction(const struct xylem_store__redacting *row)
{
    struct xylem_store__redaction noted = {.options.reason = row->reason, .drops = row->last_branch != 0};
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row->targets.data, row->targets.bytes);
    noted.targets = calloc(row->targets.bytes / XYLEM_STORE__TARGET_BYTES + 1, sizeof *noted.targets);
    while (noted.targets && cursor.left > 0) {
        noted.targets[noted.target_count++] = xylem_base__read_position(&cursor);
    }
    struct xylem_store__redaction *kept = noted.targets ? xylem_store__redact_keep(&noted) : NULL;
    free(noted.targets);
    return kept;
}

int xylem_store__redacting_behind(struct xylem_store__redaction *redaction, const struct xylem_store__redacting *row)
{
    redaction->behind_next = 0;
    redaction->behind_count = 0;
    redaction->last_branch = row ? row->last_branch : 0;
    struct xylem_view places = row ? row->behind : (struct xylem_view){NULL, 0};
    struct xylem_base__cursor cursor = xylem_base__cursor_of(places.data, places.bytes);
    while (cursor.left > 0) {
        struct xylem_store__behind *behind = xylem_base__with_room(redaction->behind, &redaction->behind_capacity,
                                                                   redaction->behind_count, sizeof *behind);
        if (!behind) {
            return xylem_base__fail_memory(redaction->err);
        }
        redaction->behind = behind;
        behind += redaction->behind_count++;
        behind->branch = xylem_base__read_u64(&cursor);
        behind->first_depth = xylem_base__read_u64(&cursor);
        behind->above = xylem_base__read_u64(&cursor);
    }
    return XYLEM_OK;
}

int xylem_store__check_fits(struct xylem_txn *txn, const struct xylem_entry *entry, uint64_t above,
                            struct xylem_error *err)
{
    struct xylem_store__redacting row;
    uint64_t check = 0;
    int code = xylem_format__record_check(&check, above, entry->kind, entry->time_ms, entry->format, entry->id,
                                          entry->unverified.payload_hash, err);
    if (code < 0 || check == entry->check || (code = xylem_store__redacting_read(&row, txn, err)) <= 0) {
        return code < 0 ? code : check == entry->check;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.behind.data, row.behind.bytes);
    while (cursor.left > 0) {
        struct xylem_position at = xylem_base__read_position(&cursor);
        above = xylem_base__read_u64(&cursor);
        if (xylem_format__position_equal(at, entry->position)) {
            code = xylem_format__record_check(&check, above, entry->kind, entry->time_ms, entry->format, entry->id,
                                              entry->unverified.payload_hash, err);
            return code < 0 ? code : check == entry->check;
        }
    }
    return 0;
}
