/*
 * What the library finds without reading everything must be what reading everything gives: the newest entry of a kind,
 * what reducers are shown, the outline of a session, what was appended after an lsn. On random stores; a seed decides
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
#include "xylem/state.h"
#include "xylem/append.h"
#include "xylem/outline.h"

#define ROUNDS_DEFAULT 40
#define OPERATIONS 160
#define SESSIONS_MAX 12
/* In some worlds the first session begins with more kinds than heads are kept for, or nearly as many. */
#define CROWD_ONE_IN 20
#define CROWD_KINDS (XYLEM_HEADS_MAX + 4u)

static const char *const kinds[] = {"message",         "message",        "session_info",        "session_info", "label",
                                    "custom:readonly", "custom:message", "custom:session_info", "model_change"};
static const char *const payloads[] = {"{\"name\":\"one\"}",
                                       "{\"name\":\"  two \\u00a0\"}",
                                       "{\"name\":\"\"}",
                                       "{\"name\":null}",
                                       "{}",
                                       "{\"name\":\"\\u0000 x\"}",
                                       "{\"name\":7}",
                                       "[1]",
                                       "\"text\"",
                                       NULL};
#define COUNT_OF(array) (sizeof array / sizeof((array)[0]))

static struct {
    uint64_t seed;
    bool open;
    struct store_builder builder;
    struct chance chance;
    uint64_t sessions[SESSIONS_MAX];
    int session_count;
    struct xylem_txn *txn; /* for the questions */
} world;

static int below(size_t bound)
{
    return chance_below(&world.chance, (int)bound);
}

static uint64_t any_session(void)
{
    return world.sessions[below((size_t)world.session_count)];
}

/* A random position on the path of the leaf, or none. */
static struct xylem_position any_position(uint64_t session)
{
    struct xylem_position leaf = store_builder_leaf(&world.builder, session);
    struct xylem_error err = {0};
    if (leaf.depth == 0 || chance_one_in(&world.chance, 12)) {
        return (struct xylem_position){0, 0};
    }
    struct xylem_position position;
    uint64_t depth = 1 + (uint64_t)below((size_t)leaf.depth);
    store_builder_must(xylem_ancestor_at(&position, world.builder.txn, leaf, depth, &err), &err);
    return position;
}

static void add_session(void)
{
    char id[16];
    if (world.session_count == SESSIONS_MAX) {
        return;
    }
    snprintf(id, sizeof id, "s%d", world.session_count);
    struct xylem_position at = {0, 0};
    uint64_t source = world.session_count == 0 ? 0 : any_session();
    if (source != 0) {
        at = any_position(source);
    }
    uint64_t made = at.depth == 0
                        ? store_builder_session(&world.builder, id)
                        : store_builder_fork(&world.builder, source, at,
                                             chance_one_in(&world.chance, 3) ? XYLEM_FORK_BEFORE : XYLEM_FORK_AT, id);
    world.sessions[world.session_count++] = made;
}

static void add_crowd(void)
{
    unsigned count = CROWD_KINDS - (unsigned)below(8);
    struct xylem_new_entry *entries = calloc(count, sizeof *entries);
    char(*names)[24] = calloc(count, sizeof *names);
    struct xylem_error err = {0};
    assert_true(entries && names);
    for (unsigned i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "crowd-%u", i);
        entries[i].kind = (struct xylem_kind){XYLEM_CLASS_CUSTOM, xylem_view_of(names[i])};
    }
    store_builder_must(xylem_append(NULL, world.builder.txn, world.sessions[0], entries, count, NULL, &err), &err);
    free(entries);
    free(names);
}

static void operate(void)
{
    int draw = below(100);
    if (world.session_count == 0 || draw < 6) {
        add_session();
    } else if (draw < 20) {
        uint64_t session = any_session();
        store_builder_go(&world.builder, session, any_position(session));
    } else {
        store_builder_add(&world.builder, any_session(), NULL, kinds[below(COUNT_OF(kinds))],
                          payloads[below(COUNT_OF(payloads))]);
    }
}

/* --- Questions -------------------------------------------------------------------------------------------------- */

static void check_newest(struct xylem_position from, const char *text)
{
    struct xylem_walk *walk = NULL;
    struct xylem_buffer storage = {0};
    struct xylem_kind kind;
    struct xylem_entry expected;
    struct xylem_entry found;
    struct xylem_error err = {0};
    int more = 0;
    store_builder_must(xylem_kind_parse(&kind, &storage, xylem_view_of(text), &err), &err);
    store_builder_must(xylem_walk_new(&walk, world.txn, from, &err), &err);
    while ((more = store_builder_must(xylem_walk_next(&expected, walk, &err), &err)) == 1) {
        if (expected.kind.kind_class == kind.kind_class && expected.kind.name.bytes == kind.name.bytes &&
            memcmp(expected.kind.name.data, kind.name.data, kind.name.bytes) == 0) {
            break;
        }
    }
    assert_int_equal(store_builder_must(xylem_newest_of_kind(&found, world.txn, from, kind, &err), &err), more);
    if (more) {
        assert_int_equal(found.lsn, expected.lsn);
        assert_int_equal(found.position.branch, expected.position.branch);
        assert_int_equal(found.position.depth, expected.position.depth);
    }
    xylem_walk_free(walk);
    xylem_buffer_release(&storage);
}

#define REDUCERS_MAX 4
#define KINDS_OF_REDUCER_MAX 3
#define VISITS_MAX (REDUCERS_MAX * (OPERATIONS + CROWD_KINDS + 1))

/* What reducers were shown, one after the other. */
struct shown {
    uint64_t salt; /* what they answer follows from it */
    size_t count;
    struct {
        size_t reducer;
        uint64_t lsn;
        size_t kind_index;
        int data_code;
        uint64_t data; /* the hash of it as JSON */
    } visits[VISITS_MAX];
};

struct shown_to {
    struct shown *shown;
    size_t reducer;
};

static uint64_t hash_of(const struct xylem_value *data)
{
    struct xylem_buffer json = {0};
    if (!data) {
        return 0;
    }
    assert_int_equal(xylem_value_json(&json, data), 0);
    uint64_t hash = xylem_format__hash((struct xylem_view){json.data, json.bytes});
    xylem_buffer_release(&json);
    return hash;
}

static int show(void *context, struct xylem_visit *visit)
{
    const struct shown_to *to = context;
    struct shown *shown = to->shown;
    struct chance chance = chance_of(shown->salt + to->reducer * 1000003u + visit->entry->lsn);
    assert_true(shown->count < VISITS_MAX);
    shown->visits[shown->count].reducer = to->reducer;
    shown->visits[shown->count].lsn = visit->entry->lsn;
    shown->visits[shown->count].kind_index = visit->kind_index;
    shown->visits[shown->count].data_code = visit->data_code;
    shown->visits[shown->count].data = hash_of(visit->data);
    shown->count++;
    visit->reason = "by chance";
    return chance_one_in(&chance, 8) ? XYLEM_VISIT_DONE : chance_one_in(&chance, 4) ? XYLEM_VISIT_SKIP : 0;
}

static void reduce(struct xylem_reduction *reduction, struct shown *shown, struct xylem_position from,
                   const char *lists[][KINDS_OF_REDUCER_MAX + 1], size_t reducer_count, bool scan)
{
    struct xylem_reducer reducers[REDUCERS_MAX];
    struct shown_to contexts[REDUCERS_MAX];
    struct xylem_reduce_options options = {.scan = scan};
    struct xylem_error err = {0};
    for (size_t i = 0; i < reducer_count; i++) {
        contexts[i] = (struct shown_to){shown, i};
        reducers[i] = (struct xylem_reducer){.kinds = lists[i], .visit = show, .context = &contexts[i]};
    }
    store_builder_must(xylem_reduce(reduction, world.txn, from, reducers, reducer_count, &options, &err), &err);
}

/* Reducers that want kinds at random, some of them the same, see the same along the links as on a plain walk. */
static void check_reduction(struct xylem_position from)
{
    static struct shown linked;
    static struct shown scanned;
    const char *lists[REDUCERS_MAX][KINDS_OF_REDUCER_MAX + 1] = {{NULL}};
    size_t reducer_count = 1 + (size_t)below(REDUCERS_MAX);
    for (size_t i = 0; i < reducer_count; i++) {
        size_t kind_count = (size_t)below(KINDS_OF_REDUCER_MAX + 1);
        for (size_t k = 0; k < kind_count; k++) {
            lists[i][k] = chance_one_in(&world.chance, 10) ? "no-such-kind" : kinds[below(COUNT_OF(kinds))];
        }
    }
    struct xylem_reduction along;
    struct xylem_reduction all;
    memset(&linked, 0, sizeof linked);
    memset(&scanned, 0, sizeof scanned);
    linked.salt = scanned.salt = chance_draw(&world.chance);
    reduce(&along, &linked, from, lists, reducer_count, false);
    reduce(&all, &scanned, from, lists, reducer_count, true);
    assert_int_equal(linked.count, scanned.count);
    assert_memory_equal(linked.visits, scanned.visits, sizeof linked.visits);
    assert_true(along.looked_at <= all.looked_at);
    assert_int_equal(along.decoded_count, all.decoded_count);
    assert_int_equal(along.skipped_count, all.skipped_count);
    for (size_t i = 0; i < along.skipped_count; i++) {
        assert_int_equal(along.skipped[i].position.branch, all.skipped[i].position.branch);
        assert_int_equal(along.skipped[i].position.depth, all.skipped[i].position.depth);
    }
    xylem_reduction_release(&along);
    xylem_reduction_release(&all);
}

static void check_outline(uint64_t session, uint64_t entry_count)
{
    struct xylem_session row;
    struct xylem_outline outline;
    struct xylem_labels labels;
    struct xylem_buffer name = {0};
    struct xylem_error err = {0};
    assert_int_equal(xylem_buffer_add(&name, ">", 1), 0);
    store_builder_must(xylem_session_read(&row, world.txn, session, &err), &err);
    store_builder_must(xylem_outline_read(&outline, &name, world.txn, &row, &err), &err);
    store_builder_must(xylem_labels_read(&labels, world.txn, session, &err), &err);
    assert_int_equal(outline.entry_count, entry_count);
    assert_int_equal(outline.has_name, labels.name.data != NULL);
    assert_int_equal(name.bytes, 1 + labels.name.bytes);
    assert_memory_equal(name.data + 1, labels.name.bytes ? labels.name.data : "", labels.name.bytes);
    xylem_labels_release(&labels);
    xylem_buffer_release(&name);
}

/* Gives how many entries the session has, and asks for those after a random lsn. */
static uint64_t check_scan(uint64_t session)
{
    struct xylem_scan *all = NULL;
    struct xylem_scan *after = NULL;
    struct xylem_entry expected;
    struct xylem_entry found;
    struct xylem_error err = {0};
    uint64_t lsn = (uint64_t)below(OPERATIONS + 10);
    uint64_t count = 0;
    store_builder_must(xylem_scan_new(&all, world.txn, session, &err), &err);
    store_builder_must(xylem_scan_after(&after, world.txn, session, lsn, &err), &err);
    while (store_builder_must(xylem_scan_next(&expected, all, &err), &err) == 1) {
        count++;
        if (expected.lsn > lsn) {
            assert_int_equal(store_builder_must(xylem_scan_next(&found, after, &err), &err), 1);
            assert_int_equal(found.lsn, expected.lsn);
        }
    }
    assert_int_equal(store_builder_must(xylem_scan_next(&found, after, &err), &err), 0);
    xylem_scan_free(all);
    xylem_scan_free(after);
    return count;
}

static void question(void)
{
    struct xylem_error err = {0};
    store_builder_commit(&world.builder);
    store_builder_must(xylem_begin(&world.txn, world.builder.store, XYLEM_READ, &err), &err);
    for (int i = 0; i < world.session_count; i++) {
        struct xylem_position from = any_position(world.sessions[i]);
        check_outline(world.sessions[i], check_scan(world.sessions[i]));
        for (size_t k = 0; k < COUNT_OF(kinds); k++) {
            check_newest(from, kinds[k]);
        }
        check_reduction(from);
        check_newest(from, "no-such-kind");
    }
    xylem_abort(world.txn);
    world.txn = NULL;
}

static void run_seed(uint64_t seed)
{
    memset(&world, 0, sizeof world);
    world.seed = seed;
    world.chance = chance_of(seed);
    store_builder_open(&world.builder);
    world.open = true;
    if (chance_one_in(&world.chance, CROWD_ONE_IN)) {
        add_session();
        add_crowd();
    }
    for (int i = 0; i < OPERATIONS; i++) {
        operate();
        if (chance_one_in(&world.chance, 20)) {
            question();
        }
    }
    question();
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
        xylem_abort(world.txn);
        store_builder_close(&world.builder);
    }
    return 0;
}

TEST_WITH(shortcuts_lead_where_the_long_way_leads, NULL, leave_world)
{
    test_seeds(run_seed, test_rounds(ROUNDS_DEFAULT));
}
