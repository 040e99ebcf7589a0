#include "base/bytes.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static const struct xylem_position none;

static void assert_path(struct xylem_position from, const char *expected)
{
    struct xylem_buffer ids = {0};
    store_builder_path_ids(&ids, &builder, from);
    assert_string_equal(ids.data, expected);
    xylem_buffer_release(&ids);
}

static struct xylem_position add(uint64_t session, const char *id)
{
    return store_builder_add(&builder, session, id, "message", "{}");
}

static struct xylem_position add_at(uint64_t session, struct xylem_position parent, const char *id)
{
    return store_builder_add_at(&builder, session, parent, id, "message", "{}");
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(a_walk_gives_the_path_newest_to_oldest)
{
    uint64_t session = store_builder_session(&builder, "s");
    add(session, "a");
    add(session, "b");
    assert_path(add(session, "c"), "c b a ");
}

IN_SCENE(a_walk_from_none_ends_at_once)
{
    store_builder_session(&builder, "s");
    assert_path(none, "");
}

IN_SCENE(a_walk_crosses_branches)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    add(session, "b");
    struct xylem_position c = add_at(session, a, "c");
    add(session, "d");
    struct xylem_position e = add_at(session, c, "e");
    assert_int_not_equal(c.branch, a.branch);
    assert_int_not_equal(e.branch, c.branch);
    assert_path(e, "e c a ");
}

IN_SCENE(a_walk_from_the_middle_leaves_out_what_is_newer)
{
    uint64_t session = store_builder_session(&builder, "s");
    add(session, "a");
    struct xylem_position b = add(session, "b");
    add(session, "c");
    assert_path(b, "b a ");
}

IN_SCENE(a_walk_that_ended_stays_at_its_end)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    struct xylem_error err = {0};
    store_builder_must(xylem_walk_new(&walk, builder.txn, add(session, "a"), &err), &err);
    assert_int_equal(xylem_walk_next(&entry, walk, &err), 1);
    assert_int_equal(xylem_walk_next(&entry, walk, &err), 0);
    assert_int_equal(xylem_walk_next(&entry, walk, &err), 0);
    xylem_walk_free(walk);
    xylem_walk_free(NULL);
}

/* Walks `steps` entries, and expects the step after them to fail, also when it is tried again. */
static void assert_walk_fails(struct xylem_position from, int steps, int expected)
{
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    struct xylem_error err = {0};
    store_builder_must(xylem_walk_new(&walk, builder.txn, from, &err), &err);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(xylem_walk_next(&entry, walk, &err), 1);
    }
    assert_int_equal(xylem_walk_next(&entry, walk, &err), expected);
    assert_int_equal(err.code, expected);
    assert_true(xylem_walk_next(&entry, walk, NULL) < 0);
    xylem_walk_free(walk);
}

IN_SCENE(a_walk_from_where_no_entry_was_is_not_found)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    assert_walk_fails((struct xylem_position){a.branch, 2}, 0, XYLEM_E_NOT_FOUND);
    assert_walk_fails((struct xylem_position){99, 1}, 0, XYLEM_E_NOT_FOUND);
}

IN_SCENE(a_damaged_entry_ends_a_walk)
{
    uint64_t session = store_builder_session(&builder, "s");
    add(session, "a");
    struct xylem_position b = add(session, "b");
    struct xylem_position c = add(session, "c");
    store_builder_damage(&builder, b);
    assert_walk_fails(c, 1, XYLEM_E_CORRUPT);
}

IN_SCENE(a_missing_entry_is_corruption_and_not_the_end)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_position b = add(session, "b");
    struct xylem_position c = add(session, "c");
    struct xylem_position d = add_at(session, a, "d");
    store_builder_drop(&builder, b);
    assert_walk_fails(c, 1, XYLEM_E_CORRUPT);
    store_builder_drop(&builder, a);
    assert_walk_fails(d, 1, XYLEM_E_CORRUPT);
}

IN_SCENE(a_missing_root_is_corruption_and_not_the_end)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_position b = add(session, "b");
    store_builder_drop(&builder, a);
    assert_walk_fails(b, 1, XYLEM_E_CORRUPT);
}

IN_SCENE(a_parent_that_its_branch_never_reached_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position short_root = add(session, "short");
    struct xylem_position root = add_at(session, none, "root");
    struct xylem_position middle = add(session, "middle");
    add(session, "tip");
    struct xylem_position other = add_at(session, middle, "other");
    struct xylem_format__record record = store_builder_record(&builder, other);
    struct xylem_buffer links = {0};
    assert_int_equal(root.branch - short_root.branch, 1);
    assert_int_equal(xylem_base__add_varint(&links, other.branch - short_root.branch), 0);
    record.links = (struct xylem_view){links.data, links.bytes};
    store_builder_rewrite(&builder, other, &record);
    xylem_buffer_release(&links);
    assert_walk_fails(other, 1, XYLEM_E_CORRUPT);
}

IN_SCENE(a_root_that_names_a_parent_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position first = add(session, "first");
    struct xylem_position root = add_at(session, none, "root");
    struct xylem_format__record record = store_builder_record(&builder, root);
    struct xylem_buffer links = {0};
    assert_int_equal(xylem_base__add_varint(&links, root.branch - first.branch), 0);
    record.links = (struct xylem_view){links.data, links.bytes};
    record.flags |= XYLEM_ENTRY_STARTS_BRANCH;
    store_builder_rewrite(&builder, root, &record);
    xylem_buffer_release(&links);
    assert_walk_fails(root, 0, XYLEM_E_CORRUPT);
}

IN_SCENE(entries_of_a_walk_live_as_long_as_their_transaction)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position tip = store_builder_messages(&builder, session, 300);
    struct xylem_walk *walk = NULL;
    struct xylem_entry entries[300];
    struct xylem_entry again;
    struct xylem_error err = {0};
    store_builder_must(xylem_walk_new(&walk, builder.txn, tip, &err), &err);
    for (size_t i = 0; i < 300; i++) {
        assert_int_equal(store_builder_must(xylem_walk_next(&entries[i], walk, &err), &err), 1);
        assert_int_equal(entries[i].position.depth, 300 - i);
    }
    xylem_walk_free(walk);
    for (size_t i = 0; i < 300; i++) {
        store_builder_must(xylem_entry_read(&again, builder.txn, entries[i].position, &err), &err);
        assert_int_equal(again.id.bytes, entries[i].id.bytes);
        assert_memory_equal(again.id.data, entries[i].id.data, again.id.bytes);
    }
}
