#include "tests/bench/bare.h"

#include <string.h>
#include <sys/stat.h>

#include "tests/bench/bench.h"
#include "tests/bench/data.h"

void bench_bare(int result, const char *what)
{
    bench_must(result == 0, what, mdb_strerror(result));
}

MDB_env *bench_bare_open_named(MDB_dbi *table, const char *path, const char *name, unsigned flags)
{
    MDB_env *env = NULL;
    MDB_txn *txn = NULL;
    mkdir(path, 0700);
    bench_bare(mdb_env_create(&env), "an environment");
    bench_bare(mdb_env_set_mapsize(env, (size_t)1 << 36), "a map");
    bench_bare(mdb_env_set_maxdbs(env, name ? XYLEM_TABLE_COUNT + 1 : 0), "tables");
    bench_bare(mdb_env_open(env, path, flags | MDB_NOTLS | MDB_NORDAHEAD, 0600), path);
    bench_bare(mdb_txn_begin(env, NULL, flags & MDB_RDONLY, &txn), "a transaction");
    bench_bare(mdb_dbi_open(txn, name, name ? MDB_CREATE : 0, table), "a table");
    bench_bare(mdb_txn_commit(txn), "a commit");
    return env;
}

MDB_env *bench_bare_open(MDB_dbi *table, const char *path, unsigned flags)
{
    return bench_bare_open_named(table, path, NULL, flags);
}

MDB_val bench_bare_key(unsigned char *bytes, uint64_t branch, uint64_t depth)
{
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(branch >> (56 - 8 * i));
        bytes[8 + i] = (unsigned char)(depth >> (56 - 8 * i));
    }
    return (MDB_val){16, bytes};
}

void bench_bare_fill(MDB_env *env, MDB_dbi table, uint64_t branch, uint64_t count, uint64_t wanted_at,
                     uint64_t head_bytes)
{
    MDB_txn *txn = NULL;
    struct bench_entry entry;
    unsigned char bytes[16];
    char value[1024] = {0};
    bench_must(head_bytes + BENCH_TEXT_BYTES <= sizeof value, "a record", "its head is too long");
    bench_bare(mdb_txn_begin(env, NULL, 0, &txn), "a transaction");
    for (uint64_t depth = 1; depth <= count; depth++) {
        bench_entry_at(&entry, depth, wanted_at);
        memcpy(value + head_bytes, entry.text, entry.text_bytes);
        MDB_val key = bench_bare_key(bytes, branch, depth);
        MDB_val record = {head_bytes + entry.text_bytes, value};
        bench_bare(mdb_put(txn, table, &key, &record, MDB_APPEND), "a put");
    }
    bench_bare(mdb_txn_commit(txn), "a commit");
}
