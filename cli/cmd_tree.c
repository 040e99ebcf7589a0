/* xylem tree: draws a session, or the sessions that were forked from each other. */
#include "cli/cli.h"
#include "cli/show/entries.h"
#include "cli/show/tree.h"

/* Most lines of a drawing that people see at once, the title included. */
#define LINES_MAX 44u
#define NAME_CELLS_MIN 6u /* a name cut to fewer cells is left out */

struct tree_options {
    bool all;
    bool family;
    struct xylem_cli__list kinds;
    const char *since;
    const char *until;
    struct xylem_cli__patterns patterns;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option tree_table[] = {
    {"all", 'a', NULL, XYLEM_CLI__FLAG, offsetof(struct tree_options, all), "fold nothing", NULL},
    {"kind", 'k', "KIND", XYLEM_CLI__LIST, offsetof(struct tree_options, kinds),
     "draw entries of this kind, or messages of this role, and the shape around them (may be repeated)", NULL},
    {"since", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct tree_options, since), "fold entries older than TIME", NULL},
    {"until", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct tree_options, until), "fold entries newer than TIME", NULL},
    {"family", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct tree_options, family),
     "draw sessions instead: each below the session it was forked from", NULL},
    XYLEM_CLI__LEFT_OUT_ROWS(struct tree_options),
    XYLEM_CLI__FORM_ROWS(struct tree_options, "print one JSON document a line for every entry, oldest first"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static int put_title(struct xylem_cli *cli, const struct xylem_cli__tree *tree, const struct xylem_cli__fold *fold,
                     const struct xylem_cli__place *place)
{
    const struct xylem_session *session = &place->session;
    struct xylem_cli__text line = {0};
    struct xylem_cli__text rest = {0};
    struct xylem_view from = {NULL, 0};
    int code = place->is_entry ? xylem_cli__entry_id(cli, &from, place->position) : 0;
    if (code < 0) {
        return code;
    }
    xylem_cli__add_counted(&rest, tree->count, "entry", "entries");
    xylem_cli__add_next_counted(&rest, tree->tip_count, "tip", "tips");
    xylem_cli__add(&rest, from.data ? " from " : xylem_cli__position_none(session->leaf) ? ", no current entry" : "");
    xylem_cli__add_shown(cli, &rest, from, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(&rest, from.data ? " on" : "");
    if (fold->limited) {
        xylem_cli__add(&rest, "; ");
        xylem_cli__add_count(&rest, fold->kept_count);
        xylem_cli__add(&rest, " drawn");
    }
    size_t cells = xylem_cli__cells(cli, session->id, SIZE_MAX) + 4 + rest.bytes.bytes;
    size_t left = cli->width == 0 || cli->width > cells + 60 ? 60 : cli->width > cells ? cli->width - cells : 0;
    xylem_cli__add_colored(cli, &line, session->id, XYLEM_CLI__YELLOW);
    xylem_cli__add(&line, ": ");
    if (tree->labels.name.data && left >= NAME_CELLS_MIN) {
        xylem_cli__color_on(cli, &line, XYLEM_CLI__BOLD);
        xylem_cli__add_shown(cli, &line, tree->labels.name, XYLEM_CLI__ONE_LINE, left);
        xylem_cli__color_off(cli, &line, XYLEM_CLI__BOLD);
        xylem_cli__add(&line, ", ");
    }
    cells = xylem_cli__cells(cli, session->id, SIZE_MAX) + 2;
    xylem_cli__add_shown(cli, &line, xylem_cli__text_view(&rest), XYLEM_CLI__EXACT,
                         cli->width == 0 || left > 0 ? SIZE_MAX
                         : cli->width > cells        ? cli->width - cells
                                                     : 0);
    xylem_cli__end_line(&line);
    xylem_cli__part_end(&line, &rest);
    return xylem_cli__put_output(cli, &line, false);
}

static int print_json(struct xylem_cli *cli, struct xylem_cli__documents *documents, const struct xylem_cli__tree *tree)
{
    struct xylem_cli__text text = {0};
    struct xylem_entry entry;
    int code = 0;
    for (size_t i = 0; i < tree->count && code == 0; i++) {
        const struct xylem_cli__node *node = &tree->nodes[i];
        if (!node->matches) {
            continue;
        }
        bool is_tip = node->first_child == XYLEM_CLI__NO_NODE;
        struct xylem_cli__unanswered unanswered = {.count = 0};
        code = is_tip ? xylem_cli__unanswered(cli, &unanswered, node->position) : 0;
        code = code != 0 ? code : xylem_cli__entry_read(cli, &entry, node->position);
        xylem_cli__json_document(&text);
        if (code != 0 || (code = xylem_cli__json_entry(cli, &text, &entry, XYLEM_MEMBERS_ENTRY)) != 0) {
            break;
        }
        xylem_cli__member_maybe(&text, "label", node->label ? node->label->text : (struct xylem_view){NULL, 0});
        xylem_cli__member_bool(&text, "is_leaf", i == tree->leaf);
        xylem_cli__member_bool(&text, "is_base", i == tree->base);
        xylem_cli__member_bool(&text, "is_tip", is_tip);
        xylem_cli__member_count(&text, "unanswered_count", unanswered.count);
        xylem_cli__json_end(&text, '}');
        code = xylem_cli__documents_put(cli, documents, &text);
    }
    xylem_cli__text_release(&text);
    return code != 0 ? code : xylem_cli__documents_end(cli, documents);
}

static int print(struct xylem_cli *cli, const struct xylem_cli__place *place, const struct tree_options *given,
                 struct xylem_cli__filter *filter, struct xylem_cli__documents *documents)
{
    struct xylem_cli__tree tree = {0};
    struct xylem_cli__fold fold = {0};
    const struct xylem_position from = place->is_entry ? place->position : (struct xylem_position){0, 0};
    int code = xylem_cli__tree_read(cli, &tree, &place->session, from, filter);
    if (code == 0 && documents->wanted) {
        code = print_json(cli, documents, &tree);
    } else if (code == 0 &&
               (code = xylem_cli__fold_choose(cli, &fold, &tree, filter, given->all,
                                              given->all ? SIZE_MAX : LINES_MAX - 1)) == 0 &&
               (code = put_title(cli, &tree, &fold, place)) == 0) {
        code = xylem_cli__tree_draw(cli, &tree, &fold, place->session.number);
    }
    if (code == 0) {
        xylem_cli__kinds_note_missing(cli, filter->kinds, " of the session");
    }
    xylem_cli__fold_release(&fold);
    xylem_cli__tree_release(&tree);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct tree_options *given = options;
    struct xylem_cli__place place;
    struct xylem_cli__kinds kinds = {0};
    struct xylem_cli__filter filter = {
        .kinds = &kinds, .timed = given->since || given->until, .since_ms = INT64_MIN, .until_ms = INT64_MAX};
    struct xylem_cli__documents documents;
    int code = xylem_cli__documents_start(cli, &documents, given->form, given->family ? "sessions" : "entries");
    if (code == 0 && given->family && (given->all || given->kinds.count > 0 || given->since || given->until)) {
        code = xylem_cli__usage(cli, "--family cannot be combined with --all, --kind, --since or --until");
    }
    if (code == 0 && (code = xylem_cli__leave_out_given(cli, &given->patterns)) == 0 &&
        (code = xylem_cli__kinds_read(cli, &kinds, &given->kinds)) == 0 &&
        (code = xylem_cli__when_between(cli, &filter.since_ms, &filter.until_ms, given->since, given->until)) == 0 &&
        (code = xylem_cli__open_paged(cli, !documents.wanted)) == 0 &&
        (code = xylem_cli__place_find(cli, &place, arguments[0], XYLEM_CLI__LOOKED_AT, xylem_cli__entry_or_none)) ==
            0) {
        code = given->family && place.is_entry ? xylem_cli__usage(cli, "--family takes a session, not an entry")
               : given->family                 ? xylem_cli__family(cli, &place.session, &documents)
                                               : print(cli, &place, given, &filter, &documents);
    }
    xylem_cli__kinds_release(&kinds);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_tree = {
    .name = "tree",
    .group = XYLEM_CLI__LOOK,
    .often = true,
    .summary = "Draw a session's entries as a tree, or the sessions forked from it",
    .usage = "[PLACE] [--all] [--kind KIND]... [--since TIME] [--until TIME] [--family] "
             "[--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file FILE] [--json|--jsonl]",
    .details =
        "The path of the leaf runs down the left edge; other branches are drawn to the right of where they fork.\n"
        "Long runs are folded, and then more, until the drawing has at most 44 lines. These stay longest: the\n"
        "leaf, labels, compactions, changes of readonly and of the sequence, roots and forks, the newest of each.\n"
        "<base> is the last entry shared with the session's source. <no result> marks a tip with tool calls that\n"
        "have no result, as after a crash of the host. A number before a line counts branches to its\n"
        "left that are not drawn, for lack of room.\n",
    .options = tree_table,
    .options_bytes = sizeof(struct tree_options),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
