/*
 * Any bytes as a bundle, as they are and with every sum mended, so that frames reach zstd: each part is given within
 * the limits, or the bundle is refused with a text. A bundle that is whole gives the same parts after it is written
 * again.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/bytes.h"
#include "cli/bundle/container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FIRST_LINE_BYTES 15u
#define HEADER_BYTES 20u
#define SUM_BYTES 8u
#define CONTENT_BYTES_MAX 4194304u /* of the parts that are written again */

/* What is written again. */
struct again {
    struct xylem_cli__bundle_writer writer;
    struct xylem_buffer bytes;
    bool too_much;
};

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static int collect(void *context, const void *data, size_t bytes)
{
    return xylem_buffer_add(context, data, bytes);
}

/* Opens a file with these bytes. */
static int file_of(const void *data, size_t bytes)
{
    int fd = memfd_create("bundle", MFD_CLOEXEC);
    check(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

/* Reads the bytes as a bundle. Gives the hash of all types and contents, and writes the parts into `again`, if given. */
static int read_bundle(uint64_t *hash, struct again *again, const void *data, size_t bytes)
{
    struct xylem_cli__bundle_reader reader;
    struct xylem_cli__part part = {0};
    struct xylem_error err = {0};
    uint64_t number = 0;
    size_t content = 0;
    int fd = file_of(data, bytes);
    int code = xylem_cli__bundle_open(&reader, fd, "-", &err);
    *hash = 0;
    while (code >= 0 && (code = xylem_cli__bundle_next(&part, &reader, &err)) == 1) {
        check(part.number == ++number && part.type != XYLEM_CLI__PART_END);
        check(part.plain.bytes <= XYLEM_CLI__PART_PLAIN_BYTES_MAX);
        *hash = XXH3_64bits_withSeed(part.plain.data, part.plain.bytes, *hash + part.type);
        content += part.plain.bytes;
        if (again && content <= CONTENT_BYTES_MAX) {
            check(xylem_cli__bundle_put(&again->writer, part.type, part.plain, &err) == 0);
        } else if (again) {
            again->too_much = true;
        }
    }
    check(code == 0 || (err.code == code && err.text[0] != '\0'));
    xylem_cli__bundle_close(&reader);
    close(fd);
    return code;
}

static void run(const void *data, size_t bytes)
{
    struct again again = {0};
    struct xylem_error err;
    uint64_t first;
    uint64_t second;
    check(xylem_cli__bundle_begin(&again.writer, collect, &again.bytes, &err) == 0);
    if (read_bundle(&first, &again, data, bytes) == 0 && !again.too_much) {
        check(xylem_cli__bundle_end(&again.writer, &err) == 0);
        check(read_bundle(&second, NULL, again.bytes.data, again.bytes.bytes) == 0 && first == second);
    }
    xylem_cli__bundle_release(&again.writer);
    xylem_buffer_release(&again.bytes);
}

/* Mends the first line, and the sum of each part that the bytes hold in full. */
static void mend(unsigned char *data, size_t bytes)
{
    uint64_t sum = XXH3_64bits(XYLEM_CLI__BUNDLE_FIRST_LINE, FIRST_LINE_BYTES);
    size_t at = FIRST_LINE_BYTES;
    memcpy(data, XYLEM_CLI__BUNDLE_FIRST_LINE, FIRST_LINE_BYTES);
    while (bytes - at >= HEADER_BYTES + SUM_BYTES) {
        struct xylem_base__cursor cursor = xylem_base__cursor_of(data + at + 12, 8);
        uint64_t frame_bytes = xylem_base__read_u64(&cursor);
        if (frame_bytes > bytes - at - HEADER_BYTES - SUM_BYTES) {
            return;
        }
        size_t part_bytes = HEADER_BYTES + (size_t)frame_bytes;
        sum = XXH3_64bits_withSeed(data + at, part_bytes, sum);
        xylem_base__put_u64(data + at + part_bytes, sum);
        at += part_bytes + SUM_BYTES;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run(data, size);
    if (size >= FIRST_LINE_BYTES) {
        unsigned char *mended = malloc(size);
        check(mended != NULL);
        memcpy(mended, data, size);
        mend(mended, size);
        run(mended, size);
        free(mended);
    }
    return 0;
}
