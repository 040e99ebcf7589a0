/* Formats 1 and 2 become format 3 as pi migrates them. */
#include "tests/lib/test.h"
#include "tests/travel/jsonl/sandbox.h"

#include "base/json.h"
#include "travel/jsonl/index.h"
#include "travel/jsonl/migrate.h"

#define SPECIALS "fixtures/sessions/pi-0.87.1/specials/"
#define V1 "{\"type\":\"session\",\"id\":\"s\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/home\"}\n"
#define V1_AFTER \
    "{\"type\":\"session\",\"id\":\"s\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/home\",\"version\":3}\n"

#define PLAIN "{\"type\":\"x\"}"

/* The id of a line, by the rule that is documented. */
static const char *minted(uint64_t line_number, const char *line)
{
    static char ids[4][XYLEM_JSONL__MINTED_BYTES + 1];
    static unsigned next;
    char *id = ids[next++ % 4];
    char text[1024];
    snprintf(text, sizeof text, "s%d%s", (int)line_number, line);
    char hex[17];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)xylem_format__hash(xylem_view_of(text)));
    memcpy(id, hex, XYLEM_JSONL__MINTED_BYTES);
    return id;
}

static struct xylem_view next_line(struct xylem_view *text)
{
    const char *newline = memchr(text->data, '\n', text->bytes);
    struct xylem_view line = {text->data, newline ? (size_t)(newline - text->data) + 1 : text->bytes};
    text->data += line.bytes;
    text->bytes -= line.bytes;
    return line;
}

/* Puts pi's ids in the place of the minted ones, line by line. */
static void map_ids(struct xylem_buffer *ours, const struct xylem_buffer *theirs)
{
    struct xylem_base__tree tree = {0};
    struct xylem_view left = xylem_base__buffer_view(ours);
    struct xylem_view right = xylem_base__buffer_view(theirs);
    next_line(&left);
    next_line(&right);
    while (left.bytes > 0 && right.bytes > 0) {
        char our_id[9] = "";
        char their_id[9] = "";
        assert_int_equal(xylem_base__json_parse(&tree, next_line(&left), NULL), XYLEM_OK);
        memcpy(our_id, xylem_value_string(xylem_value_get(tree.nodes, "id")).data, 8);
        assert_int_equal(xylem_base__json_parse(&tree, next_line(&right), NULL), XYLEM_OK);
        memcpy(their_id, xylem_value_string(xylem_value_get(tree.nodes, "id")).data, 8);
        for (char *at = strstr(ours->data, our_id); at; at = strstr(at, our_id)) {
            memcpy(at, their_id, 8);
            at += 8;
        }
    }
    xylem_base__tree_release(&tree);
}

static void migration_gives(const char *before, const char *after, int version)
{
    struct sandbox sandbox;
    struct xylem_buffer out = {0};
    struct xylem_buffer expected = {0};
    sandbox_open(&sandbox);
    if (sandbox_import_path(&sandbox, before) < 0) {
        fail_msg("%s", sandbox.err.text);
    }
    assert_int_equal(sandbox.report.version, version);
    assert_int_equal(sandbox.report.problem_count, 0);
    sandbox_export_of(&out, &sandbox, sandbox.report.session_id, false);
    sandbox_read_file(&expected, after);
    if (version == 1) {
        map_ids(&out, &expected);
    }
    assert_same_bytes(out.data, out.bytes, expected.data, expected.bytes);
    assert_int_equal(sandbox_import_path(&sandbox, before), XYLEM_OK);
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 0);
    xylem_buffer_release(&out);
    xylem_buffer_release(&expected);
    sandbox_close(&sandbox);
}

TEST(files_are_migrated_as_pi_migrates_them)
{
    migration_gives(SPECIALS "legacy-v1.before.jsonl", SPECIALS "legacy-v1.after.jsonl", 1);
    migration_gives(SPECIALS "legacy-v2.before.jsonl", SPECIALS "legacy-v2.after.jsonl", 2);
}

TEST(minted_ids_are_those_of_the_rule)
{
    struct sandbox sandbox;
    char ids[64];
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", V1 "{\"type\":\"x\",\"n\":1}\n\n{\"type\":\"x\",\"n\":2}\n");
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 2, 0, 1, 1);
    snprintf(ids, sizeof ids, "%s %s ", minted(2, "{\"type\":\"x\",\"n\":1}"), minted(4, "{\"type\":\"x\",\"n\":2}"));
    char path[64];
    snprintf(path, sizeof path, "%s %s ", minted(4, "{\"type\":\"x\",\"n\":2}"), minted(2, "{\"type\":\"x\",\"n\":1}"));
    assert_ids(&sandbox, ids, path);
    sandbox_take(&sandbox, "f", V1 "{\"type\":\"x\",\"n\":1}\n\n{\"type\":\"x\",\"n\":2}\n{\"type\":\"x\"}\n");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 2, 0, 0);
    sandbox_close(&sandbox);
}

/* A file of format 1 whose lines are a plain entry, what is given, and the compaction `compaction`. */
static void expect_compaction(const char *between, const char *compaction, uint64_t compaction_line,
                              const char *members, const char *kept_id)
{
    struct sandbox sandbox;
    struct xylem_buffer text = {0};
    struct xylem_buffer expected = {0};
    struct xylem_buffer out = {0};
    sandbox_open(&sandbox);
    xylem_base__buffer_add_format(&text, "%s%s\n%s%s\n", V1, PLAIN, between, compaction);
    sandbox_take(&sandbox, "f", text.data);
    sandbox_export_of(&out, &sandbox, "s", false);
    xylem_base__buffer_add_format(&expected, "{\"type\":\"compaction\"%s,\"id\":\"%s\",\"parentId\":\"%s\"", members,
                                  minted(compaction_line, compaction), minted(2, PLAIN));
    if (kept_id) {
        xylem_base__buffer_add_format(&expected, ",\"firstKeptEntryId\":\"%s\"", kept_id);
    }
    assert_int_equal(xylem_base__buffer_add_text(&expected, "}\n"), 0);
    if (!strstr(out.data, expected.data)) {
        fail_msg("expected %sin %s", expected.data, out.data);
    }
    assert_memory_equal(out.data, V1_AFTER, strlen(V1_AFTER));
    xylem_buffer_release(&text);
    xylem_buffer_release(&expected);
    xylem_buffer_release(&out);
    sandbox_close(&sandbox);
}

#define COMPACTION(index) "{\"type\":\"compaction\",\"firstKeptEntryIndex\":" index ",\"n\":1}"

TEST(a_compaction_names_the_first_kept_entry_by_its_id)
{
    expect_compaction("", COMPACTION("1"), 3, ",\"n\":1", minted(2, PLAIN));
    expect_compaction("", COMPACTION("2"), 3, ",\"n\":1", minted(3, COMPACTION("2"))); /* itself */
    /* Lines that cannot be parsed are not counted. */
    expect_compaction("\njunk\n", COMPACTION("2"), 5, ",\"n\":1", minted(5, COMPACTION("2")));
    expect_compaction("\njunk\n", COMPACTION("1"), 5, ",\"n\":1", minted(2, PLAIN));
}

TEST(a_compaction_that_keeps_no_entry_names_none)
{
    expect_compaction("", COMPACTION("0"), 3, ",\"n\":1", NULL); /* the header */
    expect_compaction("", COMPACTION("3"), 3, ",\"n\":1", NULL);
    expect_compaction("", COMPACTION("-1"), 3, ",\"n\":1", NULL);
    expect_compaction("", COMPACTION("1.5"), 3, ",\"n\":1", NULL);
    expect_compaction("{\"notype\":1}\n", COMPACTION("2"), 4, ",\"n\":1", NULL); /* a line in quarantine */
    expect_compaction("", COMPACTION("\"1\""), 3, ",\"firstKeptEntryIndex\":\"1\",\"n\":1", NULL); /* no number */
}

TEST(members_that_are_there_are_replaced_where_they_stand)
{
    struct sandbox sandbox;
    struct xylem_buffer expected = {0};
    const char *first = "{\"id\":\"old\",\"type\":\"x\",\"parentId\":\"old\",\"m\":[1.0]}";
    const char *second = "{\"type\":\"message\",\"message\":{\"a\":1,\"role\":\"hookMessage\",\"b\":2}}";
    sandbox_open(&sandbox);
    xylem_base__buffer_add_format(&expected, "{\"type\":\"session\",\"version\":1,\"id\":\"s\"}\n%s\n%s\n", first,
                                  second);
    sandbox_take(&sandbox, "f", expected.data);
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 2, 0, 0, 0);
    xylem_base__buffer_clear(&expected);
    xylem_base__buffer_add_format(
        &expected,
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n"
        "{\"id\":\"%s\",\"type\":\"x\",\"parentId\":null,\"m\":[1.0]}\n"
        "{\"type\":\"message\",\"message\":{\"a\":1,\"role\":\"custom\",\"b\":2},\"id\":\"%s\","
        "\"parentId\":\"%s\"}\n",
        minted(2, first), minted(3, second), minted(2, first));
    assert_export_text(&sandbox, false, expected.data);
    xylem_buffer_release(&expected);
    sandbox_close(&sandbox);
}

TEST(a_line_of_format_2_changes_only_a_hook_s_role)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f",
                 "{\"type\":\"session\",\"version\":2,\"id\":\"s\"}\n"
                 "{\"type\":\"message\",\"id\":\"a\",\"message\":{\"role\":\"user\",\"x\":\"hookMessage\"}}\n"
                 "{\"type\":\"message\",\"id\":\"b\",\"message\":\"hookMessage\"}\n"
                 "{\"type\":\"other\",\"id\":\"c\",\"message\":{\"role\":\"hookMessage\"}}\n"
                 "{\"type\":\"compaction\",\"id\":\"d\",\"firstKeptEntryIndex\":1}\n"
                 "{\"type\":\"message\",\"id\":\"e\",\"message\":{\"role\":\"hookMessage\"}}\n");
    assert_export_text(&sandbox, false,
                       "{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n"
                       "{\"type\":\"message\",\"id\":\"a\",\"message\":{\"role\":\"user\",\"x\":\"hookMessage\"}}\n"
                       "{\"type\":\"message\",\"id\":\"b\",\"message\":\"hookMessage\"}\n"
                       "{\"type\":\"other\",\"id\":\"c\",\"message\":{\"role\":\"hookMessage\"}}\n"
                       "{\"type\":\"compaction\",\"id\":\"d\",\"firstKeptEntryIndex\":1}\n"
                       "{\"type\":\"message\",\"id\":\"e\",\"message\":{\"role\":\"custom\"}}\n");
    sandbox_close(&sandbox);
}

/* Of 200,000 ids of 32 bits some are the same: the later line then gets another one, the same each time. */
TEST(a_minted_id_that_is_taken_is_minted_again)
{
    enum { LINES = 200000 };
    struct sandbox sandbox;
    struct xylem_buffer text = {0};
    sandbox_open(&sandbox);
    assert_int_equal(xylem_base__buffer_add_text(&text, V1), 0);
    for (int i = 0; i < LINES; i++) {
        assert_int_equal(xylem_base__buffer_add_text(&text, PLAIN "\n"), 0);
    }
    sandbox_write(&sandbox, "f", text.data, text.bytes);
    char path[512];
    struct xylem_jsonl__file file;
    sandbox_path(path, &sandbox, "f");
    assert_int_equal(xylem_jsonl__file_open(&file, path, NULL), XYLEM_OK);
    struct xylem_jsonl__index index = {.file = &file,
                                       .version = 1,
                                       .session_id = xylem_view_of("s"),
                                       .hash = xylem_format__hash,
                                       .first_offset = strlen(V1)};
    assert_int_equal(xylem_jsonl__index_build(&index, NULL), XYLEM_OK);
    int again = 0;
    for (uint32_t row = 0; row < LINES; row++) {
        unsigned row_state = xylem_jsonl__index_row(&index, row)->state;
        struct xylem_jsonl__id id;
        uint32_t found;
        assert_int_equal(row_state & XYLEM_JSONL__PROBLEM_MASK, 0);
        if (row_state >> XYLEM_JSONL__ATTEMPT_SHIFT > 0) {
            again++;
            assert_int_equal(xylem_jsonl__index_id(&id, &index, row, NULL), XYLEM_OK);
            assert_int_equal(xylem_jsonl__index_find(&found, &index, xylem_jsonl__id_view(&id), NULL), 1);
            assert_int_equal(found, row);
        }
    }
    assert_true(again > 0);
    xylem_jsonl__index_release(&index);
    xylem_jsonl__file_close(&file);
    xylem_buffer_release(&text);
    sandbox_close(&sandbox);
}
