/*
 * The fleet in virtual time: hosts that run fleet_ship, fleet_claim and fleet_pull over models of stores, against the
 * cluster of cluster_memory.h. One seed gives one run. A mutant is a flaw of a decision, which the invariants must find.
 */
#ifndef XYLEM_TESTS_FLEET_SIMULATE_H
#define XYLEM_TESTS_FLEET_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

enum simulate_mutant {
    MUTANT_NONE,
    MUTANT_UNKNOWN_IS_DONE, /* an unknown outcome is taken for success */
    MUTANT_ALREADY_THERE,   /* "already there" is taken for acknowledged */
    MUTANT_LOOK_WITHOUT_WRITE,
    MUTANT_FENCE_DROPPED, /* epoch and owner are not compared */
    MUTANT_ORDINAL_UNCHECKED,
    MUTANT_CHAIN_UNCHECKED,
    MUTANT_CLAIM_UNCHECKED,      /* the epoch that a claim saw is not compared */
    MUTANT_CURSOR_EARLY,         /* the cursor moves before the commit */
    MUTANT_NEARER_STANDBY,       /* the nearer standby is promoted */
    MUTANT_BEFORE_CUT,           /* places are read before the cut */
    MUTANT_OLD_TIMELINE,         /* a standby of an old timeline may be promoted */
    MUTANT_ONE_SEEN,             /* one standby of two is enough for a promotion */
    MUTANT_LOCAL_COMMIT,         /* a commit waits for no standby */
    MUTANT_CANCEL_IS_DONE,       /* the warning at a commit is not read */
    MUTANT_REDACTION_KEPT,       /* a redaction is not forwarded */
    MUTANT_GENERATION_UNCHECKED, /* a late rewrite brings a text back */
    MUTANT_TAIL_DROPPED,         /* a fenced owner takes the owner's history over its own */
    MUTANT_COUNT
};

struct simulate_options {
    uint64_t seed;
    uint64_t steps;
    unsigned hosts;
    unsigned sessions;
    enum simulate_mutant mutant;
};

struct simulate_report {
    char violation[256];  /* "": none */
    uint64_t violated_at; /* the step */
    uint64_t steps;
    uint64_t now_ms;
    uint64_t changes;
    uint64_t acknowledged;     /* changes */
    uint64_t acknowledgements; /* answers DONE of requests that write */
    uint64_t unknown;
    uint64_t late;
    uint64_t doubled;
    uint64_t failovers;
    uint64_t refused;
    uint64_t zombies;
    uint64_t cancels;
    uint64_t kills;
    uint64_t engine_restores;
    uint64_t host_restores;
    uint64_t host_crashes;
    uint64_t takeovers;
    uint64_t fenced;
    uint64_t forks;
    uint64_t redactions; /* acknowledged */
    uint64_t releases;
    uint64_t freed;
};

void simulate(struct simulate_report *report, const struct simulate_options *options);
const char *simulate_mutant_word(enum simulate_mutant mutant);

#endif
