/*
 * Redacts one entry and its copies. The first half finds and verifies everything, the second half writes. So a damaged
 * store stays unchanged, and a dry run is the first half.
 */
#include "store/redact.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "store/branch.h"
#include "store/log.h"
#include "store/meta.h"
#include "store/outline.h"
#include "store/session.h"

int xylem_store__redact_add(struct xylem_store__redaction *redaction, const struct xylem_entry *entry)
{
    struct xylem_redact_report *report = redaction->report;
    struct xylem_position *targets = xylem_base__with_room(redaction->targets, &redaction->target_capacity,
                                                           redaction->target_count, sizeof *targets);
    if (!targets) {
        return xylem_base__fail_memory(redaction->err);
    }
    redaction->targets = targets;
    redaction->targets[redaction->target_count++] = entry->position;
    if (!(entry->flags & XYLEM_ENTRY_REDACTED)) {
        report->redacted_count++;
        report->redacted_bytes += (uint64_t)entry->payload_bytes + entry->line_bytes;
    }
    if (redaction->options.drop_hash && !(entry->flags & XYLEM_ENTRY_HASH_DROPPED)) {
        report->dropped_count++;
    }
    return XYLEM_OK;
}

/* --- Targets ------------------------------------------------------------------------------------------------------ */

/* The line of an entry as the session has it that owns the entry. */
static int note_line(struct xylem_store__redaction *redaction, const struct xylem_entry *entry)
{
    struct xylem_store__branch branch;
    struct xylem_session owner;
    int code;
    if ((code = xylem_store__branch_read(&branch, redaction->txn, entry->position.branch, redaction->err)) < 0 ||
        (code = xylem_session_read(&owner, redaction->txn, branch.session, redaction->err)) < 0) {
        return code;
    }
    code = xylem_store__line_text(&redaction->payload, entry, NULL, owner.id, NULL);
    return code == XYLEM_E_MEMORY ? xylem_base__fail_memory(redaction->err) : XYLEM_OK; /* damage: no needle */
}

/*
 * Notes the bytes by which a quarantined or torn line is known as a copy of the entry: the id, the kept line, and the
 * payload as a line of pi has it. Custom data is JSON text; a host payload is an object, whose members stand among
 * others in the line.
 */
static int note_needles(struct xylem_store__redaction *redaction, const struct xylem_entry *entry)
{
    struct xylem_view payload = {entry->unverified.payload, entry->payload_bytes};
    int code = xylem_buffer_add(&redaction->id, entry->id.data, entry->id.bytes);
    if (code < 0) {
        return xylem_base__fail_memory(redaction->err);
    }
    if (entry->flags & XYLEM_ENTRY_REDACTED) {
        return XYLEM_OK;
    }
    if (entry->format == XYLEM_FORMAT_LINE) {
        return note_line(redaction, entry);
    }
    if (entry->format == XYLEM_FORMAT_MSGPACK) {
        /* Data that cannot be decoded was never in a line. The record is redacted even so. */
        if (xylem_format__data_decode(&redaction->tree, payload, NULL) == XYLEM_OK) {
            code = xylem_value_json(&redaction->payload, redaction->tree.nodes);
        }
    } else {
        bool object = payload.bytes >= 2 && payload.data[0] == '{' && payload.data[payload.bytes - 1] == '}';
        payload.data += object ? 1 : 0;
        payload.bytes -= object ? 2 : 0;
        code = xylem_buffer_add(&redaction->payload, payload.data, payload.bytes);
    }
    /* A damaged line is no needle. The record is redacted even so. */
    return code < 0 || xylem_entry_imported_line(&redaction->line, entry, NULL) == XYLEM_E_MEMORY
               ? xylem_base__fail_memory(redaction->err)
               : XYLEM_OK;
}

/* A copy has the id and the hash of the named entry. The named entry counts as a copy, too. */
static int visit_copy(void *context, const struct xylem_entry *entry)
{
    struct xylem_store__redaction *redaction = context;
    if (entry->unverified.payload_hash != redaction->payload_hash ||
        !xylem_base__view_equal(entry->id, xylem_base__buffer_view(&redaction->id))) {
        return XYLEM_OK;
    }
    int may = xylem_store__redact_may(redaction, entry->position);
    redaction->report->kept_count += may == 0;
    return may > 0 ? xylem_store__redact_add(redaction, entry) : may;
}

/* --- Sessions of the targets -------------------------------------------------------------------------------------- */

/* Reports the files of the session. */
static int add_sources(struct xylem_store__redaction *redaction, uint64_t session)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_store__source source;
    struct xylem_view key = {NULL, 0};
    struct xylem_view row = {NULL, 0};
    int code = xylem_lmdb__rows_new(&rows, redaction->txn, XYLEM_FORMAT__SOURCES, redaction->err);
    if (code < 0) {
        return code;
    }
    while ((code = xylem_lmdb__rows_next_of(&key, &row, rows, session, redaction->err)) > 0) {
        if ((code = xylem_store__source_decode(&source, redaction->txn, row, redaction->err)) < 0 ||
            (code = xylem_store__redact_source(redaction, source.name)) < 0) {
            break;
        }
        bool hashed = source.order > 0; /* a noted file has no hash */
        if (redaction->options.drop_hash && hashed && xylem_base__add_sized(&redaction->files, key) < 0) {
            code = xylem_base__fail_memory(redaction->err);
            break;
        }
    }
    xylem_lmdb__rows_free(rows);
    return code;
}

/* A session that follows has its files on another machine, and only its owner changes the rows of these files. */
static int visit_session(void *context, const struct xylem_session *session)
{
    struct xylem_store__redaction *redaction = context;
    int has = 0; /* a target */
    for (size_t i = 0; has == 0 && i < redaction->target_count; i++) {
        if (i > 0 && redaction->targets[i].branch == redaction->targets[i - 1].branch) {
            continue; /* a session that shares this target shares the earlier target of the branch, too */
        }
        has = xylem_store__belongs(redaction->txn, session, redaction->targets[i], redaction->err);
    }
    redaction->report->session_count += has > 0 && session->state != XYLEM_SESSION_FREED;
    return has > 0 && !session->owner.data ? add_sources(redaction, session->number) : has < 0 ? has : XYLEM_OK;
}

int xylem_store__redact_find_sessions(struct xylem_store__redaction *redaction)
{
    return xylem_store__each_session(redaction->txn, visit_session, redaction, redaction->err);
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* Redacts the targets without dropping hashes: no check changes. */
static int write_targets(struct xylem_store__redaction *redaction, struct xylem_store__piece *piece)
{
    while (redaction->target_next < redaction->target_count && !xylem_store__piece_full(piece)) {
        struct xylem_position at = redaction->targets[redaction->target_next++];
        struct xylem_entry entry;
        int code = xylem_store__entry_read(&entry, redaction->txn, at, redaction->err);
        if (xylem_store__no_entry(code)) {
            continue; /* freed since the search: the text went with the entry */
        }
        if (code == XYLEM_OK && !(entry.flags & XYLEM_ENTRY_REDACTED) &&
            (code = xylem_store__redact_may(redaction, at)) > 0) {
            piece->written += (uint64_t)entry.payload_bytes + entry.line_bytes;
            code = xylem_store__redact_record(redaction, &entry, entry.unverified.payload_hash, entry.check);
        }
        if (code < 0) {
            return code;
        }
    }
    return redaction->target_next < redaction->target_count;
}

int xylem_store__redact_entries(struct xylem_store__redaction *redaction, struct xylem_store__piece *piece)
{
    struct xylem_base__numbers trees = {NULL, 0, 0};
    uint64_t known = 0;
    int code = XYLEM_OK;
    /* Outlines have text of entries: the outline of every session that may show a target goes. */
    for (size_t i = redaction->target_next; code == XYLEM_OK && i < redaction->target_count; i++) {
        struct xylem_store__branch branch;
        struct xylem_session owner;
        if (redaction->targets[i].branch == known) {
            continue;
        }
        known = redaction->targets[i].branch;
        if ((code = xylem_store__branch_read(&branch, redaction->txn, known, redaction->err)) == XYLEM_OK &&
            (code = xylem_session_read(&owner, redaction->txn, branch.session, redaction->err)) == XYLEM_OK) {
            code = xylem_base__numbers_note(&trees, owner.tree, redaction->err);
        }
        code = xylem_store__no_entry(code) ? XYLEM_OK : code; /* freed since the search */
    }
    xylem_base__numbers_sort(&trees);
    if (code == XYLEM_OK && trees.count > 0) {
        code = xylem_store__outline_drop_trees(redaction->txn, &trees, redaction->err);
        code = code == XYLEM_E_CORRUPT ? xylem_store__outline_clear(redaction->txn, redaction->err) : code;
    }
    free(trees.list);
    if (code < 0) {
        return code;
    }
    return redaction->drops ? xylem_store__redact_drop(redaction, piece) : write_targets(redaction, piece);
}

/* A redaction in pieces has places with old checks in its row: other new checks would not fit them. */
static int check_alone(const struct xylem_store__redaction *redaction)
{
    struct xylem_store__redacting row;
    int noted = xylem_store__redacting_read(&row, redaction->txn, redaction->err);
    return noted <= 0 ? noted
                      : xylem_base__fail(redaction->err, XYLEM_E_BUSY,
                                         "another redaction of %s is under way, or was ended in the middle: "
                                         "xylem_redact_write() finishes it",
                                         xylem_lmdb__path(redaction->txn));
}

int xylem_store__redact_finish(struct xylem_store__redaction *redaction, int found)
{
    struct xylem_store__piece whole = {.bytes_max = 0};
    int code = found;
    assert(found <= 0);
    redaction->drops = redaction->report->dropped_count > 0;
    code = code == XYLEM_OK && redaction->drops && !redaction->options.dry_run ? check_alone(redaction) : code;
    if (code == XYLEM_OK && !redaction->options.dry_run &&
        ((code = xylem_store__removal_note(redaction->txn, XYLEM_STORE__REDACTION, redaction->err)) < 0 ||
         (code = xylem_store__redact_entries(redaction, &whole)) < 0 ||
         (code = xylem_store__redact_lines(redaction)) < 0)) {
        xylem_lmdb__write_failed(redaction->txn, code); /* half a redaction must not be committed */
    }
    if (code == XYLEM_OK && redaction->options.dry_run &&
        !(redaction->report->found = xylem_store__redact_keep(redaction))) {
        code = xylem_base__fail_memory(redaction->err);
    }
    xylem_store__redact_release(redaction);
    return code;
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

static int find_all(struct xylem_store__redaction *redaction, const struct xylem_entry *entry)
{
    bool dropped = (entry->flags & XYLEM_ENTRY_HASH_DROPPED) != 0;
    redaction->report->was_redacted = (entry->flags & XYLEM_ENTRY_REDACTED) != 0;
    redaction->payload_hash = entry->unverified.payload_hash;
    int code = note_needles(redaction, entry);
    if (code < 0) {
        return code;
    }
    /* A dropped hash is random, so no hash tells a copy. */
    code = redaction->options.only_this || dropped
               ? xylem_store__redact_add(redaction, entry)
               : xylem_store__each_entry(redaction->txn, visit_copy, redaction, redaction->err);
    if (code < 0 || (code = xylem_store__redact_find_sessions(redaction)) < 0 ||
        (redaction->report->dropped_count > 0 && (code = xylem_store__redact_verify_behind(redaction)) < 0)) {
        return code;
    }
    code = redaction->options.only_this ? XYLEM_OK : xylem_store__redact_find_lines(redaction);
    return code < 0 ? code : xylem_store__redact_find_sides(redaction);
}

int xylem_store__redact_check_reason(struct xylem_view reason, struct xylem_error *err)
{
    if (reason.bytes == 0) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a redaction needs a reason");
    }
    if (reason.bytes > XYLEM_REASON_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the reason has %zu bytes; at most %u are allowed", reason.bytes,
                                XYLEM_REASON_BYTES_MAX);
    }
    /* An export puts the reason into a line of JSON. */
    return xylem_base__wtf8_valid(reason.data, reason.bytes)
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_MALFORMED, "the reason is not UTF-8");
}

/* Checks the options, and reads the named entry. */
static int begin(struct xylem_entry *entry, struct xylem_store__redaction *redaction, uint64_t session,
                 struct xylem_position position)
{
    struct xylem_error *err = redaction->err;
    struct xylem_session row;
    int code;
    if ((code = xylem_store__redact_check_reason(redaction->options.reason, err)) < 0 ||
        (!redaction->options.dry_run && (code = xylem_lmdb__writable(redaction->txn, err)) < 0) ||
        (code = xylem_session_read(&row, redaction->txn, session, err)) < 0 ||
        (code = xylem_entry_read(entry, redaction->txn, position, err)) < 0 ||
        (code = xylem_store__belongs(redaction->txn, &row, position, err)) < 0) {
        return code;
    }
    if (code == 0) {
        return xylem_base__fail(err, XYLEM_E_NOT_FOUND, "the session %.*s has no entry at " XYLEM_FORMAT__AT_FORMAT,
                                XYLEM_BASE__SHOWN(row.id), XYLEM_FORMAT__AT_ARGUMENTS(position));
    }
    struct xylem_store__branch branch;
    struct xylem_session owner; /* of the entry: a fork may share an entry of a session that follows */
    if ((code = xylem_store__branch_read(&branch, redaction->txn, position.branch, err)) < 0 ||
        (code = xylem_session_read(&owner, redaction->txn, branch.session, err)) < 0) {
        return code;
    }
    return xylem_store__owned_check(&owner, err);
}

int xylem_redact(struct xylem_redact_report *report, struct xylem_txn *txn, uint64_t session,
                 struct xylem_position position, const struct xylem_redact_options *options, struct xylem_error *err)
{
    memset(report, 0, sizeof *report);
    if (!txn || !options) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a redaction needs a transaction and options with a reason");
    }
    struct xylem_store__redaction redaction = {.txn = txn, .report = report, .options = *options, .err = err};
    struct xylem_entry entry;
    int code = begin(&entry, &redaction, session, position);
    return xylem_store__redact_finish(&redaction, code < 0 ? code : find_all(&redaction, &entry));
}

/* Redacts the entries of a list that drop their hashes, or the others. */
static int follow(uint64_t *redacted_count, struct xylem_txn *txn, const struct xylem_store__taken *list, size_t count,
                  bool drops, struct xylem_error *err)
{
    struct xylem_redact_report report;
    struct xylem_store__piece whole = {.bytes_max = 0};
    struct xylem_store__taken *taken = calloc(count, sizeof *taken);
    struct xylem_store__redaction redaction = {
        .txn = txn, .report = &report, .options = {.drop_hash = drops, .only_this = true}, .taken = taken, .err = err};
    memset(&report, 0, sizeof report);
    int code = taken ? XYLEM_OK : xylem_base__fail_memory(err);
    for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
        struct xylem_entry entry;
        unsigned flag = drops ? XYLEM_ENTRY_HASH_DROPPED : XYLEM_ENTRY_REDACTED;
        bool again = redaction.target_count > 0 &&
                     xylem_format__position_equal(taken[redaction.target_count - 1].position, list[i].position);
        code = xylem_entry_read(&entry, txn, list[i].position, err);
        if (code == XYLEM_OK && list[i].drops == drops && !again && !(entry.flags & flag)) {
            taken[redaction.target_count] = list[i];
            code = xylem_store__redact_check_reason(list[i].reason, err);
            code = code < 0 ? code : xylem_store__redact_add(&redaction, &entry);
        }
    }
    redaction.drops = drops;
    if (code == XYLEM_OK && redaction.target_count > 0 &&
        (!drops || ((code = check_alone(&redaction)) == XYLEM_OK &&
                    (code = xylem_store__redact_verify_behind(&redaction)) == XYLEM_OK)) &&
        ((code = xylem_store__removal_note(txn, XYLEM_STORE__REDACTION, err)) < 0 ||
         (code = xylem_store__redact_find_sides(&redaction)) < 0 ||
         (code = xylem_store__redact_entries(&redaction, &whole)) < 0 ||
         (code = xylem_store__redact_lines(&redaction)) < 0)) {
        xylem_lmdb__write_failed(txn, code); /* half a redaction must not be committed */
    }
    *redacted_count += code == XYLEM_OK ? redaction.target_count : 0;
    xylem_store__redact_release(&redaction);
    free(taken);
    return code;
}

int xylem_store__redact_follow(uint64_t *redacted_count, struct xylem_txn *txn, struct xylem_store__taken *list,
                               size_t count, struct xylem_error *err)
{
    *redacted_count = 0;
    if (count == 0) {
        return XYLEM_OK;
    }
    qsort(list, count, sizeof *list, xylem_base__compare_positions);
    int code = follow(redacted_count, txn, list, count, false, err);
    return code < 0 ? code : follow(redacted_count, txn, list, count, true, err);
}

void xylem_redact_report_release(struct xylem_redact_report *report)
{
    if (!report) {
        return;
    }
    for (size_t i = 0; i < report->source_count; i++) {
        free((void *)(uintptr_t)report->sources[i].data);
    }
    free(report->sources);
    xylem_store__redact_free(report->found);
    memset(report, 0, sizeof *report);
}
