/*
 * For fuzz targets that need a store: a directory that is made once and removed at the end. Each target includes it
 * once.
 */
#ifndef XYLEM_FUZZ_SCRATCH_H
#define XYLEM_FUZZ_SCRATCH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xylem/store.h"

static char scratch_directory[128];

/* Ends the program, and says why: a find. */
static inline void must(bool truth, const char *what)
{
    if (!truth) {
        fprintf(stderr, "fuzz: %s\n", what);
        abort();
    }
}

static inline void must_work(int code, const struct xylem_error *err, const char *what)
{
    if (code < 0) {
        fprintf(stderr, "fuzz: %s: %s: %s\n", what, xylem_code_text(code), err->text);
        abort();
    }
}

static inline void scratch_path(char path[256], const char *name)
{
    (void)snprintf(path, 256, "%s/%s", scratch_directory, name);
}

/* Takes away the store and the one other file that a target may have written. */
static inline void scratch_clear(void)
{
    static const char *const names[] = {"data.mdb", "lock.mdb", "xylem.lock", "session.jsonl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[256];
        scratch_path(path, names[i]);
        (void)unlink(path);
    }
}

static inline void scratch_end(void)
{
    scratch_clear();
    (void)rmdir(scratch_directory);
}

/* Opens the store of the directory, which is made by the first call: in memory, unless $TMPDIR says where. */
static inline struct xylem_store *scratch_open(void)
{
    if (scratch_directory[0] == '\0') {
        const char *given = getenv("TMPDIR");
        const char *parent = given && *given ? given : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        (void)snprintf(scratch_directory, sizeof scratch_directory, "%.90s/xylem-fuzz-XXXXXX", parent);
        must(mkdtemp(scratch_directory) != NULL, "no directory");
        (void)atexit(scratch_end);
    }
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE, .map_bytes = 1u << 26};
    struct xylem_store *store = NULL;
    struct xylem_error err = {0};
    must_work(xylem_open(&store, scratch_directory, &options, &err), &err, "the store cannot be opened");
    return store;
}

static inline struct xylem_txn *scratch_begin(struct xylem_store *store, enum xylem_txn_mode mode)
{
    struct xylem_txn *txn = NULL;
    struct xylem_error err = {0};
    must_work(xylem_begin(&txn, store, mode, &err), &err, "no transaction");
    return txn;
}

#endif
