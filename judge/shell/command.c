#include <string.h>

#include "judge/shell/parser.h"

struct xylem_shell__node *xylem_shell__make_node(struct xylem_shell__parser *parser, enum xylem_shell__node_type type,
                                                 const char *begin)
{
    struct xylem_shell__node *node = xylem_shell__take(parser, sizeof *node);
    if (node) {
        node->type = type;
        node->raw.data = begin;
    }
    return node;
}

bool xylem_shell__add_node_word(struct xylem_shell__node *node, struct xylem_shell__word ***tail,
                                struct xylem_shell__word *word)
{
    if (!word) {
        return false;
    }
    **tail = word;
    *tail = &word->next;
    node->word_count++;
    return true;
}

const char *xylem_shell__one_of(const struct xylem_shell__word *word, const char *const *words)
{
    if (!word->literal || word->quoted) {
        return NULL;
    }
    while (*words && !xylem_base__view_is(word->text, *words)) {
        words++;
    }
    return *words;
}

const char *xylem_shell__reserved(const struct xylem_shell__token *token)
{
    static const char *const words[] = {"!",     "case", "coproc",   "do",   "done", "elif",   "else", "esac",
                                        "fi",    "for",  "function", "if",   "in",   "select", "then", "until",
                                        "while", "{",    "}",        "time", "[[",   "]]",     NULL};
    return token->type == XYLEM_SHELL__TOKEN_WORD ? xylem_shell__one_of(token->word, words) : NULL;
}

bool xylem_shell__is_reserved(const struct xylem_shell__token *token, const char *word)
{
    return token->type == XYLEM_SHELL__TOKEN_WORD && !token->word->quoted && xylem_shell__word_is(token->word, word);
}

bool xylem_shell__accept_reserved(struct xylem_shell__parser *parser, const char *word)
{
    if (!xylem_shell__is_reserved(xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND), word)) {
        return false;
    }
    xylem_shell__take_token(parser);
    return true;
}

bool xylem_shell__expect_reserved(struct xylem_shell__parser *parser, const char *word)
{
    return xylem_shell__accept_reserved(parser, word) || xylem_shell__fail(parser, "a reserved word is missing");
}

bool xylem_shell__skip_newlines(struct xylem_shell__parser *parser, enum xylem_shell__place place)
{
    while (xylem_shell__accept_token(parser, place, XYLEM_SHELL__TOKEN_NEWLINE)) {
    }
    return !xylem_shell__failed(parser);
}

/* --- Simple commands */

/* True for declare and the like: name=(values) behind the word is an assignment. */
static bool declares(const struct xylem_shell__word *word)
{
    static const char *const names[] = {"declare", "typeset", "local", "export", "readonly", NULL};
    return xylem_shell__one_of(word, names);
}

/* True at the parenthesis of name(). */
static bool begins_function(struct xylem_shell__parser *parser, const struct xylem_shell__node *node,
                            enum xylem_shell__place place)
{
    return node->word_count == 1 && !node->assignments && !node->redirections &&
           xylem_shell__peek_token(parser, place)->type == XYLEM_SHELL__TOKEN_OPEN;
}

static bool read_simple_parts(struct xylem_shell__parser *parser, struct xylem_shell__node *node,
                              enum xylem_shell__place place)
{
    struct xylem_shell__assignment **assignment_tail = &node->assignments;
    struct xylem_shell__word **word_tail = node->words ? &node->words->next : &node->words;
    struct xylem_shell__redirection **redirection_tail = &node->redirections;
    for (;;) {
        const struct xylem_shell__token *token = xylem_shell__peek_token(parser, place);
        if (xylem_shell__begins_redirection(token)) {
            if (!xylem_shell__read_redirection(parser, &redirection_tail)) {
                return false;
            }
            place = place == XYLEM_SHELL__PLACE_COMMAND ? XYLEM_SHELL__PLACE_PREFIX : place;
        } else if (token->type == XYLEM_SHELL__TOKEN_ASSIGNMENT) {
            xylem_shell__take_token(parser);
            *assignment_tail = token->assignment;
            assignment_tail = &token->assignment->next;
        } else if (token->type == XYLEM_SHELL__TOKEN_WORD) {
            xylem_shell__take_token(parser);
            (void)xylem_shell__add_node_word(node, &word_tail, token->word);
            if (node->word_count == 1) {
                place = declares(token->word) ? XYLEM_SHELL__PLACE_DECLARATION : XYLEM_SHELL__PLACE_ARGUMENT;
                if (begins_function(parser, node, place)) {
                    return true;
                }
            }
        } else {
            return !xylem_shell__failed(parser);
        }
    }
}

struct xylem_shell__node *xylem_shell__read_simple(struct xylem_shell__parser *parser, struct xylem_shell__word *first)
{
    const char *begin = first ? first->raw.data : xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND)->begin;
    struct xylem_shell__node *node = xylem_shell__make_node(parser, XYLEM_SHELL__SIMPLE, begin);
    enum xylem_shell__place place = XYLEM_SHELL__PLACE_COMMAND;
    if (!node) {
        return NULL;
    }
    if (first) {
        node->words = first;
        node->word_count = 1;
        place = declares(first) ? XYLEM_SHELL__PLACE_DECLARATION : XYLEM_SHELL__PLACE_ARGUMENT;
    }
    if (!read_simple_parts(parser, node, place)) {
        return NULL;
    }
    if (!node->words && !node->assignments && !node->redirections) {
        (void)xylem_shell__fail(parser, "a command is missing");
        return NULL;
    }
    node->raw = xylem_shell__view(begin, parser->last_end);
    if (!first && begins_function(parser, node, XYLEM_SHELL__PLACE_ARGUMENT)) {
        return xylem_shell__read_function(parser, begin, node->words);
    }
    return node;
}

/* --- Pipelines and lists */

static struct xylem_shell__node *read_command(struct xylem_shell__parser *parser, bool piped)
{
    const struct xylem_shell__token *token = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND);
    const char *word = xylem_shell__reserved(token);
    if (token->type == XYLEM_SHELL__TOKEN_OPEN || xylem_shell__begins_compound(token)) {
        return xylem_shell__read_compound(parser);
    }
    if (!word || (piped && strcmp(word, "time") == 0)) { /* behind a pipe, `time` is a program */
        return xylem_shell__read_simple(parser, NULL);
    }
    if (strcmp(word, "function") == 0) {
        return xylem_shell__read_function(parser, token->begin, NULL);
    }
    if (strcmp(word, "coproc") == 0) {
        return xylem_shell__read_coproc(parser);
    }
    (void)xylem_shell__fail(parser, "a reserved word stands where a command should");
    return NULL;
}

static bool ends_command(const struct xylem_shell__token *token)
{
    return token->type == XYLEM_SHELL__TOKEN_END || token->type == XYLEM_SHELL__TOKEN_NEWLINE ||
           token->type == XYLEM_SHELL__TOKEN_SEMICOLON;
}

/* Reads the commands behind the first pipe. */
static struct xylem_shell__node *read_rest_of_pipeline(struct xylem_shell__parser *parser,
                                                       struct xylem_shell__node *first)
{
    struct xylem_shell__node *pipeline = xylem_shell__make_node(parser, XYLEM_SHELL__PIPELINE, first->raw.data);
    struct xylem_shell__node *last = first;
    if (!pipeline) {
        return NULL;
    }
    pipeline->children = first;
    for (;;) {
        enum xylem_shell__token_type type = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND)->type;
        if (type != XYLEM_SHELL__TOKEN_PIPE && type != XYLEM_SHELL__TOKEN_PIPE_BOTH) {
            break;
        }
        xylem_shell__take_token(parser);
        last->then = XYLEM_SHELL__THEN_PIPE;
        last->next = xylem_shell__skip_newlines(parser, XYLEM_SHELL__PLACE_COMMAND) ? read_command(parser, true) : NULL;
        last = last->next;
        if (!last) {
            return NULL;
        }
    }
    pipeline->raw = xylem_shell__view(first->raw.data, parser->last_end);
    return pipeline;
}

static struct xylem_shell__node *read_pipeline(struct xylem_shell__parser *parser)
{
    const char *begin = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND)->begin;
    bool negated = false;
    bool timed = false;
    struct xylem_shell__node *node;
    for (;;) { /* any number of `!` and `time`, with the options of `time` */
        if (xylem_shell__accept_reserved(parser, "!")) {
            negated = !negated;
        } else if (xylem_shell__accept_reserved(parser, "time")) {
            timed = true;
            (void)xylem_shell__accept_reserved(parser, "-p");
            (void)xylem_shell__accept_reserved(parser, "--");
        } else {
            break;
        }
    }
    const struct xylem_shell__token *token = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND);
    bool prefixed = token->begin != begin;
    if (prefixed && ends_command(token)) { /* `time` alone, `!` alone */
        node = xylem_shell__make_node(parser, XYLEM_SHELL__SIMPLE, begin);
    } else {
        node = read_command(parser, false);
        if (node && timed && parser->in_substitution && node->type != XYLEM_SHELL__SIMPLE) {
            /* bash 5.2 looks for the end of `$(time { ...; })` with `time` as a program, and its words as arguments */
            parser->readings = "time stands before a compound command in a substitution";
        }
        enum xylem_shell__token_type type =
            !node ? XYLEM_SHELL__TOKEN_END : xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND)->type;
        if (type == XYLEM_SHELL__TOKEN_PIPE || type == XYLEM_SHELL__TOKEN_PIPE_BOTH) {
            node = read_rest_of_pipeline(parser, node);
        }
    }
    if (!node || xylem_shell__failed(parser)) {
        return NULL;
    }
    node->negated = negated;
    node->timed = timed;
    if (prefixed) {
        node->raw = xylem_shell__view(begin, parser->last_end);
    }
    return node;
}

bool xylem_shell__read_item(struct xylem_shell__parser *parser, struct xylem_shell__node ***tail)
{
    for (;;) {
        struct xylem_shell__node *node = read_pipeline(parser);
        if (!node) {
            return xylem_shell__fail(parser, "a command is missing");
        }
        **tail = node;
        *tail = &node->next;
        enum xylem_shell__token_type type = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND)->type;
        bool joins = type == XYLEM_SHELL__TOKEN_AND || type == XYLEM_SHELL__TOKEN_OR;
        node->then = type == XYLEM_SHELL__TOKEN_AND          ? XYLEM_SHELL__THEN_AND
                     : type == XYLEM_SHELL__TOKEN_OR         ? XYLEM_SHELL__THEN_OR
                     : type == XYLEM_SHELL__TOKEN_BACKGROUND ? XYLEM_SHELL__THEN_BACKGROUND
                                                             : XYLEM_SHELL__THEN_END;
        if (joins || type == XYLEM_SHELL__TOKEN_BACKGROUND || type == XYLEM_SHELL__TOKEN_SEMICOLON ||
            type == XYLEM_SHELL__TOKEN_NEWLINE) {
            xylem_shell__take_token(parser);
        }
        if (!joins) {
            return !xylem_shell__failed(parser);
        }
        if (!xylem_shell__skip_newlines(parser, XYLEM_SHELL__PLACE_COMMAND)) {
            return false;
        }
    }
}

/* True if the token can end a list. The caller checks whether the token is the expected end. */
static bool ends_list(const struct xylem_shell__token *token)
{
    static const char *const words[] = {"then", "else", "elif", "fi", "do", "done", "esac", "}", "in", "]]", NULL};
    return token->type == XYLEM_SHELL__TOKEN_END || token->type == XYLEM_SHELL__TOKEN_CLOSE ||
           token->type == XYLEM_SHELL__TOKEN_ARM_END ||
           (token->type == XYLEM_SHELL__TOKEN_WORD && xylem_shell__one_of(token->word, words));
}

bool xylem_shell__read_list(struct xylem_shell__parser *parser, struct xylem_shell__node **nodes)
{
    struct xylem_shell__node **tail = nodes;
    *nodes = NULL;
    for (;;) {
        if (!xylem_shell__skip_newlines(parser, XYLEM_SHELL__PLACE_COMMAND)) {
            return false;
        }
        if (ends_list(xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND))) {
            return !xylem_shell__failed(parser);
        }
        if (!xylem_shell__read_item(parser, &tail)) {
            return false;
        }
        if (parser->token_ready) { /* no operator follows: the next token must end the list */
            return true;
        }
    }
}
