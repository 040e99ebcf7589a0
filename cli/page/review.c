/*
 * An entry as Markdown, inside of a review. Words of an entry are Markdown themselves: libcmark-gfm parses the words,
 * tame() changes the document, and libcmark-gfm prints the document with closed blocks.
 */
#include "cli/page/review.h"
#include "cli/page/markdown.h"

#include <cmark-gfm.h>
#include <string.h>

#define CODE_CELLS_MAX 160u
#define LEVELS_DOWN 3 /* the headings of the review stand above those of entries */
#define LEVEL_MAX 6
#define START_MAX 99999 /* of a list: a number of ten digits begins no item, and the printer counts on */

/* --- Code that holds any text -------------------------------------------------------------------------------------- */

/* The longest run of backquotes. */
static size_t longest_run(struct xylem_view text)
{
    size_t longest = 0;
    size_t run = 0;
    for (size_t i = 0; i < text.bytes; i++) {
        run = text.data[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* Appends the beginning of a text in one line, without unseen characters. */
static void add_line(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view words)
{
    struct xylem_cli__text shown = {0};
    xylem_cli__add_shown(cli, &shown, words, XYLEM_CLI__ONE_LINE, CODE_CELLS_MAX);
    xylem_cli__add_visible(text, xylem_cli__text_view(&shown));
    xylem_cli__part_end(text, &shown);
}

void xylem_cli__review_code(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view words)
{
    struct xylem_cli__text shown = {0};
    add_line(cli, &shown, words);
    struct xylem_view code = xylem_cli__text_view(&shown);
    size_t fence = longest_run(code) + 1;
    const char *space = fence > 1 || code.bytes == 0 ? " " : ""; /* a backquote at an end would lengthen the fence */
    xylem_cli__add_repeated(text, "`", fence);
    xylem_cli__add(text, space);
    xylem_cli__add_bytes(text, code.data, code.bytes);
    xylem_cli__add(text, space);
    xylem_cli__add_repeated(text, "`", fence);
    xylem_cli__part_end(text, &shown);
}

void xylem_cli__review_words(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view words)
{
    struct xylem_cli__text shown = {0};
    add_line(cli, &shown, words);
    for (size_t i = 0; i < shown.bytes.bytes; i++) {
        char byte = shown.bytes.data[i];
        xylem_cli__add(text, byte && strchr("\\`*_[]<>&|~#!$", byte) ? "\\" : "");
        xylem_cli__add_bytes(text, &byte, 1);
    }
    xylem_cli__part_end(text, &shown);
}

static size_t line_bytes(struct xylem_view text)
{
    const char *newline = memchr(text.data, '\n', text.bytes);
    return newline ? (size_t)(newline + 1 - text.data) : text.bytes;
}

/*
 * Adds a block between fences. Bots take a line that begins with `/` as a command, even within a fence. A block with
 * such a line is indented: a reader of Markdown takes as many spaces from the lines as the fence has.
 */
static void add_block(struct xylem_cli__text *text, struct xylem_view block)
{
    bool commands = memmem(block.data, block.bytes, "\n/", 2);
    for (size_t at = 0, bytes = 0; at < block.bytes; at += bytes) {
        struct xylem_view rest = {block.data + at, block.bytes - at};
        bytes = line_bytes(rest);
        xylem_cli__add(text, commands ? " " : "");
        xylem_cli__add_bytes(text, rest.data, bytes);
    }
}

static void add_fenced(struct xylem_cli__text *text, struct xylem_view words)
{
    struct xylem_cli__text shown = {0};
    struct xylem_cli__text block = {0};
    xylem_cli__add_visible(&shown, words);
    struct xylem_view view = xylem_cli__text_view(&shown);
    size_t run = longest_run(view);
    size_t fence = run < 3 ? 3 : run + 1;
    bool ends = view.bytes == 0 || view.data[view.bytes - 1] == '\n';
    xylem_cli__add_repeated(&block, "`", fence);
    xylem_cli__add(&block, "text\n");
    xylem_cli__add_bytes(&block, view.data, view.bytes);
    xylem_cli__add(&block, ends ? "" : "\n");
    xylem_cli__add_repeated(&block, "`", fence);
    xylem_cli__add(&block, "\n");
    add_block(text, xylem_cli__text_view(&block));
    xylem_cli__part_end(text, &block);
    xylem_cli__part_end(text, &shown);
}

static void add_left_out(struct xylem_cli__text *text, size_t bytes)
{
    if (bytes > 0) {
        xylem_cli__add(text, "\n*");
        xylem_cli__add_counted(text, bytes, "byte is left out here", "bytes are left out here");
        xylem_cli__add(text, "*\n");
    }
}

static void add_output(struct xylem_cli__text *text, struct xylem_view words)
{
    struct xylem_view begin = xylem_base__utf8_beginning(words, XYLEM_CLI__REVIEW_OUTPUT_MAX);
    add_fenced(text, begin);
    add_left_out(text, words.bytes - begin.bytes);
}

/* `output, 340 lines, 12.0 KiB` */
static void add_folded(struct xylem_cli__text *text, const char *what, struct xylem_view words)
{
    xylem_cli__addf(text, "<details><summary>%s", what);
    xylem_cli__add_next_counted(text, xylem_cli__line_count(words), "line", "lines");
    xylem_cli__add(text, ", ");
    xylem_cli__add_size(text, words.bytes);
    xylem_cli__add(text, "</summary>\n\n");
    add_output(text, words);
    xylem_cli__add(text, "\n</details>\n");
}

/* --- Words that are Markdown --------------------------------------------------------------------------------------- */

static cmark_node *node_of(cmark_node_type type, const char *literal)
{
    cmark_node *node = cmark_node_new_with_mem(type, xylem_cli__markdown_memory());
    (void)cmark_node_set_literal(node, literal);
    return node;
}

static void put(cmark_node *before, cmark_node_type type, const char *literal)
{
    (void)cmark_node_insert_before(before, node_of(type, literal));
}

/*
 * Puts text before a node. The printer escapes characters with a meaning, but a backslash is not enough for `<` and
 * `|`: readers with links of bare addresses take the backslash into the address, and a cell of a table ends at a `|`. A
 * space at the beginning of a line would hide the line's `===` from the printer, and a `/` would begin a command of a
 * bot.
 */
static void put_text(cmark_node *before, const char *text)
{
    cmark_node_type previous = cmark_node_get_type(cmark_node_previous(before));
    if ((*text == ' ' || *text == '/') &&
        (previous == CMARK_NODE_NONE || previous == CMARK_NODE_SOFTBREAK || previous == CMARK_NODE_LINEBREAK)) {
        put(before, CMARK_NODE_HTML_INLINE, *text++ == ' ' ? "&#32;" : "\\/");
    }
    while (*text) {
        size_t bytes = strcspn(text, "<|");
        char *part = xylem_cli__markdown_memory()->calloc(bytes + 1, 1);
        memcpy(part, text, bytes);
        put(before, CMARK_NODE_TEXT, part);
        text += bytes;
        if (*text) {
            put(before, CMARK_NODE_HTML_INLINE, *text++ == '<' ? "&lt;" : "&#124;");
        }
    }
}

/* Code with what would mean something, if a reader saw no span of code here, is text within an element. */
static void put_code(cmark_node *before, const char *code)
{
    if (!strpbrk(code, "<|[\n")) {
        put(before, CMARK_NODE_CODE, code);
        return;
    }
    put(before, CMARK_NODE_HTML_INLINE, "<code>");
    put_text(before, code);
    put(before, CMARK_NODE_HTML_INLINE, "</code>");
}

/*
 * Makes a link of a link or an image, or its text and its address: if the link leads elsewhere, or stands in another
 * link.
 */
static void tame_link(cmark_node *node)
{
    const char *url = cmark_node_get_url(node);
    cmark_node *outer = cmark_node_parent(node);
    cmark_node *link = NULL;
    cmark_node *child;
    while (outer && cmark_node_get_type(outer) != CMARK_NODE_LINK && cmark_node_get_type(outer) != CMARK_NODE_IMAGE) {
        outer = cmark_node_parent(outer);
    }
    if (!outer && xylem_cli__markdown_leads(url) && !strpbrk(url, " \t\n\v\f\r\"<>\\`|")) {
        link = node_of(CMARK_NODE_LINK, NULL);
        (void)cmark_node_set_url(link, url);
        (void)cmark_node_insert_before(node, link);
        /* a link with its address in front would be printed as `<ADDRESS>`, even an address like `mailto:details` */
        (void)cmark_node_append_child(link, node_of(CMARK_NODE_HTML_INLINE, ""));
        (void)cmark_node_append_child(link, node_of(CMARK_NODE_TEXT, cmark_node_first_child(node) ? "" : url));
    }
    while ((child = cmark_node_first_child(node))) {
        (void)(link ? cmark_node_append_child(link, child) : cmark_node_insert_before(node, child));
    }
    if (!link) {
        put(node, CMARK_NODE_TEXT, " ");
        put_code(node, url);
    }
    cmark_node_unlink(node);
}

/* The printer leaves out the empty lines of a tight list, and only paragraphs need none. */
static void tame_list(cmark_node *list)
{
    int start = cmark_node_get_list_start(list);
    for (cmark_node *item = cmark_node_first_child(list); item; item = cmark_node_next(item)) {
        cmark_node *block = cmark_node_first_child(item);
        if (cmark_node_get_type(block) != CMARK_NODE_PARAGRAPH || cmark_node_next(block)) {
            (void)cmark_node_set_list_tight(list, 0);
        }
    }
    (void)cmark_node_set_list_start(list, start > START_MAX ? START_MAX : start);
}

/* Forges run or draw such code, or offer a commit of the code. */
static bool is_acted_on(const char *language)
{
    static const char *const words[] = {"suggestion", "mermaid",  "math",  "geojson", "topojson",
                                        "stl",        "plantuml", "kroki", "glql",    NULL};
    const char *const *word = words;
    while (*word && strcmp(language, *word) != 0) {
        word++;
    }
    return *word != NULL;
}

static void tame_code(cmark_node *block)
{
    char language[XYLEM_CLI__LANGUAGE_MAX + 1];
    xylem_cli__markdown_language(language, xylem_view_of(cmark_node_get_fence_info(block)));
    (void)cmark_node_set_fence_info(
        block, *language && !is_acted_on(language) ? language : "text"); /* without a word, no fence is printed */
}

/* Changes a node behind the iterator: the text stays text, and no heading becomes a heading of the review. */
static void tame(cmark_node *node)
{
    cmark_node_type type = cmark_node_get_type(node);
    int level = cmark_node_get_heading_level(node) + LEVELS_DOWN;
    if (type == CMARK_NODE_HEADING) {
        (void)cmark_node_set_heading_level(node, level < LEVEL_MAX ? level : LEVEL_MAX);
    } else if (type == CMARK_NODE_LIST) {
        tame_list(node);
    } else if (type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE) {
        tame_link(node);
    } else if (type == CMARK_NODE_CODE_BLOCK) {
        tame_code(node);
    } else if (type == CMARK_NODE_HTML_BLOCK) {
        put(node, CMARK_NODE_CODE_BLOCK, cmark_node_get_literal(node));
        tame_code(cmark_node_previous(node));
        cmark_node_unlink(node);
    } else if (type == CMARK_NODE_THEMATIC_BREAK) { /* printed as `-----`, which underlines a heading */
        put(node, CMARK_NODE_HTML_BLOCK, "***");
        cmark_node_unlink(node);
    } else if (type == CMARK_NODE_CODE) {
        put_code(node, cmark_node_get_literal(node));
        cmark_node_unlink(node);
    } else if (type == CMARK_NODE_TEXT || type == CMARK_NODE_HTML_INLINE) {
        put_text(node, cmark_node_get_literal(node));
        cmark_node_unlink(node);
    }
}

/* Adds the printed document. At the beginning of a line, a block of code has its fence alone. */
static void add_printed(struct xylem_cli__text *text, struct xylem_view printed)
{
    for (size_t at = 0, bytes = 0; at < printed.bytes; at += bytes) {
        struct xylem_view rest = {printed.data + at, printed.bytes - at};
        size_t fence = xylem_base__skip(rest, 0, "`");
        bytes = line_bytes(rest);
        if (fence < 3) {
            xylem_cli__add_bytes(text, rest.data, bytes);
            continue;
        }
        struct xylem_view line;
        do { /* to the end of the block */
            line = (struct xylem_view){rest.data + bytes, rest.bytes - bytes};
            line.bytes = line_bytes(line);
            bytes += line.bytes;
        } while (line.bytes > 0 && (xylem_base__skip(line, 0, "`") != fence || line.bytes != fence + 1));
        add_block(text, (struct xylem_view){rest.data, bytes});
    }
}

static bool take(void *context, struct xylem_view piece, cmark_node *document)
{
    struct xylem_cli__text *text = context;
    cmark_event_type event;
    if (!document) {
        xylem_cli__add(text, "\n");
        add_fenced(text, piece);
        return true;
    }
    cmark_consolidate_text_nodes(document);
    cmark_iter *iter = cmark_iter_new(document);
    while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(iter);
        if (event == CMARK_EVENT_EXIT || cmark_node_get_literal(node) ||
            cmark_node_get_type(node) == CMARK_NODE_THEMATIC_BREAK) {
            tame(node);
        }
    }
    char *printed = cmark_render_commonmark_with_mem(document, CMARK_OPT_DEFAULT, 0, xylem_cli__markdown_memory());
    struct xylem_view view = xylem_view_of(printed);
    if (view.bytes > xylem_cli__markdown_bytes_max(piece)) {
        return false;
    }
    struct xylem_cli__text visible = {0};
    xylem_cli__add_visible(&visible, view);
    xylem_cli__add(text, "\n");
    add_printed(text, xylem_cli__text_view(&visible));
    xylem_cli__part_end(text, &visible);
    return true;
}

/* --- An entry ------------------------------------------------------------------------------------------------------ */

struct review {
    struct xylem_cli *cli;
    struct xylem_cli__text *text;
    uint64_t *markdown_ns;
    bool verbatim; /* words are the output of a program, and no Markdown */
};

static void add_words(struct review *review, struct xylem_view words)
{
    struct xylem_view begin = xylem_base__utf8_beginning(words, XYLEM_CLI__REVIEW_WORDS_MAX);
    (void)xylem_cli__markdown_each(review->cli, review->markdown_ns, begin, take, review->text);
    add_left_out(review->text, words.bytes - begin.bytes);
}

/* A line with a word of the program, and a short text. */
static void add_note(struct review *review, const char *what, struct xylem_view words, const char *end)
{
    xylem_cli__add(review->text, what);
    xylem_cli__review_code(review->cli, review->text, words);
    xylem_cli__add(review->text, end);
}

/* `calls `bash`: `ls -l``, or data of another kind. */
static void add_value(struct review *review, const struct xylem_cli__passage *passage)
{
    bool is_call = passage->type == XYLEM_CLI__CALL;
    const struct xylem_value *value = is_call ? xylem_cli__call_argument(passage->value) : passage->value;
    struct xylem_cli__text json = {0};
    json.failed = value && xylem_value_json(&json.bytes, value) != 0;
    struct xylem_view view = xylem_cli__text_view(&json);
    if (!is_call) {
        add_folded(review->text, "data", view);
    } else {
        add_note(review, "calls ", passage->name, value ? "" : "\n");
    }
    if (is_call && value) {
        bool is_string = xylem_value_type(value) == XYLEM_VALUE_STRING;
        add_note(review, ": ", is_string ? xylem_value_string(value) : view, "\n");
    }
    xylem_cli__part_end(review->text, &json);
}

static bool visit(void *context, const struct xylem_cli__passage *passage)
{
    struct review *review = context;
    if (passage->type == XYLEM_CLI__WORDS && !review->verbatim) {
        add_words(review, passage->words);
        return true;
    }
    xylem_cli__add(review->text, "\n");
    switch (passage->type) {
    case XYLEM_CLI__WORDS:
        add_folded(review->text, "output", passage->words);
        break;
    case XYLEM_CLI__THINKING:
        add_folded(review->text, "thinking", passage->words);
        break;
    case XYLEM_CLI__CALL:
    case XYLEM_CLI__DATA:
        add_value(review, passage);
        break;
    case XYLEM_CLI__SECTION:
        add_note(review, "section ", passage->name, "\n\n");
        add_folded(review->text, "text", passage->words);
        break;
    case XYLEM_CLI__IMAGE:
        add_note(review, "not shown here: image ", passage->words, "\n");
        break;
    case XYLEM_CLI__NOTE:
        add_note(review, "note: ", passage->words, "\n");
        break;
    case XYLEM_CLI__SHELL:
    case XYLEM_CLI__FAILURE:
        xylem_cli__add(review->text, passage->type == XYLEM_CLI__SHELL ? "ran:\n\n" : "failed:\n\n");
        add_output(review->text, passage->words);
        break;
    }
    return true;
}

/* `### toolResult `bash`, failed, 2026-11-20 17:18 UTC, `8d16e680`` */
static void add_heading(struct review *review, const struct xylem_cli__said *said, const struct xylem_entry *entry)
{
    struct xylem_cli *cli = review->cli;
    struct xylem_cli__text who = {0};
    xylem_cli__add_who_exactly(cli, &who, said);
    xylem_cli__add(review->text, "### ");
    xylem_cli__review_words(cli, review->text, xylem_cli__text_view(&who));
    if (said->subject.data) {
        xylem_cli__add(review->text, " ");
        xylem_cli__review_code(cli, review->text, said->subject);
    }
    xylem_cli__add(review->text, said->failed ? ", failed, " : ", ");
    xylem_cli__add_iso(review->text, entry->time_ms);
    xylem_cli__add(review->text, ", ");
    xylem_cli__review_code(cli, review->text, entry->id);
    xylem_cli__add(review->text, "\n");
    xylem_cli__part_end(review->text, &who);
}

int xylem_cli__review_entry(struct xylem_cli *cli, struct xylem_cli__text *text, uint64_t *markdown_ns,
                            const struct xylem_entry *entry)
{
    struct review review = {.cli = cli, .text = text, .markdown_ns = markdown_ns};
    struct xylem_cli__said said;
    int code = xylem_cli__said_read(cli, &said, entry);
    if (code == 0) {
        review.verbatim = xylem_cli__said_is_output(&said);
        add_heading(&review, &said, entry);
        xylem_cli__said_each(&said, visit, &review);
        xylem_cli__add(text, "\n");
    }
    xylem_cli__said_release(&said);
    return code == 0 && text->failed ? xylem_cli__fail_memory(cli) : code;
}
