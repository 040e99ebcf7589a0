/* What goes in comes out: every session file, and files made to be nasty, byte for byte. */
#include "tests/flow/fixtures.h"
#include "tests/lib/test.h"

static bool has_suffix(const char *path, const char *suffix)
{
    size_t bytes = strlen(path);
    return bytes >= strlen(suffix) && strcmp(path + bytes - strlen(suffix), suffix) == 0;
}

/* The lines that are JSON objects, the last of each id: what a plain export gives. */
static void good_lines(struct xylem_buffer *out, struct xylem_view file)
{
    struct xylem_base__tree tree = {0};
    struct xylem_base__tree later = {0};
    for (size_t at = 0; at < file.bytes;) {
        const char *newline = memchr(file.data + at, '\n', file.bytes - at);
        size_t end = newline ? (size_t)(newline - file.data) + 1 : file.bytes;
        struct xylem_view line = {file.data + at, end - at};
        bool good = xylem_base__json_parse(&tree, line, NULL) == XYLEM_OK;
        struct xylem_view id = good ? xylem_value_string(xylem_value_get(tree.nodes, "id")) : (struct xylem_view){0};
        for (size_t next = end; good && next < file.bytes;) {
            newline = memchr(file.data + next, '\n', file.bytes - next);
            size_t next_end = newline ? (size_t)(newline - file.data) + 1 : file.bytes;
            struct xylem_view other = {file.data + next, next_end - next};
            if (file.bytes < 100000 && memmem(other.data, other.bytes, id.data, id.bytes) &&
                xylem_base__json_parse(&later, other, NULL) == XYLEM_OK &&
                xylem_base__view_equal(xylem_value_string(xylem_value_get(later.nodes, "id")), id)) {
                good = at == 0;
            }
            next = next_end;
        }
        if (good) {
            assert_int_equal(xylem_buffer_add(out, line.data, line.bytes), 0);
        }
        at = end;
    }
    xylem_base__tree_release(&tree);
    xylem_base__tree_release(&later);
}

struct totals {
    bool among_others; /* import the sources first */
    size_t files;
    uint64_t kept;
    uint64_t entries;
    uint64_t shared;
};

static void round_trip_file(const char *path, void *context)
{
    struct totals *totals = context;
    if (has_suffix(path, ".before.jsonl")) {
        return;
    }
    struct sandbox sandbox;
    struct xylem_buffer file = {0};
    struct xylem_buffer out = {0};
    struct xylem_buffer good = {0};
    sandbox_open(&sandbox);
    sandbox_read_file(&file, path);
    fixtures_import(&sandbox, path, totals->among_others);
    sandbox_export_of(&out, &sandbox, sandbox.report.session_id, true);
    assert_same_bytes(out.data, out.bytes, file.data, file.bytes);
    sandbox_export_of(&out, &sandbox, sandbox.report.session_id, false);
    good_lines(&good, xylem_base__buffer_view(&file));
    assert_same_bytes(out.data, out.bytes, good.data, good.bytes);
    totals->files++;
    totals->kept += sandbox.report.kept_line_count;
    totals->entries += sandbox.report.added_count;
    totals->shared += sandbox.report.shared_count;
    assert_int_equal(sandbox_import_path(&sandbox, path), XYLEM_OK);
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_UNCHANGED);
    xylem_buffer_release(&file);
    xylem_buffer_release(&out);
    xylem_buffer_release(&good);
    sandbox_close(&sandbox);
}

TEST(every_file_of_format_3_comes_back_byte_for_byte)
{
    struct totals totals = {0};
    size_t files = fixtures_each(FIXTURES, round_trip_file, &totals);
    assert_int_equal(files, totals.files + 2); /* two .before files are of older formats */
    assert_true(totals.files >= 50);
    /* What pi writes is rendered, not kept: only the orphans and what was migrated or damaged differ. */
    assert_true(totals.kept * 50 < totals.entries);
}

TEST(every_file_comes_back_when_it_shares_what_it_can)
{
    struct totals totals = {.among_others = true};
    fixtures_each(FIXTURES, round_trip_file, &totals);
    assert_int_equal(totals.shared, 691);
}

/* Imports text as a file, and expects to get it back, with and without quarantine. */
static void round_trip_bytes(const char *text, size_t bytes)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_write(&sandbox, "a.jsonl", text, bytes);
    sandbox_import(&sandbox, "a.jsonl");
    assert_export(&sandbox, true, text, bytes);
    sandbox_import(&sandbox, "a.jsonl");
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_UNCHANGED);
    sandbox_close(&sandbox);
}

static void round_trip(const char *text)
{
    round_trip_bytes(text, strlen(text));
}

#define DATA(json)                                                    \
    HEADER "{\"type\":\"custom\",\"customType\":\"x\",\"data\":" json \
           ",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2025-01-01T00:00:01.000Z\"}\n"

TEST(strings_of_every_kind_come_back)
{
    round_trip(DATA("\"\\ud83d\""));
    round_trip(DATA("[\"\\ud83d\\ude80\",\"\\uD83D\",\"\\ude80\\ud83d\",\"x\\ud83dy\"]"));
    round_trip(DATA("\"\xe2\x80\xa8\xe2\x80\xa9 \\u2028 \\/ \\u0041 \\b\\f\\n\\r\\t\\u001f\x7f\""));
    round_trip(DATA("\"\xff\xfe \xc0\x80 \xed\xa0\xbd \xf0\x9f\x9a\""));
    round_trip(DATA("{\"\\u0000\":\"\\u0000\",\"\":\"\",\"\xc3\xa9\":\"\xf0\x9f\x9a\x80\"}"));
    round_trip(HEADER "{\"type\":\"\\ud83d\",\"id\":\"\\ud83d\",\"parentId\":null,\"timestamp\":"
                      "\"2025-01-01T00:00:01.000Z\",\"x\":\"\\ud83d\"}\n");
    round_trip(HEADER "{\"type\":\"message\",\"id\":\"a\xff\",\"parentId\":null,\"x\":\"\xff\"}\n");
}

TEST(numbers_of_every_spelling_come_back)
{
    static const char *const numbers[] = {
        "0",
        "-0",
        "1",
        "-1",
        "1.5",
        "1.0",
        "1e21",
        "1e+21",
        "1E21",
        "123456789012345680000",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "1e-7",
        "0.1",
        "5e-324",
        "1.7976931348623157e308",
        "1e309",
        "-1e309",
        "0.30000000000000004",
        "1e5",
        "100000",
        "1.10",
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[1024];
        snprintf(text, sizeof text, DATA("{\"n\":%s,\"a\":[%s]}"), numbers[i], numbers[i]);
        round_trip(text);
    }
}

TEST(lines_that_another_program_wrote_come_back)
{
    round_trip(HEADER "{ \"type\" : \"message\", \"id\":\"a\" , \"parentId\":null,\t\"x\": [ 1, 2 ] } \r\n");
    round_trip(HEADER "{\"id\":\"a\",\"type\":\"message\"}\n{\"type\":\"label\",\"id\":\"b\",\"id\":\"c\",\"parentId\":"
                      "\"a\"}\n");
    round_trip(HEADER "{\"type\":\"message\",\"id\":\"a\",\"parentId\":7,\"timestamp\":12}\n");
    round_trip(HEADER "{\"type\":\"custom\",\"customType\":5,\"id\":\"a\",\"data\":1}\n"
                      "{\"type\":\"custom\",\"customType\":\"\",\"id\":\"b\",\"data\":null,\"more\":true}\n"
                      "{\"type\":\"of the future\",\"id\":\"c\",\"payload\":[],\"customType\":\"x\"}\n");
    round_trip(HEADER "{\"type\":\"custom\",\"customType\":\"x\",\"data\":{\"a\":1,\"a\":2},\"id\":\"a\",\"parentId\":"
                      "null,\"timestamp\":\"2025-01-01T00:00:01Z\"}\n");
    round_trip("{\"id\":\"s\",\"type\":\"session\",\"version\":3.0,\"extra\":{}}\r\n" ROOT("a"));
    round_trip("{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":"
               "\"\",\"parentSession\":\"\"}\n" ROOT("a"));
}

TEST(damaged_files_come_back)
{
    round_trip(HEADER ROOT_LINE("a"));
    round_trip(HEADER "\n \n" ROOT("a") "\n\r\n");
    round_trip(HEADER ROOT("a") "{\"type\":\"message\",\"id\":\"b\",\"par");
    round_trip("{\"type\":\"session\",\"version\":3,\"id\":\"s\"}");
    round_trip(HEADER "[]\n12\nnull\n\"x\"\n{\n" ROOT("a") HEADER "{\"type\":\"x\"}\n{\"id\":\"y\"}\n");
    round_trip(HEADER CHILD("c", "b") CHILD("b", "a") "junk\n" ROOT("a") CHILD("d", "c")
                   CHILD("f", "e") "\n" CHILD("e", "d"));
    round_trip(HEADER CHILD("a", "c") CHILD("b", "a") CHILD("c", "b") CHILD("x", "x") CHILD("o", "missing"));
    round_trip(HEADER ROOT("a") CHILD("b", "a") ROOT("a") CHILD("b", "a") CHILD("b", "a"));
    static const char padding[] = HEADER "\0\0\0\n" ROOT("a") "\0\0\0\0\0";
    round_trip_bytes(padding, sizeof padding - 1);
    static const char inside[] = HEADER ROOT("a") "\0{\"type\":1}\n";
    round_trip_bytes(inside, sizeof inside - 1);
}

TEST(a_line_of_five_megabytes_comes_back)
{
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_base__buffer_add_text(
                         &text, HEADER ROOT("a") "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"timestamp\":"
                                                 "\"2025-01-01T00:00:01.000Z\",\"x\":\""),
                     0);
    assert_int_equal(xylem_base__buffer_reserve(&text, 5 * 1048576), 0);
    memset(text.data + text.bytes, 'x', 5 * 1048576);
    text.bytes += 5 * 1048576;
    assert_int_equal(xylem_base__buffer_add_text(&text, "\"}\n" CHILD("c", "b")), 0);
    round_trip_bytes(text.data, text.bytes);
    xylem_buffer_release(&text);
}

TEST(nesting_beyond_the_limit_comes_back_from_quarantine)
{
    char text[4096] = HEADER "{\"type\":\"message\",\"id\":\"a\",\"x\":";
    size_t used = strlen(text);
    memset(text + used, '[', 600);
    memset(text + used + 600, ']', 600);
    strcpy(text + used + 1200, "}\n" ROOT("b"));
    round_trip(text);
}
