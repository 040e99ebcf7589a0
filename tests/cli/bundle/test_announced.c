/* The first part of a bundle announces the changes: a bundle without them, or with others, is damaged. */
#include "tests/lib/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cli/bundle/container.h"

static int write_out(void *context, const void *data, size_t bytes)
{
    return write(*(const int *)context, data, bytes) == (ssize_t)bytes ? 0 : errno;
}

/* A bundle that announces the first changes of a session, and has none of them. */
static void make_bundle(const char *path, uint64_t change_count)
{
    struct xylem_cli__bundle_writer writer;
    struct xylem_buffer list = {0};
    struct xylem_error err;
    unsigned char store[16] = {1};
    const uint64_t numbers[] = {1, change_count + 1, 0, change_count > 0, change_count};
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(xylem_base__add_u8(&list, 1), 0);
    assert_int_equal(xylem_buffer_add(&list, store, sizeof store), 0);
    assert_int_equal(xylem_base__add_i64(&list, 0), 0);
    assert_int_equal(xylem_base__add_u64(&list, 0), 0);
    assert_int_equal(xylem_base__add_u32(&list, 1), 0);
    assert_int_equal(xylem_base__add_sized(&list, xylem_view_of("ghost")), 0);
    assert_int_equal(xylem_base__add_u64s(&list, numbers, sizeof numbers / sizeof numbers[0]), 0);
    assert_int_equal(xylem_base__add_u8(&list, 1), 0);
    assert_int_equal(xylem_cli__bundle_begin(&writer, write_out, &fd, &err), 0);
    assert_int_equal(
        xylem_cli__bundle_put(&writer, 1, (struct xylem_view){list.data, list.bytes}, &err), 0);
    assert_int_equal(xylem_cli__bundle_end(&writer, &err), 0);
    xylem_cli__bundle_release(&writer);
    xylem_buffer_release(&list);
    assert_int_equal(close(fd), 0);
}

/* The exit code of `xylem unbundle HOW` with the bundle. */
static int unbundle(const char *directory, const char *how)
{
    char line[1200];
    const char *program = getenv("XYLEM_BIN");
    (void)snprintf(line, sizeof line, "'%s' -s '%s/store' unbundle %s '%s/bundle' >/dev/null 2>'%s/said'",
                   program ? program : "build/xylem", directory, how, directory, directory);
    int status = system(line);
    assert_true(status != -1 && WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(a_bundle_without_the_changes_that_it_announces_is_damaged)
{
    static const char *const ways[] = {"--check", "--dry-run", ""};
    char directory[200];
    char path[256];
    test_directory_make(directory, sizeof directory, "announced");
    (void)snprintf(path, sizeof path, "%s/bundle", directory);
    for (uint64_t change_count = 0; change_count < 5; change_count += 4) {
        make_bundle(path, change_count);
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            int expected = change_count > 0 ? 5 : i == 0 ? 0 : 4; /* a session without a change is none */
            assert_int_equal(unbundle(directory, ways[i]), expected);
        }
    }
    test_directory_remove(directory);
}
