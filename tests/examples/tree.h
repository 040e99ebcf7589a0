/*
 * What the tests of the examples' modules share: one store, and a random tree of entries with a plain model beside it.
 * Entries are known by their index, in the order in which they were appended.
 */
#ifndef XYLEM_TESTS_EXAMPLES_TREE_H
#define XYLEM_TESTS_EXAMPLES_TREE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/lib/chance.h"
#include "tests/lib/one_store.h"

#define TREE_ENTRIES_MAX 512
#define TREE_SESSIONS_MAX 64
#define TREE_ROUNDS 20
#define TREE_NONE (-1)

struct tree {
    uint64_t seed;
    bool running; /* a seed is being run: still so at the end of the test means that it failed */
    struct chance chance;
    struct {
        int parent; /* index, or TREE_NONE */
        struct xylem_position position;
    } entries[TREE_ENTRIES_MAX];
    int entry_count;
    struct {
        uint64_t number;
        int leaf;
    } sessions[TREE_SESSIONS_MAX];
    int session_count;
    int current; /* the session that grows */
};

static struct tree tree;

static void assert_text(struct xylem_view found, const char *expected)
{
    assert_int_equal(found.bytes, strlen(expected));
    assert_memory_equal(found.data, expected, found.bytes);
}

static void assert_position(struct xylem_position found, struct xylem_position expected)
{
    assert_int_equal(found.branch, expected.branch);
    assert_int_equal(found.depth, expected.depth);
}

static int tree_parent(int entry)
{
    return tree.entries[entry].parent;
}

static struct xylem_position tree_position(int entry)
{
    return entry == TREE_NONE ? (struct xylem_position){0, 0} : tree.entries[entry].position;
}

/* Notes what was appended last in the session that grows, at its leaf. Gives its index. */
static int tree_note(void)
{
    int entry = tree.entry_count++;
    assert_true(entry < TREE_ENTRIES_MAX);
    tree.entries[entry].parent = tree.sessions[tree.current].leaf;
    tree.entries[entry].position = store_builder_leaf(&builder, tree.sessions[tree.current].number);
    tree.sessions[tree.current].leaf = entry;
    return entry;
}

static uint64_t tree_session(void)
{
    return tree.sessions[tree.current].number;
}

/* A random entry of the session that grows, or TREE_NONE. */
static int tree_any_own(void)
{
    for (int i = 0; i < 16 && tree.entry_count > 0; i++) {
        int entry = chance_below(&tree.chance, tree.entry_count);
        if (xylem_belongs(builder.txn, tree_session(), tree_position(entry), NULL) == 1) {
            return entry;
        }
    }
    return TREE_NONE;
}

static int tree_add_session(uint64_t number, int leaf)
{
    int session = tree.session_count++;
    assert_true(session < TREE_SESSIONS_MAX);
    tree.sessions[session].number = number;
    tree.sessions[session].leaf = leaf;
    return session;
}

/* Moves the leaf, to none too; forks at or before an entry; or goes over to another session. */
static void tree_wander(void)
{
    int entry = tree_any_own();
    int what = chance_below(&tree.chance, 4);
    if (what == 0 && entry != TREE_NONE && tree.session_count < TREE_SESSIONS_MAX) {
        bool before = chance_one_in(&tree.chance, 2);
        uint64_t fork = store_builder_fork(&builder, tree_session(), tree_position(entry),
                                           before ? XYLEM_FORK_BEFORE : XYLEM_FORK_AT, NULL);
        tree.current = tree_add_session(fork, before ? tree_parent(entry) : entry);
    } else if (what == 1) {
        tree.current = chance_below(&tree.chance, tree.session_count);
    } else {
        entry = chance_one_in(&tree.chance, 12) ? TREE_NONE : entry;
        store_builder_go(&builder, tree_session(), tree_position(entry));
        tree.sessions[tree.current].leaf = entry;
    }
}

/* Begins a tree with one session that is empty. */
static void tree_begin(uint64_t seed)
{
    memset(&tree, 0, sizeof tree);
    tree.seed = seed;
    tree.running = true;
    tree.chance = chance_of(seed);
    tree.current = tree_add_session(store_builder_session(&builder, NULL), TREE_NONE);
}

static uint64_t tree_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* Runs seeds: one that XYLEM_SEED names, else some by the clock. */
static void tree_run(void (*run)(void))
{
    bool one = getenv("XYLEM_SEED") != NULL;
    uint64_t first = tree_number("XYLEM_SEED", (uint64_t)time(NULL) * 1000u);
    uint64_t rounds = one ? 1 : tree_number("XYLEM_ROUNDS", TREE_ROUNDS);
    for (uint64_t i = 0; i < rounds; i++) {
        tree_begin(first + i);
        run();
        tree.running = false;
    }
}

/* The teardown of a test that runs seeds: says how to have a failure again. */
static int tree_end(void **state)
{
    if (tree.running) {
        print_error("seed %" PRIu64 " failed; again: XYLEM_SEED=%" PRIu64 " %s\n", tree.seed, tree.seed,
                    program_invocation_name);
    }
    return tear_down(state);
}

#endif
