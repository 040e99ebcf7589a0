/*
 * Lists the builtins of bash that set variables, keep code for later, or evaluate names: one table.
 * judge/policy/tables.c shows the table.
 */
#ifndef XYLEM_POLICY_ENGINE_BUILTINS_H
#define XYLEM_POLICY_ENGINE_BUILTINS_H

/* The effect of a builtin on its operands. */
enum xylem_policy__builtin_acts {
    XYLEM_POLICY__SETS_OPERANDS = 0, /* each operand is NAME or NAME=value */
    XYLEM_POLICY__EXPORTS_OPERANDS,  /* the same, and programs get the variables */
    XYLEM_POLICY__SETS_LAST,         /* the second operand is a name: getopts */
    XYLEM_POLICY__FORMATS,           /* printf: %n in the first operand sets the variable that another operand names */
    XYLEM_POLICY__SETS_NONE,         /* names stand in values of options only */
    XYLEM_POLICY__TESTS,             /* test, [ */
    XYLEM_POLICY__EVALUATES,         /* each operand is arithmetic */
    XYLEM_POLICY__KEEPS_CODE,        /* trap: the first operand is code, except `-` and the empty word */
    XYLEM_POLICY__KEEPS_ALIASES,     /* NAME=code */
    XYLEM_POLICY__IS_NOT_DECIDABLE   /* whatever the operands are */
};

struct xylem_policy__builtin {
    const char *names;
    const char *options; /* known options, in the form of words/options.h; with any other the builtin is undecided */
    const char *name_options; /* options with names of variables as values */
    const char *code_options; /* options with code as value */
    const char *doubtful;     /* options that make the whole builtin undecided */
    enum xylem_policy__builtin_acts acts;
};

/* The last row has NULL names. */
extern const struct xylem_policy__builtin xylem_policy__builtins[];

#endif
