/* xylem sessions, where a host noted the file of a session, and where the files of a session are damaged. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#include "store/format/keys.h"
#include "store/lmdb/tables.h"
#include "xylem/files.h"

/* A session file: `name` may be NULL, `minutes` are those after 12:00 of 2026-11-20, and as many entries follow. */
struct file {
    const char *id;
    const char *cwd;
    const char *name;
    int created;
    int active;
    int messages;
};

static const struct file files[] = {
    {"aaaa1111-alpha", "/home/dev/proj", "Fix the Login", 0, 50, 3},
    {"aaaa2222-beta", "/home/dev/proj/deep/er", NULL, 10, 20, 1},
    {"bbbb3333-gamma", "/home/dev/proj2", "other login work", 20, 40, 5},
    {"cccc4444-delta", "/home/dev/proj/", "docs", 30, 30, 2},
};

static void write_session_file(struct command *command, const struct file *file)
{
    char path[256];
    char name[64];
    snprintf(name, sizeof name, "%s.jsonl", file->id);
    command_path(path, command, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out,
            "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":\"2026-11-20T12:%02d:00.000Z\","
            "\"cwd\":\"%s\"}\n",
            file->id, file->created, file->cwd);
    if (file->name) {
        fprintf(out,
                "{\"type\":\"session_info\",\"id\":\"n0\",\"parentId\":null,"
                "\"timestamp\":\"2026-11-20T12:%02d:00.000Z\",\"name\":\"%s\"}\n",
                file->created, file->name);
    }
    for (int i = 0; i < file->messages; i++) {
        char parent[16];
        snprintf(parent, sizeof parent, i > 0 ? "\"m%d\"" : file->name != NULL ? "\"n0\"" : "null", i - 1);
        fprintf(out,
                "{\"type\":\"message\",\"id\":\"m%d\",\"parentId\":%s,\"timestamp\":\"2026-11-20T12:%02d:00.000Z\","
                "\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n",
                i, parent, file->active);
    }
    assert_int_equal(fclose(out), 0);
    command_run(command, "import", "-q", path, NULL);
    assert_exit(command, 0);
}

static int set_up_sessions(void **state)
{
    command_set_up(state);
    struct command *command = *state;
    command->now = "2026-11-20T13:00:00Z";
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        write_session_file(command, &files[i]);
    }
    return 0;
}

/* The sessions that a line lists, by the first letters behind the dash of their ids. */
static void assert_listed(struct command *command, const char *line, const char *expected)
{
    char listed[64] = "";
    command_line(command, line);
    assert_exit(command, 0);
    assert_string_equal(command->err, *expected != '\0' ? "" : "xylem: sessions: no session passes the filters\n");
    for (const char *at = command->out; (at = strchr(at, '-'));) {
        if (at - command->out >= 8 && (at - command->out == 8 || at[-9] == '\n')) {
            strncat(listed, at + 1, 1);
        }
        at++;
    }
    if (strcmp(listed, expected) != 0) {
        print_message("%s:\n%s\n", line, command->out);
    }
    assert_string_equal(listed, expected);
}

#define WITH_SESSIONS(test) TEST_WITH(test, set_up_sessions, command_tear_down_verified)

static void session_file(char path[256], const struct command *command, const char *id)
{
    char name[64];
    snprintf(name, sizeof name, "%s.jsonl", id);
    command_path(path, command, name);
}

static void remove_session_file(const struct command *command, const char *id)
{
    char path[256];
    session_file(path, command, id);
    assert_int_equal(unlink(path), 0);
}

/* Runs `change` on a session of the test's own handle. */
static void with_session(struct command *command, const char *id,
                         int (*change)(struct xylem_txn *txn, uint64_t session, void *context, struct xylem_error *err),
                         void *context)
{
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_error err = {0};
    assert_int_equal(xylem_open(&store, command->store, NULL, &err), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), 0);
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of(id), &err), 0);
    assert_true(change(txn, session.number, context, &err) >= 0);
    assert_int_equal(xylem_commit(txn, &err), 0);
    assert_int_equal(xylem_close(store, &err), 0);
}

static int note_file(struct xylem_txn *txn, uint64_t session, void *context, struct xylem_error *err)
{
    return xylem_session_file_note(txn, session, context, err);
}

WITH_SESSIONS(a_session_without_an_import_is_gone_if_its_noted_file_is)
{
    struct command *command = *state;
    char path[256];
    command_must(command, "append eeee6666-zeta --create --kind note");
    assert_listed(command, "sessions --file-gone", "");
    session_file(path, command, "eeee6666-zeta");
    command_write_file(path, "", 0);
    with_session(command, "eeee6666-zeta", note_file, path);
    assert_listed(command, "sessions --file-gone", "");
    assert_int_equal(unlink(path), 0);
    assert_listed(command, "sessions --file-gone", "z");
}

/* A row of the session in `sources` that no import writes. */
static int damage_files(struct xylem_txn *txn, uint64_t session, void *context, struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_buffer row = {NULL, 0, 0};
    (void)context;
    xylem_format__key_source(&key, session, xylem_view_of("/a"));
    assert_int_equal(xylem_buffer_add(&row, "????", 4), 0);
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__SOURCES, key.view, &row, true, true, err);
}

TEST_WITH(damaged_files_of_a_session_do_not_hide_other_sessions, set_up_sessions, command_tear_down)
{
    struct command *command = *state;
    with_session(command, "bbbb3333-gamma", damage_files, NULL);
    remove_session_file(command, "cccc4444-delta");
    command_line(command, "sessions");
    assert_exit(command, 5);
    assert_contains(command->err, "session bbbb3333-gamma: ");
    assert_contains(command->err, "a row of the table sources has invalid fields");
    assert_contains(command->out, "3  file gone  /home/dev/proj          docs");
    command_line(command, "sessions --file-gone --json");
    assert_exit(command, 5);
    assert_contains(command->out, "cccc4444-delta");
    command_line(command, "delete --file-gone --yes");
    assert_exit(command, 5);
    assert_contains(command->err, "session bbbb3333-gamma: ");
    assert_contains(command->out, "deleted 1 session whose file is gone\n");
}
