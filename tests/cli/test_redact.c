/* `redact`, and what is left of the bytes in the files of the store. */
#include "tests/cli/terminal.h"
#include "tests/lib/test.h"

#include <dirent.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "store/lmdb/tables.h"

#define SECRET "sk-4f9a-hush-hush"
#define BEGIN "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2025-01-01T00:00:00.000Z\"}\n"
#define LINE(id, parent, text)                                     \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent \
    ",\"timestamp\":\"2025-01-01T00:00:02.000Z\",\"message\":{\"role\":\"user\",\"content\":\"" text "\"}}\n"

static bool has(const char *data, size_t bytes, const char *text)
{
    return memmem(data, bytes, text, strlen(text)) != NULL;
}

/* In how many files of the store's directory the text stands, byte for byte. */
static unsigned files_with(const struct command *command, const char *text)
{
    DIR *directory = opendir(command->store);
    unsigned count = 0;

    assert_non_null(directory);
    for (struct dirent *item; (item = readdir(directory)) != NULL;) {
        char path[512];
        size_t bytes = 0;
        if (item->d_type == DT_REG) {
            snprintf(path, sizeof(path), "%s/%s", command->store, item->d_name);
            char *data = command_read_file(path, &bytes);
            count += has(data, bytes, text);
            free(data);
        }
    }
    closedir(directory);
    return count;
}

/* The same of a file that is open, whatever its name is by now. */
static bool still_has(int descriptor, const char *text)
{
    struct stat status;
    assert_int_equal(fstat(descriptor, &status), 0);
    char *data = malloc((size_t)status.st_size + 1);
    assert_non_null(data);
    assert_int_equal(pread(descriptor, data, (size_t)status.st_size, 0), status.st_size);
    bool found = has(data, (size_t)status.st_size, text);
    free(data);
    return found;
}

static void import_text(struct command *command, const char *name, const char *text)
{
    char path[256];
    command_path(path, command, name);
    command_write_file(path, text, strlen(text));
    command_run(command, "import", "-q", path, NULL);
}

/* A small payload, a large one, a line that is kept as it is, quarantined ones, and a torn one. */
static void import_secrets(struct command *command)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);

    assert_non_null(stream);
    fputs(BEGIN LINE("aaaa0001", "null", "hello") LINE("aaaa0002", "\"aaaa0001\"", SECRET " one"), stream);
    fputs("{\"type\":\"message\", \"id\":\"aaaa0003\",\"parentId\":\"aaaa0002\",\"content\":\"" SECRET " two", stream);
    for (int i = 0; i < 3000; i++) {
        fputs(" and " SECRET, stream);
    }
    fputs("\"}\n" LINE("aaaa0004", "\"aaaa0003\"", "good") "{\"id\":\"aaaa0002\",\"torn in\":\"" SECRET " three\n",
          stream);
    fputs(LINE("aaaa0005", "\"aaaa0004\"", "bye") "{\"type\":\"message\",\"id\":\"aaaa0003\",\"x\":\"" SECRET " fo",
          stream);
    fclose(stream);
    import_text(command, "secrets.jsonl", text);
    assert_exit(command, 1);
    free(text);
}

static int open_data(const struct command *command)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/data.mdb", command->store);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(descriptor >= 0);
    return descriptor;
}

#define IN_STORE(test) TEST_WITH(test, command_set_up, command_tear_down_verified)

IN_STORE(nothing_of_it_is_left_in_the_files)
{
    struct command *command = *state;
    char path[256];

    import_secrets(command);
    assert_true(files_with(command, SECRET) > 0);
    int old = open_data(command);
    command_run(command, "redact", "s", "aaaa0002", "--reason", "a key", "--yes", NULL);
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
    assert_contains(command->out, "redacted entry aaaa0002 of session s\n");
    assert_contains(command->out, " of 1 entry, 1 quarantined line; in 1 session\n");
    assert_contains(command->out, ", and the old file was overwritten\n");
    command_path(path, command, "secrets.jsonl");
    assert_contains(command->out, path);
    assert_contains(command->out, "\n  snapshots of the file system\n");
    assert_false(still_has(old, SECRET));
    close(old);
    old = open_data(command);
    assert_true(still_has(old, SECRET));
    command_run(command, "redact", "s", "aaaa0003", "--reason", "a key", "--drop-hash", "-y", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, " of 1 entry, 1 torn line; in 1 session\n");
    assert_contains(command->out, "hashes   1 dropped, and the checks of 2 entries behind made anew\n");
    assert_int_equal(files_with(command, SECRET), 0);
    assert_false(still_has(old, SECRET));
    close(old);
    assert_int_equal(files_with(command, "hello"), 1);
}

IN_STORE(what_is_shown_says_why)
{
    struct command *command = *state;

    import_secrets(command);
    command_run(command, "redact", "s", "aaaa0002", "--reason", "a key\x1b[1m", "-y", NULL);
    assert_exit(command, 0);
    assert_int_equal(command_line(command, "show s aaaa0002"), 0);
    assert_contains(command->out, "payload   redacted, imported\n");
    assert_contains(command->out, "\n    (redacted: a key\\x1b[1m)\n");
    assert_int_equal(command_line(command, "show s aaaa0002 --json"), 0);
    assert_contains(command->out, "\"line_bytes\":0");
    assert_contains(command->out, "\"redacted\":\"a key\\u001b[1m\",\"hash_dropped\":false}");
    assert_int_equal(command_line(command, "show s aaaa0002 --raw"), 1);
    assert_contains(command->err, "was redacted");
    static const char *const readers[] = {"log s",
                                          "log s --full",
                                          "log s --jsonl",
                                          "tree s",
                                          "state s",
                                          "branches s",
                                          "sessions",
                                          "diff s s",
                                          "blame s readonly",
                                          "moves s",
                                          "watch s -n 0 --last 9",
                                          "export s",
                                          "quarantine s",
                                          "stat"};
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        command_line(command, readers[i]);
        assert_exit(command, 0);
        assert_null(strstr(command->out, SECRET " one"));
    }
    assert_int_equal(command_line(command, "quarantine s"), 0);
    assert_contains(command->out, "redacted");
    assert_int_equal(command_line(command, "quarantine s --raw 6"), 1);
    assert_contains(command->err, "line 6 was redacted: its bytes are not in the store");
    assert_int_equal(command_line(command, "export s --with-quarantine"), 0);
    assert_null(strstr(command->out, SECRET " three"));
    assert_contains(command->out, "\"id\":\"aaaa0002\",\"parentId\":\"aaaa0001\"");
}

IN_STORE(a_dry_run_writes_nothing)
{
    struct command *command = *state;

    import_secrets(command);
    command_run(command, "redact", "s", "aaaa0002", "--reason", "a key", "--dry-run", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "would redact entry aaaa0002 of session s\n");
    assert_null(strstr(command->out, "overwritten"));
    assert_int_equal(files_with(command, SECRET " one"), 1);
    command_run(command, "redact", "s", "aaaa0002", "--reason", "a key", "-n", "--json", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "\"session\":\"s\",\"entry\":\"aaaa0002\",\"dry_run\":true,\"was_redacted\":false,"
                                  "\"redacted_entries\":1,");
    assert_contains(command->out, "\"quarantined_lines\":1,\"torn_lines\":0,\"sessions\":1,\"finished\":false,");
    assert_int_equal(command_line(command, "show s aaaa0002 --raw"), 0);
}

IN_STORE(a_store_that_is_in_use_is_finished_later)
{
    struct command *command = *state;
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store = NULL;
    struct xylem_error err;

    import_secrets(command);
    assert_int_equal(xylem_open(&store, command->store, &options, &err), 0);
    command->hurried = true;
    command_run(command, "redact", "s", "aaaa0002", "--reason", "a key", "-y", "--json", NULL);
    assert_exit(command, 4);
    assert_contains(command->err, "in use");
    assert_contains(command->err, "/store redact --finish`");
    assert_contains(command->out, "\"redacted_entries\":1,");
    assert_contains(command->out, "\"finished\":false,");
    assert_int_equal(command_line(command, "redact --finish"), 4);
    command->hurried = false;
    assert_int_equal(command_line(command, "show s aaaa0002 --raw"), 1);
    assert_int_equal(xylem_close(store, &err), 0);
    assert_int_equal(files_with(command, SECRET " one"), 1);
    assert_int_equal(command_line(command, "redact --finish"), 0);
    assert_contains(command->out, ", and the old file was overwritten\n");
    assert_int_equal(files_with(command, SECRET " one"), 0);
    command_line(command, "redact --finish --json");
    assert_exit(command, 0);
    assert_contains(command->out, "{\"schema\":1,\"finished\":true,\"bytes_before\":");
}

/* The store as a redaction leaves it that was killed between two pieces. */
static void note_rest(const struct command *command, struct xylem_position at)
{
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_buffer row = {NULL, 0, 0};
    struct xylem_buffer targets = {NULL, 0, 0};
    const uint64_t id = 7;
    const uint64_t no_branch = 0;
    const uint64_t place[] = {at.branch, at.depth};
    assert_int_equal(xylem_open(&store, command->store, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), XYLEM_OK);
    bool made = xylem_base__add_u64s(&targets, place, 2) == XYLEM_OK &&
                xylem_base__add_u64s(&row, &id, 1) == XYLEM_OK &&
                xylem_base__add_sized(&row, xylem_view_of("leaked")) == XYLEM_OK &&
                xylem_base__add_u64s(&row, &no_branch, 1) == XYLEM_OK &&
                xylem_base__add_sized(&row, xylem_base__buffer_view(&targets)) == XYLEM_OK &&
                xylem_base__add_sized(&row, xylem_view_of("")) == XYLEM_OK;
    xylem_buffer_release(&targets);
    assert_int_equal(xylem_lmdb__put_summed(txn, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_REDACTING), &row,
                                            made, true, NULL),
                     XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

IN_STORE(a_redaction_that_was_killed_is_named_and_finished)
{
    struct command *command = *state;

    import_text(command, "f", BEGIN LINE("aaaa0001", "null", "hello") LINE("aaaa0002", "\"aaaa0001\"", SECRET));
    note_rest(command, (struct xylem_position){1, 2});
    command_must(command, "verify"); /* the store is sound */
    command_must(command, "stat");
    assert_contains(command->out, "redacting 1 entry to redact yet; if no redaction is under way, one was ended in the "
                                  "middle: `xylem");
    command_must(command, "stat --json");
    assert_contains(command->out, "\"entries_redacting\":1,");
    assert_int_equal(files_with(command, SECRET), 1);
    command_line(command, "redact --finish");
    assert_exit(command, 0);
    assert_contains(command->err, "an earlier redaction that was ended in the middle is finished now");
    assert_int_equal(files_with(command, SECRET), 0);
    command_line(command, "redact --finish");
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
    command_must(command, "stat");
    assert_null(strstr(command->out, "redacting"));
    command_must(command, "show s:aaaa0002");
    assert_contains(command->out, "leaked");
}

IN_STORE(redacting_again_says_so)
{
    struct command *command = *state;

    import_secrets(command);
    command_run(command, "redact", "s", "aaaa0002", "--reason", "first", "-y", NULL);
    command_run(command, "redact", "s", "aaaa0002", "--reason", "second", "-y", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "redacted before: entry aaaa0002 of session s\n");
    assert_contains(command->out, "0 B of 0 entries; in 1 session\n");
    command_line(command, "show s aaaa0002");
    assert_contains(command->out, "(redacted: first)");
}

/* --- By what entries say ------------------------------------------------------------------------------------------ */

/* Neither standard output nor standard error has it. */
static void assert_unsaid(const struct command *command, const char *text)
{
    assert_null(strstr(command->out, text));
    assert_null(strstr(command->err, text));
}

IN_STORE(all_that_matches_goes_from_the_files)
{
    static const char *const readers[] = {"log s --full", "log fork --jsonl",           "show s aaaa0003 --json",
                                          "tree s",       "export s --with-quarantine", "export fork",
                                          "quarantine",   "quarantine --json",          "sessions",
                                          "stat",         "watch s -n 0 --last 9"};
    struct command *command = *state;

    import_secrets(command);
    assert_int_equal(command_line(command, "clone s --id fork"), 0);
    command_run(command, "append", "fork", "--kind", "message", "--data", "{\"a\":\"it was " SECRET "\"}", NULL);
    assert_exit(command, 0);
    assert_true(files_with(command, SECRET) > 0);
    int old = open_data(command);
    command_run(command, "redact", "--pattern", "sk-[0-9a-f]{4}(-hush)+", "--reason", "a key", "--yes", NULL);
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
    assert_unsaid(command, "hush");
    assert_contains(command->out, " of 3 entries, 1 quarantined line, 1 torn line; in 2 sessions\n");
    assert_contains(command->out, ", and the old file was overwritten\n");
    assert_contains(command->out, "\n  text split over two strings, or encoded (base64, compressed)\n");
    assert_int_equal(files_with(command, "hush"), 0);
    assert_false(still_has(old, "hush"));
    close(old);
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        command_line(command, readers[i]);
        assert_exit(command, 0);
        assert_unsaid(command, "hush");
    }
    assert_int_equal(files_with(command, "hello"), 1);
    command_run(command, "redact", "--pattern", "sk-[0-9a-f]{4}(-hush)+", "--reason", "a key", "--yes", NULL);
    assert_exit(command, 0);
    assert_string_equal(command->out, "nothing matches\n");
}

/* A match that stays is listed by its place, never by its text. */
IN_STORE(where_a_match_stays_is_listed_and_the_match_never_is)
{
    struct command *command = *state;
    static const char text[] =
        "{\"type\":\"session\",\"version\":3,\"id\":\"" SECRET "\",\"timestamp\":\"2025-01-01T00:00:00.000Z\","
        "\"cwd\":\"/home/" SECRET "\"}\n" LINE("aaaa0001", "null", SECRET) LINE(SECRET, "\"aaaa0001\"", "x");
    char path[256];

    import_text(command, SECRET ".jsonl", text);
    assert_exit(command, 0);
    command_path(path, command, "patterns");
    command_write_file(path, "# keys\n\nsk-[0-9a-f]{4}\n", 22);
    for (int real = 0; real < 2; real++) {
        command_run(command, "redact", "--pattern-file", path, "--reason", "a key", real ? "--yes" : "--dry-run", NULL);
        assert_exit(command, 1);
        assert_unsaid(command, SECRET);
        assert_int_equal(strstr(command->out, "  would be taken: session number 1, entry aaaa0001\n") != NULL, !real);
        assert_contains(command->out, "  stays: session number 1, the id of an entry, branch 1, depth 2\n"
                                      "  stays: session number 1, the id of a session\n"
                                      "  stays: session number 1, the working directory of a session\n"
                                      "  stays: session number 1, the path of a session file\n");
        assert_contains(command->out, "\n4 matches stay: ");
        assert_null(strstr(command->out, ".jsonl"));
    }
    command_run(command, "redact", "-p", "sk-[0-9a-f]{4}", "--reason", "a key", "--dry-run", "--json", NULL);
    assert_exit(command, 1);
    assert_unsaid(command, SECRET);
    assert_contains(command->out, "{\"schema\":1,\"scope\":\"store\",\"dry_run\":true,\"redacted_entries\":0,");
    assert_contains(command->out, "\"kept\":4,\"matches\":[{\"place\":\"entry-id\",\"taken\":false,\"session\":null,"
                                  "\"session_number\":1,\"entry\":null,\"branch\":1,\"depth\":2,\"number\":0},");
    assert_contains(command->out, "\"unlisted\":0}");
}

IN_STORE(a_session_or_its_family_is_searched)
{
    struct command *command = *state;

    command_line(command, "append a --create --kind message --data {\"x\":\"" SECRET "\"} --id one");
    command_line(command, "clone a --id b");
    command_line(command, "append b --kind message --data {\"y\":\"" SECRET "\"} --id two");
    command_line(command, "append other --create --kind message --data {\"z\":\"" SECRET "\"} --id three");
    command_run(command, "redact", "a", "-p", SECRET, "-r", "a key", "-n", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "would redact every match that can be redacted\n"
                                  "  would be taken: session a, entry one\nto take  ");
    command_run(command, "redact", "a", "-p", SECRET, "-r", "a key", "--family", "-y", "--drop-hash", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, " of 2 entries; in 2 sessions\nhashes   2 dropped");
    assert_int_equal(files_with(command, SECRET), 1); /* of the other session */
    command_run(command, "redact", "-p", SECRET, "-r", "a key", "-y", NULL);
    assert_exit(command, 0);
    assert_int_equal(files_with(command, SECRET), 0);
}

IN_STORE(a_question_counts_only_what_there_is)
{
    struct command *command = *state;

    command_must(command, "append a --create --kind message --data {\"x\":\"" SECRET "\"} --id one");
    run_on_terminal(command, &(struct terminal){.typed = "n\n", .columns = 200}, "redact -p " SECRET " -r key");
    assert_exit(command, 1);
    assert_contains(command->out, "Redact 1 entry in 1 session? The text cannot be brought back. [y/N] ");
}

/* --- What else holds the text ------------------------------------------------------------------------------------- */

static const char *const named[] = {"holds", "holds-not", "link", "directory", "gone", "fifo", "large", "bad\x1b[1m"};
#define NAMED_COUNT (sizeof named / sizeof named[0])

/* A result of a tool for each name, two checkpoints of one repository, and the files behind the names. */
static void import_holders(struct command *command)
{
    char *text = NULL;
    size_t bytes = 0;
    char path[256];
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    fputs(BEGIN LINE("aaaa0001", "null", SECRET), stream);
    for (size_t i = 0; i < NAMED_COUNT; i++) {
        fprintf(stream,
                "{\"type\":\"message\",\"id\":\"bbbb000%zu\",\"parentId\":\"aaaa0001\",\"timestamp\":"
                "\"2025-01-01T00:00:02.000Z\",\"message\":{\"role\":\"toolResult\",\"content\":\"" SECRET "\","
                "\"details\":{\"fullOutputPath\":\"%s/%s\"}}}\n",
                i, command->directory, i == 7 ? "bad\\u001b[1m" : named[i]);
    }
    for (int i = 0; i < 2; i++) {
        fprintf(stream,
                "{\"type\":\"custom\",\"customType\":\"git-checkpoint\",\"id\":\"cccc000%d\",\"parentId\":\"aaaa0001\","
                "\"timestamp\":\"2025-01-01T00:00:02.000Z\",\"data\":{\"repo\":\"/re/po\",\"commit\":\"%040d\"}}\n",
                i, i);
    }
    fclose(stream);
    import_text(command, "f", text);
    free(text);
    const char *const with[] = {"holds", "bad\x1b[1m", "behind", "large"};
    for (size_t i = 0; i < sizeof with / sizeof with[0]; i++) {
        command_path(path, command, with[i]);
        command_write_file(path, "x " SECRET, strlen("x " SECRET));
    }
    assert_int_equal(truncate(path, (64 << 20) + 1), 0);
    command_path(path, command, "holds-not");
    command_write_file(path, "x", 1);
    command_path(path, command, "link");
    assert_int_equal(symlink("behind", path), 0);
    command_path(path, command, "directory");
    assert_int_equal(mkdir(path, 0700), 0);
    command_path(path, command, "fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
}

static bool is_there(const struct command *command, const char *name)
{
    char path[256];
    struct stat status;
    command_path(path, command, name);
    return lstat(path, &status) == 0;
}

static void assert_line(const struct command *command, const char *beginning, const char *name)
{
    char line[512];
    snprintf(line, sizeof line, "\n%s%s/%s\n", beginning, command->directory, name);
    assert_contains(command->out, line);
}

IN_STORE(files_that_entries_name_are_searched_and_those_with_a_match_go)
{
    struct command *command = *state;
    import_holders(command);
    command_run(command, "redact", "-p", SECRET, "-r", "a key", "--dry-run", "--yes", NULL);
    assert_exit(command, 0);
    assert_line(command, "holds the text: ", "holds");
    assert_line(command, "holds the text: ", "bad\\x1b[1m");
    for (size_t i = 0; i < NAMED_COUNT; i++) {
        assert_int_equal(is_there(command, named[i]), strcmp(named[i], "gone") != 0);
    }
    run_on_terminal(command, &(struct terminal){.typed = "y\ny\n", .columns = 200}, "redact -p " SECRET " -r key");
    assert_contains(command->out, "removed: ");
    assert_contains(command->out, "was not searched: ");
    assert_contains(command->out, "\n/re/po: 2 checkpoints under refs/xylem/ may hold the text: ");
    for (size_t i = 1; i < 6; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s\r", command->directory, named[i]);
        assert_null(strstr(command->out, path));
    }
    static const char *const stay[] = {"holds-not", "link", "behind", "directory", "fifo", "large"};
    for (size_t i = 0; i < sizeof stay / sizeof stay[0]; i++) {
        assert_true(is_there(command, stay[i]));
    }
    assert_false(is_there(command, "holds"));
    assert_false(is_there(command, "bad\x1b[1m"));
}

/* Who wrote the entries chose the names: --yes removes no file that nobody has looked at. */
IN_STORE(without_a_question_files_are_named_and_stay)
{
    struct command *command = *state;
    import_holders(command);
    command_run(command, "redact", "s", "-p", SECRET, "-r", "a key", "--yes", NULL);
    assert_exit(command, 0);
    assert_line(command, "holds the text: ", "holds");
    assert_line(command, "holds the text: ", "bad\\x1b[1m");
    assert_line(command, "was not searched: ", "large");
    assert_true(is_there(command, "holds"));
}

IN_STORE(without_a_pattern_files_are_named_and_stay)
{
    struct command *command = *state;
    import_holders(command);
    command_run(command, "redact", "s", "bbbb0000", "-r", "a key", "--yes", NULL);
    assert_exit(command, 0);
    assert_line(command, "may hold the text: ", "holds");
    assert_line(command, "may hold the text: ", "holds-not");
    assert_contains(command->out, "\n/re/po: 2 checkpoints");
    assert_true(is_there(command, "holds"));
}

IN_STORE(a_no_keeps_the_files)
{
    struct command *command = *state;
    import_holders(command);
    run_on_terminal(command, &(struct terminal){.typed = "y\nn\n", .columns = 200}, "redact -p " SECRET " -r key");
    assert_contains(command->out, "Remove 2 files that hold the pattern? [y/N] ");
    assert_contains(command->out, "no file was removed");
    assert_true(is_there(command, "holds"));
}

/* A session whose entry names a file of that name in the directory of the test; the entry itself holds no secret. */
static void append_naming(struct command *command, const char *session, const char *id, const char *name)
{
    char data[512];
    snprintf(data, sizeof data, "{\"message\":{\"details\":{\"fullOutputPath\":\"%s\"}}}", name);
    command_run(command, "append", session, "--create", "--kind", "message", "--id", id, "--data", data, NULL);
    assert_exit(command, 0);
}

static void put_another_in_its_place(struct command *command)
{
    char path[256];
    char other[256];
    command_path(other, command, "other");
    command_write_file(other, "y " SECRET, strlen("y " SECRET));
    command_path(path, command, "holds");
    assert_int_equal(rename(other, path), 0);
}

IN_STORE(a_file_that_took_the_name_during_the_question_stays)
{
    struct command *command = *state;
    char path[256];
    command_path(path, command, "holds");
    command_write_file(path, "x " SECRET, strlen("x " SECRET));
    append_naming(command, "a", "one", path);
    run_on_terminal(command,
                    &(struct terminal){.typed = "y\n", .meanwhile = put_another_in_its_place, .columns = 200},
                    "redact -p " SECRET " -r key");
    assert_contains(command->out, "nothing matches");
    assert_contains(command->out, "/holds holds the text and cannot be removed: another file has the name by now");
    assert_int_not_equal(command->code, 0);
    assert_true(is_there(command, "holds"));
}

IN_STORE(a_path_that_is_relative_or_has_a_nul_names_no_file)
{
    struct command *command = *state;
    char path[256];
    char relative[300];
    char with_nul[300];
    command_path(path, command, "holds");
    command_write_file(path, "x " SECRET, strlen("x " SECRET));
    snprintf(relative, sizeof relative, "../../../../../../../../../../../..%s", path);
    snprintf(with_nul, sizeof with_nul, "%s\\u0000", path);
    append_naming(command, "a", "one", relative);
    append_naming(command, "a", "two", with_nul);
    command_run(command, "redact", "-p", SECRET, "-r", "a key", "--yes", NULL);
    assert_exit(command, 0);
    assert_string_equal(command->out, "nothing matches\n");
    append_naming(command, "a", "three", path);
    command_run(command, "redact", "-p", SECRET, "-r", "a key", "--yes", NULL);
    assert_line(command, "holds the text: ", "holds");
}

IN_STORE(with_the_family_the_entries_of_every_fork_name_files)
{
    struct command *command = *state;
    char path[256];
    command_path(path, command, "holds");
    command_write_file(path, "x " SECRET, strlen("x " SECRET));
    command_line(command, "append a --create --kind message --data {} --id one");
    command_line(command, "clone a --id b");
    append_naming(command, "b", "two", path);
    command_run(command, "redact", "a", "-p", SECRET, "-r", "a key", "--yes", NULL);
    assert_string_equal(command->out, "nothing matches\n");
    command_run(command, "redact", "a", "-p", SECRET, "-r", "a key", "--yes", "--family", NULL);
    assert_line(command, "holds the text: ", "holds");
}

/* A session that gc freed in part has no id any more. */
IN_STORE(an_entry_of_a_freed_session_is_found_by_those_who_share_it)
{
    struct command *command = *state;

    command_line(command, "append a --create --kind message --data {\"x\":\"" SECRET "\"} --id one");
    command_line(command, "clone a --id b");
    command_line(command, "delete a --yes");
    command_line(command, "gc --yes");
    command_run(command, "redact", "-p", SECRET, "-r", "a key", "-n", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "  would be taken: session number 1, entry one\n");
    command_run(command, "redact", "b", "-p", SECRET, "-r", "a key", "-y", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, " of 1 entry; in 1 session\n");
    assert_int_equal(files_with(command, SECRET), 0);
}

IN_STORE(wrong_patterns_are_refused_unsaid)
{
    static const struct {
        const char *words[8];
        int code;
        const char *part;
    } cases[] = {
        {{"redact", "-p", "x", "-r", "a"}, 2, "give --yes to redact"},
        {{"redact", "-p", "x", "-y"}, 2, "a redaction needs a reason"},
        {{"redact", "-p", "x", "--pattern-file", "y", "-y"}, 2, "cannot be combined"},
        {{"redact", "s", "e", "-p", "x", "-y"}, 2, "a pattern and an ENTRY cannot be combined"},
        {{"redact", "-p", "x", "--family", "-y"}, 2, "--family needs a session"},
        {{"redact", "s", "e", "--family", "-y"}, 2, "--family needs --pattern"},
        {{"redact", "--finish", "-p", "x"}, 2, "--finish takes no SESSION or ENTRY"},
        {{"redact", "-p", "#" SECRET, "-r", "a", "-y"}, 2, "write [#] to match #"},
        {{"redact", "-p", "(" SECRET, "-r", "a", "-y"}, 2, "--pattern: line 1: "},
        {{"redact", "-p", "", "-r", "a", "-y"}, 2, "no pattern"},
        {{"redact", "-p", SECRET, "-r", "for " SECRET, "-y"}, 2, "a pattern matches the reason"},
        {{"redact", "--pattern-file", "/nowhere", "-r", "a", "-y"}, 3, "/nowhere cannot be read"},
    };
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const *words = cases[i].words;
        command_run(command, words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], NULL);
        assert_error(command, cases[i].code, cases[i].part);
        assert_unsaid(command, SECRET);
    }
}

IN_STORE(the_entry_of_a_deleted_session_is_named_by_its_whole_id)
{
    struct command *command = *state;

    import_secrets(command);
    command_line(command, "delete s -y");
    command_run(command, "redact", "s", "aaaa0002", "--reason", "a key", "-y", NULL);
    assert_exit(command, 0);
    assert_int_equal(files_with(command, SECRET " one"), 0);
}

IN_STORE(a_later_import_says_what_it_left_out)
{
    struct command *command = *state;

    import_secrets(command);
    command_run(command, "redact", "s", "aaaa0002", "--reason", "a key", "-y", NULL);
    import_text(command, "again.jsonl",
                BEGIN LINE("aaaa0001", "null", "hello") LINE("aaaa0002", "\"aaaa0001\"", SECRET " one"));
    assert_exit(command, 1);
    assert_contains(command->err, "the entry was redacted in the store: the line was not stored");
    assert_int_equal(files_with(command, SECRET " one"), 0);
}

IN_STORE(wrong_command_lines_are_refused)
{
    struct command *command = *state;
    char reason[XYLEM_REASON_BYTES_MAX + 2];

    import_secrets(command);
    static const char *const lines[][2] = {
        {"redact", "an argument is missing: xylem redact SESSION ENTRY"},
        {"redact s", "an argument is missing: xylem redact SESSION ENTRY"},
        {"redact s aaaa0002 -y", "give --reason"},
        {"redact s aaaa0002 --reason key", "give --yes to redact"},
        {"redact s aaaa0002 --finish", "--finish takes no SESSION or ENTRY"},
        {"redact --finish --dry-run", "--finish takes no SESSION or ENTRY"},
        {"redact s aaaa0002 more --reason key -y", "unexpected argument"},
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i][0]);
        assert_error(command, 2, lines[i][1]);
    }
    memset(reason, 'r', sizeof(reason) - 1);
    reason[sizeof(reason) - 1] = '\0';
    command_run(command, "redact", "s", "aaaa0002", "-y", "--reason", reason, NULL);
    assert_error(command, 2, "the reason has 257 bytes; at most 256 are allowed");
    command_line(command, "redact s nothing --reason key -y");
    assert_exit(command, 3);
    command_line(command, "redact none aaaa0002 --reason key -y");
    assert_exit(command, 3);
    assert_int_equal(files_with(command, SECRET " one"), 1);
}

/* --- export --redact-pattern -------------------------------------------------------------------------------------- */

static void write_patterns(struct command *command, const char *text)
{
    char path[256];
    command_path(path, command, "patterns");
    command_write_file(path, text, strlen(text));
}

static void export_redacted(struct command *command, const char *output)
{
    char path[256];
    command_path(path, command, "patterns");
    command_run(command, "export", "s", "--with-quarantine", "--redact-pattern", path, "-o", output, NULL);
}

IN_STORE(an_export_can_be_without_what_matches)
{
    struct command *command = *state;
    char path[256];

    import_secrets(command);
    write_patterns(command, "# keys\nsk-[-a-z0-9]+\n\naaaa0005\n");
    export_redacted(command, "-");
    assert_exit(command, 0);
    assert_null(strstr(command->out, SECRET));
    assert_contains(command->out, "\"content\":\"[redacted] one\"");
    assert_contains(command->out, LINE("aaaa0001", "null", "hello"));
    assert_contains(command->out, LINE("aaaa0005", "\"aaaa0004\"", "bye"));
    assert_string_equal(command->err,
                        "xylem: export: 2 strings in 2 lines redacted\n"
                        "xylem: export: 2 lines were left out: not JSON, and a pattern matches\n"
                        "xylem: export: 1 match is in a line's type, id, parentId or timestamp: left, as every line "
                        "needs these\n");
    char *printed = strdup(command->out);
    command_path(path, command, "out.jsonl");
    export_redacted(command, path);
    assert_exit(command, 0);
    assert_string_equal(command->out, "");
    char *written = command_read_file(path, NULL);
    assert_string_equal(written, printed);
    free(written);
    free(printed);
    write_patterns(command, "nothing like it");
    export_redacted(command, "-");
    assert_string_equal(command->err, "xylem: export: 0 strings in 0 lines redacted\n");
    assert_contains(command->out, SECRET " three");
}

IN_STORE(bad_patterns_end_an_export_before_it_begins)
{
    struct command *command = *state;
    char path[256];

    import_secrets(command);
    command_path(path, command, "patterns");
    command_run(command, "export", "s", "--redact-pattern", path, NULL);
    assert_error(command, 3, "patterns cannot be read: No such file or directory");
    write_patterns(command, "ok\n(b");
    export_redacted(command, "-");
    assert_error(command, 2, "missing closing parenthesis");
    assert_contains(command->err, "patterns: line 2: the pattern cannot be compiled");
    write_patterns(command, "# none\n");
    export_redacted(command, "-");
    assert_error(command, 2, "patterns: no pattern");
    command_run(command, "export", "s", "--redact-pattern", "/dev/zero", NULL);
    assert_error(command, 2, "/dev/zero has more than 1048576 bytes");
    command_run(command, "export", "s", "--redact-pattern", command->directory, NULL);
    assert_error(command, 6, "cannot be read: Is a directory");
}

IN_STORE(a_pattern_that_meets_a_limit_is_an_error_that_names_the_entry)
{
    struct command *command = *state;
    static char text[100200];
    char *at =
        stpcpy(text, "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2025-01-01T00:00:00.000Z\"}\n"
                     "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":"
                     "\"2025-01-01T00:00:01.000Z\",\"message\":\"");
    memset(at, '7', 99000);
    strcpy(at + 99000, "\"}\n");
    import_text(command, "digits.jsonl", text);
    write_patterns(command, "# digits\n[0-9]+@");
    export_redacted(command, "-");
    assert_error(command, 1, "the line of entry a cannot be searched: line 2: the pattern takes more than");
    command_run(command, "redact", "--pattern", "[0-9]+@", "--reason", "r", "--yes", NULL);
    assert_error(command, 2, "the entry at branch 1, depth 1 cannot be searched: line 1: the pattern takes more than");
}
