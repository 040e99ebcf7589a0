#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "store/heads.h"
#include "xylem/inspect.h"
#include "xylem/append.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"

static const struct xylem_position none;

static struct xylem_entry read_entry(struct xylem_position position)
{
    struct xylem_entry entry;
    struct xylem_error err = {0};
    store_builder_must(xylem_entry_read(&entry, builder.txn, position, &err), &err);
    return entry;
}

static void assert_links(struct xylem_position position, unsigned flags, const char *bytes, size_t count)
{
    struct xylem_entry entry = read_entry(position);
    assert_int_equal(entry.flags & ~XYLEM_ENTRY_MINTED, flags);
    assert_int_equal(entry.unverified.links_bytes, count);
    assert_memory_equal(entry.unverified.links, bytes, count);
}

static struct xylem_position at(uint64_t branch, uint64_t depth)
{
    return (struct xylem_position){branch, depth};
}

#define ASSERT_LINKS(branch, depth, flags, bytes) assert_links(at(branch, depth), flags, bytes, sizeof bytes - 1)

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(the_links_of_a_small_tree_are_these_bytes)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "1", "message", NULL);
    store_builder_add(&builder, session, "2", "custom:a", NULL);
    store_builder_add(&builder, session, "3", "message", NULL);
    store_builder_add(&builder, session, "4", "label", NULL);
    store_builder_add_at(&builder, session, at(1, 3), "5", "message", NULL);
    store_builder_add(&builder, session, "6", "custom:a", NULL);
    store_builder_add_at(&builder, session, none, "7", "label", NULL);
    ASSERT_LINKS(1, 1, 0, "\0\0");
    /* no marked entry; message (1) one before */
    ASSERT_LINKS(1, 2, 0,
                 "\0\0"
                 "\1\0\1");
    ASSERT_LINKS(1, 3, 0, "\0\1");
    /* message one before, custom:a (2) two before */
    ASSERT_LINKS(1, 4, 0,
                 "\0\2"
                 "\1\0\1"
                 "\1\0\2");
    /* the parent's branch is the one before; custom:a lies there, two before */
    ASSERT_LINKS(2, 4, XYLEM_ENTRY_STARTS_BRANCH,
                 "\1"
                 "\1\2");
    ASSERT_LINKS(2, 5, 0,
                 "\1\3"
                 "\1\0\1"
                 "\1\1\3");
    ASSERT_LINKS(3, 1, 0, "\0\0");
}

IN_SCENE(the_first_record_of_a_branch_may_be_marked_itself)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "1", "custom:a", NULL);
    store_builder_add(&builder, session, "2", "message", NULL);
    store_builder_add_at(&builder, session, at(1, 1), "3", "custom:b", NULL);
    ASSERT_LINKS(2, 2, XYLEM_ENTRY_STARTS_BRANCH,
                 "\1"
                 "\1\1"
                 "\1\1\1");
    struct xylem_entry entry = read_entry(at(2, 2));
    assert_true(entry.parent.branch == 1 && entry.parent.depth == 1);
}

/* The heads of an entry, as the next append would take them. */
static void assert_heads_after(struct xylem_position last, size_t count, const struct xylem_store__head *expected)
{
    struct xylem_store__heads heads = {0};
    struct xylem_buffer links = {0};
    unsigned flags = 0;
    struct xylem_entry entry = read_entry(last);
    struct xylem_position own = {last.branch, last.depth + 1};
    assert_int_equal(xylem_store__heads_start(&heads, &entry, NULL), XYLEM_OK);
    assert_int_equal(xylem_store__heads_links(&links, &flags, &heads, builder.txn, own, false, NULL), XYLEM_OK);
    assert_true(heads.loaded);
    assert_int_equal(heads.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(heads.list[i].kind_number, expected[i].kind_number);
        assert_true(xylem_format__position_equal(heads.list[i].position, expected[i].position));
    }
    xylem_buffer_release(&links);
    xylem_store__heads_release(&heads);
}

IN_SCENE(heads_name_the_newest_entry_of_each_kind_in_the_order_of_their_numbers)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "1", "custom:a", NULL);
    store_builder_add(&builder, session, "2", "custom:b", NULL);
    store_builder_add(&builder, session, "3", "message", NULL);
    struct xylem_position last = store_builder_add(&builder, session, "4", "custom:a", NULL);
    const struct xylem_store__head expected[] = {{1, {1, 4}}, {2, {1, 2}}, {3, {1, 3}}};
    assert_heads_after(last, 3, expected);
}

IN_SCENE(messages_between_marked_entries_count_by_the_newest_of_them)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "1", "custom:a", NULL);
    struct xylem_position last = store_builder_messages(&builder, session, 5);
    const struct xylem_store__head expected[] = {{1, {1, 1}}, {2, {1, 6}}};
    assert_heads_after(last, 2, expected);
    last = store_builder_add(&builder, session, "2", "custom:a", NULL);
    const struct xylem_store__head later[] = {{1, {1, 7}}, {2, {1, 6}}};
    assert_heads_after(last, 2, later);
}

IN_SCENE(heads_are_those_of_the_path_alone)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position root = store_builder_add(&builder, session, "1", "message", NULL);
    store_builder_add(&builder, session, "2", "custom:a", NULL);
    struct xylem_position last = store_builder_add_at(&builder, session, root, "3", "custom:b", NULL);
    const struct xylem_store__head expected[] = {{1, {1, 1}}, {3, {2, 2}}};
    assert_heads_after(last, 2, expected);
    uint64_t fork = store_builder_fork(&builder, session, root, XYLEM_FORK_AT, "f");
    last = store_builder_add(&builder, fork, "2", "custom:c", NULL);
    const struct xylem_store__head forked[] = {{1, {1, 1}}, {4, {3, 2}}};
    assert_heads_after(last, 2, forked);
}

TEST(only_a_hosts_message_is_unmarked)
{
    assert_true(xylem_store__kind_is_message((struct xylem_kind){XYLEM_CLASS_HOST, {"message", 7}}));
    assert_false(xylem_store__kind_is_message((struct xylem_kind){XYLEM_CLASS_CUSTOM, {"message", 7}}));
    assert_false(xylem_store__kind_is_message((struct xylem_kind){XYLEM_CLASS_HOST, {"messages", 8}}));
    assert_false(xylem_store__kind_is_message((struct xylem_kind){XYLEM_CLASS_HOST, {NULL, 0}}));
}

/* Appends `count` entries of as many new custom kinds. */
static void append_kinds(uint64_t session, unsigned from, unsigned count)
{
    static struct xylem_new_entry entries[XYLEM_HEADS_MAX + 8];
    static char names[XYLEM_HEADS_MAX + 8][12];
    struct xylem_error err = {0};
    assert_in_range(count, 1, XYLEM_HEADS_MAX + 8);
    memset(entries, 0, sizeof entries);
    for (unsigned i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "k%u", from + i);
        entries[i].kind.kind_class = XYLEM_CLASS_CUSTOM;
        entries[i].kind.name = xylem_view_of(names[i]);
    }
    store_builder_must(xylem_append(NULL, builder.txn, session, entries, count, NULL, &err), &err);
}

static bool incomplete(struct xylem_position position)
{
    return read_entry(position).flags & XYLEM_ENTRY_HEADS_INCOMPLETE;
}

IN_SCENE(more_kinds_than_heads_are_kept_for_set_a_flag_that_stays)
{
    uint64_t session = store_builder_session(&builder, "s");
    append_kinds(session, 0, XYLEM_HEADS_MAX);
    assert_false(incomplete(store_builder_leaf(&builder, session)));
    append_kinds(session, XYLEM_HEADS_MAX, 1);
    /* Before this one lie exactly as many kinds as heads are kept for. */
    assert_false(incomplete(at(1, XYLEM_HEADS_MAX + 1)));
    store_builder_commit(&builder);
    append_kinds(session, 0, 2);
    assert_true(incomplete(at(1, XYLEM_HEADS_MAX + 2)));
    assert_true(incomplete(at(1, XYLEM_HEADS_MAX + 3)));
    assert_links(at(1, XYLEM_HEADS_MAX + 3), XYLEM_ENTRY_HEADS_INCOMPLETE, "\0\1", 2);
    store_builder_add(&builder, session, "m", "message", NULL);
    store_builder_reopen(&builder);
    append_kinds(session, 7, 1);
    assert_true(incomplete(store_builder_leaf(&builder, session)));
    struct xylem_position branched =
        store_builder_add_at(&builder, session, at(1, XYLEM_HEADS_MAX + 2), "b", "custom:k1", NULL);
    assert_true(incomplete(branched));
    /* A path that leaves before the flag does not have it. */
    branched = store_builder_add_at(&builder, session, at(1, 100), "c", "custom:k1", NULL);
    assert_false(incomplete(branched));
    assert_verified(builder.txn);
}

IN_SCENE(heads_that_cannot_be_are_corrupt)
{
    static const struct {
        const char *links;
        size_t bytes;
    } wrong[] = {
        {"\0\0\1\0\1\1", 6},                 /* a kind without a position */
        {"\0\0\1\0\0", 5},                   /* a kind at no position */
        {"\0\0\1\0\11", 5},                  /* before the root */
        {"\0\0\xff\xff\xff\xff\x7f\0\1", 9}, /* a number that no kind has */
        {"\0", 1},                           /* no marked entry */
    };
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "1", "message", NULL);
    struct xylem_position last = store_builder_add(&builder, session, "2", "custom:a", NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct xylem_store__heads heads = {0};
        struct xylem_entry entry = read_entry(last);
        entry.unverified.links = wrong[i].links;
        entry.unverified.links_bytes = (uint32_t)wrong[i].bytes;
        assert_int_equal(xylem_store__heads_start(&heads, &entry, NULL), XYLEM_E_CORRUPT);
        xylem_store__heads_release(&heads);
    }
}

IN_SCENE(a_lost_marked_entry_is_corruption_and_not_absence)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position marked = store_builder_add(&builder, session, "1", "custom:a", NULL);
    store_builder_messages(&builder, session, 2);
    store_builder_drop(&builder, marked);
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_CUSTOM, {"a", 1}}};
    struct xylem_error err = {0};
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, NULL, &err), XYLEM_E_CORRUPT);
}
