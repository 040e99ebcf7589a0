/*
 * How fast what was said is found: a literal that is nowhere, so that all of it is read. The floor is memmem() over the
 * same payloads, one behind the other in memory. Peers: grep -F and rg over the session files, and FTS5 of SQLite, which
 * shows what an index would bring: the time of a query, the size, and the time of its making.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tests/bench/data.h"
#include "tests/bench/generate.h"
#include "tests/bench/process.h"
#include "tests/bench/sessions.h"
#include "tests/bench/sql.h"
#include "xylem/branch.h"
#include "xylem/files.h"
#include "xylem/search.h"

#define ABSENT "zebraquagga" /* no capitals: the search without `exact` ignores case */
#define ABSENT_REGEX "zebra[a-z]+agga[0-9]"
#define ABSENT_CLASSES "[q-z]{9}[0-9]{9}" /* without a character that stands for itself */

struct subject {
    struct xylem_txn *txn;
    struct xylem_buffer payloads;
    sqlite3 *database;
    sqlite3_stmt *query;
    const char *store_path;
    const char *file_path;
    double build_seconds; /* of the index */
    double index_bytes;
};

/* A search by one contestant. */
struct contest {
    const struct subject *subject;
    const char *pattern;
    enum xylem_search_syntax syntax;
    unsigned threads;
    char *command; /* of a shell; NULL: the library */
};

static void run_memmem(void *context, uint64_t count)
{
    const struct subject *subject = context;
    for (uint64_t i = 0; i < count; i++) {
        const void *found = memmem(subject->payloads.data, subject->payloads.bytes, ABSENT, strlen(ABSENT));
        bench_must(!found, "memmem", "it found what is not there");
    }
}

static void run_search(void *context, uint64_t count)
{
    const struct contest *contest = context;
    for (uint64_t i = 0; i < count; i++) {
        struct xylem_error err;
        struct xylem_search_report report;
        struct xylem_search_options options = {
            .pattern = xylem_view_of(contest->pattern), .syntax = contest->syntax, .threads = contest->threads};
        bench_xylem(xylem_search(&report, contest->subject->txn, &options, &err), "a search", &err);
        bench_must(report.match_count == 0 && report.problem_count == 0, "a search", "it found what is not there");
        bench_must(report.payload_bytes == contest->subject->payloads.bytes, "a search", "it read something else");
        xylem_search_report_release(&report);
    }
}

static void run_command(void *context, uint64_t count)
{
    const struct contest *contest = context;
    char *words[] = {(char *)"sh", (char *)"-c", contest->command, NULL};
    for (uint64_t i = 0; i < count; i++) {
        bench_command(words, NULL, 0);
    }
}

static void run_index(void *context, uint64_t count)
{
    const struct subject *subject = context;
    for (uint64_t i = 0; i < count; i++) {
        bench_must(sqlite3_step(subject->query) == SQLITE_DONE, "FTS5", "it found what is not there");
        sqlite3_reset(subject->query);
    }
}

/* --- Data --------------------------------------------------------------------------------------------------------- */

/* All payloads of the store, one behind the other, and into the index. */
static void read_payloads(struct subject *subject, const char *database_path)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    struct xylem_error err;
    bench_must(sqlite3_open(database_path, &subject->database) == SQLITE_OK, database_path, "cannot be opened");
    bench_sql_exec(subject->database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                                      "CREATE VIRTUAL TABLE said USING fts5(payload, content='');BEGIN");
    sqlite3_stmt *insert = bench_sql_prepare(subject->database, "INSERT INTO said(rowid, payload) VALUES(?1, ?2)");
    double began = 0;
    bench_xylem(xylem_sessions_new(&sessions, subject->txn, &err), "the sessions", &err);
    while (xylem_sessions_next(&session, sessions, &err) == 1) {
        struct xylem_scan *scan = NULL;
        struct xylem_entry entry;
        bench_xylem(xylem_scan_new(&scan, subject->txn, session.number, &err), "a scan", &err);
        while (xylem_scan_next(&entry, scan, &err) == 1) {
            struct xylem_view payload;
            if (entry.payload_bytes == 0) {
                continue;
            }
            bench_xylem(xylem_entry_payload(&payload, &entry, &err), "a payload", &err);
            bench_xylem(xylem_buffer_add(&subject->payloads, payload.data, payload.bytes), "memory", NULL);
            began = bench_now_ns();
            sqlite3_bind_int64(insert, 1, (sqlite3_int64)entry.lsn);
            sqlite3_bind_text(insert, 2, payload.data, (int)payload.bytes, SQLITE_STATIC);
            bench_sql_run(subject->database, insert);
            subject->build_seconds += (bench_now_ns() - began) / 1e9;
        }
        xylem_scan_free(scan);
    }
    xylem_sessions_free(sessions);
    began = bench_now_ns();
    bench_sql_exec(subject->database, "COMMIT");
    subject->build_seconds += (bench_now_ns() - began) / 1e9;
    sqlite3_finalize(insert);
    struct stat status = {0};
    bench_must(stat(database_path, &status) == 0, database_path, "is missing");
    subject->index_bytes = (double)status.st_size;
    subject->query = bench_sql_prepare(subject->database, "SELECT rowid FROM said WHERE said MATCH '" ABSENT "'");
}

static int write_piece(void *context, const void *data, size_t bytes)
{
    return fwrite(data, 1, bytes, context) != bytes;
}

/* The session file of a store that was filled by appends. */
static void export_file(struct subject *subject, uint64_t session)
{
    struct xylem_error err;
    FILE *file = fopen(subject->file_path, "wb");
    bench_must(file != NULL, subject->file_path, "cannot be written");
    bench_xylem(xylem_export(subject->txn, session, NULL, write_piece, file, &err), "an export", &err);
    bench_must(fclose(file) == 0, subject->file_path, "cannot be written");
}

/* Session files in the shape of pi. */
static void import_made(struct subject *subject, struct xylem_store *store, size_t entry_count)
{
    struct xylem_buffer made = {NULL, 0, 0};
    struct xylem_import_report report = {0};
    struct xylem_error err;
    bench_generate(&made, entry_count, 1);
    FILE *file = fopen(subject->file_path, "wb");
    bench_must(file && fwrite(made.data, 1, made.bytes, file) == made.bytes && fclose(file) == 0, subject->file_path,
               "cannot be written");
    bench_xylem(xylem_import(&report, store, subject->file_path, NULL, &err), "an import", &err);
    xylem_import_report_release(&report);
    xylem_buffer_release(&made);
}

/* --- Contestants -------------------------------------------------------------------------------------------------- */

static void add(struct bench *bench, const char *table, const char *name, void (*run)(void *context, uint64_t count),
                void *context, const struct subject *subject)
{
    bench_add(bench, &(struct bench_contestant){.table = table,
                                                .name = name,
                                                .loses = BENCH_READS,
                                                .run = run,
                                                .context = context,
                                                .items = (double)subject->payloads.bytes,
                                                .items_unit = "bytes/s"});
}

static void add_command(struct bench *bench, const char *table, const char *name, const struct subject *subject,
                        char *command)
{
    struct contest *contest = calloc(1, sizeof *contest);
    bench_must(contest && command, "a command", "out of memory");
    *contest = (struct contest){.subject = subject, .command = command};
    add(bench, table, name, run_command, contest, subject);
}

static char *command_of(const char *format, const char *a, const char *b)
{
    char *command = NULL;
    bench_must(asprintf(&command, format, a, b) > 0, "a command", "out of memory");
    return command;
}

/* Bytes for each second of the processor, the best of several: other programs take no part in the figure. */
static void figure_of(struct bench *bench, const struct contest *contest, const char *name)
{
    double best = 0;
    for (int i = 0; i < 7; i++) {
        struct timespec before;
        struct timespec after;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
        run_search((void *)contest, 1);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
        double ns = (double)(after.tv_sec - before.tv_sec) * 1e9 + (double)(after.tv_nsec - before.tv_nsec);
        double rate = (double)contest->subject->payloads.bytes / ns * 1e3;
        best = rate > best ? rate : best;
    }
    bench_figure(bench, name, best, "MB for each second of the processor");
}

static void add_contestants(struct bench *bench, const char *table, struct subject *subject)
{
    static const struct {
        const char *name;
        const char *pattern;
        enum xylem_search_syntax syntax;
        unsigned threads;
    } searches[] = {
        {"xylem_search, exact, one reader", ABSENT, XYLEM_SEARCH_EXACT, 1},
        {"xylem_search, any case, one reader", ABSENT, XYLEM_SEARCH_SMART, 1},
        {"xylem_search, regex with a literal", ABSENT_REGEX, XYLEM_SEARCH_REGEX, 1},
        {"xylem_search, regex of classes", ABSENT_CLASSES, XYLEM_SEARCH_REGEX, 1},
        {"xylem_search, exact, all cores", ABSENT, XYLEM_SEARCH_EXACT, 0},
    };
    add(bench, table, "memmem", run_memmem, subject, subject);
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        struct contest *contest = calloc(1, sizeof *contest);
        bench_must(contest != NULL, "a search", "out of memory");
        *contest = (struct contest){subject, searches[i].pattern, searches[i].syntax, searches[i].threads, NULL};
        add(bench, table, searches[i].name, run_search, contest, subject);
        if (searches[i].threads == 1) {
            figure_of(bench, contest, searches[i].name);
        }
    }
    add_command(
        bench, table, "xylem search -s, process", subject,
        command_of("'%s' search -s '--store=%s' " ABSENT "; [ $? -eq 1 ]", bench_program(bench), subject->store_path));
    add_command(bench, table, "grep -F, session file", subject,
                command_of("%s '" ABSENT "' '%s'; [ $? -eq 1 ]", "grep -F", subject->file_path));
    add_command(bench, table, "grep -F -i, session file", subject,
                command_of("%s '" ABSENT "' '%s'; [ $? -eq 1 ]", "grep -F -i", subject->file_path));
    if (system("command -v rg >/dev/null 2>&1") == 0) {
        add_command(bench, table, "rg -F, session file", subject,
                    command_of("%s '" ABSENT "' '%s'; [ $? -eq 1 ]", "rg -F", subject->file_path));
    }
    add(bench, table, "SQLite FTS5, a word", run_index, subject, subject);
}

static void measure(struct bench *bench)
{
    static struct subject subjects[2];
    struct xylem_store *stores[2];
    uint64_t count = bench_quick(bench) ? 10000 : 300000;
    for (size_t i = 0; i < 2; i++) {
        struct xylem_error err;
        struct subject *subject = &subjects[i];
        subject->store_path = strdup(bench_path(bench, i == 0 ? "same" : "made"));
        subject->file_path = strdup(bench_path(bench, i == 0 ? "same.jsonl" : "made.jsonl"));
        stores[i] = bench_store(subject->store_path);
        uint64_t session = i == 0 ? bench_session(stores[i]) : 0;
        if (i == 0) {
            bench_other_kinds(0);
            bench_append(stores[i], session, 1, count, 0);
        } else {
            import_made(subject, stores[i], (size_t)count / 3);
        }
        bench_xylem(xylem_begin(&subject->txn, stores[i], XYLEM_READ, &err), "a transaction", &err);
        if (i == 0) {
            export_file(subject, session);
        }
        read_payloads(subject, bench_path(bench, i == 0 ? "same.sqlite" : "made.sqlite"));
        const char *table =
            bench_format(bench, "an absent literal in %.0f MB, %s", (double)subject->payloads.bytes / 1e6,
                         i == 0 ? "payloads of 290 B" : "payloads as long as those of pi");
        bench_figure(bench, bench_format(bench, "FTS5, time of making, %s", i == 0 ? "290 B" : "as pi"),
                     (double)subject->payloads.bytes / 1e6 / subject->build_seconds, "MB/s");
        bench_figure(bench, bench_format(bench, "FTS5 without content, %s", i == 0 ? "290 B" : "as pi"),
                     subject->index_bytes / (double)subject->payloads.bytes, "times the payloads");
        add_contestants(bench, table, subject);
    }
    bench_run(bench, 40);
    bench_note(bench, "Every search of xylem verifies each record and each payload by their hashes; the others verify "
                      "nothing. grep and rg read the session file, which has the payloads and the rest of the lines: "
                      "their rate is that of the payloads. FTS5 finds words, and no parts of words.");
    for (size_t i = 0; i < 2; i++) {
        sqlite3_finalize(subjects[i].query);
        sqlite3_close(subjects[i].database);
        xylem_abort(subjects[i].txn);
        bench_xylem(xylem_close(stores[i], NULL), "close", NULL);
        xylem_buffer_release(&subjects[i].payloads);
    }
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "search", measure);
}
