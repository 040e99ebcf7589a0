/* A real store ships to an engine in memory, and another real store pulls: what arrives, and what never gets lost. */
#include "fleet/shipper.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/value.h"
#include "tests/lib/same_session.h"
#include "xylem/append.h"
#include "xylem/care.h"
#include "xylem/lease.h"
#include "xylem/note.h"
#include "xylem/redact.h"
#include "xylem/state.h"

#include "tests/fleet/two_hosts.h"

static uint64_t done(enum fleet_ask ask)
{
    return memory_fleet_count(fleet, ask, FLEET_DONE);
}

/* The engine has what the host has, and the host knows. */
static void assert_shipped(struct host *host, const char *session)
{
    struct xylem_session here = host_find(host, session);
    const struct rows_version *row = row_of(session);
    assert_int_equal(row->next, here.history.count + 1);
    assert_int_equal(row->chain, here.history.chain);
    assert_int_equal(row->epoch, here.epoch);
    assert_null(here.owner.data);
    assert_int_equal(fleet_shipper_backlog(host->shipper), 0);
}

/* --- Shipping ----------------------------------------------------------------------------------------------------- */

FLEET_TEST(what_is_shipped_and_pulled_is_the_same)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    struct xylem_position first = store_builder_messages(&a.builder, s, 5);
    store_builder_add(&a.builder, s, NULL, "session_info", "{\"name\":\"a name\"}");
    store_builder_add(&a.builder, s, NULL, "label", "{\"targetId\":\"x\",\"label\":\"l\"}");
    store_builder_go(&a.builder, s, first);
    store_builder_add(&a.builder, s, NULL, "message", "{\"x\":1}");
    store_builder_fork(&a.builder, s, first, XYLEM_FORK_AT, "f");
    store_builder_clone(&a.builder, s, "c");
    store_builder_session(&a.builder, "empty");
    host_ship(&a);
    static const char *const ids[] = {"s", "f", "c", "empty"};
    host_pull(&b);
    for (size_t i = 0; i < 4; i++) {
        assert_shipped(&a, ids[i]);
        hosts_same(&a, &b, ids[i]);
        assert_true(xylem_base__view_is(host_find(&b, ids[i]).owner, "alpha #1"));
    }
    assert_int_equal(b.failed, 0);
    assert_true(engine_has("\"name\":\"a name\",\"prompt\":null,\"cwd\":null,\"entries\":8,"));
}

FLEET_TEST(a_second_ship_sends_nothing)
{
    store_builder_messages(&a.builder, store_builder_session(&a.builder, "s"), 5);
    host_ship(&a);
    host_stop(&a);
    uint64_t before = memory_fleet_count(fleet, FLEET_ASK_COUNT, FLEET_DONE);
    host_ship(&a);
    assert_int_equal(memory_fleet_count(fleet, FLEET_ASK_COUNT, FLEET_DONE), before);
    assert_int_equal(host_told(&a, FLEET_NEWS_SHIPPED, "s"), 1);
}

FLEET_TEST(news_wait_for_others)
{
    struct fleet_turn turn;
    uint64_t s = store_builder_session(&a.builder, "s");
    host_ship(&a);
    store_builder_messages(&a.builder, s, 1);
    host_ship_turns(&a, 1);
    store_builder_messages(&a.builder, s, 1);
    host_ship(&a);
    assert_int_equal(host_told(&a, FLEET_NEWS_SHIPPED, "s"), 2);
    must(xylem_commit(a.builder.txn, &err));
    a.builder.txn = NULL;
    must(fleet_shipper_turn(&turn, a.shipper, a.now_ms, &err));
    assert_true(turn.idle);
    assert_true(turn.wait_ms == UINT64_MAX);
    must(xylem_begin(&a.builder.txn, a.builder.store, XYLEM_WRITE, &err));
}

FLEET_TEST(a_kill_between_an_append_and_the_cursor_sends_again_and_stores_once)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    for (unsigned turns = 1; turns < 12; turns++) {
        store_builder_messages(&a.builder, s, 2);
        host_ship_turns(&a, turns);
        host_stop(&a);
    }
    host_ship(&a);
    assert_shipped(&a, "s");
    host_pull(&b);
    hosts_same(&a, &b, "s");
}

FLEET_TEST(the_cursor_stays_until_all_of_a_window_is_acknowledged)
{
    store_builder_messages(&a.builder, store_builder_session(&a.builder, "s"), 3);
    engine_memory_say(a.engine, FLEET_APPEND, FLEET_UNKNOWN, false, 1);
    host_ship_turns(&a, 4);
    assert_true(fleet_shipper_backlog(a.shipper) > 0);
    host_stop(&a);
    host_ship(&a);
    assert_shipped(&a, "s");
}

FLEET_TEST(each_unknown_outcome_loses_nothing_and_doubles_nothing)
{
    static const enum fleet_ask asks[] = {FLEET_CLAIM, FLEET_LOOK, FLEET_APPEND};
    static const enum fleet_outcome outcomes[] = {FLEET_UNKNOWN, FLEET_RETRY, FLEET_REFUSED, FLEET_UNREACHABLE};
    char id[32];
    for (unsigned i = 0; i < 24; i++) {
        enum fleet_outcome outcome = outcomes[i / 3 % 4];
        bool is_done = i >= 12 && outcome == FLEET_UNKNOWN;
        (void)snprintf(id, sizeof id, "s%u", i);
        uint64_t s = store_builder_session(&a.builder, id);
        store_builder_messages(&a.builder, s, 2);
        if (asks[i % 3] == FLEET_LOOK) {
            host_ship(&a);
            host_stop(&a);
            store_builder_messages(&a.builder, s, 2);
        }
        engine_memory_say(a.engine, asks[i % 3], outcome, is_done, 1 + i % 2);
        host_ship(&a);
        assert_shipped(&a, id);
        assert_int_equal(row_of(id)->epoch, 1);
    }
    assert_true(host_told(&a, FLEET_NEWS_PAUSED, NULL) > 0);
    assert_int_equal(host_told(&a, FLEET_NEWS_PAUSED, NULL), host_told(&a, FLEET_NEWS_RESUMED, NULL));
    host_pull(&b);
    must(0);
    assert_same_sessions(a.builder.txn, b.builder.txn);
}

FLEET_TEST(a_deadline_is_an_unknown_outcome_and_a_late_request_does_no_harm)
{
    store_builder_messages(&a.builder, store_builder_session(&a.builder, "s"), 3);
    engine_memory_hold(a.engine, true);
    engine_memory_late(a.engine, true);
    host_ship_turns(&a, 20);
    assert_true(memory_fleet_count(fleet, FLEET_CLAIM, FLEET_UNKNOWN) > 0);
    engine_memory_hold(a.engine, false);
    host_ship(&a);
    assert_shipped(&a, "s");
    assert_int_equal(row_of("s")->epoch, 1);
}

FLEET_TEST(a_pause_grows_and_is_told_once)
{
    store_builder_messages(&a.builder, store_builder_session(&a.builder, "s"), 3);
    engine_memory_say(a.engine, FLEET_ASK_COUNT, FLEET_REFUSED, false, 9);
    uint64_t begun = a.now_ms;
    host_ship(&a);
    assert_true(a.now_ms - begun >= 100 + 200 + 400 + 800 + 1600 + 3200 + 6400 + 2 * 10000);
    assert_int_equal(host_told(&a, FLEET_NEWS_PAUSED, NULL), 1);
    assert_int_equal(host_told(&a, FLEET_NEWS_RESUMED, NULL), 1);
    assert_shipped(&a, "s");
}

FLEET_TEST(many_changes_come_in_several_windows_and_segments)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_grow(&a.builder, s, 10000);
    char *payload = malloc(400001);
    assert_non_null(payload);
    memset(payload, 'x', 400000);
    payload[0] = payload[399999] = '"';
    payload[400000] = '\0';
    uint64_t large = store_builder_session(&a.builder, "large");
    for (int i = 0; i < 10; i++) {
        store_builder_add(&a.builder, large, NULL, "message", payload);
    }
    free(payload);
    host_ship(&a);
    assert_true(row_of("large")->piece_count >= 3);
    host_pull(&b);
    hosts_same(&a, &b, "s");
    hosts_same(&a, &b, "large");
}

FLEET_TEST(an_engine_that_came_back_from_a_backup_gets_the_rest_again)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    struct rows_table *saved = memory_fleet_save(fleet);
    store_builder_messages(&a.builder, s, 3);
    store_builder_messages(&a.builder, store_builder_session(&a.builder, "t"), 3);
    host_ship(&a);
    memory_fleet_restore(fleet, saved);
    store_builder_messages(&a.builder, s, 1);
    store_builder_messages(&a.builder, host_find(&a, "t").number, 1);
    host_ship(&a);
    assert_shipped(&a, "s");
    assert_int_equal(row_of("t")->next, host_find(&a, "t").history.count + 1);
    memory_fleet_saved_free(saved);
}

/* --- What shipping costs ------------------------------------------------------------------------------------------- */

static unsigned sync_count;

/* Seen by LMDB's library although these programs are built with hidden symbols. The stores of the hosts do not sync commits. */
__attribute__((visibility("default"))) int fdatasync(int fd)
{
    int (*real)(int);
    void *symbol = dlsym(RTLD_NEXT, "fdatasync"); /* ISO C has no cast from an object to a function */
    memcpy(&real, &symbol, sizeof real);
    sync_count++;
    return real(fd);
}

FLEET_TEST(the_store_is_synced_once_for_a_segment)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    host_ship(&a);
    for (unsigned i = 0; i < 3; i++) {
        store_builder_messages(&a.builder, s, 1);
        sync_count = 0;
        host_ship(&a);
        assert_int_equal(sync_count, 1);
    }
    assert_int_equal(host_told(&a, FLEET_NEWS_SHIPPED, "s"), 4);
    sync_count = 0;
    host_stop(&a);
    host_ship(&a); /* nothing is sent */
    assert_int_equal(sync_count, 0);
}

static uint64_t noted_lsn(void)
{
    struct fleet_cursor cursor;
    assert_int_equal(must(fleet_cursor_read(&cursor, a.builder.txn, a.engine->id, &err)), 1);
    return cursor.cursor.lsn;
}

/* Turns until all is acknowledged, at a time of the host's clock. */
static void ship_at(uint64_t now_ms)
{
    struct fleet_turn turn = {.idle = false};
    must(xylem_commit(a.builder.txn, &err));
    for (unsigned i = 0; !turn.idle && i < 100; i++) {
        must(fleet_shipper_turn(&turn, a.shipper, now_ms + i / 50 * 10, &err));
    }
    assert_true(turn.idle);
    must(xylem_begin(&a.builder.txn, a.builder.store, XYLEM_WRITE, &err));
}

static void ship_one(uint64_t session, uint64_t now_ms)
{
    uint64_t before = fleet_shipper_acknowledged(a.shipper);
    store_builder_messages(&a.builder, session, 1);
    ship_at(now_ms);
    assert_true(fleet_shipper_acknowledged(a.shipper) > before);
}

FLEET_TEST(the_note_is_written_once_a_second_and_at_the_end)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    host_ship(&a);
    a.now_ms += 5000;
    ship_one(s, a.now_ms);
    uint64_t noted = noted_lsn();
    assert_true(noted == fleet_shipper_acknowledged(a.shipper));
    for (unsigned i = 1; i < 9; i++) {
        ship_one(s, a.now_ms + 100 * i);
        assert_true(noted_lsn() == noted);
    }
    ship_one(s, a.now_ms + 1100);
    assert_true(noted_lsn() > noted);
    assert_true(noted_lsn() < fleet_shipper_acknowledged(a.shipper));
    host_ship(&a);
    assert_true(noted_lsn() == fleet_shipper_acknowledged(a.shipper));
    assert_shipped(&a, "s");
}

FLEET_TEST(an_idle_ship_asks_for_the_turn_that_writes_the_note)
{
    struct fleet_turn turn;
    uint64_t s = store_builder_session(&a.builder, "s");
    host_ship(&a);
    a.now_ms += 5000;
    ship_one(s, a.now_ms);
    ship_one(s, a.now_ms + 100);
    must(xylem_commit(a.builder.txn, &err));
    must(fleet_shipper_turn(&turn, a.shipper, a.now_ms + 200, &err));
    assert_true(turn.idle && turn.wait_ms <= 1000);
    must(fleet_shipper_turn(&turn, a.shipper, a.now_ms + 200 + turn.wait_ms, &err));
    assert_true(turn.idle && turn.wait_ms == UINT64_MAX);
    must(xylem_begin(&a.builder.txn, a.builder.store, XYLEM_WRITE, &err));
    assert_true(noted_lsn() == fleet_shipper_acknowledged(a.shipper));
}

FLEET_TEST(a_ship_behind_an_older_note_sends_again_and_stores_once)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    host_ship(&a);
    a.now_ms += 5000;
    for (unsigned i = 0; i < 3; i++) {
        ship_one(s, a.now_ms);
    }
    assert_true(noted_lsn() < fleet_shipper_acknowledged(a.shipper));
    uint64_t before = done(FLEET_APPEND);
    host_stop(&a); /* without the note of an end */
    host_ship(&a);
    assert_int_equal(done(FLEET_APPEND), before);
    assert_shipped(&a, "s");
}

FLEET_TEST(a_session_that_got_the_id_of_a_freed_one_is_not_freed_by_an_older_note)
{
    host_ship(&a);
    a.now_ms += 5000;
    ship_one(store_builder_session(&a.builder, "s"), a.now_ms);
    must(xylem_session_delete(a.builder.txn, store_builder_session(&a.builder, "t"), &err));
    must(xylem_gc(NULL, a.builder.txn, NULL, &err));
    ship_at(a.now_ms + 100);
    store_builder_messages(&a.builder, store_builder_session(&a.builder, "t"), 2);
    ship_at(a.now_ms + 200);
    host_stop(&a);
    host_ship(&a);
    assert_false(row_of("t")->freed);
    assert_shipped(&a, "t");
}

/* The head of the row; the caller drops it. */
static struct rows_bytes *head_of(const char *session)
{
    return rows_bytes_use(row_of(session)->head);
}

/* The row shows what the store shows. */
static void assert_head(uint64_t session)
{
    struct xylem_buffer head = {NULL, 0, 0};
    must(xylem_head_json(&head, a.builder.txn, session, FLEET_HEAD_ENTRIES, &err));
    struct rows_bytes *there = head_of("s");
    assert_true(xylem_base__view_equal(xylem_base__buffer_view(&head), (struct xylem_view){there->data, there->bytes}));
    rows_bytes_drop(there);
    xylem_buffer_release(&head);
}

FLEET_TEST(the_head_is_sent_when_it_is_another_one)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    struct xylem_position leaf = store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    struct rows_bytes *head = head_of("s");
    struct rows_bytes *about = rows_bytes_use(row_of("s")->about);
    store_builder_go(&a.builder, s, leaf); /* a change that no head shows */
    host_ship(&a);
    assert_shipped(&a, "s");
    assert_ptr_equal(row_of("s")->head, head);
    assert_ptr_equal(row_of("s")->about, about);
    assert_head(s);
    store_builder_messages(&a.builder, s, 1);
    host_ship(&a);
    assert_ptr_not_equal(row_of("s")->head, head);
    assert_head(s);
    rows_bytes_drop(head);
    rows_bytes_drop(about);
}

FLEET_TEST(an_engine_that_lost_a_head_gets_it_again)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    struct rows_table *saved = memory_fleet_save(fleet);
    store_builder_messages(&a.builder, s, 1);
    host_ship(&a);
    memory_fleet_restore(fleet, saved);
    store_builder_go(&a.builder, s, store_builder_read(&a.builder, s).leaf);
    host_ship(&a);
    assert_shipped(&a, "s");
    assert_head(s);
    memory_fleet_saved_free(saved);
}

/* --- Left behind -------------------------------------------------------------------------------------------------- */

static unsigned asked;

static int ships_no_k(void *context, struct xylem_txn *txn, const struct xylem_session *session, const char **reason)
{
    (void)context;
    (void)txn;
    asked++;
    *reason = "kept local";
    return session->id.data[0] != 'k';
}

FLEET_TEST(held_sessions_are_told_once_and_do_not_stop_the_others)
{
    struct xylem_session made;
    const struct xylem_session_options in_namespace = {.id = xylem_view_of("n"), .name_space = xylem_view_of("place")};
    uint64_t k = store_builder_session(&a.builder, "k");
    must(xylem_session_create(&made, a.builder.txn, &in_namespace, &err));
    uint64_t namespaced = made.number;
    store_builder_messages(&a.builder, store_builder_session(&a.builder, "s"), 1);
    a.ships = ships_no_k;
    asked = 0;
    for (unsigned i = 0; i < 2; i++) {
        store_builder_messages(&a.builder, k, 1);
        store_builder_messages(&a.builder, namespaced, 1);
        store_builder_messages(&a.builder, host_find(&a, "s").number, 1);
        host_ship(&a);
        assert_shipped(&a, "s");
        assert_int_equal(host_told(&a, FLEET_NEWS_HELD, "k"), 1);
        assert_int_equal(host_told(&a, FLEET_NEWS_HELD, "n"), 1);
        assert_int_equal(asked, 2);
    }
    assert_string_equal(a.news[0].session, "k");
    assert_string_equal(a.news[0].text, "kept local");
    assert_null(memory_fleet_row(fleet, xylem_view_of("n")));
    assert_null(memory_fleet_row(fleet, xylem_view_of("k")));
}

FLEET_TEST(a_session_that_was_held_back_is_shipped_when_it_is_named)
{
    uint64_t k = store_builder_session(&a.builder, "k");
    store_builder_messages(&a.builder, k, 3);
    a.ships = ships_no_k;
    host_ship(&a);
    host_stop(&a);
    a.ships = NULL;
    host_ship(&a); /* the cursor is behind its changes */
    assert_null(memory_fleet_row(fleet, xylem_view_of("k")));
    must(xylem_commit(a.builder.txn, &err));
    must(fleet_shipper_add(a.shipper, k, &err));
    must(xylem_begin(&a.builder.txn, a.builder.store, XYLEM_WRITE, &err));
    host_ship(&a);
    assert_shipped(&a, "k");
}

FLEET_TEST(a_copy_is_not_shipped)
{
    store_builder_messages(&a.builder, store_builder_session(&a.builder, "s"), 3);
    host_ship(&a);
    host_pull(&b);
    uint64_t before = done(FLEET_APPEND) + done(FLEET_CLAIM);
    host_ship(&b);
    assert_int_equal(done(FLEET_APPEND) + done(FLEET_CLAIM), before);
    assert_int_equal(row_of("s")->epoch, 1);
}

FLEET_TEST(another_session_of_the_id_is_foreign)
{
    store_builder_messages(&a.builder, store_builder_session(&a.builder, "s"), 3);
    host_ship(&a);
    store_builder_messages(&b.builder, store_builder_session(&b.builder, "s"), 2);
    store_builder_messages(&b.builder, store_builder_session(&b.builder, "t"), 2);
    host_ship(&b);
    assert_int_equal(host_told(&b, FLEET_NEWS_FOREIGN, "s"), 1);
    assert_shipped(&b, "t");
    assert_null(host_find(&b, "s").owner.data);
    host_pull(&b);
    assert_null(host_find(&b, "s").owner.data);
    assert_shipped(&a, "s");
}

/* --- Fenced ------------------------------------------------------------------------------------------------------- */

/* b takes s over, and appends. */
static void take_over(unsigned messages)
{
    host_pull_one(&b, "s", host_claim(&b, "s"));
    assert_null(host_find(&b, "s").owner.data);
    store_builder_messages(&b.builder, host_find(&b, "s").number, messages);
    host_ship(&b);
    assert_shipped(&b, "s");
}

FLEET_TEST(a_fenced_owner_is_told_at_its_next_change)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    uint64_t before = store_builder_read(&a.builder, s).history.count;
    take_over(0);
    host_ship(&a);
    assert_int_equal(host_told(&a, FLEET_NEWS_FENCED, "s"), 0);
    store_builder_messages(&a.builder, s, 1);
    host_ship(&a);
    assert_int_equal(host_told(&a, FLEET_NEWS_FENCED, "s"), 1);
    assert_int_equal(host_told(&a, FLEET_NEWS_FORKED, "s"), 1);
    assert_int_equal(row_of("s")->next, before + 1);
    assert_int_equal(host_find(&a, host_last(&a, FLEET_NEWS_FORKED)->fork).number, s);
    assert_true(xylem_base__view_is(host_find(&a, "s").owner, "beta #2"));
    hosts_same(&b, &a, "s");
}

FLEET_TEST(a_fenced_owner_whose_last_changes_the_owner_has_follows)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    store_builder_messages(&a.builder, s, 2);
    engine_memory_say(a.engine, FLEET_APPEND, FLEET_UNKNOWN, true, 1); /* done, and the host dies */
    host_ship_turns(&a, 3);
    host_stop(&a);
    for (unsigned messages = 0; messages < 2; messages++) {
        take_over(messages * 5);
    }
    host_ship(&a);
    assert_int_equal(host_told(&a, FLEET_NEWS_FENCED, "s"), 1);
    assert_int_equal(host_told(&a, FLEET_NEWS_FORKED, NULL), 0);
    assert_true(xylem_base__view_is(host_find(&a, "s").owner, "beta #2"));
    host_pull(&a);
    hosts_same(&b, &a, "s");
}

FLEET_TEST(a_fenced_owner_keeps_its_tail_as_a_fork)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    store_builder_add(&a.builder, s, "tail", "message", "{\"x\":\"only here\"}");
    take_over(5);
    host_ship(&a);
    const struct host_news forked = *host_last(&a, FLEET_NEWS_FORKED); /* later news move the list */
    assert_string_equal(forked.session, "s");
    assert_int_equal(forked.from, 5);
    struct xylem_session fork = host_find(&a, forked.fork);
    assert_int_equal(fork.number, s);
    assert_null(fork.owner.data);
    assert_true(store_builder_find(&a.builder, s, "tail").depth > 0);
    assert_shipped(&a, forked.fork); /* the fork is a session of this store, and travels */
    hosts_same(&b, &a, "s");
    host_pull(&b);
    hosts_same(&a, &b, forked.fork);
}

FLEET_TEST(a_session_that_a_process_holds_is_settled_when_the_process_lets_go)
{
    struct xylem_lease *lease;
    struct xylem_store *other;
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    take_over(5);
    store_builder_add(&a.builder, s, "tail", "message", "{}");
    must(xylem_commit(a.builder.txn, &err));
    a.builder.txn = NULL;
    must(xylem_open(&other, a.builder.path, NULL, &err));
    must(xylem_lease_take(&lease, other, s, &err));
    host_ship_turns(&a, 60);
    assert_int_equal(host_told(&a, FLEET_NEWS_IN_USE, "s"), 1);
    assert_int_equal(fleet_shipper_backlog(a.shipper), 0); /* the cursor goes on */
    must(xylem_commit(a.builder.txn, &err));
    a.builder.txn = NULL;
    must(xylem_lease_release(lease, &err));
    must(xylem_close(other, &err));
    host_ship(&a);
    assert_int_equal(host_told(&a, FLEET_NEWS_FORKED, "s"), 1);
}

FLEET_TEST(a_session_that_a_process_holds_is_shipped)
{
    struct xylem_lease *lease;
    struct xylem_store *other;
    uint64_t s = store_builder_session(&a.builder, "s");
    must(xylem_commit(a.builder.txn, &err));
    a.builder.txn = NULL;
    must(xylem_open(&other, a.builder.path, NULL, &err));
    must(xylem_lease_take(&lease, other, s, &err));
    host_ship(&a);
    assert_shipped(&a, "s");
    must(xylem_commit(a.builder.txn, &err));
    a.builder.txn = NULL;
    must(xylem_lease_release(lease, &err));
    must(xylem_close(other, &err));
    must(xylem_begin(&a.builder.txn, a.builder.store, XYLEM_WRITE, &err));
}

FLEET_TEST(a_deleted_session_that_another_host_took_over_follows_deleted)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_add(&a.builder, s, "secret", "message", "{\"x\":\"" SECRET "\"}");
    host_ship(&a);
    take_over(1);
    must(xylem_session_delete(a.builder.txn, s, &err));
    host_ship(&a);
    assert_int_equal(host_told(&a, FLEET_NEWS_FENCED, "s"), 1);
    struct xylem_session row = host_find(&a, "s");
    assert_int_equal(row.state, XYLEM_SESSION_DELETED);
    assert_non_null(row.owner.data);
    struct xylem_redact_report report;
    const struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .only_this = true};
    uint64_t there = host_find(&b, "s").number;
    must(xylem_redact(&report, b.builder.txn, there, store_builder_find(&b.builder, there, "secret"), &options, &err));
    xylem_redact_report_release(&report);
    host_ship(&b);
    host_pull(&a);
    struct xylem_entry entry;
    must(xylem_entry_read(&entry, a.builder.txn, store_builder_find(&a.builder, s, "secret"), &err));
    assert_true(entry.flags & XYLEM_ENTRY_REDACTED);
    assert_int_equal(host_find(&a, "s").state, XYLEM_SESSION_DELETED);
}

/* --- Lives of a store --------------------------------------------------------------------------------------------- */

FLEET_TEST(a_backup_that_goes_on_beside_its_store_is_fenced)
{
    struct host copy;
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    host_copy(&copy, &a, "copy", true);
    store_builder_messages(&a.builder, s, 2);
    host_ship(&a);
    store_builder_messages(&copy.builder, s, 2);
    host_ship(&copy);
    assert_int_equal(host_told(&copy, FLEET_NEWS_BEGUN_ANEW, NULL), 1);
    assert_int_equal(host_told(&copy, FLEET_NEWS_FORKED, "s"), 1);
    assert_memory_not_equal(fleet_shipper_token(copy.shipper), fleet_shipper_token(a.shipper), FLEET_TOKEN_BYTES);
    assert_shipped(&a, "s");
    host_pull(&copy);
    hosts_same(&a, &copy, "s");
    host_close(&copy);
}

FLEET_TEST(two_copies_under_one_token_do_not_mix_their_histories)
{
    struct host copy;
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    host_copy(&copy, &a, "copy", false);
    for (unsigned round = 0; round < 3; round++) {
        store_builder_messages(&a.builder, host_find(&a, "s").number, 2 + round % 2);
        host_ship(&a);
        store_builder_messages(&copy.builder, host_find(&copy, "s").number, 2);
        host_ship(&copy);
    }
    assert_true(host_told(&copy, FLEET_NEWS_FORKED, NULL) > 0);
    assert_int_equal(row_of("s")->next, host_find(&copy, "s").history.count + 1);
    assert_int_equal(row_of("s")->chain, host_find(&copy, "s").history.chain);
    host_close(&copy);
}

FLEET_TEST(an_older_copy_gets_what_the_engine_has)
{
    struct host copy;
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    host_copy(&copy, &a, "copy", false);
    store_builder_messages(&a.builder, s, 5);
    host_ship(&a);
    store_builder_add(&copy.builder, s, "tail", "message", "{}"); /* the change that makes the copy look */
    host_ship(&copy);
    assert_int_equal(host_told(&copy, FLEET_NEWS_OWNED, "s"), 1);
    hosts_same(&a, &copy, "s");
    assert_null(host_find(&copy, "s").owner.data);
    assert_int_equal(host_told(&copy, FLEET_NEWS_FORKED, "s"), 1);
    host_close(&copy);
}

/* --- Notes -------------------------------------------------------------------------------------------------------- */

static struct xylem_view note_name(void)
{
    static char name[64];
    (void)snprintf(name, sizeof name, "fleet:");
    for (size_t i = 0; i < 16; i++) {
        (void)snprintf(name + 6 + 2 * i, 3, "%02x", a.engine->id[i]);
    }
    (void)snprintf(name + 38, 6, ":ship");
    return xylem_view_of(name);
}

FLEET_TEST(a_damaged_note_is_an_error_that_says_what_to_do)
{
    static const char *const values[] = {"", "\x01", "\x01short", "\x00"};
    struct fleet_cursor cursor;
    struct xylem_view value;
    host_ship(&a);
    must(xylem_note_get(&value, a.builder.txn, note_name(), &err));
    assert_int_equal(value.bytes, 49);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        must(xylem_note_put(a.builder.txn, note_name(), (struct xylem_view){values[i], strlen(values[i])}, &err));
        assert_int_equal(fleet_cursor_read(&cursor, a.builder.txn, a.engine->id, &err), XYLEM_E_CORRUPT);
        assert_non_null(strstr(err.text, "Remove the note"));
    }
    must(xylem_note_put(a.builder.txn, note_name(), xylem_view_of("\x02later"), &err));
    assert_int_equal(fleet_cursor_read(&cursor, a.builder.txn, a.engine->id, &err), XYLEM_E_TOO_NEW);
    must(xylem_note_put(a.builder.txn, note_name(), (struct xylem_view){NULL, 0}, &err));
    assert_int_equal(fleet_cursor_read(&cursor, a.builder.txn, a.engine->id, &err), 0);
}

FLEET_TEST(without_its_note_a_store_is_another_owner)
{
    store_builder_messages(&a.builder, store_builder_session(&a.builder, "s"), 3);
    host_ship(&a);
    host_stop(&a);
    must(xylem_note_put(a.builder.txn, note_name(), (struct xylem_view){NULL, 0}, &err));
    uint64_t before = done(FLEET_APPEND);
    host_ship(&a);
    assert_int_equal(done(FLEET_APPEND), before);
    assert_int_equal(host_told(&a, FLEET_NEWS_FENCED, "s"), 1);
    assert_true(xylem_base__view_is(host_find(&a, "s").owner, "alpha #1"));
}
