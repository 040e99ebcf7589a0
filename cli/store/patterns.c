/* Reads the patterns of export and redact, from an option or a file. */
#include "cli/store/store.h"
#include "xylem/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PATTERN_FILE_BYTES_MAX (1u << 20)

/* FNV-1a over the patterns, not over comments and blank lines: an option and a file of one pattern are equal. */
static uint64_t sum_of(struct xylem_view text)
{
    uint64_t sum = 0xcbf29ce484222325u;
    while (text.bytes > 0) {
        const char *end = memchr(text.data, '\n', text.bytes);
        size_t passed = end ? (size_t)(end - text.data) + 1 : text.bytes;
        struct xylem_view line = {text.data, passed - (end ? 1 : 0)};
        line.bytes -= line.bytes > 0 && line.data[line.bytes - 1] == '\r';
        bool is_pattern = xylem_base__skip(line, 0, " \t") < line.bytes && line.data[0] != '#';
        for (size_t i = 0; is_pattern && i <= line.bytes; i++) {
            sum = (sum ^ (unsigned char)(i < line.bytes ? line.data[i] : '\n')) * 0x100000001b3u;
        }
        text.data += passed;
        text.bytes -= passed;
    }
    return sum == 0 ? 1 : sum;
}

static int read_file(struct xylem_cli *cli, struct xylem_patterns **patterns, uint64_t *sum, const char *path)
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
    if (sum) {
        *sum = sum_of(xylem_cli__text_view(&text));
    }
    xylem_cli__text_release(&text);
    return code;
}

int xylem_cli__patterns_given(struct xylem_cli *cli, struct xylem_patterns **patterns, uint64_t *sum,
                              const char *option, const char *text, const char *path)
{
    if (sum) {
        *sum = text ? sum_of(xylem_view_of(text)) : 0;
    }
    if (text && path) {
        return xylem_cli__usage(cli, "--%s and --%s-file cannot be combined", option, option);
    }
    if (path || !text) {
        return path ? read_file(cli, patterns, sum, path) : 0;
    }
    if (*text == '#') {
        return xylem_cli__usage(cli, "--%s: a line that begins with # is a comment; write [#] to match #", option);
    }
    struct xylem_error why;
    int code = xylem_patterns_new(patterns, xylem_view_of(text), &why);
    return code == 0 ? 0 : xylem_cli__fail(cli, code, "--%s: %s", option, why.text);
}
