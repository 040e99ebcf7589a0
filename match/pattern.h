/*
 * A compiled pattern, and the search for its first match, in machine code where the processor allows.
 *
 * A pattern that fails late takes time in the square of the length: `[0-9]+@` reads all digits again at each digit. No
 * limit of PCRE2 counts these steps, so callers give expressions short texts, such as a line. Backtracking has limits:
 * a search that meets a limit is XYLEM_E_LIMIT, and the error names the limit.
 *
 * Errors say "the pattern" without its text, since the pattern of a redaction may be secret. The caller names pattern
 * and entry.
 */
#ifndef XYLEM_MATCH_PATTERN_H
#define XYLEM_MATCH_PATTERN_H

#include <stddef.h>

#include "xylem.h"

#define XYLEM_MATCH__STEPS_MAX 1000000u       /* of a search at one place of a text */
#define XYLEM_MATCH__DEPTH_MAX 1000000u       /* places to go back to, without machine code */
#define XYLEM_MATCH__HEAP_KB_MAX 65536u       /* for these places */
#define XYLEM_MATCH__STACK_BYTES_MAX 8388608u /* for these places, with machine code */

enum {
    XYLEM_MATCH__LITERAL = 1,  /* the pattern is text, not an expression */
    XYLEM_MATCH__CASELESS = 2, /* by Unicode's simple case folding; with BYTES, of ASCII alone */
    /*
     * Bytes, as POSIX expressions in the C locale match them: `.` is any byte but NUL, `^` and `$` are the ends of the
     * text. Without this flag an expression matches UTF-8: bytes of lone surrogates and other invalid bytes match
     * nothing, `.` is a character but a newline, and `^` and `$` match at the ends of lines.
     */
    XYLEM_MATCH__BYTES = 4,
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
 * - MALFORMED: not an expression of PCRE2; or UTF-8 is needed and the text is something else
 * - LIMIT: nested too deeply, or too large when compiled
 * - MEMORY
 */
int xylem_match__new(struct xylem_match__pattern **pattern, struct xylem_view text, unsigned flags,
                     struct xylem_error *err);
void xylem_match__free(struct xylem_match__pattern *pattern); /* NULL is allowed */

int xylem_match__scratch_new(struct xylem_match__scratch **scratch, struct xylem_error *err);
void xylem_match__scratch_free(struct xylem_match__scratch *scratch); /* NULL is allowed */

/*
 * Finds the first match that begins at or behind `from`: 1 and the range, or 0. `^` and lookbehinds see the bytes before
 * `from`. The range may be empty if the pattern matches the empty text.
 *
 * Errors:
 * - LIMIT: STEPS_MAX, DEPTH_MAX, HEAP_KB_MAX or STACK_BYTES_MAX
 * - MEMORY
 */
int xylem_match__find(struct xylem_match__range *range, struct xylem_match__scratch *scratch,
                      const struct xylem_match__pattern *pattern, struct xylem_view subject, size_t from,
                      struct xylem_error *err);

#endif
