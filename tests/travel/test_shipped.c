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
