/* Sends messages of a child process to its parent. */
#include "cli/store/child.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static int parent_fd = -1; /* in the child: the descriptor for messages */

void xylem_cli__child_speaks_to(int fd)
{
    parent_fd = fd;
}

static bool write_all(int fd, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t written = write(fd, at, bytes);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        at += written;
        bytes -= (size_t)written;
    }
    return true;
}

bool xylem_cli__child_say(char type, const void *data, size_t bytes)
{
    struct xylem_cli__child_header header;
    assert(parent_fd >= 0);
    memset(&header, 0, sizeof header);
    header.bytes = (uint32_t)bytes;
    header.type = type;
    return bytes <= XYLEM_CLI__MESSAGE_BYTES_MAX && write_all(parent_fd, &header, sizeof header) &&
           write_all(parent_fd, data, bytes);
}

bool xylem_cli__child_note(const char *text)
{
    return parent_fd >= 0 && xylem_cli__child_say(XYLEM_CLI__CHILD_NOTE, text, strlen(text));
}
