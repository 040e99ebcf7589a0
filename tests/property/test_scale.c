/* Large shapes: many kinds on one path, many forks in a chain, and, with XYLEM_TORTURE set, a very long path. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"
#include "xylem/inspect.h"
#include "xylem/state.h"
#include "xylem/append.h"

#define BATCH 1000u
#define FORKS 10000u
#define LONG_PATH 1000000u

static int open_builder(void **state)
{
    struct store_builder *builder = calloc(1, sizeof *builder);
    assert_non_null(builder);
    store_builder_open(builder);
    *state = builder;
    return 0;
}

static int close_builder(void **state)
{
    store_builder_close(*state);
    free(*state);
    return 0;
}

static int print_problem(void *context, const struct xylem_problem *problem)
{
    (void)context;
    print_error("verify: %s: (%" PRIu64 ", %" PRIu64 "): %s\n", problem->table, problem->position.branch,
                problem->position.depth, problem->text);
    return 0;
}

static void assert_sound(struct store_builder *builder, uint64_t entry_count)
{
    struct xylem_error err;
    struct xylem_verify_report report;
    store_builder_must(xylem_verify(&report, builder->txn, NULL, print_problem, NULL, &err), &err);
    assert_int_equal(report.problem_count, 0);
    assert_int_equal(report.entry_count, entry_count);
}

/* Is readonly on at the position, and did the entry of that id decide it? */
static void assert_readonly_by(struct store_builder *builder, struct xylem_position at, const char *id)
{
    struct xylem_error err;
    struct xylem_state state = {0};
    struct xylem_event event = {.reason = XYLEM_REASON_RESUME};
    store_builder_must(xylem_rehydrate(&state, builder->txn, at, &event, NULL, &err), &err);
    assert_true(state.readonly.enabled);
    assert_int_equal(state.readonly.from, XYLEM_FROM_PATH);
    assert_int_equal(state.readonly.entry_id.bytes, strlen(id));
    assert_memory_equal(state.readonly.entry_id.data, id, strlen(id));
    xylem_state_release(&state);
}

/* One entry of each of `count` kinds, oldest first k0; the path then holds `count` + 1 kinds with the toggle's. */
static void append_kinds(struct store_builder *builder, uint64_t session, unsigned count)
{
    static struct xylem_new_entry entries[BATCH];
    static char names[BATCH][24];
    struct xylem_error err;
    struct xylem_position first;
    for (unsigned done = 0; done < count;) {
        unsigned batch = count - done < BATCH ? count - done : BATCH;
        memset(entries, 0, sizeof entries);
        for (unsigned i = 0; i < batch; i++) {
            (void)snprintf(names[i], sizeof names[i], "k%u", done + i);
            entries[i].kind.kind_class = i % 2 == 0 ? XYLEM_CLASS_HOST : XYLEM_CLASS_CUSTOM;
            entries[i].kind.name = xylem_view_of(names[i]);
        }
        store_builder_must(xylem_append(&first, builder->txn, session, entries, batch, NULL, &err), &err);
        done += batch;
    }
}

static void assert_flag_at(struct store_builder *builder, struct xylem_position leaf, uint64_t depth, bool incomplete)
{
    struct xylem_error err;
    struct xylem_entry entry;
    struct xylem_position position;
    store_builder_must(xylem_ancestor_at(&position, builder->txn, leaf, depth, &err), &err);
    store_builder_must(xylem_entry_read(&entry, builder->txn, position, &err), &err);
    assert_int_equal((entry.flags & XYLEM_ENTRY_HEADS_INCOMPLETE) != 0, incomplete);
}

#define WITH_OPEN_BUILDER(test) TEST_WITH(test, open_builder, close_builder)

WITH_OPEN_BUILDER(two_hundred_kinds_lie_on_one_path)
{
    struct store_builder *builder = *state;
    uint64_t session = store_builder_session(builder, "kinds");
    store_builder_add(builder, session, "toggle", "custom:readonly", "{\"enabled\":true}");
    append_kinds(builder, session, 200);
    struct xylem_position leaf = store_builder_leaf(builder, session);
    assert_int_equal(leaf.depth, 201);
    assert_flag_at(builder, leaf, 201, false);
    assert_readonly_by(builder, leaf, "toggle");
    assert_sound(builder, 201);
}

WITH_OPEN_BUILDER(heads_are_incomplete_beyond_their_limit_and_the_state_is_right)
{
    struct store_builder *builder = *state;
    uint64_t session = store_builder_session(builder, "kinds");
    store_builder_add(builder, session, "toggle", "custom:readonly", "{\"enabled\":true}");
    append_kinds(builder, session, 4999);
    struct xylem_position leaf = store_builder_leaf(builder, session);
    assert_int_equal(leaf.depth, 5000);
    /* Each entry is of a kind of its own, so before depth d there are d - 1 kinds. */
    assert_flag_at(builder, leaf, XYLEM_HEADS_MAX + 1, false);
    assert_flag_at(builder, leaf, XYLEM_HEADS_MAX + 2, true);
    assert_flag_at(builder, leaf, 5000, true);
    assert_readonly_by(builder, leaf, "toggle");
    store_builder_add(builder, session, "again", "custom:readonly", "{\"enabled\":true}");
    store_builder_messages(builder, session, 3);
    store_builder_reopen(builder);
    assert_readonly_by(builder, store_builder_leaf(builder, session), "again");
    assert_sound(builder, 5004);
}

static uint64_t count_walk(struct store_builder *builder, struct xylem_position from)
{
    struct xylem_error err;
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    uint64_t depth = from.depth;
    uint64_t count = 0;
    store_builder_must(xylem_walk_new(&walk, builder->txn, from, &err), &err);
    while (store_builder_must(xylem_walk_next(&entry, walk, &err), &err) == 1) {
        assert_int_equal(entry.position.depth, depth);
        depth--;
        count++;
    }
    xylem_walk_free(walk);
    assert_int_equal(depth, 0);
    return count;
}

static uint64_t count_scan(struct store_builder *builder, uint64_t session)
{
    struct xylem_error err;
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    uint64_t lsn = 0;
    uint64_t count = 0;
    store_builder_must(xylem_scan_new(&scan, builder->txn, session, &err), &err);
    while (store_builder_must(xylem_scan_next(&entry, scan, &err), &err) == 1) {
        assert_true(entry.lsn > lsn);
        lsn = entry.lsn;
        count++;
    }
    xylem_scan_free(scan);
    return count;
}

WITH_OPEN_BUILDER(ten_thousand_forks_lie_in_a_chain)
{
    struct store_builder *builder = *state;
    char id[24];
    struct xylem_position ancestor;
    struct xylem_error err;
    uint64_t session = store_builder_session(builder, "root");
    struct xylem_position root = store_builder_add(builder, session, "toggle", "custom:readonly", "{\"enabled\":true}");
    for (unsigned i = 0; i < FORKS; i++) {
        (void)snprintf(id, sizeof id, "fork-%u", i);
        session = store_builder_fork(builder, session, store_builder_leaf(builder, session), XYLEM_FORK_AT, id);
        (void)snprintf(id, sizeof id, "own-%u", i);
        store_builder_add(builder, session, id, i % 100 == 0 ? "compaction" : "message", "{}");
        if (i % BATCH == 0) {
            store_builder_commit(builder);
        }
    }
    store_builder_reopen(builder);
    struct xylem_position leaf = store_builder_leaf(builder, session);
    assert_int_equal(leaf.depth, FORKS + 1);
    assert_readonly_by(builder, leaf, "toggle");
    assert_int_equal(count_walk(builder, leaf), FORKS + 1);
    assert_int_equal(count_scan(builder, session), FORKS + 1);
    store_builder_must(xylem_ancestor_at(&ancestor, builder->txn, leaf, 1, &err), &err);
    assert_true(ancestor.branch == root.branch && ancestor.depth == root.depth);
    store_builder_must(xylem_common_ancestor(&ancestor, builder->txn, leaf, root, &err), &err);
    assert_true(ancestor.branch == root.branch && ancestor.depth == root.depth);
    struct xylem_position found = store_builder_find(builder, session, "toggle");
    assert_true(found.branch == root.branch && found.depth == root.depth);
    assert_sound(builder, FORKS + 1);
}

WITH_OPEN_BUILDER(ten_thousand_branches_belong_to_one_session)
{
    struct store_builder *builder = *state;
    uint64_t session = store_builder_session(builder, "bushy");
    struct xylem_position root = store_builder_add(builder, session, "root", "custom:readonly", "{\"enabled\":true}");
    for (unsigned i = 0; i < FORKS; i++) {
        store_builder_add_at(builder, session, root, NULL, "message", "{}");
    }
    store_builder_commit(builder);
    assert_readonly_by(builder, store_builder_leaf(builder, session), "root");
    assert_int_equal(count_scan(builder, session), FORKS + 1);
    assert_sound(builder, FORKS + 1); /* each branch is looked up in its session's chain, which has them all */
}

WITH_OPEN_BUILDER(a_path_of_a_million_entries_answers)
{
    struct store_builder *builder = *state;
    struct xylem_position ancestor;
    struct xylem_error err;
    if (!getenv("XYLEM_TORTURE")) {
        skip();
    }
    uint64_t session = store_builder_session(builder, "long");
    store_builder_add(builder, session, "toggle", "custom:readonly", "{\"enabled\":true}");
    for (unsigned done = 1; done < LONG_PATH; done += BATCH) {
        store_builder_messages(builder, session, LONG_PATH - done < BATCH ? LONG_PATH - done : BATCH);
        if (done % (BATCH * 50u) == 1) {
            store_builder_commit(builder);
        }
    }
    store_builder_reopen(builder);
    struct xylem_position leaf = store_builder_leaf(builder, session);
    assert_int_equal(leaf.depth, LONG_PATH);
    assert_readonly_by(builder, leaf, "toggle");
    assert_int_equal(count_walk(builder, leaf), LONG_PATH);
    assert_int_equal(count_scan(builder, session), LONG_PATH);
    store_builder_must(xylem_ancestor_at(&ancestor, builder->txn, leaf, LONG_PATH / 2, &err), &err);
    assert_int_equal(ancestor.depth, LONG_PATH / 2);
    assert_sound(builder, LONG_PATH);
}
