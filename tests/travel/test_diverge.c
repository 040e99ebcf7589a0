/* A session that two stores have changed: the own one gets another id, and the owner's comes anew. */
#include "tests/travel/pair.h"
#include "xylem/branch.h"

/* The owner's session "s" in both stores, which then went different ways. */
static uint64_t part(void)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "a", "message", "{\"n\":1}");
    store_builder_add(&owner, session, "b", "message", "{\"n\":2}");
    pack_anew("s");
    apply_all(&segments);
    store_builder_add(&owner, session, "owners", "message", "{\"n\":3}");
    uint64_t copy = pair_number(&follower, "s");
    store_builder_must(xylem_session_own(follower.txn, copy, 1, &err), &err);
    store_builder_add(&follower, copy, "own", "message", "{\"n\":4}");
    return copy;
}

static struct xylem_session diverge(uint64_t copy, const char *id)
{
    struct xylem_session session;
    store_builder_must(
        xylem_session_diverge(&session, follower.txn, copy, xylem_view_of(id), xylem_view_of("both changed s"), &err),
        &err);
    return session;
}

TRAVEL_TEST(a_diverged_session_keeps_all_it_had_under_another_id)
{
    struct xylem_move move;
    struct xylem_position own;
    uint64_t copy = part();
    uint64_t fork = store_builder_fork(&follower, copy, store_builder_leaf(&follower, copy), XYLEM_FORK_AT, "fork");
    struct xylem_position base = store_builder_read(&follower, fork).base;
    struct xylem_session session = diverge(copy, "mine");
    assert_int_equal(session.number, copy);
    assert_true(xylem_base__view_is(session.id, "mine") && xylem_base__view_is(session.parent, "s"));
    assert_null(session.owner.data);
    assert_true(xylem_format__position_equal(store_builder_read(&follower, fork).base, base));
    store_builder_must(xylem_find(&own, follower.txn, copy, xylem_view_of("own"), &err), &err);
    store_builder_must(xylem_find(&own, follower.txn, fork, xylem_view_of("own"), &err), &err);
    store_builder_must(xylem_move_read(&move, follower.txn, copy, 1, &err), &err);
    assert_true(xylem_base__view_is(move.reason, "both changed s"));
    assert_true(xylem_format__position_equal(move.from, move.to));
    assert_int_equal(xylem_session_find(&session, follower.txn, xylem_view_of("s"), &err), XYLEM_E_NOT_FOUND);
    store_builder_add(&follower, copy, "goes on", "message", "{\"n\":5}");
}

TRAVEL_TEST(the_owners_session_comes_anew_beside_the_diverged_one)
{
    uint64_t copy = part();
    store_builder_commit(&follower);
    pack_anew("s");
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "another history");
    assert_int_equal(report.differs, 4);
    diverge(copy, "");
    apply_all(&segments);
    assert_int_not_equal(pair_number(&follower, "s"), copy);
    assert_same_session(owner.txn, follower.txn, "s");
}

/* The diverged session is a session like any other: it travels, too. */
TRAVEL_TEST(a_diverged_session_travels_under_its_new_id)
{
    struct xylem_packing *packing;
    struct xylem_segment segment;
    struct xylem_buffer bytes = {NULL, 0, 0};
    uint64_t copy = part();
    diverge(copy, "mine");
    store_builder_must(xylem_packing_new(&packing, follower.txn, copy, NULL, &err), &err);
    assert_int_equal(xylem_packing_next(&bytes, &segment, packing, &err), 1);
    assert_true(xylem_base__view_is(segment.session, "mine"));
    store_builder_must(try_apply(&owner, xylem_base__buffer_view(&bytes)), &err);
    assert_int_equal(xylem_packing_next(&bytes, &segment, packing, &err), 0);
    xylem_packing_free(packing);
    xylem_buffer_release(&bytes);
    assert_same_session(follower.txn, owner.txn, "mine");
}

static void refuse_id(uint64_t number, struct xylem_view id, int code)
{
    struct xylem_session session;
    assert_int_equal(xylem_session_diverge(&session, follower.txn, number, id, xylem_view_of("why"), &err), code);
}

TRAVEL_TEST(an_id_or_a_session_that_cannot_be_changes_nothing)
{
    char letters[300];
    struct xylem_session session;
    uint64_t copy = part();
    store_builder_session(&follower, "taken");
    memset(letters, 'x', sizeof letters);
    refuse_id(copy, xylem_view_of("taken"), XYLEM_E_EXISTS);
    refuse_id(copy, xylem_view_of("s"), XYLEM_E_EXISTS);
    refuse_id(copy, (struct xylem_view){letters, 201}, XYLEM_E_LIMIT);
    refuse_id(copy, xylem_view_of("\xff"), XYLEM_E_MALFORMED);
    refuse_id(99, xylem_view_of("mine"), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_session_diverge(&session, follower.txn, copy, xylem_view_of("mine"),
                                           (struct xylem_view){letters, 257}, &err),
                     XYLEM_E_LIMIT);
    assert_true(xylem_base__view_is(store_builder_read(&follower, copy).id, "s"));
    store_builder_must(xylem_session_delete(follower.txn, copy, &err), &err);
    refuse_id(copy, xylem_view_of("mine"), XYLEM_E_DELETED);
}
