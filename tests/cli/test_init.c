/* xylem init: a new store, and what is in its place already. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define WITH_EMPTY(test) TEST_WITH(test, command_set_up_empty, command_tear_down)

WITH_EMPTY(a_store_is_made_with_the_directories_above_it)
{
    struct command *command = *state;
    char store[256];
    char line[300];

    command_path(store, command, "a/b/new");
    snprintf(line, sizeof line, "-s %s init", store);
    command_must(command, line);
    snprintf(line, sizeof line, "%s is a new xylem store\n", store);
    assert_string_equal(command->out, line);
    assert_string_equal(command->err, "");
    assert_int_equal(command_mode(command, "a"), 0700);
    assert_int_equal(command_mode(command, "a/b/new"), 0700);
    snprintf(line, sizeof line, "-s %s verify", store);
    command_must(command, line);
}

WITH_EMPTY(a_store_that_is_there_stays_as_it_is)
{
    struct command *command = *state;
    char said[256];

    command_must(command, "init");
    command_must(command, "append s --create --kind note --id one");
    command_must(command, "init");
    snprintf(said, sizeof said, "%s is a xylem store already\n", command->store);
    assert_string_equal(command->out, said);
    command_must(command, "show s one");
}

WITH_EMPTY(a_file_in_the_place_of_the_store_is_refused)
{
    struct command *command = *state;

    command_write_file(command->store, "mine", 4);
    command_line(command, "init");
    assert_exit(command, 3);
    char *text = command_read_file(command->store, NULL);
    assert_string_equal(text, "mine");
    free(text);
    command_line(command, "init here");
    assert_error(command, 2, "unexpected argument 'here'");
}

WITH_EMPTY(foreign_data_is_left_alone)
{
    struct command *command = *state;
    char path[256];
    char foreign[8192];

    memset(foreign, 'f', sizeof(foreign));
    assert_int_equal(mkdir(command->store, 0700), 0);
    command_path(path, command, "store/data.mdb");
    command_write_file(path, foreign, sizeof(foreign));
    command_line(command, "sessions");
    assert_true(command->code == 3 || command->code == 5);
    command_line(command, "init");
    assert_true(command->code == 3 || command->code == 5);
    size_t bytes = 0;
    char *now = command_read_file(path, &bytes);
    assert_int_equal(bytes, sizeof(foreign));
    assert_memory_equal(now, foreign, sizeof(foreign));
    free(now);
}
