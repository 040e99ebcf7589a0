/* xylem moves: lists the navigations of a session, newest first. */
#include "cli/cli.h"
#include "cli/show/entries.h"
#include "xylem/branch.h"

#include <stdio.h>
#include <string.h>

struct moves_options {
    struct xylem_cli__count count;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option moves_table[] = {
    {"number", 'n', "N", XYLEM_CLI__COUNT, offsetof(struct moves_options, count), "at most N navigations, the newest",
     NULL},
    XYLEM_CLI__FORM_ROWS(struct moves_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* The summary of an entry stands behind its id. */
enum { NAME, AGE, FROM, FROM_SAYS, TO, TO_SAYS, REASON, COLUMN_COUNT };

static const struct xylem_cli__column columns[COLUMN_COUNT] = {
    [NAME] = {"NAME", false, 0, NULL, false},
    [AGE] = {"AGE", true, 0, XYLEM_CLI__DIM, false},
    [FROM] = {"FROM", false, 0, XYLEM_CLI__YELLOW, true},
    [FROM_SAYS] = {"", false, 0, NULL, false},
    [TO] = {"TO", false, 0, XYLEM_CLI__YELLOW, true},
    [TO_SAYS] = {"", false, 0, NULL, false},
    [REASON] = {"REASON", false, 0, XYLEM_CLI__MAGENTA, false},
};

/* The columns of text share the remaining room. If room is short, the first column is left out first. */
static const size_t texts[] = {FROM_SAYS, TO_SAYS, REASON};
#define TEXT_COUNT (sizeof texts / sizeof texts[0])
#define TEXT_CELLS_MAX 72u
#define TEXT_CELLS_MIN 12u /* a text of fewer cells is not worth showing */

struct listing {
    const struct moves_options *given;
    struct xylem_session session;
    struct xylem_cli__short_ids short_ids; /* empty: ids are shown whole */
    struct xylem_cli__table table;         /* with the texts uncut */
    struct xylem_cli__text text;
    struct xylem_cli__documents documents;
};

/* --- For programs ------------------------------------------------------------------------------------------------- */

static int print_json(struct xylem_cli *cli, struct listing *listing, const struct xylem_move *move, const char *name)
{
    struct xylem_cli__text *text = &listing->text;
    struct xylem_view from;
    struct xylem_view to;
    int code = xylem_cli__entry_id(cli, &from, move->from);
    if (code != 0 || (code = xylem_cli__entry_id(cli, &to, move->to)) != 0) {
        return code;
    }
    xylem_cli__json_document(text);
    xylem_cli__member_count(text, "number", move->number);
    xylem_cli__member_string(text, "name", xylem_view_of(name));
    xylem_cli__member_time(text, "time", move->time_ms);
    xylem_cli__member_maybe(text, "from", from);
    xylem_cli__member_maybe(text, "to", to);
    xylem_cli__member_string(text, "reason", move->reason);
    xylem_cli__json_end(text, '}');
    return xylem_cli__documents_put(cli, &listing->documents, text);
}

/* --- For people --------------------------------------------------------------------------------------------------- */

/* Adds two cells: the id, and the summary of the entry. */
static int add_end(struct xylem_cli *cli, struct listing *listing, struct xylem_position position)
{
    struct xylem_cli__table *table = &listing->table;
    struct xylem_entry entry;
    bool colored = cli->colored;
    if (xylem_cli__position_none(position)) {
        xylem_cli__table_add(table, xylem_view_of("none"));
        xylem_cli__table_add(table, xylem_view_of(""));
        return 0;
    }
    int code = xylem_cli__entry_read(cli, &entry, position);
    if (code == 0) {
        xylem_cli__table_add(table, xylem_cli__short_id(&listing->short_ids, entry.id));
        cli->colored = false; /* the table colours its cells */
        code = xylem_cli__add_summary(cli, &table->cell, &entry, TEXT_CELLS_MAX);
        cli->colored = colored;
        xylem_cli__table_end_cell(table);
    }
    return code;
}

static int add_row(struct xylem_cli *cli, struct listing *listing, const struct xylem_move *move, const char *name)
{
    struct xylem_cli__table *table = &listing->table;
    xylem_cli__table_add(table, xylem_view_of(name));
    xylem_cli__add_when(cli, &table->cell, move->time_ms);
    xylem_cli__table_end_cell(table);
    int code = add_end(cli, listing, move->from);
    if (code == 0) {
        code = add_end(cli, listing, move->to);
    }
    xylem_cli__add_shown(cli, &table->cell, move->reason, XYLEM_CLI__ONE_LINE, TEXT_CELLS_MAX);
    xylem_cli__table_end_cell(table);
    return code;
}

/* Returns the room for all texts, and their number; the first texts are left out if the room is too small. */
static size_t texts_open(const struct xylem_cli *cli, size_t widths[COLUMN_COUNT], size_t *room)
{
    size_t taken = widths[NAME] + widths[AGE] + widths[FROM] + widths[TO] + 2 * 3;
    size_t least[TEXT_COUNT];
    size_t needed = 0;
    size_t open = 0;
    *room = cli->width == 0 ? SIZE_MAX : cli->width > taken ? cli->width - taken : 0;
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        size_t width = widths[texts[i]];
        least[i] = width == 0 ? 0 : 2 + (width < TEXT_CELLS_MIN ? width : TEXT_CELLS_MIN);
        needed += least[i];
        open += width > 0;
    }
    for (size_t i = 0; i < TEXT_COUNT && needed > *room; i++) {
        needed -= least[i];
        open -= widths[texts[i]] > 0;
        widths[texts[i]] = 0;
    }
    return open;
}

/*
 * Prints the columns that have a value, and shares the room among the texts. A text shorter than an equal share leaves
 * the rest to the other texts. Width 0: the column is left out.
 */
static int put_table(struct xylem_cli *cli, const struct xylem_cli__table *table)
{
    struct xylem_cli__column titled[COLUMN_COUNT];
    struct xylem_cli__table shown = *table;
    size_t widths[COLUMN_COUNT];
    bool given[TEXT_COUNT] = {false};
    size_t room = 0;
    memcpy(titled, columns, sizeof titled);
    titled[AGE].title = cli->width == 0 ? "TIME" : "AGE";
    shown.columns = titled;
    xylem_cli__table_measure(cli, table, widths);
    size_t open = texts_open(cli, widths, &room);
    for (size_t i = 0; i < TEXT_COUNT && open > 0;) {
        size_t width = widths[texts[i]];
        bool fits = width > 0 && !given[i] && width + 2 <= room / open;
        if (fits) {
            given[i] = true;
            room -= width + 2;
            open--;
        }
        i = fits ? 0 : i + 1; /* the share of the other texts has grown */
    }
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        if (widths[texts[i]] > 0 && !given[i]) {
            widths[texts[i]] = room / open - 2;
        }
    }
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        bool is_text = i == FROM_SAYS || i == TO_SAYS || i == REASON;
        widths[i] = widths[i] > 0 && !is_text ? SIZE_MAX : widths[i];
    }
    return xylem_cli__table_put_part(cli, &shown, widths);
}

/* --- Both --------------------------------------------------------------------------------------------------------- */

/* If whole ids do not fit, cuts ids to their shortest unique beginnings. */
static int shorten_ids(struct xylem_cli *cli, struct listing *listing, uint64_t count)
{
    bool fit = true;
    int code = 0;
    for (uint64_t i = 0; code == 0 && fit && i < count; i++) {
        struct xylem_move move;
        struct xylem_view ids[2];
        code = xylem_cli__move_read(cli, &move, listing->session.number, listing->session.move_count - i);
        if (code == 0 && (code = xylem_cli__entry_id(cli, &ids[0], move.from)) == 0) {
            code = xylem_cli__entry_id(cli, &ids[1], move.to);
        }
        for (size_t end = 0; code == 0 && end < 2; end++) {
            fit = fit && (!ids[end].data || xylem_cli__ids_fit(cli, xylem_cli__cells(cli, ids[end], SIZE_MAX)));
        }
    }
    return code != 0 || fit ? code
                            : xylem_cli__short_ids_add_entries(cli, &listing->short_ids, listing->session.number);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct listing listing = {.given = options, .table = {.columns = columns, .column_count = COLUMN_COUNT}};
    struct xylem_cli__count limit = listing.given->count;
    int code = xylem_cli__documents_start(cli, &listing.documents, listing.given->form, "moves");
    if (code != 0 || (code = xylem_cli__open_paged(cli, !listing.documents.wanted)) != 0 ||
        (code = xylem_cli__session(cli, &listing.session, arguments[0])) != 0) {
        return code;
    }
    uint64_t all = listing.session.move_count;
    uint64_t count = limit.given && limit.number < all ? limit.number : all;
    code = listing.documents.wanted ? 0 : shorten_ids(cli, &listing, count);
    for (uint64_t i = 0; code == 0 && i < count; i++) {
        struct xylem_move move;
        char name[32];
        snprintf(name, sizeof name, "@{%llu}", (unsigned long long)i + 1);
        code = xylem_cli__move_read(cli, &move, listing.session.number, all - i);
        if (code == 0) {
            code =
                listing.documents.wanted ? print_json(cli, &listing, &move, name) : add_row(cli, &listing, &move, name);
        }
    }
    if (code == 0 && listing.documents.wanted) {
        code = xylem_cli__documents_end(cli, &listing.documents);
    } else if (code == 0 && count > 0) {
        code = put_table(cli, &listing.table);
    } else if (code == 0 && all == 0) {
        xylem_cli__note(cli, "the leaf of the session was never moved");
    }
    xylem_cli__short_ids_release(&listing.short_ids);
    xylem_cli__text_release(&listing.text);
    xylem_cli__table_release(&listing.table);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_moves = {
    .name = "moves",
    .group = XYLEM_CLI__PLUMBING,
    .summary = "List the navigations of a session, newest first",
    .usage = "SESSION [-n N] [--json|--jsonl]",
    .details =
        "FROM is the leaf before the move; NAME can be written for FROM wherever an ENTRY is expected. Behind FROM\n"
        "and TO stands a summary of the entry, if there is room. REASON is left out if no navigation has a reason.\n",
    .options = moves_table,
    .options_bytes = sizeof(struct moves_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
