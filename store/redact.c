/*
 * Taking a payload out of the store: first everything is found and looked at, then it is written. So a store that turns
 * out to be damaged is left as it was, and a dry run is the first half.
 */
#include "store/redact.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "store/branch.h"
#include "format/keys.h"
#include "store/log.h"
#include "store/meta.h"
#include "format/record.h"

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

/* --- What is to be redacted --------------------------------------------------------------------------------------- */

/* The bytes that a line of the entry has in it, if it was rendered as pi does: its data, or its members. */
static int note_needles(struct xylem_store__redaction *redaction, const struct xylem_entry *entry)
{
    struct xylem_view payload = {entry->unverified.payload, entry->payload_bytes};
    struct xylem_view line = {NULL, 0};
    int code = XYLEM_OK;
    if (entry->flags & XYLEM_ENTRY_REDACTED) {
        return XYLEM_OK;
    }
    if (entry->line_bytes > 0) {
        line = (struct xylem_view){(const char *)entry->unverified.line + XYLEM_FORMAT__SUM_BYTES, entry->line_bytes};
    }
    if (entry->format == XYLEM_FORMAT_MSGPACK) {
        /* What cannot be decoded was never in a line; the record is redacted all the same. */
        if (xylem_format__data_decode(&redaction->tree, payload, NULL) == XYLEM_OK) {
            code = xylem_value_json(&redaction->payload, redaction->tree.nodes);
        }
    } else {
        bool object = payload.bytes >= 2 && payload.data[0] == '{' && payload.data[payload.bytes - 1] == '}';
        payload.data += object ? 1 : 0;
        payload.bytes -= object ? 2 : 0;
        code = xylem_buffer_add(&redaction->payload, payload.data, payload.bytes);
    }
    code = code < 0 ? code : xylem_buffer_add(&redaction->line, line.data, line.bytes);
    return code < 0 ? xylem_base__fail_memory(redaction->err) : XYLEM_OK;
}

static int note_entry(struct xylem_store__redaction *redaction, const struct xylem_entry *entry)
{
    redaction->report->was_redacted = (entry->flags & XYLEM_ENTRY_REDACTED) != 0;
    redaction->payload_hash = entry->unverified.payload_hash;
    redaction->dropped = (entry->flags & XYLEM_ENTRY_HASH_DROPPED) != 0;
    if (xylem_buffer_add(&redaction->id, entry->id.data, entry->id.bytes) < 0) {
        return xylem_base__fail_memory(redaction->err);
    }
    return note_needles(redaction, entry);
}

/* A copy has the id and the hash of the entry that was named. The named entry is one of its copies. */
static int visit_copy(void *context, const struct xylem_entry *entry)
{
    struct xylem_store__redaction *redaction = context;
    bool copy = entry->unverified.payload_hash == redaction->payload_hash &&
                xylem_base__view_equal(entry->id, xylem_base__buffer_view(&redaction->id));
    return copy ? xylem_store__redact_add(redaction, entry) : XYLEM_OK;
}

/* --- Whose it is -------------------------------------------------------------------------------------------------- */

/* 1 if one of the entries belongs to the session, else 0. */
static int has_target(const struct xylem_store__redaction *redaction, const struct xylem_session *session)
{
    int belongs = 0;
    for (size_t i = 0; belongs == 0 && i < redaction->target_count; i++) {
        if (i > 0 && redaction->targets[i].branch == redaction->targets[i - 1].branch) {
            continue; /* a session that shares this entry shares the earlier target of the branch, too */
        }
        belongs = xylem_store__belongs(redaction->txn, session, redaction->targets[i], redaction->err);
    }
    return belongs;
}

/* The files that a session was imported from, which is known to have sources if `key` is in it. */
static int add_sources(struct xylem_store__redaction *redaction, uint64_t session)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_format__key first;
    struct xylem_store__source source;
    int code = xylem_lmdb__rows_new(&rows, redaction->txn, XYLEM_FORMAT__SOURCES, redaction->err);
    if (code < 0) {
        return code;
    }
    xylem_format__key_u64(&first, session);
    struct xylem_view key = first.view;
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__rows_step_summed(&key, &row, rows, XYLEM_LMDB__AT_OR_AFTER, redaction->err);
    while (found > 0 && key.bytes > first.view.bytes && memcmp(key.data, first.view.data, first.view.bytes) == 0) {
        code = xylem_store__source_decode(&source, redaction->txn, row, redaction->err);
        code = code < 0 ? code : xylem_store__redact_source(redaction, source.name);
        found = code < 0 ? code : xylem_lmdb__rows_step_summed(&key, &row, rows, XYLEM_LMDB__NEXT, redaction->err);
    }
    xylem_lmdb__rows_free(rows);
    return found < 0 ? found : XYLEM_OK;
}

int xylem_store__redact_find_sessions(struct xylem_store__redaction *redaction)
{
    struct xylem_sessions *sessions;
    struct xylem_session session;
    int code = xylem_sessions_new(&sessions, redaction->txn, redaction->err);
    if (code < 0) {
        return code;
    }
    while ((code = xylem_sessions_next(&session, sessions, redaction->err)) == 1) {
        int has = has_target(redaction, &session);
        redaction->report->session_count += has > 0 && session.state != XYLEM_SESSION_FREED;
        has = has > 0 ? add_sources(redaction, session.number) : has;
        if (has < 0) {
            code = has;
            break;
        }
    }
    xylem_sessions_free(sessions);
    return code;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* Without their hashes being dropped, entries are rewritten for themselves. */
static int write_targets(struct xylem_store__redaction *redaction)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < redaction->target_count; i++) {
        struct xylem_entry entry;
        code = xylem_store__entry_read(&entry, redaction->txn, redaction->targets[i], redaction->err);
        if (code == XYLEM_OK && !(entry.flags & XYLEM_ENTRY_REDACTED)) {
            code = xylem_store__redact_record(redaction, &entry, entry.unverified.payload_hash, entry.check);
        }
    }
    return code;
}

int xylem_store__redact_write(struct xylem_store__redaction *redaction)
{
    int code = xylem_store__removal_note(redaction->txn, XYLEM_STORE__REDACTION, redaction->err);
    if (code == XYLEM_OK) {
        code = redaction->report->dropped_count > 0 ? xylem_store__redact_drop(redaction) : write_targets(redaction);
    }
    code = code < 0 ? code : xylem_store__redact_lines(redaction);
    if (code < 0) {
        xylem_lmdb__write_failed(redaction->txn, code); /* half a redaction must not be committed */
    }
    return code;
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

static int find_all(struct xylem_store__redaction *redaction, const struct xylem_entry *entry)
{
    int code = note_entry(redaction, entry);
    if (code == XYLEM_OK) {
        /* A dropped hash is a random one, which no copy has. */
        code = redaction->options.only_this || redaction->dropped
                   ? xylem_store__redact_add(redaction, entry)
                   : xylem_store__each_entry(redaction->txn, visit_copy, redaction, redaction->err);
    }
    code = code < 0 ? code : xylem_store__redact_find_sessions(redaction);
    if (code == XYLEM_OK && redaction->report->dropped_count > 0) {
        code = xylem_store__redact_find_behind(redaction);
    }
    return code == XYLEM_OK && !redaction->options.only_this ? xylem_store__redact_find_lines(redaction) : code;
}

int xylem_store__redact_check_reason(const struct xylem_store__redaction *redaction)
{
    struct xylem_view reason = redaction->options.reason;
    struct xylem_error *err = redaction->err;
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

/* Refuses what can be refused, and reads the entry. */
static int begin(struct xylem_entry *entry, struct xylem_store__redaction *redaction, uint64_t session,
                 struct xylem_position position)
{
    struct xylem_error *err = redaction->err;
    struct xylem_session row;
    int code = xylem_store__redact_check_reason(redaction);
    code = code < 0 || redaction->options.dry_run ? code : xylem_lmdb__writable(redaction->txn, err);
    code = code < 0 ? code : xylem_session_read(&row, redaction->txn, session, err);
    code = code < 0 ? code : xylem_entry_read(entry, redaction->txn, position, err);
    if (code < 0) {
        return code;
    }
    code = xylem_store__belongs(redaction->txn, &row, position, err);
    if (code == 0) {
        code = xylem_base__fail(err, XYLEM_E_NOT_FOUND, "the session %.*s has no entry at " XYLEM_FORMAT__AT_FORMAT,
                                xylem_base__shown_bytes(row.id), xylem_base__shown(row.id),
                                XYLEM_FORMAT__AT_ARGUMENTS(position));
    }
    return code < 0 ? code : XYLEM_OK;
}

/* Wipes the copies of the payload: freed memory may reach anybody. */
void xylem_store__redact_release(struct xylem_store__redaction *redaction)
{
    xylem_base__buffer_wipe(&redaction->payload);
    xylem_base__buffer_wipe(&redaction->line);
    xylem_base__tree_wipe(&redaction->tree);
    xylem_buffer_release(&redaction->id);
    xylem_buffer_release(&redaction->record);
    xylem_buffer_release(&redaction->lines);
    xylem_buffer_release(&redaction->tails);
    free(redaction->sessions.list);
    free(redaction->targets);
    free(redaction->behind);
}

int xylem_redact(struct xylem_redact_report *report, struct xylem_txn *txn, uint64_t session,
                 struct xylem_position position, const struct xylem_redact_options *options, struct xylem_error *err)
{
    memset(report, 0, sizeof *report);
    if (!txn || !options) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a redaction needs a transaction and options with a reason");
    }
    struct xylem_store__redaction *redaction = calloc(1, sizeof *redaction);
    if (!redaction) {
        return xylem_base__fail_memory(err);
    }
    redaction->txn = txn;
    redaction->report = report;
    redaction->options = *options;
    redaction->err = err;
    struct xylem_entry entry;
    int code = begin(&entry, redaction, session, position);
    code = code < 0 ? code : find_all(redaction, &entry);
    code = code < 0 || options->dry_run ? code : xylem_store__redact_write(redaction);
    xylem_store__redact_release(redaction);
    free(redaction);
    return code;
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
    memset(report, 0, sizeof *report);
}
