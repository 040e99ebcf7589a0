/* Redirections that open a connection: bash itself makes one of /dev/tcp/HOST/PORT and /dev/udp/HOST/PORT. */
#ifndef XYLEM_POLICY_ENGINE_NETWORK_H
#define XYLEM_POLICY_ENGINE_NETWORK_H

#include "policy/engine/judge.h"

/*
 * May the redirection's target be such a path? What is not literal may be, if it begins as one for at least `certain`
 * of its characters; or if it begins with what nobody knows, and a word of the command, which a variable may hold,
 * names one of the two. `search` is the number of that search (xylem_policy__values_seen()).
 */
bool xylem_policy__may_be_network(struct xylem_policy__judge *judge, const struct xylem_shell__word *target,
                                  size_t certain, unsigned search);

/* Its beginning is a variable's value, or what a command prints; `<()` and `~` become paths of their own. */
bool xylem_policy__begins_unknown(const struct xylem_shell__word *target);

#endif
