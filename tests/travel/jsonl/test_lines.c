/* The reader of lines: where they end, how long they may be, and what happens when the file is cut. */
#include "tests/lib/test.h"
#include "tests/travel/jsonl/sandbox.h"

#include <sys/stat.h>

#include "travel/jsonl/lines.h"

static void open_file(struct xylem_jsonl__file *file, struct sandbox *sandbox, const char *name)
{
    char path[512];
    sandbox_path(path, sandbox, name);
    assert_int_equal(xylem_jsonl__file_open(file, path, NULL), XYLEM_OK);
}

static void expect_line(const struct xylem_jsonl__file *file, struct xylem_jsonl__window *window, uint64_t *offset,
                        const char *text, bool terminated)
{
    struct xylem_jsonl__line line;
    assert_int_equal(xylem_jsonl__line_at(&line, window, file, *offset, NULL), 1);
    assert_true(xylem_base__view_is(line.text, text));
    assert_int_equal(line.terminated, terminated);
    assert_int_equal(line.bytes, strlen(text) + (terminated ? 1 : 0));
    assert_false(line.too_long);
    *offset += line.bytes;
}

TEST(lines_end_at_a_newline_only)
{
    struct sandbox sandbox;
    struct xylem_jsonl__file file;
    struct xylem_jsonl__window window = {.step_bytes = 4}; /* so that every line crosses a border */
    uint64_t offset = 0;
    sandbox_open(&sandbox);
    sandbox_write_text(&sandbox, "f", "one\r\n\n\xe2\x80\xa8 a rather longer line\rx\nlast");
    open_file(&file, &sandbox, "f");
    expect_line(&file, &window, &offset, "one\r", true);
    expect_line(&file, &window, &offset, "", true);
    expect_line(&file, &window, &offset, "\xe2\x80\xa8 a rather longer line\rx", true);
    expect_line(&file, &window, &offset, "last", false);
    struct xylem_jsonl__line line;
    assert_int_equal(xylem_jsonl__line_at(&line, &window, &file, offset, NULL), 0);
    offset = 4; /* going back works too */
    expect_line(&file, &window, &offset, "", true);
    xylem_jsonl__window_release(&window);
    xylem_jsonl__file_close(&file);
    sandbox_close(&sandbox);
}

TEST(what_is_no_regular_file_is_refused)
{
    struct sandbox sandbox;
    struct xylem_jsonl__file file;
    struct xylem_error err;
    char path[512];
    sandbox_open(&sandbox);
    assert_int_equal(xylem_jsonl__file_open(&file, sandbox.directory, &err), XYLEM_E_IO);
    assert_non_null(strstr(err.text, "expected a regular file"));
    sandbox_path(path, &sandbox, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(xylem_jsonl__file_open(&file, path, &err), XYLEM_E_IO);
    sandbox_path(path, &sandbox, "missing");
    assert_int_equal(xylem_jsonl__file_open(&file, path, &err), XYLEM_E_IO);
    assert_non_null(strstr(err.text, "missing"));
    sandbox_close(&sandbox);
}

TEST(a_file_that_is_cut_while_it_is_read_is_an_error)
{
    struct sandbox sandbox;
    struct xylem_jsonl__file file;
    struct xylem_jsonl__window window = {.step_bytes = 4};
    struct xylem_jsonl__line line;
    struct xylem_error err;
    char path[512];
    sandbox_open(&sandbox);
    sandbox_write_text(&sandbox, "f", "one\ntwo\nthree\n");
    open_file(&file, &sandbox, "f");
    sandbox_path(path, &sandbox, "f");
    assert_int_equal(truncate(path, 6), 0);
    assert_int_equal(xylem_jsonl__line_at(&line, &window, &file, 0, &err), 1);
    assert_int_equal(xylem_jsonl__line_at(&line, &window, &file, 4, &err), XYLEM_E_IO);
    assert_non_null(strstr(err.text, "14 bytes"));
    assert_non_null(strstr(err.text, "cut to 6"));
    struct xylem_view seen;
    assert_int_equal(xylem_jsonl__window_see(&seen, &window, &file, 14, 1, &err), XYLEM_E_IO);
    xylem_jsonl__window_release(&window);
    xylem_jsonl__file_close(&file);
    sandbox_close(&sandbox);
}

/* A hole in the file stands for the bytes, so that the test costs no disk. */
TEST(a_line_beyond_the_limit_is_measured_and_not_held)
{
    struct sandbox sandbox;
    struct xylem_jsonl__file file;
    struct xylem_jsonl__window window = {.start = 0};
    struct xylem_jsonl__line line;
    char path[512];
    sandbox_open(&sandbox);
    sandbox_path(path, &sandbox, "f");
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fseek(out, (long)XYLEM_LINE_BYTES_MAX + 1, SEEK_SET), 0);
    fputs("\nnext\n", out);
    assert_int_equal(fclose(out), 0);
    open_file(&file, &sandbox, "f");
    assert_int_equal(xylem_jsonl__line_at(&line, &window, &file, 0, NULL), 1);
    assert_true(line.too_long);
    assert_true(line.nul_only);
    assert_true(line.terminated);
    assert_int_equal(line.bytes, (uint64_t)XYLEM_LINE_BYTES_MAX + 2);
    assert_int_equal(line.text.bytes, 0);
    uint64_t offset = line.bytes;
    expect_line(&file, &window, &offset, "next", true);
    assert_int_equal(xylem_jsonl__line_at(&line, &window, &file, 1, NULL), 1); /* one byte less is allowed */
    assert_false(line.too_long);
    assert_int_equal(line.text.bytes, XYLEM_LINE_BYTES_MAX);
    xylem_jsonl__window_release(&window);
    xylem_jsonl__file_close(&file);
    sandbox_close(&sandbox);
}
