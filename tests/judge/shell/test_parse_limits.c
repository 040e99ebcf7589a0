/*
 * What is never understood, whatever it says: bytes nobody should trust, length, nesting; and that reading stays
 * linear.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/lib/shell_tree.h"
#include "tests/lib/test.h"

struct parsed {
    bool understood;
    size_t steps;
    size_t not_understood_from;
};

static struct parsed parse(struct xylem_view text, unsigned nesting)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree tree;
    assert_int_equal(xylem_shell__parse(&tree, &arena, text, nesting), 0);
    shell_tree_check(&tree);
    struct parsed parsed = {tree.not_understood_why == NULL, tree.steps, 0};
    if (!parsed.understood) {
        parsed.not_understood_from = (size_t)(tree.not_understood.data - text.data);
    }
    xylem_shell__arena_release(&arena);
    return parsed;
}

static struct parsed parse_text(const char *text)
{
    return parse((struct xylem_view){text, strlen(text)}, 0);
}

static char *make_repeated(const char *begin, const char *open, size_t count, const char *middle, const char *close)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    (void)fputs(begin, out);
    for (size_t i = 0; i < count; i++) {
        (void)fputs(open, out);
    }
    (void)fputs(middle, out);
    for (size_t i = 0; i < count; i++) {
        (void)fputs(close, out);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

static struct parsed parse_repeated(const char *begin, const char *open, size_t count, const char *middle,
                                    const char *close)
{
    char *text = make_repeated(begin, open, count, middle, close);
    struct parsed parsed = parse_text(text);
    free(text);
    return parsed;
}

TEST(control_bytes_and_ill_formed_text_are_refused_anywhere)
{
    static const char *const bad[] = {"\r",       "\v",       "\f",           "\x01",
                                      "\x1b",     "\x7f",     "\x80",         "\xff",
                                      "\xc3",     "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                                      "\xe2\x82", "\xf0\x9f", "\xed\xbf\xbf"};
    static const char *const places[] = {"ls; a%sb", "ls; 'a%sb'", "ls; \"a%sb\"", "ls # %s", "cat <<'E'\n%s\nE", "%s"};
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        for (size_t j = 0; j < sizeof places / sizeof places[0]; j++) {
            const char *mark = strstr(places[j], "%s");
            (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - places[j]), places[j], bad[i], mark + 2);
            struct parsed parsed = parse_text(text);
            assert_false(parsed.understood);
            assert_int_equal(parsed.not_understood_from, 0);
        }
    }
    assert_false(parse((struct xylem_view){"ls\0a", 4}, 0).understood);
    assert_true(parse_text("ls\ta\nb 'é\xf0\x9f\x98\x80'").understood);
}

TEST(characters_that_are_not_seen_are_refused_outside_of_quotes)
{
    static const char *const unseen[] = {"\u00a0", "\u200b", "\u200e", "\u202e", "\u2066", "\ufeff",
                                         "\u00ad", "\u2028", "\u3000", "\u061c", "\u2060", "\U000e0041"};
    static const char *const refused[] = {"a%sb", "a %s b",   "\\%s",   "a${b:-%s}",
                                          "a=%s", "$((1%s))", "a=(%s)", "[[ %s ]]"};
    static const char *const understood[] = {"a '%s'",           "a \"%s\"", "a # %s",        "cat <<E\n%s\nE",
                                             "cat <<'E'\n%s\nE", "a $'%s'",  "a \"${b:-%s}\""};
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof unseen / sizeof unseen[0]; i++) {
        for (size_t j = 0; j < sizeof refused / sizeof refused[0]; j++) {
            const char *mark = strstr(refused[j], "%s");
            (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - refused[j]), refused[j], unseen[i], mark + 2);
            assert_false(parse_text(text).understood);
        }
        for (size_t j = 0; j < sizeof understood / sizeof understood[0]; j++) {
            const char *mark = strstr(understood[j], "%s");
            (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - understood[j]), understood[j], unseen[i],
                           mark + 2);
            assert_true(parse_text(text).understood);
        }
    }
}

TEST(a_command_of_the_longest_length_is_understood_and_one_byte_more_is_not)
{
    char *text = malloc(XYLEM_COMMAND_BYTES_MAX + 1);
    (void)state;
    assert_non_null(text);
    memset(text, 'a', XYLEM_COMMAND_BYTES_MAX + 1);
    assert_true(parse((struct xylem_view){text, XYLEM_COMMAND_BYTES_MAX}, 0).understood);
    struct parsed parsed = parse((struct xylem_view){text, XYLEM_COMMAND_BYTES_MAX + 1}, 0);
    assert_false(parsed.understood);
    assert_int_equal(parsed.not_understood_from, 0);
    free(text);
}

TEST(nothing_is_a_command_that_is_understood)
{
    assert_true(parse((struct xylem_view){NULL, 0}, 0).understood);
    assert_true(parse_text(" \t\n\\\n # a").understood);
}

static const struct {
    const char *begin, *open, *middle, *close;
    size_t each; /* levels that one opening makes */
} nests[] = {{"", "( ", "a", " )", 1},
             {"", "{ ", "a; ", "} ", 1},
             {"", "if a; then ", "b", "; fi", 1},
             {"", "while a; do ", "b", "; done", 1},
             {"", "for i in a; do ", "b", "; done", 1},
             {"", "case a in b) ", "c", " ;; esac", 1},
             {"a ", "$(b ", "c", ")", 1},
             {"a ", "<(b ", "c", ")", 1},
             {"a ", "\"$(b ", "c", ")\"", 1},
             {"a ", "${b:-", "c", "}", 1},
             {"a ", "\"${b:-", "c", "}\"", 1},
             {"a ", "$((", "1", "))", 1},
             {"a ", "$[", "1", "]", 1},
             {"a ", "${b[", "1", "]}", 1},
             {"", "f() ", "{ a; }", "", 1},
             {"", "coproc { ", "a; ", "} ", 1}};

TEST(nesting_is_understood_to_its_limit_and_no_further)
{
    for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++) {
        size_t inner = strcmp(nests[i].open, "f() ") == 0 ? 0 : 1;
        if (inner == 1) {
            assert_true(parse_repeated(nests[i].begin, nests[i].open, XYLEM_COMMAND_NESTING_MAX, nests[i].middle,
                                       nests[i].close)
                            .understood);
        }
        assert_false(parse_repeated(nests[i].begin, nests[i].open, XYLEM_COMMAND_NESTING_MAX + 1, nests[i].middle,
                                    nests[i].close)
                         .understood);
    }
    assert_true(parse((struct xylem_view){"( a )", 5}, XYLEM_COMMAND_NESTING_MAX - 1).understood);
    assert_false(parse((struct xylem_view){"( a )", 5}, XYLEM_COMMAND_NESTING_MAX).understood);
    assert_true(parse((struct xylem_view){"a", 1}, XYLEM_COMMAND_NESTING_MAX).understood);
    assert_false(parse((struct xylem_view){"a", 1}, XYLEM_COMMAND_NESTING_MAX + 1).understood);
}

TEST(very_deep_nesting_neither_recurses_nor_takes_long)
{
    for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++) {
        size_t count = 40000 / (strlen(nests[i].open) + strlen(nests[i].close));
        assert_false(parse_repeated(nests[i].begin, nests[i].open, count, nests[i].middle, nests[i].close).understood);
        assert_false(parse_repeated(nests[i].begin, nests[i].open, count, "", "").understood);
    }
}

/* A text twice as long takes at most about twice the steps: exponential or quadratic reading would be seen. */
TEST(reading_is_linear_whatever_stands_there)
{
    static const struct {
        const char *begin, *open, *middle, *close;
    } texts[] = {{"", "((", "a", ") )"},
                 {"", "(", "a", ")"},
                 {"", "(", "a", ") "},
                 {"", "$(($((", "a", ") ) ) )"},
                 {"", "$(($((", "a", "))))"},
                 {"", "$((", "a", ") )"},
                 {"", "((", "", ""},
                 {"", "$(($((", "", ""},
                 {"", "`", "", ""},
                 {"a ", "{", "b", ",}"},
                 {"a ", "[", "b", "]"},
                 {"a ", "b\\\n", "", ""},
                 {"a ", "$\\\n", "", ""},
                 {"a ", "<\\\n", "", ""},
                 {"a ", "'b' \"c\" ", "", ""},
                 {"a ", "b[", "", "] "},
                 {"", "a=(", "", ")"},
                 {"", "a=b ", "", ""},
                 {"", "a[1]=(b) ", "", ""},
                 {"", "a <<E\nE\n", "", ""},
                 {"((", "(a) ", "", ") )"},
                 {"$((", "(a) ", "", ") )"},
                 {"", "((a) ); ", "", ""},
                 {"", ": $((a) ); ", "", ""}};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (size_t count = 4; count < 1000; count *= 2) {
            size_t once = parse_repeated(texts[i].begin, texts[i].open, count, texts[i].middle, texts[i].close).steps;
            char *text = make_repeated(texts[i].begin, texts[i].open, 2 * count, texts[i].middle, texts[i].close);
            size_t twice = parse_text(text).steps;
            assert_true(twice <= strlen(text) * 24 + 300);
            assert_true(count < 64 || twice <= once * 5 / 2 + 64);
            free(text);
        }
    }
}

TEST(long_chains_do_not_recurse)
{
    static const char *const links[] = {"a && ", "a || ", "a | ", "a |& ", "! ",  "time ", "a; ",
                                        "a & ",  "a\n",   "b ",   "a=b ",  ">f ", "'a'",   "$a"};
    (void)state;
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        assert_true(parse_repeated("", links[i], 20000, "a", "").understood);
    }
    assert_true(parse_repeated("if a; then b; ", "elif c; then d; ", 5000, "fi", "").understood);
    assert_true(parse_repeated("case a in ", "b) c;; ", 5000, "esac", "").understood);
    assert_true(parse_repeated("case a in b", "|c", 5000, ") d;; esac", "").understood);
    assert_true(parse_repeated("[[ a", " && b", 5000, " ]]", "").understood);
    assert_true(parse_repeated("[[ ", "! ", 5000, "a ]]", "").understood);
    assert_true(parse_repeated("for i in", " a", 20000, "; do b; done", "").understood);
    assert_true(parse_repeated("a=(", "b ", 20000, ")", "").understood);
    assert_true(parse_repeated("echo $((1", "+(1)", 20000, "))", "").understood);
}

TEST(what_cannot_be_read_in_one_way_soon_is_given_up)
{
    /* Each level is arithmetic until its end shows that it is not. */
    struct parsed parsed = parse_repeated("a ", "$((b ", 14, "", ") )");
    (void)state;
    assert_false(parsed.understood);
    assert_true(parse_repeated("a ", "$((b ", 2, "", ") )").understood);
}
