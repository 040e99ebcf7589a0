/* Writes a session as a session file, to a file or to standard output. */
#include "cli/exporting.h"
#include "cli/files.h"
#include "xylem/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_BYTES_MAX 65536u /* of the first line of a file that an export replaces */

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

/* What to export: a text, a page, a session as a session file, or (all of these NULL) its changes. */
struct exporting {
    const struct xylem_cli__text *text;
    const struct xylem_session *shown; /* on the page */
    const struct xylem_cli__page_options *page;
    uint64_t session; /* 0: none, for a text or a page */
    const struct xylem_export_options *options;
};

static int export_to(struct xylem_cli *cli, const struct exporting *exporting, FILE *file, const char *path)
{
    struct sink sink = {.cli = cli, .file = file};
    int code = exporting->text   ? write_piece(&sink, exporting->text->bytes.data, exporting->text->bytes.bytes)
               : exporting->page ? xylem_cli__export_page(cli, exporting->shown, exporting->page, write_piece, &sink)
               : exporting->options
                   ? xylem_export(cli->txn, exporting->session, exporting->options, write_piece, &sink, &cli->err)
                   : xylem_export_changes(cli->txn, exporting->session, write_piece, &sink, &cli->err);
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
static int export_by_rename(struct xylem_cli *cli, const struct exporting *exporting, const char *target)
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
static int export_in_place(struct xylem_cli *cli, const struct exporting *exporting, const char *target)
{
    struct stat status;
    /* Only links of the system are followed, such as /dev/stdout, which may lead to a pipe without a name. */
    bool is_system = (strncmp(target, "/dev/", 5) == 0 && !strchr(target + 5, '/')) ||
                     strncmp(target, "/dev/fd/", 8) == 0 || strncmp(target, "/proc/", 6) == 0;
    int descriptor = open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY | (is_system ? 0 : O_NOFOLLOW));
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

/* 1 and the session that the header of a file names; 0 for another file, and for a session that is not in the store. */
static int session_of_file(struct xylem_cli *cli, struct xylem_session *session, const char *path)
{
    static char line[HEADER_BYTES_MAX];
    struct xylem_document *document = NULL;
    FILE *file = fopen(path, "rbe");
    size_t bytes = file ? fread(line, 1, sizeof line, file) : 0;
    const char *end = memchr(line, '\n', bytes);
    int found = 0;
    if (xylem_document_new_json(&document, (struct xylem_view){line, end ? (size_t)(end - line) : bytes}, NULL) == 0) {
        struct xylem_view id = xylem_value_string(xylem_value_get(xylem_document_value(document), "id"));
        found = id.bytes > 0 ? xylem_cli__session_exact(cli, session, id) : 0;
    }
    xylem_document_free(document);
    if (file) {
        fclose(file);
    }
    return found;
}

/* 1 if the store knows the path as a file of the session, else 0. */
static int has_file(struct xylem_cli *cli, uint64_t session, const char *path)
{
    struct xylem_session_files *files = NULL;
    struct xylem_session_file file;
    bool has = false;
    int code = xylem_session_files_new(&files, cli->txn, session, &cli->err);
    while (!has && code == 0 && (code = xylem_session_files_next(&file, files, &cli->err)) == 1) {
        has = xylem_base__view_is(file.path, path);
        code = 0;
    }
    xylem_session_files_free(files);
    return code < 0 ? code : has;
}

/* A file of the store, or the file of another session, is no target: what the file holds would be lost. */
static int check_target(struct xylem_cli *cli, const struct exporting *exporting, const char *target,
                        const struct stat *status)
{
    static const char *const names[] = {"data.mdb", "lock.mdb", "xylem.lock"};
    struct xylem_session owner;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct stat of_store;
        char *path = xylem_cli__path_below(cli->store_path, names[i]);
        bool same = path && stat(path, &of_store) == 0 && of_store.st_dev == status->st_dev &&
                    of_store.st_ino == status->st_ino;
        free(path);
        if (same) {
            return xylem_cli__usage(cli, "%s is a file of the store: nothing was written", target);
        }
    }
    int found = exporting->session == 0 ? 0 : session_of_file(cli, &owner, target);
    if (found == 1 && owner.number != exporting->session && (found = has_file(cli, owner.number, target)) == 1) {
        return xylem_cli__fail(cli, XYLEM_E_CONFLICT, "%s is the file of another session: nothing was written", target);
    }
    return found < 0 ? found : 0;
}

static int export_to_file(struct xylem_cli *cli, const struct exporting *exporting, const char *output)
{
    static char resolved[PATH_MAX];
    struct stat status;
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
    if (stat(target, &status) == 0 && (code = check_target(cli, exporting, target, &status)) != 0) {
        return code;
    }
    return export_by_rename(cli, exporting, target);
}

int xylem_cli__export_to_file(struct xylem_cli *cli, uint64_t session, const struct xylem_export_options *options,
                              const char *output)
{
    return export_to_file(cli, &(struct exporting){.session = session, .options = options}, output);
}

int xylem_cli__text_to_file(struct xylem_cli *cli, const struct xylem_cli__text *text, const char *output)
{
    return text->failed ? xylem_cli__fail_memory(cli) : export_to_file(cli, &(struct exporting){.text = text}, output);
}

int xylem_cli__export_to_output(struct xylem_cli *cli, uint64_t session, const struct xylem_export_options *options)
{
    const struct exporting exporting = {.session = session, .options = options};
    return export_to(cli, &exporting, NULL, "standard output");
}

int xylem_cli__page_to(struct xylem_cli *cli, const struct xylem_session *session,
                       const struct xylem_cli__page_options *options, const char *output)
{
    const struct exporting exporting = {.shown = session, .page = options};
    return output ? export_to_file(cli, &exporting, output) : export_to(cli, &exporting, NULL, "standard output");
}
