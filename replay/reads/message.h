/* Writes the messages for the model. */
#ifndef XYLEM_READS_MESSAGE_H
#define XYLEM_READS_MESSAGE_H

#include "xylem/reads.h"

/* Appends the message of a verdict that blocks. `problem` is the reason of an unreadable file, or empty. MEMORY. */
int xylem_reads__add_message(struct xylem_buffer *message, enum xylem_reads_why why, struct xylem_view path,
                             struct xylem_view problem);

#endif
