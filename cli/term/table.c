/* Prints tables with columns as wide as their cells, or as wide as the terminal allows. */
#include "cli/term/term.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 16u
#define GAP "  "
#define PIECE_BYTES 65536u /* bytes gathered before a write */

void xylem_cli__table_add(struct xylem_cli__table *table, struct xylem_view cell)
{
    xylem_cli__add_bytes(&table->bytes, cell.data, cell.bytes);
    int code = xylem_cli__list_add(NULL, &table->ends, &table->cell_count, &table->cell_capacity,
                                   &table->bytes.bytes.bytes, sizeof *table->ends);
    table->failed = table->failed || table->bytes.failed || code < 0;
}

void xylem_cli__table_end_cell(struct xylem_cli__table *table)
{
    table->failed = table->failed || table->cell.failed;
    xylem_cli__table_add(table, xylem_cli__text_view(&table->cell));
    xylem_cli__text_clear(&table->cell);
}

void xylem_cli__table_add_count(struct xylem_cli__table *table, uint64_t count)
{
    xylem_cli__add_count(&table->cell, count);
    xylem_cli__table_end_cell(table);
}

struct xylem_view xylem_cli__table_cell(const struct xylem_cli__table *table, size_t cell)
{
    assert(cell < table->cell_count);
    size_t begin = cell == 0 ? 0 : table->ends[cell - 1];
    const char *bytes = table->bytes.bytes.data;
    return (struct xylem_view){bytes ? bytes + begin : "", table->ends[cell] - begin};
}

void xylem_cli__table_release(struct xylem_cli__table *table)
{
    xylem_cli__text_release(&table->cell);
    xylem_cli__text_release(&table->bytes);
    free(table->ends);
    table->ends = NULL;
    table->cell_count = 0;
    table->cell_capacity = 0;
}

void xylem_cli__table_measure(const struct xylem_cli *cli, const struct xylem_cli__table *table, size_t *widths)
{
    memset(widths, 0, table->column_count * sizeof *widths);
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t *width = &widths[i % table->column_count];
        size_t cells = xylem_cli__cells(cli, xylem_cli__table_cell(table, i), SIZE_MAX);
        *width = *width < cells ? cells : *width;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        size_t title = strlen(table->columns[i].title);
        widths[i] = widths[i] > 0 && widths[i] < title ? title : widths[i];
    }
}

/*
 * Widens empty columns to their titles, and cuts columns until the table fits. The last columns are cut first, because
 * the first columns name the subject of a row.
 */
static void fit(const struct xylem_cli *cli, const struct xylem_cli__table *table, size_t *widths)
{
    size_t total = (table->column_count - 1) * strlen(GAP);
    for (size_t i = 0; i < table->column_count; i++) {
        widths[i] = widths[i] > 0 ? widths[i] : strlen(table->columns[i].title);
        total += widths[i];
    }
    for (size_t i = table->column_count; i > 0 && cli->width > 0 && total > cli->width; i--) {
        size_t least = table->columns[i - 1].cut_cells;
        if (least > 0 && widths[i - 1] > least) {
            size_t spare = widths[i - 1] - least;
            size_t taken = spare < total - cli->width ? spare : total - cli->width;
            widths[i - 1] -= taken;
            total -= taken;
        }
    }
}

/* Empty and usual values have no colour. */
static const char *color_of(const struct xylem_cli *cli, const struct xylem_cli__column *column, struct xylem_view cell)
{
    static const char *const quiet[] = {"", "-", "live", "leased", "off"};
    for (size_t i = 0; cli->colored && i < sizeof quiet / sizeof quiet[0]; i++) {
        if (xylem_base__view_is(cell, quiet[i])) {
            return NULL;
        }
    }
    return column->color;
}

/*
 * Adds the row that begins at the cell `row`; NULL: the titles. A row ends at the edge of the terminal, even if its
 * columns need more room, or an id pushes the columns to the right. Ids are not cut, because a cut id names nothing.
 */
static void add_row(const struct xylem_cli *cli, const struct xylem_cli__table *table, struct xylem_cli__text *line,
                    const size_t *widths, const size_t *row)
{
    size_t room = cli->width == 0 ? SIZE_MAX : cli->width;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct xylem_cli__column *column = &table->columns[i];
        struct xylem_view cell = row ? xylem_cli__table_cell(table, *row + i) : xylem_view_of(column->title);
        const char *color = row ? color_of(cli, column, cell) : cell.bytes > 0 ? XYLEM_CLI__DIM : NULL;
        bool whole = column->whole && row;
        size_t gap = i == 0 ? 0 : strlen(GAP);
        if (room <= gap) {
            break;
        }
        room -= gap;
        if (column->right && widths[i] > room) { /* a cut number is another number */
            break;
        }
        size_t width = widths[i] < room ? widths[i] : room;
        size_t filled = xylem_cli__cells(cli, cell, whole ? SIZE_MAX : width);
        if (i > 0 && filled > room) {
            break;
        }
        width = filled > width ? filled : width;
        xylem_cli__add_repeated(line, " ", gap);
        if (column->right) {
            xylem_cli__add_repeated(line, " ", width - filled);
        }
        /* the last column is not filled up, so that no line ends in blanks */
        xylem_cli__add_column(cli, line, cell, column->right || i + 1 == table->column_count ? filled : width, color);
        room -= width < room ? width : room;
    }
    xylem_cli__end_line(line);
}

int xylem_cli__table_put(struct xylem_cli *cli, struct xylem_cli__table *table)
{
    size_t widths[COLUMNS_MAX];
    struct xylem_cli__text lines = {0};
    if (table->failed || table->column_count > COLUMNS_MAX) {
        return xylem_cli__fail_memory(cli);
    }
    if (table->cell_count == 0) {
        return 0;
    }
    assert(table->cell_count % table->column_count == 0);
    xylem_cli__table_measure(cli, table, widths);
    fit(cli, table, widths);
    int code = 0;
    add_row(cli, table, &lines, widths, NULL);
    for (size_t i = 0; code == 0 && i < table->cell_count; i += table->column_count) {
        add_row(cli, table, &lines, widths, &i);
        if (lines.bytes.bytes >= PIECE_BYTES) {
            code = xylem_cli__put_unbroken(cli, &lines);
        }
    }
    code = code == 0 ? xylem_cli__put_unbroken(cli, &lines) : code;
    xylem_cli__text_release(&lines);
    return code;
}

int xylem_cli__table_put_part(struct xylem_cli *cli, const struct xylem_cli__table *table, const size_t *cells)
{
    struct xylem_cli__column *columns = calloc(table->column_count, sizeof *columns);
    struct xylem_cli__table part = {.columns = columns, .failed = table->failed || !columns};
    for (size_t i = 0; columns && i < table->column_count; i++) {
        if (cells[i] > 0) {
            columns[part.column_count++] = table->columns[i];
        }
    }
    for (size_t i = 0; i < table->cell_count; i++) {
        struct xylem_view cell = xylem_cli__table_cell(table, i);
        size_t most = cells[i % table->column_count];
        if (most == SIZE_MAX) {
            xylem_cli__table_add(&part, cell);
        } else if (most > 0) {
            xylem_cli__add_shown(cli, &part.cell, cell, XYLEM_CLI__ONE_LINE, most);
            xylem_cli__table_end_cell(&part);
        }
    }
    int code = xylem_cli__table_put(cli, &part);
    xylem_cli__table_release(&part);
    free(columns);
    return code;
}
