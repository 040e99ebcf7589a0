/* fleet/wait.h: an engine as a whole. */
#include "tests/fleet/shipped.h"

#include "fleet/wait.h"

static int visits;

static int set_up(void **state)
{
    (void)state;
    shipped_open();
    visits = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    shipped_close();
    return 0;
}

static int visit(void *context, const struct fleet_row *row)
{
    (void)row;
    visits++;
    return *(const int *)context;
}

static int walk(int code)
{
    struct fleet_waiting waiting = {.engine = engine, .name = "engine", .deadline_ms = 50};
    visits = 0;
    return fleet_each_row(&waiting, visit, &code, &err);
}

TEST_WITH(a_walk_over_the_rows_ends_with_the_first_code_but_0, set_up, tear_down)
{
    make_session("a", 1);
    make_session("b", 1);
    ship("a");
    ship("b");
    assert_int_equal(walk(0), 0);
    assert_int_equal(visits, 2);
    assert_int_equal(walk(1), 1);
    assert_int_equal(visits, 1);
    assert_int_equal(walk(XYLEM_E_BUSY), XYLEM_E_BUSY);
    assert_int_equal(visits, 1);
}

/* As a ship does that gives way: the next one first walks over the rows. */
static void leave_requests(unsigned count)
{
    const struct fleet_request look = owned(FLEET_LOOK, "a");
    engine_memory_hold(engine, true);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(engine->submit(engine, ++engine->last_number, &look, &err), 0);
        engine->drop(engine, engine->last_number);
    }
    engine_memory_hold(engine, false);
}

TEST_WITH(a_walk_takes_the_places_of_requests_that_were_dropped_and_not_their_answers, set_up, tear_down)
{
    make_session("a", 1);
    ship("a");
    leave_requests(ENGINE_MEMORY_REQUESTS_MAX / 2);
    assert_int_equal(walk(0), 0);
    assert_int_equal(visits, 1);
    leave_requests(ENGINE_MEMORY_REQUESTS_MAX);
    assert_int_equal(walk(0), 0);
    assert_int_equal(visits, 1);
}
