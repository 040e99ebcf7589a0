/* The clock and chance are this program's own here: its definitions stand before the C library's. */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/lib/test.h"

static int64_t fixed_ms = -1; /* the time, unless negative */
static int chance_errno;      /* fails with it, unless 0 */
static bool chance_is_cut;    /* gives one byte at a time, and is interrupted before each */
static int interruptions;
static unsigned char chance_byte; /* all bytes are this, unless 0 */

int clock_gettime(clockid_t clock, struct timespec *out)
{
    if (fixed_ms < 0 || clock != CLOCK_REALTIME) {
        return (int)syscall(SYS_clock_gettime, clock, out);
    }
    out->tv_sec = fixed_ms / 1000;
    out->tv_nsec = fixed_ms % 1000 * 1000000;
    return 0;
}

ssize_t getrandom(void *out, size_t bytes, unsigned flags)
{
    if (chance_errno != 0) {
        errno = chance_errno;
        return -1;
    }
    if (chance_is_cut) {
        if (interruptions++ % 2 == 0) {
            errno = EINTR;
            return -1;
        }
        bytes = 1;
    }
    if (chance_byte != 0) {
        memset(out, chance_byte, bytes);
        return (ssize_t)bytes;
    }
    return syscall(SYS_getrandom, out, bytes, flags);
}

static int reset(void **state)
{
    (void)state;
    fixed_ms = -1;
    chance_errno = 0;
    chance_is_cut = false;
    chance_byte = 0;
    return 0;
}

static void make(char text[XYLEM_BASE__UUID_TEXT_BYTES + 1])
{
    assert_int_equal(xylem_base__uuid_v7(text, NULL), 0);
    text[XYLEM_BASE__UUID_TEXT_BYTES] = '\0';
}

#define WITH_NULL(test) TEST_WITH(test, NULL, reset)

WITH_NULL(the_time_is_that_of_the_system)
{
    fixed_ms = 1777777777777;
    assert_true(xylem_base__now_ms() == 1777777777777);
}

WITH_NULL(a_uuid_has_the_form_version_variant_and_time)
{
    char text[XYLEM_BASE__UUID_TEXT_BYTES + 1];
    fixed_ms = 4102444800000; /* later than now, so that it begins a new millisecond: 2100-01-01 */
    make(text);
    assert_memory_equal(text, "03bb2cc3-d800-7", 15);
    for (size_t i = 0; i < XYLEM_BASE__UUID_TEXT_BYTES; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        assert_true(dash ? text[i] == '-' : strchr("0123456789abcdef", text[i]) != NULL);
    }
    assert_non_null(strchr("89ab", text[19]));
}

TEST(the_text_of_a_uuid_is_known_by_its_form)
{
    static const char digits[] = "0123456789abcdef";
    static const char uuid[] = "0198d2f4-7c11-7a02-9d6e-3b5c8f21a4e7";
    assert_true(xylem_base__is_uuid(xylem_view_of(uuid), digits));
    assert_false(xylem_base__is_uuid((struct xylem_view){uuid, sizeof uuid - 2}, digits));
    assert_false(xylem_base__is_uuid((struct xylem_view){uuid, sizeof uuid}, digits));
    for (size_t i = 0; i < sizeof uuid - 1; i++) {
        char other[sizeof uuid];
        memcpy(other, uuid, sizeof uuid);
        other[i] = uuid[i] == '-' ? '0' : 'A';
        assert_false(xylem_base__is_uuid((struct xylem_view){other, sizeof uuid - 1}, digits));
        other[i] = '\0';
        assert_false(xylem_base__is_uuid((struct xylem_view){other, sizeof uuid - 1}, digits));
    }
}

WITH_NULL(uuids_ascend_within_a_millisecond_and_when_the_clock_goes_back)
{
    char last[XYLEM_BASE__UUID_TEXT_BYTES + 1] = "";
    fixed_ms = 4102444900000;
    for (int i = 0; i < 20000; i++) {
        char text[XYLEM_BASE__UUID_TEXT_BYTES + 1];
        fixed_ms -= i % 100 == 99 ? 7 : 0;
        make(text);
        assert_true(strcmp(text, last) > 0);
        memcpy(last, text, sizeof last);
    }
}

WITH_NULL(uuids_ascend_when_their_random_bits_run_over)
{
    char before[XYLEM_BASE__UUID_TEXT_BYTES + 1];
    char after[XYLEM_BASE__UUID_TEXT_BYTES + 1];
    fixed_ms = 4102445000000;
    chance_byte = 0xFF;
    make(before);
    make(after);
    assert_memory_equal(before, "03bb2cc6-e540-7fff-bfff-ffffffffffff", 36);
    assert_memory_equal(after, "03bb2cc6-e541-7000-8000-0000ffffffff", 36);
}

WITH_NULL(a_child_of_fork_does_not_repeat_its_parents_ids)
{
    char ours[XYLEM_BASE__UUID_TEXT_BYTES + 1];
    char theirs[XYLEM_BASE__UUID_TEXT_BYTES + 1] = "";
    int ends[2];
    fixed_ms = 4102445100000;
    chance_byte = 0x11;
    make(ours);
    assert_int_equal(pipe(ends), 0);
    chance_byte = 0x22;
    pid_t child = fork();
    if (child == 0) {
        int code = xylem_base__uuid_v7(theirs, NULL);
        _exit(code < 0 || write(ends[1], theirs, XYLEM_BASE__UUID_TEXT_BYTES) < 0);
    }
    assert_true(child > 0);
    int status = 1;
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], theirs, XYLEM_BASE__UUID_TEXT_BYTES), XYLEM_BASE__UUID_TEXT_BYTES);
    make(ours); /* of the same chance and time as the child's */
    assert_string_not_equal(ours, theirs);
    close(ends[0]);
    close(ends[1]);
}

#define THREAD_COUNT 4
#define IDS_PER_THREAD 2000

static void *make_many(void *out)
{
    char(*ids)[XYLEM_BASE__UUID_TEXT_BYTES] = out;
    for (size_t i = 0; i < IDS_PER_THREAD; i++) {
        if (xylem_base__uuid_v7(ids[i], NULL) < 0) {
            return out;
        }
    }
    return NULL;
}

static int compare_ids(const void *a, const void *b)
{
    return memcmp(a, b, XYLEM_BASE__UUID_TEXT_BYTES);
}

WITH_NULL(threads_never_get_the_same_id)
{
    static char ids[THREAD_COUNT * IDS_PER_THREAD][XYLEM_BASE__UUID_TEXT_BYTES];
    pthread_t threads[THREAD_COUNT];
    fixed_ms = 4102445200000;
    for (size_t i = 0; i < THREAD_COUNT; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, make_many, ids + i * IDS_PER_THREAD), 0);
    }
    for (size_t i = 0; i < THREAD_COUNT; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_null(result);
    }
    qsort(ids, THREAD_COUNT * IDS_PER_THREAD, sizeof *ids, compare_ids);
    for (size_t i = 1; i < THREAD_COUNT * IDS_PER_THREAD; i++) {
        assert_true(memcmp(ids[i - 1], ids[i], sizeof *ids) < 0);
    }
}

WITH_NULL(random_bytes_are_read_whole_through_interruptions)
{
    unsigned char bytes[8] = {0};
    chance_is_cut = true;
    chance_byte = 0x5A;
    assert_int_equal(xylem_base__random(bytes, 7, NULL), 0);
    assert_memory_equal(bytes, "\x5A\x5A\x5A\x5A\x5A\x5A\x5A\0", 8);
}

TEST(the_bytes_of_a_uuid_are_shown_in_their_order)
{
    static const unsigned char uuid[16] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                           0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10};
    char text[XYLEM_BASE__UUID_TEXT_BYTES + 1];
    xylem_base__uuid_show(text, uuid);
    assert_string_equal(text, "01234567-89ab-cdef-fedc-ba9876543210");
}

WITH_NULL(without_chance_there_is_no_id)
{
    char text[XYLEM_BASE__UUID_TEXT_BYTES];
    struct xylem_error err = {0};
    chance_errno = EPERM;
    assert_int_equal(xylem_base__uuid_v7(text, &err), XYLEM_E_IO);
    assert_string_equal(err.text, "cannot read random bytes: Operation not permitted");
}
