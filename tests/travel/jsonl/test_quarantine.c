/* What an import could not place: each reason, and that the bytes are still there. */
#include "tests/lib/test.h"
#include "tests/travel/jsonl/sandbox.h"

struct expected {
    uint64_t line;
    enum xylem_import_problem_type reason;
    const char *raw;
    size_t raw_bytes;
};

static void expect_rows(struct sandbox *sandbox, const char *file, const struct expected *expected, size_t count)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    struct xylem_session session;
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined row;
    const char *end;
    sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_quarantine_new(&quarantine, txn, session.number, NULL), XYLEM_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(xylem_quarantine_next(&row, quarantine, NULL), 1);
        assert_int_equal(row.line, expected[i].line);
        assert_string_equal(xylem_import_problem_word(row.reason), xylem_import_problem_word(expected[i].reason));
        assert_same_bytes(row.raw.data, row.raw.bytes, expected[i].raw, expected[i].raw_bytes);
        assert_int_equal(row.raw_bytes, expected[i].raw_bytes);
        assert_int_equal(row.hash, xylem_format__hash(row.raw));
        assert_memory_equal(file + row.offset, expected[i].raw, expected[i].raw_bytes);
        end = row.source.data + row.source.bytes;
        assert_memory_equal(end - 2, "/f", 2);
    }
    assert_int_equal(xylem_quarantine_next(&row, quarantine, NULL), 0);
    xylem_quarantine_free(quarantine);
    xylem_abort(txn);
    assert_int_equal(sandbox->report.quarantined_count, count);
    assert_int_equal(sandbox->report.problem_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(sandbox->report.problems[i].line, expected[i].line);
        assert_int_equal(sandbox->report.problems[i].type, expected[i].reason);
        assert_true(sandbox->report.problems[i].quarantined);
    }
}

/* Imports a header, one bad line and one good one. */
static void expect_reason(const char *line, size_t bytes, enum xylem_import_problem_type reason)
{
    struct sandbox sandbox;
    struct xylem_buffer text = {0};
    sandbox_open(&sandbox);
    assert_int_equal(xylem_base__buffer_add_text(&text, HEADER), 0);
    assert_int_equal(xylem_buffer_add(&text, line, bytes), 0);
    assert_int_equal(xylem_base__buffer_add_text(&text, ROOT("good")), 0);
    sandbox_write(&sandbox, "f", text.data, text.bytes);
    sandbox_import(&sandbox, "f");
    struct expected expected = {2, reason, line, bytes};
    expect_rows(&sandbox, text.data, &expected, 1);
    assert_export(&sandbox, true, text.data, text.bytes);
    assert_export_text(&sandbox, false, HEADER ROOT("good"));
    xylem_buffer_release(&text);
    sandbox_close(&sandbox);
}

static void expect_text(const char *line, enum xylem_import_problem_type reason)
{
    expect_reason(line, strlen(line), reason);
}

TEST(every_reason_is_found)
{
    expect_text("junk\n", XYLEM_IMPORT_NOT_JSON);
    expect_text("[{\"type\":\"x\",\"id\":\"a\"}]\n", XYLEM_IMPORT_NOT_JSON);
    expect_text("{\"type\":\"x\",\"id\":\"a\"}{\n", XYLEM_IMPORT_NOT_JSON);
    expect_text("\n", XYLEM_IMPORT_BLANK);
    expect_text(" \t\r\n", XYLEM_IMPORT_BLANK);
    expect_reason("\0\0\0\n", 4, XYLEM_IMPORT_NUL_PADDING);
    expect_reason("\0{}\n", 4, XYLEM_IMPORT_NOT_JSON);
    expect_text("{\"type\":\"x\"}\n", XYLEM_IMPORT_NO_ID);
    expect_text("{\"type\":\"x\",\"id\":\"\"}\n", XYLEM_IMPORT_NO_ID);
    expect_text("{\"type\":\"x\",\"id\":1}\n", XYLEM_IMPORT_NO_ID);
    expect_text("{\"type\":\"x\",\"id\":\"12345678901234567890123456789012345678901234567890123456789012345\"}\n",
                XYLEM_IMPORT_NO_ID);
    expect_text("{\"id\":\"a\"}\n", XYLEM_IMPORT_NO_TYPE);
    expect_text("{\"type\":null,\"id\":\"a\"}\n", XYLEM_IMPORT_NO_TYPE);
    expect_text(HEADER, XYLEM_IMPORT_HEADER);
    expect_text(ROOT("good"), XYLEM_IMPORT_DUPLICATE);
}

TEST(what_exceeds_a_limit_is_found)
{
    struct xylem_buffer line = {0};
    assert_int_equal(xylem_base__buffer_add_text(&line, "{\"id\":\"a\",\"type\":\""), 0);
    for (unsigned i = 0; i < XYLEM_KIND_NAME_BYTES_MAX + 1; i++) {
        assert_int_equal(xylem_base__buffer_add_text(&line, "k"), 0);
    }
    assert_int_equal(xylem_base__buffer_add_text(&line, "\"}\n"), 0);
    expect_text(line.data, XYLEM_IMPORT_LIMIT);
    xylem_base__buffer_clear(&line);
    assert_int_equal(xylem_base__buffer_add_text(&line, "{\"id\":\"a\",\"type\":\"x\",\"x\":"), 0);
    for (unsigned i = 0; i < 2 * XYLEM_NESTING_MAX; i++) {
        assert_int_equal(xylem_base__buffer_add_text(&line, i < XYLEM_NESTING_MAX ? "[" : "]"), 0);
    }
    assert_int_equal(xylem_base__buffer_add_text(&line, "}\n"), 0);
    expect_text(line.data, XYLEM_IMPORT_LIMIT);
    xylem_buffer_release(&line);
}

TEST(limits_themselves_are_allowed)
{
    struct sandbox sandbox;
    struct xylem_buffer text = {0};
    sandbox_open(&sandbox);
    assert_int_equal(xylem_base__buffer_add_text(&text, HEADER "{\"type\":\""), 0);
    for (unsigned i = 0; i < XYLEM_KIND_NAME_BYTES_MAX; i++) {
        assert_int_equal(xylem_base__buffer_add_text(&text, "k"), 0);
    }
    assert_int_equal(xylem_base__buffer_add_text(&text, "\",\"id\":\"1234567890123456789012345678901234567890123456789"
                                                        "012345678901234\",\"x\":"),
                     0);
    for (unsigned i = 0; i < 2 * (XYLEM_NESTING_MAX - 1); i++) {
        assert_int_equal(xylem_base__buffer_add_text(&text, i < XYLEM_NESTING_MAX - 1 ? "[" : "]"), 0);
    }
    assert_int_equal(xylem_base__buffer_add_text(&text, "}\n"), 0);
    sandbox_write(&sandbox, "f", text.data, text.bytes);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 1, 0, 0, 0);
    assert_export(&sandbox, true, text.data, text.bytes);
    xylem_buffer_release(&text);
    sandbox_close(&sandbox);
}

TEST(rows_come_in_the_order_of_lines)
{
    static const char file[] = HEADER "junk\n" ROOT("a") "\n" CHILD("a", "b") "\0\0\n";
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_write(&sandbox, "f", file, sizeof file - 1);
    sandbox_import(&sandbox, "f");
    assert_int_equal(sandbox.report.problem_count, 5); /* and the orphan, which is placed */
    assert_problem(&sandbox, 3, XYLEM_IMPORT_ORPHAN, 5, false, "a");
    memmove(&sandbox.report.problems[3], &sandbox.report.problems[4], sizeof *sandbox.report.problems);
    sandbox.report.problem_count--;
    const struct expected expected[] = {
        {2, XYLEM_IMPORT_NOT_JSON, "junk\n", 5},
        {3, XYLEM_IMPORT_DUPLICATE, ROOT("a"), strlen(ROOT("a"))},
        {4, XYLEM_IMPORT_BLANK, "\n", 1},
        {6, XYLEM_IMPORT_NUL_PADDING, "\0\0\n", 3},
    };
    expect_rows(&sandbox, file, expected, 4);
    sandbox_close(&sandbox);
}

/* A line of holes, so that the test costs no disk: `first` makes it more than padding. */
static void add_long_line(FILE *file, const char *first, bool terminated)
{
    fputs(first, file);
    assert_int_equal(fseek(file, (long)XYLEM_LINE_BYTES_MAX, SEEK_CUR), 0);
    fputs(terminated ? "x\n" : "x", file);
}

TEST(a_line_too_long_to_be_kept_is_quarantined_by_its_hash)
{
    struct sandbox sandbox;
    char path[512];
    sandbox_open(&sandbox);
    sandbox_path(path, &sandbox, "f");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(HEADER ROOT("a"), file);
    add_long_line(file, "{", true);
    fputs(CHILD("b", "a"), file);
    add_long_line(file, "{\"torn", false);
    assert_int_equal(fclose(file), 0);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 2, 0, 1, 2);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_LIMIT, 3, true, "");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_TORN, 5, false, "");
    assert_int_equal(sandbox.report.unconsumed_bytes, 7 + (uint64_t)XYLEM_LINE_BYTES_MAX);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    struct xylem_session session;
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined row;
    struct xylem_export_options options = {.with_quarantine = true};
    struct xylem_buffer out = {0};
    sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_quarantine_new(&quarantine, txn, session.number, NULL), XYLEM_OK);
    assert_int_equal(xylem_quarantine_next(&row, quarantine, NULL), 1);
    assert_int_equal(row.raw.bytes, 0);
    assert_int_equal(row.raw_bytes, 3 + (uint64_t)XYLEM_LINE_BYTES_MAX);
    assert_int_not_equal(row.hash, 0);
    xylem_quarantine_free(quarantine);
    assert_int_equal(xylem_export(txn, session.number, &options, sandbox_collect, &out, NULL), XYLEM_E_LIMIT);
    xylem_abort(txn);
    xylem_buffer_release(&out);
    assert_export_text(&sandbox, false, HEADER ROOT("a") CHILD("b", "a"));
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 1);
    sandbox_close(&sandbox);
}

TEST(padding_of_any_length_is_padding)
{
    struct sandbox sandbox;
    char path[512];
    sandbox_open(&sandbox);
    sandbox_write_text(&sandbox, "f", HEADER ROOT("a"));
    sandbox_path(path, &sandbox, "f");
    assert_int_equal(truncate(path, (off_t)XYLEM_LINE_BYTES_MAX + 4096), 0);
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    assert_int_equal(fputc('\n', file), '\n');
    assert_int_equal(fclose(file), 0);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 1, 0, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_NUL_PADDING, 3, true, "");
    assert_int_equal(sandbox.report.unconsumed_bytes, 0);
    sandbox_close(&sandbox);
}

TEST(every_problem_has_a_word_and_a_text)
{
    for (int i = 0; i < XYLEM_IMPORT_PROBLEM_COUNT; i++) {
        const char *word = xylem_import_problem_word((enum xylem_import_problem_type)i);
        assert_null(strchr(word, ' '));
        assert_string_not_equal(word, "unknown");
        assert_non_null(strchr(xylem_import_problem_text((enum xylem_import_problem_type)i), ' '));
    }
    assert_string_equal(xylem_import_problem_word(XYLEM_IMPORT_NOT_JSON), "not-json");
    assert_string_equal(xylem_import_problem_word(XYLEM_IMPORT_PROBLEM_COUNT), "unknown");
    assert_string_equal(xylem_import_problem_text(XYLEM_IMPORT_PROBLEM_COUNT), "unknown problem");
}
