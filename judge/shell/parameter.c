/* Reads ${...}. */
#include <string.h>

#include "judge/shell/parser.h"

/* Reads <( ) in an operand. Bash looks for the closing brace without regard to <( ), so a brace inside fails. */
static bool read_process(struct xylem_shell__builder *builder)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *raw = parser->now.at;
    xylem_shell__advance(parser);
    if (!xylem_shell__read_substitution(builder, raw, XYLEM_SHELL__PART_PROCESS, XYLEM_SHELL__UNQUOTED)) {
        return false;
    }
    if (memchr(raw, '}', (size_t)(parser->now.at - raw))) {
        return xylem_shell__fail(parser, "a brace stands in a process substitution within ${...}");
    }
    return true;
}

/* Reads a backslash. `\}` does not close, also within double quotes and here-documents. */
static bool read_escaped(struct xylem_shell__builder *builder, enum xylem_shell__quoting quoting)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *backslash = parser->now.at;
    if (!xylem_shell__read_backslash(builder, quoting)) {
        return false;
    }
    bool stays = parser->now.at == backslash + 1 && xylem_shell__peek_raw(parser) == '}';
    return !stays || xylem_shell__take_text(builder, true);
}

static bool read_operand_one(struct xylem_shell__builder *builder, int c, enum xylem_shell__quoting quoting)
{
    struct xylem_shell__parser *parser = builder->parser;
    bool quoted = quoting != XYLEM_SHELL__UNQUOTED;
    switch (c) {
    case '\'':
        return quoted ? xylem_shell__fail(parser,
                                          "a single quote stands in ${...} within double quotes or a here-document")
                      : xylem_shell__read_single_quotes(builder);
    case '"':
        if (quoting == XYLEM_SHELL__DOCUMENT) {
            return xylem_shell__fail(parser, "a double quote stands in ${...} within a here-document");
        }
        return xylem_shell__read_double_quotes(builder);
    case '\\':
        return read_escaped(builder, quoting);
    case '$':
        return xylem_shell__read_dollar(builder, quoting);
    case '`':
        return xylem_shell__read_backticks(builder, quoting);
    case '<':
    case '>':
        if (!quoted && xylem_shell__peek_second(parser) == '(') {
            return read_process(builder);
        }
        if (parser->in_quoted_pattern && xylem_shell__peek_second(parser) == '(') { /* bash runs the command inside */
            return xylem_shell__fail(parser, "a process substitution stands in a pattern within double quotes");
        }
        break;
    default:
        break;
    }
    if (c >= 0xc0 && !quoted && xylem_shell__deceives(parser->now.at, parser->now.end)) {
        return xylem_shell__fail(parser, "an invisible character stands outside of quotes");
    }
    return xylem_shell__take_text(builder, quoted);
}

/* Reads up to the closing brace, or (`slash`) to the slash of ${x/pattern/text}. */
static struct xylem_shell__word *read_operand(struct xylem_shell__parser *parser, enum xylem_shell__quoting quoting,
                                              bool slash)
{
    struct xylem_shell__builder builder;
    if (!xylem_shell__begin_word(&builder, parser)) {
        return NULL;
    }
    for (int c = xylem_shell__peek(parser); c != '}' && !(slash && c == '/'); c = xylem_shell__peek(parser)) {
        if (c == XYLEM_SHELL__END) {
            (void)xylem_shell__fail(parser, "${ is not closed");
            return NULL;
        }
        if (!read_operand_one(&builder, c, quoting)) {
            return NULL;
        }
    }
    return xylem_shell__end_word(&builder);
}

static bool add_operand(struct xylem_shell__part *part, struct xylem_shell__word *word)
{
    struct xylem_shell__word **tail = &part->words;
    if (!word) {
        return false;
    }
    while (*tail) {
        tail = &(*tail)->next;
    }
    *tail = word;
    return true;
}

static const char runs_value[] = "${...@P} runs substitutions in the value of the variable";

/*
 * Reads the operator behind the name and the subscript, and the operands:
 * ${x-w} ${x=w} ${x?w} ${x+w}, with `:` before the operator; ${x#p} ${x%p} ${x^p} ${x,p} ${x/p/w}; ${x:o:l}; ${x@Q}.
 */
static bool read_operator(struct xylem_shell__parser *parser, struct xylem_shell__part *part,
                          enum xylem_shell__quoting quoting, const char **doubt)
{
    int c = xylem_shell__peek(parser);
    if (c == '}') {
        return true;
    }
    if (c == '@') {
        xylem_shell__advance(parser);
        c = xylem_shell__peek(parser);
        if (c == XYLEM_SHELL__END || !strchr("QEAaUuLKkP", c)) {
            return xylem_shell__fail(parser, "an operator of ${...} is not known");
        }
        xylem_shell__advance(parser);
        *doubt = c == 'P' ? runs_value : *doubt;
        return true;
    }
    bool colon = c == ':';
    if (colon) {
        xylem_shell__advance(parser);
        c = xylem_shell__peek(parser);
    }
    if (c == XYLEM_SHELL__END || !strchr("-=?+", c)) {
        if (colon) {
            return add_operand(part, xylem_shell__read_arithmetic(parser, XYLEM_SHELL__ENDS_BRACE));
        }
        if (c == XYLEM_SHELL__END || !strchr("#%/^,", c)) {
            return xylem_shell__fail(parser, "an operator of ${...} is not known");
        }
    }
    xylem_shell__advance(parser);
    part->assigns = c == '=';
    parser->in_quoted_pattern |= quoting != XYLEM_SHELL__UNQUOTED && !strchr("-=+", c);
    if (c == '/') {
        (void)(xylem_shell__peek(parser) == '/' && xylem_shell__accept(parser, '/'));
        if (!add_operand(part, read_operand(parser, quoting, true))) {
            return false;
        }
        return !xylem_shell__accept(parser, '/') || add_operand(part, read_operand(parser, quoting, false));
    }
    return add_operand(part, read_operand(parser, quoting, false));
}

/* Reads the name of the parameter. A backslash-newline within the name fails. */
static bool read_parameter(struct xylem_shell__parser *parser, struct xylem_view *name)
{
    int c = xylem_shell__peek(parser);
    const char *begin = parser->now.at;
    if (xylem_shell__is_name(c)) {
        bool digits = xylem_shell__is_digit(c);
        while (digits ? xylem_shell__is_digit(xylem_shell__peek_raw(parser))
                      : xylem_shell__is_name(xylem_shell__peek_raw(parser))) {
            xylem_shell__advance(parser);
        }
        *name = xylem_shell__view(begin, parser->now.at);
        if (xylem_shell__is_name(xylem_shell__peek(parser))) {
            return xylem_shell__fail(parser, "a name in ${...} is not known");
        }
        return true;
    }
    if (c == XYLEM_SHELL__END || !strchr("@*#?-$!", c)) {
        return xylem_shell__fail(parser, "this kind of ${...} is not known");
    }
    xylem_shell__advance(parser);
    *name = xylem_shell__view(begin, parser->now.at);
    return true;
}

static bool read_inside(struct xylem_shell__builder *builder, struct xylem_shell__part *part,
                        enum xylem_shell__quoting quoting, const char **doubt)
{
    struct xylem_shell__parser *parser = builder->parser;
    bool all = false;
    int c = xylem_shell__peek(parser);
    int second = c == '#' || c == '!' ? xylem_shell__peek_second(parser) : XYLEM_SHELL__END;
    bool prefixed = second != XYLEM_SHELL__END && second != '}'; /* ${#x}, ${!x} */
    bool length = prefixed && c == '#';
    bool indirect = prefixed && c == '!';
    if (prefixed) {
        if (!xylem_shell__is_name(second) && !strchr("@*", second)) {
            /* ${#-x}, ${!?x}, ${##}: rare, and hard to tell apart. */
            return xylem_shell__fail(parser, "this kind of ${...} is not known");
        }
        xylem_shell__advance(parser);
    }
    if (!read_parameter(parser, &part->text)) {
        return false;
    }
    if (xylem_shell__is_name_start((unsigned char)*part->text.data) && xylem_shell__accept(parser, '[') &&
        !add_operand(part, xylem_shell__read_subscript(parser, &all))) {
        return false;
    }
    c = xylem_shell__peek(parser);
    if (length && c != '}') {
        return xylem_shell__fail(parser, "this kind of ${...} is not known");
    }
    bool names = indirect && (c == '*' || c == '@') && xylem_shell__peek_second(parser) == '}'; /* ${!prefix*} */
    if (names) {
        xylem_shell__advance(parser);
    } else if (indirect && !(all && c == '}')) {
        *doubt = "${!...} takes the name of a variable from another variable";
    }
    part->number = length;
    builder->word->splits |= !length && (all || indirect || *part->text.data == '@');
    return read_operator(parser, part, quoting, doubt);
}

bool xylem_shell__read_braces(struct xylem_shell__builder *builder, const char *raw, enum xylem_shell__quoting quoting)
{
    struct xylem_shell__parser *parser = builder->parser;
    bool quoted = quoting != XYLEM_SHELL__UNQUOTED;
    const char *doubt = NULL;
    xylem_shell__advance(parser);
    struct xylem_shell__part *part = xylem_shell__add_part(builder, XYLEM_SHELL__PART_PARAMETER, raw, quoted);
    if (!part || !xylem_shell__enter(parser)) {
        return false;
    }
    bool outside = parser->in_quoted_braces;
    bool outside_pattern = parser->in_quoted_pattern;
    parser->in_quoted_braces |= quoted;
    bool good = read_inside(builder, part, quoting, &doubt);
    parser->in_quoted_braces = outside;
    parser->in_quoted_pattern = outside_pattern;
    xylem_shell__leave(parser);
    if (!good || !xylem_shell__accept(parser, '}')) {
        return xylem_shell__fail(parser, "${ is not closed");
    }
    part->raw = xylem_shell__view(raw, parser->now.at);
    builder->word->splits |= !quoted;
    for (const struct xylem_shell__word *word = part->words; word; word = word->next) {
        builder->word->splits |= word->splits;
    }
    enum xylem_shell__doubt_type type = doubt == runs_value ? XYLEM_SHELL__DOUBT_CODE : XYLEM_SHELL__DOUBT_ARITHMETIC;
    return !doubt || xylem_shell__doubt(parser, type, part->raw, doubt);
}
