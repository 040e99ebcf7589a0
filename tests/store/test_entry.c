#include <stdio.h>

#include "tests/lib/one_session.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"
#include "xylem/append.h"
#include "xylem/inspect.h"

static struct xylem_error err;

static struct xylem_entry read_entry(struct xylem_position position)
{
    struct xylem_entry entry;
    store_builder_must(xylem_entry_read(&entry, builder.txn, position, &err), &err);
    return entry;
}

static struct xylem_position append_with_line(const char *json, const char *kept)
{
    struct xylem_new_entry entry = {.id = xylem_view_of("x"),
                                    .kind.name = xylem_view_of("message"),
                                    .format = XYLEM_FORMAT_JSON,
                                    .payload = xylem_view_of(json)};
    struct xylem_view line = xylem_view_of(kept);
    struct xylem_store__append_options options = {.imported = true, .lines = &line};
    struct xylem_position at;
    store_builder_must(xylem_store__append(&at, builder.txn, session, &entry, 1, &options, &err), &err);
    return at;
}

static int compare_problem(void *context, const struct xylem_problem *problem)
{
    assert_string_equal(problem->text, context);
    return 0;
}

static void assert_one_problem(const char *text)
{
    struct xylem_verify_report report;
    char expected[128];
    snprintf(expected, sizeof expected, "%s", text);
    store_builder_must(xylem_verify(&report, builder.txn, NULL, compare_problem, expected, &err), &err);
    assert_int_equal(report.problem_count, 1);
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(an_entry_reads_back_with_its_kind)
{
    struct xylem_entry entry =
        read_entry(store_builder_add(&builder, session, "a", "custom:readonly", "{\"enabled\":true}"));
    assert_true(xylem_base__view_is(entry.id, "a"));
    assert_true(entry.kind.kind_class == XYLEM_CLASS_CUSTOM && xylem_base__view_is(entry.kind.name, "readonly"));
    assert_int_equal(entry.format, XYLEM_FORMAT_MSGPACK);
    assert_int_equal(entry.flags, 0);
}

IN_STORE(where_no_entry_ever_was_none_is_found)
{
    static const struct xylem_position empty[] = {{0, 0}, {0, 1}, {1, 0}, {1, 2}, {2, 1}, {UINT64_MAX, UINT64_MAX}};
    struct xylem_entry entry;
    store_builder_messages(&builder, session, 1);
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        assert_int_equal(xylem_entry_read(&entry, builder.txn, empty[i], &err), XYLEM_E_NOT_FOUND);
    }
}

IN_STORE(a_damaged_record_is_corrupt_and_writes_nothing_out)
{
    struct xylem_entry entry = {.lsn = 77};
    struct xylem_position at = store_builder_add(&builder, session, "a", "message", NULL);
    store_builder_damage(&builder, at);
    assert_int_equal(xylem_entry_read(&entry, builder.txn, at, &err), XYLEM_E_CORRUPT);
    assert_int_equal(entry.lsn, 77);
}

IN_STORE(a_damaged_payload_is_found_by_who_reads_it_or_the_line)
{
    struct xylem_position at = append_with_line("{\"a\":1}", "{ \"kept\" : 1 }");
    struct row row = row_last(builder.txn, XYLEM_FORMAT__LOG);
    size_t payload_at = row.value.bytes - read_entry(at).line_bytes - 8 - strlen("{\"a\":1}");
    struct xylem_document *document = NULL;
    struct xylem_view view = {"?", 1};
    row_release(&row);
    row_last_set(builder.txn, XYLEM_FORMAT__LOG, payload_at, '[', false);
    struct xylem_entry entry = read_entry(at);
    assert_int_equal(xylem_entry_payload(&view, &entry, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "payload of entry x"));
    assert_int_equal(view.bytes, 1);
    assert_int_equal(xylem_document_new(&document, &entry, &err), XYLEM_E_CORRUPT);
    assert_null(document);
    struct xylem_buffer line = {0};
    assert_int_equal(xylem_entry_imported_line(&line, &entry, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "payload of entry x"));
    assert_int_equal(line.bytes, 0);
    assert_one_problem("the payload does not match its hash");
}

IN_STORE(a_document_of_a_json_text_follows_the_rules_of_payloads)
{
    struct xylem_document *document = NULL;
    int64_t number = 0;
    assert_int_equal(xylem_document_new_json(&document, xylem_view_of("{\"a\":[7]}"), &err), XYLEM_OK);
    const struct xylem_value *list = xylem_value_get(xylem_document_value(document), "a");
    assert_true(xylem_value_integer(&number, xylem_value_first(list)));
    assert_int_equal(number, 7);
    xylem_document_free(document);
    document = NULL;
    assert_int_equal(xylem_document_new_json(&document, xylem_view_of("{\"a\":"), &err), XYLEM_E_MALFORMED);
    assert_int_equal(xylem_document_new_json(&document, xylem_view_of(""), &err), XYLEM_E_MALFORMED);
    assert_null(document);
}

IN_STORE(a_damaged_line_is_found_by_who_reads_it_alone)
{
    struct xylem_position at = append_with_line("{\"a\":1}", "kept");
    struct row row = row_last(builder.txn, XYLEM_FORMAT__LOG);
    size_t ends[] = {row.value.bytes - 1, row.value.bytes - read_entry(at).line_bytes - 1 /* of its hash */};
    row_release(&row);
    for (size_t i = 0; i < 2; i++) {
        struct xylem_view view = {"?", 1};
        row = row_last(builder.txn, XYLEM_FORMAT__LOG);
        unsigned char byte = (unsigned char)row.value.data[ends[i]];
        row_release(&row);
        row_last_set(builder.txn, XYLEM_FORMAT__LOG, ends[i], byte ^ 4u, false);
        struct xylem_entry entry = read_entry(at);
        struct xylem_buffer line = {0};
        assert_int_equal(xylem_entry_imported_line(&line, &entry, &err), XYLEM_E_CORRUPT);
        assert_non_null(strstr(err.text, "line of entry x"));
        assert_int_equal(xylem_entry_payload(&view, &entry, &err), XYLEM_OK);
        assert_one_problem("the line does not match its hash");
        row_last_set(builder.txn, XYLEM_FORMAT__LOG, ends[i], byte, false);
    }
}

IN_STORE(pieces_with_their_hash_that_make_no_line_are_found)
{
    struct xylem_position at = append_with_line("{\"a\":1}", "kept");
    struct row row = row_last(builder.txn, XYLEM_FORMAT__LOG);
    size_t bytes = read_entry(at).line_bytes;
    struct xylem_view pieces = {row.value.data + row.value.bytes - bytes, bytes};
    row_remove(builder.txn, XYLEM_FORMAT__LOG, &row);
    row.value.data[row.value.bytes - bytes] ^= 4; /* the line is a byte longer, it says */
    xylem_base__put_u64((unsigned char *)row.value.data + row.value.bytes - bytes - 8, xylem_format__hash(pieces));
    row_put(builder.txn, XYLEM_FORMAT__LOG, &row);
    row_release(&row);
    struct xylem_buffer line = {0};
    struct xylem_entry entry = read_entry(at);
    assert_int_equal(xylem_entry_imported_line(&line, &entry, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "line of entry x"));
    assert_non_null(strstr(err.text, "cannot be made of its pieces"));
    assert_int_equal(line.bytes, 0);
    assert_one_problem("the line of entry x at branch 1, depth 1 cannot be made of its pieces");
}

IN_STORE(a_document_shows_the_payload_whatever_its_format)
{
    static const char *const kinds[] = {"custom:a", "host"};
    for (size_t i = 0; i < 2; i++) {
        struct xylem_document *document = NULL;
        struct xylem_entry entry =
            read_entry(store_builder_add(&builder, session, NULL, kinds[i], "{\"a\":[1,\"b\"]}"));
        store_builder_must(xylem_document_new(&document, &entry, &err), &err);
        const struct xylem_value *list = xylem_value_get(xylem_document_value(document), "a");
        assert_int_equal(xylem_value_count(list), 2);
        xylem_document_free(document);
    }
}

IN_STORE(a_document_without_payload_has_no_value_and_null_is_nil)
{
    struct xylem_document *document = NULL;
    struct xylem_entry entry = read_entry(store_builder_add(&builder, session, NULL, "custom:a", NULL));
    store_builder_must(xylem_document_new(&document, &entry, &err), &err);
    assert_null(xylem_document_value(document));
    xylem_document_free(document);
    entry = read_entry(store_builder_add(&builder, session, NULL, "custom:a", "null"));
    store_builder_must(xylem_document_new(&document, &entry, &err), &err);
    assert_non_null(xylem_document_value(document));
    assert_int_equal(xylem_value_type(xylem_document_value(document)), XYLEM_VALUE_NIL);
    xylem_document_free(document);
    xylem_document_free(NULL);
}

/* Replaces the payload, with the hash that belongs to it. */
static struct xylem_entry with_payload(struct xylem_position at, enum xylem_format format, const char *payload)
{
    struct xylem_format__record record = store_builder_record(&builder, at);
    record.format = format;
    record.payload = xylem_view_of(payload);
    record.payload_hash = xylem_format__hash(record.payload);
    store_builder_rewrite(&builder, at, &record);
    return read_entry(at);
}

IN_STORE(a_payload_that_is_not_what_its_format_says_is_malformed)
{
    char deep[XYLEM_NESTING_MAX + 2];
    struct xylem_document *document = NULL;
    struct xylem_position at = store_builder_add(&builder, session, "a", "host", "{}");
    struct xylem_entry entry = with_payload(at, XYLEM_FORMAT_JSON, "{");
    assert_int_equal(xylem_document_new(&document, &entry, &err), XYLEM_E_MALFORMED);
    entry = with_payload(at, XYLEM_FORMAT_MSGPACK, "\xc1");
    assert_int_equal(xylem_document_new(&document, &entry, &err), XYLEM_E_MALFORMED);
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    entry = with_payload(at, XYLEM_FORMAT_JSON, deep);
    assert_int_equal(xylem_document_new(&document, &entry, &err), XYLEM_E_LIMIT);
    memset(deep, '\x91', sizeof deep - 1);
    entry = with_payload(at, XYLEM_FORMAT_MSGPACK, deep);
    assert_int_equal(xylem_document_new(&document, &entry, &err), XYLEM_E_LIMIT);
    assert_null(document);
}

IN_STORE(a_redacted_payload_says_so)
{
    struct xylem_document *document = NULL;
    struct xylem_view view;
    struct xylem_position at = store_builder_add(&builder, session, "a", "host", "{}");
    store_builder_redact(&builder, at);
    struct xylem_entry entry = read_entry(at);
    assert_int_equal(xylem_entry_payload(&view, &entry, &err), XYLEM_E_REDACTED);
    assert_int_equal(xylem_document_new(&document, &entry, &err), XYLEM_E_REDACTED);
}

IN_STORE(the_id_of_the_parent_is_read_and_a_root_has_none)
{
    struct xylem_view id = {"?", 1};
    struct xylem_position root = store_builder_add(&builder, session, "root", "message", NULL);
    struct xylem_position child = store_builder_add_at(&builder, session, root, "child", "message", NULL);
    struct xylem_position fork = store_builder_add_at(&builder, session, root, "fork", "message", NULL);
    struct xylem_entry entry = read_entry(root);
    assert_int_equal(xylem_entry_parent_id(&id, builder.txn, &entry, &err), 0);
    assert_true(xylem_base__view_is(id, "?"));
    entry = read_entry(child);
    assert_int_equal(xylem_entry_parent_id(&id, builder.txn, &entry, &err), 1);
    assert_true(xylem_base__view_is(id, "root"));
    id.bytes = 0;
    entry = read_entry(fork);
    assert_int_equal(xylem_entry_parent_id(&id, builder.txn, &entry, &err), 1);
    assert_true(xylem_base__view_is(id, "root"));
}

IN_STORE(a_lost_or_damaged_parent_is_corrupt)
{
    struct xylem_view id = {"?", 1};
    struct xylem_position root = store_builder_add(&builder, session, "root", "message", NULL);
    struct xylem_entry entry = read_entry(store_builder_add_at(&builder, session, root, "child", "message", NULL));
    store_builder_damage(&builder, root);
    assert_int_equal(xylem_entry_parent_id(&id, builder.txn, &entry, &err), XYLEM_E_CORRUPT);
    store_builder_drop(&builder, root);
    assert_int_equal(xylem_entry_parent_id(&id, builder.txn, &entry, &err), XYLEM_E_CORRUPT);
    assert_string_equal(err.text, "the entry at branch 1, depth 1 is missing");
    assert_true(xylem_base__view_is(id, "?"));
}

IN_STORE(a_record_of_a_kind_that_is_not_there_is_corrupt)
{
    struct xylem_entry entry;
    struct xylem_position at = store_builder_add(&builder, session, "a", "host", "{}");
    struct xylem_format__record record = store_builder_record(&builder, at);
    record.kind_number = 9;
    store_builder_rewrite(&builder, at, &record);
    assert_int_equal(xylem_entry_read(&entry, builder.txn, at, &err), XYLEM_E_CORRUPT);
    record.kind_number = UINT32_MAX;
    store_builder_rewrite(&builder, at, &record);
    assert_int_equal(xylem_entry_read(&entry, builder.txn, at, &err), XYLEM_E_CORRUPT);
}

IN_STORE(a_cursor_in_the_log_stays_on_its_branch)
{
    struct xylem_store__log *log = NULL;
    struct xylem_entry entry;
    store_builder_messages(&builder, session, 3);
    store_builder_add_at(&builder, session, (struct xylem_position){1, 2}, "a", "message", NULL);
    store_builder_add(&builder, session, "b", "message", NULL);
    store_builder_must(xylem_store__log_new(&log, builder.txn, &err), &err);
    assert_int_equal(xylem_store__log_seek(&entry, log, (struct xylem_position){2, 4}, &err), XYLEM_OK);
    assert_int_equal(xylem_store__log_previous(&entry, log, &err), 1);
    assert_true(entry.position.branch == 2 && entry.position.depth == 3);
    assert_int_equal(xylem_store__log_previous(&entry, log, &err), 0);
    assert_int_equal(xylem_store__log_seek(&entry, log, (struct xylem_position){1, 2}, &err), XYLEM_OK);
    assert_int_equal(xylem_store__log_next(&entry, log, &err), 1);
    assert_int_equal(entry.position.depth, 3);
    assert_int_equal(xylem_store__log_next(&entry, log, &err), 0);
    assert_int_equal(xylem_store__log_seek(&entry, log, (struct xylem_position){1, 4}, &err), XYLEM_E_CORRUPT);
    store_builder_damage(&builder, (struct xylem_position){1, 1});
    assert_int_equal(xylem_store__log_seek(&entry, log, (struct xylem_position){1, 2}, &err), XYLEM_OK);
    assert_int_equal(xylem_store__log_previous(&entry, log, &err), XYLEM_E_CORRUPT);
    xylem_store__log_free(log);
    xylem_store__log_free(NULL);
}

IN_STORE(an_entry_that_was_lost_between_two_others_is_damage)
{
    struct xylem_entry entry;
    store_builder_messages(&builder, session, 4);
    store_builder_drop(&builder, (struct xylem_position){1, 2});
    assert_int_equal(xylem_entry_read(&entry, builder.txn, (struct xylem_position){1, 2}, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "branch 1, depth 2"));
    assert_int_equal(xylem_entry_read(&entry, builder.txn, (struct xylem_position){1, 5}, &err), XYLEM_E_NOT_FOUND);
}

/* The last record stands under another key: that of an entry behind it, which was never there. */
IN_STORE(a_record_under_a_damaged_key_is_no_absence)
{
    struct xylem_entry entry;
    struct xylem_position last = store_builder_messages(&builder, session, 2);
    struct row row = row_last(builder.txn, XYLEM_FORMAT__LOG);
    row_remove(builder.txn, XYLEM_FORMAT__LOG, &row);
    assert_int_equal(xylem_entry_read(&entry, builder.txn, last, &err), XYLEM_E_NOT_FOUND);
    row.key.data[row.key.bytes - 1] = (char)(row.key.data[row.key.bytes - 1] ^ 0x40);
    row_put(builder.txn, XYLEM_FORMAT__LOG, &row);
    assert_int_equal(xylem_entry_read(&entry, builder.txn, last, &err), XYLEM_E_CORRUPT);
    row_release(&row);
}
