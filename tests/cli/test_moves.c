/* `xylem moves`: the recorded navigations. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

/* A session of three notes whose leaf went back, to nothing, and on to where it was. */
static int move_about(void **state)
{
    command_set_up(state);
    struct command *command = *state;
    command_must(command, "append s --create --kind note --id first --data \"one\"");
    command_must(command, "append s --kind note --id second --data \"two\"");
    command_must(command, "append s --kind note --id third --data \"three\"");
    command_run(command, "navigate", "s", "first", "--reason", "the other way", NULL);
    assert_exit(command, 0);
    command_must(command, "navigate s none");
    command_must(command, "append s --kind note --id root");
    command_must(command, "navigate s third");
    return 0;
}

static void expect(struct command *command, const char *line, const char *out)
{
    command_must(command, line);
    command->out = command_replace(command->out, "[0-9]{4}-[0-9-]+ [0-9:]{8}", "               TIME");
    assert_string_equal(command->out, out);
    assert_string_equal(command->err, "");
}

#define WITH_MOVE_ABOUT(test) TEST_WITH(test, move_about, command_tear_down_verified)

WITH_MOVE_ABOUT(navigations_are_listed_newest_first)
{
    expect(*state, "moves s",
           "NAME                 TIME  FROM            TO              REASON\n"
           "@{1}                 TIME  root            third  \"three\"\n"
           "@{2}                 TIME  first  \"one\"    none\n"
           "@{3}                 TIME  third  \"three\"  first  \"one\"    the other way\n");
    expect(*state, "moves s -n 1",
           "NAME                 TIME  FROM  TO\n"
           "@{1}                 TIME  root  third  \"three\"\n");
}

/* What stands in the first column leads to what stands under FROM. */
WITH_MOVE_ABOUT(each_has_the_name_of_where_the_leaf_was)
{
    struct command *command = *state;
    static const char *const names[][2] = {{"@{1}", "root"}, {"@{2}", "first"}, {"@{3}", "third"}};
    char line[64];
    char wanted[64];

    command_must(command, "moves s --jsonl");
    for (size_t i = 0; i < 3; i++) {
        snprintf(wanted, sizeof(wanted), "{\"schema\":1,\"number\":%zu,\"name\":\"%s\",", 3 - i, names[i][0]);
        assert_contains(command->out, wanted);
        snprintf(wanted, sizeof(wanted), "\"from\":\"%s\"", names[i][1]);
        assert_contains(command->out, wanted);
    }
    for (size_t i = 0; i < 3; i++) {
        snprintf(line, sizeof(line), "show s %s --json", names[i][0]);
        command_must(command, line);
        snprintf(wanted, sizeof(wanted), "\"id\":\"%s\"", names[i][1]);
        assert_contains(command->out, wanted);
    }
}

WITH_MOVE_ABOUT(documents_have_the_members_of_a_move)
{
    struct command *command = *state;

    command_must(command, "moves s --json -n 2");
    command->out = command_replace(command->out, "\"time\":\"[^\"]*\"", "TIME");
    assert_string_equal(command->out,
                        "{\"schema\":1,\"moves\":["
                        "{\"number\":3,\"name\":\"@{1}\",TIME,\"from\":\"root\",\"to\":\"third\",\"reason\":\"\"},"
                        "{\"number\":2,\"name\":\"@{2}\",TIME,\"from\":\"first\",\"to\":null,\"reason\":\"\"}]}\n");
    command_must(command, "moves s --jsonl");
    assert_contains(command->out, "\"from\":\"third\",\"to\":\"first\",\"reason\":\"the other way\"}");
}

WITH_MOVE_ABOUT(a_session_that_never_moved_says_so)
{
    struct command *command = *state;

    command_must(command, "fork s third --id f"); /* navigations are not shared */
    command_must(command, "moves f");
    assert_string_equal(command->out, "");
    assert_string_equal(command->err, "xylem: moves: the leaf of the session was never moved\n");
    command_must(command, "moves f --jsonl");
    assert_string_equal(command->out, "");
    assert_string_equal(command->err, "");
    command_line(command, "moves nobody");
    assert_error(command, 3, "there is no session 'nobody'");
}

/* Where there is little room, what the entries say is cut, and left out at last; reasons stay longest. */
WITH_MOVE_ABOUT(on_a_terminal_texts_share_what_room_there_is)
{
    static const char *const reason = "a reason of more words than there are cells left for it";
    struct command *command = *state;

    command->now = "2020-01-01T00:00:00Z"; /* before all of it: no age */
    command_run(command, "append", "s", "--kind", "note", "--id", "long", "--data",
                "\"what is said here is longer than any line of a terminal that people would have\"", NULL);
    command_run(command, "navigate", "s", "third", "--reason", reason, NULL);
    setenv("COMMAND_COLUMNS", "60", 1);
    command_must(command, "moves s -n 1");
    assert_string_equal(command->out, "NAME  AGE  FROM                TO              REASON\n"
                                      "@{1}   0s  long  \"what is sa…  third  \"three\"  a reason of…\n");
    setenv("COMMAND_COLUMNS", "36", 1);
    command_must(command, "moves s -n 1");
    assert_string_equal(command->out, "NAME  AGE  FROM  TO     REASON\n"
                                      "@{1}   0s  long  third  a reason of…\n");
    setenv("COMMAND_COLUMNS", "30", 1);
    command_must(command, "moves s -n 1");
    assert_string_equal(command->out, "NAME  AGE  FROM  TO\n"
                                      "@{1}   0s  long  third\n");
    unsetenv("COMMAND_COLUMNS");
    command->now = NULL;
}

WITH_MOVE_ABOUT(what_a_terminal_would_act_on_is_escaped)
{
    struct command *command = *state;

    command_run(command, "navigate", "s", "first", "--reason", "evil\x1b[2J\nline", NULL);
    command_must(command, "moves s -n 1");
    assert_null(strchr(command->out, '\x1b'));
    assert_contains(command->out, "evil\\x1b[2J line\n");
}

WITH_MOVE_ABOUT(long_ids_are_cut_to_what_names_them)
{
    struct command *command = *state;

    command_must(command, "append s --kind note --id 01a204a1-6a1f-7c11-a3b0-5f0a5c1f3e9d");
    command_must(command, "navigate s first");
    setenv("COMMAND_COLUMNS", "80", 1);
    command_must(command, "moves s -n 1");
    unsetenv("COMMAND_COLUMNS");
    assert_contains(command->out, " 01a204a1-6a1f  first");
    command_must(command, "moves s -n 1");
    assert_contains(command->out, " 01a204a1-6a1f-7c11-a3b0-5f0a5c1f3e9d  first");
}
