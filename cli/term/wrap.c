/* Breaks lines between words, where a terminal would break anywhere. */
#include "cli/term/term.h"

#include <string.h>

#define LABEL_CELLS_MAX 20u /* of a label and the gap behind it */

static bool is_command(const char *line, size_t bytes)
{
    static const char *const begins[] = {"  xylem ", "  mv ", "  cp ", "  chmod "};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        if (bytes > strlen(begins[i]) && memcmp(line, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Counts the cells of a word; colours fill none. */
static size_t word_cells(const struct xylem_cli *cli, const char *word, size_t bytes)
{
    size_t cells = 0;
    while (bytes > 0) {
        const char *color = memchr(word, '\x1b', bytes);
        size_t plain = color ? (size_t)(color - word) : bytes;
        cells += xylem_cli__cells(cli, (struct xylem_view){word, plain}, SIZE_MAX);
        const char *end = color ? memchr(color, 'm', bytes - plain) : NULL;
        if (!end) {
            break;
        }
        bytes -= (size_t)(end + 1 - word);
        word = end + 1;
    }
    return cells;
}

/* Counts the bytes of a word. No space in backquotes, or behind a number, ends a word: `xylem log`, 3 entries. */
static size_t word_end(const char *word, size_t bytes)
{
    bool quoted = false;
    size_t end = xylem_base__skip((struct xylem_view){word, bytes}, 0, XYLEM_BASE__DIGITS ".,");
    bool counts = end > 0 && end + 1 < bytes && word[end - 1] != ',' && word[end] == ' ' && word[end + 1] != ' ';
    end = counts ? end + 1 : 0;
    while (end < bytes && (quoted || word[end] != ' ')) {
        quoted = word[end] == '`' ? !quoted : quoted;
        end++;
    }
    const char *space = quoted ? memchr(word, ' ', bytes) : NULL; /* no second backquote */
    return space ? (size_t)(space - word) : end;
}

/* The cells before later lines: below the value of `label    value`, else two more than the first line has. */
static size_t indent_of(const char *line, size_t bytes)
{
    const struct xylem_view view = {line, bytes};
    size_t spaces = xylem_base__skip(view, 0, " ");
    const char *gap = memmem(line + spaces, bytes - spaces, "  ", 2);
    size_t value = gap ? xylem_base__skip(view, (size_t)(gap - line), " ") : bytes;
    return value < LABEL_CELLS_MAX ? value : spaces + 2;
}

static void wrap_line(const struct xylem_cli *cli, struct xylem_cli__text *wrapped, const char *line, size_t bytes)
{
    static const char begin[] = "xylem ";
    bool has_command = bytes > strlen(begin) && memcmp(line, begin, strlen(begin)) == 0;
    const char *gap = memmem(line, bytes, "  ", 2); /* ends a command: `show S:E  user (2h ago)` */
    size_t command = !has_command ? 0 : gap ? (size_t)(gap - line) : bytes;
    size_t indent = command > 0 ? 2 : indent_of(line, bytes);
    indent = indent < cli->width / 2 ? indent : cli->width / 2;
    size_t filled = 0;
    for (size_t at = 0; at < bytes;) {
        size_t spaces = xylem_base__skip((struct xylem_view){line, bytes}, at, " ") - at;
        const char *word = line + at + spaces;
        size_t word_bytes = at == 0 && command > 0 ? command : word_end(word, bytes - at - spaces);
        size_t cells = word_cells(cli, word, word_bytes);
        bool breaks = filled > indent && filled + spaces + cells > cli->width;
        xylem_cli__add(wrapped, breaks ? "\n" : "");
        xylem_cli__add_repeated(wrapped, " ", breaks ? indent : spaces);
        xylem_cli__add_bytes(wrapped, word, word_bytes);
        filled = (breaks ? indent : filled + spaces) + cells;
        at += spaces + word_bytes;
    }
}

/* True if a line has more bytes than the terminal has cells: a byte fills one cell at most. */
static bool has_long_line(const struct xylem_cli *cli, const struct xylem_cli__text *text)
{
    size_t left = text->bytes.bytes;
    const char *line = text->bytes.data;
    while (left > cli->width) {
        const char *newline = memchr(line, '\n', cli->width + 1);
        if (!newline) {
            return true;
        }
        left -= (size_t)(newline + 1 - line);
        line = newline + 1;
    }
    return false;
}

void xylem_cli__wrap(const struct xylem_cli *cli, struct xylem_cli__text *text)
{
    struct xylem_cli__text wrapped = {0};
    if (cli->width == 0 || text->failed || !has_long_line(cli, text)) {
        return;
    }
    const char *all_end = text->bytes.data + text->bytes.bytes;
    for (const char *line = text->bytes.data; line < all_end;) {
        const char *newline = memchr(line, '\n', (size_t)(all_end - line));
        size_t bytes = (size_t)((newline ? newline : all_end) - line);
        if (bytes <= cli->width || is_command(line, bytes)) {
            xylem_cli__add_bytes(&wrapped, line, bytes);
        } else {
            wrap_line(cli, &wrapped, line, bytes);
        }
        line += bytes;
        if (newline) {
            xylem_cli__add(&wrapped, "\n");
            line++;
        }
    }
    xylem_cli__text_release(text);
    *text = wrapped;
}
