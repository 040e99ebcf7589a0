/* Pieces of the state in words: the library says them, this prints them. */
#ifndef XYLEM_CLI_SHOW_PIECES_H
#define XYLEM_CLI_SHOW_PIECES_H

#include "cli/show/show.h"

/* How words are printed. */
struct xylem_cli__look {
    bool plain; /* no colours, and counts without separators: a cell of a table, which is coloured as a whole */
    bool raw;   /* foreign text as it is: the table escapes it */
    enum xylem_cli__shape shape; /* else so */
    size_t cells;                /* and cut to so many */
};

/* Appends a word that is neither an entry nor a break; of an entry its id, of a break nothing. */
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
/* Appends a piece's JSON. */
void xylem_cli__json_piece(struct xylem_cli__text *text, const struct xylem_state *state, unsigned piece,
                           enum xylem_detail detail);

#endif
