/* Decides whether a sed program only reads and prints. */
#ifndef XYLEM_POLICY_WORDS_SED_H
#define XYLEM_POLICY_WORDS_SED_H

#include "judge/policy/words/script.h"

/*
 * Reads the whole program (sed joins the texts of several -e with newlines) like GNU sed and busybox's sed. Sets `why`
 * (static) unless the program is harmless; never MALFORMED.
 */
enum xylem_policy__script xylem_policy__sed(struct xylem_view program, const char **why);

/* The shell code behind the command e, if e is the first harm of the program; else an empty view. */
struct xylem_view xylem_policy__sed_code(struct xylem_view program);

#endif
