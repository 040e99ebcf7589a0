/* Notes, bounds, and the order of use. */
#include "tests/replay/reads/table_lib.h"

#define EDIT XYLEM_WRITE_TOOL_EDIT

TEST(a_noted_file_is_known_until_it_is_forgotten)
{
    struct xylem_reads *reads = table_new();
    struct xylem_fingerprint found;
    assert_false(xylem_reads_known(&found, reads, xylem_view_of("/a")));
    note(reads, "/a", 1);
    assert_true(xylem_reads_known(&found, reads, xylem_view_of("/a")));
    assert_string_equal(found.hash, content(1).hash);
    assert_false(xylem_reads_known(&found, reads, xylem_view_of("/A")));
    assert_false(xylem_reads_known(&found, reads, xylem_view_of("/")));
    assert_int_equal(xylem_reads_forget(reads, xylem_view_of("/b"), NULL), 0);
    assert_table(reads, "/a=1 ");
    assert_int_equal(xylem_reads_forget(reads, xylem_view_of("/a"), NULL), 0);
    assert_table(reads, "");
    xylem_reads_free(reads);
}

TEST(a_second_note_replaces_the_first)
{
    struct xylem_reads *reads = table_new();
    struct xylem_fingerprint other = {.hash = "sha256:00ff", .bytes = 7};
    struct xylem_read_file file;
    note(reads, "/a", 1);
    note(reads, "/b", 2);
    assert_int_equal(xylem_reads_note(reads, xylem_view_of("/a"), &other, XYLEM_READ_BY_WRITE, 99, NULL), 0);
    assert_table(reads, "/a=7 /b=2 ");
    assert_true(xylem_reads_file(&file, reads, 0));
    assert_memory_equal(file.hash.data, "sha256:00ff", 11);
    assert_int_equal(file.at_ms, 99);
    assert_int_equal(file.by, XYLEM_READ_BY_WRITE);
    xylem_reads_free(reads);
}

static void note_many(struct xylem_reads *reads, unsigned from, unsigned to)
{
    for (unsigned i = from; i <= to; i++) {
        char key[16];
        snprintf(key, sizeof key, "/%u", i);
        note(reads, key, i);
    }
}

TEST(the_least_recently_noted_of_101_files_goes)
{
    struct xylem_reads *reads = table_new();
    struct xylem_fingerprint found;
    note_many(reads, 1, XYLEM_READS_FILES_MAX);
    assert_int_equal(check(reads, "/1", EDIT, 1), XYLEM_READS_PASS); /* uses the file */
    note(reads, "/2", 2);                                            /* uses the file too */
    note(reads, "/new", 1000);
    assert_true(xylem_reads_known(&found, reads, xylem_view_of("/1")));
    assert_true(xylem_reads_known(&found, reads, xylem_view_of("/2")));
    assert_false(xylem_reads_known(&found, reads, xylem_view_of("/3")));
    assert_int_equal(check(reads, "/3", EDIT, 3), XYLEM_READS_UNREAD);
    xylem_reads_free(reads);
}

TEST(a_check_that_blocks_uses_no_file)
{
    struct xylem_reads *reads = table_new();
    struct xylem_fingerprint found;
    note_many(reads, 1, XYLEM_READS_FILES_MAX);
    assert_int_equal(check(reads, "/1", EDIT, 2), XYLEM_READS_CHANGED);
    assert_int_equal(check(reads, "/1", EDIT, 0), XYLEM_READS_DELETED);
    note(reads, "/new", 1000);
    assert_false(xylem_reads_known(&found, reads, xylem_view_of("/1")));
    xylem_reads_free(reads);
}

TEST(keys_and_hashes_have_at_most_one_mebibyte)
{
    static char key[XYLEM_READS_KEY_BYTES_MAX + 1];
    struct xylem_reads *reads = table_new();
    struct xylem_read_file file;
    size_t bytes = 0;
    size_t count = 0;
    memset(key, 'k', sizeof key);
    for (unsigned i = 0; i < 80; i++) {
        struct xylem_fingerprint fingerprint = content(i + 1);
        key[0] = (char)('0' + i % 10);
        key[1] = (char)('0' + i / 10);
        struct xylem_view view = {key, XYLEM_READS_KEY_BYTES_MAX};
        assert_int_equal(xylem_reads_note(reads, view, &fingerprint, XYLEM_READ_BY_READ, 1, NULL), 0);
    }
    while (xylem_reads_file(&file, reads, count)) {
        bytes += file.key.bytes + file.hash.bytes;
        assert_int_equal(file.bytes, 80 - count++);
    }
    assert_true(bytes <= XYLEM_READS_BYTES_MAX && bytes + XYLEM_READS_KEY_BYTES_MAX + 41 > XYLEM_READS_BYTES_MAX);
    struct xylem_view longer = {key, XYLEM_READS_KEY_BYTES_MAX + 1};
    struct xylem_fingerprint fingerprint = content(1);
    assert_int_equal(xylem_reads_note(reads, longer, &fingerprint, XYLEM_READ_BY_READ, 1, NULL), XYLEM_E_LIMIT);
    xylem_reads_free(reads);
}

TEST(a_bad_note_changes_nothing)
{
    static const char *const hashes[] = {"",       "abc",  ":00",    "sha256:", "sha256:xy",
                                         "SHA:00", "a:0 ", "a b:00", "a::0",    "sha256:00\n"};
    struct xylem_reads *reads = table_new();
    struct xylem_fingerprint good = content(1);
    struct xylem_view key = xylem_view_of("/a");
    struct xylem_view nul = {"/a\0b", 4};
    struct xylem_view empty = {"", 0};
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        struct xylem_fingerprint bad = {.bytes = 1};
        strcpy(bad.hash, hashes[i]);
        assert_int_equal(xylem_reads_note(reads, key, &bad, XYLEM_READ_BY_READ, 1, NULL), XYLEM_E_MALFORMED);
    }
    struct xylem_fingerprint endless;
    memset(&endless, 'a', sizeof endless);
    endless.hash[1] = ':';
    assert_int_equal(xylem_reads_note(reads, key, &endless, XYLEM_READ_BY_READ, 1, NULL), XYLEM_E_MALFORMED);
    assert_int_equal(xylem_reads_note(reads, nul, &good, XYLEM_READ_BY_READ, 1, NULL), XYLEM_E_MALFORMED);
    assert_int_equal(xylem_reads_note(reads, empty, &good, XYLEM_READ_BY_READ, 1, NULL), XYLEM_E_MALFORMED);
    assert_int_equal(xylem_reads_note(reads, key, &good, (enum xylem_read_by)3, 1, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_reads_note(reads, key, &good, XYLEM_READ_BY_READ, -1, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_reads_note(reads, key, NULL, XYLEM_READ_BY_READ, 1, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_reads_note(NULL, key, &good, XYLEM_READ_BY_READ, 1, NULL), XYLEM_E_ARGUMENT);
    assert_table(reads, "");
    struct xylem_buffer data = drain(reads);
    assert_int_equal(data.bytes, 0);
    xylem_reads_free(reads);
}

TEST(a_table_must_be_given)
{
    struct xylem_fingerprint found;
    struct xylem_read_file file;
    struct xylem_buffer data = {0};
    assert_int_equal(xylem_reads_new(NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_reads_forget(NULL, xylem_view_of("/a"), NULL), XYLEM_E_ARGUMENT);
    assert_false(xylem_reads_known(&found, NULL, xylem_view_of("/a")));
    assert_false(xylem_reads_file(&file, NULL, 0));
    assert_int_equal(xylem_reads_drain(&data, NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_reads_whole(&data, NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_reads_whole(NULL, NULL, NULL), XYLEM_E_ARGUMENT);
    xylem_reads_free(NULL);
}

/* --- The entry --- */

TEST(a_drain_has_the_files_since_the_last_drain)
{
    struct xylem_reads *reads = table_new();
    struct xylem_fingerprint two = content(2);
    note(reads, "/a", 1);
    assert_int_equal(xylem_reads_note(reads, xylem_view_of("/b \"\n"), &two, XYLEM_READ_BY_EDIT, 1700000000002, NULL),
                     0);
    struct xylem_buffer data = drain(reads);
    assert_string_equal(data.data,
                        "{\"version\":1,\"whole\":false,\"files\":["
                        "{\"path\":\"/a\",\"hash\":\"xxh3-128:00000000000000000000000000000001\",\"bytes\":1,"
                        "\"at\":1,\"by\":\"read\"},"
                        "{\"path\":\"/b \\\"\\n\",\"hash\":\"xxh3-128:00000000000000000000000000000002\","
                        "\"bytes\":2,\"at\":1700000000002,\"by\":\"edit\"}],\"gone\":[]}");
    xylem_buffer_release(&data);
    data = drain(reads);
    assert_int_equal(data.bytes, 0);
    note(reads, "/c", 3);
    assert_int_equal(xylem_reads_forget(reads, xylem_view_of("/a"), NULL), 0);
    data = drain(reads);
    assert_null(strstr(data.data, "/b"));
    assert_non_null(strstr(data.data, "\"path\":\"/c\""));
    assert_non_null(strstr(data.data, "\"gone\":[\"/a\"]"));
    xylem_buffer_release(&data);
    xylem_reads_free(reads);
}

TEST(a_passed_check_makes_no_entry)
{
    struct xylem_reads *reads = table_new();
    note(reads, "/a", 1);
    struct xylem_buffer data = drain(reads);
    xylem_buffer_release(&data);
    assert_int_equal(check(reads, "/a", EDIT, 1), XYLEM_READS_PASS);
    data = drain(reads);
    assert_int_equal(data.bytes, 0);
    xylem_reads_free(reads);
}

TEST(a_file_that_is_noted_again_is_not_gone)
{
    struct xylem_reads *reads = table_new();
    note(reads, "/a", 1);
    assert_int_equal(xylem_reads_forget(reads, xylem_view_of("/a"), NULL), 0);
    note(reads, "/a", 2);
    struct xylem_buffer data = drain(reads);
    assert_non_null(strstr(data.data, "\"gone\":[]"));
    xylem_buffer_release(&data);
    xylem_reads_free(reads);
}

TEST(every_32nd_entry_has_the_whole_table)
{
    struct xylem_reads *reads = table_new();
    for (unsigned i = 1; i <= 100; i++) {
        note(reads, i % 2 ? "/a" : "/b", i);
        struct xylem_buffer data = drain(reads);
        assert_int_equal(strstr(data.data, "\"whole\":true") != NULL, i % 32 == 0);
        assert_int_equal(strstr(data.data, "/a") && strstr(data.data, "/b"), i % 32 == 0);
        xylem_buffer_release(&data);
    }
    xylem_reads_free(reads);
}

TEST(a_turn_that_drops_more_than_100_files_writes_the_whole_table)
{
    struct xylem_reads *reads = table_new();
    note_many(reads, 1, 300);
    struct xylem_buffer data = drain(reads);
    assert_non_null(strstr(data.data, "\"whole\":true"));
    assert_non_null(strstr(data.data, "\"gone\":[]"));
    xylem_buffer_release(&data);
    note_many(reads, 301, 302);
    data = drain(reads);
    assert_non_null(strstr(data.data, "\"whole\":false"));
    assert_non_null(strstr(data.data, "\"gone\":[\"/201\",\"/202\"]"));
    xylem_buffer_release(&data);
    xylem_reads_free(reads);
}

TEST(a_key_that_is_no_text_is_not_in_the_entry)
{
    struct xylem_reads *reads = table_new();
    note(reads, "/\xFF", 1);
    note(reads, "/\xED\xA0\x80", 2);
    assert_int_equal(check(reads, "/\xFF", EDIT, 1), XYLEM_READS_PASS);
    struct xylem_buffer data = drain(reads);
    assert_null(strstr(data.data, "\xFF"));
    assert_null(strstr(data.data, "\\ufffd"));
    assert_non_null(strstr(data.data, "\"/\\ud800\""));
    assert_null(strstr(data.data, "},{"));
    xylem_buffer_release(&data);
    xylem_reads_free(reads);
}

TEST(the_whole_table_is_appended_without_a_drain)
{
    struct xylem_reads *reads = table_new();
    struct xylem_buffer data = {0};
    note(reads, "/a", 1);
    assert_int_equal(xylem_buffer_add(&data, "x", 1), 0);
    assert_int_equal(xylem_reads_whole(&data, reads, NULL), 0);
    assert_memory_equal(data.data, "x{\"version\":1,\"whole\":true,\"files\":[{\"path\":\"/a\"", 48);
    xylem_buffer_release(&data);
    data = drain(reads);
    assert_true(data.bytes > 0);
    xylem_buffer_release(&data);
    xylem_reads_free(reads);
}
