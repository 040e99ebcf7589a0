/* Redactions travel: before the packing, behind it, with the hash and without. */
#include "base/bytes.h"
#include "store/redact.h"
#include "tests/travel/mend.h"
#include "tests/travel/pair.h"

#define SECRET "a very secret payload"

static uint64_t prepare(void)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "a", "message", "{\"x\":\"before\"}");
    store_builder_add(&owner, session, "b", "custom:secret", "{\"x\":\"" SECRET "\"}");
    store_builder_add(&owner, session, "c", "message", "{\"x\":\"behind\"}");
    return session;
}

static bool has_secret(struct xylem_view bytes)
{
    return memmem(bytes.data, bytes.bytes, SECRET, sizeof SECRET - 1) != NULL;
}

/* The bytes of the follower's file, which is compacted first. */
static bool file_has_secret(void)
{
    char path[300];
    struct xylem_compact_report compacted;
    struct xylem_buffer bytes = {NULL, 0, 0};
    char piece[65536];
    size_t got;
    store_builder_must(xylem_commit(follower.txn, &err), &err);
    store_builder_must(xylem_close(follower.store, &err), &err);
    store_builder_must(xylem_compact(&compacted, follower.path, NULL, &err), &err);
    (void)snprintf(path, sizeof path, "%s/data.mdb", follower.path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) {
        assert_int_equal(xylem_buffer_add(&bytes, piece, got), XYLEM_OK);
    }
    assert_int_equal(fclose(file), 0);
    bool has = has_secret(xylem_base__buffer_view(&bytes));
    xylem_buffer_release(&bytes);
    const struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    store_builder_must(xylem_open(&follower.store, follower.path, &options, &err), &err);
    store_builder_must(xylem_begin(&follower.txn, follower.store, XYLEM_WRITE, &err), &err);
    return has;
}

TRAVEL_TEST(a_payload_that_was_redacted_before_the_packing_does_not_travel)
{
    for (int drop = 0; drop < 2; drop++) {
        prepare();
        redact_entry(&owner, "s", "b", drop);
        travel("s");
        assert_int_equal(report.redacted_count, 0);
        assert_false(has_secret(segment_at(&segments, 0)));
        assert_false(file_has_secret());
        pair_verify(&follower);
        pair_new_follower();
        pair_abort(&owner);
    }
}

static int holds(const char *id)
{
    return xylem_segment_holds(segment_at(&segments, 0), xylem_view_of(id), &err);
}

TRAVEL_TEST(a_segment_tells_which_entries_have_a_text)
{
    uint64_t session = prepare();
    store_builder_add(&owner, session, "bare", "note", NULL);
    pack_anew("s");
    assert_int_equal(holds("b"), 1);
    assert_int_equal(holds("bare"), 0);
    assert_int_equal(holds("bb"), 0);
    assert_int_equal(holds(""), 0);
    redact_entry(&owner, "s", "b", false);
    pack_anew("s");
    assert_int_equal(holds("b"), 0);
    assert_int_equal(holds("c"), 1);
    segments.list[0].data[segments.list[0].bytes - 1] ^= 1;
    assert_int_equal(holds("c"), XYLEM_E_CORRUPT);
}

/* The increment with a redaction comes; then the older segment again. */
static void redact_behind(bool drop)
{
    prepare();
    travel("s");
    store_builder_commit(&follower);
    uint64_t next = change_count(&owner, "s") + 1;
    struct segments *older = calloc(1, sizeof *older);
    assert_non_null(older);
    pack_with(older, &owner, "s", NULL);
    assert_true(has_secret(segment_at(older, 0)));
    redact_entry(&owner, "s", "b", drop);
    travel_from("s", next);
    assert_int_equal(report.redacted_count, 1);
    assert_int_equal(report.change_count, 1);
    assert_known(&follower, segment_at(&segments, 0));
    assert_known(&follower, segment_at(older, 0));
    assert_same_session(owner.txn, follower.txn, "s");
    assert_false(file_has_secret());
    assert_same_session(owner.txn, follower.txn, "s");
    segments_release(older);
    free(older);
}

TRAVEL_TEST(a_redaction_behind_the_packing_travels_with_the_increment)
{
    redact_behind(false);
}

TRAVEL_TEST(a_dropped_hash_travels_with_the_increment)
{
    redact_behind(true);
}

TRAVEL_TEST(a_hash_that_is_dropped_later_travels_too)
{
    prepare();
    redact_entry(&owner, "s", "b", false);
    travel("s");
    uint64_t next = change_count(&owner, "s") + 1;
    redact_entry(&owner, "s", "b", true);
    travel_from("s", next);
    assert_int_equal(report.redacted_count, 1);
    pair_new_follower();
    travel("s");
}

TRAVEL_TEST(two_redactions_of_an_entry_come_in_one_segment)
{
    prepare();
    travel("s");
    uint64_t next = change_count(&owner, "s") + 1;
    redact_entry(&owner, "s", "b", false);
    redact_entry(&owner, "s", "b", true);
    travel_from("s", next);
    assert_int_equal(report.change_count, 2);
    assert_int_equal(report.redacted_count, 1);
}

TRAVEL_TEST(entries_and_a_dropped_hash_come_in_one_segment)
{
    uint64_t session = prepare();
    travel("s");
    uint64_t next = change_count(&owner, "s") + 1;
    store_builder_add(&owner, session, "d", "message", NULL);
    redact_entry(&owner, "s", "b", true);
    store_builder_add(&owner, session, "e", "message", NULL);
    redact_entry(&owner, "s", "d", true);
    store_builder_add_at(&owner, session, store_builder_find(&owner, session, "b"), "f", "message", NULL);
    travel_from("s", next);
    assert_int_equal(report.redacted_count, 1);
    pair_new_follower();
    travel("s");
}

TRAVEL_TEST(a_dropped_hash_comes_in_a_later_segment_than_entries_behind)
{
    uint64_t session = prepare();
    travel("s");
    uint64_t next = change_count(&owner, "s") + 1;
    store_builder_add(&owner, session, "d", "message", NULL);
    store_builder_add(&owner, session, "e", "message", NULL);
    redact_entry(&owner, "s", "b", true);
    segments_release(&segments);
    for (uint64_t from = next; from <= change_count(&owner, "s"); from++) {
        const struct xylem_pack_options options = {.from = from, .to = from + 1};
        pack_with(&segments, &owner, "s", &options);
    }
    pack_from("s", change_count(&owner, "s") + 1);
    apply_all(&segments);
    assert_same_session(owner.txn, follower.txn, "s");
}

/* Forks of the session in the owner's store, and one that the follower made. */
static void prepare_forks(void)
{
    uint64_t session = prepare();
    uint64_t fork =
        store_builder_fork(&owner, session, store_builder_find(&owner, session, "c"), XYLEM_FORK_AT, "fork");
    struct xylem_position at = store_builder_add(&owner, fork, "d", "message", NULL);
    uint64_t deep = store_builder_fork(&owner, fork, at, XYLEM_FORK_AT, "deep");
    store_builder_add(&owner, deep, "e", "message", NULL);
    store_builder_add_at(&owner, deep, store_builder_find(&owner, deep, "b"), "f", "message", NULL);
    pack_all(&segments, &owner);
    apply_all(&segments);
    uint64_t here = pair_number(&follower, "deep");
    uint64_t mine =
        store_builder_fork(&follower, here, store_builder_find(&follower, here, "e"), XYLEM_FORK_AT, "mine");
    store_builder_add(&follower, mine, "g", "message", NULL);
    store_builder_commit(&follower);
}

TRAVEL_TEST(a_dropped_hash_changes_the_checks_of_forks_that_came_before)
{
    prepare_forks();
    uint64_t next = change_count(&owner, "s") + 1;
    redact_entry(&owner, "s", "b", true);
    travel_from("s", next);
    assert_same_session(owner.txn, follower.txn, "fork");
    assert_same_session(owner.txn, follower.txn, "deep");
    pair_verify(&follower);
    uint64_t deep = pair_number(&owner, "deep");
    next = change_count(&owner, "deep") + 1;
    store_builder_add(&owner, deep, "h", "message", NULL);
    travel_from("deep", next);
}

TRAVEL_TEST(a_shared_entry_is_redacted_in_the_session_that_has_it)
{
    prepare_forks();
    uint64_t next = change_count(&owner, "s") + 1;
    uint64_t fork_count = change_count(&owner, "fork");
    redact_entry(&owner, "fork", "b", false); /* an entry of s */
    assert_int_equal(change_count(&owner, "fork"), fork_count);
    travel_from("s", next);
    assert_int_equal(report.redacted_count, 1);
    assert_same_sessions(owner.txn, follower.txn);
}

/* Its owner may be gone, so that nobody packs the increment again. */
TRAVEL_TEST(an_increment_of_a_fork_from_before_a_dropped_hash_fits_behind_it)
{
    prepare_forks();
    uint64_t next = change_count(&owner, "deep") + 1;
    store_builder_add(&owner, pair_number(&owner, "deep"), "h", "message", NULL);
    segments_release(&segments);
    pack_from("deep", next);
    struct segments *drop = calloc(1, sizeof *drop);
    assert_non_null(drop);
    const struct xylem_pack_options options = {.from = change_count(&owner, "s") + 1};
    redact_entry(&owner, "s", "b", true);
    pack_with(drop, &owner, "s", &options);
    apply_all(drop);
    store_builder_commit(&follower);
    apply_all(&segments);
    assert_int_equal(report.change_count, 1);
    assert_same_sessions(owner.txn, follower.txn);
    segments_release(drop);
    free(drop);
}

TRAVEL_TEST(an_increment_of_a_fork_from_behind_a_dropped_hash_waits_for_it)
{
    prepare_forks();
    uint64_t next = change_count(&owner, "deep") + 1;
    uint64_t dropped = change_count(&owner, "s") + 1;
    redact_entry(&owner, "s", "b", true);
    store_builder_add(&owner, pair_number(&owner, "deep"), "h", "message", NULL);
    segments_release(&segments);
    pack_from("deep", next);
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "the hash of a redacted entry was dropped");
    travel_from("s", dropped);
    travel_from("deep", next);
    assert_same_sessions(owner.txn, follower.txn);
}

TRAVEL_TEST(a_dropped_hash_hides_no_damage)
{
    prepare_forks();
    uint64_t next = change_count(&owner, "s") + 1;
    redact_entry(&owner, "s", "b", true);
    segments_release(&segments);
    pack_from("s", next);
    struct xylem_position at = store_builder_find(&follower, pair_number(&follower, "deep"), "f");
    struct xylem_format__record record = store_builder_record(&follower, at);
    record.check ^= 1;
    store_builder_rewrite(&follower, at, &record);
    assert_int_equal(try_apply(&follower, segment_at(&segments, 0)), XYLEM_E_CORRUPT);
    pair_abort(&follower);
    apply_all(&segments);
}

TRAVEL_TEST(a_dropped_hash_waits_for_the_end_of_a_redaction)
{
    prepare_forks();
    uint64_t next = change_count(&owner, "s") + 1;
    struct xylem_store__redaction under_way = {.txn = follower.txn, .options = {.reason = xylem_view_of("why")}};
    store_builder_must(xylem_store__redacting_write(&under_way, 1, &err), &err);
    redact_entry(&owner, "s", "c", false);
    travel_from("s", next); /* keeps the hash */
    redact_entry(&owner, "s", "b", true);
    segments_release(&segments);
    pack_from("s", next + 1);
    assert_int_equal(try_apply(&follower, segment_at(&segments, 0)), XYLEM_E_BUSY);
    pair_abort(&follower);
    travel_from("s", next);
}

TRAVEL_TEST(a_session_redacts_its_own_entries_alone)
{
    struct xylem_buffer bytes = {NULL, 0, 0};
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position base = store_builder_add(&owner, session, "id-1", "message", NULL);
    uint64_t fork = store_builder_fork(&owner, session, base, XYLEM_FORK_AT, "fork");
    store_builder_add(&owner, fork, "id-2", "message", NULL);
    travel("s");
    travel("fork");
    uint64_t next = change_count(&owner, "fork") + 1;
    redact_entry(&owner, "fork", "id-2", false);
    segments_release(&segments);
    pack_from("fork", next);
    copy_bytes(&bytes, segment_at(&segments, 0));
    bytes.data[place_of_text(&bytes, "id-2") + 3] = '1';
    mend_chain(bytes.data, bytes.bytes);
    store_builder_commit(&follower);
    refuse(&follower, (struct xylem_view){bytes.data, bytes.bytes}, XYLEM_E_MALFORMED,
           "redacts an entry of another session");
    bytes.data[place_of_text(&bytes, "id-1") + 3] = '7';
    mend_chain(bytes.data, bytes.bytes);
    refuse(&follower, (struct xylem_view){bytes.data, bytes.bytes}, XYLEM_E_MALFORMED, "names the entry id-7");
    xylem_buffer_release(&bytes);
}

TRAVEL_TEST(all_copies_are_redacted_each_in_its_session)
{
    static const char *const ids[] = {"s", "t"};
    uint64_t next[2];
    for (size_t i = 0; i < 2; i++) {
        uint64_t session = store_builder_session(&owner, ids[i]);
        store_builder_add(&owner, session, "b", "message", "{\"x\":\"" SECRET "\"}");
        store_builder_add(&owner, session, "c", "message", NULL);
        travel(ids[i]);
        next[i] = change_count(&owner, ids[i]) + 1;
    }
    const struct xylem_redact_options options = {.reason = xylem_view_of("why"), .drop_hash = true};
    struct xylem_redact_report redacted;
    uint64_t session = pair_number(&owner, "s");
    store_builder_must(
        xylem_redact(&redacted, owner.txn, session, store_builder_find(&owner, session, "b"), &options, &err), &err);
    assert_int_equal(redacted.redacted_count, 2);
    xylem_redact_report_release(&redacted);
    travel_from("s", next[0]);
    travel_from("t", next[1]);
    assert_false(file_has_secret());
}

static const char file_text[] =
    "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/home\"}\n"
    "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2025-01-01T00:00:01.000Z\",\"x\":\"" SECRET
    "\"}\n"
    "no json, but \"a\" and " SECRET "\n"
    "{\"type\":\"message\",\"id\":\"a\", \"" SECRET "\":";

TRAVEL_TEST(lines_in_quarantine_and_torn_lines_are_redacted_too)
{
    pair_import_text(&owner, file_text, sizeof file_text - 1);
    travel("s");
    uint64_t next = change_count(&owner, "s") + 1;
    const struct xylem_redact_options options = {.reason = xylem_view_of("why")};
    struct xylem_redact_report redacted;
    uint64_t session = pair_number(&owner, "s");
    store_builder_must(
        xylem_redact(&redacted, owner.txn, session, store_builder_find(&owner, session, "a"), &options, &err), &err);
    assert_int_equal(redacted.quarantined_count, 1);
    assert_int_equal(redacted.tail_count, 1);
    xylem_redact_report_release(&redacted);
    travel_from("s", next);
    assert_false(file_has_secret());
    assert_same_session(owner.txn, follower.txn, "s");
}

TRAVEL_TEST(a_redaction_of_a_session_that_was_deleted_travels)
{
    uint64_t session = prepare();
    travel("s");
    uint64_t next = change_count(&owner, "s") + 1;
    store_builder_must(xylem_session_delete(owner.txn, session, &err), &err);
    redact_entry(&owner, "s", "b", true);
    travel_from("s", next);
}

TRAVEL_TEST(a_segment_may_have_the_payload_of_an_entry_that_is_redacted_here)
{
    struct xylem_position at;
    prepare();
    pack_anew("s");
    apply_all(&segments);
    uint64_t number = pair_number(&follower, "s");
    store_builder_must(xylem_session_own(follower.txn, number, 2, &err), &err);
    redact_entry(&follower, "s", "b", false);
    assert_known(&follower, segment_at(&segments, 0));
    store_builder_must(xylem_find(&at, follower.txn, number, xylem_view_of("b"), &err), &err);
    assert_int_equal(store_builder_must(xylem_belongs(follower.txn, number, at, &err), &err), 1);
    assert_false(file_has_secret());
}
