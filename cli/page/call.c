/* Paints calls of tools. An edit is old lines and new lines. */
#include "cli/page/passage.h"

#include <string.h>

#define ARGUMENT_CELLS 160u /* in the line of a folded call */

/* --- Edits ---------------------------------------------------------------------------------------------------------- */

static void add_lines(struct xylem_cli__html *html, const char *mark, struct xylem_view text)
{
    for (size_t at = 0; at < text.bytes; at++) {
        const char *newline = memchr(text.data + at, '\n', text.bytes - at);
        size_t end = newline ? (size_t)(newline - text.data) : text.bytes;
        xylem_cli__html_add(html, mark);
        xylem_cli__html_text(html, (struct xylem_view){text.data + at, end - at});
        xylem_cli__html_add(html, "\n");
        at = end;
    }
}

/* A byte, counted from one end of a text. A newline stands before a text and behind it. */
static char byte_at(struct xylem_view text, size_t at, bool from_end)
{
    return at >= text.bytes ? '\n' : text.data[from_end ? text.bytes - 1 - at : at];
}

/* The bytes of the same lines at the beginning of both texts, or at the end. */
static size_t same_bytes(struct xylem_view a, struct xylem_view b, bool from_end)
{
    size_t least = xylem_cli__least(a.bytes, b.bytes);
    size_t same = 0;
    for (size_t i = 0; i <= least && byte_at(a, i, from_end) == byte_at(b, i, from_end); i++) {
        if (byte_at(a, i, from_end) == '\n') {
            same = from_end ? i : i + 1;
        }
    }
    return same;
}

static void paint_edit(struct xylem_cli__painting *painting, struct xylem_view from, struct xylem_view to)
{
    struct xylem_cli__html *html = painting->html;
    uint64_t hidden = 0;
    from = xylem_cli__paint_beginning(&hidden, from);
    to = xylem_cli__paint_beginning(&hidden, to);
    size_t before = same_bytes(from, to, false);
    size_t old = xylem_cli__least(before, from.bytes); /* the last newline of one text may be missing */
    size_t new = xylem_cli__least(before, to.bytes);
    struct xylem_view goes = {from.data + old, from.bytes - old};
    struct xylem_view comes = {to.data + new, to.bytes - new};
    size_t behind = same_bytes(goes, comes, true);
    goes.bytes -= behind;
    comes.bytes -= behind;
    xylem_cli__html_add(html, "<pre class=\"diff\">");
    add_lines(html, "  ", (struct xylem_view){from.data, old});
    xylem_cli__html_add(html, goes.bytes > 0 ? "<del>" : "");
    add_lines(html, "- ", goes);
    xylem_cli__html_add(html, goes.bytes > 0 ? "</del>" : "");
    xylem_cli__html_add(html, comes.bytes > 0 ? "<ins>" : "");
    add_lines(html, "+ ", comes);
    xylem_cli__html_add(html, comes.bytes > 0 ? "</ins>" : "");
    add_lines(html, "  ", (struct xylem_view){goes.data + goes.bytes, behind});
    xylem_cli__html_add(html, "</pre>\n");
    xylem_cli__paint_hidden(painting, hidden);
}

/* --- Members -------------------------------------------------------------------------------------------------------- */

static const char *const old_keys[] = {"oldText", "old_string", "old_text", NULL};
static const char *const new_keys[] = {"newText", "new_string", "new_text", "content", "new_source", NULL};

/* The member of the first key that has a string; NULL: none. */
static const struct xylem_value *string_member(const struct xylem_value *map, const char *const *keys)
{
    while (*keys && xylem_value_type(xylem_value_get(map, *keys)) != XYLEM_VALUE_STRING) {
        keys++;
    }
    return *keys ? xylem_value_get(map, *keys) : NULL;
}

/* The members for an edit, of a call or of an edit in a list; NULL: there is no such member. */
struct edit {
    const struct xylem_value *from;
    const struct xylem_value *to;
    const struct xylem_value *list; /* of further edits */
};

static struct edit edit_of(const struct xylem_value *map)
{
    struct edit edit = {.to = string_member(map, new_keys), .list = xylem_value_get(map, "edits")};
    edit.from = edit.to ? string_member(map, old_keys) : NULL;
    edit.list = xylem_value_type(edit.list) == XYLEM_VALUE_ARRAY ? edit.list : NULL;
    return edit;
}

static void paint_list(struct xylem_cli__painting *painting, const struct xylem_value *list)
{
    const struct xylem_value *value = list ? xylem_value_first(list) : NULL;
    for (; value; value = xylem_value_next(list, value)) {
        const struct edit edit = edit_of(value);
        if (edit.from && xylem_value_count(value) == 2) {
            paint_edit(painting, xylem_value_string(edit.from), xylem_value_string(edit.to));
        } else { /* of an unknown shape */
            xylem_cli__paint_value(painting, "<pre>", value, "</pre>");
        }
    }
}

static void paint_members(struct xylem_cli__painting *painting, const struct edit *edit,
                          const struct xylem_value *arguments)
{
    const struct xylem_value *value;
    xylem_cli__html_add(painting->html, "<dl>");
    for (const struct xylem_value *name = xylem_value_first(arguments); name;
         name = xylem_value_next(arguments, value)) {
        value = xylem_value_next(arguments, name);
        if (value != edit->from && value != edit->to && value != edit->list) {
            xylem_cli__paint_text(painting, "<dt>", xylem_value_string(name), "</dt><dd>");
            xylem_cli__paint_value(painting, "<pre>", value, "</pre></dd>\n");
        }
    }
    xylem_cli__html_add(painting->html, "</dl>\n");
}

/* --- Calls ---------------------------------------------------------------------------------------------------------- */

void xylem_cli__paint_call(struct xylem_cli__painting *painting, const struct xylem_cli__passage *call)
{
    struct xylem_cli__html *html = painting->html;
    struct xylem_cli__text argument = {0};
    const char *use = xylem_cli__tool_use(call->name);
    const struct edit edit = use && strcmp(use, "read") != 0 ? edit_of(call->value) : (struct edit){.to = NULL};
    xylem_cli__html_add(html, edit.to || edit.list ? "<details class=\"call diff\">" : "<details class=\"call\">");
    xylem_cli__paint_text(painting, "<summary><b>", call->name, "</b>");
    xylem_cli__add_shown(painting->cli, &argument, xylem_value_string(xylem_cli__call_argument(call->value)),
                         XYLEM_CLI__ONE_LINE, ARGUMENT_CELLS);
    bool has_argument = argument.bytes.bytes > 0;
    xylem_cli__html_put(html, has_argument ? " <code>" : "", &argument, has_argument ? "</code>" : "");
    xylem_cli__html_add(html, "</summary>\n");
    if (xylem_value_type(call->value) == XYLEM_VALUE_MAP) {
        paint_members(painting, &edit, call->value);
    } else if (call->value) {
        xylem_cli__paint_value(painting, "<pre class=\"data\">", call->value, "</pre>");
    }
    if (edit.to) {
        paint_edit(painting, xylem_value_string(edit.from), xylem_value_string(edit.to));
    }
    paint_list(painting, edit.list);
    xylem_cli__html_add(html, "</details>\n");
}
