/* Backups: what is in them, beside whom they are made, and that nothing is left of one that failed. */

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/lmdb/environment.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/append.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

/* --- What the system is made to do -------------------------------------------------------------------------------- */

/* The writes of a copy fail with this, or change a byte. */
static int write_errno;
static bool write_garbled;
static bool pretend_full;
/* fsync(2) of a directory fails, the n-th time: 1 is the backup's own, 2 the one above it. */
static int fail_directory_sync;
static int directory_syncs;
static int rename_errno;
static bool no_renameat2;

#define REAL(name, call)                        \
    do {                                        \
        void *symbol_ = dlsym(RTLD_NEXT, name); \
        memcpy(&(call), &symbol_, sizeof call); \
    } while (0)

static bool write_fails(size_t bytes)
{
    bool fails = write_errno != 0 && bytes >= 4096;
    errno = fails ? write_errno : errno;
    return fails;
}

/* The bytes that are written; the caller frees them. */
static char *garbled(const void *data, size_t bytes)
{
    char *copy = malloc(bytes);
    memcpy(copy, data, bytes);
    char *at = write_garbled ? memmem(copy, bytes, "needle-in-a-haystack", 20) : NULL;
    if (at) {
        *at = 'N';
    }
    return copy;
}

/* Visible, so that LMDB finds it too. */
__attribute__((visibility("default"))) ssize_t write(int fd, const void *data, size_t bytes)
{
    ssize_t (*real)(int, const void *, size_t);
    REAL("write", real);
    if (!write_garbled || bytes < 4096) {
        return write_fails(bytes) ? -1 : real(fd, data, bytes);
    }
    char *copy = garbled(data, bytes);
    ssize_t wrote = real(fd, copy, bytes);
    free(copy);
    return wrote;
}

/* The same for a copy whose pages keep their places. */
static void (*before_pwrite)(void);
__attribute__((visibility("default"))) ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off_t);
    REAL("pwrite", real);
    void (*before)(void) = before_pwrite;
    before_pwrite = NULL;
    if (before) {
        before();
    }
    if (!write_garbled || bytes < 4096) {
        return write_fails(bytes) ? -1 : real(fd, data, bytes, offset);
    }
    char *copy = garbled(data, bytes);
    ssize_t wrote = real(fd, copy, bytes, offset);
    free(copy);
    return wrote;
}

int fsync(int fd)
{
    int (*real)(int);
    struct stat file;
    REAL("fsync", real);
    if (fail_directory_sync > 0 && fstat(fd, &file) == 0 && S_ISDIR(file.st_mode) &&
        ++directory_syncs == fail_directory_sync) {
        errno = EIO;
        return -1;
    }
    return real(fd);
}

long syscall(long number, ...)
{
    long (*real)(long, ...);
    va_list list;
    long word[6];
    REAL("syscall", real);
    if (number == SYS_renameat2 && (rename_errno != 0 || no_renameat2)) {
        errno = no_renameat2 ? EINVAL : rename_errno;
        return -1;
    }
    va_start(list, number);
    for (size_t i = 0; i < 6; i++) {
        word[i] = va_arg(list, long);
    }
    va_end(list);
    return real(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}

int statvfs(const char *restrict path, struct statvfs *restrict fs)
{
    int (*real)(const char *, struct statvfs *);
    REAL("statvfs", real);
    int result = real(path, fs);
    if (result == 0 && pretend_full) {
        fs->f_bavail = 1;
        fs->f_frsize = 512;
    }
    return result;
}

/* --- Places ------------------------------------------------------------------------------------------------------- */

static char outside[128]; /* a directory for backups */

/* Each test runs twice: with compacted copies, and with copies whose pages keep their places. */
static const struct xylem_backup_options in_place = {.keep_pages = true};
static const struct xylem_backup_options *how;

static int keep_pages(void **state)
{
    (void)state;
    how = &in_place;
    return 0;
}

static int compact_again(void **state)
{
    (void)state;
    how = NULL;
    return 0;
}

TEST_FILE_ROUND("keep_pages", keep_pages, compact_again)

static const char *in_outside(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", outside, name);
    return path;
}

static void empty_outside(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'/*", outside);
    assert_int_equal(system(command), 0);
}

static int set_up_place(void **state)
{
    test_directory_make(outside, sizeof outside, "backup");
    set_up(state);
    uint64_t session = store_builder_session(&builder, "one");
    store_builder_messages(&builder, session, 100);
    store_builder_add(&builder, session, "note", "custom:note", "{\"text\":\"needle-in-a-haystack\"}");
    store_builder_commit(&builder);
    xylem_abort(builder.txn);
    builder.txn = NULL;
    return 0;
}

static int tear_down_place(void **state)
{
    empty_outside();
    assert_int_equal(rmdir(outside), 0);
    return tear_down(state);
}

static int backup(struct xylem_backup_report *report, const char *name, struct xylem_error *err)
{
    memset(err, 0, sizeof *err);
    return xylem_backup(report, builder.store, in_outside(name), how, err);
}

static int count_problem(void *context, const struct xylem_problem *problem)
{
    (void)context;
    print_message("%s: %s\n", problem->table, problem->text);
    return 0;
}

/* Opens a backup as the store that it is, and gives the entries of session `one`. */
static uint64_t look(const char *path)
{
    struct xylem_verify_report report;
    struct xylem_session session;
    struct xylem_error err;
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    store_builder_must(xylem_open(&store, path, NULL, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_verify(&report, txn, NULL, count_problem, NULL, &err), &err);
    assert_int_equal(report.problem_count, 0);
    store_builder_must(xylem_session_find(&session, txn, xylem_view_of("one"), &err), &err);
    uint64_t depth = session.leaf.depth;
    xylem_abort(txn);
    store_builder_must(xylem_close(store, &err), &err);
    return depth;
}

/* --- What it makes ----------------------------------------------------------------------------------------------- */

#define PLACED(test) TEST_WITH(test, set_up_place, tear_down_place)

PLACED(a_backup_is_a_store_in_its_place)
{
    struct xylem_backup_report report;
    struct xylem_error err;
    struct stat file;
    (void)state;
    store_builder_must(backup(&report, "copy", &err), &err);
    assert_int_equal(stat(in_outside("copy/data.mdb"), &file), 0);
    assert_int_equal(report.bytes, file.st_size);
    assert_int_equal(report.session_count, 1);
    assert_int_equal(report.branch_count, 1);
    assert_int_equal(report.entry_count, 101);
    assert_int_equal(access(in_outside("copy/lock.mdb"), F_OK), -1);
    assert_int_equal(test_directory_count(outside), 1);
    assert_int_equal(look(in_outside("copy")), 101);
    /* It is written to as any store, and the original does not know. */
    struct xylem_store *original = builder.store;
    struct xylem_session session;
    store_builder_must(xylem_open(&builder.store, in_outside("copy"), NULL, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    store_builder_must(xylem_session_find(&session, builder.txn, xylem_view_of("one"), &err), &err);
    store_builder_messages(&builder, session.number, 5);
    store_builder_must(xylem_commit(builder.txn, &err), &err);
    store_builder_must(xylem_close(builder.store, &err), &err);
    builder.txn = NULL;
    builder.store = original;
    assert_int_equal(look(in_outside("copy")), 106);
    assert_int_equal(look(builder.path), 101);
}

PLACED(slashes_behind_its_name_and_a_null_report_are_allowed)
{
    struct xylem_error err;
    (void)state;
    store_builder_must(backup(NULL, "copy//", &err), &err);
    assert_int_equal(look(in_outside("copy")), 101);
}

PLACED(a_name_without_a_directory_lies_in_the_current_one)
{
    char before[256];
    struct xylem_error err;
    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(outside), 0);
    int code = xylem_backup(NULL, builder.store, "copy", how, &err);
    assert_int_equal(chdir(before), 0);
    store_builder_must(code, &err);
    assert_int_equal(look(in_outside("copy")), 101);
}

PLACED(it_is_the_owners_alone_whatever_the_umask)
{
    static const mode_t umasks[] = {0, 0777};
    struct xylem_error err;
    (void)state;
    for (size_t i = 0; i < sizeof umasks / sizeof *umasks; i++) {
        struct stat file;
        mode_t before = umask(umasks[i]);
        int code = backup(NULL, "copy", &err);
        umask(before);
        store_builder_must(code, &err);
        assert_int_equal(stat(in_outside("copy"), &file), 0);
        assert_int_equal(file.st_mode & 07777, 0700);
        assert_int_equal(stat(in_outside("copy/data.mdb"), &file), 0);
        assert_int_equal(file.st_mode & 07777, 0600);
        empty_outside();
    }
}

PLACED(a_handle_for_reading_makes_one_and_readers_do_not_matter)
{
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store = NULL;
    struct xylem_txn *reading = NULL;
    struct xylem_error err;
    (void)state;
    store_builder_must(xylem_open(&store, builder.path, &options, &err), &err);
    store_builder_must(xylem_begin(&reading, store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_backup(NULL, store, in_outside("copy"), how, &err), &err);
    xylem_abort(reading);
    store_builder_must(xylem_close(store, &err), &err);
    assert_int_equal(look(in_outside("copy")), 101);
}

/* --- Beside a writer --------------------------------------------------------------------------------------------- */

#define APPENDS_AHEAD 2000u /* enough for one to fall into each backup */

struct shared {
    _Atomic uint64_t acknowledged; /* depth of the last entry whose append returned */
    _Atomic uint64_t allowed;      /* the depth up to which it may write: a slow machine has no larger store to copy */
    _Atomic bool stop;
};

static struct shared *shared;

static void write_on(void)
{
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_kind kind = {.kind_class = XYLEM_CLASS_HOST, .name = xylem_view_of("message")};
    if (xylem_open(&store, builder.path, &options, NULL) < 0) {
        _exit(1);
    }
    while (!atomic_load(&shared->stop)) {
        char id[32];
        struct xylem_position at;
        uint64_t next = atomic_load(&shared->acknowledged) + 1;
        if (next > atomic_load(&shared->allowed)) {
            usleep(1000);
            continue;
        }
        snprintf(id, sizeof id, "w-%08llu", (unsigned long long)next);
        struct xylem_new_entry entry = {.id = xylem_view_of(id), .kind = kind};
        if (xylem_begin(&txn, store, XYLEM_WRITE, NULL) < 0 ||
            xylem_session_find(&session, txn, xylem_view_of("one"), NULL) < 0 ||
            xylem_append(&at, txn, session.number, &entry, 1, NULL, NULL) < 0 || xylem_commit(txn, NULL) < 0) {
            _exit(2);
        }
        atomic_store(&shared->acknowledged, next);
    }
    _exit(xylem_close(store, NULL) == XYLEM_OK ? 0 : 3);
}

/* Every entry that was acknowledged before it began is in it, and no entry without the one before it. */
static void look_at_prefix(uint64_t at_least, uint64_t at_most)
{
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_error err;
    uint64_t depth = look(in_outside("copy"));
    assert_in_range(depth, at_least, at_most);
    store_builder_must(xylem_open(&store, in_outside("copy"), NULL, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_session_find(&session, txn, xylem_view_of("one"), &err), &err);
    for (uint64_t i = 102; i <= depth; i++) {
        struct xylem_entry entry;
        struct xylem_position at;
        char id[32];
        snprintf(id, sizeof id, "w-%08llu", (unsigned long long)i);
        store_builder_must(xylem_ancestor_at(&at, txn, session.leaf, i, &err), &err);
        store_builder_must(xylem_entry_read(&entry, txn, at, &err), &err);
        assert_int_equal(entry.id.bytes, strlen(id));
        assert_memory_equal(entry.id.data, id, entry.id.bytes);
    }
    xylem_abort(txn);
    store_builder_must(xylem_close(store, &err), &err);
}

/* The copy of a small store is made faster than another process appends. */
static void await_appends(void)
{
    uint64_t now = atomic_load(&shared->acknowledged);
    if (atomic_load(&shared->allowed) < now + 2) { /* the writer is as far ahead as it may */
        atomic_store(&shared->allowed, now + 2);
    }
    while (atomic_load(&shared->acknowledged) < now + 2) {
        usleep(100);
    }
}

PLACED(beside_a_writer_it_holds_all_up_to_one_of_its_appends)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int rounds = getenv("XYLEM_TORTURE") ? 300 : 4;
    uint64_t grew = 0;
    struct xylem_error err;
    int status = 0;
    (void)state;
    assert_ptr_not_equal(shared, MAP_FAILED);
    atomic_store(&shared->acknowledged, 101);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        write_on();
    }
    for (int round = 0; round < rounds; round++) {
        struct xylem_backup_report report;
        atomic_store(&shared->allowed, 101 + (uint64_t)round * 50 + APPENDS_AHEAD);
        while (atomic_load(&shared->acknowledged) < 101 + (uint64_t)round * 50) {
            usleep(1000);
        }
        uint64_t before = atomic_load(&shared->acknowledged);
        before_pwrite = how ? await_appends : NULL;
        store_builder_must(backup(&report, "copy", &err), &err);
        uint64_t after = atomic_load(&shared->acknowledged) + 1; /* one may be committed and not told yet */
        look_at_prefix(before, after);
        grew += after > before + 1;
        empty_outside();
    }
    atomic_store(&shared->stop, true);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(grew > 0); /* it did write meanwhile */
    munmap(shared, sizeof *shared);
}

/* A write of another process, in the middle of the copy. */
static void append_much(void)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct xylem_store *store = NULL;
        struct xylem_txn *txn = NULL;
        struct xylem_session session;
        static char payload[2 << 20];
        struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of("message")},
                                        .format = XYLEM_FORMAT_JSON,
                                        .payload = {payload, sizeof payload}};
        memset(payload, 'x', sizeof payload);
        payload[0] = payload[sizeof payload - 1] = '"';
        bool done = true;
        for (int i = 0; done && i < 3; i++) { /* no meta page leads to the copied state any more */
            done = (store || xylem_open(&store, builder.path, NULL, NULL) == XYLEM_OK) &&
                   xylem_begin(&txn, store, XYLEM_WRITE, NULL) == XYLEM_OK &&
                   xylem_session_find(&session, txn, xylem_view_of("one"), NULL) == XYLEM_OK &&
                   xylem_append(NULL, txn, session.number, &entry, 1, NULL, NULL) == XYLEM_OK &&
                   xylem_commit(txn, NULL) == XYLEM_OK;
        }
        _exit(done && xylem_close(store, NULL) == XYLEM_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

PLACED(it_says_how_much_the_store_grew_meanwhile)
{
    struct xylem_backup_report report;
    struct xylem_error err;
    (void)state;
    if (!how) {
        skip(); /* a compacted copy has the commits that come before its first write */
    }
    store_builder_must(backup(&report, "still", &err), &err);
    assert_int_equal(report.grown_bytes, 0);
    before_pwrite = append_much;
    store_builder_must(backup(&report, "copy", &err), &err);
    assert_int_equal(look(in_outside("copy")), 101);
    assert_int_equal(look(builder.path), 104);
    assert_in_range(report.grown_bytes, 6 << 20, 8 << 20);
    assert_true(report.bytes < 1 << 20);
}

/* --- What it refuses --------------------------------------------------------------------------------------------- */

PLACED(it_never_goes_over_anything)
{
    struct xylem_error err;
    (void)state;
    assert_int_equal(mkdir(in_outside("empty"), 0700), 0);
    assert_int_equal(backup(NULL, "empty", &err), XYLEM_E_EXISTS);
    assert_non_null(strstr(err.text, "empty"));
    assert_int_equal(symlink("nowhere", in_outside("link")), 0);
    assert_int_equal(backup(NULL, "link", &err), XYLEM_E_EXISTS);
    store_builder_must(backup(NULL, "copy", &err), &err);
    assert_int_equal(backup(NULL, "copy", &err), XYLEM_E_EXISTS);
    assert_int_equal(xylem_backup(NULL, builder.store, builder.path, how, &err), XYLEM_E_EXISTS);
    /* One that appears while it is made. */
    rename_errno = EEXIST;
    int code = backup(NULL, "late", &err);
    rename_errno = 0;
    assert_int_equal(code, XYLEM_E_EXISTS);
    assert_int_equal(test_directory_count(outside), 3);
    assert_int_equal(look(in_outside("copy")), 101);
}

PLACED(a_place_inside_of_the_store_is_refused)
{
    struct xylem_error err;
    char path[512];
    (void)state;
    snprintf(path, sizeof path, "%s/copy", builder.path);
    assert_int_equal(xylem_backup(NULL, builder.store, path, how, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(access(path, F_OK), -1);
    /* A directory whose name only begins the same is another one. */
    snprintf(path, sizeof path, "%s-copy", builder.path);
    store_builder_must(xylem_backup(NULL, builder.store, path, how, &err), &err);
    char command[600];
    snprintf(command, sizeof command, "rm -r '%s'", path);
    assert_int_equal(system(command), 0);
}

PLACED(nothing_to_copy_or_nowhere_to_copy_it_to_is_refused)
{
    struct xylem_error err;
    (void)state;
    assert_int_equal(xylem_backup(NULL, NULL, in_outside("copy"), how, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_backup(NULL, builder.store, NULL, how, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_backup(NULL, builder.store, "", how, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(backup(NULL, "no/such/directory", &err), XYLEM_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "there is no directory "));
    assert_non_null(strstr(err.text, "no/such: make the directory first"));
    assert_int_equal(close(open(in_outside("file"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), 0);
    assert_int_equal(backup(NULL, "file/copy", &err), XYLEM_E_IO);
    assert_non_null(strstr(err.text, "Not a directory"));
    assert_int_equal(unlink(in_outside("file")), 0);
    assert_int_equal(test_directory_count(outside), 0);
}

PLACED(a_thread_that_writes_is_refused)
{
    struct xylem_error err;
    (void)state;
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    assert_int_equal(backup(NULL, "copy", &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "write transaction"));
    assert_int_equal(test_directory_count(outside), 0);
}

PLACED(after_a_fork_it_is_refused)
{
    int status = 0;
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct xylem_error err;
        _exit(backup(NULL, "copy", &err) == XYLEM_E_FORKED ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The map of the store takes most of the room; the copy needs a map of its own size. */
PLACED(a_backup_works_where_the_address_space_is_small)
{
    (void)state;
    struct xylem_error err;
    int status = 0;
    if (SANITIZED) {
        skip(); /* the sanitizers need the whole address space */
    }
    store_builder_must(xylem_close(builder.store, &err), &err);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {2500000000, 2500000000};
        bool done = setrlimit(RLIMIT_AS, &limit) == 0 &&
                    xylem_open(&builder.store, builder.path, NULL, &err) == XYLEM_OK && !backup(NULL, "copy", &err);
        _exit(done ? 0 : 1);
    }
    pid_t ended = waitpid(child, &status, 0);
    store_builder_must(xylem_open(&builder.store, builder.path, NULL, &err), &err);
    assert_int_equal(ended, child);
    assert_int_equal(status, 0);
}

PLACED(a_damaged_store_is_not_copied)
{
    struct xylem_error err;
    char path[512];
    char *at = NULL;
    (void)state;
    snprintf(path, sizeof path, "%s/data.mdb", builder.path);
    int fd = open(path, O_RDWR);
    off_t bytes = lseek(fd, 0, SEEK_END);
    char *map = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    at = memmem(map, (size_t)bytes, "needle-in-a-haystack", 20);
    assert_non_null(at);
    *at = 'N';
    assert_int_equal(backup(NULL, "copy", &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "; no backup was made"));
    *at = 'n';
    munmap(map, (size_t)bytes);
    close(fd);
    assert_int_equal(test_directory_count(outside), 0);
    store_builder_must(backup(NULL, "copy", &err), &err);
}

/* --- What it leaves ---------------------------------------------------------------------------------------------- */

static void assert_fails(int code, const char *text)
{
    struct xylem_error err;
    int got = backup(NULL, "copy", &err);
    if (got != code || !strstr(err.text, text)) {
        fail_msg("%d, not %d: %s", got, code, err.text);
    }
    assert_int_equal(test_directory_count(outside), 0);
}

PLACED(no_room_is_named_and_nothing_is_left)
{
    pretend_full = true;
    assert_fails(XYLEM_E_NO_SPACE, outside);
    pretend_full = false;
    static const int failures[] = {ENOSPC, EDQUOT, EFBIG, EIO};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        write_errno = failures[i];
        assert_fails(i < 3 ? XYLEM_E_NO_SPACE : XYLEM_E_IO, "copy.unfinished-");
    }
    write_errno = 0;
    look(builder.path);
}

PLACED(a_copy_that_was_written_wrong_is_removed)
{
    write_garbled = true;
    assert_fails(XYLEM_E_IO, "the copy cannot be relied on");
    write_garbled = false;
    look(builder.path);
}

PLACED(a_directory_that_cannot_be_synced_or_renamed_is_removed)
{
    for (fail_directory_sync = 1; fail_directory_sync <= 2; fail_directory_sync++) {
        directory_syncs = 0;
        assert_fails(XYLEM_E_IO, "sync");
    }
    fail_directory_sync = 0;
    rename_errno = EACCES;
    assert_fails(XYLEM_E_IO, "rename");
    rename_errno = 0;
}

PLACED(a_file_system_without_a_rename_that_spares_does_too)
{
    struct xylem_error err;
    (void)state;
    no_renameat2 = true;
    int code = backup(NULL, "copy", &err);
    no_renameat2 = false;
    store_builder_must(code, &err);
    assert_int_equal(look(in_outside("copy")), 101);
}

/* Backs up in a child that does not own what an administrator owns, below a directory of this mode. 0: as expected. */
static int backup_below(mode_t mode, int expected, const char *part)
{
    int status = 0;
    assert_int_equal(chmod(outside, mode), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct xylem_error err = {0, ""};
        struct xylem_store *store = NULL;
        /* An administrator may read and write everywhere: become somebody who owns these. */
        if (geteuid() == 0) {
            char command[600];
            snprintf(command, sizeof command, "chown -R 4711 '%s' '%s'", builder.path, outside);
            if (system(command) != 0 || setuid(4711) != 0) {
                _exit(3);
            }
        }
        if (xylem_open(&store, builder.path, NULL, &err) < 0) {
            _exit(4);
        }
        int code = xylem_backup(NULL, store, in_outside("copy"), how, &err);
        _exit(code == expected && strstr(err.text, part) ? 0 : 5);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chmod(outside, 0700), 0);
    return status;
}

PLACED(a_directory_that_cannot_be_made_is_named)
{
    assert_int_equal(backup_below(0500, XYLEM_E_IO, "copy"), 0);
    assert_int_equal(test_directory_count(outside), 0);
}

PLACED(a_backup_is_made_in_a_directory_that_cannot_be_read)
{
    assert_int_equal(backup_below(0300, XYLEM_OK, ""), 0);
    assert_int_equal(look(in_outside("copy")), 101);
}
