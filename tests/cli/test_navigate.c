/* xylem navigate: where the leaf goes, and what it does not go to. */
#include "tests/cli/command.h"

static int set_up(void **state)
{
    command_set_up(state);
    command_must(*state, "append s --create --kind note --id e1");
    command_must(*state, "append s --kind note --id e2");
    command_must(*state, "append other --create --kind note --id x1");
    return 0;
}

static void the_next_append_goes_on_from_there(void **state)
{
    struct command *command = *state;

    assert_string_equal(command_done(command, "navigate s e1"), "leaf: e2 -> e1");
    command_must(command, "append s --kind note --id e3");
    assert_contains(command_done(command, "show s e3 --json"), "\"parent\":\"e1\"");
    assert_string_equal(command_done(command, "navigate s none"), "leaf: e3 -> none");
    command_must(command, "append s --kind note --id root");
    assert_contains(command_done(command, "show s root --json"), "\"parent\":null");
}

static void the_reason_is_kept_with_the_move(void **state)
{
    struct command *command = *state;

    command_run(command, "navigate", "s", "@~1", "--reason", "a better way", NULL);
    assert_exit(command, 0);
    assert_string_equal(command->out, "leaf: e2 -> e1\n");
    assert_contains(command_done(command, "moves s --jsonl"), "\"reason\":\"a better way\"");
}

static void a_move_to_the_leaf_itself_is_a_move(void **state)
{
    struct command *command = *state;

    assert_string_equal(command_done(command, "navigate s @"), "leaf: e2 -> e2");
    assert_contains(command_done(command, "moves s --jsonl"), "\"from\":\"e2\",\"to\":\"e2\"");
}

static void an_entry_of_another_session_is_no_place_to_go(void **state)
{
    struct command *command = *state;

    command_line(command, "navigate s x1");
    assert_error(command, 3, "there is no entry 'x1'");
    command_line(command, "navigate s @~2");
    assert_error(command, 3, "'@' has depth 2");
    command_line(command, "navigate s");
    assert_error(command, 2, "an argument is missing: xylem navigate SESSION ENTRY|none");
    assert_string_equal(command_done(command, "moves s --jsonl"), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, command_tear_down_verified)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_next_append_goes_on_from_there),
        TEST(the_reason_is_kept_with_the_move),
        TEST(a_move_to_the_leaf_itself_is_a_move),
        TEST(an_entry_of_another_session_is_no_place_to_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
