/*
 * How fast session files go in, in bytes of the file: files of pi as they are, all into one store, their lines as one
 * long session, and made sessions with payloads as long as real ones. Beside it a JSON tokenizer that nobody listens
 * to, the floor, and read(2) of the file.
 */
#include <yajl/yajl_parse.h>

#include "tests/bench/sessions.h"

/* The files of one table. */
struct set {
    struct bench_files files;
    const char *path; /* of a new store for each import */
    struct xylem_store *store;
};

static void run_read(struct bench_call call)
{
    static char piece[65536];
    const struct set *set = call.subject;
    for (size_t i = 0; i < set->files.count; i++) {
        int file = open(set->files.paths[i], O_RDONLY | O_CLOEXEC);
        ssize_t bytes = 0;
        bench_must(file >= 0, set->files.paths[i], "cannot be opened");
        while ((bytes = read(file, piece, sizeof piece)) > 0) {
            bench_use((unsigned char)piece[0]);
        }
        close(file);
    }
}

static int on_number(void *context, const char *text, size_t bytes)
{
    (void)context;
    (void)text;
    return bytes > 0;
}

static int on_string(void *context, const unsigned char *text, size_t bytes)
{
    (void)context;
    (void)text;
    (void)bytes;
    return 1;
}

/* One parser for each file: none is made anew for a line. A line that is no JSON ends it, and the next gets another. */
static void tokenize(const char *path)
{
    static const yajl_callbacks callbacks = {
        .yajl_number = on_number, .yajl_string = on_string, .yajl_map_key = on_string};
    static char *line;
    static size_t room;
    FILE *file = fopen(path, "r");
    yajl_handle parser = NULL;
    bench_must(file != NULL, path, "cannot be opened");
    for (ssize_t bytes = 0; (bytes = getline(&line, &room, file)) > 0;) {
        if (!parser) {
            parser = yajl_alloc(&callbacks, NULL, NULL);
            bench_must(parser != NULL, "a parser", "out of memory");
            yajl_config(parser, yajl_allow_multiple_values, 1);
        }
        if (yajl_parse(parser, (const unsigned char *)line, (size_t)bytes) != yajl_status_ok) {
            yajl_free(parser);
            parser = NULL;
        }
    }
    if (parser) {
        yajl_free(parser);
    }
    fclose(file);
}

static void run_tokenizer(struct bench_call call)
{
    const struct set *set = call.subject;
    for (size_t i = 0; i < set->files.count; i++) {
        tokenize(set->files.paths[i]);
    }
}

/* --- Import ------------------------------------------------------------------------------------------------------- */

static void open_store(struct bench_call call)
{
    struct set *set = call.subject;
    set->store = bench_open(set->path, XYLEM_DURABILITY_NONE);
}

static void run_import(struct bench_call call)
{
    struct set *set = call.subject;
    bench_files_import(&set->files, set->store);
}

static void remove_store(struct bench_call call)
{
    struct set *set = call.subject;
    bench_close(set->store);
    bench_output(&(struct bench_command){.words = {"rm", "-r", set->path}});
}

static const struct bench_row rows[] = {
    {"yajl, no callback does anything", BENCH_READS, .run = run_tokenizer},
    {"read(2), 64 KiB at once", BENCH_READS, .run = run_read},
    {"xylem_import, fresh store, none", BENCH_DAMAGED, run_import, 0, 1, open_store, remove_store},
};

/* A busy machine changes no instructions. */
static void count_instructions(void)
{
    const char *log = bench_path("log");
    const char *out = bench_path("callgrind");
    if (bench_quick || system("command -v valgrind >/dev/null 2>&1") != 0) {
        bench_note("The instructions of an import: not counted, for lack of time or of valgrind.");
        return;
    }
    const char *shell =
        bench_text("valgrind --tool=callgrind --callgrind-out-file=%s --toggle-collect='xylem_import_files*' "
                   "%s -s %s import fixtures/sessions >%s 2>&1; sed -n 's/.*Collected : //p' %s",
                   out, bench_program, bench_path("counted"), log, log);
    double count = strtod(bench_output(&(struct bench_command){.words = {"sh", "-c", shell}}), NULL);
    bench_must(count > 0, "callgrind", "it counted nothing");
    bench_figure("xylem import, the files of pi", count / 1e6, "million instructions of the call");
}

BENCH("import")
{
    static struct set set;
    bench_note("A crash of the process loses what was not committed: the batch that is being imported.");
    set.path = bench_path("fresh");
    for (unsigned i = 0; i < BENCH_FILE_SETS; i++) {
        bench_files_make(&set.files, i);
        size_t table = bench_table(bench_text("import, %s: %zu file%s, %.2f MB", set.files.name, set.files.count,
                                              set.files.count == 1 ? "" : "s", (double)set.files.bytes / 1e6),
                                   &set, BENCH_ROWS(rows));
        bench_rate(table, (double)set.files.bytes, "B/s");
        bench_run(5);
    }
    count_instructions();
}
