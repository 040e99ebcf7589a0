/*
 * What a whole process costs that answers what state holds: `xylem state SESSION --json` against a program that does
 * nothing and loads the same libraries, and against the command sqlite3 with the same question. First with the files in
 * the page cache, then with the stores' files, not those of the programs, dropped from it.
 */
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tests/bench/data.h"
#include "tests/bench/process.h"
#include "tests/bench/sql.h"

struct command {
    char *words[8];
    const char *file; /* what is dropped from the page cache before it runs */
};

static void run_command(void *context, uint64_t count)
{
    struct command *command = context;
    for (uint64_t i = 0; i < count; i++) {
        bench_command(command->words, NULL, 0);
    }
}

/* Which part of the file is in the page cache. */
static double part_cached(const char *path)
{
    struct stat file;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bench_must(fd >= 0 && fstat(fd, &file) == 0 && file.st_size > 0, path, "cannot be looked at");
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t count = ((size_t)file.st_size + page - 1) / page;
    unsigned char *pages = calloc(count, 1);
    void *map = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_SHARED, fd, 0);
    bench_must(pages && map != MAP_FAILED && mincore(map, (size_t)file.st_size, pages) == 0, path, "cannot be mapped");
    size_t cached = 0;
    for (size_t i = 0; i < count; i++) {
        cached += pages[i] & 1u;
    }
    munmap(map, (size_t)file.st_size);
    free(pages);
    close(fd);
    return (double)cached / (double)count;
}

static void drop_file(void *context, uint64_t count)
{
    const struct command *command = context;
    (void)count;
    if (!command->file) {
        return;
    }
    int fd = open(command->file, O_RDONLY | O_CLOEXEC);
    bench_must(fd >= 0 && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0, command->file, "cannot be dropped");
    close(fd);
}

/* A session whose three kinds lie in its middle. Gives its id. */
static const char *make_store(struct bench *bench, const char *path, uint64_t size)
{
    struct xylem_txn *txn = NULL;
    struct xylem_session row;
    struct xylem_error err;
    struct xylem_store *store = bench_store(path);
    uint64_t session = bench_session(store);
    bench_append(store, session, 1, size, size / 2);
    bench_xylem(xylem_begin(&txn, store, XYLEM_READ, &err), "a transaction", &err);
    bench_xylem(xylem_session_read(&row, txn, session, &err), "a session", &err);
    const char *id = bench_format(bench, "%.*s", (int)row.id.bytes, row.id.data);
    xylem_abort(txn);
    bench_xylem(xylem_sync(store, &err), "xylem_sync", &err); /* only what is written can be dropped */
    bench_xylem(xylem_close(store, &err), "xylem_close", &err);
    return id;
}

static void make_database(const char *path, uint64_t size)
{
    sqlite3 *database = bench_sql_open(path, "FULL");
    bench_sql_append(database, 1, 0, 1, 0, 1, size, size / 2);
    bench_sql_exec(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    sqlite3_close(database);
}

/* The newest of each kind, as one command line asks for them. */
static const char *query_of(struct bench *bench, uint64_t size)
{
    const char *each = "SELECT * FROM (SELECT seq, payload FROM entries WHERE branch = 1 AND kind = %d AND seq <= %llu "
                       "ORDER BY seq DESC LIMIT 1)";
    char kinds[3][200];
    for (int i = 0; i < 3; i++) {
        snprintf(kinds[i], sizeof kinds[i], each, i, (unsigned long long)size);
    }
    return bench_format(bench, "%s UNION ALL %s UNION ALL %s", kinds[0], kinds[1], kinds[2]);
}

static const char *empty_program(struct bench *bench)
{
    char self[4096] = "";
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    bench_must(bytes > 0, "/proc/self/exe", "cannot be read");
    self[bytes] = '\0';
    return bench_format(bench, "%s/empty", dirname(self));
}

/* Both commands must find what lies in the middle of the session. */
static void check_answers(struct command *state, struct command *query)
{
    char output[65536];
    bench_command(state->words, output, sizeof output);
    bench_must(strstr(output, "\"deploy\"") != NULL, "xylem state", "it does not give the sequence");
    bench_command(query->words, output, sizeof output);
    bench_must(strstr(output, "\"deploy\"") != NULL, "sqlite3", "it does not give the sequence");
}

static void add(struct bench *bench, const char *table, const char *name, struct command *command)
{
    bench_add(bench, &(struct bench_contestant){.table = table,
                                                .name = name,
                                                .loses = BENCH_READS,
                                                .run = run_command,
                                                .context = command,
                                                .prepare = command->file ? drop_file : NULL,
                                                .count_max = 1});
}

static void measure(struct bench *bench)
{
    uint64_t size = bench_quick(bench) ? 10000 : 100000;
    char *path = (char *)bench_format(bench, "%s/store", bench_directory(bench));
    char *data = (char *)bench_format(bench, "%s/store/data.mdb", bench_directory(bench));
    char *database = (char *)bench_format(bench, "%s/database", bench_directory(bench));
    char *program = (char *)bench_program(bench);
    char *id = (char *)make_store(bench, path, size);
    make_database(database, size);
    struct command empty = {{(char *)empty_program(bench), NULL}, NULL};
    struct command state = {{program, (char *)"-s", path, (char *)"state", id, (char *)"--json", NULL}, NULL};
    struct command query = {
        {(char *)"sqlite3", (char *)"-batch", (char *)"-readonly", database, (char *)query_of(bench, size), NULL},
        NULL};
    struct command cold_state = state;
    struct command cold_query = query;
    cold_state.file = data;
    cold_query.file = database;
    check_answers(&state, &query);
    const char *warm =
        bench_format(bench, "whole process, a session of %llu entries, page cache warm", (unsigned long long)size);
    const char *cold =
        bench_format(bench, "whole process, a session of %llu entries, store and database not in the page cache",
                     (unsigned long long)size);
    add(bench, warm, "empty program, same libraries", &empty);
    add(bench, warm, "xylem state SESSION --json", &state);
    add(bench, warm, "sqlite3 DATABASE QUERY", &query);
    drop_file(&cold_state, 1);
    double left = part_cached(data);
    if (left < 0.01) {
        add(bench, cold, "empty program, same libraries", &empty);
        add(bench, cold, "xylem state SESSION --json", &cold_state);
        add(bench, cold, "sqlite3 DATABASE QUERY", &cold_query);
    }
    bench_run(bench, 15);
    bench_note(bench, left < 0.01 ? "Dropped by posix_fadvise(POSIX_FADV_DONTNEED); mincore says that it is gone."
                                  : "With a cold page cache: not measured, the system keeps the file in the cache.");
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "process", measure);
}
