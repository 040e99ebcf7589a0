/* A line of the file, read as the entry that it may become. */
#ifndef XYLEM_JSONL_CANDIDATE_H
#define XYLEM_JSONL_CANDIDATE_H

#include "jsonl/import.h"

/* Views live until the next line is read. */
struct xylem_jsonl__candidate {
    uint32_t row;
    bool ahead; /* before its turn in the file */
    struct xylem_jsonl__entry entry;
    struct xylem_view text; /* the line in format 3 */
    uint32_t parent_row;    /* or XYLEM_JSONL__NO_ROW: it becomes a root */
    bool orphan;            /* it names a parent that no line has */
};

/* Reads the line of a row that has no problem as an entry of format 3, but for its payload, and finds its parent. */
int xylem_jsonl__candidate_read(struct xylem_jsonl__candidate *candidate, struct xylem_jsonl__import *import,
                                uint32_t row, bool ahead, struct xylem_error *err);
/* Keeps the row as the one that was placed last, for children that follow at once. */
void xylem_jsonl__candidate_placed(struct xylem_jsonl__import *import, const struct xylem_jsonl__candidate *candidate,
                                   struct xylem_position position);
/* Reports a line that was matched with a redacted entry; nothing if `entry` is none. */
int xylem_jsonl__report_redacted(struct xylem_jsonl__import *import, const struct xylem_jsonl__candidate *candidate,
                                 const struct xylem_entry *entry, struct xylem_error *err);
/* Gives back what one long line took; nothing of it is looked at any more. */
void xylem_jsonl__candidate_trim(struct xylem_jsonl__import *import);
/* Fails: a line is not what it was when the file was read first. */
int xylem_jsonl__fail_changed(const struct xylem_jsonl__file *file, struct xylem_error *err);

#endif
