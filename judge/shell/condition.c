/* Reads [[ ]]. */
#include <string.h>

#include "judge/shell/parser.h"

struct condition {
    struct xylem_shell__parser *parser;
    struct xylem_shell__node *node;
    struct xylem_shell__word **tail;
};

static bool is_unary(const struct xylem_shell__word *word)
{
    return !word->quoted && word->literal && word->text.bytes == 2 && word->text.data[0] == '-' &&
           strchr("abcdefghknoprstuvwxzGLNORS", word->text.data[1]);
}

static bool doubt_number(struct condition *condition, const struct xylem_shell__word *word)
{
    return xylem_shell__is_number(word) ||
           xylem_shell__doubt(condition->parser, XYLEM_SHELL__DOUBT_ARITHMETIC, word->raw,
                              "an operand of [[ ]] is evaluated as arithmetic");
}

/* Reads a word, and adds the word to the operands. */
static struct xylem_shell__word *read_operand(struct condition *condition, enum xylem_shell__place place)
{
    const struct xylem_shell__token *token = xylem_shell__peek_token(condition->parser, place);
    if (token->type != XYLEM_SHELL__TOKEN_WORD || xylem_shell__is_reserved(token, "]]")) {
        (void)xylem_shell__fail(condition->parser, "an operand is missing in [[ ]]");
        return NULL;
    }
    xylem_shell__take_token(condition->parser);
    (void)xylem_shell__add_node_word(condition->node, &condition->tail, token->word);
    return token->word;
}

static bool read_unary(struct condition *condition, const struct xylem_shell__word *operator)
{
    struct xylem_shell__word *operand = read_operand(condition, XYLEM_SHELL__PLACE_ARGUMENT);
    if (!operand) {
        return false;
    }
    bool variable = operator->text.data[1] == 'v' || operator->text.data[1] == 'R';
    return !variable || (operand->literal && xylem_shell__is_identifier(operand->text)) ||
           xylem_shell__doubt(condition->parser, XYLEM_SHELL__DOUBT_ARITHMETIC, operand->raw,
                              "the operand of -v is evaluated");
}

/* Behind the first operand: reads an operator and the second operand. `alone`: neither follows. */
static bool read_binary(struct condition *condition, struct xylem_shell__word *left, bool *alone)
{
    static const char *const patterns[] = {"==", "=", "!=", NULL};
    static const char *const files[] = {"-nt", "-ot", "-ef", NULL};
    static const char *const numbers[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge", NULL};
    struct xylem_shell__parser *parser = condition->parser;
    const struct xylem_shell__token *token = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_ARGUMENT);
    enum xylem_shell__place place = XYLEM_SHELL__PLACE_ARGUMENT;
    bool numeric = false;
    *alone = true;
    if (token->type == XYLEM_SHELL__TOKEN_WORD) {
        if (xylem_shell__is_reserved(token, "]]")) {
            return true;
        }
        numeric = xylem_shell__one_of(token->word, numbers);
        if (xylem_shell__one_of(token->word, patterns)) {
            place = XYLEM_SHELL__PLACE_PATTERN;
        } else if (xylem_shell__is_reserved(token, "=~")) {
            place = XYLEM_SHELL__PLACE_REGEX;
        } else if (!numeric && !xylem_shell__one_of(token->word, files)) {
            return xylem_shell__fail(parser, "an operator of [[ ]] is not known");
        }
    } else if ((token->type != XYLEM_SHELL__TOKEN_READ && token->type != XYLEM_SHELL__TOKEN_WRITE) ||
               token->end - token->begin != 1) {
        return !xylem_shell__failed(parser);
    }
    *alone = false;
    xylem_shell__take_token(parser);
    struct xylem_shell__word *right = read_operand(condition, place);
    return right && (!numeric || (doubt_number(condition, left) && doubt_number(condition, right)));
}

static bool read_or(struct condition *condition);

static bool read_term(struct condition *condition)
{
    struct xylem_shell__parser *parser = condition->parser;
    while (xylem_shell__skip_newlines(parser, XYLEM_SHELL__PLACE_ARGUMENT) &&
           xylem_shell__is_reserved(xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_ARGUMENT), "!")) {
        xylem_shell__take_token(parser);
    }
    if (xylem_shell__accept_token(parser, XYLEM_SHELL__PLACE_ARGUMENT, XYLEM_SHELL__TOKEN_OPEN)) {
        if (!xylem_shell__enter(parser) || !read_or(condition)) {
            return false;
        }
        xylem_shell__leave(parser);
        if (!xylem_shell__accept_token(parser, XYLEM_SHELL__PLACE_ARGUMENT, XYLEM_SHELL__TOKEN_CLOSE)) {
            return xylem_shell__fail(parser, "a parenthesis is not closed");
        }
        return xylem_shell__skip_newlines(parser, XYLEM_SHELL__PLACE_ARGUMENT);
    }
    struct xylem_shell__word *first = read_operand(condition, XYLEM_SHELL__PLACE_ARGUMENT);
    if (!first) {
        return false;
    }
    bool alone = false;
    bool read = is_unary(first) ? read_unary(condition, first) : read_binary(condition, first, &alone);
    /* Bash allows no newline behind a single word. */
    return read && (alone || xylem_shell__skip_newlines(parser, XYLEM_SHELL__PLACE_ARGUMENT));
}

/* Reads terms joined by && and ||. Each term may be evaluated. */
static bool read_or(struct condition *condition)
{
    for (;;) {
        if (!read_term(condition)) {
            return false;
        }
        enum xylem_shell__token_type type =
            xylem_shell__peek_token(condition->parser, XYLEM_SHELL__PLACE_ARGUMENT)->type;
        if (type != XYLEM_SHELL__TOKEN_AND && type != XYLEM_SHELL__TOKEN_OR) {
            return !xylem_shell__failed(condition->parser);
        }
        xylem_shell__take_token(condition->parser);
    }
}

bool xylem_shell__read_condition(struct xylem_shell__parser *parser, struct xylem_shell__node *node)
{
    struct condition condition = {parser, node, &node->words};
    return read_or(&condition) && xylem_shell__expect_reserved(parser, "]]");
}
