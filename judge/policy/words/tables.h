/*
 * Declares the form of the tables of the policies. The tables are text, so that the tables read as documentation:
 * judge/policy/tables.c shows them to a person.
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

/* The effect of a row that says more about its programs. */
struct xylem_policy__effect {
    const char *rule;
    const char *what; /* as above */
};

/* GNU's programs: some systems name them with a `g` in front (gsed). */
extern const char xylem_policy__gnu_programs[];

/* readonly: programs that are refused with any words. */
extern const struct xylem_policy__table_row xylem_policy__readonly_programs[];

/* readonly: files that redirections may write. */
extern const struct xylem_policy__table_row xylem_policy__harmless_targets[];

/* readonly: variables that set git's configuration, like `git -c`. Refused, except with the value /dev/null. */
extern const struct xylem_policy__table_row xylem_policy__refused_variables[];

/* readonly and confirm: variables with a command as value. Other programs run the command; the judge judges it. */
extern const struct xylem_policy__table_row xylem_policy__command_variables[];

/* readonly: programs that may write below `temp_writes`, and the options with which they may. */
struct xylem_policy__writer_row {
    const char *names;
    const char *options; /* in the form of options.h; any other option refuses the program */
    const char *what;
};

extern const struct xylem_policy__writer_row xylem_policy__temp_writers[];

/* confirm: programs that confirm asks about; `rule` is the label. */
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

/*
 * readonly: programs that are refused by verb. A verb is the first operand. "cache/clean" means two verbs, one behind
 * the other; `*` stands for any verb:
 *
 *     npm --silent install x     refused: the verb install, behind an option
 *     npm cache clean            refused: the entry cache/clean
 *     npm exec rm x              the words behind exec are judged as a command
 *     npm run build              passes: not among the verbs
 *     npm -v                     passes: no verb
 */
struct xylem_policy__verb_row {
    const char *names;
    const char *options;  /* before and between verbs, in the form of options.h */
    const char *refused;  /* verbs, or NULL */
    const char *reads;    /* NULL: all other verbs pass. Else only these pass, and any verb with --help behind */
    const char *requests; /* besides, verbs that send a request, if the request is a GET or a query of GraphQL */
    const char *rewrites; /* verbs that change files in place: rule file-mutation; options behind `--` count too */
    const char *runs;     /* verbs with a command behind, which is judged; ".": the command needs no verb */
    const char *code;     /* options with shell code as value, which is judged */
    const char *modules;  /* an option that names another row of this table; the words behind belong to that row */
    const char *alone;    /* NULL: harmless without a verb. Else refused without a verb, except with these options */
    const char *unless;   /* options with which a refused verb changes nothing: --dry-run */
    const char *with;     /* options with which any verb is refused */
    bool packages;        /* a command may have a version: `rimraf@5` is `rimraf` */
    bool own_commands;    /* an operand that is no verb is the program of a package, or the name of a script */
    bool common_word;     /* the name is a common word: texts that are not understood are not searched for the name */
    struct xylem_policy__effect does;
};

extern const struct xylem_policy__verb_row xylem_policy__readonly_verbs[];

/* readonly: modules of python that are refused, besides the programs of the rows above. One row. */
extern const struct xylem_policy__table_row xylem_policy__readonly_modules;

/* The verdict on a program that is judged by its options, if no listed option decides. */
enum xylem_policy__else {
    XYLEM_POLICY__ELSE_PASSES = 0,
    XYLEM_POLICY__ELSE_REFUSED,
    XYLEM_POLICY__ELSE_REFUSED_UNLISTED,      /* refused; also refused with an unlisted option beside a listed one */
    XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED, /* refused with operands or unlisted options; `reads` passes */
};

/* readonly: programs that are refused by option. All lists of options have the form of options.h. */
struct xylem_policy__flag_row {
    const char *names;
    const char *options; /* decide nothing, and tell values and operands apart */
    const char *refused; /* refused with any of these */
    const char *reads;   /* else: passes with any of these */
    const char *writes;  /* else: refused with any of these */
    enum xylem_policy__else otherwise;
    bool first_operand_ends; /* the words behind the first operand are not for the program itself */
    bool keys;               /* the first word may be options without a dash: `tar xf` */
    bool common_word;        /* as above */
    struct xylem_policy__effect does;
};

extern const struct xylem_policy__flag_row xylem_policy__readonly_flags[];

#endif
