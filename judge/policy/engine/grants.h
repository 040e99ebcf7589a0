/*
 * Declares the offer of grants: what a person can allow for a whole session. A grant is a text that names the program,
 * the rule, and for rm the directory. Two commands with the same texts are alike to the person.
 */
#ifndef XYLEM_POLICY_ENGINE_GRANTS_H
#define XYLEM_POLICY_ENGINE_GRANTS_H

#include "judge/policy/engine/judge.h"

/*
 * Offers grants for the refusal of the command by the rule: `PROGRAM (RULE)`. With `paths`, an offer for the directory
 * around each path: `PROGRAM (RULE) in DIRECTORY`. Nothing is offered for a command within another command, and for
 * paths that are not known. A verdict has grants only if each refusal has grants.
 */
void xylem_policy__grant(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                         struct xylem_view program, const char *rule, const struct xylem_shell__word *const *paths,
                         size_t path_count);

#endif
