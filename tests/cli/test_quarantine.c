/* xylem quarantine: the lines that an import could not place. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

TEST_WITH(quarantined_lines_are_listed_and_printed, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    char line[256];

    command_line(command, "import " SESSIONS "specials/damaged-middle-line.jsonl --json");
    assert_exit(command, 1);
    assert_contains(command->out, "\"problems\":[{\"type\":\"not-json\",\"line\":4,\"offset\":757,\"entry\":null,"
                                  "\"quarantined\":true,\"text\":\"the line is not a JSON object\"}]");
    char *id = strdup(strstr(command->out, "\"session\":\"") + 11);
    *strchr(id, '"') = '\0';
    snprintf(line, sizeof line, "quarantine %s", id);
    command_must(command, line);
    assert_contains(command->out, "4     757     30  not-json");
    snprintf(line, sizeof line, "quarantine %s --raw 4", id);
    command_must(command, line);
    assert_string_equal(command->out, "{\"type\":\"custom\",\"id\":\"broken\n");
    snprintf(line, sizeof line, "quarantine %s --raw 5", id);
    command_line(command, line);
    assert_error(command, 3, "line 5 is not in quarantine");
    command_must(command, "append other --create --kind note");
    command_must(command, "quarantine --json");
    assert_contains(command->out, id);
    snprintf(line, sizeof line, "delete %s --yes", id);
    command_must(command, line);
    command_must(command, "quarantine");
    assert_contains(command->out, "SESSION");
    assert_contains(command->out, id);
    assert_contains(command->out, "     4     757     30  not-json");
    command_line(command, "quarantine --raw 4");
    assert_error(command, 2, "--raw needs a session: xylem quarantine SESSION --raw LINE");
    free(id);
}

TEST_WITH(a_narrow_list_has_ids_that_name_their_sessions, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;

    command_line(command, "import " SESSIONS "specials");
    assert_exit(command, 1);
    for (size_t columns = 40; columns <= 120; columns += 20) {
        command_must_fit(command, columns, "quarantine");
        char *list = strdup(command->out);
        char *rest = NULL;
        size_t rows = 0;
        assert_non_null(list);
        for (char *row = strtok_r(list, "\n", &rest); (row = strtok_r(NULL, "\n", &rest)); rows++) {
            char line[256];
            snprintf(line, sizeof line, "quarantine %.*s", (int)strcspn(row, " "), row);
            command_must(command, line);
            assert_contains(command->out, "LINE");
        }
        assert_true(rows >= 2);
        free(list);
    }
}
