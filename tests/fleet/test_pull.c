/* A pull decides from answers and from the store alone. */
#include "fleet/pull.h"
#include "tests/lib/test.h"

static struct fleet_pull pull;
static struct fleet_row row;

static void begin(uint64_t have)
{
    fleet_pull_begin(&pull, have, have * 10);
    row = (struct fleet_row){.epoch = 2, .next = 10, .chain = 90};
}

static void expect(enum fleet_pull_act act)
{
    assert_int_equal(fleet_pull_next(&pull), act);
}

static void answer(enum fleet_outcome outcome, size_t piece_count)
{
    struct fleet_answer answer = {.ask = FLEET_READ,
                                  .outcome = outcome,
                                  .rows = &row,
                                  .row_count = outcome == FLEET_DONE,
                                  .piece_count = piece_count};
    expect(FLEET_PULL_READ);
    fleet_pull_sent(&pull);
    expect(FLEET_PULL_WAIT);
    fleet_pull_answer(&pull, &answer);
}

static enum fleet_pull_act piece(uint64_t from, uint64_t to)
{
    return fleet_pull_piece(&pull, &(struct fleet_piece){.from = from, .to = to, .chain = (to - 1) * 10});
}

static void apply(uint64_t from, uint64_t to)
{
    assert_int_equal(piece(from, to), FLEET_PULL_APPLY);
    fleet_pull_applied(&pull, to - 1, (to - 1) * 10, false);
}

TEST(pieces_are_applied_until_the_store_has_all)
{
    begin(0);
    answer(FLEET_DONE, 2);
    apply(1, 4);
    apply(4, 6);
    expect(FLEET_PULL_READ);
    assert_int_equal(pull.have, 5);
    answer(FLEET_DONE, 1);
    apply(6, 10);
    expect(FLEET_PULL_CURRENT);
    begin(9);
    answer(FLEET_DONE, 0);
    expect(FLEET_PULL_CURRENT);
}

TEST(a_piece_that_begins_before_the_store_ends_is_applied_and_one_that_ends_there_is_not)
{
    begin(4);
    answer(FLEET_DONE, 2);
    assert_int_equal(piece(1, 5), FLEET_PULL_SKIP);
    apply(3, 8);
}

TEST(a_segment_that_is_missing_is_a_gap)
{
    begin(4);
    answer(FLEET_DONE, 1);
    assert_int_equal(piece(6, 10), FLEET_PULL_GAP);
    expect(FLEET_PULL_GAP);
    assert_int_equal(piece(5, 6), FLEET_PULL_SKIP);
    begin(4);
    answer(FLEET_DONE, 0);
    expect(FLEET_PULL_GAP);
}

TEST(a_segment_that_brings_nothing_is_a_gap)
{
    begin(4);
    answer(FLEET_DONE, 1);
    assert_int_equal(piece(5, 10), FLEET_PULL_APPLY);
    fleet_pull_applied(&pull, 4, 40, false);
    expect(FLEET_PULL_GAP);
}

TEST(a_piece_that_no_engine_may_answer_is_a_gap)
{
    begin(4);
    answer(FLEET_DONE, 1);
    assert_int_equal(piece(5, 5), FLEET_PULL_GAP);
    begin(4);
    answer(FLEET_DONE, 1);
    assert_int_equal(piece(5, 11), FLEET_PULL_GAP);
    begin(4);
    answer(FLEET_DONE, 1);
    assert_int_equal(piece(0, 6), FLEET_PULL_GAP);
}

TEST(a_conflict_diverges)
{
    begin(4);
    answer(FLEET_DONE, 1);
    assert_int_equal(piece(5, 10), FLEET_PULL_APPLY);
    fleet_pull_applied(&pull, 4, 40, true);
    expect(FLEET_PULL_DIVERGED);
}

TEST(as_many_changes_of_another_history_diverge)
{
    begin(9);
    row.chain = 91;
    answer(FLEET_DONE, 0);
    expect(FLEET_PULL_DIVERGED);
}

TEST(an_engine_that_has_less_is_compared)
{
    begin(12);
    answer(FLEET_DONE, 0);
    expect(FLEET_PULL_COMPARE);
    assert_int_equal(pull.next, 10);
    assert_int_equal(pull.last, 90);
    fleet_pull_compared(&pull, true);
    expect(FLEET_PULL_BEHIND);
    begin(12);
    answer(FLEET_DONE, 0);
    fleet_pull_compared(&pull, false);
    expect(FLEET_PULL_DIVERGED);
}

TEST(a_smaller_epoch_than_that_of_the_store_is_waited_for)
{
    begin(4);
    pull.kept = 3;
    answer(FLEET_DONE, 1);
    expect(FLEET_PULL_BEHIND);
    assert_int_equal(piece(5, 10), FLEET_PULL_SKIP);
    begin(12);
    pull.kept = 3;
    answer(FLEET_DONE, 0);
    expect(FLEET_PULL_COMPARE);
    begin(4);
    answer(FLEET_DONE, 1);
    apply(5, 8);
    row.epoch = 1; /* an older node */
    answer(FLEET_DONE, 1);
    expect(FLEET_PULL_BEHIND);
}

TEST(an_own_claim_stands_until_a_later_one_is_seen)
{
    begin(4);
    answer(FLEET_DONE, 1);
    assert_true(fleet_pull_stands(&pull, 2));
    apply(5, 8);
    row.epoch = 3;
    answer(FLEET_DONE, 1);
    assert_false(fleet_pull_stands(&pull, 2));
    apply(8, 10);
    begin(9);
    pull.kept = 3;
    answer(FLEET_DONE, 0);
    assert_false(fleet_pull_stands(&pull, 2));
}

TEST(the_remains_of_a_freed_session_are_applied)
{
    begin(4);
    row.freed = true;
    answer(FLEET_DONE, 1);
    assert_int_equal(piece(0, 0), FLEET_PULL_APPLY);
    assert_int_equal(piece(5, 9), FLEET_PULL_SKIP);
    expect(FLEET_PULL_FREED);
}

TEST(a_missing_session_ends_and_an_answer_that_failed_is_asked_again)
{
    begin(4);
    answer(FLEET_NO, 0);
    expect(FLEET_PULL_MISSING);
    begin(4);
    answer(FLEET_UNREACHABLE, 0);
    expect(FLEET_PULL_READ);
    row.next = 0;
    answer(FLEET_DONE, 0);
    expect(FLEET_PULL_READ);
    row.next = UINT64_MAX;
    answer(FLEET_DONE, 0);
    expect(FLEET_PULL_READ);
}
