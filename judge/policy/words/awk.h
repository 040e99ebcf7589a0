/* Decides whether an awk program only reads and prints. */
#ifndef XYLEM_POLICY_WORDS_AWK_H
#define XYLEM_POLICY_WORDS_AWK_H

#include "judge/policy/words/script.h"

/*
 * Reads the program like gawk, mawk, busybox's awk and the one true awk. The program is harmless if each of the four
 * only reads and prints. Otherwise `why` (static) gets the reason. Never MALFORMED.
 */
enum xylem_policy__script xylem_policy__awk(struct xylem_view program, const char **why);

#endif
