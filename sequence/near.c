#include "sequence/near.h"

#include <assert.h>

#define TOO_MANY (XYLEM_SEQUENCE__EDITS_MAX + 1)

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * A row of the table of distances between the beginnings of `a` (one row for each) and of `b` (one column for each).
 * Cells beyond EDITS_MAX columns from the diagonal are TOO_MANY, and are not computed.
 */
struct row {
    size_t cells[XYLEM_COMMAND_NAME_BYTES_MAX + 1];
};

size_t xylem_sequence__edits(struct xylem_view a, struct xylem_view b)
{
    assert(a.bytes <= XYLEM_COMMAND_NAME_BYTES_MAX && b.bytes <= XYLEM_COMMAND_NAME_BYTES_MAX);
    size_t longer = a.bytes > b.bytes ? a.bytes - b.bytes : b.bytes - a.bytes;
    struct row rows[3];
    if (longer > XYLEM_SEQUENCE__EDITS_MAX) {
        return TOO_MANY;
    }
    for (size_t j = 0; j <= b.bytes; j++) {
        rows[0].cells[j] = least(j, TOO_MANY);
    }
    size_t smallest = 0;
    for (size_t i = 1; i <= a.bytes; i++) {
        struct row *row = &rows[i % 3];
        const struct row *above = &rows[(i + 2) % 3];
        const struct row *two_above = &rows[(i + 1) % 3];
        size_t smallest_above = smallest;
        size_t first = i > XYLEM_SEQUENCE__EDITS_MAX ? i - XYLEM_SEQUENCE__EDITS_MAX : 1;
        size_t last = least(b.bytes, i + XYLEM_SEQUENCE__EDITS_MAX);
        smallest = row->cells[first - 1] = first == 1 ? i : TOO_MANY;
        for (size_t j = first; j <= last; j++) {
            size_t cell = above->cells[j - 1] + (a.data[i - 1] == b.data[j - 1] ? 0 : 1);
            cell = least(cell, least(above->cells[j], row->cells[j - 1]) + 1);
            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1]) {
                cell = least(cell, two_above->cells[j - 2] + 1);
            }
            row->cells[j] = least(cell, TOO_MANY);
            smallest = least(smallest, row->cells[j]);
        }
        if (last < b.bytes) {
            row->cells[last + 1] = TOO_MANY; /* the next row looks one column further */
        }
        if (smallest == TOO_MANY && smallest_above == TOO_MANY) {
            return TOO_MANY; /* a swap reaches back over one row, not over two */
        }
    }
    return rows[a.bytes % 3].cells[b.bytes];
}
