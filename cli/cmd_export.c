/* xylem export */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct export_options {
    bool with_quarantine;
    const char *output;
};

static const struct xylem_cli__option export_table[] = {
    {"with-quarantine", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct export_options, with_quarantine),
     "also what an import could not place, at its place", NULL},
    {"output", 'o', "FILE", XYLEM_CLI__TEXT, offsetof(struct export_options, output),
     "write to this file (mode 0600), whole or not at all", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* Where the bytes go. */
struct sink {
    struct xylem_cli *cli;
    FILE *file; /* NULL: standard output */
    int failed_errno;
    int code;
};

static int write_piece(void *context, const void *data, size_t bytes)
{
    struct sink *sink = context;

    if (sink->file == NULL) {
        sink->code = xylem_cli__put_stored(sink->cli, data, bytes);
        return sink->code;
    }
    if (bytes > 0 && fwrite(data, 1, bytes, sink->file) != bytes) {
        sink->failed_errno = errno;
        return 1;
    }
    return 0;
}

static int fail_errno(struct xylem_cli *cli, int number, const char *path)
{
    int code = number == ENOSPC || number == EDQUOT ? XYLEM_E_NO_SPACE : XYLEM_E_IO;
    return xylem_cli__fail(cli, code, "%s cannot be written: %s", path, strerror(number));
}

static int export_to(struct xylem_cli *cli, const struct export_options *given, const struct xylem_session *session,
                     FILE *file, const char *path)
{
    struct xylem_export_options options = {.with_quarantine = given->with_quarantine};
    struct sink sink = {.cli = cli, .file = file};
    int code = xylem_export(cli->txn, session->number, &options, write_piece, &sink, &cli->err);

    if (sink.code != 0) {
        return sink.code;
    }
    if (sink.failed_errno != 0) {
        return fail_errno(cli, sink.failed_errno, path);
    }
    if (code == 0 && file != NULL && fflush(file) != 0) {
        return fail_errno(cli, errno, path);
    }
    return code;
}

/* Through a file beside the target, which takes its name when all is on the disk. */
static int export_by_rename(struct xylem_cli *cli, const struct export_options *given,
                            const struct xylem_session *session, const char *target)
{
    static char temporary[PATH_MAX];
    int length = snprintf(temporary, sizeof(temporary), "%s.XXXXXX", target);

    if (length < 0 || (size_t)length >= sizeof(temporary)) {
        return fail_errno(cli, ENAMETOOLONG, target);
    }
    int descriptor = mkstemp(temporary);
    if (descriptor < 0) {
        return fail_errno(cli, errno, target);
    }
    xylem_cli__signals_remove(temporary);
    fchmod(descriptor, 0600); /* a umask may have taken away even the owner's bits, and these alone */
    FILE *file = fdopen(descriptor, "wb");
    if (file == NULL) {
        close(descriptor);
    }
    int code = file == NULL ? xylem_cli__fail_memory(cli) : export_to(cli, given, session, file, target);
    if (code == 0 && fsync(descriptor) != 0) {
        code = fail_errno(cli, errno, target);
    }
    if (file != NULL && fclose(file) != 0 && code == 0) {
        code = fail_errno(cli, errno, target);
    }
    if (code == 0 && rename(temporary, target) != 0) {
        code = fail_errno(cli, errno, target);
    }
    if (code != 0) {
        unlink(temporary);
    }
    xylem_cli__signals_remove(NULL);
    return code;
}

/* A device or a pipe is written to: it must not be replaced by a file. Nor is a file written to that took its place. */
static int export_in_place(struct xylem_cli *cli, const struct export_options *given,
                           const struct xylem_session *session, const char *target)
{
    struct stat status;
    int descriptor = open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");

    if (file == NULL || fstat(descriptor, &status) != 0) {
        int code = fail_errno(cli, errno, target);
        if (descriptor >= 0) {
            close(descriptor);
        }
        return code;
    }
    int code = S_ISREG(status.st_mode) ? fail_errno(cli, EEXIST, target) : export_to(cli, given, session, file, target);
    if (fclose(file) != 0 && code == 0) {
        code = fail_errno(cli, errno, target);
    }
    return code;
}

/*
 * A symbolic link stays one: what it leads to is replaced. But not where somebody else laid it: in a directory that many
 * may write to it could lead to any file of whoever exports.
 */
static int check_link(struct xylem_cli *cli, const char *path)
{
    struct stat status;

    if (lstat(path, &status) != 0 || !S_ISLNK(status.st_mode) || status.st_uid == geteuid() || status.st_uid == 0) {
        return 0;
    }
    return xylem_cli__fail(cli, XYLEM_E_IO, "%s is a symbolic link of user %lu: it is not followed", path,
                           (unsigned long)status.st_uid);
}

static int export_to_file(struct xylem_cli *cli, const struct export_options *given,
                          const struct xylem_session *session)
{
    static char resolved[PATH_MAX];
    struct stat status;
    int code = check_link(cli, given->output);

    if (code != 0) {
        return code;
    }
    const char *target = realpath(given->output, resolved) == NULL ? given->output : resolved;
    if (stat(target, &status) == 0 && S_ISDIR(status.st_mode)) {
        return fail_errno(cli, EISDIR, target);
    }
    if (stat(target, &status) == 0 && !S_ISREG(status.st_mode)) {
        return export_in_place(cli, given, session, target);
    }
    return export_by_rename(cli, given, session, target);
}

static int run(struct xylem_cli *cli, char **arguments, size_t argument_count, const void *options)
{
    const struct export_options *given = options;
    struct xylem_session session;

    (void)argument_count;
    int code = xylem_cli__open_reading(cli);
    if (code != 0 || (code = xylem_cli__session(cli, &session, arguments[0])) != 0) {
        return code;
    }
    if (given->output == NULL || strcmp(given->output, "-") == 0) {
        code = export_to(cli, given, &session, NULL, "standard output");
    } else {
        code = export_to_file(cli, given, &session);
    }
    if (code == XYLEM_E_LIMIT) { /* what the file lacks, not what the user asked for, is at fault */
        xylem_cli__note(cli, "%s", cli->err.text);
        return XYLEM_CLI__PROBLEM;
    }
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_export = {
    .name = "export",
    .summary = "Write a session as a session file of pi",
    .usage = "SESSION [--with-quarantine] [-o FILE]",
    .details = "Imported entries come in the order of their lines, byte for byte, then the others.\n",
    .options = export_table,
    .options_bytes = sizeof(struct export_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
