/* The faults for which every call that changes a file is watched: power cuts, failing calls, a full disk. */
#include "tests/bench/faults/faults.h"
#include "tests/crash/disk.h"

#include <sys/wait.h>

enum { CUTS = 40, STEPS = 24, FAILING_CALLS = 40, FAILING_ROUNDS = 8 };

/* SQLite is built for large files, whose calls have names of their own. The same functions serve both. */
CALLS_SEEN int open64(const char *path, int flags, ...) __attribute__((alias("open")));
CALLS_SEEN ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset) __attribute__((alias("pwrite")));
CALLS_SEEN int ftruncate64(int fd, off64_t length) __attribute__((alias("ftruncate")));

static struct faults_acked promised;

/* --- Power ---------------------------------------------------------------------------------------------------------- */

static struct faults_ack marked[4 * STEPS];
static int marked_count;

/* Two writers by turns, each with a handle of its own; a reader now and then. */
static void record(uint64_t seed)
{
    struct faults_writer writers[FAULTS_WRITERS] = {{.writer = 0, .session = 0, .forks = true, .bytes = 600},
                                                    {.writer = 1, .session = 1, .forks = true, .bytes = 600}};
    struct chance chance = chance_of(seed);
    struct faults_step step;
    void *handles[FAULTS_WRITERS];
    disk_forget();
    faults_fresh(faults.store);
    marked_count = 0;
    faults_checkpoints = seed % 2 == 1;
    disk_start(faults.store);
    for (int i = 0; i < FAULTS_WRITERS; i++) {
        handles[i] = faults.calls->open(faults.peer->mode, faults.store);
        faults_must(handles[i] != NULL, "a store could not be made for the record");
    }
    for (int i = 0; i < 2 * STEPS; i++) {
        int writer = chance_below(&chance, FAULTS_WRITERS);
        faults_next(&step, &writers[writer]);
        if (faults_do(handles[writer], &step) == 0) {
            marked[marked_count] = (struct faults_ack){step.writer, step.session, step.number};
            disk_mark((uint64_t)marked_count++);
        }
        if (i % 16 == 15) {
            struct faults_reading reading = {.count = 0};
            faults_must(faults.calls->read(faults.store, faults_reading_add, &reading) == 0,
                        "the reader beside failed");
            faults_reading_free(&reading);
        }
    }
    disk_stop();
    for (int i = 0; i < FAULTS_WRITERS; i++) {
        faults.calls->close(handles[i]);
    }
    faults_checkpoints = false;
}

void faults_power(void)
{
    char built[200];
    int states = faults_scaled(2000);
    struct chance chance = chance_of(faults.seed);
    snprintf(built, sizeof built, "%s/built", faults.place);
    for (int i = 0; i < states; i++) {
        if (i % CUTS == 0) {
            record(faults.seed * 1000 + (uint64_t)(i / CUTS));
        }
        struct disk_cut cut = {(size_t)chance_below(&chance, (int)disk.count + 1),
                               (enum disk_loss)chance_below(&chance, DISK_LOSS_COUNT), chance_draw(&chance)};
        faults_fresh(built);
        faults_must(disk_build(built, &cut), "a state could not be built");
        memset(&promised, 0, sizeof promised);
        for (size_t at = 0; at < cut.at; at++) {
            if (disk.events[at].type == DISK_MARK) {
                faults_ack_take(&promised, &marked[disk.events[at].mark]);
            }
        }
        faults_look("power", built, &promised);
    }
    disk_forget();
}

/* --- Calls that fail ------------------------------------------------------------------------------------------------ */

enum failure { FAIL_IO, FAIL_NO_SPACE, FAIL_SHORT, FAIL_FROM_THEN_ON, FAILURES };

static struct {
    enum failure failure;
    int left;  /* calls until the one that fails */
    long room; /* of a full disk, in bytes */
    int ack_fd;
} failing;

/* Below the store, and none that only looks. */
static bool is_counted(const struct call *call)
{
    char link[64];
    char path[FAULTS_PATH];
    size_t bytes = strlen(faults.store);
    if (call->path) {
        return call->type != CALL_UNLINK && strncmp(call->path, faults.store, bytes) == 0 &&
               (call->type != CALL_OPEN || (call->flags & O_CREAT));
    }
    if (call->fd < 0 || call->fd == failing.ack_fd || call->type == CALL_MAP) {
        return false;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", call->fd);
    ssize_t got = readlink(link, path, sizeof path);
    return got >= (ssize_t)bytes && memcmp(path, faults.store, bytes) == 0;
}

/* Writes the first bytes of what a call was to write, where it was to write them. */
static ssize_t write_part(const struct call *call, size_t bytes)
{
    CALLS_NEXT(calls_pwrite, "pwrite")
    size_t first = call->parts[0].iov_len < bytes ? call->parts[0].iov_len : bytes;
    ssize_t written = first > 0 ? next(call->fd, call->parts[0].iov_base, first, call->offset) : 0;
    bool moves = written > 0 && (strcmp(call->name, "write") == 0 || strcmp(call->name, "writev") == 0);
    if (moves) {
        lseek(call->fd, call->offset + written, SEEK_SET);
    }
    return written;
}

static bool fail_call(const struct call *call, ssize_t *result)
{
    if (!is_counted(call) || --failing.left > 0 || (failing.left < 0 && failing.failure != FAIL_FROM_THEN_ON)) {
        return false;
    }
    if (failing.failure == FAIL_SHORT && call->type == CALL_WRITE && call->bytes > 1) {
        *result = write_part(call, call->bytes / 2);
        return *result > 0;
    }
    errno = failing.failure == FAIL_IO || call->type == CALL_SYNC ? EIO : ENOSPC;
    *result = -1;
    return true;
}

/* A file grows as long as there is room; of the write that meets the end, what fits is written. */
static bool fill_disk(const struct call *call, ssize_t *result)
{
    struct stat status;
    bool grows = (call->type == CALL_WRITE || call->type == CALL_TRUNCATE || call->type == CALL_ALLOCATE) &&
                 call->fd >= 0 && is_counted(call) && fstat(call->fd, &status) == 0;
    long more = grows ? call->offset + (long)(call->type == CALL_WRITE ? call->bytes : 0) - status.st_size : 0;
    if (more <= 0) {
        return false;
    }
    if (more <= failing.room) {
        failing.room -= call->type == CALL_TRUNCATE ? 0 : more; /* a hole takes no room */
        return false;
    }
    long fits = (long)call->bytes - more + failing.room;
    *result = call->type == CALL_WRITE && fits > 0 ? write_part(call, (size_t)fits) : -1;
    failing.room = 0;
    errno = ENOSPC;
    *result = *result > 0 ? *result : -1;
    return true;
}

/* As a host that says what failed, and goes on with the next entry; later all calls work again. */
static void work_on(int ack_fd)
{
    struct faults_writer writers[FAULTS_WRITERS] = {{.writer = 0, .session = 0, .bytes = 3000},
                                                    {.writer = 1, .session = 1, .bytes = 3000}};
    void *handle = faults.calls->open(faults.peer->mode, faults.store);
    handle = handle ? handle : faults.calls->open(faults.peer->mode, faults.store);
    failing.ack_fd = ack_fd;
    for (int i = 0, failed = 0; handle && failed < FAILING_ROUNDS; i++) {
        faults_work(handle, &writers[i % FAULTS_WRITERS], 3, ack_fd);
        failed += failing.room <= 0;
        calls_before = failed < FAILING_ROUNDS / 2 ? calls_before : NULL;
    }
    if (handle) {
        faults.calls->close(handle);
    }
}

static void try_failure(const char *fault, bool (*before)(const struct call *call, ssize_t *result))
{
    struct faults_ack ack;
    int ends[2];
    faults_must(pipe(ends) == 0, "no pipe");
    faults_fresh(faults.store);
    memset(&promised, 0, sizeof promised);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        calls_before = before;
        work_on(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    while (read(ends[0], &ack, sizeof ack) == sizeof ack) {
        faults_ack_take(&promised, &ack);
    }
    close(ends[0]);
    waitpid(child, NULL, 0);
    faults_look(fault, faults.store, &promised);
}

/* The calls one after the other, each failing in each way; or disks with more or less room. */
void faults_failures(bool is_full)
{
    int trials = faults_scaled(is_full ? 100 : FAILING_CALLS * FAILURES);
    struct chance chance = chance_of(faults.seed + 1);
    for (int i = 0; i < trials; i++) {
        failing.failure = (enum failure)(i % FAILURES);
        failing.left = 1 + i / FAILURES;
        failing.room = is_full ? 60000 + chance_below(&chance, 200000) : 0;
        try_failure(is_full ? "full" : "calls", is_full ? fill_disk : fail_call);
    }
}
