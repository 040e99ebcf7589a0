/*
 * The real pi. A process of pi.mjs reads and appends for this one, as long as this one runs; writers that are to be killed
 * are processes of their own, which faults.c starts. FAULTS_PI names the command: Node and the path of pi.mjs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "tests/bench/faults/driver.h"

static FILE *asks;
static FILE *answers;

static int start(void)
{
    int to[2];
    int from[2];
    char command[2 * FAULTS_PATH];
    if (answers) {
        return 0;
    }
    if (!getenv("FAULTS_PI") || pipe(to) != 0 || pipe(from) != 0) {
        return -1;
    }
    snprintf(command, sizeof command, "exec %s serve", getenv("FAULTS_PI"));
    if (fork() == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        for (int i = 0; i < 2; i++) {
            close(to[i]);
            close(from[i]);
        }
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    asks = fdopen(to[1], "w");
    answers = fdopen(from[0], "r");
    return asks && answers ? 0 : -1;
}

void *faults_pi_open(const struct faults_peer *peer, const char *directory)
{
    (void)peer;
    return start() == 0 ? strdup(directory) : NULL;
}

void faults_pi_close(void *handle)
{
    free(handle);
}

int faults_pi_append(void *handle, int session, const char *role, const char *text)
{
    char answer[400];
    fprintf(asks, "append %s %d %s %s\n", (const char *)handle, session, role, text);
    fflush(asks);
    return fgets(answer, sizeof answer, answers) && strcmp(answer, "ok\n") == 0 ? 0 : -1;
}

static void give(char *line, faults_sink *sink, void *context)
{
    char *rest = line;
    char *session = strsep(&rest, "\t");
    char *id = strsep(&rest, "\t");
    char *parent = strsep(&rest, "\t");
    char *text = strsep(&rest, "\n");
    struct faults_read entry = {atoi(session), id ? id : "", parent && parent[0] ? parent : NULL, text ? text : ""};
    sink(context, &entry);
}

int faults_pi_read(const struct faults_peer *peer, const char *directory, faults_sink *sink, void *context)
{
    (void)peer;
    char *line = NULL;
    size_t room = 0;
    int code = start();
    if (code < 0) {
        return -1;
    }
    fprintf(asks, "read %s\n", directory);
    fflush(asks);
    while (getline(&line, &room, answers) > 0 && strcmp(line, ".\n") != 0) {
        if (line[0] == 'x') {
            code = -1;
        } else {
            give(line, sink, context);
        }
    }
    free(line);
    return code;
}
