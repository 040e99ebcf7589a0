/*
 * Cells of a terminal. wcwidth() depends on the locale of the process, which belongs to the host, so the widths stand
 * here. A character that some terminals show wide counts as wide: a cut line is rather too short than too long.
 *
 *     2 cells   East_Asian_Width W and F of Unicode 14, and the blocks of emoji
 *     1 cell    U+FE0F, which makes the sign before it an emoji; all other characters, marks of most scripts too
 *     0 cells   common combining marks, joiners, other variation selectors, tags
 */
#include "sequence/cells.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"

struct range {
    uint32_t first;
    uint32_t last;
};

static const struct range wide[] = {
    {0x1100, 0x115f}, {0x231a, 0x231b}, {0x2329, 0x232a}, {0x23e9, 0x23ec},   {0x23f0, 0x23f0},   {0x23f3, 0x23f3},
    {0x25fd, 0x25fe}, {0x2614, 0x2615}, {0x2648, 0x2653}, {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
    {0x26aa, 0x26ab}, {0x26bd, 0x26be}, {0x26c4, 0x26c5}, {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},
    {0x26f2, 0x26f3}, {0x26f5, 0x26f5}, {0x26fa, 0x26fa}, {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728}, {0x274c, 0x274c}, {0x274e, 0x274e}, {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0}, {0x27bf, 0x27bf}, {0x2b1b, 0x2b1c}, {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
    {0x3041, 0x4dbf}, {0x4e00, 0xa4cf}, {0xa960, 0xa97f}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},
    {0xfe30, 0xfe6f}, {0xff01, 0xff60}, {0xffe0, 0xffe6}, {0x16fe0, 0x1b2ff}, {0x1f000, 0x1faff}, {0x20000, 0x3fffd},
};

static const struct range empty[] = {
    {0x0300, 0x036f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},   {0x200b, 0x200d},   {0x20d0, 0x20ff},
    {0xfe00, 0xfe0e}, {0xfe20, 0xfe2f}, {0xe0020, 0xe007f}, {0xe0100, 0xe01ef},
};

#define JOINER 0x200du
#define EMOJI_SELECTOR 0xfe0fu

static bool lies_in(uint32_t code_point, const struct range *ranges, size_t count)
{
    size_t low = 0;
    while (count > 0) {
        size_t middle = low + count / 2;
        if (code_point > ranges[middle].last) {
            low = middle + 1;
            count -= count / 2 + 1;
        } else if (code_point >= ranges[middle].first) {
            return true;
        } else {
            count /= 2;
        }
    }
    return false;
}

unsigned xylem_sequence__cells(uint32_t code_point)
{
    if (code_point < 0x300) {
        return 1;
    }
    if (lies_in(code_point, empty, sizeof empty / sizeof *empty)) {
        return 0;
    }
    return lies_in(code_point, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

/* True for a character that belongs to the character before: a mark, a selector, a colour of skin. */
static bool extends(uint32_t code_point)
{
    return xylem_sequence__cells(code_point) == 0 || code_point == EMOJI_SELECTOR ||
           (code_point >= 0x1f3fb && code_point <= 0x1f3ff);
}

/*
 * The bytes and cells of a character with everything that belongs to the character: marks, and the emoji behind a
 * joiner. The text begins with a byte that can be shown.
 */
static size_t cluster(size_t *cells, struct xylem_view text)
{
    uint32_t before = 0;
    size_t at = 0;
    *cells = 0;
    while (at < text.bytes) {
        uint32_t code_point = 0;
        size_t bytes = xylem_base__utf8_shown_bytes(text.data + at, text.bytes - at);
        (void)xylem_base__wtf8_decode(&code_point, text.data + at, text.bytes - at);
        if (bytes == 0 || (at > 0 && !extends(code_point) && before != JOINER)) {
            break;
        }
        *cells += xylem_sequence__cells(code_point);
        before = code_point;
        at += bytes;
    }
    return at;
}

static void shorten(struct xylem_buffer *text, size_t bytes)
{
    if (text->data) {
        text->bytes = bytes;
        text->data[bytes] = '\0';
    }
}

static void add(struct xylem_sequence__line *line, const char *bytes, size_t count, size_t cells)
{
    if (cells > line->cells_max - line->cells) {
        xylem_sequence__line_cut(line);
        return;
    }
    if ((line->code = xylem_buffer_add(line->text, bytes, count)) < 0) {
        return;
    }
    line->cells += cells;
    if (line->cells < line->cells_max) {
        line->fit_bytes = line->text->bytes;
        line->fit_cells = line->cells;
    }
}

struct xylem_sequence__line xylem_sequence__line_begin(struct xylem_buffer *text,
                                                       const struct xylem_sequence_text_options *options)
{
    bool any = !options || options->cells == 0;
    return (struct xylem_sequence__line){.text = text,
                                         .ascii = options && options->ascii,
                                         .cells_max = any ? SIZE_MAX : options->cells,
                                         .fit_bytes = text->bytes};
}

void xylem_sequence__line_add(struct xylem_sequence__line *line, struct xylem_view text)
{
    while (text.bytes > 0 && !line->cut && line->code == XYLEM_OK) {
        size_t cells = 0;
        size_t bytes = cluster(&cells, text);
        if (bytes > 0) {
            add(line, text.data, bytes, cells);
        } else {
            char escaped[5];
            (void)snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned)(unsigned char)*text.data);
            add(line, escaped, 4, 4);
            bytes = 1;
        }
        text.data += bytes;
        text.bytes -= bytes;
    }
}

void xylem_sequence__line_say(struct xylem_sequence__line *line, const char *text)
{
    xylem_sequence__line_add(line, xylem_view_of(text));
}

void xylem_sequence__line_format(struct xylem_sequence__line *line, const char *format, ...)
{
    char text[128]; /* numbers and fixed words */
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    xylem_sequence__line_say(line, text);
}

void xylem_sequence__line_cut(struct xylem_sequence__line *line)
{
    if (line->cut || line->code < 0) {
        return;
    }
    shorten(line->text, line->fit_bytes);
    line->cells = line->fit_cells + 1;
    line->cut = true;
    line->code = xylem_base__buffer_add_text(line->text, line->ascii ? "~" : "\u2026");
}

bool xylem_sequence__first_line(struct xylem_view *line, struct xylem_view *rest, struct xylem_view text)
{
    const char *feed = text.bytes > 0 ? memchr(text.data, '\n', text.bytes) : NULL;
    *line = text;
    *rest = (struct xylem_view){NULL, 0};
    if (!feed) {
        return false;
    }
    line->bytes = (size_t)(feed - text.data);
    *rest = (struct xylem_view){feed + 1, text.bytes - line->bytes - 1};
    if (line->bytes > 0 && feed[-1] == '\r') {
        line->bytes--;
    }
    return true;
}
