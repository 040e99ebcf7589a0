/* Prints a command with a line of `^` under the deciding part. */
#include "cli/term/term.h"

#include <assert.h>

#define INDENT "  "
#define INDENT_CELLS 2u
#define ROW_CELLS_MIN 16u
#define ROWS_AROUND 2u     /* rows shown before and behind the underlined part */
#define ROWS_UNDERLINED 8u /* rows shown of the underlined part; further rows are left out */

/* A line of the command, or a part of a line that fits. */
struct row {
    size_t begin;
    size_t end;
    size_t next; /* where the next row begins, behind the newline */
};

struct drawing {
    const struct xylem_cli *cli;
    struct xylem_cli__text *text;
    struct xylem_view command;
    size_t begin; /* of the underlined part */
    size_t end;
    const char *color;
};

static struct row row_at(const struct drawing *drawing, size_t begin)
{
    size_t width = drawing->cli->width;
    size_t room = width == 0 ? SIZE_MAX : width < ROW_CELLS_MIN + INDENT_CELLS ? ROW_CELLS_MIN : width - INDENT_CELLS;
    struct row row = {begin, begin, begin};
    size_t cells = 0;
    while (row.end < drawing->command.bytes && drawing->command.data[row.end] != '\n') {
        const char *at = drawing->command.data + row.end;
        size_t bytes = xylem_base__wtf8_decode(NULL, at, drawing->command.bytes - row.end);
        bytes = bytes > 0 ? bytes : 1; /* a byte outside of UTF-8 counts as a character */
        size_t wanted = xylem_cli__cells(drawing->cli, (struct xylem_view){at, bytes}, SIZE_MAX);
        if (room - cells < wanted) {
            break;
        }
        cells += wanted;
        row.end += bytes;
    }
    row.next = row.end < drawing->command.bytes && drawing->command.data[row.end] == '\n' ? row.end + 1 : row.end;
    return row;
}

static void add_part(const struct drawing *drawing, size_t begin, size_t end, const char *color)
{
    if (begin < end) {
        xylem_cli__add_colored(drawing->cli, drawing->text,
                               (struct xylem_view){drawing->command.data + begin, end - begin}, color);
    }
}

static size_t cells_of(const struct drawing *drawing, size_t begin, size_t end)
{
    return xylem_cli__cells(drawing->cli, (struct xylem_view){drawing->command.data + begin, end - begin}, SIZE_MAX);
}

static bool is_underlined(const struct drawing *drawing, const struct row *row)
{
    return drawing->begin < drawing->end && drawing->begin < row->next && drawing->end > row->begin;
}

static void add_row(const struct drawing *drawing, const struct row *row)
{
    size_t begin = drawing->begin < row->begin ? row->begin : xylem_cli__least(drawing->begin, row->end);
    size_t end = xylem_cli__least(drawing->end, row->end);
    xylem_cli__add(drawing->text, INDENT);
    if (!is_underlined(drawing, row)) {
        add_part(drawing, row->begin, row->end, NULL);
        xylem_cli__end_line(drawing->text);
        return;
    }
    end = end < begin ? begin : end;
    add_part(drawing, row->begin, begin, NULL);
    add_part(drawing, begin, end, drawing->color);
    add_part(drawing, end, row->end, NULL);
    xylem_cli__end_line(drawing->text);
    if (begin == end && row->begin < row->end) {
        return; /* the underlined part has only the newline here */
    }
    size_t cells = cells_of(drawing, begin, end);
    xylem_cli__add(drawing->text, INDENT);
    xylem_cli__add_repeated(drawing->text, " ", cells_of(drawing, row->begin, begin));
    xylem_cli__color_on(drawing->cli, drawing->text, drawing->color);
    xylem_cli__add_repeated(drawing->text, "^", cells == 0 ? 1 : cells);
    xylem_cli__color_off(drawing->cli, drawing->text, drawing->color);
    xylem_cli__add(drawing->text, "\n");
}

void xylem_cli__add_underlined(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view command,
                               size_t offset, size_t bytes, const char *color)
{
    struct drawing drawing = {cli, text, command, offset, offset + bytes, color};
    size_t before = 0;     /* rows before the underlined part */
    size_t underlined = 0; /* rows of the underlined part */
    size_t number = 0;
    bool left_out = false;
    assert(offset <= command.bytes && bytes <= command.bytes - offset);
    for (size_t at = 0; at < command.bytes;) {
        struct row row = row_at(&drawing, at);
        bool is_in = is_underlined(&drawing, &row);
        underlined += is_in;
        before += !is_in && underlined == 0;
        at = row.next;
    }
    before = underlined == 0 ? 0 : before;
    for (size_t at = 0; at < command.bytes; number++) {
        struct row row = row_at(&drawing, at);
        size_t behind = before + underlined;
        bool shown = number + ROWS_AROUND >= before && number < behind + ROWS_AROUND &&
                     (number < before + ROWS_UNDERLINED || number + 1 >= behind);
        if (shown) {
            add_row(&drawing, &row);
        } else if (!left_out) {
            xylem_cli__add(text, INDENT "...\n");
        }
        left_out = !shown;
        at = row.next;
    }
}
