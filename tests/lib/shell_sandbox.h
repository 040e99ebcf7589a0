/*
 * Runs shell commands where they can do no harm, and says what they did: which programs they started, and which files
 * they wrote. Needs bubblewrap, and a kernel that lets a user have namespaces.
 *
 * In it every program is a stand-in that records that it ran; those that a judge may call harmless are then run for
 * real. A command finds a folder with a few files (some have the names of options) and a repository, and variables
 * whose values are options, commands and code. tests/sandbox/inside.c is what runs inside.
 */
#ifndef XYLEM_TESTS_LIB_SHELL_SANDBOX_H
#define XYLEM_TESTS_LIB_SHELL_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

struct shell_sandbox;

enum shell_event_type {
    SHELL_RAN = 'D',       /* bash started `what` (as it was found: /usr/bin/rm, ./x), or looked for it in vain */
    SHELL_RAN_BELOW = 'N', /* another program started it, or became it: env, xargs, find -exec */
    SHELL_WROTE = 'W',     /* the file `what` is new, gone or changed: `how` */
    SHELL_HATCH = 'H',     /* a program was told to write or run something that it cannot here: date -s */
    SHELL_TOO_LONG = 'T',  /* it was ended */
    SHELL_TOO_MUCH = 'L',  /* more programs ran than are recorded */
};

struct shell_event {
    enum shell_event_type type;
    const char *what;
    const char *how; /* of programs: the arguments, each with a \x1f behind it */
};

#define SHELL_EVENTS_MAX 1024

/* What a command did; borrowed from the sandbox until the next call. */
struct shell_report {
    size_t event_count;
    struct shell_event events[SHELL_EVENTS_MAX];
    bool died; /* the command ended the sandbox itself; a new one is there for the next command */
};

/* NULL if there can be none, with the reason in `why`. Never runs anything outside of a sandbox. */
struct shell_sandbox *shell_sandbox_open(char *why, size_t why_bytes);
/* Before a command: zsh runs the command. Programs that zsh looks for in vain are no events. */
#define SHELL_SANDBOX_ZSH "#!zsh\n"

/* The command is without NUL. False if the sandbox is gone and no new one can be had. */
bool shell_sandbox_run(const struct shell_report **report, struct shell_sandbox *sandbox, const char *command,
                       size_t bytes);
void shell_sandbox_close(struct shell_sandbox *sandbox);

/* A line for each event, on stderr. */
void shell_report_print(const struct shell_report *report);

/* What stands behind the last slash. */
const char *shell_base_name(const char *path);

#endif
