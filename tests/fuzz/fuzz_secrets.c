/*
 * Any bytes as a text, where a byte from 0x80 on stands for a literal with which secrets start. Every search ends without
 * a limit; its matches are in the text, in order, and none overlaps another. In a string of JSON the same is replaced as
 * in the text, and the JSON stays JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "search/match/patterns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* The first start of a row, or a later one. */
static void add_start(struct xylem_buffer *text, size_t number)
{
    size_t count = 0;
    while (xylem_secret_row(count)) {
        count++;
    }
    const char *starts = xylem_secret_row(number % count)->starts;
    for (size_t skipped = number / count; skipped > 0 && strchr(starts, ' '); skipped--) {
        starts = strchr(starts, ' ') + 1;
    }
    check(xylem_buffer_add(text, starts, strcspn(starts, " ")) == XYLEM_OK);
}

static void search(const struct xylem_patterns *patterns, struct xylem_view text)
{
    struct xylem_match__searcher searcher = {0};
    struct xylem_view replaced;
    int found = xylem_match__patterns_string(&replaced, &searcher, patterns, text, NULL);
    size_t end = 0;
    check(found >= 0 && found == (searcher.hit_count > 0));
    for (size_t i = 0; i < searcher.hit_count; i++) {
        const struct xylem_match__hit *hit = &searcher.hits[i];
        check(xylem_secret_row(hit->secret) && searcher.secret_counts[hit->secret] > 0);
        check(hit->range.start >= end && hit->range.start < hit->range.end && hit->range.end <= text.bytes);
        end = hit->range.end;
    }
    xylem_match__searcher_release(&searcher);
}

static void check_json(const struct xylem_patterns *patterns, struct xylem_view text)
{
    struct xylem_buffer json = {0};
    struct xylem_buffer replaced = {0};
    struct xylem_buffer plain = {0};
    struct xylem_base__tree before = {0};
    struct xylem_base__tree after = {0};
    check(xylem_buffer_add_json_string(&json, text) == XYLEM_OK);
    check(xylem_base__json_parse(&before, xylem_base__buffer_view(&json), NULL) == XYLEM_OK);
    int found = xylem_patterns_redact_json(&replaced, patterns, xylem_base__buffer_view(&json), NULL);
    check(found >= 0);
    check(xylem_patterns_redact_text(&plain, patterns, xylem_value_string(before.nodes), NULL) == found);
    check(xylem_base__json_parse(&after, xylem_base__buffer_view(&replaced), NULL) == XYLEM_OK);
    check(xylem_base__view_equal(xylem_value_string(after.nodes), xylem_base__buffer_view(&plain)));
    xylem_base__tree_release(&before);
    xylem_base__tree_release(&after);
    xylem_buffer_release(&json);
    xylem_buffer_release(&replaced);
    xylem_buffer_release(&plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct xylem_patterns *patterns;
    struct xylem_buffer text = {0};
    if (!patterns) {
        check(xylem_patterns_new_secrets(&patterns, (struct xylem_view){"", 0}, NULL) == XYLEM_OK);
    }
    search(patterns, (struct xylem_view){(const char *)data, size});
    for (size_t i = 0; i < size; i++) {
        if (data[i] >= 0x80) {
            add_start(&text, data[i] - 0x80u);
        } else {
            check(xylem_buffer_add(&text, data + i, 1) == XYLEM_OK);
        }
    }
    search(patterns, xylem_base__buffer_view(&text));
    check_json(patterns, xylem_base__buffer_view(&text));
    xylem_buffer_release(&text);
    return 0;
}
