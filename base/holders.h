/* Who has a file open: for errors that say why something must wait. */
#ifndef XYLEM_BASE_HOLDERS_H
#define XYLEM_BASE_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Room for the text: some processes with the names of their programs. */
#define XYLEM_BASE__HOLDERS_BYTES 320u

/*
 * Names the processes that have the file open or hold a lock on it, but for the descriptor `except` of this one (-1:
 * none): `this process, process 12 (sh), and 3 more`. What other users' processes have open the system may hide: then
 * the text says that they cannot be seen.
 */
void xylem_base__holders(char text[XYLEM_BASE__HOLDERS_BYTES], const struct stat *file, int except);

/* Room for a program's name: the kernel keeps 15 bytes. */
#define XYLEM_BASE__PROGRAM_BYTES 17u

/* A process with one of the files open, or with a lock on one of the files. */
struct xylem_base__holder {
    long process;
    char program[XYLEM_BASE__PROGRAM_BYTES]; /* empty: not known */
    int64_t started_ms;                      /* when the process began; 0: not known */
    bool seen;                               /* false: the descriptors are hidden, only a lock can be seen */
    bool writes;                             /* the first of the files is open for writing */
};

/*
 * Calls `found` for each such process, by ascending number; `except` as below. Returns the first answer of `found` other
 * than 0, else 0.
 */
int xylem_base__holders_each(const struct stat *files, size_t file_count, int except,
                             int (*found)(void *context, const struct xylem_base__holder *holder), void *context);

/* The same for one process: `this process`, `process 12 (sh)`, `process 12` if the system hides its name. 0: not known. */
void xylem_base__process_name(char text[XYLEM_BASE__HOLDERS_BYTES], long process);

/* Has this process the file open, under any descriptor? */
bool xylem_base__held_here(const struct stat *file);

#endif
