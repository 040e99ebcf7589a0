/*
 * Declares the form of the tables of the policies. The tables are text and read as documentation: judge/policy/tables.c
 * shows the tables to a person.
 *
 * Spaces stand between the names in a text. `NAME*` stands for every name with the beginning NAME. The last row of a
 * table has NULL names.
 */
#ifndef XYLEM_POLICY_WORDS_TABLES_H
#define XYLEM_POLICY_WORDS_TABLES_H

#include <stdbool.h>
#include <stddef.h>

struct xylem_policy__table_row {
    const char *names;
    const char *rule;
    const char *what; /* the effect, in words that continue a name: "rm" "removes files" */
};

/* The effect of a row with more members about the programs. */
struct xylem_policy__effect {
    const char *rule;
    const char *what; /* as above */
};

/* GNU's programs: some systems name them with a `g` in front (gsed). */
extern const char xylem_policy__gnu_programs[];

/* rules_tables.txt and words_tables.txt explain these lists. */
extern const char xylem_policy__interpreters[];
extern const char xylem_policy__git_unruled[];
extern const char xylem_policy__set_names[];
extern const char xylem_policy__request_options[];
extern const char xylem_policy__awk_builtins[];
extern const char xylem_policy__find_executes[];

/* The rules of verdicts: the name, the policies that have it (`rule`), and what it says. */
extern const struct xylem_policy__table_row xylem_policy__rule_names[];

/* readonly refuses these programs with any words. */
extern const struct xylem_policy__table_row xylem_policy__readonly_programs[];

/* readonly: files that redirections may write. */
extern const struct xylem_policy__table_row xylem_policy__harmless_targets[];

/* readonly: variables that set git's configuration, like `git -c`. Refused, except with the value /dev/null. */
extern const struct xylem_policy__table_row xylem_policy__refused_variables[];

/* readonly refuses these variables if the value holds one of the texts: another program may run then. */
struct xylem_policy__value_row {
    const char *names;
    const char *holds; /* texts with spaces between */
    const char *what;
};

extern const struct xylem_policy__value_row xylem_policy__refused_values[];

/* readonly and confirm: variables with a command as value. Other programs run the command; the judge judges it. */
extern const struct xylem_policy__table_row xylem_policy__command_variables[];

/* readonly: programs that may write below `temp_writes`, with these options. */
struct xylem_policy__writer_row {
    const char *names;
    const char *options; /* in the form of options.h; any other option refuses the program */
    const char *what;
};

extern const struct xylem_policy__writer_row xylem_policy__temp_writers[];

/* confirm asks about these programs; `rule` is the label. */
extern const struct xylem_policy__table_row xylem_policy__confirm_patterns[];

/* confirm: names under /dev that a command may write to. */
extern const struct xylem_policy__table_row xylem_policy__confirm_devices[];

/* confirm: options with shell code as value. The code is judged if the code is literal. */
struct xylem_policy__code_row {
    const char *names;
    const char *verbs;    /* of git: the subcommands; NULL: the options stand behind the name of the program */
    const char *code;     /* options with code, in the form of options.h */
    const char *settings; /* options with a value NAME=CODE */
    const char *options;  /* tell options, values and operands apart */
    const char *what;
};

extern const struct xylem_policy__code_row xylem_policy__confirm_code[];

/* What readonly says of a program that is judged by its options, if no listed option decides. */
enum xylem_policy__else {
    XYLEM_POLICY__ELSE_PASSES = 0,
    XYLEM_POLICY__ELSE_REFUSED,
    XYLEM_POLICY__ELSE_REFUSED_UNLISTED,      /* refused; also refused with an unlisted option beside a listed one */
    XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED, /* refused with operands or unlisted options; `reads_with` passes */
};

/* Verbs that only read, and the options that are harmless behind these verbs (NULL: none). */
struct xylem_policy__reading_verbs {
    const char *verbs; /* "." a program without verbs, "-" without operands; NULL ends the list */
    const char *options;
};

/*
 * A record of judge/policy/rules/verbs.txt, which explains the members. A verb is the first operand. "cache/clean" means
 * two verbs, one behind the other; `*` stands for any verb:
 *
 *     npm --silent install x     readonly refuses: the verb install, behind an option
 *     npm cache clean            readonly refuses: the entry cache/clean
 *     npm view x                 strict allows: the verb view reads
 *     npm exec rm x              the words behind exec are judged as a command
 *     npm run build              readonly passes: not among the verbs
 *     npm -v                     readonly passes: no verb
 *
 * All lists of options have the form of options.h.
 */
struct xylem_policy__verb_row {
    const char *names;
    const char *source;
    const char *options; /* all that are known before and between verbs */
    const char *harmless;
    const struct xylem_policy__reading_verbs *reads;
    const char *writes;
    const char *destroys;
    const char *sends;
    const char *rewrites; /* rule file-mutation */
    const char *runs;
    const char *requests;
    const char *unless;
    const char *code;
    const char *modules;
    const char *alone; /* NULL: harmless without a verb */
    const char *runs_with;
    const char *sends_with;
    const char *destroys_with;
    const char *refuses_with;
    const char *reads_with;
    const char *writes_with;
    const char *operands;
    const char *needs;
    const char *values;
    const char *shows;
    enum xylem_policy__else otherwise;
    bool by_option; /* the program has no verbs */
    bool only_reads;
    bool packages;
    bool own_commands;
    bool common_word;
    bool keys;
    bool first_operand_ends;
    bool literal;
    bool plain;
    bool shows_nothing;
    bool assigns;
    struct xylem_policy__effect does;
};

extern const struct xylem_policy__verb_row xylem_policy__verb_table[];

/* readonly: writing words, where a program of no table takes a verb; and programs without verbs. */
extern const char xylem_policy__writing_words[];
extern const char xylem_policy__without_verbs[];

/* readonly refuses these modules of python, besides the programs of the table. */
extern const struct xylem_policy__table_row xylem_policy__readonly_modules[];

#endif
