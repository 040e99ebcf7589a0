/* A file that changes while it is read. The test's own read() changes the file between two pieces. */
#include <stdint.h>
#include <sys/syscall.h>

#include "tests/replay/reads/place.h"
#include "xylem/reads.h"

static int changes_left;  /* readings that meet a change */
static unsigned readings; /* of the file, from its start */
static bool grows;        /* each reading finds more bytes */

static void append_byte(void)
{
    int fd = open(place("f"), O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_true(fd >= 0 && write(fd, "y", 1) == 1 && close(fd) == 0);
}

ssize_t read(int fd, void *buffer, size_t bytes)
{
    if (lseek(fd, 0, SEEK_CUR) == 0) {
        readings++;
        if (changes_left > 0) {
            changes_left--;
            append_byte();
        }
    }
    return grows ? (ssize_t)bytes : syscall(SYS_read, fd, buffer, bytes);
}

static int fingerprint(struct xylem_fingerprint *found, int changes)
{
    struct xylem_error err = {0};
    place_text("f", "abc");
    changes_left = changes;
    readings = 0;
    int code = xylem_fingerprint_file(found, place("f"), &err);
    if (code < 0) {
        assert_string_equal(err.text, "the file changes while it is read");
    }
    return code;
}

IN_PLACE(a_file_that_changes_twice_is_read_three_times)
{
    struct xylem_fingerprint found;
    struct xylem_fingerprint still;
    assert_int_equal(fingerprint(&found, 2), 0);
    assert_int_equal(readings, 3);
    assert_int_equal(found.bytes, 5);
    assert_int_equal(xylem_fingerprint_file(&still, place("f"), NULL), 0);
    assert_string_equal(found.hash, still.hash);
}

IN_PLACE(a_file_that_changes_each_time_has_no_fingerprint)
{
    struct xylem_fingerprint found = {.bytes = 7};
    assert_int_equal(fingerprint(&found, 3), XYLEM_E_BUSY);
    assert_int_equal(found.bytes, 7);
}

IN_PLACE(a_file_without_an_end_has_no_fingerprint)
{
    struct xylem_fingerprint found;
    grows = true;
    int code = fingerprint(&found, 3);
    grows = false;
    assert_int_equal(code, XYLEM_E_BUSY);
}

IN_PLACE(a_file_that_changes_is_unread_for_a_check)
{
    struct xylem_reads *reads;
    struct xylem_reads_verdict verdict = {.block = false};
    struct xylem_fingerprint found;
    struct xylem_view key = xylem_view_of(place("f"));
    assert_int_equal(xylem_reads_new(&reads, NULL), 0);
    assert_int_equal(fingerprint(&found, 0), 0);
    assert_int_equal(xylem_reads_note(reads, key, &found, XYLEM_READ_BY_READ, 1, NULL), 0);
    changes_left = 3;
    assert_int_equal(xylem_reads_check_file(&verdict, reads, key, xylem_view_of("f"), XYLEM_WRITE_TOOL_EDIT, NULL), 0);
    assert_int_equal(verdict.why, XYLEM_READS_UNREAD);
    assert_string_equal(verdict.message.data,
                        "Blocked: f was not read in this session: the file changes while it is read.");
    xylem_reads_verdict_release(&verdict);
    xylem_reads_free(reads);
}
