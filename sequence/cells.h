/* Lines of text for people, counted in cells of a terminal, in every locale. */
#ifndef XYLEM_SEQUENCE_CELLS_H
#define XYLEM_SEQUENCE_CELLS_H

#include "xylem.h"

/*
 * A line under construction. Foreign text is shown like in error texts: control characters, and bytes that are not
 * UTF-8, become \xNN. A line of too many cells ends in an ellipsis, and takes no more text. Line feeds are control
 * characters here: the caller splits lines. The first failure stays, and later calls do nothing.
 */
struct xylem_sequence__line {
    struct xylem_buffer *text;
    bool ascii;
    size_t cells_max;
    size_t cells;
    size_t fit_bytes; /* the text up to here leaves a cell for the ellipsis */
    size_t fit_cells;
    bool cut;
    int code; /* 0 or XYLEM_E_MEMORY */
};

/* Begins a line at the end of `text`. Of `options` (NULL: the defaults) `cells` and `ascii` count. */
struct xylem_sequence__line xylem_sequence__line_begin(struct xylem_buffer *text,
                                                       const struct xylem_sequence_text_options *options);

void xylem_sequence__line_add(struct xylem_sequence__line *line, struct xylem_view text);
void xylem_sequence__line_say(struct xylem_sequence__line *line, const char *text);
__attribute__((format(printf, 2, 3))) void xylem_sequence__line_format(struct xylem_sequence__line *line,
                                                                       const char *format, ...);
/* Ends the line in an ellipsis, because of text that is left out. */
void xylem_sequence__line_cut(struct xylem_sequence__line *line);

/* The cells of one character: 0, 1 or 2. */
unsigned xylem_sequence__cells(uint32_t code_point);

/*
 * Splits off the first line of a text, without its line feed or its carriage return and line feed. True if a line feed
 * ended the line; then `rest` may be empty, and stands for an empty last line.
 */
bool xylem_sequence__first_line(struct xylem_view *line, struct xylem_view *rest, struct xylem_view text);

#endif
