/* Every allocation of a writer and of a reader fails once, also those inside of zstd: each time it is an error. */
#include "tests/lib/test.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "tests/cli/bundle/made.h"
#include "tests/lib/failing_calls.h"

ZSTD_CCtx *__real_ZSTD_createCCtx(void);
ZSTD_DCtx *__real_ZSTD_createDCtx(void);
size_t __real_ZSTD_compress2(ZSTD_CCtx *context, void *to, size_t room, const void *from, size_t bytes);
size_t __real_ZSTD_decompressStream(ZSTD_DCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in);
ZSTD_CCtx *__wrap_ZSTD_createCCtx(void);
ZSTD_DCtx *__wrap_ZSTD_createDCtx(void);
size_t __wrap_ZSTD_compress2(ZSTD_CCtx *context, void *to, size_t room, const void *from, size_t bytes);
size_t __wrap_ZSTD_decompressStream(ZSTD_DCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in);

#define NO_MEMORY ((size_t)-ZSTD_error_memory_allocation) /* as zstd returns an error */

ZSTD_CCtx *__wrap_ZSTD_createCCtx(void)
{
    return fails() ? NULL : __real_ZSTD_createCCtx();
}

ZSTD_DCtx *__wrap_ZSTD_createDCtx(void)
{
    return fails() ? NULL : __real_ZSTD_createDCtx();
}

size_t __wrap_ZSTD_compress2(ZSTD_CCtx *context, void *to, size_t room, const void *from, size_t bytes)
{
    return fails() ? NO_MEMORY : __real_ZSTD_compress2(context, to, room, from, bytes);
}

size_t __wrap_ZSTD_decompressStream(ZSTD_DCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
    return fails() ? NO_MEMORY : __real_ZSTD_decompressStream(context, out, in);
}

/* Takes the bytes without an allocation. */
static struct {
    char data[512];
    size_t bytes;
} taken;

static int take(void *context, const void *data, size_t bytes)
{
    (void)context;
    assert_true(bytes <= sizeof taken.data - taken.bytes);
    memcpy(taken.data + taken.bytes, data, bytes);
    taken.bytes += bytes;
    return 0;
}

static int write_and_read(struct xylem_error *err)
{
    static char text[3000]; /* for both, more memory than at first */
    struct xylem_cli__bundle_writer writer;
    struct xylem_cli__bundle_reader reader = {0};
    struct xylem_cli__part part;
    int fd = -1;
    int code;
    taken.bytes = 0;
    if ((code = xylem_cli__bundle_begin(&writer, take, NULL, err)) == 0 &&
        (code = xylem_cli__bundle_put(&writer, 1, BYTES("hello"), err)) == 0 &&
        (code = xylem_cli__bundle_put(&writer, 1, (struct xylem_view){text, sizeof text}, err)) == 0 &&
        (code = xylem_cli__bundle_end(&writer, err)) == 0) {
        fd = file_of((struct xylem_view){taken.data, taken.bytes});
        code = xylem_cli__bundle_open(&reader, fd, "x", err);
    }
    code = code == 0 ? 1 : code;
    while (fd >= 0 && code == 1) {
        code = xylem_cli__bundle_next(&part, &reader, err);
    }
    xylem_cli__bundle_release(&writer);
    xylem_cli__bundle_close(&reader);
    if (fd >= 0) {
        close(fd);
    }
    return code;
}

/* The end alone: a writer without a part has no memory yet. */
static int write_end(struct xylem_error *err)
{
    struct xylem_cli__bundle_writer writer;
    taken.bytes = 0;
    int code = xylem_cli__bundle_begin(&writer, take, NULL, err);
    code = code == 0 ? xylem_cli__bundle_end(&writer, err) : code;
    xylem_cli__bundle_release(&writer);
    return code;
}

static void fail_each(int (*run)(struct xylem_error *err), size_t call_count_min)
{
    size_t call_count = 1;
    for (size_t i = 0; i <= call_count; i++) {
        struct xylem_error err = {0};
        calls = 0;
        failing_call = i;
        counting = true;
        int code = run(&err);
        counting = false;
        if (i == 0) {
            call_count = calls;
            assert_true(call_count >= call_count_min);
        }
        assert_int_equal(code, i == 0 ? 0 : XYLEM_E_MEMORY);
        assert_int_equal(err.code, code);
    }
}

TEST(a_failed_allocation_is_an_error)
{
    fail_each(write_and_read, 10);
    fail_each(write_end, 2);
}
