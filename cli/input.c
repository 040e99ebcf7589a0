/* Standard input, and small files, read whole. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int read_stream(struct xylem_cli *cli, struct xylem_cli__text *data, FILE *stream, const char *name,
                       size_t bytes_max, const char *what)
{
    static char chunk[65536];
    size_t bytes;

    while ((bytes = fread(chunk, 1, sizeof(chunk), stream)) > 0) {
        xylem_cli__add_bytes(data, chunk, bytes);
        if (data->failed || data->bytes.bytes > bytes_max) {
            return data->failed ? xylem_cli__fail_memory(cli)
                                : xylem_cli__fail(cli, XYLEM_E_LIMIT, "%s has at most %zu bytes", what, bytes_max);
        }
    }
    return ferror(stream) ? xylem_cli__fail(cli, XYLEM_E_IO, "%s cannot be read: %s", name, strerror(errno)) : 0;
}

int xylem_cli__read_input(struct xylem_cli *cli, struct xylem_cli__text *data, size_t bytes_max, const char *what)
{
    return read_stream(cli, data, stdin, "standard input", bytes_max, what);
}

int xylem_cli__read_file(struct xylem_cli *cli, struct xylem_cli__text *data, const char *path, size_t bytes_max,
                         const char *what)
{
    FILE *stream = fopen(path, "re");

    if (stream == NULL) {
        return xylem_cli__fail(cli, errno == ENOENT ? XYLEM_E_NOT_FOUND : XYLEM_E_IO, "%s: %s", path, strerror(errno));
    }
    int code = read_stream(cli, data, stream, path, bytes_max, what);
    fclose(stream);
    return code;
}
