#include <string.h>

#include "judge/shell/parser.h"

/* True for a number, `-` and `N-`: descriptors after >& and <&. */
static bool names_descriptor(const struct xylem_shell__word *word)
{
    struct xylem_view text = word->text;
    if (!word->literal || text.bytes == 0) {
        return false;
    }
    if (text.data[text.bytes - 1] == '-') {
        text.bytes--;
        return text.bytes == 0 || xylem_shell__all_digits(text);
    }
    return xylem_shell__all_digits(text);
}

/* True if an expansion leaves the word as the word is. */
static bool stays(const struct xylem_shell__word *word)
{
    return word->literal && !xylem_shell__has_any(word->text, "$`'\"\\~*?[{<>(");
}

static enum xylem_shell__redirection_type type_of(enum xylem_shell__token_type type,
                                                  const struct xylem_shell__word *target)
{
    switch (type) {
    case XYLEM_SHELL__TOKEN_READ:
        return XYLEM_SHELL__REDIRECT_READ;
    case XYLEM_SHELL__TOKEN_READ_WRITE:
        return XYLEM_SHELL__REDIRECT_READ_WRITE;
    case XYLEM_SHELL__TOKEN_DUPLICATE_READ:
        return names_descriptor(target) ? XYLEM_SHELL__REDIRECT_DUPLICATE : XYLEM_SHELL__REDIRECT_DUPLICATE_UNKNOWN;
    case XYLEM_SHELL__TOKEN_DUPLICATE_WRITE:
        return names_descriptor(target) ? XYLEM_SHELL__REDIRECT_DUPLICATE : XYLEM_SHELL__REDIRECT_WRITE;
    case XYLEM_SHELL__TOKEN_DOCUMENT:
    case XYLEM_SHELL__TOKEN_DOCUMENT_TABS:
        return XYLEM_SHELL__REDIRECT_HERE_DOCUMENT;
    case XYLEM_SHELL__TOKEN_STRING:
        return XYLEM_SHELL__REDIRECT_HERE_STRING;
    default:
        return XYLEM_SHELL__REDIRECT_WRITE;
    }
}

static struct xylem_shell__word *read_target(struct xylem_shell__parser *parser, enum xylem_shell__token_type type)
{
    bool duplicates = type == XYLEM_SHELL__TOKEN_DUPLICATE_READ || type == XYLEM_SHELL__TOKEN_DUPLICATE_WRITE;
    bool document = type == XYLEM_SHELL__TOKEN_DOCUMENT || type == XYLEM_SHELL__TOKEN_DOCUMENT_TABS;
    if (duplicates) {
        xylem_shell__skip_blanks(parser);
        if (xylem_shell__peek(parser) == '-') { /* a word of its own, also directly before other characters */
            struct xylem_shell__builder builder;
            if (!xylem_shell__begin_word(&builder, parser) || !xylem_shell__take_text(&builder, false)) {
                return NULL;
            }
            parser->last_end = parser->now.at;
            return xylem_shell__end_word(&builder);
        }
    }
    const struct xylem_shell__token *token =
        xylem_shell__peek_token(parser, document ? XYLEM_SHELL__PLACE_DELIMITER : XYLEM_SHELL__PLACE_ARGUMENT);
    bool number = duplicates && token->type == XYLEM_SHELL__TOKEN_DESCRIPTOR && !token->descriptor_named;
    if (token->type != XYLEM_SHELL__TOKEN_WORD && !number) {
        (void)xylem_shell__fail(parser, "a redirection has no target");
        return NULL;
    }
    xylem_shell__take_token(parser);
    return parser->token.word;
}

/*
 * zsh reads the whole word behind >& as the name of a file, if the word is not `-` and no number: `>&-x`, `>&1-`. Bash
 * reads a dash, or moves a descriptor.
 */
static bool doubt_file(struct xylem_shell__parser *parser, const struct xylem_shell__redirection *redirection)
{
    struct xylem_view text = redirection->target->text;
    int next = xylem_shell__peek(parser);
    bool closes = text.bytes == 1 && (next == XYLEM_SHELL__END || strchr(" \t\n;|&()<>", next));
    if (redirection->type != XYLEM_SHELL__REDIRECT_DUPLICATE || text.data[text.bytes - 1] != '-' || closes) {
        return true;
    }
    return xylem_shell__doubt(parser, XYLEM_SHELL__DOUBT_READINGS, redirection->raw,
                              "zsh reads the word behind >& as the name of a file");
}

bool xylem_shell__read_redirection(struct xylem_shell__parser *parser, struct xylem_shell__redirection ***tail)
{
    struct xylem_shell__redirection *redirection = xylem_shell__take(parser, sizeof *redirection);
    const struct xylem_shell__token *token = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_ARGUMENT);
    const char *begin = token->begin;
    if (!redirection) {
        return false;
    }
    if (token->type == XYLEM_SHELL__TOKEN_DESCRIPTOR) {
        struct xylem_view text = token->word->text;
        redirection->descriptor_named = token->descriptor_named;
        redirection->descriptor = token->descriptor_named ? (struct xylem_view){text.data + 1, text.bytes - 2} : text;
        xylem_shell__take_token(parser);
        token = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_ARGUMENT);
    }
    enum xylem_shell__token_type type = token->type;
    if (type < XYLEM_SHELL__TOKEN_READ) {
        return xylem_shell__fail(parser, "a descriptor stands without a redirection");
    }
    xylem_shell__take_token(parser);
    redirection->target = read_target(parser, type);
    if (!redirection->target) {
        return false;
    }
    redirection->type = type_of(type, redirection->target);
    redirection->expands_twice = type == XYLEM_SHELL__TOKEN_DUPLICATE_WRITE && !stays(redirection->target);
    redirection->raw = xylem_shell__view(begin, parser->last_end);
    if (type == XYLEM_SHELL__TOKEN_DUPLICATE_WRITE && !doubt_file(parser, redirection)) {
        return false;
    }
    **tail = redirection;
    *tail = &redirection->next;
    return redirection->type != XYLEM_SHELL__REDIRECT_HERE_DOCUMENT ||
           xylem_shell__expect_document(parser, redirection, type == XYLEM_SHELL__TOKEN_DOCUMENT_TABS);
}
