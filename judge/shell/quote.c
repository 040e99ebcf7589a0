#include <string.h>

#include "base/utf8.h"
#include "judge/shell/parser.h"

bool xylem_shell__read_single_quotes(struct xylem_shell__builder *builder)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *raw = parser->now.at;
    const char *begin = raw + 1;
    const char *quote = memchr(begin, '\'', (size_t)(parser->now.end - begin));
    if (!quote) {
        return xylem_shell__fail(parser, "a single quote is not closed");
    }
    parser->steps += (size_t)(quote - raw);
    parser->now.at = quote + 1;
    return xylem_shell__add_text(builder, raw, quote + 1, xylem_shell__view(begin, quote), true);
}

bool xylem_shell__read_backslash(struct xylem_shell__builder *builder, enum xylem_shell__quoting quoting)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *raw = parser->now.at;
    xylem_shell__advance(parser);
    int c = xylem_shell__peek_raw(parser);
    if (c == XYLEM_SHELL__END) {
        return xylem_shell__fail(parser, "a backslash stands at the end");
    }
    if (quoting != XYLEM_SHELL__UNQUOTED && (!strchr("$`\\", c) && (c != '"' || quoting == XYLEM_SHELL__DOCUMENT))) {
        return xylem_shell__add_text(builder, raw, raw + 1, xylem_shell__view(raw, raw + 1), true);
    }
    if (quoting == XYLEM_SHELL__UNQUOTED && c >= 0x80 && xylem_shell__deceives(parser->now.at, parser->now.end)) {
        return xylem_shell__fail(parser, "an invisible character stands outside of quotes");
    }
    xylem_shell__advance(parser);
    return xylem_shell__add_text(builder, raw, raw + 2, xylem_shell__view(raw + 1, raw + 2), true);
}

/* Reads characters that are not special within double quotes or a here-document. */
static bool read_run(struct xylem_shell__builder *builder)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *begin = parser->now.at;
    const char *at = begin;
    while (at < parser->now.end && *at != '$' && *at != '`' && *at != '\\' && *at != '"' && *at != '\'') {
        at++;
    }
    parser->steps += (size_t)(at - begin);
    parser->now.at = at;
    return xylem_shell__add_text(builder, begin, at, xylem_shell__view(begin, at), true);
}

/* Reads up to the closing quote, or to the end of a here-document. */
static bool read_quoted(struct xylem_shell__builder *builder, enum xylem_shell__quoting quoting)
{
    struct xylem_shell__parser *parser = builder->parser;
    for (;;) {
        int c = xylem_shell__peek(parser);
        if (c == XYLEM_SHELL__END || (c == '"' && quoting == XYLEM_SHELL__DOUBLE_QUOTED)) {
            return !xylem_shell__failed(parser);
        }
        if (c == '\'' && parser->in_quoted_braces) {
            return xylem_shell__fail(parser, "a single quote stands in ${...} within double quotes or a here-document");
        }
        bool good = c == '$'                ? xylem_shell__read_dollar(builder, quoting)
                    : c == '`'              ? xylem_shell__read_backticks(builder, quoting)
                    : c == '\\'             ? xylem_shell__read_backslash(builder, quoting)
                    : c == '"' || c == '\'' ? xylem_shell__take_text(builder, true)
                                            : read_run(builder);
        if (!good) {
            return false;
        }
    }
}

bool xylem_shell__read_double_quotes(struct xylem_shell__builder *builder)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *raw = parser->now.at;
    xylem_shell__advance(parser);
    const struct xylem_shell__part *before = builder->last;
    size_t bytes = before ? before->text.bytes : 0;
    builder->word->quoted = true;
    if (!read_quoted(builder, XYLEM_SHELL__DOUBLE_QUOTED)) {
        return false;
    }
    /* Even empty quotes make a word. */
    if (builder->last == before && (!before || before->text.bytes == bytes) &&
        !xylem_shell__add_text(builder, raw, parser->now.at, xylem_shell__view(parser->now.at, parser->now.at), true)) {
        return false;
    }
    return xylem_shell__accept(parser, '"') || xylem_shell__fail(parser, "a double quote is not closed");
}

struct xylem_shell__word *xylem_shell__read_document_text(struct xylem_shell__parser *parser)
{
    struct xylem_shell__builder builder;
    if (!xylem_shell__begin_word(&builder, parser) || !read_quoted(&builder, XYLEM_SHELL__DOCUMENT)) {
        return NULL;
    }
    return xylem_shell__end_word(&builder);
}

/* --- $'...' */

/* Reads a number of up to `most` digits; gives the count of digits. */
static int read_number(struct xylem_shell__parser *parser, uint32_t *number, int base, int most)
{
    int count = 0;
    *number = 0;
    for (; count < most && xylem_shell__digit_value(xylem_shell__peek_raw(parser)) < base; count++) {
        *number = *number * (uint32_t)base + (uint32_t)xylem_shell__digit_value(xylem_shell__peek_raw(parser));
        xylem_shell__advance(parser);
    }
    return count;
}

/* Behind `\x`, `\u` or `\U`: decodes the character; gives the count of bytes, 0 without digits. */
static size_t read_hexadecimal(struct xylem_shell__parser *parser, char out[4], int c)
{
    uint32_t number = 0;
    if (c == 'x' && xylem_shell__peek_raw(parser) == '{') {
        (void)xylem_shell__fail(parser, "an escape of $'...' is not known");
        return 0;
    }
    if (read_number(parser, &number, 16, c == 'x' ? 2 : c == 'u' ? 4 : 8) == 0) {
        return 0;
    }
    if (c == 'x' || number < 0x80) {
        out[0] = (char)number;
        return 1;
    }
    if (number > 0x10ffff || (number >= 0xd800 && number < 0xe000)) {
        (void)xylem_shell__fail(parser, "an escape of $'...' is not a valid character");
        return 0;
    }
    return xylem_base__wtf8_encode(out, number);
}

/* Behind a backslash: decodes the escape; gives the count of bytes. */
static size_t read_escape(struct xylem_shell__parser *parser, char out[4])
{
    static const char letters[] = "abeEfnrtv\\'\"?";
    static const char values[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
    int c = xylem_shell__peek_raw(parser);
    const char *letter = c == XYLEM_SHELL__END ? NULL : strchr(letters, c);
    uint32_t number;
    if (c >= '0' && c <= '7') {
        (void)read_number(parser, &number, 8, 3);
        out[0] = (char)number;
        return 1;
    }
    if (c == XYLEM_SHELL__END) {
        return 0;
    }
    xylem_shell__advance(parser);
    if (letter) {
        out[0] = values[letter - letters];
        return 1;
    }
    size_t bytes = c == 'x' || c == 'u' || c == 'U' ? read_hexadecimal(parser, out, c) : 0;
    if (bytes > 0) {
        return bytes;
    }
    if (c == 'c') {
        int control = xylem_shell__peek_raw(parser);
        if (control == XYLEM_SHELL__END || control >= 0x80 || control == '\\' || control == '\'') {
            (void)xylem_shell__fail(parser, "an escape of $'...' is not known");
            return 0;
        }
        xylem_shell__advance(parser);
        out[0] = (char)(control == '?' ? 0x7f : control & 0x1f);
        return 1;
    }
    out[0] = '\\'; /* no escape: the backslash stays */
    out[1] = (char)c;
    return 2;
}

bool xylem_shell__read_ansi_quotes(struct xylem_shell__builder *builder)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *raw = parser->now.at;
    bool ended = false;           /* bash ends the string at a NUL */
    xylem_shell__advance(parser); /* the dollar */
    (void)xylem_shell__peek(parser);
    xylem_shell__advance(parser);
    if (!xylem_shell__add_text(builder, raw, parser->now.at, xylem_shell__view(parser->now.at, parser->now.at), true)) {
        return false;
    }
    for (;;) {
        const char *at = parser->now.at;
        struct xylem_view text = {at, 1};
        int c = xylem_shell__peek_raw(parser);
        if (c == XYLEM_SHELL__END) {
            return xylem_shell__fail(parser, "a single quote is not closed");
        }
        xylem_shell__advance(parser);
        if (c == '\'') {
            return true;
        }
        if (c == '\\') {
            char *decoded = xylem_shell__take(parser, 4);
            if (!decoded) {
                return false;
            }
            text = (struct xylem_view){decoded, read_escape(parser, decoded)};
        }
        ended |= text.bytes > 0 && text.data[0] == '\0';
        if (!ended && !xylem_shell__add_text(builder, at, parser->now.at, text, true)) {
            return false;
        }
    }
}
