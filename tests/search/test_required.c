/* Text that every match of a regular expression has. */
#include "search/required.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "search/match/pattern.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"

static void assert_required(const char *expression, const char *expected)
{
    struct xylem_buffer text = {NULL, 0, 0};
    assert_int_equal(xylem_search__required(&text, xylem_view_of(expression), NULL), XYLEM_OK);
    assert_string_equal(text.data ? text.data : "", expected);
    xylem_buffer_release(&text);
}

TEST(the_longest_run_of_an_expression_is_known)
{
    assert_required("fox", "fox");
    assert_required("fo+x[0-9]*bar?", "fo");
    assert_required("error: \\d+ in main\\.c", " in main.c");
    assert_required("^#include <([a-z]+)>$", "#include <");
    assert_required("a{2,3}bcd{0}efg?", "bc");
    assert_required("größe?n", "größ");
    assert_required("ab\xC3\xA4*cd", "ab");
    assert_required("(one|two) three", " three");
    assert_required("[]abc]def", "def");
    assert_required("abc{de}", "");
    assert_required("{|}abc", "");
    assert_required("one|two", "");
    assert_required("(?i)fox", "");
    assert_required("a(?i:b)cdef", "");
    assert_required("\\Qa|b\\Ecde", "");
    assert_required("\\x41bc", "");
    assert_required("[[:alpha:]]bc", "");
    assert_required(".*", "");
}

TEST(every_match_has_the_run)
{
    static const char *const parts[] = {
        "a",     "b", "ab", "1", "2", "|",   "(",   ")",        "(?:",   "(?i)", "[",   "]",
        "[^",    "*", "+",  "?", "{", "}",   ",",   "{1",       "{0,2}", "\\d",  "\\(", "\\b",
        "\\x61", ".", "^",  "$", "-", "\\Q", "\\E", "\xC3\xA4", "(?=",   "\\1",  "[:",  ":]"};
    static const char *const letters[] = {"a", "b", "1", "2", "(", "{", "}", ",", "\xC3\xA4", "A", ")", "-", "*"};
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 1000;
    struct chance chance = chance_of(seed);
    struct xylem_match__scratch *scratch = NULL;
    unsigned matches = 0;
    print_message("seed %llu\n", (unsigned long long)seed);
    assert_int_equal(xylem_match__scratch_new(&scratch, NULL), XYLEM_OK);
    for (unsigned round = 0; round < test_rounds(200000); round++) {
        char expression[64] = "";
        char subject[128] = "";
        struct xylem_match__pattern *pattern = NULL;
        struct xylem_match__range range;
        struct xylem_buffer text = {NULL, 0, 0};
        for (int i = 1 + chance_below(&chance, 7); i > 0; i--) {
            strcat(expression, parts[chance_below(&chance, (int)(sizeof parts / sizeof *parts))]);
        }
        if (xylem_match__new(&pattern, xylem_view_of(expression), 0, NULL) < 0) {
            continue;
        }
        assert_int_equal(xylem_search__required(&text, xylem_view_of(expression), NULL), XYLEM_OK);
        for (int tries = 0; tries < 8; tries++) {
            subject[0] = '\0';
            for (int i = chance_below(&chance, 12); i > 0; i--) {
                strcat(subject, letters[chance_below(&chance, (int)(sizeof letters / sizeof *letters))]);
            }
            bool found = xylem_match__find(&range, scratch, pattern, xylem_view_of(subject), 0, NULL) == 1;
            matches += found && text.bytes > 0;
            if (found && text.bytes > 0 && !memmem(subject, strlen(subject), text.data, text.bytes)) {
                fail_msg("seed %llu: '%s' matches '%s' without '%s'", (unsigned long long)seed, expression, subject,
                         text.data);
            }
        }
        xylem_buffer_release(&text);
        xylem_match__free(pattern);
    }
    assert_true(matches > 100);
    xylem_match__scratch_free(scratch);
}
