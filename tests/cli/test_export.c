/* xylem export: the bytes of a session file, and the file that they go to. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

TEST_WITH(a_file_that_is_imported_is_exported_byte_for_byte, command_set_up, command_tear_down_verified)
{
    static const char *const files[] = {SCENARIO, SESSIONS "specials/damaged-middle-line.jsonl",
                                        SESSIONS "specials/multi-root.jsonl"};
    struct command *command = *state;
    char target[256];

    command_path(target, command, "exported.jsonl");
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        size_t bytes = 0;
        size_t exported_bytes = 0;
        command_run(command, "import", "--json", files[i], NULL);
        char *id = strstr(command->out, "\"session\":\"");
        assert_non_null(id);
        id = strdup(id + 11);
        *strchr(id, '"') = '\0';
        assert_int_equal(command_run(command, "export", id, "--with-quarantine", "-o", target, NULL), 0);
        assert_string_equal(command->out, "");
        char *original = command_read_file(files[i], &bytes);
        char *exported = command_read_file(target, &exported_bytes);
        assert_int_equal(exported_bytes, bytes);
        assert_memory_equal(exported, original, bytes);
        assert_int_equal(command_run(command, "export", id, "--with-quarantine", NULL), 0);
        assert_string_equal(command->out, original);
        free(original);
        free(exported);
        free(id);
    }
}

TEST_WITH(an_exported_file_replaces_another_whole, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    char target[256];
    char link[256];
    struct stat status;

    command_path(target, command, "target");
    command_path(link, command, "link");
    command_write_file(target, "before", 6);
    assert_int_equal(chmod(target, 0644), 0);
    assert_int_equal(symlink("target", link), 0);
    command_done(command, "append s --create --kind note --id e1");
    assert_int_equal(command_run(command, "export", "s", "-o", link, NULL), 0);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(target, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    char *text = command_read_file(target, NULL);
    assert_contains(text, "\"type\":\"note\",\"id\":\"e1\"");
    free(text);
    command_run(command, "export", "s", "-o", command->directory, NULL);
    assert_error(command, 6, "Is a directory");
}

TEST_WITH(an_export_does_not_follow_somebody_elses_link, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    char victim[256];
    char link[256];

    command_path(victim, command, "victim");
    command_path(link, command, "link");
    command_write_file(victim, "mine", 4);
    assert_int_equal(symlink(victim, link), 0);
    if (geteuid() != 0) {
        skip(); /* only the administrator can give a link away */
    }
    assert_int_equal(lchown(link, 4711, 4711), 0);
    command_run(command, "export", SCENARIO_ID, "-o", link, NULL);
    assert_error(command, 6, "is a symbolic link that belongs to user 4711");
    size_t bytes = 0;
    char *data = command_read_file(victim, &bytes);
    assert_string_equal(data, "mine");
    free(data);
    /* One's own leads to what is replaced, and stays. */
    assert_int_equal(lchown(link, geteuid(), (gid_t)-1), 0);
    command_run(command, "export", SCENARIO_ID, "-o", link, NULL);
    assert_exit(command, 0);
    assert_int_equal(command_mode(command, "victim"), 0600);
    struct stat status;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(victim, &status), 0);
    assert_true(status.st_size > 1000);
}

TEST_WITH(an_export_replaces_a_file_whole_and_takes_it_from_others, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    char path[256];
    struct stat before;
    struct stat after;

    command_path(path, command, "out.jsonl");
    command_write_file(path, "old", 3);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(stat(path, &before), 0);
    int old = open(path, O_RDONLY);
    command_run(command, "export", SCENARIO_ID, "-o", path, NULL);
    assert_exit(command, 0);
    assert_int_equal(stat(path, &after), 0);
    assert_int_not_equal(before.st_ino, after.st_ino);
    assert_int_equal(after.st_mode & 07777, 0600);
    assert_int_equal(lseek(old, 0, SEEK_END), 3); /* who has the old one open goes on with that */
    close(old);
    command_run(command, "export", "no-such-session", "-o", path, NULL);
    assert_exit(command, 3);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(before.st_ino, after.st_ino);
}

TEST_WITH(an_export_to_a_device_writes_to_it, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    struct stat status;

    command_run(command, "export", SCENARIO_ID, "-o", "/dev/null", NULL);
    assert_exit(command, 0);
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    command_run(command, "export", SCENARIO_ID, "-o", "/dev/stdout", NULL);
    assert_exit(command, 0);
}
