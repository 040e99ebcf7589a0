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
#include "tests/lib/store_builder.h"
#include "xylem/segment.h"

static int write_out(void *context, const void *data, size_t bytes)
{
    return write(*(const int *)context, data, bytes) == (ssize_t)bytes ? 0 : errno;
}

/* A bundle that announces the first changes of a session, and has a segment (bytes 0: none). */
static void make_bundle(const char *path, uint64_t change_count, uint64_t chain, struct xylem_view segment)
{
    struct xylem_cli__bundle_writer writer;
    struct xylem_buffer list = {0};
    struct xylem_error err;
    unsigned char store[16] = {1};
    const uint64_t numbers[] = {1, change_count + 1, 0, chain, change_count};
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
    assert_int_equal(xylem_cli__bundle_put(&writer, 1, (struct xylem_view){list.data, list.bytes}, &err), 0);
    list.bytes = 0;
    if (segment.bytes > 0) {
        assert_int_equal(xylem_base__add_sized(&list, segment), 0);
        assert_int_equal(xylem_cli__bundle_put(&writer, 2, (struct xylem_view){list.data, list.bytes}, &err), 0);
    }
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
        make_bundle(path, change_count, change_count > 0, (struct xylem_view){NULL, 0});
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            int expected = change_count > 0 ? 5 : i == 0 ? 0 : 4; /* a session without a change is none */
            assert_int_equal(unbundle(directory, ways[i]), expected);
        }
    }
    test_directory_remove(directory);
}

/* The list names a session of the empty namespace, which the segment must not be taken for. */
TEST(a_bundle_with_a_segment_of_a_namespace_is_damaged)
{
    static const char *const name_spaces[] = {NULL, "a"};
    char directory[200];
    char path[256];
    test_directory_make(directory, sizeof directory, "announced");
    (void)snprintf(path, sizeof path, "%s/bundle", directory);
    for (size_t i = 0; i < 2; i++) {
        struct store_builder builder;
        struct xylem_session session;
        struct xylem_packing *packing = NULL;
        struct xylem_buffer bytes = {0};
        struct xylem_segment segment;
        struct xylem_error err;
        const struct xylem_session_options options = {.id = xylem_view_of("ghost"),
                                                      .name_space = xylem_view_of(name_spaces[i])};
        store_builder_open(&builder);
        store_builder_must(xylem_session_create(&session, builder.txn, &options, &err), &err);
        store_builder_must(xylem_packing_new(&packing, builder.txn, session.number, NULL, &err), &err);
        assert_int_equal(xylem_packing_next(&bytes, &segment, packing, &err), 1);
        make_bundle(path, 1, segment.chain, (struct xylem_view){bytes.data, bytes.bytes});
        xylem_packing_free(packing);
        xylem_buffer_release(&bytes);
        store_builder_close(&builder);
        assert_int_equal(unbundle(directory, ""), i == 0 ? 0 : 5);
    }
    test_directory_remove(directory);
}
