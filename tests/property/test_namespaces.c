/*
 * Sessions in a few namespaces, with ids that collide, against a plain list of names. Random stores; a seed decides
 * everything. It is printed; XYLEM_SEED=n runs that one alone, XYLEM_ROUNDS=n runs more of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/chance.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "tests/lib/way_out.h"
#include "xylem/care.h"
#include "xylem/feed.h"
#include "xylem/segment.h"

#define ROUNDS_DEFAULT 60
#define OPERATIONS 150
#define SESSIONS_MAX 200
#define SPACES 6
#define IDS 5
#define TWIN_BYTES 300u
#define NOBODY (-1)

static const char *const ids[IDS] = {"a", "ab", "abc", "b", "\xf4\x8f\xbf\xbf"};

/* What should be of the sessions, by their numbers less one. */
struct known {
    enum xylem_session_state state; /* FREED: the name is free */
    int space;
    int id;
    bool renamed; /* the id is one that was made up */
};

struct model {
    struct known sessions[SESSIONS_MAX];
    int count;
    int freed[SESSIONS_MAX]; /* in the order of the feed */
    int freed_count;
};

static struct {
    uint64_t seed;
    bool open;
    struct store_builder builder;
    struct chance chance;
    struct model model;
    struct model committed;
    struct xylem_error err;
    char twins[2][TWIN_BYTES];
} world;

static int below(int bound)
{
    return chance_below(&world.chance, bound);
}

static void must(int code)
{
    store_builder_must(code, &world.err);
}

/* The last two have one hash, see tests/store/test_session.c. */
static struct xylem_view space_of(int space)
{
    static const char *const short_ones[SPACES - 2] = {NULL, "a", "ab", "-home-me-project"};
    return space < SPACES - 2 ? xylem_view_of(short_ones[space])
                              : (struct xylem_view){world.twins[space - (SPACES - 2)], TWIN_BYTES};
}

static void make_twins(void)
{
    for (int i = 0; i < 2; i++) {
        memset(world.twins[i], 'a', TWIN_BYTES);
        memcpy(world.twins[i] + 24, i ? "aaaa\1\1\1\1" : "`aaa\1\1\1\1", 8);
        memcpy(world.twins[i] + 152, i ? "`aaazM\24?" : "aaaazM\24?", 8);
    }
}

static bool same_key(int a, int b)
{
    return a == b || (a >= SPACES - 2 && b >= SPACES - 2);
}

/* The session that has the id, in the namespace or (`key`) in one with its hash. */
static int holder(int space, int id, bool key)
{
    for (int i = 0; i < world.model.count; i++) {
        const struct known *known = &world.model.sessions[i];
        bool here = key ? same_key(known->space, space) : known->space == space;
        if (known->state != XYLEM_SESSION_FREED && !known->renamed && here && known->id == id) {
            return i;
        }
    }
    return NOBODY;
}

/* A random session in one of two states, or NOBODY. */
static int any(enum xylem_session_state state)
{
    int at = world.model.count > 0 ? below(world.model.count) : 0;
    for (int i = 0; i < world.model.count; i++) {
        int candidate = (at + i) % world.model.count;
        if (world.model.sessions[candidate].state == state) {
            return candidate;
        }
    }
    return NOBODY;
}

/* --- Operations --------------------------------------------------------------------------------------------------- */

/* Makes a session, or a fork or a clone of another one. */
static void make(int source)
{
    static const struct xylem_view empty = {"", 0};
    int id = below(IDS);
    bool inherits = source != NOBODY && chance_one_in(&world.chance, 2);
    int space = inherits ? world.model.sessions[source].space : below(SPACES);
    struct xylem_session made;
    struct xylem_session_options options = {.id = xylem_view_of(ids[id])};
    if (world.model.count == SESSIONS_MAX) {
        return;
    }
    if (!inherits) {
        options.name_space = space == 0 ? empty : space_of(space);
    }
    uint64_t number = (uint64_t)source + 1;
    struct xylem_position at =
        source == NOBODY ? (struct xylem_position){0, 0} : store_builder_leaf(&world.builder, number);
    struct xylem_txn *txn = world.builder.txn;
    int code = source == NOBODY ? xylem_session_create(&made, txn, &options, &world.err)
               : at.depth == 0 || chance_one_in(&world.chance, 2)
                   ? xylem_clone(&made, txn, number, &options, &world.err)
                   : xylem_fork(&made, txn, number, at, XYLEM_FORK_AT, &options, &world.err);
    if (holder(space, id, true) != NOBODY) {
        assert_int_equal(code, XYLEM_E_EXISTS);
        return;
    }
    must(code);
    assert_int_equal(made.number, world.model.count + 1);
    assert_true(xylem_base__view_equal(made.name_space, space_of(space)) && !made.name_space.data == (space == 0));
    world.model.sessions[world.model.count++] = (struct known){XYLEM_SESSION_LIVE, space, id, false};
    if (chance_one_in(&world.chance, 2)) {
        store_builder_messages(&world.builder, made.number, 1 + (size_t)below(3));
    }
}

/* Frees all deleted sessions, the youngest first. */
static void collect(void)
{
    must(xylem_gc(NULL, world.builder.txn, NULL, &world.err));
    for (int i = world.model.count; i > 0; i--) {
        if (world.model.sessions[i - 1].state == XYLEM_SESSION_DELETED) {
            world.model.sessions[i - 1].state = XYLEM_SESSION_FREED;
            world.model.freed[world.model.freed_count++] = i - 1;
        }
    }
}

static void change_state(bool deletes)
{
    int session = any(deletes ? XYLEM_SESSION_LIVE : XYLEM_SESSION_DELETED);
    if (session != NOBODY) {
        uint64_t number = (uint64_t)session + 1;
        must(deletes ? xylem_session_delete(world.builder.txn, number, &world.err)
                     : xylem_session_undelete(world.builder.txn, number, &world.err));
        world.model.sessions[session].state = deletes ? XYLEM_SESSION_DELETED : XYLEM_SESSION_LIVE;
    }
}

static void rename_one(void)
{
    int session = any(XYLEM_SESSION_LIVE);
    struct xylem_session row;
    struct xylem_view none = {NULL, 0};
    if (session != NOBODY) {
        must(xylem_session_diverge(&row, world.builder.txn, (uint64_t)session + 1, none, none, &world.err));
        world.model.sessions[session].renamed = true;
    }
}

static void operate(void)
{
    switch (below(12)) {
    case 0:
        store_builder_reopen(&world.builder);
        world.committed = world.model;
        break;
    case 1:
        xylem_abort(world.builder.txn);
        must(xylem_begin(&world.builder.txn, world.builder.store, XYLEM_WRITE, &world.err));
        world.model = world.committed;
        break;
    case 2:
        collect();
        break;
    case 3:
        rename_one();
        break;
    case 4:
    case 5:
        change_state(true);
        break;
    case 6:
        change_state(false);
        break;
    case 7:
    case 8:
        make(any(XYLEM_SESSION_LIVE));
        break;
    default:
        make(NOBODY);
    }
}

/* --- Questions ---------------------------------------------------------------------------------------------------- */

static void check_finds(struct xylem_txn *txn)
{
    for (int i = 0; i < SPACES * IDS; i++) {
        int expected = holder(i / IDS, i % IDS, false);
        struct xylem_session found;
        struct xylem_view id = xylem_view_of(ids[i % IDS]);
        int code = xylem_session_find_in(&found, txn, space_of(i / IDS), id, &world.err);
        bool deleted = expected != NOBODY && world.model.sessions[expected].state == XYLEM_SESSION_DELETED;
        assert_int_equal(code, expected == NOBODY ? XYLEM_E_NOT_FOUND : deleted ? XYLEM_E_DELETED : XYLEM_OK);
        assert_true(code != XYLEM_OK || found.number == (uint64_t)expected + 1);
        if (i / IDS == 0) {
            assert_int_equal(xylem_session_find(&found, txn, id, &world.err), code);
        }
    }
}

/* The sessions of a namespace whose ids begin so are all of the list, in order; made-up ids begin with a digit. */
static void check_lists(struct xylem_txn *txn)
{
    static const char *const beginnings[] = {"", "a", "ab", "abcd", "b"};
    for (int i = 0; i < SPACES * 5; i++) {
        struct xylem_sessions *sessions = NULL;
        struct xylem_session row;
        char before[XYLEM_SESSION_ID_BYTES_MAX + 1] = "";
        struct xylem_view beginning = xylem_view_of(beginnings[i % 5]);
        int expected = 0;
        int count = 0;
        for (int k = 0; k < world.model.count; k++) {
            const struct known *known = &world.model.sessions[k];
            struct xylem_view id = xylem_view_of(known->renamed ? "" : ids[known->id]);
            expected +=
                known->state != XYLEM_SESSION_FREED && known->space == i / 5 && xylem_base__view_begins(id, beginning);
        }
        must(xylem_sessions_in(&sessions, txn, space_of(i / 5), beginning, &world.err));
        while (store_builder_must(xylem_sessions_next(&row, sessions, &world.err), &world.err) == 1) {
            assert_true(world.model.sessions[row.number - 1].space == i / 5);
            assert_true(xylem_base__view_begins(row.id, beginning) &&
                        xylem_base__view_order(xylem_view_of(before), row.id) < 0);
            snprintf(before, sizeof before, "%.*s", (int)row.id.bytes, row.id.data);
            count++;
        }
        xylem_sessions_free(sessions);
        assert_int_equal(count, expected);
    }
}

/* Each freed session is told with its name, the others are not. */
static void check_feed(struct xylem_txn *txn)
{
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    int count = 0;
    must(xylem_feed_new(&feed, txn, NULL, &world.err));
    while (store_builder_must(xylem_feed_next(&change, feed, &world.err), &world.err) == 1) {
        if (change.type == XYLEM_CHANGE_FREED) {
            assert_true(count < world.model.freed_count);
            const struct known *known = &world.model.sessions[world.model.freed[count]];
            assert_int_equal(change.session, world.model.freed[count++] + 1);
            assert_true(xylem_base__view_equal(change.freed_name_space, space_of(known->space)));
            assert_true(known->renamed || xylem_base__view_is(change.freed_id, ids[known->id]));
        }
    }
    xylem_feed_free(feed);
    assert_int_equal(count, world.model.freed_count);
}

/* A follower has the living sessions under the same names, with their entries. */
static void check_follower(struct xylem_txn *txn)
{
    struct store_builder follower;
    struct xylem_buffer bytes = {0};
    const struct xylem_apply_options options = {.owner = xylem_view_of("owner"), .epoch = 1};
    struct xylem_sessions *sessions = NULL;
    struct xylem_session row;
    store_builder_open(&follower);
    must(xylem_sessions_new(&sessions, txn, &world.err));
    while (store_builder_must(xylem_sessions_next(&row, sessions, &world.err), &world.err) == 1) {
        struct xylem_packing *packing = NULL;
        struct xylem_segment segment;
        struct xylem_apply_report report;
        struct xylem_session there;
        must(xylem_packing_new(&packing, txn, row.number, NULL, &world.err));
        while (store_builder_must(xylem_packing_next(&bytes, &segment, packing, &world.err), &world.err) == 1) {
            must(xylem_segment_apply(&report, follower.txn, (struct xylem_view){bytes.data, bytes.bytes}, &options,
                                     &world.err));
        }
        xylem_packing_free(packing);
        if (row.state == XYLEM_SESSION_LIVE) {
            must(xylem_session_find_in(&there, follower.txn, row.name_space, row.id, &world.err));
            assert_true(xylem_base__view_equal(row.name_space, there.name_space));
            assert_true(row.history.chain == there.history.chain && row.leaf.depth == there.leaf.depth);
        }
    }
    xylem_sessions_free(sessions);
    xylem_buffer_release(&bytes);
    assert_verified(follower.txn);
    store_builder_close(&follower);
}

static void question(bool last)
{
    struct xylem_txn *txn = NULL;
    check_finds(world.builder.txn);
    store_builder_commit(&world.builder);
    world.committed = world.model;
    must(xylem_begin(&txn, world.builder.store, XYLEM_READ, &world.err));
    check_finds(txn);
    check_lists(txn);
    check_feed(txn);
    if (last) {
        assert_verified(txn);
        assert_changes_agree(txn);
        check_follower(txn);
    }
    xylem_abort(txn);
}

static void run_seed(uint64_t seed)
{
    memset(&world, 0, sizeof world);
    world.seed = seed;
    world.chance = chance_of(seed);
    make_twins();
    store_builder_open(&world.builder);
    world.open = true;
    for (int i = 0; i < OPERATIONS; i++) {
        operate();
        if (chance_one_in(&world.chance, 20)) {
            question(false);
        }
    }
    question(true);
    assert_way_out(world.builder.txn);
    store_builder_close(&world.builder);
    world.open = false;
}

/* After a failure: says how to have it again, and cleans up what run_seed() could not. */
static int leave_world(void **state)
{
    (void)state;
    if (world.open) {
        print_error("seed %" PRIu64 " failed; again: XYLEM_SEED=%" PRIu64 " %s\n", world.seed, world.seed,
                    program_invocation_name);
        store_builder_close(&world.builder);
    }
    return 0;
}

TEST_WITH(a_name_leads_to_its_session_in_its_namespace_alone, NULL, leave_world)
{
    test_seeds(run_seed, test_rounds(ROUNDS_DEFAULT));
}
