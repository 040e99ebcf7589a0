/* one_store.h, and the store has one session, `s`. */
#ifndef XYLEM_TESTS_LIB_ONE_SESSION_H
#define XYLEM_TESTS_LIB_ONE_SESSION_H

#include "tests/lib/store_builder.h"

static struct store_builder builder;
static uint64_t session;

static int set_up(void **state)
{
    (void)state;
    store_builder_open(&builder);
    session = store_builder_session(&builder, "s");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    store_builder_close(&builder);
    return 0;
}

#endif
