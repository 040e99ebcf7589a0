/* Tells whether a program that ran in the sandbox is one that strict allows. */
#ifndef XYLEM_TESTS_LIB_SHELL_ALLOWED_H
#define XYLEM_TESTS_LIB_SHELL_ALLOWED_H

#include "tests/lib/shell_sandbox.h"
#include "xylem/policy.h"

/*
 * True for the programs of strict's own list, and those that they run themselves. A program with verbs (gh, crontab)
 * counts if strict allows the program with the very words with which it ran. No program of the command's folder counts.
 */
bool shell_allowed(const struct xylem_policy *strict, const struct shell_event *event);

#endif
