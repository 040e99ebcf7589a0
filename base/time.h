/* Converts times: milliseconds since 1970-01-01 UTC, and the form of JavaScript's toISOString(). */
#ifndef XYLEM_BASE_TIME_H
#define XYLEM_BASE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "xylem/base.h"

#define XYLEM_BASE__ISO_BYTES 32u

/*
 * Writes `YYYY-MM-DDTHH:MM:SS.mmmZ` (or `±YYYYYY-...` outside of the years 0 to 9999) and a NUL; gives the length
 * without the NUL. A time outside of the range of JavaScript's Date (±8.64e15 ms) becomes the nearest bound.
 */
size_t xylem_base__time_write(char out[XYLEM_BASE__ISO_BYTES], int64_t time_ms);

/*
 * Reads the forms of xylem_base__time_write(). The fraction of a second may have any number of digits (digits after the
 * third are cut off) or be absent, and an offset `±HH:MM` may replace `Z`. False for any other text, also for an
 * impossible day.
 */
bool xylem_base__time_read(int64_t *time_ms, struct xylem_view text);

#endif
