/* Patterns that an export searches for. */
#ifndef XYLEM_JSONL_PATTERNS_H
#define XYLEM_JSONL_PATTERNS_H

#include "base/value.h"
#include "xylem.h"

/* Memory that is used again. Start with a zeroed struct. */
struct xylem_jsonl__searcher {
    struct xylem_base__tree tree;
    struct xylem_buffer text;   /* a copy of the string, for the matcher */
    struct xylem_buffer string; /* a string after its matches were replaced */
    struct xylem_buffer line;   /* a line after its strings were */
    struct xylem_jsonl__range *ranges;
    size_t range_count;
    size_t range_capacity;
};

/* A match. */
struct xylem_jsonl__range {
    size_t start;
    size_t end;
};

/* Wipes the memory, too: the texts may hold secrets. */
void xylem_jsonl__searcher_release(struct xylem_jsonl__searcher *searcher);

/* 1 if a pattern matches somewhere in the text, else 0. */
int xylem_jsonl__patterns_match(struct xylem_jsonl__searcher *searcher, const struct xylem_patterns *patterns,
                                struct xylem_view text, struct xylem_error *err);

/* 1 and the string without its matches, which lives in the searcher until the next one; 0 if nothing matches. */
int xylem_jsonl__patterns_string(struct xylem_view *replaced, struct xylem_jsonl__searcher *searcher,
                                 const struct xylem_patterns *patterns, struct xylem_view string,
                                 struct xylem_error *err);

/*
 * 1 and what the line becomes, which lives in the searcher until the next one; 0 if it stays as it is. MALFORMED if it is
 * no JSON, LIMIT if it exceeds a limit.
 */
int xylem_jsonl__patterns_line(struct xylem_view *replaced, struct xylem_jsonl__searcher *searcher,
                               const struct xylem_patterns *patterns, struct xylem_view line,
                               struct xylem_export_redactions *redactions, struct xylem_error *err);

#endif
