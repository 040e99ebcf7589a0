#include <string.h>

#include "store/store.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

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

static size_t tips_of(struct xylem_tip *tips, size_t room, uint64_t session)
{
    struct xylem_tips *iterator = NULL;
    struct xylem_tip tip;
    struct xylem_error err = {0};
    size_t count = 0;
    store_builder_must(xylem_tips_new(&iterator, builder.txn, session, &err), &err);
    while (store_builder_must(xylem_tips_next(&tip, iterator, &err), &err)) {
        assert_true(count < room);
        tips[count++] = tip;
    }
    assert_int_equal(xylem_tips_next(&tip, iterator, &err), 0);
    xylem_tips_free(iterator);
    return count;
}

static void assert_tip(const struct xylem_tip *tip, const char *id, struct xylem_position fork_point, uint64_t count)
{
    assert_int_equal(tip->entry.id.bytes, strlen(id));
    assert_memory_equal(tip->entry.id.data, id, strlen(id));
    assert_position(tip->fork_point, fork_point);
    assert_int_equal(tip->branch_entry_count, count);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(an_empty_session_has_no_tip)
{
    struct xylem_tip tips[1];
    assert_int_equal(tips_of(tips, 1, store_builder_session(&builder, "s")), 0);
    xylem_tips_free(NULL);
}

IN_SCENE(tips_of_an_unknown_session_are_not_found)
{
    struct xylem_tips *tips = NULL;
    assert_int_equal(xylem_tips_new(&tips, builder.txn, 17, NULL), XYLEM_E_NOT_FOUND);
}

IN_SCENE(each_branch_has_one_tip_in_the_order_of_numbers)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    add(session, "b");
    add_at(session, a, "c");
    add(session, "d");
    struct xylem_position d = store_builder_leaf(&builder, session);
    add(session, "e");
    add_at(session, d, "f");
    add_at(session, none, "g");
    struct xylem_tip tips[8];
    assert_int_equal(tips_of(tips, 8, session), 4);
    assert_tip(&tips[0], "b", none, 2);
    assert_tip(&tips[1], "e", a, 3);
    assert_tip(&tips[2], "f", d, 1);
    assert_tip(&tips[3], "g", none, 1);
}

IN_SCENE(the_base_is_a_tip_until_something_is_appended_to_it)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    struct xylem_position b = add(source, "b");
    add(source, "c");
    uint64_t fork = store_builder_fork(&builder, source, b, XYLEM_FORK_AT, "fork");
    struct xylem_tip tips[4];
    assert_int_equal(tips_of(tips, 4, fork), 1);
    assert_tip(&tips[0], "b", none, 2);
    add_at(fork, a, "d");
    assert_int_equal(tips_of(tips, 4, fork), 2);
    assert_tip(&tips[0], "b", none, 2);
    assert_tip(&tips[1], "d", a, 1);
    add_at(fork, b, "e");
    assert_int_equal(tips_of(tips, 4, fork), 2);
    assert_tip(&tips[0], "d", a, 1);
    assert_tip(&tips[1], "e", b, 1);
}

IN_SCENE(a_base_on_a_branch_that_left_another_names_its_fork_point)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    add(source, "b");
    add_at(source, a, "c");
    struct xylem_position d = add(source, "d");
    add(source, "e");
    uint64_t fork = store_builder_fork(&builder, source, d, XYLEM_FORK_AT, "fork");
    struct xylem_tip tips[2];
    assert_int_equal(tips_of(tips, 2, fork), 1);
    assert_tip(&tips[0], "d", a, 2);
}

IN_SCENE(a_tip_that_is_missing_is_corruption)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    uint64_t fork = store_builder_clone(&builder, source, "fork");
    struct xylem_tips *iterator = NULL;
    struct xylem_tip tip;
    struct xylem_error err = {0};
    store_builder_drop(&builder, a);
    store_builder_must(xylem_tips_new(&iterator, builder.txn, fork, &err), &err);
    assert_int_equal(xylem_tips_next(&tip, iterator, &err), XYLEM_E_CORRUPT);
    xylem_tips_free(iterator);
}

/* The row of the branch that `position` lies on. */
static struct xylem_store__branch branch_of(struct xylem_position position)
{
    struct xylem_store__branch branch;
    struct xylem_error err = {0};
    store_builder_must(xylem_store__branch_read(&branch, builder.txn, position.branch, &err), &err);
    return branch;
}

IN_SCENE(the_newest_entry_may_lie_on_an_older_branch)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    struct xylem_error err = {0};
    struct xylem_position root = store_builder_messages(&builder, session, 1);
    struct xylem_position first = store_builder_messages(&builder, session, 1);
    store_builder_go(&builder, session, root);
    store_builder_messages(&builder, session, 1);
    store_builder_go(&builder, session, first);
    store_builder_messages(&builder, session, 1);
    store_builder_must(xylem_tips_new(&tips, builder.txn, session, &err), &err);
    assert_int_equal(xylem_tips_next(&tip, tips, &err), 1);
    assert_int_equal(xylem_tips_next(&tip, tips, &err), 1);
    assert_int_equal(xylem_tips_next(&tip, tips, &err), 0);
    xylem_tips_free(tips);
}

IN_SCENE(a_lost_last_entry_is_corruption_and_not_the_end)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_messages(&builder, session, 2);
    store_builder_drop(&builder, store_builder_messages(&builder, session, 1));
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    struct xylem_error err = {0};
    store_builder_must(xylem_tips_new(&tips, builder.txn, session, &err), &err);
    store_builder_must(xylem_tips_next(&tip, tips, &err), &err);
    assert_int_equal(xylem_tips_next(&tip, tips, &err), XYLEM_E_CORRUPT);
    xylem_tips_free(tips);
}

IN_SCENE(a_lost_end_of_an_older_branch_is_corruption_and_not_the_end)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position root = store_builder_messages(&builder, session, 1);
    struct xylem_position end = store_builder_messages(&builder, session, 2);
    store_builder_go(&builder, session, root);
    store_builder_messages(&builder, session, 1);
    store_builder_drop(&builder, end);
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    struct xylem_error err = {0};
    store_builder_must(xylem_tips_new(&tips, builder.txn, session, &err), &err);
    store_builder_must(xylem_tips_next(&tip, tips, &err), &err);
    store_builder_must(xylem_tips_next(&tip, tips, &err), &err);
    assert_int_equal(xylem_tips_next(&tip, tips, &err), XYLEM_E_CORRUPT);
    xylem_tips_free(tips);
}

IN_SCENE(a_branch_of_another_session_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t other = store_builder_session(&builder, "other");
    struct xylem_store__branch branch = branch_of(add(session, "a"));
    struct xylem_tips *tips = NULL;
    branch.session = other;
    store_builder_rewrite_branch(&builder, &branch);
    assert_int_equal(xylem_tips_new(&tips, builder.txn, session, NULL), XYLEM_E_CORRUPT);
}

IN_SCENE(a_branch_that_begins_below_its_tip_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_store__branch branch = branch_of(add_at(session, none, "b"));
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    struct xylem_error err = {0};
    branch.first_depth = 2;
    branch.parent_branch = a.branch;
    branch.skip.level = 2;
    store_builder_rewrite_branch(&builder, &branch);
    store_builder_must(xylem_tips_new(&tips, builder.txn, session, &err), &err);
    assert_int_equal(xylem_tips_next(&tip, tips, &err), 1);
    assert_int_equal(xylem_tips_next(&tip, tips, &err), XYLEM_E_CORRUPT);
    xylem_tips_free(tips);
}
