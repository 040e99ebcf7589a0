/* Who can read what the command writes: stores, copies and exports, whatever the umask; and the warning of a store that others can. */
#include "tests/cli/terminal.h"

#include "xylem.h"

static mode_t mode_of(const struct command *command, const char *name)
{
    char path[256];
    struct stat status;

    command_path(path, command, name);
    if (lstat(path, &status) != 0) {
        fail_msg("%s: %s", path, strerror(errno));
    }
    return status.st_mode & 07777;
}

static void all_that_is_written_is_the_owners_alone_whatever_the_umask(void **state)
{
    static const mode_t umasks[] = {0, 0777};
    static const char *const directories[] = {"a", "a/b", "a/b/store", "copy"};
    static const char *const files[] = {"a/b/store/data.mdb", "a/b/store/lock.mdb", "a/b/store/xylem.lock",
                                        "copy/data.mdb", "out.jsonl"};
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(umasks) / sizeof(umasks[0]); i++) {
        char line[1024];
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
            snprintf(line, sizeof(line), "%zu/%s", i, directories[j]);
            assert_int_equal(mode_of(command, line), 0700);
        }
        for (size_t j = 0; j < sizeof(files) / sizeof(files[0]); j++) {
            snprintf(line, sizeof(line), "%zu/%s", i, files[j]);
            assert_int_equal(mode_of(command, line), 0600);
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

static void a_store_that_others_can_read_is_named_once_a_run(void **state)
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

/* --- Export ------------------------------------------------------------------------------------------------------- */

static void an_export_does_not_follow_somebody_elses_link(void **state)
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
    assert_error(command, 6, "is a symbolic link of user 4711");
    size_t bytes = 0;
    char *data = command_read_file(victim, &bytes);
    assert_string_equal(data, "mine");
    free(data);
    /* One's own leads to what is replaced, and stays. */
    assert_int_equal(lchown(link, geteuid(), (gid_t)-1), 0);
    command_run(command, "export", SCENARIO_ID, "-o", link, NULL);
    assert_exit(command, 0);
    assert_int_equal(mode_of(command, "victim"), 0600);
    struct stat status;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(victim, &status), 0);
    assert_true(status.st_size > 1000);
}

static void an_export_replaces_a_file_whole_and_takes_it_from_others(void **state)
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

static void an_export_to_a_device_writes_to_it(void **state)
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

/* --- Copies ------------------------------------------------------------------------------------------------------- */

static void the_chmod_of_a_warning_can_be_pasted(void **state)
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
    assert_int_equal(mode_of(command, "it's a store"), 0700);
}

static void a_backup_says_how_it_is_restored_and_that_works(void **state)
{
    struct command *command = *state;
    char copy[256];
    char line[1024];

    command_path(copy, command, "it's a\tcopy");
    command_run(command, "backup", copy, NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "verified: 1 session, ");
    /* The two commands, with a name for the new directory and the program that is tested. */
    char *cp = strstr(command->out, "  cp -rp ");
    assert_non_null(cp);
    cp[strcspn(cp, "\n")] = '\0';
    char *end = strstr(cp, " NEW_DIRECTORY");
    assert_non_null(end);
    *end = '\0';
    command_path(line, command, "script");
    char script[2048];
    int bytes = snprintf(script, sizeof(script), "%s %s/restored && %s --store %s/restored verify >/dev/null\n", cp,
                         command->directory, command_program(), command->directory);
    command_write_file(line, script, (size_t)bytes);
    char run[1100];
    snprintf(run, sizeof(run), "bash %s", line);
    assert_int_equal(system(run), 0);
    assert_int_equal(mode_of(command, "restored"), 0700);
    assert_int_equal(mode_of(command, "restored/data.mdb"), 0600);
    snprintf(copy, sizeof(copy), "%s/restored", command->directory);
    command_run(command, "log", SCENARIO_ID, "-s", copy, NULL);
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
}

static void a_backup_for_programs_is_one_document(void **state)
{
    struct command *command = *state;
    char copy[256];

    command_path(copy, command, "copy");
    command_run(command, "backup", copy, "--json", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "{\"schema\":1,\"store\":\"");
    assert_contains(command->out, "/copy\",\"bytes\":");
    assert_contains(command->out, "\"sessions\":1,");
    command_run(command, "backup", copy, NULL);
    assert_error(command, 4, "exists already");
    command_run(command, "backup", "/no/such/directory", NULL);
    assert_error(command, 6, "/no/such");
    command_run(command, "backup", copy, "-s", "/no/such/store", NULL);
    assert_error(command, 3, "there is no store");
}

static void a_compaction_asks_and_says_what_it_gave_back(void **state)
{
    struct command *command = *state;

    command_line(command, "compact");
    assert_error(command, 2, "give --yes to compact");
    run_on_terminal(command, &(struct terminal){.typed = "n\n"}, "compact");
    assert_exit(command, 1);
    assert_contains(command->out, "would be given back");
    assert_contains(command->out, "nothing was done");
    run_on_terminal(command, &(struct terminal){.typed = "y\n"}, "compact --overwrite");
    assert_exit(command, 0);
    assert_contains(command->out, " given back, the old file overwritten");
    command_must(command, "compact --dry-run --json");
    assert_contains(command->out, "\"compacted\":false,\"bytes_before\":");
    command_must(command, "compact --yes --json");
    assert_contains(command->out, "\"compacted\":true,\"bytes_before\":");
    assert_contains(command->out, "\"overwritten_bytes\":0}");
    command_line(command, "compact --yes -s /no/such/store");
    assert_error(command, 3, "there is no store");
}

static void a_compaction_names_who_is_in_its_way(void **state)
{
    struct command *command = *state;
    struct xylem_store *store = NULL;
    char named[64];

    snprintf(named, sizeof(named), "process %ld (test_private)", (long)getpid());
    assert_int_equal(xylem_open(&store, command->store, NULL, NULL), 0);
    command_line(command, "compact --yes");
    assert_int_equal(xylem_close(store, NULL), 0);
    assert_error(command, 4, named);
    command_must(command, "compact --yes");
}

/* A FIFO would keep a command waiting for ever, a link would lead a command to somebody else's file. */
static void files_of_a_store_that_are_none_are_refused_by_every_command(void **state)
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

int main(void)
{
#define SCENARIO_STORE(test) cmocka_unit_test_setup_teardown(test, command_set_up_scenario, command_tear_down_verified)
    const struct CMUnitTest tests[] = {
        SCENARIO_STORE(all_that_is_written_is_the_owners_alone_whatever_the_umask),
        SCENARIO_STORE(a_store_that_others_can_read_is_named_once_a_run),
        SCENARIO_STORE(an_export_does_not_follow_somebody_elses_link),
        SCENARIO_STORE(an_export_replaces_a_file_whole_and_takes_it_from_others),
        SCENARIO_STORE(an_export_to_a_device_writes_to_it),
        SCENARIO_STORE(the_chmod_of_a_warning_can_be_pasted),
        SCENARIO_STORE(a_backup_says_how_it_is_restored_and_that_works),
        SCENARIO_STORE(a_backup_for_programs_is_one_document),
        SCENARIO_STORE(a_compaction_asks_and_says_what_it_gave_back),
        SCENARIO_STORE(a_compaction_names_who_is_in_its_way),
        SCENARIO_STORE(files_of_a_store_that_are_none_are_refused_by_every_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
