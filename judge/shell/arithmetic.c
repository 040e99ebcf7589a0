#include <string.h>

#include "judge/shell/parser.h"

/* The text from `begin` on is evaluated. */
static bool doubt(struct xylem_shell__parser *parser, const char *begin, const char *why)
{
    struct xylem_view at = xylem_shell__view(begin, parser->now.at);
    return xylem_shell__doubt(parser, XYLEM_SHELL__DOUBT_ARITHMETIC, at, why);
}

static bool read_expansion(struct xylem_shell__builder *builder, int c)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *begin = parser->now.at;
    if (c == '$' && xylem_shell__peek_second(parser) == '\'') {
        return xylem_shell__fail(parser, "$'...' stands in arithmetic");
    }
    if (!(c == '$' ? xylem_shell__read_dollar(builder, XYLEM_SHELL__DOUBLE_QUOTED)
                   : xylem_shell__read_backticks(builder, XYLEM_SHELL__DOUBLE_QUOTED))) {
        return false;
    }
    const struct xylem_shell__part *part = builder->last;
    return part->type == XYLEM_SHELL__PART_ARITHMETIC || part->number ||
           doubt(parser, begin, "the result of an expansion is evaluated as arithmetic");
}

static bool read_string(struct xylem_shell__builder *builder, int c)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *begin = parser->now.at;
    if (!(c == '"' ? xylem_shell__read_double_quotes(builder) : xylem_shell__read_single_quotes(builder))) {
        return false;
    }
    if (c == '\'' && xylem_shell__has_any(xylem_shell__view(begin + 1, parser->now.at - 1), "()[]{}$`\"\\")) {
        return xylem_shell__fail(parser, "a single quote stands in arithmetic");
    }
    return doubt(parser, begin, "a quoted string is evaluated as arithmetic");
}

/* Reads a number, a name, an expansion, a string, or another character. */
static bool read_term(struct xylem_shell__builder *builder, int c)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *begin = parser->now.at;
    if (xylem_shell__is_digit(c)) { /* the forms of bash: digits, 0x1f, 16#1f */
        for (; xylem_shell__is_name(c) || c == '#' || c == '@'; c = xylem_shell__peek(parser)) {
            if (!xylem_shell__take_text(builder, false)) {
                return false;
            }
        }
        return true;
    }
    if (xylem_shell__is_name_start(c)) {
        while (xylem_shell__is_name(xylem_shell__peek(parser))) {
            if (!xylem_shell__take_text(builder, false)) {
                return false;
            }
        }
        return doubt(parser, begin, "a variable's value is evaluated as arithmetic");
    }
    if (c == '$' || c == '`') {
        return read_expansion(builder, c);
    }
    if (c == '"' || c == '\'') {
        return read_string(builder, c);
    }
    if (strchr("+-*/%<>=!&|^~?:,; \t\n()", c)) {
        return xylem_shell__take_text(builder, false);
    }
    if (c == '\\' || (c >= 0xc0 && xylem_shell__deceives(begin, parser->now.end))) {
        return xylem_shell__fail(parser, "a character in arithmetic is not known");
    }
    return xylem_shell__take_text(builder, false) &&
           doubt(parser, begin, "a character in arithmetic belongs to no number");
}

struct xylem_shell__word *xylem_shell__read_arithmetic(struct xylem_shell__parser *parser,
                                                       enum xylem_shell__arithmetic_end end)
{
    const char open = end == XYLEM_SHELL__ENDS_PARENTHESES ? '(' : end == XYLEM_SHELL__ENDS_BRACKET ? '[' : '{';
    const char close = end == XYLEM_SHELL__ENDS_PARENTHESES ? ')' : end == XYLEM_SHELL__ENDS_BRACKET ? ']' : '}';
    struct xylem_shell__builder builder;
    size_t depth = 0;
    if (!xylem_shell__begin_word(&builder, parser)) {
        return NULL;
    }
    for (int c = xylem_shell__peek(parser); c != close || depth > 0; c = xylem_shell__peek(parser)) {
        if (c == XYLEM_SHELL__END) {
            (void)xylem_shell__fail(parser, "an arithmetic expression is not closed");
            return NULL;
        }
        depth += c == open && end != XYLEM_SHELL__ENDS_BRACE;
        depth -= c == close;
        if ((c == '<' || c == '>') && end != XYLEM_SHELL__ENDS_PARENTHESES && xylem_shell__peek_second(parser) == '(') {
            (void)xylem_shell__fail(parser, "a process substitution stands in arithmetic");
            return NULL;
        }
        if (!read_term(&builder, c)) {
            return NULL;
        }
    }
    return xylem_shell__end_word(&builder);
}

struct xylem_shell__word *xylem_shell__read_subscript(struct xylem_shell__parser *parser, bool *all)
{
    int c = xylem_shell__peek(parser);
    *all = (c == '@' || c == '*') && xylem_shell__peek_second(parser) == ']';
    if (*all) {
        struct xylem_shell__builder builder;
        if (!xylem_shell__begin_word(&builder, parser) || !xylem_shell__take_text(&builder, false) ||
            !xylem_shell__accept(parser, ']')) {
            return NULL;
        }
        return xylem_shell__end_word(&builder);
    }
    struct xylem_shell__word *word = xylem_shell__read_arithmetic(parser, XYLEM_SHELL__ENDS_BRACKET);
    if (!word || !xylem_shell__accept(parser, ']')) {
        (void)xylem_shell__fail(parser, "a subscript is not closed");
        return NULL;
    }
    return word;
}

bool xylem_shell__is_number(const struct xylem_shell__word *word)
{
    if (!word->literal) {
        const struct xylem_shell__part *part = word->parts;
        return part && !part->next && (part->number || part->type == XYLEM_SHELL__PART_ARITHMETIC);
    }
    struct xylem_view digits = word->text;
    if (digits.bytes > 1 && (*digits.data == '-' || *digits.data == '+')) {
        digits.data++;
        digits.bytes--;
    }
    return xylem_shell__all_digits(digits);
}

int xylem_shell__try_arithmetic(struct xylem_shell__parser *parser, struct xylem_shell__word **word, const char **end)
{
    struct xylem_shell__position before = parser->now;
    struct xylem_shell__doubt *doubts = parser->tree->doubts;
    *word = xylem_shell__read_arithmetic(parser, XYLEM_SHELL__ENDS_PARENTHESES);
    if (!*word) {
        return -1;
    }
    xylem_shell__advance(parser);
    if (xylem_shell__peek_raw(parser) == ')') {
        xylem_shell__advance(parser);
        return 1;
    }
    if (end) {
        if (!xylem_shell__read_arithmetic(parser, XYLEM_SHELL__ENDS_PARENTHESES)) {
            return -1;
        }
        xylem_shell__advance(parser);
        *end = parser->now.at;
    } else if (xylem_shell__peek_raw(parser) != xylem_shell__peek(parser)) {
        (void)xylem_shell__fail(parser, "a backslash and a newline stand between two parentheses");
        return -1;
    }
    parser->now = before;
    parser->tree->doubts = doubts;
    return xylem_shell__failed(parser) ? -1 : 0;
}
