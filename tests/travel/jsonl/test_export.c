/* What an export writes beside imported lines: natives, ends of files, and what stops it. */
#include "tests/lib/test.h"
#include "tests/travel/jsonl/sandbox.h"

#define NATIVE \
    "{\"type\":\"note\",\"id\":\"n\",\"parentId\":\"a\",\"timestamp\":\"2025-01-01T00:00:01.000Z\",\"x\":1}\n"

static void append_native(struct sandbox *sandbox)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    struct xylem_session session;
    struct xylem_position first;
    int64_t time_ms = 1735689601000;
    struct xylem_new_entry entry = {.id = xylem_view_of("n"),
                                    .kind = {XYLEM_CLASS_HOST, xylem_view_of("note")},
                                    .time_ms = &time_ms,
                                    .format = XYLEM_FORMAT_JSON,
                                    .payload = xylem_view_of("{\"x\":1}")};
    sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_append(&first, txn, session.number, &entry, 1, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
}

TEST(natives_begin_on_a_line_of_their_own)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER ROOT_LINE("a"));
    append_native(&sandbox);
    assert_export_text(&sandbox, true, HEADER ROOT("a") NATIVE);
    sandbox_close(&sandbox);
}

TEST(unconsumed_bytes_come_last)
{
    static const char padded[] = HEADER ROOT("a") NATIVE "\0\0";
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER ROOT("a") "{\"torn");
    append_native(&sandbox);
    assert_export_text(&sandbox, true, HEADER ROOT("a") NATIVE "{\"torn");
    assert_export_text(&sandbox, false, HEADER ROOT("a") NATIVE);
    sandbox_close(&sandbox);
    sandbox_open(&sandbox);
    sandbox_write(&sandbox, "f", HEADER ROOT("a") "\0\0", strlen(HEADER ROOT("a")) + 2);
    sandbox_import(&sandbox, "f");
    append_native(&sandbox);
    assert_export(&sandbox, true, padded, sizeof padded - 1);
    sandbox_close(&sandbox);
}

TEST(a_missing_newline_belongs_to_the_last_line_only)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_write(&sandbox, "f", HEADER ROOT("a") "\0\0", strlen(HEADER ROOT("a")) + 2);
    sandbox_import(&sandbox, "f");
    assert_export_text(&sandbox, false, HEADER ROOT("a")); /* without the padding, `a` has its newline */
    sandbox_close(&sandbox);
}

TEST(a_session_without_entries_is_a_header)
{
    struct sandbox sandbox;
    struct xylem_session session;
    int64_t created_ms = 1735689600000;
    sandbox_open(&sandbox);
    struct xylem_session_options options = {
        .id = xylem_view_of("s"), .cwd = xylem_view_of("/home"), .created_ms = &created_ms};
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    assert_int_equal(xylem_session_create(&session, txn, &options, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    assert_export_text(&sandbox, true, HEADER);
    sandbox_close(&sandbox);
}

static int refuse(void *context, const void *data, size_t bytes)
{
    (void)data;
    (void)bytes;
    int *calls = context;
    ++*calls;
    return 1;
}

static int count_bytes(void *context, const void *data, size_t bytes)
{
    (void)data;
    size_t *most = context;
    *most = bytes > *most ? bytes : *most;
    return 0;
}

TEST(an_export_can_be_stopped)
{
    struct sandbox sandbox;
    struct xylem_session session;
    struct xylem_error err;
    int calls = 0;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER ROOT("a"));
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_export(txn, session.number, NULL, refuse, &calls, &err), XYLEM_E_STOPPED);
    assert_int_equal(calls, 1);
    assert_int_equal(xylem_export(txn, session.number + 1, NULL, refuse, &calls, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_export(txn, session.number, NULL, NULL, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_export(NULL, session.number, NULL, refuse, &calls, &err), XYLEM_E_ARGUMENT);
    xylem_abort(txn);
    sandbox_close(&sandbox);
}

TEST(an_export_comes_in_pieces)
{
    struct sandbox sandbox;
    struct xylem_session session;
    struct xylem_buffer text = {0};
    size_t most = 0;
    sandbox_open(&sandbox);
    assert_int_equal(xylem_base__buffer_add_text(&text, HEADER), 0);
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(xylem_base__buffer_add_format(&text, "{\"type\":\"x\",\"id\":\"%d\",\"pad\":\"%0100d\"}\n%s",
                                                       i, i, i % 2 ? "bad\n" : ""),
                         0);
    }
    sandbox_write(&sandbox, "f", text.data, text.bytes);
    sandbox_import(&sandbox, "f");
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_export(txn, session.number, NULL, count_bytes, &most, NULL), XYLEM_OK);
    assert_in_range(most, 65536, 70000);
    xylem_abort(txn);
    assert_export(&sandbox, true, text.data, text.bytes);
    xylem_buffer_release(&text);
    sandbox_close(&sandbox);
}

/* A write transaction sees what it wrote. */
TEST(an_export_works_in_a_write_transaction)
{
    struct sandbox sandbox;
    struct xylem_session session;
    struct xylem_buffer out = {0};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER CHILD("b", "a") "junk\n" ROOT("a"));
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    struct xylem_export_options options = {.with_quarantine = true};
    sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_export(txn, session.number, &options, sandbox_collect, &out, NULL), XYLEM_OK);
    xylem_abort(txn);
    assert_string_equal(out.data, HEADER CHILD("b", "a") "junk\n" ROOT("a"));
    xylem_buffer_release(&out);
    sandbox_close(&sandbox);
}
