/* What a new session shares with the one that it was forked from. */
#ifndef XYLEM_JSONL_SHARE_H
#define XYLEM_JSONL_SHARE_H

#include "jsonl/import.h"

/*
 * Finds the source that the header names and what the file begins with of it: sets the `base` and `tree` of a session
 * that is about to be added, the rows that are shared, and what the report says of the source.
 */
int xylem_jsonl__share(struct xylem_session *session, struct xylem_jsonl__import *import, struct xylem_error *err);

/* Finds the rows that are shared again: the path of the base's row, for a session that exists. */
int xylem_jsonl__share_again(struct xylem_jsonl__import *import, const struct xylem_session *session,
                             struct xylem_error *err);

#endif
