/* For test programs in which each test has one store of its own: the store, and cmocka's setup and teardown for it. */
#ifndef XYLEM_TESTS_LIB_ONE_STORE_H
#define XYLEM_TESTS_LIB_ONE_STORE_H

#include "tests/lib/store_builder.h"

static struct store_builder builder;

static int set_up(void **state)
{
    (void)state;
    store_builder_open(&builder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    store_builder_close(&builder);
    return 0;
}

#endif
