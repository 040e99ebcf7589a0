/*
 * A compiled pattern, and the search for its matches.
 *
 * A search has limits of memory and of steps, so any pattern ends in any text. A search that meets a limit is
 * XYLEM_E_LIMIT, and the error names the limit. Errors say "the pattern" without its text, since the pattern of a
 * redaction may be secret. The caller names pattern and entry.
 */
#ifndef XYLEM_MATCH_PATTERN_H
#define XYLEM_MATCH_PATTERN_H

#include <stddef.h>

#include "xylem/base.h"

#define XYLEM_MATCH__COST_MAX 33554432u       /* of all searches in a text, about a nanosecond each */
#define XYLEM_MATCH__COST_BYTE_MAX 128u       /* of all searches too, for each byte of the text */
#define XYLEM_MATCH__STACK_BYTES_MAX 8388608u /* of places to go back to, with machine code */
#define XYLEM_MATCH__HEAP_KB_MAX 65536u       /* the same without machine code */

/*
 * Without BYTES an expression matches UTF-8: bytes of lone surrogates and other invalid bytes match nothing, and `.` is
 * a character but a newline. `^` and `$` match at the ends of lines. Back references are refused.
 */
enum {
    XYLEM_MATCH__LITERAL = 1,  /* the pattern is text, not an expression */
    XYLEM_MATCH__CASELESS = 2, /* by Unicode's simple case folding; of bytes ASCII alone */
    XYLEM_MATCH__BYTES = 4,    /* an expression of bytes: `.` is any byte */
};

/* A pattern. It does not change after its making, so any number of threads may search with it. */
struct xylem_match__pattern;

/* The memory of one thread's searches, for any number of patterns. */
struct xylem_match__scratch;

/* The place of a match: offsets of its first byte, and of the byte behind it. */
struct xylem_match__range {
    size_t start;
    size_t end;
};

/*
 * Compiles a pattern. The pattern outlives `text`.
 *
 * Errors:
 * - MALFORMED: not an expression of PCRE2; a back reference; UTF-8 is needed and the text is something else
 * - LIMIT: groups nest deeper than XYLEM_PATTERN_NESTING_MAX, or the pattern is too large when compiled
 * - MEMORY
 */
int xylem_match__new(struct xylem_match__pattern **pattern, struct xylem_view text, unsigned flags,
                     struct xylem_error *err);
void xylem_match__free(struct xylem_match__pattern *pattern); /* NULL is allowed */

/* True if the pattern may match no bytes, at least in some texts. */
bool xylem_match__matches_empty(const struct xylem_match__pattern *pattern);

int xylem_match__scratch_new(struct xylem_match__scratch **scratch, struct xylem_error *err);
void xylem_match__scratch_free(struct xylem_match__scratch *scratch); /* NULL is allowed */

/*
 * Finds the first match that begins at or behind `from`: 1 and the range, or 0. `^` and lookbehinds see the bytes before
 * `from`. A match has 1 byte or more: a match of no bytes is passed over. A search from 0 begins a new text, and later
 * searches from other offsets share its limit of steps. An expression that begins with `\G` matches at `from` alone.
 *
 * Errors: LIMIT, MEMORY
 */
int xylem_match__find(struct xylem_match__range *range, struct xylem_match__scratch *scratch,
                      const struct xylem_match__pattern *pattern, struct xylem_view subject, size_t from,
                      struct xylem_error *err);
/* Begins a new text, for searches of which none may be from 0. */
void xylem_match__begin(struct xylem_match__scratch *scratch, struct xylem_view subject);

#endif
