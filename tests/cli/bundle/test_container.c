/* The container of a bundle gives back what was put in, and refuses everything that is not whole. */
#include "tests/lib/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/cli/bundle/made.h"

#define STEP_BYTES ((size_t)1 << 20)

static struct xylem_error err;

/* Takes bytes, `left` times. */
struct sink {
    struct xylem_buffer bytes;
    size_t left;
};

static int collect(void *context, const void *data, size_t bytes)
{
    struct sink *sink = context;
    return sink->left-- == 0 ? 1 : xylem_buffer_add(&sink->bytes, data, bytes);
}

/* Writes to a descriptor, and gives errno. */
static int write_out(void *context, const void *data, size_t bytes)
{
    return write(*(const int *)context, data, bytes) == (ssize_t)bytes ? 0 : errno;
}

/* Bytes that zstd cannot compress. */
static char *noise(size_t bytes)
{
    char *made = malloc(bytes);
    uint64_t chance = 88172645463325252u;
    assert_non_null(made);
    for (size_t i = 0; i < bytes; i++) {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        made[i] = (char)chance;
    }
    return made;
}

/* Writes the parts with the types 1, 2, ..., reads them, and compares. */
static void go_round(const struct xylem_view *parts, size_t count)
{
    struct sink sink = {.left = SIZE_MAX};
    struct xylem_cli__bundle_writer writer;
    struct given given;
    struct xylem_buffer wanted = {0};
    assert_int_equal(xylem_cli__bundle_begin(&writer, collect, &sink, &err), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(xylem_cli__bundle_put(&writer, (uint32_t)i + 1, parts[i], &err), 0);
        assert_int_equal(xylem_base__add_u32(&wanted, (uint32_t)i + 1), 0);
        assert_int_equal(xylem_base__add_u64(&wanted, parts[i].bytes), 0);
        assert_int_equal(xylem_buffer_add(&wanted, parts[i].data, parts[i].bytes), 0);
    }
    assert_int_equal(xylem_cli__bundle_end(&writer, &err), 0);
    xylem_cli__bundle_release(&writer);
    int fd = file_of(xylem_base__buffer_view(&sink.bytes));
    read_bundle(&given, fd, "x");
    close(fd);
    assert_int_equal(given.code, 0);
    assert_int_equal(given.part_count, count);
    assert_int_equal(given.parts.bytes, wanted.bytes);
    assert_true(wanted.bytes == 0 || memcmp(given.parts.data, wanted.data, wanted.bytes) == 0);
    xylem_buffer_release(&given.parts);
    xylem_buffer_release(&wanted);
    xylem_buffer_release(&sink.bytes);
}

TEST(a_bundle_gives_back_no_part_one_part_and_many_parts)
{
    struct xylem_view parts[300];
    char texts[300][8];
    for (size_t i = 0; i < 300; i++) {
        snprintf(texts[i], sizeof texts[i], "%zu", i * i);
        parts[i] = xylem_view_of(texts[i]);
    }
    go_round(parts, 0);
    go_round(parts, 1);
    go_round(parts, 300);
}

TEST(a_part_may_be_empty)
{
    const struct xylem_view parts[] = {{NULL, 0}, {"", 0}, {"x", 1}, {NULL, 0}};
    go_round(parts, 4);
}

TEST(a_part_may_be_larger_than_a_step_and_larger_than_the_window)
{
    size_t bytes = 9 * STEP_BYTES + 1;
    char *random = noise(bytes);
    char *same = calloc(1, 3 * STEP_BYTES);
    assert_non_null(same);
    const struct xylem_view parts[] = {{random, 3 * STEP_BYTES}, {same, 3 * STEP_BYTES}, {random, STEP_BYTES},
                                       {random, bytes},          {same, STEP_BYTES},     {"x", 1}};
    go_round(parts, 6);
    free(random);
    free(same);
}

/* Three parts: `hello` twice, and nothing. */
static void make_small(struct made *made)
{
    made_begin(made);
    made_part(made, 7, 5, BYTES(FRAME_OF_HELLO));
    made_part(made, 8, 5, BYTES(FRAME_OF_HELLO));
    made_part(made, 9, 0, BYTES(FRAME_HEAD "\x01\x00\x00"));
    made_end(made);
}

/* The bytes of the small bundle before its parts and its end. */
static const size_t small_ends[] = {15, 15 + 42, 15 + 84, 15 + 84 + 37, 15 + 84 + 37 + 28};

static void must_read_small(const struct given *given, uint64_t part_count)
{
    static const char parts[] =
        "\x07\0\0\0\x05\0\0\0\0\0\0\0hello\x08\0\0\0\x05\0\0\0\0\0\0\0hello\x09\0\0\0\0\0\0\0\0\0\0";
    static const size_t ends[] = {0, 17, 34, 46};
    assert_int_equal(given->part_count, part_count);
    assert_int_equal(given->parts.bytes, ends[part_count]);
    assert_true(part_count == 0 || memcmp(given->parts.data, parts, ends[part_count]) == 0);
}

/* Reads the bytes as a bundle, which must end with the code after so many parts of the small bundle. */
static void must_end(struct xylem_view bytes, int code, uint64_t part_count)
{
    struct given given;
    int fd = file_of(bytes);
    read_bundle(&given, fd, "b");
    close(fd);
    assert_int_equal(given.code, code);
    must_read_small(&given, part_count);
    if (code < 0) {
        assert_int_equal(given.err.code, code);
        assert_non_null(strstr(given.err.text, "expected"));
    }
    xylem_buffer_release(&given.parts);
}

TEST(the_bytes_are_those_of_the_format)
{
    struct made made = {0};
    struct sink sink = {.left = SIZE_MAX};
    struct xylem_cli__bundle_writer writer;
    static const char frame[] = "\x28\xb5\x2f\xfd\x20\x05\x29\x00\x00hello"; /* as zstd writes five bytes */
    make_small(&made);
    assert_int_equal(made.bytes.bytes, small_ends[4]);
    must_end(xylem_base__buffer_view(&made.bytes), 0, 3);
    made_begin(&made);
    made_part(&made, 7, 5, BYTES(frame));
    made_part(&made, UINT32_MAX, 5, BYTES(frame));
    made_end(&made);
    assert_int_equal(xylem_cli__bundle_begin(&writer, collect, &sink, &err), 0);
    assert_int_equal(xylem_cli__bundle_put(&writer, 7, BYTES("hello"), &err), 0);
    assert_int_equal(xylem_cli__bundle_put(&writer, UINT32_MAX, BYTES("hello"), &err), 0);
    assert_int_equal(xylem_cli__bundle_end(&writer, &err), 0);
    xylem_cli__bundle_release(&writer);
    assert_int_equal(sink.bytes.bytes, made.bytes.bytes);
    assert_memory_equal(sink.bytes.data, made.bytes.data, made.bytes.bytes);
    xylem_buffer_release(&sink.bytes);
    xylem_buffer_release(&made.bytes);
}

TEST(a_bundle_is_read_from_a_pipe_in_small_pieces)
{
    struct made made = {0};
    struct given given;
    int ends[2];
    make_small(&made);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        for (size_t at = 0; at < made.bytes.bytes; at += 3) {
            size_t left = made.bytes.bytes - at;
            if (write(ends[1], made.bytes.data + at, left < 3 ? left : 3) < 0) {
                _exit(1);
            }
            usleep(100); /* so that some reads get three bytes */
        }
        _exit(0);
    }
    close(ends[1]);
    read_bundle(&given, ends[0], "-");
    close(ends[0]);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(given.code, 0);
    must_read_small(&given, 3);
    xylem_buffer_release(&given.parts);
    xylem_buffer_release(&made.bytes);
}

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
    (void)number;
    signals = 1;
}

TEST(a_signal_does_not_end_a_read)
{
    struct made made = {0};
    struct given given;
    int ends[2];
    struct sigaction before;
    const struct sigaction action = {.sa_handler = on_signal}; /* without SA_RESTART */
    make_small(&made);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    pid_t parent = getpid();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int i = 0; i < 100; i++) { /* most of them while the reader waits */
            kill(parent, SIGUSR1);
            usleep(500);
        }
        _exit(write(ends[1], made.bytes.data, made.bytes.bytes) != (ssize_t)made.bytes.bytes);
    }
    close(ends[1]);
    read_bundle(&given, ends[0], "-");
    close(ends[0]);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    sigaction(SIGUSR1, &before, NULL);
    assert_int_equal(signals, 1);
    assert_int_equal(given.code, 0);
    must_read_small(&given, 3);
    xylem_buffer_release(&given.parts);
    xylem_buffer_release(&made.bytes);
}

TEST(every_flipped_bit_is_found_in_its_part_and_the_parts_before_are_given)
{
    struct made made = {0};
    make_small(&made);
    for (size_t bit = 0; bit < 8 * made.bytes.bytes; bit++) {
        struct given given;
        uint64_t before = 0;
        while (bit / 8 >= small_ends[before + 1]) {
            before++;
        }
        made.bytes.data[bit / 8] ^= (char)(1 << bit % 8);
        int fd = file_of(xylem_base__buffer_view(&made.bytes));
        read_bundle(&given, fd, "b");
        close(fd);
        assert_true(bit / 8 < small_ends[0] ? given.code == XYLEM_E_MALFORMED || given.code == XYLEM_E_TOO_NEW
                                            : given.code == XYLEM_E_CORRUPT || given.code == XYLEM_E_LIMIT);
        must_read_small(&given, bit / 8 < small_ends[0] ? 0 : before);
        xylem_buffer_release(&given.parts);
        made.bytes.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    must_end(xylem_base__buffer_view(&made.bytes), 0, 3);
    xylem_buffer_release(&made.bytes);
}

TEST(a_cut_is_found_at_every_length)
{
    struct made made = {0};
    make_small(&made);
    for (size_t bytes = 0; bytes < made.bytes.bytes; bytes++) {
        uint64_t before = 0;
        while (bytes >= small_ends[before + 1]) {
            before++;
        }
        must_end((struct xylem_view){made.bytes.data, bytes},
                 bytes < small_ends[0] ? XYLEM_E_MALFORMED : XYLEM_E_CORRUPT, before);
    }
    xylem_buffer_release(&made.bytes);
}

/* A bundle of pieces of the small bundle: '0' to '2' are the parts, 'e' is the end. */
static void must_end_at(const char *order, int code, uint64_t part_count)
{
    struct made small = {0};
    struct xylem_buffer bytes = {0};
    make_small(&small);
    assert_int_equal(xylem_buffer_add(&bytes, small.bytes.data, small_ends[0]), 0);
    for (; *order != '\0'; order++) {
        size_t piece = *order == 'e' ? 3 : (size_t)(*order - '0');
        assert_int_equal(
            xylem_buffer_add(&bytes, small.bytes.data + small_ends[piece], small_ends[piece + 1] - small_ends[piece]),
            0);
    }
    must_end(xylem_base__buffer_view(&bytes), code, part_count);
    xylem_buffer_release(&bytes);
    xylem_buffer_release(&small.bytes);
}

TEST(exchanged_doubled_and_missing_parts_are_found_where_they_stand)
{
    must_end_at("012e", 0, 3);
    must_end_at("102e", XYLEM_E_CORRUPT, 0);
    must_end_at("021e", XYLEM_E_CORRUPT, 1);
    must_end_at("0012e", XYLEM_E_CORRUPT, 1);
    must_end_at("0122e", XYLEM_E_CORRUPT, 3);
    must_end_at("12e", XYLEM_E_CORRUPT, 0);
    must_end_at("02e", XYLEM_E_CORRUPT, 1);
    must_end_at("01e", XYLEM_E_CORRUPT, 2);
    must_end_at("e", XYLEM_E_CORRUPT, 0);
    must_end_at("012", XYLEM_E_CORRUPT, 3);
}

TEST(bytes_behind_the_end_are_found)
{
    struct made made = {0};
    must_end_at("012ee", XYLEM_E_CORRUPT, 3);
    make_small(&made);
    assert_int_equal(xylem_buffer_add(&made.bytes, "\n", 1), 0);
    must_end(xylem_base__buffer_view(&made.bytes), XYLEM_E_CORRUPT, 3);
    xylem_buffer_release(&made.bytes);
}

/* Reads a bundle whose only part is this one. Gives the reader's memory. */
static size_t must_refuse(int code, const char *text, uint32_t type, uint64_t plain_bytes, struct xylem_view frame)
{
    struct made made = {0};
    struct given given;
    made_begin(&made);
    made_part(&made, type, plain_bytes, frame);
    made_end(&made);
    int fd = file_of(xylem_base__buffer_view(&made.bytes));
    read_bundle(&given, fd, "b");
    close(fd);
    assert_int_equal(given.code, code);
    assert_int_equal(given.part_count, code < 0 ? 0 : 1);
    if (code < 0) {
        char wanted[512];
        snprintf(wanted, sizeof wanted, "b: part 1: expected %s", text);
        assert_string_equal(given.err.text, wanted);
    }
    xylem_buffer_release(&given.parts);
    xylem_buffer_release(&made.bytes);
    return given.memory;
}

TEST(a_part_that_states_more_than_the_limit_is_refused_before_it_is_read)
{
    struct made made = {0};
    must_refuse(XYLEM_E_LIMIT, "at most 671088640 bytes in a frame of 673710080, found 671088641 in 14", 1,
                (640u << 20) + 1, BYTES(FRAME_OF_HELLO));
    must_refuse(XYLEM_E_LIMIT, "at most 671088640 bytes in a frame of 673710080, found 18446744073709551615 in 14", 1,
                UINT64_MAX, BYTES(FRAME_OF_HELLO));
    for (uint64_t frame_bytes = XYLEM_CLI__PART_FRAME_BYTES_MAX; frame_bytes > 0; frame_bytes *= 64) {
        made_begin(&made);
        made_part(&made, 1, 5, BYTES(FRAME_OF_HELLO));
        xylem_base__put_u64((unsigned char *)made.bytes.data + small_ends[0] + 12, frame_bytes + 1);
        must_end(xylem_base__buffer_view(&made.bytes), XYLEM_E_LIMIT, 0);
    }
    xylem_buffer_release(&made.bytes);
}

TEST(a_part_that_states_much_takes_no_memory_before_the_bytes_arrive)
{
    struct made made = {0};
    struct given given;
    made_begin(&made);
    made_part(&made, 1, XYLEM_CLI__PART_PLAIN_BYTES_MAX, BYTES(FRAME_OF_HELLO));
    xylem_base__put_u64((unsigned char *)made.bytes.data + small_ends[0] + 12, XYLEM_CLI__PART_FRAME_BYTES_MAX);
    int fd = file_of(xylem_base__buffer_view(&made.bytes));
    read_bundle(&given, fd, "b");
    close(fd);
    assert_int_equal(given.code, XYLEM_E_CORRUPT);
    assert_true(given.memory <= 4 * STEP_BYTES);
    xylem_buffer_release(&made.bytes);
}

TEST(a_frame_that_holds_less_than_the_part_states_is_refused_and_takes_no_more_memory)
{
    size_t memory = must_refuse(XYLEM_E_MALFORMED, "one frame of 671088640 bytes, found fewer", 1,
                                XYLEM_CLI__PART_PLAIN_BYTES_MAX, BYTES(FRAME_OF_HELLO));
    assert_true(memory <= 4 * STEP_BYTES);
    must_refuse(XYLEM_E_MALFORMED, "one frame of 6 bytes, found fewer", 1, 6, BYTES(FRAME_OF_HELLO));
    must_refuse(XYLEM_E_MALFORMED, "one frame of 1 bytes, found fewer", 1, 1, BYTES(FRAME_HEAD "\x01\x00\x00"));
}

/* Blocks of 128 KiB of one byte, 4 bytes each: 8 MiB. */
TEST(a_frame_that_holds_more_than_the_part_states_is_refused_without_decompressing_the_rest)
{
    struct xylem_buffer frame = {0};
    must_refuse(XYLEM_E_MALFORMED, "one frame of 4 bytes, found more", 1, 4, BYTES(FRAME_OF_HELLO));
    must_refuse(XYLEM_E_MALFORMED, "one frame of 0 bytes, found more", 1, 0, BYTES(FRAME_OF_HELLO));
    assert_int_equal(xylem_buffer_add(&frame, FRAME_HEAD, 6), 0);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(xylem_buffer_add(&frame, i < 63 ? "\x02\x00\x10x" : "\x03\x00\x10x", 4), 0);
    }
    must_refuse(0, NULL, 1, 8 * STEP_BYTES, xylem_base__buffer_view(&frame));
    size_t memory =
        must_refuse(XYLEM_E_MALFORMED, "one frame of 10 bytes, found more", 1, 10, xylem_base__buffer_view(&frame));
    assert_true(memory < 4096);
    must_refuse(XYLEM_E_MALFORMED, "one frame of 8388607 bytes, found more", 1, 8 * STEP_BYTES - 1,
                xylem_base__buffer_view(&frame));
    must_refuse(XYLEM_E_MALFORMED, "one frame of 8388609 bytes, found fewer", 1, 8 * STEP_BYTES + 1,
                xylem_base__buffer_view(&frame));
    xylem_buffer_release(&frame);
}

TEST(a_window_of_more_than_8_MiB_is_refused_however_little_the_frame_holds)
{
    const char *text = "a frame with a window of at most 8388608 bytes, found more";
    must_refuse(0, NULL, 1, 5, BYTES(FRAME_OF_HELLO));
    must_refuse(XYLEM_E_LIMIT, text, 1, 5, BYTES("\x28\xb5\x2f\xfd\x00\x69\x29\x00\x00hello")); /* 9 MiB */
    must_refuse(XYLEM_E_LIMIT, text, 1, 5, BYTES("\x28\xb5\x2f\xfd\x00\x70\x29\x00\x00hello")); /* 16 MiB */
    /* The same of a frame that says that it holds 5 bytes, which zstd would decode in one go. */
    must_refuse(0, NULL, 1, 5, BYTES("\x28\xb5\x2f\xfd\x80\x68\x05\x00\x00\x00\x29\x00\x00hello"));
    must_refuse(XYLEM_E_LIMIT, text, 1, 5, BYTES("\x28\xb5\x2f\xfd\x80\x70\x05\x00\x00\x00\x29\x00\x00hello"));
}

TEST(a_part_is_one_whole_frame_of_zstd_and_nothing_else)
{
    must_refuse(XYLEM_E_MALFORMED, "one frame of 5 bytes, found bytes behind the frame", 1, 5,
                BYTES(FRAME_OF_HELLO "\0"));
    must_refuse(XYLEM_E_MALFORMED, "one frame of 5 bytes, found bytes behind the frame", 1, 5,
                BYTES(FRAME_OF_HELLO FRAME_HEAD "\x01\x00\x00"));
    must_refuse(XYLEM_E_MALFORMED, "one frame of 10 bytes, found bytes behind the frame", 1, 10,
                BYTES(FRAME_OF_HELLO FRAME_OF_HELLO));
    must_refuse(XYLEM_E_MALFORMED, "one frame of 5 bytes, found a frame without an end", 1, 5,
                BYTES(FRAME_HEAD "\x28\x00\x00hello"));
    must_refuse(XYLEM_E_MALFORMED, "one frame of 5 bytes, found a frame without an end", 1, 5,
                BYTES(FRAME_HEAD "\x29\x00\x00hell"));
    must_refuse(XYLEM_E_MALFORMED, "one frame of 5 bytes, found a frame without an end", 1, 5,
                BYTES("\x28\xb5\x2f\xfd"));
    must_refuse(XYLEM_E_MALFORMED, "a frame of zstd: Data corruption detected", 1, 5,
                BYTES(FRAME_HEAD "\x2f\x00\x00hello")); /* a block of a type that does not exist */
    const char *other = "a frame of zstd, found something else";
    must_refuse(XYLEM_E_MALFORMED, other, 1, 5, BYTES("hello"));
    must_refuse(XYLEM_E_MALFORMED, other, 1, 0, BYTES(""));
    must_refuse(XYLEM_E_MALFORMED, other, 1, 0, BYTES("\x50\x2a\x4d\x18\x05\x00\x00\x00hello")); /* to be skipped */
}

TEST(the_end_has_no_frame)
{
    must_refuse(XYLEM_E_MALFORMED, "the end without a frame, found 14 bytes", 0, 5, BYTES(FRAME_OF_HELLO));
    must_refuse(XYLEM_E_MALFORMED, "the end without a frame, found 9 bytes", 0, 0, BYTES(FRAME_HEAD "\x01\x00\x00"));
    must_refuse(XYLEM_E_MALFORMED, "the end without a frame, found 0 bytes", 0, 5, BYTES(""));
}

/* Refuses to open, with the text. */
static void must_not_open(struct xylem_view bytes, const char *text)
{
    struct given given;
    int fd = file_of(bytes);
    read_bundle(&given, fd, "-");
    close(fd);
    assert_int_equal(given.code, strstr(text, "newer") ? XYLEM_E_TOO_NEW : XYLEM_E_MALFORMED);
    assert_string_equal(given.err.text, text);
}

TEST(a_first_line_of_another_kind_is_refused_and_a_later_version_is_called_so)
{
    must_not_open(BYTES("xylem bundle 2\n and all else"),
                  "standard input was made by a newer xylem: expected the first "
                  "line \"xylem bundle 1\", found \"xylem bundle 2\"");
    must_not_open(BYTES("xylem bundle 10\n"), "standard input was made by a newer xylem: expected the first line "
                                              "\"xylem bundle 1\", found \"xylem bundle 10\"");
    must_not_open(BYTES("xylem bundle 1 \n"), "standard input is not a bundle: expected the first line "
                                              "\"xylem bundle 1\", found \"xylem bundle 1 \"");
    must_not_open(BYTES("xylem bundle 0\n"), "standard input is not a bundle: expected the first line "
                                             "\"xylem bundle 1\", found \"xylem bundle 0\"");
    must_not_open(BYTES("xylem bundle x\n"), "standard input is not a bundle: expected the first line "
                                             "\"xylem bundle 1\", found \"xylem bundle x\"");
    must_not_open(BYTES("xylem bundle 2"), "standard input is not a bundle: expected the first line "
                                           "\"xylem bundle 1\", found \"xylem bundle 2\"");
    must_not_open(BYTES("{\"type\":\"session\"}\n"), "standard input is not a bundle: expected the first line "
                                                     "\"xylem bundle 1\", found \"{\"type\":\"sessio\"");
    must_not_open(BYTES(""), "standard input is empty: expected the first line \"xylem bundle 1\", found \"\"");
}

TEST(an_error_names_the_file_and_the_part_and_says_what_holds)
{
    struct made made = {0};
    struct given given;
    static const struct {
        size_t bytes;
        const char *text;
    } rows[] = {
        {20,
         "of/a.bundle: part 1: expected at least 20 bytes, found the end after 5: the bundle was cut, or the part is "
         "damaged"},
        {57,
         "of/a.bundle: part 2: expected at least 20 bytes, found the end after 0: the bundle was cut, or the part is "
         "damaged; the 1 before holds"},
        {120,
         "of/a.bundle: part 3: expected at least 37 bytes, found the end after 21: the bundle was cut, or the part "
         "is damaged; the 2 before hold"},
    };
    make_small(&made);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int fd = file_of((struct xylem_view){made.bytes.data, rows[i].bytes});
        read_bundle(&given, fd, "of/a.bundle");
        close(fd);
        assert_string_equal(given.err.text, rows[i].text);
        xylem_buffer_release(&given.parts);
    }
    xylem_buffer_release(&made.bytes);
}

TEST(a_descriptor_that_cannot_be_read_is_an_error)
{
    struct given given;
    int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    read_bundle(&given, fd, "dir");
    close(fd);
    assert_int_equal(given.code, XYLEM_E_IO);
    assert_string_equal(given.err.text, "cannot read dir: Is a directory");
}

/* Writes a bundle of one part. */
static int write_bundle(int (*out)(void *context, const void *data, size_t bytes), void *context)
{
    struct xylem_cli__bundle_writer writer;
    int code;
    err = (struct xylem_error){0};
    if ((code = xylem_cli__bundle_begin(&writer, out, context, &err)) == 0 &&
        (code = xylem_cli__bundle_put(&writer, 1, BYTES("hello"), &err)) == 0) {
        code = xylem_cli__bundle_end(&writer, &err);
    }
    xylem_cli__bundle_release(&writer);
    return code;
}

TEST(a_failed_write_stops_the_bundle_wherever_it_fails)
{
    for (size_t writes = 0; writes <= 3; writes++) {
        struct sink sink = {.left = writes};
        assert_int_equal(write_bundle(collect, &sink), writes < 3 ? XYLEM_E_STOPPED : 0);
        assert_int_equal(err.code, writes < 3 ? XYLEM_E_STOPPED : 0);
        xylem_buffer_release(&sink.bytes);
    }
}

TEST(a_full_device_and_a_closed_pipe_stop_the_bundle)
{
    int ends[2];
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    assert_int_equal(write_bundle(write_out, &full), XYLEM_E_STOPPED);
    close(full);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(write_bundle(write_out, &ends[1]), XYLEM_E_STOPPED);
    assert_string_equal(err.text, "the bundle was stopped by the caller");
    close(ends[1]);
    signal(SIGPIPE, before);
}

TEST(a_part_of_more_than_640_MiB_is_not_written)
{
    struct sink sink = {.left = SIZE_MAX};
    struct xylem_cli__bundle_writer writer;
    struct xylem_view large = {"", XYLEM_CLI__PART_PLAIN_BYTES_MAX + (size_t)1};
    assert_int_equal(xylem_cli__bundle_begin(&writer, collect, &sink, &err), 0);
    assert_int_equal(xylem_cli__bundle_put(&writer, 1, large, &err), XYLEM_E_LIMIT);
    assert_int_equal(sink.bytes.bytes, small_ends[0]);
    assert_int_equal(xylem_cli__bundle_put(&writer, 7, BYTES("hello"), &err), 0);
    assert_int_equal(xylem_cli__bundle_put(&writer, 8, BYTES("hello"), &err), 0);
    assert_int_equal(xylem_cli__bundle_put(&writer, 9, BYTES(""), &err), 0);
    assert_int_equal(xylem_cli__bundle_end(&writer, &err), 0);
    must_end(xylem_base__buffer_view(&sink.bytes), 0, 3);
    xylem_cli__bundle_release(&writer);
    xylem_buffer_release(&sink.bytes);
}
