/* Formats 1 and 2 become format 3, as pi migrates them. */
#ifndef XYLEM_JSONL_MIGRATE_H
#define XYLEM_JSONL_MIGRATE_H

#include "base/value.h"
#include "xylem.h"

#define XYLEM_JSONL__MINTED_BYTES 8u

/*
 * The id of an entry of format 1, which has none: the first 8 hex digits of XXH3-64 over session id, line number and
 * line, and over `attempt` too unless it is 0.
 */
int xylem_jsonl__mint_id(char out[XYLEM_JSONL__MINTED_BYTES + 1], struct xylem_view session_id, uint64_t line_number,
                         struct xylem_view line, unsigned attempt, struct xylem_error *err);

/* What a line of format 1 lacks. */
struct xylem_jsonl__minted {
    struct xylem_view id;
    struct xylem_view parent_id;     /* data NULL: none */
    struct xylem_view first_kept_id; /* data NULL: none */
};

/* The index of the first entry that a compaction of format 1 keeps: true and the index, if it names one. */
bool xylem_jsonl__first_kept_index(uint64_t *index, const struct xylem_value *object);

/* Appends the line of format 3 that a parsed line of format 2, or of format 1 (`minted` not NULL), becomes. */
int xylem_jsonl__migrate_line(struct xylem_buffer *out, const struct xylem_value *object,
                              const struct xylem_jsonl__minted *minted);

/* Appends the header of format 3 that a parsed header becomes. */
int xylem_jsonl__migrate_header(struct xylem_buffer *out, const struct xylem_value *object);

#endif
