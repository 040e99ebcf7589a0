/*
 * Programs that read, unless an option, an operand or a program of their own has them write a file or run a program:
 * their hatches. One table, which the documentation shows.
 */
#ifndef XYLEM_POLICY_RULES_HATCHES_H
#define XYLEM_POLICY_RULES_HATCHES_H

#include "policy/engine/judge.h"
#include "policy/words/tables.h"

/* How a program reads its words, where that is not as getopt_long() does. */
enum xylem_policy__reading {
    XYLEM_POLICY__READS_OPTIONS = 0,
    XYLEM_POLICY__READS_UP_TO_OPERAND, /* what follows the first operand is no option */
    XYLEM_POLICY__READS_FIRST_LETTER,  /* the same, and a word is one option, whatever follows its first letter (xxd) */
    XYLEM_POLICY__READS_WRAPPED,       /* the same, and there a command begins, which is judged by itself */
    XYLEM_POLICY__READS_NO_DASHES,     /* `--` is nothing special */
    XYLEM_POLICY__READS_VALUES_APART,  /* a letter's value is the next word always (tree) */
    XYLEM_POLICY__READS_NUMBERS,       /* behind a value's digits, options go on (less) */
    XYLEM_POLICY__READS_DASHED_VALUES, /* a value that begins with `-` may be read as an option */
};

/* What it does with its operands, and with programs that stand in its words. */
enum xylem_policy__hatch_type {
    XYLEM_POLICY__HATCH_OPTIONS = 0, /* nothing: only its options matter */
    XYLEM_POLICY__HATCH_OUTPUT,      /* the second is written */
    XYLEM_POLICY__HATCH_SETS,        /* any is what it sets */
    XYLEM_POLICY__HATCH_HOSTS,       /* any with an @ names a host, which is looked up in the network */
    XYLEM_POLICY__HATCH_DATE,        /* any but +FORMAT sets the clock */
    XYLEM_POLICY__HATCH_PAGER,       /* +COMMAND is run by the pager */
    XYLEM_POLICY__HATCH_PAGES,       /* one with a slash is a page of its own, and what formats it stands in there */
    XYLEM_POLICY__HATCH_FIND,        /* an expression */
    XYLEM_POLICY__HATCH_SED,         /* a sed program */
    XYLEM_POLICY__HATCH_AWK,         /* an awk program */
};

struct xylem_policy__hatch {
    const char *names;
    const char *harmless;                        /* options, as policy/words/options.h writes them */
    const struct xylem_policy__table_row *known; /* those that write or run; ends with a row whose names are NULL */
    enum xylem_policy__reading reading;
    enum xylem_policy__hatch_type type;
};

/* Ends with a row whose names are NULL. git is not in it: policy/git/git.h. */
extern const struct xylem_policy__hatch xylem_policy__hatch_table[];

/*
 * Has the command no way to write a file or to run a program that is not judged? Under `strict`, all options but those
 * known to be harmless refuse, and all words that are not literal and may be options; under `readonly`, what is known
 * to write or to run. True for commands without hatches.
 */
bool xylem_policy__hatches(struct xylem_policy__judge *judge, const struct xylem_policy__command *command);

#endif
