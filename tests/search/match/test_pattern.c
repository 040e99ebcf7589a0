/* Patterns: which are refused, and what they find. tests/search/match/test_limits.c has the limits. */
#include "search/match/pattern.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/test.h"

static struct xylem_error err;

static struct xylem_match__pattern *pattern_of(const char *text, unsigned flags)
{
    struct xylem_match__pattern *pattern = NULL;
    if (xylem_match__new(&pattern, xylem_view_of(text), flags, &err) < 0) {
        fail_msg("%s: %s", text, err.text);
    }
    return pattern;
}

static struct xylem_match__scratch *scratch_of(void)
{
    struct xylem_match__scratch *scratch = NULL;
    assert_int_equal(xylem_match__scratch_new(&scratch, &err), XYLEM_OK);
    return scratch;
}

/* The first match as `start-end`; empty: none. */
static void assert_finds(const char *text, unsigned flags, struct xylem_view subject, size_t from, const char *expected)
{
    struct xylem_match__pattern *pattern = pattern_of(text, flags);
    struct xylem_match__scratch *scratch = scratch_of();
    struct xylem_match__range range;
    char found[64] = "";
    if (xylem_match__find(&range, scratch, pattern, subject, from, &err) > 0) {
        snprintf(found, sizeof found, "%zu-%zu", range.start, range.end);
    }
    assert_string_equal(found, expected);
    xylem_match__scratch_free(scratch);
    xylem_match__free(pattern);
}

TEST(a_pattern_finds_its_first_match)
{
    static const struct {
        const char *text;
        unsigned flags;
        const char *subject;
        size_t from;
        const char *expected;
    } cases[] = {
        {"b+", 0, "abbbc", 0, "1-4"},
        {"b+", 0, "abbbc", 2, "2-4"},
        {"b+", 0, "abbbc", 4, ""},
        {"a|ab", 0, "ab", 0, "0-1"},
        {"^b", 0, "a\nb", 0, "2-3"},
        {"a$", 0, "a\nb", 0, "0-1"},
        {"\\bb", 0, "abb b", 1, "4-5"},
        {"a.b", 0, "a\nb", 0, ""},
        {"a.b", 0,
         "a\xc3\xa9"
         "b",
         0, "0-4"},
        {"\\w+", 0, "\xc3\xa9t\xc3\xa9 ", 0, "0-5"},
        {"\xc3\x89", XYLEM_MATCH__CASELESS, "\xc3\xa9", 0, "0-2"},
        {"\xc3\x89", 0, "\xc3\xa9", 0, ""},
        {"a.b", XYLEM_MATCH__LITERAL, "axb a.b", 0, "4-7"},
        {"A.\xc3\x89", XYLEM_MATCH__LITERAL | XYLEM_MATCH__CASELESS, "a.\xc3\xa9", 0, "0-4"},
        {"x*", 0, "", 0, ""},
        {"x*", 0, "abxx", 0, "2-4"},
        {"|b+", 0, "abb", 0, "1-3"},
        {"\\b|b", 0, "ab", 0, "1-2"},
        {"a\\K|b", 0, "ab", 0, "1-2"},
        {"(ab.|)-*abb", 0, "babbccc", 0, "1-4"}, /* not with all optimizations of PCRE2 10.42 */
        {"(ab.|)-*abb", XYLEM_MATCH__BYTES, "babbccc", 0, "1-4"},
        {"", XYLEM_MATCH__LITERAL, "a", 1, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_finds(cases[i].text, cases[i].flags, xylem_view_of(cases[i].subject), cases[i].from, cases[i].expected);
    }
}

/* A lone surrogate, as payloads have them, and a byte of no character at all. */
TEST(invalid_bytes_hide_no_match_behind_them)
{
    assert_finds("secret", 0, xylem_view_of("\xed\xa0\x80 \xff secret"), 0, "6-12");
    assert_finds("SECRET", XYLEM_MATCH__CASELESS, xylem_view_of("\xed\xa0\x80secret\xff"), 0, "3-9");
    assert_finds("a.b", 0,
                 xylem_view_of("a\xff"
                               "b"),
                 0, "");
    assert_finds("a.b", XYLEM_MATCH__BYTES,
                 xylem_view_of("a\xff"
                               "b"),
                 0, "0-3");
    assert_finds("\xed\xa0\x80", XYLEM_MATCH__LITERAL, xylem_view_of("a\xed\xa0\x80"), 0, "1-4");
    assert_finds("b", 0, (struct xylem_view){"a\0b", 3}, 0, "2-3");
}

TEST(bytes_are_matched_with_lines)
{
    static const struct {
        const char *text;
        struct xylem_view subject;
        const char *expected;
    } cases[] = {
        {"a.b", {"a\nb", 3}, "0-3"},       {"a.b", {"a\0b", 3}, "0-3"},     {"a$", {"a\n", 2}, "0-1"},
        {"^b", {"a\nb", 3}, "2-3"},        {"a^", {"a\n", 2}, ""},          {".", {"\xc3\xa9", 2}, "0-1"},
        {"\\b|x+", {"a xx", 4}, "2-4"},    {"b*", {"aaa", 3}, ""},          {"a|ab", {"ab", 2}, "0-1"},
        {"(?<=k=)x+", {"k=xx", 4}, "2-4"}, {"k=\\Kx+", {"k=xx", 4}, "2-4"}, {"", {"a", 1}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_finds(cases[i].text, XYLEM_MATCH__BYTES, cases[i].subject, 0, cases[i].expected);
    }
}

TEST(a_pattern_that_can_match_the_empty_text_is_known)
{
    static const char *const texts[] = {"", "a*", "^", "\\b|a", "(?=a)", "a|()", "x", "a+", "(a|b)c*", "\\ba"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct xylem_match__pattern *pattern = pattern_of(texts[i], XYLEM_MATCH__BYTES);
        assert_int_equal(xylem_match__matches_empty(pattern), i < 6);
        xylem_match__free(pattern);
    }
}

TEST(bad_patterns_are_refused_with_the_place)
{
    static const struct {
        const char *text;
        unsigned flags;
        int code;
        const char *part;
    } cases[] = {
        {"a(b", 0, XYLEM_E_MALFORMED, "the pattern cannot be compiled: byte 3: missing closing parenthesis"},
        {"a[b", XYLEM_MATCH__BYTES, XYLEM_E_MALFORMED, "byte 3: missing terminating ]"},
        {"a\xff", 0, XYLEM_E_MALFORMED, "UTF-8"},
        {"\\C", 0, XYLEM_E_MALFORMED, "\\C"},
        {"(*UTF)a", XYLEM_MATCH__BYTES, XYLEM_E_MALFORMED, "UTF"},
        {"((a{999}){999}){999}", 0, XYLEM_E_LIMIT, "too large"},
        {"(a)b\\1", 0, XYLEM_E_MALFORMED, "back reference"},
        {"(?<n>a)b\\k<n>", XYLEM_MATCH__BYTES, XYLEM_E_MALFORMED, "back reference"},
    };
    struct xylem_match__pattern *pattern = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(xylem_match__new(&pattern, xylem_view_of(cases[i].text), cases[i].flags, &err), cases[i].code);
        assert_non_null(strstr(err.text, cases[i].part));
        assert_null(pattern);
    }
    xylem_match__free(NULL);
    xylem_match__scratch_free(NULL);
}
