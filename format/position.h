/* Compares positions in the log. */
#ifndef XYLEM_FORMAT_POSITION_H
#define XYLEM_FORMAT_POSITION_H

#include <stdbool.h>

#include "xylem.h"

static inline bool xylem_format__position_equal(struct xylem_position a, struct xylem_position b)
{
    return a.branch == b.branch && a.depth == b.depth;
}

static inline bool xylem_format__position_none(struct xylem_position position)
{
    return position.branch == 0 && position.depth == 0;
}

#endif
