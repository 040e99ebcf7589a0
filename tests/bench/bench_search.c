/*
 * How fast what was said is found: a literal that is nowhere, so that all of it is read. First the time of the
 * processor: rg and grep over a file of the same payloads, one a line, and xylem. Then wall time: memmem() over the
 * same bytes in memory, xylem, and FTS5 of SQLite, which shows what an index would bring: the time of a query, the
 * size, and the time of its making.
 */
#include "tests/bench/sessions.h"
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

enum { COMMANDS = 5 };

struct subject {
    struct bench_command commands[COMMANDS]; /* first, as bench_command() wants */
    struct bench_said said;
    struct xylem_buffer text; /* of the file */
    sqlite3_stmt *query;
};

static void run_memmem(struct bench_call call)
{
    const struct subject *subject = call.subject;
    const void *found = memmem(subject->text.data, subject->text.bytes, ABSENT, strlen(ABSENT));
    bench_must(!found, "memmem", "it found what is not there");
}

static void run_search(struct bench_call call)
{
    const struct subject *subject = call.subject;
    struct xylem_search_report report;
    bench_xylem(xylem_search(&report, subject->said.txn, &searches[call.how], &bench_err));
    bench_must(report.match_count == 0 && report.problem_count == 0, "a search", "it found what is not there");
    bench_must(report.payload_bytes == subject->said.payload_bytes, "a search", "it read something else");
    xylem_search_report_release(&report);
}

static void run_index(struct bench_call call)
{
    const struct subject *subject = call.subject;
    bench_must(sqlite3_step(subject->query) == SQLITE_DONE, "FTS5", "it found what is not there");
    sqlite3_reset(subject->query);
}

/* By the processor. The first row is left out where rg is missing. */
static const struct bench_row used[] = {
    {"rg -F", BENCH_READS, bench_command, .how = 4, .most = 1},
    {"grep -F", BENCH_READS, bench_command, .how = 2, .most = 1},
    {"grep -F -i", BENCH_READS, bench_command, .how = 3, .most = 1},
    {"xylem search, exact", BENCH_READS, bench_command, .how = 0, .most = 1},
    {"xylem search, exact, --fast", BENCH_READS, bench_command, .how = 1, .most = 1},
    {"xylem_search, exact, one reader", BENCH_READS, run_search, .how = 0, .most = 1},
    {"xylem_search, any case, one reader", BENCH_READS, run_search, .how = 1, .most = 1},
    {"xylem_search, regex with a literal", BENCH_READS, run_search, .how = 2, .most = 1},
    {"xylem_search, regex of classes", BENCH_READS, run_search, .how = 3, .most = 1},
};

static const struct bench_row waited[] = {
    {"memmem", BENCH_READS, .run = run_memmem},
    {"xylem_search, exact, one reader", BENCH_READS, run_search, .how = 0},
    {"xylem_search, exact, all cores", BENCH_READS, run_search, .how = 4},
    {"SQLite FTS5, a word", BENCH_READS, .run = run_index},
};

/* Reads the file into memory, and its lines into an index, whose cost is a figure. */
static void read_payloads(struct subject *subject, const char *path)
{
    sqlite3 *database = NULL;
    struct stat status;
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(subject->said.file, "r");
    bench_must(file && sqlite3_open(path, &database) == SQLITE_OK, path, "cannot be opened");
    bench_sql_exec(database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                             "CREATE VIRTUAL TABLE said USING fts5(payload, content='');BEGIN");
    sqlite3_stmt *insert = bench_sql_prepare(database, "INSERT INTO said(rowid, payload) VALUES(?1, ?2)");
    double begin = bench_now_ns();
    uint64_t number = 0;
    for (ssize_t bytes = 0; (bytes = getline(&line, &room, file)) > 0;) {
        bench_xylem(xylem_buffer_add(&subject->text, line, (size_t)bytes));
        BENCH_SQL_BIND(insert, ++number);
        sqlite3_bind_text(insert, 2, line, (int)bytes - 1, SQLITE_STATIC);
        bench_sql_run(insert);
    }
    bench_sql_exec(database, "COMMIT");
    double making_ns = bench_now_ns() - begin;
    free(line);
    fclose(file);
    bench_must(stat(path, &status) == 0, path, "is missing");
    double bytes = (double)subject->said.payload_bytes;
    bench_figure(bench_text("FTS5, time of making, %s", subject->said.shape), bytes * 1e3 / making_ns, "MB/s");
    bench_figure(bench_text("FTS5 without content, %s", subject->said.shape), (double)status.st_size / bytes,
                 "times the payloads");
    subject->query = bench_sql_prepare(database, "SELECT rowid FROM said WHERE said MATCH '" ABSENT "'");
}

static void make(struct subject *subject, bool as_pi, bool rg)
{
    bench_said_make(&subject->said, as_pi);
    const char *store = subject->said.path;
    const char *file = subject->said.file;
    read_payloads(subject, bench_text("%s.sqlite", store));
    /* Nothing is found. With --json xylem does not search again for advice. */
    const struct bench_command commands[COMMANDS] = {
        {.words = {bench_program, "search", "--json", "--case-sensitive", ABSENT, "-s", store}, .code = 1},
        {.words = {bench_program, "search", "--json", "--case-sensitive", ABSENT, "-s", store, "--fast"}, .code = 1},
        {.words = {"grep", "-F", ABSENT, file}, .code = 1},
        {.words = {"grep", "-F", "-i", ABSENT, file}, .code = 1},
        {.words = {"rg", "--no-config", "-F", ABSENT, file}, .code = 1}};
    memcpy(subject->commands, commands, sizeof commands);
    double bytes = (double)subject->said.payload_bytes;
    const char *name = bench_text("an absent literal in %s: %.0f MB", subject->said.shape, bytes / 1e6);
    size_t left_out = rg ? 0 : 1;
    size_t table = bench_table(bench_text("processor time, %s", name), subject, used + left_out,
                               sizeof used / sizeof *used - left_out);
    bench_processor(table);
    bench_rate(table, bytes, "bytes/s");
    bench_rate(bench_table(bench_text("wall time, %s", name), subject, BENCH_ROWS(waited)), bytes, "bytes/s");
}

BENCH("search")
{
    static struct subject subjects[2];
    bool rg = system("command -v rg >/dev/null 2>&1") == 0;
    make(&subjects[0], false, rg);
    make(&subjects[1], true, rg);
    bench_run(40);
    bench_note("xylem verifies each record and each payload by their hashes, with --fast those that may match; the "
               "others verify nothing. FTS5 finds words, and no parts of words.");
}
