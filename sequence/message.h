/* The messages of problems. */
#ifndef XYLEM_SEQUENCE_MESSAGE_H
#define XYLEM_SEQUENCE_MESSAGE_H

#include "sequence/step.h"

/*
 * Appends the message of the problem of a step. `command` decided (NULL: no command did), and `near` is the name to
 * suggest for an unknown name, or empty. 0 or XYLEM_E_MEMORY.
 */
int xylem_sequence__add_message(struct xylem_buffer *message, const struct xylem_step *step,
                                const struct xylem_sequence__parts *parts, const struct xylem_command *command,
                                struct xylem_view near);

#endif
