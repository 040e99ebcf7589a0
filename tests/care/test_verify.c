#include <stdio.h>

#include "store/feed.h"
#include "store/format/chain.h"
#include "store/meta.h"
#include "store/session.h"
#include "care/verify.h"
#include "xylem/care.h"
#include "xylem/feed.h"
#include "xylem/files.h"
#include "xylem/append.h"
#include "tests/lib/host_lines.h"
#include "tests/lib/cursor.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

static struct store_builder builder;
static struct xylem_error err;

static void put_away(uint64_t session)
{
    struct xylem_store__source source = {.name = xylem_view_of("/a.jsonl"), .bytes = 10, .lines = 2, .tail_bytes = 0};
    struct xylem_view raw = xylem_view_of("?\n");
    struct xylem_quarantined row = {
        .line = 2, .hash = xylem_format__hash(raw), .source = source.name, .raw = raw, .raw_bytes = 2};
    store_builder_must(xylem_store__source_write(builder.txn, session, &source, &err), &err);
    store_builder_must(xylem_store__quarantine_add(builder.txn, session, &row, &err), &err);
}

/* A store with every kind of row. */
static int set_up(void **state)
{
    (void)state;
    store_builder_open(&builder);
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.lsn = 0});
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position root = store_builder_add(&builder, source, "root", "message", "{\"a\":1}");
    store_builder_add(&builder, source, "on", "custom:readonly", "{\"enabled\":true}");
    struct xylem_new_entry entry = {.id = xylem_view_of("line"), .kind.name = xylem_view_of("message")};
    struct xylem_new_entry batch[] = {entry, {.id = xylem_view_of("more"), .kind.name = xylem_view_of("label")}};
    struct xylem_view lines[] = {xylem_view_of("{ }"), xylem_view_of("")};
    struct xylem_store__append_options options = {.imported = true, .lines = lines};
    store_builder_must(xylem_store__append(NULL, builder.txn, source, batch, 2, &options, &err), &err);
    store_builder_go(&builder, source, root);
    store_builder_go(&builder, source, (struct xylem_position){1, 4});
    store_builder_add_at(&builder, source, root, "side", "custom:readonly", "{\"enabled\":false}");
    uint64_t fork = store_builder_fork(&builder, source, (struct xylem_position){1, 2}, XYLEM_FORK_AT, "fork");
    store_builder_add(&builder, fork, "side", "message", NULL);
    store_builder_session(&builder, "empty");
    uint64_t gone = store_builder_clone(&builder, fork, "gone");
    store_builder_must(xylem_session_delete(builder.txn, gone, &err), &err);
    put_away(source);
    host_record_add(&builder, fork, "a record");
    host_run_add(&builder, fork, XYLEM_SIDE_REPEAT, (struct xylem_position){1, 2}, 1);
    store_builder_add(&builder, fork, NULL, "session_info", "{\"name\":\"a name\"}");
    store_builder_refresh(&builder);
    store_builder_go(&builder, fork, (struct xylem_position){1, 2});
    struct xylem_session spaced;
    const struct xylem_session_options in_a = {.id = xylem_view_of("fork"), .name_space = xylem_view_of("a")};
    store_builder_must(xylem_session_create(&spaced, builder.txn, &in_a, &err), &err);
    store_builder_commit(&builder);
    return 0;
}

/* The same after the source was freed: all of it, but for what the fork shares. */
static int set_up_freed(void **state)
{
    struct xylem_session row;
    struct xylem_gc_report report;
    set_up(state);
    store_builder_must(xylem_session_find(&row, builder.txn, xylem_view_of("fork"), &err), &err);
    uint64_t fork = row.number;
    store_builder_go(&builder, fork, (struct xylem_position){1, 1});
    store_builder_go(&builder, fork, (struct xylem_position){1, 2});
    put_away(fork);
    uint64_t late = store_builder_session(&builder, "late");
    store_builder_add(&builder, late, "side", "message", NULL);
    store_builder_must(xylem_session_find(&row, builder.txn, xylem_view_of("source"), &err), &err);
    store_builder_must(xylem_session_delete(builder.txn, row.number, &err), &err);
    store_builder_must(xylem_gc(&report, builder.txn, NULL, &err), &err);
    assert_true(report.session_count == 2 && report.entry_count == 3 && report.kept_entry_count == 2);
    store_builder_must(xylem_session_find(&row, builder.txn, xylem_view_of("late"), &err), &err);
    store_builder_must(xylem_session_delete(builder.txn, row.number, &err), &err); /* marked, and whole */
    store_builder_commit(&builder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    store_builder_close(&builder);
    return 0;
}

static int print_problem(void *context, const struct xylem_problem *problem)
{
    (void)context;
    print_message("%s: branch %u, depth %u: %s\n", problem->table, (unsigned)problem->position.branch,
                  (unsigned)problem->position.depth, problem->text);
    return 0;
}

static uint64_t problems_in(struct xylem_txn *txn)
{
    struct xylem_verify_report report;
    store_builder_must(xylem_verify(&report, txn, NULL, NULL, NULL, &err), &err);
    return report.problem_count;
}

/* A transaction inside of the builder's, so that what it changes can be undone. */
static void begin_trial(struct xylem_txn *trial)
{
    *trial =
        (struct xylem_txn){.store = builder.store, .env = builder.txn->env, .write = true, .thread = pthread_self()};
    trial->snapshot = builder.txn->snapshot;
    trial->changed = (UINT32_C(1) << XYLEM_FORMAT__TABLE_COUNT) - 1; /* its parent's pages are LMDB's own */
    xylem_pages__tree_cursor_init(&trial->list_of_tables, &trial->snapshot, &trial->snapshot.main_table);
    assert_int_equal(mdb_txn_begin(trial->env->mdb, builder.txn->mdb, 0, &trial->mdb), 0);
}

static void end_trial(struct xylem_txn *trial)
{
    xylem_lmdb__spares_close(trial);
    xylem_lmdb__prover_end(trial);
    mdb_txn_abort(trial->mdb);
    xylem_lmdb__own_kinds_free(trial);
    free(trial->displaced);
}

/* What a trial does to a table's rows: false if it does not apply to row `i`. */
typedef bool change(struct xylem_txn *trial, enum xylem_format__table table, const struct rows *rows, size_t i);

static void every_change_is_found(const char *what, enum xylem_format__table table, change *apply)
{
    struct rows rows = rows_of(builder.txn, table);
    size_t applied = 0;
    assert_true(rows.count > 0);
    for (size_t i = 0; i < rows.count; i++) {
        struct xylem_txn trial;
        begin_trial(&trial);
        bool applies = apply(&trial, table, &rows, i);
        uint64_t problem_count = applies ? problems_in(&trial) : 1;
        end_trial(&trial);
        applied += applies;
        if (problem_count == 0) {
            print_error("%s: row %zu of the table %s: nothing was found\n", what, i, xylem_format__table_name(table));
            fail();
        }
    }
    assert_true(applied > 0);
    rows_release(&rows);
}

/* --- What is whole --- */

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(a_whole_store_has_no_problem_and_is_counted)
{
    struct xylem_verify_report report;
    store_builder_must(xylem_verify(&report, builder.txn, NULL, print_problem, NULL, &err), &err);
    assert_int_equal(report.problem_count, 0);
    assert_int_equal(report.session_count, 5);
    assert_int_equal(report.branch_count, 3);
    assert_int_equal(report.entry_count, 7);
    uint64_t rows = 0;
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        struct rows counted = rows_of(builder.txn, (enum xylem_format__table)table);
        assert_true(counted.count > 0);
        rows += counted.count;
        rows_release(&counted);
    }
    assert_int_equal(report.row_count, rows);
    store_builder_must(xylem_verify(NULL, builder.txn, NULL, NULL, NULL, &err), &err);
}

TEST(an_empty_store_has_no_problem)
{
    struct store_builder empty;
    struct xylem_verify_report report;
    store_builder_open(&empty);
    store_builder_must(xylem_verify(&report, empty.txn, NULL, print_problem, NULL, &err), &err);
    assert_true(report.problem_count == 0 && report.entry_count == 0);
    store_builder_close(&empty);
}

IN_STORE(a_reader_verifies_too_and_a_redacted_payload_is_no_damage)
{
    struct xylem_txn *reader = NULL;
    store_builder_redact(&builder, (struct xylem_position){1, 2});
    store_builder_commit(&builder);
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    uint64_t problem_count = problems_in(reader);
    xylem_abort(reader);
    assert_int_equal(problem_count, 0);
}

/*
 * Nothing else is wrong: the branch, its records and its session's row are whole, but the fork shares nothing any more.
 * So its leaf and its navigation are wrong, too, and its repeat of a shared entry, and the outline of its clone.
 */
IN_STORE(a_branch_that_starts_at_an_entry_of_another_session_is_found)
{
    struct xylem_session fork;
    store_builder_must(xylem_session_find(&fork, builder.txn, xylem_view_of("fork"), &err), &err);
    fork.base = (struct xylem_position){0, 0};
    store_builder_must(xylem_store__session_write(builder.txn, &fork, &err), &err);
    struct xylem_session gone = store_builder_read(&builder, fork.number + 2);
    gone.base = gone.leaf = (struct xylem_position){0, 0}; /* a clone of the fork: its base lies there */
    store_builder_must(xylem_store__session_write(builder.txn, &gone, &err), &err);
    assert_int_equal(problems_in(builder.txn), 5);
}

/* --- Every table, every row --- */

/* Flips one bit of each byte of a row's value, one after the other. */
static void every_flip_in_values_is_found(enum xylem_format__table table)
{
    struct rows rows = rows_of(builder.txn, table);
    for (size_t i = 0; i < rows.count; i++) {
        struct row *row = &rows.rows[i];
        for (size_t at = 0; at < row->value.bytes; at++) {
            struct xylem_txn trial;
            begin_trial(&trial);
            row_remove(&trial, table, row);
            row->value.data[at] = (char)(row->value.data[at] ^ (1 << (at + i) % 8));
            row_put(&trial, table, row);
            uint64_t problem_count = problems_in(&trial);
            row->value.data[at] = (char)(row->value.data[at] ^ (1 << (at + i) % 8));
            end_trial(&trial);
            if (problem_count == 0) {
                fail_msg("table %s, row %zu, byte %zu of the value", xylem_format__table_name(table), i, at);
            }
        }
    }
    rows_release(&rows);
}

static bool is_taken(const struct rows *rows, const struct xylem_buffer *key)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (same_bytes(&rows->rows[i].key, key)) {
            return true;
        }
    }
    return false;
}

static void every_flip_in_keys_is_found(enum xylem_format__table table)
{
    struct rows rows = rows_of(builder.txn, table);
    for (size_t i = 0; i < rows.count; i++) {
        for (size_t at = 0; at < rows.rows[i].key.bytes; at++) {
            struct row moved = {{NULL, 0, 0}, {NULL, 0, 0}};
            copy_bytes(&moved.key, rows.rows[i].key.data, rows.rows[i].key.bytes);
            copy_bytes(&moved.value, rows.rows[i].value.data, rows.rows[i].value.bytes);
            moved.key.data[at] = (char)(moved.key.data[at] ^ (1 << (at + i) % 8));
            if (!is_taken(&rows, &moved.key)) {
                struct xylem_txn trial;
                begin_trial(&trial);
                row_remove(&trial, table, &rows.rows[i]);
                row_put(&trial, table, &moved);
                uint64_t problem_count = problems_in(&trial);
                end_trial(&trial);
                if (problem_count == 0) {
                    fail_msg("table %s, row %zu, byte %zu of the key", xylem_format__table_name(table), i, at);
                }
            }
            row_release(&moved);
        }
    }
    rows_release(&rows);
}

static bool is_floors(const struct row *row)
{
    return xylem_base__view_is(view_of(&row->key), XYLEM_FORMAT__META_FLOORS);
}

static bool drop(struct xylem_txn *trial, enum xylem_format__table table, const struct rows *rows, size_t i)
{
    bool freed = rows->count > 3; /* then meta has a row that counts what was, and floors must be there */
    if (table == XYLEM_FORMAT__META && !freed && is_floors(&rows->rows[i])) {
        return false; /* without them they are 0 */
    }
    row_remove(trial, table, &rows->rows[i]);
    return true;
}

/* The same value under a key that is one greater. */
static bool duplicate(struct xylem_txn *trial, enum xylem_format__table table, const struct rows *rows, size_t i)
{
    struct row copy = {{NULL, 0, 0}, {NULL, 0, 0}};
    copy_bytes(&copy.key, rows->rows[i].key.data, rows->rows[i].key.bytes);
    copy_bytes(&copy.value, rows->rows[i].value.data, rows->rows[i].value.bytes);
    copy.key.data[copy.key.bytes - 1]++;
    bool applies = !is_taken(rows, &copy.key);
    if (applies) {
        row_put(trial, table, &copy);
    }
    row_release(&copy);
    return applies;
}

/* The values of a row and the next one change places. */
static bool swap(struct xylem_txn *trial, enum xylem_format__table table, const struct rows *rows, size_t i)
{
    if (rows->count == 1) {
        row_remove(trial, table, &rows->rows[i]); /* there is nothing to change places with */
        return table != XYLEM_FORMAT__SOURCES && table != XYLEM_FORMAT__QUARANTINE;
    }
    const struct row *row = &rows->rows[i];
    const struct row *other = &rows->rows[(i + 1) % rows->count];
    if (same_bytes(&row->key, &other->key)) {
        return false; /* in `ids`, two values of one key have no order */
    }
    struct row first = {row->key, other->value};
    struct row second = {other->key, row->value};
    row_remove(trial, table, row);
    row_remove(trial, table, other);
    row_put(trial, table, &first);
    row_put(trial, table, &second);
    return true;
}

IN_STORE(every_flipped_bit_of_a_value_is_found)
{
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        every_flip_in_values_is_found((enum xylem_format__table)table);
    }
}
TEST_AGAIN(every_flipped_bit_of_a_value_is_found, after_freeing, set_up_freed, tear_down)

IN_STORE(every_flipped_bit_of_a_key_is_found)
{
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        every_flip_in_keys_is_found((enum xylem_format__table)table);
    }
}
TEST_AGAIN(every_flipped_bit_of_a_key_is_found, after_freeing, set_up_freed, tear_down)

/* Nothing leads to a row of `sources` or `quarantine`: that one was there is known to nobody but itself. */
IN_STORE(every_lost_row_is_found)
{
    for (unsigned table = 0; table < XYLEM_FORMAT__SOURCES; table++) {
        every_change_is_found("drop", (enum xylem_format__table)table, drop);
    }
    every_change_is_found("drop", XYLEM_FORMAT__SIDES, drop);
}
TEST_AGAIN(every_lost_row_is_found, after_freeing, set_up_freed, tear_down)

/* Without the head every outline is stale, which is no damage. */
static bool drop_but_head(struct xylem_txn *trial, enum xylem_format__table table, const struct rows *rows, size_t i)
{
    return rows->rows[i].key.data[0] != XYLEM_FORMAT__OUTLINE_HEAD && drop(trial, table, rows, i);
}

IN_STORE(every_lost_row_of_an_outline_is_found)
{
    every_change_is_found("drop", XYLEM_FORMAT__OUTLINES, drop_but_head);
}
TEST_AGAIN(every_lost_row_of_an_outline_is_found, after_freeing, set_up_freed, tear_down)

IN_STORE(every_row_that_stands_there_twice_is_found)
{
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        every_change_is_found("duplicate", (enum xylem_format__table)table, duplicate);
    }
}
TEST_AGAIN(every_row_that_stands_there_twice_is_found, after_freeing, set_up_freed, tear_down)

IN_STORE(rows_that_changed_places_are_found)
{
    for (unsigned table = 0; table < XYLEM_FORMAT__SOURCES; table++) {
        every_change_is_found("swap", (enum xylem_format__table)table, swap);
    }
    every_change_is_found("swap", XYLEM_FORMAT__SIDES, swap);
}
TEST_AGAIN(rows_that_changed_places_are_found, after_freeing, set_up_freed, tear_down)

/* Cuts a byte off the value, and makes the sum right again where there is one. */
static bool shorten(struct xylem_txn *trial, enum xylem_format__table table, const struct rows *rows, size_t i)
{
    struct row cut = {{NULL, 0, 0}, {NULL, 0, 0}};
    copy_bytes(&cut.key, rows->rows[i].key.data, rows->rows[i].key.bytes);
    copy_bytes(&cut.value, rows->rows[i].value.data, rows->rows[i].value.bytes - 1);
    if (table != XYLEM_FORMAT__LOG && table != XYLEM_FORMAT__IDS && cut.value.bytes >= XYLEM_FORMAT__SUM_BYTES) {
        row_sum(table, &cut);
    }
    row_remove(trial, table, &rows->rows[i]);
    row_put(trial, table, &cut);
    row_release(&cut);
    return true;
}

IN_STORE(every_row_that_was_cut_is_found_even_with_the_right_sum)
{
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        every_change_is_found("shorten", (enum xylem_format__table)table, shorten);
    }
}
TEST_AGAIN(every_row_that_was_cut_is_found_even_with_the_right_sum, after_freeing, set_up_freed, tear_down)

/* --- What sums cannot see: rows that are whole, and wrong --- */

static void assert_found(const char *what)
{
    if (problems_in(builder.txn) == 0) {
        fail_msg("%s: nothing was found", what);
    }
    xylem_abort(builder.txn);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
}

IN_STORE(a_record_that_says_something_else_is_found)
{
    struct xylem_position at = {1, 2};
    struct xylem_format__record record = store_builder_record(&builder, at);
    record.time_ms++;
    store_builder_rewrite(&builder, at, &record);
    assert_found("time");
    record = store_builder_record(&builder, at);
    record.check++;
    store_builder_rewrite(&builder, at, &record);
    assert_found("check");
    record = store_builder_record(&builder, at);
    record.lsn = 1;
    store_builder_rewrite(&builder, at, &record);
    assert_found("lsn");
    record = store_builder_record(&builder, at);
    record.kind_number = 1;
    store_builder_rewrite(&builder, at, &record);
    assert_found("kind");
    record = store_builder_record(&builder, at);
    record.id = xylem_view_of("off");
    store_builder_rewrite(&builder, at, &record);
    assert_found("id");
    record = store_builder_record(&builder, at);
    record.links.bytes = 2;
    store_builder_rewrite(&builder, at, &record);
    assert_found("links");
    record = store_builder_record(&builder, at);
    record.flags = XYLEM_ENTRY_HEADS_INCOMPLETE;
    store_builder_rewrite(&builder, at, &record);
    assert_found("flags");
    record = store_builder_record(&builder, at);
    record.payload = xylem_view_of("\x80");
    store_builder_rewrite(&builder, at, &record);
    assert_found("payload");
}

IN_STORE(values_that_make_no_line_of_a_host_are_found)
{
    static const struct {
        const char *values;
        const char *what;
    } cases[] = {{"\x03", "no value"}, {"\x03x7", "no JSON"}, {"\x03\n7", "a newline"}, {"\x01", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t session = store_builder_session(&builder, "another host");
        struct xylem_position at = host_line_add(&builder, session, "n", "user", "{\"n\":7<7>}");
        struct xylem_format__record record = store_builder_record(&builder, at);
        record.line = xylem_view_of(cases[i].values);
        store_builder_rewrite(&builder, at, &record);
        if (cases[i].what) {
            assert_found(cases[i].what);
        }
    }
    assert_int_equal(problems_in(builder.txn), 0);
}

IN_STORE(a_session_that_says_something_else_is_found)
{
    const struct xylem_session good = store_builder_read(&builder, 1);
    struct xylem_session session[8] = {good, good, good, good, good, good, good, good};
    session[0].leaf = (struct xylem_position){3, 3};  /* another session's */
    session[1].leaf = (struct xylem_position){1, 99}; /* nobody's */
    session[2].base = (struct xylem_position){1, 1};  /* its own */
    session[3].tree = 3;
    session[4].last_lsn++;
    session[5].newest_branch = 1; /* leaves branch 2 out */
    session[6].move_count++;
    session[7].imported_leaf = (struct xylem_position){3, 3};
    for (size_t i = 0; i < sizeof session / sizeof *session; i++) {
        store_builder_must(xylem_store__session_write(builder.txn, &session[i], &err), &err);
        char what[16];
        snprintf(what, sizeof what, "session %zu", i);
        assert_found(what);
    }
}

IN_STORE(a_branch_that_says_something_else_is_found)
{
    struct xylem_store__branch good;
    store_builder_must(xylem_store__branch_read(&good, builder.txn, 3, &err), &err);
    assert_true(good.session == 2 && good.first_depth == 3 && good.parent_branch == 1 && good.skip.level == 2);
    struct xylem_store__branch branch[7] = {good, good, good, good, good, good, good};
    branch[0].session = 1;
    branch[1].first_depth = 2;
    branch[2].parent_branch = 2;
    branch[3].previous_branch = 1;
    branch[4].session = 9;
    branch[5].skip.level = 3;
    branch[6].skip = (struct xylem_store__skip){0};
    for (size_t i = 0; i < sizeof branch / sizeof *branch; i++) {
        store_builder_rewrite_branch(&builder, &branch[i]);
        char what[16];
        snprintf(what, sizeof what, "branch %zu", i);
        assert_found(what);
    }
}

IN_STORE(data_of_an_extension_that_is_no_msgpack_is_found)
{
    struct xylem_position at = {2, 2};
    struct xylem_entry parent;
    struct xylem_kind kind = {XYLEM_CLASS_CUSTOM, xylem_view_of("readonly")};
    static const char *const payloads[] = {"\xc1", "{}"};
    static const enum xylem_format formats[] = {XYLEM_FORMAT_MSGPACK, XYLEM_FORMAT_JSON};
    for (size_t i = 0; i < 2; i++) {
        store_builder_must(xylem_entry_read(&parent, builder.txn, (struct xylem_position){1, 1}, &err), &err);
        struct xylem_format__record record = store_builder_record(&builder, at);
        record.payload = xylem_view_of(payloads[i]);
        record.format = formats[i];
        record.payload_hash = xylem_format__hash(record.payload);
        store_builder_must(xylem_format__record_check(&record.check, parent.check, kind, record.time_ms, record.format,
                                                      record.id, record.payload_hash, &err),
                           &err);
        store_builder_rewrite(&builder, at, &record);
        assert_found(i ? "JSON" : "malformed");
    }
}

/* --- Changes without an entry --- */

/* One of the problems says so; then the transaction begins again, without what was changed in it. */
static void assert_problem(const char *part);
static void assert_problem_and_undo(const char *part);

/* Tells something of the store. */
static void tell(struct xylem_change told)
{
    store_builder_must(xylem_store__feed_add(builder.txn, &told, &err), &err);
}

static void tell_move(const struct xylem_change *told, const struct xylem_move *move)
{
    struct xylem_buffer copies = {NULL, 0, 0};
    struct xylem_session session = store_builder_read(&builder, told->session);
    store_builder_must(xylem_store__session_own(&copies, &session), &err);
    store_builder_must(xylem_store__feed_change(builder.txn, &session, told, move->to, move->time_ms, &err), &err);
    store_builder_must(xylem_store__session_write(builder.txn, &session, &err), &err);
    xylem_buffer_release(&copies);
}

/* Writes a row of a change that the library refuses to tell, or cannot tell any more. */
static void tell_anyway(struct xylem_change told)
{
    struct xylem_store__feed_end end;
    store_builder_must(xylem_store__feed_end(&end, builder.txn, NULL, &err), &err);
    const struct xylem_format__link link = {.lsn = end.next_lsn, .session = told.session, .type = told.type};
    struct xylem_store__feed row = {.tag = XYLEM_FORMAT__FEED_CHANGE,
                                    .first_lsn = end.next_lsn,
                                    .last_lsn = end.next_lsn,
                                    .position = told.position,
                                    .type = told.type,
                                    .session = told.session,
                                    .move_number = told.move_number,
                                    .chain = xylem_format__store_chain(end.chain, &link),
                                    .ordinal = 1};
    store_builder_must(xylem_store__feed_write(builder.txn, &row, false, &err), &err);
    store_builder_must(xylem_store__changes_add(builder.txn, 1, &err), &err);
}

static void assert_sound_and_undo(void)
{
    assert_int_equal(problems_in(builder.txn), 0);
    xylem_abort(builder.txn);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
}

IN_STORE(a_change_that_its_session_contradicts_is_found)
{
    assert_int_equal(store_builder_read(&builder, 1).move_count, 2);
    tell_anyway((struct xylem_change){.type = XYLEM_CHANGE_DOCUMENT, .session = 9});
    assert_problem_and_undo("tells of session number 9, which does not exist");
    tell((struct xylem_change){.type = XYLEM_CHANGE_MOVED, .session = 1, .move_number = 3});
    assert_problem_and_undo("tells of navigation 3 of session number 1, which has 2");
    tell((struct xylem_change){.type = XYLEM_CHANGE_MOVED, .session = 1, .move_number = 0});
    assert_problem_and_undo("tells of navigation 0 of session number 1, which has 2");
    tell((struct xylem_change){.type = XYLEM_CHANGE_FREED, .session = 1, .freed_id = xylem_view_of("source")});
    assert_problem_and_undo("says that session number 1 was freed");
    tell((struct xylem_change){.type = XYLEM_CHANGE_REDACTED, .session = 1, .position = {1, 1}});
    assert_problem_and_undo("says that the entry was redacted");
    tell((struct xylem_change){.type = XYLEM_CHANGE_DOCUMENT, .session = 1});
    struct xylem_move move;
    const struct xylem_change again = {.type = XYLEM_CHANGE_MOVED, .session = 1, .move_number = 2};
    store_builder_must(xylem_move_read(&move, builder.txn, 1, 2, &err), &err);
    tell_move(&again, &move);
    assert_sound_and_undo();
}

/* Nothing is left to contradict it. */
TEST_WITH(a_change_of_what_was_freed_is_no_problem, set_up_freed, tear_down)
{
    assert_int_equal(store_builder_read(&builder, 1).state, XYLEM_SESSION_FREED);
    tell_anyway((struct xylem_change){.type = XYLEM_CHANGE_MOVED, .session = 1, .move_number = 99});
    tell((struct xylem_change){.type = XYLEM_CHANGE_FREED, .session = 1, .freed_id = xylem_view_of("source")});
    tell_anyway((struct xylem_change){.type = XYLEM_CHANGE_DOCUMENT, .session = 4});
    tell_anyway((struct xylem_change){.type = XYLEM_CHANGE_REDACTED, .session = 1, .position = {2, 2}});
    assert_sound_and_undo();
    tell_anyway((struct xylem_change){.type = XYLEM_CHANGE_DOCUMENT, .session = 77}); /* above the floor */
    assert_problem_and_undo("tells of session number 77, which does not exist");
}

IN_STORE(a_change_of_no_type_or_of_no_session_is_found)
{
    const struct xylem_change wrong[] = {{.type = XYLEM_CHANGE_ENTRY, .session = 1},
                                         {.type = XYLEM_CHANGE_TYPE_COUNT, .session = 1},
                                         {.type = XYLEM_CHANGE_DELETED, .session = 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tell_anyway(wrong[i]);
        assert_problem_and_undo("the row has invalid fields");
    }
}

IN_STORE(lsns_that_tell_nothing_are_no_problem)
{
    uint64_t last;
    store_builder_must(last_lsn_of(&last, builder.txn, &err), &err);
    store_builder_must(xylem_store__feed_skip(builder.txn, last + 5, &err), &err);
    store_builder_add(&builder, 1, "behind", "message", NULL);
    assert_sound_and_undo();
}

IN_STORE(a_count_of_changes_that_the_feed_denies_is_found)
{
    char expected[100];
    uint64_t count;
    store_builder_must(xylem_store__changes_read(&count, builder.txn, &err), &err);
    assert_true(count > 8); /* four sessions, three navigations, a deletion and documents */
    snprintf(expected, sizeof expected, "the feed has %u changes without an entry, the row format counts %u",
             (unsigned)count, (unsigned)count + 1);
    store_builder_must(xylem_store__changes_add(builder.txn, 1, &err), &err);
    assert_problem_and_undo(expected);
}

static void every_lost_row_ends_a_reading(void)
{
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    for (size_t i = 0; i < rows.count; i++) {
        struct xylem_txn trial;
        struct xylem_feed *feed = NULL;
        struct xylem_change change_read;
        begin_trial(&trial);
        row_remove(&trial, XYLEM_FORMAT__FEED, &rows.rows[i]);
        int code = feed_after(&feed, &trial, 0, NULL);
        while (code >= 0 && (code = xylem_feed_next(&change_read, feed, NULL)) == 1) {
            assert_int_not_equal(change_read.lsn, feed_of(&rows.rows[i]).first_lsn);
        }
        xylem_feed_free(feed);
        end_trial(&trial);
        if (code != XYLEM_E_CORRUPT) {
            fail_msg("row %zu is lost, and a reading of the feed ends with %s", i, xylem_code_text(code));
        }
    }
    rows_release(&rows);
}

IN_STORE(a_reader_of_the_feed_meets_every_lost_row)
{
    every_lost_row_ends_a_reading();
}
TEST_AGAIN(a_reader_of_the_feed_meets_every_lost_row, after_freeing, set_up_freed, tear_down)

IN_STORE(a_row_format_without_a_count_is_found)
{
    struct row row = {{NULL, 0, 0}, {NULL, 0, 0}};
    copy_bytes(&row.key, XYLEM_FORMAT__META_FORMAT, strlen(XYLEM_FORMAT__META_FORMAT));
    assert_int_equal(xylem_base__add_u32(&row.value, XYLEM_FORMAT__FORMAT_VERSION), XYLEM_OK);
    assert_int_equal(xylem_base__add_u64(&row.value, XYLEM_FORMAT__FEATURES_KNOWN), XYLEM_OK);
    assert_int_equal(xylem_base__add_u64(&row.value, 0 /* the sum's place */), XYLEM_OK);
    row_sum(XYLEM_FORMAT__META, &row);
    row_put(builder.txn, XYLEM_FORMAT__META, &row);
    row_release(&row);
    assert_problem_and_undo("the row format: expected 20 bytes, found 12");
}

/* --- Ordinals and chains --- */

static struct xylem_store__feed feed_at(uint64_t lsn)
{
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    for (size_t i = 0; i < rows.count; i++) {
        struct xylem_store__feed feed = feed_of(&rows.rows[i]);
        if (feed.first_lsn == lsn) {
            feed.freed_id = (struct xylem_view){NULL, 0};
            rows_release(&rows);
            return feed;
        }
    }
    fail_msg("no row of lsn %u", (unsigned)lsn);
    return (struct xylem_store__feed){.first_lsn = 0};
}

static void feed_put(const struct xylem_store__feed *feed)
{
    store_builder_must(xylem_store__feed_write(builder.txn, feed, true, &err), &err);
}

/* Finds this problem and no other. */
static void assert_one_problem_and_undo(const char *part)
{
    assert_int_equal(problems_in(builder.txn), 1);
    assert_problem_and_undo(part);
}

/* Session 1 has lsns 1 to 8, and 14: made, "root", "on", two lines, two navigations, "side", and a document. */
IN_STORE(a_row_with_a_wrong_ordinal_is_found)
{
    struct xylem_store__feed feed = feed_at(2);
    assert_true(feed.ordinal == 2 && feed.last_lsn == 5);
    feed.ordinal = 3;
    feed_put(&feed);
    assert_one_problem_and_undo("lsn 2 has ordinal 3, but session number 1 has 1 changes before");
}

IN_STORE(a_row_that_leads_back_to_another_row_is_found)
{
    struct xylem_store__feed feed = feed_at(7);
    feed.previous = 4;
    feed_put(&feed);
    assert_one_problem_and_undo("lsn 7 leads back to lsn 4, but the row before of session number 1 has lsn 6");
}

/* Row and ordinal are those of the first change of a session. */
IN_STORE(a_row_that_begins_a_session_again_is_found)
{
    struct xylem_store__feed feed = feed_at(8);
    feed.previous = 0;
    feed.ordinal = 1;
    feed_put(&feed);
    assert_one_problem_and_undo("lsn 8 leads back to lsn 0, but the row before of session number 1 has lsn 7");
}

IN_STORE(a_broken_chain_of_a_session_is_found)
{
    static const uint64_t lsns[] = {1, 2, 6, 7, 8};
    for (size_t i = 0; i < sizeof lsns / sizeof *lsns; i++) {
        struct xylem_store__feed feed = feed_at(lsns[i]);
        feed.history_chain ^= 1;
        feed_put(&feed);
        assert_one_problem_and_undo("the chain of session number 1 is broken");
    }
}

IN_STORE(a_broken_chain_of_the_store_is_found_in_each_row)
{
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    for (size_t i = 0; i < rows.count; i++) {
        struct xylem_store__feed feed = feed_of(&rows.rows[i]);
        feed.chain ^= 1;
        feed_put(&feed);
        assert_one_problem_and_undo("the chain of the store is broken");
    }
    rows_release(&rows);
}

IN_STORE(skipped_lsns_that_move_the_chain_of_the_store_are_found)
{
    uint64_t last;
    store_builder_must(last_lsn_of(&last, builder.txn, &err), &err);
    store_builder_must(xylem_store__feed_skip(builder.txn, last + 5, &err), &err);
    struct xylem_store__feed feed = feed_at(last + 1);
    feed.chain ^= 1;
    feed_put(&feed);
    assert_one_problem_and_undo("the chain of the store is broken");
}

/* The chains have the time of a navigation: of the store in its row, of the session behind. */
IN_STORE(a_navigation_of_another_time_breaks_both_chains)
{
    struct rows moves = rows_of(builder.txn, XYLEM_FORMAT__MOVES);
    struct row *row = &moves.rows[0];
    row->value.data[0] ^= 1;
    row_sum(XYLEM_FORMAT__MOVES, row);
    row_put(builder.txn, XYLEM_FORMAT__MOVES, row);
    rows_release(&moves);
    assert_int_equal(problems_in(builder.txn), 2);
    assert_problem_and_undo("lsn 7: the chain of session number 1 is broken");
}

/* So has the time of an entry, which only its check covers else. */
IN_STORE(an_entry_of_another_time_breaks_both_chains)
{
    struct xylem_session source = store_builder_read(&builder, 1);
    struct xylem_entry parent;
    struct xylem_format__record record = store_builder_record(&builder, source.leaf);
    store_builder_must(xylem_entry_read(&parent, builder.txn, (struct xylem_position){1, 1}, &err), &err);
    record.time_ms++;
    const struct xylem_kind kind = {XYLEM_CLASS_CUSTOM, xylem_view_of("readonly")};
    store_builder_must(xylem_format__record_check(&record.check, parent.check, kind, record.time_ms, record.format,
                                                  record.id, record.payload_hash, &err),
                       &err);
    store_builder_rewrite(&builder, source.leaf, &record);
    assert_problem("the chain of the store is broken");
    assert_problem_and_undo("lsn 14: the chain of session number 1 is broken");
}

IN_STORE(a_row_of_a_session_with_another_history_is_found)
{
    const struct xylem_history right = store_builder_read(&builder, 1).history;
    const struct {
        struct xylem_history history;
        const char *problem;
    } wrong[] = {{{right.count + 1, right.chain, right.row}, "the session's row says 10 changes"},
                 {{right.count, right.chain ^ 1, right.row}, "the session's row says chain"},
                 {{right.count, right.chain, right.row - 1}, "; found 9, and lsn 14"},
                 {{0, 0, 0}, "the session's row says 0 changes"}};
    assert_int_equal(right.count, 9);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct xylem_session session = store_builder_read(&builder, 1);
        session.history = wrong[i].history;
        store_builder_must(xylem_store__session_write(builder.txn, &session, &err), &err);
        assert_one_problem_and_undo(wrong[i].problem);
    }
}

IN_STORE(a_session_without_a_change_has_no_history)
{
    struct xylem_session session = {.id = xylem_view_of("untold")};
    store_builder_must(xylem_store__session_add_rows(builder.txn, &session, &err), &err);
    assert_int_equal(problems_in(builder.txn), 0);
    session.id = xylem_view_of("untold");
    session.history.chain = 1;
    store_builder_must(xylem_store__session_write(builder.txn, &session, &err), &err);
    assert_one_problem_and_undo("the session's row says chain 0000000000000001");
}

/* Frees the second of two entries that were appended together. */
static void cut_a_row(void)
{
    const struct xylem_new_entry entries[] = {{.kind.name = xylem_view_of("message")},
                                              {.kind.name = xylem_view_of("message")}};
    struct xylem_position first;
    uint64_t session = store_builder_session(&builder, "cut");
    store_builder_must(xylem_append(&first, builder.txn, session, entries, 2, NULL, &err), &err);
    store_builder_fork(&builder, session, first, XYLEM_FORK_AT, "keeps");
    store_builder_must(xylem_session_delete(builder.txn, session, &err), &err);
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
}

/* The chain behind the cut row is not known. What stands behind the freed entries is taken as known. */
IN_STORE(a_chain_is_compared_again_behind_what_was_freed)
{
    unsigned unknown = 0;
    cut_a_row();
    store_builder_commit(&builder);
    assert_int_equal(problems_in(builder.txn), 0);
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    for (size_t i = 0; i < rows.count; i++) {
        unknown += feed_of(&rows.rows[i]).chain == 0;
    }
    assert_int_equal(unknown, 1);
    struct xylem_store__feed last = feed_of(&rows.rows[rows.count - 1]);
    last.chain ^= 1;
    feed_put(&last);
    rows_release(&rows);
    assert_one_problem_and_undo("the chain of the store is broken");
}

/* Nobody can compute what the chain of a freed session covered. */
TEST_WITH(a_freed_session_has_no_history_to_compare, set_up_freed, tear_down)
{
    struct xylem_session freed = store_builder_read(&builder, 1);
    assert_int_equal(freed.state, XYLEM_SESSION_FREED);
    freed.history = (struct xylem_history){77, 77, 77};
    store_builder_must(xylem_store__session_write(builder.txn, &freed, &err), &err);
    assert_sound_and_undo();
}

/* --- How problems are reported --- */

struct heard {
    uint64_t count;
    uint64_t stop_after;
    bool in_log;
    bool in_kinds;
    bool named;
};

static int hear(void *context, const struct xylem_problem *problem)
{
    struct heard *heard = context;
    assert_true(problem->text[0] && !strchr(problem->text, '\n'));
    heard->count++;
    heard->in_log = heard->in_log || strcmp(problem->table, "log") == 0;
    heard->in_kinds = heard->in_kinds || strcmp(problem->table, "kinds") == 0;
    heard->named = heard->named || (problem->position.branch == 1 && problem->position.depth == 2 &&
                                    xylem_base__view_is(problem->session_id, "source"));
    return heard->count == heard->stop_after;
}

IN_STORE(it_goes_on_after_the_first_problem)
{
    struct heard heard = {0};
    struct xylem_verify_report report;
    store_builder_damage(&builder, (struct xylem_position){1, 2});
    row_last_set(builder.txn, XYLEM_FORMAT__KINDS, 0, 1, false);
    store_builder_must(xylem_verify(&report, builder.txn, NULL, hear, &heard, &err), &err);
    assert_true(heard.count >= 2 && heard.in_log && heard.in_kinds && heard.named);
    assert_int_equal(report.problem_count, heard.count);
    assert_int_equal(report.entry_count, 7);
    assert_int_equal(report.session_count, 5);
}

IN_STORE(it_stops_when_the_callback_says_so_wherever_it_is)
{
    struct heard all = {0};
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        struct row row = row_last(builder.txn, (enum xylem_format__table)table);
        row_remove(builder.txn, (enum xylem_format__table)table, &row);
        row.value.data[0] ^= 0x40;
        row_put(builder.txn, (enum xylem_format__table)table, &row);
        row_release(&row);
    }
    store_builder_must(xylem_verify(NULL, builder.txn, NULL, hear, &all, &err), &err);
    assert_true(all.count >= XYLEM_FORMAT__TABLE_COUNT);
    for (uint64_t stop = 1; stop <= all.count; stop++) {
        struct heard heard = {.stop_after = stop};
        assert_int_equal(xylem_verify(NULL, builder.txn, NULL, hear, &heard, &err), XYLEM_E_STOPPED);
        assert_int_equal(heard.count, stop);
        assert_int_equal(err.code, XYLEM_E_STOPPED);
    }
}

IN_STORE(a_stop_in_the_middle_of_an_entry_names_the_caller)
{
    struct xylem_position at = {1, 2};
    struct xylem_format__record record = store_builder_record(&builder, at);
    struct heard heard = {.stop_after = 1};
    record.check++;
    store_builder_rewrite(&builder, at, &record);
    assert_int_equal(xylem_verify(NULL, builder.txn, NULL, hear, &heard, &err), XYLEM_E_STOPPED);
    assert_non_null(strstr(err.text, "stopped by the caller"));
}

/* --- What was freed --- */

TEST_WITH(a_store_of_which_something_was_freed_has_no_problem, set_up_freed, tear_down)
{
    struct xylem_verify_report report;
    store_builder_must(xylem_verify(&report, builder.txn, NULL, print_problem, NULL, &err), &err);
    assert_int_equal(report.problem_count, 0);
    assert_int_equal(report.session_count, 4); /* the one that was freed is none */
    assert_int_equal(report.branch_count, 3);
    assert_int_equal(report.entry_count, 5);
}

/* What verify says, behind each other. */
static int gather_text(void *context, const struct xylem_problem *problem)
{
    struct xylem_buffer *texts = context;
    copy_bytes(texts, problem->text, strlen(problem->text));
    copy_bytes(texts, "\n", 1);
    return 0;
}

static void assert_problem(const char *part)
{
    struct xylem_buffer texts = {NULL, 0, 0};
    store_builder_must(xylem_verify(NULL, builder.txn, NULL, gather_text, &texts, &err), &err);
    if (!texts.data || !strstr(texts.data, part)) {
        fail_msg("nobody says '%s', but: %s", part, texts.data ? texts.data : "nothing");
    }
    xylem_buffer_release(&texts);
}

static void assert_problem_and_undo(const char *part)
{
    assert_problem(part);
    xylem_abort(builder.txn);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
}

static struct xylem_store__branch branch_of(uint64_t number)
{
    struct xylem_store__branch branch;
    store_builder_must(xylem_store__branch_read(&branch, builder.txn, number, &err), &err);
    return branch;
}

TEST_WITH(a_branch_that_does_not_end_where_its_row_says_is_found, set_up_freed, tear_down)
{
    static const uint64_t ends[] = {1, 3};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct xylem_store__branch branch = branch_of(1);
        assert_int_equal(branch.end_depth, 2);
        branch.end_depth = ends[i];
        store_builder_rewrite_branch(&builder, &branch);
        assert_problem_and_undo("ends at depth 2");
    }
    struct xylem_store__branch branch = branch_of(3); /* the fork's, which may still grow */
    branch.end_depth = 3;
    store_builder_rewrite_branch(&builder, &branch);
    assert_problem_and_undo("its session was not");
}

TEST_WITH(what_is_left_of_a_session_has_nothing_but_branches, set_up_freed, tear_down)
{
    for (int part = 0; part < 5; part++) {
        struct xylem_session session = store_builder_read(&builder, 1);
        assert_int_equal(session.state, XYLEM_SESSION_FREED);
        session.move_count = part == 0;
        session.leaf = (struct xylem_position){part == 1, part == 1};
        session.imported_leaf = (struct xylem_position){part == 2, part == 2};
        session.cwd = part == 3 ? xylem_view_of("/") : session.cwd;
        session.header = part == 4 ? xylem_view_of("{}") : session.header;
        store_builder_must(xylem_store__session_write(builder.txn, &session, &err), &err);
        assert_problem_and_undo("a freed session: expected branches");
    }
    put_away(1);
    assert_problem_and_undo("belongs to a freed session");
}

TEST_WITH(a_row_of_a_session_that_was_freed_and_has_an_id_is_refused, set_up_freed, tear_down)
{
    struct xylem_session session = store_builder_read(&builder, 1);
    session.id = xylem_view_of("source");
    store_builder_must(xylem_store__session_write(builder.txn, &session, &err), &err);
    assert_int_equal(xylem_session_read(&session, builder.txn, 1, &err), XYLEM_E_CORRUPT);
    assert_problem_and_undo("session 1 has invalid fields");
}

TEST_WITH(a_count_of_freed_entries_that_the_feed_denies_is_found, set_up_freed, tear_down)
{
    struct xylem_store__freed freed;
    store_builder_must(xylem_store__freed_read(&freed, builder.txn, &err), &err);
    freed.entry_count++;
    store_builder_must(xylem_store__freed_write(builder.txn, &freed, &err), &err);
    assert_problem_and_undo("the feed has 3 freed entries, the row freed counts 4");
}

TEST_WITH(a_count_of_freed_sessions_that_their_rows_deny_is_found, set_up_freed, tear_down)
{
    struct xylem_store__freed freed;
    store_builder_must(xylem_store__freed_read(&freed, builder.txn, &err), &err);
    freed.session_count++;
    store_builder_must(xylem_store__freed_write(builder.txn, &freed, &err), &err);
    assert_problem_and_undo("freed counts 2 freed sessions, found 1");
}

TEST_WITH(a_missing_number_above_the_floor_is_found, set_up_freed, tear_down)
{
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.session = 4, .branch = 0});
    store_builder_commit(&builder);
    assert_problem_and_undo("no number above 0"); /* branch 2 was freed */
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.session = 0, .branch = 2});
    store_builder_commit(&builder);
    assert_problem_and_undo("number 5 follows number 3"); /* session 4 was freed */
}

TEST_WITH(a_store_that_does_not_know_that_something_was_freed_is_found, set_up_freed, tear_down)
{
    struct xylem_stat stat;
    struct xylem_verify_report report;
    store_builder_must(xylem_store__meta_stat(&stat, builder.txn, &err), &err);
    features_put(builder.txn, stat.features & ~XYLEM_FORMAT__FEATURE_FREED);
    store_builder_must(xylem_verify(&report, builder.txn, NULL, NULL, NULL, &err), &err);
    assert_true(report.problem_count >= 2); /* a session's row and one of the feed */
}

static int keep_name_space(void *context, const struct xylem_problem *problem)
{
    struct xylem_buffer *spaces = context;
    xylem_buffer_add(spaces, problem->name_space.data, problem->name_space.bytes);
    return xylem_buffer_add(spaces, " ", 1);
}

/* The row of its id leads to a session of another namespace, and no row to the session. */
IN_STORE(a_session_of_another_namespace_than_its_key_says_is_found)
{
    struct xylem_session session;
    struct xylem_verify_report report;
    struct xylem_buffer copies = {NULL, 0, 0};
    struct xylem_buffer spaces = {NULL, 0, 0};
    store_builder_must(xylem_session_find_in(&session, builder.txn, xylem_view_of("a"), xylem_view_of("fork"), &err),
                       &err);
    assert_int_equal(xylem_store__session_own(&copies, &session), XYLEM_OK);
    session.name_space = xylem_view_of("b");
    store_builder_must(xylem_store__session_write(builder.txn, &session, &err), &err);
    store_builder_must(xylem_verify(&report, builder.txn, NULL, keep_name_space, &spaces, &err), &err);
    assert_int_equal(report.problem_count, 2);
    assert_true(xylem_base__view_is(xylem_base__buffer_view(&spaces), "b b "));
    assert_int_equal(xylem_session_find_in(&session, builder.txn, xylem_view_of("a"), xylem_view_of("fork"), &err),
                     XYLEM_E_CORRUPT);
    xylem_buffer_release(&copies);
    xylem_buffer_release(&spaces);
}
