/*
 * Writes what a dry run found, in pieces. The search took seconds and no lock; a piece holds the lock for a moment:
 *
 *     piece 1    lines and torn tails, the first entries; the row `redacting` has the positions of all entries
 *     piece 2..  more entries; an entry that was redacted before is stepped over
 *     last       the last entries; the row goes
 *
 * A crash between two pieces leaves a sound store with the row, and the next call of anybody goes on with the row. New
 * checks of dropped hashes follow from each other, so a redaction that drops hashes is one piece.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/meta.h"
#include "store/redact.h"

struct writing {
    struct xylem_store__redaction *redaction;
    struct xylem_store__piece piece;
    uint64_t id;    /* of the row, apart from the rows of other redactions */
    bool noted;     /* the row is there */
    size_t next;    /* targets before it are written */
    size_t written; /* the same after this piece */
    uint64_t bytes; /* of this piece */
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

/* Reads the row of the store as a redaction: 1, or 0 without the row. */
static int row_read(struct xylem_store__redaction **redaction, uint64_t *id, struct xylem_txn *txn,
                    struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, ROW, err);
    if (found <= 0) {
        return found;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    *id = xylem_base__read_u64(&cursor);
    struct xylem_store__redaction noted = {.options.reason = xylem_base__read_sized(&cursor)};
    size_t count = cursor.left / sizeof(struct xylem_position);
    if (cursor.failed || cursor.left % sizeof(struct xylem_position) != 0) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the row " XYLEM_FORMAT__META_REDACTING " is too short",
                                xylem_lmdb__path(txn));
    }
    noted.targets = calloc(count + 1, sizeof *noted.targets);
    while (noted.targets && noted.target_count < count) {
        uint64_t branch = xylem_base__read_u64(&cursor);
        noted.targets[noted.target_count++] = (struct xylem_position){branch, xylem_base__read_u64(&cursor)};
    }
    *redaction = noted.targets ? xylem_store__redact_keep(&noted) : NULL;
    free(noted.targets);
    return *redaction ? 1 : xylem_base__fail_memory(err);
}

static int row_write(const struct writing *writing, struct xylem_txn *txn, struct xylem_error *err)
{
    const struct xylem_store__redaction *redaction = writing->redaction;
    struct xylem_buffer row = {NULL, 0, 0};
    bool made = xylem_base__add_u64s(&row, &writing->id, 1) == XYLEM_OK &&
                xylem_base__add_sized(&row, redaction->options.reason) == XYLEM_OK;
    for (size_t i = writing->written; made && i < redaction->target_count; i++) {
        const uint64_t at[] = {redaction->targets[i].branch, redaction->targets[i].depth};
        made = xylem_base__add_u64s(&row, at, 2) == XYLEM_OK;
    }
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__META, ROW, &row, made, true, err);
}

/* 1 if the row is the row of this redaction, 0 without a row. BUSY: the row of another redaction. */
static int row_is_own(const struct writing *writing, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, ROW, err);
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    return found <= 0 || xylem_base__read_u64(&cursor) == writing->id
               ? found
               : xylem_base__fail(err, XYLEM_E_BUSY, "another redaction of %s is under way", xylem_lmdb__path(txn));
}

/* --- Pieces ------------------------------------------------------------------------------------------------------- */

/* Leaves out entries that were freed since the search. Their text went with them. */
static int skip_freed(struct xylem_store__redaction *redaction)
{
    size_t kept = 0;
    for (size_t i = 0; i < redaction->target_count; i++) {
        struct xylem_entry entry;
        int code = xylem_store__entry_read(&entry, redaction->txn, redaction->targets[i], redaction->err);
        if (code < 0 && !xylem_store__no_entry(code)) {
            return code;
        }
        redaction->targets[kept] = redaction->targets[i];
        kept += code == XYLEM_OK;
    }
    redaction->target_count = kept;
    return XYLEM_OK;
}

static int write_entries(struct writing *writing)
{
    struct xylem_store__redaction *redaction = writing->redaction;
    int code = XYLEM_OK;
    while (code == XYLEM_OK && writing->written < redaction->target_count &&
           !xylem_store__piece_full(&writing->piece, writing->bytes)) {
        struct xylem_entry entry;
        code = xylem_store__entry_read(&entry, redaction->txn, redaction->targets[writing->written++], redaction->err);
        if (code == XYLEM_OK && !(entry.flags & XYLEM_ENTRY_REDACTED)) {
            writing->bytes += (uint64_t)entry.payload_bytes + entry.line_bytes;
            code = xylem_store__redact_record(redaction, &entry, entry.unverified.payload_hash, entry.check);
        }
        code = xylem_store__no_entry(code) ? XYLEM_OK : code;
    }
    return code;
}

/* New checks go as far as the branches have grown since the search. */
static int write_dropping(struct writing *writing)
{
    struct xylem_store__redaction *redaction = writing->redaction;
    redaction->behind_count = 0;
    redaction->report->rechecked_count = 0;
    writing->written = redaction->target_count;
    int code = skip_freed(redaction);
    writing->written = redaction->target_count;
    if (code < 0 || (code = xylem_store__redact_find_behind(redaction)) < 0) {
        return code;
    }
    return xylem_store__redact_drop(redaction);
}

static int write_piece(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct writing *writing = context;
    struct xylem_store__redaction *redaction = writing->redaction;
    bool drops = redaction->options.drop_hash && redaction->report && redaction->report->dropped_count > 0;
    redaction->txn = txn;
    redaction->err = err;
    writing->written = writing->next;
    writing->bytes = 0;
    xylem_store__piece_begin(&writing->piece);
    int own = row_is_own(writing, txn, err);
    int code;
    if (own < 0 || (writing->noted && own == 0)) { /* without the row another process has written the rest */
        writing->written = redaction->target_count;
        return own;
    }
    if ((code = xylem_store__removal_note(txn, XYLEM_STORE__REDACTION, err)) < 0 ||
        (writing->next == 0 && (code = xylem_store__redact_lines(redaction)) < 0) ||
        (code = drops ? write_dropping(writing) : write_entries(writing)) < 0) {
        return code;
    }
    bool last = writing->written == redaction->target_count;
    if (last) {
        return own == 1 ? xylem_lmdb__remove(txn, XYLEM_FORMAT__META, ROW, err) : XYLEM_OK;
    }
    return own == 1 ? XYLEM_OK : row_write(writing, txn, err);
}

static int write_all(struct xylem_store *store, struct writing *writing, struct xylem_error *err)
{
    int code = XYLEM_OK;
    writing->piece.bytes_max = UINT64_MAX;
    do {
        code = xylem_store__in_transaction(store, write_piece, writing, err);
        xylem_store__piece_end(&writing->piece, writing->bytes);
        writing->next = writing->written;
        writing->noted = true;
    } while (code >= 0 && writing->next < writing->redaction->target_count);
    return code < 0 ? code : XYLEM_OK;
}

/* Goes on with a redaction that did not end: 1, or 0 without such a redaction. */
static int write_noted(struct xylem_store *store, struct xylem_error *err)
{
    struct writing writing = {.noted = true};
    struct xylem_txn *txn;
    int code = xylem_begin(&txn, store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    int found = row_read(&writing.redaction, &writing.id, txn, err);
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
