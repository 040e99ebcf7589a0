/*
 * What it costs to read all of a store: an export of its session, whose bytes go nowhere, and a verification. Time of
 * the processor. The floor reads a file of the same payloads, and hashes it; beside it LMDB's cursor over the same
 * records, which hashes each of them.
 */
#include <xxhash.h>

#include "tests/bench/sessions.h"
#include "xylem/files.h"
#include "xylem/inspect.h"

struct subject {
    struct bench_said said;
    struct bench_bare log;
    uint64_t file_bytes; /* what an export writes */
};

static void run_hash(struct bench_call call)
{
    static char piece[65536];
    const struct subject *subject = call.subject;
    int file = open(subject->said.file, O_RDONLY | O_CLOEXEC);
    bench_must(file >= 0, subject->said.file, "cannot be opened");
    for (ssize_t bytes = 0; (bytes = read(file, piece, sizeof piece)) > 0;) {
        bench_use(XXH3_64bits(piece, (size_t)bytes));
    }
    close(file);
}

static void run_cursor(struct bench_call call)
{
    const struct subject *subject = call.subject;
    uint64_t seen = bench_bare_newest(&subject->log, UINT64_MAX, true);
    bench_must(seen == subject->said.entry_count, "a cursor", "it gave another number of records");
}

static int count_bytes(void *context, const void *data, size_t bytes)
{
    (void)data;
    *(uint64_t *)context += bytes;
    return 0;
}

static void run_export(struct bench_call call)
{
    struct subject *subject = call.subject;
    subject->file_bytes = 0;
    bench_xylem(
        xylem_export(subject->said.txn, subject->said.session, NULL, count_bytes, &subject->file_bytes, &bench_err));
    bench_must(subject->file_bytes > subject->said.payload_bytes, "an export", "it wrote less than the payloads");
}

static void run_verify(struct bench_call call)
{
    const struct subject *subject = call.subject;
    struct xylem_verify_report report;
    bench_xylem(xylem_verify(&report, subject->said.txn, NULL, NULL, NULL, &bench_err));
    bench_must(report.problem_count == 0 && report.entry_count == subject->said.entry_count, "a verification",
               "it found a problem, or other entries");
}

static const struct bench_row rows[] = {
    {"read(2) and XXH3 of the payloads", BENCH_READS, .run = run_hash, .most = 1},
    {"LMDB, and XXH3 of each record", BENCH_READS, .run = run_cursor, .most = 1},
    {"xylem_export", BENCH_READS, .run = run_export, .most = 1},
    {"xylem_verify", BENCH_READS, .run = run_verify, .most = 1},
};

BENCH("care")
{
    static struct subject subjects[2];
    for (int as_pi = 0; as_pi < 2; as_pi++) {
        struct subject *subject = &subjects[as_pi];
        bench_said_make(&subject->said, as_pi);
        bench_bare_read(&subject->log, subject->said.path, BENCH_BARE_LOOK);
        size_t table = bench_table(
            bench_text("processor time, %s: %.0f MB", subject->said.shape, (double)subject->said.payload_bytes / 1e6),
            subject, BENCH_ROWS(rows));
        bench_rate(table, (double)subject->said.payload_bytes, "B/s");
        bench_processor(table);
    }
    bench_run(20);
    bench_note("A verification reads each page, each row and each entry, and looks each entry up.");
}
