#include "store/creation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/os.h"
#include "store/environment.h"

#define NEW_NAME "xylem.new"

struct places {
    const char *store;
    const char *data;
    char *directory; /* where it is made */
    char *new_data;
    char *new_lock;
};

/* Is there something in the file? */
static bool is_made(const char *data_path)
{
    struct stat file;
    return stat(data_path, &file) == 0 && (!S_ISREG(file.st_mode) || file.st_size > 0);
}

static void remove_leftovers(const struct places *places)
{
    unlink(places->new_data);
    unlink(places->new_lock);
    rmdir(places->directory);
}

/* An environment of its own: nobody else knows its path, so it is none of the list of those that are shared. */
static int make_data(const struct places *places, const struct xylem_open_options *options, struct xylem_error *err)
{
    struct stat file;
    int code = xylem_base__directory_make(places->directory, err);
    code = code < 0 ? code : xylem_base__file_make(places->new_data, err);
    if (code < 0) {
        return code;
    }
    if (stat(places->new_data, &file) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot open", places->new_data);
    }
    struct xylem_store__env *env = calloc(1, sizeof *env);
    if (!env) {
        return xylem_base__fail_memory(err);
    }
    env->path = places->directory;
    env->device = file.st_dev;
    env->inode = file.st_ino;
    env->map_bytes = xylem_store__map_bytes(options);
    code = xylem_store__env_open(env, true, err);
    xylem_store__env_close(env);
    free(env);
    return code;
}

/* Nobody's file is replaced but an empty one; not every file system has links. */
static int name_data(const struct places *places, struct xylem_error *err)
{
    bool is_empty = access(places->data, F_OK) == 0;
    int errnum = is_empty || link(places->new_data, places->data) == 0 ? 0 : errno;
    if (is_empty || errnum == EPERM || errnum == ENOTSUP || errnum == ENOSYS) {
        errnum = rename(places->new_data, places->data) == 0 ? 0 : errno;
    }
    return errnum == 0 || errnum == EEXIST ? XYLEM_OK
                                           : xylem_base__fail_errno(err, errnum, "cannot make", places->data);
}

static int create(const struct places *places, const struct xylem_open_options *options, struct xylem_error *err)
{
    int fd = open(places->store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return xylem_base__fail_errno(err, errno, "cannot open the directory", places->store);
    }
    /* Some network file systems lock no directories; there, who creates at the same time may be told of an error. */
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
    int code = XYLEM_OK;
    if (!is_made(places->data)) {
        remove_leftovers(places);
        code = make_data(places, options, err);
        code = code < 0 ? code : name_data(places, err);
        remove_leftovers(places);
    }
    flock(fd, LOCK_UN); /* a child that another thread forked meanwhile would keep what is only closed */
    close(fd);
    return code;
}

int xylem_store__create(const char *store_path, const char *data_path, const struct xylem_open_options *options,
                        struct xylem_error *err)
{
    if (is_made(data_path)) {
        return XYLEM_OK;
    }
    struct places places = {.store = store_path, .data = data_path};
    places.directory = xylem_base__path_join(store_path, NEW_NAME);
    places.new_data = places.directory ? xylem_base__path_join(places.directory, XYLEM_STORE__DATA_NAME) : NULL;
    places.new_lock = places.directory ? xylem_base__path_join(places.directory, XYLEM_STORE__LMDB_LOCK_NAME) : NULL;
    int code = places.new_data && places.new_lock ? create(&places, options, err) : xylem_base__fail_memory(err);
    free(places.directory);
    free(places.new_data);
    free(places.new_lock);
    return code;
}
