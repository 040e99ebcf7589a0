/* What was redacted in the store, and the files that it was imported from. */
#include "store/format/record.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"
#include "tests/travel/jsonl/sandbox.h"
#include "xylem/redact.h"
#include "xylem/state.h"

#define SECRET_LINE(id, parent)                                      \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":\"" parent \
    "\",\"timestamp\":\"2025-01-01T00:00:02.000Z\",\"message\":{\"text\":\"secret of " id "\"}}\n"
#define PLACEHOLDER(id, parent)                                      \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":\"" parent \
    "\",\"timestamp\":\"2025-01-01T00:00:02.000Z\",\"redacted\":\"a key\"}\n"
#define BEGINNING HEADER ROOT("a")
#define FILE_TEXT BEGINNING SECRET_LINE("b", "a") CHILD("c", "b")

static void redact_in(struct sandbox *sandbox, const char *session_id, const char *id)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    struct xylem_session session;
    struct xylem_position at;
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("a key")};
    struct xylem_error err = {0};
    uint64_t number = sandbox_session(&session, txn, session_id);
    assert_int_equal(xylem_find(&at, txn, number, xylem_view_of(id), NULL), XYLEM_OK);
    if (xylem_redact(&report, txn, number, at, &options, &err) < 0) {
        fail_msg("%s", err.text);
    }
    xylem_redact_report_release(&report);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
}

static void redact(struct sandbox *sandbox, const char *id)
{
    redact_in(sandbox, "s", id);
}

static int collect(void *context, const struct xylem_problem *problem)
{
    (void)context, (void)problem;
    return 0;
}

/* No value of the store has the text in it: sessions are read as a reader reads them, the quarantine row by row. */
static void assert_gone(struct sandbox *sandbox, const char *session_id)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    struct xylem_session session;
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined row;
    struct xylem_buffer out = {0};
    uint64_t number = sandbox_session(&session, txn, session_id);
    assert_int_equal(xylem_quarantine_new(&quarantine, txn, number, NULL), XYLEM_OK);
    while (xylem_quarantine_next(&row, quarantine, NULL) == 1) {
        assert_true(row.raw.bytes == 0 || !memmem(row.raw.data, row.raw.bytes, "secret", 6));
    }
    xylem_quarantine_free(quarantine);
    struct xylem_verify_report verified;
    assert_int_equal(xylem_verify(&verified, txn, NULL, collect, NULL, NULL), XYLEM_OK);
    assert_int_equal(verified.problem_count, 0);
    xylem_abort(txn);
    sandbox_export_of(&out, sandbox, session_id, true);
    assert_null(strstr(out.data, "secret"));
    xylem_buffer_release(&out);
}

TEST(the_same_file_again_brings_nothing_back)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", FILE_TEXT);
    redact(&sandbox, "b");
    sandbox_take(&sandbox, "file", FILE_TEXT);
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 0);
    assert_gone(&sandbox, "s");
    assert_export_text(&sandbox, false, BEGINNING PLACEHOLDER("b", "a") CHILD("c", "b"));
    sandbox_take(&sandbox, "file", FILE_TEXT CHILD("d", "c"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 3, 0, 0);
    assert_gone(&sandbox, "s");
    sandbox_close(&sandbox);
}

TEST(another_file_of_the_session_brings_nothing_back)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", FILE_TEXT);
    redact(&sandbox, "b");
    sandbox_take(&sandbox, "other", FILE_TEXT CHILD("d", "b"));
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 1, 3, 0, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_REDACTED, 3, false, "b");
    assert_gone(&sandbox, "s");
    assert_ids(&sandbox, "a b c d ", "d b a ");
    sandbox_close(&sandbox);
}

static struct xylem_stat stat_of(struct sandbox *sandbox)
{
    struct xylem_stat stat;
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    assert_int_equal(xylem_stat_read(&stat, txn, NULL), XYLEM_OK);
    xylem_abort(txn);
    return stat;
}

TEST(a_line_of_the_id_with_other_bytes_or_another_parent_is_not_kept)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", FILE_TEXT);
    redact(&sandbox, "b");
    /* Below another parent; its child is found below the entry as it is. */
    sandbox_take(&sandbox, "file", BEGINNING CHILD("x", "a") SECRET_LINE("b", "x") CHILD("c", "b") CHILD("d", "b"));
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 2, 2, 0, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_REDACTED, 4, false, "b");
    assert_gone(&sandbox, "s");
    assert_ids(&sandbox, "a b c x d ", "d b a ");
    /* The same once more: nothing is added, and nothing is put away twice. */
    struct xylem_stat before = stat_of(&sandbox);
    sandbox_take(&sandbox, "file", BEGINNING CHILD("x", "a") SECRET_LINE("b", "x") CHILD("c", "b") CHILD("d", "b"));
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 0);
    sandbox_take(&sandbox, "file", BEGINNING SECRET_LINE("b", "x") CHILD("x", "a") CHILD("c", "b") CHILD("d", "b"));
    assert_int_equal(sandbox.report.added_count, 0);
    assert_gone(&sandbox, "s");
    struct xylem_stat after = stat_of(&sandbox);
    for (size_t i = 0; i < XYLEM_TABLE_COUNT - 1; i++) { /* without outlines, which follow from the other tables */
        /* One more line in quarantine at most, and the feed tells once that the document changed. */
        bool one_more = strcmp(after.tables[i].name, "quarantine") == 0 || strcmp(after.tables[i].name, "feed") == 0;
        assert_in_range(after.tables[i].rows, before.tables[i].rows, before.tables[i].rows + one_more);
    }
    sandbox_close(&sandbox);
}

TEST(an_earlier_duplicate_of_the_line_is_not_kept)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", BEGINNING CHILD("b", "a") SECRET_LINE("b", "a") CHILD("c", "b"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 3, 0, 1, 1);
    redact(&sandbox, "b");
    assert_gone(&sandbox, "s");
    /* The quarantined line keeps its place, so that what follows is known still. */
    sandbox_take(&sandbox, "file", BEGINNING CHILD("b", "a") SECRET_LINE("b", "a") CHILD("c", "b") CHILD("d", "c"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 3, 0, 0);
    assert_gone(&sandbox, "s");
    /* A changed file is matched anew, line by line. */
    sandbox_take(&sandbox, "file",
                 BEGINNING SECRET_LINE("b", "a") SECRET_LINE("b", "a") CHILD("c", "b") CHILD("d", "c"));
    assert_int_equal(sandbox.report.added_count, 0);
    assert_int_equal(sandbox.report.quarantined_count, 0);
    assert_int_equal(sandbox.report.problem_count, 2);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_REDACTED, 3, false, "b");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_REDACTED, 4, false, "b");
    assert_gone(&sandbox, "s");
    sandbox_close(&sandbox);
}

TEST(a_damaged_line_that_names_it_is_not_kept)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", FILE_TEXT);
    redact(&sandbox, "b");
    sandbox_take(&sandbox, "file",
                 FILE_TEXT "{\"id\":\"b\",\"text\":\"secret\n"
                           "garbage\n" CHILD("d", "c"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 3, 1, 2);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_REDACTED, 5, false, "");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_NOT_JSON, 6, true, "");
    assert_gone(&sandbox, "s");
    assert_export_text(&sandbox, true, BEGINNING PLACEHOLDER("b", "a") CHILD("c", "b") "garbage\n" CHILD("d", "c"));
    sandbox_close(&sandbox);
}

TEST(a_torn_line_that_names_it_is_not_remembered)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", FILE_TEXT "{\"id\":\"b\",\"text\":\"secret");
    redact(&sandbox, "b");
    assert_gone(&sandbox, "s");
    sandbox_import(&sandbox, "file");
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_UNCHANGED);
    sandbox_take(&sandbox, "file", FILE_TEXT "{\"id\":\"b\",\"text\":\"secret and more");
    assert_gone(&sandbox, "s");
    sandbox_take(&sandbox, "file", FILE_TEXT CHILD("d", "c") "{\"id\":\"e\",\"te");
    assert_export_text(&sandbox, true,
                       BEGINNING PLACEHOLDER("b", "a") CHILD("c", "b") CHILD("d", "c") "{\"id\":\"e\",\"te");
    sandbox_close(&sandbox);
}

TEST(an_export_can_be_imported_elsewhere_and_at_home)
{
    struct sandbox sandbox;
    struct sandbox elsewhere;
    struct xylem_buffer out = {0};
    sandbox_open(&sandbox);
    sandbox_open(&elsewhere);
    sandbox_take(&sandbox, "file", FILE_TEXT);
    redact(&sandbox, "b");
    sandbox_export_of(&out, &sandbox, "s", false);
    sandbox_write(&elsewhere, "file", out.data, out.bytes);
    sandbox_import(&elsewhere, "file");
    assert_report(&elsewhere, XYLEM_IMPORT_NEW, 3, 0, 0, 0);
    assert_ids(&elsewhere, "a b c ", "c b a ");
    assert_export_text(&elsewhere, false, out.data);
    sandbox_write(&sandbox, "file", out.data, out.bytes);
    sandbox_import(&sandbox, "file");
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 0, 3, 0, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_REDACTED, 3, false, "b");
    assert_export_text(&sandbox, false, out.data);
    xylem_buffer_release(&out);
    sandbox_close(&elsewhere);
    sandbox_close(&sandbox);
}

TEST(a_redacted_toggle_fails_closed_in_another_store_too)
{
    struct sandbox sandbox;
    struct sandbox elsewhere;
    struct xylem_buffer out = {0};
    struct xylem_session session;
    struct xylem_state found;
    struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START, .reason = XYLEM_REASON_RESUME};
    sandbox_open(&sandbox);
    sandbox_open(&elsewhere);
    sandbox_take(&sandbox, "file",
                 BEGINNING "{\"type\":\"custom\",\"customType\":\"readonly\",\"data\":{\"enabled\":false},\"id\":\"t\","
                           "\"parentId\":\"a\",\"timestamp\":\"2025-01-01T00:00:02.000Z\"}\n");
    redact(&sandbox, "t");
    sandbox_export_of(&out, &sandbox, "s", false);
    sandbox_write(&elsewhere, "file", out.data, out.bytes);
    sandbox_import(&elsewhere, "file");
    struct xylem_txn *txn = sandbox_begin(&elsewhere, XYLEM_READ);
    sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_rehydrate(&found, txn, session.leaf, &event, NULL, NULL), XYLEM_OK);
    assert_true(found.readonly.enabled);
    assert_int_equal(found.readonly.from, XYLEM_FROM_PATH);
    xylem_state_release(&found);
    xylem_abort(txn);
    xylem_buffer_release(&out);
    sandbox_close(&elsewhere);
    sandbox_close(&sandbox);
}

/* A repair may lose the reason: the line has an empty one, and the toggle stays redacted in another store. */
TEST(a_redacted_toggle_without_a_reason_fails_closed_in_another_store_too)
{
    struct sandbox sandbox;
    struct xylem_entry entry;
    struct xylem_position at;
    struct xylem_session session;
    struct xylem_state found;
    struct xylem_event event = {.reason = XYLEM_REASON_RESUME};
    struct xylem_buffer out = {0};
    static const char toggles[] =
        BEGINNING "{\"type\":\"custom\",\"id\":\"off\",\"parentId\":\"a\",\"timestamp\":\"2025-01-01T00:00:02.000Z\","
                  "\"customType\":\"readonly\",\"data\":{\"enabled\":false}}\n"
                  "{\"type\":\"custom\",\"id\":\"on\",\"parentId\":\"off\",\"timestamp\":\"2025-01-01T00:00:03.000Z\","
                  "\"customType\":\"readonly\",\"data\":{\"enabled\":true}}\n";
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", toggles);
    redact(&sandbox, "on");
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_find(&at, txn, number, xylem_view_of("on"), NULL), XYLEM_OK);
    assert_int_equal(xylem_entry_read(&entry, txn, at, NULL), XYLEM_OK);
    const struct xylem_format__record record = {.check = entry.check,
                                                .payload_hash = entry.unverified.payload_hash,
                                                .lsn = entry.lsn,
                                                .time_ms = entry.time_ms,
                                                .kind_number = entry.unverified.kind_number,
                                                .flags = entry.flags,
                                                .format = entry.format,
                                                .id = entry.id,
                                                .links = {entry.unverified.links, entry.unverified.links_bytes}};
    struct row row = row_last(txn, XYLEM_FORMAT__LOG);
    row.value.bytes = 0;
    assert_int_equal(xylem_format__record_encode(&row.value, at, &record, NULL), XYLEM_OK);
    row_remove(txn, XYLEM_FORMAT__LOG, &row);
    row_put(txn, XYLEM_FORMAT__LOG, &row);
    row_release(&row);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    sandbox_export_of(&out, &sandbox, "s", false);
    assert_non_null(strstr(out.data, "\"data\":{\"redacted\":\"\"}"));
    struct sandbox other;
    sandbox_open(&other);
    sandbox_take(&other, "file", out.data);
    txn = sandbox_begin(&other, XYLEM_READ);
    (void)sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_rehydrate(&found, txn, session.leaf, &event, NULL, NULL), XYLEM_OK);
    assert_true(found.readonly.enabled);
    xylem_state_release(&found);
    xylem_abort(txn);
    xylem_buffer_release(&out);
    sandbox_close(&other);
    sandbox_close(&sandbox);
}

TEST(the_report_names_the_files)
{
    struct sandbox sandbox;
    struct xylem_session session;
    struct xylem_position at;
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .dry_run = true};
    char path[512];
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", FILE_TEXT);
    sandbox_take(&sandbox, "another", FILE_TEXT);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_find(&at, txn, number, xylem_view_of("b"), NULL), XYLEM_OK);
    assert_int_equal(xylem_redact(&report, txn, number, at, &options, NULL), XYLEM_OK);
    xylem_abort(txn);
    assert_int_equal(report.source_count, 2);
    sandbox_path(path, &sandbox, "another");
    assert_string_equal(report.sources[0].data, path);
    sandbox_path(path, &sandbox, "file");
    assert_string_equal(report.sources[1].data, path);
    xylem_redact_report_release(&report);
    sandbox_close(&sandbox);
}
