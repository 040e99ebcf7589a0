/*
 * A compiled pattern, and searches for its matches:
 *
 *     find      the first match, of the alternative that PCRE2 tries first
 *     longest   the first match, and of all matches there the longest, as POSIX finds matches
 *     exists    whether there is a match, in a text of any length
 *
 * A pattern that fails late takes time in the square of the length for `find` and `longest`: `[0-9]+@` reads all digits
 * again at each digit. No limit of PCRE2 counts these steps, so callers give these searches short texts, such as a
 * line; `exists` counts them. A search that meets a limit is XYLEM_E_LIMIT, and the error names the limit.
 *
 * Errors say "the pattern" without its text, since the pattern of a redaction may be secret. The caller names pattern
 * and entry.
 */
#ifndef XYLEM_MATCH_PATTERN_H
#define XYLEM_MATCH_PATTERN_H

#include <stddef.h>

#include "xylem.h"

#define XYLEM_MATCH__STEPS_MAX 1000000u       /* of backtracking, at one place of a text */
#define XYLEM_MATCH__STACK_BYTES_MAX 8388608u /* of places to go back to, with machine code */
#define XYLEM_MATCH__HEAP_KB_MAX 65536u       /* the same without machine code */
#define XYLEM_MATCH__STATES_MAX 4096u         /* of `longest` and `exists`: ways to match that are followed at once */
#define XYLEM_MATCH__CALLS_MAX 64u            /* of these too: lookarounds inside of each other; each takes C stack */
#define XYLEM_MATCH__AGAIN_BYTES_MAX 1073741824u /* of `exists`: a place whose answer lies far away is read again */

/*
 * Without BYTES and POSIX an expression matches UTF-8: bytes of lone surrogates and other invalid bytes match nothing,
 * and `.` is a character but a newline. `^` and `$` match at the ends of lines.
 *
 * With BYTES or POSIX an expression matches bytes, and can be given to `longest` and `exists`. The caller keeps out
 * what pcre2_dfa_match() does not know: back references, atomic groups, conditions, recursion, verbs.
 */
enum {
    XYLEM_MATCH__LITERAL = 1,  /* the pattern is text, not an expression */
    XYLEM_MATCH__CASELESS = 2, /* by Unicode's simple case folding; of bytes ASCII alone */
    XYLEM_MATCH__BYTES = 4,    /* `.` is any byte, `^` and `$` match at the ends of lines */
    XYLEM_MATCH__POSIX = 8,    /* `.` is any byte but NUL, `^` and `$` match at the ends of the text */
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
 * - LIMIT: groups nest deeper than XYLEM_PATTERN_NESTING_MAX, or the pattern is too large when compiled
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
 * Errors: LIMIT, MEMORY
 */
int xylem_match__find(struct xylem_match__range *range, struct xylem_match__scratch *scratch,
                      const struct xylem_match__pattern *pattern, struct xylem_view subject, size_t from,
                      struct xylem_error *err);

/* The same for the longest match at the first place with a match. A match of no bytes is passed over. */
int xylem_match__longest(struct xylem_match__range *range, struct xylem_match__scratch *scratch,
                         const struct xylem_match__pattern *pattern, struct xylem_view subject, size_t from,
                         struct xylem_error *err);

/* 1 if the text has a match, be it of no bytes, else 0. Errors: LIMIT, MEMORY */
int xylem_match__exists(struct xylem_match__scratch *scratch, const struct xylem_match__pattern *pattern,
                        struct xylem_view subject, struct xylem_error *err);

#endif
