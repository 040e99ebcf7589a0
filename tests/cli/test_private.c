/*
 * Who can read what the command writes: stores, copies and exports, whatever the umask; and the warning of a store that
 * others can.
 */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define SCENARIO_STORE(test) TEST_WITH(test, command_set_up_scenario, command_tear_down_verified)

SCENARIO_STORE(all_that_is_written_is_the_owners_alone_whatever_the_umask)
{
    static const mode_t umasks[] = {0, 0777};
    static const char *const directories[] = {"a", "a/b", "a/b/store", "copy"};
    static const char *const files[] = {"a/b/store/data.mdb", "a/b/store/lock.mdb", "a/b/store/xylem.lock",
                                        "copy/data.mdb", "out.jsonl"};
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(umasks) / sizeof(umasks[0]); i++) {
        char line[1024];
        char name[64];
        char directory[256];
        snprintf(directory, sizeof(directory), "%s/%zu", command->directory, i);
        assert_int_equal(mkdir(directory, 0700), 0);
        snprintf(line, sizeof(line),
                 "umask %03o && X=%s && D=%s && \"$X\" -s \"$D/a/b/store\" import -q %s >&2 && "
                 "\"$X\" -s \"$D/a/b/store\" export %s -o \"$D/out.jsonl\" && "
                 "\"$X\" -s \"$D/a/b/store\" backup \"$D/copy\" >/dev/null && "
                 "\"$X\" -s \"$D/a/b/store\" compact --yes --overwrite >/dev/null",
                 (unsigned)umasks[i], command_program(), directory, SCENARIO, SCENARIO_ID);
        assert_int_equal(system(line), 0);
        for (size_t j = 0; j < sizeof(directories) / sizeof(directories[0]); j++) {
            snprintf(name, sizeof name, "%zu/%s", i, directories[j]);
            assert_int_equal(command_mode(command, name), 0700);
        }
        for (size_t j = 0; j < sizeof(files) / sizeof(files[0]); j++) {
            snprintf(name, sizeof name, "%zu/%s", i, files[j]);
            assert_int_equal(command_mode(command, name), 0600);
        }
    }
}

/* How often the text has the part. */
static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) {
        count++;
    }
    return count;
}

SCENARIO_STORE(a_store_that_others_can_read_is_named_once_a_run)
{
    static const char *const lines[] = {"sessions",
                                        "sessions --json",
                                        "log " SCENARIO_ID " --jsonl",
                                        "verify --json",
                                        "delete " SCENARIO_ID " --dry-run",
                                        "append other --create --kind note",
                                        "init",
                                        "log no-such-session",
                                        "stat"};
    struct command *command = *state;
    char expected[512];

    command_must(command, "sessions");
    assert_string_equal(command->err, "");
    assert_int_equal(chmod(command->store, 0755), 0);
    snprintf(expected, sizeof(expected), "xylem: warning: %s can be read by everyone (mode 0755): chmod 700 %s\n",
             command->store, command->store);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_int_equal(count_of(command->err, expected), 1);
        assert_int_equal(count_of(command->err, "warning"), 1);
        assert_null(strstr(command->out, "warning"));
    }
    command_line(command, "complete -- log 01a1");
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
    assert_int_equal(chmod(command->store, 0700), 0);
    command_must(command, "sessions");
    assert_string_equal(command->err, "");
}

SCENARIO_STORE(the_chmod_of_a_warning_can_be_pasted)
{
    struct command *command = *state;
    char store[256];

    command_path(store, command, "it's a store");
    assert_int_equal(command_run(command, "init", "-s", store, NULL), 0);
    assert_int_equal(chmod(store, 0755), 0);
    command_run(command, "sessions", "-s", store, NULL);
    const char *line = strstr(command->err, "chmod");
    assert_non_null(line);
    assert_int_equal(system(line), 0);
    assert_int_equal(command_mode(command, "it's a store"), 0700);
}

/* A FIFO would keep a command waiting for ever, a link would lead a command to somebody else's file. */
SCENARIO_STORE(files_of_a_store_that_are_none_are_refused_by_every_command)
{
    static const char *const names[] = {"data.mdb", "lock.mdb", "xylem.lock"};
    static const char *const lines[] = {"sessions",      "verify",
                                        "stat",          "repair new",
                                        "compact --yes", "init",
                                        "gc --yes",      "append s --kind note --create",
                                        "backup new",    "import " SCENARIO};
    struct command *command = *state;
    char aside[256];
    char victim[256];

    command_path(aside, command, "aside");
    command_path(victim, command, "victim");
    alarm(60); /* what waits for ever fails */
    for (size_t i = 0; i < 2 * sizeof(names) / sizeof(names[0]); i++) {
        const char *name = names[i / 2];
        const char *found = i % 2 == 0 ? "found a FIFO" : "found a symbolic link";
        char path[400];
        snprintf(path, sizeof(path), "%s/%s", command->store, name);
        assert_int_equal(rename(path, aside), 0);
        assert_int_equal(i % 2 == 0 ? mkfifo(path, 0600) : symlink(victim, path), 0);
        for (size_t j = 0; j < sizeof(lines) / sizeof(lines[0]); j++) {
            bool data = i / 2 == 0;
            if (i / 2 == 1 && strncmp(lines[j], "repair", 6) == 0) {
                continue; /* opens no lock.mdb */
            }
            command_line(command, lines[j]);
            assert_contains(command->err[0] != '\0' ? command->err : command->out, found);
            assert_exit(command, !data ? 6 : strcmp(lines[j], "verify") == 0 ? 1 : 3);
        }
        assert_int_equal(unlink(path), 0);
        assert_int_equal(access(victim, F_OK), -1);
        assert_int_equal(rename(aside, path), 0);
    }
    alarm(0);
    command_line(command, "verify");
    assert_exit(command, 0);
}
