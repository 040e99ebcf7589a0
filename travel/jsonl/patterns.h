/* Matches patterns of an export or of a redaction, and replaces the matches. */
#ifndef XYLEM_JSONL_PATTERNS_H
#define XYLEM_JSONL_PATTERNS_H

#include "base/value.h"
#include "search/match/pattern.h"
#include "xylem/files.h"

/* Memory for all searches. Start with a zeroed struct. */
struct xylem_jsonl__searcher {
    struct xylem_base__tree tree;
    struct xylem_buffer string; /* a string with replaced matches */
    struct xylem_buffer line;   /* a line with replaced strings */
    struct xylem_match__scratch *scratch;
    struct xylem_match__range *ranges; /* the matches in the string */
    size_t range_count;
    size_t range_capacity;
};

/* Refuses the parts of a compiled pattern that would leave a secret by surprise. The text ends with NUL. */
int xylem_jsonl__pattern_check(const char *text, struct xylem_error *err);

/* Wipes the memory before the release: the texts may hold secrets. */
void xylem_jsonl__searcher_release(struct xylem_jsonl__searcher *searcher);

/* 1 if a pattern matches somewhere in the text, else 0. */
int xylem_jsonl__patterns_match(struct xylem_jsonl__searcher *searcher, const struct xylem_patterns *patterns,
                                struct xylem_view text, struct xylem_error *err);

/* Replaces all matches in a string: 1 and the result, or 0 without a match. The result lives until the next search. */
int xylem_jsonl__patterns_string(struct xylem_view *replaced, struct xylem_jsonl__searcher *searcher,
                                 const struct xylem_patterns *patterns, struct xylem_view string,
                                 struct xylem_error *err);

/*
 * Replaces all matches in the strings of a line: 1 and the result, or 0 if the line stays as it is. The result lives
 * until the next search. MALFORMED if the line is not JSON, LIMIT if the line exceeds a limit.
 */
int xylem_jsonl__patterns_line(struct xylem_view *replaced, struct xylem_jsonl__searcher *searcher,
                               const struct xylem_patterns *patterns, struct xylem_view line,
                               struct xylem_export_redactions *redactions, struct xylem_error *err);

struct xylem_store__matcher;

/* The search of xylem_redact_matches() in entries, lines and texts: store/store.h. */
int xylem_jsonl__matcher_new(struct xylem_store__matcher *matcher, const struct xylem_patterns *patterns,
                             struct xylem_error *err);
/* Wipes the memory before the release. A zeroed struct has nothing to free. */
void xylem_jsonl__matcher_free(struct xylem_store__matcher *matcher);

#endif
