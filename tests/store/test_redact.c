#include <stdio.h>
#include <string.h>

#include "tests/lib/chance.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "store/store.h"
#include "tests/store/rows.h"
#include "xylem/append.h"
#include "xylem/inspect.h"
#include "xylem/redact.h"
#include "xylem/segment.h"

#define SECRET "a-secret-that-nobody-may-read"
#define PAYLOAD "{\"message\":\"" SECRET "\"}"

static struct xylem_error err;
static struct xylem_redact_report report;

static int redact_with(uint64_t session, struct xylem_position at, struct xylem_redact_options options)
{
    xylem_redact_report_release(&report);
    if (options.reason.bytes == 0) {
        options.reason = xylem_view_of("it was a key");
    }
    return xylem_redact(&report, builder.txn, session, at, &options, &err);
}

static void redact(uint64_t session, struct xylem_position at, struct xylem_redact_options options)
{
    store_builder_must(redact_with(session, at, options), &err);
}

static const struct xylem_redact_options plain;
static const struct xylem_redact_options dropping = {.drop_hash = true};

static int release_report(void **state)
{
    xylem_redact_report_release(&report);
    return tear_down(state);
}

static struct xylem_entry entry_at(struct xylem_position at)
{
    struct xylem_entry entry;
    store_builder_must(xylem_entry_read(&entry, builder.txn, at, &err), &err);
    return entry;
}

static int found(void *context, const struct xylem_problem *problem)
{
    (void)context;
    print_error("verify: %s: %.*s: %s\n", problem->table, (int)problem->entry_id.bytes,
                problem->entry_id.data ? problem->entry_id.data : "", problem->text);
    return 0;
}

static uint64_t problems(void)
{
    struct xylem_verify_report verified;
    store_builder_must(xylem_verify(&verified, builder.txn, NULL, NULL, NULL, &err), &err);
    return verified.problem_count;
}

static void assert_sound(void)
{
    struct xylem_verify_report verified;
    store_builder_must(xylem_verify(&verified, builder.txn, NULL, found, NULL, &err), &err);
    assert_int_equal(verified.problem_count, 0);
}

/* Does a value of a table have these bytes in it? */
static bool stands_in(enum xylem_format__table table, const char *text)
{
    struct rows rows = rows_of(builder.txn, table);
    bool stands = false;
    for (size_t i = 0; i < rows.count; i++) {
        const struct xylem_buffer *value = &rows.rows[i].value;
        stands = stands || (value->bytes > 0 && memmem(value->data, value->bytes, text, strlen(text)));
    }
    rows_release(&rows);
    return stands;
}

static void assert_reason(struct xylem_position at, const char *expected)
{
    struct xylem_view reason = {NULL, 0};
    struct xylem_entry entry = entry_at(at);
    assert_int_equal(xylem_entry_redaction(&reason, &entry, &err), 1);
    assert_int_equal(reason.bytes, strlen(expected));
    assert_memory_equal(reason.data, expected, reason.bytes);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, release_report)

IN_SCENE(a_redacted_entry_has_all_but_its_payload)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_view view;
    struct xylem_buffer line = {0};
    store_builder_messages(&builder, session, 2);
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    struct xylem_position behind = store_builder_add(&builder, session, "y", "custom:readonly", "{\"enabled\":true}");
    struct xylem_entry before = entry_at(at);
    char id[8] = "x";
    assert_int_equal(xylem_entry_redaction(&view, &before, &err), 0);
    redact(session, at, plain);
    struct xylem_entry after = entry_at(at);
    assert_int_equal(after.check, before.check);
    assert_int_equal(after.unverified.payload_hash, before.unverified.payload_hash);
    assert_int_equal(after.lsn, before.lsn);
    assert_int_equal(after.time_ms, before.time_ms);
    assert_int_equal(after.format, before.format);
    assert_memory_equal(after.id.data, id, 1);
    assert_int_equal(after.flags, before.flags | XYLEM_ENTRY_REDACTED);
    assert_int_equal(after.payload_bytes, 0);
    assert_int_equal(xylem_entry_payload(&view, &after, &err), XYLEM_E_REDACTED);
    assert_int_equal(xylem_entry_imported_line(&line, &after, &err), XYLEM_OK);
    assert_int_equal(line.bytes, 0);
    assert_reason(at, "it was a key");
    assert_int_equal(entry_at(behind).flags & XYLEM_ENTRY_REDACTED, 0);
    assert_int_equal(report.redacted_count, 1);
    assert_int_equal(report.redacted_bytes, strlen(PAYLOAD));
    assert_int_equal(report.dropped_count + report.rechecked_count + report.source_count, 0);
    assert_int_equal(report.session_count, 1);
    assert_false(report.was_redacted);
    assert_false(stands_in(XYLEM_FORMAT__LOG, SECRET));
    assert_sound();
}

IN_SCENE(a_dry_run_says_the_same_and_writes_nothing)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    struct xylem_position behind = store_builder_messages(&builder, session, 2);
    store_builder_commit(&builder);
    struct xylem_txn *writing = builder.txn;
    xylem_abort(writing);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_READ, &err), &err);
    uint64_t check = entry_at(behind).check;
    redact(session, at, (struct xylem_redact_options){.drop_hash = true, .dry_run = true});
    assert_int_equal(report.redacted_count, 1);
    assert_int_equal(report.dropped_count, 1);
    assert_int_equal(report.rechecked_count, 2);
    assert_true(stands_in(XYLEM_FORMAT__LOG, SECRET));
    assert_int_equal(entry_at(behind).check, check);
    assert_int_equal(redact_with(session, at, plain), XYLEM_E_READ_ONLY);
}

IN_SCENE(a_reason_is_needed_and_has_a_limit)
{
    char reason[XYLEM_REASON_BYTES_MAX + 1];
    memset(reason, 'r', sizeof reason);
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    struct xylem_redact_options options = {.reason = {reason, sizeof reason}};
    assert_int_equal(xylem_redact(&report, builder.txn, session, at, &plain, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_redact(&report, builder.txn, session, at, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(redact_with(session, at, options), XYLEM_E_LIMIT);
    assert_non_null(strstr(err.text, "257"));
    options.reason.bytes--;
    redact(session, at, options);
    assert_int_equal(entry_at(at).line_bytes, XYLEM_REASON_BYTES_MAX);
    assert_sound();
}

/*
 * It goes into the line that an export writes in the entry's place: with other bytes, no reader would take that line.
 */
IN_SCENE(a_reason_must_be_utf8)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    struct xylem_redact_options options = {.reason = xylem_view_of("a \xff key")};
    assert_int_equal(redact_with(session, at, options), XYLEM_E_MALFORMED);
    assert_non_null(strstr(err.text, "not UTF-8"));
    assert_int_equal(entry_at(at).flags & XYLEM_ENTRY_REDACTED, 0);
    options.reason = xylem_view_of("a \xc3\xa9 key");
    redact(session, at, options);
    assert_sound();
}

IN_SCENE(an_entry_must_be_one_of_the_session)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t other = store_builder_session(&builder, "t");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    assert_int_equal(redact_with(other, at, plain), XYLEM_E_NOT_FOUND);
    assert_int_equal(redact_with(session, (struct xylem_position){1, 2}, plain), XYLEM_E_NOT_FOUND);
    assert_int_equal(redact_with(99, at, plain), XYLEM_E_NOT_FOUND);
    assert_true(stands_in(XYLEM_FORMAT__LOG, SECRET));
}

IN_SCENE(every_session_that_shares_the_entry_loses_it)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    struct xylem_position next = store_builder_messages(&builder, session, 1);
    uint64_t fork = store_builder_fork(&builder, session, next, XYLEM_FORK_AT, "f");
    store_builder_fork(&builder, session, at, XYLEM_FORK_BEFORE, "without it");
    store_builder_session(&builder, "of its own");
    store_builder_must(xylem_session_delete(builder.txn, session, &err), &err);
    redact(fork, at, plain);
    assert_int_equal(report.session_count, 2);
    assert_reason(at, "it was a key");
    assert_sound();
}

IN_SCENE(the_entry_of_a_deleted_session_can_be_redacted)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    store_builder_must(xylem_session_delete(builder.txn, session, &err), &err);
    redact(session, at, plain);
    assert_false(stands_in(XYLEM_FORMAT__LOG, SECRET));
    assert_sound();
}

IN_SCENE(what_was_redacted_stays_as_it_is_when_it_is_redacted_again)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    redact(session, at, (struct xylem_redact_options){.reason = xylem_view_of("the first")});
    redact(session, at, (struct xylem_redact_options){.reason = xylem_view_of("the second")});
    assert_true(report.was_redacted);
    assert_int_equal(report.redacted_count, 0);
    assert_reason(at, "the first");
    uint64_t hash = entry_at(at).unverified.payload_hash;
    redact(session, at, dropping);
    assert_true(report.was_redacted);
    assert_int_equal(report.redacted_count, 0);
    assert_int_equal(report.dropped_count, 1);
    assert_reason(at, "the first");
    assert_int_not_equal(entry_at(at).unverified.payload_hash, hash);
    hash = entry_at(at).unverified.payload_hash;
    redact(session, at, dropping);
    assert_int_equal(report.dropped_count, 0);
    assert_int_equal(entry_at(at).unverified.payload_hash, hash);
    assert_sound();
}

/* A hostile segment may name one entry often, with and without the hash. */
IN_SCENE(an_entry_that_another_store_names_often_is_redacted_once)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_entry entry = entry_at(store_builder_add(&builder, session, "x", "message", PAYLOAD));
    store_builder_messages(&builder, session, 2);
    struct xylem_store__taken keeping = {.position = entry.position, .reason = xylem_view_of("a key")};
    struct xylem_store__taken dropping_it = keeping;
    uint64_t count = 0;
    dropping_it.drops = true;
    dropping_it.hash = 7;
    struct xylem_store__taken list[] = {dropping_it, keeping, dropping_it, keeping};
    store_builder_must(xylem_store__redact_follow(&count, builder.txn, list, 4, &err), &err);
    assert_int_equal(count, 2); /* the payload, then the hash */
    assert_true(entry_at(entry.position).flags & XYLEM_ENTRY_HASH_DROPPED);
    assert_sound();
}

/* s: a x b c; below c a second branch; f forks at b and goes on; g forks before x. */
IN_SCENE(a_dropped_hash_is_in_no_check_behind_it)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = store_builder_add(&builder, session, "a", "message", "{}");
    struct xylem_position x = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    struct xylem_position b = store_builder_add(&builder, session, "b", "note", "{\"n\":1}");
    struct xylem_position c = store_builder_add(&builder, session, "c", "message", NULL);
    uint64_t fork = store_builder_fork(&builder, session, b, XYLEM_FORK_AT, "f");
    struct xylem_position d = store_builder_add(&builder, fork, "d", "message", "{\"d\":1}");
    struct xylem_position e = store_builder_add_at(&builder, fork, b, "e", "message", NULL);
    uint64_t of_fork = store_builder_fork(&builder, fork, d, XYLEM_FORK_AT, "ff");
    struct xylem_position h = store_builder_add(&builder, of_fork, "h", "message", NULL);
    uint64_t before = store_builder_fork(&builder, session, x, XYLEM_FORK_BEFORE, "g");
    struct xylem_position g = store_builder_add(&builder, before, "g", "message", NULL);
    const struct xylem_position changed[] = {x, b, c, d, e, h};
    const struct xylem_position same[] = {a, g};
    uint64_t checks[8];
    for (size_t i = 0; i < 8; i++) {
        checks[i] = entry_at(i < 6 ? changed[i] : same[i - 6]).check;
    }
    redact(session, x, dropping);
    assert_int_equal(report.dropped_count, 1);
    assert_int_equal(report.rechecked_count, 5);
    for (size_t i = 0; i < 8; i++) {
        bool stayed = entry_at(i < 6 ? changed[i] : same[i - 6]).check == checks[i];
        assert_int_equal(stayed, i >= 6);
    }
    assert_int_equal(entry_at(x).flags & XYLEM_ENTRY_HASH_DROPPED, XYLEM_ENTRY_HASH_DROPPED);
    assert_int_equal(entry_at(b).flags & XYLEM_ENTRY_HASH_DROPPED, 0);
    assert_sound();
    store_builder_reopen(&builder);
    assert_sound();
    struct xylem_stat stat;
    xylem_abort(builder.txn);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_stat_read(&stat, builder.txn, &err), &err);
    assert_int_equal(stat.features, XYLEM_FORMAT__FEATURE_HASH_DROPPED | XYLEM_FORMAT__FEATURE_REMOVED);
    assert_int_equal(stat.line_bytes, 0);
}

IN_SCENE(a_hash_that_was_dropped_cannot_be_that_of_a_guess)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    redact(session, at, plain);
    assert_int_equal(entry_at(at).unverified.payload_hash, xylem_format__hash(xylem_view_of(PAYLOAD)));
    redact(session, at, dropping);
    assert_int_not_equal(entry_at(at).unverified.payload_hash, xylem_format__hash(xylem_view_of(PAYLOAD)));
    uint64_t check = 0;
    struct xylem_entry entry = entry_at(at);
    store_builder_must(xylem_format__record_check(&check, 0, entry.kind, entry.time_ms, entry.format, entry.id,
                                                  xylem_format__hash(xylem_view_of(PAYLOAD)), &err),
                       &err);
    assert_int_not_equal(entry.check, check);
}

IN_SCENE(copies_that_are_stored_apart_are_redacted_too)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t copy = store_builder_session(&builder, "copy");
    uint64_t other = store_builder_session(&builder, "other");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    store_builder_messages(&builder, copy, 3);
    struct xylem_position twin = store_builder_add(&builder, copy, "x", "message", PAYLOAD);
    struct xylem_position behind = store_builder_messages(&builder, copy, 1);
    struct xylem_position same_id = store_builder_add(&builder, other, "x", "message", "{\"message\":\"another\"}");
    struct xylem_position same_payload = store_builder_add(&builder, other, "z", "message", "{\"b\":\"" SECRET "\"}");
    uint64_t check = entry_at(behind).check;
    redact(session, at, (struct xylem_redact_options){.only_this = true});
    assert_int_equal(report.redacted_count, 1);
    assert_int_equal(report.session_count, 1);
    assert_int_equal(entry_at(twin).flags & XYLEM_ENTRY_REDACTED, 0);
    redact(session, at, plain);
    assert_true(report.was_redacted);
    assert_int_equal(report.redacted_count, 1);
    assert_int_equal(report.session_count, 2);
    assert_reason(twin, "it was a key");
    redact(session, at, dropping);
    assert_int_equal(report.dropped_count, 2);
    assert_int_equal(report.rechecked_count, 1);
    assert_int_not_equal(entry_at(behind).check, check);
    assert_int_equal(entry_at(same_id).flags & XYLEM_ENTRY_REDACTED, 0);
    assert_int_equal(entry_at(same_payload).flags & XYLEM_ENTRY_REDACTED, 0);
    assert_sound();
}

IN_SCENE(two_copies_on_one_path_are_both_redacted)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t copy = store_builder_session(&builder, "copy");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    uint64_t fork = store_builder_fork(&builder, session, at, XYLEM_FORK_BEFORE, "f");
    struct xylem_position again = store_builder_add(&builder, fork, "x", "message", PAYLOAD);
    store_builder_add(&builder, copy, "y", "custom:q", "{\"k\":[\"" SECRET "\"]}");
    redact(fork, again, dropping);
    assert_int_equal(report.dropped_count, 2);
    assert_int_equal(report.rechecked_count, 0);
    assert_reason(at, "it was a key");
    assert_sound();
}

IN_SCENE(damage_behind_a_dropped_hash_is_not_hidden_by_new_checks)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    struct xylem_position behind = store_builder_messages(&builder, session, 1);
    store_builder_messages(&builder, session, 1);
    struct xylem_format__record record = store_builder_record(&builder, behind);
    record.check ^= 1;
    store_builder_rewrite(&builder, behind, &record);
    assert_int_equal(redact_with(session, at, dropping), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "its check (a hash of the entry and its history) does not match"));
    assert_true(stands_in(XYLEM_FORMAT__LOG, SECRET));
    redact(session, at, plain);
    assert_false(stands_in(XYLEM_FORMAT__LOG, SECRET));
}

IN_SCENE(an_entry_that_is_missing_behind_a_dropped_hash_is_damage)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    struct xylem_position behind = store_builder_messages(&builder, session, 1);
    store_builder_messages(&builder, session, 1);
    store_builder_drop(&builder, behind);
    assert_int_equal(redact_with(session, at, dropping), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "depth 2 is missing"));
    assert_true(stands_in(XYLEM_FORMAT__LOG, SECRET));
}

IN_SCENE(another_damaged_record_stops_the_search_for_copies_only)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t other = store_builder_session(&builder, "t");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    store_builder_damage(&builder, store_builder_messages(&builder, other, 1));
    assert_int_equal(redact_with(session, at, plain), XYLEM_E_CORRUPT);
    assert_true(stands_in(XYLEM_FORMAT__LOG, SECRET));
    redact(session, at, (struct xylem_redact_options){.only_this = true});
    assert_false(stands_in(XYLEM_FORMAT__LOG, SECRET));
}

IN_SCENE(damage_in_what_is_said_of_a_redaction_is_found)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    redact(session, at, dropping);
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__LOG);
    rows.rows[0].value.data[rows.rows[0].value.bytes - 1] ^= 1;
    row_put(builder.txn, XYLEM_FORMAT__LOG, &rows.rows[0]);
    struct xylem_view reason;
    struct xylem_entry entry = entry_at(at);
    assert_int_equal(xylem_entry_redaction(&reason, &entry, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "the reason of the redaction"));
    assert_int_equal(problems(), 1);
    rows.rows[0].value.data[rows.rows[0].value.bytes - 1] ^= 1;
    row_put(builder.txn, XYLEM_FORMAT__LOG, &rows.rows[0]);
    rows_release(&rows);
    assert_int_equal(problems(), 0);
}

IN_SCENE(a_redacted_record_with_a_payload_is_a_problem)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    struct xylem_format__record record = store_builder_record(&builder, at);
    record.flags |= XYLEM_ENTRY_REDACTED;
    store_builder_rewrite(&builder, at, &record);
    assert_int_equal(problems(), 1);
}

IN_SCENE(a_dropped_hash_without_the_feature_is_a_problem)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x", "message", PAYLOAD);
    struct xylem_format__record record = store_builder_record(&builder, at);
    record.flags |= XYLEM_ENTRY_REDACTED | XYLEM_ENTRY_HASH_DROPPED;
    record.payload = (struct xylem_view){NULL, 0};
    store_builder_rewrite(&builder, at, &record);
    assert_int_equal(problems(), 1);
    record.flags &= ~(unsigned)XYLEM_ENTRY_REDACTED;
    store_builder_rewrite(&builder, at, &record);
    struct xylem_entry entry;
    assert_int_equal(xylem_entry_read(&entry, builder.txn, at, &err), XYLEM_E_CORRUPT);
}

/* --- Quarantined lines and torn tails ---------------------------------------------------------------------------- */

static void put_away(uint64_t session, uint64_t line, const char *raw)
{
    struct xylem_quarantined row = {.line = line,
                                    .offset = line * 100,
                                    .reason = XYLEM_IMPORT_NOT_JSON,
                                    .source = xylem_view_of("/a/file"),
                                    .raw = xylem_view_of(raw),
                                    .raw_bytes = strlen(raw)};
    row.hash = xylem_format__hash(row.raw);
    assert_int_equal(xylem_store__quarantine_add(builder.txn, session, &row, &err), 1);
}

static void note_tail(uint64_t session, const char *name, const char *tail)
{
    struct xylem_store__displaced displaced = {7, 9};
    struct xylem_store__source source = {.name = xylem_view_of(name),
                                         .bytes = 1,
                                         .lines = 1,
                                         .hash = 5,
                                         .tail = xylem_view_of(tail),
                                         .tail_bytes = strlen(tail),
                                         .displaced = &displaced,
                                         .displaced_count = 1};
    store_builder_must(xylem_store__source_write(builder.txn, session, &source, &err), &err);
}

/* How many lines of a session's quarantine have lost their bytes. */
static unsigned emptied(uint64_t session)
{
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined row;
    unsigned count = 0;
    store_builder_must(xylem_quarantine_new(&quarantine, builder.txn, session, &err), &err);
    while (store_builder_must(xylem_quarantine_next(&row, quarantine, &err), &err) == 1) {
        bool redacted = row.reason == XYLEM_IMPORT_REDACTED;
        assert_int_equal(redacted, row.raw.bytes == 0);
        assert_true(row.raw_bytes > 0);
        assert_int_equal(row.offset, row.line * 100);
        count += redacted;
    }
    xylem_quarantine_free(quarantine);
    return count;
}

IN_SCENE(quarantined_lines_that_are_the_entry_lose_their_bytes)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t other = store_builder_session(&builder, "t");
    struct xylem_position at = store_builder_add(&builder, session, "x7", "message", PAYLOAD);
    put_away(session, 2, "{\"id\":\"x7\",\"what\":\"" SECRET "2\"}\n");
    put_away(session, 3, "{\"id\":\"x\\u0037\",\"what\":\"" SECRET "3\"}\n");
    put_away(session, 4, "{\"id\":\"x7\",\"what\":\"" SECRET "4");
    put_away(session, 5, "garbage with \"message\":\"" SECRET "\" in it\n");
    put_away(other, 6, "{\"type\":1,\"message\":\"" SECRET "\"}\n");
    put_away(other, 7, "{\"id\":\"y\",\"see\":\"x7\"}\n");
    put_away(other, 8, "x7, but not in quotes\n");
    put_away(session, 9, "{\"id\":7,\"of\":\"x7\"}\n");
    redact(session, at, (struct xylem_redact_options){.dry_run = true});
    assert_int_equal(report.quarantined_count, 6);
    assert_int_equal(emptied(session) + emptied(other), 0);
    redact(session, at, (struct xylem_redact_options){.only_this = true});
    assert_int_equal(report.quarantined_count, 0);
    assert_int_equal(emptied(session) + emptied(other), 0);
    redact(session, at, plain);
    assert_int_equal(report.quarantined_count, 4); /* those without the id had the payload, which is gone by now */
    assert_int_equal(emptied(session), 4);
    assert_int_equal(emptied(other), 0);
    assert_sound();
}

IN_SCENE(quarantined_lines_are_found_by_the_payload)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t other = store_builder_session(&builder, "t");
    struct xylem_position at = store_builder_add(&builder, session, "x7", "message", PAYLOAD);
    struct xylem_position data =
        store_builder_add(&builder, session, "x8", "custom:k", "{\"key\":[1,\"data " SECRET "\"]}");
    struct xylem_position small = store_builder_add(&builder, session, "x9", "message", "{\"a\":1}");
    put_away(other, 5, "garbage with \"message\":\"" SECRET "\" in it\n");
    put_away(other, 6, "{\"type\":1,\"message\":\"" SECRET "\"}\n");
    put_away(other, 7, "\"data\":{\"key\":[1,\"data " SECRET "\"]},\n");
    put_away(other, 8, "\"a\":1 is too small to tell\n");
    redact(session, at, plain);
    assert_int_equal(report.quarantined_count, 2);
    redact(session, data, plain);
    assert_int_equal(report.quarantined_count, 1);
    redact(session, small, plain);
    assert_int_equal(report.quarantined_count, 0);
    assert_int_equal(emptied(other), 3);
    assert_false(stands_in(XYLEM_FORMAT__QUARANTINE, SECRET));
    assert_false(stands_in(XYLEM_FORMAT__LOG, SECRET));
    assert_sound();
}

IN_SCENE(quarantined_lines_are_found_by_the_kept_line)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_view line = xylem_view_of("{\"type\" : \"message\" , \"timestamp\" : \"" SECRET "\"}");
    struct xylem_new_entry entry = {.id = xylem_view_of("x7"), .kind.name = xylem_view_of("message")};
    struct xylem_store__append_options options = {.imported = true, .lines = &line};
    struct xylem_position at;
    store_builder_must(xylem_store__append(&at, builder.txn, session, &entry, 1, &options, &err), &err);
    put_away(session, 5, "garbage{\"type\" : \"message\" , \"timestamp\" : \"" SECRET "\"} in it\n");
    assert_true(stands_in(XYLEM_FORMAT__LOG, SECRET));
    redact(session, at, plain);
    assert_int_equal(report.quarantined_count, 1);
    assert_false(stands_in(XYLEM_FORMAT__QUARANTINE, SECRET));
    assert_false(stands_in(XYLEM_FORMAT__LOG, SECRET));
    assert_sound();
}

/* Between the search and the writing no lock is held: the session may go to another store. */
static void follow_before_the_write(bool drop)
{
    uint64_t mine = store_builder_session(&builder, "mine");
    uint64_t given = store_builder_session(&builder, "given");
    struct xylem_position kept = store_builder_add(&builder, given, "x7", "message", PAYLOAD);
    struct xylem_position taken = store_builder_add(&builder, mine, "x7", "message", PAYLOAD);
    put_away(given, 2, "{\"id\":\"x7\",\"what\":\"" SECRET "2\"}\n");
    put_away(mine, 3, "{\"id\":\"x7\",\"what\":\"" SECRET "3\"}\n");
    note_tail(given, "/torn", "{\"id\":\"x7\",\"message\":\"" SECRET);
    redact(mine, taken, (struct xylem_redact_options){.drop_hash = drop, .dry_run = true});
    assert_int_equal(report.redacted_count, 2);
    assert_int_equal(report.quarantined_count, 2);
    assert_int_equal(report.tail_count, 1);
    store_builder_must(xylem_session_follow(builder.txn, given, xylem_view_of("another"), 1, &err), &err);
    uint64_t count = store_builder_read(&builder, given).history.count;
    store_builder_must(xylem_commit(builder.txn, &err), &err);
    store_builder_must(xylem_redact_write(&report, builder.store, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    assert_true(entry_at(taken).flags & XYLEM_ENTRY_REDACTED);
    assert_false(entry_at(kept).flags & XYLEM_ENTRY_REDACTED);
    assert_int_equal(emptied(mine), 1);
    assert_int_equal(emptied(given), 0);
    assert_true(stands_in(XYLEM_FORMAT__SOURCES, SECRET));
    assert_int_equal(store_builder_read(&builder, given).history.count, count);
    assert_sound();
}

IN_SCENE(a_session_that_follows_since_the_dry_run_stays)
{
    follow_before_the_write(false);
}

IN_SCENE(a_session_that_follows_since_the_dry_run_keeps_its_hashes)
{
    follow_before_the_write(true);
}

/* Its session does not have the entry, and nothing else leads to the file. */
IN_SCENE(the_file_of_a_quarantined_or_torn_line_is_named)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t other = store_builder_session(&builder, "t");
    struct xylem_position at = store_builder_add(&builder, session, "x7", "message", PAYLOAD);
    put_away(other, 5, "garbage with \"message\":\"" SECRET "\" in it\n");
    put_away(other, 6, "more with \"message\":\"" SECRET "\" in it\n");
    note_tail(other, "/torn", "{\"id\":\"x7\",\"message\":\"" SECRET);
    redact(session, at, plain);
    assert_int_equal(report.session_count, 1);
    assert_int_equal(report.source_count, 2);
    assert_string_equal(report.sources[0].data, "/a/file");
    assert_string_equal(report.sources[1].data, "/torn");
}

IN_SCENE(a_torn_tail_that_has_it_loses_its_bytes_and_keeps_their_number)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x7", "message", PAYLOAD);
    note_tail(session, "/torn", "{\"id\":\"x7\",\"message\":\"" SECRET);
    note_tail(session, "/other", "{\"id\":\"x8\",\"mess");
    redact(session, at, plain);
    assert_int_equal(report.tail_count, 1);
    assert_int_equal(report.source_count, 2);
    assert_string_equal(report.sources[0].data, "/other");
    assert_string_equal(report.sources[1].data, "/torn");
    struct xylem_store__source source;
    assert_int_equal(xylem_store__source_read(&source, builder.txn, session, xylem_view_of("/torn"), &err), 1);
    assert_int_equal(source.tail.bytes, 0);
    assert_int_equal(source.tail_bytes, strlen("{\"id\":\"x7\",\"message\":\"" SECRET));
    assert_int_equal(source.order, 1);
    assert_int_equal(source.displaced_count, 1);
    assert_int_equal(source.displaced[0].line, 9);
    assert_int_equal(xylem_store__source_read(&source, builder.txn, session, xylem_view_of("/other"), &err), 1);
    assert_true(source.tail.bytes > 0);
    assert_false(stands_in(XYLEM_FORMAT__SOURCES, SECRET));
}

IN_SCENE(a_noted_file_is_named_and_stays_as_it_is)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "x7", "message", PAYLOAD);
    note_tail(session, "/imported", "");
    store_builder_must(xylem_store__source_note(builder.txn, session, xylem_view_of("/noted"), &err), &err);
    redact(session, at, dropping); /* the hash of an imported file becomes random */
    assert_int_equal(report.source_count, 2);
    assert_string_equal(report.sources[0].data, "/imported");
    assert_string_equal(report.sources[1].data, "/noted");
    struct xylem_session_files *files;
    struct xylem_session_file file;
    store_builder_must(xylem_session_files_new(&files, builder.txn, session, &err), &err);
    assert_int_equal(store_builder_must(xylem_session_files_next(&file, files, &err), &err), 1);
    assert_int_equal(store_builder_must(xylem_session_files_next(&file, files, &err), &err), 1);
    assert_true(xylem_base__view_is(file.path, "/noted"));
    xylem_session_files_free(files);
    assert_sound();
}

/* --- Random trees ------------------------------------------------------------------------------------------------ */

#define SESSIONS 5u
#define ENTRIES 60u

struct known {
    struct xylem_position at;
    uint64_t session;
    uint64_t check;
    bool redacted;
    bool dropped;
};

static void grow_tree(struct chance *chance, uint64_t sessions[SESSIONS], struct known known[ENTRIES])
{
    char id[16];
    char json[64];
    sessions[0] = store_builder_session(&builder, "s0");
    for (size_t i = 0, count = 1; i < ENTRIES; i++) {
        if (i > 0 && count < SESSIONS && chance_below(chance, 8) == 0) {
            size_t from = (size_t)chance_below(chance, (int)i);
            snprintf(id, sizeof id, "s%zu", count);
            sessions[count++] = store_builder_fork(&builder, known[from].session, known[from].at, XYLEM_FORK_AT, id);
        }
        uint64_t session = sessions[chance_below(chance, (int)count)];
        snprintf(id, sizeof id, "e%zu", i);
        snprintf(json, sizeof json, "{\"n\":%zu,\"t\":\"payload %zu\"}", i, i);
        struct xylem_position parent = store_builder_leaf(&builder, session);
        if (i > 0 && chance_below(chance, 4) == 0) {
            size_t back = (size_t)chance_below(chance, (int)i);
            parent = known[back].session == session ? known[back].at : parent;
        }
        const char *kind = chance_below(chance, 3) == 0 ? "custom:q" : "message";
        known[i] = (struct known){.session = session};
        known[i].at = store_builder_add_at(&builder, session, parent, id, kind, json);
        known[i].check = entry_at(known[i].at).check;
    }
}

/* Is the entry that was redacted on the path of another? */
static bool is_behind(struct xylem_position redacted, struct xylem_position at)
{
    struct xylem_position ancestor;
    if (at.depth < redacted.depth) {
        return false;
    }
    store_builder_must(xylem_ancestor_at(&ancestor, builder.txn, at, redacted.depth, &err), &err);
    return xylem_format__position_equal(ancestor, redacted);
}

static void compare(struct known known[ENTRIES], size_t redacted, bool dropped)
{
    uint64_t behind = 0;
    for (size_t i = 0; i < ENTRIES; i++) {
        struct xylem_view payload;
        char id[16];
        char json[64];
        struct xylem_entry entry = entry_at(known[i].at);
        bool changes = dropped && is_behind(known[redacted].at, known[i].at);
        snprintf(id, sizeof id, "e%zu", i);
        snprintf(json, sizeof json, "\"t\":\"payload %zu\"}", i);
        assert_int_equal(entry.id.bytes, strlen(id));
        assert_memory_equal(entry.id.data, id, entry.id.bytes);
        assert_int_equal(entry.check != known[i].check, changes);
        behind += changes && i != redacted;
        known[i].check = entry.check;
        assert_int_equal((entry.flags & XYLEM_ENTRY_REDACTED) != 0, known[i].redacted);
        assert_int_equal((entry.flags & XYLEM_ENTRY_HASH_DROPPED) != 0, known[i].dropped);
        int code = xylem_entry_payload(&payload, &entry, &err);
        assert_int_equal(code, known[i].redacted ? XYLEM_E_REDACTED : XYLEM_OK);
        if (code == XYLEM_OK && entry.format == XYLEM_FORMAT_JSON) {
            assert_memory_equal(payload.data + payload.bytes - strlen(json), json, strlen(json));
        }
    }
    assert_int_equal(report.rechecked_count, behind);
}

static void run_round(uint64_t seed)
{
    struct chance chance = chance_of(seed);
    uint64_t sessions[SESSIONS] = {0};
    struct known known[ENTRIES];
    struct xylem_buffer before[2] = {{0}, {0}};
    struct xylem_buffer after[2] = {{0}, {0}};
    grow_tree(&chance, sessions, known);
    struct xylem_position leaf = store_builder_leaf(&builder, sessions[0]);
    store_builder_path_ids(&before[0], &builder, leaf);
    store_builder_scan_ids(&before[1], &builder, sessions[0]);
    for (unsigned i = 0; i < 12; i++) {
        size_t at = (size_t)chance_below(&chance, ENTRIES);
        bool drop = chance_below(&chance, 2) == 0;
        bool drops = drop && !known[at].dropped;
        known[at].redacted = true;
        known[at].dropped = known[at].dropped || drop;
        redact(known[at].session, known[at].at, (struct xylem_redact_options){.drop_hash = drop});
        compare(known, at, drops);
        assert_sound();
    }
    store_builder_path_ids(&after[0], &builder, leaf);
    store_builder_scan_ids(&after[1], &builder, sessions[0]);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(before[i].data, after[i].data);
        xylem_buffer_release(&before[i]);
        xylem_buffer_release(&after[i]);
    }
}

IN_SCENE(random_redactions_of_random_trees_leave_sound_stores)
{
    uint64_t rounds = getenv("XYLEM_TORTURE") ? 500 : 12;
    uint64_t first = getenv("XYLEM_SEED") ? strtoull(getenv("XYLEM_SEED"), NULL, 10) : 1;
    for (uint64_t i = 0; i < rounds; i++) {
        if (i > 0) {
            tear_down(state);
            set_up(state);
        }
        run_round(first + i);
    }
}
