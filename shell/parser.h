/* Inside of the parser: what its files share. Nobody else includes it. */
#ifndef XYLEM_SHELL_PARSER_H
#define XYLEM_SHELL_PARSER_H

#include "shell/parse.h"

#define XYLEM_SHELL__END (-1) /* no character is left, or the parser has failed */

/* How the characters at hand are quoted. */
enum xylem_shell__quoting {
    XYLEM_SHELL__UNQUOTED = 0,
    XYLEM_SHELL__DOUBLE_QUOTED,
    XYLEM_SHELL__DOCUMENT, /* the body of a here-document: a double quote stands for itself */
};

enum xylem_shell__token_type {
    XYLEM_SHELL__TOKEN_END = 0,
    XYLEM_SHELL__TOKEN_NEWLINE,
    XYLEM_SHELL__TOKEN_WORD,
    XYLEM_SHELL__TOKEN_ASSIGNMENT,
    XYLEM_SHELL__TOKEN_DESCRIPTOR,      /* digits or {name}, glued to the redirection that follows */
    XYLEM_SHELL__TOKEN_SEMICOLON,       /* ; */
    XYLEM_SHELL__TOKEN_ARM_END,         /* ;; ;& ;;& */
    XYLEM_SHELL__TOKEN_BACKGROUND,      /* & */
    XYLEM_SHELL__TOKEN_AND,             /* && */
    XYLEM_SHELL__TOKEN_OR,              /* || */
    XYLEM_SHELL__TOKEN_PIPE,            /* | */
    XYLEM_SHELL__TOKEN_PIPE_BOTH,       /* |& */
    XYLEM_SHELL__TOKEN_OPEN,            /* ( */
    XYLEM_SHELL__TOKEN_CLOSE,           /* ) */
    XYLEM_SHELL__TOKEN_READ,            /* <   from here on: redirections */
    XYLEM_SHELL__TOKEN_WRITE,           /* > >> >| */
    XYLEM_SHELL__TOKEN_WRITE_BOTH,      /* &> &>> */
    XYLEM_SHELL__TOKEN_DUPLICATE_READ,  /* <& */
    XYLEM_SHELL__TOKEN_DUPLICATE_WRITE, /* >& */
    XYLEM_SHELL__TOKEN_READ_WRITE,      /* <> */
    XYLEM_SHELL__TOKEN_DOCUMENT,        /* << */
    XYLEM_SHELL__TOKEN_DOCUMENT_TABS,   /* <<- */
    XYLEM_SHELL__TOKEN_STRING,          /* <<< */
};

/* What a word may be where the next token stands. */
enum xylem_policy__place {
    XYLEM_SHELL__PLACE_COMMAND = 0, /* an assignment */
    XYLEM_SHELL__PLACE_PREFIX,      /* an assignment, but neither of an array nor of a part of one */
    XYLEM_SHELL__PLACE_ARGUMENT,
    XYLEM_SHELL__PLACE_DECLARATION, /* name=(values), for declare and its kin */
    XYLEM_SHELL__PLACE_PATTERN,     /* in [[ ]], right of == */
    XYLEM_SHELL__PLACE_REGEX,       /* in [[ ]], right of =~ */
    XYLEM_SHELL__PLACE_DELIMITER,   /* of a here-document */
    XYLEM_SHELL__PLACE_VALUE,       /* of an assignment: nothing is split or matched with files */
};

struct xylem_shell__token {
    enum xylem_shell__token_type type;
    const char *begin;
    const char *end;
    struct xylem_shell__word *word;
    struct xylem_shell__assignment *assignment;
    bool descriptor_named;
};

/* A here-document whose body is still to come. */
struct xylem_shell__pending {
    struct xylem_shell__redirection *redirection;
    bool tabs;
    struct xylem_shell__pending *next;
};

/* Where the parser reads: saved when it reads another text, or tries a reading. */
struct xylem_shell__position {
    const char *at;
    const char *end;
};

struct xylem_shell__parser {
    struct xylem_shell__tree *tree;
    struct xylem_policy__arena *arena;
    struct xylem_shell__position now;
    const char *why; /* it failed, and why (static) */
    size_t steps;
    size_t steps_max;
    unsigned nesting;
    struct xylem_shell__token token;
    bool token_ready;
    const char *last_end; /* of the token that was taken last */
    struct xylem_shell__pending *pending;
    struct xylem_shell__pending **pending_tail;
    unsigned reread;        /* what is read now was tried as arithmetic: bash finds here-documents elsewhere then */
    bool pending_outside;   /* a here-document of an outer level waits for its body */
    bool in_quoted_braces;  /* ${...} within double quotes or a here-document */
    bool in_quoted_pattern; /* ... whose operand is expanded as if it were not */
    bool in_substitution;   /* $( ): a here-document may end with EOF) */
};

/* --- parse_source.c: reading characters. */

/* Fails, unless it did already. Always false. */
bool xylem_shell__fail(struct xylem_shell__parser *parser, const char *why);
void *xylem_shell__take(struct xylem_shell__parser *parser, size_t bytes);
/* 0, or why bytes stand in the text that nobody should trust. */
const char *xylem_shell__gate(struct xylem_view text);
/* Is the character that begins at `at` one that is not seen, or that changes how others are seen? */
bool xylem_shell__deceives(const char *at, const char *end);
void xylem_shell__skip_joined(struct xylem_shell__parser *parser);
bool xylem_shell__doubt(struct xylem_shell__parser *parser, const char *begin, const char *why);
bool xylem_shell__enter(struct xylem_shell__parser *parser);
void xylem_shell__leave(struct xylem_shell__parser *parser);

static inline struct xylem_view xylem_shell__view(const char *begin, const char *end)
{
    return (struct xylem_view){begin, end > begin ? (size_t)(end - begin) : 0};
}

static inline bool xylem_shell__failed(const struct xylem_shell__parser *parser)
{
    return parser->why;
}

/* The next character as it stands there, without removing anything. */
static inline int xylem_shell__peek_raw(const struct xylem_shell__parser *parser)
{
    return parser->now.at < parser->now.end && !parser->why ? (unsigned char)*parser->now.at : XYLEM_SHELL__END;
}

/* The next character, behind backslash-newlines, which are removed. */
static inline int xylem_shell__peek(struct xylem_shell__parser *parser)
{
    if (parser->now.end - parser->now.at > 1 && parser->now.at[0] == '\\' && parser->now.at[1] == '\n') {
        xylem_shell__skip_joined(parser);
    }
    return xylem_shell__peek_raw(parser);
}

/* Over the character that was peeked at. */
static inline void xylem_shell__advance(struct xylem_shell__parser *parser)
{
    parser->now.at++;
    if (++parser->steps > parser->steps_max) {
        (void)xylem_shell__fail(parser, "its parentheses can be read in too many ways");
    }
}

/* The character behind the one that was peeked at. */
int xylem_shell__peek_second(struct xylem_shell__parser *parser);

/* Takes the next character if it is that one. */
static inline bool xylem_shell__accept(struct xylem_shell__parser *parser, char expected)
{
    if (xylem_shell__peek(parser) != expected) {
        return false;
    }
    xylem_shell__advance(parser);
    return true;
}

static inline bool xylem_shell__is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static inline bool xylem_shell__is_name_start(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool xylem_shell__is_name(int c)
{
    return xylem_shell__is_name_start(c) || xylem_shell__is_digit(c);
}

/* --- parse_word.c: making words. */

struct xylem_shell__builder {
    struct xylem_shell__parser *parser;
    struct xylem_shell__word *word;
    struct xylem_shell__part *last;
    size_t capacity; /* of the last part's text, if it is a copy */
    bool open;       /* text may be added to the last part */
    struct xylem_shell__part *brace;
    int brace_state;                   /* 1: { was seen, 2: then , or .., 3: then } */
    struct xylem_shell__part *bracket; /* [, which becomes a glob if ] follows */
    bool equals;                       /* an unquoted = was seen */
};

bool xylem_shell__begin_word(struct xylem_shell__builder *builder, struct xylem_shell__parser *parser);
/* Adds characters that stand for themselves. They are borrowed; `raw_end` is the end of how they are spelt. */
bool xylem_shell__add_text(struct xylem_shell__builder *builder, const char *raw, const char *raw_end,
                           struct xylem_view text, bool quoted);
struct xylem_shell__part *xylem_shell__add_part(struct xylem_shell__builder *builder, enum xylem_shell__part_type type,
                                                const char *raw, bool quoted);
/* The word, which ends where the parser stands. NULL: it failed. */
struct xylem_shell__word *xylem_shell__end_word(struct xylem_shell__builder *builder);
/* The next character, which stands for itself. */
bool xylem_shell__take_text(struct xylem_shell__builder *builder, bool quoted);
/* A word that begins where the parser stands. NULL: it failed. */
struct xylem_shell__word *xylem_shell__read_word(struct xylem_shell__parser *parser, enum xylem_policy__place place);

/* --- parse_quote.c: the parser stands at the quote. */
bool xylem_shell__read_single_quotes(struct xylem_shell__builder *builder);
bool xylem_shell__read_double_quotes(struct xylem_shell__builder *builder);
bool xylem_shell__read_ansi_quotes(struct xylem_shell__builder *builder);
bool xylem_shell__read_backslash(struct xylem_shell__builder *builder, enum xylem_shell__quoting quoting);
/* All that is left of the text at hand, as the body of a here-document. */
struct xylem_shell__word *xylem_shell__read_document_text(struct xylem_shell__parser *parser);

/* --- parse_expansion.c, parse_braces.c, parse_substitution.c */
bool xylem_shell__read_dollar(struct xylem_shell__builder *builder, enum xylem_shell__quoting quoting);
bool xylem_shell__read_braces(struct xylem_shell__builder *builder, const char *raw, enum xylem_shell__quoting quoting);
bool xylem_shell__read_backticks(struct xylem_shell__builder *builder, enum xylem_shell__quoting quoting);
/* At the first parenthesis of $( or <( or >(. */
bool xylem_shell__read_substitution(struct xylem_shell__builder *builder, const char *raw,
                                    enum xylem_shell__part_type type, enum xylem_shell__quoting quoting);
/* Reads commands in another text, to its end. */
bool xylem_shell__read_elsewhere(struct xylem_shell__parser *parser, struct xylem_shell__node **nodes,
                                 struct xylem_view text);

/* --- parse_arithmetic.c */
enum xylem_shell__arithmetic_end {
    XYLEM_SHELL__ENDS_PARENTHESES, /* )), the first of which is left over */
    XYLEM_SHELL__ENDS_BRACKET,
    XYLEM_SHELL__ENDS_BRACE, /* }, in ${x:o:l} */
};
/* Reads up to the end, which is not taken. What cannot be decided becomes a doubt. NULL: it failed. */
struct xylem_shell__word *xylem_shell__read_arithmetic(struct xylem_shell__parser *parser,
                                                       enum xylem_shell__arithmetic_end end);
/* Behind [ : a subscript with its ]; NULL: it failed. `all` says that it is @ or *. */
struct xylem_shell__word *xylem_shell__read_subscript(struct xylem_shell__parser *parser, bool *all);

/* --- parse_token.c, parse_assignment.c */
const struct xylem_shell__token *xylem_shell__peek_token(struct xylem_shell__parser *parser,
                                                         enum xylem_policy__place place);
void xylem_shell__take_token(struct xylem_shell__parser *parser);
/* Over blanks and a comment. */
void xylem_shell__skip_blanks(struct xylem_shell__parser *parser);
/* An assignment, or NULL without having read anything, or NULL and failed. */
struct xylem_shell__assignment *xylem_shell__read_assignment(struct xylem_shell__parser *parser,
                                                             enum xylem_policy__place place);

/* --- parse_redirection.c, parse_heredoc.c */
static inline bool xylem_shell__begins_redirection(const struct xylem_shell__token *token)
{
    return token->type == XYLEM_SHELL__TOKEN_DESCRIPTOR || token->type >= XYLEM_SHELL__TOKEN_READ;
}
/* The redirection that stands there, added to the list that ends at `tail`. */
bool xylem_shell__read_redirection(struct xylem_shell__parser *parser, struct xylem_shell__redirection ***tail);
bool xylem_shell__expect_document(struct xylem_shell__parser *parser, struct xylem_shell__redirection *redirection,
                                  bool tabs);
/* Behind a newline: the bodies that were waited for. */
bool xylem_shell__read_documents(struct xylem_shell__parser *parser);

/* --- parse_command.c, parse_compound.c, parse_condition.c */
/* Commands up to a token that cannot begin one; false: it failed. */
bool xylem_shell__read_list(struct xylem_shell__parser *parser, struct xylem_shell__node **nodes);
/* An and-or list and what parts it from the next. */
bool xylem_shell__read_item(struct xylem_shell__parser *parser, struct xylem_shell__node ***tail);
bool xylem_shell__skip_newlines(struct xylem_shell__parser *parser);
struct xylem_shell__node *xylem_shell__read_command(struct xylem_shell__parser *parser, bool piped);
struct xylem_shell__node *xylem_shell__make_node(struct xylem_shell__parser *parser, enum xylem_shell__node_type type,
                                                 const char *begin);
bool xylem_shell__add_node_word(struct xylem_shell__node *node, struct xylem_shell__word ***tail,
                                struct xylem_shell__word *word);
/* Simple, and its first word (may be NULL) was taken already. */
struct xylem_shell__node *xylem_shell__read_simple(struct xylem_shell__parser *parser, struct xylem_shell__word *first);
/* The reserved word that the token is, or NULL. */
const char *xylem_shell__reserved(const struct xylem_shell__token *token);
bool xylem_shell__is_reserved(const struct xylem_shell__token *token, const char *word);
/* Takes the reserved word, which must stand there. */
bool xylem_shell__expect_reserved(struct xylem_shell__parser *parser, const char *word);
/* Does the token begin a compound command? */
bool xylem_shell__begins_compound(const struct xylem_shell__token *token);
/* The compound command that stands there, with its redirections. */
struct xylem_shell__node *xylem_shell__read_compound(struct xylem_shell__parser *parser);
struct xylem_shell__node *xylem_shell__read_case(struct xylem_shell__parser *parser);
struct xylem_shell__node *xylem_shell__read_condition(struct xylem_shell__parser *parser);
/* At `function`, at a word before `()`, or at `coproc`. */
struct xylem_shell__node *xylem_shell__read_function(struct xylem_shell__parser *parser, const char *begin,
                                                     struct xylem_shell__word *name);
struct xylem_shell__node *xylem_shell__read_coproc(struct xylem_shell__parser *parser);
/*
 * Behind (( : 1: read with its )); 0: there is no )), and the parser stands where it stood; -1: it failed. `end` (may
 * be NULL) gets where the parenthesis before the two of them is closed then.
 */
int xylem_shell__try_arithmetic(struct xylem_shell__parser *parser, struct xylem_shell__word **word, const char **end);

#endif
