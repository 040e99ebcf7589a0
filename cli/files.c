#include "cli/files.h"
#include "xylem/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SUFFIX ".jsonl"

int xylem_cli__files_add_path(struct xylem_cli *cli, struct xylem_cli__files *files, char *path)
{
    int code = xylem_cli__list_add(cli, &files->paths, &files->count, &files->capacity, &path, sizeof path);
    if (code < 0) {
        free(path);
    }
    return code;
}

static void report_unreadable(struct xylem_cli *cli, struct xylem_cli__files *files, const char *path, int number)
{
    if (files->quiet && (number == ENOENT || number == ENOTDIR)) {
        return;
    }
    int result = number == ENOENT || number == ENOTDIR ? XYLEM_CLI__NOT_FOUND : XYLEM_CLI__IO;
    if (*path == '\0') {
        xylem_cli__note(cli, "expected a file or a directory, found an empty word");
    } else {
        xylem_cli__note(cli, "%s: %s", path, strerror(number));
    }
    files->problem_count++;
    files->worst = files->worst > result ? files->worst : result;
}

bool xylem_cli__is_session_file(const char *name)
{
    size_t length = strlen(name);
    return length > strlen(SUFFIX) && strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

char *xylem_cli__path_below(const char *directory, const char *name)
{
    char *path = NULL;
    size_t length = strlen(directory);
    bool ends = length > 0 && directory[length - 1] == '/';
    return asprintf(&path, "%s%s%s", directory, ends ? "" : "/", name) < 0 ? NULL : path;
}

static int add_directory(struct xylem_cli *cli, struct xylem_cli__files *files, const char *directory);

/* Links to directories are not followed, so the search ends. */
static int add_found(struct xylem_cli *cli, struct xylem_cli__files *files, const char *directory, const char *name)
{
    struct stat status;
    int code = 0;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return 0;
    }
    char *path = xylem_cli__path_below(directory, name);
    if (!path) {
        return xylem_cli__fail_memory(cli);
    }
    if (lstat(path, &status) != 0) {
        report_unreadable(cli, files, path, errno);
    } else if (S_ISDIR(status.st_mode)) {
        code = add_directory(cli, files, path);
    } else if (xylem_cli__is_session_file(name) && stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        return xylem_cli__files_add_path(cli, files, path);
    }
    free(path);
    return code;
}

static int add_directory(struct xylem_cli *cli, struct xylem_cli__files *files, const char *directory)
{
    struct dirent **names = NULL;
    int count = scandir(directory, &names, NULL, alphasort);
    int code = 0;
    if (count < 0) {
        report_unreadable(cli, files, directory, errno);
        return 0;
    }
    for (int i = 0; i < count; i++) {
        if (code == 0) {
            code = add_found(cli, files, directory, names[i]->d_name);
        }
        free(names[i]);
    }
    free(names);
    return code;
}

int xylem_cli__files_add(struct xylem_cli *cli, struct xylem_cli__files *files, const char *path)
{
    struct stat status;
    size_t before = files->count;
    int worst = files->worst;
    if (stat(path, &status) != 0) {
        report_unreadable(cli, files, path, errno);
        return 0;
    }
    if (!S_ISDIR(status.st_mode)) {
        char *copy = strdup(path);
        return copy ? xylem_cli__files_add_path(cli, files, copy) : xylem_cli__fail_memory(cli);
    }
    int code = add_directory(cli, files, path);
    if (code == 0 && !files->quiet && files->count == before && files->worst == worst) {
        xylem_cli__note(cli, "%s: the directory has no file that ends in " SUFFIX, path);
        files->problem_count++;
        files->worst = worst > XYLEM_CLI__PROBLEM ? worst : XYLEM_CLI__PROBLEM;
    }
    return code;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void xylem_cli__files_sort(struct xylem_cli__files *files)
{
    size_t kept = 0;
    if (files->count == 0) {
        return;
    }
    qsort(files->paths, files->count, sizeof *files->paths, by_path);
    for (size_t i = 1; i < files->count; i++) {
        if (strcmp(files->paths[i], files->paths[kept]) == 0) {
            free(files->paths[i]);
        } else {
            files->paths[++kept] = files->paths[i];
        }
    }
    files->count = kept + 1;
}

int xylem_cli__files_order(struct xylem_cli *cli, struct xylem_cli__files *files)
{
    size_t *order = calloc(files->count + 1, sizeof *order);
    char **paths = calloc(files->count + 1, sizeof *paths);
    int code = !order || !paths ? xylem_cli__fail_memory(cli)
                                : xylem_import_order(order, (const char *const *)files->paths, files->count, &cli->err);
    if (code == 0) {
        for (size_t i = 0; i < files->count; i++) {
            paths[i] = files->paths[order[i]];
        }
        free(files->paths);
        files->paths = paths;
        files->capacity = files->count + 1;
        paths = NULL;
    }
    free(paths);
    free(order);
    return code;
}

void xylem_cli__files_release(struct xylem_cli__files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->paths[i]);
    }
    free(files->paths);
    files->paths = NULL;
    files->count = 0;
    files->capacity = 0;
}
