/*
 * What a whole process costs that answers what state holds, or judges a command: against a static program that does
 * nothing. xylem as `make` and as `make static` link it; beside them the command sqlite3 with the question about
 * state, and the start of Node. First with the files in the page cache, then with the stores' files, not those of the
 * programs, dropped from it.
 */
#include <errno.h>
#include <libgen.h>
#include <sys/uio.h>

#include "tests/bench/stores.h"

/* Takes the command's file out of the page cache. */
static void drop(struct bench_call call)
{
    const char *path = ((const struct bench_command *)call.subject)[call.how].drop;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bench_must(file >= 0 && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0, path, "cannot be dropped");
    close(file);
}

/* Whether the middle of the file has to be read from the disk. */
static bool is_dropped(const char *path)
{
    char byte;
    struct stat status;
    struct iovec vector = {&byte, 1};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bench_must(file >= 0 && fstat(file, &status) == 0, path, "cannot be looked at");
    bool dropped = preadv2(file, &vector, 1, status.st_size / 2, RWF_NOWAIT) < 0 && errno == EAGAIN;
    close(file);
    return dropped;
}

/* A session whose three kinds lie in its middle, and its database. Gives the session's id. */
static const char *make_stores(const char *path, const char *database, uint64_t size)
{
    struct xylem_session session;
    struct bench_made made = bench_make(path, size, size / 2);
    struct xylem_txn *txn = bench_begin(made.store, XYLEM_READ);
    bench_xylem(xylem_session_read(&session, txn, made.session, &bench_err));
    const char *id = bench_text("%.*s", (int)session.id.bytes, session.id.data);
    xylem_abort(txn);
    sqlite3_close(bench_sql_copy(database, made.store, path));
    bench_close(made.store);
    sync(); /* only what is written can be dropped */
    return id;
}

/* The newest of each kind, as one command line asks for them. */
#define NEWEST(kind) \
    "SELECT * FROM (SELECT seq, payload FROM entries WHERE branch = 1 AND kind = " #kind " ORDER BY seq DESC LIMIT 1)"
#define QUERY NEWEST(0) " UNION ALL " NEWEST(1) " UNION ALL " NEWEST(2)

/* The places of the commands. Those that print a state come first. */
enum { STATE, STATIC_STATE, SQLITE, STATES, JUDGE = STATES, STATIC_JUDGE, EMPTY, NODE };

static const struct bench_row warm[] = {
    {"empty static program", BENCH_READS, bench_command, .how = EMPTY, .most = 1},
    {"xylem state SESSION --json", BENCH_READS, bench_command, .how = STATE, .most = 1},
    {"the same, make static", BENCH_READS, bench_command, .how = STATIC_STATE, .most = 1},
    {"xylem judge COMMAND", BENCH_READS, bench_command, .how = JUDGE, .most = 1},
    {"judge, make static", BENCH_READS, bench_command, .how = STATIC_JUDGE, .most = 1},
    {"sqlite3 DATABASE QUERY", BENCH_READS, bench_command, .how = SQLITE, .most = 1},
    {"node -e 0", BENCH_READS, bench_command, .how = NODE, .most = 1}, /* the last: it may be missing */
};
static const struct bench_row cold[] = {
    {"empty static program", BENCH_READS, bench_command, .how = EMPTY, .most = 1},
    {"xylem state SESSION --json", BENCH_READS, bench_command, .how = STATE, .most = 1, .prepare = drop},
    {"sqlite3 DATABASE QUERY", BENCH_READS, bench_command, .how = SQLITE, .most = 1, .prepare = drop},
};

BENCH("process")
{
    size_t size = bench_quick ? 10000 : 100000;
    const char *path = bench_path("store");
    const char *database = bench_path("database");
    const char *table = bench_text("whole process, a session of %zu entries", size);
    const char *id = make_stores(path, database, size);
    const char *linked = bench_text("%s/static/xylem", dirname(strdup(bench_program)));
    bool node = system("command -v node >/dev/null 2>&1") == 0;
    struct bench_command commands[] = {
        [EMPTY] = {.words = {bench_empty_program}},
        [STATE] = {.words = {bench_program, "-s", path, "state", id, "--json"},
                   .drop = bench_text("%s/data.mdb", path)},
        [STATIC_STATE] = {.words = {linked, "-s", path, "state", id, "--json"}},
        [SQLITE] = {.words = {"sqlite3", "-batch", "-readonly", database, QUERY}, .drop = database},
        [JUDGE] = {.words = {bench_program, "judge", "git status && ls -l"}},
        [STATIC_JUDGE] = {.words = {linked, "judge", "git status && ls -l"}},
        [NODE] = {.words = {"node", "-e", "0"}},
    };
    for (size_t i = 0; i < STATES; i++) { /* all find what lies in the middle of the session */
        bench_must(strstr(bench_output(&commands[i]), "deploy") != NULL, commands[i].words[0], "gives no sequence");
    }
    bench_table(bench_text("%s, page cache warm", table), commands, warm, sizeof warm / sizeof *warm - (node ? 0 : 1));
    drop((struct bench_call){commands, STATE});
    bool dropped = is_dropped(commands[STATE].drop);
    if (dropped) {
        bench_table(bench_text("%s, store and database not in the page cache", table), commands, BENCH_ROWS(cold));
    }
    bench_run(15);
    bench_note(dropped ? "Dropped by posix_fadvise(POSIX_FADV_DONTNEED); preadv2(RWF_NOWAIT) says that it is gone."
                       : "With a cold page cache: not measured, the system keeps the file in the cache.");
}
