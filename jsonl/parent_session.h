/* The session that a header names as its parent: the source of a fork. */
#ifndef XYLEM_JSONL_PARENT_SESSION_H
#define XYLEM_JSONL_PARENT_SESSION_H

#include "xylem.h"

/*
 * Finds which session `text`, the `parentSession` of the file at `path` (absolute), means: 1, or 0 if there is none.
 * `knows` answers whether there is a session of an id: 1, 0 or a negative code. `id` is replaced by the id that was
 * found, else by the first that was asked for; it is empty if there was none to ask for.
 */
int xylem_jsonl__parent_session(struct xylem_buffer *id, struct xylem_view text, const char *path,
                                int (*knows)(void *context, struct xylem_view id, struct xylem_error *err),
                                void *context, struct xylem_error *err);

#endif
