/*
 * Who may be promoted, and whether a list of standbys acknowledges on two nodes. No I/O.
 *
 * WAL is a prefix: the standby with the most WAL has all WAL of the other standbys. A commit is flushed on the primary and
 * on k of n standbys. So the farthest of m standbys has every acknowledged commit if and only if m >= n - k + 1. A seen
 * standby is promoted only after every seen standby is cut off from the old primary and has replayed all it received.
 */
#ifndef FLEET_PROMOTION_H
#define FLEET_PROMOTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLEET_NODES_MAX 9u
#define FLEET_NODE_NAME_MAX 64u

/* --- The list ----------------------------------------------------------------------------------------------------- */

/* What synchronous_standby_names says. */
struct fleet_quorum {
    unsigned wanted; /* k: standbys that flush before a commit is acknowledged; 0: none, so nothing is */
    size_t name_count;
    char names[FLEET_NODES_MAX][FLEET_NODE_NAME_MAX]; /* each once */
    bool star;                                        /* `*`: any client with a name counts as a standby; refused */
};

/* False if the text is none that PostgreSQL takes, or has more names than FLEET_NODES_MAX. */
bool fleet_quorum_parse(struct fleet_quorum *quorum, const char *text);

/* --- Promotion ---------------------------------------------------------------------------------------------------- */

enum fleet_node_role { FLEET_NODE_UNREACHABLE, FLEET_NODE_PRIMARY, FLEET_NODE_STANDBY };

struct fleet_node {
    enum fleet_node_role role;
    char name[FLEET_NODE_NAME_MAX]; /* as in the list; of an unreachable node what is known */
    uint64_t timeline;              /* the newest that the node has WAL of */
    uint64_t place;                 /* the greater of received and replayed; of a primary the current place */
    bool cut_off;                   /* receives from nobody, and cannot begin to */
    bool still;                     /* replay has reached all whole records, since the cut */
};

enum fleet_promotion {
    FLEET_PROMOTE,               /* `chosen` */
    FLEET_PROMOTE_CUT_FIRST,     /* `chosen` still receives: cut it off, then look again */
    FLEET_PROMOTE_WAIT,          /* `chosen` still replays */
    FLEET_PROMOTE_PRIMARY_LIVES, /* `chosen` is a primary of the highest timeline and answers: nothing to promote */
    /* `chosen` is not seen (the first of them; count: no node of `nodes`), and without it the farthest is not known. */
    FLEET_PROMOTE_TOO_FEW,
    FLEET_PROMOTE_NO_QUORUM /* no standbys in the list, or `*`: nobody knows who is the farthest */
};

/*
 * `nodes` are all nodes of the list. A standby of an older timeline is not seen, nor one that the list does not name.
 * `force_dead` is the name of a primary that a person has declared dead though it answers; NULL: none.
 */
enum fleet_promotion fleet_promotion_choose(size_t *chosen, const struct fleet_node *nodes, size_t count,
                                            const struct fleet_quorum *quorum, const char *force_dead);

#endif
