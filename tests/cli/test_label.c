/* xylem label. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

static int make_session(void **state)
{
    command_set_up(state);
    command_must(*state, "append talk --create --kind note --id first");
    command_must(*state, "append talk --kind note --id second");
    return 0;
}

#define WITH_SESSION(test) TEST_WITH(test, make_session, command_tear_down_verified)

WITH_SESSION(a_label_is_set_changed_and_removed)
{
    struct command *command = *state;

    command_run(command, "label", "talk:first", "the \"good\" one", NULL);
    assert_exit(command, 0);
    assert_string_equal(command->out, "label of first: none -> the \"good\" one\n");
    command_must(command, "show talk --json");
    assert_contains(command->out, "\"kind\":\"label\"");
    assert_contains(command->out, "\"payload\":{\"targetId\":\"first\",\"label\":\"the \\\"good\\\" one\"}");
    command_run(command, "label", "talk:the \"good\" one", "better", NULL);
    assert_string_equal(command->out, "label of first: the \"good\" one -> better\n");
    command_must(command, "show talk:better --json");
    assert_contains(command->out, "\"id\":\"first\"");
    command_must(command, "label talk:better");
    assert_string_equal(command->out, "label of first: better -> none\n");
    command_must(command, "show talk --json");
    assert_contains(command->out, "\"payload\":{\"targetId\":\"first\"}");
    command_line(command, "label talk:first");
    assert_error(command, 3, "the entry first has no label");
    command_run(command, "label", "talk:first", "", NULL);
    assert_error(command, 3, "the entry first has no label");
}

WITH_SESSION(a_label_needs_an_entry_in_the_same_word)
{
    struct command *command = *state;

    command_line(command, "label talk good");
    assert_error(command, 2, "an argument is missing: xylem label SESSION:ENTRY (");
    command_line(command, "label talk:none good");
    assert_error(command, 3, "there is no entry 'none'");
    command_line(command, "label nobody:@ good");
    assert_error(command, 3, "there is no session 'nobody:@'");
    command_must(command, "log talk");
    assert_null(strstr(command->out, "label"));
}

TEST_WITH(a_label_in_a_session_of_a_host_is_refused, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;

    command_line(command, "label 01a1f9f7-22cb:@^6 good");
    assert_error(command, 4,
                 "label: the program that keeps the session would never see the change: in pi, press shift+l "
                 "on the entry in /tree (--only-in-store changes the store alone; the session's file is /");
    command_must(command, "label 01a1f9f7-22cb:@^6 good --only-in-store");
    assert_string_equal(command->out, "label of 8d16e680: none -> good\n");
    command_must(command, "clone 01a1f9f7-22cb --id copy"); /* no host knows the clone */
    command_must(command, "label copy:good better");
}

/* Nobody keeps the session any more, so nobody would miss the label. */
TEST_WITH(a_session_whose_file_is_gone_takes_labels, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    char path[256];
    size_t bytes = 0;
    char *text = command_read_file(SCENARIO, &bytes);

    command_path(path, command, "talk.jsonl");
    command_write_file(path, text, bytes);
    free(text);
    command_run(command, "import", "-q", path, NULL);
    assert_exit(command, 0);
    command_line(command, "label 01a1f9f7-22cb:@^6 good");
    assert_error(command, 4, "; the session's file is /");
    assert_int_equal(unlink(path), 0);
    command_must(command, "label 01a1f9f7-22cb:@^6 good");
    command_must(command, "rename 01a1f9f7-22cb name");
    command_must(command, "navigate 01a1f9f7-22cb @~1");
    command_must(command, "append 01a1f9f7-22cb --kind note");
}
