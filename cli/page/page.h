/*
 * cli/page/ writes entries as HTML that runs nothing of an entry, and as Markdown that nothing of an entry breaks out of.
 * What is shown of an entry, a tree and a state is made in cli/show/ and in the library: passages, nodes and words. The
 * terminal, HTML and Markdown paint them, each in its own way.
 * cli/page/ finds no session and opens no file but the script of highlight.js.
 * Begin reading at html.h, then xylem_cli__html_entry().
 * Other rooms may include: html.h map.h page.h review.h shell.h
 */
#ifndef XYLEM_CLI_PAGE_PAGE_H
#define XYLEM_CLI_PAGE_PAGE_H

#include "cli/page/html.h"
#include "cli/show/entries.h"

/* What stands beside an entry of a page. */
struct xylem_cli__beside {
    bool family;                         /* the anchor has the branch, too */
    struct xylem_view label;             /* data NULL: none */
    const struct xylem_cli__text *state; /* HTML of the changes of the state at the entry, for a `p`; NULL: none */
    bool is_leaf;
};

/* What a page could not show whole. */
struct xylem_cli__page_cuts {
    uint64_t image_count; /* images that are no image of a known format, or beyond the limit */
    uint64_t image_bytes;
    uint64_t text_count;     /* texts cut for their length */
    uint64_t text_bytes;     /* cut away */
    uint64_t markdown_count; /* texts shown as they are, because their Markdown costs too much */
};

/* Writes an entry as an `article`. Errors: CORRUPT, MEMORY, and those of the page's output. */
int xylem_cli__html_entry(struct xylem_cli *cli, struct xylem_cli__html *html, struct xylem_cli__page_cuts *cuts,
                          const struct xylem_entry *entry, const struct xylem_cli__beside *beside);

#endif
