/* Sessions of other hosts travel: lines, values, rows beside entries, and what is redacted of them. */
#include "store/side.h"
#include "tests/lib/host_lines.h"
#include "tests/travel/mend.h"
#include "tests/travel/pair.h"

#define LINE(text, value, id) "{\"t\":\"" text "\",\"p\":\"<" value ">\",\"s\":\"<#" id ">\"}"
#define SECRET "a-secret-value"

static uint64_t source;
static uint64_t the_fork;
static struct xylem_position first;
static uint64_t record;

/* A session and its fork, which has rows of each type. */
static void prepare(void)
{
    source = store_builder_session(&owner, "A");
    host_record_add(&owner, source, "mode");
    first = host_line_add(&owner, source, "1", "user", LINE("one", "7", "A"));
    struct xylem_position second = host_line_add(&owner, source, "2", "attachment", LINE("two", "7", "A"));
    host_run_add(&owner, source, XYLEM_SIDE_REPEAT, second, 2);
    the_fork = store_builder_clone(&owner, source, "B");
    record = host_record_add(&owner, the_fork, "{\"x\":\"" SECRET "\"}");
    host_run_add(&owner, the_fork, XYLEM_SIDE_SHARED, second, 2);
    assert_int_equal(host_line_share(&owner, the_fork, first, LINE("one", SECRET, "B"), &err), 1);
    host_line_add(&owner, the_fork, "3", "user", LINE("three", "8", "B"));
    host_record_add(&owner, the_fork, "");
}

TRAVEL_TEST(a_session_of_another_host_travels_and_a_fork_reads_its_own_lines)
{
    prepare();
    travel("A");
    travel("B");
    for (size_t i = 0; i < segments.count; i++) {
        assert_known(&follower, segment_at(&segments, i));
    }
    host_assert_stream(follower.txn, pair_number(&follower, "B"),
                       "{\"x\":\"" SECRET "\"}\n{\"t\":\"one\",\"p\":\"" SECRET "\",\"s\":\"B\"}\n"
                       "{\"t\":\"two\",\"p\":\"7\",\"s\":\"B\"}\n{\"t\":\"three\",\"p\":\"8\",\"s\":\"B\"}\n\n");
    uint64_t next = change_count(&owner, "B") + 1;
    host_record_add(&owner, the_fork, "more");
    host_run_add(&owner, the_fork, XYLEM_SIDE_REPEAT, first, 1);
    travel_from("B", next);
}

static bool has_secret(void)
{
    bool has = false;
    for (size_t i = 0; i < segments.count; i++) {
        struct xylem_view bytes = segment_at(&segments, i);
        has = has || memmem(bytes.data, bytes.bytes, SECRET, sizeof SECRET - 1);
    }
    return has;
}

static void redact_rows(void)
{
    struct xylem_entry entry;
    const struct xylem_view why = xylem_view_of("why");
    store_builder_must(xylem_entry_read(&entry, owner.txn, first, &err), &err);
    uint64_t lsn = entry.lsn;
    store_builder_must(xylem_store__side_redact(owner.txn, the_fork, record, why, &err), &err);
    store_builder_must(xylem_store__side_redact(owner.txn, the_fork, lsn, why, &err), &err);
}

TRAVEL_TEST(rows_that_were_redacted_before_the_packing_do_not_travel)
{
    prepare();
    redact_rows();
    travel("A");
    travel("B");
    assert_false(has_secret());
}

TRAVEL_TEST(values_are_a_text_of_their_entry_until_they_are_redacted)
{
    prepare();
    pack_anew("B");
    assert_int_equal(xylem_segment_holds(segment_at(&segments, 0), xylem_view_of("1"), &err), 1);
    assert_int_equal(xylem_segment_holds(segment_at(&segments, 0), xylem_view_of("2"), &err), 0);
    redact_rows();
    pack_anew("B");
    assert_int_equal(xylem_segment_holds(segment_at(&segments, 0), xylem_view_of("1"), &err), 0);
}

TRAVEL_TEST(a_redaction_follows_its_row)
{
    prepare();
    travel("A");
    travel("B");
    assert_true(has_secret());
    uint64_t next = change_count(&owner, "B") + 1;
    redact_rows();
    travel_from("B", next);
    assert_int_equal(report.change_count, 2);
    assert_known(&follower, segment_at(&segments, 0));
    struct xylem_buffer stream = {NULL, 0, 0};
    host_stream(&stream, follower.txn, pair_number(&follower, "B"));
    assert_null(strstr(stream.data, SECRET));
    xylem_buffer_release(&stream);
}

TRAVEL_TEST(patterns_take_records_and_values_out)
{
    struct xylem_patterns *patterns;
    store_builder_must(xylem_patterns_new(&patterns, xylem_view_of("a-secret-[a-z]+"), &err), &err);
    const struct xylem_pack_options options = {.patterns = patterns, .reason = xylem_view_of("why"), .patterns_sum = 5};
    prepare();
    pack_with(&segments, &owner, "A", &options);
    pack_with(&segments, &owner, "B", &options);
    xylem_patterns_free(patterns);
    assert_false(has_secret());
    apply_all(&segments);
    host_assert_stream(follower.txn, pair_number(&follower, "B"),
                       "redacted\nredacted\n{\"t\":\"two\",\"p\":\"7\",\"s\":\"B\"}\n"
                       "{\"t\":\"three\",\"p\":\"8\",\"s\":\"B\"}\n\n");
}

#define B_WITHOUT_ROWS \
    "redacted\nredacted\n{\"t\":\"two\",\"p\":\"7\",\"s\":\"B\"}\n{\"t\":\"three\",\"p\":\"8\",\"s\":\"B\"}\n\n"

TRAVEL_TEST(rows_of_a_session_that_was_deleted_here_lose_what_their_owner_redacts)
{
    for (int whole = 0; whole < 2; whole++) { /* from the first change, or the redactions alone */
        prepare();
        travel("A");
        travel("B");
        uint64_t number = pair_number(&follower, "B");
        store_builder_must(xylem_session_delete(follower.txn, number, &err), &err);
        store_builder_commit(&follower);
        uint64_t next = change_count(&owner, "B") + 1;
        redact_rows();
        segments_release(&segments);
        pack_from("B", whole ? 1 : next);
        apply_all(&segments);
        assert_true(report.deleted);
        store_builder_must(xylem_session_undelete(follower.txn, number, &err), &err);
        host_assert_stream(follower.txn, number, B_WITHOUT_ROWS);
        pair_abort(&owner);
        pair_new_follower();
    }
}

TRAVEL_TEST(patterns_take_rows_out_that_the_store_has_already)
{
    struct xylem_patterns *patterns;
    store_builder_must(xylem_patterns_new(&patterns, xylem_view_of("a-secret-[a-z]+"), &err), &err);
    const struct xylem_pack_options options = {.patterns = patterns, .reason = xylem_view_of("why"), .patterns_sum = 5};
    prepare();
    travel("A");
    travel("B");
    uint64_t count = change_count(&follower, "B");
    segments_release(&segments);
    pack_with(&segments, &owner, "B", &options);
    xylem_patterns_free(patterns);
    apply_all(&segments);
    host_assert_stream(follower.txn, pair_number(&follower, "B"), B_WITHOUT_ROWS);
    assert_int_equal(change_count(&follower, "B"), count);
    pack_anew("B");
    assert_known(&follower, segment_at(&segments, 0));
}

/* The entry is of the follower's own session, the values are of one that follows. */
TRAVEL_TEST(values_of_an_entry_that_was_redacted_here_go_without_a_change)
{
    for (int before = 0; before < 2; before++) {
        prepare();
        travel("A");
        if (!before) {
            travel("B");
        }
        uint64_t number = pair_number(&follower, "A");
        store_builder_must(xylem_session_own(follower.txn, number, 1, &err), &err);
        redact_entry(&follower, "A", "1", false);
        segments_release(&segments);
        pack_with(&segments, &owner, "B", NULL);
        apply_all(&segments);
        assert_known(&follower, segment_at(&segments, 0));
        host_assert_stream(follower.txn, pair_number(&follower, "B"),
                           "{\"x\":\"" SECRET "\"}\nredacted\n{\"t\":\"two\",\"p\":\"7\",\"s\":\"B\"}\n"
                           "{\"t\":\"three\",\"p\":\"8\",\"s\":\"B\"}\n\n");
        assert_int_equal(change_count(&follower, "B"), change_count(&owner, "B"));
        struct xylem_side side;
        struct xylem_entry entry;
        struct xylem_position at = store_builder_find(&follower, number, "1");
        store_builder_must(xylem_entry_read(&entry, follower.txn, at, &err), &err);
        store_builder_must(xylem_side_read(&side, follower.txn, pair_number(&follower, "B"), entry.lsn, &err), &err);
        assert_true(side.redacted);
        pair_abort(&owner);
        pair_new_follower();
    }
}

TRAVEL_TEST(values_have_the_reason_of_their_entry)
{
    static const char *const reasons[] = {"why one", "why two"};
    prepare();
    struct xylem_position places[] = {first, {first.branch, first.depth + 1}};
    travel("A");
    uint64_t number = pair_number(&follower, "A");
    uint64_t local = store_builder_clone(&follower, number, "L");
    uint64_t lsns[2];
    assert_int_equal(
        host_line_share(&follower, local, store_builder_find(&follower, number, "1"), LINE("one", "x", "L"), &err), 1);
    assert_int_equal(
        host_line_share(&follower, local, store_builder_find(&follower, number, "2"), LINE("two", "x", "L"), &err), 1);
    uint64_t next = change_count(&owner, "A") + 1;
    for (size_t i = 0; i < 2; i++) {
        struct xylem_redact_report redacted;
        struct xylem_entry entry;
        const struct xylem_redact_options options = {.reason = xylem_view_of(reasons[i])};
        store_builder_must(xylem_redact(&redacted, owner.txn, source, places[i], &options, &err), &err);
        xylem_redact_report_release(&redacted);
        struct xylem_position at = store_builder_find(&follower, number, i ? "2" : "1");
        store_builder_must(xylem_entry_read(&entry, follower.txn, at, &err), &err);
        lsns[i] = entry.lsn;
    }
    travel_from("A", next);
    for (size_t i = 0; i < 2; i++) {
        struct xylem_side side;
        store_builder_must(xylem_side_read(&side, follower.txn, local, lsns[i], &err), &err);
        assert_true(side.redacted && xylem_base__view_is(side.reason, reasons[i]));
    }
}

TRAVEL_TEST(another_row_at_the_place_of_a_row_is_another_history)
{
    prepare();
    travel("A");
    travel("B");
    pack_anew("B");
    struct xylem_buffer bytes = {NULL, 0, 0};
    copy_bytes(&bytes, segment_at(&segments, 0));
    bytes.data[place_of_text(&bytes, "{\"x\":\"" SECRET)] = '[';
    mend_sum(bytes.data, bytes.bytes);
    refuse(&follower, xylem_base__buffer_view(&bytes), XYLEM_E_CONFLICT, "is a row with another content");
    xylem_buffer_release(&bytes);
}

/* Applies the segment of B to a store that has A, with a byte of the row of a text changed. */
static void refuse_row(const char *text, int at, char byte)
{
    struct xylem_buffer bytes = {NULL, 0, 0};
    copy_bytes(&bytes, segment_at(&segments, 0));
    bytes.data[(int)place_of_text(&bytes, text) + at] = byte;
    mend_sum(bytes.data, bytes.bytes);
    refuse(&follower, xylem_base__buffer_view(&bytes), XYLEM_E_MALFORMED, "");
    xylem_buffer_release(&bytes);
}

TRAVEL_TEST(a_redaction_leads_to_a_record)
{
    prepare();
    travel("A");
    travel("B");
    store_builder_commit(&follower);
    uint64_t next = change_count(&owner, "B") + 1;
    redact_rows();
    segments_release(&segments);
    pack_from("B", next);
    refuse_row("why", -6, 2);  /* to an entry */
    refuse_row("why", -6, 3);  /* to values */
    refuse_row("why", -6, 99); /* before the first change */
    refuse_row("why", -5, 99); /* a record of another dialect */
}

TRAVEL_TEST(fields_of_a_row_are_checked)
{
    prepare();
    travel("A");
    pack_anew("B");
    store_builder_commit(&follower);
    refuse_row("{\"x\":", -7, 4);       /* no type */
    refuse_row("{\"x\":", -7, 1);       /* a record as a repeat */
    refuse_row("{\"x\":", -6, 1);       /* a record that is no redaction leads back */
    refuse_row("{\"x\":", -1, 0x7f);    /* beyond the end */
    refuse_row("{\"x\":", 1, '\n');     /* two lines */
    refuse_row(SECRET, 0, '\n');        /* the same, of the record */
    refuse_row("\017" SECRET, 1, '\n'); /* values that make two lines */
    refuse_row("\017" SECRET, 1, '"');  /* and no JSON */
    refuse_row("\017" SECRET, 0, 2);    /* another number of values: that of a shorter value */
}
