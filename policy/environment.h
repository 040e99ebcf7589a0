/* Variables that change what programs run or write, or what words of a command mean. */
#ifndef XYLEM_POLICY_ENVIRONMENT_H
#define XYLEM_POLICY_ENVIRONMENT_H

#include "policy/tables.h"
#include "policy/words.h"
#include "xylem.h"

/* Names as they are, `NAME*` for all that begin so, and `*NAME` for all that end so. Ends with a row of NULLs. */
extern const struct xylem_policy__table_row xylem_policy__environment_table[];

/* What setting the variable does (static), or NULL if that is harmless. */
const char *xylem_policy__environment(struct xylem_view name);

/* Variables that are harmless with some values; the same form. */
extern const struct xylem_policy__table_row xylem_policy__environment_locales[];

/* What setting the variable to `value` (NULL: nobody knows what to) does (static), or NULL if that is harmless. */
const char *xylem_policy__environment_value(struct xylem_view name, const struct xylem_policy__word *value);

#endif
