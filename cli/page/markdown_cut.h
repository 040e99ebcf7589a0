/* Cuts Markdown into pieces that are cheap to parse. */
#ifndef XYLEM_CLI_PAGE_MARKDOWN_CUT_H
#define XYLEM_CLI_PAGE_MARKDOWN_CUT_H

#include "xylem/base.h"

/*
 * Some texts take the parser the square of their length. This bound makes 640 small texts of a slow text of 10 MB. The
 * slowest known text, a table of empty cells, takes 12 ms.
 */
#define XYLEM_CLI__MARKDOWN_PIECE_MAX 16384u

/* Gives the bytes of the first piece of a text that is not empty: whole blocks. A longer piece is one long block. */
size_t xylem_cli__markdown_cut(struct xylem_view text);

#endif
