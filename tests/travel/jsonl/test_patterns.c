/* Patterns: which are refused, what they replace, and what of a session comes out. */
#include "tests/lib/test.h"
#include "tests/travel/jsonl/sandbox.h"
#include "travel/jsonl/patterns.h"

static struct xylem_error err;

static struct xylem_patterns *patterns_of(const char *text)
{
    struct xylem_patterns *patterns = NULL;
    if (xylem_patterns_new(&patterns, xylem_view_of(text), &err) < 0) {
        fail_msg("%s", err.text);
    }
    return patterns;
}

/* --- Reading ----------------------------------------------------------------------------------------------------- */

TEST(bad_patterns_are_refused_with_their_line)
{
    static const struct {
        const char *text;
        int code;
        const char *part;
    } cases[] = {
        {"", XYLEM_E_MALFORMED, "no pattern"},
        {"\n  \n# nothing\n", XYLEM_E_MALFORMED, "no pattern"},
        {"ok\n\na[b\n", XYLEM_E_MALFORMED, "line 3: the pattern cannot be compiled: byte 3: missing terminating ]"},
        {"a(b", XYLEM_E_MALFORMED, "line 1: the pattern cannot be compiled: byte 3: missing closing parenthesis"},
        {"a)", XYLEM_E_MALFORMED, "unmatched closing parenthesis"},
        {"a)(b", XYLEM_E_MALFORMED, "unmatched closing parenthesis"},
        {"*a", XYLEM_E_MALFORMED, "quantifier does not follow"},
        {"[[:digits:]]", XYLEM_E_MALFORMED, "unknown POSIX class name"},
        {"[[.-.]]", XYLEM_E_MALFORMED, "POSIX collating elements are not supported"},
        {"a\\", XYLEM_E_MALFORMED, "\\ at end of pattern"},
        {"(a)\\1", XYLEM_E_MALFORMED, "line 1: the pattern has a back reference"},
        {"a{1,65536}", XYLEM_E_MALFORMED, "number too big"},
        {"((a{99}){99}){99}", XYLEM_E_LIMIT, "line 1: the pattern cannot be compiled: "},
        {"x*", XYLEM_E_MALFORMED, "line 1: the pattern matches the empty text"},
        {"^", XYLEM_E_MALFORMED, "matches the empty text"},
        {"a|()", XYLEM_E_MALFORMED, "matches the empty text"},
        {"x+|\\b", XYLEM_E_MALFORMED, "matches the empty text"},
    };
    struct xylem_patterns *patterns = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(xylem_patterns_new(&patterns, xylem_view_of(cases[i].text), &err), cases[i].code);
        assert_non_null(strstr(err.text, cases[i].part));
        assert_null(patterns);
    }
    assert_int_equal(xylem_patterns_new(&patterns, (struct xylem_view){"a\0b", 3}, &err), XYLEM_E_MALFORMED);
    assert_non_null(strstr(err.text, "line 1: the pattern has a NUL byte"));
}

TEST(bytes_of_a_file_are_searched_too)
{
    struct xylem_patterns *patterns = patterns_of("a+b\nc");
    assert_int_equal(xylem_patterns_match(patterns,
                                          (struct xylem_view){"\0\xff"
                                                              "aab",
                                                              5},
                                          &err),
                     1);
    assert_int_equal(xylem_patterns_match(patterns, xylem_view_of("c"), &err), 1);
    assert_int_equal(xylem_patterns_match(patterns, xylem_view_of("aa"), &err), 0);
    assert_int_equal(xylem_patterns_match(patterns, xylem_view_of(""), &err), 0);
    xylem_patterns_free(patterns);
}

/* A pattern is refused if POSIX expressions and PCRE2 read the pattern differently: the error has both readings. */
TEST(a_part_that_could_leave_a_secret_is_refused)
{
    static const struct {
        const char *part;
        const char *texts[20];
    } cases[] = {
        {"ends of words and of the text in POSIX expressions, and characters in PCRE2: write \\b \\A \\z",
         {"\\<key", "key\\>", "\\`key", "key\\'", "[\\<]"}},
        {"byte 1: this is a repetition in POSIX expressions or in new versions of PCRE2, and text in old ones: write "
         "{0,3}",
         {"a{,3}", "a{ 2}", "a{1, 2}", "a{1,2 }", "a{,}", "a{1,2,3}"}},
        {"byte 1: {0} repeats nothing", {"a{0}b", "a{0,0}b", "a{00}b"}},
        {"a repetition of a repetition in POSIX expressions, and a lazy or possessive one in PCRE2",
         {"a+?", "a*?b", "a??b", "a++", "a{2}?", "a{2}+", "(a|b)*+c", "a{b}{2}?"}},
        {"POSIX expressions take the longest alternative, and PCRE2 the first that matches: write the longer one first",
         {"key|keys", "x(a|ab)c", "a|b|ab", "(?:|a)b", "(a|(b|c)d|ab)", "(?i)a|ab", "[(]|[(]a", "\\(|\\(a|b", "a+|a+b",
          "(b|(?=a|ab)c)", "c|(a|b(c)|bd|b(c)d)"}},
        {"does not take this escape", {"\\Qa\\E", "a\\E", "a\\Kb", "\\c(a", "[\\Q]]\\E]", "\\X", "\\Ra", "\\C"}},
        {"of the groups with a sign a redaction takes",
         {"(*ACCEPT)a", "(?>a|ab)c", "(?|a|b)", "(?R)a|b", "(a)(?1)", "(?m)^a", "(?i-m:a)", "(?x)a # x", "(?#a)b",
          "(?C1)a", "(*atomic:a)b", "(?^i:a)", "(?U)a", "(?<name>a)", "(?P<name>a)", "(?i:a)", "(?s-i)a", "(?xx)a",
          "(?J)a"}},
    };
    struct xylem_patterns *patterns = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (const char *const *text = cases[i].texts; *text; text++) {
            err.text[0] = '\0';
            if (xylem_patterns_new(&patterns, xylem_view_of(*text), &err) != XYLEM_E_MALFORMED ||
                !strstr(err.text, "line 1: the pattern is refused: byte ") || !strstr(err.text, cases[i].part)) {
                fail_msg("%s: %s", *text, err.text);
            }
        }
    }
}

TEST(what_only_looks_bad_is_allowed)
{
    static const char *const texts[] = {"a{4096}",
                                        "ab{0,}",
                                        "a{0,1}b",
                                        "a{10}",
                                        "[(]{3}[])]",
                                        "[\\\\]",
                                        "[a\\\\-z]",
                                        "\\\\1",
                                        "[^]a]b",
                                        "[.a]",
                                        "a\r\n",
                                        "((((a))))",
                                        "(((((a*)*)*)*)*)b",
                                        "(ab|cd){2,5}x?",
                                        "((((a+)*)?b){2}b(c+)+)",
                                        "(a+){204}",
                                        "a\\)b",
                                        "[)]",
                                        "a}",
                                        "\\{a\\}",
                                        "\\.\\-\\/\\ \\\"",
                                        "\\w\\W\\s\\S\\b\\B.",
                                        "(?:a|b)+",
                                        "(?i)key",
                                        "(?s).a",
                                        "keys|key|(a|b)(a|ba)|ac",
                                        "a|a",
                                        "[|]a|[|]b|\\|c",
                                        "a{",
                                        "{\"key\":1}",
                                        "a{x}",
                                        "a{1",
                                        "[\\.\\]\\d-]",
                                        "\\d+\\A\\z|\\n\\x41",
                                        "(?<=a)b(?=c)(?!d)",
                                        "[[:digit:][:space:]]{3}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        xylem_patterns_free(patterns_of(texts[i]));
    }
    xylem_patterns_free(NULL);
}

TEST(patterns_have_limits)
{
    struct xylem_buffer text = {0};
    struct xylem_patterns *patterns = NULL;
    for (size_t i = 0; i < XYLEM_PATTERN_BYTES_MAX; i++) {
        assert_int_equal(xylem_buffer_add(&text, "a", 1), 0);
    }
    xylem_patterns_free(patterns_of(text.data));
    assert_int_equal(xylem_buffer_add(&text, "a", 1), 0);
    assert_int_equal(xylem_patterns_new(&patterns, xylem_base__buffer_view(&text), &err), XYLEM_E_LIMIT);
    assert_non_null(strstr(err.text, "line 1: the pattern has 1025 bytes; at most 1024 are allowed"));
    xylem_base__buffer_clear(&text);
    for (size_t i = 0; i <= XYLEM_PATTERN_NESTING_MAX; i++) {
        assert_int_equal(xylem_buffer_add(&text, "(", 1), 0);
    }
    assert_int_equal(xylem_base__buffer_add_text(&text, "a"), 0);
    for (size_t i = 0; i <= XYLEM_PATTERN_NESTING_MAX; i++) {
        assert_int_equal(xylem_buffer_add(&text, ")", 1), 0);
    }
    assert_int_equal(xylem_patterns_new(&patterns, xylem_base__buffer_view(&text), &err), XYLEM_E_LIMIT);
    assert_non_null(strstr(err.text, "parentheses are too deeply nested"));
    xylem_base__buffer_clear(&text);
    for (size_t i = 0; i < XYLEM_PATTERNS_MAX; i++) {
        assert_int_equal(xylem_buffer_add(&text, "a\n", 2), 0);
    }
    xylem_patterns_free(patterns_of(text.data));
    assert_int_equal(xylem_buffer_add(&text, "b", 1), 0);
    assert_int_equal(xylem_patterns_new(&patterns, xylem_base__buffer_view(&text), &err), XYLEM_E_LIMIT);
    assert_non_null(strstr(err.text, "line 1025: there are more than 1024 patterns"));
    xylem_buffer_release(&text);
}

/* --- Strings ----------------------------------------------------------------------------------------------------- */

/* What becomes of a string; NULL: it stays. */
static void assert_string_becomes(const char *pattern_text, struct xylem_view string, const char *expected)
{
    struct xylem_patterns *patterns = patterns_of(pattern_text);
    struct xylem_match__searcher searcher = {0};
    struct xylem_view replaced = {NULL, 0};
    int found = xylem_match__patterns_string(&replaced, &searcher, patterns, string, &err);
    if (found < 0) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(found, expected != NULL);
    assert_int_equal(xylem_match__patterns_match(&searcher, patterns, string, &err), found);
    if (expected) {
        assert_same_bytes(replaced.data, replaced.bytes, expected, strlen(expected));
    }
    xylem_match__searcher_release(&searcher);
    xylem_patterns_free(patterns);
}

TEST(every_match_is_replaced)
{
    static const char *const cases[][3] = {
        {"sk-[a-z0-9]+", "a sk-123abc, sk-9.", "a [redacted], [redacted]."},
        {"sk-[a-z0-9]+", "nothing", NULL},
        {"^a", "aaa", "[redacted]aa"},
        {"a$", "aaa", "aa[redacted]"},
        {"^a|b$", "ab\nab", "[redacted][redacted]\n[redacted][redacted]"},
        {"^ab|bcd", "x\nabcd", "x\n[redacted]cd"},
        {"\\bab", "ab abab cab", "[redacted] [redacted]ab cab"},
        {"abc|ab|a", "abcd", "[redacted]d"},
        {"abc\ncde", "xabcdey", "x[redacted]y"},
        {"b\nabcd", "abcd", "[redacted]"},
        {"ab\ncd", "abcd", "[redacted][redacted]"},
        {"red", "red", "[redacted]"},
        {"a.b", "a\nb", "[redacted]"},
        {"\xc3\xa9", "caf\xc3\xa9!", "caf[redacted]!"},
        {"f.!", "f\xa9!", "[redacted]"},
        {"key=[^ ]+", "key=a\xed\xa0\x80z b", "[redacted] b"},
        {"a.c", "a\ncd", "[redacted]d"},
        {"x(a?)(ab)?", "xab", "[redacted]b"},
        {"[.\\]]+", "a.]\\", "a[redacted]\\"},
        {"(?i)KEY", "a key", "a [redacted]"},
        {"(?<=key=)[a-z]+(?=;)", "key=abc;", "key=[redacted];"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_becomes(cases[i][0], xylem_view_of(cases[i][1]), cases[i][2]);
    }
}

TEST(zero_bytes_hide_nothing)
{
    struct xylem_patterns *patterns = patterns_of("secret");
    struct xylem_match__searcher searcher = {0};
    struct xylem_view replaced = {NULL, 0};
    struct xylem_view string = {"\0\0secret\0", 9};
    assert_int_equal(xylem_match__patterns_string(&replaced, &searcher, patterns, string, &err), 1);
    assert_same_bytes(replaced.data, replaced.bytes, "\0\0[redacted]\0", 13);
    assert_int_equal(xylem_match__patterns_match(&searcher, patterns, string, &err), 1);
    string.bytes = 5;
    assert_int_equal(xylem_match__patterns_string(&replaced, &searcher, patterns, string, &err), 0);
    assert_int_equal(xylem_match__patterns_match(&searcher, patterns, string, &err), 0);
    xylem_match__searcher_release(&searcher);
    xylem_patterns_free(patterns);
}

/* `head`, so many times `filler`, and `tail`. */
static char *long_text(const char *head, const char *filler, size_t count, const char *tail)
{
    char *text = malloc(strlen(head) + count * strlen(filler) + strlen(tail) + 1);
    assert_non_null(text);
    char *at = stpcpy(text, head);
    for (size_t i = 0; i < count; i++) {
        at = stpcpy(at, filler);
    }
    strcpy(at, tail);
    return text;
}

#define LONG_BYTES 200000u
#define TEN "0123456789"
#define LINE_OF_TEXT TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "\n"

TEST(long_strings_are_searched_too)
{
    static const struct {
        const char *pattern;
        const char *head;
        const char *tail;
        const char *expected_head;
        const char *expected_tail;
    } cases[] = {
        {"secret", "a secret\n", "", "a [redacted]\n", ""},
        {"secret", "", "secret", "", "[redacted]"},
        {"secret[[:space:]]bar", "secret\nbar", "", "[redacted]", ""},
        {"^a", "\na", "", "\n[redacted]", ""},
        {"secret|see", "see\n", "\nsecret\n", "[redacted]\n", "\n[redacted]\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t count = LONG_BYTES / strlen(LINE_OF_TEXT);
        char *text = long_text(cases[i].head, LINE_OF_TEXT, count, cases[i].tail);
        char *expected = long_text(cases[i].expected_head, LINE_OF_TEXT, count, cases[i].expected_tail);
        assert_string_becomes(cases[i].pattern, xylem_view_of(text), expected);
        free(text);
        free(expected);
    }
}

/* Such a pattern goes far before it fails, at every byte. */
TEST(a_pattern_that_fails_late_meets_a_limit)
{
    struct xylem_patterns *patterns = patterns_of("x\n[0-9]+@");
    struct xylem_match__searcher searcher = {0};
    char *text = long_text("", "0123456789", 100000, "!+@");
    assert_string_becomes("[0-9]+@", xylem_view_of("0123"), NULL);
    assert_string_becomes("[0-9]+#", xylem_view_of("0123"), NULL);
    assert_string_becomes(".*7x.*", xylem_view_of(text), NULL);
    assert_string_becomes("[0-9]{1,64}@", xylem_view_of(text), NULL);
    assert_int_equal(xylem_match__patterns_match(&searcher, patterns, xylem_view_of(text), &err), XYLEM_E_LIMIT);
    assert_non_null(strstr(err.text, "line 2: the pattern takes more than 33554432 steps and 128 for each byte"));
    xylem_match__searcher_release(&searcher);
    xylem_patterns_free(patterns);
    free(text);
}

/* --- Lines ------------------------------------------------------------------------------------------------------- */

static void assert_line_becomes(const char *pattern_text, const char *line, const char *expected, uint64_t strings,
                                uint64_t kept)
{
    struct xylem_patterns *patterns = patterns_of(pattern_text);
    struct xylem_match__searcher searcher = {0};
    struct xylem_export_redactions redactions = {0};
    struct xylem_view replaced = {NULL, 0};
    int found = xylem_jsonl__patterns_line(&replaced, &searcher, patterns, xylem_view_of(line), &redactions, &err);
    assert_int_equal(found, expected != NULL);
    if (expected) {
        assert_same_bytes(replaced.data, replaced.bytes, expected, strlen(expected));
    }
    assert_int_equal(redactions.string_count, strings);
    assert_int_equal(redactions.line_count, strings > 0);
    assert_int_equal(redactions.kept_count, kept);
    xylem_match__searcher_release(&searcher);
    xylem_patterns_free(patterns);
}

TEST(strings_and_keys_are_searched_decoded_and_the_rest_stays)
{
    assert_line_becomes("secret", "{ \"a\" : [1.50, \"se\\u0063ret\"], \"secret\":{\"b\":\"x\\u0041\"} }",
                        "{ \"a\" : [1.50, \"[redacted]\"], \"[redacted]\":{\"b\":\"x\\u0041\"} }", 2, 0);
    assert_line_becomes("a\"b", "{\"a\":\"x a\\\"b\\n\"}", "{\"a\":\"x [redacted]\\n\"}", 1, 0);
    assert_line_becomes("secret", "{\"a\":\"nothing\",\"n\":12345}", NULL, 0, 0);
    assert_line_becomes("12345", "{\"a\":12345}", NULL, 0, 0);
    assert_line_becomes("secret", "\"a secret\"", "\"a [redacted]\"", 1, 0);
    assert_line_becomes("\xed\xa0\x80", "[\"\\ud800x\"]", "[\"[redacted]x\"]", 1, 0);
}

TEST(what_says_where_a_line_stands_is_left)
{
    assert_line_becomes(
        "x|type|id", "{\"type\":\"x\",\"id\":\"x\",\"parentId\":\"x\",\"timestamp\":\"x\",\"d\":{\"id\":\"x\"}}",
        "{\"type\":\"x\",\"id\":\"x\",\"parentId\":\"x\",\"timestamp\":\"x\",\"d\":{\"[redacted]\":\"[redacted]\"}}", 2,
        4);
    assert_line_becomes("x", "{\"id\":\"x\",\"id\":\"xy\"}", "{\"id\":\"[redacted]\",\"id\":\"xy\"}", 1, 1);
    assert_line_becomes("x", "{\"id\":[\"x\"]}", "{\"id\":[\"[redacted]\"]}", 1, 0);
}

TEST(what_is_no_json_is_malformed)
{
    struct xylem_patterns *patterns = patterns_of("x");
    struct xylem_match__searcher searcher = {0};
    struct xylem_export_redactions redactions = {0};
    struct xylem_view replaced;
    assert_int_equal(xylem_jsonl__patterns_line(&replaced, &searcher, patterns, xylem_view_of("{x"), &redactions, &err),
                     XYLEM_E_MALFORMED);
    xylem_match__searcher_release(&searcher);
    xylem_patterns_free(patterns);
}

/* --- Exports ----------------------------------------------------------------------------------------------------- */

static int export_with(struct xylem_buffer *out, struct sandbox *sandbox, const char *patterns_text,
                       struct xylem_export_redactions *redactions)
{
    struct xylem_patterns *patterns = patterns_of(patterns_text);
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    struct xylem_session session;
    struct xylem_export_options options = {.with_quarantine = true, .patterns = patterns, .redactions = redactions};
    xylem_base__buffer_clear(out);
    int code = xylem_export(txn, sandbox_session(&session, txn, "s"), &options, sandbox_collect, out, &err);
    xylem_abort(txn);
    xylem_patterns_free(patterns);
    return code;
}

#define SAID(id, parent, text)                                       \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":\"" parent \
    "\",\"timestamp\":\"2025-01-01T00:00:02.000Z\",\"message\":\"" text "\"}\n"

TEST(an_export_has_no_match_and_is_else_as_it_was)
{
    struct sandbox sandbox;
    struct xylem_buffer out = {0};
    struct xylem_export_redactions redactions = {0};
    sandbox_open(&sandbox);
    sandbox_take(
        &sandbox, "file",
        HEADER ROOT("a")
            SAID("b", "a",
                 "my key is sk-12, \\u0073k-13") "garbage with sk-14\n"
                                                 "other garbage\n" SAID("c", "b", "n\\u006fthing")
                                                     SAID("sk-15", "c",
                                                          "bye") "{\"type\":7, \"x\":\"sk-16\"}\n{\"torn\":\"sk-17");
    const char *expected = HEADER ROOT("a")
        SAID("b", "a", "my key is [redacted], [redacted]") "other garbage\n" SAID("c", "b", "n\\u006fthing")
            SAID("sk-15", "c", "bye") "{\"type\":7, \"x\":\"[redacted]\"}\n";
    assert_int_equal(export_with(&out, &sandbox, "sk-[0-9]+", &redactions), XYLEM_OK);
    assert_same_bytes(out.data, out.bytes, expected, strlen(expected));
    assert_int_equal(redactions.string_count, 2);
    assert_int_equal(redactions.line_count, 2);
    assert_int_equal(redactions.left_out_count, 2);
    assert_int_equal(redactions.kept_count, 1);
    assert_int_equal(export_with(&out, &sandbox, "no match", NULL), XYLEM_OK);
    struct xylem_buffer plain = {0};
    sandbox_export_of(&plain, &sandbox, "s", true);
    assert_same_bytes(out.data, out.bytes, plain.data, plain.bytes);
    assert_int_equal(export_with(&out, &sandbox, "/home", &redactions), XYLEM_OK);
    assert_non_null(strstr(out.data, "\"cwd\":\"[redacted]\""));
    xylem_buffer_release(&plain);
    xylem_buffer_release(&out);
    sandbox_close(&sandbox);
}

/* A payload that nests as deep as it may, in a member of its own: the line exceeds the limit. */
TEST(an_entry_that_cannot_be_searched_ends_the_export)
{
    struct sandbox sandbox;
    struct xylem_buffer out = {0};
    char deep[2 * XYLEM_NESTING_MAX + 1];
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", HEADER ROOT("a"));
    memset(deep, '[', XYLEM_NESTING_MAX);
    memset(deep + XYLEM_NESTING_MAX, ']', XYLEM_NESTING_MAX);
    deep[sizeof deep - 1] = '\0';
    sandbox_append(&sandbox, "deep", deep);
    assert_int_equal(export_with(&out, &sandbox, "x", NULL), XYLEM_E_LIMIT);
    assert_non_null(strstr(err.text, "the line of entry deep cannot be searched"));
    xylem_buffer_release(&out);
    sandbox_close(&sandbox);
}

/* The line of a quarantined entry is JSON too, and is not left out in silence. */
TEST(a_pattern_that_meets_a_limit_ends_the_export_and_is_named)
{
    struct sandbox sandbox;
    struct xylem_buffer out = {0};
    char *text = long_text(HEADER ROOT("a") "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"timestamp\":"
                                            "\"2025-01-01T00:00:02.000Z\",\"message\":\"",
                           "0123456789", 10000, " @\"}\n");
    sandbox_open(&sandbox);
    sandbox_write(&sandbox, "file", text, strlen(text));
    sandbox_import(&sandbox, "file");
    assert_int_equal(export_with(&out, &sandbox, "# keys\n[0-9]+@", NULL), XYLEM_E_LIMIT);
    if (!strstr(err.text, "entry b") || !strstr(err.text, "line 2: the pattern takes more than 33554432 steps")) {
        fail_msg("%s", err.text);
    }
    free(text);
    xylem_buffer_release(&out);
    sandbox_close(&sandbox);
}
