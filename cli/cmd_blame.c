/*
 * xylem blame: lists the entries of a path at which a piece of state changed. The library decides which entries can
 * change the state, and reports the state at each of these entries, oldest first.
 */
#include "cli/cli.h"
#include "cli/show/entries.h"
#include "cli/show/pieces.h"
#include "xylem/branch.h"

#include <stdlib.h>
#include <string.h>

struct blame_options {
    struct xylem_cli__count count;
    bool all;
    bool tool_results;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option blame_table[] = {
    {"number", 'n', "N", XYLEM_CLI__COUNT, offsetof(struct blame_options, count), "at most N lines, the newest", NULL},
    {"all", 'a', NULL, XYLEM_CLI__FLAG, offsetof(struct blame_options, all),
     "also list entries that repeat the state, and entries that are skipped as invalid", NULL},
    {"tool-results", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct blame_options, tool_results),
     "also take todo lists from results of the tool todo; reads every message", NULL},
    XYLEM_CLI__FORM_ROWS(struct blame_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

#define FOREIGN_CELLS 20u
#define SKIPPED_WORD "skipped"

/* --- The entries that may decide ---------------------------------------------------------------------------------- */

/* An entry, and a piece of the state after the entry. */
struct blamed {
    size_t piece; /* index among the names of pieces */
    struct xylem_position position;
    bool changed;                 /* the state before the entry was different */
    const char *reason;           /* why the entry was skipped; NULL: the entry counts */
    const char *color;            /* color of the value; NULL: none */
    struct xylem_cli__text value; /* empty if not shown */
};

struct listing {
    struct xylem_cli *cli;
    const struct blame_options *given;
    size_t piece; /* the piece under judgement */
    bool all_pieces;
    struct xylem_session session;
    struct blamed *list; /* piece by piece, oldest first, while judging; then newest first */
    size_t count;
    size_t capacity;
    size_t oldest;         /* index of the oldest entry of the piece that may still be shown */
    size_t shown_count;    /* of the piece */
    size_t repeated_count; /* entries that repeat the state and are not shown */
    size_t skipped_count;
    struct xylem_cli__text before; /* the state after the previous entry, as JSON */
    bool failed;
    size_t name_cells; /* of the names of pieces; 0: no names are shown */
    size_t value_cells;
    struct xylem_labels labels;
    struct xylem_cli__short_ids short_ids;
    struct xylem_cli__lines lines;
    struct xylem_cli__documents documents;
    struct xylem_cli__text text;
};

static bool is_shown(const struct listing *listing, const struct blamed *blamed)
{
    return blamed->changed || listing->given->all;
}

/* Keeps the row. `-n` shows only the newest rows, so an older row drops its value. */
static void keep(struct listing *listing, const struct blamed *blamed)
{
    struct xylem_cli__count limit = listing->given->count;
    if (xylem_cli__list_add(listing->cli, &listing->list, &listing->count, &listing->capacity, blamed, sizeof *blamed) <
        0) {
        listing->failed = true;
        return;
    }
    listing->shown_count += is_shown(listing, blamed);
    while (limit.given && listing->shown_count > limit.number) {
        struct blamed *oldest = &listing->list[listing->oldest++];
        listing->shown_count -= is_shown(listing, oldest);
        xylem_cli__text_release(&oldest->value);
    }
}

/* Makes the value for people. */
static void add_value(const struct listing *listing, struct blamed *blamed, const struct xylem_state *state)
{
    static const struct xylem_words_options options = {.detail = XYLEM_DETAIL_VALUE};
    const size_t width = listing->cli->width;
    const struct xylem_cli__look look = {.plain = true,
                                         .shape = XYLEM_CLI__ONE_LINE,
                                         .cells = width > 0 && width < FOREIGN_CELLS * 5 ? width / 5 : FOREIGN_CELLS};
    struct xylem_word words[XYLEM_WORDS_MAX];
    size_t count = xylem_piece_words(words, state, 1u << listing->piece, &options);
    blamed->color = count > 0 ? xylem_cli__tone_color(words[0].tone) : NULL;
    for (size_t i = 0; i < count; i++) {
        xylem_cli__add_word(listing->cli, &blamed->value, &words[i], &look);
    }
}

/* Records how the entry changed the state, and the new value if the row is shown. */
static int judge(void *context, const struct xylem_state *state)
{
    struct listing *listing = context;
    const struct xylem_reduction *reduction = &state->reduction;
    struct blamed blamed = {.piece = listing->piece,
                            .position = state->at,
                            .reason = reduction->skipped_count > 0 ? reduction->skipped[0].reason : NULL};
    struct xylem_cli__text now = {0};
    xylem_cli__json_piece(&now, state, 1u << listing->piece, XYLEM_DETAIL_VALUE);
    blamed.changed = !xylem_base__view_equal(xylem_cli__text_view(&now), xylem_cli__text_view(&listing->before));
    if (is_shown(listing, &blamed) && listing->documents.wanted) {
        xylem_cli__add_bytes(&blamed.value, now.bytes.data, now.bytes.bytes);
    } else if (is_shown(listing, &blamed)) {
        add_value(listing, &blamed, state);
    }
    listing->failed = now.failed || blamed.value.failed;
    xylem_cli__text_release(&listing->before);
    listing->before = now;
    if (!listing->failed) {
        keep(listing, &blamed);
    }
    if (listing->failed) {
        xylem_cli__text_release(&blamed.value);
    }
    return listing->failed;
}

/* Judges one piece. Before the first entry, the state is the state of an empty path. */
static int judge_piece(struct xylem_cli *cli, struct listing *listing, struct xylem_position from)
{
    const struct xylem_reduce_options options = {.pieces = 1u << listing->piece,
                                                 .tool_results = listing->given->tool_results};
    struct xylem_state state = {0};
    listing->oldest = listing->count;
    listing->shown_count = 0;
    xylem_cli__text_clear(&listing->before);
    int code = xylem_cli__rehydrate(cli, &state, (struct xylem_position){0, 0}, NULL, &options);
    if (code == 0) {
        xylem_cli__json_piece(&listing->before, &state, 1u << listing->piece, XYLEM_DETAIL_VALUE);
        code = xylem_rehydrate_each(cli->txn, from, NULL, &options, judge, listing, &cli->err);
    }
    xylem_state_release(&state);
    return listing->failed || listing->before.failed ? xylem_cli__fail_memory(cli) : xylem_cli__stored(cli, code, from);
}

/* Newest first; the pieces of an entry in the order of their names. */
static int compare_rows(const void *a, const void *b)
{
    const struct blamed *left = a;
    const struct blamed *right = b;
    int order = (left->position.depth < right->position.depth) - (left->position.depth > right->position.depth);
    return order != 0 ? order : (left->piece > right->piece) - (left->piece < right->piece);
}

/* Sorts the list, and keeps only the rows to show. */
static void select_shown(struct listing *listing)
{
    struct xylem_cli__count limit = listing->given->count;
    size_t kept = 0;
    if (listing->count > 0) {
        qsort(listing->list, listing->count, sizeof *listing->list, compare_rows);
    }
    for (size_t i = 0; i < listing->count; i++) {
        struct blamed blamed = listing->list[i];
        bool fits = !limit.given || kept < limit.number;
        if (fits && is_shown(listing, &blamed)) {
            listing->list[kept++] = blamed;
            continue;
        }
        listing->skipped_count += fits && blamed.reason ? 1 : 0;
        listing->repeated_count += fits && !blamed.reason ? 1 : 0;
        xylem_cli__text_release(&blamed.value);
    }
    listing->count = kept;
}

/* --- Output ------------------------------------------------------------------------------------------------------- */

/* Returns the text in the column of the state. */
static struct xylem_view shown_value(const struct blamed *blamed)
{
    return blamed->reason ? xylem_view_of(SKIPPED_WORD) : xylem_cli__text_view(&blamed->value);
}

static int add_line(struct xylem_cli *cli, struct listing *listing, const struct blamed *blamed,
                    const struct xylem_entry *entry)
{
    size_t before = listing->value_cells + 2;
    if (listing->name_cells > 0) {
        xylem_cli__add_column(cli, &listing->text, xylem_view_of(xylem_piece_names()[blamed->piece]),
                              listing->name_cells, NULL);
        xylem_cli__add(&listing->text, "  ");
        before += listing->name_cells + 2;
    }
    xylem_cli__add_column(cli, &listing->text, shown_value(blamed), listing->value_cells,
                          blamed->changed ? blamed->color : XYLEM_CLI__DIM);
    xylem_cli__add(&listing->text, "  ");
    listing->lines.remark = blamed->reason;
    return xylem_cli__add_entry_line(cli, &listing->text, &listing->lines, entry, before);
}

/* Measures the columns before the first line is drawn. */
static int measure(struct xylem_cli *cli, struct listing *listing)
{
    struct xylem_entry entry;
    int code = 0;
    listing->lines.labels = &listing->labels;
    listing->lines.leaf = listing->session.leaf;
    for (size_t i = 0; code == 0 && i < listing->count; i++) {
        const struct blamed *blamed = &listing->list[i];
        size_t cells = xylem_cli__cells(cli, shown_value(blamed), SIZE_MAX);
        size_t name_cells = listing->all_pieces ? strlen(xylem_piece_names()[blamed->piece]) : 0;
        listing->name_cells = name_cells > listing->name_cells ? name_cells : listing->name_cells;
        listing->value_cells = cells > listing->value_cells ? cells : listing->value_cells;
        code = xylem_cli__entry_read(cli, &entry, blamed->position);
        if (code == 0) {
            xylem_cli__lines_measure(cli, &listing->lines, &entry);
        }
    }
    if (code == 0 && !xylem_cli__ids_fit(cli, listing->lines.id_cells)) {
        code = xylem_cli__short_ids_add_entries(cli, &listing->short_ids, listing->session.number);
        xylem_cli__lines_shorten(cli, &listing->lines, &listing->short_ids);
    }
    return code;
}

static int print(struct xylem_cli *cli, struct listing *listing)
{
    struct xylem_cli__text *text = &listing->text;
    struct xylem_entry entry;
    int code = listing->documents.wanted ? 0 : measure(cli, listing);
    for (size_t i = 0; code == 0 && i < listing->count; i++) {
        const struct blamed *blamed = &listing->list[i];
        code = xylem_cli__entry_read(cli, &entry, blamed->position);
        if (code == 0 && listing->documents.wanted) {
            xylem_cli__json_document(text);
            code = xylem_cli__json_entry(cli, text, &entry, XYLEM_MEMBERS_ENTRY);
            xylem_cli__member_maybe(text, "label", xylem_cli__label_text(&listing->labels, entry.id));
            xylem_cli__member_string(text, "piece", xylem_view_of(xylem_piece_names()[blamed->piece]));
            xylem_cli__json_separate(text);
            xylem_cli__add_bytes(text, blamed->value.bytes.data, blamed->value.bytes.bytes);
            xylem_cli__member_bool(text, "changed", blamed->changed);
            xylem_cli__member_maybe(text, "skipped_reason", xylem_view_of(blamed->reason));
            xylem_cli__json_end(text, '}');
        } else if (code == 0) {
            code = add_line(cli, listing, blamed, &entry);
        }
        if (code == 0) {
            code = xylem_cli__documents_put(cli, &listing->documents, text);
        }
    }
    return code == 0 ? xylem_cli__documents_end(cli, &listing->documents) : code;
}

/* Notes on standard error that nothing was found, or how many entries are not shown. */
static void note_rest(struct xylem_cli *cli, const struct listing *listing)
{
    struct xylem_cli__text text = {0};
    if (listing->repeated_count > 0) {
        xylem_cli__add_counted(&text, listing->repeated_count, "entry repeats", "entries repeat");
        xylem_cli__add(&text, " the state before");
    }
    if (listing->skipped_count > 0) {
        xylem_cli__add(&text, listing->repeated_count > 0 ? ", " : "");
        xylem_cli__add_counted(&text, listing->skipped_count, "entry is", "entries are");
        xylem_cli__add(&text, " skipped as invalid");
    }
    if (text.bytes.bytes > 0 && !text.failed) {
        xylem_cli__note(cli, "%s (--all shows them)", text.bytes.data);
    } else if (listing->count == 0 && !listing->given->count.given) {
        xylem_cli__note(cli, "no entry of the path changes %s",
                        listing->all_pieces ? "the state" : xylem_piece_names()[listing->piece]);
    }
    xylem_cli__text_release(&text);
}

/* The index of the name in the list of pieces; of the end of the list, if no piece has the name. */
static size_t piece_of(const char *name)
{
    const char *const *names = xylem_piece_names();
    size_t i = 0;
    while (names[i] && strcmp(names[i], name) != 0) {
        i++;
    }
    return i;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct blame_options *given = options;
    const char *const *names = xylem_piece_names();
    bool only_what = arguments[0] && !arguments[1] && names[piece_of(arguments[0])];
    const char *what = arguments[only_what ? 0 : arguments[0] ? 1 : 0]; /* NULL: all pieces */
    struct listing listing = {.cli = cli, .given = given, .all_pieces = !what, .piece = what ? piece_of(what) : 0};
    struct xylem_cli__place place;
    int code = xylem_cli__documents_start(cli, &listing.documents, given->form, "entries");
    if (code == 0 && !names[listing.piece]) {
        code = xylem_cli__no_piece(cli, what);
    }
    if (code < 0 || (code = xylem_cli__open_paged(cli, !listing.documents.wanted)) < 0 ||
        (code = xylem_cli__place_find(cli, &place, only_what ? NULL : arguments[0], XYLEM_CLI__LOOKED_AT,
                                      xylem_cli__entry_or_none)) < 0) {
        goto out;
    }
    listing.session = place.session;
    code = xylem_cli__labels_read(cli, &listing.labels, listing.session.number);
    do {
        code = code == 0 ? judge_piece(cli, &listing, place.position) : code;
    } while (code == 0 && listing.all_pieces && names[++listing.piece]);
    if (code < 0) {
        goto out;
    }
    select_shown(&listing);
    code = print(cli, &listing);
    if (code == 0 && !listing.documents.wanted) {
        note_rest(cli, &listing);
    }
    code = code == 0 && what && listing.count == 0 ? XYLEM_CLI__PROBLEM : code;
out:
    for (size_t i = 0; i < listing.count; i++) {
        xylem_cli__text_release(&listing.list[i].value);
    }
    free(listing.list);
    xylem_labels_release(&listing.labels);
    xylem_cli__short_ids_release(&listing.short_ids);
    xylem_cli__text_release(&listing.before);
    xylem_cli__text_release(&listing.text);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_blame = {
    .name = "blame",
    .group = XYLEM_CLI__LOOK,
    .summary = "List the entries at which a piece of state changed",
    .usage = "[PLACE] [WHAT] [-n N] [--all] [--tool-results] [--json|--jsonl]",
    .details =
        "WHAT is a piece of the state, such as readonly; without WHAT the changes of all pieces are listed. The\n"
        "newest entry comes first. A line has the state after the entry, and the entry as `xylem log` shows it.\n",
    .options = blame_table,
    .options_bytes = sizeof(struct blame_options),
    .arguments_max = 2,
    .arguments = {XYLEM_CLI__SESSION_ENTRY, XYLEM_CLI__WORD},
    .words = xylem_piece_names,
    .run = run,
};
