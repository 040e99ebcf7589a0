/*
 * Judges programs with hatches. A program with a hatch reads, but an option, an operand, or a program in an argument
 * makes the program write a file or run another program. One table; judge/policy/tables.c shows the table.
 *
 *     sort -o f x       an option writes
 *     uniq a b          the second operand is written
 *     sed 'w f' x       the sed program writes
 *     man -P sh x       an option runs
 */
#ifndef XYLEM_POLICY_RULES_HATCHES_H
#define XYLEM_POLICY_RULES_HATCHES_H

#include "judge/policy/engine/judge.h"
#include "judge/policy/words/tables.h"

/* How a program reads its words, if the program differs from getopt_long(). */
enum xylem_policy__reading {
    XYLEM_POLICY__READS_OPTIONS = 0,
    XYLEM_POLICY__READS_UP_TO_OPERAND, /* no option follows the first operand */
    XYLEM_POLICY__READS_FIRST_LETTER,  /* the same; a word is one option, by its first letter (xxd) */
    XYLEM_POLICY__READS_WRAPPED,       /* the same; the first operand begins a command, which is judged by itself */
    XYLEM_POLICY__READS_NO_DASHES,     /* `--` is nothing special */
    XYLEM_POLICY__READS_VALUES_APART,  /* the value of a letter is always the next word (tree) */
    XYLEM_POLICY__READS_NUMBERS,       /* options may follow behind the digits of a value (less) */
    XYLEM_POLICY__READS_DASHED_VALUES, /* the program may read a value that begins with `-` as an option */
};

/* The meaning of the operands, and of programs in the words. */
enum xylem_policy__hatch_type {
    XYLEM_POLICY__HATCH_OPTIONS = 0, /* only the options matter */
    XYLEM_POLICY__HATCH_OUTPUT,      /* the second operand is written */
    XYLEM_POLICY__HATCH_SETS,        /* any operand is a value to set */
    XYLEM_POLICY__HATCH_HOSTS,       /* an operand with @ names a host to look up in the network */
    XYLEM_POLICY__HATCH_DATE,        /* any operand but +FORMAT sets the clock */
    XYLEM_POLICY__HATCH_PAGER,       /* the pager runs +COMMAND */
    XYLEM_POLICY__HATCH_PAGES,       /* an operand with a slash is a file, and a page in a file can run programs */
    XYLEM_POLICY__HATCH_FIND,        /* an expression */
    XYLEM_POLICY__HATCH_FD,          /* behind -x and -X, a command, which is judged by itself */
    XYLEM_POLICY__HATCH_SED,         /* a sed program */
    XYLEM_POLICY__HATCH_AWK,         /* an awk program */
};

#define XYLEM_POLICY__HATCH_KNOWN_MAX 7 /* one row more than any program has: NULL names end the rows */

/* The rule of a known option is `wrapper` if the value is code: confirm judges the code. */
struct xylem_policy__hatch {
    const char *names;
    const char *harmless; /* options, in the form of words/options.h */
    enum xylem_policy__reading reading;
    enum xylem_policy__hatch_type type;
    struct xylem_policy__table_row known[XYLEM_POLICY__HATCH_KNOWN_MAX]; /* options that write or run */
};

/* The last row has NULL names. The table lacks git: see git/git.h. */
extern const struct xylem_policy__hatch xylem_policy__hatch_table[];

/* The row of a program; the last row, without names, for a program without hatches. */
const struct xylem_policy__hatch *xylem_policy__hatch_of(struct xylem_view name);

/*
 * True if the command uses no hatch, and for programs without hatches. `strict` refuses all options but the harmless
 * ones, and all words that bash may expand to options. `readonly` refuses the options that are known to write or to
 * run.
 */
bool xylem_policy__hatches(struct xylem_policy__judge *judge, const struct xylem_policy__command *command);

#endif
