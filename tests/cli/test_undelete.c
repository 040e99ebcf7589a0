/* xylem undelete: what was deleted is there again, until gc. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

TEST_WITH(an_undeleted_session_is_there_again, command_set_up_family, command_tear_down_verified)
{
    struct command *command = *state;

    command_must(command, "log source");
    char *before = strdup(command->out);
    command_must(command, "delete source --yes");
    assert_string_equal(command->out, "deleted session source (its leaf has depth 4)\n");
    command_line(command, "log source");
    assert_error(command, 3, "/store undelete source` brings it back");
    command_line(command, "log sour"); /* nobody is asked whether they meant another */
    assert_error(command, 3, "/store undelete source` brings it back)");
    command_must(command, "undelete sour");
    assert_string_equal(command->out, "undeleted session source (its leaf has depth 4)\n");
    command_must(command, "log source");
    assert_string_equal(command->out, before);
    free(before);
}

TEST_WITH(what_is_not_deleted_cannot_be_undeleted, command_set_up_family, command_tear_down_verified)
{
    struct command *command = *state;

    command_line(command, "undelete source");
    assert_error(command, 4, "the session source is not deleted");
    command_line(command, "undelete sour"); /* a beginning is only looked for among deleted ones */
    assert_error(command, 3, "there is no deleted session 'sour'");
    command_must(command, "delete source --yes");
    command_line(command, "undelete sou");
    assert_error(command, 3, "there is no deleted session 'sou' (`xylem");
    assert_contains(command->err, "/store sessions --deleted` lists deleted sessions)");
    command_line(command, "undelete");
    assert_error(command, 2, "an argument is missing");
}

TEST_WITH(an_ambiguous_beginning_is_refused_and_a_whole_id_is_not, command_set_up_family, command_tear_down_verified)
{
    struct command *command = *state;

    command_must(command, "append fork --create --kind note");
    command_must(command, "append fork-2 --create --kind note");
    command_must(command, "delete fork --yes");
    command_must(command, "delete fork-1 --yes");
    command_must(command, "delete fork-2 --yes");
    command_line(command, "undelete fork-");
    assert_error(command, 4, "'fork-' is ambiguous: 2 sessions: fork-");
    command_must(command, "undelete fork");
    assert_string_equal(command->out, "undeleted session fork (its leaf has depth 1)\n");
}

TEST_WITH(a_deleted_session_is_named_by_its_name_and_the_end_of_its_id, command_set_up_family,
          command_tear_down_verified)
{
    struct command *command = *state;

    command_run(command, "rename", "source", "fix the login", NULL);
    command_must(command, "delete login --yes");
    command_line(command, "log login");
    assert_error(command, 3, "there is no session 'login'"); /* only a part of its id is known of a deleted session */
    command_must(command, "undelete login");
    command_must(command, "delete source --yes");
    command_must(command, "undelete urce");
    command_must(command, "log source");
}
