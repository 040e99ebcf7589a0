/* Paints an entry. */
#include "cli/page/markdown.h"
#include "cli/page/passage.h"

#define OPEN_LINES_MAX 12u /* of an output that is not folded */
#define OPEN_BYTES_MAX 2048u

/* --- Texts ---------------------------------------------------------------------------------------------------------- */

static void paint_markdown(struct xylem_cli__painting *painting, struct xylem_view words)
{
    uint64_t hidden = 0;
    xylem_cli__html_add(painting->html, "<div class=\"words\">");
    if (!xylem_cli__html_markdown(painting->cli, painting->html, xylem_cli__paint_beginning(&hidden, words))) {
        painting->cuts->markdown_count++;
    }
    xylem_cli__html_add(painting->html, "</div>");
    xylem_cli__paint_hidden(painting, hidden);
}

static void paint_folded(struct xylem_cli__painting *painting, const char *begin, struct xylem_view title,
                         struct xylem_view words)
{
    struct xylem_cli__text lines = {0};
    xylem_cli__add_next_counted(&lines, xylem_cli__line_count(words), "line", "lines");
    xylem_cli__paint_text(painting, begin, title, "");
    xylem_cli__html_put(painting->html, "", &lines, "</summary>\n");
    paint_markdown(painting, words);
    xylem_cli__html_add(painting->html, "</details>\n");
}

/* What a tool or a command printed. */
static void paint_output(struct xylem_cli__painting *painting, struct xylem_view output)
{
    struct xylem_cli__text size = {0};
    uint64_t lines = xylem_cli__line_count(output);
    bool open = output.bytes <= OPEN_BYTES_MAX && lines <= OPEN_LINES_MAX;
    xylem_cli__add_next_counted(&size, lines, "line", "lines");
    xylem_cli__add(&size, ", ");
    xylem_cli__add_size(&size, output.bytes);
    xylem_cli__html_add(painting->html, open ? "<details class=\"output\" open>" : "<details class=\"output\">");
    xylem_cli__html_put(painting->html, "<summary>output", &size, "</summary>\n");
    xylem_cli__paint_text(painting, "<pre>", output, "</pre>\n");
    xylem_cli__html_add(painting->html, "</details>\n");
}

/* --- Passages ------------------------------------------------------------------------------------------------------- */

/* Words of people and models are Markdown; what a tool or a command printed is output. */
static void paint_words(struct xylem_cli__painting *painting, struct xylem_view words)
{
    const struct xylem_cli__said *said = painting->said;
    struct xylem_view name = said->kind.name;
    if (xylem_cli__said_is_output(said)) {
        paint_output(painting, words);
    } else if (said->message ||
               (said->kind.kind_class == XYLEM_CLASS_HOST &&
                (xylem_base__view_is(name, "compaction") || xylem_base__view_is(name, "branch_summary") ||
                 xylem_base__view_is(name, "custom_message")))) {
        paint_markdown(painting, words);
    } else {
        xylem_cli__paint_text(painting, "<div class=\"words\"><p>", words, "</p></div>\n");
    }
}

static bool visit(void *context, const struct xylem_cli__passage *passage)
{
    static const char *const frames[][2] = {[XYLEM_CLI__SHELL] = {"<pre class=\"shell\">$ ", "</pre>\n"},
                                            [XYLEM_CLI__FAILURE] = {"<p class=\"failure\">", "</p>\n"},
                                            [XYLEM_CLI__NOTE] = {"<p class=\"note\">", "</p>\n"}};
    struct xylem_cli__painting *painting = context;
    switch (passage->type) {
    case XYLEM_CLI__WORDS:
        paint_words(painting, passage->words);
        break;
    case XYLEM_CLI__THINKING:
        paint_folded(painting, "<details class=\"thinking\"><summary>", xylem_view_of("thinking"), passage->words);
        break;
    case XYLEM_CLI__SECTION:
        paint_folded(painting, "<details class=\"section\"><summary>", passage->name, passage->words);
        break;
    case XYLEM_CLI__CALL:
        xylem_cli__paint_call(painting, passage);
        break;
    case XYLEM_CLI__IMAGE:
        xylem_cli__paint_image(painting, passage);
        break;
    case XYLEM_CLI__DATA:
        xylem_cli__paint_value(painting, "<pre class=\"data\">", passage->value, "</pre>\n");
        break;
    case XYLEM_CLI__SHELL:
    case XYLEM_CLI__FAILURE:
    case XYLEM_CLI__NOTE:
        xylem_cli__paint_text(painting, frames[passage->type][0], passage->words, frames[passage->type][1]);
        break;
    }
    return true;
}

/* --- The entry ------------------------------------------------------------------------------------------------------ */

/* A message has its role, exactly, and any other entry its kind: a kind `user` is no person. */
static void add_begin(const struct xylem_cli__painting *painting, const struct xylem_cli__beside *beside)
{
    struct xylem_cli__html *html = painting->html;
    const struct xylem_cli__said *said = painting->said;
    struct xylem_cli__text kind = {0};
    xylem_cli__html_add(html, "<article class=\"entry\" id=\"");
    xylem_cli__html_anchor(painting->cli, html, painting->id, painting->position, beside->family);
    xylem_cli__html_add(html, said->message ? "\" data-role=\"" : "\" data-kind=\"");
    if (!said->message) {
        xylem_cli__add_kind(painting->cli, &kind, said->kind);
    }
    xylem_cli__html_attribute(html, said->message ? said->role : xylem_cli__text_view(&kind));
    xylem_cli__part_end(&html->text, &kind);
    xylem_cli__html_add(html, beside->label.data ? "\" data-label" : "\"");
    xylem_cli__html_add(html, beside->is_leaf ? " data-leaf" : "");
    xylem_cli__html_add(html, said->failed ? " data-failed>" : ">");
}

static void add_header(struct xylem_cli__painting *painting, const struct xylem_cli__beside *beside,
                       struct xylem_cli__text *who, int64_t time_ms)
{
    struct xylem_cli__html *html = painting->html;
    struct xylem_cli__text time = {0};
    xylem_cli__html_add(html, "<header><a class=\"id\" href=\"#");
    xylem_cli__html_anchor(painting->cli, html, painting->id, painting->position, beside->family);
    xylem_cli__html_add(html, "\">");
    xylem_cli__html_shown(painting->cli, html, painting->id);
    xylem_cli__html_put(html, "</a> <span class=\"who\">", who, "</span>");
    if (painting->said->subject.bytes > 0) {
        xylem_cli__paint_text(painting, " <span class=\"subject\">", painting->said->subject, "</span>");
    }
    xylem_cli__add_iso(&time, time_ms);
    xylem_cli__html_put(html, " <time datetime=\"", &time, "\">");
    xylem_cli__add_minute(&time, time_ms);
    xylem_cli__html_put(html, "", &time, "</time>");
    if (beside->label.data) {
        xylem_cli__html_add(html, " <span class=\"label\">");
        xylem_cli__html_shown(painting->cli, html, beside->label);
        xylem_cli__html_add(html, "</span>");
    }
    xylem_cli__html_add(html, beside->is_leaf ? " <span class=\"leaf\">leaf</span></header>\n" : "</header>\n");
}

int xylem_cli__html_entry(struct xylem_cli *cli, struct xylem_cli__html *html, struct xylem_cli__page_cuts *cuts,
                          const struct xylem_entry *entry, const struct xylem_cli__beside *beside)
{
    struct xylem_cli__said said;
    struct xylem_cli__painting painting = {
        .cli = cli, .html = html, .cuts = cuts, .id = entry->id, .position = entry->position, .said = &said};
    struct xylem_cli__text who = {0};
    int code = xylem_cli__said_read(cli, &said, entry);
    if (code == 0) {
        xylem_cli__add_who_exactly(cli, &who, &said);
        add_begin(&painting, beside);
        add_header(&painting, beside, &who, entry->time_ms);
        if (beside->state && beside->state->bytes.bytes > 0) {
            xylem_cli__html_add(html, "<p class=\"state\">");
            xylem_cli__html_made(html, beside->state);
            xylem_cli__html_add(html, "</p>\n");
        }
        xylem_cli__said_each(&said, visit, &painting);
        xylem_cli__html_add(html, "</article>\n");
    }
    xylem_cli__said_release(&said);
    return code < 0 ? code : xylem_cli__html_flush(cli, html, false);
}
