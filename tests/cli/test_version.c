/* xylem version, and the option. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

TEST_WITH(version_is_told_in_three_ways, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;

    assert_int_equal(command_line(command, "version"), 0);
    assert_string_equal(command->out, "xylem 0.1.0\n");
    assert_int_equal(command_line(command, "--version"), 0);
    assert_string_equal(command->out, "xylem 0.1.0\n");
    assert_int_equal(command_line(command, "log --version"), 0);
    assert_string_equal(command->out, "xylem 0.1.0\n");
    assert_int_equal(command_line(command, "version --json"), 0);
    assert_string_equal(command->out, "{\"schema\":1,\"version\":\"0.1.0\"}\n");
}
