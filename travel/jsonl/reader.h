/*
 * Reads the lines of a session file as entries, in any order: the reader is where lines come from. Nothing here knows
 * the store.
 */
#ifndef XYLEM_JSONL_READER_H
#define XYLEM_JSONL_READER_H

#include "travel/jsonl/header.h"
#include "travel/jsonl/index.h"

/* Lives as long as the file is open. Start with xylem_jsonl__reader_init(). */
struct xylem_jsonl__reader {
    struct xylem_jsonl__file file;
    struct xylem_jsonl__header header;
    struct xylem_jsonl__index index;
    /* Memory for the line at hand. */
    struct xylem_jsonl__window near; /* for lines at their turn */
    struct xylem_jsonl__window far;  /* for all other lines */
    struct xylem_jsonl__parser parser;
    struct xylem_buffer migrated;
    /* The candidate read last: mostly the parent of the next candidate. */
    uint32_t last_row;
    struct xylem_jsonl__id last_id;
};

/* A line, before the line is placed. Views live until the next line is read. */
struct xylem_jsonl__candidate {
    uint32_t row;
    bool ahead; /* before its turn in the file */
    struct xylem_jsonl__entry entry;
    struct xylem_view text;              /* the line in format 3 */
    uint32_t parent_row;                 /* or XYLEM_JSONL__NO_ROW: the entry becomes a root */
    bool orphan;                         /* no line has the named parent */
    struct xylem_position stored_parent; /* of a candidate that is no orphan after all: an entry of the session */
};

void xylem_jsonl__reader_init(struct xylem_jsonl__reader *reader);
/* After the header: lists the lines of the file in the index, from the line at `offset` on, line number `line`. */
int xylem_jsonl__reader_index(struct xylem_jsonl__reader *reader, uint64_t offset, uint64_t line,
                              struct xylem_error *err);
void xylem_jsonl__reader_release(struct xylem_jsonl__reader *reader);

/*
 * Reads the line of a row as an entry of format 3, without the payload, and finds the parent's row. The line must have
 * an entry: the row has no problem, or is a DUPLICATE or a CONFLICT.
 */
int xylem_jsonl__candidate_read(struct xylem_jsonl__candidate *candidate, struct xylem_jsonl__reader *reader,
                                uint32_t row, bool ahead, struct xylem_error *err);
/* Fails, since a line differs from the line of the first pass. */
int xylem_jsonl__fail_changed(const struct xylem_jsonl__reader *reader, struct xylem_error *err);
/* Releases the memory of a long line. All views of the line die. */
void xylem_jsonl__reader_trim(struct xylem_jsonl__reader *reader);

#endif
