/* Reads the parts that sed and awk programs have in common. */
#ifndef XYLEM_POLICY_WORDS_SCRIPT_H
#define XYLEM_POLICY_WORDS_SCRIPT_H

#include <stdbool.h>

#include "judge/shell/syntax.h"

/* The result of reading a program, the worst last. */
enum xylem_policy__script {
    XYLEM_POLICY__SCRIPT_HARMLESS = 0,     /* the program only reads and prints */
    XYLEM_POLICY__SCRIPT_PRINTS_TO_STREAM, /* also prints to /dev/stderr or /dev/stdout; some awks open these by name */
    XYLEM_POLICY__SCRIPT_MALFORMED,        /* sed or awk reports a syntax error and runs nothing */
    XYLEM_POLICY__SCRIPT_NOT_UNDERSTOOD,   /* the meaning of a part is not certain */
    XYLEM_POLICY__SCRIPT_HARMFUL,          /* the program writes files, or runs programs */
};

/*
 * Moves `at` from the first character of a regular expression to the closing delimiter. With `brackets`, a delimiter in
 * a bracket expression does not close (gawk, mawk, sed 4.9): `/[/]/`. Without `brackets`, every delimiter closes that
 * is not escaped (busybox's awk, older sed). Sets `differs` if the two readings differ.
 */
enum xylem_policy__script xylem_policy__script_regex(struct xylem_view text, size_t *at, char delimiter, bool brackets,
                                                     bool *differs);

#endif
