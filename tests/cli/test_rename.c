/* xylem rename; and the commands that refuse to append to a session of a host. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"
#include "xylem/files.h"

TEST_WITH(a_session_gets_a_name_and_another, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;

    command_must(command, "append talk --create --kind note --id first");
    command_run(command, "rename", "talk", "fix the \"login\"", NULL);
    assert_exit(command, 0);
    assert_string_equal(command->out, "name: none -> fix the \"login\"\n");
    command_must(command, "show talk --json");
    assert_contains(command->out, "\"kind\":\"session_info\"");
    assert_contains(command->out, "\"payload\":{\"name\":\"fix the \\\"login\\\"\"}");
    command_run(command, "rename", "fix the", "done", NULL);
    assert_string_equal(command->out, "name: fix the \"login\" -> done\n");
    command_must(command, "show done:@^1 --json");
    assert_contains(command->out, "\"id\":\"first\"");
    command_run(command, "rename", "done", " \t", NULL);
    assert_error(command, 2, "a name needs a character other than blanks");
    command_line(command, "rename nobody name");
    assert_error(command, 3, "there is no session 'nobody'");
}

/* The damaged session may have the name, too. */
TEST_WITH(beside_a_damaged_name_a_session_is_changed_by_its_id, command_set_up, command_tear_down)
{
    struct command *command = *state;

    command_must(command, "append talk --create --kind session_info --data {\"name\":\"login\"}");
    command_must(command, "append other --create --kind session_info --id unreadable --data {\"name\":\"login\"}");
    command_must(command, "append other --kind note");
    command_damage(command, "unreadable");
    command_line(command, "rename login done");
    assert_error(command, 5,
                 "'login' is not known: a damaged session may have the same name; name the session by its id");
    command_line(command, "delete login --yes");
    assert_exit(command, 5);
    command_must(command, "show login");
    command_must(command, "rename talk done");
    assert_string_equal(command->out, "name: login -> done\n");
}

TEST_WITH(a_session_of_a_host_is_changed_in_the_host, command_set_up_scenario, command_tear_down_verified)
{
    static const struct {
        const char *line;
        const char *how;
    } cases[] = {
        {"rename 01a1f9f7-22cb name", "in pi, type /name NAME ("},
        {"append 01a1f9f7-22cb --kind note", "in pi, an extension calls pi.appendEntry() ("},
        {"append " SCENARIO_ID " --kind note --create", "in pi, an extension calls pi.appendEntry() ("},
        {"navigate 01a1f9f7-22cb @~1", "in pi, use /tree ("},
        {"sequence save 01a1f9f7-22cb --step go", "in pi, an extension appends the snapshot with pi.appendEntry() ("}};
    struct command *command = *state;
    char line[128];

    command_must(command, "sessions --json");
    char *before = strdup(command->out);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        command_line(command, cases[i].line);
        assert_error(command, 4, cases[i].how);
        assert_contains(command->err, "; the session's file is /");
    }
    command_must(command, "sessions --json");
    assert_string_equal(command->out, before);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(line, sizeof(line), "%s --only-in-store", cases[i].line);
        command_must(command, line);
    }
    free(before);
}

/* A session that its host mirrors is known by the file that the host notes. */
TEST_WITH(a_mirrored_session_is_a_session_of_a_host, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_error err = {0};
    char path[256];

    command_must(command, "append talk --create --kind note");
    command_path(path, command, "file.jsonl");
    command_write_file(path, "", 0);
    assert_int_equal(xylem_open(&store, command->store, NULL, &err), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), 0);
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("talk"), &err), 0);
    assert_int_equal(xylem_session_file_note(txn, session.number, path, &err), 1);
    assert_int_equal(xylem_commit(txn, &err), 0);
    assert_int_equal(xylem_close(store, &err), 0);
    command_line(command, "rename talk name");
    assert_error(command, 4, "/file.jsonl)");
    command_must(command, "rename talk name --only-in-store");
}
