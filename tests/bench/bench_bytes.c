/*
 * What entries take on disk: in a store, by table, beside the session files that they came from and an SQLite database
 * with the same rows and the indexes that the same questions need.
 */
#include "tests/bench/sessions.h"
#include "xylem/append.h"
#include "xylem/files.h"
#include "xylem/inspect.h"

/* Behind the sets of files: what is appended one by one, with ids of xylem, of pi (8 digits), or UUIDs of a host. */
enum { APPENDS = 100000, MINTED = BENCH_FILE_SETS, GIVEN, UUIDS, SETS };

static const char *const names[SETS] = {"pi", "pi as one", "made small", "made", "minted ids", "given ids", "UUIDs"};
static struct xylem_stat stats[SETS];
static double used_bytes[SETS];
static double file_bytes[SETS]; /* of what is appended: of the session file that an export writes */
static double sqlite_bytes[SETS];

static void import_files(struct xylem_store *store, size_t set)
{
    struct bench_files files;
    bench_files_make(&files, (enum bench_file_set)set);
    bench_files_import(&files, store);
    file_bytes[set] = (double)files.bytes;
    bench_note(bench_text("%s: %s, imported", names[set], files.name));
}

/* As a host appends them: each in a commit of its own. */
static void append_entries(struct xylem_store *store, size_t set)
{
    uint64_t session = bench_session(store);
    for (uint32_t i = 0; i < (bench_quick ? APPENDS / 20 : APPENDS); i++) {
        char digits[BENCH_ENTRY_ID_BYTES + 1];
        char id[48];
        struct xylem_new_entry entry = bench_message();
        bench_entry_id(digits, i);
        snprintf(id, sizeof id, set == UUIDS ? "%s-%04x-4%03x-8%03x-%04x%s" : "%s", digits, i % 65521, i % 4093,
                 i % 4079, i % 65519, digits); /* of version 4 */
        entry.id = set == MINTED ? entry.id : xylem_view_of(id);
        struct xylem_txn *txn = bench_begin(store, XYLEM_WRITE);
        bench_xylem(xylem_append(NULL, txn, session, &entry, 1, NULL, &bench_err));
        bench_commit(txn);
    }
    bench_note(bench_text("%s: appended one by one, with ids %s", names[set],
                          set == MINTED  ? "that xylem makes"
                          : set == GIVEN ? "of 8 digits"
                                         : "that are UUIDs"));
}

static int count_bytes(void *context, const void *data, size_t bytes)
{
    (void)data;
    *(double *)context += (double)bytes;
    return 0;
}

/* Reads what there is to read of a filled store, and copies it to SQLite. */
static void measure_set(size_t set)
{
    struct stat status;
    const char *path = bench_path("%zu", set);
    const char *database = bench_path("%zu.sqlite", set);
    struct xylem_store *store = bench_open(path, XYLEM_DURABILITY_NONE);
    (set < BENCH_FILE_SETS ? import_files : append_entries)(store, set);
    struct xylem_txn *txn = bench_begin(store, XYLEM_READ);
    bench_xylem(xylem_stat_read(&stats[set], txn, &bench_err));
    if (set >= BENCH_FILE_SETS) {
        bench_xylem(xylem_export(txn, 1, NULL, count_bytes, &file_bytes[set], &bench_err));
    }
    xylem_abort(txn);
    used_bytes[set] = (double)(stats[set].file_bytes - stats[set].free_bytes);
    sqlite3_close(bench_sql_copy(database, store, path));
    bench_must(stat(database, &status) == 0, database, "there is no such file");
    sqlite_bytes[set] = (double)status.st_size;
    bench_close(store);
}

/* A row of the table: the values of each set divided by other ones, or for each entry. */
static void report(const char *name, const double *bytes, const double *by)
{
    double values[SETS];
    for (size_t i = 0; i < SETS; i++) {
        double divisor = by ? by[i] : (double)stats[i].entry_count;
        values[i] = bytes[i] > 0 && divisor > 0 ? bytes[i] / divisor : -1;
    }
    bench_figures("what entries take on disk", name, by ? "times" : "B an entry", names, values, SETS);
}

static void report_table(size_t table)
{
    double bytes[SETS];
    bool large = false; /* the others are a page or two */
    for (size_t i = 0; i < SETS; i++) {
        bytes[i] = (double)stats[i].tables[table].bytes;
        large = large || stats[i].tables[table].bytes > stats[i].entry_count;
    }
    if (large) {
        report(bench_text("  table %s", stats[0].tables[table].name), bytes, NULL);
    }
}

BENCH("bytes")
{
    for (size_t i = 0; i < SETS; i++) {
        measure_set(i);
    }
    bench_note("SQLite: a row for each entry under its lsn, and indexes on its id, on (branch, seq) and on (branch, "
               "kind, seq).");
    report("session files", file_bytes, NULL);
    report("SQLite file", sqlite_bytes, NULL);
    report("store, pages in use", used_bytes, NULL);
    for (size_t table = 0; table < XYLEM_TABLE_COUNT; table++) {
        report_table(table);
    }
    report("in use / session files", used_bytes, file_bytes);
    report("in use / SQLite file", used_bytes, sqlite_bytes);
}
