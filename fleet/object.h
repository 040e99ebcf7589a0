/*
 * The files of an archive (directory.h). Whoever writes into the directory or the bucket chooses their bytes, so each
 * file proves itself:
 *
 *     "xylfleet"   version   type   bytes           content   sum
 *     8 bytes      u32 (1)   u32    u64, of the               u64, XXH3-64 of
 *                                   whole file                all bytes before
 *
 *     content      u64 freed | u64 from | u64 to | u64 chain | u64 generation | u64 epoch | id | host | about | frame
 *     1 marker     the id of the archive, 16 bytes, drawn when it was made
 *     2 row        of a session: the next ordinal as `to`, the chain before, and what lists show
 *     3 segment    of a session: the changes [from, to), the chain behind, and the segment as a zstd frame (frame.h)
 *
 * Numbers are little-endian; id, host, about and frame are a u32 length, and as many bytes. What a type lacks is 0 or
 * empty. The remains of a freed session are a segment whose `from`, `to` and chain are 0. The sum finds accidents;
 * whoever forges a file can also make the sum.
 */
#ifndef FLEET_OBJECT_H
#define FLEET_OBJECT_H

#include "fleet/engine.h"

#define FLEET_OBJECT_VERSION 1u

enum fleet_object_type { FLEET_OBJECT_MARKER = 1, FLEET_OBJECT_ROW = 2, FLEET_OBJECT_SEGMENT = 3 };

/* Views live as long as the bytes of the file. */
struct fleet_object {
    enum fleet_object_type type;
    uint64_t freed; /* 0 or 1 */
    uint64_t from;
    uint64_t to;
    uint64_t chain;
    uint64_t generation;
    uint64_t epoch;
    struct xylem_view id;
    struct xylem_view host;
    struct xylem_view about; /* empty: none */
    struct xylem_view frame;
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
