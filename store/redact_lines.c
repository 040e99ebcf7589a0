/*
 * Redacts quarantined lines, torn last lines of session files, and rows beside entries: each may be a copy of a
 * redacted entry.
 */
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/format/keys.h"
#include "store/redact.h"
#include "store/side.h"

#define NEEDLE_BYTES_MIN 8u /* shorter bytes are in other lines by chance */

static bool has_bytes(struct xylem_view line, const struct xylem_buffer *needle)
{
    return needle->bytes >= NEEDLE_BYTES_MIN && line.bytes >= needle->bytes &&
           memmem(line.data, line.bytes, needle->data, needle->bytes) != NULL;
}

/* 1 if the line has the id or the bytes of a redacted entry, or a match; else 0. */
static int is_meant(struct xylem_store__redaction *redaction, struct xylem_view line)
{
    struct xylem_view id = xylem_base__buffer_view(&redaction->id);
    if (line.bytes == 0) {
        return 0;
    }
    if (redaction->matcher) {
        return redaction->matcher->line(redaction->matcher->context, line, redaction->err);
    }
    if (has_bytes(line, &redaction->payload) || has_bytes(line, &redaction->line)) {
        return 1;
    }
    return xylem_format__line_names(&redaction->tree, line, &id, 1, redaction->err);
}

/* Tells a match: 1 if the line is taken, or 0 if the line stays, since its session follows another store. */
static int tell(struct xylem_store__redaction *redaction, enum xylem_match_place place, struct xylem_view key,
                uint64_t number, bool always)
{
    int follows = xylem_store__redact_follows(redaction, xylem_format__key_first(key));
    struct xylem_match match = {
        .place = place, .taken = always || follows == 0, .session = xylem_format__key_first(key), .number = number};
    if (follows < 0) {
        return follows;
    }
    redaction->report->kept_count += !match.taken && !redaction->matcher;
    int code = redaction->matcher ? xylem_store__redact_tell(redaction, &match) : XYLEM_OK;
    return code < 0 ? code : match.taken;
}

static int visit_line(void *context, struct xylem_view key, struct xylem_view row)
{
    struct xylem_store__redaction *redaction = context;
    struct xylem_quarantined line;
    if (!xylem_store__redact_in_scope(redaction, xylem_format__key_first(key))) {
        return XYLEM_OK;
    }
    int code;
    if ((code = xylem_store__quarantine_decode(&line, key, row, redaction->err)) < 0 ||
        (code = is_meant(redaction, line.raw)) <= 0 ||
        (code = tell(redaction, XYLEM_MATCH_QUARANTINE, key, line.line, false)) <= 0) {
        return code;
    }
    redaction->report->quarantined_count++;
    return xylem_base__add_sized(&redaction->lines, key) < 0 ? xylem_base__fail_memory(redaction->err)
                                                             : xylem_store__redact_source(redaction, line.source);
}

static int visit_source(void *context, struct xylem_view key, struct xylem_view row)
{
    struct xylem_store__redaction *redaction = context;
    struct xylem_store__source source;
    if (!xylem_store__redact_in_scope(redaction, xylem_format__key_first(key))) {
        return XYLEM_OK;
    }
    int code;
    if ((code = xylem_store__source_decode(&source, redaction->txn, row, redaction->err)) < 0 ||
        (code = is_meant(redaction, source.tail)) <= 0 ||
        (code = tell(redaction, XYLEM_MATCH_TAIL, key, 0, false)) <= 0) {
        return code;
    }
    redaction->report->tail_count++;
    return xylem_base__add_sized(&redaction->tails, key) < 0 ? xylem_base__fail_memory(redaction->err)
                                                             : xylem_store__redact_source(redaction, source.name);
}

/* 1 if a line with values of a session, but without its id, has a match, or is gone but for them; else 0. */
static int line_matches(struct xylem_store__redaction *redaction, const struct xylem_side *side)
{
    struct xylem_entry entry;
    struct xylem_buffer line = {NULL, 0, 0};
    int code;
    if ((code = xylem_entry_read(&entry, redaction->txn, side->position, redaction->err)) == XYLEM_OK &&
        (code = xylem_store__line_text(&line, &entry, &side->values, (struct xylem_view){"", 0}, redaction->err)) ==
            XYLEM_OK) {
        code = is_meant(redaction, xylem_base__buffer_view(&line));
    }
    xylem_base__buffer_wipe(&line);
    return code == XYLEM_E_REDACTED ? 1 : code;
}

/*
 * A row goes in these cases:
 *
 *     values of a target, of any session, also if it follows another store
 *     a record that names an entry or has its text, or has a match
 *     values with which the line of a searched session has a match
 */
static int visit_side(void *context, struct xylem_view key, struct xylem_view row)
{
    struct xylem_store__redaction *redaction = context;
    struct xylem_side side;
    uint64_t session = xylem_format__key_first(key);
    if (xylem_store__side_decode(&side, row) < 0) {
        return xylem_base__fail(redaction->err, XYLEM_E_CORRUPT, "a row of the table sides has invalid fields");
    }
    bool values = side.type == XYLEM_SIDE_VALUES;
    if (side.redacted || (!values && side.type != XYLEM_SIDE_RECORD)) {
        return XYLEM_OK;
    }
    bool always = values && xylem_store__redact_is_target(redaction, side.position);
    int meant = always;
    bool searched = !redaction->options.only_this && xylem_store__redact_in_scope(redaction, session);
    if (meant == 0 && searched && (!values || redaction->matcher)) {
        meant = values ? line_matches(redaction, &side) : is_meant(redaction, side.bytes);
    }
    int code = meant <= 0 ? meant : tell(redaction, XYLEM_MATCH_SIDE, key, 0, always);
    if (code <= 0) {
        return code;
    }
    redaction->report->side_count++;
    return xylem_base__add_sized(&redaction->sides, key) < 0 ? xylem_base__fail_memory(redaction->err) : XYLEM_OK;
}

int xylem_store__redact_find_sides(struct xylem_store__redaction *redaction)
{
    return xylem_lmdb__each_row(redaction->txn, XYLEM_FORMAT__SIDES, visit_side, redaction, redaction->err);
}

int xylem_store__redact_find_lines(struct xylem_store__redaction *redaction)
{
    struct xylem_txn *txn = redaction->txn;
    int code = xylem_lmdb__each_row(txn, XYLEM_FORMAT__QUARANTINE, visit_line, redaction, redaction->err);
    return code < 0 ? code : xylem_lmdb__each_row(txn, XYLEM_FORMAT__SOURCES, visit_source, redaction, redaction->err);
}

/* 1 and the row; or 0: the row is gone since the search, or its session follows another store. */
static int read_own(struct xylem_view *row, const struct xylem_store__redaction *redaction,
                    enum xylem_format__table table, struct xylem_view key)
{
    int found = xylem_lmdb__get_summed(row, redaction->txn, table, key, redaction->err);
    int follows = found > 0 ? xylem_store__redact_follows(redaction, xylem_format__key_first(key)) : 0;
    return follows < 0 ? follows : follows > 0 ? 0 : found;
}

/*
 * Empties the torn line of a source. The length of the line stays in the row, so that an import sees whether the file
 * changed. With `hashes` the hashes of the consumed bytes go instead: with the other lines of the file they confirm a
 * guess of a line. The next import of the file matches every line.
 */
static int redact_file(struct xylem_store__redaction *redaction, struct xylem_view key, bool hashes)
{
    struct xylem_view row = {NULL, 0};
    struct xylem_store__source source;
    int code = read_own(&row, redaction, XYLEM_FORMAT__SOURCES, key);
    if (code <= 0 || (code = xylem_store__source_decode(&source, redaction->txn, row, redaction->err)) < 0) {
        return code;
    }
    if (!hashes) {
        source.tail = (struct xylem_view){NULL, 0};
    } else if ((code = xylem_base__random(&source.hash, sizeof source.hash, redaction->err)) < 0) {
        return code;
    }
    source.growth.known = source.growth.known && !hashes;
    return xylem_store__source_write(redaction->txn, xylem_format__key_first(key), &source, redaction->err);
}

/* A row of a session that follows another store is not told: its changes are those of its owner. */
static int redact_side(struct xylem_store__redaction *redaction, struct xylem_view key)
{
    struct xylem_side side;
    uint64_t session = xylem_format__key_first(key);
    uint64_t lsn = 0;
    if (!xylem_format__key_read_pair(&session, &lsn, key)) {
        return XYLEM_OK;
    }
    int found = xylem_store__side_find(&side, redaction->txn, session, lsn, redaction->err);
    int follows = found > 0 ? xylem_store__redact_follows(redaction, session) : found;
    if (found <= 0 || follows < 0) {
        return found < 0 ? found : follows;
    }
    struct xylem_view reason = xylem_store__redact_reason(redaction, side.position);
    return follows == 0 ? xylem_store__side_redact(redaction->txn, session, lsn, reason, redaction->err)
           : side.type == XYLEM_SIDE_VALUES
               ? xylem_store__side_follow(redaction->txn, session, lsn, reason, redaction->err)
               : XYLEM_OK;
}

static int redact_sides(struct xylem_store__redaction *redaction)
{
    struct xylem_base__cursor sides = xylem_base__cursor_of(redaction->sides.data, redaction->sides.bytes);
    int code = XYLEM_OK;
    while (code >= 0 && sides.left > 0) {
        code = redact_side(redaction, xylem_base__read_sized(&sides));
    }
    return code < 0 ? code : XYLEM_OK;
}

int xylem_store__redact_values(struct xylem_store__redaction *redaction)
{
    bool only_this = redaction->options.only_this;
    xylem_base__buffer_clear(&redaction->sides);
    redaction->options.only_this = true;
    int code = xylem_store__redact_find_sides(redaction);
    redaction->options.only_this = only_this;
    return code < 0 ? code : redact_sides(redaction);
}

int xylem_store__redact_lines(struct xylem_store__redaction *redaction)
{
    int code = XYLEM_OK;
    struct xylem_base__cursor lines = xylem_base__cursor_of(redaction->lines.data, redaction->lines.bytes);
    while (code == XYLEM_OK && lines.left > 0) {
        struct xylem_view key = xylem_base__read_sized(&lines);
        struct xylem_view row = {NULL, 0};
        code = read_own(&row, redaction, XYLEM_FORMAT__QUARANTINE, key);
        code = code <= 0 ? code : xylem_store__quarantine_redact(redaction->txn, key, redaction->err);
    }
    code = code == XYLEM_OK ? redact_sides(redaction) : code;
    struct xylem_base__cursor tails = xylem_base__cursor_of(redaction->tails.data, redaction->tails.bytes);
    while (code == XYLEM_OK && tails.left > 0) {
        code = redact_file(redaction, xylem_base__read_sized(&tails), false);
    }
    struct xylem_base__cursor files = xylem_base__cursor_of(redaction->files.data, redaction->files.bytes);
    while (code == XYLEM_OK && files.left > 0) {
        code = redact_file(redaction, xylem_base__read_sized(&files), true);
    }
    return code;
}
