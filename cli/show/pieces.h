/* Prints the pieces of the state. The library makes the words. */
#ifndef XYLEM_CLI_SHOW_PIECES_H
#define XYLEM_CLI_SHOW_PIECES_H

#include "cli/show/show.h"
#include "xylem/state.h"

/* How to print words. */
struct xylem_cli__look {
    bool plain;                  /* no colours, and counts without separators: for a table, which colours whole cells */
    bool raw;                    /* foreign text unescaped: the table escapes its cells */
    enum xylem_cli__shape shape; /* how to escape foreign text, unless `raw` */
    size_t cells;                /* foreign text is cut to so many cells */
};

/* Appends a word. An entry becomes its id, a break nothing. */
void xylem_cli__add_word(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_word *word,
                         const struct xylem_cli__look *look);
/* Appends all words of a piece. */
void xylem_cli__add_piece(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_state *state,
                          unsigned piece, const struct xylem_words_options *options,
                          const struct xylem_cli__look *look);
/* Appends `2. [x] text`; `index` is the part's own. */
void xylem_cli__add_part(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_part *part,
                         size_t index, size_t cells);
/* The colour of a tone; NULL: none. */
const char *xylem_cli__tone_color(enum xylem_tone tone);
/* Appends the members of a piece. */
void xylem_cli__json_piece(struct xylem_cli__text *text, const struct xylem_state *state, unsigned piece,
                           enum xylem_detail detail);

#endif
