/*
 * The files of an archive (directory.h). Whoever writes into the directory or the bucket chooses their bytes, so each
 * file proves itself:
 *
 *     "xylfleet"   version   type   bytes           content   sum
 *     8 bytes      u32 (1)   u32    u64, of the               u64, XXH3-64 of
 *                                   whole file                all bytes before
 *
 *     type         content
 *     1 marker     16 bytes: the id of the archive, drawn when it was made
 *     2 row        u32 flags (1 freed, 2 has about, 4 has head) | u64 epoch | u64 next | u64 chain | u64 generation |
 *                  u64 bytes of all segments as files | i64 when the row was written |
 *                  session | host | about | head, sized each
 *     3 segment    u64 from | u64 to | u64 chain | u64 generation | session, sized | frame, sized: a zstd frame (frame.h)
 *
 * Numbers are little-endian; sized: a u32 length, and as many bytes. The remains of a freed session are a segment whose
 * `from`, `to` and chain are 0. The sum finds accidents; whoever forges a file can also make the sum.
 */
#ifndef FLEET_OBJECT_H
#define FLEET_OBJECT_H

#include "fleet/engine.h"

#define FLEET_OBJECT_VERSION 1u
#define FLEET_HEAD_BYTES_MAX 65536u /* as xylem_head_json() gives */

enum fleet_object_type { FLEET_OBJECT_MARKER = 1, FLEET_OBJECT_ROW = 2, FLEET_OBJECT_SEGMENT = 3 };

/* Views live as long as the bytes of the file. */
struct fleet_object {
    enum fleet_object_type type;
    unsigned char id[16];      /* MARKER */
    struct fleet_row row;      /* ROW */
    int64_t written_ms;        /* ROW */
    struct fleet_piece piece;  /* SEGMENT; `body` is the frame */
    struct xylem_view session; /* SEGMENT */
};

/* Appends the bytes of the file. MEMORY. */
int fleet_object_write(struct xylem_buffer *out, const struct fleet_object *object, struct xylem_error *err);
/*
 * Reads a file of the type.
 *
 * Errors:
 * - MALFORMED: no file of an archive, or of another type, or a field that no archive writes
 * - TOO_NEW: of a later version
 * - CORRUPT: cut, or the sum is wrong
 */
int fleet_object_read(struct fleet_object *object, enum fleet_object_type type, struct xylem_view bytes,
                      struct xylem_error *err);

#endif
