/*
 * The run of the program: what main() makes and every function is given. Types alone, and the floor of the command's
 * rooms.
 *
 * A function that can fail returns 0, or a negative code of the library with `cli->err` filled in; main() prints that
 * error and turns its code into an exit code. So a command returns such a code, or an exit code of its own.
 *
 * Begin with struct xylem_cli, the run, and struct xylem_cli__command, the row of a command.
 */
#ifndef XYLEM_CLI_TERM_RUN_H
#define XYLEM_CLI_TERM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "xylem.h"

enum xylem_cli__exit {
    XYLEM_CLI__OK = 0,
    XYLEM_CLI__PROBLEM = 1,   /* something was found: by verify, by an import */
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

/* An option. Its value goes to `offset` of the command's options struct. A table ends in a row without a name. */
struct xylem_cli__option {
    const char *name;     /* without the dashes */
    char letter;          /* 0: none */
    const char *argument; /* what help calls its value; NULL for a flag */
    enum xylem_cli__option_type type;
    size_t offset;
    const char *help;
    const char *const *choices; /* of a choice; ends in NULL */
};

/* The type of an argument, by which completion offers words. */
enum xylem_cli__argument {
    XYLEM_CLI__ANY = 0, /* nothing that could be listed */
    XYLEM_CLI__SESSION,
    XYLEM_CLI__DELETED,       /* a deleted session */
    XYLEM_CLI__ENTRY,         /* of the session that stands before it */
    XYLEM_CLI__SESSION_ENTRY, /* a session, or SESSION:ENTRY */
    XYLEM_CLI__KIND,
    XYLEM_CLI__FILE,
    XYLEM_CLI__DIRECTORY,
    XYLEM_CLI__COMMAND,
    XYLEM_CLI__WORD /* one of the command's `words` */
};

/* The titles under which help lists the commands, in this order. */
enum xylem_cli__group {
    XYLEM_CLI__IN_AND_OUT,
    XYLEM_CLI__LOOK,
    XYLEM_CLI__CHANGE,
    XYLEM_CLI__CARE,
    XYLEM_CLI__JUDGE,
    XYLEM_CLI__ABOUT
};

#define XYLEM_CLI__ARGUMENTS_NAMED 3

struct xylem_cli__command {
    const char *name;
    enum xylem_cli__group group;
    const char *summary; /* for the list of commands */
    const char *usage;   /* what follows the name */
    const char *details; /* for --help, lines that end in a newline; NULL: none */
    const struct xylem_cli__option *options;
    size_t options_bytes; /* of the options struct, which starts zeroed */
    size_t arguments_min;
    size_t arguments_max;
    enum xylem_cli__argument arguments[XYLEM_CLI__ARGUMENTS_NAMED]; /* the last that is named stands for the rest */
    const char *const *(*words)(void); /* gives what an argument of the type WORD can be; ends in NULL */
    bool quiet;                        /* warns of nothing: a person is typing, and a shell reads */
    bool repairs;                      /* meets damage as a rule: where all is lost, a backup comes next */
    bool answers_host;                 /* is a hook: the host reads its exit code as an answer */
    int (*run)(struct xylem_cli *cli, char **arguments, size_t argument_count, const void *options);
};

/* --- The run ------------------------------------------------------------------------------------------------------ */

enum xylem_cli__color {
    XYLEM_CLI__COLOR_DEFAULT = 0,
    XYLEM_CLI__COLOR_AUTO,
    XYLEM_CLI__COLOR_ALWAYS,
    XYLEM_CLI__COLOR_NEVER
};

/* The locale's answer, once it was asked. */
struct xylem_cli__locale {
    bool asked;
    bool utf8;
};

struct xylem_cli {
    struct xylem_cli__locale *locale;                 /* for xylem_cli__utf8() */
    const struct xylem_cli__command *const *commands; /* in the order of help; ends in NULL */
    const struct xylem_cli__command *command;         /* NULL while it is not known */
    const char *store_option;
    int color_option; /* enum xylem_cli__color */
    bool no_pager;
    bool no_lock;
    struct xylem_cli__count wait; /* seconds for another writer */
    bool holder_named;            /* the present wait named who holds the store */
    bool help;
    bool version;
    bool out_terminal; /* standard output is a terminal */
    bool colored;
    size_t width; /* cells of a line; 0: any number */
    int64_t now_ms;
    pid_t pager; /* 0: none */
    char *store_path;
    struct xylem_store *store;
    /* Closes a store without a transaction while the output waits for its reader; NULL: the store stays open. */
    void (*close_idle)(struct xylem_cli *cli);
    bool warned; /* of who else can read the store: once is enough */
    struct xylem_txn *txn;
    struct xylem_error err;
    int output_errno; /* of the first failed write to standard output */
};

#endif
