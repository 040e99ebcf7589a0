/* The first pass: which line is whose parent, also when hashes collide. */
#include "tests/lib/test.h"
#include "tests/travel/jsonl/sandbox.h"

#include "travel/jsonl/index.h"

struct indexed {
    struct sandbox sandbox;
    struct xylem_jsonl__file file;
    struct xylem_jsonl__index index;
};

static uint64_t same_for_all(struct xylem_view bytes)
{
    (void)bytes;
    return UINT64_MAX;
}

static uint64_t one_of_three(struct xylem_view bytes)
{
    return xylem_format__hash(bytes) % 3;
}

static void build(struct indexed *indexed, const char *text, int version, uint64_t (*hash)(struct xylem_view))
{
    char path[512];
    memset(indexed, 0, sizeof *indexed);
    sandbox_open(&indexed->sandbox);
    sandbox_write_text(&indexed->sandbox, "f", text);
    sandbox_path(path, &indexed->sandbox, "f");
    assert_int_equal(xylem_jsonl__file_open(&indexed->file, path, NULL), XYLEM_OK);
    indexed->index.file = &indexed->file;
    indexed->index.version = version;
    indexed->index.session_id = xylem_view_of("s");
    indexed->index.hash = hash;
    indexed->index.first_offset = (uint64_t)(strchr(text, '\n') - text) + 1;
    struct xylem_error err = {0};
    if (xylem_jsonl__index_build(&indexed->index, &err) < 0) {
        fail_msg("%s", err.text);
    }
}

static void drop(struct indexed *indexed)
{
    xylem_jsonl__index_release(&indexed->index);
    xylem_jsonl__file_close(&indexed->file);
    sandbox_close(&indexed->sandbox);
}

static void expect_row(const struct indexed *indexed, uint32_t number, int problem, int64_t parent, bool orphan)
{
    const struct xylem_jsonl__row *row = xylem_jsonl__index_row(&indexed->index, number);
    assert_int_equal((int)(row->state & XYLEM_JSONL__PROBLEM_MASK) - 1, problem);
    assert_int_equal(row->parent == XYLEM_JSONL__NO_ROW ? -1 : (int64_t)row->parent, parent);
    assert_int_equal((row->state & XYLEM_JSONL__ORPHAN) != 0, orphan);
}

#define TREE HEADER CHILD("b", "a") ROOT("a") "junk\n" CHILD("c", "b") CHILD("a", "c") CHILD("d", "missing")

static void check_tree(uint64_t (*hash)(struct xylem_view))
{
    struct indexed indexed;
    uint32_t row;
    build(&indexed, TREE, 3, hash);
    assert_int_equal(indexed.index.row_count, 6);
    expect_row(&indexed, 0, -1, 4, false); /* the last line of an id is meant */
    expect_row(&indexed, 1, XYLEM_IMPORT_DUPLICATE, -1, false);
    expect_row(&indexed, 2, XYLEM_IMPORT_NOT_JSON, -1, false);
    expect_row(&indexed, 3, -1, 0, false);
    expect_row(&indexed, 4, -1, 3, false);
    expect_row(&indexed, 5, -1, -1, true);
    assert_int_equal(xylem_jsonl__index_find(&row, &indexed.index, xylem_view_of("a"), NULL), 1);
    assert_int_equal(row, 4);
    assert_int_equal(xylem_jsonl__index_find(&row, &indexed.index, xylem_view_of("missing"), NULL), 0);
    assert_int_equal(xylem_jsonl__index_find(&row, &indexed.index, xylem_view_of(""), NULL), 0);
    drop(&indexed);
}

TEST(parents_are_found_among_the_lines_of_the_file)
{
    check_tree(xylem_format__hash);
}

TEST(ids_of_the_same_hash_are_kept_apart)
{
    check_tree(same_for_all);
    check_tree(one_of_three);
}

TEST(a_torn_line_is_no_row)
{
    struct indexed indexed;
    build(&indexed, HEADER ROOT("a") "{\"type\":\"x\",\"id\":\"b\"", 3, xylem_format__hash);
    assert_int_equal(indexed.index.row_count, 1);
    assert_int_equal(indexed.index.end_offset, strlen(HEADER ROOT("a")));
    assert_false(indexed.index.unterminated);
    drop(&indexed);
    build(&indexed, HEADER ROOT("a") "  ", 3, xylem_format__hash);
    assert_int_equal(indexed.index.row_count, 1);
    drop(&indexed);
    build(&indexed, HEADER ROOT_LINE("a"), 3, xylem_format__hash);
    assert_int_equal(indexed.index.row_count, 1);
    assert_true(indexed.index.unterminated);
    drop(&indexed);
}

#define OLD_HEADER "{\"type\":\"session\",\"id\":\"s\"}\n"

/* Where every hash is the same, only truly equal minted ids make it mint again: there are none here. */
TEST(minted_ids_differ_and_follow_the_line)
{
    struct indexed indexed;
    struct xylem_jsonl__id first;
    struct xylem_jsonl__id second;
    uint32_t row;
    build(&indexed, OLD_HEADER "{\"type\":\"x\"}\n\njunk\n{\"type\":\"x\"}\n", 1, same_for_all);
    assert_int_equal(indexed.index.row_count, 4);
    expect_row(&indexed, 0, -1, -1, false);
    expect_row(&indexed, 1, XYLEM_IMPORT_BLANK, 0, false);
    expect_row(&indexed, 3, -1, 0, false); /* the entry before it, whatever lies between */
    assert_int_equal(xylem_jsonl__index_id(&first, &indexed.index, 0, NULL), XYLEM_OK);
    assert_int_equal(xylem_jsonl__index_id(&second, &indexed.index, 3, NULL), XYLEM_OK);
    assert_int_equal(first.bytes, 8);
    assert_memory_not_equal(first.data, second.data, 8);
    assert_int_equal(xylem_jsonl__index_find(&row, &indexed.index, xylem_jsonl__id_view(&second), NULL), 1);
    assert_int_equal(row, 3);
    assert_true(xylem_jsonl__index_nth_parsed(&row, &indexed.index, 2)); /* 0 is the header, 1 the first entry */
    assert_int_equal(row, 3);
    assert_false(xylem_jsonl__index_nth_parsed(&row, &indexed.index, 3));
    assert_false(xylem_jsonl__index_nth_parsed(&row, &indexed.index, 0));
    drop(&indexed);
}

TEST(an_index_of_many_chunks_is_whole)
{
    struct indexed indexed;
    struct xylem_buffer text = {0};
    const uint32_t lines = 33 * XYLEM_JSONL__ROWS_PER_CHUNK + 10; /* the list of chunks doubles more than once */
    assert_int_equal(xylem_base__buffer_add_text(&text, HEADER), 0);
    for (uint32_t i = 0; i < lines; i++) {
        assert_int_equal(xylem_base__buffer_add_format(&text, "{\"type\":\"x\",\"id\":\"i%u\",\"parentId\":\"i%u\"}\n",
                                                       (unsigned)i, (unsigned)(lines - 1 - i)),
                         0);
    }
    build(&indexed, text.data, 3, xylem_format__hash);
    assert_int_equal(indexed.index.row_count, lines);
    for (uint32_t i = 0; i < lines; i++) {
        expect_row(&indexed, i, -1, lines - 1 - i, false);
    }
    drop(&indexed);
    xylem_buffer_release(&text);
}

TEST(a_short_file_takes_a_small_index)
{
    struct indexed indexed;
    build(&indexed, TREE, 3, xylem_format__hash);
    size_t row_bytes = indexed.index.chunk_count * XYLEM_JSONL__ROWS_PER_CHUNK * sizeof **indexed.index.chunks;
    assert_true(row_bytes + indexed.index.slot_count * sizeof *indexed.index.slots <= 64 * 1024);
    drop(&indexed);
}

/* What a long line took is given back, and a buffer for it has no room to spare. */
TEST(a_long_line_is_not_paid_for_twice)
{
    struct indexed indexed;
    struct xylem_buffer text = {0};
    const size_t long_bytes = 3 * XYLEM_JSONL__KEPT_BYTES;
    assert_int_equal(xylem_base__buffer_add_text(&text, HEADER "{\"type\":\"x\",\"id\":\"a\",\"x\":\"\\n"), 0);
    assert_int_equal(xylem_base__buffer_reserve(&text, long_bytes), 0);
    memset(text.data + text.bytes, 'x', long_bytes);
    text.bytes += long_bytes;
    assert_int_equal(xylem_base__buffer_add_text(&text, "\"}\n{\"type\":\"x\",\"id\":\"b\"}\n"), 0);
    build(&indexed, text.data, 3, xylem_format__hash);
    assert_int_equal(indexed.index.near.capacity, 0);
    assert_int_equal(indexed.index.parser.tree.string_capacity, 0);
    struct xylem_jsonl__id id;
    assert_int_equal(xylem_jsonl__index_id(&id, &indexed.index, 0, NULL), XYLEM_OK);
    assert_true(indexed.index.far.capacity > long_bytes);
    xylem_jsonl__index_trim(&indexed.index);
    assert_int_equal(indexed.index.far.capacity, 0);
    assert_int_equal(indexed.index.far.step_bytes, 4096);
    struct xylem_jsonl__parser parser = {0};
    struct xylem_jsonl__entry entry;
    enum xylem_import_problem_type problem;
    bool same;
    struct xylem_view line = {text.data + strlen(HEADER), strcspn(text.data + strlen(HEADER), "\n")};
    assert_int_equal(xylem_jsonl__line_read(&entry, &problem, &parser, line, false, NULL), 1);
    assert_int_equal(xylem_jsonl__line_payload(&entry, &parser, NULL), 1);
    assert_int_equal(xylem_jsonl__line_check(&same, &entry, NULL, &parser, line, NULL), XYLEM_OK);
    assert_in_range(parser.payload.capacity, long_bytes, line.bytes + 1);
    assert_true(parser.rendered.capacity > long_bytes);
    xylem_jsonl__parser_trim(&parser);
    assert_int_equal(parser.payload.capacity + parser.rendered.capacity + parser.tree.string_capacity, 0);
    xylem_jsonl__parser_release(&parser);
    xylem_buffer_release(&text);
    drop(&indexed);
}
