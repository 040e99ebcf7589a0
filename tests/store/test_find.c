#include <stdio.h>

#include "store/find.h"
#include "store/format/keys.h"
#include "xylem/care.h"
#include "xylem/append.h"
#include "tests/lib/chance.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

static int find(struct xylem_position *position, uint64_t session, const char *id)
{
    return xylem_find(position, builder.txn, session, xylem_view_of(id), NULL);
}

static void assert_found(uint64_t session, const char *id, struct xylem_position expected)
{
    struct xylem_position found = store_builder_find(&builder, session, id);
    assert_int_equal(found.branch, expected.branch);
    assert_int_equal(found.depth, expected.depth);
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(an_entry_is_found_by_its_id)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position first = store_builder_add(&builder, session, "a", "message", NULL);
    struct xylem_position second = store_builder_add(&builder, session, "b", "message", NULL);
    struct xylem_position third = store_builder_add_at(&builder, session, first, "c", "message", NULL);
    assert_found(session, "a", first);
    assert_found(session, "b", second);
    assert_found(session, "c", third);
}

IN_STORE(an_id_that_no_entry_has_is_not_found)
{
    char id[200];
    struct xylem_position position = {7, 7};
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "a", "message", NULL);
    assert_int_equal(find(&position, session, "b"), XYLEM_E_NOT_FOUND);
    assert_int_equal(find(&position, session, ""), XYLEM_E_NOT_FOUND);
    memset(id, 'a', sizeof id - 1);
    id[sizeof id - 1] = '\0';
    assert_int_equal(find(&position, session, id), XYLEM_E_NOT_FOUND);
    assert_int_equal(find(&position, 99, "a"), XYLEM_E_NOT_FOUND);
    assert_true(position.branch == 7 && position.depth == 7);
}

IN_STORE(a_session_does_not_find_what_another_one_has)
{
    struct xylem_position position;
    uint64_t a = store_builder_session(&builder, "a");
    uint64_t b = store_builder_session(&builder, "b");
    store_builder_add(&builder, a, "x", "message", NULL);
    assert_int_equal(find(&position, b, "x"), XYLEM_E_NOT_FOUND);
    struct xylem_position own = store_builder_add(&builder, b, "x", "message", NULL);
    assert_found(b, "x", own);
}

IN_STORE(the_same_id_in_sibling_forks_means_another_entry_in_each)
{
    struct xylem_position position;
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position root = store_builder_add(&builder, source, "root", "message", NULL);
    uint64_t left = store_builder_fork(&builder, source, root, XYLEM_FORK_AT, "left");
    uint64_t right = store_builder_fork(&builder, source, root, XYLEM_FORK_AT, "right");
    struct xylem_position in_left = store_builder_add(&builder, left, "x", "message", NULL);
    struct xylem_position in_right = store_builder_add(&builder, right, "x", "message", NULL);
    assert_int_equal(find(&position, source, "x"), XYLEM_E_NOT_FOUND);
    struct xylem_position in_source = store_builder_add(&builder, source, "x", "message", NULL);
    assert_found(left, "x", in_left);
    assert_found(right, "x", in_right);
    assert_found(source, "x", in_source);
    assert_found(left, "root", root);
    assert_found(right, "root", root);
}

IN_STORE(a_fork_finds_the_shared_path_and_no_more)
{
    struct xylem_position position;
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = store_builder_add(&builder, source, "a", "message", NULL);
    struct xylem_position b = store_builder_add(&builder, source, "b", "message", NULL);
    store_builder_add(&builder, source, "c", "message", NULL);
    store_builder_add_at(&builder, source, a, "side", "message", NULL);
    uint64_t fork = store_builder_fork(&builder, source, b, XYLEM_FORK_AT, "fork");
    assert_found(fork, "a", a);
    assert_found(fork, "b", b);
    assert_int_equal(find(&position, fork, "c"), XYLEM_E_NOT_FOUND);
    assert_int_equal(find(&position, fork, "side"), XYLEM_E_NOT_FOUND);
    uint64_t before = store_builder_fork(&builder, source, a, XYLEM_FORK_BEFORE, "before");
    assert_int_equal(find(&position, before, "a"), XYLEM_E_NOT_FOUND);
}

/* Counts the entries of the id, each of which must be one of `made`, and none twice. */
static size_t finds_of(const char *id, const struct xylem_position *made, size_t made_count)
{
    struct xylem_finds *finds = NULL;
    struct xylem_entry entry;
    struct xylem_position seen[64];
    size_t count = 0;
    int found;
    assert_int_equal(xylem_finds_new(&finds, builder.txn, xylem_view_of(id), NULL), XYLEM_OK);
    while ((found = xylem_finds_next(&entry, finds, NULL)) == 1) {
        size_t at = 0;
        while (at < made_count && memcmp(&made[at], &entry.position, sizeof *made) != 0) {
            at++;
        }
        assert_true(at < made_count && count < sizeof seen / sizeof *seen);
        for (size_t i = 0; i < count; i++) {
            assert_int_not_equal(memcmp(&seen[i], &entry.position, sizeof *seen), 0);
        }
        seen[count++] = entry.position;
    }
    assert_int_equal(found, 0);
    xylem_finds_free(finds);
    return count;
}

/* 24 trees, in most of which some of six ids are, in sessions of their own and in forks. */
IN_STORE(each_entry_of_an_id_is_found_once_in_all_trees)
{
    static const char *const ids[] = {"a", "b", "c", "d", "e", "never"};
    enum { IDS = sizeof ids / sizeof *ids };
    struct chance chance = chance_of(31);
    struct xylem_position made[IDS][64];
    size_t counts[IDS] = {0};
    for (int tree = 0; tree < 24; tree++) {
        char id[16];
        snprintf(id, sizeof id, "tree-%d", tree);
        uint64_t session = store_builder_session(&builder, id);
        struct xylem_position root = store_builder_add(&builder, session, id, "message", NULL);
        snprintf(id, sizeof id, "fork-%d", tree);
        uint64_t fork = store_builder_fork(&builder, session, root, XYLEM_FORK_AT, id);
        for (int i = 0; i < IDS - 1; i++) {
            if (chance_one_in(&chance, 3)) {
                made[i][counts[i]++] = store_builder_add(&builder, session, ids[i], "message", NULL);
            }
            if (chance_one_in(&chance, 5)) {
                made[i][counts[i]++] = store_builder_add(&builder, fork, ids[i], "message", NULL);
            }
        }
    }
    for (int i = 0; i < IDS; i++) {
        assert_int_equal(finds_of(ids[i], made[i], counts[i]), counts[i]);
    }
}

IN_STORE(a_minted_id_is_found_once_and_so_is_its_copy)
{
    char id[XYLEM_ENTRY_ID_BYTES_MAX + 1];
    struct xylem_entry entry;
    struct xylem_position made[2];
    uint64_t session = store_builder_session(&builder, "s");
    made[0] = store_builder_add(&builder, session, NULL, "message", NULL);
    assert_int_equal(xylem_entry_read(&entry, builder.txn, made[0], NULL), XYLEM_OK);
    snprintf(id, sizeof id, "%.*s", (int)entry.id.bytes, entry.id.data);
    assert_int_equal(finds_of(id, made, 1), 1);
    made[1] = store_builder_add(&builder, store_builder_session(&builder, "other"), id, "message", NULL);
    assert_int_equal(finds_of(id, made, 2), 2);
}

IN_STORE(a_row_that_leads_nowhere_is_no_end_of_the_finds)
{
    struct xylem_finds *finds = NULL;
    struct xylem_entry entry;
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_drop(&builder, store_builder_add(&builder, session, "b", "message", NULL));
    assert_int_equal(xylem_finds_new(&finds, builder.txn, xylem_view_of("b"), NULL), XYLEM_OK);
    assert_int_equal(xylem_finds_next(&entry, finds, NULL), XYLEM_E_CORRUPT);
    xylem_finds_free(finds);
}

/* The next step would begin again at tree 0. */
IN_STORE(a_row_at_the_end_of_the_numbers_ends_the_finds)
{
    const struct xylem_session last = {.number = 7, .tree = UINT64_MAX};
    const struct xylem_position nowhere = {7, 7};
    struct xylem_finds *finds = NULL;
    struct xylem_entry entry;
    store_builder_session(&builder, "s");
    assert_int_equal(xylem_store__id_write(builder.txn, &last, UINT64_MAX, nowhere, NULL), XYLEM_OK);
    assert_int_equal(xylem_finds_new(&finds, builder.txn, xylem_view_of("b"), NULL), XYLEM_OK);
    assert_int_equal(xylem_finds_next(&entry, finds, NULL), XYLEM_E_CORRUPT);
    xylem_finds_free(finds);
}

IN_STORE(a_deleted_session_finds_its_entries_too)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position entry = store_builder_add(&builder, session, "a", "message", NULL);
    assert_int_equal(xylem_session_delete(builder.txn, session, NULL), XYLEM_OK);
    assert_found(session, "a", entry);
}

IN_STORE(what_belongs_to_a_session_is_its_own_and_the_path_of_its_base)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = store_builder_add(&builder, source, "a", "message", NULL);
    struct xylem_position b = store_builder_add(&builder, source, "b", "message", NULL);
    struct xylem_position c = store_builder_add(&builder, source, "c", "message", NULL);
    struct xylem_position side = store_builder_add_at(&builder, source, a, "side", "message", NULL);
    uint64_t fork = store_builder_fork(&builder, source, b, XYLEM_FORK_AT, "fork");
    struct xylem_position own = store_builder_add(&builder, fork, "own", "message", NULL);
    uint64_t stranger = store_builder_session(&builder, "stranger");
    struct {
        struct xylem_position position;
        int in_source;
        int in_fork;
    } cases[] = {{a, 1, 1},   {b, 1, 1},      {c, 1, 0},       {side, 1, 0},
                 {own, 0, 1}, {{0, 0}, 0, 0}, {{99, 1}, 0, 0}, {{1, 99}, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(xylem_belongs(builder.txn, source, cases[i].position, NULL), cases[i].in_source);
        assert_int_equal(xylem_belongs(builder.txn, fork, cases[i].position, NULL), cases[i].in_fork);
        assert_int_equal(xylem_belongs(builder.txn, stranger, cases[i].position, NULL), 0);
    }
    assert_int_equal(xylem_belongs(builder.txn, 99, a, NULL), XYLEM_E_NOT_FOUND);
}

IN_STORE(the_owner_of_an_entry_is_the_session_of_its_branch)
{
    uint64_t owner = 0;
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position shared = store_builder_add(&builder, source, "shared", "message", NULL);
    uint64_t fork = store_builder_fork(&builder, source, shared, XYLEM_FORK_AT, "fork");
    struct xylem_position own = store_builder_add(&builder, fork, "own", "message", NULL);
    assert_int_equal(xylem_owner(&owner, builder.txn, shared, NULL), XYLEM_OK);
    assert_int_equal(owner, source);
    assert_int_equal(xylem_owner(&owner, builder.txn, own, NULL), XYLEM_OK);
    assert_int_equal(owner, fork);
    assert_int_equal(xylem_owner(&owner, builder.txn, (struct xylem_position){own.branch, own.depth + 1}, NULL),
                     XYLEM_E_NOT_FOUND);
    assert_int_equal(owner, fork);
}

IN_STORE(a_row_that_leads_to_no_entry_is_corrupt)
{
    struct xylem_position position;
    struct xylem_error err = {0};
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "a", "message", NULL);
    store_builder_drop(&builder, store_builder_add(&builder, session, "b", "message", NULL));
    assert_int_equal(xylem_find(&position, builder.txn, session, xylem_view_of("b"), &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "depth 2"));
    struct xylem_new_entry entry = {.id = xylem_view_of("b"), .kind.name = xylem_view_of("message")};
    struct xylem_append_options at_root = {.parent = XYLEM_PARENT_NONE};
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, &at_root, NULL), XYLEM_E_CORRUPT);
}

IN_STORE(a_row_that_leads_to_no_branch_is_corrupt)
{
    struct xylem_position position;
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "a", "message", NULL);
    struct row row = row_last(builder.txn, XYLEM_FORMAT__IDS);
    row_remove(builder.txn, XYLEM_FORMAT__IDS, &row);
    row.key.data[1 + 4 + 1] = 9; /* the branch, behind tree, hash and session */
    row_sum(XYLEM_FORMAT__IDS, &row);
    row_put(builder.txn, XYLEM_FORMAT__IDS, &row);
    row_release(&row);
    assert_int_equal(find(&position, session, "a"), XYLEM_E_CORRUPT);
}

/* The first page has keys that belong on the next one: the step back to it leads to a newer owner, not an older. */
IN_STORE(a_search_ends_where_rows_of_ids_are_out_of_order)
{
    const struct xylem_view id = xylem_view_of("x");
    const struct xylem_view none = {NULL, 0};
    struct xylem_error err = {0};
    struct xylem_position position;
    MDB_cursor *cursor = NULL;
    MDB_stat size = {0};
    MDB_val key;
    MDB_val value;
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position root = store_builder_add(&builder, source, NULL, "message", NULL);
    uint64_t base = store_builder_fork(&builder, source, root, XYLEM_FORK_AT, "base");
    struct xylem_position leaf = store_builder_add(&builder, base, NULL, "message", NULL);
    uint64_t later = store_builder_fork(&builder, source, root, XYLEM_FORK_AT, "later");
    uint64_t asker = store_builder_fork(&builder, base, leaf, XYLEM_FORK_AT, "asker");
    const struct xylem_session owner = store_builder_read(&builder, source);
    MDB_dbi ids = builder.txn->env->tables[XYLEM_FORMAT__IDS];
    for (struct xylem_position at = root; size.ms_leaf_pages < 2; at.depth++) {
        store_builder_must(xylem_store__id_write(builder.txn, &owner, xylem_format__hash(id), at, &err), &err);
        assert_int_equal(mdb_stat(builder.txn->mdb, ids, &size), 0);
    }
    /* Not committed: the pages are memory that may be written to. The key that divides them stays as it is. */
    assert_int_equal(mdb_cursor_open(builder.txn->mdb, ids, &cursor), 0);
    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
        struct xylem_view bytes = {key.mv_data, key.mv_size};
        ((unsigned char *)key.mv_data)[1 + 4] = (unsigned char)later; /* the session, behind tree and hash */
        xylem_format__row_put_sum(value.mv_data, XYLEM_FORMAT__IDS, bytes, none);
    }
    mdb_cursor_close(cursor);
    store_builder_commit(&builder);
    assert_int_equal(xylem_find(&position, builder.txn, asker, id, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "rows of the table ids are not in the order of their keys"));
}

IN_STORE(a_record_that_is_damaged_is_not_found_but_corrupt)
{
    struct xylem_position position;
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_damage(&builder, store_builder_add(&builder, session, "a", "message", NULL));
    assert_int_equal(find(&position, session, "a"), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_belongs(builder.txn, session, (struct xylem_position){1, 1}, NULL), XYLEM_E_CORRUPT);
}

IN_STORE(an_id_is_absent_only_where_the_rows_beside_its_place_are_right)
{
    struct xylem_position position;
    uint64_t session = store_builder_session(&builder, "proven");
    store_builder_add(&builder, session, "lost", "message", NULL);
    struct row row = row_last(builder.txn, XYLEM_FORMAT__IDS);
    assert_int_equal(xylem_find(&position, builder.txn, session, xylem_view_of("none"), NULL), XYLEM_E_NOT_FOUND);
    row_remove(builder.txn, XYLEM_FORMAT__IDS, &row);
    row.key.data[row.key.bytes - 1] = (char)(row.key.data[row.key.bytes - 1] ^ 1);
    row_put(builder.txn, XYLEM_FORMAT__IDS, &row);
    assert_int_equal(xylem_find(&position, builder.txn, session, xylem_view_of("lost"), NULL), XYLEM_E_CORRUPT);
    row_release(&row);
}

/* The row of an id whose position was damaged does not have its sum, wherever it leads. */
IN_STORE(a_row_whose_position_is_damaged_makes_no_id_absent)
{
    struct xylem_error err = {0};
    struct xylem_position position;
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position shared = store_builder_add(&builder, source, "shared", "message", NULL);
    struct xylem_position gone = store_builder_add(&builder, source, "gone", "message", NULL);
    uint64_t fork = store_builder_fork(&builder, source, shared, XYLEM_FORK_AT, "fork");
    struct xylem_position kept = store_builder_add(&builder, fork, "kept", "message", NULL);
    store_builder_must(xylem_session_delete(builder.txn, source, &err), &err);
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
    assert_int_equal(find(&position, fork, "gone"), XYLEM_E_NOT_FOUND);
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__IDS);
    for (size_t i = 0; i < rows.count; i++) {
        struct xylem_format__id_place there;
        assert_true(xylem_format__key_read_id(&there, view_of(&rows.rows[i].key)));
        if (there.position.branch == kept.branch) {
            struct xylem_format__key key;
            there.position = gone;
            xylem_format__key_id(&key, &there);
            row_remove(builder.txn, XYLEM_FORMAT__IDS, &rows.rows[i]);
            copy_bytes(&rows.rows[i].key, key.view.data, key.view.bytes);
            row_put(builder.txn, XYLEM_FORMAT__IDS, &rows.rows[i]);
        }
    }
    rows_release(&rows);
    assert_int_equal(find(&position, fork, "kept"), XYLEM_E_CORRUPT);
}
