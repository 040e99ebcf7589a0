/* Summarizes an entry in one line. */
#include "cli/show/entries.h"

/* A line under construction: pieces with a space between them, cut when the line is full. */
struct line {
    const struct xylem_cli *cli;
    struct xylem_cli__text *text;
    size_t cells_left;
    size_t pieces;
    bool thought; /* a thought was left out, and is kept in `thinking` */
    struct xylem_view thinking;
};

/* Adds the piece, and takes the gap and the colour back if the piece has nothing to show. */
static void add_piece(struct line *line, struct xylem_view bytes, const char *color)
{
    size_t gap = line->pieces == 0 ? 0 : 1;
    size_t begin = line->text->bytes.bytes;
    if (line->cells_left == 1 && gap == 1) {
        xylem_cli__add(line->text, xylem_cli__utf8(line->cli) ? "\u2026" : "~"); /* the ellipsis of left-out text */
        line->cells_left = 0;
    } else if (line->cells_left > gap) {
        xylem_cli__add_repeated(line->text, " ", gap);
        xylem_cli__color_on(line->cli, line->text, color);
        size_t cells = xylem_cli__add_shown(line->cli, line->text, bytes, XYLEM_CLI__ONE_LINE, line->cells_left - gap);
        if (cells == 0) {
            xylem_cli__text_cut(line->text, begin);
            return;
        }
        xylem_cli__color_off(line->cli, line->text, color);
        line->cells_left -= gap + cells;
        line->pieces++;
    }
}

static void add_made(struct line *line, struct xylem_cli__text *made, const char *color)
{
    add_piece(line, xylem_cli__text_view(made), color);
    xylem_cli__part_end(line->text, made);
}

/* `write(a.txt)`, `bash(ls -l)` */
static void add_call(struct line *line, const struct xylem_cli__passage *call)
{
    const struct xylem_value *argument = xylem_cli__call_argument(call->value);
    struct xylem_view string = xylem_value_string(argument);
    struct xylem_cli__text made = {0};
    xylem_cli__add_bytes(&made, call->name.data, call->name.bytes);
    xylem_cli__add(&made, "(");
    if (xylem_value_type(argument) == XYLEM_VALUE_STRING) {
        xylem_cli__add_bytes(&made, string.data, string.bytes);
    } else if (argument && !made.failed) {
        made.failed = xylem_value_json(&made.bytes, argument) != 0;
    }
    xylem_cli__add(&made, ")");
    add_made(line, &made, XYLEM_CLI__CYAN);
}

static void add_note(struct line *line, struct xylem_view words, uint64_t bytes, const char *color)
{
    struct xylem_cli__text made = {0};
    xylem_cli__add(&made, "(");
    xylem_cli__add_bytes(&made, words.data, words.bytes);
    if (bytes > 0) {
        xylem_cli__add(&made, words.bytes == 0 ? "image " : " ");
        xylem_cli__add_size(&made, bytes);
    }
    xylem_cli__add(&made, ")");
    add_made(line, &made, color);
}

static void add_data(struct line *line, const struct xylem_value *value)
{
    struct xylem_cli__text made = {0};
    made.failed = xylem_value_json(&made.bytes, value) != 0;
    add_made(line, &made, NULL);
}

static bool visit(void *context, const struct xylem_cli__passage *passage)
{
    struct line *line = context;
    switch (passage->type) {
    case XYLEM_CLI__THINKING:
        line->thinking = line->thought ? line->thinking : passage->words;
        line->thought = true;
        break;
    case XYLEM_CLI__CALL:
        add_call(line, passage);
        break;
    case XYLEM_CLI__SHELL:
        add_piece(line, xylem_view_of("$"), XYLEM_CLI__DIM);
        add_piece(line, passage->words, XYLEM_CLI__CYAN);
        break;
    case XYLEM_CLI__IMAGE:
        add_note(line, passage->words, passage->bytes, NULL);
        break;
    case XYLEM_CLI__FAILURE:
        add_piece(line, passage->words, XYLEM_CLI__RED);
        break;
    case XYLEM_CLI__NOTE:
        add_note(line, passage->words, 0, XYLEM_CLI__DIM);
        break;
    case XYLEM_CLI__DATA:
        add_data(line, passage->value);
        break;
    case XYLEM_CLI__WORDS:
    case XYLEM_CLI__SECTION:
        add_piece(line, passage->words, NULL);
        break;
    }
    return line->cells_left > 0;
}

static void add_line(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__said *said,
                     struct xylem_view before, size_t cells_max)
{
    struct line line = {.cli = cli, .text = text, .cells_left = cells_max};
    struct xylem_cli__text subject = {0}; /* `write error: `, `note: ` */
    bool failed = said->failed && said->message && xylem_value_get(said->message, "isError");
    xylem_cli__add_bytes(&subject, before.data, before.bytes);
    xylem_cli__add(&subject, before.bytes > 0 && said->subject.data ? " " : "");
    xylem_cli__add_bytes(&subject, said->subject.data, said->subject.bytes);
    xylem_cli__add(&subject, failed ? " error" : "");
    if (subject.bytes.bytes > 0) {
        xylem_cli__add(&subject, ":");
        add_made(&line, &subject, failed ? XYLEM_CLI__RED : NULL);
    }
    xylem_cli__text_release(&subject);
    size_t pieces = line.pieces;
    xylem_cli__said_each(said, visit, &line);
    if (line.pieces == pieces && line.thought) {
        add_note(&line, xylem_view_of("thinking"), 0, XYLEM_CLI__DIM);
        add_piece(&line, line.thinking, XYLEM_CLI__DIM);
    }
}

void xylem_cli__add_said_line(const struct xylem_cli *cli, struct xylem_cli__text *text,
                              const struct xylem_cli__said *said, size_t cells_max)
{
    add_line(cli, text, said, (struct xylem_view){NULL, 0}, cells_max);
}

int xylem_cli__add_summary(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry,
                           size_t cells_max)
{
    struct xylem_cli__said said;
    int code = xylem_cli__said_read(cli, &said, entry);
    if (code == 0) {
        add_line(cli, text, &said, said.role, cells_max);
    }
    xylem_cli__said_release(&said);
    return code;
}
