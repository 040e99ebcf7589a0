#include <string.h>

#include "judge/shell/parser.h"

bool xylem_shell__expect_document(struct xylem_shell__parser *parser, struct xylem_shell__redirection *redirection,
                                  bool tabs)
{
    const struct xylem_shell__word *delimiter = redirection->target;
    if (!delimiter->literal || xylem_shell__has_any(delimiter->raw, "$`\n")) {
        return xylem_shell__fail(parser, "the delimiter of a here-document is not plain");
    }
    if (parser->reread > 0) {
        return xylem_shell__fail(parser, "a here-document stands behind two parentheses");
    }
    struct xylem_shell__pending *pending = xylem_shell__take(parser, sizeof *pending);
    if (!pending) {
        return false;
    }
    pending->redirection = redirection;
    pending->tabs = tabs;
    *parser->pending_tail = pending;
    parser->pending_tail = &pending->next;
    return true;
}

/* Reads a line without the newline. `joins`: a backslash before a newline joins two lines. */
static bool read_line(struct xylem_shell__parser *parser, struct xylem_view *line, bool joins)
{
    struct xylem_shell__word unused = {.splits = false};
    struct xylem_shell__builder builder = {.parser = parser, .word = &unused};
    const char *piece = parser->now.at;
    const char *at = piece;
    const char *end = parser->now.end;
    while (at < end && *at != '\n') {
        if (!joins || *at != '\\' || end - at < 2) {
            at++;
            continue;
        }
        if (at[1] == '\n') {
            if (!xylem_shell__add_text(&builder, piece, at, xylem_shell__view(piece, at), false)) {
                return false;
            }
            piece = at + 2;
        }
        at += 2;
    }
    if (!xylem_shell__add_text(&builder, piece, at, xylem_shell__view(piece, at), false)) {
        return false;
    }
    parser->steps += (size_t)(at - parser->now.at);
    parser->now.at = at;
    *line = builder.last->text;
    return true;
}

/*
 * True if the line is the delimiter. Within $( ) bash also accepts a line with the delimiter and `)`, which closes the
 * substitution: then the parser moves back to the `)`.
 */
static bool ends_document(struct xylem_shell__parser *parser, struct xylem_view line, struct xylem_view delimiter,
                          const char *line_begin)
{
    if (!xylem_base__view_begins(line, delimiter)) {
        return false;
    }
    if (line.bytes == delimiter.bytes) {
        return true;
    }
    const char *rest = line.data + delimiter.bytes;
    size_t rest_bytes = line.bytes - delimiter.bytes;
    if (!parser->in_substitution || !memchr(rest, ')', rest_bytes)) {
        return false;
    }
    if (*rest != ')' || line.data != line_begin) {
        return xylem_shell__fail(parser, "the delimiter of a here-document does not stand alone on its line");
    }
    parser->now.at = rest;
    return true;
}

/* Reads the text of a body and the delimiter. */
static bool read_body(struct xylem_shell__parser *parser, const struct xylem_shell__pending *pending,
                      struct xylem_view *body, bool *copied)
{
    const struct xylem_shell__word *delimiter = pending->redirection->target;
    struct xylem_shell__word unused = {.splits = false};
    struct xylem_shell__builder builder = {.parser = parser, .word = &unused};
    for (;;) {
        if (parser->now.at == parser->now.end) {
            return xylem_shell__fail(parser, "a here-document has no end");
        }
        while (pending->tabs && xylem_shell__peek_raw(parser) == '\t') {
            xylem_shell__advance(parser);
        }
        struct xylem_view line;
        const char *line_begin = parser->now.at;
        if (!read_line(parser, &line, !delimiter->quoted)) {
            return false;
        }
        bool ends = ends_document(parser, line, delimiter->text, line_begin);
        if (ends || xylem_shell__failed(parser)) {
            break;
        }
        if (xylem_shell__peek_raw(parser) == '\n') {
            xylem_shell__advance(parser);
        }
        /* A line that needs no change, and ends with a newline, is borrowed from the text. */
        bool as_it_is = line.data == line_begin && line.data + line.bytes + 1 == parser->now.at;
        if (!xylem_shell__add_text(&builder, line.data, line.data,
                                   as_it_is ? xylem_shell__view(line_begin, parser->now.at) : line, false) ||
            (!as_it_is &&
             !xylem_shell__add_text(&builder, line.data, line.data, (struct xylem_view){"\n", 1}, false))) {
            return false;
        }
    }
    *body = !builder.last ? xylem_shell__view(parser->now.at, parser->now.at) : builder.last->text;
    *copied = builder.capacity > 0;
    return !xylem_shell__failed(parser);
}

static bool read_document(struct xylem_shell__parser *parser, const struct xylem_shell__pending *pending)
{
    struct xylem_shell__redirection *redirection = pending->redirection;
    const char *begin = parser->now.at;
    struct xylem_view body;
    bool copied = false;
    if (!read_body(parser, pending, &body, &copied)) {
        return false;
    }
    if (xylem_shell__peek_raw(parser) == '\n') {
        xylem_shell__advance(parser);
    } else if (xylem_shell__peek_raw(parser) != XYLEM_SHELL__END && pending->next) {
        return xylem_shell__fail(parser, "the delimiter of a here-document does not stand alone on its line");
    }
    if (redirection->target->quoted) { /* bash expands nothing: the body is one literal word */
        struct xylem_shell__builder builder;
        if (!xylem_shell__begin_word(&builder, parser) ||
            !xylem_shell__add_text(&builder, body.data, body.data + body.bytes, body, true)) {
            return false;
        }
        redirection->kept = xylem_shell__end_word(&builder);
        if (redirection->kept) {
            redirection->kept->raw = body;
        }
        return redirection->kept;
    }
    if (copied && !xylem_shell__note_copy(parser, body, begin)) {
        return false;
    }
    const struct xylem_shell__parser outside = *parser;
    parser->now = (struct xylem_shell__position){body.data, body.data + body.bytes};
    parser->pending_outside = false;
    parser->in_quoted_braces = false;
    parser->in_quoted_pattern = false;
    redirection->body = xylem_shell__read_document_text(parser);
    xylem_shell__go_outside(parser, &outside);
    parser->now = outside.now;
    return redirection->body;
}

bool xylem_shell__read_documents(struct xylem_shell__parser *parser)
{
    const struct xylem_shell__pending *pending = parser->pending;
    parser->pending = NULL;
    parser->pending_tail = &parser->pending;
    for (; pending && !xylem_shell__failed(parser); pending = pending->next) {
        (void)read_document(parser, pending);
    }
    return !xylem_shell__failed(parser);
}
