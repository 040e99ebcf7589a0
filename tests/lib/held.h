/* A path as a host holds it: the other source of entries of a rehydration. */
#ifndef XYLEM_TESTS_LIB_HELD_H
#define XYLEM_TESTS_LIB_HELD_H

#include "tests/lib/store_builder.h"
#include "xylem/state.h"

/* An entry with bytes of its own. `kind.name` lives elsewhere. */
struct held_entry {
    struct xylem_buffer id;
    struct xylem_kind kind;
    struct xylem_buffer data; /* data NULL: none */
};

struct held_path {
    struct held_entry *entries; /* oldest first */
    size_t count;
    size_t capacity;
    size_t asked;             /* how often held_next() was called */
    struct xylem_buffer lent; /* the bytes of the last answer: gone with the next */
};

/* Adds the newest entry; `data` may be NULL. */
void held_add(struct held_path *path, struct xylem_view id, struct xylem_kind kind, const struct xylem_view *data);
/* `next` of xylem_rehydrate_from(): start with `asked` 0. */
int held_next(void *path, struct xylem_held_entry *entry);
void held_release(struct held_path *path);

/* Fails the test unless both states are the same in everything but positions, and what was read. */
void held_assert_same(const struct xylem_state *stored, const struct xylem_state *held);

/* Makes the state once more from the entries of the path of `state->at`, as an export shows them to a host. */
void held_assert_agrees(const struct xylem_state *state, struct xylem_txn *txn, const struct xylem_event *event,
                        const struct xylem_reduce_options *options);

/* The state at a position of a store, after held_assert_agrees(). */
struct xylem_state held_state_at(struct store_builder *builder, struct xylem_position at,
                                 const struct xylem_event *event, const struct xylem_reduce_options *options);

#endif
