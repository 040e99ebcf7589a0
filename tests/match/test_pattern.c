/* Patterns: which are refused, what they find, and which limits end a search. */
#include "match/pattern.h"

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
        {"x*", 0, "", 0, "0-0"},
        {"(ab.|)-*abb", 0, "babbccc", 0, "1-4"}, /* not with all optimizations of PCRE2 10.42 */
        {"(ab.|)-*abb", XYLEM_MATCH__BYTES, "babbccc", 0, "1-4"},
        {"", XYLEM_MATCH__LITERAL, "a", 1, "1-1"},
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

TEST(bytes_are_matched_as_posix_does_or_with_lines)
{
    static const struct {
        const char *text;
        struct xylem_view subject;
        const char *posix;
        const char *lines;
    } cases[] = {
        {"a.b", {"a\nb", 3}, "0-3", "0-3"}, {"a.b", {"a\0b", 3}, "", "0-3"},      {"a[^x]b", {"a\0b", 3}, "0-3", "0-3"},
        {"a$", {"a\n", 2}, "", "0-1"},      {"^b", {"a\nb", 3}, "", "2-3"},       {"a^", {"a\n", 2}, "", ""},
        {"\n^", {"a\n", 2}, "", "1-2"},     {".", {"\xc3\xa9", 2}, "0-1", "0-1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_finds(cases[i].text, XYLEM_MATCH__POSIX, cases[i].subject, 0, cases[i].posix);
        assert_finds(cases[i].text, XYLEM_MATCH__BYTES, cases[i].subject, 0, cases[i].lines);
    }
}

static void assert_longest(const char *text, const char *subject, size_t from, const char *expected)
{
    struct xylem_match__pattern *pattern = pattern_of(text, XYLEM_MATCH__BYTES);
    struct xylem_match__scratch *scratch = scratch_of();
    struct xylem_match__range range;
    char found[64] = "";
    if (xylem_match__longest(&range, scratch, pattern, xylem_view_of(subject), from, &err) > 0) {
        snprintf(found, sizeof found, "%zu-%zu", range.start, range.end);
    }
    assert_string_equal(found, expected);
    xylem_match__scratch_free(scratch);
    xylem_match__free(pattern);
}

TEST(the_longest_of_the_first_matches_is_found)
{
    assert_longest("a|ab|abc", "xabcd", 0, "1-4");
    assert_longest("(a|ab)(c|bcd)(d*)", "abcd", 0, "0-4");
    assert_longest("x(a?)(ab)?", "xab", 0, "0-3");
    assert_longest("x+?", "xxx", 1, "1-3");
    assert_longest("\\b|x+", "a xx", 0, "2-4"); /* a match of no bytes is passed over */
    assert_longest("b*", "aaa", 0, "");
    /* Too many steps for going back, so all alternatives are followed at once. */
    assert_longest("(a|a)+[bx]|a+c|ac", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", 0, "0-33");
}

static int exists(const char *text, struct xylem_view subject)
{
    struct xylem_match__pattern *pattern = pattern_of(text, XYLEM_MATCH__BYTES);
    struct xylem_match__scratch *scratch = scratch_of();
    int found = xylem_match__exists(scratch, pattern, subject, &err);
    xylem_match__scratch_free(scratch);
    xylem_match__free(pattern);
    return found;
}

/* At every offset beside the ends of windows (4,096 bytes), and with lengths beyond a window. */
TEST(a_match_in_a_long_text_exists_wherever_it_lies)
{
    static char text[40000];
    static const struct {
        const char *text;
        const char *match;
        const char *miss;
    } cases[] = {
        {"k=[0-9]{3}\\b", "k=123", "k=12-"},
        {"(?<=k)=x$", "k=x\n", "-=x\n"},
        {"^k=(?!y)", "\nk=x", "\nk=y"},
        {"k[^;]*;x", "k;;k=;x", "k;;k=;y"},
        {"(?i)K=\\w", "k=a", "k=-"},
        {"(a|a)+[bx]", "aaaab", "aaaac"},
        {"(a|a)+[bx]|k", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaac"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t at = 4060; at < 4110; at++) {
            memset(text, '-', sizeof text);
            memcpy(text + at, cases[i].match, strlen(cases[i].match));
            assert_int_equal(exists(cases[i].text, (struct xylem_view){text, sizeof text}), 1);
            memcpy(text + at, cases[i].miss, strlen(cases[i].miss));
            assert_int_equal(exists(cases[i].text, (struct xylem_view){text, sizeof text}), 0);
        }
    }
    memset(text, '7', sizeof text);
    text[100] = '-';
    text[sizeof text - 1] = '@';
    assert_int_equal(exists("^7-*7+@", (struct xylem_view){text, sizeof text}), 0);
    assert_int_equal(exists("-7+@", (struct xylem_view){text, sizeof text}), 1);
    assert_int_equal(exists("-7+@$.", (struct xylem_view){text, sizeof text}), 0);
    assert_int_equal(exists("-7+(@|#)$", (struct xylem_view){text, sizeof text}), 1);
    assert_int_equal(exists("x|\\B", (struct xylem_view){text, sizeof text}), 1);
    assert_int_equal(exists("^$", (struct xylem_view){NULL, 0}), 1);
    assert_int_equal(exists("a", (struct xylem_view){NULL, 0}), 0);
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

static void assert_limit(const char *start, const char *text, const char *part)
{
    char whole[200];
    char subject[100001];
    snprintf(whole, sizeof whole, "%s%s", start, text);
    struct xylem_match__pattern *pattern = pattern_of(whole, 0);
    struct xylem_match__scratch *scratch = scratch_of();
    struct xylem_match__range range;
    memset(subject, 'a', sizeof subject - 1);
    subject[sizeof subject - 1] = '\0';
    assert_int_equal(xylem_match__find(&range, scratch, pattern, xylem_view_of(subject), 0, &err), XYLEM_E_LIMIT);
    assert_non_null(strstr(err.text, part));
    /* The scratch can be used again. */
    assert_int_equal(xylem_match__find(&range, scratch, pattern, xylem_view_of("aab"), 0, &err), 1);
    xylem_match__scratch_free(scratch);
    xylem_match__free(pattern);
}

TEST(a_limit_ends_a_search_and_is_named)
{
    struct xylem_match__range range;
    struct xylem_match__scratch *scratch = scratch_of();
    struct xylem_match__pattern *pattern = pattern_of("(a{0,3000}b?){2}(a{0,3000}b?){2}a{0,3000}c", XYLEM_MATCH__BYTES);
    static char text[60000];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 'c';
    assert_int_equal(xylem_match__longest(&range, scratch, pattern, (struct xylem_view){text, sizeof text}, 0, &err),
                     XYLEM_E_LIMIT);
    assert_string_equal(err.text, "the pattern has more than 4096 ways to match the text");
    xylem_match__free(pattern);
    pattern = pattern_of("7+[@#]", XYLEM_MATCH__BYTES);
    memset(text, '7', sizeof text);
    assert_int_equal(xylem_match__exists(scratch, pattern, (struct xylem_view){text, sizeof text}, &err),
                     XYLEM_E_LIMIT);
    assert_string_equal(err.text, "the pattern reads more than 1073741824 bytes again");
    xylem_match__free(pattern);
    xylem_match__scratch_free(scratch);
    assert_limit("", "(a|a)+[bx]", "more than 1000000 steps");
    assert_limit("(*NO_JIT)", "(a|a)+[bx]", "more than 1000000 steps");
    assert_limit("(*LIMIT_DEPTH=100)(*NO_JIT)", "(a|a)+[bx]", "depth limit exceeded");
}
