/* Finds the processes that have a file open, for messages of BUSY. */
#ifndef XYLEM_BASE_HOLDERS_H
#define XYLEM_BASE_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Room for the text: some processes with the names of the programs. */
#define XYLEM_BASE__HOLDERS_BYTES 320u

/*
 * Names the processes that have the file open, or a lock on the file: `this process, process 12 (sh), and 3 more`. The
 * descriptor `except` of this process (-1: none) does not count. The system may hide other users' descriptors: then the
 * text says so.
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
 * Calls `found` for each process that has one of the files open, by ascending number; `except` as above. Returns the
 * first answer of `found` other than 0, else 0.
 */
int xylem_base__holders_each(const struct stat *files, size_t file_count, int except,
                             int (*found)(void *context, const struct xylem_base__holder *holder), void *context);

/* The process with the exclusive lock of flock(2) on the file; 0: none, or not known. */
long xylem_base__flock_holder(const struct stat *file);

/*
 * Names one process: `this process`, `process 12 (sh)`, or `process 12` without a known program. 0: `another process`.
 */
void xylem_base__process_name(char text[XYLEM_BASE__HOLDERS_BYTES], long process);

/* True if this process has the file open, under any descriptor. */
bool xylem_base__held_here(const struct stat *file);

#endif
