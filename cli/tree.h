/* A session's entries as a tree in memory, and in which order and how far to the right they are drawn. */
#ifndef XYLEM_CLI_TREE_H
#define XYLEM_CLI_TREE_H

#include "cli/cli.h"

#define XYLEM_CLI__NO_NODE SIZE_MAX

struct xylem_cli__node {
    struct xylem_position position;
    struct xylem_position parent_position;
    size_t parent;      /* XYLEM_CLI__NO_NODE: a root */
    size_t first_child; /* children in the order in which they were appended */
    size_t next_sibling;
    size_t last_child;
    size_t main_child;               /* drawn below its parent; the others are drawn to the right */
    size_t newest;                   /* the newest node below it, itself included */
    const struct xylem_label *label; /* NULL: none */
    bool on_path;                    /* of the leaf */
};

/* The nodes stand in the order in which they were appended, so a parent stands before its children. */
struct xylem_cli__tree {
    struct xylem_cli__node *nodes;
    size_t count;
    size_t capacity;
    size_t leaf; /* XYLEM_CLI__NO_NODE: none */
    size_t base;
    size_t tip_count;
    struct xylem_labels labels;
};

int xylem_cli__tree_read(struct xylem_cli *cli, struct xylem_cli__tree *tree, const struct xylem_session *session);
void xylem_cli__tree_release(struct xylem_cli__tree *tree);
/* Has the node more than one child? */
bool xylem_cli__tree_forks(const struct xylem_cli__tree *tree, size_t node);

#endif
