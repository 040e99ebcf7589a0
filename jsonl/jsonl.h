/*
 * jsonl/ brings session files in and out. An import places each line in the tree of its session; an export gives the
 * same bytes back. A line without a place in the tree goes to quarantine: nothing is skipped silently.
 * The room writes no rows itself (store/ does), and does not interpret state.
 * Begin reading at import.c (the steps of an import), then place.c (the place of a line) and export.c.
 * Other rooms may include: nothing; xylem.h has the calls.
 */
#ifndef XYLEM_JSONL_JSONL_H
#define XYLEM_JSONL_JSONL_H

#endif
