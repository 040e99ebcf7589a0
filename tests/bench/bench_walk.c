/*
 * How fast a path is read, newest to oldest: entries whose sum is verified, entries whose payload is verified as well,
 * and what LMDB itself gives of the same table of the same store: a reverse cursor that touches each record, and one
 * that hashes the whole record as xylem's sums and payload hashes together do.
 */
#include "tests/bench/stores.h"

struct subject {
    struct xylem_txn *txn;
    struct xylem_position leaf;
    struct bench_bare log;
};

enum { TOUCHED, WHOLE };

static void run_bare(struct bench_call call)
{
    const struct subject *subject = call.subject;
    uint64_t seen = bench_bare_newest(&subject->log, UINT64_MAX, call.how == WHOLE);
    bench_must(seen == subject->leaf.depth, "a cursor", "it gave another number of records");
}

static void run_walk(struct bench_call call)
{
    const struct subject *subject = call.subject;
    uint64_t seen = bench_newest(subject->txn, subject->leaf, UINT64_MAX, call.how == WHOLE);
    bench_must(seen == subject->leaf.depth, "a walk", "it gave another number of entries");
}

static const struct bench_row rows[] = {
    {"LMDB, reverse cursor", BENCH_READS, run_bare, .how = TOUCHED},
    {"LMDB, and XXH3 of each record", BENCH_READS, run_bare, .how = WHOLE},
    {"xylem_walk_next, sums verified", BENCH_READS, run_walk, .how = TOUCHED},
    {"xylem_walk_next, payloads too", BENCH_READS, run_walk, .how = WHOLE},
};

BENCH("walk")
{
    size_t size = bench_quick ? 10000 : 1000000;
    struct bench_made made = bench_make(bench_path("store"), size, 0);
    struct subject subject = {.txn = bench_begin(made.store, XYLEM_READ), .leaf = made.leaf};
    bench_bare_read(&subject.log, made.path, BENCH_BARE_LOOK);
    size_t table = bench_table(bench_text("walk a path of %zu entries", size), &subject, BENCH_ROWS(rows));
    bench_rate(table, (double)size, "entries/s");
    bench_run(15);
    bench_note("xylem always verifies sums: it has no way to leave that out. What an unverified walk costs is the "
               "reverse cursor of LMDB by itself, which touches the first byte of each record; what verifying "
               "all bytes costs at least is the same with XXH3. Payloads too: xylem_entry_payload of each entry.");
}
