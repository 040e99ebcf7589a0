#include <string.h>

#include "store/store.h"
#include "tests/lib/chance.h"
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

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(every_depth_of_a_path_has_its_ancestor)
{
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

IN_SCENE(a_depth_off_the_path_is_not_found)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_position found;
    struct xylem_error err = {0};
    assert_int_equal(xylem_ancestor_at(&found, builder.txn, a, 0, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_ancestor_at(&found, builder.txn, a, 24, &err), XYLEM_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "depth 24"));
    assert_non_null(strstr(err.text, "depth 1 "));
    assert_int_equal(xylem_ancestor_at(&found, builder.txn, none, 1, &err), XYLEM_E_NOT_FOUND);
}

/* Forks of forks at random, deep and wide: a search that skips finds what a walk finds. */
IN_SCENE(skips_lead_where_a_walk_leads)
{
    struct chance chance = chance_of(20261121);
    struct xylem_error err = {0};
    uint64_t sessions[120];
    sessions[0] = store_builder_session(&builder, "s");
    store_builder_messages(&builder, sessions[0], 3);
    for (int i = 1; i < 120; i++) {
        uint64_t source = sessions[chance_one_in(&chance, 3) ? chance_below(&chance, i) : i - 1];
        struct xylem_position leaf = store_builder_leaf(&builder, source);
        struct xylem_position at;
        uint64_t depth = leaf.depth - (uint64_t)chance_below(&chance, leaf.depth < 3 ? 1 : 3);
        store_builder_must(xylem_ancestor_at(&at, builder.txn, leaf, depth, &err), &err);
        sessions[i] = store_builder_fork(&builder, source, at, XYLEM_FORK_AT, NULL);
        store_builder_messages(&builder, sessions[i], 1 + (size_t)chance_below(&chance, 3));
    }
    for (int i = 0; i < 120; i++) {
        struct xylem_position from = store_builder_leaf(&builder, sessions[i]);
        struct xylem_walk *walk = NULL;
        struct xylem_entry entry;
        store_builder_must(xylem_walk_new(&walk, builder.txn, from, &err), &err);
        while (store_builder_must(xylem_walk_next(&entry, walk, &err), &err) == 1) {
            struct xylem_position found;
            store_builder_must(xylem_ancestor_at(&found, builder.txn, from, entry.position.depth, &err), &err);
            assert_int_equal(found.branch, entry.position.branch);
            assert_int_equal(found.depth, entry.position.depth);
        }
        xylem_walk_free(walk);
    }
}

IN_SCENE(an_ancestor_of_no_entry_is_not_found)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_position beyond = {a.branch, 9};
    struct xylem_position found;
    struct xylem_error err = {0};
    assert_int_equal(xylem_ancestor_at(&found, builder.txn, beyond, 1, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_common_ancestor(&found, builder.txn, beyond, a, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_common_ancestor(&found, builder.txn, a, beyond, &err), XYLEM_E_NOT_FOUND);
}

IN_SCENE(two_entries_of_one_branch_share_the_older_one)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_position b = add(session, "b");
    assert_position(common(a, b), a);
    assert_position(common(b, a), a);
    assert_position(common(b, b), b);
}

IN_SCENE(two_branches_share_where_they_part)
{
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

IN_SCENE(forks_of_one_source_share_the_shorter_base)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    struct xylem_position b = add(source, "b");
    uint64_t early = store_builder_fork(&builder, source, a, XYLEM_FORK_AT, "early");
    uint64_t late = store_builder_fork(&builder, source, b, XYLEM_FORK_AT, "late");
    assert_position(common(add(late, "c"), add(early, "d")), a);
}

IN_SCENE(two_roots_share_nothing)
{
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

IN_SCENE(a_branch_that_begins_below_its_entry_is_corruption)
{
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
