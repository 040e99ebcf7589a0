/* The built-in patterns: each row of the table by its examples, by its limits and in hostile texts. */
#include "search/match/secrets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "search/match/patterns.h"
#include "tests/lib/test.h"

#define HOSTILE_BYTES (1u << 20)

static struct xylem_error err;

static struct xylem_patterns *built_in(void)
{
    static struct xylem_patterns *patterns;
    if (!patterns && xylem_patterns_new_secrets(&patterns, (struct xylem_view){"", 0}, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return patterns;
}

/* The text with its secrets replaced. */
static const char *redacted(struct xylem_view text)
{
    static struct xylem_buffer out;
    xylem_base__buffer_clear(&out);
    if (xylem_patterns_redact_text(&out, built_in(), text, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return out.data;
}

/* An example without its gaps, and with its newlines. */
static struct xylem_view read_example(const char *written)
{
    static char example[4096];
    size_t bytes = 0;
    for (; *written && *written != '\n'; written++) {
        if (written[0] == '\\' && written[1] == 'n') {
            example[bytes++] = '\n';
            written++;
        } else if (*written != '^') {
            example[bytes++] = *written;
        }
    }
    example[bytes] = '\0';
    return (struct xylem_view){example, bytes};
}

TEST(every_row_matches_its_examples_and_no_counterexample)
{
    FILE *file = fopen("search/match/secrets.txt", "re");
    char line[8192];
    char kind[64] = "";
    char marker[80];
    size_t rows = 0;
    size_t examples[2] = {0, 0};
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        const char *value = line + 9;
        if (strncmp(line, "kind ", 5) == 0) {
            snprintf(kind, sizeof kind, "%.*s", (int)strcspn(value, "\n"), value);
            snprintf(marker, sizeof marker, "[redacted: %s]", kind);
            assert_string_equal(xylem_secret_row(rows++)->kind, kind);
        } else if (strncmp(line, "yes ", 4) == 0 || strncmp(line, "no ", 3) == 0) {
            bool yes = *line == 'y';
            struct xylem_view example = read_example(value);
            const char *left = redacted(example);
            if (!strchr(value, '^') || (yes ? !strstr(left, marker) : strcmp(left, example.data) != 0)) {
                fail_msg("%s: `%s` became `%s`", kind, example.data, left);
            }
            examples[yes]++;
        }
    }
    fclose(file);
    assert_null(xylem_secret_row(rows));
    assert_true(rows > 30 && rows <= XYLEM_SECRETS_MAX && examples[0] >= rows && examples[1] >= rows);
}

TEST(the_table_keeps_its_limits)
{
    const struct xylem_secret *row;
    size_t starts = 0;
    for (size_t i = 0; (row = xylem_secret_row(i)); i++) {
        assert_true(strlen(row->expression) + 8 < XYLEM_PATTERN_BYTES_MAX);
        assert_int_equal(strspn(row->kind, "abcdefghijklmnopqrstuvwxyz-"), strlen(row->kind));
        assert_int_equal(strncmp(row->source, "https://", 8), 0);
        for (const char *at = row->starts; *at; starts++) {
            assert_true(strcspn(at, " ") >= 2);
            at += strcspn(at, " ");
            at += *at == ' ';
        }
        for (size_t other = 0; other < i; other++) {
            assert_string_not_equal(xylem_secret_row(other)->kind, row->kind);
        }
    }
    assert_true(starts <= 128);
}

#define TOKEN \
    "ghp"     \
    "_NotARealKey0123456789NotARealKey0123"
#define TAKEN "[redacted: github-token]"

static size_t kind_number(const char *kind)
{
    size_t number = 0;
    while (strcmp(xylem_secret_row(number)->kind, kind) != 0) {
        number++;
    }
    return number;
}

/*
 * For each row 1 MiB in blocks. A block repeats one start of the row before what could lead the expression on; or has the
 * start once. No search meets a limit: the token at the end is found as a token.
 */
TEST(no_text_makes_a_row_slow)
{
    static const char *const fillers[] = {"A",
                                          "-",
                                          ".",
                                          "=",
                                          "AAAAAAAAAAAAAAAA",
                                          "a1",
                                          "\n",
                                          ":a",
                                          "%",
                                          "/",
                                          "Proc-Type: 4,",
                                          "a1a1a1a1a1a1a1a1.",
                                          " ",
                                          "",
                                          "@",
                                          "eyJaaaaaaaaaaaaaaaa.",
                                          " PRIVATE KEY-----"};
    const size_t count = sizeof fillers / sizeof *fillers;
    struct xylem_match__searcher searcher = {0};
    struct xylem_buffer text = {0};
    for (size_t row = 0; xylem_secret_row(row); row++) {
        const char *starts = xylem_secret_row(row)->starts;
        xylem_base__buffer_clear(&text);
        for (size_t block = 0; block < 2 * count; block++) {
            size_t end = text.bytes + HOSTILE_BYTES / (2 * count);
            bool begun = false;
            while (text.bytes < end) {
                if (!begun || block % 2 == 0) {
                    assert_int_equal(xylem_buffer_add(&text, " ", 1), 0);
                    assert_int_equal(xylem_buffer_add(&text, starts, strcspn(starts, " ")), 0);
                }
                assert_int_equal(xylem_base__buffer_add_text(&text, fillers[block / 2]), 0);
                assert_int_equal(xylem_base__buffer_add_text(&text, *fillers[block / 2] ? "" : "Zz"), 0);
                begun = true;
            }
        }
        assert_int_equal(xylem_base__buffer_add_text(&text, " " TOKEN), 0);
        uint64_t before = searcher.secret_counts[kind_number("github-token")];
        if (xylem_match__patterns_match(&searcher, built_in(), xylem_base__buffer_view(&text), &err) < 0 ||
            searcher.secret_counts[kind_number("github-token")] == before) {
            fail_msg("%s: %s", xylem_secret_row(row)->kind, err.text);
        }
    }
    xylem_buffer_release(&text);
    xylem_match__searcher_release(&searcher);
}

/* A text that meets the limit of a search would otherwise stop every search of its store, of all other texts too. */
TEST(a_text_that_cannot_be_searched_to_its_end_is_left_out_from_there)
{
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_base__buffer_add_text(&text, "before "), 0);
    while (text.bytes < HOSTILE_BYTES) {
        assert_int_equal(xylem_base__buffer_add_text(&text, "eyJabcdefghijkl."), 0);
    }
    assert_int_equal(xylem_base__buffer_add_text(&text, " " TOKEN), 0);
    const char *left = redacted(xylem_base__buffer_view(&text));
    size_t bytes = strlen(left);
    assert_true(bytes > 100 && bytes < text.bytes);
    assert_int_equal(strncmp(left, "before eyJ", 10), 0);
    assert_string_equal(left + bytes - 16, ".[redacted: jwt]");
    xylem_buffer_release(&text);
}

TEST(no_line_of_a_cut_private_key_stays)
{
    static const char *const before[] = {"", "> ", "+", "-", "    12\t", "12 | ", "\033[32m+", "# "};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        char text[400];
        const char *line = "NotARealKey0123456789NotARealKey0123456789NotARealKey0123456789N";
        snprintf(text, sizeof text,
                 "%s-----BEGIN"
                 " RSA PRIVATE KEY-----\n%s%s\n%s%s\n%s%.20s",
                 before[i], before[i], line, before[i], line, before[i], line);
        const char *left = redacted(xylem_view_of(text));
        if (strncmp(left, before[i], strlen(before[i])) != 0 ||
            strcmp(left + strlen(before[i]), "[redacted: private-key]") != 0) {
            fail_msg("`%s` became `%s`", text, left);
        }
    }
    assert_string_equal(redacted(xylem_view_of("-----BEGIN"
                                               " PRIVATE KEY-----\nNotARealKey0123456789NotARealKey0123456789N\n"
                                               "-----BEGIN CERTIFICATE-----\n")),
                        "[redacted: private-key]-----BEGIN CERTIFICATE-----\n");
}

/* --- Where a secret begins ---------------------------------------------------------------------------------------- */

TEST(a_secret_begins_at_a_word)
{
    static const char *const cases[][2] = {
        {TOKEN, TAKEN},
        {"x=" TOKEN " " TOKEN, "x=" TAKEN " " TAKEN},
        {"a" TOKEN, "a" TOKEN},
        {"9" TOKEN, "9" TOKEN},
        {"a_" TOKEN, "a_" TAKEN},
        {"\\n" TOKEN, "\\n" TAKEN}, /* JSON inside of a string */
        {"%3D" TOKEN, "%3D" TAKEN},
        {"\033[01;31m" TOKEN, "\033[01;31m" TAKEN},
        {"\033[01;31m\033[K" TOKEN "\033[m\033[K", "\033[01;31m\033[K" TAKEN "\033[m\033[K"},
        {"\\u001b[01;31m" TOKEN, "\\u001b[01;31m" TAKEN}, /* a colour, of JSON inside of a string */
        {"\\u003e" TOKEN "\\u003c", "\\u003e" TAKEN "\\u003c"},
        {"01;31m" TOKEN, "01;31m" TOKEN},
        {"m" TOKEN, "m" TOKEN},
        {"u003e" TOKEN, "u003e" TOKEN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(redacted(xylem_view_of(cases[i][0])), cases[i][1]);
    }
}

TEST(zero_bytes_and_the_ends_of_a_text_hide_nothing)
{
    static const char text[] = "\0\0" TOKEN "\0";
    const char *left = redacted((struct xylem_view){text, sizeof text});
    assert_memory_equal(left, "\0\0" TAKEN "\0", sizeof TAKEN + 2);
    for (size_t bytes = 0; bytes < sizeof TOKEN; bytes++) { /* the searched bytes end where the text ends */
        char *part = malloc(bytes + 1);
        assert_non_null(part);
        memcpy(part, TOKEN, bytes);
        assert_int_equal(strncmp(redacted((struct xylem_view){part, bytes}), TOKEN, bytes) == 0,
                         bytes < sizeof TOKEN - 1);
        free(part);
    }
}

/* --- Beside patterns of the caller --------------------------------------------------------------------------------- */

TEST(patterns_of_the_caller_are_matched_beside_the_built_in)
{
    static const char *const cases[][2] = {
        {"house-7 " TOKEN, "[redacted] " TAKEN},
        {"token:" TOKEN "!", "[redacted]!"}, /* one replacement for both: the first's */
        {TOKEN "tail", TAKEN},               /* and one for both that begin here: with the kind */
    };
    struct xylem_patterns *patterns = NULL;
    struct xylem_buffer out = {0};
    assert_int_equal(
        xylem_patterns_new_secrets(&patterns, xylem_view_of("house-[0-9]\ntoken:[a-zA-Z0-9_]+\nghp_[a-z]+\n"), &err),
        0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        xylem_base__buffer_clear(&out);
        assert_int_equal(xylem_patterns_redact_text(&out, patterns, xylem_view_of(cases[i][0]), &err), 1);
        assert_string_equal(out.data, cases[i][1]);
    }
    assert_int_equal(xylem_patterns_redact_text(&out, patterns, xylem_view_of("nothing"), &err), 0);
    xylem_patterns_free(patterns);
    xylem_buffer_release(&out);
    patterns = NULL;
    assert_int_equal(xylem_patterns_new_secrets(&patterns, xylem_view_of("a[b"), &err), XYLEM_E_MALFORMED);
    assert_null(patterns);
}

TEST(secrets_are_counted_by_kind)
{
    struct xylem_match__searcher searcher = {0};
    size_t kinds = 0;
    assert_int_equal(xylem_match__patterns_match(&searcher, built_in(), xylem_view_of(TOKEN "," TOKEN), &err), 1);
    for (size_t i = 0; xylem_secret_row(i); i++) {
        bool is_token = strcmp(xylem_secret_row(i)->kind, "github-token") == 0;
        assert_int_equal(searcher.secret_counts[i], is_token ? 2 : 0);
        kinds += is_token;
    }
    assert_int_equal(kinds, 1);
    xylem_match__searcher_release(&searcher);
}

/* --- In JSON ------------------------------------------------------------------------------------------------------- */

TEST(each_spelling_in_json_is_found)
{
    static const char *const cases[][2] = {
        {"{\"a\":[1.50,\"" TOKEN "\"]}", "{\"a\":[1.50,\"" TAKEN "\"]}"},
        {"{\"type\":\"\\u0067hp_NotARealKey0123456789NotARealKey0123\"}", "{\"type\":\"" TAKEN "\"}"},
        {"{\"" TOKEN "\":0}", "{\"" TAKEN "\":0}"},
        {"[\"x\\n" TOKEN "\\n\"]", "[\"x\\n" TAKEN "\\n\"]"},
        {"[\"a:\\/\\/b:correct-horse9@c\"]", "[\"a://b:[redacted: url-password]@c\"]"},
        {"[\"{\\\"a\\\":\\\"\\\\n" TOKEN "\\\"}\"]", "[\"{\\\"a\\\":\\\"\\\\n" TAKEN "\\\"}\"]"},
        {"[\"-----BEGIN"
         " PRIVATE KEY-----\\nAAAAAAAAAAAAAAAAAAAAbbbbbbbbbbbbbbbbbbbbb\\nAAAA\\n-----END PRIVATE KEY-----\\n\"]",
         "[\"[redacted: private-key]\\n\"]"},
    };
    struct xylem_buffer out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        xylem_base__buffer_clear(&out);
        assert_int_equal(xylem_patterns_redact_json(&out, built_in(), xylem_view_of(cases[i][0]), &err), 1);
        assert_string_equal(out.data, cases[i][1]);
    }
    xylem_base__buffer_clear(&out);
    assert_int_equal(xylem_patterns_redact_json(&out, built_in(), xylem_view_of(" [\"x\", 1.50] "), &err), 0);
    assert_string_equal(out.data, " [\"x\", 1.50] ");
    assert_int_equal(xylem_patterns_redact_json(&out, built_in(), xylem_view_of("{x"), &err), XYLEM_E_MALFORMED);
    assert_string_equal(out.data, " [\"x\", 1.50] ");
    xylem_buffer_release(&out);
}
