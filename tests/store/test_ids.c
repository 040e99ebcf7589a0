/* Ids that are written together. */

#include <stdlib.h>

#include "store/format/keys.h"
#include "xylem/append.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

static struct xylem_error err;

/* Appends a root as an import does: nobody looks whether its id is free, and its row is left to be written. */
static struct xylem_position add_unchecked(struct xylem_store__new_ids *ids, uint64_t session, const char *id)
{
    struct xylem_position position = {0, 0};
    struct xylem_new_entry entry = {.id = xylem_view_of(id), .kind.name = xylem_view_of("message")};
    const struct xylem_append_options root = {.parent = XYLEM_PARENT_NONE};
    struct xylem_store__append_options options = {.given = &root, .ids_checked = true, .ids = ids};
    store_builder_must(xylem_store__append(&position, builder.txn, session, &entry, 1, &options, &err), &err);
    return position;
}

static int write_ids(uint64_t session, struct xylem_store__new_ids *ids)
{
    int code = xylem_store__new_ids_write(builder.txn, session, ids, &err);
    assert_int_equal(ids->count, 0);
    free(ids->list);
    *ids = (struct xylem_store__new_ids){NULL, 0, 0};
    return code;
}

static void assert_found(uint64_t session, const char *id, struct xylem_position expected)
{
    struct xylem_position found = store_builder_find(&builder, session, id);
    assert_true(found.branch == expected.branch && found.depth == expected.depth);
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

/* Without their ids the entries would be there, and no lookup would find them. */
IN_STORE(entries_whose_ids_cannot_be_written_are_not_committed)
{
    struct xylem_store__new_ids ids = {NULL, 0, 0};
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_commit(&builder);
    struct xylem_position position = add_unchecked(&ids, session, "a");
    assert_int_equal(write_ids(session + 1, &ids), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_commit(builder.txn, NULL), XYLEM_E_NOT_FOUND);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    assert_int_equal(xylem_find(&position, builder.txn, session, xylem_view_of("a"), &err), XYLEM_E_NOT_FOUND);
}

IN_STORE(an_id_that_a_fork_has_is_free)
{
    struct xylem_store__new_ids ids = {NULL, 0, 0};
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "root", "message", NULL);
    uint64_t fork = store_builder_clone(&builder, session, "fork");
    struct xylem_position in_session = store_builder_add(&builder, session, "x", "message", NULL);
    struct xylem_position in_fork = add_unchecked(&ids, fork, "x");
    store_builder_must(write_ids(fork, &ids), &err);
    assert_found(session, "x", in_session);
    assert_found(fork, "x", in_fork);
}

/* No two ids are known that have one hash, so one is given another's. */
IN_STORE(an_id_with_the_hash_of_another_stands_beside_it)
{
    struct xylem_store__new_ids ids = {NULL, 0, 0};
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position first = store_builder_add(&builder, session, "a", "message", NULL);
    struct xylem_position other = add_unchecked(&ids, session, "b");
    ids.count = 0;
    store_builder_must(xylem_store__new_id_add(&ids, xylem_format__hash(xylem_view_of("a")), other, &err), &err);
    store_builder_must(write_ids(session, &ids), &err);
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__IDS);
    assert_int_equal(rows.count, 2);
    assert_memory_equal(rows.rows[0].key.data, rows.rows[1].key.data, 1 + 4); /* tree and hash */
    rows_release(&rows);
    assert_found(session, "a", first);
}
