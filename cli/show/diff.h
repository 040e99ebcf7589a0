/* Declares functions that the files of `xylem diff` share. */
#ifndef XYLEM_CLI_SHOW_DIFF_H
#define XYLEM_CLI_SHOW_DIFF_H

#include "cli/show/entries.h"
#include "xylem/branch.h"

/* One of the two compared ends. */
struct xylem_cli__end {
    struct xylem_session session;
    struct xylem_position position; /* (0, 0): the session has no leaf */
    struct xylem_labels labels;     /* of the session, sorted */
};

/*
 * Finds an end, a place of any form. `:ENTRY` is in the session of `other`, unless `other` is NULL.
 */
int xylem_cli__end_find(struct xylem_cli *cli, struct xylem_cli__end *end, const char *spec,
                        const struct xylem_cli__end *other);
void xylem_cli__end_release(struct xylem_cli__end *end);

/* The entries common to both ends. */
struct xylem_cli__common {
    struct xylem_position shared; /* the newest entry on both paths, or none */
    struct xylem_position
        equal; /* the newest entry of the first path with the same history in the second path, or none */
    bool same; /* neither path has an entry beyond `equal` */
};

int xylem_cli__common_find(struct xylem_cli *cli, struct xylem_cli__common *common, struct xylem_position a,
                           struct xylem_position b);

/* Entries on both paths with different labels in the two sessions. The views belong to the ends. */
struct xylem_cli__labels_differ {
    struct xylem_view *ids; /* free in any case */
    size_t count;
};

/* Looks at common entries up to that depth. */
int xylem_cli__diff_labels(struct xylem_cli *cli, struct xylem_cli__labels_differ *differ,
                           const struct xylem_cli__end *a, const struct xylem_cli__end *b, uint64_t depth_max);
/* Appends how the states at both ends differ, for people or as members of a document. */
int xylem_cli__diff_states(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__end *a,
                           const struct xylem_cli__end *b, const struct xylem_cli__labels_differ *labels,
                           bool document);

#endif
