/* An entry as members of JSON. tests/cli/test_show.c and test_log.c have whole documents. */
#include <stdio.h>

#include "tests/lib/test.h"
#include "tests/store/rows.h"
#include "xylem/append.h"

static struct store_builder builder;
static uint64_t session;
static struct xylem_error err;
static struct xylem_buffer text;

static int set_up(void **state)
{
    (void)state;
    store_builder_open(&builder);
    session = store_builder_session(&builder, "s");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    xylem_buffer_release(&text);
    store_builder_close(&builder);
    return 0;
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

static struct xylem_entry read_entry(struct xylem_position position)
{
    struct xylem_entry entry;
    store_builder_must(xylem_entry_read(&entry, builder.txn, position, &err), &err);
    return entry;
}

/* The members of an entry, alone in the buffer. */
static const char *described(struct xylem_position position, unsigned members)
{
    struct xylem_entry entry = read_entry(position);
    xylem_buffer_release(&text);
    store_builder_must(xylem_entry_describe(&text, builder.txn, &entry, members, &err), &err);
    return text.data;
}

/* An entry of a known time. */
static struct xylem_position add(const char *id, struct xylem_kind kind, const char *json)
{
    int64_t time_ms = 1795195085515;
    struct xylem_new_entry entry = {.id = xylem_view_of(id),
                                    .kind = kind,
                                    .time_ms = &time_ms,
                                    .format = json ? XYLEM_FORMAT_JSON : XYLEM_FORMAT_NONE,
                                    .payload = xylem_view_of(json)};
    struct xylem_position at;
    store_builder_must(xylem_append(&at, builder.txn, session, &entry, 1, NULL, &err), &err);
    return at;
}

IN_STORE(an_entry_is_described_in_groups_of_members)
{
    struct xylem_kind host = {XYLEM_CLASS_HOST, xylem_view_of("a:b")};
    struct xylem_kind custom = {XYLEM_CLASS_CUSTOM, xylem_view_of("readonly")};
    char stored[256];
    struct xylem_position root = add("ro\"ot", host, NULL);
    struct xylem_position child = add("child", custom, "{\"enabled\":true}");
    assert_string_equal(described(root, XYLEM_MEMBERS_ENTRY),
                        "\"entry\":\"ro\\\"ot\",\"parent\":null,\"kind\":\"a\\\\:b\","
                        "\"time\":\"2026-11-20T17:18:05.515Z\",\"depth\":1");
    assert_string_equal(described(child, XYLEM_MEMBERS_ENTRY),
                        "\"entry\":\"child\",\"parent\":\"ro\\\"ot\",\"kind\":\"custom:readonly\","
                        "\"time\":\"2026-11-20T17:18:05.515Z\",\"depth\":2");
    snprintf(stored, sizeof stored,
             "\"branch\":1,\"lsn\":3,\"check\":\"%016llx\",\"imported\":false,\"line_bytes\":0,\"format\":\"msgpack\","
             "\"payload_bytes\":10",
             (unsigned long long)read_entry(child).check);
    assert_string_equal(described(child, XYLEM_MEMBERS_STORED), stored);
    assert_string_equal(described(child, XYLEM_MEMBERS_PAYLOAD), "\"payload\":{\"enabled\":true}");
    assert_string_equal(described(root, XYLEM_MEMBERS_PAYLOAD), "\"payload\":null");
}

IN_STORE(zero_means_all_groups_with_commas_between)
{
    struct xylem_position at = store_builder_add(&builder, session, "a", "host", "[1.0]");
    struct xylem_buffer all = {0};
    assert_int_equal(xylem_buffer_add(&all, "{", 1), 0);
    struct xylem_entry entry = read_entry(at);
    store_builder_must(xylem_entry_describe(&all, builder.txn, &entry, 0, &err), &err);
    assert_int_equal(all.data[1], '"');
    assert_non_null(strstr(all.data, ",\"depth\":1,\"branch\":1,\"lsn\":2,\"check\":\""));
    assert_non_null(strstr(all.data, "\",\"imported\":false,\"line_bytes\":0,\"format\":\"json\",\"payload_bytes\":5,"
                                     "\"payload\":[1]"));
    described(at, XYLEM_MEMBERS_ENTRY | XYLEM_MEMBERS_STORED | XYLEM_MEMBERS_PAYLOAD);
    assert_string_equal(all.data + 1, text.data);
    assert_non_null(strstr(described(at, XYLEM_MEMBERS_ENTRY | XYLEM_MEMBERS_PAYLOAD), ",\"depth\":1,\"payload\":[1]"));
    xylem_buffer_release(&all);
}

IN_STORE(a_redacted_payload_is_null_with_the_reason)
{
    struct xylem_position at = store_builder_add(&builder, session, "a", "host", "{}");
    store_builder_redact(&builder, at);
    const char *members = described(at, XYLEM_MEMBERS_PAYLOAD);
    assert_non_null(strstr(members, "\"payload\":null,\"payload_error\":\"the payload of entry a was redacted\","));
    assert_non_null(strstr(members, "\"redacted\":\""));
    assert_non_null(strstr(members, ",\"hash_dropped\":false"));
}

IN_STORE(a_payload_that_cannot_be_decoded_is_null_with_the_error)
{
    struct xylem_position at = store_builder_add(&builder, session, "a", "host", "{}");
    struct xylem_format__record record = store_builder_record(&builder, at);
    record.payload = xylem_view_of("{ ");
    record.payload_hash = xylem_format__hash(record.payload);
    store_builder_rewrite(&builder, at, &record);
    assert_non_null(strstr(described(at, XYLEM_MEMBERS_PAYLOAD), "\"payload\":null,\"payload_error\":\""));
    assert_null(strstr(text.data, "redacted"));
}

/* Damage is an error, and nothing stays in the buffer. */
IN_STORE(damage_is_an_error_that_leaves_the_buffer_unchanged)
{
    struct xylem_position root = store_builder_add(&builder, session, "root", "message", NULL);
    struct xylem_position at = store_builder_add(&builder, session, "a", "host", "{\"a\":1}");
    struct row row = row_last(builder.txn, XYLEM_FORMAT__LOG);
    size_t last = row.value.bytes - 1;
    row_release(&row);
    row_last_set(builder.txn, XYLEM_FORMAT__LOG, last, '!', false);
    struct xylem_entry entry = read_entry(at);
    assert_int_equal(xylem_buffer_add(&text, "kept", 4), 0);
    assert_int_equal(xylem_entry_describe(&text, builder.txn, &entry, 0, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "payload of entry a"));
    assert_string_equal(text.data, "kept");
    assert_int_equal(text.bytes, 4);
    assert_int_equal(xylem_entry_describe(&text, builder.txn, &entry, 0, NULL), XYLEM_E_CORRUPT);
    store_builder_drop(&builder, root);
    assert_int_equal(xylem_entry_describe(&text, builder.txn, &entry, XYLEM_MEMBERS_ENTRY, &err), XYLEM_E_CORRUPT);
    assert_string_equal(text.data, "kept");
    store_builder_must(xylem_entry_describe(&text, builder.txn, &entry, XYLEM_MEMBERS_STORED, &err), &err);
}
