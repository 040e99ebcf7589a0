/* Whole words and redirections in text that is not understood: as it stands, and without its quotes. */

#include <stdlib.h>
#include <string.h>

#include "judge/policy/words/paths.h"
#include "judge/policy/engine/raw_text.h"
#include "tests/lib/test.h"

static bool is_rm(struct xylem_view word)
{
    return xylem_base__view_is(word, "rm") || xylem_base__view_is(word, "nano");
}

static bool writes(struct xylem_view from)
{
    return !xylem_policy__raw_redirection_harmless(from);
}

static const struct xylem_policy__raw_search search = {is_rm, writes};

/* In memory of just its size, so that reading behind it is seen. */
static bool has(const char *text, size_t bytes)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_view found = {NULL, 0};
    char *copy = malloc(bytes == 0 ? 1 : bytes);
    assert_non_null(copy);
    memcpy(copy, text, bytes);
    bool answer = xylem_policy__raw_text_has(&arena, (struct xylem_view){copy, bytes}, &search, &found);
    assert_true(!answer || found.bytes > 0);
    free(copy);
    xylem_shell__arena_release(&arena);
    return answer;
}

static void assert_all(const char *const *texts, bool expected)
{
    for (; *texts; texts++) {
        if (has(*texts, strlen(*texts)) != expected) {
            fail_msg("%s: expected %s", *texts, expected ? "something" : "nothing");
        }
    }
}

TEST(a_whole_word_is_found_as_it_stands)
{
    static const char *const texts[] = {"rm",     "rm x",   "x rm",    "/bin/rm", "rm.txt", "a;rm", "$(rm)",
                                        "`rm x`", "\"rm\"", "x=rm\ny", "{rm,-f}", "rm\x80", NULL};
    static const char *const twins[] = {"",    "arm", "rms", "rm-x", "x-rm", "_rm",
                                        "rm_", "rm1", "RM",  "r m",  "r/m",  NULL};
    (void)state;
    assert_all(texts, true);
    assert_all(twins, false);
}

TEST(a_word_is_found_once_quotes_and_backslashes_are_gone)
{
    static const char *const texts[] = {"r\\m",   "r'm'",  "'r'm",    "\"r\"\"m\"", "r\\\nm",       "\\r\\m",
                                        "r\"\"m", "r$'m'", "r$\"m\"", "'a' \\r''m", "a 'b' \"r\"m", NULL};
    static const char *const twins[] = {"r\\\\ m", "'r m'", "r\\\n\nm", "a''b", "r'x'm", "\"a\"r'm'", NULL};
    (void)state;
    assert_all(texts, true);
    assert_all(twins, false);
}

TEST(ansi_strings_are_decoded)
{
    static const char *const texts[] = {
        "$'\\x72m'",     "$'\\162m'",       "$'\\u0072m'",       "$'\\U00000072m'", "r$'\\x6d'",     "$'\\x72'\\m",
        "$'r\\155'",     "$'a\\nrm'",       "$'rm\\0x'",         "$'r\\0xx'm",      "$'\\x6e'\\ano", "\"$'\\x72m'\"",
        "$'\\x72'\"m\"", "$'\\x20rm\\x20'", "$'x\\'' $'\\x72m'", "$'\\562m'",       "$'\\x9rm'",     NULL};
    static const char *const twins[] = {"$'\\x73m'", "$'\\x72'", "$'r\\nm'", "$'r\\x00m", "$'\\xzzrx'", "$'\\", "$'",
                                        "$'\\x",     "$'\\u",    "$'\\c",    "\\",        "$",          NULL};
    (void)state;
    assert_all(texts, true);
    assert_all(twins, false);
}

TEST(an_apostrophe_that_opens_nothing_hides_nothing)
{
    static const char *const texts[] = {
        "# don't\n$'\\x72m' x", "'$' $'\\x72m' x",      "# it's\nr\\m x",           "\"'\" $'\\x72m'",
        "'\"' $'\\x72m'",       "\"$'\" $'\\x6e'\\ano", "\"$'\" \\' $'\\x6e'\\ano", NULL};
    (void)state;
    assert_all(texts, true);
}

TEST(redirections_that_keep_nothing_are_not_found)
{
    static const char *const texts[] = {"a > f",  "a >f",     ">f",           "a >> f",         "a >| f",
                                        "a &> f", "a >& f",   "a >&1x",       "a > /dev/nullx", "a > /dev/null/x",
                                        "a <> f", "a >",      "a >&",         "a > \"f\"",      "a > /dev/null > f",
                                        "a => b", "a > >(b)", "a $'\\x3e' b", "> /dev/null'x'", "a >1",
                                        NULL};
    static const char *const twins[] = {"a > /dev/null",  "a >/dev/null 2>&1", "a 2>/dev/null; b",
                                        "a >> /dev/null", "a >| /dev/null",    "a &>/dev/null",
                                        "a >&2",          "a 2>&1-",           "a >&- b",
                                        "(a >/dev/null)", "`a 2>&1`",          "$(a >&2)",
                                        "a >& /dev/null", "\"a 2>/dev/null\"", NULL};
    (void)state;
    assert_all(texts, true);
    assert_all(twins, false);
}

TEST(bytes_that_are_no_text_are_searched_too)
{
    assert_true(has("\0rm\0", 4));
    assert_true(has("\xff\\\xff rm", 6));
    assert_false(has("\0\\\0'\0", 5));
    assert_false(has("\\\n", 2));
}

static bool evaluates(const char *text)
{
    struct xylem_shell__arena arena = {0};
    bool answer = xylem_policy__raw_arithmetic_runs(&arena, xylem_view_of(text));
    xylem_shell__arena_release(&arena);
    return answer;
}

TEST(arithmetic_runs_only_by_a_substitution_in_a_subscript)
{
    assert_true(evaluates("'a[$(rm y)]'"));
    assert_true(evaluates("a[`rm`]"));
    assert_true(evaluates("$'a\\x5b\\x24(rm y)]'"));
    assert_true(evaluates("a[${ rm; }]"));
    assert_false(evaluates("code + 1"));
    assert_false(evaluates("a[i] > 3"));
    assert_false(evaluates("a[${i}]"));
    assert_false(evaluates("$(wc -l) > 3"));
    assert_false(evaluates(""));
}

static bool below(const char *path, const char *directory)
{
    return xylem_policy__path_is_below(xylem_view_of(path), xylem_view_of(directory));
}

TEST(a_path_is_below_a_directory_by_whole_components)
{
    assert_true(below("/tmp/agent/x", "/tmp/agent"));
    assert_true(below("/tmp//agent/./x/y/", "/tmp/agent/"));
    assert_true(below("/x", "/"));
    assert_false(below("/tmp/agent", "/tmp/agent"));
    assert_false(below("/tmp/agent/.", "/tmp/agent"));
    assert_false(below("/tmp/agentx/y", "/tmp/agent"));
    assert_false(below("/tmp/agent/../x", "/tmp/agent"));
    assert_false(below("/tmp/x/../agent/y", "/tmp/agent"));
    assert_false(below("tmp/agent/x", "/tmp/agent"));
    assert_false(below("/tmp", "/tmp/agent"));
    assert_false(below("", "/tmp/agent"));
}

static bool device(const char *path, const char *expected)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_view name;
    bool answer = xylem_policy__path_of_device(&name, &arena, xylem_view_of(path));
    assert_true(!answer || xylem_base__view_is(name, expected));
    xylem_shell__arena_release(&arena);
    return answer;
}

TEST(a_device_is_found_however_its_path_is_spelt)
{
    assert_true(device("/dev/sda", "sda"));
    assert_true(device("//dev//./disk/by-id", "disk/by-id"));
    assert_true(device("/tmp/../dev/sda", "sda"));
    assert_true(device("/../dev/sda", "sda"));
    assert_true(device("../../dev/sda", "sda"));
    assert_true(device("/dev/fd/../sda", "sda"));
    assert_false(device("/dev", ""));
    assert_false(device("dev/sda", ""));
    assert_false(device("x/../dev/sda", ""));
    assert_false(device("/dev/../x", ""));
    assert_false(device("/device/x", ""));
    assert_false(device("/home/dev/x", ""));
    assert_false(device("", ""));
}
