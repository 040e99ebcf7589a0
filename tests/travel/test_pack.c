/* What goes into segments: whole sessions, their increments, and what patterns take out. */
#include "tests/flow/fixtures.h"
#include "tests/lib/full_store.h"
#include "tests/travel/pair.h"

/* --- Sessions of pi ----------------------------------------------------------------------------------------------- */

static void assert_same_export(const char *id)
{
    struct xylem_buffer out[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    const struct xylem_export_options options = {.with_quarantine = true};
    struct store_builder *const stores[] = {&owner, &follower};
    for (int i = 0; i < 2; i++) {
        store_builder_must(
            xylem_export(stores[i]->txn, pair_number(stores[i], id), &options, sandbox_collect, &out[i], &err), &err);
    }
    assert_same_bytes(out[1].data, out[1].bytes, out[0].data, out[0].bytes);
    xylem_buffer_release(&out[0]);
    xylem_buffer_release(&out[1]);
}

/* Imports all session files of a directory, each after its source. Gives the number of the sessions. */
static size_t import_fixtures(const char *directory)
{
    struct fixtures fixtures = {.count = 0};
    size_t count = 0;
    fixtures_ordered(&fixtures, directory);
    for (size_t i = 0; i < fixtures.count; i++) {
        if (!strstr(fixtures.paths[i], ".before.jsonl")) {
            pair_import(&owner, fixtures.paths[i]);
            count++;
        }
    }
    fixtures_release(&fixtures);
    return count;
}

static void export_all(void)
{
    struct xylem_sessions *sessions;
    struct xylem_session row;
    assert_int_equal(xylem_sessions_new(&sessions, owner.txn, NULL), XYLEM_OK);
    while (xylem_sessions_next(&row, sessions, NULL) == 1) {
        char id[256];
        (void)snprintf(id, sizeof id, "%.*s", (int)row.id.bytes, row.id.data);
        assert_same_export(id);
    }
    xylem_sessions_free(sessions);
}

TRAVEL_TEST(every_session_of_pi_is_the_same_behind_its_way_also_if_it_comes_twice)
{
    assert_true(import_fixtures(FIXTURES) >= 50);
    pack_all(&segments, &owner);
    apply_all(&segments);
    store_builder_commit(&follower);
    for (size_t i = 0; i < segments.count; i++) {
        assert_known(&follower, segment_at(&segments, i));
        assert_int_not_equal(report.session, 0);
    }
    assert_same_sessions(owner.txn, follower.txn);
    export_all();
}

TRAVEL_TEST(a_store_that_followed_packs_the_same_bytes)
{
    import_fixtures("fixtures/sessions/pi-0.74.2");
    pack_all(&segments, &owner);
    apply_all(&segments);
    struct segments *again = calloc(1, sizeof *again);
    assert_non_null(again);
    pack_all(again, &follower);
    assert_int_equal(again->count, segments.count);
    for (size_t i = 0; i < segments.count; i++) {
        struct xylem_view expected = segment_at(&segments, i);
        struct xylem_view found = segment_at(again, i);
        assert_same_bytes(found.data, found.bytes, expected.data, expected.bytes);
    }
    segments_release(again);
    free(again);
}

#define DATA(json)                                                    \
    HEADER "{\"type\":\"custom\",\"customType\":\"x\",\"data\":" json \
           ",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2025-01-01T00:00:01.000Z\"}\n"

TRAVEL_TEST(files_that_were_made_to_be_nasty_travel)
{
    static const char *const texts[] = {
        DATA("\"\\ud83d\""),
        DATA("[\"\\ud83d\\ude80\",\"\\uD83D\",\"\\ude80\\ud83d\",\"x\\ud83dy\"]"),
        DATA("\"\xff\xfe \xc0\x80 \xed\xa0\xbd \xf0\x9f\x9a\""),
        DATA("{\"\\u0000\":\"\\u0000\",\"\":\"\",\"\xc3\xa9\":\"\xf0\x9f\x9a\x80\"}"),
        DATA("[1e309,-0,1.10,18446744073709551616,5e-324,123456789012345680000]"),
        HEADER "{\"type\":\"\\ud83d\",\"id\":\"\\ud83d\",\"parentId\":null,\"x\":\"\\ud83d\"}\n",
        HEADER "{\"type\":\"message\",\"id\":\"a\xff\",\"parentId\":null,\"x\":\"\xff\"}\n",
        HEADER "{ \"type\" : \"message\", \"id\":\"a\" , \"parentId\":null,\t\"x\": [ 1, 2 ] } \r\n",
        HEADER "{\"id\":\"a\",\"type\":\"message\"}\n{\"type\":\"label\",\"id\":\"b\",\"id\":\"c\",\"parentId\":"
               "\"a\"}\n",
        HEADER "{\"type\":\"message\",\"id\":\"a\",\"parentId\":7,\"timestamp\":12}\n",
        HEADER "{\"type\":\"custom\",\"customType\":5,\"id\":\"a\",\"data\":1}\n"
               "{\"type\":\"custom\",\"customType\":\"\",\"id\":\"b\",\"data\":null,\"more\":true}\n"
               "{\"type\":\"of the future\",\"id\":\"c\",\"payload\":[],\"customType\":\"x\"}\n",
        "{\"id\":\"s\",\"type\":\"session\",\"version\":3.0,\"extra\":{}}\r\n" ROOT("a"),
        HEADER "\n \n" ROOT("a") "\n\r\n",
        HEADER "[]\n12\nnull\n\"x\"\n{\n" ROOT("a") HEADER "{\"type\":\"x\"}\n{\"id\":\"y\"}\n",
        HEADER CHILD("c", "b") CHILD("b", "a") "junk\n" ROOT("a") CHILD("d", "c") CHILD("f", "e") "\n" CHILD("e", "d"),
        HEADER CHILD("a", "c") CHILD("b", "a") CHILD("c", "b") CHILD("x", "x") CHILD("o", "missing"),
        HEADER ROOT("a") CHILD("b", "a") ROOT("a") CHILD("b", "a") CHILD("b", "a"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pair_import_text(&owner, texts[i], strlen(texts[i]));
        travel("s");
        assert_same_export("s");
        pair_new_follower();
        store_builder_close(&owner);
        store_builder_open(&owner);
    }
}

TRAVEL_TEST(a_store_with_a_row_of_every_kind_travels)
{
    full_store_fill(&owner);
    pack_all(&segments, &owner);
    apply_all(&segments);
    assert_same_sessions(owner.txn, follower.txn);
    store_builder_commit(&follower);
    for (size_t i = 0; i < segments.count; i++) {
        assert_known(&follower, segment_at(&segments, i));
    }
    full_store_release();
}

/* Applies all segments from the last to the first, until one round changes nothing. Gives the number of the rounds. */
static size_t apply_backwards(void)
{
    bool done[SEGMENTS_MAX] = {false};
    size_t rounds = 0;
    for (size_t left = segments.count; left > 0; rounds++) {
        size_t before = left;
        for (size_t i = segments.count; i-- > 0;) {
            int code = done[i] ? XYLEM_OK : try_apply(&follower, segment_at(&segments, i));
            if (code == XYLEM_E_NOT_FOUND) {
                assert_non_null(strstr(err.text, "must come first"));
                assert_int_equal(report.change_count, 0);
                continue;
            }
            store_builder_must(code, &err);
            left -= !done[i];
            done[i] = true;
        }
        assert_true(left < before);
    }
    return rounds;
}

TRAVEL_TEST(backwards_the_segments_wait_for_each_other)
{
    import_fixtures("fixtures/sessions/pi-0.74.2");
    pack_all(&segments, &owner);
    assert_true(apply_backwards() > 1);
    assert_same_sessions(owner.txn, follower.txn);
}

/* --- Runs of changes ---------------------------------------------------------------------------------------------- */

/* A session of messages of which each has so many bytes. */
static uint64_t add_large(const char *id, size_t count, size_t bytes)
{
    uint64_t session = store_builder_session(&owner, id);
    char *json = malloc(bytes + 1);
    assert_non_null(json);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        memset(json, 'x', bytes);
        memcpy(json, "{\"x\":\"", 6);
        memcpy(json + bytes - 2, "\"}", 3);
        (void)snprintf(name, sizeof name, "%s-%zu", id, i);
        store_builder_add(&owner, session, name, "message", json);
    }
    free(json);
    return session;
}

TRAVEL_TEST(a_long_session_becomes_several_segments)
{
    struct xylem_segment segment;
    uint64_t next = 1;
    uint64_t chain = 0;
    uint64_t entries = 0;
    add_large("s", 30, 100000);
    pack_anew("s");
    assert_int_equal(segments.count, 3);
    for (size_t i = 0; i < segments.count; i++) {
        struct xylem_view bytes = segment_at(&segments, i);
        store_builder_must(xylem_segment_read(&segment, bytes, &err), &err);
        assert_true(xylem_base__view_is(segment.session, "s"));
        assert_int_equal(segment.from, next);
        assert_int_equal(segment.chain_before, chain);
        assert_int_equal(segment.has_document, i + 1 == segments.count);
        assert_in_range(bytes.bytes, 1, XYLEM_SEGMENT_BYTES + 101000);
        assert_true(i + 1 == segments.count || bytes.bytes >= XYLEM_SEGMENT_BYTES);
        next = segment.to;
        chain = segment.chain;
        entries += segment.entry_count;
    }
    assert_int_equal(entries, 30);
    assert_int_equal(next, change_count(&owner, "s") + 1);
    assert_int_equal(chain, pair_find(&owner, "s").history.chain);
}

TRAVEL_TEST(a_range_comes_as_one_segment_if_that_is_wanted)
{
    struct xylem_packing *packing;
    struct xylem_segment segment;
    struct xylem_buffer bytes = {NULL, 0, 0};
    const struct xylem_pack_options options = {.from = 1, .to = 30};
    add_large("s", 30, 100000);
    store_builder_must(xylem_packing_new(&packing, owner.txn, pair_number(&owner, "s"), &options, &err), &err);
    xylem_packing_whole(packing);
    assert_int_equal(store_builder_must(xylem_packing_next(&bytes, &segment, packing, &err), &err), 1);
    assert_int_equal(segment.from, 1);
    assert_int_equal(segment.to, 30);
    assert_int_equal(xylem_packing_next(&bytes, &segment, packing, &err), 0);
    xylem_packing_free(packing);
    xylem_buffer_release(&bytes);
}

TRAVEL_TEST(a_segment_that_is_missing_is_named)
{
    add_large("s", 30, 100000);
    pack_anew("s");
    store_builder_must(try_apply(&follower, segment_at(&segments, 0)), &err);
    store_builder_commit(&follower);
    char words[64];
    (void)snprintf(words, sizeof words, "a segment from change %d must come first",
                   (int)change_count(&follower, "s") + 1);
    refuse(&follower, segment_at(&segments, 2), XYLEM_E_NOT_FOUND, words);
    store_builder_must(try_apply(&follower, segment_at(&segments, 1)), &err);
    store_builder_must(try_apply(&follower, segment_at(&segments, 2)), &err);
    assert_same_session(owner.txn, follower.txn, "s");
}

TRAVEL_TEST(the_first_segment_of_a_session_must_come_first)
{
    add_large("s", 12, 100000);
    pack_anew("s");
    refuse(&follower, segment_at(&segments, 1), XYLEM_E_NOT_FOUND, "a segment from change 1 must come first");
    assert_int_equal(report.session, 0);
}

TRAVEL_TEST(any_run_of_changes_can_be_packed)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_messages(&owner, session, 9);
    for (uint64_t from = 1; from <= 11; from++) {
        for (uint64_t to = from; to <= 11; to++) {
            const struct xylem_pack_options options = {.from = from, .to = to};
            struct xylem_segment segment;
            segments_release(&segments);
            pack_with(&segments, &owner, "s", &options);
            if (from == to) {
                assert_int_equal(segments.count, 1);
            }
            store_builder_must(xylem_segment_read(&segment, segment_at(&segments, 0), &err), &err);
            assert_int_equal(segment.from, from);
            assert_int_equal(segment.to, to);
            assert_false(segment.has_document);
            uint64_t chain = 0;
            store_builder_must(xylem_session_chain(&chain, owner.txn, session, from - 1, &err), &err);
            assert_int_equal(segment.chain_before, chain);
        }
    }
}

TRAVEL_TEST(behind_its_end_a_packing_gives_nothing)
{
    struct xylem_packing *packing = NULL;
    struct xylem_buffer bytes = {NULL, 0, 0};
    struct xylem_segment segment;
    store_builder_must(xylem_packing_new(&packing, owner.txn, store_builder_session(&owner, "s"), NULL, &err), &err);
    assert_int_equal(xylem_packing_next(&bytes, &segment, packing, &err), 1);
    assert_true(bytes.bytes > 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(xylem_packing_next(&bytes, &segment, packing, &err), 0);
        assert_int_equal(bytes.bytes, 0);
    }
    xylem_packing_free(packing);
    xylem_buffer_release(&bytes);
}

TRAVEL_TEST(each_change_may_travel_alone)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_messages(&owner, session, 4);
    store_builder_go(&owner, session, (struct xylem_position){0, 0});
    store_builder_messages(&owner, session, 2);
    for (uint64_t from = 1; from <= change_count(&owner, "s"); from++) {
        const struct xylem_pack_options options = {.from = from, .to = from + 1};
        pack_with(&segments, &owner, "s", &options);
    }
    apply_all(&segments);
    assert_int_equal(change_count(&follower, "s"), change_count(&owner, "s"));
    travel_from("s", change_count(&owner, "s") + 1);
}

static int pack_range(uint64_t from, uint64_t to)
{
    const struct xylem_pack_options options = {.from = from, .to = to};
    segments_release(&segments);
    return try_pack(&segments, &owner, pair_number(&owner, "s"), &options);
}

TRAVEL_TEST(a_run_that_the_session_does_not_have_cannot_be_packed)
{
    store_builder_messages(&owner, store_builder_session(&owner, "s"), 2);
    assert_int_equal(pack_range(3, 2), XYLEM_E_ARGUMENT);
    assert_int_equal(pack_range(5, 0), XYLEM_E_NOT_FOUND);
    assert_int_equal(pack_range(1, 5), XYLEM_E_NOT_FOUND);
    assert_int_equal(pack_range(4, 4), XYLEM_OK);
    assert_int_equal(pack_range(4, 0), XYLEM_OK);
    assert_int_equal(segments.count, 1);
    assert_int_equal(try_pack(&segments, &owner, 99, NULL), XYLEM_E_NOT_FOUND);
}

TRAVEL_TEST(a_session_that_is_importing_does_not_travel)
{
    struct xylem_session session = {.id = xylem_view_of("s"), .state = XYLEM_SESSION_IMPORTING};
    store_builder_must(xylem_store__session_add(owner.txn, &session, &err), &err);
    assert_int_equal(pack_range(0, 0), XYLEM_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "has not finished"));
    session.state = XYLEM_SESSION_LIVE;
    store_builder_must(xylem_store__session_write(owner.txn, &session, &err), &err);
    pair_abort(&owner);
}

TRAVEL_TEST(the_row_stands_in_the_first_segment_alone)
{
    struct xylem_segment segment;
    struct xylem_session made;
    const int64_t created_ms = -5;
    struct xylem_session_options options = {.id = xylem_view_of("s"),
                                            .cwd = xylem_view_of("/home/a"),
                                            .parent = xylem_view_of(""),
                                            .created_ms = &created_ms};
    store_builder_must(xylem_session_create(&made, owner.txn, &options, &err), &err);
    store_builder_messages(&owner, made.number, 1);
    pack_anew("s");
    store_builder_must(xylem_segment_read(&segment, segment_at(&segments, 0), &err), &err);
    assert_int_equal(segment.cwd.bytes, 7);
    assert_memory_equal(segment.cwd.data, "/home/a", 7);
    assert_null(segment.base_session.data);
    apply_all(&segments);
    assert_same_session(owner.txn, follower.txn, "s");
    segments_release(&segments);
    pack_from("s", 2);
    store_builder_must(xylem_segment_read(&segment, segment_at(&segments, 0), &err), &err);
    assert_null(segment.cwd.data);
}

/* --- Patterns ----------------------------------------------------------------------------------------------------- */

static struct xylem_patterns *patterns;

static void read_patterns(const char *text)
{
    xylem_patterns_free(patterns);
    patterns = NULL;
    store_builder_must(xylem_patterns_new(&patterns, xylem_view_of(text), &err), &err);
}

static int patterns_close(void **state)
{
    xylem_patterns_free(patterns);
    patterns = NULL;
    return pair_close(state);
}

#define PATTERN_TEST(test) TEST_WITH(test, pair_open, patterns_close)

static int pack_searched(const char *id, uint64_t from, uint64_t sum)
{
    const struct xylem_pack_options options = {
        .from = from, .patterns = patterns, .patterns_sum = sum, .reason = xylem_view_of("searched")};
    segments_release(&segments);
    return try_pack(&segments, &owner, pair_number(&owner, id), &options);
}

static struct xylem_entry entry_of(struct store_builder *builder, const char *session, const char *id)
{
    struct xylem_entry entry;
    uint64_t number = pair_number(builder, session);
    store_builder_must(xylem_entry_read(&entry, builder->txn, store_builder_find(builder, number, id), &err), &err);
    return entry;
}

PATTERN_TEST(an_entry_that_matches_travels_without_its_content)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "a", "message", "{\"x\":\"harmless\"}");
    store_builder_add(&owner, session, "b", "message", "{\"x\":\"sk-secret\"}");
    store_builder_add(&owner, session, "c", "custom:x", "{\"x\":[\"sk-secret too\"]}");
    store_builder_add(&owner, session, "d", "message", "{\"x\":\"harmless\"}");
    read_patterns("sk-[a-z]+");
    store_builder_must(pack_searched("s", 0, 7), &err);
    for (size_t i = 0; i < segments.count; i++) {
        assert_null(memmem(segments.list[i].data, segments.list[i].bytes, "secret", 6));
    }
    apply_all(&segments);
    static const char *const ids[] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < 4; i++) {
        struct xylem_entry entry = entry_of(&follower, "s", ids[i]);
        struct xylem_view reason = {NULL, 0};
        bool taken = i == 1 || i == 2;
        unsigned flags = XYLEM_ENTRY_REDACTED | XYLEM_ENTRY_HASH_DROPPED;
        assert_int_equal(entry.flags & flags, taken ? flags : 0);
        assert_int_equal(xylem_entry_redaction(&reason, &entry, &err), taken);
        assert_int_equal(reason.bytes, taken ? 8 : 0);
        bool same_check = entry.check == entry_of(&owner, "s", ids[i]).check;
        assert_int_equal(same_check, i == 0);
        bool same_hash = entry.unverified.payload_hash == entry_of(&owner, "s", ids[i]).unverified.payload_hash;
        assert_int_equal(same_hash, !taken);
    }
    assert_int_equal(pair_find(&owner, "s").history.chain, pair_find(&follower, "s").history.chain);
}

/* Its text is gone, so nobody knows whether a pattern would match; the hash would confirm a guess. */
PATTERN_TEST(an_entry_that_was_redacted_before_loses_its_hash_with_patterns)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "a", "message", "{\"x\":\"sk-secret\"}");
    redact_entry(&owner, "s", "a", false);
    uint64_t hash = entry_of(&owner, "s", "a").unverified.payload_hash;
    read_patterns("sk-[a-z]+");
    store_builder_must(pack_searched("s", 0, 7), &err);
    assert_null(memmem(segments.list[0].data, segments.list[0].bytes, &hash, sizeof hash));
    apply_all(&segments);
    struct xylem_entry entry = entry_of(&follower, "s", "a");
    struct xylem_view reason;
    assert_true(entry.flags & XYLEM_ENTRY_HASH_DROPPED);
    assert_true(entry.unverified.payload_hash != hash);
    assert_int_equal(xylem_entry_redaction(&reason, &entry, &err), 1); /* the owner's reason */
    assert_false(xylem_base__view_is(reason, "searched"));
}

PATTERN_TEST(an_increment_with_the_same_patterns_fits)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "a", "message", "{\"x\":\"sk-secret\"}");
    store_builder_add(&owner, session, "b", "message", NULL);
    read_patterns("sk-[a-z]+");
    store_builder_must(pack_searched("s", 0, 7), &err);
    apply_all(&segments);
    store_builder_commit(&follower);
    uint64_t hash = entry_of(&follower, "s", "a").unverified.payload_hash;
    uint64_t next = change_count(&owner, "s") + 1;
    store_builder_add(&owner, session, "c", "message", "{\"x\":\"sk-secret\"}");
    store_builder_add(&owner, session, "d", "message", "{\"x\":\"sk-secret\"}");
    store_builder_must(pack_searched("s", next, 7), &err);
    apply_all(&segments);
    assert_int_equal(report.entry_count, 2);
    assert_true(entry_of(&follower, "s", "c").unverified.payload_hash !=
                entry_of(&follower, "s", "d").unverified.payload_hash);
    store_builder_must(pack_searched("s", 0, 7), &err);
    assert_known(&follower, segment_at(&segments, 0));
    pair_new_follower();
    apply_all(&segments);
    assert_int_equal(entry_of(&follower, "s", "a").unverified.payload_hash, hash);
    store_builder_must(pack_searched("s", 0, 8), &err);
    pair_new_follower();
    apply_all(&segments);
    assert_true(entry_of(&follower, "s", "a").unverified.payload_hash != hash);
}

/* A session with a line in quarantine that matches, one that does not, and a torn last line that matches. */
static const char nasty_file[] =
    "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/home\"}\n"
    "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2025-01-01T00:00:01.000Z\",\"message\":{}}\n"
    "no json with sk-secret in it\n"
    "no json\n"
    "{\"type\":\"mess sk-secret";

PATTERN_TEST(lines_in_quarantine_that_match_travel_without_their_bytes)
{
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined line;
    pair_import_text(&owner, nasty_file, sizeof nasty_file - 1);
    read_patterns("sk-[a-z]+");
    store_builder_must(pack_searched("s", 0, 7), &err);
    assert_null(memmem(segments.list[0].data, segments.list[0].bytes, "secret", 6));
    apply_all(&segments);
    store_builder_must(xylem_quarantine_new(&quarantine, follower.txn, pair_number(&follower, "s"), &err), &err);
    assert_int_equal(xylem_quarantine_next(&line, quarantine, &err), 1);
    assert_int_equal(line.raw.bytes, 0);
    assert_int_equal(line.raw_bytes, 29);
    assert_int_equal(line.reason, XYLEM_IMPORT_REDACTED);
    assert_int_equal(xylem_quarantine_next(&line, quarantine, &err), 1);
    assert_int_equal(line.raw.bytes, 8);
    assert_int_equal(xylem_quarantine_next(&line, quarantine, &err), 0);
    xylem_quarantine_free(quarantine);
}

/* Packing is refused, and the text names the place. */
static void refuse_to_pack(const char *words)
{
    assert_int_equal(pack_searched("s", 0, 7), XYLEM_E_CONFLICT);
    assert_non_null(strstr(err.text, words));
    assert_null(strstr(err.text, "secret"));
    pair_abort(&owner);
}

PATTERN_TEST(a_match_that_nothing_can_take_out_does_not_travel)
{
    struct xylem_session made;
    read_patterns("secret");
    store_builder_add(&owner, store_builder_session(&owner, "s"), "a-secret", "message", NULL);
    refuse_to_pack("the id of an entry");
    store_builder_add(&owner, store_builder_session(&owner, "s"), "a", "secret", NULL);
    refuse_to_pack("the name of a kind");
    store_builder_add(&owner, store_builder_session(&owner, "s"), "a", "message", NULL);
    store_builder_must(xylem_navigate(owner.txn, pair_number(&owner, "s"), (struct xylem_position){0, 0},
                                      xylem_view_of("a secret"), &err),
                       &err);
    refuse_to_pack("the reason of a navigation");
    static const struct {
        const char *cwd;
        const char *parent;
        const char *words;
    } rows[] = {{"/secret", NULL, "the directory of a session"},
                {NULL, "of the secret", "the source that a session names"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct xylem_session_options options = {
            .id = xylem_view_of("s"), .cwd = xylem_view_of(rows[i].cwd), .parent = xylem_view_of(rows[i].parent)};
        store_builder_must(xylem_session_create(&made, owner.txn, &options, &err), &err);
        refuse_to_pack(rows[i].words);
    }
    struct xylem_redact_options redact = {.reason = xylem_view_of("the secret"), .only_this = true};
    struct xylem_redact_report redacted;
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position at = store_builder_add(&owner, session, "a", "message", "{\"x\":1}");
    store_builder_must(xylem_redact(&redacted, owner.txn, session, at, &redact, &err), &err);
    xylem_redact_report_release(&redacted);
    refuse_to_pack("the reason of a redaction");
}

PATTERN_TEST(what_patterns_take_out_needs_a_reason)
{
    char reason[XYLEM_REASON_BYTES_MAX + 2];
    memset(reason, 'r', sizeof reason);
    struct xylem_pack_options options = {.patterns_sum = 1};
    store_builder_add(&owner, store_builder_session(&owner, "s"), "a", "message", "{\"x\":\"secret\"}");
    read_patterns("secret");
    options.patterns = patterns;
    assert_int_equal(try_pack(&segments, &owner, pair_number(&owner, "s"), &options), XYLEM_E_ARGUMENT);
    options.reason = (struct xylem_view){reason, XYLEM_REASON_BYTES_MAX + 1};
    assert_int_equal(try_pack(&segments, &owner, pair_number(&owner, "s"), &options), XYLEM_E_LIMIT);
    options.reason = (struct xylem_view){"\xff", 1};
    assert_int_equal(try_pack(&segments, &owner, pair_number(&owner, "s"), &options), XYLEM_E_MALFORMED);
    options.reason = xylem_view_of("the secret");
    assert_int_equal(try_pack(&segments, &owner, pair_number(&owner, "s"), &options), XYLEM_E_ARGUMENT);
    options.reason = (struct xylem_view){reason, XYLEM_REASON_BYTES_MAX};
    assert_int_equal(try_pack(&segments, &owner, pair_number(&owner, "s"), &options), XYLEM_OK);
    apply_all(&segments);
}

PATTERN_TEST(a_match_in_the_id_of_a_session_does_not_travel)
{
    store_builder_session(&owner, "secret");
    read_patterns("secret");
    assert_int_equal(pack_searched("secret", 0, 7), XYLEM_E_CONFLICT);
    assert_non_null(strstr(err.text, "the id of a session"));
}

PATTERN_TEST(a_match_in_a_header_or_in_the_path_of_a_file_does_not_travel)
{
    static const char text[] = "{\"id\":\"s\",\"type\":\"session\",\"version\":3,\"extra\":\"secret\"}\nno json\n";
    pair_import_text(&owner, text, sizeof text - 1);
    read_patterns("secret");
    refuse_to_pack("the header of a session");
    assert_int_equal(pack_searched("s", 2, 7), XYLEM_OK); /* the row is in the first segment alone */
    read_patterns("session\\.jsonl");
    refuse_to_pack("the path of a session file");
}

PATTERN_TEST(a_match_in_the_name_of_lines_without_a_file_does_not_travel)
{
    struct xylem_import_report imported = {0};
    const struct xylem_view line = xylem_view_of("no json");
    const struct xylem_held_lines held = {
        .header = {HEADER, sizeof HEADER - 2}, .lines = &line, .line_count = 1, .source_name = {"my memory", 9}};
    store_builder_must(xylem_import_lines(&imported, owner.txn, &held, NULL, &err), &err);
    xylem_import_report_release(&imported);
    store_builder_commit(&owner);
    read_patterns("memory");
    refuse_to_pack("the path of a session file");
}

/* The path of the file is that of a source alone, if it has no line in quarantine. */
PATTERN_TEST(a_match_in_the_path_of_a_good_file_does_not_travel)
{
    static const char text[] = HEADER ROOT("a");
    pair_import_text(&owner, text, sizeof text - 1);
    read_patterns("session\\.jsonl");
    refuse_to_pack("the path of a session file");
}

/* The hash of a file confirms a guess of what was taken out. */
PATTERN_TEST(the_hash_of_a_file_travels_with_no_pattern)
{
    struct xylem_store__source source[2];
    static const char text[] = HEADER ROOT("a");
    pair_import_text(&owner, text, sizeof text - 1);
    read_patterns("no such text");
    store_builder_must(pack_searched("s", 0, 7), &err);
    apply_all(&segments);
    assert_int_equal(
        store_builder_must(xylem_store__source_first(&source[0], owner.txn, pair_number(&owner, "s"), &err), &err), 1);
    assert_int_equal(store_builder_must(
                         xylem_store__source_first(&source[1], follower.txn, pair_number(&follower, "s"), &err), &err),
                     1);
    assert_int_equal(source[0].bytes, source[1].bytes);
    assert_true(source[0].hash != source[1].hash);
}

PATTERN_TEST(a_search_that_takes_too_long_ends_the_packing)
{
    char json[400];
    memset(json, 'a', sizeof json);
    memcpy(json, "{\"x\":\"", 6);
    memcpy(json + sizeof json - 3, "\"}", 3);
    store_builder_add(&owner, store_builder_session(&owner, "s"), "a", "message", json);
    read_patterns("(a+)+(a+)+(a+)+b");
    assert_int_equal(pack_searched("s", 0, 7), XYLEM_E_LIMIT);
}
