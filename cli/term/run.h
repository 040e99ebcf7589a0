/*
 * struct xylem_cli: the context of one run, made by main() and passed to every function. This header has only types,
 * and every folder below cli/ includes it.
 *
 * A function that can fail returns 0, or a negative code of the library with `cli->err` filled in; main() prints that
 * error and turns the code into an exit code. So a command returns such a code, or an exit code of its own.
 *
 * Begin with struct xylem_cli, the run, and struct xylem_cli__command, the row of a command.
 */
#ifndef XYLEM_CLI_TERM_RUN_H
#define XYLEM_CLI_TERM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "xylem/base.h"

struct xylem_patterns;
struct xylem_store;
struct xylem_txn;
struct xylem_wake;

enum xylem_cli__exit {
    XYLEM_CLI__OK = 0,
    XYLEM_CLI__PROBLEM = 1,   /* verify or import found a problem, diff a difference */
    XYLEM_CLI__USAGE = 2,     /* the command line is wrong */
    XYLEM_CLI__NOT_FOUND = 3, /* no such store, session, entry or file */
    XYLEM_CLI__CONFLICT = 4,  /* taken, ambiguous, changed by somebody else, or in use */
    XYLEM_CLI__CORRUPT = 5,
    XYLEM_CLI__IO = 6, /* input, output, memory, or no space */
    XYLEM_CLI__NEWER = 7,
    XYLEM_CLI__ASK = 8, /* a policy wants a person to be asked */
    XYLEM_CLI__INTERRUPTED = 130
};

struct xylem_cli;

/* --- The row of a command ----------------------------------------------------------------------------------------- */

enum xylem_cli__option_type {
    XYLEM_CLI__FLAG,  /* a bool */
    XYLEM_CLI__TEXT,  /* a const char *, NULL if not given */
    XYLEM_CLI__LIST,  /* a struct xylem_cli__list: may be given more than once */
    XYLEM_CLI__COUNT, /* a struct xylem_cli__count */
    XYLEM_CLI__CHOICE /* an int: 0 if not given, else 1 for the first of `choices` */
};

struct xylem_cli__count {
    bool given;
    uint64_t number;
};

#define XYLEM_CLI__LIST_MAX 16u

struct xylem_cli__list {
    const char *texts[XYLEM_CLI__LIST_MAX];
    size_t count;
};

/* An option. The value goes to `offset` of the command's options struct. A table ends in a row without a name. */
struct xylem_cli__option {
    const char *name;     /* without the dashes */
    char letter;          /* 0: none */
    const char *argument; /* the value's name in help; NULL for a flag */
    enum xylem_cli__option_type type;
    size_t offset;
    const char *help;
    const char *const *choices; /* of a choice; ends in NULL */
};

/* The type of an argument, by which completion offers words. */
enum xylem_cli__argument {
    XYLEM_CLI__ANY = 0, /* nothing to list */
    XYLEM_CLI__SESSION,
    XYLEM_CLI__DELETED,       /* a deleted session */
    XYLEM_CLI__ENTRY,         /* of the session named before */
    XYLEM_CLI__SESSION_ENTRY, /* a session, or SESSION:ENTRY */
    XYLEM_CLI__KIND,
    XYLEM_CLI__FILE,
    XYLEM_CLI__DIRECTORY,
    XYLEM_CLI__COMMAND,
    XYLEM_CLI__RUN, /* a run of a sequence */
    XYLEM_CLI__WORD /* one of the command's `words` */
};

/* The titles under which help lists the commands, in this order. */
enum xylem_cli__group { XYLEM_CLI__FIND, XYLEM_CLI__LOOK, XYLEM_CLI__CHANGE, XYLEM_CLI__KEEP, XYLEM_CLI__PLUMBING };

#define XYLEM_CLI__ARGUMENTS_NAMED 3

/* A command, or a verb of a command. A command with verbs has no options, no arguments and no `run` of its own. */
struct xylem_cli__command {
    const char *name; /* of a verb: the command's name, a space, and the verb */
    enum xylem_cli__group group;
    bool often;          /* `xylem` alone shows the command */
    const char *summary; /* for the list of commands */
    const char *usage;   /* the words behind the name */
    const char *details; /* for --help, lines that end in a newline; NULL: none */
    const struct xylem_cli__option *options;
    size_t options_bytes; /* size of the options struct, which starts zeroed */
    size_t arguments_min;
    size_t arguments_max;
    enum xylem_cli__argument
        arguments[XYLEM_CLI__ARGUMENTS_NAMED];     /* the last named type stands for the remaining arguments */
    const char *surplus;                           /* what an argument too many may mean; NULL: not known */
    const struct xylem_cli__command *const *verbs; /* end in NULL; NULL: none */
    const char *const *(*words)(void);             /* gives the words for arguments of the type WORD; ends in NULL */
    bool quiet;        /* prints no warnings, because a shell reads the output while a person types */
    bool repairs;      /* expects damage: if all is lost, a backup is the next step */
    bool helps;        /* is the help: an error does not lead back to the help of the help */
    bool answers_host; /* is a hook: the host reads the exit code as an answer */
    int (*run)(struct xylem_cli *cli, char **arguments, const void *options); /* `arguments` ends in NULL */
};

/* --- The run ------------------------------------------------------------------------------------------------------ */

enum xylem_cli__color {
    XYLEM_CLI__COLOR_DEFAULT = 0,
    XYLEM_CLI__COLOR_AUTO,
    XYLEM_CLI__COLOR_ALWAYS,
    XYLEM_CLI__COLOR_NEVER
};

/* The locale's answer, cached. */
struct xylem_cli__locale {
    bool asked;
    bool utf8;
};

/* What the output leaves out: matches of patterns. */
struct xylem_cli__left_out {
    struct xylem_patterns *patterns;
    uint64_t count; /* texts of which something was left out */
};

struct xylem_cli {
    struct xylem_cli__locale *locale;                 /* for xylem_cli__utf8() */
    const struct xylem_cli__command *const *commands; /* in the order of help; ends in NULL */
    const struct xylem_cli__command *command;         /* NULL: not known yet */
    char *const *typed; /* the words of the command line, in their order; NULL: not known */
    const char *store_option;
    int color_option; /* enum xylem_cli__color */
    bool no_pager;
    bool no_lock;
    bool allow_network_fs;
    struct xylem_cli__count wait; /* seconds for another writer */
    bool holder_named;            /* the present wait already named the holder of the store */
    bool help;
    bool version;
    bool out_terminal; /* standard output is a terminal */
    bool colored;
    struct xylem_cli__text *captured;     /* takes what goes to standard output; NULL: nothing takes it */
    struct xylem_cli__left_out *left_out; /* NULL: everything is shown */
    size_t width;                         /* cells of a line; 0: no limit */
    int64_t now_ms;
    pid_t pager; /* 0: none */
    char *store_path;
    struct xylem_store *store;
    struct xylem_wake *wake; /* of the store, NULL: none; ends with the store */
    /* Closes a store without a transaction while the output waits for its reader; NULL: the store stays open. */
    void (*close_idle)(struct xylem_cli *cli);
    bool warned;       /* the warning of other users' access was printed */
    bool file_damaged; /* what is damaged is a file that the command reads, and not the store */
    struct xylem_txn *txn;
    struct xylem_error err;
    int output_errno; /* of the first failed write to standard output */
};

#endif
