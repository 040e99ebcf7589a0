/* Damage that no command makes, other users, and signals: one line on standard error, and the right exit code. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#include <lmdb.h>
#include <sys/resource.h>

#include "store/format/format.h"
#include "store/format/hash.h"
#include "store/store.h"
#include "xylem/files.h"

#define IN_STORE(test) TEST_WITH(test, command_set_up, command_tear_down_verified)
#define TEST_DAMAGED(test) TEST_WITH(test, command_set_up, command_tear_down)

/* Writes another format version and other features into the store, with a sum that is right. */
static void write_format(const struct command *command, uint32_t version, uint64_t features)
{
    MDB_env *env = NULL;
    MDB_txn *txn = NULL;
    MDB_dbi meta;
    unsigned char value[20] = {0};
    MDB_val key = {strlen(XYLEM_FORMAT__META_FORMAT), (void *)(uintptr_t)XYLEM_FORMAT__META_FORMAT};
    MDB_val data = {sizeof value, value};
    memcpy(value, &version, sizeof version);
    memcpy(value + 4, &features, sizeof features);
    uint64_t sum =
        xylem_format__hash_pair(xylem_view_of(XYLEM_FORMAT__META_FORMAT), (struct xylem_view){(const char *)value, 12});
    memcpy(value + 12, &sum, sizeof sum);
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
    write_format(command, XYLEM_FORMAT__FORMAT_VERSION, 0);
    assert_int_equal(command_line(command, "sessions"), 0);
    for (int newer = 0; newer < 2; newer++) {
        write_format(command, XYLEM_FORMAT__FORMAT_VERSION - 1 + 2 * (uint32_t)newer, 0);
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
            command_line(command, lines[i]);
            assert_error(command, 7, newer ? "version" : "into a new store");
        }
    }
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
        assert_int_equal(key.mv_size, 2);
        if (((const unsigned char *)key.mv_data)[1] == depth) {
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
        "fork s:victim --id forked",
        "append moved --create --kind note --id root",
        "append moved --kind note --id between",
        "append moved --kind note --id last-one",
        "navigate moved:root",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        command_line(command, lines[i]);
        assert_exit(command, 0);
    }
    lose(command, 3);
}

TEST_DAMAGED(a_lost_entry_is_5_and_not_missing)
{
    static const char *const lines[] = {
        "log s",
        "show s:@",
        "show s:@~1",
        "state s",
        "branches s",
        "tree s",
        "export s",
        "fork s:@",
        "clone s",
        "navigate s:@",
        "watch s",
        "watch forked",
        "log forked",
        "state forked",
        "diff s sound",
        "diff sound s:@",
        "diff s between",
        "show moved:@{1}",
        "diff s forked",
        "append s -k note",
        "navigate s:root",
        "tree s --json",
        "diff s s",
        "blame s nudge",
        "blame forked readonly",
        "blame moved:@{1} readonly",
        "moves moved",
        "moves moved --jsonl",
        "files s",
        "state s --scan --explain",
    };
    struct command *command = *state;
    lose_a_leaf(command);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
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
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
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
        memcpy(&flags, at + FLAGS, sizeof flags);
        memcpy(&lower, at + LOWER, sizeof lower);
        if ((flags & KINDS) != LEAF || lower > PAGE || !memmem(at, PAGE, needle, strlen(needle))) {
            continue;
        }
        for (size_t slot = HEADER; slot < lower; slot += 2) {
            uint16_t node;
            memcpy(&node, at + slot, sizeof node);
            assert_true(node <= PAGE - 8);
            memcpy(at + node + SIZE_HIGH, &far_away, sizeof far_away);
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
    char *saved = !before ? NULL : strdup(before);

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
    if (!saved) {
        unsetenv("XYLEM_BIN");
    } else {
        setenv("XYLEM_BIN", saved, 1);
    }
    free(saved);
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
    command_line(command, "quarantine " SCENARIO_ID " --line 3 --raw");
    assert_error(command, 1, "too long to be kept");
    command_line(command, "export " SCENARIO_ID " --quarantine");
    assert_exit(command, 1);
    assert_contains(command->err, "line 3 was too long to be kept");
    command_path(target, command, "exported");
    command_run(command, "export", SCENARIO_ID, "--quarantine", "-o", target, NULL);
    assert_error(command, 1, "line 3 was too long to be kept");
    assert_int_equal(access(target, F_OK), -1);
    assert_int_equal(command_line(command, "export " SCENARIO_ID), 0);
}

/* Waits until the process sleeps, and goes on sleeping: it waits for the lock of the writer. */
static void wait_until_asleep(pid_t child)
{
    char path[64];
    int asleep = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
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

    for (size_t i = 0; i < sizeof rounds / sizeof rounds[0]; i++) {
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
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
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
