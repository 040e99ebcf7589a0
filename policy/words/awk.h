/* Does an awk program only read and print? */
#ifndef XYLEM_POLICY_WORDS_AWK_H
#define XYLEM_POLICY_WORDS_AWK_H

#include "policy/words/script.h"

/*
 * Reads the program as gawk, mawk, busybox's awk and the one true awk do; where they differ, none may do harm. `why`
 * (static) is set unless it is harmless; never MALFORMED.
 */
enum xylem_policy__script xylem_policy__awk(struct xylem_view program, const char **why);

#endif
