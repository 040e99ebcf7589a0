/* Holds the entries of a session as a tree in memory, chooses the drawn entries, and draws them. */
#ifndef XYLEM_CLI_SHOW_TREE_H
#define XYLEM_CLI_SHOW_TREE_H

#include "cli/show/show.h"
#include "xylem/branch.h"

#define XYLEM_CLI__NO_NODE SIZE_MAX

/* Kinds of entries that a folded tree shows. */
enum xylem_cli__role {
    XYLEM_CLI__ROLE_NONE,
    XYLEM_CLI__ROLE_COMPACTION, /* the host replaced earlier entries by a summary */
    XYLEM_CLI__ROLE_CHANGE      /* of the state: of readonly, or of the sequence */
};

struct xylem_cli__node {
    struct xylem_position position;
    struct xylem_position parent_position;
    uint64_t lsn;
    size_t parent;      /* XYLEM_CLI__NO_NODE: a root */
    size_t first_child; /* children in the order of appending */
    size_t next_sibling;
    size_t last_child;
    size_t main_child;               /* drawn below its parent; other children are drawn to the right */
    size_t newest;                   /* the newest node below, itself included */
    const struct xylem_label *label; /* NULL: none */
    enum xylem_cli__role role;
    bool on_path; /* of the leaf */
    bool of_time; /* within the filter's times */
    bool matches; /* the filter; true without a filter */
};

/* The entries that the user asks for. */
struct xylem_cli__filter {
    struct xylem_cli__kinds *kinds;
    bool timed; /* one of the times is given */
    int64_t since_ms;
    int64_t until_ms;
};

struct xylem_cli__tree_place {
    struct xylem_position position;
    size_t node;
};

/* Nodes in the order of appending: a parent comes before its children. */
struct xylem_cli__tree {
    struct xylem_cli__node *nodes;
    size_t count;
    size_t capacity;
    struct xylem_cli__tree_place *places; /* of the nodes, sorted */
    size_t leaf;                          /* XYLEM_CLI__NO_NODE: none */
    size_t base;
    size_t tip_count;
    struct xylem_labels labels;
};

/*
 * Reads the session's tree, or the part of the tree from an entry on, and notes in `filter` the kinds found. Release in
 * any case.
 */
int xylem_cli__tree_read(struct xylem_cli *cli, struct xylem_cli__tree *tree, const struct xylem_session *session,
                         struct xylem_position from, struct xylem_cli__filter *filter);
/*
 * Reads the entries of several sessions, each entry once. Leaf, base and labels are those of the first session. Release
 * in any case.
 */
int xylem_cli__tree_read_sessions(struct xylem_cli *cli, struct xylem_cli__tree *tree,
                                  const struct xylem_session *sessions, size_t count, struct xylem_cli__filter *filter);
/* The node of the entry at a position, or XYLEM_CLI__NO_NODE. */
size_t xylem_cli__tree_at(const struct xylem_cli__tree *tree, struct xylem_position position);
void xylem_cli__tree_release(struct xylem_cli__tree *tree);
/* True if the node has more than one child. */
bool xylem_cli__tree_forks(const struct xylem_cli__tree *tree, size_t node);

/* --- The choice of entries (tree_fold.c) -------------------------------------------------------------------------- */

/* Counts of a part of the tree. */
enum xylem_cli__content {
    XYLEM_CLI__ENTRIES,
    XYLEM_CLI__TIPS,
    XYLEM_CLI__ROOTS,
    XYLEM_CLI__LABELS,
    XYLEM_CLI__COMPACTIONS,
    XYLEM_CLI__CHANGES,
    XYLEM_CLI__CONTENT_COUNT
};

struct xylem_cli__contents {
    size_t of[XYLEM_CLI__CONTENT_COUNT];
};

struct xylem_cli__fold {
    bool *kept;                           /* the node is drawn */
    size_t *top;                          /* the first drawn node at or below the node, or XYLEM_CLI__NO_NODE */
    struct xylem_cli__contents *contents; /* of the node and everything below */
    size_t kept_count;
    bool limited; /* more room would draw more */
    bool exact;   /* every node that is not kept is folded, even a single entry */
};

/*
 * Chooses the drawn nodes, at most `line_max` lines: with `all` of everything that the filter lets through, else of the
 * remarkable nodes. A node with drawn nodes below two of its children is drawn too. Release in any case.
 */
int xylem_cli__fold_choose(struct xylem_cli *cli, struct xylem_cli__fold *fold, const struct xylem_cli__tree *tree,
                           const struct xylem_cli__filter *filter, bool all, size_t line_max);
void xylem_cli__fold_release(struct xylem_cli__fold *fold);

/* --- The order of drawing (tree_walk.c) --------------------------------------------------------------------------- */

/* What a drawing shows next: folded entries, an entry, or both. */
struct xylem_cli__stop {
    size_t node;   /* the drawn entry; XYLEM_CLI__NO_NODE: none, but folded entries below `parent` */
    size_t parent; /* the drawn entry above; XYLEM_CLI__NO_NODE: none */
    size_t level;  /* how many branches to the right */
    bool starts;   /* the first of its branch, one level to the right of `parent` */
    struct xylem_cli__contents folded; /* between `parent` and `node` */
    size_t folded_node;                /* one of the folded entries, if there are any */
};

/*
 * Visits from top to bottom. Branches beyond `level_max` count as folded. An answer other than 0 ends the walk, and is
 * the result. Errors: MEMORY.
 */
int xylem_cli__tree_walk(struct xylem_cli *cli, const struct xylem_cli__tree *tree, const struct xylem_cli__fold *fold,
                         size_t level_max, int (*visit)(void *context, const struct xylem_cli__stop *stop),
                         void *context);

/* --- Drawing (tree_draw.c) -------------------------------------------------------------------------------------- */

/* `session` is the number of the tree's session. */
int xylem_cli__tree_draw(struct xylem_cli *cli, const struct xylem_cli__tree *tree, const struct xylem_cli__fold *fold,
                         uint64_t session);

#endif
