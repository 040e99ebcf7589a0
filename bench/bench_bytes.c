/*
 * What entries take on disk: in a store, by table, beside the session files that they came from and an SQLite database
 * with the same rows and the indexes that the same questions need.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "bench/bench.h"
#include "bench/generate.h"
#include "bench/sessions.h"
#include "bench/sql_copy.h"
#include "xylem.h"

enum { APPENDS = 100000, PAYLOAD_BYTES = 300 };

struct measured {
    struct bench *bench;
    const char *name;
    uint64_t jsonl_bytes; /* 0: there is no file */
    struct xylem_stat stat;
    uint64_t sqlite_bytes;
};

static struct xylem_store *new_store(struct bench *bench, const char *name)
{
    struct xylem_error err;
    struct xylem_store *store = NULL;
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE};
    const char *path = bench_path(bench, name);
    bench_xylem(xylem_open(&store, path, &options, &err), path, &err);
    return store;
}

static void import_files(struct xylem_store *store, const struct bench_files *files)
{
    struct xylem_error err;
    for (size_t i = 0; i < files->count; i++) {
        struct xylem_import_report report;
        bench_xylem(xylem_import(&report, store, files->paths[i], NULL, &err), files->paths[i], &err);
        xylem_import_report_release(&report);
    }
}

/* As a host appends them: each in a commit of its own. */
static void append_entries(struct xylem_store *store, size_t entry_count, bool ids_given)
{
    struct xylem_error err;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    char text[PAYLOAD_BYTES + 1];
    int head = snprintf(text, sizeof text, "{\"message\":{\"role\":\"user\",\"content\":\"%0*d\"}}",
                        PAYLOAD_BYTES - (int)sizeof "{\"message\":{\"role\":\"user\",\"content\":\"\"}}" + 1, 0);
    bench_must(head == PAYLOAD_BYTES, "a payload", "it has another length");
    bench_xylem(xylem_begin(&txn, store, XYLEM_WRITE, &err), "a transaction", &err);
    bench_xylem(xylem_session_create(&session, txn, NULL, &err), "a session", &err);
    uint64_t number = session.number;
    bench_xylem(xylem_commit(txn, &err), "a commit", &err);
    for (size_t i = 0; i < entry_count; i++) {
        char id[BENCH_ENTRY_ID_BYTES + 1u];
        struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of("message")},
                                        .format = XYLEM_FORMAT_JSON,
                                        .payload = {text, PAYLOAD_BYTES}};
        bench_entry_id(id, (uint32_t)i);
        entry.id = ids_given ? xylem_view_of(id) : entry.id;
        bench_xylem(xylem_begin(&txn, store, XYLEM_WRITE, &err), "a transaction", &err);
        bench_xylem(xylem_append(NULL, txn, number, &entry, 1, NULL, &err), "an append", &err);
        bench_xylem(xylem_commit(txn, &err), "a commit", &err);
    }
}

static uint64_t file_bytes(const char *path)
{
    struct stat status;
    bench_must(stat(path, &status) == 0, path, "there is no such file");
    return (uint64_t)status.st_size;
}

static void figure(struct measured *measured, const char *what, double value, const char *unit)
{
    bench_figure(measured->bench, bench_format(measured->bench, "%s, %s", measured->name, what), value, unit);
}

static void per_entry(struct measured *measured, const char *what, uint64_t bytes)
{
    figure(measured, what, (double)bytes / (double)measured->stat.entry_count, "B an entry");
}

static void report_measured(struct measured *measured)
{
    const struct xylem_stat *stat = &measured->stat;
    uint64_t used = stat->file_bytes - stat->free_bytes;
    bench_note(measured->bench,
               bench_format(measured->bench, "%s: %llu entries in %llu session%s", measured->name,
                            (unsigned long long)stat->entry_count, (unsigned long long)stat->session_count,
                            stat->session_count == 1 ? "" : "s"));
    if (measured->jsonl_bytes > 0) {
        per_entry(measured, "session files", measured->jsonl_bytes);
    }
    per_entry(measured, "SQLite file", measured->sqlite_bytes);
    per_entry(measured, "store file", stat->file_bytes);
    per_entry(measured, "store, pages in use", used);
    for (size_t i = 0; i < XYLEM_TABLE_COUNT; i++) {
        if (stat->tables[i].bytes > stat->entry_count) { /* the others are a page or two */
            per_entry(measured, bench_format(measured->bench, "table %s", stat->tables[i].name), stat->tables[i].bytes);
        }
    }
    per_entry(measured, "in records: payloads", stat->payload_bytes);
    per_entry(measured, "in records: kept lines", stat->line_bytes);
    per_entry(measured, "in records: links and heads", stat->links_bytes);
    if (measured->jsonl_bytes > 0) {
        figure(measured, "pages in use / session files", (double)used / (double)measured->jsonl_bytes, "times");
    }
    figure(measured, "pages in use / SQLite", (double)used / (double)measured->sqlite_bytes, "times");
}

/* Reads what there is to read of a filled store, copies it to SQLite, and closes it. */
static void measure_store(struct measured *measured, struct xylem_store *store)
{
    struct xylem_error err;
    struct xylem_txn *txn = NULL;
    const char *path = bench_format(measured->bench, "%s/%s.db", bench_directory(measured->bench), measured->name);
    sqlite3 *database = bench_sql_open(path, "OFF");
    bench_xylem(xylem_begin(&txn, store, XYLEM_READ, &err), "a transaction", &err);
    bench_xylem(xylem_stat_read(&measured->stat, txn, &err), "figures", &err);
    xylem_abort(txn);
    bench_sql_copy(database, store);
    sqlite3_close(database);
    measured->sqlite_bytes = file_bytes(path);
    bench_xylem(xylem_close(store, &err), "close", &err);
    report_measured(measured);
}

static void measure(struct bench *bench)
{
    bench_note(bench, "SQLite: a row for each entry under its lsn, and indexes on its id, on (branch, seq) and on "
                      "(branch, kind, seq).");
    for (unsigned i = 0; i < BENCH_FILE_SETS; i++) {
        struct bench_files files;
        bench_files_make(&files, bench, i);
        struct measured measured = {.bench = bench, .name = files.name, .jsonl_bytes = files.bytes};
        struct xylem_store *store = new_store(bench, files.name);
        import_files(store, &files);
        measure_store(&measured, store);
        bench_files_release(&files);
    }
    for (int given = 0; given < 2; given++) {
        const char *name = given ? "appended one by one, ids of the host" : "appended one by one, ids that xylem makes";
        struct measured measured = {.bench = bench, .name = name};
        struct xylem_store *store = new_store(bench, name);
        append_entries(store, bench_quick(bench) ? APPENDS / 20 : APPENDS, given);
        measure_store(&measured, store);
    }
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "bytes", measure);
}
