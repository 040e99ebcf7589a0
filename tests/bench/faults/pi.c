/*
 * The real pi: a process of pi.mjs does what this one asks. A writer that is to be killed has a process group of its own,
 * and so a pi of its own. FAULTS_PI names the command: Node and the path of pi.mjs.
 */
#include "tests/bench/faults/driver.h"

static FILE *asks;
static FILE *answers;
static pid_t group; /* whose pi it is */

static int start(void)
{
    int to[2];
    int from[2];
    if (answers && group == getpgrp()) {
        return 0;
    }
    if (!getenv("FAULTS_PI") || pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
        return -1;
    }
    if (fork() == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", "exec $FAULTS_PI", (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    asks = fdopen(to[1], "w");
    answers = fdopen(from[0], "r");
    group = getpgrp();
    return asks && answers ? 0 : -1;
}

/* Sends what `asks` holds, and gives the entries of the answer. */
static int ask(faults_sink *sink, void *context)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t bytes;
    int code = 0;
    fflush(asks);
    while ((bytes = getline(&line, &room, answers)) > 0 && strcmp(line, ".\n") != 0) {
        char *rest = line;
        char *session = strsep(&rest, "\t\n");
        char *id = strsep(&rest, "\t");
        char *parent = strsep(&rest, "\t");
        char *text = strsep(&rest, "\n");
        struct faults_read entry = {atoi(session), id, parent && parent[0] ? parent : NULL, text};
        code = session[0] == 'x' ? -1 : code;
        if (session[0] != 'x' && sink && text) {
            sink(context, &entry);
        }
    }
    free(line);
    return bytes > 0 ? code : -1;
}

static void *open_directory(int mode, const char *directory)
{
    (void)mode;
    if (start() < 0 || fprintf(asks, "open %s\n", directory) < 0 || ask(NULL, NULL) < 0) {
        return NULL;
    }
    return asks;
}

static int append(void *handle, int session, const char *role, const char *text)
{
    fprintf(handle, "append %d %s %s\n", session, role, text);
    return ask(NULL, NULL);
}

static int fork_session(void *handle, int from, int to)
{
    fprintf(handle, "fork %d %d\n", from, to);
    return ask(NULL, NULL);
}

static void close_directory(void *handle)
{
    fflush(handle);
}

static int read_sessions(const char *directory, faults_sink *sink, void *context)
{
    FILE *handle = open_directory(0, directory);
    return handle && fprintf(handle, "read\n") > 0 ? ask(sink, context) : -1;
}

const struct faults_calls faults_pi = {
    .open = open_directory, .append = append, .fork = fork_session, .close = close_directory, .read = read_sessions};
