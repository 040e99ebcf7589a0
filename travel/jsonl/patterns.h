/* Matches patterns of an export or of a redaction in lines and entries. */
#ifndef XYLEM_JSONL_PATTERNS_H
#define XYLEM_JSONL_PATTERNS_H

#include "search/match/patterns.h"

/*
 * Replaces all matches in the strings of a line: 1 and the result, or 0 if the line stays as it is. The result lives
 * until the next search. MALFORMED if the line is not JSON, LIMIT if the line exceeds a limit.
 */
int xylem_jsonl__patterns_line(struct xylem_view *replaced, struct xylem_match__searcher *searcher,
                               const struct xylem_patterns *patterns, struct xylem_view line,
                               struct xylem_export_redactions *redactions, struct xylem_error *err);

struct xylem_store__matcher;

/* The search of xylem_redact_matches() in entries, lines and texts: store/store.h. */
int xylem_jsonl__matcher_new(struct xylem_store__matcher *matcher, const struct xylem_patterns *patterns,
                             struct xylem_error *err);
/* Wipes the memory before the release. A zeroed struct has nothing to free. */
void xylem_jsonl__matcher_free(struct xylem_store__matcher *matcher);

#endif
