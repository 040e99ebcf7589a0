#include "tests/bench/sessions.h"

#include <glob.h>
#include <inttypes.h>
#include <math.h>

#include "xylem/branch.h"
#include "xylem/files.h"

enum { LARGE_ONE_IN = 2000, LARGE_BYTES = 100000, MEDIAN_BYTES = 300 };
#define SIGMA 1.2 /* of the logarithm of a text's size */
#define PI_FILES "fixtures/sessions/*/*/*.jsonl"

static uint32_t random_below(uint32_t limit)
{
    static uint64_t state = 20261121;
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ (z >> 31)) >> 32) % limit;
}

/*
 * Words of prose, code and what tools print, with as many escapes as such text has. The sizes are log-normal; one in two
 * thousand is large.
 */
static void add_text(FILE *file)
{
    static const char *const words[] = {
        "the",      "of",     "function", "returns", "in",        "session",      "file",
        "error",    "await",  "import",   "test",    "failed",    "src/index.ts", "=>",
        "{\\n  ",   "}\\n",   ";\\n",     "\\n\\n",  "\\\"a\\\"", "(path)",       "128:",
        "warning:", "\\tlet", "naïve",    "—",       "0x1f",      "package.json", "is"};
    double normal = -6; /* twelve uniform numbers have nearly this distribution */
    for (int i = 0; i < 12; i++) {
        normal += random_below(1u << 30) / (double)(1u << 30);
    }
    double bytes = random_below(LARGE_ONE_IN) == 0 ? LARGE_BYTES : MEDIAN_BYTES * exp(SIGMA * normal);
    while (bytes > 0) {
        bytes -= fprintf(file, "%s ", words[random_below(sizeof words / sizeof *words)]);
    }
}

/* Gives the 8 hex digits at `digits` another meaning: the same one for the same digits and `salt`. */
static void change_id(char *digits, uint32_t salt)
{
    char text[BENCH_ENTRY_ID_BYTES + 1] = {0};
    memcpy(text, digits, BENCH_ENTRY_ID_BYTES);
    snprintf(text, sizeof text, "%08" PRIx32, (uint32_t)strtoul(text, NULL, 16) ^ salt);
    memcpy(digits, text, BENCH_ENTRY_ID_BYTES);
}

/*
 * Adds entries of a file with other ids, if pi wrote them: `"id":"01234567","parentId":"89abcdef"`. Gives how many of
 * the entries that are wanted are left.
 */
static size_t add_entries(FILE *all, const char *path, bool long_texts, size_t wanted)
{
    uint32_t salt = random_below(UINT32_MAX);
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    bench_must(file != NULL, path, "cannot be opened");
    while (wanted > 0 && getline(&line, &room, file) > 0) {
        char *parent = strstr(line, ",\"parentId\":");
        if (!parent || parent - line < 16 || memcmp(parent - 15, "\"id\":\"", 6) != 0) {
            continue;
        }
        change_id(parent - 9, salt);
        if (parent[12] == '"') {
            change_id(parent + 13, salt);
        }
        char *text = long_texts ? strstr(line, "\"text\":\"") : NULL;
        if (text) {
            fprintf(all, "%.*s", (int)(text + 8 - line), line);
            add_text(all);
        }
        fputs(text ? text + 8 : line, all);
        wanted--;
    }
    free(line);
    fclose(file);
    return wanted;
}

static void add_path(struct bench_files *files, const char *path)
{
    struct stat status;
    bench_must(files->count < BENCH_FILES_MAX && stat(path, &status) == 0, path, "one file too many, or none");
    files->paths[files->count++] = path;
    files->bytes += (uint64_t)status.st_size;
}

static void find_pi_files(struct bench_files *files)
{
    glob_t found;
    bench_must(glob(PI_FILES, 0, NULL, &found) == 0, PI_FILES, "none found: benches run in the project's root");
    for (size_t i = 0; i < found.gl_pathc; i++) {
        add_path(files, found.gl_pathv[i]);
    }
}

/* The entries of pi's files, again and again, as one session. */
static void write_session(const char *path, bool long_texts, size_t entry_count)
{
    struct bench_files files = {.count = 0};
    FILE *all = fopen(path, "w");
    bench_must(all != NULL, path, "cannot be written");
    fputs("{\"type\":\"session\",\"version\":3,\"id\":\"01a1f9f7-22cb-72e7-96e0-96825857beef\","
          "\"timestamp\":\"2026-11-20T17:18:05.515Z\",\"cwd\":\"/home/dev/proj\"}\n",
          all);
    find_pi_files(&files);
    for (size_t i = 0; entry_count > 0; i = (i + 1) % files.count) {
        if (!strstr(files.paths[i], "damaged") && !strstr(files.paths[i], "legacy")) {
            entry_count = add_entries(all, files.paths[i], long_texts, entry_count);
        }
    }
    bench_must(!ferror(all) && fclose(all) == 0, path, "cannot be written");
}

void bench_files_make(struct bench_files *files, enum bench_file_set set)
{
    static const size_t entry_counts[] = {0, 50000, 10000, 100000};
    size_t entry_count = entry_counts[set] / (bench_quick ? 20 : 1);
    const char *path = bench_path("%d.jsonl", (int)set);
    *files = (struct bench_files){.name = "files of pi"};
    if (set == BENCH_FILES_OF_PI) {
        find_pi_files(files);
        return;
    }
    files->name = set == BENCH_FILES_AS_ONE ? "files of pi as one session"
                                            : bench_text("a made session of %zu entries", entry_count);
    write_session(path, set != BENCH_FILES_AS_ONE, entry_count);
    add_path(files, path);
}

uint64_t bench_files_import(const struct bench_files *files, struct xylem_store *store)
{
    uint64_t session = 0;
    for (size_t i = 0; i < files->count; i++) {
        struct xylem_import_report report;
        bench_xylem(xylem_import(&report, store, files->paths[i], NULL, &bench_err));
        session = report.session;
        xylem_import_report_release(&report);
    }
    return session;
}

void bench_said_make(struct bench_said *said, bool as_pi)
{
    const char *path = bench_path("said-%d", as_pi);
    struct bench_made made = {.path = path};
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    struct xylem_view payload;
    if (as_pi) {
        struct bench_files files;
        bench_files_make(&files, BENCH_FILES_MADE);
        made.store = bench_open(path, XYLEM_DURABILITY_NONE);
        made.session = bench_files_import(&files, made.store);
    } else {
        bench_other_kinds = 0;
        made = bench_make(path, bench_quick ? 10000 : 300000, 0);
    }
    *said = (struct bench_said){.path = path,
                                .file = bench_text("%s.payloads", path),
                                .shape = as_pi ? "payloads as long as those of pi" : "payloads of 290 B",
                                .txn = bench_begin(made.store, XYLEM_READ),
                                .session = made.session};
    FILE *file = fopen(said->file, "w");
    bench_must(file != NULL, said->file, "cannot be written");
    bench_xylem(xylem_scan_new(&scan, said->txn, said->session, &bench_err));
    while (xylem_scan_next(&entry, scan, &bench_err) == 1) {
        bench_xylem(xylem_entry_payload(&payload, &entry, &bench_err));
        fwrite(payload.data, 1, payload.bytes, file);
        fputc('\n', file);
        said->entry_count++;
        said->payload_bytes += payload.bytes;
    }
    xylem_scan_free(scan);
    bench_must(!ferror(file) && fclose(file) == 0, said->file, "cannot be written");
}
