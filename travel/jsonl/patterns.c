/* Compiles patterns, and replaces their matches in a string. */
#include "travel/jsonl/patterns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/value.h"

#define REPLACEMENT "[redacted]"

struct pattern {
    struct xylem_match__pattern *compiled;
    uint64_t line;
};

struct xylem_patterns {
    struct pattern *list;
    size_t count;
};

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static int fail_line(uint64_t line, int code, const struct xylem_error *reason, struct xylem_error *err)
{
    return xylem_base__fail(err, code, "line %" PRIu64 ": %s", line, reason->text);
}

static int add_pattern(struct xylem_patterns *patterns, struct xylem_view text, uint64_t line, struct xylem_error *err)
{
    char ended[XYLEM_PATTERN_BYTES_MAX + 1];
    struct xylem_error reason;
    int code;
    if (patterns->count == XYLEM_PATTERNS_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "line %" PRIu64 ": there are more than %u patterns", line,
                                XYLEM_PATTERNS_MAX);
    }
    struct pattern *list = reallocarray(patterns->list, patterns->count + 1, sizeof *list);
    if (!list) {
        return xylem_base__fail_memory(err);
    }
    patterns->list = list;
    struct pattern *pattern = &list[patterns->count++];
    *pattern = (struct pattern){.line = line};
    if (text.bytes > XYLEM_PATTERN_BYTES_MAX) {
        code = xylem_base__fail(&reason, XYLEM_E_LIMIT, "the pattern has %zu bytes; at most %u are allowed", text.bytes,
                                XYLEM_PATTERN_BYTES_MAX);
    } else if (memchr(text.data, '\0', text.bytes)) {
        code = xylem_base__fail(&reason, XYLEM_E_MALFORMED, "the pattern has a NUL byte");
    } else {
        memcpy(ended, text.data, text.bytes);
        ended[text.bytes] = '\0';
        if ((code = xylem_match__new(&pattern->compiled, text, XYLEM_MATCH__BYTES, &reason)) == XYLEM_OK &&
            (code = xylem_jsonl__pattern_check(ended, &reason)) == XYLEM_OK &&
            xylem_match__matches_empty(pattern->compiled)) {
            code = xylem_base__fail(&reason, XYLEM_E_MALFORMED,
                                    "the pattern matches the empty text, so it would match everywhere");
        }
    }
    return code < 0 ? fail_line(line, code, &reason, err) : XYLEM_OK;
}

/* True for a blank line and for a comment. */
static bool is_left_out(struct xylem_view line)
{
    return xylem_base__skip(line, 0, " \t") == line.bytes || line.data[0] == '#';
}

int xylem_patterns_new(struct xylem_patterns **patterns, struct xylem_view text, struct xylem_error *err)
{
    struct xylem_patterns *made = calloc(1, sizeof *made);
    int code = made ? XYLEM_OK : xylem_base__fail_memory(err);
    for (uint64_t number = 1; code == XYLEM_OK && text.bytes > 0; number++) {
        const char *end = memchr(text.data, '\n', text.bytes);
        struct xylem_view line = {text.data, end ? (size_t)(end - text.data) : text.bytes};
        size_t passed = line.bytes + (end ? 1 : 0);
        text.data += passed;
        text.bytes -= passed;
        line.bytes -= line.bytes > 0 && line.data[line.bytes - 1] == '\r';
        code = is_left_out(line) ? XYLEM_OK : add_pattern(made, line, number, err);
    }
    if (code == XYLEM_OK && made->count == 0) {
        code = xylem_base__fail(err, XYLEM_E_MALFORMED, "no pattern found: all lines are blank or begin with #");
    }
    if (code < 0) {
        xylem_patterns_free(made);
        return code;
    }
    *patterns = made;
    return XYLEM_OK;
}

void xylem_patterns_free(struct xylem_patterns *patterns)
{
    if (!patterns) {
        return;
    }
    for (size_t i = 0; i < patterns->count; i++) {
        xylem_match__free(patterns->list[i].compiled);
    }
    free(patterns->list);
    free(patterns);
}

/* --- Searching ---------------------------------------------------------------------------------------------------- */

void xylem_jsonl__searcher_release(struct xylem_jsonl__searcher *searcher)
{
    xylem_base__tree_wipe(&searcher->tree);
    xylem_base__buffer_wipe(&searcher->string);
    xylem_base__buffer_wipe(&searcher->line);
    xylem_match__scratch_free(searcher->scratch);
    free(searcher->ranges);
}

/* Finds the first match from an offset of the text: 1 and the range, or 0. */
static int find(struct xylem_match__range *range, struct xylem_jsonl__searcher *searcher, const struct pattern *pattern,
                struct xylem_view text, size_t from, struct xylem_error *err)
{
    struct xylem_error reason;
    if (!searcher->scratch && xylem_match__scratch_new(&searcher->scratch, err) < 0) {
        return XYLEM_E_MEMORY;
    }
    int found = xylem_match__find(range, searcher->scratch, pattern->compiled, text, from, &reason);
    return found < 0 ? fail_line(pattern->line, found, &reason, err) : found;
}

static int compare_ranges(const void *left, const void *right)
{
    const struct xylem_match__range *a = left;
    const struct xylem_match__range *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

/* Notes every match of every pattern, sorted by start. */
static int find_all(struct xylem_jsonl__searcher *searcher, const struct xylem_patterns *patterns,
                    struct xylem_view text, struct xylem_error *err)
{
    searcher->range_count = 0;
    for (size_t i = 0; i < patterns->count; i++) {
        struct xylem_match__range range = {0, 0};
        int found;
        while ((found = find(&range, searcher, &patterns->list[i], text, range.end, err)) > 0) {
            struct xylem_match__range *ranges = xylem_base__with_room(searcher->ranges, &searcher->range_capacity,
                                                                      searcher->range_count, sizeof *ranges);
            if (!ranges) {
                return xylem_base__fail_memory(err);
            }
            searcher->ranges = ranges;
            ranges[searcher->range_count++] = range;
        }
        if (found < 0) {
            return found;
        }
    }
    if (searcher->range_count > 1) {
        qsort(searcher->ranges, searcher->range_count, sizeof *searcher->ranges, compare_ranges);
    }
    return XYLEM_OK;
}

int xylem_jsonl__patterns_match(struct xylem_jsonl__searcher *searcher, const struct xylem_patterns *patterns,
                                struct xylem_view text, struct xylem_error *err)
{
    struct xylem_match__range range;
    int found = 0;
    for (size_t i = 0; found == 0 && i < patterns->count; i++) {
        found = find(&range, searcher, &patterns->list[i], text, 0, err);
    }
    return found;
}

int xylem_patterns_match(const struct xylem_patterns *patterns, struct xylem_view bytes, struct xylem_error *err)
{
    struct xylem_jsonl__searcher searcher = {0};
    int found = xylem_jsonl__patterns_match(&searcher, patterns, bytes, err);
    xylem_jsonl__searcher_release(&searcher);
    return found;
}

int xylem_jsonl__patterns_string(struct xylem_view *replaced, struct xylem_jsonl__searcher *searcher,
                                 const struct xylem_patterns *patterns, struct xylem_view string,
                                 struct xylem_error *err)
{
    struct xylem_buffer *out = &searcher->string;
    size_t done = 0;
    int code = find_all(searcher, patterns, string, err);
    if (code < 0 || searcher->range_count == 0) {
        return code;
    }
    xylem_base__buffer_clear(out);
    for (size_t i = 0; code == XYLEM_OK && i < searcher->range_count; i++) {
        const struct xylem_match__range *range = &searcher->ranges[i];
        if (i == 0 || range->start >= done) { /* overlapping matches get one replacement together */
            code = xylem_buffer_add(out, string.data + done, range->start - done);
            code = code < 0 ? code : xylem_base__buffer_add_text(out, REPLACEMENT);
        }
        done = range->end > done ? range->end : done;
    }
    if (code < 0 || xylem_buffer_add(out, string.data + done, string.bytes - done) < 0) {
        return xylem_base__fail_memory(err);
    }
    *replaced = xylem_base__buffer_view(out);
    return 1;
}
