/* Prints entries as lines of columns. */
#include "cli/show/entries.h"

#define ID_CELLS_MIN 13u    /* ids of so many cells are not cut, however narrow the terminal is */
#define SHORT_CELLS_MAX 24u /* of the column of cut ids; a longer id pushes the rest to the right */
#define WHO_CELLS 10u       /* the usual width of roles, which are not known before payloads are read */
#define WHO_CELLS_MAX 24u   /* a longer role pushes the rest to the right, and is cut only at the line's end */
#define SAID_CELLS 72u      /* if the width of a line is not known */
#define SAID_CELLS_MIN 12u  /* with less room the size is left out */
#define LABEL_CELLS_MAX 24u
#define LABEL_CELLS_MIN 8u
#define LARGE_BYTES 4096u /* payloads of this size show their size */

static size_t bounded(size_t value, size_t least, size_t most)
{
    return value < least ? least : value > most ? most : value;
}

static void widen(size_t *cells, size_t wanted)
{
    *cells = *cells > wanted ? *cells : wanted;
}

void xylem_cli__lines_measure(const struct xylem_cli *cli, struct xylem_cli__lines *lines,
                              const struct xylem_entry *entry)
{
    struct xylem_cli__text text = {0};
    widen(&lines->id_cells, xylem_cli__cells(cli, entry->id, SIZE_MAX));
    xylem_cli__add_kind(cli, &text, entry->kind);
    widen(&lines->who_cells, bounded(xylem_cli__cells(cli, xylem_cli__text_view(&text), WHO_CELLS_MAX), WHO_CELLS,
                                     cli->width == 0 || cli->width > 100 ? WHO_CELLS_MAX : 15));
    xylem_cli__text_clear(&text);
    xylem_cli__addf(&text, "%llu", (unsigned long long)entry->position.depth);
    widen(&lines->depth_cells, text.bytes.bytes);
    xylem_cli__text_clear(&text);
    xylem_cli__add_age(cli, &text, entry->time_ms);
    widen(&lines->age_cells, text.bytes.bytes);
    xylem_cli__text_release(&text);
}

bool xylem_cli__ids_fit(const struct xylem_cli *cli, size_t id_cells)
{
    return cli->width == 0 || id_cells <= ID_CELLS_MIN || id_cells <= cli->width / 4;
}

void xylem_cli__lines_shorten(const struct xylem_cli *cli, struct xylem_cli__lines *lines,
                              const struct xylem_cli__short_ids *short_ids)
{
    lines->short_ids = short_ids;
    lines->id_cells = xylem_cli__short_ids_cells(cli, short_ids, SHORT_CELLS_MAX);
}

size_t xylem_cli__add_marks(const struct xylem_cli *cli, struct xylem_cli__text *text,
                            const struct xylem_cli__lines *lines, const struct xylem_entry *entry)
{
    struct xylem_view label = {NULL, 0};
    size_t label_cells_max =
        cli->width == 0 ? LABEL_CELLS_MAX : bounded(cli->width / 5, LABEL_CELLS_MIN, LABEL_CELLS_MAX);
    size_t cells = 0;
    if (xylem_cli__position_equal(entry->position, lines->leaf)) {
        cells += 1 + xylem_cli__add_colored(cli, text, xylem_view_of("<leaf>"), XYLEM_CLI__GREEN);
        xylem_cli__add(text, " ");
    }
    if (lines->labels) {
        label = xylem_cli__label_text(lines->labels, entry->id);
    }
    if (label.data) {
        xylem_cli__color_on(cli, text, XYLEM_CLI__MAGENTA);
        xylem_cli__add(text, "[");
        cells += 3 + xylem_cli__add_shown(cli, text, label, XYLEM_CLI__ONE_LINE, label_cells_max);
        xylem_cli__add(text, "]");
        xylem_cli__color_off(cli, text, XYLEM_CLI__MAGENTA);
        xylem_cli__add(text, " ");
    }
    return cells;
}

/* Adds `enabled is not a boolean: ` (the remark), the summary and the size of a large payload, in `left` cells. */
static void add_rest(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__lines *lines,
                     const struct xylem_entry *entry, const struct xylem_cli__said *said, size_t left)
{
    struct xylem_cli__text size = {0};
    size_t reserved = 0;
    if (lines->remark && left >= 2) {
        xylem_cli__color_on(cli, text, XYLEM_CLI__RED);
        left -= xylem_cli__add_shown(cli, text, xylem_view_of(lines->remark), XYLEM_CLI__ONE_LINE, left);
        xylem_cli__color_off(cli, text, XYLEM_CLI__RED);
        xylem_cli__add(text, left < SAID_CELLS_MIN ? "" : ": ");
        left -= left < SAID_CELLS_MIN ? left : 2;
    }
    if (entry->payload_bytes >= LARGE_BYTES) {
        xylem_cli__add(&size, "  ");
        xylem_cli__add_size(&size, entry->payload_bytes);
        reserved = left < size.bytes.bytes + SAID_CELLS_MIN ? 0 : size.bytes.bytes;
    }
    if (left > reserved) {
        xylem_cli__add_said_line(cli, text, said, left - reserved);
    }
    if (reserved > 0) {
        xylem_cli__add_colored(cli, text, xylem_cli__text_view(&size), XYLEM_CLI__DIM);
    }
    xylem_cli__part_end(text, &size);
}

int xylem_cli__add_entry_line(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__lines *lines,
                              const struct xylem_entry *entry, size_t before)
{
    struct xylem_cli__said said;
    struct xylem_cli__text when = {0};
    struct xylem_cli__text who = {0};
    int code = xylem_cli__said_read(cli, &said, entry);
    if (code == 0) {
        xylem_cli__addf(text, "%*llu  ", (int)lines->depth_cells, (unsigned long long)entry->position.depth);
        size_t used = before + lines->depth_cells + 8;
        used += xylem_cli__add_id_column(cli, text, lines->short_ids, entry->id, lines->id_cells);
        xylem_cli__add(text, "  ");
        xylem_cli__add_when(cli, &when, entry->time_ms);
        size_t cells = when.bytes.bytes;
        size_t width = cli->width == 0 || cells > lines->age_cells ? cells : lines->age_cells;
        xylem_cli__add_repeated(text, " ", width - cells);
        xylem_cli__add_colored(cli, text, xylem_cli__text_view(&when), XYLEM_CLI__DIM);
        xylem_cli__add(text, "  ");
        used += width;
        xylem_cli__add_who(cli, &who, &said);
        cells = xylem_cli__cells(cli, xylem_cli__text_view(&who), WHO_CELLS_MAX);
        width = cells > lines->who_cells && said.message ? cells : lines->who_cells;
        xylem_cli__add_column(cli, text, xylem_cli__text_view(&who), width, xylem_cli__who_color(&said));
        xylem_cli__add(text, "  ");
        used += width;
        used += xylem_cli__add_marks(cli, text, lines, entry);
        size_t left = cli->width == 0 ? SAID_CELLS : cli->width > used ? cli->width - used : 0;
        add_rest(cli, text, lines, entry, &said, left);
        xylem_cli__end_line(text);
    }
    xylem_cli__part_end(text, &when);
    xylem_cli__part_end(text, &who);
    xylem_cli__said_release(&said);
    return code;
}
