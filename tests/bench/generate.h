/* Session files in the shape that pi gives them, made from a seed: the same bytes on every machine. */
#ifndef XYLEM_BENCH_GENERATE_H
#define XYLEM_BENCH_GENERATE_H

#include "xylem/base.h"

#define BENCH_ENTRY_ID_BYTES 8u

/* The id of the n-th entry as pi writes one: 8 hex digits in no order, no two alike. Ends in NUL. */
void bench_entry_id(char id[BENCH_ENTRY_ID_BYTES + 1u], uint32_t number);

/*
 * Appends a session file of so many entries to `file`: messages of users, assistants and tools, custom entries, and
 * what else pi writes, now and then behind an entry further back. The sizes of the payloads are log-normal with a
 * median of about 300 bytes; one in two thousand has about 100 KB. Ends the program if memory runs out.
 */
void bench_generate(struct xylem_buffer *file, size_t entry_count, uint64_t seed);

#endif
