/*
 * Writes what a dry run found, in pieces. The search took seconds and no lock; a piece holds the lock for a moment:
 *
 *     piece 1    lines and torn tails, the first entries; the row `redacting` has the positions of the other entries
 *     piece 2..  more entries; an entry that was redacted before is stepped over
 *     last       the last entries; the row goes
 *
 * A crash between two pieces leaves a sound store with the row, and the next call of anybody goes on with the row. A
 * redaction that drops hashes writes the row with each piece, with the places up to which checks are new.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "format/record.h"
#include "store/meta.h"
#include "store/redact.h"

struct writing {
    struct xylem_store__redaction *redaction;
    struct xylem_store__piece piece;
    uint64_t id; /* of the row, apart from the rows of other redactions */
    bool noted;  /* the row is there */
    size_t next; /* targets before it are written in the pieces before */
};

#define ROW xylem_view_of(XYLEM_FORMAT__META_REDACTING)

void xylem_store__redact_release(struct xylem_store__redaction *redaction)
{
    /* Wipe the copies of the payload: freed memory may reach other code of the process. */
    xylem_base__buffer_wipe(&redaction->payload);
    xylem_base__buffer_wipe(&redaction->line);
    xylem_base__tree_wipe(&redaction->tree);
    xylem_buffer_release(&redaction->id);
    xylem_buffer_release(&redaction->record);
    xylem_buffer_release(&redaction->lines);
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
                                            .tails = redaction->tails,
                                            .files = redaction->files};
    kept->options.reason = (struct xylem_view){copy, reason.bytes};
    redaction->targets = NULL;
    redaction->lines = redaction->tails = redaction->files = (struct xylem_buffer){NULL, 0, 0};
    return kept;
}

/* --- The row ------------------------------------------------------------------------------------------------------ */

struct row {
    uint64_t id;
    struct xylem_view reason;
    uint64_t last_branch; /* 0: no hashes are dropped */
    struct xylem_view targets;
    struct xylem_view behind;
};

#define TARGET_BYTES 16u /* branch, depth */
#define BEHIND_BYTES 24u /* branch, depth, old check above */

/* 1, or 0 without the row. */
static int row_read(struct row *read, struct xylem_txn *txn, struct xylem_error *err)
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
    bool whole = xylem_base__cursor_ended(&cursor) && read->targets.bytes % TARGET_BYTES == 0 &&
                 read->behind.bytes % BEHIND_BYTES == 0;
    return whole ? 1
                 : xylem_base__fail(err, XYLEM_E_CORRUPT,
                                    "%s: the row " XYLEM_FORMAT__META_REDACTING " has a wrong length",
                                    xylem_lmdb__path(txn));
}

static int row_write(const struct writing *writing, struct xylem_txn *txn, struct xylem_error *err)
{
    const struct xylem_store__redaction *redaction = writing->redaction;
    struct xylem_buffer row = {NULL, 0, 0};
    struct xylem_buffer targets = {NULL, 0, 0};
    struct xylem_buffer behind = {NULL, 0, 0};
    int code = XYLEM_OK;
    for (size_t i = redaction->target_next; code == XYLEM_OK && i < redaction->target_count; i++) {
        const uint64_t at[] = {redaction->targets[i].branch, redaction->targets[i].depth};
        code = xylem_base__add_u64s(&targets, at, 2);
    }
    for (size_t i = redaction->behind_next; code == XYLEM_OK && i < redaction->behind_count; i++) {
        const struct xylem_store__behind *next = &redaction->behind[i];
        const uint64_t place[] = {next->branch, next->first_depth, next->above};
        code = xylem_base__add_u64s(&behind, place, 3);
    }
    bool made = code == XYLEM_OK && xylem_base__add_u64s(&row, &writing->id, 1) == XYLEM_OK &&
                xylem_base__add_sized(&row, redaction->options.reason) == XYLEM_OK &&
                xylem_base__add_u64s(&row, &redaction->last_branch, 1) == XYLEM_OK &&
                xylem_base__add_sized(&row, xylem_base__buffer_view(&targets)) == XYLEM_OK &&
                xylem_base__add_sized(&row, xylem_base__buffer_view(&behind)) == XYLEM_OK;
    xylem_buffer_release(&targets);
    xylem_buffer_release(&behind);
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__META, ROW, &row, made, true, err);
}

/* Takes the redaction of the row, without the branches behind. */
static struct xylem_store__redaction *row_redaction(const struct row *row)
{
    struct xylem_store__redaction noted = {.options.reason = row->reason, .drops = row->last_branch != 0};
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row->targets.data, row->targets.bytes);
    noted.targets = calloc(row->targets.bytes / TARGET_BYTES + 1, sizeof *noted.targets);
    while (noted.targets && cursor.left > 0) {
        uint64_t branch = xylem_base__read_u64(&cursor);
        noted.targets[noted.target_count++] = (struct xylem_position){branch, xylem_base__read_u64(&cursor)};
    }
    struct xylem_store__redaction *kept = noted.targets ? xylem_store__redact_keep(&noted) : NULL;
    free(noted.targets);
    return kept;
}

/* Takes the branches behind from the row, as the last piece left them; without the row (NULL) there are none yet. */
static int row_behind(struct xylem_store__redaction *redaction, const struct row *row)
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
    struct row row;
    uint64_t check = 0;
    int code = xylem_format__record_check(&check, above, entry->kind, entry->time_ms, entry->format, entry->id,
                                          entry->unverified.payload_hash, err);
    if (code < 0 || check == entry->check || (code = row_read(&row, txn, err)) <= 0) {
        return code < 0 ? code : check == entry->check;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.behind.data, row.behind.bytes);
    while (cursor.left > 0) {
        struct xylem_position at = {xylem_base__read_u64(&cursor), 0};
        at.depth = xylem_base__read_u64(&cursor);
        above = xylem_base__read_u64(&cursor);
        if (xylem_format__position_equal(at, entry->position)) {
            code = xylem_format__record_check(&check, above, entry->kind, entry->time_ms, entry->format, entry->id,
                                              entry->unverified.payload_hash, err);
            return code < 0 ? code : check == entry->check;
        }
    }
    return 0;
}

/* --- Pieces ------------------------------------------------------------------------------------------------------- */

static int write_piece(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct writing *writing = context;
    struct xylem_store__redaction *redaction = writing->redaction;
    struct row row;
    redaction->txn = txn;
    redaction->err = err;
    redaction->target_next = writing->next;
    int noted = row_read(&row, txn, err);
    if (noted < 0 || (writing->noted && noted == 0)) { /* without the row another process has written the rest */
        return noted;
    }
    if (noted == 1 && row.id != writing->id) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "another redaction of %s is under way", xylem_lmdb__path(txn));
    }
    int code;
    if ((code = row_behind(redaction, noted == 1 ? &row : NULL)) < 0 ||
        (code = xylem_store__removal_note(txn, XYLEM_STORE__REDACTION, err)) < 0 ||
        (!writing->noted && (code = xylem_store__redact_lines(redaction)) < 0) ||
        (code = xylem_store__redact_entries(redaction, &writing->piece)) < 0) {
        return code;
    }
    int more = code;
    if (more == 0) {
        code = noted == 1 ? xylem_lmdb__remove(txn, XYLEM_FORMAT__META, ROW, err) : XYLEM_OK;
    } else if (noted == 0 || redaction->drops) {
        code = row_write(writing, txn, err);
    }
    return code < 0 ? code : more;
}

static int write_all(struct xylem_store *store, struct writing *writing, struct xylem_error *err)
{
    int more;
    do {
        more = xylem_store__write_piece(&writing->piece, store, write_piece, writing, err);
        writing->next = writing->redaction->target_next;
        writing->noted = true;
    } while (more == 1);
    return more;
}

/* Goes on with a redaction that did not end: 1, or 0 without such a redaction. */
static int write_noted(struct xylem_store *store, struct xylem_error *err)
{
    struct writing writing = {.noted = true};
    struct xylem_txn *txn;
    struct row row;
    int code = xylem_begin(&txn, store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    int found = row_read(&row, txn, err);
    if (found == 1 && !(writing.redaction = row_redaction(&row))) {
        found = xylem_base__fail_memory(err);
    }
    writing.id = found == 1 ? row.id : 0;
    xylem_abort(txn);
    code = found == 1 ? write_all(store, &writing, err) : XYLEM_OK;
    xylem_store__redact_free(writing.redaction);
    return code < 0 ? code : found;
}

int xylem_redact_write(struct xylem_redact_report *report, struct xylem_store *store, struct xylem_error *err)
{
    if (!store || (report && !report->found)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "to write a redaction needs a store, and a report of a dry run");
    }
    int noted = write_noted(store, err);
    if (noted < 0 || !report) {
        return noted;
    }
    struct writing writing = {.redaction = report->found};
    writing.redaction->report = report;
    int code = xylem_base__random(&writing.id, sizeof writing.id, err);
    code = code < 0 ? code : write_all(store, &writing, err);
    xylem_store__redact_free(report->found);
    report->found = NULL;
    return code < 0 ? code : noted;
}
