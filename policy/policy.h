/* Texts about a policy and its decisions. */
#ifndef XYLEM_POLICY_POLICY_H
#define XYLEM_POLICY_POLICY_H

#include "xylem.h"

/* `allow`, `ask` or `deny`. */
const char *xylem_policy__decision_word(enum xylem_decision decision);

#endif
