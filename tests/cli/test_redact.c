/* xylem redact: questions on a terminal, a store in use, and a redaction that was killed. */
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
    for (struct dirent *item; (item = readdir(directory));) {
        char path[512];
        size_t bytes = 0;
        if (item->d_type == DT_REG) {
            snprintf(path, sizeof path, "%s/%s", command->store, item->d_name);
            char *data = command_read_file(path, &bytes);
            count += has(data, bytes, text);
            free(data);
        }
    }
    closedir(directory);
    return count;
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

#define IN_STORE(test) TEST_WITH(test, command_set_up, command_tear_down_verified)

IN_STORE(a_store_that_is_in_use_is_finished_later)
{
    struct command *command = *state;
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store = NULL;
    struct xylem_error err;
    import_secrets(command);
    assert_int_equal(xylem_open(&store, command->store, &options, &err), 0);
    command->hurried = true;
    command_run(command, "redact", "s:aaaa0002", "--reason", "a key", "-y", "--json", NULL);
    assert_exit(command, 4);
    assert_contains(command->err, "in use");
    assert_contains(command->err, "/store redact --finish`");
    assert_contains(command->out, "\"redacted_entries\":1,");
    assert_contains(command->out, "\"finished\":false,");
    assert_int_equal(command_line(command, "redact --finish"), 4);
    command->hurried = false;
    assert_int_equal(command_line(command, "show s:aaaa0002 --raw"), 1);
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
    assert_contains(command->out, "\"redacting_count\":1,");
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

IN_STORE(a_question_counts_only_what_there_is)
{
    struct command *command = *state;
    command_must(command, "append a --create --kind message --data {\"x\":\"" SECRET "\"} --id one");
    run_on_terminal(command, &(struct terminal){.typed = "n\n", .columns = 200},
                    "redact --pattern " SECRET " --reason key");
    assert_exit(command, 1);
    assert_contains(command->out, "Redact 1 entry in 1 session? The text cannot be brought back. [y/N] ");
}

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
    command_run(command, "redact", "--pattern", SECRET, "--reason", "a key", "--dry-run", "--yes", NULL);
    assert_exit(command, 0);
    assert_line(command, "holds the text: ", "holds");
    assert_line(command, "holds the text: ", "bad\\x1b[1m");
    for (size_t i = 0; i < NAMED_COUNT; i++) {
        assert_int_equal(is_there(command, named[i]), strcmp(named[i], "gone") != 0);
    }
    run_on_terminal(command, &(struct terminal){.typed = "y\ny\n", .columns = 200},
                    "redact --pattern " SECRET " --reason key");
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

IN_STORE(a_no_keeps_the_files)
{
    struct command *command = *state;
    import_holders(command);
    run_on_terminal(command, &(struct terminal){.typed = "y\nn\n", .columns = 200},
                    "redact --pattern " SECRET " --reason key");
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
    run_on_terminal(command, &(struct terminal){.typed = "y\n", .meanwhile = put_another_in_its_place, .columns = 200},
                    "redact --pattern " SECRET " --reason key");
    assert_contains(command->out, "nothing matches");
    assert_contains(command->out, "/holds holds the text and cannot be removed: another file has the name by now");
    assert_int_not_equal(command->code, 0);
    assert_true(is_there(command, "holds"));
}
