/* Writes to standard output. Nothing else does. */
#include "cli/term/term.h"
#include "xylem/store.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

#define LOOK_MS 150
#define PIECE_BYTES ((size_t)PIPE_BUF / 2) /* two pieces fit the buffer of standard output */

static int fail_output(struct xylem_cli *cli)
{
    if (cli->output_errno == 0) {
        cli->output_errno = errno;
    }
    int code = cli->output_errno == ENOSPC || cli->output_errno == EDQUOT ? XYLEM_E_NO_SPACE : XYLEM_E_IO;
    const char *reason = strerror(cli->output_errno);
    return xylem_cli__fail(cli, code, "cannot write standard output: %c%s", tolower((unsigned char)*reason),
                           reason + 1);
}

/*
 * Waits until standard output has room, and flushes the buffer, which fits into one free page of a pipe, so the write
 * does not block. Meanwhile another process may want the store alone (xylem_store_wanted()): an idle handle is then
 * closed, and an open transaction ends the command.
 */
static int make_room(struct xylem_cli *cli)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    while ((cli->txn || (cli->store && cli->close_idle)) && poll(&out, 1, LOOK_MS) == 0) {
        if (xylem_store_wanted(cli->store, NULL) != 1) {
            continue;
        }
        if (!cli->txn) {
            cli->close_idle(cli);
        } else {
            return xylem_cli__fail(
                cli, XYLEM_E_BUSY,
                "the output ends here: nobody reads the output, and another process waits to replace the "
                "store's file");
        }
    }
    return fflush(stdout) != 0 ? fail_output(cli) : 0;
}

static int put_bytes(struct xylem_cli *cli, const void *data, size_t bytes)
{
    if (cli->captured) {
        xylem_cli__add_bytes(cli->captured, data, bytes);
        return cli->captured->failed ? xylem_cli__fail_memory(cli) : 0;
    }
    int code = cli->output_errno == 0 ? 0 : fail_output(cli);
    for (size_t put = 0; code == 0 && put < bytes;) {
        size_t piece = bytes - put < PIECE_BYTES ? bytes - put : PIECE_BYTES;
        bool fits = __flbf(stdout) == 0 && __fpending(stdout) + piece <= __fbufsize(stdout);
        code = fits ? 0 : make_room(cli);
        if (code == 0 && fwrite((const char *)data + put, 1, piece, stdout) != piece) {
            code = fail_output(cli);
        }
        put += piece;
    }
    return code;
}

int xylem_cli__put(struct xylem_cli *cli, struct xylem_cli__text *text)
{
    xylem_cli__wrap(cli, text);
    return xylem_cli__put_unbroken(cli, text);
}

int xylem_cli__put_unbroken(struct xylem_cli *cli, struct xylem_cli__text *text)
{
    if (text->failed) {
        return xylem_cli__fail_memory(cli);
    }
    struct xylem_cli__text tame = {0};
    xylem_cli__add_tame(cli, &tame, xylem_cli__text_view(text), false);
    xylem_cli__text_clear(text);
    int code = tame.failed ? xylem_cli__fail_memory(cli) : put_bytes(cli, tame.bytes.data, tame.bytes.bytes);
    xylem_cli__text_release(&tame);
    return code;
}

int xylem_cli__put_stored(struct xylem_cli *cli, const void *data, size_t bytes)
{
    struct xylem_cli__text shown = {0};
    if (!cli->out_terminal) {
        return put_bytes(cli, data, bytes);
    }
    xylem_cli__add_tame(cli, &shown, (struct xylem_view){data, bytes}, true);
    int code = xylem_cli__put_unbroken(cli, &shown);
    xylem_cli__text_release(&shown);
    return code;
}

int xylem_cli__flush(struct xylem_cli *cli)
{
    return cli->output_errno != 0 ? fail_output(cli) : make_room(cli);
}
