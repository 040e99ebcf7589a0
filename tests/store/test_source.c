#include <stdio.h>

#include "store/source.h"
#include "tests/lib/one_session.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

static struct xylem_error err;

static const struct xylem_store__displaced displaced[] = {{5, 3}, {6, 2}};

static struct xylem_store__source sample(const char *name)
{
    return (struct xylem_store__source){.name = xylem_view_of(name),
                                        .bytes = 1000,
                                        .lines = 10,
                                        .hash = UINT64_C(0x123456789abcdef0),
                                        .unterminated = true,
                                        .tail = xylem_view_of("{\"torn"),
                                        .tail_bytes = 6,
                                        .displaced = displaced,
                                        .displaced_count = 2};
}

static void write_source(uint64_t owner, struct xylem_store__source *source)
{
    store_builder_must(xylem_store__source_write(builder.txn, owner, source, &err), &err);
}

static int read_source(struct xylem_store__source *source, const char *name)
{
    return xylem_store__source_read(source, builder.txn, session, xylem_view_of(name), &err);
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(a_source_reads_back_as_it_was_written)
{
    struct xylem_store__source source = sample("/a.jsonl");
    struct xylem_store__source read;
    write_source(session, &source);
    assert_int_equal(source.order, 1);
    store_builder_reopen(&builder);
    assert_int_equal(read_source(&read, "/a.jsonl"), 1);
    assert_true(xylem_base__view_is(read.name, "/a.jsonl") && xylem_base__view_is(read.tail, "{\"torn"));
    assert_true(read.order == 1 && read.bytes == 1000 && read.lines == 10 && read.hash == source.hash);
    assert_true(read.unterminated && read.tail_bytes == 6 && read.displaced_count == 2);
    assert_memory_equal(read.displaced, displaced, sizeof displaced);
}

IN_STORE(a_file_that_was_no_source_is_absent)
{
    struct xylem_store__source source = sample("/a.jsonl");
    struct xylem_store__source read;
    assert_int_equal(xylem_store__source_first(&read, builder.txn, session, &err), 0);
    assert_int_equal(read_source(&read, "/a.jsonl"), 0);
    write_source(store_builder_session(&builder, "other"), &source);
    assert_int_equal(read_source(&read, "/a.jsonl"), 0);
    assert_int_equal(xylem_store__source_first(&read, builder.txn, session, &err), 0);
}

IN_STORE(orders_ascend_and_the_first_one_is_found)
{
    static const char *const names[] = {"/z", "/a", "/m"};
    struct xylem_store__source read;
    for (uint64_t i = 0; i < 3; i++) {
        struct xylem_store__source source = sample(names[i]);
        source.lines = 100 + i;
        write_source(session, &source);
        assert_int_equal(source.order, i + 1);
    }
    uint64_t other = store_builder_session(&builder, "other");
    struct xylem_store__source elsewhere = sample("/z");
    write_source(other, &elsewhere);
    assert_int_equal(elsewhere.order, 1);
    assert_int_equal(xylem_store__source_first(&read, builder.txn, session, &err), 1);
    assert_true(xylem_base__view_is(read.name, "/z"));
    assert_true(read.order == 1 && read.lines == 100);
}

IN_STORE(writing_again_replaces_the_row_and_keeps_its_order)
{
    struct xylem_store__source source = sample("/a");
    struct xylem_store__source read;
    write_source(session, &source);
    struct xylem_store__source second = sample("/b");
    write_source(session, &second);
    assert_int_equal(read_source(&read, "/a"), 1);
    read.bytes = 2000;
    read.tail = xylem_view_of("");
    read.tail_bytes = 1u << 30; /* too long to be kept */
    write_source(session, &read);
    assert_int_equal(read_source(&read, "/a"), 1);
    assert_true(read.order == 1 && read.bytes == 2000 && read.tail.bytes == 0 && read.tail_bytes == 1u << 30);
    assert_memory_equal(read.displaced, displaced, sizeof displaced);
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__SOURCES);
    assert_int_equal(rows.count, 2);
    rows_release(&rows);
}

IN_STORE(long_names_are_kept_in_full)
{
    char names[2][1000];
    struct xylem_store__source read;
    for (int i = 0; i < 2; i++) {
        memset(names[i], '/', sizeof names[i]);
        names[i][999] = '\0';
        names[i][998] = (char)('a' + i);
        struct xylem_store__source source = sample(names[i]);
        source.lines = 1 + (uint64_t)i;
        write_source(session, &source);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(read_source(&read, names[i]), 1);
        assert_true(xylem_base__view_is(read.name, names[i]));
        assert_int_equal(read.lines, 1 + i);
    }
}

IN_STORE(a_damaged_row_is_corrupt)
{
    struct xylem_store__source source = sample("/a");
    struct xylem_store__source read;
    write_source(session, &source);
    row_last_set(builder.txn, XYLEM_FORMAT__SOURCES, 14, 1, false);
    assert_int_equal(read_source(&read, "/a"), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_store__source_first(&read, builder.txn, session, &err), XYLEM_E_CORRUPT);
    struct xylem_store__source next = sample("/b");
    assert_int_equal(xylem_store__source_write(builder.txn, session, &next, &err), XYLEM_E_CORRUPT);
}

IN_STORE(a_row_that_cannot_be_is_corrupt_even_with_the_right_sum)
{
    struct xylem_store__source source = sample("/a");
    struct xylem_store__source read;
    write_source(session, &source);
    row_last_set(builder.txn, XYLEM_FORMAT__SOURCES, 6, 0 /* the order */, true);
    assert_int_equal(read_source(&read, "/a"), XYLEM_E_CORRUPT);
    struct row row = row_last(builder.txn, XYLEM_FORMAT__SOURCES);
    row.value.data[6] = 1;
    size_t content = row.value.bytes - XYLEM_FORMAT__SUM_BYTES;
    for (size_t bytes = 0; bytes <= content; bytes++) {
        struct xylem_view view = {row.value.data, bytes};
        assert_int_equal(xylem_store__source_decode(&read, builder.txn, view, &err),
                         bytes == content ? XYLEM_OK : XYLEM_E_CORRUPT);
    }
    struct xylem_view view = {row.value.data, content};
    size_t flags = 4 + 2 + 4 * 8; /* behind the name and four numbers */
    row.value.data[flags] ^= 4;
    assert_int_equal(xylem_store__source_decode(&read, builder.txn, view, &err), XYLEM_E_CORRUPT);
    row.value.data[flags] ^= 4;
    /* More displaced lines than there are bytes. */
    memset(row.value.data + content - sizeof displaced - 4, 0xff, 4);
    assert_int_equal(xylem_store__source_decode(&read, builder.txn, view, &err), XYLEM_E_CORRUPT);
    row_release(&row);
}

/* The known files of the session: `/a 10, /b 0`. */
static void assert_files(const char *expected)
{
    struct xylem_session_files *files;
    struct xylem_session_file file;
    char text[200] = "";
    store_builder_must(xylem_session_files_new(&files, builder.txn, session, &err), &err);
    while (store_builder_must(xylem_session_files_next(&file, files, &err), &err) == 1) {
        size_t bytes = strlen(text);
        snprintf(text + bytes, sizeof text - bytes, "%s%.*s %llu", bytes > 0 ? ", " : "", (int)file.path.bytes,
                 file.path.data, (unsigned long long)file.bytes);
    }
    xylem_session_files_free(files);
    assert_string_equal(text, expected);
}

static int note(const char *name)
{
    return store_builder_must(xylem_store__source_note(builder.txn, session, xylem_view_of(name), &err), &err);
}

IN_STORE(a_noted_file_is_known_and_has_no_place_among_the_imported_files)
{
    struct xylem_store__source read;
    struct xylem_store__source second = sample("/b");
    struct xylem_store__source third = sample("/a");
    uint64_t count = 7;
    assert_files("");
    assert_int_equal(note("/a"), 1);
    assert_int_equal(note("/c"), 1);
    assert_int_equal(note("/a"), 0);
    assert_files("/a 0, /c 0");
    assert_int_equal(read_source(&read, "/a"), 0);
    assert_int_equal(xylem_store__source_first(&read, builder.txn, session, &err), 0);
    store_builder_must(xylem_store__source_count(&count, builder.txn, session, &err), &err);
    assert_int_equal(count, 0);
    write_source(session, &second);
    assert_int_equal(second.order, 1);
    write_source(session, &third); /* takes the place of the note */
    assert_int_equal(third.order, 2);
    assert_int_equal(note("/a"), 0);
    assert_int_equal(note("/b"), 0);
    assert_files("/a 1000, /b 1000, /c 0");
    assert_int_equal(xylem_store__source_first(&read, builder.txn, session, &err), 1);
    assert_true(xylem_base__view_is(read.name, "/b"));
}

IN_STORE(the_files_of_another_session_are_not_listed)
{
    struct xylem_session_files *files = NULL;
    uint64_t other = store_builder_session(&builder, "other");
    store_builder_must(xylem_store__source_note(builder.txn, other, xylem_view_of("/other"), &err), &err);
    assert_files("");
    assert_int_equal(note("/mine"), 1);
    assert_files("/mine 0");
    assert_int_equal(xylem_session_files_new(&files, builder.txn, other + 1, &err), XYLEM_E_NOT_FOUND);
    assert_null(files);
    xylem_session_files_free(NULL);
}

IN_STORE(a_damaged_row_ends_the_list_of_files)
{
    struct xylem_session_files *files;
    struct xylem_session_file file;
    assert_int_equal(note("/a"), 1);
    row_last_set(builder.txn, XYLEM_FORMAT__SOURCES, 4, '?', false);
    assert_int_equal(xylem_store__source_note(builder.txn, session, xylem_view_of("/a"), &err), XYLEM_E_CORRUPT);
    store_builder_must(xylem_session_files_new(&files, builder.txn, session, &err), &err);
    assert_int_equal(xylem_session_files_next(&file, files, &err), XYLEM_E_CORRUPT);
    xylem_session_files_free(files);
}

IN_STORE(a_noted_file_with_anything_beside_its_name_is_corrupt)
{
    struct xylem_store__source read;
    assert_int_equal(note("/a"), 1);
    struct row row = row_last(builder.txn, XYLEM_FORMAT__SOURCES);
    struct xylem_view view = {row.value.data, row.value.bytes - XYLEM_FORMAT__SUM_BYTES};
    size_t order = 4 + 2;
    assert_int_equal(xylem_store__source_decode(&read, builder.txn, view, &err), XYLEM_OK);
    for (size_t at = order + 8; at < view.bytes; at++) { /* behind the name and the order */
        row.value.data[at] = 1;
        assert_int_equal(xylem_store__source_decode(&read, builder.txn, view, &err), XYLEM_E_CORRUPT);
        row.value.data[at] = 0;
    }
    struct xylem_buffer growth = {NULL, 0, 0};
    copy_bytes(&growth, view.data, view.bytes);
    for (size_t i = 0; i < 96; i++) {
        copy_bytes(&growth, "", 1);
    }
    assert_int_equal(xylem_store__source_decode(&read, builder.txn, view_of(&growth), &err), XYLEM_E_CORRUPT);
    xylem_buffer_release(&growth);
    row_release(&row);
}

IN_STORE(a_transaction_that_reads_writes_none)
{
    struct xylem_txn *reader = NULL;
    struct xylem_store__source source = sample("/a");
    store_builder_commit(&builder);
    assert_int_equal(xylem_begin(&reader, builder.store, XYLEM_READ, NULL), XYLEM_OK);
    assert_int_equal(xylem_store__source_write(reader, session, &source, &err), XYLEM_E_READ_ONLY);
    xylem_abort(reader);
}
