/* xylem version, and the option. */
#include "tests/cli/command.h"

static void version_is_told_in_three_ways(void **state)
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, command_set_up, command_tear_down_verified)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(version_is_told_in_three_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
