#include "tests/bench/sessions.h"

#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/generate.h"

enum { SEED = 20261121, ID_DIGITS = 8 };
#define AS_ONE_BYTES 20000000u
#define PI_FILES "fixtures/sessions/*/*/*.jsonl"

void bench_read_file(struct xylem_buffer *buffer, const char *path)
{
    static char piece[65536];
    ssize_t bytes = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bench_must(file >= 0, path, "cannot be opened");
    buffer->bytes = 0;
    while ((bytes = read(file, piece, sizeof piece)) > 0) {
        bench_xylem(xylem_buffer_add(buffer, piece, (size_t)bytes), path, NULL);
    }
    bench_must(bytes == 0, path, "cannot be read");
    close(file);
}

void bench_remove_store(const char *path)
{
    static const char *const names[] = {"/data.mdb", "/lock.mdb", "/xylem.lock", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char file[600];
        snprintf(file, sizeof file, "%s%s", path, names[i]);
        bench_must(remove(file) == 0, file, "cannot be removed");
    }
}

static void add_path(struct bench_files *files, const char *path)
{
    struct stat status;
    char **paths = realloc(files->paths, (files->count + 1) * sizeof *paths);
    bench_must(paths != NULL, path, "out of memory");
    files->paths = paths;
    paths[files->count] = strdup(path);
    bench_must(paths[files->count] != NULL, path, "out of memory");
    bench_must(stat(path, &status) == 0, path, "there is no such file");
    files->bytes += (uint64_t)status.st_size;
    files->count++;
}

static void find_pi_files(struct bench_files *files)
{
    glob_t found;
    bench_must(glob(PI_FILES, 0, NULL, &found) == 0, PI_FILES, "none found: benches run in the project's root");
    for (size_t i = 0; i < found.gl_pathc; i++) {
        add_path(files, found.gl_pathv[i]);
    }
    globfree(&found);
}

/* --- Many files as one session ---------------------------------------------------------------------------------- */

/* Gives the 8 hex digits at `digits` another meaning: the same one for the same digits and `salt`. */
static void change_id(char *digits, uint32_t salt)
{
    char text[ID_DIGITS + 1] = {0};
    memcpy(text, digits, ID_DIGITS);
    snprintf(text, sizeof text, "%08" PRIx32, (uint32_t)strtoul(text, NULL, 16) ^ salt);
    memcpy(digits, text, ID_DIGITS);
}

/*
 * Where the line of an entry has the members `id` and `parentId` as pi writes them, with 8 hex digits: changes both,
 * and is true.
 */
static bool change_ids(char *line, size_t bytes, uint32_t salt)
{
    static const char middle[] = "\",\"parentId\":";
    char *found = memmem(line, bytes, middle, sizeof middle - 1);
    static const char begin[] = "\"id\":\"";
    size_t before = ID_DIGITS + sizeof begin - 1;
    if (!found || (size_t)(found - line) < before || memcmp(found - before, begin, sizeof begin - 1) != 0 ||
        line + bytes - found < (ptrdiff_t)(sizeof middle + ID_DIGITS + 2)) {
        return false;
    }
    change_id(found - ID_DIGITS, salt);
    found += sizeof middle - 1;
    if (*found == '"') {
        change_id(found + 1, salt);
    }
    return true;
}

static void add_entries(struct xylem_buffer *all, const struct xylem_buffer *file, uint32_t salt)
{
    const char *end = file->data + file->bytes;
    for (const char *line = file->data; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *next = newline ? newline + 1 : end;
        size_t bytes = (size_t)(next - line);
        size_t before = all->bytes;
        bench_xylem(xylem_buffer_add(all, line, bytes), "a line", NULL);
        if (!newline || !change_ids(all->data + before, bytes, salt)) {
            all->bytes = before;
        }
        line = next;
    }
}

static bool is_clean(const char *path)
{
    return !strstr(path, "damaged") && !strstr(path, "legacy");
}

static void make_one(struct xylem_buffer *all, size_t bytes_wanted)
{
    struct bench_files files = {.count = 0};
    struct xylem_buffer file = {0};
    static const char header[] = "{\"type\":\"session\",\"version\":3,\"id\":\"01a1f9f7-22cb-72e7-96e0-96825857beef\","
                                 "\"timestamp\":\"2026-11-20T17:18:05.515Z\",\"cwd\":\"/home/dev/proj\"}\n";
    uint32_t salt = SEED;
    find_pi_files(&files);
    bench_xylem(xylem_buffer_add(all, header, sizeof header - 1), "a header", NULL);
    while (all->bytes < bytes_wanted) {
        for (size_t i = 0; i < files.count; i++) {
            if (is_clean(files.paths[i])) {
                bench_read_file(&file, files.paths[i]);
                salt = salt * 1664525u + 1013904223u;
                add_entries(all, &file, salt);
            }
        }
    }
    xylem_buffer_release(&file);
    bench_files_release(&files);
}

/* ---------------------------------------------------------------------------------------------------------------- */

static void write_file(struct bench_files *files, struct bench *bench, const struct xylem_buffer *bytes)
{
    const char *path = bench_path(bench, bench_format(bench, "%zu-bytes.jsonl", bytes->bytes));
    FILE *file = fopen(path, "w");
    bench_must(file != NULL, path, "cannot be made");
    bench_must(fwrite(bytes->data, 1, bytes->bytes, file) == bytes->bytes && fclose(file) == 0, path,
               "cannot be written");
    add_path(files, path);
}

void bench_files_make(struct bench_files *files, struct bench *bench, enum bench_file_set set)
{
    struct xylem_buffer bytes = {0};
    size_t less = bench_quick(bench) ? 20 : 1;
    *files = (struct bench_files){.count = 0};
    switch (set) {
    case BENCH_FILES_OF_PI:
        files->name = "files of pi";
        find_pi_files(files);
        return;
    case BENCH_FILES_AS_ONE:
        files->name = "files of pi as one session";
        make_one(&bytes, AS_ONE_BYTES / less);
        break;
    case BENCH_FILES_MADE_SMALL:
        files->name = bench_format(bench, "a made session of %zu entries", 10000 / less);
        bench_generate(&bytes, 10000 / less, SEED);
        break;
    default:
        files->name = bench_format(bench, "a made session of %zu entries", 100000 / less);
        bench_generate(&bytes, 100000 / less, SEED);
        break;
    }
    write_file(files, bench, &bytes);
    xylem_buffer_release(&bytes);
}

void bench_files_release(struct bench_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->paths[i]);
    }
    free(files->paths);
    *files = (struct bench_files){.count = 0};
}
