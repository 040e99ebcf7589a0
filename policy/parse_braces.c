/* ${...} */
#include <string.h>

#include "policy/parser.h"

/* A process substitution in an operand: bash finds the closing brace without looking at what it is. */
static bool read_process(struct xylem_policy__builder *builder)
{
    struct xylem_policy__parser *parser = builder->parser;
    const char *raw = parser->now.at;
    xylem_policy__advance(parser);
    if (!xylem_policy__read_substitution(builder, raw, XYLEM_POLICY__PART_PROCESS, XYLEM_POLICY__UNQUOTED)) {
        return false;
    }
    if (memchr(raw, '}', (size_t)(parser->now.at - raw))) {
        return xylem_policy__fail(parser, "a brace stands in a process substitution within ${...}");
    }
    return true;
}

/* A backslash keeps the brace behind it from closing, within double quotes and here-documents too. */
static bool read_escaped(struct xylem_policy__builder *builder, enum xylem_policy__quoting quoting)
{
    struct xylem_policy__parser *parser = builder->parser;
    const char *backslash = parser->now.at;
    if (!xylem_policy__read_backslash(builder, quoting)) {
        return false;
    }
    bool stays = parser->now.at == backslash + 1 && xylem_policy__peek_raw(parser) == '}';
    return !stays || xylem_policy__take_text(builder, true);
}

static bool read_operand_one(struct xylem_policy__builder *builder, int c, enum xylem_policy__quoting quoting)
{
    struct xylem_policy__parser *parser = builder->parser;
    bool quoted = quoting != XYLEM_POLICY__UNQUOTED;
    switch (c) {
    case '\'':
        return quoted ? xylem_policy__fail(parser, "a single quote in ${...} within double quotes or a here-document")
                      : xylem_policy__read_single_quotes(builder);
    case '"':
        if (quoting == XYLEM_POLICY__DOCUMENT) {
            return xylem_policy__fail(parser, "a double quote in ${...} within a here-document");
        }
        return xylem_policy__read_double_quotes(builder);
    case '\\':
        return read_escaped(builder, quoting);
    case '$':
        return xylem_policy__read_dollar(builder, quoting);
    case '`':
        return xylem_policy__read_backticks(builder, quoting);
    case '<':
    case '>':
        if (!quoted && xylem_policy__peek_second(parser) == '(') {
            return read_process(builder);
        }
        if (parser->in_quoted_pattern && xylem_policy__peek_second(parser) == '(') { /* bash runs it */
            return xylem_policy__fail(parser, "a process substitution in a pattern within double quotes");
        }
        break;
    default:
        break;
    }
    if (c >= 0xc0 && !quoted && xylem_policy__deceives(parser->now.at, parser->now.end)) {
        return xylem_policy__fail(parser, "a character that is not seen stands outside of quotes");
    }
    return xylem_policy__take_text(builder, quoted);
}

/* Up to the closing brace, or to the slash between a pattern and what replaces it. */
static struct xylem_policy__word *read_operand(struct xylem_policy__parser *parser, enum xylem_policy__quoting quoting,
                                               bool slash)
{
    struct xylem_policy__builder builder;
    if (!xylem_policy__begin_word(&builder, parser)) {
        return NULL;
    }
    for (int c = xylem_policy__peek(parser); c != '}' && !(slash && c == '/'); c = xylem_policy__peek(parser)) {
        if (c == XYLEM_POLICY__END) {
            (void)xylem_policy__fail(parser, "${ is not closed");
            return NULL;
        }
        if (!read_operand_one(&builder, c, quoting)) {
            return NULL;
        }
    }
    return xylem_policy__end_word(&builder);
}

static bool add_operand(struct xylem_policy__part *part, struct xylem_policy__word *word)
{
    struct xylem_policy__word **tail = &part->words;
    if (!word) {
        return false;
    }
    while (*tail) {
        tail = &(*tail)->next;
    }
    *tail = word;
    return true;
}

/* :o:l, behind the colon. */
static bool read_slice(struct xylem_policy__parser *parser, struct xylem_policy__part *part)
{
    return add_operand(part, xylem_policy__read_arithmetic(parser, XYLEM_POLICY__ENDS_BRACE));
}

static const char runs_value[] = "${...@P} runs what stands in the variable";

/* @Q and its like. */
static bool read_transformation(struct xylem_policy__parser *parser, const char **doubt)
{
    xylem_policy__advance(parser);
    int c = xylem_policy__peek(parser);
    if (c == XYLEM_POLICY__END || !strchr("QEAaUuLKkP", c)) {
        return xylem_policy__fail(parser, "an operator of ${...} that is not known");
    }
    xylem_policy__advance(parser);
    if (c == 'P') {
        *doubt = runs_value;
    }
    return true;
}

/* What stands behind the name and its subscript. */
static bool read_operator(struct xylem_policy__parser *parser, struct xylem_policy__part *part,
                          enum xylem_policy__quoting quoting, const char **doubt)
{
    int c = xylem_policy__peek(parser);
    if (c == '}') {
        return true;
    }
    if (c == '@') {
        return read_transformation(parser, doubt);
    }
    bool colon = c == ':';
    if (colon) {
        xylem_policy__advance(parser);
        c = xylem_policy__peek(parser);
    }
    if (c == XYLEM_POLICY__END || !strchr("-=?+", c)) {
        if (colon) {
            return read_slice(parser, part);
        }
        if (c == XYLEM_POLICY__END || !strchr("#%/^,", c)) {
            return xylem_policy__fail(parser, "an operator of ${...} that is not known");
        }
    }
    xylem_policy__advance(parser);
    part->assigns = c == '=';
    parser->in_quoted_pattern |= quoting != XYLEM_POLICY__UNQUOTED && !strchr("-=+", c);
    if (c == '/') {
        (void)(xylem_policy__peek(parser) == '/' && xylem_policy__accept(parser, '/'));
        if (!add_operand(part, read_operand(parser, quoting, true))) {
            return false;
        }
        return !xylem_policy__accept(parser, '/') || add_operand(part, read_operand(parser, quoting, false));
    }
    return add_operand(part, read_operand(parser, quoting, false));
}

/* The parameter's name into `name`, of which no character is removed between. */
static bool read_parameter(struct xylem_policy__parser *parser, struct xylem_view *name)
{
    int c = xylem_policy__peek(parser);
    const char *begin = parser->now.at;
    if (xylem_policy__is_name(c)) {
        bool digits = xylem_policy__is_digit(c);
        while (digits ? xylem_policy__is_digit(xylem_policy__peek_raw(parser))
                      : xylem_policy__is_name(xylem_policy__peek_raw(parser))) {
            xylem_policy__advance(parser);
        }
        *name = xylem_policy__view(begin, parser->now.at);
        if (xylem_policy__is_name(xylem_policy__peek(parser))) {
            return xylem_policy__fail(parser, "a name in ${...} that is not known");
        }
        return true;
    }
    if (c == XYLEM_POLICY__END || !strchr("@*#?-$!", c)) {
        return xylem_policy__fail(parser, "a kind of ${...} that is not known");
    }
    xylem_policy__advance(parser);
    *name = xylem_policy__view(begin, parser->now.at);
    return true;
}

/* ${#x} and ${!x}: # or ! stands before a name. */
static bool read_prefix(struct xylem_policy__parser *parser, bool *length, bool *indirect)
{
    int c = xylem_policy__peek(parser);
    int second = c == '#' || c == '!' ? xylem_policy__peek_second(parser) : XYLEM_POLICY__END;
    if (second == XYLEM_POLICY__END || second == '}') {
        return true;
    }
    if (!xylem_policy__is_name(second) && !strchr("@*", second)) {
        /* ${#-x}, ${!?x}, ${##}: which of them bash takes for what, nobody needs. */
        return xylem_policy__fail(parser, "a kind of ${...} that is not known");
    }
    *length = c == '#';
    *indirect = c == '!';
    xylem_policy__advance(parser);
    return true;
}

static bool read_inside(struct xylem_policy__builder *builder, struct xylem_policy__part *part,
                        enum xylem_policy__quoting quoting, const char **doubt)
{
    struct xylem_policy__parser *parser = builder->parser;
    bool length = false;
    bool indirect = false;
    bool all = false;
    if (!read_prefix(parser, &length, &indirect) || !read_parameter(parser, &part->text)) {
        return false;
    }
    if (xylem_policy__is_name_start((unsigned char)*part->text.data) && xylem_policy__accept(parser, '[') &&
        !add_operand(part, xylem_policy__read_subscript(parser, &all))) {
        return false;
    }
    int c = xylem_policy__peek(parser);
    if (length && c != '}') {
        return xylem_policy__fail(parser, "a kind of ${...} that is not known");
    }
    bool names = indirect && (c == '*' || c == '@') && xylem_policy__peek_second(parser) == '}'; /* ${!prefix*} */
    if (names) {
        xylem_policy__advance(parser);
    } else if (indirect && !(all && c == '}')) {
        *doubt = "${!...} takes the variable that another one names";
    }
    part->number = length;
    builder->word->splits |= !length && (all || indirect || *part->text.data == '@');
    return read_operator(parser, part, quoting, doubt);
}

bool xylem_policy__read_braces(struct xylem_policy__builder *builder, const char *raw,
                               enum xylem_policy__quoting quoting)
{
    struct xylem_policy__parser *parser = builder->parser;
    bool quoted = quoting != XYLEM_POLICY__UNQUOTED;
    const char *doubt = NULL;
    xylem_policy__advance(parser);
    struct xylem_policy__part *part = xylem_policy__add_part(builder, XYLEM_POLICY__PART_PARAMETER, raw, quoted);
    if (!part || !xylem_policy__enter(parser)) {
        return false;
    }
    bool outside = parser->in_quoted_braces;
    bool outside_pattern = parser->in_quoted_pattern;
    parser->in_quoted_braces |= quoted;
    bool good = read_inside(builder, part, quoting, &doubt);
    parser->in_quoted_braces = outside;
    parser->in_quoted_pattern = outside_pattern;
    xylem_policy__leave(parser);
    if (!good || !xylem_policy__accept(parser, '}')) {
        return xylem_policy__fail(parser, "${ is not closed");
    }
    part->raw = xylem_policy__view(raw, parser->now.at);
    builder->word->splits |= !quoted;
    for (const struct xylem_policy__word *word = part->words; word; word = word->next) {
        builder->word->splits |= word->splits;
    }
    if (doubt && !xylem_policy__doubt(parser, raw, doubt)) {
        return false;
    }
    if (doubt == runs_value) {
        parser->tree->doubts->code = true;
    }
    return true;
}
