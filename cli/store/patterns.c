/* Reads the patterns of a command: built-in, from an option, from a file. */
#include "cli/store/store.h"
#include "xylem/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATTERN_FILE_BYTES_MAX (1u << 20)

/* FNV-1a over the bytes and a newline. */
static void add_to_sum(uint64_t *sum, struct xylem_view line)
{
    for (size_t i = 0; i <= line.bytes; i++) {
        *sum = (*sum ^ (unsigned char)(i < line.bytes ? line.data[i] : '\n')) * 0x100000001b3u;
    }
}

/* Over the patterns, not over comments and blank lines: an option and a file of one pattern are equal. */
static uint64_t sum_of(struct xylem_view text, bool secrets)
{
    uint64_t sum = 0xcbf29ce484222325u;
    const struct xylem_secret *row = NULL;
    while (text.bytes > 0) {
        const char *end = memchr(text.data, '\n', text.bytes);
        size_t passed = end ? (size_t)(end - text.data) + 1 : text.bytes;
        struct xylem_view line = {text.data, passed - (end ? 1 : 0)};
        line.bytes -= line.bytes > 0 && line.data[line.bytes - 1] == '\r';
        if (xylem_base__skip(line, 0, " \t") < line.bytes && line.data[0] != '#') {
            add_to_sum(&sum, line);
        }
        text.data += passed;
        text.bytes -= passed;
    }
    for (size_t i = 0; secrets && (row = xylem_secret_row(i)); i++) { /* another version has other rows */
        add_to_sum(&sum, xylem_view_of(row->starts));
        add_to_sum(&sum, xylem_view_of(row->expression));
    }
    return sum == 0 ? 1 : sum;
}

static int make(struct xylem_patterns **patterns, uint64_t *sum, struct xylem_view text, bool secrets,
                struct xylem_error *err)
{
    if (sum) {
        *sum = sum_of(text, secrets);
    }
    return secrets ? xylem_patterns_new_secrets(patterns, text, err) : xylem_patterns_new(patterns, text, err);
}

static int read_file(struct xylem_cli *cli, struct xylem_patterns **patterns, uint64_t *sum,
                     const struct xylem_cli__patterns *given)
{
    struct xylem_cli__text text = {0};
    const char *path = given->file;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return xylem_cli__fail(cli, errno == ENOENT ? XYLEM_E_NOT_FOUND : XYLEM_E_IO, "%s cannot be read: %s", path,
                               strerror(errno));
    }
    int code = xylem_cli__read_all(cli, &text, fd, PATTERN_FILE_BYTES_MAX, false, path);
    close(fd);
    if (code == 0 && (code = make(patterns, sum, xylem_cli__text_view(&text), given->secrets, &cli->err)) < 0) {
        code = xylem_cli__fail_in(cli, code, path);
    }
    xylem_cli__text_release(&text);
    return code;
}

int xylem_cli__patterns_given(struct xylem_cli *cli, struct xylem_patterns **patterns, uint64_t *sum,
                              const char *option, const struct xylem_cli__patterns *given)
{
    const char *text = given->text;
    struct xylem_error why;
    if (sum) {
        *sum = 0;
    }
    if (text && given->file) {
        return xylem_cli__usage(cli, "--%s and --%s-file cannot be combined", option, option);
    }
    if (given->file) {
        return read_file(cli, patterns, sum, given);
    }
    if (text && *text == '#') {
        return xylem_cli__usage(cli, "--%s: a line that begins with # is a comment; write [#] to match #", option);
    }
    if (!text) {
        return given->secrets ? make(patterns, sum, (struct xylem_view){"", 0}, true, &cli->err) : 0;
    }
    int code = make(patterns, sum, xylem_view_of(text), given->secrets, &why);
    return code == 0 ? 0 : xylem_cli__fail(cli, code, "--%s: %s", option, why.text);
}

int xylem_cli__leave_out_given(struct xylem_cli *cli, const struct xylem_cli__patterns *given)
{
    struct xylem_patterns *patterns = NULL;
    int code = xylem_cli__patterns_given(cli, &patterns, NULL, "redact-pattern", given);
    if (code < 0 || !patterns) {
        return code;
    }
    cli->left_out = calloc(1, sizeof *cli->left_out);
    if (!cli->left_out) {
        xylem_patterns_free(patterns);
        return xylem_cli__fail_memory(cli);
    }
    cli->left_out->patterns = patterns;
    return 0;
}

void xylem_cli__left_out_end(struct xylem_cli *cli, bool failed)
{
    struct xylem_cli__left_out *left_out = cli->left_out;
    struct xylem_cli__text text = {0};
    if (!left_out) {
        return;
    }
    cli->left_out = NULL; /* a pattern may match the words of the note */
    xylem_cli__add_counted(&text, left_out->count, "string", "strings");
    if (!failed && !text.failed) {
        xylem_cli__note(cli, "%s redacted", text.bytes.data);
    }
    xylem_cli__text_release(&text);
    xylem_patterns_free(left_out->patterns);
    free(left_out);
}
