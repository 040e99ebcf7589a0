/*
 * Power cuts. A process works on a new store while everything that it makes the disk do is recorded. Then the states
 * that a cut could leave are built, at any moment and with any loss, and each is opened: what a durability promises
 * must hold. The content of a store is compared as a whole, with what it was after each commit.
 */
#include "tests/crash/disk.h"
#include "tests/crash/workload.h"
#include "tests/lib/test.h"

#include <signal.h>
#include <sys/wait.h>

/* How a child that looked at a state ends, if no signal ends it. */
enum verdict { SOUND, DAMAGED, REFUSED, NO_STORE, STUCK, BROKEN };

struct finding {
    enum verdict verdict;
    uint64_t digest;
    char text[400];
};

static char place[128];
static char root[160];  /* what is recorded */
static char built[160]; /* what a cut left */
static char files[160]; /* session files to import */

static const char *const mode_names[] = {"full", "nometa", "none"};

static struct tally {
    unsigned states;
    unsigned lost[4]; /* states in which so many acknowledged commits were missing, 3: more */
    unsigned damaged;
    unsigned refused;
    unsigned stuck; /* sound to read, and damage was met by whoever wrote */
    unsigned faults;
    unsigned no_store;
} tallies[3];

static int make_place(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    char *real = realpath(parent && *parent ? parent : "/tmp", NULL);
    if (!real) {
        return -1;
    }
    snprintf(place, sizeof place, "%.100s/xylem-power-XXXXXX", real);
    free(real);
    if (!mkdtemp(place)) {
        return -1;
    }
    snprintf(root, sizeof root, "%s/disk", place);
    snprintf(built, sizeof built, "%s/built", place);
    snprintf(files, sizeof files, "%s/files", place);
    return mkdir(files, 0700);
}

static int remove_place(void **state)
{
    (void)state;
    disk_stop();
    disk_forget();
    test_directory_remove(place);
    return 0;
}

/* --- Recording --- */

struct plan {
    const char *name;
    uint64_t map_bytes;
    int work_count;
    unsigned odds[WORK_COUNT]; /* how often each kind of work is done */
    int compact_before;        /* which piece of work, counted from 1; 0: never */
};

static const struct plan plans[] = {
    {"create", 0, 0, {0}, 0},
    {"append", 0, 12, {[WORK_APPEND] = 1}, 0},
    {"batch", 0, 12, {[WORK_BATCH] = 2, [WORK_LARGE] = 2}, 0},
    {"branches",
     0,
     24,
     {[WORK_APPEND] = 2, [WORK_BRANCH] = 3, [WORK_FORK] = 2, [WORK_NAVIGATE] = 2, [WORK_DELETE] = 1},
     0},
    {"import", 0, 6, {[WORK_IMPORT] = 2, [WORK_APPEND] = 1}, 0},
    {"import of files", 0, 4, {[WORK_IMPORT_FILES] = 2, [WORK_APPEND] = 1}, 0},
    {"map growth", 1 << 20, 30, {[WORK_LARGE] = 3, [WORK_BATCH] = 1}, 0},
    {"compaction", 0, 12, {[WORK_APPEND] = 2, [WORK_LARGE] = 1, [WORK_DELETE] = 1}, 8},
    {"removal",
     0,
     30,
     {[WORK_APPEND] = 2,
      [WORK_FORK] = 2,
      [WORK_DELETE] = 3,
      [WORK_UNDELETE] = 1,
      [WORK_GC] = 2,
      [WORK_REDACT] = 3,
      [WORK_LEASE] = 2},
     0},
    {"all", 0, 40, {1, 4, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 0},
};
#define PLAN_COUNT (sizeof plans / sizeof plans[0])

static enum work draw_work(const struct plan *plan, struct chance *chance)
{
    unsigned sum = 0;
    for (int work = 0; work < WORK_COUNT; work++) {
        sum += plan->odds[work];
    }
    int at = chance_below(chance, (int)sum);
    for (int work = 0; work < WORK_COUNT; work++) {
        at -= (int)plan->odds[work];
        if (at < 0) {
            return (enum work)work;
        }
    }
    return WORK_APPEND;
}

static void open_store(struct xylem_store **store, const char *below, const struct xylem_open_options *options)
{
    char path[400];
    struct xylem_error err = {0, ""};
    snprintf(path, sizeof path, "%s/store", below);
    if (xylem_open(store, path, options, &err) != XYLEM_OK) {
        fail_msg("xylem_open: %s", err.text);
    }
}

/* Marks: 1 when a call returned that promises what was committed so far, 2 when a sync did. */
#define MARK_COMMITTED 1u
#define MARK_SYNCED 2u

/* What a compaction leaves is synced, whatever was not before. */
static void compact(struct xylem_store **store, const struct xylem_open_options *options)
{
    char path[400];
    struct xylem_error err = {0, ""};
    struct xylem_compact_options compaction = {.overwrite_old = true};
    snprintf(path, sizeof path, "%s/store", root);
    assert_int_equal(xylem_close(*store, NULL), XYLEM_OK);
    if (xylem_compact(NULL, path, &compaction, &err) != XYLEM_OK) {
        fail_msg("xylem_compact: %s", err.text);
    }
    disk_mark(MARK_SYNCED);
    open_store(store, root, options);
}

/* A file that was told of is promised, though others of the same call are not yet. */
static void told(uint64_t number)
{
    (void)number;
    disk_mark(MARK_COMMITTED);
}

static void record(const struct plan *plan, enum xylem_durability durability, uint64_t seed)
{
    struct xylem_open_options options = {.create = true, .durability = durability, .map_bytes = plan->map_bytes};
    struct workload load = {.chance = chance_of(seed), .number = 1, .place = files, .told = told};
    struct xylem_error err = {0, ""};
    disk_forget();
    test_directory_remove(root);
    assert_int_equal(mkdir(root, 0700), 0);
    disk_start(root);
    open_store(&load.store, root, &options);
    disk_mark(MARK_SYNCED);
    for (int i = 0; i < plan->work_count; i++) {
        struct fact fact;
        enum work work = draw_work(plan, &load.chance);
        if (i + 1 == plan->compact_before) {
            compact(&load.store, &options);
        }
        if (work == WORK_IMPORT) {
            char path[300];
            work_file_path(path, files, load.number);
            work_file(path, load.number);
        }
        if (work == WORK_IMPORT_FILES) {
            work_files(files, load.number);
        }
        if (work_do(&fact, &load, work, &err) != XYLEM_OK) {
            fail_msg("work %d: %s", (int)work, err.text);
        }
        disk_mark(work == WORK_SYNC ? MARK_SYNCED : MARK_COMMITTED);
    }
    disk_stop();
    assert_int_equal(xylem_close(load.store, NULL), XYLEM_OK);
}

/* --- Looking at a state --- */

/* Works on in what was found: it must be a store like any other. */
static bool goes_on(struct xylem_store *store, struct finding *finding)
{
    struct workload load = {.store = store, .chance = chance_of(1), .number = 1000000, .place = files};
    struct xylem_error err = {0, ""};
    for (int i = 0; i < 3; i++) {
        struct fact fact;
        if (work_do(&fact, &load, i == 0 ? WORK_SESSION : WORK_BATCH, &err) != XYLEM_OK) {
            snprintf(finding->text, sizeof finding->text, "cannot go on: %.300s", err.text);
            return false;
        }
    }
    struct xylem_txn *txn;
    struct work_check check = {0, ""};
    bool right = xylem_begin(&txn, store, XYLEM_READ, &err) == XYLEM_OK;
    right = right && work_verify_changes(&check, NULL, txn, &err) == XYLEM_OK && check.problems == 0;
    if (!right) {
        snprintf(finding->text, sizeof finding->text, "not sound after going on: %.200s", check.first);
    }
    xylem_abort(txn);
    return right;
}

static void look(struct finding *finding, const char *below)
{
    char path[400];
    struct xylem_store *store;
    struct xylem_txn *txn;
    struct work_check check = {0, ""};
    struct xylem_error err = {0, ""};
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    snprintf(path, sizeof path, "%s/store", below);
    int code = xylem_open(&store, path, &options, &err);
    if (code < 0) {
        finding->verdict = code == XYLEM_E_NOT_FOUND || code == XYLEM_E_NOT_A_STORE ? NO_STORE : REFUSED;
        snprintf(finding->text, sizeof finding->text, "%.390s", err.text);
        return;
    }
    code = xylem_begin(&txn, store, XYLEM_READ, &err);
    code = code < 0 ? code : work_verify_changes(&check, NULL, txn, &err);
    if (code < 0 || check.problems > 0) {
        finding->verdict = DAMAGED;
        snprintf(finding->text, sizeof finding->text, "%.390s", code < 0 ? err.text : check.first);
        return;
    }
    code = work_digest(&finding->digest, txn);
    xylem_abort(txn);
    finding->verdict = BROKEN;
    if (code == XYLEM_OK) {
        finding->verdict = goes_on(store, finding) ? SOUND : STUCK;
    } else {
        snprintf(finding->text, sizeof finding->text, "verify is clean, but reading fails: %s", xylem_code_text(code));
    }
    xylem_close(store, NULL);
}

/* In a child process: LMDB may fault on what a cut left. True if the child ended by itself. */
static bool look_apart(struct finding *finding, const char *below)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct finding found;
        memset(&found, 0, sizeof found);
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        signal(SIGABRT, SIG_DFL);
        alarm(60);
        close(STDERR_FILENO); /* LMDB's assertions, and the sanitizers on a fault of LMDB's own */
        look(&found, below);
        _exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
    }
    close(ends[1]);
    bool whole = read(ends[0], finding, sizeof *finding) == sizeof *finding;
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool build_and_look(struct finding *finding, const struct disk_cut *cut)
{
    test_directory_remove(built);
    assert_int_equal(mkdir(built, 0700), 0);
    assert_true(disk_build(built, cut));
    return look_apart(finding, built);
}

/* --- What is promised --- */

static bool is_commit(const struct disk_event *event)
{
    return event->type == DISK_WRITE && event->bytes < 512 && event->offset < 8192;
}

#define COMMITS_MAX 600
static uint64_t digests[COMMITS_MAX]; /* of the store after each commit; [0]: of none */
static int commit_count;

static size_t next_commit(size_t at)
{
    while (at < disk.count && !is_commit(&disk.events[at])) {
        at++;
    }
    return at;
}

/* What the store holds after each commit, right before the next one, when nothing is lost. In one child for all. */
static void tell_digests(int to)
{
    for (size_t i = next_commit(0); i < disk.count; i = next_commit(i + 1)) {
        struct disk_cut cut = {next_commit(i + 1), DISK_KEEP_ALL, 0};
        struct finding finding;
        memset(&finding, 0, sizeof finding);
        test_directory_remove(built);
        if (mkdir(built, 0700) != 0 || !disk_build(built, &cut)) {
            _exit(1);
        }
        look(&finding, built);
        if (write(to, &finding, sizeof finding) != sizeof finding) {
            _exit(1);
        }
    }
    _exit(0);
}

static void learn_digests(void)
{
    int ends[2];
    struct finding finding;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        tell_digests(ends[1]);
    }
    close(ends[1]);
    commit_count = 0;
    while (read(ends[0], &finding, sizeof finding) == sizeof finding) {
        assert_true(commit_count + 1 < COMMITS_MAX);
        if (finding.verdict != SOUND) {
            fail_msg("after commit %d, with nothing lost: %s", commit_count + 1, finding.text);
        }
        digests[++commit_count] = finding.digest;
    }
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Commits before the event, and how many of them were promised, or synced. */
struct so_far {
    int commits;
    int promised;
    int synced;
};

static struct so_far count_so_far(size_t at)
{
    struct so_far so_far = {0, 0, 0};
    for (size_t i = 0; i < at; i++) {
        so_far.commits += is_commit(&disk.events[i]);
        if (disk.events[i].type == DISK_MARK) {
            so_far.promised = so_far.commits;
            so_far.synced = disk.events[i].mark == MARK_SYNCED ? so_far.commits : so_far.synced;
        }
    }
    return so_far;
}

/* The number of the commit after which the store held that, the newest that is not newer than `newest`; -1: never. */
static int commit_of(uint64_t digest, int newest)
{
    for (int i = newest; i > 0; i--) {
        if (digests[i] == digest) {
            return i;
        }
    }
    return -1;
}

static void fail_state(const char *what, const struct plan *plan, enum xylem_durability durability, uint64_t seed,
                       const struct disk_cut *cut, const struct finding *finding)
{
    fail_msg("%s: workload '%s', durability %s, seed %" PRIu64
             ": cut before event %zu of %zu, loss %d, cut's seed %" PRIu64 ": verdict %d: %s",
             what, plan->name, mode_names[durability], seed, cut->at, disk.count, (int)cut->loss, cut->seed,
             (int)finding->verdict, finding->text);
}

/* What must be there at least. */
static int least_commits(const struct so_far *so_far, enum xylem_durability durability)
{
    int least = so_far->promised;
    if (durability == XYLEM_DURABILITY_NOMETA && least > 0) {
        least--;
    }
    return least > so_far->synced ? least : so_far->synced;
}

static void hold(const struct plan *plan, enum xylem_durability durability, uint64_t seed, const struct disk_cut *cut)
{
    struct finding finding;
    struct so_far so_far = count_so_far(cut->at);
    struct tally *tally = &tallies[durability];
    bool whole = build_and_look(&finding, cut);
    bool promises = durability != XYLEM_DURABILITY_NONE || so_far.promised == so_far.synced;
    promises = promises && !(durability == XYLEM_DURABILITY_NONE && so_far.commits > so_far.synced);
    tally->states++;
    if (!whole) {
        tally->faults++;
        snprintf(finding.text, sizeof finding.text, "the process that looked did not come to its end");
        if (promises) {
            fail_state("a fault", plan, durability, seed, cut, &finding);
        }
        return;
    }
    if (finding.verdict == BROKEN || (finding.verdict == STUCK && promises)) {
        fail_state("damage is taken for good", plan, durability, seed, cut, &finding);
    }
    if (finding.verdict == NO_STORE || finding.verdict == REFUSED || finding.verdict == DAMAGED) {
        tally->no_store += finding.verdict == NO_STORE;
        tally->refused += finding.verdict == REFUSED;
        tally->damaged += finding.verdict == DAMAGED;
        if (promises && so_far.promised > 0) {
            fail_state("a store is lost", plan, durability, seed, cut, &finding);
        }
        return;
    }
    int found = commit_of(finding.digest, so_far.commits);
    if (found < 0) {
        fail_state("a content that the store never had", plan, durability, seed, cut, &finding);
    }
    if (promises && found < least_commits(&so_far, durability)) {
        fail_state("an acknowledged commit is lost", plan, durability, seed, cut, &finding);
    }
    tally->stuck += finding.verdict == STUCK;
    int lost = so_far.promised > found ? so_far.promised - found : 0;
    tally->lost[lost > 3 ? 3 : lost]++;
}

/* --- Tests --- */

static bool is_long(void)
{
    return getenv("XYLEM_TORTURE") != NULL;
}

static void hold_all(enum xylem_durability durability)
{
    unsigned rounds = is_long() ? 16 : 1;
    unsigned cuts = is_long() ? 35 : 11;
    uint64_t first = getenv("XYLEM_SEED") ? strtoull(getenv("XYLEM_SEED"), NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        for (size_t i = 0; i < PLAN_COUNT; i++) {
            struct chance chance = chance_of(seed * 1000 + i);
            record(&plans[i], durability, seed);
            learn_digests();
            for (unsigned j = 0; j < cuts; j++) {
                struct disk_cut cut = {(size_t)chance_below(&chance, (int)disk.count + 1),
                                       (enum disk_loss)chance_below(&chance, DISK_LOSS_COUNT), chance_draw(&chance)};
                hold(&plans[i], durability, seed, &cut);
            }
        }
    }
    const struct tally *tally = &tallies[durability];
    printf(
        "figures: durability %s: %u states: nothing acknowledged lost in %u, one commit in %u, two in %u, more in %u; "
        "no store yet in %u, damage reported in %u, opening refused in %u, by a fault of LMDB in %u, only by the "
        "next writer in %u\n",
        mode_names[durability], tally->states, tally->lost[0], tally->lost[1], tally->lost[2], tally->lost[3],
        tally->no_store, tally->damaged, tally->refused, tally->faults, tally->stuck);
}

TEST_WITH(full_durability_keeps_every_acknowledged_commit, make_place, remove_place)
{
    hold_all(XYLEM_DURABILITY_FULL);
    assert_int_equal(tallies[0].lost[1] + tallies[0].lost[2] + tallies[0].lost[3], 0);
}

TEST_WITH(nometa_keeps_all_but_the_last_commit, make_place, remove_place)
{
    hold_all(XYLEM_DURABILITY_NOMETA);
    assert_int_equal(tallies[1].lost[2] + tallies[1].lost[3], 0);
    assert_true(tallies[1].lost[1] > 0); /* else the cuts were too kind */
}

TEST_WITH(without_syncs_damage_is_reported, make_place, remove_place)
{
    hold_all(XYLEM_DURABILITY_NONE);
    assert_true(tallies[2].damaged + tallies[2].refused + tallies[2].faults > 0);
    assert_int_equal(tallies[2].stuck, 0); /* what verify calls sound can be written to */
}
