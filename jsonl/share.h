/* What a new session shares with the one that it was forked from, its source. */
#ifndef XYLEM_JSONL_SHARE_H
#define XYLEM_JSONL_SHARE_H

#include "jsonl/import.h"

/* Finds out which session the header names as the source. Other files may be read for it: no transaction is open. */
int xylem_jsonl__find_source(struct xylem_jsonl__import *import, struct xylem_error *err);

/*
 * Deals with the rows that the file begins with and that the source has: sets `base` and `tree` of the session that is
 * about to be added, and the cursor behind these rows.
 */
int xylem_jsonl__share(struct xylem_session *session, struct xylem_jsonl__import *import, struct xylem_error *err);

#endif
