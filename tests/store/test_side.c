/* Entries that are lines of another host, and the rows beside them. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "store/format/keys.h"
#include "store/redact.h"
#include "store/side.h"
#include "tests/lib/host_lines.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"
#include "xylem/append.h"
#include "xylem/care.h"
#include "xylem/feed.h"
#include "xylem/inspect.h"
#include "xylem/redact.h"

static struct xylem_error err;

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)
#define LINE "{\"text\":\"hello\",\"promptId\":\"<7>\",\"sessionId\":\"<#A>\"}"

static struct xylem_entry entry_at(struct xylem_position at)
{
    struct xylem_entry entry;
    store_builder_must(xylem_entry_read(&entry, builder.txn, at, &err), &err);
    return entry;
}

static void assert_line(uint64_t session, struct xylem_position at, const char *expected)
{
    struct xylem_buffer line = {NULL, 0, 0};
    struct xylem_entry entry = entry_at(at);
    store_builder_must(xylem_line_write(&line, builder.txn, session, &entry, &err), &err);
    assert_string_equal(line.data, expected);
    xylem_buffer_release(&line);
}

static size_t side_count(void)
{
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__SIDES);
    size_t count = rows.count;
    rows_release(&rows);
    return count;
}

static uint64_t problems(void)
{
    struct xylem_verify_report verified;
    store_builder_must(xylem_verify(&verified, builder.txn, NULL, NULL, NULL, &err), &err);
    return verified.problem_count;
}

/* --- Lines -------------------------------------------------------------------------------------------------------- */

IN_STORE(a_line_comes_back_and_has_the_check_of_its_text_alone)
{
    uint64_t a = store_builder_session(&builder, "A");
    uint64_t b = store_builder_session(&builder, "B");
    struct xylem_position first = host_line_add(&builder, a, "1", "user", LINE);
    struct xylem_position second =
        host_line_add(&builder, b, "1", "user", "{\"text\":\"hello\",\"promptId\":\"<8>\",\"sessionId\":\"<#B>\"}");
    assert_line(a, first, "{\"text\":\"hello\",\"promptId\":\"7\",\"sessionId\":\"A\"}");
    assert_line(b, second, "{\"text\":\"hello\",\"promptId\":\"8\",\"sessionId\":\"B\"}");
    assert_int_equal(entry_at(first).check, entry_at(second).check);
    assert_int_equal(entry_at(first).format, XYLEM_FORMAT_LINE);
    host_line_add(&builder, a, "2", "user", LINE);
    assert_int_equal(problems(), 0);
}

IN_STORE(the_document_of_a_line_has_its_values_but_no_sessions_id)
{
    uint64_t a = store_builder_session(&builder, "A");
    struct xylem_entry entry = entry_at(host_line_add(&builder, a, "1", "user", LINE));
    struct xylem_document *document;
    struct xylem_buffer json = {NULL, 0, 0};
    store_builder_must(xylem_document_new(&document, &entry, &err), &err);
    store_builder_must(xylem_value_json(&json, xylem_document_value(document)), &err);
    assert_string_equal(json.data, "{\"text\":\"hello\",\"promptId\":\"7\",\"sessionId\":\"\"}");
    xylem_document_free(document);
    xylem_buffer_release(&json);
    store_builder_must(xylem_entry_describe(&json, builder.txn, &entry, 0, &err), &err);
    assert_non_null(strstr(json.data, "\"format\":\"line\""));
    assert_non_null(strstr(json.data, "\"payload\":{\"text\":\"hello\",\"promptId\":\"7\",\"sessionId\":\"\"}"));
    xylem_buffer_release(&json);
    store_builder_must(xylem_entry_imported_line(&json, &entry, &err), &err);
    assert_int_equal(json.bytes, 0);
    assert_int_equal(xylem_entry_json(&json, builder.txn, &entry, &err), XYLEM_E_MALFORMED);
    assert_non_null(strstr(err.text, "a session file of pi cannot have it"));
    xylem_buffer_release(&json);
}

static int append(uint64_t session, const char *marked, enum xylem_class kind_class)
{
    struct host_line line;
    host_line_make(&line, marked);
    struct xylem_new_entry entry = host_line_entry(&line, "id", "user");
    entry.kind.kind_class = kind_class;
    int code = xylem_append(NULL, builder.txn, session, &entry, 1, NULL, &err);
    host_line_release(&line);
    return code;
}

IN_STORE(what_is_no_line_with_an_object_is_refused)
{
    uint64_t a = store_builder_session(&builder, "A");
    assert_int_equal(append(a, LINE, XYLEM_CLASS_CUSTOM), XYLEM_E_ARGUMENT);
    assert_int_equal(append(a, "{\"a\":1", XYLEM_CLASS_HOST), XYLEM_E_MALFORMED);
    assert_int_equal(append(a, "[1]", XYLEM_CLASS_HOST), XYLEM_E_MALFORMED);
    assert_int_equal(append(a, "{\"a\":\n1}", XYLEM_CLASS_HOST), XYLEM_E_MALFORMED);
    assert_non_null(strstr(err.text, "entry 1 of 1: its line is refused: it has a newline"));
    assert_int_equal(append(a, "{\"sessionId\":<#A>}", XYLEM_CLASS_HOST), XYLEM_E_MALFORMED); /* {"sessionId":} */
    struct host_line line;
    host_line_make(&line, LINE);
    struct xylem_new_entry entry = host_line_entry(&line, "id", "user");
    entry.form = NULL;
    assert_int_equal(xylem_append(NULL, builder.txn, a, &entry, 1, NULL, &err), XYLEM_E_ARGUMENT);
    assert_non_null(strstr(err.text, "its line needs a form"));
    line.holes[1].offset = line.text.bytes + 1;
    entry.form = &line.form;
    assert_int_equal(xylem_append(NULL, builder.txn, a, &entry, 1, NULL, &err), XYLEM_E_ARGUMENT);
    host_line_release(&line);
    assert_int_equal(append(a, "{\"type\":\"t\",\"id\":\"x\",\"parentId\":null,\"timestamp\":1}", XYLEM_CLASS_HOST), 0);
}

IN_STORE(a_line_is_the_same_if_text_and_places_of_holes_are)
{
    uint64_t a = store_builder_session(&builder, "A");
    struct xylem_position at = host_line_add(&builder, a, "1", "user", LINE);
    static const struct {
        const char *marked;
        int same;
    } lines[] = {
        {LINE, 1},
        {"{\"text\":\"hello\",\"promptId\":\"<>\",\"sessionId\":\"<another>\"}", 1},
        {"{\"text\":\"hallo\",\"promptId\":\"<7>\",\"sessionId\":\"<#A>\"}", 0},
        {"{\"text\":\"hello\",\"promptId\":\"7\",\"sessionId\":\"<#A>\"}", 0},
        {"{\"text\":\"hello\",\"promptId\":\"\",\"sessionId\":\"\"}", 0},
        {"{\"text\":\"<hello>\",\"promptId\":\"<7>\",\"sessionId\":\"<#A>\"}", 0},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct host_line line;
        struct xylem_entry entry = entry_at(at);
        host_line_make(&line, lines[i].marked);
        assert_int_equal(xylem_line_same(&entry, xylem_base__buffer_view(&line.text), &line.form, &err), lines[i].same);
        line.form.dialect++;
        assert_int_equal(xylem_line_same(&entry, xylem_base__buffer_view(&line.text), &line.form, &err), 0);
        line.form.dialect = 256;
        assert_int_equal(xylem_line_same(&entry, xylem_base__buffer_view(&line.text), &line.form, &err),
                         XYLEM_E_ARGUMENT);
        host_line_release(&line);
    }
    struct xylem_entry other = entry_at(store_builder_add(&builder, a, NULL, "message", "{\"x\":1}"));
    struct host_line line;
    host_line_make(&line, "{\"x\":1}");
    assert_int_equal(xylem_line_same(&other, xylem_base__buffer_view(&line.text), &line.form, &err), 0);
    host_line_release(&line);
    struct xylem_buffer out = {NULL, 0, 0};
    assert_int_equal(xylem_line_write(&out, builder.txn, a, &other, &err), XYLEM_E_ARGUMENT);
}

#define SHARED(value) "{\"text\":\"hello\",\"promptId\":\"<" value ">\",\"sessionId\":\"<#B>\"}"

IN_STORE(a_fork_has_its_own_values_in_a_line_that_it_shares)
{
    uint64_t a = store_builder_session(&builder, "A");
    struct xylem_position at = host_line_add(&builder, a, "1", "user", LINE);
    uint64_t b = store_builder_clone(&builder, a, "B");
    assert_int_equal(host_line_share(&builder, b, at, SHARED("7"), &err), 0); /* nothing but the id is another */
    assert_int_equal(side_count(), 0);
    assert_int_equal(host_line_share(&builder, b, at, SHARED("8\n8"), &err), XYLEM_E_MALFORMED);
    assert_non_null(strstr(err.text, "the values do not fit the holes of entry 1: it has a newline"));
    assert_int_equal(host_line_share(&builder, b, at, SHARED("\""), &err), XYLEM_E_MALFORMED);
    assert_int_equal(host_line_share(&builder, b, at, SHARED("88"), &err), 1);
    assert_line(b, at, "{\"text\":\"hello\",\"promptId\":\"88\",\"sessionId\":\"B\"}");
    assert_line(a, at, "{\"text\":\"hello\",\"promptId\":\"7\",\"sessionId\":\"A\"}");
    assert_int_equal(host_line_share(&builder, b, at, SHARED("88"), &err), 0);
    assert_int_equal(host_line_share(&builder, b, at, SHARED("9"), &err), XYLEM_E_EXISTS);
    assert_int_equal(host_line_share(&builder, a, at, SHARED("9"), &err), XYLEM_E_NOT_FOUND); /* its own */
    assert_int_equal(host_line_share(&builder, b, at, "{\"text\":\"other\"}", &err), XYLEM_E_MALFORMED);
    struct xylem_position beyond = host_line_add(&builder, a, "2", "user", LINE);
    struct xylem_entry entry = entry_at(beyond);
    struct xylem_buffer line = {NULL, 0, 0};
    assert_int_equal(host_line_share(&builder, b, beyond, SHARED("9"), &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_line_write(&line, builder.txn, b, &entry, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_line_write(&line, builder.txn, 99, &entry, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(problems(), 0);
}

IN_STORE(values_have_the_limit_of_a_line)
{
    uint64_t a = store_builder_session(&builder, "A");
    struct xylem_position at = host_line_add(&builder, a, "1", "user", LINE);
    struct xylem_session row = store_builder_read(&builder, a);
    struct xylem_entry entry;
    const struct xylem_side side = {
        .type = XYLEM_SIDE_VALUES, .position = at, .values = {"", XYLEM_LINE_BYTES_MAX + 1u}};
    assert_int_equal(xylem_store__side_check(&entry, builder.txn, &row, &side, &err), XYLEM_E_LIMIT);
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

static int add(uint64_t session, struct xylem_side side)
{
    return xylem_side_add(NULL, builder.txn, session, &side, &err);
}

IN_STORE(a_row_reads_back_under_the_lsn_of_its_change)
{
    uint64_t a = store_builder_session(&builder, "A");
    uint64_t lsn = host_record_add(&builder, a, "a record");
    struct xylem_position at = host_line_add(&builder, a, "1", "user", LINE);
    uint64_t again = host_run_add(&builder, a, XYLEM_SIDE_REPEAT, at, 1);
    struct xylem_side side;
    store_builder_must(xylem_side_read(&side, builder.txn, a, lsn, &err), &err);
    assert_true(side.type == XYLEM_SIDE_RECORD && side.dialect == HOST_DIALECT && !side.redacted);
    assert_true(xylem_base__view_is(side.bytes, "a record"));
    store_builder_must(xylem_side_read(&side, builder.txn, a, again, &err), &err);
    assert_true(side.type == XYLEM_SIDE_REPEAT && side.count == 1 && side.position.depth == 1);
    assert_int_equal(xylem_side_read(&side, builder.txn, a, lsn + 1, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_side_read(&side, builder.txn, 99, lsn, &err), XYLEM_E_NOT_FOUND);
    struct xylem_feed *feed;
    struct xylem_change change = {.lsn = 0};
    uint64_t seen = 0;
    store_builder_must(xylem_feed_new(&feed, builder.txn, NULL, &err), &err);
    while (xylem_feed_next(&change, feed, &err) == 1) {
        assert_true((change.type == XYLEM_CHANGE_SIDE) == (change.side_lsn > 0));
        assert_true(change.side_lsn == 0 || (change.side_lsn == change.lsn && change.session == a));
        seen += change.side_lsn > 0;
    }
    xylem_feed_free(feed);
    assert_int_equal(seen, 2);
    assert_string_equal(xylem_change_word(XYLEM_CHANGE_SIDE), "side");
}

IN_STORE(a_row_that_cannot_be_is_refused)
{
    uint64_t a = store_builder_session(&builder, "A");
    struct xylem_position first = host_line_add(&builder, a, "1", "user", LINE);
    uint64_t b = store_builder_clone(&builder, a, "B");
    struct xylem_position own = host_line_add(&builder, b, "2", "user", LINE);
    assert_int_equal(add(a, (struct xylem_side){.type = XYLEM_SIDE_VALUES, .position = first}), XYLEM_E_ARGUMENT);
    assert_int_equal(add(a, (struct xylem_side){.dialect = 256}), XYLEM_E_ARGUMENT);
    struct xylem_side repeat = {.type = XYLEM_SIDE_REPEAT, .position = own, .count = 2};
    assert_int_equal(add(a, repeat), XYLEM_E_NOT_FOUND); /* of the fork alone */
    assert_int_equal(add(b, repeat), XYLEM_OK);
    repeat.count = 3;
    assert_int_equal(add(b, repeat), XYLEM_E_ARGUMENT);
    repeat.count = 0;
    assert_int_equal(add(b, repeat), XYLEM_E_ARGUMENT);
    struct xylem_side shared = {.type = XYLEM_SIDE_SHARED, .position = first, .count = 1};
    assert_int_equal(add(b, shared), XYLEM_OK);
    assert_int_equal(add(a, shared), XYLEM_E_NOT_FOUND); /* no base */
    shared.position = own;
    assert_int_equal(add(b, shared), XYLEM_E_NOT_FOUND);
    static const char byte = 'x';
    assert_int_equal(add(a, (struct xylem_side){.bytes = {&byte, XYLEM_LINE_BYTES_MAX + 1u}}), XYLEM_E_LIMIT);
    assert_int_equal(add(a, (struct xylem_side){.bytes = {"a\nb", 3}}), XYLEM_E_MALFORMED);
    store_builder_must(xylem_session_delete(builder.txn, a, &err), &err);
    assert_int_equal(add(a, (struct xylem_side){.bytes = {&byte, 1}}), XYLEM_E_DELETED);
    assert_int_equal(problems(), 0);
}

IN_STORE(a_row_with_invalid_fields_is_corrupt)
{
    struct xylem_side side;
    static const struct {
        const char *bytes;
        size_t count;
        int code;
    } rows[] = {
        {"\0\5\3abc", 6, XYLEM_OK},         {"\0\5\0", 3, XYLEM_OK},
        {"\x80\5\3why", 6, XYLEM_OK},       {"\1\1\2\2", 4, XYLEM_OK},
        {"\2\1\2\1", 4, XYLEM_OK},          {"\3\1\2\1x", 5, XYLEM_OK},
        {"\x83\1\2\3why", 7, XYLEM_OK},     {"", 0, XYLEM_E_MALFORMED},
        {"\0", 1, XYLEM_E_MALFORMED},       {"\0\5", 2, XYLEM_E_MALFORMED},
        {"\0\5\3ab", 5, XYLEM_E_MALFORMED}, {"\0\5\1ab", 5, XYLEM_E_MALFORMED},
        {"\4\1\2\0", 4, XYLEM_E_MALFORMED},                                     /* no type */
        {"\1\1\2", 3, XYLEM_E_MALFORMED},   {"\1\1\2\3", 4, XYLEM_E_MALFORMED}, /* more entries than the path has */
        {"\1\1\2\0", 4, XYLEM_E_MALFORMED}, {"\1\1\2\1x", 5, XYLEM_E_MALFORMED},
        {"\1\0\2\1", 4, XYLEM_E_MALFORMED}, {"\x81\1\2\1", 4, XYLEM_E_MALFORMED},   /* nothing can be redacted */
        {"\3\1", 2, XYLEM_E_MALFORMED},     {"\1\1\x82\0\1", 5, XYLEM_E_MALFORMED}, /* a longer spelling of 2 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (xylem_store__side_decode(&side, (struct xylem_view){rows[i].bytes, rows[i].count}) != rows[i].code) {
            fail_msg("row %zu", i);
        }
    }
    char reason[4 + XYLEM_REASON_BYTES_MAX + 1] = "\x80\5\x80\2"; /* 256 bytes */
    assert_int_equal(xylem_store__side_decode(&side, (struct xylem_view){reason, sizeof reason - 1}), XYLEM_OK);
    reason[2]++;
    assert_int_equal(xylem_store__side_decode(&side, (struct xylem_view){reason, sizeof reason}), XYLEM_E_MALFORMED);
    uint64_t a = store_builder_session(&builder, "A");
    uint64_t lsn = host_record_add(&builder, a, "a record");
    row_last_set(builder.txn, XYLEM_FORMAT__SIDES, 0, 9, true);
    assert_int_equal(xylem_side_read(&side, builder.txn, a, lsn, &err), XYLEM_E_CORRUPT);
    struct xylem_stream *stream;
    assert_int_equal(xylem_stream_new(&stream, builder.txn, a, &err), XYLEM_E_CORRUPT);
    assert_true(problems() > 0);
}

/* No change has that lsn, and the lsn behind it would be 0. */
IN_STORE(a_row_under_the_last_lsn_ends_no_search_and_is_corrupt)
{
    uint64_t a = store_builder_session(&builder, "A");
    struct xylem_position at = host_line_add(&builder, a, "1", "user", LINE);
    uint64_t b = store_builder_clone(&builder, a, "B");
    const char bytes[] = {XYLEM_SIDE_VALUES, (char)at.branch, (char)at.depth, 3, 2, '8', 0};
    struct xylem_buffer row = {NULL, 0, 0};
    struct xylem_format__key key;
    xylem_format__key_pair(&key, b, UINT64_MAX);
    copy_bytes(&row, bytes, sizeof bytes);
    store_builder_must(xylem_lmdb__put_summed(builder.txn, XYLEM_FORMAT__SIDES, key.view, &row, true, true, &err),
                       &err);
    struct xylem_stream *stream;
    struct xylem_side read;
    assert_int_equal(xylem_stream_new(&stream, builder.txn, b, &err), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_side_read(&read, builder.txn, b, UINT64_MAX, &err), XYLEM_E_CORRUPT);
    host_assert_stream(builder.txn, a, "{\"text\":\"hello\",\"promptId\":\"7\",\"sessionId\":\"A\"}\n");
}

/* Each is a lie that only a program without the library can write. */
IN_STORE(verify_finds_rows_that_do_not_fit)
{
    uint64_t a = store_builder_session(&builder, "A");
    host_line_add(&builder, a, "1", "user", LINE);
    struct xylem_position at = host_line_add(&builder, a, "2", "user", LINE);
    uint64_t b = store_builder_clone(&builder, a, "B");
    host_line_share(&builder, b, at, SHARED("8"), &err);
    uint64_t record = host_record_add(&builder, b, "r");
    store_builder_commit(&builder);
    uint64_t lsn = entry_at(at).lsn;
    const struct {
        uint64_t lsn;
        struct xylem_side side;
    } lies[] = {
        {lsn - 1, {.type = XYLEM_SIDE_VALUES, .position = at, .values = {"\2x\0", 3}}},    /* of another entry */
        {lsn, {.type = XYLEM_SIDE_VALUES, .position = at, .values = {"\2x", 2}}},          /* a value is missing */
        {lsn, {.type = XYLEM_SIDE_VALUES, .position = {at.branch, 9}, .values = {"", 0}}}, /* no such entry */
        {record, {.type = XYLEM_SIDE_SHARED, .position = {at.branch, 9}, .count = 1}},
        {lsn, {.type = XYLEM_SIDE_VALUES, .position = at, .values = {"\2\n\0", 3}}}, /* two lines */
        {lsn, {.type = XYLEM_SIDE_VALUES, .position = at, .values = {"\2\"\0", 3}}}, /* no JSON */
        {record, {.bytes = {"r\n", 2}}},
        {record - 1, {.bytes = {"r", 1}}}, /* under the lsn of another change */
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct xylem_session row = store_builder_read(&builder, b);
        store_builder_must(xylem_store__side_write(NULL, builder.txn, &row, &lies[i].side, lies[i].lsn, &err), &err);
        if (problems() == 0) {
            fail_msg("lie %zu", i);
        }
        xylem_abort(builder.txn);
        store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    }
    struct row row = row_last(builder.txn, XYLEM_FORMAT__SIDES);
    row_remove(builder.txn, XYLEM_FORMAT__SIDES, &row);
    row_release(&row);
    assert_int_equal(problems(), 1); /* the feed tells of the row */
}

IN_STORE(verify_finds_values_that_do_not_fit_their_line)
{
    uint64_t a = store_builder_session(&builder, "A");
    struct xylem_position at = host_line_add(&builder, a, "1", "user", LINE);
    assert_int_equal(problems(), 0);
    struct xylem_format__record record = store_builder_record(&builder, at);
    record.line = (struct xylem_view){"\2x", 2}; /* of one hole */
    store_builder_rewrite(&builder, at, &record);
    assert_true(problems() > 0);
    struct xylem_buffer line = {NULL, 0, 0};
    struct xylem_entry entry = entry_at(at);
    assert_int_equal(xylem_line_write(&line, builder.txn, a, &entry, &err), XYLEM_E_CORRUPT);
}

/* --- What goes ---------------------------------------------------------------------------------------------------- */

IN_STORE(gc_takes_the_rows_of_a_session_and_leaves_what_its_forks_need)
{
    uint64_t a = store_builder_session(&builder, "A");
    host_record_add(&builder, a, "a record");
    struct xylem_position at = host_line_add(&builder, a, "1", "user", LINE);
    uint64_t b = store_builder_clone(&builder, a, "B");
    assert_int_equal(host_line_share(&builder, b, at, SHARED("8"), &err), 1);
    host_record_add(&builder, b, "another");
    store_builder_must(xylem_session_delete(builder.txn, a, &err), &err);
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
    assert_int_equal(side_count(), 2);
    host_assert_stream(builder.txn, b, "{\"text\":\"hello\",\"promptId\":\"8\",\"sessionId\":\"B\"}\nanother\n");
    assert_int_equal(problems(), 0);
    store_builder_must(xylem_session_delete(builder.txn, b, &err), &err);
    store_builder_must(xylem_session_undelete(builder.txn, b, &err), &err);
    host_assert_stream(builder.txn, b, "{\"text\":\"hello\",\"promptId\":\"8\",\"sessionId\":\"B\"}\nanother\n");
    store_builder_must(xylem_session_delete(builder.txn, b, &err), &err);
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
    assert_int_equal(side_count(), 0);
    assert_int_equal(problems(), 0);
}

static struct xylem_redact_report report;

/* Is the text anywhere in the compacted file? */
static bool file_has(const char *text)
{
    char path[300];
    char piece[65536];
    struct xylem_compact_report compacted;
    struct xylem_buffer bytes = {NULL, 0, 0};
    size_t got;
    store_builder_commit(&builder);
    xylem_abort(builder.txn);
    store_builder_must(xylem_close(builder.store, &err), &err);
    store_builder_must(xylem_compact(&compacted, builder.path, NULL, &err), &err);
    (void)snprintf(path, sizeof path, "%s/data.mdb", builder.path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) {
        assert_int_equal(xylem_buffer_add(&bytes, piece, got), XYLEM_OK);
    }
    assert_int_equal(fclose(file), 0);
    bool has = memmem(bytes.data, bytes.bytes, text, strlen(text)) != NULL;
    xylem_buffer_release(&bytes);
    const struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    store_builder_must(xylem_open(&builder.store, builder.path, &options, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    return has;
}

IN_STORE(a_redacted_line_loses_its_text_and_the_values_of_every_session)
{
    for (int only = 0; only < 2; only++) {
        char ids[2][2] = {{(char)('A' + 2 * only), '\0'}, {(char)('B' + 2 * only), '\0'}};
        uint64_t a = store_builder_session(&builder, ids[0]);
        struct xylem_position at =
            host_line_add(&builder, a, "an-id-1", "user", "{\"text\":\"secret-text\",\"p\":\"<secret-one>\"}");
        struct xylem_position rest = host_line_add(&builder, a, "an-id-2", "user", "{\"p\":\"<kept-value>\"}");
        uint64_t b = store_builder_clone(&builder, a, ids[1]);
        host_line_share(&builder, b, at, "{\"text\":\"secret-text\",\"p\":\"<secret-two>\"}", &err);
        host_line_share(&builder, b, rest, "{\"p\":\"<kept-other>\"}", &err);
        host_record_add(&builder, b, "{\"leafUuid\":\"an-id-1\",\"prompt\":\"secret-prompt\"}");
        host_record_add(&builder, b, "{\"uuid\":\"an-id-1\",\"text\":\"secret-text\",\"p\":\"secret-three\"}");
        const struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .only_this = only};
        store_builder_must(xylem_redact(&report, builder.txn, a, at, &options, &err), &err);
        assert_int_equal(report.redacted_count, 1);
        assert_int_equal(report.side_count, only ? 1 : 3);
        xylem_redact_report_release(&report);
        host_assert_stream(builder.txn, a, "redacted\n{\"p\":\"kept-value\"}\n");
        host_assert_stream(
            builder.txn, b,
            only ? "redacted\n{\"p\":\"kept-other\"}\n{\"leafUuid\":\"an-id-1\",\"prompt\":\"secret-prompt\"}\n"
                   "{\"uuid\":\"an-id-1\",\"text\":\"secret-text\",\"p\":\"secret-three\"}\n"
                 : "redacted\n{\"p\":\"kept-other\"}\nredacted\nredacted\n");
        assert_false(file_has("secret-one"));
        assert_false(file_has("secret-two"));
        assert_int_equal(file_has("secret-"), only);
        assert_true(file_has("kept-other"));
        assert_int_equal(problems(), 0);
        struct xylem_side side;
        store_builder_must(xylem_side_read(&side, builder.txn, b, entry_at(at).lsn, &err), &err);
        assert_true(side.redacted && side.values.bytes == 0 && xylem_base__view_is(side.reason, "a key"));
        assert_int_equal(host_line_share(&builder, b, at, "{\"text\":\"secret-text\",\"p\":\"<secret-two>\"}", &err),
                         XYLEM_E_REDACTED);
    }
}

/* A process began to write the redaction, and was killed: the row `redacting` is there. */
static void note_redaction(void)
{
    report.found->txn = builder.txn;
    store_builder_must(xylem_store__redacting_write(report.found, 7, &err), &err);
}

static void assert_late_values_go(bool interrupted)
{
    struct xylem_side side;
    uint64_t a = store_builder_session(&builder, "A");
    struct xylem_position at = host_line_add(&builder, a, "1", "user", LINE);
    uint64_t b = store_builder_clone(&builder, a, "B");
    uint64_t c = store_builder_clone(&builder, a, "C");
    const struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .dry_run = true};
    store_builder_must(xylem_redact(&report, builder.txn, a, at, &options, &err), &err);
    assert_int_equal(host_line_share(&builder, b, at, SHARED("88"), &err), 1);
    if (interrupted) {
        note_redaction();
    }
    store_builder_must(xylem_commit(builder.txn, &err), &err);
    assert_int_equal(xylem_redact_write(interrupted ? NULL : &report, builder.store, &err), interrupted);
    assert_int_equal(report.side_count, interrupted ? 0 : 1);
    xylem_redact_report_release(&report);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    store_builder_must(xylem_side_read(&side, builder.txn, b, entry_at(at).lsn, &err), &err);
    assert_true(side.redacted);
    assert_int_equal(
        host_line_share(&builder, c, at, "{\"text\":\"hello\",\"promptId\":\"<9>\",\"sessionId\":\"<#C>\"}", &err),
        XYLEM_E_REDACTED);
    assert_int_equal(problems(), 0);
}

/* The search holds no lock, so a fork may share a line before the writing, or between two pieces. */
IN_STORE(a_redaction_takes_values_that_came_since_its_search)
{
    assert_late_values_go(false);
}

IN_STORE(a_redaction_takes_values_that_came_between_its_pieces)
{
    assert_late_values_go(true);
}

static struct xylem_redact_report match(const char *pattern)
{
    struct xylem_patterns *patterns;
    struct xylem_redact_report found;
    const struct xylem_redact_matches_options options = {.redact.reason = xylem_view_of("a key")};
    store_builder_must(xylem_patterns_new(&patterns, xylem_view_of(pattern), &err), &err);
    store_builder_must(xylem_redact_matches(&found, builder.txn, patterns, &options, &err), &err);
    xylem_patterns_free(patterns);
    return found;
}

/* No call leaves such values, and no search reads the line again. */
IN_STORE(values_of_a_redacted_entry_are_told_and_go)
{
    uint64_t a = store_builder_session(&builder, "A");
    struct xylem_position at = host_line_add(&builder, a, "1", "user", LINE);
    uint64_t b = store_builder_clone(&builder, a, "B");
    assert_int_equal(host_line_share(&builder, b, at, SHARED("a-secret"), &err), 1);
    store_builder_redact(&builder, at);
    assert_int_equal(problems(), 1);
    struct xylem_redact_report found = match("secret");
    assert_int_equal(found.side_count, 1);
    xylem_redact_report_release(&found);
    assert_int_equal(problems(), 0);
    struct xylem_session row = store_builder_read(&builder, b);
    const struct xylem_side side = {.type = XYLEM_SIDE_VALUES, .position = at, .values = {"\0028\0", 3}};
    store_builder_must(xylem_store__side_write(NULL, builder.txn, &row, &side, entry_at(at).lsn, &err), &err);
    assert_int_equal(problems(), 0); /* written without the values */
}

/* A pattern may mean the bytes of a line; the id of a session is no part of the line. */
IN_STORE(entries_records_and_values_match_in_the_same_way)
{
    uint64_t a = store_builder_session(&builder, "the-id-of-A");
    host_line_add(&builder, a, "1", "user", "{\"key\":\"1\",\"s\":\"<#the-id-of-A>\"}");
    struct xylem_position at = host_line_add(&builder, a, "2", "user", "{\"key\":<null>,\"s\":\"<#the-id-of-A>\"}");
    host_record_add(&builder, a, "{\"key\":\"2\"}");
    uint64_t b = store_builder_clone(&builder, a, "the-id-of-B");
    assert_int_equal(host_line_share(&builder, b, at, "{\"key\":<\"3\">,\"s\":\"<#the-id-of-B>\"}", &err), 1);
    struct xylem_redact_report found = match("the-id-of-[AB]");
    assert_true(found.redacted_count == 0 && found.side_count == 0);
    xylem_redact_report_release(&found);
    found = match("\"key\":\"[^\"]+\"");
    assert_true(found.redacted_count == 1 && found.side_count == 2);
    xylem_redact_report_release(&found);
    host_assert_stream(builder.txn, b, "redacted\nredacted\n");
    host_assert_stream(builder.txn, a, "redacted\n{\"key\":null,\"s\":\"the-id-of-A\"}\nredacted\n");
}

/* What cannot be read may have a match. */
IN_STORE(damaged_values_end_a_search)
{
    uint64_t a = store_builder_session(&builder, "A");
    struct xylem_position at = host_line_add(&builder, a, "1", "user", LINE);
    struct xylem_format__record record = store_builder_record(&builder, at);
    record.line = (struct xylem_view){"\2x", 2}; /* of one hole */
    store_builder_rewrite(&builder, at, &record);
    struct xylem_patterns *patterns;
    const struct xylem_redact_matches_options options = {.redact.reason = xylem_view_of("a key")};
    store_builder_must(xylem_patterns_new(&patterns, xylem_view_of("secret"), &err), &err);
    assert_int_equal(xylem_redact_matches(&report, builder.txn, patterns, &options, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "the line of entry 1 has invalid holes"));
    xylem_patterns_free(patterns);
}

/* An id that the store minted stands in no line. */
IN_STORE(a_redaction_takes_records_with_the_line)
{
    uint64_t a = store_builder_session(&builder, "A");
    struct xylem_position at = host_line_add(&builder, a, "", "user", LINE);
    host_record_add(&builder, a, "{\"text\":\"hello\",\"promptId\":\"7\",\"sessionId\":\"A\"}");
    host_record_add(&builder, a, "{\"text\":\"hello\",\"promptId\":\"8\",\"sessionId\":\"A\"}");
    const struct xylem_redact_options options = {.reason = xylem_view_of("a key")};
    store_builder_must(xylem_redact(&report, builder.txn, a, at, &options, &err), &err);
    assert_int_equal(report.side_count, 1);
    xylem_redact_report_release(&report);
    host_assert_stream(builder.txn, a,
                       "redacted\nredacted\n{\"text\":\"hello\",\"promptId\":\"8\",\"sessionId\":\"A\"}\n");
}

static int note(void *context, const struct xylem_match *match)
{
    size_t *counts = context;
    counts[match->place] += match->taken;
    return 0;
}

IN_STORE(matches_take_records_and_the_values_with_which_a_line_matches)
{
    uint64_t a = store_builder_session(&builder, "A");
    struct xylem_position at = host_line_add(&builder, a, "1", "user", "{\"text\":\"hello\",\"p\":\"<plain>\"}");
    struct xylem_position whole =
        host_line_add(&builder, a, "2", "user", "{\"text\":\"a secret-0\",\"p\":\"<plain>\"}");
    struct xylem_position valued = host_line_add(&builder, a, "3", "user", "{\"n\":3,\"p\":\"<secret-1>\"}");
    uint64_t b = store_builder_clone(&builder, a, "B");
    host_line_share(&builder, b, at, "{\"text\":\"hello\",\"p\":\"<secret-2>\"}", &err);
    host_line_share(&builder, b, whole, "{\"text\":\"a secret-0\",\"p\":\"<other>\"}", &err);
    host_line_share(&builder, b, valued, "{\"n\":3,\"p\":\"<other>\"}", &err);
    host_record_add(&builder, b, "{\"prompt\":\"it was \\u0073ecret-3\"}");
    host_record_add(&builder, b, "{\"prompt\":\"harmless\"}");
    struct xylem_patterns *patterns;
    size_t counts[XYLEM_MATCH_PLACE_COUNT] = {0};
    store_builder_must(xylem_patterns_new(&patterns, xylem_view_of("secret-[0-9]"), &err), &err);
    const struct xylem_redact_matches_options options = {
        .redact.reason = xylem_view_of("a key"), .found = note, .context = counts};
    store_builder_must(xylem_redact_matches(&report, builder.txn, patterns, &options, &err), &err);
    assert_int_equal(report.redacted_count, 2);
    assert_int_equal(report.side_count, 4);
    assert_int_equal(counts[XYLEM_MATCH_ENTRY], 2);
    assert_int_equal(counts[XYLEM_MATCH_SIDE], 4);
    assert_string_equal(xylem_match_place_word(XYLEM_MATCH_SIDE), "side");
    xylem_redact_report_release(&report);
    xylem_patterns_free(patterns);
    host_assert_stream(builder.txn, a, "{\"text\":\"hello\",\"p\":\"plain\"}\nredacted\nredacted\n");
    host_assert_stream(builder.txn, b, "redacted\nredacted\nredacted\nredacted\n{\"prompt\":\"harmless\"}\n");
    assert_false(file_has("ecret-"));
    assert_int_equal(problems(), 0);
}
