/* A claim decides from answers alone. */
#include "fleet/claim.h"
#include "tests/lib/test.h"

static struct fleet_claim claim;
static struct fleet_row row;

static void begin(bool force)
{
    fleet_claim_begin(&claim, force);
    row = (struct fleet_row){.epoch = 4, .next = 9, .chain = 80, .silent_ms = FLEET_HEARD_MS};
}

static void expect(enum fleet_claim_act act)
{
    assert_int_equal(fleet_claim_next(&claim), act);
}

static void answer(enum fleet_ask ask, enum fleet_outcome outcome)
{
    struct fleet_answer answer = {.ask = ask, .outcome = outcome, .rows = &row, .row_count = outcome == FLEET_DONE};
    expect(ask == FLEET_ROW ? FLEET_CLAIM_ROW : FLEET_CLAIM_SEND);
    fleet_claim_sent(&claim);
    expect(FLEET_CLAIM_WAIT);
    fleet_claim_answer(&claim, &answer);
}

static void win(uint64_t epoch, uint64_t next)
{
    row = (struct fleet_row){.epoch = epoch, .next = next, .chain = 5, .mine = true};
    answer(FLEET_CLAIM, FLEET_DONE);
}

TEST(a_claim_wins_what_its_own_answer_shows)
{
    begin(false);
    answer(FLEET_ROW, FLEET_DONE);
    assert_int_equal(claim.seen, 4);
    win(5, 12);
    expect(FLEET_CLAIM_WON);
    assert_int_equal(claim.epoch, 5);
}

TEST(an_owner_that_was_heard_from_is_claimed_by_force_alone)
{
    begin(false);
    row.silent_ms = FLEET_HEARD_MS - 1;
    answer(FLEET_ROW, FLEET_DONE);
    expect(FLEET_CLAIM_LIVES);
    begin(true);
    row.silent_ms = 0;
    answer(FLEET_ROW, FLEET_DONE);
    expect(FLEET_CLAIM_SEND);
    begin(false);
    row.silent_ms = 0;
    row.unowned = true;
    answer(FLEET_ROW, FLEET_DONE);
    expect(FLEET_CLAIM_SEND);
}

TEST(an_unknown_claim_is_the_same_claim_again)
{
    begin(false);
    answer(FLEET_ROW, FLEET_DONE);
    answer(FLEET_CLAIM, FLEET_UNKNOWN);
    assert_true(claim.doubted);
    expect(FLEET_CLAIM_SEND);
    assert_int_equal(claim.seen, 4);
    answer(FLEET_CLAIM, FLEET_RETRY);
    win(5, 9);
    expect(FLEET_CLAIM_WON);
}

TEST(another_claimer_was_faster)
{
    begin(false);
    answer(FLEET_ROW, FLEET_DONE);
    answer(FLEET_CLAIM, FLEET_NO);
    expect(FLEET_CLAIM_LOST);
    begin(false);
    answer(FLEET_ROW, FLEET_DONE);
    answer(FLEET_CLAIM, FLEET_DONE); /* of a row that is not mine */
    expect(FLEET_CLAIM_LOST);
}

TEST(a_row_that_is_mine_is_acknowledged_by_the_claim_that_made_it)
{
    begin(false);
    row.mine = true;
    row.silent_ms = 0;
    answer(FLEET_ROW, FLEET_DONE);
    assert_int_equal(claim.seen, 3);
    win(4, 9);
    expect(FLEET_CLAIM_WON);
}

TEST(an_epoch_that_the_store_cannot_take_is_claimed_over)
{
    begin(false);
    claim.known = 6;
    answer(FLEET_ROW, FLEET_DONE);
    win(5, 9);
    assert_int_equal(claim.seen, 5);
    win(6, 9);
    expect(FLEET_CLAIM_WON);
    assert_int_equal(claim.epoch, 6);
}

TEST(a_session_that_is_missing_or_freed_is_not_claimed)
{
    begin(true);
    answer(FLEET_ROW, FLEET_NO);
    expect(FLEET_CLAIM_MISSING);
    begin(true);
    row.freed = true;
    answer(FLEET_ROW, FLEET_DONE);
    expect(FLEET_CLAIM_FREED);
    begin(true);
    answer(FLEET_ROW, FLEET_DONE);
    row = (struct fleet_row){.epoch = 5, .next = 9, .mine = true, .freed = true};
    answer(FLEET_CLAIM, FLEET_DONE);
    expect(FLEET_CLAIM_FREED);
}

TEST(an_answer_that_failed_is_asked_again)
{
    begin(true);
    answer(FLEET_ROW, FLEET_UNREACHABLE);
    expect(FLEET_CLAIM_ROW);
    row.epoch = UINT64_MAX;
    answer(FLEET_ROW, FLEET_DONE);
    expect(FLEET_CLAIM_ROW);
    row.epoch = 4;
    answer(FLEET_ROW, FLEET_DONE);
    answer(FLEET_CLAIM, FLEET_REFUSED);
    expect(FLEET_CLAIM_SEND);
}
