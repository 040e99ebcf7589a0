/* What a piece of work did to the tables, by the counters of its transaction: as text, so that two can be compared. */
#ifndef XYLEM_TESTS_LIB_COSTS_H
#define XYLEM_TESTS_LIB_COSTS_H

#include "xylem/store.h"

struct costs {
    struct xylem_counters counters; /* without names */
    char text[512];                 /* "sessions 1 get; log 2 gets 1 seek 3 steps 1 put; 4 records" */
};

/* What the transaction did since its counters were `before`. */
struct costs costs_since(const struct xylem_txn *txn, const struct xylem_counters *before);

/* What it did since it began. */
struct costs costs_of(const struct xylem_txn *txn);

/* Sums over all tables. */
uint64_t costs_gets(const struct costs *costs);
uint64_t costs_seeks(const struct costs *costs);
uint64_t costs_steps(const struct costs *costs);
uint64_t costs_puts(const struct costs *costs);

#endif
