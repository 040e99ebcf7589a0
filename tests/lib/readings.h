/*
 * Everything that can be asked of a store, as a list of readings with the answers that the sound store gave. After
 * damage each must give the same answer, or fail: an answer that is another one is a lie.
 */
#ifndef XYLEM_TESTS_LIB_READINGS_H
#define XYLEM_TESTS_LIB_READINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xylem/store.h"

struct reading;

struct readings {
    struct reading *list;
    size_t count;
    struct xylem_buffer answer; /* of the reading that was repeated last */
};

/* What became of them, summed up. */
struct readings_result {
    uint64_t right;
    uint64_t failed; /* the store is damaged */
    uint64_t late;   /* of these: after an answer had begun that is another one */
    uint64_t wrong;  /* another answer, or another error, such as that what is there is not there */
};

/* Asks everything that can be asked of the store as it is now, and keeps the answers. */
void readings_learn(struct readings *readings, struct xylem_txn *txn);

/*
 * Asks again and adds up what came of it. The first that is wrong is described in `text`, if there is room: start with
 * an empty one.
 */
void readings_repeat(struct readings_result *result, struct readings *readings, struct xylem_txn *txn, char *text,
                     size_t text_bytes);

void readings_release(struct readings *readings);

/* How many problems a complete verification finds; a failed one counts as one. */
uint64_t readings_verify(struct xylem_txn *txn);

#endif
