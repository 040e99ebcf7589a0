/*
 * Every allocation of a pattern and its searches fails once: each time it is an error, or PCRE2 does without the
 * memory.
 */
#include <stdlib.h>
#include <string.h>

#include "search/match/pattern.h"
#include "xylem/files.h"
#include "tests/lib/failing_calls.h"
#include "tests/lib/test.h"

/* Replaces a secret and a match of a pattern beside. */
static int redact(struct xylem_error *err)
{
    static const char text[] = "[\"key ghp"
                               "_NotARealKey0123456789NotARealKey0123\"]";
    struct xylem_patterns *patterns = NULL;
    struct xylem_buffer out = {0};
    int code = xylem_patterns_new_secrets(&patterns, xylem_view_of("key"), err);
    if (code == XYLEM_OK && (code = xylem_patterns_redact_text(&out, patterns, xylem_view_of(text), err)) == 1) {
        code = xylem_patterns_redact_json(&out, patterns, xylem_view_of(text), err);
    }
    assert_true(code < 0 || strcmp(out.data, "[\"[redacted] [redacted: github-token]\"]"
                                             "[\"[redacted] [redacted: github-token]\"]") == 0);
    xylem_patterns_free(patterns);
    xylem_buffer_release(&out);
    return code;
}

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

static void fail_each_allocation(int (*run)(struct xylem_error *err))
{
    size_t call_count = 1;
    size_t errors = 0;
    for (size_t i = 0; i <= call_count; i++) {
        struct xylem_error err = {0};
        calls = 0;
        failing_call = i;
        counting = true;
        int code = run(&err);
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

TEST(a_failed_allocation_is_an_error_or_makes_no_difference)
{
    fail_each_allocation(search);
    fail_each_allocation(redact);
}
