/* Whole processes, as a shell starts them. */
#include <spawn.h>
#include <sys/wait.h>

#include "tests/bench/bench.h"

extern char **environ;

const char *bench_output(const struct bench_command *command)
{
    static char output[65537];
    int ends[2];
    pid_t pid = 0;
    int status = 0;
    const char *name = command->words[0];
    posix_spawn_file_actions_t actions;
    bench_must(pipe(ends) == 0, "a pipe", "cannot be made");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, command->input ? command->input : "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    bench_must(posix_spawnp(&pid, name, &actions, NULL, (char *const *)command->words, environ) == 0, name,
               "cannot be run");
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    for (ssize_t got = 0; (got = read(ends[0], output, sizeof output - 1)) > 0;) {
        output[got] = '\0';
    }
    close(ends[0]);
    bench_must(waitpid(pid, &status, 0) == pid, name, "cannot be waited for");
    bench_must(WIFEXITED(status) && WEXITSTATUS(status) == command->code, name, "the command failed");
    return output;
}

void bench_command(struct bench_call call)
{
    bench_output((const struct bench_command *)call.subject + call.how);
}
