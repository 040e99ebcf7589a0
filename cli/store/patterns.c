/* Reading patterns from files, for export and redact. */
#include "cli/store/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PATTERN_FILE_BYTES_MAX (1u << 20)

/* Reads a file of patterns, which may be a pipe. */
static int read_file(struct xylem_cli *cli, struct xylem_buffer *text, const char *path)
{
    char piece[4096];
    size_t bytes;
    FILE *file = fopen(path, "rbe");
    int code = 0;
    if (!file) {
        return xylem_cli__fail(cli, errno == ENOENT ? XYLEM_E_NOT_FOUND : XYLEM_E_IO, "%s cannot be read: %s", path,
                               strerror(errno));
    }
    while (code == 0 && (bytes = fread(piece, 1, sizeof piece, file)) > 0) {
        if (text->bytes + bytes > PATTERN_FILE_BYTES_MAX) {
            code = xylem_cli__fail(cli, XYLEM_E_LIMIT, "%s has more than %u bytes", path, PATTERN_FILE_BYTES_MAX);
        } else if (xylem_buffer_add(text, piece, bytes) != 0) {
            code = xylem_cli__fail_memory(cli);
        }
    }
    if (code == 0 && ferror(file) != 0) {
        code = xylem_cli__fail(cli, XYLEM_E_IO, "%s cannot be read: %s", path, strerror(errno));
    }
    fclose(file);
    return code;
}

int xylem_cli__patterns_read(struct xylem_cli *cli, struct xylem_patterns **patterns, const char *path)
{
    struct xylem_buffer text = {0};
    struct xylem_error err;
    int code = read_file(cli, &text, path);
    if (code == 0 && (code = xylem_patterns_new(patterns, (struct xylem_view){text.data, text.bytes}, &err)) != 0) {
        code = xylem_cli__fail(cli, code, "%s: %s", path, err.text);
    }
    xylem_buffer_release(&text);
    return code;
}
