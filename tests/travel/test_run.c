/* Entries are appended run by run: long runs, large payloads, many kinds, parents anywhere. */
#include "tests/lib/chance.h"
#include "tests/travel/mend.h"
#include "tests/travel/pair.h"

/* --- Sizes -------------------------------------------------------------------------------------------------------- */

TRAVEL_TEST(three_thousand_entries_come_in_one_segment)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_grow(&owner, session, 3000);
    travel("s");
    assert_int_equal(segments.count, 1);
    assert_int_equal(report.entry_count, 3000);
    assert_int_equal(pair_find(&follower, "s").leaf.branch, 1);
}

TRAVEL_TEST(five_thousand_kinds_come_in_one_segment)
{
    uint64_t session = store_builder_session(&owner, "s");
    for (int i = 0; i < 5000; i++) {
        char kind[32];
        (void)snprintf(kind, sizeof kind, "custom:kind-%d", i);
        store_builder_add(&owner, session, NULL, kind, "{}");
    }
    struct xylem_position leaf = store_builder_add(&owner, session, NULL, "custom:kind-0", "{}");
    struct xylem_entry entry;
    store_builder_must(xylem_entry_read(&entry, owner.txn, leaf, &err), &err);
    assert_int_equal(entry.flags & XYLEM_ENTRY_HEADS_INCOMPLETE, XYLEM_ENTRY_HEADS_INCOMPLETE);
    travel("s");
    assert_int_equal(segments.count, 1);
}

static void travel_with_payload(size_t bytes)
{
    uint64_t session = store_builder_session(&owner, "s");
    char *json = malloc(bytes + 1);
    assert_non_null(json);
    memset(json, 'x', bytes);
    memcpy(json, "{\"x\":\"", 6);
    memcpy(json + bytes - 2, "\"}", 3);
    store_builder_add(&owner, session, "a", "message", "{}");
    store_builder_add(&owner, session, "large", "message", json);
    store_builder_add(&owner, session, "b", "message", "{}");
    free(json);
    travel("s");
}

TRAVEL_TEST(payloads_around_a_mebibyte_travel)
{
    for (size_t i = 0; i < 60; i += 10) {
        travel_with_payload(XYLEM_SEGMENT_BYTES - 150 + i);
        assert_in_range(segments.count, 1, 2);
        pair_abort(&owner);
        pair_abort(&follower);
    }
    travel_with_payload(XYLEM_SEGMENT_BYTES + 1);
}

TRAVEL_TEST(a_payload_of_five_mebibytes_travels)
{
    travel_with_payload(5 * 1048576);
    assert_int_equal(segments.count, 2);
}

TRAVEL_TEST(runs_of_every_length_travel)
{
    static const size_t lengths[] = {1, 1023, 1024, 1025, 2048};
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position root = store_builder_add(&owner, session, "root", "message", NULL);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        store_builder_go(&owner, session, root);
        store_builder_grow(&owner, session, lengths[i]);
    }
    travel("s");
}

TRAVEL_TEST(times_and_ids_of_any_size_travel)
{
    uint64_t session = store_builder_session(&owner, "s");
    char id[XYLEM_ENTRY_ID_BYTES_MAX];
    memset(id, 'i', sizeof id);
    static const int64_t times[] = {INT64_MIN, -1, 0, INT64_MAX};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct xylem_new_entry entry = {.id = {id, i == 0 ? 1 : sizeof id - i},
                                        .kind = {XYLEM_CLASS_HOST, {"", 0}},
                                        .time_ms = &times[i],
                                        .format = XYLEM_FORMAT_JSON,
                                        .payload = xylem_view_of("{}")};
        store_builder_must(xylem_append(NULL, owner.txn, session, &entry, 1, NULL, &err), &err);
    }
    travel("s");
}

TRAVEL_TEST(bytes_that_are_no_text_travel)
{
    static const struct xylem_view ids[] = {{"\xed\xa0\xbd", 3}, {"a\0b", 3}, {"\n\"\\", 3}};
    uint64_t session = store_builder_session(&owner, "s \xed\xa0\xbd");
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct xylem_new_entry entry = {.id = ids[i], .kind = {XYLEM_CLASS_CUSTOM, ids[i]}};
        store_builder_must(xylem_append(NULL, owner.txn, session, &entry, 1, NULL, &err), &err);
    }
    store_builder_must(
        xylem_navigate(owner.txn, session, (struct xylem_position){0, 0}, (struct xylem_view){"\xff\0", 2}, &err),
        &err);
    travel("s \xed\xa0\xbd");
}

/* --- Shapes ------------------------------------------------------------------------------------------------------- */

/* A random tree of entries with forks, moves, redactions; each session travels in random increments. */
static void travel_tree(uint64_t seed)
{
    struct chance chance = chance_of(seed);
    static const char *const ids[] = {"s", "t", "u", "v"};
    uint64_t next[4] = {1, 1, 1, 1};
    size_t count = 1;
    uint64_t numbers[4] = {store_builder_session(&owner, ids[0])};
    struct xylem_position places[64];
    size_t place_count = 0;
    for (int step = 0; step < 60; step++) {
        size_t which = (size_t)chance_below(&chance, (int)count);
        uint64_t session = numbers[which];
        struct xylem_position at = {0, 0};
        if (place_count > 0 && !chance_one_in(&chance, 5)) {
            at = places[(size_t)chance_below(&chance, (int)place_count)];
            at = xylem_belongs(owner.txn, session, at, &err) == 1 ? at : (struct xylem_position){0, 0};
        }
        char json[40];
        (void)snprintf(json, sizeof json, "{\"step\":%d}", step);
        switch (chance_below(&chance, 8)) {
        case 0:
            store_builder_go(&owner, session, at);
            break;
        case 1:
            if (count < 4 && at.branch > 0) {
                numbers[count] = store_builder_fork(&owner, session, at, XYLEM_FORK_AT, ids[count]);
                count++;
            }
            break;
        case 2:
            if (at.branch > 0) {
                struct xylem_entry entry;
                char id[65];
                store_builder_must(xylem_entry_read(&entry, owner.txn, at, &err), &err);
                (void)snprintf(id, sizeof id, "%.*s", (int)entry.id.bytes, entry.id.data);
                redact_entry(&owner, ids[which], id, chance_one_in(&chance, 2));
            }
            break;
        case 3:
            for (size_t i = 0; i < count; i++) {
                if (next[i] <= change_count(&owner, ids[i]) + 1) {
                    uint64_t from = next[i];
                    next[i] = change_count(&owner, ids[i]) + 1;
                    segments_release(&segments);
                    pack_from(ids[i], from);
                    apply_all(&segments);
                }
            }
            break;
        default:
            places[place_count++] = store_builder_add_at(&owner, session, at, NULL, "message", json);
        }
    }
    for (size_t i = 0; i < count; i++) {
        segments_release(&segments);
        pack_from(ids[i], next[i]);
        apply_all(&segments);
    }
    assert_same_sessions(owner.txn, follower.txn);
    assert_verified(follower.txn);
    assert_changes_agree(follower.txn);
    pair_abort(&owner);
    pair_abort(&follower);
}

TRAVEL_TEST(trees_of_any_shape_travel_in_any_increments)
{
    test_seeds(travel_tree, test_rounds(200));
}

/* --- Refused ------------------------------------------------------------------------------------------------------ */

/* Two entries below a root; a text is replaced by another one. */
static void refuse_with(const char *text, const char *other, const char *words)
{
    struct xylem_buffer bytes = {NULL, 0, 0};
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position none = {0, 0};
    struct xylem_position root = store_builder_add_at(&owner, session, none, "id-1", "message", NULL);
    store_builder_add_at(&owner, session, none, "id-2", "message", NULL);
    store_builder_add_at(&owner, session, root, "id-3", "message", "{\"x\":\"payload\"}");
    pack_anew("s");
    pair_abort(&owner);
    copy_bytes(&bytes, segment_at(&segments, 0));
    /* The parent of the third entry stands right before the third entry. */
    size_t from = strcmp(text, "parent") == 0 ? place_of_text(&bytes, "id-3") - 16 : place_of_text(&bytes, text);
    memcpy(bytes.data + from, other, strlen(other));
    mend_chain(bytes.data, bytes.bytes);
    refuse(&follower, (struct xylem_view){bytes.data, bytes.bytes}, XYLEM_E_MALFORMED, words);
    xylem_buffer_release(&bytes);
}

TRAVEL_TEST(what_no_owner_packs_is_malformed)
{
    refuse_with("parent", "id-7", "has the parent id-7, which the session s does not have");
    refuse_with("id-2", "id-1", "has an entry id-1 already");
    refuse_with("id-3", "id-2", "has an entry id-2 already");
    refuse_with("{\"x\":\"payload\"}", "{\"x\":\"payload\",", "its payload is refused");
    refuse_with("{\"x\":\"payload\"}", "{\"id\":\"payloa\"}", "which is reserved for the entry");
    refuse_with("message", "session", "is reserved for the header");
}
