/* The session files that benches import: those of pi in fixtures/, and made ones. */
#ifndef XYLEM_BENCH_SESSIONS_H
#define XYLEM_BENCH_SESSIONS_H

#include "tests/bench/bench.h"

struct bench_files {
    const char *name;
    char **paths;
    size_t count;
    uint64_t bytes;
};

/* Which files there are, by number. */
enum bench_file_set {
    BENCH_FILES_OF_PI = 0,  /* each file of fixtures/sessions */
    BENCH_FILES_AS_ONE,     /* the entries of all of them, again and again, as one session of about 20 MB */
    BENCH_FILES_MADE_SMALL, /* bench_generate(), 10,000 entries */
    BENCH_FILES_MADE,       /* and 100,000 */
    BENCH_FILE_SETS
};

/* Finds or writes the files; what it writes lies in the bench's directory. */
void bench_files_make(struct bench_files *files, struct bench *bench, enum bench_file_set set);
void bench_files_release(struct bench_files *files);

/* Replaces the buffer's bytes with those of the file. */
void bench_read_file(struct xylem_buffer *buffer, const char *path);
/* Removes a store that is closed. */
void bench_remove_store(const char *path);

#endif
