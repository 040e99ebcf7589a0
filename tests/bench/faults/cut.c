/* The faults for which every call that changes a file is watched: power cuts, failing calls, a full disk. */
#include "tests/bench/faults/faults.h"
#include "tests/crash/disk.h"

#include <sys/wait.h>

enum { CUTS = 40, STEPS = 24, FAILING_CALLS = 40, FULL_STEPS = 6 };

/* SQLite is built for large files, whose calls have names of their own. The same functions serve both. */
CALLS_SEEN int open64(const char *path, int flags, ...) __attribute__((alias("open")));
CALLS_SEEN ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset) __attribute__((alias("pwrite")));
CALLS_SEEN int ftruncate64(int fd, off64_t length) __attribute__((alias("ftruncate")));

/* --- Power ---------------------------------------------------------------------------------------------------------- */

static struct faults_ack marked[4 * STEPS];
static int marked_count;

static void note_entry(void *context, const struct faults_read *entry)
{
    (void)entry;
    ++*(int *)context;
}

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
        handles[i] = faults.peer->open(faults.peer, faults.store);
        faults_must(handles[i] != NULL, "a store could not be made for the record");
    }
    for (int i = 0; i < 2 * STEPS; i++) {
        int writer = chance_below(&chance, FAULTS_WRITERS);
        faults_next(&step, &writers[writer]);
        if (faults_do(handles[writer], &step) == 0) {
            marked[marked_count] = (struct faults_ack){step.writer, step.session, step.number};
            disk_mark((uint64_t)marked_count++);
        }
        int read = 0;
        if (i % 16 == 15) {
            faults_must(faults.peer->read(faults.peer, faults.store, note_entry, &read) == 0,
                        "the reader beside failed");
        }
    }
    disk_stop();
    for (int i = 0; i < FAULTS_WRITERS; i++) {
        faults.peer->close(handles[i]);
    }
    faults_checkpoints = false;
}

static void acked_before(struct faults_acked *acked, size_t at)
{
    memset(acked, 0, sizeof *acked);
    for (size_t i = 0; i < at; i++) {
        if (disk.events[i].type == DISK_MARK) {
            faults_ack_take(acked, &marked[disk.events[i].mark]);
        }
    }
}

void faults_power(void)
{
    static struct faults_acked acked;
    struct faults_row row;
    char built[200];
    struct chance chance = chance_of(faults.seed);
    int states = faults_scaled(2000);
    snprintf(built, sizeof built, "%s/built", faults.place);
    faults_row_begin(&row, "power", faults.peer->promises_power, states);
    for (int i = 0; i < states; i++) {
        if (i % CUTS == 0) {
            record(faults.seed * 1000 + (uint64_t)(i / CUTS));
        }
        struct disk_cut cut = {(size_t)chance_below(&chance, (int)disk.count + 1),
                               (enum disk_loss)chance_below(&chance, DISK_LOSS_COUNT), chance_draw(&chance)};
        faults_fresh(built);
        faults_must(disk_build(built, &cut), "a state could not be built");
        acked_before(&acked, cut.at);
        faults_look(&row, built, &acked);
    }
    disk_forget();
    faults_row_end(&row);
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

static void *open_again(void)
{
    void *handle = faults.peer->open(faults.peer, faults.store);
    return handle ? handle : faults.peer->open(faults.peer, faults.store);
}

/* As a host that says what failed, and goes on with the next entry. */
static void work_on(bool is_full, int ack_fd)
{
    struct faults_writer writers[FAULTS_WRITERS] = {{.writer = 0, .session = 0, .bytes = 3000},
                                                    {.writer = 1, .session = 1, .bytes = 3000}};
    void *handle = open_again();
    failing.ack_fd = ack_fd;
    for (int i = 0; handle && i < 2; i++) {
        faults_work(handle, &writers[i % 2], 3, ack_fd);
    }
    for (int i = 0; handle && is_full && failing.room > 0 && i < 1000; i++) {
        faults_work(handle, &writers[i % 2], 1, ack_fd);
    }
    for (int i = 0; handle && is_full && i < 2; i++) {
        faults_work(handle, &writers[i], FULL_STEPS, ack_fd);
    }
    if (is_full) {
        calls_before = NULL; /* room was made */
    }
    for (int i = 0; handle && i < 2; i++) {
        faults_work(handle, &writers[i], FULL_STEPS, ack_fd);
    }
    if (handle) {
        faults.peer->close(handle);
    }
}

static void try_failure(struct faults_row *row, bool is_full)
{
    static struct faults_acked acked;
    struct faults_ack ack;
    int ends[2];
    faults_must(pipe(ends) == 0, "no pipe");
    faults_fresh(faults.store);
    memset(&acked, 0, sizeof acked);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        calls_before = is_full ? fill_disk : fail_call;
        work_on(is_full, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    while (read(ends[0], &ack, sizeof ack) == sizeof ack) {
        faults_ack_take(&acked, &ack);
    }
    close(ends[0]);
    waitpid(child, NULL, 0);
    faults_look(row, faults.store, &acked);
}

void faults_calls(void)
{
    struct faults_row row;
    int calls = faults_scaled(FAILING_CALLS);
    faults_row_begin(&row, "calls", faults.peer->promises_failure, calls * FAILURES);
    for (int i = 0; i < calls * FAILURES; i++) {
        failing.failure = (enum failure)(i % FAILURES);
        failing.left = 1 + i / FAILURES;
        try_failure(&row, false);
    }
    faults_row_end(&row);
}

void faults_full(void)
{
    struct faults_row row;
    struct chance chance = chance_of(faults.seed + 1);
    int trials = faults_scaled(100);
    faults_row_begin(&row, "full", faults.peer->promises_failure, trials);
    for (int i = 0; i < trials; i++) {
        failing.room = 60000 + chance_below(&chance, 200000);
        try_failure(&row, true);
    }
    faults_row_end(&row);
}
