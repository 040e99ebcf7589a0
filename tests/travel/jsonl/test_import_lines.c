/* Lines that a host holds in memory: they become what the file of these lines becomes. */
#include "tests/travel/jsonl/sandbox.h"

#include "tests/lib/chance.h"
#include "tests/lib/test.h"
#include "xylem/lease.h"
#include "xylem/redact.h"

#define LINES_MAX 64

/* Splits a text into a header and lines. The last newline may be missing. */
static struct xylem_held_lines held_of(struct xylem_view lines[LINES_MAX], const char *text)
{
    struct xylem_held_lines held = {.lines = lines};
    for (const char *at = text; *at;) {
        size_t bytes = strcspn(at, "\n");
        struct xylem_view line = {at, bytes};
        if (!held.header.data) {
            held.header = line;
        } else {
            assert_true(held.line_count < LINES_MAX);
            lines[held.line_count++] = line;
        }
        at += bytes + (at[bytes] != '\0');
    }
    return held;
}

static int try_held(struct sandbox *sandbox, const struct xylem_held_lines *held)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    xylem_import_report_release(&sandbox->report);
    memset(&sandbox->err, 0, sizeof sandbox->err);
    int code = xylem_import_lines(&sandbox->report, txn, held, &sandbox->options, &sandbox->err);
    if (code < 0) {
        xylem_abort(txn);
        return code;
    }
    assert_int_equal(xylem_commit(txn, &sandbox->err), XYLEM_OK);
    return code;
}

static void take_held(struct sandbox *sandbox, const struct xylem_held_lines *held)
{
    if (try_held(sandbox, held) < 0) {
        fail_msg("%s", sandbox->err.text);
    }
}

/* Hands over the lines of the text, all at once. */
static void take_lines(struct sandbox *sandbox, const char *text)
{
    struct xylem_view lines[LINES_MAX];
    struct xylem_held_lines held = held_of(lines, text);
    take_held(sandbox, &held);
}

TEST(lines_become_the_session_of_their_file)
{
    static const char text[] = HEADER ROOT("a") CHILD("b", "a") CHILD("c", "a") CHILD("d", "c");
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    take_lines(&sandbox, text);
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 4, 0, 0, 0);
    assert_string_equal(sandbox.report.session_id, "s");
    assert_int_equal(sandbox.report.line_count, 5);
    assert_ids(&sandbox, "a b c d ", "d c a ");
    assert_export_text(&sandbox, true, text);
    take_lines(&sandbox, text);
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 4, 0, 0);
    sandbox_take(&sandbox, "f", text);
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 0, 4, 0, 0);
    assert_export_text(&sandbox, true, text);
    sandbox_close(&sandbox);
}

/* The next lines of a session, after the given number of lines. */
static void take_next(struct sandbox *sandbox, uint64_t first_line, const char *line)
{
    struct xylem_view lines[LINES_MAX];
    struct xylem_held_lines held = held_of(lines, HEADER);
    lines[0] = xylem_view_of(line);
    held.line_count = 1;
    held.first_line = first_line;
    take_held(sandbox, &held);
}

TEST(a_report_is_json)
{
    struct sandbox sandbox;
    struct xylem_buffer text = {0};
    sandbox_open(&sandbox);
    take_lines(&sandbox, HEADER ROOT("a") "junk\n" CHILD("\\u00e9\\n", "nobody"));
    assert_int_equal(xylem_import_report_json(&text, &sandbox.report), XYLEM_OK);
    static const char expected[] =
        "\"session\":\"s\",\"outcome\":\"new\",\"file_version\":3,\"line_count\":4,\"bytes\":328,\"added\":2,"
        "\"shared\":0,"
        "\"shared_bytes\":0,\"source\":null,\"source_outcome\":\"none\",\"matched\":0,\"quarantined_lines\":1,\"kept_"
        "lines\":"
        "1,"
        "\"unconsumed_bytes\":0,\"leaf_stayed\":false,\"problems\":[{\"type\":\"not-json\",\"line\":3,\"offset\":199,"
        "\"entry\":null,\"quarantined\":true,\"text\":\"the line is not a JSON "
        "object\"},{\"type\":\"orphan\",\"line\":4,"
        "\"offset\":204,\"entry\":\"\xc3\xa9\\n\",\"quarantined\":false,\"text\":\"no line has the id of the entry's "
        "parent: placed as a root\"}]";
    assert_same_bytes(text.data, text.bytes, expected, strlen(expected));
    xylem_base__buffer_clear(&text);
    struct xylem_held_lines held = {.line_count = 0};
    assert_int_equal(try_held(&sandbox, &held), XYLEM_E_ARGUMENT);
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_FAILED);
    assert_int_equal(xylem_import_report_json(&text, &sandbox.report), XYLEM_OK);
    assert_true(strncmp(text.data, "\"session\":null,\"outcome\":\"failed\",", 33) == 0);
    assert_string_equal(xylem_import_outcome_word((enum xylem_import_outcome)99), "unknown");
    xylem_buffer_release(&text);
    sandbox_close(&sandbox);
}

TEST(a_line_finds_its_parent_in_the_session)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    take_lines(&sandbox, HEADER ROOT("a") CHILD("b", "a"));
    take_next(&sandbox, 4, CHILD_LINE("c", "b"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 0, 0, 0);
    take_next(&sandbox, 5, CHILD_LINE("d", "a")); /* not below the leaf */
    assert_ids(&sandbox, "a b c d ", "d a ");
    take_next(&sandbox, 6, CHILD_LINE("e", "nowhere"));
    assert_problem(&sandbox, 0, XYLEM_IMPORT_ORPHAN, 6, false, "e");
    assert_ids(&sandbox, "a b c d e ", "e ");
    sandbox_close(&sandbox);
}

TEST(hostile_lines_go_to_quarantine_with_their_numbers_and_their_source)
{
    struct sandbox sandbox;
    struct xylem_view lines[LINES_MAX];
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined row;
    struct xylem_held_lines held =
        held_of(lines, HEADER "junk\n[]\n{\"type\":\"message\"}\n{\"id\":\"x\"}\n{\"type\":1,\"id\":\"x\"}\n"
                              "{\"type\":\"message\",\"id\":7}\n \n" ROOT("a") ROOT("a") HEADER CHILD("c", "a"));
    static const struct {
        enum xylem_import_problem_type type;
        uint64_t line;
        const char *id;
    } expected[] = {{XYLEM_IMPORT_NOT_JSON, 20, ""},   {XYLEM_IMPORT_NOT_JSON, 21, ""},   {XYLEM_IMPORT_NO_ID, 22, ""},
                    {XYLEM_IMPORT_NO_TYPE, 23, ""},    {XYLEM_IMPORT_NO_TYPE, 24, ""},    {XYLEM_IMPORT_NO_ID, 25, ""},
                    {XYLEM_IMPORT_BLANK, 26, ""},      {XYLEM_IMPORT_DUPLICATE, 27, "a"}, {XYLEM_IMPORT_HEADER, 29, ""},
                    {XYLEM_IMPORT_NUL_PADDING, 31, ""}};
    size_t count = sizeof expected / sizeof *expected;
    sandbox_open(&sandbox);
    lines[held.line_count++] = (struct xylem_view){"\0\0\0", 3};
    held.first_line = 20;
    held.source_name = xylem_view_of("pi");
    take_held(&sandbox, &held);
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 2, 0, count, count);
    for (size_t i = 0; i < count; i++) {
        assert_problem(&sandbox, i, expected[i].type, expected[i].line, true, expected[i].id);
    }
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    assert_int_equal(xylem_quarantine_new(&quarantine, txn, sandbox.report.session, NULL), XYLEM_OK);
    assert_int_equal(xylem_quarantine_next(&row, quarantine, NULL), 1);
    assert_int_equal(row.line, 20);
    assert_same_bytes(row.source.data, row.source.bytes, "pi", 2);
    assert_same_bytes(row.raw.data, row.raw.bytes, "junk\n", 5);
    xylem_quarantine_free(quarantine);
    xylem_abort(txn);
    take_held(&sandbox, &held);
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 2, 0, count);
    sandbox_close(&sandbox);
}

TEST(other_bytes_of_a_known_id_are_a_conflict)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    take_lines(&sandbox, HEADER ROOT("a") CHILD("b", "a"));
    take_next(&sandbox, 4, "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"other\":1}");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 0, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 4, true, "b");
    take_next(&sandbox, 5, ROOT_LINE("b")); /* another parent */
    assert_problem(&sandbox, 0, XYLEM_IMPORT_CONFLICT, 5, true, "b");
    assert_ids(&sandbox, "a b ", "b a ");
    sandbox_close(&sandbox);
}

TEST(another_header_is_a_problem_and_the_lines_come_in)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    take_lines(&sandbox, HEADER ROOT("a"));
    take_lines(&sandbox, "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"x\":1}\n" CHILD("b", "a"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 0, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_HEADER, 1, true, "");
    /* A header in other words, whose id only a parser finds. */
    take_lines(&sandbox, "{\"id\":\"x\",\"version\":3,\"type\":\"session\",\"id\":\"s\"}\n" CHILD("c", "b"));
    assert_problem(&sandbox, 0, XYLEM_IMPORT_HEADER, 1, true, "");
    assert_ids(&sandbox, "a b c ", "c b a ");
    sandbox_close(&sandbox);
}

/* A header kept as it stands names the session by its last id. */
TEST(a_header_with_two_ids_names_the_same_session_each_time)
{
    static const char text[] = "{\"type\":\"session\",\"version\":3,\"id\":\"t\",\"id\":\"s\"}\n" ROOT("a");
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    take_lines(&sandbox, "{\"type\":\"session\",\"version\":3,\"id\":\"t\"}\n" ROOT("z"));
    take_lines(&sandbox, text);
    assert_string_equal(sandbox.report.session_id, "s");
    take_lines(&sandbox, text);
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 1, 0, 0);
    assert_string_equal(sandbox.report.session_id, "s");
    assert_ids(&sandbox, "a ", "a ");
    sandbox_close(&sandbox);
}

static uint64_t move_count(struct sandbox *sandbox, struct xylem_buffer *last_reason)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    struct xylem_session session;
    struct xylem_move move;
    sandbox_session(&session, txn, "s");
    xylem_base__buffer_clear(last_reason);
    if (session.move_count > 0) {
        assert_int_equal(xylem_move_read(&move, txn, session.number, session.move_count, NULL), XYLEM_OK);
        assert_int_equal(xylem_buffer_add(last_reason, move.reason.data, move.reason.bytes), 0);
    }
    uint64_t count = session.move_count;
    xylem_abort(txn);
    return count;
}

TEST(the_leaf_follows_the_lines_or_the_host)
{
    struct sandbox sandbox;
    struct xylem_view lines[LINES_MAX];
    struct xylem_buffer reason = {0};
    struct xylem_view leaf = xylem_view_of("a");
    struct xylem_held_lines held = held_of(lines, HEADER ROOT("a") CHILD("b", "a"));
    sandbox_open(&sandbox);
    held.leaf_id = &leaf;
    held.leaf_reason = xylem_view_of("pi");
    take_held(&sandbox, &held);
    assert_ids(&sandbox, "a b ", "a ");
    assert_int_equal(move_count(&sandbox, &reason), 1);
    assert_same_bytes(reason.data, reason.bytes, "pi", 2);
    take_held(&sandbox, &held); /* the leaf is there */
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_UNCHANGED);
    take_next(&sandbox, 4, CHILD_LINE("c", "a"));
    assert_ids(&sandbox, "a b c ", "c a ");
    assert_int_equal(move_count(&sandbox, &reason), 1);
    held.line_count = 0; /* the host went elsewhere, and wrote nothing */
    leaf = xylem_view_of("b");
    held.leaf_reason = (struct xylem_view){NULL, 0};
    take_held(&sandbox, &held);
    assert_ids(&sandbox, "a b c ", "b a ");
    assert_int_equal(move_count(&sandbox, &reason), 2);
    assert_same_bytes(reason.data, reason.bytes, "host", 4);
    leaf.bytes = 0;
    take_held(&sandbox, &held);
    assert_ids(&sandbox, "a b c ", "");
    held.leaf_id = NULL;
    take_held(&sandbox, &held); /* no line: the leaf stays */
    assert_ids(&sandbox, "a b c ", "");
    assert_int_equal(move_count(&sandbox, &reason), 3);
    xylem_buffer_release(&reason);
    sandbox_close(&sandbox);
}

/* A leaf that the lines moved is no leaf that a person moved: the file's growth moves it on. */
TEST(the_growth_of_the_file_goes_on_from_the_leaf_of_the_lines)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    take_lines(&sandbox, HEADER ROOT("a") CHILD("b", "a"));
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b"));
    assert_false(sandbox.report.leaf_stayed);
    assert_ids(&sandbox, "a b c ", "c b a ");
    take_next(&sandbox, 5, CHILD_LINE("d", "c"));
    sandbox_take(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b") CHILD("d", "c") CHILD("e", "d"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 4, 0, 0);
    assert_ids(&sandbox, "a b c d e ", "e d c b a ");
    sandbox_close(&sandbox);
}

TEST(a_fork_in_memory_shares_with_its_source)
{
    static const char fork[] = "{\"type\":\"session\",\"version\":3,\"id\":\"f\",\"parentSession\":\"/x/1_s.jsonl\"}\n";
    struct sandbox sandbox;
    struct xylem_view lines[LINES_MAX];
    struct xylem_held_lines held = held_of(lines, HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b") CHILD("n", "b"));
    sandbox_open(&sandbox);
    take_lines(&sandbox, HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b"));
    held.header = (struct xylem_view){fork, sizeof fork - 2};
    take_held(&sandbox, &held);
    assert_int_equal(sandbox.report.source, XYLEM_IMPORT_SOURCE_SHARED);
    assert_string_equal(sandbox.report.source_id, "s");
    assert_int_equal(sandbox.report.shared_count, 3);
    assert_int_equal(sandbox.report.added_count, 1);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    struct xylem_session session;
    struct xylem_entry leaf;
    sandbox_session(&session, txn, "f");
    assert_int_equal(xylem_entry_read(&leaf, txn, session.leaf, NULL), XYLEM_OK);
    assert_same_bytes(leaf.id.data, leaf.id.bytes, "n", 1);
    xylem_abort(txn);
    held.header = xylem_view_of("{\"type\":\"session\",\"version\":3,\"id\":\"g\",\"parentSession\":\"s\"}");
    held.line_count = 2; /* the fork has no entry of its own: its leaf is the last shared entry */
    take_held(&sandbox, &held);
    assert_int_equal(sandbox.report.shared_count, 2);
    txn = sandbox_begin(&sandbox, XYLEM_READ);
    sandbox_session(&session, txn, "g");
    assert_int_equal(xylem_entry_read(&leaf, txn, session.leaf, NULL), XYLEM_OK);
    assert_same_bytes(leaf.id.data, leaf.id.bytes, "b", 1);
    assert_int_equal(session.move_count, 0);
    xylem_abort(txn);
    held.header = xylem_view_of("{\"type\":\"session\",\"version\":3,\"id\":\"h\",\"parentSession\":\"s\"}");
    sandbox.options.share_nothing = true;
    take_held(&sandbox, &held);
    assert_int_equal(sandbox.report.source, XYLEM_IMPORT_SOURCE_UNUSED);
    assert_int_equal(sandbox.report.added_count, 2);
    sandbox_close(&sandbox);
}

/* A refusal leaves the transaction as it was: what was written before is committed, and nothing else. */
static void expect_refusal(struct sandbox *sandbox, const struct xylem_held_lines *held, int code, const char *words)
{
    struct xylem_import_report report;
    struct xylem_error err = {0};
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    struct xylem_session_options options = {.cwd = xylem_view_of("/")};
    struct xylem_session session;
    assert_int_equal(xylem_session_create(&session, txn, &options, &err), XYLEM_OK);
    uint64_t number = session.number;
    int got = xylem_import_lines(&report, txn, held, NULL, &err);
    if (got != code || !strstr(err.text, words)) {
        fail_msg("expected %d \"%s\", got %d \"%s\"", code, words, got, err.text);
    }
    xylem_import_report_release(&report);
    assert_int_equal(xylem_commit(txn, &err), XYLEM_OK);
    txn = sandbox_begin(sandbox, XYLEM_READ);
    assert_int_equal(xylem_session_read(&session, txn, number, &err), XYLEM_OK);
    xylem_abort(txn);
}

TEST(what_is_no_session_of_format_3_is_refused)
{
    struct sandbox sandbox;
    struct xylem_view lines[LINES_MAX];
    struct xylem_held_lines held = held_of(lines, HEADER ROOT("a") CHILD("b", "a"));
    static const struct {
        const char *header;
        const char *words;
    } headers[] = {
        {"", "a blank line"},
        {"junk", "not JSON"},
        {ROOT_LINE("a"), "a line of another type"},
        {"{\"type\":\"session\",\"version\":3}", "a header without an id"},
        {"{\"type\":\"session\",\"version\":3,\"id\":\"\"}", "a header without an id"},
        {"{\"type\":\"session\",\"version\":3,\"id\":\"a\\u0000b\"}", "NUL byte"},
        {"{\"type\":\"session\",\"version\":4,\"id\":\"s\"}", "expected format version 1, 2 or 3, found 4"},
        {"{\"type\":\"session\",\"version\":2,\"id\":\"s\"}", "expected format version 3 of lines in memory"},
        {"{\"type\":\"session\",\"id\":\"s\"}", "found 1"},
        {"{\"type\":\"session\",\n\"version\":3,\"id\":\"s\"}", "line 1: a newline inside of the line"}};
    sandbox_open(&sandbox);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        held.header = xylem_view_of(headers[i].header);
        expect_refusal(&sandbox, &held, XYLEM_E_MALFORMED, headers[i].words);
    }
    char long_id[300];
    snprintf(long_id, sizeof long_id, "{\"type\":\"session\",\"version\":3,\"id\":\"%0201d\"}", 0);
    held.header = xylem_view_of(long_id);
    expect_refusal(&sandbox, &held, XYLEM_E_MALFORMED, "an id of 1 to 200 bytes");
    held.header = (struct xylem_view){HEADER, strlen(HEADER) - 1};
    lines[1] = xylem_view_of("{\"type\":\"message\",\n\"id\":\"b\"}");
    held.first_line = 7;
    held.source_name = xylem_view_of("pi");
    expect_refusal(&sandbox, &held, XYLEM_E_MALFORMED, "pi: line 8: a newline inside of the line");
    held.source_name = (struct xylem_view){"a\0b", 3};
    expect_refusal(&sandbox, &held, XYLEM_E_ARGUMENT, "NUL byte");
    held.source_name.bytes = 0;
    held.first_line = 1;
    expect_refusal(&sandbox, &held, XYLEM_E_ARGUMENT, "lines behind the header");
    held.first_line = UINT64_MAX - 1; /* the second line has no number */
    lines[1] = xylem_view_of("{}");
    expect_refusal(&sandbox, &held, XYLEM_E_ARGUMENT, "too large");
    held.first_line = 0;
    lines[1] = (struct xylem_view){NULL, 2};
    expect_refusal(&sandbox, &held, XYLEM_E_ARGUMENT, "no bytes");
    lines[1].bytes = 0;
    const struct xylem_view no_bytes = {NULL, 1};
    held.leaf_id = &no_bytes;
    expect_refusal(&sandbox, &held, XYLEM_E_ARGUMENT, "no bytes");
    held.leaf_id = NULL;
    held.leaf_reason = no_bytes;
    expect_refusal(&sandbox, &held, XYLEM_E_ARGUMENT, "no bytes");
    held.leaf_reason.bytes = 0;
    held.source_name = no_bytes;
    expect_refusal(&sandbox, &held, XYLEM_E_ARGUMENT, "no bytes");
    held.source_name.bytes = 0;
    held.lines = NULL;
    expect_refusal(&sandbox, &held, XYLEM_E_ARGUMENT, "lines behind the header");
    held.header.data = NULL;
    expect_refusal(&sandbox, &held, XYLEM_E_ARGUMENT, "a header");
    expect_refusal(&sandbox, NULL, XYLEM_E_ARGUMENT, "a header");
    struct xylem_import_report report;
    assert_int_equal(xylem_import_lines(&report, NULL, &held, NULL, NULL), XYLEM_E_ARGUMENT);
    xylem_import_report_release(&report);
    sandbox_close(&sandbox);
}

TEST(a_leaf_that_is_no_entry_and_a_long_reason_are_refused)
{
    struct sandbox sandbox;
    struct xylem_view lines[LINES_MAX];
    char reason[XYLEM_REASON_BYTES_MAX + 1] = "";
    struct xylem_view leaf = xylem_view_of("c");
    struct xylem_held_lines held = held_of(lines, HEADER ROOT("a") CHILD("b", "a") "{\"id\":\"c\"}\n");
    sandbox_open(&sandbox);
    held.leaf_id = &leaf;
    expect_refusal(&sandbox, &held, XYLEM_E_NOT_FOUND, "the leaf c is no entry of the session s");
    take_lines(&sandbox, HEADER ROOT("a"));
    expect_refusal(&sandbox, &held, XYLEM_E_NOT_FOUND, "the leaf c is no entry of the session s");
    held.leaf_reason = (struct xylem_view){reason, sizeof reason};
    expect_refusal(&sandbox, &held, XYLEM_E_LIMIT, "257 bytes");
    assert_ids(&sandbox, "a ", "a ");
    sandbox_close(&sandbox);
}

TEST(a_session_that_cannot_be_written_is_refused)
{
    struct sandbox sandbox;
    struct xylem_view lines[LINES_MAX];
    struct xylem_held_lines held = held_of(lines, HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b"));
    struct xylem_store *other = NULL;
    struct xylem_lease *lease = NULL;
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    struct xylem_error err = {0};
    char path[512];
    int left = 1;
    sandbox_open(&sandbox);
    sandbox_write_text(&sandbox, "f", HEADER ROOT("a") CHILD("b", "a"));
    sandbox.options = (struct xylem_import_options){.batch_bytes = 1, .progress = sandbox_stop, .context = &left};
    assert_int_equal(sandbox_try(&sandbox, "f"), XYLEM_E_STOPPED);
    sandbox.options = (struct xylem_import_options){0};
    expect_refusal(&sandbox, &held, XYLEM_E_NOT_FOUND, "import of the session s has not finished");
    sandbox_import(&sandbox, "f");
    sandbox_path(path, &sandbox, "store");
    assert_int_equal(xylem_open(&other, path, &options, &err), XYLEM_OK);
    uint64_t number = sandbox.report.session;
    assert_int_equal(xylem_lease_take(&lease, other, number, &err), XYLEM_OK);
    expect_refusal(&sandbox, &held, XYLEM_E_CONFLICT, "");
    assert_int_equal(xylem_lease_release(lease, &err), XYLEM_OK);
    assert_int_equal(xylem_close(other, &err), XYLEM_OK);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    struct xylem_import_report report;
    assert_int_equal(xylem_import_lines(&report, txn, &held, NULL, &err), XYLEM_E_READ_ONLY);
    xylem_import_report_release(&report);
    xylem_abort(txn);
    take_held(&sandbox, &held);
    txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    assert_int_equal(xylem_session_delete(txn, number, &err), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, &err), XYLEM_OK);
    expect_refusal(&sandbox, &held, XYLEM_E_DELETED, "deleted");
    sandbox_close(&sandbox);
}

TEST(an_aborted_call_leaves_nothing)
{
    struct sandbox sandbox;
    struct xylem_view lines[LINES_MAX];
    struct xylem_held_lines held = held_of(lines, HEADER ROOT("a") "junk\n" CHILD("b", "a"));
    sandbox_open(&sandbox);
    take_lines(&sandbox, HEADER ROOT("a"));
    uint64_t rows = sandbox_rows(&sandbox);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    struct xylem_import_report report;
    assert_int_equal(xylem_import_lines(&report, txn, &held, NULL, NULL), XYLEM_OK);
    assert_int_equal(report.added_count, 1);
    xylem_import_report_release(&report);
    xylem_abort(txn);
    assert_int_equal(sandbox_rows(&sandbox), rows);
    take_held(&sandbox, &held);
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 1, 1, 1);
    sandbox_close(&sandbox);
}

TEST(a_line_that_is_too_long_is_known_by_its_length)
{
    struct sandbox sandbox;
    struct xylem_view lines[2];
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined row;
    size_t bytes = (size_t)XYLEM_LINE_BYTES_MAX + 1;
    char *line = malloc(bytes);
    assert_non_null(line);
    memset(line, 'x', bytes);
    sandbox_open(&sandbox);
    struct xylem_held_lines held = {.header = {HEADER, strlen(HEADER) - 1}, .lines = lines, .line_count = 2};
    lines[0] = (struct xylem_view){line, bytes};
    lines[1] = xylem_view_of(ROOT_LINE("a"));
    take_held(&sandbox, &held);
    assert_report(&sandbox, XYLEM_IMPORT_NEW, 1, 0, 1, 1);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_LIMIT, 2, true, "");
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    assert_int_equal(xylem_quarantine_new(&quarantine, txn, sandbox.report.session, NULL), XYLEM_OK);
    assert_int_equal(xylem_quarantine_next(&row, quarantine, NULL), 1);
    assert_int_equal(row.raw_bytes, bytes + 1);
    assert_int_equal(row.raw.bytes, 0);
    xylem_quarantine_free(quarantine);
    xylem_abort(txn);
    free(line);
    sandbox_close(&sandbox);
}

TEST(a_line_of_a_redacted_entry_does_not_come_back)
{
    struct sandbox sandbox;
    struct xylem_position position;
    struct xylem_redact_options options = {.reason = xylem_view_of("key")};
    struct xylem_redact_report redacted;
    struct xylem_error err = {0};
    sandbox_open(&sandbox);
    take_lines(&sandbox, HEADER ROOT("a") CHILD("\\\"b", "a"));
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    uint64_t number = sandbox.report.session;
    assert_int_equal(xylem_find(&position, txn, number, xylem_view_of("\"b"), &err), XYLEM_OK);
    assert_int_equal(xylem_redact(&redacted, txn, number, position, &options, &err), XYLEM_OK);
    xylem_redact_report_release(&redacted);
    assert_int_equal(xylem_commit(txn, &err), XYLEM_OK);
    take_lines(&sandbox, HEADER ROOT("a") CHILD("\\\"b", "a") "{\"id\":\"\\\"b\",\"secret\n{\"id\":\"a\",\"pa\n");
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 0, 2, 1, 3);
    assert_problem(&sandbox, 0, XYLEM_IMPORT_REDACTED, 3, false, "\"b");
    assert_problem(&sandbox, 1, XYLEM_IMPORT_REDACTED, 4, false, "");
    assert_problem(&sandbox, 2, XYLEM_IMPORT_NOT_JSON, 5, true, "");
    sandbox_close(&sandbox);
}

/* --- By chance: random lines in random batches with repeats, and the file at once --- */

/* Everything that the lines of a session became: entries with parents, payloads and flags, and the quarantine. */
static void describe(struct xylem_buffer *out, struct sandbox *sandbox)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    struct xylem_session session;
    struct xylem_scan *scan;
    struct xylem_entry entry;
    struct xylem_entry parent;
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined row;
    char text[512];
    xylem_base__buffer_clear(out);
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_scan_new(&scan, txn, number, NULL), XYLEM_OK);
    while (xylem_scan_next(&entry, scan, NULL) == 1) {
        bool root = entry.parent.branch == 0;
        assert_int_equal(root ? XYLEM_OK : xylem_entry_read(&parent, txn, entry.parent, NULL), XYLEM_OK);
        int bytes = snprintf(text, sizeof text, "%.*s below %.*s, %016llx, line of %u, flags %x\n", (int)entry.id.bytes,
                             entry.id.data, root ? 4 : (int)parent.id.bytes, root ? "none" : parent.id.data,
                             (unsigned long long)entry.check, entry.line_bytes, entry.flags);
        assert_int_equal(xylem_buffer_add(out, text, (size_t)bytes), 0);
    }
    xylem_scan_free(scan);
    assert_int_equal(xylem_quarantine_new(&quarantine, txn, number, NULL), XYLEM_OK);
    while (xylem_quarantine_next(&row, quarantine, NULL) == 1) {
        int bytes = snprintf(text, sizeof text, "line %llu: %s, %016llx\n", (unsigned long long)row.line,
                             xylem_import_problem_word(row.reason), (unsigned long long)row.hash);
        assert_int_equal(xylem_buffer_add(out, text, (size_t)bytes), 0);
    }
    xylem_quarantine_free(quarantine);
    xylem_abort(txn);
}

/* A random file: most lines below the line before, some below any line, some hostile. */
static void write_random(struct xylem_buffer *text, struct chance *chance, int count)
{
    static const char *const hostile[] = {"junk",
                                          " ",
                                          "[1]",
                                          "{\"type\":\"message\"}",
                                          "{\"id\":\"x\",\"type\":3}",
                                          "{\"type\":\"session\",\"id\":\"s\"}"};
    int entries = 0;
    assert_int_equal(xylem_buffer_add(text, HEADER, strlen(HEADER)), 0);
    for (int i = 0; i < count; i++) {
        char line[300];
        char parent[24] = "null";
        int choice = chance_below(chance, 10);
        if (entries > 0 && choice > 0) {
            snprintf(parent, sizeof parent, "\"e%d\"", choice > 3 ? entries - 1 : chance_below(chance, entries));
        } else if (choice == 0 && chance_below(chance, 3) == 0) {
            snprintf(parent, sizeof parent, "\"nobody\"");
        }
        int bytes;
        if (chance_below(chance, 6) == 0) {
            bytes = snprintf(line, sizeof line, "%s\n", hostile[chance_below(chance, 6)]);
        } else {
            const char *form = chance_below(chance, 4) > 0 ? "{\"type\":\"message\",\"id\":\"e%d\",\"parentId\":%s,"
                                                             "\"timestamp\":\"2025-01-01T00:00:01.000Z\",\"n\":%d}\n"
                               : chance_below(chance, 2) > 0
                                   ? "{\"id\":\"e%d\", \"type\":\"m\",\"parentId\":%s,\"n\":%d}\n"
                                   : "{\"type\":\"custom\",\"customType\":\"k\",\"id\":\"e%d\",\"parentId\":%s,"
                                     "\"timestamp\":\"2025-01-01T00:00:01.000Z\",\"data\":{\"n\":%d}}\n";
            bytes = snprintf(line, sizeof line, form, entries++, parent, chance_below(chance, 100));
        }
        assert_int_equal(xylem_buffer_add(text, line, (size_t)bytes), 0);
    }
}

/* The host writes the text so far into its file, and notes the file. */
static void write_and_note(struct sandbox *sandbox, struct xylem_view text)
{
    char path[512];
    struct xylem_session session;
    sandbox_write(sandbox, "f", text.data, text.bytes);
    sandbox_path(path, sandbox, "f");
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    assert_true(xylem_session_file_note(txn, sandbox_session(&session, txn, "s"), path, &sandbox->err) >= 0);
    assert_int_equal(xylem_commit(txn, &sandbox->err), XYLEM_OK);
}

static void hand_over_by_chance(uint64_t seed)
{
    struct chance chance = chance_of(seed);
    struct sandbox whole;
    struct sandbox parts;
    struct xylem_buffer text = {0};
    struct xylem_buffer expected = {0};
    struct xylem_buffer got = {0};
    struct xylem_view lines[LINES_MAX];
    int count = 1 + chance_below(&chance, LINES_MAX - 2);
    write_random(&text, &chance, count);
    assert_int_equal(xylem_buffer_add(&text, "", 1), 0);
    text.bytes--;
    sandbox_open(&whole);
    sandbox_open(&parts);
    sandbox_take(&whole, "f", text.data);
    const struct xylem_held_lines all = held_of(lines, text.data);
    assert_int_equal(all.line_count, count);
    for (int given = 0; given < count;) {
        struct xylem_held_lines held = all;
        int first = given - chance_below(&chance, given + 1 < 5 ? given + 1 : 5); /* repeats */
        int end = given + chance_below(&chance, count - given + 1);
        held.lines = lines + first;
        held.line_count = (size_t)(end - first);
        held.first_line = (uint64_t)first + 2;
        held.source_name = xylem_view_of("pi");
        take_held(&parts, &held);
        if (end > 0 && end % 3 == 0) {
            const char *behind = lines[end - 1].data + lines[end - 1].bytes + 1;
            write_and_note(&parts, (struct xylem_view){text.data, (size_t)(behind - text.data)});
        }
        given = end;
    }
    describe(&expected, &whole);
    describe(&got, &parts);
    assert_same_bytes(got.data, got.bytes, expected.data, expected.bytes);
    uint64_t entries = whole.report.added_count;
    sandbox_take(&parts, "f", text.data);
    assert_int_equal(parts.report.added_count, 0);
    assert_int_equal(parts.report.matched_count, entries);
    assert_int_equal(parts.report.quarantined_count, whole.report.quarantined_count);
    assert_export(&parts, true, text.data, text.bytes);
    xylem_buffer_release(&text);
    xylem_buffer_release(&expected);
    xylem_buffer_release(&got);
    sandbox_close(&whole);
    sandbox_close(&parts);
}

TEST(lines_in_any_batches_become_what_their_file_becomes)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        print_message("seed %d\n", (int)seed);
        hand_over_by_chance(seed);
    }
}
