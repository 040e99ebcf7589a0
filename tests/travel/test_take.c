/* Sessions as lines of JSON: out of a store, changed by a stranger, into another store. */
#include "tests/travel/pair.h"
#include "xylem/branch.h"
#include "xylem/files.h"
#include "xylem/line.h"

static struct xylem_buffer told; /* the lines of a session */

static int add_told(void *context, const void *data, size_t bytes)
{
    return xylem_buffer_add(context, data, bytes);
}

static void tell(const char *id)
{
    xylem_base__buffer_clear(&told);
    store_builder_must(xylem_export_changes(owner.txn, pair_number(&owner, id), add_told, &told, &err), &err);
}

static int take(void)
{
    char path[300];
    (void)snprintf(path, sizeof path, "%s/told", follower.path);
    FILE *file = fopen(path, "wbe");
    assert_non_null(file);
    assert_int_equal(fwrite(told.data, 1, told.bytes, file), told.bytes);
    assert_int_equal(fclose(file), 0);
    err.text[0] = '\0';
    int code = xylem_import_changes(&report, follower.txn, path, &err);
    assert_int_equal(unlink(path), 0);
    return code;
}

static void assert_has(const char *words)
{
    if (!memmem(told.data, told.bytes, words, strlen(words))) {
        fail_msg("expected `%s` in\n%.*s", words, (int)told.bytes, told.data);
    }
}

/* Replaces the first place of a text in the lines. */
static void replace(const char *text, const char *other)
{
    size_t at = place_of_text(&told, text);
    struct xylem_buffer changed = {NULL, 0, 0};
    assert_int_equal(xylem_buffer_add(&changed, told.data, at), 0);
    assert_int_equal(xylem_buffer_add(&changed, other, strlen(other)), 0);
    assert_int_equal(xylem_buffer_add(&changed, told.data + at + strlen(text), told.bytes - at - strlen(text)), 0);
    xylem_buffer_release(&told);
    told = changed;
}

/* The lines must be refused so, with these words, and leave nothing behind. */
static void assert_refused(int code, const char *words)
{
    int found = take();
    if (found != code || !strstr(err.text, words)) {
        fail_msg("expected %s: %s\nfound %s: %s", xylem_code_text(code), words, xylem_code_text(found), err.text);
    }
    pair_abort(&follower);
}

static void refuse_with(const char *text, const char *other, int code, const char *words)
{
    tell("s");
    replace(text, other);
    assert_refused(code, words);
}

/* A session with entries, a navigation, a redaction. */
static uint64_t make(void)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "a", "custom:readonly", "{\"enabled\":true}");
    store_builder_add(&owner, session, "b", "message", "{\"x\":1}");
    store_builder_add(&owner, session, "c", "note", NULL);
    store_builder_go(&owner, session, store_builder_find(&owner, session, "a"));
    store_builder_add(&owner, session, "d", "message", "{\"secret\":1}");
    redact_entry(&owner, "s", "d", false);
    return session;
}

static int close_all(void **state)
{
    xylem_buffer_release(&told);
    return pair_close(state);
}

#define TAKE_TEST(test) TEST_WITH(test, pair_open, close_all)

/* --- Whole -------------------------------------------------------------------------------------------------------- */

TAKE_TEST(a_session_goes_out_as_words_and_comes_in_whole)
{
    make();
    tell("s");
    assert_has("{\"row\":\"session\",\"schema\":1,\"session\":\"s\"");
    assert_has("\"kind\":\"custom:readonly\"");
    assert_has("\"format\":\"json\",\"payload\":\"{\\\"enabled\\\":true}\"");
    assert_has("\"entry\":\"b\",\"parent\":\"a\"");
    assert_has("\"redacted\":\"a key\"");
    assert_has("\"from\":\"c\",\"to\":\"a\"");
    store_builder_must(take(), &err);
    assert_true(report.is_new);
    assert_int_equal(report.entry_count, 4);
    assert_same_session(owner.txn, follower.txn, "s");
    store_builder_must(take(), &err);
    assert_false(report.is_new);
    assert_int_equal(report.change_count, 0);
    assert_null(pair_find(&follower, "s").owner.data); /* the store owns the session */
}

TAKE_TEST(a_session_of_several_segments_comes_in_whole)
{
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_buffer text = {NULL, 0, 0};
    xylem_buffer_add(&text, "\"", 1);
    for (int i = 0; i < 400000; i++) {
        xylem_buffer_add(&text, "x", 1);
    }
    xylem_buffer_add(&text, "\"", 1);
    for (int i = 0; i < 8; i++) {
        store_builder_add(&owner, session, NULL, "note", i % 2 ? text.data : "0");
        store_builder_add_at(&owner, session, (struct xylem_position){0, 0}, NULL, "note", text.data);
    }
    xylem_buffer_release(&text);
    tell("s");
    store_builder_must(take(), &err);
    assert_int_equal(report.entry_count, 16);
    assert_same_session(owner.txn, follower.txn, "s");
}

TAKE_TEST(a_session_of_more_changes_than_a_segment_may_have_comes_in_whole)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_grow(&owner, session, 66000);
    tell("s");
    store_builder_must(take(), &err);
    assert_int_equal(report.entry_count, 66000);
    assert_int_equal(pair_find(&follower, "s").history.chain, pair_find(&owner, "s").history.chain);
    assert_null(pair_find(&follower, "s").owner.data);
}

TAKE_TEST(a_session_that_follows_follows_its_owner_in_the_new_store)
{
    uint64_t session = make();
    store_builder_must(xylem_session_follow(owner.txn, session, xylem_view_of("far"), 7, &err), &err);
    tell("s");
    assert_has("\"owner\":\"far\",\"epoch\":7");
    store_builder_must(take(), &err);
    assert_int_equal(pair_find(&follower, "s").epoch, 7);
    assert_memory_equal(pair_find(&follower, "s").owner.data, "far", 3);
    assert_same_session(owner.txn, follower.txn, "s");
}

TAKE_TEST(bytes_that_are_no_text_come_back_byte_for_byte)
{
    uint64_t session = store_builder_session(&owner, "s");
    const int64_t far = INT64_MIN;
    const struct xylem_new_entry entries[] = {
        {.kind.name = xylem_view_of("note"), .format = XYLEM_FORMAT_JSON, .payload = xylem_view_of("\"\xff\"")},
        {.kind = {XYLEM_CLASS_CUSTOM, xylem_view_of("a:b")},
         .format = XYLEM_FORMAT_MSGPACK,
         .payload = {"\xcb\x3f\xf0\0\0\0\0\0\0", 9},
         .time_ms = &far}, /* 1.0 as a double, which JSON makes an integer */
        {.kind.name = xylem_view_of("a:b"), .format = XYLEM_FORMAT_MSGPACK, .payload = {"\xc0", 1}}};
    store_builder_must(xylem_append(NULL, owner.txn, session, entries, 3, NULL, &err), &err);
    tell("s");
    assert_has("\"payload\":{\"base64\":\"Iv8i\"}");
    assert_has("\"kind\":\"custom:a:b\",\"time\":-9223372036854775808,\"format\":\"msgpack\"");
    store_builder_must(take(), &err);
    assert_same_session(owner.txn, follower.txn, "s");
}

TAKE_TEST(files_of_a_session_stay_files_of_this_machine)
{
    struct xylem_session_files *files;
    struct xylem_session_file file;
    pair_import(
        &owner,
        "fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl");
    struct xylem_sessions *sessions;
    struct xylem_session row;
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1];
    store_builder_must(xylem_sessions_new(&sessions, owner.txn, &err), &err);
    assert_int_equal(xylem_sessions_next(&row, sessions, &err), 1);
    (void)snprintf(id, sizeof id, "%.*s", (int)row.id.bytes, row.id.data);
    xylem_sessions_free(sessions);
    tell(id);
    assert_has("{\"row\":\"file\",\"path\":\"/");
    store_builder_must(take(), &err);
    assert_same_session(owner.txn, follower.txn, id);
    store_builder_must(xylem_session_files_new(&files, follower.txn, report.session, &err), &err);
    assert_int_equal(xylem_session_files_next(&file, files, &err), 1);
    xylem_session_files_free(files);
}

/* --- A store that has the session --------------------------------------------------------------------------------- */

TAKE_TEST(a_store_with_more_changes_stays_and_a_store_with_fewer_is_not_overwritten)
{
    uint64_t session = make();
    tell("s");
    store_builder_must(take(), &err);
    store_builder_add(&follower, pair_number(&follower, "s"), "here", "note", NULL);
    store_builder_must(take(), &err);
    assert_false(report.is_new);
    assert_int_not_equal(store_builder_find(&follower, pair_number(&follower, "s"), "here").branch, 0);
    store_builder_add(&owner, session, "there", "note", NULL);
    tell("s");
    assert_refused(XYLEM_E_CONFLICT, "the store has another history of the session s");
}

TAKE_TEST(a_shorter_session_of_the_store_is_not_extended)
{
    uint64_t session = make();
    tell("s");
    store_builder_must(take(), &err);
    store_builder_commit(&follower);
    store_builder_add(&owner, session, "there", "note", NULL);
    tell("s");
    assert_refused(XYLEM_E_CONFLICT, "is not extended: this store owns the session");
}

TAKE_TEST(a_fork_needs_the_session_of_its_base_first)
{
    uint64_t session = make();
    store_builder_fork(&owner, session, store_builder_find(&owner, session, "b"), XYLEM_FORK_AT, "fork");
    tell("fork");
    assert_has("\"base_session\":\"s\",\"base_entry\":\"b\"");
    assert_refused(XYLEM_E_NOT_FOUND, "is a fork of the entry b of the session s, which is not in the store");
}

/* Leaves remains of the session that a fork needs. */
static void free_behind_fork(uint64_t session, struct xylem_position base, const char *fork)
{
    store_builder_fork(&owner, session, base, XYLEM_FORK_AT, fork);
    store_builder_must(xylem_session_delete(owner.txn, session, &err), &err);
    store_builder_must(xylem_gc(NULL, owner.txn, NULL, &err), &err);
    store_builder_commit(&owner);
}

/* Takes all sessions of the owner twice: the second time changes nothing. */
static void take_all(uint64_t last)
{
    for (int again = 0; again < 2; again++) {
        for (uint64_t number = 1; number <= last; number++) {
            xylem_base__buffer_clear(&told);
            store_builder_must(xylem_export_changes(owner.txn, number, add_told, &told, &err), &err);
            store_builder_must(take(), &err);
            assert_int_equal(report.is_new, !again);
        }
        assert_same_sessions(owner.txn, follower.txn);
    }
}

TAKE_TEST(a_fork_finds_its_base_among_all_sessions_that_had_the_id)
{
    for (int i = 0; i < 3; i++) {
        char text[16];
        uint64_t session = store_builder_session(&owner, "s");
        (void)snprintf(text, sizeof text, "{\"x\":%d}", i);
        struct xylem_position base = store_builder_add(&owner, session, "a", "message", text);
        if (i < 2) {
            free_behind_fork(session, base, text);
        }
    }
    uint64_t first = pair_number(&owner, "{\"x\":0}");
    take_all(store_builder_fork(&owner, first, pair_find(&owner, "{\"x\":0}").leaf, XYLEM_FORK_AT, "behind s"));
}

TAKE_TEST(remains_below_another_base_are_those_of_another_session)
{
    static const char *const bases[] = {"a", "b"};
    static const char *const forks[] = {"of a", "of b"};
    for (size_t i = 0; i < 2; i++) {
        uint64_t source = store_builder_session(&owner, bases[i]);
        struct xylem_position base = store_builder_add(&owner, source, bases[i], "note", NULL);
        uint64_t session = store_builder_fork(&owner, source, base, XYLEM_FORK_AT, "s");
        free_behind_fork(session, store_builder_add(&owner, session, NULL, "note", NULL), forks[i]);
    }
    take_all(pair_number(&owner, "of b"));
}

TAKE_TEST(a_fork_of_another_entry_under_the_id_of_its_base_is_refused)
{
    uint64_t session = make();
    store_builder_fork(&owner, session, store_builder_find(&owner, session, "b"), XYLEM_FORK_AT, "fork");
    uint64_t other = store_builder_session(&follower, "s");
    store_builder_add(&follower, other, "b", "message", "{\"x\":2}");
    store_builder_commit(&follower);
    tell("fork");
    assert_refused(XYLEM_E_CONFLICT, "which has another history in the store");
}

/* --- Refused ------------------------------------------------------------------------------------------------------ */

TAKE_TEST(a_file_that_is_cut_or_goes_on_is_refused)
{
    make();
    tell("s");
    told.bytes = place_of_text(&told, "{\"row\":\"end\"");
    assert_refused(XYLEM_E_MALFORMED, "told:9: expected a line with a row, and a row `end` last");
    told.bytes = 0;
    assert_refused(XYLEM_E_MALFORMED, "told:1: expected a line with a row");
    tell("s");
    told.bytes--; /* the last newline */
    assert_refused(XYLEM_E_MALFORMED, "found the end of the file");
    tell("s");
    assert_int_equal(xylem_buffer_add(&told, "{}\n", 3), 0);
    assert_refused(XYLEM_E_MALFORMED, "told:9: expected the end of the file behind the row `end`");
}

TAKE_TEST(a_missing_file_is_named)
{
    assert_int_equal(xylem_import_changes(&report, follower.txn, "no/such.changes", &err), XYLEM_E_IO);
    assert_non_null(strstr(err.text, "no/such.changes"));
}

TAKE_TEST(lines_that_are_no_rows_are_refused_with_their_number)
{
    make();
    refuse_with("{\"row\":\"created\"}", "created", XYLEM_E_MALFORMED, "told:2: ");
    refuse_with("{\"row\":\"created\"}", "[]", XYLEM_E_MALFORMED, "expected an object with a member `row`");
    refuse_with("\"row\":\"created\"", "\"row\":\"made\"", XYLEM_E_MALFORMED, "found `row` \"made\"");
    refuse_with("\"schema\":1", "\"schema\":2", XYLEM_E_MALFORMED, "expected a row `session` first, with `schema` 1");
    refuse_with("{\"row\":\"session\"", "{\"row\":\"end\"", XYLEM_E_MALFORMED, "told:1: the row `end` has no member");
    refuse_with("{\"row\":\"created\"}", "{\"row\":\"session\"}", XYLEM_E_MALFORMED, "found a second");
    refuse_with("{\"row\":\"created\"}", "{\"row\":\"displaced\",\"entry\":\"a\"}", XYLEM_E_MALFORMED,
                "as many rows `displaced`");
    refuse_with("{\"row\":\"created\"}",
                "{\"row\":\"file\",\"path\":\"/x\",\"order\":1,\"displaced\":1}\n{\"row\":\"created\"}",
                XYLEM_E_MALFORMED, "told:3: expected as many rows `displaced`");
}

TAKE_TEST(members_that_do_not_fit_are_refused_with_their_names)
{
    make();
    refuse_with("\"entry\":\"b\"", "\"enrty\":\"b\"", XYLEM_E_MALFORMED,
                "told:4: the row `entry` has no member `enrty`");
    refuse_with("\"entry\":\"b\"", "\"entry\":7", XYLEM_E_MALFORMED,
                "the member `entry`: expected a string, or an object with `base64`, found 7");
    refuse_with("\"entry\":\"b\"", "\"entry\":{\"base64\":\"Yg=\"}", XYLEM_E_MALFORMED, "the member `entry`: ");
    refuse_with("\"entry\":\"b\"", "\"entry\":\"12345678901234567890123456789012345678901234567890123456789012345\"",
                XYLEM_E_LIMIT, "told:4: the id of an entry has more than 64 bytes");
    refuse_with("\"format\":\"json\"", "\"format\":\"xml\"", XYLEM_E_MALFORMED,
                "the member `format`: expected a word of docs/format.md, found \"xml\"");
    refuse_with("\"kind\":\"message\"", "\"kind\":\"a:b\"", XYLEM_E_MALFORMED, "the member `kind`: expected a kind");
    refuse_with("\"payload_hash\":\"", "\"payload_hash\":\"x", XYLEM_E_MALFORMED, "expected a string of 16 hex digits");
    refuse_with("{\"row\":\"created\"}", "{\"row\":\"side\",\"dialect\":256}", XYLEM_E_MALFORMED,
                "the member `dialect`: expected a whole number");
    refuse_with("{\"row\":\"created\"}", "{\"row\":\"side\",\"dialect\":\"x\"}", XYLEM_E_MALFORMED,
                "the member `dialect`: expected a whole number, found \"x\"");
    refuse_with("{\"row\":\"created\"}", "{\"row\":\"side\",\"count\":-1}", XYLEM_E_MALFORMED,
                "the member `count`: expected a whole number, found -1");
    refuse_with("{\"row\":\"created\"}", "{\"row\":\"redacted\",\"imported\":1}", XYLEM_E_MALFORMED,
                "the member `imported`: expected true or false, found 1");
    refuse_with("\"created\":\"", "\"created\":\"x", XYLEM_E_MALFORMED,
                "the member `created`: expected a time such as");
}

TAKE_TEST(rows_that_no_segment_may_have_are_refused_with_their_line)
{
    make();
    refuse_with("\"entry\":\"b\"", "\"entry\":\"\"", XYLEM_E_MALFORMED, "told:4: ");
    refuse_with("{\"row\":\"created\"}", "{\"row\":\"freed\"}", XYLEM_E_MALFORMED, "told:2: ");
    refuse_with("{\"row\":\"created\"}", "{\"row\":\"redacted\",\"entry\":\"a\",\"payload_hash\":\"ffffffffffffffff\"}",
                XYLEM_E_MALFORMED, "told:2: the segment is malformed: a redaction has invalid fields");
    refuse_with("{\"row\":\"created\"}", "{\"row\":\"file\",\"path\":\"\"}", XYLEM_E_MALFORMED,
                "told:2: the row has invalid fields");
    refuse_with("{\"row\":\"created\"}",
                "{\"row\":\"file\",\"path\":\"/x\",\"order\":1,\"displaced\":1}\n{\"row\":\"displaced\"}",
                XYLEM_E_MALFORMED, "told:3: the row has invalid fields");
    refuse_with("{\"row\":\"created\"}", "{\"row\":\"quarantined\",\"text\":\"x\",\"file\":\"/x\"}", XYLEM_E_MALFORMED,
                "told:2: the row has invalid fields");
}

TAKE_TEST(contents_that_contradict_each_other_are_refused)
{
    make();
    refuse_with("\\\"x\\\":1", "\\\"x\\\":2", XYLEM_E_MALFORMED, "told:4: the hash of the payload: expected ");
    refuse_with("\\\"enabled\\\":true}", "\\\"enabled\\\":true", XYLEM_E_MALFORMED, "told:3: ");
    refuse_with("\"entry\":\"d\",\"parent\":\"a\",\"kind\":\"message\"",
                "\"entry\":\"d\",\"parent\":\"a\",\"kind\":\"custom:x\"", XYLEM_E_MALFORMED,
                "an entry has invalid fields"); /* redacted, and so of no payload that becomes msgpack */
    refuse_with("\"redacted\":\"a key\"", "\"redacted\":\"a key\",\"payload\":\"{}\"", XYLEM_E_MALFORMED,
                "a redacted entry has a payload or a line");
    refuse_with("\"entry\":\"c\"", "\"entry\":\"C\"", XYLEM_E_MALFORMED, "the chain of the rows: expected ");
    refuse_with("\"parent\":\"b\"", "\"parent\":\"x\"", XYLEM_E_MALFORMED,
                "told:1-9: the entry c of the segment has the parent x, which the session s does");
    refuse_with("\"leaf\":\"d\"", "\"leaf\":\"x\"", XYLEM_E_MALFORMED, "names the entry x, which the session does not");
    tell("s");
    replace("\"entry\":\"c\"", "\"entry\":\"b\"");
    replace("\"chain\":", "\"chain\":null,\"leaf\":");
    assert_refused(XYLEM_E_MALFORMED, "told:");
}

static int stop(void *context, const void *data, size_t bytes)
{
    (void)context;
    (void)data;
    (void)bytes;
    return 1;
}

TAKE_TEST(an_export_stops_with_its_writer)
{
    uint64_t session = make();
    assert_int_equal(xylem_export_changes(owner.txn, session, stop, NULL, &err), XYLEM_E_STOPPED);
    assert_int_equal(xylem_export_changes(owner.txn, 999, stop, NULL, &err), XYLEM_E_NOT_FOUND);
}

/* --- A document of format 2 --------------------------------------------------------------------------------------- */

static int take_document(const char *json)
{
    xylem_base__buffer_clear(&told);
    assert_int_equal(xylem_buffer_add(&told, json, strlen(json)), 0);
    assert_int_equal(xylem_buffer_add(&told, "\n", 1), 0);
    return take();
}

static void refuse_document(const char *json, int code, const char *words)
{
    xylem_base__buffer_clear(&told);
    assert_int_equal(xylem_buffer_add(&told, json, strlen(json)), 0);
    assert_int_equal(xylem_buffer_add(&told, "\n", 1), 0);
    assert_refused(code, words);
}

static void make_imported(void)
{
    uint64_t session = store_builder_session(&follower, "s");
    store_builder_add(&follower, session, "a", "note", NULL);
    store_builder_add(&follower, session, "b", "note", NULL);
    store_builder_commit(&follower);
}

TAKE_TEST(a_document_of_format_2_gives_moves_leaf_files_quarantine_and_deletion)
{
    struct xylem_move move;
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined line;
    make_imported();
    store_builder_must(
        take_document(
            "{\"session\":\"s\",\"state\":\"deleted\",\"leaf\":\"b\",\"moves\":[{\"number\":1,\"time\":"
            "\"2026-11-20T17:18:05.515Z\",\"from\":\"b\",\"to\":null,\"reason\":\"why\"}],\"files\":[{\"path\":"
            "\"/gone\",\"bytes\":9}],\"lines\":[{\"line\":19,\"offset\":3856,\"hash\":\"f8765e98693e2021\","
            "\"type\":\"not-json\",\"file\":\"/gone\",\"bytes\":8,\"base64\":\"dG9ybjog/wo=\"}]}"),
        &err);
    struct xylem_session session = pair_find(&follower, "s");
    assert_int_equal(session.state, XYLEM_SESSION_DELETED);
    assert_int_equal(session.leaf.depth, 2);
    store_builder_must(xylem_move_read(&move, follower.txn, session.number, 1, &err), &err);
    assert_int_equal(move.time_ms, INT64_C(1795195085515));
    assert_memory_equal(move.reason.data, "why", 3);
    assert_int_equal(move.to.depth, 0);
    store_builder_must(xylem_quarantine_new(&quarantine, follower.txn, session.number, &err), &err);
    assert_int_equal(xylem_quarantine_next(&line, quarantine, &err), 1);
    assert_int_equal(line.line, 19);
    assert_memory_equal(line.raw.data, "torn: \xff\n", 8);
    xylem_quarantine_free(quarantine);
    uint64_t count = session.history.count;
    store_builder_must(take_document("{\"session\":\"s\",\"leaf\":\"a\",\"moves\":[]}"), &err);
    assert_int_equal(pair_find(&follower, "s").history.count, count); /* taken before */
}

TAKE_TEST(a_document_that_contradicts_its_session_file_is_refused)
{
    refuse_document("{\"session\":\"s\",\"moves\":[]}", XYLEM_E_NOT_FOUND, "told:1: ");
    make_imported();
    refuse_document("{\"session\":\"s\",\"leaf\":\"x\",\"moves\":[]}", XYLEM_E_MALFORMED,
                    "told:1: the document names the entry x, which the session file does not have");
    refuse_document("{\"session\":\"s\",\"moves\":[{\"to\":\"x\"}]}", XYLEM_E_MALFORMED, "names the entry x");
    refuse_document("{\"session\":\"s\",\"moves\":[{\"from\":\"x\"}]}", XYLEM_E_MALFORMED, "names the entry x");
    refuse_document("{\"session\":\"s\",\"moves\":[{\"time\":true}]}", XYLEM_E_MALFORMED, "the member `time`");
    refuse_document("{\"session\":\"s\",\"moves\":[],\"lines\":[{\"bytes\":8,\"file\":\"/f\",\"base64\":\"dG9y\"}]}",
                    XYLEM_E_MALFORMED, "expected the bytes of its hash");
    refuse_document("{\"session\":\"s\",\"moves\":[],\"lines\":[{\"bytes\":8,\"base64\":\"d\"}]}", XYLEM_E_MALFORMED,
                    "expected the bytes of its hash");
}
