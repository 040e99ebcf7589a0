/*
 * Declares the functions that the files of the parser share. No file outside of the parser includes this header. The
 * parser is recursive like the grammar:
 *
 *     parse.c         a whole text, command by command
 *     command.c       lists, and-or lists, pipelines, simple commands
 *     compound.c      if, for, while, case, ( ), { }, functions, coprocesses
 *     condition.c     [[ ]]
 *     redirection.c   redirections; heredoc.c: the bodies of here-documents
 *     assignment.c    NAME=value, NAME[subscript]=value, NAME=(values)
 *     token.c         operators, words, newlines
 *     word.c          words; quote.c: quotes and backslashes; expansion.c: `$`; parameter.c: ${ };
 *                     substitution.c: $( ), backticks, <( ); arithmetic.c: $(( ))
 *     source.c        single characters, failures, doubts
 */
#ifndef XYLEM_SHELL_PARSER_H
#define XYLEM_SHELL_PARSER_H

#include "judge/shell/parse.h"

#define XYLEM_SHELL__END (-1) /* no character is left, or the parser has failed */

/* The quotes around the next character. */
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

/* The role of the next word, if the next token is a word. */
enum xylem_shell__place {
    XYLEM_SHELL__PLACE_COMMAND = 0, /* may be an assignment */
    XYLEM_SHELL__PLACE_PREFIX,      /* may be an assignment, but not of an array or of an element */
    XYLEM_SHELL__PLACE_ARGUMENT,
    XYLEM_SHELL__PLACE_DECLARATION, /* may be name=(values), behind declare and the like */
    XYLEM_SHELL__PLACE_PATTERN,     /* in [[ ]], right of == */
    XYLEM_SHELL__PLACE_REGEX,       /* in [[ ]], right of =~ */
    XYLEM_SHELL__PLACE_DELIMITER,   /* of a here-document */
    XYLEM_SHELL__PLACE_VALUE,       /* of an assignment: no splitting, no globs */
};

struct xylem_shell__token {
    enum xylem_shell__token_type type;
    const char *begin;
    const char *end;
    struct xylem_shell__word *word;
    struct xylem_shell__assignment *assignment;
    bool descriptor_named;
};

/* A here-document with a body that is still to be read. */
struct xylem_shell__pending {
    struct xylem_shell__redirection *redirection;
    bool tabs;
    struct xylem_shell__pending *next;
};

/* The position of the parser. Saved before the parser reads another text, or tries a reading. */
struct xylem_shell__position {
    const char *at;
    const char *end;
};

struct xylem_shell__parser {
    struct xylem_shell__tree *tree;
    struct xylem_shell__arena *arena;
    struct xylem_shell__position now;
    const char *why;      /* the reason of a failure (static), or NULL */
    const char *readings; /* the reason why versions of bash read the text differently (static), or NULL */
    size_t steps;
    size_t steps_max;
    unsigned nesting;
    struct xylem_shell__token token;
    bool token_ready;
    const char *last_end; /* of the last token taken */
    struct xylem_shell__pending *pending;
    struct xylem_shell__pending **pending_tail;
    unsigned reread;        /* this text was tried as arithmetic before: bash would look for here-documents elsewhere */
    bool pending_outside;   /* a here-document of an outer level still lacks the body */
    bool in_quoted_braces;  /* ${...} within double quotes or a here-document */
    bool in_quoted_pattern; /* ... with an operand that bash expands like an unquoted one */
    bool in_substitution;   /* $( ): a here-document may end with EOF) */
};

/* --- source.c: reading characters. */

/* Notes the first failure. Always false. */
bool xylem_shell__fail(struct xylem_shell__parser *parser, const char *why);
void *xylem_shell__take(struct xylem_shell__parser *parser, size_t bytes);
/* NULL, or the reason why the bytes of the text cannot be trusted. */
const char *xylem_shell__gate(struct xylem_view text);
/* True if the character at `at` is invisible, or changes the look of other characters. */
bool xylem_shell__deceives(const char *at, const char *end);
void xylem_shell__skip_joined(struct xylem_shell__parser *parser);
bool xylem_shell__doubt(struct xylem_shell__parser *parser, enum xylem_shell__doubt_type type, struct xylem_view at,
                        const char *why);
/* Goes back to the state before another text or inner commands were read; the position and a failure stay. */
void xylem_shell__go_outside(struct xylem_shell__parser *parser, const struct xylem_shell__parser *outside);
/* Notes that `copy` holds the text from `begin` to the position without its escapes. */
bool xylem_shell__note_copy(struct xylem_shell__parser *parser, struct xylem_view copy, const char *begin);
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

/* The next character, without removing backslash-newlines. */
static inline int xylem_shell__peek_raw(const struct xylem_shell__parser *parser)
{
    return parser->now.at < parser->now.end && !parser->why ? (unsigned char)*parser->now.at : XYLEM_SHELL__END;
}

/* Removes backslash-newlines, and gives the next character. */
static inline int xylem_shell__peek(struct xylem_shell__parser *parser)
{
    if (parser->now.end - parser->now.at > 1 && parser->now.at[0] == '\\' && parser->now.at[1] == '\n') {
        xylem_shell__skip_joined(parser);
    }
    return xylem_shell__peek_raw(parser);
}

/* Steps over the peeked character. */
static inline void xylem_shell__advance(struct xylem_shell__parser *parser)
{
    parser->now.at++;
    if (++parser->steps > parser->steps_max) {
        (void)xylem_shell__fail(parser, "the parentheses can be read in too many ways");
    }
}

/* The character behind the peeked character. */
int xylem_shell__peek_second(struct xylem_shell__parser *parser);

/* Takes the next character if the character is the expected one. */
static inline bool xylem_shell__accept(struct xylem_shell__parser *parser, char expected)
{
    if (xylem_shell__peek(parser) != expected) {
        return false;
    }
    xylem_shell__advance(parser);
    return true;
}

/* --- word.c: making words. */

struct xylem_shell__builder {
    struct xylem_shell__parser *parser;
    struct xylem_shell__word *word;
    struct xylem_shell__part *last;
    size_t capacity; /* of the text of the last part; 0: the text is borrowed */
    bool open;       /* text may be added to the last part */
    struct xylem_shell__part *brace;
    int brace_state;                   /* 1: { read; 2: `,` or `..` read behind; 3: } read behind */
    struct xylem_shell__part *bracket; /* a [: becomes a glob if ] follows */
    bool equals;                       /* an unquoted = was read */
};

bool xylem_shell__begin_word(struct xylem_shell__builder *builder, struct xylem_shell__parser *parser);
/* Adds literal characters, which are borrowed. Their spelling lies between `raw` and `raw_end`. */
bool xylem_shell__add_text(struct xylem_shell__builder *builder, const char *raw, const char *raw_end,
                           struct xylem_view text, bool quoted);
struct xylem_shell__part *xylem_shell__add_part(struct xylem_shell__builder *builder, enum xylem_shell__part_type type,
                                                const char *raw, bool quoted);
/* Ends the word at the position of the parser. NULL: the parser failed. */
struct xylem_shell__word *xylem_shell__end_word(struct xylem_shell__builder *builder);
/* Adds the next character as a literal character. */
bool xylem_shell__take_text(struct xylem_shell__builder *builder, bool quoted);
/* Reads a word at the position of the parser. NULL: the parser failed. */
struct xylem_shell__word *xylem_shell__read_word(struct xylem_shell__parser *parser, enum xylem_shell__place place);

/* Reads a name without the backslash-newlines in it. NULL: the parser failed. */
struct xylem_shell__word *xylem_shell__read_name(struct xylem_shell__parser *parser);

/* --- quote.c: the parser stands at the quote. */
bool xylem_shell__read_single_quotes(struct xylem_shell__builder *builder);
bool xylem_shell__read_double_quotes(struct xylem_shell__builder *builder);
bool xylem_shell__read_ansi_quotes(struct xylem_shell__builder *builder);
bool xylem_shell__read_backslash(struct xylem_shell__builder *builder, enum xylem_shell__quoting quoting);
/* Reads the rest of the current text as the body of a here-document. */
struct xylem_shell__word *xylem_shell__read_document_text(struct xylem_shell__parser *parser);

/* --- expansion.c, parameter.c, substitution.c */
bool xylem_shell__read_dollar(struct xylem_shell__builder *builder, enum xylem_shell__quoting quoting);
bool xylem_shell__read_braces(struct xylem_shell__builder *builder, const char *raw, enum xylem_shell__quoting quoting);
bool xylem_shell__read_backticks(struct xylem_shell__builder *builder, enum xylem_shell__quoting quoting);
/* Adds an arithmetic expansion with its words, or a substitution with its commands. */
bool xylem_shell__add_expansion(struct xylem_shell__builder *builder, const char *raw, enum xylem_shell__part_type type,
                                bool quoted, struct xylem_shell__word *words, struct xylem_shell__node *body);
/* At the first parenthesis of $( or <( or >(. */
bool xylem_shell__read_substitution(struct xylem_shell__builder *builder, const char *raw,
                                    enum xylem_shell__part_type type, enum xylem_shell__quoting quoting);

/* --- arithmetic.c */
enum xylem_shell__arithmetic_end {
    XYLEM_SHELL__ENDS_PARENTHESES, /* )) */
    XYLEM_SHELL__ENDS_BRACKET,
    XYLEM_SHELL__ENDS_BRACE, /* }, in ${x:o:l} */
};
/* Reads up to the end, and does not take the end. Undecided parts become doubts. NULL: the parser failed. */
struct xylem_shell__word *xylem_shell__read_arithmetic(struct xylem_shell__parser *parser,
                                                       enum xylem_shell__arithmetic_end end);
/* Behind [ : reads a subscript and the ]. `all`: the subscript is @ or *. NULL: the parser failed. */
struct xylem_shell__word *xylem_shell__read_subscript(struct xylem_shell__parser *parser, bool *all);

/* --- token.c, assignment.c */
const struct xylem_shell__token *xylem_shell__peek_token(struct xylem_shell__parser *parser,
                                                         enum xylem_shell__place place);
void xylem_shell__take_token(struct xylem_shell__parser *parser);
/* Takes the next token if the token has the type. */
bool xylem_shell__accept_token(struct xylem_shell__parser *parser, enum xylem_shell__place place,
                               enum xylem_shell__token_type type);
/* Skips blanks and a comment. */
void xylem_shell__skip_blanks(struct xylem_shell__parser *parser);
/* Reads an assignment. NULL: no assignment, and the parser stands where it stood; or the parser failed. */
struct xylem_shell__assignment *xylem_shell__read_assignment(struct xylem_shell__parser *parser,
                                                             enum xylem_shell__place place);

/* --- redirection.c, heredoc.c */
static inline bool xylem_shell__begins_redirection(const struct xylem_shell__token *token)
{
    return token->type == XYLEM_SHELL__TOKEN_DESCRIPTOR || token->type >= XYLEM_SHELL__TOKEN_READ;
}
/* Reads a redirection, and adds the redirection at `tail`. */
bool xylem_shell__read_redirection(struct xylem_shell__parser *parser, struct xylem_shell__redirection ***tail);
bool xylem_shell__expect_document(struct xylem_shell__parser *parser, struct xylem_shell__redirection *redirection,
                                  bool tabs);
/* Behind a newline: reads the bodies of all pending here-documents. */
bool xylem_shell__read_documents(struct xylem_shell__parser *parser);

/* --- command.c, compound.c, condition.c */
/* Reads commands up to a token that cannot begin a command; false: the parser failed. */
bool xylem_shell__read_list(struct xylem_shell__parser *parser, struct xylem_shell__node **nodes);
/* Reads an and-or list and the operator behind. */
bool xylem_shell__read_item(struct xylem_shell__parser *parser, struct xylem_shell__node ***tail);
bool xylem_shell__skip_newlines(struct xylem_shell__parser *parser, enum xylem_shell__place place);
struct xylem_shell__node *xylem_shell__make_node(struct xylem_shell__parser *parser, enum xylem_shell__node_type type,
                                                 const char *begin);
bool xylem_shell__add_node_word(struct xylem_shell__node *node, struct xylem_shell__word ***tail,
                                struct xylem_shell__word *word);
/* Reads a simple command; the first word (may be NULL) was taken before. */
struct xylem_shell__node *xylem_shell__read_simple(struct xylem_shell__parser *parser, struct xylem_shell__word *first);
/* The entry of the list (NULL ends the list) that the word is, without quotes; NULL: none. */
const char *xylem_shell__one_of(const struct xylem_shell__word *word, const char *const *words);
/* The reserved word, or NULL if the token is none. */
const char *xylem_shell__reserved(const struct xylem_shell__token *token);
bool xylem_shell__is_reserved(const struct xylem_shell__token *token, const char *word);
/* Takes the next token if the token is the reserved word. */
bool xylem_shell__accept_reserved(struct xylem_shell__parser *parser, const char *word);
/* Takes the reserved word, or fails. */
bool xylem_shell__expect_reserved(struct xylem_shell__parser *parser, const char *word);
/* True if the token begins a compound command. */
bool xylem_shell__begins_compound(const struct xylem_shell__token *token);
/* Reads a compound command with its redirections. */
struct xylem_shell__node *xylem_shell__read_compound(struct xylem_shell__parser *parser);
/* Behind [[ . */
bool xylem_shell__read_condition(struct xylem_shell__parser *parser, struct xylem_shell__node *node);
/* At `function`, at a word before `()`, or at `coproc`. */
struct xylem_shell__node *xylem_shell__read_function(struct xylem_shell__parser *parser, const char *begin,
                                                     struct xylem_shell__word *name);
struct xylem_shell__node *xylem_shell__read_coproc(struct xylem_shell__parser *parser);
/*
 * Behind (( :
 *    1: arithmetic, read with the ));
 *    0: no )) closes: two parentheses, as in `((a); b)`. The parser stands where it stood. `end` (may be NULL) gets the
 *       place behind the parenthesis that closes the first one;
 *   -1: the parser failed.
 */
int xylem_shell__try_arithmetic(struct xylem_shell__parser *parser, struct xylem_shell__word **word, const char **end);

#endif
