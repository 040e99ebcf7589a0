/*
 * Every field of a record comes through a redaction and through a repair, also a field that a later format adds. The
 * tests compare whole encoded records. every_field() fills a field that it does not name with FILL.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "care/repair/repair.h"
#include "store/format/keys.h"
#include "store/lmdb/tables.h"
#include "xylem/redact.h"
#include "xylem/append.h"
#include "tests/lib/damage.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"

#define FILL 0x5a

/*
 *   ROOT ── MINTED        branch 1
 *     └── FULL ── BEHIND  branch 2: FULL has a value in every field
 */
enum { ROOT, MINTED, FULL, BEHIND, PLACES };
static const struct xylem_position places[PLACES] = {{1, 1}, {1, 2}, {2, 2}, {2, 3}};
static const int parents[PLACES] = {-1, ROOT, ROOT, FULL};
static const struct xylem_kind kinds[PLACES] = {{XYLEM_CLASS_HOST, {"message", 7}},
                                                {XYLEM_CLASS_CUSTOM, {"of-mine", 7}},
                                                {XYLEM_CLASS_HOST, {"label", 5}},
                                                {XYLEM_CLASS_HOST, {"message", 7}}};

/* A record as the log has it. The views of `entry` lie in `bytes`. `entry` has no name of its kind. */
struct stored {
    struct xylem_buffer bytes;
    struct xylem_entry entry;
};

/* The line of the only entry with a line. */
#define FULL_LINE "{\"type\":\"label\",  \"label\":\"x\"}"

static struct store_builder builder;
static struct stored before[PLACES];
static struct xylem_error err;
static char place[256]; /* a directory for the damaged store and the repaired store */
static char damaged[300];
static char repaired[300];

static struct stored stored_at(struct xylem_txn *txn, struct xylem_position at)
{
    struct stored stored = {.bytes = {0}};
    struct xylem_format__key key;
    struct xylem_view bytes = {NULL, 0};
    xylem_format__key_pair(&key, at.branch, at.depth);
    assert_int_equal(xylem_lmdb__get(&bytes, txn, XYLEM_FORMAT__LOG, key.view, &err), 1);
    assert_int_equal(xylem_buffer_add(&stored.bytes, bytes.data, bytes.bytes), XYLEM_OK);
    store_builder_must(xylem_format__record_decode(&stored.entry, at, xylem_base__buffer_view(&stored.bytes), &err),
                       &err);
    return stored;
}

/* The record of an entry, with FILL in each field that an entry of this test does not know. */
static struct xylem_format__record every_field(const struct xylem_entry *entry)
{
    struct xylem_format__record record;
    memset(&record, FILL, sizeof record);
    record.check = entry->check;
    record.payload_hash = entry->unverified.payload_hash;
    record.lsn = entry->lsn;
    record.time_ms = entry->time_ms;
    record.kind_number = entry->unverified.kind_number;
    record.flags = entry->flags;
    record.format = entry->format;
    record.id = entry->id;
    record.links = (struct xylem_view){entry->unverified.links, entry->unverified.links_bytes};
    record.payload = (struct xylem_view){entry->unverified.payload, entry->payload_bytes};
    record.line = xylem_view_of(entry->line_bytes > 0 ? FULL_LINE : NULL);
    if (entry->flags & XYLEM_ENTRY_REDACTED) {
        store_builder_must(xylem_entry_redaction(&record.line, entry, &err), &err);
    }
    return record;
}

/* The check of the entry at a place that has these fields. */
static uint64_t check_of(int at, const struct xylem_format__record *record, uint64_t parent_check)
{
    uint64_t check = 0;
    store_builder_must(xylem_format__record_check(&check, parent_check, kinds[at], record->time_ms, record->format,
                                                  record->id, record->payload_hash, &err),
                       &err);
    return check;
}

/* Appends the entry of a place. An entry with a line is imported. */
static void append(uint64_t session, int at, const char *id, const char *json, const char *line)
{
    int64_t time_ms = 1001 + at;
    struct xylem_view line_view = xylem_view_of(line);
    struct xylem_new_entry entry = {.id = xylem_view_of(id),
                                    .kind = kinds[at],
                                    .time_ms = &time_ms,
                                    .format = XYLEM_FORMAT_JSON,
                                    .payload = xylem_view_of(json)};
    struct xylem_append_options given = {.parent = XYLEM_PARENT_NONE};
    struct xylem_store__append_options options = {
        .given = &given, .imported = line != NULL, .lines = line ? &line_view : NULL};
    struct xylem_position own;
    if (parents[at] >= 0) {
        given.parent = XYLEM_PARENT_AT;
        given.parent_position = places[parents[at]];
    }
    store_builder_must(xylem_store__append(&own, builder.txn, session, &entry, 1, &options, &err), &err);
    assert_memory_equal(&own, &places[at], sizeof own);
}

/* Appends the entries, and writes their records again with every field. */
static int set_up(void **state)
{
    (void)state;
    store_builder_open(&builder);
    uint64_t session = store_builder_session(&builder, "main");
    append(session, ROOT, "root", "{\"n\":1}", NULL);
    append(session, MINTED, NULL, "[1,2]", NULL);
    append(session, FULL, "full", "{\"label\":\"x\"}", FULL_LINE);
    append(session, BEHIND, "behind", "{\"n\":2}", NULL);
    for (int i = 0; i < PLACES; i++) {
        struct stored appended = stored_at(builder.txn, places[i]);
        struct xylem_format__record record = every_field(&appended.entry);
        record.check = check_of(i, &record, parents[i] < 0 ? 0 : before[parents[i]].entry.check);
        store_builder_rewrite(&builder, places[i], &record);
        before[i] = stored_at(builder.txn, places[i]);
        xylem_buffer_release(&appended.bytes);
    }
    store_builder_commit(&builder);
    test_directory_make(place, sizeof place, "fields");
    snprintf(damaged, sizeof damaged, "%s/damaged", place);
    snprintf(repaired, sizeof repaired, "%s/repaired", place);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[400];
    for (int i = 0; i < PLACES; i++) {
        xylem_buffer_release(&before[i].bytes);
    }
    store_builder_close(&builder);
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

/* The log has exactly this record at the place: a difference is a field that was not copied. */
static void assert_record(struct xylem_txn *txn, int at, const struct xylem_format__record *expected)
{
    struct xylem_buffer bytes = {0};
    struct stored found = stored_at(txn, places[at]);
    store_builder_must(xylem_format__record_encode(&bytes, places[at], expected, &err), &err);
    assert_int_equal(found.bytes.bytes, bytes.bytes);
    assert_memory_equal(found.bytes.data, bytes.data, bytes.bytes);
    xylem_buffer_release(&found.bytes);
    xylem_buffer_release(&bytes);
}

static void assert_unchanged(struct xylem_txn *txn, int at)
{
    struct xylem_format__record record = every_field(&before[at].entry);
    assert_record(txn, at, &record);
}

static void redact(int at, bool drop_hash)
{
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("a password"), .drop_hash = drop_hash};
    store_builder_must(xylem_redact(&report, builder.txn, 1, places[at], &options, &err), &err);
    xylem_redact_report_release(&report);
}

/* The record of an entry after the loss of its payload, with a text in the place of its line. */
static struct xylem_format__record without_payload(int at, const char *reason)
{
    struct xylem_format__record record = every_field(&before[at].entry);
    record.flags |= XYLEM_ENTRY_REDACTED;
    record.payload = (struct xylem_view){NULL, 0};
    record.line = xylem_view_of(reason);
    return record;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(the_entry_of_these_tests_has_a_value_in_every_field)
{
    struct xylem_format__record record = every_field(&before[FULL].entry);
    assert_true(record.check && record.payload_hash && record.lsn > 1 && record.time_ms && record.kind_number > 1);
    assert_int_equal(record.flags, XYLEM_ENTRY_STARTS_BRANCH | XYLEM_ENTRY_IMPORTED);
    assert_int_equal(record.format, XYLEM_FORMAT_JSON);
    assert_true(record.id.bytes && record.links.bytes && record.payload.bytes && record.line.bytes);
    assert_int_equal(before[MINTED].entry.flags & XYLEM_ENTRY_MINTED, XYLEM_ENTRY_MINTED);
    assert_int_equal(before[MINTED].entry.format, XYLEM_FORMAT_MSGPACK);
}

IN_SCENE(a_redaction_keeps_every_field_but_payload_and_line)
{
    redact(FULL, false);
    struct xylem_format__record expected = without_payload(FULL, "a password");
    assert_record(builder.txn, FULL, &expected);
    assert_unchanged(builder.txn, ROOT);
    assert_unchanged(builder.txn, MINTED);
    assert_unchanged(builder.txn, BEHIND);
}

IN_SCENE(a_redaction_without_the_hash_keeps_every_other_field_here_and_behind)
{
    redact(FULL, true);
    struct stored dropped = stored_at(builder.txn, places[FULL]);
    uint64_t hash = dropped.entry.unverified.payload_hash;
    xylem_buffer_release(&dropped.bytes);
    assert_true(hash != before[FULL].entry.unverified.payload_hash);
    struct xylem_format__record expected = without_payload(FULL, "a password");
    expected.flags |= XYLEM_ENTRY_HASH_DROPPED;
    expected.payload_hash = hash;
    expected.check = check_of(FULL, &expected, before[ROOT].entry.check);
    assert_record(builder.txn, FULL, &expected);
    struct xylem_format__record behind = every_field(&before[BEHIND].entry);
    behind.check = check_of(BEHIND, &behind, expected.check);
    assert_record(builder.txn, BEHIND, &behind);
    assert_unchanged(builder.txn, ROOT);
    assert_unchanged(builder.txn, MINTED);
}

static struct xylem_store *store; /* the repaired store */
static struct xylem_txn *txn;

/* Repairs the store. `byte` NULL, or a byte of the record of FULL that is damaged before. */
static void repair(const void *byte)
{
    struct damage_file file = damage_read(builder.path);
    struct xylem_repair_report report;
    if (byte) {
        struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, places[FULL].branch, places[FULL].depth);
        file.bytes[row.value + (size_t)((const char *)byte - before[FULL].bytes.data)] ^= 1;
    }
    damage_write(damaged, &file);
    store_builder_must(xylem_repair(&report, damaged, repaired, NULL, NULL, NULL, &err), &err);
    assert_int_equal(report.entry_count, PLACES);
    assert_int_equal(report.damaged_entry_count, byte != NULL);
    assert_int_equal(report.changed_entry_count, 0);
    struct xylem_open_options options = {.read_only = true};
    store_builder_must(xylem_open(&store, repaired, &options, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    damage_free(&file);
}

static void close_repaired(void)
{
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

IN_SCENE(a_repair_keeps_every_field)
{
    repair(NULL);
    for (int i = 0; i < PLACES; i++) {
        assert_unchanged(txn, i);
    }
    close_repaired();
}

IN_SCENE(a_repair_keeps_every_field_of_a_redacted_entry)
{
    redact(MINTED, false);
    redact(BEHIND, true);
    redact(FULL, false);
    store_builder_commit(&builder);
    repair(NULL);
    for (int i = 0; i < PLACES; i++) {
        struct stored in_old = stored_at(builder.txn, places[i]);
        struct xylem_format__record record = every_field(&in_old.entry);
        assert_record(txn, i, &record);
        xylem_buffer_release(&in_old.bytes);
    }
    close_repaired();
}

IN_SCENE(a_repair_without_the_payload_keeps_every_other_field)
{
    repair(before[FULL].entry.unverified.payload);
    struct xylem_format__record expected = without_payload(FULL, XYLEM_REPAIR__LOST_REASON);
    assert_record(txn, FULL, &expected);
    assert_unchanged(txn, BEHIND);
    close_repaired();
}

IN_SCENE(a_repair_without_the_line_keeps_every_other_field)
{
    repair(before[FULL].entry.unverified.line);
    struct xylem_format__record expected = every_field(&before[FULL].entry);
    expected.line = (struct xylem_view){NULL, 0};
    assert_record(txn, FULL, &expected);
    assert_unchanged(txn, BEHIND);
    close_repaired();
}
