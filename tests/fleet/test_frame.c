/* Frames of segments: what goes in comes out, and a stranger's frame is refused before it costs much. */
#include "tests/lib/test.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "base/buffer.h"
#include "fleet/frame.h"

static struct xylem_error err;

static struct xylem_view view(const struct xylem_buffer *buffer)
{
    return xylem_base__buffer_view(buffer);
}

/* Bytes that do not compress. */
static struct xylem_buffer noise(size_t bytes)
{
    struct xylem_buffer out = {NULL, 0, 0};
    uint64_t state = 88172645463325252u;
    assert_int_equal(xylem_base__buffer_reserve(&out, bytes), XYLEM_OK);
    for (; out.bytes < bytes; out.bytes++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.data[out.bytes] = (char)state;
    }
    return out;
}

static int pack_alone(struct xylem_buffer *frame, struct xylem_view plain)
{
    struct ZSTD_CCtx_s *kept = NULL;
    int code = fleet_frame_pack_more(&kept, frame, plain, &err);
    fleet_frame_forget(kept);
    return code;
}

static void assert_comes_back(struct xylem_view plain)
{
    struct xylem_buffer frame = {NULL, 0, 0};
    struct xylem_buffer out = {NULL, 0, 0};
    assert_int_equal(xylem_buffer_add(&out, "before", 6), XYLEM_OK);
    assert_int_equal(pack_alone(&frame, plain), XYLEM_OK);
    assert_int_equal(fleet_frame_expand(&out, view(&frame), &err), XYLEM_OK);
    assert_int_equal(out.bytes, 6 + plain.bytes);
    assert_memory_equal(out.data, "before", 6);
    assert_true(plain.bytes == 0 || memcmp(out.data + 6, plain.data, plain.bytes) == 0);
    xylem_buffer_release(&frame);
    xylem_buffer_release(&out);
}

static void assert_refused(struct xylem_view frame, int code)
{
    struct xylem_buffer out = {NULL, 0, 0};
    assert_int_equal(xylem_buffer_add(&out, "before", 6), XYLEM_OK);
    assert_int_equal(fleet_frame_expand(&out, frame, &err), code);
    assert_int_equal(out.bytes, 6);
    xylem_buffer_release(&out);
}

TEST(a_segment_comes_back_from_its_frame)
{
    struct xylem_buffer bytes = noise(3u << 20);
    assert_comes_back((struct xylem_view){"", 0});
    assert_comes_back((struct xylem_view){"one", 3});
    assert_comes_back(view(&bytes));
    xylem_buffer_release(&bytes);
}

TEST(frames_with_kept_memory_are_the_same)
{
    struct ZSTD_CCtx_s *kept = NULL;
    struct xylem_buffer alone = {NULL, 0, 0};
    assert_int_equal(pack_alone(&alone, xylem_view_of("text")), XYLEM_OK);
    for (int i = 0; i < 3; i++) {
        struct xylem_buffer frame = {NULL, 0, 0};
        assert_int_equal(fleet_frame_pack_more(&kept, &frame, xylem_view_of("text"), &err), XYLEM_OK);
        assert_int_equal(frame.bytes, alone.bytes);
        assert_memory_equal(frame.data, alone.data, alone.bytes);
        xylem_buffer_release(&frame);
    }
    fleet_frame_forget(kept);
    xylem_buffer_release(&alone);
}

TEST(a_frame_that_was_cut_or_continued_is_refused)
{
    struct xylem_buffer frame = {NULL, 0, 0};
    assert_int_equal(pack_alone(&frame, xylem_view_of("some text of a segment")), XYLEM_OK);
    for (size_t i = 0; i < frame.bytes; i++) {
        assert_refused((struct xylem_view){frame.data, i}, XYLEM_E_MALFORMED);
    }
    assert_int_equal(xylem_buffer_add(&frame, "x", 1), XYLEM_OK);
    assert_refused(view(&frame), XYLEM_E_MALFORMED);
    xylem_buffer_release(&frame);
}

TEST(a_flipped_byte_of_a_frame_is_found)
{
    struct xylem_buffer bytes = noise(2000);
    struct xylem_buffer frame = {NULL, 0, 0};
    assert_int_equal(pack_alone(&frame, view(&bytes)), XYLEM_OK);
    frame.data[1000] ^= 1;
    assert_refused(view(&frame), XYLEM_E_CORRUPT);
    xylem_buffer_release(&bytes);
    xylem_buffer_release(&frame);
}

TEST(a_frame_to_skip_is_no_segment)
{
    assert_refused((struct xylem_view){"\x50\x2a\x4d\x18\x00\x00\x00\x00", 8}, XYLEM_E_MALFORMED);
    assert_refused((struct xylem_view){NULL, 0}, XYLEM_E_MALFORMED);
}

/* A frame of zeros, with any window. */
static struct xylem_buffer zeros(uint64_t bytes, int window_log)
{
    static char some[1u << 20];
    struct xylem_buffer frame = {NULL, 0, 0};
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(compressor, ZSTD_c_windowLog, window_log);
    assert_int_equal(xylem_base__buffer_reserve(&frame, 1u << 20), XYLEM_OK);
    for (uint64_t done = 0; done < bytes; done += sizeof some) {
        ZSTD_inBuffer in = {some, sizeof some, 0};
        ZSTD_outBuffer out = {frame.data + frame.bytes, frame.capacity - frame.bytes, 0};
        bool last = done + sizeof some >= bytes;
        size_t left = ZSTD_compressStream2(compressor, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        assert_false(ZSTD_isError(left));
        assert_true(!last || left == 0);
        frame.bytes += out.pos;
    }
    ZSTD_freeCCtx(compressor);
    return frame;
}

TEST(a_small_frame_that_holds_more_than_a_segment_is_refused)
{
    struct xylem_buffer frame = zeros((uint64_t)FLEET_FRAME_PLAIN_BYTES_MAX + 1, 20);
    assert_true(frame.bytes < 1u << 20);
    assert_refused(view(&frame), XYLEM_E_LIMIT);
    xylem_buffer_release(&frame);
}

TEST(a_frame_that_wants_a_large_window_is_refused)
{
    struct xylem_buffer frame = zeros(16u << 20, 24);
    assert_refused(view(&frame), XYLEM_E_LIMIT);
    xylem_buffer_release(&frame);
}

TEST(a_segment_beyond_the_limit_gets_no_frame)
{
    struct xylem_buffer frame = {NULL, 0, 0};
    struct xylem_view large = {"", (size_t)FLEET_FRAME_PLAIN_BYTES_MAX + 1};
    assert_int_equal(pack_alone(&frame, large), XYLEM_E_LIMIT);
    assert_int_equal(frame.bytes, 0);
}

TEST(other_bytes_have_another_sum)
{
    assert_true(fleet_frame_sum(xylem_view_of("a")) != fleet_frame_sum(xylem_view_of("b")));
}
