/* Pulls into a real store: what arrives, and what is said of that which cannot. */
#include "fleet/puller.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/value.h"
#include "tests/lib/same_session.h"
#include "xylem/care.h"
#include "xylem/files.h"
#include "xylem/lease.h"
#include "xylem/redact.h"
#include "xylem/segment.h"

#include "tests/fleet/two_hosts.h"

/* A session of `count` segments in the engine, of five messages each. */
static uint64_t make_shipped(const char *id, unsigned count)
{
    uint64_t s = store_builder_session(&a.builder, id);
    for (unsigned i = 0; i < count; i++) {
        store_builder_messages(&a.builder, s, 5);
        host_ship(&a);
    }
    return s;
}

/* --- What arrives ------------------------------------------------------------------------------------------------- */

static unsigned imported;

static int import_file(const char *path, const struct stat *status, int type, struct FTW *where)
{
    struct xylem_import_report report = {0};
    (void)status;
    (void)where;
    if (type == FTW_F && strstr(path, ".jsonl")) {
        imported += xylem_import(&report, a.builder.store, path, NULL, &err) == XYLEM_OK;
        xylem_import_report_release(&report);
    }
    return 0;
}

FLEET_TEST(sessions_of_files_arrive_with_all_that_files_have)
{
    must(xylem_commit(a.builder.txn, &err));
    a.builder.txn = NULL;
    imported = 0;
    assert_int_equal(nftw("fixtures/sessions", import_file, 16, 0), 0);
    assert_true(imported > 40);
    must(xylem_begin(&a.builder.txn, a.builder.store, XYLEM_WRITE, &err));
    host_ship(&a);
    host_pull(&b);
    assert_int_equal(b.failed, 0);
    assert_same_sessions(a.builder.txn, b.builder.txn);
}

FLEET_TEST(a_deletion_arrives_and_so_does_its_end)
{
    uint64_t s = make_shipped("s", 1);
    host_pull(&b);
    must(xylem_session_delete(a.builder.txn, s, &err));
    host_ship(&a);
    host_pull(&b);
    assert_int_equal(host_find(&b, "s").state, XYLEM_SESSION_DELETED);
    hosts_same(&a, &b, "s");
    assert_true(memory_fleet_has(fleet, xylem_view_of("\"deleted\":true")));
    must(xylem_session_undelete(a.builder.txn, s, &err));
    store_builder_messages(&a.builder, s, 2);
    host_ship(&a);
    host_pull(&b);
    assert_int_equal(host_find(&b, "s").state, XYLEM_SESSION_LIVE);
    hosts_same(&a, &b, "s");
}

FLEET_TEST(a_fork_brings_its_source)
{
    uint64_t s = make_shipped("s", 2);
    uint64_t f = store_builder_fork(&a.builder, s, store_builder_leaf(&a.builder, s), XYLEM_FORK_AT, "f");
    store_builder_messages(&a.builder, f, 2);
    store_builder_fork(&a.builder, f, store_builder_leaf(&a.builder, f), XYLEM_FORK_AT, "g");
    host_ship(&a);
    host_pull_one(&b, "g", 0);
    assert_int_equal(b.failed, 0);
    hosts_same(&a, &b, "s");
    hosts_same(&a, &b, "f");
    hosts_same(&a, &b, "g");
}

FLEET_TEST(the_copy_follows_each_next_owner)
{
    struct host c;
    make_shipped("s", 1);
    host_open(&c, fleet, "gamma");
    for (unsigned i = 0; i < 4; i++) {
        struct host *taker = i % 2 ? &a : &b;
        host_pull_one(taker, "s", host_claim(taker, "s"));
        store_builder_messages(&taker->builder, host_find(taker, "s").number, 3);
        host_ship(taker);
        host_pull(&c);
        hosts_same(taker, &c, "s");
        assert_int_equal(host_find(&c, "s").epoch, i + 2);
        host_pull(i % 2 ? &b : &a);
    }
    assert_int_equal(host_told(&a, FLEET_NEWS_FORKED, NULL) + host_told(&b, FLEET_NEWS_FORKED, NULL), 0);
    host_close(&c);
}

FLEET_TEST(a_claim_that_was_lost_meanwhile_owns_nothing)
{
    make_shipped("s", 2);
    uint64_t epoch = host_claim(&b, "s");
    host_claim(&a, "s");
    host_pull_one(&b, "s", epoch);
    assert_int_equal(host_told(&b, FLEET_NEWS_OWNED, NULL), 0);
    assert_int_equal(host_told(&b, FLEET_NEWS_FENCED, "s"), 1);
    assert_true(xylem_base__view_is(host_find(&b, "s").owner, "alpha #3"));
}

FLEET_TEST(a_claim_of_what_this_store_had_goes_on_with_its_tail)
{
    uint64_t s = make_shipped("s", 2);
    host_pull_one(&b, "s", host_claim(&b, "s"));
    store_builder_messages(&a.builder, s, 3); /* not shipped */
    host_pull_one(&a, "s", host_claim(&a, "s"));
    assert_int_equal(host_told(&a, FLEET_NEWS_OWNED, "s"), 1);
    assert_int_equal(host_told(&a, FLEET_NEWS_FORKED, "s"), 0);
    host_ship(&a);
    assert_int_equal(row_of("s")->next, host_find(&a, "s").history.count + 1);
    host_pull(&b);
    hosts_same(&a, &b, "s");
}

FLEET_TEST(answers_that_do_not_come_are_asked_again)
{
    static const enum fleet_outcome outcomes[] = {FLEET_RETRY, FLEET_UNREACHABLE, FLEET_REFUSED};
    make_shipped("s", 40);
    for (unsigned i = 0; i < 3; i++) {
        engine_memory_say(b.reader, FLEET_LIST, outcomes[i], false, 2);
        engine_memory_say(b.reader, FLEET_READ, outcomes[i], false, 1);
    }
    engine_memory_reverse(b.reader, true);
    host_pull(&b);
    hosts_same(&a, &b, "s");
    assert_int_equal(b.failed, 0);
}

FLEET_TEST(a_map_that_is_full_grows)
{
    const struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE, .map_bytes = 1 << 20};
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_grow(&a.builder, s, 30000);
    host_ship(&a);
    must(xylem_commit(b.builder.txn, &err));
    must(xylem_close(b.builder.store, &err));
    must(xylem_open(&b.builder.store, b.builder.path, &options, &err));
    must(xylem_begin(&b.builder.txn, b.builder.store, XYLEM_WRITE, &err));
    host_pull(&b);
    hosts_same(&a, &b, "s");
}

FLEET_TEST(a_copy_that_is_followed_is_not_written_while_nothing_comes)
{
    struct fleet_puller *puller;
    struct fleet_turn turn;
    const struct fleet_puller_options options = {.follow = true};
    make_shipped("s", 1);
    host_pull(&b); /* the host's transaction is open behind that: another one to write would be BUSY */
    must(fleet_puller_new(&puller, b.builder.store, b.reader, &options, &err));
    must(fleet_puller_add(puller, xylem_view_of("s"), false, 0, &err));
    uint64_t looks = memory_fleet_count(fleet, FLEET_READ, FLEET_DONE);
    for (unsigned i = 0; i < 50; i++) {
        must(fleet_puller_turn(&turn, puller, 1000 + i * 100, &err));
    }
    assert_in_range(memory_fleet_count(fleet, FLEET_READ, FLEET_DONE), looks + 20, looks + 50);
    fleet_puller_free(puller);
}

/* --- Copies that were changed here -------------------------------------------------------------------------------- */

FLEET_TEST(a_copy_that_was_deleted_here_stays_so)
{
    uint64_t s = make_shipped("s", 1);
    store_builder_add(&a.builder, s, "secret", "message", "{\"x\":1}");
    host_ship(&a);
    host_pull(&b);
    uint64_t copy = host_find(&b, "s").number;
    must(xylem_session_delete(b.builder.txn, copy, &err));
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    host_pull(&b);
    assert_int_equal(host_find(&b, "s").state, XYLEM_SESSION_DELETED);
    assert_int_equal(host_told(&b, FLEET_NEWS_HELD, "s"), 1);
    struct xylem_redact_report report;
    struct xylem_entry entry;
    const struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .only_this = true};
    must(xylem_redact(&report, a.builder.txn, s, store_builder_find(&a.builder, s, "secret"), &options, &err));
    xylem_redact_report_release(&report);
    host_ship(&a);
    host_pull(&b);
    must(xylem_entry_read(&entry, b.builder.txn, store_builder_find(&b.builder, copy, "secret"), &err));
    assert_true(entry.flags & XYLEM_ENTRY_REDACTED);
    assert_int_equal(b.failed, 0);
}

FLEET_TEST(a_session_of_this_store_is_left_unless_it_is_asked_for)
{
    make_shipped("s", 1);
    uint64_t own = store_builder_session(&b.builder, "s");
    store_builder_add(&b.builder, own, "mine", "message", "{}");
    host_pull(&b);
    assert_int_equal(host_told(&b, FLEET_NEWS_FOREIGN, "s"), 1);
    assert_int_equal(host_find(&b, "s").number, own);
    host_pull_one(&b, "s", 0);
    assert_int_equal(host_told(&b, FLEET_NEWS_FORKED, "s"), 1);
    assert_int_equal(host_find(&b, host_last(&b, FLEET_NEWS_FORKED)->fork).number, own);
    hosts_same(&a, &b, "s");
}

FLEET_TEST(a_pull_keeps_the_tail_of_a_store_that_was_fenced_as_a_fork)
{
    uint64_t s = make_shipped("s", 1);
    host_pull_one(&b, "s", host_claim(&b, "s"));
    store_builder_messages(&a.builder, s, 3); /* not shipped */
    host_pull_one(&a, "s", 0);
    assert_int_equal(host_told(&a, FLEET_NEWS_FORKED, "s"), 1);
    assert_int_equal(host_find(&a, host_last(&a, FLEET_NEWS_FORKED)->fork).number, s);
    hosts_same(&b, &a, "s");
}

static void count_in_use(void *context, const struct fleet_news *news)
{
    unsigned *count = context;
    *count += news->type == FLEET_NEWS_IN_USE;
}

FLEET_TEST(a_session_that_a_process_holds_here_comes_when_the_process_lets_go)
{
    struct xylem_lease *lease;
    struct xylem_store *other;
    make_shipped("s", 1);
    host_pull_one(&b, "s", host_claim(&b, "s"));
    store_builder_messages(&b.builder, host_find(&b, "s").number, 1);
    host_ship(&b);
    uint64_t s = host_find(&a, "s").number;
    must(xylem_commit(a.builder.txn, &err));
    a.builder.txn = NULL;
    must(xylem_open(&other, a.builder.path, NULL, &err));
    must(xylem_lease_take(&lease, other, s, &err));
    struct fleet_puller *puller;
    struct fleet_turn turn = {.idle = false};
    unsigned told = 0;
    const struct fleet_puller_options options = {.tell = count_in_use, .context = &told, .all = true};
    must(fleet_puller_new(&puller, a.builder.store, a.reader, &options, &err));
    for (unsigned i = 0; i < 50; i++) {
        must(fleet_puller_turn(&turn, puller, 1000 + i * 100, &err));
    }
    assert_false(turn.idle);
    assert_int_equal(told, 1);
    must(xylem_lease_release(lease, &err));
    must(xylem_close(other, &err));
    for (unsigned i = 0; i < 50; i++) {
        must(fleet_puller_turn(&turn, puller, 6000 + i * 100, &err));
    }
    assert_true(turn.idle);
    assert_int_equal(told, 1);
    fleet_puller_free(puller);
    must(xylem_begin(&a.builder.txn, a.builder.store, XYLEM_WRITE, &err));
    hosts_same(&b, &a, "s");
}

/* --- An engine that lost something, or shows what is wrong --------------------------------------------------------- */

FLEET_TEST(a_copy_that_has_more_than_the_engine_waits)
{
    uint64_t s = make_shipped("s", 1);
    struct rows_table *saved = memory_fleet_save(fleet);
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    host_pull(&b);
    memory_fleet_restore(fleet, saved);
    host_pull(&b);
    assert_int_equal(b.failed, 1);
    assert_int_equal(host_last(&b, FLEET_NEWS_BEHIND)->from, 7);
    assert_int_equal(host_last(&b, FLEET_NEWS_BEHIND)->to, 10);
    assert_int_equal(host_told(&b, FLEET_NEWS_FORKED, NULL), 0);
    store_builder_messages(&a.builder, s, 1);
    host_ship(&a);
    host_pull(&b);
    assert_int_equal(b.failed, 0);
    hosts_same(&a, &b, "s");
    memory_fleet_saved_free(saved);
}

FLEET_TEST(a_copy_of_what_was_lost_becomes_a_fork_when_the_owner_goes_on)
{
    struct host c;
    for (unsigned more = 1; more < 6; more += 2) { /* the engine has less, as much, and more */
        char id[8];
        (void)snprintf(id, sizeof id, "s%u", more);
        uint64_t s = make_shipped(id, 1);
        struct rows_table *saved = memory_fleet_save(fleet);
        store_builder_messages(&a.builder, s, 3);
        host_ship(&a);
        host_pull(&b);
        memory_fleet_restore(fleet, saved); /* with a the last changes are gone, too: c goes on */
        host_open(&c, fleet, "gamma");
        host_pull_one(&c, id, host_claim(&c, id));
        store_builder_messages(&c.builder, host_find(&c, id).number, more);
        host_ship(&c);
        host_pull(&b);
        assert_int_equal(host_told(&b, FLEET_NEWS_FORKED, id), 1);
        hosts_same(&c, &b, id);
        host_close(&c);
        memory_fleet_saved_free(saved);
    }
}

/* The next read comes of a node that missed the claim, and has more than the store. */
static void forget_the_claim(void *context, const struct fleet_news *news)
{
    unsigned *told = context;
    told[news->type]++;
    if (news->type == FLEET_NEWS_PULLED && told[FLEET_NEWS_PULLED] == 1) {
        row_of("s")->epoch = 1;
    }
    assert_true(news->type != FLEET_NEWS_BEHIND || (news->from == 0 && news->to == 0));
}

FLEET_TEST(a_copy_waits_for_a_node_that_missed_the_claim)
{
    unsigned told[FLEET_NEWS_TYPE_COUNT] = {0};
    struct fleet_puller *puller;
    struct fleet_turn turn = {.idle = false};
    const struct fleet_puller_options options = {.all = true, .tell = forget_the_claim, .context = told};
    make_shipped("s", 40);
    host_pull_one(&b, "s", host_claim(&b, "s"));
    struct host c;
    host_open(&c, fleet, "gamma");
    must(xylem_commit(c.builder.txn, &err));
    must(fleet_puller_new(&puller, c.builder.store, c.reader, &options, &err));
    for (unsigned i = 0; i < 50 && !turn.idle; i++) {
        must(fleet_puller_turn(&turn, puller, 1000 + i * 100, &err));
    }
    assert_true(turn.idle);
    assert_int_equal(fleet_puller_failed(puller), 1);
    fleet_puller_free(puller);
    must(xylem_begin(&c.builder.txn, c.builder.store, XYLEM_WRITE, &err));
    assert_int_equal(told[FLEET_NEWS_BEHIND], 1);
    assert_int_equal(told[FLEET_NEWS_FORKED], 0);
    assert_in_range(host_find(&c, "s").history.count, 5, row_of("s")->next - 2);
    row_of("s")->epoch = 2;
    host_pull(&c);
    assert_int_equal(c.failed, 0);
    hosts_same(&b, &c, "s");
    host_close(&c);
}

FLEET_TEST(a_copy_waits_for_an_engine_that_lost_the_claim)
{
    uint64_t s = make_shipped("s", 1);
    struct rows_table *saved = memory_fleet_save(fleet);
    struct host c;
    host_open(&c, fleet, "gamma");
    host_pull_one(&b, "s", host_claim(&b, "s"));
    host_pull(&c);
    memory_fleet_restore(fleet, saved);
    for (unsigned more = 0; more < 2; more++) { /* the engine has as many changes as the copy; then it has more */
        host_forget_news(&b);
        host_forget_news(&c);
        host_pull_one(&c, "s", 0);
        assert_int_equal(c.failed, 1);
        assert_int_equal(host_told(&c, FLEET_NEWS_IN_USE, NULL), 0);
        assert_int_equal(host_told(&c, FLEET_NEWS_BEHIND, "s"), 1);
        assert_int_equal(host_last(&c, FLEET_NEWS_BEHIND)->from, 0);
        host_pull(&b); /* owns the session: its ship claims it again */
        assert_int_equal(host_told(&b, FLEET_NEWS_BEHIND, "s"), 1);
        assert_int_equal(host_told(&b, FLEET_NEWS_FORKED, NULL), 0);
        assert_null(host_find(&b, "s").owner.data);
        store_builder_messages(&a.builder, s, 3);
        host_ship(&a);
    }
    memory_fleet_saved_free(saved);
    host_close(&c);
}

FLEET_TEST(a_damaged_segment_is_read_twice_and_named)
{
    make_shipped("s", 3);
    make_shipped("t", 1);
    struct rows_bytes *body = row_of("s")->pieces[1]->body;
    body->data[body->bytes / 2] ^= 1;
    host_pull(&b);
    /* t; all of s; what of s fits, alone; the damaged segment again. */
    assert_int_equal(memory_fleet_count(fleet, FLEET_READ, FLEET_DONE), 4);
    assert_int_equal(b.failed, 1);
    assert_int_equal(host_told(&b, FLEET_NEWS_DAMAGED, "s"), 1);
    assert_int_equal(host_last(&b, FLEET_NEWS_DAMAGED)->from, 7);
    assert_int_equal(host_find(&b, "s").history.count, 6); /* what stands before was taken */
    hosts_same(&a, &b, "t");
    body = row_of("s")->pieces[1]->body;
    body->data[body->bytes / 2] ^= 1;
    host_pull(&b);
    hosts_same(&a, &b, "s");
}

FLEET_TEST(a_segment_of_another_session_is_not_applied)
{
    make_shipped("s", 1);
    make_shipped("t", 1);
    struct rows_version *s = row_of("s");
    struct rows_version *t = row_of("t");
    struct rows_bytes *body = s->pieces[0]->body;
    s->pieces[0]->body = t->pieces[0]->body;
    t->pieces[0]->body = body;
    host_pull(&b);
    assert_int_equal(b.failed, 2);
    assert_int_equal(host_told(&b, FLEET_NEWS_DAMAGED, NULL), 2);
    assert_int_equal(host_find(&b, "s").number, 0);
}

FLEET_TEST(a_missing_segment_is_named)
{
    make_shipped("s", 3);
    struct rows_version *row = row_of("s");
    struct rows_piece *piece = row->pieces[1];
    row->pieces[1] = row->pieces[2];
    row->pieces[2] = piece;
    row->piece_count = 2;
    host_pull(&b);
    assert_int_equal(host_last(&b, FLEET_NEWS_DAMAGED)->from, 7);
    assert_int_equal(host_find(&b, "s").history.count, 6);
    row_of("s")->piece_count = 3;
}

FLEET_TEST(a_session_that_the_engine_does_not_have_is_missing)
{
    host_pull_one(&b, "nobody's", 0);
    assert_int_equal(b.failed, 1);
    assert_int_equal(host_told(&b, FLEET_NEWS_MISSING, "nobody's"), 1);
}

/* Puts the segments of a session into the engine under a stranger's token. */
static void put_segment(struct host *host, const char *id)
{
    static const struct xylem_pack_options options = {.from = 1};
    struct xylem_packing *packing;
    struct xylem_segment segment;
    struct xylem_buffer bytes = {NULL, 0, 0};
    struct fleet_answer answer;
    must(xylem_packing_new(&packing, host->builder.txn, host_find(host, id).number, &options, &err));
    assert_int_equal(must(xylem_packing_next(&bytes, &segment, packing, &err)), 1);
    struct fleet_request claim = {
        .ask = FLEET_CLAIM, .session = segment.session, .make = true, .host = xylem_view_of("stranger")};
    struct fleet_request append = {.ask = FLEET_APPEND,
                                   .session = segment.session,
                                   .epoch = 1,
                                   .from = 1,
                                   .to = segment.to,
                                   .after = segment.chain,
                                   .body = xylem_base__buffer_view(&bytes)};
    must(host->reader->submit(host->reader, 1, &claim, &err));
    assert_int_equal(must(host->reader->poll(host->reader, &answer, &err)), 1);
    must(host->reader->submit(host->reader, 2, &append, &err));
    assert_int_equal(must(host->reader->poll(host->reader, &answer, &err)), 1);
    assert_int_equal(answer.outcome, FLEET_DONE);
    xylem_packing_free(packing);
    xylem_buffer_release(&bytes);
}

FLEET_TEST(a_fork_without_its_source_is_an_error)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_fork(&a.builder, s, store_builder_messages(&a.builder, s, 2), XYLEM_FORK_AT, "f");
    put_segment(&a, "f");
    host_pull_one(&b, "f", 0);
    assert_int_equal(b.failed, 2);
    assert_int_equal(host_told(&b, FLEET_NEWS_MISSING, "s"), 1);
    assert_int_equal(host_told(&b, FLEET_NEWS_DAMAGED, "f"), 1);
    host_ship(&a);
    host_pull(&b);
    assert_int_equal(b.failed, 0);
    hosts_same(&a, &b, "f");
}

FLEET_TEST(forks_of_each_other_end)
{
    struct host c;
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_fork(&a.builder, s, store_builder_messages(&a.builder, s, 2), XYLEM_FORK_AT, "f");
    put_segment(&a, "f");
    host_open(&c, fleet, "gamma");
    uint64_t f = store_builder_session(&c.builder, "f");
    store_builder_fork(&c.builder, f, store_builder_messages(&c.builder, f, 2), XYLEM_FORK_AT, "s");
    put_segment(&c, "s");
    host_pull(&b);
    assert_int_equal(b.failed, 2);
    assert_int_equal(host_find(&b, "s").number, 0);
    host_close(&c);
}
