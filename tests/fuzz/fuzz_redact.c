/*
 * Any bytes as a line of an export, searched for patterns: what comes out parses if the line did, is of the same form,
 * and has no match but in the members that are left. A line in which nothing is found stays. The same bytes as patterns
 * are refused, or find ranges of the text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "travel/jsonl/patterns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What replaces a match makes no other one of these. */
static const char patterns_text[] = "[0-9]{3,}\nsecret\nsk-[a-z]+\n^x\n[[:cntrl:]]\n(ab|cd)+e\n";

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* The same types in the same order, and the same strings where nothing was found. */
static void check_form(const struct xylem_base__tree *before, const struct xylem_base__tree *after)
{
    check(before->node_count == after->node_count);
    for (size_t i = 0; i < before->node_count; i++) {
        const struct xylem_value *a = &before->nodes[i];
        const struct xylem_value *b = &after->nodes[i];
        check(a->type == b->type && a->node_count == b->node_count);
        if (a->type != XYLEM_VALUE_STRING && a->node_count == 1) {
            check(xylem_base__view_equal(a->raw, b->raw));
        }
    }
}

static void check_places(const struct xylem_value *before, const struct xylem_value *after)
{
    static const char *const names[] = {"type", "id", "parentId", "timestamp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct xylem_value *a = xylem_value_get(before, names[i]);
        const struct xylem_value *b = xylem_value_get(after, names[i]);
        check(xylem_value_type(a) == xylem_value_type(b));
        check(xylem_base__view_equal(xylem_value_string(a), xylem_value_string(b)));
    }
}

static void check_line(const struct xylem_patterns *patterns, struct xylem_view line)
{
    struct xylem_match__searcher searcher = {0};
    struct xylem_match__searcher again = {0};
    struct xylem_base__tree before = {0};
    struct xylem_base__tree after = {0};
    struct xylem_export_redactions redactions = {0};
    struct xylem_export_redactions left = {0};
    struct xylem_view replaced = line;
    struct xylem_view none;
    int parsed = xylem_base__json_parse(&before, line, NULL);
    int found = xylem_jsonl__patterns_line(&replaced, &searcher, patterns, line, &redactions, NULL);
    check(found == (parsed < 0 ? parsed : redactions.string_count > 0));
    if (found > 0) {
        check(xylem_base__json_parse(&after, replaced, NULL) == XYLEM_OK);
        check_form(&before, &after);
        check_places(before.nodes, after.nodes);
        check(xylem_jsonl__patterns_line(&none, &again, patterns, replaced, &left, NULL) == 0);
        check(left.kept_count == redactions.kept_count);
    }
    xylem_match__searcher_release(&searcher);
    xylem_match__searcher_release(&again);
    xylem_base__tree_release(&before);
    xylem_base__tree_release(&after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct xylem_patterns *patterns;
    struct xylem_view bytes = {(const char *)data, size};
    struct xylem_patterns *read = NULL;
    if (!patterns) {
        check(xylem_patterns_new(&patterns, xylem_view_of(patterns_text), NULL) == XYLEM_OK);
    }
    check_line(patterns, bytes);
    /* The same bytes as patterns: they are refused, or can be used. */
    if (size < 200 && xylem_patterns_new(&read, bytes, NULL) == XYLEM_OK) {
        struct xylem_match__searcher searcher = {0};
        struct xylem_view replaced;
        struct xylem_view string = {(const char *)data, size < 64 ? size : 64};
        int found = xylem_match__patterns_string(&replaced, &searcher, read, string, NULL);
        check(found >= 0 || found == XYLEM_E_LIMIT);
        for (size_t i = 0; i < searcher.hit_count; i++) {
            const struct xylem_match__range *range = &searcher.hits[i].range;
            check(range->start < range->end && range->end <= string.bytes);
        }
        check(found <= 0 || xylem_match__patterns_match(&searcher, read, string, NULL) == 1);
        xylem_match__searcher_release(&searcher);
        xylem_patterns_free(read);
    }
    return 0;
}
