/*
 * A session that comes from the engine into a store: what must happen next. No I/O, no clock.
 *
 *     read from have + 1 ──> pieces ──> apply each ──> read ...
 *              └──────────── no piece ──> rest | compare | gap | diverged, by the row
 *
 * The place of a pull is the session's own history in the store, (ordinal, chain), so it moves in the transaction that
 * applied the changes.
 */
#ifndef FLEET_PULL_H
#define FLEET_PULL_H

#include "fleet/engine.h"

enum fleet_pull_act {
    FLEET_PULL_READ,    /* submit READ from pull->have + 1 */
    FLEET_PULL_WAIT,    /* an answer is on its way */
    FLEET_PULL_APPLY,   /* apply the piece, and tell: fleet_pull_applied() */
    FLEET_PULL_SKIP,    /* the store has the piece */
    FLEET_PULL_COMPARE, /* the engine has less than the store: fleet_pull_compared() */
    FLEET_PULL_CURRENT, /* the store has all that the engine has */
    FLEET_PULL_BEHIND, /* the engine has a beginning of what the store has: a failover or a backup lost the rest. Wait */
    FLEET_PULL_GAP,    /* the engine lacks a segment: an error that names ordinals */
    FLEET_PULL_DIVERGED, /* the store has another history than the owner */
    FLEET_PULL_FREED,    /* its owner freed the session */
    FLEET_PULL_MISSING   /* the engine has no such session */
};

struct fleet_pull {
    uint64_t have;  /* ordinals in the store */
    uint64_t chain; /* behind have */
    /*
     * The epoch of the session in the store, set by the caller at the beginning; 0: none. An engine that came back from a backup may have a
     * smaller one, which the store would refuse: BEHIND, until an owner claims the session anew.
     */
    uint64_t kept;
    uint64_t next;  /* of the engine, when last read; 0: not read */
    uint64_t last;  /* the engine's chain behind next - 1 */
    uint64_t epoch; /* of the owner, when last read */
    bool asked;
    enum fleet_pull_act found; /* READ, or the end that the last answer showed */
};

/* have 0, chain 0: the store has nothing of the session. */
void fleet_pull_begin(struct fleet_pull *pull, uint64_t have, uint64_t chain);
enum fleet_pull_act fleet_pull_next(const struct fleet_pull *pull);
void fleet_pull_sent(struct fleet_pull *pull);
/* Looks at the row and at the number of pieces; then fleet_pull_piece() for each piece. */
void fleet_pull_answer(struct fleet_pull *pull, const struct fleet_answer *answer);
/* APPLY, SKIP or GAP. Pieces behind a gap, a conflict and the end of the session are skipped. */
enum fleet_pull_act fleet_pull_piece(struct fleet_pull *pull, const struct fleet_piece *piece);
/*
 * The store has the changes up to `count` now; `conflict`: the store refused them, its history is another. A piece that
 * brought no change is a gap: the engine's segment has less than its row says.
 */
void fleet_pull_applied(struct fleet_pull *pull, uint64_t count, uint64_t chain, bool conflict);
/*
 * The chain in the store behind pull->next - 1 is pull->last, or not. An engine that has less may have another history: the
 * tail of an owner that was fenced must not wait until the new owner has more.
 */
void fleet_pull_compared(struct fleet_pull *pull, bool is_equal);
/*
 * True if no later claim was seen than the own one of `epoch`: the store may own the session. Else another host claimed it
 * while the store pulled.
 */
bool fleet_pull_stands(const struct fleet_pull *pull, uint64_t epoch);

#endif
