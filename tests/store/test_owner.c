#include "xylem/segment.h"

#include <string.h>

#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "xylem/lease.h"

static struct xylem_error err;

static int follow(uint64_t session, const char *owner, uint64_t epoch)
{
    return xylem_session_follow(builder.txn, session, xylem_view_of(owner), epoch, &err);
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(a_session_has_an_owner_and_an_epoch_until_this_store_owns_it)
{
    uint64_t session = store_builder_session(&builder, "s");
    assert_null(store_builder_read(&builder, session).owner.data);
    store_builder_must(follow(session, "the owner", 3), &err);
    store_builder_reopen(&builder);
    struct xylem_session row = store_builder_read(&builder, session);
    assert_true(xylem_base__view_is(row.owner, "the owner") && row.epoch == 3);
    assert_int_equal(row.history.count, 1); /* a mark is no change */
    assert_int_equal(follow(session, "another", 2), XYLEM_E_CONFLICT);
    store_builder_must(follow(session, "another", 3), &err);
    assert_int_equal(xylem_session_own(builder.txn, session, 2, &err), XYLEM_E_CONFLICT);
    store_builder_must(xylem_session_own(builder.txn, session, 4, &err), &err);
    row = store_builder_read(&builder, session);
    assert_true(row.owner.data == NULL && row.epoch == 4);
    assert_verified(builder.txn);
}

IN_STORE(an_owner_is_text_of_some_bytes)
{
    char letters[65];
    uint64_t session = store_builder_session(&builder, "s");
    memset(letters, 'x', sizeof letters);
    letters[64] = '\0';
    assert_int_equal(follow(session, "", 0), XYLEM_E_LIMIT);
    assert_int_equal(follow(session, "\xff", 0), XYLEM_E_MALFORMED);
    assert_int_equal(xylem_session_follow(builder.txn, session, (struct xylem_view){"a\0b", 3}, 0, &err),
                     XYLEM_E_MALFORMED);
    assert_int_equal(xylem_session_follow(builder.txn, session, (struct xylem_view){letters, 65}, 0, &err),
                     XYLEM_E_LIMIT);
    store_builder_must(follow(session, letters, 0), &err);
    assert_int_equal(follow(99, "owner", 0), XYLEM_E_NOT_FOUND);
}

/* Redactions by the owner still reach what forks share of a deleted copy. Whoever undeletes it takes it over. */
IN_STORE(a_deleted_copy_follows_until_it_is_undeleted)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_must(follow(session, "owner", 7), &err);
    store_builder_must(xylem_session_delete(builder.txn, session, &err), &err);
    store_builder_must(follow(session, "the next owner", 8), &err);
    struct xylem_session row = store_builder_read(&builder, session);
    assert_true(xylem_base__view_is(row.owner, "the next owner") && row.state == XYLEM_SESSION_DELETED);
    store_builder_must(xylem_session_undelete(builder.txn, session, &err), &err);
    row = store_builder_read(&builder, session);
    assert_null(row.owner.data);
    assert_int_equal(row.epoch, 8);
}

IN_STORE(an_epoch_rises_beside_a_lease_and_nothing_else_does)
{
    struct xylem_lease *lease;
    struct xylem_store *other;
    struct xylem_txn *txn;
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_must(xylem_commit(builder.txn, &err), &err);
    store_builder_must(xylem_open(&other, builder.path, NULL, &err), &err);
    store_builder_must(xylem_lease_take(&lease, other, session, &err), &err);
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_WRITE, &err), &err);
    store_builder_must(xylem_session_own(txn, session, 5, &err), &err);
    assert_int_equal(xylem_session_follow(txn, session, xylem_view_of("owner"), 5, &err), XYLEM_E_CONFLICT);
    store_builder_must(xylem_commit(txn, &err), &err);
    store_builder_must(xylem_lease_release(lease, &err), &err);
    store_builder_must(xylem_close(other, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    assert_int_equal(store_builder_read(&builder, session).epoch, 5);
}

IN_STORE(a_deleted_session_can_be_taken_over)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_must(follow(session, "owner", 0), &err);
    store_builder_must(xylem_session_delete(builder.txn, session, &err), &err);
    store_builder_must(xylem_session_own(builder.txn, session, 0, &err), &err);
    assert_null(store_builder_read(&builder, session).owner.data);
}
