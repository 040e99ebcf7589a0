/* The table of a path: from a store, and from the entries that a host holds. */
#include "tests/lib/held.h"
#include "tests/lib/one_store.h"
#include "tests/replay/reads/table_lib.h"

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)
#define KIND "custom:file-reads"

/* A file of the list `files`, with a content of table_lib.h. */
#define FILE_OF(path, number)                                                                                    \
    "{\"path\":\"" path "\",\"hash\":\"xxh3-128:0000000000000000000000000000000" #number "\",\"bytes\":" #number \
    ",\"at\":" #number ",\"by\":\"read\"}"
#define DELTA(files, gone) "{\"version\":1,\"whole\":false,\"files\":[" files "],\"gone\":[" gone "]}"
#define WHOLE(files) "{\"version\":1,\"whole\":true,\"files\":[" files "],\"gone\":[]}"

static struct xylem_position add(uint64_t session, const char *json)
{
    return store_builder_add(&builder, session, NULL, KIND, json);
}

/* The path as a host holds it. */
static void hold_path(struct held_path *path, struct xylem_position from)
{
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    struct xylem_error err = {0};
    const struct xylem_kind kind = {XYLEM_CLASS_CUSTOM, xylem_view_of("file-reads")};
    const struct xylem_kind other = {XYLEM_CLASS_HOST, xylem_view_of("message")};
    store_builder_must(xylem_walk_new(&walk, builder.txn, from, &err), &err);
    while (store_builder_must(xylem_walk_next(&entry, walk, &err), &err) == 1) {
        struct xylem_document *document = NULL;
        struct xylem_buffer json = {0};
        bool wanted = entry.kind.kind_class == XYLEM_CLASS_CUSTOM && !(entry.flags & XYLEM_ENTRY_REDACTED);
        if (wanted && entry.format != XYLEM_FORMAT_NONE) {
            store_builder_must(xylem_document_new(&document, &entry, &err), &err);
            assert_int_equal(xylem_value_json(&json, xylem_document_value(document)), 0);
        }
        struct xylem_view data = {json.data, json.bytes};
        held_add(path, entry.id, wanted ? kind : other, json.data ? &data : NULL);
        xylem_document_free(document);
        xylem_buffer_release(&json);
    }
    xylem_walk_free(walk);
    for (size_t i = 0; i < path->count / 2; i++) { /* oldest first */
        struct held_entry swapped = path->entries[i];
        path->entries[i] = path->entries[path->count - 1 - i];
        path->entries[path->count - 1 - i] = swapped;
    }
}

/* Loads the table twice: both sources must give the same table. */
static void load_at(struct xylem_reads *reads, struct xylem_position from, struct xylem_reduction *reduction)
{
    struct xylem_reads *other = table_new();
    struct xylem_buffer one = {0};
    struct xylem_buffer two = {0};
    struct held_path path = {0};
    struct xylem_error err = {0};
    store_builder_must(xylem_reads_load(reads, builder.txn, from, reduction, &err), &err);
    hold_path(&path, from);
    store_builder_must(xylem_reads_load_from(other, held_next, &path, NULL, &err), &err);
    assert_int_equal(xylem_reads_whole(&one, reads, NULL), 0);
    assert_int_equal(xylem_reads_whole(&two, other, NULL), 0);
    assert_string_equal(one.data, two.data);
    xylem_buffer_release(&one);
    xylem_buffer_release(&two);
    held_release(&path);
    xylem_reads_free(other);
}

static void assert_loaded(struct xylem_position from, const char *expected)
{
    struct xylem_reads *reads = table_new();
    load_at(reads, from, NULL);
    assert_table(reads, expected);
    xylem_reads_free(reads);
}

IN_SCENE(the_newest_word_on_a_file_counts)
{
    uint64_t session = store_builder_session(&builder, "s");
    add(session, DELTA(FILE_OF("/a", 1) "," FILE_OF("/b", 1), ""));
    store_builder_messages(&builder, session, 3);
    add(session, DELTA(FILE_OF("/a", 2) "," FILE_OF("/c", 2), ""));
    store_builder_messages(&builder, session, 3);
    add(session, DELTA(FILE_OF("/d", 3), "\"/c\""));
    assert_loaded(store_builder_leaf(&builder, session), "/d=3 /a=2 /b=1 ");
}

IN_SCENE(a_path_without_entries_has_an_empty_table)
{
    uint64_t session = store_builder_session(&builder, "s");
    assert_loaded((struct xylem_position){0, 0}, "");
    assert_loaded(store_builder_messages(&builder, session, 2), "");
}

IN_SCENE(an_entry_with_the_whole_table_ends_the_walk)
{
    uint64_t session = store_builder_session(&builder, "s");
    add(session, DELTA(FILE_OF("/old", 1), ""));
    add(session, WHOLE(FILE_OF("/a", 1) "," FILE_OF("/b", 1)));
    add(session, DELTA(FILE_OF("/c", 2), "\"/a\""));
    assert_loaded(store_builder_leaf(&builder, session), "/c=2 /b=1 ");
}

IN_SCENE(a_load_forgets_what_was_in_the_table)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_reads *reads = table_new();
    note(reads, "/x", 1);
    load_at(reads, store_builder_messages(&builder, session, 1), NULL);
    assert_table(reads, "");
    struct xylem_buffer data = drain(reads);
    assert_int_equal(data.bytes, 0);
    xylem_reads_free(reads);
}

IN_SCENE(a_fork_has_the_reads_of_its_path)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position first = add(session, DELTA(FILE_OF("/a", 1), ""));
    add(session, DELTA(FILE_OF("/b", 2), ""));
    uint64_t fork = store_builder_fork(&builder, session, first, XYLEM_FORK_AT, "f");
    assert_loaded(store_builder_leaf(&builder, fork), "/a=1 ");
    add(fork, DELTA(FILE_OF("/c", 3), ""));
    assert_loaded(store_builder_leaf(&builder, fork), "/c=3 /a=1 ");
    assert_loaded(store_builder_leaf(&builder, session), "/b=2 /a=1 ");
}

IN_SCENE(a_navigation_to_before_a_read_forgets_the_read)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position before = store_builder_messages(&builder, session, 1);
    struct xylem_position after = add(session, DELTA(FILE_OF("/a", 1), ""));
    store_builder_go(&builder, session, before);
    assert_loaded(store_builder_leaf(&builder, session), "");
    store_builder_go(&builder, session, after);
    assert_loaded(store_builder_leaf(&builder, session), "/a=1 ");
}

IN_SCENE(a_compaction_keeps_the_reads)
{
    uint64_t session = store_builder_session(&builder, "s");
    add(session, DELTA(FILE_OF("/a", 1), ""));
    store_builder_add(&builder, session, NULL, "compaction", "{\"summary\":\"all\"}");
    assert_loaded(store_builder_leaf(&builder, session), "/a=1 ");
}

IN_SCENE(a_restart_knows_the_reads_and_the_evictions)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_reads *reads = table_new();
    for (unsigned i = 1; i <= 100; i++) {
        char key[16];
        snprintf(key, sizeof key, "/%u", i);
        note(reads, key, i);
    }
    struct xylem_buffer data = drain(reads);
    add(session, data.data);
    xylem_buffer_release(&data);
    note(reads, "/101", 101); /* evicts /1 */
    data = drain(reads);
    add(session, data.data);
    xylem_buffer_release(&data);
    store_builder_reopen(&builder);
    struct xylem_reads *again = table_new();
    load_at(again, store_builder_leaf(&builder, session), NULL);
    assert_int_equal(check(again, "/1", XYLEM_WRITE_TOOL_EDIT, 1), XYLEM_READS_UNREAD);
    assert_int_equal(check(again, "/2", XYLEM_WRITE_TOOL_EDIT, 2), XYLEM_READS_PASS);
    assert_int_equal(check(again, "/101", XYLEM_WRITE_TOOL_EDIT, 101), XYLEM_READS_PASS);
    assert_int_equal(check(again, "/101", XYLEM_WRITE_TOOL_EDIT, 102), XYLEM_READS_CHANGED);
    xylem_reads_free(reads);
    xylem_reads_free(again);
}

IN_SCENE(a_load_reads_at_most_33_entries_of_any_session)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_reads *reads = table_new();
    for (unsigned i = 1; i <= 500; i++) {
        char key[16];
        struct xylem_reduction reduction;
        snprintf(key, sizeof key, "/%u", i % 7);
        note(reads, key, i);
        struct xylem_buffer data = drain(reads);
        add(session, data.data);
        xylem_buffer_release(&data);
        store_builder_messages(&builder, session, 2);
        if (i % 13 == 0) { /* a restart goes on with the count */
            load_at(reads, store_builder_leaf(&builder, session), &reduction);
            assert_true(reduction.decoded_count < XYLEM_READS_ENTRIES_MAX); /* every 32nd entry is whole */
            assert_int_equal(reduction.skipped_count, 0);
            assert_true(reduction.looked_at <= XYLEM_READS_ENTRIES_MAX + 2);
            xylem_reduction_release(&reduction);
        }
    }
    xylem_reads_free(reads);
}

IN_SCENE(a_host_that_never_writes_the_whole_table_costs_33_entries)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_reads *reads = table_new();
    struct xylem_reduction reduction;
    add(session, DELTA(FILE_OF("/old", 1), ""));
    for (int i = 0; i < 50; i++) {
        add(session, i % 2 ? DELTA(FILE_OF("/a", 1), "") : "{\"version\":2}");
    }
    load_at(reads, store_builder_leaf(&builder, session), &reduction);
    assert_table(reads, "/a=1 ");
    assert_int_equal(reduction.decoded_count, XYLEM_READS_ENTRIES_MAX);
    assert_int_equal(reduction.skipped_count, 16);
    xylem_reduction_release(&reduction);
    note(reads, "/b", 2); /* the next entry ends the guess */
    struct xylem_buffer data = drain(reads);
    assert_non_null(strstr(data.data, "\"whole\":true"));
    xylem_buffer_release(&data);
    xylem_reads_free(reads);
}

/* Every shape but the right shape is skipped, with a reason, and decides nothing. */
IN_SCENE(data_of_a_wrong_shape_is_skipped)
{
    static const struct {
        const char *json;
        const char *reason;
    } cases[] = {
        {NULL, "there is no data"},
        {"[]", "the data is not a map"},
        {"{}", "the version is not 1"},
        {"{\"redacted\":\"by another\"}", "the data was redacted"},
        {"{\"version\":2,\"whole\":false,\"files\":[],\"gone\":[]}", "the version is not 1"},
        {"{\"version\":\"1\",\"whole\":false,\"files\":[],\"gone\":[]}", "the version is not 1"},
        {"{\"version\":1,\"files\":[],\"gone\":[]}", "whole is not a boolean"},
        {"{\"version\":1,\"whole\":1,\"files\":[],\"gone\":[]}", "whole is not a boolean"},
        {"{\"version\":1,\"whole\":true,\"gone\":[]}", "files or gone is not a list"},
        {"{\"version\":1,\"whole\":true,\"files\":{},\"gone\":[]}", "files or gone is not a list"},
        {"{\"version\":1,\"whole\":true,\"files\":[],\"gone\":\"/a\"}", "files or gone is not a list"},
        {"{\"version\":1,\"whole\":true,\"files\":[],\"gone\":[1]}", "a path is empty or has a NUL"},
        {"{\"version\":1,\"whole\":true,\"files\":[],\"gone\":[\"a\\u0000\"]}", "a path is empty or has a NUL"},
        {"{\"version\":1,\"whole\":true,\"files\":[1],\"gone\":[]}", "a path is empty or has a NUL"},
        {"{\"version\":1,\"whole\":true,\"files\":[null],\"gone\":[]}", "a path is empty or has a NUL"},
        {DELTA("{\"path\":\"/x\"}", ""), "a hash is not algorithm:hex of at most 151 bytes"},
        {DELTA("{\"path\":\"/x\",\"hash\":\"00\",\"bytes\":1,\"at\":1,\"by\":\"read\"}", ""),
         "a hash is not algorithm:hex of at most 151 bytes"},
        {DELTA("{\"path\":\"/x\",\"hash\":\"a:00\",\"bytes\":-1,\"at\":1,\"by\":\"read\"}", ""),
         "bytes or at of a file is not a whole number from 0"},
        {DELTA("{\"path\":\"/x\",\"hash\":\"a:00\",\"bytes\":1.5,\"at\":1,\"by\":\"read\"}", ""),
         "bytes or at of a file is not a whole number from 0"},
        {DELTA("{\"path\":\"/x\",\"hash\":\"a:00\",\"bytes\":1,\"by\":\"read\"}", ""),
         "bytes or at of a file is not a whole number from 0"},
        {DELTA("{\"path\":\"/x\",\"hash\":\"a:00\",\"bytes\":1,\"at\":1,\"by\":\"Read\"}", ""),
         "by of a file is not read, edit or write"},
        {DELTA("{\"path\":\"/x\",\"hash\":\"a:00\",\"bytes\":1,\"at\":1}", ""),
         "by of a file is not read, edit or write"},
        {DELTA(FILE_OF("/x", 1) ",7", ""), "a path is empty or has a NUL"},
    };
    uint64_t session = store_builder_session(&builder, "s");
    add(session, DELTA(FILE_OF("/a", 1), ""));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xylem_reads *reads = table_new();
        struct xylem_reduction reduction;
        struct xylem_position leaf = store_builder_leaf(&builder, session);
        load_at(reads, add(session, cases[i].json), &reduction);
        assert_table(reads, "/a=1 ");
        assert_int_equal(reduction.skipped_count, 1);
        assert_string_equal(reduction.skipped[0].reason, cases[i].reason);
        xylem_reduction_release(&reduction);
        note(reads, "/b", 2); /* a skipped entry may have said more */
        struct xylem_buffer data = drain(reads);
        assert_non_null(strstr(data.data, "\"whole\":true"));
        xylem_buffer_release(&data);
        xylem_reads_free(reads);
        store_builder_go(&builder, session, leaf);
    }
}

IN_SCENE(a_redacted_entry_is_skipped)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_reads *reads = table_new();
    struct xylem_reduction reduction;
    add(session, DELTA(FILE_OF("/a", 1), ""));
    struct xylem_position secret = add(session, DELTA(FILE_OF("/b", 1), ""));
    store_builder_redact(&builder, secret);
    assert_int_equal(xylem_reads_load(reads, builder.txn, secret, &reduction, NULL), 0);
    assert_table(reads, "/a=1 ");
    assert_string_equal(reduction.skipped[0].reason, "the data was redacted");
    xylem_reduction_release(&reduction);
    xylem_reads_free(reads);
}

IN_SCENE(a_path_twice_in_an_entry_counts_once_and_gone_wins)
{
    uint64_t session = store_builder_session(&builder, "s");
    add(session, DELTA(FILE_OF("/a", 1) "," FILE_OF("/b", 1) "," FILE_OF("/a", 2), "\"/b\",\"/b\",\"/none\""));
    assert_loaded(store_builder_leaf(&builder, session), "/a=2 ");
    add(session,
        "{\"version\":1,\"whole\":false,\"files\":[" FILE_OF("/c", 1) "],\"more\":1}"); /* `gone` may be absent */
    assert_loaded(store_builder_leaf(&builder, session), "/c=1 /a=2 ");
}

/* Files of a list from `from` to `to`, with short keys. */
static void add_files(struct xylem_buffer *json, unsigned from, unsigned to)
{
    for (unsigned i = from; i <= to; i++) {
        char file[160];
        int bytes =
            snprintf(file, sizeof file, "%s{\"path\":\"/%u\",\"hash\":\"a:0%x\",\"bytes\":%u,\"at\":1,\"by\":\"read\"}",
                     i == from ? "" : ",", i, i, i);
        assert_int_equal(xylem_buffer_add(json, file, (size_t)bytes), 0);
    }
}

static struct xylem_position add_huge(uint64_t session, unsigned count)
{
    struct xylem_buffer json = {0};
    static const char head[] = "{\"version\":1,\"whole\":true,\"files\":[";
    assert_int_equal(xylem_buffer_add(&json, head, sizeof head - 1), 0);
    add_files(&json, 1, count);
    assert_int_equal(xylem_buffer_add(&json, "],\"gone\":[]}", 12), 0);
    struct xylem_position at = add(session, json.data);
    xylem_buffer_release(&json);
    return at;
}

IN_SCENE(an_entry_with_10000_files_gives_the_last_100)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_reads *reads = table_new();
    struct xylem_read_file file;
    size_t count = 0;
    load_at(reads, add_huge(session, 10000), NULL);
    while (xylem_reads_file(&file, reads, count)) {
        assert_int_equal(file.bytes, 10000 - count++);
    }
    assert_int_equal(count, XYLEM_READS_FILES_MAX);
    xylem_reads_free(reads);
}

IN_SCENE(an_entry_with_10001_files_is_skipped)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_reads *reads = table_new();
    struct xylem_reduction reduction;
    load_at(reads, add_huge(session, 10001), &reduction);
    assert_table(reads, "");
    assert_string_equal(reduction.skipped[0].reason, "a list has more than 10000 paths");
    xylem_reduction_release(&reduction);
    xylem_reads_free(reads);
}

/* A file that no longer fits after a load stays forgotten, although an old entry names the file. */
IN_SCENE(the_next_entry_after_a_full_load_has_the_whole_table)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_reads *reads = table_new();
    load_at(reads, add_huge(session, 105), NULL);
    assert_int_equal(xylem_reads_forget(reads, xylem_view_of("/100"), NULL), 0);
    struct xylem_buffer data = drain(reads);
    add(session, data.data);
    xylem_buffer_release(&data);
    load_at(reads, store_builder_leaf(&builder, session), NULL);
    assert_int_equal(check(reads, "/5", XYLEM_WRITE_TOOL_EDIT, 5), XYLEM_READS_UNREAD);
    assert_int_equal(check(reads, "/100", XYLEM_WRITE_TOOL_EDIT, 100), XYLEM_READS_UNREAD);
    xylem_reads_free(reads);
}

IN_SCENE(a_child_can_have_the_table_of_its_parent)
{
    struct xylem_reads *parent = table_new();
    struct xylem_reads *child = table_new();
    struct xylem_buffer data = {0};
    struct held_path path = {0};
    note(parent, "/a", 1);
    note(parent, "/b", 2);
    assert_int_equal(xylem_reads_whole(&data, parent, NULL), 0);
    struct xylem_view view = {data.data, data.bytes};
    const struct xylem_kind kind = {XYLEM_CLASS_CUSTOM, xylem_view_of("file-reads")};
    held_add(&path, xylem_view_of("seed"), kind, &view);
    assert_int_equal(xylem_reads_load_from(child, held_next, &path, NULL, NULL), 0);
    assert_table(child, "/b=2 /a=1 ");
    held_release(&path);
    xylem_buffer_release(&data);
    xylem_reads_free(parent);
    xylem_reads_free(child);
}

static int fail_next(void *context, struct xylem_held_entry *entry)
{
    (void)context;
    (void)entry;
    return XYLEM_E_IO;
}

IN_SCENE(a_load_that_fails_empties_the_table)
{
    struct xylem_reads *reads = table_new();
    note(reads, "/a", 1);
    const struct xylem_position nowhere = {77, 1};
    assert_int_equal(xylem_reads_load(reads, builder.txn, nowhere, NULL, NULL), XYLEM_E_NOT_FOUND);
    assert_table(reads, "");
    note(reads, "/a", 1);
    assert_int_equal(xylem_reads_load_from(reads, fail_next, NULL, NULL, NULL), XYLEM_E_IO);
    assert_table(reads, "");
    assert_int_equal(xylem_reads_load_from(reads, NULL, NULL, NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_reads_load(NULL, builder.txn, nowhere, NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_reads_load_from(NULL, fail_next, NULL, NULL, NULL), XYLEM_E_ARGUMENT);
    xylem_reads_free(reads);
}
