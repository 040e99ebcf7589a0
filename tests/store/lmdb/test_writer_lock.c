/* Who writes, who waits, and how the waiting ends. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "store/lmdb/environment.h"
#include "xylem/files.h"
#include "xylem/lease.h"
#include "tests/lib/test.h"

/* Long enough for what must happen at last, on a busy machine too. */
#define LONG_MS 60000u

static char place[128];
static char store_path[160];
static char lock_path[200];

static int make_place(void **state)
{
    (void)state;
    test_directory_make(place, sizeof place, "writer");
    snprintf(store_path, sizeof store_path, "%s", "");
    snprintf(store_path, sizeof store_path, "%s/store", place);
    snprintf(lock_path, sizeof lock_path, "%s/xylem.lock", store_path);
    alarm(LONG_MS / 1000 * 2); /* what waits for ever fails */
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    char command[256];
    alarm(0);
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

static struct xylem_store *open_with(struct xylem_open_options options)
{
    struct xylem_store *store = NULL;
    struct xylem_error err = {0, ""};
    options.create = !options.read_only;
    options.durability = XYLEM_DURABILITY_NONE;
    if (xylem_open(&store, store_path, &options, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return store;
}

static struct xylem_store *open_store(void)
{
    return open_with((struct xylem_open_options){.create = true});
}

/* A transaction that creates a session with a new id. */
static int write_once(struct xylem_store *store, uint64_t timeout_ms, struct xylem_error *err)
{
    static unsigned count;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    char id[64];
    snprintf(id, sizeof id, "s-%ld-%u", (long)getpid(), count++);
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    int code = xylem_begin_within(&txn, store, XYLEM_WRITE, timeout_ms, err);
    if (code < 0) {
        return code;
    }
    code = xylem_session_create(&session, txn, &options, err);
    if (code < 0) {
        xylem_abort(txn);
        return code;
    }
    return xylem_commit(txn, err);
}

static void must(int code, const struct xylem_error *err)
{
    if (code < 0) {
        fail_msg("%s", err->text);
    }
}

/* --- Another process ---------------------------------------------------------------------------------------------- */

struct holder {
    pid_t pid;
    int to;   /* a byte ends its transaction, the end of the pipe its process */
    int from; /* a byte says that it has one */
};

/* A process that begins a write transaction, and goes on as it is told. */
static struct holder start_holder(void)
{
    int to[2];
    int from[2];
    char byte = 0;
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_store *store = NULL;
        struct xylem_txn *txn = NULL;
        struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE};
        close(to[1]);
        bool begun = xylem_open(&store, store_path, &options, NULL) == XYLEM_OK &&
                     xylem_begin(&txn, store, XYLEM_WRITE, NULL) == XYLEM_OK && write(from[1], "b", 1) == 1;
        if (begun && read(to[0], &byte, 1) == 1) {
            xylem_abort(txn);
            begun = read(to[0], &byte, 1) == 0;
        }
        _exit(begun ? 0 : 1);
    }
    close(to[0]);
    close(from[1]);
    assert_int_equal(read(from[0], &byte, 1), 1);
    return (struct holder){child, to[1], from[0]};
}

static void end_holder(struct holder *holder)
{
    int status = 0;
    close(holder->to);
    close(holder->from);
    assert_int_equal(waitpid(holder->pid, &status, 0), holder->pid);
}

static void assert_named(const struct xylem_error *err, pid_t pid)
{
    char name[64];
    snprintf(name, sizeof name, "process %ld (test_writer_loc", (long)pid);
    if (!strstr(err->text, name) || !strstr(err->text, store_path)) {
        fail_msg("'%s' does not name %s", err->text, name);
    }
}

#define IN_PLACE(test) TEST_WITH(test, make_place, remove_place)

IN_PLACE(another_process_that_writes_is_named)
{
    struct xylem_error err = {0, ""};
    struct xylem_store *store = open_store();
    struct xylem_txn *txn = NULL;
    struct holder holder = start_holder();
    for (uint64_t timeout_ms = 0; timeout_ms < 300; timeout_ms += 130) {
        assert_int_equal(write_once(store, timeout_ms, &err), XYLEM_E_BUSY);
        assert_named(&err, holder.pid);
    }
    must(xylem_begin_within(&txn, store, XYLEM_READ, 0, &err), &err); /* readers never wait */
    xylem_abort(txn);
    assert_int_equal(write(holder.to, "e", 1), 1);
    must(write_once(store, LONG_MS, &err), &err);
    end_holder(&holder);
    must(write_once(store, 0, &err), &err);
    must(xylem_close(store, &err), &err);
}

IN_PLACE(a_writer_that_dies_or_was_stopped_and_dies_gives_its_turn_back)
{
    struct xylem_error err = {0, ""};
    struct xylem_store *store = open_store();
    for (int stopped = 0; stopped < 2; stopped++) {
        struct holder holder = start_holder();
        if (stopped) {
            assert_int_equal(kill(holder.pid, SIGSTOP), 0);
        }
        assert_int_equal(write_once(store, 10, &err), XYLEM_E_BUSY);
        assert_int_equal(kill(holder.pid, SIGKILL), 0);
        must(write_once(store, LONG_MS, &err), &err);
        end_holder(&holder);
    }
    must(xylem_close(store, &err), &err);
}

/* A child has the descriptors of its parent, and the turn must not stay with the child. */
IN_PLACE(a_child_does_not_keep_the_turn_of_its_parent)
{
    struct xylem_error err = {0, ""};
    int alive[2];
    int begun[2];
    char byte = 0;
    assert_int_equal(pipe(alive), 0);
    assert_int_equal(pipe(begun), 0);
    fflush(NULL);
    pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) {
        struct xylem_store *store = open_store();
        struct xylem_txn *txn = NULL;
        xylem_begin(&txn, store, XYLEM_WRITE, NULL);
        if (fork() == 0) { /* has let go of the turn in fork() */
            bool told = write(begun[1], "b", 1) == 1;
            close(alive[1]);
            close(begun[1]);
            _exit(told && read(alive[0], &byte, 1) == 0 ? 0 : 1);
        }
        _exit(0);
    }
    assert_int_equal(read(begun[0], &byte, 1), 1);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    struct xylem_store *store = open_store();
    int fd = open(lock_path, O_RDWR | O_CLOEXEC);
    must(write_once(store, LONG_MS, &err), &err);
    must(xylem_close(store, &err), &err);
    /* Nor the place of its parent among those that have the page. */
    assert_int_equal(xylem_base__byte_locked(fd, XYLEM_LMDB__WRITER_BYTE, lock_path, &err), 0);
    close(fd);
    close(alive[0]);
    close(alive[1]);
    close(begun[0]);
    close(begun[1]);
}

/* --- Threads ------------------------------------------------------------------------------------------------------ */

struct waiter {
    struct xylem_store *store;
    uint64_t timeout_ms;
    int code;
    struct xylem_error err;
    atomic_bool waits; /* its `waiting` was called */
    unsigned named;    /* how often with a name */
    unsigned calls;
    int answer;
    char holder[128];
};

static void *wait_in_thread(void *context)
{
    struct waiter *waiter = context;
    waiter->code = write_once(waiter->store, waiter->timeout_ms, &waiter->err);
    return NULL;
}

static int note_waiting(void *context, uint64_t waited_ms, const char *holder)
{
    struct waiter *waiter = context;
    (void)waited_ms;
    waiter->calls++;
    if (holder) {
        waiter->named++;
        snprintf(waiter->holder, sizeof waiter->holder, "%s", holder);
    }
    atomic_store(&waiter->waits, true);
    return waiter->answer;
}

IN_PLACE(another_thread_that_writes_is_named_as_this_process)
{
    struct waiter waiter = {.timeout_ms = 20};
    struct xylem_error err = {0, ""};
    struct xylem_store *store = open_store();
    struct xylem_txn *txn = NULL;
    pthread_t thread;
    waiter.store = store;
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
    assert_int_equal(pthread_create(&thread, NULL, wait_in_thread, &waiter), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(waiter.code, XYLEM_E_BUSY);
    assert_non_null(strstr(waiter.err.text, "this process writes to "));
    /* The same thread does not wait for itself, however long it might. */
    struct xylem_txn *second = NULL;
    assert_int_equal(xylem_begin_within(&second, store, XYLEM_WRITE, LONG_MS, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "this thread"));
    assert_int_equal(xylem_begin(&second, store, XYLEM_WRITE, &err), XYLEM_E_BUSY);
    xylem_abort(txn);
    must(write_once(store, 0, &err), &err);
    must(xylem_close(store, &err), &err);
}

IN_PLACE(a_handle_is_not_closed_under_a_thread_that_waits)
{
    struct waiter waiter = {.timeout_ms = LONG_MS};
    struct xylem_error err = {0, ""};
    struct xylem_store *store = open_store();
    struct xylem_txn *txn = NULL;
    pthread_t thread;
    waiter.store = open_with((struct xylem_open_options){.waiting = note_waiting, .waiting_context = &waiter});
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
    assert_int_equal(pthread_create(&thread, NULL, wait_in_thread, &waiter), 0);
    while (!atomic_load(&waiter.waits)) {
        usleep(1000);
    }
    assert_int_equal(xylem_close(waiter.store, &err), XYLEM_E_BUSY);
    xylem_abort(txn);
    assert_int_equal(pthread_join(thread, NULL), 0);
    must(waiter.code, &waiter.err);
    must(xylem_close(waiter.store, &err), &err);
    must(xylem_close(store, &err), &err);
}

/* --- The handle's limit ------------------------------------------------------------------------------------------- */

IN_PLACE(who_waits_is_told_for_whom_and_can_stop)
{
    struct waiter waiter = {.answer = 0};
    struct xylem_error err = {0, ""};
    struct xylem_store *store =
        open_with((struct xylem_open_options){.waiting = note_waiting, .waiting_context = &waiter, .wait_ms = 1250});
    struct xylem_txn *txn = NULL;
    struct holder holder = start_holder();
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), XYLEM_E_BUSY);
    assert_named(&err, holder.pid);
    assert_non_null(strstr(err.text, "waited 1250 ms"));
    assert_true(waiter.calls > waiter.named && waiter.named > 0); /* first without a name */
    char name[64];
    snprintf(name, sizeof name, "process %ld (", (long)holder.pid);
    assert_non_null(strstr(waiter.holder, name));
    waiter.answer = 1;
    waiter.calls = 0;
    assert_int_equal(write_once(store, LONG_MS, &err), XYLEM_E_STOPPED);
    assert_int_equal(waiter.calls, 1);
    end_holder(&holder);
    must(xylem_close(store, &err), &err);
}

IN_PLACE(calls_with_transactions_of_their_own_wait_no_longer_than_their_handle)
{
    struct xylem_error err = {0, ""};
    struct xylem_store *store = open_with((struct xylem_open_options){.wait_ms = 20});
    struct xylem_lease *lease = NULL;
    struct xylem_import_report report = {0};
    must(write_once(store, 0, &err), &err);
    must(xylem_lease_take(&lease, store, 1, &err), &err);
    struct holder holder = start_holder();
    struct xylem_lease *second = NULL;
    assert_int_equal(xylem_lease_take(&second, store, 1, &err), XYLEM_E_BUSY);
    assert_named(&err, holder.pid);
    assert_int_equal(xylem_lease_break(NULL, store, 1, &err), XYLEM_E_BUSY);
    assert_int_equal(xylem_lease_release(lease, &err), XYLEM_E_BUSY);
    int code = xylem_import(&report, store,
                            "fixtures/sessions/pi-0.87.1/rpc-scenario/"
                            "2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl",
                            NULL, &err);
    xylem_import_report_release(&report);
    assert_int_equal(code, XYLEM_E_BUSY);
    assert_named(&err, holder.pid);
    end_holder(&holder);
    must(xylem_lease_release(lease, &err), &err);
    must(xylem_close(store, &err), &err);
}

/* --- Turns -------------------------------------------------------------------------------------------------------- */

static atomic_uint turns;
static atomic_bool enough;

/* Writes all the time: there is next to none between its transactions. */
static void *write_on_and_on(void *context)
{
    struct xylem_store *store = context;
    while (!atomic_load(&enough)) {
        struct xylem_txn *txn = NULL;
        if (xylem_begin(&txn, store, XYLEM_WRITE, NULL) < 0) {
            break;
        }
        usleep(3000);
        xylem_abort(txn);
        atomic_fetch_add(&turns, 1);
    }
    return NULL;
}

IN_PLACE(a_writer_gets_its_turn_beside_one_that_never_rests)
{
    struct xylem_error err = {0, ""};
    struct xylem_store *store = open_store();
    pthread_t thread;
    atomic_store(&enough, false);
    atomic_store(&turns, 0);
    assert_int_equal(pthread_create(&thread, NULL, write_on_and_on, store), 0);
    unsigned most = 0;
    for (int i = 0; i < 8; i++) {
        while (atomic_load(&turns) == 0) {
            usleep(1000);
        }
        unsigned before = atomic_load(&turns);
        must(write_once(store, LONG_MS, &err), &err);
        unsigned passed = atomic_load(&turns) - before;
        most = passed > most ? passed : most;
    }
    atomic_store(&enough, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    /* The kernel wakes who waits. Who looked from time to time would find the turn taken, again and again. */
    assert_in_range(most, 0, 30);
    must(xylem_close(store, &err), &err);
}

/* --- The page ----------------------------------------------------------------------------------------------------- */

static void write_lock_file(const void *data, size_t bytes)
{
    int fd = open(lock_path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, bytes), (ssize_t)bytes);
    close(fd);
}

static size_t read_lock_file(unsigned char *data, size_t bytes)
{
    int fd = open(lock_path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    ssize_t got = read(fd, data, bytes);
    close(fd);
    assert_true(got >= 0);
    return (size_t)got;
}

/* What a machine that went down in the middle of a transaction left, and what somebody wrote there. */
IN_PLACE(who_is_alone_makes_the_lock_anew_whatever_the_file_holds)
{
    unsigned char page[8192];
    struct xylem_error err = {0, ""};
    struct xylem_store *store = open_store();
    struct xylem_txn *txn = NULL;
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
    size_t bytes = read_lock_file(page, sizeof page); /* locked, by this thread */
    xylem_abort(txn);
    must(xylem_close(store, &err), &err);
    for (int i = 0; i < 3; i++) {
        write_lock_file(page, i == 0 ? bytes : i == 1 ? sizeof page : 10);
        memset(page, 0xff, sizeof page);
        store = open_store();
        must(write_once(store, 0, &err), &err);
        struct holder holder = start_holder();
        assert_int_equal(write_once(store, 0, &err), XYLEM_E_BUSY); /* there is a lock again */
        end_holder(&holder);
        must(xylem_close(store, &err), &err);
    }
}

/* --- Other lock files --------------------------------------------------------------------------------------------- */

static void refused(const char *file, const char *what, pid_t pid)
{
    struct xylem_store *store = NULL;
    struct xylem_error err = {0, ""};
    struct xylem_open_options options = {.create = true};
    for (int reads = 0; reads < 2; reads++) {
        options = reads ? (struct xylem_open_options){.read_only = true} : options;
        if (xylem_open(&store, store_path, &options, &err) != XYLEM_E_BUSY || !strstr(err.text, file) ||
            !strstr(err.text, what)) {
            fail_msg("%s, %s: %s", file, what, err.text);
        }
        assert_named(&err, pid);
    }
}

static void in_store(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", store_path, name);
}

/* LMDB does not notice that lock.mdb has another layout with another C library, or for another processor. */
IN_PLACE(a_process_with_another_c_library_is_refused)
{
    unsigned char page[4096];
    struct xylem_error err = {0, ""};
    must(xylem_close(open_store(), &err), &err);
    struct holder holder = start_holder();
    int fd = open(lock_path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, page, sizeof page, 0), sizeof page);
    for (unsigned char bit = 1; bit != 0; bit = (unsigned char)(bit << 1)) {
        unsigned char magic = page[0] ^ bit; /* the library, and the size of a mutex */
        assert_int_equal(pwrite(fd, &magic, 1, 0), 1);
        refused("/xylem.lock", "another C library", holder.pid);
    }
    assert_int_equal(pwrite(fd, page, sizeof page, 0), sizeof page);
    close(fd);
    must(xylem_close(open_store(), &err), &err); /* of one kind: side by side */
    end_holder(&holder);
}

/* The holder writes all the time: who is refused has written nothing, so nothing of the holder is lost. */
IN_PLACE(who_finds_other_files_than_those_who_have_the_store_open_is_refused)
{
    static const char *const names[] = {"data.mdb", "lock.mdb", "xylem.lock"};
    struct xylem_error err = {0, ""};
    char file[256];
    char away[300];
    char command[700];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        must(xylem_close(open_store(), &err), &err);
        struct holder holder = start_holder();
        in_store(file, names[i]);
        snprintf(away, sizeof away, "%s.away", file);
        assert_int_equal(rename(file, away), 0);
        if (i > 0) {
            refused(names[i], "renamed", holder.pid);
        }
        snprintf(command, sizeof command, "cp '%s' '%s'", away, file);
        assert_int_equal(system(command), 0);
        refused(names[i], "replaced", holder.pid);
        assert_int_equal(rename(away, file), 0);
        must(xylem_close(open_store(), &err), &err);
        end_holder(&holder);
        must(xylem_close(open_store(), &err), &err); /* whoever is alone takes what is there */
    }
}

/* Pages have no sum: each page of the older copy proves itself, and the commit would mix two states. */
IN_PLACE(a_commit_over_an_older_copy_of_data_mdb_is_refused)
{
    struct xylem_error err = {0, ""};
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    char file[256];
    static char bytes[1 << 20];
    struct xylem_store *store = open_store();
    must(write_once(store, 0, &err), &err);
    in_store(file, "data.mdb");
    int fd = open(file, O_RDWR | O_CLOEXEC);
    ssize_t count = pread(fd, bytes, sizeof bytes, 0);
    assert_true(count > 0);
    must(write_once(store, 0, &err), &err);
    for (int over = 0; over < 2; over++) {
        must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
        must(xylem_session_create(&session, txn, NULL, &err), &err);
        if (over) {
            assert_int_equal(pwrite(fd, bytes, (size_t)count, 0), count);
        }
        assert_int_equal(xylem_commit(txn, &err), over ? XYLEM_E_BUSY : XYLEM_OK);
    }
    assert_non_null(strstr(err.text, "data.mdb"));
    close(fd);
    must(xylem_close(store, &err), &err);
}

IN_PLACE(both_lock_files_are_missed_through_data_mdb)
{
    struct xylem_error err = {0, ""};
    char file[256];
    must(xylem_close(open_store(), &err), &err);
    struct holder holder = start_holder();
    in_store(file, "lock.mdb");
    assert_int_equal(unlink(file), 0);
    assert_int_equal(unlink(lock_path), 0);
    refused("/xylem.lock", "removed", holder.pid);
    assert_int_equal(access(file, F_OK), -1); /* nothing was made */
    end_holder(&holder);
    must(xylem_close(open_store(), &err), &err);
}

/* A handle that only reads has its place among the users, too. */
IN_PLACE(readers_keep_other_lock_files_away)
{
    struct xylem_error err = {0, ""};
    char file[256];
    must(xylem_close(open_store(), &err), &err);
    struct xylem_store *reader = open_with((struct xylem_open_options){.read_only = true});
    struct xylem_store *writer = open_store(); /* shares its environment, which did not write before */
    struct holder holder = start_holder();
    assert_int_equal(write_once(writer, 0, &err), XYLEM_E_BUSY);
    end_holder(&holder);
    must(xylem_close(writer, &err), &err);
    in_store(file, "lock.mdb");
    assert_int_equal(unlink(file), 0);
    struct xylem_store *other = NULL;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct xylem_open_options options = {.create = true};
        _exit(xylem_open(&other, store_path, &options, NULL) == XYLEM_E_BUSY ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    must(xylem_close(reader, &err), &err);
    must(xylem_close(open_store(), &err), &err);
}

IN_PLACE(arguments_that_mean_nothing_are_refused)
{
    struct xylem_error err = {0, ""};
    struct xylem_txn *txn = NULL;
    struct xylem_store *store = open_store();
    struct xylem_store *reader = open_with((struct xylem_open_options){.read_only = true});
    assert_int_equal(xylem_begin_within(NULL, store, XYLEM_WRITE, 0, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_begin_within(&txn, NULL, XYLEM_WRITE, 0, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_begin_within(&txn, store, (enum xylem_txn_mode)7, 0, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_begin_within(&txn, reader, XYLEM_WRITE, 0, &err), XYLEM_E_READ_ONLY);
    must(xylem_close(reader, &err), &err);
    must(xylem_close(store, &err), &err);
}
