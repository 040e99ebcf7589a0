/*
 * The tree of a shell command. The parser makes the tree, and the judge walks the tree. The tree has only the facts
 * that the judge needs. All nodes lie in an arena, and borrow characters from the parsed text.
 *
 * Every `raw` is a view into a parsed text: the command itself, or an unescaped copy of a part of the command (struct
 * xylem_shell__text). So `raw` alone tells the place of a node.
 *
 * The tree of `X=1 ls a"$b"* 2>&1 | wc $(pwd)`:
 *
 *     PIPELINE
 *       SIMPLE                        then: PIPE
 *         assignment  X, value `1`
 *         word        `ls`            literal, text "ls"
 *         word        `a"$b"*`        not literal, text "a" (the known beginning), quoted
 *           TEXT        "a"
 *           PARAMETER   "b", quoted
 *           GLOB        `*`
 *         redirection DUPLICATE       descriptor "2", target `1`
 *       SIMPLE
 *         word        `wc`
 *         word        `$(pwd)`        not literal, splits
 *           COMMAND     body: SIMPLE `pwd`
 */
#ifndef XYLEM_SHELL_SYNTAX_H
#define XYLEM_SHELL_SYNTAX_H

#include "base/value.h"
#include "judge/shell/arena.h"

struct xylem_shell__node;
struct xylem_shell__word;

enum xylem_shell__part_type {
    XYLEM_SHELL__PART_TEXT = 0,   /* characters that stand for themselves, after quote removal: `text` */
    XYLEM_SHELL__PART_PARAMETER,  /* $x, ${x op word}: `text` is the name; subscript, operands: `words` */
    XYLEM_SHELL__PART_COMMAND,    /* $(...), `...`: `body` */
    XYLEM_SHELL__PART_PROCESS,    /* <(...), >(...): `body` */
    XYLEM_SHELL__PART_ARITHMETIC, /* $((...)), $[...]: the substitutions inside are in `words` */
    XYLEM_SHELL__PART_GLOB,       /* unquoted *, ? or [...] */
    XYLEM_SHELL__PART_BRACE,      /* the { of an unquoted {a,b} or {1..3}; the rest follows as parts of its own */
    XYLEM_SHELL__PART_TILDE,      /* the ~ of an unquoted ~ or ~user that bash expands */
};

struct xylem_shell__part {
    enum xylem_shell__part_type type;
    bool quoted;  /* in quotes, or escaped */
    bool assigns; /* may set the variable: ${x=word}, ${x:=word}, x=(values) behind declare and the like */
    bool number;  /* the value is always a number: $#, ${#x} and others */
    struct xylem_view raw;
    struct xylem_view text;
    struct xylem_shell__word *words; /* linked by `next` */
    struct xylem_shell__node *body;
    struct xylem_shell__part *next;
};

struct xylem_shell__word {
    struct xylem_view raw; /* the spelling, with quotes */
    /* The whole value of a literal word. Otherwise the certain beginning of the value, maybe empty. */
    struct xylem_view text;
    bool literal; /* the value is known, and is exactly one word */
    bool quoted;  /* a part is quoted or escaped: the word is no reserved word */
    bool splits;  /* may become no word or several words: by an unquoted expansion, "$@" or "${a[@]}" */
    bool path;    /* find puts a path there; the path begins with a letter, a digit, `.` or `/` */
    struct xylem_shell__part *parts; /* in order; a literal word has TEXT parts only */
    struct xylem_shell__word *next;
};

/* name=value, name+=value, name[subscript]=value, name=(values) */
struct xylem_shell__assignment {
    struct xylem_view raw;
    struct xylem_view name;
    bool append;
    bool array;
    struct xylem_shell__word *subscripts; /* of the name and of the values; variables in them are doubts already */
    struct xylem_shell__word *values;     /* linked by `next`; one word, maybe empty, unless `array` */
    struct xylem_shell__assignment *next;
};

enum xylem_shell__redirection_type {
    XYLEM_SHELL__REDIRECT_READ = 0,          /* < */
    XYLEM_SHELL__REDIRECT_WRITE,             /* > >> >| &> &>>, and >& before a word that is no descriptor */
    XYLEM_SHELL__REDIRECT_READ_WRITE,        /* <> */
    XYLEM_SHELL__REDIRECT_DUPLICATE,         /* >& or <& before a literal number, - or N- */
    XYLEM_SHELL__REDIRECT_DUPLICATE_UNKNOWN, /* <& before anything else */
    XYLEM_SHELL__REDIRECT_HERE_DOCUMENT,     /* << <<-: `target` is the delimiter */
    XYLEM_SHELL__REDIRECT_HERE_STRING,       /* <<< */
};

struct xylem_shell__redirection {
    enum xylem_shell__redirection_type type;
    struct xylem_view raw;        /* descriptor, operator and target */
    struct xylem_view descriptor; /* digits, or the name in {name}; empty: the default of the operator */
    bool descriptor_named;        /* {name}: bash assigns the descriptor to a variable */
    bool expands_twice;           /* behind >& : bash may expand the value of the target once more */
    struct xylem_shell__word *target;
    struct xylem_shell__word *body; /* a here-document with an unquoted delimiter: with expansions; else NULL */
    struct xylem_shell__word *kept; /* a here-document with a quoted delimiter: the body, one literal word; else NULL */
    struct xylem_shell__redirection *next;
};

enum xylem_shell__node_type {
    XYLEM_SHELL__SIMPLE = 0, /* assignments, words and redirections */
    XYLEM_SHELL__PIPELINE,   /* children: two or more commands joined by | or |& */
    XYLEM_SHELL__SUBSHELL,   /* ( children ) */
    XYLEM_SHELL__GROUP,      /* { children } */
    XYLEM_SHELL__IF,         /* children: each condition and each body, in order */
    XYLEM_SHELL__LOOP,       /* while, until, for, select: `name` is the variable, `words` the list */
    XYLEM_SHELL__CASE,       /* words: the subject and all patterns; children: the arms */
    XYLEM_SHELL__CONDITION,  /* [[ ]]: words: the operands */
    XYLEM_SHELL__ARITHMETIC, /* (( )), and the head of for (( )): words: the text, with the substitutions in it */
    XYLEM_SHELL__FUNCTION,   /* name; children: the body */
    XYLEM_SHELL__COPROC,     /* name, maybe empty; children: the body */
};

/* The operator behind a command. */
enum xylem_shell__connector {
    XYLEM_SHELL__THEN_END = 0, /* nothing, ; or a newline */
    XYLEM_SHELL__THEN_AND,
    XYLEM_SHELL__THEN_OR,
    XYLEM_SHELL__THEN_BACKGROUND,
    XYLEM_SHELL__THEN_PIPE,
};

struct xylem_shell__node {
    enum xylem_shell__node_type type;
    enum xylem_shell__connector then;
    bool negated;          /* behind ! */
    bool timed;            /* behind the reserved word time */
    struct xylem_view raw; /* the whole spelling, with redirections */
    struct xylem_view name;
    struct xylem_shell__assignment *assignments; /* SIMPLE */
    struct xylem_shell__word *words;             /* linked by `next` */
    size_t word_count;
    struct xylem_shell__redirection *redirections;
    struct xylem_shell__node *children; /* linked by `next` */
    struct xylem_shell__node *next;
};

/* A part that is understood, but with an effect that the text does not show. */
enum xylem_shell__doubt_type {
    XYLEM_SHELL__DOUBT_ARITHMETIC = 0, /* bash evaluates the part as arithmetic: a name in arithmetic, ${!x} */
    XYLEM_SHELL__DOUBT_CODE,           /* bash expands the part as code: ${x@P} */
    XYLEM_SHELL__DOUBT_READINGS,       /* versions of bash read the text from here to its end in other ways as well */
};

struct xylem_shell__doubt {
    enum xylem_shell__doubt_type type;
    struct xylem_view at;
    const char *why; /* static */
    struct xylem_shell__doubt *next;
};

/* An unescaped copy of a part of another text: the text in backticks, or the body of a here-document. */
struct xylem_shell__text {
    struct xylem_view copy;
    struct xylem_view at; /* the original, in the other text */
    struct xylem_shell__text *next;
};

struct xylem_shell__tree {
    struct xylem_view text;
    struct xylem_shell__node *nodes; /* the understood commands, linked by `next` */
    struct xylem_shell__doubt *doubts;
    struct xylem_shell__text *texts; /* the newest first */
    /*
     * The text that was not understood: from the beginning of an outermost command to the end of the text.
     * `not_understood_why` (static) is NULL if the whole text was understood.
     */
    struct xylem_view not_understood;
    const char *not_understood_why;
    size_t steps; /* characters read, with repeated readings */
};

/* True for a literal word with exactly that value. */
static inline bool xylem_shell__word_is(const struct xylem_shell__word *word, const char *text)
{
    return word->literal && xylem_base__view_is(word->text, text);
}

static inline bool xylem_shell__is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* True for the first character of a name: a letter or `_`. */
static inline bool xylem_shell__is_name_start(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool xylem_shell__is_name(int c)
{
    return xylem_shell__is_name_start(c) || xylem_shell__is_digit(c);
}

/* The value of a hexadecimal digit, or 99. */
int xylem_shell__digit_value(int c);
/* True for a name that a variable can have. */
bool xylem_shell__is_identifier(struct xylem_view view);
/* The offset of the first of the characters, from `at` on; without one, the end of the text. A NUL is none. */
size_t xylem_shell__find_any(struct xylem_view text, size_t at, const char *characters);
static inline bool xylem_shell__has_any(struct xylem_view text, const char *characters)
{
    return xylem_shell__find_any(text, 0, characters) < text.bytes;
}
/* True for digits alone, and not for an empty text. */
bool xylem_shell__all_digits(struct xylem_view view);
/* True if the word is a number, or a parameter that always holds a number. */
bool xylem_shell__is_number(const struct xylem_shell__word *word);

#endif
