/*
 * No room, no permission, a write that failed at the worst moment: what is said, and that the store goes on afterwards.
 */
#include "tests/crash/calls.h"
#include "tests/crash/workload.h"
#include "tests/lib/test.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

static char place[128];
static char path[160];

static int make_place(void **state)
{
    (void)state;
    test_directory_make(place, sizeof place, "space");
    snprintf(path, sizeof path, "%s", "");
    snprintf(path, sizeof path, "%s/store", place);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    calls_before = NULL;
    test_directory_remove(place);
    return 0;
}

static struct xylem_store *open_store(const char *at)
{
    struct xylem_store *store = NULL;
    struct xylem_open_options options = {.create = true};
    struct xylem_error err = {0, ""};
    if (xylem_open(&store, at, &options, &err) != XYLEM_OK) {
        fail_msg("xylem_open: %s", err.text);
    }
    return store;
}

static int try_open(const char *at, struct xylem_open_options options, struct xylem_error *err)
{
    struct xylem_store *store;
    int code = xylem_open(&store, at, &options, err);
    return code < 0 ? code : xylem_close(store, err);
}

/* Appends one entry of that many bytes to the session "s", where the leaf is `expected` if that is given. */
static int append(struct xylem_store *store, size_t bytes, const struct xylem_position *expected,
                  struct xylem_error *err)
{
    struct xylem_txn *txn;
    struct xylem_session session;
    struct xylem_session_options options = {.id = {"s", 1}};
    struct xylem_append_options append_options = {.expected_leaf = expected};
    int code = xylem_begin(&txn, store, XYLEM_WRITE, err);
    if (code < 0) {
        return code;
    }
    char *json = malloc(bytes + 3);
    assert_non_null(json);
    memset(json, ' ', bytes + 3);
    memcpy(json, "{}", 2);
    struct xylem_new_entry entry = {
        .kind = {XYLEM_CLASS_HOST, {"message", 7}}, .format = XYLEM_FORMAT_JSON, .payload = {json, bytes + 2}};
    code = xylem_session_find(&session, txn, options.id, err);
    code = code == XYLEM_E_NOT_FOUND ? xylem_session_create(&session, txn, &options, err) : code;
    code = code < 0 ? code : xylem_append(NULL, txn, session.number, &entry, 1, &append_options, err);
    free(json);
    if (code < 0) {
        xylem_abort(txn);
        return code;
    }
    return xylem_commit(txn, err);
}

static struct xylem_position leaf_of(struct xylem_store *store)
{
    struct xylem_txn *txn;
    struct xylem_session session;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("s"), NULL), XYLEM_OK);
    xylem_abort(txn);
    return session.leaf;
}

static void close_sound(struct xylem_store *store)
{
    struct xylem_txn *txn;
    struct work_check check;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, NULL), XYLEM_OK);
    assert_int_equal(work_verify_changes(&check, NULL, txn, NULL), XYLEM_OK);
    if (check.problems > 0) {
        fail_msg("%s", check.first);
    }
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

/* Appends until there is no room, and gives how many fitted. */
static uint64_t append_until_full(struct xylem_store *store, struct xylem_error *err)
{
    uint64_t count = 0;
    while (count < 10000 && append(store, 20000, NULL, err) == XYLEM_OK) {
        count++;
    }
    return count;
}

/* --- Room ------------------------------------------------------------------------------------------------------- */

#define IN_PLACE(test) TEST_WITH(test, make_place, remove_place)

IN_PLACE(a_file_size_limit_is_named_and_nothing_is_lost)
{
    struct xylem_store *store = open_store(path);
    struct xylem_error err = {0, ""};
    struct rlimit before;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN); /* as hosts are told to */
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    /* Limits that end at a page, and within one: there the write is short. */
    for (rlim_t limit = 300000; limit < 600000; limit += 102400 + 512) {
        struct rlimit small = {limit, before.rlim_max};
        char said[64];
        snprintf(said, sizeof said, "file size limit is %llu.%llu KiB (ulimit -f)", (unsigned long long)limit / 1024,
                 (unsigned long long)limit % 1024 * 10 / 1024);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        append_until_full(store, &err);
        uint64_t depth = leaf_of(store).depth;
        int code = append(store, 20000, NULL, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(code, XYLEM_E_NO_SPACE);
        assert_non_null(strstr(err.text, said));
        assert_int_equal(leaf_of(store).depth, depth);
        assert_int_equal(append(store, 20000, NULL, &err), XYLEM_OK);
    }
    signal(SIGXFSZ, handler);
    close_sound(store);
}

/* What a child found out; a child may do what its parent could not undo. */
enum outcome { RIGHT = 0, WRONG = 1, NOT_POSSIBLE = 77 };

static void run_apart(int (*what)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(what());
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NOT_POSSIBLE) {
        skip(); /* needs root, and mounts of its own */
    }
    assert_int_equal(WEXITSTATUS(status), RIGHT);
}

static bool own_mounts(void)
{
    return geteuid() == 0 && unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static int fill_a_small_file_system(void)
{
    struct xylem_error err = {0, ""};
    char at[200];
    if (!own_mounts() || mount("tmpfs", place, "tmpfs", 0, "size=600k") != 0) {
        return NOT_POSSIBLE;
    }
    snprintf(at, sizeof at, "%s/store", place);
    struct xylem_store *store = open_store(at);
    uint64_t count = append_until_full(store, &err);
    bool right = count > 2 && err.code == XYLEM_E_NO_SPACE && strstr(err.text, "no space left: its file system has ") &&
                 strstr(err.text, at);
    right = right && leaf_of(store).depth == count && append(store, 20000, NULL, &err) == XYLEM_E_NO_SPACE;
    right = right && mount("tmpfs", place, "tmpfs", MS_REMOUNT, "size=8m") == 0;
    for (int i = 0; right && i < 20; i++) {
        right = append(store, 20000, NULL, &err) == XYLEM_OK;
    }
    right = right && leaf_of(store).depth == count + 20;
    if (!right) {
        fprintf(stderr, "%s\n", err.text);
        return WRONG;
    }
    close_sound(store);
    umount(place);
    return RIGHT;
}

IN_PLACE(a_full_file_system_is_named_and_works_again_once_there_is_room)
{
    run_apart(fill_a_small_file_system);
}

/* Fills the file system that `place` lies on, to its last page. */
static bool fill_up(void)
{
    static const char zeros[4096];
    char name[200];
    snprintf(name, sizeof name, "%s/filler", place);
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    while (fd >= 0 && write(fd, zeros, sizeof zeros) > 0) {
    }
    return fd >= 0 && errno == ENOSPC && close(fd) == 0;
}

/* A lock.mdb that lacks blocks: missing, as in a backup; empty, as after a compaction; with holes, as LMDB makes it. */
static bool take_blocks_away(const char *lock, int way)
{
    return remove(lock) == 0 && (way == 0 || (close(open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600)) == 0 &&
                                              (way == 1 || truncate(lock, 65536) == 0)));
}

static int open_without_a_lock_file_on_a_full_file_system(void)
{
    struct xylem_error err = {0, ""};
    char at[200];
    char lock[220];
    char filler[200];
    if (!own_mounts() || mount("tmpfs", place, "tmpfs", 0, "size=1m") != 0) {
        return NOT_POSSIBLE;
    }
    snprintf(at, sizeof at, "%s/store", place);
    snprintf(lock, sizeof lock, "%s/lock.mdb", at);
    snprintf(filler, sizeof filler, "%s/filler", place);
    struct xylem_store *store = open_store(at);
    bool right = append(store, 10, NULL, &err) == XYLEM_OK && xylem_close(store, &err) == XYLEM_OK;
    for (int i = 0; right && i < 6; i++) {
        struct xylem_open_options options = {.read_only = i % 2 == 1};
        pid_t child = fork();
        if (child == 0) {
            signal(SIGBUS, SIG_DFL); /* cmocka's handler would go on with the other tests */
            right = take_blocks_away(lock, i / 2) && fill_up();
            right = right && try_open(at, options, &err) == XYLEM_E_NO_SPACE &&
                    strstr(err.text, "no space left: its file system has ") && strstr(err.text, at);
            right = right && remove(filler) == 0 && try_open(at, options, &err) == XYLEM_OK;
            _exit(right ? RIGHT : WRONG);
        }
        int status = 0;
        right = waitpid(child, &status, 0) == child && status == 0;
    }
    if (!right) {
        fprintf(stderr, "%s\n", err.text);
    }
    umount(place);
    return right ? RIGHT : WRONG;
}

IN_PLACE(a_full_file_system_without_a_lock_file_is_an_error_and_no_signal)
{
    run_apart(open_without_a_lock_file_on_a_full_file_system);
}

static int write_errno;  /* 0: a short write */
static int answer_errno; /* to who asks for room; 0: there is some */
static bool asked;

static bool deny_room(const struct call *call, ssize_t *result)
{
    if (call->type == CALL_WRITE) {
        *result = write_errno ? -1 : (ssize_t)(call->bytes / 2);
        errno = write_errno;
        return true;
    }
    if (call->type == CALL_ALLOCATE) {
        asked = true;
        *result = answer_errno ? -1 : 0;
        errno = answer_errno;
        return true;
    }
    return false;
}

IN_PLACE(what_cut_a_write_short_is_found_out)
{
    static const struct {
        int write_errno;
        int answer_errno;
        int code;
        const char *said;
    } cases[] = {
        {ENOSPC, 0, XYLEM_E_NO_SPACE, "no space left: its file system has "},
        {EDQUOT, 0, XYLEM_E_NO_SPACE, "the disk quota of the user is used up"},
        {EFBIG, 0, XYLEM_E_NO_SPACE, "allows no file of that size"},
        {0, ENOSPC, XYLEM_E_NO_SPACE, "no space left: its file system has "},
        {0, EDQUOT, XYLEM_E_NO_SPACE, "the disk quota of the user is used up"},
        {0, 0, XYLEM_E_IO, "Input/output error"},
        {EIO, EOPNOTSUPP, XYLEM_E_IO, "Input/output error"},
    };
    struct xylem_store *store = open_store(path);
    struct xylem_error err;
    assert_int_equal(append(store, 10, NULL, &err), XYLEM_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_errno = cases[i].write_errno;
        answer_errno = cases[i].answer_errno;
        asked = false;
        calls_before = deny_room;
        int code = append(store, 20000, NULL, &err);
        calls_before = NULL;
        assert_int_equal(code, cases[i].code);
        if (!strstr(err.text, cases[i].said) || !strstr(err.text, path)) {
            fail_msg("case %zu: %s", i, err.text);
        }
        assert_int_equal(asked, cases[i].write_errno == 0 || cases[i].write_errno == EIO);
        assert_int_equal(append(store, 20000, NULL, &err), XYLEM_OK);
    }
    close_sound(store);
}

static int reserve_errno;

static bool answer_reserving(const struct call *call, ssize_t *result)
{
    if (call->type != CALL_ALLOCATE) {
        return false;
    }
    asked = true;
    *result = reserve_errno ? -1 : 0;
    errno = reserve_errno;
    return true;
}

IN_PLACE(blocks_of_the_lock_file_that_cannot_be_had_are_no_space)
{
    static const struct {
        int reserve_errno;
        int code;
    } cases[] = {{ENOSPC, XYLEM_E_NO_SPACE}, {EDQUOT, XYLEM_E_NO_SPACE}, {EOPNOTSUPP, XYLEM_OK}, {EINVAL, XYLEM_OK}};
    char lock[200];
    struct xylem_error err;
    assert_int_equal(xylem_close(open_store(path), NULL), XYLEM_OK);
    snprintf(lock, sizeof lock, "%s/lock.mdb", path);
    for (size_t i = 0; i < 3 * sizeof cases / sizeof cases[0]; i++) {
        int wanted = cases[i / 3].code;
        assert_true(take_blocks_away(lock, (int)i % 3));
        asked = false;
        reserve_errno = cases[i / 3].reserve_errno;
        calls_before = answer_reserving;
        int code = try_open(path, (struct xylem_open_options){.read_only = i % 2 == 1}, &err);
        calls_before = NULL;
        if (code != wanted || !asked || (code < 0 && !strstr(err.text, path))) {
            fail_msg("case %zu: %d: %s", i, code, err.text);
        }
    }
    assert_int_equal(try_open(path, (struct xylem_open_options){.read_only = true}, &err), XYLEM_OK);
    asked = false; /* once the blocks are there nobody asks again */
    calls_before = answer_reserving;
    assert_int_equal(try_open(path, (struct xylem_open_options){.read_only = true}, &err), XYLEM_OK);
    calls_before = NULL;
    assert_false(asked);
}

/* --- A commit whose last write fails ---------------------------------------------------------------------------- */

static bool meta_arrives;

/* LMDB writes its meta page in a piece that is no whole page, and writes the old one again if that fails. */
static bool fail_meta(const struct call *call, ssize_t *result)
{
    if (call->type != CALL_WRITE || call->bytes % 4096 == 0 || call->fd < 0) {
        return false;
    }
    if (meta_arrives && (fcntl(call->fd, F_GETFL) & O_DSYNC)) {
        CALLS_NEXT(calls_pwrite, "pwrite")
        next(call->fd, call->parts[0].iov_base, call->bytes, call->offset);
    }
    *result = -1;
    errno = EIO;
    return true;
}

IN_PLACE(an_unknown_outcome_shows_by_the_expected_leaf)
{
    for (int arrives = 0; arrives < 2; arrives++) {
        char at[200];
        struct xylem_error err = {0, ""};
        snprintf(at, sizeof at, "%s-%d", path, arrives);
        struct xylem_store *store = open_store(at);
        assert_int_equal(append(store, 10, NULL, &err), XYLEM_OK);
        struct xylem_position expected = leaf_of(store);
        meta_arrives = arrives == 1;
        calls_before = fail_meta;
        int code = append(store, 10, &expected, &err);
        calls_before = NULL;
        assert_int_equal(code, XYLEM_E_OUTCOME_UNKNOWN);
        assert_non_null(strstr(err.text, "whether it took place shows when the store is read again"));
        /* The same handle: the environment is opened again. */
        assert_int_equal(append(store, 10, &expected, &err), arrives ? XYLEM_E_CONFLICT : XYLEM_OK);
        assert_int_equal(leaf_of(store).depth, 2);
        close_sound(store);
    }
}

/* --- Permissions ------------------------------------------------------------------------------------------------ */

static int read_a_read_only_mount(void)
{
    struct xylem_error err = {0, ""};
    if (!own_mounts() || mount(place, place, NULL, MS_BIND, NULL) != 0 ||
        mount(NULL, place, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0) {
        return NOT_POSSIBLE;
    }
    struct xylem_store *store;
    struct xylem_open_options reading = {.read_only = true};
    bool right = xylem_open(&store, path, &reading, &err) == XYLEM_OK && leaf_of(store).depth == 1;
    right = right && xylem_close(store, &err) == XYLEM_OK;
    right = right && try_open(path, (struct xylem_open_options){.create = true}, &err) == XYLEM_E_IO &&
            strstr(err.text, "Read-only file system");
    if (!right) {
        fprintf(stderr, "%s\n", err.text);
    }
    return right ? RIGHT : WRONG;
}

IN_PLACE(a_store_on_a_read_only_mount_can_be_read)
{
    struct xylem_store *store = open_store(path);
    assert_int_equal(append(store, 10, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    run_apart(read_a_read_only_mount);
    char lock_path[200]; /* also where it has no lock.mdb */
    snprintf(lock_path, sizeof lock_path, "%s/lock.mdb", path);
    assert_int_equal(remove(lock_path), 0);
    run_apart(read_a_read_only_mount);
}

static int read_as_somebody_else(void)
{
    struct xylem_error err = {0, ""};
    struct xylem_store *store;
    if (geteuid() != 0 || setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) {
        return NOT_POSSIBLE;
    }
    bool right = try_open(path, (struct xylem_open_options){.read_only = true}, &err) == XYLEM_E_IO;
    right = right && strstr(err.text, "no permission to write to ") && strstr(err.text, "--no-lock");
    struct xylem_open_options options = {.read_only = true, .no_lock = true};
    right = right && xylem_open(&store, path, &options, &err) == XYLEM_OK && leaf_of(store).depth == 1;
    right = right && xylem_close(store, &err) == XYLEM_OK;
    if (!right) {
        fprintf(stderr, "%s\n", err.text);
    }
    return right ? RIGHT : WRONG;
}

IN_PLACE(who_may_not_write_the_lock_is_told_so_and_can_read_without)
{
    static const char *const names[] = {"data.mdb", "lock.mdb", "xylem.lock"};
    char file[200];
    struct xylem_store *store = open_store(path);
    assert_int_equal(append(store, 10, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    assert_int_equal(chmod(place, 0755), 0);
    assert_int_equal(chmod(path, 0755), 0);
    for (size_t i = 0; i < 3; i++) {
        snprintf(file, sizeof file, "%s/%s", path, names[i]);
        assert_int_equal(chmod(file, 0644), 0);
    }
    run_apart(read_as_somebody_else);
    assert_int_equal(chmod(file, 0600), 0); /* xylem.lock */
    snprintf(file, sizeof file, "%s/lock.mdb", path);
    assert_int_equal(remove(file), 0);
    if (geteuid() == 0) {
        struct xylem_error err;
        struct xylem_open_options options = {.read_only = true, .no_lock = true};
        assert_int_equal(try_open(path, options, &err), XYLEM_OK);
        assert_int_equal(access(file, F_OK), -1); /* it was not made */
    }
}

IN_PLACE(without_locks_a_store_is_only_read)
{
    struct xylem_error err;
    struct xylem_store *idle;
    struct xylem_store *writer;
    struct xylem_txn *txn;
    struct xylem_open_options options = {.read_only = true, .no_lock = true};
    assert_int_equal(xylem_close(open_store(path), NULL), XYLEM_OK);
    assert_int_equal(try_open(path, (struct xylem_open_options){.no_lock = true}, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_open(&idle, path, &options, &err), XYLEM_OK);
    /* A handle that takes locks makes all of this process take them, and waits for who reads without. */
    assert_int_equal(xylem_begin(&txn, idle, XYLEM_READ, NULL), XYLEM_OK);
    assert_int_equal(try_open(path, (struct xylem_open_options){.read_only = true}, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "without locks"));
    xylem_abort(txn);
    writer = open_store(path);
    assert_int_equal(append(writer, 10, NULL, &err), XYLEM_OK);
    assert_int_equal(leaf_of(idle).depth, 1);
    assert_int_equal(xylem_begin(&txn, idle, XYLEM_READ, NULL), XYLEM_OK);
    struct xylem_stat stat;
    assert_int_equal(xylem_stat_read(&stat, txn, NULL), XYLEM_OK);
    assert_int_equal(stat.readers, 1);
    xylem_abort(txn);
    assert_int_equal(xylem_close(idle, NULL), XYLEM_OK);
    close_sound(writer);
}

static int create_below_what_cannot_be_read(void)
{
    struct xylem_error err = {0, ""};
    if (geteuid() == 0 && (chown(place, 65534, 65534) != 0 || setresgid(65534, 65534, 65534) != 0 ||
                           setresuid(65534, 65534, 65534) != 0)) {
        return NOT_POSSIBLE;
    }
    if (chmod(place, 0300) != 0) {
        return NOT_POSSIBLE;
    }
    int code = try_open(path, (struct xylem_open_options){.create = true}, &err);
    chmod(place, 0700);
    if (code != XYLEM_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    return code == XYLEM_OK ? RIGHT : WRONG;
}

IN_PLACE(a_store_is_made_in_a_directory_that_cannot_be_read)
{
    run_apart(create_below_what_cannot_be_read);
}

/* --- Creating --------------------------------------------------------------------------------------------------- */

IN_PLACE(what_a_killed_creation_left_is_no_hindrance)
{
    char name[300];
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(name, sizeof name, "%s/xylem.new", path);
    assert_int_equal(mkdir(name, 0700), 0);
    snprintf(name, sizeof name, "%s/xylem.new/data.mdb", path);
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    for (int i = 0; i < 6000; i++) {
        fputc(0, file); /* a page and a half, as half a write leaves it */
    }
    fclose(file);
    struct xylem_store *store = open_store(path);
    assert_int_equal(append(store, 10, NULL, NULL), XYLEM_OK);
    close_sound(store);
    *strrchr(name, '/') = '\0';
    assert_int_equal(access(name, F_OK), -1);
}

static bool no_links(const struct call *call, ssize_t *result)
{
    *result = -1;
    errno = EPERM;
    return call->type == CALL_LINK;
}

IN_PLACE(a_store_is_made_where_there_are_no_links)
{
    calls_before = no_links;
    struct xylem_store *store = open_store(path);
    calls_before = NULL;
    assert_int_equal(append(store, 10, NULL, NULL), XYLEM_OK);
    close_sound(store);
}

IN_PLACE(processes_that_create_one_store_at_once_get_the_same)
{
    pid_t children[6];
    int start[2];
    assert_int_equal(pipe(start), 0);
    fflush(NULL);
    for (size_t i = 0; i < 6; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            char byte;
            close(start[1]);
            struct xylem_error err;
            bool right = read(start[0], &byte, 1) == 0;
            struct xylem_store *store = open_store(path);
            right = right && append(store, 10, NULL, &err) == XYLEM_OK && xylem_close(store, NULL) == XYLEM_OK;
            _exit(right ? 0 : 1);
        }
    }
    close(start[0]);
    close(start[1]); /* now */
    for (size_t i = 0; i < 6; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    struct xylem_store *store = open_store(path);
    assert_int_equal(leaf_of(store).depth, 6);
    close_sound(store);
}

/* --- The map ---------------------------------------------------------------------------------------------------- */

static bool no_map(const struct call *call, ssize_t *result)
{
    *result = -1;
    errno = ENOMEM;
    return call->type == CALL_MAP;
}

IN_PLACE(a_map_that_could_not_grow_does_not_end_the_process)
{
    struct xylem_store *store;
    struct xylem_error err;
    struct xylem_open_options options = {.create = true, .map_bytes = 1 << 20};
    assert_int_equal(xylem_open(&store, path, &options, NULL), XYLEM_OK);
    assert_int_equal(append(store, 2 << 20, NULL, &err), XYLEM_E_MAP_FULL);
    calls_before = no_map;
    assert_int_equal(append(store, 2 << 20, NULL, &err), XYLEM_E_MEMORY);
    assert_int_equal(append(store, 2 << 20, NULL, &err), XYLEM_E_MEMORY);
    calls_before = NULL;
    int code = XYLEM_E_MAP_FULL;
    for (int i = 0; i < 6 && code == XYLEM_E_MAP_FULL; i++) {
        code = append(store, 2 << 20, NULL, &err);
    }
    assert_int_equal(code, XYLEM_OK);
    close_sound(store);
}

static int map_errno;
static size_t map_bytes_refused;

static bool refuse_large_maps(const struct call *call, ssize_t *result)
{
    if (call->type != CALL_MAP || call->bytes < (size_t)1 << 30) {
        return false;
    }
    map_bytes_refused = call->bytes;
    *result = -1;
    errno = map_errno;
    return true;
}

IN_PLACE(a_map_that_the_system_refuses_is_made_smaller_whatever_it_says)
{
    static const int answers[] = {ENOMEM, EINVAL}; /* the second is valgrind's */
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct xylem_error err = {0, ""};
        map_errno = answers[i];
        map_bytes_refused = 0;
        calls_before = refuse_large_maps;
        int code = try_open(path, (struct xylem_open_options){.create = true}, &err);
        calls_before = NULL;
        if (code < 0) {
            fail_msg("%s", err.text);
        }
        assert_int_equal(map_bytes_refused, (size_t)1 << 30); /* the last that was tried in vain */
    }
}
