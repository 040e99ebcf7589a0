/*
 * The container of a bundle. A bundle is a first line and parts, and can be read from a pipe:
 *
 *     "xylem bundle 1\n"   15 bytes, the only text
 *     part                 any number of parts of types other than 0
 *     part of type 0       the end: a bundle without this part was cut
 *
 *     part:  type  plain bytes  frame bytes  frame                    sum
 *            u32   u64          u64          one frame of zstd         u64     little-endian
 *
 * The sum is XXH3-64 of all bytes of the part before the sum, seeded with the sum of the part before; the seed of the
 * first part is XXH3-64 of the first line. So each part proves all parts before: a part that is damaged, exchanged,
 * doubled or left out is found there, and what was read before holds. The sum finds accidents; whoever forges a bundle
 * can also make the sums.
 *
 * Only container.c includes zstd.h.
 */
#ifndef XYLEM_CLI_BUNDLE_CONTAINER_H
#define XYLEM_CLI_BUNDLE_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xylem/base.h"

#define XYLEM_CLI__BUNDLE_FIRST_LINE "xylem bundle 1\n"
#define XYLEM_CLI__PART_PLAIN_BYTES_MAX 671088640u /* 640 MiB: a payload and a line of 256 MiB each fit */
#define XYLEM_CLI__PART_FRAME_BYTES_MAX 673710080u /* zstd makes at most so many bytes of 640 MiB */
#define XYLEM_CLI__PART_WINDOW_LOG 23u             /* a frame looks back 8 MiB at most */
#define XYLEM_CLI__PART_END 0u                     /* the type of the last part, which has no frame */

/* --- Writing ------------------------------------------------------------------------------------------------------ */

struct xylem_cli__bundle_writer {
    int (*write)(void *context, const void *data, size_t bytes); /* as of xylem_export() */
    void *context;
    struct ZSTD_CCtx_s *compressor;
    uint64_t sum; /* of the part before */
    struct xylem_buffer part;
};

/* Writes the first line. `write` gets each part in one piece. Always release the writer. Errors: STOPPED, MEMORY. */
int xylem_cli__bundle_begin(struct xylem_cli__bundle_writer *writer,
                            int (*write)(void *context, const void *data, size_t bytes), void *context,
                            struct xylem_error *err);
/*
 * Writes a part; `type` is not XYLEM_CLI__PART_END.
 *
 * Errors, also of the end; after STOPPED the bundle cannot be continued:
 * - STOPPED: `write` answered anything but 0
 * - LIMIT: the part is too large; nothing was written
 * - MEMORY: nothing was written
 */
int xylem_cli__bundle_put(struct xylem_cli__bundle_writer *writer, uint32_t type, struct xylem_view plain,
                          struct xylem_error *err);
/* Writes the part that ends the bundle. */
int xylem_cli__bundle_end(struct xylem_cli__bundle_writer *writer, struct xylem_error *err);
/* Frees the memory; a zeroed writer is allowed. */
void xylem_cli__bundle_release(struct xylem_cli__bundle_writer *writer);

/* --- Reading ------------------------------------------------------------------------------------------------------ */

struct xylem_cli__bundle_reader {
    int fd;
    const char *name; /* for error texts */
    struct ZSTD_DCtx_s *decompressor;
    uint64_t sum;        /* of the part before */
    uint64_t part_count; /* parts given so far */
    bool ended;
    struct xylem_buffer part;
    struct xylem_buffer plain;
};

struct xylem_cli__part {
    uint32_t type;
    uint64_t number;         /* the first part is 1 */
    struct xylem_view plain; /* valid until the next call for the reader */
};

/*
 * Reads the first line. `fd` and `name` ("-": standard input) must live as long as the reader, and the caller closes
 * `fd`. Always close the reader.
 *
 * Errors:
 * - MALFORMED: no bundle
 * - TOO_NEW: a bundle of a newer xylem
 * - IO, MEMORY
 */
int xylem_cli__bundle_open(struct xylem_cli__bundle_reader *reader, int fd, const char *name, struct xylem_error *err);
/*
 * Gives the next part: 1, or 0 at the end. Memory grows with the bytes that arrive, whatever sizes a part states. After
 * an error the parts that were given hold, and the reader can only be closed.
 *
 * Errors:
 * - CORRUPT: a part is damaged, exchanged, doubled or missing, the bundle was cut, or bytes stand behind the end
 * - LIMIT: a part states more bytes than are allowed, or its frame a larger window
 * - MALFORMED: the sum of a part holds, but the part was not made by the rules above
 * - IO, MEMORY
 */
int xylem_cli__bundle_next(struct xylem_cli__part *part, struct xylem_cli__bundle_reader *reader,
                           struct xylem_error *err);
/* Frees the memory; a zeroed reader is allowed. */
void xylem_cli__bundle_close(struct xylem_cli__bundle_reader *reader);

#endif
