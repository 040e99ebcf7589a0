/* Importing again: what is new is added, and nothing is ever removed or changed. */
#include "tests/lib/test.h"
#include "tests/travel/jsonl/sandbox.h"

#define ABC HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b")

TEST(the_same_file_again_writes_nothing)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC "junk\n" CHILD("d", "gone") ROOT("a") "{\"torn");
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_NEW);
    uint64_t rows = sandbox_rows(&sandbox);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE); /* a reader is enough for it */
    sandbox_import(&sandbox, "f");
    xylem_abort(txn);
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 1);
    assert_int_equal(sandbox.report.line_count, 8);
    assert_int_equal(sandbox_rows(&sandbox), rows);
    sandbox_close(&sandbox);
}

TEST(a_file_that_grew_adds_what_is_new)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_take(&sandbox, "f", ABC CHILD("e", "d") CHILD("d", "c") CHILD("x", "a"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 3, 3, 0, 0);
    assert_ids(&sandbox, "a b c d e x ", "x a ");
    assert_export_text(&sandbox, true, ABC CHILD("e", "d") CHILD("d", "c") CHILD("x", "a"));
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 0);
    sandbox_close(&sandbox);
}

TEST(a_torn_line_is_completed_later)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC "{\"type\":\"message\",");
    sandbox_take(&sandbox, "f", ABC "{\"type\":\"message\",\"id\"");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 3, 0, 1); /* still torn, and longer */
    assert_export_text(&sandbox, true, ABC "{\"type\":\"message\",\"id\"");
    sandbox_take(&sandbox, "f", ABC "{\"type\":\"message\",\"id\":\"d\",\"parentId\":\"c\"}\n");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 3, 0, 0);
    assert_ids(&sandbox, "a b c d ", "d c b a ");
    assert_export_text(&sandbox, true, ABC "{\"type\":\"message\",\"id\":\"d\",\"parentId\":\"c\"}\n");
    sandbox_close(&sandbox);
}

TEST(an_unterminated_line_gets_its_newline_later)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD_LINE("b", "a"));
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 2, 0, 0);
    assert_export_text(&sandbox, true, HEADER ROOT("a") CHILD("b", "a"));
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a") CHILD_LINE("c", "b"));
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b") CHILD("d", "c"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 3, 0, 0);
    assert_export_text(&sandbox, true, HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b") CHILD("d", "c"));
    sandbox_close(&sandbox);
}

/* More than a newline makes another line of it. */
TEST(an_unterminated_line_that_goes_on_is_a_change)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD_LINE("b", "a"));
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD_LINE("b", "a") "x\n");
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 0, 1, 1, 2);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_NOT_JSON, 3, true, "");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_VANISHED, 0, false, "b");
    assert_ids(&sandbox, "a b ", "a ");
    sandbox_close(&sandbox);
}

TEST(padding_without_an_end_is_torn_until_it_has_one)
{
    static const char first[] = HEADER ROOT("a") "\0\0";
    static const char second[] = HEADER ROOT("a") "\0\0\n" CHILD("b", "a");
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_write(&sandbox, "f", first, sizeof first - 1);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 1, 0, 0, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_TORN, 3, false, "");
    assert_export(&sandbox, true, first, sizeof first - 1);
    sandbox_write(&sandbox, "f", second, sizeof second - 1);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 1, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_NUL_PADDING, 3, true, "");
    assert_export(&sandbox, true, second, sizeof second - 1);
    sandbox_close(&sandbox);
}

/* What a power loss leaves, and what the host then appends to it: one line, which is no JSON. */
TEST(padding_that_a_line_follows_is_part_of_that_line)
{
    static const char first[] = HEADER ROOT("a") "\0\0";
    static const char second[] = HEADER ROOT("a") "\0\0" CHILD("b", "a") CHILD("c", "a");
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_write(&sandbox, "f", first, sizeof first - 1);
    sandbox_import(&sandbox, "f");
    sandbox_write(&sandbox, "f", second, sizeof second - 1);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 1, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_NOT_JSON, 3, true, "");
    assert_export(&sandbox, true, second, sizeof second - 1);
    sandbox_close(&sandbox);
}

/* A line that a limit refuses may go on, as long as it has no end. */
TEST(a_line_beyond_a_limit_is_torn_until_it_has_an_end)
{
    static char whole[4096];
    char nested[1400];
    memset(nested, '[', 600);
    memset(nested + 600, ']', 600);
    nested[1200] = '\0';
    snprintf(whole, sizeof whole, "%s%s{\"type\":\"m\",\"id\":\"d\",\"x\":%s}\n", HEADER, ROOT("a"), nested);
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    static const size_t missing[] = {300, 1, 0};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        sandbox_write(&sandbox, "f", whole, strlen(whole) - missing[i]);
        sandbox_import(&sandbox, "f");
        assert_int_equal(sandbox.report.quarantined_count, missing[i] == 0);
        assert_problem(&sandbox, 0, missing[i] == 0 ? XYLEM_IMPORT_LIMIT : XYLEM_IMPORT_TORN, 3, missing[i] == 0, "");
        assert_export(&sandbox, true, whole, strlen(whole) - missing[i]);
    }
    sandbox_close(&sandbox);
}

/*
 * The file lost lines and has a new one where they were: all that the session has still comes out, in the file's order.
 */
TEST(an_export_after_a_change_has_every_entry)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER ROOT("v1") ROOT("v2") ROOT("c"));
    sandbox_take(&sandbox, "f", HEADER ROOT("n") ROOT("c"));
    assert_export_text(&sandbox, false, HEADER ROOT("n") ROOT("c") ROOT("v1") ROOT("v2"));
    assert_export_text(&sandbox, true, HEADER ROOT("n") ROOT("c") ROOT("v1") ROOT("v2"));
    /* They come back: then they have lines again. */
    sandbox_take(&sandbox, "f", HEADER ROOT("n") ROOT("c") ROOT("v2") ROOT("v1") ROOT("x"));
    assert_export_text(&sandbox, true, HEADER ROOT("n") ROOT("c") ROOT("v2") ROOT("v1") ROOT("x"));
    sandbox_close(&sandbox);
}

/* Lines of an earlier version of the file stay in quarantine, but have no place in the file as it is now. */
TEST(lines_of_an_earlier_version_are_kept_and_not_exported)
{
    static const char now[] = HEADER "other\n" ROOT("b") ROOT("a") "junk\n" ROOT("c");
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER "junk\n" ROOT("a") "gone\n" ROOT("b"));
    sandbox_take(&sandbox, "f", now);
    assert_export_text(&sandbox, true, now);
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined row;
    struct xylem_txn *txn;
    assert_int_equal(xylem_begin(&txn, sandbox.store, XYLEM_READ, NULL), XYLEM_OK);
    assert_int_equal(xylem_quarantine_new(&quarantine, txn, sandbox.report.session, NULL), XYLEM_OK);
    static const struct {
        uint64_t line;
        const char *raw;
    } expected[] = {{0, "gone\n"}, {2, "other\n"}, {5, "junk\n"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(xylem_quarantine_next(&row, quarantine, NULL), 1);
        assert_int_equal(row.line, expected[i].line);
        assert_int_equal(row.raw.bytes, strlen(expected[i].raw));
        assert_memory_equal(row.raw.data, expected[i].raw, row.raw.bytes);
    }
    assert_int_equal(xylem_quarantine_next(&row, quarantine, NULL), 0);
    xylem_quarantine_free(quarantine);
    xylem_abort(txn);
    sandbox_close(&sandbox);
}

/* A second line of a known id is no parent: the entry of that id is. */
TEST(a_line_that_contradicts_its_grandchild_makes_no_cycle)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER ROOT("a"));
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD("c", "a") CHILD("a", "c"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 1, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 4, true, "a");
    sandbox_close(&sandbox);
}

TEST(a_new_line_with_a_known_id_goes_to_quarantine)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_take(&sandbox, "f", ABC CHILD("b", "a") CHILD("c", "a") CHILD("d", "c"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 3, 2, 2);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_DUPLICATE, 5, true, "b");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_CONFLICT, 6, true, "c");
    assert_ids(&sandbox, "a b c d ", "d c b a ");
    assert_export_text(&sandbox, true, ABC CHILD("b", "a") CHILD("c", "a") CHILD("d", "c"));
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 0);
    sandbox_close(&sandbox);
}

TEST(a_changed_file_is_matched_line_by_line)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC CHILD("gone", "c"));
    /* `x` is new, `b` lost its parent, `gone` is gone; a blank line moves the rest. */
    sandbox_take(&sandbox, "f", HEADER "\n" ROOT("a") CHILD("x", "a") ROOT("b") CHILD("c", "b"));
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 1, 2, 2, 3);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_BLANK, 2, true, "");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_CONFLICT, 5, true, "b");
    assert_problem(&sandbox, 2, XYLEM_IMPORT_VANISHED, 0, false, "gone");
    assert_ids(&sandbox, "a b c gone x ", "c b a ");
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 0);
    sandbox_close(&sandbox);
}

/* The same bytes below another parent: that parent has a line now, and had none then. */
TEST(a_known_line_with_another_parent_is_a_conflict)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", HEADER CHILD("b", "a"));
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a"));
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 1, 0, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 3, true, "b");
    sandbox_close(&sandbox);
}

TEST(another_file_with_a_known_id_is_a_catch_up)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_take(&sandbox, "old", HEADER ROOT("a")); /* an old copy has nothing new, and does not move the leaf */
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 0, 1, 0, 0);
    assert_ids(&sandbox, "a b c ", "c b a ");
    sandbox_import(&sandbox, "old");
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 0);
    sandbox_take(&sandbox, "g", HEADER ROOT("a") CHILD("y", "a") "junk\n");
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 1, 1, 1, 1);
    assert_ids(&sandbox, "a b c y ", "y a ");
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 0);
    assert_export_text(&sandbox, true, ABC CHILD("y", "a")); /* the order is that of the first file */
    sandbox_close(&sandbox);
}

TEST(a_different_header_is_reported_and_the_stored_one_stays)
{
    static const char other[] = "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"cwd\":\"/elsewhere\"}\n";
    struct sandbox sandbox;
    char text[1024];
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    snprintf(text, sizeof text, "%s%s", other, ROOT("a") CHILD("b", "a") CHILD("c", "b"));
    sandbox_take(&sandbox, "f", text);
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 0, 3, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_HEADER, 1, true, "");
    assert_export_text(&sandbox, false, ABC);
    sandbox_close(&sandbox);
}

TEST(the_leaf_follows_only_if_nobody_moved_it)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_navigate(&sandbox, "a");
    sandbox_take(&sandbox, "f", ABC CHILD("d", "c"));
    assert_true(sandbox.report.leaf_stayed);
    assert_ids(&sandbox, "a b c d ", "a ");
    sandbox_navigate(&sandbox, "d"); /* back to where the import would have put it */
    sandbox_take(&sandbox, "f", ABC CHILD("d", "c") CHILD("e", "d"));
    assert_false(sandbox.report.leaf_stayed);
    assert_ids(&sandbox, "a b c d e ", "e d c b a ");
    sandbox_take(&sandbox, "f", ABC CHILD("d", "c") CHILD("e", "d") "\n");
    assert_false(sandbox.report.leaf_stayed);
    assert_ids(&sandbox, "a b c d e ", "e d c b a ");
    sandbox_close(&sandbox);
}

TEST(a_deleted_session_is_skipped)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    struct xylem_session session;
    sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_session_delete(txn, session.number, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    sandbox_take(&sandbox, "f", ABC CHILD("d", "c"));
    assert_report(&sandbox, XYLEM_IMPORT_SKIPPED_DELETED, 0, 0, 0, 0);
    assert_int_equal(sandbox.report.session, session.number);
    sandbox_close(&sandbox);
}

TEST(entries_that_the_host_appended_come_after_the_imported_ones)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_append(&sandbox, "n", "{\"message\":1}");
    sandbox_take(&sandbox, "f", ABC CHILD_LINE("d", "c"));
    assert_true(sandbox.report.leaf_stayed);
    assert_ids(&sandbox, "a b c n d ", "n c b a ");
    assert_export_text(
        &sandbox, false,
        ABC CHILD(
            "d",
            "c") "{\"type\":\"message\",\"id\":\"n\",\"parentId\":\"c\",\"timestamp\":\"2025-01-01T00:00:01.000Z\","
                 "\"message\":1}\n");
    sandbox_close(&sandbox);
}

/* Export, continue the file elsewhere, import: the order of the file is remembered, natives included. */
TEST(a_session_of_the_store_can_go_out_and_come_back)
{
    struct sandbox sandbox;
    struct xylem_buffer out = {0};
    sandbox_open(&sandbox);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    struct xylem_session session;
    struct xylem_session_options options = {.id = xylem_view_of("s"), .cwd = xylem_view_of("/home")};
    assert_int_equal(xylem_session_create(&session, txn, &options, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    sandbox_append(&sandbox, "n1", "{\"message\":1}");
    sandbox_append(&sandbox, "n2", "[1,\n2]");
    sandbox_export_of(&out, &sandbox, "s", false);
    sandbox_write(&sandbox, "f", out.data, out.bytes);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 0, 2, 0, 0);
    assert_int_equal(xylem_base__buffer_add_text(&out, "junk\n" CHILD("d", "n2") CHILD("e", "d")), 0);
    sandbox_write(&sandbox, "f", out.data, out.bytes);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 2, 2, 1, 1);
    assert_export(&sandbox, true, out.data, out.bytes);
    xylem_buffer_release(&out);
    sandbox_close(&sandbox);
}

TEST(catching_up_can_be_stopped_and_goes_on)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = sandbox_stop};
    sandbox_write_text(&sandbox, "f", ABC CHILD("f", "e") CHILD("e", "d") CHILD("d", "c") CHILD("d2", "d"));
    assert_int_equal(sandbox_try(&sandbox, "f"), XYLEM_E_STOPPED);
    assert_ids(&sandbox, "a b c d ", "c b a ");
    assert_int_equal(sandbox_try(&sandbox, "f"), XYLEM_E_STOPPED);
    assert_ids(&sandbox, "a b c d e f ", "c b a ");
    sandbox.options = (struct xylem_import_options){0};
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 6, 0, 0);
    assert_ids(&sandbox, "a b c d e f d2 ", "d2 d c b a ");
    assert_export_text(&sandbox, true, ABC CHILD("f", "e") CHILD("e", "d") CHILD("d", "c") CHILD("d2", "d"));
    sandbox_close(&sandbox);
}

TEST(matching_can_be_stopped_and_begins_again)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = sandbox_stop};
    sandbox_write_text(&sandbox, "f", HEADER CHILD("x", "a") CHILD("c", "b") CHILD("b", "a") ROOT("a") CHILD("y", "x"));
    assert_int_equal(sandbox_try(&sandbox, "f"), XYLEM_E_STOPPED);
    sandbox.options.progress = NULL;
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 1, 4, 0, 0); /* `x` was added before it was stopped */
    assert_ids(&sandbox, "a b c x y ", "y x a ");
    assert_export_text(&sandbox, true,
                       HEADER CHILD("x", "a") CHILD("c", "b") CHILD("b", "a") ROOT("a") CHILD("y", "x"));
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 0);
    sandbox_close(&sandbox);
}

/* An import of one file that stopped half way is finished by another file of the session. */
TEST(another_file_finishes_an_import)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = sandbox_stop};
    sandbox_write_text(&sandbox, "f", ABC);
    assert_int_equal(sandbox_try(&sandbox, "f"), XYLEM_E_STOPPED);
    sandbox.options = (struct xylem_import_options){0};
    sandbox_take(&sandbox, "g", HEADER ROOT("a") CHILD("z", "a"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 1, 1, 0, 0);
    assert_ids(&sandbox, "a z ", "z a ");
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 2, 1, 0, 0);
    assert_ids(&sandbox, "a z b c ", "c b a ");
    sandbox_close(&sandbox);
}

/* A session that shares entries with another one takes up a file that continues it. */
TEST(a_fork_can_go_out_and_come_back)
{
    struct sandbox sandbox;
    struct xylem_buffer out = {0};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    struct xylem_session session;
    struct xylem_session fork;
    struct xylem_session_options options = {.id = xylem_view_of("fork")};
    sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_fork(&fork, txn, session.number, session.leaf, XYLEM_FORK_BEFORE, &options, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    sandbox_export_of(&out, &sandbox, "fork", true);
    assert_non_null(strstr(out.data, "\"id\":\"fork\""));
    assert_non_null(strstr(out.data, "\"parentSession\":\"s\"}\n" ROOT("a") CHILD("b", "a")));
    assert_null(strstr(out.data, CHILD("c", "b")));
    assert_int_equal(xylem_base__buffer_add_text(&out, CHILD("q", "b")), 0);
    sandbox_write(&sandbox, "fork", out.data, out.bytes);
    sandbox_import(&sandbox, "fork");
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 1, 2, 0, 0);
    struct xylem_buffer again = {0};
    sandbox_export_of(&again, &sandbox, "fork", true);
    assert_same_bytes(again.data, again.bytes, out.data, out.bytes);
    assert_export_text(&sandbox, true, ABC);
    xylem_buffer_release(&out);
    xylem_buffer_release(&again);
    sandbox_close(&sandbox);
}
