/* Sessions of namespaces travel under their names, and meet no session of another namespace. */
#include "tests/travel/pair.h"

#include "xylem/branch.h"
#include "xylem/files.h"

static const struct xylem_view none = {NULL, 0};

static uint64_t make_in(struct store_builder *builder, struct xylem_view name_space, const char *id)
{
    struct xylem_session session;
    const struct xylem_session_options options = {.id = xylem_view_of(id), .name_space = name_space};
    store_builder_must(xylem_session_create(&session, builder->txn, &options, &err), &err);
    return session.number;
}

static uint64_t fork_in(uint64_t source, struct xylem_position at, struct xylem_view name_space, const char *id)
{
    struct xylem_session session;
    const struct xylem_session_options options = {.id = xylem_view_of(id), .name_space = name_space};
    store_builder_must(xylem_fork(&session, owner.txn, source, at, XYLEM_FORK_AT, &options, &err), &err);
    return session.number;
}

/* The follower's session must have entries with these ids, the newest first. */
static void assert_path_in(struct xylem_view name_space, const char *id, const char *expected)
{
    struct xylem_session session;
    struct xylem_buffer ids = {0};
    store_builder_must(xylem_session_find_in(&session, follower.txn, name_space, xylem_view_of(id), &err), &err);
    store_builder_path_ids(&ids, &follower, session.leaf);
    assert_string_equal(ids.data, expected);
    xylem_buffer_release(&ids);
}

TRAVEL_TEST(sessions_of_one_id_travel_to_their_namespaces)
{
    static char text[XYLEM_NAMESPACE_BYTES_MAX];
    memset(text, 'n', sizeof text);
    const struct xylem_view spaces[] = {none, {"a", 1}, {"b", 1}, {text, sizeof text}};
    for (size_t i = 0; i < 4; i++) {
        uint64_t session = make_in(&owner, spaces[i], "s");
        store_builder_add(&owner, session, (const char[]){(char)('a' + i), '\0'}, "message", NULL);
    }
    pack_all(&segments, &owner);
    apply_all(&segments);
    static const char *const paths[] = {"a ", "b ", "c ", "d "};
    for (size_t i = 0; i < 4; i++) {
        struct xylem_segment segment;
        store_builder_must(xylem_segment_read(&segment, segment_at(&segments, i), &err), &err);
        assert_true(xylem_base__view_equal(segment.name_space, spaces[i]));
        assert_path_in(spaces[i], "s", paths[i]);
        assert_known(&follower, segment_at(&segments, i));
    }
    /* The next segment of a session finds it again. */
    struct xylem_session session;
    store_builder_must(xylem_session_find_in(&session, owner.txn, spaces[2], xylem_view_of("s"), &err), &err);
    store_builder_add(&owner, session.number, "more", "message", NULL);
    const struct xylem_pack_options behind = {.from = session.history.count + 1};
    segments_release(&segments);
    store_builder_must(try_pack(&segments, &owner, session.number, &behind), &err);
    apply_all(&segments);
    assert_path_in(spaces[2], "s", "more c ");
    assert_path_in(spaces[1], "s", "b ");
}

/* Forks of one id in two namespaces, with their bases in the other one. */
TRAVEL_TEST(a_fork_names_the_namespace_of_its_base)
{
    uint64_t plain = make_in(&owner, none, "s");
    uint64_t spaced = make_in(&owner, xylem_view_of("a"), "s");
    struct xylem_position first = store_builder_add(&owner, plain, "same", "message", "{\"n\":1}");
    struct xylem_position second = store_builder_add(&owner, spaced, "same", "message", "{\"n\":2}");
    store_builder_add(&owner, fork_in(plain, first, xylem_view_of("a"), "f"), "x", "message", NULL);
    store_builder_add(&owner, fork_in(spaced, second, (struct xylem_view){"", 0}, "f"), "y", "message", NULL);
    pack_all(&segments, &owner);
    assert_int_equal(segments.count, 4);
    refuse(&follower, segment_at(&segments, 2), XYLEM_E_NOT_FOUND, "is not in the store");
    store_builder_must(try_apply(&follower, segment_at(&segments, 0)), &err);
    store_builder_commit(&follower);
    refuse(&follower, segment_at(&segments, 3), XYLEM_E_NOT_FOUND, "is not in the store");
    apply_all(&segments);
    struct xylem_session session;
    struct xylem_entry base;
    struct xylem_view payload;
    assert_path_in(xylem_view_of("a"), "f", "x same ");
    store_builder_must(xylem_session_find(&session, follower.txn, xylem_view_of("f"), &err), &err);
    store_builder_must(xylem_entry_read(&base, follower.txn, session.base, &err), &err);
    store_builder_must(xylem_entry_payload(&payload, &base, &err), &err);
    assert_true(xylem_base__view_is(payload, "{\"n\":2}"));
}

TRAVEL_TEST(remains_of_a_freed_session_keep_its_namespace)
{
    uint64_t plain = make_in(&owner, none, "s");
    uint64_t spaced = make_in(&owner, xylem_view_of("a"), "s");
    store_builder_add(&owner, plain, "plain", "message", NULL);
    struct xylem_position base = store_builder_add(&owner, spaced, "base", "message", NULL);
    store_builder_add(&owner, fork_in(spaced, base, none, "f"), "x", "message", NULL);
    store_builder_must(xylem_session_delete(owner.txn, spaced, &err), &err);
    store_builder_must(xylem_gc(NULL, owner.txn, NULL, &err), &err);
    store_builder_commit(&owner);
    pack_all(&segments, &owner);
    struct xylem_segment segment;
    store_builder_must(xylem_segment_read(&segment, segment_at(&segments, 1), &err), &err);
    assert_true(segment.freed && xylem_base__view_is(segment.name_space, "a"));
    store_builder_must(xylem_segment_read(&segment, segment_at(&segments, 2), &err), &err);
    assert_true(xylem_base__view_is(segment.base_name_space, "a"));
    apply_all(&segments);
    assert_path_in(xylem_view_of("a"), "f", "x base ");
    assert_path_in(none, "s", "plain ");
    for (size_t i = 0; i < segments.count; i++) {
        assert_known(&follower, segment_at(&segments, i));
    }
}

TRAVEL_TEST(a_namespace_that_a_pattern_matches_does_not_travel)
{
    struct xylem_patterns *patterns = NULL;
    store_builder_must(xylem_patterns_new(&patterns, xylem_view_of("secret"), &err), &err);
    const struct xylem_pack_options options = {
        .patterns = patterns, .patterns_sum = 7, .reason = xylem_view_of("matched")};
    uint64_t session = make_in(&owner, xylem_view_of("/my/secret/project"), "s");
    assert_int_equal(try_pack(&segments, &owner, session, &options), XYLEM_E_CONFLICT);
    assert_non_null(strstr(err.text, "a pattern matches the namespace of a session"));
    struct xylem_position at = store_builder_add(&owner, session, "a-secret-id", "message", NULL);
    uint64_t fork = fork_in(session, at, (struct xylem_view){"", 0}, "f");
    assert_int_equal(try_pack(&segments, &owner, fork, &options), XYLEM_E_CONFLICT);
    assert_non_null(strstr(err.text, "a pattern matches the namespace of the source of a fork"));
    uint64_t named = make_in(&owner, xylem_view_of("n"), "a secret");
    at = store_builder_add(&owner, named, "1", "message", NULL);
    fork = fork_in(named, at, (struct xylem_view){"", 0}, "g");
    assert_int_equal(try_pack(&segments, &owner, fork, &options), XYLEM_E_CONFLICT);
    assert_non_null(strstr(err.text, "a pattern matches the id of the source of a fork"));
    uint64_t plain = make_in(&owner, xylem_view_of("n"), "plain");
    at = store_builder_add(&owner, plain, "a-secret-entry", "message", NULL);
    fork = fork_in(plain, at, (struct xylem_view){"", 0}, "h");
    assert_int_equal(try_pack(&segments, &owner, fork, &options), XYLEM_E_CONFLICT);
    assert_non_null(strstr(err.text, "a pattern matches the id of an entry"));
    xylem_patterns_free(patterns);
}

/* Replaces the byte at an offset, and makes the sum right. */
static int read_changed(size_t at, char byte)
{
    struct xylem_segment segment;
    struct xylem_buffer *bytes = &segments.list[0];
    char before = bytes->data[at];
    bytes->data[at] = byte;
    struct xylem_view content = {bytes->data, bytes->bytes - 8};
    xylem_base__put_u64((unsigned char *)bytes->data + content.bytes, xylem_format__hash(content));
    int code = xylem_segment_read(&segment, segment_at(&segments, 0), &err);
    bytes->data[at] = before;
    return code;
}

/* version, flags, id `s` with its length, namespace `a` with its length */
TRAVEL_TEST(a_segment_with_a_false_namespace_is_malformed)
{
    store_builder_add(&owner, make_in(&owner, xylem_view_of("a"), "s"), "x", "message", NULL);
    pack_all(&segments, &owner);
    assert_int_equal(segments.list[0].data[7], 1);
    assert_int_equal(segments.list[0].data[11], 'a');
    assert_int_equal(read_changed(11, 'b'), XYLEM_OK);
    assert_int_equal(read_changed(11, '\xff'), XYLEM_E_MALFORMED);
    assert_int_equal(read_changed(7, 0), XYLEM_E_MALFORMED);
    assert_int_equal(read_changed(1, (char)(segments.list[0].data[1] | 0x10)), XYLEM_E_MALFORMED);
}
