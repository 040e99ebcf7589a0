#include <stdio.h>

#include "store/branch.h"
#include "store/feed.h"
#include "store/format/keys.h"
#include "xylem/feed.h"
#include "xylem/care.h"
#include "xylem/files.h"
#include "xylem/inspect.h"
#include "xylem/append.h"
#include "tests/lib/costs.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "tests/store/rows.h"

static struct xylem_error err;
static const struct xylem_position none = {0, 0};

static struct xylem_position at(uint64_t branch, uint64_t depth)
{
    return (struct xylem_position){branch, depth};
}

static void delete_session(uint64_t session)
{
    store_builder_must(xylem_session_delete(builder.txn, session, &err), &err);
}

static void assert_whole(void)
{
    assert_verified(builder.txn);
}

/* What a call told of one session after the other. */
struct told {
    struct xylem_freed list[8];
    char ids[8][32];
    size_t count;
    size_t stop_after; /* 0: never */
};

static int hear(void *context, const struct xylem_freed *what)
{
    struct told *told = context;
    assert_true(told->count < 8 && what->id.bytes < sizeof told->ids[0]);
    told->list[told->count] = *what;
    (void)snprintf(told->ids[told->count], sizeof told->ids[0], "%.*s", (int)what->id.bytes, what->id.data);
    told->count++;
    return told->count == told->stop_after;
}

/* Frees, after a dry run that says the same; the store is whole afterwards. */
static struct xylem_gc_report collect(struct told *told)
{
    struct told dry = {.count = 0};
    struct told own = {.count = 0};
    struct xylem_gc_report report;
    struct xylem_gc_report expected;
    struct xylem_txn *reader = NULL;
    struct xylem_gc_options options = {.dry_run = true, .freed = hear, .context = &dry};
    told = told ? told : &own;
    store_builder_commit(&builder);
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    int code = xylem_gc(&expected, reader, &options, &err);
    struct costs costs = costs_of(reader);
    xylem_abort(reader);
    store_builder_must(code, &err);
    assert_int_equal(costs_puts(&costs), 0);
    options = (struct xylem_gc_options){.freed = hear, .context = told};
    store_builder_must(xylem_gc(&report, builder.txn, &options, &err), &err);
    assert_memory_equal(&report, &expected, sizeof report);
    assert_int_equal(dry.count, told->count);
    for (size_t i = 0; i < dry.count; i++) {
        assert_int_equal(dry.list[i].session, told->list[i].session);
        assert_int_equal(dry.list[i].row_count, told->list[i].row_count);
        assert_int_equal(dry.list[i].bytes, told->list[i].bytes);
        assert_string_equal(dry.ids[i], told->ids[i]);
    }
    store_builder_commit(&builder);
    assert_whole();
    return report;
}

static int read_code(struct xylem_position position)
{
    struct xylem_entry entry;
    return xylem_entry_read(&entry, builder.txn, position, &err);
}

static struct xylem_store__branch branch_of(uint64_t number)
{
    struct xylem_store__branch branch;
    store_builder_must(xylem_store__branch_read(&branch, builder.txn, number, &err), &err);
    return branch;
}

static uint64_t count_rows(enum xylem_format__table table)
{
    struct xylem_lmdb__table_size size;
    store_builder_must(xylem_lmdb__table_size(&size, builder.txn, table, &err), &err);
    return size.rows;
}

/* One row: "1 created", "2-4@(1,1)", "5-9 freed" for entries, or "10 freed:ID" for a session. */
static void describe_feed(char *text, size_t bytes, const struct xylem_store__feed *feed)
{
    unsigned first = (unsigned)feed->first_lsn;
    unsigned last = (unsigned)feed->last_lsn;
    if (feed->tag == XYLEM_FORMAT__FEED_APPENDED) {
        (void)snprintf(text, bytes, "%u-%u@(%u,%u)", first, last, (unsigned)feed->position.branch,
                       (unsigned)feed->position.depth);
    } else if (feed->tag == XYLEM_FORMAT__FEED_CHANGE) {
        assert_int_equal(first, last);
        (void)snprintf(text, bytes, "%u %s%s%.*s", first, xylem_change_word((enum xylem_change_type)feed->type),
                       feed->freed_id.bytes > 0 ? ":" : "", (int)feed->freed_id.bytes, feed->freed_id.data);
    } else {
        (void)snprintf(text, bytes, "%u-%u %s", first, last,
                       feed->tag == XYLEM_FORMAT__FEED_FREED ? "freed" : "skipped");
    }
}

/* "1 created 2-4@(1,1) 5 deleted 6-9 freed 10 freed:ID" */
static void assert_feed(const char *expected)
{
    char text[1024] = "";
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    for (size_t i = 0; i < rows.count; i++) {
        struct xylem_store__feed feed = feed_of(&rows.rows[i]);
        size_t bytes = strlen(text);
        assert_true(bytes + 64 < sizeof text);
        text[bytes] = ' ';
        describe_feed(text + bytes + (i > 0), sizeof text - bytes - 1, &feed);
    }
    rows_release(&rows);
    assert_string_equal(text, expected);
}

/* A source that was imported, with a navigation and a line in quarantine. */
static void put_away(uint64_t session)
{
    struct xylem_store__source source = {.name = xylem_view_of("/a.jsonl"), .bytes = 10, .lines = 2};
    struct xylem_view raw = xylem_view_of("?\n");
    struct xylem_quarantined row = {
        .line = 2, .hash = xylem_format__hash(raw), .source = source.name, .raw = raw, .raw_bytes = 2};
    store_builder_must(xylem_store__source_write(builder.txn, session, &source, &err), &err);
    store_builder_must(xylem_store__quarantine_add(builder.txn, session, &row, &err), &err);
    row.line = 3;
    store_builder_must(xylem_store__quarantine_add(builder.txn, session, &row, &err), &err);
}

/* --- All of a session ------------------------------------------------------------------------------------------- */

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(of_a_session_that_shares_nothing_no_row_is_left)
{
    uint64_t stays = store_builder_session(&builder, "stays");
    store_builder_add(&builder, stays, "x", "message", "{\"n\":1}");
    uint64_t before[XYLEM_FORMAT__TABLE_COUNT];
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        before[table] = count_rows((enum xylem_format__table)table);
    }
    uint64_t goes = store_builder_session(&builder, "goes");
    struct xylem_position first = store_builder_add(&builder, goes, "a", "message", "{\"n\":12345}");
    store_builder_grow(&builder, goes, 3);
    store_builder_go(&builder, goes, first);
    store_builder_add(&builder, goes, "b", "message", NULL);
    put_away(goes);
    delete_session(goes);
    struct told told = {.count = 0};
    struct xylem_gc_report report = collect(&told);
    assert_int_equal(told.count, 1);
    assert_string_equal(told.ids[0], "goes");
    assert_true(told.list[0].session == goes && told.list[0].kept_entry_count == 0);
    assert_true(report.session_count == 1 && report.entry_count == 5 && report.branch_count == 2);
    assert_int_equal(report.payload_bytes, strlen("{\"n\":12345}"));
    assert_true(report.kept_session_count == 0 && report.kept_entry_count == 0);
    /* 5 records, 2 ids that were given, 2 branches, 1 move, 1 source, 2 lines, 1 id, 1 session, 1 notice */
    assert_int_equal(report.row_count, 5 + 2 + 2 + 1 + 1 + 2 + 1 + 1 + 1);
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        uint64_t added = table == XYLEM_FORMAT__META ? 3 : table == XYLEM_FORMAT__FEED ? 6 : 0;
        assert_int_equal(count_rows((enum xylem_format__table)table), before[table] + added);
    }
    assert_int_equal(read_code(first), XYLEM_E_FREED);
    assert_int_equal(read_code(at(3, 2)), XYLEM_E_FREED);
    assert_int_equal(read_code(at(4, 1)), XYLEM_E_NOT_FOUND); /* a number that was never given */
    assert_int_equal(read_code(none), XYLEM_E_NOT_FOUND);
    assert_int_equal(read_code(at(1, 2)), XYLEM_E_NOT_FOUND);
    assert_feed("1 created 2-2@(1,1) 3 created 4-7 freed 8 moved 9-9 freed 10 deleted 11 freed:goes");
}

IN_STORE(the_bytes_are_those_of_the_rows_that_go)
{
    uint64_t goes = store_builder_session(&builder, "goes");
    store_builder_add(&builder, goes, "a", "message", "{\"n\":12345}");
    store_builder_add(&builder, goes, NULL, "message", NULL);
    store_builder_go(&builder, goes, none);
    put_away(goes);
    uint64_t bytes = 0;
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        bool counts = table != XYLEM_FORMAT__META && table != XYLEM_FORMAT__KINDS && table != XYLEM_FORMAT__FEED;
        struct rows rows = rows_of(builder.txn, (enum xylem_format__table)table);
        for (size_t i = 0; counts && i < rows.count; i++) {
            bytes += rows.rows[i].key.bytes + rows.rows[i].value.bytes;
        }
        rows_release(&rows);
    }
    delete_session(goes);
    assert_int_equal(collect(NULL).bytes, bytes);
}

IN_STORE(an_id_is_free_again_and_numbers_are_not)
{
    uint64_t old = store_builder_session(&builder, "s");
    store_builder_messages(&builder, old, 2);
    delete_session(old);
    struct xylem_session session;
    struct xylem_session_options options = {.id = xylem_view_of("s")};
    assert_int_equal(xylem_session_create(&session, builder.txn, &options, &err), XYLEM_E_EXISTS);
    collect(NULL);
    assert_int_equal(xylem_session_find(&session, builder.txn, options.id, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_session_read(&session, builder.txn, old, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_session_undelete(builder.txn, old, &err), XYLEM_E_NOT_FOUND);
    uint64_t fresh = store_builder_session(&builder, "s");
    assert_int_equal(fresh, old + 1);
    struct xylem_position position = store_builder_add(&builder, fresh, "a", "message", NULL);
    assert_true(position.branch == 2 && position.depth == 1);
    struct xylem_entry entry;
    store_builder_must(xylem_entry_read(&entry, builder.txn, position, &err), &err);
    assert_int_equal(entry.lsn, 7);
    assert_feed("1 created 2-3 freed 4 deleted 5 freed:s 6 created 7-7@(2,1)");
    assert_whole();
}

IN_STORE(an_id_of_an_entry_that_was_freed_is_not_found)
{
    uint64_t old = store_builder_session(&builder, "old");
    struct xylem_position position = store_builder_add(&builder, old, NULL, "message", NULL);
    struct xylem_entry entry;
    char id[XYLEM_ENTRY_ID_BYTES_MAX];
    store_builder_must(xylem_entry_read(&entry, builder.txn, position, &err), &err);
    memcpy(id, entry.id.data, entry.id.bytes);
    struct xylem_view minted = {id, entry.id.bytes};
    uint64_t other = store_builder_session(&builder, "other");
    store_builder_messages(&builder, other, 1);
    delete_session(old);
    collect(NULL);
    assert_int_equal(xylem_find(&position, builder.txn, other, minted, &err), XYLEM_E_NOT_FOUND);
}

IN_STORE(without_anything_deleted_nothing_is_written)
{
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 3);
    store_builder_clone(&builder, source, "clone");
    store_builder_commit(&builder);
    struct xylem_gc_report report = {.session_count = 9};
    store_builder_must(xylem_gc(&report, builder.txn, NULL, &err), &err);
    struct costs costs = costs_of(builder.txn);
    assert_int_equal(costs_puts(&costs), 0);
    assert_true(report.session_count == 0 && report.row_count == 0 && report.kept_session_count == 0);
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
}

IN_STORE(a_session_without_entries_is_freed_too)
{
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 3);
    uint64_t clone = store_builder_clone(&builder, source, "clone");
    delete_session(clone);
    struct xylem_gc_report report = collect(NULL);
    assert_true(report.session_count == 1 && report.entry_count == 0 && report.row_count == 2);
    assert_int_equal(store_builder_leaf(&builder, source).depth, 3);
}

/* --- What others share ------------------------------------------------------------------------------------------ */

IN_STORE(what_a_fork_shares_stays_and_what_lies_behind_goes)
{
    struct xylem_buffer before = {NULL, 0, 0};
    struct xylem_buffer after = {NULL, 0, 0};
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 6);
    uint64_t fork = store_builder_fork(&builder, source, at(1, 4), XYLEM_FORK_AT, "fork");
    struct xylem_position leaf = store_builder_add(&builder, fork, "mine", "custom:readonly", "{\"enabled\":true}");
    store_builder_scan_ids(&before, &builder, fork);
    delete_session(source);
    struct told told = {.count = 0};
    struct xylem_gc_report report = collect(&told);
    assert_true(report.entry_count == 2 && report.branch_count == 0 && report.kept_entry_count == 4);
    assert_true(report.kept_session_count == 1 && told.list[0].kept_entry_count == 4);
    store_builder_scan_ids(&after, &builder, fork);
    assert_string_equal(before.data, after.data);
    assert_int_equal(read_code(at(1, 4)), XYLEM_OK);
    assert_int_equal(read_code(at(1, 5)), XYLEM_E_FREED);
    assert_int_equal(branch_of(1).end_depth, 4);
    assert_int_equal(branch_of(leaf.branch).end_depth, 0);
    struct xylem_session remnant = store_builder_read(&builder, source);
    assert_int_equal(remnant.state, XYLEM_SESSION_FREED);
    assert_true(remnant.id.bytes == 0 && remnant.move_count == 0 && remnant.leaf.depth == 0);
    assert_true(remnant.last_lsn == 5 && remnant.own_entry_count == 4 && remnant.newest_branch == 1);
    static const char feed[] = "1 created 2-5@(1,1) 6-7 freed 8 forked 9-9@(2,5) 10 deleted 11 freed:source";
    assert_feed(feed);
    assert_int_equal(collect(NULL).session_count, 0); /* there is nothing more to free */
    assert_feed(feed);
    xylem_buffer_release(&before);
    xylem_buffer_release(&after);
}

IN_STORE(a_branch_that_is_shared_to_its_tip_has_no_end)
{
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 3);
    store_builder_clone(&builder, source, "clone");
    delete_session(source);
    struct xylem_gc_report report = collect(NULL);
    assert_true(report.entry_count == 0 && report.kept_entry_count == 3 && report.session_count == 1);
    assert_int_equal(branch_of(1).end_depth, 0);
    assert_int_equal(read_code(at(1, 4)), XYLEM_E_NOT_FOUND); /* none was ever there */
}

IN_STORE(the_chain_of_branches_leaves_out_those_that_are_gone)
{
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 3);
    for (uint64_t branch = 2; branch <= 6; branch++) {
        store_builder_add_at(&builder, source, at(1, 2), NULL, "message", NULL);
        store_builder_messages(&builder, source, branch);
    }
    uint64_t a = store_builder_fork(&builder, source, at(3, 4), XYLEM_FORK_AT, "a");
    uint64_t b = store_builder_fork(&builder, source, at(5, 3), XYLEM_FORK_AT, "b");
    delete_session(source);
    struct xylem_gc_report report = collect(NULL);
    assert_int_equal(report.branch_count, 3);
    assert_int_equal(store_builder_read(&builder, source).newest_branch, 5);
    assert_int_equal(branch_of(5).previous_branch, 3);
    assert_int_equal(branch_of(3).previous_branch, 1);
    assert_int_equal(branch_of(1).previous_branch, 0);
    assert_true(branch_of(5).end_depth == 3 && branch_of(3).end_depth == 4 && branch_of(1).end_depth == 2);
    assert_int_equal(report.kept_entry_count, 2 + 2 + 1);
    assert_int_equal(read_code(at(6, 3)), XYLEM_E_FREED);
    /* The newest goes, and one in the middle stays. */
    delete_session(b);
    struct told told = {.count = 0};
    report = collect(&told);
    assert_int_equal(told.count, 2);
    assert_true(told.list[1].session == source && !told.list[1].id.data && told.list[1].entry_count == 1);
    assert_int_equal(store_builder_read(&builder, source).newest_branch, 3);
    delete_session(a);
    report = collect(NULL);
    assert_true(report.kept_session_count == 0 && report.session_count == 2);
    assert_true(count_rows(XYLEM_FORMAT__LOG) == 0 && count_rows(XYLEM_FORMAT__BRANCHES) == 0);
    assert_true(count_rows(XYLEM_FORMAT__SESSIONS) == 0 && count_rows(XYLEM_FORMAT__IDS) == 0);
    assert_feed("1 created 2-29 freed 30 forked 31 forked 32 deleted 33 freed:source 34 deleted 35 freed:b 36 deleted "
                "37 freed:a");
}

IN_STORE(a_branch_that_is_not_cut_follows_the_chain_too)
{
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 3);
    store_builder_add_at(&builder, source, at(1, 1), NULL, "message", NULL);
    struct xylem_position tip = store_builder_add_at(&builder, source, none, NULL, "message", NULL);
    store_builder_fork(&builder, source, tip, XYLEM_FORK_AT, "fork");
    delete_session(source);
    collect(NULL);
    assert_true(branch_of(3).previous_branch == 0 && branch_of(3).end_depth == 0);
}

IN_STORE(a_branch_is_cut_again_when_less_of_it_is_needed)
{
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 9);
    uint64_t far = store_builder_fork(&builder, source, at(1, 7), XYLEM_FORK_AT, "far");
    store_builder_fork(&builder, source, at(1, 3), XYLEM_FORK_AT, "near");
    delete_session(source);
    collect(NULL);
    assert_int_equal(branch_of(1).end_depth, 7);
    delete_session(far);
    struct xylem_gc_report report = collect(NULL);
    assert_true(report.entry_count == 4 && report.kept_entry_count == 3 && report.branch_count == 0);
    assert_int_equal(branch_of(1).end_depth, 3);
    assert_feed("1 created 2-4@(1,1) 5-10 freed 11 forked 12 forked 13 deleted 14 freed:source 15 deleted "
                "16 freed:far");
}

/* A clone's path leads through a clone that has no entries, and one whose branch is needed in part. */
IN_STORE(paths_lead_through_any_number_of_deleted_sessions)
{
    uint64_t first = store_builder_session(&builder, "first");
    store_builder_messages(&builder, first, 4);
    uint64_t second = store_builder_fork(&builder, first, at(1, 3), XYLEM_FORK_AT, "second");
    store_builder_messages(&builder, second, 4);
    uint64_t empty = store_builder_fork(&builder, second, at(2, 5), XYLEM_FORK_AT, "empty");
    uint64_t third = store_builder_clone(&builder, empty, "third");
    store_builder_messages(&builder, third, 1);
    uint64_t last = store_builder_fork(&builder, third, at(2, 4), XYLEM_FORK_AT, "last");
    struct xylem_position leaf = store_builder_add(&builder, last, "leaf", "message", NULL);
    delete_session(first);
    delete_session(second);
    delete_session(empty);
    delete_session(third);
    struct xylem_gc_report report = collect(NULL);
    assert_int_equal(report.kept_session_count, 2);
    assert_true(branch_of(1).end_depth == 3 && branch_of(2).end_depth == 4);
    struct xylem_session remnant = store_builder_read(&builder, second);
    assert_true(remnant.base.branch == 1 && remnant.base.depth == 3);
    struct xylem_buffer ids = {NULL, 0, 0};
    store_builder_path_ids(&ids, &builder, leaf);
    xylem_buffer_release(&ids);
    assert_int_equal(store_builder_leaf(&builder, last).depth, 5);
}

/* The deleted session's base lies deeper than where the branch starts that is needed. */
IN_STORE(the_base_of_what_is_left_is_where_its_branches_start)
{
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 6);
    uint64_t fork = store_builder_fork(&builder, source, at(1, 6), XYLEM_FORK_AT, "fork");
    store_builder_add_at(&builder, fork, at(1, 2), "side", "message", NULL);
    store_builder_add_at(&builder, fork, none, "root", "message", NULL);
    uint64_t share = store_builder_fork(&builder, fork, at(2, 3), XYLEM_FORK_AT, "share");
    delete_session(source);
    delete_session(fork);
    collect(NULL);
    struct xylem_session remnant = store_builder_read(&builder, fork);
    assert_true(remnant.base.branch == 1 && remnant.base.depth == 2);
    assert_int_equal(branch_of(1).end_depth, 2);
    assert_int_equal(store_builder_find(&builder, share, "side").branch, 2);
}

IN_STORE(the_base_of_what_is_left_is_the_deepest_of_these_starts)
{
    static const uint64_t depths[2][2] = {{2, 4}, {4, 2}}; /* in whichever order the branches were made */
    for (size_t i = 0; i < 2; i++) {
        char ids[4][16];
        for (size_t j = 0; j < 4; j++) {
            (void)snprintf(ids[j], sizeof ids[j], "%zu-%zu", i, j);
        }
        uint64_t source = store_builder_session(&builder, ids[0]);
        uint64_t branch = store_builder_grow(&builder, source, 6).branch;
        uint64_t fork = store_builder_fork(&builder, source, at(branch, 6), XYLEM_FORK_AT, ids[1]);
        for (size_t j = 0; j < 2; j++) {
            struct xylem_position side =
                store_builder_add_at(&builder, fork, at(branch, depths[i][j]), NULL, "message", NULL);
            store_builder_fork(&builder, fork, side, XYLEM_FORK_AT, ids[2 + j]);
        }
        delete_session(fork);
        delete_session(source);
        collect(NULL);
        assert_int_equal(store_builder_read(&builder, fork).base.depth, 4);
        assert_int_equal(branch_of(branch).end_depth, 4);
    }
}

IN_STORE(a_root_of_a_fork_that_is_shared_needs_no_base)
{
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 6);
    uint64_t fork = store_builder_clone(&builder, source, "fork");
    struct xylem_position root = store_builder_add_at(&builder, fork, none, "root", "message", NULL);
    store_builder_fork(&builder, fork, root, XYLEM_FORK_AT, "share");
    delete_session(source);
    delete_session(fork);
    struct xylem_gc_report report = collect(NULL);
    assert_true(report.kept_entry_count == 1 && report.entry_count == 6);
    assert_int_equal(store_builder_read(&builder, fork).base.depth, 0);
    assert_int_equal(read_code(at(1, 1)), XYLEM_E_FREED);
}

IN_STORE(a_session_that_is_being_imported_keeps_what_it_has)
{
    uint64_t number = store_builder_session(&builder, "s");
    store_builder_messages(&builder, number, 2);
    uint64_t clone = store_builder_clone(&builder, number, "importing");
    struct xylem_session session = store_builder_read(&builder, clone);
    session.state = XYLEM_SESSION_IMPORTING;
    store_builder_must(xylem_store__session_write(builder.txn, &session, &err), &err);
    delete_session(number);
    collect(NULL);
    assert_int_equal(read_code(at(1, 2)), XYLEM_OK);
    delete_session(clone);
    assert_int_equal(collect(NULL).kept_session_count, 0);
    assert_int_equal(read_code(at(1, 2)), XYLEM_E_FREED);
}

/* --- What is left of a session ---------------------------------------------------------------------------------- */

IN_STORE(what_is_left_of_a_session_is_shown_and_not_changed)
{
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 4);
    uint64_t fork = store_builder_fork(&builder, source, at(1, 2), XYLEM_FORK_AT, "fork");
    delete_session(source);
    collect(NULL);
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    struct xylem_session session;
    struct xylem_stat stat;
    struct xylem_txn *reader = NULL;
    assert_int_equal(xylem_append(NULL, builder.txn, source, &entry, 1, NULL, &err), XYLEM_E_FREED);
    assert_int_equal(xylem_navigate(builder.txn, source, at(1, 1), xylem_view_of(""), &err), XYLEM_E_FREED);
    assert_int_equal(xylem_clone(&session, builder.txn, source, NULL, &err), XYLEM_E_FREED);
    assert_int_equal(xylem_session_delete(builder.txn, source, &err), XYLEM_E_FREED);
    assert_int_equal(xylem_session_undelete(builder.txn, source, &err), XYLEM_E_FREED);
    assert_int_equal(xylem_navigate(builder.txn, fork, at(1, 3), xylem_view_of(""), &err), XYLEM_E_FREED);
    assert_int_equal(xylem_fork(&session, builder.txn, fork, at(1, 4), XYLEM_FORK_AT, NULL, &err), XYLEM_E_FREED);
    struct xylem_append_options below = {.parent = XYLEM_PARENT_AT, .parent_position = at(1, 3)};
    assert_int_equal(xylem_append(NULL, builder.txn, fork, &entry, 1, &below, &err), XYLEM_E_FREED);
    assert_int_equal(xylem_belongs(builder.txn, fork, at(1, 3), &err), 0);
    store_builder_must(xylem_session_read(&session, builder.txn, source, &err), &err);
    assert_int_equal(session.state, XYLEM_SESSION_FREED);
    store_builder_commit(&builder);
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    int code = xylem_stat_read(&stat, reader, &err);
    xylem_abort(reader);
    store_builder_must(code, &err);
    assert_true(stat.session_count == 1 && stat.freed_session_count == 1 && stat.freed_entry_count == 2);
    assert_true((stat.features & XYLEM_FORMAT__FEATURE_FREED) != 0);
    assert_int_equal(store_builder_session(&builder, "source"), fork + 1);
}

IN_STORE(the_source_of_a_position_that_is_left_is_still_its_owner)
{
    uint64_t owner = 0;
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 2);
    uint64_t clone = store_builder_clone(&builder, source, "clone");
    delete_session(source);
    collect(NULL);
    store_builder_must(xylem_owner(&owner, builder.txn, at(1, 1), &err), &err);
    assert_int_equal(owner, source);
    store_builder_messages(&builder, clone, 1); /* on a branch of its own, though nobody else can grow the old one */
    assert_int_equal(store_builder_leaf(&builder, clone).branch, 2);
    assert_whole();
}

/* --- The feed --------------------------------------------------------------------------------------------------- */

static void append_batch(uint64_t session, size_t count)
{
    struct xylem_new_entry entries[8] = {{.id = {NULL, 0}}};
    for (size_t i = 0; i < count; i++) {
        entries[i].kind.name = xylem_view_of("message");
    }
    store_builder_must(xylem_append(NULL, builder.txn, session, entries, count, NULL, &err), &err);
}

IN_STORE(an_append_of_which_the_end_goes_is_cut)
{
    uint64_t source = store_builder_session(&builder, "source");
    append_batch(source, 5);
    append_batch(source, 2);
    store_builder_fork(&builder, source, at(1, 2), XYLEM_FORK_AT, "fork");
    delete_session(source);
    collect(NULL);
    assert_feed("1 created 2-3@(1,1) 4-8 freed 9 forked 10 deleted 11 freed:source");
}

IN_STORE(runs_that_were_freed_become_one_with_their_neighbours)
{
    uint64_t a = store_builder_session(&builder, "a");
    uint64_t b = store_builder_session(&builder, "b");
    uint64_t c = store_builder_session(&builder, "c");
    append_batch(a, 2); /* 4-5 */
    append_batch(b, 2); /* 6-7 */
    append_batch(a, 1); /* 8 */
    append_batch(c, 1); /* 9 */
    append_batch(b, 1); /* 10 */
    delete_session(a);
    collect(NULL);
#define MADE "1 created 2 created 3 created "
    assert_feed(MADE "4-5 freed 6-7@(2,1) 8-8 freed 9-9@(3,1) 10-10@(2,3) 11 deleted 12 freed:a");
    delete_session(b);
    collect(NULL);
#define BOTH_FREED "11 deleted 12 freed:a 13 deleted 14 freed:b"
    assert_feed(MADE "4-8 freed 9-9@(3,1) 10-10 freed " BOTH_FREED);
    append_batch(c, 1); /* 15: lsns go on */
    assert_feed(MADE "4-8 freed 9-9@(3,1) 10-10 freed " BOTH_FREED " 15-15@(3,2)");
    delete_session(c);
    collect(NULL);
    assert_feed(MADE "4-10 freed " BOTH_FREED " 15-15 freed 16 deleted 17 freed:c");
    append_batch(store_builder_session(&builder, "d"), 1);
    assert_feed(MADE "4-10 freed " BOTH_FREED " 15-15 freed 16 deleted 17 freed:c 18 created 19-19@(4,1)");
    assert_whole();
}

/* More entries than are dealt with at a time, in appends that lie across the edge. */
IN_STORE(a_long_branch_goes_in_pieces)
{
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_grow(&builder, source, 140500);
    store_builder_fork(&builder, source, at(1, 777), XYLEM_FORK_AT, "fork");
    delete_session(source);
    store_builder_commit(&builder);
    struct xylem_gc_report report;
    store_builder_must(xylem_gc(&report, builder.txn, NULL, &err), &err);
    assert_true(report.entry_count == 140500 - 777 && report.kept_entry_count == 777);
    assert_feed("1 created 2-778@(1,1) 779-140501 freed 140502 forked 140503 deleted 140504 freed:source");
    assert_whole();
}

/* --- Costs ------------------------------------------------------------------------------------------------------ */

IN_STORE(entries_that_stay_are_not_read)
{
    uint64_t reads[2];
    for (int round = 0; round < 2; round++) {
        char id[3][16];
        for (int i = 0; i < 3; i++) {
            (void)snprintf(id[i], sizeof id[i], "%d-%d", round, i);
        }
        uint64_t live = store_builder_session(&builder, id[0]);
        store_builder_grow(&builder, live, round ? 5000 : 50);
        uint64_t source = store_builder_session(&builder, id[1]);
        struct xylem_position leaf = store_builder_grow(&builder, source, round ? 5000 : 50);
        store_builder_messages(&builder, source, 10);
        store_builder_fork(&builder, source, leaf, XYLEM_FORK_AT, id[2]);
        delete_session(source);
        store_builder_commit(&builder);
        struct xylem_gc_report report;
        store_builder_must(xylem_gc(&report, builder.txn, NULL, &err), &err);
        struct costs costs = costs_of(builder.txn);
        assert_int_equal(report.entry_count, 10);
        reads[round] = costs.counters.record_count;
    }
    assert_int_equal(reads[0], 10 + 1);     /* those that go, and where the branch ends then */
    assert_int_equal(reads[1], 10 + 1 + 1); /* and where the other one does, which was freed in part before */
}

/* --- Refusals --------------------------------------------------------------------------------------------------- */

IN_STORE(a_transaction_that_reads_frees_nothing)
{
    struct xylem_txn *reader = NULL;
    delete_session(store_builder_session(&builder, "s"));
    store_builder_commit(&builder);
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    int code = xylem_gc(NULL, reader, NULL, &err);
    xylem_abort(reader);
    assert_int_equal(code, XYLEM_E_READ_ONLY);
}

IN_STORE(only_a_dry_run_takes_a_session_as_deleted)
{
    struct xylem_gc_options options = {.if_deleted = store_builder_session(&builder, "s")};
    assert_int_equal(xylem_gc(NULL, builder.txn, &options, &err), XYLEM_E_ARGUMENT);
    store_builder_commit(&builder);
    assert_int_equal(xylem_gc_write(NULL, builder.store, &options, &err), XYLEM_E_ARGUMENT);
}

IN_STORE(who_stops_it_can_only_abort)
{
    uint64_t a = store_builder_session(&builder, "a");
    store_builder_messages(&builder, a, 2);
    uint64_t b = store_builder_session(&builder, "b");
    delete_session(a);
    delete_session(b);
    store_builder_commit(&builder);
    struct told told = {.stop_after = 1};
    struct xylem_gc_options options = {.dry_run = true, .freed = hear, .context = &told};
    assert_int_equal(xylem_gc(NULL, builder.txn, &options, &err), XYLEM_E_STOPPED);
    assert_int_equal(xylem_session_undelete(builder.txn, b, &err), XYLEM_OK); /* a dry run harms nothing */
    delete_session(b);
    store_builder_commit(&builder);
    told = (struct told){.stop_after = 1};
    options.dry_run = false;
    assert_int_equal(xylem_gc(NULL, builder.txn, &options, &err), XYLEM_E_STOPPED);
    struct xylem_txn *txn = builder.txn;
    assert_int_equal(xylem_commit(txn, &err), XYLEM_E_STOPPED);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    assert_int_equal(read_code(at(1, 1)), XYLEM_OK);
    assert_whole();
}

/* Both ways fail alike; the builder's transaction is a new one afterwards, without what was done before. */
static void assert_refused(const char *part)
{
    struct xylem_gc_options dry = {.dry_run = true};
    int code = xylem_gc(NULL, builder.txn, &dry, &err);
    bool seen_by_both = code == XYLEM_E_CORRUPT;
    assert_true(seen_by_both || code == XYLEM_OK);
    assert_int_equal(xylem_gc(NULL, builder.txn, NULL, &err), XYLEM_E_CORRUPT);
    if (!strstr(err.text, part)) {
        fail_msg("'%s' does not name %s", err.text, part);
    }
    xylem_abort(builder.txn);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
}

static void drop_row(enum xylem_format__table table, struct xylem_format__key *key)
{
    store_builder_must(xylem_lmdb__remove(builder.txn, table, key->view, &err), &err);
}

IN_STORE(what_is_damaged_is_not_freed)
{
    struct xylem_format__key key;
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_add(&builder, source, "a", "message", NULL);
    append_batch(source, 4);
    uint64_t fork = store_builder_fork(&builder, source, at(1, 3), XYLEM_FORK_AT, "fork");
    store_builder_add(&builder, fork, "b", "message", NULL);
    delete_session(fork);
    delete_session(source);
    store_builder_commit(&builder);

    store_builder_damage(&builder, at(1, 4));
    assert_refused("depth 4");
    store_builder_drop(&builder, at(1, 2));
    assert_refused("depth 2");
    store_builder_drop(&builder, at(1, 5)); /* its end, which the row of its session counts */
    struct xylem_gc_options dry = {.dry_run = true};
    assert_int_equal(xylem_gc(NULL, builder.txn, &dry, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "should have 5 entries, and have 4"));
    assert_refused("feed");
    xylem_format__key_u64(&key, 1);
    drop_row(XYLEM_FORMAT__BRANCHES, &key);
    assert_refused("branch 1");
    xylem_format__key_u64(&key, 2); /* of the five entries */
    drop_row(XYLEM_FORMAT__FEED, &key);
    assert_refused("feed");
    xylem_format__key_u64(&key, 8); /* of the entry of the fork */
    drop_row(XYLEM_FORMAT__FEED, &key);
    assert_refused("feed");
    xylem_format__key_id(
        &key, &(struct xylem_format__id_place){source, xylem_format__id_hash(xylem_view_of("a")), source, at(1, 1)});
    drop_row(XYLEM_FORMAT__IDS, &key);
    assert_refused("ids");
    struct xylem_format__key id = {.view = xylem_view_of("fork")};
    drop_row(XYLEM_FORMAT__SESSION_IDS, &id);
    assert_refused("session_ids");
    struct xylem_store__branch branch = branch_of(2);
    branch.session = source;
    store_builder_rewrite_branch(&builder, &branch);
    assert_refused("branch 2");
    assert_whole();
}

IN_STORE(a_base_that_its_source_does_not_have_is_damage)
{
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 3);
    uint64_t fork = store_builder_clone(&builder, source, "fork");
    delete_session(source);
    store_builder_commit(&builder);
    struct xylem_session session = store_builder_read(&builder, fork);
    session.base.depth = 9;
    store_builder_must(xylem_store__session_write(builder.txn, &session, &err), &err);
    assert_refused("branch 1");
    session = store_builder_read(&builder, fork);
    session.base.branch = 7;
    store_builder_must(xylem_store__session_write(builder.txn, &session, &err), &err);
    assert_refused("branch 7");
}

/* The text of the row of FREED has the id alone; the reader of the feed gets the namespace, too. */
IN_STORE(a_freed_session_is_told_with_its_namespace_and_its_id_is_free_there)
{
    static char text[XYLEM_NAMESPACE_BYTES_MAX];
    memset(text, 'n', sizeof text);
    struct xylem_session session;
    struct xylem_session_options options = {.id = xylem_view_of("s"), .name_space = {text, sizeof text}};
    store_builder_session(&builder, "s");
    store_builder_must(xylem_session_create(&session, builder.txn, &options, &err), &err);
    uint64_t number = session.number;
    store_builder_messages(&builder, number, 2);
    delete_session(number);
    struct told told = {.count = 0};
    collect(&told);
    assert_int_equal(told.count, 1);
    assert_true(told.list[0].name_space.bytes == sizeof text);
    assert_feed("1 created 2 created 3-4 freed 5 deleted 6 freed:s");
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    store_builder_must(xylem_feed_new(&feed, builder.txn, NULL, &err), &err);
    while (store_builder_must(xylem_feed_next(&change, feed, &err), &err) == 1 && change.type != XYLEM_CHANGE_FREED) {
        assert_null(change.freed_name_space.data);
    }
    assert_int_equal(change.session, number);
    assert_true(xylem_base__view_equal(change.freed_name_space, options.name_space));
    xylem_feed_free(feed);
    store_builder_must(xylem_session_find(&session, builder.txn, options.id, &err), &err);
    assert_int_equal(session.number, 1);
    store_builder_must(xylem_session_create(&session, builder.txn, &options, &err), &err);
    assert_whole();
}
