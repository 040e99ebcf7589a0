/*
 * A model of three nodes of PostgreSQL with quorum commit, in virtual time. Everything follows from one seed.
 *
 * A transaction writes a record into the WAL of the primary, and waits until one standby has flushed the record. Until
 * then nobody sees the row, and its lock is held. A cancelled wait, and a primary that was killed and comes back, show the
 * row with no standby behind it. An operator cuts off, compares and promotes as fleet_promotion_choose() says, and makes
 * standbys of old primaries by base backups. Requests and answers are delayed, lost and doubled; a request that was given
 * up may still arrive.
 */
#ifndef XYLEM_TESTS_FLEET_CLUSTER_MEMORY_H
#define XYLEM_TESTS_FLEET_CLUSTER_MEMORY_H

#include "tests/fleet/rows_memory.h"
#include "tests/lib/chance.h"

#define CLUSTER_NODES 3u
#define CLUSTER_DEADLINE_MS 2000u

/* Flaws of the cluster and of its operator, for mutants. */
enum cluster_flaw {
    CLUSTER_FLAW_LOCAL = 1u << 0,  /* a commit waits for no standby */
    CLUSTER_FLAW_CANCEL = 1u << 1, /* a cancelled wait is answered DONE, as the server does, without its warning */
    CLUSTER_FLAW_READING_LOOK = 1u << 2, /* LOOK writes nothing */
    CLUSTER_FLAW_NEARER = 1u << 3,       /* the nearer standby is promoted */
    CLUSTER_FLAW_BEFORE_CUT = 1u << 4,   /* places are read before the standbys are cut off */
    CLUSTER_FLAW_OLD_TIMELINE = 1u << 5, /* a standby of an older timeline counts as seen */
    CLUSTER_FLAW_ONE_SEEN = 1u << 6      /* one standby of two is enough for a promotion */
};

struct cluster_hooks {
    void *context;
    /* The answer of a call. DONE acknowledges. Calls that were given up are answered once, too: UNKNOWN or UNREACHABLE. */
    void (*answered)(void *context, size_t client, uint64_t number, const struct fleet_answer *answer);
    /* A client's connection broke: it speaks to another node from now on, or to none. */
    void (*reconnected)(void *context, size_t client);
    /* A request that writes made this version of a row of the highest timeline. */
    void (*wrote)(void *context, const struct fleet_request *request, size_t row, const struct rows_version *version);
    /* An event of cluster_at(). */
    void (*happened)(void *context, unsigned type, size_t first, size_t second);
    /* A backup of the engine came back. */
    void (*restored)(void *context, const struct rows_table *table);
};

struct cluster_counts {
    uint64_t unknown;
    uint64_t late;    /* requests that arrived after they were given up */
    uint64_t doubled; /* requests that arrived twice */
    uint64_t failovers;
    uint64_t refused; /* promotions that the rule refused at first */
    uint64_t zombies; /* old primaries that answered a request */
    uint64_t cancels;
    uint64_t kills;
    uint64_t restores;
};

struct cluster;

struct cluster *cluster_new(uint64_t seed, unsigned flaws, size_t client_count, const struct cluster_hooks *hooks);
void cluster_free(struct cluster *cluster);
/* The next event. False: there is none. */
bool cluster_step(struct cluster *cluster);
uint64_t cluster_now(const struct cluster *cluster);
/* Everything by chance follows from this. */
struct chance *cluster_chance(struct cluster *cluster);
struct rows_ids *cluster_ids(struct cluster *cluster);
const struct cluster_counts *cluster_counts(const struct cluster *cluster);

/* Sends a request for a client. The cluster gives the call up at the deadline. */
void cluster_call(struct cluster *cluster, size_t client, uint64_t number, const struct fleet_request *request);
/* The client died: its calls are answered by nobody, and may still arrive. */
void cluster_forget(struct cluster *cluster, size_t client);
/* An event of the caller, `delay_ms` from now. */
void cluster_at(struct cluster *cluster, uint64_t delay_ms, unsigned type, size_t first, size_t second);
/* Cuts a client off from a node, or all clients by chance. */
void cluster_fault(struct cluster *cluster);
/* No fault happens any more; everything comes up again. */
void cluster_heal(struct cluster *cluster);
/* A backup is taken, and may come back. */
void cluster_save(struct cluster *cluster);
void cluster_restore(struct cluster *cluster);
/* The rows of the primary of the highest timeline, as they are visible; NULL: it is down. */
const struct rows_table *cluster_table(const struct cluster *cluster);
/* The row as the node shows it to which the client speaks; NULL. */
const struct rows_version *cluster_peek(const struct cluster *cluster, size_t client, size_t row);

#endif
