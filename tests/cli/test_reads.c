/* `xylem reads`: the files that a session has read, and the verdict on a file as the file is now. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define ABC_HASH "xxh3-128:06b05ab6733a618578af5f94892f3950" /* of `abc` */
#define EDITS "{\"toolName\":\"edit\",\"input\":{\"path\":\"read\"}}"
#define NOW "2026-11-20T12:00:00Z"
#define AT_MS "1795173000000" /* 2026-11-20T11:10:00Z */

/* Appends an entry with the word `by` on a file of the session's directory. */
static void append_file(struct command *command, const char *session, const char *id, const char *name,
                        const char *hash, const char *by, const char *at_ms)
{
    char data[1024];
    snprintf(data, sizeof data,
             "{\"version\":1,\"whole\":false,\"files\":[{\"path\":\"%s/%s\",\"hash\":\"%s\",\"bytes\":3,\"at\":%s,"
             "\"by\":\"%s\"}],\"gone\":[]}",
             command->directory, name, hash, at_ms, by);
    command_run(command, "append", session, "--kind", "custom:file-reads", "--id", id, "--data", data,
                "--only-in-store", NULL);
    assert_exit(command, 0);
}

static void import_session(struct command *command, const char *id)
{
    char path[256];
    char line[1024];
    command_path(path, command, "session.jsonl");
    int bytes = snprintf(line, sizeof line,
                         "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":\"2026-11-20T10:00:00.000Z\","
                         "\"cwd\":\"%s\"}\n",
                         id, command->directory);
    command_write_file(path, line, (size_t)bytes);
    command_run(command, "import", path, NULL);
    assert_exit(command, 0);
}

/* A session in the directory of the test, which has read `read` and written `gone`; `read` is there with `abc`. */
static int set_up(void **state)
{
    char path[256];
    command_set_up(state);
    struct command *command = *state;
    command->now = NOW;
    import_session(command, "s");
    append_file(command, "s", "first", "read", ABC_HASH, "read", AT_MS);
    append_file(command, "s", "second", "gone", ABC_HASH, "write", "1795173060000");
    command_path(path, command, "read");
    command_write_file(path, "abc", 3);
    return 0;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, command_tear_down_verified)

/* Runs `reads s NAME`, with the directory of the test as DIR in the output. */
static void ask(struct command *command, const char *name, int code, const char *out)
{
    command_run(command, "reads", "s", name, NULL);
    assert_exit(command, code);
    command->out = command_replace(command->out, command->directory, "DIR");
    assert_string_equal(command->out, out);
}

IN_SCENE(the_files_are_listed_last_used_first)
{
    struct command *command = *state;
    command_must(command, "reads s");
    assert_string_equal(command->out, "BY                    TIME  SIZE  FILE\n"
                                      "write  2026-11-20 11:11:00   3 B  gone\n"
                                      "read   2026-11-20 11:10:00   3 B  read\n");
    assert_string_equal(command->err, "");
    setenv("COMMAND_COLUMNS", "60", 1);
    command_must(command, "reads s --at first");
    unsetenv("COMMAND_COLUMNS");
    assert_string_equal(command->out, "BY    AGE  SIZE  FILE\n"
                                      "read  50m   3 B  read\n");
    command_must(command, "reads s:first");
    assert_contains(command->out, "read  2026-11-20 11:10:00");
}

IN_SCENE(the_list_has_a_form_for_programs)
{
    struct command *command = *state;
    command_must(command, "reads s:first --json");
    command->out = command_replace(command->out, command->directory, "DIR");
    assert_string_equal(command->out,
                        "{\"schema\":1,\"reads\":[{\"path\":\"DIR/read\",\"hash\":\"" ABC_HASH "\",\"bytes\":3,"
                        "\"at\":\"2026-11-20T11:10:00.000Z\",\"by\":\"read\"}]}\n");
    command_must(command, "reads s --jsonl");
    assert_contains(command->out, "\"by\":\"write\"}\n{\"schema\":1,\"path\":");
}

IN_SCENE(a_session_without_reads_says_so)
{
    struct command *command = *state;
    command_must(command, "reads s --at none");
    assert_string_equal(command->out, "");
    assert_string_equal(command->err, "xylem: reads: no host noted reads on the path\n");
    command_must(command, "reads s --at none --json");
    assert_string_equal(command->out, "{\"schema\":1,\"reads\":[]}\n");
}

/* What pi's own tools read stands in messages: a session without notes may have read much. */
TEST_WITH(a_session_without_notes_is_not_said_to_have_read_nothing, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    command_must(command, "reads " SCENARIO_ID);
    assert_string_equal(command->err, "xylem: reads: no host noted reads on the path\n");
    command_must(command, "append own --create --kind custom:file-reads --data "
                          "{\"version\":1,\"whole\":true,\"files\":[],\"gone\":[]}");
    command_must(command, "reads own");
    assert_string_equal(command->err, "xylem: reads: the session has read no files\n");
}

IN_SCENE(a_skipped_entry_is_told)
{
    struct command *command = *state;
    command_must(command, "append s --kind custom:file-reads --id bad --data {\"version\":2} --only-in-store");
    command_must(command, "reads s");
    assert_contains(command->out, "  read\n");
    assert_string_equal(command->err, "xylem: reads: 1 entry was skipped: bad: the version is not 1\n");
}

IN_SCENE(a_path_gets_the_verdict_of_the_file_as_it_is_now)
{
    struct command *command = *state;
    char path[256];
    ask(command, "@./x/../read", 0,
        "file    DIR/read\n"
        "noted   read, 2026-11-20 11:10:00, 3 B\n"
        "edit    pass\n"
        "write   pass\n");
    ask(command, "new", 1,
        "file    DIR/new\n"
        "noted   no\n"
        "edit    unread\n"
        "write   pass\n"
        "Blocked: new was not read in this session. Read it, then try again.\n");
    ask(command, "gone", 1,
        "file    DIR/gone\n"
        "noted   write, 2026-11-20 11:11:00, 3 B\n"
        "edit    deleted\n"
        "write   deleted\n"
        "Blocked: gone was deleted after it was read.\n");
    command_path(path, command, "read");
    command_write_file(path, "abd", 3);
    ask(command, path, 1,
        "file    DIR/read\n"
        "noted   read, 2026-11-20 11:10:00, 3 B\n"
        "edit    changed\n"
        "write   changed\n"
        "Blocked: DIR/read changed on disk after it was read. Read it again, then try again.\n");
}

IN_SCENE(the_last_writer_is_named)
{
    struct command *command = *state;
    char path[256];
    import_session(command, "other");
    append_file(command, "other", "o", "read", ABC_HASH, "edit", "1795173120000"); /* 11:12 */
    command_path(path, command, "read");
    command_write_file(path, "abd", 3);
    ask(command, "read", 1,
        "file    DIR/read\n"
        "noted   read, 2026-11-20 11:10:00, 3 B\n"
        "edit    changed\n"
        "write   changed\n"
        "Blocked: read changed on disk after it was read. Read it again, then try again. It was last written by "
        "session other, 48 min ago.\n");
    command_line(command, "reads s read --json");
    assert_exit(command, 1);
    command->out = command_replace(command->out, command->directory, "DIR");
    assert_string_equal(
        command->out,
        "{\"schema\":1,\"path\":\"DIR/read\",\"edit\":\"changed\",\"write\":\"changed\",\"message\":\"Blocked: read "
        "changed "
        "on disk after it was read. Read it again, then try again. It was last written by session other, 48 min "
        "ago.\",\"noted\":{\"hash\":\"" ABC_HASH "\",\"bytes\":3,\"at\":\"2026-11-20T11:10:00.000Z\",\"by\":\"read\"},"
        "\"writer\":\"other\"}\n");
}

IN_SCENE(a_path_that_is_none_is_refused)
{
    struct command *command = *state;
    command_line(command, "reads s file://host/x");
    assert_error(command, 2, "expected no host in a file URL, found 'host'");
    command_must(command, "append plain --create --kind note");
    command_line(command, "reads plain x");
    assert_error(command, 2, "the session has no directory: expected an absolute path");
    command_line(command, "reads plain /no-such-file");
    assert_exit(command, 1);
    assert_contains(command->out, "edit    unread\nwrite   pass\n");
    command_line(command, "reads nobody");
    assert_error(command, 3, "nobody");
    command_line(command, "reads s --json --jsonl");
    assert_exit(command, 2);
}

IN_SCENE(the_gate_asks_the_noted_files_with_the_option)
{
    struct command *command = *state;
    char path[256];
    command_path(path, command, "read");
    command->input = EDITS;
    command_line(command, "gate s --reads");
    assert_exit(command, 0);
    assert_contains(command->out, "\"block\":false");
    assert_contains(command->out, "\"reads\":\"pass\"");
    command_write_file(path, "abd", 3);
    command->input = EDITS;
    command_line(command, "gate s --reads");
    assert_exit(command, 1);
    assert_contains(command->out,
                    "\"reason\":\"Blocked: read changed on disk after it was read. Read it again, then try "
                    "again.\",\"readonly\":false,\"tool\":\"edit\"");
    assert_contains(command->out, "\"offending\":null,\"reads\":\"changed\"}\n");
    command->input = EDITS;
    command_line(command, "gate s");
    assert_exit(command, 0);
    assert_null(strstr(command->out, "\"reads\""));
    command->input = EDITS;
    command_line(command, "gate s --reads --at none");
    assert_exit(command, 1);
    assert_contains(command->out, "Blocked: read was not read in this session.");
}
