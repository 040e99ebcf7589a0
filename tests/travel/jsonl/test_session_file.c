/* Notes of session files: the store knows the file, and imports and exports are as without the note. */
#include "tests/travel/jsonl/sandbox.h"

#include <sys/stat.h>

#include "tests/lib/test.h"
#include "xylem/lease.h"

#define TEXT HEADER ROOT("a") CHILD("b", "a") CHILD("c", "b")

/* Hands over lines of the session `s` behind the given number of lines, as a host does. */
static void mirror(struct sandbox *sandbox, uint64_t first_line, const char *const *lines, size_t count)
{
    struct xylem_view views[8];
    struct xylem_held_lines held = {
        .header = {HEADER, sizeof HEADER - 2}, .lines = views, .line_count = count, .first_line = first_line};
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    assert_true(count <= 8);
    for (size_t i = 0; i < count; i++) {
        views[i] = xylem_view_of(lines[i]);
    }
    xylem_import_report_release(&sandbox->report);
    assert_int_equal(xylem_import_lines(&sandbox->report, txn, &held, NULL, &sandbox->err), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, &sandbox->err), XYLEM_OK);
}

static void mirror_all(struct sandbox *sandbox)
{
    static const char *const lines[] = {ROOT_LINE("a"), CHILD_LINE("b", "a"), CHILD_LINE("c", "b")};
    mirror(sandbox, 2, lines, 3);
}

static int note_path(struct sandbox *sandbox, const char *path)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    struct xylem_session session;
    int code = xylem_session_file_note(txn, sandbox_session(&session, txn, "s"), path, &sandbox->err);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK); /* a refusal leaves the transaction as it was */
    return code;
}

static int note(struct sandbox *sandbox, const char *name)
{
    char path[512];
    sandbox_path(path, sandbox, name);
    return note_path(sandbox, path);
}

/* The known files of session `s` inside of the sandbox: `f 10, g 0`. */
static void assert_files(struct sandbox *sandbox, const char *expected)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    struct xylem_session session;
    struct xylem_session_files *files;
    struct xylem_session_file file;
    char *resolved = realpath(sandbox->directory, NULL);
    char text[300] = "";
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_non_null(resolved);
    assert_int_equal(xylem_session_files_new(&files, txn, number, NULL), XYLEM_OK);
    while (xylem_session_files_next(&file, files, NULL) == 1) {
        size_t bytes = strlen(text);
        size_t above = strlen(resolved);
        assert_true(file.path.bytes > above && memcmp(file.path.data, resolved, above) == 0);
        snprintf(text + bytes, sizeof text - bytes, "%s%.*s %llu", bytes > 0 ? ", " : "",
                 (int)(file.path.bytes - above - 1), file.path.data + above + 1, (unsigned long long)file.bytes);
    }
    xylem_session_files_free(files);
    xylem_abort(txn);
    free(resolved);
    assert_string_equal(text, expected);
}

TEST(a_note_names_the_file_as_an_import_does)
{
    struct sandbox sandbox;
    char link[512];
    char path[600];
    sandbox_open(&sandbox);
    mirror_all(&sandbox);
    sandbox_write_text(&sandbox, "f", TEXT);
    sandbox_path(link, &sandbox, "link");
    assert_int_equal(symlink("f", link), 0);
    assert_int_equal(note(&sandbox, "link"), 1);
    assert_files(&sandbox, "f 0");
    snprintf(path, sizeof path, "%s/store/../link", sandbox.directory);
    assert_int_equal(note_path(&sandbox, path), 0);
    sandbox_import(&sandbox, "f");
    snprintf(path, sizeof path, "f %zu", sizeof TEXT - 1);
    assert_files(&sandbox, path);
    assert_int_equal(note(&sandbox, "f"), 0);
    assert_files(&sandbox, path);
    sandbox_close(&sandbox);
}

static struct xylem_buffer data_of(struct sandbox *sandbox)
{
    struct xylem_buffer data = {NULL, 0, 0};
    char piece[4096];
    char path[512];
    size_t bytes;
    sandbox_path(path, sandbox, "store/data.mdb");
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    while ((bytes = fread(piece, 1, sizeof piece, file)) > 0) {
        assert_int_equal(xylem_buffer_add(&data, piece, bytes), 0);
    }
    assert_int_equal(fclose(file), 0);
    return data;
}

TEST(a_second_note_writes_nothing)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    mirror_all(&sandbox);
    sandbox_write_text(&sandbox, "f", TEXT);
    struct xylem_buffer unnoted = data_of(&sandbox);
    assert_int_equal(note(&sandbox, "f"), 1);
    struct xylem_buffer noted = data_of(&sandbox);
    assert_int_equal(note(&sandbox, "f"), 0);
    struct xylem_buffer again = data_of(&sandbox);
    assert_same_bytes(again.data, again.bytes, noted.data, noted.bytes);
    assert_false(noted.bytes == unnoted.bytes && memcmp(noted.data, unnoted.data, noted.bytes) == 0);
    xylem_buffer_release(&unnoted);
    xylem_buffer_release(&noted);
    xylem_buffer_release(&again);
    sandbox_close(&sandbox);
}

TEST(a_mirrored_session_whose_noted_file_is_imported_later_adds_nothing)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    mirror_all(&sandbox);
    sandbox_write_text(&sandbox, "f", TEXT);
    assert_int_equal(note(&sandbox, "f"), 1);
    assert_export_text(&sandbox, true, TEXT);
    sandbox_verify(&sandbox);
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_CHANGED, 0, 3, 0, 0);
    assert_export_text(&sandbox, true, TEXT);
    assert_ids(&sandbox, "a b c ", "c b a ");
    sandbox_import(&sandbox, "f");
    assert_report(&sandbox, XYLEM_IMPORT_UNCHANGED, 0, 0, 0, 0);
    sandbox_take(&sandbox, "f", TEXT CHILD("d", "c"));
    assert_report(&sandbox, XYLEM_IMPORT_GREW, 1, 3, 0, 0);
    assert_export_text(&sandbox, true, TEXT CHILD("d", "c"));
    sandbox_close(&sandbox);
}

/* The host appends `n`, the mirror sends `d` behind, a person moves the leaf; then the file is imported, and a copy. */
static void describe(struct xylem_buffer *out, bool notes)
{
    static const char *const later[] = {CHILD_LINE("d", "a")};
    static const char text[] = HEADER CHILD("d", "a") ROOT("a") "junk\n" CHILD("c", "b") "{\"torn";
    struct sandbox sandbox;
    struct xylem_session session;
    struct xylem_buffer export = {0};
    const int64_t then = 1735689603000;
    struct xylem_new_entry entry = {.id = xylem_view_of("n"), .kind.name = xylem_view_of("note"), .time_ms = &then};
    sandbox_open(&sandbox);
    mirror_all(&sandbox);
    sandbox_write_text(&sandbox, "copy", TEXT CHILD("d", "a"));
    sandbox_write_text(&sandbox, "f", text);
    sandbox_write_text(&sandbox, "third", TEXT);
    assert_true(!notes || (note(&sandbox, "f") == 1 && note(&sandbox, "copy") == 1 && note(&sandbox, "third") == 1));
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_append(NULL, txn, number, &entry, 1, NULL, &sandbox.err), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, &sandbox.err), XYLEM_OK);
    mirror(&sandbox, 5, later, 1);
    for (int i = 0; i < 6; i++) {
        if (i > 0) {
            sandbox_import(&sandbox, i % 2 == 1 ? "f" : "copy");
            assert_int_equal(xylem_import_report_json(out, &sandbox.report), XYLEM_OK);
        }
        if (i == 2) {
            sandbox_write_text(&sandbox, "f", TEXT);
        }
        sandbox_export_of(&export, &sandbox, "s", true);
        assert_int_equal(xylem_buffer_add(out, export.data, export.bytes), 0);
    }
    xylem_buffer_release(&export);
    sandbox_close(&sandbox);
}

TEST(a_note_changes_no_import_and_no_export)
{
    struct xylem_buffer without = {0};
    struct xylem_buffer with = {0};
    describe(&without, false);
    describe(&with, true);
    assert_same_bytes(with.data, with.bytes, without.data, without.bytes);
    xylem_buffer_release(&without);
    xylem_buffer_release(&with);
}

TEST(a_fork_shares_with_a_noted_session)
{
    static const char fork[] =
        "{\"type\":\"session\",\"version\":3,\"id\":\"f\",\"parentSession\":\"/x/1_s.jsonl\"}\n" ROOT("a")
            CHILD("b", "a");
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    mirror_all(&sandbox);
    sandbox_write_text(&sandbox, "f", TEXT);
    assert_int_equal(note(&sandbox, "f"), 1);
    sandbox_take(&sandbox, "fork", fork);
    assert_int_equal(sandbox.report.shared_count, 2);
    assert_int_equal(sandbox.report.source, XYLEM_IMPORT_SOURCE_SHARED);
    assert_files(&sandbox, "f 0");
    sandbox_close(&sandbox);
}

TEST(a_file_that_is_not_there_is_not_noted)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    mirror_all(&sandbox);
    assert_int_equal(note(&sandbox, "nowhere"), XYLEM_E_IO);
    assert_non_null(strstr(sandbox.err.text, "nowhere"));
    assert_int_equal(note(&sandbox, "store"), XYLEM_E_IO); /* a directory */
    assert_non_null(strstr(sandbox.err.text, "regular file"));
    assert_int_equal(note_path(&sandbox, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_session_file_note(NULL, 1, "f", &sandbox.err), XYLEM_E_ARGUMENT);
    assert_files(&sandbox, "");
    sandbox_close(&sandbox);
}

TEST(a_session_that_cannot_be_written_is_not_noted)
{
    struct sandbox sandbox;
    struct xylem_session session;
    struct xylem_store *other = NULL;
    struct xylem_lease *lease = NULL;
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    char path[512];
    sandbox_open(&sandbox);
    mirror_all(&sandbox);
    sandbox_write_text(&sandbox, "f", TEXT);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    uint64_t number = sandbox_session(&session, txn, "s");
    sandbox_path(path, &sandbox, "f");
    assert_int_equal(xylem_session_file_note(txn, number, path, &sandbox.err), XYLEM_E_READ_ONLY);
    xylem_abort(txn);
    sandbox_path(path, &sandbox, "store");
    assert_int_equal(xylem_open(&other, path, &options, &sandbox.err), XYLEM_OK);
    assert_int_equal(xylem_lease_take(&lease, other, number, &sandbox.err), XYLEM_OK);
    assert_int_equal(note(&sandbox, "f"), XYLEM_E_CONFLICT);
    assert_int_equal(xylem_lease_release(lease, &sandbox.err), XYLEM_OK);
    assert_int_equal(xylem_close(other, &sandbox.err), XYLEM_OK);
    sandbox_path(path, &sandbox, "f");
    txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    assert_int_equal(xylem_session_file_note(txn, number + 1, path, &sandbox.err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_session_delete(txn, number, &sandbox.err), XYLEM_OK);
    assert_int_equal(xylem_session_file_note(txn, number, path, &sandbox.err), XYLEM_E_DELETED);
    assert_int_equal(xylem_commit(txn, &sandbox.err), XYLEM_OK);
    sandbox_close(&sandbox);
}
