/* Commands that a message names, run as a person does who pastes them into a shell. */
#ifndef XYLEM_TESTS_CLI_PASTED_H
#define XYLEM_TESTS_CLI_PASTED_H

#include "tests/cli/command.h"

/*
 * The command between `begin` and `end` in `text`, with this project's program for `xylem` and no store to fall back
 * on.
 */
static inline void pasted(char *line, size_t line_bytes, const char *text, const char *begin, const char *end)
{
    const char *at = strstr(text, begin);
    if (!at) {
        fail_msg("no '%s' in: %s", begin, text);
        return;
    }
    at += strlen(begin);
    const char *stop = strstr(at, end);
    assert_non_null(stop);
    int bytes =
        snprintf(line, line_bytes, "XYLEM_STORE=/nowhere %s %.*s 2>&1", command_program(), (int)(stop - at), at);
    assert_in_range(bytes, 1, line_bytes - 1);
}

/* Runs it in a shell, and keeps what it printed. */
static inline int run_pasted(char *out, size_t out_bytes, const char *line)
{
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    size_t bytes = fread(out, 1, out_bytes - 1, pipe);
    out[bytes] = '\0';
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

#endif
