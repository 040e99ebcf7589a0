/* Who has a file open: for errors that say why something must wait. */
#ifndef XYLEM_BASE_HOLDERS_H
#define XYLEM_BASE_HOLDERS_H

#include <stdbool.h>
#include <sys/stat.h>

/* Room for the text: some processes with the names of their programs. */
#define XYLEM_BASE__HOLDERS_BYTES 320u

/*
 * Names the processes that have the file open or hold a lock on it, but for the descriptor `except` of this one (-1:
 * none): `this process, process 12 (sh), and 3 more`. What other users' processes have open the system may hide: then
 * the text says that they cannot be seen.
 */
void xylem_base__holders(char text[XYLEM_BASE__HOLDERS_BYTES], const struct stat *file, int except);

/* The same for one process: `this process`, `process 12 (sh)`, `process 12` if the system hides its name. 0: not known. */
void xylem_base__process_name(char text[XYLEM_BASE__HOLDERS_BYTES], long process);

/* Has this process the file open, under any descriptor? */
bool xylem_base__held_here(const struct stat *file);

#endif
