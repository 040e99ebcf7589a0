#include <assert.h>
#include <string.h>

#include "judge/shell/parser.h"

void xylem_shell__skip_blanks(struct xylem_shell__parser *parser)
{
    int c = xylem_shell__peek(parser);
    while (c == ' ' || c == '\t') {
        xylem_shell__advance(parser);
        c = xylem_shell__peek(parser);
    }
    while (c == '#' && xylem_shell__peek_raw(parser) != '\n' && xylem_shell__peek_raw(parser) != XYLEM_SHELL__END) {
        xylem_shell__advance(parser); /* a comment ends at the newline, also after a backslash */
    }
}

struct operator
{
    char spelt[4];
    enum xylem_shell__token_type type;
};

/* A longer operator stands before its own beginning. */
static const struct operator operators[] = {{";;&", XYLEM_SHELL__TOKEN_ARM_END},
                                            {";;", XYLEM_SHELL__TOKEN_ARM_END},
                                            {";&", XYLEM_SHELL__TOKEN_ARM_END},
                                            {";", XYLEM_SHELL__TOKEN_SEMICOLON},
                                            {"&&", XYLEM_SHELL__TOKEN_AND},
                                            {"&>>", XYLEM_SHELL__TOKEN_WRITE_BOTH},
                                            {"&>", XYLEM_SHELL__TOKEN_WRITE_BOTH},
                                            {"&", XYLEM_SHELL__TOKEN_BACKGROUND},
                                            {"||", XYLEM_SHELL__TOKEN_OR},
                                            {"|&", XYLEM_SHELL__TOKEN_PIPE_BOTH},
                                            {"|", XYLEM_SHELL__TOKEN_PIPE},
                                            {"(", XYLEM_SHELL__TOKEN_OPEN},
                                            {")", XYLEM_SHELL__TOKEN_CLOSE},
                                            {"<<<", XYLEM_SHELL__TOKEN_STRING},
                                            {"<<-", XYLEM_SHELL__TOKEN_DOCUMENT_TABS},
                                            {"<<", XYLEM_SHELL__TOKEN_DOCUMENT},
                                            {"<&", XYLEM_SHELL__TOKEN_DUPLICATE_READ},
                                            {"<>", XYLEM_SHELL__TOKEN_READ_WRITE},
                                            {"<", XYLEM_SHELL__TOKEN_READ},
                                            {">>", XYLEM_SHELL__TOKEN_WRITE},
                                            {">|", XYLEM_SHELL__TOKEN_WRITE},
                                            {">&", XYLEM_SHELL__TOKEN_DUPLICATE_WRITE},
                                            {">", XYLEM_SHELL__TOKEN_WRITE}};

static bool matches(struct xylem_shell__parser *parser, const char *spelt)
{
    struct xylem_shell__position before = parser->now;
    for (; *spelt != '\0'; spelt++) {
        if (!xylem_shell__accept(parser, *spelt)) {
            parser->now = before;
            return false;
        }
    }
    return true;
}

static bool read_operator(struct xylem_shell__parser *parser, struct xylem_shell__token *token)
{
    int c = xylem_shell__peek(parser);
    if (c == XYLEM_SHELL__END || !strchr("|&;()<>", c) ||
        ((c == '<' || c == '>') && xylem_shell__peek_second(parser) == '(')) {
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

/* True if the word is a descriptor: `<` or `>` follows directly. */
static bool is_descriptor(struct xylem_shell__parser *parser, struct xylem_shell__token *token)
{
    const struct xylem_shell__word *word = token->word;
    struct xylem_view text = word->text;
    int c = xylem_shell__peek_raw(parser);
    if (c != '<' && c != '>') {
        return false;
    }
    if (word->raw.bytes > 2 && word->raw.data[0] == '{' && word->raw.data[word->raw.bytes - 1] == '}' &&
        memchr(word->raw.data, '[', word->raw.bytes)) {
        return xylem_shell__fail(parser, "a descriptor names an element of an array");
    }
    if (!word->literal || word->quoted || text.bytes == 0) {
        return false;
    }
    if (xylem_shell__all_digits(text)) {
        return text.bytes < 10 || xylem_shell__fail(parser, "a descriptor is too large");
    }
    if (text.data[0] != '{' || text.data[text.bytes - 1] != '}' || text.bytes < 3) {
        return false;
    }
    token->descriptor_named = xylem_shell__is_identifier((struct xylem_view){text.data + 1, text.bytes - 2});
    return token->descriptor_named;
}

/* Makes a word of name=(values) behind declare. */
static struct xylem_shell__word *make_declaration(struct xylem_shell__parser *parser, const char *begin,
                                                  const struct xylem_shell__assignment *assignment)
{
    struct xylem_shell__word *word = xylem_shell__take(parser, sizeof *word);
    struct xylem_shell__part *name = xylem_shell__take(parser, sizeof *name);
    struct xylem_shell__part *values = xylem_shell__take(parser, sizeof *values);
    if (!word || !name || !values) {
        return NULL;
    }
    /* The text before the values: name= or name+= */
    const char *equals = assignment->name.data + assignment->name.bytes;
    *name =
        (struct xylem_shell__part){.text = assignment->name, .raw = xylem_shell__view(begin, equals), .next = values};
    *values = (struct xylem_shell__part){.type = XYLEM_SHELL__PART_PARAMETER,
                                         .assigns = true,
                                         .text = assignment->name,
                                         .raw = xylem_shell__view(begin, parser->now.at),
                                         .words = assignment->values};
    struct xylem_shell__word **tail = &values->words;
    while (*tail) {
        tail = &(*tail)->next;
    }
    *tail = assignment->subscripts;
    word->parts = name;
    word->raw = xylem_shell__view(begin, parser->now.at);
    word->text = assignment->name;
    return word;
}

static void read_word_token(struct xylem_shell__parser *parser, struct xylem_shell__token *token,
                            enum xylem_shell__place place)
{
    bool declares = place == XYLEM_SHELL__PLACE_DECLARATION;
    if (place == XYLEM_SHELL__PLACE_COMMAND || place == XYLEM_SHELL__PLACE_PREFIX || declares) {
        token->assignment = xylem_shell__read_assignment(parser, place);
        if (xylem_shell__failed(parser)) {
            return;
        }
    }
    if (token->assignment && !declares) {
        token->type = XYLEM_SHELL__TOKEN_ASSIGNMENT;
        return;
    }
    token->type = XYLEM_SHELL__TOKEN_WORD;
    if (token->assignment) {
        token->word = make_declaration(parser, token->begin, token->assignment);
        return;
    }
    token->word = xylem_shell__read_word(parser, place);
    if (!token->word) {
        return;
    }
    if (place != XYLEM_SHELL__PLACE_PATTERN && place != XYLEM_SHELL__PLACE_REGEX && is_descriptor(parser, token)) {
        token->type = XYLEM_SHELL__TOKEN_DESCRIPTOR;
    }
}

const struct xylem_shell__token *xylem_shell__peek_token(struct xylem_shell__parser *parser,
                                                         enum xylem_shell__place place)
{
    struct xylem_shell__token token = {0};
    if (parser->token_ready) {
        return &parser->token;
    }
    xylem_shell__skip_blanks(parser);
    int c = xylem_shell__peek(parser);
    token.begin = parser->now.at;
    if (c == '\n') {
        xylem_shell__advance(parser);
        token.type = XYLEM_SHELL__TOKEN_NEWLINE;
        token.end = parser->now.at; /* before the bodies of here-documents */
        if (parser->pending_outside) {
            (void)xylem_shell__fail(parser, "a here-document's body begins in the middle of a substitution");
        }
        if (parser->pending) {
            (void)xylem_shell__read_documents(parser);
        }
    } else if (c != XYLEM_SHELL__END &&
               ((c == '(' && place == XYLEM_SHELL__PLACE_REGEX) || !read_operator(parser, &token))) {
        read_word_token(parser, &token, place);
    }
    if (!token.end) {
        token.end = parser->now.at;
    }
    if (xylem_shell__failed(parser)) {
        token.type = XYLEM_SHELL__TOKEN_END;
    }
    parser->token = token;
    parser->token_ready = true;
    return &parser->token;
}

void xylem_shell__take_token(struct xylem_shell__parser *parser)
{
    assert(parser->token_ready);
    parser->token_ready = false;
    parser->last_end = parser->token.end;
}

bool xylem_shell__accept_token(struct xylem_shell__parser *parser, enum xylem_shell__place place,
                               enum xylem_shell__token_type type)
{
    if (xylem_shell__peek_token(parser, place)->type != type) {
        return false;
    }
    xylem_shell__take_token(parser);
    return true;
}
