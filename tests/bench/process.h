/* Whole processes, as a shell starts them. */
#ifndef XYLEM_BENCH_PROCESS_H
#define XYLEM_BENCH_PROCESS_H

#include <stddef.h>

/*
 * Runs the command, looked for in $PATH if it has no slash, and reads what it writes through a pipe. Ends the bench if
 * the command fails. Keeps what fits of the output in `output`, ended by NUL, unless that is NULL.
 */
void bench_command(char *const *words, char *output, size_t output_bytes);

#endif
