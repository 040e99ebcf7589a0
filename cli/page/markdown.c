/*
 * Parses Markdown, and paints it as HTML. libcmark-gfm parses; the library's HTML is never used. Texts become the
 * literals of markup_of(), paint_link() and begin_code(), around escaped text.
 */
#include "cli/page/markdown.h"
#include "cli/page/markdown_cut.h"
#include "xylem/files.h"

#include <cmark-gfm-core-extensions.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ARENA_BYTES 16777216u
#define ALIGNMENT 16u
#define PAGE_NS_MAX UINT64_C(5000000000)
#define FACTOR_MAX 16u /* bytes made of a byte of Markdown: a definition may be used again and again */
#define BYTES_MIN 4096u
#define DEPTH_MAX 64u /* browsers lay out deeper elements slowly, or not at all */

/* --- Memory of the parser ----------------------------------------------------------------------------------------- */

/*
 * The parser allocates without bound (82 MB for 64 KiB of table rows), and cannot go on without memory: it aborts. So a
 * full arena leaves the parser by longjmp(). Nothing is lost by the jump: the parser's memory lies in the arena, and
 * the parser holds no lock and no file. The table of special characters keeps the characters of the extensions; the
 * next parser adds the same characters.
 */
struct arena {
    jmp_buf full;
    size_t bytes;               /* taken */
    struct xylem_buffer joined; /* for leave_out(): of the heap, but released with the arena */
    struct xylem_buffer left;
    _Alignas(ALIGNMENT) char memory[ARENA_BYTES];
};

/* The parser hands no context to its allocator. */
static _Thread_local struct arena *arena;

static void *arena_take(size_t bytes)
{
    if (bytes > ARENA_BYTES - ALIGNMENT || bytes + ALIGNMENT > ARENA_BYTES - arena->bytes) {
        longjmp(arena->full, 1);
    }
    void *block = arena->memory + arena->bytes;
    arena->bytes += (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    return block;
}

static void *arena_calloc(size_t count, size_t bytes)
{
    size_t product = 0;
    if (__builtin_mul_overflow(count, bytes, &product)) {
        longjmp(arena->full, 1);
    }
    void *block = arena_take(product);
    memset(block, 0, product); /* a piece before may have used the memory */
    return block;
}

/* Copies too much: what follows the old block is of the arena too, up to the end of the new block. */
static void *arena_realloc(void *old, size_t bytes)
{
    void *block = arena_take(bytes);
    return old ? memmove(block, old, bytes) : block;
}

static void arena_free(void *block)
{
    (void)block;
}

static cmark_mem arena_memory = {arena_calloc, arena_realloc, arena_free};

struct cmark_mem *xylem_cli__markdown_memory(void)
{
    return &arena_memory;
}

/* --- Parsing ------------------------------------------------------------------------------------------------------- */

static uint64_t processor_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static cmark_node *parse(struct xylem_view text)
{
    static const char *const extensions[] = {"table", "strikethrough", "tasklist"};
    cmark_gfm_core_extensions_ensure_registered();
    cmark_parser *parser = cmark_parser_new_with_mem(CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE, &arena_memory);
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
        (void)cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension(extensions[i]));
    }
    cmark_parser_feed(parser, text.data, text.bytes);
    return cmark_parser_finish(parser);
}

static bool is_too_deep(cmark_node *node)
{
    size_t depth = 0;
    while (node && depth <= DEPTH_MAX) {
        cmark_node *child = cmark_node_first_child(node);
        depth += child ? 1 : 0;
        while (!child && node && !(child = cmark_node_next(node))) {
            node = cmark_node_parent(node);
            depth--;
        }
        node = child;
    }
    return node != NULL;
}

/* Puts the text that patterns left in the place of the block's content. */
static void replace_content(cmark_node *block, struct xylem_view left)
{
    char *literal = arena_calloc(left.bytes + 1, 1);
    cmark_node *text = cmark_node_new_with_mem(CMARK_NODE_TEXT, &arena_memory);
    memcpy(literal, left.data, left.bytes);
    (void)cmark_node_set_literal(text, literal);
    while (cmark_node_first_child(block)) {
        cmark_node_unlink(cmark_node_first_child(block));
    }
    (void)cmark_node_append_child(block, text);
}

/*
 * Patterns searched the text as written, where `ghp\_` and `**` hide a secret. Here patterns search a block as a reader
 * sees the block; a block with a match becomes its text without the match.
 */
static void leave_out(struct xylem_cli__left_out *left_out, cmark_node *document)
{
    cmark_event_type event;
    cmark_iter *iter = cmark_iter_new(document);
    while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(iter);
        cmark_node_type type = cmark_node_get_type(node);
        struct xylem_buffer *joined = &arena->joined;
        bool breaks = type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK;
        if ((type & CMARK_NODE_TYPE_MASK) == CMARK_NODE_TYPE_INLINE) {
            struct xylem_view literal = xylem_view_of(breaks ? "\n" : cmark_node_get_literal(node));
            if (event == CMARK_EVENT_ENTER && xylem_buffer_add(joined, literal.data, literal.bytes) < 0) {
                longjmp(arena->full, 1);
            }
            continue;
        }
        struct xylem_view text = {joined->data, joined->bytes};
        arena->left.bytes = 0;
        int found = event == CMARK_EVENT_EXIT && text.bytes > 0
                        ? xylem_patterns_redact_text(&arena->left, left_out->patterns, text, NULL)
                        : 0;
        if (found != 0) {
            struct xylem_view left = {arena->left.data, arena->left.bytes};
            left_out->count++;
            replace_content(node, found < 0 ? xylem_view_of("[redacted]") : left);
        }
        joined->bytes = 0;
    }
}

/* Hands the document of a piece over; false if a bound was met. */
static bool take_document(const struct xylem_cli *cli, uint64_t *used_ns, struct xylem_view piece,
                          xylem_cli__markdown_taker *take, void *context)
{
    uint64_t begin = processor_ns();
    volatile bool taken = false;
    if (!arena || *used_ns >= PAGE_NS_MAX || piece.bytes > XYLEM_CLI__MARKDOWN_PIECE_MAX) {
        return false;
    }
    arena->bytes = 0;
    if (setjmp(arena->full) == 0) {
        cmark_node *document = parse(piece);
        arena->joined.bytes = 0;
        if (cli->left_out) {
            leave_out(cli->left_out, document);
        }
        taken = !is_too_deep(document) && take(context, piece, document);
    }
    *used_ns += processor_ns() - begin;
    return taken;
}

size_t xylem_cli__markdown_bytes_max(struct xylem_view piece)
{
    return piece.bytes * FACTOR_MAX + BYTES_MIN;
}

bool xylem_cli__markdown_each(const struct xylem_cli *cli, uint64_t *used_ns, struct xylem_view text,
                              xylem_cli__markdown_taker *take, void *context)
{
    struct xylem_cli__text visible = {0};
    bool whole = true;
    arena = malloc(sizeof *arena);
    if (arena) {
        arena->joined = arena->left = (struct xylem_buffer){0};
    }
    xylem_cli__add_visible(&visible, text);
    for (struct xylem_view rest = visible.failed ? text : xylem_cli__text_view(&visible); rest.bytes > 0;) {
        struct xylem_view piece = {rest.data, xylem_cli__markdown_cut(rest)};
        if (!take_document(cli, used_ns, piece, take, context)) {
            whole = false;
            (void)take(context, piece, NULL);
        }
        rest = (struct xylem_view){rest.data + piece.bytes, rest.bytes - piece.bytes};
    }
    if (arena) {
        xylem_buffer_release(&arena->joined);
        xylem_buffer_release(&arena->left);
    }
    free(arena);
    arena = NULL;
    xylem_cli__text_release(&visible);
    return whole;
}

void xylem_cli__markdown_language(char language[XYLEM_CLI__LANGUAGE_MAX + 1], struct xylem_view info)
{
    size_t end =
        xylem_base__skip(info, 0, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" XYLEM_BASE__DIGITS "+#.-");
    bool whole = end <= XYLEM_CLI__LANGUAGE_MAX && (end == info.bytes || xylem_base__is_blank(info.data[end]));
    for (size_t i = 0; whole && i < end; i++) {
        language[i] = xylem_base__lower(info.data[i]);
    }
    language[whole ? end : 0] = '\0';
}

bool xylem_cli__markdown_leads(const char *address)
{
    static const char *const beginnings[] = {"http://", "https://", "mailto:"};
    bool leads = false;
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        size_t bytes = strlen(beginnings[i]);
        leads = leads || (strncasecmp(address, beginnings[i], bytes) == 0 && address[bytes] != '\0');
    }
    return leads;
}

/* --- Painting ------------------------------------------------------------------------------------------------------ */

struct painter {
    struct xylem_cli__html *html;
    size_t length; /* of the HTML, before the piece */
    uint64_t bytes;
    const cmark_node *anchor; /* the open <a>: none stands in another */
};

/* Opens a code block. The language is a class for the script that colours code. */
static void begin_code(struct xylem_cli__html *html, struct xylem_view info)
{
    char language[XYLEM_CLI__LANGUAGE_MAX + 1];
    xylem_cli__markdown_language(language, info);
    xylem_cli__html_add(html, *language ? "<pre><code class=\"language-" : "<pre><code");
    xylem_cli__html_add(html, language);
    xylem_cli__html_add(html, *language ? "\">" : ">");
}

/* A link or an image. A link to another place than the web or a mailbox is a text and an address. */
static void paint_link(struct painter *painter, cmark_node *node, bool entering)
{
    struct xylem_cli__html *html = painter->html;
    const char *url = cmark_node_get_url(node);
    struct xylem_view address = xylem_view_of(url);
    bool empty = !cmark_node_first_child(node);
    if (entering && !painter->anchor && xylem_cli__markdown_leads(url)) {
        painter->anchor = node;
        xylem_cli__html_add(html, "<a href=\"");
        xylem_cli__html_attribute(html, address);
        xylem_cli__html_add(html, "\" rel=\"noreferrer\">");
        xylem_cli__html_text(html, empty ? address : xylem_view_of("")); /* a link without a text cannot be seen */
    } else if (!entering && painter->anchor == node) {
        painter->anchor = NULL;
        xylem_cli__html_add(html, "</a>");
    } else if (!entering) {
        xylem_cli__html_add(html, " <code>");
        xylem_cli__html_text(html, address);
        xylem_cli__html_add(html, "</code>");
    }
}

/* What stands around the content of a node. */
struct markup {
    const char *key;
    const char *begin;
    const char *end;
};

/* The type of a node, with more types than the parser's, for the painter. */
static const char *key_of(cmark_node *node)
{
    static const char *const headings[] = {"h4", "h5", "h6", "h6", "h6", "h6"}; /* the page's own are h1 to h3 */
    const char *type = cmark_node_get_type_string(node);
    cmark_node *parent = cmark_node_parent(node);
    switch (cmark_node_get_type(node)) {
    case CMARK_NODE_HEADING:
        return headings[cmark_node_get_heading_level(node) - 1];
    case CMARK_NODE_LIST:
        return cmark_node_get_list_type(node) == CMARK_ORDERED_LIST ? "numbers" : "bullets";
    case CMARK_NODE_PARAGRAPH:
        return cmark_node_get_type(parent) == CMARK_NODE_ITEM && cmark_node_get_list_tight(cmark_node_parent(parent))
                   ? "tight"
                   : type;
    default:
        break;
    }
    if (strcmp(type, "tasklist") == 0) {
        return cmark_gfm_extensions_get_tasklist_item_checked(node) ? "done" : "open";
    }
    bool of_header = parent && strcmp(cmark_node_get_type_string(parent), "table_header") == 0;
    return of_header ? "header_cell" : type;
}

static const struct markup *markup_of(cmark_node *node)
{
    static const struct markup none = {"", "", ""};
    static const struct markup rows[] = {
        {"softbreak", "\n", ""},
        {"linebreak", "<br>\n", ""},
        {"thematic_break", "<hr>\n", ""},
        {"code", "<code>", "</code>"},
        {"code_block", "", "</code></pre>\n"}, /* behind begin_code() */
        {"html_block", "<pre class=\"plain\">", "</pre>\n"},
        {"h4", "<h4>", "</h4>\n"},
        {"h5", "<h5>", "</h5>\n"},
        {"h6", "<h6>", "</h6>\n"},
        {"bullets", "<ul>\n", "</ul>\n"},
        {"numbers", "<ol", "</ol>\n"}, /* before add_start() */
        {"item", "<li>", "</li>\n"},
        {"done", "<li><input type=\"checkbox\" disabled checked aria-label=\"done\"> ", "</li>\n"},
        {"open", "<li><input type=\"checkbox\" disabled aria-label=\"open\"> ", "</li>\n"},
        {"paragraph", "<p>", "</p>\n"},
        {"block_quote", "<blockquote>\n", "</blockquote>\n"},
        {"emph", "<em>", "</em>"},
        {"strong", "<strong>", "</strong>"},
        {"strikethrough", "<del>", "</del>"},
        {"table", "<table>\n", "</tbody>\n</table>\n"},
        {"table_header", "<thead>\n<tr>", "</tr>\n</thead>\n<tbody>\n"},
        {"table_row", "<tr>", "</tr>\n"},
        {"header_cell", "<th>", "</th>"},
        {"table_cell", "<td>", "</td>"},
    };
    const char *key = key_of(node);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(key, rows[i].key) == 0) {
            return &rows[i];
        }
    }
    return &none;
}

/* The number of the first item. */
static void add_start(struct xylem_cli__html *html, cmark_node *list)
{
    struct xylem_cli__text start = {0};
    int first = cmark_node_get_list_start(list);
    xylem_cli__addf(&start, first == 1 ? ">\n" : " start=\"%d\">\n", first);
    xylem_cli__html_made(html, &start);
    xylem_cli__text_release(&start);
}

static void paint_node(struct painter *painter, cmark_node *node, bool entering)
{
    struct xylem_cli__html *html = painter->html;
    const struct markup *markup = markup_of(node);
    const char *literal = cmark_node_get_literal(node);
    cmark_node_type type = cmark_node_get_type(node);
    xylem_cli__html_add(html, entering ? markup->begin : markup->end);
    if (type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE) {
        paint_link(painter, node, entering);
    } else if (type == CMARK_NODE_CODE_BLOCK) {
        begin_code(html, xylem_view_of(cmark_node_get_fence_info(node)));
    } else if (entering && cmark_node_get_list_type(node) == CMARK_ORDERED_LIST) {
        add_start(html, node);
    }
    if (literal) { /* the iterator does not leave such a node */
        xylem_cli__html_text(html, xylem_view_of(literal));
        xylem_cli__html_add(html, markup->end);
    }
}

static bool paint_document(struct painter *painter, cmark_node *document, uint64_t bytes_max)
{
    cmark_event_type event;
    cmark_iter *iter = cmark_iter_new(document);
    while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE && painter->html->bytes <= bytes_max) {
        paint_node(painter, cmark_iter_get_node(iter), event == CMARK_EVENT_ENTER);
    }
    return painter->html->bytes <= bytes_max;
}

static bool paint(void *context, struct xylem_view piece, cmark_node *document)
{
    struct painter *painter = context;
    struct xylem_cli__html *html = painter->html;
    xylem_cli__text_cut(&html->text, painter->length);
    html->bytes = painter->bytes;
    painter->anchor = NULL;
    if (!document) {
        xylem_cli__html_add(html, "<pre class=\"plain\">");
        xylem_cli__html_text(html, piece);
        xylem_cli__html_add(html, "</pre>\n");
    } else if (!paint_document(painter, document, html->bytes + xylem_cli__markdown_bytes_max(piece))) {
        return false;
    }
    painter->length = html->text.bytes.bytes;
    painter->bytes = html->bytes;
    return true;
}

bool xylem_cli__html_markdown(const struct xylem_cli *cli, struct xylem_cli__html *html, struct xylem_view text)
{
    struct painter painter = {.html = html, .length = html->text.bytes.bytes, .bytes = html->bytes};
    return xylem_cli__markdown_each(cli, &html->markdown_ns, text, paint, &painter);
}
