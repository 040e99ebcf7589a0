/* A garbage collection in pieces, by the clock of the sandbox: what is freed, and what a kill between pieces leaves. */
#include "tests/travel/jsonl/sandbox.h"

#include "tests/lib/cursor.h"
#include "tests/lib/test.h"

#include <sys/wait.h>
#include "xylem/append.h"
#include "xylem/care.h"
#include "xylem/feed.h"

enum { LINES = 10000, SHARED = 3000 };

/* The deleted session `s`, and the session `fork`, which shares the first entries of `s`. */
static void open_with_deleted(struct sandbox *sandbox)
{
    struct xylem_buffer text = {NULL, 0, 0};
    struct xylem_session session;
    struct xylem_position at;
    char line[300];
    sandbox_open(sandbox);
    assert_int_equal(xylem_buffer_add(&text, HEADER ROOT("a1"), strlen(HEADER ROOT("a1"))), XYLEM_OK);
    for (unsigned i = 2; i <= LINES; i++) {
        int bytes = snprintf(line, sizeof line,
                             "{\"type\":\"message\",\"id\":\"a%u\",\"parentId\":\"a%u\",\"timestamp\":"
                             "\"2025-01-01T00:00:02.000Z\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n",
                             i, i - 1);
        assert_int_equal(xylem_buffer_add(&text, line, (size_t)bytes), XYLEM_OK);
    }
    sandbox_write(sandbox, "f", text.data, text.bytes);
    sandbox_import(sandbox, "f");
    xylem_buffer_release(&text);
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_ancestor_at(&at, txn, session.leaf, SHARED, NULL), XYLEM_OK);
    struct xylem_session_options options = {.id = xylem_view_of("fork")};
    assert_int_equal(xylem_fork(&session, txn, number, at, XYLEM_FORK_AT, &options, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_delete(txn, number, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
}

static void assert_freed(struct sandbox *sandbox)
{
    struct xylem_stat stat;
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    assert_int_equal(xylem_stat_read(&stat, txn, NULL), XYLEM_OK);
    assert_int_equal(stat.entry_count, SHARED);
    assert_int_equal(stat.freed_entry_count, LINES - SHARED);
    xylem_abort(txn);
    sandbox_verify(sandbox);
}

static int count_freed(void *context, const struct xylem_freed *what)
{
    unsigned *count = context;
    assert_true(what->id.bytes == 1 && *what->id.data == 's');
    assert_int_equal(what->entry_count, LINES - SHARED);
    assert_int_equal(what->kept_entry_count, SHARED);
    (*count)++;
    return 0;
}

TEST(a_session_is_freed_in_pieces_and_told_once)
{
    struct sandbox sandbox;
    struct xylem_stat stat;
    struct xylem_gc_report expected;
    struct xylem_gc_report report;
    unsigned told = 0;
    struct xylem_gc_options options = {.dry_run = true};
    open_with_deleted(&sandbox);
    struct xylem_txn *before = sandbox_begin(&sandbox, XYLEM_READ);
    assert_int_equal(xylem_gc(&expected, before, &options, NULL), XYLEM_OK);
    assert_int_equal(xylem_gc_write(&report, sandbox.store, &options, NULL), XYLEM_E_ARGUMENT);
    options = (struct xylem_gc_options){.freed = count_freed, .context = &told};
    sandbox_slow_ms = 100; /* each look ends a piece */
    assert_int_equal(xylem_gc_write(&report, sandbox.store, &options, NULL), XYLEM_OK);
    sandbox_slow_ms = 0;
    assert_memory_equal(&report, &expected, sizeof report);
    assert_int_equal(told, 1);
    struct xylem_txn *after = sandbox_begin(&sandbox, XYLEM_READ);
    assert_int_equal(xylem_stat_read(&stat, after, NULL), XYLEM_OK);
    assert_true(stat.oldest_reader_commit_count > 1);
    xylem_abort(after);
    xylem_abort(before);
    assert_freed(&sandbox);
    sandbox_close(&sandbox);
}

/* Each session in a piece of its own, and each is freed once in the feed. */
TEST(the_feed_tells_each_freed_session_once)
{
    enum { SESSIONS = 12 };
    struct sandbox sandbox;
    struct xylem_feed *feed;
    struct xylem_change change;
    bool told[SESSIONS] = {false};
    unsigned count = 0;
    sandbox_open(&sandbox);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    for (unsigned i = 0; i < SESSIONS; i++) {
        char id[2] = {(char)('a' + i), '\0'};
        struct xylem_session session;
        struct xylem_session_options options = {.id = xylem_view_of(id)};
        struct xylem_new_entry entry = {.kind.name = xylem_view_of("note")};
        assert_int_equal(xylem_session_create(&session, txn, &options, NULL), XYLEM_OK);
        assert_int_equal(xylem_append(NULL, txn, session.number, &entry, 1, NULL, NULL), XYLEM_OK);
        assert_int_equal(xylem_session_delete(txn, session.number, NULL), XYLEM_OK);
    }
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    sandbox_slow_ms = 100; /* each look ends a piece */
    assert_int_equal(xylem_gc_write(NULL, sandbox.store, NULL, NULL), XYLEM_OK);
    sandbox_slow_ms = 0;
    txn = sandbox_begin(&sandbox, XYLEM_READ);
    assert_int_equal(feed_after(&feed, txn, 0, NULL), XYLEM_OK);
    while (xylem_feed_next(&change, feed, NULL) == 1) {
        if (change.type == XYLEM_CHANGE_FREED) {
            bool *known = &told[(unsigned char)*change.freed_id.data - 'a'];
            assert_false(*known);
            *known = true;
            count++;
        }
    }
    assert_int_equal(count, SESSIONS);
    xylem_feed_free(feed);
    xylem_abort(txn);
    sandbox_verify(&sandbox);
    sandbox_close(&sandbox);
}

TEST(a_collection_that_was_killed_between_pieces_is_finished_by_the_next_call)
{
    unsigned rests = 0;
    for (unsigned looks = 1; looks <= 9; looks++) {
        struct sandbox sandbox;
        struct xylem_stat stat;
        char path[512];
        int status = 0;
        open_with_deleted(&sandbox);
        sandbox_path(path, &sandbox, "store");
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            bool opened = xylem_open(&sandbox.store, path, NULL, NULL) == XYLEM_OK;
            sandbox_slow_ms = 100;
            sandbox_looks_left = looks;
            _exit(opened && xylem_gc_write(NULL, sandbox.store, NULL, NULL) == XYLEM_OK ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
        sandbox_verify(&sandbox);
        struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
        assert_int_equal(xylem_stat_read(&stat, txn, NULL), XYLEM_OK);
        xylem_abort(txn);
        rests += stat.entry_count > SHARED && stat.entry_count < LINES;
        assert_int_equal(xylem_gc_write(NULL, sandbox.store, NULL, &sandbox.err), XYLEM_OK);
        assert_freed(&sandbox);
        sandbox_close(&sandbox);
    }
    assert_true(rests > 0);
}

static struct sandbox *shared_sandbox;

/* Deletes `late` once `x` is freed: between two pieces, where no transaction is open. */
static void delete_between_pieces(void)
{
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    void (*again)(void) = sandbox_look;
    sandbox_look = NULL;
    if (xylem_begin(&txn, shared_sandbox->store, XYLEM_WRITE, NULL) == XYLEM_OK) {
        if (xylem_session_find(&session, txn, xylem_view_of("x"), NULL) == XYLEM_E_NOT_FOUND) {
            again = NULL;
            assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("late"), NULL), XYLEM_OK);
            assert_int_equal(xylem_session_delete(txn, session.number, NULL), XYLEM_OK);
        }
        assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    }
    sandbox_look = again;
}

TEST(a_session_that_is_deleted_between_two_pieces_behind_its_turn_keeps_its_path)
{
    struct sandbox sandbox;
    struct xylem_session session;
    struct xylem_entry entry;
    struct xylem_position at;
    struct xylem_stat stat;
    open_with_deleted(&sandbox);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    struct xylem_session_options options = {.id = xylem_view_of("x")};
    assert_int_equal(xylem_session_undelete(txn, 1, NULL), XYLEM_OK);
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_ancestor_at(&at, txn, session.leaf, 2 * SHARED, NULL), XYLEM_OK);
    assert_int_equal(xylem_fork(&session, txn, number, at, XYLEM_FORK_AT, &options, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_delete(txn, session.number, NULL), XYLEM_OK);
    options.id = xylem_view_of("late"); /* the last session: its turn is over at once */
    assert_int_equal(xylem_fork(&session, txn, number, at, XYLEM_FORK_AT, &options, NULL), XYLEM_OK);
    uint64_t late = session.number;
    assert_int_equal(xylem_session_delete(txn, number, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    shared_sandbox = &sandbox;
    sandbox_look = delete_between_pieces;
    sandbox_slow_ms = 100;
    assert_int_equal(xylem_gc_write(NULL, sandbox.store, NULL, &sandbox.err), XYLEM_OK);
    sandbox_slow_ms = 0;
    assert_null(sandbox_look); /* `late` was deleted */
    sandbox_verify(&sandbox);
    txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    assert_int_equal(xylem_session_undelete(txn, late, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    txn = sandbox_begin(&sandbox, XYLEM_READ);
    assert_int_equal(xylem_stat_read(&stat, txn, NULL), XYLEM_OK);
    assert_int_equal(stat.entry_count, 2 * SHARED);
    assert_int_equal(xylem_entry_read(&entry, txn, at, NULL), XYLEM_OK);
    assert_int_equal(xylem_ancestor_at(&at, txn, at, 1, &sandbox.err), XYLEM_OK);
    xylem_abort(txn);
    sandbox_verify(&sandbox);
    sandbox_close(&sandbox);
}
