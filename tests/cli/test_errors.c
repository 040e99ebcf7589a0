/* Bad input to every command: one line on standard error, the right exit code, and no harm done. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#include <lmdb.h>
#include <sys/resource.h>

#include "store/format/format.h"
#include "store/format/hash.h"
#include "store/store.h"
#include "xylem/files.h"

#define MISSING "no-such-session"

#define IN_STORE(test) TEST_WITH(test, command_set_up, command_tear_down_verified)
#define TEST_DAMAGED(test) TEST_WITH(test, command_set_up, command_tear_down)

IN_STORE(an_unknown_session_is_not_found)
{
    static const char *const lines[] = {"export " MISSING,
                                        "log " MISSING,
                                        "tree " MISSING,
                                        "show " MISSING " @",
                                        "state " MISSING,
                                        "blame " MISSING " nudge",
                                        "moves " MISSING,
                                        "branches " MISSING,
                                        "append " MISSING " --kind k",
                                        "navigate " MISSING " @",
                                        "fork " MISSING " @",
                                        "clone " MISSING,
                                        "delete " MISSING " --yes",
                                        "delete " MISSING " -n",
                                        "quarantine " MISSING,
                                        "reads " MISSING};
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_error(command, 3, MISSING);
    }
    command_line(command, "log abc");
    assert_error(command, 3, "needs 4 characters");
}

IN_STORE(an_unknown_entry_is_not_found)
{
    static const char *const lines[] = {"show s nothing",
                                        "log s --at nothing",
                                        "state s --at nothing",
                                        "state s:nothing",
                                        "blame s sequence --at nothing",
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

IN_STORE(the_leaf_of_a_session_without_entries_is_no_entry)
{
    struct command *command = *state;

    command_line(command, "append s --kind note --create --id root");
    command_line(command, "navigate s none");
    command_line(command, "show s @");
    assert_error(command, 3, "the session has no current entry");
}

IN_STORE(an_ambiguous_beginning_names_the_candidates)
{
    struct command *command = *state;
    char line[256];

    for (int i = 0; i < 7; i++) {
        snprintf(line, sizeof(line), "append same-%d --kind note --create --id like-%d", i, i);
        assert_int_equal(command_line(command, line), 0);
        snprintf(line, sizeof(line), "append all --kind note --create --id like-%d", i);
        assert_int_equal(command_line(command, line), 0);
    }
    command->now = "2026-11-20T19:30:00Z"; /* before the entries: no age is more than 0 */
    command_line(command, "log same");
    assert_error(
        command, 4,
        "'same' is ambiguous: 7 sessions: same-6 (0s), same-5 (0s), same-4 (0s), same-3 (0s), same-2 (0s), ...");
    command_line(command, "show all like");
    assert_error(command, 4,
                 "'like' is ambiguous: 7 entry ids begin with it: like-0, like-1, like-2, like-3, like-4, ...");
    command_line(command, "append all --kind note --expect like");
    assert_error(command, 4, "'like' is ambiguous: 7 entry ids");
    assert_int_equal(command_line(command, "log same-3"), 0);
    assert_int_equal(command_line(command, "show same-3 like"), 0);
}

IN_STORE(a_taken_id_is_a_conflict)
{
    struct command *command = *state;

    command_line(command, "append s --kind note --create --id root");
    command_line(command, "append s --kind note --id root");
    assert_error(command, 4, "an entry root already");
    command_line(command, "fork s root --id s");
    assert_error(command, 4, "a session s already");
    command_line(command, "clone s --id s");
    assert_error(command, 4, "a session s already");
    command_line(command, "append s --kind note --expect none");
    assert_error(command, 4, "the leaf of the session s");
    assert_contains(command->err, "expected none (");
    assert_contains(command->err, "found root (");
}

IN_STORE(data_that_is_no_json_is_refused)
{
    struct command *command = *state;
    char *deep = malloc(1200);

    command_line(command, "append s --kind custom:readonly --data {\"enabled\":} --create");
    assert_error(command, 2, "byte 12: ");
    command->input = "{\"a\":1} x";
    command_line(command, "append s --kind note --data - --create");
    assert_error(command, 2, "byte 9: ");
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

IN_STORE(what_exceeds_a_limit_is_refused)
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
    assert_error(command, 3, "there is no session 'xxx");
    name[201] = 'x';
    name[5000] = '\0';
    command_run(command, "append", "s", "--create", "--kind", name, NULL);
    assert_error(command, 2, "4096");
    assert_int_equal(command_line(command, "append s --kind note --create"), 0);
    name[257] = '\0';
    command_run(command, "navigate", "s", "@", "--reason", name, NULL);
    assert_error(command, 2, "256");
}

TEST_WITH(a_store_that_is_not_there_is_not_found, command_set_up_empty, command_tear_down)
{
    static const char *const lines[] = {"export s", "sessions",      "log s",        "tree s",     "show s e",
                                        "state s",  "append s -k k", "navigate s e", "branches s", "fork s e",
                                        "clone s",  "delete s -y",   "verify",       "stat",       "quarantine s"};
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_exit(command, 3);
        assert_contains(command->err, "/store init` makes one");
    }
    assert_int_equal(access(command->store, F_OK), -1);
}

TEST_WITH(a_file_is_no_store, command_set_up_empty, command_tear_down)
{
    struct command *command = *state;

    command_write_file(command->store, "text\n", 5);
    command_line(command, "init");
    assert_error(command, 3, "/store is not a store: expected a directory");
    command_line(command, "sessions");
    assert_error(command, 3, "/store is not a store: expected a directory");
    command_line(command, "append s --kind k --create");
    assert_error(command, 3, "/store is not a store: expected a directory");
    command_line(command, "verify");
    assert_exit(command, 1);
    assert_contains(command->out, "expected a directory\n1 problem");
    char *text = command_read_file(command->store, NULL);
    assert_string_equal(text, "text\n");
    free(text);
}

/* Writes another format version and other features into the store, with a sum that is right. */
static void write_format(const struct command *command, uint32_t version, uint64_t features)
{
    MDB_env *env = NULL;
    MDB_txn *txn = NULL;
    MDB_dbi meta;
    unsigned char value[20] = {0};
    MDB_val key = {strlen(XYLEM_FORMAT__META_FORMAT), (void *)(uintptr_t)XYLEM_FORMAT__META_FORMAT};
    MDB_val data = {sizeof(value), value};

    memcpy(value, &version, sizeof(version));
    memcpy(value + 4, &features, sizeof(features));
    uint64_t sum =
        xylem_format__hash_pair(xylem_view_of(XYLEM_FORMAT__META_FORMAT), (struct xylem_view){(const char *)value, 12});
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

TEST_DAMAGED(a_store_of_another_format_is_refused_by_every_command)
{
    static const char *const lines[] = {"init",          "import " SCENARIO, "sessions", "log s",
                                        "append s -k k", "delete s -y",      "verify",   "stat"};
    struct command *command = *state;

    write_format(command, XYLEM_FORMAT__FORMAT_VERSION, XYLEM_FORMAT__FEATURES_REQUIRED);
    assert_int_equal(command_line(command, "sessions"), 0);
    for (int newer = 0; newer < 2; newer++) {
        write_format(command, XYLEM_FORMAT__FORMAT_VERSION + (uint32_t)newer, 0);
        for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
            command_line(command, lines[i]);
            assert_error(command, 7, newer ? "version" : "into a new store");
        }
    }
}

TEST_DAMAGED(damage_is_5_for_all_but_verify)
{
    static const char *const lines[] = {"log s", "tree s", "show s victim-entry", "sessions", "export s"};
    struct command *command = *state;

    command_run(command, "append", "s", "--create", "--kind", "note", "--id", "victim-entry", "--data",
                "\"the payload of the victim\"", NULL);
    assert_exit(command, 0);
    command_damage(command, "victim-entry");
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

TEST_DAMAGED(a_damaged_payload_is_found_by_who_reads_it)
{
    struct command *command = *state;

    command_run(command, "append", "s", "--create", "--kind", "note", "--id", "victim-entry", "--data",
                "\"the payload of the victim\"", NULL);
    command_damage(command, "payload of the victim");
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

/* Takes an entry's record out of the log: that of this depth, on every branch that has one. */
static void lose(const struct command *command, unsigned char depth)
{
    MDB_env *env = NULL;
    MDB_txn *txn = NULL;
    MDB_dbi log;
    MDB_cursor *cursor = NULL;
    MDB_val key;
    MDB_val data;
    size_t lost = 0;

    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_set_maxdbs(env, 16), 0);
    assert_int_equal(mdb_env_open(env, command->store, 0, 0600), 0);
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, "log", 0, &log), 0);
    assert_int_equal(mdb_cursor_open(txn, log, &cursor), 0);
    while (mdb_cursor_get(cursor, &key, &data, MDB_NEXT) == 0) {
        assert_int_equal(key.mv_size, 16);
        if (((const unsigned char *)key.mv_data)[15] == depth) {
            assert_int_equal(mdb_cursor_del(cursor, 0), 0);
            lost++;
        }
    }
    mdb_cursor_close(cursor);
    assert_true(lost > 0);
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
}

/* A session `s` of three entries, a sound one beside it, one whose base is the third, and a leaf that was moved. */
static void lose_a_leaf(struct command *command)
{
    static const char *const lines[] = {
        "append s --create --kind note --id root",
        "append s --kind note --id between",
        "append s --kind note --id victim",
        "append sound --create --kind note --id other",
        "fork s victim --id forked",
        "append moved --create --kind note --id root",
        "append moved --kind note --id between",
        "append moved --kind note --id last-one",
        "navigate moved root",
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_exit(command, 0);
    }
    lose(command, 3);
}

TEST_DAMAGED(a_lost_entry_is_5_and_not_missing)
{
    static const char *const lines[] = {
        "log s",
        "show s @",
        "show s @~1",
        "state s",
        "branches s",
        "tree s",
        "export s",
        "fork s @",
        "clone s",
        "navigate s @",
        "watch s",
        "watch forked",
        "log forked",
        "state forked",
        "diff s sound",
        "diff sound s:@",
        "diff s between",
        "show moved @{1}",
        "diff s forked",
        "append s -k note",
        "navigate s root",
        "tree s --json",
        "diff s s",
        "blame s nudge",
        "blame forked readonly",
        "blame moved readonly --at @{1}",
        "moves moved",
        "moves moved --jsonl",
        "reads s",
        "state s --scan --explain",
    };
    struct command *command = *state;

    lose_a_leaf(command);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        if (command->code != 5) {
            print_message("%s:\n", lines[i]);
        }
        assert_exit(command, 5);
        assert_contains(command->err, "xylem: ");
    }
}

TEST_DAMAGED(a_session_whose_leaf_is_lost_does_not_hide_the_others)
{
    static const char *const lines[] = {"sessions",          "sessions --json", "sessions -n 9",
                                        "sessions --name x", "tree --family s", "tree --family s --jsonl"};
    struct command *command = *state;

    lose_a_leaf(command);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        if (command->code != 5) {
            print_message("%s:\n", lines[i]);
        }
        assert_exit(command, 5);
        assert_contains(command->err, "session s: ");
        assert_contains(command->err, "session forked: ");
        if (i < 3) {
            assert_contains(command->out, "sound");
        }
    }
}

TEST_DAMAGED(a_truncated_store_is_told_by_verify_with_1)
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

TEST_DAMAGED(an_emptied_store_is_told_by_verify_with_1)
{
    struct command *command = *state;
    char path[256];

    command_path(path, command, "store/data.mdb");
    assert_int_equal(truncate(path, 0), 0);
    command_line(command, "sessions");
    assert_error_and_next(command, 3, "/store/data.mdb is not a store: the file is empty",
                          "/store verify` tells what is wrong, and what to do next\n");
    command_line(command, "verify");
    assert_exit(command, 1);
    assert_contains(command->out, "/store/data.mdb is not a store: the file is empty\n");
    assert_contains(command->out, "\n1 problem");
    assert_contains(command->out,
                    "\nNothing was changed. To put a backup in the store's place, if there is a backup:\n  mv /");
    assert_null(strstr(command->out, "repair"));
    command_line(command, "verify --json");
    assert_exit(command, 1);
    assert_contains(command->out, "\"problem_count\":1,\"problems\":[{\"table\":null,");
}

/* Makes the values of every leaf page in which `needle` stands reach far beyond the file's end. */
static void damage_page(const struct command *command, const char *needle)
{
    enum { PAGE = 4096, HEADER = 16, FLAGS = 10, LOWER = 12, LEAF = 2, KINDS = 0x1f, SIZE_HIGH = 2 };
    char path[256];
    size_t bytes = 0;
    size_t changed = 0;
    const uint16_t far_away = 0x7fff;

    command_path(path, command, "store/data.mdb");
    char *data = command_read_file(path, &bytes);
    for (size_t page = 2; page < bytes / PAGE; page++) { /* the first two are meta pages */
        char *at = data + page * PAGE;
        uint16_t flags;
        uint16_t lower;
        memcpy(&flags, at + FLAGS, sizeof(flags));
        memcpy(&lower, at + LOWER, sizeof(lower));
        if ((flags & KINDS) != LEAF || lower > PAGE || memmem(at, PAGE, needle, strlen(needle)) == NULL) {
            continue;
        }
        for (size_t slot = HEADER; slot < lower; slot += 2) {
            uint16_t node;
            memcpy(&node, at + slot, sizeof(node));
            assert_true(node <= PAGE - 8);
            memcpy(at + node + SIZE_HIGH, &far_away, sizeof(far_away));
            changed++;
        }
    }
    assert_true(changed > 0);
    command_write_file(path, data, bytes);
    free(data);
}

/* Whether LMDB faults on such a page, or something notices before: verify has found a problem. */
TEST_DAMAGED(a_page_that_cannot_be_read_is_told_by_verify_with_1)
{
    struct command *command = *state;

    command_run(command, "append", "victim-session", "--create", "--kind", "note", NULL);
    damage_page(command, "victim-session");
    command_line(command, "sessions");
    assert_exit(command, 5);
    command_line(command, "verify");
    assert_exit(command, 1);
    assert_string_equal(command->err, "");
    assert_contains(command->out, "its node 0 ");
    assert_contains(command->out, "rows were not read");
    assert_contains(command->out, "it is not known which sessions are whole");
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

IN_STORE(without_permission_it_is_6)
{
    struct command *command = *state;
    char program[256];
    char target[256];
    const char *before = getenv("XYLEM_BIN");

    if (geteuid() != 0) { /* root alone can become another user, but it alone needs to */
        assert_int_equal(chmod(command->store, 0), 0);
        command_line(command, "sessions");
        assert_int_equal(chmod(command->store, 0700), 0);
        assert_error_and_next(command, 6, "ermission denied",
                              " has the mode 0000; to open the store again:\n  chmod 700 /");
        return;
    }
    char *saved = before == NULL ? NULL : strdup(before);

    as_nobody(command);
    command_path(program, command, "xylem");
    setenv("XYLEM_BIN", program, 1);
    command_line(command, "sessions");
    assert_error_and_next(command, 6, "ermission denied", "/store has the mode 0700 and belongs to user 0, not to ");
    command_line(command, "append s --kind k --create");
    assert_error_and_next(command, 6, "ermission denied", "user 65534: that user, or root, can change the mode\n");
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

IN_STORE(reading_without_locks_works_and_writing_refuses)
{
    static const char *const writing[] = {"append s --kind note --no-lock",
                                          "navigate s none --no-lock",
                                          "fork s @ --no-lock",
                                          "clone s --no-lock",
                                          "delete s --yes --no-lock",
                                          "init --no-lock",
                                          "compact --yes --no-lock",
                                          "gc --yes --no-lock",
                                          "redact --finish --no-lock"};
    struct command *command = *state;

    assert_int_equal(command_line(command, "append s --kind note --create --id root"), 0);
    assert_int_equal(command_line(command, "--no-lock log s"), 0);
    assert_contains(command->out, "root");
    assert_int_equal(command_line(command, "verify --no-lock"), 0);
    for (size_t i = 0; i < sizeof(writing) / sizeof(writing[0]); i++) {
        command_line(command, writing[i]);
        assert_error(command, 2, "--no-lock is for commands that read");
    }
    assert_int_equal(command_line(command, "delete s --dry-run --no-lock"), 0);
}

/* The program ignores SIGXFSZ, which would end it. */
IN_STORE(a_file_size_limit_is_6_and_named)
{
    struct command *command = *state;
    struct rlimit before;

    assert_int_equal(command_line(command, "append s --kind note --create --id root"), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit limit = {16384, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    command_line(command, "append s --kind note");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_error(command, 6, "the process's file size limit is 16.0 KiB (ulimit -f)");
    assert_int_equal(command_line(command, "append s --kind note"), 0);
}

/* Lines that print, at least one of each command. What a line changes is changed, whatever becomes of its output. */
static const char *const printing_lines[] = {
    "help",
    "help import",
    "help import --json",
    "log --help",
    "version",
    "complete -- lo",
    "init",
    "import " SCENARIO,
    "import " SCENARIO " --json",
    "export " SCENARIO_ID, /* more than is buffered, so that it fails in the middle */
    "export s",
    "export s -o -",
    "sessions",
    "sessions --json",
    "sessions --jsonl",
    "log s",
    "log " SCENARIO_ID " --full",
    "log s --jsonl",
    "tree s",
    "tree " SCENARIO_ID " --all --jsonl",
    "tree s --family",
    "show s @",
    "show s @ --raw",
    "branches s",
    "diff s " SCENARIO_ID,
    "state s",
    "state s --json",
    "blame " SCENARIO_ID " readonly",
    "moves s --json",
    "reads s --json",
    "watch s -n 0",
    "append s --kind note --data 2",
    "navigate s @~1",
    "fork s @",
    "clone s",
    "delete doomed-ROUND --yes",
    "undelete doomed-ROUND",
    "gc --dry-run",
    "redact " SCENARIO_ID " @ --reason leaked --dry-run",
    "verify",
    "verify --json",
    "backup DIRECTORY/backup",
    "compact --yes",
    "stat",
    "stat --json",
    "quarantine s --json",
    "lease status --json",
    "judge ls",
    "judge --json ls",
    "gate " SCENARIO_ID,
};

static void run_without_output(struct command *command, const char *line, const char *part)
{
    char *copy = command_replace(strdup(line), "DIRECTORY", command->directory);
    char path[256];

    copy = command_replace(copy, "ROUND", command->closed == NULL ? "1" : "2");
    command_path(path, command, "backup");
    nftw(path, command_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    command_line(command, copy);
    if (command->code != 6 || strstr(command->err, part) == NULL) {
        print_message("%s\n", copy);
    }
    assert_error(command, 6, part);
    free(copy);
}

IN_STORE(output_that_cannot_be_written_is_6)
{
    struct command *command = *state;
    struct stat status;

    command_line(command, "import -q " SCENARIO);
    command_line(command, "append s --kind note --create --data {\"a\":1}");
    command_line(command, "append s --kind note --data 1");
    command_line(command, "append doomed-1 --kind note --create");
    command_line(command, "append doomed-2 --kind note --create");
    for (size_t i = 0; i < sizeof(printing_lines) / sizeof(printing_lines[0]); i++) {
        command->out_path = "/dev/full";
        run_without_output(command, printing_lines[i], ": cannot write standard output: no space left on device\n");
        command->out_path = NULL;
        command->closed = "1";
        run_without_output(command, printing_lines[i], ": cannot write standard output: bad file descriptor\n");
        command->closed = NULL;
    }
    command_line(command, "export s -o /dev/full");
    assert_error(command, 6, "No space left on device");
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode)); /* export did not replace it by a file */
}

/*
 * The file that is opened next takes the number of a closed stream: what is printed must not go into a file of the
 * store.
 */
IN_STORE(closed_streams_leave_the_store_alone)
{
    static const char *const lines[] = {"append s --kind note", "log s", "import " SCENARIO, "verify", "init",
                                        "log no-such"};
    static const char *const names[] = {"store/data.mdb", "store/lock.mdb", "store/xylem.lock"};
    static const char said[] = "xylem: ";
    struct command *command = *state;
    char path[256];

    command_must(command, "append s --create --kind note");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command->closed = "012";
        command_line(command, lines[i]);
        assert_exit(command, i + 1 < sizeof(lines) / sizeof(lines[0]) ? 6 : 3);
        command->closed = NULL;
        for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
            size_t bytes = 0;
            command_path(path, command, names[j]);
            char *data = command_read_file(path, &bytes);
            assert_null(memmem(data, bytes, said, strlen(said)));
            free(data);
        }
    }
}

IN_STORE(files_that_cannot_be_imported_do_not_keep_the_others_from_it)
{
    struct command *command = *state;
    char bad[256];
    char directory[256];

    command_path(bad, command, "bad.jsonl");
    command_write_file(bad, "no session\n", 11);
    command_path(directory, command, "empty");
    assert_int_equal(mkdir(directory, 0755), 0);
    command_run(command, "import", bad, SCENARIO, NULL);
    assert_exit(command, 2);
    assert_contains(command->err, "bad.jsonl");
    assert_contains(command->out, "2 files: 1 new, 1 failed; 31 entries added");
    assert_contains(command->out, ", 1 problem\n");
    command_run(command, "import", "no-such-file.jsonl", SCENARIO, NULL);
    assert_exit(command, 3);
    assert_contains(command->err, "xylem: import: no-such-file.jsonl: No such file or directory\n");
    assert_contains(command->out, "1 file: 1 unchanged");
    assert_contains(command->out, ", 1 problem\n");
    command_run(command, "import", directory, NULL);
    assert_error(command, 1, "has no file that ends in .jsonl");
    command_run(command, "import", "--json", bad, NULL);
    assert_exit(command, 2);
    assert_contains(command->out, "bad.jsonl\",\"error\":\"");
    assert_contains(command->out, "\"outcome\":\"failed\",");
    assert_contains(command->out, "\"failed\":1,");
    assert_contains(command->out, "\"problem_count\":1}");
}

/* The test's own handle on the store: for what no command does. */
static struct xylem_store *open_store(const struct command *command)
{
    struct xylem_store *store = NULL;
    struct xylem_error err = {0};

    assert_int_equal(xylem_open(&store, command->store, NULL, &err), 0);
    return store;
}

IN_STORE(a_line_that_was_too_long_to_be_kept_is_1)
{
    struct command *command = *state;
    struct xylem_error err = {0};
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    char target[256];

    command_run(command, "import", "-q", SCENARIO, NULL);
    struct xylem_store *store = open_store(command);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), 0);
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of(SCENARIO_ID), &err), 0);
    struct xylem_store__source source;
    assert_int_equal(xylem_store__source_first(&source, txn, session.number, &err), 1);
    char *name = strndup(source.name.data, source.name.bytes);
    struct xylem_quarantined row = {.line = 3,
                                    .reason = XYLEM_IMPORT_LIMIT,
                                    .source = xylem_view_of(name),
                                    .raw_bytes = XYLEM_LINE_BYTES_MAX + UINT64_C(1)};
    assert_int_equal(xylem_store__quarantine_add(txn, session.number, &row, &err), 1);
    assert_int_equal(xylem_commit(txn, &err), 0);
    assert_int_equal(xylem_close(store, &err), 0);
    free(name);
    command_line(command, "quarantine " SCENARIO_ID " --raw 3");
    assert_error(command, 1, "too long to be kept");
    command_line(command, "export " SCENARIO_ID " --with-quarantine");
    assert_exit(command, 1);
    assert_contains(command->err, "line 3 was too long to be kept");
    command_path(target, command, "exported");
    command_run(command, "export", SCENARIO_ID, "--with-quarantine", "-o", target, NULL);
    assert_error(command, 1, "line 3 was too long to be kept");
    assert_int_equal(access(target, F_OK), -1);
    assert_int_equal(command_line(command, "export " SCENARIO_ID), 0);
}

/* Waits until the process sleeps, and goes on sleeping: it waits for the lock of the writer. */
static void wait_until_asleep(pid_t child)
{
    char path[64];
    int asleep = 0;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
    while (asleep < 20) {
        char *text = command_read_file(path, NULL);
        const char *name_end = strrchr(text, ')');
        assert_non_null(name_end);
        assert_int_not_equal(name_end[2], 'Z');
        asleep = name_end[2] == 'S' && strncmp(name_end - 5, "xylem", 5) == 0 ? asleep + 1 : 0;
        free(text);
        usleep(2000);
    }
}

/* Somebody else makes a session while it is imported, or deletes it: the other files are imported all the same. */
IN_STORE(a_session_that_changes_meanwhile_keeps_no_other_from_it)
{
    static const struct {
        const char *words[3];
        const char *id;
        int code;
        const char *err;
        const char *out;
    } rounds[] = {{{"import", SCENARIO, SESSIONS "specials/multi-root.jsonl"},
                   SCENARIO_ID,
                   1,
                   "header",
                   "2 files: 1 new, 1 changed; "},
                  {{"import", SESSIONS "specials/fork-with-labels.jsonl", SESSIONS "specials/multi-root.jsonl"},
                   "01a1fa04-89a2-7035-be02-03c84fb011b3",
                   0,
                   "",
                   "2 files: 1 unchanged, 1 skipped; "}};
    struct command *command = *state;
    struct xylem_error err = {0};
    struct xylem_session session;

    for (size_t i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
        struct xylem_session_options options = {.id = xylem_view_of(rounds[i].id)};
        struct xylem_store *store = open_store(command);
        struct xylem_txn *txn = NULL;
        assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), 0);
        if (i == 1) {
            assert_int_equal(xylem_session_create(&session, txn, &options, &err), 0);
            assert_int_equal(xylem_commit(txn, &err), 0);
            assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), 0);
        }
        pid_t child = command_start(command, rounds[i].words, 3);
        wait_until_asleep(child);
        if (i == 0) {
            assert_int_equal(xylem_session_create(&session, txn, &options, &err), 0);
        } else {
            assert_int_equal(xylem_session_delete(txn, session.number, &err), 0);
        }
        assert_int_equal(xylem_commit(txn, &err), 0);
        assert_int_equal(xylem_close(store, &err), 0);
        command_end(command, child);
        assert_exit(command, rounds[i].code);
        assert_contains(command->err, rounds[i].err);
        assert_contains(command->out, rounds[i].out);
    }
}

/* An import that waits for another writer never comes to a place where it could stop by itself. */
IN_STORE(one_interrupt_ends_an_import_that_waits)
{
    static const char *const words[] = {"import", SCENARIO};
    struct command *command = *state;
    struct xylem_error err = {0};
    struct xylem_store *store = open_store(command);
    struct xylem_txn *txn = NULL;
    siginfo_t ended = {0};

    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), 0);
    pid_t child = command_start(command, words, 2);
    wait_until_asleep(child);
    assert_int_equal(kill(child, SIGINT), 0);
    for (int tries = 0; tries < 3000 && ended.si_pid == 0; tries++) { /* a child that waits for ever is a failure */
        assert_int_equal(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
        usleep(10000);
    }
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, &err), 0);
    assert_int_equal(ended.si_pid, child);
    command_end(command, child);
    assert_exit(command, 130);
    assert_int_equal(command_line(command, "import " SCENARIO), 0);
    assert_contains(command->out, "1 file: 1 new; 31 entries added");
}

IN_STORE(a_crash_ends_in_one_line)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT};
    struct command *command = *state;
    const char *const words[] = {"append", "s", "--kind", "k", "--data", "-"};
    char path[256];

    command_path(path, command, "input");
    command->out_path = "/dev/null"; /* it prints nothing */
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
