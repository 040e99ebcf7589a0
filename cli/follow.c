/*
 * Follows session files by inotify. One watch for each directory:
 *
 *     a root that is a directory    watches on the directory and all directories below
 *     a root that is a file         a watch on the directory of the file; events of other files are left out
 *     a missing root                looked for at each collection
 *     a new directory               first a watch, then its files: a file comes by the one or by the other
 *     a symbolic link to a file     looked at in each collection: its target changes without an event
 *     too many events               all files are taken
 */
#include "cli/follow.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CHANGES (IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_MOVE_SELF | IN_ONLYDIR)
#define EVENTS_BYTES 65536

static void stop_watching(struct xylem_cli *cli, struct xylem_cli__follow *follow, const char *path, int number)
{
    if (follow->fd >= 0) {
        xylem_cli__note(cli, "%s: files are looked at every %d ms: inotify: %s", path, XYLEM_CLI__FOLLOW_MS,
                        strerror(number));
        close(follow->fd);
        follow->fd = -1;
        follow->all = true;
    }
}

/* A directory that is gone, or may not be read, is left out. */
static void stop_unless_gone(struct xylem_cli *cli, struct xylem_cli__follow *follow, const char *path, int number)
{
    if (number != ENOENT && number != ENOTDIR && number != EACCES) {
        stop_watching(cli, follow, path, number);
    }
}

static struct xylem_cli__follow_directory *find(const struct xylem_cli__follow *follow, int watch)
{
    for (size_t i = 0; i < follow->directory_count; i++) {
        if (follow->directories[i].watch == watch) {
            return &follow->directories[i];
        }
    }
    return NULL;
}

/* A file system of another machine, or of a program: a change there may come without an event here. */
static bool may_be_silent(const char *path)
{
    static const unsigned long silent[] = {0x6969,     0x517b,     0xfe534d42, 0xff534d42, 0x01021997,
                                           0x65735546, 0x00c36400, 0x5346414f, 0x6b414653, 0x73757245,
                                           0x0bd00bd0, 0x01161970, 0x7461636f};
    struct statfs fs;
    bool there = statfs(path, &fs) == 0;
    for (size_t i = 0; there && i < sizeof silent / sizeof *silent; i++) {
        if (((unsigned long)fs.f_type & 0xfffffffful) == silent[i]) {
            return true;
        }
    }
    return false;
}

/* Adds a watch. Gives its number; -1: the directory is gone, or may not be read, or there is no inotify any more. */
static int add_watch(struct xylem_cli *cli, struct xylem_cli__follow *follow, const char *path, bool whole)
{
    if (follow->fd >= 0 && may_be_silent(path)) {
        stop_watching(cli, follow, path, EREMOTE);
    }
    int watch = follow->fd < 0 ? -1 : inotify_add_watch(follow->fd, path, CHANGES);
    if (watch < 0) {
        stop_unless_gone(cli, follow, path, errno);
        return -1;
    }
    struct xylem_cli__follow_directory *known = find(follow, watch);
    char *copy = strdup(path);
    if (known && copy) { /* the directory may have another name by now */
        free(known->path);
        known->path = copy;
        known->whole = known->whole || whole;
        return watch;
    }
    const struct xylem_cli__follow_directory directory = {.watch = watch, .whole = whole, .path = copy};
    if (!copy || xylem_cli__list_add(cli, &follow->directories, &follow->directory_count, &follow->directory_capacity,
                                     &directory, sizeof directory) < 0) {
        free(copy);
        stop_watching(cli, follow, path, ENOMEM);
        return -1;
    }
    return watch;
}

/* Remembers the path if a symbolic link is there. */
static void add_link(struct xylem_cli *cli, struct xylem_cli__follow *follow, const char *path)
{
    struct stat status;
    bool known = follow->fd < 0 || lstat(path, &status) != 0 || !S_ISLNK(status.st_mode);
    for (size_t i = 0; !known && i < follow->link_count; i++) {
        known = strcmp(follow->links[i].path, path) == 0;
    }
    if (known) {
        return;
    }
    struct xylem_cli__follow_seen link = {.path = strdup(path)};
    if (!link.path ||
        xylem_cli__list_add(cli, &follow->links, &follow->link_count, &follow->link_capacity, &link, sizeof link) < 0) {
        free(link.path);
        stop_watching(cli, follow, path, ENOMEM);
    }
}

/* Watches a directory and all directories below. Gives the number of the upper watch. */
static int add_tree(struct xylem_cli *cli, struct xylem_cli__follow *follow, const char *path)
{
    struct dirent **names = NULL;
    struct stat status;
    int watch = add_watch(cli, follow, path, true);
    int count = watch < 0 ? 0 : scandir(path, &names, NULL, NULL); /* keeps no directory open */
    if (count < 0) {
        stop_unless_gone(cli, follow, path, errno);
    }
    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name;
        bool self = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
        char *below = self || names[i]->d_type == DT_REG ? NULL : xylem_cli__path_below(path, name);
        if (below && lstat(below, &status) == 0 && S_ISDIR(status.st_mode)) {
            add_tree(cli, follow, below);
        } else if (below && xylem_cli__is_session_file(name)) {
            add_link(cli, follow, below);
        }
        free(below);
        free(names[i]);
    }
    free(names);
    return watch;
}

/* Watches a root. A missing file is a file that may come, by its name; any other missing root, a directory. */
static int add_root(struct xylem_cli *cli, struct xylem_cli__follow *follow, const char *root)
{
    struct stat status;
    bool there = stat(root, &status) == 0;
    if (there ? S_ISDIR(status.st_mode) : !xylem_cli__is_session_file(root)) {
        return there ? add_tree(cli, follow, root) : -1;
    }
    add_link(cli, follow, root);
    const char *slash = strrchr(root, '/');
    char *parent = slash ? strndup(root, slash == root ? 1 : (size_t)(slash - root)) : strdup(".");
    int watch = parent ? add_watch(cli, follow, parent, false) : -1;
    free(parent);
    return watch;
}

int xylem_cli__follow_start(struct xylem_cli *cli, struct xylem_cli__follow *follow, char **roots)
{
    size_t count = 0;
    while (roots[count]) {
        count++;
    }
    *follow = (struct xylem_cli__follow){.roots = roots, .all = true, .fd = -1};
    follow->root_watches = calloc(count + 1, sizeof *follow->root_watches);
    if (!follow->root_watches) {
        return xylem_cli__fail_memory(cli);
    }
    for (size_t i = 0; i < count; i++) {
        follow->root_watches[i] = -1;
    }
    follow->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (follow->fd < 0) {
        xylem_cli__note(cli, "files are looked at every %d ms: inotify: %s", XYLEM_CLI__FOLLOW_MS, strerror(errno));
    }
    return 0;
}

/* Looks for roots without a watch. A root that appears is collected as a whole. */
static int add_roots(struct xylem_cli *cli, struct xylem_cli__follow *follow, struct xylem_cli__files *files)
{
    int code = 0;
    for (size_t i = 0; code == 0 && follow->fd >= 0 && follow->roots[i]; i++) {
        if (follow->root_watches[i] < 0) {
            follow->root_watches[i] = add_root(cli, follow, follow->roots[i]);
            if (follow->root_watches[i] >= 0 && !follow->all) {
                code = xylem_cli__files_add(cli, files, follow->roots[i]);
            }
        }
    }
    return code;
}

static void drop_watch(struct xylem_cli__follow *follow, int watch)
{
    struct xylem_cli__follow_directory *directory = find(follow, watch);
    for (size_t i = 0; follow->roots[i]; i++) {
        follow->root_watches[i] = follow->root_watches[i] == watch ? -1 : follow->root_watches[i];
    }
    if (directory) {
        free(directory->path);
        *directory = follow->directories[--follow->directory_count];
    }
}

/*
 * The root that is the file of an event, NULL: none. Roots in one directory share its watch, and may spell the directory
 * differently, so paths are not compared.
 */
static const char *root_of(const struct xylem_cli__follow *follow, const struct inotify_event *event)
{
    for (size_t i = 0; follow->roots[i]; i++) {
        const char *slash = strrchr(follow->roots[i], '/');
        if (follow->root_watches[i] == event->wd && strcmp(slash ? slash + 1 : follow->roots[i], event->name) == 0) {
            return follow->roots[i];
        }
    }
    return NULL;
}

static int take_event(struct xylem_cli *cli, struct xylem_cli__follow *follow, struct xylem_cli__files *files,
                      const struct inotify_event *event)
{
    const struct xylem_cli__follow_directory *directory = find(follow, event->wd);
    if (event->mask & IN_Q_OVERFLOW) {
        follow->all = true;
    } else if (event->mask & (IN_IGNORED | IN_MOVE_SELF)) {
        for (size_t i = 0; event->mask & IN_MOVE_SELF && follow->roots[i]; i++) {
            if (follow->root_watches[i] == event->wd) {
                inotify_rm_watch(follow->fd, event->wd); /* the path may lead to another directory by now */
                break;
            }
        }
        if (event->mask & IN_IGNORED) {
            drop_watch(follow, event->wd);
        }
    } else if (directory && event->len > 0) {
        bool whole = directory->whole;
        bool made = (event->mask & IN_ISDIR) != 0;
        char *path = xylem_cli__path_below(directory->path, event->name);
        if (!path) {
            return xylem_cli__fail_memory(cli);
        }
        if (made && whole) {
            add_tree(cli, follow, path);
            int code = xylem_cli__files_add(cli, files, path);
            free(path);
            return code;
        }
        if (!made && whole && xylem_cli__is_session_file(event->name)) {
            add_link(cli, follow, path);
            return xylem_cli__files_add_path(cli, files, path);
        }
        free(path);
        const char *root = made ? NULL : root_of(follow, event);
        return root ? xylem_cli__files_add(cli, files, root) : 0;
    }
    return 0;
}

static int take_events(struct xylem_cli *cli, struct xylem_cli__follow *follow, struct xylem_cli__files *files)
{
    char events[EVENTS_BYTES] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t bytes = 1;
    int code = 0;
    while (code == 0 && follow->fd >= 0 && (bytes = read(follow->fd, events, sizeof events)) > 0) {
        for (ssize_t at = 0; code == 0 && follow->fd >= 0 && at < bytes;) {
            const struct inotify_event *event = (const void *)(events + at);
            code = take_event(cli, follow, files, event);
            at += (ssize_t)(sizeof *event + event->len);
        }
    }
    return code;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           memcmp(&a->st_mtim, &b->st_mtim, sizeof a->st_mtim) == 0 &&
           memcmp(&a->st_ctim, &b->st_ctim, sizeof a->st_ctim) == 0;
}

/* Adds the files behind links that differ from the last collection. */
static int add_linked(struct xylem_cli *cli, struct xylem_cli__follow *follow, struct xylem_cli__files *files)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < follow->link_count; i++) {
        struct xylem_cli__follow_seen *link = &follow->links[i];
        struct stat status;
        if (stat(link->path, &status) == 0 && !is_same(&status, &link->status)) {
            link->status = status;
            code = xylem_cli__files_add(cli, files, link->path);
        }
    }
    return code;
}

static void release_seen(struct xylem_cli__follow_seen *seen, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(seen[i].path);
    }
    free(seen);
}

/* Without inotify: keeps the files that differ from the last collection. `files` is sorted. */
static int keep_changed(struct xylem_cli *cli, struct xylem_cli__follow *follow, struct xylem_cli__files *files,
                        bool all)
{
    struct xylem_cli__follow_seen *seen = calloc(files->count + 1, sizeof *seen);
    size_t kept = 0;
    size_t count = 0;
    size_t before = 0;
    for (size_t i = 0; seen && i < files->count; i++) {
        char *path = files->paths[i];
        struct xylem_cli__follow_seen *now = &seen[count];
        while (before < follow->seen_count && strcmp(follow->seen[before].path, path) < 0) {
            before++;
        }
        bool there = stat(path, &now->status) == 0 && (now->path = strdup(path));
        count += there;
        bool known = before < follow->seen_count && strcmp(follow->seen[before].path, path) == 0;
        if (there && (all || !known || !is_same(&follow->seen[before].status, &now->status))) {
            files->paths[kept++] = path;
        } else {
            free(path);
        }
    }
    if (!seen) {
        return xylem_cli__fail_memory(cli);
    }
    files->count = kept;
    release_seen(follow->seen, follow->seen_count);
    follow->seen = seen;
    follow->seen_count = count;
    return 0;
}

int xylem_cli__follow_collect(struct xylem_cli *cli, struct xylem_cli__follow *follow, struct xylem_cli__files *files)
{
    int code;
    files->quiet = true;
    if ((code = add_roots(cli, follow, files)) != 0 || (code = take_events(cli, follow, files)) != 0 ||
        (code = add_linked(cli, follow, files)) != 0) {
        return code;
    }
    bool all = follow->all;
    follow->all = false;
    for (size_t i = 0; code == 0 && (all || follow->fd < 0) && follow->roots[i]; i++) {
        code = xylem_cli__files_add(cli, files, follow->roots[i]);
    }
    xylem_cli__files_sort(files);
    return code != 0 || follow->fd >= 0 ? code : keep_changed(cli, follow, files, all);
}

void xylem_cli__follow_release(struct xylem_cli__follow *follow)
{
    for (size_t i = 0; i < follow->directory_count; i++) {
        free(follow->directories[i].path);
    }
    free(follow->directories);
    free(follow->root_watches);
    release_seen(follow->seen, follow->seen_count);
    release_seen(follow->links, follow->link_count);
    if (follow->fd >= 0) {
        close(follow->fd);
    }
    *follow = (struct xylem_cli__follow){.fd = -1};
}
