/*
 * Every allocation and every write of packing, reading and applying fails once: each time the call says so, leaves
 * nothing behind, and nothing of a segment can be committed.
 */
#include "tests/lib/failing_calls.h"
#include "store/lmdb/tables.h"
#include "tests/lib/host_lines.h"
#include "tests/travel/pair.h"

#include <lmdb.h>

/* --- Writes ------------------------------------------------------------------------------------------------------- */

static size_t writes;
static size_t failing_write; /* counted from 1; 0: none */

static bool write_fails(void)
{
    return counting && ++writes == failing_write;
}

int __real_mdb_put(MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *data, unsigned flags);
int __wrap_mdb_put(MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *data, unsigned flags);
int __real_mdb_del(MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *data);
int __wrap_mdb_del(MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *data);
int __real_mdb_cursor_put(MDB_cursor *cursor, MDB_val *key, MDB_val *data, unsigned flags);
int __wrap_mdb_cursor_put(MDB_cursor *cursor, MDB_val *key, MDB_val *data, unsigned flags);

int __wrap_mdb_put(MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *data, unsigned flags)
{
    return write_fails() ? ENOSPC : __real_mdb_put(txn, table, key, data, flags);
}

int __wrap_mdb_del(MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *data)
{
    return write_fails() ? ENOSPC : __real_mdb_del(txn, table, key, data);
}

int __wrap_mdb_cursor_put(MDB_cursor *cursor, MDB_val *key, MDB_val *data, unsigned flags)
{
    return write_fails() ? ENOSPC : __real_mdb_cursor_put(cursor, key, data, flags);
}

void *__real_reallocarray(void *memory, size_t count, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes)
{
    return fails() ? NULL : __real_reallocarray(memory, count, bytes);
}

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

static const char file_text[] =
    "{\"type\":\"session\",\"version\":3,\"id\":\"f\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/"
    "h\",\"x\":1}\n"
    "{\"type\":\"message\",\"id\":\"i2\",\"parentId\":\"i1\",\"timestamp\":\"2025-01-01T00:00:01.000Z\",  \"x\":1}\n"
    "{\"type\":\"message\",\"id\":\"i1\",\"parentId\":null,\"timestamp\":\"2025-01-01T00:00:01.000Z\"}\n"
    "no json\n"
    "{\"type\":\"mess";

/* Sessions with all that travels, in segments, and their increments. */
static void make_all(void)
{
    static const char *const ids[] = {"s", "fork", "f", "host", "of the host"};
    enum { IDS = sizeof ids / sizeof *ids };
    uint64_t next[IDS];
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position a = store_builder_add(&owner, session, "a", "message", "{\"a\":1}");
    store_builder_add(&owner, session, NULL, "custom:readonly", "{\"enabled\":true}");
    struct xylem_position b = store_builder_add(&owner, session, "b", "message", "{\"b\":1}");
    store_builder_go(&owner, session, a);
    store_builder_add(&owner, session, "c", "session_info", "{\"name\":\"x\"}");
    store_builder_add_at(&owner, session, (struct xylem_position){0, 0}, "root", "note", NULL);
    uint64_t fork = store_builder_fork(&owner, session, b, XYLEM_FORK_AT, "fork");
    store_builder_add(&owner, fork, "d", "message", "{\"d\":1}");
    uint64_t freed = store_builder_session(&owner, "freed");
    store_builder_add(&owner, freed, "g", "message", "{\"g\":1}");
    struct xylem_position h = store_builder_add(&owner, freed, "h", "message", "{\"h\":1}");
    store_builder_fork(&owner, freed, h, XYLEM_FORK_AT, "of the freed");
    store_builder_must(xylem_session_delete(owner.txn, freed, &err), &err);
    store_builder_must(xylem_gc(NULL, owner.txn, NULL, &err), &err);
    uint64_t dropped = store_builder_session(&owner, "dropped");
    store_builder_add(&owner, dropped, "x", "message", "{\"x\":1}");
    redact_entry(&owner, "dropped", "x", true);
    uint64_t host = store_builder_session(&owner, "host");
    host_record_add(&owner, host, "record");
    struct xylem_position line = host_line_add(&owner, host, "1", "user", "{\"p\":\"<7>\"}");
    host_run_add(&owner, host, XYLEM_SIDE_REPEAT, line, 1);
    uint64_t values = store_builder_clone(&owner, host, "of the host");
    assert_int_equal(host_line_share(&owner, values, line, "{\"p\":\"<8>\"}", &err), 1);
    pair_import_text(&owner, file_text, sizeof file_text - 1);
    pack_all(&segments, &owner);
    for (size_t i = 0; i < IDS; i++) {
        next[i] = change_count(&owner, ids[i]) + 1;
    }
    redact_entry(&owner, "s", "a", true);
    redact_entry(&owner, "f", "i1", false);
    char grown[1000];
    (void)snprintf(grown, sizeof grown, "%s\nmore\n", file_text);
    pair_import_text(&owner, grown, strlen(grown)); /* and its document */
    redact_entry(&owner, "of the freed", "g", false);
    redact_entry(&owner, "of the freed", "h", true);
    store_builder_add(&owner, fork, "e", "message", NULL);
    store_builder_must(xylem_session_delete(owner.txn, fork, &err), &err);
    struct xylem_redact_report redacted;
    const struct xylem_redact_options why = {.reason = xylem_view_of("why")};
    store_builder_must(xylem_redact(&redacted, owner.txn, host, line, &why, &err), &err);
    xylem_redact_report_release(&redacted);
    for (size_t i = 0; i < IDS; i++) {
        pack_from(ids[i], next[i]);
    }
    store_builder_must(try_pack(&segments, &owner, freed, NULL), &err); /* its remains again */
}

static void arm(size_t call, size_t write)
{
    calls = writes = 0;
    failing_call = call;
    failing_write = write;
    counting = true;
}

/* --- Tests -------------------------------------------------------------------------------------------------------- */

static struct xylem_patterns *patterns;

/* Packs one session, until it succeeds. */
static void fail_packing(uint64_t session, const struct xylem_pack_options *options)
{
    struct segments *packed = calloc(1, sizeof *packed);
    assert_non_null(packed);
    for (size_t i = 1;; i++) {
        arm(i, 0);
        int code = try_pack(packed, &owner, session, options);
        counting = false;
        segments_release(packed);
        if (code == XYLEM_OK) {
            assert_true(calls < i);
            assert_true(i > 4); /* packing, rows, changes, kinds */
            break;
        }
        assert_int_equal(code, XYLEM_E_MEMORY);
        assert_string_equal(err.text, "out of memory");
    }
    free(packed);
}

TRAVEL_TEST(each_allocation_of_a_packing_may_fail)
{
    make_all();
    store_builder_must(xylem_patterns_new(&patterns, xylem_view_of("no such text"), &err), &err);
    const struct xylem_pack_options options = {
        .patterns = patterns, .patterns_sum = 1, .reason = xylem_view_of("searched")};
    struct xylem_sessions *sessions;
    struct xylem_session row;
    uint64_t numbers[8];
    size_t count = 0;
    store_builder_must(xylem_sessions_new(&sessions, owner.txn, &err), &err);
    while (xylem_sessions_next(&row, sessions, &err) == 1) {
        numbers[count++] = row.number;
    }
    xylem_sessions_free(sessions);
    assert_int_equal(count, 8);
    for (size_t i = 0; i < count; i++) {
        fail_packing(numbers[i], NULL);
        fail_packing(numbers[i], &options);
    }
    xylem_patterns_free(patterns);
}

TRAVEL_TEST(each_allocation_of_a_reading_may_fail)
{
    struct xylem_segment segment;
    make_all();
    for (size_t i = 0; i < segments.count; i++) {
        int code = XYLEM_E_MEMORY;
        for (size_t j = 1; code == XYLEM_E_MEMORY; j++) {
            arm(j, 0);
            code = xylem_segment_read(&segment, segment_at(&segments, i), &err);
            counting = false;
        }
        assert_int_equal(code, XYLEM_OK);
    }
}

static uint64_t last_lsn(void)
{
    uint64_t lsn;
    store_builder_must(last_lsn_of(&lsn, follower.txn, &err), &err);
    return lsn;
}

/* A commit behind a failed apply stores nothing. */
static void commit_nothing(uint64_t lsn)
{
    struct xylem_txn *txn = follower.txn;
    follower.txn = NULL;
    (void)xylem_commit(txn, &err); /* right only if the apply wrote nothing */
    store_builder_must(xylem_begin(&follower.txn, follower.store, XYLEM_WRITE, &err), &err);
    assert_int_equal(last_lsn(), lsn);
}

/* Applies a segment, until it succeeds. Gives how often it failed. */
static size_t fail_apply(struct xylem_view bytes, bool write)
{
    for (size_t i = 1;; i++) {
        uint64_t lsn = last_lsn();
        arm(write ? 0 : i, write ? i : 0);
        int code = try_apply(&follower, bytes);
        counting = false;
        if (code == XYLEM_OK) {
            pair_abort(&follower);
            return i - 1;
        }
        assert_int_equal(code, write ? XYLEM_E_NO_SPACE : XYLEM_E_MEMORY);
        assert_int_equal(err.code, code);
        commit_nothing(lsn);
    }
}

TRAVEL_TEST(each_allocation_and_each_write_of_an_apply_may_fail)
{
    make_all();
    for (size_t i = 0; i < segments.count; i++) {
        struct xylem_view bytes = segment_at(&segments, i);
        assert_true(fail_apply(bytes, false) > 5);
        assert_true(fail_apply(bytes, true) > 3);
        assert_verified(follower.txn);
        store_builder_must(try_apply(&follower, bytes), &err);
        store_builder_commit(&follower);
        assert_int_equal(fail_apply(bytes, true), 0); /* the second time nothing is written */
    }
    assert_same_sessions(owner.txn, follower.txn);
}

/* --- As lines of JSON --------------------------------------------------------------------------------------------- */

static int add_told(void *context, const void *data, size_t bytes)
{
    return xylem_buffer_add(context, data, bytes);
}

/* Tells a session, and takes the lines, until both succeed. */
static void fail_told(uint64_t session)
{
    struct xylem_buffer told = {NULL, 0, 0};
    char path[300];
    int code = XYLEM_E_MEMORY;
    for (size_t i = 1; code != XYLEM_OK; i++) {
        xylem_base__buffer_clear(&told);
        arm(i, 0);
        code = xylem_export_changes(owner.txn, session, add_told, &told, &err);
        counting = false;
        assert_true(code == XYLEM_OK || code == XYLEM_E_MEMORY || code == XYLEM_E_STOPPED);
    }
    (void)snprintf(path, sizeof path, "%s/told", follower.path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(told.data, 1, told.bytes, file), told.bytes);
    assert_int_equal(fclose(file), 0);
    xylem_buffer_release(&told);
    for (unsigned write = 0; write < 2; write++) {
        code = XYLEM_E_MEMORY;
        for (size_t i = 1; code != XYLEM_OK; i++) {
            uint64_t lsn = last_lsn();
            arm(write ? 0 : i, write ? i : 0);
            code = xylem_import_changes(&report, follower.txn, path, &err);
            counting = false;
            if (code == XYLEM_OK && !write) {
                pair_abort(&follower);
            } else if (code < 0) {
                assert_int_equal(code, write ? XYLEM_E_NO_SPACE : XYLEM_E_MEMORY);
                assert_int_equal(err.code, code);
                commit_nothing(lsn);
            }
        }
    }
    store_builder_commit(&follower);
    assert_int_equal(unlink(path), 0);
}

TRAVEL_TEST(each_allocation_and_each_write_of_a_session_in_words_may_fail)
{
    make_all();
    struct xylem_sessions *sessions;
    struct xylem_session row;
    store_builder_must(xylem_sessions_new(&sessions, owner.txn, &err), &err);
    while (xylem_sessions_next(&row, sessions, &err) == 1) {
        fail_told(row.number);
    }
    xylem_sessions_free(sessions);
    assert_same_sessions(owner.txn, follower.txn);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static uint64_t meta_rows(void)
{
    struct xylem_lmdb__table_size size;
    store_builder_must(xylem_lmdb__table_size(&size, follower.txn, XYLEM_FORMAT__META, &err), &err);
    return size.rows;
}

/* The first deletion of a store writes a row of its own, and a feature. */
TRAVEL_TEST(a_deletion_that_fails_is_not_committed_by_half)
{
    uint64_t session = store_builder_session(&follower, "s");
    store_builder_commit(&follower);
    uint64_t rows = meta_rows();
    for (size_t i = 1, failed = 1; failed > 0; i++) {
        failed = 0;
        for (unsigned write = 0; write < 2; write++) {
            uint64_t lsn = last_lsn();
            arm(write ? 0 : i, write ? i : 0);
            int code = xylem_session_delete(follower.txn, session, &err);
            counting = false;
            failed += code < 0;
            if (code == XYLEM_OK) {
                pair_abort(&follower);
            } else {
                commit_nothing(lsn);
            }
            assert_verified(follower.txn);
            assert_int_equal(meta_rows(), rows);
        }
    }
}

TRAVEL_TEST(an_apply_that_the_map_has_no_room_for_works_in_a_larger_one)
{
    char *json = malloc(3000001);
    assert_non_null(json);
    memset(json, 'x', 3000000);
    memcpy(json, "{\"x\":\"", 6);
    memcpy(json + 2999998, "\"}", 3);
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "a", "message", "{}");
    store_builder_add(&owner, session, "b", "message", json);
    free(json);
    pack_anew("s");
    assert_int_equal(segments.count, 1);
    const struct xylem_open_options small = {.durability = XYLEM_DURABILITY_NONE, .map_bytes = 1048576};
    xylem_abort(follower.txn);
    store_builder_must(xylem_close(follower.store, &err), &err);
    store_builder_must(xylem_open(&follower.store, follower.path, &small, &err), &err);
    store_builder_must(xylem_begin(&follower.txn, follower.store, XYLEM_WRITE, &err), &err);
    uint64_t lsn = last_lsn();
    int code;
    size_t tries = 0;
    while ((code = try_apply(&follower, segment_at(&segments, 0))) == XYLEM_E_MAP_FULL) {
        commit_nothing(lsn);
        tries++;
    }
    store_builder_must(code, &err);
    assert_true(tries > 0);
    assert_same_session(owner.txn, follower.txn, "s");
}
