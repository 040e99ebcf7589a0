/*
 * Every allocation of a pattern and its searches fails once: each time it is an error, or PCRE2 does without the
 * memory.
 */
#include <stdlib.h>

#include "search/match/pattern.h"
#include "tests/lib/failing_calls.h"
#include "tests/lib/test.h"

static int search(struct xylem_error *err)
{
    struct xylem_match__pattern *pattern = NULL;
    struct xylem_match__scratch *scratch = NULL;
    struct xylem_match__range range;
    struct xylem_view subject = {"an abcd", 7};
    int code;
    if ((code = xylem_match__scratch_new(&scratch, err)) == XYLEM_OK &&
        (code = xylem_match__new(&pattern, xylem_view_of("(ab|a)(c|cd)(?=d?)"), XYLEM_MATCH__BYTES, err)) == XYLEM_OK) {
        code = xylem_match__find(&range, scratch, pattern, subject, 0, err);
    }
    xylem_match__free(pattern);
    xylem_match__scratch_free(scratch);
    return code;
}

TEST(a_failed_allocation_is_an_error_or_makes_no_difference)
{
    size_t call_count = 1;
    size_t errors = 0;
    for (size_t i = 0; i <= call_count; i++) {
        struct xylem_error err = {0};
        calls = 0;
        failing_call = i;
        counting = true;
        int code = search(&err);
        counting = false;
        if (i == 0) {
            call_count = calls;
            assert_true(call_count > 10);
        }
        assert_true(code == 1 || (i > 0 && code == XYLEM_E_MEMORY));
        errors += code < 0;
    }
    assert_true(errors > 8);
}
