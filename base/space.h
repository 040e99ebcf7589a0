/* Finds the limit that a write without room ran into. */
#ifndef XYLEM_BASE_SPACE_H
#define XYLEM_BASE_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "xylem/base.h"

/* A number of bytes for people: `512 B`, `1.2 MiB`. `up`: rounds the last digit up, else down. */
struct xylem_base__size {
    char text[32];
};
struct xylem_base__size xylem_base__size(uint64_t bytes, bool up);

/*
 * Checks whether a write to the file `fd` (-1: not known) in `directory` failed because there was no room:
 *
 *     ENOSPC, EDQUOT, EFBIG    yes
 *     EIO                      a short write may be reported as EIO: yes if a limit explains the short write
 *     any other `errnum`       no
 *
 * Yes: fills `err` with "<what> <directory>: <the limit>", and returns NO_SPACE. No: returns 0, and leaves `err`
 * unchanged.
 */
int xylem_base__space_fail(struct xylem_error *err, int errnum, const char *what, const char *directory, int fd);

#endif
