/* Tells whether a line of a session file, whole or damaged, names an entry. */
#ifndef XYLEM_FORMAT_LINE_NAMES_H
#define XYLEM_FORMAT_LINE_NAMES_H

#include "base/value.h"

/*
 * 1 if the line is the entry of one of the ids, else 0:
 *
 *     a JSON object with a string as `id`    compare the id
 *     any other line                         search for one of the ids in quotes
 *
 * `tree` is memory for reuse.
 */
int xylem_format__line_names(struct xylem_base__tree *tree, struct xylem_view line, const struct xylem_view *ids,
                             size_t id_count, struct xylem_error *err);

#endif
