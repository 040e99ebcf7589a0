/* Reads lines from standard input for a program that must see signals between two lines. */
#ifndef XYLEM_CLI_SEQUENCE_LINES_H
#define XYLEM_CLI_SEQUENCE_LINES_H

#include <signal.h>

#include "cli/cli.h"

enum xylem_cli__line { XYLEM_CLI__LINE, XYLEM_CLI__LINE_TOO_LONG, XYLEM_CLI__LINES_END, XYLEM_CLI__LINES_SIGNAL };

/* Start zeroed. */
struct xylem_cli__lines_in {
    struct xylem_cli__text bytes; /* read, but not given yet, and the given line before */
    size_t given;                 /* bytes of the given line, with its newline */
    size_t looked_at;             /* bytes without a newline */
    bool skipping;                /* the rest of a line that is too long */
    bool ended;
    int signal_fd;
    sigset_t before;
    int signal_number; /* after SIGNAL */
};

/*
 * From now on SIGINT, SIGTERM and SIGHUP arrive as XYLEM_CLI__LINES_SIGNAL, until the end. Other work is not disturbed
 * by a signal.
 */
int xylem_cli__lines_start(struct xylem_cli *cli, struct xylem_cli__lines_in *lines);
/* Gives an enum xylem_cli__line, or an error. The line, without its newline, lives until the next call. */
int xylem_cli__lines_next(struct xylem_cli *cli, struct xylem_cli__lines_in *lines, struct xylem_view *line,
                          size_t bytes_max);
/*
 * Signals act as before while `open`: a write to a host that does not read can be ended. A signal that arrived during
 * the work waits for the end of the write, which then gets two seconds.
 */
void xylem_cli__lines_signals(struct xylem_cli__lines_in *lines, bool open);
void xylem_cli__lines_end(struct xylem_cli__lines_in *lines);

#endif
