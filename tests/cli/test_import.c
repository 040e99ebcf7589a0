/* `xylem import` of forks and their sources. */
#include "tests/cli/command.h"

#define FAMILY SESSIONS "rpc-scenario"
#define FORK SESSIONS "specials/fork-with-labels--fork.jsonl"
#define SOURCE SESSIONS "specials/fork-with-labels.jsonl"

static void forks_share_with_their_sources(void **state)
{
    struct command *command = *state;

    command_line(command, "import " FAMILY);
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
    command_expect(command, "import-family.txt");
    command_line(command, "import " FAMILY);
    assert_contains(command->out, "7 files: 7 unchanged; 0 entries added, 0 lines put");
}

static void a_narrow_terminal_keeps_the_end_of_the_path(void **state)
{
    struct command *command = *state;

    setenv("COMMAND_COLUMNS", "80", 1);
    command_line(command, "import " FAMILY);
    unsetenv("COMMAND_COLUMNS");
    assert_exit(command, 0);
    command_expect(command, "import-family-80.txt");
}

static void sharing_is_reported_as_json(void **state)
{
    struct command *command = *state;

    command_line(command, "import --json " FORK " " SOURCE); /* the source is imported first, whatever the order */
    assert_exit(command, 0);
    command_expect(command, "import-family.json");
}

static void a_fork_without_its_source_says_so(void **state)
{
    struct command *command = *state;

    command_line(command, "import " FORK);
    assert_exit(command, 0);
    assert_contains(command->out, "a tree of its own: source 01a1fa04-89a2-7035-be02-03c84fb011b3 is not in the");
    command_line(command, "import " SOURCE);
    command_line(command, "delete --yes 01a1fa04-89a2");
    assert_exit(command, 0);
    command_line(command, "delete --yes 01a1fa04-89a3");
    assert_exit(command, 0);
    command->input = "{\"type\":\"session\",\"version\":3,\"id\":\"f1\",\"parentSession\":\"x_01a1fa04-89a2-7035-be02-"
                     "03c84fb011b3.jsonl\"}\n";
    char path[256];
    char line[300];
    command_path(path, command, "f1.jsonl");
    command_write_file(path, command->input, strlen(command->input));
    command->input = NULL;
    snprintf(line, sizeof(line), "import %s", path);
    command_line(command, line);
    assert_exit(command, 0);
    assert_contains(command->out, "a tree of its own: source 01a1fa04-89a2-7035-be02-03c84fb011b3 is deleted");
}

static void a_source_with_a_hostile_id_is_shown_escaped(void **state)
{
    struct command *command = *state;
    static const char file[] =
        "{\"type\":\"session\",\"version\":3,\"id\":\"f1\",\"parentSession\":\"x_\\u001b[2J\\u202e\"}\n"
        "{\"type\":\"note\",\"id\":\"a\",\"parentId\":null}\n";
    char path[256];
    char line[300];
    char name[128] = "f";
    for (int i = 0; i < 30; i++) {
        strcat(name, "\303\251");
    }
    command_path(path, command, strcat(name, ".jsonl"));
    command_write_file(path, file, strlen(file));
    snprintf(line, sizeof(line), "import %s", path);
    setenv("COMMAND_COLUMNS", "60", 1); /* the path is cut in the middle of its letters */
    command_line(command, line);
    unsetenv("COMMAND_COLUMNS");
    assert_exit(command, 0);
    assert_contains(command->out, "\n    a tree of its own: source \\x1b[2J\\u202e is not in the store\n");
    assert_contains(command->out, "  \342\200\246\303\251");
    assert_null(strchr(command->out, '\033'));
}

static void what_is_shared_can_be_stored_again(void **state)
{
    struct command *command = *state;

    command_line(command, "import --no-share " FORK " " SOURCE);
    assert_exit(command, 0);
    assert_null(strstr(command->out, "shared"));
    assert_contains(command->out, "2 files: 2 new; 16 entries added");
}

static void importing_makes_the_store_where_there_is_none(void **state)
{
    struct command *command = *state;

    command_line(command, "import /nowhere.jsonl");
    assert_exit(command, 3);
    command_line(command, "sessions");
    assert_error(command, 3, "there is no store in");
    command_line(command, "import " SOURCE);
    assert_exit(command, 0);
    assert_contains(command->err, "xylem: import: ");
    assert_contains(command->err, "/store is a new xylem store\n");
    command_line(command, "import " SOURCE);
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(forks_share_with_their_sources, command_set_up, command_tear_down_verified),
        cmocka_unit_test_setup_teardown(a_narrow_terminal_keeps_the_end_of_the_path, command_set_up,
                                        command_tear_down_verified),
        cmocka_unit_test_setup_teardown(importing_makes_the_store_where_there_is_none, command_set_up_empty,
                                        command_tear_down_verified),
        cmocka_unit_test_setup_teardown(sharing_is_reported_as_json, command_set_up, command_tear_down_verified),
        cmocka_unit_test_setup_teardown(a_fork_without_its_source_says_so, command_set_up, command_tear_down_verified),
        cmocka_unit_test_setup_teardown(a_source_with_a_hostile_id_is_shown_escaped, command_set_up,
                                        command_tear_down_verified),
        cmocka_unit_test_setup_teardown(what_is_shared_can_be_stored_again, command_set_up, command_tear_down_verified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
