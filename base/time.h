/* Times of day: milliseconds since 1970-01-01 UTC, and the form that JavaScript's toISOString() gives them. */
#ifndef XYLEM_BASE_TIME_H
#define XYLEM_BASE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "xylem.h"

#define XYLEM_BASE__ISO_BYTES 32u

/*
 * Writes `YYYY-MM-DDTHH:MM:SS.mmmZ` (or `±YYYYYY-...` outside of the years 0 to 9999) and a NUL; gives the length
 * without it. A time outside of what JavaScript's Date holds (±8.64e15 ms) is written as its nearest bound.
 */
size_t xylem_base__time_write(char out[XYLEM_BASE__ISO_BYTES], int64_t time_ms);

/*
 * Reads exactly the forms that xylem_base__time_write() writes, and the same with fewer or more than three digits of a
 * second's fraction (further ones are cut off) or none, or an offset `±HH:MM` in place of `Z`. False for anything else,
 * also for days that no month has.
 */
bool xylem_base__time_read(int64_t *time_ms, struct xylem_view text);

#endif
