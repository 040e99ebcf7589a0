/*
 * What a whole process costs that answers what state holds: `xylem state SESSION --json` against a program that does
 * nothing and loads the same libraries, and against the command sqlite3 with the same question. First with the files in
 * the page cache, then with the stores' files, not those of the programs, dropped from it.
 */
#include <errno.h>
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

static const struct bench_row warm[] = {
    {"empty program, same libraries", BENCH_READS, bench_command, .how = 0, .most = 1},
    {"xylem state SESSION --json", BENCH_READS, bench_command, .how = 1, .most = 1},
    {"sqlite3 DATABASE QUERY", BENCH_READS, bench_command, .how = 2, .most = 1},
};
static const struct bench_row cold[] = {
    {"empty program, same libraries", BENCH_READS, bench_command, .how = 0, .most = 1},
    {"xylem state SESSION --json", BENCH_READS, bench_command, .how = 1, .most = 1, .prepare = drop},
    {"sqlite3 DATABASE QUERY", BENCH_READS, bench_command, .how = 2, .most = 1, .prepare = drop},
};

BENCH("process")
{
    size_t size = bench_quick ? 10000 : 100000;
    const char *path = bench_path("store");
    const char *database = bench_path("database");
    const char *table = bench_text("whole process, a session of %zu entries", size);
    const char *id = make_stores(path, database, size);
    struct bench_command commands[] = {
        {.words = {bench_empty_program}},
        {.words = {bench_program, "-s", path, "state", id, "--json"}, .drop = bench_text("%s/data.mdb", path)},
        {.words = {"sqlite3", "-batch", "-readonly", database, QUERY}, .drop = database},
    };
    for (size_t i = 1; i < 3; i++) { /* both find what lies in the middle of the session */
        bench_must(strstr(bench_output(&commands[i]), "deploy") != NULL, commands[i].words[0], "gives no sequence");
    }
    bench_table(bench_text("%s, page cache warm", table), commands, BENCH_ROWS(warm));
    drop((struct bench_call){commands, 1});
    bool dropped = is_dropped(commands[1].drop);
    if (dropped) {
        bench_table(bench_text("%s, store and database not in the page cache", table), commands, BENCH_ROWS(cold));
    }
    bench_run(15);
    bench_note(dropped ? "Dropped by posix_fadvise(POSIX_FADV_DONTNEED); preadv2(RWF_NOWAIT) says that it is gone."
                       : "With a cold page cache: not measured, the system keeps the file in the cache.");
}
