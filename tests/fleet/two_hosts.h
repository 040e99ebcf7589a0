/* Two hosts over an engine in memory, for each test anew. Only test files include this header: each has hosts of its own. */
#ifndef XYLEM_TESTS_FLEET_TWO_HOSTS_H
#define XYLEM_TESTS_FLEET_TWO_HOSTS_H

#include "tests/fleet/hosts.h"
#include "tests/lib/test.h"

#define SECRET "a very secret payload"

static struct memory_fleet *fleet;
static struct host a;
static struct host b;
static struct xylem_error err;

static int set_up(void **state)
{
    (void)state;
    fleet = memory_fleet_new();
    host_open(&a, fleet, "alpha");
    host_open(&b, fleet, "beta");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    host_close(&a);
    host_close(&b);
    memory_fleet_free(fleet);
    return 0;
}

#define FLEET_TEST(test) TEST_WITH(test, set_up, tear_down)

static inline int must(int code)
{
    return store_builder_must(code, &err);
}

static inline struct rows_version *row_of(const char *session)
{
    struct rows_version *row = memory_fleet_row(fleet, xylem_view_of(session));
    assert_non_null(row);
    return row;
}

static inline bool engine_has(const char *text)
{
    return memory_fleet_has(fleet, xylem_view_of(text));
}

#endif
