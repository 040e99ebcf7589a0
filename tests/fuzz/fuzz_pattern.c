/*
 * The first line is a pattern, the rest is a text, repeated up to 64 KiB. The pattern is refused, or each search of the
 * text ends: with a match behind the one before, with none, or at a limit. `-timeout=5` finds a search without a bound.
 */
#include <stdlib.h>
#include <string.h>

#include "search/match/pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char text[65536];

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void search(struct xylem_match__scratch *scratch, struct xylem_view pattern_text, unsigned flags)
{
    struct xylem_match__pattern *pattern = NULL;
    struct xylem_match__range range = {0, 0};
    struct xylem_view subject = {text, sizeof text};
    int found = 0;
    if (xylem_match__new(&pattern, pattern_text, flags, NULL) < 0) {
        return;
    }
    do {
        size_t from = range.end;
        found = xylem_match__find(&range, scratch, pattern, subject, from, NULL);
        check(found >= 0 || found == XYLEM_E_LIMIT);
        check(found <= 0 || (range.start >= from && range.start < range.end && range.end <= sizeof text));
    } while (found > 0);
    xylem_match__free(pattern);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct xylem_match__scratch *scratch;
    const uint8_t *feed = size > 0 ? memchr(data, '\n', size) : NULL;
    size_t pattern_bytes = feed ? (size_t)(feed - data) : size;
    struct xylem_view pattern_text = {(const char *)data, pattern_bytes};
    size_t rest = feed ? size - pattern_bytes - 1 : 0;
    if (pattern_bytes > XYLEM_PATTERN_BYTES_MAX) {
        return 0;
    }
    if (!scratch) {
        check(xylem_match__scratch_new(&scratch, NULL) == XYLEM_OK);
    }
    for (size_t at = 0; at < sizeof text; at++) {
        text[at] = rest > 0 ? (char)feed[1 + at % rest] : 'a';
    }
    search(scratch, pattern_text, XYLEM_MATCH__BYTES);
    search(scratch, pattern_text, 0);
    search(scratch, pattern_text, XYLEM_MATCH__LITERAL | XYLEM_MATCH__CASELESS);
    return 0;
}
