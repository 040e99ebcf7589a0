/* Opening and closing: what is a store, who shares it, who may look at it. */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xylem/append.h"
#include "xylem/inspect.h"
#include "tests/lib/test.h"

/* What statfs(2) says in this program: the real answer, or a network file system. */
static bool pretend_network;

int statfs(const char *path, struct statfs *fs)
{
    void *symbol = dlsym(RTLD_NEXT, "statfs");
    int (*real)(const char *, struct statfs *);
    memcpy(&real, &symbol, sizeof real); /* ISO C has no cast from an object to a function */
    int result = real(path, fs);
    if (result == 0 && pretend_network) {
        fs->f_type = NFS_SUPER_MAGIC;
    }
    return result;
}

/* Another process may commit before a pread(2) of this process. */
static int reads_before = -1; /* the commit; -1: no commit is left */
static int asks[2];
static int answers[2];

ssize_t pread(int fd, void *bytes, size_t count, off_t offset)
{
    void *symbol = dlsym(RTLD_NEXT, "pread");
    ssize_t (*real)(int, void *, size_t, off_t);
    char byte = 'x';
    memcpy(&real, &symbol, sizeof real);
    if (reads_before >= 0 && reads_before-- == 0 &&
        (write(asks[1], &byte, 1) != 1 || read(answers[0], &byte, 1) != 1)) {
        _exit(9);
    }
    return real(fd, bytes, count, offset);
}

struct place {
    char path[128];
    char inner[160]; /* a name below it that nothing has yet */
};

static int make_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    test_directory_make(place->path, sizeof place->path, "env");
    snprintf(place->inner, sizeof place->inner, "%s/store", place->path);
    *state = place;
    return 0;
}

static int remove_place(void **state)
{
    struct place *place = *state;
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", place->path);
    int result = system(command);
    free(place);
    return result;
}

static struct xylem_store *open_store(const char *path, struct xylem_open_options options)
{
    struct xylem_store *store = NULL;
    struct xylem_error err = {0, ""};
    int code = xylem_open(&store, path, &options, &err);
    if (code != XYLEM_OK) {
        fail_msg("xylem_open: %s", err.text);
    }
    return store;
}

static int try_open(const char *path, struct xylem_open_options options, struct xylem_error *err)
{
    struct xylem_store *store = NULL;
    int code = xylem_open(&store, path, &options, err);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    return code;
}

static void create(const char *path)
{
    assert_int_equal(xylem_close(open_store(path, (struct xylem_open_options){.create = true}), NULL), XYLEM_OK);
}

static void add_session(struct xylem_store *store, const char *id)
{
    struct xylem_txn *txn;
    struct xylem_session session;
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_create(&session, txn, &options, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
}

static int find_session(struct xylem_store *store, const char *id)
{
    struct xylem_txn *txn;
    struct xylem_session session;
    int code = xylem_begin(&txn, store, XYLEM_READ, NULL);
    if (code == XYLEM_OK) {
        code = xylem_session_find(&session, txn, xylem_view_of(id), NULL);
        xylem_abort(txn);
    }
    return code;
}

static void write_file(const char *directory, const char *name, const void *data, size_t bytes)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static unsigned mode_of(const char *directory, const char *name)
{
    char path[256];
    struct stat file;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(stat(path, &file), 0);
    return file.st_mode & 07777;
}

#define IN_PLACE(test) TEST_WITH(test, make_place, remove_place)

IN_PLACE(a_store_that_is_not_there_is_not_found)
{
    struct place *place = *state;
    struct xylem_error err;
    assert_int_equal(try_open(place->inner, (struct xylem_open_options){.create = false}, &err), XYLEM_E_NOT_FOUND);
    assert_non_null(strstr(err.text, place->inner));
    assert_int_equal(try_open(place->path, (struct xylem_open_options){.create = false}, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(try_open(place->inner, (struct xylem_open_options){.create = true, .read_only = true}, &err),
                     XYLEM_E_NOT_FOUND);
    assert_int_not_equal(access(place->inner, F_OK), 0);
}

IN_PLACE(files_get_their_modes_whatever_the_umask)
{
    struct place *place = *state;
    static const mode_t masks[] = {0, 022, 077, 0777};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        char path[192];
        snprintf(path, sizeof path, "%s/%zu", place->path, i);
        mode_t before = umask(masks[i]);
        create(path);
        umask(before);
        assert_int_equal(mode_of(path, "."), 0700);
        assert_int_equal(mode_of(path, "data.mdb"), 0600);
        assert_int_equal(mode_of(path, "lock.mdb"), 0600);
        assert_int_equal(mode_of(path, "xylem.lock"), 0600);
    }
}

IN_PLACE(a_file_is_no_store)
{
    struct place *place = *state;
    struct xylem_error err;
    write_file(place->path, "store", "hello", 5);
    assert_int_equal(try_open(place->inner, (struct xylem_open_options){.create = false}, &err), XYLEM_E_NOT_A_STORE);
    assert_int_equal(try_open(place->inner, (struct xylem_open_options){.create = true}, &err), XYLEM_E_NOT_A_STORE);
    assert_non_null(strstr(err.text, "expected a directory"));
}

IN_PLACE(somebody_elses_data_is_no_store_and_stays_as_it_is)
{
    struct place *place = *state;
    struct xylem_error err;
    char foreign[9000];
    memset(foreign, 'x', sizeof foreign);
    assert_int_equal(mkdir(place->inner, 0700), 0);
    write_file(place->inner, "data.mdb", foreign, sizeof foreign);
    assert_int_equal(try_open(place->inner, (struct xylem_open_options){.create = true}, &err), XYLEM_E_NOT_A_STORE);
    assert_int_equal(try_open(place->inner, (struct xylem_open_options){.read_only = true}, &err), XYLEM_E_NOT_A_STORE);
    char path[256];
    char after[sizeof foreign];
    snprintf(path, sizeof path, "%s/data.mdb", place->inner);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(after, 1, sizeof after, file), sizeof after);
    fclose(file);
    assert_memory_equal(after, foreign, sizeof foreign);
}

IN_PLACE(an_empty_or_odd_data_file_is_no_store)
{
    struct place *place = *state;
    struct xylem_error err;
    char path[256];
    assert_int_equal(mkdir(place->inner, 0700), 0);
    write_file(place->inner, "data.mdb", "", 0);
    assert_int_equal(try_open(place->inner, (struct xylem_open_options){.read_only = true}, &err), XYLEM_E_NOT_A_STORE);
    snprintf(path, sizeof path, "%s/data.mdb", place->inner);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(try_open(place->inner, (struct xylem_open_options){.create = true}, &err), XYLEM_E_NOT_A_STORE);
}

IN_PLACE(an_empty_data_file_becomes_a_store_when_creating)
{
    /* What a process that died between making the file and making the store leaves behind. */
    struct place *place = *state;
    assert_int_equal(mkdir(place->inner, 0700), 0);
    write_file(place->inner, "data.mdb", "", 0);
    create(place->inner);
    assert_int_equal(try_open(place->inner, (struct xylem_open_options){.read_only = true}, NULL), XYLEM_OK);
}

IN_PLACE(handles_of_one_process_share_an_environment)
{
    struct place *place = *state;
    struct xylem_store *first = open_store(place->inner, (struct xylem_open_options){.create = true});
    struct xylem_store *second = open_store(place->inner, (struct xylem_open_options){.create = false});
    char link_path[192];
    snprintf(link_path, sizeof link_path, "%s/link", place->path);
    assert_int_equal(symlink(place->inner, link_path), 0);
    struct xylem_store *third = open_store(link_path, (struct xylem_open_options){.read_only = true});
    add_session(first, "a");
    add_session(second, "b");
    assert_int_equal(xylem_close(first, NULL), XYLEM_OK);
    assert_int_equal(find_session(third, "b"), XYLEM_OK);
    assert_int_equal(xylem_close(third, NULL), XYLEM_OK);
    add_session(second, "c");
    assert_int_equal(find_session(second, "a"), XYLEM_OK);
    assert_int_equal(xylem_close(second, NULL), XYLEM_OK);
}

IN_PLACE(a_reading_environment_is_opened_anew_for_a_writer)
{
    struct place *place = *state;
    create(place->inner);
    struct xylem_store *reader = open_store(place->inner, (struct xylem_open_options){.read_only = true});
    struct xylem_txn *txn;
    struct xylem_error err;
    assert_int_equal(xylem_begin(&txn, reader, XYLEM_READ, NULL), XYLEM_OK);
    assert_int_equal(try_open(place->inner, (struct xylem_open_options){.create = false}, &err), XYLEM_E_BUSY);
    xylem_abort(txn);
    struct xylem_store *writer = open_store(place->inner, (struct xylem_open_options){.create = false});
    add_session(writer, "a");
    assert_int_equal(find_session(reader, "a"), XYLEM_OK);
    assert_int_equal(xylem_begin(&txn, reader, XYLEM_WRITE, &err), XYLEM_E_READ_ONLY);
    assert_int_equal(xylem_sync(reader, &err), XYLEM_E_READ_ONLY);
    assert_int_equal(xylem_close(reader, NULL), XYLEM_OK);
    assert_int_equal(xylem_close(writer, NULL), XYLEM_OK);
}

/* LMDB 0.9.26 and later leaves such a file, and so does this test where LMDB is older. */
IN_PLACE(a_lock_file_whose_last_process_is_just_closing_is_opened)
{
    struct place *place = *state;
    char path[sizeof place->inner + 16];
    int pipe_fds[2];
    char ready;
    create(place->inner);
    (void)snprintf(path, sizeof path, "%s/lock.mdb", place->inner);
    assert_int_equal(pipe(pipe_fds), 0);
    pid_t child = fork();
    if (child == 0) {
        struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
        int fd = open(path, O_RDWR);
        char *table = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        size_t writers = (sizeof(pthread_mutex_t) + 24 + 63) / 64 * 64;
        pthread_mutex_destroy((pthread_mutex_t *)(void *)(table + 8));
        pthread_mutex_destroy((pthread_mutex_t *)(void *)(table + writers));
        int locked = fcntl(fd, F_SETLK, &lock);
        (void)!write(pipe_fds[1], "r", 1);
        usleep(50000);
        _exit(locked == 0 ? 0 : 1);
    }
    assert_int_equal(read(pipe_fds[0], &ready, 1), 1);
    struct xylem_store *store = open_store(place->inner, (struct xylem_open_options){.create = false});
    add_session(store, "a");
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}

IN_PLACE(a_handle_with_a_transaction_does_not_close)
{
    struct place *place = *state;
    struct xylem_store *store = open_store(place->inner, (struct xylem_open_options){.create = true});
    struct xylem_txn *txn;
    struct xylem_error err;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, NULL), XYLEM_OK);
    assert_int_equal(xylem_close(store, &err), XYLEM_E_BUSY);
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, &err), XYLEM_OK);
}

IN_PLACE(a_store_that_is_being_replaced_is_busy)
{
    struct place *place = *state;
    struct xylem_error err;
    char path[256];
    create(place->inner);
    snprintf(path, sizeof path, "%s/xylem.lock", place->inner);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(try_open(place->inner, (struct xylem_open_options){.create = false}, &err), XYLEM_E_BUSY);
    assert_int_equal(try_open(place->inner, (struct xylem_open_options){.read_only = true}, &err), XYLEM_E_BUSY);
    close(fd);
    /* And while it is open, nobody can replace it. */
    struct xylem_store *store = open_store(place->inner, (struct xylem_open_options){.read_only = true});
    fd = open(path, O_RDONLY);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    close(fd);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

IN_PLACE(a_network_file_system_is_refused_unless_it_is_allowed)
{
    struct place *place = *state;
    struct xylem_error err;
    create(place->inner);
    pretend_network = true;
    int refused = try_open(place->inner, (struct xylem_open_options){.create = false}, &err);
    int allowed = try_open(place->inner, (struct xylem_open_options){.allow_network_fs = true}, NULL);
    pretend_network = false;
    assert_int_equal(refused, XYLEM_E_IO);
    assert_non_null(strstr(err.text, "network file system"));
    assert_int_equal(allowed, XYLEM_OK);
}

IN_PLACE(a_store_of_another_user_is_an_error_with_its_reason)
{
    struct place *place = *state;
    if (geteuid() != 0) {
        skip(); /* only root can become somebody else */
    }
    create(place->inner);
    assert_int_equal(chmod(place->path, 0755), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_error err = {0, ""};
        struct xylem_store *store = NULL;
        bool right = setgid(65534) == 0 && setuid(65534) == 0;
        right = right && xylem_open(&store, place->inner, NULL, &err) == XYLEM_E_IO && strstr(err.text, "Permission");
        struct xylem_open_options options = {.create = true};
        char other[192];
        snprintf(other, sizeof other, "%s/other", place->path);
        right = right && xylem_open(&store, other, &options, &err) == XYLEM_E_IO && strstr(err.text, "Permission");
        _exit(right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

IN_PLACE(a_small_address_space_gets_a_smaller_map)
{
#if defined(__SANITIZE_ADDRESS__)
    (void)state;
    skip(); /* the sanitizer's own shadow needs more than such a limit leaves */
#else
    struct place *place = *state;
    create(place->inner);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {(rlim_t)1 << 33, (rlim_t)1 << 33};
        struct xylem_store *store = NULL;
        struct xylem_txn *txn = NULL;
        struct xylem_stat stat;
        bool right = setrlimit(RLIMIT_AS, &limit) == 0 && xylem_open(&store, place->inner, NULL, NULL) == XYLEM_OK;
        right = right && xylem_begin(&txn, store, XYLEM_READ, NULL) == XYLEM_OK &&
                xylem_stat_read(&stat, txn, NULL) == XYLEM_OK && stat.map_bytes < (uint64_t)1 << 33 &&
                stat.map_bytes >= (uint64_t)1 << 30;
        _exit(right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
#endif
}

IN_PLACE(use_after_fork_is_refused_and_the_parent_goes_on)
{
    struct place *place = *state;
    struct xylem_store *store = open_store(place->inner, (struct xylem_open_options){.create = true});
    struct xylem_txn *txn;
    add_session(store, "a");
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, NULL), XYLEM_OK);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_txn *other = NULL;
        struct xylem_session session;
        struct xylem_store *anew = NULL;
        bool right = xylem_begin(&other, store, XYLEM_READ, NULL) == XYLEM_E_FORKED;
        right = right && xylem_session_find(&session, txn, xylem_view_of("a"), NULL) == XYLEM_E_FORKED;
        right = right && xylem_sync(store, NULL) == XYLEM_E_FORKED && xylem_commit(txn, NULL) == XYLEM_E_FORKED;
        right = right && xylem_close(store, NULL) == XYLEM_OK;
        right = right && xylem_open(&anew, place->inner, NULL, NULL) == XYLEM_OK;
        right = right && find_session(anew, "a") == XYLEM_OK;
        if (right) {
            add_session(anew, "of the child");
            right = xylem_close(anew, NULL) == XYLEM_OK;
        }
        _exit(right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    xylem_abort(txn);
    assert_int_equal(find_session(store, "of the child"), XYLEM_OK);
    add_session(store, "b");
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

IN_PLACE(a_relative_path_stays_right_when_the_directory_changes)
{
    struct place *place = *state;
    char first[192];
    char second[192];
    char before[512];
    snprintf(first, sizeof first, "%s/first", place->path);
    snprintf(second, sizeof second, "%s/second", place->path);
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(mkdir(first, 0700), 0);
    assert_int_equal(mkdir(second, 0700), 0);
    assert_int_equal(chdir(second), 0);
    create("store"); /* the one that must not be taken for the other */
    assert_int_equal(chdir(first), 0);
    create("store");
    struct xylem_store *reader = open_store("store", (struct xylem_open_options){.read_only = true});
    assert_int_equal(chdir(second), 0);
    /* This opens the environment again, for writing. */
    char path[256];
    snprintf(path, sizeof path, "%s/store", first);
    struct xylem_store *writer = open_store(path, (struct xylem_open_options){.create = false});
    add_session(writer, "a");
    assert_int_equal(find_session(reader, "a"), XYLEM_OK);
    struct xylem_store *other = open_store("store", (struct xylem_open_options){.read_only = true});
    assert_int_equal(find_session(other, "a"), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_close(other, NULL), XYLEM_OK);
    assert_int_equal(xylem_close(reader, NULL), XYLEM_OK);
    assert_int_equal(xylem_close(writer, NULL), XYLEM_OK);
    assert_int_equal(chdir(before), 0);
}

IN_PLACE(a_store_that_was_replaced_is_not_opened_again)
{
    struct place *place = *state;
    create(place->inner);
    struct xylem_store *reader = open_store(place->inner, (struct xylem_open_options){.read_only = true});
    char moved[192];
    struct xylem_error err;
    snprintf(moved, sizeof moved, "%s/moved", place->path);
    assert_int_equal(rename(place->inner, moved), 0);
    create(place->inner);
    /* The old one, found by its new name, is still known by its old name, where another store is now. */
    assert_int_equal(try_open(moved, (struct xylem_open_options){.create = false}, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "replaced"));
    assert_int_equal(xylem_close(reader, NULL), XYLEM_OK);
    assert_int_equal(try_open(moved, (struct xylem_open_options){.create = false}, NULL), XYLEM_OK);
}

IN_PLACE(a_map_that_is_too_small_is_made_large_enough)
{
    struct place *place = *state;
    struct xylem_store *store = open_store(place->inner, (struct xylem_open_options){.create = true, .map_bytes = 1});
    add_session(store, "a");
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

/* Appends an entry of several pages: the file grows. */
static void grow(struct xylem_store *store)
{
    static char text[24000];
    struct xylem_txn *txn;
    struct xylem_session session;
    struct xylem_position first;
    struct xylem_new_entry entry = {
        .kind = {XYLEM_CLASS_HOST, xylem_view_of("note")}, .format = XYLEM_FORMAT_JSON, .payload = {text, sizeof text}};
    memset(text, 'a', sizeof text);
    text[0] = text[sizeof text - 1] = '"';
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("a"), NULL), XYLEM_OK);
    assert_int_equal(xylem_append(&first, txn, session.number, &entry, 1, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
}

/*
 * A process opens the store with a map that just holds the file. Before one of its reads of the file another process
 * commits, and the file is larger than the map. LMDB then maps the file at another place. Each read has its turn.
 */
IN_PLACE(a_commit_during_the_opening_may_outgrow_the_map)
{
    struct place *place = *state;
    struct xylem_open_options large = {.create = true, .durability = XYLEM_DURABILITY_NONE, .map_bytes = 1 << 24};
    struct xylem_store *store = open_store(place->inner, large);
    int asked = 1;
    add_session(store, "a");
    for (int i = 0; i < 60; i++) {
        grow(store);
    }
    for (int reads = 0; asked == 1; reads++) {
        char byte = 'x';
        int status = 0;
        assert_int_equal(pipe(asks), 0);
        assert_int_equal(pipe(answers), 0);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            struct xylem_error err = {0, ""};
            struct xylem_store *opened = NULL;
            signal(SIGBUS, SIG_DFL);
            signal(SIGSEGV, SIG_DFL);
            reads_before = reads;
            if (xylem_open(&opened, place->inner, &(struct xylem_open_options){.map_bytes = 1 << 20}, &err) < 0) {
                fprintf(stderr, "%s\n", err.text);
                _exit(1);
            }
            reads_before = -1;
            _exit(find_session(opened, "a") == XYLEM_OK ? 0 : 2);
        }
        close(asks[1]);
        close(answers[0]);
        asked = (int)read(asks[0], &byte, 1);
        if (asked == 1) {
            grow(store);
            assert_int_equal(write(answers[1], &byte, 1), 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0) {
            fail_msg("a commit before read %d: the process ended with status %#x", reads, (unsigned)status);
        }
        assert_true(asked == 1 || reads > 5); /* there were reads */
        close(asks[0]);
        close(answers[1]);
    }
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

IN_PLACE(options_that_mean_nothing_are_refused)
{
    struct place *place = *state;
    struct xylem_store *store = NULL;
    struct xylem_open_options options = {.create = true, .durability = (enum xylem_durability)7};
    assert_int_equal(xylem_open(&store, place->inner, &options, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_open(&store, NULL, NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_open(&store, "", NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_open(NULL, place->inner, NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_close(NULL, NULL), XYLEM_OK);
}

/* LMDB would divide by it. */
IN_PLACE(a_page_size_that_cannot_be_is_corrupt)
{
    struct place *place = *state;
    static const unsigned char sizes[][4] = {{0, 0, 0, 0}, {1, 16, 0, 0}, {0, 48, 0, 0}, {0, 1, 0, 0}};
    char path[200];
    struct xylem_store *store = open_store(place->inner, (struct xylem_open_options){.create = true});
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    snprintf(path, sizeof path, "%s/data.mdb", place->inner);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    for (size_t page = 0; page < 2; page++) {
        off_t at = (off_t)(page * (size_t)sysconf(_SC_PAGESIZE)) + 40;
        unsigned char right[4];
        assert_int_equal(pread(fd, right, 4, at), 4);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct xylem_error err = {0};
            assert_int_equal(pwrite(fd, sizes[i], 4, at), 4);
            assert_int_equal(xylem_open(&store, place->inner, NULL, &err), XYLEM_E_CORRUPT);
            assert_non_null(strstr(err.text, "says that a page has"));
        }
        assert_int_equal(pwrite(fd, right, 4, at), 4);
    }
    close(fd);
    store = open_store(place->inner, (struct xylem_open_options){.create = false});
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}
