/* Importing what another import, another file or the host has brought already: it is known, and nothing is lost. */
#include "tests/travel/jsonl/sandbox.h"

#include "tests/lib/chance.h"
#include "tests/lib/test.h"
#include "travel/jsonl/import.h"

#define ABC HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b")

static void assert_unchanged(struct sandbox *sandbox, const char *name)
{
    uint64_t rows = sandbox_rows(sandbox);
    sandbox_import(sandbox, name);
    assert_int_equal(sandbox->report.outcome, XYLEM_IMPORT_UNCHANGED);
    assert_int_equal(sandbox_rows(sandbox), rows);
}

/* Writes the session's export to a file. */
static void export_to(struct sandbox *sandbox, const char *name, bool with_quarantine)
{
    struct xylem_buffer out = {0};
    sandbox_export_of(&out, sandbox, "s", with_quarantine);
    sandbox_write(sandbox, name, out.data, out.bytes);
    xylem_buffer_release(&out);
}

/* The file is what the session's export gives. */
static void assert_is_export(struct sandbox *sandbox, const char *name)
{
    struct xylem_buffer file = {0};
    char path[512];
    sandbox_path(path, sandbox, name);
    sandbox_read_file(&file, path);
    assert_export(sandbox, true, file.data, file.bytes);
    xylem_buffer_release(&file);
}

TEST(an_export_over_the_file_that_was_imported_adds_nothing)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_append(&sandbox, "n", "{\"x\":1}");
    sandbox_append(&sandbox, "m", "[1]");
    export_to(&sandbox, "f", false);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 5, 0, 0);
    assert_ids(&sandbox, "a b c n m ", "m n c b a ");
    assert_is_export(&sandbox, "f");
    assert_unchanged(&sandbox, "f");
    sandbox_close(&sandbox);
}

/* The torn line stays last, behind what the host appended, so that it can still be completed. */
TEST(an_export_with_a_torn_line_can_come_back)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC "junk\n{\"type\":\"message\",\"id\":\"t\",\"pare");
    sandbox_append(&sandbox, "n", "{\"x\":1}");
    export_to(&sandbox, "f", true);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 4, 0, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_TORN, 7, false, "");
    assert_is_export(&sandbox, "f");
    assert_unchanged(&sandbox, "f");
    char path[512];
    sandbox_path(path, &sandbox, "f");
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    fputs("ntId\":\"n\"}\n", file);
    fclose(file);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 4, 0, 0);
    assert_ids(&sandbox, "a b c n t ", "t n c b a ");
    assert_is_export(&sandbox, "f");
    sandbox_close(&sandbox);
}

/* The same into a store that has nothing of it. */
TEST(an_export_with_a_torn_line_can_go_elsewhere)
{
    struct sandbox sandbox;
    struct sandbox other;
    struct xylem_buffer out = {0};
    sandbox_open(&sandbox);
    sandbox_open(&other);
    sandbox_take(&sandbox, "f", ABC "junk\n{\"torn");
    sandbox_append(&sandbox, "n", "{\"x\":1}");
    sandbox_export_of(&out, &sandbox, "s", true);
    sandbox_write(&other, "f", out.data, out.bytes);
    sandbox_import(&other, "f");
    assert_report(&other, XYLEM_IMPORT_NEW, 4, 0, 1, 2);
    assert_ids(&other, "a b c n ", "n c b a ");
    assert_export(&other, true, out.data, out.bytes);
    xylem_buffer_release(&out);
    sandbox_close(&sandbox);
    sandbox_close(&other);
}

TEST(a_file_may_grow_by_what_another_file_brought)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_take(&sandbox, "g", ABC CHILD("d", "c") CHILD("e", "d"));
    sandbox_take(&sandbox, "f", ABC CHILD("d", "c") CHILD("e", "d"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 5, 0, 0);
    assert_ids(&sandbox, "a b c d e ", "e d c b a ");
    assert_is_export(&sandbox, "f");
    assert_unchanged(&sandbox, "f");
    assert_unchanged(&sandbox, "g");
    sandbox_close(&sandbox);
}

/* What another file brought may come later in this one, and in another order. */
TEST(lines_keep_the_order_of_the_file_whoever_was_first)
{
    static const char all[] = ABC CHILD("d", "c") "junk\n" CHILD("y", "a") CHILD("x", "a") CHILD("e", "d");
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_take(&sandbox, "g", ABC CHILD("x", "a") CHILD("y", "a"));
    sandbox_take(&sandbox, "f", ABC CHILD("d", "c"));
    sandbox_take(&sandbox, "f", all);
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 6, 1, 1);
    assert_ids(&sandbox, "a b c x y d e ", "e d c b a ");
    assert_is_export(&sandbox, "f");
    assert_unchanged(&sandbox, "f");
    sandbox_close(&sandbox);
}

/* A file that only has what an older copy of another one has does not lead. */
TEST(what_is_known_does_not_move_the_leaf_back)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_take(&sandbox, "g", ABC CHILD("d", "c") CHILD("e", "d"));
    sandbox_take(&sandbox, "f", ABC CHILD("d", "c"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 4, 0, 0);
    assert_ids(&sandbox, "a b c d e ", "e d c b a ");
    sandbox_close(&sandbox);
}

/* Of two equal lines of what is new the last counts, also if the import stops between them. */
TEST(the_last_of_equal_lines_is_the_known_one)
{
    static const char twice[] = ABC CHILD("d", "c") CHILD("d", "c") CHILD("e", "d");
    for (int batches = 0; batches < 4; batches++) {
        struct sandbox sandbox;
        int left = batches;
        sandbox_open(&sandbox);
        sandbox_take(&sandbox, "f", ABC);
        sandbox_take(&sandbox, "g", ABC CHILD("d", "c"));
        sandbox_write_text(&sandbox, "f", twice);
        sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = sandbox_stop, .context = &left};
        assert_int_equal(sandbox_try(&sandbox, "f"), batches == 1 || batches == 2 ? XYLEM_E_STOPPED : XYLEM_OK);
        sandbox.options = (struct xylem_import_options){0};
        sandbox_import(&sandbox, "f");
        assert_ids(&sandbox, "a b c d e ", "e d c b a ");
        assert_export_text(&sandbox, true, twice);
        assert_unchanged(&sandbox, "f");
        sandbox_close(&sandbox);
    }
}

/* A line that was refused is no entry of the file: a later, equal one of what is known is. */
TEST(after_a_conflict_the_known_line_is_taken)
{
    static const char all[] = ABC ROOT("d") CHILD("d", "c");
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_take(&sandbox, "g", ABC CHILD("d", "c"));
    sandbox_take(&sandbox, "f", ABC ROOT("d"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 3, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 5, true, "d");
    sandbox_take(&sandbox, "f", all);
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 4, 0, 0);
    assert_export_text(&sandbox, true, all);
    assert_unchanged(&sandbox, "f");
    sandbox_close(&sandbox);
}

TEST(a_line_that_was_placed_before_its_turn_may_be_repeated)
{
    static const char first[] = ABC CHILD("e", "d") CHILD("d", "c");
    struct sandbox sandbox;
    char text[4096];
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", first);
    snprintf(text, sizeof text, "%s%s", first, CHILD("d", "c") ROOT("e") CHILD("f", "d"));
    sandbox_take(&sandbox, "f", text);
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 5, 2, 2);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_DUPLICATE, 7, true, "d");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_CONFLICT, 8, true, "e");
    assert_export_text(&sandbox, true, text);
    assert_unchanged(&sandbox, "f");
    sandbox_close(&sandbox);
}

/* The lines of displaced entries are kept for the first source only: another one finds them again. */
TEST(a_second_file_with_displaced_lines_can_be_stopped)
{
    for (int batches = 1; batches < 3; batches++) {
        struct sandbox sandbox;
        int left = batches;
        sandbox_open(&sandbox);
        sandbox_take(&sandbox, "f", ABC);
        sandbox_take(&sandbox, "g", ABC "\n");
        sandbox_write_text(&sandbox, "g", ABC "\n" CHILD("f", "e") CHILD("e", "d") CHILD("d", "c") CHILD("h", "d"));
        sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = sandbox_stop, .context = &left};
        assert_int_equal(sandbox_try(&sandbox, "g"), XYLEM_E_STOPPED);
        sandbox.options = (struct xylem_import_options){0};
        sandbox_import(&sandbox, "g");
        assert_int_equal(sandbox.report.quarantined_count, 0);
        assert_int_equal(sandbox.report.problem_count, 0);
        assert_ids(&sandbox, "a b c d e f h ", "h d c b a ");
        assert_unchanged(&sandbox, "g");
        sandbox_close(&sandbox);
    }
}

/* What was left to import holds no entry: the leaf still goes to where the import that was broken off came. */
TEST(the_leaf_follows_an_import_that_was_broken_off)
{
    int left = 2;
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_write_text(&sandbox, "f", ABC CHILD("d", "c") CHILD("e", "d") "junk\n");
    sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = sandbox_stop, .context = &left};
    assert_int_equal(sandbox_try(&sandbox, "f"), XYLEM_E_STOPPED);
    assert_ids(&sandbox, "a b c d e ", "c b a ");
    sandbox.options = (struct xylem_import_options){0};
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 5, 1, 1);
    assert_ids(&sandbox, "a b c d e ", "e d c b a ");
    sandbox_close(&sandbox);
}

/* The last entry of the file is then no line that was refused. */
TEST(a_refused_line_does_not_lead)
{
    int left = 2;
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_take(&sandbox, "g", ABC CHILD("d", "c"));
    sandbox_write_text(&sandbox, "f", ABC CHILD("e", "c") ROOT("d") "junk\n");
    sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = sandbox_stop, .context = &left};
    assert_int_equal(sandbox_try(&sandbox, "f"), XYLEM_E_STOPPED);
    sandbox.options = (struct xylem_import_options){0};
    sandbox_import(&sandbox, "f");
    assert_ids(&sandbox, "a b c d e ", "e c b a ");
    sandbox_close(&sandbox);
}

/* --- By chance --- */

#define ENTRIES 12

/*
 * A session whose lines two files get in chunks, each of which has the parents of its lines; within one, in any order.
 */
struct turns {
    struct chance chance;
    bool repeats;
    bool whole; /* every import reads the whole file */
    struct xylem_buffer told;
    int parents[ENTRIES]; /* of lower number; -1: a root */
    struct {
        const char *name;
        int entries; /* it has those of lower number */
        struct xylem_buffer text;
    } files[2];
};

static int below(struct turns *turns, int bound)
{
    return chance_below(&turns->chance, bound);
}

static void add_entry(struct turns *turns, int file, int number)
{
    char parent[16] = "null";
    if (turns->parents[number] >= 0) {
        snprintf(parent, sizeof parent, "\"i%d\"", turns->parents[number]);
    }
    assert_int_equal(xylem_base__buffer_add_format(&turns->files[file].text,
                                                   "{\"type\":\"x\",\"id\":\"i%d\",\"parentId\":%s,\"timestamp\":"
                                                   "\"2025-01-01T00:00:01.000Z\"}\n",
                                                   number, parent),
                     0);
}

/* The first file also gets junk, and lines that repeat what it has. */
static void grow(struct turns *turns, int file)
{
    int from = turns->files[file].entries;
    int to = from + below(turns, ENTRIES - from + 1);
    int order[ENTRIES];
    for (int i = from; i < to; i++) {
        order[i] = i;
    }
    for (int i = from; i < to; i++) {
        int other = i + below(turns, to - i);
        int number = order[other];
        order[other] = order[i];
        add_entry(turns, file, number);
        if (file == 0 && below(turns, 4) == 0) {
            struct xylem_buffer *text = &turns->files[file].text;
            assert_int_equal(xylem_base__buffer_add_format(text, "junk %zu\n", text->bytes), 0);
        }
        if (file == 0 && turns->repeats && below(turns, 6) == 0) {
            add_entry(turns, file, below(turns, to));
        }
    }
    turns->files[file].entries = to;
}

static void import_by_turns(struct sandbox *sandbox, struct turns *turns, int file)
{
    const struct xylem_buffer *text = &turns->files[file].text;
    int left = below(turns, 6);
    sandbox_write(sandbox, turns->files[file].name, text->data, text->bytes);
    if (left > 0) {
        sandbox->options = (struct xylem_import_options){
            .batch_bytes = 1 + (uint64_t)below(turns, 300), .progress = sandbox_stop, .context = &left};
        sandbox->options.whole = turns->whole;
        int code = sandbox_try(sandbox, turns->files[file].name);
        assert_true(code == XYLEM_OK || code == XYLEM_E_STOPPED);
    }
    sandbox->options = (struct xylem_import_options){.whole = turns->whole};
    sandbox_import(sandbox, turns->files[file].name);
    const struct xylem_import_report *report = &sandbox->report;
    assert_int_equal(
        xylem_base__buffer_add_format(&turns->told, "%d: %d added %d matched %d quarantined %d lines %d leaf %d\n",
                                      (int)report->outcome, (int)report->added_count, (int)report->matched_count,
                                      (int)report->quarantined_count, (int)report->line_count,
                                      (int)report->problem_count, report->leaf_stayed),
        0);
    assert_unchanged(sandbox, turns->files[file].name);
}

/* Adds the reports, and the entries of the session. */
static void take_turns(struct xylem_buffer *told, uint64_t seed, bool whole)
{
    struct sandbox sandbox;
    struct turns turns = {
        .chance = chance_of(seed), .repeats = seed % 2 == 0, .whole = whole, .files = {{.name = "f"}, {.name = "g"}}};
    sandbox_open(&sandbox);
    for (int i = 0; i < ENTRIES; i++) {
        turns.parents[i] = i > 0 && below(&turns, 8) > 0 ? i - 1 - below(&turns, i < 3 ? i : 3) : -1;
    }
    for (int file = 0; file < 2; file++) {
        assert_int_equal(xylem_base__buffer_add_text(&turns.files[file].text, HEADER), 0);
    }
    import_by_turns(&sandbox, &turns, 0);
    while (turns.files[0].entries < ENTRIES || turns.files[1].entries < ENTRIES) {
        int file = below(&turns, 2);
        grow(&turns, file);
        import_by_turns(&sandbox, &turns, file);
    }
    assert_is_export(&sandbox, "f");
    if (!turns.repeats) {
        sandbox_take(&sandbox, "f", HEADER "\n"); /* it changes as a whole, and back */
        sandbox_write(&sandbox, "f", turns.files[0].text.data, turns.files[0].text.bytes);
        sandbox_import(&sandbox, "f");
        assert_int_equal(sandbox.report.matched_count, ENTRIES);
    }
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    struct xylem_session session;
    struct xylem_scan *scan;
    struct xylem_entry entry;
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_scan_new(&scan, txn, number, NULL), XYLEM_OK);
    while (xylem_scan_next(&entry, scan, NULL) == 1) {
        assert_int_equal(xylem_base__buffer_add_format(&turns.told, "lsn %d: %d.%d, %016llx\n", (int)entry.lsn,
                                                       (int)entry.position.branch, (int)entry.position.depth,
                                                       (unsigned long long)entry.check),
                         0);
    }
    xylem_scan_free(scan);
    assert_int_equal(
        xylem_base__buffer_add_format(&turns.told, "leaf %d.%d", (int)session.leaf.branch, (int)session.leaf.depth), 0);
    xylem_abort(txn);
    *told = turns.told;
    xylem_buffer_release(&turns.files[0].text);
    xylem_buffer_release(&turns.files[1].text);
    sandbox_close(&sandbox);
}

TEST(files_that_grow_by_turns_keep_their_order)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct xylem_buffer tail;
        struct xylem_buffer whole;
        print_message("seed %d\n", (int)seed);
        take_turns(&tail, seed, false);
        take_turns(&whole, seed, true);
        assert_same_bytes(tail.data, tail.bytes, whole.data, whole.bytes);
        xylem_buffer_release(&tail);
        xylem_buffer_release(&whole);
    }
}

/* --- Lines that were placed before their turn --- */

#define BROKEN_OFF HEADER CHILD("x", "z") CHILD("y", "q")

/*
 * Breaks an import off after two batches, when `z` and `q` have been placed for the sake of `x` and `y`, and goes on
 * with other lines in their places.
 */
static void break_off_and_change(struct sandbox *sandbox, const char *last_lines)
{
    char text[2048];
    int left = 2;
    sandbox_open(sandbox);
    sandbox_write_text(sandbox, "f", BROKEN_OFF ROOT("z") ROOT("q") ROOT("t"));
    sandbox->options = (struct xylem_import_options){.batch_bytes = 1, .progress = sandbox_stop, .context = &left};
    assert_int_equal(sandbox_try(sandbox, "f"), XYLEM_E_STOPPED);
    assert_int_equal(sandbox->report.added_count, 4);
    sandbox->options = (struct xylem_import_options){0};
    snprintf(text, sizeof text, "%s%s", BROKEN_OFF, last_lines);
    sandbox_take(sandbox, "f", text);
}

TEST(a_line_placed_ahead_that_is_another_now_is_not_taken_for_it)
{
    struct sandbox sandbox;
    break_off_and_change(&sandbox, ROOT("z") ROOT("w") CHILD("v", "w"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 2, 3, 0, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_VANISHED, 0, false,
                   "q"); /* no line has the id; `y` has its parent still */
    assert_ids(&sandbox, "z x q y w v ", "v w ");
    assert_export_text(&sandbox, true, BROKEN_OFF ROOT("z") ROOT("w") CHILD("v", "w") ROOT("q"));
    assert_unchanged(&sandbox, "f");
    sandbox_close(&sandbox);
}

TEST(lines_placed_ahead_that_change_places_keep_their_order)
{
    struct sandbox sandbox;
    break_off_and_change(&sandbox, ROOT("q") ROOT("z") ROOT("t"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 1, 4, 0, 0);
    assert_export_text(&sandbox, true, BROKEN_OFF ROOT("q") ROOT("z") ROOT("t"));
    assert_unchanged(&sandbox, "f");
    sandbox_close(&sandbox);
}

TEST(a_line_placed_ahead_that_is_gone_is_kept)
{
    struct sandbox sandbox;
    break_off_and_change(&sandbox, ROOT("z"));
    assert_int_equal(sandbox.report.problem_count, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_VANISHED, 0, false, "q");
    assert_export_text(&sandbox, true, BROKEN_OFF ROOT("z") ROOT("q"));
    assert_unchanged(&sandbox, "f");
    sandbox_close(&sandbox);
}

TEST(a_line_placed_ahead_that_is_damaged_now_goes_to_quarantine)
{
    struct sandbox sandbox;
    break_off_and_change(&sandbox, "junk\n" ROOT("q") ROOT("z"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 0, 4, 1, 1);
    assert_export_text(&sandbox, true, BROKEN_OFF "junk\n" ROOT("q") ROOT("z"));
    assert_unchanged(&sandbox, "f");
    sandbox_close(&sandbox);
}

TEST(a_line_placed_ahead_that_is_the_same_still_is_not_placed_again)
{
    struct sandbox sandbox;
    break_off_and_change(&sandbox, ROOT("z") ROOT("q") CHILD("w", "z") ROOT("z"));
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 1, 4, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_DUPLICATE, 7, true, "z");
    assert_export_text(&sandbox, true, BROKEN_OFF ROOT("z") ROOT("q") CHILD("w", "z") ROOT("z"));
    assert_unchanged(&sandbox, "f");
    sandbox_close(&sandbox);
}

/* --- What vanished --- */

TEST(of_two_files_it_cannot_be_said_what_vanished)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_take(&sandbox, "g", ABC CHILD("d", "c") CHILD("e", "d"));
    sandbox_take(&sandbox, "f", HEADER ROOT("a") ROOT("b") CHILD("c", "b"));
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 0, 2, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 3, true, "b");
    sandbox_take(&sandbox, "g", HEADER ROOT("a"));
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 0, 1, 0, 0);
    sandbox_close(&sandbox);
}

TEST(a_file_replaced_by_a_shorter_one_is_matched)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC CHILD("d", "c"));
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a"));
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 0, 2, 0, 2);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_VANISHED, 0, false, "c");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_VANISHED, 0, false, "d");
    assert_ids(&sandbox, "a b c d ", "b a ");
    assert_unchanged(&sandbox, "f");
    sandbox_take(&sandbox, "f", ABC CHILD("d", "c")); /* and back */
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 4, 0, 0);
    assert_ids(&sandbox, "a b c d ", "d c b a ");
    assert_is_export(&sandbox, "f");
    sandbox_close(&sandbox);
}

/* What a fork shares with its source was in the source's file. */
TEST(a_forks_file_need_not_have_what_the_fork_shares)
{
    static const char fork_header[] = "{\"type\":\"session\",\"version\":3,\"id\":\"fork\"}\n";
    struct sandbox sandbox;
    char text[2048];
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    struct xylem_session session;
    struct xylem_session fork;
    struct xylem_session_options options = {.id = xylem_view_of("fork")};
    sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_fork(&fork, txn, session.number, session.leaf, XYLEM_FORK_AT, &options, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    snprintf(text, sizeof text, "%s%s", fork_header, ROOT("q") CHILD("r", "q"));
    sandbox_take(&sandbox, "fork", text);
    snprintf(text, sizeof text, "%s\n%s", fork_header, ROOT("q"));
    sandbox_take(&sandbox, "fork", text);
    assert_int_equal(sandbox.report.problem_count, 3);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_HEADER, 1, true, "");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_BLANK, 2, true, "");
    assert_problem(&sandbox, 2, XYLEM_IMPORT_VANISHED, 0, false, "r");
    sandbox_close(&sandbox);
}

/* --- The file itself --- */

TEST(a_link_to_the_file_is_the_same_source)
{
    struct sandbox sandbox;
    char path[512];
    char link[512];
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "f", ABC);
    sandbox_path(path, &sandbox, "f");
    sandbox_path(link, &sandbox, "link");
    assert_int_equal(symlink(path, link), 0);
    assert_unchanged(&sandbox, "link");
    sandbox_write_text(&sandbox, "f", ABC CHILD("d", "c"));
    sandbox_import(&sandbox, "link");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 3, 0, 0);
    assert_unchanged(&sandbox, "f");
    sandbox_close(&sandbox);
}

/* A host appends to the file while it is imported. */
static int add_a_line(void *context, const struct xylem_import_progress *progress)
{
    int *added = context;
    if (++*added <= 3) {
        FILE *file = fopen(progress->path, "ab");
        assert_non_null(file);
        fprintf(file, "{\"type\":\"message\",\"id\":\"x%d\",\"parentId\":\"c\"}%s", *added, *added < 3 ? "\n" : "");
        fclose(file);
    }
    return 0;
}

TEST(what_is_written_meanwhile_is_for_the_next_import)
{
    int added = 0;
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_write_text(&sandbox, "f", ABC);
    sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = add_a_line, .context = &added};
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 3, 0, 0, 0);
    assert_int_equal(sandbox.report.file_bytes, strlen(ABC));
    assert_ids(&sandbox, "a b c ", "c b a ");
    sandbox.options = (struct xylem_import_options){0};
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 3, 3, 0, 0);
    assert_is_export(&sandbox, "f");
    sandbox_close(&sandbox);
}

/* --- Many displaced lines --- */

static void backwards(struct xylem_buffer *text, int lines)
{
    assert_int_equal(xylem_base__buffer_add_text(text, HEADER), 0);
    for (int i = lines - 1; i >= 0; i--) {
        char parent[32] = "null";
        if (i > 0) {
            snprintf(parent, sizeof parent, "\"i%d\"", i - 1);
        }
        assert_int_equal(
            xylem_base__buffer_add_format(text, "{\"type\":\"x\",\"id\":\"i%d\",\"parentId\":%s}\n", i, parent), 0);
    }
}

static int count_batches(void *context, const struct xylem_import_progress *progress)
{
    (void)progress;
    ++*(int *)context;
    return 0;
}

/* Their list is written with each batch: batches grow with it, so that all of that together stays in bounds. */
TEST(a_batch_is_no_smaller_than_the_list_of_displaced_lines)
{
    int batches = 0;
    struct sandbox sandbox;
    struct xylem_buffer text = {0};
    sandbox_open(&sandbox);
    backwards(&text, 4000);
    sandbox_write(&sandbox, "f", text.data, text.bytes);
    sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = count_batches, .context = &batches};
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 4000, 0, 0, 0);
    assert_in_range(batches, 10, 200);
    assert_is_export(&sandbox, "f");
    xylem_buffer_release(&text);
    sandbox_close(&sandbox);
}

/* A batch may fail when its list was brought into the order of lsns already. */
TEST(of_a_sorted_list_a_batch_is_taken_back)
{
    static const uint64_t noted[][2] = {{9, 2}, {5, 3}, {7, 6}, {6, 4}, {8, 5}}; /* the last two in the batch */
    struct sandbox sandbox;
    char path[512];
    struct xylem_jsonl__reader *reader = calloc(1, sizeof *reader);
    struct xylem_jsonl__placing placing = {.reader = reader, .gives_order = true, .progress = {.cursor = 2}};
    assert_non_null(reader);
    sandbox_open(&sandbox);
    sandbox_write_text(&sandbox, "f", ABC CHILD("d", "c") CHILD("e", "d"));
    sandbox_path(path, &sandbox, "f");
    assert_int_equal(xylem_jsonl__file_open(&reader->file, path, NULL), XYLEM_OK);
    reader->index = (struct xylem_jsonl__index){.file = &reader->file,
                                                .version = 3,
                                                .first_line = 2,
                                                .hash = xylem_format__hash,
                                                .first_offset = strlen(HEADER)};
    assert_int_equal(xylem_jsonl__index_build(&reader->index, NULL), XYLEM_OK);
    xylem_jsonl__index_row(&reader->index, 4)->state |= XYLEM_JSONL__AHEAD;
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(xylem_jsonl__note_lsn(&placing, noted[i][0], noted[i][1], true, NULL), XYLEM_OK);
    }
    xylem_jsonl__sort_lsns(&placing.displaced);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(placing.displaced.items[i].lsn, 5 + i);
    }
    xylem_jsonl__forget_lsns(&placing);
    assert_int_equal(placing.displaced.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(placing.displaced.items[i].lsn, 5 + 2 * i);
    }
    xylem_jsonl__placing_release(&placing);
    xylem_jsonl__reader_release(reader);
    free(reader);
    sandbox_close(&sandbox);
}

/* A map that is full takes a batch back, and what was noted in it. */
TEST(displaced_lines_outlive_a_full_map)
{
    enum { MAP_BYTES = 1048576 };
    int most = (int)(4000 + test_rounds(16000)); /* with 8000 lines the map is full once, with 16000 twice */
    bool was_full = false;
    for (int lines = 1000; lines <= most; lines = lines * 2) {
        struct sandbox sandbox;
        struct xylem_buffer text = {0};
        sandbox_open(&sandbox);
        assert_int_equal(xylem_close(sandbox.store, NULL), XYLEM_OK);
        char path[512];
        sandbox_path(path, &sandbox, "store");
        test_directory_remove(path);
        sandbox_open_store(&sandbox, MAP_BYTES);
        backwards(&text, lines);
        sandbox_write(&sandbox, "f", text.data, text.bytes);
        sandbox_import(&sandbox, "f");
        assert_is_export(&sandbox, "f");
        for (int more = 0; more < 3; more++) { /* each blank line makes another file of it */
            assert_int_equal(xylem_base__buffer_add_text(&text, "\n"), 0);
            memmove(text.data + strlen(HEADER) + 1, text.data + strlen(HEADER), text.bytes - strlen(HEADER) - 1);
            text.data[strlen(HEADER)] = '\n';
            sandbox_write(&sandbox, "f", text.data, text.bytes);
            sandbox.options.batch_bytes = (uint64_t)more * 40000;
            sandbox_import(&sandbox, "f");
            assert_int_equal(sandbox.report.matched_count, lines);
            assert_is_export(&sandbox, "f");
        }
        struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
        struct xylem_stat stat;
        assert_int_equal(xylem_stat_read(&stat, txn, NULL), XYLEM_OK);
        xylem_abort(txn);
        was_full = was_full || stat.map_bytes > MAP_BYTES;
        xylem_buffer_release(&text);
        sandbox_close(&sandbox);
    }
    assert_true(was_full);
}

/* --- The report --- */

TEST(every_problem_is_reported_with_its_id)
{
    struct sandbox sandbox;
    struct xylem_buffer text = {0};
    sandbox_open(&sandbox);
    assert_int_equal(xylem_base__buffer_add_text(&text, HEADER), 0);
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(xylem_base__buffer_add_format(&text,
                                                       "%s{\"type\":\"x\",\"id\":\"%0*d\",\"parentId\":\"gone\"}\n",
                                                       i % 3 ? "" : "\n", 1 + i % (int)XYLEM_ENTRY_ID_BYTES_MAX, i),
                         0);
    }
    sandbox_write(&sandbox, "f", text.data, text.bytes);
    sandbox_import(&sandbox, "f");
    assert_int_equal(sandbox.report.problem_count, 4000);
    uint64_t line = 1;
    size_t at = 0;
    for (int i = 0; i < 3000; i++) {
        char id[XYLEM_ENTRY_ID_BYTES_MAX + 1];
        snprintf(id, sizeof id, "%0*d", 1 + i % (int)XYLEM_ENTRY_ID_BYTES_MAX, i);
        if (i % 3 == 0) {
            assert_problem(&sandbox, at, XYLEM_IMPORT_BLANK, ++line, true, "");
            assert_null(sandbox.report.problems[at++].entry_id.data);
        }
        assert_problem(&sandbox, at++, XYLEM_IMPORT_ORPHAN, ++line, false, id);
    }
    assert_true(sizeof(struct xylem_import_problem) <= 48);
    xylem_buffer_release(&text);
    sandbox_close(&sandbox);
}
