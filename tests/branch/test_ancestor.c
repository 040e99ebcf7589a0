#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "store/store.h"
#include "tests/lib/one_store.h"

static const struct xylem_position none;

static void assert_position(struct xylem_position found, struct xylem_position expected)
{
    assert_int_equal(found.branch, expected.branch);
    assert_int_equal(found.depth, expected.depth);
}

static struct xylem_position add(uint64_t session, const char *id)
{
    return store_builder_add(&builder, session, id, "message", "{}");
}

static struct xylem_position add_at(uint64_t session, struct xylem_position parent, const char *id)
{
    return store_builder_add_at(&builder, session, parent, id, "message", "{}");
}

static struct xylem_position ancestor_at(struct xylem_position from, uint64_t depth)
{
    struct xylem_position found = {77, 77};
    struct xylem_error err = {0};
    store_builder_must(xylem_ancestor_at(&found, builder.txn, from, depth, &err), &err);
    return found;
}

static struct xylem_position common(struct xylem_position a, struct xylem_position b)
{
    struct xylem_position found = {77, 77};
    struct xylem_error err = {0};
    store_builder_must(xylem_common_ancestor(&found, builder.txn, a, b, &err), &err);
    return found;
}

static void every_depth_of_a_path_has_its_ancestor(void **state)
{
    (void)state;
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position path[5];
    path[0] = add(session, "a");
    path[1] = add(session, "b");
    add(session, "x");
    path[2] = add_at(session, path[1], "c");
    path[3] = add(session, "d");
    add(session, "y");
    path[4] = add_at(session, path[3], "e");
    for (uint64_t depth = 1; depth <= 5; depth++) {
        assert_position(ancestor_at(path[4], depth), path[depth - 1]);
    }
}

static void a_depth_off_the_path_is_not_found(void **state)
{
    (void)state;
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_position found;
    struct xylem_error err = {0};
    assert_int_equal(xylem_ancestor_at(&found, builder.txn, a, 0, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_ancestor_at(&found, builder.txn, a, 24, &err), XYLEM_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "depth 24 "));
    assert_non_null(strstr(err.text, "depth 1"));
    assert_int_equal(xylem_ancestor_at(&found, builder.txn, none, 1, &err), XYLEM_E_NOT_FOUND);
}

static void an_ancestor_of_no_entry_is_not_found(void **state)
{
    (void)state;
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_position beyond = {a.branch, 9};
    struct xylem_position found;
    struct xylem_error err = {0};
    assert_int_equal(xylem_ancestor_at(&found, builder.txn, beyond, 1, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_common_ancestor(&found, builder.txn, beyond, a, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_common_ancestor(&found, builder.txn, a, beyond, &err), XYLEM_E_NOT_FOUND);
}

static void two_entries_of_one_branch_share_the_older_one(void **state)
{
    (void)state;
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_position b = add(session, "b");
    assert_position(common(a, b), a);
    assert_position(common(b, a), a);
    assert_position(common(b, b), b);
}

static void two_branches_share_where_they_part(void **state)
{
    (void)state;
    uint64_t session = store_builder_session(&builder, "s");
    add(session, "a");
    struct xylem_position b = add(session, "b");
    struct xylem_position c = add(session, "c");
    struct xylem_position d = add_at(session, b, "d");
    struct xylem_position e = add(session, "e");
    struct xylem_position f = add_at(session, d, "f");
    assert_position(common(c, e), b);
    assert_position(common(e, c), b);
    assert_position(common(e, f), d);
    assert_position(common(f, c), b);
    assert_position(common(b, f), b);
}

static void forks_of_one_source_share_the_shorter_base(void **state)
{
    (void)state;
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    struct xylem_position b = add(source, "b");
    uint64_t early = store_builder_fork(&builder, source, a, XYLEM_FORK_AT, "early");
    uint64_t late = store_builder_fork(&builder, source, b, XYLEM_FORK_AT, "late");
    assert_position(common(add(late, "c"), add(early, "d")), a);
}

static void two_roots_share_nothing(void **state)
{
    (void)state;
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_position b = add_at(session, none, "b");
    struct xylem_position c = add(session, "c");
    assert_position(common(a, c), none);
    assert_position(common(b, a), none);
    assert_position(common(none, a), none);
    assert_position(common(a, none), none);
    assert_position(common(none, none), none);
}

/* The row of the branch that `position` lies on. */
static struct xylem_store__branch branch_of(struct xylem_position position)
{
    struct xylem_store__branch branch;
    struct xylem_error err = {0};
    store_builder_must(xylem_store__branch_read(&branch, builder.txn, position.branch, &err), &err);
    return branch;
}

static void a_branch_that_begins_below_its_entry_is_corruption(void **state)
{
    (void)state;
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    add(session, "x");
    struct xylem_position b = add_at(session, a, "b");
    struct xylem_store__branch branch = branch_of(b);
    struct xylem_position found;
    branch.first_depth = 9;
    store_builder_rewrite_branch(&builder, &branch);
    assert_int_equal(xylem_common_ancestor(&found, builder.txn, a, b, NULL), XYLEM_E_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_depth_of_a_path_has_its_ancestor, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_depth_off_the_path_is_not_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_ancestor_of_no_entry_is_not_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_entries_of_one_branch_share_the_older_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_branches_share_where_they_part, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forks_of_one_source_share_the_shorter_base, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_roots_share_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_branch_that_begins_below_its_entry_is_corruption, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
