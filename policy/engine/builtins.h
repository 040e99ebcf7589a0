/*
 * The builtins of bash that set variables, keep code for later, or evaluate names: one table, which the documentation
 * shows.
 */
#ifndef XYLEM_POLICY_ENGINE_BUILTINS_H
#define XYLEM_POLICY_ENGINE_BUILTINS_H

/* What a builtin does with its operands. */
enum xylem_policy__builtin_acts {
    XYLEM_POLICY__SETS_OPERANDS = 0, /* each is NAME or NAME=value */
    XYLEM_POLICY__SETS_LAST,         /* the one behind the first is a name: getopts */
    XYLEM_POLICY__FORMATS,           /* %n in the first operand sets the variables that the others name: printf */
    XYLEM_POLICY__SETS_NONE,         /* only option values are names */
    XYLEM_POLICY__TESTS,             /* test, [ */
    XYLEM_POLICY__EVALUATES,         /* each is arithmetic */
    XYLEM_POLICY__KEEPS_CODE,        /* the first is code, unless it is `-` or empty: trap */
    XYLEM_POLICY__KEEPS_ALIASES,     /* NAME=code */
    XYLEM_POLICY__IS_NOT_DECIDABLE   /* whatever they are */
};

struct xylem_policy__builtin {
    const char *names;
    const char *options;      /* that it may have, as policy/words/options.h writes them; any other is not decidable */
    const char *name_options; /* their values are names of variables */
    const char *code_options; /* their values are code */
    const char *doubtful;     /* options with which nothing is decidable */
    enum xylem_policy__builtin_acts acts;
};

/* Ends with a row whose names are NULL. */
extern const struct xylem_policy__builtin xylem_policy__builtins[];

#endif
