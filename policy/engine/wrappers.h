/* The programs and builtins that run another command: one table, which the documentation shows. */
#ifndef XYLEM_POLICY_ENGINE_WRAPPERS_H
#define XYLEM_POLICY_ENGINE_WRAPPERS_H

#include <stddef.h>

#include "xylem.h"

/* Where the command that it runs stands. */
enum xylem_policy__wrapped {
    XYLEM_POLICY__WRAPS_WORDS,       /* the words behind its options and operands */
    XYLEM_POLICY__WRAPS_ENVIRONMENT, /* the same, behind NAME=value words */
    XYLEM_POLICY__WRAPS_JOINED,      /* the same, joined by spaces and read by a shell */
    XYLEM_POLICY__WRAPS_APPENDED,    /* the words, and more that nobody knows: xargs */
    XYLEM_POLICY__WRAPS_PARALLEL,    /* words up to `:::`, joined, and more that nobody knows */
    XYLEM_POLICY__WRAPS_CODE,        /* `sh -c CODE` */
    XYLEM_POLICY__WRAPS_FIND,        /* between -exec and `;` or `{} +` */
    XYLEM_POLICY__WRAPS_FD,          /* behind -x or -X */
    XYLEM_POLICY__WRAPS_SOMEWHERE,   /* somewhere in its words, which are searched */
    XYLEM_POLICY__WRAPS_INPUT,       /* the same, or in its input */
};

struct xylem_policy__wrapper {
    const char *names;
    const char *options; /* that it may have, as policy/words/options.h writes them; any other is not decidable */
    const char *lookups; /* options with which it runs no command */
    const char *writes;  /* options with which it writes a file, or sends its output to a program */
    enum xylem_policy__wrapped wraps;
    size_t operand_count; /* its own, before the command */
    const char *what;     /* for the documentation */
};

/* Ends with a row whose names are NULL. */
extern const struct xylem_policy__wrapper xylem_policy__wrappers[];

/* The row of a program; NULL: it is not seen through. */
const struct xylem_policy__wrapper *xylem_policy__wrapper_of(struct xylem_view name);

#endif
