/*
 * Encodes and decodes payloads of the format LINE: a line of another host's file, without the values of its holes. The
 * values stand beside the payload, and beside each copy that shares the payload:
 *
 *     the line    {"sessionId":"A","text":"hello","promptId":"7"}
 *     payload     | dialect u8 | 2 u8 | 14 varint | 27 varint | {"sessionId":"","text":"hello","promptId":""} |
 *     values      | 0 varint: the id of the session that reads | 2 varint | 7 |
 */
#ifndef XYLEM_FORMAT_HOLES_H
#define XYLEM_FORMAT_HOLES_H

#include "base/bytes.h"
#include "store/format/format.h"

/* A decoded payload. `at`: the places of the holes in the text, ascending; holes side by side have one place. */
struct xylem_format__holes {
    unsigned dialect;
    size_t count;
    size_t at[XYLEM_HOLES_MAX];
    struct xylem_view text;
};

#define XYLEM_FORMAT__FORM_RULE \
    "a dialect of at most 255, and at most 8 holes inside of the line, each behind the hole before"
/* True if the form keeps the rule. */
bool xylem_format__form_fits(const struct xylem_line_form *form, struct xylem_view line);

/* MALFORMED: the fields contradict each other. */
int xylem_format__holes_decode(struct xylem_format__holes *holes, struct xylem_view payload);

/*
 * Appends payload and values of a line; the values only if one of them is not empty. The holes lie in the line, one
 * behind the other. MEMORY.
 */
int xylem_format__holes_encode(struct xylem_buffer *payload, struct xylem_buffer *values, struct xylem_view line,
                               const struct xylem_line_form *form, struct xylem_view session_id);

/*
 * Reads one value for each hole: data NULL stands for the session's id. No bytes: each value is empty. MALFORMED:
 * another number of values.
 */
int xylem_format__values_decode(struct xylem_view values[XYLEM_HOLES_MAX], size_t count, struct xylem_view bytes);

/* Appends the whole line. MALFORMED (of both), MEMORY. */
int xylem_format__holes_fill(struct xylem_buffer *line, struct xylem_view payload, struct xylem_view values,
                             struct xylem_view session_id);

#endif
