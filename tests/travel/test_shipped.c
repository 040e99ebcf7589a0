/* What random shipping found (tests/property/test_shipping.c): one case each. */
#include "tests/travel/pair.h"

/* The owner frees the session, but for what its forks need. */
static void free_session(struct store_builder *builder, const char *id)
{
    store_builder_must(xylem_session_delete(builder->txn, pair_number(builder, id), &err), &err);
    store_builder_must(xylem_gc(NULL, builder->txn, NULL, &err), &err);
}

/* Packs the remains of a freed session into `segments`, in the place of what is there. */
static void pack_remains(uint64_t number)
{
    segments_release(&segments);
    store_builder_must(try_pack(&segments, &owner, number, NULL), &err);
}

static bool is_redacted(struct store_builder *builder, const char *session, const char *id)
{
    struct xylem_entry entry;
    uint64_t number = pair_number(builder, session);
    store_builder_must(xylem_entry_read(&entry, builder->txn, store_builder_find(builder, number, id), &err), &err);
    return entry.flags & XYLEM_ENTRY_REDACTED;
}

TRAVEL_TEST(a_segment_without_a_change_makes_no_session)
{
    struct xylem_session found;
    const struct xylem_pack_options nothing = {.from = 1, .to = 1};
    store_builder_session(&owner, "s");
    pack_with(&segments, &owner, "s", &nothing);
    apply_all(&segments);
    assert_false(report.is_new);
    assert_int_equal(report.session, 0);
    assert_int_equal(xylem_session_find(&found, follower.txn, xylem_view_of("s"), &err), XYLEM_E_NOT_FOUND);
}

TRAVEL_TEST(a_fork_is_refused_where_its_base_is_another_entry)
{
    uint64_t source = store_builder_session(&owner, "s");
    store_builder_fork(&owner, source, store_builder_add(&owner, source, "a", "message", "{\"text\":\"one\"}"),
                       XYLEM_FORK_AT, "f");
    uint64_t other = store_builder_session(&follower, "s");
    store_builder_add(&follower, other, "a", "message", "{\"text\":\"another\"}");
    store_builder_commit(&follower);
    pack_anew("f");
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "which has another history in the store");
}

TRAVEL_TEST(a_segment_that_came_before_is_known_behind_a_dropped_hash)
{
    uint64_t source = store_builder_session(&owner, "s");
    struct xylem_position base = store_builder_add(&owner, source, "a", "message", "{}");
    uint64_t fork = store_builder_fork(&owner, source, base, XYLEM_FORK_AT, "f");
    store_builder_add(&owner, fork, "b", "message", "{}");
    travel("s");
    pack_anew("f");
    apply_all(&segments);
    struct segments before = segments;
    memset(&segments, 0, sizeof segments);
    redact_entry(&owner, "s", "a", true);
    travel("s");
    assert_known(&follower, segment_at(&before, 0));
    segments_release(&before);
    travel("f");
}

TRAVEL_TEST(a_redaction_of_remains_reaches_a_store_that_has_the_session_still)
{
    uint64_t source = store_builder_session(&owner, "s");
    store_builder_add(&owner, source, "a", "message", "{\"text\":\"secret\"}");
    struct xylem_position base = store_builder_add(&owner, source, "b", "message", "{}");
    travel("s");
    uint64_t count = change_count(&follower, "s");
    store_builder_fork(&owner, source, base, XYLEM_FORK_AT, "f");
    free_session(&owner, "s");
    redact_entry(&owner, "f", "a", true);
    pack_remains(source);
    apply_all(&segments);
    assert_int_equal(report.redacted_count, 1);
    assert_true(is_redacted(&follower, "s", "a"));
    assert_int_equal(change_count(&follower, "s"), count);
    travel("f");
    assert_known(&follower, segment_at(&segments, 0));
}

TRAVEL_TEST(remains_redact_nothing_of_a_session_that_follows_another_store)
{
    uint64_t source = store_builder_session(&owner, "s");
    store_builder_fork(&owner, source, store_builder_add(&owner, source, "a", "message", "{}"), XYLEM_FORK_AT, "f");
    travel("s");
    uint64_t copy = pair_number(&follower, "s");
    store_builder_must(xylem_session_follow(follower.txn, copy, xylem_view_of("somebody"), 2, &err), &err);
    free_session(&owner, "s");
    redact_entry(&owner, "f", "a", false);
    pack_remains(source);
    apply_all(&segments);
    assert_int_equal(report.redacted_count, 0);
    assert_false(is_redacted(&follower, "s", "a"));
}

TRAVEL_TEST(remains_grow_behind_a_branch_that_gc_has_cut)
{
    uint64_t source = store_builder_session(&owner, "s");
    store_builder_add(&owner, source, "a", "message", "{}");
    store_builder_add(&owner, source, "b", "message", "{}");
    struct xylem_position base = store_builder_add(&owner, source, "c", "message", "{}");
    travel("s");
    uint64_t copy = pair_number(&follower, "s");
    store_builder_fork(&follower, copy, store_builder_find(&follower, copy, "a"), XYLEM_FORK_AT, "local");
    free_session(&follower, "s");
    store_builder_fork(&owner, source, base, XYLEM_FORK_AT, "f");
    free_session(&owner, "s");
    pack_remains(source);
    apply_all(&segments);
    assert_int_equal(report.entry_count, 2);
    travel("f");
}

TRAVEL_TEST(remains_are_in_no_list_of_sessions)
{
    uint64_t source = store_builder_session(&owner, "s");
    struct xylem_position base = store_builder_add(&owner, source, "a", "session_info", "{\"name\":\"a name\"}");
    store_builder_fork(&owner, source, base, XYLEM_FORK_AT, "f");
    free_session(&owner, "s");
    pack_remains(source);
    apply_all(&segments);
    store_builder_refresh(&follower);
    travel("f");
}

TRAVEL_TEST(a_redaction_leaves_the_quarantine_of_a_session_that_follows)
{
    static const char text[] =
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-11-20T10:00:00.000Z\",\"cwd\":\"/\"}\n"
        "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-11-20T10:00:01.000Z\"}\n"
        "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-11-20T10:00:02.000Z\",\"x\":1}\n";
    struct xylem_redact_report redacted;
    struct xylem_redact_options options = {.reason = xylem_view_of("a key")};
    pair_import_text(&owner, text, strlen(text));
    travel("s");
    uint64_t local = store_builder_session(&follower, "local");
    struct xylem_position at = store_builder_add(&follower, local, "a", "message", "{\"text\":\"a key\"}");
    store_builder_must(xylem_redact(&redacted, follower.txn, local, at, &options, &err), &err);
    assert_int_equal(redacted.quarantined_count, 0);
    assert_int_equal(redacted.kept_count, 1);
    xylem_redact_report_release(&redacted);
    assert_same_session(owner.txn, follower.txn, "s");
}

/* A fork travels with the shared part of its source alone: the change of a redaction may lie behind that part. */
TRAVEL_TEST(what_is_redacted_in_a_part_that_comes_again_goes)
{
    uint64_t source = store_builder_session(&owner, "s");
    const struct xylem_pack_options part = {.from = 1, .to = 4};
    store_builder_add(&owner, source, "a", "message", "{\"text\":1}");
    store_builder_add(&owner, source, "b", "message", "{\"text\":2}");
    store_builder_add(&owner, source, "c", "message", "{\"text\":3}");
    pack_with(&segments, &owner, "s", &part);
    apply_all(&segments);
    for (int drops = 0; drops < 2; drops++) {
        redact_entry(&owner, "s", drops ? "b" : "a", drops);
        segments_release(&segments);
        pack_with(&segments, &owner, "s", &part);
        apply_all(&segments);
        assert_int_equal(report.redacted_count, 1);
        assert_int_equal(report.change_count, 0);
        assert_true(is_redacted(&follower, "s", drops ? "b" : "a"));
        assert_int_equal(change_count(&follower, "s"), 3);
        apply_all(&segments);
        assert_int_equal(report.redacted_count, 0);
    }
    travel("s"); /* and the changes of the redactions come to what is redacted already */
    assert_same_session(owner.txn, follower.txn, "s");
}

/* Nor may a stranger redact what is left of a session of this store. */
TRAVEL_TEST(remains_of_this_store_lose_nothing_to_the_remains_of_another)
{
    uint64_t copy = store_builder_session(&follower, "s");
    struct xylem_position base = store_builder_add(&follower, copy, "a", "message", "{\"text\":1}");
    store_builder_fork(&follower, copy, base, XYLEM_FORK_AT, "mine");
    free_session(&follower, "s");
    uint64_t source = store_builder_session(&owner, "s");
    store_builder_add(&owner, source, "a", "message", "{\"text\":1}");
    redact_entry(&owner, "s", "a", true);
    store_builder_fork(&owner, source, store_builder_find(&owner, source, "a"), XYLEM_FORK_AT, "f");
    free_session(&owner, "s");
    pack_remains(source);
    apply_all(&segments);
    assert_int_equal(report.redacted_count, 0);
    assert_false(is_redacted(&follower, "mine", "a"));
}

/* 2,000 dropped hashes behind each other: each pass over the checks behind would take a second. */
TRAVEL_TEST(many_dropped_hashes_of_a_segment_take_one_pass)
{
    struct xylem_patterns *patterns = NULL;
    struct xylem_redact_report redacted;
    const struct xylem_redact_matches_options options = {.redact = {.reason = xylem_view_of("all"), .drop_hash = true}};
    uint64_t source = store_builder_session(&owner, "s");
    for (int i = 0; i < 2000; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "e%d", i);
        store_builder_add(&owner, source, id, "message", "{\"text\":\"a word\"}");
    }
    travel("s");
    store_builder_must(xylem_patterns_new(&patterns, xylem_view_of("a word"), &err), &err);
    store_builder_must(xylem_redact_matches(&redacted, owner.txn, patterns, &options, &err), &err);
    xylem_redact_report_release(&redacted);
    xylem_patterns_free(patterns);
    uint64_t next = change_count(&follower, "s") + 1;
    segments_release(&segments);
    pack_from("s", next);
    apply_all(&segments);
    assert_int_equal(report.redacted_count, 2000);
    assert_same_session(owner.txn, follower.txn, "s");
}
