/* Cuts Markdown at blank lines and before fences: a piece keeps the meaning of the whole text. */
#include "cli/page/markdown_cut.h"
#include "base/utf8.h"
#include "base/value.h"

/* A line at the beginning or at the end of a fence. */
struct fence {
    char character;
    size_t length; /* 0: no such line */
    bool has_info;
};

/* The line at an offset, with its newline. */
static struct xylem_view line_at(struct xylem_view text, size_t at)
{
    const char *newline = memchr(text.data + at, '\n', text.bytes - at);
    return (struct xylem_view){text.data + at, newline ? (size_t)(newline - text.data) + 1 - at : text.bytes - at};
}

static bool is_blank(struct xylem_view line, size_t at)
{
    return xylem_base__skip(line, at, " \t\r\n") == line.bytes;
}

static struct fence fence_of(struct xylem_view line)
{
    size_t indent = xylem_base__skip(line, 0, " ");
    char character = indent <= 3 && indent < line.bytes ? line.data[indent] : '\0';
    size_t end = xylem_base__skip(line, indent, character == '`' ? "`" : "~");
    bool is_span = character == '`' && memchr(line.data + end, '`', line.bytes - end); /* of code */
    return (struct fence){character, end - indent >= 3 && indent <= 3 && !is_span ? end - indent : 0,
                          !is_blank(line, end)};
}

static bool closes(struct fence fence, struct fence open)
{
    return fence.length >= open.length && fence.character == open.character && !fence.has_info;
}

/* True if a block may begin behind a line, and no block goes on there: neither a list nor indented code. */
static bool is_border(struct xylem_view text, struct xylem_view line, size_t end)
{
    return end == text.bytes || (is_blank(line, 0) && !xylem_base__is_blank(text.data[end]));
}

size_t xylem_cli__markdown_cut(struct xylem_view text)
{
    struct fence open = {0};
    size_t border = 0; /* the last border within the bound, else the first border */
    for (size_t at = 0; at < text.bytes && (at <= XYLEM_CLI__MARKDOWN_PIECE_MAX || border == 0);) {
        struct xylem_view line = line_at(text, at);
        struct fence fence = fence_of(line);
        size_t end = at + line.bytes;
        size_t place = open.length == 0 && is_border(text, line, end) ? end : border;
        if (open.length == 0 && fence.length > 0) {
            open = fence;
            place = at;
        } else if (open.length > 0 && closes(fence, open)) {
            open.length = 0;
            place = end;
        }
        place = end == text.bytes ? end : place;
        border = place <= XYLEM_CLI__MARKDOWN_PIECE_MAX || border == 0 ? place : border;
        at = end;
    }
    return border;
}
