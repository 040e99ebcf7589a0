/*
 * How fast session files go in and out, in bytes of the file: files of pi as they are, their lines as one long session,
 * and made sessions with payloads as long as real ones. Beside it what must be done at least: read(2) of the file, that
 * and a search for the ends of lines, and a JSON tokenizer that nobody listens to.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yajl/yajl_parse.h>

#include "tests/bench/bench.h"
#include "tests/bench/sessions.h"
#include "xylem/files.h"

enum { PIECE_BYTES = 65536, MAP_BYTES = 1 << 30 };

/* The files of one table, and what one contestant needs for each. */
struct set {
    struct bench *bench;
    struct bench_files files;
    struct xylem_store **fresh;  /* what an import writes to */
    struct xylem_store **stored; /* what an export reads */
    uint64_t *sessions;          /* in `stored` */
    bool *exact;                 /* an export must give the file back */
    struct xylem_buffer *exports;
};

/* --- Floors ----------------------------------------------------------------------------------------------------- */

static int open_file(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bench_must(file >= 0, path, "cannot be opened");
    return file;
}

static void read_all(struct set *set, bool lines)
{
    static char piece[PIECE_BYTES];
    for (size_t i = 0; i < set->files.count; i++) {
        int file = open_file(set->files.paths[i]);
        uint64_t found = 0;
        ssize_t bytes = 0;
        while ((bytes = read(file, piece, sizeof piece)) > 0) {
            const char *end = piece + bytes;
            for (const char *at = piece; lines && (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
                found++;
            }
        }
        close(file);
        bench_use(found);
    }
}

static void run_read(void *context, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        read_all(context, false);
    }
}

static void run_lines(void *context, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        read_all(context, true);
    }
}

static int on_nothing(void *context)
{
    (void)context;
    return 1;
}

static int on_bool(void *context, int value)
{
    (void)context;
    (void)value;
    return 1;
}

static int on_number(void *context, const char *text, size_t bytes)
{
    (void)context;
    (void)text;
    (void)bytes;
    return 1;
}

static int on_string(void *context, const unsigned char *text, size_t bytes)
{
    (void)context;
    (void)text;
    (void)bytes;
    return 1;
}

/* One parser for each file: none is made anew for a line. A line that is no JSON ends it, and the next gets another. */
static void tokenize(const struct xylem_buffer *file)
{
    static const yajl_callbacks callbacks = {on_nothing, on_bool,   NULL,       NULL,       on_number, on_string,
                                             on_nothing, on_string, on_nothing, on_nothing, on_nothing};
    const char *end = file->data + file->bytes;
    yajl_handle parser = NULL;
    for (const char *line = file->data; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *next = newline ? newline + 1 : end;
        if (!parser) {
            parser = yajl_alloc(&callbacks, NULL, NULL);
            bench_must(parser != NULL, "a parser", "out of memory");
            yajl_config(parser, yajl_allow_multiple_values, 1);
        }
        if (yajl_parse(parser, (const unsigned char *)line, (size_t)(next - line)) != yajl_status_ok) {
            yajl_free(parser);
            parser = NULL;
        }
        line = next;
    }
    if (parser) {
        yajl_free(parser);
    }
}

static void run_tokenizer(void *context, uint64_t count)
{
    struct set *set = context;
    struct xylem_buffer file = {0};
    for (uint64_t i = 0; i < count; i++) {
        for (size_t k = 0; k < set->files.count; k++) {
            bench_read_file(&file, set->files.paths[k]);
            tokenize(&file);
        }
    }
    xylem_buffer_release(&file);
}

/* --- Import ----------------------------------------------------------------------------------------------------- */

static const char *store_path(const struct set *set, const char *name, size_t index)
{
    char text[64];
    snprintf(text, sizeof text, "%s-%zu", name, index);
    return bench_path(set->bench, text);
}

static struct xylem_store *open_store(const char *path)
{
    struct xylem_error err;
    struct xylem_store *store = NULL;
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE, .map_bytes = MAP_BYTES};
    bench_xylem(xylem_open(&store, path, &options, &err), path, &err);
    return store;
}

static void prepare_import(void *context, uint64_t count)
{
    struct set *set = context;
    bench_must(count == 1, "an import", "each needs a store of its own");
    for (size_t i = 0; i < set->files.count; i++) {
        set->fresh[i] = open_store(store_path(set, "fresh", i));
    }
}

static void run_import(void *context, uint64_t count)
{
    struct set *set = context;
    struct xylem_error err;
    (void)count;
    for (size_t i = 0; i < set->files.count; i++) {
        struct xylem_import_report report;
        const char *path = set->files.paths[i];
        bench_xylem(xylem_import(&report, set->fresh[i], path, NULL, &err), path, &err);
        bench_must(report.outcome == XYLEM_IMPORT_NEW, path, "it was imported before");
        xylem_import_report_release(&report);
    }
}

static void finish_import(void *context)
{
    struct set *set = context;
    struct xylem_error err;
    for (size_t i = 0; i < set->files.count; i++) {
        bench_xylem(xylem_close(set->fresh[i], &err), "close", &err);
        bench_remove_store(store_path(set, "fresh", i));
    }
}

/* --- Export ----------------------------------------------------------------------------------------------------- */

static int keep(void *context, const void *data, size_t bytes)
{
    return xylem_buffer_add(context, data, bytes);
}

static void run_export(void *context, uint64_t count)
{
    struct set *set = context;
    struct xylem_error err;
    struct xylem_export_options options = {.with_quarantine = true};
    for (uint64_t k = 0; k < count; k++) {
        for (size_t i = 0; i < set->files.count; i++) {
            struct xylem_txn *txn = NULL;
            set->exports[i].bytes = 0;
            bench_xylem(xylem_begin(&txn, set->stored[i], XYLEM_READ, &err), "a transaction", &err);
            bench_xylem(xylem_export(txn, set->sessions[i], &options, keep, &set->exports[i], &err), "an export", &err);
            xylem_abort(txn);
        }
    }
}

static bool is_equal(const struct set *set, size_t index)
{
    struct xylem_buffer file = {0};
    const struct xylem_buffer *export = &set->exports[index];
    bench_read_file(&file, set->files.paths[index]);
    bool equal = file.bytes == export->bytes && memcmp(file.data, export->data, file.bytes) == 0;
    xylem_buffer_release(&file);
    return equal;
}

static void check_exports(void *context)
{
    const struct set *set = context;
    for (size_t i = 0; i < set->files.count; i++) {
        bench_must(!set->exact[i] || is_equal(set, i), set->files.paths[i], "the export is not the file");
    }
}

/* What an import could not place comes back too; a file of an older format comes back in the one that pi has now. */
static void store_files(struct set *set)
{
    struct xylem_error err;
    size_t exact_count = 0;
    for (size_t i = 0; i < set->files.count; i++) {
        struct xylem_import_report report;
        const char *path = set->files.paths[i];
        set->stored[i] = open_store(store_path(set, "stored", i));
        bench_xylem(xylem_import(&report, set->stored[i], path, NULL, &err), path, &err);
        set->sessions[i] = report.session;
        set->exact[i] = report.version == 3;
        exact_count += set->exact[i];
        xylem_import_report_release(&report);
    }
    run_export(set, 1);
    check_exports(set);
    if (exact_count < set->files.count) {
        bench_note(set->bench, bench_format(set->bench,
                                            "%zu of %zu files are compared with their exports; the others have an "
                                            "older format.",
                                            exact_count, set->files.count));
    }
}

static void empty_set(struct set *set)
{
    struct xylem_error err;
    for (size_t i = 0; i < set->files.count; i++) {
        bench_xylem(xylem_close(set->stored[i], &err), "close", &err);
        bench_remove_store(store_path(set, "stored", i));
        xylem_buffer_release(&set->exports[i]);
    }
    free(set->fresh);
    free(set->stored);
    free(set->sessions);
    free(set->exact);
    free(set->exports);
}

/* --- What is measured ------------------------------------------------------------------------------------------- */

static void *room(size_t count, size_t bytes)
{
    void *made = calloc(count, bytes);
    bench_must(made != NULL, "a set of files", "out of memory");
    return made;
}

static void add(struct set *set, const char *table, const char *name, void (*run)(void *context, uint64_t count),
                const char *loses)
{
    bool import = run == run_import;
    bool export = run == run_export;
    bench_add(set->bench, &(struct bench_contestant){.table = table,
                                                     .name = name,
                                                     .loses = loses,
                                                     .run = run,
                                                     .context = set,
                                                     .prepare = import ? prepare_import : NULL,
                                                     .finish = import   ? finish_import
                                                               : export ? check_exports
                                                                        : NULL,
                                                     .count_max = import ? 1 : 0,
                                                     .items = (double)set->files.bytes,
                                                     .items_unit = "B/s"});
}

static void measure_set(struct bench *bench, const struct bench_files *files, double seconds)
{
    struct set set = {.bench = bench,
                      .files = *files,
                      .fresh = room(files->count, sizeof *set.fresh),
                      .stored = room(files->count, sizeof *set.stored),
                      .sessions = room(files->count, sizeof *set.sessions),
                      .exact = room(files->count, sizeof *set.exact),
                      .exports = room(files->count, sizeof *set.exports)};
    const char *table = bench_format(bench, "import and export, %s: %zu file%s, %.2f MB", files->name, files->count,
                                     files->count == 1 ? "" : "s", (double)files->bytes / 1e6);
    store_files(&set);
    add(&set, table, "read(2), 64 KiB at once", run_read, BENCH_READS);
    add(&set, table, "read(2) and memchr for lines", run_lines, BENCH_READS);
    add(&set, table, "yajl, no callback does anything", run_tokenizer, BENCH_READS);
    add(&set, table, "xylem_import, fresh store, none", run_import, "unsynced; may be damaged");
    add(&set, table, "xylem_export", run_export, BENCH_READS);
    bench_run(bench, seconds);
    empty_set(&set);
}

static void measure(struct bench *bench)
{
    struct bench_files sets[BENCH_FILE_SETS];
    bench_note(bench, "A crash of the process loses what was not committed: the batch that is being imported.");
    for (unsigned i = 0; i < BENCH_FILE_SETS; i++) {
        bench_files_make(&sets[i], bench, i);
        measure_set(bench, &sets[i], 5);
        bench_files_release(&sets[i]);
    }
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "import", measure);
}
