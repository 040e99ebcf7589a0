/* xylem clone: a fork at the leaf. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

static int set_up(void **state)
{
    command_set_up(state);
    command_must(*state, "append s --create --kind note --id e1");
    command_must(*state, "append s --kind note --id e2");
    command_must(*state, "append s --kind note --id e3");
    return 0;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, command_tear_down_verified)

IN_SCENE(a_clone_shares_the_path_of_the_leaf_and_goes_its_own_way)
{
    struct command *command = *state;

    command_must(command, "navigate s e2");
    assert_string_equal(command_done(command, "clone s --id c"), "c");
    assert_contains(command_done(command, "show c @ --json"), "\"id\":\"e2\"");
    command_line(command, "show c e3");
    assert_error(command, 3, "there is no entry 'e3'");
    command_must(command, "append c --kind note --id own");
    command_line(command, "show s own");
    assert_error(command, 3, "there is no entry 'own'");
    assert_contains(command_done(command, "show c own --json"), "\"parent\":\"e2\"");
}

IN_SCENE(an_id_is_made_unless_one_is_given)
{
    struct command *command = *state;
    char line[128];

    char *id = strdup(command_done(command, "clone s"));
    assert_int_equal(strlen(id), 36);
    snprintf(line, sizeof line, "show %s @ --json", id);
    assert_contains(command_done(command, line), "\"id\":\"e3\"");
    snprintf(line, sizeof line, "clone s --id %s", id);
    command_line(command, line);
    assert_error(command, 4, id);
    free(id);
}

IN_SCENE(a_clone_for_programs_is_one_document)
{
    struct command *command = *state;

    assert_contains(command_done(command, "clone s --id c --json"),
                    "{\"schema\":1,\"session\":\"c\",\"source\":\"s\",\"base\":\"e3\",\"depth\":3,");
}

IN_SCENE(a_session_without_a_leaf_has_a_clone_without_entries)
{
    struct command *command = *state;

    command_must(command, "navigate s none");
    assert_contains(command_done(command, "clone s --id c --json"), "\"base\":null,\"depth\":0,");
    assert_string_equal(command_done(command, "log c"), "");
}

IN_SCENE(labels_off_the_path_come_along_when_asked_for)
{
    struct command *command = *state;

    command_must(command, "append s --kind label --data {\"targetId\":\"e1\",\"label\":\"here\"}");
    command_must(command, "navigate s e2");
    assert_contains(command_done(command, "clone s --id without --json"),
                    "\"labels_appended\":0,\"labels_missing\":1}");
    command_must(command, "clone s --labels --id with");
    assert_contains(command_done(command, "show with e1 --json"), "\"label\":\"here\"");
    assert_contains(command_done(command, "show without e1 --json"), "\"label\":null");
}
