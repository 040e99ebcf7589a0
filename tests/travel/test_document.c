/* The document of a session: leaf, session files, quarantine. */
#include "store/source.h"
#include "tests/travel/mend.h"
#include "tests/travel/pair.h"

#define FILE_OF(id)                                                                                                \
    "{\"type\":\"session\",\"version\":3,\"id\":\"" id "\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/" \
    "\"}\n"
#define LINE_OF(id, parent)                                        \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent \
    ",\"timestamp\":\"2025-01-01T00:00:01.000Z\",\"x\":\"" id "\"}\n"

/* Displaced lines, lines in quarantine, a torn last line. */
static const char nasty[] = FILE_OF("s") LINE_OF("d", "\"c\"") LINE_OF("c", "\"b\"") LINE_OF("b", "\"a\"")
    LINE_OF("a", "null") "no json\n" LINE_OF("a", "null") "[]\n" LINE_OF("e", "\"missing\"") "{\"type\":";

static void import_owner(const char *text)
{
    pair_import_text(&owner, text, strlen(text));
}

TRAVEL_TEST(displaced_lines_and_quarantine_and_torn_lines_travel)
{
    import_owner(nasty);
    travel("s");
    assert_int_equal(change_count(&owner, "s"), report.change_count);
}

TRAVEL_TEST(a_file_that_grew_travels_with_an_increment)
{
    import_owner(nasty);
    travel("s");
    for (int i = 0; i < 3; i++) {
        static const char *const more[] = {"\"message\",\"id\":\"f\",\"parentId\":\"e\"}\n" LINE_OF("h", "\"g\""),
                                           LINE_OF("g", "\"f\""), "no json either\n{\"to"};
        static char text[4000];
        char *end = stpcpy(text, nasty);
        for (int j = 0; j <= i; j++) {
            end = stpcpy(end, more[j]);
        }
        uint64_t next = change_count(&owner, "s") + 1;
        import_owner(text);
        travel_from("s", next);
    }
    pair_new_follower();
    travel("s");
}

TRAVEL_TEST(a_file_that_changed_travels_with_an_increment)
{
    import_owner(nasty);
    travel("s");
    uint64_t next = change_count(&owner, "s") + 1;
    import_owner(FILE_OF("s") "\n" LINE_OF("a", "null") LINE_OF("z", "\"a\""));
    travel_from("s", next);
}

TRAVEL_TEST(a_session_of_two_files_travels)
{
    import_owner(nasty);
    char path[300];
    (void)snprintf(path, sizeof path, "%s/other.jsonl", owner.path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(FILE_OF("s") LINE_OF("a", "null") LINE_OF("o", "\"a\"") "junk\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    pair_import(&owner, path);
    assert_int_equal(unlink(path), 0);
    travel("s");
}

TRAVEL_TEST(a_note_of_a_file_is_a_change_that_travels)
{
    char path[300];
    uint64_t session = store_builder_session(&owner, "s");
    travel("s");
    store_builder_commit(&owner);
    (void)snprintf(path, sizeof path, "%s/data.mdb", owner.path);
    store_builder_must(xylem_session_file_note(owner.txn, session, path, &err), &err);
    travel_from("s", 2);
    assert_int_equal(report.change_count, 1);
    assert_int_equal(report.entry_count, 0);
}

/* Lines of a host in memory: quarantine without a file. */
static void hold_lines(const char *line)
{
    struct xylem_import_report imported = {0};
    const struct xylem_view lines[] = {xylem_view_of(line)};
    const struct xylem_held_lines held = {
        .header = {FILE_OF("s"), sizeof FILE_OF("s") - 2}, .lines = lines, .line_count = 1, .first_line = 7};
    store_builder_must(xylem_import_lines(&imported, owner.txn, &held, NULL, &err), &err);
    xylem_import_report_release(&imported);
    store_builder_commit(&owner);
}

TRAVEL_TEST(quarantine_without_a_file_travels)
{
    hold_lines("no json");
    travel("s");
}

/* Packs the changes from an ordinal on without their document, and then the document alone. */
static void travel_in_two(uint64_t from)
{
    const struct xylem_pack_options changes = {.from = from, .to = change_count(&owner, "s") + 1};
    segments_release(&segments);
    pack_with(&segments, &owner, "s", &changes);
    pack_from("s", changes.to);
    apply_all(&segments);
    assert_int_equal(report.change_count, 0);
    assert_same_session(owner.txn, follower.txn, "s");
    assert_known(&follower, segment_at(&segments, segments.count - 1));
}

TRAVEL_TEST(a_document_comes_alone_behind_its_changes)
{
    import_owner(nasty);
    travel_in_two(1);
    uint64_t next = change_count(&owner, "s") + 1;
    import_owner(FILE_OF("s") LINE_OF("a", "null") "other\n");
    travel_in_two(next);
}

TRAVEL_TEST(a_leaf_that_comes_alone_makes_the_outline_anew)
{
    import_owner(FILE_OF("s") LINE_OF("c", "\"b\"") LINE_OF("b", "\"a\"") LINE_OF("a", "null"));
    const struct xylem_pack_options changes = {.to = change_count(&owner, "s") + 1};
    pack_with(&segments, &owner, "s", &changes);
    apply_all(&segments);
    uint64_t depth = pair_find(&owner, "s").leaf.depth;
    assert_int_not_equal(pair_find(&follower, "s").leaf.depth, depth);
    store_builder_refresh(&follower);
    travel_from("s", changes.to);
    assert_int_equal(pair_find(&follower, "s").leaf.depth, depth);
    pair_verify(&follower);
}

TRAVEL_TEST(quarantine_without_a_file_comes_alone_behind_its_changes)
{
    hold_lines("no json");
    travel_in_two(1);
}

TRAVEL_TEST(a_document_that_is_there_is_not_written_again)
{
    struct xylem_counters before;
    struct xylem_counters after;
    import_owner(nasty);
    travel("s");
    store_builder_commit(&follower);
    xylem_counters_read(&before, follower.txn);
    assert_known(&follower, segment_at(&segments, 0));
    xylem_counters_read(&after, follower.txn);
    for (size_t i = 0; i < XYLEM_TABLE_COUNT; i++) {
        assert_int_equal(before.tables[i].puts, after.tables[i].puts);
    }
}

TRAVEL_TEST(who_takes_a_copy_over_goes_on_with_the_file)
{
    static const char more[] = LINE_OF("y", "\"z\"");
    static char text[4000];
    static const char first[] = FILE_OF("s") LINE_OF("a", "null") "no json\n" LINE_OF("z", "\"a\"");
    import_owner(first);
    travel("s");
    store_builder_must(xylem_session_own(follower.txn, pair_number(&follower, "s"), 2, &err), &err);
    uint64_t count = change_count(&follower, "s");
    pair_import_text(&follower, first, sizeof first - 1); /* another path: all is known */
    assert_int_equal(pair_find(&follower, "s").own_entry_count, 2);
    (void)stpcpy(stpcpy(text, first), more);
    pair_import_text(&follower, text, strlen(text));
    assert_int_equal(pair_find(&follower, "s").own_entry_count, 3);
    assert_true(change_count(&follower, "s") > count);
}

/* --- Refused ------------------------------------------------------------------------------------------------------ */

/* Replaces a text behind a place, and mends the sum. */
static void replace(struct xylem_buffer *bytes, size_t from, const char *text, const char *other)
{
    char *found = memmem(bytes->data + from, bytes->bytes - from, text, strlen(text));
    assert_non_null(found);
    memcpy(found, other, strlen(other));
    mend_sum(bytes->data, bytes->bytes);
}

TRAVEL_TEST(a_displaced_line_of_no_entry_is_damage)
{
    const struct xylem_store__displaced displaced = {.lsn = 1, .line = 3}; /* the session was created */
    const struct xylem_store__source source = {.name = xylem_view_of("/a/file"),
                                               .order = 1,
                                               .bytes = 9,
                                               .lines = 3,
                                               .displaced = &displaced,
                                               .displaced_count = 1};
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_must(xylem_store__source_put(owner.txn, session, &source, &err), &err);
    assert_int_equal(try_pack(&segments, &owner, session, NULL), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "names lsn 1, which is of no entry"));
    pair_abort(&owner);
}

TRAVEL_TEST(a_document_names_entries_of_the_session)
{
    struct xylem_buffer bytes = {NULL, 0, 0};
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "the-entry", "message", NULL);
    pack_anew("s");
    copy_bytes(&bytes, segment_at(&segments, 0));
    replace(&bytes, place_of_text(&bytes, "the-entry") + 1, "the-entry", "any-entry");
    refuse(&follower, (struct xylem_view){bytes.data, bytes.bytes}, XYLEM_E_MALFORMED,
           "names the entry any-entry, which the session does not have");
    xylem_buffer_release(&bytes);
}

TRAVEL_TEST(a_document_without_the_path_of_a_file_is_malformed)
{
    static const char text[] = FILE_OF("s") LINE_OF("id-2", "\"id-1\"") LINE_OF("id-1", "null") "no json\n";
    struct xylem_buffer bytes = {NULL, 0, 0};
    struct xylem_segment segment;
    pair_import_text(&owner, text, sizeof text - 1);
    pack_anew("s");
    struct xylem_view all = segment_at(&segments, 0);
    for (int i = 0; i < 3; i++) { /* of the source; the id of a displaced line; of the line in quarantine */
        copy_bytes(&bytes, all);
        size_t path = place_of_text(&bytes, owner.path);
        size_t end = place_of_text(&bytes, "session.jsonl") + 13;
        size_t length = end - path;
        if (i == 1) {
            path = end + (4 * 8 + 1 + 8 + 4 + 4) + 4;
            assert_memory_equal(bytes.data + path, "id-1", 4);
            length = 4;
        } else if (i == 2) {
            path = (size_t)((char *)memmem(bytes.data + end, bytes.bytes - end, owner.path, strlen(owner.path)) -
                            bytes.data);
        }
        xylem_base__buffer_clear(&bytes);
        assert_int_equal(xylem_buffer_add(&bytes, all.data, path - 4), XYLEM_OK);
        assert_int_equal(xylem_buffer_add(&bytes, "\0\0\0\0", 4), XYLEM_OK);
        assert_int_equal(xylem_buffer_add(&bytes, all.data + path + length, all.bytes - path - length), XYLEM_OK);
        mend_sum(bytes.data, bytes.bytes);
        struct xylem_view shorter = {bytes.data, bytes.bytes};
        assert_int_equal(xylem_segment_read(&segment, shorter, &err), XYLEM_E_MALFORMED);
    }
    xylem_buffer_release(&bytes);
}

TRAVEL_TEST(displaced_lines_come_in_the_order_of_their_entries)
{
    static const char text[] =
        FILE_OF("s") LINE_OF("id-3", "\"id-2\"") LINE_OF("id-2", "\"id-1\"") LINE_OF("id-1", "null");
    struct xylem_buffer bytes = {NULL, 0, 0};
    pair_import_text(&owner, text, sizeof text - 1);
    pack_anew("s");
    copy_bytes(&bytes, segment_at(&segments, 0));
    size_t document = place_of_text(&bytes, "session.jsonl");
    replace(&bytes, document, "id-1", "id-9");
    refuse(&follower, (struct xylem_view){bytes.data, bytes.bytes}, XYLEM_E_MALFORMED, "names the entry id-9");
    replace(&bytes, document, "id-9", "id-2");
    refuse(&follower, (struct xylem_view){bytes.data, bytes.bytes}, XYLEM_E_MALFORMED, "displaced lines out of order");
    xylem_buffer_release(&bytes);
}
