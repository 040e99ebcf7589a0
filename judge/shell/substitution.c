/* Reads $(...), $((...)), <(...), >(...) and `...`. */
#include "judge/shell/parser.h"

/*
 * Reads commands inside of a word: behind a parenthesis up to the closing parenthesis, or (`text` is not NULL) all
 * commands of another text.
 */
static bool read_commands(struct xylem_shell__parser *parser, struct xylem_shell__node **nodes,
                          const struct xylem_view *text)
{
    const struct xylem_shell__parser outside = *parser;
    if (!xylem_shell__enter(parser)) {
        return false;
    }
    parser->token_ready = false;
    parser->pending_outside = !text && (parser->pending_outside || parser->pending);
    parser->pending = NULL;
    parser->pending_tail = &parser->pending;
    parser->in_quoted_braces = false;
    parser->in_quoted_pattern = false;
    parser->in_substitution = !text;
    if (text) {
        parser->now = (struct xylem_shell__position){text->data, text->data + text->bytes};
    }
    if (xylem_shell__read_list(parser, nodes) && xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND)->type !=
                                                     (text ? XYLEM_SHELL__TOKEN_END : XYLEM_SHELL__TOKEN_CLOSE)) {
        (void)xylem_shell__fail(parser, text ? "the text in backticks is not a command"
                                             : "a substitution is not closed, or contains no command");
    }
    if (parser->pending) {
        (void)xylem_shell__fail(parser, "a here-document does not end with its command");
    }
    xylem_shell__leave(parser);
    xylem_shell__go_outside(parser, &outside);
    if (text) {
        parser->now = outside.now;
    }
    return !xylem_shell__failed(parser);
}

bool xylem_shell__add_expansion(struct xylem_shell__builder *builder, const char *raw, enum xylem_shell__part_type type,
                                bool quoted, struct xylem_shell__word *words, struct xylem_shell__node *body)
{
    struct xylem_shell__part *part = xylem_shell__add_part(builder, type, raw, quoted);
    if (!part) {
        return false;
    }
    part->words = words;
    part->body = body;
    builder->word->splits |= !quoted && type != XYLEM_SHELL__PART_PROCESS;
    return true;
}

bool xylem_shell__read_substitution(struct xylem_shell__builder *builder, const char *raw,
                                    enum xylem_shell__part_type type, enum xylem_shell__quoting quoting)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *expected_end = NULL;
    struct xylem_shell__node *nodes = NULL;
    bool quoted = quoting != XYLEM_SHELL__UNQUOTED;
    bool doubled = type == XYLEM_SHELL__PART_COMMAND && xylem_shell__peek_second(parser) == '(';
    (void)xylem_shell__peek(parser);
    xylem_shell__advance(parser);
    if (doubled) {
        struct xylem_shell__position before = parser->now;
        struct xylem_shell__word *word;
        (void)xylem_shell__peek(parser);
        xylem_shell__advance(parser);
        if (!xylem_shell__enter(parser)) {
            return false;
        }
        int found = xylem_shell__try_arithmetic(parser, &word, &expected_end);
        xylem_shell__leave(parser);
        if (found != 0) {
            return found > 0 &&
                   xylem_shell__add_expansion(builder, raw, XYLEM_SHELL__PART_ARITHMETIC, quoted, word, NULL);
        }
        parser->now = before;
    }
    parser->reread += doubled;
    bool good = read_commands(parser, &nodes, NULL);
    parser->reread -= doubled;
    if (!good) {
        return false;
    }
    if (expected_end && parser->now.at != expected_end) {
        return xylem_shell__fail(parser, "the end of $((...) is ambiguous");
    }
    return xylem_shell__add_expansion(builder, raw, type, quoted, NULL, nodes);
}

/* Copies the text between backticks, and removes backslashes like bash. */
static bool unescape(struct xylem_shell__parser *parser, struct xylem_view *text, enum xylem_shell__quoting quoting)
{
    const char *begin = parser->now.at;
    const char *end = begin;
    while (end < parser->now.end && *end != '`') {
        end += *end == '\\' && parser->now.end - end > 1 ? 2 : 1;
    }
    char *copy = xylem_shell__take(parser, (size_t)(end - begin) + 1);
    if (!copy) {
        return false;
    }
    text->data = copy;
    for (int c = xylem_shell__peek(parser); c != '`'; c = xylem_shell__peek(parser)) {
        if (c == XYLEM_SHELL__END) {
            return xylem_shell__fail(parser, "a backtick is not closed");
        }
        xylem_shell__advance(parser);
        if (c == '\\') {
            int next = xylem_shell__peek_raw(parser);
            if (next == '"' && (quoting == XYLEM_SHELL__DOCUMENT || parser->in_quoted_braces)) {
                return xylem_shell__fail(parser,
                                         "an escaped quote stands in backticks within a here-document or ${...}");
            }
            if (next == '$' || next == '`' || next == '\\' || (next == '"' && quoting != XYLEM_SHELL__UNQUOTED)) {
                c = next;
                xylem_shell__advance(parser);
            }
        }
        *copy++ = (char)c;
    }
    text->bytes = (size_t)(copy - text->data);
    return true;
}

bool xylem_shell__read_backticks(struct xylem_shell__builder *builder, enum xylem_shell__quoting quoting)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *raw = parser->now.at;
    struct xylem_view text = {0};
    struct xylem_shell__node *nodes = NULL;
    xylem_shell__advance(parser);
    const char *begin = parser->now.at;
    if (!unescape(parser, &text, quoting) || !xylem_shell__note_copy(parser, text, begin)) {
        return false;
    }
    xylem_shell__advance(parser);
    return read_commands(parser, &nodes, &text) &&
           xylem_shell__add_expansion(builder, raw, XYLEM_SHELL__PART_COMMAND, quoting != XYLEM_SHELL__UNQUOTED, NULL,
                                      nodes);
}
