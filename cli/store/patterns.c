/* Reads patterns from files, for export and redact. */
#include "cli/store/store.h"
#include "xylem/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PATTERN_FILE_BYTES_MAX (1u << 20)

int xylem_cli__patterns_read(struct xylem_cli *cli, struct xylem_patterns **patterns, const char *path)
{
    struct xylem_cli__text text = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return xylem_cli__fail(cli, errno == ENOENT ? XYLEM_E_NOT_FOUND : XYLEM_E_IO, "%s cannot be read: %s", path,
                               strerror(errno));
    }
    int code = xylem_cli__read_all(cli, &text, fd, PATTERN_FILE_BYTES_MAX, false, path);
    close(fd);
    if (code == 0 && (code = xylem_patterns_new(patterns, xylem_cli__text_view(&text), &cli->err)) < 0) {
        code = xylem_cli__fail_in(cli, code, path);
    }
    xylem_cli__text_release(&text);
    return code;
}
