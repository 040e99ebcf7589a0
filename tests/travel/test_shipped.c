/* What random shipping found (tests/property/test_shipping.c): one case each. */
#include "tests/travel/pair.h"

TRAVEL_TEST(a_segment_without_a_change_makes_no_session)
{
    struct xylem_session found;
    const struct xylem_pack_options nothing = {.from = 1, .to = 1};
    store_builder_session(&owner, "s");
    pack_with(&segments, &owner, "s", &nothing);
    apply_all(&segments);
    assert_false(report.is_new);
    assert_int_equal(report.session, 0);
    assert_int_equal(xylem_session_find(&found, follower.txn, xylem_view_of("s"), &err), XYLEM_E_NOT_FOUND);
}

TRAVEL_TEST(a_fork_is_refused_where_its_base_is_another_entry)
{
    uint64_t source = store_builder_session(&owner, "s");
    store_builder_fork(&owner, source, store_builder_add(&owner, source, "a", "message", "{\"text\":\"one\"}"),
                       XYLEM_FORK_AT, "f");
    uint64_t other = store_builder_session(&follower, "s");
    store_builder_add(&follower, other, "a", "message", "{\"text\":\"another\"}");
    store_builder_commit(&follower);
    pack_anew("f");
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "which has another history in the store");
}

TRAVEL_TEST(a_segment_that_came_before_is_known_behind_a_dropped_hash)
{
    uint64_t source = store_builder_session(&owner, "s");
    struct xylem_position base = store_builder_add(&owner, source, "a", "message", "{}");
    uint64_t fork = store_builder_fork(&owner, source, base, XYLEM_FORK_AT, "f");
    store_builder_add(&owner, fork, "b", "message", "{}");
    travel("s");
    pack_anew("f");
    apply_all(&segments);
    struct segments before = segments;
    memset(&segments, 0, sizeof segments);
    redact_entry(&owner, "s", "a", true);
    travel("s");
    assert_known(&follower, segment_at(&before, 0));
    segments_release(&before);
    travel("f");
}
