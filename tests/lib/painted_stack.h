/* Measures how much of a thread's stack a job takes. docs/embedding.md tells hosts what to give a thread. */
#ifndef XYLEM_TESTS_LIB_PAINTED_STACK_H
#define XYLEM_TESTS_LIB_PAINTED_STACK_H

#include <stddef.h>

#define STACK_TAKEN_BYTES_MAX (48u * 1024u) /* 64 KiB are documented: some are left for the thread itself */

/*
 * Runs the job in a thread with a painted stack, and gives how much of the paint is gone. A sanitizer puts guards
 * around variables on the stack: 0 in a program with a sanitizer. No assertion may fail in the job.
 */
size_t painted_stack_taken(void *(*job)(void *context), void *context);

#endif
