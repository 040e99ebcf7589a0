/* The limits of a list of steps. */
#ifndef XYLEM_SEQUENCE_SNAPSHOT_H
#define XYLEM_SEQUENCE_SNAPSHOT_H

#include "xylem.h"

/* LIMIT if there are too many steps, a step is too long, or all steps together are. */
int xylem_sequence__check_limits(const struct xylem_view *steps, size_t step_count, struct xylem_error *err);

#endif
