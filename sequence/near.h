/* Compares names that are spelt alike. Pure. */
#ifndef XYLEM_SEQUENCE_NEAR_H
#define XYLEM_SEQUENCE_NEAR_H

#include "xylem/base.h"

#define XYLEM_SEQUENCE__EDITS_MAX 2u

/*
 * The number of edits between two names, in bytes: a byte more, a byte less, another byte, or two neighbours swapped.
 * XYLEM_SEQUENCE__EDITS_MAX + 1 stands for any greater number. Names have at most XYLEM_COMMAND_NAME_BYTES_MAX bytes.
 */
size_t xylem_sequence__edits(struct xylem_view a, struct xylem_view b);

#endif
