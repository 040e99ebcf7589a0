#include <string.h>

#include "policy/parser.h"

void xylem_policy__skip_blanks(struct xylem_policy__parser *parser)
{
    int c = xylem_policy__peek(parser);
    while (c == ' ' || c == '\t') {
        xylem_policy__advance(parser);
        c = xylem_policy__peek(parser);
    }
    while (c == '#' && xylem_policy__peek_raw(parser) != '\n' && xylem_policy__peek_raw(parser) != XYLEM_POLICY__END) {
        xylem_policy__advance(parser); /* a backslash before the newline means nothing here */
    }
}

struct operator
{
    char spelt[4];
    enum xylem_policy__token_type type;
};

/* The longer ones stand before what they begin with. */
static const struct operator operators[] = {{";;&", XYLEM_POLICY__TOKEN_ARM_END},
                                            {";;", XYLEM_POLICY__TOKEN_ARM_END},
                                            {";&", XYLEM_POLICY__TOKEN_ARM_END},
                                            {";", XYLEM_POLICY__TOKEN_SEMICOLON},
                                            {"&&", XYLEM_POLICY__TOKEN_AND},
                                            {"&>>", XYLEM_POLICY__TOKEN_WRITE_BOTH},
                                            {"&>", XYLEM_POLICY__TOKEN_WRITE_BOTH},
                                            {"&", XYLEM_POLICY__TOKEN_BACKGROUND},
                                            {"||", XYLEM_POLICY__TOKEN_OR},
                                            {"|&", XYLEM_POLICY__TOKEN_PIPE_BOTH},
                                            {"|", XYLEM_POLICY__TOKEN_PIPE},
                                            {"(", XYLEM_POLICY__TOKEN_OPEN},
                                            {")", XYLEM_POLICY__TOKEN_CLOSE},
                                            {"<<<", XYLEM_POLICY__TOKEN_STRING},
                                            {"<<-", XYLEM_POLICY__TOKEN_DOCUMENT_TABS},
                                            {"<<", XYLEM_POLICY__TOKEN_DOCUMENT},
                                            {"<&", XYLEM_POLICY__TOKEN_DUPLICATE_READ},
                                            {"<>", XYLEM_POLICY__TOKEN_READ_WRITE},
                                            {"<", XYLEM_POLICY__TOKEN_READ},
                                            {">>", XYLEM_POLICY__TOKEN_WRITE},
                                            {">|", XYLEM_POLICY__TOKEN_WRITE},
                                            {">&", XYLEM_POLICY__TOKEN_DUPLICATE_WRITE},
                                            {">", XYLEM_POLICY__TOKEN_WRITE}};

static bool matches(struct xylem_policy__parser *parser, const char *spelt)
{
    struct xylem_policy__position before = parser->now;
    for (; *spelt != '\0'; spelt++) {
        if (!xylem_policy__accept(parser, *spelt)) {
            parser->now = before;
            return false;
        }
    }
    return true;
}

static bool read_operator(struct xylem_policy__parser *parser, struct xylem_policy__token *token)
{
    int c = xylem_policy__peek(parser);
    if (c == XYLEM_POLICY__END || !strchr("|&;()<>", c) ||
        ((c == '<' || c == '>') && xylem_policy__peek_second(parser) == '(')) {
        return false;
    }
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (operators[i].spelt[0] == c && matches(parser, operators[i].spelt)) {
            token->type = operators[i].type;
            return true;
        }
    }
    return false;
}

/* Is the word, behind which < or > stands, a descriptor? */
static bool is_descriptor(struct xylem_policy__parser *parser, struct xylem_policy__token *token)
{
    const struct xylem_policy__word *word = token->word;
    struct xylem_view text = word->text;
    int c = xylem_policy__peek_raw(parser);
    if (c != '<' && c != '>') {
        return false;
    }
    if (word->raw.bytes > 2 && word->raw.data[0] == '{' && word->raw.data[word->raw.bytes - 1] == '}' &&
        memchr(word->raw.data, '[', word->raw.bytes)) {
        return xylem_policy__fail(parser, "a descriptor in an array");
    }
    if (!word->literal || word->quoted || text.bytes == 0) {
        return false;
    }
    if (xylem_policy__all_digits(text)) {
        return text.bytes < 10 || xylem_policy__fail(parser, "a descriptor that is too large");
    }
    if (text.data[0] != '{' || text.data[text.bytes - 1] != '}' || text.bytes < 3) {
        return false;
    }
    token->descriptor_named = xylem_policy__is_identifier((struct xylem_view){text.data + 1, text.bytes - 2});
    return token->descriptor_named;
}

/* name=(values) behind declare: a word that holds them. */
static struct xylem_policy__word *make_declaration(struct xylem_policy__parser *parser, const char *begin,
                                                   const struct xylem_policy__assignment *assignment)
{
    struct xylem_policy__word *word = xylem_policy__take(parser, sizeof *word);
    struct xylem_policy__part *name = xylem_policy__take(parser, sizeof *name);
    struct xylem_policy__part *values = xylem_policy__take(parser, sizeof *values);
    if (!word || !name || !values) {
        return NULL;
    }
    /* What stands before the values: name= or name+= */
    const char *equals = assignment->name.data + assignment->name.bytes;
    *name =
        (struct xylem_policy__part){.text = assignment->name, .raw = xylem_policy__view(begin, equals), .next = values};
    *values = (struct xylem_policy__part){.type = XYLEM_POLICY__PART_PARAMETER,
                                          .assigns = true,
                                          .text = assignment->name,
                                          .raw = xylem_policy__view(begin, parser->now.at),
                                          .words = assignment->values};
    if (assignment->subscripts) {
        struct xylem_policy__word **tail = &values->words;
        while (*tail) {
            tail = &(*tail)->next;
        }
        *tail = assignment->subscripts;
    }
    word->parts = name;
    word->raw = xylem_policy__view(begin, parser->now.at);
    word->text = assignment->name;
    return word;
}

static void read_word_token(struct xylem_policy__parser *parser, struct xylem_policy__token *token,
                            enum xylem_policy__place place)
{
    bool declares = place == XYLEM_POLICY__PLACE_DECLARATION;
    if (place == XYLEM_POLICY__PLACE_COMMAND || place == XYLEM_POLICY__PLACE_PREFIX || declares) {
        token->assignment = xylem_policy__read_assignment(parser, place);
        if (xylem_policy__failed(parser)) {
            return;
        }
    }
    if (token->assignment && !declares) {
        token->type = XYLEM_POLICY__TOKEN_ASSIGNMENT;
        return;
    }
    token->type = XYLEM_POLICY__TOKEN_WORD;
    if (token->assignment) {
        token->word = make_declaration(parser, token->begin, token->assignment);
        return;
    }
    token->word = xylem_policy__read_word(parser, place);
    if (!token->word) {
        return;
    }
    if (place != XYLEM_POLICY__PLACE_PATTERN && place != XYLEM_POLICY__PLACE_REGEX && is_descriptor(parser, token)) {
        token->type = XYLEM_POLICY__TOKEN_DESCRIPTOR;
    }
}

static void read_newline(struct xylem_policy__parser *parser, struct xylem_policy__token *token)
{
    xylem_policy__advance(parser);
    token->type = XYLEM_POLICY__TOKEN_NEWLINE;
    token->end = parser->now.at;
    if (parser->pending_outside) {
        (void)xylem_policy__fail(parser, "a here-document's body begins in the middle of a substitution");
    }
    if (parser->pending) {
        (void)xylem_policy__read_documents(parser);
    }
}

const struct xylem_policy__token *xylem_policy__peek_token(struct xylem_policy__parser *parser,
                                                           enum xylem_policy__place place)
{
    struct xylem_policy__token token = {0};
    if (parser->token_ready) {
        return &parser->token;
    }
    xylem_policy__skip_blanks(parser);
    int c = xylem_policy__peek(parser);
    token.begin = parser->now.at;
    if (c == '\n') {
        read_newline(parser, &token);
    } else if (c != XYLEM_POLICY__END &&
               ((c == '(' && place == XYLEM_POLICY__PLACE_REGEX) || !read_operator(parser, &token))) {
        read_word_token(parser, &token, place);
    }
    if (!token.end) {
        token.end = parser->now.at;
    }
    if (xylem_policy__failed(parser)) {
        token.type = XYLEM_POLICY__TOKEN_END;
    }
    parser->token = token;
    parser->token_ready = true;
    return &parser->token;
}

void xylem_policy__take_token(struct xylem_policy__parser *parser)
{
    parser->token_ready = false;
    parser->last_end = parser->token.end;
}
