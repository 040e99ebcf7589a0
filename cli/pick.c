/*
 * xylem sessions --pick: a person chooses a session of the list. The list goes to fzf, which shows all but the number:
 *
 *     0 TAB SESSION        AGE  DIRECTORY  NAME          LAST
 *     1 TAB 01a1f9f7-22cb   2h  ~/proj     scenario one  echo: after resume
 *     2 TAB beef0000-1111   3d  ~/other    docs          done
 *
 * Without fzf the first lines go to standard error, and the person types the number. The store is closed meanwhile: an
 * open transaction would make the file grow.
 */
#include "cli/sessions.h"

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

#define LINES_MAX 20u      /* of the numbered list */
#define FZF_CELLS 4u       /* that fzf takes of a line */
#define NUMBER_CELLS 4u    /* of the numbered list, with the space */
#define ANSWER_BYTES 65536 /* of fzf: one line */

enum { FZF_NO_MATCH = 1, FZF_LEFT = 130 };

static int fail_fzf(struct xylem_cli *cli, int problem)
{
    return xylem_cli__fail(cli, XYLEM_E_IO, "fzf cannot be run: %s", strerror(problem));
}

/* Writes the list into a file that is gone when the file is closed. NULL: the system has no room, see errno. */
static FILE *write_list(const struct xylem_cli__text *list)
{
    FILE *file = tmpfile();
    if (file && (fwrite(list->bytes.data, 1, list->bytes.bytes, file) != list->bytes.bytes || fflush(file) != 0 ||
                 lseek(fileno(file), 0, SEEK_SET) != 0)) {
        fclose(file);
        file = NULL;
    }
    return file;
}

/* Starts fzf: its list is `in`, its answer goes to `out`. ENOENT: there is none in PATH. */
static int spawn_fzf(pid_t *pid, int in, int out)
{
    char *words[] = {"fzf",
                     "--delimiter=\t",
                     "--with-nth=2..",
                     "--header-lines=1",
                     "--tiebreak=index",
                     "--layout=reverse",
                     "--prompt=session> ",
                     NULL};
    posix_spawn_file_actions_t actions;
    int problem = posix_spawn_file_actions_init(&actions);
    if (problem == 0) {
        problem = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        problem = problem ? problem : posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        problem = problem ? problem : posix_spawnp(pid, words[0], &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    return problem;
}

/* Reads the answer, and waits for fzf to end. Meanwhile an interrupt at the terminal is meant for fzf. */
static int read_answer(struct xylem_cli *cli, struct xylem_cli__text *answer, int *status, pid_t pid, int from)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigaction(SIGINT, &ignore, &before);
    int code = xylem_cli__read_all(cli, answer, from, ANSWER_BYTES, true, "the answer of fzf");
    while (waitpid(pid, status, 0) < 0 && errno == EINTR) {
    }
    sigaction(SIGINT, &before, NULL);
    return code;
}

/* 0 and the answer of fzf, if there is an fzf; PROBLEM if nothing was picked. */
static int ask_fzf(struct xylem_cli *cli, struct xylem_cli__text *answer, bool *there,
                   const struct xylem_cli__text *list)
{
    FILE *file = write_list(list);
    int ends[2];
    int status = 0;
    pid_t pid = 0;
    if (!file || pipe2(ends, O_CLOEXEC) != 0) {
        int problem = errno;
        if (file) {
            fclose(file);
        }
        return fail_fzf(cli, problem);
    }
    int problem = spawn_fzf(&pid, fileno(file), ends[1]);
    fclose(file);
    close(ends[1]);
    int code = problem == 0 ? read_answer(cli, answer, &status, pid, ends[0]) : 0;
    close(ends[0]);
    *there = problem != ENOENT && problem != EACCES && problem != ENOTDIR; /* as of directories in PATH */
    if (problem != 0 || code < 0) {
        return !*there ? 0 : problem != 0 ? fail_fzf(cli, problem) : code;
    }
    if (!WIFEXITED(status)) {
        return xylem_cli__fail(cli, XYLEM_E_IO, "fzf was ended by signal %d", WTERMSIG(status));
    }
    int ended = WEXITSTATUS(status);
    return ended == 0 ? 0
           : ended == FZF_NO_MATCH || ended == FZF_LEFT
               ? XYLEM_CLI__PROBLEM
               : xylem_cli__fail(cli, XYLEM_E_IO, "fzf ended with exit code %d", ended);
}

/* Prints the first lines of the list with their numbers. */
static void print_numbered(const struct xylem_cli__text *list, size_t count)
{
    const char *line = list->bytes.data;
    for (size_t number = 0; number <= count; number++) {
        const char *end = memchr(line, '\n', list->bytes.bytes - (size_t)(line - list->bytes.data));
        const char *shown = (const char *)memchr(line, '\t', (size_t)(end - line)) + 1;
        if (number == 0) {
            fprintf(stderr, "%*s", (int)NUMBER_CELLS, "");
        } else {
            fprintf(stderr, "%*zu ", (int)NUMBER_CELLS - 1, number);
        }
        fprintf(stderr, "%.*s\n", (int)(end - shown), shown);
        line = end + 1;
    }
}

/* 0 and a number that the person typed; PROBLEM for an empty line, or none. */
static int ask_number(struct xylem_cli *cli, struct xylem_cli__text *answer, const struct xylem_cli__text *list,
                      size_t count)
{
    size_t shown = count < LINES_MAX ? count : LINES_MAX;
    char line[64];
    uint64_t number = 0;
    print_numbered(list, shown);
    if (shown < count) {
        fprintf(stderr, "%zu more sessions: --name, --dir and --since choose\n", count - shown);
    }
    for (;;) {
        fprintf(stderr, "session (1 to %zu): ", shown);
        fflush(stderr);
        if (!fgets(line, sizeof line, stdin) || line[0] == '\n') {
            return XYLEM_CLI__PROBLEM;
        }
        size_t bytes = strcspn(line, "\n");
        for (int rest = line[bytes]; rest != '\n' && rest != EOF;) {
            rest = getchar(); /* of a long line */
        }
        line[bytes] = '\0';
        if (xylem_cli__number(&number, line) && number >= 1 && number <= shown) {
            break;
        }
    }
    xylem_cli__addf(answer, "%llu\t", (unsigned long long)number);
    return answer->failed ? xylem_cli__fail_memory(cli) : 0;
}

/* The cells of a line of the list: the terminal is there, also if somebody else reads standard output. */
static size_t list_cells(const struct xylem_cli *cli)
{
    struct winsize size;
    size_t cells = cli->width;
    if (cells == 0) {
        cells = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    }
    return cells > FZF_CELLS ? cells - FZF_CELLS : cells;
}

/* Makes the list, a number before each line, from the table. The ids end in NULs. */
static int make_list(struct xylem_cli *cli, struct xylem_cli__text *list, struct xylem_cli__text *ids,
                     struct xylem_cli__listing *listing)
{
    struct xylem_cli__text table = {0};
    size_t number = 0;
    size_t width = cli->width;
    bool colored = cli->colored;
    cli->width = list_cells(cli);
    cli->colored = false;
    cli->captured = &table;
    int code = xylem_cli__sessions_table(cli, listing);
    cli->captured = NULL;
    cli->colored = colored;
    cli->width = width;
    for (const char *line = table.bytes.data, *end; code == 0 && line && *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        xylem_cli__addf(list, "%zu\t", number++);
        xylem_cli__add_bytes(list, line, (size_t)(end + 1 - line));
    }
    for (size_t i = 0; i < listing->count; i++) {
        const struct xylem_view id = listing->list[i].id;
        xylem_cli__add_bytes(ids, id.data, id.bytes);
        xylem_cli__add_bytes(ids, "", 1);
    }
    xylem_cli__part_end(list, &table);
    return code == 0 && (list->failed || ids->failed) ? xylem_cli__fail_memory(cli) : code;
}

static int put_picked(struct xylem_cli *cli, const char *id)
{
    struct xylem_session session;
    struct xylem_buffer left = {0};
    struct xylem_view shown = xylem_cli__leave_out(cli, &left, xylem_view_of(id));
    int code = xylem_cli__put_stored(cli, shown.data, shown.bytes);
    xylem_buffer_release(&left);
    code = code == 0 ? xylem_cli__put_stored(cli, "\n", 1) : code;
    if (code == 0 && cli->out_terminal && (code = xylem_cli__open_reading(cli)) == 0 &&
        (code = xylem_cli__session_exact(cli, &session, xylem_view_of(id))) == 1) {
        code = xylem_cli__note_way_back(cli, &session);
    }
    return code < 0 ? code : 0;
}

int xylem_cli__pick(struct xylem_cli *cli, struct xylem_cli__listing *listing)
{
    struct xylem_cli__text list = {0};
    struct xylem_cli__text ids = {0};
    struct xylem_cli__text answer = {0};
    size_t count = listing->count;
    bool there = false;
    int code = make_list(cli, &list, &ids, listing);
    xylem_cli__close_store(cli);
    code = code == 0 ? ask_fzf(cli, &answer, &there, &list) : code;
    code = code == 0 && !there ? ask_number(cli, &answer, &list, count) : code;
    if (code == 0) {
        uint64_t number = 0;
        const char *tab = answer.bytes.data ? strchr(answer.bytes.data, '\t') : NULL;
        xylem_cli__text_cut(&answer, tab ? (size_t)(tab - answer.bytes.data) : answer.bytes.bytes);
        if (!answer.bytes.data || !xylem_cli__number(&number, answer.bytes.data)) {
            number = 0;
        }
        const char *id = ids.bytes.data;
        for (size_t i = 1; i < number && i < count; i++) {
            id += strlen(id) + 1;
        }
        code = number >= 1 && number <= count ? put_picked(cli, id)
                                              : xylem_cli__fail(cli, XYLEM_E_IO, "fzf answered no line of the list");
    }
    if (code == XYLEM_CLI__PROBLEM) {
        xylem_cli__note(cli, "nothing was picked");
    }
    xylem_cli__text_release(&list);
    xylem_cli__text_release(&ids);
    xylem_cli__text_release(&answer);
    return code;
}
