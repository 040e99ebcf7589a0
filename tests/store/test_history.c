#include "store/history.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/care.h"
#include "xylem/feed.h"
#include "xylem/redact.h"
#include "tests/lib/host_lines.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

static struct xylem_error err;

static uint64_t append(uint64_t session, size_t count)
{
    struct xylem_new_entry entries[4] = {{.id = {NULL, 0}}};
    for (size_t i = 0; i < count; i++) {
        entries[i].kind.name = xylem_view_of("message");
    }
    store_builder_must(xylem_append(NULL, builder.txn, session, entries, count, NULL, &err), &err);
    return store_builder_read(&builder, session).last_lsn;
}

/* Two sessions with a change of each type. */
static void fill(void)
{
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .only_this = true};
    uint64_t a = store_builder_session(&builder, "a");
    append(a, 3);
    uint64_t fork = store_builder_fork(&builder, a, (struct xylem_position){1, 2}, XYLEM_FORK_AT, "fork");
    append(fork, 2);
    store_builder_go(&builder, a, (struct xylem_position){1, 1});
    store_builder_go(&builder, a, (struct xylem_position){0, 0});
    store_builder_must(xylem_redact(&report, builder.txn, a, (struct xylem_position){1, 2}, &options, &err), &err);
    xylem_redact_report_release(&report);
    store_builder_must(xylem_session_delete(builder.txn, fork, &err), &err);
    store_builder_must(xylem_session_undelete(builder.txn, fork, &err), &err);
    store_builder_must(xylem_store__feed_document(builder.txn, a, &err), &err);
    host_record_add(&builder, a, "a record");
    append(a, 1);
}

static uint64_t owner_of(const struct xylem_store__feed *row)
{
    struct xylem_store__branch branch;
    if (row->tag == XYLEM_FORMAT__FEED_CHANGE) {
        return row->session;
    }
    store_builder_must(xylem_store__branch_read(&branch, builder.txn, row->position.branch, &err), &err);
    return branch.session;
}

IN_SCENE(a_run_over_all_rows_comes_to_the_chains_of_store_and_sessions)
{
    uint64_t chains[3] = {0};
    unsigned types = 0;
    struct xylem_store__history_run run = {.store_chain = 0};
    fill();
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    for (size_t i = 0; i < rows.count; i++) {
        struct xylem_store__feed row = feed_of(&rows.rows[i]);
        run.session = owner_of(&row);
        run.session_chain = chains[run.session];
        assert_int_equal(row.history_chain, run.session_chain);
        store_builder_must(xylem_store__history_run(&run, builder.txn, &row, row.last_lsn - row.first_lsn + 1, &err),
                           &err);
        assert_int_equal(run.store_chain, row.chain);
        chains[run.session] = run.session_chain;
        types |= 1u << row.type;
    }
    rows_release(&rows);
    assert_int_equal(types, (1u << XYLEM_CHANGE_TYPE_COUNT) - 1 - (1u << XYLEM_CHANGE_FREED));
    assert_int_equal(store_builder_read(&builder, 1).history.chain, chains[1]);
    assert_int_equal(store_builder_read(&builder, 2).history.chain, chains[2]);
}

/* Entries that come one by one have the same history. */
IN_SCENE(a_run_ends_inside_of_an_append)
{
    const int64_t time_ms = 1;
    struct xylem_new_entry entries[3];
    static const char *const ids[] = {"x", "y", "z"};
    uint64_t whole = store_builder_session(&builder, "a");
    for (size_t i = 0; i < 3; i++) {
        entries[i] = (struct xylem_new_entry){
            .id = xylem_view_of(ids[i]), .kind.name = xylem_view_of("message"), .time_ms = &time_ms};
    }
    store_builder_must(xylem_append(NULL, builder.txn, whole, entries, 3, NULL, &err), &err);
    struct row last = row_last(builder.txn, XYLEM_FORMAT__FEED);
    struct xylem_store__feed row = feed_of(&last);
    row_release(&last);
    uint64_t chain = row.history_chain;
    for (uint64_t count = 0; count <= 3; count++) {
        struct xylem_store__history_run run = {.session = whole, .session_chain = row.history_chain};
        store_builder_must(xylem_store__history_run(&run, builder.txn, &row, count, &err), &err);
        assert_int_equal(run.session_chain, chain);
        struct xylem_format__link next = {.ordinal = count + 2, .time_ms = 1, .id = xylem_view_of(ids[count % 3])};
        chain = xylem_format__session_chain(chain, &next);
    }
}

IN_SCENE(the_navigations_of_a_freed_session_have_no_chain_to_run)
{
    struct xylem_store__history_run run = {.session = 1};
    uint64_t session = store_builder_session(&builder, "gone");
    append(session, 2);
    store_builder_fork(&builder, session, (struct xylem_position){1, 1}, XYLEM_FORK_AT, "keeps");
    store_builder_go(&builder, session, (struct xylem_position){1, 1});
    store_builder_must(xylem_session_delete(builder.txn, session, &err), &err);
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    unsigned freed = 0;
    for (size_t i = 0; i < rows.count; i++) {
        struct xylem_store__feed row = feed_of(&rows.rows[i]);
        bool of_gone = row.tag == XYLEM_FORMAT__FEED_CHANGE && row.session == 1;
        if (of_gone && row.type == XYLEM_CHANGE_MOVED) {
            assert_int_equal(xylem_store__history_run(&run, builder.txn, &row, 1, &err), XYLEM_E_FREED);
            freed++;
        } else if (of_gone) {
            uint64_t before = run.session_chain;
            store_builder_must(xylem_store__history_run(&run, builder.txn, &row, 1, &err), &err);
            assert_int_equal(run.session_chain == before, row.type == XYLEM_CHANGE_FREED);
        }
    }
    rows_release(&rows);
    assert_int_equal(freed, 1);
}
