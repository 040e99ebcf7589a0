/* Environment and shell variables that change which programs run, what they write, or how the shell reads a command. */
#ifndef XYLEM_POLICY_ENGINE_ENVIRONMENT_H
#define XYLEM_POLICY_ENGINE_ENVIRONMENT_H

#include "judge/policy/words/tables.h"
#include "judge/policy/words/words.h"

/*
 * Variables that do harm wherever a command sets them. `NAME*` stands for every name with the beginning NAME, `*NAME`
 * for every name with the end NAME. The last row is all NULL.
 */
extern const struct xylem_policy__table_row xylem_policy__environment_table[];

/* The allowed values of a variable. All but ANY must be literal. */
enum xylem_policy__allowed_value {
    XYLEM_POLICY__VALUE_ANY = 0,
    XYLEM_POLICY__VALUE_LOCALE, /* a locale in whose encoding no byte of ASCII is part of another character */
    XYLEM_POLICY__VALUE_ZONE,   /* letters, digits and "/_+-"; begins with a letter or digit */
    XYLEM_POLICY__VALUE_NAME,   /* letters, digits and "-+_."; begins with a letter or digit */
    XYLEM_POLICY__VALUE_NUMBER, /* up to five digits */
    XYLEM_POLICY__VALUE_CAT,    /* `cat` */
};

/* The only variables that a command may get in its environment; `what` says why another value is refused. */
struct xylem_policy__allowed_variable {
    const char *names;
    enum xylem_policy__allowed_value value;
    const char *what;
};

/* The last row has NULL names. */
extern const struct xylem_policy__allowed_variable xylem_policy__environment_allowed[];

/*
 * Returns the harm (static text) of setting the variable to `value` (NULL: the value is not known), or NULL: no harm.
 * `exported`: a command certainly gets the variable in its environment. Otherwise the variable may belong to the shell
 * alone, and only the variables of xylem_policy__environment_table do harm.
 */
const char *xylem_policy__environment(struct xylem_view name, const struct xylem_shell__word *value, bool exported);

#endif
