/*
 * The policies' tables. They are text, so that they read as documentation, and docs/policy.md is made from them.
 *
 * Names in a text are parted by spaces; one that ends in `*` stands for all that begin so.
 */
#ifndef XYLEM_POLICY_WORDS_TABLES_H
#define XYLEM_POLICY_WORDS_TABLES_H

#include <stdbool.h>
#include <stddef.h>

struct xylem_policy__table_row {
    const char *names;
    const char *rule;
    const char *what; /* what they do, in words that go on after a name: "rm removes files" */
};

/* The rows end with one whose `names` is NULL. */

/* GNU's programs, which some systems have under these names with a `g` before them. */
extern const char xylem_policy__gnu_programs[];

/* readonly: programs that are refused, however they are called. */
extern const struct xylem_policy__table_row xylem_policy__readonly_programs[];

/* readonly: redirections that are no write. */
extern const struct xylem_policy__table_row xylem_policy__harmless_targets[];

/* readonly: variables that are refused, unless their value is /dev/null: git's configuration is what `git -c` sets. */
extern const struct xylem_policy__table_row xylem_policy__refused_variables[];

/* readonly and confirm: variables whose value is a command that other programs run, so that it is judged. */
extern const struct xylem_policy__table_row xylem_policy__command_variables[];

/* readonly: what may write below the configured directory, and the options that it may have. */
struct xylem_policy__writer_row {
    const char *names;
    const char *options; /* as policy/words/options.h reads them; with any other it is refused as elsewhere */
    const char *what;
};

extern const struct xylem_policy__writer_row xylem_policy__temp_writers[];

/* confirm: what is asked about; `rule` is its label. */
extern const struct xylem_policy__table_row xylem_policy__confirm_patterns[];

/* confirm: names under /dev that may be written to. */
extern const struct xylem_policy__table_row xylem_policy__confirm_devices[];

/*
 * readonly: programs that are refused by verb. A verb is the first operand; "cache/clean" is two of them, one behind
 * the other, and `*` in the place of one stands for any.
 */
struct xylem_policy__verb_row {
    const char *names;
    const char *rule;
    const char *options;  /* those before and between verbs, as policy/words/options.h reads them */
    const char *refused;  /* verbs */
    const char *rewrites; /* verbs that change files in their place, which is another rule; options behind `--` count */
    const char *runs; /* verbs behind which a command stands, which is judged; "." as the only one: no verb is needed */
    const char *code; /* options whose value is shell code, which is judged */
    const char *modules; /* an option whose value is the name of another row here, with its words behind it */
    const char *alone;   /* NULL: without a verb it does nothing. Else it does, but with one of these options */
    const char *unless;  /* options with which a refused verb only says what it would do */
    const char *with;    /* options with which any verb is refused */
    bool packages;       /* a command is a package's: `rimraf@5` is `rimraf` */
    bool own_commands;   /* an operand that is no verb is a package's program, or a script's name */
    bool common_word;    /* its name in a text that is not understood says nothing */
    const char *what;
};

extern const struct xylem_policy__verb_row xylem_policy__readonly_verbs[];

/* readonly: modules of python that are refused, besides those that are programs of the rows above. One row. */
extern const struct xylem_policy__table_row xylem_policy__readonly_modules;

/* What a program that is judged by its options does without any of them. */
enum xylem_policy__else {
    XYLEM_POLICY__ELSE_PASSES = 0,
    XYLEM_POLICY__ELSE_REFUSED,
    XYLEM_POLICY__ELSE_REFUSED_UNLISTED,      /* and with options that are not listed, whatever else is there */
    XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED, /* and with options that are not listed; nothing of `reads` is there */
};

/* readonly: programs that are refused by option. */
struct xylem_policy__flag_row {
    const char *names;
    const char *rule;
    const char *options; /* as policy/words/options.h reads them: how the words are told apart */
    const char *refused; /* refused whatever else is there */
    const char *reads;   /* passes, if nothing of `refused` is there */
    const char *writes;  /* refused, if nothing of `reads` is there */
    enum xylem_policy__else otherwise;
    bool first_operand_ends; /* what follows the first operand is not for the program itself */
    bool keys;               /* the first word may be options without their dash: `tar xf` */
    bool common_word;        /* its name in a text that is not understood says nothing */
    const char *what;
};

extern const struct xylem_policy__flag_row xylem_policy__readonly_flags[];

#endif
