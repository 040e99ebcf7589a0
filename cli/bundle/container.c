#include "cli/bundle/container.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"

#define FIRST_LINE XYLEM_CLI__BUNDLE_FIRST_LINE
#define FIRST_LINE_BYTES (sizeof FIRST_LINE - 1)
#define NAME_BYTES (FIRST_LINE_BYTES - 2) /* of the first line, before the digits of the version */
#define HEADER_BYTES 20u
#define SUM_BYTES 8u
#define STEP_BYTES 1048576u /* memory is taken for so many bytes at a time */
#define LEVEL 9             /* docs/decisions/0023-bundles.md has the figures */

_Static_assert(XYLEM_CLI__PART_FRAME_BYTES_MAX == ZSTD_COMPRESSBOUND(XYLEM_CLI__PART_PLAIN_BYTES_MAX),
               "the largest part does not fit the largest frame");

static uint64_t sum_of_first_line(void)
{
    return XXH3_64bits(FIRST_LINE, FIRST_LINE_BYTES);
}

static size_t smaller(uint64_t a, size_t b)
{
    return a < b ? (size_t)a : b;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

static int push(struct xylem_cli__bundle_writer *writer, const void *data, size_t bytes, struct xylem_error *err)
{
    return writer->write(writer->context, data, bytes) == 0
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_STOPPED, "the bundle was stopped by the caller");
}

int xylem_cli__bundle_begin(struct xylem_cli__bundle_writer *writer,
                            int (*write)(void *context, const void *data, size_t bytes), void *context,
                            struct xylem_error *err)
{
    *writer = (struct xylem_cli__bundle_writer){.write = write, .context = context, .compressor = ZSTD_createCCtx()};
    if (!writer->compressor) {
        return xylem_base__fail_memory(err);
    }
    ZSTD_CCtx_setParameter(writer->compressor, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(writer->compressor, ZSTD_c_windowLog, (int)XYLEM_CLI__PART_WINDOW_LOG);
    writer->sum = sum_of_first_line();
    return push(writer, FIRST_LINE, FIRST_LINE_BYTES, err);
}

/* Writes `writer->part`: the frame is there, the header and the sum have their room. */
static int put_part(struct xylem_cli__bundle_writer *writer, uint32_t type, size_t plain_bytes, size_t frame_bytes,
                    struct xylem_error *err)
{
    unsigned char *part = (unsigned char *)writer->part.data;
    size_t bytes = HEADER_BYTES + frame_bytes;
    xylem_base__put_u32(part, type);
    xylem_base__put_u64(part + 4, plain_bytes);
    xylem_base__put_u64(part + 12, frame_bytes);
    writer->sum = XXH3_64bits_withSeed(part, bytes, writer->sum);
    xylem_base__put_u64(part + bytes, writer->sum);
    return push(writer, part, bytes + SUM_BYTES, err);
}

int xylem_cli__bundle_put(struct xylem_cli__bundle_writer *writer, uint32_t type, struct xylem_view plain,
                          struct xylem_error *err)
{
    assert(type != XYLEM_CLI__PART_END);
    if (plain.bytes > XYLEM_CLI__PART_PLAIN_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a part of a bundle has at most %u bytes, and this has %zu",
                                XYLEM_CLI__PART_PLAIN_BYTES_MAX, plain.bytes);
    }
    size_t bound = ZSTD_compressBound(plain.bytes);
    if (xylem_base__buffer_reserve(&writer->part, HEADER_BYTES + bound + SUM_BYTES) < 0) {
        return xylem_base__fail_memory(err);
    }
    size_t frame_bytes =
        ZSTD_compress2(writer->compressor, writer->part.data + HEADER_BYTES, bound, plain.data, plain.bytes);
    if (ZSTD_isError(frame_bytes)) { /* the parameters are valid and the room is enough */
        return xylem_base__fail_memory(err);
    }
    return put_part(writer, type, plain.bytes, frame_bytes, err);
}

int xylem_cli__bundle_end(struct xylem_cli__bundle_writer *writer, struct xylem_error *err)
{
    if (xylem_base__buffer_reserve(&writer->part, HEADER_BYTES + SUM_BYTES) < 0) {
        return xylem_base__fail_memory(err);
    }
    return put_part(writer, XYLEM_CLI__PART_END, 0, 0, err);
}

void xylem_cli__bundle_release(struct xylem_cli__bundle_writer *writer)
{
    ZSTD_freeCCtx(writer->compressor);
    xylem_buffer_release(&writer->part);
    memset(writer, 0, sizeof *writer);
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

/* Fails at the part that comes next, and says what stands before. */
__attribute__((format(printf, 4, 5))) static int fail_part(const struct xylem_cli__bundle_reader *reader, int code,
                                                           struct xylem_error *err, const char *format, ...)
{
    char why[256];
    char before[64] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    if (reader->part_count > 0) {
        snprintf(before, sizeof before, "; the %" PRIu64 " before %s", reader->part_count,
                 reader->part_count == 1 ? "holds" : "hold");
    }
    return xylem_base__fail(err, code, "%s: part %" PRIu64 ": %s%s", reader->name, reader->part_count + 1, why, before);
}

/* Reads `bytes` more bytes into `reader->part`, or fewer where the file ends. */
static int read_more(struct xylem_cli__bundle_reader *reader, size_t bytes, struct xylem_error *err)
{
    struct xylem_buffer *part = &reader->part;
    while (bytes > 0) {
        size_t step = smaller(bytes, STEP_BYTES);
        if (xylem_base__buffer_reserve(part, step) < 0) {
            return xylem_base__fail_memory(err);
        }
        ssize_t count = read(reader->fd, part->data + part->bytes, step);
        if (count < 0 && errno != EINTR) {
            return xylem_base__fail_errno(err, errno, "cannot read", reader->name);
        }
        if (count == 0) {
            break;
        }
        part->bytes += count < 0 ? 0 : (size_t)count;
        part->data[part->bytes] = '\0';
        bytes -= count < 0 ? 0 : (size_t)count;
    }
    return XYLEM_OK;
}

/* The same, and it is an error if the file ends before. */
static int read_whole(struct xylem_cli__bundle_reader *reader, size_t bytes, struct xylem_error *err)
{
    size_t wanted = reader->part.bytes + bytes;
    int code = read_more(reader, bytes, err);
    if (code == XYLEM_OK && reader->part.bytes < wanted) {
        return fail_part(
            reader, XYLEM_E_CORRUPT, err,
            "expected at least %zu bytes, found the end after %zu: the bundle was cut, or the part is damaged", wanted,
            reader->part.bytes);
    }
    return code;
}

/* True for the first line of a later version. */
static bool is_newer(const char line[FIRST_LINE_BYTES])
{
    const char *digit = line + NAME_BYTES;
    return memcmp(line, FIRST_LINE, NAME_BYTES) == 0 && digit[0] >= '1' && digit[0] <= '9' &&
           (digit[1] == '\n' || (digit[1] >= '0' && digit[1] <= '9'));
}

int xylem_cli__bundle_open(struct xylem_cli__bundle_reader *reader, int fd, const char *name, struct xylem_error *err)
{
    *reader = (struct xylem_cli__bundle_reader){.fd = fd,
                                                .name = strcmp(name, "-") == 0 ? "standard input" : name,
                                                .decompressor = ZSTD_createDCtx(),
                                                .sum = sum_of_first_line()};
    if (!reader->decompressor) {
        return xylem_base__fail_memory(err);
    }
    ZSTD_DCtx_setParameter(reader->decompressor, ZSTD_d_windowLogMax, (int)XYLEM_CLI__PART_WINDOW_LOG);
    int code = read_more(reader, FIRST_LINE_BYTES, err);
    struct xylem_view line = xylem_base__buffer_view(&reader->part);
    bool whole = line.bytes == FIRST_LINE_BYTES;
    if (code < 0 || (whole && memcmp(line.data, FIRST_LINE, FIRST_LINE_BYTES) == 0)) {
        return code;
    }
    bool newer = whole && is_newer(line.data);
    const char *what = newer ? "was made by a newer xylem" : line.bytes == 0 ? "is empty" : "is not a bundle";
    line.bytes -= whole && line.data[FIRST_LINE_BYTES - 1] == '\n';
    return xylem_base__fail(err, newer ? XYLEM_E_TOO_NEW : XYLEM_E_MALFORMED,
                            "%s %s: expected the first line \"%.*s\", found \"%.*s\"", reader->name, what,
                            (int)FIRST_LINE_BYTES - 1, FIRST_LINE, XYLEM_BASE__SHOWN(line));
}

struct header {
    uint32_t type;
    uint64_t plain_bytes;
    uint64_t frame_bytes;
};

/* Reads a header, a frame and the sum. Refuses the sizes in the header before memory is taken for them. */
static int read_part(struct header *header, struct xylem_cli__bundle_reader *reader, struct xylem_error *err)
{
    xylem_base__buffer_clear(&reader->part);
    int code = read_whole(reader, HEADER_BYTES, err);
    if (code < 0) {
        return code;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(reader->part.data, HEADER_BYTES);
    header->type = xylem_base__read_u32(&cursor);
    header->plain_bytes = xylem_base__read_u64(&cursor);
    header->frame_bytes = xylem_base__read_u64(&cursor);
    if (header->plain_bytes > XYLEM_CLI__PART_PLAIN_BYTES_MAX ||
        header->frame_bytes > XYLEM_CLI__PART_FRAME_BYTES_MAX) {
        return fail_part(
            reader, XYLEM_E_LIMIT, err, "expected at most %u bytes in a frame of %u, found %" PRIu64 " in %" PRIu64,
            XYLEM_CLI__PART_PLAIN_BYTES_MAX, XYLEM_CLI__PART_FRAME_BYTES_MAX, header->plain_bytes, header->frame_bytes);
    }
    if ((code = read_whole(reader, (size_t)header->frame_bytes + SUM_BYTES, err)) < 0) {
        return code;
    }
    size_t bytes = HEADER_BYTES + (size_t)header->frame_bytes;
    cursor = xylem_base__cursor_of(reader->part.data + bytes, SUM_BYTES);
    uint64_t found = xylem_base__read_u64(&cursor);
    reader->sum = XXH3_64bits_withSeed(reader->part.data, bytes, reader->sum);
    return found == reader->sum ? XYLEM_OK
                                : fail_part(reader, XYLEM_E_CORRUPT, err,
                                            "expected the sum %016" PRIx64 ", found %016" PRIx64
                                            ": the part is damaged, or parts are exchanged or missing",
                                            reader->sum, found);
}

static int fail_frame(const struct xylem_cli__bundle_reader *reader, size_t result, struct xylem_error *err)
{
    ZSTD_ErrorCode error = ZSTD_getErrorCode(result);
    if (error == ZSTD_error_memory_allocation) {
        return xylem_base__fail_memory(err);
    }
    return error == ZSTD_error_frameParameter_windowTooLarge
               ? fail_part(reader, XYLEM_E_LIMIT, err, "expected a frame with a window of at most %u bytes, found more",
                           1u << XYLEM_CLI__PART_WINDOW_LOG)
               : fail_part(reader, XYLEM_E_MALFORMED, err, "expected a frame of zstd: %s", ZSTD_getErrorName(result));
}

/*
 * Decompresses in steps, as the frame may hold less than the part states. The first step has no room for output,
 * because zstd decodes a frame that fits the output in one go, and then does not look at the window.
 */
static int decompress(struct xylem_cli__bundle_reader *reader, struct xylem_view frame, uint64_t plain_bytes,
                      struct xylem_error *err)
{
    struct xylem_buffer *plain = &reader->plain;
    ZSTD_inBuffer in = {frame.data, frame.bytes, 0};
    size_t room = 0;
    bool ended = false;
    bool stuck = false;
    struct xylem_base__cursor cursor = xylem_base__cursor_of(frame.data, frame.bytes);
    if (xylem_base__read_u32(&cursor) != ZSTD_MAGICNUMBER) { /* zstd would also take frames to skip, and old formats */
        return fail_part(reader, XYLEM_E_MALFORMED, err, "expected a frame of zstd, found something else");
    }
    xylem_base__buffer_clear(plain);
    while (!ended && !stuck) {
        if (xylem_base__buffer_reserve(plain, room) < 0) {
            return xylem_base__fail_memory(err);
        }
        size_t before = in.pos;
        ZSTD_outBuffer out = {plain->data + plain->bytes, room, 0};
        size_t left = ZSTD_decompressStream(reader->decompressor, &out, &in);
        if (ZSTD_isError(left)) {
            return fail_frame(reader, left, err);
        }
        plain->bytes += out.pos;
        ended = left == 0;
        stuck = out.pos == 0 && in.pos == before;
        room = smaller(plain_bytes + 1 - plain->bytes, STEP_BYTES); /* one more shows that the frame holds more */
    }
    if (ended && plain->bytes == plain_bytes && in.pos == in.size) {
        return XYLEM_OK;
    }
    return fail_part(reader, XYLEM_E_MALFORMED, err, "expected one frame of %" PRIu64 " bytes, found %s", plain_bytes,
                     plain->bytes > plain_bytes ? "more"
                     : !ended                   ? "a frame without an end"
                     : in.pos < in.size         ? "bytes behind the frame"
                                                : "fewer");
}

int xylem_cli__bundle_next(struct xylem_cli__part *part, struct xylem_cli__bundle_reader *reader,
                           struct xylem_error *err)
{
    struct header header;
    int code;
    if (reader->ended) {
        return 0;
    }
    if ((code = read_part(&header, reader, err)) < 0) {
        return code;
    }
    if (header.type == XYLEM_CLI__PART_END) { /* without a frame, and nothing stands behind the end */
        size_t bytes = reader->part.bytes;
        if (header.plain_bytes > 0 || header.frame_bytes > 0) {
            return fail_part(reader, XYLEM_E_MALFORMED, err,
                             "expected the end without a frame, found %" PRIu64 " bytes", header.frame_bytes);
        }
        code = read_more(reader, 1, err);
        if (code == XYLEM_OK && reader->part.bytes > bytes) {
            return fail_part(reader, XYLEM_E_CORRUPT, err, "expected nothing behind the end, found more bytes");
        }
        reader->ended = code == XYLEM_OK;
        return code;
    }
    struct xylem_view frame = {reader->part.data + HEADER_BYTES, (size_t)header.frame_bytes};
    if ((code = decompress(reader, frame, header.plain_bytes, err)) < 0) {
        return code;
    }
    *part = (struct xylem_cli__part){header.type, ++reader->part_count, xylem_base__buffer_view(&reader->plain)};
    return 1;
}

void xylem_cli__bundle_close(struct xylem_cli__bundle_reader *reader)
{
    ZSTD_freeDCtx(reader->decompressor);
    xylem_buffer_release(&reader->part);
    xylem_buffer_release(&reader->plain);
    memset(reader, 0, sizeof *reader);
}
