/* Opens and closes handles. The handles of one file in one process share an environment. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/os.h"
#include "store/lmdb/creation.h"
#include "store/lmdb/environment.h"
#include "store/lmdb/lease_locks.h"

/*
 * All environments of this process. `environments_lock` guards the list, also while an environment is opened or closed.
 */
static pthread_mutex_t environments_lock = PTHREAD_MUTEX_INITIALIZER;
static struct xylem_lmdb__env *environments;

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

/* Held over a fork, so that the child can open stores even if another thread opens a store at this moment. */
static void before_fork(void)
{
    pthread_mutex_lock(&environments_lock);
    xylem_lmdb__leases_before_fork();
}

static void after_fork_in_parent(void)
{
    xylem_lmdb__leases_after_fork(false);
    pthread_mutex_unlock(&environments_lock);
}

static void after_fork_in_child(void)
{
    xylem_lmdb__fork_count++;
    for (struct xylem_lmdb__env *env = environments; env; env = env->next) {
        env->writer_lock.page = NULL; /* the child does not inherit the page */
        xylem_lmdb__writer_lock_close(&env->writer_lock);
    }
    xylem_lmdb__leases_after_fork(true);
    pthread_mutex_unlock(&environments_lock);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

static void free_env(struct xylem_lmdb__env *env)
{
    pthread_mutex_destroy(&env->lock);
    xylem_lmdb__writer_lock_close(&env->writer_lock);
    xylem_lmdb__lock_table_unmap(env);
    xylem_pages__directory_close(&env->directory);
    free(env->path);
    free(env->file);
    free(env);
}

/* The open environment of a file, or NULL. */
static struct xylem_lmdb__env *find_env(const struct stat *file)
{
    for (struct xylem_lmdb__env *env = environments; env; env = env->next) {
        if (env->device == file->st_dev && env->inode == file->st_ino && env->fork_count == xylem_lmdb__fork_count) {
            return env;
        }
    }
    return NULL;
}

static struct xylem_lmdb__env *new_env(const char *path, const struct stat *file,
                                       const struct xylem_open_options *options)
{
    struct xylem_lmdb__env *env = calloc(1, sizeof *env);
    char *own_path = strdup(path);
    if (!env || !own_path || pthread_mutex_init(&env->lock, NULL) != 0) {
        free(env);
        free(own_path);
        return NULL;
    }
    env->path = own_path;
    env->directory.fd = -1;
    env->writer_lock = (struct xylem_lmdb__writer_lock){.fd = -1, .data_fd = -1};
    env->device = file->st_dev;
    env->inode = file->st_ino;
    env->fork_count = xylem_lmdb__fork_count;
    env->read_only = options->read_only;
    env->no_lock = options->no_lock;
    env->map_bytes = xylem_lmdb__map_bytes(options);
    return env;
}

/* Keeps processes with other lock files away, once the environment has locks. */
static int enter_store(struct xylem_lmdb__env *env, const struct stat *file, const struct xylem_open_options *options,
                       struct xylem_error *err)
{
    return options->no_lock || env->writer_lock.page
               ? XYLEM_OK
               : xylem_lmdb__writer_lock_open(&env->writer_lock, &env->directory, file, options->read_only, err);
}

/* Opens an environment again, for writing or with locks, for a handle that needs more than the handles before. */
static int raise_env(struct xylem_lmdb__env *env, const struct xylem_open_options *options, struct xylem_error *err)
{
    bool read_only = env->read_only;
    bool no_lock = env->no_lock;
    if (env->txn_count > 0) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "%s is open %s in this process: end the running transaction first",
                                env->path, no_lock ? "without locks" : "for reading only");
    }
    xylem_lmdb__env_close(env);
    env->read_only = read_only && options->read_only;
    env->no_lock = no_lock && options->no_lock;
    int code = xylem_lmdb__env_open(env, false, err);
    if (code < 0) {
        env->read_only = read_only; /* the reading handles go on as before */
        env->no_lock = no_lock;
    }
    return code;
}

static int share_env(struct xylem_lmdb__env *env, const struct stat *file, const struct xylem_open_options *options,
                     struct xylem_error *err)
{
    pthread_mutex_lock(&env->lock);
    int code = xylem_lmdb__check_locks(env, err);
    if (code == XYLEM_OK && env->txn_count == 0) {
        code = xylem_lmdb__env_mend(env, err);
    }
    if (code == XYLEM_OK && env->mdb && !env->fatal) {
        code = xylem_lmdb__env_check_pages(env, err);
    }
    if (code == XYLEM_OK && ((env->read_only && !options->read_only) || (env->no_lock && !options->no_lock))) {
        bool enters = !env->writer_lock.page;
        code = enter_store(env, file, options, err);
        if (code == XYLEM_OK && env->read_only && !options->read_only && !enters) {
            code = xylem_lmdb__writer_lock_raise(&env->writer_lock, &env->directory, err);
        }
        code = code < 0 ? code : raise_env(env, options, err);
        if (code < 0 && enters) {
            xylem_lmdb__writer_lock_close(&env->writer_lock);
        }
    }
    if (code == XYLEM_OK) {
        env->handle_count++;
    }
    pthread_mutex_unlock(&env->lock);
    return code;
}

static int acquire_env(struct xylem_lmdb__env **env, const char *path, const struct stat *file,
                       const struct xylem_open_options *options, struct xylem_error *err)
{
    *env = find_env(file);
    if (*env) {
        return share_env(*env, file, options, err);
    }
    *env = new_env(path, file, options);
    if (!*env) {
        return xylem_base__fail_memory(err);
    }
    int code;
    if ((code = xylem_pages__directory_open(&(*env)->directory, (*env)->path, err)) < 0 ||
        (code = enter_store(*env, file, options, err)) < 0 ||
        (code = xylem_lmdb__env_open(*env, options->create && !options->read_only, err)) < 0) {
        free_env(*env);
        return code;
    }
    (*env)->handle_count = 1;
    (*env)->next = environments;
    environments = *env;
    return XYLEM_OK;
}

static void release_env(struct xylem_lmdb__env *env)
{
    assert(env->handle_count > 0);
    if (--env->handle_count > 0) {
        return;
    }
    for (struct xylem_lmdb__env **link = &environments; *link; link = &(*link)->next) {
        if (*link == env) {
            *link = env->next;
            break;
        }
    }
    xylem_lmdb__env_close(env);
    free_env(env);
}

bool xylem_lmdb__is_open(const struct stat *file)
{
    pthread_mutex_lock(&environments_lock);
    bool found = find_env(file) != NULL;
    pthread_mutex_unlock(&environments_lock);
    return found;
}

/* The environment is in no list, and nobody shares it: the caller holds the store exclusively. */
int xylem_lmdb__open_alone(struct xylem_store **store, const char *path, const char *name, struct xylem_error *err)
{
    static const struct xylem_open_options alone = {.read_only = true, .no_lock = true};
    static const struct stat unknown;
    struct stat file;
    pthread_once(&fork_once, watch_forks);
    struct xylem_store *opened = calloc(1, sizeof *opened);
    struct xylem_lmdb__env *env = opened ? new_env(path, &unknown, &alone) : NULL;
    if (!env || !(env->file = xylem_base__path_join(path, name))) {
        if (env) {
            free_env(env);
        }
        free(opened);
        return xylem_base__fail_memory(err);
    }
    env->handle_count = 1;
    *opened = (struct xylem_store){.env = env, .read_only = true, .lock_fd = -1, .lease_fd = -1};
    int code = xylem_pages__directory_open(&env->directory, env->path, err);
    int found = code < 0 ? code : xylem_pages__file_look(&file, &env->directory, name, err);
    if (found == 1) {
        env->device = file.st_dev;
        env->inode = file.st_ino;
        code = xylem_lmdb__env_open(env, false, err);
    } else {
        code = found < 0 ? found : xylem_base__fail(err, XYLEM_E_NOT_FOUND, "there is no %s", env->file);
    }
    if (code < 0) {
        free_env(env);
        free(opened);
        return code;
    }
    *store = opened;
    return XYLEM_OK;
}

/* Makes the directory if `create`, and refuses a path or a file system where no store can be. */
static int prepare_directory(const char *path, const struct xylem_open_options *options, struct xylem_error *err)
{
    struct stat status;
    if (options->create && !options->read_only) {
        int code = xylem_base__directory_make(path, err);
        if (code < 0) {
            return code;
        }
    }
    if (stat(path, &status) != 0) {
        return errno == ENOENT ? xylem_base__fail(err, XYLEM_E_NOT_FOUND, "there is no store at %s", path)
                               : xylem_base__fail_errno(err, errno, "cannot open", path);
    }
    if (!S_ISDIR(status.st_mode)) {
        return xylem_base__fail(err, XYLEM_E_NOT_A_STORE, "%s is not a store: expected a directory", path);
    }
    int network = options->allow_network_fs ? 0 : xylem_base__network_fs(path, err);
    if (network <= 0) {
        return network;
    }
    return xylem_base__fail(
        err, XYLEM_E_IO,
        "%s lies on a network file system, where locks and maps are not reliable; an option permits "
        "this (allow_network_fs, --allow-network-fs)",
        path);
}

/* Locks xylem.lock, so that nobody replaces the store. Waits for a process that replaces the store. */
static int hold_store(struct xylem_store *store, const struct xylem_pages__directory *directory,
                      const struct xylem_open_options *options, struct xylem_error *err)
{
    int code = xylem_pages__lock_file_open(&store->lock_fd, directory, options->read_only, err);
    if (code == 1) {
        code = xylem_lmdb__flock_within(store->lock_fd, LOCK_SH, options->open_wait_ms, options,
                                        "replaces the file of the store", directory->path, err);
        if (code == 0) {
            code = xylem_base__fail_errno(err, errno, "cannot lock " XYLEM_PAGES__LOCK_NAME " in", directory->path);
        }
        if (code < 0) {
            xylem_base__file_close(&store->lock_fd);
        }
    }
    return code == XYLEM_E_IO && options->no_lock ? XYLEM_OK /* the caller knows that nobody replaces the store */
                                                  : code;
}

/* Finds out the identity of data.mdb. Call this again once nobody can replace the file. */
static int identify_data(struct stat *file, const struct xylem_pages__directory *directory,
                         const struct xylem_open_options *options, struct xylem_error *err)
{
    int found = xylem_pages__file_look(file, directory, XYLEM_PAGES__DATA_NAME, err);
    if (found == 0) {
        return xylem_base__fail(err, XYLEM_E_NOT_FOUND, "there is no store at %s: it has no %s", directory->path,
                                XYLEM_PAGES__DATA_NAME);
    }
    if (found == 1 && file->st_size == 0 && (!options->create || options->read_only)) {
        return xylem_base__fail(err, XYLEM_E_NOT_A_STORE, "%s/%s is not a store: the file is empty", directory->path,
                                XYLEM_PAGES__DATA_NAME);
    }
    return found < 0 ? found : XYLEM_OK;
}

static void free_handle(struct xylem_store *store)
{
    xylem_base__file_close(&store->lock_fd);
    free(store->warning);
    free(store);
}

static int open_handle(struct xylem_store *store, const char *path, const struct xylem_open_options *options,
                       struct xylem_error *err)
{
    struct xylem_pages__directory directory = {.fd = -1};
    struct stat file;
    bool create = options->create && !options->read_only;
    int code = prepare_directory(path, options, err);
    if (code < 0) {
        return code;
    }
    /* An absolute path stays right when the process changes its working directory. */
    char *absolute = realpath(path, NULL);
    if (!absolute) {
        return xylem_base__fail_errno(err, errno, "cannot resolve", path);
    }
    code = xylem_pages__directory_open(&directory, absolute, err);
    if (code == XYLEM_OK) { /* without `create`, the look comes first: no lock file is made where there is no store */
        code = create ? xylem_lmdb__create(&directory, options, err) : identify_data(&file, &directory, options, err);
    }
    if (code >= 0 && (code = hold_store(store, &directory, options, err)) >= 0 &&
        (code = identify_data(&file, &directory, options, err)) >= 0 &&
        (code = xylem_lmdb__access_look(&store->warning, absolute, err)) >= 0) {
        pthread_mutex_lock(&environments_lock);
        code = acquire_env(&store->env, absolute, &file, options, err);
        pthread_mutex_unlock(&environments_lock);
    }
    xylem_pages__directory_close(&directory);
    free(absolute);
    return code;
}

int xylem_open_abi(uint32_t abi, struct xylem_store **store, const char *path, const struct xylem_open_options *options,
                   struct xylem_error *err)
{
    static const struct xylem_open_options defaults;
    int code = xylem_base__check_abi(abi, err);
    if (code < 0) {
        return code;
    }
    options = options ? options : &defaults;
    if (!store || !path || !*path) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_open: a store and a path are needed");
    }
    if ((unsigned)options->durability > XYLEM_DURABILITY_NONE) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_open: durability: expected 0, 1 or 2, found %d",
                                (int)options->durability);
    }
    if (options->no_lock && !options->read_only) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_open: no_lock needs read_only");
    }
    pthread_once(&fork_once, watch_forks);
    struct xylem_store *opened = calloc(1, sizeof *opened);
    if (!opened) {
        return xylem_base__fail_memory(err);
    }
    *opened = (struct xylem_store){.durability = options->durability,
                                   .read_only = options->read_only,
                                   .lock_fd = -1,
                                   .lease_fd = -1,
                                   .waiting = {.limited = options->wait_ms > 0,
                                               .limit_ms = options->wait_ms,
                                               .tell = options->waiting,
                                               .context = options->waiting_context}};
    if ((code = open_handle(opened, path, options, err)) < 0) {
        free_handle(opened);
        return code;
    }
    *store = opened;
    return XYLEM_OK;
}

int xylem_close(struct xylem_store *store, struct xylem_error *err)
{
    if (!store) {
        return XYLEM_OK;
    }
    struct xylem_lmdb__env *env = store->env;
    if (env->fork_count != xylem_lmdb__fork_count) {
        /*
         * The environment belongs to the parent, and stays: closing lock.mdb in the child would drop locks. The lock on
         * xylem.lock stays with the parent, too; an open descriptor here would outlive the parent.
         */
        xylem_lmdb__leases_close(store);
        free_handle(store);
        return XYLEM_OK;
    }
    pthread_mutex_lock(&environments_lock);
    pthread_mutex_lock(&env->lock);
    size_t txn_count = store->txn_count;
    bool leasing = store->leases != NULL;
    bool waking = store->wake_count > 0;
    pthread_mutex_unlock(&env->lock);
    int code = XYLEM_OK;
    if (txn_count > 0) {
        code = xylem_base__fail(err, XYLEM_E_BUSY, "%s cannot be closed: end its %zu transactions first", env->path,
                                txn_count);
    } else if (leasing) {
        code = xylem_base__fail(err, XYLEM_E_BUSY, "%s cannot be closed: release its leases first", env->path);
    } else if (waking) {
        code = xylem_base__fail(err, XYLEM_E_BUSY, "%s cannot be closed: free its wake-ups first", env->path);
    } else {
        xylem_lmdb__leases_close(store);
        release_env(env);
        free_handle(store);
    }
    pthread_mutex_unlock(&environments_lock);
    return code;
}

const char *xylem_store_warning(const struct xylem_store *store)
{
    return store ? store->warning : NULL;
}

const char *xylem_lmdb__handle_path(const struct xylem_store *store)
{
    return store->env->path;
}

bool xylem_lmdb__writes_here(const struct xylem_store *store)
{
    struct xylem_lmdb__env *env = store->env;
    pthread_mutex_lock(&env->lock);
    bool writing = env->writing && pthread_equal(env->writer, pthread_self());
    pthread_mutex_unlock(&env->lock);
    return writing;
}
