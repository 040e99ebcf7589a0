/* The patterns of an export or of a redaction, with the built-in patterns of secrets or without: matches, replacements. */
#ifndef XYLEM_MATCH_PATTERNS_H
#define XYLEM_MATCH_PATTERNS_H

#include "base/value.h"
#include "search/match/pattern.h"
#include "xylem/files.h"

/* A match, of a built-in pattern or of the caller's. */
struct xylem_match__hit {
    struct xylem_match__range range;
    size_t secret; /* the number of the row; SIZE_MAX: of the caller's pattern */
};

/* Memory for all searches. Start with a zeroed struct. */
struct xylem_match__searcher {
    struct xylem_base__tree tree;
    struct xylem_buffer string; /* a string with replaced matches */
    struct xylem_buffer line;   /* a line with replaced strings */
    struct xylem_match__scratch *scratch;
    struct xylem_match__spare *spare; /* of the patterns, to which the scratch goes back */
    struct xylem_match__hit *hits;    /* the matches in the string */
    size_t hit_count;
    size_t hit_capacity;
    uint64_t secret_counts[XYLEM_SECRETS_MAX]; /* matches of the built-in patterns, added up: the caller clears them */
};

/* Refuses the parts of a compiled pattern that would leave a secret by surprise. The text ends with NUL. */
int xylem_match__pattern_check(const char *text, struct xylem_error *err);

/* Wipes the memory before the release: the texts may hold secrets. */
void xylem_match__searcher_release(struct xylem_match__searcher *searcher);

/* True if the built-in patterns of secrets are among the patterns. */
bool xylem_match__patterns_have_secrets(const struct xylem_patterns *patterns);

/* 1 if a pattern matches somewhere in the text, else 0. Counts the matches of the built-in patterns. */
int xylem_match__patterns_match(struct xylem_match__searcher *searcher, const struct xylem_patterns *patterns,
                                struct xylem_view text, struct xylem_error *err);
/*
 * The same for bytes that are no JSON, such as a torn line: as they are, then with every escape decoded as in a JSON
 * string.
 */
int xylem_match__patterns_match_torn(struct xylem_match__searcher *searcher, const struct xylem_patterns *patterns,
                                     struct xylem_view bytes, struct xylem_error *err);

/* Replaces all matches in a string: 1 and the result, or 0 without a match. The result lives until the next search. */
int xylem_match__patterns_string(struct xylem_view *replaced, struct xylem_match__searcher *searcher,
                                 const struct xylem_patterns *patterns, struct xylem_view string,
                                 struct xylem_error *err);

#endif
