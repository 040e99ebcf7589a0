/*
 * The same faults for every way to keep a session. `make proof` runs this for each peer and writes docs/proof.md.
 *
 *     faults --list                 the peers, with what they promise
 *     faults PEER FAULT ...         a line for each fault: kill, power, full, calls, bit, tail, two, size
 *     faults PEER store DIRECTORY   makes an undamaged store, and prints the texts that the peer reads there
 *     faults PEER count DIRECTORY   what the reader of a peer finds there: entries, and what is wrong or unreachable
 *
 * FAULTS_SEED repeats a run, FAULTS_SCALE gives its size in thousandths.
 */
#include "tests/bench/faults/faults.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS_OF_A_STORE = 10,
    TRIALS_OF_A_STORE = 50,
    STEPS_OF_A_PLAN = 300,
    STEPS_BESIDE = 15,
    STEPS_UNDAMAGED = 120,
    STEPS_OF_TWO = 100
};
enum { SIZE_ENTRIES = 28000, SIZE_BYTES = 4000, NEVER_MS = -1 };

struct faults_setting faults;

int faults_scaled(int count)
{
    int scaled = (int)((long)count * faults.scale / 1000);
    return scaled > 0 ? scaled : 1;
}

void faults_must(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "faults: %s: %s\n", faults.peer ? faults.peer->name : "-", what);
        exit(1);
    }
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

void faults_fresh(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    faults_must(mkdir(path, 0700) == 0, "a directory cannot be made");
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* --- Looking at what a fault left ----------------------------------------------------------------------------------- */

/* Shared with the child that looks, which may die of what it finds. */
struct finding {
    bool read; /* the peer's reader came to an end */
    bool refused;
    bool said;
    bool appended;
    struct faults_counts counts;
    double ms;
};
static struct finding *finding;

static int read_all(const char *directory, const struct faults_acked *acked)
{
    struct faults_reading *reading = faults_reading_new();
    int code = faults.peer->read(faults.peer, directory, faults_reading_add, reading);
    faults_reading_count(&finding->counts, reading, acked);
    faults_reading_free(reading);
    return code;
}

static int late_number = 1; /* no two are alike; an answer comes next, which no peer holds back */

/* A text that nobody else writes: what a host appends after the fault. */
static int append_late(const char *directory)
{
    struct faults_writer writer = {.writer = FAULTS_LATER, .number = late_number, .shares = true, .bytes = 100};
    struct faults_step step;
    void *handle = faults.peer->open(faults.peer, directory);
    faults_next(&step, &writer);
    int code = handle ? faults.peer->append(handle, 0, faults_role(step.number), step.text) : -1;
    if (handle && code == 0) {
        faults.peer->close(handle);
    }
    return code;
}

static int repair(const char *directory, char repaired[FAULTS_PATH + 20], const struct faults_acked *acked)
{
    snprintf(repaired, FAULTS_PATH + 20, "%s.repaired", directory);
    faults_fresh(repaired);
    int code = faults.peer->repair(directory, repaired);
    return code < 0 ? code : read_all(repaired, acked);
}

/* As a host would: reads, lets the peer repair what the peer says is damaged, and appends. */
static void look_here(const char *directory, const struct faults_acked *acked, bool reads)
{
    char usable[FAULTS_PATH + 20];
    double begin = now_ms();
    int code = reads ? read_all(directory, acked) : -1;
    bool damaged = code < 0;
    finding->read = true;
    finding->refused = damaged && (!reads || finding->counts.seen == 0);
    finding->said = finding->said || (reads && damaged);
    snprintf(usable, sizeof usable, "%s", directory);
    if (damaged && faults.peer->repair) {
        repair(directory, usable, acked);
    }
    code = append_late(usable);
    if (code < 0 && !damaged && faults.peer->repair) {
        finding->said = true;
        repair(directory, usable, acked);
        code = append_late(usable);
    }
    finding->ms = now_ms() - begin;
    finding->appended = code == 0;
    if (!damaged && faults.peer->check && faults.peer->check(faults.peer, directory) < 0) {
        finding->said = true;
    }
}

static void look_apart(const char *directory, const struct faults_acked *acked, bool reads)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(120);
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDERR_FILENO); /* LMDB's assertions */
        look_here(directory, acked, reads);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void count_finding(struct faults_row *row, const struct faults_acked *acked)
{
    const struct faults_counts *counts = &finding->counts;
    bool aside = row->counts_aside && counts->aside > 0;
    bool hurt = counts->lost + counts->wrong + counts->unreachable > 0 || aside || finding->refused || finding->said;
    row->ms[row->trials++] = finding->appended ? finding->ms : NEVER_MS;
    row->acked += acked->count;
    row->counts.lost += counts->lost;
    row->counts.wrong += counts->wrong;
    row->counts.unreachable += counts->unreachable;
    row->counts.aside += counts->aside;
    row->lost_trials += counts->lost > 0;
    row->refused += finding->refused;
    row->never += !finding->appended;
    row->hurt += hurt;
    row->said += hurt && finding->said;
}

/* A process that dies while it looks has told nobody anything; the next one begins with a repair. */
void faults_look(struct faults_row *row, const char *directory, const struct faults_acked *acked)
{
    memset(finding, 0, sizeof *finding);
    finding->counts.lost = acked->count;
    late_number += 2;
    look_apart(directory, acked, true);
    if (!finding->read) {
        look_apart(directory, acked, false);
    }
    count_finding(row, acked);
}

/* --- Rows ----------------------------------------------------------------------------------------------------------- */

void faults_row_begin(struct faults_row *row, const char *fault, const char *promises, int trials)
{
    *row = (struct faults_row){.fault = fault, .promises = promises};
    row->ms = calloc((size_t)trials, sizeof *row->ms);
}

static int by_time(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;
    return difference < 0 ? -1 : difference > 0;
}

void faults_row_end(struct faults_row *row)
{
    qsort(row->ms, (size_t)row->trials, sizeof *row->ms, by_time);
    int usable = row->trials - row->never;
    printf("row\t%s\t%s\t%s\t%s\t%d\t%d\t%ld\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.2f\t%d\t%d\n", row->fault,
           faults.peer->name, faults.peer->label, row->promises, faults.peer->is_control, row->trials, row->acked,
           row->counts.lost, row->lost_trials, row->counts.wrong, row->counts.unreachable, row->counts.aside,
           row->refused, row->hurt, row->said, usable > 0 ? row->ms[row->never + usable / 2] : 0.0, row->never,
           row->first_append_us);
    fflush(stdout);
    free(row->ms);
}

/* --- Writers -------------------------------------------------------------------------------------------------------- */

static bool leaves_open; /* a writer ends without closing: the log of SQLite stays beside the database */
/* After its first step a writer waits for this file, so that two write at once; empty: nobody waits. */
static char go_path[220];

void faults_ack_take(struct faults_acked *acked, const struct faults_ack *ack)
{
    if (ack->number > 0 && ack->number < FAULTS_NUMBERS && ack->writer < FAULTS_WRITERS) {
        acked->count += !acked->entries[ack->writer][ack->number];
        acked->entries[ack->writer][ack->number] = true;
    }
}

int faults_do(void *handle, const struct faults_step *step)
{
    return step->number == 0 ? faults.peer->fork(handle, step->writer, step->session)
                             : faults.peer->append(handle, step->session, faults_role(step->number), step->text);
}

void faults_work(void *handle, struct faults_writer *writer, int count, int ack_fd)
{
    struct faults_step step;
    for (int i = 0; i < count; i++) {
        faults_next(&step, writer);
        struct faults_ack ack = {step.writer, step.session, step.number};
        if (faults_do(handle, &step) == 0 && write(ack_fd, &ack, sizeof ack) != sizeof ack) {
            _exit(1);
        }
        while (i == 0 && go_path[0] && access(go_path, F_OK) != 0) {
        }
    }
}

/* The steps as a file, for a peer whose writers are other programs. */
static void plan(const char *path, struct faults_writer writer, int count)
{
    struct faults_step step;
    FILE *file = fopen(path, "w");
    faults_must(file != NULL, "a plan cannot be written");
    for (int i = 0; i < count; i++) {
        faults_next(&step, &writer);
        if (step.number == 0) {
            fprintf(file, "f %d %d 0 %d\n", writer.session, step.session, writer.writer);
        } else {
            fprintf(file, "a %d %d %d %s %s\n", step.session, step.number, writer.writer, faults_role(step.number),
                    step.text);
        }
        if (i == 0 && go_path[0]) {
            fprintf(file, "w %s\n", go_path);
        }
    }
    fclose(file);
}

static void work_elsewhere(const struct faults_writer *writer, int count, int ack_fd)
{
    char path[FAULTS_PATH + 20];
    char command[4 * FAULTS_PATH];
    snprintf(path, sizeof path, "%s/plan%d", faults.place, writer->writer);
    plan(path, *writer, count);
    snprintf(command, sizeof command, "exec %s write '%s' '%s' %d", getenv("FAULTS_PI"), faults.store, path, ack_fd);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static pid_t start_writer(const struct faults_writer *writer, int count, const int ends[2])
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct faults_writer own = *writer;
        close(ends[0]);
        if (faults.peer->worker) {
            work_elsewhere(&own, count, ends[1]);
        }
        void *handle = faults.peer->open(faults.peer, faults.store);
        if (!handle) {
            _exit(1);
        }
        faults_work(handle, &own, count, ends[1]);
        if (!leaves_open) {
            faults.peer->close(handle);
        }
        _exit(0);
    }
    return child;
}

/* What the writer knows when it goes on: the number behind the last one may be in use, as its acknowledgement was lost. */
static bool take_ack(int fd, struct faults_writer *writers, struct faults_acked *acked, struct faults_ack *ack)
{
    if (read(fd, ack, sizeof *ack) != sizeof *ack) {
        return false;
    }
    struct faults_writer *writer = &writers[ack->writer];
    faults_ack_take(acked, ack);
    writer->number = ack->number > writer->number ? ack->number : writer->number;
    writer->last[ack->session] = ack->number > 0 ? ack->number : writer->last[writer->session];
    return true;
}

/* Runs writers to their end. */
static void run_writers(struct faults_writer *writers, int count, int steps, struct faults_acked *acked)
{
    int ends[2];
    int status = 0;
    struct faults_ack ack;
    pid_t children[FAULTS_WRITERS];
    faults_must(pipe(ends) == 0, "no pipe");
    for (int i = 0; i < count; i++) {
        children[i] = start_writer(&writers[i], steps, ends);
    }
    close(ends[1]);
    for (int i = 1; take_ack(ends[0], writers, acked, &ack); i++) {
        if (i == count && go_path[0]) {
            close(open(go_path, O_WRONLY | O_CREAT, 0600));
        }
    }
    close(ends[0]);
    for (int i = 0; i < count; i++) {
        waitpid(children[i], &status, 0);
        faults_must(status == 0, "a writer failed without a fault");
    }
}

static void writers_begin(struct faults_writer *writers, struct faults_acked *acked)
{
    memset(acked, 0, sizeof *acked);
    faults_fresh(faults.store);
    for (int i = 0; i < FAULTS_WRITERS; i++) {
        writers[i] = (struct faults_writer){
            .writer = i, .session = i, .forks = faults.peer->fork || faults.peer->worker, .bytes = 600};
    }
}

/* Reads once while others write: nothing of what is read may be wrong. What is acknowledged meanwhile does not count. */
static pid_t start_reader(unsigned after_us)
{
    fflush(NULL);
    pid_t child = faults.peer->worker ? -1 : fork();
    if (child == 0) {
        usleep(after_us);
        read_all(faults.store, NULL);
        _exit(0);
    }
    return child;
}

static void end_reader(struct faults_row *row, pid_t reader)
{
    if (reader > 0) {
        waitpid(reader, NULL, 0);
        row->counts.wrong += finding->counts.wrong;
        row->counts.unreachable += finding->counts.unreachable;
        row->hurt += finding->counts.wrong + finding->counts.unreachable > 0;
    }
}

/* --- Faults --------------------------------------------------------------------------------------------------------- */

/* One of two writers is killed after so many acknowledgements and some microseconds; the other ends its work. */
static void kill_one(struct faults_row *row, struct faults_writer *writers, struct faults_acked *acked,
                     struct chance *chance)
{
    int ends[2];
    struct faults_ack ack;
    pid_t children[FAULTS_WRITERS];
    faults_must(pipe(ends) == 0, "no pipe");
    for (int i = 0; i < FAULTS_WRITERS; i++) {
        writers[i].number += writers[i].number > 0;
        children[i] = start_writer(&writers[i], i == 0 ? STEPS_OF_A_PLAN : STEPS_BESIDE, ends);
    }
    close(ends[1]);
    memset(finding, 0, sizeof *finding);
    pid_t reader = start_reader((unsigned)chance_below(chance, 3000));
    for (int left = chance_below(chance, 20); left > 0 && take_ack(ends[0], writers, acked, &ack);) {
        left -= ack.writer == 0;
    }
    usleep((unsigned)chance_below(chance, 1500));
    kill(children[0], SIGKILL);
    while (take_ack(ends[0], writers, acked, &ack)) {
    }
    close(ends[0]);
    for (int i = 0; i < FAULTS_WRITERS; i++) {
        waitpid(children[i], NULL, 0);
    }
    end_reader(row, reader);
}

static void fault_kill(void)
{
    static struct faults_acked acked;
    struct faults_writer writers[FAULTS_WRITERS];
    struct faults_row row;
    struct chance chance = chance_of(faults.seed + 2);
    int kills = faults_scaled(faults.peer->worker ? 100 : 1000);
    int rounds = 0; /* that the store still serves */
    faults_row_begin(&row, "kill", faults.peer->promises_kill, kills);
    for (int i = 0; i < kills; i++) {
        if (i == 0 || rounds-- == 0) {
            writers_begin(writers, &acked);
            rounds = ROUNDS_OF_A_STORE - 1;
        }
        kill_one(&row, writers, &acked, &chance);
        int before = row.hurt;
        faults_look(&row, faults.store, &acked);
        rounds = row.hurt > before ? 0 : rounds; /* what was lost is lost once */
    }
    faults_row_end(&row);
}

static struct {
    char paths[16][FAULTS_PATH];
    long bytes[16];
    int count;
    long all;
} files;

/* Lock files have no content. */
static int note_file(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)place;
    const char *ends[] = {"lock.mdb", "xylem.lock", "-shm"};
    for (size_t i = 0; i < 3; i++) {
        size_t bytes = strlen(ends[i]);
        type = strlen(path) > bytes && strcmp(path + strlen(path) - bytes, ends[i]) == 0 ? FTW_NS : type;
    }
    if (type == FTW_F && status->st_size > 0 && files.count < 16) {
        snprintf(files.paths[files.count], FAULTS_PATH, "%s", path);
        files.all += files.bytes[files.count++] = status->st_size;
    }
    return 0;
}

static void damage(struct chance *chance, bool is_cut)
{
    long at = (long)(chance_draw(chance) % (uint64_t)files.all);
    int file = 0;
    while (at >= files.bytes[file]) {
        at -= files.bytes[file++];
    }
    int fd = open(files.paths[file], O_RDWR);
    char byte = 0;
    bool done;
    if (is_cut) {
        done = ftruncate(fd, files.bytes[file] - 1 - chance_below(chance, (int)(files.bytes[file] / 4 + 1))) == 0;
    } else {
        done = pread(fd, &byte, 1, at) == 1;
        byte = (char)(byte ^ (1 << chance_below(chance, 8)));
        done = done && pwrite(fd, &byte, 1, at) == 1;
    }
    close(fd);
    faults_must(done, "a file could not be damaged");
}

/* A store without damage, to be copied: closed, or as a writer that died leaves it. */
static void keep_store(struct faults_acked *acked, bool closed)
{
    char command[4 * FAULTS_PATH];
    struct faults_writer writers[FAULTS_WRITERS];
    writers_begin(writers, acked);
    leaves_open = !closed;
    run_writers(writers, FAULTS_WRITERS, STEPS_UNDAMAGED, acked);
    leaves_open = false;
    snprintf(command, sizeof command, "rm -rf '%s.kept' && mv '%s' '%s.kept'", faults.store, faults.store,
             faults.store);
    faults_must(system(command) == 0, "the undamaged store could not be kept");
}

static void fault_damage(const char *fault, int count, bool is_cut)
{
    static struct faults_acked acked;
    struct faults_row row;
    struct chance chance = chance_of(faults.seed + 3 + is_cut);
    char command[4 * FAULTS_PATH];
    int trials = faults_scaled(count);
    faults_row_begin(&row, fault, faults.peer->promises_damage, trials);
    for (int i = 0; i < trials; i++) {
        if (i % TRIALS_OF_A_STORE == 0) {
            keep_store(&acked, i / TRIALS_OF_A_STORE % 2 == 0);
        }
        snprintf(command, sizeof command, "rm -rf '%s' && cp -r '%s.kept' '%s'", faults.store, faults.store,
                 faults.store);
        faults_must(system(command) == 0, "the undamaged store could not be copied");
        memset(&files, 0, sizeof files);
        nftw(faults.store, note_file, 16, FTW_PHYS);
        damage(&chance, is_cut);
        faults_look(&row, faults.store, &acked);
    }
    faults_row_end(&row);
}

static void fault_two(void)
{
    static struct faults_acked acked;
    struct faults_writer writers[FAULTS_WRITERS];
    struct faults_row row;
    int rounds = faults_scaled(20);
    faults_row_begin(&row, "two", faults.peer->promises_kill, rounds);
    row.counts_aside = true;
    for (int i = 0; i < rounds; i++) {
        writers_begin(writers, &acked);
        for (int j = 0; j < FAULTS_WRITERS; j++) {
            writers[j] = (struct faults_writer){.writer = j, .shares = true, .bytes = 600};
        }
        run_writers(writers, 1, 2, &acked);
        snprintf(go_path, sizeof go_path, "%s/go", faults.place);
        memset(finding, 0, sizeof *finding);
        pid_t reader = start_reader(4000);
        run_writers(writers, FAULTS_WRITERS, STEPS_OF_TWO, &acked);
        remove(go_path);
        go_path[0] = '\0';
        end_reader(&row, reader);
        faults_look(&row, faults.store, &acked);
    }
    faults_row_end(&row);
}

/* A store of 100 MB in one session, whose writer is killed. */
static void fault_size(void)
{
    static struct faults_acked acked;
    struct faults_writer writers[FAULTS_WRITERS];
    struct faults_row row;
    struct chance chance = chance_of(faults.seed + 5);
    int times[3];
    writers_begin(writers, &acked);
    faults_row_begin(&row, "size", faults.peer->promises_kill, 3);
    writers[0].forks = writers[1].forks = false;
    writers[0].bytes = SIZE_BYTES;
    faults_preparing = true;
    run_writers(writers, 1, faults_scaled(SIZE_ENTRIES), &acked);
    faults_preparing = false;
    for (int i = 0; i < 3; i++) {
        kill_one(&row, writers, &acked, &chance);
        double begin = now_ms();
        late_number += 2;
        faults_must(append_late(faults.store) == 0, "no append to a large session");
        times[i] = (int)((now_ms() - begin) * 1000);
        faults_look(&row, faults.store, &acked);
    }
    int most = times[0] > times[1] ? times[0] : times[1];
    int least = times[0] > times[1] ? times[1] : times[0];
    row.first_append_us = times[2] > most ? most : times[2] < least ? least : times[2];
    faults_row_end(&row);
}

/* --- Undamaged stores ----------------------------------------------------------------------------------------------- */

static void count_store(const char *directory)
{
    struct faults_counts counts;
    struct faults_reading *reading = faults_reading_new();
    faults_must(faults.peer->read(faults.peer, directory, faults_reading_add, reading) == 0, "reading failed");
    faults_reading_count(&counts, reading, NULL);
    printf("entries %d, roots and parents in order %d\n", counts.seen, counts.unreachable == 0 && counts.aside == 0);
    faults_reading_free(reading);
}

static void make_store(const char *directory)
{
    static struct faults_acked acked;
    struct faults_writer writers[FAULTS_WRITERS];
    struct faults_counts counts;
    struct faults_reading *reading = faults_reading_new();
    snprintf(faults.store, sizeof faults.store, "%.190s", directory);
    writers_begin(writers, &acked);
    run_writers(writers, FAULTS_WRITERS, STEPS_UNDAMAGED, &acked);
    faults_must(faults.peer->read(faults.peer, faults.store, faults_reading_add, reading) == 0, "reading failed");
    faults_reading_count(&counts, reading, &acked);
    faults_must(counts.lost + counts.wrong + counts.unreachable + counts.aside == 0,
                "an undamaged store counts as hurt");
    faults_must(!faults.peer->check || faults.peer->check(faults.peer, faults.store) == 0, "its check finds something");
    faults_reading_print(reading);
    faults_reading_free(reading);
}

/* --- Main ----------------------------------------------------------------------------------------------------------- */

static void run_fault(const char *fault)
{
    if (strcmp(fault, "kill") == 0) {
        fault_kill();
    } else if (strcmp(fault, "bit") == 0) {
        fault_damage(fault, 500, false);
    } else if (strcmp(fault, "tail") == 0) {
        fault_damage(fault, 200, true);
    } else if (strcmp(fault, "two") == 0) {
        fault_two();
    } else if (strcmp(fault, "size") == 0) {
        fault_size();
    } else if (faults.peer->worker) {
        return; /* its calls cannot be watched: the same calls in C stand for it */
    } else if (strcmp(fault, "power") == 0) {
        faults_power();
    } else if (strcmp(fault, "calls") == 0) {
        faults_calls();
    } else if (strcmp(fault, "full") == 0) {
        faults_full();
    }
}

static void list(void)
{
    for (int i = 0; faults_peers[i]; i++) {
        const struct faults_peer *peer = faults_peers[i];
        printf("peer\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", peer->name, peer->label, peer->promises_kill, peer->promises_power,
               peer->promises_failure, peer->promises_damage, peer->documents);
    }
}

static void prepare(const char *name)
{
    const char *parent = getenv("TMPDIR");
    char *real = realpath(parent && *parent ? parent : "/tmp", NULL);
    faults.seed = getenv("FAULTS_SEED") ? strtoull(getenv("FAULTS_SEED"), NULL, 10) : 1;
    faults.scale = getenv("FAULTS_SCALE") ? atoi(getenv("FAULTS_SCALE")) : 1000;
    for (int i = 0; faults_peers[i]; i++) {
        faults.peer = strcmp(faults_peers[i]->name, name) == 0 ? faults_peers[i] : faults.peer;
    }
    faults_must(faults.peer && real, "no such peer, or no directory for temporary files");
    snprintf(faults.place, sizeof faults.place, "%.150s/xylem-faults-XXXXXX", real);
    free(real);
    faults_must(mkdtemp(faults.place) != NULL, "no directory for the faults");
    snprintf(faults.store, sizeof faults.store, "%s/store", faults.place);
    finding = mmap(NULL, sizeof *finding, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    faults_must(finding != MAP_FAILED, "no memory");
    signal(SIGPIPE, SIG_IGN);
    if (faults.peer->worker) {
        void *handle = faults.peer->open(faults.peer, faults.place); /* starts the process that the children share */
        faults_must(handle != NULL, "FAULTS_PI does not name pi");
        faults.peer->close(handle);
    }
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "--list") == 0) {
        list();
        return 0;
    }
    if (count < 3) {
        fprintf(stderr, "usage: faults --list | PEER FAULT ... | PEER store DIRECTORY | PEER count DIRECTORY\n");
        return 2;
    }
    prepare(arguments[1]);
    if (strcmp(arguments[2], "store") == 0 && count == 4) {
        make_store(arguments[3]);
    } else if (strcmp(arguments[2], "count") == 0 && count == 4) {
        count_store(arguments[3]);
    } else {
        for (int i = 2; i < count; i++) {
            run_fault(arguments[i]);
        }
    }
    nftw(faults.place, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return 0;
}
