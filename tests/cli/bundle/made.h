/* Bundles for tests, made by the rules of cli/bundle/container.h and not by the writer; and what a reader gives. */
#ifndef XYLEM_TESTS_CLI_BUNDLE_MADE_H
#define XYLEM_TESTS_CLI_BUNDLE_MADE_H

#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "cli/bundle/container.h"

#define FIRST_LINE "xylem bundle 1\n"

/* A frame with one block that is not compressed. The last byte of its head gives the window: 0x68 is 8 MiB. */
#define FRAME_HEAD "\x28\xb5\x2f\xfd\x00\x68"
#define FRAME_OF_HELLO FRAME_HEAD "\x29\x00\x00hello"
#define BYTES(literal) ((struct xylem_view){literal, sizeof(literal) - 1})

/* A bundle under construction; `sum` is the sum of the last part. */
struct made {
    struct xylem_buffer bytes;
    uint64_t sum;
};

__attribute__((unused)) static void made_begin(struct made *made)
{
    made->bytes.bytes = 0;
    made->sum = XXH3_64bits(FIRST_LINE, 15);
    assert_int_equal(xylem_buffer_add(&made->bytes, FIRST_LINE, 15), 0);
}

__attribute__((unused)) static void made_part(struct made *made, uint32_t type, uint64_t plain_bytes,
                                              struct xylem_view frame)
{
    size_t begin = made->bytes.bytes;
    assert_int_equal(xylem_base__add_u32(&made->bytes, type), 0);
    assert_int_equal(xylem_base__add_u64(&made->bytes, plain_bytes), 0);
    assert_int_equal(xylem_base__add_u64(&made->bytes, frame.bytes), 0);
    assert_int_equal(xylem_buffer_add(&made->bytes, frame.data, frame.bytes), 0);
    made->sum = XXH3_64bits_withSeed(made->bytes.data + begin, made->bytes.bytes - begin, made->sum);
    assert_int_equal(xylem_base__add_u64(&made->bytes, made->sum), 0);
}

__attribute__((unused)) static void made_end(struct made *made)
{
    made_part(made, 0, 0, (struct xylem_view){NULL, 0});
}

/* A file with the bytes, to be read from its beginning. */
__attribute__((unused)) static int file_of(struct xylem_view bytes)
{
    int fd = memfd_create("bundle", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.data, bytes.bytes), (ssize_t)bytes.bytes);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

/* What a reader gave: the parts one behind the other, as type, bytes and content; and how it ended. */
struct given {
    int code;
    uint64_t part_count;
    struct xylem_buffer parts;
    size_t memory; /* that the reader had for bytes at its end */
    struct xylem_error err;
};

__attribute__((unused)) static void read_bundle(struct given *given, int fd, const char *name)
{
    struct xylem_cli__bundle_reader reader;
    struct xylem_cli__part part;
    *given = (struct given){0};
    given->code = xylem_cli__bundle_open(&reader, fd, name, &given->err);
    int code = given->code < 0 ? given->code : 1;
    while (code == 1 && (code = xylem_cli__bundle_next(&part, &reader, &given->err)) == 1) {
        assert_int_equal(part.number, ++given->part_count);
        assert_int_equal(xylem_base__add_u32(&given->parts, part.type), 0);
        assert_int_equal(xylem_base__add_u64(&given->parts, part.plain.bytes), 0);
        assert_int_equal(xylem_buffer_add(&given->parts, part.plain.data, part.plain.bytes), 0);
    }
    if (code == 0) { /* the end stays the end */
        assert_int_equal(xylem_cli__bundle_next(&part, &reader, &given->err), 0);
    }
    given->code = code;
    given->memory = reader.part.capacity + reader.plain.capacity;
    xylem_cli__bundle_close(&reader);
}

#endif
