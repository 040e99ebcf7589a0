/* Lists the programs and builtins that run another command: one table. judge/policy/tables.c shows the table. */
#ifndef XYLEM_POLICY_ENGINE_WRAPPERS_H
#define XYLEM_POLICY_ENGINE_WRAPPERS_H

#include <stddef.h>

#include "xylem/base.h"

/* Where the inner command stands among the words of the wrapper. */
enum xylem_policy__wrapped {
    XYLEM_POLICY__WRAPS_WORDS,       /* behind the options and operands of the wrapper */
    XYLEM_POLICY__WRAPS_ENVIRONMENT, /* the same, behind NAME=value words */
    XYLEM_POLICY__WRAPS_JOINED,      /* the same; the words are joined by spaces, and a shell reads the text */
    XYLEM_POLICY__WRAPS_APPENDED,    /* the same, with unknown words behind: xargs */
    XYLEM_POLICY__WRAPS_PARALLEL,    /* up to `:::`, joined, with unknown words behind */
    XYLEM_POLICY__WRAPS_CODE,        /* `sh -c CODE` */
    XYLEM_POLICY__WRAPS_FIND,        /* between -exec and `;` or `{} +` */
    XYLEM_POLICY__WRAPS_FD,          /* behind -x or -X */
    XYLEM_POLICY__WRAPS_SOMEWHERE,   /* somewhere: the policy searches the words */
    XYLEM_POLICY__WRAPS_INPUT,       /* the same, or in the input */
};

struct xylem_policy__wrapper {
    const char *names;
    const char *options; /* known options, in the form of words/options.h; with any other the command is undecided */
    const char *lookups; /* options with which the wrapper runs no command */
    const char *writes;  /* options by which the wrapper writes a file, or sends its output to a program */
    enum xylem_policy__wrapped wraps;
    size_t operand_count; /* operands of the wrapper before the command */
    const char *what;     /* for the documentation */
};

/* The last row has NULL names. */
extern const struct xylem_policy__wrapper xylem_policy__wrappers[];

/* The row of a program; NULL: the program runs no other command. */
const struct xylem_policy__wrapper *xylem_policy__wrapper_of(struct xylem_view name);

#endif
