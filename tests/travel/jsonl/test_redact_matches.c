/* Redaction of all that patterns match: what is found, what is taken, and what is only told. */
#include "tests/travel/jsonl/sandbox.h"

#include "tests/lib/chance.h"
#include "tests/lib/test.h"

#include <sys/wait.h>
#include "xylem/feed.h"
#include "xylem/redact.h"

#define SECRET "sk-4f9a-hush"
#define ESCAPED "\\u0073k-4f9\\u0061-hush"
#define SAYS(id, parent, text)                                       \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":\"" parent \
    "\",\"timestamp\":\"2025-01-01T00:00:02.000Z\",\"message\":{\"role\":\"user\",\"content\":\"" text "\"}}\n"
#define CUSTOM(id, parent, data)                                                                             \
    "{\"type\":\"custom\",\"customType\":\"ext\",\"data\":" data ",\"id\":\"" id "\",\"parentId\":\"" parent \
    "\",\"timestamp\":\"2025-01-01T00:00:02.000Z\"}\n"

/* The matches that were told: `place:entry ` if taken, `(place:entry) ` if the match stays. */
struct told {
    char text[4096];
    unsigned count;
    unsigned stop_at;
};

static int tell(void *context, const struct xylem_match *match)
{
    struct told *told = context;
    size_t used = strlen(told->text);
    bool taken = match->taken;
    snprintf(told->text + used, sizeof told->text - used, taken ? "%s:%.*s " : "(%s:%.*s) ",
             xylem_match_place_word(match->place), (int)match->entry_id.bytes,
             match->entry_id.data ? match->entry_id.data : "");
    if (match->entry_id.data) {
        assert_null(memmem(match->entry_id.data, match->entry_id.bytes, SECRET, strlen(SECRET)));
    }
    if (match->session_id.data) {
        assert_null(memmem(match->session_id.data, match->session_id.bytes, SECRET, strlen(SECRET)));
    }
    return ++told->count == told->stop_at;
}

/* One redaction, in a transaction of its own. `sessions`: ids, NULL ends them. */
static int redact_with(struct sandbox *sandbox, struct told *told, const char *pattern, const char *const *sessions,
                       struct xylem_redact_options redact, struct xylem_redact_report *report)
{
    struct xylem_patterns *patterns = NULL;
    struct xylem_error *err = &sandbox->err;
    uint64_t numbers[8];
    size_t count = 0;
    struct xylem_txn *txn = sandbox_begin(sandbox, redact.dry_run ? XYLEM_READ : XYLEM_WRITE);
    for (; sessions && sessions[count]; count++) {
        struct xylem_session session;
        numbers[count] = sandbox_session(&session, txn, sessions[count]);
    }
    struct xylem_redact_matches_options options = {
        .redact = redact, .sessions = numbers, .session_count = count, .found = tell, .context = told};
    memset(told->text, 0, sizeof told->text);
    told->count = 0;
    int code = xylem_patterns_new(&patterns, xylem_view_of(pattern), err);
    if (code < 0) {
        fail_msg("%s", err->text);
    }
    code = xylem_redact_matches(report, txn, patterns, &options, err);
    if (code == XYLEM_OK && !redact.dry_run) {
        assert_int_equal(xylem_commit(txn, err), XYLEM_OK);
    } else {
        xylem_abort(txn);
    }
    xylem_patterns_free(patterns);
    return code;
}

static void redact(struct sandbox *sandbox, struct told *told, const char *pattern, const char *const *sessions)
{
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .dry_run = true};
    char dry[sizeof told->text];
    if (redact_with(sandbox, told, pattern, sessions, options, &report) < 0) {
        fail_msg("%s", sandbox->err.text);
    }
    struct xylem_redact_report real;
    strcpy(dry, told->text);
    options.dry_run = false;
    if (redact_with(sandbox, told, pattern, sessions, options, &real) < 0) {
        fail_msg("%s", sandbox->err.text);
    }
    assert_string_equal(dry, told->text);
    assert_int_equal(report.redacted_count, real.redacted_count);
    assert_int_equal(report.redacted_bytes, real.redacted_bytes);
    assert_int_equal(report.kept_count, real.kept_count);
    assert_int_equal(report.quarantined_count, real.quarantined_count);
    assert_int_equal(report.tail_count, real.tail_count);
    assert_int_equal(report.session_count, real.session_count);
    xylem_redact_report_release(&report);
    xylem_redact_report_release(&real);
    sandbox_verify(sandbox);
}

/* However often the export is asked for, with all that an import put away. */
static void assert_not_exported(struct sandbox *sandbox, const char *id, const char *text)
{
    struct xylem_buffer out = {NULL, 0, 0};
    sandbox_export_of(&out, sandbox, id, true);
    assert_null(strstr(out.data, text));
    xylem_buffer_release(&out);
}

enum { SECRETS = 60 };

static void open_with_secrets(struct sandbox *sandbox)
{
    struct xylem_buffer text = {NULL, 0, 0};
    char line[300];
    sandbox_open(sandbox);
    assert_int_equal(xylem_buffer_add(&text, HEADER ROOT("a0"), strlen(HEADER ROOT("a0"))), XYLEM_OK);
    for (unsigned i = 1; i <= SECRETS; i++) {
        int bytes =
            snprintf(line, sizeof line,
                     "{\"type\":\"message\",\"id\":\"a%u\",\"parentId\":\"a%u\",\"timestamp\":"
                     "\"2025-01-01T00:00:02.000Z\",\"message\":{\"role\":\"user\",\"content\":\"" SECRET "\"}}\n",
                     i, i - 1);
        assert_int_equal(xylem_buffer_add(&text, line, (size_t)bytes), XYLEM_OK);
    }
    sandbox_write(sandbox, "f", text.data, text.bytes);
    sandbox_import(sandbox, "f");
    xylem_buffer_release(&text);
}

static bool drop_hash; /* in the looks */

static void look_for_secrets(struct xylem_redact_report *report, struct sandbox *sandbox)
{
    struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .dry_run = true, .drop_hash = drop_hash};
    struct told told = {0};
    assert_int_equal(redact_with(sandbox, &told, SECRET, NULL, options, report), XYLEM_OK);
}

TEST(what_a_look_found_is_written_in_pieces_between_which_others_write)
{
    struct sandbox sandbox;
    struct xylem_redact_report report;
    struct xylem_stat stat;
    open_with_secrets(&sandbox);
    look_for_secrets(&report, &sandbox);
    assert_int_equal(report.redacted_count, SECRETS);
    struct xylem_txn *before = sandbox_begin(&sandbox, XYLEM_READ);
    sandbox_slow_ms = 10; /* each entry looks at the clock */
    assert_int_equal(xylem_redact_write(&report, sandbox.store, &sandbox.err), XYLEM_OK);
    sandbox_slow_ms = 0;
    struct xylem_txn *after = sandbox_begin(&sandbox, XYLEM_READ);
    assert_int_equal(xylem_stat_read(&stat, after, NULL), XYLEM_OK);
    assert_true(stat.oldest_reader_commit_count > SECRETS * 10 / XYLEM_STORE__HOLD_MS);
    xylem_abort(after);
    xylem_abort(before);
    assert_int_equal(xylem_redact_write(&report, sandbox.store, NULL), XYLEM_E_ARGUMENT); /* written before */
    xylem_redact_report_release(&report);
    look_for_secrets(&report, &sandbox);
    assert_int_equal(report.redacted_count, 0);
    xylem_redact_report_release(&report);
    assert_int_equal(xylem_redact_write(NULL, sandbox.store, NULL), 0);
    sandbox_verify(&sandbox);
    assert_not_exported(&sandbox, "s", SECRET);
    sandbox_close(&sandbox);
}

/* Writes what a look found, in a process of its own that is killed at a look at the clock. True if it was killed. */
static bool write_and_be_killed(const char *path, unsigned looks)
{
    struct sandbox sandbox;
    struct xylem_redact_report report;
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool opened = xylem_open(&sandbox.store, path, NULL, NULL) == XYLEM_OK;
        look_for_secrets(&report, &sandbox);
        sandbox_slow_ms = 10;
        sandbox_looks_left = looks;
        _exit(opened && xylem_redact_write(&report, sandbox.store, NULL) == XYLEM_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
    return WEXITSTATUS(status) == 9;
}

/* Appends an entry behind the entry `parent`. */
static void append_behind(struct sandbox *sandbox, const char *parent)
{
    struct xylem_session session;
    struct xylem_position at;
    struct xylem_position first;
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_find(&at, txn, number, xylem_view_of(parent), NULL), XYLEM_OK);
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of("note")}};
    struct xylem_append_options options = {.parent = XYLEM_PARENT_AT, .parent_position = at};
    assert_int_equal(xylem_append(&first, txn, number, &entry, 1, &options, &sandbox->err), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
}

/* While a redaction has a rest, nobody else drops hashes: the new checks would not fit the rest. */
static void drop_beside_rest(struct sandbox *sandbox)
{
    struct xylem_redact_options options = {.reason = xylem_view_of("other"), .drop_hash = true};
    struct xylem_redact_report report = {0};
    struct xylem_session session;
    struct xylem_position at;
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_find(&at, txn, number, xylem_view_of("a60"), NULL), XYLEM_OK);
    assert_int_equal(xylem_redact(&report, txn, number, at, &options, &sandbox->err), XYLEM_E_BUSY);
    assert_non_null(strstr(sandbox->err.text, "xylem_redact_write() finishes it"));
    xylem_redact_report_release(&report);
    xylem_abort(txn);
}

/* Killed at each look at the clock: in the middle of each piece, before the first, and never. */
static void kill_and_finish(void)
{
    unsigned rests = 0;
    for (unsigned looks = 5; looks <= SECRETS + 40; looks += 10) {
        struct sandbox sandbox;
        struct xylem_redact_report report;
        char path[512];
        open_with_secrets(&sandbox);
        sandbox_path(path, &sandbox, "store");
        bool killed = write_and_be_killed(path, looks);
        sandbox_verify(&sandbox);
        look_for_secrets(&report, &sandbox);
        bool rest = report.redacted_count > 0 && report.redacted_count < SECRETS;
        assert_true(killed || report.redacted_count == 0);
        if (rest) { /* the rest is in the store: no pattern is needed; and others write in between */
            rests++;
            drop_beside_rest(&sandbox);
            append_behind(&sandbox, "a1");
            append_behind(&sandbox, "a59");
            append_behind(&sandbox, "a60");
            sandbox_verify(&sandbox);
            assert_int_equal(xylem_redact_write(NULL, sandbox.store, &sandbox.err), 1);
            assert_int_equal(xylem_redact_write(NULL, sandbox.store, &sandbox.err), 0);
        } else if (killed) {
            assert_in_range(xylem_redact_write(&report, sandbox.store, &sandbox.err), 0, 1);
        }
        xylem_redact_report_release(&report);
        look_for_secrets(&report, &sandbox);
        assert_int_equal(report.redacted_count, 0);
        assert_int_equal(report.dropped_count, 0);
        xylem_redact_report_release(&report);
        sandbox_verify(&sandbox);
        sandbox_close(&sandbox);
    }
    assert_true(rests > 2);
}

TEST(a_redaction_that_was_killed_between_pieces_is_finished_by_the_next_call)
{
    kill_and_finish();
}

TEST(dropped_hashes_and_new_checks_are_written_in_pieces_and_the_store_verifies_in_between)
{
    drop_hash = true;
    kill_and_finish();
    drop_hash = false;
}

TEST(every_place_that_can_be_taken_is)
{
    struct sandbox sandbox;
    struct told told = {0};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file",
                 HEADER ROOT("a") SAYS("b", "a", "it is " SECRET) SAYS("c", "b", "it is " ESCAPED)
                     CUSTOM("d", "c", "{\"" SECRET "\":[1,2]}")
                         CUSTOM("e", "d",
                                "{\"deep\":[[{\"x\":\"" SECRET
                                "\"}]]}") "{\"broken \"" SECRET "\n"
                                          "{\"broken \"" ESCAPED "\n" SAYS("f", "e", "nothing")
                                              SAYS("f", "e", "twice " SECRET)
                                                  SAYS("g", "f", "nothing") "{\"torn\":\"" ESCAPED);
    redact(&sandbox, &told, "sk-[0-9a-f]{4}-", NULL);
    assert_string_equal(told.text, "entry:b entry:c entry:d entry:e entry:f quarantine: quarantine: tail: ");
    assert_not_exported(&sandbox, "s", "hush");
    redact(&sandbox, &told, "sk-[0-9a-f]{4}-", NULL);
    assert_string_equal(told.text, "");
    sandbox_close(&sandbox);
}

TEST(a_zero_byte_before_a_match_hides_nothing)
{
    struct sandbox sandbox;
    struct told told = {0};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file",
                 HEADER ROOT("a") SAYS("b", "a", "\\u0000 " SECRET) "{\"broken \"\\u0000" SECRET "\n");
    redact(&sandbox, &told, SECRET, NULL);
    assert_string_equal(told.text, "entry:b quarantine: ");
    assert_not_exported(&sandbox, "s", "hush");
    sandbox_close(&sandbox);
}

#define LONG "longer than each text that is searched later, the path of the session file being one of these texts: "

static size_t wiped_secrets; /* blocks of memory that held the secret */

/* In place of libc's, for the library too. */
__attribute__((visibility("default"))) void explicit_bzero(void *bytes, size_t count)
{
    void *volatile block = bytes;
    wiped_secrets += memmem(block, count, SECRET, strlen(SECRET)) != NULL;
    memset(block, 0, count);
}

/* The text that is searched last is short: the secret lies behind it, in the copy and where escapes were decoded. */
TEST(no_copy_of_a_match_is_left_in_freed_memory)
{
    struct sandbox sandbox;
    struct told told = {0};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", HEADER ROOT("a") SAYS("b", "a", "" LONG ESCAPED) SAYS("c", "b", "x"));
    wiped_secrets = 0;
    redact(&sandbox, &told, SECRET, NULL);
    assert_string_equal(told.text, "entry:b ");
    assert_int_equal(wiped_secrets, 2); /* the decoded payload, of the dry run too */
    sandbox_close(&sandbox);
}

/* A line whose spelling is kept beside the payload: its bytes are searched too, white space and all. */
TEST(a_kept_line_is_searched_as_it_stands)
{
    struct sandbox sandbox;
    struct told told = {0};
    sandbox_open(&sandbox);
    sandbox_take(
        &sandbox, "file",
        HEADER ROOT("a") "{\"type\":\"message\",  \"id\":\"b\",\"parentId\":\"a\",\"timestamp\":\"2025-01-01T00:00:"
                         "02.000Z\",\"n\":1.50,\"n\":7}\n");
    redact(&sandbox, &told, "1\\.50", NULL);
    assert_string_equal(told.text, "entry:b ");
    assert_not_exported(&sandbox, "s", "1.50");
    sandbox_close(&sandbox);
}

TEST(a_match_in_a_kept_line_takes_that_entry_alone)
{
    struct sandbox sandbox;
    struct told told = {0};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file",
                 HEADER ROOT("a") "{\"type\":\"message\",  \"id\":\"b\",\"parentId\":\"a\",\"n\":1}\n"
                                  "{\"type\":\"message\", \"id\":\"c\",\"parentId\":\"b\",\"n\":2}\n");
    redact(&sandbox, &told, "message\",  \"id", NULL);
    assert_string_equal(told.text, "entry:b ");
    sandbox_close(&sandbox);
}

TEST(numbers_are_searched_as_json_writes_them)
{
    struct sandbox sandbox;
    struct told told = {0};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file",
                 HEADER ROOT("a") CUSTOM("b", "a", "{\"card\":4111111111111111}") CUSTOM("c", "b", "{\"x\":-17}"));
    sandbox_append(&sandbox, "d", "{\"card\":411111111111111111111111}");
    redact(&sandbox, &told, "4111111111111111", NULL);
    assert_string_equal(told.text, "entry:b entry:d ");
    sandbox_close(&sandbox);
}

TEST(what_is_spread_over_two_strings_is_not_found)
{
    struct sandbox sandbox;
    struct told told = {0};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", HEADER ROOT("a") CUSTOM("b", "a", "[\"sk-4f9a\",\"-hush\"]"));
    redact(&sandbox, &told, SECRET, NULL);
    assert_string_equal(told.text, "");
    sandbox_close(&sandbox);
}

/* The texts of these places are what the store goes by. None of them is ever shown. */
TEST(what_stays_is_told_without_the_match)
{
    struct sandbox sandbox;
    struct told told = {0};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file of " SECRET,
                 "{\"type\":\"session\", \"version\":3,\"id\":\"s\",\"timestamp\":\"2025-01-01T00:00:00.000Z\","
                 "\"cwd\":\"/home/" SECRET "\",\"parentSession\":\"/x/" SECRET "\"}\n" ROOT("a") SAYS(SECRET, "a", "x")
                     SAYS("c", SECRET, "x"));
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    struct xylem_session session;
    struct xylem_session_options named = {.id = xylem_view_of(SECRET)};
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_CUSTOM, xylem_view_of(SECRET)}, .id = xylem_view_of("k")};
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_append(NULL, txn, number, &entry, 1, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_navigate(txn, number, (struct xylem_position){0, 0}, xylem_view_of("back to " SECRET), NULL),
                     XYLEM_OK);
    assert_int_equal(xylem_session_create(&session, txn, &named, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    redact(&sandbox, &told, SECRET, NULL);
    assert_string_equal(told.text,
                        "(entry-id:) (cwd:) (parent:) (header:) (navigation:) (session-id:) (source:) (kind:) ");
    const char *const only_s[] = {"s", NULL};
    redact(&sandbox, &told, SECRET, only_s);
    assert_string_equal(told.text, "(entry-id:) (kind:) (cwd:) (parent:) (header:) (navigation:) (source:) ");
    sandbox_close(&sandbox);
}

TEST(the_reason_of_an_earlier_redaction_stays)
{
    struct sandbox sandbox;
    struct told told = {0};
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("had " SECRET)};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", HEADER ROOT("a") SAYS("b", "a", "first"));
    assert_int_equal(redact_with(&sandbox, &told, "first", NULL, options, &report), XYLEM_OK);
    xylem_redact_report_release(&report);
    redact(&sandbox, &told, SECRET, NULL);
    assert_string_equal(told.text, "(reason:b) ");
    sandbox_close(&sandbox);
}

static void fork_of(struct sandbox *sandbox, const char *id)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    struct xylem_session session;
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    struct xylem_session fork;
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_clone(&fork, txn, number, &options, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
}

/*
 * A session, with what it shares; and of what is taken the copies in other sessions, but not what only says the same.
 */
TEST(a_session_is_searched_alone_and_its_copies_go_too)
{
    struct sandbox sandbox;
    struct told told = {0};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", HEADER ROOT("a") SAYS("b", "a", SECRET " b") SAYS("c", "b", SECRET " c"));
    fork_of(&sandbox, "fork");
    sandbox_take(
        &sandbox, "other",
        "{\"type\":\"session\",\"version\":3,\"id\":\"copy\",\"timestamp\":\"2025-01-01T00:00:00.000Z\"}\n" CHILD(
            "x", "none") SAYS("b", "x", SECRET " b") SAYS("y", "b", SECRET " only here") "{ " SECRET "\n");
    const char *const fork[] = {"fork", NULL};
    redact(&sandbox, &told, SECRET, fork);
    assert_string_equal(told.text, "entry:b entry:c entry:b ");
    assert_not_exported(&sandbox, "s", "hush");
    const char *const both[] = {"s", "copy", NULL};
    redact(&sandbox, &told, SECRET, both);
    assert_string_equal(told.text, "entry:y quarantine: ");
    assert_not_exported(&sandbox, "copy", "hush");
    sandbox_close(&sandbox);
}

TEST(with_only_this_neither_copies_nor_lines_go)
{
    struct sandbox sandbox;
    struct told told = {0};
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .only_this = true};
    const char *const only_s[] = {"s", NULL};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", HEADER ROOT("a") SAYS("b", "a", SECRET) "{ " SECRET "\n");
    sandbox_take(
        &sandbox, "other",
        "{\"type\":\"session\",\"version\":3,\"id\":\"copy\",\"timestamp\":\"2025-01-01T00:00:00.000Z\"}\n" CHILD(
            "x", "none") SAYS("b", "x", SECRET));
    assert_int_equal(redact_with(&sandbox, &told, SECRET, only_s, options, &report), XYLEM_OK);
    xylem_redact_report_release(&report);
    assert_string_equal(told.text, "entry:b ");
    sandbox_close(&sandbox);
}

TEST(deleted_sessions_are_part_of_the_store)
{
    struct sandbox sandbox;
    struct told told = {0};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", HEADER ROOT("a"));
    fork_of(&sandbox, "gone");
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    struct xylem_session session;
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of("message")},
                                    .id = xylem_view_of("z"),
                                    .format = XYLEM_FORMAT_JSON,
                                    .payload = xylem_view_of("{\"x\":\"" SECRET "\"}")};
    uint64_t number = sandbox_session(&session, txn, "gone");
    assert_int_equal(xylem_append(NULL, txn, number, &entry, 1, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_delete(txn, number, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    redact(&sandbox, &told, SECRET, NULL);
    assert_string_equal(told.text, "entry:z ");
    sandbox_close(&sandbox);
}

/* Checks behind each of several entries, on several branches, are made anew at once. */
TEST(hashes_of_many_entries_are_dropped_together)
{
    struct sandbox sandbox;
    struct told told = {0};
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .drop_hash = true};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file",
                 HEADER ROOT("a") SAYS("b", "a", SECRET) CHILD("c", "b") SAYS("d", "c", SECRET " d") CHILD("e", "d")
                     SAYS("f", "b", SECRET " f") CHILD("g", "f"));
    assert_int_equal(redact_with(&sandbox, &told, SECRET, NULL, options, &report), XYLEM_OK);
    assert_int_equal(report.redacted_count, 3);
    assert_int_equal(report.dropped_count, 3);
    assert_int_equal(report.rechecked_count, 3);
    xylem_redact_report_release(&report);
    sandbox_verify(&sandbox);
    sandbox_close(&sandbox);
}

static struct xylem_store__source source_of(struct sandbox *sandbox, const char *name)
{
    struct xylem_store__source source;
    char path[512];
    sandbox_path(path, sandbox, name);
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    struct xylem_session session;
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_store__source_read(&source, txn, number, xylem_view_of(path), NULL), 1);
    xylem_abort(txn);
    return source;
}

/* A hash of the file, or of its last line, confirms a guess as well as the hash of the payload. */
TEST(hashes_of_the_file_are_dropped_too)
{
    struct sandbox sandbox;
    struct told told = {0};
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("a key")};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", HEADER ROOT("a") SAYS("b", "a", SECRET) "{\"torn");
    struct xylem_store__source before = source_of(&sandbox, "file");
    assert_int_equal(redact_with(&sandbox, &told, SECRET, NULL, options, &report), XYLEM_OK);
    xylem_redact_report_release(&report);
    struct xylem_store__source kept = source_of(&sandbox, "file");
    assert_true(kept.growth.known);
    assert_true(kept.hash == before.hash);
    options.drop_hash = true;
    sandbox_take(&sandbox, "file", HEADER ROOT("a") SAYS("b", "a", SECRET) SAYS("c", "b", SECRET " again") "{\"torn");
    before = source_of(&sandbox, "file");
    assert_true(before.growth.known);
    assert_int_equal(redact_with(&sandbox, &told, SECRET, NULL, options, &report), XYLEM_OK);
    assert_int_equal(report.dropped_count, 1);
    xylem_redact_report_release(&report);
    struct xylem_store__source after = source_of(&sandbox, "file");
    assert_false(after.growth.known);
    assert_true(after.hash != before.hash);
    assert_int_equal(after.tail_bytes, 6);
    sandbox_import(&sandbox, "file"); /* matches every line, and takes nothing back */
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_CHANGED);
    assert_int_equal(sandbox.report.added_count, 0);
    assert_not_exported(&sandbox, "s", SECRET);
    sandbox_close(&sandbox);
}

/* The newest lsn of the store: it moves with every change. */
static uint64_t last_lsn(struct sandbox *sandbox)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    struct xylem_cursor last;
    assert_int_equal(xylem_feed_last(&last, txn, NULL), XYLEM_OK);
    xylem_abort(txn);
    return last.lsn;
}

TEST(what_cannot_be_is_refused_and_nothing_is_changed)
{
    struct sandbox sandbox;
    struct told told = {0};
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("it was " SECRET)};
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", HEADER ROOT("a") SAYS("b", "a", SECRET) SAYS("c", "b", SECRET));
    uint64_t last = last_lsn(&sandbox);
    assert_int_equal(redact_with(&sandbox, &told, SECRET, NULL, options, &report), XYLEM_E_ARGUMENT);
    assert_null(strstr(sandbox.err.text, SECRET));
    xylem_redact_report_release(&report);
    options.reason = xylem_view_of("");
    assert_int_equal(redact_with(&sandbox, &told, SECRET, NULL, options, &report), XYLEM_E_ARGUMENT);
    xylem_redact_report_release(&report);
    options.reason = xylem_view_of("a key");
    told.stop_at = 2;
    assert_int_equal(redact_with(&sandbox, &told, SECRET, NULL, options, &report), XYLEM_E_STOPPED);
    xylem_redact_report_release(&report);
    told.stop_at = 0;
    assert_int_equal(xylem_redact_matches(&report, NULL, NULL, NULL, &sandbox.err), XYLEM_E_ARGUMENT);
    assert_int_equal(last_lsn(&sandbox), last);
    redact(&sandbox, &told, SECRET, NULL);
    assert_string_equal(told.text, "entry:b entry:c ");
    sandbox_close(&sandbox);
}

/* Nobody knows what such an entry says, so nobody may believe that it was searched. */
TEST(an_entry_that_cannot_be_read_ends_it)
{
    struct sandbox sandbox;
    struct told told = {0};
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("a key")};
    struct xylem_buffer bytes = {NULL, 0, 0};
    char path[512];
    sandbox_open(&sandbox);
    sandbox_take(&sandbox, "file", HEADER ROOT("a") SAYS("b", "a", SECRET) SAYS("c", "b", "somewhere else"));
    sandbox_path(path, &sandbox, "store/data.mdb");
    for (int damaged = 1; damaged >= 0; damaged--) {
        assert_int_equal(xylem_close(sandbox.store, NULL), XYLEM_OK);
        xylem_base__buffer_clear(&bytes);
        sandbox_read_file(&bytes, path);
        char *at = memmem(bytes.data, bytes.bytes, damaged ? "somewhere" : "Somewhere", 9);
        assert_non_null(at);
        *at = damaged ? 'S' : 's';
        sandbox_write(&sandbox, "store/data.mdb", bytes.data, bytes.bytes);
        sandbox_open_store(&sandbox, 0);
        assert_int_equal(redact_with(&sandbox, &told, SECRET, NULL, options, &report),
                         damaged ? XYLEM_E_CORRUPT : XYLEM_OK);
        assert_int_equal(report.redacted_count, 1);
        xylem_redact_report_release(&report);
    }
    xylem_buffer_release(&bytes);
    sandbox_close(&sandbox);
}

TEST(no_other_number_is_a_place)
{
    assert_string_equal(xylem_match_place_word(XYLEM_MATCH_SOURCE), "source");
    assert_string_equal(xylem_match_place_text(XYLEM_MATCH_KIND), "the name of a kind");
    assert_string_equal(xylem_match_place_word((enum xylem_match_place)99), "unknown");
    assert_string_equal(xylem_match_place_text((enum xylem_match_place)99), "unknown");
}

/* Each character as it is or as an escape, in lines that are no JSON: whatever stands before and behind it. */
TEST(any_spelling_of_a_broken_line_is_found)
{
    static const char *const pieces[] = {"\\", "\\u", "\\ud83d", "\\u00", "\\n", "\"", "\\\\", "\\ud83d\\ude00", "x"};
    struct chance chance = chance_of(20261122);
    struct sandbox sandbox;
    struct told told = {0};
    sandbox_open(&sandbox);
    for (unsigned round = 0; round < 60; round++) {
        char text[600] = HEADER ROOT("a") "{ ";
        for (int around = 0; around < 2; around++) {
            for (int i = chance_below(&chance, 4); i > 0; i--) {
                /* A backslash before a letter would make another character of it. */
                const char *piece = pieces[chance_below(&chance, 9)];
                bool open = around == 0 && i == 1 && (strcmp(piece, "\\") == 0 || piece[strlen(piece) - 1] == 'u');
                strcat(text, open ? "x" : piece);
            }
            for (const char *at = SECRET; around == 0 && *at; at++) {
                char spelt[8];
                snprintf(spelt, sizeof spelt, chance_one_in(&chance, 3) ? "\\u%04x" : "%c", (unsigned char)*at);
                strcat(text, spelt);
            }
        }
        strcat(text, "\n");
        char name[16];
        snprintf(name, sizeof name, "file%u", round);
        sandbox_take(&sandbox, name, text);
        redact(&sandbox, &told, SECRET, NULL);
        if (strcmp(told.text, "quarantine: ") != 0) {
            fail_msg("round %u: '%s' in %s", round, told.text, text);
        }
    }
    sandbox_close(&sandbox);
}

/* The error names the pattern's line, the entry and the limit; the id of an entry may match, so the place is told. */
TEST(a_pattern_that_meets_a_limit_ends_the_redaction_and_is_named)
{
    struct sandbox sandbox;
    struct told told = {0};
    struct xylem_redact_report report;
    struct xylem_buffer file = {NULL, 0, 0};
    struct xylem_redact_options options = {.reason = xylem_view_of("a key")};
    sandbox_open(&sandbox);
    assert_int_equal(xylem_base__buffer_add_text(
                         &file, HEADER ROOT("a") "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"timestamp\":"
                                                 "\"2025-01-01T00:00:02.000Z\",\"message\":\""),
                     XYLEM_OK);
    for (int i = 0; i < 6000; i++) {
        assert_int_equal(xylem_base__buffer_add_text(&file, "0123456789"), XYLEM_OK);
    }
    assert_int_equal(xylem_base__buffer_add_text(&file, " @\"}\n"), XYLEM_OK);
    sandbox_write(&sandbox, "file", file.data, file.bytes);
    sandbox_import(&sandbox, "file");
    assert_int_equal(redact_with(&sandbox, &told, "# keys\n[0-9]+@", NULL, options, &report), XYLEM_E_LIMIT);
    assert_non_null(strstr(sandbox.err.text, "the entry at branch 1, depth 2 cannot be searched: line 2: the pattern "
                                             "takes more than 33554432 steps and 128 for each byte of the text"));
    xylem_redact_report_release(&report);
    xylem_buffer_release(&file);
    sandbox_close(&sandbox);
}
