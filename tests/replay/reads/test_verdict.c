/* The verdicts, and the messages for the model. */
#include "tests/replay/reads/place.h"
#include "tests/replay/reads/table_lib.h"

#define EDIT XYLEM_WRITE_TOOL_EDIT
#define WRITE XYLEM_WRITE_TOOL_WRITE

TEST(a_file_that_was_not_read_is_blocked)
{
    struct xylem_reads *reads = table_new();
    note(reads, "/b", 1);
    assert_int_equal(check(reads, "/a", EDIT, 1), XYLEM_READS_UNREAD);
    assert_int_equal(check(reads, "/a", WRITE, 1), XYLEM_READS_UNREAD);
    xylem_reads_free(reads);
}

TEST(a_write_of_a_new_file_passes_and_an_edit_does_not)
{
    struct xylem_reads *reads = table_new();
    assert_int_equal(check(reads, "/a", WRITE, 0), XYLEM_READS_PASS);
    assert_int_equal(check(reads, "/a", EDIT, 0), XYLEM_READS_UNREAD);
    xylem_reads_free(reads);
}

TEST(a_file_that_was_read_and_did_not_change_passes)
{
    struct xylem_reads *reads = table_new();
    note(reads, "/a", 1);
    assert_int_equal(check(reads, "/a", EDIT, 1), XYLEM_READS_PASS);
    assert_int_equal(check(reads, "/a", WRITE, 1), XYLEM_READS_PASS);
    xylem_reads_free(reads);
}

TEST(a_file_that_changed_is_blocked)
{
    struct xylem_reads *reads = table_new();
    struct xylem_reads_verdict verdict = {.block = false};
    struct xylem_fingerprint now = content(1);
    const struct xylem_view none = {NULL, 0};
    note(reads, "/a", 1);
    assert_int_equal(check(reads, "/a", EDIT, 2), XYLEM_READS_CHANGED);
    assert_int_equal(check(reads, "/a", WRITE, 2), XYLEM_READS_CHANGED);
    now.bytes++; /* the size counts by itself */
    assert_int_equal(xylem_reads_check(&verdict, reads, xylem_view_of("/a"), none, EDIT, 0, &now, none, NULL), 0);
    assert_int_equal(verdict.why, XYLEM_READS_CHANGED);
    assert_int_equal(verdict.noted_ms, 1);
    now = content(1);
    memcpy(now.hash, "sha256:x:", 9); /* another algorithm is another hash */
    assert_int_equal(xylem_reads_check(&verdict, reads, xylem_view_of("/a"), none, EDIT, 0, &now, none, NULL), 0);
    assert_int_equal(verdict.why, XYLEM_READS_CHANGED);
    xylem_reads_verdict_release(&verdict);
    xylem_reads_free(reads);
}

TEST(a_file_that_was_read_and_is_gone_blocks_both_until_it_is_forgotten)
{
    struct xylem_reads *reads = table_new();
    note(reads, "/a", 1);
    assert_int_equal(check(reads, "/a", EDIT, 0), XYLEM_READS_DELETED);
    assert_int_equal(check(reads, "/a", WRITE, 0), XYLEM_READS_DELETED);
    assert_int_equal(xylem_reads_forget(reads, xylem_view_of("/a"), NULL), 0);
    assert_int_equal(check(reads, "/a", WRITE, 0), XYLEM_READS_PASS);
    xylem_reads_free(reads);
}

static void assert_message(struct xylem_reads *reads, const char *shown, unsigned number, int code, const char *problem,
                           const char *expected)
{
    struct xylem_reads_verdict verdict = {.block = false};
    struct xylem_fingerprint now = content(number);
    assert_int_equal(xylem_reads_check(&verdict, reads, xylem_view_of("/a"), xylem_view_of(shown), EDIT, code, &now,
                                       xylem_view_of(problem), NULL),
                     0);
    assert_string_equal(verdict.message.data, expected);
    xylem_reads_verdict_release(&verdict);
}

TEST(the_messages_name_the_path_as_the_model_gave_it)
{
    struct xylem_reads *reads = table_new();
    assert_message(reads, "src/a.c", 1, 0, "ignored",
                   "Blocked: src/a.c was not read in this session. Read it, then try again.");
    assert_message(reads, "", 1, 0, "", "Blocked: /a was not read in this session. Read it, then try again.");
    note(reads, "/a", 1);
    assert_message(reads, "src/a.c", 2, 0, "",
                   "Blocked: src/a.c changed on disk after it was read. Read it again, then try again.");
    assert_message(reads, "src/a.c", 2, XYLEM_E_NOT_FOUND, "No such file or directory",
                   "Blocked: src/a.c was deleted after it was read.");
    assert_message(reads, "a", 0, XYLEM_E_IO, "Permission denied",
                   "Blocked: a was not read in this session: Permission denied.");
    assert_message(reads, "a", 0, XYLEM_E_IO, "", "Blocked: a was not read in this session. Read it, then try again.");
    xylem_reads_free(reads);
}

TEST(a_path_cannot_break_a_terminal)
{
    struct xylem_reads *reads = table_new();
    assert_message(
        reads, "a\n\x1b[2J\xE2\x80\xAE\xFF\xC3\xA9", 1, 0, "",
        "Blocked: a\\x0a\\x1b[2J\\xe2\\x80\\xae\\xff\xC3\xA9 was not read in this session. Read it, then try "
        "again.");
    assert_message(reads, "a", 0, XYLEM_E_IO, "bad\ntext", "Blocked: a was not read in this session: bad\\x0atext.");
    xylem_reads_free(reads);
}

TEST(a_long_path_loses_its_middle)
{
    static char path[3 * 1000 + 1];
    struct xylem_reads *reads = table_new();
    struct xylem_reads_verdict verdict = {.block = false};
    struct xylem_fingerprint now = content(1);
    for (size_t i = 0; i < 1000; i++) {
        memcpy(path + 3 * i, "\xE2\x82\xAC", 3); /* cut between characters: 500 is no multiple of 3 */
    }
    struct xylem_view shown = {path, 3000};
    assert_int_equal(xylem_reads_check(&verdict, reads, xylem_view_of("/a"), shown, EDIT, 0, &now, shown, NULL), 0);
    assert_null(strstr(verdict.message.data, "\\x"));
    assert_int_equal(verdict.message.bytes, 9 + 498 + 3 + 498 +
                                                strlen(" was not read in this session. Read it, then "
                                                       "try again."));
    shown.bytes = 1023;
    assert_int_equal(xylem_reads_check(&verdict, reads, xylem_view_of("/a"), shown, EDIT, 0, &now, shown, NULL), 0);
    assert_null(strstr(verdict.message.data, "\xE2\x80\xA6"));
    xylem_reads_verdict_release(&verdict);
    xylem_reads_free(reads);
}

TEST(a_verdict_that_cannot_be_given_blocks)
{
    struct xylem_reads *reads = table_new();
    struct xylem_reads_verdict verdict = {.block = false};
    struct xylem_fingerprint now = content(1);
    struct xylem_view key = xylem_view_of("/a");
    const struct xylem_view none = {NULL, 0};
    assert_int_equal(xylem_reads_check(&verdict, NULL, key, none, EDIT, 0, &now, none, NULL), XYLEM_E_ARGUMENT);
    assert_true(verdict.block);
    verdict.block = false;
    assert_int_equal(xylem_reads_check(&verdict, reads, key, none, EDIT, 0, NULL, none, NULL), XYLEM_E_ARGUMENT);
    assert_true(verdict.block);
    verdict.block = false;
    assert_int_equal(xylem_reads_check(&verdict, reads, key, none, (enum xylem_write_tool)2, 0, &now, none, NULL),
                     XYLEM_E_ARGUMENT);
    assert_true(verdict.block);
    verdict.block = false;
    assert_int_equal(xylem_reads_check_file(&verdict, reads, none, none, EDIT, NULL), XYLEM_E_ARGUMENT);
    assert_true(verdict.block);
    assert_int_equal(xylem_reads_check(NULL, reads, key, none, EDIT, 0, &now, none, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_reads_check_file(NULL, reads, key, none, EDIT, NULL), XYLEM_E_ARGUMENT);
    xylem_reads_verdict_release(NULL);
    xylem_reads_free(reads);
}

TEST(each_verdict_has_a_name)
{
    assert_string_equal(xylem_reads_why_name(XYLEM_READS_PASS), "pass");
    assert_string_equal(xylem_reads_why_name(XYLEM_READS_UNREAD), "unread");
    assert_string_equal(xylem_reads_why_name(XYLEM_READS_CHANGED), "changed");
    assert_string_equal(xylem_reads_why_name(XYLEM_READS_DELETED), "deleted");
    assert_string_equal(xylem_reads_why_name((enum xylem_reads_why)9), "unknown");
}

/* --- Files of this machine --- */

static enum xylem_reads_why check_file(struct xylem_reads *reads, const char *name, enum xylem_write_tool tool)
{
    struct xylem_reads_verdict verdict = {.block = false};
    struct xylem_view key = xylem_view_of(place(name));
    assert_int_equal(xylem_reads_check_file(&verdict, reads, key, xylem_view_of(name), tool, NULL), 0);
    enum xylem_reads_why why = verdict.why;
    xylem_reads_verdict_release(&verdict);
    return why;
}

static void note_file(struct xylem_reads *reads, const char *name)
{
    struct xylem_fingerprint found;
    assert_int_equal(xylem_fingerprint_file(&found, place(name), NULL), 0);
    assert_int_equal(xylem_reads_note(reads, xylem_view_of(place(name)), &found, XYLEM_READ_BY_READ, 1, NULL), 0);
}

IN_PLACE(a_file_of_this_machine_is_looked_at)
{
    struct xylem_reads *reads = table_new();
    assert_int_equal(check_file(reads, "f", WRITE), XYLEM_READS_PASS);
    place_text("f", "abc");
    assert_int_equal(check_file(reads, "f", WRITE), XYLEM_READS_UNREAD);
    note_file(reads, "f");
    assert_int_equal(check_file(reads, "f", EDIT), XYLEM_READS_PASS);
    place_text("f", "abd"); /* the same size, and maybe the same time */
    assert_int_equal(check_file(reads, "f", EDIT), XYLEM_READS_CHANGED);
    place_text("f", "abc");
    assert_int_equal(check_file(reads, "f", EDIT), XYLEM_READS_PASS);
    assert_int_equal(unlink(place("f")), 0);
    assert_int_equal(check_file(reads, "f", WRITE), XYLEM_READS_DELETED);
    assert_int_equal(mkdir(place("f"), 0755), 0);
    assert_int_equal(check_file(reads, "f", WRITE), XYLEM_READS_UNREAD);
    xylem_reads_free(reads);
}

IN_PLACE(a_passed_check_renews_the_stamp)
{
    struct xylem_reads *reads = table_new();
    struct xylem_fingerprint noted;
    struct xylem_fingerprint renewed;
    place_text("f", "abc");
    note_file(reads, "f");
    assert_true(xylem_reads_known(&noted, reads, xylem_view_of(place("f"))));
    place_date("f", 1000000000);
    assert_int_equal(check_file(reads, "f", EDIT), XYLEM_READS_PASS);
    assert_true(xylem_reads_known(&renewed, reads, xylem_view_of(place("f"))));
    assert_true(renewed.stamp.modified_ns == INT64_C(1000000000000000000));
    assert_true(renewed.stamp.looked_ns >= noted.stamp.looked_ns);
    xylem_reads_free(reads);
}
