/* What comes late: requests that were given up, the tail of a fenced owner, an engine of before. */
#include "fleet/shipper.h"
#include "xylem/redact.h"

#include "tests/fleet/two_hosts.h"

/* The session "s", of which an append is given up, and looked for in vain: it arrives before the next append. */
static uint64_t give_up_an_append(void)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    store_builder_add(&a.builder, s, "secret", "message", "{\"x\":\"" SECRET "\"}");
    engine_memory_hold(a.engine, true);
    engine_memory_late_before(a.engine, FLEET_APPEND);
    for (unsigned i = 0; i < 100 && memory_fleet_count(fleet, FLEET_APPEND, FLEET_UNKNOWN) == 0; i++) {
        host_ship_turns(&a, 4);
    }
    assert_int_equal(memory_fleet_count(fleet, FLEET_APPEND, FLEET_UNKNOWN), 1);
    engine_memory_hold(a.engine, false);
    assert_false(engine_has(SECRET));
    return s;
}

FLEET_TEST(an_append_that_arrives_late_is_stored_once)
{
    uint64_t s = give_up_an_append();
    store_builder_messages(&a.builder, s, 2);
    host_ship(&a);
    assert_true(engine_has(SECRET));
    assert_true(memory_fleet_count(fleet, FLEET_APPEND, FLEET_NO) > 0);
    host_pull(&b);
    hosts_same(&a, &b, "s");
}

FLEET_TEST(a_text_that_was_redacted_meanwhile_is_taken_out_of_an_append_that_arrives_late)
{
    struct xylem_redact_report report;
    const struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .only_this = true};
    uint64_t s = give_up_an_append();
    host_stop(&a); /* the next ship sees the entry and its redaction at once */
    store_builder_must(
        xylem_redact(&report, a.builder.txn, s, store_builder_find(&a.builder, s, "secret"), &options, &err), &err);
    xylem_redact_report_release(&report);
    host_ship(&a);
    assert_true(memory_fleet_count(fleet, FLEET_APPEND, FLEET_NO) > 0);
    assert_false(engine_has(SECRET));
    host_pull(&b);
    hosts_same(&a, &b, "s");
}

/* Its own tail must not hide in the copy until the new owner has more. */
FLEET_TEST(a_fenced_tail_becomes_a_fork_though_the_engine_has_less)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    uint64_t epoch = host_claim(&b, "s");
    host_pull_one(&b, "s", epoch);
    uint64_t copy = host_find(&b, "s").number;
    store_builder_add(&b.builder, copy, "theirs", "message", "{\"n\":1}");
    host_ship(&b);
    store_builder_add(&a.builder, s, "own-1", "message", "{\"n\":2}");
    store_builder_add(&a.builder, s, "own-2", "message", "{\"n\":3}");
    host_pull(&a);
    host_ship(&a);
    host_pull(&a);
    hosts_same(&a, &b, "s");
    assert_true(host_told(&a, FLEET_NEWS_FORKED, "s") > 0);
}

FLEET_TEST(a_claim_in_an_engine_that_came_back_gives_an_epoch_that_the_store_can_take)
{
    uint64_t s = store_builder_session(&a.builder, "s");
    store_builder_messages(&a.builder, s, 3);
    host_ship(&a);
    struct rows_table *saved = memory_fleet_save(fleet);
    for (int i = 0; i < 3; i++) {
        host_pull_one(&b, "s", host_claim(&b, "s"));
        host_pull_one(&a, "s", host_claim(&a, "s"));
    }
    uint64_t epoch = host_find(&a, "s").epoch;
    host_pull(&b);
    memory_fleet_restore(fleet, saved);
    memory_fleet_saved_free(saved);
    host_pull_one(&b, "s", host_claim(&b, "s"));
    assert_true(host_find(&b, "s").epoch >= epoch);
    assert_null(host_find(&b, "s").owner.data);
    store_builder_add(&b.builder, host_find(&b, "s").number, "on", "message", "{}");
    host_ship(&b);
    host_pull(&a);
    host_ship(&a);
    host_pull(&a);
    hosts_same(&a, &b, "s");
}
