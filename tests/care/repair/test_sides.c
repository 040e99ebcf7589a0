/* Repairs of sessions of other hosts: lines, and rows beside entries, keep their order, and what was removed stays away. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "store/format/keys.h"
#include "store/lmdb/tables.h"
#include "store/side.h"
#include "tests/lib/changes.h"
#include "tests/lib/damage.h"
#include "tests/lib/host_lines.h"
#include "tests/lib/test.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/redact.h"

static struct store_builder builder; /* the store before it was damaged */
static struct xylem_error err;
static char place[256];
static char damaged[300];
static char repaired[300];
static uint64_t source;
static uint64_t copy;
static struct xylem_position first;
static uint64_t secret_lsn;
static struct xylem_buffer told; /* the texts of the problems */

#define LINE(text, value, id) "{\"t\":\"" text "\",\"p\":\"<" value ">\",\"s\":\"<#" id ">\"}"
#define SECRET "a-secret-of-a-record"
#define A_STREAM                                                                                                    \
    "mode\n{\"t\":\"one\",\"p\":\"7\",\"s\":\"A\"}\nmode\n{\"t\":\"two\",\"p\":\"7\",\"s\":\"A\"}\n{\"t\":\"two\"," \
    "\"p\":\"7\",\"s\":\"A\"}\nlast\n"
#define B_STREAM(record)                                                                                           \
    record "\n{\"t\":\"one\",\"p\":\"8\",\"s\":\"B\"}\n{\"t\":\"two\",\"p\":\"7\",\"s\":\"B\"}\n{\"t\":\"three\"," \
           "\"p\":\"8\",\"s\":\"B\"}\n"

static int set_up(void **state)
{
    (void)state;
    store_builder_open(&builder);
    source = store_builder_session(&builder, "A");
    host_record_add(&builder, source, "mode");
    first = host_line_add(&builder, source, "1", "user", LINE("one", "7", "A"));
    host_record_add(&builder, source, "mode");
    struct xylem_position second = host_line_add(&builder, source, "2", "user", LINE("two", "7", "A"));
    host_run_add(&builder, source, XYLEM_SIDE_REPEAT, second, 1);
    copy = store_builder_clone(&builder, source, "B");
    secret_lsn = host_record_add(&builder, copy, SECRET);
    host_run_add(&builder, copy, XYLEM_SIDE_SHARED, second, 2);
    assert_int_equal(host_line_share(&builder, copy, first, LINE("one", "8", "B"), &err), 1);
    host_line_add(&builder, copy, "3", "user", LINE("three", "8", "B"));
    host_record_add(&builder, source, "last");
    store_builder_commit(&builder);
    test_directory_make(place, sizeof place, "repair");
    (void)snprintf(damaged, sizeof damaged, "%s/damaged", place);
    (void)snprintf(repaired, sizeof repaired, "%s/repaired", place);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[400];
    store_builder_close(&builder);
    xylem_buffer_release(&told);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

static struct xylem_repair_report report;
static struct xylem_store *store;
static struct xylem_txn *txn;

static int tell(void *context, const struct xylem_problem *problem)
{
    (void)context;
    return xylem_base__buffer_add_format(&told, "%.*s: %s\n", (int)problem->name_space.bytes, problem->name_space.data,
                                         problem->text);
}

static void repair(struct damage_file *file)
{
    struct xylem_verify_report verified;
    struct xylem_open_options options = {.read_only = true};
    struct changes changes;
    damage_write(damaged, file);
    store_builder_must(xylem_repair(&report, damaged, repaired, NULL, tell, NULL, &err), &err);
    store_builder_must(xylem_open(&store, repaired, &options, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_verify(&verified, txn, NULL, NULL, NULL, &err), &err);
    assert_int_equal(verified.problem_count, 0);
    if (!changes_agree(&changes, txn, true)) {
        fail_msg("%s", changes.problem);
    }
    damage_free(file);
}

static void close_repaired(void)
{
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

static uint64_t number_of(const char *id)
{
    struct xylem_session session;
    store_builder_must(xylem_session_find(&session, txn, xylem_view_of(id), &err), &err);
    return session.number;
}

static bool repaired_has(const char *text)
{
    struct damage_file file = damage_read(repaired);
    bool has = memmem(file.bytes, file.count, text, strlen(text)) != NULL;
    damage_free(&file);
    return has;
}

IN_SCENE(lines_records_and_values_come_along_in_their_order)
{
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    assert_true(report.complete);
    host_assert_stream(txn, number_of("A"), A_STREAM);
    host_assert_stream(txn, number_of("B"), B_STREAM(SECRET));
    close_repaired();
}

/* A session whose rows alone are left. */
IN_SCENE(a_session_without_entries_keeps_its_records)
{
    uint64_t alone = store_builder_session(&builder, "alone");
    host_record_add(&builder, alone, "one");
    host_record_add(&builder, alone, "two");
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    host_assert_stream(txn, number_of("alone"), "one\ntwo\n");
    close_repaired();
}

IN_SCENE(lost_rows_are_told)
{
    struct damage_file file = damage_read(builder.path);
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__SIDES, source, 0);
    file.bytes[row.value + 2] ^= 1; /* of the first record */
    repair(&file);
    assert_false(report.complete);
    assert_int_equal(report.lost_row_count, 1);
    host_assert_stream(txn, number_of("A"), strchr(A_STREAM, '\n') + 1);
    host_assert_stream(txn, number_of("B"), B_STREAM(SECRET));
    close_repaired();
}

/* No change has that lsn. */
IN_SCENE(a_row_under_the_last_lsn_is_told)
{
    struct xylem_buffer row = {NULL, 0, 0};
    struct xylem_format__key key;
    xylem_format__key_pair(&key, source, UINT64_MAX);
    assert_int_equal(xylem_buffer_add(&row, "\0\5\2{}", 5), XYLEM_OK);
    store_builder_must(xylem_lmdb__put_summed(builder.txn, XYLEM_FORMAT__SIDES, key.view, &row, true, true, &err),
                       &err);
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    assert_false(report.complete);
    assert_int_equal(report.lost_row_count, 1);
    host_assert_stream(txn, number_of("A"), A_STREAM);
    close_repaired();
}

IN_SCENE(rows_are_lost_with_their_entry)
{
    struct xylem_session other;
    const struct xylem_session_options options = {.id = xylem_view_of("B"), .name_space = xylem_view_of("space")};
    store_builder_must(xylem_clone(&other, builder.txn, source, &options, &err), &err);
    assert_int_equal(host_line_share(&builder, other.number, first, LINE("one", "9", "B"), &err), 1);
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, first.branch, first.depth);
    memset(file.bytes + row.value, 0xff, (size_t)row.value_bytes); /* a placeholder stands there */
    repair(&file);
    assert_int_equal(report.placeholder_count, 1);
    assert_int_equal(report.lost_row_count, 2); /* the values: the placeholder has no holes */
    assert_non_null(strstr(told.data, "space: the row of lsn 3 is lost: the values do not fit the holes of entry "));
    host_assert_stream(txn, number_of("B"),
                       SECRET "\n{\"t\":\"two\",\"p\":\"7\",\"s\":\"B\"}\n{\"t\":\"three\",\"p\":\"8\",\"s\":\"B\"}\n");
    close_repaired();
}

IN_SCENE(lost_values_leave_the_holes_of_a_line_empty)
{
    struct damage_file file = damage_read(builder.path);
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, first.branch, first.depth);
    file.bytes[row.value + row.value_bytes - 1] ^= 1; /* the last byte of the values */
    repair(&file);
    assert_int_equal(report.damaged_entry_count, 1);
    assert_non_null(strstr(told.data, "the values of the line are lost: the entry is kept with empty holes"));
    struct xylem_buffer stream = {NULL, 0, 0};
    host_stream(&stream, txn, number_of("A"));
    assert_non_null(strstr(stream.data, "{\"t\":\"one\",\"p\":\"\",\"s\":\"\"}\n"));
    xylem_buffer_release(&stream);
    host_assert_stream(txn, number_of("B"), B_STREAM(SECRET)); /* has values of its own */
    close_repaired();
}

/* {"n":} would be no line. */
IN_SCENE(a_line_that_is_none_without_its_values_is_lost_with_them)
{
    struct xylem_position at = host_line_add(&builder, source, "4", "user", "{\"n\":<77>}");
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, at.branch, at.depth);
    file.bytes[row.value + row.value_bytes - 1] ^= 1; /* the last byte of the values */
    repair(&file);
    assert_int_equal(report.damaged_entry_count, 1);
    assert_non_null(strstr(told.data, "the values of the line are lost: the entry is kept without its payload"));
    host_assert_stream(txn, number_of("A"), A_STREAM "redacted\n");
    close_repaired();
}

IN_SCENE(an_entry_with_values_that_make_no_line_is_refused)
{
    struct xylem_position at = host_line_add(&builder, source, "4", "user", "{\"n\":<77>}");
    struct xylem_format__record record = store_builder_record(&builder, at);
    record.line = xylem_view_of("\x03x7");
    store_builder_rewrite(&builder, at, &record);
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    assert_non_null(strstr(told.data, "data: expected msgpack, or a line"));
    host_assert_stream(txn, number_of("A"), A_STREAM);
    close_repaired();
}

IN_SCENE(a_redacted_record_does_not_come_back)
{
    const struct xylem_view why = xylem_view_of("why");
    uint64_t removed = secret_lsn;
    store_builder_must(xylem_store__side_redact(builder.txn, copy, removed, why, &err), &err);
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    assert_non_null(memmem(file.bytes, file.count, SECRET, strlen(SECRET))); /* on a page that LMDB freed */
    repair(&file);
    host_assert_stream(txn, number_of("B"), B_STREAM("redacted"));
    assert_false(repaired_has(SECRET));
    close_repaired();
}

/* The row is lost, and the row from before the redaction is all that is left. */
IN_SCENE(an_older_record_comes_without_its_bytes)
{
    struct xylem_patterns *patterns;
    struct xylem_redact_report redacted;
    const struct xylem_redact_matches_options options = {.redact.reason = xylem_view_of("why")};
    store_builder_must(xylem_patterns_new(&patterns, xylem_view_of(SECRET), &err), &err);
    store_builder_must(xylem_redact_matches(&redacted, builder.txn, patterns, &options, &err), &err);
    assert_int_equal(redacted.side_count, 1);
    xylem_redact_report_release(&redacted);
    xylem_patterns_free(patterns);
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__SIDES, copy, secret_lsn);
    damage_zero_page(&file, row.page);
    assert_non_null(memmem(file.bytes, file.count, SECRET, strlen(SECRET)));
    repair(&file);
    assert_true(report.withheld_count >= 1);
    assert_false(repaired_has(SECRET));
    close_repaired();
}
