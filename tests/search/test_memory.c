/*
 * Every allocation of a search fails once: each time the call says so, and leaves nothing behind.
 */
#include <stdlib.h>

#include "tests/lib/failing_calls.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "xylem/files.h"
#include "xylem/search.h"

static int ignore(void *context, const struct xylem_problem *problem)
{
    (void)context;
    return problem->text == NULL;
}

static void fill(void)
{
    uint64_t source = store_builder_session(&builder, "s");
    struct xylem_position a = store_builder_add(&builder, source, "a", "message",
                                                "{\"message\":{\"role\":\"user\",\"content\":\"a \\u0066ox\"}}");
    store_builder_add(&builder, source, "b", "custom:x", "{\"y\":[\"fox\",1]}");
    struct xylem_position c = store_builder_add(&builder, source, "c", "note", "\"fox\"");
    uint64_t fork = store_builder_fork(&builder, source, a, XYLEM_FORK_AT, "fork");
    store_builder_add(&builder, fork, "d", "note", "\"fox\\nand fox\"");
    store_builder_damage(&builder, c);
}

/* `least`: so many allocations there are, or the search does not reach what it is meant to reach. */
static void fail_each_allocation(const char *pattern, enum xylem_search_syntax syntax,
                                 const struct xylem_patterns *patterns, size_t least)
{
    size_t call_count = 1;
    for (size_t i = 0; i <= call_count; i++) {
        struct xylem_error err = {0};
        struct xylem_search_report report;
        struct xylem_search_options options = {.pattern = xylem_view_of(pattern),
                                               .syntax = syntax,
                                               .patterns = patterns,
                                               .quarantine = true,
                                               .damaged = ignore,
                                               .threads = 1};
        calls = 0;
        failing_call = i;
        counting = true;
        int code = xylem_search(&report, builder.txn, &options, &err);
        counting = false;
        if (i == 0) {
            assert_int_equal(code, XYLEM_OK);
            assert_int_equal(report.match_count, 3);
            assert_int_equal(report.problem_count, 1);
            call_count = calls;
            assert_true(call_count >= least);
        } else if (code == XYLEM_OK) {
            assert_int_equal(report.match_count, 3); /* PCRE2 goes on without machine code */
        } else {
            assert_int_equal(code, XYLEM_E_MEMORY);
            assert_string_equal(err.text, "out of memory");
            assert_null(report.storage);
        }
        xylem_search_report_release(&report);
    }
}

TEST_WITH(each_allocation_of_a_search_may_fail, set_up, tear_down)
{
    fill();
    struct xylem_patterns *patterns = NULL;
    assert_int_equal(xylem_patterns_new_secrets(&patterns, xylem_view_of("and"), NULL), XYLEM_OK);
    fail_each_allocation("fox", XYLEM_SEARCH_EXACT, NULL, 15);
    fail_each_allocation("fox", XYLEM_SEARCH_SMART, NULL, 15);
    fail_each_allocation("fo+x", XYLEM_SEARCH_REGEX, NULL, 15);
    fail_each_allocation("fox", XYLEM_SEARCH_EXACT, patterns, 20);
    xylem_patterns_free(patterns);
}
