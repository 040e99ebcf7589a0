/*
 * Declares the search for entries that a new session shares with its source, the session from which the new session was
 * forked.
 */
#ifndef XYLEM_JSONL_SHARE_H
#define XYLEM_JSONL_SHARE_H

#include "jsonl/import.h"

/* Finds the source that the header names. May read other files, so the caller has no transaction open. */
int xylem_jsonl__find_source(struct xylem_jsonl__import *import, struct xylem_error *err);

/*
 * Shares the first rows of the file, up to the first row that the source does not have. Sets `base` and `tree` of the
 * new session, and the cursor behind the shared rows. The session is added afterwards.
 */
int xylem_jsonl__share(struct xylem_session *session, struct xylem_jsonl__import *import, struct xylem_error *err);

#endif
