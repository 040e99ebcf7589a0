#include "search/query.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/utf8.h"
#include "base/value.h"
#include "search/required.h"

/* True if the text has a capital letter, in any script. */
static int has_capital(struct xylem_view text, struct xylem_error *err)
{
    struct xylem_match__pattern *capital = NULL;
    struct xylem_match__scratch *scratch = NULL;
    struct xylem_match__range range;
    int code;
    if ((code = xylem_match__new(&capital, XYLEM_BASE__LITERAL("\\p{Lu}|\\p{Lt}"), 0, err)) == XYLEM_OK &&
        (code = xylem_match__scratch_new(&scratch, err)) == XYLEM_OK) {
        code = xylem_match__find(&range, scratch, capital, text, 0, err);
    }
    xylem_match__scratch_free(scratch);
    xylem_match__free(capital);
    return code;
}

static bool is_utf8(struct xylem_view text)
{
    for (size_t at = 0; at < text.bytes;) {
        uint32_t code_point = 0;
        size_t bytes = xylem_base__wtf8_decode(&code_point, text.data + at, text.bytes - at);
        if (bytes == 0 || (code_point >= 0xD800 && code_point <= 0xDFFF)) {
            return false;
        }
        at += bytes;
    }
    return true;
}

static int make_term(struct xylem_search__term *term, const struct xylem_search_options *options,
                     struct xylem_view pattern, struct xylem_error *err)
{
    *term = (struct xylem_search__term){.text = pattern, .is_regex = options->syntax == XYLEM_SEARCH_REGEX};
    if (pattern.bytes > XYLEM_PATTERN_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the pattern has %zu bytes; %u are allowed", pattern.bytes,
                                XYLEM_PATTERN_BYTES_MAX);
    }
    if ((unsigned)options->syntax > XYLEM_SEARCH_REGEX) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%d is not a syntax of patterns", (int)options->syntax);
    }
    if (!is_utf8(pattern)) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "the pattern is not UTF-8");
    }
    if (term->is_regex) {
        return xylem_match__new(&term->pattern, pattern, 0, err);
    }
    int capital = options->syntax == XYLEM_SEARCH_SMART ? has_capital(pattern, err) : 1;
    term->caseless = capital == 0;
    if (capital == 0) {
        return xylem_match__new(&term->pattern, pattern, XYLEM_MATCH__LITERAL | XYLEM_MATCH__CASELESS, err);
    }
    xylem_search__needle_make(&term->needle, pattern, false);
    return capital < 0 ? capital : XYLEM_OK;
}

int xylem_search__query_make(struct xylem_search__query *query, const struct xylem_search_options *options,
                             struct xylem_error *err)
{
    struct xylem_view rest = options->pattern;
    const struct xylem_search__term *longest = NULL;
    *query = (struct xylem_search__query){.options = options, .sieve.all = true};
    while (rest.bytes > 0) {
        const char *end = memchr(rest.data, '\0', rest.bytes);
        struct xylem_view pattern = {rest.data, end ? (size_t)(end - rest.data) : rest.bytes};
        rest.data += pattern.bytes + (end ? 1 : 0);
        rest.bytes -= pattern.bytes + (end ? 1 : 0);
        if (pattern.bytes == 0) {
            continue;
        }
        if (query->term_count == XYLEM_SEARCH_PATTERNS_MAX) {
            return xylem_base__fail(err, XYLEM_E_LIMIT, "a search takes at most %u patterns",
                                    XYLEM_SEARCH_PATTERNS_MAX);
        }
        struct xylem_search__term *term = &query->terms[query->term_count++];
        int code = make_term(term, options, pattern, err);
        if (code < 0) {
            return code;
        }
        longest = !longest || pattern.bytes > longest->text.bytes ? term : longest;
    }
    if (options->patterns) { /* the searched text is known after its redaction alone: every payload passes the sieve */
        return XYLEM_OK;
    }
    if (!longest || !longest->is_regex) {
        return longest ? xylem_search__sieve_make(&query->sieve, longest->text, longest->caseless, err) : XYLEM_OK;
    }
    /* The sieve looks for the text that every match has; without such a text everything is decoded. */
    struct xylem_buffer required = {NULL, 0, 0};
    int code = xylem_search__required(&required, longest->text, err);
    if (code == XYLEM_OK && required.bytes > 0) {
        code = xylem_search__sieve_make(&query->sieve, xylem_base__buffer_view(&required), false, err);
    }
    xylem_buffer_release(&required);
    return code;
}

void xylem_search__query_release(struct xylem_search__query *query)
{
    for (size_t i = 0; i < query->term_count; i++) {
        xylem_match__free(query->terms[i].pattern);
    }
    xylem_search__sieve_release(&query->sieve);
}

/* --- Finding ------------------------------------------------------------------------------------------------------ */

int xylem_search__query_find(struct xylem_match__range *range, const struct xylem_search__term *term,
                             struct xylem_match__scratch *scratch, struct xylem_view text, size_t from,
                             struct xylem_error *err)
{
    if (from >= text.bytes) {
        return 0;
    }
    if (!term->is_regex && term->caseless) {
        return xylem_match__find(range, scratch, term->pattern, text, from, err);
    }
    if (!term->is_regex) {
        size_t at = xylem_search__needle_find(&term->needle, text, from);
        *range = (struct xylem_match__range){at, at + term->needle.count};
        return at != SIZE_MAX;
    }
    while (from < text.bytes) {
        const char *before = from > 0 ? memrchr(text.data, '\n', from) : NULL;
        const char *newline = memchr(text.data + from, '\n', text.bytes - from);
        size_t start = before ? (size_t)(before - text.data) + 1 : 0;
        size_t end = newline ? (size_t)(newline - text.data) : text.bytes;
        struct xylem_view line = {text.data + start, end - start};
        line.bytes -= line.bytes > 0 && line.data[line.bytes - 1] == '\r';
        int found = from - start <= line.bytes
                        ? xylem_match__find(range, scratch, term->pattern, line, from - start, err)
                        : 0; /* behind a carriage return */
        if (found != 0) {
            range->start += start;
            range->end += start;
            return found;
        }
        from = end + 1;
    }
    return 0;
}
