/* xylem export to somebody else's file. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

TEST_WITH(an_export_does_not_follow_somebody_elses_link, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    char victim[256];
    char link[256];
    command_path(victim, command, "victim");
    command_path(link, command, "link");
    command_write_file(victim, "mine", 4);
    assert_int_equal(symlink(victim, link), 0);
    if (geteuid() != 0) {
        skip(); /* only the administrator can give a link away */
    }
    assert_int_equal(lchown(link, 4711, 4711), 0);
    command_run(command, "export", SCENARIO_ID, "-o", link, NULL);
    assert_error(command, 6, "is a symbolic link that belongs to user 4711");
    size_t bytes = 0;
    char *data = command_read_file(victim, &bytes);
    assert_string_equal(data, "mine");
    free(data);
    /* One's own leads to what is replaced, and stays. */
    assert_int_equal(lchown(link, geteuid(), (gid_t)-1), 0);
    command_run(command, "export", SCENARIO_ID, "-o", link, NULL);
    assert_exit(command, 0);
    struct stat status;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(victim, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_true(status.st_size > 1000);
}
