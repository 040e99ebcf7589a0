/*
 * kill -9. A child works on a store and says through a pipe what it is about to commit and what was committed; it is
 * killed at a random moment, or kills itself at a random call that changes a file, or in the middle of one. Then the
 * parent looks: what was acknowledged is there, nothing is there by halves, and the next child goes on with the same
 * store. A process that dies loses nothing in any durability, as what it wrote is the system's.
 */
#include "tests/crash/deaths.h"
#include "tests/crash/workload.h"
#include "tests/lib/test.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static char place[128];
static char path[160];
static int pipe_ends[2];

static int make_place(void **state)
{
    (void)state;
    test_directory_make(place, sizeof place, "kill");
    snprintf(path, sizeof path, "%s/store", place);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    test_directory_remove(place);
    return 0;
}

/* --- The child --- */

struct message {
    bool acknowledged;
    struct fact fact;
};

static const char *const moment_names[] = {"at a time", "before a call", "after a call", "within a write"};

static void tell(const struct fact *fact, bool acknowledged)
{
    struct message message;
    memset(&message, 0, sizeof message);
    message.acknowledged = acknowledged;
    message.fact = *fact;
    if (write(pipe_ends[1], &message, sizeof message) != sizeof message) {
        _exit(3);
    }
}

static void intend(const struct fact *fact)
{
    tell(fact, false);
}

static void told(uint64_t number)
{
    const struct fact fact = {.work = WORK_IMPORT_FILES, .number = number};
    tell(&fact, true);
}

/* What the last child did not finish. */
struct unfinished {
    enum work work;  /* an import of one file, or of several */
    uint64_t number; /* 0: nothing */
};

/* Works until it is killed. An error of the library ends it with its text. */
static void work(uint64_t number, struct unfinished unfinished, enum xylem_durability durability, uint64_t seed)
{
    static const enum work draw[] = {WORK_APPEND,   WORK_APPEND, WORK_APPEND,   WORK_BATCH,   WORK_BATCH,
                                     WORK_LARGE,    WORK_BRANCH, WORK_BRANCH,   WORK_FORK,    WORK_DELETE,
                                     WORK_IMPORT,   WORK_SYNC,   WORK_NAVIGATE, WORK_SESSION, WORK_DELETE,
                                     WORK_UNDELETE, WORK_GC,     WORK_REDACT,   WORK_LEASE,   WORK_IMPORT_FILES};
    struct workload load = {
        .chance = chance_of(seed), .number = number, .intends = intend, .told = told, .place = place};
    struct xylem_open_options options = {.create = true, .durability = durability, .map_bytes = 1 << 20};
    struct xylem_error err = {0, ""};
    struct fact fact;
    int code = xylem_open(&load.store, path, &options, &err);
    if (code == XYLEM_OK && unfinished.number > 0) {
        bool one = unfinished.work == WORK_IMPORT;
        fact = (struct fact){.work = unfinished.work, .number = unfinished.number};
        intend(&fact);
        code = one ? work_import(&load, fact.number, &err) : work_import_files(&load, fact.number, &err);
        if (code == XYLEM_OK) {
            tell(&fact, true);
        }
    }
    while (code == XYLEM_OK) {
        enum work kind = draw[chance_below(&load.chance, (int)(sizeof draw / sizeof draw[0]))];
        if (kind == WORK_IMPORT) {
            char file[300];
            work_file_path(file, place, load.number);
            work_file(file, load.number);
        }
        if (kind == WORK_IMPORT_FILES) {
            work_files(place, load.number);
        }
        code = work_do(&fact, &load, kind, &err);
        if (code == XYLEM_OK) {
            tell(&fact, true);
        }
    }
    fprintf(stderr, "the child: %s\n", err.text);
    _exit(2);
}

/* --- What the parent knows --- */

#define SESSIONS_MAX 4096
#define FACTS_MAX 65536

static struct known {
    struct fact last[SESSIONS_MAX]; /* by the session's number: what its row must say */
    struct fact appends[FACTS_MAX];
    size_t append_count;
    struct fact redactions[FACTS_MAX];
    size_t redaction_count;
    bool collected[SESSIONS_MAX]; /* by the session's number: of it is left what others share */
    uint64_t entry_count;         /* but for those of unfinished imports */
    struct fact pending;          /* what the child was about to commit when it died */
    bool is_pending;
    struct unfinished unfinished;
    bool told[FACTS_MAX]; /* by how far its number is behind WORK_FILES_FIRST: the file was imported with others */
    uint64_t next_number;
} known;

/* The number of a file, or that of the piece of work, once all its files were told of. */
static void learn_of_files(uint64_t number)
{
    if (number < WORK_FILES_FIRST) {
        known.unfinished.number = 0;
        return;
    }
    assert_true(number - WORK_FILES_FIRST < FACTS_MAX);
    bool *was_told = &known.told[number - WORK_FILES_FIRST];
    known.entry_count += *was_told ? 0 : WORK_FILE_LINES;
    *was_told = true;
}

static void learn(const struct fact *fact)
{
    if (fact->work == WORK_IMPORT) {
        known.unfinished.number = 0;
        known.entry_count += WORK_FILE_LINES;
        return;
    }
    if (fact->work == WORK_IMPORT_FILES) {
        learn_of_files(fact->number);
        return;
    }
    if (fact->work == WORK_SYNC) {
        return;
    }
    if (fact->work == WORK_GC) {
        for (size_t i = 0; i < SESSIONS_MAX; i++) {
            known.collected[i] = known.collected[i] || known.last[i].deleted;
        }
        known.entry_count -= fact->freed_count;
        return;
    }
    if (fact->work == WORK_REDACT) {
        assert_true(known.redaction_count < FACTS_MAX);
        known.redactions[known.redaction_count++] = *fact;
        return;
    }
    assert_true(fact->session < SESSIONS_MAX && known.append_count < FACTS_MAX);
    known.last[fact->session] = *fact;
    known.entry_count += (uint64_t)fact->entry_count;
    if (fact->entry_count > 0) {
        known.appends[known.append_count++] = *fact;
    }
}

static void hear(const struct message *message)
{
    const struct fact *fact = &message->fact;
    if (fact->work == WORK_IMPORT_FILES && fact->number >= WORK_FILES_FIRST) {
        learn_of_files(fact->number); /* the piece of work goes on */
        return;
    }
    if (fact->number >= known.next_number) {
        known.next_number = fact->number + 1;
    }
    known.is_pending = !message->acknowledged;
    known.pending = *fact;
    if (message->acknowledged) {
        learn(fact);
    } else if (fact->work == WORK_IMPORT || fact->work == WORK_IMPORT_FILES) {
        known.unfinished = (struct unfinished){fact->work, fact->number};
    }
}

/* --- Looking --- */

static bool row_is(const struct xylem_session *row, const struct fact *fact)
{
    return row->leaf.branch == fact->leaf.branch && row->leaf.depth == fact->leaf.depth &&
           row->move_count == fact->move_count && (row->state == XYLEM_SESSION_DELETED) == fact->deleted;
}

/* Of an append: all of its entries are there as they were given, or were freed. Gives how many are. */
static int count_entries(struct xylem_txn *txn, const struct fact *fact)
{
    int there = 0;
    for (int i = 0; i < fact->entry_count; i++) {
        struct xylem_position at = {fact->first.branch, fact->first.depth + (uint64_t)i};
        struct xylem_entry entry;
        char id[64];
        work_id(id, fact->number, i, fact->entry_count, fact->work == WORK_LARGE);
        int code = xylem_entry_read(&entry, txn, at, NULL);
        there += code == XYLEM_E_FREED && known.collected[fact->session];
        there += code == XYLEM_OK && entry.id.bytes == strlen(id) && memcmp(entry.id.data, id, entry.id.bytes) == 0 &&
                 work_entry_right(&entry);
    }
    return there;
}

/* Of every session that was deleted, its row, its id and its own entries are freed, or of none. */
static bool was_collected(struct xylem_txn *txn)
{
    int candidates = 0;
    int collected = 0;
    for (uint64_t i = 0; i < SESSIONS_MAX; i++) {
        struct xylem_session row;
        if (known.last[i].deleted && !known.collected[i]) {
            int code = xylem_session_read(&row, txn, i, NULL);
            candidates++;
            collected += code == XYLEM_E_NOT_FOUND || (code == XYLEM_OK && row.state == XYLEM_SESSION_FREED);
        }
    }
    if (collected != 0 && collected != candidates) {
        fail_msg("of %d deleted sessions, %d were freed", candidates, collected);
    }
    return candidates > 0 && collected == candidates;
}

static bool is_redacted(struct xylem_txn *txn, const struct fact *fact)
{
    struct xylem_entry entry;
    int code = xylem_entry_read(&entry, txn, fact->first, NULL);
    if (code == XYLEM_E_FREED) {
        return true;
    }
    assert_int_equal(code, XYLEM_OK);
    return entry.flags & XYLEM_ENTRY_REDACTED && work_entry_right(&entry) &&
           (!fact->dropped || entry.flags & XYLEM_ENTRY_HASH_DROPPED);
}

/* Whether what was pending took place: all of it, or nothing. */
static void settle(struct xylem_txn *txn)
{
    const struct fact *fact = &known.pending;
    if (known.is_pending && (fact->work == WORK_GC || fact->work == WORK_REDACT)) {
        bool done = fact->work == WORK_GC ? was_collected(txn) : is_redacted(txn, fact);
        known.is_pending = false;
        if (done) {
            learn(fact);
        }
        return;
    }
    if (!known.is_pending || fact->work == WORK_SYNC || fact->work == WORK_IMPORT || fact->work == WORK_IMPORT_FILES) {
        return;
    }
    struct xylem_session row;
    int there = count_entries(txn, fact);
    int code = xylem_session_read(&row, txn, fact->session, NULL);
    bool took_place = code == XYLEM_OK && row_is(&row, fact);
    if (took_place && there == fact->entry_count) {
        learn(fact);
    } else if (there != 0) {
        fail_msg("of the %d entries of work %" PRIu64 ", %d are there", fact->entry_count, fact->number, there);
    }
    known.is_pending = false;
}

static int compare(void *context, const void *data, size_t bytes)
{
    return fwrite(data, 1, bytes, context) == bytes ? 0 : -1;
}

/* An import that was acknowledged gives its file back. */
static void look_at_import(struct xylem_txn *txn, const struct xylem_session *session)
{
    char file[300];
    char *exported = NULL;
    size_t exported_bytes = 0;
    snprintf(file, sizeof file, "%s/%.*s.jsonl", place, (int)session->id.bytes, session->id.data);
    FILE *out = open_memstream(&exported, &exported_bytes);
    assert_int_equal(xylem_export(txn, session->number, NULL, compare, out, NULL), XYLEM_OK);
    fclose(out);
    FILE *in = fopen(file, "rb");
    assert_non_null(in);
    char *given = malloc(exported_bytes + 2);
    assert_non_null(given);
    assert_int_equal(fread(given, 1, exported_bytes + 1, in), exported_bytes);
    assert_memory_equal(given, exported, exported_bytes);
    fclose(in);
    free(given);
    free(exported);
}

static void look_at_sessions(struct xylem_txn *txn)
{
    struct xylem_sessions *sessions;
    struct xylem_session session;
    uint64_t seen = 0;
    uint64_t expected = 0;
    assert_int_equal(xylem_sessions_new(&sessions, txn, NULL), XYLEM_OK);
    while (xylem_sessions_next(&session, sessions, NULL) == 1) {
        if (session.state == XYLEM_SESSION_FREED) {
            assert_true(known.collected[session.number]);
            continue;
        }
        if (session.id.data[0] == 'i') {
            char id[32] = "";
            memcpy(id, session.id.data, session.id.bytes < sizeof id ? session.id.bytes : sizeof id - 1);
            if (session.state == XYLEM_SESSION_LIVE) {
                look_at_import(txn, &session);
            } else {
                assert_true(strtoull(id + 1, NULL, 10) <
                            WORK_FILES_FIRST); /* files that share a transaction are there as a whole */
            }
            continue;
        }
        seen++;
        if (!row_is(&session, &known.last[session.number])) {
            fail_msg("session %" PRIu64 ": leaf (%" PRIu64 ", %" PRIu64 "), %" PRIu64 " moves, state %d",
                     session.number, session.leaf.branch, session.leaf.depth, session.move_count, (int)session.state);
        }
    }
    xylem_sessions_free(sessions);
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        expected += known.last[i].number > 0 && !known.collected[i];
    }
    assert_int_equal(seen, expected);
}

/* Files that were told of are there. What their sessions hold was looked at. */
static void look_at_files(struct xylem_txn *txn)
{
    for (uint64_t i = 0; i < FACTS_MAX; i++) {
        char id[32];
        struct xylem_session session;
        snprintf(id, sizeof id, "i%" PRIu64, WORK_FILES_FIRST + i);
        if (known.told[i] && xylem_session_find(&session, txn, xylem_view_of(id), NULL) != XYLEM_OK) {
            fail_msg("the import of %s was acknowledged, and its session is lost", id);
        }
    }
}

static void look(void)
{
    struct xylem_open_options options = {.create = true};
    struct xylem_store *store;
    struct xylem_txn *txn;
    struct xylem_error err = {0, ""};
    struct work_check check;
    struct xylem_verify_report report;
    if (xylem_open(&store, path, &options, &err) != XYLEM_OK ||
        xylem_begin(&txn, store, XYLEM_READ, &err) != XYLEM_OK) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(work_verify_changes(&check, &report, txn, &err), XYLEM_OK);
    if (check.problems > 0) {
        fail_msg("%" PRIu64 " problems: %s", check.problems, check.first);
    }
    settle(txn);
    look_at_sessions(txn);
    look_at_files(txn);
    for (size_t i = 0; i < known.append_count; i++) {
        if (count_entries(txn, &known.appends[i]) != known.appends[i].entry_count) {
            fail_msg("work %" PRIu64 " was acknowledged, and entries of it are lost", known.appends[i].number);
        }
    }
    for (size_t i = 0; i < known.redaction_count; i++) {
        if (!is_redacted(txn, &known.redactions[i])) {
            fail_msg("redaction %" PRIu64 " was acknowledged, and is undone", known.redactions[i].number);
        }
    }
    /* Nothing else is there, but for the part of an import that did not finish. */
    assert_true(report.entry_count >= known.entry_count);
    uint64_t files = known.unfinished.number == 0 ? 0 : known.unfinished.work == WORK_IMPORT ? 1 : WORK_FILES;
    assert_true(report.entry_count - known.entry_count <= files * WORK_FILE_LINES);
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

/* --- Killing --- */

static void wait_microseconds(int microseconds)
{
    struct timespec time = {0, microseconds * 1000L};
    nanosleep(&time, NULL);
}

/* One child, until it died. Gives how many acknowledgements came. */
static unsigned kill_one(enum xylem_durability durability, struct chance *chance)
{
    moment = (enum moment)chance_below(chance, MOMENT_COUNT);
    calls_left = 1 + chance_below(chance, chance_one_in(chance, 4) ? 20 : 300);
    int microseconds = chance_below(chance, 25000);
    uint64_t seed = chance_draw(chance);
    assert_int_equal(pipe(pipe_ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(pipe_ends[0]);
        deaths_begin(pipe_ends[1]);
        work(known.next_number, known.unfinished, durability, seed);
    }
    close(pipe_ends[1]);
    struct message message;
    unsigned acknowledged = 0;
    if (moment == AT_A_TIME) {
        wait_microseconds(microseconds);
        kill(child, SIGKILL);
    }
    while (read(pipe_ends[0], &message, sizeof message) == sizeof message) {
        hear(&message);
        acknowledged += message.acknowledged;
    }
    close(pipe_ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
        fail_msg("the child ended with status %x instead of being killed %s", (unsigned)status, moment_names[moment]);
    }
    return acknowledged;
}

/* A new store after so many kills: looking at all of it after each takes longer the larger it is. */
#define KILLS_OF_A_STORE 60u

static void kill_many(enum xylem_durability durability)
{
    const char *seed = getenv("XYLEM_SEED");
    struct chance chance = chance_of((seed ? strtoull(seed, NULL, 10) : 7) + (uint64_t)durability);
    unsigned kills = getenv("XYLEM_TORTURE") ? 340 : 17;
    unsigned by_moment[MOMENT_COUNT] = {0};
    unsigned acknowledged = 0;
    for (unsigned i = 0; i < kills; i++) {
        if (i % KILLS_OF_A_STORE == 0) {
            test_directory_remove(path);
            memset(&known, 0, sizeof known);
            known.next_number = 1;
        }
        acknowledged += kill_one(durability, &chance);
        by_moment[moment]++;
        look();
    }
    printf("figures: %u kills (", kills);
    for (int i = 0; i < MOMENT_COUNT; i++) {
        printf("%s%s %u", i ? ", " : "", moment_names[i], by_moment[i]);
    }
    printf("), %u acknowledgements, none lost\n", acknowledged);
    assert_true(acknowledged > kills);
}

TEST_WITH(a_killed_process_loses_nothing_with_durability_full, make_place, remove_place)
{
    kill_many(XYLEM_DURABILITY_FULL);
}

TEST_WITH(a_killed_process_loses_nothing_with_durability_nometa, make_place, remove_place)
{
    kill_many(XYLEM_DURABILITY_NOMETA);
}

TEST_WITH(a_killed_process_loses_nothing_with_durability_none, make_place, remove_place)
{
    kill_many(XYLEM_DURABILITY_NONE);
}
