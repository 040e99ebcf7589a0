/* The import of a file that the store has not seen: what is placed where, in batches, and what is refused. */
#include "tests/lib/test.h"
#include "tests/travel/jsonl/sandbox.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

int64_t sandbox_slow_ms;
unsigned sandbox_looks_left;
void (*sandbox_look)(void);

/* In place of the function of the C library. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int64_t now_ms = 1000;
    if (clock != CLOCK_MONOTONIC) {
        return (int)syscall(SYS_clock_gettime, clock, time);
    }
    now_ms += sandbox_slow_ms;
    if (sandbox_looks_left > 0 && --sandbox_looks_left == 0) {
        _exit(9);
    }
    if (sandbox_look) {
        sandbox_look();
    }
    *time = (struct timespec){.tv_sec = now_ms / 1000, .tv_nsec = now_ms % 1000 * 1000000};
    return 0;
}

TEST(entries_are_placed_below_their_parents)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a") CHILD("c", "a") ROOT("r") CHILD("d", "b"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 5, 0, 0, 0);
    assert_ids(&sandbox, "a b c r d ", "d b a ");
    assert_int_equal(sandbox.report.line_count, 6);
    assert_int_equal(sandbox.report.version, 3);
    assert_int_equal(sandbox.report.kept_line_count, 0);
    assert_string_equal(sandbox.report.session_id, "s");
    sandbox_close(&sandbox);
}

TEST(the_header_becomes_the_session)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f",
                 "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2025-01-01T00:00:00.007Z\",\"cwd\":"
                 "\"/home\",\"parentSession\":\"/up\"}\n");
    struct xylem_session session;
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    sandbox_session(&session, txn, "s");
    assert_true(xylem_base__view_is(session.cwd, "/home"));
    assert_true(xylem_base__view_is(session.parent, "/up"));
    assert_int_equal(session.created_ms, 1735689600007);
    assert_int_equal(session.header.bytes, 0);
    assert_int_equal(session.state, XYLEM_SESSION_LIVE);
    assert_true(xylem_format__position_none(session.leaf));
    xylem_abort(txn);
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 0, 0, 0, 0);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 0);
    sandbox_close(&sandbox);
}

TEST(kinds_payloads_and_times_come_from_the_line)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f",
                 HEADER "{\"type\":\"label\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2025-01-01T00:00:00.001Z\","
                        "\"targetId\":\"x\"}\n"
                        "{\"type\":\"custom\",\"customType\":\"readonly\",\"data\":{\"enabled\":true},\"id\":\"b\","
                        "\"parentId\":\"a\",\"timestamp\":\"2025-01-01T00:00:00.002Z\"}\n"
                        "{\"type\":\"custom\",\"id\":\"c\",\"parentId\":\"b\"}\n");
    struct xylem_session session;
    struct xylem_entry entry;
    struct xylem_view payload;
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    sandbox_session(&session, txn, "s");
    struct xylem_position at = session.leaf;
    assert_int_equal(xylem_entry_read(&entry, txn, at, NULL), XYLEM_OK);
    assert_int_equal(entry.kind.kind_class, XYLEM_CLASS_HOST);
    assert_true(xylem_base__view_is(entry.kind.name, "custom"));
    assert_int_equal(entry.format, XYLEM_FORMAT_NONE);
    assert_int_equal(entry.time_ms, 0);
    assert_true(entry.line_bytes > 0);
    assert_int_equal(xylem_entry_read(&entry, txn, entry.parent, NULL), XYLEM_OK);
    assert_int_equal(entry.kind.kind_class, XYLEM_CLASS_CUSTOM);
    assert_true(xylem_base__view_is(entry.kind.name, "readonly"));
    assert_int_equal(entry.format, XYLEM_FORMAT_MSGPACK);
    assert_int_equal(entry.time_ms, 1735689600002);
    assert_int_equal(entry.line_bytes, 0);
    assert_int_not_equal(entry.flags & XYLEM_ENTRY_IMPORTED, 0);
    assert_int_equal(xylem_entry_read(&entry, txn, entry.parent, NULL), XYLEM_OK);
    assert_int_equal(xylem_entry_payload(&payload, &entry, NULL), XYLEM_OK);
    assert_true(xylem_base__view_is(payload, "{\"targetId\":\"x\"}"));
    xylem_abort(txn);
    assert_int_equal(sandbox.report.kept_line_count, 1);
    sandbox_close(&sandbox);
}

TEST(a_parent_further_down_is_placed_first)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER CHILD("c", "b") CHILD("b", "a") ROOT("a") CHILD("d", "c"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 4, 0, 0, 0);
    assert_ids(&sandbox, "a b c d ", "d c b a ");
    assert_export_text(&sandbox, false, HEADER CHILD("c", "b") CHILD("b", "a") ROOT("a") CHILD("d", "c"));
    sandbox_close(&sandbox);
}

TEST(the_leaf_is_the_last_line_that_is_an_entry)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    /* The last line was placed before its turn, and what follows it is damaged. */
    sandbox_take(&sandbox, "f", HEADER CHILD("b", "a") CHILD("c", "b") ROOT("a") "junk\n");
    assert_ids(&sandbox, "a b c ", "a ");
    sandbox_close(&sandbox);
}

TEST(a_missing_parent_makes_a_root)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD("b", "gone") CHILD("c", "b") CHILD("d", ""));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 4, 0, 0, 2);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_ORPHAN, 3, false, "b");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_ORPHAN, 5, false, "d");
    assert_int_equal(sandbox.report.problems[0].offset, strlen(HEADER ROOT("a")));
    assert_ids(&sandbox, "a b c d ", "d ");
    sandbox_close(&sandbox);
}

TEST(a_parent_in_quarantine_counts_as_missing)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER "{\"id\":\"a\"}\n" CHILD("b", "a"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 1, 0, 1, 2);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_NO_TYPE, 2, true, "");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_ORPHAN, 3, false, "b");
    sandbox_close(&sandbox);
}

TEST(in_a_cycle_the_first_becomes_a_root)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER CHILD("t", "c") CHILD("a", "c") CHILD("b", "a") CHILD("c", "b") CHILD("x", "x"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 5, 0, 0, 2);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CYCLE, 3, false, "a");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_CYCLE, 6, false, "x");
    assert_ids(&sandbox, "a b c t x ", "x ");
    sandbox_close(&sandbox);
}

TEST(of_lines_with_one_id_the_last_counts)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b") ROOT("b"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 3, 0, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_DUPLICATE, 3, true, "b");
    assert_ids(&sandbox, "a b c ", "b ");
    sandbox_close(&sandbox);
}

TEST(an_id_is_reported_as_it_is)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER CHILD("\\u001b[1m\xc3\xa9", "gone"));
    assert_problem(&sandbox, 0, XYLEM_IMPORT_ORPHAN, 2, false, "\x1b[1m\xc3\xa9");
    sandbox_close(&sandbox);
}

TEST(an_unterminated_line_is_taken_if_it_is_whole)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD_LINE("b", "a"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 2, 0, 0, 0);
    assert_int_equal(sandbox.report.unconsumed_bytes, 0);
    assert_export_text(&sandbox, false, HEADER ROOT("a") CHILD_LINE("b", "a"));
    sandbox_close(&sandbox);
}

TEST(a_torn_line_is_reported_and_left)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER ROOT("a") "{\"type\":");
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 1, 0, 0, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_TORN, 3, false, "");
    assert_int_equal(sandbox.report.unconsumed_bytes, 8);
    assert_int_equal(sandbox.report.line_count, 3);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_TORN, 3, false, "");
    sandbox_close(&sandbox);
}

static void expect_refused(const char *text, int code, const char *part)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_write_text(&sandbox, "f", text);
    assert_int_equal(sandbox_try(&sandbox, "f"), code);
    if (!strstr(sandbox.err.text, part)) {
        fail_msg("\"%s\" does not say \"%s\"", sandbox.err.text, part);
    }
    assert_non_null(strstr(sandbox.err.text, "/f: line 1: expected"));
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    struct xylem_session session;
    assert_int_equal(xylem_store__session_find_any(&session, txn, xylem_view_of("s"), NULL), XYLEM_E_NOT_FOUND);
    xylem_abort(txn);
    sandbox_close(&sandbox);
}

TEST(a_file_without_a_header_is_refused)
{
    expect_refused("", XYLEM_E_MALFORMED, "found an empty file");
    expect_refused("\n" HEADER, XYLEM_E_MALFORMED, "found a blank line");
    expect_refused("junk\n" HEADER, XYLEM_E_MALFORMED, "not JSON");
    expect_refused("\xef\xbb\xbf" HEADER, XYLEM_E_MALFORMED, "not JSON");
    expect_refused("[]\n", XYLEM_E_MALFORMED, "another type");
    expect_refused(ROOT("a"), XYLEM_E_MALFORMED, "another type");
    expect_refused("{\"type\":\"session\",\"version\":3}\n", XYLEM_E_MALFORMED, "without an id");
    expect_refused("{\"type\":\"session\",\"version\":4,\"id\":\"s\"}\n", XYLEM_E_MALFORMED,
                   "version 1, 2 or 3, found 4");
    expect_refused("{\"type\":\"session\",\"version\":0,\"id\":\"s\"}\n", XYLEM_E_MALFORMED, "found 0");
    expect_refused("{\"type\":\"session\",\"version\":\"3\",\"id\":\"s\"}\n", XYLEM_E_MALFORMED, "found \"3\"");
    char text[512] = "{\"type\":\"session\",\"version\":3,\"id\":\"";
    memset(text + strlen(text), 'i', 201);
    strcat(text, "\"}\n");
    expect_refused(text, XYLEM_E_MALFORMED, "without an id of 1 to 200 bytes");
}

TEST(bad_calls_are_refused)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    assert_int_equal(sandbox_try(&sandbox, "missing"), XYLEM_E_IO);
    assert_int_equal(sandbox_try(&sandbox, ""), XYLEM_E_IO); /* the directory itself */
    assert_int_equal(xylem_import(&sandbox.report, NULL, "x", NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_import(&sandbox.report, sandbox.store, NULL, NULL, NULL), XYLEM_E_ARGUMENT);
    sandbox_write_text(&sandbox, "f", HEADER ROOT("a"));
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    assert_int_equal(sandbox_try(&sandbox, "f"), XYLEM_E_BUSY); /* this thread writes already */
    xylem_abort(txn);
    sandbox_close(&sandbox);
}

/* --- Batches --- */

#define MANY 500

/* A file of many lines: chains, branches, and from the middle on children before their parents. */
static void many_lines(struct xylem_buffer *text)
{
    assert_int_equal(xylem_base__buffer_add_text(text, HEADER), 0);
    for (int i = 0; i < MANY; i++) {
        int number = i < MANY / 2 ? i : MANY + MANY / 2 - 1 - i; /* the second half backwards */
        int parent = number % 7 == 6 ? number - 5 : number - 1;
        char parent_id[32] = "null";
        if (parent >= 0) {
            snprintf(parent_id, sizeof parent_id, "\"i%d\"", parent);
        }
        assert_int_equal(xylem_base__buffer_add_format(text,
                                                       "{\"type\":\"message\",\"id\":\"i%d\",\"parentId\":%s,"
                                                       "\"timestamp\":\"2025-01-01T00:00:01.000Z\",\"n\":%d}\n%s",
                                                       number, parent_id, i, i % 100 == 99 ? "junk\n" : ""),
                         0);
    }
}

struct stops {
    uint64_t calls;
    uint64_t stop_at; /* 0: never */
    uint64_t bytes_done;
};

static int count_batches(void *context, const struct xylem_import_progress *progress)
{
    struct stops *stops = context;
    assert_true(progress->bytes_done >= stops->bytes_done); /* equal where lines further down had to go first */
    assert_true(progress->bytes_done <= progress->bytes_total);
    assert_non_null(strstr(progress->path, "/f"));
    stops->bytes_done = progress->bytes_done;
    return ++stops->calls == stops->stop_at;
}

TEST(batches_of_any_size_give_the_same)
{
    struct xylem_buffer text = {0};
    many_lines(&text);
    static const uint64_t sizes[] = {1, 300, 5000, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct sandbox sandbox;
        struct stops stops = {0};
        sandbox_open(&sandbox);
        sandbox.options =
            (struct xylem_import_options){.batch_bytes = sizes[i], .progress = count_batches, .context = &stops};
        sandbox_write(&sandbox, "f", text.data, text.bytes);
        sandbox_import(&sandbox, "f");
        assert_report(&sandbox, XYLEM_IMPORT_NEW, MANY, 0, 5, 5);
        assert_true(sizes[i] > 0 ? stops.calls > 5 : stops.calls == 1);
        assert_export(&sandbox, true, text.data, text.bytes);
        sandbox.options = (struct xylem_import_options){0};
        sandbox_import(&sandbox, "f");
        assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 0);
        sandbox_close(&sandbox);
    }
    xylem_buffer_release(&text);
}

/* Between two batches another writer gets in at once. */
struct between {
    struct xylem_store *other;
    uint64_t writes;
};

static int write_between(void *context, const struct xylem_import_progress *progress)
{
    struct between *between = context;
    struct xylem_txn *txn;
    (void)progress;
    assert_int_equal(xylem_begin_within(&txn, between->other, XYLEM_WRITE, 0, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    between->writes++;
    return 0;
}

TEST(a_batch_ends_when_other_writers_have_waited_long_enough)
{
    struct xylem_buffer text = {0};
    struct sandbox sandbox;
    struct between between = {0};
    char path[512];
    many_lines(&text);
    sandbox_open(&sandbox);
    sandbox_path(path, &sandbox, "store");
    assert_int_equal(xylem_open(&between.other, path, NULL, NULL), XYLEM_OK);
    sandbox.options = (struct xylem_import_options){.progress = write_between, .context = &between};
    sandbox_write(&sandbox, "f", text.data, text.bytes);
    sandbox_slow_ms = 10; /* a row looks once */
    sandbox_import(&sandbox, "f");
    sandbox_slow_ms = 0;
    assert_report(&sandbox, XYLEM_IMPORT_NEW, MANY, 0, 5, 5);
    assert_true(between.writes > MANY * 10 / XYLEM_STORE__HOLD_MS);
    assert_export(&sandbox, true, text.data, text.bytes);
    assert_int_equal(xylem_close(between.other, NULL), XYLEM_OK);
    sandbox_verify(&sandbox);
    sandbox_close(&sandbox);
    xylem_buffer_release(&text);
}

static int count_files(void *context, const struct xylem_imported *file)
{
    struct between *between = context;
    assert_int_equal(file->code, XYLEM_OK);
    return write_between(between, NULL);
}

/* `imported` is called for all files of a commit behind the commit. */
TEST(a_transaction_of_many_files_ends_when_other_writers_have_waited_long_enough)
{
    struct sandbox sandbox;
    struct between between = {0};
    const char *paths[40];
    char store[512];
    sandbox_open(&sandbox);
    sandbox_path(store, &sandbox, "store");
    assert_int_equal(xylem_open(&between.other, store, NULL, NULL), XYLEM_OK);
    for (size_t i = 0; i < 40; i++) {
        char name[20];
        char text[300];
        char path[512];
        snprintf(name, sizeof name, "f%zu", i);
        snprintf(text, sizeof text,
                 "{\"type\":\"session\",\"version\":3,\"id\":\"s%zu\",\"timestamp\":\"2025-01-01T00:00:00.000Z\"}\n",
                 i);
        sandbox_write_text(&sandbox, name, text);
        sandbox_path(path, &sandbox, name);
        paths[i] = strdup(path);
    }
    struct xylem_stat stat;
    struct xylem_txn *before = sandbox_begin(&sandbox, XYLEM_READ);
    struct xylem_import_options options = {.context = &between};
    sandbox_slow_ms = 10;
    assert_int_equal(xylem_import_files(sandbox.store, paths, 40, &options, count_files, NULL), XYLEM_OK);
    sandbox_slow_ms = 0;
    struct xylem_txn *after = sandbox_begin(&sandbox, XYLEM_READ);
    assert_int_equal(xylem_stat_read(&stat, after, NULL), XYLEM_OK);
    xylem_abort(after);
    xylem_abort(before);
    assert_int_equal(between.writes, 40);
    assert_in_range(stat.oldest_reader_commit_count, 4, 20);
    for (size_t i = 0; i < 40; i++) {
        free((void *)(uintptr_t)paths[i]);
    }
    assert_int_equal(xylem_close(between.other, NULL), XYLEM_OK);
    sandbox_close(&sandbox);
}

TEST(an_import_that_was_stopped_goes_on)
{
    struct xylem_buffer text = {0};
    many_lines(&text);
    for (uint64_t stop_at = 1; stop_at < 24; stop_at += 3) {
        struct sandbox sandbox;
        struct stops stops = {.stop_at = stop_at};
        struct xylem_session session;
        sandbox_open(&sandbox);
        sandbox.options =
            (struct xylem_import_options){.batch_bytes = 2000, .progress = count_batches, .context = &stops};
        sandbox_write(&sandbox, "f", text.data, text.bytes);
        assert_int_equal(sandbox_try(&sandbox, "f"), XYLEM_E_STOPPED);
        uint64_t added = sandbox.report.added_count;
        assert_true(added > 0 && added < MANY);
        sandbox_verify(&sandbox);
        struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ); /* readers do not see it yet */
        assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("s"), NULL), XYLEM_E_NOT_FOUND);
        assert_int_equal(xylem_export(txn, sandbox.report.session, NULL, sandbox_collect, NULL, NULL),
                         XYLEM_E_NOT_FOUND);
        xylem_abort(txn);
        sandbox.options = (struct xylem_import_options){0};
        sandbox_import(&sandbox, "f");
        assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_NEW);
        assert_int_equal(sandbox.report.added_count, MANY - added);
        assert_int_equal(sandbox.report.matched_count, added);
        assert_export(&sandbox, true, text.data, text.bytes);
        sandbox_import(&sandbox, "f");
        assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 0);
        sandbox_close(&sandbox);
    }
    xylem_buffer_release(&text);
}

/* What was left to import holds no entry: the leaf is found among the lines before. */
TEST(the_leaf_is_found_though_the_rest_is_damaged)
{
    struct sandbox sandbox;
    struct stops stops = {.stop_at = 2};
    sandbox_open(&sandbox);
    sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = count_batches, .context = &stops};
    sandbox_write_text(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a") "junk\njunk\n");
    assert_int_equal(sandbox_try(&sandbox, "f"), XYLEM_E_STOPPED);
    sandbox.options = (struct xylem_import_options){0};
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 0, 2, 2, 2);
    assert_ids(&sandbox, "a b ", "b a ");
    sandbox_close(&sandbox);
}

TEST(a_map_that_is_full_grows)
{
    struct sandbox sandbox;
    struct xylem_buffer text = {0};
    many_lines(&text);
    assert_int_equal(xylem_base__buffer_reserve(&text, 4 * 1048576), 0);
    for (int i = 0; i < 40; i++) { /* each larger than what the map has left */
        assert_int_equal(
            xylem_base__buffer_add_format(&text, "{\"type\":\"message\",\"id\":\"big%d\",\"x\":\"%0100000d\"}\n", i, i),
            0);
    }
    sandbox_open(&sandbox);
    assert_int_equal(xylem_close(sandbox.store, NULL), XYLEM_OK);
    char path[512];
    sandbox_path(path, &sandbox, "store");
    test_directory_remove(path);
    sandbox_open_store(&sandbox, 1048576);
    sandbox.options.batch_bytes = 400000;
    sandbox_write(&sandbox, "f", text.data, text.bytes);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_NEW, MANY + 40, 0, 5, 5);
    assert_export(&sandbox, true, text.data, text.bytes);
    xylem_buffer_release(&text);
    sandbox_close(&sandbox);
}

/* Between two batches somebody deletes the session, or imports the same file. */
struct meddler {
    struct sandbox *sandbox;
    bool deletes;
    int calls;
};

static int meddle(void *context, const struct xylem_import_progress *progress)
{
    struct meddler *meddler = context;
    if (meddler->calls++ > 0) {
        return 0;
    }
    if (!meddler->deletes) {
        struct xylem_import_report report;
        assert_int_equal(xylem_import(&report, meddler->sandbox->store, progress->path, NULL, NULL), XYLEM_OK);
        xylem_import_report_release(&report);
        return 0;
    }
    struct xylem_txn *txn = sandbox_begin(meddler->sandbox, XYLEM_WRITE);
    struct xylem_session session;
    assert_int_equal(xylem_store__session_find_any(&session, txn, xylem_view_of("s"), NULL), XYLEM_OK);
    assert_int_equal(xylem_session_delete(txn, session.number, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    return 0;
}

TEST(somebody_else_between_two_batches_is_noticed)
{
    for (int deletes = 0; deletes < 2; deletes++) {
        struct sandbox sandbox;
        struct meddler meddler = {.sandbox = &sandbox, .deletes = deletes == 1};
        sandbox_open(&sandbox);
        sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = meddle, .context = &meddler};
        sandbox_write_text(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a") "no entry\n" CHILD("c", "b") "torn");
        assert_int_equal(sandbox_try(&sandbox, "f"), deletes ? XYLEM_E_DELETED : XYLEM_OK);
        if (!deletes) { /* the other import placed `b` and `c`, and put the line between them into quarantine */
            assert_report(&sandbox, XYLEM_IMPORT_NEW, 1, 0, 0, 1);
            assert_int_equal(sandbox.report.unconsumed_bytes, 4);
            assert_int_equal(sandbox_entry_count(&sandbox), 3);
        }
        sandbox_close(&sandbox);
    }
}

/* Imports a version of the file that has another last line, and leaves behind one more version. */
static int rewrite_and_import(void *context, const struct xylem_import_progress *progress)
{
    struct meddler *meddler = context;
    char text[512];
    for (int i = 0; i < 2; i++) {
        if (i == 1) {
            struct xylem_import_report report;
            assert_int_equal(xylem_import(&report, meddler->sandbox->store, progress->path, NULL, NULL), XYLEM_OK);
            xylem_import_report_release(&report);
        }
        snprintf(text, sizeof text, HEADER ROOT("a") CHILD("b", "a") "{\"type\":\"x\",\"id\":\"x%d\"}\n",
                 meddler->calls++);
        sandbox_write_text(meddler->sandbox, "f", text);
    }
    return 0;
}

TEST(an_import_that_others_always_overtake_ends)
{
    struct sandbox sandbox;
    struct meddler meddler = {.sandbox = &sandbox};
    sandbox_open(&sandbox);
    sandbox.options =
        (struct xylem_import_options){.batch_bytes = 1, .progress = rewrite_and_import, .context = &meddler};
    sandbox_write_text(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a"));
    assert_int_equal(sandbox_try(&sandbox, "f"), XYLEM_E_CONFLICT);
    assert_non_null(strstr(sandbox.err.text, "another import of session s"));
    assert_int_equal(meddler.calls, 2 * 64); /* once an attempt */
    sandbox_close(&sandbox);
}

/* Between two batches somebody imports another file of the session. */
static int import_another(void *context, const struct xylem_import_progress *progress)
{
    struct meddler *meddler = context;
    (void)progress;
    if (meddler->calls++ == 0) {
        char path[512];
        struct xylem_import_report report;
        sandbox_path(path, meddler->sandbox, "g");
        assert_int_equal(xylem_import(&report, meddler->sandbox->store, path, NULL, NULL), XYLEM_OK);
        xylem_import_report_release(&report);
    }
    return 0;
}

TEST(entries_that_another_file_brought_meanwhile_are_not_stored_twice)
{
    struct sandbox sandbox;
    struct meddler meddler = {.sandbox = &sandbox};
    sandbox_open(&sandbox);
    sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = import_another, .context = &meddler};
    sandbox_write_text(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b"));
    sandbox_write_text(&sandbox, "g", HEADER ROOT("a") CHILD("b", "a"));
    assert_int_equal(sandbox_try(&sandbox, "f"), XYLEM_OK);
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 2, 1, 0, 0); /* it added `a` and `c` */
    assert_int_equal(sandbox_entry_count(&sandbox), 3);
    sandbox_close(&sandbox);
}

/* Between two batches somebody writes over a line that was read once. */
struct overwrite {
    long offset;
    const char *text;
    int calls;
};

static int write_over(void *context, const struct xylem_import_progress *progress)
{
    struct overwrite *overwrite = context;
    if (overwrite->calls++ == 0) {
        FILE *file = fopen(progress->path, "r+b");
        assert_non_null(file);
        assert_int_equal(fseek(file, overwrite->offset, SEEK_SET), 0);
        assert_true(fputs(overwrite->text, file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
    return 0;
}

TEST(a_line_that_changed_since_it_was_read_is_noticed)
{
    static const struct {
        const char *text; /* in place of the last line */
        int code;
        const char *exported;
    } rows[] = {
        {CHILD_LINE("b", "a"), XYLEM_E_IO, NULL}, /* the id of another one: nobody looks for it again */
        {CHILD_LINE("d", "a"), XYLEM_E_IO, NULL},
        {"{\"type\":\"message\",\"id\":\"c\",\"parentId\":\"b\",x", XYLEM_E_IO, NULL},
        {CHILD_LINE("c", "a"), XYLEM_OK, CHILD_LINE("c", "a")},
        {CHILD_LINE("c", "b"), XYLEM_OK, CHILD_LINE("c", "b")},
    };
    static char filler[600000]; /* more than is read ahead */
    memset(filler, ' ', sizeof filler - 2);
    filler[sizeof filler - 2] = '\n';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sandbox sandbox;
        struct xylem_buffer text = {0};
        sandbox_open(&sandbox);
        assert_int_equal(xylem_base__buffer_add_text(&text, HEADER ROOT("a") CHILD("b", "a")), 0);
        assert_int_equal(xylem_base__buffer_add_text(&text, filler), 0);
        struct overwrite overwrite = {.offset = (long)text.bytes, .text = rows[i].text};
        sandbox.options =
            (struct xylem_import_options){.batch_bytes = 1, .progress = write_over, .context = &overwrite};
        assert_int_equal(xylem_base__buffer_add_text(&text, CHILD("c", "b")), 0);
        sandbox_write(&sandbox, "f", text.data, text.bytes);
        assert_int_equal(sandbox_try(&sandbox, "f"), rows[i].code);
        if (rows[i].code < 0) {
            assert_non_null(strstr(sandbox.err.text, "changed"));
        } else {
            memcpy(text.data + overwrite.offset, rows[i].exported, strlen(rows[i].exported));
            assert_export(&sandbox, true, text.data, text.bytes);
        }
        xylem_buffer_release(&text);
        sandbox_close(&sandbox);
    }
}
