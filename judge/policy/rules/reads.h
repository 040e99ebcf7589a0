/* For strict: proves from the table of verbs that a command only reads. */
#ifndef XYLEM_POLICY_RULES_READS_H
#define XYLEM_POLICY_RULES_READS_H

#include "judge/policy/engine/judge.h"
#include "judge/policy/words/tables.h"

/* True if the table has a reading entry for the command. What the other words do is not asked. */
bool xylem_policy__has_reading_verb(struct xylem_policy__judge *judge, const struct xylem_policy__command *command);

/* True if the record proves that the command only reads. Else refuses the command. */
bool xylem_policy__prove_reading(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                                 const struct xylem_policy__verb_row *row);

#endif
