/*
 * How fast what was said is found: a literal that is nowhere, so that all of it is read. The floor is memmem() over the
 * same payloads, one behind the other in memory. Peers: grep -F and rg over the session files, and FTS5 of SQLite, which
 * shows what an index would bring: the time of a query, the size, and the time of its making.
 */
#include <limits.h>
#include <time.h>

#include "tests/bench/sessions.h"
#include "xylem/branch.h"
#include "xylem/search.h"

#define ABSENT "zebraquagga" /* no capitals: the search without `exact` ignores case */

/* What a row searches with: the place of one of these. */
static const struct xylem_search_options searches[] = {
    {.pattern = {ABSENT, sizeof ABSENT - 1}, .syntax = XYLEM_SEARCH_EXACT, .threads = 1},
    {.pattern = {ABSENT, sizeof ABSENT - 1}, .syntax = XYLEM_SEARCH_SMART, .threads = 1},
    {.pattern = {"zebra[a-z]+agga[0-9]", 20}, .syntax = XYLEM_SEARCH_REGEX, .threads = 1},
    /* without a character that stands for itself */
    {.pattern = {"[q-z]{9}[0-9]{9}", 16}, .syntax = XYLEM_SEARCH_REGEX, .threads = 1},
    {.pattern = {ABSENT, sizeof ABSENT - 1}, .syntax = XYLEM_SEARCH_EXACT},
};

enum { COMMANDS = 4, ROWS = 11, FIRST_PARALLEL = 5 };

struct subject {
    struct bench_command commands[COMMANDS]; /* first, as bench_command() wants */
    struct xylem_txn *txn;
    struct xylem_buffer payloads;
    sqlite3_stmt *query;
};

static void run_memmem(struct bench_call call)
{
    const struct subject *subject = call.subject;
    const void *found = memmem(subject->payloads.data, subject->payloads.bytes, ABSENT, strlen(ABSENT));
    bench_must(!found, "memmem", "it found what is not there");
}

static void run_search(struct bench_call call)
{
    const struct subject *subject = call.subject;
    struct xylem_search_report report;
    bench_xylem(xylem_search(&report, subject->txn, &searches[call.how], &bench_err));
    bench_must(report.match_count == 0 && report.problem_count == 0, "a search", "it found what is not there");
    bench_must(report.payload_bytes == subject->payloads.bytes, "a search", "it read something else");
    xylem_search_report_release(&report);
}

static void run_index(struct bench_call call)
{
    const struct subject *subject = call.subject;
    bench_must(sqlite3_step(subject->query) == SQLITE_DONE, "FTS5", "it found what is not there");
    sqlite3_reset(subject->query);
}

static const struct bench_row rows[ROWS] = {
    {"memmem", BENCH_READS, .run = run_memmem},
    {"xylem_search, exact, one reader", BENCH_READS, run_search, .how = 0},
    {"xylem_search, any case, one reader", BENCH_READS, run_search, .how = 1},
    {"xylem_search, regex with a literal", BENCH_READS, run_search, .how = 2},
    {"xylem_search, regex of classes", BENCH_READS, run_search, .how = 3},
    {"xylem_search, exact, all cores", BENCH_READS, run_search, .how = 4},
    {"SQLite FTS5, a word", BENCH_READS, .run = run_index},
    {"xylem search --case-sensitive, process", BENCH_READS, bench_command, .how = 0},
    {"grep -F, session file", BENCH_READS, bench_command, .how = 1},
    {"grep -F -i, session file", BENCH_READS, bench_command, .how = 2},
    {"rg -F, session file", BENCH_READS, bench_command, .how = 3},
};

/* All payloads of the session, one behind the other, and into an index, whose cost is a figure. */
static void read_payloads(struct subject *subject, uint64_t session, const char *path, const char *name)
{
    sqlite3 *database = NULL;
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    struct xylem_view payload;
    struct stat status;
    double making_ns = 0;
    bench_must(sqlite3_open(path, &database) == SQLITE_OK, path, "cannot be opened");
    bench_sql_exec(database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                             "CREATE VIRTUAL TABLE said USING fts5(payload, content='');BEGIN");
    sqlite3_stmt *insert = bench_sql_prepare(database, "INSERT INTO said(rowid, payload) VALUES(?1, ?2)");
    bench_xylem(xylem_scan_new(&scan, subject->txn, session, &bench_err));
    while (xylem_scan_next(&entry, scan, &bench_err) == 1) {
        bench_xylem(xylem_entry_payload(&payload, &entry, &bench_err));
        bench_xylem(xylem_buffer_add(&subject->payloads, payload.data, payload.bytes));
        double begin = bench_now_ns();
        BENCH_SQL_BIND(insert, entry.lsn);
        sqlite3_bind_text(insert, 2, payload.data, (int)payload.bytes, SQLITE_STATIC);
        bench_sql_run(insert);
        making_ns += bench_now_ns() - begin;
    }
    xylem_scan_free(scan);
    double begin = bench_now_ns();
    bench_sql_exec(database, "COMMIT");
    making_ns += bench_now_ns() - begin;
    bench_must(stat(path, &status) == 0, path, "is missing");
    double bytes = (double)subject->payloads.bytes;
    bench_figure(bench_text("FTS5, time of making, %s", name), bytes * 1e3 / making_ns, "MB/s");
    bench_figure(bench_text("FTS5 without content, %s", name), (double)status.st_size / bytes, "times the payloads");
    subject->query = bench_sql_prepare(database, "SELECT rowid FROM said WHERE said MATCH '" ABSENT "'");
}

/* Bytes for each second of the processor, the best of several: other programs take no part in the figure. */
static void report_processor(struct subject *subject, const struct bench_row *row)
{
    clock_t least = LONG_MAX;
    for (int i = 0; i < 7; i++) {
        clock_t begin = clock();
        run_search((struct bench_call){subject, row->how});
        clock_t used = clock() - begin;
        least = used < least ? used : least;
    }
    double seconds = (double)least / CLOCKS_PER_SEC;
    bench_figure(row->name, (double)subject->payloads.bytes / 1e6 / seconds, "MB for each second of the processor");
}

/* Payloads of 290 bytes, or a session file in the shape of pi. */
static void make(struct subject *subject, bool as_pi)
{
    const char *path = bench_path("store-%d", as_pi);
    const char *file = bench_text("%s.jsonl", path);
    struct bench_made made = {.path = path};
    if (as_pi) {
        struct bench_files files;
        bench_files_make(&files, BENCH_FILES_MADE);
        file = files.paths[0];
        made.store = bench_open(path, XYLEM_DURABILITY_NONE);
        made.session = bench_files_import(&files, made.store);
    } else {
        bench_other_kinds = 0;
        made = bench_make(path, bench_quick ? 10000 : 300000, 0);
        bench_export(made.store, made.session, file);
    }
    subject->txn = bench_begin(made.store, XYLEM_READ);
    read_payloads(subject, made.session, bench_text("%s.sqlite", path), as_pi ? "as pi" : "290 B");
    const struct bench_command commands[COMMANDS] = {
        {.words = {bench_program, "search", "--case-sensitive", ABSENT, "--store", path},
         .code = 1}, /* nothing is found */
        {.words = {"grep", "-F", ABSENT, file}, .code = 1},
        {.words = {"grep", "-F", "-i", ABSENT, file}, .code = 1},
        {.words = {"rg", "-F", ABSENT, file}, .code = 1}};
    memcpy(subject->commands, commands, sizeof commands);
    double bytes = (double)subject->payloads.bytes;
    bool rg = system("command -v rg >/dev/null 2>&1") == 0;
    size_t table = bench_table(bench_text("an absent literal in %.0f MB, %s", bytes / 1e6,
                                          as_pi ? "payloads as long as those of pi" : "payloads of 290 B"),
                               subject, rows, rg ? ROWS : ROWS - 1);
    bench_rate(table, bytes, "bytes/s");
}

BENCH("search")
{
    static struct subject subjects[2];
    for (int as_pi = 0; as_pi < 2; as_pi++) {
        make(&subjects[as_pi], as_pi);
        for (size_t row = 1; row < FIRST_PARALLEL; row++) {
            report_processor(&subjects[as_pi], &rows[row]);
        }
    }
    bench_run(40);
    bench_note("Every search of xylem verifies each record and each payload by their hashes; the others verify "
               "nothing. grep and rg read the session file, which has the payloads and the rest of the lines: "
               "their rate is that of the payloads. FTS5 finds words, and no parts of words.");
}
