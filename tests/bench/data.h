/*
 * What the benches store: the same entries in every contestant's store. One entry of ten is custom, of one of nine
 * kinds that nobody asks for (or as many as bench_other_kinds() says), the others are messages of about 300 bytes.
 */
#ifndef XYLEM_BENCH_DATA_H
#define XYLEM_BENCH_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "xylem/session.h"

enum { BENCH_OTHER_KINDS = 9, BENCH_TEXT_BYTES = 512 };

/* The three kinds that are rehydrated, in the order of their numbers; the others follow. */
enum bench_kind { BENCH_READONLY = 0, BENCH_NUDGE, BENCH_SEQUENCE, BENCH_MESSAGE, BENCH_OTHER };

struct bench_entry {
    int kind; /* BENCH_OTHER and on are the custom kinds that nobody asks for */
    bool custom;
    char kind_name[24];
    char text[BENCH_TEXT_BYTES]; /* JSON */
    uint32_t text_bytes;
};

/* How many custom kinds that nobody asks for there are among the entries that are made from now on. 0: none. */
void bench_other_kinds(int count);
/* Entry number `number` of a session: the same text for the same number. */
void bench_entry_make(struct bench_entry *entry, uint64_t number);
/* An entry of one of the three kinds: readonly on, its nudge delivered, a sequence of three steps. */
void bench_entry_wanted(struct bench_entry *entry, enum bench_kind kind);

/*
 * Appends `count` entries, numbers `first` and on, to the session's leaf, many a call, and commits. `wanted_at` is the
 * number that the three wanted entries take in place of what bench_entry_make() gives, and the two after it; 0: none.
 */
void bench_append(struct xylem_store *store, uint64_t session, uint64_t first, uint64_t count, uint64_t wanted_at);
/* The entry with that number: what bench_append() appends, and what every other contestant stores too. */
void bench_entry_at(struct bench_entry *entry, uint64_t number, uint64_t wanted_at);
/* An empty store with XYLEM_DURABILITY_NONE, and a session in it. */
struct xylem_store *bench_store(const char *path);
uint64_t bench_session(struct xylem_store *store);
/* Writes the file anew, or over what is there, so many bytes at once; it is not synced. */
#define BENCH_PAGE_BYTES 4096u
#define BENCH_PIECE_BYTES 131072u /* the most */
void bench_copy_file(const char *from_path, const char *to_path, size_t piece_bytes);
/* A fork of the session at that entry, or, where it is none, a clone, in a commit of its own. Gives its number. */
uint64_t bench_fork(struct xylem_store *store, uint64_t session, struct xylem_position at);
/* The session's leaf, read in a transaction of its own. */
struct xylem_position bench_leaf(struct xylem_store *store, uint64_t session);

#endif
