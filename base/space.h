/* Why a write found no room: what the system did not say, or said too tersely. */
#ifndef XYLEM_BASE_SPACE_H
#define XYLEM_BASE_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "xylem.h"

/* The bytes for people: `512 B`, `1.2 MiB`. `up`: the digit behind the point is rounded up, else down. */
struct xylem_base__size {
    char text[32];
};
struct xylem_base__size xylem_base__size(uint64_t bytes, bool up);

/*
 * Looks whether a write to the file `fd` (-1: not known) in `directory` failed for want of room, where the system said
 * `errnum`: ENOSPC, EDQUOT, EFBIG, or EIO, as which a short write may be reported. If so it fills `err` with "<what>
 * <directory>: " and which limit it is, and returns NO_SPACE; else it returns 0 and leaves `err` alone.
 */
int xylem_base__space_fail(struct xylem_error *err, int errnum, const char *what, const char *directory, int fd);

#endif
