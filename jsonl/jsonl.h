/*
 * jsonl/ brings session files in and out: an import places each line in the tree, an export gives the same bytes back.
 * A line that cannot be placed is kept in quarantine: nothing is skipped silently.
 * It does not write rows itself (store/ does), and it does not interpret state.
 * Begin reading at import.c (the steps of an import), then place.c (where a line belongs) and export.c.
 * Other rooms may include: nothing; xylem.h has the calls.
 */
#ifndef XYLEM_JSONL_JSONL_H
#define XYLEM_JSONL_JSONL_H

#endif
