/* Compiles patterns, and replaces their matches in a string. */
#include "search/match/patterns.h"

#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/utf8.h"
#include "base/value.h"
#include "search/match/secrets.h"

struct pattern {
    struct xylem_match__pattern *compiled;
    uint64_t line;
};

/*
 * A scratch between two searches, for any thread. A scratch maps 8 MiB of addresses: to map and unmap them for each short
 * text takes longer than the search.
 */
struct xylem_match__spare {
    _Atomic(struct xylem_match__scratch *) scratch; /* NULL: in use, or not made yet */
};

struct xylem_patterns {
    struct pattern *list;
    size_t count;
    struct xylem_match__spare *spare;
    struct xylem_match__secrets *secrets; /* NULL: without the built-in patterns */
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
            (code = xylem_match__pattern_check(ended, &reason)) == XYLEM_OK &&
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

static int make(struct xylem_patterns **patterns, struct xylem_view text, bool with_secrets, struct xylem_error *err)
{
    struct xylem_patterns *made = calloc(1, sizeof *made);
    int code = made && (made->spare = calloc(1, sizeof *made->spare)) ? XYLEM_OK : xylem_base__fail_memory(err);
    if (code == XYLEM_OK && with_secrets) {
        code = xylem_match__secrets_new(&made->secrets, err);
    }
    for (uint64_t number = 1; code == XYLEM_OK && text.bytes > 0; number++) {
        const char *end = memchr(text.data, '\n', text.bytes);
        struct xylem_view line = {text.data, end ? (size_t)(end - text.data) : text.bytes};
        size_t passed = line.bytes + (end ? 1 : 0);
        text.data += passed;
        text.bytes -= passed;
        line.bytes -= line.bytes > 0 && line.data[line.bytes - 1] == '\r';
        code = is_left_out(line) ? XYLEM_OK : add_pattern(made, line, number, err);
    }
    if (code == XYLEM_OK && made->count == 0 && !with_secrets) {
        code = xylem_base__fail(err, XYLEM_E_MALFORMED, "no pattern found: all lines are blank or begin with #");
    }
    if (code < 0) {
        xylem_patterns_free(made);
        return code;
    }
    *patterns = made;
    return XYLEM_OK;
}

int xylem_patterns_new(struct xylem_patterns **patterns, struct xylem_view text, struct xylem_error *err)
{
    return make(patterns, text, false, err);
}

int xylem_patterns_new_secrets(struct xylem_patterns **patterns, struct xylem_view text, struct xylem_error *err)
{
    return make(patterns, text, true, err);
}

void xylem_patterns_free(struct xylem_patterns *patterns)
{
    if (!patterns) {
        return;
    }
    for (size_t i = 0; i < patterns->count; i++) {
        xylem_match__free(patterns->list[i].compiled);
    }
    xylem_match__secrets_free(patterns->secrets);
    if (patterns->spare) {
        xylem_match__scratch_free(atomic_load(&patterns->spare->scratch));
    }
    free(patterns->spare);
    free(patterns->list);
    free(patterns);
}

/* --- Searching ---------------------------------------------------------------------------------------------------- */

static void borrow(struct xylem_match__searcher *searcher, const struct xylem_patterns *patterns)
{
    if (!searcher->scratch) {
        searcher->spare = patterns->spare;
        searcher->scratch = atomic_exchange(&patterns->spare->scratch, NULL);
    }
}

void xylem_match__searcher_release(struct xylem_match__searcher *searcher)
{
    xylem_base__tree_wipe(&searcher->tree);
    xylem_base__buffer_wipe(&searcher->string);
    xylem_base__buffer_wipe(&searcher->line);
    struct xylem_match__scratch *none = NULL;
    if (!searcher->scratch || !atomic_compare_exchange_strong(&searcher->spare->scratch, &none, searcher->scratch)) {
        xylem_match__scratch_free(searcher->scratch);
    }
    free(searcher->hits);
}

static int add_hit(struct xylem_match__searcher *searcher, struct xylem_match__range range, size_t secret,
                   struct xylem_error *err)
{
    struct xylem_match__hit *hits =
        xylem_base__with_room(searcher->hits, &searcher->hit_capacity, searcher->hit_count, sizeof *hits);
    if (!hits) {
        return xylem_base__fail_memory(err);
    }
    searcher->hits = hits;
    hits[searcher->hit_count++] = (struct xylem_match__hit){range, secret};
    return 1;
}

/* Finds the first match from an offset of the text: 1 and the range, or 0. */
static int find(struct xylem_match__range *range, struct xylem_match__searcher *searcher, const struct pattern *pattern,
                struct xylem_view text, size_t from, struct xylem_error *err)
{
    struct xylem_error reason;
    if (!searcher->scratch && xylem_match__scratch_new(&searcher->scratch, err) < 0) {
        return XYLEM_E_MEMORY;
    }
    int found = xylem_match__find(range, searcher->scratch, pattern->compiled, text, from, &reason);
    return found < 0 ? fail_line(pattern->line, found, &reason, err) : found;
}

static int compare_hits(const void *left, const void *right)
{
    const struct xylem_match__hit *a = left;
    const struct xylem_match__hit *b = right;
    int order = (a->range.start > b->range.start) - (a->range.start < b->range.start);
    return order != 0 ? order : (a->secret > b->secret) - (a->secret < b->secret); /* a kind says more than none */
}

/* Notes and counts the secrets of the text, in their order. */
static int find_secrets(struct xylem_match__searcher *searcher, const struct xylem_patterns *patterns,
                        struct xylem_view text, struct xylem_error *err)
{
    struct xylem_match__range range = {0, 0};
    size_t number = 0;
    int found = patterns->secrets ? 1 : 0;
    borrow(searcher, patterns);
    searcher->hit_count = 0;
    while (found > 0 && (found = xylem_match__secrets_find(&range, &number, &searcher->scratch, patterns->secrets, text,
                                                           range.end, err)) > 0) {
        searcher->secret_counts[number]++;
        found = add_hit(searcher, range, number, err);
    }
    return found;
}

/* Notes every match of every pattern, sorted by start. */
static int find_all(struct xylem_match__searcher *searcher, const struct xylem_patterns *patterns,
                    struct xylem_view text, struct xylem_error *err)
{
    int found = find_secrets(searcher, patterns, text, err);
    for (size_t i = 0; found >= 0 && i < patterns->count; i++) {
        struct xylem_match__range range = {0, 0};
        while ((found = find(&range, searcher, &patterns->list[i], text, range.end, err)) > 0 &&
               (found = add_hit(searcher, range, SIZE_MAX, err)) > 0) {
        }
    }
    if (found >= 0 && searcher->hit_count > 1) {
        qsort(searcher->hits, searcher->hit_count, sizeof *searcher->hits, compare_hits);
    }
    return found < 0 ? found : XYLEM_OK;
}

bool xylem_match__patterns_have_secrets(const struct xylem_patterns *patterns)
{
    return patterns->secrets;
}

int xylem_match__patterns_match(struct xylem_match__searcher *searcher, const struct xylem_patterns *patterns,
                                struct xylem_view text, struct xylem_error *err)
{
    struct xylem_match__range range;
    int found = find_secrets(searcher, patterns, text, err);
    found = found < 0 ? found : searcher->hit_count > 0;
    for (size_t i = 0; found == 0 && i < patterns->count; i++) {
        found = find(&range, searcher, &patterns->list[i], text, 0, err);
    }
    return found;
}

/* The code unit of `\uXXXX` at offset `at`; UINT32_MAX: no such escape there. */
static uint32_t read_unit(struct xylem_view bytes, size_t at)
{
    char digits[5] = {0};
    if (bytes.bytes - at < 6 || bytes.data[at] != '\\' || bytes.data[at + 1] != 'u') {
        return UINT32_MAX;
    }
    memcpy(digits, bytes.data + at + 2, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? (uint32_t)strtoul(digits, NULL, 16) : UINT32_MAX;
}

/* Decodes the escape at offset `at`. Returns the length of the escape. */
static size_t unescape(char out[4], size_t *out_bytes, struct xylem_view bytes, size_t at)
{
    static const char letters[] = "bfnrt";
    static const char meanings[] = "\b\f\n\r\t";
    assert(at + 1 < bytes.bytes && bytes.data[at] == '\\');
    uint32_t unit = read_unit(bytes, at);
    if (unit != UINT32_MAX) {
        uint32_t low = unit >= 0xD800 && unit <= 0xDBFF ? read_unit(bytes, at + 6) : UINT32_MAX;
        bool pair = low >= 0xDC00 && low <= 0xDFFF;
        *out_bytes = xylem_base__wtf8_encode(out, pair ? 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00) : unit);
        return pair ? 12 : 6;
    }
    const char *letter = memchr(letters, bytes.data[at + 1], sizeof letters - 1);
    out[0] = letter ? meanings[letter - letters] : bytes.data[at + 1];
    *out_bytes = 1;
    return 2;
}

int xylem_match__patterns_match_torn(struct xylem_match__searcher *searcher, const struct xylem_patterns *patterns,
                                     struct xylem_view bytes, struct xylem_error *err)
{
    struct xylem_buffer *text = &searcher->string;
    int code = xylem_match__patterns_match(searcher, patterns, bytes, err);
    if (code != 0 || bytes.bytes == 0 || !memchr(bytes.data, '\\', bytes.bytes)) {
        return code;
    }
    xylem_base__buffer_clear(text);
    for (size_t at = 0; code == XYLEM_OK && at < bytes.bytes;) {
        const char *slash = memchr(bytes.data + at, '\\', bytes.bytes - at - 1);
        size_t plain = slash ? (size_t)(slash - bytes.data) - at : bytes.bytes - at;
        code = xylem_buffer_add(text, bytes.data + at, plain);
        at += plain;
        if (slash && code == XYLEM_OK) {
            char meant[4];
            size_t meant_bytes = 0;
            at += unescape(meant, &meant_bytes, bytes, at);
            code = xylem_buffer_add(text, meant, meant_bytes);
        }
    }
    return code < 0 ? xylem_base__fail_memory(err)
                    : xylem_match__patterns_match(searcher, patterns, xylem_base__buffer_view(text), err);
}

int xylem_patterns_match(const struct xylem_patterns *patterns, struct xylem_view bytes, struct xylem_error *err)
{
    struct xylem_match__searcher searcher = {0};
    int found = xylem_match__patterns_match(&searcher, patterns, bytes, err);
    xylem_match__searcher_release(&searcher);
    return found;
}

int xylem_match__patterns_string(struct xylem_view *replaced, struct xylem_match__searcher *searcher,
                                 const struct xylem_patterns *patterns, struct xylem_view string,
                                 struct xylem_error *err)
{
    struct xylem_buffer *out = &searcher->string;
    size_t done = 0;
    int code = find_all(searcher, patterns, string, err);
    if (code < 0 || searcher->hit_count == 0) {
        return code;
    }
    xylem_base__buffer_clear(out);
    for (size_t i = 0; code == XYLEM_OK && i < searcher->hit_count; i++) {
        const struct xylem_match__range *range = &searcher->hits[i].range;
        if (i == 0 || range->start >= done) { /* overlapping matches get one replacement together */
            const struct xylem_secret *secret = xylem_secret_row(searcher->hits[i].secret);
            code = xylem_buffer_add(out, string.data + done, range->start - done);
            code = code < 0 ? code
                            : xylem_base__buffer_add_format(out, secret ? "[redacted: %s]" : "[redacted]",
                                                            secret ? secret->kind : "");
        }
        done = range->end > done ? range->end : done;
    }
    if (code < 0 || xylem_buffer_add(out, string.data + done, string.bytes - done) < 0) {
        return xylem_base__fail_memory(err);
    }
    *replaced = xylem_base__buffer_view(out);
    return 1;
}

int xylem_patterns_redact_text(struct xylem_buffer *buffer, const struct xylem_patterns *patterns,
                               struct xylem_view text, struct xylem_error *err)
{
    struct xylem_match__searcher searcher = {0};
    struct xylem_view replaced = text;
    int found = xylem_match__patterns_string(&replaced, &searcher, patterns, text, err);
    if (found >= 0 && xylem_buffer_add(buffer, replaced.data, replaced.bytes) < 0) {
        found = xylem_base__fail_memory(err);
    }
    xylem_match__searcher_release(&searcher);
    return found;
}
