#include <string.h>

#include "judge/shell/parser.h"

static bool add_subscript(struct xylem_shell__assignment *assignment, struct xylem_shell__word *word)
{
    if (!word) {
        return false;
    }
    word->next = assignment->subscripts;
    assignment->subscripts = word;
    return true;
}

/* Reads = or +=. */
static bool read_equals(struct xylem_shell__parser *parser, bool *append)
{
    *append = xylem_shell__peek(parser) == '+' && xylem_shell__peek_second(parser) == '=';
    if (*append) {
        xylem_shell__advance(parser);
    }
    return xylem_shell__accept(parser, '=');
}

/* At a [ among the values: reads [subscript]=value. */
static struct xylem_shell__word *read_element(struct xylem_shell__parser *parser,
                                              struct xylem_shell__assignment *assignment)
{
    bool ignored;
    xylem_shell__advance(parser);
    if (!add_subscript(assignment, xylem_shell__read_subscript(parser, &ignored))) {
        return NULL;
    }
    if (!read_equals(parser, &ignored)) {
        (void)xylem_shell__fail(parser, "a bracket stands before a value of an array");
        return NULL;
    }
    return xylem_shell__read_word(parser, XYLEM_SHELL__PLACE_VALUE);
}

/* Behind the parenthesis: reads the values of an array. */
static bool read_values(struct xylem_shell__parser *parser, struct xylem_shell__assignment *assignment)
{
    struct xylem_shell__word **tail = &assignment->values;
    for (;;) {
        xylem_shell__skip_blanks(parser);
        int c = xylem_shell__peek(parser);
        if (c == '\n' && !parser->pending && !parser->pending_outside) {
            xylem_shell__advance(parser);
            continue;
        }
        if (c == ')') {
            xylem_shell__advance(parser);
            return true;
        }
        bool process = (c == '<' || c == '>') && xylem_shell__peek_second(parser) == '(';
        if (c == XYLEM_SHELL__END || (strchr("\n|&;(<>", c) && !process)) {
            return xylem_shell__fail(parser, "an array's values are not closed, or an operator stands among them");
        }
        *tail =
            c == '[' ? read_element(parser, assignment) : xylem_shell__read_word(parser, XYLEM_SHELL__PLACE_ARGUMENT);
        if (!*tail) {
            return false;
        }
        tail = &(*tail)->next;
    }
}

/*
 * Reads the brackets of name[subscript]. False: the word is no assignment; fails if the word is no plain word either.
 */
static bool read_bracket(struct xylem_shell__parser *parser, struct xylem_shell__assignment *assignment)
{
    bool ignored;
    const char *begin = parser->now.at;
    xylem_shell__advance(parser);
    if (!add_subscript(assignment, xylem_shell__read_subscript(parser, &ignored))) {
        return false;
    }
    int c = xylem_shell__peek(parser);
    if (c == '=' || (c == '+' && xylem_shell__peek_second(parser) == '=')) {
        return true;
    }
    return xylem_shell__has_any(xylem_shell__view(begin, parser->now.at), " \t\n|&;()<>") &&
           xylem_shell__fail(parser, "brackets that hold blanks or operators stand in a word");
}

/* Behind a redirection bash reads brackets and parentheses like in other words: not understood. */
static bool check_prefix(struct xylem_shell__parser *parser, int c)
{
    return c != '[' && c != '(' ? true : xylem_shell__fail(parser, "an array stands behind a redirection");
}

/* True for a character of a plain glob: no quote, no expansion, no equals sign. A letter may be escaped. */
static bool is_glob_character(const char *at, const char *end)
{
    if (*at == '\\') {
        return at + 1 < end && xylem_shell__is_name((unsigned char)at[1]);
    }
    return xylem_shell__is_name((unsigned char)*at) || (*at != '\0' && strchr("[]!^-:.,/*?@%", *at));
}

/* True for brackets that close within the word, without an equals sign: `r[m]` and `r[!a-l]` are words in any place. */
static bool is_plain_glob(const struct xylem_shell__parser *parser)
{
    const char *at = parser->now.at;
    const char *end = parser->now.end;
    long depth = 0;
    if (at == end || *at != '[') {
        return false;
    }
    for (; at < end && is_glob_character(at, end); at++) {
        depth += (*at == '[') - (*at == ']');
    }
    return depth <= 0 && (at == end || (*at != '\0' && strchr(" \t\n;|&)<>", *at)));
}

/* Reads the subscript, the equals sign and the value. False: the word is no assignment, or the parser failed. */
static bool read_rest(struct xylem_shell__parser *parser, struct xylem_shell__assignment *assignment,
                      enum xylem_shell__place place)
{
    int c = xylem_shell__peek(parser);
    bool declares = place == XYLEM_SHELL__PLACE_DECLARATION;
    if (is_plain_glob(parser) || (place == XYLEM_SHELL__PLACE_PREFIX && !check_prefix(parser, c))) {
        return false;
    }
    if (c == '[' && (declares || !read_bracket(parser, assignment))) {
        return false;
    }
    if (!read_equals(parser, &assignment->append)) {
        return false;
    }
    assignment->array = xylem_shell__peek(parser) == '(';
    if (place == XYLEM_SHELL__PLACE_PREFIX && !check_prefix(parser, xylem_shell__peek(parser))) {
        return false;
    }
    if (!assignment->array) {
        assignment->values = declares ? NULL : xylem_shell__read_word(parser, XYLEM_SHELL__PLACE_VALUE);
        return assignment->values;
    }
    xylem_shell__advance(parser);
    if (!xylem_shell__enter(parser)) {
        return false;
    }
    bool good = read_values(parser, assignment);
    xylem_shell__leave(parser);
    c = xylem_shell__peek(parser);
    if (good && c != XYLEM_SHELL__END && !strchr(" \t\n|&;()<>", c)) {
        return xylem_shell__fail(parser, "text follows directly behind the values of an array");
    }
    return good;
}

struct xylem_shell__assignment *xylem_shell__read_assignment(struct xylem_shell__parser *parser,
                                                             enum xylem_shell__place place)
{
    struct xylem_shell__position before = parser->now;
    struct xylem_shell__doubt *doubts = parser->tree->doubts;
    bool named = xylem_shell__is_name_start(xylem_shell__peek(parser));
    const struct xylem_shell__word *name = named ? xylem_shell__read_name(parser) : NULL;
    if (!name) {
        return NULL;
    }
    int c = xylem_shell__peek(parser);
    if (c == '=' || c == '[' || c == '+') {
        struct xylem_shell__assignment *assignment = xylem_shell__take(parser, sizeof *assignment);
        if (!assignment) {
            return NULL;
        }
        assignment->name = name->text;
        if (read_rest(parser, assignment, place)) {
            assignment->raw = xylem_shell__view(before.at, parser->now.at);
            return assignment;
        }
    }
    parser->now = before;
    parser->tree->doubts = doubts;
    return NULL;
}
