/* xylem branches: lists the tips of a session's branches, newest first. */
#include "cli/cli.h"
#include "cli/show/entries.h"
#include "cli/show/pieces.h"
#include "xylem/branch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 40u
#define PIECE_CELLS_MIN 8u

/* The columns before and behind the columns of the pieces. */
static const struct xylem_cli__column first_columns[] = {
    {"TIP", false, 12, XYLEM_CLI__YELLOW, true},
    {"AGE", true, 0, XYLEM_CLI__DIM, false},
    {"DEPTH", true, 0, NULL, false},
    {"OWN", true, 0, NULL, false},
    {"FORKED AT", false, 0, XYLEM_CLI__YELLOW, true},
};
static const struct xylem_cli__column last_columns[] = {
    {"LABEL", false, 8, XYLEM_CLI__MAGENTA, false},
    {"", false, 0, XYLEM_CLI__GREEN, false},
    {"SAYS", false, 0, NULL, false},
};
enum { OWN = 3, FORKED_AT = 4, FIRST_COUNT = 5, LAST_COUNT = 3 };

struct branches_options {
    struct xylem_cli__count count;
    struct xylem_cli__patterns patterns;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option branches_table[] = {
    {"number", 'n', "N", XYLEM_CLI__COUNT, offsetof(struct branches_options, count), "at most N tips, the newest",
     NULL},
    XYLEM_CLI__LEFT_OUT_ROWS(struct branches_options),
    XYLEM_CLI__FORM_ROWS(struct branches_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static const size_t spare[] = {OWN, FORKED_AT}; /* columns to leave out first when room is short */

struct columns {
    struct xylem_cli__column list[COLUMNS_MAX];
    char titles[COLUMNS_MAX][24]; /* of pieces */
    size_t count;
    size_t leaf; /* the column that marks the leaf; the next column is SAYS */
};

/* Makes a column for each piece; the title is the piece's name in capitals. */
static void columns_make(struct columns *columns)
{
    const char *const *names = xylem_piece_names();
    memcpy(columns->list, first_columns, sizeof first_columns);
    columns->count = FIRST_COUNT;
    for (size_t i = 0; names[i] && columns->count + LAST_COUNT < COLUMNS_MAX; i++) {
        char *title = columns->titles[columns->count];
        snprintf(title, sizeof columns->titles[0], "%s", names[i]);
        for (char *letter = title; *letter; letter++) {
            *letter = (char)toupper((unsigned char)*letter);
        }
        columns->list[columns->count++] = (struct xylem_cli__column){
            title, false, PIECE_CELLS_MIN, 1u << i == XYLEM_PIECE_READONLY ? XYLEM_CLI__RED : NULL, false};
    }
    memcpy(&columns->list[columns->count], last_columns, sizeof last_columns);
    columns->count += LAST_COUNT;
    columns->leaf = columns->count - 2;
}

#define SAYS_CELLS_MAX 72u
#define SAYS_CELLS_MIN 16u /* a message of fewer cells is not worth showing */

struct listing {
    const struct xylem_session *session;
    struct xylem_position from; /* none: all tips */
    struct xylem_tip *tips;
    size_t count;
    struct xylem_labels labels;
    struct xylem_cli__short_ids short_ids; /* empty: ids are shown whole */
    struct columns columns;
    struct xylem_cli__table table;
    struct xylem_cli__text text;
    struct xylem_cli__documents documents;
};

/* The facts on a tip that its row shows. */
struct facts {
    const struct xylem_tip *tip;
    struct xylem_view fork_point_id;
    struct xylem_view label;
    struct xylem_state state;
    struct xylem_cli__unanswered unanswered;
    bool is_leaf;
};

/* --- For programs ----------------------------------------------------------------------------------------------- */

static int print_json(struct xylem_cli *cli, struct listing *listing, const struct facts *facts)
{
    struct xylem_cli__text *text = &listing->text;
    const struct xylem_tip *tip = facts->tip;
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "entry", tip->entry.id);
    xylem_cli__member_kind(text, "kind", tip->entry.kind);
    xylem_cli__member_time(text, "time", tip->entry.time_ms);
    xylem_cli__member_count(text, "depth", tip->entry.position.depth);
    xylem_cli__member_count(text, "own_count", tip->branch_entry_count);
    xylem_cli__member_count(text, "branch", tip->entry.position.branch);
    xylem_cli__member_maybe(text, "forked_at", facts->fork_point_id);
    xylem_cli__member_maybe(text, "label", facts->label);
    xylem_cli__member_bool(text, "is_leaf", facts->is_leaf);
    xylem_cli__member_count(text, "unanswered_count", facts->unanswered.count);
    for (size_t i = 0; xylem_piece_names()[i]; i++) {
        xylem_cli__json_piece(text, &facts->state, 1u << i, XYLEM_DETAIL_BRIEF);
    }
    xylem_cli__json_end(text, '}');
    return xylem_cli__documents_put(cli, &listing->documents, text);
}

/* --- For people ------------------------------------------------------------------------------------------------- */

/* Adds the facts, the pieces of the state, and the summary of the newest message on the path. */
static int add_row(struct xylem_cli *cli, struct listing *listing, const struct facts *facts)
{
    static const struct xylem_cli__look look = {.plain = true, .raw = true};
    struct xylem_cli__table *table = &listing->table;
    const struct xylem_tip *tip = facts->tip;
    struct xylem_entry said;
    bool colored = cli->colored;
    xylem_cli__table_add(table, xylem_cli__short_id(&listing->short_ids, tip->entry.id));
    xylem_cli__add_age(cli, &table->cell, tip->entry.time_ms);
    xylem_cli__table_end_cell(table);
    xylem_cli__table_add_count(table, tip->entry.position.depth);
    xylem_cli__table_add_count(table, tip->branch_entry_count);
    xylem_cli__table_add(table, facts->fork_point_id.data
                                    ? xylem_cli__short_id(&listing->short_ids, facts->fork_point_id)
                                    : xylem_view_of("-"));
    for (size_t i = 0; xylem_piece_names()[i]; i++) {
        xylem_cli__add_piece(cli, &table->cell, &facts->state, 1u << i, NULL, &look);
        xylem_cli__add(&table->cell, table->cell.bytes.bytes == 0 ? "-" : "");
        xylem_cli__table_end_cell(table);
    }
    xylem_cli__table_add(table, facts->label.data ? facts->label : xylem_view_of("-"));
    xylem_cli__table_add(table, xylem_view_of(facts->is_leaf ? "<leaf>" : ""));
    xylem_cli__add(&table->cell, facts->unanswered.count > 0 ? "<no result> " : "");
    int code = xylem_cli__newest_message(cli, &said, tip->entry.position);
    cli->colored = false; /* the table escapes its cells */
    code = code == 1 ? xylem_cli__add_summary(cli, &table->cell, &said, SAYS_CELLS_MAX) : code;
    cli->colored = colored;
    xylem_cli__table_end_cell(table);
    return code;
}

/* Prints the columns that have a value in some row, and the first columns; the last column gets the room left. */
static int put_table(struct xylem_cli *cli, const struct columns *columns, const struct xylem_cli__table *table)
{
    size_t widths[COLUMNS_MAX];
    size_t shown[COLUMNS_MAX]; /* cells: SIZE_MAX or 0, and of the last column the room */
    size_t total = 0;
    xylem_cli__table_measure(cli, table, widths);
    for (size_t i = 0; i < columns->count; i++) {
        shown[i] = i < FIRST_COUNT ? SIZE_MAX : 0;
    }
    for (size_t i = 0; i < table->cell_count; i++) {
        struct xylem_view cell = xylem_cli__table_cell(table, i);
        if (cell.bytes > 0 && !xylem_base__view_is(cell, "-")) {
            shown[i % columns->count] = SIZE_MAX;
        }
    }
    for (size_t i = 0; i <= columns->leaf; i++) {
        total += shown[i] > 0 ? widths[i] + 2 : 0;
    }
    for (size_t i = 0; i < sizeof spare / sizeof spare[0] && cli->width > 0 && total + SAYS_CELLS_MIN > cli->width;
         i++) {
        shown[spare[i]] = 0;
        total -= widths[spare[i]] + 2;
    }
    size_t room = cli->width == 0 ? SAYS_CELLS_MAX : cli->width > total ? cli->width - total : 0;
    shown[columns->leaf + 1] = room >= SAYS_CELLS_MIN ? room : 0;
    return xylem_cli__table_put_part(cli, table, shown);
}

/* --- Both ------------------------------------------------------------------------------------------------------- */

/* Newest first; among equal times, the highest lsn first. */
static int compare_tips(const void *a, const void *b)
{
    const struct xylem_entry *left = &((const struct xylem_tip *)a)->entry;
    const struct xylem_entry *right = &((const struct xylem_tip *)b)->entry;
    if (left->time_ms != right->time_ms) {
        return left->time_ms > right->time_ms ? -1 : 1;
    }
    return (left->lsn < right->lsn) - (left->lsn > right->lsn);
}

static int read_tips(struct xylem_cli *cli, struct listing *listing)
{
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    size_t capacity = 0;
    int code = xylem_tips_new(&tips, cli->txn, listing->session->number, &cli->err);
    while (code == 0 && (code = xylem_tips_next(&tip, tips, &cli->err)) == 1) {
        code = xylem_cli__is_below(cli, tip.entry.position, listing->from);
        code =
            code == 1 ? xylem_cli__list_add(cli, &listing->tips, &listing->count, &capacity, &tip, sizeof tip) : code;
    }
    xylem_tips_free(tips);
    if (code == 0 && listing->count > 0) {
        qsort(listing->tips, listing->count, sizeof *listing->tips, compare_tips);
    }
    return code;
}

static int list(struct xylem_cli *cli, struct listing *listing, const struct xylem_cli__count *count)
{
    bool fit = true;
    int code;
    if ((code = xylem_cli__labels_read(cli, &listing->labels, listing->session->number)) < 0 ||
        (code = read_tips(cli, listing)) < 0) {
        return code;
    }
    for (size_t i = 0; i < listing->count && !listing->documents.wanted; i++) {
        fit = fit && xylem_cli__ids_fit(cli, xylem_cli__cells(cli, listing->tips[i].entry.id, SIZE_MAX));
    }
    if (!fit && (code = xylem_cli__short_ids_add_entries(cli, &listing->short_ids, listing->session->number)) < 0) {
        return code;
    }
    if (listing->count == 0 && !listing->documents.wanted) {
        xylem_cli__note(cli, "the session has no entry");
    }
    listing->count = count->given && count->number < listing->count ? count->number : listing->count;
    for (size_t i = 0; i < listing->count && code == 0; i++) {
        const struct xylem_entry *entry = &listing->tips[i].entry;
        struct facts facts = {.tip = &listing->tips[i],
                              .label = xylem_cli__label_text(&listing->labels, entry->id),
                              .is_leaf = xylem_cli__position_equal(entry->position, listing->session->leaf)};
        if ((code = xylem_cli__entry_id(cli, &facts.fork_point_id, facts.tip->fork_point)) == 0 &&
            (code = xylem_cli__unanswered(cli, &facts.unanswered, entry->position)) == 0 &&
            (code = xylem_cli__rehydrate(cli, &facts.state, entry->position, NULL, NULL)) == 0) {
            code = listing->documents.wanted ? print_json(cli, listing, &facts) : add_row(cli, listing, &facts);
        }
        xylem_state_release(&facts.state);
    }
    if (code == 0 && listing->documents.wanted) {
        return xylem_cli__documents_end(cli, &listing->documents);
    }
    return code == 0 && listing->count > 0 ? put_table(cli, &listing->columns, &listing->table) : code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct branches_options *given = options;
    struct xylem_cli__place place;
    struct listing listing = {.session = &place.session};
    int code = xylem_cli__documents_start(cli, &listing.documents, given->form, "branches");
    columns_make(&listing.columns);
    listing.table.columns = listing.columns.list;
    listing.table.column_count = listing.columns.count;
    if (code != 0 || (code = xylem_cli__leave_out_given(cli, &given->patterns)) != 0 ||
        (code = xylem_cli__open_paged(cli, !listing.documents.wanted)) != 0 ||
        (code = xylem_cli__place_find(cli, &place, arguments[0], XYLEM_CLI__LOOKED_AT, xylem_cli__entry_or_none)) !=
            0) {
        return code;
    }
    listing.from = place.is_entry ? place.position : (struct xylem_position){0, 0};
    code = list(cli, &listing, &given->count);
    free(listing.tips);
    xylem_cli__short_ids_release(&listing.short_ids);
    xylem_labels_release(&listing.labels);
    xylem_cli__text_release(&listing.text);
    xylem_cli__table_release(&listing.table);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_branches = {
    .name = "branches",
    .group = XYLEM_CLI__LOOK,
    .summary = "List the tips of a session's branches, newest first",
    .usage = "[PLACE] [-n N] [--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file FILE] "
             "[--json|--jsonl]",
    .details =
        "DEPTH counts the entries of the tip's path, OWN the entries on the tip's own branch. READONLY and the\n"
        "columns behind it are the state at the tip, SAYS is the newest message. <no result>: the tip has tool calls\n"
        "without a result, as after a crash of the host. A column without any value is left out; where there is no\n"
        "room, so are OWN, FORKED AT and SAYS. With an entry: the tips below the entry.\n",
    .options = branches_table,
    .options_bytes = sizeof(struct branches_options),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
