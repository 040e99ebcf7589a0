/* Another history under the same id is told from the first change that differs. */
#include "tests/travel/pair.h"

/* An entry as an import would append it, or a host. */
struct made_entry {
    const char *id;
    const char *parent; /* NULL: a root */
    struct xylem_kind kind;
    int64_t time_ms;
    enum xylem_format format;
    const char *payload;
    const char *line;
    bool imported;
};

static const struct made_entry usual = {
    "c", "b", {XYLEM_CLASS_HOST, {"message", 7}}, 1003, XYLEM_FORMAT_JSON, "{\"c\":1}", "{ \"c\" : 1 }", true};

static void append(struct store_builder *builder, uint64_t session, const struct made_entry *made)
{
    struct xylem_new_entry entry = {.id = xylem_view_of(made->id),
                                    .kind = made->kind,
                                    .time_ms = &made->time_ms,
                                    .format = made->format,
                                    .payload = xylem_view_of(made->payload)};
    struct xylem_append_options given = {.parent = XYLEM_PARENT_NONE};
    struct xylem_view line = xylem_view_of(made->line);
    const struct xylem_store__append_options options = {
        .given = &given, .imported = made->imported, .leaf_follows = made->imported, .lines = &line};
    if (made->parent) {
        given.parent = XYLEM_PARENT_AT;
        given.parent_position = store_builder_find(builder, session, made->parent);
    }
    store_builder_must(xylem_store__append(NULL, builder->txn, session, &entry, 1, &options, &err), &err);
}

/* A session of two entries, then one more, and a fourth that is the same everywhere. */
static uint64_t make(struct store_builder *builder, const struct made_entry *third)
{
    uint64_t session = store_builder_session(builder, "s");
    const struct made_entry first[] = {
        {"a", NULL, {XYLEM_CLASS_HOST, {"message", 7}}, 1001, XYLEM_FORMAT_JSON, "{\"a\":1}", NULL, false},
        {"b", "a", {XYLEM_CLASS_HOST, {"message", 7}}, 1002, XYLEM_FORMAT_JSON, "{\"b\":1}", NULL, false}};
    const struct made_entry fourth = {"d",  "a",  {XYLEM_CLASS_HOST, {"message", 7}}, 1004, XYLEM_FORMAT_NONE, NULL,
                                      NULL, false};
    append(builder, session, &first[0]);
    append(builder, session, &first[1]);
    append(builder, session, third);
    append(builder, session, &fourth);
    return session;
}

#define THIRD 4u /* its ordinal: the session was created, then come a and b */

static void assert_differs(const struct made_entry *other)
{
    make(&owner, &usual);
    make(&follower, other);
    store_builder_commit(&follower);
    pack_anew("s");
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "change 4 ");
    assert_int_equal(report.differs, THIRD);
    assert_int_equal(report.change_count, 0);
    assert_int_equal(report.session, pair_number(&follower, "s"));
}

TRAVEL_TEST(the_same_history_is_no_conflict)
{
    make(&owner, &usual);
    make(&follower, &usual);
    pack_anew("s");
    assert_known(&follower, segment_at(&segments, 0));
    assert_int_equal(pair_find(&owner, "s").history.chain, pair_find(&follower, "s").history.chain);
}

#define DIFFERS(test, member, value)    \
    TRAVEL_TEST(test)                   \
    {                                   \
        struct made_entry made = usual; \
        made.member = value;            \
        assert_differs(&made);          \
    }

DIFFERS(another_time_is_another_history, time_ms, 1005)
DIFFERS(another_id_is_another_history, id, "e")
DIFFERS(another_parent_is_another_history, parent, "a")
DIFFERS(no_parent_is_another_history, parent, NULL)
DIFFERS(another_kind_is_another_history, kind.name, xylem_view_of("note"))
DIFFERS(another_payload_is_another_history, payload, "{\"c\":2}")
DIFFERS(another_line_is_another_history, line, "{\"c\" : 1 }")
DIFFERS(no_line_is_another_history, line, NULL)
DIFFERS(an_entry_that_was_not_imported_is_another_history, imported, false)

/* The third entry is one here, and the other one there. */
static void assert_other(const struct made_entry *mine, const struct made_entry *other, bool drop_hash)
{
    make(&owner, mine);
    make(&follower, other);
    if (drop_hash) {
        redact_entry(&owner, "s", "c", true);
    }
    store_builder_commit(&follower);
    const struct xylem_pack_options options = {.to = 6};
    pack_with(&segments, &owner, "s", &options);
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "change 4 is an entry with another content");
    assert_int_equal(report.differs, THIRD);
}

TRAVEL_TEST(another_class_is_another_history)
{
    struct made_entry mine = usual;
    mine.format = XYLEM_FORMAT_MSGPACK;
    mine.payload = "5";
    struct made_entry other = mine;
    other.kind.kind_class = XYLEM_CLASS_CUSTOM;
    assert_other(&mine, &other, false);
}

TRAVEL_TEST(another_format_is_another_history)
{
    struct made_entry other = usual;
    other.format = XYLEM_FORMAT_MSGPACK;
    other.payload = "5";
    assert_other(&usual, &other, true); /* without a hash that would tell */
}

TRAVEL_TEST(another_parent_that_is_named_is_another_history)
{
    struct made_entry mine = usual;
    struct made_entry other = usual;
    mine.parent = "a";
    assert_other(&mine, &other, false);
}

TRAVEL_TEST(a_parent_where_the_other_has_none_is_another_history)
{
    struct made_entry root = usual;
    root.parent = NULL;
    make(&owner, &root);
    make(&follower, &usual);
    store_builder_commit(&follower);
    pack_anew("s");
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "change 4 ");
    assert_int_equal(report.differs, THIRD);
}

TRAVEL_TEST(a_change_of_another_type_is_another_history)
{
    uint64_t session = make(&owner, &usual);
    store_builder_add(&owner, session, "e", "message", NULL);
    make(&follower, &usual);
    store_builder_go(&follower, pair_number(&follower, "s"), (struct xylem_position){0, 0});
    store_builder_commit(&follower);
    pack_anew("s");
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "change 6 differs");
    assert_int_equal(report.differs, 6);
}

TRAVEL_TEST(a_navigation_elsewhere_is_another_history)
{
    uint64_t session = make(&owner, &usual);
    uint64_t other = make(&follower, &usual);
    store_builder_go(&owner, session, store_builder_find(&owner, session, "a"));
    store_builder_go(&follower, other, store_builder_find(&follower, other, "b"));
    store_builder_commit(&follower);
    pack_anew("s");
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "change 6 differs");
    assert_int_equal(report.differs, 6);
}

TRAVEL_TEST(an_increment_tells_of_a_difference_before_it)
{
    struct made_entry other = usual;
    other.time_ms = 5;
    uint64_t session = make(&owner, &usual);
    make(&follower, &other);
    store_builder_commit(&follower);
    store_builder_add(&owner, session, "e", "message", NULL);
    segments_release(&segments);
    pack_from("s", 6);
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "change 5 or one before differs");
    assert_int_equal(report.differs, 5);
}

TRAVEL_TEST(an_increment_tells_of_another_content_before_it)
{
    struct made_entry other = usual;
    other.payload = "{\"c\":2}";
    uint64_t session = make(&owner, &usual);
    uint64_t number = make(&follower, &other);
    store_builder_must(xylem_session_follow(follower.txn, number, xylem_view_of(OWNER), 1, &err), &err);
    store_builder_commit(&follower);
    append(
        &owner, session,
        &(struct made_entry){"e", "c", {XYLEM_CLASS_HOST, {"message", 7}}, 1005, XYLEM_FORMAT_NONE, NULL, NULL, false});
    segments_release(&segments);
    pack_from("s", 6);
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "the checks of the session s");
}

TRAVEL_TEST(a_fork_of_another_history_is_refused)
{
    struct made_entry other = usual;
    other.payload = "{\"c\":2}";
    uint64_t session = make(&owner, &usual);
    make(&follower, &other);
    uint64_t fork = store_builder_fork(&owner, session, store_builder_find(&owner, session, "c"), XYLEM_FORK_AT, "f");
    store_builder_add(&owner, fork, "e", "message", NULL);
    store_builder_commit(&follower);
    pack_anew("f");
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "which has another history in the store");
    store_builder_add_at(&owner, fork, (struct xylem_position){0, 0}, "root", "message", NULL);
    pack_anew("f"); /* whose last entry has the same check */
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "which has another history in the store");
}

/* The third entry is redacted on one side, and has another payload on the other. */
static void redact_one_side(struct store_builder *redacted, bool drop_hash, int code)
{
    struct made_entry other = usual;
    other.payload = "{\"c\":2}";
    other.line = usual.line;
    make(&owner, &usual);
    make(&follower, &other);
    redact_entry(redacted, "s", "c", drop_hash);
    const struct xylem_pack_options options = {.to = 6};
    store_builder_commit(&follower);
    pack_with(&segments, &owner, "s", &options);
    if (code == XYLEM_OK) {
        assert_known(&follower, segment_at(&segments, 0));
        return;
    }
    refuse(&follower, segment_at(&segments, 0), code, "change 4 is an entry with another content");
    assert_int_equal(report.differs, THIRD);
}

TRAVEL_TEST(another_payload_is_known_by_its_hash_when_the_owner_redacted_it)
{
    redact_one_side(&owner, false, XYLEM_E_CONFLICT);
}

TRAVEL_TEST(another_payload_is_known_by_its_hash_when_it_was_redacted_here)
{
    redact_one_side(&follower, false, XYLEM_E_CONFLICT);
}

TRAVEL_TEST(without_a_hash_nobody_knows_another_payload)
{
    redact_one_side(&owner, true, XYLEM_OK);
}
