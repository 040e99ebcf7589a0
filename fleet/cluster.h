/*
 * The nodes behind the engine, for `fleet init`, `status`, `promote` and `redact --finish`: what a person who operates the
 * cluster asks and does. Everything waits; nothing here is part of a ship or a pull.
 */
#ifndef FLEET_CLUSTER_H
#define FLEET_CLUSTER_H

#include "fleet/postgres.h"
#include "fleet/promotion.h"

struct fleet_standby { /* as the primary sees it */
    char name[FLEET_NODE_NAME_MAX];
    bool streaming;
    bool counts; /* sync or quorum */
};

struct fleet_node_state {
    struct fleet_node node;
    char where[256]; /* HOST:PORT */
    char why[512];   /* unreachable: what was said; else what is wrong with fsync or the list; empty: nothing */
    bool refused;    /* unreachable to this user only: it runs, and does not let the user in */
    bool fsync;
    bool full_page_writes;
    char list[512]; /* synchronous_standby_names */
    struct fleet_quorum quorum;
    bool quorum_understood;
    bool is_superuser;                              /* this user is */
    bool sees_all;                                  /* this user sees who streams: a person who keeps the cluster */
    bool receiving;                                 /* a standby that receives */
    struct fleet_standby standbys[FLEET_NODES_MAX]; /* of a primary */
    size_t standby_count;
};

struct fleet_cluster_state {
    struct fleet_node_state nodes[FLEET_NODES_MAX];
    size_t count;
    size_t primary;    /* the writable node of the highest timeline; count: none */
    bool acknowledges; /* the list forces a flushed standby, enough standbys stream, and fsync is on everywhere */
    char why_not[512]; /* else: what is wrong, and what to do next; with acknowledges what would be after a failover */
};

/* Asks every node. The state also says which nodes do not answer, and why. */
void fleet_cluster_look(struct fleet_cluster_state *state, const struct fleet_nodes *nodes);

/* `step` is told before each step, a line for a person. */
typedef void fleet_step(void *context, const char *line);

/* Makes schema, roles, tables and functions, or brings an older schema up to date. Twice is once. */
int fleet_cluster_init(const struct fleet_nodes *nodes, bool allow_single, fleet_step *step, void *context,
                       struct xylem_error *err);
/*
 * Promotes by the rule of promotion.h: cuts both standbys off, waits until replay stands still, compares, promotes the
 * farthest, points the other at it.
 *
 * Errors:
 * - CONFLICT: the rule refuses; the text names the node and says what to do
 * - IO: a node stopped answering amid the steps; the text says what was done, and that the command can be run again
 */
int fleet_cluster_promote(const struct fleet_nodes *nodes, const char *dead, fleet_step *step, void *context,
                          struct xylem_error *err);
/*
 * Removes what redactions left in the tables: VACUUM FULL of the partitions that hold rewritten or freed segments, then a
 * checkpoint on every node. CONFLICT: an older snapshot keeps the text; the text says who holds it.
 */
int fleet_cluster_finish(const struct fleet_nodes *nodes, fleet_step *step, void *context, struct xylem_error *err);

#endif
