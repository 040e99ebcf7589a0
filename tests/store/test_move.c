#include "store/store.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

static struct store_builder builder;
static uint64_t session;

static int set_up(void **state)
{
    (void)state;
    store_builder_open(&builder);
    session = store_builder_session(&builder, "s");
    store_builder_messages(&builder, session, 3);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    store_builder_close(&builder);
    return 0;
}

static int read_move(struct xylem_move *move, uint64_t number)
{
    return xylem_move_read(move, builder.txn, session, number, NULL);
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(navigations_are_numbered_from_one_and_read_back)
{
    struct xylem_move move;
    store_builder_go(&builder, session, (struct xylem_position){1, 1});
    store_builder_go(&builder, session, (struct xylem_position){0, 0});
    store_builder_reopen(&builder);
    assert_int_equal(read_move(&move, 1), XYLEM_OK);
    assert_true(move.number == 1 && move.time_ms > 0);
    assert_true(move.from.branch == 1 && move.from.depth == 3 && move.to.branch == 1 && move.to.depth == 1);
    assert_true(xylem_base__view_is(move.reason, "test"));
    assert_int_equal(read_move(&move, 2), XYLEM_OK);
    assert_true(move.from.depth == 1 && move.to.branch == 0 && move.to.depth == 0);
}

IN_STORE(a_number_that_was_not_counted_is_not_found)
{
    struct xylem_move move;
    store_builder_go(&builder, session, (struct xylem_position){1, 1});
    assert_int_equal(read_move(&move, 0), XYLEM_E_NOT_FOUND);
    assert_int_equal(read_move(&move, 2), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_move_read(&move, builder.txn, 99, 1, NULL), XYLEM_E_NOT_FOUND);
}

IN_STORE(navigations_of_two_sessions_are_kept_apart)
{
    struct xylem_move move;
    uint64_t fork = store_builder_clone(&builder, session, "fork");
    store_builder_go(&builder, fork, (struct xylem_position){1, 2});
    store_builder_go(&builder, session, (struct xylem_position){1, 1});
    assert_int_equal(read_move(&move, 1), XYLEM_OK);
    assert_int_equal(move.to.depth, 1);
    assert_int_equal(xylem_move_read(&move, builder.txn, fork, 1, NULL), XYLEM_OK);
    assert_int_equal(move.to.depth, 2);
}

IN_STORE(a_navigation_that_should_exist_and_does_not_is_corrupt)
{
    struct xylem_move move;
    store_builder_go(&builder, session, (struct xylem_position){1, 1});
    struct row row = row_last(builder.txn, XYLEM_FORMAT__MOVES);
    row_remove(builder.txn, XYLEM_FORMAT__MOVES, &row);
    row_release(&row);
    assert_int_equal(read_move(&move, 1), XYLEM_E_CORRUPT);
}

IN_STORE(a_damaged_row_is_corrupt)
{
    struct xylem_move move = {.number = 77};
    store_builder_go(&builder, session, (struct xylem_position){1, 1});
    row_last_set(builder.txn, XYLEM_FORMAT__MOVES, 8, 2, false);
    assert_int_equal(read_move(&move, 1), XYLEM_E_CORRUPT);
    row_last_set(builder.txn, XYLEM_FORMAT__MOVES, 12, 100 /* the reason's length */, true);
    assert_int_equal(read_move(&move, 1), XYLEM_E_CORRUPT);
    /* Out parameters are written on success only. */
    assert_int_equal(move.number, 77);
}

TEST(a_row_of_another_length_is_corrupt)
{
    static const char row[64] = {[12] = 4};
    for (size_t bytes = 0; bytes <= sizeof row; bytes++) {
        struct xylem_move move;
        assert_int_equal(xylem_store__move_decode(&move, 1, (struct xylem_view){row, bytes}, NULL),
                         bytes == 17 ? XYLEM_OK : XYLEM_E_CORRUPT);
    }
}

TEST(a_number_with_another_spelling_is_corrupt)
{
    struct xylem_move move;
    for (size_t i = 8; i < 12; i++) {
        char row[18] = {[13] = 4};
        row[i] = (char)0x80;
        assert_int_equal(xylem_store__move_decode(&move, 1, (struct xylem_view){row, sizeof row}, NULL),
                         XYLEM_E_CORRUPT);
    }
}

IN_STORE(a_number_is_not_given_out_twice)
{
    store_builder_go(&builder, session, (struct xylem_position){1, 1});
    struct xylem_session row = store_builder_read(&builder, session);
    struct xylem_move move = {.number = 1};
    assert_int_equal(xylem_store__move_add(builder.txn, &row, &move, NULL), XYLEM_E_CORRUPT);
}
