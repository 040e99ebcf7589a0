/*
 * jsonl/ imports and exports session files. An import places each line in the tree of its session; an export writes the
 * same bytes. A line without a place in the tree goes to quarantine: nothing is skipped silently.
 * jsonl/ writes no rows itself (store/ does), and does not interpret state.
 * Begin reading at import.h (the parts of an import) and import.c (its steps), then place.c (the place of a line) and
 * export.c.
 * Other rooms may include: lines.h patterns.h
 */
#ifndef XYLEM_JSONL_JSONL_H
#define XYLEM_JSONL_JSONL_H

#endif
