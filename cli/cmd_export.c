/* xylem export: writes a session as a session file. */
#include "cli/cli.h"
#include "xylem/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct export_options {
    bool quarantine;
    const char *output;
    const char *pattern;
    const char *pattern_file;
};

static const struct xylem_cli__option export_table[] = {
    {"quarantine", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct export_options, quarantine),
     "also write quarantined lines, each at its old place", NULL},
    {"output", 'o', "FILE", XYLEM_CLI__TEXT, offsetof(struct export_options, output),
     "write to this file (mode 0600), whole or not at all", NULL},
    {"redact-pattern", 0, "TEXT", XYLEM_CLI__TEXT, offsetof(struct export_options, pattern),
     "replace matches of the regular expression TEXT", NULL},
    {"redact-pattern-file", 0, "FILE", XYLEM_CLI__TEXT, offsetof(struct export_options, pattern_file),
     "replace matches of the regular expressions in FILE", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* The destination of the bytes. */
struct sink {
    struct xylem_cli *cli;
    FILE *file; /* NULL: standard output */
    int failed_errno;
    int code;
};

static int write_piece(void *context, const void *data, size_t bytes)
{
    struct sink *sink = context;
    if (!sink->file) {
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

/* The session to export, the options, and the counts of redactions. */
struct exporting {
    const struct export_options *given;
    struct xylem_patterns *patterns;
    struct xylem_export_redactions redactions;
    uint64_t session;
};

static int export_to(struct xylem_cli *cli, struct exporting *exporting, FILE *file, const char *path)
{
    struct xylem_export_options options = {.with_quarantine = exporting->given->quarantine,
                                           .patterns = exporting->patterns,
                                           .redactions = &exporting->redactions};
    struct sink sink = {.cli = cli, .file = file};
    int code = xylem_export(cli->txn, exporting->session, &options, write_piece, &sink, &cli->err);
    if (sink.code != 0) {
        return sink.code;
    }
    if (sink.failed_errno != 0) {
        return fail_errno(cli, sink.failed_errno, path);
    }
    if (code == 0 && file && fflush(file) != 0) {
        return fail_errno(cli, errno, path);
    }
    return code;
}

/* Writes a file beside the target, and renames the file to the target once all bytes are on the disk. */
static int export_by_rename(struct xylem_cli *cli, struct exporting *exporting, const char *target)
{
    static char temporary[PATH_MAX];
    int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", target);
    if (length < 0 || (size_t)length >= sizeof temporary) {
        return fail_errno(cli, ENAMETOOLONG, target);
    }
    int descriptor = mkstemp(temporary);
    if (descriptor < 0) {
        return fail_errno(cli, errno, target);
    }
    xylem_cli__signals_remove(temporary);
    fchmod(descriptor, 0600); /* the umask may have cleared even the owner's bits */
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        close(descriptor);
    }
    int code = file ? export_to(cli, exporting, file, target) : xylem_cli__fail_memory(cli);
    if (code == 0 && fsync(descriptor) != 0) {
        code = fail_errno(cli, errno, target);
    }
    if (file && fclose(file) != 0 && code == 0) {
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

/* Writes to a device or a pipe, which must not be replaced by a file. Fails if a regular file has taken its place. */
static int export_in_place(struct xylem_cli *cli, struct exporting *exporting, const char *target)
{
    struct stat status;
    int descriptor = open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (!file || fstat(descriptor, &status) != 0) {
        int code = fail_errno(cli, errno, target);
        if (descriptor >= 0) {
            close(descriptor);
        }
        return code;
    }
    int code = S_ISREG(status.st_mode) ? fail_errno(cli, EEXIST, target) : export_to(cli, exporting, file, target);
    if (fclose(file) != 0 && code == 0) {
        code = fail_errno(cli, errno, target);
    }
    return code;
}

/*
 * A symbolic link stays; the file behind the link is replaced. A link of another user is refused: in a directory that
 * many users can write to, such a link could point to any file of the exporting user.
 */
static int check_link(struct xylem_cli *cli, const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0 || !S_ISLNK(status.st_mode) || status.st_uid == geteuid() || status.st_uid == 0) {
        return 0;
    }
    return xylem_cli__fail(cli, XYLEM_E_IO,
                           "%s is a symbolic link that belongs to user %lu: expected a link of this user", path,
                           (unsigned long)status.st_uid);
}

static int export_to_file(struct xylem_cli *cli, struct exporting *exporting)
{
    static char resolved[PATH_MAX];
    struct stat status;
    const char *output = exporting->given->output;
    int code = check_link(cli, output);
    if (code != 0) {
        return code;
    }
    const char *target = realpath(output, resolved) ? resolved : output;
    if (stat(target, &status) == 0 && S_ISDIR(status.st_mode)) {
        return fail_errno(cli, EISDIR, target);
    }
    if (stat(target, &status) == 0 && !S_ISREG(status.st_mode)) {
        return export_in_place(cli, exporting, target);
    }
    return export_by_rename(cli, exporting, target);
}

/* Reports the counts on standard error, because standard output may be the export. */
static void note_redactions(struct xylem_cli *cli, const struct exporting *exporting)
{
    const struct xylem_export_redactions *redactions = &exporting->redactions;
    if (!exporting->patterns) {
        return;
    }
    xylem_cli__note(cli, "%llu %s in %llu %s redacted", (unsigned long long)redactions->string_count,
                    redactions->string_count == 1 ? "string" : "strings", (unsigned long long)redactions->line_count,
                    redactions->line_count == 1 ? "line" : "lines");
    if (redactions->left_out_count > 0) {
        xylem_cli__note(cli, "%llu %s: not JSON, and a pattern matches", (unsigned long long)redactions->left_out_count,
                        redactions->left_out_count == 1 ? "line was left out" : "lines were left out");
    }
    if (redactions->kept_count > 0) {
        xylem_cli__note(cli, "%llu %s a line's type, id, parentId or timestamp: left, as every line needs these",
                        (unsigned long long)redactions->kept_count,
                        redactions->kept_count == 1 ? "match is in" : "matches are in");
    }
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct export_options *given = options;
    struct exporting exporting = {.given = given};
    struct xylem_session session;
    int code;
    if ((code = xylem_cli__patterns_given(cli, &exporting.patterns, "redact-pattern", given->pattern,
                                          given->pattern_file)) < 0 ||
        (code = xylem_cli__open_reading(cli)) < 0 ||
        (code = (arguments[0] ? xylem_cli__session(cli, &session, arguments[0])
                              : xylem_cli__session_default(cli, &session))) < 0) {
        goto out;
    }
    exporting.session = session.number;
    code = !given->output || strcmp(given->output, "-") == 0 ? export_to(cli, &exporting, NULL, "standard output")
                                                             : export_to_file(cli, &exporting);
    if (code == XYLEM_E_LIMIT) { /* the session lacks the bytes of a line; the user's request is fine */
        xylem_cli__note(cli, "%s", cli->err.text);
        code = XYLEM_CLI__PROBLEM;
    } else if (code == 0) {
        note_redactions(cli, &exporting);
    }
out:
    xylem_patterns_free(exporting.patterns);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_export = {
    .name = "export",
    .group = XYLEM_CLI__KEEP,
    .often = true,
    .summary = "Write a session as a session file of pi",
    .usage = "[SESSION] [--quarantine] [--redact-pattern TEXT|--redact-pattern-file FILE] [-o FILE]",
    .details =
        "Writes imported entries first, in the order of their lines, byte for byte, then the other entries. Each\n"
        "line of a pattern file is a regular expression (PCRE2).\n",
    .options = export_table,
    .options_bytes = sizeof(struct export_options),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
