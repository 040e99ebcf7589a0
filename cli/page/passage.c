/* Paints texts within their bound. */
#include "cli/page/passage.h"

#define TEXT_BYTES_MAX 204800u

struct xylem_view xylem_cli__paint_beginning(uint64_t *hidden, struct xylem_view text)
{
    struct xylem_view shown = xylem_base__utf8_beginning(text, TEXT_BYTES_MAX);
    *hidden += text.bytes - shown.bytes;
    return shown.bytes > 0 ? shown : xylem_view_of("");
}

void xylem_cli__paint_hidden(struct xylem_cli__painting *painting, uint64_t hidden)
{
    struct xylem_cli__text size = {0};
    if (hidden == 0) {
        return;
    }
    painting->cuts->text_count++;
    painting->cuts->text_bytes += hidden;
    xylem_cli__add_size(&size, hidden);
    xylem_cli__html_put(painting->html, "<p class=\"note\">cut, ", &size, " more: <code>xylem show ");
    xylem_cli__html_shown(painting->cli, painting->html, painting->id);
    xylem_cli__html_add(painting->html, " --full</code></p>\n");
}

void xylem_cli__paint_text(struct xylem_cli__painting *painting, const char *before, struct xylem_view text,
                           const char *after)
{
    uint64_t hidden = 0;
    xylem_cli__html_add(painting->html, before);
    xylem_cli__html_text(painting->html, xylem_cli__paint_beginning(&hidden, text));
    xylem_cli__html_add(painting->html, after);
    xylem_cli__paint_hidden(painting, hidden);
}

void xylem_cli__paint_value(struct xylem_cli__painting *painting, const char *before, const struct xylem_value *value,
                            const char *after)
{
    struct xylem_cli__text json = {0};
    bool is_string = xylem_value_type(value) == XYLEM_VALUE_STRING;
    if (!is_string) {
        xylem_cli__add_value(painting->cli, &json, value);
    }
    xylem_cli__paint_text(painting, before, is_string ? xylem_value_string(value) : xylem_cli__text_view(&json), after);
    xylem_cli__part_end(&painting->html->text, &json);
}
