/*
 * What calls cost, by the counters of their transactions: the same at every size and behind however many forks, or in
 * proportion to what the header says. A cost that is the same at two sizes a hundred times apart, table by table, does
 * not grow. Writes are tried at a million entries only with XYLEM_TORTURE set.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/chance.h"
#include "tests/lib/costs.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "xylem/inspect.h"
#include "xylem/state.h"
#include "xylem/append.h"
#include "xylem/outline.h"

#define BATCH 1000u
#define FORKS_DEEPEST 10000u

#define SIZE_COUNT (sizeof sizes / sizeof *sizes)

static const uint64_t sizes[] = {1000, 100000, 1000000};
static const uint64_t small_sizes[] = {100, 10000}; /* for what does not depend on the largest */
static const unsigned fork_depths[] = {1, 100, FORKS_DEEPEST};

static struct xylem_error err;

static bool torture(void)
{
    return getenv("XYLEM_TORTURE") != NULL;
}

/* How many of the sizes writes are tried at. */
static size_t size_count(void)
{
    return torture() ? SIZE_COUNT : SIZE_COUNT - 1;
}

/* Appends `count` entries to the session's leaf: a compaction at every thousandth place, else messages. */
static struct xylem_position grow(uint64_t session, uint64_t count)
{
    struct xylem_position last = {0, 0};
    while (count > 0) {
        uint64_t batch = count < BATCH ? count : BATCH;
        last = store_builder_add(&builder, session, NULL, "compaction", NULL);
        last = batch > 1 ? store_builder_grow(&builder, session, batch - 1) : last;
        count -= batch;
    }
    store_builder_commit(&builder);
    return last;
}

/*
 * One valid entry of each kind that the built-in reducers want: three, each of which ends what its reducer looks for.
 */
static struct xylem_position add_kinds(uint64_t session)
{
    store_builder_add(&builder, session, NULL, "custom:readonly", "{\"enabled\":true}");
    store_builder_add(&builder, session, NULL, "custom:readonly-nudge", "{\"direction\":\"on\",\"delivered\":true}");
    return store_builder_add(&builder, session, NULL, "custom:sequence",
                             "{\"version\":1,\"sequenceId\":\"s\",\"steps\":[\"a\"],\"updatedAt\":1}");
}

static struct xylem_txn *begin_reading(void)
{
    struct xylem_txn *reader = NULL;
    store_builder_commit(&builder);
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    return reader;
}

/* A session's fork at one of its entries, which is named by its depth on the session's first branch. */
static uint64_t fork_at_depth(uint64_t session, uint64_t depth)
{
    struct xylem_position position = {store_builder_leaf(&builder, session).branch, depth};
    return store_builder_fork(&builder, session, position, XYLEM_FORK_AT, NULL);
}

static uint64_t reads_of(const struct costs *costs)
{
    return costs_gets(costs) + costs_seeks(costs) + costs_steps(costs);
}

/* --- Rehydration ------------------------------------------------------------------------------------------------- */

enum place { AT_THE_TIP, IN_THE_MIDDLE, AT_THE_ROOT, ABSENT, PLACE_COUNT };

/*
 * What a state must cost wherever its kinds are: the leaf, the last marked entry before it, which names the newest
 * entry of each kind, and these three. At the tip the leaf is one of them, and names the other two.
 */
static const uint64_t expected_gets[PLACE_COUNT] = {
    [AT_THE_TIP] = 3, [IN_THE_MIDDLE] = 5, [AT_THE_ROOT] = 5, [ABSENT] = 2};

static struct costs costs_of_state(struct xylem_txn *reader, struct xylem_position at, bool present)
{
    struct xylem_state state;
    struct xylem_counters before;
    xylem_counters_read(&before, reader);
    store_builder_must(xylem_rehydrate(&state, reader, at, NULL, NULL, &err), &err);
    struct costs costs = costs_since(reader, &before);
    assert_int_equal(state.readonly.enabled, present);
    assert_int_equal(state.sequence.present, present);
    assert_int_equal(state.reduction.looked_at, costs.counters.record_count);
    xylem_state_release(&state);
    return costs;
}

/*
 * Reads the state twice in a new transaction: whatever the environment keeps of kinds, the second one finds it there.
 */
static struct costs costs_of_warm_state(struct xylem_position at, bool present)
{
    struct xylem_txn *reader = begin_reading();
    costs_of_state(reader, at, present);
    struct costs costs = costs_of_state(reader, at, present);
    xylem_abort(reader);
    return costs;
}

static void assert_state_costs(struct xylem_position at, enum place place)
{
    struct costs costs = costs_of_warm_state(at, place != ABSENT);
    char expected[64];
    (void)snprintf(expected, sizeof expected, "log %d gets; %d records", (int)expected_gets[place],
                   (int)expected_gets[place]);
    assert_string_equal(costs.text, expected);
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(a_state_costs_the_same_at_every_size_wherever_its_kinds_are)
{
    uint64_t absent = store_builder_session(&builder, "absent");
    uint64_t root = store_builder_session(&builder, "root");
    uint64_t size = 0;
    add_kinds(root);
    for (size_t i = 0; i < SIZE_COUNT; size = sizes[i++]) {
        struct xylem_position leaf = grow(absent, sizes[i] - size);
        assert_int_equal(leaf.depth, sizes[i]);
        assert_state_costs(leaf, ABSENT);
        assert_state_costs(grow(root, sizes[i] - size), AT_THE_ROOT);
        uint64_t middle = fork_at_depth(absent, sizes[i] / 2);
        add_kinds(middle);
        assert_state_costs(grow(middle, sizes[i] / 2), IN_THE_MIDDLE);
        assert_state_costs(add_kinds(store_builder_clone(&builder, absent, NULL)), AT_THE_TIP);
    }
}

/*
 * On from a chain of `done` forks of forks, each with an entry of its own, to one of `count`. Gives the last session.
 */
static uint64_t chain_on(uint64_t session, unsigned done, unsigned count)
{
    for (unsigned i = done; i < count; i++) {
        session = store_builder_clone(&builder, session, NULL);
        store_builder_add(&builder, session, NULL, i % 100 == 0 ? "compaction" : "message", NULL);
    }
    return session;
}

IN_STORE(a_state_costs_the_same_behind_one_fork_and_ten_thousand)
{
    uint64_t absent = store_builder_session(&builder, "absent");
    uint64_t root = store_builder_session(&builder, "root");
    grow(absent, 1);
    add_kinds(root);
    grow(root, 1);
    unsigned done = 0;
    for (size_t i = 0; i < 3; done = fork_depths[i++]) {
        absent = chain_on(absent, done, fork_depths[i]);
        root = chain_on(root, done, fork_depths[i]);
        /* A path that ends in its marked entry would cost one read less. */
        assert_state_costs(store_builder_messages(&builder, absent, 1), ABSENT);
        assert_state_costs(store_builder_messages(&builder, root, 1), AT_THE_ROOT);
        assert_state_costs(add_kinds(store_builder_clone(&builder, absent, NULL)), AT_THE_TIP);
    }
}

IN_STORE(a_state_costs_the_same_with_its_kinds_in_the_middle_of_a_chain_of_forks)
{
    uint64_t session = store_builder_session(&builder, "s");
    grow(session, 1);
    for (size_t i = 0; i < 3; i++) {
        unsigned half = fork_depths[i] / 2;
        uint64_t middle = chain_on(session, 0, half);
        add_kinds(middle);
        grow(middle, 1);
        middle = chain_on(middle, half, fork_depths[i]);
        assert_state_costs(store_builder_messages(&builder, middle, 1), IN_THE_MIDDLE);
    }
}

static uint64_t below(struct chance *chance, uint64_t bound)
{
    return chance_draw(chance) % bound;
}

IN_STORE(a_state_costs_the_same_on_each_of_many_sessions_of_a_tree)
{
    unsigned count = torture() ? 100000 : 1000;
    struct chance chance = chance_of(1);
    uint64_t *sessions = calloc(count, sizeof *sessions);
    assert_non_null(sessions);
    sessions[0] = store_builder_session(&builder, "first");
    uint64_t shared_depth = add_kinds(sessions[0]).depth + 2;
    grow(sessions[0], 20);
    for (unsigned i = 1; i < count; i++) {
        struct xylem_position at;
        uint64_t source = sessions[below(&chance, i)];
        struct xylem_position leaf = store_builder_leaf(&builder, source);
        uint64_t depth = shared_depth + below(&chance, leaf.depth - shared_depth + 1);
        store_builder_must(xylem_ancestor_at(&at, builder.txn, leaf, depth, &err), &err);
        sessions[i] = store_builder_fork(&builder, source, at, XYLEM_FORK_AT, NULL);
        store_builder_grow(&builder, sessions[i], 1 + below(&chance, 5));
    }
    for (unsigned i = 0; i < 1000; i++) {
        unsigned any = count == 1000 ? i : (unsigned)below(&chance, count);
        assert_state_costs(store_builder_leaf(&builder, sessions[any]), AT_THE_ROOT);
    }
    free(sessions);
}

/*
 * Kinds are read once for all read transactions of an environment. So the very first state also reads the row of each
 * kind that it meets, in entries and in heads, and its transaction is the last one to read them.
 */
IN_STORE(only_the_first_state_of_an_opened_store_reads_the_names_of_kinds)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t size = 0;
    add_kinds(session);
    for (size_t i = 0; i < 2; size = sizes[i++]) {
        struct xylem_position leaf = grow(session, sizes[i] - size);
        store_builder_reopen(&builder);
        struct xylem_txn *first = begin_reading();
        assert_string_equal(costs_of_state(first, leaf, true).text, "log 5 gets; kinds 5 gets; 5 records");
        xylem_abort(first);
        struct xylem_txn *second = begin_reading();
        assert_string_equal(costs_of_state(second, leaf, true).text, "log 5 gets; 5 records");
        xylem_abort(second);
    }
}

/* --- What the header says of a cost ------------------------------------------------------------------------------- */

/* A read transaction's cost of one call, which is made once before, so that kinds are known. */
#define COSTS_OF_CALL(costs, call)                    \
    do {                                              \
        struct xylem_counters before_call;            \
        struct xylem_txn *reader = begin_reading();   \
        store_builder_must(call, &err);               \
        xylem_counters_read(&before_call, reader);    \
        store_builder_must(call, &err);               \
        *(costs) = costs_since(reader, &before_call); \
        xylem_abort(reader);                          \
    } while (0)

static int answer_done(void *context, struct xylem_visit *visit)
{
    (void)context;
    (void)visit;
    return XYLEM_VISIT_DONE;
}

static int answer_go_on(void *context, struct xylem_visit *visit)
{
    (void)context;
    (void)visit;
    return XYLEM_VISIT_GO_ON;
}

static int reduce(struct xylem_txn *reader, struct xylem_position from, const char *const *kinds,
                  int (*visit)(void *context, struct xylem_visit *visit))
{
    struct xylem_reducer reducer = {.name = "test", .kinds = kinds, .visit = visit};
    struct xylem_reduction reduction;
    int code = xylem_reduce(&reduction, reader, from, &reducer, 1, NULL, &err);
    xylem_reduction_release(&reduction);
    return code;
}

static void assert_reduce_costs(const char *expected, struct xylem_position from, const char *const *kinds,
                                int (*visit)(void *context, struct xylem_visit *visit))
{
    struct costs costs;
    COSTS_OF_CALL(&costs, reduce(reader, from, kinds, visit));
    assert_string_equal(costs.text, expected);
}

IN_STORE(a_reduction_reads_what_is_wanted_and_two_entries_on_the_way)
{
    static const char *const notes[] = {"custom:note", NULL};
    static const char *const nothing[] = {"custom:nothing", NULL};
    uint64_t session = store_builder_session(&builder, "s");
    grow(session, 1);
    for (unsigned i = 0; i < 7; i++) {
        store_builder_add(&builder, session, NULL, "custom:note", "1");
        grow(session, 2500);
    }
    struct xylem_position leaf = store_builder_leaf(&builder, session);
    assert_reduce_costs("log 9 gets; 9 records", leaf, notes, answer_go_on);
    assert_reduce_costs("log 3 gets; 3 records", leaf, notes, answer_done);
    assert_reduce_costs("log 2 gets; 2 records", leaf, nothing, answer_go_on);
}

/* A reducer of messages goes from one to the next until it meets another kind, whose heads name the newest message. */
IN_STORE(a_reduction_of_messages_reads_them_and_what_lies_between)
{
    static const char *const messages[] = {"message", NULL};
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_grow(&builder, session, 50);
    grow(session, 50);
    struct xylem_position leaf = store_builder_leaf(&builder, session);
    assert_reduce_costs("log 1 get; 1 record", leaf, messages, answer_done);
    assert_reduce_costs("log 100 gets; 100 records", leaf, messages, answer_go_on);
}

IN_STORE(a_reduction_that_scans_reads_every_entry)
{
    struct xylem_state read;
    struct xylem_reduce_options options = {.scan = true};
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position leaf = grow(session, 1000);
    struct xylem_txn *reader = begin_reading();
    store_builder_must(xylem_rehydrate(&read, reader, leaf, NULL, &options, &err), &err);
    assert_int_equal(read.reduction.looked_at, 1000);
    assert_in_range(costs_of(reader).counters.record_count, 1000, 1002);
    xylem_state_release(&read);
    xylem_abort(reader);
}

static void assert_newest_costs(const char *expected, struct xylem_position from, const char *kind_name)
{
    struct xylem_entry newest;
    struct xylem_kind kind = {XYLEM_CLASS_CUSTOM, xylem_view_of(kind_name)};
    struct costs costs;
    COSTS_OF_CALL(&costs, xylem_newest_of_kind(&newest, reader, from, kind, &err));
    assert_string_equal(costs.text, expected);
}

IN_STORE(the_newest_entry_of_a_kind_takes_three_reads_at_most)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t size = 0;
    struct xylem_position kinds = add_kinds(session);
    for (size_t i = 0; i < 2; size = small_sizes[i++]) {
        struct xylem_position leaf = grow(session, small_sizes[i] - size);
        assert_newest_costs("log 3 gets; 3 records", leaf, "readonly");
        assert_newest_costs("log 2 gets; 2 records", leaf, "nothing");
    }
    assert_newest_costs("log 1 get; 1 record", kinds, "sequence");
    assert_newest_costs("log 2 gets; 2 records", kinds, "readonly");
    uint64_t chained = chain_on(session, 0, 1000);
    assert_newest_costs("log 3 gets; 3 records", store_builder_leaf(&builder, chained), "readonly");
}

static int outline(struct xylem_txn *reader, uint64_t session, uint64_t entry_count)
{
    struct xylem_outline outline;
    struct xylem_session row;
    store_builder_must(xylem_session_read(&row, reader, session, &err), &err);
    store_builder_must(xylem_outline_read(&outline, NULL, reader, &row, &err), &err);
    assert_int_equal(outline.entry_count, entry_count);
    assert_true(outline.has_name);
    return 0;
}

/* For each branch: its row, its tip, the tip's last marked entry, and the newest name that this one knows of. */
IN_STORE(an_outline_costs_in_proportion_to_the_branches_not_to_the_entries)
{
    struct costs at[2];
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t size = 0;
    store_builder_add(&builder, session, NULL, "session_info", "{\"name\":\"x\"}");
    for (size_t i = 0; i < 2; size = small_sizes[i++]) {
        grow(session, small_sizes[i] - size);
        COSTS_OF_CALL(&at[i], outline(reader, session, small_sizes[i] + 1));
    }
    assert_string_equal(at[0].text, at[1].text);
    uint64_t reads = reads_of(&at[0]);
    assert_in_range(reads, 1, 10);
    for (unsigned i = 0; i < 99; i++) {
        struct xylem_position at_entry = {1, 2 + i * 7};
        store_builder_add_at(&builder, session, at_entry, NULL, "message", NULL);
    }
    struct costs bushy;
    COSTS_OF_CALL(&bushy, outline(reader, session, small_sizes[1] + 1 + 99));
    assert_in_range(reads_of(&bushy), 99, reads * 100);
}

/* A kept outline costs a row, and where the session grew at its leaf, its newest entries too: of 321 tips none other. */
IN_STORE(a_kept_outline_costs_the_same_with_one_tip_and_with_321)
{
    struct costs kept[2];
    struct costs grown[2];
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position root = store_builder_messages(&builder, session, 1);
    store_builder_add(&builder, session, NULL, "session_info", "{\"name\":\"x\"}");
    for (size_t i = 0; i < 2; i++) {
        uint64_t entry_count = 3 + i * 322;
        for (size_t tip = 0; i > 0 && tip < 320; tip++) {
            store_builder_add_at(&builder, session, root, NULL, "message", NULL);
        }
        store_builder_messages(&builder, session, 1);
        store_builder_refresh(&builder);
        COSTS_OF_CALL(&kept[i], outline(reader, session, entry_count));
        store_builder_messages(&builder, session, 1);
        COSTS_OF_CALL(&grown[i], outline(reader, session, entry_count + 1));
    }
    assert_string_equal(kept[0].text, kept[1].text);
    assert_string_equal(kept[0].text, "sessions 1 get; outlines 1 get");
    assert_string_equal(grown[0].text, grown[1].text);
    assert_in_range(reads_of(&grown[0]), 4, 9);
}

static int scan_since(struct xylem_txn *reader, uint64_t session, uint64_t lsn, uint64_t expected)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    uint64_t count = 0;
    store_builder_must(xylem_scan_after(&scan, reader, session, lsn, &err), &err);
    while (store_builder_must(xylem_scan_next(&entry, scan, &err), &err) == 1) {
        count++;
    }
    xylem_scan_free(scan);
    assert_int_equal(count, expected);
    return 0;
}

/* The reads of a scan of the newest `new_count` entries of a session. */
static uint64_t reads_of_scan(uint64_t session, uint64_t new_count)
{
    struct costs costs;
    uint64_t last = store_builder_read(&builder, session).last_lsn;
    COSTS_OF_CALL(&costs, scan_since(reader, session, last - new_count, new_count));
    return reads_of(&costs);
}

IN_STORE(a_scan_of_what_is_new_costs_the_same_however_much_was_there_before)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t size = 0;
    uint64_t nothing = 0;
    uint64_t one = 0;
    for (size_t i = 0; i < 2; size = small_sizes[i++]) {
        grow(session, small_sizes[i] - size);
        nothing = i == 0 ? reads_of_scan(session, 0) : nothing;
        one = i == 0 ? reads_of_scan(session, 1) : one;
        assert_int_equal(reads_of_scan(session, 0), nothing);
        assert_int_equal(reads_of_scan(session, 1), one);
        assert_in_range(reads_of_scan(session, 90), 90, 2 * 90);
    }
    assert_in_range(nothing, 1, 6);
    assert_in_range(one, 1, 10);
}

IN_STORE(a_scan_of_what_is_new_costs_more_for_each_branch_of_its_path_and_its_own)
{
    uint64_t session = store_builder_session(&builder, "s");
    grow(session, 1000);
    uint64_t alone = reads_of_scan(session, 0);
    for (unsigned i = 0; i < 50; i++) {
        store_builder_add_at(&builder, session, (struct xylem_position){1, 1 + i}, NULL, "message", NULL);
    }
    assert_in_range(reads_of_scan(session, 0), 50, 51 * alone);
    assert_in_range(reads_of_scan(chain_on(session, 0, 100), 0), 100, 101 * alone);
}

static int find(struct xylem_txn *reader, uint64_t session, const char *id)
{
    struct xylem_position position;
    return xylem_find(&position, reader, session, xylem_view_of(id), &err);
}

IN_STORE(finding_an_id_costs_the_same_at_every_size)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t size = 1;
    struct costs costs;
    store_builder_add(&builder, session, "first", "message", NULL);
    for (size_t i = 0; i < 2; size = small_sizes[i++]) {
        grow(session, small_sizes[i] - size);
        COSTS_OF_CALL(&costs, find(reader, session, "first"));
        assert_string_equal(costs.text, "sessions 1 get; log 1 get; ids 1 seek; 1 record");
    }
}

static int find_again(struct xylem_txn *reader, uint64_t session, struct xylem_position position)
{
    struct xylem_entry entry;
    struct xylem_position found;
    store_builder_must(xylem_entry_read(&entry, reader, position, &err), &err);
    return xylem_find(&found, reader, session, entry.id, &err);
}

/* Its lsn stands in the id, and the feed leads from there to the entry: the row of its append, and the entry. */
IN_STORE(finding_an_id_that_was_made_costs_the_same_at_every_size)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t size = 0;
    struct costs first = {.text = ""};
    for (size_t i = 0; i < 2; size = small_sizes[i++]) {
        struct costs costs;
        struct xylem_position leaf = grow(session, small_sizes[i] - size);
        store_builder_messages(&builder, session, 1); /* the append that is looked for is not the last one */
        COSTS_OF_CALL(&costs, find_again(reader, session, (struct xylem_position){1, leaf.depth / 2}));
        first = i == 0 ? costs : first;
        assert_string_equal(costs.text, first.text);
        assert_in_range(reads_of(&costs), 1, 8);
    }
}

static int find_none(struct xylem_txn *reader, uint64_t session, const char *id)
{
    int code = find(reader, session, id);
    return code == XYLEM_E_NOT_FOUND ? XYLEM_OK : code == XYLEM_OK ? XYLEM_E_EXISTS : code;
}

/* Fifty sessions use the ids `same` and `late`; the source used `late` after they were made. */
IN_STORE(finding_an_id_costs_the_same_whatever_sessions_of_the_tree_use_it_too)
{
    struct costs costs;
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "root", "message", NULL);
    uint64_t last = session;
    for (unsigned i = 0; i < 50; i++) {
        last = store_builder_clone(&builder, session, NULL);
        store_builder_add(&builder, last, "same", "message", NULL);
        store_builder_add(&builder, last, "late", "message", NULL);
        COSTS_OF_CALL(&costs, find(reader, last, "same"));
        assert_string_equal(costs.text, "sessions 1 get; log 1 get; ids 1 seek; 1 record");
    }
    COSTS_OF_CALL(&costs, find(reader, last, "root"));
    assert_in_range(reads_of(&costs), 1, 9);
    store_builder_add(&builder, session, "late", "message", NULL);
    last = store_builder_clone(&builder, session, NULL);
    COSTS_OF_CALL(&costs, find(reader, last, "late"));
    assert_in_range(reads_of(&costs), 1, 9);
    COSTS_OF_CALL(&costs, find_none(reader, last, "same"));
    assert_in_range(reads_of(&costs), 1, 20);
}

static int find_session(struct xylem_txn *reader, const char *id)
{
    struct xylem_session session;
    return xylem_session_find(&session, reader, xylem_view_of(id), &err);
}

IN_STORE(finding_a_session_costs_two_reads_among_ten_and_among_ten_thousand)
{
    struct costs costs;
    store_builder_session(&builder, "wanted");
    for (unsigned count = 10, done = 0; count <= 10000; count *= 1000) {
        for (; done < count; done++) {
            store_builder_session(&builder, NULL);
        }
        COSTS_OF_CALL(&costs, find_session(reader, "wanted"));
        assert_string_equal(costs.text, "sessions 1 get; session_ids 1 get");
    }
}

static int walk_some(struct xylem_txn *reader, struct xylem_position from, unsigned count)
{
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    store_builder_must(xylem_walk_new(&walk, reader, from, &err), &err);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(store_builder_must(xylem_walk_next(&entry, walk, &err), &err), 1);
    }
    xylem_walk_free(walk);
    return 0;
}

IN_STORE(a_walk_costs_one_step_for_each_entry_and_one_seek_for_each_branch)
{
    struct costs costs;
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t size = 0;
    for (size_t i = 0; i < 2; size = small_sizes[i++]) {
        struct xylem_position leaf = grow(session, small_sizes[i] - size);
        COSTS_OF_CALL(&costs, walk_some(reader, leaf, 50));
        assert_string_equal(costs.text, "log 1 get 1 seek 49 steps; 51 records");
    }
    uint64_t forked = chain_on(session, 0, 10);
    COSTS_OF_CALL(&costs, walk_some(reader, store_builder_leaf(&builder, forked), 50));
    assert_string_equal(costs.text, "log 1 get 11 seeks 39 steps; 51 records");
}

static int tips(struct xylem_txn *reader, uint64_t session)
{
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    int code;
    store_builder_must(xylem_tips_new(&tips, reader, session, &err), &err);
    while ((code = xylem_tips_next(&tip, tips, &err)) == 1) {
    }
    xylem_tips_free(tips);
    return code;
}

#define PLACE_QUESTIONS 5

/* Where is an entry, whose is it, and what lies below it? On two branches, which meet at half the size. */
static void ask_about_places(struct costs *costs, uint64_t session, struct xylem_position leaf)
{
    struct xylem_position found;
    uint64_t owner;
    struct xylem_position middle = {1, leaf.depth / 2};
    struct xylem_position other = store_builder_add_at(&builder, session, middle, NULL, "message", NULL);
    COSTS_OF_CALL(&costs[0], xylem_belongs(reader, session, middle, &err));
    COSTS_OF_CALL(&costs[1], xylem_owner(&owner, reader, middle, &err));
    COSTS_OF_CALL(&costs[2], xylem_ancestor_at(&found, reader, leaf, 1, &err));
    COSTS_OF_CALL(&costs[3], xylem_common_ancestor(&found, reader, leaf, other, &err));
    COSTS_OF_CALL(&costs[4], tips(reader, session));
}

IN_STORE(questions_about_places_cost_the_same_at_every_size)
{
    struct costs first[PLACE_QUESTIONS];
    struct costs costs[PLACE_QUESTIONS];
    for (size_t i = 0; i < 2; i++) {
        store_builder_close(&builder);
        store_builder_open(&builder);
        uint64_t session = store_builder_session(&builder, "s");
        ask_about_places(i == 0 ? first : costs, session, grow(session, small_sizes[i]));
    }
    for (size_t i = 0; i < PLACE_QUESTIONS; i++) {
        assert_string_equal(costs[i].text, first[i].text);
    }
}

static int move(struct xylem_txn *reader, uint64_t session)
{
    struct xylem_move move;
    return xylem_move_read(&move, reader, session, 1, &err);
}

IN_STORE(reading_a_navigation_costs_two_reads_among_one_and_among_a_thousand)
{
    struct costs costs;
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position root = store_builder_messages(&builder, session, 1);
    for (unsigned count = 1, done = 0; count <= 1000; count *= 1000) {
        for (; done < count; done++) {
            store_builder_go(&builder, session, root);
        }
        COSTS_OF_CALL(&costs, move(reader, session));
        assert_string_equal(costs.text, "sessions 1 get; moves 1 get");
    }
}

static int stat_all(struct xylem_txn *reader)
{
    struct xylem_stat stat;
    return xylem_stat_read(&stat, reader, &err);
}

IN_STORE(the_stores_figures_cost_one_step_for_each_entry)
{
    struct costs costs;
    grow(store_builder_session(&builder, "s"), 1000);
    COSTS_OF_CALL(&costs, stat_all(reader));
    /* `meta` proves that it lacks the row of a redaction. */
    assert_string_equal(costs.text,
                        "meta 4 gets 2 seeks 2 steps; sessions 1 seek 1 step; log 1 seek 1000 steps; 1000 records");
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* A session to write in, and an entry on its first branch that is not its tip. */
struct scene {
    uint64_t session;
    struct xylem_position tip;
    struct xylem_position middle;
    struct xylem_position root;
};

static void append(const struct scene *scene, unsigned count, bool given, bool branch, const char *custom)
{
    static struct xylem_new_entry entries[100];
    static char ids[100][24];
    struct xylem_append_options options = {.parent = branch ? XYLEM_PARENT_AT : XYLEM_PARENT_LEAF,
                                           .parent_position = scene->middle};
    memset(entries, 0, sizeof entries);
    for (unsigned i = 0; i < count; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "given-%u", i);
        entries[i].kind.kind_class = custom ? XYLEM_CLASS_CUSTOM : XYLEM_CLASS_HOST;
        entries[i].kind.name = xylem_view_of(custom ? custom : "message");
        entries[i].id = given ? xylem_view_of(ids[i]) : (struct xylem_view){NULL, 0};
    }
    store_builder_must(xylem_append(NULL, builder.txn, scene->session, entries, count, &options, &err), &err);
}

static void append_one(const struct scene *scene)
{
    append(scene, 1, false, false, NULL);
}

static void append_one_given(const struct scene *scene)
{
    append(scene, 1, true, false, NULL);
}

static void append_hundred(const struct scene *scene)
{
    append(scene, 100, false, false, NULL);
}

static void append_hundred_given(const struct scene *scene)
{
    append(scene, 100, true, false, NULL);
}

static void append_one_custom(const struct scene *scene)
{
    append(scene, 1, false, false, "readonly");
}

static void append_hundred_custom(const struct scene *scene)
{
    append(scene, 100, false, false, "readonly");
}

static void branch_one(const struct scene *scene)
{
    append(scene, 1, false, true, NULL);
}

static void branch_one_given(const struct scene *scene)
{
    append(scene, 1, true, true, NULL);
}

static void branch_hundred(const struct scene *scene)
{
    append(scene, 100, false, true, NULL);
}

static void branch_hundred_given(const struct scene *scene)
{
    append(scene, 100, true, true, NULL);
}

static void fork_at(const struct scene *scene, struct xylem_position position, enum xylem_fork_kind kind)
{
    store_builder_fork(&builder, scene->session, position, kind, "fork");
}

static void fork_tip(const struct scene *scene)
{
    fork_at(scene, scene->tip, XYLEM_FORK_AT);
}

static void fork_middle(const struct scene *scene)
{
    fork_at(scene, scene->middle, XYLEM_FORK_AT);
}

static void fork_root(const struct scene *scene)
{
    fork_at(scene, scene->root, XYLEM_FORK_AT);
}

static void fork_before_middle(const struct scene *scene)
{
    fork_at(scene, scene->middle, XYLEM_FORK_BEFORE);
}

static void fork_before_root(const struct scene *scene)
{
    fork_at(scene, scene->root, XYLEM_FORK_BEFORE);
}

static void clone(const struct scene *scene)
{
    store_builder_clone(&builder, scene->session, "clone");
}

static void go_to_tip(const struct scene *scene)
{
    store_builder_go(&builder, scene->session, scene->tip);
}

static void go_to_middle(const struct scene *scene)
{
    store_builder_go(&builder, scene->session, scene->middle);
}

static void go_to_root(const struct scene *scene)
{
    store_builder_go(&builder, scene->session, scene->root);
}

static void go_to_none(const struct scene *scene)
{
    store_builder_go(&builder, scene->session, (struct xylem_position){0, 0});
}

/* A write, and the rows that it writes: in `ids` one for each id that is given, and none for those that are made. */
struct write {
    const char *name;
    void (*call)(const struct scene *scene);
    uint64_t entries;
    bool given;
    uint64_t branches;
    uint64_t other_puts; /* but for log and ids */
};

static const struct write writes[] = {
    {"append 1", append_one, 1, false, 0, 2},
    {"append 1, id given", append_one_given, 1, true, 0, 2},
    {"append 100", append_hundred, 100, false, 0, 2},
    {"append 100, ids given", append_hundred_given, 100, true, 0, 2},
    {"append 1 custom", append_one_custom, 1, false, 0, 2},
    {"append 100 custom", append_hundred_custom, 100, false, 0, 2},
    {"branch 1", branch_one, 1, false, 1, 3},
    {"branch 1, id given", branch_one_given, 1, true, 1, 3},
    {"branch 100", branch_hundred, 100, false, 1, 3},
    {"branch 100, ids given", branch_hundred_given, 100, true, 1, 3},
    {"fork at the tip", fork_tip, 0, false, 0, 4},
    {"fork at the middle", fork_middle, 0, false, 0, 4},
    {"fork at the root", fork_root, 0, false, 0, 4},
    {"fork before the middle", fork_before_middle, 0, false, 0, 4},
    {"fork before the root", fork_before_root, 0, false, 0, 4},
    {"clone", clone, 0, false, 0, 4},
    {"navigate to the tip", go_to_tip, 0, false, 0, 5},
    {"navigate to the middle", go_to_middle, 0, false, 0, 5},
    {"navigate to the root", go_to_root, 0, false, 0, 5},
    {"navigate to none", go_to_none, 0, false, 0, 5},
};

#define WRITE_COUNT (sizeof writes / sizeof *writes)

/* What a write costs in a transaction of its own, which is given up then. */
static struct costs costs_of_write(const struct write *write, const struct scene *scene)
{
    store_builder_commit(&builder);
    write->call(scene);
    struct costs costs = costs_of(builder.txn);
    xylem_abort(builder.txn);
    builder.txn = NULL;
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    return costs;
}

static uint64_t puts_in(const struct costs *costs, const char *table)
{
    struct xylem_counters named;
    xylem_counters_read(&named, builder.txn);
    for (unsigned i = 0; i < XYLEM_TABLE_COUNT; i++) {
        if (strcmp(named.tables[i].name, table) == 0) {
            return costs->counters.tables[i].puts;
        }
    }
    fail();
    return 0;
}

static void assert_puts(const struct write *write, const struct costs *costs)
{
    uint64_t ids = puts_in(costs, "ids");
    uint64_t ids_expected = write->given ? write->entries : 0;
    if (puts_in(costs, "log") != write->entries || puts_in(costs, "branches") != write->branches ||
        ids != ids_expected || costs_puts(costs) != write->entries + ids + write->other_puts) {
        fail_msg("%s writes other rows than it should: %s", write->name, costs->text);
    }
}

static void assert_same(const struct write *write, const struct costs *costs, const struct costs *first)
{
    if (strcmp(costs->text, first->text) != 0) {
        fail_msg("%s does not cost the same everywhere: once %s, and here %s", write->name, first->text, costs->text);
    }
}

IN_STORE(every_write_costs_the_same_at_every_size)
{
    struct costs first[WRITE_COUNT];
    struct scene scene = {.session = store_builder_session(&builder, "s"), .root = {1, 1}};
    uint64_t size = 3;
    add_kinds(scene.session);
    for (size_t i = 0; i < size_count(); size = sizes[i++]) {
        scene.tip = grow(scene.session, sizes[i] - size);
        scene.middle = (struct xylem_position){1, sizes[i] / 2};
        for (size_t w = 0; w < WRITE_COUNT; w++) {
            struct costs costs = costs_of_write(&writes[w], &scene);
            first[w] = i == 0 ? costs : first[w];
            assert_puts(&writes[w], &costs);
            assert_same(&writes[w], &costs, &first[w]);
        }
    }
}

/*
 * The same writes at the end of a chain of forks, in a fork that has 100 entries of its own. The chain starts with a
 * fork, as a branch that begins at a root has no skip, which a branch below it would look at.
 */
IN_STORE(every_write_costs_the_same_behind_one_fork_and_ten_thousand)
{
    struct costs first[WRITE_COUNT];
    uint64_t chained = store_builder_session(&builder, "s");
    unsigned done = 0;
    add_kinds(chained);
    chained = chain_on(chained, 0, 1);
    for (size_t i = 0; i < 3; done = fork_depths[i++]) {
        chained = chain_on(chained, done, fork_depths[i]);
        struct scene scene = {.session = store_builder_clone(&builder, chained, NULL)};
        scene.tip = grow(scene.session, 100);
        scene.middle = (struct xylem_position){scene.tip.branch, scene.tip.depth - 50};
        scene.root = (struct xylem_position){scene.tip.branch, scene.tip.depth - 99};
        for (size_t w = 0; w < WRITE_COUNT; w++) {
            struct costs costs = costs_of_write(&writes[w], &scene);
            first[w] = i == 0 ? costs : first[w];
            assert_puts(&writes[w], &costs);
            assert_same(&writes[w], &costs, &first[w]);
        }
    }
}

/* The first entry of a fork begins a branch below its base. */
IN_STORE(the_first_append_to_a_fork_costs_the_same_behind_however_many_forks)
{
    static const struct write appended = {"append 1 to a fork", append_one, 1, false, 1, 3};
    struct costs first = {.text = ""};
    uint64_t chained = store_builder_session(&builder, "s");
    unsigned done = 0;
    add_kinds(chained);
    grow(chained, 2);
    for (size_t i = 0; i < 3; done = fork_depths[i++]) {
        chained = chain_on(chained, done, fork_depths[i]);
        struct scene scene = {.session = store_builder_clone(&builder, chained, NULL)};
        struct costs costs = costs_of_write(&appended, &scene);
        first = i == 0 ? costs : first;
        assert_puts(&appended, &costs);
        assert_same(&appended, &costs, &first);
    }
}

static uint64_t binary_digits(uint64_t number)
{
    uint64_t digits = 0;
    for (; number > 0; number >>= 1) {
        digits++;
    }
    return digits;
}

/*
 * Does an entry that a fork shares belong to it? The path is followed along skips, so who names an entry far back pays
 * for the logarithm of how many forks lie in between, and nothing else.
 */
IN_STORE(naming_an_entry_behind_forks_costs_three_reads_for_each_binary_digit_of_their_number)
{
    static const struct write named[] = {{"fork", fork_root, 0, false, 0, 4}, {"navigate", go_to_root, 0, false, 0, 5}};
    uint64_t gets[2] = {0, 0};
    struct scene scene = {.session = store_builder_session(&builder, "s"), .root = {1, 1}};
    unsigned done = 0;
    add_kinds(scene.session);
    for (size_t i = 0; i < 3; done = fork_depths[i++]) {
        scene.session = chain_on(scene.session, done, fork_depths[i]);
        for (size_t w = 0; w < 2; w++) {
            struct costs costs = costs_of_write(&named[w], &scene);
            assert_puts(&named[w], &costs);
            /* The last lsn; a fork's number; and the rows beside their places prove that its number and its id are not
             * there yet. */
            assert_int_equal(costs_seeks(&costs) + costs_steps(&costs), w == 0 ? 1 + 1 + 2 + 2 : 1);
            gets[w] = i == 0 ? costs_gets(&costs) : gets[w];
            assert_true(costs_gets(&costs) <= gets[w] + 3 * binary_digits(fork_depths[i]));
        }
    }
}
