/* Standard input, read whole. */
#include "cli/term/term.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

int xylem_cli__read_input(struct xylem_cli *cli, struct xylem_cli__text *data, size_t bytes_max, const char *what)
{
    static char chunk[65536];
    size_t bytes;
    while ((bytes = fread(chunk, 1, sizeof chunk, stdin)) > 0) {
        xylem_cli__add_bytes(data, chunk, bytes);
        if (data->failed || data->bytes.bytes > bytes_max) {
            return data->failed ? xylem_cli__fail_memory(cli)
                                : xylem_cli__fail(cli, XYLEM_E_LIMIT, "%s has at most %zu bytes", what, bytes_max);
        }
    }
    return ferror(stdin) ? xylem_cli__fail(cli, XYLEM_E_IO, "standard input cannot be read: %s", strerror(errno)) : 0;
}

/*
 * A pipe counts by the bytes in it now. Waiting for the end could take for ever, because programs leave pipes open
 * without ever writing to them.
 */
bool xylem_cli__input_waits(void)
{
    struct stat status;
    int arrived = 0;
    if (fstat(STDIN_FILENO, &status) != 0) {
        return false;
    }
    if (S_ISREG(status.st_mode)) {
        return lseek(STDIN_FILENO, 0, SEEK_CUR) < status.st_size;
    }
    return (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) && ioctl(STDIN_FILENO, FIONREAD, &arrived) == 0 &&
           arrived > 0;
}
