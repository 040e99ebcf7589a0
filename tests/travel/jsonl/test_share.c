/* Imports of forks: what they share with the session that they were forked from. */
#include "tests/lib/chance.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"
#include "tests/travel/jsonl/sandbox.h"

#define SOURCE_HEADER "{\"type\":\"session\",\"version\":3,\"id\":\"source\"}\n"
#define FORK_HEADER_OF(parent) "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"parentSession\":\"" parent "\"}\n"
#define FORK_HEADER FORK_HEADER_OF("/gone/2025-01-01_source.jsonl")
#define ABCD SOURCE_HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b") CHILD("d", "c")

/* What the last import says of the source. */
static void assert_source(const struct sandbox *sandbox, enum xylem_import_source source, const char *id,
                          uint64_t shared, uint64_t added)
{
    assert_string_equal(xylem_import_source_word(sandbox->report.source), xylem_import_source_word(source));
    assert_string_equal(sandbox->report.source_id, id);
    assert_int_equal(sandbox->report.shared_count, shared);
    assert_int_equal(sandbox->report.added_count, added);
    assert_int_equal(sandbox->report.shared_bytes > 0, shared > 0);
}

static uint64_t entry_count(struct sandbox *sandbox)
{
    struct xylem_stat stat;
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    assert_int_equal(xylem_stat_read(&stat, txn, NULL), XYLEM_OK);
    xylem_abort(txn);
    return stat.entry_count;
}

/* The session's base has that id (NULL: it has none), and it is in the tree of its source or not. */
static void assert_base(struct sandbox *sandbox, const char *id, bool same_tree)
{
    struct xylem_session source;
    struct xylem_session fork;
    struct xylem_entry entry;
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    sandbox_session(&source, txn, "source");
    sandbox_session(&fork, txn, "s");
    assert_int_equal(fork.tree == source.tree, same_tree);
    assert_int_equal(fork.base.depth > 0, id != NULL);
    if (id) {
        assert_int_equal(xylem_entry_read(&entry, txn, fork.base, NULL), XYLEM_OK);
        assert_same_bytes(entry.id.data, entry.id.bytes, id, strlen(id));
    }
    xylem_abort(txn);
}

static void assert_is_file(struct sandbox *sandbox, const char *name)
{
    char path[512];
    struct xylem_buffer text = {0};
    sandbox_path(path, sandbox, name);
    sandbox_read_file(&text, path);
    assert_export(sandbox, true, text.data, text.bytes);
    xylem_buffer_release(&text);
}

/* Imports a source and a fork of it. */
static void import_both(struct sandbox *sandbox, const char *source, const char *fork)
{
    sandbox_open(sandbox);
    sandbox_take(sandbox, "source", source);
    sandbox_take(sandbox, "fork", fork);
    assert_is_file(sandbox, "fork");
}

/* --- What is shared --- */

TEST(the_entries_that_a_forks_path_begins_with_are_shared)
{
    struct sandbox sandbox;
    import_both(&sandbox, ABCD, FORK_HEADER ROOT("a") CHILD("b", "a") CHILD("x", "b") CHILD("y", "x"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 2, 0, 0, 0);
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "source", 2, 2);
    assert_base(&sandbox, "b", true);
    assert_ids(&sandbox, "a b x y ", "y x b a ");
    assert_int_equal(entry_count(&sandbox), 6);
    assert_string_equal(xylem_import_source_text(sandbox.report.source), "entries are shared with the source");
    assert_string_equal(xylem_import_source_word(XYLEM_IMPORT_SOURCE_COUNT), "unknown");
    assert_string_equal(xylem_import_source_text(XYLEM_IMPORT_SOURCE_COUNT), "unknown");
    sandbox_close(&sandbox);
}

TEST(what_is_saved_are_the_records_that_are_not_stored_again)
{
    struct sandbox sandbox;
    uint64_t bytes[2];
    for (int apart = 0; apart < 2; apart++) {
        struct xylem_stat stat;
        sandbox_open(&sandbox);
        sandbox_take(&sandbox, "source", ABCD);
        sandbox.options.share_nothing = apart == 1;
        sandbox_take(&sandbox, "fork", FORK_HEADER ROOT("a") CHILD("b", "a") CHILD("x", "b"));
        assert_is_file(&sandbox, "fork");
        bytes[apart] = sandbox.report.shared_bytes;
        struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
        assert_int_equal(xylem_stat_read(&stat, txn, NULL), XYLEM_OK);
        bytes[apart] += stat.payload_bytes + stat.links_bytes + stat.line_bytes;
        bytes[apart] += stat.entry_count * (25 + 1 + 6 + 1 + 1 + 1 + 1); /* a record's header, and an id of one byte */
        xylem_abort(txn);
        sandbox_close(&sandbox);
    }
    /* The first own entry after the base says where its branch came from. */
    assert_int_equal(bytes[0], bytes[1] + 1);
}

TEST(a_clone_adds_nothing_and_grows_apart)
{
    struct sandbox sandbox;
    import_both(&sandbox, ABCD, FORK_HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b") CHILD("d", "c"));
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "source", 4, 0);
    assert_base(&sandbox, "d", true);
    assert_ids(&sandbox, "a b c d ", "d c b a ");
    sandbox_take(&sandbox, "fork",
                 FORK_HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b") CHILD("d", "c") CHILD("e", "d"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 4, 0, 0);
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_NONE, "", 0, 1);
    assert_is_file(&sandbox, "fork");
    sandbox_take(&sandbox, "source", ABCD CHILD("e", "d"));
    assert_int_equal(entry_count(&sandbox), 6);
    sandbox_close(&sandbox);
}

TEST(sharing_ends_at_the_first_line_of_other_bytes)
{
    struct sandbox sandbox;
    import_both(&sandbox, ABCD,
                FORK_HEADER ROOT("a") "{ \"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"timestamp\":"
                                      "\"2025-01-01T00:00:02.000Z\",\"message\":{\"text\":\"b\"}}\n" CHILD("c", "b"));
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "source", 1, 2);
    assert_base(&sandbox, "a", true);
    sandbox_close(&sandbox);
}

TEST(sharing_ends_at_a_line_that_is_no_entry)
{
    struct sandbox sandbox;
    import_both(&sandbox, ABCD, FORK_HEADER ROOT("a") "junk\n" CHILD("b", "a") CHILD("c", "b"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 2, 0, 1, 1);
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "source", 1, 2);
    sandbox_close(&sandbox);
}

TEST(a_line_below_a_parent_that_stands_further_down_is_not_shared)
{
    struct sandbox sandbox;
    import_both(&sandbox, SOURCE_HEADER CHILD("b", "a") ROOT("a"), FORK_HEADER CHILD("b", "a") ROOT("a"));
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_DIFFERS, "source", 0, 2);
    assert_base(&sandbox, NULL, false);
    sandbox_close(&sandbox);
}

TEST(a_root_of_the_source_alone_is_not_shared)
{
    struct sandbox sandbox; /* the same line: in the source its parent is missing, in the fork it stands further down */
    import_both(&sandbox, SOURCE_HEADER CHILD("b", "a"), FORK_HEADER CHILD("b", "a") ROOT("a"));
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_DIFFERS, "source", 0, 2);
    assert_ids(&sandbox, "a b ", "a ");
    sandbox_close(&sandbox);
}

TEST(an_entry_below_another_parent_is_not_shared)
{
    struct sandbox sandbox; /* the source has the line of `b` as a root, as there its parent is missing */
    import_both(&sandbox, SOURCE_HEADER CHILD("b", "a") ROOT("z"), FORK_HEADER ROOT("a") CHILD("b", "a"));
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_DIFFERS, "source", 0, 2);
    sandbox_close(&sandbox);
}

TEST(a_root_in_both_whose_parent_is_in_neither_is_shared_and_reported)
{
    struct sandbox sandbox;
    import_both(&sandbox, SOURCE_HEADER CHILD("b", "gone") CHILD("c", "b"),
                FORK_HEADER CHILD("b", "gone") CHILD("c", "b"));
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "source", 2, 0);
    assert_int_equal(sandbox.report.problem_count, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_ORPHAN, 2, false, "b");
    sandbox_close(&sandbox);
}

#define TREE ROOT("a") CHILD("x", "a") CHILD("y", "x") CHILD("b", "a") CHILD("z", "a") CHILD("c", "b") CHILD("d", "c")

TEST(of_a_whole_tree_the_path_that_it_begins_with_is_shared)
{
    struct sandbox sandbox;
    import_both(&sandbox, SOURCE_HEADER TREE, FORK_HEADER TREE CHILD("w", "x"));
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "source", 3, 5);
    assert_base(&sandbox, "y", true);
    assert_ids(&sandbox, "a x y b z c d w ", "w x a ");
    sandbox_take(&sandbox, "fork", FORK_HEADER TREE CHILD("w", "x") CHILD("v", "d"));
    assert_is_file(&sandbox, "fork");
    assert_ids(&sandbox, "a x y b z c d w v ", "v d c b a ");
    sandbox_close(&sandbox);
}

TEST(a_second_root_is_not_shared)
{
    struct sandbox sandbox;
    import_both(&sandbox, SOURCE_HEADER ROOT("a") ROOT("b"), FORK_HEADER ROOT("a") ROOT("b"));
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "source", 1, 1);
    assert_base(&sandbox, "a", true);
    sandbox_close(&sandbox);
}

TEST(what_was_redacted_in_the_source_is_shared_as_it_is)
{
    struct sandbox sandbox;
    struct store_builder builder;
    struct xylem_session source;
    struct xylem_position position;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "source", ABCD);
    builder.txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    uint64_t number = sandbox_session(&source, builder.txn, "source");
    assert_int_equal(xylem_find(&position, builder.txn, number, xylem_view_of("b"), NULL), XYLEM_OK);
    store_builder_redact(&builder, position);
    assert_int_equal(xylem_commit(builder.txn, NULL), XYLEM_OK);
    sandbox_take(&sandbox, "fork", FORK_HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b"));
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "source", 3, 0);
    assert_int_equal(sandbox.report.problem_count, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_REDACTED, 3, false, "b");
    struct xylem_buffer out = {0};
    sandbox_export_of(&out, &sandbox, "s", false);
    assert_null(strstr(out.data, "{\"text\":\"b\"}"));
    assert_non_null(strstr(out.data, "\"parentId\":\"b\""));
    xylem_buffer_release(&out);
    sandbox_close(&sandbox);
}

TEST(entries_that_a_host_appended_to_the_source_are_shared_too)
{
    struct sandbox sandbox;
    struct xylem_session source;
    struct xylem_buffer out = {0};
    struct xylem_position leaf;
    int64_t time_ms = 1735689601000;
    struct xylem_new_entry entry = {.id = xylem_view_of("n"), .time_ms = &time_ms};
    entry.kind = (struct xylem_kind){XYLEM_CLASS_HOST, xylem_view_of("note")};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "source", SOURCE_HEADER ROOT("a"));
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    uint64_t number = sandbox_session(&source, txn, "source");
    assert_int_equal(xylem_append(&leaf, txn, number, &entry, 1, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    sandbox_export_of(&out, &sandbox, "source", false);
    char *lines = strchr(out.data, '\n') + 1;
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s", FORK_HEADER, lines, CHILD("x", "n"));
    sandbox_take(&sandbox, "fork", text);
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "source", 2, 1);
    assert_is_file(&sandbox, "fork");
    sandbox_take(&sandbox, "fork", FORK_HEADER ROOT("a"));
    assert_int_equal(sandbox.report.problem_count, 2);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_VANISHED, 0, false, "n");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_VANISHED, 0, false, "x");
    sandbox_take(&sandbox, "fork", FORK_HEADER ROOT("a") "\n");
    assert_int_equal(sandbox.report.problem_count, 1); /* the blank line */
    xylem_buffer_release(&out);
    sandbox_close(&sandbox);
}

TEST(a_fork_of_a_fork_shares_what_both_share)
{
    static const char middle[] =
        "{\"type\":\"session\",\"version\":3,\"id\":\"middle\",\"parentSession\":\"/x_source\"}"
        "\n" ROOT("a") CHILD("b", "a") CHILD("m", "b");
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "source", ABCD);
    sandbox_take(&sandbox, "middle", middle);
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "source", 2, 1);
    sandbox_take(&sandbox, "fork",
                 FORK_HEADER_OF("y_middle.jsonl") ROOT("a") CHILD("b", "a") CHILD("m", "b") CHILD("x", "m"));
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "middle", 3, 1);
    assert_base(&sandbox, "m", true);
    assert_is_file(&sandbox, "fork");
    assert_int_equal(entry_count(&sandbox), 6);
    sandbox_close(&sandbox);
}

/* --- Which session is the source --- */

#define SHARING ROOT("a") CHILD("x", "a")

static void delete_session(struct sandbox *sandbox, const char *id)
{
    struct xylem_session session;
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    sandbox_session(&session, txn, id);
    assert_int_equal(xylem_session_delete(txn, session.number, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
}

/* Imports a fork whose `parentSession` is `parent`. */
static void take_fork_of(struct sandbox *sandbox, const char *id, const char *parent)
{
    char text[4096];
    snprintf(text, sizeof text, "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"parentSession\":\"%s\"}\n%s", id,
             parent, SHARING);
    sandbox_take(sandbox, id, text);
}

TEST(the_source_is_named_by_its_files_name_its_id_or_its_file)
{
    struct sandbox sandbox;
    char path[1024];
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "other_name.jsonl", ABCD);
    static const char *const names[] = {
        "/gone/2025_source.jsonl", "2025_source.jsonl", "2025_source",       "_source", "source",
        "/a_b/x_y_source.jsonl",   "other_name.jsonl",  "./other_name.jsonl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char id[16];
        snprintf(id, sizeof id, "fork%zu", i);
        take_fork_of(&sandbox, id, names[i]);
        assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "source", 1, 1);
    }
    snprintf(path, sizeof path, "%s/other_name.jsonl\\u0000", sandbox.directory);
    take_fork_of(&sandbox, "nul", path); /* no path holds a NUL */
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_MISSING, "", 0, 2);
    snprintf(path, sizeof path, "%s/other_name.jsonl", sandbox.directory);
    take_fork_of(&sandbox, "absolute", path);
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "source", 1, 1);
    sandbox_take(&sandbox, "name", "{\"type\":\"session\",\"version\":3,\"id\":\"name\"}\n" ROOT("n"));
    take_fork_of(&sandbox, "by_name", "other_name.jsonl"); /* now there is a session of the id in the file's name */
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_DIFFERS, "name", 0, 2);
    sandbox_close(&sandbox);
}

TEST(a_source_that_cannot_be_found_leaves_the_fork_a_tree_of_its_own)
{
    struct sandbox sandbox;
    char long_name[900];
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "source", ABCD);
    memset(long_name, 'l', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    const struct {
        const char *parent;
        const char *id;
    } cases[] = {{"/gone/2025_unknown.jsonl", "unknown"},
                 {"/gone/unknown", "/gone/unknown"},
                 {"x_.jsonl", "x_.jsonl"},
                 {"a_b_source.jsonlx", "source.jsonlx"},
                 {"_source\\u0000", ""},
                 {"/a_source/b.jsonl", "/a_source/b.jsonl"},
                 {"/dev/null", "/dev/null"},
                 {long_name, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char id[16];
        snprintf(id, sizeof id, "fork%zu", i);
        take_fork_of(&sandbox, id, cases[i].parent);
        assert_source(&sandbox, XYLEM_IMPORT_SOURCE_MISSING, cases[i].id, 0, 2);
    }
    sandbox_take(&sandbox, "2025_foo", "{\"type\":\"session\",\"version\":3,\"id\":\"real\"}\n" ROOT("a"));
    delete_session(&sandbox, "real");
    take_fork_of(&sandbox, "of_deleted", "2025_foo");
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_DELETED, "real", 0, 2);
    take_fork_of(&sandbox, "itself", "x_itself.jsonl");
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_MISSING, "itself", 0, 2);
    take_fork_of(&sandbox, "s", "");
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_NONE, "", 0, 2);
    sandbox_close(&sandbox);
}

TEST(a_fork_imported_before_its_source_stays_apart)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "fork", FORK_HEADER SHARING);
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_MISSING, "source", 0, 2);
    sandbox_take(&sandbox, "source", ABCD);
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_NONE, "", 0, 4);
    assert_base(&sandbox, NULL, false);
    sandbox_take(&sandbox, "fork", FORK_HEADER SHARING CHILD("y", "x"));
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_NONE, "", 0, 1);
    assert_is_file(&sandbox, "fork");
    sandbox_close(&sandbox);
}

TEST(sharing_can_be_turned_off)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "source", ABCD);
    sandbox.options.share_nothing = true;
    sandbox_take(&sandbox, "fork", FORK_HEADER SHARING);
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_UNUSED, "", 0, 2);
    assert_base(&sandbox, NULL, false);
    sandbox_close(&sandbox);
}

TEST(nothing_is_shared_with_a_deleted_session)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "source", ABCD);
    delete_session(&sandbox, "source");
    sandbox_take(&sandbox, "fork", FORK_HEADER SHARING);
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_DELETED, "source", 0, 2);
    sandbox_close(&sandbox);
}

TEST(nothing_is_shared_with_a_session_whose_import_was_broken_off)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_write_text(&sandbox, "source", ABCD);
    sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = sandbox_stop};
    assert_int_equal(sandbox_try(&sandbox, "source"), XYLEM_E_STOPPED);
    sandbox.options = (struct xylem_import_options){0};
    sandbox_take(&sandbox, "fork", FORK_HEADER SHARING);
    assert_source(&sandbox, XYLEM_IMPORT_SOURCE_MISSING, "source", 0, 2);
    sandbox_import(&sandbox, "source");
    sandbox_close(&sandbox);
}

/* --- Catching up --- */

TEST(a_shared_line_that_vanishes_from_the_forks_file_is_reported_once)
{
    struct sandbox sandbox;
    import_both(&sandbox, ABCD, FORK_HEADER ROOT("a") CHILD("b", "a") CHILD("x", "b"));
    sandbox_take(&sandbox, "fork", FORK_HEADER ROOT("a"));
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 0, 1, 0, 2);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_VANISHED, 0, false, "b");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_VANISHED, 0, false, "x");
    assert_export_text(&sandbox, true, FORK_HEADER ROOT("a") CHILD("b", "a") CHILD("x", "b"));
    sandbox_take(&sandbox, "fork", FORK_HEADER ROOT("z"));
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 1, 0, 0, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_VANISHED, 0, false, "a");
    sandbox_take(&sandbox, "fork", FORK_HEADER ROOT("z") ROOT("a") CHILD("b", "a") CHILD("x", "b"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 4, 0, 0);
    assert_is_file(&sandbox, "fork");
    sandbox_close(&sandbox);
}

TEST(a_shared_line_that_changes_goes_to_quarantine)
{
    struct sandbox sandbox;
    import_both(&sandbox, ABCD, FORK_HEADER ROOT("a") CHILD("b", "a") CHILD("x", "b"));
    sandbox_take(&sandbox, "fork", FORK_HEADER ROOT("a") ROOT("b") CHILD("x", "b"));
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 0, 2, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 3, true, "b");
    sandbox_close(&sandbox);
}

TEST(an_import_that_is_broken_off_goes_on)
{
    for (int stop = 1; stop <= 6; stop++) {
        struct sandbox sandbox;
        int left = stop;
        sandbox_open(&sandbox);
        sandbox_take(&sandbox, "source", SOURCE_HEADER TREE);
        sandbox_write_text(&sandbox, "fork", FORK_HEADER TREE CHILD("w", "x"));
        sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = sandbox_stop, .context = &left};
        assert_int_equal(sandbox_try(&sandbox, "fork"), stop < 5 ? XYLEM_E_STOPPED : XYLEM_OK);
        assert_source(&sandbox, XYLEM_IMPORT_SOURCE_SHARED, "source", 3, (uint64_t)(stop < 5 ? stop : 5));
        sandbox.options = (struct xylem_import_options){0};
        sandbox_import(&sandbox, "fork");
        assert_source(&sandbox, XYLEM_IMPORT_SOURCE_NONE, "", 0, (uint64_t)(stop < 5 ? 5 - stop : 0));
        assert_is_file(&sandbox, "fork");
        assert_ids(&sandbox, "a x y b z c d w ", "w x a ");
        sandbox_close(&sandbox);
    }
}

/* What is shared was consumed with the first batch: a line that comes later cannot take its place. */
TEST(what_grows_while_an_import_is_broken_off_repeats_what_is_shared)
{
#define GROWN ROOT("a") CHILD("b", "a") CHILD("c", "b") CHILD("x", "c") ROOT("b") CHILD("e", "b")
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "source", ABCD);
    sandbox_write_text(&sandbox, "fork", FORK_HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b") CHILD("x", "c"));
    sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = sandbox_stop};
    sandbox_try(&sandbox, "fork");
    sandbox.options = (struct xylem_import_options){0};
    sandbox_take(&sandbox, "fork", FORK_HEADER GROWN);
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 4, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 6, true, "b");
    assert_is_file(&sandbox, "fork");
    sandbox_close(&sandbox);
}

/* --- By chance: shared or not, a session is the same --- */

enum { ENTRIES_MAX = 40, LINE_MAX_BYTES = 512, LINES_MAX = 16 * ENTRIES_MAX };

struct line {
    int number;
    int parent; /* -1: a root; -2: one that no line has */
    char text[LINE_MAX_BYTES];
};

struct file {
    size_t count;
    struct line lines[2 * ENTRIES_MAX];
};

static void make_line(struct line *line, struct chance *chance, const char *prefix, int number, int parent)
{
    static const char *const tails[] = {"}", " }", ",\"more\":1.50}", ",\"x\":\"\\u00e9\"}"};
    char parent_text[32];
    snprintf(parent_text, sizeof parent_text, parent == -1 ? "null" : parent == -2 ? "\"gone\"" : "\"e%d\"", parent);
    line->number = number;
    line->parent = parent;
    static const char *const types[] = {"message", "message", "message", "note", "label", "session_info"};
    const char *type = types[chance_below(chance, 6)];
    char more[96] = "";
    if (type[0] == 'l') {
        snprintf(more, sizeof more, ",\"targetId\":\"e%d\",\"label\":\"l%d\"", chance_below(chance, 6),
                 chance_below(chance, 100));
    } else if (type[0] == 's') {
        snprintf(more, sizeof more, ",\"name\":\"name %d\"", chance_below(chance, 100));
    }
    snprintf(line->text, sizeof line->text,
             "{\"type\":\"%s\",\"id\":\"%s%d\",\"parentId\":%s,\"timestamp\":\"2025-01-01T00:00:01.000Z\"%s%s", type,
             prefix, number, parent_text, more, tails[chance_below(chance, 4)]);
}

static void make_source(struct file *file, struct chance *chance)
{
    file->count = 0;
    int count = 1 + chance_below(chance, ENTRIES_MAX);
    for (int i = 0; i < count; i++) {
        int back = i < 3 ? i : 3;
        int parent = i == 0 || chance_one_in(chance, 12) ? -1 : i - 1 - chance_below(chance, back);
        parent = chance_one_in(chance, 20) ? -2 : parent;
        make_line(&file->lines[file->count++], chance, "e", i, parent);
    }
}

static bool on_path(const struct file *source, int leaf, int number)
{
    while (leaf > number) {
        leaf = source->lines[leaf].parent;
    }
    return leaf == number;
}

/* A path of the source, or all of it; now and then something in it is another; then entries of its own. */
static void make_fork(struct file *fork, const struct file *source, struct chance *chance)
{
    bool whole = chance_one_in(chance, 3);
    int leaf = chance_below(chance, (int)source->count);
    fork->count = 0;
    for (int i = 0; i <= leaf; i++) {
        if (!whole && !on_path(source, leaf, i)) {
            continue;
        }
        struct line *line = &fork->lines[fork->count++];
        *line = source->lines[i];
        if (chance_one_in(chance, 25)) {
            make_line(line, chance, "e", i, chance_one_in(chance, 2) ? line->parent : -1);
        }
        if (chance_one_in(chance, 40)) {
            snprintf(fork->lines[fork->count++].text, LINE_MAX_BYTES, "junk");
        }
        if (chance_one_in(chance, 40) && fork->count > 1) {
            fork->lines[fork->count] = fork->lines[chance_below(chance, (int)fork->count)];
            fork->count++;
        }
    }
    int own = chance_below(chance, 8);
    for (int i = 0; i < own; i++) {
        make_line(&fork->lines[fork->count++], chance, "e", 100 + i, i > 0 && chance_one_in(chance, 2) ? 99 + i : leaf);
    }
}

static void write_file(struct sandbox *sandbox, const char *name, const char *header, const struct file *file,
                       size_t count)
{
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_base__buffer_add_text(&text, header), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(xylem_base__buffer_add_format(&text, "%s\n", file->lines[i].text), 0);
    }
    sandbox_write(sandbox, name, text.data, text.bytes);
    xylem_buffer_release(&text);
}

/* Its entries in the order of their lsns, its labels and its name. */
static void describe_session(struct xylem_buffer *out, struct xylem_txn *txn, uint64_t session)
{
    struct xylem_scan *scan;
    struct xylem_entry entry;
    struct xylem_labels labels;
    assert_int_equal(xylem_scan_new(&scan, txn, session, NULL), XYLEM_OK);
    while (xylem_scan_next(&entry, scan, NULL) == 1) {
        assert_int_equal(xylem_base__buffer_add_format(out, "%.*s\n", (int)entry.id.bytes, entry.id.data), 0);
    }
    xylem_scan_free(scan);
    assert_int_equal(xylem_labels_read(&labels, txn, session, NULL), XYLEM_OK);
    for (size_t i = 0; i < labels.label_count; i++) {
        assert_int_equal(xylem_base__buffer_add_format(out, "label %.*s %.*s\n", (int)labels.labels[i].target_id.bytes,
                                                       labels.labels[i].target_id.data,
                                                       (int)labels.labels[i].text.bytes, labels.labels[i].text.data),
                         0);
    }
    assert_int_equal(xylem_base__buffer_add_format(out, "name %.*s\n", (int)labels.name.bytes,
                                                   labels.name.data ? labels.name.data : ""),
                     0);
    xylem_labels_release(&labels);
}

/* What can be asked of session `s`, but for what sharing is meant to change: as one text. */
static void describe(struct xylem_buffer *out, struct sandbox *sandbox)
{
    struct xylem_session session;
    struct xylem_entry entry;
    struct xylem_walk *walk;
    sandbox_export_of(out, sandbox, "s", true);
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_walk_new(&walk, txn, session.leaf, NULL), XYLEM_OK);
    while (xylem_walk_next(&entry, walk, NULL) == 1) {
        assert_int_equal(xylem_base__buffer_add_format(out, "%.*s %llx\n", (int)entry.id.bytes, entry.id.data,
                                                       (unsigned long long)entry.check),
                         0);
    }
    xylem_walk_free(walk);
    describe_session(out, txn, session.number);
    xylem_abort(txn);
    const struct xylem_import_report *report = &sandbox->report;
    for (size_t i = 0; i < report->problem_count; i++) {
        const struct xylem_import_problem *problem = &report->problems[i];
        assert_int_equal(xylem_base__buffer_add_format(out, "%s %llu %.*s\n", xylem_import_problem_word(problem->type),
                                                       (unsigned long long)problem->line, (int)problem->entry_id.bytes,
                                                       problem->entry_id.data ? problem->entry_id.data : ""),
                         0);
    }
    assert_int_equal(xylem_base__buffer_add_format(out, "%llu %llu\n",
                                                   (unsigned long long)(report->shared_count + report->added_count),
                                                   (unsigned long long)report->quarantined_count),
                     0);
}

/* Imports what a file has so far, perhaps with a break. */
static void import_file(struct sandbox *sandbox, const char *name, bool share_nothing, int batches)
{
    if (batches > 0) {
        int left = batches;
        sandbox->options = (struct xylem_import_options){
            .batch_bytes = 100, .progress = sandbox_stop, .context = &left, .share_nothing = share_nothing};
        int code = sandbox_try(sandbox, name);
        assert_true(code == XYLEM_OK || code == XYLEM_E_STOPPED);
    }
    sandbox->options = (struct xylem_import_options){.share_nothing = share_nothing};
    sandbox_import(sandbox, name);
}

static int compare_lines(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Entries that have vanished come in the order of their lsns, and that is what sharing changes. */
static void sort_lines(struct xylem_buffer *text)
{
    char *lines[LINES_MAX];
    size_t count = 0;
    struct xylem_buffer sorted = {0};
    for (char *line = strtok(text->data, "\n"); line; line = strtok(NULL, "\n")) {
        assert_true(count < sizeof lines / sizeof *lines);
        lines[count++] = line;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(xylem_base__buffer_add_format(&sorted, "%s\n", lines[i]), 0);
    }
    xylem_buffer_release(text);
    *text = sorted;
}

static void compare_by_chance(uint64_t seed)
{
    struct chance chance = chance_of(seed);
    static struct file source;
    static struct file fork;
    struct xylem_buffer described[2] = {{0}, {0}};
    make_source(&source, &chance);
    make_fork(&fork, &source, &chance);
    int batches = chance_one_in(&chance, 2) ? 1 + chance_below(&chance, 20) : 0;
    size_t first = chance_one_in(&chance, 2) ? fork.count : (size_t)chance_below(&chance, (int)fork.count + 1);
    size_t last = chance_one_in(&chance, 4) ? (size_t)chance_below(&chance, (int)fork.count + 1) : fork.count;
    for (int apart = 0; apart < 2; apart++) {
        struct sandbox sandbox;
        sandbox_open(&sandbox);
        write_file(&sandbox, "source", SOURCE_HEADER, &source, source.count);
        sandbox_import(&sandbox, "source");
        write_file(&sandbox, "fork", FORK_HEADER, &fork, first);
        import_file(&sandbox, "fork", apart == 1, batches);
        if (batches == 0) { /* else the report is of what was left to do, and that depends on the batches */
            assert_is_file(&sandbox, "fork");
            describe(&described[apart], &sandbox);
        }
        write_file(&sandbox, "fork", FORK_HEADER, &fork, last); /* it grows, or it is cut */
        import_file(&sandbox, "fork", apart == 1, 0);
        struct xylem_buffer after = {0};
        describe(&after, &sandbox);
        if (last < first) {
            sort_lines(&after);
        }
        assert_int_equal(xylem_buffer_add(&described[apart], after.data, after.bytes), 0);
        xylem_buffer_release(&after);
        sandbox_close(&sandbox);
    }
    assert_same_bytes(described[0].data, described[0].bytes, described[1].data, described[1].bytes);
    xylem_buffer_release(&described[0]);
    xylem_buffer_release(&described[1]);
}

TEST(shared_or_not_a_session_is_the_same)
{
    const char *rounds = getenv("XYLEM_ROUNDS");
    uint64_t last = rounds ? strtoull(rounds, NULL, 10) : test_rounds(300);
    for (uint64_t seed = 1; seed <= last; seed++) {
        print_message("seed %d\n", (int)seed);
        compare_by_chance(seed);
    }
}
