/* The session that wrote a file last, for the message of a block. */
#include "tests/lib/one_store.h"
#include "tests/replay/reads/table_lib.h"

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)
#define KEY xylem_view_of("/p/f")

static uint64_t session_in(const char *id, const char *cwd)
{
    struct xylem_session session;
    struct xylem_error err = {0};
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    options.cwd = cwd ? xylem_view_of(cwd) : options.cwd;
    store_builder_must(xylem_session_create(&session, builder.txn, &options, &err), &err);
    return session.number;
}

/* The session says that it did something with /p/f at a time, in an entry with another file. */
static struct xylem_position says(uint64_t session, const char *by, int at, bool whole)
{
    char json[512];
    snprintf(
        json, sizeof json,
        "{\"version\":1,\"whole\":%s,\"files\":[{\"path\":\"/p/g\",\"hash\":\"a:00\",\"bytes\":0,\"at\":99999,"
        "\"by\":\"write\"},{\"path\":\"/p/f\",\"hash\":\"a:00\",\"bytes\":0,\"at\":%d,\"by\":\"%s\"}],\"gone\":[]}",
        whole ? "true" : "false", at, by);
    return store_builder_add(&builder, session, NULL, "custom:file-reads", json);
}

/* The id of the writer with the time: `b@20`; "" without a writer. */
static void assert_writer(uint64_t session, int64_t since_ms, const char *expected)
{
    struct xylem_last_writer writer = {.session = 0};
    struct xylem_error err = {0};
    char found[300] = "";
    int code = store_builder_must(xylem_reads_last_writer(&writer, builder.txn, session, KEY, since_ms, &err), &err);
    if (code > 0) {
        snprintf(found, sizeof found, "%.*s@%d", (int)writer.id.bytes, writer.id.data, (int)writer.at_ms);
    }
    assert_string_equal(found, expected);
}

IN_SCENE(the_newest_write_of_another_session_counts)
{
    uint64_t own = session_in("own", "/p");
    uint64_t a = session_in("a", "/p");
    uint64_t b = session_in("b", "/p");
    assert_writer(own, 0, "");
    says(own, "write", 99, false); /* its own writes are no news */
    says(b, "edit", 20, false);
    says(a, "write", 10, false);
    store_builder_messages(&builder, b, 3);
    assert_writer(own, 0, "b@20");
    says(b, "read", 30, false); /* a later read is no write */
    assert_writer(own, 0, "b@20");
    says(a, "write", 40, false);
    assert_writer(own, 0, "a@40");
    assert_writer(own, 40, "a@40");
    assert_writer(own, 41, "");
}

IN_SCENE(only_live_sessions_of_the_same_directory_count)
{
    uint64_t own = session_in("own", "/p");
    uint64_t other = session_in("other", "/q");
    uint64_t none = session_in("none", NULL);
    uint64_t gone = session_in("gone", "/p");
    says(other, "write", 10, false);
    says(none, "write", 10, false);
    says(gone, "write", 10, false);
    assert_writer(own, 0, "gone@10");
    assert_int_equal(xylem_session_delete(builder.txn, gone, NULL), 0);
    assert_writer(own, 0, "");
    assert_writer(none, 0, ""); /* a session without a directory has no neighbours */
}

/* The answer is an id, which means the session of that id in the namespace of the asking one. */
IN_SCENE(a_session_of_another_namespace_is_not_asked)
{
    struct xylem_session other;
    struct xylem_error err = {0};
    const struct xylem_session_options options = {
        .id = xylem_view_of("own"), .cwd = xylem_view_of("/p"), .name_space = xylem_view_of("another host")};
    uint64_t own = session_in("own", "/p");
    store_builder_must(xylem_session_create(&other, builder.txn, &options, &err), &err);
    says(other.number, "write", 10, false);
    assert_writer(own, 0, "");
    uint64_t a = session_in("a", "/p");
    says(a, "write", 5, false);
    assert_writer(own, 0, "a@5");
    assert_writer(other.number, 0, "");
}

IN_SCENE(a_shared_entry_counts_for_its_owner_alone)
{
    uint64_t own = session_in("own", "/p");
    uint64_t a = session_in("a", "/p");
    struct xylem_position shared = says(a, "write", 10, false);
    uint64_t fork = store_builder_fork(&builder, a, shared, XYLEM_FORK_AT, "fork");
    store_builder_messages(&builder, fork, 2);
    assert_writer(own, 0, "a@10");
    assert_writer(fork, 0, "a@10");
    assert_writer(a, 0, "");
    says(fork, "edit", 20, false);
    assert_writer(a, 0, "fork@20");
    assert_writer(own, 0, "fork@20");
}

IN_SCENE(an_entry_of_a_wrong_shape_names_nobody)
{
    uint64_t own = session_in("own", "/p");
    uint64_t a = session_in("a", "/p");
    says(a, "write", 10, false);
    store_builder_add(&builder, a, NULL, "custom:file-reads", "{\"version\":1,\"files\":[{\"path\":\"/p/f\"}]}");
    store_builder_add(&builder, a, NULL, "custom:file-reads", NULL);
    assert_writer(own, 0, "a@10");
}

IN_SCENE(the_search_is_bounded)
{
    uint64_t own = session_in("own", "/p");
    uint64_t a = session_in("a", "/p");
    says(a, "write", 10, false);
    for (unsigned i = 0; i < XYLEM_READS_ENTRIES_MAX - 1; i++) {
        says(a, "read", 20, false);
    }
    assert_writer(own, 0, "a@10");
    says(a, "read", 20, false); /* the write is the 34th entry now */
    assert_writer(own, 0, "");
    says(a, "write", 30, false);
    says(a, "read", 40, true); /* and here an entry with the whole table hides it */
    assert_writer(own, 0, "");
    says(a, "write", 50, false);
    for (unsigned i = 0; i < XYLEM_READS_SESSIONS_MAX; i++) {
        char id[16];
        assert_writer(own, 0, "a@50");
        snprintf(id, sizeof id, "n%u", i);
        store_builder_messages(&builder, session_in(id, "/p"), 1);
    }
    assert_writer(own, 0, ""); /* 64 sessions were written later */
}

TEST(the_age_of_a_write_is_said_in_words)
{
    static const struct {
        int64_t age_ms;
        const char *words;
    } cases[] = {
        {-5, "less than 1 min ago"},    {0, "less than 1 min ago"},
        {59999, "less than 1 min ago"}, {60000, "1 min ago"},
        {3600000, "60 min ago"},        {7199999, "119 min ago"},
        {7200000, "2 h ago"},           {172799999, "47 h ago"},
        {172800000, "2 days ago"},      {INT64_C(31536000000), "365 days ago"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xylem_last_writer writer = {.id = xylem_view_of("s\n1"), .at_ms = 1000};
        struct xylem_buffer message = {0};
        char expected[100];
        assert_int_equal(xylem_buffer_add(&message, "X.", 2), 0);
        assert_int_equal(xylem_reads_add_writer(&message, &writer, 1000 + cases[i].age_ms, NULL), 0);
        snprintf(expected, sizeof expected, "X. It was last written by session s\\x0a1, %s.", cases[i].words);
        assert_string_equal(message.data, expected);
        xylem_buffer_release(&message);
    }
}

IN_SCENE(a_writer_needs_a_place_and_a_session)
{
    struct xylem_last_writer writer = {.id = {NULL, 3}};
    struct xylem_buffer message = {0};
    assert_int_equal(xylem_reads_last_writer(NULL, builder.txn, 1, KEY, 0, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_reads_last_writer(&writer, builder.txn, 99, KEY, 0, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_reads_add_writer(&message, &writer, 0, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_reads_add_writer(&message, NULL, 0, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_reads_add_writer(NULL, &writer, 0, NULL), XYLEM_E_ARGUMENT);
}
