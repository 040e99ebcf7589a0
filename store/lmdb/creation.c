#include "store/lmdb/creation.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/holders.h"
#include "base/os.h"
#include "store/lmdb/environment.h"

#define NEW_NAME "xylem.new"

/* Making a store takes milliseconds. A stopped creator must not keep others waiting for ever. */
#define WAIT_MS_MAX 10000u
#define REST_MS 20u
/* After this time the caller hears who holds the lock. The name is looked up again in this interval. */
#define NAMING_MS 1000u

struct places {
    const struct xylem_pages__directory *store;
    char *data;
    char *directory; /* xylem.new */
    char *new_data;
    char *new_lock;
};

/* Returns the length of data.mdb, 0 also without a file. 1 if the file exists, 0, or an error. */
static int find_made(off_t *bytes, const struct places *places, struct xylem_error *err)
{
    struct stat file;
    int found = xylem_pages__file_look(&file, places->store, XYLEM_PAGES__DATA_NAME, err);
    *bytes = found == 1 ? file.st_size : 0;
    return found;
}

/* Removes xylem.new with the files of a creation, and nothing else; nothing through a symbolic link. */
static int remove_leftovers(const struct places *places, struct xylem_error *err)
{
    struct stat status;
    if (fstatat(places->store->fd, NEW_NAME, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? XYLEM_OK : xylem_base__fail_errno(err, errno, "cannot look at", places->directory);
    }
    bool ours = S_ISDIR(status.st_mode) && (status.st_uid == places->store->owner || status.st_uid == geteuid());
    if (ours) {
        unlink(places->new_data);
        unlink(places->new_lock);
    }
    return ours && rmdir(places->directory) == 0
               ? XYLEM_OK
               : xylem_base__fail(
                     err, XYLEM_E_EXISTS,
                     "%s is in the way: xylem makes new stores in a directory of this name: remove it first",
                     places->directory);
}

/* Makes the store in an environment of its own. Nobody else knows the path, so the environment is in no list. */
static int build(const struct places *places, int fd, const struct xylem_open_options *options, struct xylem_error *err)
{
    struct stat file;
    struct xylem_lmdb__env *env = calloc(1, sizeof *env);
    if (!env) {
        return xylem_base__fail_memory(err);
    }
    env->fork_count = xylem_lmdb__fork_count;
    env->writer_lock = (struct xylem_lmdb__writer_lock){.fd = -1, .data_fd = -1};
    int code = xylem_pages__directory_open(&env->directory, places->directory, err);
    if (code == XYLEM_OK && fstat(fd, &file) != 0) {
        code = xylem_base__fail_errno(err, errno, "cannot open", places->new_data);
    }
    if (code == XYLEM_OK) {
        env->path = places->directory;
        env->device = file.st_dev;
        env->inode = file.st_ino;
        env->map_bytes = xylem_lmdb__map_bytes(options);
        code = xylem_lmdb__env_open(env, true, err);
        xylem_lmdb__env_close(env);
        xylem_lmdb__lock_table_unmap(env);
    }
    xylem_pages__directory_close(&env->directory);
    free(env);
    return code;
}

static int make_data(const struct places *places, const struct xylem_open_options *options, struct xylem_error *err)
{
    int fd = -1;
    int made = xylem_base__directory_make(places->directory, err);
    made = made == 1 ? xylem_base__file_make(&fd, places->new_data, err) : made;
    if (made <= 0) {
        return made < 0
                   ? made
                   : xylem_base__fail(err, XYLEM_E_BUSY, "another process just made %s: try again", places->directory);
    }
    int code = build(places, fd, options, err);
    if (code == XYLEM_OK) {
        code = xylem_pages__give_to_owner(fd, places->store, places->new_data, err);
    }
    close(fd);
    return code;
}

/*
 * Gives the new file its name. Only an empty file may be replaced: link() replaces nothing, but not all file systems
 * have it.
 */
static int name_data(const struct places *places, bool is_empty, struct xylem_error *err)
{
    int errnum = is_empty || link(places->new_data, places->data) == 0 ? 0 : errno;
    if (is_empty || errnum == EPERM || errnum == ENOTSUP || errnum == ENOSYS) {
        errnum = rename(places->new_data, places->data) == 0 ? 0 : errno;
    }
    return errnum == 0 || errnum == EEXIST ? XYLEM_OK
                                           : xylem_base__fail_errno(err, errnum, "cannot make", places->data);
}

static void name_holder(char text[XYLEM_BASE__HOLDERS_BYTES], int fd)
{
    struct stat file;
    xylem_base__process_name(text, fstat(fd, &file) == 0 ? xylem_base__flock_holder(&file) : 0);
}

int xylem_lmdb__flock_within(int fd, int operation, uint64_t limit_ms, const struct xylem_open_options *options,
                             const char *deed, const char *path, struct xylem_error *err)
{
    static const struct timespec rest = {.tv_nsec = REST_MS * 1000000};
    char holder[XYLEM_BASE__HOLDERS_BYTES];
    char told[XYLEM_BASE__HOLDERS_BYTES + 64] = "";
    for (uint64_t waited_ms = 0; flock(fd, operation | LOCK_NB) != 0; waited_ms += REST_MS) {
        if (errno != EWOULDBLOCK) {
            return 0;
        }
        if (waited_ms >= limit_ms) {
            name_holder(holder, fd);
            return waited_ms == 0 ? xylem_base__fail(err, XYLEM_E_BUSY, "%s %s in %s", holder, deed, path)
                                  : xylem_base__fail(err, XYLEM_E_BUSY, "%s %s in %s: waited %" PRIu64 " ms", holder,
                                                     deed, path, waited_ms);
        }
        if (waited_ms >= NAMING_MS && waited_ms % NAMING_MS == 0) {
            name_holder(holder, fd);
            (void)snprintf(told, sizeof told, "%s, which %s", holder, deed);
        }
        if (options->waiting && options->waiting(options->waiting_context, waited_ms, *told ? told : NULL) != 0) {
            return xylem_base__fail(err, XYLEM_E_STOPPED, "waiting to open %s was stopped by the caller", path);
        }
        nanosleep(&rest, NULL);
    }
    return 1;
}

static int create(const struct places *places, const struct xylem_open_options *options, struct xylem_error *err)
{
    off_t bytes = 0;
    int fd = openat(places->store->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return xylem_base__fail_errno(err, errno, "cannot open the directory", places->store->path);
    }
    uint64_t limit_ms = options->wait_ms > 0 ? options->wait_ms : WAIT_MS_MAX;
    int found = 0;
    /* Network file systems without locks of directories go on without the lock. */
    int code = xylem_lmdb__flock_within(fd, LOCK_EX, limit_ms, options, "makes the store", places->store->path, err);
    if (code < 0) {
        goto out;
    }
    found = find_made(&bytes, places, err);
    if (found < 0 || bytes > 0) {
        code = found < 0 ? found : XYLEM_OK;
        goto out;
    }
    if ((code = remove_leftovers(places, err)) < 0) {
        goto out;
    }
    if ((code = make_data(places, options, err)) == XYLEM_OK) {
        code = name_data(places, found == 1, err);
    }
    remove_leftovers(places, NULL);
out:
    flock(fd, LOCK_UN); /* close() alone would leave the lock with a child that another thread forked meanwhile */
    close(fd);
    return code;
}

int xylem_lmdb__create(const struct xylem_pages__directory *directory, const struct xylem_open_options *options,
                       struct xylem_error *err)
{
    struct places places = {.store = directory};
    off_t bytes = 0;
    int found = find_made(&bytes, &places, err);
    int code = found < 0 || bytes > 0 ? found : xylem_pages__directory_check_maker(directory, err);
    if (code < 0 || bytes > 0) {
        return code < 0 ? code : XYLEM_OK;
    }
    places.data = xylem_base__path_join(directory->path, XYLEM_PAGES__DATA_NAME);
    places.directory = xylem_base__path_join(directory->path, NEW_NAME);
    places.new_data = places.directory ? xylem_base__path_join(places.directory, XYLEM_PAGES__DATA_NAME) : NULL;
    places.new_lock = places.directory ? xylem_base__path_join(places.directory, XYLEM_PAGES__LMDB_LOCK_NAME) : NULL;
    code = places.data && places.new_data && places.new_lock ? create(&places, options, err)
                                                             : xylem_base__fail_memory(err);
    free(places.data);
    free(places.directory);
    free(places.new_data);
    free(places.new_lock);
    return code;
}
