/* Compaction: what it gives back, who is in its way, and what is left when it is cut short. */

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/lmdb/environment.h"
#include "store/pages/page.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "tests/lib/chance.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

#define SECRET "the-password-is-swordfish"

/* --- What the system is made to do -------------------------------------------------------------------------------- */

/* The process ends before its n-th call that changes a file; 0: never. */
static unsigned end_before_call;
static unsigned call_count;
/* LMDB's writes fail with this. */
static int write_errno;
/* Overwriting fails with this; giving the old file a second name does; or the sync of a directory. */
static int pwrite_errno;
static int link_errno;
static int directory_sync_errno;
static bool pretend_network;
static bool pretend_full;
/* What happens before a rename. */
static void (*before_rename)(void);
/* What happens once before the byte of data.mdb is taken. */
static void (*before_data_byte)(void);

static void *real_call(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* ISO C has no cast from an object to a function. */
#define REAL(name, call)                        \
    do {                                        \
        void *symbol_ = real_call(name);        \
        memcpy(&(call), &symbol_, sizeof call); \
    } while (0)

static void count_call(void)
{
    if (end_before_call > 0 && ++call_count == end_before_call) {
        _exit(99);
    }
}

/* Visible, so that LMDB finds it too. */
__attribute__((visibility("default"))) ssize_t write(int fd, const void *data, size_t bytes)
{
    ssize_t (*real)(int, const void *, size_t);
    struct stat file;
    REAL("write", real);
    if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode)) {
        count_call();
        if (write_errno != 0 && bytes >= 4096) {
            errno = write_errno;
            return -1;
        }
    }
    return real(fd, data, bytes);
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off_t);
    REAL("pwrite", real);
    count_call();
    if (pwrite_errno != 0 && bytes > 4096) { /* the meta pages of the copy are no part of the overwriting */
        errno = pwrite_errno;
        return -1;
    }
    return real(fd, data, bytes, offset);
}

int ftruncate(int fd, off_t bytes)
{
    int (*real)(int, off_t);
    REAL("ftruncate", real);
    count_call();
    return real(fd, bytes);
}

int fsync(int fd)
{
    int (*real)(int);
    struct stat file;
    REAL("fsync", real);
    count_call();
    if (directory_sync_errno != 0 && fstat(fd, &file) == 0 && S_ISDIR(file.st_mode)) {
        errno = directory_sync_errno;
        return -1;
    }
    return real(fd);
}

int link(const char *from, const char *to)
{
    int (*real)(const char *, const char *);
    REAL("link", real);
    count_call();
    if (link_errno != 0) {
        errno = link_errno;
        return -1;
    }
    return real(from, to);
}

int unlink(const char *path)
{
    int (*real)(const char *);
    REAL("unlink", real);
    count_call();
    return real(path);
}

int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *);
    REAL("rename", real);
    count_call();
    if (before_rename) {
        before_rename();
    }
    return real(from, to);
}

int fcntl(int fd, int command, ...)
{
    int (*real)(int, int, ...);
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    REAL("fcntl", real);
    void (*before)(void) = before_data_byte;
    const struct flock *lock = argument;
    if (before && command == F_OFD_SETLK && lock->l_type == F_WRLCK && lock->l_start == (off_t)XYLEM_LMDB__USED_BYTE) {
        before_data_byte = NULL;
        before();
    }
    return real(fd, command, argument);
}

int statfs(const char *path, struct statfs *fs)
{
    int (*real)(const char *, struct statfs *);
    REAL("statfs", real);
    int result = real(path, fs);
    if (result == 0 && pretend_network) {
        fs->f_type = NFS_SUPER_MAGIC;
    }
    return result;
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

/* --- The store ---------------------------------------------------------------------------------------------------- */

struct content {
    struct xylem_verify_report report;
    uint64_t check; /* of the leaf of session `one`: it covers the whole path */
};

static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", builder.path, name);
    return path;
}

static uint64_t size_of(const char *name)
{
    struct stat file;
    assert_int_equal(stat(path_of(name), &file), 0);
    return (uint64_t)file.st_size;
}

/* Gives the store up, so that nobody has it open. */
static void let_go(void)
{
    struct xylem_error err;
    struct xylem_txn *txn = builder.txn;
    builder.txn = NULL;
    if (txn) {
        store_builder_must(xylem_commit(txn, &err), &err);
    }
    store_builder_must(xylem_close(builder.store, &err), &err);
    builder.store = NULL;
}

static int count_problem(void *context, const struct xylem_problem *problem)
{
    (void)context;
    print_message("%s: %s\n", problem->table, problem->text);
    return 0;
}

/* Opens it anew, and reads all of it. */
static struct content look(void)
{
    struct content content;
    struct xylem_session session;
    struct xylem_entry leaf;
    struct xylem_error err;
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    memset(&content, 0, sizeof content);
    struct xylem_open_options options = {.read_only = true};
    store_builder_must(xylem_open(&store, builder.path, &options, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_verify(&content.report, txn, NULL, count_problem, NULL, &err), &err);
    assert_int_equal(content.report.problem_count, 0);
    store_builder_must(xylem_session_find(&session, txn, xylem_view_of("one"), &err), &err);
    store_builder_must(xylem_entry_read(&leaf, txn, session.leaf, &err), &err);
    content.check = leaf.check;
    xylem_abort(txn);
    store_builder_must(xylem_close(store, &err), &err);
    return content;
}

static void assert_same_content(const struct content *a, const struct content *b)
{
    assert_int_equal(a->report.entry_count, b->report.entry_count);
    assert_int_equal(a->report.row_count, b->report.row_count);
    assert_int_equal(a->check, b->check);
}

/* Rows that are there no more: their pages are free, and their bytes are still in them. */
static void leave_free_pages(size_t bytes)
{
    char key[] = "a key of no line";
    struct xylem_view key_view = {key, sizeof key};
    struct xylem_error err;
    char *value = malloc(bytes);
    assert_non_null(value);
    for (size_t at = 0; at < bytes; at++) {
        value[at] = SECRET[at % (sizeof SECRET - 1)];
    }
    store_builder_must(
        xylem_lmdb__put(builder.txn, XYLEM_FORMAT__QUARANTINE, key_view, (struct xylem_view){value, bytes}, true, &err),
        &err);
    free(value);
    store_builder_commit(&builder);
    store_builder_must(xylem_lmdb__remove(builder.txn, XYLEM_FORMAT__QUARANTINE, key_view, &err), &err);
    store_builder_commit(&builder);
}

static void fill(void)
{
    uint64_t session = store_builder_session(&builder, "one");
    store_builder_messages(&builder, session, 300);
    store_builder_add(&builder, session, "note", "custom:note", "{\"text\":\"needle-in-a-haystack\"}");
    uint64_t other = store_builder_clone(&builder, session, "two");
    store_builder_messages(&builder, other, 20);
    leave_free_pages((size_t)2 << 20);
    let_go();
}

static int set_up_filled(void **state)
{
    set_up(state);
    fill();
    return 0;
}

/* The store is opened again so that its builder finds it as it left it. */
static int tear_down_filled(void **state)
{
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE};
    if (!builder.store) {
        xylem_open(&builder.store, builder.path, &options, NULL);
    }
    return tear_down(state);
}

static int compact(struct xylem_compact_report *report, struct xylem_compact_options options, struct xylem_error *err)
{
    memset(err, 0, sizeof *err);
    return xylem_compact(report, builder.path, &options, err);
}

/* The names in the store's directory that are none of the three. */
static size_t count_others(void)
{
    DIR *directory = opendir(builder.path);
    size_t count = 0;
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *name = entry->d_name;
        count += strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, "data.mdb") != 0 &&
                 strcmp(name, "lock.mdb") != 0 && strcmp(name, "xylem.lock") != 0;
    }
    closedir(directory);
    return count;
}

static char *read_all(int fd, size_t *bytes)
{
    struct stat file;
    assert_int_equal(fstat(fd, &file), 0);
    char *data = malloc((size_t)file.st_size + 1);
    assert_non_null(data);
    assert_int_equal(pread(fd, data, (size_t)file.st_size, 0), file.st_size);
    *bytes = (size_t)file.st_size;
    return data;
}

static bool holds(int fd, const char *text)
{
    size_t bytes = 0;
    char *data = read_all(fd, &bytes);
    bool found = memmem(data, bytes, text, strlen(text)) != NULL;
    free(data);
    return found;
}

static void patch(const char *text, ptrdiff_t offset, char byte)
{
    int fd = open(path_of("data.mdb"), O_RDWR);
    size_t bytes = 0;
    assert_true(fd >= 0);
    char *data = read_all(fd, &bytes);
    const char *at = memmem(data, bytes, text, strlen(text));
    assert_non_null(at);
    assert_int_equal(pwrite(fd, &byte, 1, at - data + offset), 1);
    free(data);
    close(fd);
}

/* --- What it does ------------------------------------------------------------------------------------------------ */

#define FILLED(test) TEST_WITH(test, set_up_filled, tear_down_filled)

FILLED(the_file_shrinks_and_what_it_holds_is_unchanged)
{
    struct xylem_compact_report dry;
    struct xylem_compact_report report;
    struct xylem_error err;
    struct content before = look();
    uint64_t bytes = size_of("data.mdb");
    (void)state;
    store_builder_must(compact(&dry, (struct xylem_compact_options){.dry_run = true}, &err), &err);
    assert_int_equal(size_of("data.mdb"), bytes);
    assert_false(dry.replaced);
    store_builder_must(compact(&report, (struct xylem_compact_options){.dry_run = false}, &err), &err);
    struct content after = look();
    assert_same_content(&before, &after);
    assert_true(report.replaced);
    assert_int_equal(report.overwritten_bytes, 0);
    assert_int_equal(report.bytes_before, bytes);
    assert_int_equal(report.bytes_after, size_of("data.mdb"));
    assert_true(report.bytes_after + ((uint64_t)2 << 20) <= report.bytes_before);
    assert_int_equal(dry.bytes_before, report.bytes_before);
    assert_int_equal(dry.bytes_after, report.bytes_after);
    assert_int_equal(count_others(), 0);
}

FILLED(a_compacted_store_is_written_to_and_compacted_again)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    (void)state;
    for (int round = 0; round < 3; round++) {
        store_builder_must(compact(&report, (struct xylem_compact_options){.dry_run = false}, &err), &err);
        struct content before = look();
        struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
        store_builder_must(xylem_open(&builder.store, builder.path, &options, &err), &err);
        store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
        struct xylem_session session;
        store_builder_must(xylem_session_find(&session, builder.txn, xylem_view_of("one"), &err), &err);
        store_builder_messages(&builder, session.number, 50);
        let_go();
        struct content after = look();
        assert_int_equal(after.report.entry_count, before.report.entry_count + 50);
    }
}

FILLED(a_dry_run_works_beside_those_who_use_the_store)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    (void)state;
    store_builder_must(xylem_open(&builder.store, builder.path, &options, &err), &err);
    store_builder_must(compact(&report, (struct xylem_compact_options){.dry_run = true}, &err), &err);
    assert_true(report.bytes_after < report.bytes_before);
}

FILLED(the_file_is_the_owners_alone_whatever_the_umask)
{
    static const mode_t umasks[] = {0, 0777};
    struct xylem_compact_report report;
    struct xylem_error err;
    (void)state;
    for (size_t i = 0; i < sizeof umasks / sizeof *umasks; i++) {
        struct stat file;
        mode_t before = umask(umasks[i]);
        int code = compact(&report, (struct xylem_compact_options){.dry_run = false}, &err);
        umask(before);
        store_builder_must(code, &err);
        assert_int_equal(stat(path_of("data.mdb"), &file), 0);
        assert_int_equal(file.st_mode & 07777, 0600);
    }
}

FILLED(what_was_removed_is_overwritten_where_that_is_asked_for)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    (void)state;
    uint64_t bytes = size_of("data.mdb");
    int old = open(path_of("data.mdb"), O_RDONLY);
    assert_true(holds(old, SECRET));
    store_builder_must(compact(&report, (struct xylem_compact_options){.overwrite_old = true}, &err), &err);
    assert_int_equal(report.overwritten_bytes, bytes);
    assert_false(holds(old, SECRET));
    assert_false(holds(old, "needle-in-a-haystack"));
    close(old);
    int new = open(path_of("data.mdb"), O_RDONLY);
    assert_false(holds(new, SECRET));
    assert_true(holds(new, "needle-in-a-haystack"));
    close(new);
    assert_int_equal(count_others(), 0);
    look();
}

FILLED(a_file_with_two_names_is_not_overwritten)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    char other[512];
    (void)state;
    snprintf(other, sizeof other, "%s", path_of("kept"));
    assert_int_equal(link(path_of("data.mdb"), other), 0);
    assert_int_equal(compact(&report, (struct xylem_compact_options){.overwrite_old = true}, &err), XYLEM_E_CONFLICT);
    assert_non_null(strstr(err.text, "2 names"));
    assert_int_equal(count_others(), 1);
    look();
    assert_int_equal(unlink(other), 0);
    store_builder_must(compact(&report, (struct xylem_compact_options){.overwrite_old = true}, &err), &err);
}

/* LMDB's own compacting copy refuses such a file. */
FILLED(pages_that_leaked_are_given_back)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    struct content before = look();
    unsigned char page[2 * 4096];
    int fd = open(path_of("data.mdb"), O_RDWR);
    (void)state;
    assert_int_equal(pread(fd, page, sizeof page, 0), sizeof page);
    uint64_t greatest = 0;
    for (int meta = 0; meta < 2; meta++) {
        unsigned char *last = page + meta * 4096 + XYLEM_PAGES__META_TXN_OFFSET - 8;
        uint64_t number = xylem_pages__page_number_at(last, 8) + 3;
        memcpy(last, &number, sizeof number);
        greatest = number > greatest ? number : greatest;
    }
    assert_int_equal(ftruncate(fd, (off_t)((greatest + 1) * 4096)), 0);
    assert_int_equal(pwrite(fd, page, sizeof page, 0), sizeof page);
    close(fd);
    store_builder_must(compact(&report, (struct xylem_compact_options){.dry_run = false}, &err), &err);
    struct content after = look();
    assert_same_content(&before, &after);
    assert_true(report.bytes_after < report.bytes_before);
}

/* --- Who is in its way ------------------------------------------------------------------------------------------- */

/* A child that does something and waits; gives its process number, once it is done with it. */
static pid_t start_holder(void (*hold)(void), int *wake)
{
    int ready[2];
    int go[2];
    char byte = 0;
    assert_int_equal(pipe(ready) | pipe(go), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(go[1]);
        hold();
        if (write(ready[1], "r", 1) != 1 || read(go[0], &byte, 1) < 0) {
            _exit(1);
        }
        _exit(0);
    }
    close(ready[1]);
    close(go[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    *wake = go[1];
    return child;
}

static void end_holder(pid_t child, int wake)
{
    int status = 0;
    close(wake);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void hold_with_xylem(void)
{
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store = NULL;
    if (xylem_open(&store, builder.path, &options, NULL) != XYLEM_OK) {
        _exit(2);
    }
}

static void hold_with_lmdb(void)
{
    MDB_env *env = NULL;
    if (mdb_env_create(&env) != 0 || mdb_env_open(env, builder.path, 0, 0600) != 0) {
        _exit(2);
    }
}

static void assert_holder_is_named(void (*hold)(void))
{
    struct xylem_compact_report report;
    struct xylem_error err;
    struct content before = look();
    char named[64];
    int wake = -1;
    pid_t child = start_holder(hold, &wake);
    snprintf(named, sizeof named, "process %ld (test_compact)", (long)child);
    int code = compact(&report, (struct xylem_compact_options){.dry_run = false}, &err);
    end_holder(child, wake);
    assert_int_equal(code, XYLEM_E_BUSY);
    if (!strstr(err.text, named)) {
        fail_msg("no '%s' in: %s", named, err.text);
    }
    struct content after = look();
    assert_same_content(&before, &after);
    store_builder_must(compact(&report, (struct xylem_compact_options){.dry_run = false}, &err), &err);
}

FILLED(another_process_that_has_it_open_is_named)
{
    assert_holder_is_named(hold_with_xylem);
}

FILLED(a_program_that_knows_only_lmdb_is_named)
{
    assert_holder_is_named(hold_with_lmdb);
}

FILLED(a_handle_of_this_process_is_named)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    struct xylem_open_options options = {.read_only = true};
    (void)state;
    store_builder_must(xylem_open(&builder.store, builder.path, &options, &err), &err);
    assert_int_equal(compact(&report, (struct xylem_compact_options){.dry_run = false}, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "this process"));
    assert_int_equal(xylem_close(builder.store, &err), XYLEM_OK);
    builder.store = NULL;
    store_builder_must(compact(&report, (struct xylem_compact_options){.dry_run = false}, &err), &err);
}

static int opened_meanwhile;
static char opened_text[XYLEM_ERROR_TEXT_BYTES];

static void open_meanwhile(void)
{
    struct xylem_error err = {0, ""};
    struct xylem_store *store = NULL;
    opened_meanwhile = xylem_open(&store, builder.path, NULL, &err);
    snprintf(opened_text, sizeof opened_text, "%s", err.text);
}

FILLED(whoever_opens_it_meanwhile_is_told_and_finds_the_new_file_later)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    struct stat old;
    struct stat new;
    (void)state;
    assert_int_equal(stat(path_of("data.mdb"), &old), 0);
    before_rename = open_meanwhile;
    int code = compact(&report, (struct xylem_compact_options){.dry_run = false}, &err);
    before_rename = NULL;
    store_builder_must(code, &err);
    assert_int_equal(opened_meanwhile, XYLEM_E_BUSY);
    assert_non_null(strstr(opened_text, "this process replaces the file of the store in "));
    struct xylem_open_options options = {.read_only = true};
    store_builder_must(xylem_open(&builder.store, builder.path, &options, &err), &err);
    assert_int_equal(stat(path_of("data.mdb"), &new), 0);
    assert_int_not_equal(old.st_ino, new.st_ino);
    assert_int_equal(builder.store->env->inode, new.st_ino);
    assert_int_equal(xylem_close(builder.store, &err), XYLEM_OK);
    builder.store = NULL;
    look();
}

/* It goes by what lock.mdb says of the old file. */
static int lmdb_result;
static pid_t lmdb_waiter;

static void start_waiter(void)
{
    fflush(NULL);
    lmdb_waiter = fork();
    if (lmdb_waiter == 0) {
        MDB_env *env = NULL;
        MDB_txn *txn = NULL;
        MDB_dbi dbi = 0;
        MDB_stat stat = {0};
        alarm(60);
        close_range(3, ~0u, 0); /* as exec(2) would: the locks are the parent's */
        int result = mdb_env_create(&env);
        result = result == 0 ? mdb_env_open(env, builder.path, 0, 0600) : result;
        result = result == 0 ? mdb_txn_begin(env, NULL, MDB_RDONLY, &txn) : result;
        result = result == 0 ? mdb_dbi_open(txn, NULL, 0, &dbi) : result;
        result = result == 0 ? mdb_stat(txn, dbi, &stat) : result;
        /* LMDB 0.9.26 and later takes the mutexes apart in its last close, also before somebody who waits. */
        bool told = result == EINVAL && MDB_VERSION_FULL > MDB_VERINT(0, 9, 25);
        _exit(told ? 0 : result != 0 ? 1 : stat.ms_entries == 0 ? 2 : 0);
    }
    usleep(50000); /* it most often waits by then; the test holds if it does not */
}

static void commit_once(void)
{
    struct xylem_error err;
    struct xylem_session session;
    store_builder_must(xylem_open(&builder.store, builder.path, NULL, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    store_builder_must(xylem_session_find(&session, builder.txn, xylem_view_of("one"), &err), &err);
    store_builder_messages(&builder, session.number, 1);
    let_go();
}

/* After one commit and after two, as a transaction's number says which of the two meta pages is meant. */
FILLED(an_lmdb_program_that_waited_never_sees_an_empty_store)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    (void)state;
    for (int commits = 1; commits <= 2; commits++) {
        for (int i = 0; i < commits; i++) {
            commit_once();
        }
        before_rename = start_waiter;
        int code = compact(&report, (struct xylem_compact_options){.dry_run = false}, &err);
        before_rename = NULL;
        store_builder_must(code, &err);
        assert_int_equal(waitpid(lmdb_waiter, &lmdb_result, 0), lmdb_waiter);
        assert_true(WIFEXITED(lmdb_result));
        assert_int_equal(WEXITSTATUS(lmdb_result), 0);
        look();
    }
}

/* --- What it refuses --------------------------------------------------------------------------------------------- */

static void assert_nothing_was_done(const struct content *before)
{
    struct content after = look();
    assert_same_content(before, &after);
    assert_int_equal(count_others(), 0);
}

FILLED(a_store_that_the_administrator_compacts_stays_its_owners)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    struct stat file;
    static const char *const names[] = {"", "data.mdb", "lock.mdb", "xylem.lock"};
    char data[512];
    if (geteuid() != 0) {
        skip();
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(chown(path_of(names[i]), 1234, 5678), 0);
    }
    snprintf(data, sizeof data, "%s", path_of("data.mdb"));
    store_builder_must(compact(&report, (struct xylem_compact_options){0}, &err), &err);
    assert_int_equal(stat(data, &file), 0);
    assert_int_equal(file.st_uid, 1234);
    assert_int_equal(file.st_gid, 5678);
    assert_int_equal(file.st_mode & 07777, 0600);
}

/* A child, forked by now, that lives until told to end. */
static pid_t bystander;
static int bystander_pipe[2];

static void fork_bystander(void)
{
    char byte;
    assert_int_equal(pipe(bystander_pipe), 0);
    bystander = fork();
    assert_true(bystander >= 0);
    if (bystander == 0) {
        close(bystander_pipe[1]);
        _exit(read(bystander_pipe[0], &byte, 1) == 0 ? 0 : 1);
    }
    close(bystander_pipe[0]);
}

static void end_bystander(void)
{
    int status = 0;
    close(bystander_pipe[1]);
    assert_int_equal(waitpid(bystander, &status, 0), bystander);
    assert_int_equal(status, 0);
}

FILLED(a_child_forked_meanwhile_does_not_keep_the_store_held)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    before_rename = fork_bystander;
    int code = compact(&report, (struct xylem_compact_options){0}, &err);
    before_rename = NULL;
    assert_int_equal(code, XYLEM_OK);
    code = xylem_open(&builder.store, builder.path, NULL, &err);
    end_bystander();
    store_builder_must(code, &err);
}

FILLED(a_child_that_closed_its_parents_handle_is_in_no_compactions_way)
{
    struct xylem_compact_report report;
    struct xylem_store *store = NULL;
    struct xylem_error err;
    int ready[2];
    char byte;
    store_builder_must(xylem_open(&store, builder.path, NULL, &err), &err);
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(bystander_pipe), 0);
    bystander = fork();
    assert_true(bystander >= 0);
    if (bystander == 0) {
        close(bystander_pipe[1]);
        bool closed = xylem_close(store, NULL) == XYLEM_OK && write(ready[1], "x", 1) == 1;
        _exit(closed && read(bystander_pipe[0], &byte, 1) == 0 ? 0 : 1);
    }
    close(bystander_pipe[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(compact(&report, (struct xylem_compact_options){0}, &err), XYLEM_E_BUSY); /* the parent's handle */
    store_builder_must(xylem_close(store, &err), &err);
    int code = compact(&report, (struct xylem_compact_options){0}, &err);
    end_bystander();
    close(ready[0]);
    close(ready[1]);
    store_builder_must(code, &err);
}

static void replace_data(void)
{
    char command[1200];
    snprintf(command, sizeof command, "cp '%s/data.mdb' '%s/new' && mv '%s/new' '%s/data.mdb'", builder.path,
             builder.path, builder.path, builder.path);
    assert_int_equal(system(command), 0);
}

/* Another compaction, of a xylem.lock that was removed, may have replaced the file, which others have open by now. */
FILLED(a_data_mdb_that_is_replaced_before_its_byte_is_taken_is_left_alone)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    struct content before = look();
    (void)state;
    before_data_byte = replace_data;
    assert_int_equal(compact(&report, (struct xylem_compact_options){.overwrite_old = true}, &err), XYLEM_E_BUSY);
    assert_null(before_data_byte); /* or this test sees nothing */
    assert_non_null(strstr(err.text, "/data.mdb was replaced by another file while the compaction began: try again"));
    assert_nothing_was_done(&before);
}

FILLED(a_damaged_store_is_refused)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    (void)state;
    patch("needle-in-a-haystack", 2, '!');
    uint64_t bytes = size_of("data.mdb");
    assert_int_equal(compact(&report, (struct xylem_compact_options){.dry_run = false}, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "; nothing was changed"));
    assert_int_equal(size_of("data.mdb"), bytes);
    assert_int_equal(count_others(), 0);
    patch("ne!dle-in-a-haystack", 2, 'e');
    look();
}

FILLED(no_room_is_named_before_and_while_it_is_written)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    struct content before = look();
    (void)state;
    pretend_full = true;
    int code = compact(&report, (struct xylem_compact_options){.dry_run = false}, &err);
    pretend_full = false;
    assert_int_equal(code, XYLEM_E_NO_SPACE);
    assert_non_null(strstr(err.text, builder.path));
    assert_non_null(strstr(err.text, "room for 512"));
    assert_nothing_was_done(&before);
    static const int failures[] = {ENOSPC, EDQUOT, EIO};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        write_errno = failures[i];
        code = compact(&report, (struct xylem_compact_options){.dry_run = false}, &err);
        write_errno = 0;
        assert_int_equal(code, failures[i] == EIO ? XYLEM_E_IO : XYLEM_E_NO_SPACE);
        assert_non_null(strstr(err.text, "data.mdb.compact-"));
        assert_nothing_was_done(&before);
    }
}

FILLED(a_limit_of_file_sizes_is_named)
{
    struct content before = look();
    int status = 0;
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {4096, 4096};
        struct xylem_compact_report report;
        struct xylem_error err;
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
            _exit(1);
        }
        int code = compact(&report, (struct xylem_compact_options){.dry_run = false}, &err);
        _exit(code == XYLEM_E_NO_SPACE && strstr(err.text, "ulimit") ? 0 : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_nothing_was_done(&before);
}

FILLED(what_is_no_store_is_refused)
{
    struct xylem_error err;
    char path[512];
    (void)state;
    assert_int_equal(xylem_compact(NULL, NULL, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_compact(NULL, "", NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_compact(NULL, path_of("nowhere"), NULL, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_compact(NULL, path_of("data.mdb"), NULL, &err), XYLEM_E_NOT_A_STORE);
    snprintf(path, sizeof path, "%s", path_of("empty"));
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(xylem_compact(NULL, path, NULL, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(rmdir(path), 0);
    char elsewhere[512];
    snprintf(elsewhere, sizeof elsewhere, "%s", path_of("elsewhere"));
    assert_int_equal(rename(path_of("data.mdb"), elsewhere), 0);
    assert_int_equal(symlink("elsewhere", path_of("data.mdb")), 0);
    assert_int_equal(xylem_compact(NULL, builder.path, NULL, &err), XYLEM_E_NOT_A_STORE);
    assert_int_equal(rename(elsewhere, path_of("data.mdb")), 0);
    look();
}

FILLED(a_network_file_system_is_refused_unless_it_is_allowed)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    (void)state;
    pretend_network = true;
    int refused = compact(&report, (struct xylem_compact_options){.dry_run = false}, &err);
    assert_non_null(strstr(err.text, "network file system"));
    int allowed = compact(&report, (struct xylem_compact_options){.allow_network_fs = true}, &err);
    pretend_network = false;
    assert_int_equal(refused, XYLEM_E_IO);
    store_builder_must(allowed, &err);
}

/* --- What is left ------------------------------------------------------------------------------------------------ */

static void make_file(const char *name, mode_t mode)
{
    int fd = open(path_of(name), O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

FILLED(only_what_a_compaction_left_is_removed)
{
    static const char *const kept[] = {"data.mdb.compact-abcde", "data.mdb.compact-abcdefg", "data.mdb.compact-abc.ef",
                                       "data.mdb.old", "data.mdb.compact-mode66"};
    struct xylem_compact_report report;
    struct xylem_error err;
    (void)state;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        make_file(kept[i], strstr(kept[i], "mode") ? 0644 : 0600);
    }
    assert_int_equal(symlink("data.mdb", path_of("data.mdb.compact-alink1")), 0);
    make_file("data.mdb.compact-abcdef", 0600);
    int old = open(path_of("data.mdb.compact-abcdef"), O_RDONLY);
    store_builder_must(compact(&report, (struct xylem_compact_options){.dry_run = false}, &err), &err);
    assert_int_equal(access(path_of("data.mdb.compact-abcdef"), F_OK), -1);
    assert_int_equal(count_others(), sizeof kept / sizeof *kept + 1);
    close(old);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        assert_int_equal(unlink(path_of(kept[i])), 0);
    }
    assert_int_equal(unlink(path_of("data.mdb.compact-alink1")), 0);
}

/* Ends before its n-th call; true if it came to its end. */
static bool compact_until(unsigned call, bool overwrite)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_compact_report report;
        struct xylem_error err;
        end_before_call = call;
        int code = compact(&report, (struct xylem_compact_options){.overwrite_old = overwrite}, &err);
        _exit(code == XYLEM_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 99);
    return WEXITSTATUS(status) == 0;
}

FILLED(cut_short_at_every_call_it_leaves_a_whole_store)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    struct content before = look();
    (void)state;
    for (int overwrite = 0; overwrite < 2; overwrite++) {
        unsigned calls = 0;
        while (!compact_until(++calls, overwrite == 1)) {
            struct content after = look();
            assert_same_content(&before, &after);
        }
        assert_true(calls > 6);
        print_message("%u points%s\n", calls - 1, overwrite ? ", with the old file overwritten" : "");
        store_builder_must(compact(&report, (struct xylem_compact_options){.dry_run = false}, &err), &err);
        assert_nothing_was_done(&before);
    }
}

/* What was done before it failed is told, and what is left is the next one's to do. */
FILLED(an_old_file_that_cannot_be_overwritten_is_told_and_left_to_the_next)
{
    struct xylem_compact_report report = {.bytes_after = 0};
    struct xylem_error err;
    struct content before = look();
    (void)state;
    pwrite_errno = EIO;
    int code = compact(&report, (struct xylem_compact_options){.overwrite_old = true}, &err);
    pwrite_errno = 0;
    assert_int_equal(code, XYLEM_E_IO);
    assert_non_null(strstr(err.text, "was compacted, but its old file is not overwritten"));
    assert_true(report.replaced);
    assert_int_equal(report.overwritten_bytes, 0);
    assert_int_equal(report.bytes_after, size_of("data.mdb"));
    struct content after = look();
    assert_same_content(&before, &after);
    assert_int_equal(count_others(), 1);
    /* While that cannot be done either, nothing is. */
    pwrite_errno = EIO;
    code = compact(&report, (struct xylem_compact_options){.dry_run = false}, &err);
    pwrite_errno = 0;
    assert_int_equal(code, XYLEM_E_IO);
    assert_non_null(strstr(err.text, "data.mdb.compact-"));
    store_builder_must(compact(&report, (struct xylem_compact_options){.dry_run = false}, &err), &err);
    assert_nothing_was_done(&before);
}

FILLED(a_file_system_without_hard_links_overwrites_too)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    (void)state;
    int old = open(path_of("data.mdb"), O_RDONLY);
    link_errno = EPERM;
    int code = compact(&report, (struct xylem_compact_options){.overwrite_old = true}, &err);
    link_errno = 0;
    store_builder_must(code, &err);
    assert_false(holds(old, SECRET));
    close(old);
    assert_int_equal(count_others(), 0);
    look();
}

FILLED(a_directory_that_cannot_be_synced_is_an_error)
{
    struct xylem_compact_report report = {.bytes_after = 0};
    struct xylem_error err;
    struct content before = look();
    (void)state;
    directory_sync_errno = EIO;
    int code = compact(&report, (struct xylem_compact_options){.dry_run = false}, &err);
    directory_sync_errno = EINVAL; /* nothing to sync, says the file system */
    int allowed = compact(&report, (struct xylem_compact_options){.dry_run = false}, &err);
    directory_sync_errno = 0;
    assert_int_equal(code, XYLEM_E_IO);
    assert_true(report.replaced);
    store_builder_must(allowed, &err);
    assert_nothing_was_done(&before);
}

/* Cut short between the second name and the rename: it must not be taken for a leftover and overwritten. */
FILLED(a_second_name_of_the_store_itself_is_only_removed)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    struct content before = look();
    char left[512];
    (void)state;
    snprintf(left, sizeof left, "%s", path_of("data.mdb.compact-aaaaaa"));
    assert_int_equal(link(path_of("data.mdb"), left), 0);
    store_builder_must(compact(&report, (struct xylem_compact_options){.overwrite_old = true}, &err), &err);
    assert_nothing_was_done(&before);
}

FILLED(killed_at_any_moment_it_leaves_a_whole_store)
{
    unsigned rounds = getenv("XYLEM_TORTURE") ? 500 : 25;
    struct content before = look();
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = given ? (uint64_t)strtoul(given, NULL, 10) : (uint64_t)getpid();
    struct chance chance = chance_of(seed);
    (void)state;
    print_message("XYLEM_SEED=%llu\n", (unsigned long long)seed);
    for (unsigned round = 0; round < rounds; round++) {
        int status = 0;
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct xylem_compact_report report;
            struct xylem_error err;
            for (;;) {
                if (compact(&report, (struct xylem_compact_options){.overwrite_old = true}, &err) != XYLEM_OK) {
                    _exit(1);
                }
            }
        }
        usleep((useconds_t)chance_below(&chance, 40000));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        struct content after = look();
        assert_same_content(&before, &after);
    }
}
