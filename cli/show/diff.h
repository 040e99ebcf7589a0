/* What the files of `xylem diff` share. */
#ifndef XYLEM_CLI_SHOW_DIFF_H
#define XYLEM_CLI_SHOW_DIFF_H

#include "cli/show/entries.h"

/* One of the two that are compared. */
struct xylem_cli__end {
    struct xylem_session session;
    struct xylem_position position; /* none: the session's leaf is none */
    struct xylem_labels labels;     /* of the session, sorted */
};

/*
 * The end that is meant: `SESSION` (its leaf), `SESSION:ENTRY`, `:ENTRY` (of the session of `other`, which may be NULL),
 * or an entry's id or label that leads to one position over all live sessions. What is exact wins over beginnings.
 */
int xylem_cli__end_find(struct xylem_cli *cli, struct xylem_cli__end *end, const char *spec,
                        const struct xylem_cli__end *other);
void xylem_cli__end_release(struct xylem_cli__end *end);

/* What two ends have in common. */
struct xylem_cli__common {
    struct xylem_position shared; /* the newest entry that lies on both paths, or none */
    struct xylem_position equal;  /* the newest entry of the first path whose history the second one has too, or none */
    bool same;                    /* nothing is there beyond it */
};

int xylem_cli__common_find(struct xylem_cli *cli, struct xylem_cli__common *common, struct xylem_position a,
                           struct xylem_position b);

/* Entries that both have and that are labelled otherwise in the other session. The ids are the ends'. */
struct xylem_cli__labels_differ {
    struct xylem_view *ids; /* to be freed in any case */
    size_t count;
};

/* Looks at entries up to that depth, which both paths have in common. */
int xylem_cli__diff_labels(struct xylem_cli *cli, struct xylem_cli__labels_differ *differ,
                           const struct xylem_cli__end *a, const struct xylem_cli__end *b, uint64_t depth_max);
/* Appends how the states at both ends differ, for people or as members of a document. */
int xylem_cli__diff_states(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__end *a,
                           const struct xylem_cli__end *b, const struct xylem_cli__labels_differ *labels,
                           bool document);

#endif
