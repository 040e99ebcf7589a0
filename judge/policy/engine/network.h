/* Finds redirections that open a connection: bash connects for `< /dev/tcp/HOST/PORT` and `< /dev/udp/HOST/PORT`. */
#ifndef XYLEM_POLICY_ENGINE_NETWORK_H
#define XYLEM_POLICY_ENGINE_NETWORK_H

#include "judge/policy/engine/judge.h"

/*
 * True if the target of the redirection can be a path of a connection:
 * - the target begins with /dev/tcp/ or /dev/udp/;
 * - the target is not literal, and at least `certain` known characters fit the beginning of such a path;
 * - the beginning of the target is unknown, and a word of the command names tcp or udp: a variable may hold the word.
 * `search` is the number of the search for such words (xylem_policy__values_seen()).
 */
bool xylem_policy__may_be_network(struct xylem_policy__judge *judge, const struct xylem_shell__word *target,
                                  size_t certain, unsigned search);

/*
 * True if the target begins with the value of a variable, or with the output of a command. (`<()` and `~` are paths.)
 */
bool xylem_policy__begins_unknown(const struct xylem_shell__word *target);

#endif
