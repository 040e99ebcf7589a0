/* A search with patterns sees every string as an export leaves it, and tells nothing about what is left out. */
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/value.h"
#include "xylem/files.h"
#include "xylem/search.h"

#define BODY "_NotARealKey0123456789NotARealKey0123"
#define TOKEN "ghp" BODY
#define TAKEN "[redacted: github-token]"

static struct xylem_error err;
static struct xylem_patterns *patterns;
static struct xylem_search_report report;

static int begin(void **state)
{
    return xylem_patterns_new_secrets(&patterns, xylem_view_of("house"), &err) < 0 ? -1 : set_up(state);
}

static int finish(void **state)
{
    xylem_search_report_release(&report);
    xylem_patterns_free(patterns);
    patterns = NULL;
    return tear_down(state);
}

#define LEFT_OUT_TEST(name) TEST_WITH(name, begin, finish)

static uint64_t count(struct xylem_view pattern, enum xylem_search_syntax syntax, bool fast)
{
    const struct xylem_search_options options = {
        .pattern = pattern, .syntax = syntax, .fast = fast, .patterns = patterns, .quarantine = true};
    xylem_search_report_release(&report);
    store_builder_must(xylem_search(&report, builder.txn, &options, &err), &err);
    return report.match_count;
}

/* Each part of the text is found if, and only if, the part is in the text that is left. */
LEFT_OUT_TEST(a_search_finds_what_is_left_and_nothing_else)
{
    static const char text[] = "say house, " TOKEN "! redis:\\/\\/:correct-horse9@db house";
    struct xylem_buffer left = {0};
    uint64_t s = store_builder_session(&builder, "s");
    char json[256];
    snprintf(json, sizeof json, "{\"message\":{\"role\":\"user\",\"content\":\"%s\"}}", text);
    store_builder_add(&builder, s, "a", "message", json);
    assert_int_equal(xylem_patterns_redact_text(&left, patterns,
                                                xylem_view_of("say house, " TOKEN "! redis://:correct-horse9@db house"),
                                                &err),
                     1);
    assert_string_equal(left.data, "say [redacted], " TAKEN "! redis://:[redacted: url-password]@db [redacted]");
    const struct xylem_view texts[] = {xylem_view_of("say house, " TOKEN "! redis://:correct-horse9@db house"),
                                       xylem_base__buffer_view(&left)};
    for (size_t i = 0; i < 2; i++) {
        for (size_t from = 0; from < texts[i].bytes; from++) {
            for (size_t bytes = 1; bytes <= texts[i].bytes - from; bytes += bytes < 5 ? 1 : 7) {
                struct xylem_view part = {texts[i].data + from, bytes};
                bool is_left = memmem(left.data, left.bytes, part.data, part.bytes);
                if (count(part, XYLEM_SEARCH_EXACT, i == 0) != is_left) {
                    fail_msg("`%.*s` is %sfound", (int)part.bytes, part.data, is_left ? "not " : "");
                }
            }
        }
    }
    xylem_buffer_release(&left);
}

LEFT_OUT_TEST(an_expression_sees_nothing_of_what_is_left_out)
{
    uint64_t s = store_builder_session(&builder, "s");
    store_builder_add(&builder, s, "a", "note", "{\"text\":\"with " TOKEN "!\"}");
    assert_int_equal(count(xylem_view_of("with (?=ghp)"), XYLEM_SEARCH_REGEX, false), 0);
    assert_int_equal(count(xylem_view_of("(?<=0123)!"), XYLEM_SEARCH_REGEX, false), 0);
    assert_int_equal(count(xylem_view_of("with .{24}!"), XYLEM_SEARCH_REGEX, false), 1);
    assert_int_equal(report.hits[0].text.bytes, strlen("with " TAKEN "!"));
    assert_memory_equal(report.hits[0].text.data, "with " TAKEN "!", report.hits[0].text.bytes);
    assert_true(report.hits[0].redacted);
    assert_int_equal(count((struct xylem_view){"with\0Real", 9}, XYLEM_SEARCH_EXACT, false), 0); /* two patterns */
    assert_int_equal(count((struct xylem_view){"with\0redacted", 13}, XYLEM_SEARCH_EXACT, false), 1);
    assert_int_equal(count((struct xylem_view){"", 0}, XYLEM_SEARCH_EXACT, false), 1);
    assert_memory_equal(report.hits[0].text.data, "with " TAKEN "!", report.hits[0].text.bytes);
}

/* The text of the first match stays, also if later strings of the entry are searched in the same memory. */
LEFT_OUT_TEST(the_text_of_a_hit_outlives_the_strings_behind)
{
    uint64_t s = store_builder_session(&builder, "s");
    store_builder_add(&builder, s, "a", "custom:x", "[\"fox house 1\",\"house fox of another length\",\"house\"]");
    assert_int_equal(count(xylem_view_of("fox"), XYLEM_SEARCH_EXACT, false), 1);
    assert_int_equal(report.hits[0].match_count, 2);
    assert_int_equal(report.hits[0].text.bytes, strlen("fox [redacted] 1"));
    assert_memory_equal(report.hits[0].text.data, "fox [redacted] 1", report.hits[0].text.bytes);
    assert_int_equal(count(xylem_view_of("another"), XYLEM_SEARCH_EXACT, false), 1);
    assert_true(report.hits[0].redacted);
    store_builder_add(&builder, s, "b", "custom:x", "[\"fox alone\",\"house\"]");
    assert_int_equal(count(xylem_view_of("alone"), XYLEM_SEARCH_EXACT, false), 1);
    assert_false(report.hits[0].redacted);
}
