/* A descriptor that becomes readable after a commit. Writers are other processes, unless a test says otherwise. */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/test.h"
#include "xylem/care.h"
#include "xylem/session.h"
#include "xylem/wake.h"

/* What the system says in this program: the truth, or a limit. */
static long pretended_fs; /* of statfs(2); 0: the truth */
static int inotify_fails; /* errno of inotify_init1() */
static int watch_fails;   /* errno of inotify_add_watch() */
static int stopping = -1; /* in a writer: a pipe; after the meta page the writer sends a byte, and stops */

#define REAL(name, type)                   \
    __typeof__(type) real;                 \
    void *symbol = dlsym(RTLD_NEXT, name); \
    memcpy(&real, &symbol, sizeof real); /* ISO C has no cast from an object to a function */

int statfs(const char *path, struct statfs *fs)
{
    REAL("statfs", int (*)(const char *, struct statfs *))
    int result = real(path, fs);
    if (result == 0 && pretended_fs) {
        fs->f_type = pretended_fs;
    }
    return result;
}

int inotify_init1(int flags)
{
    REAL("inotify_init1", int (*)(int))
    errno = inotify_fails;
    return inotify_fails ? -1 : real(flags);
}

int inotify_add_watch(int fd, const char *path, uint32_t mask)
{
    REAL("inotify_add_watch", int (*)(int, const char *, uint32_t))
    errno = watch_fails;
    return watch_fails ? -1 : real(fd, path, mask);
}

/* LMDB writes a meta page with one pwrite(), into one of the first two pages, and fewer bytes than a page. */
__attribute__((visibility("default"))) ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    REAL("pwrite", ssize_t(*)(int, const void *, size_t, off_t))
    ssize_t written = real(fd, data, bytes, offset);
    if (stopping >= 0 && offset < 2 * 4096 && bytes < 512) {
        char byte = 'm';
        if (write(stopping, &byte, 1) != 1) {
            _exit(3);
        }
        raise(SIGSTOP);
    }
    return written;
}

struct scene {
    char path[128];
    struct xylem_store *store;
    struct xylem_wake *wake;
    struct xylem_error err;
};

static void open_scene(struct scene *scene)
{
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE};
    assert_int_equal(xylem_open(&scene->store, scene->path, &options, &scene->err), 0);
}

static void begin_to_wait(struct scene *scene)
{
    assert_int_equal(xylem_wake_new(&scene->wake, scene->store, &scene->err), 0);
}

static void close_scene(struct scene *scene)
{
    xylem_wake_free(scene->wake);
    scene->wake = NULL;
    assert_int_equal(xylem_close(scene->store, &scene->err), 0);
    scene->store = NULL;
}

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    test_directory_make(scene->path, sizeof scene->path, "wake");
    open_scene(scene);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    char command[512];
    pretended_fs = 0;
    inotify_fails = 0;
    watch_fails = 0;
    xylem_wake_free(scene->wake);
    xylem_close(scene->store, NULL);
    snprintf(command, sizeof command, "rm -rf '%s' '%s.away' '%s.other'", scene->path, scene->path, scene->path);
    int result = system(command);
    free(scene);
    return result;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

static void commit_session(struct xylem_store *store)
{
    struct xylem_session session;
    struct xylem_txn *txn = NULL;
    if (xylem_begin(&txn, store, XYLEM_WRITE, NULL) != 0 || xylem_session_create(&session, txn, NULL, NULL) != 0 ||
        xylem_commit(txn, NULL) != 0) {
        _exit(4);
    }
}

/* A process that commits so many new sessions. With `pipe_end` each commit stops between its two steps. */
static pid_t start_writer(const struct scene *scene, unsigned commits, int pipe_end)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
        struct xylem_store *store = NULL;
        if (xylem_open(&store, scene->path, &options, NULL) != 0) {
            _exit(5);
        }
        stopping = pipe_end;
        for (unsigned i = 0; i < commits; i++) {
            commit_session(store);
        }
        stopping = -1;
        _exit(xylem_close(store, NULL) == 0 ? 0 : 6);
    }
    return child;
}

static void end_writer(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static uint64_t count_sessions(const struct scene *scene)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    struct xylem_txn *txn = NULL;
    uint64_t count = 0;
    assert_int_equal(xylem_begin(&txn, scene->store, XYLEM_READ, NULL), 0);
    assert_int_equal(xylem_sessions_new(&sessions, txn, NULL), 0);
    while (xylem_sessions_next(&session, sessions, NULL) == 1) {
        count++;
    }
    xylem_sessions_free(sessions);
    xylem_abort(txn);
    return count;
}

static bool is_readable(const struct scene *scene)
{
    struct pollfd wait = {.fd = xylem_wake_fd(scene->wake), .events = POLLIN};
    return poll(&wait, 1, 0) == 1;
}

/* Waits as long as necessary: a test that hangs is ended by whoever runs the test. */
static void await_readable(const struct scene *scene)
{
    struct pollfd wait = {.fd = xylem_wake_fd(scene->wake), .events = POLLIN};
    assert_int_equal(poll(&wait, 1, -1), 1);
}

static void await_commit(struct scene *scene)
{
    int taken = 0;
    while (taken == 0) {
        await_readable(scene);
        taken = xylem_wake_take(scene->wake, &scene->err);
    }
    assert_int_equal(taken, 1);
}

IN_SCENE(a_commit_of_another_process_wakes)
{
    struct scene *scene = *state;
    begin_to_wait(scene);
    assert_null(xylem_wake_polling(scene->wake));
    assert_false(is_readable(scene));
    assert_int_equal(xylem_wake_take(scene->wake, &scene->err), 0);
    end_writer(start_writer(scene, 1, -1));
    assert_true(is_readable(scene));
    assert_int_equal(xylem_wake_take(scene->wake, &scene->err), 1);
    assert_int_equal(count_sessions(scene), 1);
    assert_false(is_readable(scene));
    assert_int_equal(xylem_wake_take(scene->wake, &scene->err), 0);
}

IN_SCENE(several_commits_may_come_as_one)
{
    struct scene *scene = *state;
    begin_to_wait(scene);
    end_writer(start_writer(scene, 5, -1));
    assert_int_equal(xylem_wake_take(scene->wake, &scene->err), 1);
    assert_int_equal(count_sessions(scene), 5);
    assert_false(is_readable(scene));
    assert_int_equal(xylem_wake_take(scene->wake, &scene->err), 0);
}

IN_SCENE(a_commit_of_this_process_wakes_and_an_abort_does_not)
{
    struct scene *scene = *state;
    struct xylem_session session;
    struct xylem_txn *txn = NULL;
    begin_to_wait(scene);
    commit_session(scene->store);
    assert_true(is_readable(scene));
    assert_int_equal(xylem_wake_take(scene->wake, &scene->err), 1);
    assert_int_equal(xylem_begin(&txn, scene->store, XYLEM_WRITE, NULL), 0);
    assert_int_equal(xylem_session_create(&session, txn, NULL, NULL), 0);
    assert_int_equal(xylem_wake_take(scene->wake, &scene->err), 0); /* inside of a transaction, too */
    xylem_abort(txn);
    assert_int_equal(xylem_wake_take(scene->wake, &scene->err), 0);
}

/* Every wake-up of a store gets every commit. */
IN_SCENE(wake_ups_do_not_take_from_each_other)
{
    struct scene *scene = *state;
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *reading = NULL;
    struct xylem_wake *other = NULL;
    begin_to_wait(scene);
    assert_int_equal(xylem_open(&reading, scene->path, &options, NULL), 0);
    assert_int_equal(xylem_wake_new(&other, reading, NULL), 0);
    end_writer(start_writer(scene, 1, -1));
    assert_int_equal(xylem_wake_take(scene->wake, NULL), 1);
    assert_int_equal(xylem_wake_take(other, NULL), 1);
    xylem_wake_free(other);
    assert_int_equal(xylem_close(reading, NULL), 0);
}

/* The event of a commit comes before readers see the commit: the descriptor stays awake until they do. */
IN_SCENE(a_commit_that_is_written_but_not_visible_wakes_again)
{
    struct scene *scene = *state;
    char byte;
    int ends[2];
    int status = 0;
    assert_int_equal(pipe(ends), 0);
    begin_to_wait(scene);
    pid_t writer = start_writer(scene, 1, ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(waitpid(writer, &status, WUNTRACED), writer);
    assert_true(WIFSTOPPED(status));
    for (int i = 0; i < 5; i++) {
        await_readable(scene);
        assert_int_equal(xylem_wake_take(scene->wake, &scene->err), 0);
        assert_int_equal(count_sessions(scene), 0);
    }
    assert_int_equal(kill(writer, SIGCONT), 0);
    end_writer(writer);
    await_commit(scene);
    assert_int_equal(count_sessions(scene), 1);
    assert_false(is_readable(scene));
    close(ends[0]);
    close(ends[1]);
}

/* The next writer makes the commit visible, without a write to data.mdb. */
IN_SCENE(a_commit_of_a_writer_that_died_before_it_was_visible_wakes_later)
{
    struct scene *scene = *state;
    struct xylem_txn *txn = NULL;
    char byte;
    int ends[2];
    int status = 0;
    assert_int_equal(pipe(ends), 0);
    begin_to_wait(scene);
    pid_t writer = start_writer(scene, 1, ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(waitpid(writer, &status, WUNTRACED), writer);
    assert_int_equal(kill(writer, SIGKILL), 0);
    assert_int_equal(waitpid(writer, &status, 0), writer);
    for (int i = 0; i < 3; i++) {
        await_readable(scene);
        assert_int_equal(xylem_wake_take(scene->wake, &scene->err), 0);
    }
    assert_int_equal(xylem_begin(&txn, scene->store, XYLEM_WRITE, &scene->err), 0);
    xylem_abort(txn);
    await_commit(scene);
    assert_int_equal(count_sessions(scene), 1);
    close(ends[0]);
    close(ends[1]);
}

/* Without a time limit a lost commit would be a test that hangs. */
IN_SCENE(a_storm_of_commits_loses_none)
{
    struct scene *scene = *state;
    unsigned commits = test_rounds(800);
    unsigned writers = 3;
    pid_t children[3];
    begin_to_wait(scene);
    for (unsigned i = 0; i < writers; i++) {
        children[i] = start_writer(scene, commits, -1);
    }
    uint64_t seen = 0;
    while (seen < (uint64_t)commits * writers) {
        await_commit(scene);
        uint64_t now = count_sessions(scene);
        assert_true(now > seen || seen == 0);
        seen = now;
        while (xylem_wake_take(scene->wake, NULL) == 1) { /* a commit since the count */
            seen = count_sessions(scene);
        }
    }
    for (unsigned i = 0; i < writers; i++) {
        end_writer(children[i]);
    }
}

IN_SCENE(a_compaction_in_between_loses_none)
{
    struct scene *scene = *state;
    struct xylem_compact_report report;
    begin_to_wait(scene);
    end_writer(start_writer(scene, 2, -1));
    assert_int_equal(xylem_wake_take(scene->wake, NULL), 1);
    close_scene(scene);
    assert_int_equal(xylem_compact(&report, scene->path, NULL, &scene->err), 0);
    assert_true(report.replaced);
    open_scene(scene);
    begin_to_wait(scene);
    assert_int_equal(count_sessions(scene), 2);
    end_writer(start_writer(scene, 1, -1));
    await_commit(scene);
    assert_int_equal(count_sessions(scene), 3);
}

/* The file is removed, renamed, or another file takes its name: the descriptor tells, and so does every later take. */
IN_SCENE(a_file_that_left_its_place_wakes_and_is_an_error)
{
    struct scene *scene = *state;
    char data[160];
    char other[160];
    char other_data[192];
    for (int round = 0; round < 3; round++) {
        snprintf(data, sizeof data, "%s/data.mdb", scene->path);
        snprintf(other, sizeof other, "%s.other", scene->path);
        snprintf(other_data, sizeof other_data, "%s/data.mdb", other);
        struct xylem_store *made = NULL;
        assert_int_equal(xylem_open(&made, other, &(struct xylem_open_options){.create = true}, NULL), 0);
        assert_int_equal(xylem_close(made, NULL), 0);
        begin_to_wait(scene);
        assert_false(is_readable(scene));
        assert_int_equal(round == 0   ? unlink(data)
                         : round == 1 ? rename(data, other_data)
                                      : rename(other_data, data),
                         0);
        assert_true(is_readable(scene));
        for (int i = 0; i < 2; i++) {
            assert_int_equal(xylem_wake_take(scene->wake, &scene->err), XYLEM_E_BUSY);
            assert_non_null(strstr(scene->err.text, round == 2 ? "was replaced" : "was removed or renamed"));
        }
        struct xylem_wake *another = NULL;
        assert_int_equal(xylem_wake_new(&another, scene->store, NULL), XYLEM_E_BUSY);
        close_scene(scene);
        open_scene(scene);
    }
}

IN_SCENE(without_inotify_the_descriptor_is_a_timer)
{
    struct scene *scene = *state;
    static const struct {
        int init;
        int watch;
        long file_system;
        const char *text;
    } rounds[] = {
        {EMFILE, 0, 0, "every 100 ms: no inotify instance (fs.inotify.max_user_instances): Too many open files"},
        {0, ENOSPC, 0, "every 100 ms: no inotify watch (fs.inotify.max_user_watches): No space left on device"},
        {0, 0, NFS_SUPER_MAGIC, "every 100 ms: the store lies on a network file system or on FUSE"},
        {0, 0, 0x65735546, "every 100 ms: the store lies on a network file system or on FUSE"},
    };
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        inotify_fails = rounds[i].init;
        watch_fails = rounds[i].watch;
        pretended_fs = rounds[i].file_system;
        begin_to_wait(scene);
        assert_non_null(strstr(xylem_wake_polling(scene->wake), rounds[i].text));
        assert_non_null(strstr(xylem_wake_polling(scene->wake), scene->path));
        await_readable(scene);
        assert_int_equal(xylem_wake_take(scene->wake, &scene->err), 0);
        commit_session(scene->store);
        await_commit(scene);
        assert_int_equal(count_sessions(scene), i + 1);
        xylem_wake_free(scene->wake);
        scene->wake = NULL;
    }
}

IN_SCENE(a_handle_with_a_wake_up_does_not_close)
{
    struct scene *scene = *state;
    begin_to_wait(scene);
    assert_int_equal(xylem_close(scene->store, &scene->err), XYLEM_E_BUSY);
    assert_non_null(strstr(scene->err.text, "free its wake-ups first"));
    assert_int_equal(xylem_wake_take(scene->wake, NULL), 0);
    close_scene(scene);
}

IN_SCENE(a_child_leaves_the_wake_up_of_its_parent_alone)
{
    struct scene *scene = *state;
    begin_to_wait(scene);
    commit_session(scene->store);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_wake *made = NULL;
        bool right = xylem_wake_take(scene->wake, NULL) == XYLEM_E_FORKED &&
                     xylem_wake_new(&made, scene->store, NULL) == XYLEM_E_FORKED &&
                     xylem_close(scene->store, NULL) == 0;
        xylem_wake_free(scene->wake);
        _exit(right ? 0 : 1);
    }
    end_writer(child);
    assert_true(is_readable(scene));
    assert_int_equal(xylem_wake_take(scene->wake, NULL), 1);
    end_writer(start_writer(scene, 1, -1));
    assert_int_equal(xylem_wake_take(scene->wake, NULL), 1);
}

/* A look that fails is no lost commit. */
IN_SCENE(without_a_reader_slot_the_take_fails_and_the_descriptor_wakes_again)
{
    struct scene *scene = *state;
    static struct xylem_txn *readers[XYLEM_READER_SLOTS];
    begin_to_wait(scene);
    for (size_t i = 0; i < XYLEM_READER_SLOTS; i++) {
        assert_int_equal(xylem_begin(&readers[i], scene->store, XYLEM_READ, NULL), 0);
    }
    commit_session(scene->store);
    for (int i = 0; i < 3; i++) {
        await_readable(scene);
        assert_int_equal(xylem_wake_take(scene->wake, &scene->err), XYLEM_E_READERS_FULL);
    }
    struct xylem_wake *another = NULL;
    assert_int_equal(xylem_wake_new(&another, scene->store, NULL), XYLEM_E_READERS_FULL);
    for (size_t i = 0; i < XYLEM_READER_SLOTS; i++) {
        xylem_abort(readers[i]);
    }
    await_commit(scene);
}

IN_SCENE(without_a_descriptor_there_is_no_wake_up)
{
    struct scene *scene = *state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int next = dup(0);
    assert_true(next >= 0);
    close(next);
    for (rlim_t left = 0; left < 2; left++) {
        struct rlimit few = {.rlim_cur = (rlim_t)next + left, .rlim_max = before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        int code = xylem_wake_new(&scene->wake, scene->store, &scene->err);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_int_equal(code, XYLEM_E_IO);
        assert_non_null(strstr(scene->err.text, "Too many open files"));
    }
}

IN_SCENE(a_wake_up_needs_a_store)
{
    struct scene *scene = *state;
    struct xylem_wake *wake = NULL;
    assert_int_equal(xylem_wake_new(NULL, scene->store, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_wake_new(&wake, NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_wake_take(NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_wake_fd(NULL), -1);
    assert_null(xylem_wake_polling(NULL));
    xylem_wake_free(NULL);
}
