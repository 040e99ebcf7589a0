/*
 * The same faults for every way to keep a session. `make proof` runs this for each peer and writes docs/proof.md.
 *
 *     faults PEER FAULT ...         a line for each trial: kill, power, full, calls, bit, tail, two, size
 *     faults PEER store DIRECTORY   makes an undamaged store, and prints the texts that the peer reads there
 *     faults PEER count DIRECTORY   what the reader of a peer finds there: entries, and whether all lie in one order
 *
 * FAULTS_SEED repeats a run, FAULTS_SCALE gives its size in thousandths.
 */
#include "tests/bench/faults/faults.h"

#include <ftw.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

enum { ROUNDS_OF_A_STORE = 10, TRIALS_OF_A_STORE = 50, STEPS_OF_A_KILLED = 300, STEPS_BESIDE = 15 };
enum { STEPS_UNDAMAGED = 120, STEPS_OF_TWO = 100, SIZE_ENTRIES = 28000, SIZE_BYTES = 4000, SIZE_KILLS = 3 };

struct faults_setting faults;
static struct faults_acked acked;
static struct faults_writer writers[FAULTS_WRITERS];
static struct chance readers; /* when they read */

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

int faults_scaled(int trials)
{
    int scaled = (int)((long)trials * faults.scale / 1000);
    return scaled > 0 ? scaled : 1;
}

/* --- Looking at what a fault left ----------------------------------------------------------------------------------- */

/* Shared with the child that looks, which may die of what it finds. */
static struct finding {
    bool is_read; /* the peer's reader came to an end */
    bool is_appended;
    int counts[FAULTS_COUNTS];
    double ms;
} * finding;

static int read_all(const char *directory, const struct faults_acked *promised)
{
    struct faults_reading reading = {.count = 0};
    int code = faults.calls->read(directory, faults_reading_add, &reading);
    faults_reading_count(finding->counts, &reading, promised);
    faults_reading_free(&reading);
    return code;
}

static int late_number = 1; /* no two are alike; an answer comes next, which no peer holds back */

static int append_late(const char *directory)
{
    struct faults_writer writer = {.writer = FAULTS_LATER, .number = late_number, .shares = true, .bytes = 100};
    struct faults_step step;
    void *handle = faults.calls->open(faults.peer->mode, directory);
    faults_next(&step, &writer);
    int code = handle ? faults_do(handle, &step) : -1;
    if (handle && code == 0) {
        faults.calls->close(handle);
    }
    return code;
}

/* As a host would: reads, lets the peer repair what the peer says is damaged, and appends. */
static void look_here(const char *directory, const struct faults_acked *promised, bool reads)
{
    char usable[FAULTS_PATH];
    double begin = now_ms();
    bool is_damaged = !reads || read_all(directory, promised) < 0;
    bool is_whole = !is_damaged;
    finding->is_read = true;
    finding->counts[FAULTS_REFUSED] = is_damaged && finding->counts[FAULTS_SEEN] == 0;
    finding->counts[FAULTS_SAID] = reads && is_damaged;
    snprintf(usable, sizeof usable, "%s", directory);
    for (int i = 0; i < 2 && !finding->is_appended; i++) {
        if (is_damaged && faults.calls->repair) {
            snprintf(usable, sizeof usable, "%s.repaired", directory);
            faults_fresh(usable);
            if (faults.calls->repair(directory, usable) == 0) {
                read_all(usable, promised);
            }
        }
        finding->is_appended = append_late(usable) == 0;
        finding->counts[FAULTS_SAID] |= !finding->is_appended && is_whole;
        is_damaged = true; /* one that reads and cannot be appended to is repaired too */
    }
    finding->ms = now_ms() - begin;
    if (is_whole && faults.calls->check && faults.calls->check(directory) < 0) {
        finding->counts[FAULTS_SAID] = 1;
    }
}

static void look_apart(const char *directory, const struct faults_acked *promised, bool reads)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(120);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO); /* LMDB's assertions */
        look_here(directory, promised, reads);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

/* A process that dies while it looks has told nobody anything; the next one begins with a repair. */
bool faults_look(const char *fault, const char *directory, const struct faults_acked *promised)
{
    const int *counts = finding->counts;
    memset(finding, 0, sizeof *finding);
    finding->counts[FAULTS_LOST] = promised->count;
    late_number += 2;
    look_apart(directory, promised, true);
    if (!finding->is_read) {
        look_apart(directory, promised, false);
    }
    printf("trial\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.2f\n", fault, faults.peer->name, promised->count,
           counts[FAULTS_LOST], counts[FAULTS_WRONG], counts[FAULTS_UNREACHABLE], counts[FAULTS_ASIDE],
           counts[FAULTS_REFUSED], counts[FAULTS_SAID], finding->is_appended ? finding->ms : -1);
    return counts[FAULTS_LOST] + counts[FAULTS_WRONG] + counts[FAULTS_UNREACHABLE] + counts[FAULTS_REFUSED] +
               counts[FAULTS_SAID] >
           0;
}

/* --- Writers -------------------------------------------------------------------------------------------------------- */

static bool leaves_open; /* a writer ends without closing: the log of SQLite stays beside the database */
/* After its first step a writer waits for this file, so that two write at once; empty: nobody waits. */
static char go_path[220];

void faults_ack_take(struct faults_acked *taken, const struct faults_ack *ack)
{
    if (ack->number > 0) {
        taken->count += !taken->entries[ack->writer][ack->number];
        taken->entries[ack->writer][ack->number] = true;
    }
}

int faults_do(void *handle, const struct faults_step *step)
{
    return step->number == 0 ? faults.calls->fork(handle, step->writer, step->session)
                             : faults.calls->append(handle, step->session, faults_role(step->number), step->text);
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

static pid_t start_writer(struct faults_writer writer, int count, const int ends[2])
{
    fflush(NULL);
    pid_t child = fork();
    if (child != 0) {
        setpgid(child, child);
        return child;
    }
    close(ends[0]);
    setpgid(0, 0); /* with the pi that the writer starts */
    void *handle = faults.calls->open(faults.peer->mode, faults.store);
    if (!handle) {
        _exit(1);
    }
    faults_work(handle, &writer, count, ends[1]);
    if (!leaves_open) {
        faults.calls->close(handle);
    }
    _exit(0);
}

/* What the writer knows when it goes on. */
static bool take_ack(int fd, struct faults_ack *ack)
{
    if (read(fd, ack, sizeof *ack) != sizeof *ack) {
        return false;
    }
    struct faults_writer *writer = &writers[ack->writer];
    faults_ack_take(&acked, ack);
    writer->number = ack->number > writer->number ? ack->number : writer->number;
    writer->last[ack->session] = ack->number > 0 ? ack->number : writer->last[writer->session];
    return true;
}

static void begin_writers(bool share, int bytes)
{
    memset(&acked, 0, sizeof acked);
    faults_fresh(faults.store);
    for (int i = 0; i < FAULTS_WRITERS; i++) {
        writers[i] = (struct faults_writer){.writer = i,
                                            .session = share ? 0 : i,
                                            .forks = !share && bytes < SIZE_BYTES,
                                            .shares = share,
                                            .bytes = bytes};
    }
}

/* Reads once while others write: nothing of what is read may be wrong. What is acknowledged meanwhile does not count. */
static pid_t start_reader(unsigned after_us)
{
    memset(finding, 0, sizeof *finding);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        usleep(after_us);
        read_all(faults.store, NULL);
        _exit(0);
    }
    return child;
}

static void end_reader(const char *fault, pid_t reader)
{
    waitpid(reader, NULL, 0);
    printf("beside\t%s\t%s\t%d\t%d\n", fault, faults.peer->name, finding->counts[FAULTS_WRONG],
           finding->counts[FAULTS_UNREACHABLE]);
}

/*
 * Runs writers to their end. With a chance the first is killed after so many acknowledgements and some microseconds, and
 * a reader reads beside them.
 */
static void run_writers(const char *fault, int count, int steps, struct chance *chance)
{
    int ends[2];
    int status = 0;
    struct faults_ack ack;
    pid_t children[FAULTS_WRITERS];
    faults_must(pipe(ends) == 0, "no pipe");
    for (int i = 0; i < count; i++) {
        writers[i].number += writers[i].number > 0; /* the next may be in use: its acknowledgement died */
        children[i] = start_writer(writers[i], chance && i == 0 ? STEPS_OF_A_KILLED : steps, ends);
    }
    close(ends[1]);
    pid_t reader = chance || go_path[0] ? start_reader((unsigned)chance_below(&readers, 3000)) : -1;
    int left = chance ? chance_below(chance, 20) : -1;
    for (int acks = 1; left != 0 && take_ack(ends[0], &ack); acks++) {
        left -= ack.writer == 0 && chance;
        if (acks == count && go_path[0]) {
            close(open(go_path, O_WRONLY | O_CREAT, 0600));
        }
    }
    if (chance) {
        usleep((unsigned)chance_below(chance, 1500));
        kill(-children[0], SIGKILL);
        while (take_ack(ends[0], &ack)) {
        }
    }
    close(ends[0]);
    for (int i = 0; i < count; i++) {
        waitpid(children[i], &status, 0);
        faults_must(status == 0 || chance, "a writer failed without a fault");
    }
    if (reader > 0) {
        end_reader(fault, reader);
    }
}

/* --- Faults --------------------------------------------------------------------------------------------------------- */

/* What was lost is lost once: a store that was hurt serves no other kill. */
static void fault_kill(void)
{
    struct chance chance = chance_of(faults.seed + 2);
    bool hurt = false;
    for (int left = faults_scaled(faults.peer->is_apart ? 100 : 1000), rounds = 0; left > 0; left--, rounds--) {
        if (rounds == 0 || hurt) {
            begin_writers(false, 600);
            rounds = ROUNDS_OF_A_STORE;
        }
        run_writers("kill", FAULTS_WRITERS, STEPS_BESIDE, &chance);
        hurt = faults_look("kill", faults.store, &acked);
    }
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
    bool is_lock = strstr(path, "lock.mdb") || strstr(path, "xylem.lock") || strstr(path, "-shm");
    if (type == FTW_F && !is_lock && status->st_size > 0 && files.count < 16) {
        snprintf(files.paths[files.count], FAULTS_PATH, "%s", path);
        files.all += files.bytes[files.count++] = status->st_size;
    }
    return 0;
}

static void damage(struct chance *chance, bool is_cut)
{
    memset(&files, 0, sizeof files);
    nftw(faults.store, note_file, 16, FTW_PHYS);
    long at = (long)(chance_draw(chance) % (uint64_t)files.all);
    int file = 0;
    while (at >= files.bytes[file]) {
        at -= files.bytes[file++];
    }
    char byte = 0;
    int fd = open(files.paths[file], O_RDWR);
    bool done = pread(fd, &byte, 1, at) == 1;
    byte = (char)(byte ^ (1 << chance_below(chance, 8)));
    long end = files.bytes[file] - 1 - chance_below(chance, (int)(files.bytes[file] / 4 + 1));
    faults_must(done && (is_cut ? ftruncate(fd, end) == 0 : pwrite(fd, &byte, 1, at) == 1), "no damage was done");
    close(fd);
}

static void run_shell(const char *format)
{
    char command[1000];
    snprintf(command, sizeof command, format, faults.store, faults.store, faults.store);
    faults_must(system(command) == 0, command);
}

/* In copies of undamaged stores: closed, or as a writer that died leaves them. */
static void fault_damage(const char *fault, int count, bool is_cut)
{
    struct chance chance = chance_of(faults.seed + 3 + is_cut);
    int trials = faults_scaled(count);
    for (int i = 0; i < trials; i++) {
        if (i % TRIALS_OF_A_STORE == 0) {
            leaves_open = i / TRIALS_OF_A_STORE % 2 == 1;
            begin_writers(false, 600);
            run_writers(fault, FAULTS_WRITERS, STEPS_UNDAMAGED, NULL);
            run_shell("rm -rf '%s.kept' && mv '%s' '%s.kept'");
        }
        run_shell("rm -rf '%s' && cp -r '%s.kept' '%s'");
        damage(&chance, is_cut);
        faults_look(fault, faults.store, &acked);
    }
    leaves_open = false;
}

static void fault_two(void)
{
    for (int left = faults_scaled(20); left > 0; left--) {
        begin_writers(true, 600);
        run_writers("two", 1, 2, NULL);
        snprintf(go_path, sizeof go_path, "%s/go", faults.place);
        run_writers("two", FAULTS_WRITERS, STEPS_OF_TWO, NULL);
        remove(go_path);
        go_path[0] = '\0';
        faults_look("two", faults.store, &acked);
    }
}

/* A store of 100 MB in one session, whose writer is killed. */
static void fault_size(void)
{
    struct chance chance = chance_of(faults.seed + 5);
    begin_writers(false, SIZE_BYTES);
    faults_preparing = true;
    run_writers("size", 1, faults_scaled(SIZE_ENTRIES), NULL);
    faults_preparing = false;
    for (int i = 0; i < SIZE_KILLS; i++) {
        run_writers("size", FAULTS_WRITERS, STEPS_BESIDE, &chance);
        late_number += 2;
        double begin = now_ms();
        faults_must(append_late(faults.store) == 0, "no append to a large session");
        printf("first\t%s\t%.2f\n", faults.peer->name, now_ms() - begin);
        faults_look("size", faults.store, &acked);
    }
}

/* --- Main ----------------------------------------------------------------------------------------------------------- */

static void show_store(const char *directory, bool makes)
{
    int counts[FAULTS_COUNTS];
    struct faults_reading reading = {.count = 0};
    snprintf(faults.store, sizeof faults.store, "%.190s", directory);
    if (makes) {
        begin_writers(false, 600);
        run_writers("", FAULTS_WRITERS, STEPS_UNDAMAGED, NULL);
    }
    faults_must(faults.calls->read(faults.store, faults_reading_add, &reading) == 0, "reading failed");
    faults_reading_count(counts, &reading, makes ? &acked : NULL);
    bool is_hurt = counts[FAULTS_UNREACHABLE] + counts[FAULTS_ASIDE] > 0;
    if (makes) {
        faults_must(!is_hurt && counts[FAULTS_LOST] + counts[FAULTS_WRONG] == 0, "an undamaged store counts as hurt");
        faults_must(!faults.calls->check || faults.calls->check(faults.store) == 0, "its own check finds something");
        faults_reading_print(&reading);
    } else {
        printf("entries %d%s\n", counts[FAULTS_SEEN], is_hurt ? ", not in one order" : "");
    }
    faults_reading_free(&reading);
}

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
    } else if (!faults.peer->is_apart) { /* else no call can be watched: the same calls in C stand for it */
        strcmp(fault, "power") == 0 ? faults_power() : faults_failures(strcmp(fault, "full") == 0);
    }
}

static void prepare(const char *name)
{
    const char *parent = getenv("TMPDIR");
    char *real = realpath(parent && *parent ? parent : "/tmp", NULL);
    faults.seed = getenv("FAULTS_SEED") ? strtoull(getenv("FAULTS_SEED"), NULL, 10) : 1;
    faults.scale = getenv("FAULTS_SCALE") ? atoi(getenv("FAULTS_SCALE")) : 1000;
    for (const struct faults_peer *peer = faults_peers; peer->name; peer++) {
        faults.peer = strcmp(peer->name, name) == 0 ? peer : faults.peer;
    }
    faults_must(faults.peer && real, "no such peer, or no directory for temporary files");
    faults.calls = faults.peer->calls;
    snprintf(faults.place, sizeof faults.place, "%.150s/xylem-faults-XXXXXX", real);
    free(real);
    faults_must(mkdtemp(faults.place) != NULL, "no directory for the faults");
    snprintf(faults.store, sizeof faults.store, "%s/store", faults.place);
    readers = chance_of(faults.seed + 9);
    finding = mmap(NULL, sizeof *finding, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    faults_must(finding != MAP_FAILED, "no memory");
    signal(SIGPIPE, SIG_IGN);
    /* pi: the process that the children share. */
    faults_must(!faults.peer->is_apart || faults.calls->open(0, faults.place), "FAULTS_PI does not name pi");
}

int main(int count, char **arguments)
{
    if (count < 3) {
        fprintf(stderr, "usage: faults PEER FAULT ... | PEER store DIRECTORY | PEER count DIRECTORY\n");
        return 2;
    }
    prepare(arguments[1]);
    bool makes = strcmp(arguments[2], "store") == 0;
    if (count == 4 && (makes || strcmp(arguments[2], "count") == 0)) {
        show_store(arguments[3], makes);
    } else {
        for (int i = 2; i < count; i++) {
            run_fault(arguments[i]);
        }
    }
    nftw(faults.place, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return 0;
}
