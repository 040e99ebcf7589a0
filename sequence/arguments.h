/* Finds placeholders. */
#ifndef XYLEM_SEQUENCE_ARGUMENTS_H
#define XYLEM_SEQUENCE_ARGUMENTS_H

#include "xylem/sequence.h"

/* The part of a step in which arguments are put: a prompt, or the text behind the name of a slash step. */
struct xylem_view xylem_sequence__place_of_args(const struct xylem_step *step);

/* True if the text has a `$N` for an argument that `arg_count` arguments do not have. `$0` is never an argument. */
bool xylem_sequence__lacks_argument(struct xylem_view text, size_t arg_count);

#endif
