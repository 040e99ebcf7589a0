/*
 * Compiles patterns, and replaces their matches in a string.
 *
 * The time to find matches grows with the square of the length of a text. Two measures bound the time:
 *
 * - A text is first searched with xylem_match__exists(), in one pass. Most texts have no match, and are done.
 * - A long text is searched line by line. A long line with a match is replaced as a whole.
 *
 * A pattern is compiled twice, and a match of either is replaced: with `^` and `$` at the ends of lines, and as POSIX
 * matches. One is not enough: of `^ab|bcd` the first finds ab in the second line of "x\nabcd", and would leave cd.
 */
#include "jsonl/patterns.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"

#define REPLACEMENT "[redacted]"

struct pattern {
    struct xylem_match__pattern *lines; /* has a match wherever `posix` has one */
    struct xylem_match__pattern *posix;
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

static int refuse_empty_match(const struct xylem_match__pattern *pattern, struct xylem_match__scratch *scratch,
                              struct xylem_error *err)
{
    int found = xylem_match__exists(scratch, pattern, xylem_view_of(""), err);
    return found > 0 ? xylem_base__fail(err, XYLEM_E_MALFORMED,
                                        "the pattern matches the empty text, so it would match everywhere")
                     : found;
}

static int check_text(struct xylem_view text, struct xylem_error *err)
{
    if (text.bytes > XYLEM_PATTERN_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the pattern has %zu bytes; at most %u are allowed", text.bytes,
                                XYLEM_PATTERN_BYTES_MAX);
    }
    if (memchr(text.data, '\0', text.bytes)) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "the pattern has a NUL byte");
    }
    return xylem_jsonl__pattern_check(text, err);
}

static int add_pattern(struct xylem_patterns *patterns, struct xylem_match__scratch *scratch, struct xylem_view text,
                       uint64_t line, struct xylem_error *err)
{
    struct xylem_error reason;
    if (patterns->count == XYLEM_PATTERNS_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "line %" PRIu64 ": there are more than %u patterns", line,
                                XYLEM_PATTERNS_MAX);
    }
    struct pattern *list = reallocarray(patterns->list, patterns->count + 1, sizeof *list);
    if (!list) {
        return xylem_base__fail_memory(err);
    }
    patterns->list = list;
    struct pattern *pattern = &list[patterns->count];
    *pattern = (struct pattern){.line = line};
    patterns->count++;
    int code;
    if ((code = check_text(text, &reason)) < 0 ||
        (code = xylem_match__new(&pattern->lines, text, XYLEM_MATCH__BYTES, &reason)) < 0 ||
        (code = xylem_match__new(&pattern->posix, text, XYLEM_MATCH__POSIX, &reason)) < 0 ||
        (code = refuse_empty_match(pattern->lines, scratch, &reason)) < 0) {
        return fail_line(line, code, &reason, err);
    }
    return XYLEM_OK;
}

/* True for a blank line and for a comment. */
static bool is_left_out(struct xylem_view line)
{
    size_t at = 0;
    while (at < line.bytes && (line.data[at] == ' ' || line.data[at] == '\t')) {
        at++;
    }
    return at == line.bytes || line.data[0] == '#';
}

static int add_all(struct xylem_patterns *patterns, struct xylem_match__scratch *scratch, struct xylem_view text,
                   struct xylem_error *err)
{
    int code = XYLEM_OK;
    for (uint64_t number = 1; code == XYLEM_OK && text.bytes > 0; number++) {
        const char *end = memchr(text.data, '\n', text.bytes);
        struct xylem_view line = {text.data, end ? (size_t)(end - text.data) : text.bytes};
        size_t passed = line.bytes + (end ? 1 : 0);
        text.data += passed;
        text.bytes -= passed;
        line.bytes -= line.bytes > 0 && line.data[line.bytes - 1] == '\r';
        code = is_left_out(line) ? XYLEM_OK : add_pattern(patterns, scratch, line, number, err);
    }
    if (code == XYLEM_OK && patterns->count == 0) {
        code = xylem_base__fail(err, XYLEM_E_MALFORMED, "no pattern found: all lines are blank or begin with #");
    }
    return code;
}

int xylem_patterns_new(struct xylem_patterns **patterns, struct xylem_view text, struct xylem_error *err)
{
    struct xylem_match__scratch *scratch = NULL;
    struct xylem_patterns *made = calloc(1, sizeof *made);
    int code = made ? xylem_match__scratch_new(&scratch, err) : xylem_base__fail_memory(err);
    code = code < 0 ? code : add_all(made, scratch, text, err);
    xylem_match__scratch_free(scratch);
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
        xylem_match__free(patterns->list[i].lines);
        xylem_match__free(patterns->list[i].posix);
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

static int add_range(struct xylem_jsonl__searcher *searcher, struct xylem_match__range range, struct xylem_error *err)
{
    struct xylem_match__range *ranges =
        xylem_base__with_room(searcher->ranges, &searcher->range_capacity, searcher->range_count, sizeof *ranges);
    if (!ranges) {
        return xylem_base__fail_memory(err);
    }
    searcher->ranges = ranges;
    searcher->ranges[searcher->range_count++] = range;
    return XYLEM_OK;
}

/* 1 if the bytes, as a text of their own, have a match; else 0. */
static int has_match(struct xylem_jsonl__searcher *searcher, const struct pattern *pattern, struct xylem_view text,
                     struct xylem_error *err)
{
    struct xylem_error reason;
    if (text.bytes == 0) {
        return 0;
    }
    if (!searcher->scratch && xylem_match__scratch_new(&searcher->scratch, err) < 0) {
        return XYLEM_E_MEMORY;
    }
    int found = xylem_match__exists(searcher->scratch, pattern->lines, text, &reason);
    return found < 0 ? fail_line(pattern->line, found, &reason, err) : found;
}

/* Notes the matches between an offset of the text and its end. */
static int find_from(struct xylem_jsonl__searcher *searcher, const struct pattern *pattern, struct xylem_view text,
                     size_t from, struct xylem_error *err)
{
    const struct xylem_match__pattern *const readings[] = {pattern->lines, pattern->posix};
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        struct xylem_match__range range = {from, from};
        struct xylem_error reason;
        int found;
        while ((found = xylem_match__longest(&range, searcher->scratch, readings[i], text, range.end, &reason)) > 0) {
            int code = add_range(searcher, range, err);
            if (code < 0) {
                return code;
            }
        }
        if (found < 0) {
            return fail_line(pattern->line, found, &reason, err);
        }
    }
    return XYLEM_OK;
}

/* Notes the matches in a long text, line by line. A long line with a match is noted as a whole. */
static int find_in_lines(struct xylem_jsonl__searcher *searcher, const struct pattern *pattern, struct xylem_view text,
                         struct xylem_error *err)
{
    assert(text.bytes > XYLEM_PATTERN_STRING_MAX);
    int code = XYLEM_OK;
    for (size_t from = 0; code == XYLEM_OK && from < text.bytes;) {
        const char *feed = memchr(text.data + from, '\n', text.bytes - from);
        size_t to = feed ? (size_t)(feed - text.data) : text.bytes;
        if (to - from <= XYLEM_PATTERN_STRING_MAX) {
            code = find_from(searcher, pattern, (struct xylem_view){text.data, to}, from, err);
        } else {
            int found = has_match(searcher, pattern, (struct xylem_view){text.data + from, to - from}, err);
            code = found > 0 ? add_range(searcher, (struct xylem_match__range){from, to}, err) : found;
        }
        from = to + 1;
    }
    return code;
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
    int code = XYLEM_OK;
    searcher->range_count = 0;
    for (size_t i = 0; code == XYLEM_OK && i < patterns->count; i++) {
        const struct pattern *pattern = &patterns->list[i];
        int found = has_match(searcher, pattern, text, err);
        if (found <= 0) {
            code = found;
        } else if (text.bytes <= XYLEM_PATTERN_STRING_MAX) {
            code = find_from(searcher, pattern, text, 0, err);
        } else {
            code = find_in_lines(searcher, pattern, text, err);
        }
    }
    if (searcher->range_count > 1) {
        qsort(searcher->ranges, searcher->range_count, sizeof *searcher->ranges, compare_ranges);
    }
    return code;
}

/* Writes the text with one replacement for each match. Overlapping matches get one replacement together. */
static int replace_ranges(struct xylem_jsonl__searcher *searcher, struct xylem_view text)
{
    struct xylem_buffer *out = &searcher->string;
    int code = XYLEM_OK;
    size_t done = 0;
    for (size_t i = 0; code == XYLEM_OK && i < searcher->range_count; i++) {
        const struct xylem_match__range *range = &searcher->ranges[i];
        if (i == 0 || range->start >= done) {
            code = xylem_buffer_add(out, text.data + done, range->start - done);
            if (code == XYLEM_OK) {
                code = xylem_base__buffer_add_text(out, REPLACEMENT);
            }
        }
        done = range->end > done ? range->end : done;
    }
    return code < 0 ? code : xylem_buffer_add(out, text.data + done, text.bytes - done);
}

int xylem_jsonl__patterns_match(struct xylem_jsonl__searcher *searcher, const struct xylem_patterns *patterns,
                                struct xylem_view text, struct xylem_error *err)
{
    int found = 0;
    for (size_t i = 0; found == 0 && i < patterns->count; i++) {
        found = has_match(searcher, &patterns->list[i], text, err);
    }
    return found;
}

int xylem_jsonl__patterns_string(struct xylem_view *replaced, struct xylem_jsonl__searcher *searcher,
                                 const struct xylem_patterns *patterns, struct xylem_view string,
                                 struct xylem_error *err)
{
    int code = find_all(searcher, patterns, string, err);
    bool is_long = string.bytes > XYLEM_PATTERN_STRING_MAX;
    if (code < 0 || (searcher->range_count == 0 && !is_long)) {
        return code;
    }
    xylem_base__buffer_clear(&searcher->string);
    if (replace_ranges(searcher, string) < 0) {
        return xylem_base__fail_memory(err);
    }
    /* In a long text a match may span lines. Then the whole text is replaced. */
    struct xylem_view string_now = xylem_base__buffer_view(&searcher->string);
    int left = is_long ? xylem_jsonl__patterns_match(searcher, patterns, string_now, err) : 0;
    if (left < 0) {
        return left;
    }
    if (left > 0) {
        xylem_base__buffer_clear(&searcher->string);
        if (xylem_base__buffer_add_text(&searcher->string, REPLACEMENT) < 0) {
            return xylem_base__fail_memory(err);
        }
    }
    *replaced = xylem_base__buffer_view(&searcher->string);
    return left > 0 || searcher->range_count > 0;
}
