#include <assert.h>
#include <string.h>

#include "judge/shell/parser.h"

bool xylem_shell__begin_word(struct xylem_shell__builder *builder, struct xylem_shell__parser *parser)
{
    *builder =
        (struct xylem_shell__builder){.parser = parser, .word = xylem_shell__take(parser, sizeof *builder->word)};
    if (!builder->word) {
        return false;
    }
    (void)xylem_shell__peek(parser); /* the word begins after backslash-newlines */
    builder->word->raw.data = parser->now.at;
    return true;
}

struct xylem_shell__part *xylem_shell__add_part(struct xylem_shell__builder *builder, enum xylem_shell__part_type type,
                                                const char *raw, bool quoted)
{
    struct xylem_shell__part *part = xylem_shell__take(builder->parser, sizeof *part);
    if (!part) {
        return NULL;
    }
    part->type = type;
    part->quoted = quoted;
    part->raw = xylem_shell__view(raw, builder->parser->now.at);
    *(!builder->last ? &builder->word->parts : &builder->last->next) = part;
    builder->last = part;
    builder->open = false;
    builder->capacity = 0;
    builder->word->quoted |= quoted;
    return part;
}

bool xylem_shell__add_text(struct xylem_shell__builder *builder, const char *raw, const char *raw_end,
                           struct xylem_view text, bool quoted)
{
    assert(!builder->open || builder->last);
    if (!builder->open || builder->last->quoted != quoted) {
        struct xylem_shell__part *part = xylem_shell__add_part(builder, XYLEM_SHELL__PART_TEXT, raw, quoted);
        if (!part) {
            return false;
        }
        part->text = text;
        part->raw = xylem_shell__view(raw, raw_end);
        builder->open = true;
        return true;
    }
    struct xylem_view *whole = &builder->last->text;
    builder->last->raw = xylem_shell__view(builder->last->raw.data, raw_end);
    if (builder->capacity == 0 && (text.bytes == 0 || whole->data + whole->bytes == text.data)) {
        whole->bytes += text.bytes;
        return true;
    }
    if (whole->bytes + text.bytes > builder->capacity) {
        size_t capacity = (whole->bytes + text.bytes) * 2 + 16;
        char *copy = xylem_shell__take(builder->parser, capacity);
        if (!copy) {
            return false;
        }
        if (whole->bytes > 0) {
            memcpy(copy, whole->data, whole->bytes);
        }
        whole->data = copy;
        builder->capacity = capacity;
    }
    memcpy((char *)whole->data + whole->bytes, text.data, text.bytes);
    whole->bytes += text.bytes;
    return true;
}

bool xylem_shell__take_text(struct xylem_shell__builder *builder, bool quoted)
{
    const char *at = builder->parser->now.at;
    xylem_shell__advance(builder->parser);
    return xylem_shell__add_text(builder, at, at + 1, xylem_shell__view(at, at + 1), quoted);
}

struct xylem_shell__word *xylem_shell__end_word(struct xylem_shell__builder *builder)
{
    struct xylem_shell__word *word = builder->word;
    const struct xylem_shell__part *part = word->parts;
    struct xylem_shell__word unused = {.splits = false};
    struct xylem_shell__builder whole = {.parser = builder->parser, .word = &unused};
    if (xylem_shell__failed(builder->parser)) {
        return NULL;
    }
    if (builder->brace_state == 3) {
        builder->brace->type = XYLEM_SHELL__PART_BRACE;
    }
    word->raw = xylem_shell__view(word->raw.data, builder->parser->now.at);
    /* The text of all parts before the first part that is no TEXT. */
    for (; part && part->type == XYLEM_SHELL__PART_TEXT; part = part->next) {
        if (part == word->parts) {
            word->text = part->text;
            continue;
        }
        if ((!whole.last && !xylem_shell__add_text(&whole, word->text.data, word->text.data, word->text, false)) ||
            !xylem_shell__add_text(&whole, part->text.data, part->text.data, part->text, false)) {
            return NULL;
        }
        word->text = whole.last->text;
    }
    word->literal = !part;
    return word;
}

/* Reads characters without a meaning in any word. */
static bool read_plain(struct xylem_shell__builder *builder)
{
    struct xylem_shell__parser *parser = builder->parser;
    const char *begin = parser->now.at;
    const char *at = begin;
    while (at < parser->now.end && (xylem_shell__is_name((unsigned char)*at) || *at == '-' || *at == '/')) {
        at++;
    }
    parser->steps += (size_t)(at - begin);
    parser->now.at = at;
    return xylem_shell__add_text(builder, begin, at, xylem_shell__view(begin, at), false);
}

/* Reads a character of a glob, a brace or a tilde. */
static bool read_magic(struct xylem_shell__builder *builder, int c)
{
    if (c == '~' && builder->last &&
        !(builder->equals && builder->open && builder->last->text.bytes > 0 &&
          strchr("=:", builder->last->text.data[builder->last->text.bytes - 1]))) {
        return xylem_shell__take_text(builder, false);
    }
    builder->open = false;
    if (!xylem_shell__take_text(builder, false)) {
        return false;
    }
    builder->open = false;
    if (c == '*' || c == '?') {
        builder->last->type = XYLEM_SHELL__PART_GLOB;
    } else if (c == '~') {
        builder->last->type = XYLEM_SHELL__PART_TILDE;
    } else if (c == '[' && !builder->bracket) {
        builder->bracket = builder->last;
    } else if (c == '{' && !builder->brace) {
        builder->brace = builder->last;
        builder->brace_state = 1;
    }
    return true;
}

/* Follows the characters that make a brace or a bracket special: `{` `,` `}`, `[` `]`, and `=` before a tilde. */
static void note_character(struct xylem_shell__builder *builder, int c)
{
    struct xylem_shell__parser *parser = builder->parser;
    if (builder->brace_state == 1 && (c == ',' || (c == '.' && xylem_shell__peek_second(parser) == '.'))) {
        builder->brace_state = 2;
    } else if (builder->brace_state == 2 && c == '}') {
        builder->brace_state = 3;
    } else if (c == '=' && builder->last) {
        builder->equals = true;
    }
    if (c == ']' && builder->bracket) {
        builder->bracket->type = XYLEM_SHELL__PART_GLOB;
        builder->bracket = NULL;
    }
}

struct xylem_shell__word *xylem_shell__read_name(struct xylem_shell__parser *parser)
{
    struct xylem_shell__builder builder;
    if (!xylem_shell__begin_word(&builder, parser)) {
        return NULL;
    }
    while (xylem_shell__is_name(xylem_shell__peek(parser))) {
        if (!xylem_shell__take_text(&builder, false)) {
            return NULL;
        }
    }
    return xylem_shell__end_word(&builder);
}

/* Reads a group of a pattern or a regular expression. Blanks and operators in the group belong to the word. */
static bool read_group(struct xylem_shell__builder *builder, enum xylem_shell__place place);

static bool read_one(struct xylem_shell__builder *builder, int c, enum xylem_shell__place place)
{
    struct xylem_shell__parser *parser = builder->parser;
    switch (c) {
    case '\'':
        return xylem_shell__read_single_quotes(builder);
    case '"':
        return xylem_shell__read_double_quotes(builder);
    case '\\':
        return xylem_shell__read_backslash(builder, XYLEM_SHELL__UNQUOTED);
    case '$':
        return xylem_shell__read_dollar(builder, XYLEM_SHELL__UNQUOTED);
    case '`':
        return xylem_shell__read_backticks(builder, XYLEM_SHELL__UNQUOTED);
    case '<':
    case '>': {
        const char *raw = parser->now.at;
        xylem_shell__advance(parser);
        return xylem_shell__read_substitution(builder, raw, XYLEM_SHELL__PART_PROCESS, XYLEM_SHELL__UNQUOTED);
    }
    case '(':
        return read_group(builder, place);
    default:
        break;
    }
    if (c >= 0xc0 && xylem_shell__deceives(parser->now.at, parser->now.end)) {
        return xylem_shell__fail(parser, "an invisible character stands outside of quotes");
    }
    note_character(builder, c);
    bool magic = strchr("*?[{~", c) && place != XYLEM_SHELL__PLACE_DELIMITER && place != XYLEM_SHELL__PLACE_REGEX;
    if (place == XYLEM_SHELL__PLACE_VALUE && c != '~') {
        magic = false;
    }
    return magic ? read_magic(builder, c) : xylem_shell__take_text(builder, false);
}

/* True if a parenthesis here begins a group of the word. */
static bool begins_group(const struct xylem_shell__builder *builder, enum xylem_shell__place place)
{
    const struct xylem_shell__part *last = builder->last;
    return place == XYLEM_SHELL__PLACE_REGEX ||
           (place == XYLEM_SHELL__PLACE_PATTERN && last && !last->quoted && last->text.bytes > 0 &&
            strchr("?*+@!", last->text.data[last->text.bytes - 1]));
}

static bool read_group(struct xylem_shell__builder *builder, enum xylem_shell__place place)
{
    struct xylem_shell__parser *parser = builder->parser;
    size_t depth = 0;
    do {
        int c = xylem_shell__peek(parser);
        if (c == XYLEM_SHELL__END) {
            return xylem_shell__fail(parser, "a parenthesis is not closed");
        }
        depth += c == '(';
        depth -= c == ')';
        bool plain = strchr("|&; \t\n()", c) || (strchr("<>", c) && xylem_shell__peek_second(parser) != '(');
        if (strchr("&;\n", c) || (strchr("<>", c) && !plain)) {
            return xylem_shell__fail(parser, "an operator stands in a pattern");
        }
        if (!(plain ? xylem_shell__take_text(builder, false) : read_one(builder, c, place))) {
            return false;
        }
    } while (depth > 0);
    return true;
}

static bool word_goes_on(struct xylem_shell__builder *builder, int c, enum xylem_shell__place place)
{
    if (c != XYLEM_SHELL__END && !strchr(" \t\n|&;()<>", c)) {
        return true;
    }
    if (c == '<' || c == '>') {
        return xylem_shell__peek_second(builder->parser) == '(' && place != XYLEM_SHELL__PLACE_REGEX;
    }
    if (c == '|') {
        return place == XYLEM_SHELL__PLACE_REGEX;
    }
    return c == '(' && begins_group(builder, place);
}

struct xylem_shell__word *xylem_shell__read_word(struct xylem_shell__parser *parser, enum xylem_shell__place place)
{
    struct xylem_shell__builder builder;
    if (!xylem_shell__begin_word(&builder, parser)) {
        return NULL;
    }
    builder.equals = place == XYLEM_SHELL__PLACE_VALUE;
    for (;;) {
        int c = xylem_shell__peek(parser);
        bool plain = xylem_shell__is_name(c);
        if (!plain && !word_goes_on(&builder, c, place)) {
            break;
        }
        if (!(plain ? read_plain(&builder) : read_one(&builder, c, place))) {
            return NULL;
        }
    }
    if (xylem_shell__peek(parser) == '(' && begins_group(&builder, XYLEM_SHELL__PLACE_PATTERN)) {
        (void)xylem_shell__fail(parser, "an extended glob stands in a word");
    }
    return xylem_shell__end_word(&builder);
}
