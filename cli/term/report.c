/* Keeps and prints errors of the command, and turns errors into exit codes. */
#include "cli/term/term.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Error texts contain words of the user and names of files: no byte of these may act on the terminal. */
int xylem_cli__fail(struct xylem_cli *cli, int code, const char *format, ...)
{
    char string[XYLEM_ERROR_TEXT_BYTES];
    struct xylem_cli__text text = {0};
    va_list arguments;
    assert(code < 0);
    va_start(arguments, format);
    vsnprintf(string, sizeof string, format, arguments);
    va_end(arguments);
    cli->err.code = code;
    xylem_cli__add_shown(cli, &text, xylem_view_of(string), XYLEM_CLI__EXACT, SIZE_MAX);
    snprintf(cli->err.text, sizeof cli->err.text, "%s", xylem_cli__text_view(&text).data);
    xylem_cli__text_release(&text);
    return code;
}

int xylem_cli__fail_memory(struct xylem_cli *cli)
{
    return xylem_cli__fail(cli, XYLEM_E_MEMORY, "out of memory");
}

int xylem_cli__usage(struct xylem_cli *cli, const char *format, ...)
{
    char string[XYLEM_ERROR_TEXT_BYTES - 64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(string, sizeof string, format, arguments);
    va_end(arguments);
    const char *name = cli->command && !cli->command->helps ? cli->command->name : NULL;
    return xylem_cli__fail(cli, XYLEM_E_ARGUMENT, "%s (see `xylem %s%s`)", string, name ? name : "help",
                           !name ? "" : " --help");
}

int xylem_cli__usage_missing(struct xylem_cli *cli)
{
    const struct xylem_cli__command *command = cli->command;
    const char *rest = strstr(command->usage, " [");
    int bytes = (int)(rest ? (size_t)(rest - command->usage) : strlen(command->usage));
    return xylem_cli__usage(cli, "an argument is missing: xylem %s %.*s", command->name, bytes, command->usage);
}

int xylem_cli__exit_code(int code)
{
    switch (code) {
    case XYLEM_OK:
        return XYLEM_CLI__OK;
    case XYLEM_E_REDACTED:
        return XYLEM_CLI__PROBLEM;
    case XYLEM_E_ARGUMENT:
    case XYLEM_E_MALFORMED:
    case XYLEM_E_LIMIT:
        return XYLEM_CLI__USAGE;
    case XYLEM_E_NOT_FOUND:
    case XYLEM_E_NOT_A_STORE:
    case XYLEM_E_DELETED:
    case XYLEM_E_FREED:
        return XYLEM_CLI__NOT_FOUND;
    case XYLEM_E_EXISTS:
    case XYLEM_E_CONFLICT:
    case XYLEM_E_BUSY:
    case XYLEM_E_READERS_FULL:
        return XYLEM_CLI__CONFLICT;
    case XYLEM_E_CORRUPT:
        return XYLEM_CLI__CORRUPT;
    case XYLEM_E_TOO_NEW:
    case XYLEM_E_TOO_OLD:
        return XYLEM_CLI__NEWER;
    case XYLEM_E_STOPPED:
        return XYLEM_CLI__INTERRUPTED;
    default:
        return XYLEM_CLI__IO;
    }
}

int xylem_cli__fail_in(struct xylem_cli *cli, int code, const char *where)
{
    const struct xylem_error err = cli->err;
    return xylem_cli__fail(cli, code, "%s: %s", where, err.text);
}

int xylem_cli__fail_text(struct xylem_cli *cli, int code, struct xylem_cli__text *text)
{
    code = text->failed ? xylem_cli__fail_memory(cli) : xylem_cli__fail(cli, code, "%s", text->bytes.data);
    xylem_cli__text_release(text);
    return code;
}

/* Prints `xylem: <subject>: <string>` on standard error, behind all pending standard output. */
static void print_line(const struct xylem_cli *cli, const char *subject, const char *string)
{
    struct xylem_cli__text line = {0};
    xylem_cli__addf(&line, "xylem: %s%s", subject, *subject == '\0' ? "" : ": ");
    xylem_cli__add_shown(cli, &line, xylem_view_of(string), XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(&line, "\n");
    fflush(stdout);
    fwrite(line.bytes.data, 1, line.bytes.bytes, stderr);
    xylem_cli__text_release(&line);
}

void xylem_cli__note(struct xylem_cli *cli, const char *format, ...)
{
    char string[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(string, sizeof string, format, arguments);
    va_end(arguments);
    print_line(cli, cli->command ? cli->command->name : "", string);
}

void xylem_cli__warn(const struct xylem_cli *cli, const char *text)
{
    print_line(cli, "warning", text);
}
