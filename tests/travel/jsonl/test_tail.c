/* An import of a file that grew reads the end of the file alone, and says what an import of the whole file says. */
#include "tests/travel/jsonl/sandbox.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "tests/lib/test.h"
#include "travel/jsonl/import.h"

#define ABC HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b")

/* Appends to the file `f` as a host does. */
static void grow(struct sandbox *sandbox, const char *text)
{
    char path[512];
    sandbox_path(path, sandbox, "f");
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Writes bytes into the middle of the file `f`, and puts the time of the last change of its bytes back. */
static void change(struct sandbox *sandbox, const char *at, const char *bytes, bool put_back)
{
    char path[512];
    struct xylem_buffer text = {0};
    struct stat status;
    sandbox_path(path, sandbox, "f");
    sandbox_read_file(&text, path);
    assert_int_equal(xylem_buffer_add(&text, "", 1), 0);
    assert_int_equal(stat(path, &status), 0);
    const char *found = strstr(text.data, at);
    assert_non_null(found);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, bytes, strlen(bytes), found - text.data), (ssize_t)strlen(bytes));
    if (put_back) {
        const struct timespec times[2] = {status.st_atim, status.st_mtim};
        assert_int_equal(futimens(file, times), 0);
    }
    close(file);
    xylem_buffer_release(&text);
}

/* A file whose first lines lie far before its last block. */
static void take_long(struct sandbox *sandbox)
{
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_base__buffer_add_text(&text, ABC), 0);
    for (int i = 0; text.bytes < 3 * XYLEM_JSONL__BLOCK_BYTES; i++) {
        assert_int_equal(xylem_base__buffer_add_format(&text,
                                                       "{\"type\":\"message\",\"id\":\"m%d\",\"parentId\":\"c\","
                                                       "\"timestamp\":\"2025-01-01T00:00:01.000Z\"}\n",
                                                       i),
                         0);
    }
    sandbox_write(sandbox, "f", text.data, text.bytes);
    sandbox_import(sandbox, "f");
    xylem_buffer_release(&text);
}

TEST(a_change_far_before_the_end_is_not_looked_for)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    take_long(&sandbox);
    uint64_t lines = sandbox.report.line_count;
    change(&sandbox, "\"text\":\"b\"", "\"text\":\"x\"", true);
    grow(&sandbox, CHILD("z", "b"));
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, lines - 1, 0, 0);
    assert_int_equal(sandbox.report.line_count, lines + 1);
    sandbox.options.whole = true; /* the whole file tells */
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 0, lines - 1, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 3, true, "b");
    sandbox_close(&sandbox);
}

/* The times tell that a file of the same size changed: whoever sets one time back moves the other. */
TEST(the_same_size_with_other_times_is_read_whole)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    take_long(&sandbox);
    usleep(30000); /* the clock of the file system is coarse */
    change(&sandbox, "\"text\":\"b\"", "\"text\":\"x\"", true);
    sandbox_import(&sandbox, "f");
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_CHANGED);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 3, true, "b");
    sandbox_close(&sandbox);
}

TEST(a_change_near_the_end_is_found)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    change(&sandbox, "\"text\":\"b\"", "\"text\":\"x\"", true);
    grow(&sandbox, CHILD("d", "c"));
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 1, 2, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 3, true, "b");
    sandbox_close(&sandbox);
}

/* The last line may begin far before the last block. */
TEST(a_change_in_a_long_last_line_is_found)
{
    struct sandbox sandbox;
    struct xylem_buffer text = {0};
    sandbox_open(&sandbox);
    assert_int_equal(
        xylem_base__buffer_add_text(&text, ABC "{\"type\":\"message\",\"id\":\"d\",\"parentId\":\"c\",\"x\":\""), 0);
    for (size_t i = 0; i < 3 * XYLEM_JSONL__BLOCK_BYTES; i++) {
        assert_int_equal(xylem_buffer_add(&text, "y", 1), 0);
    }
    assert_int_equal(xylem_base__buffer_add_text(&text, "\"}\n"), 0);
    sandbox_write(&sandbox, "f", text.data, text.bytes);
    sandbox_import(&sandbox, "f");
    change(&sandbox, "yyyy", "yyxy", true);
    grow(&sandbox, CHILD("e", "d"));
    sandbox_import(&sandbox, "f");
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 5, true, "d");
    xylem_buffer_release(&text);
    sandbox_close(&sandbox);
}

TEST(a_longer_file_in_its_place_is_read_whole)
{
    struct sandbox sandbox;
    char from[512];
    char to[512];
    struct xylem_buffer text = {0};
    sandbox_open(&sandbox);
    take_long(&sandbox);
    sandbox_path(from, &sandbox, "g");
    sandbox_path(to, &sandbox, "f");
    sandbox_read_file(&text, to);
    assert_int_equal(xylem_base__buffer_add_text(&text, CHILD("z", "b")), 0);
    char *b = memmem(text.data, text.bytes, "\"text\":\"b\"", 10);
    assert_non_null(b);
    b[8] = 'x';
    sandbox_write(&sandbox, "g", text.data, text.bytes);
    assert_int_equal(rename(from, to), 0);
    sandbox_import(&sandbox, "f");
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_CHANGED);
    assert_int_equal(sandbox.report.added_count, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 3, true, "b");
    xylem_buffer_release(&text);
    sandbox_close(&sandbox);
}

TEST(a_file_that_was_cut_and_grew_again_is_read_whole)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_take(&sandbox, "f", HEADER ROOT("a"));
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_CHANGED);
    grow(&sandbox, CHILD("x", "a") CHILD("y", "x"));
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 2, 1, 0, 0);
    sandbox_take(&sandbox, "f", ABC CHILD("y", "x")); /* cut below the known end, and longer at the import */
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_CHANGED);
    sandbox_close(&sandbox);
}

/* An id that may have a line before the known end: only the whole file tells which line counts. */
TEST(a_line_that_repeats_a_consumed_line_is_a_duplicate)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC "junk\n");
    grow(&sandbox, CHILD("b", "a") CHILD("d", "c"));
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 3, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_DUPLICATE, 6, true, "b");
    grow(&sandbox, "{\"type\":\"message\",\"id\":\"d\",\"parentId\":\"c\",\"other\":1}\n");
    sandbox_import(&sandbox, "f");
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 8, true, "d");
    assert_export_text(&sandbox, true,
                       ABC "junk\n" CHILD("b", "a")
                           CHILD("d", "c") "{\"type\":\"message\",\"id\":\"d\",\"parentId\":\"c\",\"other\":1}\n");
    sandbox_close(&sandbox);
}

TEST(entries_that_came_since_get_their_lines)
{
    static const char later[] = CHILD("d", "c") CHILD("e", "d") CHILD("f", "b");
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_append(&sandbox, "h", "{\"message\":{\"text\":\"h\"}}");
    sandbox_take(&sandbox, "g", ABC CHILD("d", "c"));
    grow(&sandbox, later);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 2, 4, 0, 0);
    assert_ids(&sandbox, "a b c h d e f ", "h c b a ");
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", ABC, later,
             "{\"type\":\"message\",\"id\":\"h\",\"parentId\":\"c\",\"timestamp\":\"2025-01-01T00:00:01.000Z\","
             "\"message\":{\"text\":\"h\"}}\n");
    assert_export_text(&sandbox, true, text);
    sandbox_close(&sandbox);
}

TEST(a_torn_line_and_a_missing_newline_are_completed)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC CHILD_LINE("d", "c"));
    grow(&sandbox, "\n");
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 4, 0, 0);
    grow(&sandbox, "{\"type\":\"mess");
    sandbox_import(&sandbox, "f");
    assert_problem(&sandbox, 0, XYLEM_IMPORT_TORN, 6, false, "");
    sandbox_import(&sandbox, "f");
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_UNCHANGED);
    grow(&sandbox, "age\",\"id\":\"e\",\"parentId\":\"d\"}");
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 4, 0, 0);
    grow(&sandbox, "\njunk\n");
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 5, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_NOT_JSON, 7, true, "");
    grow(&sandbox, CHILD("f", "e"));
    sandbox_import(&sandbox, "f");
    assert_ids(&sandbox, "a b c d e f ", "f e d c b a ");
    assert_export_text(
        &sandbox, true,
        ABC CHILD("d", "c") "{\"type\":\"message\",\"id\":\"e\",\"parentId\":\"d\"}\njunk\n" CHILD("f", "e"));
    sandbox_close(&sandbox);
}

TEST(parents_far_ahead_in_the_tail_come_first)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER CHILD("y", "x") ROOT("x"));
    grow(&sandbox, CHILD("v", "w") CHILD("w", "y") CHILD("o", "nobody"));
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 3, 2, 0, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_ORPHAN, 6, false, "o");
    assert_export_text(&sandbox, true,
                       HEADER CHILD("y", "x") ROOT("x") CHILD("v", "w") CHILD("w", "y") CHILD("o", "nobody"));
    sandbox_close(&sandbox);
}

/* A row without the members for growth, as a repair writes it, and a file of an older format: read whole. */
TEST(a_row_that_does_not_know_the_file_reads_it_whole)
{
    struct sandbox sandbox;
    struct xylem_store__source source;
    char path[512];
    sandbox_open(&sandbox);
    take_long(&sandbox);
    uint64_t lines = sandbox.report.line_count;
    sandbox_path(path, &sandbox, "f");
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    assert_int_equal(xylem_store__source_read(&source, txn, sandbox.report.session, xylem_view_of(path), NULL), 1);
    assert_true(source.growth.known);
    assert_int_equal(source.growth.placed_count, lines - 1);
    source.growth.known = false;
    source.name = xylem_view_of(path); /* a write makes views of the transaction invalid */
    assert_int_equal(xylem_store__source_write(txn, sandbox.report.session, &source, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    change(&sandbox, "\"text\":\"b\"", "\"text\":\"x\"", true);
    grow(&sandbox, CHILD("z", "b"));
    sandbox_import(&sandbox, "f");
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_CHANGED);
    sandbox_write_text(&sandbox, "old",
                       "{\"type\":\"session\",\"id\":\"v1\"}\n{\"type\":\"message\",\"message\":{}}\n");
    sandbox_import(&sandbox, "old");
    sandbox_path(path, &sandbox, "old");
    txn = sandbox_begin(&sandbox, XYLEM_READ);
    assert_int_equal(xylem_store__source_read(&source, txn, sandbox.report.session, xylem_view_of(path), NULL), 1);
    assert_false(source.growth.known);
    xylem_abort(txn);
    sandbox_close(&sandbox);
}

/* The entries of a fork that shares all its lines are older than the fork: they have consumed lines all the same. */
TEST(a_line_that_repeats_a_shared_line_is_a_duplicate)
{
    static const char header[] = "{\"type\":\"session\",\"version\":3,\"id\":\"t\",\"timestamp\":\"2025-01-01T00:00:"
                                 "00.000Z\",\"cwd\":\"/home\",\"parentSession\":\"/x/0_s.jsonl\"}\n";
    struct sandbox sandbox;
    char text[2048];
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "s", ABC);
    snprintf(text, sizeof text, "%s%s", header, ROOT("a") CHILD("b", "a") CHILD("c", "b"));
    sandbox_take(&sandbox, "f", text);
    assert_int_equal(sandbox.report.shared_count, 3);
    grow(&sandbox, CHILD("b", "a") CHILD("d", "c"));
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 3, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_DUPLICATE, 5, true, "b");
    sandbox_close(&sandbox);
}

/* Numbers that no import writes: a bookmark of a damaged store leads no import to bytes behind the file. */
TEST(a_row_with_lengths_that_no_file_has_reads_it_whole)
{
    static const uint64_t bytes_and_tail[][2] = {{UINT64_MAX - 3, 4}, {UINT64_MAX, 1}, {UINT64_MAX - 3, 500}};
    struct sandbox sandbox;
    struct xylem_store__source source;
    char path[512];
    sandbox_open(&sandbox);
    sandbox_path(path, &sandbox, "f");
    for (size_t i = 0; i < sizeof bytes_and_tail / sizeof *bytes_and_tail; i++) {
        sandbox_take(&sandbox, "f", ABC);
        struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
        assert_int_equal(xylem_store__source_read(&source, txn, sandbox.report.session, xylem_view_of(path), NULL), 1);
        source.name = xylem_view_of(path);
        source.bytes = bytes_and_tail[i][0];
        source.tail_bytes = bytes_and_tail[i][1];
        assert_int_equal(xylem_store__source_write(txn, sandbox.report.session, &source, NULL), XYLEM_OK);
        assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
        grow(&sandbox, CHILD("d", "c"));
        sandbox_import(&sandbox, "f");
        assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_CHANGED);
        assert_int_equal(sandbox.report.line_count, 5);
    }
    sandbox_close(&sandbox);
}

/* Batches without an entry do not forget the last line with an entry. */
TEST(a_tail_of_problems_in_several_batches_keeps_the_last_entry)
{
    struct sandbox sandbox;
    struct xylem_store__source source;
    char path[512];
    sandbox_open(&sandbox);
    sandbox_path(path, &sandbox, "f");
    sandbox_take(&sandbox, "f", ABC);
    sandbox.options.batch_bytes = 1;
    grow(&sandbox, "junk\nmore junk\n");
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 3, 2, 2);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    assert_int_equal(xylem_store__source_read(&source, txn, sandbox.report.session, xylem_view_of(path), NULL), 1);
    assert_true(source.growth.known);
    assert_int_equal(source.growth.last.depth, 3);
    xylem_abort(txn);
    sandbox_close(&sandbox);
}

static int keep_told(void *context, const struct xylem_imported *file)
{
    struct xylem_import_report *told = context;
    assert_int_equal(file->code, XYLEM_OK);
    told->outcome = file->report->outcome;
    told->added_count = file->report->added_count;
    told->quarantined_count = file->report->quarantined_count;
    return 0;
}

/* The second look at a file takes no more room of the transaction that several files share. */
TEST(a_tail_that_needs_the_whole_file_is_counted_once_among_several_files)
{
    struct sandbox sandbox;
    struct xylem_import_report told = {.version = 0};
    struct xylem_buffer text = {0};
    char path[512];
    const char *const paths[] = {path};
    sandbox_open(&sandbox);
    sandbox_path(path, &sandbox, "f");
    assert_int_equal(xylem_base__buffer_add_text(&text, ABC), 0);
    sandbox.options.batch_bytes = text.bytes * 3 / 2; /* room for the file once */
    sandbox.options.context = &told;
    sandbox_write(&sandbox, "f", text.data, text.bytes);
    sandbox_import(&sandbox, "f");
    grow(&sandbox, CHILD("b", "a"));
    alarm(60); /* a file that never fits begins again without end */
    assert_int_equal(xylem_import_files(sandbox.store, paths, 1, &sandbox.options, keep_told, &sandbox.err), XYLEM_OK);
    alarm(0);
    assert_int_equal(told.outcome, XYLEM_IMPORT_GREW);
    assert_int_equal(told.added_count, 0);
    assert_int_equal(told.quarantined_count, 1);
    xylem_buffer_release(&text);
    sandbox_close(&sandbox);
}
