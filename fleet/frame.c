#include "fleet/frame.h"

#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"

#define STEP_BYTES 1048576u /* memory is taken for so many bytes at a time */

_Static_assert(FLEET_FRAME_BYTES_MAX == ZSTD_COMPRESSBOUND(FLEET_FRAME_PLAIN_BYTES_MAX),
               "the largest segment does not fit the largest frame");

uint64_t fleet_frame_sum(struct xylem_view frame)
{
    return XXH3_64bits(frame.data, frame.bytes);
}

int fleet_frame_pack_more(ZSTD_CCtx **kept, struct xylem_buffer *frame, struct xylem_view segment,
                          struct xylem_error *err)
{
    if (segment.bytes > FLEET_FRAME_PLAIN_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a segment has at most %u bytes, and this has %zu",
                                FLEET_FRAME_PLAIN_BYTES_MAX, segment.bytes);
    }
    size_t bound = ZSTD_compressBound(segment.bytes);
    *kept = *kept ? *kept : ZSTD_createCCtx(); /* of the usual level */
    if (!*kept || xylem_base__buffer_reserve(frame, bound) < 0) {
        return xylem_base__fail_memory(err);
    }
    ZSTD_CCtx_setParameter(*kept, ZSTD_c_checksumFlag, 1);
    size_t bytes = ZSTD_compress2(*kept, frame->data + frame->bytes, bound, segment.data, segment.bytes);
    if (ZSTD_isError(bytes)) { /* the parameters are valid and the room is enough */
        return xylem_base__fail_memory(err);
    }
    frame->bytes += bytes;
    frame->data[frame->bytes] = '\0';
    return XYLEM_OK;
}

void fleet_frame_forget(ZSTD_CCtx *kept)
{
    ZSTD_freeCCtx(kept);
}

static int fail_frame(size_t result, struct xylem_error *err)
{
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation:
        return xylem_base__fail_memory(err);
    case ZSTD_error_frameParameter_windowTooLarge:
        return xylem_base__fail(err, XYLEM_E_LIMIT, "expected a frame with a window of at most %u bytes, found more",
                                1u << FLEET_FRAME_WINDOW_LOG);
    case ZSTD_error_checksum_wrong:
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "the sum of a frame is wrong: its bytes are damaged");
    default:
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "expected a frame of zstd: %s", ZSTD_getErrorName(result));
    }
}

/*
 * Decompresses in steps, as the size in the frame may be a lie. The first step has no room for output, because zstd
 * decodes a frame that fits the output in one go, and then does not look at the window.
 */
static int expand(struct xylem_buffer *segment, ZSTD_DCtx *decompressor, struct xylem_view frame,
                  struct xylem_error *err)
{
    ZSTD_inBuffer in = {frame.data, frame.bytes, 0};
    size_t begin = segment->bytes;
    for (size_t room = 0;; room = STEP_BYTES) {
        if (xylem_base__buffer_reserve(segment, room) < 0) {
            return xylem_base__fail_memory(err);
        }
        size_t before = in.pos;
        ZSTD_outBuffer out = {segment->data + segment->bytes, room, 0};
        size_t left = ZSTD_decompressStream(decompressor, &out, &in);
        if (ZSTD_isError(left)) {
            return fail_frame(left, err);
        }
        segment->bytes += out.pos;
        if (segment->bytes - begin > FLEET_FRAME_PLAIN_BYTES_MAX) {
            return xylem_base__fail(err, XYLEM_E_LIMIT, "expected a frame of at most %u bytes, found more",
                                    FLEET_FRAME_PLAIN_BYTES_MAX);
        }
        if (left == 0 && in.pos == in.size) {
            segment->data[segment->bytes] = '\0';
            return XYLEM_OK;
        }
        if (left == 0 || (out.pos == 0 && in.pos == before)) {
            return xylem_base__fail(err, XYLEM_E_MALFORMED, "expected one frame of zstd, found %s",
                                    left == 0 ? "bytes behind the frame" : "a frame without an end");
        }
    }
}

int fleet_frame_expand(struct xylem_buffer *segment, struct xylem_view frame, struct xylem_error *err)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(frame.data, frame.bytes);
    if (xylem_base__read_u32(&cursor) != ZSTD_MAGICNUMBER) { /* zstd would also take frames to skip, and old formats */
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "expected a frame of zstd, found something else");
    }
    size_t before = segment->bytes;
    ZSTD_DCtx *decompressor = ZSTD_createDCtx();
    if (!decompressor) {
        return xylem_base__fail_memory(err);
    }
    ZSTD_DCtx_setParameter(decompressor, ZSTD_d_windowLogMax, (int)FLEET_FRAME_WINDOW_LOG);
    int code = expand(segment, decompressor, frame, err);
    ZSTD_freeDCtx(decompressor);
    if (code < 0) {
        xylem_base__buffer_cut(segment, before);
    }
    return code;
}
