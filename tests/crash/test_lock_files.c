/*
 * Hosts that are killed while somebody removes, moves and replaces the lock files of their store. Several processes
 * append to one store, and say through a pipe what was acknowledged and what was refused. The parent kills them, takes
 * the lock files away, brings older ones back, and compacts. Whenever nobody is left, the parent looks: every
 * acknowledged entry is there. Every refusal names a lock file, or the process that is waited for.
 */
#include "tests/lib/chance.h"
#include "tests/lib/test.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "xylem/append.h"
#include "xylem/care.h"
#include "xylem/inspect.h"

#define HOSTS_AT_ONCE 3
#define HOSTS_MAX 40000
#define KILLS_BETWEEN_LOOKS 20
#define WAIT_MS 300

static char place[128];
static char path[160];
static int pipe_ends[2];

static int make_place(void **state)
{
    (void)state;
    test_directory_make(place, sizeof place, "locks");
    snprintf(path, sizeof path, "%s/store", place);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

static void nap_us(int microseconds)
{
    struct timespec nap = {.tv_nsec = microseconds * 1000L};
    nanosleep(&nap, NULL);
}

/* --- A host ------------------------------------------------------------------------------------------------------ */

enum news { ACKNOWLEDGED, REFUSED, WRONG };

struct message {
    enum news news;
    int code;
    uint32_t host;
    uint32_t count; /* entries of the host's session that were acknowledged */
    char text[400];
};

static void tell(enum news news, uint32_t host, uint32_t count, int code, const char *text)
{
    struct message message = {.news = news, .code = code, .host = host, .count = count};
    snprintf(message.text, sizeof message.text, "%s", text);
    if (write(pipe_ends[1], &message, sizeof message) != sizeof message) {
        _exit(3);
    }
}

static void entry_id(char id[48], uint32_t host, uint32_t number)
{
    snprintf(id, 48, "h%u-%u", host, number);
}

static int append_one(struct xylem_store *store, uint32_t host, uint32_t number, struct xylem_error *err)
{
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_position first;
    char session_id[48];
    char id[48];
    snprintf(session_id, sizeof session_id, "host-%u", host);
    entry_id(id, host, number);
    struct xylem_session_options options = {.id = xylem_view_of(session_id)};
    struct xylem_new_entry entry = {.id = xylem_view_of(id), .kind = {XYLEM_CLASS_HOST, xylem_view_of("note")}};
    int code = xylem_begin(&txn, store, XYLEM_WRITE, err);
    if (code < 0) {
        return code;
    }
    code = xylem_session_find(&session, txn, options.id, err);
    if (code == XYLEM_E_NOT_FOUND) {
        code = xylem_session_create(&session, txn, &options, err);
    }
    if (code == XYLEM_OK) {
        code = xylem_append(&first, txn, session.number, &entry, 1, NULL, err);
    }
    if (code < 0) {
        xylem_abort(txn);
        return code;
    }
    return xylem_commit(txn, err);
}

/* 1 if the session of the host has `count` entries or one more, whose acknowledgement its death took. */
static int has_entries(struct xylem_store *store, uint32_t host, uint32_t count, struct xylem_error *err)
{
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_entry entry;
    char id[48];
    snprintf(id, sizeof id, "host-%u", host);
    int code = xylem_begin(&txn, store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    code = xylem_session_find(&session, txn, xylem_view_of(id), err);
    bool right = code == XYLEM_OK && (session.leaf.depth == count || session.leaf.depth == count + 1);
    if (right && count > 0) {
        entry_id(id, host, count);
        code = xylem_entry_read(&entry, txn, (struct xylem_position){session.leaf.branch, count}, err);
        right = code == XYLEM_OK && entry.id.bytes == strlen(id) && memcmp(entry.id.data, id, strlen(id)) == 0;
    }
    if (code == XYLEM_OK && !right) {
        snprintf(err->text, sizeof err->text, "%" PRIu64 " entries", session.leaf.depth);
    }
    xylem_abort(txn);
    return code == XYLEM_E_NOT_FOUND || code == XYLEM_OK ? right : code;
}

/* Appends until the process is killed. After a refusal the host closes the store, and opens the store again. */
static void be_host(uint32_t host, uint64_t seed)
{
    struct chance chance = chance_of(seed);
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE, .wait_ms = WAIT_MS};
    struct xylem_store *store = NULL;
    struct xylem_error err = {0, ""};
    uint32_t count = 0;
    for (;;) {
        int code = store ? XYLEM_OK : xylem_open(&store, path, &options, &err);
        if (code == XYLEM_OK && count > 0 && chance_below(&chance, 4) == 0) {
            code = has_entries(store, host, count, &err);
            if (code == 0) {
                tell(WRONG, host, count, 0, err.text);
            }
        } else if (code == XYLEM_OK) {
            code = append_one(store, host, count + 1, &err);
            if (code == XYLEM_OK) {
                tell(ACKNOWLEDGED, host, ++count, 0, "");
            }
        }
        if (code < 0) {
            tell(REFUSED, host, count, code, err.text);
            (void)xylem_close(store, NULL);
            store = NULL;
            nap_us(chance_below(&chance, 4000));
        }
        if (chance_below(&chance, 3) == 0) {
            nap_us(chance_below(&chance, 3000));
        }
    }
}

static void be_compaction(void)
{
    struct xylem_compact_options options = {.wait_ms = 20, .overwrite_old = true};
    struct xylem_error err = {0, ""};
    int code = xylem_compact(NULL, path, &options, &err);
    if (code < 0) {
        tell(REFUSED, 0, 0, code, err.text);
    }
    _exit(0);
}

/* --- What the parent knows --------------------------------------------------------------------------------------- */

static struct {
    uint32_t acknowledged[HOSTS_MAX]; /* entries, by host */
    uint64_t acknowledged_count;
    uint64_t refused[64]; /* by code */
    uint64_t wrong;
    uint64_t unnamed;
    uint64_t faults; /* hosts that a SIGBUS ended */
    char unnamed_text[500];
    char wrong_text[500];
} known;

static void learn(const struct message *message)
{
    if (message->news == ACKNOWLEDGED) {
        known.acknowledged[message->host] = message->count;
        known.acknowledged_count++;
        return;
    }
    if (message->news == WRONG) {
        known.wrong++;
        snprintf(known.wrong_text, sizeof known.wrong_text, "host %u knows of %u entries, and finds %s", message->host,
                 message->count, message->text);
        return;
    }
    known.refused[-message->code]++;
    bool named = strstr(message->text, "lock.mdb") || strstr(message->text, "data.mdb was replaced") ||
                 strstr(message->text, "xylem.lock") ||
                 (message->code == XYLEM_E_BUSY && strstr(message->text, "process"));
    if (!named) {
        known.unnamed++;
        snprintf(known.unnamed_text, sizeof known.unnamed_text, "%d: %s", message->code, message->text);
    }
}

static void hear(void)
{
    struct message message;
    while (read(pipe_ends[0], &message, sizeof message) == sizeof message) {
        learn(&message);
    }
}

/* Nobody has the store open: every acknowledged entry is there, whatever lock files there are. */
static void look(uint32_t host_count)
{
    struct xylem_open_options options = {.create = true};
    struct xylem_store *store = NULL;
    struct xylem_error err = {0, ""};
    if (xylem_open(&store, path, &options, &err) != XYLEM_OK) {
        fail_msg("nobody has the store open: %s", err.text);
    }
    for (uint32_t host = 1; host <= host_count; host++) {
        int found = known.acknowledged[host] > 0 ? has_entries(store, host, known.acknowledged[host], &err) : 1;
        if (found != 1) {
            fail_msg("%u entries of host %u were acknowledged: %s", known.acknowledged[host], host, err.text);
        }
    }
    struct xylem_txn *txn = NULL;
    struct xylem_verify_report report;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, &err), XYLEM_OK);
    if (xylem_verify(&report, txn, NULL, NULL, NULL, &err) < 0 || report.problem_count > 0) {
        fail_msg("verify: %" PRIu64 " problems; %s", report.problem_count, err.text);
    }
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, &err), XYLEM_OK);
}

/* --- What happens to the lock files ------------------------------------------------------------------------------ */

static const char *const locks[] = {"lock.mdb", "xylem.lock"};

static void in_store(char out[256], const char *name, const char *suffix)
{
    snprintf(out, 256, "%s/%s%s", path, name, suffix);
}

static void copy(const char *from, const char *to)
{
    char bytes[65536];
    int in = open(from, O_RDONLY | O_CLOEXEC);
    ssize_t got = in < 0 ? -1 : read(in, bytes, sizeof bytes);
    int out = got < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (out >= 0) {
        assert_int_equal(write(out, bytes, (size_t)got), got);
        close(out);
    }
    if (in >= 0) {
        close(in);
    }
}

enum trick { REMOVE, MOVE_AWAY, MOVE_BACK, KEEP_COPY, REPLACE, COPY_OVER, COMPACT, TRICK_COUNT };

/* True if a mapped file may have been shortened. */
static bool play(struct chance *chance, bool may_shorten)
{
    enum trick trick = (enum trick)chance_below(chance, TRICK_COUNT - 1);
    int which = chance_below(chance, 3); /* 2: both */
    bool shortened = false;
    for (int i = 0; i < 2; i++) {
        char file[256];
        char away[256];
        char kept[256];
        char new_file[256];
        if (which != 2 && which != i) {
            continue;
        }
        in_store(file, locks[i], "");
        in_store(away, locks[i], ".away");
        in_store(kept, locks[i], ".kept");
        in_store(new_file, locks[i], ".new");
        if (trick == REMOVE) {
            (void)unlink(file);
        } else if (trick == MOVE_AWAY) {
            (void)rename(file, away);
        } else if (trick == MOVE_BACK) {
            (void)rename(away, file);
        } else if (trick == KEEP_COPY) {
            copy(file, kept);
        } else if (trick == REPLACE) {
            copy(kept, new_file);
            (void)rename(new_file, file);
        } else if (trick == COPY_OVER && may_shorten) {
            copy(kept, file);
            shortened = true;
        }
    }
    return shortened;
}

/* --- The parent -------------------------------------------------------------------------------------------------- */

struct team {
    pid_t hosts[HOSTS_AT_ONCE + 1]; /* the last is a compaction */
    uint32_t host_count;
    int kills;
    bool shortened;
};

static void start(struct team *team, int slot, struct chance *chance)
{
    uint64_t seed = chance_draw(chance);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        static const int faults[] = {SIGBUS, SIGSEGV, SIGILL, SIGFPE};
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
            signal(faults[i], SIG_DFL); /* the handler of the tests would go on with the parent's test */
        }
        close(pipe_ends[0]);
        if (slot == HOSTS_AT_ONCE) {
            be_compaction();
        }
        be_host(team->host_count + 1, seed);
    }
    team->host_count += slot < HOSTS_AT_ONCE;
    assert_true(team->host_count < HOSTS_MAX);
    team->hosts[slot] = pid;
}

static void end(struct team *team, int slot)
{
    int status = 0;
    if (team->hosts[slot] == 0) {
        return;
    }
    kill(team->hosts[slot], SIGKILL);
    assert_int_equal(waitpid(team->hosts[slot], &status, 0), team->hosts[slot]);
    team->hosts[slot] = 0;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        team->kills++;
        return;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS && team->shortened) {
        known.faults++;
        return;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail_msg("slot %d ended with status %#x", slot, (unsigned)status);
    }
}

static void run_team(int kills, bool may_shorten)
{
    const char *again = getenv("XYLEM_SEED");
    uint64_t seed = again ? strtoull(again, NULL, 10) : (uint64_t)time(NULL);
    struct chance chance = chance_of(seed);
    struct team team = {.kills = 0};
    memset(&known, 0, sizeof known);
    print_message("XYLEM_SEED=%" PRIu64 "\n", seed);
    assert_int_equal(pipe2(pipe_ends, O_CLOEXEC), 0);
    assert_int_equal(fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK), 0);
    look(0); /* makes the store: a compaction may be the first to start */
    for (int next_look = KILLS_BETWEEN_LOOKS; team.kills < kills;) {
        for (int slot = 0; slot < HOSTS_AT_ONCE; slot++) {
            if (team.hosts[slot] == 0) {
                start(&team, slot, &chance);
            }
        }
        nap_us(chance_below(&chance, 8000));
        hear();
        int draw = chance_below(&chance, 10);
        if (draw < 5) {
            end(&team, chance_below(&chance, HOSTS_AT_ONCE + 1));
        } else if (draw < 9) {
            team.shortened = play(&chance, may_shorten) || team.shortened;
        } else if (team.hosts[HOSTS_AT_ONCE] == 0) {
            start(&team, HOSTS_AT_ONCE, &chance);
        }
        if (team.kills >= next_look) {
            for (int slot = 0; slot <= HOSTS_AT_ONCE; slot++) {
                end(&team, slot);
            }
            hear();
            look(team.host_count);
            next_look = team.kills + KILLS_BETWEEN_LOOKS;
        }
    }
    for (int slot = 0; slot <= HOSTS_AT_ONCE; slot++) {
        end(&team, slot);
    }
    hear();
    look(team.host_count);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    print_message("%d kills, %u hosts, %" PRIu64 " acknowledged, %" PRIu64 " ended by SIGBUS; refused:", team.kills,
                  team.host_count, known.acknowledged_count, known.faults);
    for (int code = 0; code < 64; code++) {
        if (known.refused[code] > 0) {
            print_message(" %s %" PRIu64, xylem_code_text(-code), known.refused[code]);
        }
    }
    print_message("\n");
    if (known.wrong > 0 || known.unnamed > 0) {
        fail_msg("%" PRIu64 " wrong answers: %s; %" PRIu64 " refusals that name nobody: %s", known.wrong,
                 known.wrong_text, known.unnamed, known.unnamed_text);
    }
}

static int kills_wanted(void)
{
    const char *given = getenv("XYLEM_KILLS");
    return given && atoi(given) > 0 ? atoi(given) : (int)test_rounds(400);
}

TEST_WITH(no_acknowledged_entry_is_lost_when_lock_files_are_removed_moved_and_replaced, make_place, remove_place)
{
    run_team(kills_wanted(), false);
}

TEST_WITH(nor_when_they_are_copied_over, make_place, remove_place)
{
    run_team((kills_wanted() + 3) / 4, true);
}
