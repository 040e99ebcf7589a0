#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/format/hash.h"
#include "tests/lib/cursor.h"
#include "tests/lib/readings.h"
#include "base/buffer.h"
#include "xylem/line.h"
#include "xylem/branch.h"
#include "xylem/care.h"
#include "xylem/feed.h"
#include "xylem/inspect.h"
#include "xylem/lease.h"
#include "xylem/outline.h"
#include "xylem/redact.h"
#include "xylem/state.h"

/* What a reading is about: most use a part of it. */
struct subject {
    uint64_t session;
    struct xylem_position position;
    struct xylem_position other;
    uint64_t number;
    struct xylem_buffer name; /* an id, or a kind in text form */
};

/* Answers by adding to `answer`; what was added before it failed must be right too. */
typedef int ask(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject);

struct reading {
    const char *what;
    ask *ask;
    struct subject subject;
    struct xylem_buffer answer;
    int code;
};

/* --- Answers as bytes --------------------------------------------------------------------------------------------- */

static void add_bytes(struct xylem_buffer *answer, const void *data, size_t bytes)
{
    assert_int_equal(xylem_buffer_add(answer, data, bytes), XYLEM_OK);
}

static void add_number(struct xylem_buffer *answer, uint64_t number)
{
    add_bytes(answer, &number, sizeof number);
}

static void add_view(struct xylem_buffer *answer, struct xylem_view view)
{
    add_number(answer, view.data ? view.bytes : UINT64_MAX);
    add_bytes(answer, view.data, view.bytes);
}

static void add_position(struct xylem_buffer *answer, struct xylem_position position)
{
    add_number(answer, position.branch);
    add_number(answer, position.depth);
}

static void add_entry(struct xylem_buffer *answer, const struct xylem_entry *entry)
{
    add_position(answer, entry->position);
    add_position(answer, entry->parent);
    add_view(answer, entry->id);
    add_number(answer, entry->kind.kind_class);
    add_view(answer, entry->kind.name);
    add_number(answer, (uint64_t)entry->time_ms);
    add_number(answer, entry->lsn);
    add_number(answer, entry->check);
    add_number(answer, entry->format);
    add_number(answer, entry->flags);
    add_number(answer, entry->payload_bytes);
    add_number(answer, entry->line_bytes);
}

static int add_whole_entry(struct xylem_buffer *answer, const struct xylem_entry *entry)
{
    struct xylem_view payload = {NULL, 0};
    struct xylem_buffer line = {NULL, 0, 0};
    struct xylem_view reason = {NULL, 0};
    int redacted = xylem_entry_redaction(&reason, entry, NULL);
    int code = redacted == 0 ? xylem_entry_payload(&payload, entry, NULL) : redacted;
    code = code < 0 ? code : xylem_entry_imported_line(&line, entry, NULL);
    if (code == XYLEM_OK) {
        add_entry(answer, entry);
        add_view(answer, payload);
        add_view(answer, (struct xylem_view){line.data, line.bytes});
        add_view(answer, reason);
    }
    xylem_buffer_release(&line);
    return code;
}

static void add_session(struct xylem_buffer *answer, const struct xylem_session *session)
{
    add_number(answer, session->number);
    add_view(answer, session->id);
    add_view(answer, session->cwd);
    add_view(answer, session->parent);
    add_view(answer, session->header);
    add_number(answer, (uint64_t)session->created_ms);
    add_position(answer, session->base);
    add_position(answer, session->leaf);
    add_number(answer, session->tree);
    add_number(answer, session->last_lsn);
    add_number(answer, session->move_count);
    add_number(answer, session->newest_branch);
    add_position(answer, session->imported_leaf);
    add_number(answer, session->state);
    add_number(answer, session->own_entry_count);
    add_number(answer, session->import_unfinished);
}

/* --- The store and its sessions ----------------------------------------------------------------------------------- */

static int ask_sessions(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    (void)subject;
    int code = xylem_sessions_new(&sessions, txn, NULL);
    while (code == XYLEM_OK && (code = xylem_sessions_next(&session, sessions, NULL)) == 1) {
        add_session(answer, &session);
        code = XYLEM_OK;
    }
    xylem_sessions_free(sessions);
    return code;
}

static int ask_stat(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_stat stat;
    (void)subject;
    int code = xylem_stat_read(&stat, txn, NULL);
    if (code < 0) {
        return code;
    }
    const uint64_t numbers[] = {stat.format_version, stat.features,        stat.session_count, stat.live_count,
                                stat.deleted_count,  stat.importing_count, stat.branch_count,  stat.entry_count,
                                stat.kind_count,     stat.payload_bytes,   stat.line_bytes,    stat.links_bytes};
    add_bytes(answer, numbers, sizeof numbers);
    add_bytes(answer, stat.uuid, sizeof stat.uuid);
    return XYLEM_OK;
}

static int add_freed(void *context, const struct xylem_freed *freed)
{
    add_number(context, freed->session);
    add_view(context, freed->id);
    add_number(context, freed->entry_count);
    add_number(context, freed->branch_count);
    add_number(context, freed->row_count);
    add_number(context, freed->bytes);
    add_number(context, freed->payload_bytes);
    add_number(context, freed->kept_entry_count);
    return 0;
}

/* What a garbage collection would free: that is what can be undeleted until then. */
static int ask_gc(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_gc_options options = {.dry_run = true, .freed = add_freed, .context = answer};
    struct xylem_gc_report report;
    (void)subject;
    int code = xylem_gc(&report, txn, &options, NULL);
    if (code == XYLEM_OK) {
        add_number(answer, report.session_count);
        add_number(answer, report.kept_session_count);
        add_number(answer, report.kept_entry_count);
    }
    return code;
}

/* What a redaction would take out. */
static int ask_redact(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_redact_options options = {
        .reason = xylem_view_of("why"), .drop_hash = subject->number != 0, .dry_run = true};
    struct xylem_redact_report report = {0};
    int code = xylem_redact(&report, txn, subject->session, subject->position, &options, NULL);
    if (code == XYLEM_OK) {
        const uint64_t numbers[] = {report.was_redacted,  report.redacted_count,  report.redacted_bytes,
                                    report.dropped_count, report.rechecked_count, report.quarantined_count,
                                    report.tail_count,    report.session_count,   report.source_count};
        add_bytes(answer, numbers, sizeof numbers);
        for (size_t i = 0; i < report.source_count; i++) {
            add_view(answer, report.sources[i]);
        }
    }
    xylem_redact_report_release(&report);
    return code;
}

static int ask_find_session(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_session session;
    struct xylem_view id = {subject->name.data, subject->name.bytes};
    int code = xylem_session_find(&session, txn, id, NULL);
    if (code == XYLEM_OK) {
        add_session(answer, &session);
    }
    return code;
}

static int ask_session(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_session session;
    int code = xylem_session_read(&session, txn, subject->session, NULL);
    if (code == XYLEM_OK) {
        add_session(answer, &session);
    }
    return code;
}

static int ask_outline(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_outline outline;
    struct xylem_buffer name = {NULL, 0, 0};
    struct xylem_session session;
    int code = xylem_session_read(&session, txn, subject->session, NULL);
    code = code < 0 ? code : xylem_outline_read(&outline, &name, txn, &session, NULL);
    if (code == XYLEM_OK) {
        add_number(answer, outline.entry_count);
        add_number(answer, outline.tip_count);
        add_number(answer, (uint64_t)outline.active_ms);
        add_number(answer, outline.has_name);
        add_bytes(answer, name.data, name.bytes);
    }
    xylem_buffer_release(&name);
    return code;
}

static int ask_words(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_buffer words = {NULL, 0, 0};
    struct xylem_session session;
    int code = xylem_session_read(&session, txn, subject->session, NULL);
    code = code < 0 ? code : xylem_outline_words(&words, NULL, txn, &session, NULL);
    code = code < 0 ? code : xylem_buffer_add(&words, "|", 1);
    code = code < 0 ? code : xylem_outline_words(NULL, &words, txn, &session, NULL);
    if (code == XYLEM_OK) {
        add_bytes(answer, words.data, words.bytes);
    }
    xylem_buffer_release(&words);
    return code;
}

/* The directory is that of the session, if it has one. */
static int ask_outlines(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_outlines *outlines = NULL;
    struct xylem_outlines_options options = {.below = subject->number == 1};
    struct xylem_session session = {.cwd = {NULL, 0}};
    int64_t active_ms;
    int code = subject->session == 0 ? XYLEM_OK : xylem_session_read(&session, txn, subject->session, NULL);
    size_t before = answer->bytes;
    options.directory = session.cwd;
    code = code < 0 ? code : xylem_outlines_new(&outlines, txn, &options, NULL);
    while (code == XYLEM_OK && (code = xylem_outlines_next(&session, &active_ms, outlines, NULL)) == 1) {
        add_number(answer, session.number);
        add_number(answer, (uint64_t)active_ms);
        code = XYLEM_OK;
    }
    if (code == XYLEM_OK && xylem_outlines_damaged(outlines)) { /* what is damaged stands at the time of its making */
        answer->bytes = before;
        code = XYLEM_E_CORRUPT;
    }
    xylem_outlines_free(outlines);
    return code;
}

#define NAMED_MAX 64

/* The names come in any order. */
static int ask_names(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    uint64_t hashes[NAMED_MAX] = {0};
    struct xylem_names *names = NULL;
    struct xylem_view name;
    uint64_t number;
    (void)subject;
    int code = xylem_names_new(&names, txn, (struct xylem_view){NULL, 0}, NULL);
    while (code == XYLEM_OK && (code = xylem_names_next(&number, &name, names, NULL)) == 1) {
        assert_true(number < NAMED_MAX && hashes[number] == 0);
        hashes[number] = xylem_format__hash(name);
        code = XYLEM_OK;
    }
    code = code == XYLEM_OK && xylem_names_damaged(names) ? XYLEM_E_CORRUPT : code;
    for (size_t i = 0; code == XYLEM_OK && i < NAMED_MAX; i++) {
        add_number(answer, hashes[i]);
    }
    xylem_names_free(names);
    return code;
}

static int ask_labels(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_labels labels = {0};
    int code = xylem_labels_read(&labels, txn, subject->session, NULL);
    for (size_t i = 0; code == XYLEM_OK && i < labels.label_count; i++) {
        add_view(answer, labels.labels[i].target_id);
        add_view(answer, labels.labels[i].text);
        add_position(answer, labels.labels[i].entry);
    }
    if (code == XYLEM_OK) {
        add_view(answer, labels.name);
    }
    xylem_labels_release(&labels);
    return code;
}

static int ask_tips(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    int code = xylem_tips_new(&tips, txn, subject->session, NULL);
    while (code == XYLEM_OK && (code = xylem_tips_next(&tip, tips, NULL)) == 1) {
        add_entry(answer, &tip.entry);
        add_position(answer, tip.fork_point);
        add_number(answer, tip.branch_entry_count);
        code = XYLEM_OK;
    }
    xylem_tips_free(tips);
    return code;
}

static int ask_moves(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_session session;
    int code = xylem_session_read(&session, txn, subject->session, NULL);
    for (uint64_t number = 1; code == XYLEM_OK && number <= session.move_count; number++) {
        struct xylem_move move;
        code = xylem_move_read(&move, txn, subject->session, number, NULL);
        if (code == XYLEM_OK) {
            add_number(answer, (uint64_t)move.time_ms);
            add_position(answer, move.from);
            add_position(answer, move.to);
            add_view(answer, move.reason);
        }
    }
    return code;
}

static int ask_lease(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_lease_owner owner;
    int code = xylem_lease_read(&owner, txn, subject->session, NULL);
    if (code >= 0) {
        add_number(answer, (uint64_t)code);
    }
    if (code > 0) {
        add_number(answer, (uint64_t)owner.pid);
        add_number(answer, (uint64_t)owner.since_ms);
        add_number(answer, owner.token);
        add_number(answer, owner.alive);
        add_view(answer, xylem_view_of(owner.host));
    }
    return code;
}

static int ask_quarantine(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_quarantine *quarantine = NULL;
    struct xylem_quarantined row;
    int code = xylem_quarantine_new(&quarantine, txn, subject->session, NULL);
    while (code == XYLEM_OK && (code = xylem_quarantine_next(&row, quarantine, NULL)) == 1) {
        add_number(answer, row.line);
        add_number(answer, row.offset);
        add_number(answer, row.hash);
        add_number(answer, row.reason);
        add_view(answer, row.source);
        add_view(answer, row.raw);
        add_number(answer, row.raw_bytes);
        code = XYLEM_OK;
    }
    xylem_quarantine_free(quarantine);
    return code;
}

static int ask_scan(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int code = xylem_scan_after(&scan, txn, subject->session, subject->number, NULL);
    while (code == XYLEM_OK && (code = xylem_scan_next(&entry, scan, NULL)) == 1) {
        add_entry(answer, &entry);
        code = XYLEM_OK;
    }
    xylem_scan_free(scan);
    return code;
}

/* The last lsn, and each change behind another one. */
static int ask_feed(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    uint64_t last = 0;
    int code = last_lsn_of(&last, txn, NULL);
    if (code < 0 || (code = feed_after(&feed, txn, subject->number, NULL)) < 0) {
        return code;
    }
    add_number(answer, last);
    while ((code = xylem_feed_next(&change, feed, NULL)) == 1) {
        const uint64_t numbers[] = {change.type, change.lsn, change.session, change.move_number};
        add_bytes(answer, numbers, sizeof numbers);
        add_position(answer, change.position);
        add_view(answer, change.freed_id);
    }
    xylem_feed_free(feed);
    return code;
}

static int write_answer(void *context, const void *data, size_t bytes)
{
    add_bytes(context, data, bytes);
    return 0;
}

static int ask_stream(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_stream *stream = NULL;
    struct xylem_stream_line line;
    int code = xylem_stream_new(&stream, txn, subject->session, NULL);
    while (code == XYLEM_OK && (code = xylem_stream_next(&line, stream, NULL)) == 1) {
        code = xylem_base__buffer_add_format(answer, "%" PRIu64 " %d %d %.*s\n", line.lsn, (int)line.again,
                                             (int)line.redacted, (int)line.bytes.bytes, line.bytes.data);
    }
    xylem_stream_free(stream);
    return code;
}

static int ask_export(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_export_options options = {.with_quarantine = subject->number != 0};
    return xylem_export(txn, subject->session, &options, write_answer, answer, NULL);
}

/* --- Entries ------------------------------------------------------------------------------------------------------ */

static int ask_find(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_position position;
    struct xylem_view id = {subject->name.data, subject->name.bytes};
    int code = xylem_find(&position, txn, subject->session, id, NULL);
    if (code == XYLEM_OK) {
        add_position(answer, position);
    }
    return code;
}

static int ask_entry(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_entry entry;
    int code = xylem_entry_read(&entry, txn, subject->position, NULL);
    return code < 0 ? code : add_whole_entry(answer, &entry);
}

static int ask_owner(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    uint64_t owner = 0;
    int belongs = xylem_belongs(txn, subject->session, subject->position, NULL);
    int code = belongs < 0 ? belongs : xylem_owner(&owner, txn, subject->position, NULL);
    if (code == XYLEM_OK) {
        add_number(answer, (uint64_t)belongs);
        add_number(answer, owner);
    }
    return code;
}

static int ask_walk(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    int code = xylem_walk_new(&walk, txn, subject->position, NULL);
    while (code == XYLEM_OK && (code = xylem_walk_next(&entry, walk, NULL)) == 1) {
        code = add_whole_entry(answer, &entry);
    }
    xylem_walk_free(walk);
    return code;
}

static int ask_newest(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_kind kind;
    struct xylem_buffer storage = {NULL, 0, 0};
    struct xylem_entry newest;
    struct xylem_view text = {subject->name.data, subject->name.bytes};
    int code = xylem_kind_parse(&kind, &storage, text, NULL);
    code = code < 0 ? code : xylem_newest_of_kind(&newest, txn, subject->position, kind, NULL);
    add_number(answer, code == 1);
    if (code == 1) {
        add_entry(answer, &newest);
    } else if (code < 0) {
        answer->bytes = 0; /* that it failed says nothing */
    }
    xylem_buffer_release(&storage);
    return code;
}

static int ask_ancestors(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    int code = XYLEM_OK;
    for (uint64_t depth = 1; code == XYLEM_OK && depth <= subject->position.depth; depth++) {
        struct xylem_position ancestor;
        code = xylem_ancestor_at(&ancestor, txn, subject->position, depth, NULL);
        if (code == XYLEM_OK) {
            add_position(answer, ancestor);
        }
    }
    return code;
}

static int ask_common_ancestor(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_position ancestor;
    int code = xylem_common_ancestor(&ancestor, txn, subject->position, subject->other, NULL);
    if (code == XYLEM_OK) {
        add_position(answer, ancestor);
    }
    return code;
}

/* `number` is a bit for `scan`. The figures of what was read differ with it: they are no part of the answer. */
static int ask_state(struct xylem_buffer *answer, struct xylem_txn *txn, const struct subject *subject)
{
    struct xylem_state state = {0};
    struct xylem_reduce_options options = {.scan = subject->number != 0};
    int code = xylem_rehydrate(&state, txn, subject->position, NULL, &options, NULL);
    if (code == XYLEM_OK) {
        for (size_t i = 0; xylem_piece_names()[i] && code == XYLEM_OK; i++) {
            struct xylem_word words[XYLEM_WORDS_MAX];
            const struct xylem_words_options explained = {.detail = XYLEM_DETAIL_EXPLAINED};
            size_t count = xylem_piece_words(words, &state, 1u << i, &explained);
            code = xylem_piece_json(answer, &state, 1u << i, XYLEM_DETAIL_WHOLE);
            for (size_t k = 0; k < count; k++) {
                add_position(answer, words[k].position);
            }
        }
        for (size_t i = 0; i < state.reduction.skipped_count; i++) {
            add_position(answer, state.reduction.skipped[i].position);
        }
    }
    xylem_state_release(&state);
    return code;
}

/* --- The list ----------------------------------------------------------------------------------------------------- */

static void add(struct readings *readings, const char *what, ask *asked, struct subject subject)
{
    struct reading *list = realloc(readings->list, (readings->count + 1) * sizeof *list);
    assert_non_null(list);
    readings->list = list;
    list[readings->count] = (struct reading){.what = what, .ask = asked, .subject = subject};
    readings->count++;
}

static void add_named(struct readings *readings, const char *what, ask *asked, struct subject subject,
                      struct xylem_view name)
{
    subject.name = (struct xylem_buffer){NULL, 0, 0};
    add_bytes(&subject.name, name.data, name.bytes);
    add(readings, what, asked, subject);
}

static void add_entry_readings(struct readings *readings, uint64_t session, const struct xylem_entry *entry)
{
    static const char *const kinds[] = {"custom:readonly", "label", "message", "no-such-kind"};
    struct subject subject = {.session = session, .position = entry->position};
    add_named(readings, "find", ask_find, subject, entry->id);
    add(readings, "entry", ask_entry, subject);
    add(readings, "owner", ask_owner, subject);
    add_named(readings, "newest of a kind", ask_newest, subject, xylem_view_of(kinds[readings->count % 4]));
}

static void add_end_readings(struct readings *readings, uint64_t session, struct xylem_position position,
                             struct xylem_position other)
{
    struct subject subject = {.session = session, .position = position, .other = other};
    add(readings, "walk", ask_walk, subject);
    add(readings, "ancestors", ask_ancestors, subject);
    add(readings, "common ancestor", ask_common_ancestor, subject);
    add(readings, "state", ask_state, subject);
    subject.number = 1;
    add(readings, "state by a scan", ask_state, subject);
}

/* All entries of the session, its leaf, and where its branches end. */
static void add_session_readings(struct readings *readings, struct xylem_txn *txn, const struct xylem_session *session)
{
    struct subject subject = {.session = session->number};
    struct xylem_scan *scan = NULL;
    struct xylem_tips *tips = NULL;
    struct xylem_entry entry;
    struct xylem_tip tip;
    add_named(readings, "find a session", ask_find_session, subject, session->id);
    add(readings, "session", ask_session, subject);
    add(readings, "outline", ask_outline, subject);
    add(readings, "words", ask_words, subject);
    if (session->cwd.data) {
        add(readings, "sessions in a directory", ask_outlines, subject);
    }
    add(readings, "labels", ask_labels, subject);
    add(readings, "tips", ask_tips, subject);
    add(readings, "moves", ask_moves, subject);
    add(readings, "owner of a lease", ask_lease, subject);
    add(readings, "quarantine", ask_quarantine, subject);
    add(readings, "stream", ask_stream, subject);
    add(readings, "export", ask_export, subject);
    add(readings, "scan", ask_scan, subject);
    subject.number = 4;
    add(readings, "scan after an lsn", ask_scan, subject);
    add(readings, "export with quarantine", ask_export, subject);
    add_end_readings(readings, session->number, session->leaf, (struct xylem_position){1, 2});
    assert_int_equal(xylem_tips_new(&tips, txn, session->number, NULL), XYLEM_OK);
    while (xylem_tips_next(&tip, tips, NULL) == 1) {
        add_end_readings(readings, session->number, tip.entry.position, session->leaf);
    }
    xylem_tips_free(tips);
    assert_int_equal(xylem_scan_new(&scan, txn, session->number, NULL), XYLEM_OK);
    while (xylem_scan_next(&entry, scan, NULL) == 1) {
        if (session->base.depth == 0 || entry.position.branch != session->base.branch) {
            add_entry_readings(readings, session->number, &entry);
        }
    }
    xylem_scan_free(scan);
}

#define LOOKED_AT_MAX 12u /* depths of a branch */

/* Positions that were freed, and the first one of each branch that never was. */
static void add_absent_readings(struct readings *readings, struct xylem_txn *txn, uint64_t session, uint64_t branch)
{
    bool never = false;
    for (uint64_t depth = 1; depth <= LOOKED_AT_MAX; depth++) {
        struct xylem_entry entry;
        struct subject subject = {.session = session, .position = {branch, depth}};
        int code = xylem_entry_read(&entry, txn, subject.position, NULL);
        bool wanted = code == XYLEM_E_FREED || (code == XYLEM_E_NOT_FOUND && !never);
        never = never || code == XYLEM_E_NOT_FOUND;
        if (wanted) {
            add(readings, "entry that is not there", ask_entry, subject);
            add(readings, "walk from where no entry is", ask_walk, subject);
            add(readings, "owner of what is not there", ask_owner, subject);
            add(readings, "state of what is not there", ask_state, subject);
        }
    }
}

void readings_learn(struct readings *readings, struct xylem_txn *txn)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    struct subject redacted = {.session = 0};
    uint64_t newest_branch = 0;
    memset(readings, 0, sizeof *readings);
    add(readings, "sessions", ask_sessions, (struct subject){.session = 0});
    add(readings, "sessions by activity", ask_outlines, (struct subject){.session = 0});
    add(readings, "names", ask_names, (struct subject){.session = 0});
    add(readings, "figures", ask_stat, (struct subject){.session = 0});
    add(readings, "what would be freed", ask_gc, (struct subject){.session = 0});
    for (uint64_t lsn = 0; lsn < 80; lsn += 20) {
        add(readings, "changes behind an lsn", ask_feed, (struct subject){.number = lsn});
    }
    assert_int_equal(xylem_sessions_new(&sessions, txn, NULL), XYLEM_OK);
    while (xylem_sessions_next(&session, sessions, NULL) == 1) {
        add_session_readings(readings, txn, &session);
        newest_branch = session.newest_branch > newest_branch ? session.newest_branch : newest_branch;
        if (session.leaf.depth > 0) {
            redacted = (struct subject){.session = session.number, .position = session.leaf};
        }
    }
    xylem_sessions_free(sessions);
    add(readings, "what would be redacted", ask_redact, redacted);
    redacted.number = 1;
    add(readings, "what would be redacted with its hash", ask_redact, redacted);
    for (uint64_t branch = 1; branch <= newest_branch + 1; branch++) {
        add_absent_readings(readings, txn, redacted.session, branch);
    }
    for (size_t i = 0; i < readings->count; i++) {
        struct reading *reading = &readings->list[i];
        reading->code = reading->ask(&reading->answer, txn, &reading->subject);
        assert_true(reading->code >= 0 || reading->code == XYLEM_E_NOT_FOUND || reading->code == XYLEM_E_DELETED ||
                    reading->code == XYLEM_E_FREED ||
                    (reading->ask == ask_export && reading->code == XYLEM_E_MALFORMED)); /* lines of another host */
    }
}

static void describe(char *text, size_t text_bytes, const struct reading *reading, int code)
{
    if (text_bytes > 0 && *text == '\0') {
        (void)snprintf(text, text_bytes, "%s (session %llu, branch %llu, depth %llu, %.*s): %s instead of %s",
                       reading->what, (unsigned long long)reading->subject.session,
                       (unsigned long long)reading->subject.position.branch,
                       (unsigned long long)reading->subject.position.depth, (int)reading->subject.name.bytes,
                       reading->subject.name.data ? reading->subject.name.data : "",
                       code < 0 ? xylem_code_text(code) : "another answer",
                       reading->code < 0 ? xylem_code_text(reading->code) : "an answer");
    }
}

void readings_repeat(struct readings_result *result, struct readings *readings, struct xylem_txn *txn, char *text,
                     size_t text_bytes)
{
    for (size_t i = 0; i < readings->count; i++) {
        struct reading *reading = &readings->list[i];
        readings->answer.bytes = 0;
        int code = reading->ask(&readings->answer, txn, &reading->subject);
        size_t bytes = readings->answer.bytes;
        bool begins = bytes <= reading->answer.bytes &&
                      (bytes == 0 || memcmp(readings->answer.data, reading->answer.data, bytes) == 0);
        if (begins && code == reading->code && bytes == reading->answer.bytes) {
            result->right++;
        } else if (code == XYLEM_E_CORRUPT) {
            result->failed++;
            result->late += !begins;
        } else {
            result->wrong++;
            describe(text, text_bytes, reading, code);
        }
    }
}

void readings_release(struct readings *readings)
{
    for (size_t i = 0; i < readings->count; i++) {
        xylem_buffer_release(&readings->list[i].answer);
        xylem_buffer_release(&readings->list[i].subject.name);
    }
    free(readings->list);
    xylem_buffer_release(&readings->answer);
    memset(readings, 0, sizeof *readings);
}

uint64_t readings_verify(struct xylem_txn *txn)
{
    struct xylem_verify_report report;
    return xylem_verify(&report, txn, NULL, NULL, NULL, NULL) == XYLEM_OK ? report.problem_count : 1;
}
