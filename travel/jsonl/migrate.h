/* Migrates session files of formats 1 and 2 to format 3, in the same way as the pi coding agent. */
#ifndef XYLEM_JSONL_MIGRATE_H
#define XYLEM_JSONL_MIGRATE_H

#include "base/value.h"

#define XYLEM_JSONL__MINTED_BYTES 8u

/*
 * Mints the id of an entry of format 1. The id is the first 8 hex digits of XXH3-64 over session id, line number and
 * line, and over `attempt` unless `attempt` is 0. So a second import finds the same ids.
 */
int xylem_jsonl__mint_id(char out[XYLEM_JSONL__MINTED_BYTES + 1], struct xylem_view session_id, uint64_t line_number,
                         struct xylem_view line, unsigned attempt, struct xylem_error *err);

/* The ids that a line of format 1 lacks. */
struct xylem_jsonl__minted {
    struct xylem_view id;
    struct xylem_view parent_id;     /* data NULL: none */
    struct xylem_view first_kept_id; /* data NULL: none */
};

/* Returns the index of the first entry that a compaction of format 1 keeps. False if the line names no index. */
bool xylem_jsonl__first_kept_index(uint64_t *index, const struct xylem_value *object);

/* Turns a parsed line of format 2, or of format 1 (`minted` not NULL), into format 3, and appends the result. */
int xylem_jsonl__migrate_line(struct xylem_buffer *out, const struct xylem_value *object,
                              const struct xylem_jsonl__minted *minted);

/* Turns a parsed header into format 3, and appends the result. */
int xylem_jsonl__migrate_header(struct xylem_buffer *out, const struct xylem_value *object);

#endif
