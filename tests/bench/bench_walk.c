/*
 * How fast a path is read, newest to oldest: entries whose sum is verified, entries whose payload is verified as well,
 * and what LMDB itself gives of the same table of the same store: a reverse cursor that touches each record, and one
 * that hashes the whole record as xylem's sums and payload hashes together do.
 */
#include <stdlib.h>
#include <xxhash.h>

#include "tests/bench/bare.h"
#include "tests/bench/bench.h"
#include "tests/bench/data.h"
#include "xylem/branch.h"

struct subject {
    struct xylem_txn *txn;
    struct xylem_position leaf;
    uint64_t entry_count;
    MDB_txn *bare;
    MDB_dbi log;
    bool payloads;
    bool hashes;
};

static void run_walk(void *context, uint64_t count)
{
    const struct subject *subject = context;
    for (uint64_t i = 0; i < count; i++) {
        struct xylem_walk *walk = NULL;
        struct xylem_entry entry;
        struct xylem_view payload;
        struct xylem_error err;
        uint64_t seen = 0;
        int code = 0;
        bench_xylem(xylem_walk_new(&walk, subject->txn, subject->leaf, &err), "a walk", &err);
        while ((code = xylem_walk_next(&entry, walk, &err)) == 1) {
            if (subject->payloads) {
                bench_xylem(xylem_entry_payload(&payload, &entry, &err), "a payload", &err);
            }
            seen++;
        }
        bench_xylem(code, "a walk", &err);
        bench_must(seen == subject->entry_count, "a walk", "it gave another number of entries");
        xylem_walk_free(walk);
    }
}

static void run_bare(void *context, uint64_t count)
{
    const struct subject *subject = context;
    for (uint64_t i = 0; i < count; i++) {
        MDB_cursor *cursor = NULL;
        MDB_val key;
        MDB_val record;
        uint64_t seen = 0;
        bench_bare(mdb_cursor_open(subject->bare, subject->log, &cursor), "a cursor");
        for (int result = mdb_cursor_get(cursor, &key, &record, MDB_LAST); result == 0;
             result = mdb_cursor_get(cursor, &key, &record, MDB_PREV)) {
            bench_use(subject->hashes ? XXH3_64bits(record.mv_data, record.mv_size)
                                      : *(const unsigned char *)record.mv_data);
            seen++;
        }
        bench_must(seen == subject->entry_count, "a cursor", "it gave another number of records");
        mdb_cursor_close(cursor);
    }
}

/*
 * The store's environment a second time, by LMDB itself. Twice in a process is against its rules for the sake of its
 * locks: this one takes none, and nothing is written while it is open.
 */
static MDB_env *open_bare(struct subject *subject, const char *path)
{
    MDB_env *env = NULL;
    bench_bare(mdb_env_create(&env), "an environment");
    bench_bare(mdb_env_set_mapsize(env, (size_t)1 << 36), "a map");
    bench_bare(mdb_env_set_maxdbs(env, XYLEM_TABLE_COUNT), "tables");
    bench_bare(mdb_env_open(env, path, MDB_RDONLY | MDB_NOLOCK | MDB_NORDAHEAD, 0600), path);
    bench_bare(mdb_txn_begin(env, NULL, MDB_RDONLY, &subject->bare), "a transaction");
    bench_bare(mdb_dbi_open(subject->bare, "log", 0, &subject->log), "the table log");
    return env;
}

static void add(struct bench *bench, const char *table, const char *name, void (*run)(void *context, uint64_t count),
                const struct subject *subject)
{
    bench_add(bench, &(struct bench_contestant){.table = table,
                                                .name = name,
                                                .loses = BENCH_READS,
                                                .run = run,
                                                .context = (void *)subject,
                                                .items = (double)subject->entry_count,
                                                .items_unit = "entries/s"});
}

static void measure(struct bench *bench)
{
    static const uint64_t sizes[] = {10000, 1000000};
    static struct subject plain[2];
    static struct subject deep[2];
    struct xylem_store *stores[2];
    MDB_env *envs[2];
    size_t count = bench_quick(bench) ? 1 : 2;
    for (size_t i = 0; i < count; i++) {
        struct xylem_error err;
        const char *path = bench_path(bench, bench_format(bench, "%llu", (unsigned long long)sizes[i]));
        const char *table = bench_format(bench, "walk a path of %llu entries", (unsigned long long)sizes[i]);
        stores[i] = bench_store(path);
        uint64_t session = bench_session(stores[i]);
        bench_append(stores[i], session, 1, sizes[i], 0);
        plain[i] = (struct subject){.leaf = bench_leaf(stores[i], session), .entry_count = sizes[i]};
        bench_xylem(xylem_begin(&plain[i].txn, stores[i], XYLEM_READ, &err), "a transaction", &err);
        envs[i] = open_bare(&plain[i], path);
        deep[i] = plain[i];
        deep[i].payloads = deep[i].hashes = true;
        add(bench, table, "LMDB, reverse cursor", run_bare, &plain[i]);
        add(bench, table, "LMDB, and XXH3 of each record", run_bare, &deep[i]);
        add(bench, table, "xylem_walk_next, sums verified", run_walk, &plain[i]);
        add(bench, table, "xylem_walk_next, payloads too", run_walk, &deep[i]);
    }
    bench_run(bench, 15);
    bench_note(bench,
               "xylem always verifies sums: it has no way to leave that out. What an unverified walk costs is the "
               "reverse cursor of LMDB by itself, which touches the first byte of each record; what verifying "
               "all bytes costs at least is the same with XXH3. Payloads too: xylem_entry_payload of each entry.");
    for (size_t i = 0; i < count; i++) {
        mdb_txn_abort(plain[i].bare);
        mdb_env_close(envs[i]);
        xylem_abort(plain[i].txn);
        bench_xylem(xylem_close(stores[i], NULL), "close", NULL);
    }
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "walk", measure);
}
