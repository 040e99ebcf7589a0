/* The session files that benches import: those of pi in fixtures/, and made ones in pi's shape. */
#ifndef XYLEM_BENCH_SESSIONS_H
#define XYLEM_BENCH_SESSIONS_H

#include "tests/bench/stores.h"

enum { BENCH_FILES_MAX = 128 };

struct bench_files {
    const char *name;
    const char *paths[BENCH_FILES_MAX];
    size_t count;
    uint64_t bytes;
};

/* Which files there are, by number. */
enum bench_file_set {
    BENCH_FILES_OF_PI = 0,  /* each file of fixtures/sessions */
    BENCH_FILES_AS_ONE,     /* the entries of all of them, again and again, as one session of about 20 MB */
    BENCH_FILES_MADE_SMALL, /* a made session of 10,000 entries */
    BENCH_FILES_MADE,       /* and 100,000 */
    BENCH_FILE_SETS
};

/* Finds or writes the files; what it writes lies in the bench's directory. */
void bench_files_make(struct bench_files *files, enum bench_file_set set);

/* Imports them into a new store. Gives the session of the last one. */
uint64_t bench_files_import(const struct bench_files *files, struct xylem_store *store);

/* A store with one session, and its payloads in a file, one a line. */
struct bench_said {
    const char *path; /* of the store */
    const char *file;
    const char *shape; /* in words */
    struct xylem_txn *txn;
    uint64_t session;
    uint64_t entry_count;
    uint64_t payload_bytes; /* without the ends of lines */
};

/* Payloads of 290 bytes, or as long as those of pi. */
void bench_said_make(struct bench_said *said, bool as_pi);

#endif
