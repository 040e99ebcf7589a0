/* Reading programs that stand in a word: what sed and awk have in common. */
#ifndef XYLEM_POLICY_WORDS_SCRIPT_H
#define XYLEM_POLICY_WORDS_SCRIPT_H

#include <stdbool.h>

#include "xylem.h"

/* What reading a program gave, the worst last. */
enum xylem_policy__script {
    XYLEM_POLICY__SCRIPT_HARMLESS = 0, /* it reads and prints, and nothing else */
    XYLEM_POLICY__SCRIPT_TELLS,     /* besides it writes to /dev/stderr or /dev/stdout, which some open by that name */
    XYLEM_POLICY__SCRIPT_MALFORMED, /* the program that reads it says so, and runs none of it */
    XYLEM_POLICY__SCRIPT_NOT_UNDERSTOOD, /* it holds something that is not known for certain */
    XYLEM_POLICY__SCRIPT_HARMFUL,        /* it writes files, or runs programs */
};

/*
 * Moves `at` from the first character of a regular expression to the delimiter that ends it. With `brackets`, a
 * delimiter in a bracket expression does not (gawk, mawk, sed 4.9); without, every one that is not escaped does
 * (busybox's awk, older sed). `differs` is set where the two are not the same.
 */
enum xylem_policy__script xylem_policy__script_regex(struct xylem_view text, size_t *at, char delimiter, bool brackets,
                                                     bool *differs);

static inline bool xylem_policy__script_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool xylem_policy__script_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

#endif
