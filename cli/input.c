/* Standard input, read whole. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int xylem_cli__read_input(struct xylem_cli *cli, struct xylem_cli__text *data, size_t bytes_max, const char *what)
{
    static char chunk[65536];
    size_t bytes;

    while ((bytes = fread(chunk, 1, sizeof(chunk), stdin)) > 0) {
        xylem_cli__add_bytes(data, chunk, bytes);
        if (data->failed || data->bytes.bytes > bytes_max) {
            return data->failed ? xylem_cli__fail_memory(cli)
                                : xylem_cli__fail(cli, XYLEM_E_LIMIT, "%s has at most %zu bytes", what, bytes_max);
        }
    }
    return ferror(stdin) ? xylem_cli__fail(cli, XYLEM_E_IO, "standard input cannot be read: %s", strerror(errno)) : 0;
}
