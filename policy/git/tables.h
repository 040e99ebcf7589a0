/*
 * What is known of git: which of its commands read only, by which options, and which keys of its configuration are
 * data.
 */
#ifndef XYLEM_POLICY_GIT_TABLES_H
#define XYLEM_POLICY_GIT_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A form of a command, `git SUBCOMMAND [VERB] ...`, and what makes it harmless. All lists are text, names parted by
 * spaces; those of options are read as policy/words/options.h says.
 */
struct xylem_policy__git_form {
    const char *subcommand; /* one or more that are alike */
    const char *verb;       /* NULL: it has none; "": what it does without one; else one or more */
    const char *options;    /* that are known to be harmless; "*": all are */
    const char *frees; /* NULL: any operands are harmless; else those within `operands`, more behind one of these */
    unsigned char operands;
    const char *needs;     /* NULL, or options of which one must stand there */
    const char *not_first; /* NULL, or words that the first operand must not be, as they would be verbs that write */
    const char *sets;      /* NULL, or options ("*": whatever they are) that set the key that is the first operand */
    bool asks_editor;      /* -a without a message starts an editor */
    bool operands_end;     /* what follows the first operand is no option */
    bool walks;            /* its options are read twice, once for the command and once for revisions */
    bool allows_unknown;   /* options that are not known may pass where everything but the destructive may */
    bool connects;         /* it asks another machine: harmless for readonly alone */
    const char *what;
};

extern const struct xylem_policy__git_form xylem_policy__git_reading[];
extern const size_t xylem_policy__git_reading_count;

/* Of what reads, what strict allows where no configuration says. */
extern const char xylem_policy__git_strict_subcommands[];

/*
 * Subcommands that are known to read, by all forms that strict allows, and that are no alias whatever the configuration
 * says: git looks for an alias only where it has no command of that name. (It does so for some that are to go away,
 * such as whatchanged.) None of them merges files, signs, or asks a remote. The subcommands that strict allows are
 * plain.
 */
extern const char xylem_policy__git_plain_subcommands[];

/* What the local writes add: the forms of these subcommands in place of those that read. */
extern const struct xylem_policy__git_form xylem_policy__git_local[];
extern const size_t xylem_policy__git_local_count;

/* git's own options, before the subcommand: harmless ones, and for finding the subcommand all that take a value. */
extern const char xylem_policy__git_options[];
extern const char xylem_policy__git_valued_options[];

/* Options whose value is compared, counted or shown, whatever it is. */
extern const char xylem_policy__git_texts[];

/* Options of any subcommand that write a file or run a program; so do their abbreviations. */
extern const char xylem_policy__git_hatches[];

/*
 * Options and subcommands that start another git, or open another repository, in a place that the command does not
 * name: submodules that the index does not have, the parent of the repository, alternates, remotes.
 */
extern const char xylem_policy__git_elsewhere[];
extern const char xylem_policy__git_elsewhere_subcommands[];

/* Options whose value is a format: it may ask for signatures to be checked, which runs gpg. */
extern const char xylem_policy__git_formats[];

/* Always write, whatever their flags, and whatever a configuration says. */
extern const char xylem_policy__git_writing[];

/*
 * Keys of the configuration that are data. A `*` between dots stands for any part, or for all parts. Every other key
 * may name a program, or let git run one that is named elsewhere, now or in a later version.
 */
extern const char xylem_policy__git_harmless_keys[];

#endif
