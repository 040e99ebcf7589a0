/*
 * xylem sessions. What it prints is compared with fixtures/expected/sessions*; write those files anew with
 * `XYLEM_WRITE_EXPECTED=1 build/tests/cli/test_sessions`, and look at the difference.
 */
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

    snprintf(name, sizeof(name), "%s.jsonl", file->id);
    command_path(path, command, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out,
            "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":\"2026-11-20T12:%02d:00.000Z\","
            "\"cwd\":\"%s\"}\n",
            file->id, file->created, file->cwd);
    if (file->name != NULL) {
        fprintf(out,
                "{\"type\":\"session_info\",\"id\":\"n0\",\"parentId\":null,"
                "\"timestamp\":\"2026-11-20T12:%02d:00.000Z\",\"name\":\"%s\"}\n",
                file->created, file->name);
    }
    for (int i = 0; i < file->messages; i++) {
        char parent[16];
        snprintf(parent, sizeof(parent), i > 0 ? "\"m%d\"" : file->name != NULL ? "\"n0\"" : "null", i - 1);
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
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
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
    assert_string_equal(command->err, "");
    for (const char *at = command->out; (at = strchr(at, '-')) != NULL;) {
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

TEST_WITH(a_list_is_as_expected, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;

    command_expect_line(command, "sessions", "sessions.txt");
    command_line(command, "sessions --jsonl");
    command->out = command_replace(command->out, "\"files\":\\[\"[^\"]*/", "\"files\":[\"DIRECTORY/");
    command_expect(command, "sessions.jsonl");
}

#define WITH_SESSIONS(test) TEST_WITH(test, set_up_sessions, command_tear_down_verified)

WITH_SESSIONS(a_list_is_as_expected_in_any_width_and_colour)
{
    struct command *command = *state;

    command_expect_line(command, "sessions", "sessions-many.txt");
    setenv("COMMAND_COLUMNS", "160", 1);
    command_expect_line(command, "sessions --color always", "sessions-160.txt");
    setenv("COMMAND_COLUMNS", "80", 1);
    command_expect_line(command, "sessions --color always", "sessions-80.txt");
    command_expect_line(command, "sessions --sort created --all", "sessions-all-80.txt");
    setenv("COMMAND_COLUMNS", "50", 1);
    command_expect_line(command, "sessions", "sessions-50.txt");
    unsetenv("COMMAND_COLUMNS");
    command_expect_line(command, "help sessions", "help-sessions.txt");
}

WITH_SESSIONS(sessions_are_sorted)
{
    struct command *command = *state;

    assert_listed(command, "sessions", "agdb");
    assert_listed(command, "sessions --sort active", "agdb");
    assert_listed(command, "sessions -r", "bdga");
    assert_listed(command, "sessions --sort created", "dgba");
    assert_listed(command, "sessions --sort name", "dagb"); /* docs, Fix, other, none */
    assert_listed(command, "sessions --sort name --reverse", "bgad");
    assert_listed(command, "sessions --sort entries", "gadb");
    assert_listed(command, "sessions --sort directory", "adbg");
    assert_listed(command, "sessions -n 2", "ag");
    assert_listed(command, "sessions --sort entries -n 1", "g");
    assert_listed(command, "sessions --sort name -n 0", "");
    command_line(command, "sessions --sort size");
    assert_error(command, 2, "--sort takes active, created, name, entries or directory, not 'size'");
}

WITH_SESSIONS(sessions_are_found_by_their_directory)
{
    struct command *command = *state;

    assert_listed(command, "sessions --dir /home/dev/proj", "adb");
    assert_listed(command, "sessions --dir /home/dev/proj/", "adb");
    assert_listed(command, "sessions --dir /home//dev/./x/../proj/deep/..", "adb");
    assert_listed(command, "sessions --dir /home/dev/proj/deep", "b");
    assert_listed(command, "sessions --dir /home/dev/pro", "");
    assert_listed(command, "sessions --dir /", "agdb");
    assert_listed(command, "sessions --dir /../..", "agdb");
    assert_listed(command, "sessions --dir /home/dev/proj2 --jsonl", "");
    assert_contains(command->out, "bbbb3333-gamma");
    assert_null(strstr(command->out, "alpha"));
    command_run(command, "sessions", "--dir", "", NULL);
    assert_error(command, 2, "--dir needs the name of a directory");
}

/* `.` is where the command runs, and a link to a directory is that directory. */
WITH_SESSIONS(a_directory_is_found_through_its_links)
{
    struct command *command = *state;
    char here[4096];
    char link[256];

    assert_non_null(getcwd(here, sizeof(here)));
    struct file file = {"dddd5555-epsilon", here, NULL, 1, 2, 1};
    write_session_file(command, &file);
    assert_listed(command, "sessions --dir .", "e");
    assert_listed(command, "sessions --dir ./", "e");
    assert_listed(command, "sessions --dir tests", "");
    assert_listed(command, "sessions --dir tests/..", "e");
    command_path(link, command, "link");
    assert_int_equal(symlink(here, link), 0);
    char line[300];
    snprintf(line, sizeof(line), "sessions --dir %s", link);
    assert_listed(command, line, "e");
}

WITH_SESSIONS(sessions_are_found_by_a_part_of_their_name)
{
    struct command *command = *state;

    assert_listed(command, "sessions --name login", "ag");
    assert_listed(command, "sessions --name LOGIN -n 1", "a");
    assert_listed(command, "sessions --name docs", "d");
    assert_listed(command, "sessions --name nothing", "");
    command_run(command, "sessions", "--name", "the login", NULL);
    assert_contains(command->out, "alpha");
    assert_listed(command, "sessions --name login --dir /home/dev/proj2", "g");
}

WITH_SESSIONS(sessions_are_found_by_when_they_were_active)
{
    struct command *command = *state;

    assert_listed(command, "sessions --since 25m", "ag");
    assert_listed(command, "sessions --since 2026-11-20T12:40", "ag");
    assert_listed(command, "sessions --until 2026-11-20T12:40", "gdb");
    assert_listed(command, "sessions --since 35m --until 15m", "gd");
    assert_listed(command, "sessions --since yesterday", "agdb");
    assert_listed(command, "sessions --until yesterday", "");
    command_line(command, "sessions --until never");
    assert_error(command, 2, "'never' is not a time");
}

WITH_SESSIONS(a_session_without_entries_was_active_when_it_was_created)
{
    struct command *command = *state;

    command_line(command, "fork aaaa1111-alpha n0 --before --id eeee6666-zeta");
    assert_exit(command, 0);
    command_line(command, "sessions --since 2026-11-20T13:00 --jsonl");
    command->now = NULL;
    assert_contains(command->out, "\"id\":\"eeee6666-zeta\"");
    assert_contains(command->out, "\"entries\":0,\"leaf\":null,\"leaf_time\":null,\"active\":\"2");
    assert_null(strstr(command->out, "alpha\",\"state"));
}

WITH_SESSIONS(deleted_sessions_are_listed_only_with_all)
{
    struct command *command = *state;

    command_line(command, "delete aaaa1111-alpha --yes");
    assert_listed(command, "sessions", "gdb");
    assert_listed(command, "sessions --all", "agdb");
    assert_contains(command->out, "deleted");
}

/* What a narrow table shows of an id is enough to name the session. */
WITH_SESSIONS(short_ids_name_their_session)
{
    struct command *command = *state;
    struct file file = {"aaaa1111-alpine", "/x", NULL, 1, 2, 1};
    char id[64];

    write_session_file(command, &file);
    setenv("COMMAND_COLUMNS", "80", 1);
    command_line(command, "sessions --dir /x");
    unsetenv("COMMAND_COLUMNS");
    assert_int_equal(sscanf(strchr(command->out, '\n'), " %63s", id), 1);
    assert_string_equal(id, "aaaa1111-alpi");
    command_run(command, "log", id, NULL);
    assert_exit(command, 0);
    setenv("COMMAND_COLUMNS", "80", 1);
    command_line(command, "sessions --name docs");
    unsetenv("COMMAND_COLUMNS");
    assert_contains(command->out, "\ncccc4444-delt  ");
}

/* However much its columns need, a row ends where the terminal does; an id is whole all the same. */
WITH_SESSIONS(rows_end_at_the_edge_of_the_terminal)
{
    static const size_t widths[] = {40, 50, 60, 61, 62, 80, 100};
    static const char *const lines[] = {"sessions",
                                        "sessions --until 1s",
                                        "sessions --all --sort created",
                                        "branches a-prefix-of-two-ids-1",
                                        "moves a-prefix-of-two-ids-1",
                                        "tree a-prefix-of-two-ids-1 --family"};
    struct command *command = *state;

    for (int i = 1; i <= 2; i++) {
        char id[32];
        snprintf(id, sizeof(id), "a-prefix-of-two-ids-%d", i);
        write_session_file(command, &(struct file){id, "/home/dev/of/a/long/path", "a name that is long", 1, 2, 3});
    }
    command_must(command, "navigate a-prefix-of-two-ids-1 m0 --reason because --only-in-store");
    command_must(command, "append a-prefix-of-two-ids-1 --kind note --only-in-store");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        for (size_t j = 0; j < sizeof(widths) / sizeof(widths[0]); j++) {
            command_must_fit(command, widths[j], lines[i]);
            assert_contains(command->out, i <= 2 ? "a-prefix-of-two-ids-2" : i == 5 ? "a-prefix-of-two-ids-1" : "m");
        }
    }
}

/* --- Session files that are gone ---------------------------------------------------------------------------------- */

static void session_file(char path[256], const struct command *command, const char *id)
{
    char name[64];
    snprintf(name, sizeof(name), "%s.jsonl", id);
    command_path(path, command, name);
}

static void remove_session_file(const struct command *command, const char *id)
{
    char path[256];
    session_file(path, command, id);
    assert_int_equal(unlink(path), 0);
}

WITH_SESSIONS(a_session_whose_file_was_deleted_is_shown_as_gone)
{
    struct command *command = *state;

    assert_listed(command, "sessions --file-gone", "");
    assert_listed(command, "sessions", "agdb");
    assert_null(strstr(command->out, "FILE"));
    remove_session_file(command, "bbbb3333-gamma");
    remove_session_file(command, "cccc4444-delta");
    assert_listed(command, "sessions", "agdb");
    command_expect_line(command, "sessions", "sessions-gone.txt");
    setenv("COMMAND_COLUMNS", "60", 1);
    command_expect_line(command, "sessions --color always", "sessions-gone-60.txt");
    unsetenv("COMMAND_COLUMNS");
    assert_listed(command, "sessions --file-gone", "gd");
    assert_listed(command, "sessions --file-gone --name docs", "d");
    assert_listed(command, "sessions --file-gone -n 1 -r", "d");
    assert_listed(command, "sessions -n 1", "a");
    assert_null(strstr(command->out, "FILE")); /* no listed session is gone */
}

WITH_SESSIONS(documents_name_the_files_and_say_whether_they_are_gone)
{
    struct command *command = *state;
    char expected[400];
    char path[256];

    session_file(path, command, "cccc4444-delta");
    char *resolved = realpath(path, NULL);
    assert_non_null(resolved);
    snprintf(expected, sizeof(expected), ",\"file_gone\":false,\"files\":[\"%s\"]}\n", resolved);
    command_must(command, "sessions --name docs --jsonl");
    assert_contains(command->out, expected);
    assert_int_equal(unlink(path), 0);
    snprintf(expected, sizeof(expected), ",\"file_gone\":true,\"files\":[\"%s\"]}\n", resolved);
    command_must(command, "sessions --file-gone --jsonl");
    assert_contains(command->out, expected);
    command_must(command, "sessions --jsonl -n 4");
    assert_contains(command->out, expected);
    free(resolved);
}

WITH_SESSIONS(a_session_is_gone_only_without_all_of_its_files)
{
    struct command *command = *state;
    char path[256];
    char copy[256];
    size_t bytes;

    session_file(path, command, "cccc4444-delta");
    command_path(copy, command, "copy.jsonl");
    char *text = command_read_file(path, &bytes);
    command_write_file(copy, text, bytes);
    free(text);
    command_run(command, "import", "-q", copy, NULL);
    assert_exit(command, 0);
    assert_int_equal(unlink(path), 0);
    assert_listed(command, "sessions --file-gone", "");
    assert_int_equal(unlink(copy), 0);
    assert_listed(command, "sessions --file-gone", "d");
}

/* A volume that is not mounted or a directory that cannot be read says nothing about the file. */
WITH_SESSIONS(a_file_that_cannot_be_looked_up_is_not_gone)
{
    struct command *command = *state;
    char directory[256];
    char path[300];
    size_t bytes;

    command_path(directory, command, "below");
    snprintf(path, sizeof(path), "%s/file.jsonl", directory);
    assert_int_equal(mkdir(directory, 0700), 0);
    char from[256];
    session_file(from, command, "cccc4444-delta");
    char *text = command_read_file(from, &bytes);
    command_write_file(path, text, bytes);
    free(text);
    command_run(command, "import", "-q", path, NULL);
    assert_exit(command, 0);
    assert_int_equal(unlink(from), 0);
    assert_int_equal(unlink(path), 0);
    assert_listed(command, "sessions --file-gone", "d");
    assert_int_equal(symlink("file.jsonl", path), 0); /* a link to itself: ELOOP */
    assert_listed(command, "sessions --file-gone", "");
    assert_int_equal(unlink(path) | rmdir(directory), 0);
    command_write_file(directory, "", 0); /* no directory any more: ENOTDIR */
    assert_listed(command, "sessions --file-gone", "d");
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

/* --- Families and messages ---------------------------------------------------------------------------------------- */

/* The ids of a drawing of 100 cells, with the lines before them. */
static void assert_drawn(struct command *command, const char *line, const char *expected)
{
    char drawn[512] = "";

    setenv("COMMAND_COLUMNS", "100", 1);
    command_must(command, line);
    unsetenv("COMMAND_COLUMNS");
    for (char *row = strchr(command->out, '\n'); row != NULL && row[1] != '\0'; row = strchr(row + 1, '\n')) {
        size_t bytes = strcspn(row + 1, " ");
        bytes += row[1] == ' ' ? strspn(row + 1, " ") + strcspn(row + 1 + strspn(row + 1, " "), " ") : 0;
        strncat(drawn, row + 1, bytes);
        strcat(drawn, "|");
    }
    assert_string_equal(drawn, expected);
}

TEST_WITH(a_family_stands_where_its_last_active_session_would, command_set_up_family, command_tear_down_verified)
{
    struct command *command = *state;

    assert_drawn(command, "sessions", "alone|source|└─fork-1|");
    assert_drawn(command, "sessions -r", "source|└─fork-1|alone|");
    assert_drawn(command, "sessions --sort name", "alone|source|fork-1|");
    command_must(command, "append fork-1 --kind note");
    assert_drawn(command, "sessions", "source|└─fork-1|alone|");
    assert_drawn(command, "sessions -n 1", "fork-1|"); /* the source is not listed */
    command_must(command, "fork fork-1 @ --id fork-2");
    command_must(command, "fork source a --id fork-3");
    command_must(command, "append fork-3 --kind note");
    assert_drawn(command, "sessions", "source|├─fork-3|└─fork-1|  └─fork-2|alone|");
    command_must(command, "delete fork-1 --yes"); /* what lies between is left out */
    assert_drawn(command, "sessions", "source|├─fork-3|└─fork-2|alone|");
    assert_drawn(command, "sessions --deleted", "fork-1|");
    command_must(command, "sessions --jsonl --name nothing");
    assert_string_equal(command->out, "");
    command_must(command, "sessions"); /* a pipe has no drawing: the first word of a line is an id */
    assert_contains(command->out, "\nfork-2 ");
}

TEST_WITH(a_long_chain_of_forks_fits, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    char line[64];

    command_must(command, "append fork-0 --create --kind note --id a");
    for (int i = 1; i < 12; i++) {
        snprintf(line, sizeof(line), "fork fork-%d a --id fork-%d", i - 1, i);
        command_must(command, line);
    }
    command_must_fit(command, 60, "sessions");
    assert_contains(command->out, "\n(8)     └─fork-11 ");
    command_must_fit(command, 160, "sessions");
    command_must_fit(command, 20, "sessions");
}

static void say(struct command *command, const char *role, const char *text)
{
    char data[4000];

    snprintf(data, sizeof(data), "{\"role\":\"%s\",\"content\":\"%s\"}", role, text);
    command_run(command, "append", "talk", "--create", "--kind", "message", "--data", data, NULL);
    assert_exit(command, 0);
}

TEST_WITH(the_first_words_of_a_person_stand_for_a_name, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;

    say(command, "assistant", "welcome");
    command_must(command, "sessions");
    assert_contains(command->out, "  -     welcome\n");
    say(command, "user", "why?\\nbecause");
    say(command, "assistant", "done");
    command_must(command, "append talk --kind note");
    command_must(command, "sessions");
    assert_contains(command->out, "  \"why? because\"  done\n");
    command_must(command, "sessions --jsonl");
    assert_contains(command->out, "\"role\":\"user\",\"text\":\"why?\\nbecause\"}");
    assert_contains(command->out, "\"role\":\"assistant\",\"text\":\"done\"}");
    command_run(command, "append", "talk", "--kind", "session_info", "--data", "{\"name\":\"named\"}", NULL);
    command_must(command, "sessions");
    assert_contains(command->out, "  named  done\n");
    command_must(command, "navigate talk none");
    command_must(command, "sessions");
    assert_contains(command->out, "  named  -\n");
    command_must(command, "sessions --jsonl");
    assert_contains(command->out, "\"first\":null,\"last\":null,");
}

/* A long message is decoded up to a place of its own, wherever its escapes and its characters lie. */
TEST_WITH(a_long_message_is_cut_to_its_column, command_set_up, command_tear_down_verified)
{
    static const char *const parts[] = {"\\ud83d\\ude00", "\\\\", "\\\"", "\u00e9", "\\u0000"};
    struct command *command = *state;
    char text[3000];
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) {
        for (int shift = 0; shift < 13; shift++) {
            memset(text, 'a', 2999);
            char *at = text + 200 + shift;
            for (int i = 0; i < 20; i++) {
                at = stpcpy(at, parts[part]);
            }
            strcpy(text + 2500, "end");
            *at = 'b';
            say(command, "assistant", text);
            command_must(command, "sessions");
            char expected[100] = "  ";
            memset(expected + 2, 'a', 71);
            strcpy(expected + 73, "\u2026\n");
            assert_contains(command->out, expected);
            command_must(command, "sessions --jsonl");
            memset(expected, 'a', 90);
            expected[90] = '\0';
            assert_contains(command->out, expected);
        }
    }
    snprintf(text, sizeof text, "short%*s", 1500, "end");
    say(command, "assistant", text);
    command_must(command, "sessions");
    assert_contains(command->out, "  short \u2026\n"); /* what is left out leaves an ellipsis */
    memset(text, 'A', 2000);
    strcpy(text, "{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"data\": \"");
    text[strlen(text)] = 'A';
    strcpy(text + 2000, "\"}]}");
    command_run(command, "append", "talk", "--kind", "message", "--data", text, NULL);
    assert_exit(command, 0);
    command_must(command, "sessions");
    assert_contains(command->out, "  (image 1.4 KiB)\n");
}
