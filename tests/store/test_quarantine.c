#include "store/source.h"
#include "tests/lib/one_session.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

static struct xylem_error err;

static struct xylem_quarantined sample(uint64_t line, const char *raw)
{
    struct xylem_view bytes = xylem_view_of(raw);
    return (struct xylem_quarantined){.line = line,
                                      .offset = line * 100,
                                      .hash = xylem_format__hash(bytes),
                                      .reason = XYLEM_IMPORT_NOT_JSON,
                                      .source = xylem_view_of("/a.jsonl"),
                                      .raw = bytes,
                                      .raw_bytes = bytes.bytes};
}

static int add(uint64_t owner, uint64_t line, const char *raw)
{
    struct xylem_quarantined row = sample(line, raw);
    return store_builder_must(xylem_store__quarantine_add(builder.txn, owner, &row, &err), &err);
}

/* The lines of the session's quarantine, each followed by a space. */
static void assert_lines(uint64_t owner, const char *expected)
{
    struct xylem_quarantine *quarantine = NULL;
    struct xylem_quarantined row;
    struct xylem_buffer lines = {0};
    copy_bytes(&lines, "", 0);
    store_builder_must(xylem_quarantine_new(&quarantine, builder.txn, owner, &err), &err);
    while (store_builder_must(xylem_quarantine_next(&row, quarantine, &err), &err)) {
        assert_int_equal(xylem_base__buffer_add_format(&lines, "%u ", (unsigned)row.line), XYLEM_OK);
    }
    assert_int_equal(xylem_quarantine_next(&row, quarantine, &err), 0);
    xylem_quarantine_free(quarantine);
    assert_string_equal(lines.data, expected);
    xylem_buffer_release(&lines);
}

static int next(struct xylem_quarantined *row)
{
    struct xylem_quarantine *quarantine = NULL;
    store_builder_must(xylem_quarantine_new(&quarantine, builder.txn, session, &err), &err);
    int code = xylem_quarantine_next(row, quarantine, &err);
    xylem_quarantine_free(quarantine);
    return code;
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(a_line_reads_back_as_it_was_put_away)
{
    struct xylem_quarantined row;
    assert_int_equal(add(session, 7, "no json\n"), 1);
    store_builder_reopen(&builder);
    assert_int_equal(next(&row), 1);
    assert_true(row.line == 7 && row.offset == 700 && row.reason == XYLEM_IMPORT_NOT_JSON);
    assert_true(xylem_base__view_is(row.source, "/a.jsonl") && xylem_base__view_is(row.raw, "no json\n"));
    assert_true(row.raw_bytes == 8 && row.hash == xylem_format__hash(row.raw));
}

IN_STORE(the_same_line_of_the_same_bytes_is_put_away_once)
{
    assert_int_equal(add(session, 7, "a"), 1);
    assert_int_equal(add(session, 7, "a"), 0);
    assert_int_equal(add(session, 7, "b"), 1);
    assert_int_equal(add(session, 8, "a"), 1);
    assert_lines(session, "7 7 8 ");
}

IN_STORE(the_same_line_of_two_files_is_put_away_twice)
{
    struct xylem_quarantined other = sample(7, "a");
    other.source = xylem_view_of("/another/file.jsonl");
    assert_int_equal(add(session, 7, "a"), 1);
    assert_int_equal(xylem_store__quarantine_add(builder.txn, session, &other, &err), 1);
    assert_int_equal(xylem_store__quarantine_add(builder.txn, session, &other, &err), 0);
    assert_lines(session, "7 7 ");
}

IN_STORE(lines_come_in_their_order_and_of_their_session_alone)
{
    uint64_t middle = store_builder_session(&builder, "middle");
    uint64_t last = store_builder_session(&builder, "last");
    add(last, 1, "x");
    add(session, 300, "a");
    add(session, 2, "b");
    add(session, 255, "c");
    assert_lines(session, "2 255 300 ");
    assert_lines(middle, "");
    assert_lines(last, "1 ");
}

IN_STORE(a_line_too_long_to_be_kept_is_remembered_by_its_length)
{
    struct xylem_quarantined row = sample(9, "");
    row.raw_bytes = UINT64_C(1) << 40;
    row.hash = 77;
    row.reason = XYLEM_IMPORT_LIMIT;
    assert_int_equal(xylem_store__quarantine_add(builder.txn, session, &row, &err), 1);
    assert_int_equal(next(&row), 1);
    assert_true(row.raw.bytes == 0 && row.raw_bytes == UINT64_C(1) << 40 && row.hash == 77);
}

IN_STORE(an_unknown_session_has_no_quarantine)
{
    struct xylem_quarantine *quarantine = NULL;
    assert_int_equal(xylem_quarantine_new(&quarantine, builder.txn, 99, &err), XYLEM_E_NOT_FOUND);
    assert_null(quarantine);
    xylem_quarantine_free(NULL);
}

IN_STORE(a_damaged_row_is_corrupt)
{
    struct xylem_quarantined row = {.line = 77};
    add(session, 1, "abc");
    row_last_set(builder.txn, XYLEM_FORMAT__QUARANTINE, 5, 'b', false);
    assert_int_equal(next(&row), XYLEM_E_CORRUPT);
    struct xylem_quarantined again = sample(1, "abc");
    assert_int_equal(xylem_store__quarantine_add(builder.txn, session, &again, &err), XYLEM_E_CORRUPT);
    /* With the right sum, but the line's own hash is that of other bytes. */
    row_last_set(builder.txn, XYLEM_FORMAT__QUARANTINE, 36, 'x', true);
    assert_int_equal(next(&row), XYLEM_E_CORRUPT);
    /* Out parameters are written on success only. */
    assert_int_equal(row.line, 77);
}

static int decode(const struct row *row, size_t key_bytes, size_t value_bytes)
{
    struct xylem_quarantined quarantined;
    struct xylem_view key = {row->key.data, key_bytes};
    struct xylem_view value = {row->value.data, value_bytes};
    return xylem_store__quarantine_decode(&quarantined, key, value, NULL);
}

IN_STORE(a_row_that_cannot_be_is_corrupt)
{
    add(session, 1, "abc");
    struct row row = row_last(builder.txn, XYLEM_FORMAT__QUARANTINE);
    size_t content = row.value.bytes - XYLEM_FORMAT__SUM_BYTES;
    for (size_t bytes = 0; bytes <= content; bytes++) {
        assert_int_equal(decode(&row, row.key.bytes, bytes), bytes == content ? XYLEM_OK : XYLEM_E_CORRUPT);
    }
    for (size_t bytes = 0; bytes < row.key.bytes; bytes++) {
        assert_int_equal(decode(&row, bytes, content), XYLEM_E_CORRUPT);
    }
    row.value.data[20] = XYLEM_IMPORT_PROBLEM_COUNT; /* behind the source's name and the offset */
    assert_int_equal(decode(&row, 24, content), XYLEM_E_CORRUPT);
    row.value.data[20] = 0;
    row.value.data[24]++; /* a length that is not that of the bytes */
    assert_int_equal(decode(&row, 24, content), XYLEM_E_CORRUPT);
    row_release(&row);
}
