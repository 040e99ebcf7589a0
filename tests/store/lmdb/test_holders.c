/* Who has a store open, and how those are told that somebody waits for them. */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "store/lmdb/environment.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/lease.h"
#include "xylem/append.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"

#define PATIENCE_MS 20000u

enum bearing { GIVES_WAY, STAYS };

static struct store_builder builder;
static pid_t child;

static void sleep_ms(long ms)
{
    struct timespec moment = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&moment, NULL);
}

/* In a process of its own: has the store open with a transaction, and closes it when it is wanted, or never. */
static void hold(const char *path, bool read_only, enum bearing bearing, int ready)
{
    struct xylem_open_options options = {.read_only = read_only};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    if (xylem_open(&store, path, &options, NULL) < 0 || xylem_begin(&txn, store, XYLEM_READ, NULL) < 0 ||
        write(ready, "r", 1) != 1) {
        _exit(1);
    }
    while (bearing == STAYS || xylem_store_wanted(store, NULL) != 1) {
        sleep_ms(1);
    }
    xylem_abort(txn);
    _exit(xylem_close(store, NULL) == XYLEM_OK ? 0 : 1);
}

static void start(bool read_only, enum bearing bearing)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        hold(builder.path, read_only, bearing, ready[1]);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
}

static void end_child(void)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* The store, closed by this process. */
static int set_up(void **state)
{
    (void)state;
    store_builder_open(&builder);
    store_builder_add(&builder, store_builder_session(&builder, "s"), "one", "message", "{\"a\":1}");
    store_builder_commit(&builder);
    xylem_abort(builder.txn);
    builder.txn = NULL;
    assert_int_equal(xylem_close(builder.store, NULL), XYLEM_OK);
    builder.store = NULL;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    store_builder_close(&builder);
    return 0;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(those_who_give_way_are_waited_for)
{
    struct xylem_compact_options options = {.wait_ms = PATIENCE_MS};
    struct xylem_compact_report report;
    struct xylem_error err;
    int status = 0;
    (void)state;
    start(true, GIVES_WAY);
    store_builder_must(xylem_compact(&report, builder.path, &options, &err), &err);
    assert_true(report.replaced);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

IN_SCENE(those_who_stay_are_named_and_the_call_is_over)
{
    struct xylem_compact_options options = {.wait_ms = 50};
    struct xylem_compact_report report;
    struct xylem_error err;
    (void)state;
    start(true, STAYS);
    assert_int_equal(xylem_compact(&report, builder.path, &options, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "in use by process "));
    assert_null(strstr(err.text, "this process"));
    struct xylem_open_options reading = {.read_only = true};
    struct xylem_store *store = NULL;
    store_builder_must(xylem_open(&store, builder.path, &reading, &err), &err);
    assert_int_equal(xylem_store_wanted(store, &err), 0); /* nobody waits any more */
    assert_int_equal(xylem_close(store, &err), XYLEM_OK);
    end_child();
}

#define LOCK_PAGE_BYTES 4096

static void move_lock_page(unsigned char page[LOCK_PAGE_BYTES], const char *mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/xylem.lock", builder.path);
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    assert_int_equal(strcmp(mode, "rb") == 0 ? fread(page, 1, LOCK_PAGE_BYTES, file)
                                             : fwrite(page, 1, LOCK_PAGE_BYTES, file),
                     LOCK_PAGE_BYTES);
    assert_int_equal(fclose(file), 0);
}

IN_SCENE(an_older_xylem_lock_in_its_place_is_named_to_an_opener_and_to_the_next_write)
{
    static unsigned char page[LOCK_PAGE_BYTES];
    struct xylem_compact_options options = {.wait_ms = PATIENCE_MS};
    struct xylem_compact_report report;
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    (void)state;
    move_lock_page(page, "rb");
    store_builder_must(xylem_compact(&report, builder.path, &options, &err), &err);
    assert_true(report.replaced);
    start(false, STAYS);
    move_lock_page(page, "r+b");
    assert_int_equal(xylem_open(&store, builder.path, NULL, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "xylem.lock was overwritten while process "));
    end_child();
    store_builder_must(xylem_open(&store, builder.path, NULL, &err), &err);
    move_lock_page(page, "r+b");
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "xylem.lock was overwritten"));
    assert_int_equal(xylem_close(store, &err), XYLEM_OK);
}

/* The bytes of a file of the store; with `bytes`, puts them back in place. */
static unsigned char *copy_file(const char *name, size_t *count, unsigned char *bytes)
{
    char path[512];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", builder.path, name);
    FILE *file = fopen(path, bytes ? "r+b" : "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &status), 0);
    *count = bytes ? *count : (size_t)status.st_size;
    unsigned char *kept = bytes ? bytes : malloc(*count);
    assert_int_equal(bytes ? fwrite(kept, 1, *count, file) : fread(kept, 1, *count, file), *count);
    assert_int_equal(fclose(file), 0);
    return kept;
}

IN_SCENE(a_store_that_was_copied_back_in_place_is_told_as_older)
{
    static const char *const names[] = {"data.mdb", "lock.mdb", "xylem.lock"};
    unsigned char *files[3];
    size_t counts[3];
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    (void)state;
    store_builder_must(xylem_open(&store, builder.path, NULL, &err), &err);
    for (size_t i = 0; i < 3; i++) {
        files[i] = copy_file(names[i], &counts[i], NULL);
    }
    struct xylem_lease *lease = NULL;
    store_builder_must(xylem_lease_take(&lease, store, 1, &err), &err); /* a commit */
    for (size_t i = 0; i < 3; i++) {
        copy_file(names[i], &counts[i], files[i]);
        free(files[i]);
    }
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "data.mdb and lock.mdb have commit "));
    assert_int_equal(xylem_lease_release(lease, &err), XYLEM_OK);
    store_builder_must(xylem_close(store, &err), &err);
    store_builder_must(xylem_open(&store, builder.path, NULL, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, &err), XYLEM_OK);
}

/* In a process of its own: locks a byte of a file of the store for so long. */
static void lock_byte(const char *name, uint64_t byte, long ms)
{
    int ready[2];
    char letter;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", builder.path, name);
    assert_int_equal(pipe(ready), 0);
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        bool locked = xylem_base__byte_lock(fd, byte, path, NULL) == 1;
        if (write(ready[1], locked ? "r" : "-", 1) == 1) {
            sleep_ms(ms);
        }
        _exit(0);
    }
    assert_int_equal(read(ready[0], &letter, 1), 1);
    assert_int_equal(letter, 'r');
    close(ready[0]);
    close(ready[1]);
}

IN_SCENE(a_writer_that_was_killed_and_takes_a_while_to_go_is_waited_for)
{
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    (void)state;
    store_builder_must(xylem_open(&store, builder.path, NULL, &err), &err);
    lock_byte("data.mdb", XYLEM_LMDB__WRITING_BYTE,
              1000); /* the kernel gave its mutexes away, and not its file locks */
    assert_int_equal(xylem_begin_within(&txn, store, XYLEM_WRITE, 10, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "another process writes, and lock.mdb and xylem.lock do not say so"));
    store_builder_must(xylem_begin_within(&txn, store, XYLEM_WRITE, PATIENCE_MS, &err), &err);
    xylem_abort(txn);
    assert_int_equal(waitpid(child, NULL, 0), child);
    store_builder_must(xylem_close(store, &err), &err);
}

IN_SCENE(an_opener_that_takes_long_is_not_taken_for_damage)
{
    struct xylem_store *store = NULL;
    struct xylem_error err;
    (void)state;
    lock_byte("xylem.lock", XYLEM_LMDB__WRITER_BYTE, 30000);
    assert_int_equal(xylem_open(&store, builder.path, NULL, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "another process has been opening "));
    end_child();
    store_builder_must(xylem_open(&store, builder.path, NULL, &err), &err);
    assert_int_equal(xylem_close(store, &err), XYLEM_OK);
}

/* In a process of its own: makes the store larger than the map of this process. */
static void outgrow(void)
{
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_open_options options = {.map_bytes = 16u << 20};
        struct xylem_store *store = NULL;
        struct xylem_txn *txn = NULL;
        static char payload[4u << 20];
        memset(payload, ' ', sizeof payload);
        payload[0] = '1';
        struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of("note")},
                                        .format = XYLEM_FORMAT_JSON,
                                        .payload = {payload, sizeof payload}};
        bool done = xylem_open(&store, builder.path, &options, NULL) == XYLEM_OK &&
                    xylem_begin(&txn, store, XYLEM_WRITE, NULL) == XYLEM_OK &&
                    xylem_append(NULL, txn, 1, &entry, 1, NULL, NULL) == XYLEM_OK &&
                    xylem_commit(txn, NULL) == XYLEM_OK;
        _exit(done ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

IN_SCENE(a_map_that_grew_is_no_damage_for_a_process_without_a_free_descriptor)
{
    struct xylem_open_options options = {.map_bytes = 2u << 20};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    struct rlimit before;
    (void)state;
    store_builder_must(xylem_open(&store, builder.path, &options, &err), &err);
    outgrow();
    int free_fd = dup(STDERR_FILENO);
    close(free_fd);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit none = {(rlim_t)free_fd, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int code = xylem_begin(&txn, store, XYLEM_READ, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(code, XYLEM_E_IO);
    assert_non_null(strstr(err.text, "cannot be opened to see how it grew"));
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    xylem_abort(txn);
    store_builder_must(xylem_close(store, &err), &err);
}

static void remove_file(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", builder.path, name);
    assert_int_equal(unlink(path), 0);
}

/* A new handle after one that was to be closed, because `name` was removed or replaced. It holds a lease. */
static void close_stale(struct xylem_store *store, struct xylem_lease *lease, const char *name)
{
    struct xylem_error err;
    struct xylem_txn *txn = NULL;
    assert_int_equal(xylem_store_wanted(store, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, name));
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, name));
    store_builder_must(xylem_lease_release(lease, &err), &err);
    store_builder_must(xylem_close(store, &err), &err);
}

static struct xylem_store *open_with_lease(struct xylem_lease **lease)
{
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    struct xylem_store *store = NULL;
    struct xylem_error err;
    store_builder_must(xylem_open(&store, builder.path, &options, &err), &err);
    store_builder_must(xylem_lease_take(lease, store, 1, &err), &err);
    assert_int_equal(xylem_store_wanted(store, &err), 0);
    return store;
}

IN_SCENE(a_handle_whose_lock_file_was_removed_is_to_be_closed_with_its_lease)
{
    static const char *const names[] = {"lock.mdb", "xylem.lock"};
    struct xylem_lease *lease;
    struct xylem_error err;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct xylem_store *store = open_with_lease(&lease);
        remove_file(names[i]);
        close_stale(store, lease, names[i]);
    }
    struct xylem_store *store = open_with_lease(&lease); /* the row of the dead owner is taken over */
    store_builder_must(xylem_lease_release(lease, &err), &err);
    store_builder_must(xylem_close(store, &err), &err);
}

IN_SCENE(a_writer_goes_along_with_its_directory_unless_another_one_takes_the_place)
{
    char away[sizeof builder.path + 8];
    struct xylem_lease *lease;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    (void)state;
    struct xylem_store *store = open_with_lease(&lease);
    snprintf(away, sizeof away, "%s.away", builder.path);
    assert_int_equal(rename(builder.path, away), 0);
    store_builder_must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
    xylem_abort(txn);
    assert_int_equal(mkdir(builder.path, 0700), 0);
    close_stale(store, lease, "was replaced by another directory");
    assert_int_equal(rmdir(builder.path), 0);
    assert_int_equal(rename(away, builder.path), 0);
}

IN_SCENE(nobody_is_told_unless_that_is_asked_for)
{
    struct xylem_compact_report report;
    struct xylem_error err;
    (void)state;
    start(true, GIVES_WAY);
    assert_int_equal(xylem_compact(&report, builder.path, NULL, &err), XYLEM_E_BUSY);
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    end_child();
}

/* It could not close the store meanwhile: it is in the call. */
IN_SCENE(this_process_is_not_waited_for)
{
    struct xylem_compact_options options = {.wait_ms = UINT32_MAX};
    struct xylem_compact_report report;
    struct xylem_store *store = NULL;
    struct xylem_error err;
    (void)state;
    store_builder_must(xylem_open(&store, builder.path, NULL, &err), &err);
    assert_int_equal(xylem_compact(&report, builder.path, &options, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "this process"));
    assert_int_equal(xylem_close(store, &err), XYLEM_OK);
}

struct seen {
    unsigned count;
    struct xylem_holder other; /* without its views */
    bool self_writes;
    bool stop;
};

static int see(void *context, const struct xylem_holder *holder)
{
    struct seen *seen = context;
    seen->count++;
    if (holder->pid == (int64_t)getpid()) {
        seen->self_writes = holder->writes;
        return seen->stop;
    }
    assert_int_equal(holder->pid, child);
    assert_true(holder->program.bytes > 0);
    seen->other = *holder;
    return seen->stop;
}

IN_SCENE(each_holder_is_told_with_what_it_does)
{
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    struct timespec now;
    (void)state;
    for (int read_only = 0; read_only < 2; read_only++) {
        struct seen seen = {0};
        start(read_only != 0, STAYS);
        store_builder_must(xylem_open(&store, builder.path, NULL, &err), &err);
        for (int commit = 0; commit < 3; commit++) {
            store_builder_must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
            struct xylem_session session;
            store_builder_must(xylem_session_create(&session, txn, NULL, &err), &err);
            store_builder_must(xylem_commit(txn, &err), &err);
        }
        store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
        store_builder_must(xylem_holders(txn, see, &seen, &err), &err);
        assert_int_equal(seen.count, 2);
        assert_true(seen.self_writes && seen.other.known && seen.other.reads);
        assert_int_equal(seen.other.writes, read_only == 0);
        assert_int_equal(seen.other.commits_behind, 3);
        clock_gettime(CLOCK_REALTIME, &now);
        assert_in_range(seen.other.started_ms, ((int64_t)now.tv_sec - 3600) * 1000, ((int64_t)now.tv_sec + 1) * 1000);
        seen.stop = true;
        assert_int_equal(xylem_holders(txn, see, &seen, &err), XYLEM_E_STOPPED);
        assert_int_equal(seen.count, 3);
        xylem_abort(txn);
        assert_int_equal(xylem_close(store, &err), XYLEM_OK);
        end_child();
    }
}

IN_SCENE(what_is_missing_is_an_argument)
{
    struct xylem_error err;
    (void)state;
    assert_int_equal(xylem_holders(NULL, see, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_store_wanted(NULL, &err), XYLEM_E_ARGUMENT);
}
