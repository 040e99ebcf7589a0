/* The two ways to read a JSON text. json.c tries the walk first; what the walk leaves, yajl decides. */
#ifndef XYLEM_BASE_JSON_WALK_H
#define XYLEM_BASE_JSON_WALK_H

#include "base/value.h"

/*
 * Reads a well-formed text in one pass into `tree`, which is cleared first. Values inside of more than `node_levels`
 * open containers have no nodes. 1; 0 for any other text, and for more than 64 open containers: yajl decides, and the
 * tree is empty; or MEMORY.
 */
int xylem_base__json_walk(struct xylem_base__tree *tree, struct xylem_view text, size_t node_levels,
                          struct xylem_error *err);

/*
 * The same with yajl, for every text: 0, MALFORMED, LIMIT or MEMORY. With few levels of nodes, white space that is
 * none in JSON and too many values are overlooked.
 */
int xylem_base__json_judge(struct xylem_base__tree *tree, struct xylem_view text, size_t node_levels,
                           struct xylem_error *err);

#endif
