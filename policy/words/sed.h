/* Does a sed program only read and print? */
#ifndef XYLEM_POLICY_WORDS_SED_H
#define XYLEM_POLICY_WORDS_SED_H

#include "policy/words/script.h"

/*
 * Reads the whole program (the texts of several -e, joined by newlines, as sed joins them) as GNU sed and busybox's do.
 * `why` (static) is set unless it is harmless; never MALFORMED.
 */
enum xylem_policy__script xylem_policy__sed(struct xylem_view program, const char **why);

#endif
