/* A store, and an engine in memory that has its sessions: shipped by hand, in segments as small as a test wants. */
#ifndef XYLEM_TESTS_FLEET_SHIPPED_H
#define XYLEM_TESTS_FLEET_SHIPPED_H

#include "tests/fleet/asked.h"
#include "tests/fleet/engine_memory.h"
#include "tests/lib/store_builder.h"
#include "xylem/care.h"
#include "xylem/redact.h"

static struct store_builder owner;
static struct memory_fleet *fleet;
static struct fleet_engine *engine;
static struct xylem_error err;

static inline void shipped_open(void)
{
    make_place();
    store_builder_open(&owner);
    fleet = memory_fleet_new();
    engine = engine_memory_new(fleet);
}

static inline void shipped_close(void)
{
    engine->free(engine);
    memory_fleet_free(fleet);
    store_builder_close(&owner);
    test_directory_remove(place);
}

static inline uint64_t number_of(const char *id)
{
    struct xylem_session session;
    store_builder_must(xylem_session_find(&session, owner.txn, xylem_view_of(id), &err), &err);
    return session.number;
}

/* Packs [from, to) of a session; to 0: the rest. */
static inline void pack(struct xylem_buffer *bytes, struct xylem_segment *segment, uint64_t number, uint64_t from,
                        uint64_t to)
{
    const struct xylem_pack_options options = {.from = from, .to = to};
    struct xylem_packing *packing;
    store_builder_must(xylem_packing_new(&packing, owner.txn, number, &options, &err), &err);
    assert_int_equal(store_builder_must(xylem_packing_next(bytes, segment, packing, &err), &err), 1);
    xylem_packing_free(packing);
}

/* A request of the owner of all sessions, epoch 1. */
static inline struct fleet_request owned(enum fleet_ask asked, const char *id)
{
    return (struct fleet_request){
        .ask = asked, .session = xylem_view_of(id), .epoch = asked == FLEET_CLAIM ? 0 : 1, .owner = "the owner"};
}

/* Ships what the engine lacks of a session, in segments of `each` changes at most. */
static inline void ship_by(const char *id, uint64_t each)
{
    struct fleet_request claim = owned(FLEET_CLAIM, id);
    claim.make = true;
    claim.host = xylem_view_of("host one");
    must(engine, FLEET_DONE, &claim);
    uint64_t next = answer.rows[0].next;
    struct xylem_session session = store_builder_read(&owner, number_of(id));
    while (next <= session.history.count) {
        struct xylem_buffer bytes = {0};
        struct xylem_segment segment;
        struct fleet_request request = owned(FLEET_APPEND, id);
        uint64_t to = next + each > session.history.count ? 0 : next + each;
        pack(&bytes, &segment, session.number, next, to);
        request.from = segment.from;
        request.to = segment.to;
        request.before = segment.chain_before;
        request.after = segment.chain;
        request.body = xylem_base__buffer_view(&bytes);
        request.about = xylem_view_of("{\"about\":1}");
        request.head = xylem_view_of("{\"head\":1}");
        must(engine, FLEET_DONE, &request);
        next = segment.to;
        xylem_buffer_release(&bytes);
    }
}

static inline void ship(const char *id)
{
    ship_by(id, 2);
}

/* A session of `count` messages. */
static inline uint64_t make_session(const char *id, size_t count)
{
    uint64_t number = store_builder_session(&owner, id);
    for (size_t i = 0; i < count; i++) {
        char json[100];
        char entry[40];
        (void)snprintf(entry, sizeof entry, "%s-%zu", id, i);
        (void)snprintf(json, sizeof json, "{\"text\":\"the words of %s\"}", entry);
        store_builder_add(&owner, number, entry, "message", json);
    }
    return number;
}

/* Redacts an entry in the store; with `rewrite` the engine's segment, too, with another head, and ships the change. */
static inline void redact(const char *id, const char *entry, bool rewrite)
{
    uint64_t number = number_of(id);
    const struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .only_this = true};
    struct xylem_redact_report report;
    struct xylem_position position = store_builder_find(&owner, number, entry);
    store_builder_must(xylem_redact(&report, owner.txn, number, position, &options, &err), &err);
    xylem_redact_report_release(&report);
    if (!rewrite) {
        return;
    }
    uint64_t session;
    uint64_t ordinal;
    store_builder_must(xylem_entry_ordinal(&session, &ordinal, owner.txn, position, &err), &err);
    const struct fleet_request read = {.ask = FLEET_READ, .session = xylem_view_of(id), .from = ordinal, .limit = 1};
    must(engine, FLEET_DONE, &read);
    struct fleet_request request = owned(FLEET_REWRITE, id);
    struct xylem_buffer bytes = {0};
    struct xylem_segment segment;
    request.generation = answer.rows[0].generation;
    request.from = answer.pieces[0].from;
    request.to = answer.pieces[0].to;
    pack(&bytes, &segment, number, request.from, request.to);
    request.body = xylem_base__buffer_view(&bytes);
    request.about = xylem_view_of("{\"about\":2}");
    request.head = xylem_view_of("{\"head\":2}");
    must(engine, FLEET_DONE, &request);
    xylem_buffer_release(&bytes);
    ship(id);
}

/* Both engines show the same row and the same segments of a session. */
static inline void assert_same(struct fleet_engine *left, struct fleet_engine *right, const char *id)
{
    struct fleet_request request = {.ask = FLEET_READ, .session = xylem_view_of(id), .from = 0, .limit = 1};
    for (bool more = true; more;) {
        struct xylem_buffer body = {0};
        struct fleet_piece piece = {.to = 0};
        must(left, FLEET_DONE, &request);
        const struct fleet_row row = answer.rows[0];
        more = answer.piece_count > 0;
        if (more) {
            piece = answer.pieces[0];
            assert_int_equal(xylem_buffer_add(&body, piece.body.data, piece.body.bytes), 0);
        }
        must(right, FLEET_DONE, &request);
        assert_int_equal(answer.rows[0].freed, row.freed);
        assert_int_equal(answer.piece_count, more);
        if (!row.freed) {
            assert_int_equal(answer.rows[0].next, row.next);
            assert_int_equal(answer.rows[0].chain, row.chain);
            assert_int_equal(answer.rows[0].generation, row.generation);
        }
        if (more) {
            assert_int_equal(answer.pieces[0].from, piece.from);
            assert_int_equal(answer.pieces[0].generation, piece.generation);
            assert_true(same_bytes(answer.pieces[0].body, xylem_base__buffer_view(&body)));
        }
        more = more && !row.freed;
        request.from = piece.to;
        xylem_buffer_release(&body);
    }
}

#endif
