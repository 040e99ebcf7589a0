/* A kept line of a session file, as pieces against the bytes that its record has anyway. */
#ifndef XYLEM_FORMAT_SPELLING_H
#define XYLEM_FORMAT_SPELLING_H

#include "store/format/format.h"

/*
 * A line in another spelling than rendering's repeats the payload. So a record keeps only what the line has beside it:
 *
 *     | 4 * bytes of the line + spaces, varint | piece | piece | ...
 *     a piece: | n varint | n new bytes | step varint | m varint |    the last piece may end behind the new bytes
 *
 * A piece adds new bytes, then a copy of m bytes of the source: the words, which are a text with id and time and spaces
 * around `:` and `,` (1: before, 2: behind), and the payload behind the words. A copy lies in one of the two. The step
 * leads from the end of the copy before, at first from 0, to the copy: 2k is k forward, 2k - 1 is k back.
 */
struct xylem_format__spelt {
    struct xylem_view id;
    int64_t time_ms;
    struct xylem_view payload; /* of any format, as the record has the payload */
};

/* Appends the pieces of a line: at most XYLEM_FORMAT__SPELLING_BYTES more than the line. Errors: MEMORY. */
#define XYLEM_FORMAT__SPELLING_BYTES 10u
int xylem_format__spelling_encode(struct xylem_buffer *pieces, const struct xylem_format__spelt *entry,
                                  struct xylem_view line);

/* Appends the line of the pieces. Errors: CORRUPT (without a text; nothing is appended), MEMORY. */
int xylem_format__spelling_decode(struct xylem_buffer *line, const struct xylem_format__spelt *entry,
                                  struct xylem_view pieces);

#endif
