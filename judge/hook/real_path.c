#include "judge/hook/real_path.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/os.h"

#define LINKS_MAX 40u /* the limit of the kernel */

/* From the kernel's headers: not every C library has them. */
#define NO_LINKS_FLAG 0x2000ul
#define PROC_MAGIC 0x9fa0
#define SYSFS_MAGIC 0x62656572

/*
 * A path on its way:
 *
 *     /home/dev/src/link/config      `fd` is the directory /home/dev/src, `real->path` its name
 *                  ^ rest
 *
 * A link puts its target in front of the rest. The last `given_bytes` of the rest belong to the caller's own path.
 */
struct walk {
    struct xylem_hook__real_path *real;
    size_t real_bytes;
    int fd;
    char text[PATH_MAX];
    const char *rest;
    size_t given_bytes;
    unsigned links;
    bool ended;
};

static const char LEADS_NOWHERE[] = "a symbolic link in it has no target";
static const char TOO_LONG[] = "it is too long";
static const char UNREADABLE[] = "it cannot be read";

static void enter(struct walk *walk, int fd)
{
    close(walk->fd);
    walk->fd = fd;
}

/* Refuses /proc and /sys: the kernel shows other files to each process there. */
static const char *check_file_system(int fd)
{
    struct statfs status;
    if (fstatfs(fd, &status) != 0) {
        return UNREADABLE;
    }
    return status.f_type == PROC_MAGIC || status.f_type == SYSFS_MAGIC
               ? "it leads into /proc or /sys, where git may find another file"
               : NULL;
}

static const char *append(struct walk *walk, const char *name)
{
    size_t bytes = strlen(name);
    if (walk->real_bytes + bytes + 2 > sizeof walk->real->path) {
        return TOO_LONG;
    }
    walk->real->path[walk->real_bytes++] = '/';
    memcpy(walk->real->path + walk->real_bytes, name, bytes + 1);
    walk->real_bytes += bytes;
    return NULL;
}

static const char *go_up(struct walk *walk)
{
    int fd = openat(walk->fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return UNREADABLE;
    }
    enter(walk, fd);
    if (walk->real_bytes > 0) {
        assert(walk->real->path[0] == '/' && walk->real->path[walk->real_bytes] == '\0');
        walk->real_bytes = (size_t)(strrchr(walk->real->path, '/') - walk->real->path);
        walk->real->path[walk->real_bytes] = '\0';
    }
    return NULL;
}

/*
 * True if the kernel may refuse to follow the link: in a file system mounted with nosymfollow, and for a link of
 * another user in a directory like /tmp. Then git would find less than this walk.
 */
static bool may_be_protected(const struct walk *walk, int fd, const struct stat *link)
{
    struct stat directory;
    struct statfs system;
    if (fstatfs(fd, &system) != 0 || ((unsigned long)system.f_flags & NO_LINKS_FLAG) != 0) {
        return true;
    }
    if (link->st_uid == geteuid()) {
        return false;
    }
    return fstat(walk->fd, &directory) != 0 ||
           ((directory.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH) && directory.st_uid != link->st_uid);
}

/* Puts the target of the link in front of the rest. */
static const char *follow(struct walk *walk, int fd, const struct stat *link)
{
    char target[PATH_MAX];
    ssize_t bytes = readlinkat(fd, "", target, sizeof target);
    size_t rest_bytes = strlen(walk->rest);
    if (bytes <= 0 || may_be_protected(walk, fd, link)) {
        return "a symbolic link in it cannot be followed";
    }
    if (++walk->links > LINKS_MAX || (size_t)bytes + rest_bytes + 1 > sizeof walk->text) {
        return "it has too many symbolic links";
    }
    memmove(walk->text + bytes, walk->rest, rest_bytes + 1);
    memcpy(walk->text, target, (size_t)bytes);
    walk->rest = walk->text;
    if (target[0] != '/') {
        return NULL;
    }
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) {
        return UNREADABLE;
    }
    enter(walk, root);
    walk->real_bytes = 0;
    walk->real->path[0] = '\0';
    return NULL;
}

static const char *end_without(struct walk *walk, bool in_target)
{
    walk->ended = true;
    return in_target ? LEADS_NOWHERE : NULL;
}

/* Visits a name: a directory, a link, or another file, at which the walk ends. `in_target`: the name is of a link. */
static const char *visit(struct walk *walk, const char *name, bool in_target)
{
    struct stat status;
    /* With O_DIRECTORY the kernel mounts a file system that is mounted on demand. */
    int fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        enter(walk, fd);
        const char *why = check_file_system(fd);
        return why ? why : append(walk, name);
    }
    if (errno == ENOTDIR || errno == ELOOP) {
        fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0) {
        return errno == ENOENT ? end_without(walk, in_target) : UNREADABLE;
    }
    const char *why = fstat(fd, &status) != 0 ? UNREADABLE : check_file_system(fd);
    if (!why && S_ISLNK(status.st_mode)) {
        why = follow(walk, fd, &status);
    } else if (!why && *walk->rest != '\0') {
        why = end_without(walk, strlen(walk->rest) > walk->given_bytes);
    } else if (!why) {
        walk->ended = true;
        walk->real->found = true;
        walk->real->mode = status.st_mode;
        why = append(walk, name);
    }
    close(fd);
    return why;
}

/* Takes the next name of the rest. */
static const char *step(struct walk *walk)
{
    char name[NAME_MAX + 1];
    walk->rest += strspn(walk->rest, "/");
    size_t bytes = strcspn(walk->rest, "/");
    size_t left = strlen(walk->rest);
    bool in_target = left > walk->given_bytes;
    if (bytes > NAME_MAX) {
        return TOO_LONG;
    }
    memcpy(name, walk->rest, bytes);
    name[bytes] = '\0';
    walk->rest += bytes;
    left -= bytes;
    walk->given_bytes = left < walk->given_bytes ? left : walk->given_bytes;
    if (strcmp(name, "..") == 0) {
        return go_up(walk);
    }
    return strcmp(name, ".") == 0 ? NULL : visit(walk, name, in_target);
}

void xylem_hook__reached_release(struct xylem_hook__reached *reached)
{
    xylem_base__file_close(&reached->fd);
}

/* Begins at the directory of the last walk if the path leads through that directory, else at the root. */
static const char *begin(struct walk *walk, struct xylem_hook__reached *reached)
{
    size_t bytes = reached->bytes;
    walk->rest = walk->text;
    if (reached->fd >= 0 && strncmp(walk->text, reached->path, bytes) == 0 && walk->text[bytes] == '/') {
        memcpy(walk->real->path, reached->path, bytes + 1);
        walk->real_bytes = bytes;
        walk->rest += bytes;
        walk->fd = reached->fd;
        reached->fd = -1;
        return NULL;
    }
    walk->real->path[0] = '\0';
    walk->fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return walk->fd < 0 ? UNREADABLE : NULL;
}

const char *xylem_hook__real_path(struct xylem_hook__real_path *real, struct xylem_hook__reached *reached,
                                  const char *path)
{
    struct walk walk = {.real = real, .fd = -1, .given_bytes = strlen(path)};
    struct stat status;
    real->found = false;
    if (*path != '/') {
        return "it is not absolute";
    }
    if (walk.given_bytes >= sizeof walk.text) {
        return TOO_LONG;
    }
    memcpy(walk.text, path, walk.given_bytes + 1);
    const char *why = begin(&walk, reached);
    while (!why && !walk.ended && walk.rest[strspn(walk.rest, "/")] != '\0') { /* slashes alone are the end */
        why = step(&walk);
    }
    if (!why && !walk.ended) { /* the path ends at a directory */
        if (fstat(walk.fd, &status) != 0) {
            why = UNREADABLE;
        } else {
            real->found = true;
            real->mode = status.st_mode;
        }
        if (walk.real_bytes == 0) {
            memcpy(real->path, "/", 2);
        }
    }
    if (why) {
        xylem_base__file_close(&walk.fd);
        return why;
    }
    /* The next walk may begin at the last directory. */
    bool at_file = real->found && !S_ISDIR(real->mode);
    xylem_hook__reached_release(reached);
    reached->fd = walk.fd;
    reached->bytes = at_file ? (size_t)(strrchr(real->path, '/') - real->path) : walk.real_bytes;
    memcpy(reached->path, real->path, reached->bytes);
    reached->path[reached->bytes] = '\0';
    return NULL;
}
