/*
 * Any bytes as a line: it is read, or has a problem. One that is straight is split into what it says when it is read;
 * and of any other bytes that are split nothing lies outside of them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "store/store.h"
#include "travel/jsonl/line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_within(struct xylem_view part, struct xylem_view text)
{
    check(part.bytes == 0 || (part.data >= text.data && part.data + part.bytes <= text.data + text.bytes));
}

/* Splitting gives the same as reading. */
static void check_same(struct xylem_jsonl__entry *read, struct xylem_jsonl__entry *split)
{
    struct xylem_jsonl__parser parser = {0};
    check(split->kind.kind_class == read->kind.kind_class);
    check(xylem_base__view_equal(split->kind.name, read->kind.name));
    check(xylem_base__view_equal(split->id, read->id));
    check(split->has_parent == read->has_parent && xylem_base__view_equal(split->parent_id, read->parent_id));
    check(xylem_jsonl__line_payload(split, &parser, NULL) == 1);
    check(split->time_ms == read->time_ms);
    check(split->format == read->format && xylem_base__view_equal(split->payload, read->payload));
    xylem_jsonl__parser_release(&parser);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_jsonl__parser parser = {0};
    struct xylem_jsonl__entry read;
    struct xylem_jsonl__entry split;
    enum xylem_import_problem_type problem;
    struct xylem_error err;
    struct xylem_view text = {(const char *)data, size};
    bool was_split = xylem_jsonl__line_split(&split, text);
    if (was_split) {
        check_within(split.kind.name, text);
        check_within(split.id, text);
        check_within(split.parent_id, text);
        check_within(split.rest, text);
    }
    int code = xylem_jsonl__line_read(&read, &problem, &parser, text, false, &err);
    check(code == 0 || code == 1);
    if (code == 1 && xylem_jsonl__line_payload(&read, &parser, &err) == 1 && read.straight) {
        check(was_split);
        check_same(&read, &split);
    }
    xylem_jsonl__parser_release(&parser);
    return 0;
}
