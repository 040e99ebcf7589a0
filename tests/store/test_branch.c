#include "store/branch.h"
#include "xylem/append.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

static struct xylem_store__branch read_branch(uint64_t number)
{
    struct xylem_store__branch branch;
    struct xylem_error err = {0};
    store_builder_must(xylem_store__branch_read(&branch, builder.txn, number, &err), &err);
    return branch;
}

static void assert_branch(uint64_t number, uint64_t session, uint64_t first_depth, uint64_t parent, uint64_t previous)
{
    struct xylem_store__branch branch = read_branch(number);
    assert_int_equal(branch.number, number);
    assert_int_equal(branch.session, session);
    assert_int_equal(branch.first_depth, first_depth);
    assert_int_equal(branch.parent_branch, parent);
    assert_int_equal(branch.previous_branch, previous);
    assert_int_equal(branch.end_depth, 0);
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(a_row_says_where_a_branch_begins_and_which_its_session_had_before)
{
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 3);
    uint64_t fork = store_builder_fork(&builder, source, (struct xylem_position){1, 2}, XYLEM_FORK_AT, "fork");
    store_builder_add(&builder, fork, "a", "message", NULL);
    store_builder_add_at(&builder, source, (struct xylem_position){1, 1}, "b", "message", NULL);
    store_builder_add_at(&builder, source, (struct xylem_position){0, 0}, "c", "message", NULL);
    assert_branch(1, source, 1, 0, 0);
    assert_branch(2, fork, 3, 1, 0);
    assert_branch(3, source, 2, 1, 1);
    assert_branch(4, source, 1, 0, 3);
}

IN_STORE(the_tip_is_the_last_entry)
{
    struct xylem_position tip;
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_messages(&builder, session, 300);
    store_builder_add_at(&builder, session, (struct xylem_position){1, 5}, "side", "message", NULL);
    assert_int_equal(xylem_store__branch_tip(&tip, builder.txn, 1, NULL), XYLEM_OK);
    assert_true(tip.branch == 1 && tip.depth == 300);
    assert_int_equal(xylem_store__branch_tip(&tip, builder.txn, 2, NULL), XYLEM_OK);
    assert_true(tip.branch == 2 && tip.depth == 6);
    assert_int_equal(xylem_store__branch_tip(&tip, builder.txn, 3, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_store__branch_tip(&tip, builder.txn, UINT64_MAX, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_store__branch_tip(&tip, builder.txn, 0, NULL), XYLEM_E_CORRUPT);
}

IN_STORE(the_tip_of_a_store_without_entries_is_corrupt)
{
    struct xylem_position tip;
    assert_int_equal(xylem_store__branch_tip(&tip, builder.txn, 1, NULL), XYLEM_E_CORRUPT);
}

IN_STORE(an_ancestor_lies_on_the_branch_that_its_depth_falls_in)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_messages(&builder, session, 3);
    store_builder_add_at(&builder, session, (struct xylem_position){1, 2}, "a", "message", NULL);
    store_builder_messages(&builder, session, 2);
    store_builder_add_at(&builder, session, (struct xylem_position){2, 4}, "b", "message", NULL);
    static const uint64_t branches[] = {1, 1, 2, 2, 3};
    for (uint64_t depth = 1; depth <= 5; depth++) {
        struct xylem_position found;
        assert_int_equal(xylem_store__ancestor_at(&found, builder.txn, (struct xylem_position){3, 5}, depth, NULL),
                         XYLEM_OK);
        assert_int_equal(found.branch, branches[depth - 1]);
        assert_int_equal(found.depth, depth);
    }
}

IN_STORE(a_branch_that_should_exist_and_does_not_is_corrupt)
{
    struct xylem_store__branch branch;
    struct xylem_position found;
    assert_int_equal(xylem_store__branch_read(&branch, builder.txn, 1, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_store__ancestor_at(&found, builder.txn, (struct xylem_position){4, 4}, 1, NULL),
                     XYLEM_E_CORRUPT);
}

IN_STORE(numbers_go_on_above_the_floor)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_messages(&builder, session, 1);
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.branch = 40});
    store_builder_commit(&builder);
    uint64_t number = 0;
    assert_int_equal(xylem_store__branch_next(&number, builder.txn, NULL), XYLEM_OK);
    assert_int_equal(number, 41);
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.branch = UINT64_MAX});
    store_builder_commit(&builder);
    assert_int_equal(xylem_store__branch_next(&number, builder.txn, NULL), XYLEM_E_CORRUPT);
}

static int decode(uint64_t number, uint64_t first_depth, uint64_t parent, uint64_t previous, size_t bytes)
{
    struct xylem_buffer row = {0};
    const uint64_t numbers[] = {1, first_depth, parent, previous, 0, parent == 0 ? 1 : 2, 0, 0, 0, 0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_int_equal(xylem_base__add_varint(&row, numbers[i]), XYLEM_OK);
    }
    struct xylem_store__branch branch;
    int code = xylem_store__branch_decode(&branch, number, (struct xylem_view){row.data, bytes}, NULL);
    xylem_buffer_release(&row);
    return code;
}

TEST(a_row_that_cannot_be_is_corrupt)
{
    assert_int_equal(decode(5, 1, 0, 0, 9), XYLEM_OK);
    assert_int_equal(decode(5, 2, 4, 4, 9), XYLEM_OK);
    assert_int_equal(decode(5, 0, 0, 0, 9), XYLEM_E_CORRUPT); /* no depth */
    assert_int_equal(decode(5, 2, 0, 0, 9), XYLEM_E_CORRUPT); /* a root has depth 1 */
    assert_int_equal(decode(5, 1, 4, 0, 9), XYLEM_E_CORRUPT); /* and no other branch begins there */
    assert_int_equal(decode(5, 2, 5, 0, 9), XYLEM_E_CORRUPT); /* a parent is older */
    assert_int_equal(decode(5, 2, 6, 0, 9), XYLEM_E_CORRUPT);
    assert_int_equal(decode(5, 1, 0, 5, 9), XYLEM_E_CORRUPT); /* and so is the branch before */
    for (size_t bytes = 0; bytes <= 10; bytes++) {
        assert_int_equal(decode(5, 1, 0, 0, bytes), bytes == 9 ? XYLEM_OK : XYLEM_E_CORRUPT);
    }
}

/* A row with the fields of a skip: branch 5 at depth 9 below branch 4. */
static int decode_skip(uint64_t level, uint64_t branch, uint64_t to_level, uint64_t last_depth)
{
    struct xylem_buffer row = {0};
    const uint64_t numbers[] = {1, 9, 4, 0, 0, level, branch, to_level, last_depth};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_int_equal(xylem_base__add_varint(&row, numbers[i]), XYLEM_OK);
    }
    struct xylem_store__branch decoded;
    int code = xylem_store__branch_decode(&decoded, 5, xylem_base__buffer_view(&row), NULL);
    assert_true(code < 0 || decoded.skip.level == level);
    xylem_buffer_release(&row);
    return code;
}

IN_STORE(a_skip_that_cannot_be_is_corrupt)
{
    assert_int_equal(decode_skip(3, 2, 1, 4), XYLEM_OK);
    assert_int_equal(decode_skip(3, 4, 2, 8), XYLEM_OK);
    assert_int_equal(decode_skip(2, 0, 0, 0), XYLEM_OK);
    assert_int_equal(decode_skip(0, 0, 0, 0), XYLEM_E_CORRUPT); /* every branch has a level */
    assert_int_equal(decode_skip(1, 0, 0, 0), XYLEM_E_CORRUPT); /* 1 is that of a root */
    assert_int_equal(decode_skip(3, 5, 1, 4), XYLEM_E_CORRUPT); /* a skip leads to an older branch */
    assert_int_equal(decode_skip(3, 2, 3, 4), XYLEM_E_CORRUPT); /* on a lower level */
    assert_int_equal(decode_skip(3, 2, 1, 9), XYLEM_E_CORRUPT); /* which the path leaves before */
    assert_int_equal(decode_skip(3, 2, 0, 4), XYLEM_E_CORRUPT); /* all of it, or nothing */
    assert_int_equal(decode_skip(3, 0, 1, 4), XYLEM_E_CORRUPT);
    assert_int_equal(decode_skip(3, 2, 1, 0), XYLEM_E_CORRUPT);
}

/* Levels 1, 2, 3 and so on: lengths of skips are 1, 1, 3, 1, 1, 3, 7 and so on, as in skew binary numbers. */
IN_STORE(skips_of_a_chain_of_forks_double)
{
    static const uint64_t to_levels[] = {0, 1, 0, 3, 4, 3, 0, 7, 8, 7, 10, 11, 10, 7, 0};
    uint64_t session = store_builder_session(&builder, "s");
    for (uint64_t level = 1; level <= sizeof to_levels / sizeof *to_levels; level++) {
        struct xylem_position at = store_builder_messages(&builder, session, 2);
        struct xylem_store__branch branch = read_branch(at.branch);
        assert_int_equal(branch.skip.level, level);
        assert_int_equal(branch.skip.to_level, to_levels[level - 1]);
        assert_int_equal(branch.skip.branch, to_levels[level - 1]);         /* one branch a level, from 1 on */
        assert_int_equal(branch.skip.last_depth, to_levels[level - 1] * 2); /* two entries on each */
        session = store_builder_clone(&builder, session, NULL);
    }
}

IN_STORE(a_damaged_row_refuses_the_next_append)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_messages(&builder, session, 1);
    row_last_set(builder.txn, XYLEM_FORMAT__BRANCHES, 0, 9, false);
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, NULL, NULL), XYLEM_E_CORRUPT);
}

IN_STORE(a_damaged_record_behind_the_end_of_a_branch_hides_nothing_where_its_key_is_right)
{
    struct xylem_position tip;
    uint64_t session = store_builder_session(&builder, "ends");
    struct xylem_position end = store_builder_messages(&builder, session, 3);
    uint64_t other = store_builder_session(&builder, "behind");
    struct xylem_position behind = store_builder_messages(&builder, other, 1);
    assert_int_equal(xylem_store__branch_tip(&tip, builder.txn, end.branch, NULL), XYLEM_OK);
    assert_true(xylem_format__position_equal(tip, end));
    store_builder_damage(&builder, behind);
    assert_int_equal(xylem_store__branch_tip(&tip, builder.txn, end.branch, NULL), XYLEM_OK);
    assert_true(xylem_format__position_equal(tip, end));
    store_builder_damage(&builder, end);
    assert_int_equal(xylem_store__branch_tip(&tip, builder.txn, end.branch, NULL), XYLEM_E_CORRUPT);
}
