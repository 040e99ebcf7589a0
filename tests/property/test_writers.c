/*
 * Many processes with one store: eight that write (to one session, to eight, and to one by lease), four that walk, one
 * that sits in a read transaction; every few moments one of them is killed and another takes its place. Each writer
 * says through a pipe what it was told is committed. At the end all of that must be there, once, whole, and in order.
 *
 * A round lasts a few seconds; with XYLEM_TORTURE set there are rounds for ten minutes. XYLEM_SECONDS=n says how long,
 * XYLEM_SEED=n what chance begins with.
 */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/format/record.h"
#include "tests/lib/chance.h"
#include "tests/lib/changes.h"
#include "tests/lib/test.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/inspect.h"
#include "xylem/lease.h"

enum { WRITERS = 8, READERS = 4, PROCESSES = WRITERS + READERS + 1, SITTER = PROCESSES - 1 };
enum { OWN = 0, SHARED = WRITERS, LEASED, SESSIONS }; /* indexes of `sessions` */
enum { INCARNATIONS_MAX = 4096, BATCH_MAX = 4, SITTING_COMMITS = 300 };

#define ROUND_SECONDS 20.0
#define CHECK_SECONDS 3.0
#define PATIENCE_SECONDS 240.0 /* for what must happen at least once, on a machine that is busy */

enum note_kind {
    APPENDED,      /* `seq` is committed; `value` entries */
    WALKED,        /* a path of `value` entries was sound */
    SAT,           /* others committed while a read transaction stayed open, and it saw none of it */
    LEASE_TAKEN,   /* and given back */
    LEASE_REFUSED, /* somebody else has it */
    LEASE_BROKE,   /* somebody else's was broken */
    LEASE_LOST,    /* the own one was */
    INTRUDED,      /* an append without a lease, while nobody had one */
    LEAF_LOST,     /* the expected leaf was somebody else's to replace */
    FAILED,        /* `text` says what */
    NOTE_KINDS
};

/* Written in one go, so never in part. */
struct note {
    uint32_t kind;
    uint32_t incarnation;
    uint32_t seq;
    uint32_t value;
    char text[112];
};

/* A process, from its start to its end. */
struct incarnation {
    uint32_t acknowledged; /* appends 1 to this one */
    bool killed;
    uint32_t seen_seq; /* at the end: the append whose entries were seen last, */
    uint32_t seen;     /* how many of them, */
    uint32_t batch;    /* and how many there must be */
};

static struct {
    char path[256];
    uint64_t sessions[SESSIONS]; /* their numbers */
    int pipe[2];
    pid_t pids[PROCESSES];
    uint32_t of_process[PROCESSES]; /* incarnation */
    struct incarnation incarnations[INCARNATIONS_MAX];
    uint32_t incarnation_count;
    struct chance chance;
    uint64_t kills;
    uint64_t notes[NOTE_KINDS];
    uint64_t entries; /* acknowledged */
    char failure[160];
} round_;

static struct xylem_error err;

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* --- In a process ------------------------------------------------------------------------------------------------ */

/* What a process knows of itself. */
static struct {
    struct xylem_store *store;
    uint32_t incarnation;
    uint32_t seq;
    int own; /* its session */
    struct chance chance;
} self;

static void say(enum note_kind kind, uint32_t value, const char *text)
{
    struct note note = {.kind = kind, .incarnation = self.incarnation, .seq = self.seq, .value = value};
    (void)snprintf(note.text, sizeof note.text, "%s", text);
    if (write(round_.pipe[1], &note, sizeof note) != (ssize_t)sizeof note) {
        _exit(1);
    }
}

/* Ends the process, and with it the test. */
static void give_up(const char *what, const char *why)
{
    char text[112];
    (void)snprintf(text, sizeof text, "%s: %.90s", what, why);
    say(FAILED, 0, text);
    _exit(1);
}

static void must(int code, const char *what)
{
    if (code < 0) {
        give_up(what, err.text);
    }
}

static struct xylem_txn *begin(enum xylem_txn_mode mode)
{
    struct xylem_txn *txn = NULL;
    must(xylem_begin(&txn, self.store, mode, &err), "begin");
    return txn;
}

/* What an entry's id says of it: whose it is, and how it came there. */
struct origin {
    uint32_t incarnation;
    uint32_t seq;
    uint32_t number; /* in its append */
    uint32_t batch;
    uint64_t token;                 /* of the lease that it was appended under, or 0 */
    struct xylem_position expected; /* leaf, or none */
};

static void write_id(char id[XYLEM_ENTRY_ID_BYTES_MAX], const struct origin *origin)
{
    (void)snprintf(id, XYLEM_ENTRY_ID_BYTES_MAX,
                   "%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu64 ".%" PRIu64 ".%" PRIu64,
                   origin->incarnation, origin->seq, origin->number, origin->batch, origin->token,
                   origin->expected.branch, origin->expected.depth);
}

/* Appends one to four entries, and says so once they are committed. Gives OK, or CONFLICT. */
static int append_batch(uint64_t session, uint64_t token, const struct xylem_position *expected)
{
    char ids[BATCH_MAX][XYLEM_ENTRY_ID_BYTES_MAX];
    struct xylem_new_entry entries[BATCH_MAX];
    struct xylem_append_options options = {.expected_leaf = expected};
    uint32_t batch = 1 + (uint32_t)chance_below(&self.chance, BATCH_MAX);
    for (uint32_t i = 0; i < batch; i++) {
        struct origin origin = {self.incarnation, self.seq + 1, i, batch, token, {0, 0}};
        origin.expected = expected ? *expected : origin.expected;
        write_id(ids[i], &origin);
        entries[i] = (struct xylem_new_entry){.id = xylem_view_of(ids[i]), .format = XYLEM_FORMAT_JSON};
        entries[i].kind.name = xylem_view_of(i % 2 ? "message" : "note");
        entries[i].payload = xylem_view_of("{\"said\":\"something\"}");
    }
    struct xylem_txn *txn = begin(XYLEM_WRITE);
    int code = xylem_append(NULL, txn, session, entries, batch, &options, &err);
    if (code < 0) {
        xylem_abort(txn);
        if (code != XYLEM_E_CONFLICT) {
            give_up("append", err.text);
        }
        return code;
    }
    must(xylem_commit(txn, &err), "commit");
    self.seq++;
    say(APPENDED, batch, "");
    return XYLEM_OK;
}

/* Compare-and-append: again, until nobody came in between. */
static void append_expecting(uint64_t session)
{
    for (int code = XYLEM_E_CONFLICT; code != XYLEM_OK;) {
        struct xylem_session row;
        struct xylem_txn *txn = begin(XYLEM_READ);
        must(xylem_session_read(&row, txn, session, &err), "read the session");
        struct xylem_position leaf = row.leaf;
        xylem_abort(txn);
        code = append_batch(session, 0, &leaf);
        if (code == XYLEM_E_CONFLICT) {
            say(LEAF_LOST, 0, "");
        }
    }
}

/* A turn of the session that is written by lease; now and then without one, or by breaking one. */
static void take_turn(uint64_t session)
{
    struct xylem_lease *lease = NULL;
    struct xylem_lease_owner owner;
    if (chance_one_in(&self.chance, 8)) {
        if (append_batch(session, 0, NULL) == XYLEM_OK) {
            say(INTRUDED, 0, "");
        }
        return;
    }
    if (chance_one_in(&self.chance, 16)) {
        int broke = xylem_lease_break(&owner, self.store, session, &err);
        must(broke, "break");
        if (broke == 1 && owner.alive) {
            say(LEASE_BROKE, 0, "");
        }
        return;
    }
    int code = xylem_lease_take(&lease, self.store, session, &err);
    if (code == XYLEM_E_CONFLICT) {
        say(LEASE_REFUSED, 0, "");
        return;
    }
    must(code, "take");
    struct xylem_txn *txn = begin(XYLEM_READ);
    int found = xylem_lease_read(&owner, txn, session, &err);
    xylem_abort(txn);
    must(found, "read the lease");
    bool lost = found == 0 || owner.pid != getpid();
    for (int left = 1 + chance_below(&self.chance, 6); left > 0 && !lost; left--) {
        lost = append_batch(session, owner.token, NULL) == XYLEM_E_CONFLICT;
    }
    must(xylem_lease_release(lease, &err), "release");
    say(lost ? LEASE_LOST : LEASE_TAKEN, 0, "");
}

static void write_on(void)
{
    for (;;) {
        int job = chance_below(&self.chance, 4);
        if (job == 0) {
            append_batch(round_.sessions[self.own], 0, NULL);
        } else if (job == 1) {
            take_turn(round_.sessions[LEASED]);
        } else if (self.incarnation % 2) {
            append_expecting(round_.sessions[SHARED]);
        } else if (append_batch(round_.sessions[SHARED], 0, NULL) < 0) {
            give_up("append without an expected leaf", err.text);
        }
    }
}

/* Does the entry's check follow from its parent's? Kind and id must be kept: the walk has gone on. */
static void see_check(const struct xylem_entry *entry, uint64_t parent_check)
{
    uint64_t check = 0;
    must(xylem_format__record_check(&check, parent_check, entry->kind, entry->time_ms, entry->format, entry->id,
                                    entry->unverified.payload_hash, &err),
         "check");
    if (check != entry->check) {
        give_up("walk", "a check does not follow from the parent's");
    }
}

/* Walks the path of a session's leaf, and gives how many entries it has. */
static uint32_t walk_through(struct xylem_txn *txn, uint64_t session)
{
    struct xylem_session row;
    struct xylem_walk *walk = NULL;
    struct xylem_entry child = {.lsn = UINT64_MAX};
    struct xylem_entry entry;
    must(xylem_session_read(&row, txn, session, &err), "read the session");
    must(xylem_walk_new(&walk, txn, row.leaf, &err), "walk");
    uint64_t depth = row.leaf.depth;
    int found;
    for (; (found = xylem_walk_next(&entry, walk, &err)) > 0; depth--) {
        if (entry.position.depth != depth || entry.lsn >= child.lsn) {
            give_up("walk", "depths have a gap, or lsns do not descend");
        }
        if (depth < row.leaf.depth) {
            see_check(&child, entry.check);
        }
        child = entry; /* views of a read transaction live as long as it does */
    }
    must(found, "walk on");
    if (depth != 0) {
        give_up("walk", "the path ends before its root");
    }
    if (row.leaf.depth > 0) {
        see_check(&child, 0);
    }
    xylem_walk_free(walk);
    return (uint32_t)row.leaf.depth;
}

static void read_on(void)
{
    for (;;) {
        struct xylem_txn *txn = begin(XYLEM_READ);
        uint32_t count = walk_through(txn, round_.sessions[chance_below(&self.chance, SESSIONS)]);
        xylem_abort(txn);
        say(WALKED, count, "");
        usleep(1000);
    }
}

/* The lsn of the newest entry of all sessions. */
static uint64_t last_lsn(struct xylem_txn *txn)
{
    uint64_t last = 0;
    for (int i = 0; i < SESSIONS; i++) {
        struct xylem_session row;
        must(xylem_session_read(&row, txn, round_.sessions[i], &err), "read a session");
        last = row.last_lsn > last ? row.last_lsn : last;
    }
    return last;
}

/* Stays in one read transaction until many commits went past it; what it sees must not change. */
static void sit_on(void)
{
    for (;;) {
        struct xylem_stat stat;
        struct xylem_txn *old = begin(XYLEM_READ);
        uint64_t lsn = last_lsn(old);
        uint32_t depth = walk_through(old, round_.sessions[SHARED]);
        uint64_t behind = 0;
        while (behind < SITTING_COMMITS) {
            usleep(5000);
            struct xylem_txn *txn = begin(XYLEM_READ);
            must(xylem_stat_read(&stat, txn, &err), "read the figures");
            xylem_abort(txn);
            behind = stat.oldest_reader_commit_count;
        }
        if (last_lsn(old) != lsn || walk_through(old, round_.sessions[SHARED]) != depth) {
            give_up("sit", "a read transaction saw what was committed after it began");
        }
        xylem_abort(old);
        say(SAT, 0, "");
    }
}

/* --- The processes ----------------------------------------------------------------------------------------------- */

static void become(int process)
{
    struct xylem_open_options options = {.read_only = process >= WRITERS};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(round_.pipe[0]);
    self.incarnation = round_.of_process[process];
    self.own = OWN + process;
    self.chance = chance_of(chance_draw(&round_.chance) + self.incarnation);
    options.durability =
        (enum xylem_durability)(self.incarnation % 3); /* the death of a process loses nothing in any */
    must(xylem_open(&self.store, round_.path, &options, &err), "open");
    if (process < WRITERS) {
        write_on();
    } else if (process == SITTER) {
        sit_on();
    } else {
        read_on();
    }
}

static void start(int process)
{
    assert_true(round_.incarnation_count < INCARNATIONS_MAX);
    round_.of_process[process] = round_.incarnation_count++;
    round_.pids[process] = fork();
    assert_true(round_.pids[process] >= 0);
    if (round_.pids[process] == 0) {
        become(process);
    }
}

static void end_process(int process)
{
    round_.incarnations[round_.of_process[process]].killed = true;
    assert_int_equal(kill(round_.pids[process], SIGKILL), 0);
    assert_int_equal(waitpid(round_.pids[process], NULL, 0), round_.pids[process]);
    round_.pids[process] = 0;
    round_.kills++;
}

static void fail_round(const char *format, const char *what)
{
    if (round_.failure[0] == '\0') {
        (void)snprintf(round_.failure, sizeof round_.failure, format, what);
    }
}

static void note_down(const struct note *note)
{
    round_.notes[note->kind]++;
    if (note->kind == APPENDED) {
        if (++round_.incarnations[note->incarnation].acknowledged != note->seq) {
            fail_round("%s", "an append was acknowledged out of its turn");
        }
        round_.entries += note->value;
    } else if (note->kind == FAILED) {
        fail_round("%s", note->text);
    }
}

/* Takes what the processes said, waiting up to `wait_ms` for it. */
static void listen_for(int wait_ms)
{
    struct note notes[64];
    struct pollfd ready = {.fd = round_.pipe[0], .events = POLLIN};
    while (poll(&ready, 1, wait_ms) == 1) {
        ssize_t bytes = read(round_.pipe[0], notes, sizeof notes);
        assert_true(bytes >= 0 && (size_t)bytes % sizeof *notes == 0);
        if (bytes == 0) {
            return; /* nobody is left to say anything */
        }
        for (size_t i = 0; i < (size_t)bytes / sizeof *notes; i++) {
            note_down(&notes[i]);
        }
        wait_ms = 0;
    }
}

/* No process ends by itself. */
static void look_after(void)
{
    for (int process = 0; process < PROCESSES; process++) {
        int status = 0;
        if (round_.pids[process] > 0 && waitpid(round_.pids[process], &status, WNOHANG) == round_.pids[process]) {
            char text[64];
            (void)snprintf(text, sizeof text, "%d, with status 0x%x", process, (unsigned)status);
            listen_for(0); /* what it said before comes first */
            fail_round("a process ended by itself: number %s", text);
            round_.pids[process] = 0;
        }
    }
}

/* Has all that is asked for happened at least once? */
static bool complete(void)
{
    static const enum note_kind needed[] = {APPENDED, WALKED, SAT, LEASE_TAKEN};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (round_.notes[needed[i]] == 0) {
            return false;
        }
    }
    return true;
}

static void run_processes(double seconds)
{
    double begun = now_seconds();
    double next_kill = begun + 0.1;
    for (int process = 0; process < PROCESSES; process++) {
        start(process);
    }
    while (round_.failure[0] == '\0' && (now_seconds() < begun + seconds || !complete())) {
        listen_for(5);
        look_after();
        if (now_seconds() > begun + seconds + PATIENCE_SECONDS) {
            fail_round("%s", "the processes do not get on");
        }
        int victim = chance_below(&round_.chance, SITTER);
        if (now_seconds() >= next_kill && round_.pids[victim] > 0 && round_.incarnation_count < INCARNATIONS_MAX) {
            end_process(victim);
            start(victim);
            next_kill = now_seconds() + 0.02 + chance_below(&round_.chance, 100) / 1000.0;
        }
    }
    for (int process = 0; process < PROCESSES; process++) {
        if (round_.pids[process] > 0) {
            end_process(process);
        }
    }
    close(round_.pipe[1]);
    listen_for(0);
    close(round_.pipe[0]);
}

/* --- What is in the store ---------------------------------------------------------------------------------------- */

struct seen {
    struct origin origin;
    bool there;
};

static struct origin read_id(struct xylem_view id)
{
    char text[XYLEM_ENTRY_ID_BYTES_MAX + 1];
    struct origin origin;
    memcpy(text, id.data, id.bytes);
    text[id.bytes] = '\0';
    assert_int_equal(sscanf(text, "%" SCNu32 ".%" SCNu32 ".%" SCNu32 ".%" SCNu32 ".%" SCNu64 ".%" SCNu64 ".%" SCNu64,
                            &origin.incarnation, &origin.seq, &origin.number, &origin.batch, &origin.token,
                            &origin.expected.branch, &origin.expected.depth),
                     7);
    assert_true(origin.incarnation < round_.incarnation_count);
    return origin;
}

/* What was appended under one lease stands together: nobody else came in between, nor its owner after somebody else. */
static void see_token(const struct origin *origin, uint64_t *before, uint64_t *greatest)
{
    if (origin->token != 0) {
        assert_true(origin->token == *before || origin->token > *greatest);
        *greatest = origin->token;
    }
    *before = origin->token;
}

/*
 * All entries of a session into their places by lsn, the first entry of all as 1. They are one path: each append had the newest one as its parent.
 */
static void see_session(struct seen *seen, uint64_t entry_count, struct xylem_txn *txn, int index)
{
    struct xylem_session row;
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    uint64_t count = 0;
    uint64_t token = 0;
    uint64_t greatest_token = 0;
    must(xylem_session_read(&row, txn, round_.sessions[index], &err), "read a session");
    uint64_t depth = row.leaf.depth;
    must(xylem_scan_new(&scan, txn, round_.sessions[index], &err), "scan");
    while (xylem_scan_next(&entry, scan, &err) > 0) {
        struct origin origin = read_id(entry.id);
        assert_int_equal(entry.position.depth, ++count);
        assert_in_range(entry.lsn, SESSIONS + 1, SESSIONS + entry_count); /* the first lsns made the sessions */
        assert_false(seen[entry.lsn - SESSIONS].there);
        seen[entry.lsn - SESSIONS] = (struct seen){origin, true};
        if (origin.expected.depth > 0 && origin.number == 0) {
            assert_int_equal(entry.parent.branch, origin.expected.branch);
            assert_int_equal(entry.parent.depth, origin.expected.depth);
        }
        assert_true(index == LEASED || origin.token == 0);
        see_token(&origin, &token, &greatest_token);
    }
    xylem_scan_free(scan);
    assert_int_equal(count, depth);
}

/* An append's entries have consecutive lsns, and a process' appends ascending ones. */
static void see_in_order(const struct seen *seen, uint64_t entry_count)
{
    for (uint64_t i = 1; i <= entry_count; i++) {
        assert_true(seen[i].there);
        const struct origin *origin = &seen[i].origin;
        struct incarnation *incarnation = &round_.incarnations[origin->incarnation];
        if (origin->number == 0) {
            assert_int_equal(incarnation->seen, incarnation->batch);
            assert_int_equal(origin->seq, incarnation->seen_seq + 1);
            incarnation->seen_seq = origin->seq;
            incarnation->batch = origin->batch;
            incarnation->seen = 0;
        } else {
            assert_int_equal(seen[i - 1].origin.incarnation, origin->incarnation);
        }
        assert_int_equal(origin->seq, incarnation->seen_seq);
        assert_int_equal(origin->number, incarnation->seen);
        incarnation->seen++;
    }
}

static int print_problem(void *context, const struct xylem_problem *problem)
{
    (void)context;
    print_error("verify: %s: (%" PRIu64 ", %" PRIu64 "): %s\n", problem->table, problem->position.branch,
                problem->position.depth, problem->text);
    return 0;
}

static void see_all(struct xylem_store *store)
{
    struct xylem_txn *txn = NULL;
    struct xylem_verify_report report;
    self.store = store;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, &err), XYLEM_OK);
    assert_int_equal(xylem_verify(&report, txn, NULL, print_problem, NULL, &err), XYLEM_OK);
    assert_int_equal(report.problem_count, 0);
    struct seen *seen = calloc(report.entry_count + 1, sizeof *seen);
    assert_non_null(seen);
    for (int i = 0; i < SESSIONS; i++) {
        see_session(seen, report.entry_count, txn, i);
    }
    struct changes changes;
    if (!changes_agree(&changes, txn, false)) {
        fail_msg("%s", changes.problem);
    }
    xylem_abort(txn);
    see_in_order(seen, report.entry_count);
    free(seen);
    uint64_t unacknowledged = 0;
    for (uint32_t i = 0; i < round_.incarnation_count; i++) {
        struct incarnation *incarnation = &round_.incarnations[i];
        assert_int_equal(incarnation->seen, incarnation->batch); /* the last append is whole, too */
        assert_in_range(incarnation->seen_seq, incarnation->acknowledged, incarnation->acknowledged + 1);
        assert_true(incarnation->killed);
        unacknowledged += incarnation->seen_seq > incarnation->acknowledged;
    }
    print_message("figures: %" PRIu64 " entries in %" PRIu64 " appends acknowledged, %" PRIu64 " appends more; %" PRIu64
                  " kills, %" PRIu64 " walks, %" PRIu64 " sittings\n",
                  round_.entries, round_.notes[APPENDED], unacknowledged, round_.kills, round_.notes[WALKED],
                  round_.notes[SAT]);
    print_message("figures: leases: %" PRIu64 " taken and released, %" PRIu64 " refused, %" PRIu64 " broken, %" PRIu64
                  " lost, %" PRIu64 " appends without one; %" PRIu64 " expected leaves were others\n",
                  round_.notes[LEASE_TAKEN], round_.notes[LEASE_REFUSED], round_.notes[LEASE_BROKE],
                  round_.notes[LEASE_LOST], round_.notes[INTRUDED], round_.notes[LEAF_LOST]);
}

/* --- Rounds ------------------------------------------------------------------------------------------------------ */

static struct xylem_store *open_store(bool create)
{
    struct xylem_open_options options = {.create = create};
    struct xylem_store *store = NULL;
    assert_int_equal(xylem_open(&store, round_.path, &options, &err), XYLEM_OK);
    return store;
}

static void make_sessions(void)
{
    struct xylem_txn *txn = NULL;
    struct xylem_store *store = open_store(true);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), XYLEM_OK);
    for (int i = 0; i < SESSIONS; i++) {
        struct xylem_session row;
        assert_int_equal(xylem_session_create(&row, txn, NULL, &err), XYLEM_OK);
        round_.sessions[i] = row.number;
    }
    assert_int_equal(xylem_commit(txn, &err), XYLEM_OK);
    assert_int_equal(xylem_close(store, &err), XYLEM_OK); /* the processes open it for themselves */
}

static void run_round(uint64_t seed, double seconds)
{
    memset(&round_, 0, sizeof round_);
    round_.chance = chance_of(seed);
    test_directory_make(round_.path, sizeof round_.path, "writers");
    print_message("XYLEM_SEED=%" PRIu64 "\n", seed);
    make_sessions();
    assert_int_equal(pipe(round_.pipe), 0);
    run_processes(seconds);
    if (round_.failure[0] != '\0') {
        fail_msg("%s; the store is %s", round_.failure, round_.path);
    }
    struct xylem_store *store = open_store(false);
    see_all(store);
    assert_int_equal(xylem_close(store, &err), XYLEM_OK);
    test_directory_remove(round_.path);
}

TEST(nothing_that_is_acknowledged_is_lost_while_processes_are_killed)
{
    const char *given = getenv("XYLEM_SECONDS");
    const char *given_seed = getenv("XYLEM_SEED");
    double left = given ? strtod(given, NULL) : getenv("XYLEM_TORTURE") ? 600.0 : CHECK_SECONDS;
    uint64_t seed = given_seed ? strtoull(given_seed, NULL, 10) : (uint64_t)time(NULL);
    for (; left > 0; left -= ROUND_SECONDS, seed++) {
        run_round(seed, left < ROUND_SECONDS ? left : ROUND_SECONDS);
    }
}
