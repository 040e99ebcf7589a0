/* How much room there is, and how it is told. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/os.h"
#include "base/space.h"
#include "tests/lib/test.h"

TEST(sizes_are_told_in_the_largest_unit_that_they_have_one_of)
{
    static const struct {
        uint64_t bytes;
        const char *down;
        const char *up;
    } cases[] = {
        {0, "0 B", "0 B"},
        {1023, "1023 B", "1023 B"},
        {1024, "1.0 KiB", "1.0 KiB"},
        {1025, "1.0 KiB", "1.1 KiB"},
        {1536, "1.5 KiB", "1.5 KiB"},
        {16384, "16.0 KiB", "16.0 KiB"},
        {1048575, "1023.9 KiB", "1024.0 KiB"},
        {1048576, "1.0 MiB", "1.0 MiB"},
        {UINT64_C(5) << 30, "5.0 GiB", "5.0 GiB"},
        {(UINT64_C(5) << 30) + 1, "5.0 GiB", "5.1 GiB"},
        {UINT64_C(3) << 40, "3.0 TiB", "3.0 TiB"},
        {UINT64_C(1) << 50, "1.0 PiB", "1.0 PiB"},
        {UINT64_MAX, "15.9 EiB", "16.0 EiB"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(xylem_base__size(cases[i].bytes, false).text, cases[i].down);
        assert_string_equal(xylem_base__size(cases[i].bytes, true).text, cases[i].up);
    }
}

TEST(what_has_no_room_is_told_before_it_is_written)
{
    struct xylem_error err = {0};
    struct rlimit before;
    assert_int_equal(xylem_base__room_check("/tmp", 1, "a copy", &err), XYLEM_OK);
    assert_int_equal(xylem_base__room_check("/tmp", UINT64_C(1) << 62, "a copy", &err), XYLEM_E_NO_SPACE);
    assert_non_null(strstr(err.text, "a copy in /tmp takes 4.0 EiB, and its file system has room for "));
    assert_non_null(strstr(err.text, "iB"));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = {1048576, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int code = xylem_base__room_check("/tmp", 2097152, "a copy", &err);
    struct xylem_error full = {0};
    int full_code = xylem_base__space_fail(&full, EFBIG, "cannot write to", "/tmp", -1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(code, XYLEM_E_NO_SPACE);
    assert_int_equal(full_code, XYLEM_E_NO_SPACE);
    assert_string_equal(full.text, "cannot write to /tmp: the process's file size limit is 1.0 MiB (ulimit -f)");
    assert_string_equal(err.text, "a copy in /tmp takes 2.0 MiB, and this process may write files of 1.0 MiB at most "
                                  "(see ulimit -f)");
}

TEST(a_full_file_system_says_how_much_it_has)
{
    struct xylem_error err = {0};
    assert_int_equal(xylem_base__space_fail(&err, ENOSPC, "cannot write to", "/tmp", -1), XYLEM_E_NO_SPACE);
    assert_non_null(strstr(err.text, "cannot write to /tmp: no space left: its file system has "));
    assert_null(strstr(err.text, "bytes"));
    assert_string_equal(err.text + strlen(err.text) - strlen(" free"), " free");
}
