/* Redactions reach the engine's segments, heads and lists, and whoever pulls. Each test sees the text there before. */
#include "fleet/shipper.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "xylem/care.h"
#include "xylem/files.h"
#include "xylem/line.h"
#include "xylem/redact.h"

#include "tests/fleet/two_hosts.h"

#define WITH_SECRET "{\"x\":\"" SECRET "\"}"

static bool is_redacted(struct host *host, const char *session, const char *id)
{
    struct xylem_entry entry;
    uint64_t number = host_find(host, session).number;
    must(xylem_entry_read(&entry, host->builder.txn, store_builder_find(&host->builder, number, id), &err));
    return entry.flags & XYLEM_ENTRY_REDACTED;
}

static void redact(struct host *host, const char *session, const char *id, bool drop_hash, bool only_this,
                   const char *reason)
{
    struct xylem_redact_report report;
    const struct xylem_redact_options options = {
        .reason = xylem_view_of(reason), .drop_hash = drop_hash, .only_this = only_this};
    uint64_t number = host_find(host, session).number;
    must(xylem_redact(&report, host->builder.txn, number, store_builder_find(&host->builder, number, id), &options,
                      &err));
    xylem_redact_report_release(&report);
}

/* A session of several segments in the engine: the secret stands in the second. */
static uint64_t make_shipped(void)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    store_builder_add(&a.builder, s, "secret", "message", WITH_SECRET);
    host_ship(&a);
    for (int i = 0; i < 3; i++) {
        store_builder_messages(&a.builder, s, 5);
        host_ship(&a);
    }
    assert_int_equal(row_of("s")->piece_count, 5);
    assert_true(engine_has(SECRET));
    host_pull(&b);
    host_forget_news(&a);
    return s;
}

static struct host c;

/* A store that comes later has the same. */
static void assert_new_follower(const char *session)
{
    host_open(&c, fleet, "gamma");
    host_pull(&c);
    hosts_same(&a, &c, session);
    assert_int_equal(c.failed, 0);
    host_close(&c);
}

FLEET_TEST(a_redaction_rewrites_the_segment_that_has_the_text)
{
    make_shipped();
    redact(&a, "s", "secret", false, true, "a key");
    host_ship(&a);
    assert_false(engine_has(SECRET));
    assert_int_equal(host_told(&a, FLEET_NEWS_REWRITTEN, "s"), 1);
    assert_int_equal(host_last(&a, FLEET_NEWS_REWRITTEN)->from, 5);
    assert_int_equal(host_last(&a, FLEET_NEWS_REWRITTEN)->to, 6);
    host_pull(&b);
    assert_true(is_redacted(&b, "s", "secret"));
    hosts_same(&a, &b, "s");
    assert_new_follower("s");
}

FLEET_TEST(a_dropped_hash_rewrites_all_behind_and_the_forks)
{
    uint64_t s = make_shipped();
    uint64_t f = store_builder_fork(&a.builder, s, store_builder_leaf(&a.builder, s), XYLEM_FORK_AT, "f");
    store_builder_messages(&a.builder, f, 5);
    host_ship(&a);
    host_pull(&b);
    host_forget_news(&a);
    redact(&a, "s", "secret", true, true, "a key");
    host_ship(&a);
    assert_false(engine_has(SECRET));
    assert_int_equal(host_told(&a, FLEET_NEWS_REWRITTEN, "s"), 1);
    assert_int_equal(host_told(&a, FLEET_NEWS_REWRITTEN, "f"), 1);
    host_pull(&b);
    hosts_same(&a, &b, "s");
    hosts_same(&a, &b, "f");
    assert_new_follower("s");
    host_open(&c, fleet, "gamma");
    host_pull_one(&c, "f", 0); /* the base comes first, and fits */
    hosts_same(&a, &c, "f");
    host_close(&c);
}

FLEET_TEST(forks_that_name_their_source_anew_lose_no_text)
{
    uint64_t s = make_shipped();
    host_ship(&a);
    host_pull_one(&b, "s", host_claim(&b, "s"));
    struct xylem_position tail = store_builder_messages(&a.builder, s, 2);
    for (unsigned i = 0; i < 3; i++) {
        char id[8];
        (void)snprintf(id, sizeof id, "f%u", i);
        store_builder_messages(&a.builder, store_builder_fork(&a.builder, s, tail, XYLEM_FORK_AT, id), 1);
    }
    host_forget_news(&a);
    host_ship(&a);
    assert_int_equal(host_told(&a, FLEET_NEWS_FORKED, "s"), 1);
    assert_true(memory_fleet_count(fleet, FLEET_REWRITE, FLEET_DONE) > 0);
    assert_int_equal(host_told(&a, FLEET_NEWS_REWRITTEN, NULL), 0);
}

FLEET_TEST(a_text_of_the_source_leaves_the_head_of_a_fork)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    struct xylem_position at = store_builder_add(&a.builder, s, "secret", "message", WITH_SECRET);
    store_builder_fork(&a.builder, s, at, XYLEM_FORK_AT, "f");
    host_ship(&a);
    redact(&a, "s", "secret", false, true, "a key");
    struct rows_version *row = row_of("f");
    assert_non_null(memmem(row->head->data, row->head->bytes, SECRET, strlen(SECRET)));
    host_ship(&a);
    assert_false(engine_has(SECRET));
    assert_new_follower("f");
}

FLEET_TEST(a_text_of_another_hosts_source_leaves_the_head_of_a_fork)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_add(&a.builder, s, "secret", "message", WITH_SECRET);
    host_ship(&a);
    host_pull(&b);
    uint64_t copy = host_find(&b, "s").number;
    store_builder_fork(&b.builder, copy, store_builder_leaf(&b.builder, copy), XYLEM_FORK_AT, "f");
    host_ship(&b);
    for (int drop = 0; drop < 2; drop++) {
        redact(&a, "s", "secret", drop, true, "a key");
        host_ship(&a);
        host_pull(&b);
        host_ship(&b);
        assert_false(engine_has(SECRET));
        host_open(&c, fleet, "gamma");
        host_pull_one(&c, "f", 0);
        hosts_same(&b, &c, "f");
        host_close(&c);
    }
}

FLEET_TEST(a_text_that_was_not_shipped_yet_never_travels)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    store_builder_add(&a.builder, s, "secret", "message", WITH_SECRET);
    redact(&a, "s", "secret", false, true, "a key");
    host_ship(&a);
    assert_false(engine_has(SECRET));
    assert_int_equal(host_told(&a, FLEET_NEWS_REWRITTEN, NULL), 0);
    assert_new_follower("s");
}

FLEET_TEST(a_rewriting_that_is_cut_short_is_repeated)
{
    static const enum fleet_outcome outcomes[] = {FLEET_UNKNOWN, FLEET_NO, FLEET_RETRY, FLEET_UNREACHABLE};
    char id[16];
    for (unsigned i = 0; i < 20; i++) {
        (void)snprintf(id, sizeof id, "s%u", i);
        uint64_t s = store_builder_session(&a.builder, id);
        store_builder_add(&a.builder, s, "secret", "message", WITH_SECRET);
        store_builder_messages(&a.builder, s, 3);
        host_ship(&a);
        redact(&a, id, "secret", i % 2, true, "a key");
        assert_true(engine_has(SECRET));
        if (i < 12) {
            enum fleet_outcome outcome = outcomes[i % 4];
            engine_memory_say(a.engine, i % 3 ? FLEET_REWRITE : FLEET_READ,
                              i % 3 || outcome != FLEET_UNKNOWN ? outcome : FLEET_UNREACHABLE,
                              outcome == FLEET_UNKNOWN && i >= 6, 1 + i % 2);
        } else {
            host_ship_turns(&a, i - 10); /* and then it is killed */
            host_stop(&a);
        }
        host_ship(&a);
        assert_false(engine_has(SECRET));
    }
    host_pull(&b);
    hosts_same(&a, &b, "s7");
}

FLEET_TEST(a_late_rewriting_does_not_bring_the_text_back)
{
    make_shipped();
    struct rows_version *row = row_of("s");
    const struct rows_bytes *body = row->pieces[1]->body;
    struct fleet_request late = {.ask = FLEET_REWRITE,
                                 .session = xylem_view_of("s"),
                                 .epoch = row->epoch,
                                 .generation = row->generation,
                                 .from = row->pieces[1]->from,
                                 .to = row->pieces[1]->to};
    struct xylem_buffer copy = {NULL, 0, 0};
    struct fleet_answer answer;
    must(xylem_buffer_add(&copy, body->data, body->bytes));
    late.body = xylem_base__buffer_view(&copy);
    memcpy(late.owner, fleet_shipper_token(a.shipper), sizeof late.owner);
    redact(&a, "s", "secret", false, true, "a key");
    host_ship(&a);
    must(a.reader->submit(a.reader, 1, &late, &err));
    assert_int_equal(must(a.reader->poll(a.reader, &answer, &err)), 1);
    assert_int_equal(answer.outcome, FLEET_NO);
    assert_false(engine_has(SECRET));
    xylem_buffer_release(&copy);
}

/* 20,000 small payloads fill a segment; a reason of 256 bytes in the place of each makes it five times as long. */
FLEET_TEST(a_segment_that_grows_by_reasons_stays_one)
{
    char reason[XYLEM_REASON_BYTES_MAX + 1];
    struct xylem_patterns *patterns = NULL;
    struct xylem_redact_report report;
    memset(reason, 'r', sizeof reason - 1);
    reason[sizeof reason - 1] = '\0';
    uint64_t s = store_builder_session(&a.builder, "s");
    for (int i = 0; i < 40000; i++) {
        store_builder_add(&a.builder, s, NULL, "message", "{\"x\":\"" SECRET "\"}");
    }
    host_ship(&a);
    assert_true(engine_has(SECRET));
    assert_true(row_of("s")->piece_count > 1);
    const struct xylem_redact_matches_options options = {.redact = {.reason = xylem_view_of(reason)}};
    must(xylem_patterns_new(&patterns, xylem_view_of(SECRET), &err));
    must(xylem_redact_matches(&report, a.builder.txn, patterns, &options, &err));
    xylem_redact_report_release(&report);
    xylem_patterns_free(patterns);
    host_ship(&a);
    assert_false(engine_has(SECRET));
    assert_new_follower("s");
}

/* --- Session files ------------------------------------------------------------------------------------------------ */

#define HEADER \
    "{\"type\":\"session\",\"version\":3,\"id\":\"i\",\"timestamp\":\"2026-11-20T10:00:00.000Z\",\"cwd\":\"/\"}\n"
#define LINE(id, parent, text)                                     \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent \
    ",\"timestamp\":\"2026-11-20T10:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":\"" text "\"}}\n"

static void import_text(struct host *host, const char *text)
{
    char path[300];
    struct xylem_import_report report = {0};
    (void)snprintf(path, sizeof path, "%s/i.jsonl", host->builder.path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    must(xylem_commit(host->builder.txn, &err));
    must(xylem_import(&report, host->builder.store, path, NULL, &err));
    xylem_import_report_release(&report);
    must(xylem_begin(&host->builder.txn, host->builder.store, XYLEM_WRITE, &err));
}

FLEET_TEST(a_quarantined_line_leaves_the_documents_of_older_segments)
{
    static const char text[] = HEADER LINE("a", "null", SECRET) LINE("a", "null", SECRET " twice");
    import_text(&a, text);
    uint64_t s = host_find(&a, "i").number;
    for (int i = 0; i < 3; i++) { /* each segment had the document when it was the last */
        host_ship(&a);
        store_builder_messages(&a.builder, s, 1);
    }
    assert_true(engine_has(SECRET " twice"));
    host_pull(&b);
    redact(&a, "i", "a", false, false, "a key");
    host_ship(&a);
    assert_false(engine_has(SECRET));
    host_pull(&b);
    hosts_same(&a, &b, "i");
    assert_new_follower("i");
}

FLEET_TEST(a_quarantined_copy_in_another_session_goes_too)
{
    static const char text[] = HEADER LINE("a", "null", SECRET) LINE("a", "null", "other");
    import_text(&a, text);
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_add(&a.builder, s, "a", "message", "{\"role\":\"user\",\"content\":\"" SECRET "\"}");
    host_ship(&a);
    store_builder_messages(&a.builder, host_find(&a, "i").number, 1);
    host_ship(&a);
    redact(&a, "s", "a", false, false, "a key");
    assert_true(engine_has(SECRET));
    host_ship(&a);
    assert_false(engine_has(SECRET));
    assert_new_follower("i");
}

FLEET_TEST(a_torn_last_line_goes_too)
{
    static const char text[] = HEADER LINE("a", "null", SECRET) "{\"type\":\"message\",\"id\":\"a\",\"x\":\"" SECRET;
    import_text(&a, text);
    host_ship(&a);
    store_builder_messages(&a.builder, host_find(&a, "i").number, 1);
    host_ship(&a);
    redact(&a, "i", "a", false, false, "a key");
    assert_true(engine_has(SECRET));
    host_ship(&a);
    assert_false(engine_has(SECRET));
    assert_new_follower("i");
}

FLEET_TEST(a_record_beside_the_entries_goes_too)
{
    const struct xylem_side side = {.type = XYLEM_SIDE_RECORD,
                                    .bytes = xylem_view_of("{\"uuid\":\"secret\",\"x\":\"" SECRET "\"}")};
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_add(&a.builder, s, "secret", "message", WITH_SECRET);
    must(xylem_side_add(NULL, a.builder.txn, s, &side, &err));
    host_ship(&a);
    store_builder_messages(&a.builder, s, 1);
    host_ship(&a);
    redact(&a, "s", "secret", false, false, "a key");
    assert_true(engine_has(SECRET));
    host_ship(&a);
    assert_false(engine_has(SECRET));
    host_pull(&b);
    hosts_same(&a, &b, "s");
}

/* --- Freed sessions ----------------------------------------------------------------------------------------------- */

static void free_session(struct host *host, const char *id)
{
    must(xylem_session_delete(host->builder.txn, host_find(host, id).number, &err));
    must(xylem_gc(NULL, host->builder.txn, NULL, &err));
}

FLEET_TEST(a_freed_session_leaves_the_engine)
{
    make_shipped();
    free_session(&a, "s");
    host_ship(&a);
    assert_false(engine_has(SECRET));
    struct rows_version *row = row_of("s");
    assert_true(row->freed);
    assert_int_equal(row->piece_count, 0);
    assert_int_equal(host_told(&a, FLEET_NEWS_FREED, "s"), 1);
    host_pull(&b);
    assert_int_equal(host_find(&b, "s").state, XYLEM_SESSION_DELETED);
    assert_int_equal(host_told(&b, FLEET_NEWS_FREED, "s"), 1);
    host_ship(&b);
    assert_int_equal(memory_fleet_count(fleet, FLEET_FREE, FLEET_DONE), 1);
}

FLEET_TEST(a_freed_source_leaves_what_its_forks_need_and_a_redaction_reaches_that)
{
    uint64_t s = make_shipped();
    store_builder_fork(&a.builder, s, store_builder_find(&a.builder, s, "secret"), XYLEM_FORK_AT, "f");
    host_ship(&a);
    free_session(&a, "s");
    host_ship(&a);
    assert_true(engine_has(SECRET));
    assert_int_equal(row_of("s")->piece_count, 1);
    assert_new_follower("f");
    host_pull(&b);
    redact(&a, "f", "secret", false, true, "a key");
    host_ship(&a);
    assert_false(engine_has(SECRET));
    assert_new_follower("f");
}

FLEET_TEST(a_freeing_that_is_cut_short_is_repeated)
{
    static const enum fleet_outcome outcomes[] = {FLEET_UNKNOWN, FLEET_NO, FLEET_RETRY, FLEET_UNREACHABLE};
    char id[16];
    for (unsigned i = 0; i < 12; i++) {
        (void)snprintf(id, sizeof id, "s%u", i);
        store_builder_add(&a.builder, store_builder_session(&a.builder, id), "secret", "message", WITH_SECRET);
        host_ship(&a);
        assert_true(engine_has(SECRET));
        free_session(&a, id);
        engine_memory_say(a.engine, i % 3 ? FLEET_FREE : FLEET_LOOK, i % 3 ? outcomes[i % 4] : FLEET_UNKNOWN, i >= 6,
                          1);
        host_ship_turns(&a, 2 + i % 5);
        if (i % 2) {
            host_stop(&a);
        }
        host_ship(&a);
        assert_false(engine_has(SECRET));
        assert_true(memory_fleet_row(fleet, xylem_view_of(id))->freed);
    }
}

FLEET_TEST(a_new_session_of_a_freed_id_is_held)
{
    make_shipped();
    free_session(&a, "s");
    store_builder_messages(&a.builder, store_builder_session(&a.builder, "s"), 2);
    host_ship(&a);
    assert_true(row_of("s")->freed);
    assert_int_equal(host_told(&a, FLEET_NEWS_FREED, "s"), 1);
    assert_int_equal(host_told(&a, FLEET_NEWS_HELD, "s"), 1);
}
