/*
 * A segment as an engine keeps it: one frame of zstd with a sum. Only frame.c includes zstd.h.
 */
#ifndef FLEET_FRAME_H
#define FLEET_FRAME_H

#include "xylem/base.h"

#define FLEET_FRAME_PLAIN_BYTES_MAX 671088640u /* 640 MiB: a payload and a line of 256 MiB each fit */
#define FLEET_FRAME_BYTES_MAX 673710080u       /* zstd makes at most so many bytes of 640 MiB */
#define FLEET_FRAME_WINDOW_LOG 23u             /* a frame looks back 8 MiB at most */

/*
 * Appends the frame of a segment. Memory is made with the first frame and kept for the next ones, because making it takes
 * longer than a small frame: begin with NULL, and free with fleet_frame_forget(); NULL is allowed.
 *
 * Errors:
 * - LIMIT: the segment is too large
 * - MEMORY
 */
struct ZSTD_CCtx_s;
int fleet_frame_pack_more(struct ZSTD_CCtx_s **kept, struct xylem_buffer *frame, struct xylem_view segment,
                          struct xylem_error *err);
void fleet_frame_forget(struct ZSTD_CCtx_s *kept);
/*
 * Appends what a frame holds. The bytes may be a stranger's. With an error the buffer is as before.
 *
 * Errors:
 * - MALFORMED: not one whole frame
 * - CORRUPT: the sum is wrong
 * - LIMIT: the frame holds more than a segment can have, or wants too much memory
 * - MEMORY
 */
int fleet_frame_expand(struct xylem_buffer *segment, struct xylem_view frame, struct xylem_error *err);
/* Names the bytes of a frame: XXH3-64. */
uint64_t fleet_frame_sum(struct xylem_view frame);

#endif
