/* Prints an entry as a paragraph. */
#include "cli/show/entries.h"

#include <string.h>

#define INDENT 4u
#define TAB_CELLS 4u
#define WRAPPED_CELLS_MIN 20u  /* on the narrowest terminal */
#define WRAPPED_CELLS_MAX 120u /* longer lines are hard to read, however wide the terminal is */
#define LINES_SHOWN 24u
#define LINE_BYTES_SHOWN 2000u
#define JSON_IN_LINE_MAX 60u
#define NESTING_MAX 16u

/* A paragraph under construction. */
struct body {
    const struct xylem_cli *cli;
    struct xylem_cli__text *text;
    bool all;
    bool begun;
    size_t lines_left;
    uint64_t hidden_lines;
    uint64_t hidden_bytes;
};

/* Replaces tabs by spaces up to the next tab stop. */
static void expand_tabs(const struct xylem_cli *cli, struct xylem_cli__text *expanded, struct xylem_view line)
{
    size_t cells = 0;
    size_t from = 0;
    for (size_t at = 0; at <= line.bytes; at++) {
        if (at < line.bytes && line.data[at] != '\t') {
            continue;
        }
        struct xylem_view piece = {line.data + from, at - from};
        xylem_cli__add_bytes(expanded, piece.data, piece.bytes);
        if (at < line.bytes) {
            cells += xylem_cli__cells(cli, piece, SIZE_MAX);
            size_t gap = TAB_CELLS - cells % TAB_CELLS;
            xylem_cli__add_repeated(expanded, " ", gap);
            cells += gap;
        }
        from = at + 1;
    }
}

static void add_row(struct body *body, size_t indent, struct xylem_view row, const char *color)
{
    while (row.bytes > 0 && row.data[row.bytes - 1] == ' ') {
        row.bytes--;
    }
    if (row.bytes > 0) {
        xylem_cli__add_repeated(body->text, " ", indent);
        xylem_cli__add_colored(body->cli, body->text, row, color);
    }
    xylem_cli__add(body->text, "\n");
}

/* Counts the bytes that fit a row: up to a space, or a whole word if the word is longer. */
static size_t fitting(const struct xylem_cli *cli, struct xylem_view line, size_t cells_max)
{
    size_t cells = 0;
    size_t end = 0; /* of the words that fit */
    for (size_t at = xylem_base__skip(line, 0, " "); at < line.bytes;) {
        size_t word = at;
        while (word < line.bytes && line.data[word] != ' ') {
            word++;
        }
        cells += xylem_cli__cells(cli, (struct xylem_view){line.data + end, word - end}, SIZE_MAX);
        if (cells > cells_max && end > 0) {
            return end;
        }
        end = word;
        at = xylem_base__skip(line, word, " ");
    }
    return line.bytes;
}

/* Adds a line in several rows, which continue below the first word. */
static void add_wrapped(struct body *body, size_t indent, struct xylem_view line, const char *color)
{
    size_t width = body->cli->width;
    size_t own = xylem_base__skip(line, 0, " ");
    if (width == 0) {
        add_row(body, indent, line, color);
        return;
    }
    size_t cells = width < indent + WRAPPED_CELLS_MIN ? WRAPPED_CELLS_MIN : width - indent;
    cells = cells > WRAPPED_CELLS_MAX ? WRAPPED_CELLS_MAX : cells;
    if (own + 2 < line.bytes && strchr("-*", line.data[own]) && line.data[own + 1] == ' ') {
        own += 2; /* an item of a list */
    }
    own = own > cells / 2 ? 0 : own;
    size_t bytes = fitting(body->cli, line, cells);
    add_row(body, indent, (struct xylem_view){line.data, bytes}, color);
    while (bytes < line.bytes) {
        bytes = xylem_base__skip(line, bytes, " ");
        line = (struct xylem_view){line.data + bytes, line.bytes - bytes};
        if (line.bytes == 0) {
            return;
        }
        bytes = fitting(body->cli, line, cells - own);
        add_row(body, indent + own, (struct xylem_view){line.data, bytes}, color);
    }
}

/* Adds a line, if there is room for it. */
static void add_line(struct body *body, size_t indent, struct xylem_view line, const char *color)
{
    struct xylem_cli__text expanded = {0};
    if (line.bytes > 0 && line.data[line.bytes - 1] == '\r') {
        line.bytes--;
    }
    if (body->lines_left == 0) {
        body->hidden_lines++;
        body->hidden_bytes += line.bytes;
        return;
    }
    body->lines_left -= body->all ? 0 : 1;
    size_t shown = line.bytes;
    if (!body->all && shown > LINE_BYTES_SHOWN) {
        shown = xylem_base__utf8_beginning(line, LINE_BYTES_SHOWN).bytes;
        body->hidden_bytes += line.bytes - shown;
        body->lines_left = 0; /* further lines may be as long, so they are left out */
    }
    expand_tabs(body->cli, &expanded, (struct xylem_view){line.data, shown});
    add_wrapped(body, indent, xylem_cli__text_view(&expanded), color);
    xylem_cli__part_end(body->text, &expanded);
}

static void add_words(struct body *body, size_t indent, struct xylem_view words, const char *color)
{
    while (words.bytes > 0 && strchr("\r\n\t ", words.data[words.bytes - 1]) && words.data[words.bytes - 1]) {
        words.bytes--;
    }
    for (;;) {
        const char *newline = words.bytes == 0 ? NULL : memchr(words.data, '\n', words.bytes);
        size_t bytes = newline ? (size_t)(newline - words.data) : words.bytes;
        add_line(body, indent, (struct xylem_view){words.data, bytes}, color);
        if (!newline) {
            return;
        }
        words = (struct xylem_view){newline + 1, words.bytes - bytes - 1};
    }
}

/* True if the value nests deeper than `levels`: indentation would fill the screen. */
static bool nests(const struct xylem_value *value, unsigned levels)
{
    enum xylem_value_type type = xylem_value_type(value);
    bool deep = levels == 0;
    const struct xylem_value *child =
        type == XYLEM_VALUE_MAP || type == XYLEM_VALUE_ARRAY ? xylem_value_first(value) : NULL;
    for (; child && !deep; child = xylem_value_next(value, child)) {
        deep = nests(child, levels - 1);
    }
    return deep;
}

void xylem_cli__add_value(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_value *value)
{
    struct xylem_cli plain = *cli;
    size_t begin = text->bytes.bytes;
    plain.colored = false; /* wrapped and cut text has no colours inside */
    text->failed = text->failed || xylem_value_json(&text->bytes, value) != 0;
    if (text->bytes.bytes - begin > JSON_IN_LINE_MAX && !nests(value, NESTING_MAX)) {
        xylem_cli__text_cut(text, begin);
        xylem_cli__add_pretty(&plain, text, value, 0);
    }
}

static void add_value(struct body *body, size_t indent, const struct xylem_value *value)
{
    struct xylem_cli__text json = {0};
    xylem_cli__add_value(body->cli, &json, value);
    add_words(body, indent, xylem_cli__text_view(&json), NULL);
    xylem_cli__part_end(body->text, &json);
}

/* Adds `name: value`; a value of several lines stands below the name. */
static void add_member(struct body *body, struct xylem_view name, const struct xylem_value *value)
{
    struct xylem_cli__text line = {0};
    struct xylem_view words = xylem_value_string(value);
    bool is_string = xylem_value_type(value) == XYLEM_VALUE_STRING;
    bool below = is_string && words.bytes > 0 && memchr(words.data, '\n', words.bytes);
    xylem_cli__add_shown(body->cli, &line, name, XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(&line, ": ");
    if (is_string && !below) {
        xylem_cli__add_bytes(&line, words.data, words.bytes);
    } else if (!is_string) {
        line.failed = line.failed || xylem_value_json(&line.bytes, value) != 0;
    }
    add_line(body, INDENT + 2, xylem_cli__text_view(&line), NULL);
    if (below) {
        add_words(body, 2 * INDENT + 2, words, NULL);
    }
    xylem_cli__part_end(body->text, &line);
}

/* `calls write`, `rules:` */
static void add_title(struct body *body, const char *before, struct xylem_view name, const char *after,
                      const char *color)
{
    struct xylem_cli__text line = {0};
    xylem_cli__add(&line, before);
    xylem_cli__add_bytes(&line, name.data, name.bytes);
    xylem_cli__add(&line, after);
    add_line(body, INDENT, xylem_cli__text_view(&line), color);
    xylem_cli__part_end(body->text, &line);
}

static void add_call(struct body *body, const struct xylem_cli__passage *call)
{
    add_title(body, "calls ", call->name, "", XYLEM_CLI__CYAN);
    if (xylem_value_type(call->value) != XYLEM_VALUE_MAP) {
        if (call->value) {
            add_value(body, INDENT + 2, call->value);
        }
        return;
    }
    const struct xylem_value *name = xylem_value_first(call->value);
    while (name) {
        const struct xylem_value *value = xylem_value_next(call->value, name);
        add_member(body, xylem_value_string(name), value);
        name = xylem_value_next(call->value, value);
    }
}

/* `(aborted)`, `(image/png, 12.3 KiB)`, `$ ls -l` */
static void add_made(struct body *body, const char *before, struct xylem_view words, uint64_t bytes, const char *color)
{
    struct xylem_cli__text line = {0};
    xylem_cli__add(&line, before);
    xylem_cli__add_bytes(&line, words.data, words.bytes);
    if (bytes > 0) {
        xylem_cli__add(&line, words.bytes == 0 ? "image, " : ", ");
        xylem_cli__add_size(&line, bytes);
    }
    xylem_cli__add(&line, *before == '(' ? ")" : "");
    add_words(body, INDENT, xylem_cli__text_view(&line), color);
    xylem_cli__part_end(body->text, &line);
}

static bool visit(void *context, const struct xylem_cli__passage *passage)
{
    struct body *body = context;
    if (body->begun && body->lines_left > 0) {
        xylem_cli__add(body->text, "\n");
    }
    body->begun = true;
    switch (passage->type) {
    case XYLEM_CLI__WORDS:
        add_words(body, INDENT, passage->words, NULL);
        break;
    case XYLEM_CLI__THINKING:
        add_made(body, "", xylem_view_of("thinking:"), 0, XYLEM_CLI__DIM);
        add_words(body, INDENT + 2, passage->words, XYLEM_CLI__DIM);
        break;
    case XYLEM_CLI__CALL:
        add_call(body, passage);
        break;
    case XYLEM_CLI__SHELL:
        add_made(body, "$ ", passage->words, 0, XYLEM_CLI__CYAN);
        break;
    case XYLEM_CLI__SECTION:
        add_title(body, "", passage->name, ":", XYLEM_CLI__DIM);
        add_words(body, INDENT + 2, passage->words, NULL);
        break;
    case XYLEM_CLI__IMAGE:
        add_made(body, "(", passage->words, passage->bytes, NULL);
        break;
    case XYLEM_CLI__FAILURE:
        add_words(body, INDENT, passage->words, XYLEM_CLI__RED);
        break;
    case XYLEM_CLI__NOTE:
        add_made(body, "(", passage->words, 0, XYLEM_CLI__DIM);
        break;
    case XYLEM_CLI__DATA:
        add_value(body, INDENT, passage->value);
        break;
    }
    return true;
}

void xylem_cli__add_said(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__said *said,
                         bool all)
{
    struct body body = {.cli = cli, .text = text, .all = all, .lines_left = all ? SIZE_MAX : LINES_SHOWN};
    xylem_cli__said_each(said, visit, &body);
    if (body.hidden_bytes == 0 && body.hidden_lines == 0) {
        return;
    }
    xylem_cli__add_repeated(text, " ", INDENT);
    xylem_cli__color_on(cli, text, XYLEM_CLI__DIM);
    xylem_cli__add(text, xylem_cli__utf8(cli) ? "\u2026 " : "... ");
    if (body.hidden_lines > 0) {
        xylem_cli__add_counted(text, body.hidden_lines, "more line, ", "more lines, ");
    } else {
        xylem_cli__add(text, "more: ");
    }
    xylem_cli__add_size(text, body.hidden_bytes);
    xylem_cli__add(text, " (--full prints all)");
    xylem_cli__color_off(cli, text, XYLEM_CLI__DIM);
    xylem_cli__add(text, "\n");
}

void xylem_cli__add_ago(const struct xylem_cli *cli, struct xylem_cli__text *text, int64_t time_ms)
{
    xylem_cli__add(text, "(");
    xylem_cli__add_age(cli, text, time_ms);
    xylem_cli__add(text, " ago)");
}

void xylem_cli__add_kind_and_role(const struct xylem_cli *cli, struct xylem_cli__text *text,
                                  const struct xylem_cli__said *said)
{
    const char *color = xylem_cli__who_color(said);
    xylem_cli__color_on(cli, text, color);
    xylem_cli__add_kind(cli, text, said->kind);
    if (said->message) {
        xylem_cli__add(text, " ");
        xylem_cli__add_shown(cli, text, said->role, XYLEM_CLI__EXACT, SIZE_MAX);
    }
    if (said->subject.data) {
        xylem_cli__add(text, ", ");
        xylem_cli__add_shown(cli, text, said->subject, XYLEM_CLI__EXACT, SIZE_MAX);
    }
    xylem_cli__add(text, said->failed ? ", error" : "");
    xylem_cli__color_off(cli, text, color);
}
