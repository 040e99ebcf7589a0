#include <string.h>

#include "policy/parser.h"

static bool add_parameter(struct xylem_policy__builder *builder, const char *raw, const char *name,
                          const char *name_end, bool quoted)
{
    struct xylem_policy__part *part = xylem_policy__add_part(builder, XYLEM_POLICY__PART_PARAMETER, raw, quoted);
    if (!part) {
        return false;
    }
    part->text = xylem_policy__view(name, name_end);
    part->number = strchr("#?$!", *name);
    builder->word->splits |= !quoted || *name == '@';
    return true;
}

/* Its name's characters, without what was removed between them. */
static bool read_name(struct xylem_policy__builder *builder, const char *raw, bool quoted)
{
    struct xylem_policy__parser *parser = builder->parser;
    struct xylem_policy__builder name;
    if (!xylem_policy__begin_word(&name, parser)) {
        return false;
    }
    while (xylem_policy__is_name(xylem_policy__peek(parser))) {
        if (!xylem_policy__take_text(&name, false)) {
            return false;
        }
    }
    struct xylem_policy__word *word = xylem_policy__end_word(&name);
    return word && add_parameter(builder, raw, word->text.data, word->text.data + word->text.bytes, quoted);
}

/* $[...] */
static bool read_old_arithmetic(struct xylem_policy__builder *builder, const char *raw, bool quoted)
{
    struct xylem_policy__parser *parser = builder->parser;
    xylem_policy__advance(parser);
    if (!xylem_policy__enter(parser)) {
        return false;
    }
    struct xylem_policy__word *word = xylem_policy__read_arithmetic(parser, XYLEM_POLICY__ENDS_BRACKET);
    xylem_policy__leave(parser);
    if (!word || !xylem_policy__accept(parser, ']')) {
        return xylem_policy__fail(parser, "an arithmetic expression is not closed");
    }
    struct xylem_policy__part *part = xylem_policy__add_part(builder, XYLEM_POLICY__PART_ARITHMETIC, raw, quoted);
    if (!part) {
        return false;
    }
    part->words = word;
    builder->word->splits |= !quoted;
    return true;
}

bool xylem_policy__read_dollar(struct xylem_policy__builder *builder, enum xylem_policy__quoting quoting)
{
    struct xylem_policy__parser *parser = builder->parser;
    const char *raw = parser->now.at;
    bool quoted = quoting != XYLEM_POLICY__UNQUOTED;
    int c = xylem_policy__peek_second(parser);
    if (c == '\'' && !quoted) {
        return xylem_policy__read_ansi_quotes(builder);
    }
    if (c != '"' && !xylem_policy__is_name(c) && (c == XYLEM_POLICY__END || !strchr("({[@*#?-$!", c))) {
        return !xylem_policy__failed(parser) && xylem_policy__take_text(builder, quoted);
    }
    if (c == '"' && quoted) {
        return xylem_policy__take_text(builder, quoted);
    }
    xylem_policy__advance(parser);
    (void)xylem_policy__peek(parser);
    if (xylem_policy__is_name_start(c)) {
        return read_name(builder, raw, quoted);
    }
    switch (c) {
    case '"':
        return xylem_policy__read_double_quotes(builder);
    case '(':
        return xylem_policy__read_substitution(builder, raw, XYLEM_POLICY__PART_COMMAND, quoting);
    case '{':
        return xylem_policy__read_braces(builder, raw, quoting);
    case '[':
        return read_old_arithmetic(builder, raw, quoted);
    default:
        xylem_policy__advance(parser);
        return add_parameter(builder, raw, parser->now.at - 1, parser->now.at, quoted);
    }
}
