/* A ship decides from answers and from the store alone. */
#include "fleet/ship.h"
#include "tests/lib/test.h"

static struct fleet_ship ship;
static struct fleet_local local;
static struct fleet_row row;

static void begin(uint64_t epoch, uint64_t count)
{
    local = (struct fleet_local){epoch, count};
    row = (struct fleet_row){.epoch = epoch, .next = 1, .mine = true};
    fleet_ship_begin(&ship, &local);
}

static void expect(enum fleet_ship_act act)
{
    assert_int_equal(fleet_ship_next(&ship, &local), act);
}

static void answer_row(enum fleet_ask ask, enum fleet_outcome outcome)
{
    struct fleet_answer answer = {.ask = ask, .outcome = outcome, .rows = &row, .row_count = outcome == FLEET_DONE};
    fleet_ship_sent(&ship);
    expect(FLEET_SHIP_REST);
    fleet_ship_answer(&ship, &answer, 0, 0);
}

static void answer_append(enum fleet_outcome outcome, uint64_t to, uint64_t after)
{
    struct fleet_answer answer = {.ask = FLEET_APPEND, .outcome = outcome};
    fleet_ship_sent(&ship);
    expect(FLEET_SHIP_REST);
    fleet_ship_answer(&ship, &answer, to, after);
}

static void look(uint64_t epoch, uint64_t next, bool mine)
{
    expect(FLEET_SHIP_LOOK);
    row.epoch = epoch;
    row.next = next;
    row.chain = next * 10;
    row.mine = mine;
    answer_row(FLEET_LOOK, FLEET_DONE);
}

static void compared(enum fleet_compared found)
{
    expect(FLEET_SHIP_COMPARE);
    fleet_ship_compared(&ship, found);
}

/* A session of epoch 3 with five changes, of which the engine has two. */
static void get_ready(void)
{
    begin(3, 5);
    look(3, 3, true);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_APPEND);
}

TEST(a_new_session_is_claimed_kept_and_appended)
{
    begin(0, 2);
    expect(FLEET_SHIP_CLAIM);
    assert_int_equal(ship.epoch, 0);
    row = (struct fleet_row){.epoch = 1, .next = 1, .mine = true};
    answer_row(FLEET_CLAIM, FLEET_DONE);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_KEEP);
    assert_int_equal(ship.epoch, 1);
    fleet_ship_kept(&ship);
    expect(FLEET_SHIP_APPEND);
    answer_append(FLEET_DONE, 3, 77);
    assert_int_equal(ship.next, 3);
    assert_int_equal(ship.chain, 77);
    expect(FLEET_SHIP_REST);
    local.count = 3;
    expect(FLEET_SHIP_APPEND);
}

TEST(a_session_that_was_shipped_is_looked_at_first)
{
    begin(3, 5);
    look(3, 3, true);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_APPEND);
    assert_int_equal(ship.next, 3);
    assert_int_equal(ship.chain, 30);
}

TEST(an_unknown_append_is_looked_at_and_is_no_success)
{
    get_ready();
    answer_append(FLEET_UNKNOWN, 6, 60);
    assert_int_equal(ship.next, 3);
    look(3, 6, true);
    compared(FLEET_EQUAL);
    assert_int_equal(ship.next, 6);
    expect(FLEET_SHIP_REST);
}

TEST(a_refused_append_is_looked_at_and_what_is_there_is_no_success)
{
    get_ready();
    answer_append(FLEET_NO, 6, 60);
    assert_int_equal(ship.next, 3);
    expect(FLEET_SHIP_LOOK);
}

TEST(an_append_that_reached_nobody_is_looked_at_since_the_engine_may_have_moved)
{
    get_ready();
    answer_append(FLEET_UNREACHABLE, 6, 60);
    expect(FLEET_SHIP_LOOK);
}

TEST(an_append_that_may_succeed_now_comes_again)
{
    get_ready();
    answer_append(FLEET_RETRY, 6, 60);
    expect(FLEET_SHIP_APPEND);
    answer_append(FLEET_REFUSED, 6, 60);
    expect(FLEET_SHIP_APPEND);
    assert_int_equal(ship.next, 3);
}

TEST(an_unknown_claim_is_sent_again)
{
    begin(0, 2);
    answer_row(FLEET_CLAIM, FLEET_UNKNOWN);
    expect(FLEET_SHIP_CLAIM);
    assert_int_equal(ship.epoch, 0);
}

TEST(an_own_claim_whose_answer_was_lost_gives_its_epoch)
{
    begin(3, 5);
    look(5, 3, true);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_KEEP);
    assert_int_equal(ship.epoch, 5);
}

TEST(a_claim_that_was_refused_is_followed_by_a_look)
{
    begin(0, 2);
    answer_row(FLEET_CLAIM, FLEET_NO);
    look(4, 9, false);
    expect(FLEET_SHIP_FOREIGN);
}

TEST(a_row_that_can_neither_be_made_nor_seen_is_foreign)
{
    begin(0, 2);
    answer_row(FLEET_CLAIM, FLEET_NO);
    expect(FLEET_SHIP_LOOK);
    answer_row(FLEET_LOOK, FLEET_NO);
    expect(FLEET_SHIP_FOREIGN);
}

TEST(a_row_that_was_lost_between_claim_and_look_is_claimed_again)
{
    begin(0, 2);
    answer_row(FLEET_CLAIM, FLEET_NO);
    answer_row(FLEET_LOOK, FLEET_UNKNOWN);
    answer_row(FLEET_LOOK, FLEET_NO);
    expect(FLEET_SHIP_CLAIM);
}

TEST(a_row_that_is_missing_is_made_with_the_epoch_of_the_store)
{
    begin(3, 5);
    answer_row(FLEET_LOOK, FLEET_NO);
    expect(FLEET_SHIP_CLAIM);
    assert_int_equal(ship.epoch, 3);
    row = (struct fleet_row){.epoch = 4, .next = 1, .mine = true};
    answer_row(FLEET_CLAIM, FLEET_DONE);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_KEEP);
}

TEST(a_released_session_is_compared_and_claimed_when_it_has_more)
{
    begin(3, 4);
    row.unowned = true;
    look(3, 5, false);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_REST);
    local.count = 5;
    expect(FLEET_SHIP_CLAIM);
    assert_int_equal(ship.epoch, 3);
    row = (struct fleet_row){.epoch = 4, .next = 5, .mine = true};
    answer_row(FLEET_CLAIM, FLEET_DONE);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_KEEP);
}

TEST(a_released_session_that_is_gone_by_the_claim_is_made_again)
{
    begin(3, 5);
    row.unowned = true;
    look(4, 5, false);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_CLAIM);
    assert_int_equal(ship.epoch, 4);
    answer_row(FLEET_CLAIM, FLEET_NO);
    answer_row(FLEET_LOOK, FLEET_NO);
    expect(FLEET_SHIP_CLAIM);
    assert_int_equal(ship.epoch, 3);
}

TEST(a_released_session_of_another_history_stays_released)
{
    begin(3, 4);
    row.unowned = true;
    look(3, 5, false);
    compared(FLEET_DIFFERS);
    expect(FLEET_SHIP_DIVERGED);
    assert_false(ship.mine);
    begin(0, 4);
    answer_row(FLEET_CLAIM, FLEET_NO);
    row.unowned = true;
    look(3, 5, false);
    compared(FLEET_DIFFERS);
    expect(FLEET_SHIP_FOREIGN);
}

TEST(an_owner_that_lost_the_session_is_fenced)
{
    get_ready();
    answer_append(FLEET_NO, 6, 60);
    look(4, 8, false);
    expect(FLEET_SHIP_FENCED);
    assert_int_equal(ship.epoch, 4);
    fleet_ship_doubt(&ship);
    expect(FLEET_SHIP_FENCED);
}

TEST(another_owner_of_the_same_epoch_fences_too)
{
    begin(3, 5);
    look(3, 3, false);
    expect(FLEET_SHIP_FENCED);
}

TEST(another_owner_of_a_smaller_epoch_is_of_a_backup_and_gives_way)
{
    begin(3, 5);
    look(1, 3, false);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_CLAIM);
    assert_int_equal(ship.epoch, 1);
    row = (struct fleet_row){.epoch = 2, .next = 3, .mine = true};
    answer_row(FLEET_CLAIM, FLEET_DONE);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_CLAIM);
    assert_int_equal(ship.epoch, 2);
    row = (struct fleet_row){.epoch = 3, .next = 3, .mine = true};
    answer_row(FLEET_CLAIM, FLEET_DONE);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_APPEND);
}

TEST(an_engine_that_has_less_gets_the_rest)
{
    get_ready();
    answer_append(FLEET_DONE, 6, 60);
    fleet_ship_doubt(&ship);
    look(3, 2, true);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_APPEND);
    assert_int_equal(ship.next, 2);
}

TEST(an_engine_that_has_more_makes_the_store_short)
{
    begin(3, 5);
    look(3, 9, true);
    compared(FLEET_STORE_IS_SHORT);
    expect(FLEET_SHIP_SHORT);
    assert_true(ship.mine);
}

TEST(another_history_of_the_own_row_diverges)
{
    begin(3, 5);
    look(3, 4, true);
    compared(FLEET_DIFFERS);
    expect(FLEET_SHIP_DIVERGED);
    assert_true(ship.mine);
}

TEST(a_freed_session_ends_by_who_freed_it)
{
    begin(3, 5);
    row.freed = true;
    look(3, 4, true);
    expect(FLEET_SHIP_FREED);
    begin(3, 5);
    row.freed = true;
    look(4, 4, false);
    expect(FLEET_SHIP_FENCED);
    begin(3, 5);
    row.freed = true;
    look(2, 4, false);
    expect(FLEET_SHIP_DIVERGED);
}

TEST(a_doubt_looks_before_the_next_append)
{
    get_ready();
    fleet_ship_doubt(&ship);
    look(3, 3, true);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_APPEND);
}

TEST(a_look_that_was_on_its_way_does_not_end_a_doubt)
{
    struct fleet_answer answer = {.ask = FLEET_LOOK, .outcome = FLEET_DONE, .rows = &row, .row_count = 1};
    begin(3, 5);
    row.next = 3;
    fleet_ship_sent(&ship);
    fleet_ship_doubt(&ship);
    fleet_ship_answer(&ship, &answer, 0, 0);
    look(3, 3, true);
    compared(FLEET_EQUAL);
    expect(FLEET_SHIP_APPEND);
}

TEST(an_append_that_was_on_its_way_counts_and_leaves_the_doubt)
{
    struct fleet_answer answer = {.ask = FLEET_APPEND, .outcome = FLEET_DONE};
    get_ready();
    fleet_ship_sent(&ship);
    fleet_ship_doubt(&ship);
    fleet_ship_answer(&ship, &answer, 6, 60);
    assert_int_equal(ship.next, 6);
    expect(FLEET_SHIP_LOOK);
}

TEST(a_row_that_no_engine_may_answer_is_not_taken)
{
    begin(3, 5);
    row.next = 0;
    answer_row(FLEET_LOOK, FLEET_DONE);
    expect(FLEET_SHIP_LOOK);
    row.next = UINT64_MAX;
    answer_row(FLEET_LOOK, FLEET_DONE);
    expect(FLEET_SHIP_LOOK);
    row = (struct fleet_row){.epoch = 0, .next = 1, .mine = true};
    answer_row(FLEET_LOOK, FLEET_DONE);
    expect(FLEET_SHIP_LOOK);
    begin(0, 1);
    row = (struct fleet_row){.epoch = 1, .next = 1, .mine = false};
    answer_row(FLEET_CLAIM, FLEET_DONE);
    expect(FLEET_SHIP_LOOK);
}

TEST(the_generation_of_the_row_is_at_hand_for_a_rewrite)
{
    begin(3, 5);
    row.generation = 7;
    look(3, 3, true);
    assert_int_equal(ship.generation, 7);
}
