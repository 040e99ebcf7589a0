/* Finds the session that a header names as its parent: the source of a fork. */
#ifndef XYLEM_JSONL_PARENT_SESSION_H
#define XYLEM_JSONL_PARENT_SESSION_H

#include "xylem/base.h"

/*
 * Finds the session that `text`, the `parentSession` of the file at `path` (absolute), means: 1, or 0 if there is none.
 * Three ids are tried, in this order:
 *
 * 1. the id in a file name `<time>_<id>.jsonl`
 * 2. the whole text
 * 3. the id in the header of the file that the text names, from the directory of `path` on (NULL: no file is read)
 *
 * `knows` answers for an id: 1 if the session exists, 0, or a negative code. `id` becomes the found id, or else the
 * first id that was tried, or empty if the text yields no id.
 */
int xylem_jsonl__parent_session(struct xylem_buffer *id, struct xylem_view text, const char *path,
                                int (*knows)(void *context, struct xylem_view id, struct xylem_error *err),
                                void *context, struct xylem_error *err);

#endif
