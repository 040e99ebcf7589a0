/* Judging tables of commands by a policy. */
#ifndef XYLEM_TESTS_LIB_VERDICTS_H
#define XYLEM_TESTS_LIB_VERDICTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "xylem/policy.h"

struct example {
    const char *command;
    enum xylem_decision expected;
};

/* Judges all of them, names those that came out otherwise, and fails if there are any. */
void check_verdicts(const struct xylem_policy_config *config, const struct example *examples, size_t count);

/* The rule that decided. Static. */
const char *rule_of(const struct xylem_policy_config *config, const char *command);

/* Does the reason for refusing hold this text? */
void check_reason(const struct xylem_policy_config *config, const char *command, const char *text);

#endif
