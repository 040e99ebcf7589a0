/* Reads the clock and random bytes, and makes ids from both. */
#ifndef XYLEM_BASE_CLOCK_H
#define XYLEM_BASE_CLOCK_H

#include <stdint.h>

#include "xylem/base.h"

#define XYLEM_BASE__UUID_BYTES 16u
#define XYLEM_BASE__UUID_TEXT_BYTES 36u

/* The time now. */
int64_t xylem_base__now_ms(void);

/* Milliseconds of a clock that nobody sets. */
int64_t xylem_base__steady_ms(void);

/* Random bytes from the system. */
int xylem_base__random(void *out, size_t bytes, struct xylem_error *err);

/* Writes the two halves of a UUID as text. */
void xylem_base__uuid_write(char out[XYLEM_BASE__UUID_TEXT_BYTES], uint64_t high, uint64_t low);
/* The same of the 16 bytes of a UUID, with a NUL. */
void xylem_base__uuid_show(char out[XYLEM_BASE__UUID_TEXT_BYTES + 1], const unsigned char uuid[16]);
/* True for the text of a UUID with these digits, such as `0198d2f4-7c11-7a02-9d6e-3b5c8f21a4e7`. */
bool xylem_base__is_uuid(struct xylem_view text, const char *digits);

/*
 * Makes a UUID of version 7 (RFC 9562). UUIDs are ordered by time, and ascend strictly within one process. Any thread.
 */
int xylem_base__uuid_v7(char out[XYLEM_BASE__UUID_TEXT_BYTES], struct xylem_error *err);

#endif
