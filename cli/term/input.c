/* Reads a descriptor to its end, and tells whether standard input has data waiting. */
#include "cli/term/term.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

int xylem_cli__read_all(struct xylem_cli *cli, struct xylem_cli__text *text, int fd, size_t bytes_max, bool drop,
                        const char *name)
{
    static char chunk[65536];
    ssize_t count;
    assert(text->bytes.bytes <= bytes_max);
    while (!text->failed && (count = read(fd, chunk, sizeof chunk)) != 0) {
        size_t bytes = count < 0 ? 0 : (size_t)count;
        size_t left = bytes_max - text->bytes.bytes;
        if (count < 0 && errno != EINTR) {
            return xylem_cli__fail(cli, XYLEM_E_IO, "%s cannot be read: %s", name, strerror(errno));
        }
        if (bytes > left && !drop) {
            return xylem_cli__fail(cli, XYLEM_E_LIMIT, "%s has more than %zu bytes", name, bytes_max);
        }
        xylem_cli__add_bytes(text, chunk, bytes < left ? bytes : left);
    }
    return text->failed ? xylem_cli__fail_memory(cli) : 0;
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
