/* For test files in which each test has the catalogue of COMMANDS: the catalogue, and cmocka's setup and teardown. */
#ifndef XYLEM_TESTS_SEQUENCE_ONE_CATALOGUE_H
#define XYLEM_TESTS_SEQUENCE_ONE_CATALOGUE_H

#include "tests/sequence/commands.h"

static struct xylem_catalogue *catalogue;

static int set_up(void **state)
{
    (void)state;
    catalogue = catalogue_with(true, true, "");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    xylem_catalogue_free(catalogue);
    return 0;
}

#endif
