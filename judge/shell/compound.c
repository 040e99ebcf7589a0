#include <string.h>

#include "judge/shell/parser.h"

bool xylem_shell__begins_compound(const struct xylem_shell__token *token)
{
    static const char *const words[] = {"{", "if", "while", "until", "for", "select", "case", "[[", NULL};
    return token->type == XYLEM_SHELL__TOKEN_OPEN ||
           (token->type == XYLEM_SHELL__TOKEN_WORD && xylem_shell__one_of(token->word, words));
}

/* Reads at least one command, and adds the commands at `tail`. */
static bool read_block(struct xylem_shell__parser *parser, struct xylem_shell__node ***tail)
{
    if (!xylem_shell__read_list(parser, *tail)) {
        return false;
    }
    if (!**tail) {
        return xylem_shell__fail(parser, "a command is missing");
    }
    while (**tail) {
        *tail = &(**tail)->next;
    }
    return true;
}

/* Behind `(`: reads a subshell or (( )). */
static bool read_parentheses(struct xylem_shell__parser *parser, struct xylem_shell__node *node)
{
    struct xylem_shell__node **tail = &node->children;
    bool doubled = xylem_shell__peek_raw(parser) == '(';
    if (!doubled && xylem_shell__peek(parser) == '(') {
        return xylem_shell__fail(parser, "a backslash and a newline stand between two parentheses");
    }
    if (doubled) {
        struct xylem_shell__position before = parser->now;
        struct xylem_shell__word *word;
        xylem_shell__advance(parser);
        int found = xylem_shell__try_arithmetic(parser, &word, NULL);
        if (found > 0) {
            node->type = XYLEM_SHELL__ARITHMETIC;
            parser->last_end = parser->now.at;
            return xylem_shell__add_node_word(node, &(struct xylem_shell__word **){&node->words}, word);
        }
        parser->now = before;
        if (found < 0) {
            return false;
        }
    }
    parser->reread += doubled;
    bool good = read_block(parser, &tail);
    parser->reread -= doubled;
    return good && (xylem_shell__accept_token(parser, XYLEM_SHELL__PLACE_COMMAND, XYLEM_SHELL__TOKEN_CLOSE) ||
                    xylem_shell__fail(parser, "a parenthesis is not closed"));
}

static bool read_group(struct xylem_shell__parser *parser, struct xylem_shell__node *node)
{
    struct xylem_shell__node **tail = &node->children;
    return read_block(parser, &tail) && xylem_shell__expect_reserved(parser, "}");
}

static bool read_if(struct xylem_shell__parser *parser, struct xylem_shell__node *node)
{
    struct xylem_shell__node **tail = &node->children;
    do {
        if (!read_block(parser, &tail) || !xylem_shell__expect_reserved(parser, "then") || !read_block(parser, &tail)) {
            return false;
        }
    } while (xylem_shell__accept_reserved(parser, "elif"));
    if (xylem_shell__accept_reserved(parser, "else") && !read_block(parser, &tail)) {
        return false;
    }
    return xylem_shell__expect_reserved(parser, "fi");
}

/* Reads do ...; done or { ...; }, and adds the commands at `tail`. */
static bool read_body(struct xylem_shell__parser *parser, struct xylem_shell__node **tail, bool braces)
{
    if (braces && xylem_shell__accept_reserved(parser, "{")) {
        return read_block(parser, &tail) && xylem_shell__expect_reserved(parser, "}");
    }
    return xylem_shell__expect_reserved(parser, "do") && read_block(parser, &tail) &&
           xylem_shell__expect_reserved(parser, "done");
}

static bool read_while(struct xylem_shell__parser *parser, struct xylem_shell__node *node)
{
    struct xylem_shell__node **tail = &node->children;
    return read_block(parser, &tail) && read_body(parser, tail, false);
}

/* Behind the first parenthesis of `for ((`: reads the expressions as one word. */
static bool read_arithmetic_for(struct xylem_shell__parser *parser, struct xylem_shell__node *node)
{
    struct xylem_shell__node *head = xylem_shell__make_node(parser, XYLEM_SHELL__ARITHMETIC, parser->token.begin);
    struct xylem_shell__word *word;
    if (!head || xylem_shell__peek_raw(parser) != '(') {
        return xylem_shell__fail(parser, "a variable's name is missing behind for");
    }
    xylem_shell__advance(parser);
    if (xylem_shell__try_arithmetic(parser, &word, NULL) <= 0) {
        return xylem_shell__fail(parser, "for (( is not closed");
    }
    parser->last_end = parser->now.at;
    (void)xylem_shell__add_node_word(head, &(struct xylem_shell__word **){&head->words}, word);
    head->raw = xylem_shell__view(head->raw.data, parser->last_end);
    node->children = head;
    (void)xylem_shell__accept_token(parser, XYLEM_SHELL__PLACE_COMMAND, XYLEM_SHELL__TOKEN_SEMICOLON);
    return xylem_shell__skip_newlines(parser, XYLEM_SHELL__PLACE_COMMAND) && read_body(parser, &head->next, true);
}

static bool read_for(struct xylem_shell__parser *parser, struct xylem_shell__node *node)
{
    const struct xylem_shell__token *token = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_ARGUMENT);
    if (token->type == XYLEM_SHELL__TOKEN_OPEN) {
        xylem_shell__take_token(parser);
        return read_arithmetic_for(parser, node);
    }
    if (token->type != XYLEM_SHELL__TOKEN_WORD || token->word->quoted || !token->word->literal ||
        !xylem_shell__is_identifier(token->word->text)) {
        return xylem_shell__fail(parser, "a variable's name is missing behind for");
    }
    node->name = token->word->text;
    xylem_shell__take_token(parser);
    token = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND);
    bool braces = token->type == XYLEM_SHELL__TOKEN_SEMICOLON || token->type == XYLEM_SHELL__TOKEN_NEWLINE;
    if (token->type == XYLEM_SHELL__TOKEN_SEMICOLON) {
        xylem_shell__take_token(parser);
        (void)xylem_shell__skip_newlines(parser, XYLEM_SHELL__PLACE_COMMAND);
    } else if (xylem_shell__skip_newlines(parser, XYLEM_SHELL__PLACE_COMMAND) &&
               xylem_shell__accept_reserved(parser, "in")) {
        struct xylem_shell__word **tail = &node->words;
        while (xylem_shell__accept_token(parser, XYLEM_SHELL__PLACE_ARGUMENT, XYLEM_SHELL__TOKEN_WORD)) {
            (void)xylem_shell__add_node_word(node, &tail, parser->token.word);
        }
        if (!xylem_shell__accept_token(parser, XYLEM_SHELL__PLACE_ARGUMENT, XYLEM_SHELL__TOKEN_SEMICOLON) &&
            !xylem_shell__accept_token(parser, XYLEM_SHELL__PLACE_ARGUMENT, XYLEM_SHELL__TOKEN_NEWLINE)) {
            return xylem_shell__fail(parser, "a list of words does not end with ; or a newline");
        }
        braces = xylem_shell__skip_newlines(parser, XYLEM_SHELL__PLACE_COMMAND);
    }
    return !xylem_shell__failed(parser) && read_body(parser, &node->children, braces);
}

static bool read_case(struct xylem_shell__parser *parser, struct xylem_shell__node *node)
{
    const enum xylem_shell__place place = XYLEM_SHELL__PLACE_ARGUMENT;
    struct xylem_shell__word **words = &node->words;
    struct xylem_shell__node **tail = &node->children;
    if (!xylem_shell__accept_token(parser, place, XYLEM_SHELL__TOKEN_WORD)) {
        return xylem_shell__fail(parser, "a word is missing behind case");
    }
    (void)xylem_shell__add_node_word(node, &words, parser->token.word);
    if (!xylem_shell__skip_newlines(parser, XYLEM_SHELL__PLACE_COMMAND) ||
        !xylem_shell__expect_reserved(parser, "in")) {
        return false;
    }
    do { /* PATTERN | PATTERN ) COMMANDS */
        (void)xylem_shell__skip_newlines(parser, place);
        if (xylem_shell__is_reserved(xylem_shell__peek_token(parser, place), "esac")) {
            break;
        }
        (void)xylem_shell__accept_token(parser, place, XYLEM_SHELL__TOKEN_OPEN);
        do {
            if (!xylem_shell__accept_token(parser, place, XYLEM_SHELL__TOKEN_WORD)) {
                return xylem_shell__fail(parser, "a pattern of case is missing");
            }
            (void)xylem_shell__add_node_word(node, &words, parser->token.word);
        } while (xylem_shell__accept_token(parser, place, XYLEM_SHELL__TOKEN_PIPE));
        if (!xylem_shell__accept_token(parser, place, XYLEM_SHELL__TOKEN_CLOSE)) {
            return xylem_shell__fail(parser, "a pattern of case does not end with )");
        }
        if (!xylem_shell__read_list(parser, tail)) {
            return false;
        }
        while (*tail) {
            tail = &(*tail)->next;
        }
    } while (xylem_shell__accept_token(parser, XYLEM_SHELL__PLACE_COMMAND, XYLEM_SHELL__TOKEN_ARM_END));
    return xylem_shell__expect_reserved(parser, "esac");
}

struct xylem_shell__node *xylem_shell__read_compound(struct xylem_shell__parser *parser)
{
    static const struct {
        const char *word; /* NULL: a parenthesis */
        enum xylem_shell__node_type type;
        bool (*read)(struct xylem_shell__parser *parser, struct xylem_shell__node *node);
    } kinds[] = {
        {"{", XYLEM_SHELL__GROUP, read_group},           {"if", XYLEM_SHELL__IF, read_if},
        {"case", XYLEM_SHELL__CASE, read_case},          {"while", XYLEM_SHELL__LOOP, read_while},
        {"until", XYLEM_SHELL__LOOP, read_while},        {"for", XYLEM_SHELL__LOOP, read_for},
        {"select", XYLEM_SHELL__LOOP, read_for},         {"[[", XYLEM_SHELL__CONDITION, xylem_shell__read_condition},
        {NULL, XYLEM_SHELL__SUBSHELL, read_parentheses},
    };
    struct xylem_shell__node *node = NULL;
    bool good = false;
    if (!xylem_shell__enter(parser)) {
        return NULL;
    }
    const struct xylem_shell__token *token = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND);
    const char *begin = token->begin;
    if (!xylem_shell__begins_compound(token)) {
        (void)xylem_shell__fail(parser, "a compound command is missing");
    } else {
        size_t i = 0;
        while (kinds[i].word && !xylem_shell__is_reserved(token, kinds[i].word)) {
            i++;
        }
        node = xylem_shell__make_node(parser, kinds[i].type, begin);
        xylem_shell__take_token(parser);
        good = node && kinds[i].read(parser, node);
    }
    xylem_shell__leave(parser);
    if (!good || xylem_shell__failed(parser)) {
        (void)xylem_shell__fail(parser, "a compound command is not known");
        return NULL;
    }
    struct xylem_shell__redirection **tail = &node->redirections;
    while (xylem_shell__begins_redirection(xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_ARGUMENT))) {
        if (!xylem_shell__read_redirection(parser, &tail)) {
            return NULL;
        }
    }
    node->raw = xylem_shell__view(begin, parser->last_end);
    return xylem_shell__failed(parser) ? NULL : node;
}

/* True for a plain name. Bash allows more characters in the names of functions. */
static bool names_function(const struct xylem_shell__word *word)
{
    if (!word->literal || word->quoted || word->text.bytes == 0) {
        return false;
    }
    for (size_t i = 0; i < word->text.bytes; i++) {
        if (!xylem_shell__is_name((unsigned char)word->text.data[i]) && !strchr("-.:+@%,/", word->text.data[i])) {
            return false;
        }
    }
    return true;
}

struct xylem_shell__node *xylem_shell__read_function(struct xylem_shell__parser *parser, const char *begin,
                                                     struct xylem_shell__word *name)
{
    struct xylem_shell__node *node = xylem_shell__make_node(parser, XYLEM_SHELL__FUNCTION, begin);
    if (!name) {
        xylem_shell__take_token(parser);
        const struct xylem_shell__token *token = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_ARGUMENT);
        name = token->type == XYLEM_SHELL__TOKEN_WORD ? token->word : NULL;
        xylem_shell__take_token(parser);
    }
    if (!node || !name || !names_function(name)) {
        (void)xylem_shell__fail(parser, "the name of a function is not plain");
        return NULL;
    }
    node->name = name->text;
    if (xylem_shell__accept_token(parser, XYLEM_SHELL__PLACE_COMMAND, XYLEM_SHELL__TOKEN_OPEN) &&
        !xylem_shell__accept_token(parser, XYLEM_SHELL__PLACE_COMMAND, XYLEM_SHELL__TOKEN_CLOSE)) {
        (void)xylem_shell__fail(parser, "a parenthesis stands behind a word");
        return NULL;
    }
    if (!xylem_shell__skip_newlines(parser, XYLEM_SHELL__PLACE_COMMAND) || !xylem_shell__enter(parser)) {
        return NULL;
    }
    node->children = xylem_shell__read_compound(parser);
    xylem_shell__leave(parser);
    node->raw = xylem_shell__view(begin, parser->last_end);
    return node->children ? node : NULL;
}

struct xylem_shell__node *xylem_shell__read_coproc(struct xylem_shell__parser *parser)
{
    struct xylem_shell__node *node = xylem_shell__make_node(parser, XYLEM_SHELL__COPROC, parser->token.begin);
    struct xylem_shell__word *word = NULL;
    if (!node) {
        return NULL;
    }
    xylem_shell__take_token(parser);
    const struct xylem_shell__token *token = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND);
    if (token->type == XYLEM_SHELL__TOKEN_WORD && !xylem_shell__reserved(token)) {
        word = token->word; /* the name, or the first word of a simple command */
        xylem_shell__take_token(parser);
        token = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_ARGUMENT);
    }
    if (xylem_shell__begins_compound(token)) {
        if (word) {
            if (!word->literal || word->quoted || !xylem_shell__is_identifier(word->text)) {
                (void)xylem_shell__fail(parser, "the name of a coprocess is not plain");
                return NULL;
            }
            node->name = word->text;
        }
        node->children = xylem_shell__read_compound(parser);
    } else if (xylem_shell__reserved(token)) {
        (void)xylem_shell__fail(parser, "a reserved word stands where a command should");
    } else {
        node->children = xylem_shell__read_simple(parser, word);
    }
    bool simple = node->children && node->children->type == XYLEM_SHELL__SIMPLE;
    if (simple && parser->in_substitution) { /* bash 5.2 runs `COPROC a` for `$(coproc a)` */
        parser->readings = "a coprocess stands in a substitution";
    }
    node->raw = xylem_shell__view(node->raw.data, parser->last_end);
    return node->children ? node : NULL;
}
