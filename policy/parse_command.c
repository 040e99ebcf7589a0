#include <string.h>

#include "policy/parser.h"

struct xylem_policy__node *xylem_policy__make_node(struct xylem_policy__parser *parser,
                                                   enum xylem_policy__node_type type, const char *begin)
{
    struct xylem_policy__node *node = xylem_policy__take(parser, sizeof *node);
    if (node) {
        node->type = type;
        node->raw.data = begin;
    }
    return node;
}

bool xylem_policy__add_node_word(struct xylem_policy__node *node, struct xylem_policy__word ***tail,
                                 struct xylem_policy__word *word)
{
    if (!word) {
        return false;
    }
    **tail = word;
    *tail = &word->next;
    node->word_count++;
    return true;
}

const char *xylem_policy__reserved(const struct xylem_policy__token *token)
{
    static const char *const words[] = {"!",     "case", "coproc",   "do",   "done", "elif",   "else", "esac",
                                        "fi",    "for",  "function", "if",   "in",   "select", "then", "until",
                                        "while", "{",    "}",        "time", "[[",   "]]"};
    if (token->type != XYLEM_POLICY__TOKEN_WORD || !token->word->literal || token->word->quoted ||
        token->word->text.bytes > 8) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (xylem_base__view_is(token->word->text, words[i])) {
            return words[i];
        }
    }
    return NULL;
}

bool xylem_policy__is_reserved(const struct xylem_policy__token *token, const char *word)
{
    return token->type == XYLEM_POLICY__TOKEN_WORD && !token->word->quoted && xylem_policy__word_is(token->word, word);
}

bool xylem_policy__expect_reserved(struct xylem_policy__parser *parser, const char *word)
{
    if (!xylem_policy__is_reserved(xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND), word)) {
        return xylem_policy__fail(parser, "a reserved word is missing");
    }
    xylem_policy__take_token(parser);
    return true;
}

bool xylem_policy__skip_newlines(struct xylem_policy__parser *parser)
{
    while (xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND)->type == XYLEM_POLICY__TOKEN_NEWLINE) {
        xylem_policy__take_token(parser);
    }
    return !xylem_policy__failed(parser);
}

/* --- Simple commands */

/* Does name=(values) behind that word assign? */
static bool declares(const struct xylem_policy__word *word)
{
    static const char *const names[] = {"declare", "typeset", "local", "export", "readonly"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!word->quoted && xylem_policy__word_is(word, names[i])) {
            return true;
        }
    }
    return false;
}

/* A parenthesis behind the first word of a command: name() */
static bool begins_function(struct xylem_policy__parser *parser, const struct xylem_policy__node *node,
                            enum xylem_policy__place place)
{
    return node->word_count == 1 && !node->assignments && !node->redirections &&
           xylem_policy__peek_token(parser, place)->type == XYLEM_POLICY__TOKEN_OPEN;
}

static bool read_simple_parts(struct xylem_policy__parser *parser, struct xylem_policy__node *node,
                              enum xylem_policy__place place)
{
    struct xylem_policy__assignment **assignment_tail = &node->assignments;
    struct xylem_policy__word **word_tail = node->words ? &node->words->next : &node->words;
    struct xylem_policy__redirection **redirection_tail = &node->redirections;
    for (;;) {
        const struct xylem_policy__token *token = xylem_policy__peek_token(parser, place);
        if (xylem_policy__begins_redirection(token)) {
            if (!xylem_policy__read_redirection(parser, &redirection_tail)) {
                return false;
            }
            place = place == XYLEM_POLICY__PLACE_COMMAND ? XYLEM_POLICY__PLACE_PREFIX : place;
        } else if (token->type == XYLEM_POLICY__TOKEN_ASSIGNMENT) {
            xylem_policy__take_token(parser);
            *assignment_tail = token->assignment;
            assignment_tail = &token->assignment->next;
        } else if (token->type == XYLEM_POLICY__TOKEN_WORD) {
            xylem_policy__take_token(parser);
            (void)xylem_policy__add_node_word(node, &word_tail, token->word);
            if (node->word_count == 1) {
                place = declares(token->word) ? XYLEM_POLICY__PLACE_DECLARATION : XYLEM_POLICY__PLACE_ARGUMENT;
                if (begins_function(parser, node, place)) {
                    return true;
                }
            }
        } else {
            return !xylem_policy__failed(parser);
        }
    }
}

struct xylem_policy__node *xylem_policy__read_simple(struct xylem_policy__parser *parser,
                                                     struct xylem_policy__word *first)
{
    const char *begin = first ? first->raw.data : xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND)->begin;
    struct xylem_policy__node *node = xylem_policy__make_node(parser, XYLEM_POLICY__SIMPLE, begin);
    enum xylem_policy__place place = XYLEM_POLICY__PLACE_COMMAND;
    if (!node) {
        return NULL;
    }
    if (first) {
        node->words = first;
        node->word_count = 1;
        place = declares(first) ? XYLEM_POLICY__PLACE_DECLARATION : XYLEM_POLICY__PLACE_ARGUMENT;
    }
    if (!read_simple_parts(parser, node, place)) {
        return NULL;
    }
    if (!node->words && !node->assignments && !node->redirections) {
        (void)xylem_policy__fail(parser, "a command is missing");
        return NULL;
    }
    node->raw = xylem_policy__view(begin, parser->last_end);
    if (!first && begins_function(parser, node, XYLEM_POLICY__PLACE_ARGUMENT)) {
        return xylem_policy__read_function(parser, begin, node->words);
    }
    return node;
}

/* --- Pipelines and lists */

struct xylem_policy__node *xylem_policy__read_command(struct xylem_policy__parser *parser, bool piped)
{
    const struct xylem_policy__token *token = xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND);
    const char *word = xylem_policy__reserved(token);
    if (token->type == XYLEM_POLICY__TOKEN_OPEN || xylem_policy__begins_compound(token)) {
        return xylem_policy__read_compound(parser);
    }
    if (!word || (piped && strcmp(word, "time") == 0)) { /* behind a pipe, time is a program */
        return xylem_policy__read_simple(parser, NULL);
    }
    if (strcmp(word, "function") == 0) {
        return xylem_policy__read_function(parser, token->begin, NULL);
    }
    if (strcmp(word, "coproc") == 0) {
        return xylem_policy__read_coproc(parser);
    }
    (void)xylem_policy__fail(parser, "a reserved word stands where a command should");
    return NULL;
}

/* ! and time, as often as they stand there; time's own options. */
static bool read_prefixes(struct xylem_policy__parser *parser, bool *negated, bool *timed)
{
    for (;;) {
        const struct xylem_policy__token *token = xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND);
        if (xylem_policy__is_reserved(token, "!")) {
            xylem_policy__take_token(parser);
            *negated = !*negated;
            continue;
        }
        if (!xylem_policy__is_reserved(token, "time")) {
            return !xylem_policy__failed(parser);
        }
        xylem_policy__take_token(parser);
        *timed = true;
        if (xylem_policy__is_reserved(xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND), "-p")) {
            xylem_policy__take_token(parser);
        }
        if (xylem_policy__is_reserved(xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND), "--")) {
            xylem_policy__take_token(parser);
        }
    }
}

static bool ends_command(const struct xylem_policy__token *token)
{
    return token->type == XYLEM_POLICY__TOKEN_END || token->type == XYLEM_POLICY__TOKEN_NEWLINE ||
           token->type == XYLEM_POLICY__TOKEN_SEMICOLON;
}

/* The commands behind the first pipe. */
static struct xylem_policy__node *read_rest_of_pipeline(struct xylem_policy__parser *parser,
                                                        struct xylem_policy__node *first)
{
    struct xylem_policy__node *pipeline = xylem_policy__make_node(parser, XYLEM_POLICY__PIPELINE, first->raw.data);
    struct xylem_policy__node *last = first;
    if (!pipeline) {
        return NULL;
    }
    pipeline->children = first;
    for (;;) {
        enum xylem_policy__token_type type = xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND)->type;
        if (type != XYLEM_POLICY__TOKEN_PIPE && type != XYLEM_POLICY__TOKEN_PIPE_BOTH) {
            break;
        }
        xylem_policy__take_token(parser);
        last->then = XYLEM_POLICY__THEN_PIPE;
        last->next = xylem_policy__skip_newlines(parser) ? xylem_policy__read_command(parser, true) : NULL;
        last = last->next;
        if (!last) {
            return NULL;
        }
    }
    pipeline->raw = xylem_policy__view(first->raw.data, parser->last_end);
    return pipeline;
}

/* At the beginning of a substitution bash 5.2 takes time for a program, and what follows for its words. */
static bool may_be_timed(struct xylem_policy__parser *parser, const struct xylem_policy__node *node, bool timed)
{
    return !timed || !parser->in_substitution || node->type == XYLEM_POLICY__SIMPLE ||
           xylem_policy__fail(parser, "time before a compound command in a substitution");
}

static struct xylem_policy__node *read_pipeline(struct xylem_policy__parser *parser)
{
    const char *begin = xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND)->begin;
    bool negated = false;
    bool timed = false;
    bool prefixed;
    struct xylem_policy__node *node;
    if (!read_prefixes(parser, &negated, &timed)) {
        return NULL;
    }
    const struct xylem_policy__token *token = xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND);
    prefixed = token->begin != begin;
    if (prefixed && ends_command(token)) { /* time alone, ! alone */
        node = xylem_policy__make_node(parser, XYLEM_POLICY__SIMPLE, begin);
    } else {
        node = xylem_policy__read_command(parser, false);
        if (node && !may_be_timed(parser, node, timed)) {
            return NULL;
        }
        enum xylem_policy__token_type type =
            !node ? XYLEM_POLICY__TOKEN_END : xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND)->type;
        if (type == XYLEM_POLICY__TOKEN_PIPE || type == XYLEM_POLICY__TOKEN_PIPE_BOTH) {
            node = read_rest_of_pipeline(parser, node);
        }
    }
    if (!node || xylem_policy__failed(parser)) {
        return NULL;
    }
    node->negated = negated;
    node->timed = timed;
    if (prefixed) {
        node->raw = xylem_policy__view(begin, parser->last_end);
    }
    return node;
}

bool xylem_policy__read_item(struct xylem_policy__parser *parser, struct xylem_policy__node ***tail)
{
    for (;;) {
        struct xylem_policy__node *node = read_pipeline(parser);
        if (!node) {
            return xylem_policy__fail(parser, "no command");
        }
        **tail = node;
        *tail = &node->next;
        switch (xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND)->type) {
        case XYLEM_POLICY__TOKEN_AND:
            node->then = XYLEM_POLICY__THEN_AND;
            break;
        case XYLEM_POLICY__TOKEN_OR:
            node->then = XYLEM_POLICY__THEN_OR;
            break;
        case XYLEM_POLICY__TOKEN_BACKGROUND:
            node->then = XYLEM_POLICY__THEN_BACKGROUND;
            xylem_policy__take_token(parser);
            return !xylem_policy__failed(parser);
        case XYLEM_POLICY__TOKEN_SEMICOLON:
        case XYLEM_POLICY__TOKEN_NEWLINE:
            xylem_policy__take_token(parser);
            return !xylem_policy__failed(parser);
        default:
            return !xylem_policy__failed(parser);
        }
        xylem_policy__take_token(parser);
        if (!xylem_policy__skip_newlines(parser)) {
            return false;
        }
    }
}

/* Does the token end a list? What else it may be, whoever reads what follows finds out. */
static bool ends_list(const struct xylem_policy__token *token)
{
    static const char *const words[] = {"then", "else", "elif", "fi", "do", "done", "esac", "}", "in", "]]"};
    if (token->type == XYLEM_POLICY__TOKEN_END || token->type == XYLEM_POLICY__TOKEN_CLOSE ||
        token->type == XYLEM_POLICY__TOKEN_ARM_END) {
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (xylem_policy__is_reserved(token, words[i])) {
            return true;
        }
    }
    return false;
}

bool xylem_policy__read_list(struct xylem_policy__parser *parser, struct xylem_policy__node **nodes)
{
    struct xylem_policy__node **tail = nodes;
    *nodes = NULL;
    for (;;) {
        if (!xylem_policy__skip_newlines(parser)) {
            return false;
        }
        if (ends_list(xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND))) {
            return !xylem_policy__failed(parser);
        }
        if (!xylem_policy__read_item(parser, &tail)) {
            return false;
        }
        if (parser->token_ready) { /* nothing parts it from what follows, which must end the list */
            return true;
        }
    }
}
