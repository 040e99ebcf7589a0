/* The messages of a child process: child_say.c sends the messages, child.c receives them. */
#ifndef XYLEM_CLI_STORE_CHILD_H
#define XYLEM_CLI_STORE_CHILD_H

#include "cli/store/store.h"

#define XYLEM_CLI__CHILD_RESULT '\0' /* type of the last message, which is not the task's: the result, with an error */
#define XYLEM_CLI__CHILD_NOTE '\1'   /* type of a text that the parent prints as a note, for any task */

struct xylem_cli__child_header {
    uint32_t bytes;
    char type;
};

/* In the child: messages go to this descriptor. */
void xylem_cli__child_speaks_to(int fd);

#endif
