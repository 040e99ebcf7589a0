/* Lines of session files, whole or damaged, and the entries that they name. */
#ifndef XYLEM_FORMAT_LINE_NAMES_H
#define XYLEM_FORMAT_LINE_NAMES_H

#include "base/value.h"
#include "xylem.h"

/*
 * Is the line the entry of one of these ids: 1 or 0? If it is no JSON object with an id, it is enough that it has one of
 * them in it, in quotes. `tree` is memory that is used again.
 */
int xylem_format__line_names(struct xylem_base__tree *tree, struct xylem_view line, const struct xylem_view *ids,
                             size_t id_count, struct xylem_error *err);

#endif
