/* The remains of a freed session travel with the forks that need them. */
#include "tests/travel/mend.h"
#include "tests/travel/pair.h"

/* A session of four entries, with forks at the second and the third; then it is freed. */
static void prepare(void)
{
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position a = store_builder_add(&owner, session, "a", "message", "{\"a\":1}");
    struct xylem_position b = store_builder_add(&owner, session, "b", "message", "{\"b\":1}");
    store_builder_add_at(&owner, session, a, "c", "message", "{\"c\":1}");
    store_builder_add(&owner, session, "d", "message", NULL);
    uint64_t fork = store_builder_fork(&owner, session, b, XYLEM_FORK_AT, "fork");
    store_builder_add(&owner, fork, "e", "message", NULL);
    uint64_t other =
        store_builder_fork(&owner, session, store_builder_find(&owner, session, "c"), XYLEM_FORK_AT, "other");
    store_builder_add(&owner, other, "f", "message", NULL);
}

static void free_session(struct store_builder *builder, const char *id)
{
    store_builder_must(xylem_session_delete(builder->txn, pair_number(builder, id), &err), &err);
    store_builder_must(xylem_gc(NULL, builder->txn, NULL, &err), &err);
    store_builder_commit(builder);
}

/* Packs the remains of the freed session of that number. */
static void pack_remains(struct segments *into, uint64_t session)
{
    struct xylem_segment segment;
    store_builder_must(try_pack(into, &owner, session, NULL), &err);
    store_builder_must(xylem_segment_read(&segment, segment_at(into, into->count - 1), &err), &err);
    assert_true(segment.freed);
    assert_false(segment.has_document);
    assert_int_equal(segment.from, 0);
    assert_int_equal(segment.to, 0);
}

TRAVEL_TEST(forks_of_a_freed_session_travel_behind_its_remains)
{
    prepare();
    free_session(&owner, "s");
    pack_with(&segments, &owner, "fork", NULL);
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_NOT_FOUND, "the entry b of the session s");
    segments_release(&segments);
    pack_all(&segments, &owner);
    assert_int_equal(segments.count, 3);
    apply_all(&segments);
    assert_same_sessions(owner.txn, follower.txn);
    struct xylem_session found;
    assert_int_equal(xylem_session_find(&found, follower.txn, xylem_view_of("s"), &err), XYLEM_E_NOT_FOUND);
    for (size_t i = 0; i < segments.count; i++) {
        assert_known(&follower, segment_at(&segments, i));
    }
}

TRAVEL_TEST(the_remains_say_what_they_did)
{
    prepare();
    free_session(&owner, "s");
    pack_remains(&segments, 1);
    apply_all(&segments);
    assert_true(report.is_new);
    assert_int_equal(report.entry_count, 3);
    assert_int_equal(report.change_count, 3);
    assert_int_equal(report.session, 1);
    struct xylem_session row;
    store_builder_must(xylem_session_read(&row, follower.txn, report.session, &err), &err);
    assert_int_equal(row.state, XYLEM_SESSION_FREED);
}

TRAVEL_TEST(two_forks_of_the_same_remains_come_each_with_them)
{
    static const char *const ids[] = {"fork", "other"};
    prepare();
    free_session(&owner, "s");
    for (size_t i = 0; i < 2; i++) {
        segments_release(&segments);
        pack_remains(&segments, 1);
        pack_with(&segments, &owner, ids[i], NULL);
        store_builder_must(try_apply(&follower, segment_at(&segments, 0)), &err);
        assert_int_equal(report.is_new, i == 0);
        assert_int_equal(report.entry_count, i == 0 ? 3 : 0);
        store_builder_must(try_apply(&follower, segment_at(&segments, 1)), &err);
        assert_same_session(owner.txn, follower.txn, ids[i]);
        pair_verify(&follower);
    }
}

TRAVEL_TEST(two_freed_sessions_may_have_had_one_id)
{
    for (int i = 0; i < 2; i++) {
        char id[16];
        uint64_t session = store_builder_session(&owner, "s");
        store_builder_add(&owner, session, NULL, "message", "{\"x\":1}");
        store_builder_add(&owner, session, "same", "message", NULL);
        struct xylem_position last = store_builder_add(&owner, session, NULL, "message", NULL);
        (void)snprintf(id, sizeof id, "fork %d", i);
        uint64_t fork = store_builder_fork(&owner, session, last, XYLEM_FORK_AT, id);
        store_builder_add(&owner, fork, NULL, "message", NULL);
        free_session(&owner, "s");
    }
    pack_all(&segments, &owner);
    assert_int_equal(segments.count, 4);
    /* Both have an entry "same": the remains of the one are not those of the other, also when they come again. */
    for (int i = 0; i < 2; i++) {
        apply_all(&segments);
        assert_same_sessions(owner.txn, follower.txn);
        pair_verify(&follower);
    }
}

/*
 *   a ── b ── d     forks at b, c, d
 *   └─── c          in the order a c b d
 */
TRAVEL_TEST(later_remains_add_what_is_missing)
{
    static const char *const ids[] = {"s", "at b", "at c", "at d"};
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position a = store_builder_add(&owner, session, "a", "message", "{\"a\":1}");
    struct xylem_position c = store_builder_add(&owner, session, "c", "message", "{\"c\":1}");
    struct xylem_position b = store_builder_add_at(&owner, session, a, "b", "message", "{\"b\":1}");
    struct xylem_position d = store_builder_add(&owner, session, "d", "message", NULL);
    store_builder_fork(&owner, session, b, XYLEM_FORK_AT, ids[1]);
    store_builder_fork(&owner, session, c, XYLEM_FORK_AT, ids[2]);
    store_builder_fork(&owner, session, d, XYLEM_FORK_AT, ids[3]);
    pack_all(&segments, &owner);
    apply_all(&segments);
    /* The other store frees the session with one fork, the owner's with all three. */
    for (size_t i = 0; i < 4; i++) {
        store_builder_must(xylem_session_own(follower.txn, pair_number(&follower, ids[i]), 2, &err), &err);
    }
    store_builder_must(xylem_session_delete(follower.txn, pair_number(&follower, ids[2]), &err), &err);
    store_builder_must(xylem_session_delete(follower.txn, pair_number(&follower, ids[3]), &err), &err);
    free_session(&follower, "s");
    segments_release(&segments);
    pack_all(&segments, &follower);
    free_session(&owner, "s");
    pack_all(&segments, &owner);
    pair_new_follower();
    uint64_t entries = 0;
    for (size_t i = 0; i < segments.count; i++) {
        store_builder_must(try_apply(&follower, segment_at(&segments, i)), &err);
        entries += report.entry_count;
    }
    assert_int_equal(entries, 4);
    assert_same_sessions(owner.txn, follower.txn);
}

TRAVEL_TEST(remains_of_remains_travel)
{
    prepare();
    uint64_t fork = pair_number(&owner, "fork");
    uint64_t deep = store_builder_fork(&owner, fork, store_builder_find(&owner, fork, "e"), XYLEM_FORK_AT, "deep");
    store_builder_add(&owner, deep, "g", "message", NULL);
    free_session(&owner, "s");
    free_session(&owner, "fork");
    pack_all(&segments, &owner);
    assert_int_equal(segments.count, 4);
    struct xylem_segment segment;
    store_builder_must(xylem_segment_read(&segment, segment_at(&segments, 1), &err), &err);
    assert_int_equal(segment.entry_count, 1); /* its own alone, not those of s */
    refuse(&follower, segment_at(&segments, 1), XYLEM_E_NOT_FOUND, "of the session s");
    apply_all(&segments);
    assert_same_sessions(owner.txn, follower.txn);
}

TRAVEL_TEST(a_session_that_is_here_needs_no_remains)
{
    prepare();
    pack_anew("s");
    apply_all(&segments);
    free_session(&owner, "s");
    segments_release(&segments);
    pack_all(&segments, &owner);
    assert_known(&follower, segment_at(&segments, 0));
    assert_int_equal(report.session, pair_number(&follower, "s"));
    apply_all(&segments);
    assert_same_session(owner.txn, follower.txn, "fork");
    assert_int_equal(pair_find(&follower, "s").state, XYLEM_SESSION_LIVE);
}

TRAVEL_TEST(remains_that_nobody_needs_are_freed)
{
    prepare();
    free_session(&owner, "s");
    pack_all(&segments, &owner);
    apply_all(&segments);
    store_builder_must(xylem_session_delete(follower.txn, pair_number(&follower, "other"), &err), &err);
    free_session(&follower, "fork");
    struct xylem_session row;
    assert_int_equal(xylem_session_read(&row, follower.txn, 1, &err), XYLEM_E_NOT_FOUND);
    apply_all(&segments); /* and all comes again */
    assert_same_sessions(owner.txn, follower.txn);
}

TRAVEL_TEST(large_remains_become_several_segments)
{
    uint64_t session = store_builder_session(&owner, "s");
    static char json[100001];
    memset(json, 'x', sizeof json - 1);
    memcpy(json, "{\"x\":\"", 6);
    memcpy(json + sizeof json - 3, "\"}", 3);
    struct xylem_position last = {0, 0};
    for (int i = 0; i < 25; i++) {
        last = store_builder_add(&owner, session, NULL, "message", json);
    }
    store_builder_fork(&owner, session, last, XYLEM_FORK_AT, "fork");
    free_session(&owner, "s");
    pack_remains(&segments, session);
    assert_int_equal(segments.count, 3);
    refuse(&follower, segment_at(&segments, 1), XYLEM_E_NOT_FOUND, "a segment with the parent must come first");
    pack_with(&segments, &owner, "fork", NULL);
    apply_all(&segments);
    assert_same_session(owner.txn, follower.txn, "fork");
}

TRAVEL_TEST(remains_that_fill_a_segment_to_its_end_are_one_segment)
{
    uint64_t session = store_builder_session(&owner, "s");
    static char json[XYLEM_SEGMENT_BYTES + 1];
    memset(json, 'x', sizeof json - 1);
    memcpy(json, "{\"x\":\"", 6);
    memcpy(json + sizeof json - 3, "\"}", 3);
    struct xylem_position last = store_builder_add(&owner, session, NULL, "message", json);
    store_builder_fork(&owner, session, last, XYLEM_FORK_AT, "fork");
    free_session(&owner, "s");
    pack_remains(&segments, session);
    assert_int_equal(segments.count, 1);
    pack_with(&segments, &owner, "fork", NULL);
    apply_all(&segments);
    assert_same_session(owner.txn, follower.txn, "fork");
}

TRAVEL_TEST(remains_without_an_entry_are_malformed)
{
    static const struct xylem_view head = {"\1\5\1\0\0\0s", 7}; /* version, row and freed, id */
    struct xylem_buffer bytes = {NULL, 0, 0};
    copy_bytes(&bytes, head);
    for (size_t i = 0; i < 5 * 8 + (1 + 8 + 3 * 4) + 8 + 8; i++) { /* range, chains, count; row; last check; sum */
        assert_int_equal(xylem_buffer_add(&bytes, "", 1), XYLEM_OK);
    }
    mend_sum(bytes.data, bytes.bytes);
    refuse(&follower, (struct xylem_view){bytes.data, bytes.bytes}, XYLEM_E_MALFORMED, "its head has invalid fields");
    xylem_buffer_release(&bytes);
}

TRAVEL_TEST(a_redaction_of_remains_travels)
{
    for (int drop = 0; drop < 2; drop++) {
        prepare();
        free_session(&owner, "s");
        segments_release(&segments);
        pack_all(&segments, &owner);
        apply_all(&segments);
        uint64_t next = change_count(&owner, "fork") + 1;
        redact_entry(&owner, "fork", "a", drop);
        segments_release(&segments);
        pack_remains(&segments, 1);
        apply_all(&segments);
        assert_int_equal(report.redacted_count, 1);
        travel_from("fork", next);
        assert_same_sessions(owner.txn, follower.txn);
        assert_known(&follower, segment_at(&segments, 0));
        store_builder_close(&owner);
        store_builder_open(&owner);
        pair_new_follower();
    }
}

/* Opens a repaired copy of the owner's store. */
static struct store_builder repair_owner(void)
{
    struct store_builder repaired = {.store = NULL};
    struct xylem_repair_report repairs;
    const struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    (void)snprintf(repaired.path, sizeof repaired.path, "%.200s-repaired", owner.path);
    store_builder_commit(&owner);
    store_builder_must(xylem_repair(&repairs, owner.path, repaired.path, NULL, NULL, NULL, &err), &err);
    store_builder_must(xylem_open(&repaired.store, repaired.path, &options, &err), &err);
    store_builder_must(xylem_begin(&repaired.txn, repaired.store, XYLEM_WRITE, &err), &err);
    return repaired;
}

TRAVEL_TEST(a_freed_session_travels_under_the_name_of_a_repair)
{
    prepare();
    free_session(&owner, "s");
    struct store_builder repaired = repair_owner();
    pack_all(&segments, &repaired);
    apply_all(&segments);
    assert_same_sessions(repaired.txn, follower.txn);
    struct xylem_session base;
    uint64_t number = 0;
    store_builder_must(xylem_owner(&number, follower.txn, pair_find(&follower, "fork").base, &err), &err);
    store_builder_must(xylem_session_read(&base, follower.txn, number, &err), &err);
    assert_int_equal(base.state, XYLEM_SESSION_DELETED);
    assert_true(base.id.bytes > 0);
    store_builder_close(&repaired);
    pair_abort(&follower); /* a repaired store tells of entries first, and so does its follower */
}

TRAVEL_TEST(a_repaired_store_packs_its_sessions)
{
    prepare();
    store_builder_go(&owner, pair_number(&owner, "s"), (struct xylem_position){0, 0});
    store_builder_must(xylem_session_delete(owner.txn, pair_number(&owner, "other"), &err), &err);
    struct store_builder repaired = repair_owner();
    pack_all(&segments, &repaired);
    assert_int_equal(segments.count, 3);
    apply_all(&segments);
    assert_same_sessions(repaired.txn, follower.txn);
    assert_verified(follower.txn);
    store_builder_close(&repaired);
    pair_abort(&follower); /* a repaired store tells of entries first, and so does its follower */
}

/* The owner deletes the session, and the follower collects; then the owner redacts an entry that a fork keeps. */
static void redact_behind_gc(bool came_as_remains)
{
    prepare();
    if (came_as_remains) {
        free_session(&owner, "s");
        pack_all(&segments, &owner);
        apply_all(&segments);
        const uint64_t next = change_count(&owner, "other") + 1;
        store_builder_must(xylem_session_delete(owner.txn, pair_number(&owner, "other"), &err), &err);
        segments_release(&segments);
        pack_from("other", next);
    } else {
        pack_all(&segments, &owner);
        apply_all(&segments);
        const uint64_t next = change_count(&owner, "s") + 1;
        store_builder_must(xylem_session_delete(owner.txn, pair_number(&owner, "s"), &err), &err);
        segments_release(&segments);
        pack_from("s", next);
    }
    apply_all(&segments);
    store_builder_must(xylem_gc(NULL, follower.txn, NULL, &err), &err);
    store_builder_must(xylem_gc(NULL, owner.txn, NULL, &err), &err);
    redact_entry(&owner, "fork", "a", false);
    segments_release(&segments);
    pack_remains(&segments, 1);
    apply_all(&segments);
    assert_int_equal(report.redacted_count, 1);
    struct xylem_entry entry;
    struct xylem_position at = store_builder_find(&follower, pair_number(&follower, "fork"), "a");
    store_builder_must(xylem_entry_read(&entry, follower.txn, at, &err), &err);
    assert_true(entry.flags & XYLEM_ENTRY_REDACTED);
}

TRAVEL_TEST(a_redaction_by_the_owner_reaches_what_the_follower_collected)
{
    redact_behind_gc(false);
}

TRAVEL_TEST(a_redaction_by_the_owner_reaches_remains_that_the_follower_cut)
{
    redact_behind_gc(true);
}

static bool is_redacted(const char *session, const char *id)
{
    struct xylem_entry entry;
    struct xylem_position at = store_builder_find(&follower, pair_number(&follower, session), id);
    store_builder_must(xylem_entry_read(&entry, follower.txn, at, &err), &err);
    return (entry.flags & XYLEM_ENTRY_REDACTED) != 0;
}

/* The follower deletes and collects a base that came for its fork. The base may come again under its id. */
TRAVEL_TEST(a_redaction_reaches_both_a_base_that_came_again_and_what_was_left_of_it)
{
    prepare();
    pack_all(&segments, &owner);
    apply_all(&segments);
    free_session(&follower, "s");
    apply_all(&segments); /* the base comes anew; its forks still share what was left */
    uint64_t next = change_count(&owner, "s") + 1;
    redact_entry(&owner, "s", "a", false);
    redact_entry(&owner, "s", "b", true);
    segments_release(&segments);
    pack_from("s", next);
    apply_all(&segments);
    assert_true(is_redacted("s", "a") && is_redacted("fork", "a") && is_redacted("other", "a"));
    assert_true(is_redacted("s", "b") && is_redacted("fork", "b"));
    next = change_count(&owner, "fork") + 1;
    store_builder_add(&owner, pair_number(&owner, "fork"), "later", "message", NULL);
    segments_release(&segments);
    pack_from("fork", next); /* with the checks of behind the dropped hash */
    apply_all(&segments);
    assert_int_equal(report.entry_count, 1);
}

TRAVEL_TEST(a_redaction_reaches_what_was_left_of_a_session_that_does_not_come_again)
{
    prepare();
    pack_all(&segments, &owner);
    apply_all(&segments);
    free_session(&follower, "s");
    uint64_t next = change_count(&owner, "s") + 1;
    redact_entry(&owner, "s", "a", false);
    segments_release(&segments);
    pack_from("s", next);
    apply_all(&segments);
    assert_true(report.deleted);
    assert_int_equal(report.redacted_count, 1);
    assert_true(is_redacted("fork", "a"));
    store_builder_messages(&owner, pair_number(&owner, "s"), 1);
    next = change_count(&owner, "s");
    segments_release(&segments);
    pack_from("s", next); /* nothing is redacted, and nothing is missed: the session is gone here */
    apply_all(&segments);
    assert_true(report.deleted);
}

/* The follower has the session up to the second entry; the owner freed it, and a fork needs the third. */
TRAVEL_TEST(remains_complete_the_first_part_of_a_session)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "a", "message", "{\"a\":1}");
    struct xylem_position b = store_builder_add(&owner, session, "b", "message", "{\"b\":1}");
    struct xylem_position c = store_builder_add(&owner, session, "c", "message", "{\"c\":1}");
    store_builder_fork(&owner, session, b, XYLEM_FORK_AT, "early");
    store_builder_fork(&owner, session, c, XYLEM_FORK_AT, "late");
    const struct xylem_pack_options part = {.from = 1, .to = 4};
    pack_with(&segments, &owner, "s", &part);
    pack_with(&segments, &owner, "early", NULL);
    apply_all(&segments);
    free_session(&owner, "s");
    segments_release(&segments);
    pack_remains(&segments, session);
    pack_with(&segments, &owner, "late", NULL);
    for (int twice = 0; twice < 2; twice++) {
        apply_all(&segments);
        assert_same_session(owner.txn, follower.txn, "late");
        assert_same_session(owner.txn, follower.txn, "early");
    }
    assert_int_equal(report.change_count, 0);
    assert_int_equal(pair_find(&follower, "s").history.count, 3);
    redact_entry(&owner, "late", "a", false);
    segments_release(&segments);
    pack_remains(&segments, session);
    apply_all(&segments);
    assert_true(is_redacted("s", "a") && is_redacted("early", "a") && is_redacted("late", "a"));
}
