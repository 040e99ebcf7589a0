/* LMDB by itself: the floor of what a store in LMDB can do. */
#ifndef XYLEM_BENCH_BARE_H
#define XYLEM_BENCH_BARE_H

#include <lmdb.h>
#include <stdint.h>

/* An environment in a new directory, or the one that is there, with its main table open in `table`. */
MDB_env *bench_bare_open(MDB_dbi *table, const char *path, unsigned flags);
/* The same, with the table of that name, which is made where it is missing. */
MDB_env *bench_bare_open_named(MDB_dbi *table, const char *path, const char *name, unsigned flags);
/* Ends the program if a call of LMDB failed. */
void bench_bare(int result, const char *what);
/* A key of two numbers, big-endian, as in the table `log`. `bytes` has room for 16. */
MDB_val bench_bare_key(unsigned char *bytes, uint64_t branch, uint64_t depth);
/* Puts the entries of bench_append() under (branch, 1) and on; each value has `head_bytes` before the text. */
void bench_bare_fill(MDB_env *env, MDB_dbi table, uint64_t branch, uint64_t count, uint64_t wanted_at,
                     uint64_t head_bytes);

#endif
