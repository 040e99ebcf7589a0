/*
 * Writes the page of a session or of a family. The entries are gone over twice in the order of the page: first for what
 * stands before them (the index of prompts, sums), then to write each entry and forget its text.
 *
 * The order of the page: the path of the leaf, from the root on, then every other branch, the newest first:
 *
 *     a--b--c--d  leaf d       a b c d | x y | e
 *        |     +--e
 *        +--x--y               newest of x y e: y
 */
#include "cli/export_page.h"
#include "cli/file_uses.h"
#include "cli/page/map.h"
#include "cli/page/page.h"
#include "cli/show/pieces.h"
#include "cli/store/family.h"
#include "cli/sums.h"
#include "xylem/branch.h"
#include "xylem/files.h"
#include "xylem/outline.h"

#include <locale.h>
#include <stdlib.h>

#define WORDS_CELLS 60u /* of first words, and of a name */
#define PART_ENTRIES 64u
#define PROMPTS_OPEN_MAX 200u /* more prompts are folded */

/* Lists of links to entries, beside the entries. */
enum list_name { PROMPTS, STATES, LABELS, COMPACTIONS, FILES, LIST_COUNT };

struct list {
    struct xylem_cli__html items;
    size_t count;
};

struct page {
    struct xylem_cli *cli;
    const struct xylem_cli__page_options *options;
    int code; /* the first failure */
    struct xylem_cli__html html;
    struct xylem_session *sessions; /* the asked one first */
    size_t session_count;
    size_t session_capacity;
    uint64_t deleted_count; /* deleted sessions of the family, which are left out */
    struct xylem_cli__tree tree;
    size_t *order;                   /* the nodes in the order of the page */
    struct xylem_cli__text *above;   /* of each node: HTML that stands above the words of the entry */
    struct xylem_cli__text *parents; /* of each node that branches go on from: first words, once they are made */
    size_t piece;                    /* under judgement: its index among the names of pieces */
    struct xylem_cli__text before;   /* the value of the piece at the entry before, as JSON */
    struct list lists[LIST_COUNT];
    uint64_t redacted_count;
    int64_t newest_ms;
    struct xylem_cli__sums sums;
    struct xylem_cli__page_cuts cuts;
    struct xylem_cli__text name;
    struct xylem_cli__left_out *left_out;
    uint64_t left_out_count; /* texts of written entries, and of the session, of which something was left out */
};

/* Remembers the first failure. Gives true without a failure so far. */
static bool goes_on(struct page *page, int code)
{
    page->code = page->code == 0 && code < 0 ? code : page->code;
    return page->code == 0;
}

static void add(struct page *page, const char *markup)
{
    xylem_cli__html_add(&page->html, markup);
}

/* Text from outside, in one line, without what the user leaves out. */
static void add_line(const struct page *page, struct xylem_cli__text *text, struct xylem_view line)
{
    xylem_cli__add_shown(page->cli, text, line, XYLEM_CLI__ONE_LINE, SIZE_MAX);
}

/* --- Which entries, and in which order ---------------------------------------------------------------------------- */

static void add_session(struct page *page, const struct xylem_session *session)
{
    goes_on(page, xylem_cli__list_add(page->cli, &page->sessions, &page->session_count, &page->session_capacity,
                                      session, sizeof *session));
}

/* Deleted sessions stay out of a family, but for entries that another session shares. */
static void add_family(struct page *page, const struct xylem_session *asked)
{
    struct xylem_cli *cli = page->cli;
    struct xylem_cli__family family = {0};
    struct xylem_session kin;
    goes_on(page, xylem_cli__family_read(cli, &family, asked));
    for (size_t i = 0; page->code == 0 && i < family.count; i++) {
        uint64_t number = family.kin[i].number;
        if (number == asked->number || !goes_on(page, xylem_session_read(&kin, cli->txn, number, &cli->err))) {
            continue;
        }
        page->deleted_count += kin.state == XYLEM_SESSION_DELETED;
        if (kin.state == XYLEM_SESSION_LIVE) {
            add_session(page, &kin);
        }
    }
    xylem_cli__family_release(&family);
}

/* True for the first entry of a branch of the page. */
static bool is_head(const struct xylem_cli__tree *tree, size_t index)
{
    const struct xylem_cli__node *node = &tree->nodes[index];
    return !node->on_path && (node->parent == XYLEM_CLI__NO_NODE || tree->nodes[node->parent].on_path ||
                              tree->nodes[node->parent].main_child != index);
}

static void find_order(struct page *page)
{
    const struct xylem_cli__tree *tree = &page->tree;
    size_t count = 0;
    for (size_t i = 0; i < tree->count; i++) { /* a parent comes before its children */
        if (tree->nodes[i].on_path) {
            page->order[count++] = i;
        }
    }
    for (size_t i = tree->count; i > 0; i--) {
        size_t at = i - 1;
        if (tree->nodes[at].on_path || tree->nodes[at].first_child != XYLEM_CLI__NO_NODE) {
            continue;
        }
        while (!is_head(tree, at)) { /* the tip leads to the head of the branch */
            at = tree->nodes[at].parent;
        }
        for (; at != XYLEM_CLI__NO_NODE; at = tree->nodes[at].main_child) {
            page->order[count++] = at;
        }
    }
}

static void read_tree(struct page *page, const struct xylem_session *asked)
{
    static const struct xylem_cli__list none = {.count = 0};
    struct xylem_cli__kinds kinds = {.given = &none};
    struct xylem_cli__filter filter = {.kinds = &kinds, .since_ms = INT64_MIN, .until_ms = INT64_MAX};
    add_session(page, asked);
    if (page->code == 0 && page->options->family) {
        add_family(page, asked);
    }
    if (page->code == 0 && goes_on(page, xylem_cli__tree_read_sessions(page->cli, &page->tree, page->sessions,
                                                                       page->session_count, &filter))) {
        page->order = calloc(page->tree.count + 1, sizeof *page->order);
        page->above = calloc(page->tree.count + 1, sizeof *page->above);
        page->parents = calloc(page->tree.count + 1, sizeof *page->parents);
        if (!page->order || !page->above || !page->parents) {
            page->code = xylem_cli__fail_memory(page->cli);
        } else {
            find_order(page);
        }
    }
}

/* --- What stands above an entry ------------------------------------------------------------------------------------- */

static void add_state(struct page *page, size_t node, const struct xylem_state *state)
{
    static const struct xylem_words_options options = {.detail = XYLEM_DETAIL_WHOLE};
    static const struct xylem_cli__look look = {.plain = true, .shape = XYLEM_CLI__ONE_LINE, .cells = WORDS_CELLS};
    struct xylem_cli__html html = {.text = page->above[node]};
    struct xylem_word words[XYLEM_WORDS_MAX];
    size_t count = xylem_piece_words(words, state, 1u << page->piece, &options);
    xylem_cli__html_add(&html, html.text.bytes.bytes > 0 ? "<br>" : "");
    xylem_cli__html_add(&html, xylem_piece_names()[page->piece]);
    xylem_cli__html_add(&html, " ");
    for (size_t i = 0; i < count; i++) {
        struct xylem_cli__text text = {0};
        bool warns = words[i].tone == XYLEM_TONE_WARN;
        bool bold = warns || words[i].tone == XYLEM_TONE_GOOD;
        xylem_cli__add_word(page->cli, &text, &words[i], &look);
        xylem_cli__html_put(&html, warns ? "<b class=\"on\">" : bold ? "<b>" : "", &text, bold ? "</b>" : "");
    }
    page->above[node] = html.text;
}

/* Keeps how the entry changed the piece. */
static int judge(void *context, const struct xylem_state *state)
{
    struct page *page = context;
    const struct xylem_reduction *reduction = &state->reduction;
    size_t node = xylem_cli__tree_at(&page->tree, state->at);
    struct xylem_cli__text now = {0};
    if (reduction->skipped_count > 0 && xylem_cli__position_equal(reduction->skipped[0].position, state->at)) {
        return 0; /* an entry that is skipped changes nothing, and the state may be long */
    }
    xylem_cli__json_piece(&now, state, 1u << page->piece, XYLEM_DETAIL_VALUE);
    if (node != XYLEM_CLI__NO_NODE &&
        !xylem_base__view_equal(xylem_cli__text_view(&now), xylem_cli__text_view(&page->before))) {
        add_state(page, node, state);
    }
    xylem_cli__part_end(&page->html.text, &page->before);
    page->before = now;
    return 0;
}

/* Finds where the state changed on the path of the leaf, piece by piece. */
static void find_changes(struct page *page)
{
    struct xylem_cli *cli = page->cli;
    struct xylem_position leaf = page->sessions[0].leaf;
    for (page->piece = 0; page->code == 0 && xylem_piece_names()[page->piece]; page->piece++) {
        const struct xylem_reduce_options options = {.pieces = 1u << page->piece};
        struct xylem_state state = {0};
        if (goes_on(page, xylem_cli__rehydrate(cli, &state, (struct xylem_position){0, 0}, NULL, &options))) {
            xylem_cli__text_clear(&page->before);
            xylem_cli__json_piece(&page->before, &state, 1u << page->piece, XYLEM_DETAIL_VALUE);
            int code = xylem_rehydrate_each(cli->txn, leaf, NULL, &options, judge, page, &cli->err);
            goes_on(page, xylem_cli__stored(cli, code, leaf));
        }
        xylem_state_release(&state);
    }
}

/* The leaves of a family have the names of their sessions. */
static void name_leaves(struct page *page)
{
    struct xylem_cli *cli = page->cli;
    for (size_t i = 0; page->code == 0 && page->options->family && i < page->session_count; i++) {
        const struct xylem_session *session = &page->sessions[i];
        size_t node = xylem_cli__tree_at(&page->tree, session->leaf);
        struct xylem_cli__text words = {0};
        struct xylem_cli__text name = {0};
        struct xylem_outline outline;
        if (node != XYLEM_CLI__NO_NODE &&
            goes_on(page, xylem_outline_read(&outline, &name.bytes, cli->txn, session, &cli->err))) {
            struct xylem_cli__html html = {.text = page->above[node]};
            add_line(page, &words, name.bytes.bytes > 0 ? xylem_cli__text_view(&name) : session->id);
            xylem_cli__html_put(&html, html.text.bytes.bytes > 0 ? "<br>leaf of " : "leaf of ", &words, "");
            page->above[node] = html.text;
        }
        xylem_cli__text_release(&name);
    }
}

/* --- The first look at the entries ---------------------------------------------------------------------------------- */

/* Adds a link to an entry, of HTML that this program made (NULL: none) and words. */
static void add_item(struct page *page, enum list_name name, struct xylem_view id, struct xylem_position position,
                     const struct xylem_cli__text *made, struct xylem_cli__text *words)
{
    struct xylem_cli__html *items = &page->lists[name].items;
    page->lists[name].count++;
    xylem_cli__html_add(items, "<li>");
    xylem_cli__html_link(page->cli, items, id, position, page->options->family);
    if (made) {
        xylem_cli__html_made(items, made);
    }
    xylem_cli__html_put(items, "", words, "</a></li>\n");
}

static bool is_listed(const struct xylem_cli__node *node, const struct xylem_cli__said *said)
{
    return node->role == XYLEM_CLI__ROLE_COMPACTION || xylem_base__view_is(said->role, "user");
}

/* Reads the words for a list. The role is read first, without a search for secrets: few entries have such words. */
static int read_listed(struct page *page, struct xylem_cli__said *said, const struct xylem_cli__node *node,
                       const struct xylem_entry *entry)
{
    struct xylem_cli *cli = page->cli;
    struct xylem_cli__left_out *left_out = cli->left_out;
    cli->left_out = NULL;
    int code = xylem_cli__said_read_beginning(cli, said, entry);
    cli->left_out = left_out;
    if (code == 0 && left_out && is_listed(node, said)) {
        xylem_cli__said_release(said);
        code = xylem_cli__said_read_beginning(cli, said, entry);
    }
    return code;
}

/* Adds the entry to the lists; `said` is zeroed for an entry without words for a list. */
static void list_entry(struct page *page, size_t node, const struct xylem_entry *entry,
                       const struct xylem_cli__said *said)
{
    const struct xylem_cli__node *of = &page->tree.nodes[node];
    struct xylem_cli__text words = {0};
    if (is_listed(of, said)) {
        xylem_cli__add_said_line(page->cli, &words, said, WORDS_CELLS);
        if (page->name.bytes.bytes == 0) {
            xylem_cli__add_bytes(&page->name, words.bytes.data, words.bytes.bytes);
        }
        add_item(page, of->role == XYLEM_CLI__ROLE_COMPACTION ? COMPACTIONS : PROMPTS, entry->id, entry->position, NULL,
                 &words);
    }
    if (of->label) {
        add_line(page, &words, of->label->text);
        add_item(page, LABELS, entry->id, entry->position, NULL, &words);
    }
    if (page->above[node].bytes.bytes > 0) {
        add_item(page, STATES, entry->id, entry->position, &page->above[node], &words);
    }
}

static void look_at(struct page *page, size_t node)
{
    struct xylem_cli *cli = page->cli;
    const struct xylem_cli__node *of = &page->tree.nodes[node];
    struct xylem_cli__said said = {0};
    struct xylem_entry entry;
    int code = xylem_cli__entry_read(cli, &entry, of->position);
    if (code == 0 && (code = xylem_cli__sums_add(cli, &page->sums, &page->sessions[0], &entry)) == 0 &&
        (of->role == XYLEM_CLI__ROLE_COMPACTION || xylem_cli__kind_is_message(entry.kind))) {
        code = read_listed(page, &said, of, &entry);
    }
    if (goes_on(page, code)) {
        page->newest_ms = entry.time_ms > page->newest_ms ? entry.time_ms : page->newest_ms;
        page->redacted_count += (entry.flags & XYLEM_ENTRY_REDACTED) != 0;
        list_entry(page, node, &entry, &said);
    }
    xylem_cli__said_release(&said);
}

static void list_files(struct page *page)
{
    struct xylem_cli__uses uses = {0};
    struct xylem_cli__text text = {0};
    struct xylem_cli__left_out *left_out = page->cli->left_out;
    page->cli->left_out = NULL; /* of all the messages only paths are shown, and add_line() searches these */
    goes_on(page, xylem_cli__uses_read(page->cli, &uses, &page->sessions[0], page->sessions[0].leaf));
    page->cli->left_out = left_out;
    for (size_t i = 0; page->code == 0 && i < uses.count; i++) {
        const struct xylem_cli__use *use = &uses.list[i];
        xylem_cli__addf(&text, "%s ", use->by);
        add_line(page, &text, (struct xylem_view){use->path.data, use->path.bytes});
        xylem_cli__add_next_counted(&text, use->call_count, "call", "calls");
        add_item(page, FILES, use->entry_id, use->position, NULL, &text);
    }
    xylem_cli__uses_release(&uses);
}

/* --- The head ------------------------------------------------------------------------------------------------------- */

static void add_fact(struct page *page, const char *name, struct xylem_cli__text *text)
{
    add(page, "<div><dt>");
    add(page, name);
    xylem_cli__html_put(&page->html, "</dt> <dd>", text, "</dd></div>\n");
}

static void add_facts(struct page *page)
{
    const struct xylem_session *session = &page->sessions[0];
    const struct xylem_cli__sum *total = &page->sums.total;
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {{"sessions", page->options->family ? page->session_count : 0},
                  {"entries", page->tree.count},
                  {"tips", page->tree.tip_count},
                  {"redacted entries", page->redacted_count},
                  {"tokens in", total->input + total->cache_read + total->cache_write},
                  {"tokens out", total->output}};
    struct xylem_cli__text text = {0};
    uint64_t before = page->left_out->count;
    add_line(page, &text, session->id);
    xylem_cli__html_put(&page->html, "<dl class=\"facts\">\n<div><dt>session</dt> <dd><code>", &text,
                        "</code></dd></div>\n");
    if (session->cwd.bytes > 0) {
        add_line(page, &text, session->cwd);
        add_fact(page, "directory", &text);
    }
    page->left_out_count += page->left_out->count - before;
    xylem_cli__add_minute(&text, session->created_ms);
    add_fact(page, "begun", &text);
    if (page->tree.count > 0) {
        xylem_cli__add_minute(&text, page->newest_ms);
        add_fact(page, "last entry", &text);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (counts[i].count > 0) {
            xylem_cli__add_count(&text, counts[i].count);
            add_fact(page, counts[i].name, &text);
        }
    }
    if (total->entry_count > 0) {
        xylem_cli__addf(&text, total->cost > 0 && total->cost < 1 ? "$%.4f" : "$%.2f", total->cost);
        add_fact(page, "cost", &text);
    }
    add(page, "</dl>\n");
}

/* The command that goes on with the session, in the host that keeps the session. */
static void add_way_back(struct page *page)
{
    const struct xylem_session *session = &page->sessions[0];
    struct xylem_cli__text word = {0};
    struct xylem_cli__text line = {0};
    bool there = false;
    int code = xylem_cli__host_file(page->cli, &word, &there, session);
    if (goes_on(page, code) && session->state == XYLEM_SESSION_LIVE) {
        xylem_cli__text_clear(&word);
        add_line(page, &word, session->id);
        xylem_cli__add(&line, code == 1 ? "pi --session " : "xylem open ");
        xylem_cli__add_shell_path(page->cli, &line, word.failed ? "" : word.bytes.data);
        xylem_cli__html_put(&page->html, "<p class=\"back\"><code>", &line, "</code></p>\n");
    }
    xylem_cli__part_end(&page->html.text, &word);
}

static void add_head(struct page *page)
{
    struct xylem_cli__text text = {0};
    enum xylem_session_state state = page->sessions[0].state;
    xylem_cli__html_begin(&page->html, xylem_cli__text_view(&page->name), "To the conversation",
                          page->options->highlight);
    add(page, "<header class=\"top\">");
    if (page->options->index) {
        add(page, "<p class=\"index\"><a href=\"");
        add(page, page->options->index);
        add(page, "\">All sessions</a></p>\n");
    }
    xylem_cli__html_put(&page->html, "<h1>", &page->name, "</h1>\n");
    add_facts(page);
    add_way_back(page);
    add(page, "<p class=\"notice\">");
    add(page, state == XYLEM_SESSION_LIVE      ? ""
              : state == XYLEM_SESSION_DELETED ? "This session is deleted. "
                                               : "The import of this session has not ended. ");
    if (page->deleted_count > 0) {
        xylem_cli__add_counted(&text, page->deleted_count, "deleted session", "deleted sessions");
        xylem_cli__html_put(&page->html, "The page lacks ", &text, " of the family. ");
    }
    add(page, page->options->unredacted ? "Secrets were not looked for. " : "What looks like a secret is left out. ");
    add(page, "<a href=\"#cuts\">What the page leaves out</a></p>\n</header>\n");
}

/* --- The column beside the entries ---------------------------------------------------------------------------------- */

static void add_list(struct page *page, enum list_name name, bool open)
{
    static const char *const titles[LIST_COUNT] = {"Prompts", "State", "Labels", "Compactions", "Files"};
    struct list *list = &page->lists[name];
    if (list->count > 0) {
        add(page, open ? "<details open><summary>" : "<details><summary>");
        add(page, titles[name]);
        add(page, " <span class=\"n\">");
        xylem_cli__html_count(&page->html, list->count);
        add(page, "</span></summary><ol>\n");
        xylem_cli__html_made(&page->html, &list->items.text);
        add(page, "</ol></details>\n");
    }
    xylem_cli__text_release(&list->items.text);
}

static void add_beside(struct page *page)
{
    if (page->tree.count == 0) {
        return;
    }
    add(page, "<div class=\"beside\">\n<nav class=\"map\" aria-label=\"Map of the entries\">\n");
    goes_on(page, xylem_cli__html_map(page->cli, &page->html, &page->tree, page->options->family));
    add(page, "</nav>\n<nav class=\"prompts\" aria-label=\"Prompts\">\n");
    add_list(page, PROMPTS, page->lists[PROMPTS].count <= PROMPTS_OPEN_MAX);
    add(page, "</nav>\n<section class=\"sums\" aria-label=\"Sums\">\n");
    for (enum list_name name = STATES; name < LIST_COUNT; name++) {
        add_list(page, name, false);
    }
    add(page, "</section>\n</div>\n");
}

/* --- The entries ---------------------------------------------------------------------------------------------------- */

/* Begins the section of a branch, with a link to the entry that the branch goes on from. */
static void begin_branch(struct page *page, size_t head, size_t count)
{
    const struct xylem_cli__tree *tree = &page->tree;
    size_t parent = tree->nodes[head].parent;
    struct xylem_cli__text words = {0};
    struct xylem_entry entry;
    xylem_cli__add_counted(&words, count, "entry", "entries");
    xylem_cli__html_put(&page->html, "</section>\n<section class=\"branch\" aria-label=\"Branch of ", &words, "\">\n");
    if (parent == XYLEM_CLI__NO_NODE) {
        add(page, "<p class=\"from\">begins anew</p>\n");
    } else if (goes_on(page, xylem_cli__entry_read(page->cli, &entry, tree->nodes[parent].position)) &&
               (page->parents[parent].bytes.bytes > 0 ||
                goes_on(page, xylem_cli__add_summary(page->cli, &page->parents[parent], &entry, WORDS_CELLS)))) {
        xylem_cli__add_bytes(&words, page->parents[parent].bytes.data, page->parents[parent].bytes.bytes);
        add(page, "<p class=\"from\">goes on from ");
        xylem_cli__html_link(page->cli, &page->html, entry.id, entry.position, page->options->family);
        xylem_cli__html_put(&page->html, "", &words, "</a></p>\n");
    }
}

static void add_entry(struct page *page, size_t node)
{
    struct xylem_cli *cli = page->cli;
    const struct xylem_cli__node *of = &page->tree.nodes[node];
    const struct xylem_cli__beside beside = {.family = page->options->family,
                                             .label = of->label ? of->label->text : (struct xylem_view){NULL, 0},
                                             .state = &page->above[node],
                                             .is_leaf = node == page->tree.leaf};
    struct xylem_entry entry;
    uint64_t before = page->left_out->count;
    if (goes_on(page, xylem_cli__entry_read(cli, &entry, of->position))) {
        page->code = xylem_cli__html_entry(cli, &page->html, &page->cuts, &entry, &beside);
    }
    page->left_out_count += page->left_out->count - before;
    xylem_cli__text_release(&page->above[node]);
}

/* Many entries stand in parts: the browser lays a part out when the part comes near the view. */
static void add_run(struct page *page, size_t begin, size_t end)
{
    for (size_t i = begin; page->code == 0 && i < end; i++) {
        size_t at = (i - begin) % PART_ENTRIES;
        bool in_part = i - at + PART_ENTRIES <= end;
        add(page, in_part && at == 0 ? "<div class=\"part\">\n" : "");
        add_entry(page, page->order[i]);
        add(page, in_part && at == PART_ENTRIES - 1 ? "</div>\n" : "");
    }
}

static void add_entries(struct page *page)
{
    const struct xylem_cli__tree *tree = &page->tree;
    add(page, "<main id=\"path\" tabindex=\"-1\">\n<section class=\"branch main\" aria-label=\"Path of the leaf\">\n");
    add(page, tree->leaf != XYLEM_CLI__NO_NODE ? ""
              : tree->count == 0               ? "<p class=\"from\">No entry yet.</p>\n"
                                               : "<p class=\"from\">The session has no current entry.</p>\n");
    for (size_t i = 0, end = 0; page->code == 0 && i < tree->count; i = end) {
        for (end = i + 1; end < tree->count && !is_head(tree, page->order[end]);) {
            end++;
        }
        if (is_head(tree, page->order[i])) {
            begin_branch(page, page->order[i], end - i);
        }
        add_run(page, i, end);
    }
    add(page, "</section>\n</main>\n");
}

/* Stands at the end, because the counts are known then. */
static void add_foot(struct page *page)
{
    const struct xylem_cli__page_cuts *cuts = &page->cuts;
    const struct {
        uint64_t count;
        uint64_t bytes;
        const char *one;
        const char *many;
    } rows[] = {{page->left_out_count, 0, "text lacks what a pattern matches", "texts lack what a pattern matches"},
                {cuts->image_count, cuts->image_bytes, "image is not shown", "images are not shown"},
                {cuts->text_count, cuts->text_bytes, "text is cut", "texts are cut"},
                {cuts->markdown_count, 0, "text is shown as written: its Markdown costs too much",
                 "texts are shown as written: their Markdown costs too much"}};
    bool is_whole = true;
    add(page, "<footer class=\"notice\" id=\"cuts\"><p>What the page leaves out:</p>\n<ul>\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct xylem_cli__text text = {0};
        if (rows[i].count > 0) {
            is_whole = false;
            xylem_cli__add_counted(&text, rows[i].count, rows[i].one, rows[i].many);
            xylem_cli__add(&text, rows[i].bytes > 0 ? ", " : "");
            if (rows[i].bytes > 0) {
                xylem_cli__add_size(&text, rows[i].bytes);
            }
            xylem_cli__html_put(&page->html, "<li>", &text, "</li>\n");
        }
    }
    add(page, is_whole ? "<li>nothing</li>\n</ul></footer>\n" : "</ul></footer>\n");
}

/* --- The page ------------------------------------------------------------------------------------------------------- */

static void gather(struct page *page)
{
    find_changes(page);
    add_line(page, &page->name, page->tree.labels.name);
    for (size_t i = 0; page->code == 0 && i < page->tree.count; i++) {
        look_at(page, page->order[i]);
    }
    xylem_cli__sums_end(&page->sums);
    if (page->name.bytes.bytes == 0) {
        add_line(page, &page->name, page->sessions[0].id);
    }
    if (page->code == 0) {
        list_files(page);
        name_leaves(page);
    }
}

static void write_page(struct page *page)
{
    uint64_t before = page->left_out->count;
    gather(page);
    if (page->code == 0) {
        add_head(page);
        add_beside(page);
    }
    if (page->code == 0) {
        add_entries(page);
        add_foot(page);
        xylem_cli__html_end(&page->html, page->options->highlight);
    }
    if (page->code == 0) {
        page->code = xylem_cli__html_flush(page->cli, &page->html, true);
    }
    /* what stands beside the entries is theirs, and counts once */
    page->left_out->count = before + page->left_out_count;
}

static void release(struct page *page)
{
    for (size_t i = 0; i < LIST_COUNT; i++) {
        xylem_cli__text_release(&page->lists[i].items.text);
    }
    for (size_t i = 0; page->above && page->parents && i < page->tree.count; i++) {
        xylem_cli__text_release(&page->above[i]);
        xylem_cli__text_release(&page->parents[i]);
    }
    xylem_cli__text_release(&page->before);
    xylem_cli__text_release(&page->name);
    xylem_cli__text_release(&page->html.text);
    free(page->sessions);
    free(page->order);
    free(page->above);
    free(page->parents);
    xylem_cli__tree_release(&page->tree);
    xylem_cli__sums_release(&page->sums);
}

int xylem_cli__export_page(struct xylem_cli *cli, const struct xylem_session *session,
                           const struct xylem_cli__page_options *options,
                           int (*write)(void *context, const void *data, size_t bytes), void *context)
{
    struct page page = {.cli = cli, .options = options, .html = {.write = write, .context = context}};
    struct xylem_cli__locale utf8 = {.asked = true, .utf8 = true};
    struct xylem_cli__left_out nothing = {.count = 0};
    struct xylem_cli__locale *locale = cli->locale;
    bool colored = cli->colored;
    page.left_out = cli->left_out ? cli->left_out : &nothing;
    page.sums = (struct xylem_cli__sums){
        .usage = true, .by = XYLEM_CLI__SUMS_MODEL, .since_ms = INT64_MIN, .until_ms = INT64_MAX};
    setlocale(LC_CTYPE, "C.UTF-8"); /* a page is the same in every locale, and from every terminal */
    cli->locale = &utf8;
    cli->colored = false;
    read_tree(&page, session);
    if (page.code == 0) {
        write_page(&page);
    }
    setlocale(LC_CTYPE, locale->asked ? "" : "C");
    cli->locale = locale;
    cli->colored = colored;
    release(&page);
    return page.code;
}
