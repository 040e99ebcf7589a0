#include <stdio.h>

#include "base/clock.h"
#include "store/format/keys.h"
#include "store/session.h"
#include "xylem/inspect.h"
#include "xylem/segment.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

static int create(struct xylem_session *session, struct xylem_view id)
{
    struct xylem_session_options options = {.id = id};
    return xylem_session_create(session, builder.txn, &options, NULL);
}

static int find(struct xylem_session *session, const char *id)
{
    return xylem_session_find(session, builder.txn, xylem_view_of(id), NULL);
}

static void set_state(uint64_t number, enum xylem_session_state wanted)
{
    struct xylem_session session = store_builder_read(&builder, number);
    struct xylem_error err = {0};
    session.state = wanted;
    store_builder_must(xylem_store__session_write(builder.txn, &session, &err), &err);
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(a_session_reads_back_as_it_was_created)
{
    struct xylem_session session;
    struct xylem_error err = {0};
    int64_t created = -5;
    struct xylem_session_options options = {.id = xylem_view_of("s\xc3\xa9ss"),
                                            .cwd = xylem_view_of("/home/someone"),
                                            .parent = xylem_view_of("parent"),
                                            .created_ms = &created};
    store_builder_must(xylem_session_create(&session, builder.txn, &options, &err), &err);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(session.number, 1);
        assert_true(xylem_base__view_is(session.id, "s\xc3\xa9ss"));
        assert_true(xylem_base__view_is(session.cwd, "/home/someone"));
        assert_true(xylem_base__view_is(session.parent, "parent"));
        assert_int_equal(session.header.bytes, 0);
        assert_true(session.created_ms == -5 && session.state == XYLEM_SESSION_LIVE && session.tree == 1);
        assert_true(session.leaf.branch == 0 && session.leaf.depth == 0 && session.base.branch == 0);
        assert_true(session.last_lsn == 0 && session.move_count == 0 && session.newest_branch == 0);
        store_builder_reopen(&builder);
        store_builder_must(xylem_session_find(&session, builder.txn, options.id, &err), &err);
    }
}

IN_STORE(what_was_not_given_is_absent_and_what_was_given_empty_is_empty)
{
    struct xylem_session session;
    struct xylem_session_options options = {.id = xylem_view_of("a")};
    assert_int_equal(xylem_session_create(&session, builder.txn, &options, NULL), XYLEM_OK);
    assert_null(session.cwd.data);
    assert_null(session.parent.data);
    options.id = xylem_view_of("b");
    options.cwd = xylem_view_of("");
    options.parent = xylem_view_of("");
    assert_int_equal(xylem_session_create(&session, builder.txn, &options, NULL), XYLEM_OK);
    assert_true(session.cwd.data && session.cwd.bytes == 0);
    assert_true(session.parent.data && session.parent.bytes == 0);
}

IN_STORE(without_options_id_and_time_are_made)
{
    struct xylem_session first;
    struct xylem_session second;
    int64_t before = xylem_base__now_ms();
    assert_int_equal(xylem_session_create(&first, builder.txn, NULL, NULL), XYLEM_OK);
    uint64_t number = first.number;
    assert_int_equal(first.id.bytes, XYLEM_BASE__UUID_TEXT_BYTES);
    assert_int_equal(first.id.data[14], '7');
    assert_true(first.created_ms >= before && first.created_ms <= xylem_base__now_ms());
    assert_int_equal(xylem_session_create(&second, builder.txn, NULL, NULL), XYLEM_OK);
    first = store_builder_read(&builder, number);
    assert_false(xylem_base__view_equal(first.id, second.id));
    assert_true(second.number == 2 && second.tree == 2);
}

IN_STORE(an_id_has_1_to_200_bytes_of_utf8)
{
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1];
    struct xylem_session session;
    memset(id, 'i', sizeof id);
    assert_int_equal(create(&session, (struct xylem_view){id, XYLEM_SESSION_ID_BYTES_MAX}), XYLEM_OK);
    assert_int_equal(create(&session, (struct xylem_view){id, XYLEM_SESSION_ID_BYTES_MAX + 1}), XYLEM_E_LIMIT);
    assert_int_equal(create(&session, (struct xylem_view){id, 1}), XYLEM_OK);
    assert_int_equal(create(&session, xylem_view_of("\xff")), XYLEM_E_MALFORMED);
    assert_int_equal(create(&session, (struct xylem_view){"a\0b", 3}), XYLEM_E_MALFORMED);
    assert_int_equal(session.number, 2);
}

IN_STORE(a_taken_id_is_refused_whatever_the_other_sessions_state)
{
    struct xylem_session session;
    uint64_t number = store_builder_session(&builder, "s");
    for (int taken = XYLEM_SESSION_LIVE; taken <= XYLEM_SESSION_DELETED; taken++) {
        set_state(number, (enum xylem_session_state)taken);
        assert_int_equal(create(&session, xylem_view_of("s")), XYLEM_E_EXISTS);
    }
    assert_int_equal(create(&session, xylem_view_of("t")), XYLEM_OK);
    assert_int_equal(session.number, 2);
}

IN_STORE(only_live_sessions_are_found)
{
    struct xylem_session session;
    uint64_t number = store_builder_session(&builder, "s");
    assert_int_equal(find(&session, "s"), XYLEM_OK);
    assert_int_equal(find(&session, "t"), XYLEM_E_NOT_FOUND);
    assert_int_equal(find(&session, ""), XYLEM_E_NOT_FOUND);
    set_state(number, XYLEM_SESSION_IMPORTING);
    assert_int_equal(find(&session, "s"), XYLEM_E_NOT_FOUND);
    set_state(number, XYLEM_SESSION_DELETED);
    assert_int_equal(find(&session, "s"), XYLEM_E_DELETED);
    assert_int_equal(xylem_store__session_find_any(&session, builder.txn, xylem_view_of("s"), NULL), XYLEM_OK);
    assert_int_equal(session.state, XYLEM_SESSION_DELETED);
}

IN_STORE(an_id_that_no_session_can_have_is_not_found)
{
    char id[600];
    struct xylem_session session;
    memset(id, 'i', sizeof id);
    for (size_t bytes = 195; bytes < sizeof id; bytes += 3) {
        struct xylem_view view = {id, bytes};
        assert_int_equal(xylem_session_find(&session, builder.txn, view, NULL), XYLEM_E_NOT_FOUND);
    }
}

IN_STORE(a_session_of_any_state_is_read_by_its_number)
{
    struct xylem_session session;
    uint64_t number = store_builder_session(&builder, "s");
    for (int wanted = XYLEM_SESSION_LIVE; wanted <= XYLEM_SESSION_DELETED; wanted++) {
        set_state(number, (enum xylem_session_state)wanted);
        assert_int_equal(store_builder_read(&builder, number).state, wanted);
    }
    assert_int_equal(xylem_session_read(&session, builder.txn, 0, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_session_read(&session, builder.txn, 2, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_session_read(&session, builder.txn, UINT64_MAX, NULL), XYLEM_E_NOT_FOUND);
}

IN_STORE(a_listing_has_every_session_in_the_order_of_numbers)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    struct xylem_error err = {0};
    store_builder_must(xylem_sessions_new(&sessions, builder.txn, &err), &err);
    assert_int_equal(xylem_sessions_next(&session, sessions, &err), 0);
    xylem_sessions_free(sessions);
    store_builder_session(&builder, "z");
    uint64_t deleted = store_builder_session(&builder, "m");
    uint64_t importing = store_builder_session(&builder, "a");
    set_state(deleted, XYLEM_SESSION_DELETED);
    set_state(importing, XYLEM_SESSION_IMPORTING);
    store_builder_must(xylem_sessions_new(&sessions, builder.txn, &err), &err);
    for (uint64_t number = 1; number <= 3; number++) {
        assert_int_equal(xylem_sessions_next(&session, sessions, &err), 1);
        assert_int_equal(session.number, number);
        assert_int_equal(session.state, number == deleted     ? XYLEM_SESSION_DELETED
                                        : number == importing ? XYLEM_SESSION_IMPORTING
                                                              : XYLEM_SESSION_LIVE);
    }
    assert_int_equal(xylem_sessions_next(&session, sessions, &err), 0);
    assert_int_equal(xylem_sessions_next(&session, sessions, &err), 0);
    xylem_sessions_free(sessions);
    xylem_sessions_free(NULL);
}

IN_STORE(a_listing_says_which_row_is_damaged)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session = {.number = 77};
    struct xylem_error err = {0};
    store_builder_session(&builder, "s");
    row_last_set(builder.txn, XYLEM_FORMAT__SESSIONS, 0, 1, false);
    store_builder_must(xylem_sessions_new(&sessions, builder.txn, &err), &err);
    assert_int_equal(xylem_sessions_next(&session, sessions, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "sessions"));
    assert_int_equal(session.number, 77);
    xylem_sessions_free(sessions);
    /* Out parameters are written on success only, also where the sum is right. */
    row_last_set(builder.txn, XYLEM_FORMAT__SESSIONS, 0, 3, true);
    store_builder_must(xylem_sessions_new(&sessions, builder.txn, &err), &err);
    assert_int_equal(xylem_sessions_next(&session, sessions, &err), XYLEM_E_CORRUPT);
    assert_int_equal(session.number, 77);
    xylem_sessions_free(sessions);
}

IN_STORE(a_deleted_session_is_marked_and_nothing_else)
{
    uint64_t number = store_builder_session(&builder, "s");
    struct xylem_position leaf = store_builder_add(&builder, number, "1", "message", NULL);
    uint64_t fork = store_builder_fork(&builder, number, leaf, XYLEM_FORK_AT, "f");
    assert_int_equal(xylem_session_delete(builder.txn, number, NULL), XYLEM_OK);
    assert_int_equal(store_builder_read(&builder, number).state, XYLEM_SESSION_DELETED);
    assert_int_equal(store_builder_find(&builder, fork, "1").depth, 1);
    assert_int_equal(xylem_session_delete(builder.txn, number, NULL), XYLEM_E_DELETED);
    assert_int_equal(xylem_session_delete(builder.txn, 9, NULL), XYLEM_E_NOT_FOUND);
    set_state(fork, XYLEM_SESSION_IMPORTING); /* an import that nobody finishes can be given up */
    assert_int_equal(xylem_session_delete(builder.txn, fork, NULL), XYLEM_OK);
}

IN_STORE(an_undeleted_session_is_what_it_was)
{
    struct xylem_session session;
    uint64_t number = store_builder_session(&builder, "s");
    struct xylem_position leaf = store_builder_add(&builder, number, "1", "message", NULL);
    assert_int_equal(xylem_session_undelete(builder.txn, number, NULL), XYLEM_E_EXISTS);
    assert_int_equal(xylem_session_delete(builder.txn, number, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_undelete(builder.txn, number, NULL), XYLEM_OK);
    assert_int_equal(find(&session, "s"), XYLEM_OK);
    assert_true(session.leaf.depth == leaf.depth && session.state == XYLEM_SESSION_LIVE);
    store_builder_add(&builder, number, "2", "message", NULL);
    assert_int_equal(xylem_session_undelete(builder.txn, 9, NULL), XYLEM_E_NOT_FOUND);
}

IN_STORE(an_import_that_was_not_finished_is_not_finished_after_it_was_undeleted)
{
    uint64_t number = store_builder_session(&builder, "s");
    set_state(number, XYLEM_SESSION_IMPORTING);
    assert_int_equal(xylem_session_undelete(builder.txn, number, NULL), XYLEM_E_EXISTS);
    for (int round = 0; round < 2; round++) {
        assert_false(store_builder_read(&builder, number).import_unfinished);
        assert_int_equal(xylem_session_delete(builder.txn, number, NULL), XYLEM_OK);
        assert_true(store_builder_read(&builder, number).import_unfinished);
        assert_int_equal(xylem_session_undelete(builder.txn, number, NULL), XYLEM_OK);
        assert_int_equal(store_builder_read(&builder, number).state, XYLEM_SESSION_IMPORTING);
    }
    set_state(number, XYLEM_SESSION_LIVE);
    assert_int_equal(xylem_session_delete(builder.txn, number, NULL), XYLEM_OK);
    assert_false(store_builder_read(&builder, number).import_unfinished);
}

IN_STORE(a_live_session_with_an_unfinished_import_cannot_be)
{
    uint64_t number = store_builder_session(&builder, "s");
    struct xylem_session session = store_builder_read(&builder, number);
    session.import_unfinished = true;
    store_builder_must(xylem_store__session_write(builder.txn, &session, NULL), NULL);
    assert_int_equal(xylem_session_read(&session, builder.txn, number, NULL), XYLEM_E_CORRUPT);
}

IN_STORE(a_transaction_that_reads_creates_and_deletes_nothing)
{
    struct xylem_txn *reader = NULL;
    struct xylem_session session;
    uint64_t number = store_builder_session(&builder, "s");
    store_builder_commit(&builder);
    assert_int_equal(xylem_begin(&reader, builder.store, XYLEM_READ, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_create(&session, reader, NULL, NULL), XYLEM_E_READ_ONLY);
    assert_int_equal(xylem_session_delete(reader, number, NULL), XYLEM_E_READ_ONLY);
    assert_int_equal(xylem_session_undelete(reader, number, NULL), XYLEM_E_READ_ONLY);
    xylem_abort(reader);
}

IN_STORE(a_view_of_a_reader_lives_until_its_transaction_ends)
{
    struct xylem_txn *reader = NULL;
    struct xylem_session session;
    uint64_t number = store_builder_session(&builder, "s");
    store_builder_commit(&builder);
    assert_int_equal(xylem_begin(&reader, builder.store, XYLEM_READ, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_find(&session, reader, xylem_view_of("s"), NULL), XYLEM_OK);
    for (int i = 0; i < 50; i++) {
        store_builder_messages(&builder, number, 20);
        store_builder_commit(&builder);
    }
    assert_true(xylem_base__view_is(session.id, "s"));
    assert_int_equal(session.leaf.depth, 0);
    xylem_abort(reader);
}

/* The ids of the sessions, separated by blanks. */
static void assert_beginning(const char *beginning, const char *expected)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    char ids[256] = "";
    int found;
    assert_int_equal(xylem_sessions_beginning(&sessions, builder.txn, xylem_view_of(beginning), NULL), XYLEM_OK);
    while ((found = xylem_sessions_next(&session, sessions, NULL)) == 1) {
        size_t used = strlen(ids);
        snprintf(ids + used, sizeof ids - used, "%s%.*s", used ? " " : "", (int)session.id.bytes, session.id.data);
    }
    assert_int_equal(found, 0);
    assert_string_equal(ids, expected);
    xylem_sessions_free(sessions);
}

IN_STORE(sessions_are_found_by_the_beginning_of_their_ids)
{
    struct xylem_sessions *sessions = NULL;
    assert_beginning("a", "");
    store_builder_session(&builder, "abd");
    store_builder_session(&builder, "b");
    uint64_t gone = store_builder_session(&builder, "abc");
    store_builder_session(&builder, "ab");
    assert_int_equal(xylem_session_delete(builder.txn, gone, NULL), XYLEM_OK);
    assert_beginning("a", "ab abc abd");
    assert_beginning("abc", "abc");
    assert_beginning("abe", "");
    assert_beginning("c", "");
    assert_beginning("\x7f", "");
    assert_int_equal(xylem_sessions_beginning(&sessions, builder.txn, xylem_view_of(""), NULL), XYLEM_E_ARGUMENT);
}

IN_STORE(numbers_go_on_above_the_floor)
{
    store_builder_session(&builder, "a");
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.session = 9});
    store_builder_commit(&builder);
    assert_int_equal(store_builder_session(&builder, "b"), 10);
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.session = UINT64_MAX});
    store_builder_commit(&builder);
    struct xylem_session session;
    assert_int_equal(create(&session, xylem_view_of("c")), XYLEM_E_CORRUPT);
}

IN_STORE(a_row_that_cannot_be_is_corrupt_even_with_the_right_sum)
{
    struct xylem_session session;
    uint64_t number = store_builder_session(&builder, "s");
    row_last_set(builder.txn, XYLEM_FORMAT__SESSIONS, 0, 3 /* no state */, true);
    assert_int_equal(xylem_session_read(&session, builder.txn, number, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(find(&session, "s"), XYLEM_E_CORRUPT);
    row_last_set(builder.txn, XYLEM_FORMAT__SESSIONS, 0, 0, true);
    assert_int_equal(find(&session, "s"), XYLEM_OK);
    row_last_set(builder.txn, XYLEM_FORMAT__SESSIONS, 31, 2 /* the id's length */, true);
    assert_int_equal(find(&session, "s"), XYLEM_E_CORRUPT);
}

/* Each of the first numbers, and a length, is one byte here. */
IN_STORE(a_row_has_one_spelling_and_one_length)
{
    uint64_t number = store_builder_session(&builder, "s");
    struct row row = row_last(builder.txn, XYLEM_FORMAT__SESSIONS);
    size_t bytes = row.value.bytes - XYLEM_FORMAT__SUM_BYTES;
    struct xylem_session session;
    assert_int_equal(bytes, 2 + 13 + 8 + 8 + 1 + 1 + 3);
    for (size_t i = 0; i <= row.value.bytes; i++) {
        assert_int_equal(xylem_store__session_decode(&session, number, (struct xylem_view){row.value.data, i}, NULL),
                         i == bytes ? XYLEM_OK : XYLEM_E_CORRUPT);
    }
    for (size_t i = 2; i < bytes; i += i == 2 + 13 - 1 ? 8 + 8 + 1 : 1) {
        char padded[80];
        if (i == 32) { /* the id */
            continue;
        }
        memcpy(padded, row.value.data, i + 1);
        padded[i] = (char)(padded[i] | 0x80);
        padded[i + 1] = 0;
        memcpy(padded + i + 2, row.value.data + i + 1, bytes - i - 1);
        assert_int_equal(xylem_store__session_decode(&session, number, (struct xylem_view){padded, bytes + 1}, NULL),
                         XYLEM_E_CORRUPT);
    }
    row.value.data[1] = 0x20; /* a flag of no version */
    assert_int_equal(xylem_store__session_decode(&session, number, (struct xylem_view){row.value.data, bytes}, NULL),
                     XYLEM_E_CORRUPT);
    row_release(&row);
}

IN_STORE(a_row_counts_the_entries_of_the_branches_that_it_owns)
{
    uint64_t number = store_builder_session(&builder, "s");
    struct xylem_position root = store_builder_messages(&builder, number, 3);
    store_builder_go(&builder, number, root);
    store_builder_messages(&builder, number, 2);
    uint64_t fork = store_builder_fork(&builder, number, root, XYLEM_FORK_AT, "fork");
    assert_int_equal(store_builder_read(&builder, number).own_entry_count, 5);
    assert_int_equal(store_builder_read(&builder, fork).own_entry_count, 0);
}

IN_STORE(a_count_that_is_wrong_is_found_by_verify)
{
    struct xylem_verify_report report;
    uint64_t number = store_builder_session(&builder, "s");
    store_builder_messages(&builder, number, 3);
    static const uint64_t wrong[] = {2, 4, UINT64_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct xylem_session session = store_builder_read(&builder, number);
        session.own_entry_count = wrong[i];
        assert_int_equal(xylem_store__session_write(builder.txn, &session, NULL), XYLEM_OK);
        assert_int_equal(xylem_verify(&report, builder.txn, NULL, NULL, NULL, NULL), XYLEM_OK);
        assert_int_equal(report.problem_count, 1);
    }
}

IN_STORE(a_row_that_was_cut_anywhere_is_corrupt)
{
    struct xylem_session_options options = {.id = xylem_view_of("s"), .cwd = xylem_view_of("/")};
    struct xylem_session session;
    assert_int_equal(xylem_session_create(&session, builder.txn, &options, NULL), XYLEM_OK);
    struct row row = row_last(builder.txn, XYLEM_FORMAT__SESSIONS);
    size_t content = row.value.bytes - XYLEM_FORMAT__SUM_BYTES;
    for (size_t bytes = 0; bytes <= content; bytes++) {
        struct xylem_view view = {row.value.data, bytes};
        assert_int_equal(xylem_store__session_decode(&session, 1, view, NULL),
                         bytes == content ? XYLEM_OK : XYLEM_E_CORRUPT);
    }
    row_release(&row);
}

/* Readers have buffers for the longest id. */
IN_STORE(a_row_with_an_id_beyond_the_limit_is_corrupt)
{
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1];
    memset(id, 'a', sizeof id);
    const struct xylem_session_options options = {.id = {id, XYLEM_SESSION_ID_BYTES_MAX}};
    struct xylem_session session;
    assert_int_equal(xylem_session_create(&session, builder.txn, &options, NULL), XYLEM_OK);
    session.id = (struct xylem_view){id, sizeof id};
    assert_int_equal(xylem_store__session_write(builder.txn, &session, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_read(&session, builder.txn, session.number, NULL), XYLEM_E_CORRUPT);
}

IN_STORE(an_id_that_leads_to_another_session_is_corrupt)
{
    struct xylem_session session;
    store_builder_session(&builder, "a");
    store_builder_session(&builder, "b");
    row_last_set(builder.txn, XYLEM_FORMAT__SESSION_IDS, 0, 1, true);
    assert_int_equal(find(&session, "b"), XYLEM_E_CORRUPT);
    row_last_set(builder.txn, XYLEM_FORMAT__SESSION_IDS, 0, 9, true);
    assert_int_equal(find(&session, "b"), XYLEM_E_CORRUPT);
    row_last_set(builder.txn, XYLEM_FORMAT__SESSION_IDS, 0, 2, false);
    assert_int_equal(find(&session, "b"), XYLEM_E_CORRUPT);
    assert_int_equal(create(&session, xylem_view_of("b")), XYLEM_E_CORRUPT);
}

IN_STORE(an_id_row_of_another_length_is_corrupt)
{
    struct xylem_session session;
    store_builder_session(&builder, "a");
    struct row row = row_last(builder.txn, XYLEM_FORMAT__SESSION_IDS);
    copy_bytes(&row.value, "\0", 1);
    row_sum(XYLEM_FORMAT__SESSION_IDS, &row);
    row_put(builder.txn, XYLEM_FORMAT__SESSION_IDS, &row);
    row_release(&row);
    assert_int_equal(find(&session, "a"), XYLEM_E_CORRUPT);
}

/* Reads all sessions; gives what it ended in. */
static int list_all(void)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    int code = xylem_sessions_new(&sessions, builder.txn, NULL);
    while (code == XYLEM_OK && (code = xylem_sessions_next(&session, sessions, NULL)) == 1) {
        code = XYLEM_OK;
    }
    xylem_sessions_free(sessions);
    return code;
}

IN_STORE(a_session_that_one_of_its_tables_lost_is_missed)
{
    struct xylem_session session;
    static const enum xylem_format__table tables[] = {XYLEM_FORMAT__SESSIONS, XYLEM_FORMAT__SESSION_IDS};
    store_builder_session(&builder, "a");
    uint64_t lost = store_builder_session(&builder, "b");
    assert_int_equal(list_all(), XYLEM_OK);
    for (size_t i = 0; i < 2; i++) {
        struct row row = row_last(builder.txn, tables[i]);
        row_remove(builder.txn, tables[i], &row);
        assert_int_equal(list_all(), XYLEM_E_CORRUPT);
        assert_int_equal(find(&session, "b"), XYLEM_E_CORRUPT);
        assert_int_equal(find(&session, "never there"), XYLEM_E_CORRUPT);
        assert_int_equal(xylem_session_read(&session, builder.txn, lost, NULL),
                         tables[i] == XYLEM_FORMAT__SESSIONS ? XYLEM_E_CORRUPT : XYLEM_OK);
        row_put(builder.txn, tables[i], &row);
        row_release(&row);
    }
    assert_int_equal(list_all(), XYLEM_OK);
    assert_int_equal(find(&session, "never there"), XYLEM_E_NOT_FOUND);
}

/* --- Namespaces --------------------------------------------------------------------------------------------------- */

static int create_in(struct xylem_session *session, struct xylem_view name_space, const char *id)
{
    struct xylem_session_options options = {.id = xylem_view_of(id), .name_space = name_space};
    return xylem_session_create(session, builder.txn, &options, NULL);
}

static int find_in(struct xylem_session *session, struct xylem_view name_space, const char *id)
{
    return xylem_session_find_in(session, builder.txn, name_space, xylem_view_of(id), NULL);
}

/* 300 bytes. Two of them, with `swapped` and without, have one XXH3-64: what one lane loses another gains. */
static struct xylem_view long_name_space(char text[300], bool swapped)
{
    memset(text, 'a', 300);
    memcpy(text + 24, swapped ? "aaaa\1\1\1\1" : "`aaa\1\1\1\1", 8);
    memcpy(text + 152, swapped ? "`aaazM\24?" : "aaaazM\24?", 8);
    return (struct xylem_view){text, 300};
}

IN_STORE(the_same_id_in_two_namespaces_is_two_sessions)
{
    char text[300];
    struct xylem_view spaces[] = {
        {NULL, 0}, xylem_view_of("a"), xylem_view_of("-home-me"), long_name_space(text, false)};
    struct xylem_session session;
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(find_in(&session, spaces[i], "s"), XYLEM_E_NOT_FOUND);
        assert_int_equal(create_in(&session, spaces[i], "s"), XYLEM_OK);
        assert_int_equal(create_in(&session, spaces[i], "s"), XYLEM_E_EXISTS);
    }
    store_builder_reopen(&builder);
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(find_in(&session, spaces[i], "s"), XYLEM_OK);
        assert_int_equal(session.number, i + 1);
        assert_true(xylem_base__view_equal(session.name_space, spaces[i]));
        assert_int_equal(xylem_session_read(&session, builder.txn, i + 1, NULL), XYLEM_OK);
        assert_true(xylem_base__view_equal(session.name_space, spaces[i]) && xylem_base__view_is(session.id, "s"));
    }
    assert_int_equal(find(&session, "s"), XYLEM_OK);
    assert_true(session.number == 1 && !session.name_space.data);
    assert_int_equal(xylem_session_delete(builder.txn, 2, NULL), XYLEM_OK);
    assert_int_equal(find_in(&session, spaces[1], "s"), XYLEM_E_DELETED);
    assert_int_equal(find(&session, "s"), XYLEM_OK);
    assert_int_equal(find_in(&session, xylem_view_of("b"), "s"), XYLEM_E_NOT_FOUND);
}

IN_STORE(a_namespace_has_up_to_4096_bytes_of_utf8)
{
    static char text[XYLEM_NAMESPACE_BYTES_MAX + 1];
    struct xylem_session session;
    memset(text, 'n', sizeof text);
    text[7] = '\0';
    assert_int_equal(create_in(&session, (struct xylem_view){text, sizeof text}, "s"), XYLEM_E_LIMIT);
    assert_int_equal(create_in(&session, (struct xylem_view){text, sizeof text - 1}, "s"), XYLEM_OK);
    assert_int_equal(create_in(&session, xylem_view_of("\xff"), "t"), XYLEM_E_MALFORMED);
    assert_int_equal(create_in(&session, xylem_view_of("\xed\xa0\x80"), "t"), XYLEM_OK); /* a lone surrogate */
    assert_int_equal(create_in(&session, xylem_view_of("a"), ""), XYLEM_OK);
    assert_int_equal(session.id.bytes, 36);
    store_builder_reopen(&builder);
    assert_int_equal(find_in(&session, (struct xylem_view){text, sizeof text - 1}, "s"), XYLEM_OK);
    assert_int_equal(session.name_space.bytes, XYLEM_NAMESPACE_BYTES_MAX);
}

IN_STORE(a_session_outside_of_namespaces_pays_nothing_for_them)
{
    struct xylem_session session;
    assert_int_equal(create_in(&session, xylem_view_of(NULL), "s"), XYLEM_OK);
    assert_int_equal(create_in(&session, xylem_view_of("abc"), "t"), XYLEM_OK);
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__SESSIONS);
    assert_int_equal(rows.rows[1].value.bytes, rows.rows[0].value.bytes + 1 + 3);
    rows_release(&rows);
    rows = rows_of(builder.txn, XYLEM_FORMAT__SESSION_IDS);
    assert_int_equal(rows.rows[0].key.bytes, 1);
    assert_int_equal(rows.rows[1].key.bytes, 1 + 8 + 1);
    rows_release(&rows);
}

/* Gives the numbers of the sessions that an iteration gives, as digits. */
static const char *numbers_in(struct xylem_view name_space, const char *beginning)
{
    static char numbers[16];
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    size_t count = 0;
    int code = xylem_sessions_in(&sessions, builder.txn, name_space, xylem_view_of(beginning), NULL);
    assert_int_equal(code, XYLEM_OK);
    while ((code = xylem_sessions_next(&session, sessions, NULL)) == 1) {
        assert_true(xylem_base__view_equal(session.name_space, name_space) && count < sizeof numbers - 1);
        numbers[count++] = (char)('0' + session.number);
    }
    numbers[count] = '\0';
    assert_int_equal(code, 0);
    assert_int_equal(xylem_sessions_next(&session, sessions, NULL), 0);
    xylem_sessions_free(sessions);
    return numbers;
}

IN_STORE(the_sessions_of_a_namespace_come_by_their_ids)
{
    static const struct {
        const char *name_space;
        const char *id;
    } made[] = {
        {"a", "z"}, {NULL, "ab"}, {"a", "ab"}, {"b", "ab"}, {NULL, "b"}, {"a", "a"}, {NULL, "\xf4\x8f\xbf\xbf"}};
    struct xylem_session session;
    char longer[XYLEM_SESSION_ID_BYTES_MAX + 2];
    struct xylem_view a = xylem_view_of("a");
    struct xylem_view none = {NULL, 0};
    assert_string_equal(numbers_in(none, ""), "");
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        assert_int_equal(create_in(&session, xylem_view_of(made[i].name_space), made[i].id), XYLEM_OK);
    }
    for (int round = 0; round < 2; round++) {
        assert_string_equal(numbers_in(a, ""), "631");
        assert_string_equal(numbers_in(a, "a"), "63");
        assert_string_equal(numbers_in(a, "ab"), "3");
        assert_string_equal(numbers_in(a, "b"), "");
        assert_string_equal(numbers_in(none, ""), "257");
        assert_string_equal(numbers_in(none, "a"), "2");
        assert_string_equal(numbers_in(xylem_view_of("none"), ""), "");
        store_builder_reopen(&builder);
    }
    struct xylem_session other = store_builder_read(&builder, 4);
    other.id = xylem_view_of("ab");
    other.name_space = xylem_view_of("of no key");
    assert_int_equal(xylem_store__session_write(builder.txn, &other, NULL), XYLEM_OK);
    assert_string_equal(numbers_in(none, ""), "257"); /* damage of a session of another namespace is not met */
    assert_string_equal(numbers_in(a, ""), "631");
    memset(longer, 'a', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    longer[XYLEM_SESSION_ID_BYTES_MAX] = '\0';
    assert_int_equal(create_in(&session, a, longer), XYLEM_OK);
    longer[XYLEM_SESSION_ID_BYTES_MAX] = 'a';
    assert_string_equal(numbers_in(a, longer), "");
    static char longest[5000];
    memset(longest, 'a', sizeof longest - 1);
    assert_string_equal(numbers_in(a, longest), "");
}

IN_STORE(two_namespaces_of_one_hash_are_two_namespaces)
{
    char first[300];
    char second[300];
    struct xylem_view one = long_name_space(first, false);
    struct xylem_view other = long_name_space(second, true);
    struct xylem_session session;
    struct xylem_format__key keys[2];
    xylem_format__key_session_id(&keys[0], one, xylem_view_of("s"));
    xylem_format__key_session_id(&keys[1], other, xylem_view_of("s"));
    assert_true(xylem_base__view_equal(keys[0].view, keys[1].view) && !xylem_base__view_equal(one, other));
    assert_int_equal(create_in(&session, one, "s"), XYLEM_OK);
    assert_int_equal(find_in(&session, other, "s"), XYLEM_E_NOT_FOUND);
    assert_int_equal(create_in(&session, other, "s"), XYLEM_E_EXISTS);
    assert_int_equal(create_in(&session, other, "t"), XYLEM_OK);
    assert_string_equal(numbers_in(one, ""), "1");
    assert_string_equal(numbers_in(other, ""), "2");
}

IN_STORE(a_session_that_gets_another_id_stays_in_its_namespace)
{
    struct xylem_session session;
    struct xylem_error err = {0};
    struct xylem_view a = xylem_view_of("a");
    assert_int_equal(create_in(&session, a, "s"), XYLEM_OK);
    assert_int_equal(create_in(&session, a, "taken"), XYLEM_OK);
    assert_int_equal(create_in(&session, xylem_view_of(NULL), "t"), XYLEM_OK);
    struct xylem_view none = {NULL, 0};
    assert_int_equal(xylem_session_diverge(&session, builder.txn, 1, xylem_view_of("taken"), none, &err),
                     XYLEM_E_EXISTS);
    store_builder_must(xylem_session_diverge(&session, builder.txn, 1, xylem_view_of("t"), none, &err), &err);
    assert_true(xylem_base__view_equal(session.name_space, a) && xylem_base__view_is(session.parent, "s"));
    assert_int_equal(find_in(&session, a, "s"), XYLEM_E_NOT_FOUND);
    assert_string_equal(numbers_in(a, ""), "12");
    assert_string_equal(numbers_in(none, ""), "3");
}

IN_STORE(a_row_with_a_false_namespace_is_corrupt)
{
    struct xylem_session session;
    assert_int_equal(create_in(&session, xylem_view_of("abc"), "s"), XYLEM_OK);
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__SESSIONS);
    struct xylem_view row = {rows.rows[0].value.data, rows.rows[0].value.bytes - XYLEM_FORMAT__SUM_BYTES};
    assert_int_equal(xylem_store__session_decode(&session, 1, row, NULL), XYLEM_OK);
    rows.rows[0].value.data[row.bytes - 7] = 0; /* the length */
    assert_int_equal(xylem_store__session_decode(&session, 1, (struct xylem_view){row.data, row.bytes - 3}, NULL),
                     XYLEM_E_CORRUPT);
    rows_release(&rows);
    struct xylem_session freed = {.number = 1, .state = XYLEM_SESSION_FREED, .tree = 1};
    assert_int_equal(xylem_store__session_write(builder.txn, &freed, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_read(&session, builder.txn, 1, NULL), XYLEM_OK);
    freed.name_space = xylem_view_of("abc");
    assert_int_equal(xylem_store__session_write(builder.txn, &freed, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_read(&session, builder.txn, 1, NULL), XYLEM_E_CORRUPT);
}

IN_STORE(the_copies_of_a_session_have_its_namespace)
{
    struct xylem_session session;
    struct xylem_buffer copies = {NULL, 0, 0};
    assert_int_equal(create_in(&session, xylem_view_of("abc"), "s"), XYLEM_OK);
    assert_int_equal(xylem_store__session_own(&copies, &session), XYLEM_OK);
    assert_true(session.name_space.data >= copies.data && session.name_space.data + 3 <= copies.data + copies.bytes);
    assert_true(xylem_base__view_is(session.name_space, "abc"));
    xylem_buffer_release(&copies);
}
