/* What an apply takes: increments, forks, navigations, deletions; from whom; and what stays as it was. */
#include "store/lmdb/tables.h"
#include "tests/travel/pair.h"

/* --- What travels ------------------------------------------------------------------------------------------------- */

TRAVEL_TEST(a_segment_makes_the_session)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_messages(&owner, session, 3);
    travel("s");
    assert_true(report.is_new);
    assert_int_equal(report.session, pair_number(&follower, "s"));
    assert_int_equal(report.change_count, 4);
    assert_int_equal(report.entry_count, 3);
    assert_int_equal(report.differs, 0);
    struct xylem_session found = pair_find(&follower, "s");
    assert_true(xylem_base__view_is(found.owner, OWNER));
    assert_int_equal(found.epoch, 1);
    assert_int_equal(xylem_entry_read(&(struct xylem_entry){0}, follower.txn, found.leaf, &err), XYLEM_OK);
}

TRAVEL_TEST(an_empty_session_travels)
{
    store_builder_session(&owner, "s");
    travel("s");
    assert_int_equal(report.change_count, 1);
}

TRAVEL_TEST(an_increment_extends_the_session)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_messages(&owner, session, 3);
    travel("s");
    store_builder_commit(&follower);
    uint64_t next = change_count(&owner, "s") + 1;
    store_builder_add(&owner, session, "label", "label", "{\"targetId\":\"x\",\"label\":\"y\"}");
    store_builder_add(&owner, session, "name", "session_info", "{\"name\":\"a name\"}");
    travel_from("s", next);
    assert_false(report.is_new);
    assert_int_equal(report.change_count, 2);
    assert_int_equal(report.entry_count, 2);
}

TRAVEL_TEST(a_segment_that_overlaps_brings_what_is_new)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_messages(&owner, session, 3);
    travel("s");
    store_builder_messages(&owner, session, 2);
    travel_from("s", 3);
    assert_int_equal(report.change_count, 2);
    store_builder_messages(&owner, session, 1);
    travel("s");
    assert_int_equal(report.change_count, 1);
}

TRAVEL_TEST(an_older_segment_takes_nothing_back)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_messages(&owner, session, 3);
    pack_anew("s");
    store_builder_messages(&owner, session, 1);
    struct segments *newer = calloc(1, sizeof *newer);
    assert_non_null(newer);
    pack_with(newer, &owner, "s", NULL);
    apply_all(newer);
    assert_known(&follower, segment_at(&segments, 0));
    assert_same_session(owner.txn, follower.txn, "s");
    segments_release(newer);
    free(newer);
}

TRAVEL_TEST(several_roots_and_branches_travel)
{
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position none = {0, 0};
    struct xylem_position a = store_builder_add(&owner, session, "a", "message", "{\"a\":1}");
    store_builder_add(&owner, session, "b", "message", NULL);
    store_builder_add_at(&owner, session, none, "second root", "note", NULL);
    struct xylem_position c = store_builder_add_at(&owner, session, a, "c", "custom:readonly", "{\"enabled\":true}");
    store_builder_add_at(&owner, session, none, "third root", "note", NULL);
    store_builder_add_at(&owner, session, c, "d", "message", NULL);
    store_builder_add_at(&owner, session, a, "e", "message", NULL);
    travel("s");
}

TRAVEL_TEST(navigations_travel)
{
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position none = {0, 0};
    store_builder_go(&owner, session, none); /* before all entries */
    struct xylem_position a = store_builder_add(&owner, session, "a", "message", NULL);
    struct xylem_position b = store_builder_add(&owner, session, "b", "message", NULL);
    store_builder_go(&owner, session, a);
    store_builder_add(&owner, session, "c", "message", NULL);
    store_builder_go(&owner, session, b);
    store_builder_go(&owner, session, b);
    travel("s");
    uint64_t next = change_count(&owner, "s") + 1;
    store_builder_go(&owner, session, none);
    travel_from("s", next);
    assert_int_equal(report.change_count, 1);
    assert_int_equal(report.entry_count, 0);
    assert_int_equal(pair_find(&follower, "s").leaf.branch, 0);
}

TRAVEL_TEST(without_a_document_the_leaf_is_the_newest_place)
{
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position a = store_builder_add(&owner, session, "a", "message", NULL);
    store_builder_add(&owner, session, "b", "message", NULL);
    store_builder_go(&owner, session, a);
    const uint64_t ends[] = {4, 5}; /* behind b; behind the navigation */
    const struct xylem_position leaves[] = {{1, 2}, {1, 1}};
    for (size_t i = 0; i < 2; i++) {
        const struct xylem_pack_options options = {.to = ends[i]};
        segments_release(&segments);
        pack_with(&segments, &owner, "s", &options);
        apply_all(&segments);
        struct xylem_position leaf = pair_find(&follower, "s").leaf;
        assert_memory_equal(&leaf, &leaves[i], sizeof leaf);
    }
    const struct xylem_pack_options fork_alone = {.to = 2};
    store_builder_fork(&owner, session, a, XYLEM_FORK_AT, "fork");
    segments_release(&segments);
    pack_with(&segments, &owner, "fork", &fork_alone);
    apply_all(&segments);
    struct xylem_position leaf = pair_find(&follower, "fork").leaf;
    assert_memory_equal(&leaf, &leaves[1], sizeof leaf);
}

/* --- Forks -------------------------------------------------------------------------------------------------------- */

TRAVEL_TEST(forks_and_forks_of_forks_travel)
{
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position a = store_builder_add(&owner, session, "a", "message", NULL);
    struct xylem_position b = store_builder_add(&owner, session, "b", "message", "{\"b\":1}");
    uint64_t fork = store_builder_fork(&owner, session, b, XYLEM_FORK_AT, "fork");
    struct xylem_position c = store_builder_add(&owner, fork, "c", "message", NULL);
    store_builder_add_at(&owner, fork, a, "at the shared entry", "message", NULL);
    uint64_t deep = store_builder_fork(&owner, fork, c, XYLEM_FORK_AT, "deep");
    store_builder_add(&owner, deep, "d", "message", NULL);
    store_builder_add_at(&owner, deep, a, "far above", "message", NULL);
    store_builder_go(&owner, deep, a);
    store_builder_fork(&owner, fork, a, XYLEM_FORK_BEFORE, "before the root");
    store_builder_clone(&owner, deep, "clone");
    pack_all(&segments, &owner);
    assert_int_equal(segments.count, 5);
    apply_all(&segments);
    assert_same_sessions(owner.txn, follower.txn);
    assert_int_equal(pair_find(&follower, "deep").tree, pair_find(&follower, "s").tree);
}

TRAVEL_TEST(a_fork_waits_for_its_base)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "a", "message", NULL);
    pack_anew("s");
    struct xylem_position b = store_builder_add(&owner, session, "b", "message", NULL);
    store_builder_fork(&owner, session, b, XYLEM_FORK_AT, "fork");
    pack_with(&segments, &owner, "fork", NULL);
    refuse(&follower, segment_at(&segments, 1), XYLEM_E_NOT_FOUND, "the entry b of the session s");
    store_builder_must(try_apply(&follower, segment_at(&segments, 0)), &err);
    assert_int_equal(try_apply(&follower, segment_at(&segments, 1)), XYLEM_E_NOT_FOUND);
    travel("s"); /* in the same transaction */
    travel("fork");
}

TRAVEL_TEST(a_base_in_an_unfinished_import_is_not_there_yet)
{
    struct xylem_session half = {.id = xylem_view_of("s"), .state = XYLEM_SESSION_IMPORTING};
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position a = store_builder_add(&owner, session, "a", "message", NULL);
    store_builder_fork(&owner, session, a, XYLEM_FORK_AT, "fork");
    pack_anew("fork");
    store_builder_must(xylem_store__session_add(follower.txn, &half, &err), &err);
    const struct xylem_append_options root = {.parent = XYLEM_PARENT_NONE};
    const struct xylem_store__append_options imported = {.given = &root, .imported = true};
    const struct xylem_new_entry entry = {.id = xylem_view_of("a"), .kind = {XYLEM_CLASS_HOST, {"message", 7}}};
    store_builder_must(xylem_store__append(NULL, follower.txn, half.number, &entry, 1, &imported, &err), &err);
    store_builder_commit(&follower);
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_NOT_FOUND, "must come first");
}

TRAVEL_TEST(a_fork_of_a_session_that_was_deleted_travels)
{
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position a = store_builder_add(&owner, session, "a", "message", NULL);
    store_builder_fork(&owner, session, a, XYLEM_FORK_AT, "fork");
    store_builder_must(xylem_session_delete(owner.txn, session, &err), &err);
    pack_all(&segments, &owner);
    apply_all(&segments);
    assert_same_sessions(owner.txn, follower.txn);
    assert_int_equal(pair_find(&follower, "s").state, XYLEM_SESSION_DELETED);
}

TRAVEL_TEST(ids_of_an_entry_may_be_there_in_other_sessions)
{
    uint64_t other = store_builder_session(&follower, "other");
    store_builder_add(&follower, other, "a", "message", "{\"of\":\"other\"}");
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "a", "message", "{\"of\":\"s\"}");
    store_builder_messages(&owner, session, 5); /* ids that hold the lsn */
    store_builder_messages(&follower, other, 5);
    travel("s");
    struct xylem_scan *scan;
    struct xylem_entry entry;
    store_builder_must(xylem_scan_new(&scan, follower.txn, pair_number(&follower, "s"), &err), &err);
    while (xylem_scan_next(&entry, scan, &err) == 1) {
        struct xylem_position at;
        assert_int_equal(entry.flags & XYLEM_ENTRY_MINTED, 0);
        store_builder_must(xylem_find(&at, follower.txn, pair_number(&follower, "s"), entry.id, &err), &err);
        assert_memory_equal(&at, &entry.position, sizeof at);
    }
    xylem_scan_free(scan);
}

TRAVEL_TEST(ids_with_an_lsn_are_found_by_their_rows)
{
    struct xylem_position at = store_builder_messages(&owner, store_builder_session(&owner, "s"), 1);
    struct xylem_entry entry;
    store_builder_must(xylem_entry_read(&entry, owner.txn, at, &err), &err);
    assert_true(entry.flags & XYLEM_ENTRY_MINTED);
    travel("s"); /* the entry has the same lsn, by chance */
    uint64_t lsn = entry.lsn;
    store_builder_must(xylem_entry_read(&entry, follower.txn, at, &err), &err);
    assert_int_equal(entry.lsn, lsn);
    assert_int_equal(entry.flags & XYLEM_ENTRY_MINTED, 0);
}

/* --- Deletions ---------------------------------------------------------------------------------------------------- */

TRAVEL_TEST(deletions_travel_both_ways)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_messages(&owner, session, 2);
    travel("s");
    store_builder_must(xylem_session_delete(owner.txn, session, &err), &err);
    travel_from("s", change_count(&owner, "s"));
    assert_int_equal(pair_find(&follower, "s").state, XYLEM_SESSION_DELETED);
    assert_true(pair_find(&follower, "s").owner.data != NULL);
    assert_known(&follower, segment_at(&segments, 0));
    pair_verify(&follower);
    store_builder_must(xylem_session_undelete(owner.txn, session, &err), &err);
    store_builder_messages(&owner, session, 1);
    travel_from("s", change_count(&owner, "s") - 1);
    assert_int_equal(pair_find(&follower, "s").state, XYLEM_SESSION_LIVE);
    pair_new_follower();
    travel("s");
}

/* True if the store notes what was taken out, so that a repair brings nothing back. */
static bool has_note_of_removal(void)
{
    struct xylem_view row = {NULL, 0};
    struct xylem_view key = xylem_view_of(XYLEM_FORMAT__META_REMOVED);
    return store_builder_must(xylem_lmdb__get(&row, follower.txn, XYLEM_FORMAT__META, key, &err), &err) == 1;
}

TRAVEL_TEST(deletions_and_redactions_that_travelled_are_noted_for_repairs)
{
    for (int redaction = 0; redaction < 2; redaction++) {
        uint64_t session = store_builder_session(&owner, "s");
        store_builder_add(&owner, session, "a", "message", "{}");
        travel("s");
        uint64_t next = change_count(&owner, "s") + 1;
        if (redaction) {
            redact_entry(&owner, "s", "a", false);
        } else {
            store_builder_must(xylem_session_delete(owner.txn, session, &err), &err);
        }
        assert_false(has_note_of_removal());
        travel_from("s", next);
        assert_true(has_note_of_removal());
        pair_abort(&owner);
        pair_new_follower();
    }
}

/* Applies the segments of the owner's changes from an ordinal on: none is taken but redactions. */
static void take_redactions_alone(uint64_t from, uint64_t redacted_count)
{
    uint64_t count = change_count(&follower, "s");
    segments_release(&segments);
    pack_from("s", from);
    apply_all(&segments);
    assert_true(report.deleted);
    assert_int_equal(report.differs, 0);
    assert_int_equal(report.change_count, 0);
    assert_int_equal(report.redacted_count, redacted_count);
    assert_int_equal(change_count(&follower, "s"), count);
}

TRAVEL_TEST(a_session_that_was_deleted_here_does_not_grow_but_loses_what_its_owner_redacts)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "a", "message", "{\"secret\":1}");
    store_builder_add(&owner, session, "b", "message", "{\"secret\":2}");
    travel("s");
    store_builder_must(xylem_session_delete(follower.txn, pair_number(&follower, "s"), &err), &err);
    store_builder_commit(&follower);
    assert_known(&follower, segment_at(&segments, 0));
    store_builder_messages(&owner, session, 1);
    uint64_t last = change_count(&owner, "s");
    take_redactions_alone(last, 0);
    redact_entry(&owner, "s", "a", false);
    take_redactions_alone(last, 1);
    redact_entry(&owner, "s", "b", true);
    take_redactions_alone(last + 2, 1); /* behind changes that never came */
}

TRAVEL_TEST(a_session_that_was_freed_here_comes_anew)
{
    store_builder_messages(&owner, store_builder_session(&owner, "s"), 2);
    travel("s");
    store_builder_must(xylem_session_delete(follower.txn, pair_number(&follower, "s"), &err), &err);
    store_builder_must(xylem_gc(NULL, follower.txn, NULL, &err), &err);
    store_builder_commit(&follower);
    travel("s");
    assert_true(report.is_new);
}

/* --- Whose session ------------------------------------------------------------------------------------------------ */

/* A session of three entries that the follower has, and an increment. */
static void prepare_increment(void)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "a", "message", "{\"a\":1}");
    store_builder_messages(&owner, session, 2);
    travel("s");
    store_builder_commit(&follower);
    uint64_t next = change_count(&owner, "s") + 1;
    store_builder_add(&owner, session, "last", "message", NULL);
    segments_release(&segments);
    pack_from("s", next);
}

TRAVEL_TEST(a_session_of_this_store_is_not_extended)
{
    prepare_increment();
    store_builder_must(xylem_session_own(follower.txn, pair_number(&follower, "s"), 2, &err), &err);
    store_builder_commit(&follower);
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "this store owns the session");
    assert_int_equal(report.differs, 0);
    pack_anew("s");
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "is not extended");
}

TRAVEL_TEST(a_session_of_another_owner_is_not_extended)
{
    prepare_increment();
    store_builder_must(
        xylem_session_follow(follower.txn, pair_number(&follower, "s"), xylem_view_of("someone"), 1, &err), &err);
    store_builder_commit(&follower);
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "the store someone owns the session");
    store_builder_must(xylem_session_follow(follower.txn, pair_number(&follower, "s"), xylem_view_of(OWNER), 1, &err),
                       &err);
    store_builder_must(try_apply(&follower, segment_at(&segments, 0)), &err);
    assert_int_equal(pair_find(&follower, "s").epoch, 1);
    assert_same_session(owner.txn, follower.txn, "s");
}

TRAVEL_TEST(what_this_store_has_already_may_be_of_any_owner)
{
    store_builder_messages(&owner, store_builder_session(&owner, "s"), 3);
    travel("s");
    store_builder_must(xylem_session_own(follower.txn, pair_number(&follower, "s"), 2, &err), &err);
    assert_known(&follower, segment_at(&segments, 0));
    assert_known(&owner, segment_at(&segments, 0));
    assert_null(pair_find(&owner, "s").owner.data);
}

TRAVEL_TEST(what_follows_here_and_went_on_here_is_another_history)
{
    prepare_increment();
    uint64_t number = pair_number(&follower, "s");
    store_builder_must(xylem_session_own(follower.txn, number, 2, &err), &err);
    store_builder_add(&follower, number, "mine", "message", NULL);
    store_builder_commit(&follower);
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "change 5 differs");
    assert_int_equal(report.differs, 5);
    store_builder_must(xylem_session_follow(follower.txn, number, xylem_view_of(OWNER), 3, &err), &err);
    refuse(&follower, segment_at(&segments, 0), XYLEM_E_CONFLICT, "change 5 differs");
}

/* The text names the owner. */
static void assert_copy(int code)
{
    assert_int_equal(code, XYLEM_E_CONFLICT);
    assert_non_null(strstr(err.text, OWNER));
}

static int append_one(uint64_t session, const char *kind)
{
    const struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of(kind)}};
    return xylem_append(NULL, follower.txn, session, &entry, 1, NULL, &err);
}

static int redact_one(uint64_t session)
{
    const struct xylem_redact_options options = {.reason = xylem_view_of("why")};
    struct xylem_redact_report redacted;
    int code =
        xylem_redact(&redacted, follower.txn, session, store_builder_find(&follower, session, "a"), &options, &err);
    xylem_redact_report_release(&redacted);
    return code;
}

TRAVEL_TEST(what_would_change_a_copy_is_refused_until_this_store_owns_it)
{
    prepare_increment();
    uint64_t session = pair_number(&follower, "s");
    struct xylem_position a = store_builder_find(&follower, session, "a");
    assert_copy(append_one(session, "message"));
    assert_copy(append_one(session, "label"));
    assert_copy(append_one(session, "session_info"));
    assert_copy(xylem_navigate(follower.txn, session, a, xylem_view_of(""), &err));
    assert_copy(redact_one(session));
    uint64_t fork = store_builder_fork(&follower, session, a, XYLEM_FORK_AT, "fork");
    store_builder_messages(&follower, fork, 1);
    store_builder_must(try_apply(&follower, segment_at(&segments, 0)), &err);
    store_builder_must(xylem_session_own(follower.txn, session, 2, &err), &err);
    store_builder_must(append_one(session, "message"), &err);
    store_builder_must(append_one(session, "label"), &err);
    store_builder_must(xylem_navigate(follower.txn, session, a, xylem_view_of(""), &err), &err);
    store_builder_must(redact_one(session), &err);
}

/* Its owner alone changes a copy that follows: the report says that the copy stays. */
TRAVEL_TEST(a_redaction_leaves_a_copy_that_follows_and_counts_it)
{
    prepare_increment();
    uint64_t mine = store_builder_session(&follower, "mine");
    struct xylem_position at = store_builder_add(&follower, mine, "a", "message", "{\"a\":1}");
    struct xylem_redact_options options = {.reason = xylem_view_of("why")};
    struct xylem_redact_report redacted;
    struct xylem_patterns *patterns = NULL;
    struct xylem_redact_matches_options all = {.redact = options};
    store_builder_must(xylem_redact(&redacted, follower.txn, mine, at, &options, &err), &err);
    assert_int_equal(redacted.redacted_count, 1);
    assert_int_equal(redacted.kept_count, 1);
    xylem_redact_report_release(&redacted);
    store_builder_add(&follower, mine, "b", "message", "{\"b\":1}");
    store_builder_must(xylem_patterns_new(&patterns, xylem_view_of("1"), &err), &err);
    store_builder_must(xylem_redact_matches(&redacted, follower.txn, patterns, &all, &err), &err);
    assert_int_equal(redacted.redacted_count, 1);
    assert_true(redacted.kept_count > 0);
    xylem_redact_report_release(&redacted);
    xylem_patterns_free(patterns);
}

#define FILE_OF(id)                                                                                                \
    "{\"type\":\"session\",\"version\":3,\"id\":\"" id "\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/" \
    "\"}\n"
#define LINE_OF(id) \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":null,\"timestamp\":\"2025-01-01T00:00:01.000Z\"}\n"

static int import_here(const char *text)
{
    char path[300];
    struct xylem_import_report imported = {0};
    (void)snprintf(path, sizeof path, "%s/session.jsonl", follower.path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    store_builder_must(xylem_commit(follower.txn, &err), &err);
    int code = xylem_import(&imported, follower.store, path, NULL, &err);
    xylem_import_report_release(&imported);
    assert_int_equal(unlink(path), 0);
    follower.txn = NULL;
    assert_int_equal(xylem_begin(&follower.txn, follower.store, XYLEM_WRITE, NULL), XYLEM_OK);
    return code;
}

TRAVEL_TEST(an_import_leaves_a_copy_alone)
{
    static const char first[] = FILE_OF("s") LINE_OF("a");
    pair_import_text(&owner, first, sizeof first - 1);
    travel("s");
    assert_copy(import_here(FILE_OF("s") LINE_OF("a") LINE_OF("b")));
    assert_same_session(owner.txn, follower.txn, "s");
    store_builder_must(xylem_session_own(follower.txn, pair_number(&follower, "s"), 2, &err), &err);
    store_builder_must(import_here(FILE_OF("s") LINE_OF("a") LINE_OF("b")), &err);
    assert_int_equal(pair_find(&follower, "s").own_entry_count, 2);
}

TRAVEL_TEST(a_copy_that_its_owner_deleted_is_taken_over_by_who_undeletes_it)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_must(xylem_session_delete(owner.txn, session, &err), &err);
    travel("s");
    assert_non_null(pair_find(&follower, "s").owner.data);
    store_builder_must(xylem_session_undelete(follower.txn, pair_number(&follower, "s"), &err), &err);
    assert_null(pair_find(&follower, "s").owner.data);
}

TRAVEL_TEST(a_smaller_epoch_never_replaces_a_greater_one)
{
    uint64_t session = store_builder_session(&follower, "s");
    store_builder_must(xylem_session_follow(follower.txn, session, xylem_view_of("a"), 5, &err), &err);
    assert_int_equal(xylem_session_follow(follower.txn, session, xylem_view_of("b"), 4, &err), XYLEM_E_CONFLICT);
    assert_int_equal(xylem_session_own(follower.txn, session, 4, &err), XYLEM_E_CONFLICT);
    assert_true(xylem_base__view_is(pair_find(&follower, "s").owner, "a"));
    store_builder_must(xylem_session_follow(follower.txn, session, xylem_view_of("b"), 5, &err), &err);
    assert_true(xylem_base__view_is(pair_find(&follower, "s").owner, "b"));
    store_builder_must(xylem_session_own(follower.txn, session, 6, &err), &err);
    assert_null(pair_find(&follower, "s").owner.data);
    assert_int_equal(pair_find(&follower, "s").epoch, 6);
    assert_int_equal(change_count(&follower, "s"), 1);
}

TRAVEL_TEST(an_owner_has_a_name_of_a_few_bytes)
{
    char name[66];
    uint64_t session = store_builder_session(&follower, "s");
    memset(name, 'n', sizeof name);
    assert_int_equal(xylem_session_follow(follower.txn, session, (struct xylem_view){name, 65}, 1, &err),
                     XYLEM_E_LIMIT);
    assert_int_equal(xylem_session_follow(follower.txn, session, (struct xylem_view){name, 0}, 1, &err), XYLEM_E_LIMIT);
    assert_int_equal(xylem_session_follow(follower.txn, session, (struct xylem_view){"a\0b", 3}, 1, &err),
                     XYLEM_E_MALFORMED);
    assert_int_equal(xylem_session_follow(follower.txn, session, (struct xylem_view){"\xff", 1}, 1, &err),
                     XYLEM_E_MALFORMED);
    store_builder_must(xylem_session_follow(follower.txn, session, (struct xylem_view){name, 64}, 1, &err), &err);
    assert_int_equal(xylem_session_follow(follower.txn, 99, xylem_view_of("a"), 1, &err), XYLEM_E_NOT_FOUND);
}

/* An owner of before sends with his epoch of before. */
TRAVEL_TEST(a_segment_of_an_older_epoch_extends_nothing)
{
    prepare_increment();
    struct xylem_apply_options options = {.owner = as_follower.owner, .epoch = 9};
    store_builder_must(xylem_segment_apply(&report, follower.txn, segment_at(&segments, 0), &options, &err), &err);
    assert_int_equal(pair_find(&follower, "s").epoch, 9);
    store_builder_add(&owner, pair_number(&owner, "s"), "late", "message", NULL);
    pack_anew("s");
    options.epoch = 8;
    assert_int_equal(xylem_segment_apply(&report, follower.txn, segment_at(&segments, 0), &options, &err),
                     XYLEM_E_CONFLICT);
    assert_int_equal(report.change_count, 0);
    options.epoch = 9;
    store_builder_must(xylem_segment_apply(&report, follower.txn, segment_at(&segments, 0), &options, &err), &err);
    assert_int_equal(report.change_count, 1);
    options.owner = (struct xylem_view){"\xff", 1};
    assert_int_equal(xylem_segment_apply(&report, follower.txn, segment_at(&segments, 0), &options, &err),
                     XYLEM_E_MALFORMED);
}

TRAVEL_TEST(without_an_owner_the_session_is_of_this_store)
{
    store_builder_messages(&owner, store_builder_session(&owner, "s"), 2);
    pack_anew("s");
    store_builder_must(xylem_segment_apply(&report, follower.txn, segment_at(&segments, 0), NULL, &err), &err);
    assert_null(pair_find(&follower, "s").owner.data);
    assert_same_session(owner.txn, follower.txn, "s");
    store_builder_messages(&follower, pair_number(&follower, "s"), 1);
}

TRAVEL_TEST(another_directory_takes_the_place_of_the_sessions_own)
{
    static const char text[] = "{\"id\":\"s\",\"type\":\"session\",\"version\":3,\"cwd\":\"/old\"}\n";
    pair_import_text(&owner, text, sizeof text - 1);
    assert_true(pair_find(&owner, "s").header.bytes > 0);
    pack_anew("s");
    struct xylem_apply_options options = as_follower;
    options.cwd = xylem_view_of("/new");
    store_builder_must(xylem_segment_apply(&report, follower.txn, segment_at(&segments, 0), &options, &err), &err);
    assert_true(xylem_base__view_is(pair_find(&follower, "s").cwd, "/new"));
    assert_int_equal(pair_find(&follower, "s").header.bytes, 0);
    assert_known(&follower, segment_at(&segments, 0));
}

/* --- Refused ------------------------------------------------------------------------------------------------------ */

TRAVEL_TEST(a_read_transaction_takes_no_segment)
{
    struct xylem_txn *txn = NULL;
    store_builder_session(&owner, "s");
    pack_anew("s");
    store_builder_must(xylem_begin(&txn, follower.store, XYLEM_READ, &err), &err);
    assert_int_equal(xylem_segment_apply(&report, txn, segment_at(&segments, 0), &as_follower, &err),
                     XYLEM_E_READ_ONLY);
    xylem_abort(txn);
    apply_all(&segments); /* nor one that is known */
    store_builder_commit(&follower);
    store_builder_must(xylem_begin(&txn, follower.store, XYLEM_READ, &err), &err);
    assert_int_equal(xylem_segment_apply(&report, txn, segment_at(&segments, 0), &as_follower, &err),
                     XYLEM_E_READ_ONLY);
    xylem_abort(txn);
}

TRAVEL_TEST(nobody_must_ask_for_the_text_of_an_error)
{
    struct xylem_packing *packing = NULL;
    struct xylem_segment segment;
    store_builder_messages(&owner, store_builder_session(&owner, "s"), 2);
    segments_release(&segments);
    pack_from("s", 2);
    struct xylem_view bytes = segment_at(&segments, 0);
    assert_int_equal(xylem_segment_apply(&report, follower.txn, bytes, NULL, NULL), XYLEM_E_NOT_FOUND);
    bytes.bytes--;
    assert_int_equal(xylem_segment_read(&segment, bytes, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_segment_apply(&report, follower.txn, bytes, NULL, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_packing_new(&packing, owner.txn, 99, NULL, NULL), XYLEM_E_NOT_FOUND);
    assert_null(packing);
    xylem_packing_free(NULL);
}

TRAVEL_TEST(a_position_of_an_entry_leads_to_its_ordinal)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_messages(&owner, session, 2);
    store_builder_go(&owner, session, (struct xylem_position){0, 0});
    struct xylem_position at = store_builder_messages(&owner, session, 2);
    uint64_t found = 0;
    uint64_t ordinal = 0;
    store_builder_must(xylem_entry_ordinal(&found, &ordinal, owner.txn, at, &err), &err);
    assert_int_equal(found, session);
    assert_int_equal(ordinal, 6);
    uint64_t fork = store_builder_fork(&owner, session, at, XYLEM_FORK_AT, "fork");
    store_builder_must(xylem_entry_ordinal(&found, &ordinal, owner.txn, pair_find(&owner, "fork").base, &err), &err);
    assert_int_equal(found, session);
    at = store_builder_add(&owner, fork, NULL, "message", NULL);
    store_builder_must(xylem_entry_ordinal(&found, &ordinal, owner.txn, at, &err), &err);
    assert_int_equal(found, fork);
    assert_int_equal(ordinal, 2);
    store_builder_must(xylem_session_delete(owner.txn, session, &err), &err);
    store_builder_must(xylem_gc(NULL, owner.txn, NULL, &err), &err);
    store_builder_must(xylem_entry_ordinal(&found, &ordinal, owner.txn, pair_find(&owner, "fork").base, &err), &err);
    assert_int_equal(found, session);
    assert_int_equal(ordinal, 0);
}

TRAVEL_TEST(the_chain_of_a_session_is_known_behind_each_change)
{
    uint64_t session = store_builder_session(&owner, "s");
    uint64_t chains[8];
    uint64_t chain = 1;
    for (size_t i = 1; i < 8; i++) {
        chains[i] = pair_find(&owner, "s").history.chain;
        store_builder_add(&owner, session, NULL, "message", NULL);
    }
    for (size_t i = 1; i < 8; i++) {
        store_builder_must(xylem_session_chain(&chain, owner.txn, session, i, &err), &err);
        assert_int_equal(chain, chains[i]);
    }
    store_builder_must(xylem_session_chain(&chain, owner.txn, session, 0, &err), &err);
    assert_int_equal(chain, 0);
    assert_int_equal(xylem_session_chain(&chain, owner.txn, session, 9, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_session_chain(&chain, owner.txn, 99, 0, &err), XYLEM_E_NOT_FOUND);
    store_builder_fork(&owner, session, store_builder_leaf(&owner, session), XYLEM_FORK_AT, "fork");
    store_builder_must(xylem_session_delete(owner.txn, session, &err), &err);
    store_builder_must(xylem_gc(NULL, owner.txn, NULL, &err), &err);
    assert_int_equal(xylem_session_chain(&chain, owner.txn, session, 0, &err), XYLEM_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "was freed"));
}
