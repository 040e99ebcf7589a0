#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "store/lmdb/tables.h"
#include "store/outline.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/redact.h"

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

static struct xylem_error err;

/* A session with a message of that time. */
static uint64_t make_session(const char *id, const char *cwd, int64_t time_ms)
{
    struct xylem_session session;
    int64_t created_ms = 1000;
    struct xylem_session_options options = {.id = xylem_view_of(id), .created_ms = &created_ms};
    if (cwd) {
        options.cwd = xylem_view_of(cwd);
    }
    store_builder_must(xylem_session_create(&session, builder.txn, &options, &err), &err);
    uint64_t number = session.number;
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message"), .time_ms = &time_ms};
    store_builder_must(xylem_append(NULL, builder.txn, number, &entry, 1, NULL, &err), &err);
    return number;
}

/* The ids of the list, each followed by a space. */
static void assert_list(const struct xylem_outlines_options *options, const char *expected)
{
    struct xylem_outlines *outlines = NULL;
    struct xylem_session session;
    struct xylem_buffer ids = {NULL, 0, 0};
    int64_t active_ms;
    store_builder_must(xylem_outlines_new(&outlines, builder.txn, options, &err), &err);
    while (store_builder_must(xylem_outlines_next(&session, &active_ms, outlines, &err), &err) == 1) {
        xylem_buffer_add(&ids, session.id.data, session.id.bytes);
        xylem_buffer_add(&ids, " ", 1);
    }
    assert_false(xylem_outlines_damaged(outlines));
    xylem_outlines_free(outlines);
    assert_string_equal(ids.bytes ? ids.data : "", expected);
    xylem_buffer_release(&ids);
}

/* The list from the entries, from kept outlines, and from both. */
static void assert_lists(const struct xylem_outlines_options *options, const char *expected)
{
    assert_list(options, expected);
    store_builder_refresh(&builder);
    assert_list(options, expected);
    struct xylem_base__numbers stale = {NULL, 0, 0};
    store_builder_must(xylem_store__outline_stale(&stale, NULL, builder.txn, false, &err), &err);
    assert_int_equal(stale.count, 0);
    store_builder_must(xylem_store__outline_notice(builder.txn, 1, &err), &err);
    assert_list(options, expected);
}

IN_SCENE(the_last_active_comes_first_and_of_the_same_time_the_greater_number)
{
    make_session("a", NULL, 5000);
    make_session("b", NULL, 7000);
    make_session("c", NULL, 5000);
    make_session("old", NULL, -5000);
    store_builder_session(&builder, "empty"); /* its creation is now */
    assert_lists(NULL, "empty b c a old ");
}

IN_SCENE(a_list_goes_on_behind_a_session)
{
    make_session("a", "/p", 5000);
    uint64_t b = make_session("b", "/p/q", 4000);
    make_session("c", "/p", 4000); /* before b: of the same time */
    make_session("d", "/p", 3000);
    assert_lists(&(struct xylem_outlines_options){.after_ms = 4000, .after_session = b}, "d ");
    assert_lists(
        &(struct xylem_outlines_options){.directory = xylem_view_of("/p"), .after_ms = 4500, .after_session = 1},
        "c d ");
    assert_lists(
        &(struct xylem_outlines_options){
            .directory = xylem_view_of("/p"), .below = true, .after_ms = 4500, .after_session = 1},
        "c b d ");
}

IN_SCENE(a_directory_has_its_sessions_and_below_those_of_all_below)
{
    char deep[600] = "/deep";
    memset(deep + 5, 'd', 500);
    make_session("root", "/", 9000);
    make_session("p", "/p", 8000);
    make_session("slash", "/p/", 7000);
    make_session("q", "/p/q", 6000);
    make_session("beside", "/pq", 5000);
    make_session("none", NULL, 4000);
    make_session("deep", deep, 3000);
    struct xylem_outlines_options options = {.directory = xylem_view_of("/p")};
    assert_lists(&options, "p slash ");
    options.below = true;
    assert_lists(&options, "p slash q ");
    options.directory = xylem_view_of("/p/");
    assert_lists(&options, "p slash q ");
    options.directory = xylem_view_of("/");
    assert_lists(&options, "root p slash q beside deep ");
    options.below = false;
    assert_lists(&options, "root ");
    options.directory = xylem_view_of(deep);
    assert_lists(&options, "deep ");
    options.below = true;
    assert_lists(&options, "deep ");
    options.directory.bytes--; /* another path with the same cut key */
    assert_lists(&options, "");
}

IN_SCENE(a_session_whose_leaf_is_damaged_stands_at_its_creation)
{
    make_session("a", NULL, 5000);
    uint64_t b = make_session("b", NULL, 9000);
    store_builder_refresh(&builder);
    store_builder_damage(&builder, store_builder_leaf(&builder, b));
    assert_list(NULL, "b a "); /* the kept outline is as new as the session */
    store_builder_must(xylem_store__outline_head_write(builder.txn, &(struct xylem_store__outline_head){0, 0}, &err),
                       &err);
    struct xylem_session row = store_builder_read(&builder, b);
    store_builder_must(xylem_store__outline_drop(builder.txn, &row, &err), &err);
    struct xylem_outlines *outlines = NULL;
    struct xylem_session session;
    struct xylem_outline outline;
    int64_t active_ms;
    store_builder_must(xylem_outlines_new(&outlines, builder.txn, NULL, &err), &err);
    assert_true(xylem_outlines_damaged(outlines));
    assert_int_equal(xylem_outlines_next(&session, &active_ms, outlines, &err), 1);
    assert_true(xylem_base__view_is(session.id, "a"));
    assert_int_equal(xylem_outlines_next(&session, &active_ms, outlines, &err), 1);
    assert_int_equal(session.number, b);
    assert_int_equal(active_ms, 1000);
    assert_int_equal(xylem_outline_read(&outline, NULL, builder.txn, &session, &err), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_outlines_next(&session, &active_ms, outlines, &err), 0);
    xylem_outlines_free(outlines);
}

/* --- Names -------------------------------------------------------------------------------------------------------- */

static void assert_names(const char *expected, bool damaged)
{
    struct xylem_names *names = NULL;
    struct xylem_view name;
    uint64_t session;
    struct xylem_buffer found = {NULL, 0, 0};
    store_builder_must(xylem_names_new(&names, builder.txn, (struct xylem_view){NULL, 0}, &err), &err);
    while (store_builder_must(xylem_names_next(&session, &name, names, &err), &err) == 1) {
        xylem_base__buffer_add_format(&found, "%d:%.*s ", (int)session, (int)name.bytes, name.data);
    }
    assert_int_equal(xylem_names_damaged(names), damaged);
    xylem_names_free(names);
    assert_string_equal(found.bytes ? found.data : "", expected);
    xylem_buffer_release(&found);
}

static void set_name(uint64_t session, const char *name, int bytes)
{
    char json[700];
    (void)snprintf(json, sizeof json, "{\"name\":\"%.*s\"}", bytes, name);
    store_builder_add(&builder, session, NULL, "session_info", json);
}

IN_SCENE(a_name_is_known_however_long_it_is)
{
    char name[500];
    char expected[2000];
    memset(name, 'n', sizeof name);
    const int bytes[] = {1, XYLEM_FORMAT__NAME_KEY_BYTES_MAX, XYLEM_FORMAT__NAME_KEY_BYTES_MAX + 1};
    int end = 0;
    for (int i = 0; i < 3; i++) {
        set_name(store_builder_session(&builder, (char[]){(char)('a' + i), 0}), name, bytes[i]);
        end += snprintf(expected + end, sizeof expected - (size_t)end, "%d:%.*s ", i + 1, bytes[i], name);
    }
    assert_names(expected, false);
    store_builder_refresh(&builder);
    struct xylem_names *names = NULL;
    struct xylem_view found;
    uint64_t session;
    unsigned seen = 0;
    store_builder_must(xylem_names_new(&names, builder.txn, (struct xylem_view){NULL, 0}, &err), &err);
    while (store_builder_must(xylem_names_next(&session, &found, names, &err), &err) == 1) {
        assert_int_equal(found.bytes, bytes[session - 1]);
        assert_memory_equal(found.data, name, found.bytes);
        seen |= 1u << session;
    }
    xylem_names_free(names);
    assert_int_equal(seen, 0xe);
}

IN_SCENE(a_new_name_counts_at_once_and_a_name_that_goes_is_gone)
{
    uint64_t session = store_builder_session(&builder, "s");
    set_name(session, "old", 3);
    store_builder_refresh(&builder);
    assert_names("1:old ", false);
    store_builder_messages(&builder, session, 1);
    assert_names("1:old ", false);
    set_name(session, "new", 3);
    assert_names("1:new ", false);
    store_builder_refresh(&builder);
    assert_names("1:new ", false);
    set_name(session, "", 0);
    assert_names("", false);
    store_builder_refresh(&builder);
    assert_names("", false);
}

IN_SCENE(one_name_is_found_alone)
{
    struct xylem_names *names = NULL;
    struct xylem_view name;
    uint64_t session;
    char long_name[500];
    memset(long_name, 'n', sizeof long_name);
    set_name(store_builder_session(&builder, "a"), "name", 4);
    set_name(store_builder_session(&builder, "b"), "name 2", 6);
    set_name(store_builder_session(&builder, "c"), long_name, 450);
    store_builder_refresh(&builder);
    set_name(store_builder_session(&builder, "d"), "name", 4);
    set_name(store_builder_session(&builder, "e"), "other", 5);
    const struct xylem_view wanted[] = {
        xylem_view_of("name"), {long_name, 450}, {long_name, 449}, xylem_view_of("nam")};
    const uint64_t found[] = {1, 4, 0, 3, 0, 0, 0};
    size_t at = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        store_builder_must(xylem_names_new(&names, builder.txn, wanted[i], &err), &err);
        while (store_builder_must(xylem_names_next(&session, &name, names, &err), &err) == 1) {
            assert_true(xylem_base__view_equal(name, wanted[i]));
            assert_int_equal(session, found[at++]);
        }
        assert_int_equal(found[at++], 0);
        xylem_names_free(names);
    }
}

IN_SCENE(a_damaged_name_is_left_out_and_told)
{
    uint64_t session = store_builder_session(&builder, "s");
    set_name(session, "name", 4);
    struct xylem_position at = store_builder_leaf(&builder, session);
    store_builder_messages(&builder, session, 1);
    set_name(store_builder_session(&builder, "t"), "other", 5);
    store_builder_damage(&builder, at);
    assert_names("2:other ", true);
}

/* --- Refresh ------------------------------------------------------------------------------------------------------ */

static uint64_t refresh(void)
{
    uint64_t count = 99;
    store_builder_commit(&builder);
    xylem_abort(builder.txn);
    builder.txn = NULL;
    store_builder_must(xylem_outlines_refresh(&count, builder.store, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    return count;
}

IN_SCENE(only_stale_outlines_are_made_again)
{
    uint64_t a = make_session("a", NULL, 5000);
    uint64_t b = make_session("b", NULL, 6000);
    make_session("c", NULL, 7000);
    assert_int_equal(refresh(), 3);
    assert_int_equal(refresh(), 0);
    store_builder_messages(&builder, a, 1);
    assert_int_equal(refresh(), 1);
    store_builder_go(&builder, b, (struct xylem_position){0, 0});
    assert_int_equal(refresh(), 1);
    store_builder_fork(&builder, a, store_builder_leaf(&builder, a), XYLEM_FORK_AT, "fork");
    assert_int_equal(refresh(), 1);
    store_builder_must(xylem_session_delete(builder.txn, b, &err), &err);
    assert_int_equal(refresh(), 0);
}

static void assert_counts(uint64_t session, uint64_t entry_count, uint64_t tip_count)
{
    struct xylem_session row = store_builder_read(&builder, session);
    struct xylem_outline outline;
    store_builder_must(xylem_outline_read(&outline, NULL, builder.txn, &row, &err), &err);
    assert_int_equal(outline.entry_count, entry_count);
    assert_int_equal(outline.tip_count, tip_count);
}

/*
 * The kept outline of a session that grew at its leaf is taken along. Here as many entries stand behind the kept leaf
 * as are new, and are not the new ones.
 */
IN_SCENE(what_grew_elsewhere_than_at_the_leaf_counts_too)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position root = store_builder_messages(&builder, session, 1);
    struct xylem_position old = store_builder_messages(&builder, session, 1);
    store_builder_go(&builder, session, root);
    store_builder_refresh(&builder);
    store_builder_add_at(&builder, session, root, "third branch", "message", NULL);
    store_builder_add_at(&builder, session, old, NULL, "message", NULL);
    assert_counts(session, 4, 2);
}

IN_SCENE(what_grew_in_the_source_of_a_fork_does_not_count)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position root = store_builder_messages(&builder, source, 1);
    uint64_t fork = store_builder_fork(&builder, source, root, XYLEM_FORK_AT, "fork");
    store_builder_refresh(&builder);
    store_builder_messages(&builder, source, 1);
    store_builder_messages(&builder, fork, 1);
    store_builder_go(&builder, fork, root);
    assert_counts(fork, 2, 1);
    assert_counts(source, 2, 1);
}

/* With many lsns for each session, the rows of all sessions are read in the place of the feed. */
IN_SCENE(the_sessions_that_grew_are_found_also_behind_very_many_lsns)
{
    uint64_t a = make_session("a", NULL, 5000);
    make_session("b", NULL, 6000);
    assert_int_equal(refresh(), 2);
    for (int i = 0; i < 40; i++) {
        store_builder_messages(&builder, a, 1);
    }
    assert_int_equal(refresh(), 1);
    assert_list(NULL, "a b ");
}

IN_SCENE(a_session_that_cannot_be_read_stays_stale)
{
    uint64_t a = make_session("a", NULL, 5000);
    make_session("b", NULL, 6000);
    store_builder_damage(&builder, store_builder_leaf(&builder, a));
    assert_int_equal(refresh(), 1);
    struct xylem_base__numbers stale = {NULL, 0, 0};
    store_builder_must(xylem_store__outline_stale(&stale, NULL, builder.txn, false, &err), &err);
    assert_int_equal(stale.count, 1);
    assert_int_equal(stale.list[0], a);
    free(stale.list);
}

IN_SCENE(a_store_that_cannot_be_written_is_left_as_it_is)
{
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store = NULL;
    uint64_t count = 99;
    make_session("a", NULL, 5000);
    store_builder_commit(&builder);
    xylem_abort(builder.txn);
    builder.txn = NULL;
    store_builder_must(xylem_close(builder.store, &err), &err);
    store_builder_must(xylem_open(&store, builder.path, &options, &err), &err);
    assert_int_equal(xylem_outlines_refresh(&count, store, &err), XYLEM_E_READ_ONLY);
    assert_int_equal(count, 99);
    store_builder_must(xylem_close(store, &err), &err);
    options.read_only = false;
    store_builder_must(xylem_open(&builder.store, builder.path, &options, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
}

/* --- Words -------------------------------------------------------------------------------------------------------- */

static void assert_words(uint64_t session, const char *first, const char *last)
{
    struct xylem_session row = store_builder_read(&builder, session);
    struct xylem_buffer words[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    store_builder_must(xylem_outline_words(&words[0], &words[1], builder.txn, &row, &err), &err);
    assert_string_equal(words[0].bytes ? words[0].data : "", first);
    assert_string_equal(words[1].bytes ? words[1].data : "", last);
    xylem_buffer_release(&words[0]);
    xylem_buffer_release(&words[1]);
}

IN_SCENE(words_are_the_first_text_of_the_first_and_of_the_newest_message)
{
    uint64_t session = store_builder_session(&builder, "s");
    assert_words(session, "", "");
    store_builder_add(&builder, session, NULL, "model_change", "{\"modelId\":\"m\"}");
    store_builder_add(&builder, session, NULL, "message",
                      "{\"message\":{\"role\":\"assistant\",\"content\":\"hello\"}}");
    assert_words(session, "", "hello");
    store_builder_add(&builder, session, NULL, "message", "{\"role\":\"user\",\"content\":\" \\n one \"}");
    store_builder_add(&builder, session, NULL, "message", "{\"message\":{\"role\":\"user\",\"content\":\"two\"}}");
    assert_words(session, "one", "two");
    store_builder_add(&builder, session, NULL, "message",
                      "{\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"t\"},"
                      "{\"type\":\"text\",\"text\":\" \"},{\"type\":\"text\",\"text\":\"three\"}]}}");
    store_builder_add(&builder, session, NULL, "custom:note", "\"a note\"");
    assert_words(session, "one", "three");
    store_builder_refresh(&builder);
    assert_words(session, "one", "three");
    store_builder_add(&builder, session, NULL, "message", "[1]");
    assert_words(session, "one", "");
}

IN_SCENE(a_message_without_text_has_other_words)
{
    static const struct {
        const char *json;
        const char *words;
    } messages[] = {
        {"{\"role\":\"assistant\",\"content\":[],\"errorMessage\":\"no answer\"}", "no answer"},
        {"{\"role\":\"bashExecution\",\"command\":\"ls -l\",\"output\":\"x\"}", "ls -l"},
        {"{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\"},{\"type\":\"toolCall\",\"name\":\"read\"}]}",
         "read"},
        {"{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"data\":\"AAAA\"}]}", "image"},
        {"{\"role\":\"user\",\"content\":[{\"type\":\"image\"},{\"type\":\"text\",\"text\":\"text\"}],"
         "\"errorMessage\":\"e\"}",
         "text"},
        {"{\"role\":\"user\",\"content\":[]}", ""},
    };
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        store_builder_add(&builder, session, NULL, "message", messages[i].json);
        assert_words(session, i < 3 ? "" : "image", messages[i].words);
    }
}

IN_SCENE(words_have_120_bytes_and_no_half_character)
{
    char text[300] = "";
    char json[400];
    char expected[200];
    uint64_t session = store_builder_session(&builder, "s");
    memset(text, 'x', XYLEM_OUTLINE_WORDS_BYTES_MAX);
    (void)snprintf(json, sizeof json, "{\"role\":\"user\",\"content\":\"%s\"}", text);
    store_builder_add(&builder, session, NULL, "message", json);
    assert_words(session, text, text);
    strcpy(text + XYLEM_OUTLINE_WORDS_BYTES_MAX - 5, "\U0001f600 and more"); /* bytes 115 to 118 */
    (void)snprintf(json, sizeof json, "{\"role\":\"user\",\"content\":\"%s\"}", text);
    store_builder_add(&builder, session, NULL, "message", json);
    (void)snprintf(expected, sizeof expected, "%.*s\u2026", XYLEM_OUTLINE_WORDS_BYTES_MAX - 5, text);
    memset(text, 'x', XYLEM_OUTLINE_WORDS_BYTES_MAX);
    text[XYLEM_OUTLINE_WORDS_BYTES_MAX] = '\0';
    assert_words(session, text, expected);
}

IN_SCENE(a_person_is_looked_for_among_the_first_64_entries)
{
    uint64_t near = store_builder_session(&builder, "near");
    uint64_t far = store_builder_session(&builder, "far");
    store_builder_messages(&builder, near, 63);
    store_builder_messages(&builder, far, 64);
    store_builder_add(&builder, near, NULL, "message", "{\"role\":\"user\",\"content\":\"hi\"}");
    store_builder_add(&builder, far, NULL, "message", "{\"role\":\"user\",\"content\":\"hi\"}");
    assert_words(near, "hi", "hi");
    assert_words(far, "", "hi");
}

/* --- Hostile and damaged tables ----------------------------------------------------------------------------------- */

/* A directory with a NUL begins like the directory before the NUL, and its sessions stand between the others. */
IN_SCENE(a_directory_with_a_nul_hides_no_session)
{
    struct xylem_session session;
    make_session("new", "/z", 9000);
    int64_t created_ms = 5000;
    struct xylem_session_options options = {
        .id = xylem_view_of("nul"), .created_ms = &created_ms, .cwd = {"/z\0\0\0\0\0\0\0\0\0", 11}};
    store_builder_must(xylem_session_create(&session, builder.txn, &options, &err), &err);
    make_session("old", "/z", 1000);
    struct xylem_outlines_options in = {.directory = xylem_view_of("/z")};
    assert_lists(&in, "new old ");
    in.directory = options.cwd;
    assert_lists(&in, "nul ");
}

/* Flips a bit of the sum of the row. */
static void damage_row(const struct xylem_format__key *key)
{
    struct xylem_view row;
    struct xylem_buffer copy = {NULL, 0, 0};
    assert_int_equal(xylem_lmdb__get(&row, builder.txn, XYLEM_FORMAT__OUTLINES, key->view, &err), 1);
    store_builder_must(xylem_buffer_add(&copy, row.data, row.bytes), &err);
    copy.data[copy.bytes - 1] ^= 1;
    store_builder_must(
        xylem_lmdb__put(builder.txn, XYLEM_FORMAT__OUTLINES, key->view, xylem_base__buffer_view(&copy), true, &err),
        &err);
    xylem_buffer_release(&copy);
}

/* The key of a row of each tag. */
static void key_of(struct xylem_format__key *key, unsigned tag, uint64_t session)
{
    switch (tag) {
    case XYLEM_FORMAT__OUTLINE_HEAD:
        xylem_format__key_outline_tag(key, XYLEM_FORMAT__OUTLINE_HEAD);
        break;
    case XYLEM_FORMAT__OUTLINE_ACTIVE:
        xylem_format__key_outline_active(key, 6000, session);
        break;
    case XYLEM_FORMAT__OUTLINE_DIRECTORY:
        xylem_format__key_outline_directory(key, xylem_view_of("/p"), 6000, session);
        break;
    case XYLEM_FORMAT__OUTLINE_NAME:
        xylem_format__key_outline_name(key, xylem_view_of("name"), session);
        break;
    default:
        xylem_format__key_outline(key, (enum xylem_format__outline_tag)tag, session);
    }
}

/* Lists are right with a damaged row of any tag, redaction and gc go on, and a refresh makes the table anew. */
IN_SCENE(a_damaged_row_hides_nothing_stops_nothing_and_goes_with_the_next_refresh)
{
    for (unsigned tag = XYLEM_FORMAT__OUTLINE_HEAD; tag <= XYLEM_FORMAT__OUTLINE_WORDS; tag++) {
        char named[32];
        struct xylem_format__key key;
        struct xylem_redact_report report;
        struct xylem_verify_report verified;
        const struct xylem_redact_options reason = {.reason = xylem_view_of("r")};
        uint64_t a = make_session("a", "/p", 7000);
        uint64_t b = make_session("b", "/p", 6000);
        int64_t ms = 6000;
        struct xylem_new_entry entries[] = {{.kind.name = xylem_view_of("session_info"),
                                             .format = XYLEM_FORMAT_JSON,
                                             .payload = xylem_view_of("{\"name\":\"name\"}"),
                                             .time_ms = &ms},
                                            {.kind.name = xylem_view_of("message"),
                                             .format = XYLEM_FORMAT_JSON,
                                             .payload = xylem_view_of("{\"role\":\"user\",\"content\":\"secret\"}"),
                                             .time_ms = &ms}};
        store_builder_must(xylem_append(NULL, builder.txn, b, entries, 2, NULL, &err), &err);
        struct xylem_position secret = store_builder_leaf(&builder, b);
        store_builder_refresh(&builder);
        store_builder_must(xylem_store__outline_notice(builder.txn, b, &err), &err);
        key_of(&key, tag, b);
        damage_row(&key);
        assert_list(NULL, "a b ");
        assert_list(&(struct xylem_outlines_options){.directory = xylem_view_of("/p"), .below = true}, "a b ");
        (void)snprintf(named, sizeof named, "%d:name ", (int)b);
        assert_names(named, false);
        assert_words(b, "secret", "secret");
        store_builder_must(xylem_redact(&report, builder.txn, b, secret, &reason, &err), &err);
        xylem_redact_report_release(&report);
        assert_words(b, "", "");
        store_builder_refresh(&builder);
        assert_list(NULL, "a b ");
        store_builder_must(xylem_verify(&verified, builder.txn, NULL, NULL, NULL, &err), &err);
        assert_int_equal(verified.problem_count, 0);
        key_of(&key, XYLEM_FORMAT__OUTLINE_ROW, a);
        damage_row(&key);
        store_builder_must(xylem_session_delete(builder.txn, a, &err), &err);
        store_builder_must(xylem_session_delete(builder.txn, b, &err), &err);
        store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
        store_builder_refresh(&builder);
        assert_list(NULL, "");
    }
}

IN_SCENE(a_row_with_a_flag_of_no_version_is_damaged)
{
    static char row[8 + 16 + 8 + 8 + 8 + 1 + 4]; /* the flags, and a name of no bytes */
    struct xylem_store__outline outline;
    row[sizeof row - 5] = 7;
    assert_true(xylem_store__outline_decode(&outline, (struct xylem_view){row, sizeof row}));
    row[sizeof row - 5] = 8;
    assert_false(xylem_store__outline_decode(&outline, (struct xylem_view){row, sizeof row}));
}

IN_SCENE(a_head_beyond_the_store_hides_no_new_session)
{
    const struct xylem_store__outline_head heads[] = {{UINT64_MAX, 1}, {1, UINT64_MAX}};
    make_session("a", NULL, 7000);
    store_builder_refresh(&builder);
    for (size_t i = 0; i < 2; i++) {
        store_builder_must(xylem_store__outline_head_write(builder.txn, &heads[i], &err), &err);
        make_session(i == 0 ? "b" : "c", NULL, 6000 - (int64_t)i);
        assert_list(NULL, i == 0 ? "a b " : "a b c ");
        store_builder_refresh(&builder);
        assert_list(NULL, i == 0 ? "a b " : "a b c ");
    }
}

IN_SCENE(a_row_of_a_session_that_does_not_exist_hides_no_other_session)
{
    make_session("a", "/p", 7000);
    make_session("b", "/p", 5000);
    store_builder_refresh(&builder);
    for (unsigned tag = XYLEM_FORMAT__OUTLINE_ACTIVE; tag <= XYLEM_FORMAT__OUTLINE_DIRECTORY; tag++) {
        struct xylem_format__key key;
        struct xylem_buffer row = {NULL, 0, 0};
        key_of(&key, tag, 999);
        store_builder_must(
            xylem_lmdb__put_summed(builder.txn, XYLEM_FORMAT__OUTLINES, key.view, &row, true, true, &err), &err);
    }
    assert_list(NULL, "a b ");
    assert_list(&(struct xylem_outlines_options){.directory = xylem_view_of("/p")}, "a b ");
    assert_list(&(struct xylem_outlines_options){.directory = xylem_view_of("/p"), .below = true}, "a b ");
}
