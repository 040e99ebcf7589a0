/*
 * The matrix: a file of the store meets a fate, while a process is in a state, and that process does its next step.
 *
 *     {data.mdb, lock.mdb, xylem.lock, both lock files} x {removed ... older copy} x {states} x {read, write}
 *
 * Beside the process another process opens the store and appends. Of a lock file: the right answer, BUSY, or an error
 * that names the file. Of data.mdb: the right answer, or an error that names data.mdb. No acknowledged entry is lost,
 * no step waits longer than its limit and 400 ms, and SIGBUS ends a process only where a mapped file was truncated.
 * The commands `xylem watch` and `xylem import --follow` then end with one line and exit code 5.
 */
#include "tests/lib/test.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "xylem/append.h"
#include "xylem/wake.h"

#define WAIT_MS 300
#define LOOK_MS 120 /* readers look at the lock files every 100 ms */
#define LOOKS_MS 10
#define COMMAND_MS 20000 /* what a command must do at last; on a busy machine too */
#define COMMAND_LINES 2  /* of `xylem import --follow`, before there is news */
#define FIRST_ENTRIES 3

enum what { REMOVED, RENAMED, TRUNCATED, ZEROED, ONE_BIT, REPLACED, OLDER, WHAT_COUNT };
enum state { READS, READS_ON, WRITES, WAITS, WATCHES, COMMAND, STATE_COUNT };
static const char *const files[] = {"data.mdb", "lock.mdb", "xylem.lock", "both"};
static const char *const whats[] = {"removed", "renamed", "truncated", "zeroed", "one bit", "replaced", "older copy"};
static const char *const states[] = {
    "an idle reader", "a reader in a transaction", "an idle writer", "a waiting writer", "a watch", "a command"};

struct cell {
    int file;
    enum what what;
    enum state state;
    bool write; /* the next step */
    unsigned bit;
};

static struct answer {
    int code;
    uint64_t entries; /* that a reader sees */
    int64_t ms;       /* of the step */
    char text[XYLEM_ERROR_TEXT_BYTES];
} * answers; /* shared: of the subject, and of the other process */

enum { SUBJECT, OTHER, ANSWER_COUNT };

static char place[128];
static char path[160];
static char source_path[160]; /* the session file of the command, its output, and its errors */
static char out_path[160];
static char err_path[160];
static int steps[2][2]; /* pipes: the subject tells, the parent tells */
static uint64_t acknowledged;

static int make_place(void **state)
{
    (void)state;
    test_directory_make(place, sizeof place, "matrix");
    return 0;
}

static int remove_place(void **state)
{
    char command[256];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* --- Steps of processes ------------------------------------------------------------------------------------------ */

static struct xylem_store *open_store(bool read_only, struct xylem_error *err)
{
    struct xylem_store *store = NULL;
    struct xylem_open_options options = {
        .create = !read_only, .read_only = read_only, .durability = XYLEM_DURABILITY_NONE, .wait_ms = WAIT_MS};
    return xylem_open(&store, path, &options, err) < 0 ? NULL : store;
}

static int append_in(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session_options options = {.id = xylem_view_of("s")};
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of("note")}};
    struct xylem_session session;
    struct xylem_position first;
    int code = xylem_session_find(&session, txn, options.id, err);
    if (code == XYLEM_E_NOT_FOUND) {
        code = xylem_session_create(&session, txn, &options, err);
    }
    return code < 0 ? code : xylem_append(&first, txn, session.number, &entry, 1, NULL, err);
}

static int append(struct xylem_store *store, struct xylem_error *err)
{
    struct xylem_txn *txn = NULL;
    int code = xylem_begin(&txn, store, XYLEM_WRITE, err);
    if (code == XYLEM_OK && (code = append_in(txn, err)) < 0) {
        xylem_abort(txn);
        txn = NULL;
    }
    return code < 0 ? code : xylem_commit(txn, err);
}

static int count_in(uint64_t *entries, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session session;
    int code = xylem_session_find(&session, txn, xylem_view_of("s"), err);
    *entries = code == XYLEM_OK ? session.leaf.depth : 0;
    for (uint64_t depth = 1; code == XYLEM_OK && depth <= *entries; depth++) {
        struct xylem_entry entry;
        code = xylem_entry_read(&entry, txn, (struct xylem_position){session.leaf.branch, depth}, err);
    }
    return code;
}

static int count(uint64_t *entries, struct xylem_store *store, struct xylem_error *err)
{
    struct xylem_txn *txn = NULL;
    int code = xylem_begin(&txn, store, XYLEM_READ, err);
    if (code == XYLEM_OK) {
        code = count_in(entries, txn, err);
        xylem_abort(txn);
    }
    return code;
}

static void tell(int pipe)
{
    if (write(steps[pipe][1], "x", 1) != 1) {
        _exit(9);
    }
}

static void await(int pipe)
{
    char byte;
    if (read(steps[pipe][0], &byte, 1) != 1) {
        _exit(9);
    }
}

/*
 * The clock of a step, in milliseconds: the time without the time in which the process was ready and had no processor.
 * So a busy machine makes no step longer.
 */
static int64_t step_ms(void)
{
    struct timespec now;
    unsigned long long ran_ns = 0;
    unsigned long long queued_ns = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (!file || fscanf(file, "%llu %llu", &ran_ns, &queued_ns) != 2) {
        queued_ns = 0; /* a kernel that does not count */
    }
    if (file) {
        fclose(file);
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 - (int64_t)(queued_ns / 1000000);
}

/* Reads on with `xylem watch`, or writes on with `xylem import --follow`. */
static void be_command(const struct cell *cell)
{
    const char *program = getenv("XYLEM_BIN");
    program = program && *program ? program : "build/xylem";
    int out = open(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int err = open(err_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (out >= 0 && err >= 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2) {
        if (cell->write) {
            execl(program, program, "--store", path, "import", "--follow", source_path, (char *)NULL);
        } else {
            execl(program, program, "--store", path, "watch", "s", "--number", "1", (char *)NULL);
        }
    }
    _exit(8);
}

/* Enters the state, says so, and does the next step when told. */
static void be_subject(const struct cell *cell)
{
    if (cell->state == COMMAND) {
        be_command(cell);
    }
    struct xylem_error err = {0, ""};
    struct answer *answer = &answers[SUBJECT];
    struct xylem_txn *txn = NULL;
    struct xylem_wake *wake = NULL;
    struct xylem_store *store = open_store(cell->state == READS || cell->state == READS_ON, &err);
    int code = store ? XYLEM_OK : err.code;
    if (code == XYLEM_OK && cell->state == READS_ON) {
        code = xylem_begin(&txn, store, XYLEM_READ, &err);
    } else if (code == XYLEM_OK && cell->state == WATCHES) {
        code = xylem_wake_new(&wake, store, &err);
    }
    if (code < 0) {
        _exit(8);
    }
    tell(0);
    if (cell->state != WAITS) {
        await(1);
    }
    int64_t begun_ms = step_ms();
    code = wake ? xylem_wake_take(wake, &err) : XYLEM_OK;
    if (code >= 0 && txn) {
        code = count_in(&answer->entries, txn, &err);
        xylem_abort(txn);
    } else if (code >= 0 && cell->write) {
        code = append(store, &err);
    } else if (code >= 0) {
        code = count(&answer->entries, store, &err);
    }
    snprintf(answer->text, sizeof answer->text, "%s", err.text);
    answer->code = code;
    answer->ms = step_ms() - begun_ms;
    _exit(0);
}

static void be_other(void)
{
    struct xylem_error err = {0, ""};
    int64_t begun_ms = step_ms();
    struct xylem_store *store = open_store(false, &err);
    answers[OTHER].code = store ? append(store, &err) : err.code;
    answers[OTHER].ms = step_ms() - begun_ms;
    snprintf(answers[OTHER].text, sizeof answers[OTHER].text, "%s", err.text);
    _exit(0);
}

/* Holds the lock of writers for a while. */
static void be_holder(void)
{
    struct xylem_error err = {0, ""};
    struct xylem_txn *txn = NULL;
    struct xylem_store *store = open_store(false, &err);
    if (!store || xylem_begin(&txn, store, XYLEM_WRITE, &err) < 0) {
        _exit(8);
    }
    tell(0);
    await(1);
    xylem_abort(txn);
    _exit(0);
}

/* --- Fates ------------------------------------------------------------------------------------------------------- */

static void run(const char *format, const char *file)
{
    char command[900];
    setenv("F", file, 1);
    snprintf(command, sizeof command, "%s", format);
    assert_int_equal(system(command), 0);
}

static void flip(const char *file, unsigned bit)
{
    unsigned char byte;
    int fd = open(file, O_RDWR | O_CLOEXEC);
    off_t at = (off_t)(bit / 8);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= (unsigned char)(1u << bit % 8);
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

static void overwrite(const char *file, bool zeros)
{
    char kept[300];
    static char bytes[1 << 20];
    snprintf(kept, sizeof kept, "%s.kept", file);
    struct stat status;
    assert_int_equal(stat(file, &status), 0);
    memset(bytes, 0, sizeof bytes);
    size_t length = (size_t)status.st_size < sizeof bytes ? (size_t)status.st_size : sizeof bytes;
    int from = zeros ? -1 : open(kept, O_RDONLY | O_CLOEXEC);
    if (from >= 0) {
        length = (size_t)read(from, bytes, length);
        close(from);
    }
    int fd = open(file, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, bytes, length, 0), (ssize_t)length);
    close(fd);
}

static void strike(const struct cell *cell)
{
    for (int i = 0; i < 3; i++) {
        char file[256];
        if (i != cell->file && (cell->file != 3 || i == 0)) {
            continue;
        }
        snprintf(file, sizeof file, "%s/%s", path, files[i]);
        switch (cell->what) {
        case REMOVED:
            run("rm \"$F\"", file);
            break;
        case RENAMED:
            run("mv \"$F\" \"$F.away\"", file);
            break;
        case TRUNCATED:
            run("truncate -s 0 \"$F\"", file);
            break;
        case ZEROED:
            overwrite(file, true);
            break;
        case ONE_BIT:
            flip(file, cell->bit);
            break;
        case REPLACED:
            run("cp \"$F\" \"$F.new\" && mv \"$F.new\" \"$F\"", file);
            break;
        default:
            overwrite(file, false);
            break;
        }
    }
}

/* --- A cell ------------------------------------------------------------------------------------------------------ */

static pid_t start(const struct cell *cell, void (*other)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static const int faults[] = {SIGBUS, SIGSEGV, SIGILL, SIGFPE};
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
            signal(faults[i], SIG_DFL);
        }
        alarm(30); /* who waits for ever */
        if (other) {
            other();
        }
        be_subject(cell);
    }
    return child;
}

static unsigned failed;

static void fail_cell(const struct cell *cell, const char *who, int status, const struct answer *answer)
{
    failed++;
    print_message("%s %s (bit %u), %s, next %s: %s: status %#x, code %d, %" PRId64 " ms, %" PRIu64
                  " entries of %" PRIu64 ": %s\n",
                  files[cell->file], whats[cell->what], cell->bit, states[cell->state], cell->write ? "write" : "read",
                  who, (unsigned)status, answer->code, answer->ms, answer->entries, acknowledged, answer->text);
}

static void judge_answer(const struct cell *cell, const char *who, int status, const struct answer *answer)
{
    bool names = cell->file == 0 ? strstr(answer->text, "data.mdb") || strstr(answer->text, "another store") ||
                                       strstr(answer->text, "the store in") || strstr(answer->text, "no store in") ||
                                       (cell->state == WAITS && answer->code == XYLEM_E_BUSY)
                                 : answer->code == XYLEM_E_BUSY || strstr(answer->text, "lock.mdb") ||
                                       strstr(answer->text, "xylem.lock");
    uint64_t right = cell->state == READS_ON ? FIRST_ENTRIES : acknowledged;
    bool wrong = answer->code >= 0 && answer->entries > 0 && answer->entries != right;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || (answer->code < 0 && !names) || wrong ||
        answer->ms > WAIT_MS + 400) {
        fail_cell(cell, who, status, answer);
    }
}

static void judge(const struct cell *cell, const char *who, pid_t pid, const struct answer *answer)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    bool faulted = WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS;
    bool may_fault = cell->what == TRUNCATED && (cell->file == 0 || cell->state == WAITS || cell->state == READS_ON);
    if (!faulted || !may_fault) {
        judge_answer(cell, who, status, answer);
    }
}

/* --- The command -------------------------------------------------------------------------------------------------- */

static void read_text(char text[XYLEM_ERROR_TEXT_BYTES], const char *from)
{
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    ssize_t bytes = fd < 0 ? 0 : read(fd, text, 399);
    text[bytes > 0 ? bytes : 0] = '\0';
    close(fd);
}

static void add_message(const char *parent, unsigned number)
{
    FILE *file = fopen(source_path, number == 1 ? "w" : "a");
    assert_non_null(file);
    if (number == 1) {
        fputs("{\"type\":\"session\",\"version\":3,\"id\":\"f\",\"timestamp\":\"2026-11-20T17:18:05.000Z\",\"cwd\":\"/"
              "\"}\n",
              file);
    }
    fprintf(file,
            "{\"type\":\"message\",\"id\":\"aaaa000%u\",\"parentId\":%s,\"timestamp\":\"2026-11-20T17:18:05.000Z\","
            "\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n",
            number, parent);
    assert_int_equal(fclose(file), 0);
}

/* True if the command printed so many lines within the time, or ended. */
static bool await_command(pid_t command, unsigned lines, int ms)
{
    char text[XYLEM_ERROR_TEXT_BYTES] = "";
    siginfo_t info = {.si_pid = 0};
    unsigned printed = 0;
    for (; ms >= 0 && info.si_pid == 0 && printed < lines; ms -= LOOKS_MS) {
        nap_ms(LOOKS_MS);
        read_text(text, out_path);
        printed = 0;
        for (const char *at = text; (at = strchr(at, '\n')); at++) {
            printed++;
        }
        assert_int_equal(waitid(P_PID, (id_t)command, &info, WEXITED | WNOHANG | WNOWAIT), 0);
    }
    return ms >= 0;
}

/*
 * The next step of the command. A watch has nothing to see where the other process was refused. Exit code 5 with one
 * line is the end by SIGBUS.
 */
static void judge_command(const struct cell *cell, pid_t command)
{
    int status = 0;
    struct answer *answer = &answers[SUBJECT];
    bool must_end = cell->write || answers[OTHER].code == XYLEM_OK;
    if (cell->write) {
        add_message("\"aaaa0001\"", 2);
    }
    bool done = await_command(command, cell->write ? COMMAND_LINES + 1 : UINT_MAX, must_end ? COMMAND_MS : LOOK_MS);
    kill(command, SIGTERM);
    assert_int_equal(waitpid(command, &status, 0), command);
    read_text(answer->text, err_path);
    if (cell->file == 0 && strstr(answer->text, " is a new xylem store\n")) {
        *answer->text = '\0'; /* the command was faster than the other process, which makes a store, too */
    }
    bool faulted = WIFEXITED(status) && WEXITSTATUS(status) == 5 && strstr(answer->text, "SIGBUS");
    if (faulted && cell->what == TRUNCATED && strchr(answer->text, '\n')[1] == '\0') {
        return;
    }
    answer->code = *answer->text == '\0' ? XYLEM_OK : WIFEXITED(status) && WEXITSTATUS(status) == 4 ? XYLEM_E_BUSY : -1;
    judge_answer(cell, "the command", (must_end && !done) || faulted ? status | 1 : 0, answer);
}

static void prepare(void)
{
    struct xylem_error err = {0, ""};
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
    struct xylem_store *store = open_store(false, &err);
    assert_non_null(store);
    for (int i = 0; i < FIRST_ENTRIES; i++) {
        assert_int_equal(append(store, &err), XYLEM_OK);
        if (i == FIRST_ENTRIES - 2) { /* the older copies tell of one commit less */
            run("for f in data.mdb lock.mdb xylem.lock; do cp \"$F/$f\" \"$F/$f.kept\"; done", path);
        }
    }
    assert_int_equal(xylem_close(store, &err), XYLEM_OK);
    acknowledged = FIRST_ENTRIES;
    unlink(out_path); /* of the last command */
    memset(answers, 0, sizeof *answers * ANSWER_COUNT);
}

static void run_cell(const struct cell *cell)
{
    struct xylem_error err = {0, ""};
    prepare();
    pid_t holder = 0;
    if (cell->state == WAITS) {
        holder = start(cell, be_holder);
        await(0);
    }
    add_message("null", 1);
    pid_t subject = start(cell, NULL);
    if (cell->state == COMMAND) {
        assert_true(await_command(subject, cell->write ? COMMAND_LINES : FIRST_ENTRIES, COMMAND_MS));
    } else {
        await(0);
    }
    nap_ms(cell->state == WAITS ? 20 : 1);
    strike(cell);
    if (cell->state != WAITS) {
        nap_ms(LOOK_MS);
        pid_t other = start(cell, be_other);
        judge(cell, "another process", other, &answers[OTHER]);
        acknowledged += answers[OTHER].code == XYLEM_OK;
    }
    if (cell->state == COMMAND) {
        judge_command(cell, subject);
    } else {
        if (cell->state != WAITS) {
            tell(1);
        }
        judge(cell, "the process", subject, &answers[SUBJECT]);
        acknowledged += cell->write && answers[SUBJECT].code == XYLEM_OK;
    }
    if (holder != 0) {
        tell(1);
        assert_int_equal(waitpid(holder, NULL, 0), holder);
    }
    if (cell->file > 0) { /* nobody has the store open: all is there, whatever the lock files hold */
        uint64_t entries = 0;
        struct xylem_store *store = open_store(false, &err);
        if (!store || count(&entries, store, &err) < 0 || entries != acknowledged || xylem_close(store, &err) < 0) {
            failed++;
            print_message("%s %s (bit %u), %s: %" PRIu64 " of %" PRIu64 " acknowledged entries are there: %s\n",
                          files[cell->file], whats[cell->what], cell->bit, states[cell->state], entries, acknowledged,
                          err.text);
        }
    }
}

/* The first 192 bytes of lock.mdb have the mutexes, the number of the newest commit, and the first reader. */
static unsigned bit_of(int file, unsigned draw)
{
    return file == 0 ? 4096 * 2 * 8 + draw * 7919 % (4096 * 8 * 6) : draw * 13 % (192 * 8);
}

TEST_WITH(whatever_happens_to_a_file_the_answer_is_right_or_names_the_file, make_place, remove_place)
{
    bool whole = !getenv("XYLEM_SHORT");
    const char *row = getenv("XYLEM_ROW"); /* 0 to 27: only this row of a file and a fate */
    unsigned cells = 0;
    int shared = memfd_create("answers", MFD_CLOEXEC);
    assert_int_equal(ftruncate(shared, (off_t)(sizeof *answers * ANSWER_COUNT)), 0);
    answers = mmap(NULL, sizeof *answers * ANSWER_COUNT, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    assert_true(answers != MAP_FAILED);
    assert_int_equal(pipe2(steps[0], O_CLOEXEC), 0);
    assert_int_equal(pipe2(steps[1], O_CLOEXEC), 0);
    snprintf(path, sizeof path, "%s/store", place);
    snprintf(source_path, sizeof source_path, "%s/f.jsonl", place);
    snprintf(out_path, sizeof out_path, "%s/out", place);
    snprintf(err_path, sizeof err_path, "%s/err", place);
    for (unsigned file = 0; file < 4; file++) {
        for (unsigned what = 0; what < WHAT_COUNT; what++) {
            for (unsigned each = 0; each < STATE_COUNT * 2; each++) {
                if (row && strtoul(row, NULL, 10) != file * WHAT_COUNT + what) {
                    continue;
                }
                unsigned bits = what == ONE_BIT && whole ? 8 : 1;
                for (unsigned i = 0; i < bits; i++) {
                    struct cell cell = {(int)file, (enum what)what, (enum state)(each / 2), each % 2 == 1,
                                        bit_of((int)file, cells)};
                    /* A reader does not write, a waiting writer does. */
                    if ((cell.write && cell.state <= READS_ON) || (!cell.write && cell.state == WAITS) ||
                        (!whole && each != (file * WHAT_COUNT + what) % (STATE_COUNT * 2))) {
                        continue;
                    }
                    run_cell(&cell);
                    cells++;
                }
            }
        }
    }
    print_message("%u cells, %u failed\n", cells, failed);
    assert_int_equal(failed, 0);
    munmap(answers, sizeof *answers * ANSWER_COUNT);
    close(shared);
    for (int i = 0; i < 4; i++) {
        close(steps[i / 2][i % 2]);
    }
}
