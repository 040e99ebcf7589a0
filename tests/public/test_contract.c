/* What xylem.h promises of every call: codes, limits, defaults, NULL where it is allowed. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"
#include "xylem/files.h"
#include "xylem/inspect.h"
#include "xylem/state.h"
#include "xylem.h"

#define CODE_ROW(name, value, text) {name, value, text},
static const struct {
    int code;
    int value;
    const char *text;
} codes[] = {XYLEM_CODE_LIST(CODE_ROW)};
#define CODE_COUNT (sizeof codes / sizeof codes[0])

static int open_builder(void **state)
{
    struct store_builder *builder = calloc(1, sizeof *builder);
    assert_non_null(builder);
    store_builder_open(builder);
    *state = builder;
    return 0;
}

static int close_builder(void **state)
{
    store_builder_close(*state);
    free(*state);
    return 0;
}

TEST(each_code_has_a_value_and_a_text_of_its_own)
{
    assert_int_equal(XYLEM_OK, 0);
    for (size_t i = 0; i < CODE_COUNT; i++) {
        assert_int_equal(codes[i].code, codes[i].value);
        assert_true(codes[i].value < 0 || i == 0);
        assert_string_equal(xylem_code_text(codes[i].code), codes[i].text);
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(codes[i].value, codes[j].value);
            assert_string_not_equal(codes[i].text, codes[j].text);
        }
    }
    assert_string_equal(xylem_code_text(1), "unknown code");
    assert_string_equal(xylem_code_text(-9999), "unknown code");
}

TEST(the_version_is_three_numbers_and_that_of_the_header)
{
    int numbers[3];
    int end = 0;
    (void)state;
    assert_string_equal(xylem_version(), XYLEM_VERSION);
    assert_int_equal(sscanf(xylem_version(), "%d.%d.%d%n", &numbers[0], &numbers[1], &numbers[2], &end), 3);
    assert_int_equal(xylem_version()[end], '\0');
}

TEST(the_version_number_says_the_version)
{
    int major = 0;
    int minor = 0;
    int patch = 0;
    (void)state;
    assert_int_equal(sscanf(XYLEM_VERSION, "%d.%d.%d", &major, &minor, &patch), 3);
    assert_true(minor < 100 && patch < 100);
    assert_int_equal(XYLEM_VERSION_NUMBER, 10000 * major + 100 * minor + patch);
}

TEST(each_import_problem_has_a_word_and_a_text)
{
    for (int i = 0; i < XYLEM_IMPORT_PROBLEM_COUNT; i++) {
        const char *word = xylem_import_problem_word((enum xylem_import_problem_type)i);
        assert_true(strlen(word) > 0);
        assert_true(strlen(xylem_import_problem_text((enum xylem_import_problem_type)i)) > strlen(word));
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(word, xylem_import_problem_word((enum xylem_import_problem_type)j));
        }
    }
}

TEST(what_is_null_or_zeroed_can_be_freed)
{
    struct xylem_buffer buffer = {0};
    struct xylem_labels labels = {0};
    struct xylem_reduction reduction = {0};
    struct xylem_state rehydrated = {0};
    struct xylem_import_report report = {0};
    (void)state;
    xylem_document_free(NULL);
    xylem_sessions_free(NULL);
    xylem_walk_free(NULL);
    xylem_scan_free(NULL);
    xylem_tips_free(NULL);
    xylem_quarantine_free(NULL);
    xylem_abort(NULL);
    assert_int_equal(xylem_close(NULL, NULL), 0);
    xylem_buffer_release(&buffer);
    xylem_labels_release(&labels);
    xylem_reduction_release(&reduction);
    xylem_state_release(&rehydrated);
    xylem_import_report_release(&report);
    xylem_buffer_release(NULL);
    xylem_labels_release(NULL);
    xylem_reduction_release(NULL);
    xylem_state_release(NULL);
    xylem_import_report_release(NULL);
}

TEST(no_accessor_of_a_value_minds_null)
{
    int64_t integer = 7;
    double number = 7;
    (void)state;
    assert_int_equal(xylem_value_type(NULL), XYLEM_VALUE_NIL);
    assert_false(xylem_value_bool(NULL));
    assert_false(xylem_value_integer(&integer, NULL));
    assert_false(xylem_value_number(&number, NULL));
    assert_int_equal(xylem_value_string(NULL).bytes, 0);
    assert_int_equal(xylem_value_count(NULL), 0);
    assert_null(xylem_value_get(NULL, "key"));
    assert_null(xylem_value_first(NULL));
    assert_null(xylem_value_next(NULL, NULL));
    struct xylem_buffer json = {0};
    assert_int_equal(xylem_value_json(&json, NULL), 0);
    assert_string_equal(json.data, "null");
    xylem_buffer_release(&json);
}

TEST(a_view_and_a_buffer_are_what_they_are_made_from)
{
    struct xylem_buffer buffer = {0};
    (void)state;
    assert_int_equal(xylem_view_of(NULL).bytes, 0);
    assert_int_equal(xylem_view_of("four").bytes, 4);
    assert_int_equal(xylem_buffer_add(&buffer, "a\0b", 3), 0);
    assert_int_equal(buffer.bytes, 3);
    assert_memory_equal(buffer.data, "a\0b", 4);
    assert_int_equal(xylem_buffer_add(&buffer, "x", SIZE_MAX), XYLEM_E_MEMORY);
    assert_int_equal(buffer.bytes, 3);
    assert_int_equal(xylem_buffer_add_json_string(&buffer, xylem_view_of("\"\n\xed\xa0\xbd\xff")), 0);
    assert_string_equal(buffer.data + 3, "\"\\\"\\n\\ud83d\xef\xbf\xbd\"");
    xylem_buffer_release(&buffer);
    assert_null(buffer.data);
    assert_int_equal(buffer.capacity, 0);
    assert_int_equal(xylem_buffer_add_json_number(&buffer, 1e15), 0);
    assert_int_equal(xylem_buffer_add_json_number(&buffer, -1.5), 0);
    assert_string_equal(buffer.data, "1000000000000000-1.5");
    xylem_buffer_release(&buffer);
}

#define WITH_STORE(test) TEST_WITH(test, open_builder, close_builder)

WITH_STORE(null_options_are_the_defaults)
{
    struct store_builder *builder = *state;
    struct xylem_error err;
    struct xylem_store *store = NULL;
    struct xylem_session session;
    struct xylem_session fork;
    struct xylem_position first;
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    assert_int_equal(xylem_open(&store, "/nonexistent/store", NULL, &err), XYLEM_E_NOT_FOUND);
    store_builder_must(xylem_session_create(&session, builder->txn, NULL, &err), &err);
    assert_int_equal(session.id.bytes, 36);
    assert_null(session.cwd.data);
    assert_null(session.parent.data);
    assert_true(session.created_ms > INT64_C(1600000000000));
    assert_true(session.leaf.branch == 0 && session.leaf.depth == 0);
    uint64_t number = session.number;
    store_builder_must(xylem_append(&first, builder->txn, number, &entry, 1, NULL, &err), &err);
    assert_int_equal(first.depth, 1);
    struct xylem_append_options zeroed = {0};
    store_builder_must(xylem_append(&first, builder->txn, number, &entry, 1, &zeroed, &err), &err);
    assert_int_equal(first.depth, 2);
    store_builder_must(xylem_clone(&fork, builder->txn, number, NULL, &err), &err);
    assert_int_equal(fork.id.bytes, 36);
    assert_int_equal(fork.base.depth, 2);
    store_builder_must(xylem_fork(&fork, builder->txn, number, first, XYLEM_FORK_BEFORE, NULL, &err), &err);
    assert_int_equal(fork.base.depth, 1);
}

static int ignore_bytes(void *context, const void *data, size_t bytes)
{
    (void)data;
    *(size_t *)context += bytes;
    return 0;
}

static int never_found(void *context, const struct xylem_problem *problem)
{
    (void)context;
    (void)problem;
    return 0;
}

WITH_STORE(reading_calls_work_with_zeroed_options)
{
    struct store_builder *builder = *state;
    struct xylem_error err;
    struct xylem_event event = {0};
    struct xylem_export_options options = {0};
    struct xylem_verify_report report;
    struct xylem_stat stat;
    struct xylem_state rehydrated = {0};
    size_t plain = 0;
    size_t zeroed = 0;
    uint64_t session = store_builder_session(builder, "s");
    struct xylem_position leaf = store_builder_add(builder, session, "a", "message", "{}");
    store_builder_must(xylem_rehydrate(&rehydrated, builder->txn, leaf, &event, NULL, &err), &err);
    assert_false(rehydrated.readonly.enabled);
    assert_int_equal(rehydrated.readonly.from, XYLEM_FROM_DEFAULT);
    struct xylem_buffer json = {0};
    assert_int_equal(xylem_state_json(&json, &rehydrated, xylem_view_of("s")), 0);
    assert_memory_equal(json.data, "{\"schema\":1,", 12);
    xylem_buffer_release(&json);
    xylem_state_release(&rehydrated);
    store_builder_must(xylem_export(builder->txn, session, NULL, ignore_bytes, &plain, &err), &err);
    store_builder_must(xylem_export(builder->txn, session, &options, ignore_bytes, &zeroed, &err), &err);
    assert_true(plain > 0);
    assert_int_equal(plain, zeroed);
    store_builder_must(xylem_verify(&report, builder->txn, NULL, never_found, NULL, &err), &err);
    assert_int_equal(report.problem_count, 0);
    assert_int_equal(xylem_stat_read(&stat, builder->txn, &err), XYLEM_E_ARGUMENT);
    store_builder_commit(builder);
    struct xylem_txn *reader;
    store_builder_must(xylem_begin(&reader, builder->store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_stat_read(&stat, reader, &err), &err);
    xylem_abort(reader);
    assert_int_equal(stat.entry_count, 1);
    assert_int_equal(stat.readers_max, XYLEM_READER_SLOTS);
    store_builder_must(xylem_sync(builder->store, &err), &err);
}

WITH_STORE(iterators_of_nothing_end_at_once)
{
    struct store_builder *builder = *state;
    struct xylem_session row;
    struct xylem_entry entry;
    struct xylem_tip tip;
    struct xylem_quarantined line;
    struct xylem_sessions *sessions = NULL;
    struct xylem_walk *walk = NULL;
    struct xylem_scan *scan = NULL;
    struct xylem_tips *tips = NULL;
    struct xylem_quarantine *quarantine = NULL;
    struct xylem_error err;
    store_builder_must(xylem_sessions_new(&sessions, builder->txn, &err), &err);
    assert_int_equal(xylem_sessions_next(&row, sessions, &err), 0);
    assert_int_equal(xylem_sessions_next(&row, sessions, &err), 0);
    xylem_sessions_free(sessions);
    uint64_t session = store_builder_session(builder, "s");
    store_builder_must(xylem_walk_new(&walk, builder->txn, (struct xylem_position){0, 0}, &err), &err);
    assert_int_equal(xylem_walk_next(&entry, walk, &err), 0);
    xylem_walk_free(walk);
    store_builder_must(xylem_scan_new(&scan, builder->txn, session, &err), &err);
    assert_int_equal(xylem_scan_next(&entry, scan, &err), 0);
    xylem_scan_free(scan);
    store_builder_must(xylem_tips_new(&tips, builder->txn, session, &err), &err);
    assert_int_equal(xylem_tips_next(&tip, tips, &err), 0);
    xylem_tips_free(tips);
    store_builder_must(xylem_quarantine_new(&quarantine, builder->txn, session, &err), &err);
    assert_int_equal(xylem_quarantine_next(&line, quarantine, &err), 0);
    xylem_quarantine_free(quarantine);
}

/* Without an error to fill, every call still gives its code. */
WITH_STORE(calls_that_change_something_need_no_error)
{
    struct store_builder *builder = *state;
    struct xylem_txn *txn = builder->txn;
    const struct xylem_position nowhere = {77, 7};
    const struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    struct xylem_session session;
    struct xylem_position first;
    size_t count = 0;
    struct xylem_txn *second = NULL;
    struct xylem_store *store = NULL;
    struct xylem_import_report report = {0};
    assert_int_equal(xylem_open(&store, "/nonexistent", NULL, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_begin(&second, builder->store, XYLEM_WRITE, NULL), XYLEM_E_BUSY);
    assert_int_equal(xylem_close(builder->store, NULL), XYLEM_E_BUSY);
    assert_int_equal(xylem_append(&first, txn, 77, &entry, 1, NULL, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_navigate(txn, 77, nowhere, xylem_view_of(""), NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_fork(&session, txn, 77, nowhere, XYLEM_FORK_AT, NULL, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_clone(&session, txn, 77, NULL, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_fork_labels(&count, txn, 77, 78, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_session_delete(txn, 77, NULL), XYLEM_E_NOT_FOUND);
    struct xylem_session_options options = {.id = {"", 0}};
    assert_int_equal(xylem_session_create(&session, txn, &options, NULL), 0);
    options.id = session.id;
    assert_int_equal(xylem_session_create(&session, txn, &options, NULL), XYLEM_E_EXISTS);
    assert_int_equal(xylem_import(&report, builder->store, "/nonexistent", NULL, NULL), XYLEM_E_IO);
    xylem_import_report_release(&report);
}

WITH_STORE(calls_that_read_need_no_error)
{
    struct store_builder *builder = *state;
    struct xylem_txn *txn = builder->txn;
    const struct xylem_position nowhere = {77, 7};
    struct xylem_session session;
    struct xylem_position position;
    struct xylem_entry entry;
    struct xylem_move move;
    struct xylem_kind kind;
    struct xylem_buffer storage = {0};
    struct xylem_scan *scan = NULL;
    struct xylem_tips *tips = NULL;
    struct xylem_walk *walk = NULL;
    struct xylem_quarantine *quarantine = NULL;
    struct xylem_labels labels = {0};
    struct xylem_state rehydrated = {0};
    struct xylem_event event = {0};
    size_t bytes = 0;
    uint64_t owner = 0;
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("no"), NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_session_read(&session, txn, 77, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_entry_read(&entry, txn, nowhere, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_find(&position, txn, 77, xylem_view_of("no"), NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_belongs(txn, 77, nowhere, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_owner(&owner, txn, nowhere, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_ancestor_at(&position, txn, nowhere, 1, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_common_ancestor(&position, txn, nowhere, nowhere, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_move_read(&move, txn, 77, 1, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_scan_new(&scan, txn, 77, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_tips_new(&tips, txn, 77, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_quarantine_new(&quarantine, txn, 77, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_labels_read(&labels, txn, 77, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_rehydrate(&rehydrated, txn, nowhere, &event, NULL, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_export(txn, 77, NULL, ignore_bytes, &bytes, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_kind_parse(&kind, &storage, xylem_view_of("a:b"), NULL), XYLEM_E_MALFORMED);
    assert_int_equal(xylem_walk_new(&walk, txn, nowhere, NULL), 0);
    assert_int_equal(xylem_walk_next(&entry, walk, NULL), XYLEM_E_NOT_FOUND);
    xylem_walk_free(walk);
    xylem_labels_release(&labels);
    xylem_state_release(&rehydrated);
    xylem_buffer_release(&storage);
    assert_int_equal(bytes, 0);
}

WITH_STORE(an_error_is_one_line_with_the_code)
{
    struct store_builder *builder = *state;
    struct xylem_error err;
    struct xylem_session session;
    struct xylem_view id = xylem_view_of("no\x1b[2J\nsuch\xff");
    assert_int_equal(xylem_session_find(&session, builder->txn, id, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(err.code, XYLEM_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "such"));
    for (const char *at = err.text; *at != '\0'; at++) {
        assert_true((unsigned char)*at >= 0x20 && (unsigned char)*at < 0x7f);
    }
}

WITH_STORE(what_an_append_gave_comes_back)
{
    struct store_builder *builder = *state;
    struct xylem_error err;
    struct xylem_entry entry;
    struct xylem_view view;
    struct xylem_buffer text = {0};
    struct xylem_document *document = NULL;
    uint64_t session = store_builder_session(builder, "s");
    struct xylem_position at = store_builder_add(builder, session, "a", "custom:x:y", "{\"n\":[1,-2.5,\"t\",true]}");
    store_builder_must(xylem_entry_read(&entry, builder->txn, at, &err), &err);
    assert_int_equal(entry.kind.kind_class, XYLEM_CLASS_CUSTOM);
    assert_int_equal(xylem_kind_text(&text, entry.kind), 0);
    assert_string_equal(text.data, "custom:x:y");
    text.bytes = 0;
    store_builder_must(xylem_entry_imported_line(&text, &entry, &err), &err);
    assert_int_equal(text.bytes, 0);
    store_builder_must(xylem_entry_payload(&view, &entry, &err), &err);
    assert_int_equal(view.bytes, entry.payload_bytes);
    store_builder_must(xylem_document_new(&document, &entry, &err), &err);
    const struct xylem_value *list = xylem_value_get(xylem_document_value(document), "n");
    int64_t integer = 0;
    double number = 0;
    assert_int_equal(xylem_value_count(list), 4);
    const struct xylem_value *item = xylem_value_first(list);
    assert_true(xylem_value_integer(&integer, item) && integer == 1);
    item = xylem_value_next(list, item);
    assert_true(xylem_value_number(&number, item) && number < -2.4 && number > -2.6);
    item = xylem_value_next(list, item);
    assert_int_equal(xylem_value_type(item), XYLEM_VALUE_STRING);
    assert_int_equal(xylem_value_string(item).bytes, 1);
    item = xylem_value_next(list, item);
    assert_true(xylem_value_bool(item));
    assert_null(xylem_value_next(list, item));
    xylem_document_free(document);
    xylem_buffer_release(&text);
    store_builder_must(xylem_entry_json(&text, builder->txn, &entry, &err), &err);
    assert_non_null(strstr(text.data, "\"customType\":\"x:y\""));
    xylem_buffer_release(&text);
}
