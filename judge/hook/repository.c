/*
 * Inspects a directory in which git would run, in these steps:
 *
 *     /src/app/lib              the directory: go up to the nearest repository
 *     /src/app/.git             a directory, or a file `gitdir: PATH`
 *         config                each setting, by git_settings.c; the same for config.worktree
 *         hooks/                hooks that reading commands run
 *         commondir             in a linked worktree: the directory with the shared config and hooks
 *         index                 submodules: look at each one the same way
 *     ~/.gitconfig, ...         the user's settings that can run programs of this repository
 *
 * The first find ends the look.
 */
#include "judge/hook/repository.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/os.h"
#include "base/value.h"
#include "judge/hook/git_config.h"
#include "judge/hook/git_index.h"
#include "judge/hook/git_settings.h"
#include "judge/hook/real_path.h"
#include "judge/policy/words/words.h"

#define CONFIG_BYTES_MAX ((size_t)1048576)
#define LINK_BYTES_MAX ((size_t)8192) /* of a file with one path */
#define REPOSITORIES_MAX 256u         /* with submodules */
#define SUBMODULES_NESTING_MAX 16u
#define INCLUDES_DEPTH_MAX 10u /* the limit of git */

/* The look at one directory. Each function gives 0 to go on, 1 (with the reason) or MEMORY. */
struct look {
    struct xylem_buffer *why;
    const struct xylem_hook__git_use *use;
    struct xylem_hook__reached reached;
    unsigned repository_count;
    /* The configuration under the visitor: */
    const char *config_path;
    const char *git_directory;
    const char *work_tree;
    bool is_common;         /* git reads the layout of the repository in this file */
    size_t hash_bytes;      /* of an object's name */
    bool checks_signatures; /* a setting names a program for signatures */
    bool merges;            /* a setting names a program for merges */
};

/* Appends the reason, escaped like the text of an error. */
__attribute__((format(printf, 2, 3))) static int refuse(struct look *look, const char *format, ...)
{
    char raw[XYLEM_ERROR_TEXT_BYTES];
    struct xylem_error shown;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    xylem_base__fail(&shown, XYLEM_OK, "%s", raw);
    int code = xylem_base__buffer_add_text(look->why, shown.text);
    return code < 0 ? code : 1;
}

static int refuse_unreadable(struct look *look, const char *path, int errnum)
{
    return refuse(look, "%s cannot be read: %s", path, xylem_base__errno_text(errnum));
}

/* --- Reading ---------------------------------------------------------------------------------------------------- */

/* Reads a file of `size` and at most `bytes_max` bytes: 0, an errno, or -1 for a longer one. */
static int read_rest(struct xylem_buffer *text, int fd, size_t size, size_t bytes_max)
{
    while (text->bytes <= bytes_max) {
        if (xylem_base__buffer_reserve(text, 4096) < 0) {
            return ENOMEM;
        }
        ssize_t count = read(fd, text->data + text->bytes, text->capacity - text->bytes - 1);
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        text->bytes += count > 0 ? (size_t)count : 0;
        if (count == 0 || (text->bytes == size && size <= bytes_max)) {
            text->data[text->bytes] = '\0';
            return 0;
        }
    }
    return -1;
}

/* Finds the file where git finds the file. Refuses a path into /proc, and a dangling link. */
static int follow(struct look *look, struct xylem_hook__real_path *real, const char *path)
{
    const char *why = xylem_hook__real_path(real, &look->reached, path);
    return !why ? 0 : refuse(look, "%s is not followed: %s", path, why);
}

/* Reads a file. 0 with the bytes, or with `absent`; 1 with the reason why the file cannot be read; MEMORY. */
static int read_file(struct look *look, struct xylem_buffer *text, bool *absent, const char *path, size_t bytes_max)
{
    struct xylem_hook__real_path real;
    struct stat status;
    int code = follow(look, &real, path);
    *absent = code == 0 && !real.found;
    if (code != 0 || *absent) {
        return code;
    }
    if (!S_ISREG(real.mode)) {
        return refuse(look, "%s is not a regular file", path);
    }
    int fd = open(real.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    int errnum = fd < 0 || fstat(fd, &status) != 0 ? errno : 0;
    if (errnum == 0) {
        errnum = read_rest(text, fd, (size_t)status.st_size, bytes_max);
    }
    xylem_base__file_close(&fd);
    if (errnum == ENOMEM) {
        return XYLEM_E_MEMORY;
    }
    return errnum == 0  ? 0
           : errnum < 0 ? refuse(look, "%s has more than %zu bytes", path, bytes_max)
                        : refuse_unreadable(look, path, errnum);
}

/* Joins `directory` and `below`; an absolute `below` stays. */
static char *path_from(const char *directory, struct xylem_view below)
{
    char *name = strndup(xylem_base__shown(below), below.bytes);
    if (!name || *name == '/') {
        return name;
    }
    char *path = xylem_base__path_join(directory, name);
    free(name);
    return path;
}

/* Reads the path in a file `BEGINNING PATH`. A relative path begins at `base`. NULL in `path`: no such file. */
static int read_path(struct look *look, char **path, const char *file, const char *beginning, const char *base)
{
    struct xylem_buffer text = {0};
    bool absent = false;
    int code = read_file(look, &text, &absent, file, LINK_BYTES_MAX);
    size_t before = strlen(beginning);
    *path = NULL;
    if (code == 0 && !absent) {
        while (text.bytes > 0 && (text.data[text.bytes - 1] == '\n' || text.data[text.bytes - 1] == '\r')) {
            text.data[--text.bytes] = '\0';
        }
        if (text.bytes <= before || memcmp(text.data, beginning, before) != 0 || strlen(text.data) != text.bytes ||
            strchr(text.data, '\n')) {
            code = *beginning == '\0' ? refuse(look, "%s: expected one path", file)
                                      : refuse(look, "%s: expected '%s' and one path", file, beginning);
        } else {
            *path = path_from(base, xylem_view_of(text.data + before));
            code = *path ? 0 : XYLEM_E_MEMORY;
        }
    }
    xylem_buffer_release(&text);
    return code;
}

/* --- The configuration ------------------------------------------------------------------------------------------ */

static int refuse_setting(struct look *look, const struct xylem_hook__git_setting *setting)
{
    return refuse(look, "%s sets %.*s%s%.*s.%.*s, which can make git run programs", look->config_path,
                  xylem_base__shown_bytes(setting->section), setting->section.data,
                  setting->subsection.bytes > 0 ? "." : "", xylem_base__shown_bytes(setting->subsection),
                  xylem_base__shown(setting->subsection), xylem_base__shown_bytes(setting->key), setting->key.data);
}

static int look_at_hook(struct look *look, const char *directory, const char *name)
{
    struct xylem_hook__real_path real;
    char *path = xylem_base__path_join(directory, name);
    int code = path ? follow(look, &real, path) : XYLEM_E_MEMORY;
    if (code == 0 && real.found) {
        code = refuse(look, "%s is a hook that git may run", path);
    }
    free(path);
    return code;
}

static int look_at_hooks(struct look *look, const char *directory)
{
    static const char *const when_writing[] = {"reference-transaction", "post-checkout"};
    int code = look_at_hook(look, directory, "post-index-change");
    for (size_t i = 0; code == 0 && look->use->writes && i < sizeof when_writing / sizeof when_writing[0]; i++) {
        code = look_at_hook(look, directory, when_writing[i]);
    }
    return code;
}

/* A relative core.hooksPath begins at the work tree, or at the git directory of a bare repository. */
static int look_at_moved_hooks(struct look *look, const struct xylem_hook__git_setting *setting)
{
    bool understood = xylem_policy__view_is_printed(setting->value) && setting->value.bytes > 0 &&
                      setting->value.data[0] != '~' && setting->value.data[0] != '%';
    char *path = understood ? path_from(look->work_tree, setting->value) : NULL;
    int code = !understood ? refuse_setting(look, setting) : !path ? XYLEM_E_MEMORY : look_at_hooks(look, path);
    free(path);
    return code;
}

/* Follows core.worktree and extensions.objectformat, the length of an object's name. 0 for other settings. */
static int look_at_layout(struct look *look, const struct xylem_hook__git_setting *setting)
{
    if (xylem_base__view_is(setting->section, "core") && xylem_base__view_is(setting->key, "worktree")) {
        struct xylem_hook__real_path named = {.found = false};
        char *path = path_from(look->git_directory, setting->value);
        int code = path ? follow(look, &named, path) : XYLEM_E_MEMORY;
        bool plain = xylem_policy__view_is_printed(setting->value);
        /* The submodules of a work tree elsewhere would lie elsewhere as well. */
        if (code == 0 && (!plain || !named.found || strcmp(named.path, look->work_tree) != 0)) {
            code =
                refuse(look, "%s sets core.worktree to another directory than %s", look->config_path, look->work_tree);
        }
        free(path);
        return code;
    }
    bool of_format = xylem_base__view_is(setting->section, "extensions") && !setting->has_subsection;
    if (of_format && xylem_base__view_is(setting->key, "objectformat")) {
        if (!look->is_common) {
            return refuse(look, "%s: extensions.objectformat belongs in the config of the common directory",
                          look->config_path);
        }
        bool sha256 = xylem_base__view_is(setting->value, "sha256");
        look->hash_bytes = sha256 ? 32 : 20;
        return sha256 || xylem_base__view_is(setting->value, "sha1")
                   ? 0
                   : refuse(look, "%s: extensions.objectformat: expected sha1 or sha256", look->config_path);
    }
    return 0;
}

static int look_at_setting(struct look *look, const struct xylem_hook__git_setting *setting)
{
    enum xylem_hook__git_effect effect = xylem_hook__git_effect(setting);
    if (effect == XYLEM_HOOK__GIT_DATA) {
        return look_at_layout(look, setting);
    }
    if (look->use->plain && effect == XYLEM_HOOK__GIT_RUNS_OTHERWISE) {
        return 0;
    }
    if (look->use->plain && effect == XYLEM_HOOK__GIT_MOVES_HOOKS) {
        return look_at_moved_hooks(look, setting);
    }
    if (look->use->plain && look->use->user_configs && effect == XYLEM_HOOK__GIT_CHECKS_SIGNATURES) {
        look->checks_signatures = true;
        return 0;
    }
    if (look->use->plain && look->use->user_configs && effect == XYLEM_HOOK__GIT_MERGES) {
        look->merges = true;
        return 0;
    }
    return refuse_setting(look, setting);
}

/* A file of the configuration. */
struct config {
    struct look *look;
    const char *path;
    bool of_user;   /* else of the repository */
    unsigned depth; /* of includes */
    int code;       /* of the last setting */
};

static bool visit(void *context, const struct xylem_hook__git_setting *setting);

/* Looks at each setting of a file; a missing file has none. */
static int read_config(struct look *look, const char *path, bool of_user, unsigned depth)
{
    struct config config = {.look = look, .path = path, .of_user = of_user, .depth = depth};
    struct xylem_buffer text = {0};
    bool absent = false;
    int code = read_file(look, &text, &absent, path, CONFIG_BYTES_MAX);
    if (code == 0 && !absent) {
        look->config_path = path;
        code = xylem_hook__git_config(xylem_base__buffer_view(&text), visit, &config);
        if (code == XYLEM_E_STOPPED) {
            code = config.code;
        } else if (code == XYLEM_E_MALFORMED) {
            code = refuse(look, "%s is not understood", path);
        }
    }
    xylem_buffer_release(&text);
    return code;
}

static int look_at_config(struct look *look, const char *directory, const char *name)
{
    char *path = xylem_base__path_join(directory, name);
    look->git_directory = directory;
    int code = path ? read_config(look, path, false, 0) : XYLEM_E_MEMORY;
    free(path);
    return code;
}

static int look_at_settings(struct look *look, const char *directory, bool is_common)
{
    char *hooks = xylem_base__path_join(directory, "hooks");
    look->is_common = is_common;
    int code = hooks ? look_at_config(look, directory, "config") : XYLEM_E_MEMORY;
    look->is_common = false;
    if (code == 0 && (code = look_at_config(look, directory, "config.worktree")) == 0) {
        code = look_at_hooks(look, hooks);
    }
    free(hooks);
    return code;
}

/* --- The user's configuration ------------------------------------------------------------------------------------ */

/* Follows an include. An include under a condition counts as well. */
static int look_at_include(struct config *file, const struct xylem_hook__git_setting *setting)
{
    struct look *look = file->look;
    bool at_home = xylem_policy__view_begins(setting->value, "~/") && look->use->home;
    bool understood = at_home || (setting->value.bytes > 0 && !strchr("~%", setting->value.data[0]));
    if (!xylem_base__view_is(setting->key, "path")) {
        return 0;
    }
    if (!understood || file->depth == INCLUDES_DEPTH_MAX) {
        return refuse(look, "%s includes a file that the hook does not read", file->path);
    }
    struct xylem_view named = setting->value;
    if (at_home) { /* drops `~` and all slashes behind: a rest with a slash in front would count as absolute */
        do {
            named = (struct xylem_view){named.data + 1, named.bytes - 1};
        } while (named.bytes > 0 && *named.data == '/');
    }
    assert(file->path[0] == '/'); /* read_config() has read the file */
    char *directory = strndup(file->path, (size_t)(strrchr(file->path, '/') - file->path));
    char *path = directory ? path_from(at_home ? look->use->home : directory, named) : NULL;
    int code = path ? read_config(look, path, true, file->depth + 1) : XYLEM_E_MEMORY;
    look->config_path = file->path;
    free(path);
    free(directory);
    return code;
}

/* True if a word of a shell command names a file by a relative path. Git runs the command in the work tree. */
static bool names_relative_path(struct xylem_view command)
{
    static const char ends[] = " \t\n;&|()<>'\"`=";
    for (size_t at = 0; at < command.bytes;) {
        size_t begin = at;
        while (at < command.bytes && !memchr(ends, command.data[at], sizeof ends)) {
            at++;
        }
        struct xylem_view word = {command.data + begin, at - begin};
        bool from_root = word.bytes > 0 && (word.data[0] == '/' || word.data[0] == '~');
        if (!from_root && !xylem_policy__view_begins(word, "$HOME/") && xylem_policy__view_has(word, '/')) {
            return true;
        }
        at++;
    }
    return false;
}

/*
 * The hook trusts the user's own programs. But three kinds of settings of the user are refused:
 * - log.showSignature and the like, if the repository names the program for signatures or for merges;
 * - a program or a directory of hooks with a relative path: git runs them in the work tree;
 * - settings that open submodules: git runs in directories that only the history names.
 */
static int look_at_user_setting(struct look *look, const struct xylem_hook__git_setting *setting)
{
    switch (xylem_hook__git_effect(setting)) {
    case XYLEM_HOOK__GIT_OPENS_SUBMODULES:
        return refuse_setting(look, setting);
    case XYLEM_HOOK__GIT_SHOWS_SIGNATURES:
        return look->checks_signatures ? refuse_setting(look, setting) : 0;
    case XYLEM_HOOK__GIT_MERGES_ANEW:
        return look->merges ? refuse_setting(look, setting) : 0;
    case XYLEM_HOOK__GIT_RUNS:
    case XYLEM_HOOK__GIT_CHECKS_SIGNATURES:
    case XYLEM_HOOK__GIT_MERGES:
        return names_relative_path(setting->value) ? refuse_setting(look, setting) : 0;
    case XYLEM_HOOK__GIT_MOVES_HOOKS:
        if (setting->value.bytes > 0 && strchr("/~%", setting->value.data[0])) {
            return 0;
        }
        return look->use->plain ? look_at_moved_hooks(look, setting) : refuse_setting(look, setting);
    default:
        return 0;
    }
}

static bool visit(void *context, const struct xylem_hook__git_setting *setting)
{
    struct config *config = context;
    bool includes = xylem_hook__git_effect(setting) == XYLEM_HOOK__GIT_INCLUDES;
    config->code = !config->of_user ? look_at_setting(config->look, setting)
                   : includes       ? look_at_include(config, setting)
                                    : look_at_user_setting(config->look, setting);
    return config->code == 0;
}

/* --- What is a repository --------------------------------------------------------------------------------------- */

/* True if git finds the name in the directory. Git only checks the right to execute, so a file counts as well. */
static bool has(struct look *look, int *code, const char *directory, const char *name)
{
    struct xylem_hook__real_path real = {.found = false};
    char *path = xylem_base__path_join(directory, name);
    bool found = false;
    *code = path ? follow(look, &real, path) : XYLEM_E_MEMORY;
    if (*code == 0 && real.found) {
        found = access(real.path, X_OK) == 0;
        *code = found || errno == EACCES ? 0 : refuse_unreadable(look, path, errno);
    }
    free(path);
    return found;
}

/* True for `ref: refs/...` and for an object's name: every version of git accepts these as a HEAD. */
static bool is_head(struct xylem_view text)
{
    if (text.bytes > 0 && text.data[text.bytes - 1] == '\n') {
        text.bytes--;
    }
    if (xylem_policy__view_begins(text, "ref: refs/")) {
        return !memchr(text.data, '\n', text.bytes);
    }
    size_t digits = xylem_base__skip(text, 0, XYLEM_BASE__HEX_DIGITS);
    return digits == text.bytes && (digits == 40 || digits == 64);
}

/* The directories of a repository: with a HEAD, `objects` and `refs`. */
struct repository {
    char *git_directory;
    char *common_directory; /* in a linked worktree another directory, else the same */
};

static void repository_release(struct repository *repository)
{
    free(repository->git_directory);
    free(repository->common_directory);
    *repository = (struct repository){NULL, NULL};
}

/* The real path of the directory in `commondir`. Without that file, the git directory itself. */
static int read_common(struct look *look, char **common, const char *directory)
{
    struct xylem_hook__real_path real;
    char *named = NULL;
    char *path = xylem_base__path_join(directory, "commondir");
    int code = path ? read_path(look, &named, path, "", directory) : XYLEM_E_MEMORY;
    if (code == 0 && named) {
        code = follow(look, &real, named);
    }
    if (code == 0) {
        *common = strdup(named && real.found ? real.path : named ? named : directory);
        code = *common ? 0 : XYLEM_E_MEMORY;
    }
    free(named);
    free(path);
    return code;
}

/* Refuses a HEAD that is not understood. Without `objects` and `refs` git goes on upwards, and HEAD does not count. */
static int check_head(struct look *look, const char *path)
{
    struct xylem_buffer head = {0};
    bool absent = false;
    int code = read_file(look, &head, &absent, path, LINK_BYTES_MAX);
    if (code == 0 && !is_head(xylem_base__buffer_view(&head))) {
        code = refuse(look, "%s is not understood", path);
    }
    xylem_buffer_release(&head);
    return code;
}

/* Fills `repository` if `directory`, a real path, is a git directory. Otherwise the members stay NULL. */
static int is_git_directory(struct look *look, struct repository *repository, const char *directory)
{
    struct stat status;
    char *common = NULL;
    char *path = xylem_base__path_join(directory, "HEAD");
    int code = path ? 0 : XYLEM_E_MEMORY;
    bool found = code == 0 && lstat(path, &status) == 0;
    if (code == 0 && !found && errno != ENOENT && errno != ENOTDIR) {
        code = refuse_unreadable(look, path, errno);
    }
    if (code == 0 && found) {
        code = read_common(look, &common, directory);
    }
    found = found && code == 0 && has(look, &code, common, "objects") && has(look, &code, common, "refs");
    if (code == 0 && found) {
        code = S_ISREG(status.st_mode) ? check_head(look, path) : refuse(look, "%s is not a regular file", path);
    }
    if (code == 0 && found) {
        *repository = (struct repository){strdup(directory), common};
        common = NULL;
        code = repository->git_directory ? 0 : XYLEM_E_MEMORY;
    }
    free(common);
    free(path);
    return code;
}

/* Finds the repository at `.git` in the directory: a directory, or a file with the path of the repository. */
static int dot_git(struct look *look, struct repository *repository, const char *directory)
{
    struct xylem_hook__real_path real = {.found = false};
    char *target = NULL;
    char *path = xylem_base__path_join(directory, ".git");
    int code = path ? follow(look, &real, path) : XYLEM_E_MEMORY;
    bool is_file = code == 0 && real.found && !S_ISDIR(real.mode);
    if (is_file && (code = read_path(look, &target, path, "gitdir: ", directory)) == 0) {
        code = !target ? refuse(look, "%s vanished while the hook read it", path) : follow(look, &real, target);
    }
    if (code == 0 && real.found) {
        code = is_git_directory(look, repository, real.path);
    }
    if (code == 0 && is_file && !repository->git_directory) {
        code = refuse(look, "%s does not lead to a repository", path);
    }
    free(target);
    free(path);
    return code;
}

/* --- Submodules ------------------------------------------------------------------------------------------------- */

/* The submodules of one index. */
struct submodules {
    struct look *look;
    const char *work_tree;
    unsigned nesting;
    int code;
};

static int look_at_repository(struct look *look, const struct repository *repository, const char *work_tree,
                              unsigned nesting);

/* git status runs git in each submodule of the work tree, with the configuration of the submodule. */
static bool look_at_submodule(void *context, const char *path)
{
    struct submodules *submodules = context;
    struct look *look = submodules->look;
    struct repository repository = {NULL, NULL};
    struct xylem_hook__real_path real = {.found = false};
    char *directory = xylem_base__path_join(submodules->work_tree, path);
    submodules->code = directory ? follow(look, &real, directory) : XYLEM_E_MEMORY;
    if (submodules->code == 0 && real.found) {
        if (submodules->nesting == SUBMODULES_NESTING_MAX || look->repository_count == REPOSITORIES_MAX) {
            submodules->code = refuse(look, "%s: there are too many submodules", directory);
        } else {
            submodules->code = dot_git(look, &repository, real.path);
        }
    }
    if (submodules->code == 0 && repository.git_directory) {
        submodules->code = look_at_repository(look, &repository, real.path, submodules->nesting + 1);
    }
    repository_release(&repository);
    free(directory);
    return submodules->code == 0;
}

static int look_at_repository(struct look *look, const struct repository *repository, const char *work_tree,
                              unsigned nesting)
{
    struct submodules submodules = {look, work_tree, nesting, 0};
    struct xylem_hook__real_path real = {.found = false};
    char *index = xylem_base__path_join(repository->git_directory, "index");
    const char *why = NULL;
    look->repository_count++;
    look->hash_bytes = 20;
    look->work_tree = work_tree;
    bool linked = strcmp(repository->git_directory, repository->common_directory) != 0;
    int code = index ? look_at_settings(look, repository->git_directory, !linked) : XYLEM_E_MEMORY;
    if (code == 0 && linked) {
        code = look_at_settings(look, repository->common_directory, true);
    }
    if (code == 0 && (code = follow(look, &real, index)) == 0 && real.found) {
        code = xylem_hook__git_index(real.path, look->hash_bytes, look_at_submodule, &submodules, &why);
    }
    if (code == XYLEM_E_STOPPED) {
        code = submodules.code;
    } else if (code == XYLEM_E_MALFORMED) {
        code = refuse(look, "%s: %s", index, why);
    }
    /* The user's settings come last: settings of submodules can meet them. Relative paths begin at the work tree. */
    look->work_tree = work_tree;
    for (const char *const *path = look->use->user_configs; code == 0 && path && *path; path++) {
        code = read_config(look, *path, true, 0);
    }
    free(index);
    return code;
}

/*
 * True if a `..` in the path follows a symbolic link, or a name that cannot be looked up. For `cd link/..` the shell
 * stays in the directory of the link, but `git -C link/..` goes to the directory above the target.
 */
static bool leaves_link(const char *path)
{
    char walked[PATH_MAX];
    struct stat status;
    size_t bytes = 0;
    for (const char *at = path; *at != '\0';) {
        size_t name_bytes = strcspn(at, "/");
        bool up = name_bytes == 2 && at[0] == '.' && at[1] == '.';
        if (up && bytes > 0) {
            if (lstat(walked, &status) != 0 || S_ISLNK(status.st_mode)) {
                return true;
            }
            bytes = (size_t)(strrchr(walked, '/') - walked);
        } else if (!up && name_bytes > 0 && (name_bytes > 1 || at[0] != '.')) {
            if (bytes + name_bytes + 2 > sizeof walked) {
                return true;
            }
            walked[bytes++] = '/';
            memcpy(walked + bytes, at, name_bytes);
            bytes += name_bytes;
        }
        walked[bytes] = '\0';
        at += name_bytes;
        at += *at == '/';
    }
    return false;
}

int xylem_hook__repository_runs(struct xylem_buffer *why, const char *directory, const struct xylem_hook__git_use *use)
{
    struct look look = {.why = why, .use = use, .reached = {.fd = -1}};
    struct repository repository = {NULL, NULL};
    struct xylem_hook__real_path real;
    if (*directory != '/') {
        return refuse(&look, "git would run in %s, a directory that is not known: expected an absolute path",
                      directory);
    }
    if (leaves_link(directory)) {
        return refuse(&look, "%s leaves a symbolic link by a `..`", directory);
    }
    int code = follow(&look, &real, directory);
    if (code == 0 && !real.found) {
        code = refuse(&look, "%s does not exist", directory);
    }
    /* Shortens the path to the nearest repository: in each directory `.git` first, then the directory, like git. */
    while (code == 0) {
        code = dot_git(&look, &repository, real.path);
        if (code == 0 && !repository.git_directory) {
            code = is_git_directory(&look, &repository, real.path);
        }
        char *slash = strrchr(real.path, '/');
        if (repository.git_directory || !slash || real.path[1] == '\0') {
            break;
        }
        slash[slash == real.path ? 1 : 0] = '\0';
    }
    if (code == 0 && repository.git_directory) {
        code = look_at_repository(&look, &repository, real.path, 0);
    }
    xylem_hook__reached_release(&look.reached);
    repository_release(&repository);
    return code;
}
