/* Reads a line of the file as an entry, before the line is placed (a candidate). */
#ifndef XYLEM_JSONL_CANDIDATE_H
#define XYLEM_JSONL_CANDIDATE_H

#include "jsonl/import.h"

/* Views live until the next line is read. */
struct xylem_jsonl__candidate {
    uint32_t row;
    bool ahead; /* before its turn in the file */
    struct xylem_jsonl__entry entry;
    struct xylem_view text; /* the line in format 3 */
    uint32_t parent_row;    /* or XYLEM_JSONL__NO_ROW: the entry becomes a root */
    bool orphan;            /* no line has the named parent */
};

/*
 * Reads the line of a row as an entry of format 3, without the payload, and finds the parent's row. The line must have
 * an entry: the row has no problem, or is a DUPLICATE or a CONFLICT.
 */
int xylem_jsonl__candidate_read(struct xylem_jsonl__candidate *candidate, struct xylem_jsonl__import *import,
                                uint32_t row, bool ahead, struct xylem_error *err);
/* Remembers the row as placed last. The next row is mostly a child. */
void xylem_jsonl__candidate_placed(struct xylem_jsonl__progress *progress,
                                   const struct xylem_jsonl__candidate *candidate, struct xylem_position position);
/* Reports a problem of the candidate. The line does not go to quarantine. */
int xylem_jsonl__candidate_report(struct xylem_jsonl__import *import, const struct xylem_jsonl__candidate *candidate,
                                  enum xylem_import_problem_type type, struct xylem_error *err);
/* Releases the memory of a long line. All views of the line die. */
void xylem_jsonl__candidate_trim(struct xylem_jsonl__import *import);
/* Fails, since a line differs from the line of the first pass. */
int xylem_jsonl__fail_changed(const struct xylem_jsonl__file *file, struct xylem_error *err);

#endif
