#include "tests/bench/process.h"

#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/bench.h"

extern char **environ;

void bench_command(char *const *words, char *output, size_t output_bytes)
{
    int ends[2];
    char piece[65536];
    pid_t pid = 0;
    int status = 0;
    size_t kept = 0;
    posix_spawn_file_actions_t actions;
    bench_must(pipe(ends) == 0, "a pipe", NULL);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    bench_must(posix_spawnp(&pid, words[0], &actions, NULL, words, environ) == 0, words[0], "cannot be run");
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    for (ssize_t got = 0; (got = read(ends[0], piece, sizeof piece)) > 0;) {
        size_t fits = output && kept + 1 < output_bytes ? output_bytes - 1 - kept : 0;
        fits = fits < (size_t)got ? fits : (size_t)got;
        if (fits > 0) {
            memcpy(output + kept, piece, fits);
            kept += fits;
        }
    }
    if (output) {
        output[kept] = '\0';
    }
    close(ends[0]);
    bench_must(waitpid(pid, &status, 0) == pid, words[0], "cannot be waited for");
    bench_must(WIFEXITED(status) && WEXITSTATUS(status) == 0, words[0], "the command failed");
}
