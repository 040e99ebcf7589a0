/* xylem diff: compares two entries: common entries, added entries, states. */
#include "cli/cli.h"
#include "cli/show/diff.h"

#include <stdlib.h>

#define FOLD_MIN 11u /* runs of this length are folded */
#define FOLD_ENDS 4u /* entries that stay at each end of a folded run */

#define PLACE_CELLS 28u /* usual width behind an id: `  depth 20  2h ago  <leaf>` */

struct diff_options {
    bool all;
    struct xylem_cli__patterns patterns;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option diff_table[] = {{"all", 'a', NULL, XYLEM_CLI__FLAG,
                                                       offsetof(struct diff_options, all),
                                                       "list all entries, do not fold long lists", NULL},
                                                      XYLEM_CLI__LEFT_OUT_ROWS(struct diff_options),
                                                      XYLEM_CLI__FORM_ROWS(struct diff_options, "the same"),
                                                      {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct diff {
    bool all;
    struct xylem_cli__end ends[2]; /* a, b */
    struct xylem_cli__common common;
    struct xylem_cli__labels_differ labels;
    struct xylem_cli__lines lines;
    struct xylem_cli__short_ids short_ids;
    struct xylem_cli__text text;
};

static const char *const marks[] = {"<", ">"};
static const char *const mark_colors[] = {XYLEM_CLI__RED, XYLEM_CLI__GREEN};

static void add_mark(const struct xylem_cli *cli, struct xylem_cli__text *text, size_t side)
{
    xylem_cli__add_colored(cli, text, xylem_view_of(marks[side]), mark_colors[side]);
    xylem_cli__add(text, " ");
}

/* `  depth 20  2h ago  ` */
static void add_place(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry)
{
    xylem_cli__addf(text, "  depth %llu  ", (unsigned long long)entry->position.depth);
    xylem_cli__color_on(cli, text, XYLEM_CLI__DIM);
    xylem_cli__add_age(cli, text, entry->time_ms);
    xylem_cli__add(text, " ago");
    xylem_cli__color_off(cli, text, XYLEM_CLI__DIM);
    xylem_cli__add(text, "  ");
}

static void mark_with(struct diff *diff, size_t side)
{
    diff->lines.labels = &diff->ends[side].labels;
    diff->lines.leaf = diff->ends[side].session.leaf;
}

/* `< SESSION:ENTRY  depth 20  2h ago  <leaf> [label]` */
static int add_end(struct xylem_cli *cli, struct diff *diff, size_t side)
{
    const struct xylem_cli__end *end = &diff->ends[side];
    struct xylem_entry entry;
    int code = 0;
    add_mark(cli, &diff->text, side);
    size_t cells = 3 + xylem_cli__add_colored(cli, &diff->text, end->session.id, XYLEM_CLI__YELLOW);
    if (xylem_cli__position_none(end->position)) {
        xylem_cli__add(&diff->text, ", no current entry");
    } else if ((code = xylem_cli__entry_read(cli, &entry, end->position)) == 0) {
        xylem_cli__add(&diff->text, ":");
        cells += xylem_cli__add_colored(cli, &diff->text, entry.id, XYLEM_CLI__YELLOW);
        if (cli->width > 0 && cells + PLACE_CELLS > cli->width) {
            xylem_cli__add(&diff->text, "\n");
        }
        add_place(cli, &diff->text, &entry);
        mark_with(diff, side);
        xylem_cli__add_marks(cli, &diff->text, &diff->lines, &entry);
    }
    xylem_cli__end_line(&diff->text);
    return code;
}

/* `= 8d16e680  depth 6  2h ago  message user, shared` */
static int add_common(struct xylem_cli *cli, struct diff *diff)
{
    struct xylem_cli__text *text = &diff->text;
    struct xylem_entry entry;
    if (xylem_cli__position_none(diff->common.equal)) {
        xylem_cli__add(text, "= nothing: not even the first entries are equal\n");
        return 0;
    }
    int code = xylem_cli__entry_read(cli, &entry, diff->common.equal);
    if (code != 0) {
        return code;
    }
    xylem_cli__add(text, "= ");
    xylem_cli__add_colored(cli, text, entry.id, XYLEM_CLI__YELLOW);
    add_place(cli, text, &entry);
    if (xylem_cli__position_equal(diff->common.equal, diff->common.shared)) {
        xylem_cli__add(text, "shared");
    } else if (xylem_cli__position_none(diff->common.shared)) {
        xylem_cli__add(text, "equal, but stored twice");
    } else {
        xylem_cli__addf(text, "equal, but stored twice; shared up to depth %llu",
                        (unsigned long long)diff->common.shared.depth);
    }
    xylem_cli__add(text, "\n");
    return 0;
}

/* The entries of only one side, oldest first, and the range that is not listed. */
struct added {
    uint64_t first;
    uint64_t last;
    uint64_t hidden_first; /* 0: all are listed */
    uint64_t hidden_last;
};

static struct added added_by(const struct diff *diff, size_t side)
{
    struct added added = {.first = diff->common.equal.depth + 1, .last = diff->ends[side].position.depth};
    if (!diff->all && added.last + 1 - added.first >= FOLD_MIN) {
        added.hidden_first = added.first + FOLD_ENDS;
        added.hidden_last = added.last - FOLD_ENDS;
    }
    return added;
}

typedef int (*visitor)(struct xylem_cli *cli, struct diff *diff, size_t side, const struct xylem_entry *entry);

/*
 * Visits the entries of these depths on a side's path, oldest first. Walks once, because a path may cross very many
 * branches.
 */
static int each_of(struct xylem_cli *cli, struct diff *diff, size_t side, uint64_t first, uint64_t last, visitor visit)
{
    struct xylem_position *positions = NULL;
    struct xylem_position from;
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    size_t count = last < first ? 0 : (size_t)(last + 1 - first);
    if (count == 0) {
        return 0;
    }
    positions = calloc(count, sizeof(*positions));
    if (!positions) {
        return xylem_cli__fail_memory(cli);
    }
    int code;
    if ((code = xylem_cli__ancestor_at(cli, &from, diff->ends[side].position, last)) < 0 ||
        (code = xylem_walk_new(&walk, cli->txn, from, &cli->err)) < 0) {
        goto out;
    }
    for (size_t i = count; code == 0 && i > 0; i--) {
        code = xylem_cli__stored(cli, xylem_walk_next(&entry, walk, &cli->err), from);
        if (code == 1) {
            positions[i - 1] = entry.position;
            code = 0;
        }
    }
    for (size_t i = 0; code == 0 && i < count; i++) {
        code = xylem_cli__entry_read(cli, &entry, positions[i]);
        if (code == 0) {
            code = visit(cli, diff, side, &entry);
        }
    }
out:
    xylem_walk_free(walk);
    free(positions);
    return code;
}

static int each_listed(struct xylem_cli *cli, struct diff *diff, size_t side, visitor visit)
{
    struct added added = added_by(diff, side);
    if (added.hidden_first == 0) {
        return each_of(cli, diff, side, added.first, added.last, visit);
    }
    int code = each_of(cli, diff, side, added.first, added.hidden_first - 1, visit);
    add_mark(cli, &diff->text, side);
    xylem_cli__add(&diff->text, xylem_cli__utf8(cli) ? "\u2026 " : "... ");
    xylem_cli__add_counted(&diff->text, added.hidden_last + 1 - added.hidden_first, "entry", "entries");
    xylem_cli__add(&diff->text, "\n");
    return code != 0 ? code : each_of(cli, diff, side, added.hidden_last + 1, added.last, visit);
}

static int measure(struct xylem_cli *cli, struct diff *diff, size_t side, const struct xylem_entry *entry)
{
    (void)side;
    xylem_cli__text_clear(&diff->text);
    xylem_cli__lines_measure(cli, &diff->lines, entry);
    return 0;
}

static int add_entry(struct xylem_cli *cli, struct diff *diff, size_t side, const struct xylem_entry *entry)
{
    add_mark(cli, &diff->text, side);
    int code = xylem_cli__add_entry_line(cli, &diff->text, &diff->lines, entry, 2);
    return code != 0 ? code : xylem_cli__put(cli, &diff->text);
}

static int add_added(struct xylem_cli *cli, struct diff *diff, size_t side)
{
    struct added added = added_by(diff, side);
    xylem_cli__add(&diff->text, "\n");
    add_mark(cli, &diff->text, side);
    xylem_cli__color_on(cli, &diff->text, XYLEM_CLI__BOLD);
    if (added.last < added.first) {
        xylem_cli__add(&diff->text, "nothing more");
    } else {
        xylem_cli__add_counted(&diff->text, added.last + 1 - added.first, "more entry", "more entries");
    }
    xylem_cli__color_off(cli, &diff->text, XYLEM_CLI__BOLD);
    xylem_cli__add(&diff->text, "\n");
    mark_with(diff, side);
    return each_listed(cli, diff, side, add_entry);
}

/* Measures the columns first. If whole ids do not fit, cuts ids to beginnings that are unique in both sessions. */
static int print_human(struct xylem_cli *cli, struct diff *diff)
{
    int code;
    if ((code = each_listed(cli, diff, 0, measure)) != 0 || (code = each_listed(cli, diff, 1, measure)) != 0) {
        return code;
    }
    if (!xylem_cli__ids_fit(cli, diff->lines.id_cells)) {
        for (size_t side = 0; side < 2 && code == 0; side++) {
            code = xylem_cli__short_ids_add_entries(cli, &diff->short_ids, diff->ends[side].session.number);
        }
        xylem_cli__lines_shorten(cli, &diff->lines, &diff->short_ids);
    }
    xylem_cli__text_clear(&diff->text);
    if (code != 0 || (code = add_end(cli, diff, 0)) != 0 || (code = add_end(cli, diff, 1)) != 0 ||
        (code = add_common(cli, diff)) != 0 || (!diff->common.same && (code = add_added(cli, diff, 0)) != 0) ||
        (!diff->common.same && (code = add_added(cli, diff, 1)) != 0)) {
        return code;
    }
    xylem_cli__add(&diff->text, "\n");
    code = xylem_cli__diff_states(cli, &diff->text, &diff->ends[0], &diff->ends[1], &diff->labels, false);
    return code != 0 ? code : xylem_cli__put(cli, &diff->text);
}

static int add_json_entry(struct xylem_cli *cli, struct diff *diff, size_t side, const struct xylem_entry *entry)
{
    xylem_cli__json_begin(&diff->text, '{');
    int code = xylem_cli__json_entry(cli, &diff->text, entry, XYLEM_MEMBERS_ENTRY);
    xylem_cli__member_maybe(&diff->text, "label", xylem_cli__label_text(&diff->ends[side].labels, entry->id));
    xylem_cli__json_end(&diff->text, '}');
    return code;
}

static int add_json_end(struct xylem_cli *cli, struct diff *diff, size_t side)
{
    const struct xylem_cli__end *end = &diff->ends[side];
    struct xylem_cli__text *text = &diff->text;
    struct xylem_view id;
    int code = xylem_cli__entry_id(cli, &id, end->position);
    xylem_cli__member_begin(text, side == 0 ? "a" : "b", '{');
    xylem_cli__member_string(text, "session", end->session.id);
    xylem_cli__member_maybe(text, "entry", code == 0 ? id : (struct xylem_view){NULL, 0});
    xylem_cli__member_count(text, "depth", end->position.depth);
    xylem_cli__member_count(text, "added_count", end->position.depth - diff->common.equal.depth);
    xylem_cli__member_begin(text, "entries", '[');
    if (code == 0) {
        code = each_listed(cli, diff, side, add_json_entry);
    }
    xylem_cli__json_end(text, ']');
    xylem_cli__json_end(text, '}');
    return code;
}

static int print_document(struct xylem_cli *cli, struct diff *diff, struct xylem_cli__documents *documents)
{
    const struct xylem_cli__common *common = &diff->common;
    struct xylem_cli__text *text = &diff->text;
    struct xylem_entry entry;
    int code = 0;
    diff->all = true;
    xylem_cli__json_document(text);
    xylem_cli__member_bool(text, "same", common->same);
    if (xylem_cli__position_none(common->equal)) {
        xylem_cli__member_maybe(text, "common", xylem_view_of(NULL));
    } else if ((code = xylem_cli__entry_read(cli, &entry, common->equal)) == 0) {
        bool shared = xylem_cli__position_equal(common->equal, common->shared);
        xylem_cli__member_begin(text, "common", '{');
        code = xylem_cli__json_entry(cli, text, &entry, XYLEM_MEMBERS_ENTRY);
        xylem_cli__member_string(text, "sharing", xylem_view_of(shared ? "shared" : "equal"));
        xylem_cli__member_count(text, "shared_depth", common->shared.depth);
        xylem_cli__json_end(text, '}');
    }
    if (code == 0 && (code = add_json_end(cli, diff, 0)) == 0 && (code = add_json_end(cli, diff, 1)) == 0) {
        code = xylem_cli__diff_states(cli, text, &diff->ends[0], &diff->ends[1], &diff->labels, true);
    }
    xylem_cli__json_end(text, '}');
    return code != 0 ? code : xylem_cli__documents_put(cli, documents, text);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct diff_options *given = options;
    struct diff diff = {.all = given->all};
    struct xylem_cli__end *a = &diff.ends[0];
    struct xylem_cli__end *b = &diff.ends[1];
    struct xylem_cli__documents documents;
    int code;
    if ((code = xylem_cli__documents_start(cli, &documents, given->form, NULL)) < 0 ||
        (code = xylem_cli__leave_out_given(cli, &given->patterns)) < 0 ||
        (code = xylem_cli__open_paged(cli, !documents.wanted)) < 0 ||
        (code = xylem_cli__end_find(cli, a, arguments[0], NULL)) < 0 ||
        (code = xylem_cli__end_find(cli, b, arguments[1], a)) < 0 ||
        (code = xylem_cli__common_find(cli, &diff.common, a->position, b->position)) < 0 ||
        (code = xylem_cli__diff_labels(cli, &diff.labels, a, b, diff.common.equal.depth)) < 0 ||
        (code = documents.wanted ? print_document(cli, &diff, &documents) : print_human(cli, &diff)) < 0) {
        goto out;
    }
    code = diff.common.same ? XYLEM_CLI__OK : XYLEM_CLI__PROBLEM;
out:
    xylem_cli__end_release(a);
    xylem_cli__end_release(b);
    free(diff.labels.ids);
    xylem_cli__short_ids_release(&diff.short_ids);
    xylem_cli__text_release(&diff.text);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_diff = {
    .name = "diff",
    .group = XYLEM_CLI__LOOK,
    .often = true,
    .summary = "Compare two entries: common entries, added entries, states",
    .usage = "A B [--all] [--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file FILE] [--json|--jsonl]",
    .details =
        "A and B are each SESSION (for its leaf), SESSION:ENTRY, or an entry's id or label that only one entry in\n"
        "the store has. B may be :ENTRY, of A's session. Exits with 1 if one path has an entry that the other path\n"
        "lacks.\n",
    .options = diff_table,
    .options_bytes = sizeof(struct diff_options),
    .arguments_min = 2,
    .arguments_max = 2,
    .arguments = {XYLEM_CLI__SESSION_ENTRY, XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
