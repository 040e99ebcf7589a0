/*
 * policy/ makes a policy from a configuration, and judges a command or a tool call.
 * policy/ has no rule of its own (rules/) and reads no file (hook/).
 * Begin reading at policy.c; the rooms below it, from the bottom: words/, engine/, git/, rules/.
 * Other rooms may include: policy.h
 */
#ifndef XYLEM_POLICY_POLICY_H
#define XYLEM_POLICY_POLICY_H

#include "xylem/policy.h"

/* `allow`, `ask` or `deny`. */
const char *xylem_policy__decision_word(enum xylem_decision decision);

#endif
