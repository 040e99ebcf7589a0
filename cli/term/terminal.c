/* Detects the terminal on standard output, its width and colour, and starts the pager. */
#include "cli/term/term.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void xylem_cli__terminal_look(struct xylem_cli *cli)
{
    const char *columns = getenv("COLUMNS");
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    uint64_t number = 0;
    struct winsize size;
    cli->out_terminal = isatty(STDOUT_FILENO) == 1;
    cli->width = 0;
    if (columns && xylem_cli__number(&number, columns) && number >= 20 && number <= 10000) {
        cli->width = (size_t)number;
    } else if (cli->out_terminal) {
        cli->width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 ? size.ws_col : 80;
    }
    if (cli->color_option == XYLEM_CLI__COLOR_ALWAYS || cli->color_option == XYLEM_CLI__COLOR_NEVER) {
        cli->colored = cli->color_option == XYLEM_CLI__COLOR_ALWAYS;
    } else {
        bool refused = no_color && *no_color != '\0';
        cli->colored = cli->out_terminal && !refused && (!term || strcmp(term, "dumb") != 0);
    }
}

static const char *pager_command(void)
{
    const char *pager = getenv("XYLEM_PAGER");
    pager = pager ? pager : getenv("PAGER");
    return pager ? pager : "less -FRX";
}

/* Spawns instead of forking, because a store does not survive fork(2). */
static pid_t spawn_reader(const char *command, int read_end, int write_end)
{
    char shell[] = "sh";
    char option[] = "-c";
    char *line = strdup(command);
    char *words[] = {shell, option, line, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    if (!line || posix_spawn_file_actions_init(&actions) != 0) {
        free(line);
        return 0;
    }
    if (posix_spawn_file_actions_adddup2(&actions, read_end, STDIN_FILENO) != 0 ||
        posix_spawn_file_actions_addclose(&actions, write_end) != 0 ||
        posix_spawn(&pid, "/bin/sh", &actions, NULL, words, environ) != 0) {
        pid = 0;
    }
    posix_spawn_file_actions_destroy(&actions);
    free(line);
    return pid;
}

void xylem_cli__clear_line(void)
{
    fputs("\r\033[K", stderr);
}

void xylem_cli__pager_start(struct xylem_cli *cli)
{
    const char *command = pager_command();
    const char *term = getenv("TERM");
    bool dumb = term && strcmp(term, "dumb") == 0;
    int ends[2];
    assert(cli->pager == 0);
    if (!cli->out_terminal || dumb || cli->no_pager || *command == '\0' || strcmp(command, "cat") == 0) {
        return;
    }
    setenv("LESS", "FRX", 0);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    cli->pager = spawn_reader(command, ends[0], ends[1]);
    if (cli->pager != 0) {
        fflush(stdout);
        dup2(ends[1], STDOUT_FILENO);
        /* an interrupt at the terminal is meant for the pager, which must not outlive this program */
        signal(SIGINT, SIG_IGN);
        signal(SIGPIPE, SIG_IGN); /* leaving the pager is no error */
    }
    close(ends[0]);
    close(ends[1]);
}

int xylem_cli__pager_end(struct xylem_cli *cli)
{
    int status = 0;
    if (cli->pager == 0) {
        return 0;
    }
    fclose(stdout);
    while (waitpid(cli->pager, &status, 0) < 0 && errno == EINTR) {
    }
    cli->pager = 0;
    /* sh exits with 126 or 127 if a command cannot run */
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127)) {
        return xylem_cli__fail(cli, XYLEM_E_IO, "the pager '%s' cannot be run, and nothing was shown (see --no-pager)",
                               pager_command());
    }
    return 0;
}
