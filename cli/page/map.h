/* The tree of a page, drawn as an SVG of links to its entries. */
#ifndef XYLEM_CLI_PAGE_MAP_H
#define XYLEM_CLI_PAGE_MAP_H

#include "cli/page/html.h"
#include "cli/show/tree.h"

#define XYLEM_CLI__MAP_NODES_MAX 300u
#define XYLEM_CLI__MAP_LANES_MAX 12u

/* Appends the drawing. `family`: anchors have the branch. Errors: CORRUPT, MEMORY. */
int xylem_cli__html_map(struct xylem_cli *cli, struct xylem_cli__html *html, const struct xylem_cli__tree *tree,
                        bool family);

#endif
