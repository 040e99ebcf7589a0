/* xylem navigate: where the leaf goes, and what it does not go to. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

static int set_up(void **state)
{
    command_set_up(state);
    command_must(*state, "append s --create --kind note --id e1");
    command_must(*state, "append s --kind note --id e2");
    command_must(*state, "append other --create --kind note --id x1");
    return 0;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, command_tear_down_verified)

IN_SCENE(the_next_append_goes_on_from_there)
{
    struct command *command = *state;

    assert_string_equal(command_done(command, "navigate s e1"), "leaf: e2 -> e1");
    command_must(command, "append s --kind note --id e3");
    assert_contains(command_done(command, "show s e3 --json"), "\"parent\":\"e1\"");
    assert_string_equal(command_done(command, "navigate s none"), "leaf: e3 -> none");
    command_must(command, "append s --kind note --id root");
    assert_contains(command_done(command, "show s root --json"), "\"parent\":null");
}

IN_SCENE(the_reason_is_kept_with_the_move)
{
    struct command *command = *state;

    command_run(command, "navigate", "s", "@~1", "--reason", "a better way", NULL);
    assert_exit(command, 0);
    assert_string_equal(command->out, "leaf: e2 -> e1\n");
    assert_contains(command_done(command, "moves s --jsonl"), "\"reason\":\"a better way\"");
}

IN_SCENE(a_move_to_the_leaf_itself_is_a_move)
{
    struct command *command = *state;

    assert_string_equal(command_done(command, "navigate s @"), "leaf: e2 -> e2");
    assert_contains(command_done(command, "moves s --jsonl"), "\"from\":\"e2\",\"to\":\"e2\"");
}

IN_SCENE(an_entry_of_another_session_is_no_place_to_go)
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
