#include <string.h>

#include "judge/shell/parser.h"

static bool add_parameter(struct xylem_shell__builder *builder, const char *raw, struct xylem_view name, bool quoted)
{
    struct xylem_shell__part *part = xylem_shell__add_part(builder, XYLEM_SHELL__PART_PARAMETER, raw, quoted);
    if (!part) {
        return false;
    }
    part->text = name;
    part->number = strchr("#?$!", *name.data);
    builder->word->splits |= !quoted || *name.data == '@';
    return true;
}

/* Reads $[...], the old form of $((...)). */
static bool read_old_arithmetic(struct xylem_shell__builder *builder, const char *raw, bool quoted)
{
    struct xylem_shell__parser *parser = builder->parser;
    xylem_shell__advance(parser);
    if (!xylem_shell__enter(parser)) {
        return false;
    }
    struct xylem_shell__word *word = xylem_shell__read_arithmetic(parser, XYLEM_SHELL__ENDS_BRACKET);
    xylem_shell__leave(parser);
    if (!word || !xylem_shell__accept(parser, ']')) {
        return xylem_shell__fail(parser, "an arithmetic expression is not closed");
    }
    return xylem_shell__add_expansion(builder, raw, XYLEM_SHELL__PART_ARITHMETIC, quoted, word, NULL);
}

bool xylem_shell__read_dollar(struct xylem_shell__builder *builder, enum xylem_shell__quoting quoting)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *raw = parser->now.at;
    bool quoted = quoting != XYLEM_SHELL__UNQUOTED;
    int c = xylem_shell__peek_second(parser);
    if (c == '\'' && !quoted) {
        return xylem_shell__read_ansi_quotes(builder);
    }
    if (c != '"' && !xylem_shell__is_name(c) && (c == XYLEM_SHELL__END || !strchr("({[@*#?-$!", c))) {
        return !xylem_shell__failed(parser) && xylem_shell__take_text(builder, quoted);
    }
    if (c == '"' && quoted) {
        return xylem_shell__take_text(builder, quoted);
    }
    xylem_shell__advance(parser);
    (void)xylem_shell__peek(parser);
    if (xylem_shell__is_name_start(c)) {
        const struct xylem_shell__word *name = xylem_shell__read_name(parser);
        return name && add_parameter(builder, raw, name->text, quoted);
    }
    switch (c) {
    case '"':
        return xylem_shell__read_double_quotes(builder);
    case '(':
        return xylem_shell__read_substitution(builder, raw, XYLEM_SHELL__PART_COMMAND, quoting);
    case '{':
        return xylem_shell__read_braces(builder, raw, quoting);
    case '[':
        return read_old_arithmetic(builder, raw, quoted);
    default:
        xylem_shell__advance(parser);
        return add_parameter(builder, raw, xylem_shell__view(parser->now.at - 1, parser->now.at), quoted);
    }
}
