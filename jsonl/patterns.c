/*
 * Compiles and matches patterns with the C library.
 *
 * The matcher begins anew at each byte of a text. A pattern that reads far before it fails takes time in the square of
 * the length. Two measures bound the time:
 *
 * - A text is first searched with the finder, one pass from the beginning. Most texts have no match, and are done.
 * - A long text is searched line by line. A long line with a match is replaced as a whole.
 *
 * Compiling has bounds too: `struct look` counts the characters of a pattern with its repetitions written out, as the
 * C library writes them out, and how deep repetitions and groups nest. `ab{3}` is abbb, 4 characters.
 */
#include "jsonl/patterns.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/regex.h"

#define REPLACEMENT "[redacted]"
#define REPETITIONS_NESTED_MAX 4u /* each level multiplies the C library's time for compiling by five */

struct pattern {
    regex_t matcher;
    regex_t finder; /* ^(any byte)*(the pattern): finds in one pass whether a text has a match */
};

struct xylem_patterns {
    struct pattern *list;
    size_t count;
};

/* --- What is refused ---------------------------------------------------------------------------------------------- */

/* A pass over a pattern before it is compiled. */
struct look {
    struct xylem_view text;
    size_t at;
    uint64_t sizes[XYLEM_PATTERN_NESTING_MAX + 1];  /* for each open group: its size so far */
    unsigned levels[XYLEM_PATTERN_NESTING_MAX + 1]; /* for each open group: the depth of nested repetitions so far */
    size_t depth;                                   /* open groups */
    uint64_t last;                                  /* the last atom: its size */
    unsigned last_level;                            /* the last atom: the depth of nested repetitions */
    const char *problem;
    int code;
};

static void refuse(struct look *look, int code, const char *problem)
{
    look->code = look->code < 0 ? look->code : code;
    look->problem = look->problem ? look->problem : problem;
}

/* Passes the rest of a bracket expression and its `]`. The C library refuses an expression without `]`. */
static void pass_bracket(struct look *look)
{
    const struct xylem_view text = look->text;
    size_t at = look->at;
    at += at < text.bytes && text.data[at] == '^';
    at += at < text.bytes && text.data[at] == ']';
    while (at < text.bytes && text.data[at] != ']') {
        char kind = at + 1 < text.bytes && text.data[at] == '[' ? text.data[at + 1] : '\0';
        at += 1;
        if (kind == ':' || kind == '.' || kind == '=') {
            at += 1;
            while (at + 1 < text.bytes && !(text.data[at] == kind && text.data[at + 1] == ']')) {
                at++;
            }
            at += 2;
        }
    }
    look->at = at + 1;
}

static uint64_t read_number(struct look *look)
{
    uint64_t number = 0;
    while (look->at < look->text.bytes && isdigit((unsigned char)look->text.data[look->at])) {
        number = number > XYLEM_PATTERN_SIZE_MAX ? number : number * 10 + (uint64_t)(look->text.data[look->at] - '0');
        look->at++;
    }
    return number;
}

static void add_atom(struct look *look, uint64_t size, unsigned level)
{
    look->last = size;
    look->last_level = level;
    look->sizes[look->depth] += size;
    look->levels[look->depth] = level > look->levels[look->depth] ? level : look->levels[look->depth];
}

/* Repeats the last atom so many times, as the C library writes the repetition out. */
static void repeat(struct look *look, uint64_t times)
{
    if (++look->last_level > REPETITIONS_NESTED_MAX) {
        refuse(look, XYLEM_E_LIMIT, "its repetitions nest deeper than 4 levels");
    }
    look->levels[look->depth] =
        look->last_level > look->levels[look->depth] ? look->last_level : look->levels[look->depth];
    look->last = look->last == 0 ? 1 : look->last;
    if (times > 1) {
        look->sizes[look->depth] += look->last * (times - 1);
        look->last *= times;
    }
}

/* Passes the rest of an interval, and returns the number of its atoms. */
static uint64_t pass_interval(struct look *look)
{
    uint64_t least = read_number(look);
    uint64_t most = least;
    if (look->at < look->text.bytes && look->text.data[look->at] == ',') {
        look->at++;
        most = read_number(look);
        most = most > least ? most : least + 1; /* `{3,}` is written out as three atoms, and a fourth with `*` */
    }
    look->at += look->at < look->text.bytes && look->text.data[look->at] == '}';
    return most;
}

/* Adds up the pattern's demands, and refuses a pattern for which the C library would take unlimited time or memory. */
static void look_through(struct look *look)
{
    while (look->code == XYLEM_OK && look->at < look->text.bytes) {
        switch (look->text.data[look->at++]) {
        case '\\':
            if (look->at < look->text.bytes && look->text.data[look->at] >= '1' && look->text.data[look->at] <= '9') {
                refuse(look, XYLEM_E_MALFORMED, "it has a back reference, and matching one can take unlimited time");
            }
            add_atom(look, 1, 0);
            look->at++;
            break;
        case '[':
            pass_bracket(look);
            add_atom(look, 1, 0);
            break;
        case '(':
            if (look->depth == XYLEM_PATTERN_NESTING_MAX) {
                refuse(look, XYLEM_E_LIMIT, "its groups nest deeper than 32 levels");
                break;
            }
            look->sizes[++look->depth] = 0;
            look->levels[look->depth] = 0;
            break;
        case ')':
            if (look->depth == 0) {
                /* The C library would match the character, but in the finder the ) would close the finder's group. */
                refuse(look, XYLEM_E_MALFORMED, "it has an unmatched ); write \\) to match the character");
                break;
            }
            look->depth--;
            add_atom(look, look->sizes[look->depth + 1], look->levels[look->depth + 1]);
            break;
        case '{':
            repeat(look, pass_interval(look));
            break;
        case '+': /* written out as one atom, and a second with `*`: `a+++` has eight atoms */
            repeat(look, 2);
            break;
        case '*':
        case '?':
            repeat(look, 1);
            break;
        default:
            add_atom(look, 1, 0);
        }
        if (look->sizes[look->depth] > XYLEM_PATTERN_SIZE_MAX) {
            refuse(look, XYLEM_E_LIMIT, "it has more than 4096 characters with its repetitions written out");
        }
    }
}

/* --- Compiling ---------------------------------------------------------------------------------------------------- */

static int fail_regex(int result, const regex_t *regex, uint64_t line, struct xylem_error *err)
{
    char text[200];
    if (result == REG_ESPACE) {
        return xylem_base__fail_memory(err);
    }
    regerror(result, regex, text, sizeof text);
    return xylem_base__fail(err, XYLEM_E_MALFORMED, "line %" PRIu64 ": the pattern cannot be compiled: %s", line, text);
}

/* Compiles a pattern. The text ends in NUL. A failure leaves nothing to release. */
static int compile(struct pattern *pattern, const char *text, uint64_t line, struct xylem_error *err)
{
    struct xylem_buffer finder = {NULL, 0, 0};
    int code = XYLEM_OK;
    int result = regcomp(&pattern->matcher, text, REG_EXTENDED);
    if (result != 0) {
        return fail_regex(result, &pattern->matcher, line, err);
    }
    if (regexec(&pattern->matcher, "", 0, NULL, 0) == 0) {
        code = xylem_base__fail(err, XYLEM_E_MALFORMED,
                                "line %" PRIu64 ": the pattern matches the empty text, so it would match everywhere",
                                line);
    } else if (xylem_base__buffer_add_format(&finder, "^([.]|[^.])*(%s)", text) < 0) {
        code = xylem_base__fail_memory(err); /* `.` does not match a NUL byte; [.] and [^.] match every byte */
    } else if ((result = regcomp(&pattern->finder, finder.data, REG_EXTENDED | REG_NOSUB)) != 0) {
        code = fail_regex(result, &pattern->finder, line, err);
    }
    xylem_buffer_release(&finder);
    if (code < 0) {
        regfree(&pattern->matcher);
    }
    return code;
}

static int add_pattern(struct xylem_patterns *patterns, struct xylem_view text, uint64_t line, struct xylem_error *err)
{
    struct look look = {.text = text};
    if (text.bytes > XYLEM_PATTERN_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT,
                                "line %" PRIu64 ": the pattern has %zu bytes; at most %u are allowed", line, text.bytes,
                                XYLEM_PATTERN_BYTES_MAX);
    }
    if (patterns->count == XYLEM_PATTERNS_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "line %" PRIu64 ": there are more than %u patterns", line,
                                XYLEM_PATTERNS_MAX);
    }
    if (memchr(text.data, '\0', text.bytes)) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "line %" PRIu64 ": the pattern has a NUL byte", line);
    }
    look_through(&look);
    if (look.code < 0) {
        return xylem_base__fail(err, look.code, "line %" PRIu64 ": the pattern is refused: %s", line, look.problem);
    }
    struct pattern *list = reallocarray(patterns->list, patterns->count + 1, sizeof *list);
    if (!list) {
        return xylem_base__fail_memory(err);
    }
    patterns->list = list;
    char ended[XYLEM_PATTERN_BYTES_MAX + 1];
    memcpy(ended, text.data, text.bytes);
    ended[text.bytes] = '\0';
    int code = compile(&list[patterns->count], ended, line, err);
    patterns->count += code == XYLEM_OK;
    return code;
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

static int add_all(struct xylem_patterns *patterns, struct xylem_view text, struct xylem_error *err)
{
    int code = XYLEM_OK;
    for (uint64_t number = 1; code == XYLEM_OK && text.bytes > 0; number++) {
        const char *end = memchr(text.data, '\n', text.bytes);
        struct xylem_view line = {text.data, end ? (size_t)(end - text.data) : text.bytes};
        size_t passed = line.bytes + (end ? 1 : 0);
        text.data += passed;
        text.bytes -= passed;
        line.bytes -= line.bytes > 0 && line.data[line.bytes - 1] == '\r';
        code = is_left_out(line) ? XYLEM_OK : add_pattern(patterns, line, number, err);
    }
    if (code == XYLEM_OK && patterns->count == 0) {
        code = xylem_base__fail(err, XYLEM_E_MALFORMED, "no pattern found: all lines are blank or begin with #");
    }
    return code;
}

int xylem_patterns_new(struct xylem_patterns **patterns, struct xylem_view text, struct xylem_error *err)
{
    struct xylem_patterns *made = calloc(1, sizeof *made);
    locale_t bytes = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!made || bytes == (locale_t)0) {
        free(made);
        if (bytes != (locale_t)0) {
            freelocale(bytes);
        }
        return xylem_base__fail_memory(err);
    }
    /* A pattern keeps the locale in which it is compiled. uselocale() changes the locale of this thread only. */
    locale_t before = uselocale(bytes);
    int code = add_all(made, text, err);
    uselocale(before);
    freelocale(bytes);
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
        regfree(&patterns->list[i].matcher);
        regfree(&patterns->list[i].finder);
    }
    free(patterns->list);
    free(patterns);
}

/* --- Searching ---------------------------------------------------------------------------------------------------- */

void xylem_jsonl__searcher_release(struct xylem_jsonl__searcher *searcher)
{
    xylem_base__tree_wipe(&searcher->tree);
    xylem_base__buffer_wipe(&searcher->text);
    xylem_base__buffer_wipe(&searcher->string);
    xylem_base__buffer_wipe(&searcher->line);
    free(searcher->ranges);
}

static int add_range(struct xylem_jsonl__searcher *searcher, size_t start, size_t end, struct xylem_error *err)
{
    struct xylem_jsonl__range *ranges =
        xylem_base__with_room(searcher->ranges, &searcher->range_capacity, searcher->range_count, sizeof *ranges);
    if (!ranges) {
        return xylem_base__fail_memory(err);
    }
    searcher->ranges = ranges;
    searcher->ranges[searcher->range_count++] = (struct xylem_jsonl__range){start, end};
    return XYLEM_OK;
}

/* 1 if the bytes, as a text of their own, have a match; else 0. */
static int has_match(const struct pattern *pattern, char *text, size_t bytes, struct xylem_error *err)
{
    regmatch_t match;
    if (bytes == 0) {
        return 0;
    }
    int result = xylem_base__regex_find(&match, &pattern->finder, text, 0, bytes);
    return result == REG_ESPACE ? xylem_base__fail_memory(err) : result == 0;
}

/* Notes the matches between two offsets of the text. */
static int find_between(struct xylem_jsonl__searcher *searcher, const struct pattern *pattern, size_t from, size_t to,
                        struct xylem_error *err)
{
    int code = XYLEM_OK;
    while (code == XYLEM_OK && from < to) {
        regmatch_t match;
        int result = xylem_base__regex_find(&match, &pattern->matcher, searcher->text.data, from, to);
        if (result != 0) {
            return result == REG_ESPACE ? xylem_base__fail_memory(err) : XYLEM_OK;
        }
        size_t start = (size_t)match.rm_so;
        size_t end = (size_t)match.rm_eo;
        code = end > start ? add_range(searcher, start, end, err) : XYLEM_OK;
        from = end > start ? end : start + 1;
    }
    return code;
}

/* Notes the matches in a long text, line by line. A long line with a match is noted as a whole. */
static int find_in_lines(struct xylem_jsonl__searcher *searcher, const struct pattern *pattern, struct xylem_error *err)
{
    const struct xylem_buffer *text = &searcher->text;
    assert(text->bytes > XYLEM_PATTERN_STRING_MAX);
    int code = XYLEM_OK;
    for (size_t from = 0; code == XYLEM_OK && from < text->bytes;) {
        const char *feed = memchr(text->data + from, '\n', text->bytes - from);
        size_t to = feed ? (size_t)(feed - text->data) : text->bytes;
        if (to - from <= XYLEM_PATTERN_STRING_MAX) {
            code = find_between(searcher, pattern, from, to, err);
        } else {
            int found = has_match(pattern, text->data + from, to - from, err);
            code = found > 0 ? add_range(searcher, from, to, err) : found;
        }
        from = to + 1;
    }
    return code;
}

static int compare_ranges(const void *left, const void *right)
{
    const struct xylem_jsonl__range *a = left;
    const struct xylem_jsonl__range *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

/* Notes every match of every pattern, sorted by start. */
static int find_all(struct xylem_jsonl__searcher *searcher, const struct xylem_patterns *patterns,
                    struct xylem_error *err)
{
    const struct xylem_buffer *text = &searcher->text;
    int code = XYLEM_OK;
    searcher->range_count = 0;
    for (size_t i = 0; code == XYLEM_OK && i < patterns->count; i++) {
        const struct pattern *pattern = &patterns->list[i];
        int found = has_match(pattern, text->data, text->bytes, err);
        if (found <= 0) {
            code = found;
        } else if (text->bytes <= XYLEM_PATTERN_STRING_MAX) {
            code = find_between(searcher, pattern, 0, text->bytes, err);
        } else {
            code = find_in_lines(searcher, pattern, err);
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
        const struct xylem_jsonl__range *range = &searcher->ranges[i];
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

/* Copies a string to `text`, over which searches run. */
static int take_text(struct xylem_jsonl__searcher *searcher, struct xylem_view string, struct xylem_error *err)
{
    xylem_base__buffer_clear(&searcher->text);
    if (xylem_buffer_add(&searcher->text, string.data, string.bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    xylem_base__regex_prepare(searcher->text.data, searcher->text.bytes);
    return XYLEM_OK;
}

int xylem_jsonl__patterns_match(struct xylem_jsonl__searcher *searcher, const struct xylem_patterns *patterns,
                                struct xylem_view text, struct xylem_error *err)
{
    int found = take_text(searcher, text, err);
    for (size_t i = 0; found == 0 && i < patterns->count; i++) {
        found = has_match(&patterns->list[i], searcher->text.data, searcher->text.bytes, err);
    }
    return found;
}

int xylem_jsonl__patterns_string(struct xylem_view *replaced, struct xylem_jsonl__searcher *searcher,
                                 const struct xylem_patterns *patterns, struct xylem_view string,
                                 struct xylem_error *err)
{
    int code;
    if ((code = take_text(searcher, string, err)) < 0 || (code = find_all(searcher, patterns, err)) < 0) {
        return code;
    }
    bool is_long = string.bytes > XYLEM_PATTERN_STRING_MAX;
    if (searcher->range_count == 0 && !is_long) {
        return 0;
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
