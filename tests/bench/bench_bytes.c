/*
 * What entries take on disk: in a store, by table, beside the session files that they came from and an SQLite database
 * with the same rows and the indexes that the same questions need.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "tests/bench/bench.h"
#include "tests/bench/generate.h"
#include "tests/bench/sessions.h"
#include "tests/bench/sql_copy.h"
#include "xylem/append.h"
#include "xylem/files.h"
#include "xylem/inspect.h"

enum { APPENDS = 100000, PAYLOAD_BYTES = 300, SETS = BENCH_FILE_SETS + 2, ROWS_MAX = 32 };

struct measured {
    struct bench *bench;
    const char *name;     /* heads its column */
    uint64_t jsonl_bytes; /* 0: there is no file */
    struct xylem_stat stat;
    uint64_t used_bytes;
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

/* The table as it grows, row by row. */
struct grown {
    const struct measured *sets;
    struct bench_grid_row rows[ROWS_MAX];
    size_t row_count;
    double values[ROWS_MAX][SETS];
};

/* The values of a new row, to be filled in; there are none at first. */
static double *add_row(struct grown *grown, const char *name, const char *unit)
{
    bench_must(grown->row_count < ROWS_MAX, name, "too many rows");
    grown->rows[grown->row_count] = (struct bench_grid_row){name, unit};
    double *values = grown->values[grown->row_count++];
    for (size_t i = 0; i < SETS; i++) {
        values[i] = -1;
    }
    return values;
}

/* A number of bytes of each of the sets, for each entry. `first` lies in the first set. */
static void add_bytes(struct grown *grown, const char *name, const uint64_t *first)
{
    double *values = add_row(grown, name, "B an entry");
    size_t offset = (size_t)((const char *)first - (const char *)grown->sets);
    for (size_t i = 0; i < SETS; i++) {
        uint64_t bytes = *(const uint64_t *)((const char *)&grown->sets[i] + offset);
        if (bytes > 0) {
            values[i] = (double)bytes / (double)grown->sets[i].stat.entry_count;
        }
    }
}

static void add_tables(struct grown *grown)
{
    for (size_t table = 0; table < XYLEM_TABLE_COUNT; table++) {
        bool large = false; /* the others are a page or two */
        for (size_t i = 0; i < SETS; i++) {
            const struct xylem_stat *stat = &grown->sets[i].stat;
            large = large || stat->tables[table].bytes > stat->entry_count;
        }
        if (large) {
            const struct measured *first = &grown->sets[0];
            add_bytes(grown, bench_format(first->bench, "  table %s", first->stat.tables[table].name),
                      &first->stat.tables[table].bytes);
        }
    }
}

static void add_counts(struct grown *grown)
{
    double *entries = add_row(grown, "entries", "in all");
    double *sessions = add_row(grown, "sessions", "in all");
    for (size_t i = 0; i < SETS; i++) {
        entries[i] = (double)grown->sets[i].stat.entry_count;
        sessions[i] = (double)grown->sets[i].stat.session_count;
    }
}

static void add_ratios(struct grown *grown)
{
    double *files = add_row(grown, "in use / session files", "times");
    double *sqlite = add_row(grown, "in use / SQLite file", "times");
    for (size_t i = 0; i < SETS; i++) {
        const struct measured *set = &grown->sets[i];
        sqlite[i] = (double)set->used_bytes / (double)set->sqlite_bytes;
        if (set->jsonl_bytes > 0) {
            files[i] = (double)set->used_bytes / (double)set->jsonl_bytes;
        }
    }
}

static void report_sets(struct bench *bench, const struct measured *sets)
{
    static struct grown grown;
    const char *columns[SETS];
    grown.sets = sets;
    for (size_t i = 0; i < SETS; i++) {
        columns[i] = sets[i].name;
    }
    add_counts(&grown);
    add_bytes(&grown, "session files", &sets->jsonl_bytes);
    add_bytes(&grown, "SQLite file", &sets->sqlite_bytes);
    add_bytes(&grown, "store file", &sets->stat.file_bytes);
    add_bytes(&grown, "store, pages in use", &sets->used_bytes);
    add_tables(&grown);
    add_bytes(&grown, "  in records: payloads", &sets->stat.payload_bytes);
    add_bytes(&grown, "  in records: kept lines", &sets->stat.line_bytes);
    add_bytes(&grown, "  in records: links, heads", &sets->stat.links_bytes);
    add_ratios(&grown);
    bench_grid(bench, &(struct bench_grid){.table = "what entries take on disk",
                                           .rows = grown.rows,
                                           .row_count = grown.row_count,
                                           .columns = columns,
                                           .column_count = SETS,
                                           .values = grown.values[0]});
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
    measured->used_bytes = measured->stat.file_bytes - measured->stat.free_bytes;
}

/* Heads the columns: sets of files by number, and what is appended. */
static const char *const set_names[SETS] = {"pi", "pi as one", "made small", "made", "minted ids", "given ids"};

static void measure(struct bench *bench)
{
    static struct measured sets[SETS];
    for (unsigned i = 0; i < BENCH_FILE_SETS; i++) {
        struct bench_files files;
        bench_files_make(&files, bench, i);
        sets[i] = (struct measured){.bench = bench, .name = set_names[i], .jsonl_bytes = files.bytes};
        struct xylem_store *store = new_store(bench, set_names[i]);
        import_files(store, &files);
        measure_store(&sets[i], store);
        bench_note(bench, bench_format(bench, "%s: %s, imported", set_names[i], files.name));
        bench_files_release(&files);
    }
    for (unsigned i = BENCH_FILE_SETS; i < SETS; i++) {
        bool given = i > BENCH_FILE_SETS;
        sets[i] = (struct measured){.bench = bench, .name = set_names[i]};
        struct xylem_store *store = new_store(bench, set_names[i]);
        append_entries(store, bench_quick(bench) ? APPENDS / 20 : APPENDS, given);
        measure_store(&sets[i], store);
        bench_note(bench, bench_format(bench, "%s: appended one by one, with ids %s", set_names[i],
                                       given ? "of the host" : "that xylem makes"));
    }
    bench_note(bench, "SQLite: a row for each entry under its lsn, and indexes on its id, on (branch, seq) and on "
                      "(branch, kind, seq).");
    report_sets(bench, sets);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "bytes", measure);
}
