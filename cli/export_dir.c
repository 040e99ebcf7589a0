/*
 * store.json of an export lists the files of changes, each behind the files that it builds on. Format 2 had no such list
 * and no changes: then all documents of the directory count. Both may be hostile: a name leads nowhere but into the
 * directory.
 */
#include "cli/export_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STORE "store.json"
#define STORE_BYTES_MAX 268435456u

static bool ends_with(const char *name, const char *ending)
{
    size_t bytes = strlen(name);
    return bytes > strlen(ending) && strcmp(name + bytes - strlen(ending), ending) == 0;
}

static int fail_store(struct xylem_cli *cli, const char *directory, const char *expected)
{
    return xylem_cli__fail(cli, XYLEM_E_MALFORMED, "%s/" STORE ": expected %s, as an export of a whole store has",
                           directory, expected);
}

/* Reads store.json. The document borrows from the text. */
static int read_store(struct xylem_cli *cli, struct xylem_document **document, struct xylem_cli__text *text,
                      const char *directory)
{
    struct xylem_error reason;
    char *path = xylem_cli__path_below(directory, STORE);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    int code = !path    ? xylem_cli__fail_memory(cli)
               : fd < 0 ? xylem_cli__fail(cli, XYLEM_E_IO, "%s: %s", path, strerror(errno))
                        : xylem_cli__read_all(cli, text, fd, STORE_BYTES_MAX, false, path);
    if (fd >= 0) {
        close(fd);
    }
    if (code == 0 && (code = xylem_document_new_json(document, xylem_cli__text_view(text), &reason)) < 0) {
        code = xylem_cli__fail(cli, code, "%s: %s", path, reason.text);
    }
    free(path);
    return code;
}

/* A missing file fails with its import; a link could lead out of the directory. */
static int add(struct xylem_cli *cli, struct xylem_cli__files *list, const char *directory, const char *name)
{
    struct stat status;
    char *path = xylem_cli__path_below(directory, name);
    if (path && lstat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        int code = xylem_cli__fail(cli, XYLEM_E_MALFORMED, "%s: expected a regular file of the export", path);
        free(path);
        return code;
    }
    return path ? xylem_cli__files_add_path(cli, list, path) : xylem_cli__fail_memory(cli);
}

/* Adds the files of the list. */
static int add_listed(struct xylem_cli *cli, struct xylem_cli__export_dir *dir, const struct xylem_value *list,
                      const char *directory)
{
    int code = 0;
    for (const struct xylem_value *file = xylem_value_first(list); code == 0 && file;
         file = xylem_value_next(list, file)) {
        struct xylem_view view = xylem_value_string(file);
        char *name = strndup(view.data ? view.data : "", view.bytes);
        bool right = name && strlen(name) == view.bytes && ends_with(name, ".changes") && !strchr(name, '/');
        code = !name   ? xylem_cli__fail_memory(cli)
               : right ? add(cli, &dir->changes, directory, name)
                       : fail_store(cli, directory, "names in `files` that end in .changes, without a slash");
        free(name);
    }
    return code;
}

/* Adds all documents of the directory, or notes how many files of changes are not listed. */
static int visit(struct xylem_cli *cli, struct xylem_cli__export_dir *dir, bool listed, size_t listed_count,
                 const char *directory)
{
    struct dirent **found = NULL;
    int count = scandir(directory, &found, NULL, alphasort);
    size_t changes_count = 0;
    int code = count < 0 ? xylem_cli__fail(cli, XYLEM_E_IO, "%s: %s", directory, strerror(errno)) : 0;
    for (int i = 0; i < count; i++) {
        const char *name = found[i]->d_name;
        changes_count += ends_with(name, ".changes");
        if (code == 0 && !listed && ends_with(name, ".json") && strcmp(name, STORE) != 0) {
            code = add(cli, &dir->documents, directory, name);
        }
        free(found[i]);
    }
    free(found);
    if (changes_count > listed_count) {
        xylem_cli__note(cli, "%s/" STORE " does not list every file that ends in .changes: %zu left alone", directory,
                        changes_count - listed_count);
    }
    return code;
}

bool xylem_cli__is_export(const char *directory)
{
    char *path = xylem_cli__path_below(directory, STORE);
    bool is_export = path && access(path, F_OK) == 0;
    free(path);
    return is_export;
}

int xylem_cli__export_dir_read(struct xylem_cli *cli, struct xylem_cli__export_dir *dir, struct xylem_cli__files *files,
                               const char *directory)
{
    struct xylem_cli__text text = {0};
    struct xylem_document *document = NULL;
    size_t changes_before = dir->changes.count;
    size_t documents_before = dir->documents.count;
    int code = read_store(cli, &document, &text, directory);
    const struct xylem_value *store = code == 0 ? xylem_document_value(document) : NULL;
    const struct xylem_value *list = xylem_value_get(store, "files");
    int64_t sessions = 0;
    if (code == 0 && (!xylem_value_integer(&sessions, xylem_value_get(store, "session_count")) ||
                      (list && xylem_value_type(list) != XYLEM_VALUE_ARRAY))) {
        code = fail_store(cli, directory, "a member `session_count`, and a list `files`");
    }
    code = code == 0 ? add_listed(cli, dir, list, directory) : code;
    code = code == 0 ? visit(cli, dir, list != NULL, dir->changes.count - changes_before, directory) : code;
    size_t count = list ? dir->changes.count - changes_before : dir->documents.count - documents_before;
    if (code == 0 &&
        (list ? count < (uint64_t)sessions : count != (uint64_t)sessions)) { /* freed sessions have files */
        code = xylem_cli__fail(cli, XYLEM_E_MALFORMED,
                               "%s: expected the %s of %lld sessions, found %zu; nothing was imported: copy the "
                               "export again",
                               directory, list ? "files" : "documents", (long long)sessions, count);
    } else if (code == 0 && !list) {
        xylem_cli__note(cli,
                        "%s was written in format 2: moves come behind all entries, redacted entries with their reason "
                        "as content",
                        directory);
        code = xylem_cli__files_add(cli, files, directory);
    }
    xylem_document_free(document);
    xylem_cli__text_release(&text);
    return code;
}

void xylem_cli__export_dir_release(struct xylem_cli__export_dir *dir)
{
    xylem_cli__files_release(&dir->changes);
    xylem_cli__files_release(&dir->documents);
}
