/* Bad input to every command: one line on standard error, the right exit code, and no harm done. */
#include "tests/cli/command.h"

#include <lmdb.h>

#include "store/format.h"
#include "store/hash.h"

#define MISSING "no-such-session"

static void an_unknown_session_is_not_found(void **state)
{
    static const char *const lines[] = {"export " MISSING,
                                        "log " MISSING,
                                        "tree " MISSING,
                                        "show " MISSING " @",
                                        "state " MISSING,
                                        "branches " MISSING,
                                        "append " MISSING " --kind k",
                                        "navigate " MISSING " @",
                                        "fork " MISSING " @",
                                        "clone " MISSING,
                                        "delete " MISSING " --yes",
                                        "delete " MISSING " -n",
                                        "quarantine " MISSING};
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_error(command, 3, MISSING);
    }
    command_line(command, "log abc");
    assert_error(command, 3, "needs 4 characters");
}

static void an_unknown_entry_is_not_found(void **state)
{
    static const char *const lines[] = {"show s nothing",
                                        "log s --at nothing",
                                        "state s --at nothing",
                                        "navigate s nothing",
                                        "fork s nothing",
                                        "append s --kind k --parent nothing",
                                        "append s --kind k --expect nothing",
                                        "show s @~2",
                                        "show s root~9",
                                        "show s abc"};
    struct command *command = *state;

    command_line(command, "append s --kind note --create --id root");
    command_line(command, "append s --kind note --id next");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_error(command, 3, ": ");
    }
    command_line(command, "show s @~2");
    assert_contains(command->err, "there is no entry '@~2': '@' has depth 2");
}

static void the_leaf_of_a_session_without_entries_is_no_entry(void **state)
{
    struct command *command = *state;

    command_line(command, "append s --kind note --create --id root");
    command_line(command, "navigate s none");
    command_line(command, "show s @");
    assert_error(command, 3, "the session's leaf is none");
}

static void an_ambiguous_beginning_names_the_candidates(void **state)
{
    struct command *command = *state;
    char line[256];

    for (int i = 0; i < 7; i++) {
        snprintf(line, sizeof(line), "append same-%d --kind note --create --id like-%d", i, i);
        assert_int_equal(command_line(command, line), 0);
        snprintf(line, sizeof(line), "append all --kind note --create --id like-%d", i);
        assert_int_equal(command_line(command, line), 0);
    }
    command_line(command, "log same");
    assert_error(command, 4,
                 "'same' is ambiguous: 7 session ids begin so: same-0, same-1, same-2, same-3, same-4, ...");
    command_line(command, "show all like");
    assert_error(command, 4, "'like' is ambiguous: 7 entry ids begin so: like-0, like-1, like-2, like-3, like-4, ...");
    command_line(command, "append all --kind note --expect like");
    assert_error(command, 4, "'like' is ambiguous: 7 entry ids");
    assert_int_equal(command_line(command, "log same-3"), 0);
    assert_int_equal(command_line(command, "show same-3 like"), 0);
}

static void a_taken_id_is_a_conflict(void **state)
{
    struct command *command = *state;

    command_line(command, "append s --kind note --create --id root");
    command_line(command, "append s --kind note --id root");
    assert_error(command, 4, "root");
    command_line(command, "fork s root --id s");
    assert_error(command, 4, "s");
    command_line(command, "clone s --id s");
    assert_error(command, 4, "s");
    command_line(command, "append s --kind note --expect none");
    assert_error(command, 4, "the leaf is root, not none as expected");
}

static void a_deleted_session_is_told_apart(void **state)
{
    struct command *command = *state;

    command_line(command, "append gone --kind note --create");
    assert_int_equal(command_line(command, "delete gone --yes"), 0);
    command_line(command, "log gone");
    assert_error(command, 3, "delete");
    command_line(command, "append gone --kind note --create");
    assert_error(command, 3, "delete");
    command_line(command, "sessions");
    assert_string_equal(command->out, "");
    command_line(command, "sessions --all");
    assert_contains(command->out, "deleted");
}

static void data_that_is_no_json_is_refused(void **state)
{
    struct command *command = *state;
    char *deep = malloc(1200);

    command_line(command, "append s --kind custom:readonly --data {\"enabled\":} --create");
    assert_error(command, 2, ": ");
    command->input = "{\"a\":1} x";
    command_line(command, "append s --kind note --data - --create");
    assert_error(command, 2, ": ");
    assert_non_null(deep);
    memset(deep, '[', 599);
    memset(deep + 599, ']', 599);
    deep[1198] = '\0';
    command_run(command, "append", "s", "--kind", "custom:x", "--create", "--data", deep, NULL);
    assert_error(command, 2, "512");
    free(deep);
    command_line(command, "log s");
    assert_error(command, 3, "there is no session 's'");
}

static void what_exceeds_a_limit_is_refused(void **state)
{
    struct command *command = *state;
    char name[5001];

    memset(name, 'x', 5000);
    name[65] = '\0';
    command_run(command, "append", "s", "--kind", "note", "--create", "--id", name, NULL);
    assert_error(command, 2, "64");
    name[65] = 'x';
    name[201] = '\0';
    command_run(command, "append", name, "--kind", "note", "--create", NULL);
    assert_error(command, 2, "200");
    command_run(command, "log", name, NULL);
    assert_error(command, 3, "1 to 200 bytes");
    name[201] = 'x';
    name[5000] = '\0';
    command_run(command, "append", "s", "--create", "--kind", name, NULL);
    assert_error(command, 2, "4096");
    assert_int_equal(command_line(command, "append s --kind note --create"), 0);
    name[257] = '\0';
    command_run(command, "navigate", "s", "@", "--reason", name, NULL);
    assert_error(command, 2, "256");
}

static void a_store_that_is_not_there_is_not_found(void **state)
{
    static const char *const lines[] = {
        "import " SCENARIO, "export s",   "sessions", "log s",   "tree s",      "show s e", "state s", "append s -k k",
        "navigate s e",     "branches s", "fork s e", "clone s", "delete s -y", "verify",   "stat",    "quarantine s"};
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_exit(command, 3);
        assert_contains(command->err, "`xylem init` makes one");
    }
    assert_int_equal(access(command->store, F_OK), -1);
}

static void a_file_is_no_store(void **state)
{
    struct command *command = *state;

    command_write_file(command->store, "text\n", 5);
    command_line(command, "init");
    assert_error(command, 3, "store");
    command_line(command, "sessions");
    assert_error(command, 3, "store");
    command_line(command, "append s --kind k --create");
    assert_error(command, 3, "store");
    char *text = command_read_file(command->store, NULL);
    assert_string_equal(text, "text\n");
    free(text);
}

static void foreign_data_is_left_alone(void **state)
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

/* Writes another format version into the store, with a sum that is right. */
static void write_format(const struct command *command, uint32_t version)
{
    MDB_env *env = NULL;
    MDB_txn *txn = NULL;
    MDB_dbi meta;
    unsigned char value[20] = {0};
    MDB_val key = {strlen(XYLEM_STORE__META_FORMAT), (void *)(uintptr_t)XYLEM_STORE__META_FORMAT};
    MDB_val data = {sizeof(value), value};

    memcpy(value, &version, sizeof(version));
    uint64_t sum =
        xylem_store__hash_pair(xylem_view_of(XYLEM_STORE__META_FORMAT), (struct xylem_view){(const char *)value, 12});
    memcpy(value + 12, &sum, sizeof(sum));
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_set_maxdbs(env, 16), 0);
    assert_int_equal(mdb_env_open(env, command->store, 0, 0600), 0);
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, "meta", 0, &meta), 0);
    assert_int_equal(mdb_put(txn, meta, &key, &data, 0), 0);
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
}

static void a_newer_store_is_refused_by_every_command(void **state)
{
    static const char *const lines[] = {"init",          "import " SCENARIO, "sessions", "log s",
                                        "append s -k k", "delete s -y",      "verify",   "stat"};
    struct command *command = *state;

    write_format(command, XYLEM_STORE__FORMAT_VERSION);
    assert_int_equal(command_line(command, "sessions"), 0);
    write_format(command, XYLEM_STORE__FORMAT_VERSION + 1);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_error(command, 7, "version");
    }
}

/* Overwrites the middle of the first place in the file where `needle` stands. */
static void damage(const struct command *command, const char *needle)
{
    char path[256];
    size_t bytes = 0;

    command_path(path, command, "store/data.mdb");
    char *data = command_read_file(path, &bytes);
    char *at = memmem(data, bytes, needle, strlen(needle));
    assert_non_null(at);
    while (at != NULL) {
        at[strlen(needle) / 2] ^= 1;
        at = memmem(data, bytes, needle, strlen(needle));
    }
    command_write_file(path, data, bytes);
    free(data);
}

static void damage_is_5_for_all_but_verify(void **state)
{
    static const char *const lines[] = {"log s", "tree s", "show s victim-entry", "sessions", "export s"};
    struct command *command = *state;

    command_run(command, "append", "s", "--create", "--kind", "note", "--id", "victim-entry", "--data",
                "\"the payload of the victim\"", NULL);
    assert_exit(command, 0);
    damage(command, "victim-entry");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_exit(command, i == 2 ? command->code : 5);
        assert_true(command->code == 5 || command->code == 3);
        assert_contains(command->err, "xylem: ");
    }
    command_line(command, "verify");
    assert_exit(command, 1);
    assert_contains(command->out, "problem");
    command_line(command, "verify --json");
    assert_exit(command, 1);
    assert_contains(command->out, "\"problems\":[{\"table\":");
}

static void a_damaged_payload_is_found_by_who_reads_it(void **state)
{
    struct command *command = *state;

    command_run(command, "append", "s", "--create", "--kind", "note", "--id", "victim-entry", "--data",
                "\"the payload of the victim\"", NULL);
    damage(command, "payload of the victim");
    command_line(command, "show s @");
    assert_error(command, 5, ": ");
    command_line(command, "show s @ --raw");
    assert_error(command, 5, ": ");
    command_line(command, "log s --jsonl");
    assert_error(command, 5, ": ");
    assert_int_equal(command_line(command, "sessions"), 0); /* reads no payload */
    command_line(command, "verify");
    assert_exit(command, 1);
}

static void a_truncated_store_is_told_by_verify_with_1(void **state)
{
    struct command *command = *state;
    char path[256];
    struct stat status;

    command_run(command, "import", "-q", SESSIONS "random-22", NULL);
    command_path(path, command, "store/data.mdb");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(truncate(path, status.st_size / 2), 0);
    command_line(command, "sessions");
    assert_error(command, 5, ": ");
    command_line(command, "verify");
    assert_exit(command, 1);
    assert_contains(command->out, "1 problem");
    command_line(command, "verify --json");
    assert_exit(command, 1);
    assert_contains(command->out, "\"problem_count\":1,\"problems\":[{\"table\":null,");
}

/* The command where another user may run it. */
static void as_nobody(struct command *command)
{
    char path[256];
    char program[256];
    size_t bytes = 0;

    command_path(program, command, "xylem");
    char *data = command_read_file(command_program(), &bytes);
    command_write_file(program, data, bytes);
    free(data);
    assert_int_equal(chmod(program, 0755), 0);
    command_path(path, command, "out");
    unlink(path);
    command_path(path, command, "err");
    unlink(path);
    command->user = 65534;
}

static void without_permission_it_is_6(void **state)
{
    struct command *command = *state;
    char program[256];
    char target[256];
    const char *before = getenv("XYLEM_BIN");

    if (geteuid() != 0) { /* root alone can become another user, but it alone needs to */
        assert_int_equal(chmod(command->store, 0), 0);
        command_line(command, "sessions");
        assert_int_equal(chmod(command->store, 0700), 0);
        assert_error(command, 6, "ermission denied");
        return;
    }
    char *saved = before == NULL ? NULL : strdup(before);

    as_nobody(command);
    command_path(program, command, "xylem");
    setenv("XYLEM_BIN", program, 1);
    command_line(command, "sessions");
    assert_error(command, 6, "ermission denied");
    command_line(command, "append s --kind k --create");
    assert_error(command, 6, "ermission denied");
    command_run(command, "init", "--store", "/nowhere/to/write", NULL);
    assert_error(command, 6, "ermission denied");
    command_path(target, command, "own");
    assert_int_equal(command_run(command, "init", "--store", target, NULL), 0);
    assert_int_equal(command_run(command, "append", "s", "--create", "-k", "note", "-s", target, NULL), 0);
    command_run(command, "export", "s", "-s", target, "-o", "/usr/nobody-may-write-here", NULL);
    assert_error(command, 6, "ermission denied");
    command->user = 0;
    if (saved == NULL) {
        unsetenv("XYLEM_BIN");
    } else {
        setenv("XYLEM_BIN", saved, 1);
    }
    free(saved);
}

static void a_full_disk_under_the_output_is_6(void **state)
{
    static const char *const lines[] = {"help",           "version",       "sessions",       "sessions --jsonl",
                                        "log s",          "log s --jsonl", "tree s",         "show s @",
                                        "show s @ --raw", "state s",       "state s --json", "branches s",
                                        "stat",           "verify",        "export s",       "export s -o /dev/full"};
    struct command *command = *state;

    command_line(command, "append s --kind note --create --data {\"a\":1}");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command->out_path = i + 1 < sizeof(lines) / sizeof(lines[0]) ? "/dev/full" : NULL;
        command_line(command, lines[i]);
        assert_error(command, 6, "No space left on device");
    }
    command->out_path = NULL;
    struct stat status;
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode)); /* export did not replace it by a file */
}

static void files_that_cannot_be_imported_do_not_keep_the_others_from_it(void **state)
{
    struct command *command = *state;
    char bad[256];
    char directory[256];

    command_path(bad, command, "bad.jsonl");
    command_write_file(bad, "no session\n", 11);
    command_path(directory, command, "empty");
    assert_int_equal(mkdir(directory, 0755), 0);
    command_run(command, "import", bad, SCENARIO, NULL);
    assert_exit(command, 1);
    assert_contains(command->err, "bad.jsonl");
    assert_contains(command->out, "2 files: 1 new, 1 failed; 31 entries added");
    command_run(command, "import", "no-such-file.jsonl", SCENARIO, NULL);
    assert_exit(command, 3);
    assert_contains(command->err, "xylem: import: no-such-file.jsonl: No such file or directory\n");
    assert_contains(command->out, "1 file: 1 unchanged");
    command_run(command, "import", directory, NULL);
    assert_exit(command, 1);
    assert_contains(command->err, "no file in it ends in .jsonl");
    command_run(command, "import", "--json", bad, NULL);
    assert_exit(command, 1);
    assert_contains(command->out, "\"outcome\":\"failed\",\"error\":\"");
}

static void a_crash_ends_in_one_line(void **state)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT};
    struct command *command = *state;
    const char *const words[] = {"append", "s", "--kind", "k", "--data", "-"};
    char path[256];

    command_path(path, command, "input");
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        unlink(path);
        assert_int_equal(mkfifo(path, 0600), 0);
        command->input = NULL;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            /* The command waits for this fifo's end, which the test holds open. */
            int in = open(path, O_RDONLY);
            char err[256];
            command_path(err, command, "err");
            int out = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
            if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 2) < 0) {
                _exit(126);
            }
            execl(command_program(), "xylem", words[0], words[1], words[2], words[3], words[4], words[5], (char *)NULL);
            _exit(127);
        }
        int fifo = open(path, O_WRONLY);
        assert_true(fifo >= 0);
        command_feed(fifo);
        assert_int_equal(kill(child, signals[i]), 0);
        command_end(command, child);
        close(fifo);
        assert_exit(command, 5);
        assert_contains(command->err, "`xylem verify`");
        assert_string_equal(strchr(command->err, '\n'), "\n");
    }
    unlink(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, command_set_up, command_tear_down_verified)
#define TEST_DAMAGED(name) cmocka_unit_test_setup_teardown(name, command_set_up, command_tear_down)
#define TEST_EMPTY(name) cmocka_unit_test_setup_teardown(name, command_set_up_empty, command_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_unknown_session_is_not_found),
        TEST(an_unknown_entry_is_not_found),
        TEST(the_leaf_of_a_session_without_entries_is_no_entry),
        TEST(an_ambiguous_beginning_names_the_candidates),
        TEST(a_taken_id_is_a_conflict),
        TEST(a_deleted_session_is_told_apart),
        TEST(data_that_is_no_json_is_refused),
        TEST(what_exceeds_a_limit_is_refused),
        TEST_EMPTY(a_store_that_is_not_there_is_not_found),
        TEST_EMPTY(a_file_is_no_store),
        TEST_EMPTY(foreign_data_is_left_alone),
        TEST_DAMAGED(a_newer_store_is_refused_by_every_command),
        TEST_DAMAGED(damage_is_5_for_all_but_verify),
        TEST_DAMAGED(a_damaged_payload_is_found_by_who_reads_it),
        TEST_DAMAGED(a_truncated_store_is_told_by_verify_with_1),
        TEST(without_permission_it_is_6),
        TEST(a_full_disk_under_the_output_is_6),
        TEST(files_that_cannot_be_imported_do_not_keep_the_others_from_it),
        TEST(a_crash_ends_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
