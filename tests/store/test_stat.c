#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"
#include "xylem/inspect.h"
#include "xylem/append.h"

static struct xylem_error err;

/* Figures are read in a transaction that reads: so what was written is committed first. */
static int try_stat(struct xylem_stat *stat)
{
    struct xylem_txn *reader = NULL;
    store_builder_commit(&builder);
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    int code = xylem_stat_read(stat, reader, &err);
    xylem_abort(reader);
    return code;
}

static struct xylem_stat read_stat(void)
{
    struct xylem_stat stat;
    store_builder_must(try_stat(&stat), &err);
    return stat;
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(an_empty_store_has_every_table_and_nothing_in_it)
{
    struct xylem_stat stat = read_stat();
    assert_true(stat.session_count == 0 && stat.entry_count == 0 && stat.kind_count == 0 && stat.branch_count == 0);
    assert_true(stat.payload_bytes == 0 && stat.line_bytes == 0 && stat.links_bytes == 0);
    for (unsigned table = 0; table < XYLEM_TABLE_COUNT; table++) {
        assert_string_equal(stat.tables[table].name, xylem_format__table_name((enum xylem_format__table)table));
        assert_int_equal(stat.tables[table].rows, table == XYLEM_FORMAT__META ? 2 : 0);
    }
}

IN_STORE(sessions_are_counted_by_state)
{
    store_builder_session(&builder, "live");
    store_builder_session(&builder, "live too");
    store_builder_must(xylem_session_delete(builder.txn, store_builder_session(&builder, "deleted"), &err), &err);
    uint64_t number = store_builder_session(&builder, "importing");
    struct xylem_session session = store_builder_read(&builder, number);
    session.state = XYLEM_SESSION_IMPORTING;
    store_builder_must(xylem_store__session_write(builder.txn, &session, &err), &err);
    struct xylem_stat stat = read_stat();
    assert_int_equal(stat.session_count, 4);
    assert_int_equal(stat.live_count, 2);
    assert_int_equal(stat.deleted_count, 1);
    assert_int_equal(stat.importing_count, 1);
}

IN_STORE(bytes_are_those_of_payloads_lines_and_links)
{
    uint64_t number = store_builder_session(&builder, "s");
    store_builder_add(&builder, number, "a", "message", "{\"a\":1}"); /* 7 bytes; links of 2 */
    store_builder_add(&builder, number, "b", "custom:x", "[1]");      /* 2 bytes as msgpack; links of 5 */
    struct xylem_new_entry entry = {.id = xylem_view_of("c"), .kind.name = xylem_view_of("message")};
    struct xylem_view line = xylem_view_of("12345");
    struct xylem_store__append_options options = {.imported = true, .lines = &line};
    store_builder_must(xylem_store__append(NULL, builder.txn, number, &entry, 1, &options, &err), &err);
    struct xylem_stat stat = read_stat();
    assert_int_equal(stat.payload_bytes, 9);
    assert_int_equal(stat.line_bytes, 7); /* how many bytes the line has, and how many are new */
    assert_int_equal(stat.links_bytes, 9);
    assert_true(stat.entry_count == 3 && stat.kind_count == 2 && stat.branch_count == 1);
    assert_int_equal(stat.tables[XYLEM_FORMAT__LOG].rows, 3);
    assert_int_equal(stat.tables[XYLEM_FORMAT__IDS].rows, 3);
    assert_int_equal(stat.tables[XYLEM_FORMAT__FEED].rows, 1 + 1); /* of the entries, and of the session */
}

IN_STORE(the_files_figures_hold_together)
{
    store_builder_messages(&builder, store_builder_session(&builder, "s"), 500);
    store_builder_commit(&builder);
    struct xylem_stat stat = read_stat();
    uint64_t table_bytes = 0;
    for (unsigned table = 0; table < XYLEM_TABLE_COUNT; table++) {
        assert_int_equal(stat.tables[table].bytes % stat.page_bytes, 0);
        table_bytes += stat.tables[table].bytes;
    }
    assert_true(table_bytes > 0 && table_bytes + stat.free_bytes <= stat.file_bytes);
    assert_true(stat.file_bytes <= stat.map_bytes);
    assert_true(stat.tables[XYLEM_FORMAT__LOG].depth >= 2);
    assert_int_equal(stat.readers_max, XYLEM_READER_SLOTS);
}

/* Commits that each free pages: what was written before is written anew. */
static void commit_often(uint64_t session, int count)
{
    for (int i = 0; i < count; i++) {
        store_builder_messages(&builder, session, 1);
        store_builder_commit(&builder);
    }
}

IN_STORE(nobody_is_behind_where_no_reader_sits_still)
{
    commit_often(store_builder_session(&builder, "s"), 5);
    struct xylem_stat stat = read_stat();
    assert_int_equal(stat.oldest_reader_pid, 0);
    assert_int_equal(stat.oldest_reader_commit_count, 0);
    assert_int_equal(stat.oldest_reader_bytes, 0);
    assert_true(stat.free_bytes > 0);
}

IN_STORE(a_reader_that_sits_still_is_named_with_what_it_keeps_back)
{
    struct xylem_txn *old = NULL;
    uint64_t number = store_builder_session(&builder, "s");
    commit_often(number, 3);
    store_builder_must(xylem_begin(&old, builder.store, XYLEM_READ, &err), &err);
    uint64_t file_bytes = read_stat().file_bytes;
    commit_often(number, 50);
    struct xylem_stat stat = read_stat();
    assert_int_equal(stat.oldest_reader_pid, getpid());
    assert_in_range(stat.oldest_reader_commit_count, 50, 52);
    assert_true(stat.oldest_reader_bytes > 0 && stat.oldest_reader_bytes <= stat.free_bytes);
    /* All that the file grew by is what the reader kept back, but for the few pages of what was written. */
    assert_true(stat.file_bytes > file_bytes + 50 * stat.page_bytes);
    assert_true(stat.oldest_reader_bytes > (stat.file_bytes - file_bytes) / 2);
    struct xylem_txn *newer = NULL;
    store_builder_must(xylem_begin(&newer, builder.store, XYLEM_READ, &err), &err);
    xylem_abort(old);
    commit_often(number, 3);
    stat = read_stat();
    assert_in_range(stat.oldest_reader_commit_count, 3, 5); /* of those that are left, the oldest */
    xylem_abort(newer);
    assert_int_equal(read_stat().oldest_reader_pid, 0);
}

IN_STORE(a_reader_that_was_killed_keeps_nothing_back)
{
    int ready[2];
    char byte;
    uint64_t number = store_builder_session(&builder, "s");
    commit_often(number, 1);
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_open_options options = {.read_only = true};
        struct xylem_store *store = NULL;
        struct xylem_txn *txn = NULL;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        bool right = xylem_open(&store, builder.path, &options, &err) == XYLEM_OK &&
                     xylem_begin(&txn, store, XYLEM_READ, &err) == XYLEM_OK && write(ready[1], "r", 1) == 1;
        while (right) {
            pause();
        }
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    commit_often(number, 10);
    assert_int_equal(read_stat().oldest_reader_pid, child);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(read_stat().oldest_reader_pid, 0);
    close(ready[0]);
    close(ready[1]);
}

IN_STORE(damage_is_an_error_and_nothing_is_written_out)
{
    struct xylem_stat stat = {.entry_count = 77};
    uint64_t number = store_builder_session(&builder, "s");
    store_builder_damage(&builder, store_builder_messages(&builder, number, 2));
    assert_int_equal(try_stat(&stat), XYLEM_E_CORRUPT);
    row_last_set(builder.txn, XYLEM_FORMAT__SESSIONS, 0, 1, false);
    assert_int_equal(try_stat(&stat), XYLEM_E_CORRUPT);
    assert_int_equal(stat.entry_count, 77);
}

IN_STORE(a_transaction_that_writes_is_refused)
{
    struct xylem_stat stat;
    assert_int_equal(xylem_stat_read(&stat, builder.txn, &err), XYLEM_E_ARGUMENT);
}
