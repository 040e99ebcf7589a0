/* The engine in memory, with which other tests are made. */
#include <string.h>

#include "base/value.h"
#include "tests/fleet/engine_memory.h"
#include "tests/lib/test.h"

static struct memory_fleet *fleet;
static struct fleet_engine *engines[2];
static struct fleet_answer answer;

static int set_up(void **state)
{
    (void)state;
    fleet = memory_fleet_new();
    engines[0] = engine_memory_new(fleet);
    engines[1] = engine_memory_new(fleet);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    engines[0]->free(engines[0]);
    engines[1]->free(engines[1]);
    memory_fleet_free(fleet);
    return 0;
}

static void submit(unsigned who, struct fleet_request request)
{
    memset(request.owner, (int)who + 1, sizeof request.owner);
    if (request.ask != FLEET_LIST && !request.session.data) {
        request.session = xylem_view_of("s");
    }
    assert_int_equal(engines[who]->submit(engines[who], 7, &request, NULL), XYLEM_OK);
}

static enum fleet_outcome ask(unsigned who, struct fleet_request request)
{
    submit(who, request);
    assert_int_equal(engines[who]->poll(engines[who], &answer, NULL), 1);
    assert_int_equal(answer.number, 7);
    assert_int_equal(answer.ask, request.ask);
    assert_non_null(answer.text);
    return answer.outcome;
}

static enum fleet_outcome claim(unsigned who, uint64_t epoch)
{
    return ask(who, (struct fleet_request){
                        .ask = FLEET_CLAIM, .epoch = epoch, .make = true, .host = xylem_view_of(who ? "b" : "a")});
}

static struct fleet_request append(uint64_t epoch, uint64_t from, const char *body)
{
    return (struct fleet_request){.ask = FLEET_APPEND,
                                  .epoch = epoch,
                                  .from = from,
                                  .to = from + 2,
                                  .before = from - 1,
                                  .after = from + 1,
                                  .body = xylem_view_of(body),
                                  .head = xylem_view_of(body),
                                  .about = xylem_view_of("{}")};
}

#define ENGINE_TEST(name) TEST_WITH(name, set_up, tear_down)

ENGINE_TEST(a_claim_said_twice_is_said_once)
{
    assert_int_equal(claim(0, 0), FLEET_DONE);
    assert_int_equal(claim(0, 0), FLEET_DONE);
    assert_int_equal(answer.rows->epoch, 1);
    assert_int_equal(claim(1, 0), FLEET_NO);
    assert_int_equal(claim(1, 1), FLEET_DONE);
    assert_int_equal(answer.rows->epoch, 2);
    assert_true(answer.rows->mine);
    assert_true(xylem_base__view_is(answer.rows->host, "b"));
}

ENGINE_TEST(an_append_needs_epoch_owner_ordinal_and_chain)
{
    claim(0, 0);
    assert_int_equal(ask(0, append(1, 1, "one")), FLEET_DONE);
    assert_int_equal(ask(0, append(1, 1, "one")), FLEET_NO);
    assert_int_equal(ask(0, append(1, 5, "one")), FLEET_NO);
    assert_int_equal(ask(0, append(2, 3, "two")), FLEET_NO);
    assert_int_equal(ask(1, append(1, 3, "two")), FLEET_NO);
    struct fleet_request other = append(1, 3, "two");
    other.before = 9;
    assert_int_equal(ask(0, other), FLEET_NO);
    assert_int_equal(ask(0, append(1, 3, "two")), FLEET_DONE);
    assert_int_equal(ask(1, (struct fleet_request){.ask = FLEET_READ, .from = 2, .limit = 9}), FLEET_DONE);
    assert_int_equal(answer.piece_count, 2);
    assert_int_equal(answer.rows->next, 5);
    assert_false(answer.rows->mine);
    assert_true(xylem_base__view_is(answer.pieces[1].body, "two"));
    assert_null(answer.rows->head.data);
    assert_int_equal(ask(1, (struct fleet_request){.ask = FLEET_ROW}), FLEET_DONE);
    assert_true(xylem_base__view_is(answer.rows->head, "two"));
    assert_int_equal(answer.rows->bytes, 6);
}

ENGINE_TEST(a_rewrite_counts_generations_and_takes_the_text_out)
{
    struct fleet_request rewrite = {.ask = FLEET_REWRITE, .epoch = 1, .from = 1, .to = 3};
    claim(0, 0);
    ask(0, append(1, 1, "secret"));
    ask(0, append(1, 3, "second"));
    assert_true(memory_fleet_has(fleet, xylem_view_of("cret")));
    rewrite.body = xylem_view_of("......");
    assert_int_equal(ask(0, rewrite), FLEET_DONE);
    assert_false(memory_fleet_has(fleet, xylem_view_of("cret")));
    assert_int_equal(ask(0, rewrite), FLEET_NO);
    rewrite.generation = 1;
    rewrite.to = 4;
    assert_int_equal(ask(0, rewrite), FLEET_NO);
    ask(0, (struct fleet_request){.ask = FLEET_READ, .from = 1, .limit = 9});
    assert_int_equal(answer.rows->generation, 1);
    assert_int_equal(answer.pieces[0].generation, 1);
    assert_int_equal(answer.pieces[1].generation, 0);
}

ENGINE_TEST(a_released_session_has_no_owner_and_a_freed_one_its_remains)
{
    claim(0, 0);
    ask(0, append(1, 1, "one"));
    assert_int_equal(ask(1, (struct fleet_request){.ask = FLEET_RELEASE, .epoch = 1}), FLEET_NO);
    assert_int_equal(ask(0, (struct fleet_request){.ask = FLEET_RELEASE, .epoch = 1}), FLEET_DONE);
    assert_int_equal(ask(0, append(1, 3, "two")), FLEET_NO);
    assert_int_equal(ask(0, (struct fleet_request){.ask = FLEET_LOOK}), FLEET_DONE);
    assert_true(answer.rows->unowned);
    assert_false(answer.rows->mine);
    claim(1, 1);
    assert_int_equal(ask(1, (struct fleet_request){.ask = FLEET_FREE, .epoch = 2, .body = xylem_view_of("remains")}),
                     FLEET_DONE);
    ask(0, (struct fleet_request){.ask = FLEET_READ, .from = 1, .limit = 9});
    assert_true(answer.rows->freed);
    assert_int_equal(answer.piece_count, 1);
    assert_int_equal(answer.pieces[0].from, 0);
    assert_false(memory_fleet_has(fleet, xylem_view_of("one")));
}

ENGINE_TEST(rows_are_listed_by_their_ids)
{
    static const char *const ids[] = {"b", "a", "ab"};
    for (size_t i = 0; i < 3; i++) {
        ask(0, (struct fleet_request){.ask = FLEET_CLAIM, .session = xylem_view_of(ids[i]), .make = true});
    }
    ask(0, (struct fleet_request){.ask = FLEET_LIST, .limit = 2});
    assert_int_equal(answer.row_count, 2);
    assert_true(xylem_base__view_is(answer.rows[0].id, "a") && xylem_base__view_is(answer.rows[1].id, "ab"));
    ask(0, (struct fleet_request){.ask = FLEET_LIST, .limit = 9, .behind = xylem_view_of("ab")});
    assert_int_equal(answer.row_count, 1);
    assert_true(xylem_base__view_is(answer.rows[0].id, "b"));
}

ENGINE_TEST(an_answer_is_lost_as_the_test_says)
{
    claim(0, 0);
    engine_memory_say(engines[0], FLEET_APPEND, FLEET_UNKNOWN, true, 1);
    engine_memory_say(engines[0], FLEET_APPEND, FLEET_UNKNOWN, false, 1);
    assert_int_equal(ask(0, append(1, 1, "one")), FLEET_UNKNOWN);
    assert_int_equal(ask(0, append(1, 3, "two")), FLEET_UNKNOWN);
    assert_int_equal(ask(0, (struct fleet_request){.ask = FLEET_LOOK}), FLEET_DONE);
    assert_int_equal(answer.rows->next, 3);
    assert_int_equal(memory_fleet_count(fleet, FLEET_APPEND, FLEET_UNKNOWN), 2);
}

ENGINE_TEST(a_dropped_request_may_arrive_late)
{
    claim(0, 0);
    engine_memory_hold(engines[0], true);
    engine_memory_late(engines[0], true);
    submit(0, append(1, 1, "one"));
    assert_int_equal(engines[0]->poll(engines[0], &answer, NULL), 0);
    engines[0]->drop(engines[0], 7);
    assert_int_equal(engines[0]->poll(engines[0], &answer, NULL), 1);
    assert_int_equal(answer.outcome, FLEET_UNKNOWN);
    ask(1, (struct fleet_request){.ask = FLEET_ROW});
    assert_int_equal(answer.rows->next, 1);
    engine_memory_hold(engines[0], false);
    assert_int_equal(engines[0]->poll(engines[0], &answer, NULL), 0);
    ask(1, (struct fleet_request){.ask = FLEET_ROW});
    assert_int_equal(answer.rows->next, 3);
}

ENGINE_TEST(a_backup_comes_back)
{
    claim(0, 0);
    ask(0, append(1, 1, "one"));
    struct rows_table *saved = memory_fleet_save(fleet);
    ask(0, append(1, 3, "two"));
    memory_fleet_restore(fleet, saved);
    memory_fleet_saved_free(saved);
    ask(0, (struct fleet_request){.ask = FLEET_ROW});
    assert_int_equal(answer.rows->next, 3);
}

ENGINE_TEST(silence_is_counted_by_the_engines_clock)
{
    claim(0, 0);
    memory_fleet_set_now(fleet, 500);
    ask(1, (struct fleet_request){.ask = FLEET_LOOK});
    assert_int_equal(answer.rows->silent_ms, 500);
    ask(0, (struct fleet_request){.ask = FLEET_LOOK});
    assert_int_equal(answer.rows->silent_ms, 0);
}

ENGINE_TEST(requests_beyond_their_limits_are_refused)
{
    static char longer[FLEET_ABOUT_BYTES_MAX + 1];
    struct fleet_request request = append(1, 1, "one");
    request.session = xylem_view_of("s");
    request.about = (struct xylem_view){longer, sizeof longer};
    assert_int_equal(engines[0]->submit(engines[0], 1, &request, NULL), XYLEM_E_LIMIT);
    request = append(1, 1, "one");
    assert_int_equal(engines[0]->submit(engines[0], 1, &request, NULL), XYLEM_E_ARGUMENT);
    request.session = xylem_view_of("s");
    request.to = 1;
    assert_int_equal(engines[0]->submit(engines[0], 1, &request, NULL), XYLEM_E_ARGUMENT);
    engine_memory_hold(engines[0], true);
    for (unsigned i = 0; i < ENGINE_MEMORY_REQUESTS_MAX; i++) {
        submit(0, append(1, 1, "one"));
    }
    request = append(1, 1, "one");
    request.session = xylem_view_of("s");
    assert_int_equal(engines[0]->submit(engines[0], 1, &request, NULL), XYLEM_E_BUSY);
}
