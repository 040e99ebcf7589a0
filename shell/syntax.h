/*
 * What a shell command is made of: the tree that the parser makes and the judge walks. It is kept to what the judge
 * needs. All of it lies in an arena, and borrows from the text that was parsed.
 *
 * Every `raw` is a view into a text that was parsed: the command itself, or a copy of a part of it that was unescaped
 * (`struct xylem_shell__text`). So where something stands is found from its `raw` alone.
 */
#ifndef XYLEM_SHELL_SYNTAX_H
#define XYLEM_SHELL_SYNTAX_H

#include "base/value.h"
#include "shell/arena.h"
#include "xylem.h"

struct xylem_shell__node;
struct xylem_shell__word;

enum xylem_shell__part_type {
    XYLEM_SHELL__PART_TEXT = 0,   /* characters that stand for themselves, after quote removal: `text` */
    XYLEM_SHELL__PART_PARAMETER,  /* $x, ${x op word}: `text` is the name; subscript, operands: `words` */
    XYLEM_SHELL__PART_COMMAND,    /* $(...), `...`: `body` */
    XYLEM_SHELL__PART_PROCESS,    /* <(...), >(...): `body` */
    XYLEM_SHELL__PART_ARITHMETIC, /* $((...)), $[...]: its substitutions are in `words` */
    XYLEM_SHELL__PART_GLOB,       /* *, ?, [...], unquoted */
    XYLEM_SHELL__PART_BRACE,      /* {a,b}, {1..3}, unquoted: what stands in it follows as parts of their own */
    XYLEM_SHELL__PART_TILDE,      /* ~, ~user, unquoted, where bash expands it */
};

struct xylem_shell__part {
    enum xylem_shell__part_type type;
    bool quoted;  /* stands in quotes, or is an escaped character */
    bool assigns; /* ${x=word}, ${x:=word}; behind declare and its kin x=(values): it may set the variable */
    bool number;  /* $#, ${#x} and others whose value is a number, whatever happens */
    struct xylem_view raw;
    struct xylem_view text;
    struct xylem_shell__word *words; /* linked by `next` */
    struct xylem_shell__node *body;
    struct xylem_shell__part *next;
};

struct xylem_shell__word {
    struct xylem_view raw; /* as it is spelt, quotes included */
    /* literal: the whole value. Else the characters that it begins with for certain, maybe none. */
    struct xylem_view text;
    bool literal; /* its value is known, and it is exactly one word */
    bool quoted;  /* some part of it is quoted or escaped: it is no reserved word */
    bool splits;  /* an unquoted parameter or substitution (or "$@", "${a[@]}") may make it none, or several words */
    bool path; /* find puts a path there, which begins as a starting point does: with a letter, a digit, `.` or `/` */
    struct xylem_shell__part *parts; /* in order; a literal word has text parts alone */
    struct xylem_shell__word *next;
};

/* name=value, name+=value, name[subscript]=value, name=(values) */
struct xylem_shell__assignment {
    struct xylem_view raw;
    struct xylem_view name;
    bool append;
    bool array;
    struct xylem_shell__word *subscripts; /* of the name and of the values; their names are doubts already */
    struct xylem_shell__word *values;     /* linked; a scalar has one, which may be empty */
    struct xylem_shell__assignment *next;
};

enum xylem_shell__redirection_type {
    XYLEM_SHELL__REDIRECT_READ = 0,          /* < */
    XYLEM_SHELL__REDIRECT_WRITE,             /* > >> >| &> &>> and >& before a word that is no descriptor */
    XYLEM_SHELL__REDIRECT_READ_WRITE,        /* <> */
    XYLEM_SHELL__REDIRECT_DUPLICATE,         /* >& or <& before a literal number, - or N- */
    XYLEM_SHELL__REDIRECT_DUPLICATE_UNKNOWN, /* <& before anything else */
    XYLEM_SHELL__REDIRECT_HERE_DOCUMENT,     /* << <<-: `target` is the delimiter, `body` what follows */
    XYLEM_SHELL__REDIRECT_HERE_STRING,       /* <<< */
};

struct xylem_shell__redirection {
    enum xylem_shell__redirection_type type;
    struct xylem_view raw;        /* with its descriptor, its operator and its target */
    struct xylem_view descriptor; /* digits, or the name in {name}; empty: the operator's own */
    bool descriptor_named;        /* {name}: it assigns to a variable */
    struct xylem_shell__word *target;
    struct xylem_shell__word *body; /* of a here-document whose delimiter is not quoted: its expansions; else NULL */
    struct xylem_shell__word
        *kept; /* of one whose delimiter is quoted: its text, of which nothing is expanded; else NULL */
    struct xylem_shell__redirection *next;
};

enum xylem_shell__node_type {
    XYLEM_SHELL__SIMPLE = 0, /* assignments, words and redirections */
    XYLEM_SHELL__PIPELINE,   /* children: two or more commands joined by | or |& */
    XYLEM_SHELL__SUBSHELL,   /* ( children ) */
    XYLEM_SHELL__GROUP,      /* { children } */
    XYLEM_SHELL__IF,         /* children: each condition and each body, in order */
    XYLEM_SHELL__LOOP,       /* while, until, for, select: `name` is the variable, `words` its list */
    XYLEM_SHELL__CASE,       /* words: the subject and all patterns; children: the arms */
    XYLEM_SHELL__CONDITION,  /* [[ ]]: words: the operands */
    XYLEM_SHELL__ARITHMETIC, /* (( )), the head of for (( )): words: what stands in it, for its substitutions */
    XYLEM_SHELL__FUNCTION,   /* name, children: its body */
    XYLEM_SHELL__COPROC,     /* name (maybe empty), children: its body */
};

/* What stands behind a command. */
enum xylem_shell__connector {
    XYLEM_SHELL__THEN_END = 0, /* nothing, ; or a line's end */
    XYLEM_SHELL__THEN_AND,
    XYLEM_SHELL__THEN_OR,
    XYLEM_SHELL__THEN_BACKGROUND,
    XYLEM_SHELL__THEN_PIPE,
};

struct xylem_shell__node {
    enum xylem_shell__node_type type;
    enum xylem_shell__connector then;
    bool negated;          /* ! stands before it */
    bool timed;            /* the reserved word time stands before it */
    struct xylem_view raw; /* from its first character to its last, redirections included */
    struct xylem_view name;
    struct xylem_shell__assignment *assignments; /* SIMPLE */
    struct xylem_shell__word *words;             /* linked by `next` */
    size_t word_count;
    struct xylem_shell__redirection *redirections;
    struct xylem_shell__node *children; /* linked by `next` */
    struct xylem_shell__node *next;
};

/* What the parser read, but what cannot be decided from the text: a name in arithmetic, ${!x}, ${x@P}. */
struct xylem_shell__doubt {
    struct xylem_view at;
    const char *why; /* static */
    bool code;       /* it is expanded as code, not as arithmetic */
    struct xylem_shell__doubt *next;
};

/* An unescaped copy of a part of another text: what stood in backticks, or the code in `sh -c 'code'`. */
struct xylem_shell__text {
    struct xylem_view copy;
    struct xylem_view at; /* where it comes from, in another text */
    struct xylem_shell__text *next;
};

struct xylem_shell__tree {
    struct xylem_view text;
    struct xylem_shell__node *nodes; /* the commands that were understood, linked by `next` */
    struct xylem_shell__doubt *doubts;
    struct xylem_shell__text *texts; /* what was unescaped, the newest first */
    /*
     * What was not understood: from the command (on the outermost level) in which it was found to the end of the text.
     * `not_understood_why` (static) is NULL if all of it was understood.
     */
    struct xylem_view not_understood;
    const char *not_understood_why;
    size_t steps; /* characters that were read, those that were read again included */
};

/* A literal word whose value is exactly that. */
static inline bool xylem_shell__word_is(const struct xylem_shell__word *word, const char *text)
{
    return word->literal && xylem_base__view_is(word->text, text);
}

/* True for a variable's name. */
bool xylem_shell__is_identifier(struct xylem_view view);
/* True for digits alone, and not for an empty text. */
bool xylem_shell__all_digits(struct xylem_view view);
/* True if the word is a number, or a parameter that always holds a number. */
bool xylem_shell__is_number(const struct xylem_shell__word *word);

#endif
