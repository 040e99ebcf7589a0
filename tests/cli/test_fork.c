/* xylem fork: what a fork shares, where it begins, and the labels that it lacks. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

TEST_WITH(a_fork_before_an_entry_and_before_a_root, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;

    command_done(command, "append s --create --kind note --id e1");
    command_done(command, "append s --kind note --id e2");
    assert_contains(command_done(command, "fork s e2 --before --id f --json"),
                    "{\"schema\":1,\"session\":\"f\",\"source\":\"s\",\"base\":\"e1\",\"depth\":1,");
    assert_contains(command_done(command, "fork s e1 --before --id g --json"), "\"base\":null,\"depth\":0,");
    assert_string_equal(command_done(command, "log g"), "");
    assert_contains(command_done(command, "clone g --id h --json"), "\"base\":null,\"depth\":0,");
    assert_contains(command_done(command, "clone s --json"), "\"base\":\"e2\",\"depth\":2,");
}

TEST_WITH(labels_that_a_fork_lacks_are_counted_and_appended_on_request, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;

    command_done(command, "append s --create --kind note --id e1");
    command_done(command, "append s --kind note --id e2");
    command_done(command, "append s --kind label --data {\"targetId\":\"e1\",\"label\":\"here\"}");
    command_done(command, "fork s e2 --id f");
    assert_contains(command->err, "1 label of the source lies outside of the shared path and was left behind");
    assert_contains(command_done(command, "fork s e2 --json"), "\"labels_appended\":0,\"labels_missing\":1}");
    assert_contains(command_done(command, "fork s e2 --labels --json --id g"),
                    "\"labels_appended\":1,\"labels_missing\":0}");
    assert_contains(command_done(command, "show g e1"), "label     here");
    command_done(command, "clone s --id h");
    assert_string_equal(command->err, "");
    assert_contains(command_done(command, "show h e1 --json"), "\"label\":\"here\"");
}

TEST_WITH(a_label_that_changed_or_went_off_the_path_counts_as_lacking, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;

    command_done(command, "append s --create --kind note --id e1");
    command_done(command, "append s --kind note --id e2");
    command_done(command, "append s --kind label --data {\"targetId\":\"e1\",\"label\":\"old\"}");
    command_done(command, "append s --kind label --data {\"targetId\":\"e2\",\"label\":\"gone\"} --id base");
    command_done(command, "append s --kind label --data {\"targetId\":\"e1\",\"label\":\"new\"}");
    command_done(command, "append s --kind label --data {\"targetId\":\"e2\"}");
    assert_contains(command_done(command, "fork s base --json --id f"), "\"labels_appended\":0,\"labels_missing\":2}");
    assert_contains(command_done(command, "show f e1"), "label     old");
    assert_contains(command_done(command, "fork s base --labels --json --id g"),
                    "\"labels_appended\":2,\"labels_missing\":0}");
    assert_contains(command_done(command, "show g e1"), "label     new");
    assert_contains(command_done(command, "show g e2 --json"), "\"label\":null");
}
