/*
 * Declares tables about git: the commands and options that read only, and the keys of the configuration that are data.
 */
#ifndef XYLEM_POLICY_GIT_TABLES_H
#define XYLEM_POLICY_GIT_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A form of a command, `git SUBCOMMAND [VERB] ...`, and the conditions under which the form is harmless. All lists are
 * text, with spaces between the names. Lists of options have the form of words/options.h.
 *
 *     git branch --list 'v*'    subcommand "branch", freed by --list: operands are patterns
 *     git branch x              the same form, not freed: the operand x makes a branch, so the form is refused
 *     git stash show -p         subcommand "stash", verb "show"
 *     git add -n .              subcommand "add", needs -n: without -n the form is refused
 */
struct xylem_policy__git_form {
    const char *subcommand; /* one subcommand, or several that are alike */
    const char *verb;       /* NULL: no verbs; "": the form without a verb; else one verb or more */
    const char *options;    /* known to be harmless; "*": all options are */
    const char *frees; /* NULL: any operands are harmless; else more than `operands` are, behind one of these options */
    unsigned char operands;
    const char *needs;     /* NULL, or options: one of them must be given */
    const char *not_first; /* NULL, or verbs that write: the first operand must not be one */
    const char *sets;      /* NULL, or options that set the key in the first operand; "*": the form sets the key */
    bool asks_editor;      /* -a without a message starts an editor */
    bool operands_end;     /* no option follows the first operand */
    bool walks;            /* git reads the options twice: once for the command, once for revisions */
    bool allows_unknown;   /* unknown long options pass: under readonly, and for a subcommand of a configuration */
    bool connects;         /* git asks another machine: harmless for readonly alone */
    const char *what;
};

extern const struct xylem_policy__git_form xylem_policy__git_reading[];
extern const size_t xylem_policy__git_reading_count;

/* The reading subcommands that `strict` allows without a configuration. */
extern const char xylem_policy__git_strict_subcommands[];

/*
 * Plain subcommands: every form that `strict` allows reads, and no configuration can replace the subcommand by an
 * alias, since git looks for an alias only without a command of that name. No deprecated command is plain: since 2.52
 * git prefers an alias for whatchanged and pack-redundant. Plain subcommands merge no files, sign nothing and ask no
 * remote. The subcommands that `strict` allows are plain.
 */
extern const char xylem_policy__git_plain_subcommands[];

/* The local writes: for these subcommands the forms here replace the reading forms. */
extern const struct xylem_policy__git_form xylem_policy__git_local[];
extern const size_t xylem_policy__git_local_count;

/* Options of git itself, before the subcommand: the harmless options, and all known options, to find the subcommand. */
extern const char xylem_policy__git_options[];
extern const char xylem_policy__git_valued_options[];

/* Options with a value that git only compares, counts or shows. */
extern const char xylem_policy__git_texts[];

/* Options of any subcommand that write a file or run a program. Abbreviations count too. */
extern const char xylem_policy__git_hatches[];

/*
 * Options and subcommands that start another git, or open another repository, in a directory that the command does not
 * name: submodules outside the index, the parent of the repository, alternates, remotes.
 */
extern const char xylem_policy__git_elsewhere[];
extern const char xylem_policy__git_elsewhere_subcommands[];

/* Options with a format as value. A format can ask git to check signatures, and git runs gpg for the check. */
extern const char xylem_policy__git_formats[];

/* Subcommands that write. No option and no configuration makes them pass. */
extern const char xylem_policy__git_writing[];

/*
 * Keys of the configuration that are data. A `*` between dots stands for any part, or for several parts. Every other
 * key may name a program, or let git run a program that is named elsewhere, now or in a later version.
 */
extern const char xylem_policy__git_harmless_keys[];

#endif
